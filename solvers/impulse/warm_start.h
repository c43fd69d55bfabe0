/* warm_start.h - initial guess of the joint correction: the impulses of the last two steps, extrapolated. */
#ifndef HN_WARM_START_H
#define HN_WARM_START_H

#include "holonom.h"

/* The memory is one array of doubles: the step size of the last steps, their count (0 to 2), the index of the
 * newer list of impulses, and the two lists [max_rows]. */
typedef struct hn_guess {
  int kind;               /* parameter first_guess; 0: start from zero */
  double *memory;         /* NULL: no guess */
  hn_twist *twist_before; /* [nbody] velocities before the guess */
  size_t rows;
  bool used;
} hn_guess;

#define HN_GUESS_PARAM(data, field)                                                                         \
  {                                                                                                         \
    "first_guess", HN_CHOICE, offsetof(data, field) + offsetof(hn_guess, kind), "extrapolated", 0, 0, "",   \
      "zero,extrapolated", "of the impulses of the joint correction; extrapolated: from the last two steps" \
  }

/* Allocates the memory of the guess. There is none for kind 0, for models with sets, whose impulses are not
 * smooth in time, and for a REDUNDANCY policy that may choose among impulses. */
int hn_guess_setup(hn_solver *solver, hn_guess *guess, int redundancy, hn_error *error);
void hn_guess_reset(hn_guess *guess);
/* Returns the memory and its SIZE in bytes. */
void *hn_guess_memory(hn_guess *guess, size_t *size);
/* Applies the extrapolated impulses to the velocities of STATE, at the start of the joint correction of a
 * step of H. */
void hn_guess_apply(hn_solver *solver, hn_guess *guess, double h, hn_state *state);
/* Adds SCALE p to the impulses of the step. */
void hn_guess_record(hn_guess *guess, const double *p, double scale);
/* Returns all impulses of the step so far, the guess included; NULL without memory. */
const double *hn_guess_total(const hn_guess *guess);
/* Restores the velocities before the guess, after a correction that failed; false if it had started from
 * zero. */
bool hn_guess_withdraw(hn_guess *guess, hn_state *state);
/* Stores the impulses of a correction that converged. */
void hn_guess_store(hn_guess *guess, double h);

#endif
