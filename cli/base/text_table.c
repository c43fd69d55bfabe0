/* text_table.c - tables of text: columns as wide as their widest cell, numbers aligned right.
 *
 * Columns of a second table are printed below the others, without rows that have no value there, unless a
 * terminal has room for all. On a terminal that is too narrow even so, the text of the last column is broken
 * into lines, optional columns are left out, and a line names them. Files and pipes get all columns. */
#include <math.h>
#include <stdbool.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "cli/base/memory.h"
#include "cli/base/text_table.h"

struct cli_table {
  size_t columns, cells;
  char **title;   /* [columns] */
  char **brief;   /* [columns] title in the second table */
  bool *left;     /* [columns] */
  bool *second;   /* [columns] true if in the second table */
  int *drop_rank; /* [columns] rank of an optional column, the smallest dropped first; 0: always shown */
  char **cell;    /* [cells], row by row */
};

/* Reads the title of column I. Returns the rest of TITLES. */
static const char *read_title(cli_table *table, size_t i, const char *titles)
{
  table->left[i] = *titles == '<', titles += table->left[i];
  table->second[i] = *titles == '>', titles += table->second[i];
  const size_t length = strcspn(titles, ">~|"), brief = titles[length] == '>' ? length + 1 : 0,
               end = strcspn(titles + brief, "~|") + brief;
  table->title[i] = cli_text("%.*s", (int)length, titles);
  table->brief[i] = cli_text("%.*s", (int)(end - brief), titles + brief);
  table->drop_rank[i] = titles[end] == '~' ? atoi(titles + end + 1) : 0;
  titles += strcspn(titles, "|");
  return titles + (*titles == '|');
}

cli_table *cli_table_create(const char *titles)
{
  cli_table *table = cli_alloc(1, sizeof *table);
  table->columns = 1;
  for (const char *c = titles; *c; c++) table->columns += *c == '|';
  table->title = cli_alloc(table->columns, sizeof *table->title);
  table->brief = cli_alloc(table->columns, sizeof *table->brief);
  table->left = cli_alloc(table->columns, sizeof *table->left);
  table->second = cli_alloc(table->columns, sizeof *table->second);
  table->drop_rank = cli_alloc(table->columns, sizeof *table->drop_rank);
  for (size_t i = 0; i < table->columns; i++) titles = read_title(table, i, titles);
  return table;
}

void cli_table_free(cli_table *table)
{
  if (!table) return;
  for (size_t i = 0; i < table->columns; i++) free(table->title[i]), free(table->brief[i]);
  for (size_t i = 0; i < table->cells; i++) free(table->cell[i]);
  free(table->title);
  free(table->brief);
  free(table->left);
  free(table->second);
  free(table->drop_rank);
  free(table->cell);
  free(table);
}

void cli_cell(cli_table *table, const char *format, ...)
{
  va_list list;
  va_start(list, format);
  table->cell = cli_grow(table->cell, table->cells + 1, sizeof *table->cell);
  table->cell[table->cells++] = cli_text_list(format, list);
  va_end(list);
}

void cli_cell_real(cli_table *table, const char *format, double value)
{
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  isfinite(value) ? cli_cell(table, format, value) : cli_cell(table, "-");
#pragma GCC diagnostic pop
}

/* Returns the number of characters: bytes of UTF-8 that do not continue one. */
static size_t width_of(const char *text)
{
  size_t width = 0;
  for (; *text; text++) width += ((unsigned char)*text & 0xC0) != 0x80;
  return width;
}

static size_t column_width(const cli_table *table, char *const *title, size_t column)
{
  size_t width = width_of(title[column]);
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
  char *const *title;   /* [columns] */
  size_t *width;        /* [columns] */
  bool *hidden;         /* [columns] true if in the other table, or dropped */
  bool *dropped_column; /* [columns] true if dropped */
  size_t last;          /* last column shown */
  bool any_dropped;
} layout;

/* Returns the characters of a row before its last visible column, which is stored in s->last. */
static size_t before_last(const cli_table *table, layout *s)
{
  size_t sum = 0, next = 0;
  for (size_t i = 0; i < table->columns; i++) {
    if (s->hidden[i]) continue;
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
    if (!s->hidden[i] && table->drop_rank[i] > 0 &&
        (next == table->columns || table->drop_rank[i] < table->drop_rank[next]))
      next = i;
  if (next == table->columns) return false;
  return s->hidden[next] = s->dropped_column[next] = s->any_dropped = true;
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
  va_start(list, format);
  char *text = cli_text_list(format, list);
  va_end(list);
  cli_print_lines(text, out);
  free(text);
}

static void print_row(const cli_table *table, char *const *cell, size_t count, const layout *s, FILE *out)
{
  size_t indent = 0;
  bool first = true;
  for (size_t i = 0; i < count; i++) {
    if (s->hidden[i]) continue;
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

/* True if the row that begins at cell I has no value in the columns shown, apart from the first. */
static bool is_empty(const cli_table *table, size_t i, const layout *s)
{
  for (size_t k = 1; k < table->columns && i + k < table->cells; k++)
    if (!s->hidden[k] && strcmp(table->cell[i + k], "-") != 0) return false;
  return true;
}

static void print_rows(const cli_table *table, const layout *s, FILE *out)
{
  bool headed = false;
  for (size_t i = 0; i < table->columns; i++) headed |= *s->title[i] != '\0';
  if (headed) print_row(table, s->title, table->columns, s, out);
  for (size_t i = 0; i < table->cells; i += table->columns) {
    const size_t left = table->cells - i;
    if (s->title == table->brief && is_empty(table, i, s)) continue;
    print_row(table, table->cell + i, left < table->columns ? left : table->columns, s, out);
  }
  if (s->any_dropped) print_dropped(table, s, out);
}

/* Prints the first column and the others of the SECOND table or of the first; BOTH: all columns. */
static void print_part(const cli_table *table, bool both, bool second, FILE *out)
{
  layout s = { .title = second ? table->brief : table->title,
               .width = cli_alloc(table->columns, sizeof *s.width),
               .hidden = cli_alloc(table->columns, sizeof *s.hidden),
               .dropped_column = cli_alloc(table->columns, sizeof *s.dropped_column) };
  const size_t available = line_width(out);
  for (size_t i = 0; i < table->columns; i++) {
    s.hidden[i] = i > 0 && !both && table->second[i] != second;
    s.width[i] = column_width(table, s.title, i);
  }
  before_last(table, &s);
  if (available > 0) fit(table, &s, available);
  print_rows(table, &s, out);
  free(s.width);
  free(s.hidden);
  free(s.dropped_column);
}

/* Returns the characters of a row with all columns. */
static size_t full_width(const cli_table *table)
{
  size_t width = 0;
  for (size_t i = 0; i < table->columns; i++) width += column_width(table, table->title, i) + (i > 0 ? 2 : 0);
  return width;
}

void cli_table_print(cli_table *table, FILE *out)
{
  bool parted = false;
  for (size_t i = 0; i < table->columns; i++) parted |= table->second[i] && table->cells > 0;
  if (all_columns || full_width(table) <= line_width(out)) parted = false;
  print_part(table, !parted, false, out);
  if (parted) fputc('\n', out), print_part(table, false, true, out);
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
