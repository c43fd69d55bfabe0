/* orders_command.c - `converge --all`: studies every variant of every solver, with tight tolerances, on one
 * scene.
 *
 * If a body rotates fast, the study ends after five rotations of the fastest one: more of them would add
 * round-off and cost to every run, but no information about small steps. */
#include <math.h>
#include <string.h>
#include "cli/base/complain.h"
#include "cli/base/interrupt.h"
#include "cli/base/json.h"
#include "cli/base/memory.h"
#include "cli/base/options.h"
#include "cli/base/output.h"
#include "cli/base/parse.h"
#include "cli/base/progress.h"
#include "cli/base/watchdog.h"
#include "cli/orders/orders.h"
#include "cli/orders/order_reference.h"
#include "cli/study/study_runs.h"
#include "scene.h"
#include "analysis.h"
#include "base/vec.h"
#include "elementary.h"

static const double turns = 5.0; /* rotations of the fastest body */

static const hn_param *find_param(const hn_solver_type *type, const char *key)
{
  for (const hn_param *p = type->params; p->key; p++)
    if (strcmp(p->key, key) == 0) return p;
  return NULL;
}

/* True if PARAM is a tolerance in force by default: that of the error at the end of a run is 0 by default. */
static bool is_in_force(const hn_param *param)
{
  return param && param->kind == HN_REAL && strcmp(param->initial, "0") != 0;
}

/* True if the solver chooses its steps by error_tolerance: always, or because of SPEC. */
static bool is_adaptive(const hn_solver_type *type, const char *spec)
{
  if (!is_in_force(find_param(type, "error_tolerance"))) return false;
  return !find_param(type, "adaptive") || strstr(spec, ":adaptive=true") || strstr(spec, ",adaptive=true");
}

/* Adds the solver LABEL, with tight tolerances where it does not set them. */
static int add_solver(orders_study *study, char *label, hn_error *error)
{
  static const char *const keys[] = { "tolerance", "velocity_tolerance", "error_tolerance" };
  const double size = fmax(1.0, study->size), tight[] = { 1e-14 * size, 1e-13 * size, 1e-13 };
  char *name = cli_solver_name(label), *settings = strchr(label, ':');
  const hn_solver_type *type = hn_solver_type_find(name, study->plan.scene->model->own_solvers, error);
  study->solver = cli_grow(study->solver, study->count + 1, sizeof *study->solver);
  orders_solver *m = &study->solver[study->count++];
  *m = (orders_solver){ .label = label, .spec = name };
  if (!type) return -1;
  /* Tight tolerances first; settings of LABEL override them */
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
    const hn_param *param = find_param(type, keys[i]);
    if (!is_in_force(param)) continue;
    char *setting = cli_text("%s=%.3g", keys[i], tight[i]), *spec = cli_spec_with(m->spec, setting);
    free(setting);
    free(m->spec);
    m->spec = spec;
  }
  char *spec = settings && settings[1] ? cli_spec_override(m->spec, settings + 1) : cli_text("%s", m->spec);
  free(m->spec);
  m->spec = spec;
  m->by_tolerance = is_adaptive(type, spec);
  return cli_spec_check(spec, study->plan.scene, error);
}

/* Returns SPEC with those of the settings PIECE that its solver TYPE has. */
static char *with_known_settings(const hn_solver_type *type, const char *spec, char **piece)
{
  char *known = NULL;
  for (size_t i = 0; piece[i]; i++) {
    char *key = cli_text("%.*s", (int)strcspn(piece[i], "="), piece[i]);
    const bool has = find_param(type, key);
    if (has && known) cli_append(&known, ",%s", piece[i]);
    else if (has) known = cli_text("%s", piece[i]);
    free(key);
  }
  char *result = known ? cli_spec_override(spec, known) : cli_text("%s", spec);
  free(known);
  return result;
}

/* Returns PARAMETERS, "key=value,..." or NULL, with the scene's policy for redundant joints where they have
 * none; NULL if there are none. Free the result. */
static char *with_policy(const char *parameters, const char *scene_solver)
{
  const char *settings = strchr(scene_solver, ':');
  char **piece = settings ? cli_split(settings + 1) : NULL,
       *all = parameters ? cli_text("%s", parameters) : NULL;
  for (size_t i = 0; piece && piece[i]; i++) {
    if (strncmp(piece[i], "redundancy=", 11) != 0) continue;
    if (!all) all = cli_text("%s", piece[i]);
    else if (!strstr(all, "redundancy=")) cli_append(&all, ",%s", piece[i]);
  }
  cli_strings_free(piece);
  return all;
}

/* Every variant of every solver, each with the PARAMETERS that it has. */
static int list_all(orders_study *study, const char *parameters, hn_error *error)
{
  size_t count;
  int status = 0;
  char *all = with_policy(parameters, study->plan.scene->solver);
  char **piece = all ? cli_split(all) : cli_alloc(1, sizeof *piece);
  const hn_solver_type **type = cli_solvers(study->plan.scene, &count);
  for (size_t i = 0; i < count; i++)
    for (const char *const *variant = hn_solver_variants(type[i]); *variant && status == 0; variant++) {
      char *spec = cli_text("%s%s%s", type[i]->name, **variant ? ":" : "", *variant);
      status = add_solver(study, with_known_settings(type[i], spec, piece), error);
      free(spec);
    }
  free(type), free(all);
  cli_strings_free(piece);
  return status;
}

