/* error_series.h - the course of the errors over a run. */
#ifndef CLI_ERROR_SERIES_H
#define CLI_ERROR_SERIES_H

#include "holonom.h"

enum { CLI_SERIES_MAX = 1024 };

typedef struct cli_sample {
  double time;             /* of the first step in the sample, s */
  double drift, velocity;  /* largest joint errors in it, m and m/s (rad and rad/s) */
  double energy;           /* largest |E - E(0)| in it, J */
  double contacts;         /* most in it */
  double penetration, law; /* largest in it: of shapes, m; residual of the law of contact, m/s */
} cli_sample;

/* Errors after every step, thinned: when the samples are full, neighbours are merged and keep their maxima. */
typedef struct cli_series {
  size_t count;
  long stride, filled; /* steps a sample stands for, and those in the last one */
  double energy0;      /* J */
  cli_sample sample[CLI_SERIES_MAX];
} cli_series;

void cli_series_add(cli_series *series, const hn_frame *frame);

#endif
