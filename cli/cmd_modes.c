/* cmd_modes.c - `holonom modes`: eigenvalues and modes of a scene's linearised motion. */
#include <math.h>
#include "base/vec.h"
#include "cli/base/complain.h"
#include "cli/base/gnuplot.h"
#include "cli/base/json.h"
#include "cli/base/output.h"
#include "cli/base/parse.h"
#include "cli/base/text_table.h"
#include "cli/commands.h"
#include "cli/picture/mode_picture.h"
#include "cli/record/gltf.h"
#include "cli/study/study_runs.h"
#include "scene.h"

enum { MAX_SHOWN = 40 }; /* rows of the table; the JSON has all */

/* A scene linearised about a state. */
typedef struct analysis {
  const hn_scene *scene;
  const hn_model *model;
  const char *solver;    /* NULL: the state needs none */
  const hn_state *state; /* time of it: that of the analysis */
  bool equilibrium;
  hn_eigenmodes *modes;
} analysis;

/* ---- JSON ---------------------------------------------------------------------------------------------- */

static json_t *shape_json(const analysis *a, const hn_eigenmode *mode)
{
  json_t *bodies = json_array();
  for (int i = 1; i < a->model->nbody; i++) {
    if (a->model->body[i].kind == HN_FIXED) continue;
    json_array_append_new(bodies, json_pack("{s:o, s:o, s:o, s:o, s:o}", "name",
                                            cli_json_string(a->model->body[i].name), "displacement",
                                            cli_json_reals(mode->shape[i].v, 3), "rotation",
                                            cli_json_reals(mode->shape[i].w, 3), "displacement_quadrature",
                                            cli_json_reals(mode->quadrature[i].v, 3), "rotation_quadrature",
                                            cli_json_reals(mode->quadrature[i].w, 3)));
  }
  return bodies;
}

static void print_json(const analysis *a)
{
  const hn_eigenmodes *m = a->modes;
  const int size = m->positions + m->velocities;
  json_t *list = json_array(), *matrix = json_array();
  for (const hn_eigenmode *mode = m->mode; mode < m->mode + m->count; mode++)
    json_array_append_new(list, json_pack("{s:o, s:o, s:o, s:o, s:o}", "real", cli_json_real(mode->real),
                                          "imaginary", cli_json_real(mode->imaginary), "frequency",
                                          cli_json_real(mode->frequency), "damping",
                                          cli_json_real(mode->damping), "bodies", shape_json(a, mode)));
  for (int i = 0; i < size; i++) json_array_append_new(matrix, cli_json_reals(m->matrix + i * size, size));
  cli_json_print(json_pack(
    "{s:o, s:o, s:o, s:b, s:i, s:i, s:b, s:o, s:o, s:o, s:o}", "scene", cli_json_string(a->scene->name),
    "solver", a->solver ? cli_json_string(a->solver) : json_null(), "time", cli_json_real(a->state->time),
    "equilibrium", (int)a->equilibrium, "positions", m->positions, "velocities", m->velocities,
    "conservative", (int)m->conservative, "acceleration", cli_json_real(m->acceleration), "speed",
    cli_json_real(m->speed), "modes", list, "matrix", matrix));
}

/* ---- The table ----------------------------------------------------------------------------------------- */

/* Returns twice the energy of body I that moves by U. */
static double energy(const analysis *a, int i, const hn_twist *u)
{
  const hn_body *body = &a->model->body[i];
  double w[3], sum = body->mass * vec_dot(u->v, u->v);
  quat_unrotate(w, a->state->pose[i].q, u->w);
  for (int k = 0; k < 3; k++) sum += body->J[k] * w[k] * w[k];
  return sum;
}

/* Returns the name of the body that has most of the kinetic energy of MODE. */
static const char *moved_most(const analysis *a, const hn_eigenmode *mode)
{
  double largest = -1.0;
  int body = 1;
  for (int i = 1; i < a->model->nbody; i++) {
    const double sum = energy(a, i, &mode->shape[i]) + energy(a, i, &mode->quadrature[i]);
    if (sum > largest * (1.0 + 1e-6)) largest = sum, body = i;
  }
  return a->model->body[body].name;
}

static void print_table(const analysis *a)
{
  const hn_eigenmodes *m = a->modes;
  cli_table *table = cli_table_create("mode|frequency, Hz|damping ratio|real part, 1/s|<moves most");
  for (int k = 0; k < m->count && k < MAX_SHOWN; k++) {
    const hn_eigenmode *mode = &m->mode[k];
    cli_cell(table, "%d", k + 1);
    cli_cell(table, "%s", cli_rounded(mode->frequency, 8).text);
    cli_cell(table, "%s", cli_rounded(mode->damping, 6).text);
    cli_cell(table, "%s", cli_rounded(mode->real, 6).text);
    cli_cell(table, "%s", moved_most(a, mode));
  }
  cli_table_print(table, stdout);
  if (m->count > MAX_SHOWN) printf("and %d more modes (--json shows all)\n", m->count - MAX_SHOWN);
}

/* True if some joints have rows that are not equations. */
static bool has_sets(const hn_model *model)
{
  for (int j = 0; j < model->njoint; j++)
    if (model->joint[j].set->kind != HN_ANY) return true;
  return model->max_contacts > 0;
}

