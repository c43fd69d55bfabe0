/* test_flight.c - rotations of free bodies: reference values of many digits, fitted orders, closed form
 * against power series on many bodies, invariants, reproducible bits. */
#include "check.h"
#include "holonom.h"
#include "tops.h"

#include <gsl/gsl_errno.h>

static const hn_flight rk4 = { { 0, 0, 0, 0 }, hn_rotate_rk4 };
static const hn_flight exact = { { 2, 0, 0, 0 }, hn_rotate_exact };

static hn_flight taylor(int order)
{
  return (hn_flight){ { 1, order, 0, 0 }, hn_rotate_taylor };
}

static hn_flight adaptive(int order, double tolerance)
{
  return (hn_flight){ { 1, order, 1, tolerance }, hn_rotate_taylor };
}

/* ---- Reference values ---------------------------------------------------------------------------------- */

/* REFERENCES, section 2: free asymmetric body, closed form. */
static const motion free_top = { { 1, 0, 0, 0 }, { 0.1, 2, 0.1 } };
static const struct {
  double t, W[3], q[4];
} free_top_values[] = {
  { 1,
    { -0.07326330819569985780, 2.00115778680048662925, 0.09195562757435077530 },
    { 0.53872150074183678229, 0.00443472088290130285, 0.84105419598627758202, 0.04886018116043051234 } },
  { 10,
    { 1.10506663441741957677, -1.66997836318239678877, 0.64321387487694501938 },
    { -0.29796696110860477774, 0.94535729018642284072, 0.11484622844040650329, -0.06576950503159263740 } },
};

/* Checks the errors at t = 1 and t = 10. A flip in between magnifies earlier errors by about 1 / (1 - m) =
 * 200. */
static void check_free_top(const char *what, const hn_flight *flight, double steps_a_second, double bound,
                           double bound_10)
{
  hn_body body = free_body(1, 2, 3);
  for (size_t i = 0; i < 2; i++) {
    double t = free_top_values[i].t, steps = steps_a_second > 0 ? steps_a_second * t : 1, worst = 0;
    motion at = fly(flight, &body, free_top, t, (int)steps);
    double W[3];
    quat_unrotate(W, at.q, at.w);
    for (int k = 0; k < 4; k++) worst = fmax(worst, fabs(at.q[k] - free_top_values[i].q[k]));
    for (int k = 0; k < 3; k++) worst = fmax(worst, fabs(W[k] - free_top_values[i].W[k]));
    char text[80];
    snprintf(text, sizeof text, "%s, t = %g: largest error of q and W", what, t);
    check_below(text, worst, i == 0 ? bound : bound_10);
  }
}

static void test_free_top(void **state)
{
  (void)state;
  hn_flight taylor20 = taylor(20), taylor5 = taylor(5), loose = adaptive(8, 1e-12);
  check_free_top("exact, one step", &exact, 0, 1e-15, 1e-14);
  check_free_top("exact, 100 steps a second", &exact, 100, 2e-14, 2e-11);
  check_free_top("taylor 20, 100 steps a second", &taylor20, 100, 2e-14, 2e-11);
  check_free_top("taylor 5, 1000 steps a second", &taylor5, 1000, 2e-14, 5e-11);
  check_free_top("taylor 8 adaptive to 1e-12, one step", &loose, 0, 2e-11, 5e-9);
  check_free_top("rk4, 2000 steps a second", &rk4, 2000, 1e-13, 2e-11);
}

/* Near the unstable axis a perturbation grows by e^(p h), here until the body has flipped and nearly come to
 * rest again. Reference: own power series of order 70 in 130 digits. */
static void test_flips(void **state)
{
  (void)state;
  hn_body body = free_body(1, 2, 3);
  motion a = { { 1, 0, 0, 0 }, { 1e-20, 1.3, 1e-22 } }, b = { { 1, 0, 0, 0 }, { 1e-45, 1.3, 3e-46 } };
  const double a_end[4] = { 0.98914062859857674325, -0.00071970813876581693618, 0.14696929026656162491,
                            0.00057148433977918410634 };
  const double b_end[4] = { 2.2751796437333234147e-36, 0.18333664964572296699, -2.6578595441975852022e-36,
                            0.98305018839155990911 };
  a = fly(&exact, &body, a, 200, 1);
  b = fly(&exact, &body, b, 250, 1);
  for (int i = 0; i < 4; i++) check_near("perturbed by 1e-20, after 200 s", a.q[i], a_end[i], 5e-14);
  for (int i = 0; i < 4; i++) check_near("perturbed by 1e-45, after 250 s", b.q[i], b_end[i], 5e-14);
}