/* The specs of --solvers, each with the parameters given as options; without it, all solvers. */
static int list_solvers(orders_study *study, const cli_options *options, hn_error *error)
{
  if (!options->solvers) return list_all(study, options->parameters, error);
  char **spec = cli_split_specs(options->solvers, error);
  if (!spec) return -1;
  int status = 0;
  for (size_t i = 0; spec[i] && status == 0; i++) {
    char *label = options->parameters ? cli_spec_override(spec[i], options->parameters)
                                      : cli_text("%s", spec[i]);
    status = add_solver(study, label, error);
  }
  cli_strings_free(spec);
  return status;
}

/* Returns the time scale of the fastest mode at STATE, s; 0 if there is none, or modes cannot be computed. */
static double fastest_motion(const hn_model *model, const hn_state *state)
{
  hn_error ignored;
  double rate = 0.0;
  hn_eigenmodes *modes = hn_eigenmodes_create(model, state, &ignored);
  for (int i = 0; modes && i < modes->count; i++)
    rate = fmax(rate, hn_hypot(modes->mode[i].real, modes->mode[i].imaginary));
  hn_eigenmodes_free(modes);
  return rate > 0.0 ? 1.0 / rate : 0.0;
}

static int study_all(orders_study *study, const cli_options *options, hn_error *error)
{
  cli_file file = { 0 };
  hn_state *start = hn_state_create(study->plan.scene->model);
  if (!start) return hn_fail(error, "out of memory");
  study->size = hn_model_size(study->plan.scene->model, start);
  study->fastest = fastest_motion(study->plan.scene->model, start);
  hn_state_free(start);
  int status = list_solvers(study, options, error);
  if (status == 0 && options->output) status = hn_pending_open(&file, options->output, error);
  cli_watchdog_on_end(cli_file_drop, &file);
  if (status == 0) status = orders_reference_make(&study->reference, &study->plan, error);
  for (size_t i = 0; i < study->count && status == 0 && !*cli_stop(); i++) {
    cli_progress_study(i, study->count);
    status = orders_solver_run(&study->solver[i], study, error);
  }
  cli_progress_study(0, 0);
  cli_watchdog_on_end(NULL, NULL);
  if (status == 0 && options->output && !*cli_stop()) status = orders_write_csv(study, &file, error);
  hn_pending_close(&file, HN_RECORD_DROP, NULL);
  return status;
}

static int conclude(const orders_study *study, const cli_options *options)
{
  size_t wrong = 0, failed = 0;
  for (size_t i = 0; i < study->count; i++) {
    wrong += orders_solver_wrong(&study->solver[i]);
    failed += study->solver[i].count == 0;
  }
  if (options->json) cli_json_print(orders_json(study));
  else orders_print(study, options->quiet);
  if (wrong > 0)
    cli_complain("%zu of %zu solvers and variants do not show the order they declare", wrong, study->count);
  if (failed == study->count) cli_complain("no solver reaches the end: there is no order to show");
  if (*cli_stop() && options->output)
    cli_complain("interrupted: no table is written, %s is as it was", options->output);
  else if (*cli_stop()) cli_complain("interrupted");
  return wrong > 0 || failed == study->count || *cli_stop() ? CLI_OUTCOME : CLI_DONE;
}

static int check_options(const cli_options *options, hn_error *error)
{
  const char *given = options->solver       ? "--solver"
                      : options->step > 0.0 ? "--step"
                      : options->nsteps     ? "--steps"
                      : options->reference  ? "--reference"
                      : options->norm       ? "--norm"
                                            : NULL;
  if (given)
    return hn_fail(
      error,
      "converge: --all chooses steps and reference itself and takes solvers from --solvers: leave "
      "out %s",
      given);
  return options->output ? cli_output_is_csv(options->output, error) : 0;
}

/* Returns the duration: the scene's, or `turns` rotations of the body that initially rotates fastest. */
static double horizon(const cli_plan *plan)
{
  const hn_model *model = plan->scene->model;
  double fastest = 0.0;
  for (int i = 0; i < model->nbody; i++) fastest = fmax(fastest, vec_norm(model->body[i].twist0.w));
  return fmin(plan->duration, turns * 2.0 * M_PI / fastest);
}

int cli_converge_all(const cli_options *options, hn_error *error)
{
  hn_error cause;
  orders_study study = { .count = 0 };
  if (check_options(options, error) < 0) return -1;
  cli_options plain = *options; /* the parameters belong to the solvers, not to the scene's */
  plain.parameters = NULL;
  hn_scene *scene = cli_plan_read(&study.plan, &plain, error);
  if (!scene) return -1;
  study.judged = !scene->has_control;
  study.budget = options->budget;
  if (!(options->duration > 0.0)) study.plan.duration = horizon(&study.plan);
  int status = cli_budget_check(scene, options->budget, error);
  if (status == 0 && hn_model_check_start(scene->model, &cause) < 0)
    status = hn_fail(error, "converge --all: a motion from a start that is torn has no order: %s",
                     cause.text);
  if (status == 0) status = study_all(&study, options, error);
  if (status == 0) status = conclude(&study, options);
  for (size_t i = 0; i < study.count; i++) free(study.solver[i].label), free(study.solver[i].spec);
  free(study.solver);
  orders_reference_free(&study.reference);
  hn_scene_free(scene);
  return status;
}
