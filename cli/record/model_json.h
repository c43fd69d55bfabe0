/* model_json.h - cli/record/: records of a run, checkpoints and the model as files. Uses cli/study/ and
 * cli/base/. */
#ifndef HN_CLI_MODEL_JSON_H
#define HN_CLI_MODEL_JSON_H

#include <jansson.h>
#include "scene.h"

/* Returns the model of SCENE at t = 0: bodies with their shapes, joints, forces. */
json_t *cli_json_model(const hn_scene *scene);

#endif
