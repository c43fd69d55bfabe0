// box2d.hpp - parts of the module of Box2D
#ifndef ENGINES_BOX2D_HPP
#define ENGINES_BOX2D_HPP

#include "engines/engine.hpp"

#include <box2d/box2d.h>
#include <memory>
#include <string>

constexpr double plane_reach = 100.0; // half the side of the square that is a plane, in Box2D's metres

// Returns x and y of V in Box2D's lengths, SCALE for a metre.
inline b2Vec2 box2d_vector(const double v[3], double scale)
{
  return b2Vec2(static_cast<float>(scale * v[0]), static_cast<float>(scale * v[1]));
}

// Returns the shape of a collider, in the axes of its body. Throws an exception if Box2D has no such shape.
std::unique_ptr<b2Shape> box2d_shape(const engine_scene &scene, int collider, double scale, double skin);

#endif
