/* test_scene.c - the scene language: installed scenes and their references and expectations, errors with file and line,
 * the sandbox and its limits, parameters. */
#include "check.h"
#include "scene.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char directory[] = "/tmp/holonom-scene-XXXXXX";
static char path[64]; /* of the scene that is written by the tests */

static int make_directory(void **state)
{
  (void)state;
  if (!mkdtemp(directory)) return -1;
  snprintf(path, sizeof path, "%s/s.lua", directory);
  return 0;
}

static int remove_directory(void **state)
{
  (void)state;
  unlink(path);
  return rmdir(directory);
}

/* Writes a scene of LENGTH bytes. */
static void write_bytes(const char *text, size_t length)
{
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(text, 1, length, file), length);
  fclose(file);
}

/* A scene made of a line that sets up `scene` and `sys`, then BODY, which starts at line 2. */
static void write_scene(const char *body)
{
  char text[4096];
  int length = snprintf(text, sizeof text, "local scene = require 'holonom.scene' local sys = scene.system {};\n%s\n", body);
  assert_true(length > 0 && (size_t)length < sizeof text);
  write_bytes(text, (size_t)length);
}

/* The scene that is written must be refused with a message `path:LINE: ...` that has FRAGMENT; line 0: none is given. */
static void expect_refusal(int line, const char *fragment)
{
  char start[96];
  hn_error error = { "" };
  hn_scene *scene = hn_scene_load(path, NULL, 0, &error);
  snprintf(start, sizeof start, line ? "%s:%d: " : "%s: ", path, line);
  bool good = !scene && strstr(error.text, fragment) && strncmp(error.text, start, strlen(start)) == 0 &&
              !strchr(error.text, '\n');
  printf("  %s%s\n", scene ? "(accepted)" : error.text, good ? "" : "  FAILED");
  if (!good) printf("    expected %s...%s\n", start, fragment);
  hn_scene_free(scene);
  assert_true(good);
}

static void expect_failing_body(const char *body, int line, const char *fragment)
{
  write_scene(body);
  expect_refusal(line, fragment);
}

static hn_scene *load_written(const hn_setting *settings, size_t count)
{
  hn_error error = { "" };
  hn_scene *scene = hn_scene_load(path, settings, count, &error);
  if (!scene) printf("  %s\n", error.text);
  assert_non_null(scene);
  return scene;
}

/* BODY, with `return sys` after it, must load: it makes its checks itself, with assert. */
static void expect_good_body(const char *body)
{
  char text[3000];
  int length = snprintf(text, sizeof text, "%s\nsys:particle { position = { 0, 0, 0 }, mass = 1 }\nreturn sys", body);
  assert_true(length > 0 && (size_t)length < sizeof text);
  write_scene(text);
  hn_scene_free(load_written(NULL, 0));
}

static hn_scene *load_installed(const char *name)
{
  hn_error error = { "" };
  hn_scene *scene = hn_scene_load(name, NULL, 0, &error);
  if (!scene) printf("  %s\n", error.text);
  assert_non_null(scene);
  return scene;
}

/* ---- Installed scenes -------------------------------------------------------------------------------------------- */

static void test_installed_scenes(void **state)
{
  (void)state;
  static const char *const expected[] = { "box_pendulum", "chain", "chain8", "compound_pendulum", "cuboid28",
    "double_pendulum", "free_top", "heavy_top", "peer_tree", "pendulum", "spherical_pendulum", "star", "tree",
    "triple_pendulum" };
  hn_error error;
  char **names = hn_scene_names(&error);
  assert_non_null(names);
  for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
    assert_non_null(names[i]);
    assert_string_equal(names[i], expected[i]);
    hn_scene *scene = load_installed(names[i]);
    printf("  %-20s %4d bodies %4d rows  %s\n", scene->name, scene->model->nbody, scene->model->nrow, scene->summary);
    assert_string_equal(scene->name, expected[i]);
    assert_true(strlen(scene->summary) > 10);
    assert_true(scene->nexpectation >= 2);
    assert_true(scene->step > 0 && scene->duration > 0 && scene->solver);
    hn_scene_free(scene);
  }
  hn_scene_names_free(names);
}

/* Initial states satisfy the joints, in position and velocity. */
static void test_initial_states(void **state)
{
  (void)state;
  hn_error error;
  char **names = hn_scene_names(&error);
  for (size_t i = 0; names[i]; i++) {
    hn_scene *scene = load_installed(names[i]);
    hn_state *start = hn_state_create(scene->model);
    hn_measure measure;
    hn_measure_state(scene->model, start, &measure);
    check_below(names[i], measure.position_error, 1e-14);
    check_below("  velocity", measure.velocity_error, 1e-13);
    hn_state_free(start);
    hn_scene_free(scene);
  }
  hn_scene_names_free(names);
}

/* Largest error of the positions in MODEL at t = 0 against the reference. */
static void test_references_start_right(void **state)
{
  (void)state;
  static const char *const names[] = { "pendulum", "compound_pendulum", "cuboid28" };
  for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
    hn_scene *scene = load_installed(names[k]);
    bool has[64];
    double position[3 * 64], largest = 0.0;
    hn_error error;
    assert_int_equal(hn_scene_reference(scene, 0.0, has, position, &error), 1);
    for (int i = 1; i < scene->model->nbody; i++) {
      assert_true(has[i]);
      for (int c = 0; c < 3; c++) largest = fmax(largest, fabs(position[3 * i + c] - scene->model->body[i].pose0.x[c]));
    }
    check_below(names[k], largest, 1e-15);
    hn_scene_free(scene);
  }
}

typedef struct known_position {
  const char *scene;
  double t;
  const char *body;
  double x, y, z;
  double tolerance;
} known_position;

