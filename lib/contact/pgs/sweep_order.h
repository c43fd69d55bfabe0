/* sweep_order.h - the blocks of a problem in the order of a sweep. Internal.
 *
 * A run is of blocks that follow each other between the same two bodies. A layer is of runs of which no two share a
 * body that moves, and each run is in the first layer behind all runs before it that it shares one with: within a layer
 * they may be visited in any order or at once, and no bit changes. */
#ifndef HN_SWEEP_ORDER_H
#define HN_SWEEP_ORDER_H

#include "contact.h"

enum { HN_MOST_RUN = 8 }; /* blocks; what is longer is cut */

typedef struct hn_run {
  int first, count; /* blocks */
  bool contacts;    /* with one friction, in space, of bodies whose inertias are told; else it is one block */
} hn_run;

typedef struct hn_runs {
  int count, nlayer;
  hn_run *run; /* [count] by layers, in each the longest first and else as they were; room for most.blocks */
  int *start;  /* [nlayer + 1] the first of a layer */
  hn_run *found; /* [count] as they were */
  int *layer;    /* [count] of those */
  int *place;    /* [HN_MOST_RUN nlayer + 1] for sorting */
  int *next;     /* [nbody] the first layer that is free for one */
} hn_runs;

/* Room for problems up to MOST: -1 without memory. */
int hn_runs_setup(hn_runs *runs, const hn_problem_size *most);
void hn_runs_free(hn_runs *runs);
/* The runs of PROBLEM; without SIDE_BY_SIDE, every block is one by itself. */
void hn_runs_find(hn_runs *runs, const hn_problem *problem, bool side_by_side);

#endif
