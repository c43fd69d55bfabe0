/* joint_ball.c - ball joint (point on point): two body points coincide.
 *
 *   r = R(q) point                       joint point from the centre of mass, world axes
 *   g = (x_b + r_b) - (x_a + r_a)        3 rows, m
 *   dg/dt = v_b + w_b x r_b - v_a - w_a x r_a
 *   gamma = w_b x (w_b x r_b) - w_a x (w_a x r_a)
 *
 * The multiplier is the force of the joint on b; -1 times it acts on a. [bender2006, section 4.2] */
#include "joint_points.h"
#include "vec.h"

static int setup(hn_joint *joint, const double at_a[3], const double at_b[3], hn_error *error)
{
  double apart[3];
  vec_sub(apart, at_b, at_a);
  if (vec_norm(apart) <= 1e-9 * (1.0 + vec_norm(at_a))) return 0;
  return hn_fail(error, "joint \"%s\": its points are %g m apart at the start; they must coincide", joint->name,
                 vec_norm(apart));
}

/* Columns of sign * [I, -r*], r* the cross product matrix, each column 3 rows long. */
static void point_jacobian(double *G, double sign, const lane arm[3], int side)
{
  double x = sign * arm[0][side], y = sign * arm[1][side], z = sign * arm[2][side];
  for (int i = 0; i < 18; i++) G[i] = 0.0;
  G[0] = G[4] = G[8] = sign; /* v */
  G[10] = -z, G[11] = y;     /* w x r for w along x */
  G[12] = z, G[14] = -x;
  G[15] = -y, G[16] = x;
}

static void centripetal(double out[3], const double w[3], const double r[3])
{
  vec_cross(out, w, r);
  vec_cross(out, w, out);
}

static void acceleration_term(const lane arm[3], const hn_twist *ua, const hn_twist *ub, double gamma[3])
{
  double ra[3], rb[3];
  joint_arm(arm, 0, ra);
  joint_arm(arm, 1, rb);
  centripetal(ra, ua->w, ra);
  centripetal(rb, ub->w, rb);
  vec_sub(gamma, rb, ra);
}

static void eval(const hn_joint *joint, const hn_pose *a, const hn_twist *ua, const hn_pose *b, const hn_twist *ub,
                 const hn_rows *out)
{
  lane arm[3];
  joint_arms(joint, a, b, arm);
  if (out->g) joint_span(a, b, arm, out->g);
  if (out->G_a) point_jacobian(out->G_a, -1.0, arm, 0);
  if (out->G_b) point_jacobian(out->G_b, 1.0, arm, 1);
  if (out->bias) vec_set(out->bias, 0, 0, 0);
  if (out->gamma) acceleration_term(arm, ua, ub, out->gamma);
}

/* Coefficient k of an arm, R_k point. */
static void arm_coefficient(const hn_body_jet *body, size_t k, const double point[3], double arm[3])
{
  for (int i = 0; i < 3; i++)
    arm[i] = joint_point_coefficient(body, i, k, point) - body->x[(size_t)i * body->stride + k];
}

static void jet(const hn_joint *joint, const hn_body_jet *a, const hn_body_jet *b, size_t k, double *work, double *g,
                double *G_a, double *G_b)
{
  (void)work;
  for (int i = 0; i < 3; i++)
    g[i] = joint_point_coefficient(b, i, k, joint->point_b) - joint_point_coefficient(a, i, k, joint->point_a);
  if (!G_a || !G_b) return;
  double ra[3], rb[3];
  arm_coefficient(a, k, joint->point_a, ra);
  arm_coefficient(b, k, joint->point_b, rb);
  const lane arm[3] = { { ra[0], rb[0] }, { ra[1], rb[1] }, { ra[2], rb[2] } };
  point_jacobian(G_a, -1.0, arm, 0);
  point_jacobian(G_b, 1.0, arm, 1);
  for (int i = 0; i < 9 && k > 0; i++) G_a[i] = G_b[i] = 0.0; /* the columns of v are constant */
}

const hn_joint_type hn_joint_ball = {
  .name = "ball", .summary = "two body points coincide", .unit = "m", .rows = 3, .jet_series = 0,
  .setup = setup, .eval = eval, .jet = jet,
};

const hn_joint_type hn_joint_point_on_point = {
  .name = "point_on_point", .summary = "the basic constraint of ball, under its own name", .unit = "m", .rows = 3,
  .jet_series = 0, .setup = setup, .eval = eval, .jet = jet,
};
