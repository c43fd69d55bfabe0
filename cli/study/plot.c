/* plot.c - plots of a report: one gnuplot script per plot, run in the directory of the report without a
 * shell.
 *
 * The scripts remain beside the plots, so that a reader can change and rerun them (gnuplot NAME.gp, 5.4 or
 * later). Curves differ in colour and, where they have points, in symbol; lines differ in dash and width. The
 * first line is the widest, so that a later one exactly on it leaves both visible. The legend stands below
 * the axes. A panel of errors has a band at its top, in which failed runs are marked at the work done until
 * then: they are neither left out nor mistaken for results. */
#include <string.h>
#include "cli/base/gnuplot.h"
#include "cli/base/memory.h"
#include "cli/base/output.h"
#include "cli/study/report_struct.h"

enum { PANEL_WIDTH = 820, TWO_PANEL_WIDTH = 640, AXES_HEIGHT = 430, TALL_AXES_HEIGHT = 560 }; /* pixels */
enum { ENTRY_HEIGHT = 27, MARGIN_TOP = 52, MARGIN_BOTTOM = 96 };                              /* pixels */
enum { ONE_COLUMN = 6 }; /* entries of a legend of one column beside two panels */

static const char *const dashes[] = { "solid", "(14,5)", "(6,3)", "(14,4,3,4)" };
enum { MAX_SYMBOLS = 16 }; /* marked points of a curve */
enum { NDASH = sizeof dashes / sizeof *dashes, FAILED_SYMBOL = 2, OFF_SYMBOL = 1 };

/* Writes the style of curve I of COUNT. */
static void write_style(FILE *out, const cli_panel *panel, size_t i, size_t count)
{
  double width = panel->points ? 1.8 : count > 1 ? 3.2 - 1.7 * (double)i / (double)(count - 1) : 2.0;
  size_t dash = panel->points ? i / CLI_COLOURS : i;
  fprintf(out, " with %s lw %.1f dt %s lc rgb '%s'", panel->points ? "linespoints" : "lines", width,
          dashes[dash % NDASH], cli_colour[i % CLI_COLOURS]);
  if (panel->points) fprintf(out, " pt %d ps 0.9 pn %d", cli_symbol[i % CLI_SYMBOLS], MAX_SYMBOLS);
}

/* Writes the legend entry of a curve, present even if none of its points can be drawn. */
static void write_entry(FILE *out, const cli_panel *panel, const cli_curve *curve, size_t i, size_t count)
{
  char *label = cli_text("%s%s%s", curve->label, curve->remark ? "  " : "",
                         curve->remark ? curve->remark : "");
  fputs("  keyentry", out);
  write_style(out, panel, i, count);
  fputs(" title ", out);
  cli_gnuplot_text(out, label);
  fputs(", \\\n", out);
  free(label);
}

static void write_mark_entry(FILE *out, int symbol, const char *text)
{
  fprintf(out, "  keyentry with points pt %d ps 1.2 lw 2 lc rgb '#000000' title '%s', \\\n", symbol, text);
}

/* Writes the data source of a curve: its rows of the CSV file. */
static void write_source(FILE *out, const cli_curve *curve)
{
  cli_gnuplot_text(out, curve->file);
  fprintf(out, " skip 1 every ::%zu::%zu", curve->first, curve->first + curve->count - 1);
}

/* Writes the marks of failed runs, whose errors are nan: gnuplot drops points whose expressions use nan. */
static void write_marks(FILE *out, const cli_panel *panel, const cli_curve *curve, size_t i)
{
  char *failed = cli_text("failed(strcol(%d))", panel->reason);
  char *off = cli_text("off($%d, strcol(%d))", panel->y, panel->reason);
  const struct {
    const char *height;
    int symbol;
  } mark[] = { { failed, FAILED_SYMBOL }, { off, OFF_SYMBOL } };
  for (size_t k = 0; k < sizeof mark / sizeof *mark; k++) {
    fputs(", \\\n  ", out);
    write_source(out, curve);
    fprintf(out, " using %d:(%s) with points pt %d ps 1.2 lw 2 lc rgb '%s' notitle", panel->x, mark[k].height,
            mark[k].symbol, cli_colour[i % CLI_COLOURS]);
  }
  free(failed);
  free(off);
}

static void write_curves(FILE *out, const cli_panel *panel, const cli_curve *curve, size_t count, bool legend)
{
  fputs("plot \\\n", out);
  for (size_t i = 0; i < count && legend; i++) write_entry(out, panel, &curve[i], i, count);
  if (legend && panel->failed) write_mark_entry(out, FAILED_SYMBOL, "a run that failed");
  if (legend && panel->off) write_mark_entry(out, OFF_SYMBOL, "a larger error");
  for (size_t i = 0; i < count; i++) {
    fputs(i > 0 ? ", \\\n  " : "  ", out);
    write_source(out, &curve[i]);
    if (panel->top > 0.0)
      fprintf(out, " using %d:(result($%d, strcol(%d)))", panel->x, panel->y, panel->reason);
    else fprintf(out, " using %d:(shown($%d))", panel->x, panel->y);
    if (panel->sorted) fputs(" smooth unique", out);
    write_style(out, panel, i, count);
    fputs(" notitle", out);
    if (panel->top > 0.0) write_marks(out, panel, &curve[i], i);
  }
  fputc('\n', out);
}

