/* test_petsc_memory.c - the cache of PETSc's scratch memory: blocks of the size asked for, cleared where
 * PETSc asks for that, and no others. PETSc itself is not started: the test takes the functions that are
 * installed. */
#include "check.h"

#ifdef HN_WITH_PETSC
#include <linear/petsc_memory.c>

typedef PetscErrorCode allocator(size_t size, PetscBool clear, int line, const char function[],
                                 const char file[], void **result);
typedef PetscErrorCode releaser(void *memory, int line, const char function[], const char file[]);
typedef PetscErrorCode resizer(size_t size, int line, const char function[], const char file[],
                               void **result);

static allocator *allocate_of;
static releaser *release_of;
static resizer *resize_of;

/* In place of PETSc's function. */
PetscErrorCode PetscMallocSet(allocator *a, releaser *r, resizer *s)
{
  allocate_of = a, release_of = r, resize_of = s;
  return 0;
}

static unsigned char *get(size_t size, PetscBool clear)
{
  void *memory = NULL;
  assert_int_equal(allocate_of(size, clear, 0, "", "", &memory), 0);
  assert_non_null(memory);
  return memory;
}

static void put(void *memory)
{
  assert_int_equal(release_of(memory, 0, "", ""), 0);
}

static size_t bytes_other_than(const unsigned char *memory, size_t size, unsigned char byte)
{
  size_t count = 0;
  for (size_t i = 0; i < size; i++) count += memory[i] != byte;
  return count;
}

static void waiting_blocks_are_cleared(void **unused)
{
  (void)unused;
  hn_petsc_scratch scratch = { .oldest = 0 };
  assert_int_equal(hn_petsc_memory_install(), 0);
  hn_petsc_scratch_use(&scratch);
  unsigned char *first = get(1000, PETSC_FALSE);
  memset(first, 0xAB, 1000);
  put(first);
  unsigned char *again = get(1000, PETSC_TRUE);
  assert_ptr_equal(again, first);
  ASSERT_COUNT("bytes that are not zero", bytes_other_than(again, 1000, 0), 0);
  memset(again, 0xAB, 1000);
  put(again);
  assert_ptr_equal(get(1000, PETSC_FALSE), first);
  ASSERT_COUNT("bytes that changed without clearing", bytes_other_than(first, 1000, 0xAB), 0);
  put(first);
  hn_petsc_scratch_use(NULL);
  hn_petsc_scratch_free(&scratch);
}

/* A block that served a smaller request would be missing when its own size is asked for again. */
static void blocks_are_given_out_for_their_own_size(void **unused)
{
  (void)unused;
  hn_petsc_scratch scratch = { .oldest = 0 };
  assert_int_equal(hn_petsc_memory_install(), 0);
  hn_petsc_scratch_use(&scratch);
  unsigned char *large = get(1000, PETSC_FALSE);
  put(large);
  unsigned char *smaller = get(999, PETSC_FALSE), *greater = get(1001, PETSC_FALSE);
  printf("  smaller: %s, greater: %s\n", smaller == large ? "the waiting block FAILED" : "another block",
         greater == large ? "the waiting block FAILED" : "another block");
  assert_true(smaller != large && greater != large);
  assert_ptr_equal(get(1000, PETSC_FALSE), large);
  put(greater), put(large), put(smaller);
  assert_ptr_equal(get(999, PETSC_FALSE), smaller);
  assert_ptr_equal(get(1000, PETSC_FALSE), large);
  assert_ptr_equal(get(1001, PETSC_FALSE), greater);
  put(greater), put(large), put(smaller);
  hn_petsc_scratch_use(NULL);
  hn_petsc_scratch_free(&scratch);
}

/* A resized block keeps its contents and waits under its new size. */
static void resized_blocks_have_their_new_size(void **unused)
{
  (void)unused;
  hn_petsc_scratch scratch = { .oldest = 0 };
  assert_int_equal(hn_petsc_memory_install(), 0);
  hn_petsc_scratch_use(&scratch);
  void *resized = get(100, PETSC_FALSE);
  memset(resized, 0xCD, 100);
  assert_int_equal(resize_of(5000, 0, "", "", &resized), 0);
  ASSERT_COUNT("bytes lost", bytes_other_than(resized, 100, 0xCD), 0);
  put(resized);
  assert_ptr_equal(get(5000, PETSC_FALSE), resized);
  put(resized);
  unsigned char *small = get(100, PETSC_FALSE);
  assert_true(small != resized);
  put(small);
  hn_petsc_scratch_use(NULL);
  hn_petsc_scratch_free(&scratch);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(waiting_blocks_are_cleared),
    cmocka_unit_test(blocks_are_given_out_for_their_own_size),
    cmocka_unit_test(resized_blocks_have_their_new_size),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
  printf("Holonom was built without PETSc\n");
  return 77;
}

#endif
