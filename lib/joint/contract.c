/* contract.c - the contract of joint types, measured on one joint of a model: closed form, power series and
 * finite differences must agree
 *
 * Poses near the start, twists and accelerations are drawn at random; the motion series of a body is
 *
 *   x_1 = v, x_2 = a / 2;  q_1 = w q / 2, q_2 = (w' q + w q_1) / 4;
 *   R_1 = [w] R, R_2 = ([w'] R + [w] R_1) / 2 */
#include "base/random.h"
#include "base/rates.h"
#include "base/vec.h"
#include "model.h"

#include <stdlib.h>
#include <string.h>

enum { POWERS = 4, TRIALS = 8, ROWS = HN_MAX_ROWS };
static const double step =
  2e-4; /* step of difference quotients, whose error is step^4 / 30 times the fifth derivative */

typedef struct motion {
  hn_pose pose;
  hn_twist u, du;
} motion;

typedef struct rows {
  double g[ROWS], G_a[6 * ROWS], G_b[6 * ROWS], bias[ROWS], gamma[ROWS];
} rows;

static motion draw(const hn_body *body, uint32_t *seed)
{
  motion m = { .pose = body->pose0 };
  double turn[4] = { 1.0 };
  for (int i = 0; i < 3; i++) {
    m.pose.x[i] += 0.1 * random_signed(seed), turn[1 + i] = 0.1 * random_signed(seed);
    m.u.v[i] = random_signed(seed), m.u.w[i] = random_signed(seed);
    m.du.v[i] = random_signed(seed), m.du.w[i] = random_signed(seed);
  }
  if (body->kind == HN_PARTICLE) {
    m.u = (hn_twist){ { m.u.v[0], m.u.v[1], m.u.v[2] }, { 0 } };
    m.du = (hn_twist){ { m.du.v[0], m.du.v[1], m.du.v[2] }, { 0 } };
    return m;
  }
  quat_mul(m.pose.q, turn, body->pose0.q);
  quat_normalise(m.pose.q);
  return m;
}

static rows eval(const hn_joint *joint, double t, const motion *a, const motion *b)
{
  rows r = { .g = { 0 } };
  const hn_rows out = { r.g, r.G_a, r.G_b, r.bias, r.gamma };
  joint->type->eval(joint, t, &a->pose, &a->u, &b->pose, &b->u, &out);
  return r;
}

/* r += G u */
static void add_rates(const hn_joint *joint, const rows *at, const hn_twist *ua, const hn_twist *ub,
                      double *r)
{
  hn_add_rates(joint->type->rows, at->G_a, ua, at->G_b, ub, r);
}

/* ---- Series -------------------------------------------------------------------------------------------- */

static void half_turn(double out[4], const double w[3], const double q[4])
{
  const double spin[4] = { 0, 0.5 * w[0], 0.5 * w[1], 0.5 * w[2] };
  quat_mul(out, spin, q);
}

static void turn_columns(double out[9], const double w[3], const double R[9])
{
  for (int c = 0; c < 3; c++) {
    const double column[3] = { R[c], R[3 + c], R[6 + c] };
    double turned[3];
    vec_cross(turned, w, column);
    for (int i = 0; i < 3; i++) out[3 * i + c] = turned[i];
  }
}

static hn_body_jet series_of(const motion *m, hn_body_power power[POWERS])
{
  double first[4], second[4], of_first[9], of_second[9];
  memset(power, 0, POWERS * sizeof *power);
  vec_copy(power[0].x, m->pose.x), vec_copy(power[1].x, m->u.v), vec_scale(power[2].x, 0.5, m->du.v);
  memcpy(power[0].q, m->pose.q, sizeof m->pose.q);
  half_turn(power[1].q, m->u.w, power[0].q);
  half_turn(first, m->du.w, power[0].q), half_turn(second, m->u.w, power[1].q);
  for (int i = 0; i < 4; i++) power[2].q[i] = 0.5 * (first[i] + second[i]);
  quat_matrix(power[0].R, m->pose.q);
  turn_columns(power[1].R, m->u.w, power[0].R);
  turn_columns(of_first, m->du.w, power[0].R), turn_columns(of_second, m->u.w, power[1].R);
  for (int i = 0; i < 9; i++) power[2].R[i] = 0.5 * (of_first[i] + of_second[i]);
  return (hn_body_jet){ POWERS, power };
}

/* Coefficients 0, 1, 2 of the rows and 0, 1 of the Jacobians. For a velocity type, g is a function with the
 * rows as its rate. */
typedef struct series {
  double g[3][ROWS];
  rows at[2];
} series;

static series jets_of(const hn_joint *joint, double t, const motion *a, const motion *b, double *work)
{
  hn_body_power of_a[POWERS], of_b[POWERS];
  hn_body_jet ja = series_of(a, of_a), jb = series_of(b, of_b);
  series s = { .g = { { 0 } } };
  const hn_joint_type *type = joint->type;
  memset(work, 0, sizeof *work * (size_t)type->jet_series * POWERS);
  for (size_t k = 0; k < 2; k++) type->jet(joint, t, &ja, &jb, k, work, s.g[k], s.at[k].G_a, s.at[k].G_b);
  if (!type->velocity) {
    type->jet(joint, t, &ja, &jb, 2, work, s.g[2], NULL, NULL);
    return s;
  }
  memcpy(s.g[2], s.g[1], sizeof s.g[2]), memcpy(s.g[1], s.g[0], sizeof s.g[1]),
    memset(s.g[0], 0, sizeof s.g[0]);
  add_rates(joint, &s.at[0], &a->u, &b->u, s.g[1]);
  add_rates(joint, &s.at[0], &a->du, &b->du, s.g[2]);
  add_rates(joint, &s.at[1], &a->u, &b->u, s.g[2]);
  for (int i = 0; i < type->rows; i++) s.g[2][i] *= 0.5;
  return s;
}

