/* order_reference.h - the motion that errors of the order study are measured against, and the errors. */
#ifndef CLI_ORDER_REFERENCE_H
#define CLI_ORDER_REFERENCE_H

#include "cli/study/study_runs.h"

/* The scene's own answer where it knows it, else a run of another kind. An order is fitted to the error over the whole
 * motion (CLI_RMS): at one instant the leading term of an error may pass through zero, and another order show. */
typedef struct orders_reference {
  cli_plan plan;    /* of the run; its step is 0 when none converges: */
  hn_reason reason; /* of the last one that did not, */
  hn_error why;     /* and in words */
  cli_motion
    *motion[CLI_MOTION_TIMES];  /* by their count, the same time apart; made when first asked for, from */
  cli_motion *kept;             /* states of the run; NULL before, and where the scene has control */
  double operations;            /* joint operations of all its runs and steps */
  bool *has[CLI_QUANTITIES];    /* [nbody]; forces are all known or none: the ground's entry */
  bool applies[CLI_QUANTITIES]; /* some body or joint has it, and it is not at rest */
  double scale[CLI_QUANTITIES]; /* size of it in the scene's motion, in the norm of errors */
  double uncertainty
    [CLI_QUANTITIES]; /* of what the run gives: its distance from one with twice the step; else 0 */
  double between[CLI_QUANTITIES]; /* the scene's answer and the run; NAN when they share nothing */
} orders_reference;

int orders_reference_make(orders_reference *reference, const cli_plan *plan, hn_error *error);
void orders_reference_free(orders_reference *reference);
/* The number of steps near K whose motion can be kept: a multiple of a power of two. */
double orders_steps(double k);
/* Runs PLAN, which has so many steps, and measures it: the error of every quantity, NAN when it is not known. */
int orders_run(orders_reference *reference, cli_outcome *outcome, const cli_plan *plan,
               double error[CLI_QUANTITIES], hn_error *message);
/* Errors of Q above this are above round-off, and above what the reference is uncertain by. */
double orders_floor(const orders_reference *reference, int q);
/* Errors of Q below this are small against the motion. */
double orders_ceiling(const orders_reference *reference, int q);

#endif
