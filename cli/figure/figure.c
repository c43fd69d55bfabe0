/* figure.c - joins the rows of a table to curves, and lays out axes, margins and names. */
#include <float.h>
#include <math.h>
#include <string.h>
#include "cli/base/memory.h"
#include "cli/base/parse.h"
#include "cli/figure/figure.h"
#include "cli/figure/figure_title.h"
#include "elementary.h"

static const double min_ratio = 20.0;     /* of the ends of a logarithmic axis */
static const double min_even_ratio = 3.0; /* the same, if its points are evenly spaced in ratios */
static const double max_name_part = 0.36; /* of the width: longer names are put in a legend below */
static const double axis_margin = 0.05;   /* space beyond the data, of the axis */
enum { PASSES = 500 };                    /* iterations that spread the names of curves */

/* ---- Rows and curves ----------------------------------------------------------------------------------- */

/* Columns of the axes, of --by and of --where. */
typedef struct choice {
  const figure_data *data;
  int x, y[8], by[8], where[16];
  size_t ny, nby, nwhere;
  const cli_options *options;
} choice;

/* Reads "a,b" of OPTION into at most 8 columns. */
static int read_columns(const choice *c, const char *option, const char *text, int *column, size_t *count,
                        hn_error *error)
{
  char **name = cli_split(text);
  int status = 0;
  for (size_t i = 0; status == 0 && name[i]; i++) {
    if (*count == sizeof c->by / sizeof *c->by)
      status = hn_fail(error, "%s %s: too many columns", option, text);
    else if ((column[(*count)++] = figure_column(c->data, name[i], error)) < 0) status = -1;
  }
  cli_strings_free(name);
  return status;
}

static int read_choice(choice *c, hn_error *error)
{
  const cli_options *o = c->options;
  c->x = figure_column(c->data, o->x ? o->x : "step", error);
  if (c->x < 0 || read_columns(c, "--y", o->y ? o->y : "error", c->y, &c->ny, error)) return -1;
  const char *default_by = figure_column(c->data, "solver", NULL) >= 0 ? "solver"
                           : c->data->ntable > 1                       ? "table"
                                                                       : NULL;
  const char *by = o->by ? o->by : default_by;
  if (by && read_columns(c, "--by", by, c->by, &c->nby, error)) return -1;
  if (o->nwhere > sizeof c->where / sizeof *c->where) return hn_fail(error, "--where is given too often");
  for (; c->nwhere < o->nwhere; c->nwhere++)
    if ((c->where[c->nwhere] = figure_column(c->data, o->where[c->nwhere].name, error)) < 0) return -1;
  return 0;
}

static bool is_chosen(const choice *c, size_t row)
{
  for (size_t i = 0; i < c->nwhere; i++)
    if (!figure_agrees(figure_field(c->data, row, c->where[i]), c->options->where[i].value)) return false;
  return true;
}

/* Returns the name of the curve of ROW, to be freed: column Y if there are several, then values of --by. */
static char *name_of(const choice *c, size_t row, int y)
{
  char *name = cli_text("%s%s", c->ny > 1 ? c->data->column[y] : "", c->ny > 1 && c->nby > 0 ? ", " : "");
  for (char *at = name; (at = strchr(at, '_'));) *at = ' ';
  for (size_t i = 0; i < c->nby; i++) {
    const char *field = figure_field(c->data, row, c->by[i]), *column = c->data->column[c->by[i]];
    double number;
    const bool bare = c->nby == 1 && !cli_parse_number(field, &number);
    cli_append(&name, "%s", i ? ", " : "");
    if (!bare && strcmp(column, "solver") != 0) cli_append(&name, "%s = ", column);
    cli_append(&name, "%s", field);
  }
  return name;
}

