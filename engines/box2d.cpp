// box2d.cpp - Box2D 2.4 (single precision) as a solver of planar models
//
// Semi-implicit Euler steps of order 1: velocities by gravity and forces; sequential impulses on joints and
// contacts, warm-started, a joint's motor and limits beside its equations; positions; then position errors
// are reduced by nonlinear Gauss-Seidel. All numbers are floats of 24 bits, so that errors end at about
// 1e-6 of the size of a scene. Bodies may overlap by Box2D's slop, 5 mm, which is fixed, as are 2 m and pi
// / 2 of motion in a step: such a step fails. scale > 1 makes lengths in Box2D longer, so that these bounds
// are smaller in the scene. Nothing is damped, no body sleeps, and polygons have no skin by default.
#include "engines/box2d.hpp"

#include <cmath>
#include <vector>

namespace
{
struct box2d_options {
  engine_data engine;
  int velocity_iterations, position_iterations, warm_start, continuous;
  double scale, skin;
};

constexpr double no_bound = 1e6; // rad or m

struct drive {
  const engine_joint *joint;
  double sign; // of Box2D's coordinate against ours
  b2RevoluteJoint *hinge;
  b2PrismaticJoint *slider;
};

class world : public b2ContactListener, public b2ContactFilter
{
public:
  explicit world(const engine_scene &scene);
  void set(const hn_state &state);
  void step(double h, hn_state &state, int &iterations);
  bool ShouldCollide(b2Fixture *one, b2Fixture *two) override;
  void PreSolve(b2Contact *contact, const b2Manifold *) override;

private:
  b2Vec2 vector(const double v[3]) const
  {
    return box2d_vector(v, scale_);
  }
  void add_body(int i);
  void add_shape(int i);
  void add_joint(const engine_joint &joint);
  void add_hinge(const engine_joint &joint, b2Body *a, b2Body *b);
  void add_slider(const engine_joint &joint, b2Body *a, b2Body *b);
  void add_other(const engine_joint &joint, b2Body *a, b2Body *b);
  void apply_forces(const hn_state &state);
  void apply_drives(double time, const hn_state &state);
  void check(const b2Body &body, double h, int i) const;