/* ---- Axes and signs ------------------------------------------------------------------------------------ */

/* Checks the rotation of a body about its principal axis k, along the world axis N: q(h) = exp(N w h / 2)
 * q. */
static void check_axis(const char *what, const hn_flight *flight, int steps, double bound)
{
  double worst = 0;
  seed = 11;
  for (int k = 0; k < 3; k++) {
    hn_body body = free_body(1.1, 1.7, 2.2);
    motion at = draw_motion(0), expected = at;
    double W[3] = { 0 }, rate = 1.3 - k, h = 2.5, turn[4];
    W[k] = rate;
    quat_rotate(at.w, at.q, W);
    turn[0] = cos(0.5 * rate * h);
    vec_scale(turn + 1, sin(0.5 * rate * h) / rate, at.w);
    quat_mul(expected.q, turn, at.q);
    vec_copy(expected.w, at.w);
    at = fly(flight, &body, at, h, steps);
    worst = fmax(worst, distance(&at, &expected));
  }
  check_below(what, worst, bound);
}

static void test_world_axes(void **state)
{
  (void)state;
  hn_flight taylor30 = taylor(30);
  check_axis("exact: turn about a principal axis", &exact, 1, 2e-15);
  check_axis("taylor 30: turn about a principal axis", &taylor30, 10, 2e-14);
  check_axis("rk4: turn about a principal axis", &rk4, 10000, 1e-12);

  /* Quarter turn about world z of a body that lies on its side: its x axis moves from y to -x. */
  hn_body body = free_body(1, 2, 3);
  double half = sqrt(0.5), x_axis[3] = { 1, 0, 0 };
  motion at = { { half, 0, 0, half }, { 0, 0, 1 } };
  const hn_flight *flights[] = { &rk4, &taylor30, &exact };
  for (int i = 0; i < 3; i++) {
    double x[3];
    motion end = fly(flights[i], &body, at, acos(-1) / 2, 200);
    quat_rotate(x, end.q, x_axis);
    check_near("x axis after a quarter turn, from y to -x: x", x[0], -1, 1e-10);
    check_near("x axis after a quarter turn, from y to -x: y", x[1], 0, 1e-10);
    assert_true(end.w[0] == 0 && end.w[1] == 0);
  }
}

/* First order: dq = (0, w) q h / 2 with the world angular velocity on the left, for a wobbling body. */
static void test_small_step(void **state)
{
  (void)state;
  hn_flight taylor3 = taylor(3);
  const hn_flight *flights[] = { &rk4, &taylor3, &exact };
  const char *const names[] = { "rk4: q - q0 against (0, w) q h / 2", "taylor: q - q0 against (0, w) q h / 2",
                                "exact: q - q0 against (0, w) q h / 2" };
  for (int i = 0; i < 3; i++) {
    seed = 5;
    hn_body body = free_body(1, 2, 2.5);
    motion at = draw_motion(1), end = fly(flights[i], &body, at, 1e-6, 1);
    double rate[4] = { 0, at.w[0], at.w[1], at.w[2] }, worst = 0;
    quat_mul(rate, rate, at.q);
    for (int k = 0; k < 4; k++) worst = fmax(worst, fabs((end.q[k] - at.q[k]) / 1e-6 - 0.5 * rate[k]));
    check_below(names[i], worst, 2e-6);
  }
}

/* ---- Orders -------------------------------------------------------------------------------------------- */

