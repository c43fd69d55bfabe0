/* array.h - arrays that grow. Internal. */
#ifndef HN_ARRAY_H
#define HN_ARRAY_H

#include <stddef.h>

/* Room for one more element of SIZE bytes in an array of COUNT that doubles; NULL when memory is out. */
void *hn_with_room(void *array, int count, size_t size);

#endif
