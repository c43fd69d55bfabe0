/* model_json.h - cli/record/: what is kept of a run beside its figures: a record of one kind or another, and the model.
 * It stands on cli/study/ and cli/base/. */
#ifndef HN_CLI_MODEL_JSON_H
#define HN_CLI_MODEL_JSON_H

#include <jansson.h>
#include "scene.h"

/* The model of SCENE at t = 0: bodies with their shapes, joints, forces. */
json_t *cli_json_model(const hn_scene *scene);

#endif
