/* mpi.c - module hn_mpi: text messages between the ranks of a job, by MPI. */
#include "parallel/ranks.h"

#include <mpi.h>
#include <stdlib.h>

enum { TAG = 1 };

static bool start(int *rank, int *size)
{
  return MPI_Init(NULL, NULL) == MPI_SUCCESS && MPI_Comm_rank(MPI_COMM_WORLD, rank) == MPI_SUCCESS &&
         MPI_Comm_size(MPI_COMM_WORLD, size) == MPI_SUCCESS;
}

static bool send_text(int rank, const char *bytes, int count)
{
  return MPI_Send(bytes, count, MPI_CHAR, rank, TAG, MPI_COMM_WORLD) == MPI_SUCCESS;
}

static char *receive_text(int *rank)
{
  int arrived = 0, count = 0;
  MPI_Status status;
  if (MPI_Iprobe(MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &arrived, &status) != MPI_SUCCESS || !arrived)
    return NULL;
  if (MPI_Get_count(&status, MPI_CHAR, &count) != MPI_SUCCESS) return NULL;
  char *text = malloc((size_t)count + 1);
  if (!text) abort(); /* a lost message would leave its sender waiting */
  MPI_Recv(text, count, MPI_CHAR, status.MPI_SOURCE, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  text[count] = '\0';
  *rank = status.MPI_SOURCE;
  return text;
}

static void stop(void)
{
  MPI_Finalize();
}

const hn_mpi_functions hn_mpi = { start, send_text, receive_text, stop };
