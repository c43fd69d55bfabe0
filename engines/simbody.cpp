// simbody.cpp - Simbody 3.7 (double precision) as a solver.
//
// Motion in the coordinates of a tree of mobilizers, so that its joints cannot drift; joints that close loops
// are constraints of accelerations, onto which positions and velocities are projected after a step if they
// are violated by more than constraint_tolerance. The integrator takes one step of h for a step of ours; with
// error_control=true, and cpodes always, as many as accuracy asks for. Forces are evaluated at every stage:
//
//   runge-kutta-merson    order 4       verlet                order 2, velocity Verlet
//   runge-kutta-3         order 3       semi-explicit-euler   order 1
//   cpodes                BDF of variable step and order
//
// Rigid contact, limits, dry friction and motors with a largest force have no place in these integrators, and
// are refused. Compliant contacts are forces of the model, evaluated like all others. Where the rate of a
// motor jumps, an impulse of all constraints meets it.
#include "engines/simbody_model.h"

#include <memory>
#include <string>

using namespace SimTK;

namespace
{

// Steps of fixed size: the integrators project, and iterate, only where their accuracy admits it, and accept
// the step in any case. Therefore they do not project here, and the end of each step is projected afterwards.
const double loose = 0.5, iteration = 1e-10;

enum { MERSON, RK3, VERLET, EULER, CPODES };

struct simbody_options {
  engine_data engine;
  int integrator, error_control;
  double accuracy, constraint_tolerance;
};

// All forces of the model but gravity.
class model_forces : public Force::Custom::Implementation
{
public:
  model_forces(const engine_scene &from, const simbody_model &of, const double *const *inputs)
      : scene(from), model(of), input(inputs), state(hn_state_create(from.model)),
        wrench(6 * static_cast<size_t>(from.model->nbody))
  {
    if (!state) throw std::bad_alloc();
  }
  model_forces(const model_forces &) = delete;
  model_forces &operator=(const model_forces &) = delete;
  ~model_forces() override
  {
    hn_state_free(state);
  }

  void calcForce(const State &at, Vector_<SpatialVec> &on, Vector_<Vec3> &, Vector &) const override
  {
    model.get(at, *state);
    state->time = at.getTime();
    std::copy(*input, *input + state->ninput, state->input);
    engine_forces(&scene, state, wrench.data());
    for (const simbody_member &m : model.member) {
      const double *w = wrench.data() + 6 * m.body;
      on[m.at] += SpatialVec(Vec3(w[3], w[4], w[5]), Vec3(w[0], w[1], w[2]));
    }
  }

  Real calcPotentialEnergy(const State &) const override
  {
    return 0.0;
  }

private:
  const engine_scene &scene;
  const simbody_model &model;
  const double *const *input;
  hn_state *state;
  mutable std::vector<double> wrench;
};

class world
{
public:
  explicit world(const engine_scene &scene);
  void set(const hn_state &state);
  void step(double h, hn_state &state, int &iterations);

private:
  const simbody_options &options;
  std::vector<double> inputs;
  const double *input;
  simbody_model model;
  std::unique_ptr<Integrator> integrator;
  State given;            // the state that was set, if the integrator is not ready
  bool ready = false;     // it goes on from its own state, with steps of step_size
  double step_size = 0.0; // s

