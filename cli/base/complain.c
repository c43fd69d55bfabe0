/* complain.c - error messages of the command. */
#include <stdarg.h>
#include <stdio.h>
#include "cli/base/complain.h"
#include "holonom.h"

/* Control characters in names and paths are replaced by "?", so that a message is always one line. */
int cli_complain(const char *format, ...)
{
  char text[2 * sizeof(hn_error)];
  va_list list;
  va_start(list, format);
  vsnprintf(text, sizeof text, format, list);
  va_end(list);
  for (char *c = text; *c; c++)
    if ((unsigned char)*c < ' ' || *c == 0x7F) *c = '?';
  fprintf(stderr, "holonom: %s\n", text);
  return CLI_USAGE;
}
