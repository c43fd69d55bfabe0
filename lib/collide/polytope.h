/* polytope.h - shapes with vertices at their places: boxes, convex hulls, and the cores of round shapes (the
 * segment of a capsule, the point of a sphere). Internal. */
#ifndef HN_POLYTOPE_H
#define HN_POLYTOPE_H

#include "base/vec.h"
#include "collide/collide.h"
#include "collide/hull.h"

enum { HN_MAX_VERTICES = 2 * HN_MAX_EDGES / 3 + 1 }; /* and faces, by Euler's formula */

/* Numbered as in hn_hull; world axes, relative to an origin near the shape that the caller chooses. */
typedef struct hn_polytope {
  int nvertex, nface, nedge;
  const int *face_start, *face_vertex, *face_edge, *edge;
  bool square; /* adjacent faces are perpendicular */
  /* m: radius of the bounding sphere about the place of the shape; radius around the core */
  double size, skin;
  double centre[3], inner; /* an interior point, and a lower bound of its distance from the faces, m */
  double vertex[HN_MAX_VERTICES][3], normal[HN_MAX_VERTICES][3], offset[HN_MAX_VERTICES];
} hn_polytope;

/* Topology of boxes. Corner i has bit k set where its coordinate k is positive. Edge 4 k + j is along axis k,
 * between the corners with the bits of j on the next two axes. Face 2 k + 1 has its normal along axis k, face
 * 2 k opposite. */
extern const int hn_box_face_start[7], hn_box_face_vertex[24], hn_box_face_edge[24], hn_box_edge[48];

/* Computes the box, hull, segment or point of SHAPE relative to ORIGIN. */
void hn_polytope_of(hn_polytope *polytope, const hn_placed_shape *shape, const double origin[3]);

/* Returns the first corner of side K of face F; stores in OUT the unit vector outward across the side. */
const double *hn_polytope_side(const hn_polytope *p, int f, int k, double out[3]);
/* Returns the face most opposed to N among those at the lowest vertex of P along N; -1 if P has no faces. */
int hn_polytope_face_against(const hn_polytope *p, const double n[3]);

/* Returns the least n . x of the vertices of P. */
static inline double hn_polytope_lowest(const hn_polytope *p, const double n[3])
{
  double lowest = vec_dot(n, p->vertex[0]);
  for (int i = 1; i < p->nvertex; i++) {
    double along = vec_dot(n, p->vertex[i]);
    if (along < lowest) lowest = along; /* fmin would be a call */
  }
  return lowest;
}
/* Returns the face of P whose normal is SIGN times N within hn_cos_aligned; -1: none. */
int hn_polytope_face_along(const hn_polytope *p, const double n[3], double sign);

/* Kinds of touching features: the first word is for the first shape. */
typedef enum hn_touch_kind {
  HN_FACE_VERTEX,
  HN_VERTEX_FACE,
  HN_EDGE_EDGE,
  HN_VERTEX_EDGE,
  HN_EDGE_VERTEX,
  HN_VERTEX_VERTEX,
  HN_RIM_POINT
} hn_touch_kind;

/* Bits of each of the two numbers. The kind is above them in 4 bits; above it are further bits of the first
 * number, which height fields alone need. */
enum { HN_FEATURE_NUMBER_BITS = 10, HN_FEATURE_WIDE = 2 * HN_FEATURE_NUMBER_BITS + 4 };

static inline uint64_t hn_feature(hn_touch_kind kind, int i, int j)
{
  const unsigned low = (unsigned)i & ((1u << HN_FEATURE_NUMBER_BITS) - 1);
  return (uint64_t)((unsigned)i >> HN_FEATURE_NUMBER_BITS) << HN_FEATURE_WIDE |
         ((unsigned)kind << 2 * HN_FEATURE_NUMBER_BITS | low << HN_FEATURE_NUMBER_BITS | (unsigned)j);
}

static inline hn_touch_kind hn_feature_kind(uint64_t feature)
{
  return (hn_touch_kind)(feature >> 2 * HN_FEATURE_NUMBER_BITS & 15u);
}

