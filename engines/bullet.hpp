// bullet.hpp - parts of the module of Bullet: options, shapes, constraints that Bullet lacks, both kinds of
// worlds.
#ifndef ENGINES_BULLET_HPP
#define ENGINES_BULLET_HPP

#include "engines/engine.hpp"

#include <btBulletDynamicsCommon.h>
#include <memory>
#include <vector>

enum bullet_solver { SEQUENTIAL, NNCG, DANTZIG, LEMKE, PGS };
enum bullet_gyroscopic { GYRO_IMPLICIT, GYRO_WORLD, GYRO_EXPLICIT, GYRO_NONE };
enum bullet_split { SPLIT_ALL, SPLIT_DEEP, SPLIT_NONE };
enum bullet_integrator { EULER, RK4 };

struct bullet_options {
  engine_data engine;
  int solver, multibody, integrator, iterations, directions, gyroscopic, split, fallback, plane_points, touch;
  double erp, contact_erp, cfm, margin, warm_start;
};

// ---- Vectors and frames -------------------------------------------------------------------------------

inline btVector3 bullet_vector(const double v[3])
{
  return btVector3(v[0], v[1], v[2]);
}

inline btQuaternion bullet_rotation(const double q[4])
{
  return btQuaternion(q[1], q[2], q[3], q[0]);
}

inline btTransform bullet_pose(const hn_pose &pose)
{
  return btTransform(bullet_rotation(pose.q), bullet_vector(pose.x));
}

// Returns the frame at POINT whose axis number 0, 1 or 2 is AXIS, a unit vector; world axes.
btTransform bullet_frame(const double point[3], const double axis[3], int number);
// Stores POSE, VELOCITY and ANGULAR velocity as those of body I. The sign of the quaternion stays as it
// was.
void bullet_read(const btTransform &pose, const btVector3 &velocity, const btVector3 &angular, int i,
                 hn_state &state);
// Throws an exception if ANGULAR velocity is beyond the turn of a step, pi / 4, to which Bullet limits it.
void bullet_check_turn(const btVector3 &angular, double h, const char *body);

// ---- Shapes: of every collider of the model, and which of them collide --------------------------------

class bullet_shapes : public btOverlapFilterCallback
{
public:
  bullet_shapes(const engine_scene &scene, const bullet_options &options);
  // Returns the shape of moving body I in its own axes: Bullet leaves bodies without one out of its worlds.
  btCollisionShape *of_body(int i);
  // Adds the shapes of fixed bodies to WORLD, and lets it ask for pairs and surfaces. The world ends first.
  void enter(btDiscreteDynamicsWorld &world);
  // Marks OBJECT as moving body I.
  static void mark(btCollisionObject &object, int i);
  btCollisionDispatcher &dispatcher()
  {
    return *dispatcher_;
  }
  btBroadphaseInterface &broadphase()
  {
    return *broadphase_;
  }
  btCollisionConfiguration &configuration()
  {
    return *configuration_;
  }
  bool needBroadphaseCollision(btBroadphaseProxy *one, btBroadphaseProxy *two) const override;

private:
  btCollisionShape *create(int collider);
  void combine(int body);

  const engine_scene &scene_;
  double margin_;
  bool touch_;
  std::unique_ptr<btDefaultCollisionConfiguration> configuration_;
  std::unique_ptr<btCollisionDispatcher> dispatcher_;
  std::unique_ptr<btBroadphaseInterface> broadphase_;
  btEmptyShape empty_;
  std::vector<std::unique_ptr<btCollisionShape>> shape_;
  std::vector<btCollisionShape *> of_collider_, of_body_;
  std::vector<std::unique_ptr<btCollisionObject>> fixed_;
};

// ---- Constraints of our own, solved as all others of Bullet: bullet_rows.cpp --------------------------

enum bullet_quantity { ROW_DISTANCE, ROW_COSINE, ROW_ALONG, ROW_ANGLE };
enum bullet_role { ROW_EQUATION, ROW_LIMIT, ROW_MOTOR };

// A row of two bodies: x = 0, a bound of x, or a wanted rate of x. Points and axes are in body axes.
//   ROW_DISTANCE  x = |point b - point a| - length       ROW_COSINE  x = axis a . axis b
//   ROW_ALONG     x = axis a . (point b - point a)        ROW_ANGLE   x = angle of second_b against second_a
//                                                                     about axis a
struct bullet_row {
  bullet_quantity quantity;
  bullet_role role;
  btVector3 point_a, point_b, axis_a, axis_b, second_a, second_b;
  double length;
  double lower, upper, restitution, threshold; // ROW_LIMIT
  double rate, impulse;                        // ROW_MOTOR; impulse: the largest one
};

class bullet_rows : public btTypedConstraint
{
public:
  bullet_rows(btRigidBody &a, btRigidBody &b) : btTypedConstraint(D6_CONSTRAINT_TYPE, a, b)
  {
  }
  void getInfo1(btConstraintInfo1 *info) override;
  void getInfo2(btConstraintInfo2 *info) override;
  void setParam(int, btScalar, int) override
  {
  }
  btScalar getParam(int, int) const override
  {
    return 0.0;
  }
  std::vector<bullet_row> row;
};

// ---- Worlds -------------------------------------------------------------------------------------------

class bullet_world
{
public:
  virtual ~bullet_world() = default;
  virtual void set(const hn_state &state) = 0;
  virtual void step(double h, hn_state &state, int &iterations) = 0;
};

std::unique_ptr<bullet_world> bullet_rigid_world(const engine_scene &scene, const bullet_options &options);
std::unique_ptr<bullet_world> bullet_tree_world(const engine_scene &scene, const bullet_options &options);
// Sets what both worlds have in common.
void bullet_configure(btDiscreteDynamicsWorld &world, const engine_scene &scene,
                      const bullet_options &options);

#endif
