/* hull.h - convex polyhedra and polygons by their corners. Internal. */
#ifndef HN_HULL_H
#define HN_HULL_H

#include "base.h"

enum { HN_MOST_EDGES = 1024, HN_MOST_CORNERS = 32 }; /* of a hull; of one of its faces */

/* Corners are numbered as they were given, without those inside; faces are flat polygons, in the order of their
 * corners' numbers. A polygon has edges as its faces, each of two corners, with normals in the plane. */
typedef struct hn_hull {
  int nvertex, nface, nedge;
  double *vertex;   /* [3 nvertex] m, axes of the shape */
  double *normal;   /* [3 nface] outward, of unit length */
  double *offset;   /* [nface] normal . x on the face, m */
  int *face_start;  /* [nface + 1] into face_vertex and face_edge */
  int *face_vertex; /* corners of each face, counterclockwise from outside, the lowest number first */
  int *face_edge;   /* the edge from each of those to the next one; of polygons the face itself */
  int
    *edge; /* [4 nedge] its two corners, lower first, and the faces left and right of it; none of polygons */
  double centre[3]; /* mean of the corners */
  double radius;    /* of the sphere about the origin of the shape that holds it, m */
} hn_hull;

/* The hull of COUNT points; polygon: in the plane z = 0, of which the points give x and y. Points inside, or inside a
 * face or edge, are left out; but a polygon whose points are not all on its rim is refused, as it was not meant to be
 * convex. NULL on error: too few points, not finite, one twice, all in a plane (or line) but for round-off, more edges
 * or corners of a face than there is room for. */
hn_hull *hn_hull_create(const double *points, int count, bool polygon, hn_error *error);
/* A copy of its own; NULL without memory. */
hn_hull *hn_hull_copy(const hn_hull *hull);
void hn_hull_free(hn_hull *hull);
size_t hn_hull_memory(const hn_hull *hull); /* bytes */
/* Mass, centre of mass and moments about it of the homogeneous hull: Jxx, Jyy, Jzz, Jxy, Jxz, Jyz as the integrals of
 * y^2 + z^2, ..., and of x y, ... [Mirtich, Fast and accurate computation of polyhedral mass properties, J. Graphics
 * Tools 1 (1996) 31]. A polygon has DENSITY in kg/m^2, and J of its third axis. */
void hn_hull_mass(const hn_hull *hull, double density, double *mass, double centre[3], double J[6]);

#endif
