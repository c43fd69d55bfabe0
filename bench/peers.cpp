// peers.cpp - solvers beside articulated bodies of Bullet (Featherstone), or, if they have order 4, of MuJoCo
// (its Runge-Kutta method), on trees and chains, in one run.
//
// Both have the same masses, inertias, joints and initial state. A round is a second of simulated time from
// the start, in parts, each taken by one engine and then by the other. Minimum and median of each part over
// all rounds are averaged, and the median of the ratios. The clock counts processor time of this thread. The
// states after that second are compared with the solver at a sixteenth of the step; impulse-sle is run with
// the same step for its error. The engines are the installed libraries; their joints hold by construction.
//
// Not part of `make bench` but of `make bench-peers`, where configure has found Bullet.
#include "peers.h"

#include <BulletDynamics/Featherstone/btMultiBody.h>
#include <BulletDynamics/Featherstone/btMultiBodyConstraintSolver.h>
#include <BulletDynamics/Featherstone/btMultiBodyDynamicsWorld.h>

#include <stdexcept>

namespace
{

constexpr int STEPS = 240, PARTS = 10, FINER = 16;

// ---- Bullet
// ---------------------------------------------------------------------------------------------------------

struct bullet : peer {
  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher{ &configuration };
  btDbvtBroadphase broadphase;
  btMultiBodyConstraintSolver solver;
  btMultiBodyDynamicsWorld world{ &dispatcher, &broadphase, &solver, &configuration };
  std::unique_ptr<btMultiBody> tree;

  // Link i is body i + 1 of MODEL; joint i connects it to an earlier body.
  explicit bullet(const hn_model *model)
  {
    check_tree(model);
    world.setGravity(vector(model->gravity));
    tree.reset(new btMultiBody(model->njoint, 0, btVector3(0, 0, 0), true, false));
    for (int i = 0; i < model->njoint; i++) {
      const hn_joint &joint = model->joint[i];
      const hn_body &body = model->body[joint.b];
      btQuaternion turn = orientation(body.pose0).inverse() * orientation(model->body[joint.a].pose0);
      tree->setupSpherical(i, btScalar(body.mass), vector(body.J), joint.a - 1, turn, vector(joint.point_a),
                           -vector(joint.point_b), true);
    }
    tree->finalizeMultiDof();
    tree->setLinearDamping(0);
    tree->setAngularDamping(0);
    tree->setMaxCoordinateVelocity(btScalar(1e10));
    tree->setCanSleep(false);
    tree->setUseGyroTerm(true);
    const hn_body &root = model->body[1];
    btVector3 spin = quatRotate(orientation(root.pose0).inverse(), vector(root.twist0.w));
    double rate[3] = { spin.x(), spin.y(), spin.z() };
    tree->setJointVelMultiDof(0, rate);
    world.addMultiBody(tree.get());
  }

  ~bullet() override
  {
    world.removeMultiBody(tree.get());
  }

  void take_steps(double h, int count) override
  {
    for (int k = 0; k < count; k++) world.stepSimulation(btScalar(h), 0);
  }

  void position(int body, double x[3]) const override
  {
    btVector3 at = tree->localPosToWorld(body - 1, btVector3(0, 0, 0));
    for (int c = 0; c < 3; c++) x[c] = at[c];
  }
};

// Times of every part in every round, us a step
struct record {
  std::vector<double> part[PARTS];

