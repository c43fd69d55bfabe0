/* scene.h - scenes written in Lua: load one, and get its model and what else it says. Beside holonom.h.
 *
 *   const hn_setting setting[] = { { "n", "16" } };                       as --set n=16
 *   hn_scene *scene = hn_scene_load("chain", setting, 1, &error);         or a path, "my/chain.lua"
 *   hn_solver *solver = hn_solver_create(scene->solver, scene->model, &error);
 *   hn_state *state = hn_state_create(scene->model);
 *   hn_control *control = scene->has_control ? hn_control_create(scene, &error) : NULL;
 *   hn_run_options options = { .step = scene->step, .duration = scene->duration };
 *   if (control) options.control = hn_control_step, options.controller = control;
 *   hn_run(solver, state, &options, &summary);
 *
 * and everything is freed again, the scene last. Functions that can fail return NULL or -1 then, with one line in their
 * hn_error: file and line of the scene, what was wrong, and what would be right. Nothing in a scene can reach the
 * machine, and one that never ends is stopped by limits of instructions, memory and time.
 *
 * Threads: scenes know nothing of each other, not even two of one file; so each thread may load and run scenes of its
 * own, with the solvers that holonom.h allows there. A scene and what stands on its Lua code (solvers of its own
 * solvers, its reference) belong to one thread at a time; a controller has code of its own. Its model, and solvers of
 * all other solvers, do not touch that code.
 *
 * Copyright (C) 2026 the Holonom authors. Licence: GPL-3.0-or-later. */
#ifndef HN_SCENE_H
#define HN_SCENE_H

#include "holonom.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default) /* exported */

/* ---- A scene ------------------------------------------------------------------------------------------- */

/* A value for a parameter of a scene, as text: a number, a string, true or false, as its default is. */
typedef struct hn_setting {
  const char *name, *value;
} hn_setting;

/* A parameter that a scene declares: scene.param(name, default, help, options). */
typedef struct hn_scene_param {
  char *name;
  char *initial, *value; /* its default, and the value in force, as text */
  char *help;            /* "" when there is none */
  bool live;             /* it can change in a run: the same bodies, joints and forces come of it, */
  double low, high;      /* for instance between these; NAN: it does not say */
} hn_scene_param;

/* What a scene expects of a run: sys:expect { ... }. A bound of NAN is not to be checked. */
typedef struct hn_expectation {
  char *solver;          /* spec; NULL: the scene's default */
  double step, duration; /* s; the scene's defaults where it does not say */
  char *reason;          /* by which the run is to end: "converged" unless it says another */
  double error;          /* bound on the position error against the reference at the end, m */
  double drift;          /* bound on the joint position error, m or rad */
  double velocity_drift; /* bound on the joint velocity error, m/s or rad/s */
  double penetration;    /* bound on how deep shapes overlap after a step, m */
  double energy_error;   /* bound on the energy error, J */
  double order;          /* of the error over the step, at least */
  int line;              /* in the scene file */
} hn_expectation;

/* A scene as it was loaded; read it, and leave it as it is. */
typedef struct hn_scene {
  char *name; /* file name without directory and ".lua" */
  char *path;
  char *summary;         /* first comment line of the file, after "name.lua: "; "" when there is none */
  hn_model *model;       /* its bodies, joints and forces; constant, and alive as long as the scene */
  char *solver;          /* default solver, spec; impulse-sle when the scene names none */
  double step, duration; /* defaults, s; 0.01 and 10 when the scene gives none */
  hn_scene_param *param; /* [nparam], in the order of the scene */
  size_t nparam;
  hn_expectation *expectation; /* [nexpectation], in the order of the scene */
  size_t nexpectation;
  const hn_solver_type *
    *own_solvers; /* [nown_solvers] and a NULL: solvers written in Lua (scene.solver), which model knows by */
  size_t nown_solvers;                    /* their names; own_solvers is NULL when there are none */
  const hn_contact_type **contact_solver; /* [ncontact_solver] and a NULL: likewise scene.contact_solver */
  size_t ncontact_solver;
  bool has_reference;       /* hn_scene_reference has answers */
  bool has_control;         /* its runs need a controller: hn_control_create */
  struct hn_scene_lua *lua; /* internal */
} hn_scene;

/* Loads SCENE, a path (it has a slash or ends in .lua) or the name of an installed scene, with COUNT parameters set;
 * the others keep their defaults. NULL on error, as an unknown parameter is. */
hn_scene *hn_scene_load(const char *scene, const hn_setting *settings, size_t count, hn_error *error);

