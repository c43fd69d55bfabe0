/* engine_tree.h - a spanning tree of a model's joints, for engines with coordinates of joints. */
#ifndef ENGINES_ENGINE_TREE_H
#define ENGINES_ENGINE_TREE_H

#include "engines/engine.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A moving body and the joint that connects it to its parent. */
typedef struct engine_link {
  int body, parent;          /* numbers in the model; parent 0: the ground, or any fixed body */
  const engine_joint *joint; /* NULL: it moves freely */
} engine_link;

typedef struct engine_tree {
  engine_link *link; /* [nlink] of all moving bodies, parents first */
  int nlink, nclosing;
  const engine_joint **closing; /* [nclosing] the joints that are not in the tree */
} engine_tree;

/* Returns the rank of JOINT in a tree: 0 for the first to choose; negative: it is in none. */
typedef int engine_rank(const hn_model *model, const engine_joint *joint);

/* Chooses joints that close no loop, those of a lower rank first, then in their order; ranks are below RANKS.
 * The tree grows from the ground, to which all fixed bodies belong; where no joint leads there, from the
 * first body. Returns -1 if memory runs out; engine_tree_free follows in either case. */
int engine_tree_grow(engine_tree *tree, const engine_scene *scene, int ranks, engine_rank *rank);
void engine_tree_free(engine_tree *tree);

#ifdef __cplusplus
}
#endif

#endif
