/* memory.c - memory and text of the command. Without memory the command ends with status 2 and says so; the library
 * never does this, but a command that only prepares or prints has nothing to save. */
#include <stdarg.h>
#include <stdio.h>
#include "cli/base/complain.h"
#include "cli/base/memory.h"
#include "holonom.h"

static void *or_exit(void *memory)
{
  if (!memory) exit(cli_complain("out of memory"));
  return memory;
}

void *cli_alloc(size_t count, size_t size)
{
  return or_exit(calloc(count ? count : 1, size));
}

void *cli_grow(void *array, size_t count, size_t size)
{
  return or_exit(reallocarray(array, count ? count : 1, size));
}

char *cli_text(const char *format, ...)
{
  char *text = NULL;
  va_list list;
  va_start(list, format);
  if (vasprintf(&text, format, list) < 0) text = NULL;
  va_end(list);
  return or_exit(text);
}

char *cli_hint(const char *word, const char *const *candidates, size_t count)
{
  const char *nearest = hn_nearest(word, candidates, count);
  return nearest ? cli_text("; did you mean \"%s\"?", nearest) : cli_text("%s", "");
}
