/* environment.h - saves and restores the environment of the host. Internal; a header alone, for modules too.
 *
 * Some libraries can be configured by environment variables only (one thread for BLAS and OpenMP, MPI without
 * mpirun) and read them while they start. MPI also leaves a dozen variables of its own. Restoring removes all
 * of them: the same strings in the same order, at the same addresses. */
#ifndef HN_ENVIRONMENT_H
#define HN_ENVIRONMENT_H

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct hn_environment {
  char **variable; /* [count + 1] */
  size_t count;
} hn_environment;

/* Saves the environment; -1 if out of memory. */
static inline int hn_environment_keep(hn_environment *kept)
{
  *kept = (hn_environment){ .count = 0 };
  while (environ && environ[kept->count]) kept->count++;
  kept->variable = calloc(kept->count + 1, sizeof *kept->variable);
  if (!kept->variable) return -1;
  if (kept->count > 0) memcpy(kept->variable, environ, sizeof *environ * kept->count);
  return 0;
}

/* Undoes setenv, putenv and unsetenv since the environment was saved, and frees KEPT. Their list has at least
 * the saved capacity. */
static inline void hn_environment_restore(hn_environment *kept)
{
  if (environ) memcpy(environ, kept->variable, sizeof *environ * (kept->count + 1));
  free(kept->variable);
}

#endif
