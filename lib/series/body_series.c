/* body_series.c - the motion of one body as truncated power series in time.
 *
 *   m x'' = m gravity + force,   L' = torque about the centre of mass (world axes)
 *   W = J^-1 R' L,  q' = q (0, W) / 2,   R the matrix of q
 *
 * Coefficient k of the force determines k + 2 of x and k + 1 of L, hence k + 1 of W and k + 2 of q and R:
 * products of series, O(k) each. L is used in place of the angular velocity because its series is finite
 * without torque.
 *
 * A further part (f, t) of coefficient k enters linearly, multiplied by coefficients 0 only. Adding it costs
 * O(1):
 *
 *   x_{k+2} += f / (m (k+1) (k+2)),   dL_{k+1} = t / (k+1),   dW_{k+1} = J^-1 R_0' dL_{k+1}
 *   dq_{k+2} = q_0 (0, dW_{k+1}) / (2 (k+2)),   dR_{k+2} = the part of R in q_0 dq_{k+2}' + dq_{k+2} q_0'
 *
 * [METHODS, section 5] */
#include "series/body_series.h"
#include "base/product.h"
#include "base/vec.h"

/* Sums of the products a b' + b a' of quaternions: ww holds half of the product of w with w, wx the product
 * of w with x. */
typedef struct squares {
  lane ww, xx, yy, zz, wx, wy, wz, xy, xz, yz;
} squares;

static inline void add_squares(squares *s, const lane a[4], const lane b[4])
{
  s->ww += a[0] * b[0], s->xx += a[1] * b[1], s->yy += a[2] * b[2], s->zz += a[3] * b[3];
  s->wx += a[0] * b[1] + a[1] * b[0], s->wy += a[0] * b[2] + a[2] * b[0], s->wz += a[0] * b[3] + a[3] * b[0];
  s->xy += a[1] * b[2] + a[2] * b[1], s->xz += a[1] * b[3] + a[3] * b[1], s->yz += a[2] * b[3] + a[3] * b[2];
}

/* Returns the sum of both lanes. */
static inline double lane_sum(lane a)
{
  return a[0] + a[1];
}

/* Computes R, R[0] = ww + xx - yy - zz and so on. */
static inline void matrix_of(double R[9], const squares *s)
{
  double ww = 2.0 * lane_sum(s->ww), xx = 2.0 * lane_sum(s->xx), yy = 2.0 * lane_sum(s->yy),
         zz = 2.0 * lane_sum(s->zz);
  double wx = lane_sum(s->wx), wy = lane_sum(s->wy), wz = lane_sum(s->wz);
  double xy = lane_sum(s->xy), xz = lane_sum(s->xz), yz = lane_sum(s->yz);
  R[0] = ww + xx - yy - zz, R[1] = 2.0 * (xy - wz), R[2] = 2.0 * (xz + wy);
  R[3] = 2.0 * (xy + wz), R[4] = ww - xx + yy - zz, R[5] = 2.0 * (yz - wx);
  R[6] = 2.0 * (xz - wy), R[7] = 2.0 * (yz + wx), R[8] = ww - xx - yy + zz;
}

/* Loads n numbers of two powers into lanes. */
static inline void load_pair(size_t n, lane out[], const double one[], const double two[])
{
  for (size_t c = 0; c < n; c++) out[c] = (lane){ one[c], two[c] };
}

/* Loads n numbers into the first lanes. */
static inline void load_single(size_t n, lane out[], const double one[])
{
  for (size_t c = 0; c < n; c++) out[c] = single(one[c]);
}