/* Writes the band above the errors, a decade and a half high. */
static void write_band(FILE *out, const cli_panel *panel)
{
  fprintf(out, "top = %.3g\nset yrange [%.3g:top * 30]\n", panel->top, panel->floor);
  fputs("result(y, why) = why eq 'converged' && y <= top ? shown(y) : NaN\n"
        "failed(why) = why eq 'converged' ? NaN : top * 10\n"
        "off(y, why) = why eq 'converged' && y > top ? top * 3 : NaN\n"
        "set object 1 rectangle from graph 0, first top to graph 1, graph 1 behind fc rgb '#efefef' fs solid "
        "noborder\n",
        out);
}

static void write_panel(FILE *out, const cli_panel *panel, size_t index, size_t npanel, double bottom,
                        double top)
{
  const double width = 1.0 / (double)npanel, margin = npanel > 1 ? 0.095 : 0.125; /* left of the axes */
  fprintf(out, "\nset lmargin at screen %.4f\nset rmargin at screen %.4f\n", (double)index * width + margin,
          (double)(index + 1) * width - 0.03);
  fprintf(out, "set bmargin at screen %.4f\nset tmargin at screen %.4f\n", bottom, top);
  /* Titles and labels */
  fputs("set title ", out);
  cli_gnuplot_text(out, panel->title);
  fputs(" noenhanced\nset xlabel ", out);
  cli_gnuplot_text(out, panel->xlabel);
  fputs(" noenhanced offset 0,0.3\nset ylabel ", out);
  cli_gnuplot_text(out, panel->ylabel);
  fputs(" noenhanced offset 0.5,0\nunset mytics\n", out);
  /* Scales and ranges */
  fputs(panel->log_x ? "set logscale x\nset format x '10^{%T}'\n" : "unset logscale x\nset format x '%g'\n",
        out);
  fputs(panel->plain_y ? "unset logscale y\nset format y '%g'\nset yrange [0:*]\n"
                       : "set logscale y\nset format y '10^{%T}'\n",
        out);
  if (panel->x_max > 0.0) fprintf(out, "set xrange [%.9g:%.9g]\n", panel->x_min, panel->x_max);
  if (panel->plain_y) fputs("shown(y) = y\n", out);
  else fprintf(out, "floor = %.3g\nshown(y) = y > floor ? y : (floor > 0 ? floor : NaN)\n", panel->floor);
  if (panel->top > 0.0) write_band(out, panel);
}

/* Returns the rows of the legend: of one column, or of two if the plot is wide enough. */
static int legend_rows(const cli_panel *panel, size_t npanel, size_t ncurve)
{
  int entries = (int)ncurve + panel->failed + panel->off;
  return npanel > 1 && entries > ONE_COLUMN ? (entries + 1) / 2 : entries;
}

static void write_script(FILE *out, const char *name, const cli_panel *panel, size_t npanel,
                         const cli_curve *curve, size_t ncurve)
{
  int width = npanel > 1 ? TWO_PANEL_WIDTH * (int)npanel : PANEL_WIDTH,
      rows = legend_rows(panel, npanel, ncurve);
  /* Size of the plot, with a legend below the axes */
  int below = MARGIN_BOTTOM + ENTRY_HEIGHT * rows;
  int height = MARGIN_TOP + (npanel > 1 ? TALL_AXES_HEIGHT : AXES_HEIGHT) + below;
  fprintf(
    out,
    "# gnuplot %s.gp\nset encoding utf8\nset terminal svg size %d,%d dynamic enhanced font 'Helvetica,15' "
    "background rgb 'white'\nset output '%s.svg'\n",
    name, width, height, name);
  fputs("set datafile separator ','\nset border 3 lc rgb '#444444'\nset tics nomirror out\n"
        "set grid xtics ytics lw 0.6 lc rgb '#d0d0d0'\n"
        "set mxtics default\n",
        out);
  /* The panels, the first one with the legend */
  if (npanel > 1) fputs("set multiplot\n", out);
  for (size_t i = 0; i < npanel; i++) {
    write_panel(out, &panel[i], i, npanel, (double)below / height, 1.0 - (double)MARGIN_TOP / height);
    if (i == 0)
      fprintf(out,
              "set key at screen 0.02, screen 0.015 left bottom vertical maxrows %d Left reverse samplen 5 "
              "spacing 1.15 width 1 noenhanced\n",
              rows);
    else fputs("unset key\n", out);
    write_curves(out, &panel[i], curve, ncurve, i == 0);
  }
  if (npanel > 1) fputs("unset multiplot\n", out);
}

int cli_plot(cli_folder *folder, const char *name, const cli_panel *panel, size_t npanel,
             const cli_curve *curve, size_t ncurve, hn_error *error)
{
  char *script = cli_text("%s.gp", name), *drawing = cli_text("%s.svg", name);
  FILE *out = cli_folder_file(folder, script, error);
  int status = -1;
  if (out) {
    write_script(out, name, panel, npanel, curve, ncurve);
    status = cli_stream_close(out, script, error);
  }
  if (status == 0 && cli_gnuplot(folder->part, script) != 0)
    status = hn_fail(error, "gnuplot failed on %s/%s; run it there to see why", folder->part, script);
  if (status == 0) cli_folder_note(folder, drawing);
  free(script);
  free(drawing);
  return status;
}
