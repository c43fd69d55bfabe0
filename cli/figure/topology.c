/* topology.c - draws the nonzero entries of G and K, by gnuplot.
 *
 * G has a column for each degree of freedom of a moving body, K = G W G' a row and a column for each row of a
 * joint. Blocks of joints that share a moving body are grey, their nonzero entries dark. Redundant rows of G
 * have a colour of their own. With many rows only the blocks are drawn. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "cli/base/gnuplot.h"
#include "cli/base/memory.h"
#include "cli/figure/figure.h"

enum { MAX_ROWS = 600 }; /* with more rows, only blocks of K are drawn */

static const double tiny = 1e-10; /* an entry that counts as zero, relative to the largest of its row */
static const double usual_width = 160.0, gap = 8.0, edge = 2.0, top = 3.2 * FIGURE_LINE; /* mm */

typedef struct topology {
  const hn_system *system;
  const hn_rank *rank;
  int *column; /* [nbody + 1] first column of each body in G */
  int columns, rows;
  bool entries;         /* draw entries, not blocks alone */
  double unit;          /* size of a row or column, mm */
  double left, head;    /* space for names of joints and of bodies, mm */
  double width, height; /* mm */
} topology;

/* ---- Entries ------------------------------------------------------------------------------------------- */

static int freedoms_of(const hn_model *model, const hn_body *body)
{
  const int spatial = body->kind == HN_FIXED ? 0 : body->kind == HN_PARTICLE ? 3 : 6;
  return model->planar ? spatial / 2 + (spatial == 3) : spatial; /* 3 and 2 in the plane */
}

static void box(FILE *out, double x, double y, double width, double height)
{
  fprintf(out, "%.9g %.9g %.9g %.9g %.9g %.9g\n", x + 0.5 * width, y + 0.5 * height, x, x + width, y,
          y + height);
}

/* Returns the component of the twist that a degree of freedom stands for. */
static int component(const hn_model *model, int freedom)
{
  static const int planar[] = { 0, 1, 5 };
  return model->planar ? planar[freedom] : freedom;
}

static bool is_redundant(const hn_rank *rank, int row)
{
  for (int i = 0; i < rank->rows - rank->rank; i++)
    if (rank->redundant[i] == row) return true;
  return false;
}

/* Writes the entries of the redundant rows of G, or of the others. Returns their number; OUT may be NULL. */
static long write_rows(FILE *out, const topology *t, bool redundant)
{
  const hn_system *s = t->system;
  long count = 0;
  for (const hn_block *b = s->block; b < s->block + s->nblock; b++)
    for (int side = 0; side < 2; side++) {
      const int body = side ? b->b : b->a, freedoms = t->column[body + 1] - t->column[body];
      const double *G = s->G + 12 * b->row + 6 * b->n * side;
      for (int r = 0; r < b->n; r++)
        for (int f = 0; f < freedoms; f++) {
          if (is_redundant(t->rank, b->row + r) != redundant ||
              fabs(G[component(s->model, f) * b->n + r]) < tiny)
            continue;
          if (out) box(out, t->column[body] + f, b->row + r, 1, 1);
          count++;
        }
    }
  return count;
}

/* Returns the entry of K in row I of block A and row J of block B. */
static double product(const hn_system *s, const hn_block *a, int i, const hn_block *b, int j)
{
  double sum = 0.0;
  for (int x = 0; x < 2; x++)
    for (int y = 0; y < 2; y++) {
      const int body = x ? a->b : a->a;
      const double *G = s->G + 12 * a->row + 6 * a->n * x, *T = s->T + 12 * b->row + 6 * b->n * y;
      if (body != (y ? b->b : b->a)) continue;
      for (int c = 0; c < 6; c++) sum += G[c * a->n + i] * T[6 * j + c];
    }
  return sum;
}

/* True if two blocks share a moving body. */
static bool share(const topology *t, const hn_block *a, const hn_block *b)
{
  const hn_body *body = t->system->model->body;
  const int common = a->a == b->a || a->a == b->b ? a->a : a->b == b->a || a->b == b->b ? a->b : -1;
  const int other = a->b == b->a || a->b == b->b ? a->b : common;
  return common >= 0 && (body[common].kind != HN_FIXED || body[other].kind != HN_FIXED);
}

