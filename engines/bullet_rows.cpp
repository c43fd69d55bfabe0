// bullet_rows.cpp - constraints that Bullet lacks, as rows that its solvers treat as any other (bullet.hpp)
//
//   J u = -erp x / h            equation: distances, the right angle of a universal joint, planes
//   J u >= erp (lower - x) / h  limit, where x < lower; or the bounce, if it is more; the upper
//                               bound is alike
//   J u = rate, |p| <= F h      motor
//
// Bullet's universal joint is singular at a right angle, its joint of six degrees lets the force of a plane
// act at two different points, and it has no rod. Limits of its hinge remove the rotation of a hinge to the
// ground from another row, so that bodies do not leave a bound freely; those of its slider do not bounce. A
// motor of Bullet does not act at a bound. Where a joint has limits, they and its motor or friction are
// rows.
#include "engines/bullet.hpp"

#include <cmath>

namespace
{
// A row at the present poses: x, and x' = J u.
struct jacobian {
  double x;
  btVector3 linear, angular_a, angular_b; // linear: of b; opposite of a
};

jacobian along(const btVector3 &n, const btVector3 &arm_a, const btVector3 &arm_b, double x)
{
  return { x, n, -arm_a.cross(n), arm_b.cross(n) };
}

double angle_of(const bullet_row &row, const btMatrix3x3 &A, const btMatrix3x3 &B)
{
  const btVector3 n = A * row.axis_a, a = A * row.second_a, b = B * row.second_b;
  const double x = std::atan2(n.dot(a.cross(b)), a.dot(b));
  if (!std::isfinite(row.lower) || !std::isfinite(row.upper)) return x;
  return x - SIMD_2_PI * std::round((x - 0.5 * (row.lower + row.upper)) / SIMD_2_PI);
}

jacobian evaluate(const bullet_row &row, const btTransform &a, const btTransform &b)
{
  const btMatrix3x3 &A = a.getBasis(), &B = b.getBasis();
  const btVector3 zero(0, 0, 0), n = A * row.axis_a;
  const btVector3 arm_a = A * row.point_a, arm_b = B * row.point_b;
  const btVector3 apart = b.getOrigin() + arm_b - a.getOrigin() - arm_a;
  switch (row.quantity) {
  case ROW_DISTANCE: {
    const double distance = apart.length();
    return along(distance > 0.0 ? btVector3(apart / distance) : btVector3(1, 0, 0), arm_a, arm_b,
                 distance - row.length);
  }
  case ROW_ALONG: return along(n, arm_a + apart, arm_b, n.dot(apart));
  case ROW_COSINE: {
    const btVector3 m = B * row.axis_b, across = n.cross(m);
    return { n.dot(m), zero, across, -across };
  }
  default: return { angle_of(row, A, B), zero, -n, n };
  }
}

double rate_of(const jacobian &J, const btRigidBody &a, const btRigidBody &b)
{
  return J.linear.dot(b.getLinearVelocity() - a.getLinearVelocity()) +
         J.angular_a.dot(a.getAngularVelocity()) + J.angular_b.dot(b.getAngularVelocity());
}

void put(btScalar *to, const btVector3 &v)
{
  for (int i = 0; i < 3; i++) to[i] = v[i];
}

// The bound that X has passed: -1 the lower one, 1 the upper one, 0 none.
int passed(const bullet_row &row, double x)
{
  return x < row.lower ? -1 : x > row.upper ? 1 : 0;
}
} // namespace

void bullet_rows::getInfo1(btConstraintInfo1 *info)
{
  info->m_numConstraintRows = 0, info->nub = 0;
  for (const bullet_row &r : row) {
    const jacobian J = evaluate(r, m_rbA.getCenterOfMassTransform(), m_rbB.getCenterOfMassTransform());
    if (r.role != ROW_LIMIT || passed(r, J.x) != 0) info->m_numConstraintRows++;
  }
}

void bullet_rows::getInfo2(btConstraintInfo2 *info)
{
  int k = 0;
  for (const bullet_row &r : row) {
    const jacobian J = evaluate(r, m_rbA.getCenterOfMassTransform(), m_rbB.getCenterOfMassTransform());
    const int side = r.role == ROW_LIMIT ? passed(r, J.x) : 0;
    const double gain = info->fps * info->erp, rate = rate_of(J, m_rbA, m_rbB);
    if (r.role == ROW_LIMIT && side == 0) continue;
    put(info->m_J1linearAxis + k, -J.linear), put(info->m_J2linearAxis + k, J.linear);
    put(info->m_J1angularAxis + k, J.angular_a), put(info->m_J2angularAxis + k, J.angular_b);
    if (r.role == ROW_EQUATION) info->m_constraintError[k] = -gain * J.x;
    else if (r.role == ROW_MOTOR) {
      info->m_constraintError[k] = r.rate;
      info->m_lowerLimit[k] = -r.impulse, info->m_upperLimit[k] = r.impulse;
    } else {
      const double back = rate * side > r.threshold ? r.restitution * rate * side : 0.0;
      const double mend = gain * side * (J.x - (side < 0 ? r.lower : r.upper));
      info->m_constraintError[k] = -side * (back > mend ? back : mend);
      info->m_lowerLimit[k] = side < 0 ? 0.0 : -SIMD_INFINITY,
      info->m_upperLimit[k] = side < 0 ? SIMD_INFINITY : 0.0;
    }
    k += info->rowskip;
  }
}
