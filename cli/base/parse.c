/* parse.c - numbers and lists on the command line, read strictly, and numbers for output. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cli/base/complain.h"
#include "cli/base/memory.h"
#include "cli/base/parse.h"
#include "elementary.h"
#include "solver.h"

static bool read_plain(const char *text, const char **end, double *number)
{
  if (isspace((unsigned char)*text)) return false;
  char *stop;
  *number = strtod(text, &stop);
  *end = stop;
  return stop != text && isfinite(*number);
}

bool cli_parse_number(const char *text, double *number)
{
  const char *end;
  if (!read_plain(text, &end, number)) return false;
  if (*end == '/') {
    double divisor;
    if (!read_plain(end + 1, &end, &divisor)) return false;
    *number /= divisor;
  }
  return *end == '\0' && isfinite(*number);
}

hn_digits cli_exact(double number)
{
  return isfinite(number) ? hn_exact(number) : (hn_digits){ "-" };
}

hn_digits cli_rounded(double number, int digits)
{
  hn_digits text = { "-" };
  if (isfinite(number)) snprintf(text.text, sizeof text.text, "%.*g", digits, number);
  return text;
}

enum {
  SCALE_DIGITS = 6, /* digits of the scale */
  FIXED_POWER = 9   /* largest power of ten of a scale that is printed without an exponent */
};

hn_digits cli_rounded_to_scale(double number, double scale)
{
  hn_digits text;
  const double power = scale > 0.0 ? floor(hn_log10(scale)) : 0.0;
  if (!isfinite(number) || !(fabs(power) <= FIXED_POWER)) return cli_rounded(number, SCALE_DIGITS);
  const int decimals = power < SCALE_DIGITS - 1 ? SCALE_DIGITS - 1 - (int)power : 0;
  const double unit = hn_pow(10.0, -decimals);
  snprintf(text.text, sizeof text.text, "%.*f", decimals, fabs(number) < 0.5 * unit ? 0.0 : number);
  return text;
}

int cli_parse_positive(const char *what, const char *text, double *number, hn_error *error)
{
  if (!cli_parse_number(text, number))
    return hn_fail(error, "%s: '%s' is not a number (write 0.01, 1e-2 or 1/100)", what, text);
  if (*number > 0.0) return 0;
  return hn_fail(error, "%s: %s must be greater than zero", what, text);
}

int cli_parse_budget(const char *text, uint64_t *budget, hn_error *error)
{
  static const double max_budget = 9007199254740992.0; /* 2^53: every whole number up to it is a double */
  double number;
  if (!cli_parse_number(text, &number) || number != floor(number) || number < 1.0 || number > max_budget)
    return hn_fail(
      error, "--budget: '%s' is not a whole number of joint operations from 1 to 2^53 (write 2e5)", text);
  *budget = (uint64_t)number;
  return 0;
}

char **cli_split(const char *text)
{
  size_t count = 2;
  for (const char *c = text; *c; c++) count += *c == ',';
  char **piece = cli_alloc(count, sizeof *piece), *copy = cli_text("%s", text), *rest = copy;
  for (size_t i = 0; rest; i++) piece[i] = cli_text("%s", strsep(&rest, ","));
  free(copy);
  return piece;
}

static bool continues_spec(const char *piece)
{
  return piece[strcspn(piece, "=:")] == '=';
}

/* Returns the specs of every variant of the installed engines, separated by commas; to be freed, "" if there
 * are none. */
static char *list_engines(void)
{
  size_t count;
  hn_error why;
  char *text = cli_text("%s", "");
  if (hn_engines_load(&why)) cli_complain("%s", why.text);
  const hn_solver_type *const *type = hn_solver_types(&count);
  for (size_t i = 0; i < count; i++)
    for (const char *const *v = hn_solver_variants(type[i]); type[i]->engine && *v; v++)
      cli_append(&text, "%s%s%s%s", *text ? "," : "", type[i]->name, **v ? ":" : "", *v);
  return text;
}

/* Splits TEXT at its commas, with the word "engines" replaced by all engines. Returns NULL if there are
 * none. */
static char **split_with_engines(const char *text, hn_error *error)
{
  char *all = cli_text("%s", ""), **piece = cli_split(text);
  int status = 0;
  for (size_t i = 0; piece[i] && status == 0; i++) {
    char *engines = strcmp(piece[i], "engines") == 0 ? list_engines() : NULL;
    if (engines && !*engines)
      status = hn_fail(error, "--solvers: no engine is installed; see scripts/setup --engines");
    cli_append(&all, "%s%s", i > 0 ? "," : "", engines ? engines : piece[i]);
    free(engines);
  }
  cli_strings_free(piece);
  piece = status == 0 ? cli_split(all) : NULL;
  free(all);
  return piece;
}

