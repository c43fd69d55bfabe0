/* reference.h - finds or computes the motion that errors are measured against. */
#ifndef HN_CLI_REFERENCE_H
#define HN_CLI_REFERENCE_H

#include "cli/study/reference_distance.h"
#include "cli/study/study_runs.h"

/* Each of the following functions returns 1 if there is a reference, 0 if there is none, -1 on error. */
/* Uses the scene's reference: at the end, and at all times if the norm covers the motion. */
int cli_reference_scene(cli_reference *reference, hn_scene *scene, cli_norm norm, double duration,
                        hn_error *error);
/* Uses a single run of PLAN. */
int cli_reference_run(cli_reference *reference, const cli_plan *plan, hn_error *error);
/* Makes the reference of a study: the scene's, if known at DURATION; else a run of lagrange with rk8pd and
 * projection, or of moreau where shapes collide. Its step is halved from STEP down to a sixteenth of it, and
 * to half of FINEST, the smallest step of the study. There is no reference if runs of moreau do not converge.
 * TRACK: numbers available for its motion, one frame every STEP at most; 0: the motion is not kept. */
int cli_reference_make(cli_reference *reference, hn_scene *scene, cli_norm norm, double step, double finest,
                       double duration, size_t track, hn_error *error);
/* Makes a reference by runs as above, whatever the scene knows. */
int cli_reference_trusted(cli_reference *reference, hn_scene *scene, double step, double finest,
                          double duration, size_t track, hn_error *error);
/* Reads the JSON of an earlier `run`. */
int cli_reference_file(cli_reference *reference, const cli_plan *plan, const char *path, hn_error *error);
/* Adds the motion of the reference at the times of the run PLAN, if the norm needs it and it is not there;
 * only step, duration and scene of PLAN are used. A reference by runs is computed again, with steps that
 * reach these times. Returns -1 on error. */
int cli_reference_prepare(cli_reference *reference, const cli_plan *plan, hn_error *error);
/* Returns the name of the reference, or an explanation why there is none. */
const char *cli_reference_text(const cli_reference *reference);
void cli_reference_free(cli_reference *reference);

#endif