/* From REFERENCES.md, sections 1 and 2; half the compound pendulum's angle there. */
static const known_position known[] = {
  { "pendulum", 1, "bob", -0.98629175113187531936, -0.16501085312554116875, 0, 1e-13 },
  { "pendulum", 2, "bob", 0.79356619534332174699, -0.60848393044379151463, 0, 1e-13 },
  { "pendulum", 10, "bob", 0.27508746257611686005, -0.96141920509912506426, 0, 1e-13 },
  { "pendulum", 100, "bob", 0.18151335142703138454, -0.98338848033405750468, 0, 3e-13 },
  { "pendulum", 2000, "bob", -0.81460306858903215212, -0.58001882783693546159, 0, 5e-12 },
  { "spherical_pendulum", 5, "bob", 0.53942727639055835929, -0.61293856005073248689, -0.57734264963607076755, 1e-15 },
  { "double_pendulum", 1, "lower", -1.4448188499434757965, -1.3217944613814645558, 0, 1e-15 },
  { "box_pendulum", 2, "box2", 0.10661249960642685522, -1.45849506058118471229, -1.2819245388996951859e-4, 1e-15 },
  { "heavy_top", 1, "top", 0.17334396409838604259, 0.64008859207056878286, -0.74849079113358130948, 1e-15 },
};

static int find_body(const hn_scene *scene, const char *name)
{
  hn_error error;
  int i = hn_model_find_body(scene->model, name, &error);
  assert_true(i > 0);
  return i;
}

static void test_known_positions(void **state)
{
  (void)state;
  for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
    const known_position *w = &known[k];
    hn_scene *scene = load_installed(w->scene);
    bool has[8];
    double position[24];
    hn_error error;
    char what[64];
    int i = find_body(scene, w->body);
    assert_int_equal(hn_scene_reference(scene, w->t, has, position, &error), 1);
    assert_true(has[i]);
    snprintf(what, sizeof what, "%s at %g s", w->scene, w->t);
    double dx = position[3 * i] - w->x, dy = position[3 * i + 1] - w->y, dz = position[3 * i + 2] - w->z;
    check_below(what, sqrt(dx * dx + dy * dy + dz * dz), w->tolerance);
    hn_scene_free(scene);
  }
}

/* theta(1) = -1.563222225013689573 from the downward vertical; the centre is half a metre out. */
static void test_compound_pendulum(void **state)
{
  (void)state;
  hn_scene *scene = load_installed("compound_pendulum");
  bool has[2];
  double position[6];
  hn_error error;
  assert_int_equal(hn_scene_reference(scene, 1.0, has, position, &error), 1);
  check_near("theta(1)", atan2(position[3], -position[4]), -1.563222225013689573, 1e-13);
  check_near("distance from the joint", hypot(position[3], position[4]), 0.5, 1e-15);
  assert_int_equal(hn_scene_reference(scene, 1.935750014408434798, has, position, &error), 1);
  check_below("after a period, from the start", hypot(position[3] - 0.5, position[4]), 1e-13);
  hn_scene_free(scene);
}

static void test_table_references_answer_at_their_times(void **state)
{
  (void)state;
  hn_scene *scene = load_installed("free_top");
  bool has[2], has_orientation[2];
  double position[6], orientation[8];
  hn_error error;
  assert_int_equal(hn_scene_reference(scene, 0.5, has, position, &error), 0);
  assert_int_equal(hn_scene_reference(scene, 1.0 + 1e-6, has, position, &error), 0);
  assert_int_equal(hn_scene_reference(scene, 1.0 + 1e-12, has, position, &error), 1);
  assert_int_equal(hn_scene_reference_poses(scene, 10, has, position, has_orientation, orientation, &error), 1);
  assert_true(has[1] && has_orientation[1] && !has_orientation[0]);
  check_near("orientation at 10 s, w", orientation[4], -0.29796696110860477774, 1e-15);
  hn_scene_free(scene);
}

/* Largest distance to the reference at the end, NAN without one. */
static double reference_error(hn_scene *scene, const hn_state *end)
{
  size_t n = (size_t)scene->model->nbody;
  bool *has = calloc(n, sizeof *has);
  double *position = calloc(3 * n, sizeof *position), largest = NAN;
  hn_error error;
  int answer = hn_scene_reference(scene, end->time, has, position, &error);
  for (size_t i = 0; answer == 1 && i < n; i++) {
    if (!has[i]) continue;
    double d[3];
    for (int c = 0; c < 3; c++) d[c] = end->pose[i].x[c] - position[3 * i + (size_t)c];
    largest = fmax(largest, sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2])); /* fmax passes over the first NAN */
  }
  free(has);
  free(position);
  return largest;
}

static void check_expectation(hn_scene *scene, const hn_expectation *expected)
{
  const char *spec = expected->solver ? expected->solver : scene->solver;
  hn_error error = { "" };
  hn_solver *solver = hn_solver_create(spec, scene->model, &error);
  if (!solver) printf("  %s\n", error.text);
  assert_non_null(solver);
  hn_state *end = hn_state_create(scene->model);
  hn_run_options options = { .step = expected->step, .duration = expected->duration };
  hn_summary summary;
  hn_reason reason = hn_run(solver, end, &options, &summary);
  printf("  %s:%d %s, step %g: %s\n", scene->name, expected->line, spec, expected->step, hn_reason_name(reason));
  assert_string_equal(hn_reason_name(reason), expected->reason);
  if (!isnan(expected->error)) check_below("  error, m", reference_error(scene, end), expected->error);
  if (!isnan(expected->drift)) check_below("  drift, m", summary.position_max, expected->drift);
  if (!isnan(expected->velocity_drift)) check_below("  velocity drift, m/s", summary.velocity_max, expected->velocity_drift);
  if (!isnan(expected->energy_error)) check_below("  energy error, J", summary.energy_error_max, expected->energy_error);
  hn_state_free(end);
  hn_solver_free(solver);
}

