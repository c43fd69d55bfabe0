/* test_oscillators.c - damped oscillators against their closed form, by every solver; the declared order is
 * fitted, two-sided. A spring to the ground and between free bodies, about a hinge, along a slider, and
 * servos. */
#include "force_models.h"

/* ---- The damped oscillator: x'' + 2 delta x' + omega^2 x = 0 ------------------------------------------- */

static const double OMEGA = 5.0, DELTA = 0.8, START = 0.3, RATE = 0.5;

static void oscillator(double t, double *x, double *v)
{
  double w = sqrt(OMEGA * OMEGA - DELTA * DELTA), A = START, B = (RATE + DELTA * START) / w;
  double c = cos(w * t), s = sin(w * t), decay = exp(-DELTA * t);
  *x = decay * (A * c + B * s);
  *v = decay * (w * (B * c - A * s) - DELTA * (A * c + B * s));
}

/* Returns settings of a spring that makes the oscillator from MASS, with the given rest coordinate. */
static const char *spring_for(double mass, double rest)
{
  return settings_of("stiffness=%.17g,damping=%.17g,rest=%.17g", mass * OMEGA * OMEGA, 2.0 * mass * DELTA,
                     rest);
}

enum { LENGTH = 1 }; /* m, natural length of springs */

static const char *line_spring_for(double mass)
{
  return settings_of("stiffness=%.17g,damping=%.17g,length=%.17g", mass * OMEGA * OMEGA, 2.0 * mass * DELTA,
                     (double)LENGTH);
}

/* An oscillator, and its coordinate. */
typedef struct vibration {
  const char *name;
  hn_model *model;
  void (*read)(const hn_state *at, double *x, double *v);
} vibration;

static void read_particle(const hn_state *at, double *x, double *v)
{
  *x = at->pose[1].x[0] - LENGTH, *v = at->twist[1].v[0];
}

static hn_model *particle_on_a_spring(void)
{
  hn_error error;
  hn_model *model = without_gravity();
  hn_body_spec bob = { .name = "bob",
                       .kind = HN_PARTICLE,
                       .has_mass = true,
                       .mass = MASS,
                       .orientation = { 1, 0, 0, 0 },
                       .position = { LENGTH + START, 0, 0 },
                       .velocity = { RATE, 0, 0 } };
  must(hn_model_add_body(model, &bob, &error), &error);
  add_force(model, "spring", 0, 1, line_spring_for(MASS),
            (hn_force_spec){ .geometry = { .at_b = { LENGTH + START, 0, 0 } } });
  return model;
}

/* Two bodies along (0.6, 0.8, 0) with a moving centre of mass: their distance oscillates with the reduced
 * mass. */
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
            (hn_force_spec){ .geometry = { .at_b = { to[0], to[1], 0 } } });
  return model;
}

static void read_rotor(const hn_state *at, double *x, double *v)
{
  *x = angle_about(at, 1, axes[Z]) + START, *v = at->twist[1].w[2];
}

/* The angle counts from the start: the spring is at rest at -START. */
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

/* ---- Orders -------------------------------------------------------------------------------------------- */

enum { COUNTS = 6 };

/* True if the solver gains an order on linear equations. The 9th coefficient of the stability function of
 * GSL's rk8pd is 0.9987 / 9!: it appears to be of order 9 there, and of 8 to 9 with turning quaternions. On
 * other motion its order is shown by test_solvers.c. */
static bool is_better_on_linear_equations(const solver_spec *m)
{
  return strstr(m->label, "rk8pd") != NULL;
}

/* Returns step number i per second, in a geometric sequence in which errors are above round-off and follow
 * the first term of their expansion. */
static int steps_a_second(const solver_spec *m, int i)
{
  static const int range[][2] = {
    [1] = { 400, 6400 }, [2] = { 50, 800 }, [3] = { 40, 320 }, [4] = { 30, 240 }, [5] = { 20, 120 },
    [6] = { 16, 64 },    [7] = { 12, 40 },  [8] = { 10, 24 },  [9] = { 8, 18 },   [10] = { 6, 14 }
  };
  static const int few[2] = { 5, 12 };
  const int *r = is_better_on_linear_equations(m) ? few : range[m->order < 10 ? m->order : 10];
  return (int)lround(r[0] * pow((double)r[1] / r[0], i / (COUNTS - 1.0)));
}

