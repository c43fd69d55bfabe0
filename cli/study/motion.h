/* motion.h - the motion that a scene says its bodies have. */
#ifndef HN_CLI_MOTION_H
#define HN_CLI_MOTION_H

#include "cli/study/distance.h"
#include "scene.h"

/* Keeps in REFERENCE, which is the scene's, where SCENE has its bodies up to DURATION, every STEP or less often, in
 * TRACK numbers. 1, or -1 on error. */
int cli_reference_motion(cli_reference *reference, hn_scene *scene, double step, double duration, size_t track,
                         hn_error *error);

#endif
