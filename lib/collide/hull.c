/* hull.c - memory of hulls, checks of their points, and convex polygons (see draft.h). */
#include "collide/draft.h"
#include "base/vec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void hn_hull_free(hn_hull *hull)
{
  free(hull);
}

/* Points the arrays of HULL at their places behind it. */
static void place_arrays(hn_hull *hull, int ncorner)
{
  hull->vertex = (double *)(void *)(hull + 1);
  hull->normal = hull->vertex + 3 * hull->nvertex;
  hull->offset = hull->normal + 3 * hull->nface;
  hull->face_start = (int *)(void *)(hull->offset + hull->nface);
  hull->face_vertex = hull->face_start + hull->nface + 1;
  hull->face_edge = hull->face_vertex + ncorner;
  hull->edge = hull->face_edge + ncorner;
}

hn_hull *hn_hull_of_size(int nvertex, int nface, int ncorner, int nedge)
{
  const size_t size = sizeof(hn_hull) + sizeof(double[3]) * (size_t)nvertex +
                      sizeof(double[4]) * (size_t)nface + sizeof(int) * ((size_t)nface + 1) +
                      sizeof(int[2]) * (size_t)ncorner + sizeof(int[4]) * (size_t)nedge;
  hn_hull *hull = calloc(1, size);
  if (!hull) return NULL;
  hull->size = size, hull->nvertex = nvertex, hull->nface = nface;
  place_arrays(hull, ncorner);
  return hull;
}

hn_hull *hn_hull_copy(const hn_hull *hull)
{
  hn_hull *copy = malloc(hull->size);
  if (copy) place_arrays(memcpy(copy, hull, hull->size), hull->face_start[hull->nface]);
  return copy;
}

void hn_hull_measure(hn_hull *hull)
{
  for (int i = 0; i < hull->nvertex; i++) {
    vec_add_scaled(hull->centre, 1.0 / hull->nvertex, hull->vertex + 3 * i);
    hull->radius = fmax(hull->radius, vec_norm(hull->vertex + 3 * i));
  }
}

/* Thickness of a hull, in units of hn_flatness, below which the points count as coplanar: its faces would not
 * be distinct. */
static const double degenerate_factor = 1e2;

/* ---- The points -------------------------------------------------------------------------------------- */

/* Finds the point farthest from the affine hull of the N points before it, whose directions are in BASIS.
 * Stores its number in BEST; returns the square of its distance. */
static double find_farthest(const hn_draft *d, int n, double basis[][3], int *best)
{
  double largest = -1.0;
  for (int i = 0; i < d->count; i++) {
    double v[3];
    vec_sub(v, d->point + 3 * i, d->point);
    for (int pass = 0; pass < 2; pass++)
      for (int k = 0; k < n; k++) vec_add_scaled(v, -vec_dot(basis[k], v), basis[k]);
    if (vec_dot(v, v) > largest) largest = vec_dot(v, v), *best = i;
  }
  return largest;
}

int hn_draft_check(hn_draft *d, int dimensions, hn_error *error)
{
  static const char *const degenerate[] = { "at one place", "on a line", "in a plane" };
  double basis[3][3];
  int min_points = dimensions + 1;
  if (d->count < min_points)
    return hn_fail(error, "a hull needs %d points at least, not %d", min_points, d->count);
  for (int i = 0; i < d->count; i++)
    if (!all_finite(d->point + 3 * i, 3)) return hn_fail(error, "point %d of the hull is not finite", i + 1);
  for (int n = 0; n < dimensions; n++) {
    int best = 0;
    double distance = sqrt(find_farthest(d, n, basis, &best));
    if (n == 0) d->size = distance;
    if (!isfinite(distance)) return hn_fail(error, "the points of the hull are too far apart");
    if (!(distance > degenerate_factor * hn_flatness * d->size))
      return hn_fail(error, "the points of the hull lie all %s", degenerate[n]);
    vec_sub(basis[n], d->point + 3 * best, d->point);
    for (int pass = 0; pass < 2; pass++)
      for (int k = 0; k < n; k++) vec_add_scaled(basis[n], -vec_dot(basis[k], basis[n]), basis[k]);
    vec_scale(basis[n], 1.0 / vec_norm(basis[n]), basis[n]);
  }
  return 0;
}

static bool is_near(const hn_draft *d, int i, int j)
{
  double v[3];
  vec_sub(v, d->point + 3 * i, d->point + 3 * j);
  return vec_norm(v) <= hn_flatness * d->size;
}

int hn_draft_check_twice(const hn_draft *d, hn_error *error)
{
  for (int i = 0; i < d->count; i++)
    for (int j = 0; d->corner[i] && j < d->count; j++)
      if (j != i && is_near(d, i, j))
        return hn_fail(error, "points %d and %d of the hull are the same", (i < j ? i : j) + 1,
                       (i < j ? j : i) + 1);
  return 0;
}

/* ---- Polygons in a plane ----------------------------------------------------------------------------- */

static int by_place(const void *a, const void *b)
{
  const hn_flat_point *p = a, *q = b;
  if (p->x != q->x) return p->x < q->x ? -1 : 1;
  if (p->y != q->y) return p->y < q->y ? -1 : 1;
  return p->point - q->point;
}

/* True if B is to the right of the line from A to C by more than MIN_DISTANCE: a corner of the polygon. */
static bool is_corner(const hn_flat_point *a, const hn_flat_point *b, const hn_flat_point *c,
                      double min_distance)
{
  double x = c->x - a->x, y = c->y - a->y;
  return x * (b->y - a->y) - y * (b->x - a->x) < -min_distance * sqrt(x * x + y * y);
}

/* Appends half of the boundary of the N sorted points, from number FROM in steps of STEP, to RIM, which has
 * COUNT points. Returns the new count without the last point, with which the other half begins. */
static int half_rim(const hn_flat_point *projected, int n, int from, int step, double min_distance,
                    hn_flat_point *rim, int count)
{
  int first = count;
  for (int i = 0, k = from; i < n; i++, k += step) {
    while (count - first >= 2 && !is_corner(&rim[count - 2], &rim[count - 1], &projected[k], min_distance))
      count--;
    rim[count++] = projected[k];
  }
  return count - 1;
}

/* Andrew's monotone chain. [Andrew, Inf. Process. Lett. 9 (1979) 216] */
int hn_draft_rim(hn_flat_point *projected, int n, double min_distance, hn_flat_point *rim)
{
  qsort(projected, (size_t)n, sizeof *projected, by_place);
  int count = half_rim(projected, n, 0, 1, min_distance, rim, 0);
  return half_rim(projected, n, n - 1, -1, min_distance, rim, count);
}

void hn_draft_face(const hn_flat_point *rim, int n, hn_face_draft *face)
{
  int first = 0;
  for (int i = 1; i < n; i++)
    if (rim[i].point < rim[first].point) first = i;
  face->n = n;
  for (int i = 0; i < n; i++) face->corner[i] = rim[(first + i) % n].point;
}
