/* picture_write.c - writes a picture as a gnuplot script: faces as polygons in the order of their depth, then
 * lines, then marks.
 *
 * Bodies have pale colours with thin rims; the ground and fixed bodies are grey. Joints are small rings,
 * filled with grey on the ground. Axes of joints are dashed, springs are zigzags, massless rods are plain
 * lines. The axes of the world and a scale stand below. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "cli/base/gnuplot.h"
#include "cli/picture/items.h"
#include "elementary.h"

static const double default_width = 120.0, letters = 8.0; /* mm, points */
static const double below = 9.0;                          /* space for axes and scale, mm */
static const double min_ratio = 0.3, max_ratio = 1.5;     /* default height over width */
static const double margin = 0.06;                        /* around the mechanism, over its larger side */
static const double min_side = 0.2;  /* smaller side of the visible range over the larger */
static const double pale = 0.62;     /* part of white in the colour of a body */
enum { MAX_CORNERS = 2 * 2048 + 8 }; /* of a face */
enum { MANY_MARKS = 60 };            /* more joints are drawn smaller */

static unsigned mix(unsigned colour, double white, double light)
{
  unsigned out = 0;
  for (int shift = 16; shift >= 0; shift -= 8) {
    const double part = (1.0 - white) * (double)(colour >> shift & 0xFF) + white * 255.0;
    out |= (unsigned)lround(fmin(255.0, part * light)) << shift;
  }
  return out;
}

static unsigned colour_of(int number)
{
  return (unsigned)strtoul(cli_colour[number % CLI_COLOURS] + 1, NULL, 16);
}

static unsigned body_colour(const picture *p, int body)
{
  return p->model->body[body].kind == HN_FIXED ? 0xA0A0A0 : colour_of(body - 1);
}

/* ---- Layout -------------------------------------------------------------------------------------------- */

/* Fits the visible range to the paper above the scale. */
static void fit(picture *p, double width, double height)
{
  double side[2], wanted;
  for (int k = 0; k < 2; k++) side[k] = p->bounds.high[k] - p->bounds.low[k];
  const double large = fmax(fmax(side[0], side[1]), 1e-9);
  for (int k = 0; k < 2; k++) {
    const double more = fmax(margin * large, 0.5 * (min_side * large - side[k]));
    p->bounds.low[k] -= more, p->bounds.high[k] += more;
    side[k] = p->bounds.high[k] - p->bounds.low[k];
  }
  p->width = width > 0.0 ? width : default_width, p->below = below;
  wanted = fmin(max_ratio, fmax(min_ratio, side[1] / side[0])) * p->width + below;
  p->height = height > 0.0 ? height : wanted;
  const double ratio = fmax(p->height - below, 0.2 * p->height) / p->width;
  const int narrow = side[1] < ratio * side[0] ? 1 : 0;
  const double lack = 0.5 * ((narrow ? ratio * side[0] : side[1] / ratio) - side[narrow]);
  p->bounds.low[narrow] -= lack, p->bounds.high[narrow] += lack;
}

/* ---- Parts --------------------------------------------------------------------------------------------- */

/* Cuts the convex polygon of N corners off where coordinate AXIS times SIGN exceeds LIMIT. Returns the number
 * of its corners now, at most one more. */
static int cut(double (*corner)[2], int n, int axis, double sign, double limit)
{
  double old[MAX_CORNERS][2];
  int count = 0;
  memcpy(old, corner, sizeof *old * (size_t)n);
  for (int i = 0; i < n; i++) {
    const double *a = old[i], *b = old[(i + 1) % n], from = sign * a[axis] - limit,
                 to = sign * b[axis] - limit;
    if (from <= 0.0) memcpy(corner[count++], a, sizeof *corner);
    if ((from < 0.0 && to > 0.0) || (from > 0.0 && to < 0.0)) {
      const double part = from / (from - to);
      for (int k = 0; k < 2; k++) corner[count][k] = a[k] + part * (b[k] - a[k]);
      count++;
    }
  }
  return count;
}

/* Copies the corners of a face, cut off well outside the visible range: gnuplot clips far ones wrongly.
 * Returns their number. */
