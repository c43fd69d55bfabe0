/* track_answer.h - the motion that a scene says its bodies have, kept to be shown. */
#ifndef HN_CLI_TRACK_ANSWER_H
#define HN_CLI_TRACK_ANSWER_H

#include "cli/study/reference_distance.h"
#include "scene.h"

/* Keeps in REFERENCE, which is the scene's, where SCENE has its bodies up to DURATION, every STEP or less often, in
 * TRACK numbers. -1 when the scene's function fails. */
int cli_track_answer(cli_reference *reference, hn_scene *scene, double step, double duration, size_t track,
                     hn_error *error);

#endif
