// engine_tree.hpp - a spanning tree of a model's joints, for engines with coordinates of joints.
#ifndef ENGINES_ENGINE_TREE_HPP
#define ENGINES_ENGINE_TREE_HPP

#include "engines/engine.h"

#include <algorithm>
#include <functional>
#include <vector>

// A moving body and the joint that connects it to its parent.
struct engine_link {
  int body, parent;          // numbers in the model; parent 0: the ground, or any fixed body
  const engine_joint *joint; // nullptr: it moves freely
};

// Chooses joints that close no loop, those of a lower rank first, then in their order. The tree grows from
// the ground, to which all fixed bodies belong; where no joint leads there, from the first body.
class engine_tree
{
public:
  // RANK of joints that can be in the tree is at least 0 and below RANKS; of others it is negative.
  engine_tree(const engine_scene &scene, int ranks, const std::function<int(const engine_joint &)> &rank)
      : model(scene.model), set(model->nbody), of(model->nbody), there(model->nbody)
  {
    std::vector<bool> chosen(scene.njoint);
    for (int i = 0; i < model->nbody; i++) set[i] = is_fixed(i) ? 0 : i;
    for (int r = 0; r < ranks; r++)
      for (int j = 0; j < scene.njoint; j++)
        if (rank(scene.joint[j]) == r) chosen[j] = unite(scene.joint[j]);
    for (int i = 0; i < model->nbody; i++)
      if (!there[i] && (is_fixed(i) || find(i) != 0)) grow(i);
    for (int j = 0; j < scene.njoint; j++)
      if (!chosen[j] && !(is_fixed(scene.joint[j].a) && is_fixed(scene.joint[j].b)))
        closing.push_back(&scene.joint[j]);
  }

  std::vector<engine_link> link;             // of all moving bodies, parents first
  std::vector<const engine_joint *> closing; // the other joints

private:
  const hn_model *model;
  std::vector<int> set;                              // a partition of the bodies by the joints chosen
  std::vector<std::vector<const engine_joint *>> of; // [nbody] joints of the tree at each body
  std::vector<bool> there;                           // [nbody] the body is in the tree

  bool is_fixed(int body) const
  {
    return model->body[body].kind == HN_FIXED;
  }

  int find(int node)
  {
    while (set[node] != node) node = set[node] = set[set[node]];
    return node;
  }

  // Adds JOINT unless it closes a loop.
  bool unite(const engine_joint &joint)
  {
    const int a = find(joint.a), b = find(joint.b);
    if (a == b) return false;
    set[std::max(a, b)] = std::min(a, b);
    of[joint.a].push_back(&joint), of[joint.b].push_back(&joint);
    return true;
  }

  // Adds what the joints connect to ROOT, outwards.
  void grow(int root)
  {
    std::vector<int> queue{ root };
    there[root] = true;
    if (!is_fixed(root)) link.push_back({ root, 0, nullptr });
    for (size_t k = 0; k < queue.size(); k++)
      for (const engine_joint *joint : of[queue[k]]) {
        const int next = joint->a == queue[k] ? joint->b : joint->a;
        if (there[next] || is_fixed(next)) continue;
        there[next] = true;
        link.push_back({ next, is_fixed(queue[k]) ? 0 : queue[k], joint });
        queue.push_back(next);
      }
  }
};

#endif
