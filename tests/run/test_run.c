/* test_run.c - the step loop around a solver: number of steps, end times, frames and summaries; and fits of
 * orders. Compared with closed forms and values accumulated by an observer. */
#include "models.h"

/* ---- Fits ---------------------------------------------------------------------------------------------- */

static void fits_have_the_slope(void **state)
{
  (void)state;
  double h[6], error[6];
  for (int i = 0; i < 6; i++) h[i] = 0.1 * pow(0.5, i), error[i] = 7 * pow(h[i], 3);
  check_below("slope of 7 h^3, less 3", hn_fit_order(h, error, 6) - 3, 1e-13);
  error[1] = NAN, error[3] = 0, error[4] = INFINITY; /* failed runs are skipped */
  check_below("slope with three entries missing, less 3", hn_fit_order(h, error, 6) - 3, 1e-13);
  /* least squares by hand: slope 1 */
  double scattered[3] = { 1, exp(3), exp(2) }, steps[3] = { 1, exp(1), exp(2) };
  check_below("slope through (0, 0), (1, 3), (2, 2), less 1", hn_fit_order(steps, scattered, 3) - 1, 1e-15);
  assert_true(isnan(hn_fit_order(h, error, 1)));
  assert_true(isnan(hn_fit_order(h, error, 0)));
  double same[2] = { 0.1, 0.1 };
  assert_true(isnan(hn_fit_order(same, error, 2)));
}

/* ---- The step loop ------------------------------------------------------------------------------------- */

static void step_counts_cover_the_duration(void **state)
{
  (void)state;
  static const struct {
    double step, duration;
    long count;
  } cases[] = {
    { 0.01, 1, 100 },
    { 0.1, 0.3, 3 },
    { 1.0 / 30, 10, 300 },
    { 1.0 / 240, 1.0 / 3, 80 },
    { 0.1, 1e5, 1000000 },
    { 0.3, 1, 4 },
    { 2, 1, 1 },
    { 0.01, 0, 0 },
    { 0.01, 1e-9, 1 },
    { 0.7, 0.7000001, 2 },
    { 0.001, 100, 100000 },
    { 0.01, 1e-12, 1 },
    { 0.01, 1e6, 100000000 },
    { 0.1, 3e8, 3000000000 }, /* divides the duration, but for rounding */
    { 1, 1e7 + 0.001, 10000001 },
    { 1, 2e9 + 0.3, 2000000001 }, /* does not divide it */
    { 1, 3e10 + 0.5, 30000000001 },
    { 1, 1e12 + 0.25, 1000000000001 },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    long count = hn_step_count(cases[i].step, cases[i].duration);
    printf("  %g s in steps of %g s: %ld\n", cases[i].duration, cases[i].step, count);
    assert_int_equal(count, cases[i].count);
  }
}

typedef struct observations {
  long frames, stop_after;
  double last_time;
  uint64_t hash; /* chained by the observer */
  bool in_order;
} observations;

static bool watch(void *user, const hn_frame *frame)
{
  observations *s = user;
  s->in_order = s->in_order && frame->index == s->frames &&
                (frame->index == 0 || frame->state->time > s->last_time);
  s->hash = frame->index == 0 ? HN_HASH_START : hn_state_hash(frame->state, s->hash);
  s->in_order = s->in_order && s->hash == frame->hash;
  s->last_time = frame->state->time;
  return s->frames++ != s->stop_after;
}