/* ---- Differences --------------------------------------------------------------------------------------- */

/* Returns the body after time E at constant twist. */
static motion moved(const motion *m, double e)
{
  motion to = *m;
  double angle = 0.5 * e * vec_norm(m->u.w), turn[4] = { 1.0 };
  vec_add_scaled(to.pose.x, e, m->u.v);
  /* half angles are below 1e-3: two terms of the series of cosine and sine are exact to round-off */
  turn[0] = 1.0 - 0.5 * angle * angle + angle * angle * angle * angle / 24.0;
  vec_scale(turn + 1, 0.5 * e * (1.0 - angle * angle / 6.0 + angle * angle * angle * angle / 120.0), m->u.w);
  quat_mul(to.pose.q, turn, m->pose.q);
  return to;
}

static rows beside(const hn_joint *joint, double t, const motion *a, const motion *b, double e)
{
  const motion ma = moved(a, e), mb = moved(b, e);
  rows r = eval(joint, t + e, &ma, &mb);
  if (joint->type->velocity) { /* the rate is differentiated */
    memcpy(r.g, r.bias, sizeof r.g);
    add_rates(joint, &r, &ma.u, &mb.u, r.g);
  }
  return r;
}

/* Computes COUNT derivatives along the motion, of the numbers at OFFSET of rows. */
static void differences(const rows at[4], size_t offset, int count, double *out)
{
  for (int i = 0; i < count; i++) {
    double x[4];
    for (int k = 0; k < 4; k++) x[k] = ((const double *)(const void *)((const char *)&at[k] + offset))[i];
    out[i] = (8 * (x[0] - x[1]) - (x[2] - x[3])) / (12 * step);
  }
}

/* ---- The contract -------------------------------------------------------------------------------------- */

static void worse(double *worst, const double *a, const double *b, double factor, int count)
{
  for (int i = 0; i < count; i++) {
    double off = fabs(factor * a[i] - b[i]) / (1.0 + fabs(b[i]));
    if (!(off <= *worst)) *worst = off;
  }
}

static void measure(const hn_joint *joint, double t, const motion *a, const motion *b, double *work,
                    hn_contract *out)
{
  const int n = joint->type->rows;
  const rows r = eval(joint, t, a, b);
  rows at[4];
  double rate[ROWS], acceleration[ROWS], slope[6 * ROWS];
  memcpy(rate, r.bias, sizeof rate), memcpy(acceleration, r.gamma, sizeof acceleration);
  add_rates(joint, &r, &a->u, &b->u, rate);
  add_rates(joint, &r, &a->du, &b->du, acceleration);
  static const double e[4] = { 1, -1, 2, -2 };
  for (int k = 0; k < 4; k++) at[k] = beside(joint, t, a, b, e[k] * step);
  differences(at, offsetof(rows, g), n, slope);
  worse(&out->difference, slope, joint->type->velocity ? r.gamma : rate, 1.0, n);
  if (!joint->type->jet) return;
  const series s = jets_of(joint, t, a, b, work);
  worse(&out->value, s.g[0], r.g, 1.0, n);
  worse(&out->rate, s.g[1], rate, 1.0, n);
  worse(&out->acceleration, s.g[2], acceleration, 2.0, n);
  worse(&out->jacobian, s.at[0].G_a, r.G_a, 1.0, 6 * n);
  worse(&out->jacobian, s.at[0].G_b, r.G_b, 1.0, 6 * n);
  differences(at, offsetof(rows, G_a), 6 * n, slope);
  worse(&out->slope, s.at[1].G_a, slope, 1.0, 6 * n);
  differences(at, offsetof(rows, G_b), 6 * n, slope);
  worse(&out->slope, s.at[1].G_b, slope, 1.0, 6 * n);
}

int hn_joint_contract(const hn_model *model, int joint, hn_contract *out, hn_error *error)
{
  const hn_joint *of = &model->joint[joint];
  double *work = calloc((size_t)of->type->jet_series * POWERS + 1, sizeof *work);
  uint32_t seed = 314159;
  *out = (hn_contract){ .value = 0.0 };
  if (!work) return hn_fail(error, "out of memory");
  for (int k = 0; k < TRIALS; k++) {
    const motion a = draw(&model->body[of->a], &seed), b = draw(&model->body[of->b], &seed);
    measure(of, 0.3, &a, &b, work, out);
  }
  free(work);
  out->has_jet = of->type->jet != NULL;
  out->kept = out->value <= HN_CONTRACT_EXACT && out->rate <= HN_CONTRACT_EXACT &&
              out->acceleration <= HN_CONTRACT_EXACT && out->jacobian <= HN_CONTRACT_EXACT &&
              out->difference <= HN_CONTRACT_DIFFERENCE && out->slope <= HN_CONTRACT_DIFFERENCE;
  return 0;
}