  const engine_scene &scene_;
  const box2d_options &options_;
  const double scale_;
  b2World world_;
  std::vector<b2Body *> body_; // [nbody]
  std::vector<drive> drive_;
  std::vector<double> wrench_;
  bool has_planes_ = false;
};

double angle_of(const double q[4])
{
  return 2.0 * std::atan2(q[3], q[0]);
}

// ---- Bodies and shapes --------------------------------------------------------------------------------

void world::add_body(int i)
{
  const hn_body &body = scene_.model->body[i];
  const bool fixed = body.kind == HN_FIXED;
  b2BodyDef def;
  def.type = fixed ? b2_staticBody : b2_dynamicBody;
  def.position = vector(body.pose0.x), def.angle = static_cast<float>(angle_of(body.pose0.q));
  def.linearVelocity = vector(body.twist0.v), def.angularVelocity = static_cast<float>(body.twist0.w[2]);
  def.allowSleep = false;
  def.fixedRotation = body.kind == HN_PARTICLE;
  body_[static_cast<size_t>(i)] = world_.CreateBody(&def);
  for (int c = body.collider; c < body.collider + body.ncollider; c++)
    if (scene_.model->margin > 0.0 && scene_.model->collider[c].group != 0) add_shape(c);
  if (fixed) return;
  b2MassData mass;
  mass.mass = static_cast<float>(body.mass), mass.center.SetZero();
  mass.I = static_cast<float>(scale_ * scale_ * body.J[2]);
  body_[static_cast<size_t>(i)]->SetMassData(&mass);
}

void world::add_shape(int i)
{
  const hn_collider &c = scene_.model->collider[i];
  const std::unique_ptr<b2Shape> shape = box2d_shape(scene_, i, scale_, options_.skin);
  has_planes_ = has_planes_ || c.shape.kind == HN_PLANE;
  b2FixtureDef def;
  def.shape = shape.get(), def.density = 0.0f;
  def.userData.pointer = static_cast<uintptr_t>(i);
  body_[static_cast<size_t>(c.body)]->CreateFixture(&def);
}

bool world::ShouldCollide(b2Fixture *one, b2Fixture *two)
{
  return engine_collides(&scene_, static_cast<int>(one->GetUserData().pointer),
                         static_cast<int>(two->GetUserData().pointer));
}

void world::PreSolve(b2Contact *contact, const b2Manifold *)
{
  const hn_surface surface = hn_model_surface(
    scene_.model, static_cast<int>(contact->GetFixtureA()->GetUserData().pointer),
    static_cast<int>(contact->GetFixtureB()->GetUserData().pointer));
  contact->SetFriction(static_cast<float>(surface.friction));
  contact->SetRestitution(static_cast<float>(surface.restitution));
  contact->SetRestitutionThreshold(static_cast<float>(scale_ * scene_.model->threshold));
}

// ---- Joints -------------------------------------------------------------------------------------------

// Bounds of Box2D's coordinate: SIGN times ours, times UNIT.
void bounds(const engine_joint &joint, double sign, double unit, float &lower, float &upper)
{
  const double low = std::fmax(sign > 0.0 ? joint.lower : -joint.upper, -no_bound),
               high = std::fmin(sign > 0.0 ? joint.upper : -joint.lower, no_bound);
  lower = static_cast<float>(unit * low), upper = static_cast<float>(unit * high);
}

bool is_driven(const engine_joint &joint)
{
  return joint.motor || joint.friction > 0.0;
}

void world::add_hinge(const engine_joint &joint, b2Body *a, b2Body *b)
{
  const double sign = joint.kind == ENGINE_HINGE && joint.axis[2] < 0.0 ? -1.0 : 1.0;
  b2RevoluteJointDef def;
  def.bodyA = a, def.bodyB = b, def.collideConnected = true;
  def.localAnchorA = a->GetLocalPoint(vector(joint.at_a)),
  def.localAnchorB = b->GetLocalPoint(vector(joint.at_b));
  def.referenceAngle = b->GetAngle() - a->GetAngle();
  def.enableLimit = joint.has_limit, def.enableMotor = is_driven(joint);
  if (joint.has_limit) bounds(joint, sign, 1.0, def.lowerAngle, def.upperAngle);
  b2RevoluteJoint *hinge = static_cast<b2RevoluteJoint *>(world_.CreateJoint(&def));
  if (is_driven(joint)) drive_.push_back({ &joint, sign, hinge, nullptr });
}

void world::add_slider(const engine_joint &joint, b2Body *a, b2Body *b)
{
  b2PrismaticJointDef def;
  def.bodyA = a, def.bodyB = b, def.collideConnected = true;
  def.localAnchorA = a->GetLocalPoint(vector(joint.at_a)),
  def.localAnchorB = b->GetLocalPoint(vector(joint.at_b));
  def.localAxisA = a->GetLocalVector(
    b2Vec2(static_cast<float>(joint.axis[0]), static_cast<float>(joint.axis[1])));
  def.referenceAngle = b->GetAngle() - a->GetAngle();
  def.enableLimit = joint.has_limit, def.enableMotor = is_driven(joint);
  if (joint.has_limit) bounds(joint, 1.0, scale_, def.lowerTranslation, def.upperTranslation);
  b2PrismaticJoint *slider = static_cast<b2PrismaticJoint *>(world_.CreateJoint(&def));
  if (is_driven(joint)) drive_.push_back({ &joint, 1.0, nullptr, slider });
}

// Rods, rigid connections, and points on lines: wheel joints without a spring.
void world::add_other(const engine_joint &joint, b2Body *a, b2Body *b)
{
  const b2Vec2 at_a = a->GetLocalPoint(vector(joint.at_a)), at_b = b->GetLocalPoint(vector(joint.at_b));
  if (joint.kind == ENGINE_DISTANCE) {
    b2DistanceJointDef def;
    def.bodyA = a, def.bodyB = b, def.collideConnected = true, def.localAnchorA = at_a,
    def.localAnchorB = at_b;
    def.length = def.minLength = def.maxLength = static_cast<float>(scale_ * joint.length);
    if (def.length < b2_linearSlop)
      throw std::runtime_error("joint " + std::string(joint.joint->name) +
                               " is shorter than Box2D's slop and is not translated: set scale");
    world_.CreateJoint(&def);
  } else if (joint.kind == ENGINE_FIXED) {
    b2WeldJointDef def;
    def.bodyA = a, def.bodyB = b, def.collideConnected = true, def.localAnchorA = at_a,
    def.localAnchorB = at_b;
    def.referenceAngle = b->GetAngle() - a->GetAngle();
    world_.CreateJoint(&def);
  } else {
    const bool normal = joint.kind == ENGINE_POINT_ON_PLANE;
    const double *n = joint.axis;
    b2WheelJointDef def;
    def.bodyA = a, def.bodyB = b, def.collideConnected = true, def.localAnchorA = at_a,
    def.localAnchorB = at_b;
    def.localAxisA = a->GetLocalVector(
      b2Vec2(static_cast<float>(normal ? -n[1] : n[0]), static_cast<float>(normal ? n[0] : n[1])));
    world_.CreateJoint(&def);
  }
}

void world::add_joint(const engine_joint &joint)
{
  const hn_body *body = scene_.model->body;
  b2Body *a = body_[static_cast<size_t>(joint.a)], *b = body_[static_cast<size_t>(joint.b)];
  if (body[joint.a].kind == HN_FIXED && body[joint.b].kind == HN_FIXED) return;
  if (joint.restitution > 0.0)
    throw std::runtime_error("joint " + std::string(joint.joint->name) +
                             ": its restitution is not translated");
  switch (joint.kind) {
  case ENGINE_BALL:
  case ENGINE_HINGE: add_hinge(joint, a, b); break;
  case ENGINE_SLIDER: add_slider(joint, a, b); break;
  default: add_other(joint, a, b);
  }
}

// ---- The world ----------------------------------------------------------------------------------------

world::world(const engine_scene &scene)
    : scene_(scene), options_(*static_cast<const box2d_options *>(scene.options)), scale_(options_.scale),
      world_(vector(scene.model->gravity)), body_(static_cast<size_t>(scene.model->nbody)),
      wrench_(6 * static_cast<size_t>(scene.model->nbody))
{
  world_.SetAllowSleeping(false);
  world_.SetWarmStarting(options_.warm_start != 0);
  world_.SetContinuousPhysics(options_.continuous != 0);
  world_.SetContactListener(this), world_.SetContactFilter(this);
  for (int i = 0; i < scene.model->nbody; i++) add_body(i);
  for (int i = 0; i < scene.njoint; i++) add_joint(scene.joint[i]);
}

// Angles go on from those of the last step: limits count turns.
void world::set(const hn_state &state)
{
  for (size_t i = 0; i < body_.size(); i++) {
    b2Body *body = body_[i];
    if (body->GetType() == b2_staticBody) continue;
    const double angle = angle_of(state.pose[i].q), now = body->GetAngle();
    const double turns = std::round((now - angle) / (2.0 * M_PI));
    body->SetTransform(vector(state.pose[i].x), static_cast<float>(angle + 2.0 * M_PI * turns));
    body->SetLinearVelocity(vector(state.twist[i].v));
    body->SetAngularVelocity(static_cast<float>(state.twist[i].w[2]));
  }
}

void world::apply_forces(const hn_state &state)
{
  engine_forces(&scene_, &state, wrench_.data());
  for (size_t i = 0; i < body_.size(); i++) {
    body_[i]->ApplyForceToCenter(vector(&wrench_[6 * i]), true);
    body_[i]->ApplyTorque(static_cast<float>(scale_ * scale_ * wrench_[6 * i + 5]), true);
  }
}

// Sets motors; dry friction is one of rate 0.
void world::apply_drives(double time, const hn_state &state)
{
  for (const drive &d : drive_) {
    const double rate = d.joint->motor ? d.sign * engine_motor_rate(d.joint, time, state.input) : 0.0;
    const double most = std::fmin(d.joint->motor ? d.joint->motor_limit : d.joint->friction, 1e20);
    if (d.hinge) {
      d.hinge->SetMotorSpeed(static_cast<float>(rate));
      d.hinge->SetMaxMotorTorque(static_cast<float>(scale_ * scale_ * most));
    } else {
      d.slider->SetMotorSpeed(static_cast<float>(scale_ * rate));
      d.slider->SetMaxMotorForce(static_cast<float>(scale_ * most));
    }
  }
}

// Throws an exception where Box2D has limited the motion of a step, or a body has come to the end of a
// plane.
void world::check(const b2Body &body, double h, int i) const
{
  const std::string name = scene_.model->body[i].name;
  if (body.GetLinearVelocity().Length() * h >= b2_maxTranslation * (1.0 - 1e-5))
    throw std::runtime_error(
      "body " + name + " moves by more than 2 m in a step, to which Box2D limits it: use smaller steps");
  if (std::fabs(body.GetAngularVelocity()) * h >= b2_maxRotation * (1.0 - 1e-5))
    throw std::runtime_error(
      "body " + name + " turns by more than pi / 2 in a step, to which Box2D limits it: use smaller steps");
  if (has_planes_ && body.GetFixtureList() && body.GetPosition().Length() > 0.95 * plane_reach)
    throw std::runtime_error("body " + name + " is more than " + std::to_string(0.95 * plane_reach / scale_) +
                             " m from the origin, near the end of the squares that are planes");
}

void world::step(double h, hn_state &state, int &iterations)
{
  if (engine_has_forces(&scene_)) apply_forces(state);
  apply_drives(state.time + h, state);
  world_.Step(static_cast<float>(h), options_.velocity_iterations, options_.position_iterations);
  iterations = options_.velocity_iterations;
  for (size_t i = 0; i < body_.size(); i++) {
    const b2Body &body = *body_[i];
    if (body.GetType() == b2_staticBody) continue;
    check(body, h, static_cast<int>(i));
    hn_pose &pose = state.pose[i];
    const double half = 0.5 * body.GetAngle(), c = std::cos(half), s = std::sin(half);
    const double sign = c * pose.q[0] + s * pose.q[3] < 0.0 ? -1.0 : 1.0;
    pose.q[0] = sign * c, pose.q[3] = sign * s;
    pose.x[0] = body.GetPosition().x / scale_, pose.x[1] = body.GetPosition().y / scale_;
    state.twist[i].v[0] = body.GetLinearVelocity().x / scale_,
    state.twist[i].v[1] = body.GetLinearVelocity().y / scale_;
    state.twist[i].w[2] = body.GetAngularVelocity();
  }
}

// ---- The solver ---------------------------------------------------------------------------------------

engine_kind box2d_kind()
{
  engine_kind kind = engine_in_cpp<world>::kind(
    ENGINE_HAS(ENGINE_BALL) | ENGINE_HAS(ENGINE_HINGE) | ENGINE_HAS(ENGINE_FIXED) |
      ENGINE_HAS(ENGINE_SLIDER) | ENGINE_HAS(ENGINE_POINT_ON_LINE) | ENGINE_HAS(ENGINE_POINT_ON_PLANE) |
      ENGINE_HAS(ENGINE_DISTANCE) | ENGINE_HAS(ENGINE_LIMIT) | ENGINE_HAS(ENGINE_MOTOR) |
      ENGINE_HAS(ENGINE_DRY_FRICTION),
    1u << HN_CIRCLE | 1u << HN_POLYGON | 1u << HN_PLANE);
  kind.spatial = false, kind.planar = kind.bounces = true;
  return kind;
}

const hn_param params[] = {
  { "velocity_iterations", HN_INTEGER, offsetof(box2d_options, velocity_iterations), "8", 1, 1e6, "", NULL,
    "of impulses" },
  { "position_iterations", HN_INTEGER, offsetof(box2d_options, position_iterations), "3", 0, 1e6, "", NULL,
    "against position errors, at most" },
  { "warm_start", HN_FLAG, offsetof(box2d_options, warm_start), "true", 0, 0, "", NULL,
    "begin with the last impulses" },
  { "continuous", HN_FLAG, offsetof(box2d_options, continuous), "false", 0, 0, "", NULL,
    "parts of steps to the first touch of fixed bodies" },
  { "scale", HN_REAL, offsetof(box2d_options, scale), "1", 1e-6, 1e6, "", NULL,
    "Box2D's metres for a metre" },
  { "skin", HN_REAL, offsetof(box2d_options, skin), "0", 0, 1, "m", NULL, "radius about polygons" },
  ENGINE_PARAMS,
  { NULL, HN_FLAG, 0, NULL, 0, 0, NULL, NULL, NULL },
};

const char *const variants[] = { "", "velocity_iterations=100,position_iterations=20", NULL };

const hn_preset presets[] = {
  { "as-shipped", "continuous=true,skin=0.01",
    "Box2D's values where a program sets nothing, iterations as in its manual" },
  { NULL, NULL, NULL },
};

const engine_kind kind = box2d_kind();

hn_solver_type box2d_type()
{
  hn_solver_type type = engine_solver<box2d_options>(
    "box2d", "Box2D " BOX2D_VERSION, "Box2D: planar models in single precision, sequential impulses, order 1",
    "Catto, Box2D, box2d.org", kind, params, variants, presets);
  type.order = 1;
  return type;
}

const hn_solver_type type = box2d_type();
} // namespace

const hn_solver_type *const hn_plugin_solvers[] = { &type, NULL };
