/* test_host.c - the library as a guest of programs that use MPI or PETSc themselves, in the relevant orders
 * of start and end. Each order is a process of its own, since neither starts twice. All must reach the hash
 * of a process that leaves both to the library, and exit with status 0. */
#include "models.h"

#include <petscsys.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const solver_specs[] = { "impulse-sle:linear=petsc", "impulse-sle:linear=ksp",
                                            "impulse-sle:linear=mumps", "impulse-sle:linear=cholmod",
                                            "impulse-newton" };
enum { SOLVERS = sizeof solver_specs / sizeof *solver_specs, STEPS = 20 };

/* Solvers of the guest. Functions of the child processes return failures, because cmocka must not fail
 * there. */
typedef struct guest {
  hn_model *model;
  hn_solver *solver[SOLVERS];
} guest;

static bool guest_begin(guest *g)
{
  hn_error error = { "" };
  g->model = box_chain(3);
  for (int i = 0; i < SOLVERS; i++) {
    g->solver[i] = hn_solver_create(solver_specs[i], g->model, &error);
    if (!g->solver[i]) printf("  %s: %s\n", solver_specs[i], error.text);
    if (!g->solver[i]) return false;
  }
  return true;
}

/* Returns the hash of all solvers' results; 0 if a step fails or ends otherwise than `expected`. */
static uint64_t guest_steps_until(const guest *g, hn_reason expected)
{
  uint64_t hash = HN_HASH_START;
  for (int i = 0; i < SOLVERS; i++) {
    hn_state *state = hn_state_create(g->model);
    for (int k = 0; k < STEPS; k++) {
      hn_reason reason = hn_solver_step(g->solver[i], state, 0.01);
      if (reason == expected) continue;
      printf("  %s: step %d: %s\n", solver_specs[i], k, hn_reason_name(reason));
      return 0;
    }
    hash = hn_state_hash(state, hash);
    hn_state_free(state);
  }
  return hash;
}

static uint64_t guest_steps(const guest *g)
{
  return guest_steps_until(g, HN_CONVERGED);
}

static void guest_end(guest *g)
{
  for (int i = 0; i < SOLVERS; i++) hn_solver_free(g->solver[i]);
  hn_model_free(g->model);
}

static uint64_t run_guest(void)
{
  guest g;
  if (!guest_begin(&g)) return 0;
  uint64_t hash = guest_steps(&g);
  guest_end(&g);
  return hash;
}

/* Returns 1 if solvers that need PETSc are refused with a message about MPI, and a solver without PETSc is
 * not. */
static uint64_t is_refused(void)
{
  hn_error error = { "" };
  hn_model *model = box_chain(3);
  hn_solver *with = hn_solver_create("impulse-sle:linear=petsc", model, &error);
  hn_solver *newton = hn_solver_create("impulse-newton", model, NULL);
  hn_solver *without = hn_solver_create("impulse-sle:linear=dense", model, NULL);
  printf("  refused: %s\n", error.text);
  bool good = !with && !newton && without && strstr(error.text, "ended MPI");
  hn_solver_free(without);
  hn_model_free(model);
  return good;
}

/* Returns the hash from before the host calls `end`; 0 unless later steps report it and new solvers are
 * refused. */
static uint64_t run_past_end(guest *g, int (*end)(void))
{
  uint64_t hash = guest_steps(g);
  end();
  bool reported = guest_steps_until(g, HN_INTERRUPTED) != 0;
  guest_end(g);
  return reported && is_refused() ? hash : 0;
}

static int end_petsc(void)
{
  return PetscFinalize();
}

static bool petsc_runs(void)
{
  PetscBool runs = PETSC_FALSE;
  return PetscInitialized(&runs) == 0 && runs;
}

static int begin_petsc(void)
{
  static char name[] = "host", monitor[] = "-snes_monitor", view[] = "-ksp_view";
  static char *arguments[] = { name, monitor, view, NULL };
  char **argv = arguments;
  int argc = 3;
  return PetscInitialize(&argc, &argv, NULL, NULL);
}

/* ---- Orders of start and end --------------------------------------------------------------------------- */

