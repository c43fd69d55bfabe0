/* test_scene.c - the scene language: installed scenes with their references, and the model, parameters and
 * expectations built from a scene. Expectations of installed scenes: test_expectations.c. Errors and the
 * sandbox: test_scene_errors.c. */
#include "written.h"

/* ---- Installed scenes ---------------------------------------------------------------------------------- */

static void test_installed_scenes(void **state)
{
  (void)state;
  static const char *const known[] = {
    "box_pendulum",       "chain",    "chain8",    "compound_pendulum", "cuboid28",
    "double_pendulum",    "free_top", "heavy_top", "peer_tree",         "pendulum",
    "spherical_pendulum", "star",     "tree",      "triple_pendulum"
  };
  hn_error error;
  size_t found = 0;
  char **names = hn_scene_names(&error);
  assert_non_null(names);
  for (size_t i = 0; names[i]; i++) {
    if (i > 0) assert_true(strcmp(names[i - 1], names[i]) < 0);
    if (found < sizeof known / sizeof known[0] && strcmp(names[i], known[found]) == 0) found++;
    hn_scene *scene = load_installed(names[i]);
    printf("  %-20s %4d bodies %4d rows  %s\n", scene->name, scene->model->nbody, scene->model->nrow,
           scene->summary);
    assert_string_equal(scene->name, names[i]);
    assert_true(strlen(scene->summary) > 10);
    assert_true(scene->nexpectation >= 2);
    assert_true(scene->step > 0 && scene->duration > 0 && scene->solver);
    hn_scene_free(scene);
  }
  assert_int_equal(found, sizeof known / sizeof known[0]);
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
    bool loose = scene->model->loose; /* a scene may start with violated joints */
    hn_measure_state(scene->model, start, &measure);
    check_below(names[i], loose ? 0.0 : measure.position_error, 1e-14);
    check_below("  velocity", loose ? 0.0 : measure.velocity_error, 1e-13);
    hn_state_free(start);
    hn_scene_free(scene);
  }
  hn_scene_names_free(names);
}

/* References at t = 0 equal the initial positions. */
static void test_references_at_the_start(void **state)
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
      for (int c = 0; c < 3; c++)
        largest = fmax(largest, fabs(position[3 * i + c] - scene->model->body[i].pose0.x[c]));
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

