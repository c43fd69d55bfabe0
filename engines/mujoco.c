/* mujoco.c - MuJoCo 2.2 (double precision) as a solver.
 *
 * Trees move in MuJoCo's joint coordinates, without errors of joints; contacts, limits, dry friction and
 * loops are soft constraints, whose softness solref and solimp set. There is no damping and no armature, and
 * contacts have no margin. Orders: 1 of Euler and implicit, and of RK4 what MuJoCo's rotation of quaternions
 * leaves of 4 (2 in general). Forces act as passive forces, evaluated in every stage of a step. Where MuJoCo
 * has found a state that is not finite and reset it, the step fails. */
#include "engines/mujoco_model.h"

#include <math.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EULER, RK4, IMPLICIT };

typedef struct mujoco_options {
  engine_data engine;
  int integrator, solver, cone, iterations, noslip;
  double impratio, tolerance, time_constant, damping_ratio;
} mujoco_options;

typedef struct mujoco_world {
  const engine_scene *scene;
  mujoco_trees trees;
  mjModel *model;
  mjData *data;
  hn_state *stage; /* of the forces */
  int *geom;       /* [ngeom] its shape in our model */
  double *wrench;
} mujoco_world;

static _Thread_local mujoco_world *current; /* whose step it is, for callbacks */
static _Thread_local jmp_buf failed;
static _Thread_local char *reason;

/* ---- Callbacks ----------------------------------------------------------------------------------------- */

static void on_error(const char *text)
{
  engine_fail(reason, "%s", text);
  longjmp(failed, 1);
}

/* Warnings are counted in the data, where a step looks for them. */
static void on_warning(const char *text)
{
  (void)text;
}

/* Skips a pair of shapes if they may not collide. */
static int filter(const mjModel *model, mjData *data, int one, int two)
{
  (void)model, (void)data;
  return !engine_collides(current->scene, current->geom[one], current->geom[two]);
}

static void read_state(const mujoco_world *w, hn_state *state)
{
  const hn_model *model = w->scene->model;
  for (int i = 0; i < state->nbody; i++) {
    const int id = w->trees.node[i].id;
    mjtNum rate[6];
    if (model->body[i].kind == HN_FIXED) continue;
    memcpy(state->pose[i].x, w->data->xpos + 3 * id, sizeof state->pose[i].x);
    memcpy(state->pose[i].q, w->data->xquat + 4 * id, sizeof state->pose[i].q);
    mj_objectVelocity(w->model, w->data, mjOBJ_XBODY, id, rate, 0);
    memcpy(state->twist[i].w, rate, sizeof state->twist[i].w);
    memcpy(state->twist[i].v, rate + 3, sizeof state->twist[i].v);
  }
}

/* Adds our forces at the state of a stage. */
static void add_forces(const mjModel *model, mjData *data)
{
  mujoco_world *w = current;
  read_state(w, w->stage);
  w->stage->time = data->time;
  engine_forces(w->scene, w->stage, w->wrench);
  for (int i = 0; i < w->stage->nbody; i++) {
    const double *f = w->wrench + 6 * i;
    if (w->scene->model->body[i].kind == HN_FIXED) continue;
    mj_applyFT(model, data, f, f + 3, w->stage->pose[i].x, w->trees.node[i].id, data->qfrc_passive);
  }
}

/* ---- The world ----------------------------------------------------------------------------------------- */

static void free_model(mujoco_world *w)
{
  mj_deleteData(w->data), mj_deleteModel(w->model);
  mujoco_trees_free(&w->trees);
  hn_state_free(w->stage);
  free(w->geom), free(w->wrench);
  w->data = NULL, w->model = NULL, w->stage = NULL, w->geom = NULL, w->wrench = NULL;
}

static void free_world(void *world)
{
  free_model(world);
  free(world);
}

static void write_options(const mujoco_options *o, char *text, size_t size)
{
  static const char *const integrator[] = { "Euler", "RK4", "implicit" };
  static const char *const solver[] = { "Newton", "PGS", "CG" }, *const cone[] = { "pyramidal", "elliptic" };
  snprintf(text, size,
           "integrator=\"%s\" solver=\"%s\" cone=\"%s\" impratio=\"%.17g\" iterations=\"%d\" "
           "noslip_iterations=\"%d\" tolerance=\"%.17g\"",
           integrator[o->integrator], solver[o->solver], cone[o->cone], o->impratio, o->iterations, o->noslip,
           o->tolerance);
}

