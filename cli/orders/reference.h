/* reference.h - the motion that errors of the order study are measured against, and the errors. */
#ifndef HN_CLI_ORDERS_REFERENCE_H
#define HN_CLI_ORDERS_REFERENCE_H

#include "cli/study/runs.h"

/* What an order is fitted to: the error over the whole motion, the root mean square over time of that of all bodies, or
 * joints, together. At one instant the leading term of an error may pass through zero, and another order show. */
enum { ORDERS_POSITION, ORDERS_ORIENTATION, ORDERS_VELOCITY, ORDERS_FORCE, ORDERS_QUANTITIES };

typedef struct orders_quantity {
  const char *name, *unit;
  const char *key, *error_key; /* JSON: of its order and of its errors */
} orders_quantity;
extern const orders_quantity orders_quantities[ORDERS_QUANTITIES];

enum { ORDERS_TIMES = 256 }; /* a motion is kept at less than so many times */

/* A motion at COUNT times, duration / COUNT apart, the last being the end. */
typedef struct orders_motion {
  long count;
  hn_state *state[ORDERS_TIMES];
  double *force[ORDERS_TIMES];           /* [nrow], N, N m */
} orders_motion;

/* The scene's own answer where it knows it, else a run of another kind. */
typedef struct orders_reference {
  cli_plan plan;                         /* of the run; its step is 0 when none converges: */
  hn_reason reason;                      /* of the last one that did not, */
  hn_error why;                          /* and in words */
  orders_motion motion[ORDERS_TIMES];    /* by their count; made when first asked for */
  orders_motion run;                     /* room for the motion that is measured */
  bool *has[ORDERS_QUANTITIES];          /* [nbody]; forces are all known or none: the ground's entry */
  bool applies[ORDERS_QUANTITIES];       /* some body or joint has it, and it is not at rest */
  double scale[ORDERS_QUANTITIES];       /* size of it in the scene's motion, in the norm of errors */
  double uncertainty[ORDERS_QUANTITIES]; /* of what the run gives: its distance from one with twice the step; else 0 */
  double between[ORDERS_QUANTITIES];     /* the scene's answer and the run; NAN when they share nothing */
} orders_reference;

int orders_reference_make(orders_reference *reference, const cli_plan *plan, hn_error *error);
void orders_reference_free(orders_reference *reference);
/* The number of steps near K whose motion can be kept: a multiple of a power of two. */
double orders_steps(double k);
/* Runs PLAN, which has so many steps, and measures it: the error of every quantity, NAN when it is not known. */
int orders_run(orders_reference *reference, cli_outcome *outcome, const cli_plan *plan,
               double error[ORDERS_QUANTITIES], hn_error *message);
/* Errors of Q above this are above round-off, and above what the reference is uncertain by. */
double orders_floor(const orders_reference *reference, int q);
/* Errors of Q below this are small against the motion. */
double orders_ceiling(const orders_reference *reference, int q);

#endif
