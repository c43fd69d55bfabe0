/* figure_draw.c - draws a figure of tables by a gnuplot script.
 *
 * Curves differ in colour (Okabe and Ito's palette) and symbol, and have their names at their right ends.
 * Names too long for the width of the figure are put in a compact legend below it. */
#include <math.h>
#include <stdio.h>
#include "cli/base/gnuplot.h"
#include "cli/figure/figure.h"
#include "cli/figure/profile.h"
#include "elementary.h"

/* A curve of more than MAX_SYMBOLS points has FEW_SYMBOLS symbols if there are other curves, else none. */
enum { MAX_SYMBOLS = 60, FEW_SYMBOLS = 6 };

/* Ratios of the ends of an axis below which it needs more tics than powers of ten. */
static const double few_x = 30.0, few_y = 300.0;

/* True if powers of ten alone are too few tics. */
static bool has_few_powers(const figure_axis *axis, char name)
{
  const double powers = floor(hn_log10(axis->high)) - ceil(hn_log10(axis->low)) + 1.0;
  return powers < 2.0 || axis->high < (name == 'x' ? few_x : few_y) * axis->low;
}

/* Writes tics at 1, 2 and 5 times powers of ten. */
static void write_tics(FILE *out, const figure_axis *axis, char name)
{
  static const int digits[] = { 1, 2, 5 };
  const char *separator = "";
  fprintf(out, "set %ctics (", name);
  for (int power = (int)floor(hn_log10(axis->low)); hn_pow(10.0, power) < axis->high; power++)
    for (int i = 0; i < 3; i++) {
      const double value = digits[i] * hn_pow(10.0, power);
      if (value < axis->low || value > axis->high) continue;
      if (digits[i] == 1) fprintf(out, "%s'10^{%d}' %.9g", separator, power, value);
      else fprintf(out, "%s'%d·10^{%d}' %.9g", separator, digits[i], power, value);
      separator = ", ";
    }
  fputs(")\n", out);
}

static void write_axis(FILE *out, const figure_axis *axis, char name)
{
  fprintf(out, "set %crange [%.17g:%.17g]\nset %clabel ", name, axis->low, axis->high, name);
  cli_gnuplot_text(out, axis->title);
  fputs(" noenhanced\n", out);
  if (axis->logarithmic) fprintf(out, "set logscale %c\nset format %c '10^{%%T}'\n", name, name);
  if (axis->logarithmic && has_few_powers(axis, name)) write_tics(out, axis, name);
  if (!axis->logarithmic) fprintf(out, "set format %c '%%g'\n", name);
}

static void write_names(FILE *out, const figure *f)
{
  for (size_t k = 0; k < f->ncurve; k++) {
    const figure_curve *c = &f->curve[k];
    if (!*c->shown) continue;
    const double end = figure_place(&f->x, c->x[c->count - 1]);
    fprintf(out, "set arrow from graph %.4f,%.4f to graph 1.015,%.4f nohead lw 0.5 lc rgb '%s'\n", end, c->at,
            c->label, cli_colour[k % CLI_COLOURS]);
    fputs("set label ", out);
    cli_gnuplot_text(out, c->shown);
    fprintf(out, " at graph 1.025,%.4f noenhanced tc rgb '%s'\n", c->label, cli_colour[k % CLI_COLOURS]);
  }
}

/* Writes the legend below the axes: columns of symbols and names. */
static void write_legend(FILE *out, const figure *f)
{
  const double column = (f->width - f->left) / f->columns,
               rows = (double)((f->ncurve - 1) / (size_t)f->columns);
  for (size_t k = 0; k < f->ncurve; k++) {
    const double x = f->left + column * (double)(k % (size_t)f->columns) + 0.5 * FIGURE_LINE;
    const double y = FIGURE_LINE * (rows - (double)(k / (size_t)f->columns) + 0.8);
    fputs("set label ", out);
    cli_gnuplot_text(out, f->curve[k].shown);
    fprintf(out, " at screen %.4f,%.4f noenhanced point pt %d ps 0.55 lc rgb '%s' offset 0.8,0\n",
            x / f->width, y / f->height, cli_symbol[k % CLI_SYMBOLS], cli_colour[k % CLI_COLOURS]);
  }
}

