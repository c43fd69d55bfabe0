/* scene.h - scenes written in Lua: load one, and read its model, parameters, expectations and reference.
 * Beside holonom.h.
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
 * Free every object afterwards, the scene last. On failure a function returns NULL or -1 and sets its
 * hn_error to one line: file and line of the scene, the mistake, and the correct form. Scenes run in a
 * sandbox without access to the machine, under limits of instructions, memory and time.
 *
 * Threads: scenes share no state, not even two scenes of one file, so each thread may load and run its own
 * scenes with the solvers that holonom.h allows there. A scene and all objects that call its Lua code
 * (instances of its own solvers, its reference) belong to one thread at a time. A controller has an
 * interpreter of its own. The model, and all other solvers on it, do not call Lua.
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

/* Value of a scene parameter, as text. Its type (number, string or boolean) is that of the parameter's
 * default. */
typedef struct hn_setting {
  const char *name, *value;
} hn_setting;

/* A parameter of a scene, declared by scene.param(name, default, help, options). */
typedef struct hn_scene_param {
  char *name;
  char *initial, *value; /* default, and current value, as text */
  char *help;            /* "" if none */
  bool live;             /* can change during a run: bodies, joints and forces stay the same */
  double low, high;      /* suggested range; NAN: not given */
} hn_scene_param;

/* Expected outcome of a run: sys:expect { ... }. A bound of NAN is not checked. */
typedef struct hn_expectation {
  char *solver;          /* spec; NULL: the scene's default */
  double step, duration; /* s; the scene's defaults if not given */
  char *reason;          /* reason for the end of the run; default "converged" */
  double error;          /* bound on the position error against the reference at the end, m */
  double drift;          /* bound on the joint position error, m or rad */
  double velocity_drift; /* bound on the joint velocity error, m/s or rad/s */
  double penetration;    /* bound on the penetration depth after a step, m */
  double energy_error;   /* bound on the energy error, J */
  double order;          /* lower bound on the order of convergence of the error */
  int line;              /* in the scene file */
} hn_expectation;

/* A loaded scene. Read-only. */
typedef struct hn_scene {
  char *name; /* file name without directory and ".lua" */
  char *path;
  char *summary;         /* first comment line of the file, after "name.lua: "; "" if none */
  hn_model *model;       /* bodies, joints and forces; constant, owned by the scene */
  char *solver;          /* spec of the default solver; impulse-sle if the scene names none */
  double step, duration; /* defaults, s; 0.01 and 10 if the scene gives none */
  hn_scene_param *param; /* [nparam], in the order of the scene */
  size_t nparam;
  hn_expectation *expectation; /* [nexpectation], in the order of the scene */
  size_t nexpectation;
  /* [nown_solvers] and a NULL: solvers written in Lua (scene.solver), known to the model; NULL if none */
  const hn_solver_type **own_solvers;
  size_t nown_solvers;
  /* [ncontact_solver] and a NULL: contact solvers written in Lua (scene.contact_solver) */
  const hn_contact_type **contact_solver;
  size_t ncontact_solver;
  bool has_reference;       /* hn_scene_reference has an answer */
  bool has_control;         /* runs need a controller: hn_control_create */
  double widest_angle;      /* largest angle of an axis_angle beyond a full turn, rad; 0: none */
  struct hn_scene_lua *lua; /* internal */
} hn_scene;

/* Load SCENE, a path (it contains a slash or ends in .lua) or the name of an installed scene, with COUNT
 * parameters set; the others keep their defaults. Returns NULL on error; an unknown parameter is an error. */
hn_scene *hn_scene_load(const char *scene, const hn_setting *settings, size_t count, hn_error *error);

/* Limits of one call into the Lua code of a scene: loading, and each call of control, of the reference or of
 * a step of a solver written in Lua. 0 means the default. Exceeding a limit is an error. The limits of
 * instructions and memory are deterministic. The limit of time covers long C functions of Lua, which no
 * instruction count sees; it can only end a call, never change a result. */
typedef struct hn_scene_limits {
  uint64_t instructions; /* of the Lua machine; default 5e8 */
  uint64_t memory;       /* bytes held at a time, in Lua and by the scene's declarations; default 512 MiB */
  double seconds;        /* processor time; default 30 */
} hn_scene_limits;

