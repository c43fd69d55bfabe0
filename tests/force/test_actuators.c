/* test_actuators.c - springs and servos beyond half a turn, drivers at the end of their stroke, energies:
 * against closed forms. */
#include "trials.h"
#include "force/force.h"

static const char *const specs[] = { "lagrange:stepper=rk8pd", "taylor:order=10",
                                     "impulse-sle:flight=exact" };
enum { SPECS = sizeof specs / sizeof *specs };

static double angle_of(const trial *r)
{
  double half = atan2(r->state->pose[1].q[3], r->state->pose[1].q[0]);
  return 2.0 * (half < 0.0 ? half + M_PI : half); /* from 0 to 2 pi */
}

/* 3 (1 - cos 4 t): pulled to 3 rad with J = 0.5 and k = 8. It passes half a turn, where the angle jumps and
 * the torque does not. */
static void torques_are_continuous_beyond_half_a_turn(void **unused)
{
  (void)unused;
  static const char *const pulls[] = {
    "sys:angular_spring { sys.ground, b, axis = z, stiffness = 8, rest = 3 }",
    "sys:servo { sys.ground, b, axis = z, stiffness = 8, limit = 1e3, target = 3 }",
  };
  for (size_t i = 0; i < sizeof pulls / sizeof *pulls; i++)
    for (int k = 0; k < SPECS; k++) {
      char body[500];
      snprintf(body, sizeof body,
               "local z = { 0, 0, 1 }\n"
               "local b = sys:body { mass = 1, inertia = { 0.5, 0.5, 0.5 }, position = { 0, 0, 0 } }\n"
               "sys:hinge { sys.ground, b, at = { 0, 0, 0 }, axis = z }\n%s\nreturn sys",
               pulls[i]);
      const double h = 0.001, t = 0.6, order = k == 2 ? 4 * 3 * 16 * h * h : 1e-9; /* t w^2 a h^2 */
      trial r = must_run(body, specs[k], h, t);
      printf(" %s\n", specs[k]);
      check_near("angle, rad", angle_of(&r), 3.0 * (1.0 - cos(4.0 * t)), order);
      check_near("rate, rad/s", r.state->twist[1].w[2], 12.0 * sin(4.0 * t), 4 * order);
      done(&r);
    }
}

/* A servo about z at its limit, on a free body that turns at 1 rad/s. The angle about z is that of the body's
 * y axis, seen along z. As y leans towards z by t, the gradient of the angle is (0, -tan t, 1): a torque of
 * 1e-5 J along it gives w_y = 1e-5 ln cos t, as long as it is small. If the body leans about y, the gradient
 * is z. */
static void a_servo_without_a_hinge_acts_along_its_angles_gradient(void **unused)
{
  (void)unused;
  static const char *const about[] = { "{ 1, 0, 0 }", "{ 0, 1, 0 }" };
  const double small = 1e-5, t = 1.0;
  for (int lean = 0; lean < 2; lean++) {
    char body[500];
    snprintf(body, sizeof body,
             "local b = sys:body { mass = 1, inertia = { 0.5, 0.5, 0.5 }, position = { 0, 0, 0 }, "
             "angular_velocity = %s }\n"
             "sys:servo { sys.ground, b, axis = { 0, 0, 1 }, stiffness = 1, limit = 0.5e-5, target = 1 }\n"
             "return sys",
             about[lean]);
    for (int k = 0; k < SPECS; k++) {
      trial r = must_run(body, specs[k], 0.01, t);
      printf(" %s, turning about %s\n", specs[k], lean == 0 ? "x" : "y");
      check_near("w_x - its start, rad/s", r.state->twist[1].w[0] - (lean == 0), 0, 1e-9);
      check_near("w_y - its start", r.state->twist[1].w[1] - (lean == 1), lean == 0 ? small * log(cos(t)) : 0,
                 1e-9);
      check_near("w_z", r.state->twist[1].w[2], small * t, 1e-9);
      done(&r);
    }
  }
}

