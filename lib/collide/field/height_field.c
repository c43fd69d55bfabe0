/* height_field.c - height fields: creation, and the geometry of their features (see height_field.h). */
#include "collide/field/height_field.h"
#include "base/vec.h"
#include "collide/contact_key.h"

#include <stdlib.h>
#include <string.h>

/* Relative to the diagonal of a cell. It exceeds the rounding of heights, and is less than what a scene
 * would call an edge. */
static const double flush_tolerance = 1e-9;

/* ---- Points and faces ---------------------------------------------------------------------------------- */

static double height_at(const hn_height_field *f, int i, int j)
{
  return f->height[(size_t)j * (size_t)f->nx + (size_t)i];
}

void hn_field_point(const hn_height_field *f, int i, int j, double x[3])
{
  vec_set(x, (i - 0.5 * (f->nx - 1)) * f->dx, height_at(f, i, j), (j - 0.5 * (f->nz - 1)) * f->dz);
}

void hn_field_face(const hn_height_field *f, int i, int j, int triangle, double at[3], double n[3])
{
  const int k = i + triangle, l = j + triangle, back = triangle ? -1 : 1;
  hn_field_point(f, k, l, at);
  const double slope_x = back * (height_at(f, k + back, l) - at[1]) / f->dx,
               slope_z = back * (height_at(f, k, l + back) - at[1]) / f->dz;
  vec_set(n, -slope_x, 1.0, -slope_z);
  vec_scale(n, 1.0 / vec_norm(n), n);
}

static bool is_point(const hn_height_field *f, int i, int j)
{
  return i >= 0 && j >= 0 && i < f->nx && j < f->nz;
}

/* ---- Edges --------------------------------------------------------------------------------------------- */

/* Offsets from point (i, j) to the ends of edge k, and to the opposite corners of its two faces. */
static const int edge_points[3][4][2] = { { { 0, 0 }, { 1, 0 }, { 0, 1 }, { 1, -1 } },
                                          { { 0, 0 }, { 0, 1 }, { 1, 0 }, { -1, 1 } },
                                          { { 1, 0 }, { 0, 1 }, { 0, 0 }, { 1, 1 } } };

/* Computes INTO, from the edge to the opposite corner WHICH of a face; beyond the rim downwards. */
static bool into_face(const hn_height_field *f, int i, int j, const int at[2], const double p[3],
                      double into[3])
{
  double corner[3];
  if (!is_point(f, i + at[0], j + at[1])) {
    vec_set(into, 0.0, -1.0, 0.0);
    return false;
  }
  hn_field_point(f, i + at[0], j + at[1], corner);
  vec_sub(into, corner, p);
  return true;
}

/* Computes one end P of edge K of point (I, J), D to the other end, and INTO both faces. Stores the height
 * of the second face above the plane of the first at the opposite corner, m, in RISE. False if there is no
 * such edge. */
static bool find_edge(const hn_height_field *f, int i, int j, int k, double p[3], double d[3],
                      double into[2][3], double *rise)
{
  const int(*at)[2] = edge_points[k];
  double q[3], n[3];
  bool inside[2];
  if (!is_point(f, i + at[0][0], j + at[0][1]) || !is_point(f, i + at[1][0], j + at[1][1])) return false;
  hn_field_point(f, i + at[0][0], j + at[0][1], p);
  hn_field_point(f, i + at[1][0], j + at[1][1], q);
  vec_sub(d, q, p);
  for (int s = 0; s < 2; s++) inside[s] = into_face(f, i, j, at[2 + s], p, into[s]);
  const int own = inside[0] ? 0 : 1; /* a face of the field; the other may be beyond the rim */
  vec_cross(n, d, into[own]);
  *rise = inside[!own] ? (n[1] < 0.0 ? -1.0 : 1.0) * vec_dot(n, into[!own]) / vec_norm(n) : -HUGE_VAL;
  return true;
}

