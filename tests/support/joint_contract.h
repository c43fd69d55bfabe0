/* joint_contract.h - the solvers to which the contract suite applies: those of the registry, of plugins and
 * of a scene. */
#ifndef TESTS_JOINT_CONTRACT_H
#define TESTS_JOINT_CONTRACT_H

#include "mechanisms.h"
#include "scene.h"
#include "solver_settings_table.h"

#include <stdlib.h>
#include <string.h>

static hn_scene *own; /* scene with solvers written in Lua; NULL: none */

/* Returns the solvers of the process, then those of OWN. */
static const hn_solver_type *const *contract_types(size_t *count)
{
  enum { MOST = 128 };
  static const hn_solver_type *all[MOST + 1];
  const hn_solver_type *const *type = hn_solver_types(count);
  size_t more = own ? own->nown_solvers : 0;
  assert_true(*count + more <= MOST);
  for (size_t i = 0; i < *count; i++) all[i] = type[i];
  for (size_t i = 0; i < more; i++) all[(*count)++] = own->own_solvers[i];
  return all;
}

/* Registers the solvers of OWN with MODEL. */
static inline void add_own_solvers(hn_model *model)
{
  if (own) model->own_solvers = own->own_solvers;
}

/* Returns the solver with tolerances far below the measured errors. */
static inline hn_solver *tight(const hn_solver_type *type, const char *more, hn_model *model)
{
  char spec[256];
  add_own_solvers(model);
  const char *first = strcmp(type->name, "avbd") == 0 ? "iterations=200" /* it has no tolerance */
                      : has_param(type, "tolerance")  ? "tolerance=1e-13"
                                                      : "";
  snprintf(spec, sizeof spec, "%s:%s%s%s", type->name, first,
           has_param(type, "velocity_tolerance") ? ",velocity_tolerance=1e-13" : "", more);
  return new_solver(spec, model);
}

static inline hn_model *box_pendulum(void)
{
  hn_error error;
  hn_model *model = new_model();
  for (int i = 0; i < 2; i++) {
    hn_body_spec box = { .name = i ? "second" : "first",
                         .kind = HN_RIGID,
                         .shape = { .kind = HN_BOX, .size = { 1.0, 0.1, 0.1 } },
                         .density = 1000,
                         .position = { i + 0.5, 0, 0 },
                         .orientation = { 1, 0, 0, 0 },
                         .angular_velocity = { i, 0, 0 } };
    assert_int_equal(hn_model_add_body(model, &box, &error), i + 1);
    add_ball(model, i, i + 1, i, 0, 0);
  }
  return model;
}

/* Group set-up. Loads the plugins of the directories in CONTRACT_PLUGINS and the Lua solvers of the scene
 * CONTRACT_SCENE. */
static inline int load_contract_solvers(void **state)
{
  (void)state;
  hn_error error;
  const char *plugins = getenv("CONTRACT_PLUGINS"), *scene = getenv("CONTRACT_SCENE");
  if (plugins && hn_plugin_load_path(plugins, &error)) return fprintf(stderr, "%s\n", error.text), -1;
  if (scene && !(own = hn_scene_load(scene, NULL, 0, &error))) return fprintf(stderr, "%s\n", error.text), -1;
  return 0;
}

static inline int unload_contract_solvers(void **state)
{
  (void)state;
  hn_scene_free(own);
  return 0;
}

#endif
