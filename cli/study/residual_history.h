/* residual_history.h - residuals over the iterations of a contact solver, in one step of a run. */
#ifndef CLI_RESIDUAL_HISTORY_H
#define CLI_RESIDUAL_HISTORY_H

#include <jansson.h>
#include "holonom.h"

typedef struct cli_history {
  hn_contact_solver *contact_solver; /* of the solver that is observed */
  const hn_system *system;           /* system of that solver */
  int capacity;                      /* maximum number of residuals */
  double at;        /* wanted: the first step that ends at or after this time, s; 0: the worst step */
  long step;        /* index of the recorded step; 0: none yet */
  double time;      /* its end, s */
  int iterations;   /* its iterations */
  int count;        /* residuals recorded: all, or `capacity` of them */
  double error;     /* residual after the last iteration, m/s */
  double *residual; /* [count] as reported by the contact solver, m/s */
} cli_history;

/* Makes the contact solver of SOLVER record its residuals. Returns NULL if SOLVER has no contact solver. */
cli_history *cli_history_create(const hn_solver *solver, double at);
/* Follows SOLVER to another contact solver, as after a change of the model. */
void cli_history_follow(cli_history *history, const hn_solver *solver);
void cli_history_free(cli_history *history); /* HISTORY may be NULL */
/* Records the residuals of step INDEX, which ends (or would have ended) at TIME, if it is the wanted one. The
 * worst step is the first of those with the most iterations and, of these, the largest final residual. */
void cli_history_note(cli_history *history, long index, double time);
/* Returns null when the run has not reached the wanted step. */
json_t *cli_history_json(const cli_history *history);

#endif
