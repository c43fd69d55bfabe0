/* klu_memory.h - memory of KLU, so that its factorisations need not allocate. Internal, of module hn_klu.
 *
 * KLU allocates in every analysis and factorisation, and no step may allocate. SuiteSparse lets us replace
 * malloc for the whole process. Between hn_klu_enter and hn_klu_leave, the requests of a thread are served
 * from its arena, one piece behind the other. Requests that do not fit there, and those of other threads, go
 * to the previous functions. */
#ifndef HN_KLU_MEMORY_H
#define HN_KLU_MEMORY_H

#include <stddef.h>

typedef struct hn_klu_arena {
  char *memory;
  size_t size, used;
  size_t wanted; /* sum of all requests; freed pieces are not reused */
} hn_klu_arena;

/* Serve the requests of this thread from ARENA; from the library's own functions. */
void hn_klu_enter(hn_klu_arena *arena);
void hn_klu_leave(void);

#endif
