// peers.cpp - solvers beside Bullet's articulated bodies (Featherstone) on trees and chains, in one run.
//
// Bullet is the installed library; its joints hold by construction. The measurement: peers_mechanisms.h.
//
// Not part of `make bench` but of `make bench-peers`, where configure has found Bullet.
#include "peers_bullet.h"
#include "peers_mechanisms.h"

#include <BulletDynamics/Featherstone/btMultiBody.h>
#include <BulletDynamics/Featherstone/btMultiBodyConstraintSolver.h>
#include <BulletDynamics/Featherstone/btMultiBodyDynamicsWorld.h>

namespace
{

// ---- Bullet ---------------------------------------------------------------------------------------------

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

void compare_all_mechanisms(const char *spec)
{
  print_head(spec, "Bullet's");
  for (const mechanism &of : MECHANISMS) compare_mechanism<bullet>(of, spec);
}

// Compares SPEC on contacts if it is moreau, otherwise on mechanisms.
void compare_solver(const std::string &spec)
{
  if (spec.rfind("moreau", 0) == 0) compare_contacts(spec.c_str());
  else compare_all_mechanisms(spec.c_str());
}

} // namespace

// holonom-peers SPEC... compares other solvers; --errors SPEC... compares their errors at equal steps.
int main(int count, char **words)
{
  std::vector<std::string> specs(words + 1, words + count);
  if (!specs.empty() && specs[0] == "--errors") {
    compare_errors({ specs.begin() + 1, specs.end() });
    return 0;
  }
  if (specs.empty())
    specs = { "impulse-sle:tolerance=1e-6,flight=rk4", "impulse-sle:tolerance=1e-6,flight=exact",
              "moreau:contact=pgs,contact_tolerance=0,sweeps=20,stabilisation=baumgarte" };
  std::printf("Bullet %d, %s precision.\n", btGetVersion(),
              sizeof(btScalar) == sizeof(double) ? "double" : "single");
  for (const auto &spec : specs) compare_solver(spec);
  return 0;
}
