/* test_scene_values.c - values of a scene file that arrive in its model: bodies of several shapes, breakage
 * loads, suggested ranges of parameters, points of joints written in Lua, and refusals of single values. */
#include "models.h"
#include "written.h"

/* ---- Bodies -------------------------------------------------------------------------------------------- */

/* A turn about { 2, -3, 6 }, whose length is 7, equals Rodrigues' formula for the unit axis. */
static void axes_of_any_length_give_the_same_turn(void **unused)
{
  (void)unused;
  const double axis[3] = { 2.0 / 7, -3.0 / 7, 6.0 / 7 }, v[3] = { 0.4, 1.1, -0.7 }, angle = 0.8;
  double across[3], turned[3], worst = 0.0;
  write_scene(
    "sys:body { name = 'long', position = { 0, 0, 0 }, axis_angle = { 2, -3, 6, 0.8 },\n"
    "  mass = 1, inertia = { 1, 2, 2.5 } }\n"
    "sys:body { name = 'part', position = { 0, 0, 0 }, fixed = true,\n"
    "  shapes = { { shape = scene.box { 1, 2, 3 }, axis_angle = { 2, -3, 6, 0.8 } } } }\nreturn sys");
  hn_scene *scene = load_written(NULL, 0);
  const double *of[] = { scene->model->body[1].pose0.q, scene->model->collider[0].place.q };
  vec_cross(across, axis, v);
  for (int k = 0; k < 2; k++) {
    quat_rotate(turned, of[k], v);
    for (int i = 0; i < 3; i++) {
      const double along = axis[i] * vec_dot(axis, v) * (1 - cos(angle));
      worst = larger(worst, fabs(turned[i] - (v[i] * cos(angle) + across[i] * sin(angle) + along)));
    }
    check_below(k ? "turn of a shape" : "turn of a body", worst, 8e-15);
  }
  hn_scene_free(scene);
}

/* Only the part with mass counts: its mass, its centre and its moments of inertia, m (b^2 + c^2) / 12. */
static void massless_parts_add_no_mass(void **unused)
{
  (void)unused;
  const double m = 5.0 * 0.5 * 0.3 * 0.2;
  write_scene("sys:body { name = 'b', position = { 0, 0, 0 }, density = 5, shapes = {\n"
              "  { shape = scene.box { 0.5, 0.3, 0.2 }, position = { 1, 2, 3 } },\n"
              "  { shape = scene.sphere { radius = 2 }, massless = true } } }\nreturn sys");
  hn_scene *scene = load_written(NULL, 0);
  const hn_body *b = &scene->model->body[1];
  double sum = b->J[0] + b->J[1] + b->J[2];
  ASSERT_COUNT("shapes", b->ncollider, 2);
  check_near("mass (kg)", b->mass, m, 1e-15);
  check_near("centre of mass, x (m)", b->pose0.x[0], 1, 1e-15);
  check_near("centre of mass, z (m)", b->pose0.x[2], 3, 1e-15);
  check_near("trace of the inertia (kg m^2)", sum, m * (0.25 + 0.09 + 0.04) / 6, 1e-15);
  hn_scene_free(scene);
}

/* Returns the number of contacts of a body whose lower part, with `collides`, is in the floor. */
static int contacts_of(const char *collides)
{
  char text[800];
  snprintf(text, sizeof text,
           "sys:body { name = 'floor', fixed = true, position = { 0, 0, 0 },\n"
           "  shape = scene.plane { normal = { 0, 1, 0 } } }\n"
           "sys:body { name = 'b', position = { 0, 1, 0 }, density = 100, shapes = {\n"
           "  { shape = scene.sphere { radius = 0.2 } },\n"
           "  { shape = scene.sphere { radius = 0.1 }, position = { 0, -1, 0 }, %s } } }\n"
           "sys:contact {}\nreturn sys",
           collides);
  write_scene(text);
  hn_scene *scene = load_written(NULL, 0);
  hn_solver *solver = new_solver("moreau", scene->model);
  hn_state *at = hn_state_create(scene->model);
  assert_int_equal(hn_solver_step(solver, at, 1e-3), HN_CONVERGED);
  const int count = at->ncontact;
  hn_state_free(at), hn_solver_free(solver), hn_scene_free(scene);
  return count;
}

