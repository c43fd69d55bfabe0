/* test_realtime.c - the real-time solvers xpbd and tgs-soft: orders in the step and in the substeps, joint
 * forces, compliance and soft joints against closed forms, momentum, redundant and singular scenes, warm
 * starts. */
#include "base/small.h"
#include "models.h"

#include <string.h>

/* Reference values of the double pendulum at t = 1: integrated in two formulations at 40 to 70 digits; see
 * doc/references.md. */
static const double position_at_1[2][3] = { { -0.5851683919988750689, -0.8109118034690646209, 0 },
                                            { -1.4448188499434757965, -1.3217944613814645558, 0 } };
static const double velocity_at_1[2][3] = { { -3.1806228021604616165, 2.2951940306368917789, 0 },
                                            { -3.8463536098580947779, 3.4154038965259580849, 0 } };
static const double tension_at_1[2] = { 41.636078872589814659, 19.945859696509005937 };

static const double g = 9.81, pi = 3.14159265358979323846;

static double distance(const double a[3], const double b[3])
{
  return sqrt(pow(a[0] - b[0], 2) + pow(a[1] - b[1], 2) + pow(a[2] - b[2], 2));
}

static void advance(hn_solver *solver, hn_state *state, double h, int steps)
{
  for (int i = 0; i < steps; i++) assert_int_equal(hn_solver_step(solver, state, h), HN_CONVERGED);
}

/* ---- Orders -------------------------------------------------------------------------------------------- */

typedef struct errors {
  double position, velocity, force, energy;
} errors;

static errors run_to_1(const char *spec, double h)
{
  hn_model *model = double_pendulum();
  hn_solver *solver = new_solver(spec, model);
  hn_state *at = hn_state_create(model);
  hn_summary summary;
  hn_run_options options = { .step = h, .duration = 1.0 };
  assert_int_equal(hn_run(solver, at, &options, &summary), HN_CONVERGED);
  errors e = { .energy = fabs(summary.energy_final - summary.energy_initial) };
  for (int i = 0; i < 2; i++) {
    e.position = larger(e.position, distance(at->pose[i + 1].x, position_at_1[i]));
    e.velocity = larger(e.velocity, distance(at->twist[i + 1].v, velocity_at_1[i]));
    e.force = larger(e.force, fabs(-solver->multipliers[i] - tension_at_1[i]));
  }
  hn_state_free(at);
  hn_solver_free(solver);
  hn_model_free(model);
  return e;
}

static void check_orders(const double *h, const errors *e, double order)
{
  double position[6], velocity[6], force[6], energy[6];
  for (int i = 0; i < 6; i++)
    position[i] = e[i].position, velocity[i] = e[i].velocity, force[i] = e[i].force, energy[i] = e[i].energy;
  printf("  position errors %.2e to %.2e\n", position[0], position[5]);
  check_near("order of positions", hn_fit_order(h, position, 6), order, 0.2);
  check_near("order of velocities", hn_fit_order(h, velocity, 6), order, 0.2);
  check_near("order of joint forces", hn_fit_order(h, force, 6), order, 0.2);
  check_near("order of the energy", hn_fit_order(h, energy, 6), order, 0.2);
}

static void order_in_the_step(void **state)
{
  (void)state;
  static const struct {
    const char *spec;
    int steps;
  } cases[] = {
    { "xpbd", 200 },     { "xpbd:substeps=1", 200 },      { "xpbd:substeps=4,iterations=5", 200 },
    { "tgs-soft", 400 }, { "tgs-soft:substeps=1", 1600 }, { "tgs-soft:damping_ratio=1,relax=3", 400 },
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    double h[6];
    errors e[6];
    printf(" %s\n", cases[k].spec);
    for (int i = 0; i < 6; i++) h[i] = 1.0 / (cases[k].steps << i), e[i] = run_to_1(cases[k].spec, h[i]);
    check_orders(h, e, 1);
  }
}