/* Sets the softness of all constraints. */
static void set_softness(mjModel *model, const mujoco_options *o)
{
  const struct {
    mjtNum *solref;
    int count;
  } all[] = { { model->geom_solref, model->ngeom }, { model->pair_solref, model->npair },
              { model->jnt_solref, model->njnt },   { model->dof_solref, model->nv },
              { model->eq_solref, model->neq },     { model->tendon_solref_lim, model->ntendon } };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    for (int k = 0; k < all[i].count; k++)
      all[i].solref[mjNREF * k] = o->time_constant, all[i].solref[mjNREF * k + 1] = o->damping_ratio;
}

static int translate(mujoco_world *w, char *why)
{
  const hn_model *model = w->scene->model;
  const mujoco_options *o = w->scene->options;
  char name[32];
  mjcb_contactfilter = NULL, mjcb_passive = NULL; /* MuJoCo takes a step to check the model */
  w->trees.scene = w->scene;
  write_options(o, w->trees.options, sizeof w->trees.options);
  w->model = mujoco_model_create(&w->trees, why);
  w->data = w->model ? mj_makeData(w->model) : NULL;
  if (!w->model) return -1;
  w->stage = hn_state_create(model);
  w->geom = calloc((size_t)w->model->ngeom + 1, sizeof *w->geom);
  w->wrench = calloc(6 * (size_t)model->nbody, sizeof *w->wrench);
  if (!w->data || !w->stage || !w->geom || !w->wrench) return engine_fail(why, "out of memory");
  set_softness(w->model, o);
  for (int i = 0; i < model->nbody; i++) {
    snprintf(name, sizeof name, "b%d", i);
    w->trees.node[i].id = mj_name2id(w->model, mjOBJ_BODY, name);
  }
  for (int c = 0; c < model->ncollider; c++) {
    snprintf(name, sizeof name, "g%d", c);
    const int id = mj_name2id(w->model, mjOBJ_GEOM, name);
    if (id >= 0) w->geom[id] = c;
  }
  return 0;
}

static void *create(const engine_scene *scene, char *why)
{
  mujoco_world *volatile w = calloc(1, sizeof *w);
  if (!w) return engine_fail(why, "out of memory"), NULL;
  w->scene = scene, reason = why;
  w->trees.room = scene->model->margin > 0.0 ? 100 + 4 * scene->model->ncollider : 0;
  mju_user_error = on_error, mju_user_warning = on_warning;
  if (setjmp(failed) == 0 && translate(w, why) == 0) return w;
  free_world(w);
  return NULL;
}

static void set_state(void *world, const hn_state *state)
{
  mujoco_world *w = world;
  mujoco_coordinates(&w->trees, w->model, state, w->data->qpos, w->data->qvel);
}

/* ---- The step ------------------------------------------------------------------------------------------ */

/* Fails if MuJoCo has begun anew. */
static int check_warnings(const mjData *data, char *why)
{
  static const struct {
    int of;
    const char *text;
  } warnings[] = { { mjWARN_BADQPOS, "a position was not finite or huge, and the run began anew" },
                   { mjWARN_BADQVEL, "a velocity was not finite or huge, and the run began anew" },
                   { mjWARN_BADQACC, "an acceleration was not finite or huge, and the run began anew" } };
  for (size_t i = 0; i < sizeof warnings / sizeof *warnings; i++)
    if (data->warning[warnings[i].of].number > 0) return engine_fail(why, "%s", warnings[i].text);
  return 0;
}

/* True if there was no room for all contacts. */
static bool is_full(const mjData *data)
{
  return data->warning[mjWARN_CONTACTFULL].number > 0 || data->warning[mjWARN_CNSTRFULL].number > 0;
}

/* Takes a step from the coordinates in force. */
static void advance(mujoco_world *w, double h, const hn_state *state)
{
  mjcb_contactfilter = filter, mjcb_passive = engine_has_forces(w->scene) ? add_forces : NULL;
  memcpy(w->stage->input, state->input, (size_t)state->ninput * sizeof *state->input);
  w->model->opt.timestep = h, w->data->time = state->time;
  mj_step(w->model, w->data);
}

