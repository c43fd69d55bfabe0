// peers_contact.cpp - a thousand boxes at rest on each other, beside Bullet's sequential impulses, in one
// run.
//
// Both have the same boxes, poses, friction, steps and sweeps, warm, without sleeping. They settle for a
// second. Ours settle first by `admm` to 1e-8 m/s, which leaves them on their columns with four points a
// pair, as in Bullet; then again by the sweeps that are timed, whose errors rotate them, so that there are
// more points. Then parts of a few steps are timed in turn. Detection is timed after each part at the poses
// reached, by collision detection in a system of its own on our side and by performDiscreteCollisionDetection
// on the other. The friction of a pair is a geometric mean here and a product there.
#include "peers_bullet.h"

namespace
{

constexpr int SETTLE = 100, PARTS = 20, STEPS = 10, SWEEPS = 20;

struct boxes {
  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher{ &configuration };
  btDbvtBroadphase broadphase;
  btSequentialImpulseConstraintSolver solver;
  btDiscreteDynamicsWorld world{ &dispatcher, &broadphase, &solver, &configuration };
  std::vector<std::unique_ptr<btCollisionShape>> shape;
  std::vector<std::unique_ptr<btRigidBody>> body;

  explicit boxes(const hn_model *model)
  {
    world.setGravity(vector(model->gravity));
    world.getSolverInfo().m_numIterations = SWEEPS;
    for (int i = 0; i < model->ncollider; i++) add(model, model->collider[i]);
  }

  ~boxes()
  {
    for (auto &one : body) world.removeRigidBody(one.get());
  }

  void add(const hn_model *model, const hn_collider &collider)
  {
    const hn_body &of = model->body[collider.body];
    const double *size = collider.shape.size;
    if (collider.shape.kind == HN_PLANE) shape.emplace_back(new btStaticPlaneShape(vector(size), 0));
    else if (collider.shape.kind == HN_BOX) shape.emplace_back(new btBoxShape(btScalar(0.5) * vector(size)));
    else end_with("only boxes and planes are compared");
    btRigidBody::btRigidBodyConstructionInfo info(btScalar(of.mass), nullptr, shape.back().get(),
                                                  vector(of.J));
    info.m_startWorldTransform = btTransform(orientation(of.pose0), vector(of.pose0.x));
    const int number = int(&collider - model->collider);
    info.m_friction = btScalar(std::sqrt(hn_model_surface(model, number, number).friction));
    body.emplace_back(new btRigidBody(info));
    body.back()->setActivationState(DISABLE_DEACTIVATION);
    world.addRigidBody(body.back().get());
  }

  void take_steps(double h, int, int count)
  {
    for (int k = 0; k < count; k++) world.stepSimulation(btScalar(h), 0);
  }

  void detect()
  {
    world.performDiscreteCollisionDetection();
  }

  int points()
  {
    int count = 0;
    for (int i = 0; i < dispatcher.getNumManifolds(); i++)
      count += dispatcher.getManifoldByIndexInternal(i)->getNumContacts();
    return count;
  }

  // Returns the largest displacement of a body from its initial position.
  double distance_moved(const hn_model *model)
  {
    double largest = 0.0;
    for (int i = 1; i < model->nbody; i++)
      largest = std::max(
        largest,
        double(
          (body[size_t(i) - 1]->getWorldTransform().getOrigin() - vector(model->body[i].pose0.x)).length()));
    return largest;
  }
};

// Our collision detection, in a system that no solver uses.
struct detector {
  hn_system *system;
  hn_state *state;

  explicit detector(const hn_model *model)
  {
    hn_error error;
    system = hn_system_create(model, &error);
    state = hn_state_create(model);
    if (!system || !state) end_with("out of memory");
  }

  ~detector()
  {
    hn_system_free(system), hn_state_free(state);
  }

  void detect()
  {
    if (hn_system_begin(system, state) != HN_CONVERGED) end_with("detection fails");
  }
};

double distance_moved(const hn_model *model, const hn_state *state)
{
  double largest = 0.0;
  for (int i = 1; i < model->nbody; i++) {
    const double *x = state->pose[i].x, *y = model->body[i].pose0.x;
    largest = std::max(largest, std::hypot(std::hypot(x[0] - y[0], x[1] - y[1]), x[2] - y[2]));
  }
  return largest;
}

template <class work> double time_of(work what)
{
  double clock = clock_now();
  what();
  return 1e6 * (clock_now() - clock);
}

void print_row(const char *what, std::vector<double> us, std::vector<double> theirs)
{
  std::vector<double> ratio;
  for (size_t i = 0; i < us.size(); i++) ratio.push_back(us[i] / theirs[i]);
  std::printf("| %s | %.0f, %.0f | %.0f, %.0f | **%.3f**, %.3f |\n", what, least(us), median(us),
              least(theirs), median(theirs), least(us) / least(theirs), median(ratio));
}

// Compares boxes settled by SETTLING, then by SPEC.
void compare_settled(const hn_scene *scene, const char *settling, const char *spec)
{
  const double h = scene->step;
  holonom first(scene->model, settling), ours(scene->model, spec);
  boxes peer(scene->model);
  detector watch(scene->model);
  std::vector<double> us, theirs, us_detection, their_detection;
  first.take_steps(h, 0, SETTLE), peer.take_steps(h, 0, SETTLE);
  hn_state_copy(ours.state, first.state);
  for (int part = 0; part < PARTS; part++) {
    theirs.push_back(time_of([&] { peer.take_steps(h, 0, STEPS); }) / STEPS);
    us.push_back(time_of([&] { ours.take_steps(h, SETTLE + part * STEPS, STEPS); }) / STEPS);
    their_detection.push_back(time_of([&] { peer.detect(); }));
    hn_state_copy(watch.state, ours.state);
    us_detection.push_back(time_of([&] { watch.detect(); }));
  }
  std::printf(
    "\nSettled by %s. Points of contact at the end: %d here, %d there; the farthest that a body has "
    "moved since "
    "the start: %.1e m here, %.1e m there.\n\n| | us: least, median | Bullet's | ratio of the least, median "
    "ratio |\n|---|---|---|---|\n",
    settling, ours.state->ncontact, peer.points(), distance_moved(scene->model, ours.state),
    peer.distance_moved(scene->model));
  print_row("a step", us, theirs);
  print_row("detection", us_detection, their_detection);
  std::fflush(stdout);
}

} // namespace

void compare_contacts(const char *spec)
{
  const hn_setting setting = { "gap", "0" };
  hn_error error;
  hn_scene *scene = hn_scene_load("cubes1000", &setting, 1, &error);
  if (!scene) end_with(error.text);
  std::printf("\n## cubes1000: %s\n\nA step of %g s, %d sweeps there.\n", spec, scene->step, SWEEPS);
  compare_settled(scene, "moreau:contact_tolerance=1e-8,stabilisation=none", spec);
  compare_settled(scene, spec, spec);
  hn_scene_free(scene);
}
