/* height_field.h - a surface over a regular grid: heights, triangles, edges and vertices. Internal.
 *
 * Point (i, j) of the grid is at x = (i - (nx - 1)/2) dx, z = (j - (nz - 1)/2) dz, in the axes of the shape,
 * and has a height along y. The diagonal of cell (i, j), between the points (i, j) and (i + 1, j + 1), runs
 * from (i + 1, j) to (i, j + 1): triangle 0 has the corner (i, j), triangle 1 the corner (i + 1, j + 1). The
 * solid is below the surface, without a bottom and without sides.
 *
 *   face     the lowest of 2 (i + (nx - 1) j) + triangle among the triangles joined by flat edges
 *   edge     3 (i + nx j) + k; from point (i, j) k = 0: along x, 1: along z; 2: the diagonal of cell (i, j)
 *   vertex   i + nx j */
#ifndef HN_HEIGHT_FIELD_H
#define HN_HEIGHT_FIELD_H

#include "base.h"

/* Points of a side of the grid, and of the whole grid: a contact key has 64 bits. */
enum { HN_MAX_FIELD_SIDE = 1 << 15, HN_MAX_FIELD_POINTS = 1 << 26 };

typedef struct hn_height_field {
  size_t size;      /* bytes, with the heights */
  int nx, nz;       /* points along x and z, at least 2 */
  double dx, dz;    /* m, width of a cell */
  double low, high; /* m, the least and the greatest height */
  double flush;     /* m: a face that is lower than the plane of its neighbour by less continues it */
  double height[];  /* [nx nz] m, rows along x; behind them the parts of all triangles (hn_field_part) */
} hn_height_field;

/* Creates a field of NX times NZ points over SIZE, m, along x and z from HEIGHT[nx nz], m, rows along x.
 * Returns NULL on error: too few or too many points, or a size or a height that is not finite. */
hn_height_field *hn_height_field_create(const double size[2], int nx, int nz, const double *height,
                                        hn_error *error);
/* Returns a deep copy; NULL if memory runs out. */
hn_height_field *hn_height_field_copy(const hn_height_field *field);
void hn_height_field_free(hn_height_field *field);
/* Returns the even number of bits by which contact keys are wider for FIELD (contact_key.h). */
int hn_height_field_bits(const hn_height_field *field);

/* Computes point (I, J). */
void hn_field_point(const hn_height_field *field, int i, int j, double x[3]);
/* Computes the outward unit normal N of a triangle of cell (I, J), and AT, one of its corners. */
void hn_field_face(const hn_height_field *field, int i, int j, int triangle, double at[3], double n[3]);
/* Returns the number of the face to which a triangle of cell (I, J) belongs: triangles joined by flat edges
 * are one face, so that a contact keeps its name over them. */
int hn_field_part(const hn_height_field *field, int i, int j, int triangle);

/* A convex edge. Its normals are the unit vectors n across d with n . out >= 0 for both, and n_y >= 0. */
typedef struct hn_field_edge {
  int number;
  double p[3], d[3], length; /* one end and the unit direction to the other */
  double out[2][3];          /* unit vectors across the edge, in the plane of each face and away from it */
} hn_field_edge;
/* Computes edge K of point (I, J). Returns false if there is none, or if it is not convex by more than
 * `flush`. On the rim the edge is that of a vertical side. */
bool hn_field_edge_of(const hn_height_field *field, int i, int j, int k, hn_field_edge *edge);
/* True if unit N is a normal of the edge, within the sine TOLERANCE. */
bool hn_field_edge_has(const hn_field_edge *edge, const double n[3], double tolerance);

/* A convex vertex and the edges that end at it. Its normals are the unit vectors n with n . to <= 0 for all
 * and, as the solid is below, n_y >= 0. */
typedef struct hn_field_vertex {
  int number, count;
  double p[3];
  double to[6][3], length[6]; /* [count] m: to the neighbours, in their order around */
} hn_field_vertex;
/* Computes the vertex at point (I, J). Returns false if its neighbours bear all that it could bear: if it is
 * in their convex hull, within `flush`, as on flat parts and on straight ridges. */
bool hn_field_vertex_of(const hn_height_field *field, int i, int j, hn_field_vertex *vertex);
/* True if unit N is a normal of the vertex, within the sine TOLERANCE. */
bool hn_field_vertex_has(const hn_field_vertex *vertex, const double n[3], double tolerance);

#endif
