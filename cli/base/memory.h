/* memory.h - memory and text that are there, or the command ends. */
#ifndef HN_CLI_MEMORY_H
#define HN_CLI_MEMORY_H

#include <stdlib.h>

void *cli_alloc(size_t count, size_t size);             /* zeroed; ends the program when there is no memory */
void *cli_grow(void *array, size_t count, size_t size); /* room for COUNT, kept content */
char *cli_text(const char *format, ...) __attribute__((format(printf, 1, 2))); /* to be freed */
/* "; did you mean X?", or "" when nothing is near. To be freed. */
char *cli_hint(const char *word, const char *const *candidates, size_t count);

#endif
