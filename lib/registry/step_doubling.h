/* step_doubling.h - step size control by doubling, for any solver of fixed steps. Internal.
 *
 *   error = |x(one step of h) - x(two steps of h / 2)| / (2^p - 1)         p: order of the solver
 *   accept if error <= local max(h / span, impact_share)                   local, m: of the whole run
 *   h_new = 0.9 h (local h / (span error))^(1/p)                           between 0.2 h and 5 h
 *
 * The result is that of the two steps. A rejected part restores the state and all memory to the bit. The
 * errors of smooth motion so sum to `local` over the span of the run, whatever the size of its parts. A part
 * with an impact has an error of the order h, which no h brings below its share h / span: it is divided until
 * its error is within a fixed share of `local`. Two steps may put an impact at the same place as one step, so
 * a jump of velocities counts as an error too: by the mean distance h / 4 of the impact from its place.
 *
 * Errors of parts grow or decay until the end of the run. `local` is therefore not `tolerance`, the error
 * allowed at the end: the run finds it by pilot runs (run/error_control.h). */
#ifndef HN_STEP_DOUBLING_H
#define HN_STEP_DOUBLING_H

#include "solver.h"

/* The parameter of a solver whose data has FIELD, a double; 0: steps of fixed size. */
#define HN_ERROR_TOLERANCE_PARAM(data, field)                                                     \
  {                                                                                               \
    "error_tolerance", HN_REAL, offsetof(data, field), "0", 0, 1, "m", NULL,                      \
      "position error allowed at the end of the run, by dividing steps; 0: steps are not divided" \
  }

/* Numbers that a solver carries from step to step, and into checkpoints. */
typedef struct hn_doubling_memory {
  double next;                 /* s: length of the next part; 0: the whole step */
  double local;                /* m: sum of errors of parts allowed over the span */
  double span;                 /* s: duration of the run; 0: that of each step */
  double sum, by_jumps;        /* m: sums of the errors of accepted parts so far, and of those by jumps */
  double shortest;             /* s: the shortest accepted part; 0: none yet */
  double length, square;       /* s, s^2: sums of the lengths of accepted parts, and of their squares */
  uint64_t accepted, rejected; /* parts so far */
  /* the last pilot run: its local tolerance, m (0: none), its estimated error at the end, m; their number */
  double pilot, pilot_error;
  uint64_t pilots;
  double end[]; /* [3 nbody] m: positions at its end */
} hn_doubling_memory;

typedef struct hn_step_doubling {
  double tolerance; /* m: error allowed at the end of the run */
  bool jumps;       /* velocities can jump inside a part: the solver does not locate impacts */
  hn_doubling_memory *memory;
  size_t size; /* of the memory, bytes */
  hn_state *start, *whole, *middle;
  double *multipliers;    /* [max_rows] at the start of a part */
  double *reach;          /* [nbody] m: largest radius of gyration */
  void *kept;             /* memory of the solver at the start of a part */
  double begin, step;     /* s: start and size of the step */
  hn_report failed;       /* of the last rejected part */
  double error, by_jumps; /* m: of the last part; by jumps of velocities alone */
} hn_step_doubling;

/* To be called in setup: the steps of SOLVER are divided such that the error at the end of the run is about
 * TOLERANCE, m. No effect if it is 0. LOCATES_IMPACTS: the solver finds the times of impacts itself. */
int hn_doubling_setup(hn_solver *solver, double tolerance, bool locates_impacts, hn_error *error);
void hn_doubling_free(hn_step_doubling *d);
/* Forgets all but the settings. */
void hn_doubling_reset(hn_step_doubling *d);
/* Copies tolerances and counts to a solver whose model is an edit of FROM's. */
void hn_doubling_carry(const hn_step_doubling *from, hn_step_doubling *to);
/* Advances STATE by H in parts, within the step of the framework. */
hn_reason hn_doubling_step(hn_solver *solver, hn_state *state, double h);

#endif
