/* error_series.h - errors over a run. */
#ifndef CLI_ERROR_SERIES_H
#define CLI_ERROR_SERIES_H

#include "holonom.h"

enum { CLI_SERIES_MAX = 1024 };

typedef struct cli_sample {
  double time;             /* of the first step of the sample, s */
  double drift, velocity;  /* maximum joint errors: positions, m or rad; velocities, m/s or rad/s */
  double energy;           /* maximum |E - E(0)|, J */
  double contacts;         /* maximum number */
  double penetration, law; /* maximum penetration, m, and residual of the law of contact, m/s */
} cli_sample;

/* Errors after every step; when the samples are full, neighbours are merged and keep their maxima. */
typedef struct cli_series {
  size_t count;
  long stride, filled; /* steps per sample, and steps in the last sample */
  double energy0;      /* J */
  cli_sample sample[CLI_SERIES_MAX];
} cli_series;

void cli_series_add(cli_series *series, const hn_frame *frame);

#endif
