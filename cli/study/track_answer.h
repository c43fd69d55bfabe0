/* track_answer.h - the motion of the scene's reference, for display. */
#ifndef HN_CLI_TRACK_ANSWER_H
#define HN_CLI_TRACK_ANSWER_H

#include "cli/study/reference_distance.h"
#include "scene.h"

/* Stores the motion of SCENE's reference up to DURATION in REFERENCE, every STEP or less often, in TRACK
 * numbers. Returns -1 if the scene's function fails. */
int cli_track_answer(cli_reference *reference, hn_scene *scene, double step, double duration, size_t track,
                     hn_error *error);

#endif