/* Checks the order of the combined error of position and velocity, in m/s or rad/s: each alone has zeros. */
static void check_order(const solver_spec *m, const vibration *of)
{
  double h[COUNTS], error[COUNTS], x, v, exact_x, exact_v;
  char what[96];
  const int count = m->order > 0 ? COUNTS : 1;
  for (int i = 0; i < count; i++) {
    h[i] = 1.0 / (m->order > 0 ? steps_a_second(m, i) : 50);
    hn_state *end = run_solver(m, of->model, h[i], 1.0, NULL, NULL);
    oscillator(1.0, &exact_x, &exact_v);
    of->read(end, &x, &v);
    error[i] = hypot(OMEGA * (x - exact_x), v - exact_v);
    hn_state_free(end);
  }
  snprintf(what, sizeof what, "%s, %.1e to %.1e", of->name, error[0], error[count - 1]);
  double slope = hn_fit_order(h, error, (size_t)count);
  if (m->order == 0) check_below(of->name, error[0], BY_TOLERANCE);
  else if (is_better_on_linear_equations(m)) check_near(what, slope, 8.5, 1.0);
  else check_near(what, slope, m->order, m->order >= 8 ? 0.5 : 0.2);
}

static void damped_oscillators_show_the_order_of_every_solver(void **state)
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
  solver_spec solver_specs[MAX_SOLVERS];
  size_t n = list_solvers(solver_specs);
  for (size_t k = 0; k < n; k++) {
    printf(" %s\n", solver_specs[k].label);
    for (int i = 0; i < ALL; i++) check_order(&solver_specs[k], &all[i]);
  }
  for (int i = 0; i < ALL; i++) hn_model_free(all[i].model);
}

/* ---- A servo along an axis ----------------------------------------------------------------------------- */

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
  check_every_solver(model, &(question){ 1.0, follower_error, NULL });
}

/* ---- Checkpoints of multistep methods ------------------------------------------------------------------ */

/* Returns the error of position and velocity after 1 s in steps of 1 ms, and the number of factorisations. */
static double error_in_small_steps(const hn_model *model, const char *spec, uint64_t *factorisations)
{
  hn_error error;
  hn_solver *solver = hn_solver_create(spec, model, &error);
  if (!solver) fail_msg("%s", error.text);
  hn_state *at = hn_state_create(model);
  hn_summary summary;
  double x, v, exact_x, exact_v;
  assert_int_equal(hn_run(solver, at, &(hn_run_options){ .step = 1e-3, .duration = 1.0 }, &summary),
                   HN_CONVERGED);
  oscillator(1.0, &exact_x, &exact_v);
  read_rotor(at, &x, &v);
  *factorisations = summary.work.factorisations;
  hn_state_free(at);
  hn_solver_free(solver);
  return hypot(OMEGA * (x - exact_x), v - exact_v);
}

/* A servo without an integral part is a spring with a damper, without changing memory: multistep methods must
 * keep their history from step to step. A restart of IDA takes more than ten of its steps. */
static void a_servo_without_memory_preserves_history(void **state)
{
  (void)state;
  hn_model *models[2] = { torsion_pendulum(), rotor_with_servo() };
  double error[2];
  uint64_t work[2];
  for (int k = 0; k < 2; k++)
    error[k] = error_in_small_steps(models[k], "ida:error_tolerance=1e-10", &work[k]);
  check_below("IDA at 1e-10, spring: error", error[0], BY_TOLERANCE);
  check_near("servo: error, over that", error[1] / error[0], 1.0, 0.5);
  check_near("factorisations, servo over spring", (double)work[1] / (double)work[0], 1.0, 0.1);
  for (int k = 0; k < 2; k++) hn_model_free(models[k]);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(damped_oscillators_show_the_order_of_every_solver),
    cmocka_unit_test(an_axial_servo_moves_to_its_target),
    cmocka_unit_test(a_servo_without_memory_preserves_history),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
