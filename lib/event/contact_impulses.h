/* contact_impulses.h - the impulses of all contacts in a step (solver.h: hn_contact_impulse). Internal.
 *
 * A solver notes the impulses where it applies them: at impacts, in parts of the step, and at the poses of
 * that time. Solvers that note none apply the impulses of the contacts in the state, at the start of the
 * step. All functions do nothing if the impulses are not kept. */
#ifndef HN_CONTACT_IMPULSES_H
#define HN_CONTACT_IMPULSES_H

#include "solver.h"

void hn_impulses_free(struct hn_contact_impulses *list);
/* Begins a step: no impulses. */
void hn_impulses_begin(hn_solver *solver);
/* Ends a step at STATE: adds the contacts of STATE without an impulse, and orders all by their keys. Returns
 * HN_NO_MEMORY if there was no room for all. */
hn_reason hn_impulses_end(hn_solver *solver, const hn_state *state);

/* Notes the impulses P[nrow] of all contacts, or P[n] of block K, along the axes at STATE, where the contacts
 * of the system were listed. */
void hn_impulses_note(hn_solver *solver, const hn_state *state, const double *p);
void hn_impulses_note_block(hn_solver *solver, int k, const hn_state *state, const double *p);
/* Notes the impulse FORCE[3] on body b and the moments MOMENT_A[3] and MOMENT_B[3] of CONTACT at STATE, world
 * axes. */
void hn_impulses_note_wrench(hn_solver *solver, const hn_contact *contact, const hn_state *state,
                             const double force[3], const double moment_a[3], const double moment_b[3]);
/* Begins a part of the step. Not called: the step is one part. */
void hn_impulses_begin_part(hn_solver *solver);
/* Ends the part from START to STATE: adds the contacts of STATE with their impulses, unless the solver has
 * noted them. */
void hn_impulses_end_part(hn_solver *solver, const hn_state *start, const hn_state *state);
/* Returns a mark behind the impulses so far, and takes back those since a mark, for a part of the step that
 * is repeated. */
int hn_impulses_mark(hn_solver *solver);
void hn_impulses_take_back(hn_solver *solver, int mark);

#endif
