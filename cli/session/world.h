/* world.h - what a session steps between two changes: a scene with hands on its bodies, a solver, a state.
 * Internal to cli/session/. */
#ifndef HN_CLI_SESSION_WORLD_H
#define HN_CLI_SESSION_WORLD_H

#include "cli/base/options.h"

enum { CLI_MOST_GRIPS = 16, CLI_MOST_ADDED = 64 };

/* A hand on a body. */
typedef struct cli_grip {
  char id[32];
  int body;
  double point[3];           /* of the body, in its axes, m */
  double target[3];          /* m */
  double stiffness, damping; /* N/m, N s/m */
} cli_grip;

/* A body more. */
typedef struct cli_added {
  char name[64];
  hn_shape shape;            /* polygon: a box of the plane, size its edges; a model gives it corners */
  double at[3], velocity[3]; /* m, m/s: where and when it was added */
  double density, mass;      /* kg/m^3 or kg: one of them, the other is 0 */
  double friction, restitution;
} cli_added;

/* All of it that a command may change. */
typedef struct cli_make {
  char *spec;          /* of the solver */
  double step;         /* s */
  hn_setting *setting; /* [nsetting] of the scene; texts belong to it */
  size_t nsetting;
  cli_grip grip[CLI_MOST_GRIPS];
  int ngrip;
  cli_added added[CLI_MOST_ADDED];
  int nadded;
} cli_make;

void cli_make_copy(cli_make *to, const cli_make *from);
void cli_make_free(cli_make *make);
/* Of a scene or of a solver KEY becomes VALUE. */
void cli_make_set(cli_make *make, const char *name, const char *value);

typedef struct cli_world {
  cli_make make;
  hn_scene *scene;
  int nbody, nforce, ninput; /* of the scene itself: bodies more and hands come behind */
  hn_solver *solver;
  hn_state *state;
  hn_control *control; /* of the scene; NULL: it has none */
} cli_world;

/* A world of MAKE, which it takes over, with the state of FROM, NULL: at its start. SCENE and OPTIONS say
 * where it comes from. FROM with no scene is a state alone, of one made of the same. Control begins anew
 * unless FROM has a scene of the same settings: then there is none yet, and that of FROM can go on. -1 on
 * error, and then MAKE is the caller's. */
int cli_world_make(cli_world *world, const char *scene, const cli_options *options, cli_make *make,
                   const cli_world *from, hn_error *error);
void cli_world_free(cli_world *world);
/* SLOT, which may have been filled before, is STATE alone and of what its world is made: both copied. */
int cli_slot_fill(cli_world *slot, const cli_make *make, const hn_state *state, hn_error *error);
/* The same world with the solver of MAKE, which it takes over, and its step. All else belongs to FROM until
 * cli_world_leave. -1 on error, and then MAKE is the caller's. */
int cli_world_swap(cli_world *world, cli_make *make, const cli_world *from, hn_error *error);
/* FROM keeps nothing that WORLD, which was swapped for it, has: then it can be freed. */
void cli_world_leave(cli_world *from, const cli_world *world);
/* The model as it is now, as control may have changed it. */
const hn_model *cli_world_model(const cli_world *world);
/* The force of grip INDEX, and its first input. */
int cli_world_grip(const cli_world *world, int index);
double *cli_world_target(const cli_world *world, int index);

#endif
