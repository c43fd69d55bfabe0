/* step_halving.h - a step that stalls is restored and repeated as two halves, recursively. */
#ifndef HN_STEP_HALVING_H
#define HN_STEP_HALVING_H

#include "holonom.h"

enum { HN_MAX_HALVINGS = 20 };

typedef struct hn_halving {
  int limit;                        /* a step may be divided into 2^limit parts; 0: never */
  hn_state *start[HN_MAX_HALVINGS]; /* [limit] states at the start of the steps being divided */
} hn_halving;

#define HN_HALVING_PARAM(data, field)                                                                     \
  {                                                                                                       \
    "halvings", HN_INTEGER, offsetof(data, field) + offsetof(hn_halving, limit), "0", 0, HN_MAX_HALVINGS, \
      "", NULL, "halve a step that stalls, up to this often in a row; recorded"                           \
  }

int hn_halving_setup(hn_solver *solver, hn_halving *halving, hn_error *error);
/* Advances STATE by STEP over h: over equal parts in which bodies in contact turn far (turn_limit.h), and
 * over halves where STEP stalls. */
hn_reason hn_halving_step(hn_solver *solver, hn_halving *halving, hn_state *state, double h,
                          hn_reason (*step)(hn_solver *solver, hn_state *state, double h));

#endif
