/* orders.c - runs a ladder of steps for one solver and fits orders to its errors.
 *
 * A ladder has the steps duration / k for growing whole k, so that all steps of a run are equal. From large
 * errors down, k grows by sqrt(2) for orders up to 4, by 2^(1/6) up to 7 and by 2^(1/12) from 8 on, where
 * errors fall fast. A ladder ends when every quantity is at round-off (below order 5 also when its window has
 * ten steps), or when runs become expensive.
 *
 * The window of the fit is the one closest to h = 0 (hn_fit_window) whose errors are above the observed
 * round-off. It must reach the end of the ladder or round-off: an order that shows for a while and then
 * changes is not accepted. The declared order does not influence the choice. The ladder of an adaptive solver
 * varies its error_tolerance by sqrt(10). Its errors jump as whole steps appear and disappear. The exponent
 * is therefore fitted to all errors above round-off, and printed but not judged. */
#include <math.h>
#include <string.h>
#include "cli/study/ladder.h"
#include "cli/base/memory.h"
#include "cli/base/parse.h"
#include "cli/orders/orders.h"
#include "cli/orders/order_reference.h"
#include "cli/study/study_runs.h"
#include "elementary.h"

enum {
  FIRST_STEPS = 2,     /* of a ladder */
  OCTAVE = 12,         /* rungs between k and 2 k, of which low orders use some */
  PARTS = 4,           /* first steps of an adaptive solver */
  FIRST_TOLERANCE = 2, /* 1e-2 */
  MIDDLE_ORDER = 5,    /* orders from here on have a denser ladder */
  HIGH_ORDER = 8,      /* orders from here on have the densest one */
  ENOUGH_ERRORS = 10,  /* in a window that ends a ladder of low order */
  TURNED = 4,          /* runs without a lower error, after which errors fall no more */
  MAX_STUCK = 6        /* runs in a row that are singular in the first step */
};
static const double max_steps = 2e5;                                  /* of one run */
static const double min_operations = 1e7, operations_per_joint = 2e5; /* default budget of a run */
static const double most_wasted = 10.0; /* work of all failed runs over the budget of one: ends the ladder */
static const double most_over = 2.0;    /* work of the last run of a ladder over its budget */
/* Errors are at round-off if their minimum is less than near_round_off times the floor, or if it is less than
 * `tiny` times the scale and they grow again by `growth`. */
static const double near_round_off = 1000.0, tiny = 1e-4, growth = 2.0;
/* Relative scatter of errors about the fit; errors above 1 / slack times the round-off scatter less by it. */
static const double slack = 0.02, above_noise = 50.0;
static const double min_tolerance = 0.99e-13; /* of an adaptive solver, with rounding */

bool orders_solver_wrong(const orders_solver *solver)
{
  for (int q = 0; q < CLI_QUANTITIES; q++)
    if (solver->wrong[q]) return true;
  return false;
}

/* Returns the budget, or a limit proportional to the joints, as the cost of a step is. */
double orders_max_operations(const orders_study *study)
{
  if (study->budget) return (double)study->budget;
  return fmax(min_operations, operations_per_joint * (double)study->plan.scene->model->njoint);
}

/* Returns the number of steps of rung I. All ladders share their rungs, and so their references. */
static double steps_of(int declared, size_t i)
{
  int skip = declared >= HIGH_ORDER     ? 1
             : declared >= MIDDLE_ORDER ? 2
                                        : 6,
      at = declared >= MIDDLE_ORDER ? 0 : OCTAVE;
  double k = orders_steps(FIRST_STEPS * hn_pow(2.0, (double)at / OCTAVE));
  while (i > 0) {
    at += skip;
    double next = orders_steps(FIRST_STEPS * hn_pow(2.0, (double)at / OCTAVE));
    if (next > k) i--;
    k = next;
  }
  return k;
}

/* Sets PLAN and X, the step or tolerance, to rung I. Returns false if the ladder ends before it. */
static bool set_rung(const orders_solver *m, const orders_study *study, size_t i, cli_plan *plan, double *x)
{
  double k = steps_of(m->declared, i);
  *plan = study->plan;
  plan->solver = m->spec;
  if (m->by_tolerance) {
    *x = hn_pow(10.0, -FIRST_TOLERANCE - 0.5 * (double)i);
    plan->step = plan->duration / PARTS;
    return *x > min_tolerance;
  }
  *x = plan->step = plan->duration / k;
  return k <= max_steps;
}

