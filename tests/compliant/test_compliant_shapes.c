/* test_compliant_shapes.c - compliant contacts of all pairs of shapes: energy without losses, momentum with
 * friction; planar shapes; models built in C. */
#include "compliant_impacts.h"

static const char accurate[] = "lagrange:stepper=rk8pd,adaptive=true,error_tolerance=1e-12";

static const char *const shapes[] = {
  "scene.sphere { radius = 0.1 }",
  "scene.capsule { radius = 0.07, height = 0.2 }",
  "scene.cylinder { radius = 0.08, height = 0.2 }",
  "scene.box { 0.2, 0.15, 0.18 }",
  ("scene.convex { { 0.1, 0, 0 }, { -0.1, 0, 0 }, { 0, 0.12, 0 }, { 0, -0.1, 0 }, "
   "{ 0, 0, 0.13 }, { 0, 0, -0.1 } }"),
  "scene.ellipsoid { 0.07, 0.13, 0.1 }",
};
enum { SPHERE, CAPSULE, CYLINDER, BOX, CONVEX, ELLIPSOID, SHAPES };

/* Two bodies of these shapes that turn and meet, without gravity. */
static trial meet(int a, int b, double friction, const char *law)
{
  char body[1600];
  snprintf(
    body, sizeof body,
    "sys:body { shape = %s, density = 500, position = { 0, 0, 0 }, orientation = { 0.8, 0.3, 0.1, -0.4 },\n"
    "  angular_velocity = { 1, -2, 0.5 }, friction = %g }\n"
    "sys:body { shape = %s, density = 500, position = { 0.4, 0.02, 0.03 }, friction = %g,\n"
    "  orientation = { 0.7, 0.2, -0.5, 0.3 }, angular_velocity = { -1, 0.3, 2 },\n"
    "  velocity = { -1, 0, 0 } }\n"
    "sys:contact { %s }",
    shapes[a], friction, shapes[b], friction, law);
  return run_under(0.0, body, accurate, 2e-3, 0.4);
}

/* True if a pair keeps its one nearest point. Two points of others appear and disappear within their
 * overlap. */
static bool has_one_point(int a, int b)
{
  return !(a == CAPSULE && b == CYLINDER) && !(a == CYLINDER && b == CYLINDER) &&
         !(a == CAPSULE && b == CONVEX);
}

static void energy_is_conserved_by_elastic_contacts(void **unused)
{
  (void)unused;
  double worst = 0.0;
  for (int a = 0; a < SHAPES; a++)
    for (int b = 0; b < SHAPES; b++) {
      if (!has_one_point(a, b)) continue;
      trial r = meet(a, b, 0.0, "law = 'hertz', stiffness = 1e6");
      assert_true(r.state->twist[1].v[0] < -0.02 || r.state->twist[1].v[0] > 0.02); /* they have met */
      worst = larger(worst, r.summary.energy_error_max / r.summary.energy_initial);
      done(&r);
    }
  check_below("energy of 33 pairs of shapes: largest relative error", worst, 1e-9);
}

static void momentum_is_conserved_with_friction(void **unused)
{
  (void)unused;
  double linear = 0.0, angular = 0.0;
  for (int a = 0; a < SHAPES; a++)
    for (int b = 0; b < SHAPES; b++) {
      hn_measure before, after;
      trial r = meet(a, b, 0.4,
                     "law = 'hunt-crossley', stiffness = 1e6, dissipation = 0.3, transition = 0.1");
      hn_state *start = hn_state_create(r.scene->model);
      hn_measure_state(r.scene->model, start, &before);
      hn_measure_state(r.scene->model, r.state, &after);
      for (int c = 0; c < 3; c++) {
        linear = larger(linear, fabs(after.momentum[c] - before.momentum[c]));
        angular = larger(angular, fabs(after.angular_momentum[c] - before.angular_momentum[c]));
      }
      assert_true(r.summary.energy_final < r.summary.energy_initial);
      hn_state_free(start);
      done(&r);
    }
  check_below("momentum of 36 pairs of shapes: change, kg m/s", linear, 1e-13);
  check_below("angular momentum: change, kg m^2/s", angular, 1e-13);
}

/* A ball hits one of two spheres of a dumbbell of mass 2, half-length 0.5 and moment J = 2 (0.25 + (2/5)
 * 0.01), at a right angle: with the effective mass 1 / (1 + 1/2 + 0.25/J) the impulse of an elastic impact
 * is 2 v times it. */
