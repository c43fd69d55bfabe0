/* models.h - small models for tests that bypass the scene language. */
#ifndef HN_TEST_MODELS_H
#define HN_TEST_MODELS_H

#include "base/vec.h"
#include "check.h"
#include "holonom.h"

#include <string.h>

static inline hn_model *new_model(void)
{
  const double gravity[3] = { 0, -9.81, 0 };
  hn_model *model = hn_model_create(gravity);
  assert_non_null(model);
  return model;
}

static inline int must_add(hn_model *model, const hn_body_spec *spec)
{
  hn_error error;
  int body = hn_model_add_body(model, spec, &error);
  if (body < 0) fail_msg("%s", error.text);
  return body;
}

/* Returns a rigid body of the given mass and principal moments of inertia, at rest at the origin. */
static inline hn_body_spec rigid_body(const char *name, double mass, double Jx, double Jy, double Jz)
{
  hn_body_spec spec = {
    .name = name, .kind = HN_RIGID, .has_mass = true, .mass = mass, .orientation = { 1 }
  };
  vec_set(spec.inertia, Jx, Jy, Jz);
  return spec;
}

static inline int add_box(hn_model *model, const char *name, double x, double y, double z)
{
  hn_body_spec box = { .name = name,
                       .kind = HN_RIGID,
                       .shape = { .kind = HN_BOX, .size = { 1.0, 0.1, 0.1 } },
                       .density = 600,
                       .position = { x, y, z },
                       .orientation = { 1, 0, 0, 0 } };
  return must_add(model, &box);
}

static inline int add_particle(hn_model *model, const char *name, double x, double y, double z)
{
  hn_body_spec particle = { .name = name,
                            .kind = HN_PARTICLE,
                            .has_mass = true,
                            .mass = 1,
                            .position = { x, y, z },
                            .orientation = { 1, 0, 0, 0 } };
  return must_add(model, &particle);
}

static inline void add_ball(hn_model *model, int a, int b, double x, double y, double z)
{
  hn_error error;
  hn_joint_spec ball = {
    .type = "ball", .a = a, .b = b, .has_points = true, .at_a = { x, y, z }, .at_b = { x, y, z }
  };
  if (hn_model_add_joint(model, &ball, &error) < 0) fail_msg("%s", error.text);
}

static inline void add_rod(hn_model *model, int a, int b)
{
  hn_error error;
  hn_joint_spec rod = { .type = "distance", .a = a, .b = b };
  if (hn_model_add_joint(model, &rod, &error) < 0) fail_msg("%s", error.text);
}

/* Returns n boxes in a row along x from the origin, attached at one end. */
static inline hn_model *box_chain(int n)
{
  hn_model *model = new_model();
  for (int i = 0; i < n; i++) {
    char name[16];
    snprintf(name, sizeof name, "link%d", i + 1);
    int link = add_box(model, name, i + 0.5, 0, 0);
    add_ball(model, link - 1, link, i, 0, 0);
  }
  return model;
}

/* Returns two particles on rods of 1 m from the origin along x. */
static inline hn_model *double_pendulum(void)
{
  hn_model *model = new_model();
  add_rod(model, 0, add_particle(model, "a", 1, 0, 0));
  add_rod(model, 1, add_particle(model, "b", 2, 0, 0));
  return model;
}

/* Returns a model with joints of 3 rows and of 1: a box on a ball joint, with a particle on a rod and a
 * second box at its end. */
static inline hn_model *mixed(void)
{
  hn_error error;
  hn_model *model = new_model();
  int box = add_box(model, "box", 0.5, 0, 0), bob = add_particle(model, "bob", 1, -0.5, 0.2);
  add_ball(model, 0, box, 0, 0, 0);
  hn_joint_spec rod = {
    .type = "distance", .a = box, .b = bob, .has_points = true, .at_a = { 1, 0, 0 }, .at_b = { 1, -0.5, 0.2 }
  };
  if (hn_model_add_joint(model, &rod, &error) < 0) fail_msg("%s", error.text);
  int second = add_box(model, "second", 1.5, 0, 0);
  add_ball(model, box, second, 1, 0, 0);
  return model;
}

/* Returns the particles of a unit cube with all 28 distances: rank 18. */
static inline hn_model *redundant_cube(void)
{
  hn_model *model = new_model();
  for (int i = 0; i < 8; i++) {
    char name[16];
    snprintf(name, sizeof name, "p%d", i);
    add_particle(model, name, i & 1, i >> 1 & 1, i >> 2);
  }
  for (int i = 1; i <= 8; i++)
    for (int j = i + 1; j <= 8; j++) add_rod(model, i, j);
  return model;
}

/* Returns N boxes on ball joints in a row, of masses 1, RATIO, 1, ...; the third joint is doubled if
 * REPEATED. */
static inline hn_model *uneven_chain(int n, double ratio, bool repeated)
{
  hn_model *model = new_model();
  for (int i = 0; i < n; i++) {
    char name[16];
    double m = i % 2 ? ratio : 1.0;
    snprintf(name, sizeof name, "b%d", i);
    hn_body_spec spec = rigid_body(name, m, 0.1 * m, 0.1 * m, 0.1 * m);
    spec.position[0] = i + 0.5;
    must_add(model, &spec);
    add_ball(model, i, i + 1, i, 0, 0);
    if (repeated && i == 2) add_ball(model, i, i + 1, i, 0, 0);
  }
  return model;
}

/* Skips the test if SPEC needs a library that was not found. */
static inline hn_solver *new_solver(const char *spec, const hn_model *model)
{
  hn_error error;
  hn_solver *solver = hn_solver_create(spec, model, &error);
  if (!solver && needs_missing_library(spec)) skip();
  if (!solver) fail_msg("%s", error.text);
  return solver;
}

/* A spec that must be refused, and part of the expected error message. */
typedef struct bad_spec {
  const char *spec, *says;
} bad_spec;

static inline void check_refused(const hn_model *model, const bad_spec *bad, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    hn_error error = { "" };
    assert_null(hn_solver_create(bad[i].spec, model, &error));
    printf("  %s\n", error.text);
    assert_non_null(strstr(error.text, bad[i].says));
  }
}

/* Returns the largest distance (m) between centres of mass in two states. */
static inline double farthest(const hn_state *a, const hn_state *b)
{
  double most = 0.0;
  for (int i = 1; i < a->nbody; i++) {
    double d[3];
    vec_sub(d, a->pose[i].x, b->pose[i].x);
    most = larger(most, vec_norm(d));
  }
  return most;
}

/* Returns the position iterations of STEPS steps of h, all of which must converge. */
static inline uint64_t count_iterations(hn_solver *solver, hn_state *state, double h, uint64_t steps)
{
  uint64_t iterations = 0;
  for (uint64_t k = 0; k < steps; k++) {
    assert_int_equal(hn_solver_step(solver, state, h), HN_CONVERGED);
    iterations += (uint64_t)solver->report.position_iterations;
  }
  return iterations;
}

#endif