/* Extended against its end stop, a driver rests limit / stiffness beyond it, where the stop balances the
 * driving force. */
static void a_driver_stops_at_its_longest(void **unused)
{
  (void)unused;
  for (int k = 0; k < SPECS; k++) {
    trial r = must_run(
      "local x = { 1, 0, 0 }\n"
      "local b = sys:body { mass = 2, inertia = { 1, 1, 1 }, position = { 1, 0, 0 } }\n"
      "sys:slider { sys.ground, b, at = { 1, 0, 0 }, axis = x }\n"
      "sys:driver { sys.ground, b, at_a = { 0, 0, 0 }, at_b = { 1, 0, 0 }, speed = 0.5, limit = 100, "
      "gain = 300, shortest = 0.5, longest = 1.2, stiffness = 1e4, damping = 400, name = 'd' }\n"
      "sys:control(function(t, s) s:set('d', t < 2.495 and 'extend' or 'contract') end)\n"
      "return sys",
      specs[k], 0.005, 2);
    printf(" %s\n", specs[k]);
    check_near("its length, extended, m", r.state->pose[1].x[0], 1.2 + 100.0 / 1e4, 1e-6);
    done(&r);
    r = run_spec(specs[k], 0.005, 6, NULL, NULL);
    check_near("and contracted", r.state->pose[1].x[0], 0.5 - 100.0 / 1e4, 1e-6);
    done(&r);
  }
}

/* While holding, a driver is a spring and damper at its initial length; a load deflects it by load /
 * stiffness. It starts at 0.3 m/s; m s^2 + c s + k = 0 has real roots. */
static void a_driver_holds_the_length_of_its_start(void **unused)
{
  (void)unused;
  const double m = 2, k = 1e4, c = 400, F = 50, v = 0.3, t = 0.1, h = 0.001, wide = 0.005;
  const double root = sqrt(c * c - 4 * m * k), slow = (-c + root) / (2 * m), fast = (-c - root) / (2 * m);
  const double of_fast = (v + slow * F / k) / (fast - slow), of_slow = -F / k - of_fast;
  const double amid = 1 + F / k + of_slow * exp(slow * t) + of_fast * exp(fast * t);
  /* the fast part has decayed */
  const double second = h * h * t * fabs(slow * slow * slow * of_slow);
  write_scene("local x = { 1, 0, 0 }\n"
              "local b = sys:body { mass = 2, inertia = { 1, 1, 1 }, position = { 1, 0, 0 }, "
              "velocity = { 0.3, 0, 0 } }\n"
              "sys:slider { sys.ground, b, at = { 1, 0, 0 }, axis = x }\n"
              "sys:driver { sys.ground, b, at_a = { 0, 0, 0 }, at_b = { 1, 0, 0 }, speed = 0.5, limit = 100, "
              "gain = 300, shortest = 0.5, longest = 1.5, stiffness = 1e4, damping = 400 }\n"
              "sys:force { b, at = { 1, 0, 0 }, force = { 50, 0, 0 } }\nreturn sys");
  for (int i = 0; i < SPECS; i++) {
    printf(" %s\n", specs[i]);
    trial gives = run_spec(specs[i], h, t, NULL, NULL), rests = run_spec(specs[i], wide, 2, NULL, NULL);
    assert_true(gives.reason == HN_CONVERGED && rests.reason == HN_CONVERGED);
    check_near("length during the deflection, m", gives.state->pose[1].x[0], amid, i == 2 ? second : 1e-9);
    check_near("and in the end, m", rests.state->pose[1].x[0], 1 + F / k, 1e-6);
    done(&gives), done(&rests);
  }
}

/* Projected start: 0.5 m beside its rail b is sqrt(1.25) m away, and 1 m on it. The driver holds the
 * projected length. */
