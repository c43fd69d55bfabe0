/* test_velocity_joints.c - motors, dry friction, knife edges and rolling joints in scenes: the resulting
 * model, conditions on the start, measures, inputs from control, refusals. Their rows are tested in
 * test_joints.c. */
#include "models.h"
#include "base/vec.h"
#include "written.h"

#define BODY "local b = sys:body { name = 'b', mass = 1, inertia = { 1, 1, 1 }, position = { 0, 0, 0 } }\n"
#define AT ", at = { 0, 0, 0 }"
#define Z ", axis = { 0, 0, 1 }"

static const hn_joint *joint_of(const hn_scene *scene, const char *name)
{
  hn_error error;
  int index = hn_model_find_joint(scene->model, name, &error);
  if (index < 0) fail_msg("%s", error.text);
  return &scene->model->joint[index];
}

/* ---- Scenes -------------------------------------------------------------------------------------------- */

static void limits_and_friction_are_joints_beside_a_hinge(void **state)
{
  (void)state;
  write_scene(BODY "sys:hinge { sys.ground, b" AT Z
                   ", lower = -1, restitution = 0.3, friction = 2.5, name = 'knee' }\n"
                   "return sys");
  hn_scene *scene = load_written(NULL, 0);
  const hn_joint *limit = joint_of(scene, "knee.limit"), *friction = joint_of(scene, "knee.friction");
  ASSERT_COUNT("joints", scene->model->njoint, 3);
  assert_string_equal(limit->type->name, "limit_angle");
  assert_string_equal(friction->type->name, "friction_angle");
  assert_true(limit->set->kind == HN_PUSH && friction->set->kind == HN_WITHIN);
  check_near("restitution", limit->set->restitution, 0.3, 0);
  check_near("lower", hn_joint_real(limit, "lower"), -1, 0);
  assert_true(hn_joint_real(limit, "upper") == HUGE_VAL && isnan(hn_joint_real(limit, "pitch")));
  check_near("torque of friction, least", friction->set->lower, -2.5, 0);
  check_near("largest", friction->set->upper, 2.5, 0);
  const unsigned needs = HN_CAN_PUSH | HN_CAN_BOUNCE | HN_CAN_WITHIN | HN_CAN_VELOCITY;
  assert_true(scene->model->needs == needs);
  hn_scene_free(scene);
}

static void friction_is_a_joint_beside_a_slider(void **state)
{
  (void)state;
  write_scene(BODY "sys:slider { sys.ground, b" AT Z ", friction = 0.125, name = 'rail' }\nreturn sys");
  hn_scene *scene = load_written(NULL, 0);
  ASSERT_COUNT("joints", scene->model->njoint, 2);
  const hn_joint *friction = joint_of(scene, "rail.friction");
  assert_string_equal(friction->type->name, "friction_position");
  check_near("force", friction->set->upper, 0.125, 0);
  hn_scene_free(scene);
}

static void motors_have_bounds_and_inputs(void **state)
{
  (void)state;
  write_scene(BODY "sys:servo { sys.ground, b, axis = { 1, 0, 0 }, target = 0, stiffness = 1, limit = 1 }\n"
                   "sys:motor_angle { sys.ground, b" Z ", motion = 2, limit = 5, name = 'spin' }\n"
                   "sys:friction_angle { sys.ground, b" Z ", torque = 1, name = 'drag' }\n"
                   "sys:motor_position { sys.ground, b" AT Z
                   ", motion = { amplitude = 1, frequency = 3 }, name = 'lift' }\n"
                   "return sys");
  hn_scene *scene = load_written(NULL, 0);
  const hn_joint *spin = joint_of(scene, "spin"), *lift = joint_of(scene, "lift"),
                 *drag = joint_of(scene, "drag");
  ASSERT_COUNT("inputs, 2 of the servo", scene->model->ninput, 4);
  assert_true(spin->input == 2 && lift->input == 3 && drag->input == -1);
  assert_true(spin->set->kind == HN_WITHIN && spin->set->upper == 5 && spin->set->lower == -5);
  assert_true(lift->set->kind == HN_WITHIN && lift->set->upper == HUGE_VAL && lift->set->lower == -HUGE_VAL);
  hn_scene_free(scene);
}