/* From doc/references.md, sections 1 and 2; the centre of the compound pendulum is at half its length. */
static const known_position known[] = {
  { "pendulum", 1, "bob", -0.98629175113187531936, -0.16501085312554116875, 0, 1e-13 },
  { "pendulum", 2, "bob", 0.79356619534332174699, -0.60848393044379151463, 0, 1e-13 },
  { "pendulum", 10, "bob", 0.27508746257611686005, -0.96141920509912506426, 0, 1e-13 },
  { "pendulum", 100, "bob", 0.18151335142703138454, -0.98338848033405750468, 0, 3e-13 },
  { "pendulum", 2000, "bob", -0.81460306858903215212, -0.58001882783693546159, 0, 5e-12 },
  { "spherical_pendulum", 5, "bob", 0.53942727639055835929, -0.61293856005073248689, -0.57734264963607076755,
    1e-15 },
  { "double_pendulum", 1, "lower", -1.4448188499434757965, -1.3217944613814645558, 0, 1e-15 },
  { "box_pendulum", 2, "box2", 0.10661249960642685522, -1.45849506058118471229, -1.2819245388996951859e-4,
    1e-15 },
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

/* theta(1) = -1.563222225013689573 from the downward vertical; the centre is at 0.5 m. */
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

static void test_table_references_at_their_times(void **state)
{
  (void)state;
  hn_scene *scene = load_installed("free_top");
  bool has[2], has_orientation[2];
  double position[6], orientation[8];
  hn_error error;
  assert_int_equal(hn_scene_reference(scene, 0.5, has, position, &error), 0);
  assert_int_equal(hn_scene_reference(scene, 1.0 + 1e-6, has, position, &error), 0);
  assert_int_equal(hn_scene_reference(scene, 1.0 + 1e-12, has, position, &error), 1);
  const hn_scene_answer answer = {
    .has_position = has, .position = position, .has_orientation = has_orientation, .orientation = orientation
  };
  assert_int_equal(hn_scene_reference_states(scene, 10, &answer, &error), 1);
  assert_true(has[1] && has_orientation[1] && !has_orientation[0]);
  check_near("orientation at 10 s, w", orientation[4], -0.29796696110860477774, 1e-15);
  hn_scene_free(scene);
}

/* The tree of [bender2006]: dimensions, rigid rotation about the vertical, sizes. */
static void test_tree(void **state)
{
  (void)state;
  hn_scene *scene = load_installed("tree");
  const hn_body *root = &scene->model->body[1], *leaf = &scene->model->body[127];
  check_near("length of the root, m", scene->model->collider[root->collider].shape.size[0], 11.390625, 0);
  check_near("mass of the root, kg", root->mass, 600 * 11.390625 * 1.1390625 * 1.1390625, 1e-9);
  check_near("length of a leaf, m", scene->model->collider[leaf->collider].shape.size[0], 1, 0);
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

/* The example of the documentation of the language, literally. */
static void test_language_example(void **state)
{
  (void)state;
  static const char text[] =
    "-- scenes/chain8.lua: a closed loop of n links hung between two supports\n"
    "local scene = require \"holonom.scene\"\n"
    "local n     = scene.param(\"n\", 8, \"number of links, even\")      -- overridden by --set n=64\n"
    "local span  = scene.param(\"span\", 0.75 * n, \"distance between the supports, m\")\n"
    "local sys   = scene.system { gravity = { 0, -9.81, 0 } }\n"
    "local slope = math.acos(span / n)                                -- a V: straight links would be "
    "singular\n"
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

/* ---- Parameters and declarations ----------------------------------------------------------------------- */

static const char parameters[] =
  "local n, x = scene.param('n', 3, 'count'), scene.param('length', 2.0, 'm')\n"
  "local s, b = scene.param('mode', 'slow'), scene.param('fast', false, 'flag')\n"
  "assert(math.type(n) == 'integer' and math.type(x) == 'float' and type(s) == 'string' and type(b) == "
  "'boolean')\n"
  "for i = 1, n do sys:particle { name = s .. i, mass = b and 2 or 1, position = { x, 0, 0 } } end\n"
  "return sys";

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
  static const struct {
    hn_setting set;
    const char *fragment;
  } bad[] = {
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
  write_scene("sys:particle { name = 'p', position = { 0, 0, 0 }, mass = 1 }\nsys:expect { drift = 1e-3 }\n"
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

/* Shapes, handles, names and points appear in the model. */
static void test_model_is_built(void **state)
{
  (void)state;
  write_scene(
    "local a = sys:body { shape = scene.cylinder { radius = 1, height = 2 }, density = 3,\n"
    "  position = { 1, 2, 3 }, axis_angle = { 0, 0, 2, math.pi }, velocity = { 0, 0, -2 },\n"
    "  angular_velocity = { 0, 2, 0 } }\n"
    "local p = sys:particle { name = 'p', mass = 2, position = { 0, 5, 0 }, velocity = { 3, 0, -2.25 } }\n"
    "local q = sys:particle { name = 'q', position = { 3, 5, 4 }, fixed = true }\n"
    "assert(a.name == 'body1' and tostring(p) == 'body \"p\"')\n"
    "sys:distance { p, q, name = 'rod' }\nsys:distance { sys.ground, 'p' }\n"
    "sys:distance { a, p, at_a = { 1, 2, 4 } }\n"
    "sys:ball { 'ground', a, at = { 0, 2, 3 } }\nreturn sys");
  hn_scene *scene = load_written(NULL, 0);
  const hn_model *model = scene->model;
  assert_int_equal(model->njoint, 4);
  check_near("mass of the cylinder", model->body[1].mass, 3 * 2 * 3.14159265358979323846, 1e-14);
  check_near("orientation z", model->body[1].pose0.q[3], 1, 1e-16);
  check_near("gravity unless given", model->gravity[1], -9.81, 0);
  assert_int_equal(model->body[3].kind, HN_FIXED);
  check_near("length between particles", hn_joint_real(&model->joint[0], "length"), 5, 1e-15);
  check_near("length from the origin", hn_joint_real(&model->joint[1], "length"), 5, 1e-15);
  check_near("point in the cylinder", model->joint[2].point_a[2], 1, 1e-15);
  check_near("turned point", model->joint[3].point_b[0], 1, 1e-15);
  assert_string_equal(model->joint[0].name, "rod");
  hn_scene_free(scene);
}

static void test_defaults_take_parameters(void **state)
{
  (void)state;
  write_scene(
    "sys:particle { mass = 1, position = { 0, 0, 0 } }\n"
    "sys:defaults { solver = 'impulse-gs:iterations=7', tolerance = 1e-6, flight = 'exact' } return sys");
  hn_scene *scene = load_written(NULL, 0);
  printf("  %s\n", scene->solver);
  assert_string_equal(scene->solver, "impulse-gs:iterations=7,tolerance=1e-06,flight=exact");
  hn_scene_free(scene);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_installed_scenes),
    cmocka_unit_test(test_initial_states),
    cmocka_unit_test(test_references_at_the_start),
    cmocka_unit_test(test_known_positions),
    cmocka_unit_test(test_compound_pendulum),
    cmocka_unit_test(test_table_references_at_their_times),
    cmocka_unit_test(test_tree),
    cmocka_unit_test(test_language_example),
    cmocka_unit_test(test_settings),
    cmocka_unit_test(test_bad_settings),
    cmocka_unit_test(test_expectations_are_recorded),
    cmocka_unit_test(test_model_is_built),
    cmocka_unit_test(test_defaults_take_parameters),
  };
  return cmocka_run_group_tests_name("scene", tests, make_directory, remove_directory);
}