static void test_expectations(void **state)
{
  (void)state;
  hn_error error;
  char **names = hn_scene_names(&error);
  for (size_t i = 0; names[i]; i++) {
    hn_scene *scene = load_installed(names[i]);
    for (size_t k = 0; k < scene->nexpectation; k++) check_expectation(scene, &scene->expectation[k]);
    hn_scene_free(scene);
  }
  hn_scene_names_free(names);
}

/* The tree of the 2006 paper: measures, rigid turning about the vertical, sizes. */
static void test_tree(void **state)
{
  (void)state;
  hn_scene *scene = load_installed("tree");
  const hn_body *root = &scene->model->body[1], *leaf = &scene->model->body[127];
  check_near("length of the root, m", root->shape.size[0], 11.390625, 0);
  check_near("mass of the root, kg", root->mass, 600 * 11.390625 * 1.1390625 * 1.1390625, 1e-9);
  check_near("length of a leaf, m", leaf->shape.size[0], 1, 0);
  check_near("root hangs: y of its centre", root->pose0.x[1], -11.390625 / 2, 1e-14);
  check_near("root hangs: x of its centre", root->pose0.x[0], 0, 1e-14);
  check_near("turning: vx = z", leaf->twist0.v[0], leaf->pose0.x[2], 1e-15);
  check_near("turning: vz = -x", leaf->twist0.v[2], -leaf->pose0.x[0], 1e-15);
  hn_setting set = { "n", "1023" };
  hn_scene_free(scene);
  hn_error error;
  scene = hn_scene_load("tree", &set, 1, &error);
  assert_non_null(scene);
  assert_int_equal(scene->model->njoint, 1023);
  hn_scene_free(scene);
}

/* The example of the language's description, word for word. */
static void test_language_example(void **state)
{
  (void)state;
  static const char text[] =
    "-- scenes/chain8.lua: a closed loop of n links hung between two supports\n"
    "local scene = require \"holonom.scene\"\n"
    "local n     = scene.param(\"n\", 8, \"number of links, even\")      -- overridden by --set n=64\n"
    "local span  = scene.param(\"span\", 0.75 * n, \"distance between the supports, m\")\n"
    "local sys   = scene.system { gravity = { 0, -9.81, 0 } }\n"
    "local slope = math.acos(span / n)                                -- a V: straight links would be singular\n"
    "local previous, x, y = sys.ground, 0, 0\n"
    "for i = 1, n do\n"
    "  local angle = i <= n / 2 and -slope or slope\n"
    "  local dx, dy = math.cos(angle), math.sin(angle)\n"
    "  local link = sys:body { name = \"link\" .. i, shape = scene.box { 1.0, 0.1, 0.1 }, density = 600,\n"
    "                          position = { x + dx / 2, y + dy / 2, 0 }, axis_angle = { 0, 0, 1, angle } }\n"
    "  sys:ball { previous, link, at = { x, y, 0 } }\n"
    "  previous, x, y = link, x + dx, y + dy\n"
    "end\n"
    "sys:ball { previous, sys.ground, at = { x, y, 0 } }\n"
    "sys:defaults { solver = \"impulse-sle\", step = 0.01, duration = 10 }\n"
    "return sys\n";
  write_bytes(text, sizeof text - 1);
  hn_scene *scene = load_written(NULL, 0);
  assert_int_equal(scene->model->nbody, 9);
  assert_int_equal(scene->model->njoint, 9);
  assert_string_equal(scene->summary, "a closed loop of n links hung between two supports");
  assert_string_equal(scene->param[1].name, "span");
  assert_string_equal(scene->param[1].value, "6");
  assert_string_equal(scene->param[1].help, "distance between the supports, m");
  check_near("duration", scene->duration, 10, 0);
  check_near("mass of a link", scene->model->body[1].mass, 6, 1e-14);
  hn_scene_free(scene);
}

/* ---- Bad input --------------------------------------------------------------------------------------------------- */

#define P "position = { 0, 0, 0 }"
#define M "mass = 1, inertia = { 1, 1, 1 }"
#define TWO "local a = sys:body { name = 'a', " P ", " M " } local b = sys:body { name = 'b', position = { 1, 0, 0 }, " M " }\n"

typedef struct bad_input {
  const char *body;
  int line;
  const char *fragment;
} bad_input;

