/* joint_series.c - the rows that joints are composed of, as power series in time (see joint_rows.h)
 *
 * Sums and products of series, coefficient by coefficient; an angle from
 *   N theta' = c s' - s c',  N G_theta = c G_s - s G_c,  N = s^2 + c^2
 * solved for the newest coefficient, as a quotient of series is. */
#include "elementary.h"
#include "joint/joint_rows.h"
#include "base/vec.h"

#include <string.h>

/* Returns coefficient k of the product of two series. */
static double product(const double *p, const double *q, size_t k)
{
  double sum = 0.0;
  for (size_t i = 0; i <= k; i++) sum += p[i] * q[k - i];
  return sum;
}

static double dot_jet(const double *p, const double *q, size_t stride, size_t k)
{
  return product(p, q, k) + product(p + stride, q + stride, k) + product(p + 2 * stride, q + 2 * stride, k);
}

static void cross_jet(double out[3], const double *p, const double *q, size_t stride, size_t k)
{
  for (size_t c = 0; c < 3; c++) {
    const size_t d = (c + 1) % 3 * stride, e = (c + 2) % 3 * stride;
    out[c] = product(p + d, q + e, k) - product(p + e, q + d, k);
  }
}

/* Computes coefficient k of R v into three series at OUT. */
static void turn_jet(const hn_body_jet *body, const double v[3], size_t k, double *out)
{
  const size_t n = body->count;
  for (size_t i = 0; i < 3; i++) {
    const double *row = body->power[k].R + 3 * i;
    out[i * n + k] = row[0] * v[0] + row[1] * v[1] + row[2] * v[2];
  }
}

void hn_place_jet(const hn_joint *joint, const hn_body_jet *a, const hn_body_jet *b, size_t k, double *work)
{
  const size_t n = a->count;
  double *arm_a = work + HN_ARM_A * n, *arm_b = work + HN_ARM_B * n, *span = work + HN_SPAN * n;
  double *reach = work + HN_REACH * n;
  turn_jet(a, joint->point_a, k, arm_a);
  turn_jet(b, joint->point_b, k, arm_b);
  for (size_t c = 0, i = k; c < 3; c++, i += n) {
    reach[i] = b->power[k].x[c] + arm_b[i] - a->power[k].x[c];
    span[i] = reach[i] - arm_a[i];
  }
  for (size_t i = 0; i < 3 && joint->axes; i++) {
    turn_jet(a, joint->axes->a + 3 * i, k, work + (HN_AXES_A + 3 * i) * n);
    turn_jet(b, joint->axes->b + 3 * i, k, work + (HN_AXES_B + 3 * i) * n);
  }
}

static void world_jet(size_t i, size_t k, size_t n, const double *work, hn_row *row)
{
  const size_t j = (i + 1) % 3, l = (i + 2) % 3;
  const double *arm_a = work + HN_ARM_A * n + k, *arm_b = work + HN_ARM_B * n + k;
  *row = (hn_row){ .g = work[(HN_SPAN + i) * n + k] };
  row->G_b[i] = k == 0 ? 1.0 : 0.0, row->G_a[i] = -row->G_b[i];
  row->G_b[3 + j] = arm_b[l * n], row->G_b[3 + l] = -arm_b[j * n]; /* r x e_i */
  row->G_a[3 + j] = -arm_a[l * n], row->G_a[3 + l] = arm_a[j * n];
}

static void along_jet(size_t i, size_t k, size_t n, const double *work, hn_row *row)
{
  const double *e = work + (HN_AXES_A + 3 * i) * n;
  row->g = dot_jet(e, work + HN_SPAN * n, n, k);
  cross_jet(row->G_b + 3, work + HN_ARM_B * n, e, n, k);
  cross_jet(row->G_a + 3, e, work + HN_REACH * n, n, k);
  for (size_t c = 0; c < 3; c++) row->G_b[c] = e[c * n + k], row->G_a[c] = -row->G_b[c];
}

