/* test_bricard.c - rank at every instant of mechanisms with redundant constraints. Bricard's mechanism, which
 * is mobile against the count of freedoms: published points and period, and solvers that lock when its shape
 * is inexact (doc/mechanisms.md).
 *
 * Bounds are about twice the measured value where truncation dominates, ten times and more where round-off
 * does. */
#include "mechanisms.h"

#include <string.h>

/* ---- Rank ---------------------------------------------------------------------------------------------- */

typedef struct rank_watch {
  hn_system *system;
  int rank, frames;
  double gap; /* smallest over the run */
} rank_watch;

static bool watch_rank(void *user, const hn_frame *frame)
{
  rank_watch *w = user;
  hn_error error;
  hn_system_jacobian(w->system, frame->state);
  hn_rank *rank = hn_rank_create(w->system, HN_RANK_DENSE, &error);
  if (!rank) fail_msg("%s", error.text);
  if (rank->rank != w->rank)
    fail_msg("rank %d instead of %d at %g s", rank->rank, w->rank, frame->state->time);
  w->gap = fmin(w->gap, rank->gap);
  w->frames++;
  hn_rank_free(rank);
  return true;
}

static void check_constant_rank(const char *scene, const hn_setting *setting, int expected, double step,
                                double t)
{
  hn_error error;
  bench b = set_up_with(scene, setting, RK8 ",redundancy=min-norm");
  rank_watch w = { .system = hn_system_create(b.model, &error), .rank = expected, .gap = HUGE_VAL };
  assert_non_null(w.system);
  must_converge(&b, step, t, watch_rank, &w);
  printf("  %s: rank %d of %d at %d instants, smallest gap %.2e\n", scene, expected, b.model->nrow, w.frames,
         w.gap);
  assert_true(w.gap > 1e10);
  hn_system_free(w.system);
  tear_down(&b);
}

static void ranks_at_every_instant(void **state)
{
  (void)state;
  const hn_setting space = { "planar", "false" }, one = { "n", "1" };
  check_constant_rank("bricard", NULL, 29, 0.02, 5);
  check_constant_rank("slider_crank", NULL, 17, 0.004, 1);
  check_constant_rank("andrews", &space, 41, 1e-4, 0.03);
  check_constant_rank("four_bars", &one, 17, 0.01, 0.6); /* 12 n + 5 of 15 n + 5 */
  check_constant_rank("four_bars", NULL, 29, 0.01, 0.6);
}

/* ---- Bricard's mechanism ------------------------------------------------------------------------------- */

/* Computes the position of a joint's point in the world. */
static void point_of(const bench *b, const char *name, double x[3])
{
  for (int j = 0; j < b->model->njoint; j++) {
    const hn_joint *joint = &b->model->joint[j];
    if (strcmp(joint->name, name) != 0) continue;
    double arm[3];
    quat_rotate(arm, b->state->pose[joint->a].q, joint->point_a);
    vec_add(x, b->state->pose[joint->a].x, arm);
    return;
  }
  fail_msg("no joint \"%s\"", name);
}

static void bricard_points(void **state)
{
  (void)state;
  /* own values, 40 digits and more */
  static const double P2[3] = { 0.274481319264623, -0.886707938734672, -0.462330002687376 };
  static const double P3[3] = { 0.51050146118721973592, -1.64916759939480630808, 0.14012311455318582826 };
  /* P3 at 5 s, 12 digits */
  static const double P3_at_5[3] = { 0.999999997738, -1.000067257698, 0.999932740040 };
  static const struct {
    const char *solver;
    double step, at_1, at_5;
  } solver_spec[] = {
    { RK8 ",redundancy=remove", 0.005, 3e-14, 2e-12 },
    { RK8 ",redundancy=min-norm", 0.005, 3e-14, 2e-12 },
    { RK8 ",redundancy=loop-split", 0.01, 1e-12, 0 },
    { TAYLOR ",redundancy=remove", 0.005, 3e-14, 2e-12 },
    { TAYLOR ",redundancy=min-norm", 0.005, 3e-14, 2e-12 },
    { COMPOSED ",redundancy=min-norm", 0.005, 2e-13, 4e-12 },
    { EXTRAPOLATED ",redundancy=remove", 0.005, 1.2e-13, 9e-12 },
    { "ida:error_tolerance=1e-12,redundancy=remove", 0.01, 5e-11, 2.4e-10 },
    { SLE ",redundancy=min-norm", 0.005, 1.6e-5, 1.6e-6 },
    { ALPHA ",redundancy=remove", 0.005, 4e-5, 3e-6 },
    { "impulse-gs:tolerance=1e-6,velocity_tolerance=1e-6", 0.01, 1e-4, 0 },
  };
  for (size_t k = 0; k < sizeof solver_spec / sizeof *solver_spec; k++) {
    double x[3];
    bench b = set_up("bricard", solver_spec[k].solver);
    printf(" bricard, %s, h = %g s\n", solver_spec[k].solver, solver_spec[k].step);
    must_converge(&b, solver_spec[k].step, 1, NULL, NULL);
    point_of(&b, "P2", x);
    check_below("P2 at 1 s, error in m", distance(x, P2), solver_spec[k].at_1);
    point_of(&b, "P3", x);
    check_below("P3 at 1 s, error in m", distance(x, P3), solver_spec[k].at_1);
    tear_down(&b);
    if (solver_spec[k].at_5 == 0) continue; /* slow */
    b = set_up("bricard",
               solver_spec[k].solver); /* a new run: it starts without the history of multistep solvers */
    must_converge(&b, solver_spec[k].step, 5, NULL, NULL);
    point_of(&b, "P3", x);
    check_below("P3 at 5 s, error in m", distance(x, P3_at_5), solver_spec[k].at_5);
    tear_down(&b);
  }
}

