/* progress.c - a line on the terminal for runs that take longer than a second, redrawn at most five times a
 * second and erased at the end. Nothing is written when stderr is not a terminal. */
#include <stdio.h>
#include <time.h>
#include <unistd.h>
#include "cli/base/progress.h"

/* The first line appears delay + interval after the beginning; s. */
static const double delay = 0.8, interval = 0.2;

static struct {
  bool allowed, drawn;
  char label[80];
  double begun, last; /* s, monotonic clock: begin of the run, last drawing */
  size_t done, count; /* parts of a study; count 0: no study */
  double study_begun; /* s */
} progress;

double cli_clock(void)
{
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

void cli_progress_allow(bool allowed)
{
  progress.allowed = allowed && isatty(STDERR_FILENO);
}

void cli_progress_study(size_t done, size_t count)
{
  if (progress.count == 0) progress.study_begun = cli_clock(), progress.last = progress.study_begun + delay;
  progress.done = done;
  progress.count = count;
}

void cli_progress_begin(const char *label)
{
  if (!progress.allowed) return;
  snprintf(progress.label, sizeof progress.label, "%s", label);
  progress.begun = cli_clock();
  if (progress.count == 0) progress.last = progress.begun + delay;
}

void cli_progress_label(const char *label)
{
  snprintf(progress.label, sizeof progress.label, "%s", label);
}

static void print_left(double fraction, double elapsed)
{
  if (fraction > 0.0) fprintf(stderr, ", about %.0f s left", elapsed / fraction - elapsed);
}

void cli_progress_at(double fraction)
{
  if (!progress.allowed) return;
  double time = cli_clock();
  if (time - progress.last < interval) return;
  progress.last = time;
  progress.drawn = true;
  const double elapsed = time - progress.begun, parts = (double)progress.count;
  fprintf(stderr, "\r\033[K%s  %3.0f %%", progress.label, 100.0 * fraction);
  if (progress.count == 0) {
    fprintf(stderr, "  %.0f s", elapsed);
    print_left(fraction, elapsed);
  } else {
    fprintf(stderr, "  %zu of %zu  %.0f s", progress.done, progress.count, time - progress.study_begun);
    print_left((double)progress.done / parts, time - progress.study_begun);
  }
  fflush(stderr);
}

void cli_progress_end(void)
{
  if (!progress.drawn) return;
  progress.drawn = false;
  fputs("\r\033[K", stderr);
  fflush(stderr);
}
