// box2d_shapes.cpp - shapes of Box2D (box2d.hpp): circles, polygons of up to 8 corners, and planes
#include "engines/box2d.hpp"

static std::unique_ptr<b2Shape> polygon(const hn_collider &c, const char *body, double scale, double skin)
{
  int count = 0;
  const double *corner = hn_shape_corners(&c.shape, &count);
  const std::string name = body;
  b2Vec2 point[b2_maxPolygonVertices];
  if (count > b2_maxPolygonVertices)
    throw std::runtime_error("a polygon of body " + name + " has more than 8 corners and is not translated");
  for (int k = 0; k < count; k++) {
    double at[3];
    engine_turn(c.place.q, corner + 3 * k, at);
    for (int i = 0; i < 3; i++) at[i] += c.place.x[i];
    point[k] = box2d_vector(at, scale);
  }
  std::unique_ptr<b2PolygonShape> shape(new b2PolygonShape);
  shape->Set(point, count);
  if (shape->m_count != count)
    throw std::runtime_error("Box2D welds corners of body " + name +
                             " that are less than 2.5 mm apart: its shape is not "
                             "translated, set scale");
  shape->m_radius = static_cast<float>(scale * skin);
  return shape;
}

// A plane is the side of a large square, about the point that is nearest to the origin of the world. An
// edge would not do: what has passed it touches nothing.
static std::unique_ptr<b2Shape> plane(const hn_collider &c, const hn_pose &pose, double scale)
{
  double n[3], world_n[3], place[3], local[3];
  engine_turn(c.place.q, c.shape.size, n);
  engine_turn(pose.q, n, world_n), engine_turn(pose.q, c.place.x, place);
  const double depth = world_n[0] * (pose.x[0] + place[0]) + world_n[1] * (pose.x[1] + place[1]);
  const double foot[3] = { depth * world_n[0] - pose.x[0], depth * world_n[1] - pose.x[1], 0.0 };
  engine_turn_back(pose.q, foot, local);
  b2Vec2 corner[4];
  for (int k = 0; k < 4; k++) {
    const double along = k < 2 ? -plane_reach : plane_reach,
                 down = k == 1 || k == 2 ? 2.0 * plane_reach : 0.0;
    corner[k] = b2Vec2(static_cast<float>(scale * local[0] + along * n[1] - down * n[0]),
                       static_cast<float>(scale * local[1] - along * n[0] - down * n[1]));
  }
  std::unique_ptr<b2PolygonShape> square(new b2PolygonShape);
  square->Set(corner, 4);
  square->m_radius = 0.0f;
  return square;
}

std::unique_ptr<b2Shape> box2d_shape(const engine_scene &scene, int collider, double scale, double skin)
{
  const hn_collider &c = scene.model->collider[collider];
  const hn_body &body = scene.model->body[c.body];
  if (c.shape.kind == HN_PLANE) return plane(c, body.pose0, scale);
  if (c.shape.kind == HN_POLYGON) return polygon(c, body.name, scale, skin);
  std::unique_ptr<b2CircleShape> circle(new b2CircleShape);
  circle->m_radius = static_cast<float>(scale * c.shape.size[0]),
  circle->m_p = box2d_vector(c.place.x, scale);
  return circle;
}
