/* environment.h - the environment of the host, as it was. Internal; a header alone, for modules too.
 *
 * Libraries that can be told something by no other way than the environment (one thread for BLAS and OpenMP, MPI alone)
 * find it there while they start, and MPI leaves a dozen variables of its own. All of that is taken back: the same
 * strings in the same order, at the same addresses. */
#ifndef HN_ENVIRONMENT_H
#define HN_ENVIRONMENT_H

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct hn_environment {
  char **variable; /* [count + 1] */
  size_t count;
} hn_environment;

/* Remembers the environment; -1 when memory is out. */
static inline int hn_environment_keep(hn_environment *kept)
{
  *kept = (hn_environment){ .count = 0 };
  while (environ && environ[kept->count]) kept->count++;
  kept->variable = calloc(kept->count + 1, sizeof *kept->variable);
  if (!kept->variable) return -1;
  if (kept->count > 0) memcpy(kept->variable, environ, sizeof *environ * kept->count);
  return 0;
}

/* Takes back what setenv, putenv and unsetenv have done since; their list has grown, or has kept its room. */
static inline void hn_environment_restore(hn_environment *kept)
{
  if (environ) memcpy(environ, kept->variable, sizeof *environ * (kept->count + 1));
  free(kept->variable);
}

#endif
