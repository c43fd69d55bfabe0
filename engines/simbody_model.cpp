// simbody_model.cpp - translates bodies and joints to Simbody (simbody_model.h).
//
// Joints become mobilizers as long as they close no loop, those with motors first, then in their order; the
// tree grows from the ground, to which all fixed bodies belong. A body that no joint connects to the tree
// moves freely. Other joints are constraints:
//
//   ball         the points coincide
//   hinge        ball, and the axis of b at right angles to two axes of a
//   universal    ball, and both axes at right angles
//   slider       a point of b on a line of a, and constant orientation
//   cylindrical  a point of b on a line of a, and parallel axes
//   planar       a point of b in a plane of a, and parallel axes
//   fixed        a weld
//   distance     a rod
//
// Particles do not turn: they are bodies without moments of inertia whose mobilizers only translate, so that
// their ball joints are constraints.
#include "engines/simbody_model.h"

#include <cmath>
#include <string>

using namespace SimTK;

namespace
{

Transform transform_of(const hn_pose &pose)
{
  return Transform(Rotation(Quaternion(Vec4(pose.q[0], pose.q[1], pose.q[2], pose.q[3]))),
                   Vec3(pose.x[0], pose.x[1], pose.x[2]));
}

Vec3 vector_of(const double v[3])
{
  return Vec3(v[0], v[1], v[2]);
}

// A motor without a largest force: the rate of its mobilizer is that of the motor.
class motor : public Constraint::Custom::Implementation
{
public:
  motor(SimbodyMatterSubsystem &matter, const MobilizedBody &body, const simbody_member &member,
        const double *const *inputs)
      : Implementation(matter, 0, 1, 0), joint(member.joint), sign(member.sign), input(inputs),
        mobilizer(addConstrainedMobilizer(body))
  {
  }

  Implementation *clone() const override
  {
    return new motor(*this);
  }

  void calcVelocityErrors(const State &state, const Array_<SpatialVec, ConstrainedBodyIndex> &,
                          const Array_<Real, ConstrainedUIndex> &u, Array_<Real> &error) const override
  {
    error[0] = getOneU(state, u, mobilizer, MobilizerUIndex(0)) -
               sign * engine_motor_rate(joint, state.getTime(), *input);
  }

  void calcVelocityDotErrors(const State &state, const Array_<SpatialVec, ConstrainedBodyIndex> &,
                             const Array_<Real, ConstrainedUIndex> &udot, Array_<Real> &error) const override
  {
    const double dot = hn_motion_coefficient(&joint->motor->axes->motion, state.getTime(), 1);
    error[0] = getOneUDot(state, udot, mobilizer, MobilizerUIndex(0)) - sign * joint->motor_sign * dot;
  }

  void addInVelocityConstraintForces(const State &state, const Array_<Real> &multiplier,
                                     Array_<SpatialVec, ConstrainedBodyIndex> &,
                                     Array_<Real, ConstrainedUIndex> &force) const override
  {
    addInOneMobilityForce(state, mobilizer, MobilizerUIndex(0), multiplier[0], force);
  }

private:
  const engine_joint *joint;
  double sign;
  const double *const *input;
  ConstrainedMobilizerIndex mobilizer;
};

bool is_fixed(const hn_model *model, int body)
{
  return model->body[body].kind == HN_FIXED;
}

// The rank of a joint in the choice of mobilizers: 0 with a motor, 1 without; -1: it cannot be one.
int rank_of(const hn_model *model, const engine_joint *of)
{
  const engine_joint &joint = *of;
  const bool particle = model->body[joint.a].kind == HN_PARTICLE || model->body[joint.b].kind == HN_PARTICLE;
  return joint.kind == ENGINE_DISTANCE || particle ? -1 : joint.motor ? 0 : 1;
}

// The frame at the start, in world axes: z is the axis; of sliders x; of universal joints x and y both axes.
Rotation frame_of(const engine_joint &joint, bool reversed)
{
  if (joint.kind == ENGINE_BALL || joint.kind == ENGINE_FIXED) return Rotation();
  const UnitVec3 axis(vector_of(joint.axis));
  if (joint.kind == ENGINE_SLIDER) return Rotation(axis, XAxis);
  if (joint.kind != ENGINE_UNIVERSAL) return Rotation(axis, ZAxis);
  const UnitVec3 other(vector_of(joint.other));
  return reversed ? Rotation(other, XAxis, axis, YAxis) : Rotation(axis, XAxis, other, YAxis);
}

} // namespace

