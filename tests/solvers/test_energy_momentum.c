/* test_energy_momentum.c - energy-momentum: energy and angular momentum over many steps, short and long ones;
 * stiff springs, for which rk4 needs steps a thousand times shorter; dampers, which must not feed energy. */
#include "force_models.h"
#include "loops.h"
#include "scenes.h"
#include "written.h"

/* Largest changes over a run, relative to the largest value so far. */
typedef struct drift {
  const hn_model *model;
  int axis; /* of the angular momentum that is constant; -1: all; 3: none */
  hn_measure first;
  double energy, momentum, kinetic, size;
  double last, growth; /* energy of the last frame, J; largest increase of energy in a step, J */
  bool started;
} drift;

static void note_momentum(drift *d, const hn_measure *m)
{
  for (int k = 0; k < 3; k++) {
    if (d->axis >= 0 && d->axis != k) continue;
    d->size = larger(d->size, fabs(m->angular_momentum[k]));
    d->momentum = larger(d->momentum, fabs(m->angular_momentum[k] - d->first.angular_momentum[k]));
  }
}

static void note_state(drift *d, const hn_state *state)
{
  hn_measure m;
  hn_measure_state(d->model, state, &m);
  const double energy = m.kinetic + m.potential;
  if (!d->started) d->first = m, d->last = energy;
  d->started = true;
  d->kinetic = larger(d->kinetic, m.kinetic);
  d->energy = larger(d->energy, fabs(energy - d->first.kinetic - d->first.potential));
  d->growth = larger(d->growth, energy - d->last);
  d->last = energy;
  note_momentum(d, &m);
}

static drift take_steps(hn_solver *solver, hn_state *state, double h, int steps, int axis)
{
  drift d = { .model = solver->system->model, .axis = axis };
  note_state(&d, state);
  for (int i = 0; i < steps; i++) {
    const hn_reason reason = hn_solver_step(solver, state, h);
    char text[512];
    if (reason != HN_CONVERGED) hn_solver_explain(solver, reason, h, text, sizeof text);
    if (reason != HN_CONVERGED) fail_msg("step %d: %s", i, text);
    note_state(&d, state);
  }
  return d;
}

static void check_drift_to(double bound, const char *what, const drift *d)
{
  char text[160];
  snprintf(text, sizeof text, "%s: energy", what);
  check_below(text, d->energy / d->kinetic, bound);
  if (d->axis < 3) check_below("  angular momentum", d->momentum / d->size, 1e-11);
}

static void check_drift(const char *what, const drift *d)
{
  check_drift_to(1e-11, what, d);
}

static void check_scene(const char *scene, const char *const *settings, const char *redundancy, double h,
                        int steps, int axis)
{
  char spec[96], what[96];
  snprintf(spec, sizeof spec, "energy-momentum:redundancy=%s", redundancy);
  bench b = set_up_as(scene, settings, spec);
  const drift d = take_steps(b.solver, b.state, h, steps, axis);
  snprintf(what, sizeof what, "%s, %d steps of %g s", scene, steps, h);
  check_drift(what, &d);
  tear_down(&b);
}

static void tops_and_pendulums_conserve(void **state)
{
  (void)state;
  check_scene("heavy_top", NULL, "error", 1e-3, 100000, 2);
  check_scene("heavy_top", NULL, "error", 1e-2, 10000, 2);
  check_scene("free_top", NULL, "error", 1e-2, 100000, -1);
  check_scene("free_top", NULL, "error", 1.0, 100000, -1);
  check_scene("double_pendulum", NULL, "error", 1e-2, 100000, 3);
  check_scene("double_pendulum", NULL, "error", 0.1, 20000, 3);
}

static void closed_loops_conserve(void **state)
{
  (void)state;
  check_scene("bricard", NULL, "min-norm", 1e-2, 5000, 3);
  check_scene("bricard", NULL, "min-norm", 0.1, 5000, 3);
  check_scene("slider_crank", NULL, "remove", 1e-2, 5000, 3);
  check_scene("chain8", NULL, "error", 1e-2, 5000, 3);
}

