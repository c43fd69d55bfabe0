/* test_joints.c - eval and jet of all registered joint types.
 *
 * Two bodies in general position and motion, and a power series of their motion from independent Taylor
 * coefficients. eval is compared with finite motion and with the jet. For velocity constraints G u + bias is
 * differentiated in place of the residual. Effects of the rows on bodies are tested in test_joint_rows.c. */
#include "joint_trials.h"

enum { ORDER = 3, POWERS = ORDER + 1, WORK = 200 * POWERS };

/* Computes the coefficients of q from q' = (0, w) q / 2 and its derivative. */
static void quaternion_series(const motion *m, double q[3][4])
{
  double w[4] = { 0 }, dw[4] = { 0 }, first[4], second[4];
  vec_copy(w + 1, m->twist.w), vec_copy(dw + 1, m->acceleration.w);
  memcpy(q[0], m->pose.q, sizeof q[0]);
  quat_mul(q[1], w, q[0]);
  for (int i = 0; i < 4; i++) q[1][i] *= 0.5;
  quat_mul(first, dw, q[0]);
  quat_mul(second, w, q[1]);
  for (int i = 0; i < 4; i++) q[2][i] = 0.25 * (first[i] + second[i]); /* half of the second derivative */
}

/* Returns coefficient k of an entry of the rotation matrix, a quadratic form in q. */
static double matrix_coefficient(double q[3][4], int entry, int k)
{
  double sum = 0.0, R[9];
  for (int i = 0; i <= k; i++) { /* polarisation: B(p, q) = (R(p + q) - R(p - q)) / 4 without the unit part */
    double plus[4], minus[4], Rm[9];
    for (int c = 0; c < 4; c++) plus[c] = q[i][c] + q[k - i][c], minus[c] = q[i][c] - q[k - i][c];
    quat_matrix(R, plus);
    quat_matrix(Rm, minus);
    sum += 0.25 * (R[entry] - Rm[entry]);
  }
  return sum + (k == 0 && entry % 4 == 0 ? 1.0 : 0.0);
}

static hn_body_jet body_jet(const motion *m, hn_body_power power[POWERS])
{
  double q[3][4];
  quaternion_series(m, q);
  memset(power, 0, POWERS * sizeof *power);
  for (int k = 0; k < 3; k++) {
    for (int i = 0; i < 3; i++)
      power[k].x[i] = k == 0 ? m->pose.x[i] : k == 1 ? m->twist.v[i] : 0.5 * m->acceleration.v[i];
    for (int i = 0; i < 4; i++) power[k].q[i] = q[k][i];
    for (int i = 0; i < 9; i++) power[k].R[i] = matrix_coefficient(q, i, k);
  }
  return (hn_body_jet){ POWERS, power };
}

/* Computes coefficients 0, 1, 2 of the integral of G u + bias, from the jets of Jacobian and bias (in g) and
 * the twists and accelerations of both bodies. */
static void rate_series(const hn_joint *joint, const motion *a, const motion *b, double g[3][6])
{
  hn_body_power of_a[POWERS], of_b[POWERS];
  hn_body_jet ja = body_jet(a, of_a), jb = body_jet(b, of_b);
  double work[WORK];
  rows at[2];
  for (size_t k = 0; k < 2; k++)
    joint->type->jet(joint, TIME, &ja, &jb, k, work, g[k + 1], at[k].Ga, at[k].Gb);
  for (int i = 0; i < joint->type->rows; i++) {
    g[0][i] = 0.0;
    g[1][i] += row_velocity(joint, &at[0], i, &a->twist, &b->twist);
    g[2][i] += row_velocity(joint, &at[0], i, &a->acceleration, &b->acceleration) +
               row_velocity(joint, &at[1], i, &a->twist, &b->twist);
    g[2][i] *= 0.5;
  }
}

/* Computes coefficients 0, 1, 2 of the residual. */
static void residual_series(const hn_joint *joint, const motion *a, const motion *b, double g[3][6])
{
  hn_body_power of_a[POWERS], of_b[POWERS];
  hn_body_jet ja = body_jet(a, of_a), jb = body_jet(b, of_b);
  double work[WORK];
  for (size_t k = 0; k < 3; k++) joint->type->jet(joint, TIME, &ja, &jb, k, work, g[k], NULL, NULL);
}

