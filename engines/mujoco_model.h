/* mujoco_model.h - a model as MuJoCo has it: trees of bodies with elementary joints. For mujoco.c. */
#ifndef ENGINES_MUJOCO_MODEL_H
#define ENGINES_MUJOCO_MODEL_H

#include "engines/engine.h"

#include <mujoco/mujoco.h>

/* A body in its tree. */
typedef struct mujoco_node {
  int parent;                /* its body of the model; -1: the world, where it floats or stands */
  const engine_joint *joint; /* to the parent; NULL: none */
  bool flipped;              /* the parent is body b of the joint */
  int id;                    /* its body in MuJoCo */
} mujoco_node;

typedef struct mujoco_trees {
  const engine_scene *scene;
  mujoco_node *node; /* [nbody] */
  bool *closes;      /* [scene->njoint] joints that close a loop */
  char options[512]; /* attributes of MuJoCo's <option> */
  int room;          /* for contacts */
} mujoco_trees;

/* The turning that the joint of a node leaves to the body CHILD. */
typedef enum mujoco_turning { MUJOCO_NO_TURNING, MUJOCO_AXIS, MUJOCO_CROSS, MUJOCO_SPHERE } mujoco_turning;
mujoco_turning mujoco_turning_of(const hn_model *model, const mujoco_node *node, int child);
/* Returns the axis of MUJOCO_AXIS at the start, world axes. */
const double *mujoco_axis_of(const hn_model *model, const engine_joint *joint);
/* Stores the directions of the slides of JOINT at the start, world axes; they belong to body a. Returns their
 * number. */
int mujoco_slides_of(const hn_model *model, const engine_joint *joint, double axis[2][3]);

/* Returns the model of TREES, whose scene and options are set, and its trees. Returns NULL after writing WHY.
 * mujoco_trees_free follows in either case. */
mjModel *mujoco_model_create(mujoco_trees *trees, char *why);
void mujoco_trees_free(mujoco_trees *trees);
/* Computes the coordinates qpos and their rates qvel of the model of TREES at STATE. */
void mujoco_coordinates(const mujoco_trees *trees, const mjModel *model, const hn_state *state, mjtNum *qpos,
                        mjtNum *qvel);

#endif