static void write_slopes(FILE *out, const figure *f)
{
  for (size_t i = 0; i < f->nslope; i++) {
    const figure_slope *s = &f->slope[i];
    const double corner[4][2] = { { s->x0, s->y0 }, { s->x1, s->y0 }, { s->x1, s->y1 }, { s->x0, s->y0 } };
    for (int k = 0; k < 3; k++)
      fprintf(out, "set arrow from first %.9g,%.9g to first %.9g,%.9g nohead lw 0.7 lc rgb '#444444'\n",
              corner[k][0], corner[k][1], corner[k + 1][0], corner[k + 1][1]);
    fprintf(out, "set label '%g' at first %.9g,%.9g offset 0.4,0 tc rgb '#444444'\n", s->p, s->x1,
            sqrt(s->y0 * s->y1));
  }
}

static void write_style(FILE *out, const figure *f, const figure_curve *c)
{
  if (f->lines) fputs("lines", out);
  else if (c->count <= MAX_SYMBOLS) fputs("linespoints", out);
  else if (f->ncurve > 1) fprintf(out, "linespoints pi %zu", c->count / FEW_SYMBOLS);
  else fputs("lines", out);
}

/* Writes the curves. The first one is the widest, so that a later one exactly on it leaves both visible. */
static void write_curves(FILE *out, const figure *f)
{
  fputs("plot", out);
  const char *separator = " ";
  for (size_t k = 0; k < f->ncurve; k++) {
    const double part = f->ncurve > 1 ? (double)k / (double)(f->ncurve - 1) : 0.5;
    fprintf(out, "%s'-' using 1:2 with ", separator);
    write_style(out, f, &f->curve[k]);
    fprintf(out, " lw %.2f lc rgb '%s' pt %d ps %.2f", 2.0 - 0.9 * part, cli_colour[k % CLI_COLOURS],
            cli_symbol[k % CLI_SYMBOLS], 0.55 - 0.15 * part);
    separator = ", \\\n  ";
  }
  fputc('\n', out);
  for (size_t k = 0; k < f->ncurve; k++) {
    const figure_curve *c = &f->curve[k];
    for (size_t i = 0; i < c->count; i++) fprintf(out, "%.17g %.17g\n", c->x[i], c->y[i]);
    fputs("e\n", out);
  }
}

static int write_script(FILE *out, const char *path, const void *data, hn_error *error)
{
  const figure *f = data;
  if (cli_gnuplot_terminal(out, path, f->width, f->height, FIGURE_LETTERS, error)) return -1;
  fprintf(
    out,
    "set encoding utf8\nset lmargin at screen %.4f\nset rmargin at screen %.4f\nset bmargin at screen %.4f\n"
    "set tmargin at screen %.4f\n",
    f->left / f->width, 1.0 - f->right / f->width, f->below / f->height, 1.0 - f->above / f->height);
  fputs("set border 3 lc rgb '#444444'\nset tics nomirror out scale 0.6,0.3\nunset key\n"
        "set grid xtics ytics lw 0.5 lc rgb '#dddddd'\n",
        out);
  write_axis(out, &f->x, 'x'), write_axis(out, &f->y, 'y');
  if (f->columns > 0) write_legend(out, f);
  else write_names(out, f);
  write_slopes(out, f);
  write_curves(out, f);
  return 0;
}

long figure_draw(char *const *table, size_t count, const char *path, const cli_options *options,
                 hn_error *error)
{
  figure_data data = { 0 };
  figure f = { 0 };
  int (*const make)(figure *, const figure_data *, const cli_options *,
                    hn_error *) = options->profile ? figure_profile : figure_make;
  const bool good = cli_gnuplot_check(path, error) == 0 &&
                    figure_data_read(&data, table, count, error) == 0 &&
                    make(&f, &data, options, error) == 0 &&
                    figure_add_slopes(&f, options->slopes, error) == 0 &&
                    cli_gnuplot_draw(path, write_script, &f, error) == 0;
  const long curves = good ? (long)f.ncurve : -1;
  figure_free(&f);
  figure_data_free(&data);
  return curves;
}
