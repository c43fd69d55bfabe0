/* cmd_sensitivity.c - `holonom sensitivity`: derivatives of the end of a run by parameters of the scene. */
#include <math.h>
#include "cli/base/complain.h"
#include "cli/base/json.h"
#include "cli/base/parse.h"
#include "cli/base/text_table.h"
#include "cli/commands.h"
#include "cli/study/outcome_json.h"
#include "cli/study/sensitivity.h"

enum { MAX_SHOWN = 24 }; /* bodies of a table; the JSON has all */

/* Returns the largest error of three derivatives. */
static double error_of(const double *error)
{
  return fmax(error[0], fmax(error[1], error[2]));
}

/* ---- JSON ---------------------------------------------------------------------------------------------- */

static void add_vector(json_t *to, json_t *errors, const char *key, const double *value, const double *error)
{
  json_object_set_new(to, key, cli_json_reals(value, 3));
  json_object_set_new(errors, key, cli_json_real(error_of(error)));
}

/* Adds the vectors KEY[count] of an owner called NAME to LIST. */
static void add_owner(json_t *list, const char *name, const char *const *key, int count, const double *value,
                      const double *error)
{
  json_t *one = json_pack("{s:o}", "name", cli_json_string(name)), *errors = json_object();
  for (int i = 0; i < count; i++) add_vector(one, errors, key[i], value + 3 * i, error + 3 * i);
  json_object_set_new(one, "errors", errors);
  json_array_append_new(list, one);
}

static json_t *parameter_json(const cli_sensitivity *s, const hn_model *model)
{
  static const char *const of_body[] = { "position", "rotation", "velocity", "angular_velocity" };
  static const char *const of_joint[] = { "force", "torque" };
  json_t *bodies = json_array(), *joints = json_array();
  const double *value = s->derivative + 1, *error = s->error + 1;
  for (int i = 1; i < s->nbody; i++, value += CLI_OF_BODY, error += CLI_OF_BODY)
    add_owner(bodies, model->body[i].name, of_body, 4, value, error);
  for (int j = 0; j < s->njoint; j++, value += CLI_OF_JOINT, error += CLI_OF_JOINT)
    add_owner(joints, model->joint[j].name, of_joint, 2, value, error);
  return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "name", cli_json_string(s->name), "value",
                   cli_json_real(s->value), "width", cli_json_real(s->width), "energy",
                   cli_json_real(s->derivative[0]), "energy_error", cli_json_real(s->error[0]), "bodies",
                   bodies, "joints", joints);
}

static json_t *head_json(const cli_outcome *base)
{
  return json_pack("{s:o, s:o, s:o, s:I, s:o}", "scene", cli_json_string(base->plan.scene->name), "solver",
                   cli_json_solver(base), "step", cli_json_real(base->plan.step), "steps",
                   (json_int_t)base->summary.steps, "time", cli_json_real(base->summary.time));
}

/* ---- The table ----------------------------------------------------------------------------------------- */

static void print_parameter(const cli_sensitivity *s, const hn_model *model)
{
  cli_table *table = cli_table_create("<derivative of|x|y|z|error");
  const double *value = s->derivative + 1, *error = s->error + 1;
  for (int i = 1; i < s->nbody && i <= MAX_SHOWN; i++, value += CLI_OF_BODY, error += CLI_OF_BODY)
    for (int part = 0; part < 2; part++) {
      const int at = 6 * part;
      cli_cell(table, "%s, %s", model->body[i].name, part ? "velocity" : "position");
      for (int k = 0; k < 3; k++) cli_cell(table, "%s", cli_rounded(value[at + k], 8).text);
      cli_cell(table, "%.1e", error_of(error + at));
    }
  printf("\nby %s = %s, changed by up to %s; of the energy %s, error %.1e\n", s->name,
         cli_exact(s->value).text, cli_rounded(s->width, 3).text, cli_rounded(s->derivative[0], 8).text,
         s->error[0]);
  cli_table_print(table, stdout);
  if (s->nbody - 1 > MAX_SHOWN) printf("and %d more bodies (--json shows all)\n", s->nbody - 1 - MAX_SHOWN);
}

/* ---- The command --------------------------------------------------------------------------------------- */

/* Derives by all parameters and prints the results. */
static int derive(const cli_outcome *base, const cli_options *options, hn_error *error)
{
  const hn_model *model = cli_outcome_model(base);
  char **name = cli_split(options->derive_by);
  json_t *list = json_array();
  int status = 0;
  for (size_t i = 0; name[i] && status == 0; i++) {
    cli_sensitivity s;
    status = cli_sensitivity_make(&s, base, name[i], options, error);
    if (status == 0 && options->json) json_array_append_new(list, parameter_json(&s, model));
    if (status == 0 && !options->json && i == 0)
      printf("%s, %s: at t = %s s, with steps of %s s\n", base->plan.scene->name, base->plan.solver,
             cli_exact(base->summary.time).text, cli_exact(base->plan.step).text);
    if (status == 0 && !options->json) print_parameter(&s, model);
    cli_sensitivity_free(&s);
  }
  if (status == 0 && options->json) {
    json_t *root = head_json(base);
    json_object_set(root, "parameters", list);
    cli_json_print(root);
  }
  json_decref(list);
  cli_strings_free(name);
  return status == 0 ? CLI_DONE : -1;
}

static int run_command(const cli_options *options, hn_error *error)
{
  cli_plan plan;
  cli_outcome base = { .state = NULL };
  if (!options->derive_by) return hn_fail(error, "sensitivity: --parameters NAME,NAME,... is required");
  hn_scene *scene = cli_plan_read(&plan, options, error);
  if (!scene) return -1;
  int status = cli_spec_check(plan.solver, scene, error);
  if (status == 0) status = cli_outcome_run(&base, &plan, error);
  if (status == 0 && base.summary.reason != HN_CONVERGED) {
    cli_complain("%s (stopped at t = %s s)", base.summary.explanation, cli_exact(base.summary.time).text);
    status = CLI_OUTCOME;
  } else if (status == 0) {
    status = derive(&base, options, error);
  }
  cli_outcome_free(&base);
  hn_scene_free(scene);
  return status;
}

const cli_command cli_command_sensitivity = {
  .name = "sensitivity",
  .arguments = "SCENE",
  .summary = "derivatives of the end of a run by parameters of the scene",
  .details = "Derives positions, rotations, velocities, joint forces and the energy at the end\n"
             "of a run by each of --parameters: the derivatives of the discrete motion, by\n"
             "central differences of runs with the same steps, extrapolated to differences of\n"
             "zero, with an estimate of the error. Each parameter takes twelve runs. The error\n"
             "is large where the motion is no smooth function of the parameter: at impacts, and\n"
             "with solvers that divide steps. Tighten the tolerance of iterative solvers.\n"
             "Exit status 1 when the run does not reach its end.\n",
  .examples = "sensitivity pendulum --parameters length --duration 1 --solver taylor\n"
              "sensitivity chain8 --parameters length,section --duration 0.2 --json\n",
  .options = { CLI_RUN_OPTIONS, CLI_PARAMETERS },
  .run = run_command,
};