/* Substeps divide the step: 1 / substeps acts like the step. */
static void order_in_the_substeps(void **state)
{
  (void)state;
  static const char *const solver_specs[] = { "xpbd", "tgs-soft" };
  for (int k = 0; k < 2; k++) {
    double h[6];
    errors e[6];
    printf(" %s\n", solver_specs[k]);
    for (int i = 0; i < 6; i++) {
      char spec[64];
      snprintf(spec, sizeof spec, "%s:substeps=%d", solver_specs[k], 32 << i);
      h[i] = 1.0 / (32 << i), e[i] = run_to_1(spec, 0.02);
    }
    check_orders(h, e, 1);
  }
}

/* The drift of one sweep per substep is of order h^2, and does not grow with time. */
static void drift_stays_small(void **state)
{
  (void)state;
  static const char *const solver_specs[] = { "xpbd", "tgs-soft" };
  hn_model *model = double_pendulum();
  for (int k = 0; k < 2; k++) {
    hn_solver *solver = new_solver(solver_specs[k], model);
    hn_state *at = hn_state_create(model);
    hn_summary summary;
    double h[6], drift[6], longer[2];
    for (int i = 0; i < 8; i++) {
      hn_run_options options = { .step = i < 6 ? 0.01 / (1 << i) : 0.01,
                                 .duration = i < 6    ? 1
                                             : i == 6 ? 10
                                                      : 100 };
      hn_state *start = hn_state_create(model);
      hn_state_copy(at, start);
      hn_state_free(start);
      assert_int_equal(hn_run(solver, at, &options, &summary), HN_CONVERGED);
      if (i < 6) h[i] = options.step, drift[i] = summary.position_max;
      else longer[i - 6] = summary.position_max;
    }
    printf(" %s: %.2e to %.2e m in 1 s, %.2e m in 10 s\n", solver_specs[k], drift[0], drift[5], longer[0]);
    check_near("order of the drift", hn_fit_order(h, drift, 6), 2, 0.2);
    check_below("largest drift in 100 s over that in 10 s", longer[1] / longer[0], 2);
    hn_state_free(at);
    hn_solver_free(solver);
  }
  hn_model_free(model);
}

/* With springs of a fixed frequency and without relaxation the limit is another mechanism: halving the step
 * has no effect, the error falls with the square of the frequency. */
static void fixed_frequency_leaves_an_error(void **state)
{
  (void)state;
  double e40 = run_to_1("tgs-soft:relax=0,hertz=40", 2e-5).position;
  double finer = run_to_1("tgs-soft:relax=0,hertz=40", 1e-5).position;
  double e80 = run_to_1("tgs-soft:relax=0,hertz=80", 2e-5).position;
  printf("  hertz=40: error %.3e m\n", e40);
  check_near("with half the step, relative", finer / e40, 1.0, 0.05);
  check_near("with hertz=80, relative", e80 / e40, 0.25, 0.05);
}

/* ---- Springs ------------------------------------------------------------------------------------------- */

/* Returns a model of a particle of the given mass on a rod of 1 m along -y from the ground. */
static hn_model *hanging(double gravity, double mass)
{
  hn_error error;
  const double field[3] = { 0, -gravity, 0 };
  hn_model *model = hn_model_create(field);
  hn_body_spec particle = { .name = "p",
                            .kind = HN_PARTICLE,
                            .has_mass = true,
                            .mass = mass,
                            .position = { 0, -1, 0 },
                            .orientation = { 1, 0, 0, 0 } };
  add_rod(model, 0, hn_model_add_body(model, &particle, &error));
  return model;
}

/* A compliant rod is a spring: y = -1 - v/w sin(w t), w = sqrt(1 / (compliance m)). */
static void compliance_is_a_spring(void **state)
{
  (void)state;
  const double mass = 2.5, compliance = 0.004, v = 0.3, w = sqrt(1 / (compliance * mass)), t = 0.7;
  hn_model *model = hanging(0, mass);
  double h[6], error[6];
  for (int i = 0; i < 6; i++) {
    char spec[64];
    snprintf(spec, sizeof spec, "xpbd:compliance=%g,substeps=%d", compliance, 5 << i);
    hn_solver *solver = new_solver(spec, model);
    hn_state *at = hn_state_create(model);
    at->twist[1].v[1] = -v;
    advance(solver, at, 0.01, 70);
    h[i] = 0.01 / (5 << i), error[i] = fabs(at->pose[1].x[1] - (-1 - v / w * sin(w * t)));
    hn_state_free(at);
    hn_solver_free(solver);
  }
  hn_model_free(model);
  printf("  errors %.2e to %.2e of an amplitude of %.2e m\n", error[0], error[5], v / w);
  check_near("order of the error", hn_fit_order(h, error, 6), 1, 0.1);
  check_below("with the finest substeps", error[5] / (v / w), 1e-2);
}

