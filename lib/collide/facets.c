/* facets.c - the facets of a convex hull, by Qhull (see draft.h).
 *
 * Exact input, no joggle: Qhull merges facets where rounding leaves doubt. Results that depend on its order
 * of work are not used; the caller builds the faces from the planes. [Barber, Dobkin and Huhdanpaa, The
 * quickhull algorithm for convex hulls, ACM Trans. Math. Softw. 22 (1996) 469] */
#include "collide/draft.h"

#include <libqhull_r/libqhull_r.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Copies the facet normals and corners of a finished hull. */
static int copy_hull(qhT *qh, double **normal, int *nfacet, bool *corner, hn_error *error)
{
  *nfacet = 0;
  *normal = malloc((size_t)qh->num_facets * 3 * sizeof **normal);
  if (!*normal) return hn_fail(error, "out of memory");
  for (const facetT *facet = qh->facet_list; facet && facet->next; facet = facet->next)
    memcpy(*normal + 3 * (*nfacet)++, facet->normal, 3 * sizeof **normal);
  for (const vertexT *vertex = qh->vertex_list; vertex && vertex->next; vertex = vertex->next)
    corner[qh_pointid(qh, vertex->point)] = true;
  return 0;
}

/* Reports the first line that Qhull wrote. */
static int report(const char *text, hn_error *error)
{
  return hn_fail(error, "the hull of these points cannot be found: %.*s", (int)strcspn(text, "\n"), text);
}

int hn_facets_find(const double *points, int count, double **normal, int *nfacet, bool *corner,
                   hn_error *error)
{
  char *message = NULL, command[] = "qhull Pp";
  size_t length = 0;
  int status = -1, kept, total;
  qhT *qh = malloc(sizeof *qh);
  double *copy = malloc((size_t)count * 3 * sizeof *copy); /* Qhull may write to it */
  FILE *errors = open_memstream(&message, &length);
  *normal = NULL;
  memset(corner, 0, (size_t)count * sizeof *corner);
  if (!qh || !copy || !errors) {
    hn_fail(error, "out of memory");
  } else {
    memcpy(copy, points, (size_t)count * 3 * sizeof *copy);
    qh_zero(qh, errors);
    int failed = qh_new_qhull(qh, 3, count, copy, False, command, NULL, errors);
    fflush(errors);
    status = failed ? report(message, error) : copy_hull(qh, normal, nfacet, corner, error);
    qh_freeqhull(qh, !qh_ALL);
    qh_memfreeshort(qh, &kept, &total);
  }
  if (errors) fclose(errors);
  free(message);
  free(copy);
  free(qh);
  return status;
}
