// peers_bullet.h - common parts of the comparisons with Bullet: its vectors and orientations.
#ifndef HN_PEERS_BULLET_H
#define HN_PEERS_BULLET_H

#include "peers.h"

#include <btBulletDynamicsCommon.h>

inline btQuaternion orientation(const hn_pose &pose)
{
  return btQuaternion(btScalar(pose.q[1]), btScalar(pose.q[2]), btScalar(pose.q[3]), btScalar(pose.q[0]));
}

inline btVector3 vector(const double v[3])
{
  return btVector3(btScalar(v[0]), btScalar(v[1]), btScalar(v[2]));
}

// Compares boxes at rest on each other, by sequential impulses: peers_contact.cpp.
void compare_contacts(const char *spec);

// Compares solvers at equal steps, without another engine: peers_errors.cpp.
void compare_errors(const std::vector<std::string> &specs);

#endif
