/* text_table.c - tables of text: columns as wide as their widest cell, numbers aligned right.
 *
 * On a terminal that is too narrow, the text of the last column is broken into lines, optional columns are
 * left out, and a line names them. Files and pipes get all columns. */
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "cli/base/memory.h"
#include "cli/base/text_table.h"

struct cli_table {
  size_t columns, cells;
  char **title;   /* [columns] */
  bool *left;     /* [columns] */
  int *drop_rank; /* [columns] rank of an optional column, the smallest dropped first; 0: always shown */
  char **cell;    /* [cells], row by row */
};

cli_table *cli_table_create(const char *titles)
{
  cli_table *table = cli_alloc(1, sizeof *table);
  table->columns = 1;
  for (const char *c = titles; *c; c++) table->columns += *c == '|';
  table->title = cli_alloc(table->columns, sizeof *table->title);
  table->left = cli_alloc(table->columns, sizeof *table->left);
  table->drop_rank = cli_alloc(table->columns, sizeof *table->drop_rank);
  for (size_t i = 0; i < table->columns; i++) {
    const size_t length = strcspn(titles, "|"), text = strcspn(titles, "|~");
    table->left[i] = *titles == '<';
    table->drop_rank[i] = titles[text] == '~' ? atoi(titles + text + 1) : 0;
    table->title[i] = cli_text("%.*s", (int)(text - table->left[i]), titles + table->left[i]);
    titles += length + (titles[length] == '|');
  }
  return table;
}

