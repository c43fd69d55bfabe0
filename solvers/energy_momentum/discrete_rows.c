/* discrete_rows.c - discrete Jacobians of joint rows.
 *
 * Let a bar denote the mean of both ends. As R1 - R0 = theta^ mean(R), a fixed axis e changes by theta x
 * mean(e), and a joint point by Delta_x + theta x mean(r). Hence
 *
 *   linear rows        the Jacobian of the mean arms
 *   bilinear rows      the Jacobian of the mean arms, axes and span: a1.d1 - a0.d0 = mean(a).Dd + Da.mean(d)
 *   angle of (c, s)    (mean(c) G_s - mean(s) G_c) f(X, Y),  X = c0 s1 - s0 c1, Y = c0 c1 + s0 s1,
 *                      f = atan2(X, Y) / X
 *   distance           2 mean(d) / (l0 + l1) along the mean span
 *
 * All other residuals have Gonzalez' formula: with G of the middle, and D g = g1 - g0 at the middle time,
 *
 *   G + (D g - G Delta) c',   c' Delta = 1,   c along the relative displacement of the bodies
 *
 * The relative displacement at a common point, and the relative rotation, do not change when both bodies
 * move together. c therefore acts on the bodies with opposite forces and moments, and keeps the momentum. */
#include "energy_momentum/discrete.h"
#include "base/rates.h"
#include "base/vec.h"
#include "joint/joint_rows.h"

#include <string.h>

extern const hn_joint_type hn_joint_ball, hn_joint_distance, hn_joint_drive_angle, hn_joint_drive_position;

static const double small_turn = 1e-8;     /* X / Y below which f is 1 / Y to round-off */
static const double rounding = 1e-15;      /* largest defect of a residual, m or rad, that is not corrected */
static const double turn_weight = 1.0;     /* m: compares rotations with displacements, squared: m^2 */
static const double invariant_sum = 1e-12; /* sum of the forces of a row, which is 0 for invariant ones */

/* Kinematics of a joint at both ends, and their means. */
typedef struct ends {
  hn_place first, last, mean;
} ends;

static void average(double *mean, const double *first, const double *last, int n)
{
  for (int i = 0; i < n; i++) mean[i] = 0.5 * (first[i] + last[i]);
}

static void place_ends(const hn_joint *joint, const hn_step_motion *step, ends *e)
{
  const hn_state *s = step->start, *t = step->end;
  const int a = joint->a, b = joint->b;
  memset(e, 0, sizeof *e);
  hn_place_at(&e->first, joint, &s->pose[a], &s->twist[a], &s->pose[b], &s->twist[b], false);
  hn_place_at(&e->last, joint, &t->pose[a], &t->twist[a], &t->pose[b], &t->twist[b], false);
  e->mean = e->first;
  average(e->mean.arm_a, e->first.arm_a, e->last.arm_a, 3);
  average(e->mean.arm_b, e->first.arm_b, e->last.arm_b, 3);
  average(e->mean.span, e->first.span, e->last.span, 3);
  if (!joint->axes) return;
  average(e->mean.A, e->first.A, e->last.A, 9);
  average(e->mean.B, e->first.B, e->last.B, 9);
}

/* Computes the row of the change of atan2(s, c), from the rows of s and c at both ends and of the means. */
static void angle_row(const hn_row s[3], const hn_row c[3], hn_row *row)
{
  const double X = c[0].g * s[1].g - s[0].g * c[1].g, Y = c[0].g * c[1].g + s[0].g * s[1].g;
  const double f = fabs(X) <= small_turn * fabs(Y) ? 1.0 / Y : hn_atan2(X, Y) / X;
  const double of_s = 0.5 * f * (c[0].g + c[1].g), of_c = 0.5 * f * (s[0].g + s[1].g);
  for (int k = 0; k < 6; k++) {
    row->G_a[k] = of_s * s[2].G_a[k] - of_c * c[2].G_a[k];
    row->G_b[k] = of_s * s[2].G_b[k] - of_c * c[2].G_b[k];
  }
}

static void turn_row(const ends *e, const hn_row_part *part, hn_row *row)
{
  const hn_turn *turn = hn_row_turn(part);
  const hn_place *const place[3] = { &e->first, &e->last, &e->mean };
  hn_row s[3], c[3];
  for (int i = 0; i < 3; i++) {
    hn_place_row(place[i], &turn->sine, &s[i]);
    hn_place_row(place[i], &turn->cosine, &c[i]);
    hn_row_rescale(&s[i], turn->sign, 0.0);
  }
  angle_row(s, c, row);
}

/* Computes N rows composed of PARTS, all with a residual. */
static void composed_rows(const hn_joint *joint, const hn_step_motion *step, const hn_row_part *part, int n,
                          const hn_rows *out)
{
  ends e;
  hn_row row = { 0 };
  place_ends(joint, step, &e);
  for (int r = 0; r < n; r++) {
    if (part[r].kind == HN_ROW_TURN) turn_row(&e, &part[r], &row);
    else hn_place_row(&e.mean, &part[r], &row);
    hn_row_store(&row, r, n, out);
  }
}

