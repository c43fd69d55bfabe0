/* ranks.h - functions of module hn_mpi. Internal. */
#ifndef HN_RANKS_H
#define HN_RANKS_H

#include <stdbool.h>

typedef struct hn_mpi_functions {
  bool (*start)(int *rank, int *size);
  bool (*send_text)(int rank, const char *bytes, int count);
  /* Returns a message that has arrived, zero-terminated, to be freed; NULL if there is none. */
  char *(*receive_text)(int *rank);
  void (*stop)(void);
} hn_mpi_functions;

extern const hn_mpi_functions hn_mpi;

#endif