enum { TURN_POINTS = 8 };

/* Rates of the first rod in the last frames; it is at rest at the start and after every half period. */
typedef struct turning {
  double t[TURN_POINTS], rate[TURN_POINTS];
  int count;
} turning;

static bool watch_turning(void *user, const hn_frame *frame)
{
  turning *w = user;
  memmove(w->t, w->t + 1, (TURN_POINTS - 1) * sizeof *w->t);
  memmove(w->rate, w->rate + 1, (TURN_POINTS - 1) * sizeof *w->rate);
  w->t[TURN_POINTS - 1] = frame->state->time, w->rate[TURN_POINTS - 1] = frame->state->twist[1].w[1];
  w->count++;
  return true;
}

/* Returns the time of zero rate among the frames that enclose it: Neville's scheme for t(rate). */
static double time_at_rest(const turning *w)
{
  double t[TURN_POINTS];
  assert_true(w->count >= TURN_POINTS && w->rate[0] * w->rate[TURN_POINTS - 1] < 0);
  memcpy(t, w->t, sizeof t);
  for (int k = 1; k < TURN_POINTS; k++)
    for (int i = 0; i + k < TURN_POINTS; i++)
      t[i] = (w->rate[i] * t[i + 1] - w->rate[i + k] * t[i]) / (w->rate[i] - w->rate[i + k]);
  return t[0];
}

static void bricard_period(void **state)
{
  (void)state;
  static const double period = 4.991711513688723872; /* own value */
  static const char *const solver[] = { RK8 ",redundancy=min-norm", TAYLOR ",redundancy=remove",
                                        COMPOSED ",redundancy=min-norm" };
  const double h = 0.005;
  for (size_t k = 0; k < sizeof solver / sizeof *solver; k++)
    for (int half = 1; half <= 2; half++) {
      turning w = { .count = 0 };
      char what[120];
      bench b = set_up("bricard", solver[k]);
      must_converge(&b, h, h * (ceil(0.5 * period * half / h) + TURN_POINTS / 2 - 1), watch_turning, &w);
      snprintf(what, sizeof what, "%.20s: %s, error in s", solver[k],
               half == 1 ? "half a period, twice" : "period");
      check_below(what, time_at_rest(&w) * 2 / half - period, 4e-13);
      tear_down(&b);
    }
}

static double travel(const bench *b)
{
  hn_error error;
  int i = hn_model_find_body(b->model, "rod3", &error);
  return distance(b->state->pose[i].x, b->model->body[i].pose0.x);
}

/* With one axis tilted by 0.01 rad the mechanism is a structure. Solvers that satisfy their joints lock it;
 * solvers with compliant joints do not: it moves nearly as far as the mechanism, 0.937 m. */
static void a_misfit_locks_solvers_that_satisfy_their_joints(void **state)
{
  (void)state;
  static const struct {
    const char *solver;
    bool locks;
  } solver_spec[] = {
    { RK8, true },
    { TAYLOR, true },
    { SLE, true },
    { ALPHA, true },
    { "ida:error_tolerance=1e-6", true },
    { "impulse-gs:sweeps=100", false },
    { "xpbd", false },
    { "tgs-soft", false },
  };
  const hn_setting misfit = { "misfit", "0.01" };
  for (size_t k = 0; k < sizeof solver_spec / sizeof *solver_spec; k++) {
    bench b = set_up_with("bricard", &misfit, solver_spec[k].solver);
    must_converge(&b, 0.005, 1, NULL, NULL);
    char what[100];
    snprintf(what, sizeof what, "%s: travel of rod 3, m", solver_spec[k].solver);
    if (solver_spec[k].locks) check_below(what, travel(&b), 4e-11);
    else check_near(what, travel(&b), 0.937, 0.02);
    tear_down(&b);
  }
}

/* With 1e-4 rad the smallest singular value is below the tolerance of the rank: a joint that is not redundant
 * is dropped. A tight position tolerance reveals the conflict; with a loose one the structure moves like the
 * mechanism. */
static void a_small_misfit_shows_in_the_residual(void **state)
{
  (void)state;
  const hn_setting misfit = { "misfit", "1e-4" };
  bench b = set_up_with("bricard", &misfit, SLE ",redundancy=min-norm");
  hn_reason reason = run(&b, 0.005, 1, NULL, NULL);
  printf("  tolerance 1e-12: %s\n", b.summary.explanation);
  assert_int_equal(reason, HN_STALLED);
  tear_down(&b);
  b = set_up_with("bricard", &misfit, "impulse-sle:tolerance=1e-4,redundancy=min-norm");
  must_converge(&b, 0.005, 1, NULL, NULL);
  check_near("tolerance 1e-4: travel of rod 3, m", travel(&b), 0.937, 0.001);
  tear_down(&b);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(ranks_at_every_instant),
    cmocka_unit_test(bricard_points),
    cmocka_unit_test(bricard_period),
    cmocka_unit_test(a_misfit_locks_solvers_that_satisfy_their_joints),
    cmocka_unit_test(a_small_misfit_shows_in_the_residual),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