static int step(void *world, double h, hn_state *state, int *iterations, char *why)
{
  mujoco_world *volatile w = world;
  current = w, reason = why;
  if (setjmp(failed)) return -1;
  advance(w, h, state);
  while (is_full(w->data)) { /* its memory is of a fixed size: a larger world repeats the step */
    free_model(w);
    w->trees.room *= 2;
    if (translate(w, why)) return -1;
    set_state(w, state), advance(w, h, state);
  }
  *iterations = w->data->solver_iter;
  mj_kinematics(w->model, w->data), mj_comPos(w->model, w->data), mj_comVel(w->model, w->data);
  read_state(w, state);
  return check_warnings(w->data, why);
}

/* ---- The solver ---------------------------------------------------------------------------------------- */

static const engine_kind kind = {
  .has = ENGINE_HAS(ENGINE_BALL) | ENGINE_HAS(ENGINE_HINGE) | ENGINE_HAS(ENGINE_UNIVERSAL) |
         ENGINE_HAS(ENGINE_FIXED) | ENGINE_HAS(ENGINE_SLIDER) | ENGINE_HAS(ENGINE_CYLINDRICAL) |
         ENGINE_HAS(ENGINE_PLANE) | ENGINE_HAS(ENGINE_POINT_ON_LINE) | ENGINE_HAS(ENGINE_POINT_ON_PLANE) |
         ENGINE_HAS(ENGINE_DISTANCE) | ENGINE_HAS(ENGINE_LIMIT) | ENGINE_HAS(ENGINE_DRY_FRICTION),
  .shapes = 1u << HN_BOX | 1u << HN_SPHERE | 1u << HN_CYLINDER | 1u << HN_CAPSULE | 1u << HN_PLANE,
  .planar = true,
  .spatial = true,
  .create = create,
  .set = set_state,
  .step = step,
  .free = free_world,
};

#define OPTION(key, kind, field, initial, low, high, unit, choices, help)               \
  {                                                                                     \
    key, kind, offsetof(mujoco_options, field), initial, low, high, unit, choices, help \
  }

static const hn_param params[] = {
  OPTION("integrator", HN_CHOICE, integrator, "euler", 0, 0, "", "euler,rk4,implicit",
         "of the joint coordinates"),
  OPTION("solver", HN_CHOICE, solver, "newton", 0, 0, "", "newton,pgs,cg", "of the soft constraints"),
  OPTION("cone", HN_CHOICE, cone, "pyramidal", 0, 0, "", "pyramidal,elliptic", "of friction"),
  OPTION("impratio", HN_REAL, impratio, "1", 1e-3, 1e6, "", NULL,
         "impedance of friction over that of the normal direction"),
  OPTION("iterations", HN_INTEGER, iterations, "100", 1, 1e6, "", NULL, "of the solver, at most"),
  OPTION("tolerance", HN_REAL, tolerance, "1e-8", 0, 1, "", NULL, "of the solver, relative"),
  OPTION("noslip", HN_INTEGER, noslip, "0", 0, 1e6, "", NULL, "iterations against slip after the solver"),
  OPTION("time_constant", HN_REAL, time_constant, "0.02", 1e-6, 1e3, "s", NULL,
         "softness of all constraints (solref); MuJoCo takes two steps at least"),
  OPTION("damping_ratio", HN_REAL, damping_ratio, "1", 1e-3, 1e3, "", NULL, "damping of them (solref)"),
  ENGINE_PARAMS,
  { .key = NULL },
};

static const char *const variants[] = {
  "", "integrator=rk4", "integrator=implicit", "cone=elliptic,impratio=10", "solver=pgs", NULL
};

static int order_of(const hn_solver *solver)
{
  return ((const mujoco_options *)solver->data)->integrator == RK4 ? 2 : 1;
}

static const hn_solver_type type = {
  .abi = HN_ABI,
  .name = "mujoco",
  .summary = "MuJoCo: joint coordinates, soft contacts and loops",
  .citation = "Todorov, Erez and Tassa 2012, MuJoCo: a physics engine for model-based control",
  .capabilities = ENGINE_CAPABILITIES,
  .data_size = sizeof(mujoco_options),
  .params = params,
  .setup = engine_setup,
  .step = engine_step,
  .reset = engine_reset,
  .free = engine_free,
  .order_of = order_of,
  .variants = variants,
  .user = (void *)(uintptr_t)&kind,
  .engine = "MuJoCo " MUJOCO_VERSION,
};

const hn_solver_type *const hn_plugin_solvers[] = { &type, NULL };