static void eval_agrees_with_jet(void **state)
{
  (void)state;
  size_t count;
  const hn_joint_type *const *types = tested_types(&count);
  for (size_t t = 0; t < count; t++) {
    if (!types[t]->jet) continue;
    double worst[3] = { 0, 0, 0 };
    for (int trial = 0; trial < 50; trial++) {
      hn_joint joint = { .type = types[t] };
      motion a, b;
      double g[3][6];
      draw_regular(&joint, &a, &b);
      (types[t]->velocity ? rate_series : residual_series)(&joint, &a, &b, g);
      rows r = eval(&joint, &a, &b);
      for (int i = 0; i < types[t]->rows; i++) {
        worst[0] = fmax(worst[0], fabs(g[0][i] - r.g[i]));
        worst[1] = fmax(worst[1],
                        fabs(g[1][i] - r.bias[i] - row_velocity(&joint, &r, i, &a.twist, &b.twist)));
        double second = r.gamma[i] + row_velocity(&joint, &r, i, &a.acceleration, &b.acceleration);
        worst[2] = fmax(worst[2], fabs(2 * g[2][i] - second));
      }
    }
    printf(" %s\n", types[t]->name);
    check_below("jet coefficient 0 against g", worst[0], 1e-12);
    check_below("jet coefficient 1 against G u + bias", worst[1], 1e-12);
    check_below("twice coefficient 2 against G a + gamma", worst[2], 1e-12);
  }
}

static rows rows_after(const hn_joint *joint, const motion *a, const motion *b, double e)
{
  motion moved_a = *a, moved_b = *b;
  moved_a.pose = displaced(&a->pose, &a->twist, e), moved_b.pose = displaced(&b->pose, &b->twist, e);
  rows r = eval_at(joint->type->velocity ? TIME + e : TIME, joint, &moved_a, &moved_b);
  for (int i = 0; i < joint->type->rows && joint->type->velocity; i++) { /* quantity to be differentiated */
    assert_true(r.g[i] == 0.0);
    r.g[i] = r.bias[i] + row_velocity(joint, &r, i, &a->twist, &b->twist);
  }
  return r;
}

/* The rows at the times e, -e, 2 e, -2 e of constant twists; for velocity constraints G u + bias in place of
 * g. */
typedef struct stencil {
  rows at[4];
} stencil;

static stencil stencil_at(const hn_joint *joint, const motion *a, const motion *b)
{
  return (stencil){ { rows_after(joint, a, b, E), rows_after(joint, a, b, -E), rows_after(joint, a, b, 2 * E),
                      rows_after(joint, a, b, -2 * E) } };
}

static void jacobian_agrees_with_finite_motion(void **state)
{
  (void)state;
  size_t count;
  const hn_joint_type *const *types = tested_types(&count);
  for (size_t t = 0; t < count; t++) {
    double worst = 0.0;
    for (int trial = 0; trial < 50; trial++) {
      hn_joint joint = { .type = types[t] };
      motion a, b;
      draw_regular(&joint, &a, &b);
      rows r = eval(&joint, &a, &b);
      stencil s = stencil_at(&joint, &a, &b);
      for (int i = 0; i < types[t]->rows; i++)
        worst = fmax(
          worst, fabs(derivative(s.at[0].g[i], s.at[1].g[i], s.at[2].g[i], s.at[3].g[i]) -
                      (types[t]->velocity ? r.gamma[i] : row_velocity(&joint, &r, i, &a.twist, &b.twist))));
    }
    printf(" %s\n", types[t]->name);
    check_below(types[t]->velocity ? "difference of G u + bias against gamma" : "difference of g against G u",
                worst, 1e-9);
  }
}

/* Coefficient 0 of the Jacobian's jet is G, coefficient 1 its derivative along the motion. */
static void jacobian_series_agrees_with_eval(void **state)
{
  (void)state;
  size_t count;
  const hn_joint_type *const *types = tested_types(&count);
  for (size_t t = 0; t < count; t++) {
    if (!types[t]->jet) continue;
    double worst[2] = { 0, 0 };
    for (int trial = 0; trial < 50; trial++) {
      hn_joint joint = { .type = types[t] };
      motion a, b;
      hn_body_power of_a[POWERS], of_b[POWERS];
      draw_regular(&joint, &a, &b);
      hn_body_jet ja = body_jet(&a, of_a), jb = body_jet(&b, of_b);
      double work[WORK], g[6], Ga[2][36], Gb[2][36];
      for (size_t k = 0; k < 2; k++) types[t]->jet(&joint, TIME, &ja, &jb, k, work, g, Ga[k], Gb[k]);
      rows r = eval(&joint, &a, &b);
      stencil s = stencil_at(&joint, &a, &b);
      for (int i = 0; i < 6 * types[t]->rows; i++) {
        double off_a = fabs(Ga[0][i] - r.Ga[i]) / (1 + fabs(r.Ga[i]));
        double off_b = fabs(Gb[0][i] - r.Gb[i]) / (1 + fabs(r.Gb[i]));
        worst[0] = fmax(worst[0], fmax(off_a, off_b));
        double da = derivative(s.at[0].Ga[i], s.at[1].Ga[i], s.at[2].Ga[i], s.at[3].Ga[i]);
        double db = derivative(s.at[0].Gb[i], s.at[1].Gb[i], s.at[2].Gb[i], s.at[3].Gb[i]);
        worst[1] = fmax(worst[1], fmax(fabs(Ga[1][i] - da), fabs(Gb[1][i] - db)));
      }
    }
    printf(" %s\n", types[t]->name);
    check_below("Jacobian coefficient 0 against G", worst[0], 1e-13);
    check_below("Jacobian coefficient 1 against a difference", worst[1], 1e-9);
  }
}

