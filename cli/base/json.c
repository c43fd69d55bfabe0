/* json.c - JSON as every command writes it: numbers carry 17 digits, and what is not finite is null. */
#include <math.h>
#include <stdio.h>
#include "cli/base/complain.h"
#include "cli/base/json.h"
#include "cli/base/memory.h"

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

void cli_json_print(json_t *value)
{
  if (!value || json_dumpf(value, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(17)) < 0)
    exit(cli_complain("cannot write JSON: out of memory or standard output closed"));
  putchar('\n');
  json_decref(value);
}
