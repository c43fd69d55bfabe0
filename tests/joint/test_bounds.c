/* test_bounds.c - dry friction and force-limited motors against closed forms, by every solver that supports
 * them. */
#include "able.h"

/* Runs for t without recording; the final state counts. */
static trial run_for(const able *m, double h, double t)
{
  watched unwatched = { .from = 2 * t };
  return ran(m, h, t, &unwatched);
}

/* ---- Dry friction -------------------------------------------------------------------------------------- */

/* Returns the error of the stopping distance v0^2 / (2 a) with 3.01 m/s and 2.5 m/s^2: it stops after 1.204
 * s, within a step. */
static double stopping_error(const able *m, double h)
{
  trial r = run_for(m, h, 2);
  double e = fabs(r.state->pose[1].x[0] - 3.01 * 3.01 / 5);
  done(&r);
  return e;
}

static void a_block_stops_and_stays(void **state)
{
  (void)state;
  able list[16];
  const double h = 0.01, a = 2.5, v0 = 3.01, way = v0 * v0 / (2 * a);
  write_scene(RAIL("friction = 5", "3.01") "return sys");
  for (int k = 0, n = capable_solvers(list); k < n; k++) {
    printf(" %s\n", list[k].name);
    trial slips = run_for(&list[k], h, 1), rests = run_for(&list[k], h, 1.3), later = run_for(&list[k], h, 4);
    check_near("after a second, m/s", slips.state->twist[1].v[0], v0 - a, 1e-9);
    check_near("m", slips.state->pose[1].x[0], v0 - 0.5 * a, by_order(&list[k], h * v0, 1e-9));
    check_near("where it stops, m", rests.state->pose[1].x[0], way, by_order(&list[k], h * v0, h * h * a));
    check_below("speed there, m/s", rests.state->twist[1].v[0], 1e-12);
    check_below("it stays, m", later.state->pose[1].x[0] - rests.state->pose[1].x[0], 1e-12);
    done(&slips), done(&rests), done(&later);
    check_first_order(&list[k], stopping_error, 0.04, by_order(&list[k], v0, 0.04 * a));
  }
}

/* Returns the displacement allowed to a sticking body after T: a solver with a contact tolerance leaves a
 * velocity of that size. */
static double allowed_creep(const able *solver_spec, double t)
{
  hn_error error;
  char name[60];
  snprintf(name, sizeof name, "%.*s", (int)strcspn(solver_spec->name, ":"), solver_spec->name);
  const hn_solver_type *type = hn_solver_type_find(name, NULL, &error);
  assert_non_null(type);
  for (const hn_param *p = type->params; p->key; p++)
    if (strcmp(p->key, "contact_tolerance") == 0) return 1e-12 + atof(p->initial) * t;
  return 1e-12;
}

/* Pulled by 2.5 N/s t against 5 N: it sticks for two seconds; then 2 kg follow x = 2.5 s^3 / 12. */
static void friction_sticks_up_to_its_bound(void **state)
{
  (void)state;
  able list[16];
  const double h = 0.01;
  /* clang-format off */
  write_scene(RAIL("friction = 5", "0")
              "sys:force { b, at = { 0, 0, 0 }, force = x, motion = { polynomial = { 0, 2.5 } } }\n"
              "return sys");
  /* clang-format on */
  for (int k = 0, n = capable_solvers(list); k < n; k++) {
    watched w = { .until = 1.995 };
    printf(" %s\n", list[k].name);
    trial r = ran(&list[k], h, 3, &w);
    check_below("it sticks, m", w.farthest, allowed_creep(&list[k], 2));
    check_near("a second later, m", r.state->pose[1].x[0], 2.5 / 12, by_order(&list[k], h, h * h));
    check_near("m/s", r.state->twist[1].v[0], 2.5 / 4, by_order(&list[k], h * 1.25, h * h));
    done(&r);
  }
}

/* Friction of 2 N between 3 kg and 1 kg, 3 N between the lower block and the ground. The upper slips at -2/3,
 * the lower is driven by 2 N and held by up to 3 N: it sticks. With 1 N below, it moves. Joint corrections
 * within their tolerance, 1e-9 m a step, accumulate, because friction holds no position. */
