/* array.h - arrays that grow, and lists of arrays that are freed together. Internal. */
#ifndef HN_ARRAY_H
#define HN_ARRAY_H

#include "base.h"

/* Returns ARRAY of COUNT elements of SIZE bytes with room for one more; capacities are powers of two. NULL if
 * out of memory: ARRAY is unchanged. */
void *hn_array_grow(void *array, int count, size_t size);

/* One array of a list: its length in units of a double, and the address of the pointer that receives it. */
typedef struct hn_doubles {
  size_t count;
  void *array;
} hn_doubles;

/* The entry of a list for COUNT elements of any type. */
#define HN_ARRAY(pointer, count)                              \
  {                                                           \
    ((size_t)(count) * sizeof *(pointer) + 7) / 8, &(pointer) \
  }

/* The arrays of one owner, a member of its data structure; all zero: none.
 *
 *   if (hn_arrays_allocate(&d->arrays, error, HN_ARRAY(d->p, rows), HN_ARRAY(d->twist, bodies))) return -1;
 *   ...
 *   hn_arrays_free(&d->arrays);                              also after a failure */
typedef struct hn_arrays {
  struct hn_array_block *first;
  bool failed; /* an allocation has failed */
} hn_arrays;

/* Allocates arrays, filled with zeros and never NULL; an entry without an address ends LIST. Returns -1 if
 * out of memory: the arrays allocated so far remain until hn_arrays_free. ERROR may be NULL. */
int hn_arrays_create(hn_arrays *arrays, const hn_doubles *list, hn_error *error);
/* HN_ARRAYS(&d->arrays, size, &d->a, &d->b, ...): allocates SIZE bytes of zeros for each of these pointers,
 * of any type. A pointer for which memory runs out becomes NULL, and arrays->failed is set. */
void hn_arrays_reserve(hn_arrays *arrays, size_t size, void *const *address);
#define HN_ARRAYS(arrays, size, ...) hn_arrays_reserve(arrays, size, (void *[]){ __VA_ARGS__, NULL })
#define hn_arrays_allocate(arrays, error, ...) \
  hn_arrays_create(arrays, (const hn_doubles[]){ __VA_ARGS__, { 0, NULL } }, error)
/* Frees all arrays of the owner. */
void hn_arrays_free(hn_arrays *arrays);

#endif
