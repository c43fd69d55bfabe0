// dart.cpp - DART 6.12 (double precision) as a solver.
//
// Motion in the coordinates of skeletons, so that the joints of a tree cannot drift. A step is of order 1:
// accelerations at its start, then impulses of limits, motors, dry friction, loops and contacts as one linear
// complementarity problem with bounds, then positions by the velocities at its end:
//
//   lcp=dantzig   Dantzig's method; where it fails, projected Gauss-Seidel
//   lcp=pgs       projected Gauss-Seidel
//
// Friction is that of a pyramid, along two tangents. Contacts come from DART's own detector, whose points of
// boxes and spheres are right; FCL's between a box and a half space is a single one. They exist where shapes
// overlap, and are handed to DART's solver one by one, so that each pair has its own friction. DART ignores
// coefficients of friction and restitution below 0.001, and restitution where bodies part at less than
// 0.1 m/s. Position errors of loops, limits and contacts are left as they are unless erp is set; DART limits
// the velocity of this correction to 1 mm/s in contacts, 10 m/s elsewhere. Nothing is damped, no body sleeps.
#include "engines/dart_model.h"

#include <dart/collision/CollisionFilter.hpp>
#include <dart/collision/CollisionObject.hpp>
#include <dart/config.hpp>
#include <dart/constraint/BoxedLcpConstraintSolver.hpp>
#include <dart/constraint/ContactConstraint.hpp>
#include <dart/constraint/DantzigBoxedLcpSolver.hpp>
#include <dart/constraint/DynamicJointConstraint.hpp>
#include <dart/constraint/JointConstraint.hpp>
#include <dart/constraint/PgsBoxedLcpSolver.hpp>
#include <string>

using namespace dart;
using Eigen::Vector3d;

namespace
{

enum { DANTZIG, PGS };

struct dart_options {
  engine_data engine;
  int lcp, iterations;
  double erp, cfm;
};

// Decides as engine_collides does.
class pairs : public collision::CollisionFilter
{
public:
  pairs(const engine_scene &from, const dart_model &of) : scene(from), model(of)
  {
  }

  int number_of(const collision::CollisionObject *object) const
  {
    return model.collider.at(object->getShapeFrame());
  }

  bool ignoresCollision(const collision::CollisionObject *one,
                        const collision::CollisionObject *two) const override
  {
    return !engine_collides(&scene, number_of(one), number_of(two));
  }

private:
  const engine_scene &scene;
  const dart_model &model;
};

class dart_world
{
public:
  explicit dart_world(const engine_scene &from);
  void set(const hn_state &state)
  {
    model.set(state);
  }
  void step(double h, hn_state &state, int &iterations);

private:
  const engine_scene &scene;
  const dart_options &options;
  dart_model model;
  std::shared_ptr<pairs> filter;
  collision::CollisionOption detection;
  collision::CollisionResult found;
  std::vector<double> wrench;