static void store_run(orders_solver *m, const cli_outcome *outcome, double x,
                      const double error[CLI_QUANTITIES])
{
  size_t i = m->tried++;
  bool good = outcome->summary.reason == HN_CONVERGED;
  m->x_tried[i] = x;
  m->reason[i] = outcome->summary.reason;
  m->operations[i] = cli_outcome_operations(outcome);
  m->us_per_step[i] = cli_outcome_us_per_step(outcome);
  for (int q = 0; q < CLI_QUANTITIES; q++) m->error_tried[q][i] = error[q];
  for (int q = 0; q < CLI_QUANTITIES && good; q++) m->error[q][m->count] = error[q];
  if (good) m->x[m->count++] = x;
  else memcpy(m->explanation, outcome->summary.explanation, sizeof m->explanation);
}

static bool is_measured(const orders_solver *m, const orders_study *study, int q)
{
  return study->reference.applies[q] && (q != CLI_FORCE || m->reports_forces);
}

/* Returns the smallest error of Q and stores the number of runs after it. An error counts only if it falls at
 * least by the square root of the step: less follows no order, and errors at the bottom still creep. */
static double least_error(const orders_solver *m, int q, size_t *after)
{
  double least = INFINITY, x = 1.0;
  *after = 0;
  for (size_t i = 0; i < m->count; i++) {
    ++*after;
    double fall = m->by_tolerance ? 1.0 : fmin(1.0, sqrt(m->x[i] / x));
    if (m->error[q][i] < fall * least) least = m->error[q][i], x = m->x[i], *after = 0;
  }
  return least;
}

/* True if Q is at round-off: its errors no longer fall near the floor, or are tiny and grow again. */
static bool is_at_round_off(const orders_solver *m, const orders_study *study, int q)
{
  size_t after;
  double least = least_error(m, q, &after);
  if (m->count == 0) return false;
  bool grows = least <= tiny * study->reference.scale[q] && m->error[q][m->count - 1] >= growth * least;
  return after >= TURNED && (grows || least <= near_round_off * orders_floor(&study->reference, q));
}

/* Returns the root mean square of the errors of Q from the smallest one on: the round-off of a solver. */
static double noise_level(const orders_solver *m, int q)
{
  size_t after;
  double square = 0.0;
  least_error(m, q, &after);
  for (size_t i = m->count - after - 1; i < m->count; i++)
    if (isfinite(m->error[q][i])) square += m->error[q][i] * m->error[q][i];
  return sqrt(square / (double)(after + 1));
}

/* Fits a line through COUNT errors from FIRST on. */
static hn_window fit_line(const orders_solver *m, int q, size_t first, size_t count)
{
  double order = hn_fit_order(m->x + first, m->error[q] + first, count);
  double scatter = hn_fit_scatter(m->x + first, m->error[q] + first, count, order);
  return (hn_window){ first, count, order, order - scatter, order + scatter };
}

/* Fits a line through all errors between FLOOR and CEILING. */
static hn_window find_range(const orders_solver *m, int q, double floor, double ceiling)
{
  size_t first = 0, end = m->count;
  while (first < end && !(m->error[q][first] < ceiling)) first++;
  while (end > first && !(m->error[q][end - 1] > floor)) end--;
  if (end - first < HN_WINDOW_MIN) return (hn_window){ .order = NAN };
  return fit_line(m, q, first, end - first);
}

/* Finds the window of the fit; it must reach round-off or the end of the ladder. */
static hn_window find_window(const orders_solver *m, const orders_study *study, int q)
{
  const hn_window none = { .order = NAN };
  double floor = orders_floor(&study->reference, q), ceiling = orders_ceiling(&study->reference, q);
  if (m->by_tolerance) return find_range(m, q, floor, ceiling);
  size_t after;
  double least = least_error(m, q, &after);
  bool is_exhausted = is_at_round_off(m, study, q);
  if (is_exhausted) floor = fmax(floor, above_noise * noise_level(m, q));
  size_t count = is_exhausted ? m->count - after : m->count;
  hn_window w = hn_fit_window(m->x, m->error[q], count, floor, ceiling, slack);
  size_t end = w.first + w.count;
  if (w.count == 0 || end == count) return w;
  return is_exhausted && m->error[q][end - 1] <= near_round_off * fmax(floor, least) ? w : none;
}

