/* orders.h - cli/orders/: the order study, `converge --all`: the orders of all solvers on one scene. It stands on
 * cli/study/ and knows no other command.
 *
 *   reference motion -> a ladder of runs for each variant -> windows -> verdicts */
#ifndef HN_CLI_ORDERS_H
#define HN_CLI_ORDERS_H

#include "cli/orders/order_reference.h"

enum { ORDERS_RUNS = 120, ORDERS_TRIED = 2 * ORDERS_RUNS }; /* runs that converge; all */

typedef enum orders_verdict {
  ORDERS_NONE,      /* the scene or the solver does not have it */
  ORDERS_FITTED,    /* over a window */
  ORDERS_ROUND_OFF, /* exact, or at round-off before it had six steps above it */
  ORDERS_UNSETTLED, /* no six steps with one slope down to round-off */
  ORDERS_CUT,       /* nor to the end of the ladder, the last step or the most work that a run may take */
  ORDERS_FAILED     /* no run reached the end, and not for the work that it takes */
} orders_verdict;

/* One variant of one solver, and its runs from the largest step (or tolerance) down. */
typedef struct orders_solver {
  char *label;       /* as a user would write it */
  char *spec;        /* as it was run */
  int declared;      /* 0: none */
  bool by_tolerance; /* adaptive: its ladder is of error_tolerance */
  bool reports_forces;
  bool is_cut;           /* the ladder ends for what its last run takes, or would take */
  size_t count;          /* runs that converged: */
  double x[ORDERS_RUNS]; /* step, s, or tolerance */
  double error[CLI_QUANTITIES][ORDERS_RUNS];
  size_t tried; /* all runs: */
  double x_tried[ORDERS_TRIED], operations[ORDERS_TRIED], us_per_step[ORDERS_TRIED];
  double error_tried[CLI_QUANTITIES][ORDERS_TRIED];
  hn_reason reason[ORDERS_TRIED];
  char explanation[256]; /* of the last run that failed */
  hn_window window[CLI_QUANTITIES];
  orders_verdict verdict[CLI_QUANTITIES];
  bool wrong[CLI_QUANTITIES];  /* less than declared */
  bool better[CLI_QUANTITIES]; /* more */
} orders_solver;

typedef struct orders_study {
  cli_plan plan;
  orders_reference reference;
  bool judged;     /* no control: it acts once a step, and with another step is another one */
  uint64_t budget; /* joint operations of a run; 0: in proportion to the joints */
  double size;     /* of the mechanism, m: tolerances are in proportion to it */
  orders_solver *solver;
  size_t count;
} orders_study;

/* The most joint operations that a run of the study may take. */
double orders_most_operations(const orders_study *study);
bool orders_solver_wrong(const orders_solver *solver);
/* Runs the ladder of one solver and fits its orders. */
int orders_solver_run(orders_solver *solver, orders_study *study, hn_error *error);

#endif
