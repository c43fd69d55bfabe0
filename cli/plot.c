/* plot.c - plots by gnuplot: a script per plot, run in the report's directory without a shell.
 *
 * The scripts stay beside the plots, so that a reader can change and rerun them (gnuplot NAME.gp). Curves differ in
 * colour (Okabe and Ito's palette, safe for colour-blind readers), dash and width: the first is the widest, so that a
 * later one that lies exactly on it leaves both visible. The legend stands below the axes, one entry a line. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "cli.h"

enum { /* pixels */
  PANEL_WIDTH = 820, TWO_PANEL_WIDTH = 560, AXES_HEIGHT = 430, ENTRY_HEIGHT = 22, MARGIN_TOP = 52, MARGIN_BOTTOM = 84
};

static const char *const colours[] = { "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000" };
static const char *const dashes[] = { "solid", "(14,5)", "(6,3)", "(14,4,3,4)" };
enum { NCOLOUR = sizeof colours / sizeof *colours, NDASH = sizeof dashes / sizeof *dashes };

/* Replaces this process by gnuplot, silent, in DIRECTORY. */
static void become_gnuplot(const char *directory, const char *argument)
{
  int null = open("/dev/null", O_RDWR);
  if (null >= 0) {
    dup2(null, STDIN_FILENO);
    dup2(null, STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
  }
  if (chdir(directory) == 0) execlp("gnuplot", "gnuplot", "-d", argument, (char *)NULL);
  _exit(127);
}

/* Exit status of `gnuplot -d ARGUMENT` in DIRECTORY, or -1. */
static int run_gnuplot(const char *directory, const char *argument)
{
  pid_t child = fork();
  if (child == 0) become_gnuplot(directory, argument);
  if (child < 0) return -1;
  int status;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int cli_plot_ready(hn_error *error)
{
  if (run_gnuplot(".", "--version") == 0) return 0;
  return hn_fail(error, "--output: the report's plots need gnuplot, which cannot be run here (Debian: gnuplot-nox)");
}

/* A string in gnuplot's single quotes: no escapes, a quote is doubled. */
static void quote(FILE *out, const char *text)
{
  fputc('\'', out);
  for (; *text; text++) {
    if (*text == '\'') fputc('\'', out);
    fputc((unsigned char)*text < ' ' ? ' ' : *text, out);
  }
  fputc('\'', out);
}

static void write_curves(FILE *out, const cli_panel *panel, const cli_curve *curve, size_t count)
{
  fputs("plot \\\n", out);
  for (size_t i = 0; i < count; i++) {
    double width = count > 1 ? 3.2 - 1.7 * (double)i / (double)(count - 1) : 2.0;
    fputs("  ", out);
    quote(out, curve[i].file);
    fprintf(out, " skip 1 using %d:(shown($%d)) with %s lw %.1f dt %s lc rgb '%s'", panel->x, panel->y,
            panel->points ? "linespoints" : "lines", width, dashes[i % NDASH], colours[i % NCOLOUR]);
    if (panel->points) fprintf(out, " pt %zu ps 0.9", 4 + i % 9);
    fputs(" title ", out);
    quote(out, curve[i].label);
    fputs(i + 1 < count ? ", \\\n" : "\n", out);
  }
}

static void write_panel(FILE *out, const cli_panel *panel, size_t index, size_t npanel, double bottom, double top)
{
  double width = 1.0 / (double)npanel, room = npanel > 1 ? 0.095 : 0.125;
  fprintf(out, "\nset lmargin at screen %.4f\nset rmargin at screen %.4f\n", (double)index * width + room,
          (double)(index + 1) * width - 0.03);
  fprintf(out, "set bmargin at screen %.4f\nset tmargin at screen %.4f\n", bottom, top);
  fputs("set title ", out);
  quote(out, panel->title);
  fputs(" noenhanced\nset xlabel ", out);
  quote(out, panel->xlabel);
  fputs(" noenhanced offset 0,0.3\nset ylabel ", out);
  quote(out, panel->ylabel);
  fputs(" noenhanced offset 0.5,0\nunset mytics\n", out);
  fputs(panel->log_x ? "set logscale xy\nset format x '10^{%T}'\n" : "set logscale y\nset format x '%g'\n", out);
  if (panel->x_max > 0.0) fprintf(out, "set xrange [%.9g:%.9g]\n", panel->x_min, panel->x_max);
  fprintf(out, "floor = %.3g\nshown(y) = y > floor ? y : (floor > 0 ? floor : NaN)\n", panel->floor);
  fputs(index == 0 ? "set key at screen 0.02, screen 0.015 left bottom vertical maxcols 1 Left reverse samplen 6 "
                     "spacing 1.15 width 0 noenhanced\n"
                   : "unset key\n", out);
}

static void write_script(FILE *out, const char *name, const cli_panel *panel, size_t npanel, const cli_curve *curve,
                         size_t ncurve)
{
  int width = npanel > 1 ? TWO_PANEL_WIDTH * (int)npanel : PANEL_WIDTH;
  int below = MARGIN_BOTTOM + 12 + ENTRY_HEIGHT * (int)ncurve;
  int height = MARGIN_TOP + AXES_HEIGHT + below;
  fprintf(out, "# gnuplot %s.gp\nset encoding utf8\nset terminal svg size %d,%d dynamic enhanced font 'Helvetica,15' "
               "background rgb 'white'\nset output '%s.svg'\n", name, width, height, name);
  fputs("set datafile separator ','\nset border 3 lc rgb '#444444'\nset tics nomirror out\n"
        "set grid xtics ytics lw 0.6 lc rgb '#d0d0d0'\nset format y '10^{%T}'\n"
        "set mxtics default\n", out);
  if (npanel > 1) fputs("set multiplot\n", out);
  for (size_t i = 0; i < npanel; i++) {
    write_panel(out, &panel[i], i, npanel, (double)below / height, 1.0 - (double)MARGIN_TOP / height);
    write_curves(out, &panel[i], curve, ncurve);
  }
  if (npanel > 1) fputs("unset multiplot\n", out);
}

int cli_plot(cli_folder *folder, const char *name, const cli_panel *panel, size_t npanel, const cli_curve *curve,
             size_t ncurve, hn_error *error)
{
  char *script = cli_text("%s.gp", name), *drawing = cli_text("%s.svg", name);
  FILE *out = cli_folder_file(folder, script, error);
  int status = -1;
  if (out) {
    write_script(out, name, panel, npanel, curve, ncurve);
    status = cli_stream_close(out, script, error);
  }
  if (status == 0 && run_gnuplot(folder->part, script) != 0)
    status = hn_fail(error, "gnuplot failed on %s/%s; run it there to see why", folder->part, script);
  if (status == 0) cli_folder_note(folder, drawing);
  free(script);
  free(drawing);
  return status;
}
