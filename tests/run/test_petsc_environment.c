/* test_petsc_environment.c - options of PETSc in the environment change neither the results of its linear
 * solvers nor what is printed, and write no files. Each case is a process of its own, since PETSc starts
 * once. */
#include "models.h"
#include "written.h"

#include <sys/stat.h>
#include <sys/wait.h>

static char log_file[80];

/* Steps of the child: writes the hash to FILE. */
static void take_steps(int file)
{
  static const char *const specs[] = { "impulse-sle:linear=petsc", "impulse-sle:linear=ksp" };
  uint64_t hash = HN_HASH_START;
  hn_model *model = box_chain(5);
  for (int i = 0; i < 2; i++) {
    hn_error error = { "" };
    hn_solver *solver = hn_solver_create(specs[i], model, &error);
    hn_state *state = hn_state_create(model);
    for (int k = 0; solver && k < 10; k++)
      if (hn_solver_step(solver, state, 0.01) != HN_CONVERGED) exit(2);
    hash = hn_state_hash(state, hash);
    hn_state_free(state), hn_solver_free(solver);
  }
  hn_model_free(model);
  fflush(NULL);
  if (write(file, &hash, sizeof hash) != sizeof hash) exit(3);
}

/* Returns the hash of a process with OPTIONS, or none if NULL; PRINTED receives the bytes that it printed. */
static uint64_t hash_with(const char *options, long *printed)
{
  int ends[2], status = -1;
  uint64_t hash = 0;
  struct stat out;
  assert_int_equal(pipe(ends), 0);
  fflush(NULL);
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    if (!freopen(path, "w", stdout) || dup2(fileno(stdout), 2) < 0) exit(4);
    if (options) setenv("PETSC_OPTIONS", options, 1);
    else unsetenv("PETSC_OPTIONS");
    take_steps(ends[1]);
    exit(0);
  }
  close(ends[1]);
  if (read(ends[0], &hash, sizeof hash) != sizeof hash) hash = 0;
  close(ends[0]);
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(stat(path, &out), 0);
  *printed = (long)out.st_size;
  printf("  %-44s %016llx, status %d, %ld bytes printed\n", options ? options : "no options",
         (unsigned long long)hash, status, *printed);
  assert_int_equal(status, 0);
  return hash;
}

static void options_of_the_environment_are_not_read(void **unused)
{
  (void)unused;
  if (needs_missing_library("linear=petsc")) skip();
  long printed = 0;
  char log_view[100];
  snprintf(log_file, sizeof log_file, "%s/log", directory);
  snprintf(log_view, sizeof log_view, "-log_view :%s", log_file);
  const uint64_t expected = hash_with(NULL, &printed);
  assert_true(expected != 0 && printed == 0);
  const char *const options[] = { "-ksp_type richardson -ksp_max_it 1", "-options_view", "-info", "-version",
                                  log_view };
  for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
    assert_true(hash_with(options[i], &printed) == expected);
    check_below("bytes printed", (double)printed, 0);
    const bool logged = unlink(log_file) == 0;
    if (logged) printf("  a file was written: FAILED\n");
    assert_false(logged);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = { cmocka_unit_test(options_of_the_environment_are_not_read) };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
