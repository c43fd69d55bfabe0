/* polyhedron.c - the faces and edges of a convex polyhedron.
 *
 * Qhull supplies the planes that bound the hull. Each plane takes the points on it to 1e-10 of the size, and
 * the corners of its face are their convex polygon. So faces that Qhull divided are merged, and the result
 * depends on the points alone. Euler's formula and the two faces of each edge are checked. They may fail for
 * points slightly beside a plane; such a hull is refused. */
#include "base/vec.h"
#include "collide/draft.h"

#include <math.h>
#include <stdlib.h>

/* ---- Faces ------------------------------------------------------------------------------------------- */

/* Projects the points on the supporting plane with NORMAL into d->projected; returns their number. */
static int project_points_on(hn_draft *d, const double normal[3])
{
  double largest = -HUGE_VAL, e[2][3] = { { 0 } };
  int count = 0, axis = 0;
  for (int i = 1; i < 3; i++)
    if (fabs(normal[i]) < fabs(normal[axis])) axis = i;
  e[0][axis] = 1.0;
  vec_add_scaled(e[0], -normal[axis], normal);
  vec_scale(e[0], 1.0 / vec_norm(e[0]), e[0]);
  vec_cross(e[1], normal, e[0]);
  for (int i = 0; i < d->count; i++)
    if (d->corner[i]) largest = fmax(largest, vec_dot(normal, d->point + 3 * i));
  for (int i = 0; i < d->count; i++) {
    const double *p = d->point + 3 * i;
    if (d->corner[i] && vec_dot(normal, p) >= largest - hn_flatness * d->size)
      d->projected[count++] = (hn_flat_point){ .point = i, .x = vec_dot(e[0], p), .y = vec_dot(e[1], p) };
  }
  return count;
}

static int face_order(const void *a, const void *b)
{
  const hn_face_draft *f = a, *g = b;
  for (int i = 0; i < f->n && i < g->n; i++)
    if (f->corner[i] != g->corner[i]) return f->corner[i] - g->corner[i];
  return f->n - g->n;
}

/* Makes a face for each of the N planes, sorted, without duplicates. Returns -1 on error. */
static int list_faces(hn_draft *d, const double *normal, int n, hn_error *error)
{
  int unique = 0;
  for (int i = 0; i < n; i++) {
    hn_flat_point *rim = d->projected + d->count;
    int corners = hn_draft_rim(d->projected, project_points_on(d, normal + 3 * i), hn_flatness * d->size,
                               rim);
    if (corners < 3) continue; /* sliver beside a face that has its points */
    if (corners > HN_MAX_CORNERS)
      return hn_fail(error, "a face of the hull has %d corners, %d at most", corners, HN_MAX_CORNERS);
    hn_draft_face(rim, corners, &d->face[d->nface++]);
  }
  qsort(d->face, (size_t)d->nface, sizeof *d->face, face_order);
  for (int i = 0; i < d->nface; i++)
    if (i == 0 || face_order(&d->face[i], &d->face[unique - 1]) != 0) d->face[unique++] = d->face[i];
  d->nface = unique;
  return 0;
}

/* ---- The hull ---------------------------------------------------------------------------------------- */

/* Computes twice the area of face F as a vector along its normal. [Newell's formula] */
static void face_area(const hn_hull *hull, int f, double area[3])
{
  const int *corner = hull->face_vertex + hull->face_start[f];
  int n = hull->face_start[f + 1] - hull->face_start[f];
  vec_set(area, 0, 0, 0);
  for (int i = 1; i + 1 < n; i++) {
    double p[3], q[3], c[3];
    vec_sub(p, hull->vertex + 3 * corner[i], hull->vertex + 3 * corner[0]);
    vec_sub(q, hull->vertex + 3 * corner[i + 1], hull->vertex + 3 * corner[0]);
    vec_cross(c, p, q);
    vec_add(area, area, c);
  }
}

/* Sets the plane of face F: its normal, and the mean offset of its corners. */
static void set_plane(hn_hull *hull, int f)
{
  double *normal = hull->normal + 3 * f;
  face_area(hull, f, normal);
  vec_scale(normal, 1.0 / vec_norm(normal), normal);
  int n = hull->face_start[f + 1] - hull->face_start[f];
  for (int i = hull->face_start[f]; i < hull->face_start[f + 1]; i++)
    hull->offset[f] += vec_dot(normal, hull->vertex + 3 * hull->face_vertex[i]) / n;
}

typedef struct half_edge {
  int low, high, corner, face; /* CORNER: index into face_vertex */
  bool rises;                  /* from low to high, counterclockwise around the face */
} half_edge;

