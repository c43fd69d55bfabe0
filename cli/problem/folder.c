/* folder.c - the contact problems of a folder: a grid of problems x contact solvers x tolerances, which the
 * machinery of `sweep` runs in worker processes and collects in a table that can be resumed. */
#include <dirent.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include "cli/base/file_hash.h"
#include "cli/base/memory.h"
#include "cli/base/output.h"
#include "cli/base/parse.h"
#include "cli/problem/answer.h"
#include "cli/problem/folder.h"
#include "cli/study/report_struct.h"
#include "cli/sweep/sweep.h"

static const char columns[] =
  "problem,contacts,rows,asymmetry,solver,tolerance,reason,residual,symmetric_residual,"
  "iterations,factorisations,seconds,explanation";

/* ---- Rows ---------------------------------------------------------------------------------------------- */

/* Keeps the problem of the last row, which neighbouring rows share. */
typedef struct worker {
  const sweep_grid *grid;
  size_t point;        /* of this problem; SIZE_MAX: none */
  hn_problem *problem; /* NULL: it cannot be read */
  hn_error why;        /* why not */
} worker;

static void *create_worker(const sweep_grid *grid)
{
  worker *w = cli_alloc(1, sizeof *w);
  w->grid = grid, w->point = SIZE_MAX;
  return w;
}

/* Returns the path of problem POINT, to be freed. */
static char *path_of(const sweep_grid *grid, size_t point)
{
  return cli_text("%s/%s", grid->scene, sweep_value(grid, point, 0));
}

static const hn_problem *load_problem(worker *w, size_t point)
{
  if (w->point == point) return w->problem;
  char *path = path_of(w->grid, point);
  hn_problem_free(w->problem);
  w->problem = hn_problem_read(path, NULL, &w->why);
  w->point = point;
  free(path);
  return w->problem;
}

/* Writes a comma and NUMBER, or an empty field if it is not finite. */
static void put_real(FILE *out, double number)
{
  fprintf(out, ",%s", isfinite(number) ? hn_exact(number).text : "");
}

/* Returns a row; ANSWER is NULL without a result, for the reason WHY, and PROBLEM if it is not known. */
static char *make_row(const sweep_grid *grid, size_t row, const hn_problem *problem, const cli_answer *a,
                      const char *why)
{
  char *line;
  size_t length;
  FILE *out = open_memstream(&line, &length);
  putc(a && a->reason == HN_CONVERGED ? '+' : '-', out);
  cli_put_csv(out, sweep_value(grid, sweep_point_of(grid, row), 0));
  if (problem) fprintf(out, ",%d,%d", cli_problem_contacts(problem), problem->nrow);
  else fputs(",,", out);
  put_real(out, problem ? hn_problem_asymmetry(problem) : NAN);
  putc(',', out), cli_put_csv(out, sweep_solver_of(grid, row)->spec);
  put_real(out, sweep_step_of(grid, row));
  fprintf(out, ",%s", a ? hn_reason_name(a->reason) : "error");
  put_real(out, a ? a->error : NAN), put_real(out, a ? a->symmetric : NAN);
  if (a) fprintf(out, ",%d,%d", a->iterations, a->factorisations);
  else fputs(",,", out);
  if (a) fprintf(out, ",%.6g,", a->seconds);
  else fputs(",,", out);
  cli_put_csv(out, why ? why : "");
  fclose(out);
  return line;
}

static char *head(const sweep_grid *grid)
{
  (void)grid;
  return cli_text("%s", columns);
}

static char *dead_row(const sweep_grid *grid, size_t row, const char *why)
{
  return make_row(grid, row, NULL, NULL, why);
}

static char *run_row(worker *w, size_t row)
{
  hn_error error;
  cli_answer answer;
  const hn_problem *problem = load_problem(w, sweep_point_of(w->grid, row));
  if (!problem) return dead_row(w->grid, row, w->why.text);
  const bool solved = cli_answer_solve(&answer, problem, NULL, sweep_solver_of(w->grid, row)->spec,
                                       sweep_step_of(w->grid, row), &error) == 0;
  char *line = make_row(w->grid, row, problem, solved ? &answer : NULL, solved ? answer.message : error.text);
  cli_answer_free(&answer);
  return line;
}

