/* planar_scenes.h - models confined to the plane z = 0 or free to leave it. */
#ifndef TESTS_PLANAR_SCENES_H
#define TESTS_PLANAR_SCENES_H

#include "models.h"

static inline hn_model *new_plane(bool planar)
{
  hn_error error;
  hn_model *model = new_model();
  if (planar && hn_model_set_planar(model, &error)) fail_msg("%s", error.text);
  return model;
}

/* Adds a plank of 1 m centred at (x, y), at ANGLE from the x axis. */
static inline int add_plank(hn_model *model, const char *name, double x, double y, double angle)
{
  hn_body_spec plank = { .name = name,
                         .kind = HN_RIGID,
                         .shape = { .kind = HN_BOX, .size = { 1.0, 0.1, 0.1 } },
                         .density = 600,
                         .position = { x, y, 0 },
                         .orientation = { cos(0.5 * angle), 0, 0, sin(0.5 * angle) } };
  return must_add(model, &plank);
}

#endif