/* Two particles on a compliant rod oscillate with the reduced mass, w = sqrt((1/m + 1/m) / compliance). */
static void compliance_joins_two_masses(void **state)
{
  (void)state;
  const double none[3] = { 0, 0, 0 }, compliance = 0.01, w = sqrt(2 / compliance), quarter = 0.5 * pi / w;
  hn_model *model = hn_model_create(none);
  int a = add_particle(model, "a", 0, 0, 0), b = add_particle(model, "b", 1, 0, 0);
  add_rod(model, a, b);
  hn_solver *solver = new_solver("xpbd:compliance=0.01,substeps=1000", model);
  hn_state *at = hn_state_create(model);
  at->twist[a].v[0] = -0.1, at->twist[b].v[0] = 0.1;
  advance(solver, at, quarter / 4, 4);
  check_near("stretch after a quarter period over 2 v / w",
             (at->pose[b].x[0] - at->pose[a].x[0] - 1) / (0.2 / w), 1.0, 1e-3);
  check_below("  its velocity over 2 v", (at->twist[b].v[0] - at->twist[a].v[0]) / 0.2, 1e-5);
  advance(solver, at, quarter / 4, 4);
  check_below("stretch after half a period", (at->pose[b].x[0] - at->pose[a].x[0] - 1) / (0.2 / w), 1e-4);
  hn_state_free(at);
  hn_solver_free(solver);
  hn_model_free(model);
}

/* At rest a load stretches a compliant rod by compliance m g, a soft one by g / (2 pi hertz)^2, for any
 * step. */
static void loads_stretch_joints(void **state)
{
  (void)state;
  static const struct {
    const char *spec;
    double sag;
  } cases[] = {
    { "xpbd:compliance=0.001,substeps=20", 0.001 * 3 * 9.81 },
    { "xpbd:compliance=0.001,substeps=1", 0.001 * 3 * 9.81 },
    { "tgs-soft:hertz=5", 9.81 / (100 * 9.8696044010893586) },
    { "tgs-soft:hertz=5,relax=4,substeps=1,damping_ratio=1", 9.81 / (100 * 9.8696044010893586) },
    { "tgs-soft:hertz=5,relax=0", 9.81 / (100 * 9.8696044010893586) },
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    hn_model *model = hanging(g, 3);
    hn_solver *solver = new_solver(cases[k].spec, model);
    hn_state *at = hn_state_create(model);
    advance(solver, at, 0.02, 20000);
    printf(" %s\n", cases[k].spec);
    check_near("stretch of the rod, m", -1 - at->pose[1].x[1], cases[k].sag, 1e-9);
    check_near("its force, N", solver->multipliers[0], -3 * g, 1e-6);
    hn_state_free(at);
    hn_solver_free(solver);
    hn_model_free(model);
  }
}

/* Without relaxation a separated joint is a spring and damper: g'' + 2 zeta w g' + w^2 g = 0. */
static void soft_joint_recovers(void **state)
{
  (void)state;
  const double hertz = 3, w = 2 * pi * hertz, t = 0.1, gap = 0.2;
  hn_model *model = hanging(0, 1);
  double h[6], error[6];
  for (int i = 0; i < 6; i++) {
    char spec[80];
    snprintf(spec, sizeof spec, "tgs-soft:hertz=3,damping_ratio=1,relax=0,substeps=%d", 4 << i);
    hn_solver *solver = new_solver(spec, model);
    hn_state *at = hn_state_create(model);
    at->pose[1].x[1] = -1 - gap;
    advance(solver, at, 0.01, 10);
    h[i] = 0.01 / (4 << i), error[i] = fabs(-1 - at->pose[1].x[1] - gap * (1 + w * t) * exp(-w * t));
    hn_state_free(at);
    hn_solver_free(solver);
  }
  hn_model_free(model);
  printf("  errors %.2e to %.2e of a gap of %.2f m\n", error[0], error[5], gap);
  check_near("order of the error", hn_fit_order(h, error, 6), 1, 0.1);
  check_below("with the finest substeps", error[5] / gap, 1e-3);
}

