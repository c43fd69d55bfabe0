/* array.c - arrays that grow, and lists of arrays that are freed together */
#include "base/array.h"

#include <stdlib.h>
#include <string.h>

void *hn_array_grow(void *array, int count, size_t size)
{
  if (count & (count - 1)) return array; /* not a power of two: room is left */
  return realloc(array, size * (count ? 2 * (size_t)count : 1));
}

/* An array behind the link to the next one of its owner. */
struct hn_array_block {
  struct hn_array_block *next;
  _Alignas(max_align_t) char memory[];
};

void hn_arrays_reserve(hn_arrays *arrays, size_t size, void *const *address)
{
  for (; *address; address++) {
    struct hn_array_block *block = calloc(1, sizeof *block + size);
    void *memory = block ? block->memory : NULL;
    memcpy(*address, &memory, sizeof memory);
    if (block) block->next = arrays->first, arrays->first = block;
    else arrays->failed = true;
  }
}

int hn_arrays_create(hn_arrays *arrays, const hn_doubles *list, hn_error *error)
{
  for (; list->array; list++) HN_ARRAYS(arrays, list->count * sizeof(double), list->array);
  return arrays->failed ? hn_fail(error, "out of memory") : 0;
}

void hn_arrays_free(hn_arrays *arrays)
{
  while (arrays->first) {
    struct hn_array_block *next = arrays->first->next;
    free(arrays->first);
    arrays->first = next;
  }
}
