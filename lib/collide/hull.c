/* hull.c - convex polyhedra and polygons by their corners (see hull.h).
 *
 * Of the planes that bound the hull, each is drawn through the points that lie on it to 1e-10 of the size, and its
 * corners are the convex polygon of those in the plane. So faces that Qhull has divided become one, and what is made
 * depends on the points alone. Euler's formula, and that each edge has two faces, are checked: where points lie just
 * beside a plane they may fail, and such a hull is refused. */
#include "collide/hull.h"
#include "base/vec.h"
#include "collide/facets.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double flat = 1e-10; /* of the size: what is nearer to a plane or line lies on it */

typedef struct face_draft {
  int n, corner[HN_MOST_CORNERS]; /* numbers of points, the lowest first */
} face_draft;

typedef struct flat_point {
  int point;
  double x, y;
} flat_point;

/* What is being built, in numbers of points. */
typedef struct draft {
  const double *point;
  int count, nface;
  double size;
  bool *corner;        /* [count] may be, then is one */
  face_draft *face;    /* [nface], and room for more */
  flat_point *on;      /* [count] points on a plane, scratch */
} draft;

void hn_hull_free(hn_hull *hull)
{
  if (!hull) return;
  free(hull->vertex);
  free(hull->normal);
  free(hull->offset);
  free(hull->face_start);
  free(hull->face_vertex);
  free(hull->face_edge);
  free(hull->edge);
  free(hull);
}

static hn_hull *hull_of_size(int nvertex, int nface, int ncorner, int nedge)
{
  hn_hull *hull = calloc(1, sizeof *hull);
  if (!hull) return NULL;
  hull->nvertex = nvertex, hull->nface = nface, hull->nedge = 0;
  hull->vertex = calloc((size_t)nvertex * 3, sizeof(double));
  hull->normal = calloc((size_t)nface * 3, sizeof(double));
  hull->offset = calloc((size_t)nface, sizeof(double));
  hull->face_start = calloc((size_t)nface + 1, sizeof(int));
  hull->face_vertex = calloc((size_t)ncorner, sizeof(int));
  hull->face_edge = calloc((size_t)ncorner, sizeof(int));
  hull->edge = calloc((size_t)nedge * 4 + 1, sizeof(int));
  if (hull->vertex && hull->normal && hull->offset && hull->face_start && hull->face_vertex && hull->face_edge &&
      hull->edge)
    return hull;
  hn_hull_free(hull);
  return NULL;
}

hn_hull *hn_hull_copy(const hn_hull *hull)
{
  const size_t ncorner = (size_t)hull->face_start[hull->nface], nface = (size_t)hull->nface;
  hn_hull *copy = hull_of_size(hull->nvertex, hull->nface, (int)ncorner, hull->nedge);
  if (!copy) return NULL;
  copy->nedge = hull->nedge, copy->radius = hull->radius;
  vec_copy(copy->centre, hull->centre);
  memcpy(copy->vertex, hull->vertex, sizeof(double[3]) * (size_t)hull->nvertex);
  memcpy(copy->normal, hull->normal, sizeof(double[3]) * nface);
  memcpy(copy->offset, hull->offset, sizeof(double) * nface);
  memcpy(copy->face_start, hull->face_start, sizeof(int) * (nface + 1));
  memcpy(copy->face_vertex, hull->face_vertex, sizeof(int) * ncorner);
  memcpy(copy->face_edge, hull->face_edge, sizeof(int) * ncorner);
  memcpy(copy->edge, hull->edge, sizeof(int[4]) * (size_t)hull->nedge);
  return copy;
}

size_t hn_hull_memory(const hn_hull *hull)
{
  const size_t ncorner = (size_t)hull->face_start[hull->nface];
  return sizeof *hull + sizeof(double[3]) * (size_t)hull->nvertex +
         (sizeof(double[4]) + sizeof(int)) * (size_t)hull->nface + sizeof(int[2]) * ncorner +
         sizeof(int[4]) * (size_t)hull->nedge;
}