/* Adds a point to the curve NAME, in the order of x. */
static int add_point(figure *f, char *name, double x, double y, hn_error *error)
{
  size_t k = 0;
  while (k < f->ncurve && strcmp(f->curve[k].name, name) != 0) k++;
  if (k == f->ncurve) {
    if (k == FIGURE_MAX_CURVES)
      return hn_fail(error, "more than %zu curves; choose some of them with --where", k);
    f->curve = cli_grow(f->curve, ++f->ncurve, sizeof *f->curve);
    f->curve[k] = (figure_curve){ .name = cli_text("%s", name) };
    f->curve[k].shown = f->curve[k].name;
  }
  figure_curve *curve = &f->curve[k];
  size_t at = curve->count++;
  curve->x = cli_grow(curve->x, curve->count, sizeof *curve->x);
  curve->y = cli_grow(curve->y, curve->count, sizeof *curve->y);
  for (; at > 0 && curve->x[at - 1] > x; at--)
    curve->x[at] = curve->x[at - 1], curve->y[at] = curve->y[at - 1];
  curve->x[at] = x, curve->y[at] = y;
  return 0;
}

/* Returns a column before the results whose values differ and that is not used, or NULL. */
static const char *find_unused(const choice *c)
{
  static const char *const results[] = { "duration", "reason" };
  for (int k = 0; k < (int)c->data->ncolumn; k++) {
    bool used = k == c->x;
    for (size_t i = 0; i < c->ny; i++) used = used || k == c->y[i];
    for (size_t i = 0; i < c->nby; i++) used = used || k == c->by[i];
    for (size_t i = 0; i < c->nwhere; i++) used = used || k == c->where[i];
    for (size_t i = 0; i < 2; i++)
      if (strcmp(c->data->column[k], results[i]) == 0) return NULL;
    for (size_t row = 1; row < c->data->nrow && !used; row++)
      if (strcmp(figure_field(c->data, row, k), figure_field(c->data, 0, k)) != 0) return c->data->column[k];
  }
  return NULL;
}

/* Checks that there are curves, and that each has one value at each x. */
static int check_curves(const figure *f, const choice *c, hn_error *error)
{
  if (f->ncurve == 0)
    return hn_fail(error, "nothing to draw: no row%s has numbers in %s and %s",
                   c->nwhere ? " that is asked for" : "", c->data->column[c->x],
                   c->options->y ? c->options->y : "error");
  for (size_t k = 0; k < f->ncurve; k++)
    for (size_t i = 1; i < f->curve[k].count; i++) {
      if (f->curve[k].x[i] > f->curve[k].x[i - 1]) continue;
      const char *other = find_unused(c);
      return hn_fail(error, "%s: several rows at %s = %s%s%s", f->curve[k].name, c->data->column[c->x],
                     hn_exact(f->curve[k].x[i]).text, other ? "; tell them apart with --by or --where: " : "",
                     other ? other : "");
    }
  return 0;
}

static int join_rows(figure *f, const choice *c, hn_error *error)
{
  int status = 0;
  for (size_t row = 0; row < c->data->nrow && status == 0; row++) {
    double x, y;
    if (!is_chosen(c, row) || !cli_parse_number(figure_field(c->data, row, c->x), &x)) continue;
    for (size_t i = 0; i < c->ny && status == 0; i++) {
      if (!cli_parse_number(figure_field(c->data, row, c->y[i]), &y)) continue;
      char *name = name_of(c, row, c->y[i]);
      status = add_point(f, name, x, y, error);
      free(name);
    }
  }
  return status == 0 ? check_curves(f, c, error) : -1;
}

/* ---- Axes ---------------------------------------------------------------------------------------------- */

double figure_place(const figure_axis *axis, double x)
{
  if (axis->logarithmic) return hn_log(x / axis->low) / hn_log(axis->high / axis->low);
  return (x - axis->low) / (axis->high - axis->low);
}