simbody_model::simbody_model(const engine_scene &from, const double *const *inputs)
    : matter(system), forces(system), scene(from), input(inputs),
      at(static_cast<size_t>(from.model->nbody), MobilizedBodyIndex(0))
{
  forces.setNumberOfThreads(1);
  const engine_spanning_tree tree(scene, 2, rank_of);
  for (const engine_link &link : tree.link) add_member(link);
  for (const engine_joint *joint : tree.closing) close_loop(*joint);
}

// FRAME, given in world axes at the start, in the axes of BODY.
Transform simbody_model::start_in(int body, const Transform &frame) const
{
  return is_fixed(scene.model, body) ? frame : ~transform_of(scene.model->body[body].pose0) * frame;
}

// Bodies of planar models have the moment of inertia about z only, which is then all three.
Body::Rigid simbody_model::mass_of(int body) const
{
  const hn_body &b = scene.model->body[body];
  const double Jx = scene.model->planar ? b.J[2] : b.J[0], Jy = scene.model->planar ? b.J[2] : b.J[1];
  return Body::Rigid(MassProperties(b.mass, Vec3(0), Inertia(Jx, Jy, b.J[2])));
}

void simbody_model::add_member(const engine_link &link)
{
  const int body = link.body, parent = link.parent;
  const engine_joint *joint = link.joint;
  simbody_member m{ body, parent, joint, 1.0, Transform(), Transform(), MobilizedBodyIndex(0) };
  if (joint) {
    const bool reversed = joint->b != body;
    const bool slides = joint->kind == ENGINE_SLIDER || joint->kind == ENGINE_CYLINDRICAL ||
                        joint->kind == ENGINE_PLANE;
    const Vec3 at_body = vector_of(reversed ? joint->at_a : joint->at_b);
    const Vec3 at_parent = vector_of(reversed ? joint->at_b : joint->at_a);
    const Rotation turned = frame_of(*joint, reversed);
    m.sign = reversed ? -1.0 : 1.0;
    m.X_PF = start_in(parent, Transform(turned, slides ? at_body : at_parent));
    m.X_BM = start_in(body, Transform(turned, at_body));
  } else if (scene.model->body[body].kind == HN_PARTICLE) {
    m.X_PF = Transform(transform_of(scene.model->body[body].pose0).R());
  }
  mobilize(m);
  at[body] = m.at;
  member.push_back(m);
  if (joint && joint->motor) add_motor(m);
}

void simbody_model::mobilize(simbody_member &m)
{
  const Body::Rigid mass = mass_of(m.body);
  MobilizedBody &parent = matter.updMobilizedBody(at[m.parent]);
  if (!m.joint) {
    const bool particle = scene.model->body[m.body].kind == HN_PARTICLE;
    if (particle) m.at = MobilizedBody::Translation(parent, m.X_PF, mass, m.X_BM).getMobilizedBodyIndex();
    else if (scene.model->planar) m.at = MobilizedBody::Planar(parent, m.X_PF, mass, m.X_BM);
    else m.at = MobilizedBody::Free(parent, m.X_PF, mass, m.X_BM);
    return;
  }
  switch (m.joint->kind) {
  case ENGINE_HINGE: m.at = MobilizedBody::Pin(parent, m.X_PF, mass, m.X_BM); break;
  case ENGINE_UNIVERSAL: m.at = MobilizedBody::Universal(parent, m.X_PF, mass, m.X_BM); break;
  case ENGINE_FIXED: m.at = MobilizedBody::Weld(parent, m.X_PF, mass, m.X_BM); break;
  case ENGINE_SLIDER: m.at = MobilizedBody::Slider(parent, m.X_PF, mass, m.X_BM); break;
  case ENGINE_CYLINDRICAL: m.at = MobilizedBody::Cylinder(parent, m.X_PF, mass, m.X_BM); break;
  case ENGINE_PLANE: m.at = MobilizedBody::Planar(parent, m.X_PF, mass, m.X_BM); break;
  default:
    if (scene.model->planar) m.at = MobilizedBody::Pin(parent, m.X_PF, mass, m.X_BM);
    else m.at = MobilizedBody::Ball(parent, m.X_PF, mass, m.X_BM);
  }
}

void simbody_model::add_motor(const simbody_member &m)
{
  if (std::isfinite(m.joint->motor_limit))
    throw std::runtime_error(std::string("joint ") + m.joint->motor->name +
                             ": a motor with a largest force is not translated");
  Constraint::Custom(new motor(matter, matter.getMobilizedBody(m.at), m, input));
}

