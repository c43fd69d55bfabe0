// engine.hpp - an engine in C++: a class with the members set, step, and a constructor that translates. Its
// exceptions become the reason of a failure.
#ifndef ENGINES_ENGINE_HPP
#define ENGINES_ENGINE_HPP

#include "engines/engine.h"

#include <exception>
#include <stdexcept>

// WORLD(const engine_scene &); void set(const hn_state &); void step(double h, hn_state &, int &iterations)
template <class World> struct engine_in_cpp {
  static void *create(const engine_scene *scene, char *why) noexcept
  {
    try {
      return new World(*scene);
    } catch (const std::exception &what) {
      engine_fail(why, "%s", what.what());
    } catch (...) {
      engine_fail(why, "it threw what is no exception");
    }
    return nullptr;
  }

  static void set(void *world, const hn_state *state)
  {
    static_cast<World *>(world)->set(*state);
  }

  static int step(void *world, double h, hn_state *state, int *iterations, char *why) noexcept
  {
    try {
      static_cast<World *>(world)->step(h, *state, *iterations);
      return 0;
    } catch (const std::exception &what) {
      return engine_fail(why, "%s", what.what());
    } catch (...) {
      return engine_fail(why, "it threw what is no exception");
    }
  }

  static void free(void *world)
  {
    delete static_cast<World *>(world);
  }

  static engine_kind kind(unsigned has, unsigned shapes)
  {
    engine_kind k{};
    k.has = has, k.shapes = shapes, k.spatial = true;
    k.create = create, k.set = set, k.step = step, k.free = free;
    return k;
  }
};

// Returns the table of the solver NAME with the options OPTIONS; CALLED is the engine and its version. The
// rest of the table is the module's.
template <class Options>
hn_solver_type engine_solver(const char *name, const char *called, const char *summary, const char *citation,
                             const engine_kind &kind, const hn_param *params, const char *const *variants,
                             const hn_preset *presets)
{
  hn_solver_type type{};
  type.abi = HN_ABI, type.name = name, type.engine = called, type.summary = summary, type.citation = citation;
  type.capabilities = ENGINE_CAPABILITIES | (kind.bounces ? HN_CAN_BOUNCE : 0);
  type.data_size = sizeof(Options), type.params = params, type.variants = variants, type.presets = presets;
  type.setup = engine_setup, type.step = engine_step, type.reset = engine_reset, type.free = engine_free;
  type.user = const_cast<engine_kind *>(&kind);
  return type;
}

#endif
