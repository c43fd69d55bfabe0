/* orders.h - cli/orders/: the order study, `converge --all`: the orders of all methods on one scene. It stands on
 * cli/study/ and knows no other command.
 *
 *   reference motion -> a ladder of runs for each variant -> windows -> verdicts */
#ifndef HN_CLI_ORDERS_H
#define HN_CLI_ORDERS_H

#include "cli/orders/reference.h"

enum { ORDERS_RUNS = 120 };

typedef enum orders_verdict {
  ORDERS_NONE,       /* the scene or the method does not have it */
  ORDERS_FITTED,     /* over a window */
  ORDERS_ROUND_OFF,  /* exact, or at round-off before it had six steps above it */
  ORDERS_UNSETTLED,  /* no six steps with one slope */
  ORDERS_FAILED      /* no run reached the end */
} orders_verdict;

/* One variant of one method, and its runs from the largest step (or tolerance) down. */
typedef struct orders_method {
  char *label;                /* as a user would write it */
  char *spec;                 /* as it was run */
  int declared;               /* 0: none */
  bool by_tolerance;          /* adaptive: its ladder is of error_tolerance */
  bool reports_forces;
  size_t count;
  double x[ORDERS_RUNS];      /* step, s, or tolerance */
  double error[ORDERS_QUANTITIES][ORDERS_RUNS];
  double operations[ORDERS_RUNS], us_per_step[ORDERS_RUNS];
  hn_reason reason[ORDERS_RUNS];
  char explanation[256];      /* of the last run that failed */
  hn_window window[ORDERS_QUANTITIES];
  orders_verdict verdict[ORDERS_QUANTITIES];
  bool wrong[ORDERS_QUANTITIES]; /* not as declared */
} orders_method;

typedef struct orders_study {
  cli_plan plan;
  orders_reference reference;
  orders_method *method;
  size_t count;
} orders_study;

/* A method is judged by the distance of its fitted orders from the declared one. */
double orders_allowed(int declared);
bool orders_method_wrong(const orders_method *method);
/* Runs the ladder of one method and fits its orders. */
int orders_method_run(orders_method *method, orders_study *study, hn_error *error);

#endif