static void a_driver_holds_its_projected_length(void **unused)
{
  (void)unused;
  static const char text[] =
    "local scene = require 'holonom.scene'\n"
    "local sys, x = scene.system { consistent = true }, { 1, 0, 0 }\n"
    "local b = sys:body { mass = 2, inertia = { 1, 1, 1 }, position = { 1, 0.5, 0 } }\n"
    "sys:driver { sys.ground, b, at_a = { 0, 0, 0 }, at_b = { 1, 0.5, 0 }, speed = 0.5, limit = 100, "
    "gain = 300, shortest = 0.5, longest = 1.5, stiffness = 1e4, damping = 400 }\n"
    "sys:slider { sys.ground, b, at_a = { 1, 0, 0 }, at_b = { 1, 0.5, 0 }, axis = x }\n"
    "sys:force { b, at = { 1, 0.5, 0 }, force = { 50, 0, 0 } }\nreturn sys\n";
  write_bytes(text, sizeof text - 1);
  trial r = run_spec(specs[0], 0.005, 2, NULL, NULL);
  assert_true(r.reason == HN_CONVERGED);
  check_near("it begins beside the rail by, m", r.scene->model->projection.position, 0.5, 1e-12);
  check_near("its length, m", r.state->pose[1].x[0], 1 + 50.0 / 1e4, 1e-6);
  done(&r);
}

/* Extended for 0.5 s, then held: a run restored from an earlier checkpoint continues with the same bits and
 * holds the length reached. */
static void a_restored_driver_holds_the_same(void **unused)
{
  (void)unused;
  enum { EXTENDING = 100, BETWEEN = 20, HOLDING = 200 };
  const double h = 0.005;
  write_scene("local b = sys:body { mass = 2, inertia = { 1, 1, 1 }, position = { 1, 0, 0 } }\n"
              "sys:slider { sys.ground, b, at = { 1, 0, 0 }, axis = { 1, 0, 0 } }\n"
              "sys:driver { sys.ground, b, at_a = { 0, 0, 0 }, at_b = { 1, 0, 0 }, speed = 0.5, limit = 100, "
              "gain = 300, shortest = 0.5, longest = 1.5, stiffness = 1e4, damping = 400 }\nreturn sys");
  for (int i = 0; i < SPECS; i++) {
    hn_error error;
    double reached = 0.0;
    uint64_t hash[2] = { HN_HASH_START, HN_HASH_START };
    hn_scene *scene = load_written(NULL, 0);
    hn_state *state = hn_state_create(scene->model), *kept = hn_state_create(scene->model);
    hn_solver *solver = hn_solver_create(specs[i], scene->model, &error);
    hn_solver *other = hn_solver_create(specs[i], scene->model, &error);
    assert_true(state && kept && solver && other);
    void *memory = malloc(hn_solver_memory(solver) + 1);
    assert_non_null(memory);
    for (int run = 0; run < 2; run++) {
      hn_state *now = run == 0 ? state : kept;
      for (int k = run == 0 ? 0 : BETWEEN; k < EXTENDING + HOLDING; k++) {
        now->input[0] = k < EXTENDING ? 1 : 0;
        if (k == EXTENDING) reached = now->pose[1].x[0];
        if (run == 0 && k == BETWEEN) hn_solver_save(solver, memory), hn_state_copy(kept, state);
        assert_true(hn_solver_step(run == 0 ? solver : other, now, h) == HN_CONVERGED);
        if (k >= BETWEEN) hash[run] = hn_state_hash(now, hash[run]);
      }
      if (run == 0) assert_int_equal(hn_solver_restore(other, memory, hn_solver_memory(other), NULL), 0);
    }
    printf(" %s\n", specs[i]);
    check_near("it has reached, m", reached, 1 + 0.5 * 0.5,
               0.5 * 3 * 2.0 / 300); /* m / gain until full speed */
    check_near("and holds, m", kept->pose[1].x[0], reached, 1e-6);
    assert_true(hash[0] == hash[1]);
    free(memory);
    hn_solver_free(solver), hn_solver_free(other);
    hn_state_free(state), hn_state_free(kept), hn_scene_free(scene);
  }
}

/* The integral grows by h times the error while the force is below its limit, and stays constant at the
 * limit. */
