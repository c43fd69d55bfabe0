/* warm_start.h - where the joint correction starts: the impulses of the last two steps, extrapolated. */
#ifndef HN_WARM_START_H
#define HN_WARM_START_H

#include "holonom.h"

/* What is remembered from step to step is one piece of plain memory, of doubles:
 * h of the last steps, how many there are of it, which of two lists of impulses is of the last one, and these
 * [most_rows]. */
typedef struct hn_guess {
  int kind;        /* parameter first_guess: 0 starts at zero */
  double *memory;  /* NULL: nothing is remembered */
  hn_twist *given; /* [nbody] before the guess */
  size_t rows;
  bool used;
} hn_guess;

#define HN_GUESS_PARAM(data, field)                                                                         \
  {                                                                                                         \
    "first_guess", HN_CHOICE, offsetof(data, field) + offsetof(hn_guess, kind), "extrapolated", 0, 0, "",   \
      "zero,extrapolated", "of the impulses of the joint correction; extrapolated: from the last two steps" \
  }

/* Nothing for kind 0, nor where impulses are not a smooth function of time: of sets, whose rows act or do not, and
 * where REDUNDANCY, the policy, may choose among them. */
int hn_guess_setup(hn_solver *solver, hn_guess *guess, int redundancy, hn_error *error);
void hn_guess_free(hn_guess *guess);
void hn_guess_forget(hn_guess *guess);
/* The memory as one piece of SIZE bytes. */
void *hn_guess_memory(hn_guess *guess, size_t *size);
/* At the start of the joint correction of a step of H: gives the bodies of STATE what is expected. */
void hn_guess_open(hn_solver *solver, hn_guess *guess, double h, hn_state *state);
/* Notes that P times SCALE was applied. */
void hn_guess_add(hn_guess *guess, const double *p, double scale);
/* All that was applied so far, guessed or not; NULL where nothing is remembered. */
const double *hn_guess_total(const hn_guess *guess);
/* The joint correction has failed: takes back all that was applied; false when it began at zero. */
bool hn_guess_withdraw(hn_guess *guess, hn_state *state);
/* It has converged: what it came to is remembered. */
void hn_guess_close(hn_guess *guess, double h);

#endif