static void shapes_away_from_the_centre_touch(void **unused)
{
  (void)unused;
  const double J = 2.0 * (0.25 + 0.4 * 0.01), p = 2.0 / (1.0 + 0.5 + 0.25 / J);
  const char *body =
    "sys:body { mass = 2, position = { 0, 0, 0 }, inertia = { 1, 1, 2 * (0.25 + 0.4 * 0.01) },\n"
    "  shapes = { { shape = scene.sphere { radius = 0.1 }, position = { 0.5, 0, 0 } },\n"
    "             { shape = scene.sphere { radius = 0.1 }, position = { -0.5, 0, 0 } } } }\n"
    "sys:body { mass = 1, shape = scene.sphere { radius = 0.1 }, position = { 0.5, 0.2, 0 },\n"
    "  velocity = { 0, -1, 0 } }\n"
    "sys:contact { law = 'hertz', stiffness = 1e12 }";
  trial r = run_under(0.0, body, accurate, 1e-5, 1e-3);
  /* the bodies turn during the impact, of 7e-5 s, by 1e-4 rad */
  check_near("velocity of the ball, m/s", r.state->twist[2].v[1], p - 1.0, 1e-3);
  check_near("velocity of the dumbbell", r.state->twist[1].v[1], -0.5 * p, 1e-3);
  check_near("its angular velocity, rad/s", r.state->twist[1].w[2], -0.5 * p / J, 1e-3);
  done(&r);
}

/* A disc on its rim, and a square that lands flat on two corners: each has half of the weight. */
static void planar_shapes_have_compliant_contacts(void **unused)
{
  (void)unused;
  static const char text[] =
    "local scene = require 'holonom.scene'\n"
    "local sys = scene.system { planar = true, gravity = { 0, -9.81, 0 } }\n"
    "sys:body { fixed = true, position = { 0, -1, 0 },\n"
    "  shape = scene.polygon { { -5, -1 }, { 5, -1 }, { 5, 1 }, { -5, 1 } } }\n"
    "sys:body { shape = scene.circle { radius = 0.1 }, mass = 0.8, position = { -2, 0.1, 0 } }\n"
    "sys:body { shape = scene.polygon { { -0.1, -0.1 }, { 0.1, -0.1 }, { 0.1, 0.1 }, { -0.1, 0.1 } },\n"
    "  mass = 0.8, position = { 2, 0.1, 0 } }\n"
    "sys:contact { law = 'hunt-crossley', stiffness = 1e6, dissipation = 10 }\nreturn sys";
  write_bytes(text, strlen(text));
  trial r = run_spec("lagrange", 2e-4, 1.5, NULL, NULL);
  if (r.reason != HN_CONVERGED) fail_msg("%s", r.summary.explanation);
  check_near("disc: compression, m", 0.1 - r.state->pose[2].x[1], pow(0.8 * 9.81 / 1e6, 2.0 / 3.0), 1e-10);
  check_near("square: compression, m", 0.1 - r.state->pose[3].x[1], pow(0.4 * 9.81 / 1e6, 2.0 / 3.0), 1e-10);
  done(&r);
}

/* The law of hn_contact_spec, and its replacement. */
static void models_take_laws_as_text(void **unused)
{
  (void)unused;
  hn_error error = { "" };
  hn_model *model = hn_model_create((double[]){ 0, 0, 0 });
  const hn_body_spec ball = {
    .name = "a", .kind = HN_RIGID, .shape = { .kind = HN_SPHERE, .size = { 0.1 } }, .density = 500
  };
  hn_body_spec other = ball;
  other.name = "b", other.position[0] = 0.199;
  assert_true(hn_model_add_body(model, &ball, &error) > 0 && hn_model_add_body(model, &other, &error) > 0);
  assert_int_equal(hn_model_collide(model, &(hn_contact_spec){ .law = "kelvin-voigt" }, &error), -1);
  printf("  %s\n", error.text);
  assert_int_equal(hn_model_collide(model, &(hn_contact_spec){ .law = "kelvin-voigt:stiffness=3" }, &error),
                   0);
  assert_int_equal(hn_model_collide(model, &(hn_contact_spec){ .law = "kelvin-voigt:stiffness=5e4" }, &error),
                   0);
  hn_state *state = hn_state_create(model);
  hn_measure measure;
  hn_measure_state(model, state, &measure);
  check_near("energy of 1 mm, J", measure.potential, 0.025, 1e-12);
  hn_state_free(state);
  hn_model_free(model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(energy_is_conserved_by_elastic_contacts),
    cmocka_unit_test(momentum_is_conserved_with_friction),
    cmocka_unit_test(shapes_away_from_the_centre_touch),
    cmocka_unit_test(planar_shapes_have_compliant_contacts),
    cmocka_unit_test(models_take_laws_as_text),
  };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