/* Two bodies on a joint float freely: all of the angular momentum is constant. */
static void free_bodies_keep_their_momentum(void **state)
{
  (void)state;
  static const char *const joints[] = { "ball", "hinge", "slider", "distance", "screw", "cylindrical" };
  for (size_t i = 0; i < sizeof joints / sizeof *joints; i++) {
    hn_model *model = without_gravity();
    model->consistent = true;
    const double at[2][3] = { { 0, 0, 0 }, { 0.4, 0.1, 0.2 } }, v[3] = { 0.1, -0.3, 0.2 };
    const int a = add_body(model, "a", 1.0, at[0], v, 2.0), b = add_body(model, "b", 0.7, at[1], v, 2.0);
    hn_error error;
    hn_joint_spec spec = { .type = joints[i],
                           .a = a,
                           .b = b,
                           .has_points = true,
                           .axis_a = { 0.3, 0.2, 1 },
                           .at_a = { 0.2, 0.3, 0.1 },
                           .at_b = { 0.2, 0.3, 0.1 },
                           .settings = strcmp(joints[i], "screw") == 0 ? "pitch=0.3" : NULL };
    if (strcmp(joints[i], "distance") == 0) vec_set(spec.at_b, 0.4, 0.5, 0.2);
    must(hn_model_add_joint(model, &spec, &error), &error);
    if (hn_model_project(model, &error)) fail_msg("%s", error.text);
    hn_solver *solver = new_solver("energy-momentum", model);
    hn_state *now = hn_state_create(model);
    const drift d = take_steps(solver, now, 0.05, 5000, -1);
    char what[96];
    snprintf(what, sizeof what, "two free bodies on a %s", joints[i]);
    check_drift(what, &d);
    hn_state_free(now), hn_solver_free(solver), hn_model_free(model);
  }
}

/* A particle on a spring, k h^2 / m = 1e4 and 1e6: the length oscillates too fast for the step. The energy E
 * of the spring has the rounding error of its length l, k s l eps with E = k s^2 / 2, in every step: over n
 * steps sqrt(n) sqrt(2 k / E) l eps, times 4. */
static void stiff_springs_are_stable(void **state)
{
  (void)state;
  static const double stiffness[] = { 1e8, 1e10 };
  for (size_t i = 0; i < 2; i++) {
    hn_model *model = new_model();
    const int bob = add_particle(model, "bob", 1, 0, 0);
    add_force(model, "spring", 0, bob, settings_of("stiffness=%g", stiffness[i], 0, 0),
              (hn_force_spec){ .geometry = { .at_b = { 1, 0, 0 } } });
    hn_solver *solver = new_solver("energy-momentum", model);
    hn_state *now = hn_state_create(model);
    const drift d = take_steps(solver, now, 0.01, 100000, 3);
    char what[96];
    snprintf(what, sizeof what, "spring pendulum, k h^2 / m = %g", stiffness[i] * 1e-4);
    check_drift_to(4.0 * sqrt(1e5 * 2.0 * stiffness[i] / 9.81) * 2.2e-16, what, &d);
    /* Energy bounds the length: k (l - 1)^2 / 2 is at most the kinetic energy of a fall of 1 m. */
    check_below("  elongation, m", vec_norm(now->pose[bob].x) - 1.0, sqrt(2.0 * 9.81 / stiffness[i]));
    hn_state_free(now), hn_solver_free(solver), hn_model_free(model);
  }
}

/* A box on a hinge with an angular spring, and a second box that slides on it with an axial spring. */
static void angular_and_axial_springs_conserve(void **state)
{
  (void)state;
  hn_model *model = new_model();
  const int box = add_box(model, "box", 0.5, 0, 0), second = add_box(model, "second", 1.5, 0, 0);
  add_joint(model, "hinge", 0, box, axes[Z]);
  hn_error error;
  hn_joint_spec slide = { .type = "slider",
                          .a = box,
                          .b = second,
                          .has_points = true,
                          .at_a = { 1, 0, 0 },
                          .at_b = { 1, 0, 0 },
                          .axis_a = { 1, 0, 0 } };
  must(hn_model_add_joint(model, &slide, &error), &error);
  add_force(model, "angular_spring", 0, box, "stiffness=40",
            (hn_force_spec){ .geometry = { .axis_a = { 0, 0, 1 } } });
  add_force(
    model, "axial_spring", box, second, "stiffness=600",
    (hn_force_spec){ .geometry = { .at_a = { 1, 0, 0 }, .at_b = { 1, 0, 0 }, .axis_a = { 1, 0, 0 } } });
  hn_solver *solver = new_solver("energy-momentum:redundancy=remove", model);
  hn_state *now = hn_state_create(model);
  const drift d = take_steps(solver, now, 0.05, 20000, 3);
  check_drift("angular and axial springs", &d);
  hn_state_free(now), hn_solver_free(solver), hn_model_free(model);
}

