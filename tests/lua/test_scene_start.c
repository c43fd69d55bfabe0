/* test_scene_start.c - settings of collision, planes, references and point-mass models that a scene file
 * declares, as they arrive in its model. */
#include "written.h"

#define BALL \
  "sys:body { name = 'b', shape = scene.sphere { radius = 1 }, density = 1, position = { 1, 2, 3 } }\n"
#define PARTICLE "sys:particle { name = 'b', mass = 1, position = { 1, 2, 3 } }\n"

/* Without a setting the model has its defaults, which differ from those given. */
static void settings_of_contact_reach_the_model(void **unused)
{
  (void)unused;
  for (int given = 0; given < 2; given++) {
    write_scene(given ? BALL "sys:contact { threshold = 0.0625, jointed = true }\nreturn sys"
                      : BALL "sys:contact {}\nreturn sys");
    hn_scene *scene = load_written(NULL, 0);
    check_near("threshold (m/s)", scene->model->threshold, given ? 0.0625 : 0.01, 0);
    assert_int_equal(scene->model->jointed_collide, given);
    hn_scene_free(scene);
  }
}

/* { 2, -3, 6 } has the length 7. */
static void normals_of_any_length_are_made_unit(void **unused)
{
  (void)unused;
  static const double unit[3] = { 2.0 / 7, -3.0 / 7, 6.0 / 7 };
  write_scene("sys:body { name = 'floor', fixed = true, position = { 0, 0, 0 },\n"
              "  shape = scene.plane { normal = { 2, -3, 6 } } }\n" PARTICLE "return sys");
  hn_scene *scene = load_written(NULL, 0);
  for (int i = 0; i < 3; i++) check_near("normal", scene->model->collider[0].shape.size[i], unit[i], 2.3e-16);
  hn_scene_free(scene);
}

/* The distance at the start is that of { 1, 2, 3 } from { 3, 5, 9 }, 7 m. */
static void references_of_another_motion_are_refused(void **unused)
{
  (void)unused;
  expect_failing_body(PARTICLE "sys:reference(function(t) return { b = { position = { 3, 5, 9 } } } end)\n"
                               "return sys",
                      3, "at t = 0 body \"b\" is 7 m from where it starts");
}

/* All parts of an answer arrive, each in its place: in a row { 1 ... 13 }, from the position on. */
static void references_have_velocities(void **unused)
{
  (void)unused;
  bool has[4][2];
  double position[6], orientation[8], velocity[6], angular[6];
  hn_error error;
  const hn_scene_answer out = { .has_position = has[0],
                                .position = position,
                                .has_orientation = has[1],
                                .orientation = orientation,
                                .has_velocity = has[2],
                                .velocity = velocity,
                                .has_angular_velocity = has[3],
                                .angular_velocity = angular };
  const struct {
    const double *at;
    int count;
  } part[] = { { position + 3, 3 }, { orientation + 4, 4 }, { velocity + 3, 3 }, { angular + 3, 3 } };
  write_scene("sys:body { name = 'b', mass = 1, inertia = { 1, 1, 1 }, position = { 1, 2, 3 } }\n"
              "sys:reference(function(t) return { b = { position = { 1, 2, 3 },\n"
              "  orientation = { 4, 5, 6, 7 }, velocity = { 8, 9, 10 }, angular_velocity = { 11, 12, 13 }\n"
              "} } end)\nreturn sys");
  hn_scene *scene = load_written(NULL, 0);
  assert_int_equal(hn_scene_reference_states(scene, 0.5, &out, &error), 1);
  for (int k = 0, next = 1; k < 4; k++) {
    assert_true(has[k][1] && !has[k][0]);
    for (int i = 0; i < part[k].count; i++) check_near("reference", part[k].at[i], next++, 0);
  }
  hn_scene_free(scene);
}

/* A box moves off its joint at 0.25 m/s: the point-mass model reports the projection of this velocity. */
static void point_masses_report_the_projection_of_bodies(void **unused)
{
  (void)unused;
  static const char text[] =
    "local scene = require 'holonom.scene'\n"
    "local sys = scene.system { consistent = true }\n"
    "local b = sys:body { name = 'b', shape = scene.box { 1, 0.1, 0.1 }, density = 100,\n"
    "  position = { 0.5, 0, 0 }, velocity = { 0.25, 0, 0 } }\n"
    "sys:ball { sys.ground, b, at = { 0, 0, 0 } }\n"
    "return scene.point_mass_model(sys)\n";
  write_bytes(text, strlen(text));
  hn_scene *scene = load_written(NULL, 0);
  assert_true(scene->model->projection.done);
  check_near("joint velocity before the projection (m/s)", scene->model->projection.velocity, 0.25, 1e-15);
  hn_scene_free(scene);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(settings_of_contact_reach_the_model),
    cmocka_unit_test(normals_of_any_length_are_made_unit),
    cmocka_unit_test(references_of_another_motion_are_refused),
    cmocka_unit_test(references_have_velocities),
    cmocka_unit_test(point_masses_report_the_projection_of_bodies),
  };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