static void a_servo_does_not_wind_up(void **unused)
{
  (void)unused;
  static const struct {
    double target, grows;
  } cases[] = { { 0.1, 0.01 * 0.1 }, { 1.0, 0.0 }, { -1.0, 0.0 }, { -0.4, -0.01 * 0.4 } };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char body[400];
    snprintf(body, sizeof body,
             "local z = { 0, 0, 1 }\n"
             "local b = sys:body { mass = 1, inertia = { 1, 1, 1 }, position = { 0, 0, 0 } }\n"
             "sys:hinge { sys.ground, b, at = { 0, 0, 0 }, axis = z }\n"
             "sys:servo { sys.ground, b, axis = z, stiffness = 10, integral = 2, limit = 5, target = %g }\n"
             "return sys",
             cases[i].target);
    trial r = must_run(body, "lagrange", 1e-9, 1e-9);
    double before = r.state->input[1];
    hn_forces_update(r.scene->model, 0.01, r.state);
    check_near("integral of the error, rad s", r.state->input[1] - before, cases[i].grows, 1e-12);
    done(&r);
  }
}

/* Without damping the energy of a spring is conserved: kinetic energy plus k x^2 / 2. */
static void springs_conserve_energy(void **unused)
{
  (void)unused;
  trial r = must_run("local z = { 0, 0, 1 }\n"
                     "local b = sys:body { mass = 1, inertia = { 0.5, 0.5, 0.5 }, position = { 0, 0, 0 } }\n"
                     "sys:hinge { sys.ground, b, at = { 0, 0, 0 }, axis = z }\n"
                     "sys:angular_spring { sys.ground, b, axis = z, stiffness = 8, rest = 3 }\nreturn sys",
                     "lagrange:stepper=rk8pd", 0.001, 2);
  check_near("energy at the start, J", r.summary.energy_initial, 0.5 * 8 * 9, 1e-12);
  check_below("largest change, J", r.summary.energy_error_max, 1e-10);
  assert_true(r.summary.energy_conserved);
  done(&r);
}

/* Models with elements that do work declare that they do not conserve energy. */
static void elements_that_do_work_are_reported(void **unused)
{
  (void)unused;
  static const struct {
    const char *element;
    bool conserves;
  } cases[] = {
    { "sys:axial_spring { sys.ground, b, at = o, axis = x, stiffness = 8 }", true },
    { "sys:axial_spring { sys.ground, b, at = o, axis = x, stiffness = 8, damping = 1 }", false },
    { "sys:axial_motor { sys.ground, b, at = o, axis = x, target = 0, gain = 1, limit = 1 }", false },
    { "sys:force { b, at = o, force = x }", false },
    { "sys:drive_position { sys.ground, b, at = o, axis = x, motion = 0 }", false },
    { "", true },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char body[500];
    snprintf(body, sizeof body,
             "local x, o = { 1, 0, 0 }, { 0, 0, 0 }\n"
             "local b = sys:body { mass = 1, inertia = { 1, 1, 1 }, position = o }\n"
             "sys:lock_rotation { sys.ground, b }\n%s\nreturn sys",
             cases[i].element);
    trial r = must_run(body, "lagrange", 0.01, 0.02);
    printf("  %-90.90s %s\n", cases[i].element, r.summary.energy_conserved ? "conserves" : "does work");
    assert_true(r.summary.energy_conserved == cases[i].conserves);
    done(&r);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(torques_are_continuous_beyond_half_a_turn),
    cmocka_unit_test(a_servo_without_a_hinge_acts_along_its_angles_gradient),
    cmocka_unit_test(a_driver_stops_at_its_longest),
    cmocka_unit_test(a_driver_holds_the_length_of_its_start),
    cmocka_unit_test(a_driver_holds_its_projected_length),
    cmocka_unit_test(a_restored_driver_holds_the_same),
    cmocka_unit_test(a_servo_does_not_wind_up),
    cmocka_unit_test(springs_conserve_energy),
    cmocka_unit_test(elements_that_do_work_are_reported),
  };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
