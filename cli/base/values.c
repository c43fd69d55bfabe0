/* values.c - lists and ranges of values on the command line. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "cli/base/memory.h"
#include "cli/base/parse.h"
#include "cli/base/values.h"

typedef struct range {
  bool logarithmic;
  double from, to;
  size_t count;
} range;

/* Reads PIECE as a range. Returns 1 for a range, 0 for a plain value, -1 for an invalid range. */
static int read_range(const char *what, const char *piece, range *r, hn_error *error)
{
  double count;
  const bool logarithmic = strncmp(piece, "log:", 4) == 0;
  char *copy = cli_text("%s", logarithmic ? piece + 4 : piece), *rest = copy;
  const char *part[3] = { strsep(&rest, ":"), strsep(&rest, ":"), strsep(&rest, ":") };
  bool complete = part[2] && !rest && cli_parse_number(part[0], &r->from) &&
                  cli_parse_number(part[1], &r->to);
  bool counted = complete && cli_parse_number(part[2], &count) && count == floor(count) && count >= 1.0;
  free(copy);
  if (!complete && !logarithmic) return 0;
  if (!counted)
    return hn_fail(error, "%s: '%s' is not a range: write FROM:TO:COUNT or log:FROM:TO:COUNT", what, piece);
  if (count > CLI_MAX_VALUES)
    return hn_fail(error, "%s: '%s' has %g values; the maximum is %d", what, piece, count, CLI_MAX_VALUES);
  if (count == 1.0 && r->from != r->to)
    return hn_fail(error, "%s: '%s' has two ends and one value", what, piece);
  if (logarithmic && !(r->from > 0.0 && r->to > 0.0))
    return hn_fail(error, "%s: '%s': both ends of a logarithmic range are greater than zero", what, piece);
  r->logarithmic = logarithmic;
  r->count = (size_t)count;
  return 1;
}

static char *value_of(const range *r, size_t i)
{
  const double part = r->count > 1 ? (double)i / (double)(r->count - 1) : 0.0;
  if (i == 0) return cli_text("%.15g", r->from);
  if (i + 1 == r->count) return cli_text("%.15g", r->to);
  if (r->logarithmic) return cli_text("%.15g", r->from * hn_pow(r->to / r->from, part));
  return cli_text("%.15g", r->from + (r->to - r->from) * part);
}

char **cli_values(const char *what, const char *text, size_t *count, hn_error *error)
{
  char *copy = cli_text("%s", text), *rest = copy, **value = cli_alloc(1, sizeof *value);
  int status = 0;
  *count = 0;
  for (const char *piece; status == 0 && (piece = strsep(&rest, ","));) {
    range r = { .count = 1 };
    int kind = read_range(what, piece, &r, error);
    if (kind < 0) status = -1;
    else if (!*piece)
      status = hn_fail(error, "%s: '%s' has an empty value; separate values by single commas", what, text);
    else if (*count + r.count > CLI_MAX_VALUES)
      status = hn_fail(error, "%s: more than %d values", what, CLI_MAX_VALUES);
    if (status < 0) break;
    value = cli_grow(value, *count + r.count + 1, sizeof *value);
    for (size_t i = 0; i < r.count; i++) value[(*count)++] = kind ? value_of(&r, i) : cli_text("%s", piece);
    value[*count] = NULL;
  }
  free(copy);
  if (status == 0) return value;
  cli_strings_free(value);
  return NULL;
}

int cli_parse_steps(const char *text, double **steps, size_t *count, hn_error *error)
{
  char **value = cli_values("--steps", text, count, error);
  if (!value) return -1;
  free(*steps);
  *steps = cli_alloc(*count, sizeof **steps);
  int status = 0;
  for (size_t i = 0; i < *count && status == 0; i++)
    status = cli_parse_positive("--steps", value[i], &(*steps)[i], error);
  cli_strings_free(value);
  return status;
}
