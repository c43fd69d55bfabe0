/* petsc_memory.h - PETSc's scratch memory, kept between factorisations. Internal to the module hn_petsc. */
#ifndef HN_PETSC_MEMORY_H
#define HN_PETSC_MEMORY_H

enum { HN_MAX_SCRATCH = 8 };

/* Blocks that PETSc has given back and may want again. */
typedef struct hn_petsc_scratch {
  struct hn_petsc_block *waiting[HN_MAX_SCRATCH];
  int oldest; /* the one to give up when all places are taken */
} hn_petsc_scratch;

/* Makes PETSc ask here for memory; before PetscInitialize. A PETSc error code. */
int hn_petsc_memory_install(void);
/* From now on what PETSc gives back waits in SCRATCH, and is looked for there first; NULL: malloc and free alone. */
void hn_petsc_scratch_use(hn_petsc_scratch *scratch);
void hn_petsc_scratch_free(hn_petsc_scratch *scratch);

#endif
