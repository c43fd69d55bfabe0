/* error_series.h - errors over a run. */
#ifndef CLI_ERROR_SERIES_H
#define CLI_ERROR_SERIES_H

#include "holonom.h"

enum { CLI_SERIES_MAX = 1024 };

/* Values of a sample: the time of its first step, s, and maxima over its steps. */
enum {
  CLI_SAMPLE_TIME,
  CLI_SAMPLE_DRIFT,       /* joint error, m or rad */
  CLI_SAMPLE_VELOCITY,    /* joint velocity error, m/s or rad/s */
  CLI_SAMPLE_ENERGY,      /* |E - E(0)|, J */
  CLI_SAMPLE_CONTACTS,    /* number; only where shapes collide, as the following ones */
  CLI_SAMPLE_PENETRATION, /* m */
  CLI_SAMPLE_LAW,         /* residual of the law of contact, m/s */
  CLI_SAMPLE_VALUES
};

/* Errors after every step; when the samples are full, neighbours are merged and keep their maxima. */
typedef struct cli_series {
  size_t count;
  long stride, filled; /* steps per sample, and steps in the last sample */
  double energy0;      /* J */
  double sample[CLI_SERIES_MAX][CLI_SAMPLE_VALUES];
} cli_series;

void cli_series_add(cli_series *series, const hn_frame *frame);

#endif
