/* table.c - tables of text: columns as wide as their widest cell, numbers aligned right. */
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>
#include "cli/base/memory.h"
#include "cli/base/table.h"

struct cli_table {
  size_t columns, cells;
  char **title;               /* [columns] */
  bool *left;                 /* [columns] */
  char **cell;                /* [cells], row by row */
};

cli_table *cli_table_create(const char *titles)
{
  cli_table *table = cli_alloc(1, sizeof *table);
  table->columns = 1;
  for (const char *c = titles; *c; c++) table->columns += *c == '|';
  table->title = cli_alloc(table->columns, sizeof *table->title);
  table->left = cli_alloc(table->columns, sizeof *table->left);
  for (size_t i = 0; i < table->columns; i++) {
    size_t length = strcspn(titles, "|");
    table->left[i] = *titles == '<';
    table->title[i] = cli_text("%.*s", (int)(length - table->left[i]), titles + table->left[i]);
    titles += length + (titles[length] == '|');
  }
  return table;
}

void cli_cell(cli_table *table, const char *format, ...)
{
  va_list list;
  va_start(list, format);
  char *text = NULL;
  if (vasprintf(&text, format, list) < 0) text = NULL;
  va_end(list);
  table->cell = cli_grow(table->cell, table->cells + 1, sizeof *table->cell);
  table->cell[table->cells++] = text ? text : cli_text("%s", "");
}

void cli_cell_real(cli_table *table, const char *format, double value)
{
  char text[64];
  const char *shown = "-";
  if (isfinite(value)) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    snprintf(text, sizeof text, format, value);
#pragma GCC diagnostic pop
    shown = text;
  }
  cli_cell(table, "%s", shown);
}

/* Characters on the screen: bytes of UTF-8 that do not continue one. */
static size_t width_of(const char *text)
{
  size_t width = 0;
  for (; *text; text++) width += ((unsigned char)*text & 0xC0) != 0x80;
  return width;
}

static size_t column_width(const cli_table *table, size_t column)
{
  size_t width = width_of(table->title[column]);
  for (size_t i = column; i < table->cells; i += table->columns) {
    size_t cell = width_of(table->cell[i]);
    if (cell > width) width = cell;
  }
  return width;
}

/* What a scene says may not reach a terminal as a command to it. */
static int printable(char byte)
{
  return (unsigned char)byte < ' ' || byte == 0x7F ? ' ' : byte;
}

static void print_padded(FILE *out, const char *text, size_t width, bool left, bool last)
{
  int pad = (int)(width - width_of(text));
  if (!left) fprintf(out, "%*s", pad, "");
  for (const char *c = text; *c; c++) fputc(printable(*c), out);
  if (left && !last) fprintf(out, "%*s", pad, "");
}

static void print_row(const cli_table *table, char *const *cell, size_t count, const size_t *width, FILE *out)
{
  for (size_t i = 0; i < count; i++) {
    if (i > 0) fputs("  ", out);
    print_padded(out, cell[i], width[i], table->left[i], i + 1 == count);
  }
  fputc('\n', out);
}

void cli_table_print(const cli_table *table, FILE *out)
{
  size_t *width = cli_alloc(table->columns, sizeof *width);
  bool headed = false;
  for (size_t i = 0; i < table->columns; i++) {
    width[i] = column_width(table, i);
    headed |= *table->title[i] != '\0';
  }
  if (headed) print_row(table, table->title, table->columns, width, out);
  for (size_t i = 0; i < table->cells; i += table->columns) {
    size_t left = table->cells - i;
    print_row(table, table->cell + i, left < table->columns ? left : table->columns, width, out);
  }
  free(width);
}

void cli_markdown_text(const char *text, FILE *out)
{
  for (; *text; text++) {
    if (strchr("\\`|*<", *text)) fputc('\\', out);
    fputc(printable(*text), out);
  }
}

static void fence(size_t length, FILE *out)
{
  for (size_t i = 0; i < length; i++) fputc('`', out);
}

/* Inside a code span nothing can be escaped: it is fenced by more backticks than follow each other in it. */
void cli_markdown_code(const char *text, FILE *out)
{
  size_t longest = 0;
  for (const char *c = strchr(text, '`'); c; c = strchr(c, '`')) {
    size_t length = strspn(c, "`");
    if (length > longest) longest = length;
    c += length;
  }
  fence(longest + 1, out);
  if (longest > 0 || !*text) fputc(' ', out); /* taken off again by the reader */
  for (; *text; text++) fputc(printable(*text), out);
  if (longest > 0) fputc(' ', out);
  fence(longest + 1, out);
}

static void markdown_cell(const char *text, FILE *out)
{
  fputc(' ', out);
  cli_markdown_text(text, out);
  fputs(" |", out);
}

void cli_table_markdown(const cli_table *table, FILE *out)
{
  fputc('|', out);
  for (size_t i = 0; i < table->columns; i++) markdown_cell(table->title[i], out);
  fputs("\n|", out);
  for (size_t i = 0; i < table->columns; i++) fputs(table->left[i] ? ":--|" : "--:|", out);
  for (size_t i = 0; i < table->cells; i++) {
    if (i % table->columns == 0) fputs("\n|", out);
    markdown_cell(table->cell[i], out);
  }
  fputc('\n', out);
}

void cli_table_free(cli_table *table)
{
  if (!table) return;
  for (size_t i = 0; i < table->columns; i++) free(table->title[i]);
  for (size_t i = 0; i < table->cells; i++) free(table->cell[i]);
  free(table->title);
  free(table->left);
  free(table->cell);
  free(table);
}
