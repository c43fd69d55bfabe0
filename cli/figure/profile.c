/* profile.c - performance profiles of solvers over the problems of a table.
 *
 *   t_ps           cost of solver s on problem p; infinite if it does not solve p
 *   rho_s(tau)     fraction of all problems p with t_ps <= tau min over s of t_ps
 *
 * A problem is a value of the column "problem", with each value of "tolerance". A solver solves it if its
 * reason is `converged` and the residual is within the tolerance: that of the problem with the symmetric
 * part of the matrix where the solver got that, else that of the problem as given. Costs below a unit, 1 or
 * for times a microsecond, count as the unit. A problem of which all rows are errors, since it could not be
 * read, is none. [Dolan and More, Math. Program. 91 (2002) 201] */
#include <math.h>
#include <string.h>
#include "cli/base/memory.h"
#include "cli/base/parse.h"
#include "cli/figure/profile.h"

static const double time_unit = 1e-6;         /* s */
static const double residual_rounding = 1e-6; /* relative difference of residuals that is rounding */
static const double axis_end = 1.2;           /* of the axis, beyond the largest factor */
static const double min_axis = 2.0;           /* end of the axis if all factors are 1 */

typedef struct profile {
  const figure_data *data;
  int problem, solver, reason, cost, tolerance, residual, symmetric; /* columns; -1: missing */
  double unit;
  size_t *row; /* [nproblem] first row of each problem */
  bool *known; /* [nproblem] a row of it is not an error */
  size_t nproblem, nsolver;
  const char *name[FIGURE_MAX_CURVES]; /* of solvers */
  double *t; /* [nproblem * FIGURE_MAX_CURVES] costs; 0: no row, HUGE_VAL: not solved */
} profile;

/* ---- The table ----------------------------------------------------------------------------------------- */

static int find_columns(profile *c, const cli_options *o, hn_error *error)
{
  const char *cost = o->y ? o->y : "seconds";
  const char *unused = o->x ? "--x" : o->by ? "--by" : o->slopes ? "--slopes" : NULL;
  if (unused) return hn_fail(error, "plot: %s has no meaning with --profile", unused);
  c->problem = figure_column(c->data, "problem", error);
  if (c->problem < 0 || (c->solver = figure_column(c->data, "solver", error)) < 0 ||
      (c->reason = figure_column(c->data, "reason", error)) < 0 ||
      (c->cost = figure_column(c->data, cost, error)) < 0)
    return -1;
  c->tolerance = figure_column(c->data, "tolerance", NULL);
  c->residual = figure_column(c->data, "residual", NULL);
  c->symmetric = figure_column(c->data, "symmetric_residual", NULL);
  c->unit = strcmp(cost, "seconds") == 0 ? time_unit : 1.0;
  return 0;
}

static double number_in(const profile *c, size_t row, int column)
{
  double number;
  return column >= 0 && cli_parse_number(figure_field(c->data, row, column), &number) ? number : NAN;
}

/* True if the run of ROW has solved its problem. */
static bool is_solved(const profile *c, size_t row)
{
  const double tolerance = number_in(c, row, c->tolerance), symmetric = number_in(c, row, c->symmetric);
  const double residual = isnan(symmetric) ? number_in(c, row, c->residual) : symmetric;
  if (strcmp(figure_field(c->data, row, c->reason), "converged") != 0) return false;
  return isnan(tolerance) || residual <= tolerance * (1.0 + residual_rounding);
}

static bool same_problem(const profile *c, size_t a, size_t b)
{
  const bool same = strcmp(figure_field(c->data, a, c->problem), figure_field(c->data, b, c->problem)) == 0;
  return same && (c->tolerance < 0 || strcmp(figure_field(c->data, a, c->tolerance),
                                             figure_field(c->data, b, c->tolerance)) == 0);
}

/* Returns the index of the problem of ROW, which is added if it is new. */
static size_t find_problem(profile *c, size_t row)
{
  size_t p = c->nproblem; /* rows of a problem stand together: the last ones first */
  while (p > 0 && !same_problem(c, c->row[p - 1], row)) p--;
  if (p > 0) return p - 1;
  c->row = cli_grow(c->row, c->nproblem + 1, sizeof *c->row);
  c->t = cli_grow(c->t, (c->nproblem + 1) * FIGURE_MAX_CURVES, sizeof *c->t);
  memset(c->t + c->nproblem * FIGURE_MAX_CURVES, 0, FIGURE_MAX_CURVES * sizeof *c->t);
  c->known = cli_grow(c->known, c->nproblem + 1, sizeof *c->known);
  c->row[c->nproblem] = row, c->known[c->nproblem] = false;
  return c->nproblem++;
}

/* Returns the index of the solver of ROW, which is added if it is new; -1 if there are too many. */
static int find_solver(profile *c, size_t row, hn_error *error)
{
  const char *name = figure_field(c->data, row, c->solver);
  size_t s = 0;
  while (s < c->nsolver && strcmp(c->name[s], name) != 0) s++;
  if (s < c->nsolver) return (int)s;
  if (s == FIGURE_MAX_CURVES)
    return hn_fail(error, "more than %zu curves; choose some of them with --where", s);
  c->name[c->nsolver++] = name;
  return (int)s;
}

