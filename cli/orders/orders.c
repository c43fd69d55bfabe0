/* orders.c - the ladder of runs of one solver, and the orders fitted to it.
 *
 * A ladder takes duration / k for growing whole k, so that every step of a run has the same size, from large errors
 * down: by sqrt(2) for orders up to 4, by 2^(1/6) up to 7 and 2^(1/12) from 8 on, where errors fall fast. It ends when
 * every quantity is at round-off (below order 5 also: has ten steps in its window), or when runs become long. The
 * window of the fit is the one nearest to h = 0 (hn_fit_window) whose errors are above the round-off seen: it must
 * reach the end of the ladder, or round-off, so that an order that shows for a while and then turns is not taken for
 * the one asked for. The declared order has no part in choosing it. For an adaptive solver the ladder is of its
 * error_tolerance, by sqrt(10); as whole steps come and go its errors jump, so the exponent is fitted to all of them
 * above round-off, and shown but not judged. */
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
  FIRST = 2,
  OCTAVE = 12,
  PARTS = 4,
  MIDDLE_ORDER = 5,
  HIGH_ORDER = 8,
  ENOUGH = 10,
  TURNED = 4,
  STUCK = 6,
  FIRST_TOLERANCE = 2 /* 1e-2 */
};
static const double most_steps = 2e5; /* of one run */
static const double least_operations = 1e7, operations_per_joint = 2e5;
static const double most_wasted = 10.0;       /* by all runs that fail, over the most that one may take */
static const double most_over = 2.0;          /* by the last run of a ladder, likewise: there it ends */
static const double near_round_off = 1000.0;  /* times the floor, or the least error */
static const double tiny = 1e-4, grown = 2.0; /* least error over the scale; an error over the least one */
static const double slack = 0.02;             /* of errors about the fit */
static const double above_noise = 50.0;       /* 1 / slack: round-off in an error as large as that */

bool orders_solver_wrong(const orders_solver *solver)
{
  for (int q = 0; q < CLI_QUANTITIES; q++)
    if (solver->wrong[q]) return true;
  return false;
}

/* In proportion to the joints, where it is not told: small steps cost as much work a joint on large scenes. */
double orders_most_operations(const orders_study *study)
{
  if (study->budget) return (double)study->budget;
  return fmax(least_operations, operations_per_joint * (double)study->plan.scene->model->njoint);
}

/* The number of steps of rung I: all ladders share their rungs, so that a reference at the same times serves many. */
static double steps_of(int declared, size_t i)
{
  int skip = declared >= HIGH_ORDER     ? 1
             : declared >= MIDDLE_ORDER ? 2
                                        : 6,
      at = declared >= MIDDLE_ORDER ? 0 : OCTAVE;
  double k = orders_steps(FIRST * hn_pow(2.0, (double)at / OCTAVE));
  while (i > 0) {
    at += skip;
    double next = orders_steps(FIRST * hn_pow(2.0, (double)at / OCTAVE));
    if (next > k) i--;
    k = next;
  }
  return k;
}

/* Rung I of the ladder: X is its step or its tolerance. False when the ladder ends before it. */
static bool rung(const orders_solver *m, const orders_study *study, size_t i, cli_plan *plan, double *x)
{
  double k = steps_of(m->declared, i);
  *plan = study->plan;
  plan->solver = m->spec;
  if (m->by_tolerance) {
    *x = hn_pow(10.0, -FIRST_TOLERANCE - 0.5 * (double)i);
    plan->step = plan->duration / PARTS;
    return *x > 0.99e-13;
  }
  *x = plan->step = plan->duration / k;
  return k <= most_steps;
}

static void note(orders_solver *m, const cli_outcome *outcome, double x, const double error[CLI_QUANTITIES])
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

static bool measured(const orders_solver *m, const orders_study *study, int q)
{
  return study->reference.applies[q] && (q != CLI_FORCE || m->reports_forces);
}

/* The last error of Q that has fallen, and how many runs have come after it: one that falls less than the square root
 * of the step does not follow any order, and at a bottom errors go on to creep. */
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

/* Is Q at round-off: no longer falling near its floor, or tiny and growing again? */
static bool exhausted(const orders_solver *m, const orders_study *study, int q)
{
  size_t after;
  double least = least_error(m, q, &after);
  if (m->count == 0) return false;
  bool grows = least <= tiny * study->reference.scale[q] && m->error[q][m->count - 1] >= grown * least;
  return after >= TURNED && (grows || least <= near_round_off * orders_floor(&study->reference, q));
}

/* The round-off of a solver, once its errors of Q no longer fall: their root mean square from the least one on. */
static double noise_of(const orders_solver *m, int q)
{
  size_t after;
  double square = 0.0;
  least_error(m, q, &after);
  for (size_t i = m->count - after - 1; i < m->count; i++)
    if (isfinite(m->error[q][i])) square += m->error[q][i] * m->error[q][i];
  return sqrt(square / (double)(after + 1));
}

