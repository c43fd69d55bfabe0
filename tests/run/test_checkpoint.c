/* test_checkpoint.c - saved and restored solvers: checkpoints in memory and failed steps do not change a bit
 * of what follows; and runs stepped by the caller. */
#include "every_solver.h"
#include "scenes.h"

#include <math.h>
#include <stdlib.h>

enum { BEFORE = 7, AFTER = 10 }; /* steps */

static const struct {
  const char *scene;
  double step;
  const char *settings;
} cases[] = {
  { "double_pendulum", 0.01, "" },
  { "box_pendulum", 0.01, "" },
  { "heavy_top", 0.0005, "" },
  { "ragdoll", 0.005, "" },
  { "slider_crank", 0.001, "redundancy=remove" },
  { "slider_crank", 0.001, "redundancy=min-norm" },
};
/* Settings with a history of their own, besides the solvers' variants. */
static const char *const specs_with_history[] = { "lagrange:stepper=msadams,adaptive=true",
                                                  "lagrange:stepper=msbdf,adaptive=true",
                                                  "lagrange:stepper=rk8pd,adaptive=true",
                                                  "taylor:adaptive=true,order=12",
                                                  "tgs-soft:substeps=8",
                                                  "avbd",
                                                  "avbd:error_tolerance=1e-3",
                                                  "moreau:error_tolerance=1e-3",
                                                  "impulse-sle:error_tolerance=1e-5",
                                                  "tgs-soft:error_tolerance=1e-3",
                                                  "impulse-sle:linear=dense" };

/* Returns the hash of `steps` steps from `state`. */
static uint64_t hash_of(hn_solver *solver, hn_state *state, double h, int steps)
{
  uint64_t hash = HN_HASH_START;
  for (int i = 0; i < steps; i++) {
    if (hn_solver_step(solver, state, h) != HN_CONVERGED) fail_msg("%s does not step", solver->spec);
    hash = hn_state_hash(state, hash);
  }
  return hash;
}

/* Returns a solver with additional settings on a model, or NULL if it lacks them. */
static hn_solver *solver_on(const char *spec, const char *settings, const hn_model *model)
{
  char whole[256];
  hn_error error;
  const size_t name = strcspn(spec, ":");
  snprintf(whole, sizeof whole, "%s%s%s", spec, *settings == '\0' ? "" : spec[name] ? "," : ":", settings);
  return hn_solver_create(whole, model, &error);
}

static const char *spec_of(size_t index, size_t solver_specs, const solver_spec *list)
{
  if (index < solver_specs) return list[index].label;
  return index - solver_specs < sizeof specs_with_history / sizeof *specs_with_history
           ? specs_with_history[index - solver_specs]
           : NULL;
}

/* Calls `test` for every solver and variant on every scene that it supports, settings with a history on the
 * first `histories` scenes only; returns the number of calls. */
static int for_all_solvers(void (*test)(hn_solver *solver, hn_state *state, const hn_model *model, double h),
                           size_t histories)
{
  solver_spec list[MAX_SOLVERS];
  size_t solver_specs = list_solvers(list);
  int done = 0;
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    hn_error error;
    hn_scene *scene = hn_scene_load(cases[c].scene, NULL, 0, &error);
    if (!scene) fail_msg("%s", error.text);
    int here = 0;
    const char *spec;
    for (size_t k = 0; (k < solver_specs || c < histories) && (spec = spec_of(k, solver_specs, list)); k++) {
      hn_solver *solver = solver_on(spec, cases[c].settings, scene->model);
      if (!solver) continue;
      if (*cases[c].settings &&
          hn_solver_redundant(solver->type) == HN_NEVER) { /* would fail at an arbitrary step */
        hn_solver_free(solver);
        continue;
      }
      hn_state *state = hn_state_create(scene->model);
      test(solver, state, scene->model, cases[c].step);
      hn_state_free(state);
      hn_solver_free(solver);
      here++;
    }
    printf("  %-20s %-24s %d solvers and variants\n", cases[c].scene, cases[c].settings, here);
    assert_true(here >= 4);
    done += here;
    hn_scene_free(scene);
  }
  return done;
}