static void runs_end_at_their_duration(void **state)
{
  (void)state;
  static const struct {
    double step, duration, last;
    long steps;
  } cases[] = {
    { 0.01, 1, 0.01, 100 }, { 1.0 / 30, 1, 1.0 / 30, 30 }, { 0.03, 0.1, 0.01, 4 },
    { 0.07, 1, 0.02, 15 },  { 0.5, 0.2, 0.2, 1 },          { 0.01, 0.03000001, 1e-8, 4 },
  };
  hn_model *model = double_pendulum();
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (double start = 0; start < 2; start += 1.7) {
      hn_solver *solver = new_solver("impulse-sle:linear=dense,iterations=1000", model);
      hn_state *at = hn_state_create(model);
      observations s = { .stop_after = -1, .in_order = true };
      hn_summary summary;
      hn_run_options options = {
        .step = cases[i].step, .duration = cases[i].duration, .observe = watch, .user = &s
      };
      at->time = start;
      assert_int_equal(hn_run(solver, at, &options, &summary), HN_CONVERGED);
      printf(" %g s in steps of %g s from %g s: %ld steps\n", cases[i].duration, cases[i].step, start,
             summary.steps);
      check_below("end less duration, s", at->time - (start + cases[i].duration), 0);
      check_below("size of the last step, error in s", summary.last_step - cases[i].last, 1e-15);
      assert_int_equal(summary.steps, cases[i].steps);
      assert_int_equal(s.frames, cases[i].steps + 1);
      assert_true(s.in_order && s.hash == summary.hash && summary.time == at->time);
      hn_state_free(at);
      hn_solver_free(solver);
    }
  hn_model_free(model);
}

/* A failed step does not count as the last step, however short it would be. */
static bool fail_the_third_step(void *user, const hn_frame *frame)
{
  hn_twist *twist = user;
  if (frame->index == 2) twist[1].v[0] = NAN;
  return true;
}

static void failed_steps_are_not_the_last(void **state)
{
  (void)state;
  hn_model *model = double_pendulum();
  hn_solver *solver = new_solver("impulse-sle:linear=dense", model);
  hn_state *at = hn_state_create(model);
  hn_summary summary;
  hn_run_options options = {
    .step = 0.01, .duration = 0.025, .observe = fail_the_third_step, .user = at->twist
  };
  assert_int_equal(hn_run(solver, at, &options, &summary), HN_NOT_FINITE);
  assert_int_equal(summary.steps, 2);
  check_below("last step less 0.01 s", summary.last_step - 0.01, 0);
  hn_state_free(at);
  hn_solver_free(solver);
  hn_model_free(model);
}

static void runs_can_be_stopped(void **state)
{
  (void)state;
  hn_model *model = double_pendulum();
  hn_solver *solver = new_solver("impulse-gs", model);
  hn_state *at = hn_state_create(model);
  hn_summary summary;
  observations s = { .stop_after = 3, .in_order = true };
  hn_run_options options = { .step = 0.01, .duration = 1, .observe = watch, .user = &s };
  assert_int_equal(hn_run(solver, at, &options, &summary), HN_INTERRUPTED);
  assert_int_equal(summary.steps, 3);
  assert_true(summary.hash == s.hash);
  const volatile sig_atomic_t stop = 1;
  hn_run_options stopped = { .step = 0.01, .duration = 1, .stop = &stop };
  assert_int_equal(hn_run(solver, at, &stopped, &summary), HN_INTERRUPTED);
  assert_int_equal(summary.steps, 0);
  assert_string_equal(summary.explanation, "interrupted");
  hn_state_free(at);
  hn_solver_free(solver);
  hn_model_free(model);
}

/* The summary of a run that goes on step by step has the explanation at once. */
static void stopped_runs_explain_themselves(void **state)
{
  (void)state;
  hn_error error;
  hn_model *model = double_pendulum();
  hn_solver *solver = new_solver("impulse-gs", model);
  hn_state *at = hn_state_create(model);
  volatile sig_atomic_t stop = 0;
  hn_run_options options = { .step = 0.01, .duration = 1, .stop = &stop };
  hn_runner *runner = hn_runner_create(solver, at, &options, &error);
  assert_non_null(runner);
  assert_int_equal(hn_runner_step(runner), HN_CONVERGED);
  assert_string_equal(hn_runner_summary(runner)->explanation, "");
  stop = 1;
  assert_int_equal(hn_runner_step(runner), HN_INTERRUPTED);
  assert_string_equal(hn_runner_summary(runner)->explanation, "interrupted");
  hn_runner_finish(runner, NULL);
  hn_state_free(at);
  hn_solver_free(solver);
  hn_model_free(model);
}