  bool controlled() const
  {
    return options.integrator == CPODES || options.error_control;
  }
  void meet_constraints(State &state) const;
  void start(State &state, double h);
  void advance(double end, double h);
};

Integrator *create_integrator(const MultibodySystem &system, int which)
{
  switch (which) {
  case RK3: return new RungeKutta3Integrator(system);
  case VERLET: return new VerletIntegrator(system);
  case EULER: return new SemiExplicitEulerIntegrator(system, 1.0);
  case CPODES: return new CPodesIntegrator(system);
  default: return new RungeKuttaMersonIntegrator(system);
  }
}

world::world(const engine_scene &scene)
    : options(*static_cast<const simbody_options *>(scene.options)),
      inputs(static_cast<size_t>(scene.model->ninput) + 1), input(inputs.data()), model(scene, &input)
{
  const double *g = scene.model->gravity;
  Force::UniformGravity(model.forces, model.matter, Vec3(g[0], g[1], g[2]));
  if (engine_has_forces(&scene)) Force::Custom(model.forces, new model_forces(scene, model, &input));
  model.system.setUseUniformBackground(true);
  model.system.realizeTopology();
  integrator.reset(create_integrator(model.system, options.integrator));
  integrator->setAllowInterpolation(false);
  integrator->setAccuracy(controlled() ? options.accuracy : options.integrator == VERLET ? iteration : loose);
  integrator->setConstraintTolerance(controlled() ? options.constraint_tolerance : loose);
}

void world::set(const hn_state &state)
{
  given = model.system.getDefaultState();
  given.setTime(state.time);
  model.set(state, given);
  ready = false;
}

// Changes the velocities of STATE by the impulse of all constraints, motors among them, after which all rates
// are those that the constraints demand.
void world::meet_constraints(State &state) const
{
  Vector impulse, f, du;
  model.system.realize(state, Stage::Velocity);
  const Vector deviation = -1.0 * state.getUErr();
  model.matter.solveForConstraintImpulses(state, deviation, impulse);
  model.matter.multiplyByGTranspose(state, impulse, f);
  model.matter.multiplyByMInv(state, f, du);
  state.updU() += du;
}

void world::start(State &state, double h)
{
  if (model.has_constraints()) meet_constraints(state);
  if (controlled()) integrator->setMaximumStepSize(h);
  else integrator->setFixedStepSize(h);
  integrator->initialize(state);
  step_size = h, ready = true;
}

// Returns the sentence of an exception in one line, without the place in Simbody's sources.
std::string sentence_of(const std::exception &what)
{
  std::string text = what.what();
  for (char &c : text)
    if (c == '\n' || c == '\t') c = ' ';
  const size_t end = text.rfind("  ");
  return text.size() > 300 && end != std::string::npos ? text.substr(end + 2) : text;
}

// Steps to END, where the integrator accepts steps of fixed size whatever their errors.
void world::advance(double end, double h)
{
  const int failures = integrator->getNumConvergenceTestFailures();
  while (integrator->getAdvancedTime() < end - 1e-6 * h)
    integrator->stepTo(end); // the first call only starts
  if (controlled()) return;
  if (integrator->getNumConvergenceTestFailures() > failures)
    throw std::runtime_error(
      "the iteration of its equations has failed: use smaller steps or another integrator");
  model.system.project(integrator->updAdvancedState(), options.constraint_tolerance);
}

void world::step(double h, hn_state &state, int &iterations)
{
  const bool same = std::equal(state.input, state.input + state.ninput, inputs.begin());
  std::copy(state.input, state.input + state.ninput, inputs.begin());
  int before = 0;
  try {
    if (!ready || h != step_size || !same) {
      State s = ready ? integrator->getAdvancedState() : given;
      start(s, h);
    } else before = integrator->getNumIterations();
    advance(state.time + h, h);
  } catch (const std::exception &what) {
    throw std::runtime_error(sentence_of(what));
  }
  const bool iterates = options.integrator == VERLET || options.integrator == CPODES;
  iterations = iterates ? integrator->getNumIterations() - before : 0;
  model.get(integrator->getState(), state);
}

const unsigned joints = ENGINE_HAS(ENGINE_BALL) | ENGINE_HAS(ENGINE_HINGE) | ENGINE_HAS(ENGINE_UNIVERSAL) |
                        ENGINE_HAS(ENGINE_FIXED) | ENGINE_HAS(ENGINE_SLIDER) |
                        ENGINE_HAS(ENGINE_CYLINDRICAL) | ENGINE_HAS(ENGINE_PLANE) |
                        ENGINE_HAS(ENGINE_DISTANCE) | ENGINE_HAS(ENGINE_MOTOR);

engine_kind create_kind()
{
  engine_kind kind = engine_in_cpp<world>::kind(joints, 0);
  kind.planar = true;
  return kind;
}

const engine_kind kind = create_kind();

int order_of(const hn_solver *solver)
{
  const simbody_options *o = static_cast<const simbody_options *>(solver->data);
  static const int order[] = { 4, 3, 2, 1, 0 };
  return o->error_control ? 0 : order[o->integrator];
}

unsigned capabilities_of(const hn_solver *solver)
{
  const simbody_options *o = static_cast<const simbody_options *>(solver->data);
  const unsigned controlled = o->error_control || o->integrator == CPODES ? HN_CONTROLS_ERROR : 0;
  return solver->type->capabilities | controlled | (o->integrator == CPODES ? HN_IS_MULTISTEP : 0);
}

const hn_param params[] = {
  { "integrator", HN_CHOICE, offsetof(simbody_options, integrator), "runge-kutta-merson", 0, 0, "",
    "runge-kutta-merson,runge-kutta-3,verlet,semi-explicit-euler,cpodes", "orders 4, 3, 2, 1; cpodes: BDF" },
  { "error_control", HN_FLAG, offsetof(simbody_options, error_control), "false", 0, 0, "", nullptr,
    "divide steps by the estimate of their error; cpodes always does" },
  { "accuracy", HN_REAL, offsetof(simbody_options, accuracy), "1e-6", 1e-14, 0.5, "", nullptr,
    "bound of that estimate, of scaled coordinates" },
  { "constraint_tolerance", HN_REAL, offsetof(simbody_options, constraint_tolerance), "1e-12", 1e-14, 1, "",
    nullptr, "violation of a loop, m or rad, above which it is projected" },
  ENGINE_PARAMS,
  {},
};

const char *const variants[] = { "",
                                 "integrator=runge-kutta-3",
                                 "integrator=verlet",
                                 "integrator=semi-explicit-euler",
                                 "integrator=cpodes",
                                 nullptr };

const hn_preset presets[] = {
  { "as-shipped", "error_control=true,accuracy=1e-3,constraint_tolerance=1e-4",
    "Simbody's values where a program sets nothing" },
  { nullptr, nullptr, nullptr },
};

hn_solver_type create_type()
{
  hn_solver_type type = engine_solver<simbody_options>(
    "simbody", "Simbody " SIMBODY_VERSION,
    "Simbody: coordinates of a tree, loops by multipliers; five integrators, order 1 to 4",
    "Sherman, Seth, Delp, Simbody: multibody dynamics for biomedical research, Procedia IUTAM 2 (2011)", kind,
    params, variants, presets);
  type.order_of = order_of, type.capabilities_of = capabilities_of;
  return type;
}

const hn_solver_type type = create_type();

} // namespace

extern "C" const hn_solver_type *const hn_plugin_solvers[] = { &type, nullptr };
