/* scene_answer.h - what a scene knows of its own motion. */
#ifndef CLI_SCENE_ANSWER_H
#define CLI_SCENE_ANSWER_H

#include "cli/study/sampled_motion.h"
#include "scene.h"

/* What the scene has told: of a quantity anything at all, and of which bodies not at some time. */
typedef struct cli_knowledge {
  bool any[CLI_FORCE];
  bool *lacks[CLI_FORCE]; /* [nbody] */
} cli_knowledge;

/* Puts what the scene knows at the times of MOTION in place of what that has. KNOWN, of zeros, takes what was told; it
 * may be NULL. -1 when the scene's function fails. */
int cli_answer(hn_scene *scene, cli_motion *motion, cli_knowledge *known, hn_error *error);

#endif
