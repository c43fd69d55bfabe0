/* world.h - what a session steps between two changes: a scene with hands on its bodies, a method, a state. Internal to
 * cli/session/. */
#ifndef HN_CLI_WORLD_H
#define HN_CLI_WORLD_H

#include "cli/base/options.h"

enum { CLI_MOST_GRIPS = 16 };

/* A hand on a body. */
typedef struct cli_grip {
  char id[32];
  int body;
  double point[3];            /* of the body, in its axes, m */
  double target[3];           /* m */
  double stiffness, damping;  /* N/m, N s/m */
} cli_grip;

/* All of it that a command may change. */
typedef struct cli_make {
  char *spec;                 /* of the method */
  double step;                /* s */
  hn_setting *setting;        /* [nsetting] of the scene; texts belong to it */
  size_t nsetting;
  cli_grip grip[CLI_MOST_GRIPS];
  int ngrip;
} cli_make;

void cli_make_copy(cli_make *to, const cli_make *from);
void cli_make_free(cli_make *make);
/* Of a scene or of a method KEY becomes VALUE. */
void cli_make_set(cli_make *make, const char *name, const char *value);

typedef struct cli_world {
  cli_make make;
  hn_scene *scene;
  hn_solver *solver;
  hn_state *state;
  hn_control *control;        /* of the scene; NULL: it has none */
} cli_world;

/* A world of MAKE, which it takes over, with the state of FROM, NULL: at its start. SCENE and OPTIONS say where it
 * comes from. FROM with no scene is a state alone, of one made of the same. Control begins anew unless FROM has a scene
 * of the same settings: then there is none yet, and that of FROM can go on. -1 on error, and then MAKE is the
 * caller's. */
int cli_world_make(cli_world *world, const char *scene, const cli_options *options, cli_make *make,
                   const cli_world *from, hn_error *error);
void cli_world_free(cli_world *world);
/* The first input of grip INDEX. */
double *cli_world_target(const cli_world *world, int index);

#endif
