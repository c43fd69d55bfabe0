/* mesh.c - shapes as triangles: flat faces with vertices of their own, and surfaces of revolution. */
#include <math.h>
#include "base/vec.h"
#include "cli/base/memory.h"
#include "cli/record/mesh.h"
#include "collide/hull.h"
#include "elementary.h"

enum { AROUND = 32, ARC = 8 }; /* segments of a circle, and of a quarter */

static void add_vertex(cli_mesh *m, const double x[3], const double n[3])
{
  m->vertex = cli_grow(m->vertex, 6 * (m->nvertex + 1), sizeof *m->vertex);
  float *to = m->vertex + 6 * m->nvertex++;
  for (int k = 0; k < 3; k++) to[k] = (float)x[k], to[3 + k] = (float)n[k];
}

static void add_triangle(cli_mesh *m, size_t a, size_t b, size_t c)
{
  const size_t corner[3] = { a, b, c };
  m->index = cli_grow(m->index, m->nindex + 3, sizeof *m->index);
  for (int k = 0; k < 3; k++) m->index[m->nindex++] = (uint32_t)corner[k];
}

/* Adds a flat convex face with vertices of its own. */
static void add_face(cli_mesh *m, const double (*corner)[3], int count, const double n[3])
{
  const size_t first = m->nvertex;
  for (int i = 0; i < count; i++) add_vertex(m, corner[i], n);
  for (int i = 2; i < count; i++) add_triangle(m, first, first + (size_t)i - 1, first + (size_t)i);
}

static void add_box(cli_mesh *m, const double size[3])
{
  static const double around[4][2] = { { -0.5, -0.5 }, { 0.5, -0.5 }, { 0.5, 0.5 }, { -0.5, 0.5 } };
  for (int axis = 0; axis < 3; axis++)
    for (int side = -1; side <= 1; side += 2) {
      const int u = (axis + 1) % 3, w = (axis + 2) % 3;
      double corner[4][3], n[3] = { 0.0 };
      n[axis] = side;
      for (int i = 0; i < 4; i++) {
        const double *at = around[side > 0 ? i : 3 - i];
        corner[i][axis] = 0.5 * side * size[axis], corner[i][u] = at[0] * size[u],
        corner[i][w] = at[1] * size[w];
      }
      add_face(m, (const double(*)[3])corner, 4, n);
    }
}

/* Adds a ring about y of points (RADIUS, HEIGHT) with normals (ACROSS, UP), JOINED to the last one. */
static void add_ring(cli_mesh *m, double radius, double height, double across, double up, bool joined)
{
  const size_t ring = AROUND + 1, first = m->nvertex;
  for (int i = 0; i <= AROUND; i++) {
    const double angle = 2.0 * M_PI * (i % AROUND) / AROUND, c = hn_cos(angle), s = hn_sin(angle);
    add_vertex(m, (const double[]){ radius * c, height, radius * s },
               (const double[]){ across * c, up, across * s });
  }
  for (size_t i = 0; joined && i < AROUND; i++) {
    add_triangle(m, first + i, first + i + 1, first - ring + i);
    add_triangle(m, first + i + 1, first - ring + i + 1, first - ring + i);
  }
}

/* Adds a hemisphere centred at HEIGHT: SIDE 1 from the equator up, SIDE -1 from the pole up. */
static void add_cap(cli_mesh *m, double radius, double height, int side)
{
  for (int k = 0; k <= ARC; k++) {
    const double angle = 0.5 * M_PI * (side < 0 ? ARC - k : k) / ARC, c = hn_cos(angle),
                 s = side * hn_sin(angle);
    add_ring(m, radius * c, height + radius * s, c, s, k > 0 || side > 0);
  }
}

/* Adds an ellipsoid: a ball of radius 1 whose points are stretched by the half axes, its normals by their
 * reciprocals. */
static void add_ellipsoid(cli_mesh *m, const double half[3])
{
  const size_t first = m->nvertex;
  add_cap(m, 1.0, 0.0, -1), add_cap(m, 1.0, 0.0, 1);
  for (size_t i = first; i < m->nvertex; i++) {
    float *x = m->vertex + 6 * i;
    double n[3];
    for (int k = 0; k < 3; k++) n[k] = (double)x[3 + k] / half[k], x[k] = (float)((double)x[k] * half[k]);
    const double length = vec_norm(n);
    for (int k = 0; k < 3; k++) x[3 + k] = (float)(n[k] / length);
  }
}