/* Checks the settings of all solvers. The fingerprint covers the contents of all files. */
static char *check(const sweep_grid *grid)
{
  hn_error error;
  uint64_t hash = sweep_fingerprint(grid, grid->scene);
  for (size_t i = 0; i < grid->nsolver; i++) {
    const hn_contact_options options = { grid->solver[i].spec, cli_problem_tolerance,
                                         CLI_PROBLEM_ITERATIONS };
    hn_contact_solver *solver = hn_contact_solver_create(&options, &(hn_problem_size){ 1, 6, 1 }, &error);
    if (!solver) return cli_text("no %s", error.text);
    hn_contact_solver_free(solver);
  }
  for (size_t point = 0; point < grid->npoint; point++) {
    char *path = path_of(grid, point);
    hash = cli_hash_file(hash, path);
    free(path);
  }
  return cli_text("ok %016" PRIx64, hash);
}

/* Problems need no reference. */
static char *answer_request(void *worker_data, const char *request)
{
  worker *w = worker_data;
  if (request[0] == 'c') return check(w->grid);
  if (request[0] == 'p') return cli_text("-");
  return run_row(w, strtoull(request + 1, NULL, 10));
}

static const sweep_runs problem_runs = { head, dead_row, create_worker, answer_request };

/* ---- The grid ------------------------------------------------------------------------------------------ */

bool cli_is_folder(const char *path)
{
  struct stat file;
  return stat(path, &file) == 0 && S_ISDIR(file.st_mode);
}

static int select_problem(const struct dirent *entry)
{
  return entry->d_name[0] != '.' &&
         (cli_ends_in(entry->d_name, ".hdf5") || cli_ends_in(entry->d_name, ".h5"));
}

static int compare_names(const struct dirent **a, const struct dirent **b)
{
  return strcmp((*a)->d_name, (*b)->d_name);
}

/* Adds the names of the problems of the folder in the order of their bytes. */
static int list_problems(sweep_grid *grid, hn_error *error)
{
  static char name[] = "problem";
  struct dirent **entry = NULL;
  const int count = scandir(grid->scene, &entry, select_problem, compare_names);
  if (count < 0) return hn_fail(error, "cannot read the folder %s", grid->scene);
  sweep_axis *axis = grid->axis = cli_alloc(1, sizeof *axis);
  grid->naxis = 1;
  axis->name = cli_alloc(2, sizeof *axis->name);
  axis->name[axis->nname++] = cli_text("%s", name);
  axis->value = cli_alloc((size_t)count + 1, sizeof *axis->value);
  for (int i = 0; i < count; i++) {
    axis->value[axis->count++] = cli_text("%s", entry[i]->d_name);
    free(entry[i]);
  }
  free(entry);
  grid->parameter = cli_alloc(1, sizeof *grid->parameter);
  grid->parameter[0] = axis->name[0], grid->nparameter = 1, grid->npoint = axis->count;
  return count > 0 ? 0 : hn_fail(error, "%s holds no problem: no file ends in .hdf5 or .h5", grid->scene);
}

static int make_grid(sweep_grid *grid, const char *path, char *const *spec, const cli_options *options,
                     hn_error *error)
{
  *grid = (sweep_grid){ .runs = &problem_runs, .options = options, .scene = path, .written = path };
  if (list_problems(grid, error)) return -1;
  grid->nsolver = cli_strings_count(spec), grid->nstep = options->ntolerance > 0 ? options->ntolerance : 1;
  grid->solver = cli_alloc(grid->nsolver, sizeof *grid->solver);
  for (size_t i = 0; i < grid->nsolver; i++) grid->solver[i].spec = cli_text("%s", spec[i]);
  grid->step = cli_alloc(grid->nstep, sizeof *grid->step);
  grid->step[0] = cli_problem_tolerance;
  for (size_t i = 0; i < options->ntolerance; i++) grid->step[i] = options->tolerance[i];
  const double rows = (double)grid->npoint * (double)grid->nsolver * (double)grid->nstep;
  if (rows > SWEEP_MAX_ROWS) return hn_fail(error, "problem: %g runs; the limit is %d", rows, SWEEP_MAX_ROWS);
  grid->nrow = (size_t)rows;
  return 0;
}

int cli_folder_solve(const char *path, char *const *spec, const cli_options *options, hn_error *error)
{
  sweep_grid grid;
  int status = make_grid(&grid, path, spec, options, error);
  if (status == 0) status = sweep_command(&grid, options, error);
  sweep_grid_free(&grid);
  return status;
}
