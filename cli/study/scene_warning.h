/* scene_warning.h - the warning of scenes whose shapes cannot collide because sys:contact {} is missing. */
#ifndef CLI_SCENE_WARNING_H
#define CLI_SCENE_WARNING_H

#include "model.h"

/* Returns a warning, to be freed, if shapes with friction cannot touch a plane because MODEL has no contacts;
 * else NULL. */
char *cli_warning_of_scene(const hn_model *model);

#endif