  void create_solver();
  void set_softness() const;
  void apply_forces(const hn_state &state);
  void set_motors(const hn_state &state, double time) const;
  void add_contacts(double h);
  void check_planes(const hn_state &state) const;
};

dart_world::dart_world(const engine_scene &from)
    : scene(from), options(*static_cast<const dart_options *>(from.options)), model(from),
      filter(std::make_shared<pairs>(from, model)), detection(true, 1u << 20, filter),
      wrench(6 * static_cast<size_t>(from.model->nbody))
{
  create_solver();
}

void dart_world::create_solver()
{
  using namespace constraint;
  PgsBoxedLcpSolver::Option sweeps;
  sweeps.mMaxIteration = options.iterations;
  const auto pgs = std::make_shared<PgsBoxedLcpSolver>();
  pgs->setOption(sweeps);
  const auto dantzig = std::make_shared<DantzigBoxedLcpSolver>();
  auto solver = options.lcp == PGS ? std::make_unique<BoxedLcpConstraintSolver>(pgs)
                                   : std::make_unique<BoxedLcpConstraintSolver>(dantzig, pgs);
  model.world->setConstraintSolver(std::move(solver));
}

// DART has these numbers once for all worlds of a process.
void dart_world::set_softness() const
{
  using namespace constraint;
  ContactConstraint::setErrorReductionParameter(options.erp);
  ContactConstraint::setConstraintForceMixing(options.cfm);
  JointConstraint::setErrorReductionParameter(options.erp);
  DynamicJointConstraint::setErrorReductionParameter(options.erp);
}

void dart_world::apply_forces(const hn_state &state)
{
  if (!engine_has_forces(&scene)) return;
  engine_forces(&scene, &state, wrench.data());
  for (const dart_member &m : model.member) {
    const double *w = wrench.data() + 6 * m.link.body;
    m.joint->getChildBodyNode()->addExtForce(Vector3d(w[0], w[1], w[2]));
    m.joint->getChildBodyNode()->addExtTorque(Vector3d(w[3], w[4], w[5]));
  }
}

void dart_world::set_motors(const hn_state &state, double time) const
{
  for (const dart_member &m : model.member)
    if (m.link.joint && m.link.joint->motor)
      m.joint->setCommand(0, m.sign * engine_motor_rate(m.link.joint, time, state.input));
}

// DART takes the smaller friction of two shapes, and the product of restitutions, when a contact is made.
void dart_world::add_contacts(double h)
{
  const auto solver = model.world->getConstraintSolver();
  solver->removeAllConstraints();
  for (const constraint::ConstraintBasePtr &c : model.closing) solver->addConstraint(c);
  if (model.collider.empty()) return;
  found.clear();
  model.shapes->collide(detection, &found);
  for (size_t i = 0; i < found.getNumContacts(); i++) {
    collision::Contact &contact = found.getContact(i);
    if (collision::Contact::isZeroNormal(contact.normal)) continue;
    const hn_surface surface = hn_model_surface(scene.model, filter->number_of(contact.collisionObject1),
                                                filter->number_of(contact.collisionObject2));
    for (const collision::CollisionObject *object : { contact.collisionObject1, contact.collisionObject2 }) {
      auto *shape = const_cast<dynamics::ShapeFrame *>(object->getShapeFrame())->asShapeNode();
      shape->getDynamicsAspect()->setFrictionCoeff(surface.friction);
      shape->getDynamicsAspect()->setRestitutionCoeff(object == contact.collisionObject1 ? surface.restitution
                                                                                         : 1.0);
    }
    solver->addConstraint(std::make_shared<constraint::ContactConstraint>(contact, h));
  }
}

// Refuses states in which a body is not above the box of a plane.
void dart_world::check_planes(const hn_state &state) const
{
  for (const dart_plane &plane : model.plane)
    for (const dart_member &m : model.member) {
      const hn_body &body = scene.model->body[m.link.body];
      const double distance = (Eigen::Map<const Vector3d>(state.pose[m.link.body].x) - plane.point).norm();
      if (body.ncollider > 0 && distance > 0.25 * dart_plane_size)
        throw std::runtime_error(std::string("the plane of ") + scene.model->body[plane.body].name +
                                 ", which is a box of 1 km here: body " + body.name + " is too far");
    }
}

void dart_world::step(double h, hn_state &state, int &iterations)
{
  check_planes(state);
  set_softness();
  model.world->setTimeStep(h);
  apply_forces(state);
  set_motors(state, state.time + h);
  add_contacts(h);
  model.world->step(true);
  model.get(state);
  iterations = 0;
}

const unsigned joints = ENGINE_HAS(ENGINE_BALL) | ENGINE_HAS(ENGINE_HINGE) | ENGINE_HAS(ENGINE_UNIVERSAL) |
                        ENGINE_HAS(ENGINE_FIXED) | ENGINE_HAS(ENGINE_SLIDER) | ENGINE_HAS(ENGINE_PLANE) |
                        ENGINE_HAS(ENGINE_LIMIT) | ENGINE_HAS(ENGINE_MOTOR) | ENGINE_HAS(ENGINE_DRY_FRICTION);

engine_kind create_kind()
{
  engine_kind kind = engine_in_cpp<dart_world>::kind(joints, 1u << HN_BOX | 1u << HN_SPHERE | 1u << HN_PLANE);
  kind.planar = true, kind.bounces = true;
  return kind;
}

const engine_kind kind = create_kind();

const hn_param params[] = {
  { "lcp", HN_CHOICE, offsetof(dart_options, lcp), "dantzig", 0, 0, "", "dantzig,pgs",
    "Dantzig's method, or projected Gauss-Seidel" },
  { "iterations", HN_INTEGER, offsetof(dart_options, iterations), "30", 1, 1e6, "", nullptr, "most of pgs" },
  { "erp", HN_REAL, offsetof(dart_options, erp), "0", 0, 1, "", nullptr,
    "part of a position error that a step reduces: loops, limits, contacts" },
  { "cfm", HN_REAL, offsetof(dart_options, cfm), "1e-9", 1e-9, 1, "", nullptr,
    "softness of contacts, relative to their inverse mass" },
  ENGINE_PARAMS,
  {},
};

const char *const variants[] = { "", "lcp=pgs", nullptr };

const hn_preset presets[] = {
  { "as-shipped", "erp=0.01,cfm=1e-5", "DART's values where a program sets nothing" },
  { nullptr, nullptr, nullptr },
};

hn_solver_type create_type()
{
  hn_solver_type type = engine_solver<dart_options>(
    "dart", "DART " DART_VERSION,
    "DART: coordinates of skeletons, impulses as a complementarity problem, order 1",
    "Lee et al., DART: Dynamic Animation and Robotics Toolkit, J. Open Source Software 3 (2018)", kind,
    params, variants, presets);
  type.order = 1;
  return type;
}

const hn_solver_type type = create_type();

} // namespace

extern "C" const hn_solver_type *const hn_plugin_solvers[] = { &type, nullptr };
