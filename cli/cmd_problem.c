/* cmd_problem.c - `holonom problem`: poses the contact problem of one step of a scene, or reads one from a
 * file, and solves it with contact solvers; solves all problems of a folder. */
#include "cli/base/complain.h"
#include "cli/base/interrupt.h"
#include "cli/base/json.h"
#include "cli/base/memory.h"
#include "cli/base/output.h"
#include "cli/base/parse.h"
#include "cli/base/text_table.h"
#include "cli/base/watchdog.h"
#include "cli/commands.h"
#include "cli/problem/answer.h"
#include "cli/problem/folder.h"
#include "cli/study/study_runs.h"
#include "scene.h"

#include <string.h>

typedef struct problem_source {
  const hn_problem *problem;
  hn_problem *read;  /* owns a problem that was read from a file; else NULL */
  hn_solver *solver; /* owns a problem of a scene; else NULL */
  double *start;     /* [nrow] solution stored in the file; NULL: none */
  char *name;        /* the scene and its time, or the file */
} problem_source;

static void free_instant(problem_source *source)
{
  hn_problem_free(source->read);
  hn_solver_free(source->solver);
  free(source->start);
  free(source->name);
}

/* ---- Source of the problem ----------------------------------------------------------------------------- */

static bool is_file(const char *word)
{
  return cli_ends_in(word, ".hdf5") || cli_ends_in(word, ".h5");
}

/* Poses the problem of the step from STATE by the solver of the plan, or by moreau if that has none. */
static int pose(problem_source *source, const cli_plan *plan, hn_state *state, hn_error *error)
{
  hn_reason reason;
  const hn_model *model = plan->scene->model;
  char *name = cli_solver_name(plan->solver);
  const hn_solver_type *type = hn_solver_type_find(name, model->own_solvers, NULL);
  free(name);
  source->solver = hn_solver_create(type && type->pose ? plan->solver : "moreau", model, error);
  if (!source->solver) return -1;
  source->problem = hn_solver_pose(source->solver, state, plan->step, &reason);
  if (source->problem) return 0;
  if (reason == HN_FULL)
    return hn_fail(error,
                   "there are more contacts than the scene has room for: sys:contact { capacity = ... }");
  return hn_fail(error, "%s poses no problem: %s", source->solver->type->name, hn_reason_name(reason));
}

/* Poses the problem of a scene at its start, or after a run to --at T. */
static int from_scene(problem_source *source, cli_plan *plan, const cli_options *options, hn_error *error)
{
  cli_outcome outcome = { .state = NULL };
  const hn_summary *s = &outcome.summary;
  source->name = cli_text("%s at t = %s s, a step of %s s", plan->scene->name, cli_exact(options->at).text,
                          cli_exact(plan->step).text);
  plan->duration = options->at;
  int status = options->at > 0.0 ? cli_outcome_run(&outcome, plan, error)
               : (outcome.state = hn_state_create(plan->scene->model)) ? 0
                                                                       : hn_fail(error, "out of memory");
  if (status == 0 && s->reason != HN_CONVERGED) status = hn_fail(error, "%.400s", s->explanation);
  if (status == 0) status = pose(source, plan, outcome.state, error);
  cli_outcome_free(&outcome);
  return status;
}

static int from_file(problem_source *source, const char *path, hn_error *error)
{
  source->name = cli_text("%s", path);
  source->problem = source->read = hn_problem_read(path, &source->start, error);
  return source->problem ? hn_problem_check(source->problem, error) : -1;
}

/* ---- Solving ------------------------------------------------------------------------------------------- */

/* Returns the contact solvers of --contact, or all; to be freed. */
static char **choose_solvers(const cli_options *options, const hn_scene *scene)
{
  size_t count;
  if (!options->backends) {
    const hn_contact_type **type = cli_contact_solvers(scene, &count);
    char **all = cli_alloc(count + 1, sizeof *all);
    for (size_t i = 0; i < count; i++) all[i] = cli_text("%s", type[i]->name);
    free(type);
    return all;
  }
  return cli_split(options->backends);
}

/* ---- Output -------------------------------------------------------------------------------------------- */

static const char columns[] =
  "<solver|<reason|iterations|factorisations|Coulomb's law, m/s|own law, m/s|<solves";
static const char symmetric_columns[] =
  "<solver|<reason|iterations|factorisations|Coulomb's law, m/s|symmetric "
  "part, m/s|own law, m/s|<solves";

static bool any_symmetrised(const cli_answer *all, size_t count)
{
  bool any = false;
  for (size_t i = 0; i < count; i++) any = any || all[i].symmetrised;
  return any;
}

