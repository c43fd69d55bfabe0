/* seams.h - contacts at the seam of two flush faces. Internal.
 *
 * Let shape B touch shape A' with normal n', and let A lie on the other side of the plane across n' that A'
 * supports, flush with it. The plane separates A from B, so a contact of A and B with another normal is one
 * with an inner edge, which B cannot feel: the pair takes the normal n' instead. Where a pair alone decides,
 * a box that slides over two flush tiles meets the side of the second, and a ball its edge.
 * [CONTACT: after the removal of internal edges in Jolt Physics and the ghost vertices of Box2D] */
#ifndef HN_SEAMS_H
#define HN_SEAMS_H

#include "collide/broad.h"

/* The contact of a pair of colliders. */
typedef struct hn_touch {
  hn_pair pair;
  int first, count;  /* its points in the list of the caller */
  double normal[3];  /* from pair.a to pair.b, world axes */
  double gap;        /* m, the least of its points */
  int instead;       /* touch whose normal it takes, or -1 */
  bool rigid;        /* the other shapes of both never move against each other */
  bool beside;       /* not rigid, and overlapping by less than the tolerance of flush faces: no contact */
  bool continued[2]; /* a flush face of the same rigid body continues that of pair.a, or of pair.b */
} hn_touch;

typedef struct hn_seams hn_seams;

/* Prepares for at most MAX_TOUCHES touches. Returns NULL if memory runs out. */
hn_seams *hn_seams_create(const hn_model *model, const hn_pairs *pairs, int max_touches);
void hn_seams_free(hn_seams *seams);
/* Sets `instead`, `rigid` and `beside` of COUNT touches, which are in ascending order of their pairs. */
void hn_seams_find(hn_seams *seams, hn_touch *touch, int count);
/* Removes from the touches of the last call the points on an edge that ends at a flush face of the same rigid
 * body with the same surface. They are inside the common face: a slab would not have them. */
void hn_seams_remove_inner_points(hn_seams *seams, hn_contact_point *point);

#endif
