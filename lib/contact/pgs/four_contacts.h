/* four_contacts.h - contacts with friction in space, of four pairs of bodies side by side, for the sweeps of Gauss and Seidel.
 * Internal.
 *
 * Runs of contacts (sweep_order.h) that share no body which moves do not know of each other, and can be visited at once: the
 * first contact of each of four, then the second, and so on, while the velocities of their bodies stay at hand. They
 * are kept as axes e and arms from the centres of mass to where the bodies touch, which is a third of what all rows
 * are. Whatever else a block may be is for others. */
#ifndef HN_FOUR_CONTACTS_H
#define HN_FOUR_CONTACTS_H

#include "contact/pgs/quad.h"
#include "contact/block_rows.h"
#include "contact/pgs/sweep_order.h"

/* A contact of each; zeros where a run has no more. */
typedef struct hn_four_point {
  hn_each e[9], arm_a[3], arm_b[3];       /* axes row by row, in the tangents of hn_local */
  hn_each mu, inv_normal, d[2], inv_l[2]; /* as in hn_local */
  hn_each scale;                          /* m/s an N s, as of any block */
  hn_each bias[3], p[3];                  /* b and impulses */
} hn_four_point;

/* What a visit seldom looks at. */
typedef struct hn_four_rest {
  hn_each l[2], s, turn[2]; /* of hn_local; its tangents */
} hn_four_rest;

typedef struct hn_four {
  int a[HN_FOUR], b[HN_FOUR];         /* bodies; where nothing is, one more than there are */
  int first[HN_FOUR], count[HN_FOUR]; /* blocks of the problem */
  hn_each inv_a, inv_b;               /* one over the mass, 1/kg */
  int most;                           /* of the counts */
  hn_four_point *point;               /* [most] */
  hn_four_rest *rest;                 /* [most] */
} hn_four;

/* COUNT runs of which no two share what moves, with impulses P of the problem, u += W G' p. Point and rest have room
 * for the longest run. W: the upper triangles of the inverse inertias, row by row; it and U, 6 numbers a body, have
 * room for one body more than there are. False: what should be numbers is none. */
bool hn_four_prepare(hn_four *four, const hn_problem *problem, const hn_run *run, int count, const double *p,
                     double *W, double *u);
/* One visit with that part of the change of the impulses, and of the velocities U of the bodies with them: the size of
 * the largest change as a velocity, squared. */
typedef double hn_four_visit(hn_four *four, double relaxation, double *W, double *u);
/* The one for any processor, and the fastest for this one: they have the same bits. */
hn_four_visit hn_four_visit_anywhere;
hn_four_visit *hn_four_visitor(void);
/* Impulses in the tangents of the problem. */
void hn_four_impulses(const hn_four *four, const hn_problem *problem, double *p);

#endif