static void check_order(const char *what, const hn_flight *flight, int order, double largest_step,
                        double tolerance)
{
  enum { STEPS = 7 };
  hn_body body = free_body(1, 2, 2.6);
  motion start = { { 0.5, -0.5, 0.1, 0.7 }, { 0.9, 1.1, -0.7 } };
  quat_normalise(start.q);
  double step[STEPS], q_error[STEPS], w_error[STEPS];
  motion reference = fly(&exact, &body, start, 2, 1);
  for (int i = 0; i < STEPS; i++) {
    int count = (int)ceil(2 / largest_step * pow(1.25, i));
    motion at = fly(flight, &body, start, 2, count);
    double dw[3], dq[4];
    for (int k = 0; k < 4; k++) dq[k] = at.q[k] - reference.q[k];
    vec_sub(dw, at.w, reference.w);
    step[i] = 2.0 / count, q_error[i] = norm_of(dq, 4), w_error[i] = vec_norm(dw);
  }
  char text[80];
  printf("  %s: errors of q from %.1e to %.1e\n", what, q_error[0], q_error[STEPS - 1]);
  snprintf(text, sizeof text, "%s: order of q", what);
  check_near(text, hn_fit_order(step, q_error, STEPS), order, tolerance);
  snprintf(text, sizeof text, "%s: order of w", what);
  check_near(text, hn_fit_order(step, w_error, STEPS), order, tolerance);
}

static void test_orders(void **state)
{
  (void)state;
  hn_flight taylor2 = taylor(2), taylor4 = taylor(4), taylor6 = taylor(6), taylor10 = taylor(10);
  check_order("rk4", &rk4, 4, 0.02, 0.2);
  check_order("taylor 2", &taylor2, 2, 0.01, 0.2);
  check_order("taylor 4", &taylor4, 4, 0.02, 0.2);
  check_order("taylor 6", &taylor6, 6, 0.1, 0.2);
  check_order("taylor 10", &taylor10, 10, 0.4, 0.5);
}

/* ---- Closed form against power series ------------------------------------------------------------------ */

/* Returns the error of the exact flight divided by max(1, |w| h). The reference is the Taylor flight of order
 * 30 in steps of at most half a radian; its round-off has the same size. */
static double exact_error(const hn_body *body, const motion *start, double h)
{
  hn_flight taylor30 = taylor(30);
  double angle = vec_norm(start->w) * fabs(h);
  motion reference = fly(&taylor30, body, *start, h, 1 + (int)(2 * angle));
  motion at = fly(&exact, body, *start, h, 1);
  return distance(&at, &reference) / fmax(1, angle);
}

static void test_exact_random(void **state)
{
  (void)state;
  seed = 1;
  for (int kind = 0; kind < KINDS; kind++) {
    double worst = 0;
    for (int i = 0; i < 400; i++) {
      hn_body body = draw_body(kind);
      motion start = draw_motion(3);
      double h = (i % 3 == 0 ? -1 : 1) * pow(10, 3.5 * draw() - 2.5), error = exact_error(&body, &start, h);
      if (!(error <= worst)) worst = error;
    }
    char text[80];
    snprintf(text, sizeof text, "400 bodies, %s, h 1e-6 to 10: error per radian", kind_name[kind]);
    check_below(text, worst, 2e-14);
  }
}

/* Rotation about each principal axis of all kinds of bodies, with perturbations of any size. h is so short
 * that the unstable axis magnifies round-off by less than ten. */
static void test_exact_near_axes(void **state)
{
  (void)state;
  static const double size[] = { 0, 1e-200, 1e-60, 1e-30, 1e-16, 1e-12, 1e-8, 1e-4, 1e-2 };
  seed = 2;
  double worst = 0;
  for (int kind = 0; kind < KINDS; kind++)
    for (int i = 0; i < 9 * 27; i++) {
      hn_body body = draw_body(kind);
      motion start = draw_motion(1);
      double W[3];
      for (int k = 0; k < 3; k++) W[k] = size[i / 27] * draw();
      if (i / 3 % 3 < 2) W[(i + 1) % 3] *= i / 3 % 3 * 1e-3; /* none, or of a very different size */
      W[i % 3] = 1.5 + draw();
      set_body_rates(&start, W[0], W[1], W[2]);
      double error = exact_error(&body, &start, (1 + i / 9 % 3) / vec_norm(start.w));
      if (!(error <= worst)) worst = error;
    }
  check_below("bodies turning about or near each axis: error per radian", worst, 2e-14);
}

