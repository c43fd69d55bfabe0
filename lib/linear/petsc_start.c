/* petsc_start.c - PETSc, started once, or found running.
 *
 * It starts alone (no mpiexec needed), without its daemon, without its options files and without PETSC_OPTIONS or
 * PETSC_OPTIONS_YAML: nothing outside the command line may change a result. MPI can be told so by environment variables
 * alone (its control variables of the tool interface refuse to be written), and leaves some of its own: the
 * environment is taken back. PETSc reports errors by return code; the text of the first one is kept for whoever
 * explains it to a user, and nothing is printed.
 *
 * A host may run MPI or PETSc itself. PETSc started on the host's MPI is this process's alone, so that other ranks need
 * not join; the host's PETSc is used as it is. What the host started it ends; what was ended is not touched again. */
#include "linear/petsc_start.h"
#include "base/environment.h"
#include "linear/petsc_memory.h"

#include <petscsys.h>
#include <stdio.h>
#include <string.h>
#include <suitesparse/SuiteSparse_config.h>

/* Called for an error where it happens, and again by every function that passes it on. */
static PetscErrorCode listen(MPI_Comm comm, int line, const char *function, const char *file,
                             PetscErrorCode code, PetscErrorType type, const char *text, void *context)
{
  hn_petsc_complaint *complaint = context;
  (void)comm, (void)line, (void)function, (void)file;
  if (type != PETSC_ERROR_INITIAL || *complaint->text || !text) return code;
  snprintf(complaint->text, sizeof complaint->text, "%s", text);
  complaint->text[strcspn(complaint->text, "\n")] = '\0';
  return code;
}

PetscErrorCode hn_petsc_listen(hn_petsc_complaint *complaint)
{
  *complaint->text = '\0';
  return PetscPushErrorHandler(listen, complaint);
}

void hn_petsc_ignore(void)
{
  PetscPopErrorHandler();
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

/* ---- Start and end ------------------------------------------------------------------------------------ */

static bool started; /* by us, and not ended since */

static PetscErrorCode note_end(void)
{
  started = false;
  return 0;
}

static void finish(void)
{
  if (started && hn_petsc_runs()) PetscFinalize();
}

static PetscErrorCode initialise(void)
{
  static char name[] = "holonom", skip[] = "-skip_petscrc", quiet[] = "-no_signal_handler";
  static char *arguments[] = { name, skip, quiet, NULL };
  char **argv = arguments;
  int argc = 3, mpi_runs = 0;
  hn_environment host;
  MPI_Initialized(&mpi_runs);
  if (hn_environment_keep(&host)) return PETSC_ERR_MEM;
  if (mpi_runs) PETSC_COMM_WORLD = MPI_COMM_SELF;
  else isolate_mpi();
  unsetenv("PETSC_OPTIONS");
  unsetenv("PETSC_OPTIONS_YAML");
  PetscErrorCode code = hn_petsc_memory_install();
  if (!code) code = PetscInitialize(&argc, &argv, NULL, NULL);
  hn_environment_restore(&host);
  return code;
}

static PetscErrorCode start(void)
{
  static bool waiting; /* for the end of the process */
  PetscErrorCode code = initialise();
  if (code) return code;
  started = true;
  silence_suitesparse();
  if (!waiting) atexit(finish);
  waiting = true;
  PetscErrorPrintf = PetscErrorPrintfNone;
  code = PetscRegisterFinalize(note_end);
  return code ? code : PetscPushErrorHandler(PetscReturnErrorHandler, NULL);
}

bool hn_petsc_runs(void)
{
  PetscBool runs = PETSC_FALSE;
  int mpi_over = 0;
  MPI_Finalized(&mpi_over);
  PetscInitialized(&runs);
  return runs && !mpi_over;
}

int hn_petsc_start(hn_error *error)
{
  int mpi_over = 0;
  MPI_Finalized(&mpi_over);
  if (mpi_over)
    return hn_fail(error,
                   "PETSc cannot be used once this program has ended MPI, or PETSc with it: end it later, or "
                   "take linear=dense and a solver without PETSc");
  if (hn_petsc_runs() || start() == 0) return 0;
  return hn_fail(error, "PETSc does not start on this machine");
}
