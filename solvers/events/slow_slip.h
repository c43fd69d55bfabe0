/* slow_slip.h - slow slips, whose directions are planned: found in slow_slip.c, planned in slip_plan.c.
 * Internal. */
#ifndef HN_SLOW_SLIP_H
#define HN_SLOW_SLIP_H

#include "base/array.h"
#include "events/known.h"

/* The slow slips of a motion: friction turns them faster than an explicit inner solver can follow, or they
 * begin or end. */
typedef struct hn_slow_slips {
  int count, nodes;    /* number of slips; of nodes in time */
  hn_row_force **slip; /* [count] elements of mode->given */
  int *block;          /* [count] their blocks */
  bool *listed;        /* [count] */
  /* moves the bodies of the trial to S seconds after the last event; set before use */
  hn_reason (*carry)(hn_solver *solver, double s);
  double life;     /* s: a plan ends soon after the first expected end of a slip */
  double *push;    /* [count] N: largest friction; at first, m/s^2: its acceleration */
  double *gain;    /* [count] m/s^2: rate of the slip */
  double *kappa;   /* [count][count] m/s^2, 1 rad: see slow_slip.c */
  double *q, *r;   /* [count][nodes] tangents of directions; slips across them, m/s */
  double *forward; /* [count][nodes] m/s: slips along `along` */
  double *matrix;  /* [(count nodes)^2] of Newton's method */
  double *memory;  /* of the arrays above from kappa on, for `room` slips */
  int room;
  hn_twist *base;  /* [nbody] accelerations at the last event */
  double *on_body; /* [nbody] m/s^2: sum of push at its contacts */
  hn_arrays arrays;
} hn_slow_slips;

int hn_slow_slips_setup(hn_slow_slips *slow, const hn_system *system, hn_error *error);
void hn_slow_slips_free(hn_slow_slips *slow);
/* Lists the slow slips of a motion of `events`, SOLVER, from the last event on. *LENGTH, its duration, s,
 * becomes shorter if such a slip is expected to end before. */
void hn_slow_slips_find(hn_solver *solver, double *length);
/* Plans their directions for a motion of *LENGTH seconds. That becomes shorter where a direction turns too
 * far. Slips for which no plan is found are followed. */
hn_reason hn_slow_slips_plan(hn_solver *solver, double *length);

/* Computes the rates of the rows of SLIP at STATE. */
static inline void hn_slip_rates(const hn_row_force *slip, const hn_state *state, double rate[2])
{
  double G_a[6 * HN_MAX_ROWS], G_b[6 * HN_MAX_ROWS];
  hn_known_rates(slip, state, G_a, G_b, rate);
}

/* Return the components of V, along the tangents of SLIP, along its direction and across it. */
static inline double hn_slip_along(const hn_row_force *slip, const double v[2])
{
  return slip->along[0] * v[0] + slip->along[1] * v[1];
}

static inline double hn_slip_across(const hn_row_force *slip, const double v[2])
{
  return slip->along[0] * v[1] - slip->along[1] * v[0];
}

#endif
