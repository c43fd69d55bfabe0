/* json.c - JSON as every command writes it: numbers carry 17 digits, and what is not finite is null. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include "cli/base/complain.h"
#include "cli/base/json.h"
#include "cli/base/memory.h"

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

/* Whole or not at all: made in memory first. */
void cli_json_print(json_t *value)
{
  char *text = value ? json_dumps(value, JSON_INDENT(2) | JSON_REAL_PRECISION(17)) : NULL;
  if (!text) exit(cli_complain("cannot write JSON: a value in it cannot be written"));
  puts(text);
  free(text);
  json_decref(value);
}
