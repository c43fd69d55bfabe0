// dart_model.cpp - translates bodies, joints and shapes to DART (dart_model.h).
//
// A skeleton has the bodies that joints connect to one child of the ground. Its joints close no loop; those
// with limits, motors or friction come first, then types that DART has not as constraints, then hinges, fixed
// and ball joints. The others become constraints of velocities:
//
//   ball     BallJointConstraint
//   hinge    two of them, at two points of the axis
//   fixed    WeldJointConstraint
//
// Particles are bodies that only translate, so that their ball joints are constraints as well. A plane is the
// top of a box of 1 km, as DART's detector has no planes against boxes and spheres.
#include "engines/dart_model.h"

#include <dart/collision/dart/DARTCollisionDetector.hpp>
#include <dart/constraint/BallJointConstraint.hpp>
#include <dart/constraint/WeldJointConstraint.hpp>
#include <dart/dynamics/BallJoint.hpp>
#include <dart/dynamics/BoxShape.hpp>
#include <dart/dynamics/FreeJoint.hpp>
#include <dart/dynamics/PlanarJoint.hpp>
#include <dart/dynamics/PrismaticJoint.hpp>
#include <dart/dynamics/RevoluteJoint.hpp>
#include <dart/dynamics/SphereShape.hpp>
#include <dart/dynamics/TranslationalJoint.hpp>
#include <dart/dynamics/UniversalJoint.hpp>
#include <dart/dynamics/WeldJoint.hpp>
#include <string>

using namespace dart;
using namespace dart::dynamics;
using Eigen::Isometry3d;
using Eigen::Vector3d;

namespace
{

Vector3d vector_of(const double *v)
{
  return Vector3d(v[0], v[1], v[2]);
}

Isometry3d at_point(const double p[3])
{
  return Isometry3d(Eigen::Translation3d(vector_of(p)));
}

bool is_fixed(const hn_model *model, int body)
{
  return model->body[body].kind == HN_FIXED;
}

bool has_parts(const engine_joint &joint)
{
  return joint.has_limit || joint.motor || joint.friction > 0.0;
}

// The rank of a joint in the choice of those of skeletons; -1: it cannot be one.
int rank_of(const hn_model *model, const engine_joint *of)
{
  const engine_joint &joint = *of;
  if (model->body[joint.a].kind == HN_PARTICLE || model->body[joint.b].kind == HN_PARTICLE) return -1;
  switch (joint.kind) {
  case ENGINE_BALL: return 4;
  case ENGINE_FIXED: return 3;
  case ENGINE_HINGE: return has_parts(joint) ? 0 : 2;
  default: return has_parts(joint) ? 0 : 1;
  }
}

[[noreturn]] void refuse(const engine_joint &joint, const char *what)
{
  throw std::runtime_error(std::string("joint ") + joint.joint->name + ": " + what);
}

} // namespace

dart_model::dart_model(const engine_scene &from)
    : world(simulation::World::create()), scene(from), node(from.model->nbody)
{
  const engine_spanning_tree tree(scene, 5, rank_of);
  world->setGravity(vector_of(scene.model->gravity));
  for (const engine_link &link : tree.link) add_member(link);
  add_fixed_bodies();
  for (const SkeletonPtr &s : skeleton) world->addSkeleton(s);
  for (const engine_joint *joint : tree.closing) close_loop(*joint);
  add_shapes();
}

// FRAME, given in world axes at the start, in the axes of BODY.
Isometry3d dart_model::start_in(int body, const Isometry3d &frame) const
{
  return is_fixed(scene.model, body) ? frame : dart_pose(scene.model->body[body].pose0).inverse() * frame;
}

// ---- Bodies -----------------------------------------------------------------------------------------------

// A particle, which does not turn, has moments of inertia of 1 m^2 times its mass; a planar body has
// that about z for all axes.
BodyNode::Properties dart_model::body_of(int body) const
{
  const hn_body &b = scene.model->body[body];
  double J[3];
  for (int i = 0; i < 3; i++) J[i] = b.kind == HN_PARTICLE ? b.mass : scene.model->planar ? b.J[2] : b.J[i];
  BodyNode::Properties to;
  to.mName = b.name;
  to.mInertia = Inertia(b.mass, 0.0, 0.0, 0.0, J[0], J[1], J[2], 0.0, 0.0, 0.0);
  return to;
}

