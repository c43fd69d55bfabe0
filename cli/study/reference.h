/* reference.h - where the motion comes from that errors are measured against. */
#ifndef HN_CLI_REFERENCE_H
#define HN_CLI_REFERENCE_H

#include "cli/study/reference_distance.h"
#include "cli/study/study_runs.h"

/* Each returns 1 when there is a reference, 0 when there is none, -1 on error. */
/* Of the scene: at the end, and where the norm is over the motion at all times. */
int cli_reference_scene(cli_reference *reference, hn_scene *scene, cli_norm norm, double duration,
                        hn_error *error);
int cli_reference_run(cli_reference *reference, const cli_plan *plan, hn_error *error);
/* A run whose step is halved, from that of PLAN on and at the end at most FINEST, until it is as good as halving makes
 * it, with its uncertainty. */
int cli_reference_halve(cli_reference *reference, const cli_plan *plan, double finest, hn_error *error);
/* The one that studies use: the scene's, where it has an answer at DURATION; else a run of lagrange with rk8pd and
 * projection, or of moreau where shapes collide, halved from STEP down to a sixteenth of it, and to half of FINEST, the
 * smallest step it is to judge. Where halving brings runs of moreau no nearer to each other there is none. Its motion
 * is kept in TRACK numbers, a frame every STEP at most; 0: it is not. */
int cli_reference_make(cli_reference *reference, hn_scene *scene, cli_norm norm, double step, double finest,
                       double duration, size_t track, hn_error *error);
/* The latter of these, whatever the scene has. */
int cli_reference_trusted(cli_reference *reference, hn_scene *scene, double step, double finest,
                          double duration, size_t track, hn_error *error);
int cli_reference_file(cli_reference *reference, const cli_plan *plan, const char *path, hn_error *error);
/* Where the norm is over the motion: makes that of the reference at the times of the run PLAN, which asks for no more
 * than its step, duration and scene; nothing is done when it is there. The reference that was run is run again, with
 * steps that come to these times. -1 on error. */
int cli_reference_prepare(cli_reference *reference, const cli_plan *plan, hn_error *error);
const char *cli_reference_text(const cli_reference *reference); /* its name, or that there is none */
void cli_reference_free(cli_reference *reference);

#endif
