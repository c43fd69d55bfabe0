/* bodies_json.c - JSON of bodies at a state (bodies_json.h). */
#include "cli/base/json.h"
#include "cli/study/bodies_json.h"

json_t *cli_json_pose(const hn_pose *pose)
{
  return json_pack("{s:o, s:o}", "position", cli_json_reals(pose->x, 3), "orientation",
                   cli_json_reals(pose->q, 4));
}

json_t *cli_json_bodies(const hn_model *model, const hn_state *state)
{
  json_t *bodies = json_array();
  for (int i = 1; i < model->nbody; i++) {
    if (model->body[i].gone) continue;
    const hn_pose *pose = &state->pose[i];
    const hn_twist *twist = &state->twist[i];
    const hn_pose *frame = model->body[i].frame; /* NULL: the same axes as those of the scene */
    json_array_append_new(
      bodies, json_pack("{s:o, s:o, s:o, s:o, s:o, s:o*}", "name", cli_json_string(model->body[i].name),
                        "position", cli_json_reals(pose->x, 3), "orientation", cli_json_reals(pose->q, 4),
                        "velocity", cli_json_reals(twist->v, 3), "angular_velocity",
                        cli_json_reals(twist->w, 3), "frame", frame ? cli_json_pose(frame) : NULL));
  }
  return bodies;
}
