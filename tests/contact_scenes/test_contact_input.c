/* test_contact_input.c - error messages for invalid or unsupported contact input of scenes. */
#include "written.h"

#define FLOOR                                                                         \
  "sys:body { name = 'floor', fixed = true, position = { 0, 0, 0 }, friction = 0.5, " \
  "shape = scene.plane { normal = { 0, 0, 1 } } } "
#define BODY(more) "sys:body { name = 'b', position = { 0, 0, 1 }, density = 1, " more " }"
#define BALL "shape = scene.sphere { radius = 1 }"

static void invalid_input_is_refused(void **unused)
{
  (void)unused;
  static const struct {
    const char *body;
    const char *message;
  } cases[] = {
    { BODY("shape = scene.convex { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 1, 1, 0 } }"),
      "lie all in a plane" },
    { BODY("shape = scene.convex { { 0, 0, 0 }, { 0, 0, 0 }, { 0, 1, 0 }, { 0, 1, 0 } }"),
      "lie all on a line" },
    { BODY("shape = scene.convex { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 0/0 } }"), "corner 4[3]" },
    { BODY("shape = scene.box { 1, 0, 1 }"), "must be positive, not 0" },
    { BODY("shape = scene.sphere { radius = -1 }"), "must be positive, not -1" },
    { BODY("shape = scene.capsule { radius = 1, height = 0/0 }"), "height must be finite, not nan" },
    { BODY(BALL ", friction = -1"), "friction must be at least 0, not -1" },
    { BODY(BALL ", friction = 0/0"), "friction must be finite, not nan" },
    { BODY(BALL ", friction = 'rough'"), "friction must be a number, not \"rough\"" },
    { BODY(BALL ", friction = { static = 0.2, kinetic = 0.3 }"),
      "friction, 0.2, must be at least the kinetic one" },
    { BODY(BALL ", friction = { static = 0.2 }"), "friction: key \"kinetic\" is missing" },
    { BODY(BALL ", friction = { static = 0.2, kinetik = 0.1 }"), "did you mean \"kinetic\"?" },
    { BODY(BALL ", restitution = 1.5"), "restitution must be between 0 and 1, not 1.5" },
    { "sys:material_pair { 'a', 'b', friction = { static = 0.1, kinetic = 0.3 } }",
      "at least the kinetic one, 0.3" },
    { "sys:material_pair { 'a', 'b', friction = -0.1 }", "friction must be at least 0, not -0.1" },
    { "sys:contact { points = 5 }", "points must be 1, 2, 3 or 4, not 5" },
    { "sys:contact { points = 0 }", "points must be positive, not 0" },
    { "sys:contact { overlap = 'resolved' }", "unknown overlap \"resolved\"" },
    { "sys:contact { capacity = 1.5 }", "capacity must be a whole number" },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    write_scene(cases[i].body);
    expect_refusal(2, cases[i].message);
  }
}

#define DEEP                                                                                              \
  FLOOR                                                                                                   \
  "for i = 0, 1 do sys:body { name = 'box' .. i, density = 1, position = { 0.1 * i, 0, 0.5 + 0.1 * i }, " \
  "shape = scene.box { 1, 1, 1 } } end\n"

/* Two boxes of 1 m, offset by 0.1 m in two directions: the smallest separating translation is 0.9 m. */
static void deep_overlap_is_reported_or_refused(void **unused)
{
  (void)unused;
  hn_error error;
  write_scene(DEEP "sys:contact { margin = 0.02 } return sys");
  hn_scene *scene = hn_scene_load(path, NULL, 0, &error);
  if (!scene) fail_msg("%s", error.text);
  const hn_overlap *overlap = &scene->model->overlap;
  check_near("overlap, m", overlap->depth, 0.9, 1e-12);
  assert_true(overlap->a + overlap->b == 5 && overlap->a != overlap->b);
  hn_solver *solver = hn_solver_create("moreau", scene->model, &error);
  hn_state *state = hn_state_create(scene->model);
  hn_summary summary;
  hn_run_options options = { .step = 0.01, .duration = 0.01 };
  if (hn_run(solver, state, &options, &summary) != HN_CONVERGED) fail_msg("%s", summary.explanation);
  check_below("after a step with projection, m", summary.contact.penetration, 1e-8);
  hn_state_free(state);
  hn_solver_free(solver);
  hn_scene_free(scene);
  write_scene(DEEP "sys:contact { margin = 0.02, overlap = 'refuse' } return sys");
  expect_refusal(0, "contact: bodies \"box0\" and \"box1\" overlap by 0.9 m at the start");
  write_scene(DEEP
              "sys:contact { margin = 0.95, overlap = 'refuse' } return sys"); /* no deeper than the margin */
  scene = hn_scene_load(path, NULL, 0, &error);
  assert_non_null(scene);
  hn_scene_free(scene);
}

/* Runs one step of the written scene with `spec`; checks its outcome and that the explanation contains
 * `says`. */
static void expect_end(const char *spec, hn_reason expected, const char *message)
{
  hn_error error;
  hn_summary summary = { .reason = HN_CONVERGED };
  hn_scene *scene = hn_scene_load(path, NULL, 0, &error);
  if (!scene) fail_msg("%s", error.text);
  hn_solver *solver = hn_solver_create(spec, scene->model, &error);
  hn_state *state = hn_state_create(scene->model);
  hn_run_options options = { .step = 0.01, .duration = 0.01 };
  const hn_reason reason = solver ? hn_run(solver, state, &options, &summary) : HN_UNSUPPORTED;
  const char *text = solver ? summary.explanation : error.text;
  printf("  %s: %s\n", hn_reason_name(reason), text);
  assert_int_equal(reason, expected);
  assert_non_null(strstr(text, message));
  hn_state_free(state);
  hn_solver_free(solver);
  hn_scene_free(scene);
}

#define BOXES(number)                                                                          \
  FLOOR "for i = 1, " #number " do sys:body { name = 'b' .. i, position = { 2 * i, 0, 0.5 }, " \
        "velocity = { 0, 0, -1 }, density = 1, shape = scene.box { 1, 1, 1 }, friction = 0.5 } end\n"

static void exceeded_capacities_are_reported(void **unused)
{
  (void)unused;
  write_scene(BOXES(9) "sys:contact { margin = 0.02, capacity = 10 } return sys");
  expect_end("moreau", HN_FULL,
             "more than the 10 contacts that there is room for; sys:contact { capacity = ... }");
  expect_end("impulse-gs", HN_FULL, "more than the 10 contacts that there is room for");
  expect_end("lagrange", HN_UNSUPPORTED,
             "solvers that can: impulse-gs, impulse-contact, xpbd, tgs-soft, avbd, moreau");
  write_scene(BOXES(250) "sys:contact { margin = 0.02 } return sys");
  expect_end("moreau:contact=lemke", HN_STALLED, "contact problem too large for its solver");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(invalid_input_is_refused),
    cmocka_unit_test(deep_overlap_is_reported_or_refused),
    cmocka_unit_test(exceeded_capacities_are_reported),
  };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
