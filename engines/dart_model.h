// dart_model.h - a model as DART knows it: skeletons, shapes, and constraints that close loops.
#ifndef ENGINES_DART_MODEL_H
#define ENGINES_DART_MODEL_H

#include "engines/engine.hpp"
#include "engines/engine_tree.hpp"

#include <dart/collision/CollisionGroup.hpp>
#include <dart/collision/CollisionResult.hpp>
#include <dart/constraint/ConstraintBase.hpp>
#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/Skeleton.hpp>
#include <dart/simulation/World.hpp>
#include <unordered_map>
#include <vector>

// A moving body, with the joint to its parent.
struct dart_member {
  engine_link link;
  double sign; // 1 or -1: rate of DART's coordinate over that of the joint
  dart::dynamics::Joint *joint;
};

// A plane, which is the top of a box.
struct dart_plane {
  int body;
  Eigen::Vector3d point;
};

class dart_model
{
public:
  explicit dart_model(const engine_scene &scene);

  dart::simulation::WorldPtr world;
  std::vector<dart_member> member; // parents first
  std::vector<dart::constraint::ConstraintBasePtr> closing;
  std::unordered_map<const dart::dynamics::ShapeFrame *, int> collider; // numbers of shapes in the model
  dart::collision::CollisionGroupPtr shapes;
  std::vector<dart_plane> plane;

  // Sets positions and velocities; velocities that the joints do not permit are projected in the metric of
  // the masses.
  void set(const hn_state &from);
  void get(hn_state &to) const;

private:
  const engine_scene &scene;
  std::vector<dart::dynamics::BodyNode *> node; // [nbody] nullptr: fixed, without shapes
  std::vector<dart::dynamics::SkeletonPtr> skeleton;

  Eigen::Isometry3d start_in(int body, const Eigen::Isometry3d &frame) const;
  dart::dynamics::BodyNode::Properties body_of(int body) const;
  void add_member(const engine_link &link);
  template <class joint_type> joint_type *connect(const engine_link &link);
  dart::dynamics::Joint *create_free(const engine_link &link);
  dart::dynamics::Joint *create_joint(const engine_link &link, bool reversed);
  void set_parts(const dart_member &m) const;
  double width_of(const engine_joint &joint) const;
  void close_loop(const engine_joint &joint);
  void add_fixed_bodies();
  void add_shapes();
  void add_shape(int number);
  static Eigen::VectorXd coordinates(const dart::dynamics::Joint *joint, const Eigen::Isometry3d &T);
  void set_velocities(const dart::dynamics::SkeletonPtr &of, const hn_state &from) const;
};

// Returns the pose of a body as DART has it.
Eigen::Isometry3d dart_pose(const hn_pose &pose);
// The edge of the box that stands for a plane, m, whose bodies may go a quarter of it from its origin.
const double dart_plane_size = 1000.0;

#endif