static void parts_that_do_not_collide_have_no_contacts(void **unused)
{
  (void)unused;
  ASSERT_COUNT("contacts of a part in the floor", contacts_of(""), 1);
  ASSERT_COUNT("with collides = true", contacts_of("collides = true"), 1);
  ASSERT_COUNT("with collides = false", contacts_of("collides = false"), 0);
}

/* Free fall, x = g t^2 / 2: each body in its own gravity, one in that of the system. */
static void own_gravity_replaces_that_of_the_system(void **unused)
{
  (void)unused;
  static const double g[3][3] = { { 1, -2, 3 }, { 0, 0, 0 }, { 0, -9.81, 0 } };
  const char text[] =
    "local scene = require 'holonom.scene'\n"
    "local sys = scene.system { gravity = { 0, -9.81, 0 } }\n"
    "sys:particle { position = { 0, 0, 0 }, mass = 2, gravity = { 1, -2, 3 } }\n"
    "sys:body { position = { 5, 0, 0 }, mass = 2, inertia = { 1, 1, 1 }, gravity = { 0, 0, 0 } }\n"
    "sys:particle { position = { 9, 0, 0 }, mass = 2 }\nreturn sys\n";
  write_bytes(text, strlen(text));
  hn_scene *scene = load_written(NULL, 0);
  hn_solver *solver = new_solver("impulse-sle", scene->model);
  hn_state *at = hn_state_create(scene->model);
  const double h = 0.25;
  assert_int_equal(hn_solver_step(solver, at, h), HN_CONVERGED);
  for (int b = 0; b < 3; b++) {
    double worst = 0.0;
    for (int i = 0; i < 3; i++) {
      const double start = scene->model->body[b + 1].pose0.x[i];
      worst = larger(worst, fabs(at->pose[b + 1].x[i] - start - 0.5 * g[b][i] * h * h));
    }
    check_below("distance from the fall in the body's gravity (m)", worst, 1e-14);
  }
  hn_state_free(at), hn_solver_free(solver), hn_scene_free(scene);
}

/* A body with another part of positive density would have a positive mass all the same. */
static void densities_of_parts_must_be_positive(void **unused)
{
  (void)unused;
  static const char *const densities[] = { "-1", "0" };
  for (int i = 0; i < 2; i++) {
    char text[400], says[80];
    snprintf(text, sizeof text,
             "sys:body { name = 'b', position = { 0, 0, 0 }, density = 1, shapes = {\n"
             "  { shape = scene.sphere { radius = 1 } },\n"
             "  { shape = scene.sphere { radius = 0.5 }, density = %s } } }\nreturn sys",
             densities[i]);
    snprintf(says, sizeof says, "shapes[2]: density must be positive, not %s", densities[i]);
    write_scene(text);
    expect_refusal(2, says);
  }
}

/* ---- Joints -------------------------------------------------------------------------------------------- */

/* The load of a hinge is that of its equations: limit and friction beside it have none of their own. */
static void breakage_loads_are_of_the_joint_alone(void **unused)
{
  (void)unused;
  write_scene("local b = sys:body { position = { 1, 0, 0 }, mass = 1, inertia = { 1, 1, 1 } }\n"
              "sys:hinge { sys.ground, b, at = { 0, 0, 0 }, axis = { 0, 0, 1 }, lower = -1, upper = 1,\n"
              "  friction = 0.5, breaks_at = 7, breaks_torque = 11 }\nreturn sys");
  hn_scene *scene = load_written(NULL, 0);
  const hn_model *model = scene->model;
  ASSERT_COUNT("joints", model->njoint, 3);
  for (int j = 0; j < model->njoint; j++) {
    const hn_joint_extras *more = model->joint[j].more;
    printf(" %s\n", model->joint[j].name);
    check_near("breaks at (N)", more ? more->breaks_at : 0, j ? 0 : 7, 0);
    check_near("breaks at (N m)", more ? more->breaks_torque : 0, j ? 0 : 11, 0);
  }
  hn_scene_free(scene);
}

