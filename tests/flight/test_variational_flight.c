/* test_variational_flight.c - discrete rotations: momenta against derivatives of the discrete Lagrangians,
 * order and symmetry, invariants over long runs, the end of their branch. */
#include "check.h"
#include "drift.h"
#include "holonom.h"
#include "tops.h"
#include "base/turn.h"

static const hn_flight moser_veselov = { { HN_MOSER_VESELOV, 0, 0, 0 }, hn_rotate_moser_veselov };
static const hn_flight exponential = { { HN_EXPONENTIAL, 0, 0, 0 }, hn_rotate_exponential };
static const hn_flight exact = { { HN_EXACT, 0, 0, 0 }, hn_rotate_exact };
static const hn_flight *const flights[] = { &moser_veselov, &exponential };
static const char *const name[] = { "Moser-Veselov", "exponential" };

static const motion free_top = { { 1, 0, 0, 0 }, { 0.1, 2, 0.1 } };

/* ---- The discrete Lagrangians -------------------------------------------------------------------------- */

/* Returns the discrete Lagrangian of FLIGHT for a step of H from q0 to q1, by its definition: tr((I - F) J_d)
 * / h for the matrix F = R0' R1, or x' J x / (2 h) for its rotation vector x. */
static double lagrangian(int flight, const hn_body *body, double h, const double q0[4], const double q1[4])
{
  double back[4], F[4], R[9], sum = 0;
  quat_conj(back, q0);
  quat_mul(F, back, q1);
  const double trace = body->J[0] + body->J[1] + body->J[2], size = vec_norm(F + 1);
  if (flight == 0) {
    quat_matrix(R, F);
    for (int i = 0; i < 3; i++) sum += (1 - R[4 * i]) * (0.5 * trace - body->J[i]);
    return sum / h;
  }
  const double scale = 2 * atan2(size, F[0]) / size;
  for (int i = 0; i < 3; i++) sum += body->J[i] * scale * F[i + 1] * scale * F[i + 1];
  return 0.5 * sum / h;
}

/* Computes the derivative of the Lagrangian with respect to rotations of q0 (end 0) or q1 (end 1) in body
 * axes, by central differences extrapolated once. */
static void momentum(int flight, const hn_body *body, double h, const motion *at, int end, double L_b[3])
{
  for (int i = 0; i < 3; i++) {
    double slope[2];
    for (int level = 0; level < 2; level++) {
      double value[2];
      const double e = 1e-3 / (1 + level);
      for (int side = 0; side < 2; side++) {
        double axis[3] = { 0 }, turn[4], q[4];
        axis[i] = 1;
        turn_by(turn, side ? e : -e, axis);
        quat_mul(q, at[end].q, turn);
        value[side] = lagrangian(flight, body, h, end ? at[0].q : q, end ? q : at[1].q);
      }
      slope[level] = (value[1] - value[0]) / (2 * e);
    }
    L_b[i] = (4 * slope[1] - slope[0]) / 3;
  }
}

/* The momenta at both ends are those of the discrete Legendre transform: p0 = -dL/dq0, p1 = dL/dq1. */
static void momenta_are_derivatives_of_the_lagrangian(void **state)
{
  (void)state;
  seed = 1;
  for (int f = 0; f < 2; f++) {
    double worst[2] = { 0 };
    for (int k = 0; k < 200; k++) {
      const hn_body body = draw_body(k % KINDS);
      motion at[2] = { draw_motion(1) };
      at[1] = fly(flights[f], &body, at[0], 0.4, 1);
      for (int end = 0; end < 2; end++) {
        double L_b[3], W[3], size = 0, error = 0;
        momentum(f, &body, 0.4, at, end, L_b);
        quat_unrotate(W, at[end].q, at[end].w);
        for (int i = 0; i < 3; i++) {
          const double expected = (end ? 1 : -1) * body.J[i] * W[i];
          error = larger(error, fabs(L_b[i] - expected)), size = fmax(size, fabs(expected));
        }
        worst[end] = larger(worst[end], error / size);
      }
    }
    printf(" %s\n", name[f]);
    check_below("momentum at the start, relative error", worst[0], 1e-9);
    check_below("momentum at the end, relative error", worst[1], 1e-9);
  }
}

/* ---- Order and symmetry -------------------------------------------------------------------------------- */

static void rotations_are_of_order_2(void **state)
{
  (void)state;
  enum { SIZES = 6 };
  const hn_body body = free_body(1, 2, 3);
  const motion end = fly(&exact, &body, free_top, 2, 1);
  for (int f = 0; f < 2; f++) {
    double h[SIZES], error[SIZES];
    for (int i = 0; i < SIZES; i++) {
      const int steps = 20 << i;
      const motion at = fly(flights[f], &body, free_top, 2, steps);
      h[i] = 2.0 / steps, error[i] = distance(&at, &end);
    }
    printf(" %s: errors %.2e to %.2e\n", name[f], error[0], error[SIZES - 1]);
    check_near("order", hn_fit_order(h, error, SIZES), 2, 0.1);
  }
}

