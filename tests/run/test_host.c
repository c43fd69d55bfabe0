/* test_host.c - the library as a guest of programs that run MPI or PETSc themselves, in the orders that matter. Each
 * order is a process of its own, for neither starts twice; all must reach the bits of a process that leaves both to the
 * library, and end with status 0. */
#include "models.h"

#include <petscsys.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const solver_specs[] = { "impulse-sle:linear=petsc", "impulse-sle:linear=ksp",
                                            "impulse-sle:linear=mumps", "impulse-sle:linear=cholmod",
                                            "impulse-newton" };
enum { SOLVERS = sizeof solver_specs / sizeof *solver_specs, STEPS = 20 };

/* A guest's work; its parts in a process in which cmocka is not to fail. */
typedef struct guest {
  hn_model *model;
  hn_solver *solver[SOLVERS];
} guest;

static bool arrive(guest *g)
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

/* The hash of what all solvers do; 0 when one fails, or ends otherwise than EXPECTED. */
static uint64_t work_until(const guest *g, hn_reason expected)
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

static uint64_t work(const guest *g)
{
  return work_until(g, HN_CONVERGED);
}

static void leave(guest *g)
{
  for (int i = 0; i < SOLVERS; i++) hn_solver_free(g->solver[i]);
  hn_model_free(g->model);
}

static uint64_t visit(void)
{
  guest g;
  if (!arrive(&g)) return 0;
  uint64_t hash = work(&g);
  leave(&g);
  return hash;
}

/* 1 when a solver that needs PETSC is refused with a word about MPI, and one that does not, is not. */
static uint64_t refused(void)
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

/* What G did before the host ENDS what it needs; 0 unless it is told of that afterwards, and nobody else served. */
static uint64_t freed_after(guest *g, int (*end)(void))
{
  uint64_t hash = work(g);
  end();
  bool told = work_until(g, HN_INTERRUPTED) != 0;
  leave(g);
  return told && refused() ? hash : 0;
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

/* ---- The orders -------------------------------------------------------------------------------------------------- */

static uint64_t alone(void)
{
  return visit();
}

static uint64_t inside_mpi(void)
{
  MPI_Init(NULL, NULL);
  uint64_t hash = visit();
  MPI_Finalize();
  return hash;
}

static uint64_t freed_after_mpi(void)
{
  guest g;
  MPI_Init(NULL, NULL);
  return arrive(&g) ? freed_after(&g, MPI_Finalize) : 0;
}

static uint64_t after_mpi(void)
{
  MPI_Init(NULL, NULL);
  MPI_Finalize();
  return refused();
}

static uint64_t inside_petsc(void)
{
  if (begin_petsc()) return 0;
  uint64_t hash = visit();
  bool still = petsc_runs();
  PetscFinalize();
  return still ? hash : 0;
}

static uint64_t freed_after_petsc(void)
{
  guest g;
  if (begin_petsc() || !arrive(&g)) return 0;
  return freed_after(&g, end_petsc);
}

static uint64_t after_petsc(void)
{
  if (begin_petsc()) return 0;
  PetscFinalize();
  return refused();
}

/* The host ends PETSc but not MPI: it is started again, for the guest. */
static uint64_t between_petsc_and_mpi(void)
{
  MPI_Init(NULL, NULL);
  if (begin_petsc()) return 0;
  uint64_t first = visit();
  PetscFinalize();
  uint64_t second = visit();
  bool ours = petsc_runs();
  MPI_Finalize();
  return ours && first == second ? first : 0;
}

/* The guest was there first, and the host asks before it starts anything, as it should. */
static uint64_t host_asks(void)
{
  int runs = 0;
  uint64_t hash = visit();
  MPI_Initialized(&runs);
  return runs && petsc_runs() ? hash : 0;
}

/* It ends what it has not begun. */
static uint64_t host_ends_petsc(void)
{
  guest g;
  return arrive(&g) ? freed_after(&g, end_petsc) : 0;
}

static uint64_t host_ends_mpi(void)
{
  guest g;
  return arrive(&g) ? freed_after(&g, MPI_Finalize) : 0;
}

/* The result of ORDER in a process of its own, which must end with status 0 through exit and all it runs. */
static uint64_t in_process(const char *name, uint64_t (*order)(void))
{
  int ends[2], status = -1;
  uint64_t result = 0;
  assert_int_equal(pipe(ends), 0);
  fflush(NULL);
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) {
    uint64_t own = order();
    fflush(NULL);
    exit(write(ends[1], &own, sizeof own) == sizeof own ? 0 : 1);
  }
  close(ends[1]);
  if (read(ends[0], &result, sizeof result) != sizeof result) result = 0;
  close(ends[0]);
  assert_int_equal(waitpid(child, &status, 0), child);
  printf("  %-24s %016llx, status %d\n", name, (unsigned long long)result, status);
  assert_int_equal(status, 0);
  return result;
}

static void test_orders(void **state)
{
  (void)state;
  const struct {
    const char *name;
    uint64_t (*order)(void);
    bool works; /* else the guest is refused */
  } orders[] = {
    { "inside MPI", inside_mpi, true },
    { "freed after MPI", freed_after_mpi, true },
    { "after MPI", after_mpi, false },
    { "inside PETSc", inside_petsc, true },
    { "freed after PETSc", freed_after_petsc, true },
    { "after PETSc", after_petsc, false },
    { "between PETSc and MPI", between_petsc_and_mpi, true },
    { "host asks", host_asks, true },
    { "host ends our PETSc", host_ends_petsc, true },
    { "host ends our MPI", host_ends_mpi, true },
  };
  uint64_t expected = in_process("alone", alone);
  assert_true(expected != 0);
  for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
    assert_true(in_process(orders[i].name, orders[i].order) == (orders[i].works ? expected : 1));
}

int main(void)
{
  const struct CMUnitTest tests[] = { cmocka_unit_test(test_orders) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