static void measure(hn_hull *hull)
{
  for (int i = 0; i < hull->nvertex; i++) {
    vec_add_scaled(hull->centre, 1.0 / hull->nvertex, hull->vertex + 3 * i);
    hull->radius = fmax(hull->radius, vec_norm(hull->vertex + 3 * i));
  }
}

/* ---- The points -------------------------------------------------------------------------------------------------- */

/* The point farthest from the affine hull of the N before it, by the square of the distance, in BEST; directions of
 * that hull in BASIS. */
static double farthest(const draft *d, int n, double basis[][3], int *best)
{
  double most = -1.0;
  for (int i = 0; i < d->count; i++) {
    double v[3];
    vec_sub(v, d->point + 3 * i, d->point);
    for (int pass = 0; pass < 2; pass++)
      for (int k = 0; k < n; k++) vec_add_scaled(v, -vec_dot(basis[k], v), basis[k]);
    if (vec_dot(v, v) > most) most = vec_dot(v, v), *best = i;
  }
  return most;
}

/* Finite, and spread in DIMENSIONS directions? Sets the size. */
static int check_points(draft *d, int dimensions, hn_error *error)
{
  static const char *const what[] = { "at one place", "on a line", "in a plane" };
  double basis[3][3];
  int least = dimensions + 1;
  if (d->count < least) return hn_fail(error, "a hull needs %d points at least, not %d", least, d->count);
  for (int i = 0; i < d->count; i++)
    if (!all_finite(d->point + 3 * i, 3)) return hn_fail(error, "point %d of the hull is not finite", i + 1);
  for (int n = 0; n < dimensions; n++) {
    int best = 0;
    double away = sqrt(farthest(d, n, basis, &best));
    if (n == 0) d->size = away;
    if (!isfinite(away)) return hn_fail(error, "the points of the hull are too far apart");
    if (!(away > 1e2 * flat * d->size)) return hn_fail(error, "the points of the hull lie all %s", what[n]);
    vec_sub(basis[n], d->point + 3 * best, d->point);
    for (int pass = 0; pass < 2; pass++)
      for (int k = 0; k < n; k++) vec_add_scaled(basis[n], -vec_dot(basis[k], basis[n]), basis[k]);
    vec_scale(basis[n], 1.0 / vec_norm(basis[n]), basis[n]);
  }
  return 0;
}

static bool near(const draft *d, int i, int j)
{
  double v[3];
  vec_sub(v, d->point + 3 * i, d->point + 3 * j);
  return vec_norm(v) <= flat * d->size;
}

/* No corner may be there twice. */
static int check_twice(const draft *d, hn_error *error)
{
  for (int i = 0; i < d->count; i++)
    for (int j = 0; d->corner[i] && j < d->count; j++)
      if (j != i && near(d, i, j))
        return hn_fail(error, "points %d and %d of the hull are the same", (i < j ? i : j) + 1, (i < j ? j : i) + 1);
  return 0;
}

/* ---- Polygons in a plane ----------------------------------------------------------------------------------------- */

static int by_place(const void *a, const void *b)
{
  const flat_point *p = a, *q = b;
  if (p->x != q->x) return p->x < q->x ? -1 : 1;
  if (p->y != q->y) return p->y < q->y ? -1 : 1;
  return p->point - q->point;
}

/* Is B not to the left of the line from A to C by more than round-off? */
static bool bends(const flat_point *a, const flat_point *b, const flat_point *c, double least)
{
  double x = c->x - a->x, y = c->y - a->y;
  return x * (b->y - a->y) - y * (b->x - a->x) < -least * sqrt(x * x + y * y);
}

/* Half of the rim of the N points ON, sorted, from FROM by steps of STEP, onto RIM, of which there are COUNT. */
static int half_rim(const flat_point *on, int n, int from, int step, double least, flat_point *rim, int count)
{
  int first = count;
  for (int i = 0, k = from; i < n; i++, k += step) {
    while (count - first >= 2 && !bends(&rim[count - 2], &rim[count - 1], &on[k], least)) count--;
    rim[count++] = on[k];
  }
  return count - 1;
}

/* Corners of the convex polygon of the N points ON, counterclockwise, onto RIM[2 n]; how many. [Andrew, Inf. Process.
 * Lett. 9 (1979) 216] */