static void two_blocks_on_a_rail(void **state)
{
  (void)state;
  able list[16];
  const double h = 0.01;
  for (int held = 0; held < 2; held++) {
    char body[900];
    snprintf(body, sizeof body,
             "local x, at = { 1, 0, 0 }, { 0, 0, 0 }\n"
             "local a = sys:body { mass = 1, inertia = { 1, 1, 1 }, position = { 0, 0, 0 } }\n"
             "local b = sys:body { mass = 3, inertia = { 1, 1, 1 }, position = at, velocity = { 2, 0, 0 } }\n"
             "sys:slider { sys.ground, a, at = at, axis = x, friction = %d }\n"
             "sys:slider { a, b, at = at, axis = x, friction = 2 }\nreturn sys",
             held ? 3 : 1);
    write_scene(body);
    for (int k = 0, n = capable_solvers(list); k < n; k++) {
      printf(" %s, %d N below\n", list[k].name, held ? 3 : 1);
      /* held: b stops at v^2 m / (2 F) = 3. free: a' = 1, b' = -2/3 until both have 1.2 m/s at 1.2 s, then
       * both have -1/4 for 4.8 s: b at 2 1.2 - 0.48 + 2.88 = 4.8, a at 0.72 + 2.88 */
      trial r = run_for(&list[k], h, 7);
      check_near("upper block, m", r.state->pose[2].x[0], held ? 3 : 4.8,
                 by_order(&list[k], 2 * h, 2 * h * h));
      check_near("lower block, m", r.state->pose[1].x[0], held ? 0 : 3.6,
                 by_order(&list[k], 2 * h, held ? 700e-9 : 2 * h * h));
      check_below("speeds, m/s", fmax(fabs(r.state->twist[1].v[0]), fabs(r.state->twist[2].v[0])), 1e-9);
      done(&r);
    }
  }
}

/* Returns the error of the final position with m = 2 kg, k = 200 N/m, F = 20 N: F/k = 0.1 m, half a period
 * 0.314 s. From 0.55 m the turning points are -0.35, 0.15 and 0.05, where it sticks. */
static double sticking_error(const able *m, double h)
{
  trial r = run_for(m, h, 1.5);
  double e = fabs(r.state->pose[1].x[0] - 0.05);
  done(&r);
  return e;
}

static void an_oscillator_finally_sticks(void **state)
{
  (void)state;
  able list[16];
  const double h = 0.0025, half = M_PI / 10;
  write_scene(
    "local b = sys:body { mass = 2, inertia = { 1, 1, 1 }, position = { 0.55, 0, 0 } }\n"
    "local x = { 1, 0, 0 }\n"
    "sys:slider { sys.ground, b, at = { 0.55, 0, 0 }, axis = x, friction = 20 }\n"
    "sys:spring { sys.ground, b, at_a = { -2, 0, 0 }, at_b = { 0.55, 0, 0 }, stiffness = 200, length = 2 }\n"
    "return sys");
  for (int k = 0, n = capable_solvers(list); k < n; k++) {
    static const double turning[] = { -0.35, 0.15, 0.05 };
    watched w = { .from = 9 };
    printf(" %s\n", list[k].name);
    trial r = ran(&list[k], h, 1.5, &w), later = run_for(&list[k], h, 3);
    ASSERT_COUNT("turning points", w.turns, 3);
    for (int i = 0; i < 3; i++) {
      check_near("turning point, m", w.turning[i], turning[i], by_order(&list[k], 5.5 * h, 0.1 * h));
      check_near("  at, s", w.impact_time[i], (i + 1) * half, by_order(&list[k], 4 * h, 2 * h));
    }
    check_below("speed at the end, m/s", r.state->twist[1].v[0], 1e-9);
    check_near("it stays, m", later.state->pose[1].x[0], r.state->pose[1].x[0], allowed_creep(&list[k], 1.5));
    check_first_order(&list[k], sticking_error, 0.01, by_order(&list[k], 5.5, 0.5));
    done(&r), done(&later);
  }
}

/* ---- Motors -------------------------------------------------------------------------------------------- */

enum { MOTOR_ROW = 5 };

static double angle_of(const trial *r)
{
  return 2.0 * atan2(r->state->pose[1].q[3], r->state->pose[1].q[0]);
}

/* 2 N m on 0.5 kg m^2 against a load of 0.5 N m: 3 rad/s^2 up to 2.01 rad/s after 0.67 s, then 0.5 N m. */
static void a_motor_saturates(void **state)
{
  (void)state;
  able list[16];
  const double h = 0.01, speed = 2.01, rate = 3, reached = speed / rate;
  write_scene(ROTOR("motion = 2.01, limit = 2") "sys:torque { b, torque = { 0, 0, -0.5 } }\nreturn sys");
  for (int k = 0, n = capable_solvers(list); k < n; k++) {
    watched w = { .row = MOTOR_ROW, .until = 0.655 }, late = { .row = MOTOR_ROW, .from = 0.7 };
    printf(" %s\n", list[k].name);
    trial up = ran(&list[k], h, 0.5, &w), at = ran(&list[k], h, 1, &late);
    check_near("gaining speed, rad/s", up.state->twist[1].w[2], 0.5 * rate, 1e-9);
    check_near("at its speed", at.state->twist[1].w[2], speed, 1e-9);
    check_near("turned by, rad", angle_of(&at), speed * (1 - 0.5 * reached),
               by_order(&list[k], h * speed, 2 * h * h * rate));
    if (list[k].multipliers) {
      double force[3], torque[3];
      check_near("torque while it gains, least, N m", w.least, 2, 1e-9);
      check_near("most", w.most, 2, 1e-9);
      check_near("torque at its speed, least", late.least, 0.5, 1e-9);
      check_near("most", late.most, 0.5, 1e-9);
      hn_joint_reaction(&up.scene->model->joint[1], up.state, up.solver->multipliers + MOTOR_ROW, force,
                        torque);
      check_near("reaction in a record", torque[2], 2, 1e-9);
      check_below("its force", vec_norm(force), 1e-12);
    }
    done(&up), done(&at);
  }
}

