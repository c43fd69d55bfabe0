/* ellipsoid.h - geometry shared by the pairs with ellipsoids. Internal.
 *
 * The rows of W are the half axes of an ellipsoid, in any common axes. Its extent from its centre along a
 * unit vector n is h(n) = |W n|, the point with the outward normal n is W' W n / h. If one half axis is zero,
 * it is a disc. */
#ifndef HN_ELLIPSOID_H
#define HN_ELLIPSOID_H

#include "collide/polytope.h"

typedef struct hn_ellipsoid {
  double W[9], x[3];                /* m: half axes, row by row; centre */
  double smallest, middle, largest; /* m: lengths of the half axes */
} hn_ellipsoid;

/* Makes an ellipsoid with centre X and half axes of the lengths SIZE along the columns of R. */
void hn_ellipsoid_make(hn_ellipsoid *e, const double size[3], const double x[3], const double R[9]);
/* Returns the extent from the centre along N, m. */
double hn_ellipsoid_extent(const hn_ellipsoid *e, const double n[3]);
/* Computes the point X with the outward unit normal N, relative to the centre. Returns the extent along N. */
double hn_ellipsoid_point(const hn_ellipsoid *e, const double n[3], double x[3]);
/* Returns a lower bound of the radii of curvature, m. A local maximum of the free space between convex bodies
 * above minus this bound, of one or of the sum of both, is the only one: the bodies reduced by it are convex
 * and disjoint. */
static inline double hn_ellipsoid_least_radius(const hn_ellipsoid *e)
{
  return e->smallest / e->largest * e->smallest;
}
/* Computes two unit vectors that are perpendicular to unit N and to each other. */
void hn_ellipsoid_tangents(const double n[3], double u[2][3]);
/* Computes the matrix of the radii of curvature (m) at the normal N in the axes U: entries 11, 12, 22. */
void hn_ellipsoid_radii(const hn_ellipsoid *e, const double n[3], double u[2][3], double radii[3]);
/* Returns the radius of the sphere that represents the surface at the normal N, m: the smaller radius of
 * curvature, but at most the largest half axis. */
double hn_ellipsoid_skin(const hn_ellipsoid *e, const double n[3]);

enum { HN_ELLIPSOID_NORMALS = 2 };
/* Computes the outward unit normals n, in K = 2 or 3 principal axes, for which n . p - h(n) of an ellipsoid
 * (ellipse) with half axes SIZE > 0 and POINT p has a local maximum: at the nearest point of the surface, and
 * at one on the other side if it has one. Returns their number. */
int hn_nearest_normals(int k, const double *size, const double *point,
                       double normal[HN_ELLIPSOID_NORMALS][3]);
/* Computes normals in K axes like hn_nearest_normals for the ellipsoid or ellipse with extent |W n|, n in the
 * span of the K orthonormal AXES. W has ROWS rows of three columns. Turns the axes. */
int hn_projected_normals(int k, const double *W, int rows, const double point[3], double axes[3][3],
                         double normal[HN_ELLIPSOID_NORMALS][3]);

/* Computes the direction N from A to B for which the free space between them, n . (x_b - x_a) - h_a - h_b, is
 * largest: the distance or minus the depth of penetration. N is a local maximum with n . toward >= 0. Returns
 * the free space; minus infinity if there is no such maximum. B may be a disc across unit TOWARD. */
double hn_ellipsoids_separate(const hn_ellipsoid *a, const hn_ellipsoid *b, const double toward[3],
                              double n[3]);

#endif