/* Computes R_k from q_0 .. q_k: pairs q_i, q_{k-i} with i < k - i, then the middle term. */
static void matrix_coefficient(hn_body_power *p, size_t k)
{
  const size_t count = (k + 1) / 2;
  squares sum = { .ww = { 0, 0 } };
  lane a[4], b[4];
  size_t i = 0;
  for (; i + 1 < count; i += 2) {
    load_pair(4, a, p[i].q, p[i + 1].q), load_pair(4, b, p[k - i].q, p[k - i - 1].q);
    add_squares(&sum, a, b);
  }
  if (i < count) {
    load_single(4, a, p[i].q), load_single(4, b, p[k - i].q);
    add_squares(&sum, a, b);
  }
  if (k % 2 == 0) {
    load_single(4, a, p[k / 2].q);
    for (size_t c = 0; c < 4; c++) b[c] = 0.5 * a[c];
    add_squares(&sum, a, b);
  }
  matrix_of(p[k].R, &sum);
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
static void quaternion_coefficient(hn_body_power *p, size_t k)
{
  lane sum[4] = { { 0, 0 }, { 0, 0 }, { 0, 0 }, { 0, 0 } }, q[4], W[3];
  size_t i = 0;
  for (; i + 1 < k; i += 2) {
    load_pair(4, q, p[k - 1 - i].q, p[k - 2 - i].q), load_pair(3, W, p[i + 1].W, p[i + 2].W);
    add_turn(sum, q, W);
  }
  if (i < k) {
    load_single(4, q, p[0].q), load_single(3, W, p[i + 1].W);
    add_turn(sum, q, W);
  }
  for (size_t c = 0; c < 4; c++) p[k].q[c] = 0.5 * lane_sum(sum[c]) / (double)k;
}

/* sum += R' L */
static inline void add_turned_back(lane sum[3], const lane R[9], const lane L[3])
{
  for (size_t c = 0; c < 3; c++) sum[c] += R[c] * L[0] + R[3 + c] * L[1] + R[6 + c] * L[2];
}

/* W_k = J^-1 sum over i of R_i' L_{k-i}. */
static void velocity_coefficient(hn_body_power *p, const double inv_J[3], size_t k)
{
  lane sum[3] = { { 0, 0 }, { 0, 0 }, { 0, 0 } }, R[9], L[3];
  size_t i = 0;
  for (; i < k; i += 2) {
    load_pair(9, R, p[i].R, p[i + 1].R), load_pair(3, L, p[k - i + 1].L, p[k - i].L);
    add_turned_back(sum, R, L);
  }
  if (i == k) {
    load_single(9, R, p[i].R), load_single(3, L, p[1].L);
    add_turned_back(sum, R, L);
  }
  for (size_t c = 0; c < 3; c++) p[k + 1].W[c] = inv_J[c] * lane_sum(sum[c]);
}

void hn_body_series_open(hn_body_series *body, const hn_body *of, hn_body_power *at, size_t count)
{
  *body = (hn_body_series){ .jet = { count, at }, .kind = of->kind, .inv_mass = of->inv_mass };
  memcpy(body->inv_J, of->inv_J, sizeof body->inv_J);
  memcpy(body->gravity, of->gravity, sizeof body->gravity);
}

void hn_body_series_start(hn_body_series *body, const hn_body *of, const hn_pose *pose, const hn_twist *twist)
{
  hn_body_power *p = body->jet.power;
  double R[9], L_b[3];
  memcpy(p[0].x, pose->x, sizeof p[0].x), memcpy(p[1].x, twist->v, sizeof p[1].x);
  memcpy(p[0].q, pose->q, sizeof p[0].q);
  matrix_coefficient(p, 0);
  if (of->kind != HN_RIGID) return; /* particles and fixed bodies do not rotate */
  quat_matrix(R, pose->q);
  mat_tvec(p[1].W, R, twist->w);
  for (int c = 0; c < 3; c++) L_b[c] = of->J[c] * p[1].W[c];
  mat_vec(p[1].L, R, L_b);
  quaternion_coefficient(p, 1);
  matrix_coefficient(p, 1);
}

void hn_body_series_advance(hn_body_series *body, size_t k, const double force[6])
{
  hn_body_power *p = body->jet.power;
  if (body->kind == HN_FIXED) return;
  for (size_t c = 0; c < 3; c++) {
    double a = body->inv_mass * force[c] + (k == 0 ? body->gravity[c] : 0.0);
    p[k + 2].x[c] = a / (double)((k + 1) * (k + 2));
  }
  if (body->kind != HN_RIGID) return;
  for (size_t c = 0; c < 3; c++) p[k + 2].L[c] = force[3 + c] / (double)(k + 1);
  velocity_coefficient(p, body->inv_J, k + 1);
  quaternion_coefficient(p, k + 2);
  matrix_coefficient(p, k + 2);
}

void hn_body_series_push(hn_body_series *body, size_t k, const double force[6])
{
  hn_body_power *first = body->jet.power, *last = first + k + 2;
  const double per_x = body->inv_mass / (double)((k + 1) * (k + 2)), per_L = 1.0 / (double)(k + 1);
  const double *R = first->R;
  lane q[4], W[3], dq[4] = { { 0, 0 }, { 0, 0 }, { 0, 0 }, { 0, 0 } };
  squares sum = { .ww = { 0, 0 } };
  double dR[9];
  for (size_t c = 0; c < 3; c++) last->x[c] += per_x * force[c];
  if (body->kind != HN_RIGID) return;
  for (size_t c = 0; c < 3; c++) {
    double dW = per_L * body->inv_J[c] * (R[c] * force[3] + R[3 + c] * force[4] + R[6 + c] * force[5]);
    last->L[c] += per_L * force[3 + c];
    last->W[c] += dW;
    W[c] = single(0.5 * dW / (double)(k + 2));
  }
  load_single(4, q, first->q);
  add_turn(dq, q, W);
  add_squares(&sum, q, dq);
  matrix_of(dR, &sum);
  for (size_t c = 0; c < 4; c++) last->q[c] += dq[c][0];
  for (size_t c = 0; c < 9; c++) last->R[c] += dR[c];
}

/* v_k = (k + 1) x_{k+1}, w_k = sum over i of R_i W_{k-i}. */
void hn_body_series_twist(const hn_body_series *body, size_t k, double twist[6])
{
  const hn_body_power *p = body->jet.power;
  lane sum[9] = { { 0, 0 } }, R[9], W[3];
  size_t i = 0;
  for (; i < k; i += 2) {
    load_pair(9, R, p[i].R, p[i + 1].R), load_pair(3, W, p[k - i + 1].W, p[k - i].W);
    for (size_t c = 0; c < 9; c++) sum[c] += R[c] * W[c % 3];
  }
  if (i == k) {
    load_single(9, R, p[i].R), load_single(3, W, p[1].W);
    for (size_t c = 0; c < 9; c++) sum[c] += R[c] * W[c % 3];
  }
  for (size_t r = 0; r < 3; r++) {
    twist[r] = (double)(k + 1) * p[k + 1].x[r];
    twist[3 + r] = lane_sum(sum[3 * r]) + lane_sum(sum[3 * r + 1]) + lane_sum(sum[3 * r + 2]);
  }
}

/* One step of Horner's rule for n numbers. */
static inline void horner(size_t n, double value[], double h, double factor, const double coefficient[])
{
  for (size_t c = 0; c < n; c++) value[c] = value[c] * h + factor * coefficient[c];
}

void hn_body_series_state(const hn_body_series *body, double h, size_t order, hn_pose *pose, hn_twist *twist)
{
  const hn_body_power *p = body->jet.power;
  double R[9], L[3], w_b[3];
  memcpy(pose->x, p[order].x, sizeof pose->x), memcpy(L, p[order + 1].L, sizeof L);
  for (size_t c = 0; c < 3; c++) twist->v[c] = (double)(order + 1) * p[order + 1].x[c];
  for (size_t k = order; k-- > 0;) {
    horner(3, pose->x, h, 1.0, p[k].x), horner(3, twist->v, h, (double)(k + 1), p[k + 1].x);
    horner(3, L, h, 1.0, p[k + 1].L);
  }
  if (body->kind != HN_RIGID) return;
  memcpy(pose->q, p[order].q, sizeof pose->q);
  for (size_t k = order; k-- > 0;) horner(4, pose->q, h, 1.0, p[k].q);
  quat_normalise(pose->q);
  quat_matrix(R, pose->q);
  mat_tvec(w_b, R, L);
  for (int c = 0; c < 3; c++) w_b[c] *= body->inv_J[c];
  mat_vec(twist->w, R, w_b);
}