static void add_cylinder(cli_mesh *m, double radius, double half)
{
  for (int side = -1; side <= 1; side += 2) {
    add_ring(m, side < 0 ? 0.0 : radius, side * half, 0.0, side, false);
    add_ring(m, side < 0 ? radius : 0.0, side * half, 0.0, side, true);
  }
  add_ring(m, radius, -half, 1.0, 0.0, false), add_ring(m, radius, half, 1.0, 0.0, true);
}

/* Adds a disc in the plane z = 0. */
static void add_circle(cli_mesh *m, double radius)
{
  double corner[AROUND][3];
  for (int i = 0; i < AROUND; i++) {
    const double angle = 2.0 * M_PI * i / AROUND;
    vec_set(corner[i], radius * hn_cos(angle), radius * hn_sin(angle), 0.0);
  }
  add_face(m, (const double(*)[3])corner, AROUND, (const double[]){ 0.0, 0.0, 1.0 });
}

static void add_plane(cli_mesh *m, const double n[3], double extent)
{
  double corner[4][3], u[3], w[3], least[3] = { 0.0 };
  least[fabs(n[0]) < 0.6 ? 0 : 1] = 1.0;
  vec_cross(u, n, least), vec_scale(u, extent / vec_norm(u), u);
  vec_cross(w, n, u);
  for (int i = 0; i < 4; i++)
    for (int k = 0; k < 3; k++) corner[i][k] = (i == 0 || i == 3 ? -u[k] : u[k]) + (i < 2 ? -w[k] : w[k]);
  add_face(m, (const double(*)[3])corner, 4, n);
}

static void add_hull(cli_mesh *m, const hn_hull *hull)
{
  double corner[HN_MAX_CORNERS][3];
  for (int f = 0; f < hull->nface; f++) {
    const int *at = hull->face_vertex + hull->face_start[f],
              count = hull->face_start[f + 1] - hull->face_start[f];
    for (int i = 0; i < count; i++) vec_copy(corner[i], hull->vertex + 3 * at[i]);
    add_face(m, (const double(*)[3])corner, count, hull->normal + 3 * f);
  }
}

/* Adds a polygon; the hull stores its edges as faces of two vertices in order. */
static void add_polygon(cli_mesh *m, const hn_hull *hull)
{
  double corner[HN_MAX_CORNERS][3];
  for (int f = 0; f < hull->nface; f++)
    vec_copy(corner[f], hull->vertex + 3 * hull->face_vertex[hull->face_start[f]]);
  add_face(m, (const double(*)[3])corner, hull->nface, (const double[]){ 0.0, 0.0, 1.0 });
}

static void add_field(cli_mesh *m, const hn_shape *shape)
{
  double corner[3][3], p[3], q[3], n[3];
  for (int k = 0; hn_shape_triangle(shape, k, corner); k++) {
    vec_sub(p, corner[1], corner[0]), vec_sub(q, corner[2], corner[0]);
    vec_cross(n, p, q);
    vec_scale(n, 1.0 / vec_norm(n), n);
    add_face(m, (const double(*)[3])corner, 3, n);
  }
}

void cli_mesh_make(cli_mesh *m, const hn_shape *shape, double extent)
{
  const double *size = shape->size;
  *m = (cli_mesh){ .vertex = NULL };
  switch (shape->kind) {
  case HN_BOX: add_box(m, size); break;
  case HN_SPHERE: add_cap(m, size[0], 0.0, -1), add_cap(m, size[0], 0.0, 1); break;
  case HN_CAPSULE: add_cap(m, size[0], -0.5 * size[1], -1), add_cap(m, size[0], 0.5 * size[1], 1); break;
  case HN_ELLIPSOID: add_ellipsoid(m, size); break;
  case HN_CYLINDER: add_cylinder(m, size[0], 0.5 * size[1]); break;
  case HN_PLANE: add_plane(m, size, extent); break;
  case HN_CONVEX: add_hull(m, shape->hull); break;
  case HN_CIRCLE: add_circle(m, size[0]); break;
  case HN_POLYGON: add_polygon(m, shape->hull); break;
  case HN_HEIGHT_FIELD: add_field(m, shape); break;
  default: break;
  }
}

void cli_mesh_free(cli_mesh *m)
{
  free(m->vertex), free(m->index);
}