/* Fits a line through all errors above round-off. */
static hn_window all_in_range(const orders_solver *m, const orders_study *study, int q)
{
  double floor = fmax(orders_floor(&study->reference, q), above_noise * noise_level(m, q));
  return find_range(m, q, floor, orders_ceiling(&study->reference, q));
}

/* True if every quantity is at round-off, or has a long enough window of a low order. */
static bool is_finished(orders_solver *m, const orders_study *study)
{
  bool all = true, low = m->declared < MIDDLE_ORDER && !m->by_tolerance;
  for (int q = 0; q < CLI_QUANTITIES; q++) {
    if (!is_measured(m, study, q)) continue;
    m->window[q] = find_window(m, study, q);
    all = all && ((low && m->window[q].count >= ENOUGH_ERRORS) || is_at_round_off(m, study, q));
  }
  return all;
}

static orders_verdict judge(const orders_solver *m, const orders_study *study, int q)
{
  double last = NAN;
  if (!is_measured(m, study, q)) return ORDERS_NONE;
  for (size_t i = 0; i < m->count; i++)
    if (isfinite(m->error[q][i])) last = m->error[q][i];
  if (!isfinite(last)) return m->is_cut ? ORDERS_CUT : ORDERS_FAILED;
  if (m->window[q].count > 0) return ORDERS_FITTED;
  if (!is_at_round_off(m, study, q)) return ORDERS_CUT;
  hn_window range = all_in_range(m, study, q);
  return range.count < HN_WINDOW_MIN ? ORDERS_ROUND_OFF : ORDERS_UNSETTLED;
}

/* Returns the highest order that the errors of W, and as many before them, allow. A slope that still rises
 * towards h = 0, as after terms of opposite sign have cancelled, approaches the order like a power of h, at
 * slowest the first. */
static double max_order(const orders_solver *m, const orders_study *study, int q, hn_window w)
{
  double ceiling = orders_ceiling(&study->reference, q);
  size_t first = w.first;
  while (first > 0 && w.first - first < w.count && m->error[q][first - 1] < ceiling) first--;
  if (w.first - first < HN_WINDOW_MIN / 2) return w.high;
  hn_window early = fit_line(m, q, first, w.first - first), late = fit_line(m, q, w.first, w.count);
  double rise = late.order - early.order;
  double ratio = sqrt(m->x[first] * m->x[w.first - 1] / m->x[w.first] / m->x[w.first + w.count - 1]);
  return rise > 0.0 ? fmax(w.high, late.high + rise / (ratio - 1.0)) : w.high;
}

/* Returns the highest order of the line through a range, from its two halves. */
static double max_range_order(const orders_solver *m, const orders_study *study, int q, hn_window w)
{
  size_t half = w.count / 2;
  return fmax(w.high, max_order(m, study, q, fit_line(m, q, w.first + w.count - half, half)));
}

/* Returns the last errors, of which there are too few to judge if the count is 0. */
static hn_window last_errors(const orders_solver *m, const orders_study *study, int q)
{
  hn_window w = find_range(m, q, orders_floor(&study->reference, q), orders_ceiling(&study->reference, q));
  if (w.count < HN_WINDOW_MIN || w.first + w.count < m->count) return (hn_window){ .order = NAN };
  const size_t count = w.count < HN_WINDOW_MAX ? w.count : HN_WINDOW_MAX;
  return fit_line(m, q, m->count - count, count);
}

/* True if no run of a solver that supports the scene reached the end. */
static bool is_broken(const orders_solver *m)
{
  const hn_reason reason = m->reason[m->tried - 1];
  return reason != HN_UNSUPPORTED && reason != HN_SINGULAR && reason != HN_INTERRUPTED;
}

/* Decides whether the order of Q is too low: that of a window, that of the line through all errors on the way
 * to round-off, or, of a ladder that was cut, if the last errors fall by less than half of it: more steps
 * would not help. The order is a statement about small steps: if all that show it are longer than the fastest
 * motion, the problem is stiff, and methods lose order there. */
