/* error_control.h - pilot runs, by which a run ends with an error of about error_tolerance. Internal.
 *
 * The errors of the parts of a run sum to `local` (registry/step_doubling.h). Until the end of the run the
 * motion multiplies them by an unknown factor. Pilot runs over the whole duration measure it, before the
 * first step. Two runs with local tolerances of ratio 4 end at a distance of 3 times the error of the finer
 * one, because the error is proportional to the local tolerance. From it follows that of the run itself:
 *
 *   error = |x(4 local) - x(local)| / 3,   local_run = local (error_tolerance / 2) / error
 *
 * Where this is far from the tolerances of the pilot runs, they are repeated nearer to it. At the end of the
 * run its distance from the last pilot run is an estimate of the error, for the summary. Control and breakage
 * cannot be repeated: such runs use `local` = error_tolerance, and have no estimate. An impact falls into its
 * part by chance, and so does the distance of two runs: at least a quarter of the errors by jumps is assumed
 * to be left at the end. [Shampine, Numerical Solution of Ordinary Differential Equations, 1994, section 7:
 * proportionality of the error to the tolerance] */
#ifndef HN_ERROR_CONTROL_H
#define HN_ERROR_CONTROL_H

#include "run/runner_struct.h"

/* A scratch state and two arrays of positions for pilot runs; NULL if the solver has no error_tolerance. */
struct hn_pilot {
  hn_state *state;
  double *coarse, *fine; /* [3 nbody] m: ends of the last two pilot runs */
};

/* Allocates r->pilot if it is needed; -1 without memory. */
int hn_pilot_create(hn_runner *r, hn_error *error);
void hn_pilot_free(struct hn_pilot *pilot);
/* Makes the pilot runs before the first step, and sets the tolerances of the solver. Returns HN_INTERRUPTED
 * if the user stops them. */
hn_reason hn_runner_pilot(hn_runner *r);
/* Stores in the summary what the step control has done, and its estimate of the error at the end. */
void hn_runner_judge_error(hn_runner *r);

#endif
