/* distance.c - two body points keep their distance (a massless rod)
 *
 *   d = (x_b + r_b) - (x_a + r_a),  n = d / |d|
 *   g = |d| - length                     1 row, m
 *   dg/dt = n . d'                       d' = v_b + w_b x r_b - v_a - w_a x r_a
 *   gamma = n . c + (|d'|^2 - (n . d')^2) / |d|,   c = w_b x (w_b x r_b) - w_a x (w_a x r_a)
 *
 * The residual is the length itself, not its square as in [schmitt2005, 2.1], so that a tolerance is in
 * metres and the multiplier is the force in the rod: negative when the rod is pulled. */
#include "joint/points.h"
#include "joint/joint_rows.h"
#include "base/product.h"
#include "base/vec.h"

typedef struct rod {
  double length;
} rod;

static const hn_param params[] = {
  { "length", HN_REAL, offsetof(rod, length), "", 0, HUGE_VAL, "m", NULL,
    "distance; default: the distance at the start" },
  { .key = NULL },
};

/* Returns the length subtracted in g; 0 for the coordinate, which has no data and equals the distance. */
static double length_of(const hn_joint *joint)
{
  return joint->data ? ((const rod *)joint->data)->length : 0.0;
}

/* Stores the initial length by default. The points must differ for the direction to be defined. */
static int setup(hn_joint *joint, const hn_joint_spec *spec, const hn_pose *a, const hn_pose *b,
                 hn_error *error)
{
  double d[3];
  rod *of = joint->data;
  (void)a, (void)b;
  vec_sub(d, spec->at_b, spec->at_a);
  if (!(vec_norm(d) > 0))
    return hn_fail(error, "joint \"%s\": its points coincide, so its direction is undefined", joint->name);
  if (of && isnan(of->length)) of->length = vec_norm(d);
  if (!of || (isfinite(of->length) && of->length > 0)) return 0;
  return hn_fail(error, "joint \"%s\": length must be positive, not %g", joint->name, of->length);
}

/* Computes velocity and centripetal acceleration of the point at r. */
static void point_motion(const hn_twist *u, const double r[3], double velocity[3], double centripetal[3])
{
  double turn[3];
  vec_cross(turn, u->w, r);
  vec_add(velocity, u->v, turn);
  vec_cross(centripetal, u->w, turn);
}

static double acceleration_term(const hn_twist *ua, const double ra[3], const hn_twist *ub,
                                const double rb[3], const double n[3], double distance)
{
  double va[3], vb[3], ca[3], cb[3];
  point_motion(ua, ra, va, ca);
  point_motion(ub, rb, vb, cb);
  vec_sub(vb, vb, va);
  vec_sub(cb, cb, ca);
  double along = vec_dot(n, vb);
  return vec_dot(n, cb) + (vec_dot(vb, vb) - along * along) / distance;
}

static void eval(const hn_joint *joint, double t, const hn_pose *a, const hn_twist *ua, const hn_pose *b,
                 const hn_twist *ub, const hn_rows *out)
{
  (void)t;
  lane arm[3];
  double ra[3], rb[3], n[3];
  joint_arms(joint, a, b, arm);
  joint_span(a, b, arm, n);
  joint_arm(arm, 0, ra);
  joint_arm(arm, 1, rb);
  double distance = vec_norm(n);
  vec_scale(n, 1.0 / distance, n);
  if (out->g) out->g[0] = distance - length_of(joint);
  if (out->G_a) hn_row_act(out->G_a, -1.0, n, ra);
  if (out->G_b) hn_row_act(out->G_b, 1.0, n, rb);
  if (out->bias) out->bias[0] = 0.0;
  if (out->gamma) out->gamma[0] = acceleration_term(ua, ra, ub, rb, n, distance);
}

/* Work series of one joint: span d, arms, direction n (3 each), |d|. */
enum { SPAN = 0, ARM_A = 3, ARM_B = 6, DIRECTION = 9, LENGTH = 12, SERIES = 13 };

