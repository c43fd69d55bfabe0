/* ranks.c - the ranks of a job under MPI; module hn_mpi is loaded only under mpiexec. */
#include "run.h"
#include "base/module.h"
#include "parallel/ranks.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

struct hn_ranks {
  const hn_mpi_functions *mpi;
  int rank, size;
};

/* True if a starter's environment variable says that the job has several processes: Open MPI, or MPICH and
 * Slurm. */
bool hn_ranks_wanted(void)
{
  static const char *const names[] = { "OMPI_COMM_WORLD_SIZE", "PMI_SIZE" };
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const char *value = getenv(names[i]);
    if (value && atoi(value) > 1) return true;
  }
  return false;
}

hn_ranks *hn_ranks_open(hn_error *error)
{
  const hn_mpi_functions *mpi = hn_module_symbol("hn_mpi.so", "hn_mpi", error);
  hn_ranks *ranks = mpi ? calloc(1, sizeof *ranks) : NULL;
  if (mpi && !ranks) hn_fail(error, "out of memory");
  if (!ranks) return NULL;
  ranks->mpi = mpi;
  if (mpi->start(&ranks->rank, &ranks->size)) return ranks;
  hn_fail(error, "MPI does not start");
  free(ranks);
  return NULL;
}

int hn_ranks_rank(const hn_ranks *ranks)
{
  return ranks->rank;
}

int hn_ranks_size(const hn_ranks *ranks)
{
  return ranks->size;
}

int hn_ranks_send(hn_ranks *ranks, int rank, const char *text)
{
  const size_t length = strlen(text);
  return length <= INT_MAX && ranks->mpi->send_text(rank, text, (int)length) ? 0 : -1;
}

char *hn_ranks_receive(hn_ranks *ranks, int *rank)
{
  return ranks->mpi->receive_text(rank);
}

void hn_ranks_close(hn_ranks *ranks)
{
  if (ranks) ranks->mpi->stop();
  free(ranks);
}
