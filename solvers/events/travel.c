/* travel.c - the longest part of a step after which contacts are searched for again (events_parts.h), so
 * that no shape passes through another unseen. For convex hulls and polygons the depth is an estimate: a
 * hull much flatter than `hull_depth` can be missed.
 *
 * Contacts are detected at the ends of a motion. A pair of shapes that pass through each other between the
 * ends is missed if their relative displacement exceeds the sum of their depths d. The depth is the distance
 * from the centre of a shape to its nearest surface. All pairs that may meet are bounded by
 *
 *   |v_i - v_j| t <= (d_i + d_j) / 2,     may meet:  |x_i - x_j| - r_i - r_j <= 2 (|v_i| + |v_j|) h + |g| h^2
 *
 * where r is the radius of the bounding sphere. Planes and height fields have no other side, so nothing
 * passes through them. Cost: linear in the bodies while all are slow, else in the pairs of shapes. */
#include "events/events_parts.h"
#include "base/vec.h"

static const double part_of_depth = 0.5; /* fraction of the sum of depths that a displacement may reach */
static const double hull_depth = 0.2;    /* estimated depth of a convex hull, as a fraction of its radius */

static double depth_of(const hn_collider *c)
{
  const double *size = c->shape.size;
  switch (c->shape.kind) {
  case HN_BOX: return 0.5 * fmin(size[0], fmin(size[1], size[2]));
  case HN_ELLIPSOID: return fmin(size[0], fmin(size[1], size[2]));
  case HN_CYLINDER: return fmin(size[0], 0.5 * size[1]);
  case HN_CAPSULE: return size[0];
  case HN_CONVEX:
  case HN_POLYGON: return hull_depth * c->reach;
  case HN_PLANE:
  case HN_HEIGHT_FIELD: return HUGE_VAL;
  default: return c->reach;
  }
}

int hn_travel_setup(hn_travel *t, const hn_model *model, hn_error *error)
{
  const size_t count = (size_t)model->ncollider;
  t->least = HUGE_VAL;
  HN_ARRAYS(&t->arrays, sizeof(double) * count, &t->depth);
  HN_ARRAYS(&t->arrays, sizeof(double[3]) * count, &t->centre, &t->speed);
  if (hn_filter_setup(&t->filter, model, &t->arrays)) return hn_fail(error, "out of memory");
  for (int i = 0; i < model->ncollider; i++) {
    t->depth[i] = depth_of(&model->collider[i]);
    if (model->collider[i].group) t->least = fmin(t->least, t->depth[i]);
  }
  return 0;
}

void hn_travel_free(hn_travel *t)
{
  hn_arrays_free(&t->arrays);
}

/* Returns an upper bound of the speed of all shape centres, m/s. */
static double fastest(const hn_model *model, const hn_state *state)
{
  double speed = 0.0;
  for (int i = 0; i < model->ncollider; i++) {
    const hn_collider *c = &model->collider[i];
    const hn_twist *u = &state->twist[c->body];
    speed = fmax(speed, vec_norm(u->v) + vec_norm(u->w) * vec_norm(c->place.x));
  }
  return speed;
}

/* Computes the centres of all shapes and their velocities. */
static void place(const hn_travel *t, const hn_model *model, const hn_state *state)
{
  for (int i = 0; i < model->ncollider; i++) {
    const hn_collider *c = &model->collider[i];
    const hn_twist *u = &state->twist[c->body];
    double arm[3];
    quat_rotate(arm, state->pose[c->body].q, c->place.x);
    vec_add(t->centre + 3 * i, state->pose[c->body].x, arm);
    vec_cross(t->speed + 3 * i, u->w, arm);
    vec_add(t->speed + 3 * i, t->speed + 3 * i, u->v);
  }
}

/* True if the shapes I and J can meet within H. */
static bool may_meet(const hn_travel *t, const hn_model *model, int i, int j, double h)
{
  double apart[3];
  vec_sub(apart, t->centre + 3 * i, t->centre + 3 * j);
  const double way = 2.0 * (vec_norm(t->speed + 3 * i) + vec_norm(t->speed + 3 * j)) * h +
                     vec_norm(model->gravity) * h * h;
  return vec_norm(apart) - model->collider[i].reach - model->collider[j].reach <= way;
}

double hn_travel_limit(const hn_travel *t, const hn_model *model, const hn_state *state, double h,
                       double shortest)
{
  /* a margin of 0 switches contact detection off */
  if (model->margin == 0.0 || 2.0 * fastest(model, state) * h <= 2.0 * part_of_depth * t->least) return h;
  double limit = h;
  place(t, model, state);
  for (int i = 0; i < model->ncollider; i++)
    for (int j = 0; j < i; j++) {
      const double depth = part_of_depth * (t->depth[i] + t->depth[j]);
      double v[3];
      vec_sub(v, t->speed + 3 * i, t->speed + 3 * j);
      const double speed = vec_norm(v);
      if (speed * limit <= depth || !hn_filter_allows(&t->filter, j, i) || !may_meet(t, model, i, j, h))
        continue;
      limit = depth / speed;
    }
  return fmin(h, fmax(limit, shortest));
}
