/* path_names.c - names at the ends of paths. A name that would lie over an earlier one or over the edge is
 * moved to the other side, below, or by further lines. */
#include <math.h>
#include <string.h>
#include "cli/base/gnuplot.h"
#include "cli/base/memory.h"
#include "cli/picture/items.h"
#include "elementary.h"

enum { MAX_ROWS = 24 }; /* lines by which a name is moved at most, up or down */

static const double point = 0.353, letter = 0.62; /* mm; mean width of a letter, over its height */
static const double line = 1.25, gap = 0.3; /* height of a line; distance to the end: over the letters */

/* A name on paper: its left end and its middle, width and height, mm. */
typedef struct label {
  double x, y, width, height;
} label;

static bool overlap(const label *a, const label *b)
{
  return a->x < b->x + b->width && b->x < a->x + a->width &&
         fabs(a->y - b->y) < 0.5 * (a->height + b->height);
}

static bool fits(const picture *p, const label *l, const label *others, int count)
{
  if (l->x < 0.0 || l->x + l->width > p->width || l->y < p->below + 0.5 * l->height ||
      l->y > p->height - 0.5 * l->height)
    return false;
  for (int i = 0; i < count; i++)
    if (overlap(l, &others[i])) return false;
  return true;
}

/* Places L beside the end (X, Y) of its path, ahead of the path, which comes from (FROM_X, FROM_Y): at the
 * first place that is free, or at the end itself. */
static void place(const picture *p, label *l, double x, double y, double from_x, double from_y,
                  const label *others, int count)
{
  const double away = gap * l->height / line;
  const bool left = x < from_x, down = y < from_y;
  for (int k = 0; k < 4 * MAX_ROWS; k++) {
    const double rows = (k / 4 + 0.5) * ((k % 4 < 2) == down ? -1.0 : 1.0);
    l->x = (k % 2 == 0) == left ? x - away - l->width : x + away;
    l->y = y + rows * l->height;
    if (fits(p, l, others, count)) return;
  }
  l->x = x, l->y = y;
}

/* Returns the last point of a path that is farther than DISTANCE (m) from its end, or its start. */
static const double *point_before(const picture *p, const picture_line *l, double distance)
{
  int k = l->first + l->count - 1;
  const double *end = p->point[k];
  while (k > l->first && hn_hypot(p->point[k][0] - end[0], p->point[k][1] - end[1]) < distance) k--;
  return p->point[k];
}

void picture_write_names(FILE *out, const picture *p, double letters)
{
  label *placed = cli_alloc((size_t)p->nline + 1, sizeof *placed);
  int count = 0;
  const picture_bounds *b = &p->bounds;
  const double across = p->width / (b->high[0] - b->low[0]),
               along = (p->height - p->below) / (b->high[1] - b->low[1]);
  for (int i = 0; i < p->nline; i++) {
    const picture_line *l = &p->line[i];
    if (l->kind != PICTURE_PATH || l->count == 0) continue;
    const double *end = p->point[l->first + l->count - 1];
    const char *name = p->model->body[l->number].name;
    label *at = &placed[count];
    at->width = letter * letters * point * (double)strlen(name), at->height = line * letters * point;
    const double *from = point_before(p, l, at->width / across);
    place(p, at, (end[0] - b->low[0]) * across, p->below + (end[1] - b->low[1]) * along,
          (from[0] - b->low[0]) * across, p->below + (from[1] - b->low[1]) * along, placed, count);
    fputs("set label ", out);
    cli_gnuplot_text(out, name);
    fprintf(out, " at first %.6g,%.6g left noenhanced tc rgb '%s' front\n", b->low[0] + at->x / across,
            b->low[1] + (at->y - p->below) / along, cli_colour[(l->number - 1) % CLI_COLOURS]);
    count++;
  }
  free(placed);
}
