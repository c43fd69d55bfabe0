/* facets.h - the planes that bound the hull of points, by Qhull. Internal. */
#ifndef HN_FACETS_H
#define HN_FACETS_H

#include "base.h"

/* Outward unit normals of the facets of the hull of COUNT points in space, not all in a plane, in any order: *NORMAL
 * [3 *NFACET], to be freed; and which points may be corners, in CORNER[count]. */
int hn_facets_find(const double *points, int count, double **normal, int *nfacet, bool *corner,
                   hn_error *error);

#endif
