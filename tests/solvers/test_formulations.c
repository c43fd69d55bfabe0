/* test_formulations.c - scenes without a known trajectory, compared between two independent formulations: the
 * chain with generalised coordinates, trees and machines by power series and Runge-Kutta; and balances of
 * momentum and energy. Bounds follow from theory: the truncation estimated from two step sizes and the order,
 * a tolerance, or rounding. */
#include "scenes.h"
#include "base/vec.h"

#include <string.h>

#define COUNT(array) (sizeof array / sizeof *array)
static const double g = 9.81;

static bench run_scene(const char *scene, const hn_setting *setting, const char *spec, double step, double t)
{
  bench b = set_up_with(scene, setting, spec);
  must_converge(&b, step, t, NULL, NULL);
  return b;
}

/* Returns the largest distance between equal bodies of two runs. */
static double largest_distance(const bench *a, const bench *b)
{
  double worst = 0.0, d[3];
  for (int i = 1; i < a->model->nbody; i++) {
    vec_sub(d, a->state->pose[i].x, b->state->pose[i].x);
    worst = larger(worst, vec_norm(d));
  }
  return worst;
}

/* ---- The chain in the angles of its links -------------------------------------------------------------- */

enum { LINKS = 10 };
typedef struct chain {
  double angle[LINKS], rate[LINKS];
} chain;

/* Returns the factor of link i in the position of the centre of link k: 1 above it, 1/2 for itself. */
static double share(int k, int i)
{
  return i < k ? 1.0 : i == k ? 0.5 : 0.0;
}

/* Solves A x = b by elimination for symmetric positive definite A; x replaces b. */
static void eliminate(double A[LINKS][LINKS], double b[LINKS])
{
  for (int k = 0; k < LINKS; k++)
    for (int i = k + 1; i < LINKS; i++) {
      double factor = A[i][k] / A[k][k];
      for (int j = k; j < LINKS; j++) A[i][j] -= factor * A[k][j];
      b[i] -= factor * b[k];
    }
  for (int k = LINKS - 1; k >= 0; k--) {
    for (int j = k + 1; j < LINKS; j++) b[k] -= A[k][j] * b[j];
    b[k] /= A[k][k];
  }
}

/* Solves Lagrange's equations: sum_j M_ij (cos(a_i - a_j) a_j'' + sin(a_i - a_j) a_j'^2) = -g sum_k m share
 * cos a_i. */
static void accelerations(const chain *at, double out[LINKS])
{
  const double m = 600 * 1.0 * 0.1 * 0.1, J = m * (1.0 + 0.01) / 12.0;
  double A[LINKS][LINKS];
  for (int i = 0; i < LINKS; i++) {
    out[i] = 0.0;
    for (int k = 0; k < LINKS; k++) out[i] -= m * g * share(k, i) * cos(at->angle[i]);
    for (int j = 0; j < LINKS; j++) {
      double M = i == j ? J : 0.0, between = at->angle[i] - at->angle[j];
      for (int k = 0; k < LINKS; k++) M += m * share(k, i) * share(k, j);
      A[i][j] = M * cos(between);
      out[i] -= M * sin(between) * at->rate[j] * at->rate[j];
    }
  }
  eliminate(A, out);
}

static chain moved(const chain *at, double h, const chain *d)
{
  chain out;
  for (int i = 0; i < LINKS; i++) {
    out.angle[i] = at->angle[i] + h * d->angle[i];
    out.rate[i] = at->rate[i] + h * d->rate[i];
  }
  return out;
}

static chain slope_at(const chain *at)
{
  chain d;
  memcpy(d.angle, at->rate, sizeof d.angle);
  accelerations(at, d.rate);
  return d;
}