/* From 2 rad/s to -1 rad/s from t = 1, at 4 rad/s^2: reached after 0.75 s. */
static void control_reverses_a_motor(void **state)
{
  (void)state;
  able list[16];
  const double h = 0.01;
  /* clang-format off */
  write_scene(ROTOR("motion = 2, limit = 2")
              "sys:control(function(t, s) s:set('m', t < 0.995 and 0 or -3) end)\nreturn sys");
  /* clang-format on */
  for (int k = 0, n = capable_solvers(list); k < n; k++) {
    printf(" %s\n", list[k].name);
    trial before = run_for(&list[k], h, 1), amid = run_for(&list[k], h, 1.5), last = run_for(&list[k], h, 2);
    check_near("before, rad/s", before.state->twist[1].w[2], 2, 1e-9);
    check_near("in between, rad/s", amid.state->twist[1].w[2], 0, 1e-9);
    check_near("after", last.state->twist[1].w[2], -1, 1e-9);
    check_near("turned by, rad", angle_of(&last), 1.5 + 0.5 - 0.125 - 0.25,
               by_order(&list[k], 3 * h, 12 * h * h));
    done(&before), done(&amid), done(&last);
  }
}

/* One coordinate with a stop, friction of 1 N and a motor of up to 5 N: it runs at 1 m/s to the stop at 1 m
 * and presses on it until control reverses it. */
static void a_motor_runs_against_a_stop_with_friction(void **state)
{
  (void)state;
  able list[16];
  const double h = 0.01;
  /* clang-format off */
  write_scene(
    RAIL("friction = 1, upper = 1, name = 'rail'", "0")
    "sys:motor_position { sys.ground, b, at = { 0, 0, 0 }, axis = x, motion = 1, limit = 5, name = 'm' }\n"
    "sys:control(function(t, s) s:set('m', t < 2.995 and 0 or -3) end)\nreturn sys");
  /* clang-format on */
  for (int k = 0, n = capable_solvers(list); k < n; k++) {
    const double near = by_order(&list[k], h, 1e-8);
    printf(" %s\n", list[k].name);
    trial runs = run_for(&list[k], h, 1), stands = run_for(&list[k], h, 3), back = run_for(&list[k], h, 4);
    check_near("before the stop, m/s", runs.state->twist[1].v[0], 1, near); /* 2 m/s^2 for half a second */
    check_near("m", runs.state->pose[1].x[0], 0.75, by_order(&list[k], h, 2 * h * h));
    check_near("at the stop, m", stands.state->pose[1].x[0], 1, near);
    check_below("m/s", stands.state->twist[1].v[0], near);
    check_near("back at, m/s", back.state->twist[1].v[0], -2, near);
    check_near("m", back.state->pose[1].x[0], 0, by_order(&list[k], 3 * h, 1e-3)); /* 2 m/s^2 for a second */
    if (list[k].multipliers) {
      /* limit, friction, motor; the stop pushes back */
      const double *p = stands.solver->multipliers + MOTOR_ROW;
      check_near("motor force, N", p[2], 5, 1e-9);
      check_below("sum of all along the rail", p[2] + p[1] - p[0], 1e-12);
    }
    done(&runs), done(&stands), done(&back);
  }
}

/* A motor without a hinge controls the rate of an angle of a free body: that of its y axis about z. As the
 * body leans towards z by t, the gradient of the angle is (0, -tan t, 1), along which the largest torque of
 * 1e-3 J acts. */
static void a_motor_without_a_hinge_turns_an_angle(void **state)
{
  (void)state;
  able list[16];
  const double h = 0.01, small = 1e-3, t = 1;
  write_scene(
    "local b = sys:body { mass = 1, inertia = { 0.5, 0.5, 0.5 }, position = { 0, 0, 0 }, "
    "angular_velocity = { 1, 0, 0 } }\n"
    "sys:motor_angle { sys.ground, b, axis = { 0, 0, 1 }, motion = 1, limit = 0.5e-3 }\nreturn sys");
  for (int k = 0, n = capable_solvers(list); k < n; k++) {
    const double near = by_order(&list[k], h * small * tan(t), 0) + small * small;
    printf(" %s\n", list[k].name);
    trial r = run_for(&list[k], h, t);
    check_near("w_x, rad/s", r.state->twist[1].w[0], 1, near);
    check_near("w_y", r.state->twist[1].w[1], small * log(cos(t)), near);
    check_near("w_z", r.state->twist[1].w[2], small * t, near);
    done(&r);
  }
}

