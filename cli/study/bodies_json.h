/* bodies_json.h - JSON of bodies at a state. */
#ifndef HN_CLI_BODIES_JSON_H
#define HN_CLI_BODIES_JSON_H

#include <jansson.h>
#include "holonom.h"

json_t *cli_json_pose(const hn_pose *pose);
/* Returns a list of the bodies of MODEL, except the ground and removed ones, at STATE. */
json_t *cli_json_bodies(const hn_model *model, const hn_state *state);

#endif
