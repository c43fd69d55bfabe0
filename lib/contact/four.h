/* four.h - four contacts with friction in space side by side, for the sweeps of Gauss and Seidel. Internal.
 *
 * Contacts that share no body which moves do not know of each other, and can be visited at once. Bodies that touch have
 * the same axes but for the sign, and one over the mass of each is a number:
 *
 *   G_a = (-e, r_a),  G_b = (e, r_b),  W G' = (-e / m_a, t_a), (e / m_b, t_b)
 *
 * which is less to read than all rows. Whatever else a block may be is for others. */
#ifndef HN_CONTACT_FOUR_H
#define HN_CONTACT_FOUR_H

#include "contact/local.h"
#include "contact/rows.h"

enum { HN_FOUR = 4 };
typedef double hn_each[HN_FOUR]; /* the same number of each of them */

typedef struct hn_four {
  int a[HN_FOUR], b[HN_FOUR], block[HN_FOUR]; /* of the problem; a block of -1: nothing is there */
  hn_each e[9], r_a[9], r_b[9];      /* row by row */
  hn_each t_a[9], t_b[9], inv_a, inv_b;
  hn_each mu, inv_normal, d[2], l[2], inv_l[2], s; /* as in hn_local */
  hn_each scale, turn[2];            /* m/s an N s, as of any block; of the tangents */
  hn_each bias[3], p[3];             /* b and impulses, in them */
} hn_four;

/* Can block K of PROBLEM be one of them? */
bool hn_four_takes(const hn_problem *problem, int k);
/* COUNT blocks of which no two share what moves, with impulses P of the problem, u += W G' p; U has room for one body
 * more than there are. False: what should be numbers is none. */
bool hn_four_prepare(hn_four *four, const hn_problem *problem, const int *block, int count, const double *p, double *u);
/* One visit with that part of the change of the impulses, and of the velocities U of the bodies with them: the size of
 * the largest change as a velocity, squared. */
typedef double hn_four_visit(hn_four *four, double relaxation, double *u);
/* The function that does it on this processor; all have the same bits. */
hn_four_visit *hn_four_visitor(void);
/* Impulses in the tangents of the problem. */
void hn_four_impulses(const hn_four *four, const hn_problem *problem, double *p);

#endif
