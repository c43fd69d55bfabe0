/* test_force_motion.c - forces in motion, under every solver, against closed forms: viscous friction, motors,
 * servos, prescribed forces, gravity of a single body. Damping of an arm against power series; dampers too
 * stiff for the step. */
#include "force_models.h"

/* ---- Friction and motors ------------------------------------------------------------------------------- */

static const double FRICTION = 0.5, SPIN = 3.0; /* N m s/rad, rad/s */

/* Returns the error of w' = (w_end - w) c / J. */
static double relaxation_error(const hn_state *end, double w_start, double w_end, double c)
{
  const double rate = c / INERTIA, t = end->time, decay = exp(-rate * t);
  double w = w_end + (w_start - w_end) * decay, angle = w_end * t + (w_start - w_end) * (1.0 - decay) / rate;
  return fmax(off(angle_about(end, 1, axes[Z]), angle), fabs(end->twist[1].w[2] - w));
}

static double friction_error(const hn_model *model, const hn_state *end)
{
  (void)model;
  return relaxation_error(end, SPIN, 0.0, FRICTION);
}

static void viscous_friction_decays(void **state)
{
  (void)state;
  hn_model *model = without_gravity();
  int body = add_rotor(model, SPIN);
  add_force(model, "angular_spring", 0, body, settings_of("damping=%.17g", FRICTION, 0, 0),
            (hn_force_spec){ .geometry = { .axis_a = { 0, 0, 1 } } });
  check_every_solver(model, &(question){ 1.0, friction_error, NULL });
}

static hn_model *rotor_with_motor(double gain, double limit)
{
  hn_model *model = without_gravity();
  int body = add_rotor(model, -1.0);
  add_force(model, "motor", 0, body, settings_of("gain=%.17g,limit=%.17g", gain, limit, 0),
            (hn_force_spec){ .geometry = { .axis_a = { 0, 0, 1 }, .motion = { { SPIN }, 0, 0, 0 } } });
  return model;
}

static double motor_error(const hn_model *model, const hn_state *end)
{
  (void)model;
  return relaxation_error(end, -1.0, SPIN, FRICTION);
}

static void a_motor_below_its_limit_approaches(void **state)
{
  (void)state;
  check_every_solver(rotor_with_motor(FRICTION, 10.0), &(question){ 1.0, motor_error, NULL });
}

static double limited_error(const hn_model *model, const hn_state *end)
{
  const double faster = 0.8 / INERTIA, t = end->time;
  (void)model;
  return fmax(off(angle_about(end, 1, axes[Z]), -t + 0.5 * faster * t * t),
              fabs(end->twist[1].w[2] + 1.0 - faster * t));
}

static void a_motor_at_its_limit_gives_a_constant_torque(void **state)
{
  (void)state;
  check_every_solver(rotor_with_motor(100.0, 0.8), &(question){ 1.0, limited_error, NULL });
}

/* Returns the error of w_z, which approaches the target as on a hinge, while w_x is constant and w_y zero. */
static double tumbling_error(const hn_model *model, const hn_state *end)
{
  const double *w = end->twist[1].w, expected = SPIN + (-1.0 - SPIN) * exp(-FRICTION / INERTIA * end->time);
  (void)model;
  return fmax(fabs(w[0] - 1.0), fmax(fabs(w[1]), fabs(w[2] - expected)));
}

/* A free body with equal moments of inertia tilts by a radian in a second: its motor against the ground still
 * acts about the axis of the ground. */
static void a_motor_torques_about_its_axis_when_the_body_tilts(void **state)
{
  (void)state;
  hn_model *model = without_gravity();
  hn_body_spec ball = rigid_body("ball", 2.0, INERTIA, INERTIA, INERTIA);
  vec_set(ball.angular_velocity, 1, 0, -1);
  must_add(model, &ball);
  add_force(model, "motor", 0, 1, settings_of("gain=%.17g,limit=%.17g", FRICTION, 10.0, 0),
            (hn_force_spec){ .geometry = { .axis_a = { 0, 0, 1 }, .motion = { { SPIN }, 0, 0, 0 } } });
  check_every_solver(model, &(question){ 1.0, tumbling_error, NULL });
}

/* ---- Forces as functions of time, gravity of a body ---------------------------------------------------- */

static const double A = 2.5, NU = 7.0, PHI = 0.4, CONSTANT = 0.6; /* f = CONSTANT + A sin(NU t + PHI) */

