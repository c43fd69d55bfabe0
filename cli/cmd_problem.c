/* cmd_problem.c - `holonom problem`: poses the contact problem of one step of a scene, or reads one from a
 * file, and solves it with contact solvers. */
#include "cli/base/complain.h"
#include "cli/base/interrupt.h"
#include "cli/base/json.h"
#include "cli/base/memory.h"
#include "cli/base/output.h"
#include "cli/base/parse.h"
#include "cli/base/text_table.h"
#include "cli/base/watchdog.h"
#include "cli/commands.h"
#include "cli/study/study_runs.h"
#include "scene.h"

#include <string.h>

/* Defaults of the contact solvers. */
static const double default_tolerance = 1e-9; /* m/s */
enum { DEFAULT_ITERATIONS = 100000 };

typedef struct problem_source {
  const hn_problem *problem;
  hn_problem *read;  /* owns a problem that was read from a file; else NULL */
  hn_solver *solver; /* owns a problem of a scene; else NULL */
  double *start;     /* [nrow] solution stored in the file; NULL: none */
  char *name;        /* the scene and its time, or the file */
} problem_source;

typedef struct answer {
  const char *spec;
  hn_reason reason;
  int iterations, factorisations;
  double error, relaxed, own; /* residuals of Coulomb's law, the relaxed law, and that of the solver, m/s */
  double *p;
  char *message;        /* explanation of a failure; NULL: the reason suffices */
  char law[64];         /* that is solved: Coulomb, or another one */
  hn_contact_law other; /* than Coulomb's; zeros */
} answer;

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

/* True if no contact has two directions of friction. */
static bool is_planar(const problem_source *source)
{
  const hn_problem *problem = source->problem;
  for (int k = 0; k < problem->nblock; k++)
    if (problem->block[k].set.kind == HN_CONE && problem->block[k].n > 2) return false;
  return true;
}

/* Solves the problem with SPEC; residuals are computed here, not taken from the solver. */
static int solve(const problem_source *source, const char *spec, answer *out, hn_error *error)
{
  const hn_problem *problem = source->problem;
  const hn_contact_options options = { .solver = spec,
                                       .tolerance = default_tolerance,
                                       .iterations = DEFAULT_ITERATIONS };
  const hn_problem_size most = { problem->nblock, problem->nrow, problem->nbody };
  const size_t rows = (size_t)problem->nrow + 1;
  hn_contact_solver *solver = source->solver ? hn_contact_solver_for(source->solver->system, &options, error)
                                             : hn_contact_solver_create(&options, &most, error);
  if (!solver) return -1;
  hn_stop stop = { .flag = cli_stop() };
  for (hn_contact_solver *each = solver; each; each = each->next) each->stop = &stop;
  double *v = cli_alloc(rows, sizeof *v), *work = cli_alloc(6 * (size_t)problem->nbody + 1, sizeof *work);
  out->spec = spec;
  out->p = cli_alloc(rows, sizeof *out->p);
  out->reason = hn_contact_solve(solver, problem, out->p);
  out->iterations = solver->iterations, out->factorisations = solver->factorisations;
  /* Residuals of the solution */
  hn_problem_velocities(problem, out->p, work, v);
  out->error = hn_problem_error(problem, false, out->p, v, NULL);
  out->relaxed = hn_problem_error(problem, true, out->p, v, NULL);
  hn_contact_solver_law(solver, is_planar(source), out->law, sizeof out->law);
  out->other = hn_contact_solver_law_of(solver, is_planar(source));
  out->own = hn_contact_law_error(&out->other, problem, out->p, v, NULL);
  if (solver->message) out->message = cli_text("%s", solver->message);
  hn_contact_solver_free(solver);
  free(v), free(work);
  return 0;
}

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

/* Adds the reason, with the law for which it holds if that is not Coulomb's. */
static void reason_cell(cli_table *table, const answer *one)
{
  const char *reason = hn_reason_name(one->reason);
  if (strstr(one->law, "box")) cli_cell(table, "%s (box)", reason);
  else if (one->other.corners > 0) cli_cell(table, "%s (pyramid of %d)", reason, one->other.corners);
  else if (one->other.relaxed) cli_cell(table, "%s (relaxed)", reason);
  else cli_cell(table, "%s", reason);
}

