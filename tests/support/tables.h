/* tables.h - files of comma-separated values, read by the names of their columns. */
#ifndef HN_TEST_TABLES_H
#define HN_TEST_TABLES_H

#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_COLUMNS = 200 };

/* A file of comma-separated values: names of the columns, and the fields of the present line. */
typedef struct table {
  FILE *file;
  char *head, *line, *name[MOST_COLUMNS], *field[MOST_COLUMNS];
  size_t head_room, line_room;
  int columns;
} table;

/* Splits TEXT at commas into FIELD, without quotation marks; returns the number of fields. */
static inline int split(char *text, char **field)
{
  int count = 0;
  text[strcspn(text, "\n")] = '\0';
  for (char *at = text; at; count++) {
    assert_true(count < MOST_COLUMNS);
    field[count] = at + (*at == '"');
    if ((at = strchr(at, ','))) *at++ = '\0';
    field[count][strcspn(field[count], "\"")] = '\0';
  }
  return count;
}

static inline table open_table(const char *file)
{
  table t = { .file = fopen(file, "r") };
  assert_non_null(t.file);
  assert_true(getline(&t.head, &t.head_room, t.file) > 0);
  t.columns = split(t.head, t.name);
  return t;
}

static inline bool next_line(table *t)
{
  if (getline(&t->line, &t->line_room, t->file) <= 0) return false;
  assert_int_equal(split(t->line, t->field), t->columns);
  return true;
}

static inline void close_table(table *t)
{
  fclose(t->file);
  free(t->head), free(t->line);
}

static inline const char *field(const table *t, const char *name)
{
  for (int i = 0; i < t->columns; i++)
    if (strcmp(t->name[i], name) == 0) return t->field[i];
  fail_msg("no column %s", name);
  return NULL;
}

/* Reads COUNT columns "BODY.PART" or, without a body, "PART", one for each letter of LETTERS. */
static inline void read_columns(const table *t, const char *start, const char *letters, double *value)
{
  for (int i = 0; letters[i]; i++) {
    char name[256];
    snprintf(name, sizeof name, "%s%c", start, letters[i]);
    value[i] = strtod(field(t, name), NULL);
  }
}

#endif
