/* memory.h - memory and strings of the command. Each function ends the program when there is no memory. */
#ifndef HN_CLI_MEMORY_H
#define HN_CLI_MEMORY_H

#include <stdlib.h>
#include "holonom.h"

void *cli_alloc(size_t count, size_t size);             /* COUNT elements of zeros */
void *cli_grow(void *array, size_t count, size_t size); /* resizes ARRAY to COUNT elements */
/* Returns formatted text, to be freed. */
char *cli_text(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Appends formatted text to *TEXT, which is reallocated. The arguments may contain *TEXT. */
void cli_append(char **text, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Returns "; did you mean X?" for the candidate nearest to WORD, or "". To be freed. */
char *cli_hint(const char *word, const char *const *candidates, size_t count);
/* Returns the index of WORD among the candidates; -1 with the formatted message and a hint if it is
 * missing. */
int cli_find(const char *word, const char *const *candidates, size_t count, hn_error *error,
             const char *format, ...) __attribute__((format(printf, 5, 6)));

#endif