static void control_sets_motors_by_name(void **state)
{
  (void)state;
  hn_error error = { "" };
  write_scene(
    BODY "sys:motor { sys.ground, b" Z ", target = 0, gain = 1, limit = 1, name = 'law' }\n"
         "sys:motor_angle { sys.ground, b" Z ", motion = 2, limit = 5, name = 'spin' }\n"
         "sys:control(function(t, s) s:set('spin', s:get('spin') + 1.5); s:set('law', 7) end)\nreturn sys");
  hn_scene *scene = load_written(NULL, 0);
  hn_control *control = hn_control_create(scene, &error);
  hn_state *at = hn_state_create(scene->model);
  if (!control) fail_msg("%s", error.text);
  assert_non_null(at);
  for (int i = 0; i < 2; i++)
    if (hn_control_step(control, &(hn_control_context){ .state = at, .model = scene->model }, &error))
      fail_msg("%s", error.text);
  check_near("input of the motor", at->input[joint_of(scene, "spin")->input], 3, 0);
  check_near("input of the force", at->input[scene->model->force[0].input], 7, 0);
  hn_state_free(at);
  hn_control_free(control);
  hn_scene_free(scene);
}

static void bad_joints_are_refused(void **state)
{
  (void)state;
  static const struct {
    const char *joint, *says;
  } bad[] = {
    { "sys:hinge { sys.ground, b" AT Z ", lower = 0, restitution = 1.5 }",
      "restitution = 1.5 is outside 0 to 1" },
    { "sys:hinge { sys.ground, b" AT Z ", restitution = 1 }", "needs its lower or its upper bound" },
    { "sys:hinge { sys.ground, b" AT Z ", frction = 1 }",
      "unknown key \"frction\"; did you mean \"friction\"?" },
    { "sys:hinge { sys.ground, b" AT Z ", torque = 1 }", "unknown key \"torque\"" },
    { "sys:hinge { sys.ground, b" AT Z ", friction = -1 }", "torque = -1 is outside 0 to inf (N m)" },
    { "sys:hinge { sys.ground, b" AT Z ", friction = {} }", "friction must be a number, not a table" },
    { "sys:ball { sys.ground, b" AT ", friction = 1 }", "unknown key \"friction\"" },
    { "sys:friction_angle { sys.ground, b" Z ", name = 'f' }",
      "joint \"f\": dry friction needs its largest torque" },
    { "sys:friction_position { sys.ground, b" AT Z " }", "needs its largest force" },
    { "sys:motor_angle { sys.ground, b" Z " }", "key \"motion\" is missing" },
    { "sys:motor_angle { sys.ground, b" Z ", motion = 1, limit = -2 }",
      "limit = -2 is outside 0 to inf (N m)" },
    { "sys:motor_angle { sys.ground, b" Z ", motion = 1, limt = 2 }", "did you mean \"limit\"?" },
    { "sys:rolling { sys.ground, b" AT Z ", name = 'r' }", "joint \"r\": it needs its radius, above zero" },
    { "sys:rolling { sys.ground, b" AT Z ", radius = 0 }", "it needs its radius, above zero" },
    { "sys:rolling_disc { sys.ground, b" AT ", axis_a = { 0, 1, 0 }, axis_b = { 0, -2, 0 }, radius = 1 }",
      "its axes are parallel" },
    { "sys:knife_edge { sys.ground, b" Z " }", "key \"at\" is missing" },
    { "local p = sys:particle { mass = 1, position = { 0, 0, 0 } } sys:knife_edge { sys.ground, p" AT Z " }",
      "which is a particle" },
  };
  for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
    char text[600];
    snprintf(text, sizeof text, BODY "%s\nreturn sys", bad[k].joint);
    expect_failing_body(text, 3, bad[k].says);
  }
}