/* A motor without limit maintains its speed against friction. */
static void a_motor_without_a_limit(void **state)
{
  (void)state;
  able list[16];
  const double h = 0.01;
  /* clang-format off */
  write_scene(RAIL("friction = 30", "0")
              "sys:motor_position { sys.ground, b, at = { 0, 0, 0 }, axis = x, motion = 1, name = 'm' }\n"
              "sys:control(function(t, s) s:set('m', t < 0.495 and 0 or -3) end)\nreturn sys");
  /* clang-format on */
  for (int k = 0, n = capable_solvers(list); k < n; k++) {
    printf(" %s\n", list[k].name);
    trial r = run_for(&list[k], h, 0.5), back = run_for(&list[k], h, 1);
    check_near("m/s", r.state->twist[1].v[0], 1, by_order(&list[k], 30 * h / 2, 1e-8));
    check_near("m", r.state->pose[1].x[0], 0.5, by_order(&list[k], 30 * h / 2, h));
    check_near("reversed, m/s", back.state->twist[1].v[0], -2, by_order(&list[k], 30 * h / 2, 1e-8));
    check_below("slip over path and size", back.summary.slip, by_order(&list[k], 30 * h / 2, 1e-8));
    done(&r), done(&back);
  }
}

/* Against a stop at 1 m a motor of 1 m/s without limit has no solution. Solvers that compute their residual
 * stall there. Solvers with a fixed number of sweeps satisfy either the stop or the motor, by order of the
 * rows, and violate the other by 1 m/s: by 0.5 m half a second later, relative to a path of 1 m or 1.5 m.
 * They diverge when the slip exceeds path and size together, sqrt(J / m), or the stop is violated by more
 * than a tenth of these. */
static void a_motor_against_a_stop_is_an_error(void **state)
{
  (void)state;
  static const char motor[] =
    "sys:motor_position { sys.ground, b, at = { 0, 0, 0 }, axis = x, motion = 1 }\n";
  static const char stop[] = "sys:limit_position { sys.ground, b, at = { 0, 0, 0 }, axis = x, upper = 1 }\n";
  able list[16];
  const double h = 0.01, size = sqrt(0.5);
  for (int motor_last = 0; motor_last < 2; motor_last++) {
    char body[900];
    snprintf(body, sizeof body, RAIL("", "0") "%s%sreturn sys", motor_last ? stop : motor,
             motor_last ? motor : stop);
    write_scene(body);
    for (int k = 0, n = capable_solvers(list); k < n; k++) {
      printf(" %s, the %s last\n", list[k].name, motor_last ? "motor" : "stop");
      trial early = run_spec(list[k].name, h, 1.5, NULL, NULL),
            late = run_spec(list[k].name, h, 4, NULL, NULL);
      assert_true(hn_state_finite(early.state) && hn_state_finite(late.state));
      printf("  %s\n", late.summary.explanation);
      const bool is_avbd = strncmp(list[k].name, "avbd", 4) == 0; /* its compromise depends on stiffnesses */
      const bool projects = strcmp(list[k].name, "xpbd") == 0 || strcmp(list[k].name, "tgs-soft") == 0;
      assert_true(late.reason == (projects || is_avbd ? HN_DIVERGED : HN_STALLED));
      if (projects) {
        check_near("half a second later: slip over path and size", early.summary.slip,
                   0.5 * (0.5 / (size + 1) + 0.5 / (size + 1.5)),
                   0.5 * (0.5 / (size + 1) - 0.5 / (size + 1.5)) + h);
        check_below("it has diverged, s", late.summary.time, 1 + 1 + size + 2 * h);
      }
      done(&early), done(&late);
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_block_stops_and_stays),
    cmocka_unit_test(friction_sticks_up_to_its_bound),
    cmocka_unit_test(two_blocks_on_a_rail),
    cmocka_unit_test(an_oscillator_finally_sticks),
    cmocka_unit_test(a_motor_saturates),
    cmocka_unit_test(control_reverses_a_motor),
    cmocka_unit_test(a_motor_runs_against_a_stop_with_friction),
    cmocka_unit_test(a_motor_without_a_hinge_turns_an_angle),
    cmocka_unit_test(a_motor_without_a_limit),
    cmocka_unit_test(a_motor_against_a_stop_is_an_error),
  };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
