/* params.c - parameter tables: conversion of text to data and back */
#include "base/params.h"
#include "base/locale.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PARAMS = 64 };

static const hn_param *find(const hn_param *table, const char *key, const char *owner, hn_error *error)
{
  const char *names[MAX_PARAMS];
  size_t count = 0;
  for (const hn_param *p = table; p->key && count < MAX_PARAMS; p++) {
    if (strcmp(p->key, key) == 0) return p;
    names[count++] = p->key;
  }
  const char *near = hn_nearest(key, names, count);
  hn_fail(error,
          near ? "%s has no parameter \"%s\"; did you mean \"%s\"?"
               : "%s has no parameter \"%s\"; see holonom list parameters %s",
          owner, key, near ? near : owner);
  return NULL;
}

static int read_number(const hn_param *p, const char *owner, const char *text, double *value, hn_error *error)
{
  char *end;
  *value = hn_number(text, &end);
  if (end == text || *end || !isfinite(*value) || (p->kind == HN_INTEGER && *value != floor(*value)))
    return hn_fail(error, "%s: %s must be a%s number, not \"%s\"", owner, p->key,
                   p->kind == HN_INTEGER ? " whole" : "", text);
  if (*value < p->min || *value > p->max)
    return hn_fail(error, "%s: %s = %s is outside %g to %g%s%s%s", owner, p->key, text, p->min, p->max,
                   *p->unit ? " (" : "", p->unit, *p->unit ? ")" : "");
  return 0;
}

/* Reads two whole numbers, "2:3". */
static int read_pair(const hn_param *p, const char *owner, const char *text, int value[2], hn_error *error)
{
  double number[2];
  char *end;
  number[0] = hn_number(text, &end);
  bool good = end != text && *end == ':';
  const char *second = end + 1;
  if (good) number[1] = hn_number(second, &end);
  if (!good || end == second || *end || number[0] != floor(number[0]) || number[1] != floor(number[1]))
    return hn_fail(error, "%s: %s must be two whole numbers, not \"%s\"", owner, p->key, text);
  for (int i = 0; i < 2; i++) {
    if (!(number[i] >= p->min && number[i] <= p->max))
      return hn_fail(error, "%s: %s = %s is outside %g to %g", owner, p->key, text, p->min, p->max);
    value[i] = (int)number[i];
  }
  return 0;
}

static int read_flag(const hn_param *p, const char *owner, const char *text, int *value, hn_error *error)
{
  *value = strcmp(text, "true") == 0 || strcmp(text, "1") == 0;
  if (*value || strcmp(text, "false") == 0 || strcmp(text, "0") == 0) return 0;
  return hn_fail(error, "%s: %s must be true or false, not \"%s\"", owner, p->key, text);
}

static int read_choice(const hn_param *p, const char *owner, const char *text, int *value, hn_error *error)
{
  const char *word = p->choices;
  for (int i = 0; word; i++) {
    size_t length = strcspn(word, ",");
    if (strlen(text) == length && strncmp(word, text, length) == 0) {
      *value = i;
      return 0;
    }
    word = word[length] ? word + length + 1 : NULL;
  }
  return hn_fail(error, "%s: %s must be one of %s, not \"%s\"", owner, p->key, p->choices, text);
}

static int read_text(const char *text, const char **value, hn_text **texts, hn_error *error)
{
  hn_text *kept = malloc(sizeof *kept + strlen(text) + 1);
  if (!kept) return hn_fail(error, "out of memory");
  strcpy(kept->value, text);
  kept->next = *texts;
  *texts = kept;
  *value = kept->value;
  return 0;
}

static int read_one(const hn_param *p, const char *owner, const char *text, void *data, hn_text **texts,
                    hn_error *error)
{
  char *place = (char *)data + p->offset;
  double number;
  switch (p->kind) {
  case HN_REAL: return read_number(p, owner, text, (double *)(void *)place, error);
  case HN_INTEGER:
    if (read_number(p, owner, text, &number, error)) return -1;
    *(int *)(void *)place = (int)number;
    return 0;
  case HN_FLAG: return read_flag(p, owner, text, (int *)(void *)place, error);
  case HN_CHOICE: return read_choice(p, owner, text, (int *)(void *)place, error);
  case HN_TEXT: return read_text(text, (const char **)(void *)place, texts, error);
  case HN_PAIR: return read_pair(p, owner, text, (int *)(void *)place, error);
  }
  return -1;
}

