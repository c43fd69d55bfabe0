/* test_dense_output.c - states between the steps of a run: their order, and a run that they do not change. */
#include "scenes.h"
#include "written.h"

#include <stdlib.h>

/* ---- States between steps ------------------------------------------------------------------------------ */

enum { MAX_TIMES = 64 };

/* Observer of a run: keeps the states at some times. */
typedef struct sampler {
  hn_dense *dense;
  const double *time; /* [count] s, ascending */
  int count, next;
  hn_state *state[MAX_TIMES];
  double *lambda[MAX_TIMES]; /* NULL: the solver reports none */
  hn_reason reason;          /* of the first failure */
} sampler;

static void keep(sampler *s, const hn_frame *frame)
{
  hn_state *copy = s->state[s->next] = hn_state_duplicate(frame->state);
  assert_non_null(copy);
  if (frame->multipliers) {
    s->lambda[s->next] = calloc((size_t)frame->model->nrow + 1, sizeof(double));
    memcpy(s->lambda[s->next], frame->multipliers, sizeof(double) * (size_t)frame->model->nrow);
  }
  s->next++;
}

static bool sample(void *user, const hn_frame *frame)
{
  sampler *s = user;
  hn_error error;
  for (; s->next < s->count && s->time[s->next] < frame->state->time;) {
    hn_frame between;
    if (!frame->before) break;
    s->reason = hn_dense_at(s->dense, frame, s->time[s->next], &between, &error);
    if (s->reason != HN_CONVERGED) fail_msg("%s", error.text);
    keep(s, &between);
  }
  return true;
}

static void free_samples(sampler *s)
{
  for (int i = 0; i < s->next; i++) hn_state_free(s->state[i]), free(s->lambda[i]);
  hn_dense_free(s->dense);
}

/* Runs B with steps of H until the end of the first step after the last time. */
static void run_sampled(bench *b, double h, double duration, sampler *s)
{
  hn_error error;
  s->dense = hn_dense_create(b->solver, &error);
  assert_non_null(s->dense);
  must_converge(b, h, duration, sample, s);
  assert_int_equal(s->next, s->count);
}

/* ---- Orders -------------------------------------------------------------------------------------------- */

enum { POSITION, VELOCITY, FORCE, QUANTITIES };

/* Distances of two states in positions and orientations, velocities; and of joint forces. */
static void distances(const hn_model *model, const hn_state *a, const double *la, const hn_state *b,
                      const double *lb, double out[QUANTITIES])
{
  for (int q = 0; q < QUANTITIES; q++) out[q] = 0.0;
  for (int i = 1; i < a->nbody; i++) {
    double away[3], dot = 0.0;
    for (int k = 0; k < 4; k++) dot += a->pose[i].q[k] * b->pose[i].q[k];
    for (int k = 0; k < 4; k++)
      out[POSITION] = larger(out[POSITION], fabs(a->pose[i].q[k] - (dot < 0 ? -1 : 1) * b->pose[i].q[k]));
    vec_sub(away, a->pose[i].x, b->pose[i].x);
    out[POSITION] = larger(out[POSITION], vec_norm(away));
    vec_sub(away, a->twist[i].v, b->twist[i].v);
    out[VELOCITY] = larger(out[VELOCITY], vec_norm(away));
    vec_sub(away, a->twist[i].w, b->twist[i].w);
    out[VELOCITY] = larger(out[VELOCITY], vec_norm(away));
  }
  for (int r = 0; la && lb && r < model->nrow; r++) out[FORCE] = larger(out[FORCE], fabs(la[r] - lb[r]));
}

enum { SIZES = 7 };
static const double at = 0.4137; /* s: in the middle of a step of every size */

/* A solver, its largest step, and the order of its positions and velocities: of lagrange's rk2 it is 3, since
 * GSL's rk2 continues with its third-order formula. */
