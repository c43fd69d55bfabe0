/* picture.c - draws bodies, joints, forces and paths as faces, lines and marks.
 *
 * A body is drawn by its shapes. A body without shapes is sketched by links from its centre of mass to the
 * points of its joints. If these are all at the centre of mass, it is drawn as the ball, cylinder or box with
 * its mass and moments of inertia. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "cli/base/memory.h"
#include "cli/picture/items.h"
#include "elementary.h"
#include "base/vec.h"

static const double same_place = 1e-6;  /* distance of points that coincide, over the size */
static const double axis_length = 0.07; /* half the length of an axis, over the size */
static const double far = 2.0; /* distance of a separate shape from the centre of mass, over its radius */
static const double spring_width = 0.02, spring_ratio = 0.15; /* half width: over the size, over its length */
static const double straight_end = 0.2;                       /* part of a spring at either end */
enum { COILS = 8 };

/* ---- Lines and marks ------------------------------------------------------------------------------- */

static void add_line(picture *p, picture_line_kind kind, int number, int first)
{
  p->line = cli_grow(p->line, (size_t)p->nline + 1, sizeof *p->line);
  p->line[p->nline++] = (picture_line){ kind, number, first, p->npoint - first };
}

static void add_mark(picture *p, picture_mark_kind kind, int body, const double x[3])
{
  p->mark = cli_grow(p->mark, (size_t)p->nmark + 1, sizeof *p->mark);
  p->mark[p->nmark++] = (picture_mark){ kind, body, picture_add_point(p, x) };
}

static void add_segment(picture *p, picture_line_kind kind, int number, const double a[3], const double b[3])
{
  const int first = picture_add_point(p, a);
  picture_add_point(p, b);
  add_line(p, kind, number, first);
}

static void point_of(double x[3], const hn_state *state, int body, const double in_body[3])
{
  picture_to_world(x, &state->pose[body], in_body);
}

/* ---- Bodies ---------------------------------------------------------------------------------------- */

/* Adds a link from the centre of mass of BODY to a point of it, unless they coincide. Returns 1 or 0. */
static int add_link(picture *p, const hn_state *state, int body, const double in_body[3])
{
  double x[3];
  if (vec_norm(in_body) <= same_place * p->size) return 0;
  point_of(x, state, body, in_body);
  add_segment(p, PICTURE_LINK, body, state->pose[body].x, x);
  return 1;
}

/* Adds links to the points of the joint J, which may stand for a force. */
static int add_links_of(picture *p, const hn_state *state, int body, const hn_joint *j)
{
  int links = 0;
  if (j->a == body) links += add_link(p, state, body, j->point_a);
  if (j->b == body) links += add_link(p, state, body, j->point_b);
  return links;
}

static int add_links(picture *p, const hn_state *state, int body)
{
  int links = 0;
  for (int k = 0; k < p->model->njoint; k++) links += add_links_of(p, state, body, &p->model->joint[k]);
  for (int k = 0; k < p->model->nforce && links > 0; k++)
    links += add_links_of(p, state, body, &p->model->force[k].rows);
  return links;
}

/* Links separate shapes, such as the ends of a rod, and joints outside all shapes to the centre of mass. */
static void add_arms(picture *p, const hn_state *state, int body)
{
  const hn_body *b = &p->model->body[body];
  double reach = 0.0;
  bool apart = true;
  if (b->kind != HN_RIGID || b->ncollider == 0) return;
  for (int k = b->collider; k < b->collider + b->ncollider; k++) {
    const hn_collider *c = &p->model->collider[k];
    reach = fmax(reach, vec_norm(c->place.x) + c->reach);
    apart = apart && vec_norm(c->place.x) > far * c->reach;
  }
  for (int k = b->collider; k < b->collider + b->ncollider && apart; k++)
    add_link(p, state, body, p->model->collider[k].place.x);
  for (int k = 0; k < p->model->njoint; k++) {
    const hn_joint *j = &p->model->joint[k];
    if ((j->a == body && vec_norm(j->point_a) > reach) || (j->b == body && vec_norm(j->point_b) > reach))
      add_links_of(p, state, body, j);
  }
}

static void add_body(picture *p, const hn_state *state, int body)
{
  const hn_body *b = &p->model->body[body];
  add_arms(p, state, body);
  if (b->ncollider > 0) picture_add_shapes(p, body, &state->pose[body]);
  else if (b->kind == HN_PARTICLE || (b->kind == HN_FIXED && body > 0))
    add_mark(p, PICTURE_PARTICLE, body, state->pose[body].x);
  else if (b->kind == HN_RIGID && add_links(p, state, body) == 0)
    picture_add_inertia(p, body, &state->pose[body]);
  else if (b->kind == HN_RIGID) add_mark(p, PICTURE_PARTICLE, body, state->pose[body].x);
}

/* ---- Joints and forces ----------------------------------------------------------------------------- */

