/* test_force_motion.c - forces in motion, under every method, against closed forms: the damped oscillator with the
 * declared order, two-sided; viscous friction, motors, servos, prescribed forces, gravity of a body's own; and a damper
 * too stiff for the step. */
#include "every_method.h"

static const double none[3] = { 0, 0, 0 };
enum { X, Y, Z };
static const double axes[3][3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
static const double MASS = 1.3, INERTIA = 0.4; /* kg; kg m^2 about z */

static hn_model *without_gravity(void)
{
  hn_model *model = hn_model_create(none);
  assert_non_null(model);
  return model;
}

/* A body whose axes are the world's. */
static int add_body(hn_model *model, const char *name, double mass, const double at[3], const double v[3], double w_z)
{
  hn_error error;
  hn_body_spec spec = { .name = name, .kind = HN_RIGID, .has_mass = true, .mass = mass,
                        .inertia = { 0.2, 0.3, INERTIA }, .orientation = { 1, 0, 0, 0 },
                        .angular_velocity = { 0, 0, w_z } };
  vec_copy(spec.position, at), vec_copy(spec.velocity, v);
  return must(hn_model_add_body(model, &spec, &error), &error);
}

static void add_joint(hn_model *model, const char *type, int a, int b, const double axis[3])
{
  hn_error error;
  hn_joint_spec spec = { .type = type, .a = a, .b = b, .has_points = true };
  vec_copy(spec.axis_a, axis);
  must(hn_model_add_joint(model, &spec, &error), &error);
}

/* A body on a hinge along z, at the origin. */
static int add_rotor(hn_model *model, double w_z)
{
  int body = add_body(model, "rotor", 2.0, none, none, w_z);
  add_joint(model, "hinge", 0, body, axes[Z]);
  return body;
}

static void add_force(hn_model *model, const char *type, int a, int b, const char *settings, hn_force_spec spec)
{
  hn_error error;
  spec.geometry.type = type, spec.geometry.a = a, spec.geometry.b = b, spec.geometry.has_points = true;
  spec.settings = settings;
  must(hn_model_add_force(model, &spec, &error), &error);
}

/* A table of parameters from numbers. */
static const char *settings_of(const char *format, double first, double second, double third)
{
  static char text[256];
  snprintf(text, sizeof text, format, first, second, third);
  return text;
}

/* ---- The damped oscillator: x'' + 2 delta x' + omega^2 x = 0 -------------------------------------------------------- */

static const double OMEGA = 5.0, DELTA = 0.8, START = 0.3, RATE = 0.5;

static void oscillator(double t, double *x, double *v)
{
  double w = sqrt(OMEGA * OMEGA - DELTA * DELTA), A = START, B = (RATE + DELTA * START) / w;
  double c = cos(w * t), s = sin(w * t), decay = exp(-DELTA * t);
  *x = decay * (A * c + B * s);
  *v = decay * (w * (B * c - A * s) - DELTA * (A * c + B * s));
}

/* Stiffness and damping that make the oscillator from MASS, and REST. */
static const char *spring_for(double mass, double rest)
{
  return settings_of("stiffness=%.17g,damping=%.17g,rest=%.17g", mass * OMEGA * OMEGA, 2.0 * mass * DELTA, rest);
}

static const char *line_spring_for(double mass)
{
  return settings_of("stiffness=%.17g,damping=%.17g", mass * OMEGA * OMEGA, 2.0 * mass * DELTA, 0.0);
}

/* An oscillator, and the coordinate that oscillates. */
typedef struct vibration {
  const char *name;
  hn_model *model;
  void (*read)(const hn_state *at, double *x, double *v);
} vibration;

enum { LENGTH = 1 }; /* m, of springs at rest */

static void read_particle(const hn_state *at, double *x, double *v)
{
  *x = at->pose[1].x[0] - LENGTH, *v = at->twist[1].v[0];
}

static hn_model *particle_on_a_spring(void)
{
  hn_error error;
  hn_model *model = without_gravity();
  hn_body_spec bob = { .name = "bob", .kind = HN_PARTICLE, .has_mass = true, .mass = MASS, .orientation = { 1, 0, 0, 0 },
                       .position = { LENGTH + START, 0, 0 }, .velocity = { RATE, 0, 0 } };
  must(hn_model_add_body(model, &bob, &error), &error);
  add_force(model, "spring", 0, 1, line_spring_for(MASS),
            (hn_force_spec){ .geometry = { .at_b = { LENGTH + START, 0, 0 }, .has_length = true, .length = LENGTH } });
  return model;
}

/* Along (0.6, 0.8, 0), their centre moving on: the distance of their centres oscillates with the reduced mass. */
static void read_pair(const hn_state *at, double *x, double *v)
{
  double d[3], u[3];
  vec_sub(d, at->pose[2].x, at->pose[1].x), vec_sub(u, at->twist[2].v, at->twist[1].v);
  *x = vec_norm(d) - LENGTH, *v = vec_dot(u, d) / vec_norm(d);
}

static hn_model *free_pair_on_a_spring(void)
{
  const double reach = LENGTH + START, to[3] = { 0.6 * reach, 0.8 * reach, 0 };
  const double drift[3] = { 0.3, -0.2, 0.1 }, apart[3] = { 0.3 + 0.6 * RATE, -0.2 + 0.8 * RATE, 0.1 };
  const double reduced = MASS * 2.0 / (MASS + 2.0);
  hn_model *model = without_gravity();
  add_body(model, "a", MASS, none, drift, 1.5);
  add_body(model, "b", 2.0, to, apart, -0.7);
  add_force(model, "spring", 1, 2, line_spring_for(reduced),
            (hn_force_spec){ .geometry = { .at_b = { to[0], to[1], 0 }, .has_length = true, .length = LENGTH } });
  return model;
}

static void read_rotor(const hn_state *at, double *x, double *v)
{
  *x = angle_about(at, 1, axes[Z]) + START, *v = at->twist[1].w[2];
}

/* The angle counts from the start: the spring's rest is at -START. */
static hn_model *torsion_pendulum(void)
{
  hn_model *model = without_gravity();
  int body = add_rotor(model, RATE);
  add_force(model, "angular_spring", 0, body, spring_for(INERTIA, -START),
            (hn_force_spec){ .geometry = { .axis_a = { 0, 0, 1 } } });
  return model;
}

static hn_model *rotor_with_servo(void)
{
  hn_model *model = without_gravity();
  int body = add_rotor(model, RATE);
  const char *settings = settings_of("stiffness=%.17g,damping=%.17g,limit=%.17g", INERTIA * OMEGA * OMEGA,
                                     2.0 * INERTIA * DELTA, 1e3);
  add_force(model, "servo", 0, body, settings,
            (hn_force_spec){ .geometry = { .axis_a = { 0, 0, 1 }, .motion = { { -START }, 0, 0, 0 } } });
  return model;
}

static void read_sledge(const hn_state *at, double *x, double *v)
{
  *x = 0.6 * at->pose[1].x[0] + 0.8 * at->pose[1].x[2] + START;
  *v = 0.6 * at->twist[1].v[0] + 0.8 * at->twist[1].v[2];
}

static hn_model *sledge_on_a_spring(void)
{
  const double axis[3] = { 0.6, 0, 0.8 };
  hn_model *model = without_gravity();
  int body = add_body(model, "sledge", MASS, none, (const double[3]){ 0.6 * RATE, 0, 0.8 * RATE }, 0.0);
  add_joint(model, "slider", 0, body, axis);
  add_force(model, "axial_spring", 0, body, spring_for(MASS, -START),
            (hn_force_spec){ .geometry = { .axis_a = { 0.6, 0, 0.8 } } });
  return model;
}

/* ---- Orders ------------------------------------------------------------------------------------------------------- */

enum { COUNTS = 6 };

/* Steps a second, from the first to the last of a geometric row, where errors lie above round-off and follow the first
 * term of their expansion. */
static int steps_a_second(int order, int i)
{
  static const int range[][2] = { [1] = { 400, 6400 }, [2] = { 50, 800 }, [3] = { 40, 320 }, [4] = { 30, 240 },
                                  [5] = { 20, 120 },   [6] = { 16, 64 },  [7] = { 12, 40 },  [8] = { 10, 24 },
                                  [9] = { 8, 18 },     [10] = { 6, 14 } };
  const int *r = range[order < 10 ? order : 10];
  return (int)lround(r[0] * pow((double)r[1] / r[0], i / (COUNTS - 1.0)));
}

/* What a method shows on a linear equation: the 9th coefficient of the stability function of GSL's rk8pd is 0.9987 / 9!,
 * so that it looks like one of order 9 there; its order is shown by test_solvers.c. */
static int order_on_lines(const method *m)
{
  return strstr(m->label, "rk8pd") ? 9 : m->order;
}

/* The error is that of position and velocity together, in m/s or rad/s: each alone passes through zero now and then. */
static void show_order(const method *m, const vibration *of)
{
  double h[COUNTS], error[COUNTS], x, v, exact_x, exact_v;
  char what[96];
  const int count = m->order > 0 ? COUNTS : 1;
  for (int i = 0; i < count; i++) {
    h[i] = 1.0 / (m->order > 0 ? steps_a_second(m->order, i) : 50);
    hn_state *end = run_method(m, of->model, h[i], 1.0, NULL, NULL);
    oscillator(1.0, &exact_x, &exact_v);
    of->read(end, &x, &v);
    error[i] = hypot(OMEGA * (x - exact_x), v - exact_v);
    hn_state_free(end);
  }
  snprintf(what, sizeof what, "%s, %.1e to %.1e", of->name, error[0], error[count - 1]);
  if (m->order == 0) check_below(of->name, error[0], BY_TOLERANCE);
  else check_near(what, hn_fit_order(h, error, COUNTS), order_on_lines(m), m->order >= 8 ? 0.5 : 0.2);
}

static void damped_oscillators_show_every_order(void **state)
{
  (void)state;
  vibration all[] = {
    { "particle on a spring", particle_on_a_spring(), read_particle },
    { "two free bodies on a spring", free_pair_on_a_spring(), read_pair },
    { "torsion spring on a hinge", torsion_pendulum(), read_rotor },
    { "spring along a slider", sledge_on_a_spring(), read_sledge },
    { "servo on a hinge", rotor_with_servo(), read_rotor },
  };
  enum { ALL = sizeof all / sizeof *all };
  method methods[MAX_METHODS];
  size_t n = list_methods(methods);
  for (size_t k = 0; k < n; k++) {
    printf(" %s\n", methods[k].label);
    for (int i = 0; i < ALL; i++) show_order(&methods[k], &all[i]);
  }
  for (int i = 0; i < ALL; i++) hn_model_free(all[i].model);
}

/* ---- Friction and motors ------------------------------------------------------------------------------------------ */

static const double FRICTION = 0.5, SPIN = 3.0; /* N m s/rad, rad/s */

/* w' = (w_end - w) c / J */
static double approach_error(const hn_state *end, double w_start, double w_end, double c)
{
  const double rate = c / INERTIA, t = end->time, decay = exp(-rate * t);
  double w = w_end + (w_start - w_end) * decay, angle = w_end * t + (w_start - w_end) * (1.0 - decay) / rate;
  return fmax(off(angle_about(end, 1, axes[Z]), angle), fabs(end->twist[1].w[2] - w));
}

static double friction_error(const hn_model *model, const hn_state *end)
{
  (void)model;
  return approach_error(end, SPIN, 0.0, FRICTION);
}

static void viscous_friction_decays(void **state)
{
  (void)state;
  hn_model *model = without_gravity();
  int body = add_rotor(model, SPIN);
  add_force(model, "angular_spring", 0, body, settings_of("damping=%.17g", FRICTION, 0, 0),
            (hn_force_spec){ .geometry = { .axis_a = { 0, 0, 1 } } });
  ask_every_method(model, &(question){ 1.0, friction_error, NULL });
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
  return approach_error(end, -1.0, SPIN, FRICTION);
}

static void a_motor_below_its_limit_approaches(void **state)
{
  (void)state;
  ask_every_method(rotor_with_motor(FRICTION, 10.0), &(question){ 1.0, motor_error, NULL });
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
  ask_every_method(rotor_with_motor(100.0, 0.8), &(question){ 1.0, limited_error, NULL });
}

/* ---- Forces as functions of time, gravity of a body ----------------------------------------------------------------- */

static const double A = 2.5, NU = 7.0, PHI = 0.4, CONSTANT = 0.6; /* f = CONSTANT + A sin(NU t + PHI), times (1, 2, -1) */

/* Once and twice integrated, from rest. */
static double pushed_error(const hn_model *model, const hn_state *end)
{
  static const double direction[3] = { 1, 2, -1 };
  const double t = end->time, phase = NU * t + PHI;
  double v = CONSTANT * t - A / NU * (cos(phase) - cos(PHI));
  double x = 0.5 * CONSTANT * t * t - A / (NU * NU) * (sin(phase) - sin(PHI)) + A / NU * cos(PHI) * t, largest = 0.0;
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
  ask_every_method(model, &(question){ 1.0, pushed_error, NULL });
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
  ask_every_method(model, &(question){ 1.0, turned_error, NULL });
}

static double follower_error(const hn_model *model, const hn_state *end)
{
  double x, v;
  (void)model;
  oscillator(end->time, &x, &v);
  return fmax(fabs(end->pose[1].x[0] + START - x), fabs(end->twist[1].v[0] - v));
}

static void an_axial_servo_moves_to_its_target(void **state)
{
  (void)state;
  hn_model *model = without_gravity();
  int body = add_body(model, "sledge", MASS, none, (const double[3]){ RATE, 0, 0 }, 0.0);
  add_joint(model, "slider", 0, body, axes[X]);
  const char *settings = settings_of("stiffness=%.17g,damping=%.17g,limit=%.17g", MASS * OMEGA * OMEGA,
                                     2.0 * MASS * DELTA, 1e3);
  add_force(model, "axial_servo", 0, body, settings,
            (hn_force_spec){ .geometry = { .axis_a = { 1, 0, 0 }, .motion = { { -START }, 0, 0, 0 } } });
  ask_every_method(model, &(question){ 1.0, follower_error, NULL });
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
    hn_body_spec p = { .name = i ? "own" : "common", .kind = HN_PARTICLE, .has_mass = true, .mass = 1 + i,
                       .orientation = { 1, 0, 0, 0 }, .has_gravity = i == 1, .gravity = { 1, 2, -3 } };
    must(hn_model_add_body(model, &p, &error), &error);
  }
  ask_every_method(model, &(question){ 1.0, fall_error, NULL });
}

