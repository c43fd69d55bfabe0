// bullet_shapes.cpp - shapes, pairs and surfaces for Bullet; frames and settings that both of its worlds
// share
//
// Shapes are exact with margin 0. A margin of Bullet rounds the edges of cylinders, and adds a layer to
// convex hulls. Shapes of fixed bodies are objects of their own, those of a moving body are one object.
// Every shape has the number of its collider as user index, and the scene as user pointer: pairs and
// surfaces are found by them.
#include "engines/bullet.hpp"

#include <BulletCollision/CollisionDispatch/btCompoundCollisionAlgorithm.h>
#include <BulletCollision/CollisionDispatch/btCompoundCompoundCollisionAlgorithm.h>

#include <cmath>

btTransform bullet_frame(const double point[3], const double axis[3], int number)
{
  btVector3 column[3];
  column[number] = bullet_vector(axis);
  btPlaneSpace1(column[number], column[(number + 1) % 3], column[(number + 2) % 3]);
  return btTransform(btMatrix3x3(column[0][0], column[1][0], column[2][0], column[0][1], column[1][1],
                                 column[2][1], column[0][2], column[1][2], column[2][2]),
                     bullet_vector(point));
}

void bullet_read(const btTransform &pose, const btVector3 &velocity, const btVector3 &angular, int i,
                 hn_state &state)
{
  const btQuaternion r = pose.getRotation();
  double *q = state.pose[i].q;
  const double turned[4] = { r.w(), r.x(), r.y(), r.z() };
  double with = 0.0;
  for (int k = 0; k < 4; k++) with += turned[k] * q[k];
  for (int k = 0; k < 4; k++) q[k] = with < 0.0 ? -turned[k] : turned[k];
  for (int k = 0; k < 3; k++) {
    state.pose[i].x[k] = pose.getOrigin()[k];
    state.twist[i].v[k] = velocity[k], state.twist[i].w[k] = angular[k];
  }
}

void bullet_check_turn(const btVector3 &angular, double h, const char *body)
{
  if (angular.length() * h <= SIMD_HALF_PI / 2) return;
  throw std::runtime_error(
    "body " + std::string(body) +
    " turns by more than pi / 4 in a step, to which Bullet limits it: use smaller steps");
}

// ---- Shapes -------------------------------------------------------------------------------------------

bullet_shapes::bullet_shapes(const engine_scene &scene, const bullet_options &options)
    : scene_(scene), margin_(options.margin), touch_(options.touch != 0),
      configuration_(new btDefaultCollisionConfiguration),
      dispatcher_(new btCollisionDispatcher(configuration_.get())), broadphase_(new btDbvtBroadphase),
      of_collider_(static_cast<size_t>(scene.model->ncollider)),
      of_body_(static_cast<size_t>(scene.model->nbody))
{
  const hn_model &model = *scene.model;
  if (options.plane_points) configuration_->setPlaneConvexMultipointIterations(8, MANIFOLD_CACHE_SIZE + 1);
  for (int c = 0; c < model.ncollider && model.margin > 0.0; c++)
    if (model.collider[c].group != 0) of_collider_[static_cast<size_t>(c)] = create(c);
  for (int i = 0; i < model.nbody; i++)
    if (model.body[i].kind != HN_FIXED) combine(i);
}

static btCollisionShape *hull_shape(const hn_shape &shape)
{
  int count;
  const double *corner = hn_shape_corners(&shape, &count);
  btConvexHullShape *hull = new btConvexHullShape;
  for (int i = 0; i < count; i++) hull->addPoint(bullet_vector(corner + 3 * i), false);
  hull->recalcLocalAabb();
  return hull;
}

btCollisionShape *bullet_shapes::create(int collider)
{
  const hn_collider &c = scene_.model->collider[collider];
  const double *size = c.shape.size;
  btCollisionShape *shape;
  switch (c.shape.kind) {
  case HN_BOX: shape = new btBoxShape(bullet_vector(size) * 0.5); break;
  case HN_SPHERE: shape = new btSphereShape(size[0]); break;
  case HN_CYLINDER: shape = new btCylinderShape(btVector3(size[0], 0.5 * size[1], size[0])); break;
  case HN_CAPSULE: shape = new btCapsuleShape(size[0], size[1]); break;
  case HN_CONVEX: shape = hull_shape(c.shape); break;
  default: shape = new btStaticPlaneShape(bullet_vector(size), 0.0);
  }
  shape_.emplace_back(shape);
  if (c.shape.kind != HN_SPHERE && c.shape.kind != HN_CAPSULE && c.shape.kind != HN_PLANE)
    shape->setMargin(margin_);
  if (c.shape.kind == HN_BOX || c.shape.kind == HN_CONVEX)
    static_cast<btPolyhedralConvexShape *>(shape)->initializePolyhedralFeatures();
  shape->setUserIndex(collider);
  shape->setUserPointer(const_cast<engine_scene *>(&scene_));
  return shape;
}

// Makes the shapes of a body one. A single shape in the middle needs no other around it.
void bullet_shapes::combine(int body)
{
  static const btTransform middle = btTransform::getIdentity();
  const hn_body &b = scene_.model->body[body];
  btCompoundShape *whole = nullptr;
  for (int c = b.collider; c < b.collider + b.ncollider; c++) {
    btCollisionShape *shape = of_collider_[static_cast<size_t>(c)];
    const btTransform place = bullet_pose(scene_.model->collider[c].place);
    if (!shape) continue;
    if (b.ncollider == 1 && place == middle) {
      of_body_[static_cast<size_t>(body)] = shape;
      return;
    }
    if (!whole) whole = new btCompoundShape, shape_.emplace_back(whole);
    whole->addChildShape(place, shape);
    of_body_[static_cast<size_t>(body)] = whole;
  }
}