/* Adds SCALE times 14 numbers of CHANGE to coefficient k of a body. */
static void add_change(const hn_body_jet *body, size_t k, double scale, const double *change)
{
  for (size_t i = 0; i < 3; i++) body->power[k].x[i] += scale * change[i];
  for (size_t i = 0; i < 4; i++) body->power[k].q[i] += scale * change[3 + i];
  for (size_t i = 0; i < 9; i++) body->power[k].R[i] += scale * change[7 + i];
}

/* Solvers first evaluate residual 2, then add the effect of the multipliers to coefficient 2. The Jacobian 2
 * and all of order 3 must then equal those computed from the final coefficients. */
static void late_changes_reach_the_jet(void **state)
{
  (void)state;
  size_t count;
  const hn_joint_type *const *types = tested_types(&count);
  for (size_t t = 0; t < count; t++) {
    double worst = 0.0;
    for (int trial = 0; trial < 20 && types[t]->jet; trial++) {
      hn_joint joint = { .type = types[t] };
      motion a, b;
      hn_body_power of_a[POWERS], of_b[POWERS];
      double work[2][WORK], g[2][6] = { { 0 } }, G[2][2][72] = { { { 0 } } }, late[32];
      draw_regular(&joint, &a, &b);
      hn_body_jet ja = body_jet(&a, of_a), jb = body_jet(&b, of_b);
      fill_random(late, 32);
      add_change(&ja, 3, 1.0, late + 16), add_change(&jb, 3, 1.0, late);
      for (int run = 0; run < 2; run++) {
        double sign = run == 0 ? 0.0 : 1.0, *own = work[run];
        memset(own, 0, sizeof work[run]);
        for (size_t k = 0; k < 2; k++)
          types[t]->jet(&joint, TIME, &ja, &jb, k, own, g[run], G[run][0], G[run][0] + 36);
        add_change(&ja, 2, sign, late), add_change(&jb, 2, sign, late + 16);
        types[t]->jet(&joint, TIME, &ja, &jb, 2, own, g[run], NULL, NULL);
        add_change(&ja, 2, -sign, late), add_change(&jb, 2, -sign, late + 16);
        types[t]->jet(&joint, TIME, &ja, &jb, 2, own, NULL, G[run][0], G[run][0] + 36);
        types[t]->jet(&joint, TIME, &ja, &jb, 3, own, g[run], G[run][1], G[run][1] + 36);
      }
      for (int i = 0; i < types[t]->rows; i++)
        worst = fmax(worst, fabs(g[1][i] - g[0][i]) / (1.0 + fabs(g[0][i])));
      for (int i = 0; i < 72; i++)
        for (int k = 0; k < 2; k++)
          worst = fmax(worst, fabs(G[1][k][i] - G[0][k][i]) / (1.0 + fabs(G[0][k][i])));
    }
    printf(" %s\n", types[t]->name);
    check_below("jets after a late change against jets without, relative", worst, 1e-12);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(eval_agrees_with_jet),
    cmocka_unit_test(jacobian_agrees_with_finite_motion),
    cmocka_unit_test(jacobian_series_agrees_with_eval),
    cmocka_unit_test(late_changes_reach_the_jet),
    cmocka_unit_test_setup(eval_agrees_with_jet, in_the_plane),
    cmocka_unit_test_setup(jacobian_agrees_with_finite_motion, in_the_plane),
    cmocka_unit_test_setup(jacobian_series_agrees_with_eval, in_the_plane),
    cmocka_unit_test_setup(late_changes_reach_the_jet, in_the_plane),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
