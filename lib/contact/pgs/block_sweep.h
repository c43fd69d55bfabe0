/* block_sweep.h - Gauss-Seidel sweeps over the blocks of a contact problem. Internal.
 *
 *   for blocks k in order:   v_k = (K p + b)_k;   p_k := solution of block k (block_solution.h)
 *
 * The velocities u = W G' p of the bodies are updated with every impulse, so K is never formed: a block costs
 * two products with 12 numbers a row. In this plain form each block waits for the previous one. Blocks
 * without a common moving body commute, so three rearrangements are faster and return the same bits:
 *
 *   layers          the blocks of a layer share no moving body and are independent (sweep_order.h)
 *   four at a time  four runs of spatial contacts of a layer, in vector registers (four_contacts.h)
 *   two sweeps      the second sweep follows the first, `lag` items behind (single_block.h) */
#ifndef HN_BLOCK_SWEEP_H
#define HN_BLOCK_SWEEP_H

#include "contact/pgs/four_contacts.h"
#include "contact/pgs/single_block.h"

typedef struct hn_block_sweep {
  hn_singles singles; /* the blocks outside groups of four; u is shared by all */
  hn_runs runs;
  hn_four *four;         /* [nfour], room for half of max_size.blocks */
  hn_four_point *point;  /* [npoint] of all groups; two runs side by side take the room of the longer */
  hn_four_sliding *rest; /* [npoint] */
  int nfour, npoint;
  hn_four_visit *visit_four;
  hn_single_sweep *sweep_singles;
  int *item; /* [nitem] in the order of a sweep: a block k, or ~k for group k of four */
  int nitem;
  int lag;       /* least number of items that the next sweep must stay behind; nitem: no overlap */
  int *first;    /* [max_size.bodies] scratch: first item of each body */
  double *W;     /* [6 max_size.bodies] upper triangles of the inverse inertias */
  bool is_ahead; /* the next sweep has been made already, with change_ahead */
  double change_ahead;
} hn_block_sweep;

/* Allocates room for problems up to MAX_SIZE among ARRAYS. */
void hn_block_sweep_setup(hn_block_sweep *sweep, const hn_problem_size *max_size, hn_arrays *arrays);
/* Prepares all blocks of PROBLEM, starting from the impulses P. LOCAL: HN_LOCAL_...; RELAXATION: fraction of
 * each change that is applied. Returns false if data are not finite. */
bool hn_block_sweep_load(hn_block_sweep *sweep, const hn_problem *problem, int local, double relaxation,
                         const double *p);
/* Makes the next sweep; returns its largest change of an impulse, as a velocity (m/s). MAY_LOOK_AHEAD: the
 * caller will ask for another sweep unless this one changes nothing, so that two may be made at once. */
double hn_block_sweep_next(hn_block_sweep *sweep, bool may_look_ahead);
/* Replaces the impulses of all blocks of PROBLEM, which is loaded, by those in P. */
void hn_block_sweep_set(hn_block_sweep *sweep, const hn_problem *problem, const double *p);
/* Stores the impulses of all blocks in P. */
void hn_block_sweep_impulses(const hn_block_sweep *sweep, const hn_problem *problem, double *p);

#endif
