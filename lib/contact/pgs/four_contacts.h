/* four_contacts.h - Gauss-Seidel visits of four spatial contacts with friction at a time. Internal.
 *
 * Four runs of contacts (sweep_order.h) that share no moving body are independent. They are visited together
 * in vector registers: the first contact of each, then the second, and so on, while the velocities of the
 * eight bodies stay in registers. A contact is stored as axes e and arms from the centres of mass, a third of
 * the size of its full rows. */
#ifndef HN_FOUR_CONTACTS_H
#define HN_FOUR_CONTACTS_H

#include "base/quad.h"
#include "contact/pgs/block_solution.h"
#include "contact/pgs/sweep_order.h"

/* One contact of each run; zero for runs that have ended. */
typedef struct hn_four_point {
  hn_double4 e[9], arm_a[3], arm_b[3]; /* axes row by row; local=cone: in the tangents of hn_local */
  /* as in hn_local; d has two. Other rules: inverses of the diagonal of the block D of K, of local=disk both
   * of its larger tangent, and d = D_10, D_20, D_21 */
  hn_double4 mu, inv_normal, d[3], inv_l[2];
  hn_double4 scale;         /* 1/kg, mean diagonal of the block of K */
  hn_double4 bias[3], p[3]; /* b, and impulses */
} hn_four_point;

/* Data needed only by sliding contacts of local=cone and at the end. */
typedef struct hn_four_sliding {
  hn_double4 l[2], s, turn[2]; /* of hn_local; rotation to the tangents of the axes e */
} hn_four_sliding;

typedef struct hn_four {
  int a[HN_FOUR], b[HN_FOUR];         /* bodies; nbody (a body that does not move) for missing runs */
  int first[HN_FOUR], count[HN_FOUR]; /* blocks of the problem */
  hn_double4 inv_a, inv_b;            /* 1/kg, inverse masses */
  int longest;                        /* largest of the counts */
  hn_four_point *point;               /* [longest] */
  hn_four_sliding *rest;              /* [longest] */
} hn_four;

/* Prepares COUNT runs that share no moving body, for the rule LOCAL (HN_LOCAL_...), with the impulses P of
 * the problem; adds W G' p to the velocities U. POINT and REST of FOUR have room for the longest run. W:
 * upper triangles of the inverse inertias, row by row. W and U have 6 numbers a body, with room for body
 * nbody. Returns false if data are not finite. */
bool hn_four_prepare(hn_four *four, const hn_problem *problem, int local, const hn_run *run, int count,
                     const double *p, double *W, double *u);
/* Replaces the impulses by those in P, and adds W G' p of them to the velocities U. */
void hn_four_set(hn_four *four, const hn_problem *problem, const double *p, double *W, double *u);
/* Visits all contacts once, with the rule LOCAL that they were prepared for. RELAXATION is the fraction of
 * each change that is applied. Updates the impulses and the velocities U of the bodies; returns the square of
 * the largest change, as a velocity. */
typedef double hn_four_visit(hn_four *four, int local, double relaxation, double *W, double *u);
/* The portable version, and the fastest one for this processor; both return the same bits. */
hn_four_visit hn_four_visit_portable;
hn_four_visit *hn_four_fastest_visit(void);
/* Stores the impulses in P, in the tangents of the problem. */
void hn_four_impulses(const hn_four *four, const hn_problem *problem, double *p);

#endif
