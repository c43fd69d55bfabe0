/* draft.h - a convex hull under construction, by numbers of its points. Internal. */
#ifndef HN_COLLIDE_DRAFT_H
#define HN_COLLIDE_DRAFT_H

#include "collide/hull.h"

/* Relative to the size: points nearer to a plane or line lie on it. */
static const double hn_flatness = 1e-10;

typedef struct hn_face_draft {
  int n, corner[HN_MAX_CORNERS]; /* numbers of the points, the lowest first */
} hn_face_draft;

typedef struct hn_flat_point {
  int point;
  double x, y;
} hn_flat_point;

typedef struct hn_draft {
  const double *point;
  int count, nface;
  double size;
  bool *corner;             /* [count] candidates, then corners */
  hn_face_draft *face;      /* [nface], with spare room */
  hn_flat_point *projected; /* [3 count + 2] scratch: points on a plane, then the boundary polygon */
} hn_draft;

/* Allocates a zeroed hull with room for these counts; NULL if memory runs out. */
hn_hull *hn_hull_of_size(int nvertex, int nface, int ncorner, int nedge);
/* Computes the centre and radius of a hull from its vertices. */
void hn_hull_measure(hn_hull *hull);
/* Checks that the points are finite and span DIMENSIONS dimensions; sets the size. Returns -1 on error. */
int hn_draft_check(hn_draft *draft, int dimensions, hn_error *error);
/* Checks that no corner occurs twice. Returns -1 on error. */
int hn_draft_check_twice(const hn_draft *draft, hn_error *error);
/* Computes the convex polygon of the N points PROJECTED into RIM[2 n], counterclockwise; returns the
 * number of its corners. Corners nearer than MIN_DISTANCE to a line through their neighbours are dropped.
 * Sorts PROJECTED. */
int hn_draft_rim(hn_flat_point *projected, int n, double min_distance, hn_flat_point *rim);
/* Fills a face with the N corners of RIM, the lowest number first. */
void hn_draft_face(const hn_flat_point *rim, int n, hn_face_draft *face);
/* Computes the outward unit normals of the hull of COUNT points in space that are not coplanar. *NORMAL[3
 * *NFACET] is allocated, in arbitrary order, and owned by the caller. corner[count] marks the points that may
 * be corners. Returns -1 on error. */
int hn_facets_find(const double *points, int count, double **normal, int *nfacet, bool *corner,
                   hn_error *error);
/* Builds the hull of the points in space; returns NULL on error. */
hn_hull *hn_draft_polyhedron(hn_draft *draft, hn_error *error);

#endif
