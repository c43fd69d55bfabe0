/* events.h - the state of the solver `events`, and the files that work on it: the step (state_machine.c),
 * mode selection (mode_selection.c), the motion from one event to the next with the location of the event
 * that ends it (trial.c), and what takes its place where none is found (time_stepping.c). Internal. */
#ifndef HN_EVENTS_H
#define HN_EVENTS_H

#include "events/events_parts.h"
#include "events/slow_slip.h"
#include "parts.h"
#include "event/contact_monitor.h"
#include "event/event_search.h"

/* Values of the parameter `creep`. */
enum { HN_CREEP_FOLLOWED, HN_CREEP_LED };

/* Scratch of motion_impulses.c. */
typedef struct hn_motion_impulses {
  hn_state *middle;            /* of a motion */
  hn_twist *at_start, *at_end; /* [nbody] accelerations */
  hn_twist *change;            /* [nbody] change of velocity in the motion */
  double *wrench;              /* [12] of a contact */
  double *p, *acts;            /* [max_rows] impulses; 1 for rows that act, else 0 */
  double *residual, *way, *v;  /* [max_rows] of the conjugate gradients */
} hn_motion_impulses;

/* State of the solver `events`. */
typedef struct hn_events {
  const char *inner;
  hn_impact impact; /* the law of accelerations has another contact solver with the same options */
  int most;         /* maximum number of events in a step */
  int creep;        /* treatment of slips that friction turns faster than a step can follow */
  hn_events_limits limits;
  char *spec; /* specification of the inner solver, with commas */
  hn_events_law law;
  hn_events_basis basis;
  hn_contact_monitor monitor; /* blocks at the last event; block i has role[i] */
  hn_contact_mode *modes_now; /* [max_blocks] their modes, for the monitor */
  hn_breakage breakage_state; /* joints that can break */
  hn_modes *modes;
  hn_mode *mode;       /* mode since the last event */
  bool follows;        /* the inner solver resolves turning slips by its own step control: no creep */
  bool mode_unchanged; /* the last event led to the same mode and had no impact */
  hn_role *role;       /* [max_blocks] roles at the last event */
  hn_role *now;        /* [max_blocks] roles of the present blocks */
  /* [max_blocks] closed contacts and limits; from mode selection on, those that do not separate; at a trial,
   * those that the law takes into account */
  bool *touches;
  hn_state *from, *trial; /* state at the last event; state at the trial */
  /* [3 max_blocks] N, world axes: forces of sticking contacts by the law at the last event */
  double *sticking_force;
  int *there;       /* [max_blocks] index of each present block at the last event; -1: none */
  double *external; /* [6 nbody] wrenches of trial contact forces */
  /* s: time of the trial after the last event, where the system is linearised; negative: no trial */
  double moved;
  bool lawless;           /* the mode has no forces but those of joints, whose law needs no solution */
  bool inner_failed;      /* the inner solver could not compute the last trial */
  hn_twist *acceleration; /* [nbody] accelerations of the mode */
  /* distance between the accelerations of motion and law less its tolerance, so motion and law differ if it
   * is positive; its negative is the event function of forces. NAN: unknown */
  double apart;
  int entering;           /* block whose redundant gap closes by its acceleration at the trial; -1: none */
  hn_event_search search; /* gaps, slips, bounds, breakage */
  hn_event_search forces; /* forces that leave their sets */
  hn_event_function_kind fired; /* of the last event */
  hn_travel travel;
  hn_motion_impulses impulses;
  hn_slow_slips slow;
  int steps_in_time;  /* flag: where no smooth motion is found, time stepping takes its place */
  hn_solver *stepper; /* that does it; NULL without the flag */
  double step;        /* s: the length of the step */
} hn_events;

/* Tolerance of equal accelerations, relative to the largest, or to 1 m/s^2. */
static const double hn_equal_acceleration = 1e-6;

/* Prepares the searches for events of hn_events; their memory is released by hn_event_search_free. */
int hn_events_search_setup(hn_solver *solver, hn_error *error);
/* Moves the trial from the last event to the next one, at most LEFT seconds ahead. GONE becomes the time
 * moved, s. EVENT: an event ended the motion. */
hn_reason hn_events_go(hn_solver *solver, double left, double *gone, bool *event);

/* Returns the largest difference between the accelerations ONE[nbody] and OTHER[nbody], relative to the
 * largest of ONE, or to 1 m/s^2. */
double hn_events_distance(const hn_twist *one, const hn_twist *other, int nbody);

/* True if forces are found that satisfy the law, posed for ROLE[nblock], with the accelerations of the mode
 * at the state of the last hn_mode_accelerate. They become law.p. The system must be linearised there, and
 * d->there set. */
bool hn_events_guess(hn_solver *solver, const hn_role *role);

/* ---- Mode selection (mode_selection.c) ----------------------------------------------------------------- */

/* True if block K is a contact with a normal impulse in STATE, hence active at the end of the previous
 * motion. */
bool hn_contact_pushes(const hn_system *system, int k, const hn_state *state);
/* Selects the roles and the mode at STATE, where the system is linearised, for a motion of at most LEFT
 * seconds. Closed blocks are in d->touches; those that separate are removed. STRUCK: there was an impact.
 * EVENT: there was an event, so velocities are projected onto the equations of the mode. */
hn_reason hn_events_select_mode(hn_solver *solver, bool struck, bool event, double left, hn_state *state);

/* ---- Impulses of contacts for records, if they are kept (motion_impulses.c) ---------------------------- */

int hn_motion_impulses_setup(hn_solver *solver, hn_motion_impulses *impulses, hn_error *error);
/* Notes those of the motion of S seconds to the trial. HOLDS: motion and law have the same accelerations
 * there, with forces law.p. */
hn_reason hn_motion_impulses_note(hn_solver *solver, double s, bool holds);
/* Notes those of the last hn_mode_project_velocities, at STATE. */
void hn_motion_impulses_note_projection(hn_solver *solver, const hn_state *state);

/* ---- Time stepping (time_stepping.c) ------------------------------------------------------------------- */

/* Creates the solver that does it, unless it is off; -1 on error. */
int hn_events_time_stepping_setup(hn_solver *solver, hn_error *error);
/* Moves STATE by S seconds by time stepping, in place of a smooth motion that was not found for REASON, and
 * counts this; with S = 0 nothing moves. Returns REASON if that is off or not possible; STATE is unchanged
 * then. */
hn_reason hn_events_step_in_time(hn_solver *solver, double s, hn_reason reason, hn_state *state);

/* ---- The step (state_machine.c) ------------------------------------------------------------------------ */

hn_reason hn_events_step(hn_solver *solver, hn_state *state, double h);

#endif