/* True if the points of a curve are spaced more evenly by ratios than by differences, as halved steps are. */
static bool in_ratios(const figure_curve *c)
{
  double step[2] = { DBL_MAX, 0.0 }, ratio[2] = { DBL_MAX, 0.0 }; /* smallest and largest */
  for (size_t i = 1; i < c->count; i++) {
    const double d = c->x[i] - c->x[i - 1], r = hn_log(c->x[i] / c->x[i - 1]);
    step[0] = fmin(step[0], d), step[1] = fmax(step[1], d);
    ratio[0] = fmin(ratio[0], r), ratio[1] = fmax(ratio[1], r);
  }
  return c->count > 2 && step[0] > 0.0 && ratio[1] * step[0] < ratio[0] * step[1];
}

static bool all_in_ratios(const figure *f)
{
  size_t k = 0;
  while (k < f->ncurve && in_ratios(&f->curve[k])) k++;
  return f->ncurve > 0 && k == f->ncurve;
}

/* Chooses the scale and the range of an axis. */
static void fit_axis(figure_axis *axis, const figure *f, bool vertical)
{
  double low = DBL_MAX, high = -DBL_MAX, smallest = DBL_MAX;
  for (size_t k = 0; k < f->ncurve; k++)
    for (size_t i = 0; i < f->curve[k].count; i++) {
      const double x = vertical ? f->curve[k].y[i] : f->curve[k].x[i];
      low = fmin(low, x), high = fmax(high, x);
      if (x > 0.0) smallest = fmin(smallest, x);
    }
  const bool positive = vertical ? low >= 0.0 && smallest < DBL_MAX
                                 : low > 0.0; /* errors of zero are dropped */
  const bool spread = high / smallest >= min_ratio ||
                      (!vertical && high / smallest >= min_even_ratio && all_in_ratios(f));
  axis->logarithmic = !axis->time && positive && spread;
  if (axis->logarithmic) {
    const double margin = hn_pow(high / smallest, axis_margin);
    axis->low = smallest / margin, axis->high = high * margin;
  } else {
    const double margin = high > low ? axis_margin * (high - low) : fmax(0.5 * fabs(low), 0.5);
    axis->low = low - margin, axis->high = high + margin;
  }
}

/* Drops points that a logarithmic axis cannot show, and curves without points. */
static void drop_zeros(figure *f)
{
  size_t curves = 0;
  for (size_t k = 0; k < f->ncurve; k++) {
    figure_curve c = f->curve[k];
    size_t kept = 0;
    for (size_t i = 0; i < c.count; i++) {
      if ((f->x.logarithmic && c.x[i] <= 0.0) || (f->y.logarithmic && c.y[i] <= 0.0)) continue;
      c.x[kept] = c.x[i], c.y[kept++] = c.y[i];
    }
    c.count = kept;
    if (kept > 0) f->curve[curves++] = c;
    else free(c.name), free(c.x), free(c.y);
  }
  f->ncurve = curves;
}

/* ---- Margins ------------------------------------------------------------------------------------------- */

/* Returns the approximate width of TEXT in Helvetica, mm: narrow letters, wide letters, and all others. */
static double width_of(const char *text)
{
  double sum = 0.0;
  for (; *text; text++) {
    if (((unsigned char)*text & 0xC0) == 0x80) continue; /* continues a letter already counted */
    sum += strchr("ijlfrtI.,:;'|()[]/!-", *text) ? 0.33
           : strchr("mwMW@%", *text)             ? 0.87
           : *text < 'a'                         ? 0.64
                                                 : 0.556;
  }
  return sum * FIGURE_LETTERS * FIGURE_POINT;
}

/* Sets the margins: names beside the axes, or in a legend below them, which makes the figure higher. Powers
 * of ten at an axis have a known width; other numbers may be longer. Gnuplot leaves out a title below the
 * axis for which 3.2 lines are too few. */
