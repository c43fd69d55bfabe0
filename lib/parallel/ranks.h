/* ranks.h - what the module hn_mpi offers. Internal. */
#ifndef HN_RANKS_H
#define HN_RANKS_H

#include <stdbool.h>

typedef struct hn_mpi_functions {
  bool (*begin)(int *rank, int *size);
  bool (*put)(int rank, const char *bytes, int count);
  char *(*take)(int *rank); /* a message that has come, ended by a zero, to be freed; NULL: none has */
  void (*end)(void);
} hn_mpi_functions;

extern const hn_mpi_functions hn_mpi;

#endif
