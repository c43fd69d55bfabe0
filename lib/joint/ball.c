/* ball.c - ball joint: two body points coincide. The rows equal those of point_on_point and are written for
 * speed, since comparisons of solvers mostly use systems of ball joints.
 *
 *   r = R(q) point                       joint point from the centre of mass, world axes
 *   g = (x_b + r_b) - (x_a + r_a)        3 rows, m
 *   dg/dt = v_b + w_b x r_b - v_a - w_a x r_a
 *   gamma = w_b x (w_b x r_b) - w_a x (w_a x r_a)
 *
 * The multiplier is the force of the joint on b; -1 times it acts on a. [bender2006, section 4.2] */
#include "joint/points.h"
#include "joint/joint_rows.h"
#include "base/vec.h"

/* Fills the columns, 3 rows long, of [push I, -sign r*], where r* is the cross product matrix of the arm. */
static void point_jacobian(double *G, double push, double sign, const lane arm[3], int side)
{
  double x = sign * arm[0][side], y = sign * arm[1][side], z = sign * arm[2][side];
  G[0] = G[4] = G[8] = push; /* v */
  G[1] = G[2] = G[3] = G[5] = G[6] = G[7] = 0.0;
  G[9] = G[13] = G[17] = 0.0;
  G[10] = -z, G[11] = y; /* w x r for w along x */
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

static void eval(const hn_joint *joint, double t, const hn_pose *a, const hn_twist *ua, const hn_pose *b,
                 const hn_twist *ub, const hn_rows *out)
{
  (void)t;
  lane arm[3];
  joint_arms(joint, a, b, arm);
  if (out->g) joint_span(a, b, arm, out->g);
  if (out->G_a) point_jacobian(out->G_a, -1.0, -1.0, arm, 0);
  if (out->G_b) point_jacobian(out->G_b, 1.0, 1.0, arm, 1);
  if (out->bias) vec_set(out->bias, 0, 0, 0);
  if (out->gamma) acceleration_term(arm, ua, ub, out->gamma);
}

static void jet(const hn_joint *joint, double t, const hn_body_jet *a, const hn_body_jet *b, size_t k,
                double *work, double *g, double *G_a, double *G_b)
{
  (void)t, (void)work;
  for (int i = 0; i < 3 && g; i++)
    g[i] = joint_point_coefficient(b, i, k, joint->point_b) -
           joint_point_coefficient(a, i, k, joint->point_a);
  if (!G_a || !G_b) return;
  const double push = k == 0 ? 1.0 : 0.0; /* the columns of v are constant */
  lane arm[3];
  for (int i = 0; i < 3; i++) {
    arm[i][0] = joint_arm_coefficient(a, i, k, joint->point_a);
    arm[i][1] = joint_arm_coefficient(b, i, k, joint->point_b);
  }
  point_jacobian(G_a, -push, -1.0, arm, 0);
  point_jacobian(G_b, push, 1.0, arm, 1);
}

const hn_joint_type hn_joint_ball = {
  .name = "ball",
  .summary = "two body points coincide (spherical joint)",
  .unit = "m",
  .rows = 3,
  .keys = HN_KEY_AT,
  .jet_series = 0,
  .planar = &hn_planar_ball,
  .freedoms = HN_FREEDOMS(.turning = HN_TURNS_SPHERE),
  .eval = eval,
  .jet = jet,
};