static void steps_back_return(void **state)
{
  (void)state;
  seed = 2;
  for (int f = 0; f < 2; f++) {
    double worst = 0;
    for (int k = 0; k < 500; k++) {
      const hn_body body = draw_body(k % KINDS);
      const motion start = draw_motion(1), there = fly(flights[f], &body, start, 0.4, 1),
                   back = fly(flights[f], &body, there, -0.4, 1);
      worst = larger(worst, distance(&back, &start));
    }
    printf(" %s\n", name[f]);
    check_below("distance from the start after steps of h and -h", worst, 1e-12);
  }
}

/* Each body has the same bits in either half of a pair. */
static void neighbours_change_no_bits(void **state)
{
  (void)state;
  seed = 3;
  for (int f = 0; f < 2; f++)
    for (int k = 0; k < 100; k++) {
      const hn_body body[2] = { draw_body(k % KINDS), draw_body((k + 1) % KINDS) };
      const motion at[2] = { draw_motion(1), draw_motion(1) };
      const int index[2] = { 0, 1 }, swapped[2] = { 1, 0 };
      hn_pose pose[2], out[2], other[2];
      hn_twist twist[2], u[2], v[2];
      memset(out, 0, sizeof out), memset(other, 0, sizeof other);
      for (int i = 0; i < 2; i++) {
        memset(&pose[i], 0, sizeof *pose), memset(&twist[i], 0, sizeof *twist);
        memcpy(pose[i].q, at[i].q, sizeof pose[i].q), memcpy(twist[i].w, at[i].w, sizeof twist[i].w);
      }
      memset(u, 0, sizeof u), memset(v, 0, sizeof v);
      flights[f]->rotate(flights[f], body, index, 2, 0.3, pose, twist, out, u);
      flights[f]->rotate(flights[f], body, swapped, 2, 0.3, pose, twist, other, v);
      assert_memory_equal(out, other, sizeof out);
      assert_memory_equal(u, v, sizeof u);
      flights[f]->rotate(flights[f], body, swapped, 1, 0.3, pose, twist, other, v);
      assert_memory_equal(out, other, sizeof out);
    }
}

/* ---- Invariants ---------------------------------------------------------------------------------------- */

/* Moser and Veselov's map also has the energy as an integral; the exponential's oscillates. */
static void invariants_hold_over_long_runs(void **state)
{
  (void)state;
  enum { STEPS = 100000 };
  const hn_body body = free_body(1, 2, 3);
  for (int f = 0; f < 2; f++) {
    motion at = free_top;
    drift energies = { .steps = STEPS };
    double momentum = 0;
    for (int i = 0; i < STEPS; i++) {
      at = fly(flights[f], &body, at, 0.1, 1);
      momentum = larger(momentum, momentum_error(&body, &free_top, &at));
      drift_add(&energies, energy(&body, &at) / energy(&body, &free_top));
    }
    printf(" %s, 100000 steps\n", name[f]);
    check_below("angular momentum, relative error", momentum, 1e-13);
    if (f == 0) check_below("energy, relative range", drift_range(&energies), 1e-11);
    else check_drift("energy, relative", &energies, 2e-3, 0.01);
  }
}

/* ---- The end of the branch ----------------------------------------------------------------------------- */

static motion turned(const hn_flight *flight, double angle)
{
  const hn_body sphere = free_body(1, 1, 1);
  const motion at = { { 1, 0, 0, 0 }, { 0, angle, 0 } };
  return fly(flight, &sphere, at, 1, 1);
}

/* A sphere turns by asin(h W) with Moser-Veselov, up to a right angle, and by h W with the exponential, up to
 * a full turn. */
static void too_long_steps_have_no_result(void **state)
{
  (void)state;
  motion at = turned(&moser_veselov, 0.99);
  check_near("Moser-Veselov, h W = 0.99: angle, rad", 2 * atan2(at.q[2], at.q[0]), asin(0.99), 1e-13);
  at = turned(&exponential, 6.2);
  check_near("exponential, h W = 6.2: angle, rad", 2 * atan2(at.q[2], at.q[0]), 6.2, 1e-13);
  at = turned(&moser_veselov, 1.01);
  assert_true(isnan(at.q[0]));
  at = turned(&exponential, 6.3);
  assert_true(isnan(at.q[0]));
  at = turned(&moser_veselov, INFINITY);
  assert_true(isnan(at.q[0]));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(momenta_are_derivatives_of_the_lagrangian),
    cmocka_unit_test(rotations_are_of_order_2),
    cmocka_unit_test(steps_back_return),
    cmocka_unit_test(neighbours_change_no_bits),
    cmocka_unit_test(invariants_hold_over_long_runs),
    cmocka_unit_test(too_long_steps_have_no_result),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
