/* hull_create.c - convex polygons from points (see hull.h). Polyhedra: polyhedron.c. */
#include "base/vec.h"
#include "collide/draft.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Sets side F of the polygon, from corner P to Q. */
static void set_side(hn_hull *hull, int f, int p, int q)
{
  const double *at = hull->vertex + 3 * p, *to = hull->vertex + 3 * q;
  double x = to[1] - at[1], y = at[0] - to[0], length = sqrt(x * x + y * y);
  vec_set(hull->normal + 3 * f, x / length, y / length, 0);
  hull->offset[f] = 0.5 * (vec_dot(hull->normal + 3 * f, at) + vec_dot(hull->normal + 3 * f, to));
  hull->face_start[f + 1] = 2 * f + 2;
  hull->face_vertex[2 * f] = p, hull->face_vertex[2 * f + 1] = q;
  hull->face_edge[2 * f] = hull->face_edge[2 * f + 1] = f;
}

/* Returns -1 if a point lies inside the polygon by more than rounding. */
static int check_rim(const hn_draft *d, const hn_hull *hull, hn_error *error)
{
  for (int i = 0; i < d->count; i++) {
    double largest = -HUGE_VAL;
    for (int f = 0; f < hull->nface; f++)
      largest = fmax(largest, vec_dot(hull->normal + 3 * f, d->point + 3 * i) - hull->offset[f]);
    if (largest < -hn_flatness * d->size)
      return hn_fail(error, "point %d is inside: a polygon must be convex; make several shapes of it", i + 1);
  }
  return 0;
}

static hn_hull *finish_polygon(const hn_draft *d, const hn_flat_point *rim, int n, hn_error *error)
{
  hn_face_draft face;
  hn_hull *hull = hn_hull_of_size(n, n, 2 * n, 0);
  if (!hull) return hn_fail(error, "out of memory"), NULL;
  hn_draft_face(rim, n, &face);
  int at[HN_MAX_CORNERS], number = 0;
  for (int i = 0; i < d->count; i++)
    for (int k = 0; k < n; k++)
      if (face.corner[k] == i) {
        vec_copy(hull->vertex + 3 * number, d->point + 3 * i);
        at[k] = number++;
      }
  for (int k = 0; k < n; k++) set_side(hull, k, at[k], at[(k + 1) % n]);
  hn_hull_measure(hull);
  if (check_rim(d, hull, error) == 0) return hull;
  hn_hull_free(hull);
  return NULL;
}

static hn_hull *polygon_of(hn_draft *d, hn_error *error)
{
  hn_flat_point *rim = d->projected + d->count;
  if (hn_draft_check(d, 2, error)) return NULL;
  for (int i = 0; i < d->count; i++)
    d->projected[i] = (hn_flat_point){ i, d->point[3 * i], d->point[3 * i + 1] };
  int n = hn_draft_rim(d->projected, d->count, hn_flatness * d->size, rim);
  for (int i = 0; i < n; i++) d->corner[rim[i].point] = true;
  if (hn_draft_check_twice(d, error)) return NULL;
  if (n > HN_MAX_CORNERS)
    return hn_fail(error, "the polygon has %d corners, %d at most", n, HN_MAX_CORNERS), NULL;
  return finish_polygon(d, rim, n, error);
}

hn_hull *hn_hull_create(const double *points, int count, bool polygon, hn_error *error)
{
  size_t n = count > 0 ? (size_t)count : 1;
  double *point = malloc(3 * n * sizeof *point);
  hn_draft d = { .point = point,
                 .count = count,
                 .corner = calloc(n, sizeof *d.corner),
                 .projected = malloc((3 * n + 2) * sizeof *d.projected) };
  hn_hull *hull = NULL;
  if (!point || !d.corner || !d.projected) {
    hn_fail(error, "out of memory");
  } else {
    for (int i = 0; i < 3 * count; i++) point[i] = polygon && i % 3 == 2 ? 0.0 : points[i];
    hull = polygon ? polygon_of(&d, error) : hn_draft_polyhedron(&d, error);
  }
  free(point);
  free(d.corner);
  free(d.projected);
  free(d.face);
  return hull;
}
