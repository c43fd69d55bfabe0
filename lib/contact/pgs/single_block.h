/* single_block.h - blocks one after the other: each gets the impulse that is right for it alone. Internal. */
#ifndef HN_SINGLE_BLOCK_H
#define HN_SINGLE_BLOCK_H

#include "contact.h"
#include "contact/pgs/planar_contact.h"

/* How a contact is solved: exactly, or split, normal and tangents apart. */
enum { HN_LOCAL_CONE, HN_LOCAL_DISK, HN_LOCAL_BOX, HN_LOCAL_PYRAMID };

/* A block as the sweeps need it. */
typedef struct hn_single {
  int a, b, row, n;
  hn_set_kind kind;
  bool flat; /* two rows in the plane z = 0, of two bodies: their numbers are packed another way */
  double lower, upper;
  double scale;   /* m/s an N s: mean of the diagonal of K */
  double turn[2]; /* of its tangents (contact/local_coulomb.h) */
  hn_local local; /* of a cone */
} hn_single;

typedef struct hn_singles {
  int local;
  double relaxation; /* part of the change of an impulse that is made */
  hn_single *block;  /* [most.blocks] */
  hn_flat *flat;     /* [most.blocks] of contacts that are flat and solved exactly: their impulses, too */
  double *rows; /* [24 most.rows] by rows: G_a, G_b; then, for all rows of a block, W G_a', W G_b'. Of flat
                 * ones as in planar_contact.h */
  double *diagonal; /* [6 most.rows] of a block: K, or L D L' of it */
  double *u;        /* [6 most.bodies] W G' p */
  double *b, *p;    /* [most.rows] by bodies in the tangents of the blocks */
  const hn_problem_matrix *K;
} hn_singles;

/* Room for problems up to MOST: -1 without memory. */
int hn_singles_setup(hn_singles *singles, const hn_problem_size *most);
void hn_singles_free(hn_singles *singles);
/* PROBLEM, with the impulses P to begin with; no block yet, u = 0. */
void hn_singles_begin(hn_singles *singles, const hn_problem *problem, const double *p);
/* Block K is one of them, u += W G' p of it. False: what should be numbers is none. */
bool hn_single_add(hn_singles *singles, const hn_problem *problem, int k);
/* The largest of the changes so far of impulses, as velocities, squared; it is told without a branch, which
 * would be foreseen wrongly while it grows. SUM is not a number where one of them is none. */
typedef struct hn_changes {
  double largest, sum;
} hn_changes;

static inline void hn_changes_note(hn_changes *changes, double change)
{
  changes->largest = change > changes->largest ? change : changes->largest;
  changes->sum += change;
}

/* Visits the COUNT blocks listed one after the other, and then, where LAG is less than COUNT, once more: the
 * second sweep follows LAG blocks behind the first, and neither waits for the other. */
typedef void hn_single_sweep(hn_singles *singles, const int *block, int count, int lag,
                             hn_changes changes[2]);
/* The one for any processor, and the fastest for this one: they have the same bits. */
hn_single_sweep hn_single_sweep_anywhere;
hn_single_sweep *hn_single_sweeper(void);
/* The impulse of block K, in the tangents of the problem, to its place in P. */
void hn_single_impulse(const hn_singles *singles, int k, double *p);

#endif