/* l_x^2 (1/J_x - 1/J_y) = l_z^2 (1/J_y - 1/J_z), perturbed by SIDE: m is 1 or next to it. The reference
 * magnifies its round-off by e^(p h), too. */
static void test_separatrix(void **state)
{
  (void)state;
  static const double side[] = { 0, 1e-16, -1e-15, 1e-14, -1e-12, 1e-10, -1e-8, 1e-6, -1e-4, 1e-3 };
  double worst = 0, worst_long = 0, momentum = 0;
  seed = 3;
  for (int i = 0; i < 100; i++) {
    hn_body body = free_body(1, 2, 3);
    motion start = draw_motion(0);
    double z = draw() > 0 ? 0.8 : -0.8, x = (draw() > 0 ? 1 : -1) * sqrt(3) * z * (1 + side[i % 10]);
    set_body_rates(&start, x, draw(), z);
    worst = fmax(worst, exact_error(&body, &start, draw()));
    worst_long = fmax(worst_long, exact_error(&body, &start, 6 * draw()));
    motion at = fly(&exact, &body, start, 1e4 * (1 + fabs(draw())), 1);
    momentum = fmax(momentum, momentum_error(&body, &start, &at));
    assert_true(isfinite(energy(&body, &at)));
  }
  check_below("on and beside the separatrix, h <= 1: error per radian", worst, 2e-14);
  check_below("h <= 6, where it grows by e^7: error per radian", worst_long, 2e-12);
  check_below("h about 1e4: error of the world angular momentum", momentum, 4e-15);
}

static void test_exact_extremes(void **state)
{
  (void)state;
  hn_body body = free_body(1, 2, 3);
  motion still = { { 0.6, 0, 0.8, 0 }, { 0, 0, 0 } }, at = fly(&exact, &body, still, 1, 1);
  check_below("a body at rest: change", distance(&at, &still), 0);

  /* The motion depends on w h only. */
  motion plain = { { 1, 0, 0, 0 }, { 0.3, -0.5, 0.2 } }, slow = plain;
  vec_scale(slow.w, 0x1p-500, plain.w);
  motion a = fly(&exact, &body, plain, 2, 1), b = fly(&exact, &body, slow, 0x1p501, 1);
  vec_scale(b.w, 0x1p500, b.w);
  check_below("time and rates scaled by 2^500: change", distance(&b, &a), 0);

  motion invalid = plain;
  invalid.w[1] = NAN;
  invalid = fly(&exact, &body, invalid, 1, 1);
  assert_true(isnan(invalid.q[0]));
  invalid = fly(&exact, &body, plain, INFINITY, 1);
  assert_true(isnan(invalid.q[0]));
}

/* ---- Invariants ---------------------------------------------------------------------------------------- */

static void test_conservation(void **state)
{
  (void)state;
  hn_body body = free_body(1, 2, 3);
  double one_L = 0, one_E = 0;
  seed = 4;
  for (int i = 0; i < 300; i++) {
    hn_body any = draw_body(i % KINDS);
    motion start = draw_motion(3), at = fly(&exact, &any, start, 3 * draw(), 1);
    one_L = fmax(one_L, momentum_error(&any, &start, &at));
    one_E = fmax(one_E, energy_error(&any, &start, &at));
  }
  check_below("exact, 300 single steps: world angular momentum", one_L, 6e-15);
  check_below("exact, 300 single steps: energy", one_E, 1e-14);

  motion at = fly(&exact, &body, free_top, 1000, 1);
  /* Round-off accumulates like a random walk: 10000 steps have about 100 times the error of one. */
  check_below("exact, 72 periods in a step: world angular momentum", momentum_error(&body, &free_top, &at),
              2e-15);
  check_below("exact, 72 periods in a step: energy", energy_error(&body, &free_top, &at), 1e-14);
  at = fly(&exact, &body, free_top, 100, 10000);
  check_below("exact, 10000 steps: world angular momentum", momentum_error(&body, &free_top, &at), 3e-13);
  check_below("exact, 10000 steps: energy", energy_error(&body, &free_top, &at), 3e-13);
  check_below("exact, 10000 steps: |q| - 1", norm_of(at.q, 4) - 1, 4e-16);

  hn_flight taylor20 = taylor(20);
  at = fly(&taylor20, &body, free_top, 100, 2000);
  check_below("taylor 20, 2000 steps: world angular momentum", momentum_error(&body, &free_top, &at), 1e-13);
  check_below("taylor 20, 2000 steps: energy", energy_error(&body, &free_top, &at), 1e-13);
  at = fly(&rk4, &body, free_top, 10, 10000);
  check_below("rk4, 10000 steps of 1 ms: world angular momentum", momentum_error(&body, &free_top, &at),
              1e-12);
  check_below("rk4, 10000 steps of 1 ms: energy", energy_error(&body, &free_top, &at), 1e-12);
}