static void print_table(const problem_source *source, const answer *all, size_t count)
{
  const hn_problem *p = source->problem;
  printf("%s: %d blocks, %d rows, %d bodies\n\n", source->name, p->nblock, p->nrow, p->nbody);
  cli_table *table = cli_table_create(
    "<solver|<reason|iterations|factorisations|Coulomb's law, m/s|own law, m/s|<solves");
  for (size_t i = 0; i < count; i++) {
    cli_cell(table, "%s", all[i].spec);
    reason_cell(table, &all[i]);
    cli_cell(table, "%d", all[i].iterations);
    cli_cell(table, "%d", all[i].factorisations);
    cli_cell_real(table, "%.2e", all[i].error);
    cli_cell_real(table, "%.2e", all[i].own);
    cli_cell(table, "%s", all[i].law);
  }
  cli_table_print(table, stdout);
  for (size_t i = 0; i < count; i++)
    if (all[i].message) cli_print_wrapped(stdout, "\n- %s: %s\n", all[i].spec, all[i].message);
}

static void print_json(const problem_source *source, const answer *all, size_t count)
{
  const hn_problem *p = source->problem;
  json_t *solvers = json_array();
  for (size_t i = 0; i < count; i++)
    json_array_append_new(
      solvers,
      json_pack("{s:o, s:s, s:i, s:i, s:o, s:o, s:o, s:s}", "spec", cli_json_string(all[i].spec), "reason",
                hn_reason_name(all[i].reason), "iterations", all[i].iterations, "factorisations",
                all[i].factorisations, "residual", cli_json_real(all[i].error), "relaxed_residual",
                cli_json_real(all[i].relaxed), "own_residual", cli_json_real(all[i].own), "law", all[i].law));
  cli_json_print(json_pack("{s:o, s:i, s:i, s:i, s:o}", "problem", cli_json_string(source->name), "blocks",
                           p->nblock, "rows", p->nrow, "bodies", p->nbody, "solvers", solvers));
}

/* ---- The command --------------------------------------------------------------------------------------- */

/* Solves the problem with all chosen solvers. Returns the exit status, or -1 on error. */
static int solve_all(const problem_source *source, const hn_scene *scene, const cli_options *options,
                     hn_error *error)
{
  char **spec = choose_solvers(options, scene);
  const size_t count = cli_strings_count(spec);
  size_t done = 0;
  answer *all = cli_alloc(count, sizeof *all);
  int status = CLI_DONE;
  if (*cli_stop()) status = hn_fail(error, "interrupted");
  while (status >= 0 && done < count && !*cli_stop()) {
    if (solve(source, spec[done], &all[done], error)) status = -1;
    else if (all[done++].reason != HN_CONVERGED) status = CLI_OUTCOME;
  }
  cli_watchdog_hold(true); /* the results are written */
  if (status >= 0 && options->json) print_json(source, all, done);
  else if (status >= 0) print_table(source, all, done);
  if (status >= 0 && *cli_stop())
    cli_complain("interrupted: %zu of %zu contact solvers were run", done, count), status = CLI_OUTCOME;
  if (status >= 0 && done > 0 && options->output &&
      hn_problem_write(options->output, source->problem, all[0].p, error))
    status = -1;
  for (size_t i = 0; i < done; i++) free(all[i].p), free(all[i].message);
  free(all);
  cli_strings_free(spec);
  return status;
}

static int run_command(const cli_options *options, hn_error *error)
{
  cli_plan plan;
  problem_source source = { .name = NULL };
  const bool file = is_file(options->word[0]);
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
  .arguments = "SCENE|FILE",
  .summary = "write, read and solve the contact problem of one step",
  .details = "With SCENE, poses the contact problem of one step of size --step, at t = 0 or\n"
             "after a run to --at T. With FILE.hdf5 or FILE.h5, reads a problem in the layout\n"
             "of FCLIB. --contact a,b,c solves it with these contact solvers (default: all),\n"
             "one row each; --output FILE.hdf5 writes it with the first solution.\n"
             "Exit status 1 when a solver does not converge, or after a signal.\n",
  .examples = "problem sliding_cubes --at 0.1 --contact pgs,admm,newton\n"
              "problem sliding_cubes --output cubes.hdf5\n",
  .options = { CLI_SCENE_OPTIONS, CLI_STEP, CLI_AT, CLI_BACKENDS, CLI_OUTPUT },
  .run = run_command,
};
