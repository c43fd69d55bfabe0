/* polytope.c - shapes with vertices at their places (see polytope.h). */
#include "collide/polytope.h"
#include "base/vec.h"

const int hn_box_face_start[7] = { 0, 4, 8, 12, 16, 20, 24 };
const int hn_box_face_vertex[24] = { 0, 4, 6, 2, 1, 3, 7, 5, 0, 1, 5, 4, 2, 6, 7, 3, 0, 2, 3, 1, 4, 5, 7, 6 };
const int hn_box_face_edge[24] = {
  8, 5, 10, 4, 6, 11, 7, 9, 0, 9, 2, 8, 10, 3, 11, 1, 4, 1, 6, 0, 2, 7, 3, 5
};
const int hn_box_edge[48] = { 0, 1, 2, 4, 2, 3, 4, 3, 4, 5, 5, 2, 6, 7, 3, 5, 0, 2, 4, 0, 4, 6, 0, 5,
                              1, 3, 1, 4, 5, 7, 5, 1, 0, 4, 0, 2, 1, 5, 2, 1, 2, 6, 3, 0, 3, 7, 1, 3 };

/* Transforms POINT from the axes of PLACED, whose place relative to the origin is AT. */
static void place_point(const hn_placed_shape *placed, const double at[3], const double point[3],
                        double out[3])
{
  mat_vec(out, placed->R, point);
  vec_add(out, out, at);
}

static void box_of(hn_polytope *p, const hn_placed_shape *placed, const double at[3])
{
  const double *R = placed->R, *l = placed->shape->size;
  double half[3][3];
  p->nvertex = 8, p->nface = 6, p->nedge = 12;
  p->face_start = hn_box_face_start, p->face_vertex = hn_box_face_vertex;
  p->face_edge = hn_box_face_edge, p->edge = hn_box_edge;
  p->size = 0.5 * vec_norm(l), p->skin = 0, p->square = true;
  p->inner = 0.5 * fmin(l[0], fmin(l[1], l[2]));
  vec_copy(p->centre, at);
  for (int k = 0; k < 3; k++) {
    double along = R[k] * at[0] + R[3 + k] * at[1] + R[6 + k] * at[2];
    for (int c = 0; c < 3; c++) {
      half[k][c] = 0.5 * l[k] * R[3 * c + k];
      p->normal[2 * k + 1][c] = R[3 * c + k], p->normal[2 * k][c] = -R[3 * c + k];
    }
    p->offset[2 * k + 1] = 0.5 * l[k] + along, p->offset[2 * k] = 0.5 * l[k] - along;
  }
  for (int c = 0; c < 3; c++) {
    double low = at[c] - half[2][c], high = at[c] + half[2][c], x = half[0][c], y = half[1][c];
    p->vertex[0][c] = low - y - x, p->vertex[1][c] = low - y + x;
    p->vertex[2][c] = low + y - x, p->vertex[3][c] = low + y + x;
    p->vertex[4][c] = high - y - x, p->vertex[5][c] = high - y + x;
    p->vertex[6][c] = high + y - x, p->vertex[7][c] = high + y + x;
  }
}

static void hull_of(hn_polytope *p, const hn_placed_shape *placed, const double at[3])
{
  const hn_hull *hull = placed->shape->hull;
  p->nvertex = hull->nvertex, p->nface = hull->nface, p->nedge = hull->nedge;
  p->face_start = hull->face_start, p->face_vertex = hull->face_vertex;
  p->face_edge = hull->face_edge, p->edge = hull->edge;
  p->size = hull->radius, p->skin = 0, p->square = false, p->inner = hull->radius;
  place_point(placed, at, hull->centre, p->centre);
  for (int i = 0; i < hull->nvertex; i++) place_point(placed, at, hull->vertex + 3 * i, p->vertex[i]);
  for (int f = 0; f < hull->nface; f++) {
    mat_vec(p->normal[f], placed->R, hull->normal + 3 * f);
    p->offset[f] = hull->offset[f] + vec_dot(p->normal[f], at);
    p->inner = fmin(p->inner, p->offset[f] - vec_dot(p->normal[f], p->centre));
  }
}

