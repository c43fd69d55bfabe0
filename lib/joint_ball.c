/* joint_ball.c - ball joint (point on point): two body points coincide.
 *
 *   r = R(q) point                       joint point from the centre of mass, world axes
 *   g = (x_b + r_b) - (x_a + r_a)        3 rows, m
 *   dg/dt = v_b + w_b x r_b - v_a - w_a x r_a
 *   gamma = w_b x (w_b x r_b) - w_a x (w_a x r_a)
 *
 * The multiplier is the force of the joint on b; -1 times it acts on a. [bender2006, section 4.2] */
#include "holonom.h"
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
static void point_jacobian(double *G, double sign, const double r[3])
{
  const double block[18] = { sign, 0, 0, 0, sign, 0, 0, 0, sign, /* v */
                             0, -sign * r[2], sign * r[1],       /* w x r for w = e_x */
                             sign * r[2], 0, -sign * r[0], -sign * r[1], sign * r[0], 0 };
  for (int i = 0; i < 18; i++) G[i] = block[i];
}

static void centripetal(double out[3], const double w[3], const double r[3])
{
  vec_cross(out, w, r);
  vec_cross(out, w, out);
}

static void eval(const hn_joint *joint, const hn_pose *a, const hn_twist *ua, const hn_pose *b, const hn_twist *ub,
                 const hn_rows *out)
{
  double ra[3], rb[3];
  quat_rotate(ra, a->q, joint->point_a);
  quat_rotate(rb, b->q, joint->point_b);
  if (out->g)
    for (int i = 0; i < 3; i++) out->g[i] = (b->x[i] + rb[i]) - (a->x[i] + ra[i]);
  if (out->G_a) point_jacobian(out->G_a, -1.0, ra);
  if (out->G_b) point_jacobian(out->G_b, 1.0, rb);
  if (out->bias) vec_set(out->bias, 0, 0, 0);
  if (out->gamma) {
    double ca[3], cb[3];
    centripetal(ca, ua->w, ra);
    centripetal(cb, ub->w, rb);
    vec_sub(out->gamma, cb, ca);
  }
}

/* Coefficient k of a body point: x_k + R_k point. */
static void point_coefficient(double out[3], const hn_body_jet *body, size_t k, const double point[3])
{
  for (int i = 0; i < 3; i++) {
    const double *row = body->R + (size_t)(3 * i) * body->stride + k;
    out[i] = body->x[(size_t)i * body->stride + k] + row[0] * point[0] + row[body->stride] * point[1] +
             row[2 * body->stride] * point[2];
  }
}

static void jet(const hn_joint *joint, const hn_body_jet *a, const hn_body_jet *b, size_t k, double *work, double *g)
{
  double pa[3], pb[3];
  (void)work;
  point_coefficient(pa, a, k, joint->point_a);
  point_coefficient(pb, b, k, joint->point_b);
  vec_sub(g, pb, pa);
}

const hn_joint_type hn_joint_ball = {
  .name = "ball", .summary = "two body points coincide", .unit = "m", .rows = 3, .jet_series = 0,
  .setup = setup, .eval = eval, .jet = jet,
};

const hn_joint_type hn_joint_point_on_point = {
  .name = "point_on_point", .summary = "the basic constraint of ball, under its own name", .unit = "m", .rows = 3,
  .jet_series = 0, .setup = setup, .eval = eval, .jet = jet,
};
