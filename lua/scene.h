/* scene.h - scenes written in Lua: load one, get its model and what else it says. */
#ifndef HN_SCENE_H
#define HN_SCENE_H

#include "holonom.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default) /* exported */

/* A parameter override, from --set NAME=VALUE. */
typedef struct hn_setting {
  const char *name, *value;
} hn_setting;

/* A parameter a scene declares with scene.param(name, default, help). */
typedef struct hn_scene_param {
  char *name, *initial, *value, *help; /* default and value in force, as text */
} hn_scene_param;

/* What a scene expects of a run, from sys:expect { ... }; a bound of NAN is not checked. */
typedef struct hn_expectation {
  char *solver;            /* spec; NULL: the scene's default */
  double step, duration;   /* s; the scene's defaults where it does not say */
  char *reason;            /* expected reason, default "converged" */
  double error;            /* bound on the position error against the reference at the end, m */
  double drift;            /* bound on the joint position error, m or rad */
  double velocity_drift;   /* bound on the joint velocity error, m/s or rad/s */
  double energy_error;     /* bound on the energy error, J */
  int line;                /* in the scene file */
} hn_expectation;

typedef struct hn_scene {
  char *name;              /* file name without directory and ".lua" */
  char *path;
  char *summary;           /* first comment line of the file, after "name.lua: "; "" when there is none */
  hn_model *model;
  char *solver;            /* default method, spec; impulse-sle when the scene names none */
  double step, duration;   /* defaults, s; 0.01 and 10 when the scene gives none */
  hn_scene_param *param;   size_t nparam;
  hn_expectation *expectation; size_t nexpectation;
  bool has_reference, has_control;
  struct hn_scene_lua *lua; /* interpreter kept for the reference function */
} hn_scene;

/* Loads SCENE, a path (it has a slash or ends in .lua) or the name of an installed scene. NULL on error. */
hn_scene *hn_scene_load(const char *scene, const hn_setting *settings, size_t count, hn_error *error);
/* The same; CONSISTENT: the start is projected onto the joints, as if the scene asked for it. */
hn_scene *hn_scene_load_start(const char *scene, const hn_setting *settings, size_t count, bool consistent,
                              hn_error *error);
/* Methods that the scene declares are in the registry until then: free their solvers before. */
void hn_scene_free(hn_scene *scene);

/* Reference positions at time t: fills has[nbody] and position[3 * nbody] (m, world). Returns 1 when the scene has an
 * answer for t, 0 when it has none, -1 on error. */
int hn_scene_reference(hn_scene *scene, double t, bool *has, double *position, hn_error *error);

/* The same with orientations (w, x, y, z) where the scene knows them: has_orientation[nbody], orientation[4 * nbody].
 * Both may be NULL. */
int hn_scene_reference_poses(hn_scene *scene, double t, bool *has, double *position, bool *has_orientation,
                             double *orientation, hn_error *error);

/* What a scene may know of its bodies at a time: has_X[nbody] says whose X it tells. A pair of NULL is not asked. */
typedef struct hn_scene_answer {
  bool *has_position, *has_orientation, *has_velocity, *has_angular_velocity;
  double *position;          /* [3 * nbody], m */
  double *orientation;       /* [4 * nbody], (w, x, y, z) */
  double *velocity;          /* [3 * nbody], m/s */
  double *angular_velocity;  /* [3 * nbody], world axes, rad/s */
} hn_scene_answer;

/* The same for all of that; has_position and position are always asked for. */
int hn_scene_reference_states(hn_scene *scene, double t, const hn_scene_answer *answer, hn_error *error);

/* The control function of SCENE, for one run of it, from a fresh start; SCENE must stay. NULL on error. */
typedef struct hn_control hn_control;
hn_control *hn_control_create(const hn_scene *scene, hn_error *error);
void hn_control_free(hn_control *control);
/* For hn_run_options: control, with an hn_control as its controller. */
int hn_control_step(void *control, hn_state *state, hn_error *error);

/* Keys that sys:<joint type> { a, b, ... } takes, and sys:<force type>, besides `name` and the parameters of a force:
 * their number. */
enum { HN_MAX_ELEMENT_KEYS = 24 };
size_t hn_scene_joint_keys(const hn_joint_type *type, const char *keys[HN_MAX_ELEMENT_KEYS]);
size_t hn_scene_joint_params(const hn_joint_type *type, const char *keys[HN_MAX_ELEMENT_KEYS]); /* and those beside it */
size_t hn_scene_force_keys(const hn_force_type *type, const char *keys[HN_MAX_ELEMENT_KEYS]);

/* Names of installed scenes, sorted; an array ended by NULL, freed with hn_scene_names_free. */
char **hn_scene_names(hn_error *error);
void hn_scene_names_free(char **names);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