static void save_and_restore(hn_solver *solver, hn_state *state, const hn_model *model, double h)
{
  hn_state *saved = hn_state_create(model);
  void *memory = malloc(hn_solver_memory(solver) + 1);
  hash_of(solver, state, h, BEFORE);
  hn_state_copy(saved, state);
  hn_solver_save(solver, memory);
  uint64_t continued = hash_of(solver, state, h, AFTER);
  hn_state_copy(state, saved);
  assert_int_equal(hn_solver_restore(solver, memory, hn_solver_memory(solver), NULL), 0);
  uint64_t restored = hash_of(solver, state, h, AFTER);
  if (restored != continued) fail_msg("%s: different result after a checkpoint", solver->spec);
  hn_state_free(saved);
  free(memory);
}

static void checkpoints_continue_to_the_bit(void **unused)
{
  (void)unused;
  printf("  %d solvers and variants on scenes, equal to the bit\n",
         for_all_solvers(save_and_restore, SIZE_MAX));
}

/* Takes an infinite step, which fails for every solver: its end is not finite, or its corrections diverge. */
static void fail_a_step(hn_solver *solver, hn_state *state, const hn_model *model)
{
  hn_state *given = hn_state_create(model);
  hn_state_copy(given, state);
  if (hn_solver_step(solver, state, INFINITY) == HN_CONVERGED)
    fail_msg("%s takes an infinite step", solver->spec);
  assert_true(hn_state_hash(state, 1) == hn_state_hash(given, 1) && state->time == given->time);
  hn_state_free(given);
}

static void fail_the_first_step(hn_solver *solver, hn_state *state, const hn_model *model, double h)
{
  hn_error error;
  fail_a_step(solver, state, model);
  uint64_t after = hash_of(solver, state, 0.5 * h, AFTER);
  hn_solver *fresh = hn_solver_create(solver->spec, model, &error);
  hn_state *start = hn_state_create(model);
  if (hash_of(fresh, start, 0.5 * h, AFTER) != after)
    fail_msg("%s: different result after a failed step than from the start", solver->spec);
  hn_state_free(start);
  hn_solver_free(fresh);
}

static void fail_a_later_step(hn_solver *solver, hn_state *state, const hn_model *model, double h)
{
  hn_error error;
  hash_of(solver, state, h, BEFORE);
  fail_a_step(solver, state, model);
  uint64_t after = hash_of(solver, state, 0.5 * h, AFTER);
  hn_solver *other = hn_solver_create(solver->spec, model, &error);
  hn_state *start = hn_state_create(model);
  void *memory = malloc(hn_solver_memory(other) + 1);
  hash_of(other, start, h, BEFORE);
  hn_solver_save(other, memory); /* a history that cannot be saved restarts here, as after a failure */
  if (hash_of(other, start, 0.5 * h, AFTER) != after)
    fail_msg("%s: different result after a failed step than without it", solver->spec);
  free(memory);
  hn_state_free(start);
  hn_solver_free(other);
}

static void failed_steps_leave_no_trace(void **unused)
{
  (void)unused;
  /* An adaptive solver takes 1e5 substeps in an infinite step: one scene for each. */
  printf("  the first step fails, then half of it, compared with a fresh start:\n");
  for_all_solvers(fail_the_first_step, 1);
  printf("  a later step fails, compared with a run without the failure:\n");
  for_all_solvers(fail_a_later_step, 1);
}

/* ---- Runs stepped by the caller ------------------------------------------------------------------------ */

