/* cmd_problem.c - `holonom problem`: the contact problem of an instant, of a scene or of a file, and what solvers make
 * of it. */
#include <math.h>
#include <string.h>
#include "cli/base/complain.h"
#include "cli/base/json.h"
#include "cli/base/memory.h"
#include "cli/base/parse.h"
#include "cli/base/text_table.h"
#include "cli/commands.h"
#include "cli/study/study_runs.h"
#include "scene.h"

static const double within = 1e-9; /* m/s: what solvers are asked for, unless their settings say otherwise */
enum { AT_MOST = 100000 };         /* iterations, likewise */

typedef struct instant {
  const hn_problem *problem;
  hn_problem *read;  /* the same, from a file */
  hn_solver *solver; /* whose it is, of a scene */
  double *start;     /* [nrow] from the file; NULL: zeros */
  char *what;        /* where it is from */
} instant;

typedef struct answer {
  const char *spec;
  hn_reason reason;
  int iterations, factorisations;
  double error, relaxed; /* m/s, of the law and of its relaxation */
  double *p;
  char *message; /* why it failed; NULL: the reason says all */
} answer;

static void free_instant(instant *of)
{
  hn_problem_free(of->read);
  hn_solver_free(of->solver);
  free(of->start);
  free(of->what);
}

/* ---- Where it comes from ----------------------------------------------------------------------------------------- */

static bool is_file(const char *word)
{
  const char *dot = strrchr(word, '.');
  return dot && (strcmp(dot, ".hdf5") == 0 || strcmp(dot, ".h5") == 0);
}

/* The problem of the step from STATE, as the solver of the plan poses it, or moreau where that solves none. */
static int pose(instant *of, const cli_plan *plan, hn_state *state, hn_error *error)
{
  hn_reason reason;
  const hn_model *model = plan->scene->model;
  char *name = cli_solver_name(plan->solver);
  const hn_solver_type *type = hn_solver_type_find(name, model->own_solvers, NULL);
  free(name);
  of->solver = hn_solver_create(type && type->pose ? plan->solver : "moreau", model, error);
  if (!of->solver) return -1;
  of->problem = hn_solver_pose(of->solver, state, plan->step, &reason);
  if (of->problem) return 0;
  if (reason == HN_FULL)
    return hn_fail(error,
                   "there are more contacts than the scene has room for: sys:contact { capacity = ... }");
  return hn_fail(error, "%s poses no problem: %s", of->solver->type->name, hn_reason_name(reason));
}

/* Of a scene, at its start or where a run has got to. */
static int from_scene(instant *of, cli_plan *plan, const cli_options *options, hn_error *error)
{
  const hn_model *model = plan->scene->model;
  int status = -1;
  of->what = cli_text("%s at t = %s s, a step of %s s", plan->scene->name, cli_exact(options->at).text,
                      cli_exact(plan->step).text);
  if (options->at > 0.0) {
    cli_outcome outcome;
    plan->duration = options->at;
    status = cli_outcome_run(&outcome, plan, error);
    const hn_summary *s = &outcome.summary;
    if (status == 0 && s->reason != HN_CONVERGED) status = hn_fail(error, "%.400s", s->explanation);
    if (status == 0) status = pose(of, plan, outcome.state, error);
    cli_outcome_free(&outcome);
  } else {
    hn_state *state = hn_state_create(model);
    status = state ? pose(of, plan, state, error) : hn_fail(error, "out of memory");
    hn_state_free(state);
  }
  return status;
}

static int from_file(instant *of, const char *path, hn_error *error)
{
  of->what = cli_text("%s", path);
  of->problem = of->read = hn_problem_read(path, &of->start, error);
  return of->problem ? hn_problem_check(of->problem, error) : -1;
}

/* ---- Solving ----------------------------------------------------------------------------------------------------- */

/* What SPEC makes of it, judged by us. */
static int solve(const instant *of, const char *spec, answer *out, hn_error *error)
{
  const hn_problem *problem = of->problem;
  const hn_contact_options options = { .solver = spec, .tolerance = within, .iterations = AT_MOST };
  const hn_problem_size most = { problem->nblock, problem->nrow, problem->nbody };
  const size_t rows = (size_t)problem->nrow + 1;
  hn_contact_solver *solver = of->solver ? hn_contact_solver_for(of->solver->system, &options, error)
                                         : hn_contact_solver_create(&options, &most, error);
  if (!solver) return -1;
  double *v = cli_alloc(rows, sizeof *v), *work = cli_alloc(6 * (size_t)problem->nbody + 1, sizeof *work);
  out->spec = spec;
  out->p = cli_alloc(rows, sizeof *out->p);
  out->reason = hn_contact_solve(solver, problem, out->p);
  out->iterations = solver->iterations, out->factorisations = solver->factorisations;
  hn_problem_velocities(problem, out->p, work, v);
  out->error = hn_problem_error(problem, false, out->p, v, NULL);
  out->relaxed = hn_problem_error(problem, true, out->p, v, NULL);
  if (solver->message) out->message = cli_text("%s", solver->message);
  hn_contact_solver_free(solver);
  free(v), free(work);
  return 0;
}