static const bad_input bad_inputs[] = {
  /* keys */
  { "\nsys:body { name = 'a', postion = { 0, 0, 0 }, " M " }", 3, "body \"a\": unknown key \"postion\"; did you mean \"position\"?" },
  { "sys:body { name = 'a', " M " }", 2, "body \"a\": key \"position\" is missing" },
  { "sys:body { name = 'a', " P ", mass = 1 }", 2, "key \"inertia\" is missing" },
  { "sys:body { name = 'a', " P ", inertia = { 1, 1, 1 } }", 2, "key \"mass\" is missing" },
  { "sys:body { name = 'a', " P " }", 2, "mass is missing" },
  { "sys:body { name = 'a', " P ", density = 1 }", 2, "key \"shape\" is missing" },
  { "sys:body { name = 'a', " P ", shape = scene.box { 1, 1, 1 } }", 2, "key \"density\" is missing" },
  { "sys:body { name = 'a', " P ", " M ", shape = scene.box { 1, 1, 1 }, density = 3 }", 2, "not both" },
  { "sys:particle { name = 'p', " P " }", 2, "particle \"p\": key \"mass\" is missing" },
  { "sys:particle { name = 'p', " P ", mass = 1, inertia = { 1, 1, 1 } }", 2, "unknown key \"inertia\"" },
  { "scene.system { gravty = { 0, 0, 0 } }", 2, "did you mean \"gravity\"?" },
  { "sys:defaults { solvr = 'impulse-sle' }", 2, "did you mean \"solver\"?" },
  { "sys:defaults { reason = 'stalled' }", 2, "unknown key \"reason\"" },
  { "sys:expect { drif = 1 }", 2, "did you mean \"drift\"?" },
  { "scene.sphere { radis = 1 }", 2, "did you mean \"radius\"?" },
  { "scene.cylinder { radius = 1 }", 2, "key \"height\" is missing" },
  { "scene.box { 1, 2 }", 2, "three edge lengths" },
  { "scene.box { 1, 2, 3, 4 }", 2, "entry 4 has no meaning" },
  { TWO "sys:ball { a, b }", 3, "ball: key \"at\" is missing" },
  { TWO "sys:ball { a, b, name = 'j', att = { 0, 0, 0 } }", 3, "ball \"j\": unknown key \"att\"; did you mean \"at\"?" },
  { TWO "sys:ball { a, at = { 0, 0, 0 } }", 3, "body 2 is missing" },
  { TWO "sys:ball { a, b, at = { 0, 0, 0 }, length = 1 }", 3, "unknown key \"length\"" },
  { TWO "sys:ball { a, b, at = { 0, 0, 0 }, at_a = { 0, 0, 0 } }", 3, "not both" },
  { TWO "sys:distance { a, b, at_a = { 0, 0, 0 } }", 3, "key \"at_b\" is missing" },
  /* types and sizes */
  { "sys:body { name = 'a', position = { 0, 0 }, " M " }", 2, "position must be a table of 3 numbers, not of 2" },
  { "sys:body { name = 'a', position = { 0, 0, 0, 0 }, " M " }", 2, "position must be a table of 3 numbers, not of 4" },
  { "sys:body { name = 'a', position = { x = 0, y = 0, z = 0 }, " M " }", 2, "with gaps or names" },
  { "sys:body { name = 'a', position = 3, " M " }", 2, "position must be a table of 3 numbers, not 3" },
  { "sys:body { name = 'a', position = { 0, '1', 0 }, " M " }", 2, "position[2] must be a number, not \"1\"" },
  { "sys:body { name = 7, " P ", " M " }", 2, "name must be a string, not 7" },
  { "sys:body { name = 'a\\nb', " P ", " M " }", 2, "printable" },
  { "sys:body { name = '\\xff', " P ", " M " }", 2, "printable" },
  { "sys:body { name = 'a', " P ", " M ", fixed = 1 }", 2, "fixed must be true or false, not 1" },
  { "sys:body { name = 'a', " P ", shape = { 1, 1, 1 }, density = 1 }", 2, "shape must be a shape such as scene.box" },
  { "sys:body(3)", 2, "body takes one table" },
  { "sys.body { name = 'a' }", 2, "with a colon" },
  { "sys:reference { 1 }", 2, "reference takes one function" },
  { TWO "sys:ball { a, {}, at = { 0, 0, 0 } }", 3, "must be a body or its name, not a table" },
  /* numbers */
  { "sys:body { name = 'a', position = { 0, 0 / 0, 0 }, " M " }", 2, "position[2] must be finite, not nan" },
  { "sys:body { name = 'a', " P ", velocity = { math.huge, 0, 0 }, " M " }", 2, "velocity[1] must be finite, not inf" },
  { "sys:body { name = 'a', " P ", mass = 0 / 0, inertia = { 1, 1, 1 } }", 2, "mass must be finite, not nan" },
  { "scene.system { gravity = { 0, -1 / 0, 0 } }", 2, "gravity[2] must be finite" },
  { "sys:body { name = 'a', " P ", mass = 0, inertia = { 1, 1, 1 } }", 2, "body \"a\": mass must be positive, not 0" },
  { "sys:body { name = 'a', " P ", mass = -1, inertia = { 1, 1, 1 } }", 2, "body \"a\": mass must be positive, not -1" },
  { "sys:particle { name = 'a', " P ", mass = -1 }", 2, "mass must be positive, not -1" },
  { "sys:body { name = 'a', " P ", mass = 1, inertia = { 1, 0, 1 } }", 2, "inertia" },
  { "sys:body { name = 'a', " P ", mass = 1, inertia = { 1, 1, 2.5 } }", 2, "triangle inequality" },
  { "sys:body { name = 'a', " P ", shape = scene.box { 1, 1, 1 }, density = 0 }", 2, "body \"a\": " },
  { "scene.box { 1, -1, 1 }", 2, "positive, not -1" },
  { "sys:body { name = 'a', " P ", orientation = { 0, 0, 0, 0 }, " M " }", 2, "zero length" },
  { "sys:body { name = 'a', " P ", axis_angle = { 0, 0, 0, 1 }, " M " }", 2, "zero length" },
  { "sys:body { name = 'a', " P ", orientation = { 1, 0, 0, 0 }, axis_angle = { 0, 0, 1, 1 }, " M " }", 2, "not both" },
  { "sys:body { name = 'a', " P ", fixed = true, velocity = { 1, 0, 0 } }", 2, "fixed and cannot have a velocity" },
  { "sys:body { name = 'a', " P ", fixed = true, mass = -1, inertia = { 1, 1, 1 } }", 2, "mass must be positive" },
  { "sys:defaults { step = -0.1 }", 2, "step must be positive, not -0.1" },
  { "sys:defaults { duration = 0 }", 2, "duration must be positive, not 0" },
  { "sys:expect { step = 0 }", 2, "step must be positive" },
  { "sys:expect { drift = -1 }", 2, "cannot be negative" },
  /* names */
  { TWO "sys:ball { a, 'c1', at = { 0, 0, 0 } }", 3, "no body \"c1\"" },
  { TWO "sys:ball { 'a', 'grond', at = { 0, 0, 0 } }", 3, "did you mean \"ground\"?" },
  { TWO "sys:body { name = 'a', " P ", " M " }", 3, "there is a body \"a\" already" },
  { "sys:body { name = 'ground', " P ", " M " }", 2, "there is a body \"ground\" already" },
  { "sys:defaults { solver = 'impulse-sla' }", 2, "did you mean \"impulse-sle\"?" },
  { "sys:expect { solver = 'lagrang:stepper=rk4' }", 2, "did you mean \"lagrange\"?" },
  { "sys:expect { reason = 'stalld' }", 2, "did you mean \"stalled\"?" },
  { TWO "sys:bal { a, b, at = { 0, 0, 0 } }", 3, "unknown method or joint \"bal\"; did you mean \"ball\"?" },
  { TWO "sys:cylindrical_thing { a, b, at = { 0, 0, 0 } }", 3, "there are: ground, body, particle" },
  { TWO "sys:hinge { a, b, at = { 0, 0, 0 } }", 3, "unknown method or joint \"hinge\"" },
  { "scene.bx { 1, 1, 1 }", 2, "did you mean \"box\"?" },
  { "scene.special.jacbi(1, 1)", 2, "did you mean \"jacobi\"?" },
  { "local m = require 'holonom.scenes'", 2, "no module \"holonom.scenes\"" },
  { "scene.x = 1", 2, "cannot set x" },
  { "sys.x = 1", 2, "no fields to set" },
  { TWO "local x = a.mass", 3, "has no \"mass\"" },
  { "scene.param('n', 1, 'x') scene.param('n', 2, 'y')", 2, "declared twice" },
  { "scene.param('n', {}, 'x')", 2, "default must be a number" },
  { "scene.param('n', 0 / 0, 'x')", 2, "must be finite" },
  { "scene.system {}", 2, "one system" },
  /* joints */
  { TWO "sys:ball { a, a, at = { 0, 0, 0 } }", 3, "with itself" },
  { "local a = sys:body { name = 'a', " P ", fixed = true }\nsys:ball { sys.ground, a, at = { 0, 0, 0 } }", 3, "two fixed bodies" },
  { TWO "sys:ball { a, b, at_a = { 0, 0, 0 }, at_b = { 1, 0, 0 } }", 3, "joint \"ball1\"" },
  { TWO "sys:distance { a, b, at_a = { 0, 0, 0 }, at_b = { 1, 0, 0 }, length = 2 }", 3, "1 m apart" },
  { TWO "sys:distance { a, b, at_a = { 0, 0, 0 }, at_b = { 0, 0, 0 } }", 3, "coincide" },
  { TWO "sys:ball { a, b, name = 'j', at = { 0, 0, 0 } } sys:ball { a, b, name = 'j', at = { 0, 0, 0 } }", 3, "joint \"j\" already" },
  /* programs */
  { "local x =", 3, "unexpected symbol near" },
  { "local x = nothing.at_all", 2, "attempt to index a nil value (global 'nothing')" },
  { "error('my own words')", 2, "my own words" },
  { "error({})", 0, "error raised with a table" },
  { "error(12.5)", 0, "error 12.5" },
  { "local function f() return f() + 1 end f()", 2, "stack overflow" },
  { "", 0, "returns nothing" },
  { "return 7", 0, "returns a number" },
  { "return {}", 0, "returns a table" },
  { "return sys", 0, "has no bodies" },
  { "local function add() sys:body { name = 'a', " P ", mass = -1, inertia = { 1, 1, 1 } } end\n\nadd()", 2, "mass must be positive" },
  /* references */
  { TWO "sys:reference(function(t)\n return { c = { " P " } } end)\nreturn sys", 3, "reference at t = 0: no body \"c\"" },
  { TWO "sys:reference(function(t) return { a = { 0, 0, 0 } } end)\nreturn sys", 3, "has no meaning" },
  { TWO "sys:reference(function(t) return { a = { position = { 0, 0, t / 0 } } } end)\nreturn sys", 3, "position[3] must be finite" },
  { TWO "sys:reference(function(t) return {} end)\nreturn sys", 3, "names no body" },
  { TWO "sys:reference(function(t) return 5 end)\nreturn sys", 3, "must be a table or nil" },
  { TWO "sys:reference(function(t)\n return nope.x end)\nreturn sys", 4, "attempt to index a nil value" },
  { TWO "sys:reference(print) sys:reference(print)", 3, "has one already" },
  { TWO "sys:expect { error = 1 }\nreturn sys", 3, "needs a reference" },
};