void cli_table_free(cli_table *table)
{
  if (!table) return;
  for (size_t i = 0; i < table->columns; i++) free(table->title[i]);
  for (size_t i = 0; i < table->cells; i++) free(table->cell[i]);
  free(table->title);
  free(table->left);
  free(table->drop_rank);
  free(table->cell);
  free(table);
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

/* Returns the number of characters: bytes of UTF-8 that do not continue one. */
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

/* Returns BYTE, or a space for a control character: text of a scene must not control the terminal. */
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

/* ---- Width of the screen ------------------------------------------------------------------------------- */

enum { MIN_TEXT_WIDTH = 24 }; /* minimum width of a last column of text, characters */
static bool all_columns;

void cli_table_wide(void)
{
  all_columns = true;
}

/* Returns the characters in a line of OUT; 0: no limit. */
static size_t line_width(FILE *out)
{
  struct winsize size;
  const int fd = fileno(out);
  if (all_columns || fd < 0 || !isatty(fd) || ioctl(fd, TIOCGWINSZ, &size) != 0) return 0;
  return size.ws_col;
}

/* The layout of a table on a screen. */
typedef struct layout {
  size_t *width;        /* [columns] */
  bool *dropped_column; /* [columns] true if dropped */
  size_t last;          /* last column shown */
  bool any_dropped;
} layout;

/* Returns the characters of a row before its last visible column, which is stored in s->last. */
static size_t before_last(const cli_table *table, layout *s)
{
  size_t sum = 0, next = 0;
  for (size_t i = 0; i < table->columns; i++) {
    if (s->dropped_column[i]) continue;
    sum += next;
    next = s->width[i] + 2;
    s->last = i;
  }
  return sum;
}

/* Drops the optional column of the smallest rank. Returns false if none is left. */
static bool drop(const cli_table *table, layout *s)
{
  size_t next = table->columns;
  for (size_t i = 0; i < table->columns; i++)
    if (!s->dropped_column[i] && table->drop_rank[i] > 0 &&
        (next == table->columns || table->drop_rank[i] < table->drop_rank[next]))
      next = i;
  if (next == table->columns) return false;
  return s->dropped_column[next] = s->any_dropped = true;
}

/* Drops columns or breaks the last one until rows fit into AVAILABLE characters. */
static void fit(const cli_table *table, layout *s, size_t available)
{
  size_t before = before_last(table, s);
  for (; before + s->width[s->last] > available; before = before_last(table, s)) {
    const bool breaks = table->left[s->last] && before + MIN_TEXT_WIDTH <= available;
    if (!breaks && drop(table, s)) continue;
    if (breaks) s->width[s->last] = available - before;
    return;
  }
}

/* ---- Rows ---------------------------------------------------------------------------------------------- */

/* Returns the bytes of TEXT that fit into WIDTH characters, cut between words where possible. */
static size_t cut(const char *text, size_t width)
{
  size_t bytes = 0, shown = 0, space = 0;
  for (; text[bytes]; bytes++) {
    const bool begins = ((unsigned char)text[bytes] & 0xC0) != 0x80;
    if (begins && shown++ == width) return space > 0 ? space : bytes;
    if (text[bytes] == ' ') space = bytes;
  }
  return bytes;
}

/* Prints the last column; further lines are indented by INDENT. */
static void print_text(FILE *out, const char *text, size_t width, size_t indent)
{
  while (width_of(text) > width) {
    const size_t bytes = cut(text, width);
    for (size_t i = 0; i < bytes; i++) fputc(printable(text[i]), out);
    text += bytes + strspn(text + bytes, " ");
    fprintf(out, "\n%*s", (int)indent, "");
  }
  for (; *text; text++) fputc(printable(*text), out);
}

void cli_print_lines(const char *text, FILE *out)
{
  const size_t available = line_width(out);
  for (const char *end; *text; text = end) {
    end = text + strcspn(text, "\n");
    char *line = cli_text("%.*s", (int)(end - text), text);
    const size_t indent = strncmp(line, "- ", 2) == 0 ? 2 : 0; /* list item */
    if (available > indent) print_text(out, line, available - indent, indent);
    else fputs(line, out);
    free(line);
    if (*end) fputc(*end++, out);
  }
}

void cli_print_wrapped(FILE *out, const char *format, ...)
{
  va_list list;
  char *text = NULL;
  va_start(list, format);
  const int length = vasprintf(&text, format, list);
  va_end(list);
  if (length < 0) return;
  cli_print_lines(text, out);
  free(text);
}

static void print_row(const cli_table *table, char *const *cell, size_t count, const layout *s, FILE *out)
{
  size_t indent = 0;
  bool first = true;
  for (size_t i = 0; i < count; i++) {
    if (s->dropped_column[i]) continue;
    if (!first) fputs("  ", out), indent += 2;
    first = false;
    if (i == s->last && table->left[i]) print_text(out, cell[i], s->width[i], indent);
    else print_padded(out, cell[i], s->width[i], table->left[i], i + 1 == count || i == s->last);
    indent += s->width[i];
  }
  fputc('\n', out);
}

static void print_dropped(const cli_table *table, const layout *s, FILE *out)
{
  char *names = cli_text("%s", "");
  for (size_t i = 0; i < table->columns; i++)
    if (s->dropped_column[i]) cli_append(&names, "%s%s", *names ? "; " : "", table->title[i]);
  cli_print_wrapped(out, "(left out: %s. --wide shows all)\n", names);
  free(names);
}

void cli_table_print(cli_table *table, FILE *out)
{
  layout s = { .width = cli_alloc(table->columns, sizeof *s.width),
               .dropped_column = cli_alloc(table->columns, sizeof *s.dropped_column),
               .last = table->columns - 1 };
  const size_t available = line_width(out);
  bool headed = false;
  for (size_t i = 0; i < table->columns; i++) {
    s.width[i] = column_width(table, i);
    headed |= *table->title[i] != '\0';
  }
  if (available > 0) fit(table, &s, available);
  if (headed) print_row(table, table->title, table->columns, &s, out);
  for (size_t i = 0; i < table->cells; i += table->columns) {
    const size_t left = table->cells - i;
    print_row(table, table->cell + i, left < table->columns ? left : table->columns, &s, out);
  }
  if (s.any_dropped) print_dropped(table, &s, out);
  free(s.width);
  free(s.dropped_column);
  cli_table_free(table);
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

/* A code span has no escapes: it is fenced by more backticks than any run of them in TEXT. */
void cli_markdown_code(const char *text, FILE *out)
{
  size_t longest = 0;
  for (const char *c = strchr(text, '`'); c; c = strchr(c, '`')) {
    size_t length = strspn(c, "`");
    if (length > longest) longest = length;
    c += length;
  }
  fence(longest + 1, out);
  if (longest > 0 || !*text) fputc(' ', out); /* Markdown readers strip this space */
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

void cli_table_markdown(cli_table *table, FILE *out)
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
  cli_table_free(table);
}
