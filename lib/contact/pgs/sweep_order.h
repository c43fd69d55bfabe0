/* sweep_order.h - order of the blocks in a Gauss-Seidel sweep. Internal.
 *
 * A run is a sequence of consecutive blocks between the same two bodies. A layer is a set of runs of which no
 * two share a moving body. Each run is in the first layer after all earlier runs with which it shares one.
 * The runs of a layer may be visited in any order or simultaneously without changing a bit of the result. */
#ifndef HN_SWEEP_ORDER_H
#define HN_SWEEP_ORDER_H

#include "base/array.h"
#include "contact.h"

enum { HN_MAX_RUN = 8 }; /* blocks; longer runs are split */

typedef struct hn_run {
  int first, count; /* blocks */
  /* spatial contacts with one friction coefficient between bodies of known inertia; else a single block */
  bool contacts;
  bool slides; /* one of the contacts is on its cone at the start */
} hn_run;

typedef struct hn_runs {
  int count, nlayer;
  /* [count] by layers, the longest first, of equally long ones those that slide; room for max_size.blocks */
  hn_run *run;
  int *start;    /* [nlayer + 1] first run of each layer */
  hn_run *found; /* [count] in the order of the problem; then scratch */
  int *layer;    /* [count] layer of each */
  int *place;    /* [HN_MAX_RUN nlayer + 1] for sorting */
  int *next;     /* [nbody] first layer free for each body */
} hn_runs;

/* Allocates room for problems up to MAX_SIZE among ARRAYS. */
void hn_runs_setup(hn_runs *runs, const hn_problem_size *max_size, hn_arrays *arrays);
/* Finds the runs and layers of PROBLEM, which starts from the impulses P. */
void hn_runs_find(hn_runs *runs, const hn_problem *problem, const double *p);

#endif