static void print_all(const analysis *a)
{
  const hn_eigenmodes *m = a->modes;
  printf("%s at t = %s s%s%s%s: %d positions, %d velocities\n", a->scene->name,
         cli_exact(a->state->time).text, a->equilibrium ? ", at rest in equilibrium" : "",
         a->solver ? ", by " : "", a->solver ? a->solver : "", m->positions, m->velocities);
  if (m->acceleration > 1e-6)
    cli_print_wrapped(
      stdout,
      "note: the state is no equilibrium: bodies accelerate by up to %.2g m/s^2, rad/s^2, and "
      "the modes are those of this instant (--equilibrium)\n",
      m->acceleration);
  if (has_sets(a->model))
    cli_print_wrapped(stdout, "note: limits, bounded forces and contacts are left out\n");
  putchar('\n');
  print_table(a);
}

/* ---- The command --------------------------------------------------------------------------------------- */

/* Returns the mode that is drawn, or NULL on error. */
static const hn_eigenmode *chosen_mode(const analysis *a, const cli_options *options, hn_error *error)
{
  const hn_eigenmodes *m = a->modes;
  int k = 0;
  if (options->mode > m->count) {
    hn_fail(error, "--mode %d: there are %d modes", options->mode, m->count);
    return NULL;
  }
  while (k + 1 < m->count && !(m->mode[k].frequency > 0.0)) k++;
  return &m->mode[options->mode > 0 ? options->mode - 1 : k];
}

static bool is_animation(const char *path)
{
  return cli_ends_in(path, cli_gltf.ending);
}

static int draw(const analysis *a, const cli_options *options, hn_error *error)
{
  const hn_eigenmode *mode = chosen_mode(a, options, error);
  if (!mode) return -1;
  if (!options->output) return 0;
  return is_animation(options->output)
           ? mode_animate(a->model, a->state, mode, options->output, &cli_gltf, error)
           : mode_draw(a->model, a->state, mode, options->output, options->view, options->width,
                       options->height, error);
}

static int analyse(const cli_plan *plan, hn_state *state, const cli_options *options, hn_error *error)
{
  hn_equilibrium found;
  analysis a = { .scene = plan->scene,
                 .model = plan->scene->model,
                 .solver = options->at > 0.0 ? plan->solver : NULL,
                 .state = state,
                 .equilibrium = options->equilibrium };
  if (options->equilibrium && hn_equilibrium_find(a.model, state, NULL, &found, error)) {
    cli_complain("%s: %s", a.scene->name, error->text);
    return CLI_OUTCOME;
  }
  a.modes = hn_eigenmodes_create(a.model, state, error);
  int status = a.modes ? draw(&a, options, error) : -1;
  if (status == 0 && options->json) print_json(&a);
  else if (status == 0) print_all(&a);
  hn_eigenmodes_free(a.modes);
  return status == 0 ? CLI_DONE : -1;
}

/* Analyses the start, which needs no solver, or the state after a run to the time of --at. */
static int analyse_run(cli_plan *plan, const cli_options *options, hn_error *error)
{
  cli_outcome outcome;
  int status = cli_outcome_reach(&outcome, plan, options->at, error);
  if (status == 0) status = analyse(plan, outcome.state, options, error);
  cli_outcome_free(&outcome);
  return status;
}

static int run_command(const cli_options *options, hn_error *error)
{
  cli_plan plan;
  if (options->output && !is_animation(options->output) &&
      (cli_gnuplot_check(options->output, error) || cli_gnuplot_ready(error) < 0))
    return -1;
  if (options->output && is_animation(options->output) && cli_output_is_file(options->output, error))
    return -1;
  hn_scene *scene = cli_plan_read(&plan, options, error);
  if (!scene) return -1;
  int status = cli_spec_check(plan.solver, scene, error);
  if (status == 0) status = analyse_run(&plan, options, error);
  hn_scene_free(scene);
  return status;
}

const cli_command cli_command_modes = {
  .name = "modes",
  .arguments = "SCENE",
  .summary = "frequencies, damping and modes of small motions",
  .details = "Linearises the motion on the manifold of the joints, with the stiffness that the\n"
             "joint forces cause, gyroscopic terms and damping, and prints its eigenvalues:\n"
             "about the start, the state after a run to --at T, or with --equilibrium the\n"
             "static equilibrium near it. About a state that moves or accelerates, the modes\n"
             "are those of the instant. Redundant joints do not matter; limits and contacts are\n"
             "left out. --output FILE.svg, .pdf or .png draws one mode, at its largest\n"
             "displacement and with the paths of the bodies; FILE.glb is an animation in glTF.\n"
             "--mode K selects it. --json has all shapes and the matrix of the linear motion.\n"
             "Exit status 1 when there is no equilibrium, or the run does not reach T.\n",
  .examples = "modes double_pendulum --equilibrium\n"
              "modes chain8 --equilibrium --mode 9 --output mode9.svg\n"
              "modes flyball --at 0.5 --json\n",
  .options = { CLI_SCENE_OPTIONS, CLI_STEP, CLI_AT, CLI_EQUILIBRIUM, CLI_MODE, CLI_OUTPUT, CLI_VIEW,
               CLI_WIDTH, CLI_HEIGHT },
  .run = run_command,
};