static void dot_row_jet(size_t i, size_t j, size_t k, size_t n, const double *work, hn_row *row)
{
  const double *a = work + (HN_AXES_A + 3 * i) * n, *b = work + (HN_AXES_B + 3 * j) * n;
  *row = (hn_row){ .g = dot_jet(a, b, n, k) };
  cross_jet(row->G_a + 3, a, b, n, k);
  for (size_t c = 3; c < 6; c++) row->G_b[c] = -row->G_a[c];
}

/* Work series of an angle, in this order. */
enum { SINE = 0, COSINE = 1, SQUARE = 2, RATE = 3, OF_SINE = 4, OF_COSINE = 16, OF_ANGLE = 28 };

/* Returns coefficient k of theta. The newest coefficient of its rate is k - 1: N_0 r_{k-1} = (c s' - s
 * c')_{k-1} - sum N_i r_{k-1-i}. */
static double angle_jet(size_t k, size_t n, double *own)
{
  const double *s = own + SINE * n, *c = own + COSINE * n, *square = own + SQUARE * n;
  double *rate = own + RATE * n, sum = 0.0;
  if (k == 0) return hn_atan2(s[0], c[0]);
  for (size_t i = 0; i < k; i++) sum += (double)(k - i) * (c[i] * s[k - i] - s[i] * c[k - i]);
  for (size_t i = 1; i < k; i++) sum -= square[i] * rate[k - 1 - i];
  rate[k - 1] = sum / square[0];
  return rate[k - 1] / (double)k;
}

/* Returns coefficient k of an entry of the angle's Jacobian; P and Q are the entries of the sine and the
 * cosine. */
static double entry_jet(size_t k, size_t n, const double *own, const double *p, const double *q,
                        double *entry)
{
  double sum = product(own + COSINE * n, p, k) - product(own + SINE * n, q, k);
  for (size_t i = 1; i <= k; i++) sum -= own[SQUARE * n + i] * entry[k - i];
  entry[k] = sum / own[SQUARE * n];
  return entry[k];
}

void hn_angle_jet(size_t k, size_t n, const hn_row *s, const hn_row *c, double *own, hn_row *angle)
{
  own[SINE * n + k] = s->g, own[COSINE * n + k] = c->g;
  own[SQUARE * n + k] = product(own, own, k) + product(own + COSINE * n, own + COSINE * n, k);
  angle->g = angle_jet(k, n, own);
  for (size_t i = 0; i < 12; i++) {
    double *p = own + (OF_SINE + i) * n, *q = own + (OF_COSINE + i) * n, *entry = own + (OF_ANGLE + i) * n;
    p[k] = i < 6 ? s->G_a[i] : s->G_b[i - 6];
    q[k] = i < 6 ? c->G_a[i] : c->G_b[i - 6];
    *(i < 6 ? &angle->G_a[i] : &angle->G_b[i - 6]) = entry_jet(k, n, own, p, q, entry);
  }
}

static void turn_row_jet(const hn_turn *turn, size_t k, size_t n, double *work, hn_row *row)
{
  hn_row s, c;
  dot_row_jet((size_t)turn->sine.i, (size_t)turn->sine.j, k, n, work, &s);
  dot_row_jet((size_t)turn->cosine.i, (size_t)turn->cosine.j, k, n, work, &c);
  hn_row_rescale(&s, turn->sign, 0.0);
  hn_angle_jet(k, n, &s, &c, work + HN_PLACE_SERIES * n, row);
}

/* Returns coefficient k of component c of w, from 2 dq/dt = (0, w) q: component of 2 dq/dt q^-1. */
static double spin_jet(const hn_body_jet *body, size_t c, size_t k)
{
  static const size_t next[5] = { 1, 2, 3, 1, 2 };
  const size_t x = c + 1, y = next[c + 1], z = next[c + 2];
  double sum = 0.0;
  for (size_t i = 0; i <= k; i++) {
    const double *p = body->power[i + 1].q, *q = body->power[k - i].q;
    sum += 2.0 * (double)(i + 1) * (p[x] * q[0] - p[0] * q[x] - p[y] * q[z] + p[z] * q[y]);
  }
  return sum;
}

/* Computes coefficient k of an angular velocity row along AXIS of a body; g is the integral of the rate from
 * zero. The work keeps HN_ABOUT_SERIES series. */