/* Energies that are not squares of the elongation need Gonzalez' correction. */
static void springs_of_any_energy_conserve(void **state)
{
  (void)state;
  write_scene("local bead = sys:particle { name = 'bead', position = { 0.7, 0, 0 }, mass = 1,\n"
              "                            velocity = { 0, 0.5, 0 } }\n"
              "sys:spring { sys.ground, bead, at_a = { 0, 0, 0 }, at_b = { 0.7, 0, 0 },\n"
              "             energy = function(x) return 2 * (x - 0.3) ^ 2 + 700 * (x - 0.3) ^ 4 end }\n"
              "return sys");
  static const double steps[] = { 0.01, 0.1 };
  for (size_t i = 0; i < 2; i++) {
    bench b = set_up(path, "energy-momentum");
    const drift d = take_steps(b.solver, b.state, steps[i], 20000, 3);
    check_drift("a spring with a law of the third degree", &d);
    tear_down(&b);
  }
}

static void dampers_do_not_feed_energy(void **state)
{
  (void)state;
  hn_model *model = new_model();
  const int bob = add_particle(model, "bob", 1, 0, 0);
  add_force(model, "spring", 0, bob, "stiffness=100,damping=10",
            (hn_force_spec){ .geometry = { .at_b = { 1, 0, 0 } } });
  hn_solver *solver = new_solver("energy-momentum", model);
  hn_state *now = hn_state_create(model);
  const drift d = take_steps(solver, now, 0.1, 2000, 3);
  check_below("growth of energy in a step, J", larger(d.growth, 0.0), 1e-11);
  check_near("energy that is left, J", d.last, -9.81 - 0.5 * 9.81 * 9.81 / 100, 1.0);
  hn_state_free(now), hn_solver_free(solver), hn_model_free(model);
}

/* A step of -h from the end, with the velocities turned back, leads to the start. */
static void steps_are_reversible(void **state)
{
  (void)state;
  bench b = set_up("heavy_top", "energy-momentum:tolerance=1e-14");
  hn_state *first = hn_state_duplicate(b.state);
  for (int pass = 0; pass < 2; pass++) {
    for (int i = 0; i < 100; i++) assert_int_equal(hn_solver_step(b.solver, b.state, 2e-3), HN_CONVERGED);
    for (int i = 0; i < b.state->nbody; i++) {
      vec_scale(b.state->twist[i].v, -1.0, b.state->twist[i].v);
      vec_scale(b.state->twist[i].w, -1.0, b.state->twist[i].w);
    }
  }
  check_below("200 steps there and back, m", farthest(first, b.state), 1e-10);
  hn_state_free(first);
  tear_down(&b);
}

static void impossible_steps_fail(void **state)
{
  (void)state;
  bench b = set_up("double_pendulum", "energy-momentum:iterations=1");
  char text[512];
  const hn_reason reason = hn_solver_step(b.solver, b.state, 0.2);
  hn_solver_explain(b.solver, reason, 0.2, text, sizeof text);
  printf("  %s\n", text);
  assert_int_equal(reason, HN_STALLED);
  assert_non_null(strstr(text, "Newton iteration"));
  tear_down(&b);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(tops_and_pendulums_conserve),
    cmocka_unit_test(closed_loops_conserve),
    cmocka_unit_test(free_bodies_keep_their_momentum),
    cmocka_unit_test(stiff_springs_are_stable),
    cmocka_unit_test(angular_and_axial_springs_conserve),
    cmocka_unit_test(springs_of_any_energy_conserve),
    cmocka_unit_test(dampers_do_not_feed_energy),
    cmocka_unit_test(steps_are_reversible),
    cmocka_unit_test(impossible_steps_fail),
  };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