static void test_bad_input(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof bad_inputs / sizeof bad_inputs[0]; i++)
    expect_failing_body(bad_inputs[i].body, bad_inputs[i].line, bad_inputs[i].fragment);
}

static void test_files_that_are_no_scenes(void **state)
{
  (void)state;
  static const char compiled[] = "\033Lua\x54\0\x19\x93";
  hn_error error;
  write_bytes(compiled, sizeof compiled);
  expect_refusal(0, "binary chunk");
  write_bytes("\x89PNG\r\n\x1a\n\0\0", 10);
  expect_refusal(1, "unexpected symbol");
  write_bytes("", 0);
  expect_refusal(0, "returns nothing");
  unlink(path);
  expect_refusal(0, "No such file");
  assert_null(hn_scene_load("/tmp/", NULL, 0, &error));
  assert_non_null(strstr(error.text, "/tmp/: cannot read the scene"));
  assert_null(hn_scene_load("pendulm", NULL, 0, &error));
  assert_non_null(strstr(error.text, "did you mean \"pendulum\"?"));
  assert_null(hn_scene_load("something_else", NULL, 0, &error));
  assert_non_null(strstr(error.text, "no scene \"something_else\""));
  assert_null(hn_scene_load("", NULL, 0, &error));
}

/* Lua cuts names of chunks at 60 characters; ours are whole. A byte order mark and a #! line are passed over. */
static void test_long_paths_and_preambles(void **state)
{
  (void)state;
  char start[256];
  hn_error error = { "" };
  write_scene("error('here')");
  snprintf(start, sizeof start, "%s/./././././././././././././././././././././././././././././././s.lua", directory);
  assert_null(hn_scene_load(start, NULL, 0, &error));
  printf("  %s\n", error.text);
  strncat(start, ":2: here", sizeof start - strlen(start) - 1);
  assert_string_equal(error.text, start);
  static const char text[] = "\xEF\xBB\xBF#!/usr/bin/holonom\nerror('there')";
  write_bytes(text, sizeof text - 1);
  expect_refusal(2, "there");
}

