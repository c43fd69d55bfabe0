/* polytope.h - shapes with corners where they stand: boxes and convex hulls, and as cores of round shapes the segment
 * of a capsule and the point of a sphere. Internal. */
#ifndef HN_POLYTOPE_H
#define HN_POLYTOPE_H

#include "collide/collide.h"
#include "collide/hull.h"

enum { HN_MOST_VERTICES = 2 * HN_MOST_EDGES / 3 + 1 }; /* and faces, by Euler's formula */

/* Numbered as in hn_hull; world axes, from an origin that the user chose near it. */
typedef struct hn_polytope {
  int nvertex, nface, nedge;
  const int *face_start, *face_vertex, *face_edge, *edge;
  bool square;       /* faces that meet do so at right angles */
  double size, skin; /* m: of the sphere about the place of the shape that holds it; radius around the core */
  double centre[3], inner; /* a point inside, and how far from it faces are at least, m */
  double vertex[HN_MOST_VERTICES][3], normal[HN_MOST_VERTICES][3], offset[HN_MOST_VERTICES];
} hn_polytope;

/* Corner, edge and face numbers of boxes: corner i has bit k where its coordinate k is positive; edge 4 k + j is along
 * axis k, between corners with bits j on the next two axes; face 2 k + 1 looks along axis k, 2 k the other way. */
extern const int hn_box_face_start[7], hn_box_face_vertex[24], hn_box_face_edge[24], hn_box_edge[48];

/* The box, convex hull, segment or point of SHAPE, from ORIGIN. */
void hn_polytope_of(hn_polytope *polytope, const hn_placed *shape, const double origin[3]);

/* Side K of face F: its first corner, and in OUT the unit vector out of the face across it. */
const double *hn_polytope_side(const hn_polytope *p, int f, int k, double out[3]);
/* Of the faces at the corner of P lowest along N, the one that looks most against N; -1: it has none. */
int hn_polytope_face_against(const hn_polytope *p, const double n[3]);

/* What touches what, and the numbers of both: the first is of the first shape. */
typedef enum hn_touch_kind {
  HN_FACE_VERTEX,
  HN_VERTEX_FACE,
  HN_EDGE_EDGE,
  HN_VERTEX_EDGE,
  HN_EDGE_VERTEX,
  HN_VERTEX_VERTEX,
  HN_RIM_POINT
} hn_touch_kind;

static inline unsigned hn_feature(hn_touch_kind kind, int i, int j)
{
  return (unsigned)kind << 20 | (unsigned)i << 10 | (unsigned)j;
}

static inline hn_touch_kind hn_feature_kind(unsigned feature)
{
  return (hn_touch_kind)(feature >> 20);
}

/* How two shapes are nearest: the direction from the first to the second in which they are farthest apart, or overlap
 * least. */
typedef struct hn_axis {
  double normal[3], gap; /* of the cores, m */
  hn_touch_kind kind;
  int i, j; /* numbers of the features; of a face alone */
} hn_axis;

/* The axis of least overlap, or a lower bound of the distance with its axis: faces, and pairs of edges. False: they are
 * farther apart than MOST. [Gottschalk, Lin and Manocha, OBBTree, SIGGRAPH 1996; edges by the Gauss map: Gregorius, GDC
 * 2013] */
bool hn_separate(const hn_polytope *a, const hn_polytope *b, double most, hn_axis *axis);
/* The same of two boxes. */
bool hn_separate_boxes(const hn_placed *a, const hn_placed *b, double most, hn_axis *axis);
/* Corners and edges of disjoint polytopes that are nearest, in place of an axis whose gap is a lower bound. */
bool hn_nearest_corners(const hn_polytope *a, const hn_polytope *b, double most, hn_axis *axis);
/* The point of edge E of Q nearest to X, as a fraction of the way from its lower corner; 0 and 1 are the corners, also
 * when it is BEYOND them. SPAN: from X to it. */
double hn_nearest_on_edge(const hn_polytope *q, const int *e, const double x[3], bool *beyond,
                          double span[3]);
/* Names corner I of P at that FRACTION of edge J of Q, P being the first shape or, SWAPPED, the second. */
void hn_name_corner(hn_axis *axis, const hn_polytope *q, int i, int j, double fraction, bool swapped);

/* The manifold that belongs to AXIS, which may be replaced. */
void hn_polytope_points(const hn_polytope *a, const hn_polytope *b, const double origin[3], double margin,
                        hn_axis *axis, hn_manifold *out);
/* Points a of the first core and b of the second one, from ORIGIN. */
void hn_manifold_add(hn_manifold *out, const double origin[3], const double a[3], const double b[3],
                     const double normal[3], double skin_a, double skin_b, bool on_b, unsigned feature);

/* Faces are on one another where the axis is nearer to their normal than a thousandth. */
static const double hn_aligned = 1 - 5e-7;
/* What is nearer to a side of a face, of the size, lies on it: so that aligned boxes keep their features. */
static const double hn_on_side = 1e-7;

#endif
