/* body_series.c - the motion of one body as truncated power series in time.
 *
 *   m x'' = m gravity + force,   L' = torque about the centre of mass (world axes)
 *   W = J^-1 R' L,  q' = q (0, W) / 2,   R the matrix of q
 *
 * Coefficient k of the force gives k + 2 of x and k + 1 of L, hence k + 1 of W and k + 2 of q and R: products of
 * series, O(k) each. The angular momentum stands in for the angular velocity: without torque its series ends at once.
 *
 * A further part (f, t) of that coefficient enters all of them linearly, and beside coefficients 0 alone, so that it
 * costs O(1) to add:
 *
 *   x_{k+2} += f / (m (k+1) (k+2)),   dL_{k+1} = t / (k+1),   dW_{k+1} = J^-1 R_0' dL_{k+1}
 *   dq_{k+2} = q_0 (0, dW_{k+1}) / (2 (k+2)),   dR_{k+2} = the part of R in q_0 dq_{k+2}' + dq_{k+2} q_0'
 *
 * [METHODS, Taylor solver] */
#include "series/body_series.h"
#include "base/product.h"
#include "base/vec.h"

/* Sums of products of two quaternions, a b' + b a': each pair of components once; those of one component by half. */
typedef struct squares {
  lane ww, xx, yy, zz, wx, wy, wz, xy, xz, yz;
} squares;

static inline void add_squares(squares *s, const lane a[4], const lane b[4])
{
  s->ww += a[0] * b[0], s->xx += a[1] * b[1], s->yy += a[2] * b[2], s->zz += a[3] * b[3];
  s->wx += a[0] * b[1] + a[1] * b[0], s->wy += a[0] * b[2] + a[2] * b[0], s->wz += a[0] * b[3] + a[3] * b[0];
  s->xy += a[1] * b[2] + a[2] * b[1], s->xz += a[1] * b[3] + a[3] * b[1], s->yz += a[2] * b[3] + a[3] * b[2];
}

static inline double both(lane a)
{
  return a[0] + a[1];
}

/* R = ww + xx - yy - zz and so on. */
static inline void matrix_of(double R[9], const squares *s)
{
  double ww = 2.0 * both(s->ww), xx = 2.0 * both(s->xx), yy = 2.0 * both(s->yy), zz = 2.0 * both(s->zz);
  double wx = both(s->wx), wy = both(s->wy), wz = both(s->wz);
  double xy = both(s->xy), xz = both(s->xz), yz = both(s->yz);
  R[0] = ww + xx - yy - zz, R[1] = 2.0 * (xy - wz), R[2] = 2.0 * (xz + wy);
  R[3] = 2.0 * (xy + wz), R[4] = ww - xx + yy - zz, R[5] = 2.0 * (yz - wx);
  R[6] = 2.0 * (xz - wy), R[7] = 2.0 * (yz + wx), R[8] = ww - xx - yy + zz;
}

/* R_k from q_0 .. q_k: q_i with q_{k-i} for i < k - i, then the one in the middle. */
static void matrix_coefficient(const hn_body_jet *body, size_t k)
{
  const size_t n = body->stride, count = (k + 1) / 2;
  squares sum = { .ww = { 0, 0 } };
  lane a[4], b[4];
  double R[9];
  size_t i = 0;
  for (; i + 1 < count; i += 2) {
    for (size_t c = 0; c < 4; c++) a[c] = forth(body->q + c * n + i), b[c] = back(body->q + c * n + (k - 1 - i));
    add_squares(&sum, a, b);
  }
  if (i < count) {
    for (size_t c = 0; c < 4; c++) a[c] = single(body->q[c * n + i]), b[c] = single(body->q[c * n + k - i]);
    add_squares(&sum, a, b);
  }
  if (k % 2 == 0) {
    for (size_t c = 0; c < 4; c++) a[c] = single(body->q[c * n + k / 2]), b[c] = 0.5 * a[c];
    add_squares(&sum, a, b);
  }
  matrix_of(R, &sum);
  for (size_t c = 0; c < 9; c++) body->R[c * n + k] = R[c];
}