/* ---- The sandbox ------------------------------------------------------------------------------------------------- */

static void test_limits(void **state)
{
  (void)state;
  static const char *const endless[] = {
    "while true do end",
    "while true do pcall(function() while true do end end) end",
    "while true do pcall(error, 'x') end",
    "xpcall(function() while true do end end, function() while true do end end)",
    "local function close() while true do end end\n"
    "local x <close> = setmetatable({}, { __close = close }) while true do end",
    "string.rep('', math.maxinteger)",
    "table.move({}, 1, math.maxinteger, 2)",
    "table.concat({}, '', 1, math.maxinteger)",
    "while true do ('x'):rep(1000000):find('y', 1, true) end",
    "local t = {} for i = 1, 100000 do t[i] = i end while true do next(t) end",
    "while true do tostring(1.5) end",
    "table.sort({ 3, 2, 1 }, function() while true do end end)",
    "('x'):gsub('x', function() while true do end end)",
    "return (setmetatable({}, { __index = function() while true do end end })).x",
  };
  for (size_t i = 0; i < sizeof endless / sizeof endless[0]; i++) {
    write_scene(endless[i]);
    hn_error error = { "" };
    assert_null(hn_scene_load(path, NULL, 0, &error));
    printf("  %s\n", error.text);
    assert_non_null(strstr(error.text, "s.lua:"));
    assert_non_null(strstr(error.text, "stopped after 500000000 instructions"));
  }
  expect_failing_body("local s = ('a'):rep(10000) .. 'c'\ns:find('.-.-.-.-b')", 3, "might never end");
}

static void test_memory_limit(void **state)
{
  (void)state;
  static const char *const greedy[] = {
    "local t = {}\nfor i = 1, math.huge do t[i] = { i } end",
    "local s = 'x'\nwhile true do s = s .. s end",
    "local s =\nstring.rep('x', 1 << 40)",
    "local t = {} local s = ('x'):rep(1000000)\nwhile true do pcall(function() t[#t + 1] = s .. #t end) end",
  };
  for (size_t i = 0; i < sizeof greedy / sizeof greedy[0]; i++)
    expect_failing_body(greedy[i], 3, "stopped at the memory limit of 512 MiB");
}

/* The limits hold for the reference as well, each time anew. */
static void test_limits_of_the_reference(void **state)
{
  (void)state;
  bool has[2];
  double position[6];
  hn_error error = { "" };
  write_scene("sys:particle { name = 'p', " P ", mass = 1 }\n"
              "sys:reference(function(t) if t == 1 then\n"
              "while true do pcall(error) end end return { p = { position = { t, 0, 0 } } } end)\nreturn sys");
  hn_scene *scene = load_written(NULL, 0);
  assert_int_equal(hn_scene_reference(scene, 1.0, has, position, &error), -1);
  printf("  %s\n", error.text);
  assert_non_null(strstr(error.text, ":4: stopped after"));
  assert_int_equal(hn_scene_reference(scene, 2.0, has, position, &error), 1);
  check_near("the next answer", position[3], 2.0, 0);
  hn_scene_free(scene);
}

static void test_what_is_absent(void **state)
{
  (void)state;
  expect_good_body("for _, name in ipairs { 'os', 'io', 'debug', 'package', 'coroutine', 'dofile', 'loadfile', 'warn',\n"
                   "    'collectgarbage' } do assert(_G[name] == nil, name) end\n"
                   "assert(string.dump == nil)\n"
                   "for _, name in ipairs { 'table', 'string', 'math', 'utf8' } do assert(type(_G[name]) == 'table') end\n"
                   "assert(load('return 1 + 1')() == 2)\n"
                   "assert(load('x = 1 return x', 'c', 't', {})() == 1 and x == nil)\n"
                   "local done local f = load(function() if done then return nil end done = true return 'return 5' end)\n"
                   "assert(f() == 5)\n"
                   "assert(select(2, load('\\27Lua', 'c', 'b')):find('binary'))\n"
                   "assert(not load('x ='))\n"
                   "assert(require 'holonom.scene' == scene)\n"
                   "assert(getmetatable(sys) == false and getmetatable(sys.ground) == false)\n"
                   "assert(not pcall(setmetatable, sys.ground, {}))\n");
  expect_failing_body("setmetatable({}, { __gc = function() while true do end end })", 2, "cannot use __gc");
  expect_failing_body("setmetatable({}, { __mode = 'k' })", 2, "cannot use __mode");
  expect_failing_body("math.randomseed()", 2, "randomseed needs a number");
  expect_failing_body("string.format('%p', {})", 2, "scenes see no addresses");
  expect_failing_body("local t = { [{}] = 1 } for k in pairs(t) do end", 2, "a key that is a table has no order");
}

static void test_no_addresses(void **state)
{
  (void)state;
  expect_good_body("assert(tostring({}) == 'table')\n"
                   "assert(tostring(print) == 'function')\n"
                   "assert(tostring(sys) == 'system' and tostring(sys.ground) == 'body \"ground\"')\n"
                   "assert(tostring(scene.box { 1, 1, 1 }) == 'shape')\n"
                   "assert(string.format('%s|%5.1f|%-4s|%%|%d', {}, 1.25, 'ab', 7) == 'table|  1.2|ab  |%|7')\n"
                   "assert(('%s'):format(setmetatable({}, { __tostring = function() return 'mine' end })) == 'mine')\n"
                   "assert(tostring(1.5) == '1.5' and tostring(nil) == 'nil' and tostring(true) == 'true')\n"
                   "assert(select(2, pcall(string.format, '%d', 'x')):find('number expected'))\n");
}

