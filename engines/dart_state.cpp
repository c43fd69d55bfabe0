// dart_state.cpp - copies states to DART's coordinates and back (dart_model.h).
#include "engines/dart_model.h"

#include <cmath>
#include <dart/dynamics/BallJoint.hpp>
#include <dart/dynamics/FreeJoint.hpp>
#include <dart/dynamics/PlanarJoint.hpp>
#include <dart/dynamics/PrismaticJoint.hpp>
#include <dart/dynamics/RevoluteJoint.hpp>
#include <dart/dynamics/TranslationalJoint.hpp>
#include <dart/dynamics/UniversalJoint.hpp>

using namespace dart::dynamics;
using Eigen::Isometry3d;
using Eigen::Vector3d;

namespace
{

Vector3d vector_of(const double *v)
{
  return Vector3d(v[0], v[1], v[2]);
}

// The angle of R, a rotation about AXIS, nearest to NEAR.
double angle_about(const Eigen::Matrix3d &R, const Vector3d &axis, double near)
{
  const Eigen::Quaterniond q(R);
  const double angle = 2.0 * std::atan2(q.vec().dot(axis), q.w());
  return angle + 2.0 * M_PI * std::round((near - angle) / (2.0 * M_PI));
}

// The angle by which a rotation about AXIS takes FROM, at right angles to it, to TO.
double angle_between(const Vector3d &axis, const Vector3d &from, const Vector3d &to)
{
  return std::atan2(axis.cross(from).dot(to), from.dot(to));
}

} // namespace

Isometry3d dart_pose(const hn_pose &pose)
{
  Isometry3d T = Isometry3d::Identity();
  T.linear() = Eigen::Quaterniond(pose.q[0], pose.q[1], pose.q[2], pose.q[3]).toRotationMatrix();
  T.translation() = vector_of(pose.x);
  return T;
}

// The coordinates of a joint that displaces its frame on the child by T.
Eigen::VectorXd dart_model::coordinates(const Joint *joint, const Isometry3d &T)
{
  if (const auto *hinge = dynamic_cast<const RevoluteJoint *>(joint))
    return Eigen::VectorXd::Constant(1, angle_about(T.linear(), hinge->getAxis(), joint->getPosition(0)));
  if (const auto *slider = dynamic_cast<const PrismaticJoint *>(joint))
    return Eigen::VectorXd::Constant(1, T.translation().dot(slider->getAxis()));
  if (dynamic_cast<const BallJoint *>(joint)) return BallJoint::convertToPositions(T.linear());
  if (dynamic_cast<const FreeJoint *>(joint)) return FreeJoint::convertToPositions(T);
  if (dynamic_cast<const TranslationalJoint *>(joint)) return T.translation();
  if (const auto *cross = dynamic_cast<const UniversalJoint *>(joint)) {
    const Vector3d &one = cross->getAxis1(), &two = cross->getAxis2();
    return Eigen::Vector2d(angle_between(one, two, T.linear() * two),
                           -angle_between(two, one, T.linear().transpose() * one));
  }
  if (const auto *flat = dynamic_cast<const PlanarJoint *>(joint))
    return Vector3d(T.translation().dot(flat->getTranslationalAxis1()),
                    T.translation().dot(flat->getTranslationalAxis2()),
                    angle_about(T.linear(), flat->getRotationalAxis(), joint->getPosition(2)));
  return Eigen::VectorXd(0);
}

void dart_model::set(const hn_state &from)
{
  for (const dart_member &m : member) {
    const Isometry3d parent = m.link.parent ? dart_pose(from.pose[m.link.parent]) : Isometry3d::Identity();
    const Isometry3d F = parent * m.joint->getTransformFromParentBodyNode();
    const Isometry3d M = dart_pose(from.pose[m.link.body]) * m.joint->getTransformFromChildBodyNode();
    m.joint->setPositions(coordinates(m.joint, F.inverse() * M));
  }
  for (const SkeletonPtr &s : skeleton)
    if (s->isMobile() && s->getNumDofs() > 0) set_velocities(s, from);
}

// The momentum of the bodies, seen by the joints, divided by the mass matrix.
void dart_model::set_velocities(const SkeletonPtr &of, const hn_state &from) const
{
  Eigen::VectorXd seen = Eigen::VectorXd::Zero(static_cast<int>(of->getNumDofs()));
  for (const dart_member &m : member) {
    const BodyNode *body = node[m.link.body];
    if (body->getSkeleton() != of) continue;
    const hn_twist &twist = from.twist[m.link.body];
    const Eigen::Matrix3d to_body = dart_pose(from.pose[m.link.body]).linear().transpose();
    Eigen::Vector6d V;
    V << to_body * vector_of(twist.w), to_body * vector_of(twist.v);
    const Eigen::VectorXd part = body->getJacobian().transpose() * (body->getSpatialInertia() * V);
    for (int i = 0; i < part.size(); i++) seen[body->getDependentGenCoordIndex(i)] += part[i];
  }
  of->setVelocities(of->getInvMassMatrix() * seen);
}

void dart_model::get(hn_state &to) const
{
  for (const dart_member &m : member) {
    const BodyNode *body = node[m.link.body];
    hn_pose &pose = to.pose[m.link.body];
    hn_twist &twist = to.twist[m.link.body];
    const Isometry3d &T = body->getTransform();
    const Eigen::Quaterniond q(T.linear());
    const double turned[4] = { q.w(), q.x(), q.y(), q.z() };
    if (scene.model->body[m.link.body].kind != HN_PARTICLE) std::copy(turned, turned + 4, pose.q);
    Eigen::Map<Vector3d>(pose.x) = T.translation();
    Eigen::Map<Vector3d>(twist.v) = body->getLinearVelocity();
    Eigen::Map<Vector3d>(twist.w) = body->getAngularVelocity();
  }
}
