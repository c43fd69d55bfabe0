/* grid.c - points x methods x steps, from the command line. */
#include <stdio.h>
#include <string.h>
#include "cli/base/memory.h"
#include "cli/base/parse.h"
#include "cli/base/values.h"
#include "cli/sweep/grid.h"

/* COUNT times MORE, which must not be more rows than there may be. */
static int multiply(size_t *count, size_t more, hn_error *error)
{
  const double product = (double)*count * (double)more;
  *count *= more;
  if (product <= SWEEP_MOST_ROWS) return 0;
  return hn_fail(error, "sweep: %g runs and more; the most is %d", product, SWEEP_MOST_ROWS);
}

static int read_axes(sweep_grid *grid, hn_error *error)
{
  const cli_options *o = grid->options;
  grid->axis = cli_alloc(o->nsetting + 1, sizeof *grid->axis);
  grid->value = cli_alloc(o->nsetting + 1, sizeof *grid->value);
  grid->nvalue = cli_alloc(o->nsetting + 1, sizeof *grid->nvalue);
  grid->npoint = 1;
  int status = 0;
  for (size_t i = 0; i < o->nsetting && status == 0; i++) {
    char *what = cli_text("--set %s", o->setting[i].name);
    grid->axis[grid->naxis] = cli_text("%s", o->setting[i].name);
    grid->value[grid->naxis] = cli_values(what, o->setting[i].value, &grid->nvalue[grid->naxis], error);
    free(what);
    status = grid->value[grid->naxis] ? multiply(&grid->npoint, grid->nvalue[grid->naxis], error) : -1;
    grid->naxis++;
    for (size_t j = 0; j < i && status == 0; j++)
      if (strcmp(grid->axis[i], grid->axis[j]) == 0) status = hn_fail(error, "--set %s is given twice", grid->axis[i]);
  }
  return status;
}

/* Every method with every value of one more of its parameters. */
static int vary(sweep_grid *grid, const char *key, const char *text, hn_error *error)
{
  size_t count, before = grid->nmethod;
  char *what = cli_text("--%s", key), **value = cli_values(what, text, &count, error);
  free(what);
  if (!value) return -1;
  int status = multiply(&grid->nmethod, count, error);
  sweep_method *all = status == 0 ? cli_alloc(grid->nmethod, sizeof *all) : NULL;
  for (size_t i = 0; status == 0 && i < grid->nmethod; i++) {
    const sweep_method *m = &grid->method[i / count];
    all[i].spec = m->spec ? cli_text("%s", m->spec) : NULL;
    all[i].settings = m->settings ? cli_text("%s,%s=%s", m->settings, key, value[i % count])
                                  : cli_text("%s=%s", key, value[i % count]);
  }
  for (size_t i = 0; i < before && status == 0; i++) free(grid->method[i].spec), free(grid->method[i].settings);
  if (status == 0) free(grid->method), grid->method = all;
  else grid->nmethod = before;
  cli_strings_free(value);
  return status;
}

static int read_methods(sweep_grid *grid, hn_error *error)
{
  const cli_options *o = grid->options;
  if (o->solver && o->solvers) return hn_fail(error, "sweep: --solver and --solvers cannot be given both");
  char **spec = o->solvers ? cli_split_specs(o->solvers, error) : cli_alloc(1, sizeof *spec);
  if (!spec) return -1;
  while (spec[grid->nmethod]) grid->nmethod++;
  grid->method = cli_alloc(grid->nmethod + 1, sizeof *grid->method);
  for (size_t i = 0; i < grid->nmethod; i++) grid->method[i].spec = spec[i];
  free(spec);
  if (grid->nmethod == 0) grid->method[grid->nmethod++].spec = o->solver ? cli_text("%s", o->solver) : NULL;
  int status = 0;
  for (size_t i = 0; i < o->nvaried && status == 0; i++)
    status = vary(grid, o->varied[i].name, o->varied[i].value, error);
  return status;
}

static int read_steps(sweep_grid *grid, hn_error *error)
{
  const cli_options *o = grid->options;
  if (o->nsteps > 0 && o->step > 0.0) return hn_fail(error, "sweep: --step and --steps cannot be given both");
  grid->nstep = o->nsteps ? o->nsteps : 1;
  grid->step = cli_alloc(grid->nstep, sizeof *grid->step);
  if (o->nsteps) memcpy(grid->step, o->steps, sizeof *grid->step * grid->nstep);
  else grid->step[0] = o->step;
  return 0;
}

int sweep_grid_read(sweep_grid *grid, const cli_options *options, hn_error *error)
{
  *grid = (sweep_grid){ .options = options };
  if (read_axes(grid, error) || read_methods(grid, error) || read_steps(grid, error)) return -1;
  grid->nrow = grid->npoint;
  return multiply(&grid->nrow, grid->nmethod, error) || multiply(&grid->nrow, grid->nstep, error) ? -1 : 0;
}

void sweep_grid_free(sweep_grid *grid)
{
  for (size_t i = 0; i < grid->naxis; i++) free(grid->axis[i]), cli_strings_free(grid->value[i]);
  for (size_t i = 0; i < grid->nmethod; i++) free(grid->method[i].spec), free(grid->method[i].settings);
  free(grid->axis), free(grid->value), free(grid->nvalue), free(grid->method), free(grid->step);
  memset(grid, 0, sizeof *grid);
}

/* ---- Rows -------------------------------------------------------------------------------------------------------- */

size_t sweep_point_of(const sweep_grid *grid, size_t row)
{
  return row / (grid->nmethod * grid->nstep);
}

const sweep_method *sweep_method_of(const sweep_grid *grid, size_t row)
{
  return &grid->method[row / grid->nstep % grid->nmethod];
}

double sweep_step_of(const sweep_grid *grid, size_t row)
{
  return grid->step[row % grid->nstep];
}

const char *sweep_value(const sweep_grid *grid, size_t point, size_t axis)
{
  for (size_t i = grid->naxis; --i > axis;) point /= grid->nvalue[i];
  return grid->value[axis][point % grid->nvalue[axis]];
}

/* ---- Which sweep is it? ------------------------------------------------------------------------------------------ */

/* FNV-1a, with the terminating zero, so that no two lists of texts run into each other. */
static uint64_t add(uint64_t hash, const char *text)
{
  const char *c = text ? text : "\1";
  do hash = (hash ^ (unsigned char)*c) * 1099511628211u;
  while (*c++);
  return hash;
}

static uint64_t add_file(uint64_t hash, const char *path)
{
  FILE *file = fopen(path, "r");
  for (int c; file && (c = getc(file)) != EOF;) hash = (hash ^ (unsigned)c) * 1099511628211u;
  if (file) fclose(file);
  return hash;
}

uint64_t sweep_fingerprint(const sweep_grid *grid, const char *path)
{
  const cli_options *o = grid->options;
  uint64_t hash = add(add_file(14695981039346656037u, path), hn_version());
  for (size_t i = 0; i < grid->naxis; i++) {
    hash = add(hash, grid->axis[i]);
    for (size_t k = 0; k < grid->nvalue[i]; k++) hash = add(hash, grid->value[i][k]);
  }
  for (size_t i = 0; i < grid->nmethod; i++) hash = add(add(hash, grid->method[i].spec), grid->method[i].settings);
  for (size_t i = 0; i < grid->nstep; i++) hash = add(hash, hn_exact(grid->step[i]).text);
  hash = add(add(hash, hn_exact(o->duration).text), o->reference);
  return add(hash, o->consistent ? o->times ? "ct" : "c" : o->times ? "t" : "");
}
