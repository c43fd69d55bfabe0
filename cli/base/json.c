/* json.c - JSON as every command writes it: numbers carry the digits that read back to the same bits and no more, and
 * what is not finite is null. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cli/base/complain.h"
#include "cli/base/json.h"
#include "cli/base/memory.h"
#include "holonom.h"

static void *take(size_t size)
{
  return cli_alloc(1, size);
}

/* Jansson leaves out what it has no memory for, and goes on: a value without some of its keys would be taken for a
 * result. So its memory is that of the command, which is there or ends it. */
void cli_json_begin(void)
{
  json_set_alloc_funcs(take, free);
}

json_t *cli_json_real(double value)
{
  return isfinite(value) ? json_real(value) : json_null();
}

/* Bytes that are not UTF-8 become question marks, so that the output stays JSON. */
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

/* One number of TEXT, by the shortest of its spellings; one past its end. A real keeps a point or an exponent. */
static const char *print_number(const char *text, FILE *out)
{
  size_t length = strspn(text, "+-.0123456789eE");
  bool whole = strcspn(text, ".eE") >= length;
  hn_digits digits = hn_exact(strtod(text, NULL));
  if (whole) fprintf(out, "%.*s", (int)length, text);
  else fprintf(out, "%s%s", digits.text, digits.text[strcspn(digits.text, ".e")] ? "" : ".0");
  return text + length;
}

/* A string of TEXT, from quote to quote; one past its end. */
static const char *print_string(const char *text, FILE *out)
{
  const char *end = text + 1;
  while (*end != '"') end += *end == '\\' ? 2 : 1;
  fwrite(text, 1, (size_t)(end + 1 - text), out);
  return end + 1;
}

/* The same for a page of HTML: "<" could begin the end of the element it stands in. */
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

/* Whole or not at all: made in memory first. */
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
