// bullet_tree.cpp - Bullet's trees of bodies in joint coordinates, by Featherstone's method (bullet.hpp)
//
// Every tree of joints is a btMultiBody: on a fixed base where its root has a joint to the ground, else
// with the root as a free base. A joint whose child is its body a has the opposite coordinate. Forces act
// at the start of a step, also in the stages of Runge-Kutta's method; the impulses of contacts, limits and
// motors follow it. Bullet's collider of a link is what its limits and motors are found by: bodies without
// a shape have an empty one.
#include "engines/bullet.hpp"
#include "engines/engine_tree.hpp"

#include <BulletDynamics/Featherstone/btMultiBody.h>
#include <BulletDynamics/Featherstone/btMultiBodyConstraintSolver.h>
#include <BulletDynamics/Featherstone/btMultiBodyDynamicsWorld.h>
#include <BulletDynamics/Featherstone/btMultiBodyJointLimitConstraint.h>
#include <BulletDynamics/Featherstone/btMultiBodyJointMotor.h>
#include <BulletDynamics/Featherstone/btMultiBodyLinkCollider.h>
#include <cmath>

namespace
{
// A body in a tree. Link -1 is the base.
struct node {
  const engine_joint *joint = nullptr; // to its parent; NULL: a free base
  int parent = 0, tree = -1, link = -1;
  double sign = 1.0; // of Bullet's coordinate against that of the joint
  btQuaternion zero; // from the parent to the body, at the start
  btVector3 axis;    // body axes
  btVector3 to_pivot, from_pivot;
};

struct drive {
  const engine_joint *joint;
  double sign;
  btMultiBodyJointMotor *motor;
};

class tree_world : public bullet_world
{
public:
  tree_world(const engine_scene &scene, const bullet_options &options);
  void set(const hn_state &state) override;
  void step(double h, hn_state &state, int &iterations) override;

private:
  void check() const;
  void list_trees();
  void create_tree(int tree);
  void create_link(btMultiBody &tree, int body);
  void add_collider(btMultiBody &tree, int body);
  void add_parts(btMultiBody &tree, int body);
  void set_link(btMultiBody &tree, const node &n, int body, const hn_state &state);
  void apply_forces(const hn_state &state);
  void read(const btMultiBody &tree, const std::vector<int> &order, double h, hn_state &state);