void dart_model::add_fixed_bodies()
{
  const hn_model *model = scene.model;
  const SkeletonPtr fixed = Skeleton::create("fixed");
  for (int i = 0; i < model->nbody; i++) {
    if (!is_fixed(model, i) || model->body[i].ncollider == 0 || model->margin == 0.0) continue;
    WeldJoint::Properties place;
    BodyNode::Properties body;
    body.mName = model->body[i].name;
    place.mT_ParentBodyToJoint = dart_pose(model->body[i].pose0);
    node[i] = fixed->createJointAndBodyNodePair<WeldJoint>(nullptr, place, body).second;
  }
  fixed->setMobile(false);
  if (fixed->getNumBodyNodes() > 0) skeleton.push_back(fixed);
}

// ---- Joints -----------------------------------------------------------------------------------------------

template <class joint_type> joint_type *dart_model::connect(const engine_link &link)
{
  BodyNode *parent = link.parent ? node[link.parent] : nullptr;
  const SkeletonPtr in = link.parent ? parent->getSkeleton() : skeleton.back();
  typename joint_type::Properties properties;
  properties.mName = std::string("of ") + scene.model->body[link.body].name; // DART wants each once
  const auto pair = in->createJointAndBodyNodePair<joint_type>(parent, properties, body_of(link.body));
  node[link.body] = pair.second;
  return pair.first;
}

Joint *dart_model::create_free(const engine_link &link)
{
  if (scene.model->body[link.body].kind != HN_PARTICLE) {
    if (scene.model->planar) return connect<PlanarJoint>(link);
    return connect<FreeJoint>(link);
  }
  Isometry3d turned = Isometry3d::Identity();
  turned.linear() = dart_pose(scene.model->body[link.body].pose0).linear().transpose();
  Joint *joint = connect<TranslationalJoint>(link);
  joint->setTransformFromChildBodyNode(turned);
  return joint;
}

// Creates the body and its joint, whose frames are parallel to the axes of the world at the start.
Joint *dart_model::create_joint(const engine_link &link, bool reversed)
{
  if (!link.joint) return create_free(link);
  const engine_joint &joint = *link.joint;
  const Vector3d n = vector_of(joint.axis), m = vector_of(joint.other);
  Joint *made = nullptr;
  const auto take = [&](auto *typed) {
    made = typed;
    return typed;
  };
  switch (joint.kind) {
  case ENGINE_HINGE: take(connect<RevoluteJoint>(link))->setAxis(n); break;
  case ENGINE_SLIDER: take(connect<PrismaticJoint>(link))->setAxis(n); break;
  case ENGINE_FIXED: take(connect<WeldJoint>(link)); break;
  case ENGINE_UNIVERSAL:
    take(connect<UniversalJoint>(link))->setAxis1(reversed ? m : n);
    static_cast<UniversalJoint *>(made)->setAxis2(reversed ? n : m);
    break;
  case ENGINE_PLANE:
    take(connect<PlanarJoint>(link))->setArbitraryPlane(n.unitOrthogonal(), n.cross(n.unitOrthogonal()));
    break;
  default:
    if (scene.model->planar) take(connect<RevoluteJoint>(link))->setAxis(Vector3d::UnitZ());
    else take(connect<BallJoint>(link));
  }
  const bool slides = joint.kind == ENGINE_SLIDER || joint.kind == ENGINE_PLANE;
  const double *at_body = reversed ? joint.at_a : joint.at_b, *at_parent = reversed ? joint.at_b : joint.at_a;
  made->setTransformFromParentBodyNode(start_in(link.parent, at_point(slides ? at_body : at_parent)));
  made->setTransformFromChildBodyNode(start_in(link.body, at_point(at_body)));
  return made;
}

void dart_model::add_member(const engine_link &link)
{
  const bool reversed = link.joint && link.joint->b != link.body;
  if (!link.parent) skeleton.push_back(Skeleton::create("skeleton" + std::to_string(skeleton.size())));
  const dart_member m{ link, reversed ? -1.0 : 1.0, create_joint(link, reversed) };
  if (link.joint) set_parts(m);
  member.push_back(m);
}

