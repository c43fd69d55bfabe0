/* petsc_start.c - starts PETSc once, or uses a running one.
 *
 * PETSc starts without mpiexec, without its daemon, without its options files and without PETSC_OPTIONS or
 * PETSC_OPTIONS_YAML: only the command line may change a result. MPI can be configured by environment
 * variables only (its control variables of the tool interface cannot be written) and leaves some of its own,
 * so the environment is restored afterwards. PETSc reports errors by return code; the text of the first one
 * is recorded for error messages, and nothing is printed.
 *
 * A host may run MPI or PETSc itself. PETSc started on the host's MPI uses this process only, so that other
 * ranks need not join. A PETSc of the host is used as it is. The host ends what it has started; what has been
 * ended is not used again. */
#include "linear/petsc_start.h"
#include "base/environment.h"
#include "linear/petsc_memory.h"

#include <petscsys.h>
#include <stdio.h>
#include <string.h>
#include <suitesparse/SuiteSparse_config.h>

/* Error handler of PETSc, called where an error happens and again by every function that passes it on. */
static PetscErrorCode record_error(MPI_Comm comm, int line, const char *function, const char *file,
                                   PetscErrorCode code, PetscErrorType type, const char *text, void *context)
{
  hn_petsc_message *message = context;
  (void)comm, (void)line, (void)function, (void)file;
  if (type != PETSC_ERROR_INITIAL || *message->text || !text) return code;
  snprintf(message->text, sizeof message->text, "%s", text);
  message->text[strcspn(message->text, "\n")] = '\0';
  return code;
}

PetscErrorCode hn_petsc_record_errors(hn_petsc_message *message)
{
  *message->text = '\0';
  return PetscPushErrorHandler(record_error, message);
}

void hn_petsc_stop_recording(void)
{
  PetscPopErrorHandler();
}

/* Restricts MPI to this process. Its search for network partners makes the start 20 times longer. Its
 * unneeded directories in /tmp may be removed by one process that ends while another starts, which then
 * fails. */
static void isolate_mpi(void)
{
  if (getenv("OMPI_COMM_WORLD_SIZE")) return; /* under mpiexec: do not change its settings */
  setenv("OMPI_MCA_ess_singleton_isolated", "1", 0);
  setenv("OMPI_MCA_btl", "self", 0);
  setenv("OMPI_MCA_pml", "ob1", 0);
  setenv("OMPI_MCA_orte_create_session_dirs", "0", 0);
}

/* Silences CHOLMOD and related libraries, which report on standard output. */
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
  if (started && hn_petsc_is_running()) PetscFinalize();
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
  static bool registered; /* the exit handler is registered */
  PetscErrorCode code = initialise();
  if (code) return code;
  started = true;
  silence_suitesparse();
  if (!registered) atexit(finish);
  registered = true;
  PetscErrorPrintf = PetscErrorPrintfNone;
  code = PetscRegisterFinalize(note_end);
  return code ? code : PetscPushErrorHandler(PetscReturnErrorHandler, NULL);
}

bool hn_petsc_is_running(void)
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
                   "use linear=dense and a solver without PETSc");
  if (hn_petsc_is_running() || start() == 0) return 0;
  return hn_fail(error, "PETSc does not start on this machine");
}