/* Writes the blocks of K, or its nonzero ENTRIES. Returns the number of entries; OUT may be NULL. */
static long write_products(FILE *out, const topology *t, bool entries)
{
  const hn_system *s = t->system;
  const double shift = t->columns + gap / t->unit;
  long count = 0;
  for (const hn_block *a = s->block; a < s->block + s->nblock; a++)
    for (const hn_block *b = s->block; b < s->block + s->nblock; b++) {
      if (!share(t, a, b)) continue;
      if (!entries && out) box(out, shift + b->row, a->row, b->n, a->n);
      if (!entries) count += a->n * b->n;
      for (int i = 0; entries && i < a->n; i++)
        for (int j = 0; j < b->n; j++) {
          const double size = sqrt(product(s, a, i, a, i) * product(s, b, j, b, j));
          if (fabs(product(s, a, i, b, j)) < tiny * size) continue;
          if (out) box(out, shift + b->row + j, a->row + i, 1, 1);
          count++;
        }
    }
  return count;
}

/* Writes the blocks of G. */
static void write_blocks(FILE *out, const topology *t)
{
  const hn_system *s = t->system;
  for (const hn_block *b = s->block; b < s->block + s->nblock; b++)
    for (int side = 0; side < 2; side++) {
      const int body = side ? b->b : b->a, freedoms = t->column[body + 1] - t->column[body];
      if (freedoms > 0) box(out, t->column[body], b->row, freedoms, b->n);
    }
}

/* ---- The script ---------------------------------------------------------------------------------------- */

static void frame(FILE *out, double x0, double x1, double y1)
{
  fprintf(out,
          "set object rectangle from %.9g,0 to %.9g,%.9g fs empty border lc rgb '#444444' lw 0.8 front\n", x0,
          x1, y1);
}

static double middle(int from, int to)
{
  return 0.5 * (from + to);
}

static void write_labels(FILE *out, const topology *t)
{
  const hn_system *s = t->system;
  const double letters = FIGURE_LETTERS - 1.0;
  for (const hn_block *b = s->block; t->left > edge && b < s->block + s->nblock; b++) {
    fputs("set label ", out);
    cli_gnuplot_text(out, b->joint->name);
    fprintf(out, " at %.9g,%.9g right noenhanced font ',%g'\n", -1.0 / t->unit, middle(b->row, b->row + b->n),
            letters);
  }
  for (int i = 1; t->head > 0.0 && i < s->model->nbody; i++) {
    if (t->column[i + 1] == t->column[i]) continue;
    fputs("set label ", out);
    cli_gnuplot_text(out, s->model->body[i].name);
    fprintf(out, " at %.9g,%.9g left rotate by 90 noenhanced font ',%g'\n",
            middle(t->column[i], t->column[i + 1]), -1.0 / t->unit, letters);
  }
}

static void write_title(FILE *out, const topology *t, double x, const char *name, int columns, long count)
{
  const double all = (double)t->rows * columns;
  fprintf(out, "set label '%s  %d × %d' at %.9g,%.9g left noenhanced\n", name, t->rows, columns, x,
          -(t->head + 1.7 * FIGURE_LINE) / t->unit);
  fprintf(out, "set label '%.3g %% not zero' at %.9g,%.9g left noenhanced\n",
          all > 0.0 ? 100.0 * (double)count / all : 0.0, x, -(t->head + 0.7 * FIGURE_LINE) / t->unit);
}

