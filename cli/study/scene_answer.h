/* scene_answer.h - the reference motion of a scene. */
#ifndef CLI_SCENE_ANSWER_H
#define CLI_SCENE_ANSWER_H

#include "cli/study/reference_distance.h"
#include "scene.h"

/* Overwrites MOTION with the scene's reference where it is known, and marks in motion->has the quantities
 * known at all its times. ANY, which may be NULL, receives the quantities known of any body at any time.
 * Returns 1 if there are any, 0 if not, -1 if the scene's function fails. */
int cli_scene_motion(hn_scene *scene, cli_motion *motion, bool any[CLI_FORCE], hn_error *error);

/* Stores the motion of SCENE's reference up to DURATION in REFERENCE, every STEP or less often, in TRACK
 * numbers. Returns -1 if the scene's function fails. */
int cli_track_answer(cli_reference *reference, hn_scene *scene, double step, double duration, size_t track,
                     hn_error *error);

#endif