char **cli_split_specs(const char *text, hn_error *error)
{
  size_t specs = 0;
  char **piece = split_with_engines(text, error);
  if (!piece) return NULL;
  char **spec = cli_alloc(cli_strings_count(piece) + 1, sizeof *spec);
  int status = 0;
  for (size_t i = 0; piece[i] && status == 0; i++) {
    if (!*piece[i])
      status = hn_fail(error, "--solvers: '%s' has an empty name; separate solvers by single commas", text);
    else if (!continues_spec(piece[i])) spec[specs++] = cli_text("%s", piece[i]);
    else if (specs == 0)
      status = hn_fail(error, "--solvers: '%s' begins with a setting; write NAME:%s", text, piece[i]);
    else cli_append(&spec[specs - 1], ",%s", piece[i]);
  }
  cli_strings_free(piece);
  if (status == 0) return spec;
  cli_strings_free(spec);
  return NULL;
}

char *cli_solver_name(const char *spec)
{
  return cli_text("%.*s", (int)strcspn(spec, ":"), spec);
}

char *cli_spec_with(const char *spec, const char *settings)
{
  return cli_text("%s%c%s", spec, strchr(spec, ':') ? ',' : ':', settings);
}

/* True if SETTINGS, "key=value,...", has the key of PIECE, "key=value". */
static bool has_key_of(const char *settings, const char *piece)
{
  size_t length = strcspn(piece, "=");
  for (const char *s = settings; s; s = strchr(s, ',') ? strchr(s, ',') + 1 : NULL)
    if (strncmp(s, piece, length) == 0 && s[length] == '=') return true;
  return false;
}

char *cli_spec_override(const char *spec, const char *settings)
{
  const char *colon = strchr(spec, ':');
  char *name = cli_solver_name(spec), *result = cli_spec_with(name, settings);
  char **piece = colon ? cli_split(colon + 1) : NULL;
  for (size_t i = 0; piece && piece[i]; i++)
    if (!has_key_of(settings, piece[i])) cli_append(&result, ",%s", piece[i]);
  cli_strings_free(piece);
  free(name);
  return result;
}

size_t cli_strings_count(char *const *strings)
{
  size_t count = 0;
  while (strings[count]) count++;
  return count;
}

void cli_strings_free(char **strings)
{
  if (!strings) return;
  for (size_t i = 0; strings[i]; i++) free(strings[i]);
  free(strings);
}

/* ---- Lists and ranges of values -------------------------------------------------------------------- */

typedef struct range {
  bool logarithmic;
  double from, to;
  size_t count;
} range;

/* True if PIECE is a range without its count: FROM:TO, or FROM..TO as in other languages. */
static bool is_uncounted(const char *piece)
{
  const char *dots = strstr(piece, ".."), *colon = strchr(piece, ':'), *mark = dots ? dots : colon;
  double number;
  if (!mark) return false;
  char *from = cli_text("%.*s", (int)(mark - piece), piece);
  const char *to = mark + (dots ? 2 : 1);
  const bool found = cli_parse_number(from, &number) && cli_parse_number(to, &number);
  free(from);
  return found;
}

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
  if (is_uncounted(piece))
    return hn_fail(error, "%s: '%s' is a range without its count: write FROM:TO:COUNT", what, piece);
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

int cli_parse_positives(const char *option, const char *text, double **number, size_t *count, hn_error *error)
{
  char **value = cli_values(option, text, count, error);
  if (!value) return -1;
  free(*number);
  *number = cli_alloc(*count, sizeof **number);
  int status = 0;
  for (size_t i = 0; i < *count && status == 0; i++)
    status = cli_parse_positive(option, value[i], &(*number)[i], error);
  cli_strings_free(value);
  return status;
}

int cli_parse_steps(const char *text, double **steps, size_t *count, hn_error *error)
{
  return cli_parse_positives("--steps", text, steps, count, error);
}

/* ---- The command line ------------------------------------------------------------------------------ */

char *cli_command_line(int argc, char *const *argv)
{
  static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=:,./+@%";
  char *line = cli_text("holonom");
  for (int i = 0; i < argc; i++) {
    const char *word = argv[i], *quote = !*word || word[strspn(word, plain)] ? "'" : "";
    cli_append(&line, " %s", quote);
    for (; *word; word++)
      if (*word == '\'') cli_append(&line, "'\\''");
      else cli_append(&line, "%c", *word);
    cli_append(&line, "%s", quote);
  }
  return line;
}
