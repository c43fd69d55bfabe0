/* error.c - errors, and the words of reasons */
#include "base.h"
#include "base/locale.h"

#include <stdarg.h>
#include <stdio.h>

int hn_fail(hn_error *error, const char *format, ...)
{
  if (!error) return -1;
  va_list arguments;
  va_start(arguments, format);
  hn_print_list(error->text, sizeof error->text, format, arguments);
  va_end(arguments);
  return -1;
}

const char *hn_reason_name(hn_reason reason)
{
  static const char *const name[HN_REASONS] = {
    [HN_CONVERGED] = "converged",
    [HN_BUDGET] = "budget",
    [HN_STALLED] = "stalled",
    [HN_SINGULAR] = "singular",
    [HN_NOT_FINITE] = "not-finite",
    [HN_UNSUPPORTED] = "unsupported",
    [HN_FULL] = "full",
    [HN_DIVERGED] = "diverged",
    [HN_INTERRUPTED] = "interrupted",
    [HN_NO_MEMORY] = "out-of-memory",
  };
  return name[reason];
}