/* sum += q (0, W) */
static inline void add_turn(lane sum[4], const lane q[4], const lane W[3])
{
  sum[0] -= q[1] * W[0] + q[2] * W[1] + q[3] * W[2];
  sum[1] += q[0] * W[0] + q[2] * W[2] - q[3] * W[1];
  sum[2] += q[0] * W[1] - q[1] * W[2] + q[3] * W[0];
  sum[3] += q[0] * W[2] + q[1] * W[1] - q[2] * W[0];
}

/* q_k = sum over i < k of q_{k-1-i} (0, W_i) / (2 k). */
static void quaternion_coefficient(const hn_body_series *body, size_t k)
{
  const size_t n = body->jet.stride;
  double *q = body->jet.q;
  lane sum[4] = { { 0, 0 }, { 0, 0 }, { 0, 0 }, { 0, 0 } }, a[4], W[3];
  size_t i = 0;
  for (; i + 1 < k; i += 2) {
    for (size_t c = 0; c < 4; c++) a[c] = back(q + c * n + (k - 2 - i));
    for (size_t c = 0; c < 3; c++) W[c] = forth(body->W + c * n + i);
    add_turn(sum, a, W);
  }
  if (i < k) {
    for (size_t c = 0; c < 4; c++) a[c] = single(q[c * n]);
    for (size_t c = 0; c < 3; c++) W[c] = single(body->W[c * n + i]);
    add_turn(sum, a, W);
  }
  for (size_t c = 0; c < 4; c++) q[c * n + k] = 0.5 * both(sum[c]) / (double)k;
}

/* W_k = J^-1 sum over i of R_i' L_{k-i}. */
static void velocity_coefficient(const hn_body_series *body, const double inv_J[3], size_t k)
{
  const size_t n = body->jet.stride;
  const double *R = body->jet.R;
  lane sum[3] = { { 0, 0 }, { 0, 0 }, { 0, 0 } }, L[3];
  size_t i = 0;
  for (; i < k; i += 2) {
    for (size_t r = 0; r < 3; r++) L[r] = back(body->L + r * n + (k - 1 - i));
    for (size_t c = 0; c < 3; c++)
      sum[c] += forth(R + c * n + i) * L[0] + forth(R + (3 + c) * n + i) * L[1] + forth(R + (6 + c) * n + i) * L[2];
  }
  for (size_t c = 0; c < 3 && i == k; c++)
    sum[c][0] += R[c * n + i] * body->L[0] + R[(3 + c) * n + i] * body->L[n] + R[(6 + c) * n + i] * body->L[2 * n];
  for (size_t c = 0; c < 3; c++) body->W[c * n + k] = inv_J[c] * both(sum[c]);
}

void hn_body_series_open(hn_body_series *body, const hn_body *of, double *at, size_t stride)
{
  *body = (hn_body_series){ .jet = { .stride = stride, .x = at, .q = at + 3 * stride, .R = at + 7 * stride },
                            .L = at + 16 * stride, .W = at + 19 * stride,
                            .kind = of->kind, .inv_mass = of->inv_mass };
  memcpy(body->inv_J, of->inv_J, sizeof body->inv_J);
  memcpy(body->gravity, of->gravity, sizeof body->gravity);
}

void hn_body_series_start(hn_body_series *body, const hn_body *of, const hn_pose *pose, const hn_twist *twist)
{
  const size_t n = body->jet.stride;
  double R[9], w_b[3], L_b[3], L[3];
  for (size_t c = 0; c < 3; c++) body->jet.x[c * n] = pose->x[c], body->jet.x[c * n + 1] = twist->v[c];
  for (size_t c = 0; c < 4; c++) body->jet.q[c * n] = pose->q[c];
  matrix_coefficient(&body->jet, 0);
  if (of->kind != HN_RIGID) return; /* the rest stays zero */
  quat_matrix(R, pose->q);
  mat_tvec(w_b, R, twist->w);
  for (int c = 0; c < 3; c++) L_b[c] = of->J[c] * w_b[c];
  mat_vec(L, R, L_b);
  for (size_t c = 0; c < 3; c++) body->L[c * n] = L[c], body->W[c * n] = w_b[c];
  quaternion_coefficient(body, 1);
  matrix_coefficient(&body->jet, 1);
}