/* The straight line through COUNT errors from FIRST on. */
static hn_window straight(const orders_solver *m, int q, size_t first, size_t count)
{
  double order = hn_fit_order(m->x + first, m->error[q] + first, count);
  double scatter = hn_fit_scatter(m->x + first, m->error[q] + first, count, order);
  return (hn_window){ first, count, order, order - scatter, order + scatter };
}

/* All errors between floor and ceiling. */
static hn_window find_range(const orders_solver *m, int q, double floor, double ceiling)
{
  size_t first = 0, end = m->count;
  while (first < end && !(m->error[q][first] < ceiling)) first++;
  while (end > first && !(m->error[q][end - 1] > floor)) end--;
  if (end - first < HN_WINDOW_LEAST) return (hn_window){ .order = NAN };
  return straight(m, q, first, end - first);
}

static hn_window find_window(const orders_solver *m, const orders_study *study, int q)
{
  const hn_window none = { .order = NAN };
  double floor = orders_floor(&study->reference, q), ceiling = orders_ceiling(&study->reference, q);
  if (m->by_tolerance) return find_range(m, q, floor, ceiling);
  size_t after;
  double least = least_error(m, q, &after);
  bool spent = exhausted(m, study, q);
  if (spent) floor = fmax(floor, above_noise * noise_of(m, q));
  size_t count = spent ? m->count - after : m->count;
  hn_window w = hn_fit_window(m->x, m->error[q], count, floor, ceiling, slack);
  size_t end = w.first + w.count;
  if (w.count == 0 || end == count) return w;
  return spent && m->error[q][end - 1] <= near_round_off * fmax(floor, least) ? w : none;
}

/* All errors that count, down to where they no longer fall. */
static hn_window all_in_range(const orders_solver *m, const orders_study *study, int q)
{
  double floor = fmax(orders_floor(&study->reference, q), above_noise * noise_of(m, q));
  return find_range(m, q, floor, orders_ceiling(&study->reference, q));
}

static bool finished(orders_solver *m, const orders_study *study)
{
  bool all = true, low = m->declared < MIDDLE_ORDER && !m->by_tolerance;
  for (int q = 0; q < CLI_QUANTITIES; q++) {
    if (!measured(m, study, q)) continue;
    m->window[q] = find_window(m, study, q);
    all = all && ((low && m->window[q].count >= ENOUGH) || exhausted(m, study, q));
  }
  return all;
}

static orders_verdict judge(const orders_solver *m, const orders_study *study, int q)
{
  double last = NAN;
  if (!measured(m, study, q)) return ORDERS_NONE;
  for (size_t i = 0; i < m->count; i++)
    if (isfinite(m->error[q][i])) last = m->error[q][i];
  if (!isfinite(last)) return m->is_cut ? ORDERS_CUT : ORDERS_FAILED;
  if (m->window[q].count > 0) return ORDERS_FITTED;
  if (!exhausted(m, study, q)) return ORDERS_CUT;
  hn_window range = all_in_range(m, study, q);
  return range.count < HN_WINDOW_LEAST ? ORDERS_ROUND_OFF : ORDERS_UNSETTLED;
}

/* The highest order that the errors of W and as many before them allow. A slope that still rises towards h = 0, as
 * after terms of opposite sign have cancelled, approaches the order like some power of h, the first one at the
 * slowest. */
static double at_most(const orders_solver *m, const orders_study *study, int q, hn_window w)
{
  double ceiling = orders_ceiling(&study->reference, q);
  size_t first = w.first;
  while (first > 0 && w.first - first < w.count && m->error[q][first - 1] < ceiling) first--;
  if (w.first - first < HN_WINDOW_LEAST / 2) return w.high;
  hn_window early = straight(m, q, first, w.first - first), late = straight(m, q, w.first, w.count);
  double rise = late.order - early.order;
  double ratio = sqrt(m->x[first] * m->x[w.first - 1] / m->x[w.first] / m->x[w.first + w.count - 1]);
  return rise > 0.0 ? fmax(w.high, late.high + rise / (ratio - 1.0)) : w.high;
}

/* The same for the straight line through a range, by its two halves. */
static double range_at_most(const orders_solver *m, const orders_study *study, int q, hn_window w)
{
  size_t half = w.count / 2;
  return fmax(w.high, at_most(m, study, q, straight(m, q, w.first + w.count - half, half)));
}

/* Do the last errors before the end of the ladder fall by less than half of the order? Then more steps would not mend
 * it. */