bool hn_field_edge_of(const hn_height_field *f, int i, int j, int k, hn_field_edge *e)
{
  double into[2][3], rise;
  if (!find_edge(f, i, j, k, e->p, e->d, into, &rise) || !(rise < -f->flush)) return false;
  e->number = 3 * (i + f->nx * j) + k;
  e->length = vec_norm(e->d);
  vec_scale(e->d, 1.0 / e->length, e->d);
  for (int s = 0; s < 2; s++) {
    vec_along(e->out[s], into[s], -vec_dot(into[s], e->d), e->d);
    vec_scale(e->out[s], -1.0 / vec_norm(e->out[s]), e->out[s]);
  }
  return true;
}

bool hn_field_edge_has(const hn_field_edge *e, const double n[3], double tolerance)
{
  return n[1] >= -tolerance && vec_dot(n, e->out[0]) >= -tolerance && vec_dot(n, e->out[1]) >= -tolerance;
}

/* ---- Flat parts ---------------------------------------------------------------------------------------- */

/* Returns the lowest triangle of the part to which triangle T belongs so far; shortens the way to it. */
static int lowest_of(int *part, int t)
{
  while (part[t] != t) t = part[t] = part[part[t]];
  return t;
}

/* Returns the triangle of edge K of point (I, J) on the side of the opposite corner SIDE. */
static int triangle_at(const hn_height_field *f, int i, int j, int k, int side)
{
  const int row = f->nx - 1, cell = i + row * j;
  if (k == 2) return 2 * cell + side;
  return side == 0 ? 2 * cell : k == 0 ? 2 * (cell - row) + 1 : 2 * (cell - 1) + 1;
}

/* Joins the triangles at flat edges. A part has the number of its lowest triangle. */
static void join_triangles(hn_height_field *f, int *part)
{
  const int count = 2 * (f->nx - 1) * (f->nz - 1);
  double p[3], d[3], into[2][3], rise;
  for (int t = 0; t < count; t++) part[t] = t;
  for (int j = 0; j < f->nz; j++)
    for (int i = 0; i < f->nx; i++)
      for (int k = 0; k < 3; k++) {
        if (!find_edge(f, i, j, k, p, d, into, &rise) || !(fabs(rise) <= f->flush)) continue;
        const int a = lowest_of(part, triangle_at(f, i, j, k, 0)),
                  b = lowest_of(part, triangle_at(f, i, j, k, 1));
        part[a < b ? b : a] = a < b ? a : b;
      }
  for (int t = 0; t < count; t++) part[t] = lowest_of(part, t);
}

static int *parts_of(const hn_height_field *f)
{
  return (int *)(void *)(f->height + (size_t)f->nx * (size_t)f->nz);
}

int hn_field_part(const hn_height_field *f, int i, int j, int triangle)
{
  return parts_of(f)[2 * (i + (f->nx - 1) * j) + triangle];
}

/* ---- Vertices ------------------------------------------------------------------------------------------ */

/* Offsets from a point to its neighbours, in their order around. */
static const int around[6][2] = { { 1, 0 }, { 0, 1 }, { -1, 1 }, { -1, 0 }, { 0, -1 }, { 1, -1 } };

/* True if the mean height of every STEP-th neighbour from FIRST on is below that of point (I, J), or one of
 * them is beyond the rim. */
static bool is_above_mean(const hn_height_field *f, int i, int j, int first, int step)
{
  double sum = 0.0;
  int count = 0;
  for (int k = first; k < 6; k += step, count++) {
    if (!is_point(f, i + around[k][0], j + around[k][1])) return true;
    sum += height_at(f, i + around[k][0], j + around[k][1]);
  }
  return sum / count < height_at(f, i, j) - f->flush;
}

/* A point is in the convex hull of the points below and on its neighbours if it is not above the middle of
 * two opposite ones or of three alternate ones: no other set of neighbours surrounds it. */