/* Returns the error against the force integrated once and twice, from rest. */
static double pushed_error(const hn_model *model, const hn_state *end)
{
  static const double direction[3] = { 1, 2, -1 };
  const double t = end->time, phase = NU * t + PHI;
  double v = CONSTANT * t - A / NU * (cos(phase) - cos(PHI));
  double x = 0.5 * CONSTANT * t * t - A / (NU * NU) * (sin(phase) - sin(PHI)) + A / NU * cos(PHI) * t,
         largest = 0.0;
  (void)model;
  for (int i = 0; i < 3; i++) {
    double pull = direction[i] / MASS;
    largest = fmax(largest, fabs(end->pose[1].x[i] - pull * x) + fabs(end->twist[1].v[i] - pull * v));
  }
  return largest;
}

static const hn_motion push = { { 0.6 }, 2.5, 7.0, 0.4 };

static void a_sinusoidal_force_pushes(void **state)
{
  (void)state;
  hn_model *model = without_gravity();
  int body = add_body(model, "body", MASS, none, none, 0.0);
  add_force(model, "force", 0, body, NULL,
            (hn_force_spec){ .geometry = { .motion = push }, .vector = { 1, 2, -1 }, .has_motion = true });
  check_every_solver(model, &(question){ 1.0, pushed_error, NULL });
}

static double turned_error(const hn_model *model, const hn_state *end)
{
  const double t = end->time, phase = NU * t + PHI;
  double w = CONSTANT * t - A / NU * (cos(phase) - cos(PHI));
  double angle = 0.5 * CONSTANT * t * t - A / (NU * NU) * (sin(phase) - sin(PHI)) + A / NU * cos(PHI) * t;
  (void)model;
  return fmax(off(angle_about(end, 1, axes[Z]), angle / INERTIA), fabs(end->twist[1].w[2] - w / INERTIA));
}

static void a_sinusoidal_torque_turns(void **state)
{
  (void)state;
  hn_model *model = without_gravity();
  int body = add_rotor(model, 0.0);
  add_force(model, "torque", 0, body, NULL,
            (hn_force_spec){ .geometry = { .motion = push }, .vector = { 0, 0, 1 }, .has_motion = true });
  check_every_solver(model, &(question){ 1.0, turned_error, NULL });
}

static double fall_error(const hn_model *model, const hn_state *end)
{
  static const double pull[2][3] = { { 0, -9.81, 0 }, { 1, 2, -3 } };
  double largest = 0.0, t = end->time;
  (void)model;
  for (int b = 0; b < 2; b++)
    for (int i = 0; i < 3; i++) {
      largest = fmax(largest, fabs(end->pose[b + 1].x[i] - 0.5 * pull[b][i] * t * t));
      largest = fmax(largest, fabs(end->twist[b + 1].v[i] - pull[b][i] * t));
    }
  return largest;
}

static void a_body_falls_by_its_own_gravity(void **state)
{
  (void)state;
  hn_error error;
  hn_model *model = new_model();
  for (int i = 0; i < 2; i++) {
    hn_body_spec p = { .name = i ? "own" : "common",
                       .kind = HN_PARTICLE,
                       .has_mass = true,
                       .mass = 1 + i,
                       .orientation = { 1, 0, 0, 0 },
                       .has_gravity = i == 1,
                       .gravity = { 1, 2, -3 } };
    must(hn_model_add_body(model, &p, &error), &error);
  }
  check_every_solver(model, &(question){ 1.0, fall_error, NULL });
}

/* ---- Damped motion without closed form: against power series of order 20 ------------------------------- */

static hn_state *series_end; /* at the end of the run */

static double series_error(const hn_model *model, const hn_state *end)
{
  (void)model;
  return state_distance(end, series_end);
}

/* Two boxes on a hinge and a universal joint, under gravity: a damper and a motor on the hinge, a spring from
 * the ground to a point of the second box, a time-dependent force. */
static hn_model *damped_arm(void)
{
  hn_error error;
  hn_model *model = new_model();
  int a = add_box(model, "a", 0.5, 0, 0), b = add_box(model, "b", 1.5, 0, 0);
  hn_joint_spec cross = { .type = "universal",
                          .a = a,
                          .b = b,
                          .has_points = true,
                          .at_a = { 1, 0, 0 },
                          .at_b = { 1, 0, 0 },
                          .axis_a = { 0, 0, 1 },
                          .axis_b = { 0, 1, 0 } };
  add_joint(model, "hinge", 0, a, axes[Z]);
  must(hn_model_add_joint(model, &cross, &error), &error);
  add_force(model, "angular_spring", 0, a, "stiffness=4,damping=3,rest=0.3",
            (hn_force_spec){ .geometry = { .axis_a = { 0, 0, 1 } } });
  add_force(model, "motor", 0, a, "gain=2,limit=1000",
            (hn_force_spec){ .geometry = { .axis_a = { 0, 0, 1 }, .motion = { { 1, 2 }, 0.5, 3, 0 } } });
  add_force(model, "spring", 0, b, "stiffness=60,damping=5",
            (hn_force_spec){ .geometry = { .at_a = { 1, 1, 0.5 }, .at_b = { 2, 0, 0 } } });
  add_force(model, "force", 0, b, NULL,
            (hn_force_spec){ .geometry = { .at_a = { 2, 0, 0 }, .at_b = { 2, 0, 0 }, .motion = push },
                             .vector = { 1, 0, 2 },
                             .has_motion = true });
  return model;
}

