/* draft.h - a hull that is being made, in numbers of points. Internal. */
#ifndef HN_COLLIDE_DRAFT_H
#define HN_COLLIDE_DRAFT_H

#include "collide/hull.h"

static const double hn_flat = 1e-10; /* of the size: what is nearer to a plane or line lies on it */

typedef struct hn_face_draft {
  int n, corner[HN_MOST_CORNERS]; /* numbers of points, the lowest first */
} hn_face_draft;

typedef struct hn_flat_point {
  int point;
  double x, y;
} hn_flat_point;

typedef struct hn_draft {
  const double *point;
  int count, nface;
  double size;
  bool *corner;        /* [count] may be, then is one */
  hn_face_draft *face; /* [nface], and room for more */
  hn_flat_point *on;   /* [3 count + 2] points on a plane, then their rim: scratch */
} hn_draft;

/* A hull with room for as much, all of it 0; NULL without memory. */
hn_hull *hn_hull_of_size(int nvertex, int nface, int ncorner, int nedge);
/* Its centre and radius, from its corners. */
void hn_hull_measure(hn_hull *hull);
/* Are the points finite, and spread in DIMENSIONS directions? Sets the size. */
int hn_draft_check(hn_draft *draft, int dimensions, hn_error *error);
/* No corner may be there twice. */
int hn_draft_check_twice(const hn_draft *draft, hn_error *error);
/* Corners of the convex polygon of the N points ON, counterclockwise, onto RIM[2 n], those nearer than LEAST
 * to a line left out; how many. ON is sorted. */
int hn_draft_rim(hn_flat_point *on, int n, double least, hn_flat_point *rim);
/* The N corners of RIM from the lowest number on. */
void hn_draft_face(const hn_flat_point *rim, int n, hn_face_draft *face);
/* The hull of the points, in space; NULL on error. */
hn_hull *hn_draft_polyhedron(hn_draft *draft, hn_error *error);

#endif
