/* sleeping.h - sleeping bodies: bodies at rest for long enough are not moved until they are woken. */
#ifndef HN_SLEEPING_H
#define HN_SLEEPING_H

#include "contact.h"
#include "solver.h"

typedef struct hn_sleeping {
  double sleep, speed; /* s: time at rest before sleep; m/s: largest speed of a body at rest */
  /* [8 nbody] time at rest, sleep flag and acceleration at falling asleep of each body; NULL: off */
  double *memory;
  int nbody;
  int *island;       /* [nbody] parent in the union-find forest of islands; roots are their own parents */
  bool *left_out;    /* [max_blocks] blocks of sleeping bodies */
  bool any;          /* some body is asleep */
  hn_problem *awake; /* problem of the other blocks, with its own rows */
  double *G, *T, *p; /* [12, 12, 1 max_rows] of `awake` */
} hn_sleeping;

#define HN_SLEEPING_PARAMS(data, field)                                                                  \
  { "sleep",                                                                                             \
    HN_REAL,                                                                                             \
    offsetof(data, field) + offsetof(hn_sleeping, sleep),                                                \
    "0",                                                                                                 \
    0,                                                                                                   \
    1e9,                                                                                                 \
    "s",                                                                                                 \
    NULL,                                                                                                \
    "time at rest after which a body and all it touches sleep until something wakes them; 0: never" },   \
  {                                                                                                      \
    "sleep_speed", HN_REAL, offsetof(data, field) + offsetof(hn_sleeping, speed), "0.01", 0, 1e9, "m/s", \
      NULL, "root mean square speed up to which a body is at rest"                                       \
  }

int hn_sleeping_setup(hn_solver *solver, hn_sleeping *rest, hn_error *error);
void hn_sleeping_free(hn_sleeping *rest);
void hn_sleeping_reset(hn_sleeping *rest);
void *hn_sleeping_memory(hn_sleeping *rest, size_t *size);
/* Starts a step, with biases up to date: wakes bodies from STATE and the unconstrained ACCELERATION[nbody],
 * and lists the blocks of sleeping bodies. Returns the number of sleeping bodies. */
int hn_sleeping_begin(hn_sleeping *rest, const hn_system *s, const hn_state *state,
                      const hn_twist *acceleration);
/* Sets the velocities of sleeping bodies to zero. */
void hn_sleeping_stop_bodies(const hn_sleeping *rest, hn_state *state);
/* Lists the blocks of sleeping bodies anew, as new contacts may wake some. Returns the number of sleeping
 * bodies. */
int hn_sleeping_list(hn_sleeping *rest, const hn_system *s);
/* Solves PROBLEM for the blocks of awake bodies with SOLVER; p of the others is unchanged. */
hn_reason hn_sleeping_solve(hn_sleeping *rest, hn_contact_solver *solver, const hn_problem *problem,
                            double *p);
/* Ends a step of H: bodies at rest for long enough fall asleep, with ACCELERATION. */
void hn_sleeping_end(hn_sleeping *rest, const hn_system *s, double h, const hn_twist *acceleration,
                     hn_state *state);

#endif
