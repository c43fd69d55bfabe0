// engine_tree.hpp - the spanning tree of engine_tree.h as vectors.
#ifndef ENGINES_ENGINE_TREE_HPP
#define ENGINES_ENGINE_TREE_HPP

#include "engines/engine_tree.h"

#include <new>
#include <vector>

struct engine_spanning_tree {
  std::vector<engine_link> link;             // of all moving bodies, parents first
  std::vector<const engine_joint *> closing; // the joints that are not in the tree

  engine_spanning_tree(const engine_scene &scene, int ranks, engine_rank *rank)
  {
    engine_tree tree;
    const bool grown = engine_tree_grow(&tree, &scene, ranks, rank) == 0;
    if (grown) {
      link.assign(tree.link, tree.link + tree.nlink);
      closing.assign(tree.closing, tree.closing + tree.nclosing);
    }
    engine_tree_free(&tree);
    if (!grown) throw std::bad_alloc();
  }
};

#endif
