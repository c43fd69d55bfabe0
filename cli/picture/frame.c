/* frame.c - the visible range of a picture: all moving bodies, joints and forces, with surroundings.
 *
 * A fixed body is visible as a whole if it is no larger than what moves. Of a larger one, such as a floor,
 * the point nearest to the moving bodies is visible, and what lies near the frame. */
#include <math.h>
#include "cli/picture/items.h"
#include "base/vec.h"

static const double surroundings = 0.25; /* of large fixed bodies, over the larger side of the frame */

picture_bounds picture_bounds_of(const picture *p, int first)
{
  picture_bounds b = { { HUGE_VAL, HUGE_VAL }, { -HUGE_VAL, -HUGE_VAL } };
  for (int i = first; i < p->npoint; i++)
    for (int k = 0; k < 2; k++) {
      b.low[k] = fmin(b.low[k], p->point[i][k]);
      b.high[k] = fmax(b.high[k], p->point[i][k]);
    }
  return b;
}

static void join(picture_bounds *to, const picture_bounds *b)
{
  for (int k = 0; k < 2; k++) {
    to->low[k] = fmin(to->low[k], b->low[k]);
    to->high[k] = fmax(to->high[k], b->high[k]);
  }
}

void picture_extend(picture *p, int first)
{
  const picture_bounds b = picture_bounds_of(p, first);
  join(&p->bounds, &b);
}

static bool is_empty(const picture_bounds *b)
{
  return b->low[0] > b->high[0];
}

static double larger_side(const picture_bounds *b)
{
  return fmax(b->high[0] - b->low[0], b->high[1] - b->low[1]);
}

void picture_bound_moving(picture *p, const hn_state *state)
{
  const hn_model *model = p->model;
  double *low = p->low, *high = p->high;
  vec_set(low, HUGE_VAL, HUGE_VAL, HUGE_VAL), vec_set(high, -HUGE_VAL, -HUGE_VAL, -HUGE_VAL);
  for (int i = 1; i < model->nbody; i++) {
    const hn_body *b = &model->body[i];
    if (b->kind == HN_FIXED) continue;
    for (int c = b->collider; c < b->collider + b->ncollider; c++) {
      double from[3], to[3];
      hn_collider_bounds(&model->collider[c], &state->pose[i], from, to);
      for (int k = 0; k < 3; k++) low[k] = fmin(low[k], from[k]), high[k] = fmax(high[k], to[k]);
    }
    for (int k = 0; k < 3; k++) {
      low[k] = fmin(low[k], state->pose[i].x[k]);
      high[k] = fmax(high[k], state->pose[i].x[k]);
    }
  }
}

/* Extends the range to the point of each shape of the fixed body I that is nearest to the moving bodies, by
 * boxes around both. */
static void show_nearest(picture *p, const hn_state *state, int i)
{
  double from[3], to[3], x[3];
  const hn_body *b = &p->model->body[i];
  for (int c = b->collider; c < b->collider + b->ncollider; c++) {
    if (p->model->collider[c].shape.kind == HN_PLANE) continue;
    hn_collider_bounds(&p->model->collider[c], &state->pose[i], from, to);
    for (int k = 0; k < 3; k++) x[k] = fmin(fmax(0.5 * (p->low[k] + p->high[k]), from[k]), to[k]);
    const double at[2] = { vec_dot(x, p->view.right), vec_dot(x, p->view.up) };
    const picture_bounds point = { { at[0], at[1] }, { at[0], at[1] } };
    join(&p->bounds, &point);
  }
}

void picture_surround(picture *p, const hn_state *state, const picture_bounds *fixed)
{
  const int n = p->model->nbody;
  const bool alone = is_empty(&p->bounds); /* nothing moves */
  const double largest = alone ? HUGE_VAL : larger_side(&p->bounds);
  for (int i = 0; i < n; i++) {
    if (p->model->body[i].kind != HN_FIXED || is_empty(&fixed[i])) continue;
    if (larger_side(&fixed[i]) <= largest) join(&p->bounds, &fixed[i]);
    else show_nearest(p, state, i);
  }
  const double more = surroundings * larger_side(&p->bounds);
  picture_bounds around = p->bounds;
  for (int k = 0; k < 2; k++) around.low[k] -= more, around.high[k] += more;
  for (int i = 0; i < n; i++) {
    if (p->model->body[i].kind != HN_FIXED || is_empty(&fixed[i])) continue;
    for (int k = 0; k < 2; k++) {
      p->bounds.low[k] = fmin(p->bounds.low[k], fmax(fixed[i].low[k], around.low[k]));
      p->bounds.high[k] = fmax(p->bounds.high[k], fmin(fixed[i].high[k], around.high[k]));
    }
  }
}