/* Sets a parameter to its default; a number without one becomes NaN, a pair zeros. */
static int read_initial(const hn_param *p, const char *owner, void *data, hn_text **texts, hn_error *error)
{
  char *place = (char *)data + p->offset;
  if (*p->initial || (p->kind != HN_REAL && p->kind != HN_PAIR))
    return read_one(p, owner, p->initial, data, texts, error);
  if (p->kind == HN_REAL) *(double *)(void *)place = NAN;
  else memset(place, 0, 2 * sizeof(int));
  return 0;
}

/* Reads one "key=value"; SEEN marks the parameters already given. */
static int read_setting(const hn_param *table, const char *owner, char *setting, bool *seen, void *data,
                        hn_text **texts, hn_error *error)
{
  char *equals = strchr(setting, '=');
  if (!equals) return hn_fail(error, "%s: \"%s\" is not of the form key=value", owner, setting);
  *equals = '\0';
  const hn_param *p = find(table, setting, owner, error);
  if (!p) return -1;
  if (seen[p - table]) return hn_fail(error, "%s: %s is given twice", owner, setting);
  seen[p - table] = true;
  return read_one(p, owner, equals + 1, data, texts, error);
}

int hn_params_read(const hn_param *table, const char *owner, const char *settings, void *data,
                   hn_text **texts, hn_error *error)
{
  for (const hn_param *p = table; p->key; p++)
    if (read_initial(p, owner, data, texts, error)) return -1;
  return hn_params_change(table, owner, settings, data, texts, error);
}

int hn_params_change(const hn_param *table, const char *owner, const char *settings, void *data,
                     hn_text **texts, hn_error *error)
{
  if (!settings || !*settings) return 0;
  char *copy = strdup(settings), *rest = copy;
  if (!copy) return hn_fail(error, "out of memory");
  bool seen[MAX_PARAMS] = { false };
  int status = 0;
  for (char *setting; status == 0 && (setting = strsep(&rest, ","));)
    status = read_setting(table, owner, setting, seen, data, texts, error);
  free(copy);
  return status;
}

void hn_texts_free(hn_text *texts)
{
  while (texts) {
    hn_text *next = texts->next;
    free(texts);
    texts = next;
  }
}

int hn_param_read(const hn_param *p, const char *owner, const char *text, void *data, hn_error *error)
{
  return read_one(p, owner, text, data, NULL, error);
}

hn_digits hn_exact(double number)
{
  hn_digits digits;
  for (int precision = 15; precision <= 17; precision++) {
    hn_print(digits.text, sizeof digits.text, "%.*g", precision, number);
    if (hn_number(digits.text, NULL) == number) break;
  }
  return digits;
}

static void write_choice(FILE *out, const char *choices, int index)
{
  const char *word = choices;
  for (int i = 0; i < index; i++) word = strchr(word, ',') + 1;
  fprintf(out, "%.*s", (int)strcspn(word, ","), word);
}

static void write_one(FILE *out, const hn_param *p, const void *data)
{
  const char *place = (const char *)data + p->offset;
  bool is_whole = p->kind == HN_INTEGER || p->kind == HN_FLAG || p->kind == HN_CHOICE;
  const int *pair = (const int *)(const void *)place;
  int whole = is_whole ? *pair : 0;
  switch (p->kind) {
  case HN_REAL: fputs(hn_exact(*(const double *)(const void *)place).text, out); break;
  case HN_INTEGER: fprintf(out, "%d", whole); break;
  case HN_FLAG: fputs(whole ? "true" : "false", out); break;
  case HN_CHOICE: write_choice(out, p->choices, whole); break;
  case HN_TEXT: fputs(*(const char *const *)(const void *)place, out); break;
  case HN_PAIR: fprintf(out, "%d:%d", pair[0], pair[1]); break;
  }
}

void hn_param_write(const hn_param *p, const void *data, FILE *out)
{
  write_one(out, p, data);
}

char *hn_params_write(const hn_param *table, const char *owner, const void *data)
{
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  if (!out) return NULL;
  fputs(owner, out);
  for (const hn_param *p = table; p->key; p++) {
    fprintf(out, "%c%s=", p == table ? ':' : ',', p->key);
    write_one(out, p, data);
  }
  return fclose(out) ? (free(text), NULL) : text;
}