static void distance_row(const hn_joint *joint, const hn_step_motion *step, const hn_rows *out)
{
  ends e;
  double n[3];
  place_ends(joint, step, &e);
  vec_scale(n, 2.0 / (vec_norm(e.first.span) + vec_norm(e.last.span)), e.mean.span);
  hn_row_act(out->G_a, -1.0, n, e.mean.arm_a);
  hn_row_act(out->G_b, 1.0, n, e.mean.arm_b);
}

/* ---- Gonzalez' formula --------------------------------------------------------------------------------- */

static void evaluate(const hn_joint *joint, const hn_state *at, double t, const hn_rows *out)
{
  joint->type->eval(joint, t, &at->pose[joint->a], &at->twist[joint->a], &at->pose[joint->b],
                    &at->twist[joint->b], out);
}

/* True if the forces of every row on both bodies are opposite. */
static bool is_invariant(int n, const hn_rows *G)
{
  double sum = 0.0, size = 0.0;
  for (int k = 0; k < 3 * n; k++)
    sum += fabs(G->G_a[k] + G->G_b[k]), size += fabs(G->G_a[k]) + fabs(G->G_b[k]);
  return sum <= invariant_sum * size;
}

/* Computes c for bodies that move by their relative displacement at the joint point of b. */
static void relative_direction(const hn_joint *joint, const hn_state *m, double c_a[6], double c_b[6])
{
  const hn_twist *a = &m->twist[joint->a], *b = &m->twist[joint->b];
  double arm_a[3], arm_b[3], move[3], turn[3], carried[3];
  quat_rotate(arm_b, m->pose[joint->b].q, joint->point_b);
  for (int i = 0; i < 3; i++) arm_a[i] = m->pose[joint->b].x[i] + arm_b[i] - m->pose[joint->a].x[i];
  vec_sub(move, b->v, a->v);
  vec_cross(carried, b->w, arm_b);
  vec_add(move, move, carried);
  vec_cross(carried, a->w, arm_a);
  vec_sub(move, move, carried);
  vec_sub(turn, b->w, a->w);
  vec_scale(turn, turn_weight * turn_weight, turn);
  hn_row_act(c_a, -1.0, move, arm_a);
  hn_row_act(c_b, 1.0, move, arm_b);
  vec_sub(c_a + 3, c_a + 3, turn);
  vec_add(c_b + 3, c_b + 3, turn);
}

static void absolute_direction(const hn_joint *joint, const hn_state *m, double c_a[6], double c_b[6])
{
  memcpy(c_a, &m->twist[joint->a], sizeof(hn_twist));
  memcpy(c_b, &m->twist[joint->b], sizeof(hn_twist));
}

/* Corrects the Jacobian of the middle in OUT, of rows with a residual. */
static void correct(const hn_joint *joint, const hn_step_motion *step, const hn_rows *out)
{
  const int n = joint->type->rows;
  const hn_twist *a = &step->middle->twist[joint->a], *b = &step->middle->twist[joint->b];
  double g0[HN_MAX_ROWS], g1[HN_MAX_ROWS], rate[HN_MAX_ROWS] = { 0 }, c_a[6], c_b[6];
  evaluate(joint, step->start, step->middle->time, &(hn_rows){ .g = g0 });
  evaluate(joint, step->end, step->middle->time, &(hn_rows){ .g = g1 });
  hn_add_rates(n, out->G_a, a, out->G_b, b, rate);
  if (is_invariant(n, out)) relative_direction(joint, step->middle, c_a, c_b);
  else absolute_direction(joint, step->middle, c_a, c_b);
  const double along = vec_dot(c_a, a->v) + vec_dot(c_a + 3, a->w) + vec_dot(c_b, b->v) +
                       vec_dot(c_b + 3, b->w);
  for (int r = 0; r < n; r++) {
    const double defect = g1[r] - g0[r] - step->h * rate[r];
    if (fabs(defect) <= rounding || along == 0.0) continue;
    for (int k = 0; k < 6; k++) {
      out->G_a[k * n + r] += defect / (step->h * along) * c_a[k];
      out->G_b[k * n + r] += defect / (step->h * along) * c_b[k];
    }
  }
}

/* ---- Choice of the formula ----------------------------------------------------------------------------- */

static bool has_residual(const hn_row_part *part, int n)
{
  for (int r = 0; r < n; r++)
    if (part[r].kind > HN_ROW_TURN) return false;
  return true;
}

void hn_discrete_jacobian(const hn_joint *joint, const hn_step_motion *step, double *G_a, double *G_b)
{
  static const hn_row_part point[] = { { HN_ROW_WORLD, 0, 0 },
                                       { HN_ROW_WORLD, 1, 0 },
                                       { HN_ROW_WORLD, 2, 0 } };
  const hn_joint_type *type = joint->type;
  const hn_rows out = { .G_a = G_a, .G_b = G_b };
  const bool composed = type->eval == hn_rows_eval,
             drives = type == &hn_joint_drive_angle || type == &hn_joint_drive_position;
  const bool parted = (composed || drives) && has_residual(type->detail, type->rows);
  if (parted) composed_rows(joint, step, type->detail, type->rows, &out);
  else if (type == &hn_joint_ball) composed_rows(joint, step, point, 3, &out);
  else if (type == &hn_joint_distance || type == &hn_coordinate_length) distance_row(joint, step, &out);
  else {
    evaluate(joint, step->middle, step->middle->time, &out);
    if (!composed && !type->velocity) correct(joint, step, &out);
  }
}