static int convex_rim(flat_point *on, int n, double least, flat_point *rim)
{
  qsort(on, (size_t)n, sizeof *on, by_place);
  int count = half_rim(on, n, 0, 1, least, rim, 0);
  return half_rim(on, n, n - 1, -1, least, rim, count);
}

/* ---- Faces ------------------------------------------------------------------------------------------------------- */

/* The points on the plane of NORMAL that bounds the hull, into d->on; how many. */
static int points_on(draft *d, const double normal[3])
{
  double most = -HUGE_VAL, e[2][3] = { { 0 } };
  int count = 0, least = 0;
  for (int i = 1; i < 3; i++)
    if (fabs(normal[i]) < fabs(normal[least])) least = i;
  e[0][least] = 1.0;
  vec_add_scaled(e[0], -normal[least], normal);
  vec_scale(e[0], 1.0 / vec_norm(e[0]), e[0]);
  vec_cross(e[1], normal, e[0]);
  for (int i = 0; i < d->count; i++)
    if (d->corner[i]) most = fmax(most, vec_dot(normal, d->point + 3 * i));
  for (int i = 0; i < d->count; i++) {
    const double *p = d->point + 3 * i;
    if (d->corner[i] && vec_dot(normal, p) >= most - flat * d->size)
      d->on[count++] = (flat_point){ .point = i, .x = vec_dot(e[0], p), .y = vec_dot(e[1], p) };
  }
  return count;
}

static int face_order(const void *a, const void *b)
{
  const face_draft *f = a, *g = b;
  for (int i = 0; i < f->n && i < g->n; i++)
    if (f->corner[i] != g->corner[i]) return f->corner[i] - g->corner[i];
  return f->n - g->n;
}

/* Its corners from the lowest number on. */
static void face_of(const flat_point *rim, int n, face_draft *face)
{
  int first = 0;
  for (int i = 1; i < n; i++)
    if (rim[i].point < rim[first].point) first = i;
  face->n = n;
  for (int i = 0; i < n; i++) face->corner[i] = rim[(first + i) % n].point;
}

/* A face for each plane of the N normals, in order, none twice. */
static int list_faces(draft *d, const double *normal, int n, hn_error *error)
{
  int kept = 0;
  for (int i = 0; i < n; i++) {
    flat_point *rim = d->on + d->count;
    int corners = convex_rim(d->on, points_on(d, normal + 3 * i), flat * d->size, rim);
    if (corners < 3) continue; /* a sliver beside a face: its points lie on that */
    if (corners > HN_MOST_CORNERS)
      return hn_fail(error, "a face of the hull has %d corners, %d at most", corners, HN_MOST_CORNERS);
    face_of(rim, corners, &d->face[d->nface++]);
  }
  qsort(d->face, (size_t)d->nface, sizeof *d->face, face_order);
  for (int i = 0; i < d->nface; i++)
    if (i == 0 || face_order(&d->face[i], &d->face[kept - 1]) != 0) d->face[kept++] = d->face[i];
  d->nface = kept;
  return 0;
}

/* ---- The hull ---------------------------------------------------------------------------------------------------- */

/* Twice the area of face F of HULL, as a vector along its normal. [Newell's formula] */
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

/* Its plane: the normal, and the mean offset of its corners. */
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
  int low, high, corner, face; /* CORNER: its place in face_vertex */
  bool rises;                  /* from low to high, counterclockwise round the face */
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

/* Each edge is a pair of halves. */
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
  return paired ? 0 : hn_fail(error, "points of the hull lie beside a face by round-off: move them onto it, or away");
}

/* The faces of the draft, with the corners in the order of the points. */
static hn_hull *finish_faces(const draft *d, const int *number, int nvertex, int ncorner, hn_error *error)
{
  hn_hull *hull = hull_of_size(nvertex, d->nface, ncorner, ncorner / 2);
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
  if (!status) return measure(hull), hull;
  hn_hull_free(hull);
  return NULL;
}

