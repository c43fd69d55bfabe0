/* picture_shapes.c - visible faces of shapes, all of them convex but height fields: faces of boxes and
 * polyhedra turned towards the eye, outlines of round shapes, and the visible ends of cylinders. */
#include <math.h>
#include <string.h>
#include "cli/base/memory.h"
#include "cli/picture/items.h"
#include "collide/hull.h"
#include "elementary.h"
#include "base/vec.h"

enum { ROUND = 36, RINGS = 9, MAX_POINTS = 2048 }; /* points of a circle; rings of half a ball; of a shape */
/* Components of normals towards the eye. */
static const double edge_on = 1e-9;                 /* a face with less is not visible */
static const double slanting = 0.05;                /* a plane with less is drawn as a line */
static const double dark = 0.62;                    /* brightness of faces turned away from the lamp */
static const double lamp[3] = { 0.25, 0.75, 0.60 }; /* right, up, towards the eye; nearly a unit vector */
static const double rounding = 1e-9;                /* relative difference of equal moments of inertia */
static const double touching = 1e-3;   /* depth to which bodies may enter a face behind them, over the size */
static const double plane_size = 12.0; /* half the side of a plane, over the diagonal of the picture */
static const int around[4][2] = { { -1, -1 }, { 1, -1 }, { 1, 1 }, { -1, 1 } }; /* corners of a square */

/* A shape at its pose in the world. */
typedef struct placing {
  picture *p;
  int body;
  hn_pose pose;
} placing;

void picture_to_world(double out[3], const hn_pose *pose, const double x[3])
{
  quat_rotate(out, pose->q, x);
  vec_add(out, out, pose->x);
}

int picture_add_place(picture *p, double right, double up)
{
  p->point = cli_grow(p->point, (size_t)p->npoint + 1, sizeof *p->point);
  p->point[p->npoint][0] = right, p->point[p->npoint][1] = up;
  return p->npoint++;
}

int picture_add_point(picture *p, const double x[3])
{
  return picture_add_place(p, vec_dot(x, p->view.right), vec_dot(x, p->view.up));
}

picture_face *picture_add_face(picture *p, int body, int first)
{
  p->face = cli_grow(p->face, (size_t)p->nface + 1, sizeof *p->face);
  p->face[p->nface] =
    (picture_face){ .body = body, .first = first, .count = p->npoint - first, .light = 1.0, .rim = true };
  return &p->face[p->nface++];
}

static double light_on(const picture_view *view, const double normal[3])
{
  const double l = lamp[0] * vec_dot(normal, view->right) + lamp[1] * vec_dot(normal, view->up) +
                   lamp[2] * vec_dot(normal, view->eye);
  return dark + (1.0 - dark) * fmax(0.0, l);
}

/* True if all moving bodies are on the side of NORMAL of the plane through X, so that a face there hides none
 * of them. */
static bool is_behind(const picture *p, const double normal[3], const double x[3])
{
  double distance = -vec_dot(normal, x);
  for (int k = 0; k < 3; k++) distance += normal[k] * (normal[k] > 0.0 ? p->low[k] : p->high[k]);
  return distance >= -touching * p->size;
}

/* True if the face with the points from FIRST on is larger than the box around all moving bodies. */
static bool is_large(const picture *p, int first)
{
  const picture_bounds b = picture_bounds_of(p, first);
  double diagonal[3];
  vec_sub(diagonal, p->high, p->low);
  return p->low[0] <= p->high[0] && hn_hypot(b.high[0] - b.low[0], b.high[1] - b.low[1]) > vec_norm(diagonal);
}

/* Adds a flat face with COUNT corners in axes of the shape, if it is turned towards the eye. */
static void add_flat(const placing *at, const double normal[3], const double (*corner)[3], int count)
{
  picture *p = at->p;
  double n[3], x[3] = { 0.0, 0.0, 0.0 }, depth = 0.0;
  const int first = p->npoint;
  quat_rotate(n, at->pose.q, normal);
  if (vec_dot(n, p->view.eye) <= edge_on) return;
  for (int i = 0; i < count; i++) {
    picture_to_world(x, &at->pose, corner[i]);
    picture_add_point(p, x);
    depth += vec_dot(x, p->view.eye) / count;
  }
  picture_face *face = picture_add_face(p, at->body, first);
  face->depth = depth;
  face->behind = p->model->body[at->body].kind == HN_FIXED && is_large(p, first) && is_behind(p, n, x);
  face->light = light_on(&p->view, n);
}

