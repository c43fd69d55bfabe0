#include "engines/bullet.hpp"
std::unique_ptr<bullet_world> bullet_tree_world(const engine_scene &, const bullet_options &)
{
  throw std::runtime_error("multibody is to come");
}