static int add_row(profile *c, size_t row, hn_error *error)
{
  const int s = find_solver(c, row, error);
  if (s < 0) return -1;
  const size_t p = find_problem(c, row); /* may move c->t */
  double *t = &c->t[p * FIGURE_MAX_CURVES + (size_t)s];
  const double cost = number_in(c, row, c->cost);
  if (*t > 0.0)
    return hn_fail(error, "several rows of %s on %s; choose one of them with --where", c->name[s],
                   figure_field(c->data, row, c->problem));
  c->known[p] = c->known[p] || strcmp(figure_field(c->data, row, c->reason), "error") != 0;
  *t = is_solved(c, row) && cost >= 0.0 ? fmax(cost, c->unit) : HUGE_VAL;
  return 0;
}

/* Leaves out the problems that are not known. */
static void drop_unknown(profile *c)
{
  size_t kept = 0;
  for (size_t p = 0; p < c->nproblem; p++) {
    if (!c->known[p]) continue;
    memmove(c->t + kept++ * FIGURE_MAX_CURVES, c->t + p * FIGURE_MAX_CURVES,
            FIGURE_MAX_CURVES * sizeof *c->t);
  }
  c->nproblem = kept;
}

/* ---- The curves ---------------------------------------------------------------------------------------- */

static int by_size(const void *left, const void *right)
{
  const double *a = left, *b = right;
  return (*a > *b) - (*a < *b);
}

/* Replaces the costs by factors of the lowest cost of the problem. Returns the largest finite one. */
static double find_factors(profile *c)
{
  double largest = 1.0;
  for (size_t p = 0; p < c->nproblem; p++) {
    double *t = c->t + p * FIGURE_MAX_CURVES, best = HUGE_VAL;
    for (size_t s = 0; s < c->nsolver; s++) best = t[s] > 0.0 ? fmin(best, t[s]) : best;
    for (size_t s = 0; s < c->nsolver; s++) {
      t[s] = t[s] > 0.0 && t[s] < HUGE_VAL ? t[s] / best : HUGE_VAL;
      if (t[s] < HUGE_VAL) largest = fmax(largest, t[s]);
    }
  }
  return largest;
}

static void add_point(figure_curve *curve, double x, double y)
{
  curve->x = cli_grow(curve->x, curve->count + 1, sizeof *curve->x);
  curve->y = cli_grow(curve->y, curve->count + 1, sizeof *curve->y);
  curve->x[curve->count] = x, curve->y[curve->count++] = y;
}

/* Adds the steps of solver S from 1 to END. FACTOR[nproblem] is overwritten. */
static void add_steps(const profile *c, size_t s, double end, double *factor, figure_curve *curve)
{
  const double n = (double)c->nproblem;
  size_t count = 0, solved = 0;
  for (size_t p = 0; p < c->nproblem; p++) {
    const double t = c->t[p * FIGURE_MAX_CURVES + s];
    if (t < HUGE_VAL) factor[count++] = t;
  }
  qsort(factor, count, sizeof *factor, by_size);
  while (solved < count && factor[solved] <= 1.0) solved++;
  add_point(curve, 1.0, (double)solved / n);
  while (solved < count) {
    const double tau = factor[solved];
    add_point(curve, tau, (double)solved / n);
    while (solved < count && factor[solved] <= tau) solved++;
    add_point(curve, tau, (double)solved / n);
  }
  add_point(curve, end, (double)solved / n);
}

static void add_curves(figure *f, profile *c)
{
  const double largest = find_factors(c);
  const double end = fmax(axis_end * largest, min_axis);
  double *factor = cli_alloc(c->nproblem, sizeof *factor);
  f->curve = cli_alloc(c->nsolver, sizeof *f->curve);
  for (; f->ncurve < c->nsolver; f->ncurve++) {
    figure_curve *curve = &f->curve[f->ncurve];
    curve->name = cli_text("%s", c->name[f->ncurve]), curve->shown = curve->name;
    add_steps(c, f->ncurve, end, factor, curve);
  }
  f->x.logarithmic = true, f->x.low = 1.0, f->x.high = end;
  f->y.low = 0.0, f->y.high = 1.0;
  free(factor);
}

int figure_profile(figure *f, const figure_data *data, const cli_options *options, hn_error *error)
{
  profile c = { .data = data };
  *f = (figure){ .lines = true };
  int status = find_columns(&c, options, error);
  for (size_t row = 0; row < data->nrow && status == 0; row++) {
    bool chosen = true;
    for (size_t i = 0; i < options->nwhere && status == 0; i++) {
      const int column = figure_column(data, options->where[i].name, error);
      if (column < 0) status = -1;
      else chosen = chosen && figure_agrees(figure_field(data, row, column), options->where[i].value);
    }
    if (status == 0 && chosen) status = add_row(&c, row, error);
  }
  drop_unknown(&c);
  if (status == 0 && c.nproblem == 0) status = hn_fail(error, "nothing to draw: no row that is asked for");
  if (status == 0) {
    add_curves(f, &c);
    f->x.title = cli_text("%s, relative to the best solver", data->column[c.cost]);
    f->y.title = cli_text("fraction of %zu problems solved", c.nproblem);
  }
  free(c.row), free(c.known), free(c.t);
  return status == 0 ? figure_finish(f, options, error) : -1;
}
