/* residual_history.h - residuals of a contact solver over its iterations, in one step of a run. */
#ifndef CLI_RESIDUAL_HISTORY_H
#define CLI_RESIDUAL_HISTORY_H

#include <jansson.h>
#include <stdio.h>
#include "holonom.h"

typedef struct cli_history {
  hn_contact_solver *of;   /* the solver's */
  const hn_system *solved; /* whose it is */
  int room;                /* residuals that it remembers */
  double at;               /* s: of the first step that ends then or later; 0: of the worst one */
  long step;               /* which it is; 0: none yet */
  double time;             /* at its end, s */
  int iterations;          /* that it took */
  int count;               /* residuals kept: of all of them, or of as many as there is room for */
  double error;            /* m/s: what is left at the end */
  double *residual;        /* [count] m/s, as the solver says */
} cli_history;

/* NULL when SOLVER's solver solves no contact problems; otherwise its solver of them remembers, from now on. */
cli_history *cli_history_create(const hn_solver *solver, double at);
/* SOLVER may have another one now, for another model. */
void cli_history_follow(cli_history *history, const hn_solver *solver);
void cli_history_free(cli_history *history); /* which may be NULL */
/* After step INDEX, which ends at TIME or would have: keeps it when it is the one that is asked for so far. The worst
 * step is the first of those with the most iterations and, of these, the largest residual left. */
void cli_history_note(cli_history *history, long index, double time);
/* iteration,residual */
void cli_history_write(const cli_history *history, FILE *out);
/* null when the run has not come to that step. */
json_t *cli_history_json(const cli_history *history);

#endif