  double of(double (*pick)(std::vector<double>)) const
  {
    double sum = 0.0;
    for (const auto &values : part) sum += pick(values) / PARTS;
    return sum;
  }
};

template <class steps> double time_of(steps take)
{
  const int count = STEPS / PARTS;
  double clock = clock_now();
  take(count);
  return 1e6 * (clock_now() - clock) / count;
}

hn_scene *load(const char *name, int n)
{
  const std::string count = std::to_string(n);
  const hn_setting setting = { "n", count.c_str() };
  hn_error error;
  hn_scene *scene = hn_scene_load(name, &setting, 1, &error);
  if (!scene) end_with(error.text);
  return scene;
}

// Returns the error of SPEC after a second with steps of H / FINER, against REFERENCE; keeps its state there
// if REFERENCE is null.
double error_of(holonom &of, double h, int finer, const hn_state *reference)
{
  of.back_to_start();
  of.take_steps(h / finer, 0, finer * STEPS);
  return reference ? of.error(reference) : 0.0;
}

void compare_on(const char *name, int n, int rounds, const char *spec)
{
  hn_scene *scene = load(name, n);
  const double h = 1.0 / STEPS;
  holonom ours(scene->model, spec), fine(scene->model, spec),
    impulses(scene->model, "impulse-sle:tolerance=1e-6");
  const bool fourth = hn_solver_order(ours.solver) == 4;
  error_of(fine, h, FINER, nullptr);
  record us, theirs, ratio;
  double error = 0.0;
  for (int round = 0; round < rounds; round++) {
    std::unique_ptr<peer> other = fourth ? mujoco_of(scene->model, h)
                                         : std::make_unique<bullet>(scene->model);
    if (!other) end_with("built without MuJoCo: install libmujoco-dev, and configure again");
    ours.back_to_start();
    for (int k = 0; k < PARTS; k++) {
      theirs.part[k].push_back(time_of([&](int count) { other->take_steps(h, count); }));
      us.part[k].push_back(time_of([&](int count) { ours.take_steps(h, k * count, count); }));
      ratio.part[k].push_back(us.part[k].back() / theirs.part[k].back());
    }
    error = other->error(fine.state);
  }
  hn_measure measure;
  hn_measure_state(scene->model, ours.state, &measure);
  std::printf("| %s, %d | %.2f, %.2f | %.2f, %.2f | **%.3f**, %.3f | %.1e, %.1e, %.1e | %.1e |\n", name, n,
              us.of(least), us.of(median), theirs.of(least), theirs.of(median),
              us.of(least) / theirs.of(least), ratio.of(median), ours.error(fine.state), error,
              error_of(impulses, h, 1, fine.state), measure.position_error);
  std::fflush(stdout);
  hn_scene_free(scene);
}

// The same, or a row with the reason why it is not possible.
void try_on(const char *name, int n, int rounds, const char *spec)
{
  try {
    compare_on(name, n, rounds, spec);
  } catch (const std::runtime_error &reason) {
    const std::string text = reason.what();
    std::printf("| %s, %d | the peer refuses it: %s |\n", name, n, text.substr(0, text.find('\n')).c_str());
  }
}

void compare_trees(const char *spec)
{
  static const struct {
    const char *scene;
    int n, rounds;
  } each[] = { { "peer_tree", 31, 101 },
               { "peer_tree", 127, 31 },
               { "peer_tree", 1023, 11 },
               { "chain", 64, 31 },
               { "chain", 1024, 5 } };
  std::printf(
    "\n## %s\n\nA step of 1/%d s; errors at t = 1 s.\n\n| scene, n | us a step: least, median | peer's | "
    "ratio of the least, median ratio | errors of both and of impulse-sle, m | drift, m |\n"
    "|---|---|---|---|---|---|\n",
    spec, STEPS);
  for (const auto &one : each) try_on(one.scene, one.n, one.rounds, spec);
}

// Compares SPEC on contacts if it is moreau, otherwise on trees.
void compare_solver(const std::string &spec)
{
  if (spec.rfind("moreau", 0) == 0) compare_contacts(spec.c_str());
  else compare_trees(spec.c_str());
}

} // namespace

// holonom-peers SPEC... compares other solvers.
int main(int count, char **words)
{
  std::vector<std::string> specs(words + 1, words + count);
  if (specs.empty())
    specs = { "impulse-sle:tolerance=1e-6,flight=rk4", "impulse-sle:tolerance=1e-6,flight=exact",
              "moreau:contact=pgs,contact_tolerance=0,sweeps=20,stabilisation=baumgarte" };
  std::printf("Bullet %d, %s precision.\n", btGetVersion(),
              sizeof(btScalar) == sizeof(double) ? "double" : "single");
  if (mujoco_version()) std::printf("MuJoCo %s, double precision.\n", mujoco_version());
  for (const auto &spec : specs) compare_solver(spec);
  return 0;
}
