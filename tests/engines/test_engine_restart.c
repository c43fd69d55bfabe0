/* test_engine_restart.c - other engines: a run that goes on after a checkpoint and one that begins there
 * agree to the bit; an impulse from outside reaches the engine; a reset leads back to the first run. */
#include "engine_trials.h"

static const char chain[] =
  "local last = sys.ground\n"
  "for i = 1, 3 do\n"
  "  local link = sys:body { name = 'link' .. i, mass = 1, inertia = { 0.01, 0.08, 0.08 },\n"
  "    position = { i - 0.5, 0, 0 } }\n"
  "  sys:hinge { last, link, at = { i - 1, 0, 0 }, axis = { 0, 0, 1 } }\n"
  "  last = link\n"
  "end\n"
  "return sys";
/* Joints of several coordinates, in either direction, which turn and slide; and one of each without
 * others. */
static const char *const mechanisms[] = {
  chain,
#define BODIES                                                                                              \
  "local function body(name, x) return sys:body { name = name, mass = 1, position = { x, 0.1, 0 },\n"       \
  "  inertia = { 0.03, 0.04, 0.05 }, angular_velocity = { 1, -0.5, 2 }, velocity = { 0.3, 0, 0.2 } } end\n" \
  "local a, b, c = body('link1', 0.5), body('link2', 1.5), body('link3', 2.5)\n"
  BODIES "sys:universal { sys.ground, a, at = { 0, 0, 0 }, axis_a = { 0, 0, 1 }, axis_b = { 0, 1, 0 } }\n"
         "sys:universal { b, a, at = { 1, 0, 0 }, axis_a = { 0, 1, 1 }, axis_b = { 1, 0, 0 } }\n"
         "sys:ball { b, c, at = { 2, 0, 0 } }\nreturn sys",
  BODIES "sys:planar { sys.ground, a, at = { 0, 0, 0 }, axis = { 0, 1, 1 } }\n"
         "sys:planar { b, a, at = { 1, 0, 0 }, axis = { 1, 0, 0 } }\n"
         "sys:slider { b, c, at = { 2, 0, 0 }, axis = { 0, 0, 1 } }\nreturn sys",
  BODIES "sys:cylindrical { sys.ground, a, at = { 0, 0, 0 }, axis = { 0, 1, 1 } }\n"
         "sys:point_on_line { b, a, at = { 1, 0, 0 }, axis = { 1, 0, 0 } }\n"
         "sys:point_on_plane { b, c, at = { 2, 0, 0 }, axis = { 0, 0, 1 } }\nreturn sys",
};
enum { MECHANISMS = sizeof mechanisms / sizeof *mechanisms };
static const double h = 0.01;

static void advance(hn_solver *solver, hn_state *state, int steps)
{
  for (int i = 0; i < steps; i++) assert_int_equal(hn_solver_step(solver, state, h), HN_CONVERGED);
}

static hn_solver *create(const char *spec, const hn_model *model)
{
  hn_error error;
  hn_solver *solver = hn_solver_create(spec, model, &error);
  if (!solver) printf("  %s\n", error.text);
  return solver;
}

/* Returns the distance of STATE from that of a run of STEPS steps without a checkpoint. */
static double distance_from_whole(const char *spec, const hn_model *model, const hn_state *state, int steps)
{
  hn_solver *solver = create(spec, model);
  hn_state *whole = hn_state_create(model);
  assert_true(solver && whole);
  advance(solver, whole, steps);
  const double apart = distance_of(model, whole, state);
  hn_solver_free(solver), hn_state_free(whole);
  return apart;
}

static void check_restart(const char *spec, const hn_model *model)
{
  hn_solver *one = create(spec, model), *other = create(spec, model);
  hn_state *state = hn_state_create(model), *copy = hn_state_create(model);
  assert_true(one && other && state && copy);
  const size_t size = hn_solver_memory(one);
  void *memory = malloc(size + 1);
  advance(one, state, 13);
  hn_solver_save(one, memory);
  hn_state_copy(copy, state);
  advance(one, state, 20);
  assert_int_equal(hn_solver_restore(other, memory, size, NULL), 0);
  advance(other, copy, 20);
  const uint64_t first = hn_state_hash(state, HN_HASH_START), second = hn_state_hash(copy, HN_HASH_START);
  printf("  %-36s %016llx, from its checkpoint %016llx\n", spec, (unsigned long long)first,
         (unsigned long long)second);
  assert_true(first == second);
  /* solutions that are iterated, or error control, depend on what is kept; 1e-4 shows a wrong coordinate */
  const double whole = distance_from_whole(spec, model, state, 33);
  printf("  %-36s %.1e m, rad from a run without a checkpoint, bound 1e-4\n", spec, whole);
  assert_true(whole <= 1e-4);
  /* an impulse from outside: the next step is that of another solver from this state, without what it
   * keeps */
  state->twist[3].v[1] += 1.0;
  hn_state_copy(copy, state);
  advance(one, state, 1);
  hn_solver_reset(other);
  advance(other, copy, 1);
  const double apart = distance_of(model, state, copy);
  printf(
    "  %-36s after an impulse %.1e m from a fresh solver, the impulse moves a body by 1e-2, bound 1e-4\n",
    spec, apart);
  assert_true(apart <= 1e-4);
  hn_solver_free(one), hn_solver_free(other), hn_state_free(state), hn_state_free(copy);
  free(memory);
}

/* Writes a scene whose start is projected onto the joints. */
static void write_consistent(const char *text)
{
  char whole[4096];
  const int length = snprintf(whole, sizeof whole,
                              "local scene = require 'holonom.scene'\n"
                              "local sys = scene.system { consistent = true }\n%s",
                              text);
  assert_true(length < (int)sizeof whole);
  write_bytes(whole, (size_t)length);
}

static void check_mechanism(const char *text)
{
  size_t count;
  write_consistent(text);
  hn_scene *scene = load_written(NULL, 0);
  const hn_solver_type *const *type = hn_solver_types(&count);
  for (size_t i = 0; i < count; i++)
    for (const char *const *v = hn_solver_variants(type[i]); type[i]->engine && *v; v++) {
      char spec[128];
      hn_error error;
      snprintf(spec, sizeof spec, "%s%s%s", type[i]->name, **v ? ":" : "", *v);
      hn_solver *solver = hn_solver_create(spec, scene->model, &error);
      if (!solver) printf("  %-36s %s\n", spec, error.text);
      if (solver) check_restart(spec, scene->model);
      else assert_non_null(strstr(error.text, "not translated"));
      hn_solver_free(solver);
    }
  hn_scene_free(scene);
}

static void runs_go_on_from_checkpoints(void **unused)
{
  (void)unused;
  load_engines();
  for (int k = 0; k < MECHANISMS; k++) check_mechanism(mechanisms[k]);
}

int main(void)
{
  const struct CMUnitTest tests[] = { cmocka_unit_test(runs_go_on_from_checkpoints) };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
