/* record_page.c - the page of a record: for each study its texts, and for each case a table whose rows have
 * a strip with the three errors. HTML without scripts. */
#include <math.h>
#include <string.h>
#include "cli/base/memory.h"
#include "cli/base/parse.h"
#include "cli/record_page/record_page.h"
#include "cli/record_page/record_strip.h"

/* The columns of the conclusions that the page shows (lua/holonom/contact_record.lua). */
enum {
  CASE,
  SOLVER,
  VALUE,
  EXACT,
  ERROR,
  SOLVER_ERROR,
  TIME_ERROR,
  MODEL_ERROR,
  UNCERTAINTY,
  ORDER,
  REMARK,
  COLUMNS
};
static const char *const names[COLUMNS] = { "case",        "solver",       "value",      "exact",
                                            "error",       "solver_error", "time_error", "model_error",
                                            "uncertainty", "order",        "remark" };

static const char style[] =
  "body{font:15px/1.5 system-ui,sans-serif;max-width:84rem;margin:2rem auto;padding:0 1rem;color:#1b1b1"
  "b;background:#fff}h1{font-size:1.7rem}h2{font-size:1.3rem;margin:2.6rem 0 .4rem;border-top:1px solid"
  " #ccc;padding-top:1.2rem}h3{font-size:1rem;margin:1.4rem 0 .3rem}p{max-width:52rem;margin:.4rem 0}di"
  "v.wide{overflow-x:auto}table{border-collapse:collapse;font-size:13px;font-variant-numeric:tabular-nu"
  "ms}th{text-align:right;font-weight:600;vertical-align:bottom}th:first-child,td:first-child,td.text,t"
  "h.text{text-align:left}td,th{padding:0 .7rem 0 0;text-align:right;white-space:nowrap}tr:nth-child(ev"
  "en) td{background:#f6f6f6}td.text{white-space:normal;max-width:44rem;line-height:1.25;color:#555}cod"
  "e{font-size:12px}td.spec{white-space:normal;overflow-wrap:anywhere;max-width:21rem;line-height:1.25}"
  "svg{display:block}svg line{stroke:#ddd}svg line.goal{stroke:#888;stroke-dasharray:2 2}svg text{font-"
  "size:10px;text-anchor:middle;fill:#666}.solver{fill:#0072b2}.time{fill:#e69f00}.model{fill:#c8371c;s"
  "troke:#c8371c}.model.hollow{fill:none}.legend svg{display:inline;vertical-align:-3px}";

static void put(const char *text, FILE *out)
{
  for (const char *c = text; *c; c++)
    if (*c == '<') fputs("&lt;", out);
    else if (*c == '>') fputs("&gt;", out);
    else if (*c == '&') fputs("&amp;", out);
    else if (*c == '"') fputs("&quot;", out);
    else putc(*c, out);
}

/* ---- Tables -------------------------------------------------------------------------------------------- */

static double number(const char *field)
{
  double value;
  return *field && cli_parse_number(field, &value) ? value : (double)NAN;
}

static void put_number(const char *format, const char *field, FILE *out)
{
  const double value = number(field);
  fputs("<td>", out);
  if (isfinite(value)) fprintf(out, format, value);
  else if (*field) put(field, out);
  else putc('-', out);
  fputs("</td>", out);
}

/* Writes the numbers of a row and its remark, or only the reason why it has no value. */
static void put_numbers(char *const *field, FILE *out)
{
  const bool failed = !*field[VALUE];
  if (!failed) put_number("%.8g", field[VALUE], out);
  for (int k = ERROR; k <= UNCERTAINTY && !failed; k++) put_number("%.1e", field[k], out);
  if (!failed) put_number("%.1f", field[ORDER], out);
  fprintf(out, "<td class=\"text\" colspan=\"%d\">", failed ? REMARK - VALUE : 1);
  put(field[REMARK], out);
  fputs("</td>", out);
}

static void put_row(char *const *field, FILE *out)
{
  fputs("<tr><td class=\"spec\"><code>", out);
  put(field[SOLVER], out);
  fputs("</code></td><td>", out);
  record_strip_write(number(field[SOLVER_ERROR]), number(field[TIME_ERROR]), number(field[MODEL_ERROR]),
                     number(field[UNCERTAINTY]), out);
  fputs("</td>", out);
  put_numbers(field, out);
  fputs("</tr>\n", out);
}

static void put_table_head(const char *title, const char *exact, FILE *out)
{
  fputs("<h3>", out);
  put(title, out);
  fputs(": closed form ", out);
  fprintf(out, "%.10g", number(exact));
  fputs("</h3>\n<div class=\"wide\"><table><tr><th class=\"text\">solver</th><th>", out);
  record_axis_write(out);
  fputs("</th><th>value</th><th>error</th><th>solver</th><th>time</th><th>model</th><th>&plusmn;</th>"
        "<th>order</th><th class=\"text\">remark</th></tr>\n",
        out);
}

