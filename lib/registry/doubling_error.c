/* doubling_error.c - the error of a part of a step, by doubling (doubling_error.h). */
#include "registry/doubling_error.h"
#include "base/vec.h"

#include <math.h>

/* A velocity jumps if its changes in the halves of a part differ by more than this fraction of the larger. */
static const double jump_ratio = 0.5;
/* Mean distance of an impact from the place that two steps give it, in parts of the step. */
static const double mean_delay = 0.25;

/* Returns the distance of two poses in m: of centres of mass, or of points at REACH by the rotation. */
static double pose_distance(const hn_pose *one, const hn_pose *two, double reach)
{
  double away[3], back[4], turn[4];
  vec_sub(away, one->x, two->x);
  quat_conj(back, one->q);
  quat_mul(turn, back, two->q);
  return fmax(vec_norm(away), 2.0 * reach * vec_norm(turn + 1));
}

/* Returns the jump between A, B and C, velocities at the start, middle and end of a part; 0 if smooth. */
static double jump_of(const double a[3], const double b[3], const double c[3])
{
  double first[3], second[3], difference[3];
  vec_sub(first, b, a), vec_sub(second, c, b), vec_sub(difference, second, first);
  const double jump = vec_norm(difference), larger = fmax(vec_norm(first), vec_norm(second));
  return jump > jump_ratio * larger ? jump : 0.0;
}

/* Returns the larger jump of BODY in PART, m/s: of its centre of mass, or of points at REACH. */
static double body_jump(const hn_doubled *part, int body, double reach)
{
  const hn_twist *a = &part->start->twist[body], *b = &part->middle->twist[body],
                 *c = &part->end->twist[body];
  return fmax(jump_of(a->v, b->v, c->v), reach * jump_of(a->w, b->w, c->w));
}

double hn_doubling_error(const hn_model *model, const hn_doubled *part, const double *reach, int order,
                         double *by_jumps)
{
  double distance = 0.0, jump = 0.0;
  for (int i = 0; i < model->nbody; i++) {
    if (model->body[i].kind == HN_FIXED) continue;
    distance = fmax(distance, pose_distance(&part->whole->pose[i], &part->end->pose[i], reach[i]));
    if (by_jumps) jump = fmax(jump, body_jump(part, i, reach[i]));
  }
  if (by_jumps) *by_jumps = mean_delay * part->h * jump;
  return fmax(distance / (ldexp(1.0, order) - 1.0), mean_delay * part->h * jump);
}
