/* petsc_memory.h - a cache of PETSc's scratch memory between factorisations. Internal to the module
 * hn_petsc. */
#ifndef HN_PETSC_MEMORY_H
#define HN_PETSC_MEMORY_H

enum { HN_MAX_SCRATCH = 8 };

/* Blocks that PETSc has freed and may allocate again. */
typedef struct hn_petsc_scratch {
  struct hn_petsc_block *cached[HN_MAX_SCRATCH];
  int oldest; /* next one to evict */
} hn_petsc_scratch;

/* Installs our allocator in PETSc, before PetscInitialize; returns a PETSc error code. */
int hn_petsc_memory_install(void);
/* Sets the cache for the following allocations and frees of PETSc; NULL: malloc and free only. */
void hn_petsc_scratch_use(hn_petsc_scratch *scratch);
void hn_petsc_scratch_free(hn_petsc_scratch *scratch);

#endif
