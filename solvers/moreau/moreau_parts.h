/* moreau_parts.h - time stepping: what its parts share. Internal. */
#ifndef HN_MOREAU_PARTS_H
#define HN_MOREAU_PARTS_H

#include "contact.h"
#include "timestepping/gap_projection.h"
#include "timestepping/sleeping.h"
#include "solver.h"

enum { NONE, BAUMGARTE, PROJECTION }; /* stabilisation */
enum { MAY_CLOSE, VELOCITIES, WAIT }; /* open_gaps */
enum { AT_ONCE, GUENDELMAN, CHAIN };  /* sequence */
enum { BY_STEPS, BY_SWEEPS };         /* static_friction */
enum { FLIGHT, CAYLEY, EXACT };       /* turn */

static const hn_set hn_moreau_nothing = { .kind = HN_WITHIN }; /* of impulses: 0 alone */

typedef struct hn_moreau {
  hn_contact_options contact;
  double theta, erp, slop, max_speed;
  int open_gaps, stabilisation, warm_start, sequence, sticking, turn;
  hn_gaps gaps; /* the projection */
  hn_rest rest;
  hn_contact_solver *law; /* of velocities */
  hn_problem *problem;
  hn_twist *acceleration;        /* [nbody] */
  hn_twist *from;                /* [nbody] velocities with which the flight begins */
  hn_state *flown;               /* orientations and angular velocities after it */
  hn_state *start, *work;        /* the beginning of the step; velocities put aside */
  double *p, *impact, *rate, *v; /* [most_rows] p, p1, v-, and velocities for a judgement */
  double *push;                  /* [most_rows] h G a */
  double *scratch;               /* [6 nbody] */
} hn_moreau;

/* ---- Velocities (moreau_velocities.c) ----------------------------------------------------------------------------------- */

/* d of row 0 of a block that can be open, with its gap G. Of an impact the target is in b already. */
double hn_moreau_gap_shift(const hn_moreau *moreau, double g, double rate, double target, double h);
/* d of all blocks into b of the problem. */
void hn_moreau_shift(hn_solver *solver, double h);
/* Rates before the step, without targets, of open gaps: nobody asks for others. */
void hn_moreau_note_rates(hn_solver *solver, const hn_state *state);
/* Velocities of STATE by h times the accelerations. */
void hn_moreau_hasten(const hn_moreau *moreau, double h, hn_state *state);
/* u + h a from STATE, with the flight of a step of h. */
void hn_moreau_kick(hn_solver *solver, double h, hn_state *state);
/* u+ = u + (h a + W G' p) from the beginning of the step. */
void hn_moreau_accelerate(const hn_moreau *moreau, hn_system *system, double h, hn_state *state);

/* The problem that is posed, from the impulses in p. */
hn_reason hn_moreau_solve(hn_solver *solver, double *p);

/* ---- Impacts before contacts (moreau_impacts.c) ------------------------------------------------------------------------- */

/* Once before forces, or in a chain, in the middle of them, until none is left: p1, and STATE has their velocities. */
hn_reason hn_moreau_impacts(hn_solver *solver, hn_state *state, double h);

#endif