/* The box has its centre at { 1.5, 2.25, 3 }, apart from the origin of its scene axes at { 1, 2, 3 }. With
 * the body turned by a right angle about z, the point { 0.2, 0.7, -0.3 } is at { 1 - 0.7, 2 + 0.2, 3 - 0.3
 * }. */
static void points_of_a_body_are_in_its_scene_axes(void **unused)
{
  (void)unused;
  static const double place[3] = { 0.3, 2.2, 2.7 };
  for (int i = 0; i < 3; i++) {
    char text[900];
    snprintf(
      text, sizeof text,
      "local b = sys:body { position = { 1, 2, 3 }, axis_angle = { 0, 0, 1, math.pi / 2 }, density = 1,\n"
      "  shapes = { { shape = scene.box { 1, 2, 3 }, position = { 0.25, -0.5, 0 } } } }\n"
      "sys:joint { sys.ground, b, residual = function(_, b)\n"
      "  return b:point { 0.2, 0.7, -0.3 }[%d] - %g\nend }\nreturn sys",
      i + 1, place[i]);
    write_scene(text);
    hn_scene *scene = load_written(NULL, 0);
    hn_state *at = hn_state_create(scene->model);
    double g = NAN;
    const hn_joint *joint = &scene->model->joint[0];
    joint->type->eval(joint, 0, &at->pose[0], &at->twist[0], &at->pose[1], &at->twist[1],
                      &(hn_rows){ .g = &g });
    check_below("residual of the point (m)", g, 4e-15);
    hn_state_free(at), hn_scene_free(scene);
  }
}

static void units_of_joints_are_those_given(void **unused)
{
  (void)unused;
  static const char *const given[] = { "", "unit = 'm',", "unit = 'rad'," }, *const unit[] = { "m", "m",
                                                                                               "rad" };
  for (int i = 0; i < 3; i++) {
    char text[500], says[60];
    snprintf(
      text, sizeof text,
      "local b = sys:body { position = { 0.5, 0, 0 }, mass = 1, inertia = { 1, 1, 1 } }\n"
      "sys:joint { sys.ground, b, name = 'j', %s residual = function(_, b) return %s end }\nreturn sys",
      given[i], "b.position[2]");
    write_scene(text);
    hn_scene *scene = load_written(NULL, 0);
    assert_string_equal(scene->model->joint[0].type->unit, unit[i]);
    hn_scene_free(scene);
    *strchr(strstr(text, "[2]"), '2') = '1';
    write_scene(text);
    snprintf(says, sizeof says, "is violated by 0.5 %s at the start", unit[i]);
    expect_refusal(3, says);
  }
}

/* The bounds of a block are those of its projection: for friction of 0.5 N m in a step of 0.1 s, 0.05 N m
 * s. */
