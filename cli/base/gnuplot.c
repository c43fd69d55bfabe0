/* gnuplot.c - runs gnuplot, without a shell. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include "cli/base/gnuplot.h"

const char *const cli_colour[CLI_COLOURS] = { "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000",
                                              "#882255", "#999933", "#332288", "#8C8C8C" };
const int cli_symbol[CLI_SYMBOLS] = { 7, 5, 9, 11, 13, 6, 4, 8, 10, 12 };

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

int cli_gnuplot(const char *directory, const char *argument)
{
  pid_t child = fork();
  if (child == 0) become_gnuplot(directory, argument);
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