typedef struct trial {
  const char *spec;
  double step, order;
} trial;
static const trial trials[] = {
  { "impulse-gs:tolerance=1e-13,velocity_tolerance=1e-13", 0.02, 2 },
  { "impulse-sle:tolerance=1e-13", 0.02, 2 },
  { "impulse-newton:tolerance=1e-13", 0.02, 2 },
  { "impulse-contact:tolerance=1e-13", 0.02, 2 },
  { "impulse-extrapolated:order=4,tolerance=1e-13", 0.04, 4 },
  { "impulse-extrapolated:order=6,tolerance=1e-13", 0.03, 6 },
  { "impulse-composed:order=4,tolerance=1e-13", 0.03, 4 },
  { "impulse-composed:order=6,tolerance=1e-13", 0.07, 6 },
  { "lagrange:stepper=rk2,stabilisation=projection", 0.02, 3 },
  { "lagrange:stepper=rk4,stabilisation=projection", 0.03, 4 },
  { "half-explicit", 0.02, 4 },
  { "generalised-alpha:tolerance=1e-13", 0.02, 2 },
  { "taylor:order=4", 0.01, 4 },
  { "taylor:order=5", 0.015, 5 },
  { "xpbd", 0.005, 1 },
  { "tgs-soft", 0.005, 1 },
  { "avbd", 0.005, 1 },
  { "moreau", 0.005, 1 },
};

/* Measures the errors at the time within the steps against EXACT, and stores the fitted orders. */
static void fit_orders(const char *scene, const trial *t, const bench *exact, double order[QUANTITIES],
                       double *smallest)
{
  double step[SIZES], error[QUANTITIES][SIZES], d[QUANTITIES];
  for (int k = 0; k < SIZES; k++) {
    sampler s = { .time = &at, .count = 1 };
    bench b = set_up(scene, t->spec);
    step[k] = at / (round(at / t->step * pow(1.2, k)) + 0.5);
    run_sampled(&b, step[k], at + 0.5 * step[k], &s);
    distances(exact->model, s.state[0], s.lambda[0], exact->state, exact->solver->multipliers, d);
    for (int q = 0; q < QUANTITIES; q++) error[q][k] = d[q];
    free_samples(&s);
    tear_down(&b);
  }
  for (int q = 0; q < QUANTITIES; q++) order[q] = hn_fit_order(step, error[q], SIZES);
  *smallest = error[POSITION][SIZES - 1];
}

/* States within steps have the order of the solver. Joint forces have it too; some converge faster. */
static void states_have_the_order_of_the_solver(void **unused)
{
  (void)unused;
  static const char *const scenes[] = { "box_pendulum", "double_pendulum" };
  for (size_t k = 0; k < sizeof scenes / sizeof *scenes; k++) {
    bench exact = set_up(scenes[k], "taylor:order=20");
    must_converge(&exact, 1e-3, at, NULL, NULL);
    for (const trial *t = trials; t < trials + sizeof trials / sizeof *trials; t++) {
      double order[QUANTITIES], smallest;
      char what[120];
      if (needs_missing_library(t->spec)) continue;
      fit_orders(scenes[k], t, &exact, order, &smallest);
      snprintf(what, sizeof what, "%s, %s: order", scenes[k], t->spec);
      check_near(what, order[POSITION], t->order, 0.2);
      check_near("  of velocities", order[VELOCITY], t->order, 0.2);
      if (isnan(order[FORCE])) continue;
      printf("  of joint forces %.2f, at least %.2f\n", order[FORCE], t->order - 0.2);
      assert_true(order[FORCE] >= t->order - 0.2);
    }
    tear_down(&exact);
  }
}

/* ---- The run is unchanged ------------------------------------------------------------------------------ */

static uint64_t hash_of(const char *scene, const char *spec, double step, long steps, bool sampled)
{
  double time[MAX_TIMES];
  sampler s = { .time = time };
  bench b = set_up(scene, spec);
  for (long k = 1; k < steps; k += 2) {
    time[s.count++] = ((double)k + 0.001) * step;
    time[s.count++] = ((double)k + 0.7) * step;
  }
  if (sampled) run_sampled(&b, step, step * (double)steps, &s);
  else must_converge(&b, step, step * (double)steps, NULL, NULL);
  if (sampled) free_samples(&s);
  const uint64_t hash = b.summary.hash ^ hn_work_operations(&b.summary.work);
  tear_down(&b);
  return hash;
}

