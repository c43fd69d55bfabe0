/* test_planar_refusals.c - refusals of a planar system while it is built, in C and in scenes: whatever leaves
 * the plane. */
#include "planar_scenes.h"
#include "written.h"
#include "base/vec.h"

#include <string.h>

static void expect(int status, const char *text, const char *says)
{
  bool good = status < 0 && strstr(text, says);
  printf("  %s%s\n", status < 0 ? text : "(accepted)", good ? "" : "  FAILED");
  if (!good) printf("    expected: %s\n", says);
  assert_true(good);
}

static void bodies_off_the_plane_are_refused(void **unused)
{
  (void)unused;
  const hn_body_spec good = rigid_body("b", 1, 0, 0, 2);
  static const char *const says[] = {
    "z of its position must be 0, not 0.25",
    "x of its orientation must be 0",
    "y of its orientation must be 0",
    "z of its velocity must be 0",
    "x of its angular velocity must be 0",
    "y of its angular velocity must be 0, not 3",
    "z of its gravity must be 0",
    "one number, that about z",
    "Jz must be positive",
  };
  hn_model *model = new_plane(true);
  hn_error error;
  for (int i = 0; i < 9; i++) {
    hn_body_spec bad = good;
    double *number[] = { &bad.position[2], &bad.orientation[1],      &bad.orientation[2],
                         &bad.velocity[2], &bad.angular_velocity[0], &bad.angular_velocity[1],
                         &bad.gravity[2],  &bad.inertia[0],          &bad.inertia[2] };
    *number[i] = i == 0 ? 0.25 : i == 8 ? -1 : 3;
    bad.has_gravity = true;
    expect(hn_model_add_body(model, &bad, &error), error.text, says[i]);
    assert_int_equal(model->nbody, 1);
  }
  assert_int_equal(hn_model_add_body(model, &good, &error), 1);
  check_near("1 / Jz", model->body[1].inv_J[2], 0.5, 0);
  assert_true(model->body[1].inv_J[0] == 0 && model->body[1].inv_J[1] == 0);
  hn_model *late = new_model();
  add_box(late, "box", 0, 0, 0);
  expect(hn_model_set_planar(late, &error), error.text, "before it has bodies");
  hn_model_free(late);
  const double gravity[3] = { 0, 0, -9.81 };
  late = hn_model_create(gravity);
  expect(hn_model_set_planar(late, &error), error.text, "its z must be 0, not -9.81");
  hn_model_free(late);
  hn_model_free(model);
}

static void joints_off_the_plane_are_refused(void **unused)
{
  (void)unused;
  static const struct {
    const char *type;
    double axis[3], z;
    const char *says;
  } bad[] = {
    { "hinge", { 0, 1e-9, 1 }, 0, "its axis must be along z" },
    { "hinge", { 0, 0, 1 }, 1e-3, "z must be 0, not 0.001" },
    { "hinge", { 0, 0, 0 }, 0, "its axis must be a direction" },
    { "slider", { 1, 0, 1e-9 }, 0, "its axis lies in the plane: z must be 0" },
    { "gear", { 1, 0, 0 }, 0, "must be along z" },
    { "drive_angle", { 1, 0, 0 }, 0, "must be along z" },
    { "drive_position", { 0, 0, 1 }, 0, "lies in the plane" },
    { "universal", { 1, 0, 0 }, 0, "a universal joint has no meaning in a planar system" },
    { "cylindrical", { 1, 0, 0 }, 0, "no meaning in a planar system" },
    { "screw", { 1, 0, 0 }, 0, "no meaning in a planar system" },
    { "planar", { 0, 0, 1 }, 0, "no meaning in a planar system" },
  };
  hn_error error;
  hn_model *model = new_plane(true);
  add_plank(model, "plank", 0.5, 0, 0);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    hn_joint_spec spec = { .type = bad[i].type,
                           .a = 0,
                           .b = 1,
                           .has_points = true,
                           .at_a = { 0, 0, bad[i].z },
                           .at_b = { 0, 0, bad[i].z },
                           .axis_b = { 0, 1, 0 } };
    vec_copy(spec.axis_a, bad[i].axis);
    expect(hn_model_add_joint(model, &spec, &error), error.text, bad[i].says);
  }
  assert_int_equal(model->njoint, 0);
  hn_model_free(model);
}

