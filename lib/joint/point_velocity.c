/* point_velocity.c - the velocity of one body relative to another at a point (see point_velocity.h) */
#include "joint/point_velocity.h"
#include "base/product.h"
#include "base/vec.h"

void hn_point_velocity_at(hn_touch *touch, const hn_pose *a, const hn_twist *ua, const hn_pose *b,
                          const hn_twist *ub, const double arm[3], const double arm_rate[3])
{
  touch->ua = ua, touch->ub = ub;
  vec_copy(touch->arm, arm), vec_copy(touch->arm_rate, arm_rate);
  vec_add(touch->reach, b->x, arm);
  vec_sub(touch->reach, touch->reach, a->x);
  vec_add(touch->reach_rate, ub->v, arm_rate);
  vec_sub(touch->reach_rate, touch->reach_rate, ua->v);
}

/* out = v + w x r */
static void point_velocity(double out[3], const double v[3], const double w[3], const double r[3])
{
  double turn[3];
  vec_cross(turn, w, r);
  vec_add(out, v, turn);
}

void hn_point_velocity_row(const hn_touch *touch, const double e[3], const double e_rate[3], hn_row *row)
{
  double at_a[3], at_b[3], bend_a[3], bend_b[3];
  point_velocity(at_a, touch->ua->v, touch->ua->w, touch->reach);
  point_velocity(at_b, touch->ub->v, touch->ub->w, touch->arm);
  vec_sub(at_b, at_b, at_a);
  vec_cross(bend_a, touch->ua->w, touch->reach_rate);
  vec_cross(bend_b, touch->ub->w, touch->arm_rate);
  row->g = 0.0;
  row->gamma = vec_dot(e_rate, at_b) + vec_dot(e, bend_b) - vec_dot(e, bend_a);
  vec_cross(row->G_b + 3, touch->arm, e);
  vec_cross(row->G_a + 3, e, touch->reach);
  for (int i = 0; i < 3; i++) row->G_b[i] = e[i], row->G_a[i] = -e[i];
}

/* Computes coefficient k of p x q. */
static void cross_coefficient(double out[3], const double *p, const double *q, size_t k, size_t n)
{
  for (size_t c = 0; c < 3; c++) {
    const size_t d = (c + 1) % 3 * n, e = (c + 2) % 3 * n;
    out[c] = convolution(p + d, q + e, k + 1) - convolution(p + e, q + d, k + 1);
  }
}

void hn_point_velocity_jet(const double *e, const double *arm, const double *reach, size_t k, size_t stride,
                           hn_row *row)
{
  row->g = row->gamma = 0.0;
  cross_coefficient(row->G_b + 3, arm, e, k, stride);
  cross_coefficient(row->G_a + 3, e, reach, k, stride);
  for (size_t c = 0; c < 3; c++) row->G_b[c] = e[c * stride + k], row->G_a[c] = -row->G_b[c];
}