/* Adds the reason, with the law for which it holds if that is not Coulomb's. */
static void reason_cell(cli_table *table, const cli_answer *a)
{
  const char *reason = hn_reason_name(a->reason);
  if (strstr(a->law, "box")) cli_cell(table, "%s (box)", reason);
  else if (a->other.corners > 0) cli_cell(table, "%s (pyramid of %d)", reason, a->other.corners);
  else if (a->other.normal > 0.0) cli_cell(table, "%s (regularised)", reason);
  else if (a->other.relaxed) cli_cell(table, "%s (relaxed)", reason);
  else cli_cell(table, "%s", reason);
}

/* Adds a row; SYMMETRIC: with a column for the residual with the symmetric part of the matrix. */
static void add_row(cli_table *table, const cli_answer *a, bool symmetric)
{
  cli_cell(table, "%s", a->spec);
  reason_cell(table, a);
  cli_cell(table, "%d", a->iterations);
  cli_cell(table, "%d", a->factorisations);
  cli_cell_real(table, "%.2e", a->error);
  if (symmetric && a->symmetrised) cli_cell_real(table, "%.2e", a->symmetric);
  else if (symmetric) cli_cell(table, "-");
  cli_cell_real(table, "%.2e", a->own);
  cli_cell(table, "%s%s", a->law, a->symmetrised ? ", symmetric part" : "");
}

static void print_table(const problem_source *source, const cli_answer *all, size_t count)
{
  const hn_problem *p = source->problem;
  const double asymmetry = hn_problem_asymmetry(p);
  printf("%s: %d blocks, %d rows, %d bodies\n", source->name, p->nblock, p->nrow, p->nbody);
  if (!hn_problem_is_symmetric(p))
    cli_print_wrapped(stdout,
                      "The matrix is not symmetric: entries across its diagonal differ by up to %.1e of the "
                      "largest entry.\n",
                      asymmetry);
  putchar('\n');
  cli_table *table = cli_table_create(any_symmetrised(all, count) ? symmetric_columns : columns);
  for (size_t i = 0; i < count; i++) add_row(table, &all[i], any_symmetrised(all, count));
  cli_table_print(table, stdout);
  if (any_symmetrised(all, count))
    cli_print_wrapped(
      stdout, "\nContact solvers that need a symmetric matrix have solved the problem with its symmetric "
              "part. The residuals of Coulomb's law and of a solver's own law are those of the problem as "
              "given; that of Coulomb's law with the symmetric part stands beside them.\n");
  for (size_t i = 0; i < count; i++)
    if (all[i].message) cli_print_wrapped(stdout, "\n- %s: %s\n", all[i].spec, all[i].message);
}

static void print_json(const problem_source *source, const cli_answer *all, size_t count)
{
  const hn_problem *p = source->problem;
  json_t *solvers = json_array();
  for (size_t i = 0; i < count; i++)
    json_array_append_new(
      solvers,
      json_pack("{s:o, s:s, s:i, s:i, s:o, s:o, s:o, s:o, s:s}", "spec", cli_json_string(all[i].spec),
                "reason", hn_reason_name(all[i].reason), "iterations", all[i].iterations, "factorisations",
                all[i].factorisations, "residual", cli_json_real(all[i].error), "relaxed_residual",
                cli_json_real(all[i].relaxed), "symmetric_residual", cli_json_real(all[i].symmetric),
                "own_residual", cli_json_real(all[i].own), "law", all[i].law));
  cli_json_print(json_pack("{s:o, s:i, s:i, s:i, s:o, s:o}", "problem", cli_json_string(source->name),
                           "blocks", p->nblock, "rows", p->nrow, "bodies", p->nbody, "asymmetry",
                           cli_json_real(hn_problem_asymmetry(p)), "solvers", solvers));
}

/* ---- The command --------------------------------------------------------------------------------------- */

