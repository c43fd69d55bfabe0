/* active_set.h - which rows act as equations, in the impulse step with one linear system: an active set. */
#ifndef HN_ACTIVE_SET_H
#define HN_ACTIVE_SET_H

#include "holonom.h"

typedef struct hn_active {
  signed char
    *side; /* [most_rows] 0: the row is held; -1, 1: its impulse is at the lower, the upper bound. It is what
                      * is remembered from step to step; NULL when the model has equations alone */
  double *impulse;      /* [most_rows] of this step, on rows with a set */
  double *first;        /* [most_rows] what of it the joint correction gave */
  int changes;          /* of this step */
  int fewest, patience; /* wrong rows at best; tries left to have fewer of them */
} hn_active;

/* When it is asked which rows are wrong: in the joint correction, with s->g for the end of the step, or in the velocity
 * correction, with the rates that the rows have now. */
typedef enum hn_active_phase { HN_AT_POSITIONS, HN_AT_VELOCITIES } hn_active_phase;
typedef enum hn_active_change { HN_ACTIVE_SAME, HN_ACTIVE_CHANGED, HN_ACTIVE_CYCLE } hn_active_change;

int hn_active_setup(hn_solver *solver, hn_active *active, hn_error *error);
void hn_active_free(hn_active *active);
/* As before the first step. */
void hn_active_forget(hn_solver *solver, hn_active *active);
/* At the start of a step: holds the rows that were held, without impulses. */
void hn_active_begin(hn_solver *solver, hn_active *active, const hn_state *state);
/* At the start of a phase of a step of H: gives the rows at their bounds the impulses of these. The velocity correction
 * may start again, with other velocities: from what hn_active_settle has noted. */
void hn_active_push(hn_solver *solver, hn_active *active, hn_active_phase phase, double h, hn_state *state);
/* The joint correction has ended: what comes now is the velocity correction's. */
void hn_active_settle(hn_solver *solver, hn_active *active);
/* Notes that P times SCALE was applied. */
void hn_active_add(hn_solver *solver, hn_active *active, const double *p, double scale);
/* Solved for the rows that are held: changes those that are wrong; RATE[nrow] are their rates less the targets (at
 * positions: residuals, which are wrong beyond TOLERANCE). What a row loses or gains by it is applied to STATE. */
hn_active_change hn_active_choose(hn_solver *solver, hn_active *active, hn_active_phase phase, double h,
                                  double tolerance, const double *rate, hn_state *state);

#endif