/* Builds the core of a capsule, or of a sphere with length 0. */
static void segment_of(hn_polytope *p, const hn_placed_shape *placed, const double at[3], double length)
{
  static const int edge[4] = { 0, 1, 0, 0 };
  p->nvertex = length > 0 ? 2 : 1, p->nface = 0, p->nedge = length > 0 ? 1 : 0;
  p->face_start = p->face_vertex = p->face_edge = NULL, p->edge = edge;
  p->skin = placed->shape->size[0], p->size = 0.5 * length + p->skin, p->square = false, p->inner = 0;
  vec_copy(p->centre, at);
  for (int i = 0; i < p->nvertex; i++)
    place_point(placed, at, (double[3]){ 0, (i - 0.5) * length, 0 }, p->vertex[i]);
}

void hn_polytope_of(hn_polytope *p, const hn_placed_shape *placed, const double origin[3])
{
  double at[3];
  vec_sub(at, placed->x, origin);
  switch (placed->shape->kind) {
  case HN_BOX: box_of(p, placed, at); break;
  case HN_CONVEX:
  case HN_POLYGON: hull_of(p, placed, at); break;
  case HN_CAPSULE: segment_of(p, placed, at, placed->shape->size[1]); break;
  default: segment_of(p, placed, at, 0); break;
  }
}

const double *hn_polytope_side(const hn_polytope *p, int f, int k, double out[3])
{
  int start = p->face_start[f], n = p->face_start[f + 1] - start;
  const double *from = p->vertex[p->face_vertex[start + k]],
               *to = p->vertex[p->face_vertex[start + (k + 1) % n]];
  double along[3];
  if (p->square) {
    const int *e = p->edge + 4 * p->face_edge[start + k];
    vec_copy(out, p->normal[e[2] == f ? e[3] : e[2]]);
    return from;
  }
  vec_sub(along, to, from);
  vec_cross(out, along, p->normal[f]);
  vec_scale(out, 1.0 / vec_norm(out), out);
  return from;
}

static bool has_corner(const hn_polytope *p, int f, int corner)
{
  for (int i = p->face_start[f]; i < p->face_start[f + 1]; i++)
    if (p->face_vertex[i] == corner) return true;
  return false;
}

int hn_polytope_face_against(const hn_polytope *p, const double n[3])
{
  int lowest = 0, best = -1;
  double lowest_height = HUGE_VAL;
  for (int i = 0; i < p->nvertex; i++) {
    double along = vec_dot(n, p->vertex[i]);
    if (along < lowest_height) lowest_height = along, lowest = i;
  }
  lowest_height = HUGE_VAL;
  for (int f = 0; f < p->nface; f++) {
    double turn = vec_dot(n, p->normal[f]);
    if (turn < lowest_height && has_corner(p, f, lowest)) lowest_height = turn, best = f;
  }
  return best;
}

int hn_polytope_face_along(const hn_polytope *p, const double n[3], double sign)
{
  int best = -1;
  double best_cosine = hn_cos_aligned;
  for (int f = 0; f < p->nface; f++) {
    double cosine = sign * vec_dot(n, p->normal[f]);
    if (cosine > best_cosine) best_cosine = cosine, best = f;
  }
  return best;
}

void hn_polytope_add_above(const hn_polytope_pair *p, bool on_b, int f, const double x[3], uint64_t feature)
{
  const hn_polytope *reference = on_b ? p->b : p->a;
  const double *n = reference->normal[f], height = vec_dot(n, x) - reference->offset[f];
  double foot[3], normal[3];
  if (!(height - p->a->skin - p->b->skin < p->margin)) return;
  vec_along(foot, x, -height, n);
  vec_scale(normal, on_b ? -1 : 1, n);
  hn_manifold_add(p->out, p->origin, on_b ? x : foot, on_b ? foot : x, normal, p->a->skin, p->b->skin, on_b,
                  feature);
}

void hn_manifold_add(hn_manifold *out, const double origin[3], const double a[3], const double b[3],
                     const double normal[3], double skin_a, double skin_b, bool on_b, uint64_t feature)
{
  hn_contact_point *point = hn_manifold_next(out);
  if (!point) return;
  vec_add(point->a, origin, a);
  vec_add(point->b, origin, b);
  vec_copy(point->normal, normal);
  point->skin_a = skin_a, point->skin_b = skin_b, point->on_b = on_b, point->feature = feature;
}

void hn_manifold_add_free(hn_manifold *out, const double origin[3], const double a[3], const double b[3],
                          const double normal[3], double skin_a, double skin_b, uint64_t feature)
{
  hn_manifold_add(out, origin, a, b, normal, skin_a, skin_b, skin_b > skin_a, feature);
}