  const engine_scene &scene_;
  const bullet_options &options_;
  bullet_shapes shapes_;
  btMultiBodyConstraintSolver solver_;
  std::vector<node> node_;              // [nbody]
  std::vector<std::vector<int>> order_; // bodies of each tree: the base, if it is free, then the links
  std::vector<std::unique_ptr<btMultiBody>> tree_;
  std::vector<std::unique_ptr<btMultiBodyLinkCollider>> collider_;
  std::vector<std::unique_ptr<btMultiBodyConstraint>> constraint_;
  std::vector<drive> drive_;
  std::vector<double> wrench_;
  std::unique_ptr<btMultiBodyDynamicsWorld> world_; // ends first
};

[[noreturn]] void refuse(const std::string &what)
{
  throw std::runtime_error(what + ": not translated by multibody=true");
}

// ---- Trees --------------------------------------------------------------------------------------------

void tree_world::check() const
{
  if (options_.solver != SEQUENTIAL)
    throw std::runtime_error("multibody=true is solved by solver=sequential alone");
  if (scene_.model->planar) refuse("the model is planar");
  for (int i = 0; i < scene_.njoint; i++) {
    const engine_joint &joint = scene_.joint[i];
    const std::string name = "joint " + std::string(joint.joint->name);
    if (joint.kind != ENGINE_BALL && joint.kind != ENGINE_HINGE && joint.kind != ENGINE_SLIDER &&
        joint.kind != ENGINE_FIXED)
      refuse(name + " is no ball, hinge, slider or fixed joint");
    for (int body : { joint.a, joint.b })
      if (scene_.model->body[body].kind == HN_PARTICLE) refuse(name + " is one of a particle");
    if (joint.restitution > 0.0) refuse(name + " has limits with restitution");
  }
}

// A root, on the ground or free, begins a tree.
void tree_world::list_trees()
{
  const engine_spanning_tree spanning(scene_, 1, [](const hn_model *, const engine_joint *) { return 0; });
  for (const engine_joint *joint : spanning.closing)
    refuse("joint " + std::string(joint->joint->name) + " closes a loop");
  for (const engine_link &link : spanning.link) {
    node &n = node_[static_cast<size_t>(link.body)];
    n.joint = link.joint, n.parent = link.parent,
    n.sign = link.joint && link.joint->b != link.body ? -1.0 : 1.0;
    n.tree = link.parent == 0 ? static_cast<int>(order_.size())
                              : node_[static_cast<size_t>(link.parent)].tree;
    if (link.parent == 0) order_.emplace_back();
    order_[static_cast<size_t>(n.tree)].push_back(link.body);
  }
}

// ---- Links --------------------------------------------------------------------------------------------

void tree_world::create_link(btMultiBody &tree, int body)
{
  static const hn_pose middle{ { 0, 0, 0 }, { 1, 0, 0, 0 } };
  const hn_body &b = scene_.model->body[body],
                &p = scene_.model->body[node_[static_cast<size_t>(body)].parent];
  node &n = node_[static_cast<size_t>(body)];
  const hn_pose &parent = p.kind == HN_FIXED ? middle : p.pose0;
  const int to = p.kind == HN_FIXED ? -1 : node_[static_cast<size_t>(n.parent)].link;
  const btQuaternion turn = bullet_rotation(b.pose0.q).inverse(),
                     turn_parent = bullet_rotation(parent.q).inverse();
  const double *on_child = n.sign > 0.0 ? n.joint->at_b : n.joint->at_a;
  const double *on_parent = n.sign > 0.0 ? n.joint->at_a : n.joint->at_b;
  const btVector3 J = bullet_vector(b.J);
  n.zero = turn * turn_parent.inverse();
  n.axis = quatRotate(turn, bullet_vector(n.joint->axis));
  n.to_pivot = quatRotate(turn_parent, bullet_vector(on_parent) - bullet_vector(parent.x));
  n.from_pivot = quatRotate(turn, bullet_vector(b.pose0.x) - bullet_vector(on_child));
  switch (n.joint->kind) {
  case ENGINE_HINGE:
    tree.setupRevolute(n.link, b.mass, J, to, n.zero, n.axis, n.to_pivot, n.from_pivot, false);
    break;
  case ENGINE_SLIDER:
    tree.setupPrismatic(n.link, b.mass, J, to, n.zero, n.axis, n.to_pivot, n.from_pivot, false);
    break;
  case ENGINE_BALL:
    tree.setupSpherical(n.link, b.mass, J, to, n.zero, n.to_pivot, n.from_pivot, false);
    break;
  default: tree.setupFixed(n.link, b.mass, J, to, n.zero, n.to_pivot, n.from_pivot, false);
  }
}

void tree_world::add_collider(btMultiBody &tree, int body)
{
  const int link = node_[static_cast<size_t>(body)].link;
  btMultiBodyLinkCollider *collider = new btMultiBodyLinkCollider(&tree, link);
  collider_.emplace_back(collider);
  collider->setCollisionShape(shapes_.of_body(body));
  collider->setWorldTransform(bullet_pose(scene_.model->body[body].pose0));
  collider->setActivationState(DISABLE_DEACTIVATION);
  bullet_shapes::mark(*collider, body);
  if (link < 0) tree.setBaseCollider(collider);
  else tree.getLink(link).m_collider = collider;
  world_->addCollisionObject(collider);
}

void tree_world::add_parts(btMultiBody &tree, int body)
{
  const node &n = node_[static_cast<size_t>(body)];
  if (!n.joint) return;
  if (n.joint->has_limit) {
    const double lower = n.sign > 0.0 ? n.joint->lower : -n.joint->upper,
                 upper = n.sign > 0.0 ? n.joint->upper : -n.joint->lower;
    constraint_.emplace_back(new btMultiBodyJointLimitConstraint(&tree, n.link, lower, upper));
  }
  if (n.joint->motor || n.joint->friction > 0.0) {
    btMultiBodyJointMotor *motor = new btMultiBodyJointMotor(&tree, n.link, 0.0, 0.0);
    constraint_.emplace_back(motor);
    drive_.push_back({ n.joint, n.sign, motor });
  }
}

void tree_world::create_tree(int tree)
{
  const std::vector<int> &order = order_[static_cast<size_t>(tree)];
  const hn_body &base = scene_.model->body[order[0]];
  const bool fixed = node_[static_cast<size_t>(order[0])].joint != nullptr;
  // A particle without joints does not turn.
  const btVector3 inertia = base.kind == HN_PARTICLE ? btVector3(1, 1, 1) * base.mass : bullet_vector(base.J);
  int links = 0;
  for (int body : order)
    node_[static_cast<size_t>(body)].link = node_[static_cast<size_t>(body)].joint ? links++ : -1;
  btMultiBody *t = new btMultiBody(links, fixed ? 0.0 : base.mass, fixed ? btVector3(0, 0, 0) : inertia,
                                   fixed, false);
  tree_.emplace_back(t);
  for (int body : order)
    if (node_[static_cast<size_t>(body)].joint) create_link(*t, body);
  t->finalizeMultiDof();
  t->setLinearDamping(0.0), t->setAngularDamping(0.0);
  t->setMaxAppliedImpulse(SIMD_INFINITY), t->setMaxCoordinateVelocity(SIMD_INFINITY);
  t->useRK4Integration(options_.integrator == RK4);
  world_->addMultiBody(t);
  for (int body : order) add_collider(*t, body), add_parts(*t, body);
}

// ---- The world ----------------------------------------------------------------------------------------

tree_world::tree_world(const engine_scene &scene, const bullet_options &options)
    : scene_(scene), options_(options), shapes_(scene, options),
      node_(static_cast<size_t>(scene.model->nbody)), wrench_(6 * static_cast<size_t>(scene.model->nbody))
{
  check();
  world_.reset(new btMultiBodyDynamicsWorld(&shapes_.dispatcher(), &shapes_.broadphase(), &solver_,
                                            &shapes_.configuration()));
  bullet_configure(*world_, scene, options);
  world_->getSolverInfo().m_splitImpulse = false; // limits of trees would not be kept
  shapes_.enter(*world_);
  list_trees();
  for (size_t i = 0; i < order_.size(); i++) create_tree(static_cast<int>(i));
  for (const auto &constraint : constraint_) world_->addMultiBodyConstraint(constraint.get());
}

// Sets coordinate and rate of a link from the poses and twists of it and of its parent.
void tree_world::set_link(btMultiBody &tree, const node &n, int body, const hn_state &state)
{
  static const hn_pose middle{ { 0, 0, 0 }, { 1, 0, 0, 0 } };
  static const hn_twist rest{};
  const bool fixed = scene_.model->body[n.parent].kind == HN_FIXED;
  const hn_pose &pose = state.pose[body], &parent = fixed ? middle : state.pose[n.parent];
  const hn_twist &twist = state.twist[body], &carried = fixed ? rest : state.twist[n.parent];
  const btQuaternion turn = bullet_rotation(pose.q).inverse(), now = turn * bullet_rotation(parent.q);
  const btQuaternion turned = now * n.zero.inverse();
  const btVector3 apart = bullet_vector(pose.x) - bullet_vector(parent.x);
  const btVector3 spin = quatRotate(turn, bullet_vector(twist.w) - bullet_vector(carried.w));
  const btVector3 move = quatRotate(turn, bullet_vector(twist.v) - bullet_vector(carried.v) -
                                            bullet_vector(carried.w).cross(apart));
  if (n.joint->kind == ENGINE_HINGE) {
    const double along = n.axis.dot(btVector3(turned.x(), turned.y(), turned.z()));
    const double angle = -2.0 * std::atan2(along, turned.w());
    tree.setJointPos(n.link, std::remainder(angle, SIMD_2_PI)), tree.setJointVel(n.link, n.axis.dot(spin));
  } else if (n.joint->kind == ENGINE_SLIDER) {
    const btVector3 from = quatRotate(turn, apart) - n.from_pivot - quatRotate(now, n.to_pivot);
    tree.setJointPos(n.link, n.axis.dot(from)), tree.setJointVel(n.link, n.axis.dot(move));
  } else if (n.joint->kind == ENGINE_BALL) {
    const double position[4] = { turned.x(), turned.y(), turned.z(), -turned.w() };
    const double velocity[3] = { spin.x(), spin.y(), spin.z() };
    tree.setJointPosMultiDof(n.link, position), tree.setJointVelMultiDof(n.link, velocity);
  }
}

void tree_world::set(const hn_state &state)
{
  for (size_t i = 0; i < order_.size(); i++) {
    btMultiBody &t = *tree_[i];
    for (int body : order_[i]) {
      const node &n = node_[static_cast<size_t>(body)];
      if (n.joint) {
        set_link(t, n, body, state);
        continue;
      }
      t.setBasePos(bullet_vector(state.pose[body].x));
      t.setWorldToBaseRot(bullet_rotation(state.pose[body].q).inverse());
      t.setBaseVel(bullet_vector(state.twist[body].v)), t.setBaseOmega(bullet_vector(state.twist[body].w));
    }
    btAlignedObjectArray<btQuaternion> turns;
    btAlignedObjectArray<btVector3> origins;
    t.forwardKinematics(turns, origins);
    t.updateCollisionObjectWorldTransforms(turns, origins);
  }
}

void tree_world::apply_forces(const hn_state &state)
{
  engine_forces(&scene_, &state, wrench_.data());
  for (size_t i = 0; i < order_.size(); i++)
    for (int body : order_[i]) {
      const int link = node_[static_cast<size_t>(body)].link;
      const btVector3 force = bullet_vector(&wrench_[6 * static_cast<size_t>(body)]),
                      torque = bullet_vector(&wrench_[6 * static_cast<size_t>(body) + 3]);
      if (link < 0) tree_[i]->addBaseForce(force), tree_[i]->addBaseTorque(torque);
      else tree_[i]->addLinkForce(link, force), tree_[i]->addLinkTorque(link, torque);
    }
}

void tree_world::read(const btMultiBody &tree, const std::vector<int> &order, double h, hn_state &state)
{
  const size_t count = static_cast<size_t>(tree.getNumLinks()) + 1;
  std::vector<btVector3> omega(count), velocity(count), origin(count);
  std::vector<btQuaternion> turn(count);
  tree.compTreeLinkVelocities(omega.data(), velocity.data());
  turn[0] = tree.getWorldToBaseRot(), origin[0] = tree.getBasePos();
  for (int i = 0; i < tree.getNumLinks(); i++) {
    const size_t k = static_cast<size_t>(i) + 1, p = static_cast<size_t>(tree.getParent(i) + 1);
    turn[k] = tree.getParentToLocalRot(i) * turn[p];
    origin[k] = origin[p] + quatRotate(turn[k].inverse(), tree.getRVector(i));
  }
  for (int body : order) {
    const size_t k = static_cast<size_t>(node_[static_cast<size_t>(body)].link + 1);
    const btQuaternion back = turn[k].inverse();
    bullet_check_turn(omega[k], h, scene_.model->body[body].name);
    bullet_read(btTransform(back, origin[k]), quatRotate(back, velocity[k]), quatRotate(back, omega[k]), body,
                state);
  }
}

void tree_world::step(double h, hn_state &state, int &iterations)
{
  if (engine_has_forces(&scene_)) apply_forces(state);
  for (const drive &d : drive_) {
    const double rate = d.joint->motor ? engine_motor_rate(d.joint, state.time + h, state.input) : 0.0;
    const double force = d.joint->motor ? d.joint->motor_limit : d.joint->friction;
    d.motor->setVelocityTarget(d.sign * rate);
    d.motor->setMaxAppliedImpulse(force * h < SIMD_INFINITY ? force * h : SIMD_INFINITY);
  }
  world_->stepSimulation(h, 0);
  iterations = solver_.m_analyticsData.m_numIterationsUsed;
  for (size_t i = 0; i < order_.size(); i++) read(*tree_[i], order_[i], h, state);
}
} // namespace

std::unique_ptr<bullet_world> bullet_tree_world(const engine_scene &scene, const bullet_options &options)
{
  return std::unique_ptr<bullet_world>(new tree_world(scene, options));
}
