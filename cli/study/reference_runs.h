/* reference_runs.h - references by runs of a solver. */
#ifndef HN_CLI_REFERENCE_RUNS_H
#define HN_CLI_REFERENCE_RUNS_H

#include "cli/study/reference_distance.h"
#include "cli/study/study_runs.h"

/* Each of the following functions returns 1 if there is a reference, 0 if there is none, -1 on error. */
/* Uses a single run of PLAN. */
int cli_reference_run(cli_reference *reference, const cli_plan *plan, hn_error *error);
/* Makes a reference by runs of the solver that suits the scene: lagrange with rk8pd and projection; events
 * with it, else moreau, where there are contacts, limits or friction of joints. Its step is halved from STEP
 * down to a sixteenth of it, and to half of FINEST, the smallest step of the study. There is no reference if
 * runs do not converge. TRACK: numbers available for its motion, one frame every STEP at most; 0: it is not
 * kept. */
int cli_reference_trusted(cli_reference *reference, hn_scene *scene, double step, double finest,
                          double duration, size_t track, hn_error *error);
/* Makes a reference by runs of SPEC in the same way. */
int cli_reference_by(cli_reference *reference, hn_scene *scene, const char *spec, double step, double finest,
                     double duration, size_t track, hn_error *error);
/* Repeats the run of the reference with steps that reach the times of MOTION, APART seconds apart. */
int cli_reference_run_again(const cli_reference *reference, cli_motion *motion, const cli_plan *plan,
                            double apart, hn_error *error);

#endif
