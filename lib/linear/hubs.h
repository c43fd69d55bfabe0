/* hubs.h - bodies with many neighbours, whose velocities stay unknowns of the linear system. Internal.
 *
 * K couples every pair of joints on a body, so that a body with d joints costs d^3. If instead the change of
 * velocity z of a hub remains unknown, its joints are coupled only with the hub, and cost d. */
#ifndef HN_HUBS_H
#define HN_HUBS_H

#include "system.h"

enum { HN_HUB_ROWS = 6 };

typedef struct hn_hubs {
  int count;
  int *body;   /* [count] bodies of the hubs; NULL without hubs, as number */
  int *number; /* [nbody] index of the hub of a body; -1 if it is none */
} hn_hubs;

/* Counts the moving neighbours of every body: bodies with a joint in common. -1 if out of memory. */
int hn_count_neighbours(const hn_system *s, int *neighbours);
/* Makes hubs of the moving bodies with at least LEAST neighbours; -1 if out of memory. */
int hn_hubs_create(hn_hubs *hubs, const hn_system *s, const int *neighbours, int least);
void hn_hubs_free(hn_hubs *hubs);

#endif