static void judge_order(orders_solver *m, const orders_study *study, int q)
{
  const double least = m->declared - cli_order_tolerance(m->declared);
  hn_window w = { .order = NAN };
  bool low = false;
  m->wrong[q] = m->stiff[q] = false;
  if (m->declared <= 0 || (!study->judged && m->verdict[q] != ORDERS_FAILED)) return;
  switch (m->verdict[q]) {
  case ORDERS_FITTED: w = m->window[q], low = max_order(m, study, q, w) < least; break;
  case ORDERS_UNSETTLED: w = all_in_range(m, study, q), low = max_range_order(m, study, q, w) < least; break;
  case ORDERS_CUT:
    w = last_errors(m, study, q), low = w.count > 0 && max_range_order(m, study, q, w) < 0.5 * m->declared;
    break;
  case ORDERS_FAILED: low = is_broken(m); break;
  default: break;
  }
  m->stiff[q] = low && w.count > 0 && m->x[w.first + w.count - 1] > study->fastest && study->fastest > 0.0;
  m->wrong[q] = low && !m->stiff[q];
}

static bool is_better(const orders_solver *m, const orders_study *study, int q)
{
  return study->judged && m->declared > 0 && m->verdict[q] == ORDERS_FITTED &&
         m->window[q].low > m->declared + cli_order_tolerance(m->declared);
}

/* Reads the declared order and capabilities. An unsupported scene shows in the first run. */
static void read_solver(orders_solver *m, const orders_study *study)
{
  hn_solver *solver = hn_solver_create(m->spec, study->plan.scene->model, NULL);
  if (!solver) return;
  m->declared = m->by_tolerance ? 0 : hn_solver_order(solver);
  m->reports_forces = solver->type->capabilities & HN_HAS_MULTIPLIERS;
  hn_solver_free(solver);
}

/* True if no other step can help. MAX_STUCK runs singular in their first step are singular at the start. */
static bool is_final(const hn_summary *s, size_t *stuck)
{
  *stuck = s->reason == HN_SINGULAR && s->steps == 0 ? *stuck + 1 : 0;
  return s->reason == HN_UNSUPPORTED || s->reason == HN_INTERRUPTED || *stuck == MAX_STUCK;
}

/* True if the last run, or one like it whose steps succeed, exceeds the work that the study allows. A failed
 * step costs more than others, but less than most_wasted times as much, and smaller steps are more of
 * them. */
static bool is_too_expensive(const orders_solver *m, const cli_outcome *outcome, double most)
{
  const double operations = m->operations[m->tried - 1];
  if (outcome->summary.reason == HN_CONVERGED) return operations >= most;
  const double steps = (double)hn_step_count(outcome->plan.step, outcome->plan.duration);
  const double whole = cli_outcome_per_step(outcome, 1) * operations *
                       steps; /* work of all steps like these */
  return outcome->summary.reason == HN_BUDGET || whole > most_wasted * most;
}

int orders_solver_run(orders_solver *m, orders_study *study, hn_error *error)
{
  cli_plan plan;
  double x, run_error[CLI_QUANTITIES];
  const double most = orders_max_operations(study);
  double wasted = 0.0;
  size_t stuck = 0;
  bool more = true;
  read_solver(m, study);
  while (more && m->count < ORDERS_RUNS && m->tried < ORDERS_TRIED &&
         set_rung(m, study, m->tried, &plan, &x)) {
    cli_outcome outcome;
    /* The next rung, within the work that a run may need */
    char *spec = m->by_tolerance ? cli_text("error_tolerance=%.3e", x) : NULL;
    char *whole = spec ? cli_spec_override(m->spec, spec) : NULL;
    if (whole) plan.solver = whole;
    plan.budget = (uint64_t)(most_over * most);
    int status = orders_run(&study->reference, &outcome, &plan, run_error, error);
    free(spec);
    free(whole);
    if (status < 0) return -1;
    /* Record the run, and decide whether a smaller step can help */
    store_run(m, &outcome, x, run_error);
    if (outcome.summary.reason != HN_CONVERGED) wasted += m->operations[m->tried - 1];
    m->is_cut = is_too_expensive(m, &outcome, most);
    more = !is_final(&outcome.summary, &stuck) && !is_finished(m, study) && wasted < most_wasted * most &&
           !m->is_cut;
    cli_outcome_free(&outcome);
  }
  for (int q = 0; q < CLI_QUANTITIES; q++) {
    m->verdict[q] = judge(m, study, q);
    judge_order(m, study, q);
    m->better[q] = is_better(m, study, q);
  }
  return 0;
}
