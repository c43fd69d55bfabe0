/* test_variational.c - variational integrator with joints: energy over long runs, momentum, reversibility,
 * and steps that are too long. */
#include "drift.h"
#include "scenes.h"
#include "base/vec.h"

static const char *const specs[] = { "variational:tolerance=1e-13",
                                     "variational:derivative=exponential,tolerance=1e-13" };

/* ---- Energy and momentum ------------------------------------------------------------------------------- */

typedef struct energies {
  const hn_model *model;
  drift drift;
} energies;

static bool observe_energy(void *user, const hn_frame *frame)
{
  energies *e = user;
  hn_measure m;
  hn_measure_state(e->model, frame->state, &m);
  drift_add(&e->drift, m.kinetic + m.potential);
  return true;
}

/* The ranges are those of the modified energy: proportional to h^2. */
static void energy_does_not_drift(void **state)
{
  (void)state;
  static const struct {
    const char *scene;
    double h;
    int steps;
    double range;
  } each[] = { { "heavy_top", 0.001, 100000, 0.1 }, { "compound_pendulum", 0.01, 100000, 0.1 } };
  for (size_t i = 0; i < 4; i++) {
    const size_t scene = i % 2, spec = i / 2;
    bench b = set_up(each[scene].scene, specs[spec]);
    energies e = { b.model, { .steps = each[scene].steps } };
    printf(" %s, %s\n", each[scene].scene, specs[spec]);
    must_converge(&b, each[scene].h, each[scene].steps * each[scene].h, observe_energy, &e);
    check_drift("energy, J", &e.drift, each[scene].range, 0.01);
    tear_down(&b);
  }
}

/* Returns a chain of boxes of which none is attached, without gravity. */
static hn_model *floating_chain(void)
{
  const double none[3] = { 0, 0, 0 };
  hn_model *model = hn_model_create(none);
  for (int i = 0; i < 4; i++) {
    char name[16];
    snprintf(name, sizeof name, "b%d", i);
    add_box(model, name, i, 0, 0);
    if (i > 0) add_ball(model, i, i + 1, i - 0.5, 0, 0);
  }
  return model;
}

/* Impulses in joints are internal. They act on both bodies at points whose distance is within the tolerance.
 */
static void momentum_is_conserved_to_rounding(void **state)
{
  (void)state;
  hn_model *model = floating_chain();
  for (size_t i = 0; i < 2; i++) {
    hn_solver *solver = new_solver(specs[i], model);
    hn_state *at = hn_state_create(model);
    hn_measure before, after;
    hn_summary summary;
    const hn_run_options options = { .step = 0.01, .duration = 100 };
    for (int k = 1; k <= 4; k++) at->twist[k].w[2] = 2, at->twist[k].v[1] = 2 * (k - 2.5);
    at->twist[1].w[0] = 1; /* about the joint: permitted */
    hn_measure_state(model, at, &before);
    if (hn_run(solver, at, &options, &summary) != HN_CONVERGED) fail_msg("%s", summary.explanation);
    hn_measure_state(model, at, &after);
    printf(" %s, 10000 steps\n", specs[i]);
    vec_sub(after.momentum, after.momentum, before.momentum);
    vec_sub(after.angular_momentum, after.angular_momentum, before.angular_momentum);
    check_below("change of momentum, N s", vec_norm(after.momentum), 1e-10);
    check_below("change of angular momentum, relative",
                vec_norm(after.angular_momentum) / vec_norm(before.angular_momentum), 1e-12);
    hn_state_free(at), hn_solver_free(solver);
  }
  hn_model_free(model);
}

/* ---- Reversibility ------------------------------------------------------------------------------------- */

/* A motion with reversed velocities returns, as the step is symmetric. */
static void motions_are_reversible(void **state)
{
  (void)state;
  static const struct {
    const char *scene;
    double h, duration;
  } each[] = { { "heavy_top", 0.002, 0.2 }, { "box_pendulum", 0.02, 1 }, { "slider_crank", 0.01, 1 } };
  for (size_t i = 0; i < 3; i++)
    for (int f = 0; f < 2; f++) {
      char spec[128];
      snprintf(spec, sizeof spec, "%s,redundancy=min-norm", specs[f]);
      bench b = set_up(each[i].scene, spec);
      hn_state *start = hn_state_duplicate(b.state);
      double worst = 0;
      printf(" %s, %s\n", each[i].scene, specs[f]);
      for (int pass = 0; pass < 2; pass++) {
        must_converge(&b, each[i].h, each[i].duration, NULL, NULL);
        for (int k = 1; k < b.model->nbody; k++) {
          vec_scale(b.state->twist[k].v, -1, b.state->twist[k].v);
          vec_scale(b.state->twist[k].w, -1, b.state->twist[k].w);
        }
        hn_solver_reset(b.solver);
      }
      for (int k = 1; k < b.model->nbody; k++)
        for (int c = 0; c < 3; c++) {
          worst = larger(worst, fabs(b.state->pose[k].x[c] - start->pose[k].x[c]));
          worst = larger(worst, fabs(b.state->twist[k].v[c] - start->twist[k].v[c]));
        }
      check_below("distance from the start, m and m/s", worst, 1e-9);
      hn_state_free(start);
      tear_down(&b);
    }
}

/* ---- Long steps ---------------------------------------------------------------------------------------- */

/* Takes one step of H from the start of free_top, which turns at 2 rad/s. A failed step changes nothing. */
static void check_step(const char *spec, double h, hn_reason expected, int halvings)
{
  bench b = set_up("free_top", spec);
  const uint64_t before = hn_state_hash(b.state, HN_HASH_START);
  const hn_reason reason = hn_solver_step(b.solver, b.state, h);
  const char *stage = b.solver->report.stage;
  printf("  %s, h = %g: %s, %d halvings\n", spec, h, stage ? stage : "-", b.solver->report.halvings);
  assert_int_equal(reason, expected);
  assert_int_equal(b.solver->report.halvings, halvings);
  if (expected != HN_CONVERGED) {
    assert_non_null(strstr(stage, "discrete rotation"));
    assert_true(hn_state_hash(b.state, HN_HASH_START) == before);
  }
  tear_down(&b);
}

static void too_long_steps_fail_with_the_reason(void **state)
{
  (void)state;
  check_step("variational", 1.5, HN_STALLED, 0);
  check_step("variational:halvings=4", 1.5, HN_CONVERGED, 3);
  check_step("variational:derivative=exponential", 1.5, HN_CONVERGED, 0);
  check_step("variational:derivative=exponential", 4, HN_STALLED, 0);
  check_step("variational:derivative=exponential,halvings=4", 4, HN_CONVERGED, 3);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(energy_does_not_drift),
    cmocka_unit_test(momentum_is_conserved_to_rounding),
    cmocka_unit_test(motions_are_reversible),
    cmocka_unit_test(too_long_steps_fail_with_the_reason),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
