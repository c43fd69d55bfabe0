/* order_reference.h - the reference motion of the order study, and errors against it. */
#ifndef CLI_ORDER_REFERENCE_H
#define CLI_ORDER_REFERENCE_H

#include "cli/study/study_runs.h"

/* The scene's own reference where it is known, else a run of another solver. An order is fitted to the error
 * over the whole motion (CLI_RMS): at a single time, the leading term of an error may vanish. */
typedef struct orders_reference {
  cli_plan plan;                        /* of the run; step 0: no run converged */
  hn_reason reason;                     /* of the last run that did not converge */
  hn_error explanation;                 /* its explanation */
  cli_motion *motion[CLI_MOTION_TIMES]; /* by their number of evenly spaced times; made when first needed */
  cli_motion *kept;                     /* states of the run; NULL: not run yet, or the scene has control */
  double operations;                    /* joint operations of all runs and steps */
  bool *has[CLI_QUANTITIES];            /* [nbody] quantity is known; forces: entry 0 stands for all joints */
  bool applies[CLI_QUANTITIES];         /* some body or joint has the quantity, and it changes */
  double scale[CLI_QUANTITIES];         /* its size over the motion, in the norm of errors */
  double uncertainty[CLI_QUANTITIES];   /* distance from a run with twice the step; 0: the scene's own */
  double scene_distance[CLI_QUANTITIES]; /* distance of the scene's from the run; NAN: nothing shared */
} orders_reference;

int orders_reference_make(orders_reference *reference, const cli_plan *plan, hn_error *error);
void orders_reference_free(orders_reference *reference);
/* Returns a number of steps near K whose motion can be kept: a multiple of a power of two. */
double orders_steps(double k);
/* Runs PLAN, with one of these numbers of steps. Computes the error of every quantity; NAN: unknown. */
int orders_run(orders_reference *reference, cli_outcome *outcome, const cli_plan *plan,
               double error[CLI_QUANTITIES], hn_error *message);
/* Returns the floor of errors of Q: larger ones are above round-off and the uncertainty of the reference. */
double orders_floor(const orders_reference *reference, int q);
/* Returns the ceiling of errors of Q: smaller ones are small compared with the motion. */
double orders_ceiling(const orders_reference *reference, int q);

#endif