static int half_edge_order(const void *a, const void *b)
{
  const half_edge *p = a, *q = b;
  if (p->low != q->low) return p->low - q->low;
  if (p->high != q->high) return p->high - q->high;
  return (int)q->rises - (int)p->rises;
}

static int list_half_edges(const hn_hull *hull, half_edge *half)
{
  int count = 0;
  for (int f = 0; f < hull->nface; f++)
    for (int i = hull->face_start[f]; i < hull->face_start[f + 1]; i++) {
      int p = hull->face_vertex[i],
          q = hull->face_vertex[i + 1 < hull->face_start[f + 1] ? i + 1 : hull->face_start[f]];
      half[count++] = (half_edge){ p < q ? p : q, p < q ? q : p, i, f, p < q };
    }
  return count;
}

/* Pairs the half edges into edges. Returns -1 if a half has no partner or Euler's formula fails. */
static int join_edges(hn_hull *hull, half_edge *half, hn_error *error)
{
  int count = list_half_edges(hull, half);
  qsort(half, (size_t)count, sizeof *half, half_edge_order);
  bool paired = count % 2 == 0 && hull->nvertex - count / 2 + hull->nface == 2;
  for (int i = 0; paired && i < count; i += 2) {
    const half_edge *p = half + i, *q = p + 1;
    paired = p->low == q->low && p->high == q->high && p->rises && !q->rises;
    int *edge = hull->edge + 4 * hull->nedge;
    edge[0] = p->low, edge[1] = p->high, edge[2] = p->face, edge[3] = q->face;
    hull->face_edge[p->corner] = hull->face_edge[q->corner] = hull->nedge++;
  }
  if (paired) return 0;
  return hn_fail(error, "points of the hull are off a face by rounding: move them onto it or away from it");
}

/* Builds the hull from the faces of the draft, with vertices in the order of the points. */
static hn_hull *finish_faces(const hn_draft *d, const int *number, int nvertex, int ncorner, hn_error *error)
{
  hn_hull *hull = hn_hull_of_size(nvertex, d->nface, ncorner, ncorner / 2);
  half_edge *half = malloc((size_t)ncorner * sizeof *half);
  int status = hull && half ? 0 : hn_fail(error, "out of memory");
  for (int i = 0; !status && i < d->count; i++)
    if (number[i] >= 0) vec_copy(hull->vertex + 3 * number[i], d->point + 3 * i);
  for (int f = 0, at = 0; !status && f < d->nface; f++) {
    for (int i = 0; i < d->face[f].n; i++) hull->face_vertex[at++] = number[d->face[f].corner[i]];
    hull->face_start[f + 1] = at;
    set_plane(hull, f);
  }
  if (!status) status = join_edges(hull, half, error);
  free(half);
  if (!status) return hn_hull_measure(hull), hull;
  hn_hull_free(hull);
  return NULL;
}

static hn_hull *finish(const hn_draft *d, hn_error *error)
{
  int nvertex = 0, ncorner = 0, *number = malloc((size_t)d->count * sizeof *number);
  if (!number) return hn_fail(error, "out of memory"), NULL;
  for (int i = 0; i < d->count; i++) number[i] = -1;
  for (int f = 0; f < d->nface; f++) {
    ncorner += d->face[f].n;
    for (int i = 0; i < d->face[f].n; i++) number[d->face[f].corner[i]] = 0;
  }
  for (int i = 0; i < d->count; i++)
    if (number[i] >= 0) number[i] = nvertex++;
  hn_hull *hull = NULL;
  if (ncorner > 2 * HN_MAX_EDGES) {
    hn_fail(error, "the hull has %d edges, %d at most", ncorner / 2, HN_MAX_EDGES);
  } else {
    hull = finish_faces(d, number, nvertex, ncorner, error);
  }
  free(number);
  return hull;
}

hn_hull *hn_draft_polyhedron(hn_draft *d, hn_error *error)
{
  hn_hull *hull = NULL;
  double *normal = NULL;
  int n;
  if (hn_draft_check(d, 3, error) || hn_facets_find(d->point, d->count, &normal, &n, d->corner, error))
    return NULL;
  d->face = n <= 4 * HN_MAX_EDGES ? malloc((size_t)n * sizeof *d->face) : NULL;
  if (n > 4 * HN_MAX_EDGES) {
    hn_fail(error, "the hull has more than %d edges", HN_MAX_EDGES);
  } else if (!d->face) {
    hn_fail(error, "out of memory");
  } else if (!hn_draft_check_twice(d, error) && !list_faces(d, normal, n, error)) {
    hull = finish(d, error);
  }
  free(normal);
  return hull;
}