static void every_refusal_names_the_capability(void **state)
{
  (void)state;
  size_t count, refused = 0;
  const hn_solver_type *const *types = hn_solver_types(&count);
  write_scene(BODY "sys:knife_edge { sys.ground, b" AT Z " }\nreturn sys");
  hn_scene *scene = load_written(NULL, 0);
  assert_true(scene->model->needs == HN_CAN_VELOCITY);
  for (size_t i = 0; i < count; i++) {
    hn_error error = { .text = "" };
    if (types[i]->capabilities & HN_CAN_VELOCITY) continue;
    assert_null(hn_solver_create(types[i]->name, scene->model, &error));
    if (refused++ == 0) printf("  %s\n", error.text);
    assert_non_null(strstr(error.text, "cannot do constraints of velocities"));
  }
  hn_scene_free(scene);
}

/* ---- Starts and measures ------------------------------------------------------------------------------- */

/* A disc of radius 0.5, inclined by 0.4 rad, with angular velocity W; its centre has the velocity of rolling
 * plus SLIP. */
#define DISC                                                                                            \
  "local s, c = math.sin(0.4), math.cos(0.4)\n"                                                         \
  "local w, contact = { 0.3, -0.8, 2 }, { 0, -0.5 * c, 0.5 * s }\n"                                     \
  "local v = scene.add(scene.cross(contact, w), slip)\n"                                                \
  "local b = sys:body { mass = 1, inertia = { 1, 1, 2 }, position = { 0, 0.5 * c, 0 }, velocity = v, "  \
  "angular_velocity = w, axis_angle = { 1, 0, 0, -0.4 } }\n"                                            \
  "local wheel = { sys.ground, b, at = { 0, 0.5 * c, 0 }, axis_a = { 0, 1, 0 }, axis_b = { 0, s, c }, " \
  "radius = 0.5, name = 'wheel' }\n"

static void a_rolling_start_must_roll(void **state)
{
  (void)state;
  static const char roll[] = DISC "sys:rolling_disc(wheel)\nreturn sys";
  static const char hold[] = DISC "sys:disc_on_plane(wheel)\nreturn sys";
  char text[1200];
  for (int k = 0; k < 4; k++) {
    static const char *const slips[] = { "0, 0, 0", "0.25, 0, 0", "0, 0, 0.25", "0, 0.25, 0" };
    bool wrong[2] = { k == 1 || k == 2, k == 3 };
    for (int held = 0; held < 2; held++) {
      snprintf(text, sizeof text, "local slip = { %s } %s", slips[k], held ? hold : roll);
      if (wrong[held]) {
        expect_failing_body(text, 7, "joint \"wheel\" is violated by 0.25");
      } else {
        write_scene(text);
        hn_scene_free(load_written(NULL, 0));
      }
    }
  }
}

static void a_ball_and_a_skate_must_start_without_slip(void **state)
{
  (void)state;
#define MOVING(v, w)                                                                              \
  "local b = sys:body { mass = 1, inertia = { 1, 1, 1 }, position = { 1, 0.5, 2 }, velocity = " v \
  ", angular_velocity = " w " }\n"
#define ROLLING \
  "sys:rolling { sys.ground, b, at = { 1, 0.5, 2 }, axis = { 0, 1, 0 }, radius = 0.5 }\nreturn sys"
#define SKATE "sys:knife_edge { sys.ground, b, at = { 2, 0.5, 2 }, axis = { 0, 0, 1 } }\nreturn sys"
  write_scene(MOVING("{ 1, 0, 0.5 }", "{ 1, 7, -2 }") ROLLING);
  hn_scene_free(load_written(NULL, 0));
  expect_failing_body(MOVING("{ 1, 0, 0.5 }", "{ 1, 7, 2 }") ROLLING, 3,
                      "is violated by 2 m/s by the velocities");
  write_scene(MOVING("{ 3, 4, 2 }", "{ 5, 2, 6 }") SKATE); /* z of v + w x (1, 0, 0) = 2 - w_y */
  hn_scene_free(load_written(NULL, 0));
  expect_failing_body(MOVING("{ 3, 4, 2 }", "{ 5, 1, 6 }") SKATE, 3,
                      "is violated by 1 m/s by the velocities");
}

