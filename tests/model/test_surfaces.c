/* test_surfaces.c - surface properties of pairs of shapes: geometric mean of the frictions, the larger
 * restitution, and pairs of materials, whose order does not matter. */
#include "models.h"

static int add_sphere(hn_model *model, const char *name, const char *material, double friction,
                      double kinetic, double restitution)
{
  hn_body_spec spec = { .name = name,
                        .kind = HN_RIGID,
                        .density = 1,
                        .shape = { .kind = HN_SPHERE, .size = { 1 } },
                        .orientation = { 1, 0, 0, 0 },
                        .material = material,
                        .friction = kinetic,
                        .static_friction = friction,
                        .restitution = restitution };
  return must_add(model, &spec) - 1; /* its collider */
}

static void check_surface(const hn_model *model, int a, int b, const char *what, hn_surface expected)
{
  printf(" %s\n", what);
  for (int order = 0; order < 2; order++) {
    const hn_surface found = order ? hn_model_surface(model, b, a) : hn_model_surface(model, a, b);
    check_near("friction", found.friction, expected.friction, 1e-15);
    check_near("static friction", found.static_friction, expected.static_friction, 1e-15);
    check_near("restitution", found.restitution, expected.restitution, 0);
  }
}

/* Returns a surface without moments of friction and without an axis. */
static hn_surface surface_of(double friction, double static_friction, double restitution)
{
  return (hn_surface){ friction, static_friction, restitution, 0.0, 0.0, 0.0 };
}

static void surfaces_combine(void **state)
{
  (void)state;
  hn_error error;
  hn_model *model = new_model();
  const int ice = add_sphere(model, "ice", "ice", 0.1, 0.1, 0.2);
  const int steel = add_sphere(model, "steel", "steel", 0.9, 0.4, 0.7);
  const int rubber = add_sphere(model, "rubber", "rubber", 1.6, 0.9, 0);
  assert_true(steel == ice + 1 && rubber == ice + 2 && model->ncollider == rubber + 1);
  check_surface(model, ice, steel, "ice on steel: sqrt(0.04), sqrt(0.09)", surface_of(0.2, 0.3, 0.7));
  check_surface(model, ice, rubber, "ice on rubber: sqrt(0.09), sqrt(0.16)", surface_of(0.3, 0.4, 0.2));
  check_surface(model, steel, rubber, "steel on rubber: 0.6, 1.2", surface_of(0.6, 1.2, 0.7));
  const hn_surface slippery = surface_of(0.03, 0.05, NAN), bouncy = surface_of(NAN, NAN, 0.5);
  assert_int_equal(hn_model_pair_materials(model, "ice", "steel", &slippery, &error), 0);
  assert_int_equal(hn_model_pair_materials(model, "rubber", "steel", &bouncy, &error), 0);
  check_surface(model, ice, steel, "ice on steel, a pair with friction", surface_of(0.03, 0.05, 0.7));
  check_surface(model, steel, rubber, "steel on rubber, a pair with restitution", surface_of(0.6, 1.2, 0.5));
  check_surface(model, ice, rubber, "ice on rubber, no pair", surface_of(0.3, 0.4, 0.2));
  hn_model_free(model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(surfaces_combine),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
