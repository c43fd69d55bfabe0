/* field_pair.h - a height field and a convex shape: the search for their contact points. Internal.
 *
 * Contact points are all pairs of features that face each other within the margin: their normals are
 * opposite, and their nearest points are inside both. A flat or concave edge has no normals but those of its
 * faces, so that no body feels it. */
#ifndef HN_FIELD_PAIR_H
#define HN_FIELD_PAIR_H

#include "collide/field/height_field.h"
#include "collide/polytope.h"

/* Sine of 1e-3 rad: faces and edges within this angle of each other are level (hn_cos_aligned). */
static const double hn_sin_level_edge = 1e-3;
/* Sine by which a normal from the nearest points may miss the normals of a feature: rounding. */
static const double hn_normal_rounding = 1e-9;

/* Coordinates are the axes of the field. */
typedef struct hn_field_pair {
  const hn_height_field *field;
  hn_placed_shape body;   /* the other shape */
  double margin;          /* m */
  double low[3], high[3]; /* m: bounding box of the body, enlarged by the margin */
  int first[2], last[2];  /* cells below that box, along x and z */
  bool beyond;            /* the place of the body is beyond the rim */
  double same;            /* m: points nearer to each other are one */
  hn_manifold *out;
} hn_field_pair;

/* Adds POINT, unless it repeats one that is there. A full manifold keeps the points with the least gaps. */
void hn_field_add(hn_field_pair *pair, const hn_contact_point *point);
/* Adds the point of the field at A and of the body at B, m. The normal from A to B is fixed to the field, or
 * to the body if ON_BODY. */
void hn_field_add_point(hn_field_pair *pair, const double a[3], const double b[3], const double normal[3],
                        double skin, bool on_body, uint64_t feature);

/* Add the contact points of a feature of the field with the body. */
typedef struct hn_field_features {
  void (*edge)(hn_field_pair *pair, const hn_field_edge *edge, const void *body);
  void (*vertex)(hn_field_pair *pair, const hn_field_vertex *vertex, const void *body);
} hn_field_features;
/* Visits the convex edges and the vertices below the body. */
void hn_field_visit(hn_field_pair *pair, const hn_field_features *features, const void *body);

/* Add the contact points of edges and vertices of the field with a sphere, capsule, box or hull; with an
 * ellipsoid; and with a cylinder. */
void hn_field_polytope(hn_field_pair *pair);
void hn_field_ellipsoid(hn_field_pair *pair);
void hn_field_cylinder(hn_field_pair *pair);

#endif
