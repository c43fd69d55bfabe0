/* moreau_parts.h - data and functions shared by the parts of the solver moreau. Internal. */
#ifndef HN_MOREAU_PARTS_H
#define HN_MOREAU_PARTS_H

#include "contact.h"
#include "parts.h"
#include "solver.h"

enum { NONE, BAUMGARTE, PROJECTION }; /* stabilisation */
enum { MAY_CLOSE, VELOCITIES, WAIT }; /* open_gaps */
enum { AT_ONCE, GUENDELMAN, CHAIN };  /* sequence */
enum { BY_STEPS, BY_SWEEPS };         /* static_friction */
enum { FLIGHT, CAYLEY, EXACT };       /* turn */

static const hn_set hn_moreau_no_impulse = { .kind = HN_WITHIN }; /* allows zero impulses only */

/* Rates within this multiple of the contact tolerance count as zero. */
static const double hn_moreau_margin = 10.0;

typedef struct hn_moreau {
  hn_contact_options contact;
  double contact_limit; /* m/s: residual of a stalled contact problem with which a step goes on */
  double theta, erp, slop, max_speed;
  int open_gaps, stabilisation, warm_start, sequence, static_friction, turn;
  hn_gap_projection gaps; /* projection of positions */
  hn_sleeping rest;
  double error_tolerance;             /* m, at the end of the run */
  hn_contact_solver *velocity_solver; /* contact solver for velocities */
  hn_problem *problem;
  hn_twist *acceleration;     /* [nbody] */
  hn_twist *flight_start;     /* [nbody] velocities at the start of the flight */
  hn_state *flight_end;       /* orientations and angular velocities at its end */
  const hn_state *start;      /* motion at the start of the step, in solver->backup or own_start */
  hn_state *own_start, *work; /* the latter: scratch */
  double *p, *impact, *v;     /* [max_rows] p, p1, and rates of the present solution */
  double *initial_rate;       /* [max_blocks] v- of open gaps */
  double *force_rate;         /* [max_rows] h G a: change of rates by forces */
  double *scratch;            /* [6 nbody] */
} hn_moreau;

/* ---- Velocities (moreau_velocities.c) ------------------------------------------------------------------ */

/* Returns d of row 0 of a block that can be open, with gap G. The TARGET of an impact is in b already. */
double hn_moreau_gap_term(const hn_moreau *moreau, double g, double rate, double target, double h);
/* Adds d of all blocks to b of the problem. */
void hn_moreau_add_gap_terms(hn_solver *solver, double h);
/* Stores the rates of open gaps before the step, without targets. */
void hn_moreau_store_rates(hn_solver *solver, const hn_state *state);
/* Computes the accelerations, and u + h a in STATE; with turn=flight also the flight of a step of h. */
void hn_moreau_free_velocities(hn_solver *solver, double h, hn_state *state);
/* Computes u+ = u + (h a + W G' p) from the start of the step. */
void hn_moreau_end_velocities(const hn_moreau *moreau, hn_system *system, double h, hn_state *state);

/* Solves the problem posed last, from the impulses in p. */
hn_reason hn_moreau_solve(hn_solver *solver, double *p);

/* ---- Impacts before contacts (moreau_impacts.c) -------------------------------------------------------- */

/* Computes the impacts p1 of a sequence, before forces or, in a chain, at the middle of the step until none
 * is left. STATE gets the velocities after them. */
hn_reason hn_moreau_impacts(hn_solver *solver, hn_state *state, double h);

#endif