/* With relaxation every substep reduces the gap by the factor 1 - (h w)^2 / (1 + h w a1), a1 = 2 zeta + h w,
 * and leaves no velocity; with the default frequency h w = pi / 2. xpbd closes a joint to the ground in one
 * substep. */
static void pulled_joint_recovers(void **state)
{
  (void)state;
  hn_model *model = hanging(0, 1);
  hn_solver *soft = new_solver("tgs-soft:substeps=2", model), *hard = new_solver("xpbd:substeps=1", model);
  hn_state *at = hn_state_create(model);
  double factor = 1 - pi * pi / 4 / (1 + pi / 2 * (4 + pi / 2));
  at->pose[1].x[1] = -1.2;
  advance(soft, at, 0.02, 1);
  check_near("tgs-soft: gap after 2 substeps", -1 - at->pose[1].x[1], 0.2 * factor * factor, 1e-14);
  check_below("velocity left", at->twist[1].v[1], 1e-13);
  hn_solver *unrelaxed = new_solver("tgs-soft:substeps=1,relax=0", model);
  at->pose[1].x[1] = -1.2;
  advance(unrelaxed, at, 0.01, 1);
  check_near("relax=0: the velocity of the correction stays", at->twist[1].v[1], 0.2 * (1 - factor) / 0.01,
             1e-12);
  hn_solver_free(unrelaxed);
  at->pose[1].x[1] = -1.2, at->twist[1].v[1] = 0;
  advance(hard, at, 0.02, 1);
  check_below("xpbd: gap after 1 substep", -1 - at->pose[1].x[1], 1e-15);
  hn_state_free(at);
  hn_solver_free(soft), hn_solver_free(hard);
  hn_model_free(model);
}

/* ---- Invariants ---------------------------------------------------------------------------------------- */

/* Returns a model of three boxes in a row on ball joints, free, moving and rotating about all axes. */
static hn_model *free_chain(void)
{
  const double none[3] = { 0, 0, 0 };
  hn_model *model = hn_model_create(none);
  for (int i = 0; i < 3; i++) {
    char name[16];
    snprintf(name, sizeof name, "b%d", i);
    add_box(model, name, i, 0, 0);
    if (i > 0) add_ball(model, i, i + 1, i - 0.5, 0, 0);
  }
  return model;
}

static void set_moving(hn_state *at)
{
  for (int b = 1; b <= 3; b++)
    at->twist[b].w[2] = 2, at->twist[b].v[1] = 2 * (b - 1.0), at->twist[b].v[2] = 1;
  at->twist[1].w[0] = 3;
}

static void momentum_is_kept(void **state)
{
  (void)state;
  static const char *const solver_specs[] = { "xpbd", "tgs-soft" };
  hn_model *model = free_chain();
  for (int k = 0; k < 2; k++) {
    double h[6], angular[6], linear = 0.0;
    for (int i = 0; i < 6; i++) {
      hn_solver *solver = new_solver(solver_specs[k], model);
      hn_state *at = hn_state_create(model);
      hn_measure before, after;
      set_moving(at);
      hn_measure_state(model, at, &before);
      h[i] = 0.005 / (1 << i);
      advance(solver, at, h[i], 200 << i);
      hn_measure_state(model, at, &after);
      linear = larger(linear, distance(before.momentum, after.momentum));
      angular[i] = distance(before.angular_momentum, after.angular_momentum);
      hn_state_free(at);
      hn_solver_free(solver);
    }
    printf(" %s: angular momentum %.2e to %.2e kg m^2/s\n", solver_specs[k], angular[0], angular[5]);
    check_below("change of momentum, kg m/s", linear, 1e-10);
    check_near("order of the angular momentum", hn_fit_order(h, angular, 6), 1, 0.2);
  }
  hn_model_free(model);
}