/* Computes coefficient k of the arms and the span; returns the change of the span along n_0. */
static double read_points(const hn_joint *joint, const hn_body_jet *a, const hn_body_jet *b, size_t k,
                          double *work)
{
  const size_t n = a->count;
  double along = 0.0;
  for (int c = 0; c < 3; c++) {
    double *series = work + (size_t)c * n, *span = series + SPAN * n + k;
    double *arm_a = series + ARM_A * n + k, *arm_b = series + ARM_B * n + k;
    *arm_a = joint_arm_coefficient(a, c, k, joint->point_a);
    *arm_b = joint_arm_coefficient(b, c, k, joint->point_b);
    double now = (b->power[k].x[c] + *arm_b) - (a->power[k].x[c] + *arm_a);
    along += series[DIRECTION * n] * (now - *span);
    *span = now;
  }
  return along;
}

/* l_k = (s_k - sum_{0<i<k} l_i l_{k-i}) / (2 l_0), s = d . d; the sum is a square without its end terms. */
static double length_coefficient(const double *work, size_t n, size_t k)
{
  const double *d = work + SPAN * n, *length = work + LENGTH * n;
  double sum = square_coefficient(d, k) + square_coefficient(d + n, k) + square_coefficient(d + 2 * n, k);
  if (k == 0) return sqrt(sum);
  if (k > 1) sum -= square_coefficient(length + 1, k - 2);
  return sum / (2.0 * length[0]);
}

/* n_k = (d_k - sum_{0<i<=k} l_i n_{k-i}) / l_0. */
static void direction_coefficient(double *work, size_t n, size_t k)
{
  const double *length = work + LENGTH * n;
  for (size_t c = 0; c < 3; c++) {
    double *direction = work + (DIRECTION + c) * n;
    direction[k] = (work[(SPAN + c) * n + k] - convolution(length + 1, direction, k)) / length[0];
  }
}

/* Computes coefficient k of n and of arm x n, times SIGN. */
static void jacobian_coefficient(const double *work, size_t n, size_t arm, double sign, size_t k, double G[6])
{
  for (size_t c = 0; c < 3; c++) {
    const size_t d = (c + 1) % 3 * n, e = (c + 2) % 3 * n;
    const double *r = work + arm * n, *direction = work + DIRECTION * n;
    G[c] = sign * direction[c * n + k];
    G[3 + c] = sign * (convolution(r + d, direction + e, k + 1) - convolution(r + e, direction + d, k + 1));
  }
}

/* If g is NULL, coefficient k has changed: l_k changes by n_0 . (change of d_k), and products of series are
 * not repeated. */
static void jet(const hn_joint *joint, double t, const hn_body_jet *a, const hn_body_jet *b, size_t k,
                double *work, double *g, double *G_a, double *G_b)
{
  (void)t;
  const size_t n = a->count;
  double *length = work + LENGTH * n, gain = read_points(joint, a, b, k, work);
  if (g) {
    length[k] = length_coefficient(work, n, k);
    g[0] = length[k] - (k == 0 ? length_of(joint) : 0.0);
  } else {
    length[k] += gain;
  }
  if (!G_a || !G_b) return;
  direction_coefficient(work, n, k);
  jacobian_coefficient(work, n, ARM_A, -1.0, k, G_a);
  jacobian_coefficient(work, n, ARM_B, 1.0, k, G_b);
}

const hn_joint_type hn_joint_distance = {
  .name = "distance",
  .summary = "two body points keep their distance",
  .unit = "m",
  .rows = 1,
  .keys = HN_KEY_AT | HN_KEY_DEFAULT_POINTS,
  .data_size = sizeof(rod),
  .params = params,
  .jet_series = SERIES,
  .planar = &hn_joint_distance,
  .setup = setup,
  .eval = eval,
  .jet = jet,
};

const hn_joint_type hn_coordinate_length = {
  .name = "length",
  .summary = "distance of two points",
  .unit = "m",
  .rows = 1,
  .jet_series = SERIES,
  .setup = setup,
  .eval = eval,
  .jet = jet,
};