void hn_body_series_advance(hn_body_series *body, size_t k, const double force[6])
{
  const size_t n = body->jet.stride;
  if (body->kind == HN_FIXED) return;
  for (size_t c = 0; c < 3; c++) {
    double a = body->inv_mass * force[c] + (k == 0 ? body->gravity[c] : 0.0);
    body->jet.x[c * n + k + 2] = a / (double)((k + 1) * (k + 2));
  }
  if (body->kind != HN_RIGID) return;
  for (size_t c = 0; c < 3; c++) body->L[c * n + k + 1] = force[3 + c] / (double)(k + 1);
  velocity_coefficient(body, body->inv_J, k + 1);
  quaternion_coefficient(body, k + 2);
  matrix_coefficient(&body->jet, k + 2);
}

void hn_body_series_push(hn_body_series *body, size_t k, const double force[6])
{
  const size_t n = body->jet.stride;
  const double per_x = body->inv_mass / (double)((k + 1) * (k + 2)), per_L = 1.0 / (double)(k + 1);
  lane a[4], W[3], dq[4] = { { 0, 0 }, { 0, 0 }, { 0, 0 }, { 0, 0 } };
  squares sum = { .ww = { 0, 0 } };
  double dR[9];
  for (size_t c = 0; c < 3; c++) body->jet.x[c * n + k + 2] += per_x * force[c];
  if (body->kind != HN_RIGID) return;
  for (size_t c = 0; c < 3; c++) {
    const double *R = body->jet.R + c * n;
    double dW = per_L * body->inv_J[c] * (R[0] * force[3] + R[3 * n] * force[4] + R[6 * n] * force[5]);
    body->L[c * n + k + 1] += per_L * force[3 + c];
    body->W[c * n + k + 1] += dW;
    W[c] = single(0.5 * dW / (double)(k + 2));
  }
  for (size_t c = 0; c < 4; c++) a[c] = single(body->jet.q[c * n]);
  add_turn(dq, a, W);
  add_squares(&sum, a, dq);
  matrix_of(dR, &sum);
  for (size_t c = 0; c < 4; c++) body->jet.q[c * n + k + 2] += dq[c][0];
  for (size_t c = 0; c < 9; c++) body->jet.R[c * n + k + 2] += dR[c];
}

/* v_k = (k + 1) x_{k+1}, w_k = sum over i of R_i W_{k-i}. */
void hn_body_series_twist(const hn_body_series *body, size_t k, double twist[6])
{
  const size_t n = body->jet.stride;
  for (size_t r = 0; r < 3; r++) {
    twist[r] = (double)(k + 1) * body->jet.x[r * n + k + 1];
    twist[3 + r] = 0.0;
    for (size_t c = 0; c < 3; c++)
      twist[3 + r] += convolution(body->jet.R + (3 * r + c) * n, body->W + c * n, k + 1);
  }
}

/* Horner's rule. */
static double value(const double *coefficient, size_t order, double h)
{
  double sum = coefficient[order];
  for (size_t k = order; k-- > 0;) sum = sum * h + coefficient[k];
  return sum;
}

static double derivative(const double *coefficient, size_t order, double h)
{
  double sum = 0.0;
  for (size_t k = order + 1; k-- > 0;) sum = sum * h + (double)(k + 1) * coefficient[k + 1];
  return sum;
}

void hn_body_series_state(const hn_body_series *body, double h, size_t order, hn_pose *pose, hn_twist *twist)
{
  const size_t n = body->jet.stride;
  double R[9], L[3], w_b[3];
  for (size_t c = 0; c < 3; c++) {
    pose->x[c] = value(body->jet.x + c * n, order, h);
    twist->v[c] = derivative(body->jet.x + c * n, order, h);
    L[c] = value(body->L + c * n, order, h);
  }
  if (body->kind != HN_RIGID) return;
  for (size_t c = 0; c < 4; c++) pose->q[c] = value(body->jet.q + c * n, order, h);
  quat_normalise(pose->q);
  quat_matrix(R, pose->q);
  mat_tvec(w_b, R, L);
  for (int c = 0; c < 3; c++) w_b[c] *= body->inv_J[c];
  mat_vec(twist->w, R, w_b);
}
