/* array.c - arrays that grow. */
#include "base/array.h"

#include <stdlib.h>

void *hn_with_room(void *array, int count, size_t size)
{
  if (count & (count - 1)) return array; /* not a power of two: room is left */
  return realloc(array, size * (count ? 2 * (size_t)count : 1));
}
