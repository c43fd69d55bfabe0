/* joint_start.c - checks that a joint is satisfied at the start of its model: positions and velocities */
#include "joint/joint_start.h"
#include "base/rates.h"
#include "base/vec.h"

#include <string.h>

/* relative violation by positions and velocities that is round-off in a scene */
static const double tolerance = 1e-9;

/* Returns the length that a violation is compared with. */
static double extent_of(const hn_body *a, const hn_body *b)
{
  return 1.0 + vec_norm(a->pose0.x) + vec_norm(b->pose0.x);
}

double hn_body_speed(const hn_body *body)
{
  return vec_norm(body->twist0.v) + vec_norm(body->twist0.w);
}

/* Computes the violation of JOINT by the velocities at the start, and the speed it is compared with. */
static double rate_at_start(const hn_joint *joint, const hn_body *a, const hn_body *b, double *speed)
{
  double G_a[6 * HN_MAX_ROWS], G_b[6 * HN_MAX_ROWS], rate[HN_MAX_ROWS];
  const int n = joint->type->rows;
  joint->type->eval(joint, 0.0, &a->pose0, &a->twist0, &b->pose0, &b->twist0,
                    &(hn_rows){ .G_a = G_a, .G_b = G_b, .bias = rate });
  *speed = hn_body_speed(a) + hn_body_speed(b) + norm_of(rate, n);
  hn_add_rates(n, G_a, &a->twist0, G_b, &b->twist0, rate);
  return norm_of(rate, n);
}

const char *hn_joint_rate_unit(const hn_joint_type *type)
{
  if (strcmp(type->unit, "m") == 0) return "m/s";
  return strcmp(type->unit, "rad") == 0 ? "rad/s" : "m/s, rad/s";
}

int hn_joint_check_start(const hn_model *model, const hn_joint *joint, hn_error *error)
{
  static const char remedy[] = "; --consistent, or consistent = true of the system, projects the start";
  const hn_body *a = &model->body[joint->a], *b = &model->body[joint->b];
  double g[HN_MAX_ROWS], speed;
  joint->type->eval(joint, 0.0, &a->pose0, &a->twist0, &b->pose0, &b->twist0, &(hn_rows){ .g = g });
  /* a unilateral or bounded joint may have an impact or slip at the start */
  const bool equation = joint->set->kind == HN_ANY && !model->moving;
  double apart = joint->set->kind == HN_PUSH ? fmax(-g[0], 0.0) : norm_of(g, joint->type->rows);
  double rate = equation ? rate_at_start(joint, a, b, &speed) : 0.0;
  if (!(apart <= tolerance * extent_of(a, b)))
    return hn_fail(error, "joint \"%s\" is violated by %s %s at the start%s", joint->name,
                   hn_exact(apart).text, joint->type->unit, remedy);
  if (equation && !(rate <= tolerance * speed))
    return hn_fail(error, "joint \"%s\" is violated by %s %s by the velocities at the start%s", joint->name,
                   hn_exact(rate).text, hn_joint_rate_unit(joint->type), remedy);
  return 0;
}
