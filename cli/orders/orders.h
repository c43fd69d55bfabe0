/* orders.h - cli/orders/: the order study, `converge --all`: the orders of all solvers on one scene. It uses
 * cli/study/ and no other command.
 *
 *   reference motion -> a ladder of runs for each variant -> windows -> verdicts */
#ifndef HN_CLI_ORDERS_H
#define HN_CLI_ORDERS_H

#include <jansson.h>
#include "cli/base/output.h"
#include "cli/orders/order_reference.h"

enum { ORDERS_RUNS = 120, ORDERS_TRIED = 2 * ORDERS_RUNS }; /* runs that converge; all runs */

typedef enum orders_verdict {
  ORDERS_NONE,      /* the scene or the solver lacks the quantity */
  ORDERS_FITTED,    /* order fitted over a window */
  ORDERS_ROUND_OFF, /* exact, or fewer than six errors above round-off */
  ORDERS_UNSETTLED, /* no six steps in a row with one slope, down to round-off */
  ORDERS_CUT,       /* no six such steps up to the last step or the budget, where the ladder ends */
  ORDERS_FAILED     /* no run reached the end, for other reasons than the budget */
} orders_verdict;

/* One variant of a solver, and its runs from the largest step (or tolerance) down. */
typedef struct orders_solver {
  char *label;       /* as a user would write it */
  char *spec;        /* spec of the runs, with tight tolerances */
  int declared;      /* 0: none */
  bool by_tolerance; /* adaptive: its ladder varies error_tolerance */
  bool reports_forces;
  bool is_cut;           /* the ladder ended because runs became too expensive */
  size_t count;          /* number of runs that converged; x and error belong to them */
  double x[ORDERS_RUNS]; /* step, s, or tolerance */
  double error[CLI_QUANTITIES][ORDERS_RUNS];
  size_t tried; /* number of all runs */
  double x_tried[ORDERS_TRIED], operations[ORDERS_TRIED], us_per_step[ORDERS_TRIED];
  double error_tried[CLI_QUANTITIES][ORDERS_TRIED];
  hn_reason reason[ORDERS_TRIED];
  char explanation[256]; /* of the last run that failed */
  hn_window window[CLI_QUANTITIES];
  orders_verdict verdict[CLI_QUANTITIES];
  bool wrong[CLI_QUANTITIES];  /* the order is lower than declared */
  bool stiff[CLI_QUANTITIES];  /* the same, but all its steps are longer than the fastest motion */
  bool better[CLI_QUANTITIES]; /* the order is higher than declared */
} orders_solver;

typedef struct orders_study {
  cli_plan plan;
  orders_reference reference;
  /* orders are judged; false under control, which acts once a step and so depends on the step */
  bool judged;
  uint64_t budget; /* joint operations of a run; 0: proportional to the joints */
  double size;     /* size of the mechanism, m; tolerances are proportional to it */
  double fastest;  /* s: 1 / |s| of the fastest mode at the start, or 0 */
  orders_solver *solver;
  size_t count;
} orders_study;

/* Returns the maximum joint operations of a run of the study. */
double orders_max_operations(const orders_study *study);
/* True if some order of SOLVER is lower than declared. */
bool orders_solver_wrong(const orders_solver *solver);
/* Runs the ladder of one solver and fits its orders. */
int orders_solver_run(orders_solver *solver, orders_study *study, hn_error *error);

void orders_print(const orders_study *study, bool quiet); /* QUIET: only the table */
json_t *orders_json(const orders_study *study);
int orders_write_csv(const orders_study *study, cli_file *file, hn_error *error);

/* Runs `converge --all`. Returns the exit status, or -1 on error. */
int cli_converge_all(const cli_options *options, hn_error *error);

#endif