/* A freely rotating ball keeps its angular velocity: velocities from differences of poses do not damp it. */
static void free_rotation_is_not_damped(void **state)
{
  (void)state;
  static const char *const solver_specs[] = { "xpbd", "tgs-soft" };
  hn_error error;
  const double none[3] = { 0, 0, 0 }, w[3] = { 3, -4, 12 };
  hn_model *model = hn_model_create(none);
  hn_body_spec ball = { .name = "ball",
                        .kind = HN_RIGID,
                        .shape = { .kind = HN_SPHERE, .size = { 0.5 } },
                        .density = 100,
                        .orientation = { 1, 0, 0, 0 } };
  assert_int_equal(hn_model_add_body(model, &ball, &error), 1);
  for (int k = 0; k < 2; k++) {
    hn_solver *solver = new_solver(solver_specs[k], model);
    hn_state *at = hn_state_create(model);
    memcpy(at->twist[1].w, w, sizeof w);
    advance(solver, at, 0.05, 200);
    printf(" %s\n", solver_specs[k]);
    check_below("change of angular velocity after 10 s, rad/s", distance(at->twist[1].w, w), 1e-10);
    hn_state_free(at);
    hn_solver_free(solver);
  }
  hn_model_free(model);
}

/* ---- Scenes that other solvers refuse ------------------------------------------------------------------ */

/* The cube with ten redundant rods rotates freely: its edges hold, better with smaller substeps, and the
 * motion of its centre of mass is accurate to order 1. */
static void redundant_rods_hold(void **state)
{
  (void)state;
  static const char *const solver_specs[] = { "xpbd", "tgs-soft" };
  hn_model *model = redundant_cube();
  for (int k = 0; k < 2; k++) {
    double drift[2];
    for (int i = 0; i < 2; i++) {
      hn_solver *solver = new_solver(solver_specs[k], model);
      hn_state *at = hn_state_create(model);
      hn_summary summary;
      hn_run_options options = { .step = 0.01 / (1 + 3 * i), .duration = 1 };
      for (int p = 1; p <= 8; p++) { /* w = (0, 0, 2) about the centre */
        at->twist[p].v[0] = -2 * (at->pose[p].x[1] - 0.5);
        at->twist[p].v[1] = 2 * (at->pose[p].x[0] - 0.5);
      }
      assert_int_equal(hn_run(solver, at, &options, &summary), HN_CONVERGED);
      drift[i] = summary.position_max;
      double y = 0.0;
      for (int p = 1; p <= 8; p++) y += at->pose[p].x[1] / 8;
      printf(" %s, h = %g: fall of the centre %.6f m\n", solver_specs[k], options.step, y - 0.5);
      check_below("drift of the rods, m", drift[i], 1e-3);
      check_below("error of the fall over g h t / 2", (y - 0.5 + g / 2) / (g * options.step / 2), 1.0);
      hn_state_free(at);
      hn_solver_free(solver);
    }
    assert_true(drift[1] < drift[0] / 3);
  }
  hn_model_free(model);
}

/* A body with two joints at one point, and far too long steps: steps fail only when a number is not
 * finite. */
static void redundancy_and_long_steps_do_not_fail(void **state)
{
  (void)state;
  static const char *const solver_specs[] = { "xpbd", "tgs-soft" };
  hn_model *model = box_chain(3);
  add_ball(model, 0, 1, 0, 0, 0);
  for (int k = 0; k < 2; k++) {
    hn_solver *solver = new_solver(solver_specs[k], model);
    hn_state *at = hn_state_create(model), *given = hn_state_create(model);
    advance(solver, at, 0.001, 1000);
    check_below("residual after 1 s, m", solver->report.residual, 1e-4);
    advance(solver, at, 2.0, 50);
    printf("  %s: residual after steps of 2 s: %.3g m\n", solver_specs[k], solver->report.residual);
    at->twist[2].v[0] = NAN;
    hn_state_copy(given, at);
    assert_int_equal(hn_solver_step(solver, at, 0.01), HN_NOT_FINITE);
    assert_memory_equal(at->pose, given->pose, 4 * sizeof(hn_pose));
    hn_state_free(at), hn_state_free(given);
    hn_solver_free(solver);
  }
  hn_model_free(model);
}