static void add_axis(picture *p, const hn_state *state, const hn_joint *j, const double at[3])
{
  double axis[3], from[3], to[3];
  quat_rotate(axis, state->pose[j->b].q, j->axes->b);
  vec_copy(from, at), vec_copy(to, at);
  vec_add_scaled(from, -axis_length * p->size, axis);
  vec_add_scaled(to, axis_length * p->size, axis);
  add_segment(p, PICTURE_AXIS, 0, from, to);
}

/* Draws a joint by its points and axis; constraints of velocities and angles alone have no place. */
static void add_joint(picture *p, const hn_state *state, const hn_joint *j)
{
  double a[3], b[3], apart[3];
  const bool turns = strcmp(j->type->unit, "rad") == 0 && j->type->rows == 1; /* motor, limit, friction */
  point_of(a, state, j->a, j->point_a);
  point_of(b, state, j->b, j->point_b);
  vec_sub(apart, b, a);
  if (j->type->velocity || j->type->set != HN_ANY || turns) return;
  if (strstr(j->type->name, "distance")) add_segment(p, PICTURE_ROD, 0, a, b);
  if (j->axes && !strstr(j->type->name, "fixed")) add_axis(p, state, j, b);
  const bool point = j->type->keys & (HN_KEY_AT | HN_KEY_DEFAULT_POINTS);
  if (point) add_mark(p, j->a == 0 ? PICTURE_GROUND : PICTURE_JOINT, j->b, a);
  if (point && vec_norm(apart) > same_place * p->size)
    add_mark(p, j->b == 0 ? PICTURE_GROUND : PICTURE_JOINT, j->b, b);
}

/* Draws a spring as a zigzag line between its points. */
static void add_spring(picture *p, const double a[3], const double b[3])
{
  double along[3];
  vec_sub(along, b, a);
  const int first = picture_add_point(p, a);
  const double x = vec_dot(along, p->view.right), y = vec_dot(along, p->view.up), length = hn_hypot(x, y);
  const double out = length > same_place * p->size
                       ? fmin(spring_width * p->size, spring_ratio * length) / length
                       : 0.0;
  for (int k = -1; k <= 2 * COILS; k++) {
    const double part = straight_end + (1.0 - 2.0 * straight_end) * (k + 0.5) / (2 * COILS);
    const double side = k < 0 || k == 2 * COILS ? 0.0 : k % 2 == 0 ? out : -out; /* straight ends */
    picture_add_place(p, p->point[first][0] + part * x - side * y, p->point[first][1] + part * y + side * x);
  }
  picture_add_point(p, b);
  add_line(p, PICTURE_SPRING, 0, first);
}

static void add_force(picture *p, const hn_state *state, const hn_force *force)
{
  double a[3], b[3];
  if (strcmp(force->type->name, "spring") != 0) return;
  point_of(a, state, force->rows.a, force->rows.point_a);
  point_of(b, state, force->rows.b, force->rows.point_b);
  add_spring(p, a, b);
}

/* ---- The picture ----------------------------------------------------------------------------------- */

/* Planes first, then faces behind all moving bodies, then the others by their depth. */
static int by_depth(const void *left, const void *right)
{
  const picture_face *a = left, *b = right;
  const bool plane = isinf(a->depth) || isinf(b->depth);
  if (!plane && a->behind != b->behind) return a->behind ? -1 : 1;
  if (a->depth != b->depth) return a->depth < b->depth ? -1 : 1;
  return (a->first > b->first) - (a->first < b->first);
}

void picture_make(picture *p, const hn_model *model, const hn_state *state, const picture_view *view)
{
  *p = (picture){ .model = model,
                  .view = *view,
                  .size = hn_model_size(model, state),
                  .bounds = { { HUGE_VAL, HUGE_VAL }, { -HUGE_VAL, -HUGE_VAL } } };
  picture_bound_moving(p, state);
  picture_bounds *fixed = cli_alloc((size_t)model->nbody, sizeof *fixed);
  for (int i = 0; i < model->nbody; i++) {
    const int first = p->npoint;
    add_body(p, state, i);
    if (model->body[i].kind == HN_FIXED) fixed[i] = picture_bounds_of(p, first);
    else picture_extend(p, first);
  }
  const int first = p->npoint;
  for (int k = 0; k < model->njoint; k++) add_joint(p, state, &model->joint[k]);
  for (int k = 0; k < model->nforce; k++) add_force(p, state, &model->force[k]);
  picture_extend(p, first);
  picture_surround(p, state, fixed);
  free(fixed);
  if (p->npoint == 0) p->bounds = (picture_bounds){ { -1.0, -1.0 }, { 1.0, 1.0 } };
  picture_add_planes(p, state);
  if (p->nface > 0) qsort(p->face, (size_t)p->nface, sizeof *p->face, by_depth);
}

void picture_add_path(picture *p, int body, const double (*point)[3], int count)
{
  const int first = p->npoint;
  for (int i = 0; i < count; i++) picture_add_point(p, point[i]);
  add_line(p, PICTURE_PATH, body, first);
  picture_extend(p, first);
}

void picture_free(picture *p)
{
  free(p->point), free(p->face), free(p->line), free(p->mark);
  memset(p, 0, sizeof *p);
}