static void limits_of_a_block_are_impulses(void **unused)
{
  (void)unused;
  char why[600];
  write_scene(
    "local b = sys:body { position = { 1, 0, 0 }, mass = 1, inertia = { 1, 1, 1 } }\n"
    "sys:hinge { sys.ground, b, at = { 1, 0, 0 }, axis = { 0, 0, 1 }, friction = 0.5 }\n"
    "scene.contact_solver { name = 's', solve = function(problem, p)\n"
    "  local found = 0\n"
    "  for k = 1, problem.blocks do\n"
    "    local kind, lower, upper = problem:set(k)\n"
    "    if kind == 'within' then\n"
    "      found = found + 1\n"
    "      assert(math.abs(upper - 0.05) < 1e-16 and lower == -upper, upper)\n"
    "      assert(problem:project(k, { 1e9 })[1] == upper and problem:project(k, { -1e9 })[1] == lower)\n"
    "    end\n"
    "  end\n"
    "  assert(found == 1)\n"
    "  return 'budget'\n"
    "end }\nreturn sys");
  hn_scene *scene = load_written(NULL, 0);
  hn_solver *solver = new_solver("moreau:contact=s", scene->model);
  hn_state *at = hn_state_create(scene->model);
  hn_reason reason = hn_solver_step(solver, at, 0.1);
  hn_solver_explain(solver, reason, 0.1, why, sizeof why);
  printf("  %s\n", why);
  assert_int_equal(reason, HN_STALLED);
  hn_state_free(at), hn_solver_free(solver), hn_scene_free(scene);
}

/* ---- Parameters, texts and metatables
 * -------------------------------------------------------------------- */

static void ranges_of_parameters_are_kept(void **unused)
{
  (void)unused;
  write_scene("scene.param('k', 3, 'stiffness', { live = true, low = -2, high = 8 }) scene.param('d', 1)\n"
              "sys:particle { position = { 0, 0, 0 }, mass = 1 }\nreturn sys");
  hn_scene *scene = load_written(NULL, 0);
  ASSERT_COUNT("parameters", scene->nparam, 2);
  check_near("low", scene->param[0].low, -2, 0);
  check_near("high", scene->param[0].high, 8, 0);
  assert_true(scene->param[0].live && !scene->param[1].live);
  assert_true(isnan(scene->param[1].low) && isnan(scene->param[1].high));
  hn_scene_free(scene);
}

/* The characters beside the control characters are allowed. */
static void names_have_no_control_characters(void **unused)
{
  (void)unused;
  static const struct {
    const char *name;
    bool good;
  } cases[] = { { "~", true },        { " ", true },     { "\\u{A0}", true }, { "\\x7F", false },
                { "a\\x7Fb", false }, { "\\31", false }, { "", false } };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[200];
    snprintf(text, sizeof text, "sys:particle { name = '%s', position = { 0, 0, 0 }, mass = 1 }",
             cases[i].name);
    if (cases[i].good) expect_good_body(text);
    else expect_failing_body(text, 2, "name must be printable text (UTF-8), not empty");
  }
}

/* A finaliser that ends at once does no harm, but could not be told from one that does not. */
static void finalisers_are_refused(void **unused)
{
  (void)unused;
  expect_failing_body("setmetatable({}, { __gc = function() end })\nreturn sys", 2, "scenes cannot use __gc");
  expect_failing_body("local t = {} setmetatable({}, t)\nt.__gc = function() end\n"
                      "sys:particle { position = { 0, 0, 0 }, mass = 1 }\nreturn sys",
                      2, "scenes cannot use __gc");
  expect_good_body("setmetatable({}, { __index = function() end, __name = 'n' })");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(axes_of_any_length_give_the_same_turn),
    cmocka_unit_test(massless_parts_add_no_mass),
    cmocka_unit_test(parts_that_do_not_collide_have_no_contacts),
    cmocka_unit_test(own_gravity_replaces_that_of_the_system),
    cmocka_unit_test(densities_of_parts_must_be_positive),
    cmocka_unit_test(breakage_loads_are_of_the_joint_alone),
    cmocka_unit_test(points_of_a_body_are_in_its_scene_axes),
    cmocka_unit_test(units_of_joints_are_those_given),
    cmocka_unit_test(limits_of_a_block_are_impulses),
    cmocka_unit_test(ranges_of_parameters_are_kept),
    cmocka_unit_test(names_have_no_control_characters),
    cmocka_unit_test(finalisers_are_refused),
  };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
