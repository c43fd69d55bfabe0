/* gnuplot.c - runs gnuplot, without a shell. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "cli/base/gnuplot.h"
#include "cli/base/interrupt.h"
#include "cli/base/memory.h"
#include "cli/base/output.h"

const char *const cli_colour[CLI_COLOURS] = { "#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                              "#E69F00", "#56B4E9", "#000000", "#882255",
                                              "#999933", "#332288", "#8C8C8C" };
const int cli_symbol[CLI_SYMBOLS] = { 7, 5, 9, 11, 13, 6, 4, 8, 10, 12 };

static const double per_inch = 25.4; /* mm */

/* Replaces this process, a child of OWNER, by gnuplot in DIRECTORY, with its output discarded. It ends with
 * its parent. */
static void become_gnuplot(pid_t owner, const char *directory, const char *argument)
{
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != owner) _exit(127);
  int null_device = open("/dev/null", O_RDWR);
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO && null_device >= 0; fd++) dup2(null_device, fd);
  if (chdir(directory) == 0) execlp("gnuplot", "gnuplot", "-d", argument, (char *)NULL);
  _exit(127);
}

int cli_gnuplot(const char *directory, const char *argument)
{
  if (*cli_stop()) return -1;
  const pid_t owner = getpid(), child = fork();
  if (child == 0) become_gnuplot(owner, directory, argument);
  if (child < 0) return -1;
  int status;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int cli_gnuplot_ready(hn_error *error)
{
  if (cli_gnuplot(".", "--version") == 0) return 0;
  return hn_fail(error, "plots need gnuplot, which cannot be run here (Debian: gnuplot-nox)");
}

void cli_gnuplot_text(FILE *out, const char *text)
{
  fputc('\'', out);
  for (; *text; text++) {
    if (*text == '\'') fputc('\'', out);
    fputc((unsigned char)*text < ' ' ? ' ' : *text, out);
  }
  fputc('\'', out);
}

/* Sizes are as in print: the same letters at the same size in every format. pdfcairo counts 96 points to the
 * inch and halves its fonts by default, hence the font scale. */
int cli_gnuplot_terminal(FILE *out, const char *path, double width, double height, double letters,
                         hn_error *error)
{
  const double w = width / per_inch, h = height / per_inch;
  const char *font = "Helvetica";
  if (cli_ends_in(path, ".pdf"))
    fprintf(out, "set terminal pdfcairo size %.4f,%.4f font '%s,%g' fontscale %.4f linewidth 0.8\n", w, h,
            font, letters, 72.0 / 96);
  else if (cli_ends_in(path, ".svg"))
    fprintf(out, "set terminal svg size %.0f,%.0f font '%s,%.2f' linewidth 1 background rgb 'white'\n",
            w * 96, h * 96, font, letters * 96 / 72);
  else if (cli_ends_in(path, ".png"))
    fprintf(
      out,
      "set terminal pngcairo size %.0f,%.0f font '%s,%g' fontscale %.4f linewidth %.3f pointscale %.3f\n",
      w * 300, h * 300, font, letters, 300.0 / 96, 300.0 / 96, 300.0 / 96);
  else return hn_fail(error, "--output %s: a figure is a .pdf, .svg or .png, or a script, .gp", path);
  fputs("set output ", out), cli_gnuplot_text(out, path), fputs("\n", out);
  return 0;
}

static int write_file(const char *script, const char *path, cli_gnuplot_script *write, const void *data,
                      hn_error *error)
{
  FILE *out = fopen(script, "w");
  if (!out) return hn_fail(error, "cannot write %s", script);
  int status = write(out, path, data, error);
  if (cli_stream_close(out, script, error) < 0) status = -1;
  if (status < 0) unlink(script);
  return status;
}

int cli_gnuplot_check(const char *path, hn_error *error)
{
  static const char *const endings[] = { ".pdf", ".svg", ".png", ".gp" };
  bool known = false;
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
    known = known || cli_ends_in(path, endings[i]);
  if (!known) return hn_fail(error, "--output %s: a figure is a .pdf, .svg or .png, or a script, .gp", path);
  return cli_gnuplot_ready(error);
}

int cli_gnuplot_draw(const char *path, cli_gnuplot_script *write, const void *data, hn_error *error)
{
  if (cli_ends_in(path, ".gp")) {
    char *pdf = cli_text("%.*s.pdf", (int)strlen(path) - 3, path);
    int status = write_file(path, pdf, write, data, error);
    free(pdf);
    return status;
  }
  char *script = cli_text("%s.gp", path);
  int status = write_file(script, path, write, data, error);
  if (status == 0 && cli_gnuplot(".", script) != 0)
    status = hn_fail(error, "gnuplot failed on %s; run it to see why", script);
  else if (status == 0) unlink(script);
  free(script);
  return status;
}
