// peers.cpp - impulse-sle beside Bullet's articulated bodies (Featherstone) on peer_tree, in one run.
//
// Both have the same masses, inertias, joints and initial state. A round is a second of simulated time from
// the start, in parts, each taken by one engine and then by the other. Minimum and median of each part over
// all rounds are averaged, and the median of the ratios. The clock counts processor time of this thread. The
// states after that second are compared with impulse-sle at a sixteenth of the step. Bullet is the installed
// library; its joints hold by construction.
//
// Not part of `make bench` but of `make bench-peers`, where configure has found Bullet.
#include "peers.h"

#include <BulletDynamics/Featherstone/btMultiBody.h>
#include <BulletDynamics/Featherstone/btMultiBodyConstraintSolver.h>
#include <BulletDynamics/Featherstone/btMultiBodyDynamicsWorld.h>

namespace
{

constexpr int STEPS = 240, PARTS = 10, FINER = 16;

// ---- Bullet
// ---------------------------------------------------------------------------------------------------------

struct bullet {
  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher{ &configuration };
  btDbvtBroadphase broadphase;
  btMultiBodyConstraintSolver solver;
  btMultiBodyDynamicsWorld world{ &dispatcher, &broadphase, &solver, &configuration };
  std::unique_ptr<btMultiBody> tree;

  // Link i is body i + 1 of MODEL; joint i connects it to an earlier body.
  explicit bullet(const hn_model *model)
  {
    world.setGravity(vector(model->gravity));
    tree.reset(new btMultiBody(model->njoint, 0, btVector3(0, 0, 0), true, false));
    for (int i = 0; i < model->njoint; i++) {
      const hn_joint &joint = model->joint[i];
      const hn_body &body = model->body[joint.b];
      if (joint.b != i + 1 || joint.a > i) end_with("bodies and joints are not in the order of a tree");
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

  ~bullet()
  {
    world.removeMultiBody(tree.get());
  }

  void take_steps(double h, int, int count)
  {
    for (int k = 0; k < count; k++) world.stepSimulation(btScalar(h), 0);
  }

  // Returns the largest distance of a body from its position in REFERENCE.
  double error(const hn_state *reference)
  {
    double largest = 0.0;
    for (int i = 0; i < tree->getNumLinks(); i++) {
      btVector3 x = tree->localPosToWorld(i, btVector3(0, 0, 0));
      const double *y = reference->pose[i + 1].x;
      largest = std::max(largest, std::hypot(std::hypot(x.x() - y[0], x.y() - y[1]), x.z() - y[2]));
    }
    return largest;
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

template <class engine> double time_of(engine &of, double h, int part)
{
  const int count = STEPS / PARTS;
  double clock = clock_now();
  of.take_steps(h, part * count, count);
  return 1e6 * (clock_now() - clock) / count;
}

hn_scene *load_peer_tree(int n)
{
  const std::string count = std::to_string(n);
  const hn_setting setting = { "n", count.c_str() };
  hn_error error;
  hn_scene *scene = hn_scene_load("peer_tree", &setting, 1, &error);
  if (!scene) end_with(error.text);
  return scene;
}

void compare_trees(int n, int rounds, const char *spec)
{
  hn_scene *scene = load_peer_tree(n);
  const double h = scene->step;
  holonom ours(scene->model, spec), fine(scene->model, spec);
  fine.back_to_start();
  fine.take_steps(h / FINER, 0, FINER * STEPS);
  record us, theirs, ratio;
  double error = 0.0;
  for (int round = 0; round < rounds; round++) {
    bullet peer(scene->model);
    ours.back_to_start();
    for (int k = 0; k < PARTS; k++) {
      theirs.part[k].push_back(time_of(peer, h, k));
      us.part[k].push_back(time_of(ours, h, k));
      ratio.part[k].push_back(us.part[k].back() / theirs.part[k].back());
    }
    error = peer.error(fine.state);
  }
  hn_measure measure;
  hn_measure_state(scene->model, ours.state, &measure);
  std::printf("| %d | %.2f, %.2f | %.2f, %.2f | **%.3f**, %.3f | %.1e, %.1e | %.1e |\n", n, us.of(least),
              us.of(median), theirs.of(least), theirs.of(median), us.of(least) / theirs.of(least),
              ratio.of(median), ours.error(fine.state), error, measure.position_error);
  std::fflush(stdout);
  hn_scene_free(scene);
}

void compare_all_trees(const char *spec)
{
  const int sizes[] = { 31, 127, 1023 };
  std::printf(
    "\n## %s\n\nA step of 1/240 s; errors at t = 1 s.\n\n| n | us a step: least, median | Bullet's | "
    "ratio of "
    "the least, median ratio | errors, m | drift, m |\n|---|---|---|---|---|---|\n",
    spec);
  for (int n : sizes) compare_trees(n, n > 1000 ? 11 : n > 100 ? 31 : 101, spec);
}

// Compares SPEC on contacts if it is moreau, otherwise on trees.
void compare_solver(const std::string &spec)
{
  if (spec.rfind("moreau", 0) == 0) compare_contacts(spec.c_str());
  else compare_all_trees(spec.c_str());
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
  for (const auto &spec : specs) compare_solver(spec);
  return 0;
}