/* Options of loading a scene; zero means the default. */
typedef struct hn_scene_options {
  const hn_setting *setting; /* [nsetting] parameters */
  size_t nsetting;
  bool consistent; /* project the initial state onto the joints; the changes are in model->projection */
  /* [nsolver_files] paths of files of solvers written in Lua (scene.solver). The scene's model knows these
   * solvers as if the scene had declared them; the first one becomes its default. Not copied: they must
   * outlive the scene. */
  const char *const *solver_files;
  size_t nsolver_files;
  hn_scene_limits limits;            /* for the life of the scene */
  const volatile sig_atomic_t *stop; /* nonzero ends Lua code with the error "interrupted"; NULL: never */
} hn_scene_options;
/* Load SCENE as hn_scene_load does, with OPTIONS. */
hn_scene *hn_scene_load_with(const char *scene, const hn_scene_options *options, hn_error *error);

/* True if a call into a scene has used more than twice its limit of processor time; if INTERRUPTED, because
 * of a request to stop that calls should have heard, also if one is running at all. A single C function of
 * Lua is then running without end (such as a hard pattern match), which no limit can stop from inside. The
 * caller must then end the program: the call never returns, and ERROR names its file and line. If false,
 * stores in WAIT (s) the least time left to any call, INFINITY if none is running. Call it from another
 * thread. */
bool hn_scene_overdue(bool interrupted, double *wait, hn_error *error);

/* Free SCENE (NULL is allowed) with its model and solver types. Free its solvers, states and controllers
 * first. */
void hn_scene_free(hn_scene *scene);

/* ---- Reference: the known motion of a scene, sys:reference(function(t) ... end) ------------------------ */

/* Evaluate the reference at time T (s): sets has[nbody], and position[3 * nbody] (m, world axes) of the
 * bodies with has[i]. Returns 1 if the reference has an answer for T, 0 if not, -1 on error. */
int hn_scene_reference(hn_scene *scene, double t, bool *has, double *position, hn_error *error);

/* Reference states of the bodies: has_X[nbody] marks the bodies whose X is known. A pair of NULL is not
 * requested; has_position and position are mandatory. */
typedef struct hn_scene_answer {
  bool *has_position, *has_orientation, *has_velocity, *has_angular_velocity;
  double *position;         /* [3 * nbody], m */
  double *orientation;      /* [4 * nbody], (w, x, y, z) */
  double *velocity;         /* [3 * nbody], m/s */
  double *angular_velocity; /* [3 * nbody], world axes, rad/s */
} hn_scene_answer;

/* Evaluate the reference at time T (s) into all requested arrays of ANSWER. Returns as hn_scene_reference. */
int hn_scene_reference_states(hn_scene *scene, double t, const hn_scene_answer *answer, hn_error *error);

/* ---- Control: sys:control(function(t, s) ... end) and sys:on, called before every step of a run -------- */

/* Runs the control functions of a scene, for one run. */
typedef struct hn_control hn_control;

/* Create a controller for one run of SCENE, which must have control and must outlive it. The controller loads
 * the scene's Lua code anew, so that runs are independent. It must outlive the run's solver, since it owns
 * bodies, joints and forces that control adds to the model. Returns NULL on error. */
hn_control *hn_control_create(const hn_scene *scene, hn_error *error);
void hn_control_free(hn_control *control); /* NULL is allowed */

/* Function for hn_run_options.control; CONTROL is an hn_control. */
int hn_control_step(void *control, hn_control_context *moment, hn_error *error);

/* ---- Listings ------------------------------------------------------------------------------------------ */

/* Returns the sorted names of installed scenes, ended by NULL; free them with hn_scene_names_free. NULL on
 * error. */
char **hn_scene_names(hn_error *error);
void hn_scene_names_free(char **names); /* NULL is allowed */

enum { HN_MAX_ELEMENT_KEYS = 24 };
/* Store the keys of sys:<joint type> { ... } beside `name` and the parameters. Returns their number. */
size_t hn_scene_joint_keys(const hn_joint_type *type, const char *keys[HN_MAX_ELEMENT_KEYS]);
/* Store the keys of the type's parameters, and of the joints that it can add. Returns their number. */
size_t hn_scene_joint_params(const hn_joint_type *type, const char *keys[HN_MAX_ELEMENT_KEYS]);
/* Store the keys of sys:<force type> { ... } beside `name` and the parameters. Returns their number. */
size_t hn_scene_force_keys(const hn_force_type *type, const char *keys[HN_MAX_ELEMENT_KEYS]);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
