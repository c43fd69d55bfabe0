/* world.h - the part of a session that is constant between two commands, and its state: a scene with mouse
 * springs and added bodies, a solver, a state. */
#ifndef HN_CLI_SESSION_WORLD_H
#define HN_CLI_SESSION_WORLD_H

#include "cli/base/options.h"

enum { CLI_MAX_MOUSE_SPRINGS = 16, CLI_MAX_ADDED_BODIES = 64 };

/* A mouse spring: a force of type `mouse_spring` between a body and a target point. */
typedef struct cli_mouse_spring {
  char id[32];
  int body;
  double point[3];           /* on the body, in body axes, m */
  double target[3];          /* in world axes, m */
  double stiffness, damping; /* N/m, N s/m */
} cli_mouse_spring;

/* A body added by the command `add`. */
typedef struct cli_added_body {
  char name[64];
  hn_shape shape;            /* polygon: a rectangle with edges `size`; its corners are made with the model */
  double at[3], velocity[3]; /* position and velocity when it was added, m, m/s */
  double density, mass;      /* kg/m^3 or kg: one of them, the other is 0 */
  double friction, restitution;
} cli_added_body;

/* Description from which a world is created. */
typedef struct cli_world_setup {
  char *spec;          /* solver with its parameters */
  double step;         /* s */
  hn_setting *setting; /* [nsetting] of the scene; owns its texts */
  size_t nsetting;
  cli_mouse_spring spring[CLI_MAX_MOUSE_SPRINGS];
  int nspring;
  cli_added_body added[CLI_MAX_ADDED_BODIES];
  int nadded;
} cli_world_setup;

void cli_world_setup_copy(cli_world_setup *to, const cli_world_setup *from);
void cli_world_setup_free(cli_world_setup *setup);
/* Sets the parameter NAME of the scene to VALUE. */
void cli_world_setup_set(cli_world_setup *setup, const char *name, const char *value);

typedef struct cli_world {
  cli_world_setup setup;
  hn_scene *scene;
  int nbody, nforce, ninput; /* of the scene alone; added bodies and mouse springs follow */
  hn_solver *solver;
  hn_state *state;
  hn_control *control; /* of the scene, or NULL */
} cli_world;

/* Creates a world from SETUP, which it takes over, with the state of FROM, or the initial state if FROM is
 * NULL. SCENE and OPTIONS are those of the session. FROM without a scene is a saved state (cli_world_save).
 * The control is created too, unless FROM has a scene with the same settings: then `control` is NULL and the
 * caller moves that of FROM. Returns -1 on error; SETUP then remains with the caller. */
int cli_world_create(cli_world *world, const char *scene, const cli_options *options, cli_world_setup *setup,
                     const cli_world *from, hn_error *error);
void cli_world_free(cli_world *world);
/* Stores copies of STATE and SETUP in SLOT, which may hold an older state. */
int cli_world_save(cli_world *slot, const cli_world_setup *setup, const hn_state *state, hn_error *error);
/* Creates a world like FROM with the solver and step of SETUP, which it takes over. It shares all else with
 * FROM until cli_world_unshare. Returns -1 on error; SETUP then remains with the caller. */
int cli_world_with_solver(cli_world *world, cli_world_setup *setup, const cli_world *from, hn_error *error);
/* Removes from FROM everything that it shares with WORLD, so that FROM can be freed. */
void cli_world_unshare(cli_world *from, const cli_world *world);
/* Returns the current model, including the changes made by control. */
const hn_model *cli_world_model(const cli_world *world);
/* Returns the index of mouse spring ID, or -1. */
int cli_world_find_spring(const cli_world *world, const char *id);
/* Returns the index of the force of mouse spring INDEX, and its target, the first of its inputs. */
int cli_world_spring_force(const cli_world *world, int index);
double *cli_world_spring_target(const cli_world *world, int index);

#endif