static uint64_t alone(void)
{
  return run_guest();
}

static uint64_t inside_mpi(void)
{
  MPI_Init(NULL, NULL);
  uint64_t hash = run_guest();
  MPI_Finalize();
  return hash;
}

static uint64_t freed_after_mpi(void)
{
  guest g;
  MPI_Init(NULL, NULL);
  return guest_begin(&g) ? run_past_end(&g, MPI_Finalize) : 0;
}

static uint64_t after_mpi(void)
{
  MPI_Init(NULL, NULL);
  MPI_Finalize();
  return is_refused();
}

static uint64_t inside_petsc(void)
{
  if (begin_petsc()) return 0;
  uint64_t hash = run_guest();
  bool still = petsc_runs();
  PetscFinalize();
  return still ? hash : 0;
}

static uint64_t freed_after_petsc(void)
{
  guest g;
  if (begin_petsc() || !guest_begin(&g)) return 0;
  return run_past_end(&g, end_petsc);
}

static uint64_t after_petsc(void)
{
  if (begin_petsc()) return 0;
  PetscFinalize();
  return is_refused();
}

/* The host ends PETSc but not MPI: the guest starts PETSc again. */
static uint64_t between_petsc_and_mpi(void)
{
  MPI_Init(NULL, NULL);
  if (begin_petsc()) return 0;
  uint64_t first = run_guest();
  PetscFinalize();
  uint64_t second = run_guest();
  bool ours = petsc_runs();
  MPI_Finalize();
  return ours && first == second ? first : 0;
}

/* The guest starts first; the host tests for MPI before it starts anything, as it should. */
static uint64_t host_tests_for_mpi(void)
{
  int runs = 0;
  uint64_t hash = run_guest();
  MPI_Initialized(&runs);
  return runs && petsc_runs() ? hash : 0;
}

/* The host ends what it has not started. */
static uint64_t host_ends_petsc(void)
{
  guest g;
  return guest_begin(&g) ? run_past_end(&g, end_petsc) : 0;
}

static uint64_t host_ends_mpi(void)
{
  guest g;
  return guest_begin(&g) ? run_past_end(&g, MPI_Finalize) : 0;
}

/* Returns the result of `order` in a child process, which must exit with status 0. */
static uint64_t in_process(const char *name, uint64_t (*order)(void))
{
  int ends[2], status = -1;
  uint64_t result = 0;
  assert_int_equal(pipe(ends), 0);
  fflush(NULL);
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    uint64_t child_result = order();
    fflush(NULL);
    exit(write(ends[1], &child_result, sizeof child_result) == sizeof child_result ? 0 : 1);
  }
  close(ends[1]);
  if (read(ends[0], &result, sizeof result) != sizeof result) result = 0;
  close(ends[0]);
  assert_int_equal(waitpid(child, &status, 0), child);
  printf("  %-24s %016llx, status %d\n", name, (unsigned long long)result, status);
  assert_int_equal(status, 0);
  return result;
}

static void guest_works_in_all_orders(void **state)
{
  (void)state;
  const struct {
    const char *name;
    uint64_t (*order)(void);
    bool works; /* otherwise the guest is refused */
  } orders[] = {
    { "inside MPI", inside_mpi, true },
    { "freed after MPI", freed_after_mpi, true },
    { "after MPI", after_mpi, false },
    { "inside PETSc", inside_petsc, true },
    { "freed after PETSc", freed_after_petsc, true },
    { "after PETSc", after_petsc, false },
    { "between PETSc and MPI", between_petsc_and_mpi, true },
    { "host tests for MPI", host_tests_for_mpi, true },
    { "host ends the guest's PETSc", host_ends_petsc, true },
    { "host ends the guest's MPI", host_ends_mpi, true },
  };
  uint64_t expected = in_process("alone", alone);
  assert_true(expected != 0);
  for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
    assert_true(in_process(orders[i].name, orders[i].order) == (orders[i].works ? expected : 1));
}

int main(void)
{
  const struct CMUnitTest tests[] = { cmocka_unit_test(guest_works_in_all_orders) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
