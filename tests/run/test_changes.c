/* test_changes.c - runs whose model is edited between steps: bodies, joints and forces are added and removed.
 * Compared with closed forms and error messages. */
#include "heard.h"

#include <inttypes.h>

/* clang-format off */
static const char *const all_solvers[] = {
  "impulse-sle", "impulse-gs", "impulse-newton", "lagrange", "taylor", "half-explicit", "generalised-alpha",
  "impulse-extrapolated", "impulse-composed", "moreau", "ida", "impulse-contact", "events", "xpbd",
  "tgs-soft",             "avbd",
};
/* clang-format on */
enum { SOLVERS = sizeof all_solvers / sizeof *all_solvers };

#define PENDULUM                                                                                 \
  "local a = sys:body { name = 'a', mass = 2, inertia = { 1, 1, 1 }, position = { 1, 0, 0 } }\n" \
  "sys:ball { sys.ground, a, at = { 0, 0, 0 }, name = 'pivot' }\n"

/* After half of the time a pendulum is released, a body is added with a velocity, another is removed; all
 * move in free fall from then on. Every solver is created anew with its settings. */
static void bodies_and_joints_are_added_and_removed(void **unused)
{
  (void)unused;
  static heard h;
  for (int m = 0; m < SOLVERS; m++) {
    trial r = run_with_events(PENDULUM
                              "local b = sys:body { name = 'b', mass = 1, inertia = { 1, 1, 1 },\n"
                              "  position = { 0, 0, 5 } }\n"
                              "local n = 0\n"
                              "sys:control(function(t, s)\n  n = n + 1\n  if n == 51 then\n"
                              "    assert(math.abs(t - 0.5) < 1e-12)\n"
                              "    sys:remove('pivot') sys:remove(b)\n"
                              "    sys:body { name = 'c', mass = 3, inertia = { 1, 2, 3 },\n"
                              "      position = { 0, 0, -5 }, velocity = { 2, 0, 0 } }\n"
                              "  end\n  if n == 52 then\n"
                              "    assert(s:velocity('c')[1] == 2 and not pcall(s.position, s, 'b') and\n"
                              "           not pcall(s.value, s, 'pivot'))\n  end end)\nreturn sys",
                              all_solvers[m], 0.01, 1, &h);
    ASSERT_COUNT("bodies, with removed ones and the ground", (unsigned)r.state->nbody, 4);
    ASSERT_COUNT("joints", (unsigned)r.solver->system->model->njoint, 0);
    ASSERT_COUNT("changes", r.summary.changes, 1);
    ASSERT_COUNT("removed", r.summary.events[HN_EVENT_REMOVED], 2);
    ASSERT_COUNT("added", r.summary.events[HN_EVENT_ADDED], 1);
    check_near("added at (s)", h.event[h.count - 1].time, 0.5, 1e-12);
    check_near("x of c (m)", r.state->pose[3].x[0], 1, 1e-6);
    check_near("y of c (m)", r.state->pose[3].x[1], -0.125 * g, 0.5 * g * 0.5 * 0.0101);
    check_near("b keeps its position (m)", r.state->pose[2].x[1], -0.125 * g, 0.5 * g * 0.5 * 0.0101);
    check_near("b has no velocity (m/s)", r.state->twist[2].v[1], 0, 0);
    check_below("fall of a: 1.5 m over it", -1.5 / r.state->pose[1].x[1], 1);
    assert_false(r.summary.energy_conserved);
    done(&r);
  }
}

/* A joint catches a passing ball: the constrained part of its velocity vanishes at once, here none of 3 m/s
 * across a rod of 2 m, and all along it. moreau then loses h w^2 t / 2 of the speed, 2.03e-3 m/s, and a
 * corresponding angle. An added spring at its rest length moves nothing. */
