/* petsc_start.c - PETSc, started once.
 *
 * It starts alone (no mpiexec needed), without its daemon, without its options files and without PETSC_OPTIONS or
 * PETSC_OPTIONS_YAML: nothing outside the command line may change a result. It reports errors by return code; the text
 * of the first one is kept for whoever explains it to a user, and nothing is printed. */
#include "linear/petsc_start.h"
#include "linear/petsc_memory.h"

#include <petscsys.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <suitesparse/SuiteSparse_config.h>

static char complaint[256];

const char *hn_petsc_complaint(void)
{
  return complaint;
}

void hn_petsc_forget(void)
{
  *complaint = '\0';
}

/* Called for an error where it happens, and again by every function that passes it on. */
static PetscErrorCode listen(MPI_Comm comm, int line, const char *function, const char *file, PetscErrorCode code,
                             PetscErrorType type, const char *text, void *context)
{
  (void)comm, (void)line, (void)function, (void)file, (void)context;
  if (type != PETSC_ERROR_INITIAL || *complaint || !text) return code;
  snprintf(complaint, sizeof complaint, "%s", text);
  complaint[strcspn(complaint, "\n")] = '\0';
  return code;
}

/* PETSc's and MPI's start-up take 20 times longer when MPI looks for partners on the network; and its directories in
 * /tmp, of which it has no need, are removed by a process that ends while another begins, which then fails. */
static void isolate_mpi(void)
{
  if (getenv("OMPI_COMM_WORLD_SIZE")) return; /* under mpiexec: leave it alone */
  setenv("OMPI_MCA_ess_singleton_isolated", "1", 0);
  setenv("OMPI_MCA_btl", "self", 0);
  setenv("OMPI_MCA_pml", "ob1", 0);
  setenv("OMPI_MCA_orte_create_session_dirs", "0", 0);
}

/* CHOLMOD and its sisters would report on standard output, where only results go. */
static void silence_suitesparse(void)
{
#if SUITESPARSE_MAIN_VERSION >= 7
  SuiteSparse_config_printf_func_set(NULL);
#else
  SuiteSparse_config.printf_func = NULL;
#endif
}

static void finish(void)
{
  PetscFinalize();
}

static PetscErrorCode start(void)
{
  static char name[] = "holonom", skip[] = "-skip_petscrc", quiet[] = "-no_signal_handler";
  static char *arguments[] = { name, skip, quiet, NULL };
  char **argv = arguments;
  int argc = 3;
  isolate_mpi();
  unsetenv("PETSC_OPTIONS");
  unsetenv("PETSC_OPTIONS_YAML");
  PetscErrorCode code = hn_petsc_memory_install();
  if (!code) code = PetscInitialize(&argc, &argv, NULL, NULL);
  if (code) return code;
  atexit(finish);
  silence_suitesparse();
  PetscErrorPrintf = PetscErrorPrintfNone;
  return PetscPushErrorHandler(listen, NULL);
}

int hn_petsc_start(hn_error *error)
{
  PetscBool running = PETSC_FALSE;
  PetscInitialized(&running);
  if (running || start() == 0) return 0;
  return hn_fail(error, "PETSc does not start on this machine");
}