/* Motors and friction may slip, at the start and later: it is no joint error. */
static void slip_is_no_joint_error(void **state)
{
  (void)state;
  hn_measure measure;
  /* clang-format off */
  write_scene(MOVING("{ 3, 0, 0.5 }", "{ 0, 0, 0.7 }")
    "sys:motor_angle { sys.ground, b" Z ", motion = 9, limit = 1 }\n"
    "sys:friction_position { sys.ground, b, at = { 1, 0.5, 2 }, axis = { 1, 0, 0 }, force = 1 }\nreturn sys");
  /* clang-format on */
  hn_scene *scene = load_written(NULL, 0);
  hn_state *at = hn_state_create(scene->model);
  hn_measure_state(scene->model, at, &measure);
  check_below("position error", measure.position_error, 0);
  check_below("velocity error", measure.velocity_error, 0);
  hn_state_free(at);
  hn_scene_free(scene);
  write_scene(MOVING("{ 0, 0, 0 }", "{ 0, 0, 0 }") SKATE);
  scene = load_written(NULL, 0);
  at = hn_state_create(scene->model);
  vec_set(at->twist[1].v, 3, 4, 0.125), vec_set(at->pose[1].x, 5, 6, 7);
  hn_measure_state(scene->model, at, &measure);
  check_below("position error of a knife edge, elsewhere", measure.position_error, 0);
  check_near("velocity error, m/s", measure.velocity_error, 0.125, 1e-15);
  hn_state_free(at);
  hn_scene_free(scene);
}

static void joints_that_conserve_energy(void **state)
{
  (void)state;
  static const struct {
    const char *joint;
    bool conserves;
  } of[] = {
    { "sys:knife_edge { sys.ground, b" AT Z " }", true },
    { "sys:rolling { sys.ground, b" AT Z ", radius = 1 }", true },
    { "sys:rolling_disc { sys.ground, b" AT ", axis_a = { 0, 1, 0 }, axis_b = { 0, 0, 1 }, radius = 1 }",
      true },
    { "sys:disc_on_plane { sys.ground, b" AT ", axis_a = { 0, 1, 0 }, axis_b = { 0, 0, 1 }, radius = 1 }",
      true },
    { "sys:friction_angle { sys.ground, b" Z ", torque = 1 }", false },
    { "sys:motor_position { sys.ground, b" AT Z ", motion = 0 }", false },
    { "sys:hinge { sys.ground, b" AT Z ", friction = 1 }", false },
  };
  for (size_t k = 0; k < sizeof of / sizeof *of; k++) {
    char text[400];
    snprintf(text, sizeof text, BODY "%s\nreturn sys", of[k].joint);
    write_scene(text);
    hn_scene *scene = load_written(NULL, 0);
    printf("  %-95.95s %s\n", of[k].joint, hn_model_conserves_energy(scene->model) ? "yes" : "no");
    assert_true(hn_model_conserves_energy(scene->model) == of[k].conserves);
    hn_error error;
    hn_solver *solver = hn_solver_create("xpbd", scene->model, &error);
    hn_state *at = hn_state_create(scene->model);
    hn_summary summary;
    hn_run(solver, at, &(hn_run_options){ .step = 1e-3, .duration = 1e-3 }, &summary);
    assert_true(summary.energy_conserved == of[k].conserves); /* reported by runs */
    hn_state_free(at);
    hn_solver_free(solver);
    hn_scene_free(scene);
  }
}

/* ---- In the plane -------------------------------------------------------------------------------------- */

