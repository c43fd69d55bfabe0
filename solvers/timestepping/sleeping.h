/* sleeping.h - bodies that sleep: what rests long enough is not moved until something wakes it. */
#ifndef HN_SLEEPING_H
#define HN_SLEEPING_H

#include "contact.h"
#include "solver.h"

typedef struct hn_rest {
  double sleep, speed; /* s at rest; m/s: what counts as rest */
  double *
    memory; /* what is remembered, [8 nbody]: for each body s at rest, whether it sleeps, and the acceleration
                   * with which it fell asleep; NULL: nothing sleeps */
  int nbody;
  int *island;       /* [nbody] another body of the same one, or itself */
  bool *left_out;    /* [most_blocks] blocks of bodies that sleep */
  bool any;          /* are there any? */
  hn_problem *awake; /* the other blocks, with rows of their own: */
  double *G, *T, *p; /* [12, 12, 1 most_rows] */
} hn_rest;

#define HN_REST_PARAMS(data, field)                                                                         \
  { "sleep",                                                                                                \
    HN_REAL,                                                                                                \
    offsetof(data, field) + offsetof(hn_rest, sleep),                                                       \
    "0",                                                                                                    \
    0,                                                                                                      \
    1e9,                                                                                                    \
    "s",                                                                                                    \
    NULL,                                                                                                   \
    "what has rested so long, with all that it touches, is not moved until something wakes it; 0: never" }, \
  {                                                                                                         \
    "sleep_speed", HN_REAL, offsetof(data, field) + offsetof(hn_rest, speed), "0.01", 0, 1e9, "m/s", NULL,  \
      "root mean square speed of a body, below which it rests"                                              \
  }

int hn_rest_setup(hn_solver *solver, hn_rest *rest, hn_error *error);
void hn_rest_free(hn_rest *rest);
void hn_rest_forget(hn_rest *rest);
void *hn_rest_memory(hn_rest *rest, size_t *size);
/* At the start of a step, with biases made, from STATE and ACCELERATION[nbody] without constraints: wakes what has to
 * wake, and lists the blocks of the others. Returns how many bodies sleep. */
int hn_rest_begin(hn_rest *rest, const hn_system *s, const hn_state *state, const hn_twist *acceleration);
/* What sleeps has no velocity. */
void hn_rest_hold(const hn_rest *rest, hn_state *state);
/* Lists the blocks of bodies that sleep among those that there are now, in which something may have come to touch them.
 * Returns how many bodies sleep. */
int hn_rest_list(hn_rest *rest, const hn_system *s);
/* SOLVER on the blocks of PROBLEM whose bodies are awake; p of the others stays. */
hn_reason hn_rest_solve(hn_rest *rest, hn_contact_solver *solver, const hn_problem *problem, double *p);
/* At the end of a step of H: what has rested long enough falls asleep, with ACCELERATION. */
void hn_rest_end(hn_rest *rest, const hn_system *s, double h, const hn_twist *acceleration, hn_state *state);

#endif