/* A step in which a stop was requested is undone, whatever the solver makes of the request. */
static void stopped_steps_are_undone(void **state)
{
  (void)state;
  size_t count;
  const volatile sig_atomic_t stop = 1;
  const hn_solver_type *const *types = hn_solver_types(&count);
  hn_model *model = double_pendulum();
  for (size_t i = 0; i < count; i++) {
    hn_error error;
    hn_solver *solver = hn_solver_create(types[i]->name, model, &error);
    if (!solver) continue;
    hn_state *at = hn_state_create(model);
    const uint64_t before = hn_state_hash(at, 1);
    solver->stop = &stop;
    const hn_reason reason = hn_solver_step(solver, at, 0.01);
    printf("  %-16s %s\n", types[i]->name, hn_reason_name(reason));
    assert_int_equal(reason, HN_INTERRUPTED);
    assert_true(hn_state_hash(at, 1) == before && at->time == 0);
    hn_state_free(at);
    hn_solver_free(solver);
  }
  hn_model_free(model);
}

/* The summary equals the values accumulated by an observer: largest errors, energies, iterations. */
typedef struct extremes {
  double position, velocity, first, last, energy_error;
} extremes;

static bool watch_extremes(void *user, const hn_frame *frame)
{
  extremes *e = user;
  const hn_measure *m = frame->measure;
  double energy = m->kinetic + m->potential;
  if (frame->index == 0) e->first = energy;
  e->last = energy;
  e->position = fmax(e->position, m->position_error), e->velocity = fmax(e->velocity, m->velocity_error);
  e->energy_error = fmax(e->energy_error, fabs(energy - e->first));
  return true;
}

static void summaries_hold_the_extremes(void **state)
{
  (void)state;
  hn_model *model = mixed();
  hn_solver *solver = new_solver("impulse-gs:tolerance=1e-7", model);
  hn_state *at = hn_state_create(model);
  extremes e = { 0 };
  hn_summary s;
  hn_run_options options = { .step = 0.01, .duration = 0.5, .observe = watch_extremes, .user = &e };
  assert_int_equal(hn_run(solver, at, &options, &s), HN_CONVERGED);
  assert_true(s.position_max == e.position && s.velocity_max == e.velocity);
  assert_true(s.energy_initial == e.first && s.energy_final == e.last &&
              s.energy_error_max == e.energy_error);
  assert_true(s.position_max > 0 && s.energy_error_max > 0);
  assert_true(s.impulses.min > 0 && s.impulses.min <= s.impulses.max && s.impulses.total == s.work.impulses);
  assert_true(s.position_iterations_mean > 1 && s.position_iterations_mean <= s.position_iterations_max);
  hn_state_free(at);
  hn_solver_free(solver);
  hn_model_free(model);
}

/* A bead of 2 kg is thrown down at 3 m/s from the origin. In play are its kinetic energy, its weight times
 * the fall of a step from rest, g h^2, and the potential that it loses. */
static void energies_in_play_are_those_of_a_throw(void **state)
{
  (void)state;
  const double h = 0.01, g = 9.81, m = 2, v = 3, t = 1, fall = v * t + 0.5 * g * t * t;
  hn_model *model = new_model();
  hn_body_spec bead = {
    .name = "bead", .kind = HN_PARTICLE, .has_mass = true, .mass = m, .orientation = { 1 }
  };
  vec_set(bead.velocity, 0, -v, 0);
  must_add(model, &bead);
  hn_solver *solver = new_solver("impulse-sle", model);
  hn_state *at = hn_state_create(model);
  hn_summary s;
  assert_int_equal(hn_run(solver, at, &(hn_run_options){ .step = h, .duration = t }, &s), HN_CONVERGED);
  check_near("energy in play, J", s.energy_in_play, 0.5 * m * v * v + m * g * g * h * h + m * g * fall,
             1e-11);
  check_near("energy that can be supplied, J", s.energy_supply, s.energy_in_play, 1e-12);
  hn_state_free(at);
  hn_solver_free(solver);
  hn_model_free(model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(fits_have_the_slope),
    cmocka_unit_test(step_counts_cover_the_duration),
    cmocka_unit_test(runs_end_at_their_duration),
    cmocka_unit_test(failed_steps_are_not_the_last),
    cmocka_unit_test(runs_can_be_stopped),
    cmocka_unit_test(summaries_hold_the_extremes),
    cmocka_unit_test(stopped_runs_explain_themselves),
    cmocka_unit_test(stopped_steps_are_undone),
    cmocka_unit_test(energies_in_play_are_those_of_a_throw),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
