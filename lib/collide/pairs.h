/* pairs.h - the functions named in collide.def. Internal. */
#ifndef HN_PAIRS_H
#define HN_PAIRS_H

#include "collide/collide.h"

typedef void hn_collide_function(const hn_placed_shape *a, const hn_placed_shape *b, double margin,
                                 hn_manifold *out);

hn_collide_function hn_collide_plane_round, hn_collide_plane_box, hn_collide_plane_cylinder,
  hn_collide_plane_corners;
hn_collide_function hn_collide_spheres, hn_collide_capsules, hn_collide_sphere_box,
  hn_collide_sphere_cylinder;
hn_collide_function hn_collide_polytopes, hn_collide_boxes;
hn_collide_function hn_collide_cylinder, hn_collide_cylinders;
hn_collide_function hn_collide_plane_ellipsoid, hn_collide_ellipsoid, hn_collide_ellipsoid_cylinder,
  hn_collide_ellipsoids;
hn_collide_function hn_collide_field;
hn_collide_function hn_collide_circle_polygon, hn_collide_polygons;

hn_along_function hn_along_none, hn_along_polytopes, hn_along_cylinder, hn_along_cylinders, hn_along_polygons;

#endif