/* Phi_a(Phi_b) = Phi_(a + b), and Phi_-a(Phi_a) = 1. */
static void test_group(void **state)
{
  (void)state;
  double worst = 0, back = 0;
  seed = 6;
  for (int i = 0; i < 500; i++) {
    hn_body body = draw_body(i % KINDS);
    motion start = draw_motion(2);
    double a = 3 * draw(), b = 3 * draw();
    motion once = fly(&exact, &body, start, a + b, 1), twice = fly(&exact, &body, start, b, 1), home;
    home = fly(&exact, &body, twice, -b, 1);
    twice = fly(&exact, &body, twice, a, 1);
    worst = fmax(worst, distance(&twice, &once));
    back = fmax(back, distance(&home, &start));
  }
  check_below("exact: flight of b then a, against a + b", worst, 2e-13);
  check_below("exact: flight of b then -b", back, 2e-13);
}

/* ---- Bits ---------------------------------------------------------------------------------------------- */

static void check_bits(const char *what, const hn_flight *flight)
{
  enum { COUNT = 7 };
  static const int index[COUNT] = { 4, 0, 6, 1, 3, 2, 5 };
  hn_body body[COUNT];
  hn_pose pose[COUNT] = { 0 }, together[COUNT] = { 0 }, apart[COUNT] = { 0 };
  hn_twist twist[COUNT] = { 0 }, w_together[COUNT] = { 0 }, w_apart[COUNT] = { 0 };
  seed = 7;
  for (int i = 0; i < COUNT; i++) {
    motion at = draw_motion(2);
    body[i] = draw_body(i);
    memcpy(pose[i].q, at.q, sizeof at.q);
    memcpy(twist[i].w, at.w, sizeof at.w);
  }
  flight->rotate(flight, body, index, COUNT, 0.1, pose, twist, together, w_together);
  for (int size = 1; size <= 4; size++) {
    memset(apart, 0, sizeof apart);
    memset(w_apart, 0, sizeof w_apart);
    for (int i = 0; i < COUNT; i += size)
      flight->rotate(flight, body, index + i, size < COUNT - i ? size : COUNT - i, 0.1, pose, twist, apart,
                     w_apart);
    assert_memory_equal(together, apart, sizeof apart);
    assert_memory_equal(w_together, w_apart, sizeof w_apart);
  }
  printf("  %-58s the same bits alone, in pairs, threes, fours and all at once\n", what);
}

/* Returns a hash of 50 steps of seven bodies. */
static uint64_t bits_of(const hn_flight *flight)
{
  uint64_t hash = HN_HASH_START;
  seed = 8;
  for (int i = 0; i < 7; i++) {
    hn_body body = draw_body(i % 2);
    motion at = fly(flight, &body, draw_motion(2), 2, 50);
    for (size_t k = 0; k < 7; k++) {
      uint64_t bits;
      memcpy(&bits, k < 4 ? &at.q[k] : &at.w[k - 4], sizeof bits);
      hash = (hash ^ bits) * UINT64_C(0x100000001b3);
    }
  }
  return hash;
}

static void check_hash(const char *what, const hn_flight *flight, uint64_t expected)
{
  uint64_t hash = bits_of(flight);
  printf("  %-58s %016llx  expected %016llx\n", what, (unsigned long long)hash, (unsigned long long)expected);
  assert_true(hash == expected);
}

