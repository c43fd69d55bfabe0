/* active_set.h - the active set of the impulse step with one linear system: the rows treated as equations. */
#ifndef HN_ACTIVE_SET_H
#define HN_ACTIVE_SET_H

#include "holonom.h"

typedef struct hn_active {
  signed char
    /* [max_rows] 0: row held (active); -1, 1: impulse at the lower, upper bound. Kept from step to step;
     * NULL if the model has equations only */
    *side;
  double *impulse;            /* [max_rows] impulses of the step on rows with a set */
  double *joint_correction;   /* [max_rows] the part of `impulse` due to the joint correction */
  int changes;                /* updates of the set in this step */
  int fewest_wrong, patience; /* smallest number of wrong rows so far; updates left to reduce it */
} hn_active;

/* The phase of a step in which the set is updated: the joint correction, judged by the residuals s->g at the
 * end of the step, or the velocity correction, judged by the rates of the rows. */
typedef enum hn_active_phase { HN_AT_POSITIONS, HN_AT_VELOCITIES } hn_active_phase;
typedef enum hn_active_change { HN_ACTIVE_SAME, HN_ACTIVE_CHANGED, HN_ACTIVE_CYCLE } hn_active_change;

int hn_active_setup(hn_solver *solver, hn_active *active, hn_error *error);
/* Restores the set of a new run. */
void hn_active_reset(hn_solver *solver, hn_active *active);
/* Starts a step: holds the rows that were held before, with zero impulses. */
void hn_active_begin(hn_solver *solver, hn_active *active, const hn_state *state);
/* Starts a phase of a step of H: applies the impulses of the rows that are at their bounds. The velocity
 * correction may be started again with other velocities, from the impulses that
 * hn_active_end_joint_correction has stored. */
void hn_active_apply_bounds(hn_solver *solver, hn_active *active, hn_active_phase phase, double h,
                            hn_state *state);
/* Stores the impulses of the joint correction, which has ended. */
void hn_active_end_joint_correction(hn_solver *solver, hn_active *active);
/* Adds SCALE p to the recorded impulses of the rows that are held. */
void hn_active_record(hn_solver *solver, hn_active *active, const double *p, double scale);
/* Updates the active set after a solve for the held rows. RATE[nrow] are rates less targets, or at positions
 * the residuals, which count as wrong beyond TOLERANCE. The resulting changes of impulses are applied to
 * STATE. */
hn_active_change hn_active_update(hn_solver *solver, hn_active *active, hn_active_phase phase, double h,
                                  double tolerance, const double *rate, hn_state *state);

#endif
