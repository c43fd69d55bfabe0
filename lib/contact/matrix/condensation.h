/* condensation.h - elimination of the joints from a contact problem with few contacts. Internal.
 *
 *   [ K_jj  K_jc ] [p_j]   [b_j]   [ 0 ]            K_c = K_cc - K_cj K_jj^-1 K_jc
 *   [ K_cj  K_cc ] [p_c] + [b_c] = [v_c]     =>     v_c = K_c p_c + b_c - K_cj K_jj^-1 b_j
 *
 * j: rows whose impulse is any (HN_ANY), c: all others. K_c is small and dense, and its scale is that of
 * whole mechanisms: light legs under a heavy body no longer count. Its column i has the velocities of the
 * contacts when row i gets a unit impulse and the joints hold. [block elimination; the inverse of the
 * operational-space inertia of Khatib, IEEE J. Robotics Autom. 3 (1987) 43] */
#ifndef HN_CONDENSATION_H
#define HN_CONDENSATION_H

#include "contact.h"

typedef struct hn_condensation hn_condensation;

/* Allocates room for problems of up to ROWS rows besides joints. NULL if memory runs out. */
hn_condensation *hn_condensation_create(int rows);
void hn_condensation_free(hn_condensation *d);
/* True if PROBLEM is by bodies, has joints, and few enough other rows. */
bool hn_condensation_applies(const hn_condensation *d, const hn_problem *problem);
/* Poses the problem of the rows besides joints, with K given, and its start from P in *P_C. The result
 * belongs to D. NULL where the joints have no accurate factor. Counts in WORK. */
const hn_problem *hn_condensation_pose(hn_condensation *d, hn_work *work, const hn_problem *problem,
                                       const double *p, double **p_c);
/* Stores in P the impulses *P_C of that problem, and those of the joints that hold against them. */
void hn_condensation_expand(hn_condensation *d, hn_work *work, const hn_problem *problem, double *p);

#endif