static void joints_and_springs_are_added(void **unused)
{
  (void)unused;
  static const char *const specs[] = { "impulse-sle", "lagrange", "moreau", "events" };
  for (int m = 0; m < 4; m++) {
    trial r = must_run(
      "local p = sys:particle { name = 'p', mass = 2, gravity = { 0, 0, 0 }, position = { 2, 0, 0 },\n"
      "  velocity = { 1, 3, 0 } }\n"
      "local q = sys:particle { name = 'q', mass = 1, gravity = { 0, 0, 0 }, position = { 0, 0, 9 } }\n"
      "local done\n"
      "sys:control(function(t, s)\n  if not done then done = true\n"
      "    sys:distance { sys.ground, p, name = 'rod' }\n"
      "    sys:spring { sys.ground, q, at_a = { 0, 0, 8 }, at_b = { 0, 0, 9 }, stiffness = 50,\n"
      "      name = 'spring' }\n"
      "  elseif t > 0.5 then assert(math.abs(s:position('p')[1] ^ 2 + s:position('p')[2] ^ 2 - 4) < 1e-2)\n"
      "  end end)\nreturn sys",
      specs[m], 0.001, 0.6);
    puts(specs[m]);
    check_near("speed on the circle (m/s)", hypot(r.state->twist[1].v[0], r.state->twist[1].v[1]), 3,
               strcmp(specs[m], "moreau") == 0 ? 2.1e-3 : 1e-6);
    const double *x = r.state->pose[1].x;
    check_near("angle on the circle, 1.5 rad/s (rad)", atan2(x[1], x[0]), 0.9, 1e-3);
    check_below("displacement by the spring (m)", fabs(r.state->pose[2].x[2] - 9), 1e-12);
    ASSERT_COUNT("added", r.summary.events[HN_EVENT_ADDED], 2);
    done(&r);
  }
}

/* Added shapes collide with each other and with earlier ones, and resting bodies remain at rest: boxes
 * dropped one by one form a stack, reproducibly. */
static void added_shapes_collide(void **unused)
{
  (void)unused;
  static heard h;
  uint64_t hash[2];
  static const char *const specs[] = { "moreau", "impulse-contact" };
  for (int m = 0; m < 2; m++) {
    for (int run_index = 0; run_index < 2; run_index++) {
      trial r = run_with_events(
        FLOOR(
          ", friction = 0.5") "local function drop(i)\n"
                              "  sys:body { name = 'box' .. i, mass = 1, shape = scene.box { 1, 0.2, 1 }, "
                              "friction = 0.5,\n"
                              "    position = { 0, 0.2 * i - 0.1 + 0.01, 0 } } end\n"
                              "drop(1)\nsys:contact { margin = 0.02 }\nlocal n = 1\n"
                              "sys:control(function(t, s) if n < 4 and t > 0.2 * n then n = n + 1 drop(n) "
                              "end end)\nreturn sys",
        specs[m], 0.005, 1.2, &h);
      ASSERT_COUNT("changes", r.summary.changes, 3);
      for (int i = 1; i <= 4 && run_index == 0; i++)
        check_near("height of a box (m)", r.state->pose[1 + i].x[1], 0.2 * i - 0.1, 1e-6);
      ASSERT_COUNT("closed: four boxes, each once", r.summary.events[HN_EVENT_CLOSED], 4);
      ASSERT_COUNT("opened", r.summary.events[HN_EVENT_OPENED], 0);
      hash[run_index] = r.summary.hash;
      done(&r);
    }
    printf("  %s: hashes %016" PRIx64 " %016" PRIx64 "\n", specs[m], hash[0], hash[1]);
    assert_true(hash[0] == hash[1]);
  }
}

#define TWO                                                                                      \
  "local a = sys:body { name = 'a', mass = 2, inertia = { 1, 1, 1 }, position = { 1, 0, 0 },\n"  \
  "  velocity = { 0, 1, 0 } }\n"                                                                 \
  "local b = sys:body { name = 'b', mass = 2, inertia = { 1, 1, 1 }, position = { 2, 0, 0 } }\n" \
  "sys:spring { a, b, at_a = { 1, 0, 0 }, at_b = { 2, 0, 0 }, stiffness = 1, name = 's' }\n"

static void invalid_edits_are_reported(void **unused)
{
  (void)unused;
  static const struct {
    const char *body, *words;
  } wrong[] = {
    { "sys:control(function() sys:remove('c') end)", "no body, joint or force \"c\"" },
    { "sys:control(function() sys:remove(a) sys:remove('a') end)", "gone already" },
    { "sys:control(function(t) if t > 0.005 then sys:remove(a) end sys:remove(b) end)", "\"b\" is gone" },
    { "sys:control(function() sys:remove(sys.ground) end)", "the ground stays" },
    { "sys:control(function()\n"
      "  sys:body { name = 'a', mass = 1, inertia = { 1, 1, 1 }, position = { 0, 0, 0 } } end)",
      "already: names must differ" },
    { "sys:control(function()\n"
      "  sys:body { name = 'c', mass = 1, inertia = { 1, 1, 1 }, position = { 0 / 0, 0, 0 } } end)",
      "position[1] must be finite" },
    { "sys:control(function() sys:ball { a, b, at_a = { 1, 0, 0 }, at_b = { 2, 0, 0 } } end)",
      "is violated by 1 m" },
    { "sys:control(function(t)\n"
      "  if t == 0 then sys:remove(a) else sys:ball { a, b, at = { 0, 0, 0 } } end end)",
      "body \"a\" is gone" },
    { "sys:control(function(t, s) sys:remove('s') if t > 0.005 then s:get('s') end end)", "\"s\"" },
    { "sys:control(function() sys:defaults { step = 1 } end)", "the scene is complete" },
    { "sys:control(function() sys:motor { sys.ground, a, axis = { 0, 0, 1 }, gain = 1, target = 0 } end)",
      "limit" },
    { "sys:control(function()\n"
      "  sys:hinge { sys.ground, a, at = { 0, 0, 0 }, axis = { 0, 0, 1 }, breaks_at = 1 } end)",
      "joint forces (of joints that break)" },
  };
  char text[1500];
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    snprintf(text, sizeof text, TWO "%s\nreturn sys", wrong[i].body);
    expect_end(text, wrong[i].words);
  }
  expect_failing_body(TWO "sys:remove('a')\nreturn sys", 6, "it is for control");
}

