// bullet_rigid.cpp - Bullet's rigid bodies in six coordinates each, with joints as constraints (bullet.hpp)
//
// Body b of a joint is Bullet's second one, so that coordinates have one sign. Planar bodies have linear
// and angular factors of 0 out of the plane, and all moments of inertia are that about z; none of them
// acts. Bullet's slider leaves its rotation free in a step in which the angle is 0 to the bit: a motor of
// rate 0 on that angle, without limit of force, adds the row.
#include "engines/bullet.hpp"

#include <BulletDynamics/ConstraintSolver/btNNCGConstraintSolver.h>
#include <BulletDynamics/MLCPSolvers/btDantzigSolver.h>
#include <BulletDynamics/MLCPSolvers/btLemkeSolver.h>
#include <BulletDynamics/MLCPSolvers/btMLCPSolver.h>
#include <BulletDynamics/MLCPSolvers/btSolveProjectedGaussSeidel.h>
#include <cmath>

namespace
{
// A joint whose motor or dry friction is set before each step; one of the three pointers is not NULL.
struct motor {
  const engine_joint *joint;
  btHingeConstraint *hinge;
  btSliderConstraint *slider;
  bullet_row *row;
};

class rigid_world : public bullet_world
{
public:
  rigid_world(const engine_scene &scene, const bullet_options &options);
  void set(const hn_state &state) override;
  void step(double h, hn_state &state, int &iterations) override;

private:
  void create_solver();
  void add_body(int i);
  void add_joint(const engine_joint &joint);
  btTypedConstraint *native(const engine_joint &joint, btRigidBody &a, btRigidBody &b);
  void set_own_motor(const engine_joint &joint, btTypedConstraint *constraint);
  void add_rows(const engine_joint &joint, btRigidBody &a, btRigidBody &b);
  void apply_forces(const hn_state &state);
  void drive(double h, const hn_state &state);

