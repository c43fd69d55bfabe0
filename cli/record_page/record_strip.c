/* record_strip.c - three errors of a row on a logarithmic axis, as SVG.
 *
 * The axis goes from 1e-16 to 1e4. A smaller error, also 0, is on the left edge. */
#include <math.h>
#include "cli/record_page/record_strip.h"
#include "elementary.h"

enum { WIDTH = 330, HEIGHT = 20, EDGE = 20, FIRST = -16, LAST = 4, GOAL = -9 };

/* Returns the x of the decade DECADE. */
static double at_decade(double decade)
{
  return EDGE + (decade - FIRST) / (LAST - FIRST) * (WIDTH - 2.0 * EDGE);
}

static double at(double error)
{
  const double size = fabs(error);
  if (!(size > 0.0)) return at_decade(FIRST);
  return at_decade(fmin(LAST, fmax(FIRST, hn_log10(size))));
}

static void write_head(const char *class, int height, FILE *out)
{
  fprintf(out, "<svg class=\"%s\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" aria-hidden=\"true\">",
          class, WIDTH, height, WIDTH, height);
}

void record_strip_write(double solver, double time, double model, double uncertainty, FILE *out)
{
  const double y = HEIGHT / 2.0;
  write_head("strip", HEIGHT, out);
  for (int decade = FIRST; decade <= LAST; decade += 4)
    fprintf(out, "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"0\" y2=\"%d\"/>", at_decade(decade), at_decade(decade),
            HEIGHT);
  fprintf(out, "<line class=\"goal\" x1=\"%.1f\" x2=\"%.1f\" y1=\"0\" y2=\"%d\"/>", at_decade(GOAL),
          at_decade(GOAL), HEIGHT);
  if (isfinite(model))
    fprintf(out, "<rect class=\"model%s\" x=\"%.1f\" y=\"%.1f\" width=\"9\" height=\"9\"/>",
            fabs(model) <= uncertainty ? " hollow" : "", at(model) - 4.5, y - 4.5);
  if (isfinite(time)) fprintf(out, "<path class=\"time\" d=\"M%.1f %.1fl5 9h-10z\"/>", at(time), y - 4.5);
  if (isfinite(solver))
    fprintf(out, "<circle class=\"solver\" cx=\"%.1f\" cy=\"%.1f\" r=\"4.2\"/>", at(solver), y);
  fputs("</svg>", out);
}

void record_axis_write(FILE *out)
{
  write_head("axis", HEIGHT, out);
  for (int decade = FIRST; decade <= LAST; decade += 4)
    fprintf(out, "<text x=\"%.1f\" y=\"14\">1e%d</text>", at_decade(decade), decade);
  fputs("</svg>", out);
}
