/* hull.h - convex polyhedra and polygons by their vertices. Internal. */
#ifndef HN_HULL_H
#define HN_HULL_H

#include "base.h"

enum { HN_MAX_EDGES = 1024, HN_MAX_CORNERS = 32 }; /* of a hull; of one of its faces */

/* Vertices keep the order of the input points; interior points are dropped. Faces are planar polygons,
 * ordered by the numbers of their vertices. The faces of a polygon are its sides: two vertices each, normals
 * in the plane. */
typedef struct hn_hull {
  size_t size; /* bytes, with the arrays, which lie behind it */
  int nvertex, nface, nedge;
  double *vertex;   /* [3 nvertex] m, shape axes */
  double *normal;   /* [3 nface] outward unit normals */
  double *offset;   /* [nface] m, normal . x on the face */
  int *face_start;  /* [nface + 1] into face_vertex and face_edge */
  int *face_vertex; /* vertices of each face, counterclockwise seen from outside, the lowest number first */
  int *face_edge;   /* edge from each of these vertices to the next; in polygons the face itself */
  /* [4 nedge] two vertices, the lower first, and the faces left and right of it; polygons have none */
  int *edge;
  double centre[3]; /* mean of the vertices */
  double radius;    /* m, of the bounding sphere about the origin of the shape */
} hn_hull;

/* Builds the convex hull of COUNT points; POLYGON: in the plane z = 0, by x and y alone. Points inside the
 * hull, a face or an edge are dropped. A polygon with points inside its boundary is refused, because it is
 * not convex. Returns NULL on error: too few points, a point that is not finite or occurs twice, points that
 * are coplanar (collinear) to rounding, or more edges or corners of a face than there is room for. */
hn_hull *hn_hull_create(const double *points, int count, bool polygon, hn_error *error);
/* Returns a deep copy; NULL if memory runs out. */
hn_hull *hn_hull_copy(const hn_hull *hull);
void hn_hull_free(hn_hull *hull);
/* Computes the mass (kg), the centre of mass and the moments about it of the homogeneous hull: Jxx, Jyy, Jzz,
 * Jxy, Jxz, Jyz are the integrals of y^2 + z^2, ..., and of x y, ... [Mirtich, Fast and accurate computation
 * of polyhedral mass properties, J. Graphics Tools 1 (1996) 31]. A polygon has DENSITY in kg/m^2 and J about
 * its third axis. */
void hn_hull_mass(const hn_hull *hull, double density, double *mass, double centre[3], double J[6]);

#endif