/* Hash and work of a run with states within its steps are those of a run without. */
static void runs_are_unchanged(void **unused)
{
  (void)unused;
  static const struct {
    const char *scene, *spec;
    double step;
  } runs[] = {
    { "double_pendulum", "impulse-sle", 0.01 },
    { "double_pendulum", "impulse-gs", 0.01 },
    { "double_pendulum", "impulse-sle:error_tolerance=1e-4", 0.05 },
    { "double_pendulum", "generalised-alpha", 0.01 },
    { "double_pendulum", "ida", 0.02 },
    { "double_pendulum", "lagrange:stepper=msadams,adaptive=true", 0.02 },
    { "double_pendulum", "lagrange:stepper=rk8pd,adaptive=true,stabilisation=projection", 0.02 },
    { "double_pendulum", "taylor:order=12,adaptive=true", 0.05 },
    { "four_bars", "impulse-sle:redundancy=remove", 0.01 },
    { "four_bars", "lagrange:stepper=rk4,redundancy=min-norm", 0.01 },
    { "cart_pole", "lagrange:stepper=rk4", 0.01 },
    { "cart_pole", "impulse-sle", 0.01 },
    { "bouncing_balls", "events", 0.02 },
    { "bouncing_balls", "impulse-contact", 0.02 },
    { "bouncing_balls", "moreau", 0.02 },
    { "bouncing_balls", "impulse-gs", 0.02 },
    { "sliding_to_rolling", "events", 0.02 },
    { "sliding_to_rolling", "xpbd", 0.02 },
    { "sliding_to_rolling", "tgs-soft", 0.02 },
    { "sliding_to_rolling", "avbd", 0.02 },
  };
  for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
    if (needs_missing_library(runs[i].spec)) continue;
    const uint64_t plain = hash_of(runs[i].scene, runs[i].spec, runs[i].step, 30, false);
    const uint64_t sampled = hash_of(runs[i].scene, runs[i].spec, runs[i].step, 30, true);
    printf("  %-20s %-50s %016llx\n", runs[i].scene, runs[i].spec, (unsigned long long)plain);
    assert_true(plain == sampled);
  }
}

/* A state depends on its step alone: with and without earlier states it has the same bits. */
static void states_do_not_depend_on_earlier_ones(void **unused)
{
  (void)unused;
  static const struct {
    const char *scene, *spec;
    double step;
  } runs[] = {
    { "double_pendulum", "impulse-sle:error_tolerance=1e-5", 0.1 },
    { "four_bars", "lagrange:stepper=rk4,redundancy=remove", 0.02 },
    { "bouncing_balls", "events", 0.02 },
    { "bouncing_balls", "impulse-gs", 0.02 },
  };
  for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
    double time[20];
    for (int k = 0; k < 20; k++) time[k] = runs[i].step * (k + 0.4);
    sampler all = { .time = time, .count = 20 }, last = { .time = time + 19, .count = 1 };
    bench a = set_up(runs[i].scene, runs[i].spec), b = set_up(runs[i].scene, runs[i].spec);
    run_sampled(&a, runs[i].step, 20 * runs[i].step, &all);
    run_sampled(&b, runs[i].step, 20 * runs[i].step, &last);
    printf("  %s, %s\n", runs[i].scene, runs[i].spec);
    assert_true(hn_state_hash(all.state[19], HN_HASH_START) == hn_state_hash(last.state[0], HN_HASH_START));
    free_samples(&all), free_samples(&last);
    tear_down(&a), tear_down(&b);
  }
}

/* ---- Continuity, joints, impacts ----------------------------------------------------------------------- */

/* Observer: compares states near both ends of a step with those of the run. */
typedef struct continuity {
  hn_dense *dense;
  double start, end, joint; /* largest distances, and largest joint error or rate of the states */
  double own;               /* of the run itself */
} continuity;

