/* memory.c - memory and strings of the command. Out of memory ends the command with a message and status 2:
 * unlike the library, a command has nothing to save. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
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

__attribute__((format(printf, 1, 0))) static char *format_text(const char *format, va_list list)
{
  char *text = NULL;
  return or_exit(vasprintf(&text, format, list) < 0 ? NULL : text);
}

char *cli_text(const char *format, ...)
{
  va_list list;
  va_start(list, format);
  char *text = format_text(format, list);
  va_end(list);
  return text;
}

void cli_append(char **text, const char *format, ...)
{
  va_list list;
  va_start(list, format);
  char *tail = format_text(format, list);
  va_end(list);
  char *longer = cli_text("%s%s", *text, tail);
  free(*text), free(tail);
  *text = longer;
}

char *cli_hint(const char *word, const char *const *candidates, size_t count)
{
  const char *nearest = hn_nearest(word, candidates, count);
  return nearest ? cli_text("; did you mean \"%s\"?", nearest) : cli_text("%s", "");
}

int cli_find(const char *word, const char *const *candidates, size_t count, hn_error *error,
             const char *format, ...)
{
  for (size_t i = 0; i < count; i++)
    if (strcmp(candidates[i], word) == 0) return (int)i;
  char message[sizeof(hn_error)], *hint = cli_hint(word, candidates, count);
  va_list list;
  va_start(list, format);
  vsnprintf(message, sizeof message, format, list);
  va_end(list);
  hn_fail(error, "%s%s", message, hint);
  free(hint);
  return -1;
}