/* Keys come in order whatever the order of insertion; sort is stable and right. */
static void test_orders(void **state)
{
  (void)state;
  expect_good_body(
    "local t = { z = 1, a = 2, [3] = 3, [-1] = 4, [2.5] = 5, [true] = 6, [false] = 7, [1] = 8, B = 9, [''] = 10 }\n"
    "local seen = {} for k in pairs(t) do seen[#seen + 1] = tostring(k) end\n"
    "assert(table.concat(seen, ',') == '-1,1,3,2.5,,B,a,z,false,true', table.concat(seen, ','))\n"
    "local again, k = {}, next(t) while k ~= nil do again[#again + 1] = tostring(k) k = next(t, k) end\n"
    "assert(table.concat(again, ',') == table.concat(seen, ','))\n"
    "assert(next({}) == nil)\n"
    "for key in pairs(t) do t[key] = nil end assert(next(t) == nil)\n"
    "local u = { 1, 2, 3 } for i, v in pairs(u) do u[2] = nil if i == 2 then error('gone') end end\n"
    "local p = setmetatable({}, { __pairs = function() return function(_, i) if not i then return 7 end end end })\n"
    "for i in pairs(p) do assert(i == 7) end\n"
    "local list = {} for i = 1, 1000 do list[i] = { key = (i * 7919) % 10, i = i } end\n"
    "table.sort(list, function(a, b) return a.key < b.key end)\n"
    "for i = 2, 1000 do local a, b = list[i - 1], list[i] assert(a.key < b.key or a.key == b.key and a.i < b.i) end\n"
    "local words = { 'pear', 'fig', 'apple' } table.sort(words) assert(table.concat(words, ' ') == 'apple fig pear')\n"
    "assert(not pcall(table.sort, { 1, 'x' }))\n");
}

/* pcall, xpcall and the other replacements keep Lua's contracts. */
static void test_replacements(void **state)
{
  (void)state;
  expect_good_body("assert(select('#', pcall(function() return 1, nil, nil end)) == 4)\n"
                   "local ok, e = pcall(error, { code = 5 }) assert(not ok and e.code == 5)\n"
                   "local good, a, b = xpcall(function(x, y) return y, x end, print, 1, 2) assert(good and a == 2 and b == 1)\n"
                   "local bad, text = xpcall(error, function(m) return m .. '!' end, 'no') assert(not bad and text == 'no!')\n"
                   "local t = { 1, 2, 3 } table.insert(t, 1, 0) table.insert(t, 4) assert(#t == 5 and table.remove(t, 1) == 0)\n"
                   "assert(table.concat(table.move(t, 1, 4, 2, {}), ',', 2, 5) == '1,2,3,4')\n"
                   "assert(select('#', table.unpack(t)) == 4 and select('#', table.unpack(t, 2, 3)) == 2)\n"
                   "assert(table.concat(t, '-') == '1-2-3-4' and ('ab'):rep(2, ' ') == 'ab ab' and ('x'):rep(-1) == '')\n"
                   "assert(('a-b'):find('-', 1, true) == 2 and ('key = 5'):match('^(%w+)%s*=') == 'key')\n"
                   "assert(('abc'):gsub('%w', '%0%0') == 'aabbcc' and utf8.len('\\u{e9}') == 1)\n"
                   "for w in ('one two'):gmatch('%a+') do assert(#w == 3) end\n");
}

/* Positions made with math.random must be the same in every run. */
static void test_random_is_seeded(void **state)
{
  (void)state;
  double first[3] = { 0, 0, 0 };
  for (int run = 0; run < 2; run++) {
    write_scene("sys:particle { name = 'p', mass = 1, position = { math.random(), math.random(1000), math.random(0) } }\n"
                "return sys");
    hn_scene *scene = load_written(NULL, 0);
    const double *x = scene->model->body[1].pose0.x;
    for (int c = 0; run == 0 && c < 3; c++) first[c] = x[c];
    for (int c = 0; c < 3; c++) check_near("random", x[c], first[c], 0);
    hn_scene_free(scene);
  }
  expect_good_body("math.randomseed(5) local a = math.random(1 << 40) math.randomseed(5) assert(a == math.random(1 << 40))");
}

/* ---- Parameters and declarations --------------------------------------------------------------------------------- */

static const char parameters[] =
  "local n, x = scene.param('n', 3, 'count'), scene.param('length', 2.0, 'm')\n"
  "local s, b = scene.param('mode', 'slow'), scene.param('fast', false, 'flag')\n"
  "assert(math.type(n) == 'integer' and math.type(x) == 'float' and type(s) == 'string' and type(b) == 'boolean')\n"
  "for i = 1, n do sys:particle { name = s .. i, mass = b and 2 or 1, position = { x, 0, 0 } } end\nreturn sys";

static void test_settings(void **state)
{
  (void)state;
  const hn_setting settings[] = { { "n", "5" }, { "length", "3" }, { "mode", "x" }, { "fast", "true" } };
  write_scene(parameters);
  hn_scene *scene = load_written(settings, 4);
  assert_int_equal(scene->model->nbody, 6);
  check_near("length", scene->model->body[5].pose0.x[0], 3, 0);
  check_near("mass", scene->model->body[5].mass, 2, 0);
  assert_string_equal(scene->model->body[5].name, "x5");
  assert_int_equal(scene->nparam, 4);
  assert_string_equal(scene->param[0].initial, "3");
  assert_string_equal(scene->param[0].value, "5");
  assert_string_equal(scene->param[2].help, "");
  assert_string_equal(scene->param[3].value, "true");
  assert_string_equal(scene->summary, "");
  hn_scene_free(scene);
  hn_setting whole = { "n", "1e1" };
  scene = load_written(&whole, 1);
  assert_int_equal(scene->model->nbody, 11);
  hn_scene_free(scene);
}