/* Solves the problem with all chosen solvers. Returns the exit status, or -1 on error. */
static int solve_all(const problem_source *source, const hn_scene *scene, const cli_options *options,
                     hn_error *error)
{
  char **spec = choose_solvers(options, scene);
  const size_t count = cli_strings_count(spec);
  size_t done = 0;
  cli_answer *all = cli_alloc(count, sizeof *all);
  hn_system *system = source->solver ? source->solver->system : NULL;
  int status = CLI_DONE;
  if (*cli_stop()) status = hn_fail(error, "interrupted");
  while (status >= 0 && done < count && !*cli_stop()) {
    cli_answer *one = &all[done++];
    if (cli_answer_solve(one, source->problem, system, spec[done - 1], cli_problem_tolerance, error))
      status = -1;
    else if (one->reason != HN_CONVERGED) status = CLI_OUTCOME;
  }
  cli_watchdog_hold(true); /* the results are written */
  if (status >= 0 && options->json) print_json(source, all, done);
  else if (status >= 0) print_table(source, all, done);
  if (status >= 0 && *cli_stop())
    cli_complain("interrupted: %zu of %zu contact solvers were run", done, count), status = CLI_OUTCOME;
  if (status >= 0 && done > 0 && options->output &&
      hn_problem_write(options->output, source->problem, all[0].p, error))
    status = -1;
  for (size_t i = 0; i < done; i++) cli_answer_free(&all[i]);
  free(all);
  cli_strings_free(spec);
  return status;
}

/* Returns -1 with a message if an option is given that a problem from WHAT has no use for. */
static int check_options(const cli_options *o, bool from_file, bool is_folder, hn_error *error)
{
  const char *wrong = NULL, *what = is_folder ? "a folder" : from_file ? "a file" : "a scene";
  if (from_file)
    wrong = o->nsetting > 0              ? "--set"
            : o->solver || o->parameters ? "--solver and its parameters"
            : o->step > 0.0              ? "--step"
            : o->at > 0.0                ? "--at"
            : o->consistent              ? "--consistent"
                                         : NULL;
  if (!wrong && is_folder) wrong = o->json ? "--json" : NULL;
  if (!wrong && !is_folder)
    wrong = o->ntolerance > 0 ? "--tolerances" : o->jobs > 0 ? "--jobs" : o->resume ? "--resume" : NULL;
  return wrong ? hn_fail(error, "problem: %s: not for problems of %s", wrong, what) : 0;
}

/* Solves the problems of a folder, in a table. */
static int run_folder(const cli_options *options, hn_error *error)
{
  const char *output = options->output;
  if (output && (cli_ends_in(output, ".h5") ? cli_output_is_file(output, error) < 0
                                            : cli_output_is_csv(output, error) < 0))
    return -1;
  if (options->resume && !output)
    return hn_fail(error, "problem: --resume needs the --output of the table to continue");
  char **spec = choose_solvers(options, NULL);
  const int status = cli_folder_solve(options->word[0], spec, options, error);
  cli_strings_free(spec);
  return status;
}

static int run_command(const cli_options *options, hn_error *error)
{
  cli_plan plan;
  problem_source source = { .name = NULL };
  const bool folder = cli_is_folder(options->word[0]), file = !folder && is_file(options->word[0]);
  if (check_options(options, folder || file, folder, error)) return -1;
  if (folder) return run_folder(options, error);
  hn_scene *scene = file ? NULL : cli_plan_read(&plan, options, error);
  int status = file    ? from_file(&source, options->word[0], error)
               : scene ? cli_spec_check(plan.solver, scene, error)
                       : -1;
  if (status == 0 && scene) status = from_scene(&source, &plan, options, error);
  if (status == 0) status = solve_all(&source, scene, options, error);
  free_instant(&source);
  hn_scene_free(scene);
  return status;
}

const cli_command cli_command_problem = {
  .name = "problem",
  .arguments = "SCENE|FILE|FOLDER",
  .summary = "write, read and solve contact problems",
  .details = "With SCENE, poses the contact problem of one step of size --step, at t = 0 or\n"
             "after a run to --at T. With FILE.hdf5 or FILE.h5, reads a problem in the layout\n"
             "of FCLIB. --contact a,b,c solves it with these contact solvers (default: all),\n"
             "one row each; --output FILE.hdf5 writes it with the first solution.\n"
             "With FOLDER, solves all problems in its files with each contact solver, to\n"
             "each of --tolerances, and makes a row of a table for each, as CSV or (--output\n"
             "FILE.h5) HDF5. Rows are made on all processors (--jobs), and kept in\n"
             "FILE.csv.journal, from which --resume continues. `plot --profile` draws them.\n"
             "Exit status 1 when a solver does not converge (in a folder, when none does), or\n"
             "after a signal.\n",
  .examples = "problem sliding_cubes --at 0.1 --contact pgs,admm,newton\n"
              "problem sliding_cubes --output cubes.hdf5\n"
              "problem fclib --contact newton,admm --tolerances 1e-4,1e-8 --output fclib.csv\n",
  .options = { CLI_SCENE_OPTIONS, CLI_STEP, CLI_AT, CLI_BACKENDS, CLI_TOLERANCES, CLI_OUTPUT, CLI_JOBS,
               CLI_RESUME },
  .run = run_command,
};