/* A checkpoint from before an edit is refused, one from after it is accepted. */
static void checkpoints_belong_to_one_model(void **unused)
{
  (void)unused;
  hn_error error;
  write_scene(PENDULUM "return sys");
  trial r = { .scene = load_written(NULL, 0) };
  r.solver = hn_solver_create("impulse-sle", r.scene->model, &error);
  r.state = hn_state_create(r.scene->model);
  const size_t before = hn_solver_memory(r.solver);
  void *memory = malloc(before);
  hn_solver_save(r.solver, memory);
  const bool gone[] = { true };
  hn_model *model = hn_model_change(r.scene->model, r.state, &(hn_model_edit){ .joint = gone }, &error);
  assert_non_null(model);
  if (hn_solver_change(r.solver, model, &error)) fail_msg("%s", error.text);
  assert_int_equal(hn_solver_restore(r.solver, memory, before, &error), -1);
  printf("  %s\n", error.text);
  const size_t after = hn_solver_memory(r.solver);
  memory = realloc(memory, after);
  hn_solver_save(r.solver, memory);
  assert_int_equal(hn_solver_restore(r.solver, memory, after, &error), 0);
  free(memory);
  done(&r);
}

/* Cells of removed elements are empty, other columns continue. Added elements are missing in the record, but
 * present in the events. */
static void records_continue_after_an_edit(void **unused)
{
  (void)unused;
  hn_error error;
  char csv[80], line[2000];
  write_scene(TWO "sys:particle { name = 'c', mass = 1, position = { 0, 0, 3 }, gravity = { 0, 0, 0 } }\n"
                  "sys:control(function(t, s) if t > 0.045 and t < 0.055 then sys:remove(b)\n"
                  "  sys:particle { name = 'd', mass = 1, position = { 0, 0, 9 } } end end)\nreturn sys");
  hn_scene *scene = load_written(NULL, 0);
  snprintf(csv, sizeof csv, "%s/r.csv", directory);
  hn_record *record = hn_record_create(csv, scene->model, &(hn_record_options){ .forces = true }, &error);
  assert_non_null(record);
  trial r = run_spec("impulse-sle", 0.01, 0.1, hn_record_frame, record);
  if (r.reason != HN_CONVERGED) fail_msg("%s", r.summary.explanation);
  assert_int_equal(hn_record_close(record, &error), 0);
  FILE *file = fopen(csv, "r");
  assert_non_null(file);
  int lines = 0, empty = 0, fields = -1;
  while (fgets(line, sizeof line, file)) {
    int commas = 0;
    bool gone = false;
    for (char *c = line; *c; c++) commas += *c == ',', gone |= c[0] == ',' && c[1] == ',' && commas > 14;
    if (fields < 0) fields = commas;
    assert_int_equal(commas, fields);
    lines++, empty += gone;
  }
  fclose(file), unlink(csv);
  ASSERT_COUNT("lines", (unsigned)lines, 12);
  ASSERT_COUNT("lines with empty cells, after 0.05 s", (unsigned)empty, 5);
  assert_string_equal(r.solver->system->model->body[4].name, "d");
  done(&r);
  hn_scene_free(scene);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(bodies_and_joints_are_added_and_removed),
    cmocka_unit_test(joints_and_springs_are_added),
    cmocka_unit_test(added_shapes_collide),
    cmocka_unit_test(invalid_edits_are_reported),
    cmocka_unit_test(checkpoints_belong_to_one_model),
    cmocka_unit_test(records_continue_after_an_edit),
  };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