void dart_model::set_parts(const dart_member &m) const
{
  const engine_joint &joint = *m.link.joint;
  if (joint.has_limit) {
    if (joint.restitution > 0.0) refuse(joint, "the restitution of its limit is not translated");
    m.joint->setLimitEnforcement(true);
    m.joint->setPositionLowerLimit(0, m.sign > 0.0 ? joint.lower : -joint.upper);
    m.joint->setPositionUpperLimit(0, m.sign > 0.0 ? joint.upper : -joint.lower);
  }
  if (joint.friction > 0.0) m.joint->setCoulombFriction(0, joint.friction);
  if (!joint.motor) return;
  m.joint->setActuatorType(Joint::SERVO);
  m.joint->setForceLowerLimit(0, -joint.motor_limit);
  m.joint->setForceUpperLimit(0, joint.motor_limit);
}

// The distance between the two points of a hinge: the largest one of its point from a centre of mass, or 1 m.
double dart_model::width_of(const engine_joint &joint) const
{
  double width = 0.0;
  for (const int body : { joint.a, joint.b })
    if (!is_fixed(scene.model, body))
      width = std::max(width, (vector_of(joint.at_a) - vector_of(scene.model->body[body].pose0.x)).norm());
  return width > 0.0 ? width : 1.0;
}

// The constructors take the present poses, which are those of the start.
void dart_model::close_loop(const engine_joint &joint)
{
  BodyNode *a = is_fixed(scene.model, joint.a) ? nullptr : node[joint.a],
           *b = is_fixed(scene.model, joint.b) ? nullptr : node[joint.b];
  BodyNode *one = a ? a : b, *two = a ? b : nullptr;
  const Vector3d at = vector_of(joint.at_a), along = width_of(joint) * vector_of(joint.axis);
  const auto hold = [&](const Vector3d &p) {
    closing.push_back(two ? std::make_shared<constraint::BallJointConstraint>(one, two, p)
                          : std::make_shared<constraint::BallJointConstraint>(one, p));
  };
  if (has_parts(joint))
    refuse(joint, "a limit, motor or friction is not translated where the joint closes a loop");
  switch (joint.kind) {
  case ENGINE_BALL: hold(at); break;
  case ENGINE_HINGE:
    hold(at);
    if (!scene.model->planar) hold(at + along);
    break;
  case ENGINE_FIXED:
    closing.push_back(two ? std::make_shared<constraint::WeldJointConstraint>(one, two)
                          : std::make_shared<constraint::WeldJointConstraint>(one));
    break;
  default: refuse(joint, "a joint of its type is not translated where it closes a loop");
  }
}

// ---- Shapes -----------------------------------------------------------------------------------------------

void dart_model::add_shapes()
{
  const collision::CollisionDetectorPtr detector = collision::DARTCollisionDetector::create();
  shapes = detector->createCollisionGroup();
  for (int i = 0; i < scene.model->ncollider && scene.model->margin > 0.0; i++)
    if (scene.model->collider[i].group != 0) add_shape(i);
}

// The shape has no CollisionAspect, so that the world's own detection does not know it.
void dart_model::add_shape(int number)
{
  const hn_collider &c = scene.model->collider[number];
  const double *size = c.shape.size;
  Isometry3d place = dart_pose(c.place);
  ShapePtr shape;
  if (c.shape.kind == HN_BOX) shape = std::make_shared<BoxShape>(vector_of(size));
  else if (c.shape.kind == HN_SPHERE) shape = std::make_shared<SphereShape>(size[0]);
  else {
    const Eigen::Quaterniond up = Eigen::Quaterniond::FromTwoVectors(Vector3d::UnitZ(), vector_of(size));
    plane.push_back({ c.body, (dart_pose(scene.model->body[c.body].pose0) * place).translation() });
    place = place * up * Eigen::Translation3d(0.0, 0.0, -0.5 * dart_plane_size);
    shape = std::make_shared<BoxShape>(Vector3d::Constant(dart_plane_size));
  }
  ShapeNode *on = node[c.body]->createShapeNodeWith<DynamicsAspect>(shape);
  on->setRelativeTransform(place);
  collider[on] = number;
  shapes->addShapeFrame(on);
}