static bool falls_by_half(const orders_solver *m, const orders_study *study, int q)
{
  hn_window w = find_range(m, q, orders_floor(&study->reference, q), orders_ceiling(&study->reference, q));
  if (w.count < HN_WINDOW_LEAST || w.first + w.count < m->count) return false;
  size_t count = w.count < HN_WINDOW_MOST ? w.count : HN_WINDOW_MOST, first = m->count - count;
  return range_at_most(m, study, q, straight(m, q, first, count)) < 0.5 * m->declared;
}

/* A defect is an order that falls short: of a window, or, where none settles on the way to round-off, of the straight
 * line through all errors on it. What ends before that tells nothing as long as errors fall, nor does a solver that
 * says it cannot. No more is held against a solver than the errors show. */
static bool is_wrong(const orders_solver *m, const orders_study *study, int q)
{
  double least = m->declared - cli_order_allowed(m->declared);
  if (m->declared <= 0 || (!study->judged && m->verdict[q] != ORDERS_FAILED)) return false;
  switch (m->verdict[q]) {
  case ORDERS_FITTED: return at_most(m, study, q, m->window[q]) < least;
  case ORDERS_UNSETTLED: return range_at_most(m, study, q, all_in_range(m, study, q)) < least;
  case ORDERS_CUT: return falls_by_half(m, study, q);
  case ORDERS_FAILED: {
    hn_reason reason = m->reason[m->tried - 1];
    return reason != HN_UNSUPPORTED && reason != HN_SINGULAR && reason != HN_INTERRUPTED;
  }
  default: return false;
  }
}

static bool is_better(const orders_solver *m, const orders_study *study, int q)
{
  return study->judged && m->declared > 0 && m->verdict[q] == ORDERS_FITTED &&
         m->window[q].low > m->declared + cli_order_allowed(m->declared);
}

/* What the solver declares on this scene; one that cannot do it shows that in its first run. */
static void ask_solver(orders_solver *m, const orders_study *study)
{
  hn_solver *solver = hn_solver_create(m->spec, study->plan.scene->model, NULL);
  if (!solver) return;
  m->declared = m->by_tolerance ? 0 : hn_solver_order(solver);
  m->reports_forces = solver->type->capabilities & HN_HAS_MULTIPLIERS;
  hn_solver_free(solver);
}

/* Would no other step help? What is singular in its first step with STUCK steps in a row is so at the start. */
static bool is_final(const hn_summary *s, size_t *stuck)
{
  *stuck = s->reason == HN_SINGULAR && s->steps == 0 ? *stuck + 1 : 0;
  return s->reason == HN_UNSUPPORTED || s->reason == HN_INTERRUPTED || *stuck == STUCK;
}

/* Is the last run, or would one be whose steps succeed, more than the study may spend? A step that fails takes more
 * than others, but not most_wasted times as much; smaller steps are more of them. */
static bool is_too_dear(const orders_solver *m, const cli_outcome *outcome, double most)
{
  const double operations = m->operations[m->tried - 1];
  if (outcome->summary.reason == HN_CONVERGED) return operations >= most;
  const double steps = (double)hn_step_count(outcome->plan.step, outcome->plan.duration);
  const double whole = cli_outcome_per_step(outcome, 1) * operations * steps; /* of such steps alone */
  return outcome->summary.reason == HN_BUDGET || whole > most_wasted * most;
}

int orders_solver_run(orders_solver *m, orders_study *study, hn_error *error)
{
  cli_plan plan;
  double x, measured_error[CLI_QUANTITIES];
  const double most = orders_most_operations(study);
  double wasted = 0.0;
  size_t stuck = 0;
  bool more = true;
  ask_solver(m, study);
  while (more && m->count < ORDERS_RUNS && m->tried < ORDERS_TRIED && rung(m, study, m->tried, &plan, &x)) {
    cli_outcome outcome;
    char *spec = m->by_tolerance ? cli_text("error_tolerance=%.3e", x) : NULL;
    char *whole = spec ? cli_spec_override(m->spec, spec) : NULL;
    if (whole) plan.solver = whole;
    plan.budget = (uint64_t)(most_over * most);
    int status = orders_run(&study->reference, &outcome, &plan, measured_error, error);
    free(spec);
    free(whole);
    if (status < 0) return -1;
    note(m, &outcome, x, measured_error);
    if (outcome.summary.reason != HN_CONVERGED) wasted += m->operations[m->tried - 1];
    m->is_cut = is_too_dear(m, &outcome, most);
    more = !is_final(&outcome.summary, &stuck) && !finished(m, study) && wasted < most_wasted * most &&
           !m->is_cut;
    cli_outcome_free(&outcome);
  }
  for (int q = 0; q < CLI_QUANTITIES; q++) {
    m->verdict[q] = judge(m, study, q);
    m->wrong[q] = is_wrong(m, study, q);
    m->better[q] = is_better(m, study, q);
  }
  return 0;
}