/* Returns the largest component of the rows that leaves the plane. */
static double off_the_plane(const hn_joint *joint, const hn_model *model)
{
  double G_a[6 * HN_MAX_ROWS], G_b[6 * HN_MAX_ROWS], worst = 0.0;
  const int n = joint->type->rows, columns[] = { 2, 3, 4 };
  const hn_body *a = &model->body[joint->a], *b = &model->body[joint->b];
  joint->type->eval(joint, 0, &a->pose0, &a->twist0, &b->pose0, &b->twist0,
                    &(hn_rows){ .G_a = G_a, .G_b = G_b });
  for (int c = 0; c < 3; c++)
    for (int r = 0; r < n; r++)
      worst = fmax(worst, fmax(fabs(G_a[columns[c] * n + r]), fabs(G_b[columns[c] * n + r])));
  return worst;
}

static void planar_forms_stay_in_the_plane(void **state)
{
  (void)state;
  static const char first[] =
    "local sys = require('holonom.scene').system { planar = true }\n"
    "local b = sys:body { mass = 1, inertia = 1, position = { 1, 0.5, 0 }, velocity = { 1, 0, 0 }, "
    "angular_velocity = { 0, 0, -2 } }\n";
  static const struct {
    const char *joint, *says;
  } of[] = {
    { "sys:rolling { sys.ground, b, at = { 1, 0.5, 0 }, axis = { 0, 1, 0 }, radius = 0.5 }", NULL },
    { "sys:knife_edge { sys.ground, b, at = { 1, 1, 0 }, axis = { 0, 1, 0 } }", NULL },
    { "sys:motor_angle { sys.ground, b, axis = { 0, 0, 1 }, motion = 1 }", NULL },
    { "sys:motor_position { sys.ground, b, at = { 1, 1, 0 }, axis = { 0, 1, 0 }, motion = 1 }", NULL },
    { "sys:friction_angle { sys.ground, b, axis = { 0, 0, -1 }, torque = 1 }", NULL },
    { "sys:friction_position { sys.ground, b, at = { 1, 1, 0 }, axis = { 3, 4, 0 }, force = 1 }", NULL },
    { "sys:hinge { sys.ground, b, at = { 1, 0.5, 0 }, axis = { 0, 0, 1 }, friction = 1 }",
      "by the velocities" },
    { "sys:knife_edge { sys.ground, b, at = { 1, 1, 0 }, axis = { 0, 0, 1 } }",
      "its axis lies in the plane" },
    { "sys:rolling_disc { sys.ground, b, at = { 1, 1, 0 }, axis_a = { 0, 1, 0 }, axis_b = { 1, 0, 0 }, "
      "radius = 1 }",
      "has no meaning in a planar system" },
  };
  for (size_t k = 0; k < sizeof of / sizeof *of; k++) {
    char text[700];
    snprintf(text, sizeof text, "%s%s\nreturn sys", first, of[k].joint);
    write_bytes(text, strlen(text));
    if (of[k].says) {
      expect_refusal(3, of[k].says);
      continue;
    }
    hn_scene *scene = load_written(NULL, 0);
    const hn_joint *joint = &scene->model->joint[0];
    ASSERT_COUNT(joint->type->name, joint->type->rows, 1);
    check_below("rows out of the plane", off_the_plane(joint, scene->model), 0);
    hn_scene_free(scene);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(limits_and_friction_are_joints_beside_a_hinge),
    cmocka_unit_test(friction_is_a_joint_beside_a_slider),
    cmocka_unit_test(motors_have_bounds_and_inputs),
    cmocka_unit_test(control_sets_motors_by_name),
    cmocka_unit_test(bad_joints_are_refused),
    cmocka_unit_test(every_refusal_names_the_capability),
    cmocka_unit_test(a_rolling_start_must_roll),
    cmocka_unit_test(a_ball_and_a_skate_must_start_without_slip),
    cmocka_unit_test(slip_is_no_joint_error),
    cmocka_unit_test(joints_that_conserve_energy),
    cmocka_unit_test(planar_forms_stay_in_the_plane),
  };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
