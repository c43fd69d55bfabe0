/* cylinder.h - what pairs with cylinders share. Internal.
 *
 * All is in the axes of one cylinder: its own axis is y, its place the origin. */
#ifndef HN_CYLINDER_H
#define HN_CYLINDER_H

#include "collide/polytope.h"

#include <math.h>

/* Numbers of a cylinder's features: side, rims and flat ends at -h and +h, and points fixed on the rims. */
enum { HN_SIDE = 0, HN_RIM = 1, HN_END = 3, HN_RIM_FIXED = 8, HN_SECOND = 64 };

typedef struct hn_cylinder {
  double r, h; /* radius, half height */
} hn_cylinder;

/* An axis is near a cylinder's own, but for 0.1 rad: what touches the end touches all of it. */
static const double hn_upright = 0.995;
/* Sine of the tilt from which the lowest point of a rim is told apart from the fixed ones. */
static const double hn_level = 1e-8;

/* Distance of X from the axis. */
static inline double hn_across(const double x[3])
{
  return sqrt(x[0] * x[0] + x[2] * x[2]);
}

/* Farthest extent along unit N. */
double hn_cylinder_support(const hn_cylinder *c, const double n[3]);
/* Point K = 0 to 3 of the rim at the end HIGH that is fixed to the cylinder. */
void hn_rim_fixed(const hn_cylinder *c, bool high, int k, double x[3]);
/* The point of a rim at height Y in the direction of P from the axis; of the first axis when there is none. */
void hn_rim_point(double r, double y, const double p[3], double x[3]);
/* Points of the line X + t D, |D| = 1, to which the circle of radius R around the axis at height Y is nearest, as far
 * as neighbours on both go; how many, up to 2, and the unit vectors across both there, outward from the circle's centre
 * on the side of the sign of Y. */
int hn_circle_line(double r, double y, const double x[3], const double d[3], double t[2], double n[2][3]);
/* Fractions at which the segment from P to Q, seen along the axis, meets the circle of radius R, within its length. */
int hn_circle_crossings(double r, const double p[3], const double q[3], double fraction[2]);

/* The circle of radius R around the axis at height Y, and one of radius S around CENTRE in the plane of two unit
 * vectors. */
typedef struct hn_rims {
  double r, y, s, centre[3], e[2][3];
} hn_rims;

/* Points of both, and the unit vector across both there, outward from the first as in hn_circle_line. */
typedef struct hn_rim_pair {
  double a[3], b[3], n[3];
} hn_rim_pair;

enum { HN_RIM_PAIRS = 16 };
/* Where the two circles are nearest, as far as neighbours on both go; how many. */
int hn_rims_nearest(const hn_rims *rims, hn_rim_pair pair[HN_RIM_PAIRS]);

/* SHAPE as seen from the axes of CYLINDER, and points found there into the world. */
void hn_into_axes(const hn_placed *cylinder, const hn_placed *shape, hn_placed *seen);
void hn_out_of_axes(const hn_placed *cylinder, hn_manifold *out);

#endif
