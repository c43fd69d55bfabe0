/* facets.h - the facets of a convex hull, by Qhull. Internal. */
#ifndef HN_FACETS_H
#define HN_FACETS_H

#include "base.h"

/* Computes the outward unit normals of the hull of COUNT points in space that are not coplanar. *NORMAL[3
 * *NFACET] is allocated, in arbitrary order, and owned by the caller. corner[count] marks the points that may
 * be corners. Returns -1 on error. */
int hn_facets_find(const double *points, int count, double **normal, int *nfacet, bool *corner,
                   hn_error *error);

#endif
