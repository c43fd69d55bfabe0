/* script.c - scripts of gnuplot, and the files that it makes of them. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "cli/base/gnuplot.h"
#include "cli/base/memory.h"
#include "cli/base/output.h"
#include "cli/figure/figure.h"
#include "cli/figure/script.h"

static const double per_inch = 25.4;    /* mm */

/* All three as if they were printed: the same letters at the same size. */
static void write_terminal(FILE *out, double width, double height, const char *path)
{
  const double w = width / per_inch, h = height / per_inch;
  const char *font = "Helvetica";
  if (cli_ends_in(path, ".pdf"))
    fprintf(out, "set terminal pdfcairo size %.4f,%.4f font '%s,%g' linewidth 0.8\n", w, h, font, FIGURE_LETTERS);
  else if (cli_ends_in(path, ".svg"))
    fprintf(out, "set terminal svg size %.0f,%.0f font '%s,%.2f' linewidth 1 background rgb 'white'\n", w * 96, h * 96,
            font, FIGURE_LETTERS * 96 / 72);
  else
    fprintf(out, "set terminal pngcairo size %.0f,%.0f font '%s,%g' fontscale %.4f linewidth %.3f pointscale %.3f\n",
            w * 300, h * 300, font, FIGURE_LETTERS, 300.0 / 96, 300.0 / 96, 300.0 / 96);
  fputs("set output ", out), cli_gnuplot_text(out, path), fputs("\n", out);
}

typedef struct script {
  double width, height;
  void (*write)(FILE *out, const void *of);
  const void *of;
} script;

/* That of NAME, which makes PATH. */
static int write_file(const script *s, const char *name, const char *path, hn_error *error)
{
  FILE *out = fopen(name, "w");
  if (!out) return hn_fail(error, "cannot write %s", name);
  write_terminal(out, s->width, s->height, path);
  fputs("set encoding utf8\n", out);
  s->write(out, s->of);
  int status = cli_stream_close(out, name, error);
  if (status < 0) unlink(name);
  return status;
}

int figure_check(const char *path, hn_error *error)
{
  static const char *const endings[] = { ".pdf", ".svg", ".png", ".gp" };
  bool known = false;
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) known = known || cli_ends_in(path, endings[i]);
  if (!known) return hn_fail(error, "--output %s: a figure is a .pdf, .svg or .png, or a script, .gp", path);
  return cli_gnuplot_ready(error);
}

int figure_script(const char *path, double width, double height, void (*write)(FILE *out, const void *of),
                  const void *of, hn_error *error)
{
  const script s = { width, height, write, of };
  const bool kept = cli_ends_in(path, ".gp");
  char *name = cli_text("%s%s", path, kept ? "" : ".gp");
  char *made = kept ? cli_text("%.*s.pdf", (int)strlen(path) - 3, path) : cli_text("%s", path);
  int status = write_file(&s, name, made, error);
  if (status == 0 && !kept && cli_gnuplot(".", name) != 0)
    status = hn_fail(error, "gnuplot failed on %s; run it to see why", name);
  else if (status == 0 && !kept) unlink(name);
  free(name), free(made);
  return status;
}