static int visible_corners(const picture *p, const picture_face *f, double corner[MAX_CORNERS][2])
{
  int n = f->count;
  if (n > MAX_CORNERS - 4) return 0;
  memcpy(corner, p->point[f->first], sizeof *corner * (size_t)n);
  for (int axis = 0; axis < 2 && n > 0; axis++) {
    const double more = 0.5 * (p->bounds.high[axis] - p->bounds.low[axis]);
    n = cut(corner, n, axis, 1.0, p->bounds.high[axis] + more);
    n = cut(corner, n, axis, -1.0, more - p->bounds.low[axis]);
  }
  return n;
}

static void write_faces(FILE *out, const picture *p)
{
  for (int i = 0; i < p->nface; i++) {
    const picture_face *f = &p->face[i];
    const bool plane = isinf(f->depth);
    double corner[MAX_CORNERS][2];
    const int n = visible_corners(p, f, corner);
    if (n < 3) continue;
    const unsigned colour = plane ? 0xF1F1F1 : mix(body_colour(p, f->body), pale, f->light);
    fprintf(out, "set object %d polygon from", i + 1);
    for (int k = 0; k <= n; k++)
      fprintf(out, "%s %.6g,%.6g", k > 0 ? " to" : "", corner[k % n][0], corner[k % n][1]);
    fprintf(out, " behind clip fc rgb '#%06X' fs %s ", colour, f->ghost ? "transparent solid 0.4" : "solid");
    if (f->rim)
      fprintf(out, "border lc rgb '#%06X' lw %g\n",
              plane ? 0x808080 : mix(body_colour(p, f->body), 0.0, 0.55), plane ? 1.2 : 0.5);
    else fputs("noborder\n", out);
  }
}

/* Writes the data of lines and marks, each in a block. */
static void write_data(FILE *out, const picture *p)
{
  for (int i = 0; i < p->nline; i++) {
    const picture_line *l = &p->line[i];
    fprintf(out, "$line%d << EOD\n", i);
    for (int k = l->first; k < l->first + l->count; k++)
      fprintf(out, "%.6g %.6g\n", p->point[k][0], p->point[k][1]);
    fputs("EOD\n", out);
  }
  for (int kind = PICTURE_JOINT; kind <= PICTURE_PARTICLE; kind++) {
    fprintf(out, "$mark%d << EOD\n", kind);
    for (int i = 0; i < p->nmark; i++) {
      const double *x = p->point[p->mark[i].at];
      if ((int)p->mark[i].kind == kind)
        fprintf(out, "%.6g %.6g %u\n", x[0], x[1], mix(body_colour(p, p->mark[i].body), 0.0, 0.9));
    }
    fputs("EOD\n", out);
  }
}

static void write_style(FILE *out, const picture *p, const picture_line *l)
{
  switch (l->kind) {
  case PICTURE_ROD: fputs("lw 1.2 lc rgb '#222222'", out); break;
  case PICTURE_SPRING: fputs("lw 0.8 lc rgb '#444444'", out); break;
  case PICTURE_AXIS: fputs("lw 0.6 dt (12,3,2,3) lc rgb '#B00000'", out); break;
  case PICTURE_LINK: fprintf(out, "lw 3 lc rgb '#%06X'", mix(body_colour(p, l->number), 0.25, 1.0)); break;
  default: fprintf(out, "lw 1.2 lc rgb '%s'", cli_colour[(l->number - 1) % CLI_COLOURS]);
  }
}

