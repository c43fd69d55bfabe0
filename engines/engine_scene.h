/* engine_scene.h - reads a model as engines know it. For engine.c. */
#ifndef ENGINES_ENGINE_SCENE_H
#define ENGINES_ENGINE_SCENE_H

#include "engines/engine.h"

/* Reads the joints of scene->model, and refuses what KIND does not translate by its name. Returns -1 after
 * writing WHY; engine_scene_free follows in either case. */
int engine_scene_read(engine_scene *scene, const engine_kind *kind, char *why);
void engine_scene_free(engine_scene *scene);

#endif