static void lay_out(figure *f, double height)
{
  double widest = 0.0;
  for (size_t k = 0; k < f->ncurve; k++) widest = fmax(widest, width_of(f->curve[k].shown));
  f->left = (f->y.logarithmic ? 4.6 : 5.4) * FIGURE_LINE, f->right = 1.05 * widest + 0.045 * f->width;
  f->below = 4.0 * FIGURE_LINE, f->above = 0.6 * FIGURE_LINE;
  if (f->right > max_name_part * f->width) {
    const int margin = (int)(f->width / (widest + 3.0 * FIGURE_LINE));
    f->columns = margin < 1 ? 1 : margin;
    f->right = 0.03 * f->width;
    f->below += ((int)((f->ncurve - 1) / (size_t)f->columns) + 1.5) * FIGURE_LINE;
  }
  f->height = height > 0.0 ? height : f->width * 0.6 + f->below;
}

/* ---- Names at the ends of the curves ------------------------------------------------------------------- */

static int by_height(const void *left, const void *right)
{
  const figure_curve *const *a = left, *const *b = right;
  return ((*a)->at > (*b)->at) - ((*a)->at < (*b)->at);
}

/* Places the names at the heights of the ends of their curves, at least a line apart and within the axis:
 * overlapping groups are spread about their mean. */
static void place_names(figure *f)
{
  const double line = FIGURE_LINE / (f->height - f->below - f->above);
  figure_curve *sorted[FIGURE_MAX_CURVES];
  size_t n = 0;
  for (size_t k = 0; k < f->ncurve; k++) {
    figure_curve *c = &f->curve[k];
    c->at = c->label = figure_place(&f->y, c->y[c->count - 1]);
    sorted[n++] = c;
  }
  qsort(sorted, n, sizeof *sorted, by_height);
  for (int pass = 0; pass < PASSES && n > 0; pass++) {
    sorted[0]->label = fmax(sorted[0]->label, 0.0), sorted[n - 1]->label = fmin(sorted[n - 1]->label, 1.0);
    for (size_t i = 1; i < n; i++) {
      const double lack = line - (sorted[i]->label - sorted[i - 1]->label);
      if (lack > 0.0) sorted[i]->label += 0.5 * lack, sorted[i - 1]->label -= 0.5 * lack;
    }
  }
}

/* ---- The figure ---------------------------------------------------------------------------------------- */

/* Sets the labels of curves that OPTIONS give. */
static int rename_curves(figure *f, const cli_options *options, hn_error *error)
{
  const char *name[FIGURE_MAX_CURVES];
  for (size_t k = 0; k < f->ncurve; k++) name[k] = f->curve[k].name;
  for (size_t i = 0; i < options->nshown; i++) {
    const hn_setting *shown = &options->shown[i];
    const int k = cli_find(shown->name, name, f->ncurve, error, "--name: there is no curve \"%.60s\"",
                           shown->name);
    if (k < 0) return -1;
    f->curve[k].shown = shown->value;
  }
  return 0;
}

int figure_finish(figure *f, const cli_options *options, hn_error *error)
{
  f->width = options->width > 0.0 ? options->width : 120.0;
  if (rename_curves(f, options, error)) return -1;
  drop_zeros(f);
  lay_out(f, options->height);
  place_names(f);
  return 0;
}

int figure_make(figure *f, const figure_data *data, const cli_options *options, hn_error *error)
{
  choice c = { .data = data, .options = options };
  *f = (figure){ .ncurve = 0 };
  if (read_choice(&c, error) || join_rows(f, &c, error)) return -1;
  f->x.title = figure_title(data, &c.x, 1), f->y.title = figure_title(data, c.y, c.ny);
  f->x.time = strcmp(data->column[c.x], "time") == 0, f->x.step = strcmp(data->column[c.x], "step") == 0;
  fit_axis(&f->x, f, false), fit_axis(&f->y, f, true);
  return figure_finish(f, options, error);
}

void figure_free(figure *f)
{
  for (size_t k = 0; k < f->ncurve; k++) free(f->curve[k].name), free(f->curve[k].x), free(f->curve[k].y);
  free(f->curve), free(f->x.title), free(f->y.title);
  memset(f, 0, sizeof *f);
}
