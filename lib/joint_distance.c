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

/* work holds the series of d (3) and of |d|: l_k = (s_k - sum_{0<i<k} l_i l_{k-i}) / (2 l_0), s = d . d. */
static void jet(const hn_joint *joint, const hn_body_jet *a, const hn_body_jet *b, size_t k, double *work, double *g)
{
  double *length = work + 3 * a->stride, sum = 0.0;
  for (int i = 0; i < 3; i++) {
    double *d = work + (size_t)i * a->stride;
    d[k] = joint_point_coefficient(b, i, k, joint->point_b) - joint_point_coefficient(a, i, k, joint->point_a);
    for (size_t j = 0; j <= k; j++) sum += d[j] * d[k - j];
  }
  for (size_t j = 1; j < k; j++) sum -= length[j] * length[k - j];
  length[k] = k == 0 ? sqrt(sum) : sum / (2.0 * length[0]);
  g[0] = k == 0 ? length[0] - joint->length : length[k];
}

const hn_joint_type hn_joint_distance = {
  .name = "distance", .summary = "two body points keep their distance", .unit = "m", .rows = 1, .jet_series = 4,
  .takes_particle_points = true, .setup = setup, .eval = eval, .jet = jet,
};
