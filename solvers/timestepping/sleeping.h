/* sleeping.h - sleeping bodies: bodies at rest for long enough are not moved until they are woken. */
#ifndef HN_SLEEPING_H
#define HN_SLEEPING_H

#include "contact.h"
#include "solver.h"

typedef struct hn_rest {
  double sleep, speed; /* s: time at rest before sleep; m/s: largest speed of a body at rest */
  /* [8 nbody] time at rest, sleep flag and acceleration at falling asleep of each body; NULL: off */
  double *memory;
  int nbody;
  int *island;       /* [nbody] parent in the union-find forest of islands; roots are their own parents */
  bool *left_out;    /* [most_blocks] blocks of sleeping bodies */
  bool any;          /* some body is asleep */
  hn_problem *awake; /* problem of the other blocks, with its own rows */
  double *G, *T, *p; /* [12, 12, 1 most_rows] of `awake` */
} hn_rest;

#define HN_REST_PARAMS(data, field)                                                                        \
  { "sleep",                                                                                               \
    HN_REAL,                                                                                               \
    offsetof(data, field) + offsetof(hn_rest, sleep),                                                      \
    "0",                                                                                                   \
    0,                                                                                                     \
    1e9,                                                                                                   \
    "s",                                                                                                   \
    NULL,                                                                                                  \
    "time at rest after which a body and all it touches sleep until something wakes them; 0: never" },     \
  {                                                                                                        \
    "sleep_speed", HN_REAL, offsetof(data, field) + offsetof(hn_rest, speed), "0.01", 0, 1e9, "m/s", NULL, \
      "root mean square speed up to which a body is at rest"                                               \
  }

int hn_rest_setup(hn_solver *solver, hn_rest *rest, hn_error *error);
void hn_rest_free(hn_rest *rest);
void hn_rest_forget(hn_rest *rest);
void *hn_rest_memory(hn_rest *rest, size_t *size);
/* Starts a step, with biases up to date: wakes bodies from STATE and the unconstrained ACCELERATION[nbody],
 * and lists the blocks of sleeping bodies. Returns the number of sleeping bodies. */
int hn_rest_begin(hn_rest *rest, const hn_system *s, const hn_state *state, const hn_twist *acceleration);
/* Sets the velocities of sleeping bodies to zero. */
void hn_rest_hold(const hn_rest *rest, hn_state *state);
/* Lists the blocks of sleeping bodies anew, as new contacts may wake some. Returns the number of sleeping
 * bodies. */
int hn_rest_list(hn_rest *rest, const hn_system *s);
/* Solves PROBLEM for the blocks of awake bodies with SOLVER; p of the others is unchanged. */
hn_reason hn_rest_solve(hn_rest *rest, hn_contact_solver *solver, const hn_problem *problem, double *p);
/* Ends a step of H: bodies at rest for long enough fall asleep, with ACCELERATION. */
void hn_rest_end(hn_rest *rest, const hn_system *s, double h, const hn_twist *acceleration, hn_state *state);

#endif