static void about_jet(size_t axis, const hn_body_jet *a, const hn_body_jet *b, size_t k, double *work,
                      hn_row *row)
{
  const size_t n = a->count;
  const double *e = work + axis * n;
  double *own = work + HN_PLACE_SERIES * n;
  *row = (hn_row){ 0 };
  for (size_t c = 0; c < 3; c++) row->G_b[3 + c] = e[c * n + k], row->G_a[3 + c] = -e[c * n + k];
  if (k == 0) return;
  for (size_t c = 0; c < 3; c++) own[c * n + k - 1] = spin_jet(b, c, k - 1) - spin_jet(a, c, k - 1);
  row->g = dot_jet(e, own, n, k - 1) / (double)k;
}

/* Computes coefficient k of the row of the velocity d' - w_a x d of point b relative to a. The work keeps
 * HN_BODY_VELOCITY_SERIES series: w_a and that velocity. */
static void body_velocity_jet(size_t axis, const hn_body_jet *a, size_t k, double *work, hn_row *row)
{
  const size_t n = a->count;
  const double *e = work + axis * n, *reach = work + HN_REACH * n;
  double *spin = work + HN_PLACE_SERIES * n, *seen = spin + 3 * n, carried[3];
  *row = (hn_row){ 0 };
  cross_jet(row->G_b + 3, work + HN_ARM_B * n, e, n, k);
  cross_jet(row->G_a + 3, e, reach, n, k);
  for (size_t c = 0; c < 3; c++) row->G_b[c] = e[c * n + k], row->G_a[c] = -row->G_b[c];
  if (k == 0) return;
  for (size_t c = 0; c < 3; c++) spin[c * n + k - 1] = spin_jet(a, c, k - 1);
  cross_jet(carried, spin, reach, n, k - 1);
  for (size_t c = 0; c < 3; c++) seen[c * n + k - 1] = (double)k * reach[c * n + k] - carried[c];
  row->g = dot_jet(e, seen, n, k - 1) / (double)k;
}

void hn_place_row_jet(const hn_joint *joint, const hn_row_part *part, size_t k, size_t n, double *work,
                      hn_row *row)
{
  double sine, cosine;
  switch (part->kind) {
  case HN_ROW_WORLD: world_jet((size_t)part->i, k, n, work, row); break;
  case HN_ROW_ALONG: along_jet((size_t)part->i, k, n, work, row); break;
  case HN_ROW_SPIN:
    *row = (hn_row){ 0 };
    row->G_b[3 + part->i] = k == 0 ? 1.0 : 0.0, row->G_a[3 + part->i] = -row->G_b[3 + part->i];
    break;
  case HN_ROW_TURN: turn_row_jet(hn_row_turn(part), k, n, work, row); break;
  case HN_ROW_TILT:
    hn_sincos(joint->axes->angle, &sine, &cosine);
    dot_row_jet(0, 0, k, n, work, row);
    hn_row_rescale(row, -1.0 / sine, k == 0 ? cosine / sine : 0.0);
    break;
  default: dot_row_jet((size_t)part->i, (size_t)part->j, k, n, work, row);
  }
}

void hn_rows_jet(const hn_joint *joint, double t, const hn_body_jet *a, const hn_body_jet *b, size_t k,
                 double *work, double *g, double *G_a, double *G_b)
{
  const hn_row_part *part = joint->type->detail;
  hn_row row;
  (void)t;
  hn_place_jet(joint, a, b, k, work);
  for (int r = 0; r < joint->type->rows; r++) {
    const size_t of_a = HN_AXES_A + 3 * (size_t)part[r].i, of_b = HN_AXES_B + 3 * (size_t)part[r].i;
    if (part[r].kind == HN_ROW_ABOUT) about_jet(of_a, a, b, k, work, &row);
    else if (part[r].kind == HN_ROW_BODY_SPIN) about_jet(of_b, a, b, k, work, &row);
    else if (part[r].kind == HN_ROW_BODY_VELOCITY) body_velocity_jet(of_b, a, k, work, &row);
    else hn_place_row_jet(joint, &part[r], k, a->count, work, &row);
    hn_row_store(&row, r, joint->type->rows, &(hn_rows){ .g = g, .G_a = G_a, .G_b = G_b });
  }
}