/* Writes the plot command: links below axes and paths, and these below marks. */
static void write_plot(FILE *out, const picture *p)
{
  static const picture_line_kind order[] = { PICTURE_LINK, PICTURE_ROD, PICTURE_SPRING, PICTURE_AXIS,
                                             PICTURE_PATH };
  const char *separator = "plot ";
  /* Lines */
  for (size_t k = 0; k < sizeof order / sizeof *order; k++)
    for (int i = 0; i < p->nline; i++) {
      if (p->line[i].kind != order[k]) continue;
      fprintf(out, "%s$line%d using 1:2 with lines ", separator, i);
      write_style(out, p, &p->line[i]);
      separator = ", \\\n  ";
    }
  /* Marks, joints as rings */
  const double joint = p->nmark > MANY_MARKS ? 0.28 : 0.5;
  for (int kind = PICTURE_PARTICLE; kind >= PICTURE_JOINT; kind--) {
    if (kind == PICTURE_PARTICLE)
      fprintf(out, "%s$mark%d using 1:2:3 with points pt 7 ps %.2f lc rgb variable", separator, kind,
              1.6 * joint);
    else
      fprintf(out,
              "%s$mark%d using 1:2 with points pt 7 ps %.2f lc rgb '#222222', \\\n"
              "  $mark%d using 1:2 with points pt 7 ps %.2f lc rgb '%s'",
              separator, kind, joint, kind, 0.55 * joint, kind == PICTURE_GROUND ? "#909090" : "#FFFFFF");
    separator = ", \\\n  ";
  }
  fputs(", \\\n  NaN\n", out);
}

/* ---- Axes, scale and names ----------------------------------------------------------------------------- */

/* Writes the visible axes of the world, below on the left. */
static void write_axes(FILE *out, const picture *p)
{
  static const char names[] = "xyz";
  const double length = 5.0, x0 = 4.5, y0 = 3.5; /* mm */
  for (int k = 0; k < 3; k++) {
    const double x = length * p->view.right[k], y = length * p->view.up[k];
    if (hn_hypot(x, y) < 0.1 * length) continue;
    fprintf(out,
            "set arrow from screen %.4f,%.4f to screen %.4f,%.4f size screen %.4f,20 filled lw 0.6 "
            "lc rgb '#444444' front\n",
            x0 / p->width, y0 / p->height, (x0 + x) / p->width, (y0 + y) / p->height, 1.0 / p->width);
    fprintf(out, "set label '%c' at screen %.4f,%.4f center tc rgb '#444444' front\n", names[k],
            (x0 + 1.35 * x) / p->width, (y0 + 1.35 * y + (fabs(y) < 0.3 * length ? 0.0 : 0.2)) / p->height);
  }
}

/* Writes a bar of 1, 2 or 5 times a power of ten, below on the right, about a fifth of the picture long. */
static void write_scale(FILE *out, const picture *p)
{
  const double across = p->bounds.high[0] - p->bounds.low[0],
               power = hn_pow(10.0, floor(hn_log10(0.25 * across)));
  const double bar = (0.25 * across >= 5.0 * power ? 5.0 : 0.25 * across >= 2.0 * power ? 2.0 : 1.0) * power;
  const double right = 1.0 - 3.0 / p->width, left = right - bar / across, y = 2.5 / p->height;
  fprintf(out, "set arrow from screen %.4f,%.4f to screen %.4f,%.4f nohead lw 1.5 lc rgb '#444444' front\n",
          left, y, right, y);
  fprintf(out, "set label '%g m' at screen %.4f,%.4f center tc rgb '#444444' front\n", bar,
          0.5 * (left + right), (2.5 + letters * 0.353 * 0.8) / p->height);
}

static int write_script(FILE *out, const char *path, const void *data, hn_error *error)
{
  const picture *p = data;
  if (cli_gnuplot_terminal(out, path, p->width, p->height, letters, error)) return -1;
  fprintf(out,
          "set encoding utf8\nset lmargin at screen 0\nset rmargin at screen 1\nset bmargin at screen %.4f\n"
          "set tmargin at screen 1\nunset border\nunset tics\nunset key\n",
          below / p->height);
  fprintf(out, "set xrange [%.9g:%.9g]\nset yrange [%.9g:%.9g]\n", p->bounds.low[0], p->bounds.high[0],
          p->bounds.low[1], p->bounds.high[1]);
  write_faces(out, p);
  write_axes(out, p);
  write_scale(out, p);
  picture_write_names(out, p, letters);
  write_data(out, p);
  write_plot(out, p);
  return 0;
}

int picture_draw(picture *p, const char *path, double width, double height, hn_error *error)
{
  fit(p, width, height);
  return cli_gnuplot_draw(path, write_script, p, error);
}
