/* error.c - errors, the words of reasons, and the nearest candidate to a misspelt word */
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

enum { LONGEST_WORD = 64 };
enum { MEANT = 3 }; /* a candidate is suggested if at most one character in so many differs */

/* Returns the number of insertions, deletions, substitutions and swaps of neighbours that turn A into B
 * (Damerau and Levenshtein, optimal string alignment), from three rows of the table. Longer words than
 * LONGEST_WORD have the largest distance. */
static size_t edit_distance(const char *a, const char *b)
{
  size_t la = strlen(a), lb = strlen(b), table[3][LONGEST_WORD + 1];
  if (la > LONGEST_WORD || lb > LONGEST_WORD) return LONGEST_WORD;
  for (size_t j = 0; j <= lb; j++) table[0][j] = j;
  for (size_t i = 1; i <= la; i++) {
    size_t *row = table[i % 3];
    const size_t *above = table[(i - 1) % 3], *before = table[(i + 1) % 3];
    row[0] = i;
    for (size_t j = 1; j <= lb; j++) {
      size_t best = above[j - 1] + (a[i - 1] != b[j - 1]);
      if (above[j] + 1 < best) best = above[j] + 1;
      if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped && before[j - 2] + 1 < best) best = before[j - 2] + 1;
      row[j] = best;
    }
  }
  return table[la % 3][lb];
}

const char *hn_nearest(const char *word, const char *const *candidates, size_t count)
{
  const char *best = NULL;
  size_t smallest = LONGEST_WORD;
  for (size_t i = 0; i < count; i++) {
    const size_t length = strlen(word), other = strlen(candidates[i]),
                 longer = length > other ? length : other;
    const size_t distance = edit_distance(word, candidates[i]);
    if (MEANT * distance <= longer && distance < smallest) smallest = distance, best = candidates[i];
  }
  return best;
}