/* Writes a table for each case; rows of one case follow each other. */
static void put_tables(const hn_study_table *table, FILE *out)
{
  const char *title = NULL;
  for (size_t i = 0; i < table->nrow; i++) {
    char *const *field = &table->field[i * table->ncolumn];
    const bool new = !title || strcmp(title, field[CASE]) != 0;
    if (new &&title) fputs("</table></div>\n", out);
    if (new) put_table_head(field[CASE], field[EXACT], out);
    title = field[CASE];
    put_row(field, out);
  }
  if (title) fputs("</table></div>\n", out);
}

/* True if the conclusions have the columns of the page. */
static bool has_columns(const hn_study_table *table)
{
  bool good = table->ncolumn == COLUMNS;
  for (size_t k = 0; k < COLUMNS && good; k++) good = strcmp(table->column[k], names[k]) == 0;
  return good;
}

/* ---- Texts --------------------------------------------------------------------------------------------- */

/* Writes a link to THREAD, an address or OWNER/NAME#NUMBER of GitHub. */
static void put_thread(const char *thread, FILE *out)
{
  const char *number = strchr(thread, '#');
  fputs("<a href=\"", out);
  if (strstr(thread, "://") || !number) put(thread, out);
  else fprintf(out, "https://github.com/%.*s/issues/%s", (int)(number - thread), thread, number + 1);
  fputs("\">", out);
  put(thread, out);
  fputs("</a>", out);
}

static void put_texts(const hn_study_page *page, const char *heading, FILE *out)
{
  fprintf(out, "<%s>", heading);
  put(page->title ? page->title : "", out);
  fprintf(out, "</%s>\n", heading);
  for (size_t i = 0; i < page->ntext; i++) {
    fputs("<p>", out);
    put(page->text[i], out);
    fputs("</p>\n", out);
  }
  for (size_t i = 0; i < page->nasked; i++) {
    fputs(i == 0 ? "<p>Asked in " : ", ", out);
    put_thread(page->asked[i], out);
  }
  if (page->nasked > 0) fputs(".</p>\n", out);
}

/* Writes MARK, a shape of SVG, and its meaning. */
static void put_mark(const char *mark, const char *meaning, FILE *out)
{
  fprintf(out, "<svg width=\"12\" height=\"14\">%s</svg> %s", mark, meaning);
}

static void put_legend(FILE *out)
{
  static const char square[] = "x=\"1\" y=\"2\" width=\"9\" height=\"9\"/>";
  char *model = cli_text("<rect class=\"model\" %s", square);
  char *hollow = cli_text("<rect class=\"model hollow\" %s", square);
  fputs("<p class=\"legend\">Errors: ", out);
  put_mark("<circle class=\"solver\" cx=\"6\" cy=\"7\" r=\"4.2\"/>", "solver, ", out);
  put_mark("<path class=\"time\" d=\"M6 2l5 9h-10z\"/>", "time, ", out);
  put_mark(model, "model, ", out);
  put_mark(hollow, "model within its uncertainty. The dashed line is 1e-9; 0 is on the left edge.</p>\n",
           out);
  free(model), free(hollow);
}

static void put_table_link(const char *name, const char *end, FILE *out)
{
  fprintf(out, "<a href=\"%s%s.csv\">%s%s.csv</a>", name, end, name, end);
}

static void put_part(const record_part *part, FILE *out)
{
  if (part->study && part->study->page.title) put_texts(&part->study->page, "h2", out);
  if (!part->study) {
    fputs("<h2>", out);
    put(part->name, out);
    fputs("</h2><p>Not run: the sweep was interrupted.</p>\n", out);
  } else if (has_columns(&part->table)) {
    put_tables(&part->table, out);
    fputs("<p>Tables: ", out);
    put_table_link(part->name, "", out);
    fputs(", and all runs, ", out);
    put_table_link(part->name, "_runs", out);
    fputs(".</p>\n", out);
  }
}

/* Writes the version of Holonom, and the summaries of the engines of STUDY that are installed. */
static void put_versions(const hn_study *study, FILE *out)
{
  hn_error ignored;
  fprintf(out, "<p>Holonom %s.", hn_version());
  for (size_t i = 0; study && i < study->nengine; i++) {
    const hn_solver_type *type = hn_solver_type_find(study->engine[i], NULL, &ignored);
    if (!type) continue; /* not installed, or a variant of one that has its own name in the list */
    fprintf(out, " <code>%s</code>: ", type->name);
    put(type->summary, out);
    putc('.', out);
  }
  fputs("</p>\n", out);
}

void record_page_write(const record_part *part, size_t count, const hn_study_page *head, const char *command,
                       FILE *out)
{
  const char *title = head && head->title         ? head->title
                      : count == 1 && part->study ? part->study->page.title
                                                  : NULL;
  fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
        "content=\"width=device-width\"><title>",
        out);
  put(title ? title : "Holonom", out);
  fprintf(out, "</title><style>%s</style></head><body>\n", style);
  if (head) put_texts(head, "h1", out);
  put_legend(out);
  for (size_t i = 0; i < count; i++) put_part(&part[i], out);
  fputs("<h2>Made by</h2><p><code>", out);
  put(command, out);
  fputs("</code></p>\n", out);
  put_versions(count > 0 ? part[0].study : NULL, out);
  fputs("</body></html>\n", out);
}
