/* scene_answer.h - the reference motion of a scene. */
#ifndef CLI_SCENE_ANSWER_H
#define CLI_SCENE_ANSWER_H

#include "cli/study/reference_distance.h"
#include "scene.h"

/* Coverage of a reference: quantities known at all, and bodies that lack a quantity at some time. */
typedef struct cli_coverage {
  bool any[CLI_FORCE];
  bool *lacks[CLI_FORCE]; /* [nbody] */
} cli_coverage;

cli_coverage cli_coverage_create(int bodies); /* of zeros; free with cli_coverage_free */
void cli_coverage_free(cli_coverage *coverage);

/* Overwrites MOTION with the scene's reference where it is known. KNOWN, which may be NULL, collects the
 * coverage. Returns -1 if the scene's function fails. */
int cli_scene_motion(hn_scene *scene, cli_motion *motion, cli_coverage *known, hn_error *error);

/* Stores the motion of SCENE's reference up to DURATION in REFERENCE, every STEP or less often, in TRACK
 * numbers. Returns -1 if the scene's function fails. */
int cli_track_answer(cli_reference *reference, hn_scene *scene, double step, double duration, size_t track,
                     hn_error *error);

#endif
