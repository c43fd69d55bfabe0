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

static void runs_go_on_from_checkpoints(void **unused)
{
  (void)unused;
  size_t count;
  load_engines();
  write_scene(chain);
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

int main(void)
{
  const struct CMUnitTest tests[] = { cmocka_unit_test(runs_go_on_from_checkpoints) };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