void simbody_model::close_loop(const engine_joint &joint)
{
  MobilizedBody &a = matter.updMobilizedBody(at[joint.a]), &b = matter.updMobilizedBody(at[joint.b]);
  const Rotation turned = frame_of(joint, false);
  const Transform on_a = start_in(joint.a, Transform(turned, vector_of(joint.at_a))),
                  on_b = start_in(joint.b, Transform(turned, vector_of(joint.at_b)));
  const auto parallel = [&](CoordinateAxis axis, CoordinateAxis one, CoordinateAxis two) {
    Constraint::ConstantAngle(a, on_a.R().getAxisUnitVec(one), b, on_b.R().getAxisUnitVec(axis));
    Constraint::ConstantAngle(a, on_a.R().getAxisUnitVec(two), b, on_b.R().getAxisUnitVec(axis));
  };
  if (joint.motor)
    throw std::runtime_error(std::string("joint ") + joint.motor->name +
                             ": a motor in a joint that closes a loop, or at a particle, is not translated");
  switch (joint.kind) {
  case ENGINE_BALL: Constraint::Ball(a, on_a.p(), b, on_b.p()); break;
  case ENGINE_HINGE:
    Constraint::Ball(a, on_a.p(), b, on_b.p());
    if (!scene.model->planar) parallel(ZAxis, XAxis, YAxis);
    break;
  case ENGINE_UNIVERSAL:
    Constraint::Ball(a, on_a.p(), b, on_b.p());
    Constraint::ConstantAngle(a, on_a.x(), b, on_b.y());
    break;
  case ENGINE_FIXED: Constraint::Weld(a, on_a, b, on_b); break;
  case ENGINE_SLIDER:
    Constraint::PointOnLine(a, on_a.x(), on_a.p(), b, on_b.p());
    Constraint::ConstantOrientation(a, on_a.R(), b, on_b.R());
    break;
  case ENGINE_CYLINDRICAL:
    Constraint::PointOnLine(a, on_a.z(), on_a.p(), b, on_b.p());
    parallel(ZAxis, XAxis, YAxis);
    break;
  case ENGINE_PLANE:
    Constraint::PointInPlane(a, on_a.z(), dot(on_a.z(), on_a.p()), b, on_b.p());
    parallel(ZAxis, XAxis, YAxis);
    break;
  default: Constraint::Rod(a, on_a.p(), b, on_b.p(), joint.length);
  }
}

// The momentum of the bodies, seen by the mobilizers, divided by the mass matrix.
void simbody_model::set(const hn_state &from, State &state) const
{
  Vector_<SpatialVec> momentum(matter.getNumBodies(), SpatialVec(Vec3(0), Vec3(0)));
  Vector seen, u;
  for (const simbody_member &m : member) {
    const hn_pose &pose = from.pose[m.body];
    const hn_twist &twist = from.twist[m.body];
    const Transform X_GB = transform_of(pose);
    const Transform X_GF = m.parent ? transform_of(from.pose[m.parent]) * m.X_PF : m.X_PF;
    const MobilizedBody &body = matter.getMobilizedBody(m.at);
    body.setQToFitTransform(state, ~X_GF * (X_GB * m.X_BM));
    const Vec3 w = ~X_GB.R() * vector_of(twist.w);
    momentum[m.at] = SpatialVec(X_GB.R() * (body.getBodyMassProperties(state).getInertia() * w),
                                scene.model->body[m.body].mass * vector_of(twist.v));
  }
  system.realize(state, Stage::Position);
  matter.multiplyBySystemJacobianTranspose(state, momentum, seen);
  matter.multiplyByMInv(state, seen, u);
  state.updU() = u;
}

void simbody_model::get(const State &state, hn_state &to) const
{
  system.realize(state, Stage::Velocity);
  for (const simbody_member &m : member) {
    const MobilizedBody &body = matter.getMobilizedBody(m.at);
    const Transform &X = body.getBodyTransform(state);
    const SpatialVec &V = body.getBodyVelocity(state);
    const Quaternion q = X.R().convertRotationToQuaternion();
    const bool particle = scene.model->body[m.body].kind == HN_PARTICLE;
    for (int i = 0; i < 3; i++) to.pose[m.body].x[i] = X.p()[i];
    for (int i = 0; i < 4 && !particle; i++) to.pose[m.body].q[i] = q[i];
    for (int i = 0; i < 3; i++) to.twist[m.body].v[i] = V[1][i], to.twist[m.body].w[i] = V[0][i];
  }
}