/* ---- Outlines ------------------------------------------------------------------------------------------ */

static int by_place(const void *left, const void *right)
{
  const double *a = left, *b = right;
  if (a[0] != b[0]) return a[0] < b[0] ? -1 : 1;
  return (a[1] > b[1]) - (a[1] < b[1]);
}

static double turn(const double *a, const double *b, const double *c)
{
  return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

/* Computes the convex hull of N points by Andrew's chains [andrew1979]. Returns its number of corners. */
static int outline(double (*point)[2], int n, double (*out)[2])
{
  int count = 0;
  qsort(point, (size_t)n, sizeof *point, by_place);
  for (int pass = 0, least = 1; pass < 2; pass++, least = count) {
    for (int k = 0; k < n; k++) {
      const double *next = point[pass == 0 ? k : n - 1 - k];
      if (pass == 1 && k == 0) continue;
      while (count > least && turn(out[count - 2], out[count - 1], next) <= 0.0) count--;
      memcpy(out[count++], next, sizeof *out);
    }
  }
  return count > 1 ? count - 1 : count; /* the last corner is the first one again */
}

/* Adds the outline of COUNT corners in axes of the shape. */
static void add_outline(const placing *at, double (*corner)[3], int count)
{
  picture *p = at->p;
  double(*flat)[2] = cli_alloc((size_t)count, sizeof *flat),
  (*rim)[2] = cli_alloc(2 * (size_t)count + 2, sizeof *rim);
  double x[3], depth = 0.0;
  const int first = p->npoint;
  for (int i = 0; i < count; i++) {
    picture_to_world(x, &at->pose, corner[i]);
    flat[i][0] = vec_dot(x, p->view.right), flat[i][1] = vec_dot(x, p->view.up);
    depth += vec_dot(x, p->view.eye) / count;
  }
  const int n = outline(flat, count, rim);
  for (int i = 0; i < n; i++) picture_add_place(p, rim[i][0], rim[i][1]);
  picture_face *face = picture_add_face(p, at->body, first);
  face->depth = depth;
  face->light = 0.5 * (1.0 + dark);
  free(flat), free(rim);
}

/* Stores a ring of radius R at HEIGHT along the axis y of the shape, or z. Returns the number of points. */
static int put_ring(double (*corner)[3], double r, double height, bool about_z)
{
  for (int i = 0; i < ROUND; i++) {
    const double turned = 2.0 * M_PI * i / ROUND, c = r * hn_cos(turned), s = r * hn_sin(turned);
    if (about_z) vec_set(corner[i], c, s, height);
    else vec_set(corner[i], s, height, c);
  }
  return ROUND;
}

/* Stores a ball of radius R, cut at its equator and pulled apart by HEIGHT. Returns the number of points. */
static int put_ball(double (*corner)[3], double r, double height)
{
  int n = 0;
  for (int ring = 0; ring <= 2 * RINGS; ring++) {
    const double polar = 0.5 * M_PI * (ring - RINGS) / RINGS,
                 up = ring < RINGS ? -0.5 * height : 0.5 * height;
    if (ring == RINGS) n += put_ring(corner + n, r, -0.5 * height, false);
    n += put_ring(corner + n, r * hn_cos(polar), up + r * hn_sin(polar), false);
  }
  return n;
}

/* Stores an ellipsoid with the half axes HALF. Returns the number of points. */
static int put_ellipsoid(double (*corner)[3], const double half[3])
{
  const int n = put_ball(corner, 1.0, 0.0);
  for (int i = 0; i < n; i++)
    for (int k = 0; k < 3; k++) corner[i][k] *= half[k];
  return n;
}

/* ---- Shapes -------------------------------------------------------------------------------------------- */

static void add_box(const placing *at, const double edge[3])
{
  for (int axis = 0; axis < 3; axis++)
    for (int side = -1; side <= 1; side += 2) {
      double normal[3] = { 0.0, 0.0, 0.0 }, corner[4][3];
      normal[axis] = side;
      for (int k = 0; k < 4; k++) {
        corner[k][axis] = 0.5 * side * edge[axis];
        corner[k][(axis + 1) % 3] = 0.5 * around[k][0] * edge[(axis + 1) % 3];
        corner[k][(axis + 2) % 3] = 0.5 * around[k][1] * edge[(axis + 2) % 3];
      }
      add_flat(at, normal, (const double(*)[3])corner, 4);
    }
}

static void add_cylinder(const placing *at, double radius, double height)
{
  double corner[2 * ROUND][3];
  put_ring(corner, radius, -0.5 * height, false);
  put_ring(corner + ROUND, radius, 0.5 * height, false);
  double side[2 * ROUND][3];
  memcpy(side, corner, sizeof side);
  add_outline(at, side, 2 * ROUND);
  add_flat(at, (const double[3]){ 0.0, -1.0, 0.0 }, (const double(*)[3])corner, ROUND);
  add_flat(at, (const double[3]){ 0.0, 1.0, 0.0 }, (const double(*)[3])(corner + ROUND), ROUND);
}

static void add_hull(const placing *at, const hn_hull *hull)
{
  for (int f = 0; f < hull->nface; f++) {
    double corner[HN_MAX_CORNERS][3];
    const int start = hull->face_start[f], count = hull->face_start[f + 1] - start;
    for (int k = 0; k < count; k++) vec_copy(corner[k], hull->vertex + 3 * hull->face_vertex[start + k]);
    add_flat(at, hull->normal + 3 * f, (const double(*)[3])corner, count);
  }
}

static void add_field(const placing *at, const hn_shape *shape)
{
  double corner[3][3], p[3], q[3], n[3];
  for (int k = 0; hn_shape_triangle(shape, k, corner); k++) {
    vec_sub(p, corner[1], corner[0]), vec_sub(q, corner[2], corner[0]);
    vec_cross(n, p, q);
    vec_scale(n, 1.0 / vec_norm(n), n);
    add_flat(at, n, (const double(*)[3])corner, 3);
  }
}

static void add_polygon(const placing *at, const hn_hull *hull)
{
  double(*corner)[3] = cli_alloc((size_t)hull->nvertex, sizeof *corner);
  for (int k = 0; k < hull->nvertex; k++) vec_copy(corner[k], hull->vertex + 3 * k);
  add_outline(at, corner, hull->nvertex);
  free(corner);
}

static void add_shape(const placing *at, const hn_shape *shape)
{
  double corner[MAX_POINTS][3];
  switch (shape->kind) {
  case HN_BOX: add_box(at, shape->size); break;
  case HN_SPHERE: add_outline(at, corner, put_ball(corner, shape->size[0], 0.0)); break;
  case HN_CAPSULE: add_outline(at, corner, put_ball(corner, shape->size[0], shape->size[1])); break;
  case HN_ELLIPSOID: add_outline(at, corner, put_ellipsoid(corner, shape->size)); break;
  case HN_CYLINDER: add_cylinder(at, shape->size[0], shape->size[1]); break;
  case HN_CIRCLE: add_outline(at, corner, put_ring(corner, shape->size[0], 0.0, true)); break;
  case HN_CONVEX: add_hull(at, shape->hull); break;
  case HN_POLYGON: add_polygon(at, shape->hull); break;
  case HN_HEIGHT_FIELD: add_field(at, shape); break;
  default: break;
  }
}

static placing place(picture *p, int body, const hn_pose *pose, const hn_pose *in_body)
{
  placing at = { .p = p, .body = body };
  picture_to_world(at.pose.x, pose, in_body->x);
  quat_mul(at.pose.q, pose->q, in_body->q);
  return at;
}

void picture_add_shapes(picture *p, int body, const hn_pose *pose)
{
  const hn_body *b = &p->model->body[body];
  for (int k = b->collider; k < b->collider + b->ncollider; k++) {
    const placing at = place(p, body, pose, &p->model->collider[k].place);
    add_shape(&at, &p->model->collider[k].shape);
  }
}

static bool nearly_equal(double a, double b)
{
  return fabs(a - b) <= rounding * (a + b);
}

/* Adds the cylinder about axis K with the moments of inertia of B. Returns false if there is none. */
static bool add_equal_cylinder(const placing *at, const hn_body *b, int k)
{
  const double across = b->J[(k + 1) % 3], radius = sqrt(2.0 * b->J[k] / b->mass);
  const double height = 12.0 * across / b->mass - 3.0 * radius * radius, half = sqrt(0.5);
  const double to_y[3][4] = { { half, 0, 0, -half }, { 1, 0, 0, 0 }, { half, half, 0, 0 } };
  placing turned = *at;
  if (!nearly_equal(across, b->J[(k + 2) % 3]) || height < -rounding * radius * radius) return false;
  quat_mul(turned.pose.q, at->pose.q, to_y[k]);
  add_cylinder(&turned, radius, sqrt(fmax(height, 0.0)));
  return true;
}

static void add_inertia(picture *p, int body, const hn_pose *pose)
{
  const hn_body *b = &p->model->body[body];
  const placing at = { .p = p, .body = body, .pose = *pose };
  double edge[3], corner[MAX_POINTS][3];
  if (nearly_equal(b->J[0], b->J[1]) && nearly_equal(b->J[1], b->J[2])) {
    add_outline(&at, corner, put_ball(corner, sqrt(2.5 * b->J[0] / b->mass), 0.0));
    return;
  }
  for (int k = 0; k < 3; k++)
    if (add_equal_cylinder(&at, b, k)) return;
  for (int i = 0; i < 3; i++)
    edge[i] = sqrt(fmax(0.0, 6.0 * (b->J[(i + 1) % 3] + b->J[(i + 2) % 3] - b->J[i]) / b->mass));
  add_box(&at, edge);
}

void picture_add_inertia(picture *p, int body, const hn_pose *pose)
{
  const int first = p->nface;
  add_inertia(p, body, pose);
  for (int i = first; i < p->nface; i++) p->face[i].ghost = true;
}

/* ---- Planes -------------------------------------------------------------------------------------------- */

/* Adds a square of the plane that fills the picture, if its upper side is visible, or a line. */
static void add_plane(picture *p, int body, const hn_pose *pose, const hn_shape *shape)
{
  const double half = plane_size *
                      hn_hypot(p->bounds.high[0] - p->bounds.low[0], p->bounds.high[1] - p->bounds.low[1]);
  double normal[3], middle[3] = { 0.0, 0.0, 0.0 }, side[2][3], x[3];
  quat_rotate(normal, pose->q, shape->size);
  vec_add_scaled(middle, 0.5 * (p->bounds.low[0] + p->bounds.high[0]), p->view.right);
  vec_add_scaled(middle, 0.5 * (p->bounds.low[1] + p->bounds.high[1]), p->view.up);
  vec_sub(x, pose->x, middle);
  /* Move the middle of the picture onto the plane */
  const double towards = vec_dot(normal, p->view.eye);
  if (towards < -slanting) return;
  if (towards > slanting) vec_add_scaled(middle, vec_dot(x, normal) / towards, p->view.eye);
  else vec_add_scaled(middle, vec_dot(x, normal), normal);
  /* The square about it */
  vec_cross(side[0], normal,
            fabs(normal[0]) < 0.9 ? (const double[3]){ 1, 0, 0 } : (const double[3]){ 0, 0, 1 });
  vec_scale(side[0], half / vec_norm(side[0]), side[0]);
  vec_cross(side[1], normal, side[0]);
  const int first = p->npoint;
  for (int k = 0; k < 4; k++) {
    vec_copy(x, middle);
    vec_add_scaled(x, around[k][0], side[0]);
    vec_add_scaled(x, around[k][1], side[1]);
    picture_add_point(p, x);
  }
  picture_face *face = picture_add_face(p, body, first);
  face->depth = -HUGE_VAL;
  face->rim = towards <= slanting;
}

void picture_add_planes(picture *p, const hn_state *state)
{
  for (int k = 0; k < p->model->ncollider; k++) {
    const hn_collider *c = &p->model->collider[k];
    if (c->shape.kind != HN_PLANE) continue;
    const placing at = place(p, c->body, &state->pose[c->body], &c->place);
    add_plane(p, c->body, &at.pose, &c->shape);
  }
}
