// bullet.cpp - Bullet 3.24 (double precision) as a solver
//
// Semi-implicit Euler steps of order 1: velocities by gravity, forces and the impulses of constraints and
// contacts, with feedback of position errors (ERP); then positions. Impulses are those of sequential
// impulses (projected Gauss-Seidel), of the nonsmooth nonlinear conjugate gradient method, or of solvers of
// the mixed linear complementarity problem. Friction is that of one or two directions, the first along the
// slip. With multibody=true trees of joints are reduced to their coordinates (Featherstone's method).
// Nothing is damped and no body sleeps. Bullet limits the turn of a body in a step to pi / 4: such a step
// fails.
#include "engines/bullet.hpp"

namespace
{
class world
{
public:
  explicit world(const engine_scene &scene)
  {
    const auto &options = *static_cast<const bullet_options *>(scene.options);
    world_ = options.multibody ? bullet_tree_world(scene, options) : bullet_rigid_world(scene, options);
  }
  void set(const hn_state &state)
  {
    world_->set(state);
  }
  void step(double h, hn_state &state, int &iterations)
  {
    world_->step(h, state, iterations);
  }

private:
  std::unique_ptr<bullet_world> world_;
};

// ---- The solver ---------------------------------------------------------------------------------------

engine_kind bullet_kind()
{
  const unsigned joints = ENGINE_HAS(ENGINE_JOINTS) - 1u; // all kinds
  engine_kind kind = engine_in_cpp<world>::kind(
    joints | ENGINE_HAS(ENGINE_LIMIT) | ENGINE_HAS(ENGINE_MOTOR) | ENGINE_HAS(ENGINE_DRY_FRICTION),
    1u << HN_BOX | 1u << HN_SPHERE | 1u << HN_CYLINDER | 1u << HN_CAPSULE | 1u << HN_PLANE | 1u << HN_CONVEX);
  kind.planar = kind.bounces = true;
  return kind;
}

// Runge-Kutta's method has order 4 on hinges and sliders, 2 with balls, 1 with free bodies or forces: it
// declares none.
int order_of(const hn_solver *solver)
{
  const auto *options = static_cast<const bullet_options *>(solver->data);
  return options->multibody && options->integrator == RK4 ? 0 : 1;
}

const hn_param params[] = {
  { "solver", HN_CHOICE, offsetof(bullet_options, solver), "sequential", 0, 0, "",
    "sequential,nncg,dantzig,lemke,pgs",
    "of the impulses: sequential impulses, conjugate gradients, complementarity" },
  { "iterations", HN_INTEGER, offsetof(bullet_options, iterations), "10", 1, 1e6, "", NULL,
    "of sequential, nncg, pgs" },
  { "fallback", HN_FLAG, offsetof(bullet_options, fallback), "false", 0, 0, "", NULL,
    "sequential impulses where dantzig, lemke or pgs fails" },
  { "multibody", HN_FLAG, offsetof(bullet_options, multibody), "false", 0, 0, "", NULL,
    "trees of joints in their own coordinates" },
  { "integrator", HN_CHOICE, offsetof(bullet_options, integrator), "euler", 0, 0, "", "euler,rk4",
    "of multibody; rk4 has order 4 on hinges and sliders from the ground, without other forces than "
    "gravity" },
  { "erp", HN_REAL, offsetof(bullet_options, erp), "0.2", 0, 1, "", NULL,
    "part of a joint's position error that a step reduces" },
  { "contact_erp", HN_REAL, offsetof(bullet_options, contact_erp), "0.2", 0, 1, "", NULL,
    "the same of a penetration" },
  { "split", HN_CHOICE, offsetof(bullet_options, split), "all", 0, 0, "", "all,deep,none",
    "penetrations reduced without adding velocity: all, those deeper than 4 cm, none" },
  { "cfm", HN_REAL, offsetof(bullet_options, cfm), "0", 0, 1, "", NULL, "softness of constraints" },
  { "warm_start", HN_REAL, offsetof(bullet_options, warm_start), "0.85", 0, 1, "", NULL,
    "part of a contact's last impulse to begin with" },
  { "directions", HN_INTEGER, offsetof(bullet_options, directions), "2", 1, 2, "", NULL, "of friction" },
  { "gyroscopic", HN_CHOICE, offsetof(bullet_options, gyroscopic), "implicit", 0, 0, "",
    "implicit,world,explicit,none", "moment: implicit in body or world axes, explicit" },
  { "margin", HN_REAL, offsetof(bullet_options, margin), "0", 0, 1e3, "m", NULL,
    "of boxes, cylinders and convex hulls" },
  { "plane_points", HN_FLAG, offsetof(bullet_options, plane_points), "true", 0, 0, "", NULL,
    "all corners near a plane are found at once; false: one more in each step" },
  { "touch", HN_FLAG, offsetof(bullet_options, touch), "true", 0, 0, "", NULL,
    "contacts with restitution act when they touch, in trees without contact_erp; false: from a small "
    "distance on, which takes part of the bounce" },
  ENGINE_PARAMS,
  { NULL, HN_FLAG, 0, NULL, 0, 0, NULL, NULL, NULL },
};

const char *const variants[] = { "",
                                 "iterations=100",
                                 "solver=nncg",
                                 "solver=dantzig,cfm=1e-12",
                                 "solver=lemke",
                                 "solver=pgs,iterations=100",
                                 "multibody=true",
                                 NULL };

const hn_preset presets[] = {
  { "as-shipped", "split=deep,directions=1,margin=0.04,plane_points=false,touch=false,fallback=true",
    "Bullet's values where a program sets nothing" },
  { NULL, NULL, NULL },
};

const engine_kind kind = bullet_kind();

hn_solver_type bullet_type()
{
  hn_solver_type type = engine_solver<bullet_options>(
    "bullet", "Bullet " BULLET_VERSION,
    "Bullet: impulses by sequential impulses or as a complementarity problem, order 1",
    "Coumans, Bullet physics, pybullet.org", kind, params, variants, presets);
  type.order_of = order_of;
  return type;
}

const hn_solver_type type = bullet_type();
} // namespace

const hn_solver_type *const hn_plugin_solvers[] = { &type, NULL };
