/* json.c - JSON output of all commands. Numbers have the fewest digits that read back to the same bits;
 * values that are not finite are null. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cli/base/complain.h"
#include "cli/base/json.h"
#include "cli/base/memory.h"
#include "holonom.h"

static void *allocate(size_t size)
{
  return cli_alloc(1, size);
}

/* Jansson silently omits values for which it has no memory, so that a result could lack keys. With the
 * allocator of the command, the program ends instead. */
void cli_json_begin(void)
{
  json_set_alloc_funcs(allocate, free);
}

json_t *cli_json_real(double value)
{
  return isfinite(value) ? json_real(value) : json_null();
}

/* Returns TEXT as a string; if it is not UTF-8, bytes outside ASCII become question marks. */
json_t *cli_json_string(const char *text)
{
  json_t *string = json_string(text);
  if (string) return string;
  char *copy = cli_text("%s", text);
  for (char *c = copy; *c; c++)
    if ((unsigned char)*c >= 0x80) *c = '?';
  string = json_string(copy);
  free(copy);
  return string;
}

json_t *cli_json_reals(const double *value, int count)
{
  json_t *array = json_array();
  for (int i = 0; i < count; i++) json_array_append_new(array, cli_json_real(value[i]));
  return array;
}

void cli_json_merge(json_t *object, json_t *more)
{
  json_object_update(object, more);
  json_decref(more);
}

/* Prints the number at TEXT in its shortest form; a real keeps a point or an exponent. Returns its end. */
static const char *print_number(const char *text, FILE *out)
{
  size_t length = strspn(text, "+-.0123456789eE");
  bool whole = strcspn(text, ".eE") >= length;
  hn_digits digits = hn_exact(strtod(text, NULL));
  if (whole) fprintf(out, "%.*s", (int)length, text);
  else fprintf(out, "%s%s", digits.text, digits.text[strcspn(digits.text, ".e")] ? "" : ".0");
  return text + length;
}

/* Copies the string at TEXT, quotes included. Returns the end of the string. */
static const char *print_string(const char *text, FILE *out)
{
  const char *end = text + 1;
  while (*end != '"') end += *end == '\\' ? 2 : 1;
  fwrite(text, 1, (size_t)(end + 1 - text), out);
  return end + 1;
}

/* Copies the string at TEXT for an HTML page: "<", which may begin an end tag, is escaped. Returns its
 * end. */
static const char *print_embedded(const char *text, FILE *out)
{
  const char *end = text + 1;
  putc('"', out);
  for (; *end != '"'; end++)
    if (*end == '<') fputs("\\u003c", out);
    else if (putc(*end, out) == '\\') putc(*++end, out);
  putc('"', out);
  return end + 1;
}

typedef const char *print_text(const char *text, FILE *out);

/* Writes VALUE with short numbers and strings by PRINT. The text is complete before any of it is written. */
static void write_json(const json_t *value, size_t layout, print_text *print, FILE *out)
{
  char *text = value ? json_dumps(value, layout | JSON_REAL_PRECISION(17)) : NULL;
  if (!text) exit(cli_complain("cannot write JSON: a value in it cannot be written"));
  for (const char *c = text; *c;)
    if (*c == '"') c = print(c, out);
    else if (*c == '-' || (*c >= '0' && *c <= '9')) c = print_number(c, out);
    else putc(*c++, out);
  free(text);
}

char *cli_json_text(const json_t *value)
{
  char *text = NULL;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  if (out) write_json(value, JSON_INDENT(2), print_string, out);
  if (!out || fclose(out)) exit(cli_complain("out of memory"));
  return text;
}

void cli_json_print(json_t *value)
{
  write_json(value, JSON_INDENT(2), print_string, stdout);
  putchar('\n');
  json_decref(value);
}

void cli_json_embed(json_t *value, FILE *out)
{
  write_json(value, JSON_COMPACT, print_embedded, out);
  json_decref(value);
}