static hn_hull *finish(const draft *d, hn_error *error)
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
  if (ncorner > 2 * HN_MOST_EDGES) {
    hn_fail(error, "the hull has %d edges, %d at most", ncorner / 2, HN_MOST_EDGES);
  } else {
    hull = finish_faces(d, number, nvertex, ncorner, error);
  }
  free(number);
  return hull;
}

static hn_hull *polyhedron(draft *d, hn_error *error)
{
  hn_hull *hull = NULL;
  double *normal = NULL;
  int n;
  if (check_points(d, 3, error) || hn_facets_find(d->point, d->count, &normal, &n, d->corner, error)) return NULL;
  d->face = n <= 4 * HN_MOST_EDGES ? malloc((size_t)n * sizeof *d->face) : NULL;
  if (n > 4 * HN_MOST_EDGES) {
    hn_fail(error, "the hull has more than %d edges", HN_MOST_EDGES);
  } else if (!d->face) {
    hn_fail(error, "out of memory");
  } else if (!check_twice(d, error) && !list_faces(d, normal, n, error)) {
    hull = finish(d, error);
  }
  free(normal);
  return hull;
}

/* ---- Polygons ---------------------------------------------------------------------------------------------------- */

/* Edge F of the polygon, from corner P to Q. */
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

/* Is a point off the rim by more than round-off? */
static int check_rim(const draft *d, const hn_hull *hull, hn_error *error)
{
  for (int i = 0; i < d->count; i++) {
    double most = -HUGE_VAL;
    for (int f = 0; f < hull->nface; f++)
      most = fmax(most, vec_dot(hull->normal + 3 * f, d->point + 3 * i) - hull->offset[f]);
    if (most < -flat * d->size)
      return hn_fail(error, "point %d is inside: a polygon must be convex; make several shapes of it", i + 1);
  }
  return 0;
}

static hn_hull *finish_polygon(const draft *d, const flat_point *rim, int n, hn_error *error)
{
  face_draft face;
  hn_hull *hull = hull_of_size(n, n, 2 * n, 0);
  if (!hull) return hn_fail(error, "out of memory"), NULL;
  face_of(rim, n, &face);
  int at[HN_MOST_CORNERS], number = 0;
  for (int i = 0; i < d->count; i++)
    for (int k = 0; k < n; k++)
      if (face.corner[k] == i) {
        vec_copy(hull->vertex + 3 * number, d->point + 3 * i);
        at[k] = number++;
      }
  for (int k = 0; k < n; k++) set_side(hull, k, at[k], at[(k + 1) % n]);
  measure(hull);
  if (check_rim(d, hull, error) == 0) return hull;
  hn_hull_free(hull);
  return NULL;
}

static hn_hull *polygon_of(draft *d, hn_error *error)
{
  flat_point *rim = d->on + d->count;
  if (check_points(d, 2, error)) return NULL;
  for (int i = 0; i < d->count; i++) d->on[i] = (flat_point){ i, d->point[3 * i], d->point[3 * i + 1] };
  int n = convex_rim(d->on, d->count, flat * d->size, rim);
  for (int i = 0; i < n; i++) d->corner[rim[i].point] = true;
  if (check_twice(d, error)) return NULL;
  if (n > HN_MOST_CORNERS) return hn_fail(error, "the polygon has %d corners, %d at most", n, HN_MOST_CORNERS), NULL;
  return finish_polygon(d, rim, n, error);
}

hn_hull *hn_hull_create(const double *points, int count, bool polygon, hn_error *error)
{
  size_t n = count > 0 ? (size_t)count : 1;
  double *point = malloc(3 * n * sizeof *point);
  draft d = { .point = point, .count = count, .corner = calloc(n, sizeof *d.corner),
              .on = malloc((3 * n + 2) * sizeof *d.on) };
  hn_hull *hull = NULL;
  if (!point || !d.corner || !d.on) {
    hn_fail(error, "out of memory");
  } else {
    for (int i = 0; i < 3 * count; i++) point[i] = polygon && i % 3 == 2 ? 0.0 : points[i];
    hull = polygon ? polygon_of(&d, error) : polyhedron(&d, error);
  }
  free(point);
  free(d.corner);
  free(d.on);
  free(d.face);
  return hull;
}