/* A = B B' of rank 2; rows 2 and 4 (counted from 1) depend on the rows before them. */
static void singular_blocks_are_solved(void **state)
{
  (void)state;
  static const double B[4][2] = { { 1, 2 }, { -2, -4 }, { 3, 0.5 }, { 4, 2.5 } },
                      wanted[4] = { 0.3, -1.2, 0.7, 2.2 };
  double A[16], factor[16], b[4], x[4], worst = 0.0;
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) A[4 * i + j] = factor[4 * i + j] = B[i][0] * B[j][0] + B[i][1] * B[j][1];
  for (int i = 0; i < 4; i++) {
    b[i] = 0.0;
    for (int j = 0; j < 4; j++) b[i] += A[4 * i + j] * wanted[j];
    x[i] = b[i];
  }
  ldl_factor_semidefinite(4, factor);
  ldl_solve_semidefinite(4, factor, x);
  for (int i = 0; i < 4; i++) {
    double sum = -b[i];
    for (int j = 0; j < 4; j++) sum += A[4 * i + j] * x[j];
    worst = larger(worst, fabs(sum));
  }
  check_below("A x - b", worst, 1e-12);
  assert_true(x[1] == 0 && x[3] == 0);
}

/* ---- Warm starts --------------------------------------------------------------------------------------- */

/* Five particles hanging in a row, for which one sweep is too few. The impulses at rest persist from step to
 * step, scale with the step size, and are lost on reset. */
static void impulses_are_warm_started(void **state)
{
  (void)state;
  hn_model *model = new_model();
  for (int i = 0; i < 5; i++) {
    char name[16];
    snprintf(name, sizeof name, "p%d", i);
    add_rod(model, i, add_particle(model, name, 0, -1 - i, 0));
  }
  hn_solver *solver = new_solver("tgs-soft:hertz=30,substeps=1", model);
  hn_state *at = hn_state_create(model);
  advance(solver, at, 0.01, 20000);
  check_below("velocity of the last at rest, m/s", at->twist[5].v[1], 1e-13);
  for (int i = 0; i < 5; i++)
    check_near("force of a rod over its load", -solver->multipliers[i] / (g * (5 - i)), 1, 1e-9);
  advance(solver, at, 0.0025, 1);
  check_below("velocity after a step of a quarter", at->twist[5].v[1], 1e-12);
  hn_solver_reset(solver);
  advance(solver, at, 0.0025, 1);
  printf("  velocity after a reset: %.3f g h\n", -at->twist[5].v[1] / (g * 0.0025));
  assert_true(-at->twist[5].v[1] > 0.1 * g * 0.0025);
  hn_state_free(at);
  hn_solver_free(solver);
  hn_model_free(model);
}

static void bad_parameters_are_errors(void **state)
{
  (void)state;
  static const bad_spec bad[] = {
    { "xpbd:substeps=0", "outside" },
    { "xpbd:compliance=-1", "outside" },
    { "xpbd:complience=1", "did you mean \"compliance\"" },
    { "tgs-soft:hertz=-1", "outside" },
    { "tgs_soft", "did you mean \"tgs-soft\"" },
    { "tgs-soft:relax=0.5", "whole number" },
  };
  hn_model *model = box_chain(1);
  check_refused(model, bad, sizeof bad / sizeof *bad);
  hn_model_free(model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(order_in_the_step),
    cmocka_unit_test(order_in_the_substeps),
    cmocka_unit_test(drift_stays_small),
    cmocka_unit_test(fixed_frequency_leaves_an_error),
    cmocka_unit_test(compliance_is_a_spring),
    cmocka_unit_test(compliance_joins_two_masses),
    cmocka_unit_test(loads_stretch_joints),
    cmocka_unit_test(soft_joint_recovers),
    cmocka_unit_test(pulled_joint_recovers),
    cmocka_unit_test(momentum_is_kept),
    cmocka_unit_test(free_rotation_is_not_damped),
    cmocka_unit_test(redundant_rods_hold),
    cmocka_unit_test(redundancy_and_long_steps_do_not_fail),
    cmocka_unit_test(singular_blocks_are_solved),
    cmocka_unit_test(impulses_are_warm_started),
    cmocka_unit_test(bad_parameters_are_errors),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