/* Integrates the chain, released from the horizontal, by the classical Runge-Kutta method. */
static chain swing(double t, int steps)
{
  const double h = t / steps;
  chain s = { { 0 }, { 0 } };
  for (int n = 0; n < steps; n++) {
    chain k1 = slope_at(&s), at = moved(&s, h / 2, &k1), k2 = slope_at(&at);
    at = moved(&s, h / 2, &k2);
    chain k3 = slope_at(&at);
    at = moved(&s, h, &k3);
    chain k4 = slope_at(&at);
    s = moved(&s, h / 6, &k1), s = moved(&s, h / 3, &k2), s = moved(&s, h / 3, &k3),
    s = moved(&s, h / 6, &k4);
  }
  return s;
}

/* Returns the largest distance between the centre of a link in the scene and that given by its angles. */
static double distance_from_angles(const bench *b, const chain *s)
{
  double worst = 0.0, x = 0.0, y = 0.0;
  for (int i = 0; i < LINKS; i++) {
    const double *at = b->state->pose[i + 1].x, c = 0.5 * cos(s->angle[i]), sine = 0.5 * sin(s->angle[i]);
    worst = larger(worst, hypot(hypot(at[0] - x - c, at[1] - y - sine), at[2]));
    x += 2 * c, y += 2 * sine;
  }
  return worst;
}

/* Estimates the error of a run with half the step from its difference to the run with the whole step, by the
 * order; with a safety factor of 1.5. */
static double truncation(double difference, int order)
{
  return 1.5 * difference / (ldexp(1.0, order) - 1.0);
}

static void chain_agrees_with_generalised_coordinates(void **state)
{
  (void)state;
  static const struct {
    const char *spec;
    double step;
    int order;
    double round_off;
  } solver_specs[] = {
    { "impulse-sle:tolerance=1e-13,flight=exact", 0.0025, 2, 1e-11 },
    { "lagrange:stepper=rk4", 0.0025, 4, 1e-11 },
    { "taylor:order=8", 0.01, 8, 1e-11 },
    { "lagrange:stepper=rk8pd,stabilisation=projection", 0.005, 8, 1e-11 },
    { "generalised-alpha", 0.0025, 2, 1e-9 },
    { "half-explicit", 0.0025, 4, 1e-10 },
  };
  const double t = 0.5;
  chain coarse = swing(t, 1000), fine = swing(t, 2000);
  double angle_error = 0.0;
  for (int i = 0; i < LINKS; i++) angle_error = larger(angle_error, fabs(fine.angle[i] - coarse.angle[i]));
  check_below("angles with half the step, rad", angle_error, 1e-9);
  angle_error = truncation(angle_error, 4) * LINKS;
  for (size_t i = 0; i < COUNT(solver_specs); i++) {
    bench whole = run_scene("chain", NULL, solver_specs[i].spec, solver_specs[i].step, t);
    bench half = run_scene("chain", NULL, solver_specs[i].spec, solver_specs[i].step / 2, t);
    check_below(solver_specs[i].spec, distance_from_angles(&half, &fine),
                truncation(largest_distance(&whole, &half), solver_specs[i].order) + angle_error +
                  solver_specs[i].round_off);
    tear_down(&whole), tear_down(&half);
  }
}

/* ---- Power series against Runge-Kutta ------------------------------------------------------------------ */

/* Smooth intervals: before the motors of the car leave their limit, and without the limits of the ragdoll.
 * The truck has none: its ram changes at the end of the first step. */
static const struct {
  const char *scene;
  hn_setting setting;
  double t, series, runge_kutta;
} smooth[] = {
  { "tree", { "n", "31" }, 0.5, 0.02, 0.01 },
  { "star", { "n", "31" }, 0.3, 0.02, 0.01 },
  { "car", { "speed", "15" }, 0.2, 0.005, 0.0025 },
  { "walking_machine", { "hinges", "false" }, 0.3, 0.01, 0.0025 },
  { "ragdoll", { "limits", "false" }, 0.5, 0.01, 0.0025 },
};