static void a_damped_arm_shows_every_order(void **state)
{
  (void)state;
  hn_model *model = damped_arm();
  const solver_spec reference = make_solver(hn_solver_type_find("taylor", NULL, NULL),
                                            "order=20,stabilisation=projection");
  series_end = run_solver(&reference, model, 0.005, 0.5, NULL, NULL);
  check_every_solver(model, &(question){ 0.5, series_error, NULL });
  hn_state_free(series_end);
}

/* ---- A damper too stiff for the step ------------------------------------------------------------------- */

/* Checks a step with z = h c / 2 J. Impulse solvers iterate for the forces at the end of the step, which may
 * fail for z > 1. Then they must report it and restore the state; otherwise the result must be the implicit
 * solution w (1 - z) / (1 + z), for solvers of one impulse step a step. */
static void check_stiff_step(const solver_spec *m, const hn_model *model, double z)
{
  hn_solver *solver = new_solver(m->spec, model);
  hn_state *at = hn_state_create(model), *before = hn_state_create(model);
  char text[256];
  const double h = 0.1, exact = SPIN * (1.0 - z) / (1.0 + z);
  hn_reason reason = hn_solver_step(solver, at, h);
  hn_solver_explain(solver, reason, h, text, sizeof text);
  printf("  z = %-6g %-30s %s\n", z, m->label, reason == HN_CONVERGED ? "converged" : text);
  if (reason == HN_CONVERGED) {
    if (m->order == 2) check_near("velocity", at->twist[1].w[2], exact, 1e-12 * (1.0 + z));
    assert_true(m->order == 2 || hn_state_finite(at));
  } else {
    /* compositions also step backwards: there a damper drives, and may overflow */
    if (m->order == 2 || reason != HN_NOT_FINITE) assert_int_equal(reason, HN_STALLED);
    assert_non_null(strstr(text, "velocity-dependent forces"));
    assert_memory_equal(at->twist, before->twist, sizeof *at->twist * (size_t)at->nbody);
    assert_int_equal(hn_solver_step(solver, at, 1e-3 * h / z), HN_CONVERGED); /* and continues */
  }
  hn_state_free(at), hn_state_free(before);
  hn_solver_free(solver);
}

static void a_stiff_damper_is_solved_or_stalls(void **state)
{
  (void)state;
  static const double stiff[] = { 0.5, 0.98, 1.5, 20, 1e4, 1e9 };
  solver_spec solver_specs[MAX_SOLVERS];
  size_t n = list_solvers(solver_specs);
  for (size_t i = 0; i < sizeof stiff / sizeof *stiff; i++) {
    hn_model *model = without_gravity();
    int body = add_rotor(model, SPIN);
    add_force(model, "angular_spring", 0, body, settings_of("damping=%.17g", stiff[i] * 20.0 * INERTIA, 0, 0),
              (hn_force_spec){ .geometry = { .axis_a = { 0, 0, 1 } } });
    for (size_t k = 0; k < n; k++)
      if (strncmp(solver_specs[k].type->name, "impulse-", 8) == 0)
        check_stiff_step(&solver_specs[k], model, stiff[i]);
    hn_model_free(model);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(viscous_friction_decays),
    cmocka_unit_test(a_motor_below_its_limit_approaches),
    cmocka_unit_test(a_motor_at_its_limit_gives_a_constant_torque),
    cmocka_unit_test(a_motor_torques_about_its_axis_when_the_body_tilts),
    cmocka_unit_test(a_sinusoidal_force_pushes),
    cmocka_unit_test(a_sinusoidal_torque_turns),
    cmocka_unit_test(a_body_falls_by_its_own_gravity),
    cmocka_unit_test(a_damped_arm_shows_every_order),
    cmocka_unit_test(a_stiff_damper_is_solved_or_stalls),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
