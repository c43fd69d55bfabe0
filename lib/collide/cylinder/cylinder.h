/* cylinder.h - geometry shared by the pairs with cylinders. Internal.
 *
 * Coordinates are the axes of one cylinder: its axis is y, its place the origin. */
#ifndef HN_CYLINDER_H
#define HN_CYLINDER_H

#include "collide/polytope.h"

#include <math.h>

/* Feature numbers of a cylinder: side, rims and flat ends at -h and +h, and fixed points on the rims.
 * HN_SECOND is added for the second crossing with the same feature. */
enum { HN_SIDE = 0, HN_RIM = 1, HN_END = 3, HN_RIM_FIXED = 8, HN_SECOND = 64 };

/* Centre of the cylinder, in its axes. */
static const double hn_cylinder_centre[3] = { 0, 0, 0 };

typedef struct hn_cylinder {
  double r, h; /* m: radius, half height */
} hn_cylinder;

/* ^Cosine of 0.1 rad: an end within this angle of a plane or face gets the points of the whole end. */
static const double hn_cos_level = 0.995;
/* ^Sine of the tilt above which the lowest point of a rim is listed apart from the fixed points. */
static const double hn_sin_level = 1e-8;
/* Sine of 1e-3 rad: the counterpart of hn_cos_aligned for directions across the axis. */
static const double hn_sin_aligned = 1e-3;
/* Relative length of a cross product, and of a distance, below which its direction is rounding error. */
static const double hn_min_cross_length = 1e-6, hn_min_distance = 1e-9;
/* A manifold is complete if its least gap exceeds that of the axis by at most this number of ties. */
enum { HN_MANIFOLD_TIES = 4 };

/* Returns the distance of X from the axis. */
static inline double hn_across(const double x[3])
{
  return sqrt(x[0] * x[0] + x[2] * x[2]);
}

/* Returns the support: the largest extent along unit N. */
double hn_cylinder_support(const hn_cylinder *c, const double n[3]);
/* Computes fixed point K = 0 to 3 of the rim at the lower end, or the upper one if HIGH. */
void hn_rim_fixed(const hn_cylinder *c, bool high, int k, double x[3]);
/* Computes the point of a rim of radius R at height Y in the direction of P; along x if P is on the axis. */
void hn_rim_point(double r, double y, const double p[3], double x[3]);
/* Moves X, where a side or rim has the outward unit normal N, along N to the axis; returns the distance. A
 * contact point that moves over a turning cylinder is that of a sphere around this centre. */
double hn_onto_axis(const double n[3], double x[3]);
/* Computes the points of the line X + t D, |D| = 1, with locally least distance from the circle of radius R
 * around the axis at height Y. Returns their number, at most 2. N: unit normals to both there, outward from
 * the circle's centre on the side given by the sign of Y. */
int hn_circle_line(double r, double y, const double x[3], const double d[3], double t[2], double n[2][3]);
/* Computes the fractions at which the segment from P to Q, projected along the axis, crosses the circle of
 * radius R. Returns their number. */
int hn_circle_crossings(double r, const double p[3], const double q[3], double fraction[2]);

/* Two circles: radius R around the axis at height Y, and radius S around CENTRE in the plane of two unit
 * vectors. */
typedef struct hn_rims {
  double r, y, s, centre[3], e[2][3];
} hn_rims;

/* A point of each and the unit normal to both, outward from the first as in hn_circle_line. */
typedef struct hn_rim_pair {
  double a[3], b[3], n[3];
} hn_rim_pair;

enum { HN_RIM_PAIRS = 16 };
/* Computes the pairs of points of locally least distance; returns their number. */
int hn_rims_nearest(const hn_rims *rims, hn_rim_pair pair[HN_RIM_PAIRS]);

/* Transforms SHAPE into the axes of CYLINDER, and points found there to world axes. */
void hn_into_axes(const hn_placed_shape *cylinder, const hn_placed_shape *shape, hn_placed_shape *local);
void hn_out_of_axes(const hn_placed_shape *cylinder, hn_manifold *out);

#endif