static int write_topology(FILE *out, const char *path, const void *data, hn_error *error)
{
  const topology *t = data;
  const double shift = t->columns + gap / t->unit, right = shift + t->rows;
  const int redundant = t->rank->rows - t->rank->rank;
  if (cli_gnuplot_terminal(out, path, t->width, t->height, FIGURE_LETTERS, error)) return -1;
  fprintf(out,
          "set encoding utf8\nset lmargin at screen 0\nset rmargin at screen 1\nset bmargin at screen 0\n"
          "set tmargin at screen 1\n"
          "set xrange [%.9g:%.9g]\nset yrange [%.9g:%.9g]\nunset border\nunset tics\nunset key\n",
          -t->left / t->unit, right + edge / t->unit,
          t->rows + (edge + (redundant > 0 ? FIGURE_LINE : 0.0)) / t->unit, -(t->head + top) / t->unit);
  /* Frames, titles and names */
  frame(out, 0.0, t->columns, t->rows), frame(out, shift, right, t->rows);
  write_title(out, t, 0.0, "G", t->columns, write_rows(NULL, t, false) + write_rows(NULL, t, true));
  write_title(out, t, shift, "K", t->rows, write_products(NULL, t, t->entries));
  if (redundant > 0)
    fprintf(out, "set label '%d rows that can be removed together' at 0,%.9g left tc rgb '%s'\n", redundant,
            t->rows + 0.7 * FIGURE_LINE / t->unit, cli_colour[1]);
  write_labels(out, t);
  /* Data, then the plot: blocks first, entries on top */
  fprintf(out, "$blocks << EOD\n"), write_blocks(out, t), write_products(out, t, false), fputs("EOD\n", out);
  fprintf(out, "$rows << EOD\n"), write_rows(out, t, false), fputs("0 0 NaN NaN NaN NaN\n", out);
  write_products(out, t, t->entries);
  fprintf(out, "EOD\n$redundant << EOD\n"), write_rows(out, t, true),
    fputs("0 0 NaN NaN NaN NaN\nEOD\n", out);
  fputs("plot $blocks with boxxyerror fs solid noborder lc rgb '#d4dbe3', \\\n", out);
  fprintf(out, "  $rows with boxxyerror fs solid noborder lc rgb '%s', \\\n", cli_colour[0]);
  fprintf(out, "  $redundant with boxxyerror fs solid noborder lc rgb '%s'\n", cli_colour[1]);
  return 0;
}

/* ---- The drawing --------------------------------------------------------------------------------------- */

static double longer(double length, const char *name)
{
  return fmax(length, 0.5 * FIGURE_LETTERS * FIGURE_POINT * (double)strlen(name));
}

static void fit(topology *t)
{
  t->unit = (t->width - t->left - gap - edge) / (t->columns + t->rows);
}

/* Sets the sizes. Names are shown if there is space for a line each. */
static void lay_out(topology *t, double width)
{
  const hn_model *model = t->system->model;
  t->width = width > 0.0 ? width : usual_width;
  for (int j = 0; j < model->njoint; j++) t->left = longer(t->left, model->joint[j].name);
  for (int i = 1; i < model->nbody; i++) t->head = longer(t->head, model->body[i].name);
  t->left += 2.0 * edge, t->head += edge;
  fit(t);
  if (t->unit * t->rows < 0.8 * FIGURE_LINE * t->system->nblock) t->left = edge, fit(t);
  if (t->unit * t->columns < 0.8 * FIGURE_LINE * (model->nbody - 1)) t->head = 0.0;
  t->height = top + t->head + t->unit * t->rows + edge + (t->rank->rank < t->rank->rows ? FIGURE_LINE : 0.0);
}

int figure_topology(const hn_model *model, const hn_state *state, const hn_rank *rank, const char *path,
                    double width, hn_error *error)
{
  if (model->nrow == 0) return hn_fail(error, "there are no joints: nothing to draw");
  hn_system *system = hn_system_create(model, error);
  if (!system) return -1;
  hn_system_jacobian(system, state);
  topology t = { .system = system,
                 .rank = rank,
                 .rows = model->nrow,
                 .entries = model->nrow <= MAX_ROWS,
                 .column = cli_alloc((size_t)model->nbody + 1, sizeof *t.column) };
  for (int i = 0; i < model->nbody; i++)
    t.column[i + 1] = t.columns = t.column[i] + freedoms_of(model, &model->body[i]);
  lay_out(&t, width);
  int status = cli_gnuplot_draw(path, write_topology, &t, error);
  free(t.column);
  hn_system_free(system);
  return status;
}