/* What one call into the Lua code of a scene may use: loading it, and each control, reference or step of a solver of
 * its own. 0: the default. The first two end a call at the same place every time; the third is for what the first
 * cannot count, and ends it with an error too: it never changes a result. */
typedef struct hn_scene_limits {
  uint64_t instructions; /* of Lua's machine; 5e8 */
  uint64_t memory; /* bytes that the scene may hold at a time, in Lua and by what it has declared; 512 MiB */
  double seconds;  /* of the processor's time; 30 */
} hn_scene_limits;

/* How a scene is loaded; all may be zero. */
typedef struct hn_scene_options {
  const hn_setting *setting; /* [nsetting] parameters */
  size_t nsetting;
  bool consistent; /* project the start onto the joints, as if the scene had asked for it: what that has */
                   /* changed is in model->projection */
  const char *const *
    solver_files; /* [nsolver_files] files of solvers written in Lua (scene.solver), which the scene's model knows */
  size_t
    nsolver_files; /* then as if the scene had declared them; the first one is its default. The names must stay */
  hn_scene_limits limits; /* as long as the scene */
  const volatile sig_atomic_t
    *stop; /* not 0: Lua code ends with the error "interrupted"; NULL: nobody asks */
} hn_scene_options;
hn_scene *hn_scene_load_with(const char *scene, const hn_scene_options *options, hn_error *error);

/* Is a call into a scene past twice its processor's time? That is one function of Lua's at work (matching a pattern
 * that is hard, say), which no limit can end from inside. The program is to end then: the call does not return any
 * more, and ERROR says where it is. Else WAIT (s) is the least time left to a call, infinite where none is under way.
 * To be asked from another thread; holonom does from one that sleeps. */
bool hn_scene_overdue(double *wait, hn_error *error);

/* Frees SCENE, which may be NULL, with its model and its solvers: their solvers, states and controllers go before. */
void hn_scene_free(hn_scene *scene);

/* ---- The reference: what a scene knows of its own motion, sys:reference(function(t) ... end) ----------- */

/* Positions of the centres of mass at time T, s: has[nbody] says of which bodies, position[3 * nbody] (m, world axes)
 * has them. 1 when the scene has an answer for T, 0 when it has none, -1 on error. */
int hn_scene_reference(hn_scene *scene, double t, bool *has, double *position, hn_error *error);

/* All that a scene may know of its bodies at a time: has_X[nbody] says whose X it tells. A pair of NULL is not asked;
 * has_position and position are always. */
typedef struct hn_scene_answer {
  bool *has_position, *has_orientation, *has_velocity, *has_angular_velocity;
  double *position;         /* [3 * nbody], m */
  double *orientation;      /* [4 * nbody], (w, x, y, z) */
  double *velocity;         /* [3 * nbody], m/s */
  double *angular_velocity; /* [3 * nbody], world axes, rad/s */
} hn_scene_answer;

/* The same for all of that. */
int hn_scene_reference_states(hn_scene *scene, double t, const hn_scene_answer *answer, hn_error *error);

/* ---- Control: sys:control(function(t, s) ... end) and sys:on, called before every step of a run -------- */

/* What runs the control function of a scene, for one run. */
typedef struct hn_control hn_control;

/* A controller for a run of SCENE, which must have control and must stay: its Lua code starts anew, so
 * that no run depends on another. It stays as long as the solver of the run: what control adds to the
 * model is in it. NULL on error. */
hn_control *hn_control_create(const hn_scene *scene, hn_error *error);
void hn_control_free(hn_control *control); /* which may be NULL */

/* The function for hn_run_options.control, with an hn_control as its controller. */
int hn_control_step(void *control, hn_moment *moment, hn_error *error);

/* ---- What there is ------------------------------------------------------------------------------------- */

/* Names of installed scenes, sorted: an array ended by NULL, freed with hn_scene_names_free. NULL on error. */
char **hn_scene_names(hn_error *error);
void hn_scene_names_free(char **names); /* which may be NULL */

/* The keys that sys:<joint type> { a, b, ... } and sys:<force type> { ... } take in a scene, besides `name` and the
 * parameters of its type; their number. */
enum { HN_MAX_ELEMENT_KEYS = 24 };
size_t hn_scene_joint_keys(const hn_joint_type *type, const char *keys[HN_MAX_ELEMENT_KEYS]);
size_t hn_scene_joint_params(const hn_joint_type *type,
                             const char *keys[HN_MAX_ELEMENT_KEYS]); /* and those beside it */
size_t hn_scene_force_keys(const hn_force_type *type, const char *keys[HN_MAX_ELEMENT_KEYS]);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