/* The solvers asked for, or all. */
static char **asked_solvers(const cli_options *options, const hn_scene *scene)
{
  size_t count, n = 0;
  if (!options->backends) {
    const hn_contact_type **type = cli_contact_solvers(scene, &count);
    char **all = cli_alloc(count + 1, sizeof *all);
    for (size_t i = 0; i < count; i++) all[i] = cli_text("%s", type[i]->name);
    free(type);
    return all;
  }
  char *copy = cli_text("%s", options->backends), *rest = copy;
  char **all = cli_alloc(strlen(copy) + 2, sizeof *all);
  for (char *name; (name = strsep(&rest, ","));) all[n++] = cli_text("%s", name);
  free(copy);
  return all;
}

/* ---- What is told ------------------------------------------------------------------------------------------------ */

static void print_table(const instant *of, const answer *all, size_t count)
{
  const hn_problem *p = of->problem;
  printf("%s: %d blocks, %d rows, %d bodies\n\n", of->what, p->nblock, p->nrow, p->nbody);
  cli_table *table = cli_table_create("<solver|<reason|iterations|factorisations|law, m/s|relaxed law, m/s");
  for (size_t i = 0; i < count; i++) {
    cli_cell(table, "%s", all[i].spec);
    cli_cell(table, "%s", hn_reason_name(all[i].reason));
    cli_cell(table, "%d", all[i].iterations);
    cli_cell(table, "%d", all[i].factorisations);
    cli_cell_real(table, "%.2e", all[i].error);
    cli_cell_real(table, "%.2e", all[i].relaxed);
  }
  cli_table_print(table, stdout);
  cli_table_free(table);
  for (size_t i = 0; i < count; i++)
    if (all[i].message) cli_say(stdout, "\n- %s: %s\n", all[i].spec, all[i].message);
}

static void print_json(const instant *of, const answer *all, size_t count)
{
  const hn_problem *p = of->problem;
  json_t *solvers = json_array();
  for (size_t i = 0; i < count; i++)
    json_array_append_new(
      solvers, json_pack("{s:o, s:s, s:i, s:i, s:o, s:o}", "spec", cli_json_string(all[i].spec), "reason",
                         hn_reason_name(all[i].reason), "iterations", all[i].iterations, "factorisations",
                         all[i].factorisations, "residual", cli_json_real(all[i].error), "relaxed_residual",
                         cli_json_real(all[i].relaxed)));
  cli_json_print(json_pack("{s:o, s:i, s:i, s:i, s:o}", "problem", cli_json_string(of->what), "blocks",
                           p->nblock, "rows", p->nrow, "bodies", p->nbody, "solvers", solvers));
}

/* ---- The command ------------------------------------------------------------------------------------------------- */

/* Solves and tells; whether all converge. */
static int answer_all(const instant *of, const hn_scene *scene, const cli_options *options, hn_error *error)
{
  char **spec = asked_solvers(options, scene);
  size_t count = 0, done = 0;
  while (spec[count]) count++;
  answer *all = cli_alloc(count, sizeof *all);
  int status = CLI_DONE;
  while (status >= 0 && done < count) {
    if (solve(of, spec[done], &all[done], error)) status = -1;
    else if (all[done++].reason != HN_CONVERGED) status = CLI_OUTCOME;
  }
  if (status >= 0 && options->json) print_json(of, all, count);
  else if (status >= 0) print_table(of, all, count);
  if (status >= 0 && options->output && hn_problem_write(options->output, of->problem, all[0].p, error))
    status = -1;
  for (size_t i = 0; i < done; i++) free(all[i].p), free(all[i].message);
  free(all);
  cli_strings_free(spec);
  return status;
}

static int run_command(const cli_options *options)
{
  hn_error error;
  cli_plan plan;
  instant of = { .what = NULL };
  const bool file = is_file(options->word[0]);
  hn_scene *scene = file ? NULL : cli_plan_read(&plan, options, &error);
  int status = file    ? from_file(&of, options->word[0], &error)
               : scene ? cli_spec_check(plan.solver, scene, &error)
                       : -1;
  if (status == 0 && scene) status = from_scene(&of, &plan, options, &error);
  if (status == 0) status = answer_all(&of, scene, options, &error);
  free_instant(&of);
  hn_scene_free(scene);
  return status < 0 ? cli_complain("%s", error.text) : status;
}

const cli_command cli_command_problem = {
  .name = "problem",
  .arguments = "SCENE|FILE",
  .summary = "the contact problem of an instant: write it, read it, solve it",
  .details =
    "Of SCENE, at t = 0 or after a run to --at T: the problem of the step of --step from there. Or of FILE.hdf5, in\n"
    "FCLIB's layout. --contact a,b,c solves it with these (default: all that there are), one row each; --output\n"
    "FILE.hdf5 writes it, with the first solution. Exit status 1 when one does not converge.\n",
  .examples = "problem sliding_cubes --at 0.1 --contact pgs,admm,newton\n"
              "problem sliding_cubes --output cubes.hdf5\n",
  .takes = { CLI_OF_SCENE, CLI_STEP, CLI_AT, CLI_BACKENDS, CLI_OUTPUT },
  .least = 1,
  .most = 1,
  .run = run_command,
};