static void test_bad_settings(void **state)
{
  (void)state;
  static const struct { hn_setting set; const char *fragment; } bad[] = {
    { { "lenght", "3" }, ": unknown parameter \"lenght\"; did you mean \"length\"?" },
    { { "n", "2.5" }, ":2: --set n=2.5: n must be an integer" },
    { { "n", "" }, "n must be an integer" },
    { { "n", "three" }, "n must be an integer" },
    { { "n", "3 4" }, "n must be an integer" },
    { { "length", "1e999" }, ":2: --set length=1e999: length must be a finite number" },
    { { "length", "nan" }, "length must be a finite number" },
    { { "length", "inf" }, "length must be a finite number" },
    { { "fast", "1" }, ":3: --set fast=1: fast must be true or false" },
  };
  hn_error error;
  write_scene(parameters);
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    assert_null(hn_scene_load(path, &bad[i].set, 1, &error));
    printf("  %s\n", error.text);
    assert_non_null(strstr(error.text, bad[i].fragment));
    assert_int_equal(strncmp(error.text, path, strlen(path)), 0);
  }
  const hn_setting twice[] = { { "n", "1" }, { "n", "2" } };
  assert_null(hn_scene_load(path, twice, 2, &error));
  assert_non_null(strstr(error.text, "--set n is given twice"));
  assert_null(hn_scene_load("pendulum", &bad[1].set, 1, &error));
  assert_non_null(strstr(error.text, "unknown parameter \"n\""));
}

static void test_expectations_are_recorded(void **state)
{
  (void)state;
  write_scene("sys:particle { name = 'p', " P ", mass = 1 }\nsys:expect { drift = 1e-3 }\n"
              "sys:expect { solver = 'lagrange', reason = 'singular', step = 0.5, duration = 2 }\n"
              "sys:defaults { step = 0.25, duration = 3, solver = 'impulse-gs:tolerance=1e-3' }\nreturn sys");
  hn_scene *scene = load_written(NULL, 0);
  assert_int_equal(scene->nexpectation, 2);
  const hn_expectation *first = &scene->expectation[0], *second = &scene->expectation[1];
  assert_int_equal(first->line, 3);
  assert_null(first->solver);
  assert_string_equal(first->reason, "converged");
  check_near("drift", first->drift, 1e-3, 0);
  check_near("step from the defaults", first->step, 0.25, 0);
  check_near("duration from the defaults", first->duration, 3, 0);
  assert_true(isnan(first->error) && isnan(first->energy_error) && isnan(first->velocity_drift));
  assert_string_equal(second->solver, "lagrange");
  assert_string_equal(second->reason, "singular");
  check_near("own step", second->step, 0.5, 0);
  assert_string_equal(scene->solver, "impulse-gs:tolerance=1e-3");
  assert_false(scene->has_reference);
  hn_scene_free(scene);
}

/* Shapes, handles, names and points reach the model as they were meant. */
static void test_model_is_built(void **state)
{
  (void)state;
  write_scene("local a = sys:body { shape = scene.cylinder { radius = 1, height = 2 }, density = 3, position = { 1, 2, 3 },\n"
              "  axis_angle = { 0, 0, 2, math.pi }, velocity = { 1, 0, 0 }, angular_velocity = { 0, 2, 0 } }\n"
              "local p = sys:particle { name = 'p', mass = 2, position = { 0, 5, 0 } }\n"
              "local q = sys:particle { name = 'q', position = { 3, 5, 4 }, fixed = true }\n"
              "assert(a.name == 'body1' and tostring(p) == 'body \"p\"')\n"
              "sys:distance { p, q, name = 'rod' }\nsys:distance { sys.ground, 'p' }\nsys:distance { a, p, at_a = { 1, 2, 4 } }\n"
              "sys:ball { 'ground', a, at = { 0, 2, 3 } }\nreturn sys");
  hn_scene *scene = load_written(NULL, 0);
  const hn_model *model = scene->model;
  assert_int_equal(model->njoint, 4);
  check_near("mass of the cylinder", model->body[1].mass, 3 * 2 * 3.14159265358979323846, 1e-14);
  check_near("orientation z", model->body[1].pose0.q[3], 1, 1e-16);
  check_near("gravity unless given", model->gravity[1], -9.81, 0);
  assert_int_equal(model->body[3].kind, HN_FIXED);
  check_near("length between particles", model->joint[0].length, 5, 1e-15);
  check_near("length from the origin", model->joint[1].length, 5, 1e-15);
  check_near("point in the cylinder", model->joint[2].point_a[2], 1, 1e-15);
  check_near("turned point", model->joint[3].point_b[0], 1, 1e-15);
  assert_string_equal(model->joint[0].name, "rod");
  hn_scene_free(scene);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_installed_scenes),
    cmocka_unit_test(test_initial_states),
    cmocka_unit_test(test_references_start_right),
    cmocka_unit_test(test_known_positions),
    cmocka_unit_test(test_compound_pendulum),
    cmocka_unit_test(test_table_references_answer_at_their_times),
    cmocka_unit_test(test_expectations),
    cmocka_unit_test(test_tree),
    cmocka_unit_test(test_language_example),
    cmocka_unit_test(test_bad_input),
    cmocka_unit_test(test_files_that_are_no_scenes),
    cmocka_unit_test(test_long_paths_and_preambles),
    cmocka_unit_test(test_limits),
    cmocka_unit_test(test_memory_limit),
    cmocka_unit_test(test_limits_of_the_reference),
    cmocka_unit_test(test_what_is_absent),
    cmocka_unit_test(test_no_addresses),
    cmocka_unit_test(test_orders),
    cmocka_unit_test(test_replacements),
    cmocka_unit_test(test_random_is_seeded),
    cmocka_unit_test(test_settings),
    cmocka_unit_test(test_bad_settings),
    cmocka_unit_test(test_expectations_are_recorded),
    cmocka_unit_test(test_model_is_built),
  };
  return cmocka_run_group_tests_name("scene", tests, make_directory, remove_directory);
}
