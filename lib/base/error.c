/* error.c - errors, the words of reasons, and the nearest word to a misspelt one. */
#include "base.h"
#include "base/locale.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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
  static const char *const name[] = {
    [HN_CONVERGED] = "converged", [HN_BUDGET] = "budget",         [HN_STALLED] = "stalled",
    [HN_SINGULAR] = "singular",   [HN_NOT_FINITE] = "not-finite", [HN_UNSUPPORTED] = "unsupported",
    [HN_FULL] = "full",           [HN_DIVERGED] = "diverged",     [HN_INTERRUPTED] = "interrupted",
  };
  return name[reason];
}

enum { LONGEST_WORD = 64 };

/* Levenshtein distance by one row of the table at a time; words beyond LONGEST_WORD count as far apart. */
static size_t edit_distance(const char *a, const char *b)
{
  size_t la = strlen(a), lb = strlen(b), row[LONGEST_WORD + 1];
  if (la > LONGEST_WORD || lb > LONGEST_WORD) return LONGEST_WORD;
  for (size_t j = 0; j <= lb; j++) row[j] = j;
  for (size_t i = 1; i <= la; i++) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= lb; j++) {
      size_t best = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      if (row[j] + 1 < best) best = row[j] + 1;
      if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
      row[j] = best;
    }
  }
  return row[lb];
}

const char *hn_nearest(const char *word, const char *const *candidates, size_t count)
{
  const char *best = NULL;
  size_t smallest = strlen(word) / 2 + 2;
  if (smallest > LONGEST_WORD) smallest = LONGEST_WORD; /* the distance of what is too long to compare */
  for (size_t i = 0; i < count; i++) {
    size_t distance = edit_distance(word, candidates[i]);
    if (distance < smallest) smallest = distance, best = candidates[i];
  }
  return best;
}
