/* test_checkpoint_files.c - checkpoints of runs with contacts: the work of a resumed run is that of the whole
 * one, and damaged indices and counts are refused. */
#include "scenes.h"

#include <stdlib.h>

static const hn_run_options options = { .step = 0.005, .duration = 0.6 };
enum { BEFORE = 95 }; /* steps: 0.475 s, shortly after the first bounce: the balls are within the margin */

static bench balls(void)
{
  return set_up_as("bouncing_balls", WITH("side=2"), "moreau");
}

/* Saves a run of B after BEFORE steps to FILE, at its start. */
static hn_runner *saved_run(bench *b, FILE *file)
{
  hn_error error = { "" };
  hn_runner *runner = hn_runner_create(b->solver, b->state, &options, &error);
  assert_non_null(runner);
  for (int i = 0; i < BEFORE; i++) assert_true(hn_runner_step(runner) == HN_CONVERGED);
  ASSERT_COUNT("contacts at the checkpoint", (unsigned)b->state->ncontact, 4);
  if (hn_runner_save(runner, file, &error)) fail_msg("%s", error.text);
  rewind(file);
  return runner;
}

static void resumed_runs_count_the_same_work(void **unused)
{
  (void)unused;
  hn_error error = { "" };
  hn_summary whole, resumed;
  bench b = balls(), again = balls();
  FILE *file = tmpfile();
  assert_non_null(file);
  hn_runner *runner = saved_run(&b, file);
  while (!hn_runner_ended(runner)) assert_true(hn_runner_step(runner) == HN_CONVERGED);
  hn_runner_finish(runner, &whole);
  runner = hn_runner_resume(again.solver, again.state, &options, file, &error);
  if (!runner) fail_msg("%s", error.text);
  while (!hn_runner_ended(runner)) assert_true(hn_runner_step(runner) == HN_CONVERGED);
  hn_runner_finish(runner, &resumed);
  assert_true(whole.hash == resumed.hash);
  ASSERT_COUNT("Jacobians", resumed.work.jacobians, whole.work.jacobians);
  ASSERT_COUNT("residuals", resumed.work.residuals, whole.work.residuals);
  assert_memory_equal(&whole.work, &resumed.work, sizeof whole.work);
  fclose(file);
  tear_down(&b), tear_down(&again);
}

/* Returns where the SIZE bytes of PART are in FILE, which is then at its start. */
static long place_of(FILE *file, const void *part, size_t size)
{
  enum { MOST = 1 << 20 };
  char *all = malloc(MOST);
  const size_t length = all ? fread(all, 1, MOST, file) : 0;
  long at = -1;
  for (size_t i = 0; at < 0 && i + size <= length; i++)
    if (memcmp(all + i, part, size) == 0) at = (long)i;
  free(all);
  rewind(file);
  assert_true(length < MOST && at >= 0);
  return at;
}

/* Checks that the checkpoint is refused while the int at AT is VALUE. */
static void refuse(FILE *file, const char *what, long at, int value)
{
  int good;
  hn_error error = { "" };
  for (int back = 0; back < 2; back++) {
    fseek(file, at, SEEK_SET);
    if (!back) assert_true(fread(&good, sizeof good, 1, file) == 1);
    fseek(file, at, SEEK_SET);
    assert_true(fwrite(back ? &good : &value, sizeof good, 1, file) == 1);
    rewind(file);
    bench b = balls();
    hn_runner *runner = hn_runner_resume(b.solver, b.state, &options, file, &error);
    rewind(file);
    printf("  %s %d: %s\n", what, back ? good : value, runner ? "accepted" : error.text);
    assert_true(back ? runner != NULL : runner == NULL && strstr(error.text, "damaged"));
    if (runner) hn_runner_finish(runner, NULL);
    tear_down(&b);
  }
}

static void damaged_contacts_are_refused(void **unused)
{
  (void)unused;
  bench b = balls();
  FILE *file = tmpfile();
  assert_non_null(file);
  hn_runner *runner = saved_run(&b, file);
  const hn_contact *last = &b.state->contact[b.state->ncontact - 1];
  const long at = place_of(file, last, sizeof *last);
  const long first = at + (long)offsetof(hn_contact, a), second = at + (long)offsetof(hn_contact, b);
  refuse(file, "body a", first, b.model->nbody), refuse(file, "body a", first, -1);
  refuse(file, "body b", second, b.model->nbody), refuse(file, "body b", second, -1);
  hn_runner_finish(runner, NULL);
  fclose(file);
  tear_down(&b);
}

/* The memory of a solver begins with the number of pairs whose history it knows. */
static void damaged_histories_are_refused(void **unused)
{
  (void)unused;
  hn_error error = { "" };
  uint64_t count;
  bench b = balls();
  char *memory = malloc(hn_solver_memory(b.solver));
  assert_non_null(memory);
  for (int i = 0; i < BEFORE; i++) assert_true(hn_solver_step(b.solver, b.state, 0.005) == HN_CONVERGED);
  hn_solver_save(b.solver, memory);
  memcpy(&count, memory, sizeof count);
  ASSERT_COUNT("pairs of balls and floor", count, 4);
  assert_int_equal(hn_solver_restore(b.solver, memory, hn_solver_memory(b.solver), &error), 0);
  for (uint64_t wrong = 1000000; wrong > 0; wrong = wrong == 1000000 ? (uint64_t)-1 : 0) {
    memcpy(memory, &wrong, sizeof wrong);
    const int status = hn_solver_restore(b.solver, memory, hn_solver_memory(b.solver), &error);
    printf("  %llu pairs: %s\n", (unsigned long long)wrong, status ? error.text : "accepted");
    assert_int_equal(status, -1);
    assert_non_null(strstr(error.text, "damaged"));
  }
  free(memory);
  tear_down(&b);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(resumed_runs_count_the_same_work),
    cmocka_unit_test(damaged_contacts_are_refused),
    cmocka_unit_test(damaged_histories_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