static void forces_off_the_plane_are_refused(void **unused)
{
  (void)unused;
  hn_error error;
  hn_model *model = new_plane(true);
  add_plank(model, "plank", 0.5, 0, 0);
  hn_force_spec spec = { .geometry = { .type = "force", .a = 0, .b = 1, .has_points = true },
                         .vector = { 1, 2, 3 } };
  expect(hn_model_add_force(model, &spec, &error), error.text, "force must have z = 0");
  spec.vector[2] = 0;
  assert_int_equal(hn_model_add_force(model, &spec, &error), 0);
  spec.geometry.type = "torque";
  expect(hn_model_add_force(model, &spec, &error), error.text, "torque must be along z");
  vec_set(spec.vector, 0, 0, 1);
  assert_int_equal(hn_model_add_force(model, &spec, &error), 1);
  spec.geometry.type = "angular_spring", spec.settings = "stiffness=1", spec.geometry.axis_a[0] = 1;
  expect(hn_model_add_force(model, &spec, &error), error.text, "must be along z");
  hn_model_free(model);
}

/* ---- Scenes -------------------------------------------------------------------------------------------- */

static void write_text(const char *text)
{
  write_bytes(text, strlen(text));
}

static void scenes_can_be_planar(void **unused)
{
  (void)unused;
  write_text("local scene = require 'holonom.scene'\nlocal sys = scene.system { planar = true }\n"
             "sys:body { name = 'a', mass = 2, inertia = 0.25, position = { 1, 0, 0 } }\n"
             "sys:body { name = 'b', shape = scene.box { 1, 2, 3 }, density = 12, position = { 1, 0, 0 } }\n"
             "sys:hinge { sys.ground, 'a', at = { 0, 0, 0 }, axis = { 0, 0, 1 } }\nreturn sys");
  hn_scene *scene = load_written(NULL, 0);
  assert_true(scene->model->planar);
  ASSERT_COUNT("rows", scene->model->nrow, 2);
  check_near("Jz given", scene->model->body[1].J[2], 0.25, 0);
  check_near("Jz of the box", scene->model->body[2].J[2], 72 * 5 / 12.0, 1e-13);
  hn_scene_free(scene);
  static const char *const head =
    "local scene = require 'holonom.scene'\nlocal sys = scene.system { planar = true }\n";
  static const struct {
    const char *line, *says;
  } bad[] = {
    { "sys:body { mass = 2, inertia = { 1, 1, 1 }, position = { 1, 0, 0 } }", "inertia must be a number" },
    { "sys:body { mass = 2, inertia = 1, position = { 1, 0, 1 } }", "z of its position must be 0, not 1" },
    { "sys:particle { mass = 2, position = { 1, 0, 0 }, velocity = { 0, 0, 1 } }",
      "z of its velocity must be 0" },
    { "sys:universal { sys.ground, sys:body { mass = 1, inertia = 1, position = { 0, 0, 0 } }, "
      "at = { 0, 0, 0 }, axis_a = { 1, 0, 0 }, axis_b = { 0, 1, 0 } }",
      "has no meaning in a planar system" },
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    char text[600];
    snprintf(text, sizeof text, "%s%s\nreturn sys", head, bad[i].line);
    write_text(text);
    expect_refusal(3, bad[i].says);
  }
  write_text("local scene = require 'holonom.scene'\n"
             "return scene.system { planar = true, gravity = { 0, 0, -9.81 } }");
  expect_refusal(2, "gravity of a planar system must lie in the plane");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(bodies_off_the_plane_are_refused),
    cmocka_unit_test(joints_off_the_plane_are_refused),
    cmocka_unit_test(forces_off_the_plane_are_refused),
    cmocka_unit_test(scenes_can_be_planar),
  };
  return cmocka_run_group_tests_name("planar_refusals", tests, make_directory, remove_directory);
}