  const engine_scene &scene_;
  const bullet_options &options_;
  bullet_shapes shapes_;
  std::unique_ptr<btMLCPSolverInterface> lcp_;
  std::unique_ptr<btSequentialImpulseConstraintSolver> solver_;
  btMLCPSolver *mlcp_ = nullptr;
  btRigidBody ground_{ btRigidBody::btRigidBodyConstructionInfo(0.0, nullptr, nullptr) };
  std::vector<std::unique_ptr<btRigidBody>> body_; // NULL: fixed
  std::vector<std::unique_ptr<btTypedConstraint>> constraint_;
  std::vector<motor> motor_;
  std::vector<double> wrench_;
  std::unique_ptr<btDiscreteDynamicsWorld> world_; // ends first
};

// ---- Bodies -------------------------------------------------------------------------------------------

void rigid_world::create_solver()
{
  switch (options_.solver) {
  case NNCG: solver_.reset(new btNNCGConstraintSolver); return;
  case DANTZIG: lcp_.reset(new btDantzigSolver); break;
  case LEMKE: lcp_.reset(new btLemkeSolver); break;
  case PGS: lcp_.reset(new btSolveProjectedGaussSeidel); break;
  default: solver_.reset(new btSequentialImpulseConstraintSolver); return;
  }
  solver_.reset(mlcp_ = new btMLCPSolver(lcp_.get()));
}

int gyroscopic_flags(const hn_body &body, int which)
{
  static const int flags[] = { BT_ENABLE_GYROSCOPIC_FORCE_IMPLICIT_BODY,
                               BT_ENABLE_GYROSCOPIC_FORCE_IMPLICIT_WORLD, BT_ENABLE_GYROSCOPIC_FORCE_EXPLICIT,
                               0 };
  const double *J = body.J;
  if (body.kind != HN_RIGID || (J[0] == J[1] && J[1] == J[2])) return 0;
  const bool tiny = !(J[0] * J[1] * J[2] > 4.0 * SIMD_EPSILON);
  if (tiny && (which == GYRO_IMPLICIT || which == GYRO_WORLD))
    throw std::runtime_error(
      "body " + std::string(body.name) +
      ": its moments of inertia are too small for Bullet's implicit gyroscopic moment: set "
      "gyroscopic=explicit or scale the model");
  return flags[which];
}

void rigid_world::add_body(int i)
{
  const hn_body &body = scene_.model->body[i];
  if (body.kind == HN_FIXED) return;
  const bool planar = scene_.model->planar;
  const btVector3 J = planar ? btVector3(body.J[2], body.J[2], body.J[2]) : bullet_vector(body.J);
  btRigidBody *b = new btRigidBody(
    btRigidBody::btRigidBodyConstructionInfo(body.mass, nullptr, shapes_.of_body(i), J));
  body_[static_cast<size_t>(i)].reset(b);
  b->setDamping(0.0, 0.0);
  b->setActivationState(DISABLE_DEACTIVATION);
  b->setFlags(planar ? 0 : gyroscopic_flags(body, options_.gyroscopic));
  if (planar) b->setLinearFactor(btVector3(1, 1, 0)), b->setAngularFactor(btVector3(0, 0, 1));
  b->setCenterOfMassTransform(bullet_pose(body.pose0));
  bullet_shapes::mark(*b, i);
  world_->addRigidBody(b);
}

// ---- Joints -------------------------------------------------------------------------------------------

// Motor or dry friction of a joint without limits.
void rigid_world::set_own_motor(const engine_joint &joint, btTypedConstraint *constraint)
{
  if (joint.has_limit || (!joint.motor && joint.friction <= 0.0)) return;
  const bool hinge = joint.kind == ENGINE_HINGE;
  motor_.push_back({ &joint, hinge ? static_cast<btHingeConstraint *>(constraint) : nullptr,
                     hinge ? nullptr : static_cast<btSliderConstraint *>(constraint), nullptr });
}

// Returns Bullet's own joint of that kind, or NULL.
btTypedConstraint *rigid_world::native(const engine_joint &joint, btRigidBody &a, btRigidBody &b)
{
  const int number = joint.kind == ENGINE_HINGE ? 2 : 0;
  const btTransform in_a = a.getCenterOfMassTransform().inverse() *
                           bullet_frame(joint.at_a, joint.axis, number),
                    in_b = b.getCenterOfMassTransform().inverse() *
                           bullet_frame(joint.at_b, joint.axis, number);
  switch (joint.kind) {
  case ENGINE_BALL:
  case ENGINE_UNIVERSAL: return new btPoint2PointConstraint(a, b, in_a.getOrigin(), in_b.getOrigin());
  case ENGINE_HINGE: return new btHingeConstraint(a, b, in_a, in_b, true);
  case ENGINE_FIXED: {
    btFixedConstraint *fixed = new btFixedConstraint(a, b, in_a, in_b);
    for (int i = 0; i < 6; i++) fixed->setParam(BT_CONSTRAINT_STOP_ERP, options_.erp, i);
    return fixed;
  }
  case ENGINE_SLIDER:
  case ENGINE_CYLINDRICAL: {
    btSliderConstraint *slider = new btSliderConstraint(a, b, in_a, in_b, true);
    if (joint.kind == ENGINE_CYLINDRICAL) slider->setLowerAngLimit(1.0), slider->setUpperAngLimit(-1.0);
    else slider->setPoweredAngMotor(true), slider->setMaxAngMotorForce(SIMD_INFINITY);
    return slider;
  }
  default: return nullptr;
  }
}

bullet_row row_of(const engine_joint &joint, const btRigidBody &a, const btRigidBody &b,
                  bullet_quantity quantity)
{
  const btTransform A = a.getCenterOfMassTransform().inverse(), B = b.getCenterOfMassTransform().inverse();
  const btMatrix3x3 frame = bullet_frame(joint.at_a, joint.axis, 0).getBasis();
  bullet_row row{};
  row.quantity = quantity, row.role = ROW_EQUATION;
  row.point_a = A * bullet_vector(joint.at_a), row.point_b = B * bullet_vector(joint.at_b);
  row.axis_a = A.getBasis() * bullet_vector(joint.axis);
  row.axis_b = B.getBasis() * bullet_vector(joint.kind == ENGINE_UNIVERSAL ? joint.other : joint.axis);
  row.second_a = A.getBasis() * frame.getColumn(1), row.second_b = B.getBasis() * frame.getColumn(1);
  row.length = joint.length, row.lower = -HUGE_VAL, row.upper = HUGE_VAL;
  return row;
}

// The equations of joint kinds that Bullet lacks.
void add_equations(std::vector<bullet_row> &rows, const engine_joint &joint, const btRigidBody &a,
                   const btRigidBody &b)
{
  if (joint.kind == ENGINE_UNIVERSAL) rows.push_back(row_of(joint, a, b, ROW_COSINE));
  if (joint.kind == ENGINE_DISTANCE) rows.push_back(row_of(joint, a, b, ROW_DISTANCE));
  if (joint.kind == ENGINE_PLANE || joint.kind == ENGINE_POINT_ON_PLANE)
    rows.push_back(row_of(joint, a, b, ROW_ALONG));
  if (joint.kind != ENGINE_PLANE && joint.kind != ENGINE_POINT_ON_LINE) return;
  for (int i = 1; i < 3; i++) { // directions across the axis
    bullet_row across = row_of(joint, a, b, joint.kind == ENGINE_PLANE ? ROW_COSINE : ROW_ALONG);
    const btMatrix3x3 frame = bullet_frame(joint.at_a, joint.axis, 0).getBasis();
    across.axis_a = a.getCenterOfMassTransform().getBasis().transpose() * frame.getColumn(i);
    rows.push_back(across);
  }
}

void rigid_world::add_rows(const engine_joint &joint, btRigidBody &a, btRigidBody &b)
{
  std::unique_ptr<bullet_rows> rows(new bullet_rows(a, b));
  const bullet_quantity coordinate = joint.kind == ENGINE_HINGE ? ROW_ANGLE : ROW_ALONG;
  add_equations(rows->row, joint, a, b);
  if (joint.has_limit) {
    bullet_row limit = row_of(joint, a, b, coordinate), drive = limit;
    limit.role = ROW_LIMIT, limit.lower = joint.lower, limit.upper = joint.upper;
    limit.restitution = joint.restitution, limit.threshold = scene_.model->threshold;
    drive.role = ROW_MOTOR;
    rows->row.push_back(limit);
    if (joint.motor || joint.friction > 0.0) rows->row.push_back(drive);
  }
  if (rows->row.empty()) return;
  if (joint.has_limit && (joint.motor || joint.friction > 0.0))
    motor_.push_back({ &joint, nullptr, nullptr, &rows->row.back() });
  world_->addConstraint(rows.get(), false);
  constraint_.push_back(std::move(rows));
}

void rigid_world::add_joint(const engine_joint &joint)
{
  btRigidBody *a = body_[static_cast<size_t>(joint.a)].get(), *b = body_[static_cast<size_t>(joint.b)].get();
  if (!a && !b) return;
  if (!a) a = &ground_;
  if (!b) b = &ground_;
  btTypedConstraint *own = native(joint, *a, *b);
  if (own) {
    constraint_.emplace_back(own);
    world_->addConstraint(own, false);
    set_own_motor(joint, own);
  }
  add_rows(joint, *a, *b);
}

// ---- The world ----------------------------------------------------------------------------------------

rigid_world::rigid_world(const engine_scene &scene, const bullet_options &options)
    : scene_(scene), options_(options), shapes_(scene, options),
      body_(static_cast<size_t>(scene.model->nbody)), wrench_(6 * static_cast<size_t>(scene.model->nbody))
{
  if (options.solver == LEMKE && scene.model->margin > 0.0)
    throw std::runtime_error(
      "solver=lemke bounds friction by no normal force, so that contacts are not translated");
  create_solver();
  world_.reset(new btDiscreteDynamicsWorld(&shapes_.dispatcher(), &shapes_.broadphase(), solver_.get(),
                                           &shapes_.configuration()));
  bullet_configure(*world_, scene, options);
  shapes_.enter(*world_);
  for (int i = 0; i < scene.model->nbody; i++) add_body(i);
  for (int i = 0; i < scene.njoint; i++) add_joint(scene.joint[i]);
}

void rigid_world::set(const hn_state &state)
{
  for (size_t i = 0; i < body_.size(); i++) {
    btRigidBody *b = body_[i].get();
    if (!b) continue;
    b->setCenterOfMassTransform(bullet_pose(state.pose[i]));
    b->setLinearVelocity(bullet_vector(state.twist[i].v)),
      b->setAngularVelocity(bullet_vector(state.twist[i].w));
    b->setInterpolationLinearVelocity(b->getLinearVelocity());
    b->setInterpolationAngularVelocity(b->getAngularVelocity());
  }
}

void rigid_world::apply_forces(const hn_state &state)
{
  engine_forces(&scene_, &state, wrench_.data());
  for (size_t i = 0; i < body_.size(); i++) {
    if (!body_[i]) continue;
    body_[i]->applyCentralForce(bullet_vector(&wrench_[6 * i]));
    body_[i]->applyTorque(bullet_vector(&wrench_[6 * i + 3]));
  }
}

// Sets motors: a rate and the largest force; dry friction is a motor of rate 0.
void rigid_world::drive(double h, const hn_state &state)
{
  for (const motor &m : motor_) {
    const double rate = m.joint->motor ? engine_motor_rate(m.joint, state.time + h, state.input) : 0.0;
    const double force = m.joint->motor ? m.joint->motor_limit : m.joint->friction;
    if (m.hinge) m.hinge->enableAngularMotor(true, rate, force * h);
    if (m.slider) {
      m.slider->setPoweredLinMotor(true), m.slider->setTargetLinMotorVelocity(rate);
      m.slider->setMaxLinMotorForce(force);
    }
    if (m.row) m.row->rate = rate, m.row->impulse = force * h;
  }
}

void rigid_world::step(double h, hn_state &state, int &iterations)
{
  static const char *const names[] = { "", "", "Dantzig's", "Lemke's", "the projected Gauss-Seidel" };
  if (engine_has_forces(&scene_)) apply_forces(state);
  drive(h, state);
  world_->stepSimulation(h, 0);
  if (mlcp_ && mlcp_->getNumFallbacks() > 0 && !options_.fallback)
    throw std::runtime_error(
      std::string(names[options_.solver]) +
      " method has failed, and Bullet goes on by sequential impulses: allow it by fallback=true");
  iterations = mlcp_ ? 0 : solver_->m_analyticsData.m_numIterationsUsed;
  for (size_t i = 0; i < body_.size(); i++) {
    const btRigidBody *b = body_[i].get();
    if (!b) continue;
    bullet_check_turn(b->getAngularVelocity(), h, scene_.model->body[i].name);
    bullet_read(b->getCenterOfMassTransform(), b->getLinearVelocity(), b->getAngularVelocity(),
                static_cast<int>(i), state);
  }
}
} // namespace

std::unique_ptr<bullet_world> bullet_rigid_world(const engine_scene &scene, const bullet_options &options)
{
  return std::unique_ptr<bullet_world>(new rigid_world(scene, options));
}