static void series_agree_with_runge_kutta(void **state)
{
  (void)state;
  for (size_t i = 0; i < COUNT(smooth); i++) {
    const char *scene = smooth[i].scene, *spec = "lagrange:stepper=rk8pd,stabilisation=projection";
    bench series = run_scene(scene, &smooth[i].setting, "taylor:order=16", smooth[i].series, smooth[i].t);
    bench finer = run_scene(scene, &smooth[i].setting, "taylor:order=16", smooth[i].series / 2, smooth[i].t);
    bench whole = run_scene(scene, &smooth[i].setting, spec, smooth[i].runge_kutta, smooth[i].t);
    bench half = run_scene(scene, &smooth[i].setting, spec, smooth[i].runge_kutta / 2, smooth[i].t);
    double bound = truncation(largest_distance(&series, &finer), 16) +
                   truncation(largest_distance(&whole, &half), 8) + 1e-11;
    printf(" %s, t = %g s: differences from half the step %.1e and %.1e m\n", scene, smooth[i].t,
           largest_distance(&series, &finer), largest_distance(&whole, &half));
    check_below("difference, m", largest_distance(&finer, &half), bound);
    check_below("the bound itself, m", bound, 1e-7);
    tear_down(&series), tear_down(&finer), tear_down(&whole), tear_down(&half);
  }
}

/* ---- Balances ------------------------------------------------------------------------------------------ */

/* Trees hang from a point of the vertical axis: angular momentum is conserved about that axis only, by the
 * impulses of a step to rounding; energy to the square of the step. */
static void trees_conserve_momentum_and_energy(void **state)
{
  (void)state;
  static const char *const scenes[] = { "tree", "star", "chain" };
  for (size_t i = 0; i < COUNT(scenes); i++) {
    double error[2];
    for (int k = 0; k < 2; k++) {
      bench b = set_up(scenes[i], "impulse-sle:tolerance=1e-13,flight=exact");
      hn_measure start, end;
      hn_measure_state(b.model, b.state, &start);
      must_converge(&b, 0.01 / (k + 1), 0.3, NULL, NULL);
      hn_measure_state(b.model, b.state, &end);
      double size = vec_norm(start.angular_momentum) + vec_norm(end.angular_momentum);
      check_below(scenes[i], (end.angular_momentum[1] - start.angular_momentum[1]) / size, 1e-12);
      error[k] = b.summary.energy_error_max;
      tear_down(&b);
    }
    check_near("energy error over that of half the step", error[0] / error[1], 4.0, 0.4);
  }
}

/* A spring between the ground and a body, as declared in the scene; along an axis of the ground (1 x, 2 y) or
 * between its two points (0). */
typedef struct ground_spring {
  const char *body;
  double ground[3], at[3], stiffness, damping, length; /* at: from the centre of mass, body axes */
  int along;
} ground_spring;

/* Adds the force of the spring on the body to out. */
static void add_spring_force(const hn_model *model, const hn_state *state, const ground_spring *spring,
                             double out[3])
{
  hn_error error;
  int i = hn_model_find_body(model, spring->body, &error);
  double arm[3], d[3], turn[3], v[3];
  quat_rotate(arm, state->pose[i].q, spring->at);
  vec_add(d, state->pose[i].x, arm);
  vec_sub(d, d, spring->ground);
  vec_cross(turn, state->twist[i].w, arm);
  vec_add(v, state->twist[i].v, turn);
  const int axis = spring->along - 1;
  if (axis >= 0) {
    out[axis] -= spring->stiffness * d[axis] + spring->damping * v[axis];
    return;
  }
  double length = vec_norm(d), rate = vec_dot(d, v) / length;
  vec_add_scaled(out, -(spring->stiffness * (length - spring->length) + spring->damping * rate) / length, d);
}

typedef struct balance {
  const hn_model *model;
  const ground_spring *spring;
  size_t springs;
  double mass, step, before[3], momentum[3], worst, size;
} balance;