static void test_bits(void **state)
{
  (void)state;
  hn_flight taylor5 = taylor(5), taylor30 = taylor(30), substeps = adaptive(4, 1e-9);
  check_bits("rk4", &rk4);
  check_bits("taylor 5", &taylor5);
  check_bits("taylor 30", &taylor30);
  check_bits("taylor 4 adaptive", &substeps);
  check_bits("exact", &exact);
  /* One value for all compilers and optimisation levels, because these flights use + - * / and sqrt only. */
  check_hash("rk4", &rk4, UINT64_C(0x32a88391c2e66a43));
  check_hash("taylor 5", &taylor5, UINT64_C(0x791b3cc0a0ad441d));
  check_hash("taylor 4 adaptive", &substeps, UINT64_C(0xf7973cd4bbbccedd));
  check_hash("exact", &exact, UINT64_C(0x876ba47e3b1a34e4));
}

/* ---- Adaptive substeps --------------------------------------------------------------------------------- */

/* The tolerance bounds the error estimate of each substep, so the error of a flight is below it times the
 * number of substeps. Substeps must not be wasted either. */
static void test_adaptive(void **state)
{
  (void)state;
  static const int orders[] = { 2, 5, 10, 30 };
  hn_body body = free_body(1, 2, 3);
  motion start = { { 1, 0, 0, 0 }, { 1.5, 2, -1 } }, reference = fly(&exact, &body, start, 5, 1);
  for (int i = 0; i < 4; i++)
    for (double tolerance = 1e-4; tolerance > 1e-13; tolerance *= 1e-3) {
      if (orders[i] == 2 && tolerance < 1e-8) break;
      hn_flight flight = adaptive(orders[i], tolerance);
      motion at = fly(&flight, &body, start, 5, 1);
      double error = 0;
      for (int k = 0; k < 4; k++) error = fmax(error, fabs(at.q[k] - reference.q[k]));
      /* A substep within the tolerance has a length of about tolerance^(1/(n+1)). */
      double substeps = 5 * vec_norm(start.w) / pow(tolerance, 1.0 / (orders[i] + 1));
      char text[80];
      snprintf(text, sizeof text, "taylor %d, adaptive to %.0e: error of q", orders[i], tolerance);
      check_below(text, error, tolerance * substeps);
      if (tolerance > 1e-12) check_below("... the tolerance over the error", tolerance / error, 100);
    }
}

static void test_adaptive_limits(void **state)
{
  (void)state;
  hn_body body = free_body(1, 2, 3);
  hn_flight easy = adaptive(6, 1), fixed = taylor(6), impossible = adaptive(1, 1e-30);
  motion a = fly(&easy, &body, free_top, 0.1, 1), b = fly(&fixed, &body, free_top, 0.1, 1);
  check_below("adaptive with a loose tolerance against one step", distance(&a, &b), 0);
  a = fly(&impossible, &body, free_top, 1, 1);
  assert_true(isnan(a.q[0])); /* not a silent failure */
  hn_flight tight = adaptive(10, 1e-12);
  a = fly(&tight, &body, free_top, -2, 1);
  b = fly(&exact, &body, free_top, -2, 1);
  check_below("adaptive, backwards in time: error", distance(&a, &b), 1e-11);
}

static int switch_off_handler(void **state)
{
  (void)state;
  gsl_set_error_handler_off();
  return 0;
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_free_top),        cmocka_unit_test(test_flips),
    cmocka_unit_test(test_world_axes),      cmocka_unit_test(test_small_step),
    cmocka_unit_test(test_orders),          cmocka_unit_test(test_exact_random),
    cmocka_unit_test(test_exact_near_axes), cmocka_unit_test(test_separatrix),
    cmocka_unit_test(test_exact_extremes),  cmocka_unit_test(test_conservation),
    cmocka_unit_test(test_group),           cmocka_unit_test(test_bits),
    cmocka_unit_test(test_adaptive),        cmocka_unit_test(test_adaptive_limits),
  };
  return cmocka_run_group_tests(tests, switch_off_handler, NULL);
}