bool hn_field_vertex_of(const hn_height_field *f, int i, int j, hn_field_vertex *v)
{
  for (int k = 0; k < 3; k++)
    if (!is_above_mean(f, i, j, k, 3)) return false;
  for (int k = 0; k < 2; k++)
    if (!is_above_mean(f, i, j, k, 2)) return false;
  v->number = i + f->nx * j, v->count = 0;
  hn_field_point(f, i, j, v->p);
  for (int k = 0; k < 6; k++) {
    double *to = v->to[v->count];
    if (!is_point(f, i + around[k][0], j + around[k][1])) continue;
    hn_field_point(f, i + around[k][0], j + around[k][1], to);
    vec_sub(to, to, v->p);
    v->length[v->count++] = vec_norm(to);
  }
  return true;
}

bool hn_field_vertex_has(const hn_field_vertex *v, const double n[3], double tolerance)
{
  for (int k = 0; k < v->count; k++)
    if (!(vec_dot(n, v->to[k]) <= tolerance * v->length[k])) return false;
  return n[1] >= -tolerance;
}

/* ---- Creation ------------------------------------------------------------------------------------------ */

static int check(const double size[2], int nx, int nz, const double *height, hn_error *error)
{
  if (nx < 2 || nz < 2)
    return hn_fail(error, "a height field needs at least 2 x 2 points, not %d x %d", nx, nz);
  if (nx > HN_MAX_FIELD_SIDE || nz > HN_MAX_FIELD_SIDE || (int64_t)nx * nz > HN_MAX_FIELD_POINTS)
    return hn_fail(error, "a height field has at most %d points along a side and %d in all, not %d x %d",
                   HN_MAX_FIELD_SIDE, HN_MAX_FIELD_POINTS, nx, nz);
  for (int k = 0; k < 2; k++)
    if (!(isfinite(size[k]) && size[k] > 0))
      return hn_fail(error, "the size of a height field along %s must be positive, not %g", k ? "z" : "x",
                     size[k]);
  for (int k = 0; k < nx * nz; k++)
    if (!isfinite(height[k]))
      return hn_fail(error, "height %d of row %d is not a finite number", k % nx + 1, k / nx + 1);
  return 0;
}

hn_height_field *hn_height_field_create(const double size[2], int nx, int nz, const double *height,
                                        hn_error *error)
{
  if (check(size, nx, nz, height, error)) return NULL;
  const size_t count = (size_t)nx * (size_t)nz, triangles = 2 * (size_t)(nx - 1) * (size_t)(nz - 1),
               bytes = sizeof(hn_height_field) + sizeof(double) * count + sizeof(int) * triangles;
  hn_height_field *field = malloc(bytes);
  if (!field) return hn_fail(error, "out of memory"), NULL;
  *field = (hn_height_field){
    .size = bytes, .nx = nx, .nz = nz, .dx = size[0] / (nx - 1), .dz = size[1] / (nz - 1)
  };
  field->flush = flush_tolerance * sqrt(field->dx * field->dx + field->dz * field->dz);
  memcpy(field->height, height, sizeof(double) * count);
  field->low = field->high = height[0];
  for (size_t k = 1; k < count; k++)
    field->low = fmin(field->low, height[k]), field->high = fmax(field->high, height[k]);
  join_triangles(field, parts_of(field));
  return field;
}

hn_height_field *hn_height_field_copy(const hn_height_field *field)
{
  hn_height_field *copy = malloc(field->size);
  return copy ? memcpy(copy, field, field->size) : NULL;
}

void hn_height_field_free(hn_height_field *field)
{
  free(field);
}

int hn_height_field_bits(const hn_height_field *field)
{
  const int edges = 3 * field->nx * field->nz, known = 10; /* bits of a number in any key (polytope.h) */
  int bits = 0;
  while (edges >> (known + bits) > 0) bits += 2;
  return bits;
}
