/* model_json.h - cli/record/: records, checkpoints and the model as files. Uses cli/study/, cli/base/. */
#ifndef HN_CLI_MODEL_JSON_H
#define HN_CLI_MODEL_JSON_H

#include <jansson.h>
#include "collide/field/height_field.h"
#include "collide/hull.h"
#include "scene.h"

/* Returns the model of SCENE at t = 0: bodies with their shapes, joints, forces. */
json_t *cli_json_model(const hn_scene *scene);
/* Returns the same without what a scene adds: its name and its parameters. */
json_t *cli_json_mechanism(const hn_model *model);
/* Returns the lengths of FIELD along x and z, m. */
json_t *cli_json_field_size(const hn_height_field *field);
/* Returns the indices of the vertices of each face, counterclockwise seen from outside. */
json_t *cli_json_faces(const hn_hull *hull);

#endif