static void stepping_equals_running(void **unused)
{
  (void)unused;
  hn_error error;
  hn_summary whole;
  bench a = set_up("double_pendulum", "impulse-sle"), b = set_up("double_pendulum", "impulse-sle");
  hn_run_options options = { .step = 0.01, .duration = 1.005 };
  assert_true(hn_run(a.solver, a.state, &options, &whole) == HN_CONVERGED);
  hn_runner *runner = hn_runner_create(b.solver, b.state, &options, &error);
  int steps = 0;
  for (; !hn_runner_ended(runner); steps++) assert_true(hn_runner_step(runner) == HN_CONVERGED);
  assert_true(hn_runner_step(runner) == HN_CONVERGED); /* no effect at the end */
  ASSERT_COUNT("steps", steps, whole.steps);
  assert_true(hn_runner_summary(runner)->hash == whole.hash && b.state->time == a.state->time);
  hn_runner_finish(runner, &b.summary);
  assert_true(b.summary.reason == HN_CONVERGED && b.summary.steps == whole.steps);
  check_near("last step, s", b.summary.last_step, whole.last_step, 0.0);
  tear_down(&a), tear_down(&b);
}

static void endless_runs_continue(void **unused)
{
  (void)unused;
  hn_error error;
  bench b = set_up("pendulum", "xpbd");
  hn_run_options options = { .step = 0.01, .duration = INFINITY };
  hn_runner *runner = hn_runner_create(b.solver, b.state, &options, &error);
  for (int i = 0; i < 1000; i++)
    assert_true(hn_runner_step(runner) == HN_CONVERGED && !hn_runner_ended(runner));
  check_near("time of 1000 steps, s", b.state->time, 10.0, 1e-12);
  hn_runner_finish(runner, NULL);
  tear_down(&b);
}

/* Gives body 1 a push before the step at 0.05 s. */
static int push(void *given, hn_control_context *moment, hn_error *error)
{
  const double impulse[3] = { 0.02, -0.01, 0.015 }, angular[3] = { 0.0, 0.0, 0.0 };
  (void)error;
  if (*(int *)given || moment->state->time < 0.05) return 0;
  *(int *)given = 1;
  hn_state_apply_impulse(moment->state, moment->model, 1, NULL, impulse, angular);
  return 0;
}

/* Returns the summary of a run of 0.2 s with a push; SAVE: continued from a checkpoint at 0.1 s. */
static hn_summary pushed_run(bool save)
{
  int given = 0;
  hn_error error = { "" };
  hn_summary summary;
  bench b = set_up("double_pendulum", "impulse-sle"), again = set_up("double_pendulum", "impulse-sle");
  const hn_run_options options = { .step = 0.01, .duration = 0.2, .control = push, .controller = &given };
  hn_runner *runner = hn_runner_create(b.solver, b.state, &options, &error);
  FILE *file = tmpfile();
  for (int i = 0; i < 10; i++) assert_true(hn_runner_step(runner) == HN_CONVERGED);
  assert_true(file && hn_runner_save(runner, file, &error) == 0);
  rewind(file);
  if (save) {
    hn_runner_finish(runner, NULL);
    runner = hn_runner_resume(again.solver, again.state, &options, file, &error);
    if (!runner) fail_msg("%s", error.text);
  }
  while (!hn_runner_ended(runner)) hn_runner_step(runner);
  hn_runner_finish(runner, &summary);
  fclose(file);
  tear_down(&b), tear_down(&again);
  return summary;
}

/* A run knows of an impulse from outside beyond a checkpoint: its energy is not that of the start. */
static void checkpoints_remember_impulses(void **unused)
{
  (void)unused;
  const hn_summary whole = pushed_run(false), resumed = pushed_run(true);
  printf("  energy conserved: %d, resumed %d, expected 0; supply %g, resumed %g J, expected nan\n",
         whole.energy_conserved, resumed.energy_conserved, whole.energy_supply, resumed.energy_supply);
  assert_true(whole.hash == resumed.hash);
  assert_false(whole.energy_conserved);
  assert_false(resumed.energy_conserved);
  assert_true(isnan(whole.energy_supply) && isnan(resumed.energy_supply));
  check_near("energy error, J", resumed.energy_error_max, whole.energy_error_max, 0.0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(checkpoints_continue_to_the_bit), cmocka_unit_test(failed_steps_leave_no_trace),
    cmocka_unit_test(stepping_equals_running),         cmocka_unit_test(endless_runs_continue),
    cmocka_unit_test(checkpoints_remember_impulses),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