static void compare_at(continuity *c, const hn_frame *frame, double share, const hn_state *with, double *gap)
{
  double d[QUANTITIES];
  hn_error error;
  hn_frame between;
  hn_measure m;
  const double h = frame->state->time - frame->before->time, time = frame->before->time + share * h;
  if (hn_dense_at(c->dense, frame, time, &between, &error) != HN_CONVERGED) fail_msg("%s", error.text);
  hn_measure_state(frame->model, between.state, &m);
  c->joint = larger(c->joint, larger(m.position_error, m.velocity_error));
  distances(frame->model, between.state, NULL, with, NULL, d);
  *gap = larger(*gap, larger(d[POSITION], d[VELOCITY]));
}

static bool compare_ends(void *user, const hn_frame *frame)
{
  continuity *c = user;
  double ignored = 0.0;
  if (!frame->before) return true;
  compare_at(c, frame, 1e-6, frame->before, &c->start);
  compare_at(c, frame, 1.0 - 1e-6, frame->state, &c->end);
  compare_at(c, frame, 0.5, frame->state, &ignored);
  c->own = larger(c->own, larger(frame->measure->position_error, frame->measure->velocity_error));
  return true;
}

/* States near the ends of a step are near its ends, and joints hold between them. Accelerations below 1000
 * change velocities by less than 1e-5 in a millionth of a step of 0.01 s. */
static void states_are_continuous_and_hold_the_joints(void **unused)
{
  (void)unused;
  static const struct {
    const char *scene, *spec;
  } runs[] = {
    { "double_pendulum", "impulse-sle:tolerance=1e-12" },
    { "double_pendulum", "generalised-alpha:tolerance=1e-12" },
    { "double_pendulum", "lagrange:stepper=rk8pd,stabilisation=projection" },
    { "slider_crank", "impulse-sle:tolerance=1e-12,redundancy=min-norm" },
    { "four_bars", "lagrange:stepper=rk2,redundancy=min-norm,stabilisation=projection" },
    { "four_bars", "impulse-composed:redundancy=remove,tolerance=1e-12" },
  };
  for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
    hn_error error;
    bench b = set_up(runs[i].scene, runs[i].spec);
    continuity c = { .dense = hn_dense_create(b.solver, &error) };
    must_converge(&b, 0.01, 0.3, compare_ends, &c);
    printf("  %s, %s\n", runs[i].scene, runs[i].spec);
    check_below("  distance from the start of the step", c.start, 1e-4);
    check_below("  distance from its end", c.end, 1e-4);
    check_below("  joint errors and their rates", c.joint, 1.01 * c.own + 1e-9);
    hn_dense_free(c.dense);
    tear_down(&b);
  }
}

/* A ball falls from 1 m with restitution 0.5: between the steps it follows the parabolas before and after the
 * impact. */
static void impacts_fall_between_steps(void **unused)
{
  (void)unused;
  static const char *const specs[] = { "events", "impulse-contact" };
  const double time[] = { 0.43, 0.44, 0.449, 0.46, 0.47 }, radius = 0.1;
  const double impact = sqrt(2.0 / 9.81), speed = 0.5 * 9.81 * impact;
  write_scene("sys:body { name = 'floor', fixed = true, position = { 0, 0, 0 }, restitution = 0.5,\n"
              "  shape = scene.plane { normal = { 0, 1, 0 } } }\n"
              "sys:body { name = 'ball', density = 1000, position = { 0, 1.1, 0 }, restitution = 0.5,\n"
              "  shape = scene.sphere { radius = 0.1 } }\n"
              "sys:contact { margin = 0.01 }\nreturn sys");
  for (int i = 0; i < 2; i++) {
    bench b = { .scene = load_written(NULL, 0) };
    sampler s = { .time = time, .count = 5 };
    b.model = b.scene->model;
    b.solver = new_solver(specs[i], b.model), b.state = hn_state_create(b.model);
    run_sampled(&b, 0.1, 0.5, &s);
    for (int k = 0; k < s.count; k++) {
      const double t = time[k], after = t - impact;
      const double x = after < 0 ? 1.0 - 0.5 * 9.81 * t * t : speed * after - 0.5 * 9.81 * after * after;
      const double v = after < 0 ? -9.81 * t : speed - 9.81 * after;
      printf("  %s, t = %g s\n", specs[i], t);
      check_near("  height of the ball, m", s.state[k]->pose[2].x[1], radius + x, 1e-7);
      check_near("  its velocity, m/s", s.state[k]->twist[2].v[1], v, 1e-6);
    }
    free_samples(&s);
    tear_down(&b);
  }
}

