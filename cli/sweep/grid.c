/* grid.c - points x solvers x steps, and the hash of a grid. */
#include <stdlib.h>
#include <string.h>
#include "cli/base/file_hash.h"
#include "cli/base/memory.h"
#include "cli/base/parse.h"
#include "cli/sweep/grid.h"

void sweep_grid_free(sweep_grid *grid)
{
  for (size_t i = 0; i < grid->naxis; i++) {
    sweep_axis *axis = &grid->axis[i];
    for (size_t k = 0; k < axis->nname; k++) free(axis->name[k]);
    free(axis->name);
    if (axis->value) cli_strings_free(axis->value);
  }
  for (size_t i = 0; i < grid->nsolver; i++) free(grid->solver[i].spec), free(grid->solver[i].settings);
  free(grid->axis), free(grid->parameter), free(grid->solver), free(grid->step);
  hn_study_free(grid->study);
  memset(grid, 0, sizeof *grid);
}

/* ---- Rows -------------------------------------------------------------------------------------------- */

size_t sweep_point_of(const sweep_grid *grid, size_t row)
{
  return row / (grid->nsolver * grid->nstep);
}

const sweep_solver *sweep_solver_of(const sweep_grid *grid, size_t row)
{
  return &grid->solver[row / grid->nstep % grid->nsolver];
}

char *sweep_spec(const sweep_solver *solver, const char *own)
{
  const char *spec = solver->spec ? solver->spec : own;
  return solver->settings ? cli_spec_override(spec, solver->settings) : cli_text("%s", spec);
}

double sweep_step_of(const sweep_grid *grid, size_t row)
{
  return grid->step[row % grid->nstep];
}

const char *sweep_value(const sweep_grid *grid, size_t point, size_t parameter)
{
  size_t axis = 0, place = parameter;
  while (place >= grid->axis[axis].nname) place -= grid->axis[axis++].nname;
  for (size_t i = grid->naxis; --i > axis;) point /= grid->axis[i].count;
  return grid->axis[axis].value[point % grid->axis[axis].count * grid->axis[axis].nname + place];
}

/* ---- Fingerprint ------------------------------------------------------------------------------------- */

/* Adds a text with its terminating zero, so that different lists of texts have different hashes. */
static uint64_t add(uint64_t hash, const char *text)
{
  const char *bytes = text ? text : "\1";
  return cli_hash(hash, bytes, strlen(bytes) + 1);
}

uint64_t sweep_fingerprint(const sweep_grid *grid, const char *path)
{
  uint64_t hash = add(cli_hash_file(HN_HASH_START, path), hn_version());
  if (grid->study) hash = cli_hash(hash, grid->study->text, grid->study->length);
  for (size_t i = 0; i < grid->naxis; i++) {
    const sweep_axis *axis = &grid->axis[i];
    for (size_t k = 0; k < axis->nname; k++) hash = add(hash, axis->name[k]);
    for (size_t k = 0; k < axis->count * axis->nname; k++) hash = add(hash, axis->value[k]);
  }
  for (size_t i = 0; i < grid->options->nsolver_files; i++)
    hash = cli_hash_file(add(hash, grid->options->solver_files[i]), grid->options->solver_files[i]);
  for (size_t i = 0; i < grid->nsolver; i++)
    hash = add(add(hash, grid->solver[i].spec), grid->solver[i].absent ? "\2" : grid->solver[i].settings);
  for (size_t i = 0; i < grid->nstep; i++) hash = add(hash, hn_exact(grid->step[i]).text);
  hash = add(add(hash, hn_exact(grid->duration).text), grid->reference);
  hash = add(hash, cli_norms[grid->norm].name);
  const bool times = grid->times;
  return add(hash, grid->consistent ? times ? "ct" : "c" : times ? "t" : "");
}