/* ---- A damper too stiff for the step ------------------------------------------------------------------------------- */

/* Impulse methods solve for the forces at the end of the step by iteration, which may fail where half the step times
 * damping over inertia is above 1. Then they must say so and give the state back; else what they found must be the
 * implicit solution: w (1 - z) / (1 + z), z = h c / 2 J, for those that make one impulse step of each step. */
static void check_stiff_step(const method *m, const hn_model *model, double z)
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
    assert_int_equal(reason, HN_STALLED);
    assert_non_null(strstr(text, "velocity-dependent forces"));
    assert_memory_equal(at->twist, before->twist, sizeof *at->twist * (size_t)at->nbody);
    assert_int_equal(hn_solver_step(solver, at, 1e-3 * h / z), HN_CONVERGED); /* and goes on */
  }
  hn_state_free(at), hn_state_free(before);
  hn_solver_free(solver);
}

static void a_stiff_damper_is_met_or_stalls(void **state)
{
  (void)state;
  static const double stiff[] = { 0.5, 0.98, 1.5, 20, 1e4, 1e9 };
  method methods[MAX_METHODS];
  size_t n = list_methods(methods);
  for (size_t i = 0; i < sizeof stiff / sizeof *stiff; i++) {
    hn_model *model = without_gravity();
    int body = add_rotor(model, SPIN);
    add_force(model, "angular_spring", 0, body, settings_of("damping=%.17g", stiff[i] * 20.0 * INERTIA, 0, 0),
              (hn_force_spec){ .geometry = { .axis_a = { 0, 0, 1 } } });
    for (size_t k = 0; k < n; k++)
      if (strncmp(methods[k].type->name, "impulse-", 8) == 0) check_stiff_step(&methods[k], model, stiff[i]);
    hn_model_free(model);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(damped_oscillators_show_every_order),
    cmocka_unit_test(viscous_friction_decays),
    cmocka_unit_test(a_motor_below_its_limit_approaches),
    cmocka_unit_test(a_motor_at_its_limit_gives_a_constant_torque),
    cmocka_unit_test(a_sinusoidal_force_pushes),
    cmocka_unit_test(a_sinusoidal_torque_turns),
    cmocka_unit_test(an_axial_servo_moves_to_its_target),
    cmocka_unit_test(a_body_falls_by_its_own_gravity),
    cmocka_unit_test(a_stiff_damper_is_met_or_stalls),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