/* ---- Changes of the model ------------------------------------------------------------------------------ */

/* A pendulum on a joint that breaks, and an independent one: after the break, states between steps are those
 * of the changed model, and the run is unchanged. */
static void a_change_of_the_model_is_followed(void **unused)
{
  (void)unused;
  static const char *const specs[] = { "generalised-alpha", "lagrange:stepper=rk4,stabilisation=projection" };
  double time[40];
  for (int k = 0; k < 40; k++) time[k] = 0.0237 * (k + 1);
  write_scene("local a = sys:body { name = 'a', mass = 1, inertia = { 1, 1, 1 }, position = { 1, 0, 0 } }\n"
              "local b = sys:body { name = 'b', mass = 1, inertia = { 1, 1, 1 }, position = { 3, 0, 0 } }\n"
              "sys:ball { sys.ground, a, at = { 0, 0, 0 }, breaks_at = 15 }\n"
              "sys:ball { sys.ground, b, at = { 2, 0, 0 } }\nreturn sys");
  for (int i = 0; i < 2; i++) {
    uint64_t hash[2];
    for (int sampled = 0; sampled < 2; sampled++) {
      bench b = { .scene = load_written(NULL, 0) };
      sampler s = { .time = time, .count = 40 };
      b.model = b.scene->model;
      b.solver = new_solver(specs[i], b.model), b.state = hn_state_create(b.model);
      if (sampled) run_sampled(&b, 0.01, 1.0, &s);
      else must_converge(&b, 0.01, 1.0, NULL, NULL);
      hash[sampled] = b.summary.hash;
      ASSERT_COUNT("broken joints", b.summary.events[HN_EVENT_BROKEN], 1);
      if (sampled) { /* free fall of a: only gravity acts between the last two samples */
        const double dt = time[39] - time[38];
        const double fall = s.state[39]->twist[1].v[1] - s.state[38]->twist[1].v[1];
        check_near("acceleration of the free body, m/s^2", fall / dt, -9.81, 1e-9);
        free_samples(&s);
      }
      tear_down(&b);
    }
    assert_true(hash[0] == hash[1]);
  }
}

/* ---- Refusals ------------------------------------------------------------------------------------------ */

static bool ask_outside(void *user, const hn_frame *frame)
{
  hn_error error;
  hn_frame between;
  const double outside[] = { frame->state->time, frame->state->time + 1.0, -1.0, NAN };
  for (int i = 0; i < 4; i++) {
    assert_int_equal(hn_dense_at(user, frame, outside[i], &between, &error), HN_UNSUPPORTED);
    assert_non_null(strstr(error.text, "is not within the step"));
  }
  return true;
}

static void times_outside_the_step_are_refused(void **unused)
{
  (void)unused;
  hn_error error;
  bench b = set_up("pendulum", "impulse-sle");
  hn_dense *dense = hn_dense_create(b.solver, &error);
  must_converge(&b, 0.01, 0.02, ask_outside, dense);
  hn_dense_free(dense);
  tear_down(&b);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(states_have_the_order_of_the_solver),
    cmocka_unit_test(runs_are_unchanged),
    cmocka_unit_test(states_do_not_depend_on_earlier_ones),
    cmocka_unit_test(states_are_continuous_and_hold_the_joints),
    cmocka_unit_test(impacts_fall_between_steps),
    cmocka_unit_test(a_change_of_the_model_is_followed),
    cmocka_unit_test(times_outside_the_step_are_refused),
  };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
