/* test_impulse_steps.c - parts of an impulse step: interrupted sweeps, division by step control, changed
 * inputs of motors, and the projection of extrapolated steps. Compared with closed forms. */
#include "force_models.h"
#include "scenes.h"

static void must_step(hn_solver *solver, hn_state *at, double h)
{
  if (hn_solver_step(solver, at, h) != HN_CONVERGED) fail_msg("step of %g s failed", h);
}

/* ---- Interrupted sweeps -------------------------------------------------------------------------------- */

/* A particle on a plane: one sweep solves the only joint exactly, so that the particle remains on the plane.
 * Without the joint it falls by g h^2 / 2 = 4.9e-2 m in the first step. */
static void one_sweep_moves_the_bodies_that_it_corrected(void **state)
{
  (void)state;
  hn_model *model = new_model();
  add_joint(model, "point_on_plane", 0, add_particle(model, "bead", 0, 0, 0), axes[Y]);
  hn_solver *solver = new_solver("impulse-gs:sweeps=1", model);
  hn_state *at = hn_state_create(model);
  at->twist[1].v[0] = 2;
  double farthest_off = 0.0;
  for (int k = 1; k <= 10; k++) {
    must_step(solver, at, 0.1);
    farthest_off = larger(farthest_off, fabs(at->pose[1].x[1]));
    check_near("position along the plane, m", at->pose[1].x[0], 0.2 * k, 1e-14);
  }
  check_below("distance from the plane, m", farthest_off, 1e-15);
  hn_state_free(at);
  hn_solver_free(solver);
  hn_model_free(model);
}

/* ---- Step control -------------------------------------------------------------------------------------- */

static const char *const controlled[] = { "impulse-sle", "impulse-gs", "impulse-newton" };
enum { CONTROLLED = sizeof controlled / sizeof *controlled };

/* A free asymmetric body: its centre is at v t - g t^2 / 2 however its rotation divides the step. */
static void parts_add_up_to_the_step(void **state)
{
  (void)state;
  hn_model *model = new_model();
  hn_body_spec top = rigid_body("top", 1, 1, 2, 3);
  vec_set(top.velocity, 3, 4, 5), vec_set(top.angular_velocity, 0.5, 3, 0.5);
  must_add(model, &top);
  for (int m = 0; m < CONTROLLED; m++)
    for (int i = 4; i <= 10; i++) {
      char spec[96], what[96];
      snprintf(spec, sizeof spec, "%s:flight=taylor,flight_order=4,step_control=1e-%d", controlled[m], i);
      hn_solver *solver = new_solver(spec, model);
      hn_state *at = hn_state_create(model);
      must_step(solver, at, 1.0);
      assert_true(solver->report.halvings > 0);
      const double exact[3] = { 3, 4 - 9.81 / 2, 5 };
      double off[3];
      vec_sub(off, at->pose[1].x, exact);
      snprintf(what, sizeof what, "%s, 1e-%d: centre after the step, m", controlled[m], i);
      check_below(what, vec_norm(off), 1e-12);
      hn_state_free(at);
      hn_solver_free(solver);
    }
  hn_model_free(model);
}

/* Returns how many parts of a step of 0.2 s are repeated: a box on a ball joint at its end, released from the
 * horizontal with a spin of W about its axis. */
static int repeated_parts(const char *name, double w)
{
  char spec[96];
  hn_model *model = box_chain(1);
  snprintf(spec, sizeof spec, "%s:flight=taylor,flight_order=4,step_control=1e-9", name);
  hn_solver *solver = new_solver(spec, model);
  hn_state *at = hn_state_create(model);
  at->twist[1].w[0] = w;
  must_step(solver, at, 0.2);
  const int repeated = (int)solver->report.halvings;
  hn_state_free(at);
  hn_solver_free(solver);
  hn_model_free(model);
  return repeated;
}

/* The box turns because its joint makes it turn: the error of its flight is that at the velocities with the
 * impulse of the joint. A spin of 1e-9 rad/s, which makes the error at the start positive, changes nothing.
 * */
static void the_impulse_of_the_joint_divides_the_step(void **state)
{
  (void)state;
  for (int m = 0; m < CONTROLLED; m++) {
    printf(" %s\n", controlled[m]);
    const int from_rest = repeated_parts(controlled[m], 0.0);
    assert_true(from_rest > 0);
    ASSERT_COUNT("repeated parts", repeated_parts(controlled[m], 1e-9), from_rest);
  }
}

/* ---- Inputs of motors ---------------------------------------------------------------------------------- */

/* A motor without a limit turns a rotor at the speed of its input, in the whole step that begins with it. */
static void a_changed_input_acts_at_once(void **state)
{
  (void)state;
  static const char *const specs[] = { "impulse-sle", "impulse-gs" };
  static const double speeds[] = { 1.5, -0.5, 0, 2 };
  for (size_t m = 0; m < sizeof specs / sizeof *specs; m++) {
    hn_model *model = without_gravity();
    const int rotor = add_rotor(model, 0.0);
    add_joint(model, "motor_angle", 0, rotor, axes[Z]);
    hn_solver *solver = new_solver(specs[m], model);
    hn_state *at = hn_state_create(model);
    assert_int_equal(at->ninput, 1);
    double angle = 0.0;
    printf(" %s\n", specs[m]);
    for (size_t k = 0; k < sizeof speeds / sizeof *speeds; k++) {
      at->input[0] = speeds[k];
      must_step(solver, at, 0.01);
      angle += 0.01 * speeds[k];
      check_below("error of the speed, rad/s", at->twist[rotor].w[2] - speeds[k], 1e-12);
      const double *q = at->pose[rotor].q;
      check_below("error of the angle, rad", 2 * atan2(q[3], q[0]) - angle, 1e-12);
    }
    hn_state_free(at);
    hn_solver_free(solver);
    hn_model_free(model);
  }
}

/* ---- Extrapolation ------------------------------------------------------------------------------------- */

/* Extrapolated positions are not on the joints: the rods of a double pendulum have the length of 1 m, and
 * their ends no velocity along them, because the step is projected. */
static void extrapolated_steps_end_on_the_joints(void **state)
{
  (void)state;
  hn_model *model = double_pendulum();
  for (int order = 4; order <= 8; order += 2) {
    char spec[80];
    snprintf(spec, sizeof spec, "impulse-extrapolated:order=%d", order);
    hn_solver *solver = new_solver(spec, model);
    hn_state *at = hn_state_create(model);
    double length = 0.0, rate = 0.0;
    for (int k = 0; k < 20; k++) {
      must_step(solver, at, 0.05);
      for (int i = 1; i <= 2; i++) {
        double rod[3], v[3];
        vec_sub(rod, at->pose[i].x, at->pose[i - 1].x);
        vec_sub(v, at->twist[i].v, at->twist[i - 1].v);
        length = larger(length, fabs(vec_norm(rod) - 1.0));
        rate = larger(rate, fabs(vec_dot(rod, v)));
      }
    }
    printf(" order %d\n", order);
    check_below("error of a length, m", length, 1e-12);
    check_below("velocity along a rod, m/s", rate, 1e-12);
    hn_state_free(at);
    hn_solver_free(solver);
  }
  hn_model_free(model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(one_sweep_moves_the_bodies_that_it_corrected),
    cmocka_unit_test(parts_add_up_to_the_step),
    cmocka_unit_test(the_impulse_of_the_joint_divides_the_step),
    cmocka_unit_test(a_changed_input_acts_at_once),
    cmocka_unit_test(extrapolated_steps_end_on_the_joints),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