/* Returns the number of the feature on the first shape (SIDE 0) or the second (SIDE 1). */
static inline int hn_feature_number(uint64_t feature, int side)
{
  const unsigned mask = (1u << HN_FEATURE_NUMBER_BITS) - 1;
  if (side) return (int)(feature & mask);
  return (int)((feature >> HN_FEATURE_WIDE) << HN_FEATURE_NUMBER_BITS |
               (feature >> HN_FEATURE_NUMBER_BITS & mask));
}

/* The direction of closest approach, from the first shape to the second: of largest distance or least
 * overlap. */
typedef struct hn_axis {
  double normal[3], gap; /* m, of the cores */
  hn_touch_kind kind;
  int i, j; /* numbers of the features; both are the face in pairs with a face */
} hn_axis;

/* Finds the separating axis among face normals and cross products of edges: that of least overlap, or for
 * disjoint shapes one whose gap bounds the distance from below. Returns false if the gap exceeds MAX_GAP.
 * [Gottschalk, Lin and Manocha, OBBTree, SIGGRAPH 1996; edges by the Gauss map: Gregorius, GDC 2013] */
bool hn_separate(const hn_polytope *a, const hn_polytope *b, double max_gap, hn_axis *axis);
/* Equivalent of hn_separate for two boxes. */
bool hn_separate_boxes(const hn_placed_shape *a, const hn_placed_shape *b, double max_gap, hn_axis *axis);
/* Finds the nearest vertex-vertex or vertex-edge pair of disjoint polytopes; replaces AXIS, whose gap is a
 * lower bound. Returns false if there is none nearer than MAX_GAP. */
bool hn_nearest_corners(const hn_polytope *a, const hn_polytope *b, double max_gap, hn_axis *axis);
/* Returns the point of edge E of Q nearest to X, as a fraction of the edge from its lower vertex. The
 * fraction is clamped to 0 and 1; BEYOND is true if it was outside. SPAN: from X to the point. */
double hn_nearest_on_edge(const hn_polytope *q, const int *e, const double x[3], bool *beyond,
                          double span[3]);
/* Sets the features of AXIS: vertex I of P and the point at FRACTION of edge J of Q. P is the first shape, or
 * the second if SWAPPED. */
void hn_name_corner(hn_axis *axis, const hn_polytope *q, int i, int j, double fraction, bool swapped);

/* Computes the manifold of AXIS, which may be replaced by a better one. */
void hn_polytope_points(const hn_polytope *a, const hn_polytope *b, const double origin[3], double margin,
                        hn_axis *axis, hn_manifold *out);
/* Computes the points above a face across NORMAL: of b if ON_B, else of a; of the other one if that has
 * none. */
void hn_polytope_points_along(const hn_polytope *a, const hn_polytope *b, const double origin[3], bool on_b,
                              const double normal[3], double margin, hn_manifold *out);
/* Two polytopes relative to ORIGIN, and their manifold. */
typedef struct hn_polytope_pair {
  const hn_polytope *a, *b;
  const double *origin;
  double margin;
  hn_manifold *out;
} hn_polytope_pair;
/* Adds vertex X of one polytope above face F of the other, which is b if ON_B. */
void hn_polytope_add_above(const hn_polytope_pair *p, bool on_b, int f, const double x[3], uint64_t feature);
/* Appends a contact of point a of the first core and b of the second, both relative to ORIGIN. */
void hn_manifold_add(hn_manifold *out, const double origin[3], const double a[3], const double b[3],
                     const double normal[3], double skin_a, double skin_b, bool on_b, uint64_t feature);
/* Adds a point whose normal is that of no face, fixed to the shape with the larger radius: of two bodies that
 * roll on each other, against it the normal turns least. */
void hn_manifold_add_free(hn_manifold *out, const double origin[3], const double a[3], const double b[3],
                          const double normal[3], double skin_a, double skin_b, uint64_t feature);

/* Cosine of 1e-3 rad: directions within this angle count as aligned, and faces as lying on one another. */
static const double hn_cos_aligned = 1 - 5e-7;
/* Relative to the size: points nearer to a side of a face lie on it, so that aligned boxes keep their
 * features. */
static const double hn_side_tolerance = 1e-7;
/* Relative to the size: a candidate that is better by less does not replace an earlier one. */
static const double hn_tie_tolerance = 1e-12;
/* Sine of the angle between two lines below which they have no common normal. */
static const double hn_sin_parallel = 1e-7;

#endif
