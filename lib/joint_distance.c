/* joint_distance.c - two body points keep their distance (a massless rod).
 *
 *   d = (x_b + r_b) - (x_a + r_a),  n = d / |d|
 *   g = |d| - length                     1 row, m
 *   dg/dt = n . d'                       d' = v_b + w_b x r_b - v_a - w_a x r_a
 *   gamma = n . c + (|d'|^2 - (n . d')^2) / |d|,   c = w_b x (w_b x r_b) - w_a x (w_a x r_a)
 *
 * The residual is the length itself, not its square as in [schmitt2005, 2.1], so that a tolerance is in metres and the
 * multiplier is the force in the rod: negative when the rod is pulled. */
#include "joint_points.h"
#include "vec.h"

static int setup(hn_joint *joint, const double at_a[3], const double at_b[3], hn_error *error)
{
  double d[3];
  vec_sub(d, at_b, at_a);
  double apart = vec_norm(d);
  if (!(apart > 0))
    return hn_fail(error, "joint \"%s\": its points coincide, so its direction is undefined", joint->name);
  if (joint->length < 0) joint->length = apart;
  if (fabs(apart - joint->length) <= 1e-9 * (1.0 + apart)) return 0;
  return hn_fail(error, "joint \"%s\": its points are %.17g m apart at the start, not its length %.17g", joint->name,
                 apart, joint->length);
}

static void jacobian(double *G, double sign, const double n[3], const double r[3])
{
  double moment[3];
  vec_cross(moment, r, n);
  for (int i = 0; i < 3; i++) G[i] = sign * n[i], G[3 + i] = sign * moment[i];
}

/* Velocity and centripetal acceleration of the point at r. */
static void point_motion(const hn_twist *u, const double r[3], double velocity[3], double centripetal[3])
{
  double turn[3];
  vec_cross(turn, u->w, r);
  vec_add(velocity, u->v, turn);
  vec_cross(centripetal, u->w, turn);
}

static double acceleration_term(const hn_twist *ua, const double ra[3], const hn_twist *ub, const double rb[3],
                                const double n[3], double distance)
{
  double va[3], vb[3], ca[3], cb[3];
  point_motion(ua, ra, va, ca);
  point_motion(ub, rb, vb, cb);
  vec_sub(vb, vb, va);
  vec_sub(cb, cb, ca);
  double along = vec_dot(n, vb);
  return vec_dot(n, cb) + (vec_dot(vb, vb) - along * along) / distance;
}

static void eval(const hn_joint *joint, const hn_pose *a, const hn_twist *ua, const hn_pose *b, const hn_twist *ub,
                 const hn_rows *out)
{
  lane arm[3];
  double ra[3], rb[3], n[3];
  joint_arms(joint, a, b, arm);
  joint_span(a, b, arm, n);
  joint_arm(arm, 0, ra);
  joint_arm(arm, 1, rb);
  double distance = vec_norm(n);
  vec_scale(n, 1.0 / distance, n);
  if (out->g) out->g[0] = distance - joint->length;
  if (out->G_a) jacobian(out->G_a, -1.0, n, ra);
  if (out->G_b) jacobian(out->G_b, 1.0, n, rb);
  if (out->bias) out->bias[0] = 0.0;
  if (out->gamma) out->gamma[0] = acceleration_term(ua, ra, ub, rb, n, distance);
}

/* Series of one joint: span d, arms, direction n (3 each), |d|. */
enum { SPAN = 0, ARM_A = 3, ARM_B = 6, DIRECTION = 9, LENGTH = 12, SERIES = 13 };

/* Coefficient k of the vector product of two vector series at SERIES numbers p and q. */
static void cross_coefficient(const double *work, size_t stride, int p, int q, size_t k, double out[3])
{
  for (int c = 0; c < 3; c++) {
    const double *p1 = work + (size_t)(p + (c + 1) % 3) * stride, *p2 = work + (size_t)(p + (c + 2) % 3) * stride;
    const double *q1 = work + (size_t)(q + (c + 1) % 3) * stride, *q2 = work + (size_t)(q + (c + 2) % 3) * stride;
    out[c] = 0.0;
    for (size_t i = 0; i <= k; i++) out[c] += p1[i] * q2[k - i] - p2[i] * q1[k - i];
  }
}

/* l_k = (s_k - sum_{0<i<k} l_i l_{k-i}) / (2 l_0), s = d . d;  n_k = (d_k - sum_{0<i<=k} l_i n_{k-i}) / l_0. */
static void divide_by_length(double *work, size_t stride, size_t k)
{
  double *length = work + LENGTH * stride, sum = 0.0;
  for (int c = 0; c < 3; c++) {
    const double *d = work + (size_t)(SPAN + c) * stride;
    for (size_t i = 0; i <= k; i++) sum += d[i] * d[k - i];
  }
  for (size_t i = 1; i < k; i++) sum -= length[i] * length[k - i];
  length[k] = k == 0 ? sqrt(sum) : sum / (2.0 * length[0]);
  for (int c = 0; c < 3; c++) {
    double *n = work + (size_t)(DIRECTION + c) * stride, rest = work[(size_t)(SPAN + c) * stride + k];
    for (size_t i = 1; i <= k; i++) rest -= length[i] * n[k - i];
    n[k] = rest / length[0];
  }
}

static void jet(const hn_joint *joint, const hn_body_jet *a, const hn_body_jet *b, size_t k, double *work, double *g,
                double *G_a, double *G_b)
{
  const size_t stride = a->stride;
  for (int c = 0; c < 3; c++) {
    double pa = joint_point_coefficient(a, c, k, joint->point_a), pb = joint_point_coefficient(b, c, k, joint->point_b);
    work[(size_t)(SPAN + c) * stride + k] = pb - pa;
    work[(size_t)(ARM_A + c) * stride + k] = pa - a->x[(size_t)c * stride + k];
    work[(size_t)(ARM_B + c) * stride + k] = pb - b->x[(size_t)c * stride + k];
  }
  divide_by_length(work, stride, k);
  g[0] = work[LENGTH * stride + k] - (k == 0 ? joint->length : 0.0);
  if (!G_a || !G_b) return;
  cross_coefficient(work, stride, ARM_A, DIRECTION, k, G_a + 3);
  cross_coefficient(work, stride, ARM_B, DIRECTION, k, G_b + 3);
  for (int c = 0; c < 3; c++) {
    G_b[c] = work[(size_t)(DIRECTION + c) * stride + k];
    G_a[c] = -G_b[c];
    G_a[3 + c] = -G_a[3 + c];
  }
}

const hn_joint_type hn_joint_distance = {
  .name = "distance", .summary = "two body points keep their distance", .unit = "m", .rows = 1, .jet_series = SERIES,
  .takes_particle_points = true, .setup = setup, .eval = eval, .jet = jet,
};