btCollisionShape *bullet_shapes::of_body(int i)
{
  btCollisionShape *shape = of_body_[static_cast<size_t>(i)];
  return shape ? shape : &empty_;
}

// ---- Pairs and surfaces -------------------------------------------------------------------------------

// Objects have the number of their body; those of fixed bodies also that of their only collider.
void bullet_shapes::mark(btCollisionObject &object, int i)
{
  object.setUserIndex(i), object.setUserIndex2(-1);
  object.setCollisionFlags(object.getCollisionFlags() | btCollisionObject::CF_CUSTOM_MATERIAL_CALLBACK);
}

static bool children_collide(const btCollisionShape *one, const btCollisionShape *two)
{
  const auto *scene = static_cast<const engine_scene *>(two->getUserPointer());
  if (!scene || !one->getUserPointer()) return true; // one is compound: its children are asked for later
  return engine_collides(scene, one->getUserIndex(), two->getUserIndex());
}

static bool set_surface(btManifoldPoint &point, const btCollisionObjectWrapper *a, int, int,
                        const btCollisionObjectWrapper *b, int, int)
{
  const btCollisionShape *one = a->getCollisionShape(), *two = b->getCollisionShape();
  const auto *scene = static_cast<const engine_scene *>(one->getUserPointer());
  const hn_surface surface = hn_model_surface(scene->model, one->getUserIndex(), two->getUserIndex());
  point.m_combinedFriction = surface.friction, point.m_combinedRestitution = surface.restitution;
  point.m_combinedRollingFriction = point.m_combinedSpinningFriction = 0.0;
  // Trees have no split impulses: the correction of a penetration would add to the bounce.
  const auto *options = static_cast<const bullet_options *>(scene->options);
  if (options->multibody && options->touch && surface.restitution > 0.0)
    point.m_contactPointFlags |= BT_CONTACT_FLAG_HAS_CONTACT_ERP, point.m_contactERP = 0.0;
  return true;
}

// A contact at a distance d lets bodies approach by d / h, which Bullet adds to the bounce: it would take
// most of it.
static void act_from_touch(btPersistentManifold *const &manifold)
{
  if (manifold->getContactPoint(0).m_combinedRestitution > 0.0) manifold->setContactProcessingThreshold(0.0);
}

bool bullet_shapes::needBroadphaseCollision(btBroadphaseProxy *one, btBroadphaseProxy *two) const
{
  const auto *a = static_cast<const btCollisionObject *>(one->m_clientObject),
             *b = static_cast<const btCollisionObject *>(two->m_clientObject);
  const hn_body &p = scene_.model->body[a->getUserIndex()], &q = scene_.model->body[b->getUserIndex()];
  for (int c = p.collider; c < p.collider + p.ncollider; c++)
    for (int d = q.collider; d < q.collider + q.ncollider; d++) {
      const bool other = (a->getUserIndex2() >= 0 && a->getUserIndex2() != c) ||
                         (b->getUserIndex2() >= 0 && b->getUserIndex2() != d);
      if (!other && engine_collides(&scene_, c, d)) return true;
    }
  return false;
}

void bullet_shapes::enter(btDiscreteDynamicsWorld &world)
{
  const hn_model &model = *scene_.model;
  world.getPairCache()->setOverlapFilterCallback(this);
  gContactAddedCallback = set_surface;
  gContactStartedCallback = touch_ ? act_from_touch : nullptr;
  gCompoundChildShapePairCallback = gCompoundCompoundChildShapePairCallback = children_collide;
  for (int c = 0; c < model.ncollider; c++) {
    const hn_collider &collider = model.collider[c];
    if (model.body[collider.body].kind != HN_FIXED || !of_collider_[static_cast<size_t>(c)]) continue;
    btCollisionObject *object = new btCollisionObject;
    fixed_.emplace_back(object);
    mark(*object, collider.body);
    object->setUserIndex2(c);
    object->setCollisionShape(of_collider_[static_cast<size_t>(c)]);
    object->setWorldTransform(bullet_pose(model.body[collider.body].pose0) * bullet_pose(collider.place));
    object->setCollisionFlags(object->getCollisionFlags() | btCollisionObject::CF_STATIC_OBJECT);
    world.addCollisionObject(object);
  }
}

// ---- Settings -----------------------------------------------------------------------------------------

void bullet_configure(btDiscreteDynamicsWorld &world, const engine_scene &scene,
                      const bullet_options &options)
{
  btContactSolverInfo &info = world.getSolverInfo();
  world.setGravity(bullet_vector(scene.model->gravity));
  world.setForceUpdateAllAabbs(false);
  info.m_numIterations = options.iterations;
  info.m_erp = options.erp, info.m_erp2 = options.contact_erp, info.m_globalCfm = options.cfm;
  info.m_warmstartingFactor = options.warm_start;
  info.m_splitImpulse = options.split != SPLIT_NONE;
  if (options.split == SPLIT_ALL) info.m_splitImpulsePenetrationThreshold = 0.0;
  info.m_restitutionVelocityThreshold = scene.model->threshold;
  info.m_maxGyroscopicForce = SIMD_INFINITY;
  info.m_reportSolverAnalytics = 1;
  if (options.solver >= DANTZIG) info.m_minimumSolverBatchSize = 1;
  if (options.directions == 2) info.m_solverMode |= SOLVER_USE_2_FRICTION_DIRECTIONS;
}
