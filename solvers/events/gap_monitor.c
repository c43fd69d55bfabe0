/* gap_monitor.c - gaps on the way (gap_monitor.h). */
#include "events/gap_monitor.h"

#include <math.h>
#include <stdlib.h>

int hn_watch_setup(hn_solver *solver, hn_watch *w, hn_error *error)
{
  w->start = calloc((size_t)solver->system->most_blocks + 1, sizeof *w->start);
  w->v = calloc((size_t)solver->system->most_rows + 1, sizeof *w->v);
  return w->start && w->v ? 0 : hn_fail(error, "out of memory");
}

void hn_watch_free(hn_watch *w)
{
  free(w->start), free(w->v);
}

/* From the middle of a shape to its surface, where that is nearest; of hulls a guess. */
static double depth_of(const hn_collider *c)
{
  const double *size = c->shape.size;
  switch (c->shape.kind) {
  case HN_BOX: return 0.5 * fmin(size[0], fmin(size[1], size[2]));
  case HN_CYLINDER: return fmin(size[0], 0.5 * size[1]);
  case HN_CAPSULE: return size[0];
  case HN_CONVEX:
  case HN_POLYGON: return 0.2 * c->reach;
  default: return c->reach;
  }
}

double hn_watch_reach(const hn_model *model)
{
  double reach = HUGE_VAL;
  for (int i = 0; i < model->ncollider && model->margin > 0; i++)
    for (int j = 0; j < i; j++) {
      const hn_collider *a = &model->collider[i], *b = &model->collider[j];
      if (a->body == b->body || !(a->group & b->mask) || !(b->group & a->mask)) continue;
      if (a->shape.kind != HN_PLANE && b->shape.kind != HN_PLANE)
        reach = fmin(reach, depth_of(a) + depth_of(b));
    }
  return reach;
}

void hn_watch_start(hn_solver *solver, hn_watch *w, const hn_block_role *role, const hn_state *state)
{
  hn_system *s = solver->system;
  hn_system_velocity_residual(s, state, w->v, NULL);
  w->count = 0;
  for (int k = 0; k < s->nblock; k++)
    w->start[w->count++] = (hn_watched){ .key = s->block[k].key,
                                         .role = role[k],
                                         .closes = hn_is_one_sided(&s->block[k]) &&
                                                   role[k].role == HN_ROLE_OPEN,
                                         .gap = s->g[s->block[k].row],
                                         .rate = w->v[s->block[k].row] };
}

const hn_watched *hn_watch_before(const hn_watch *w, const hn_system *s, int k, int *at)
{
  const int joints = s->model->njoint;
  if (k < joints) return k < w->count ? &w->start[k] : NULL;
  if (*at < joints) *at = joints;
  while (*at < w->count && w->start[*at].key < s->block[k].key) ++*at;
  return *at < w->count && w->start[*at].key == s->block[k].key ? &w->start[*at] : NULL;
}

double hn_watch_dip(double g0, double r0, double g1, double r1, double s)
{
  if (!(r0 < 0.0 && r1 > 0.0)) return 0.0;
  const double a = s * (r0 + r1) - 2.0 * (g1 - g0), b = 3.0 * (g1 - g0) - s * (2.0 * r0 + r1), c = s * r0;
  const double root = sqrt(fmax(b * b - 3.0 * a * c, 0.0)), x = -c / (b + root); /* 3 a x^2 + 2 b x + c = 0 */
  if (!(x > 0.0 && x < 1.0)) return 0.0;
  return ((a * x + b) * x + c) * x + g0 < 0.0 ? x * s : 0.0;
}

/* Of what touches at the start: its GAP, S later, as what has fallen back from a hop above rounding; or, where it does
 * not part, from rest. */
static double parting(const hn_watched *before, const hn_events_limits *limits, double gap, double s)
{
  const double rounding = 1e-14, risen = gap - fmin(before->gap, 0.0);
  return before->rate > limits->rate ? (risen + rounding) / s : risen + limits->gap;
}

double hn_watch_gap(hn_solver *solver, hn_watch *w, const hn_events_limits *limits, const hn_state *state,
                    double s, double *earlier)
{
  hn_system *sys = solver->system;
  double least = HUGE_VAL;
  if (earlier) *earlier = 0.0;
  if (earlier) hn_system_velocity_residual(sys, state, w->v, NULL);
  for (int k = 0, at = 0; k < sys->nblock; k++) {
    const hn_block *block = &sys->block[k];
    if (!hn_is_one_sided(block)) continue;
    const hn_watched *before = hn_watch_before(w, sys, k, &at);
    double gap = sys->g[block->row];
    if (before && !before->closes) continue;
    if (before && before->gap <= limits->gap) gap = parting(before, limits, gap, s);
    else if (before && earlier && *earlier == 0.0 && gap >= 0.0)
      *earlier = hn_watch_dip(before->gap, before->rate, gap, w->v[block->row], s);
    least = fmin(least, gap);
  }
  return least;
}

double hn_watch_expected(const hn_watch *w)
{
  double first = HUGE_VAL;
  for (const hn_watched *one = w->start; one < w->start + w->count; one++)
    if (one->closes && one->gap > 0.0 && one->rate < 0.0) first = fmin(first, -one->gap / one->rate);
  return first;
}