/* In each step momentum changes by half a step of the forces at its start and half a step of those at its
 * end. This is exact, because impulses between bodies cancel, whatever limits are hit. */
static bool accumulate_balance(void *user, const hn_frame *frame)
{
  balance *b = user;
  double force[3] = { 0, -b->mass * g, 0 };
  for (size_t i = 0; i < b->springs; i++) add_spring_force(b->model, frame->state, &b->spring[i], force);
  for (int c = 0; c < 3 && frame->index > 0; c++) {
    double change = frame->measure->momentum[c] - b->momentum[c];
    b->worst = larger(b->worst, fabs(change - 0.5 * b->step * (force[c] + b->before[c])));
    b->size = larger(b->size, fabs(change));
  }
  vec_copy(b->before, force);
  vec_copy(b->momentum, frame->measure->momentum);
  return true;
}

static void check_balance(const char *scene, const char *spec, double duration, const ground_spring *spring,
                          size_t springs)
{
  bench b = set_up(scene, spec);
  balance sum = { .model = b.model, .spring = spring, .springs = springs, .step = 0.01 };
  for (int i = 1; i < b.model->nbody; i++) sum.mass += b.model->body[i].mass;
  must_converge(&b, sum.step, duration, accumulate_balance, &sum);
  printf(" %s, %s\n", scene, spec);
  check_below("momentum balance of a step, relative", sum.worst / sum.size, 1e-10);
  tear_down(&b);
}

static void machines_balance_their_momentum(void **state)
{
  (void)state;
  ground_spring ropes[4], hangers[4];
  const ground_spring grab[] = { { "forearm_right", { 0, 1.08, 0 }, { 0, -0.2, 0 }, 5000, 200, 0.3, 0 } };
  const double leg = M_PI * 0.01 * 0.03 * 2000 + 0.9 * 0.0016 * 1500 + 0.08 * 0.08 * 0.08 * 1200;
  const double length = 1.2 - (1.4 * 0.2 * 0.6 * 240 + 6 * leg) * g / 6000;
  const ground_spring road[] = {
    { "hub_front", { 3.2, 0.5, 0 }, { 0 }, 1.6e6, 8e3, 0, 2 },
    { "hub_middle", { -1.4, 0.5, 0 }, { 0 }, 1.6e6, 8e3, 0, 2 },
    { "hub_rear", { -2.7, 0.5, 0 }, { 0 }, 1.6e6, 8e3, 0, 2 },
    { "chassis", { 0.5, 1, 0 }, { 0 }, 1e6, 5e4, 0, 1 },
  };
  for (int i = 0; i < 4; i++) {
    const double x = i < 2 ? 1.0 : -1.0, z = i % 2 ? 1.0 : -1.0;
    ropes[i] =
      (ground_spring){ "chassis", { 1.3 * x, 3, 0.7 * z }, { 1.3 * x, 0.25, 0.7 * z }, 40e3, 2500, 2.2, 0 };
    hangers[i] =
      (ground_spring){ "body", { 0.6 * x, 1.4, 0.3 * z }, { 0.6 * x, 0.1, 0.3 * z }, 1500, 60, length, 0 };
  }
  check_balance("car", "impulse-sle", 1.5, ropes, 4);
  check_balance("walking_machine", "impulse-sle", 1.5, hangers, 4);
  check_balance("truck", "impulse-sle", 9, road, 4);
  check_balance("ragdoll", "impulse-sle", 1.5, grab, 1);
  check_balance("ragdoll", "impulse-gs:velocity_tolerance=1e-12", 1.5, grab, 1);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(chain_agrees_with_generalised_coordinates),
    cmocka_unit_test(series_agree_with_runge_kutta),
    cmocka_unit_test(trees_conserve_momentum_and_energy),
    cmocka_unit_test(machines_balance_their_momentum),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
