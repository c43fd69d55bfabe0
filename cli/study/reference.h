/* reference.h - finds or computes the motion that errors are measured against. */
#ifndef HN_CLI_REFERENCE_H
#define HN_CLI_REFERENCE_H

#include "cli/study/reference_distance.h"
#include "cli/study/study_runs.h"

/* Each of the following functions returns 1 if there is a reference, 0 if there is none, -1 on error. */
/* Uses the scene's reference: at the end, and at all times if the norm covers the motion. */
int cli_reference_scene(cli_reference *reference, hn_scene *scene, cli_norm norm, double duration,
                        hn_error *error);
/* Reads the JSON of an earlier `run`. */
int cli_reference_file(cli_reference *reference, const cli_plan *plan, const char *path, hn_error *error);
/* Kinds of --reference: nothing given, `none`, `scene`, a file, or a solver. */
typedef enum cli_reference_kind {
  CLI_REFERENCE_BEST,
  CLI_REFERENCE_NONE,
  CLI_REFERENCE_SCENE,
  CLI_REFERENCE_FILE,
  CLI_REFERENCE_SPEC
} cli_reference_kind;
cli_reference_kind cli_reference_kind_of(const char *wanted);
/* Returns -1 with a message if WANTED is not valid with NORM. */
int cli_reference_check(const char *wanted, hn_scene *scene, cli_norm norm, hn_error *error);
/* Finds the reference WANTED for the runs of PLAN if that needs no run: the scene's, or a file. 0: it needs
 * one, or is `none`. */
int cli_reference_known(cli_reference *reference, const char *wanted, const cli_plan *plan, cli_norm norm,
                        hn_error *error);
/* Makes the reference WANTED by runs, the largest step that of PLAN; 0 for those that need none. */
int cli_reference_wanted(cli_reference *reference, const char *wanted, const cli_plan *plan, cli_norm norm,
                         double finest, hn_error *error);
/* Adds the motion of the reference at the times of the run PLAN, if the norm needs it and it is not there;
 * only step, duration and scene of PLAN are used. A reference by runs is computed again, with steps that
 * reach these times. Returns -1 on error. */
int cli_reference_prepare(cli_reference *reference, const cli_plan *plan, hn_error *error);
/* Returns the name of the reference, or an explanation why there is none. */
const char *cli_reference_text(const cli_reference *reference);

#endif
