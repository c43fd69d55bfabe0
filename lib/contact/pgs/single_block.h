/* single_block.h - Gauss-Seidel visits of blocks one at a time, for all kinds of blocks. Internal. */
#ifndef HN_SINGLE_BLOCK_H
#define HN_SINGLE_BLOCK_H

#include "base/array.h"
#include "contact.h"
#include "contact/pgs/block_solution.h"
#include "contact/pgs/planar_contact.h"

/* A block prepared for sweeps. */
typedef struct hn_single {
  int a, b, row, n;
  hn_block_law law;
  bool flat;      /* planar contact or pair of rows (planar_contact.h): packed differently */
  double scale;   /* 1/kg, mean diagonal of the block of K */
  double turn[2]; /* rotation to its tangents (local_coulomb.h) */
} hn_single;

typedef struct hn_singles {
  int local;         /* HN_LOCAL_... */
  double relaxation; /* fraction of each change that is applied */
  hn_single *block;  /* [max_size.blocks] */
  hn_planar *flat;   /* [max_size.blocks] planar contacts solved exactly; they hold their own impulses */
  /* [24 max_size.rows] row by row G_a, G_b, then row by row W G_a', W G_b' of a block; flat blocks as in
   * planar_contact.h */
  double *rows;
  double *diagonal;    /* [6 max_size.rows] of each block: its part of K, or L D L' of it for equations */
  double *u;           /* [6 max_size.bodies] velocities W G' p */
  double *b, *p;       /* [max_size.rows] of prepared blocks, in their tangents */
  const double *start; /* impulses of the caller at the start */
  const hn_problem_matrix *K;
} hn_singles;

/* Allocates room for problems up to MAX_SIZE among ARRAYS. */
void hn_singles_setup(hn_singles *singles, const hn_problem_size *max_size, hn_arrays *arrays);
/* Starts a problem with the impulses P: no blocks yet, u = 0. */
void hn_singles_begin(hn_singles *singles, const hn_problem *problem, const double *p);
/* Prepares block K and adds W G' p of it to u. Returns false if data are not finite. */
bool hn_single_add(hn_singles *singles, const hn_problem *problem, int k);
/* Replaces the impulse of block K by that in P, and adds W G' p of it to u. */
void hn_single_set(hn_singles *singles, int k, const double *p);
/* Squares of the changes of impulses, as velocities. The maximum is computed without a branch, which would be
 * mispredicted while it grows. SUM is not a number if a change is none. */
typedef struct hn_changes {
  double largest, sum;
} hn_changes;

static inline void hn_changes_note(hn_changes *changes, double change)
{
  changes->largest = change > changes->largest ? change : changes->largest;
  changes->sum += change;
}

/* Visits the COUNT listed blocks in order. If LAG < COUNT, makes a second sweep that follows LAG blocks
 * behind the first, so that neither waits for the other. CHANGES: of the first and the second sweep. */
typedef void hn_single_sweep(hn_singles *singles, const int *block, int count, int lag,
                             hn_changes changes[2]);
/* The portable version, and the fastest one for this processor; both return the same bits. */
hn_single_sweep hn_single_sweep_portable;
hn_single_sweep *hn_single_fastest_sweep(void);
/* Stores the impulse of block K, in the tangents of the problem, in P. */
void hn_single_impulse(const hn_singles *singles, int k, double *p);

#endif
