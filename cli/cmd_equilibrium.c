/* cmd_equilibrium.c - `holonom equilibrium`: the static equilibrium near the start of a scene. */
#include <math.h>
#include "cli/base/complain.h"
#include "cli/base/gnuplot.h"
#include "cli/base/json.h"
#include "cli/base/memory.h"
#include "cli/base/parse.h"
#include "cli/base/text_table.h"
#include "cli/commands.h"
#include "cli/picture/items.h"
#include "cli/study/bodies_json.h"
#include "cli/study/study_runs.h"
#include "cli/study/unique.h"
#include "scene.h"

enum { MAX_SHOWN = 24 }; /* rows of a table; the JSON has all */

/* A scene at its static equilibrium. */
typedef struct rest {
  const hn_scene *scene;
  const hn_model *model;
  hn_state *state;
  double *lambda; /* [nrow] */
  hn_equilibrium found;
  hn_rank *rank;
} rest;

/* ---- JSON ---------------------------------------------------------------------------------------------- */

static json_t *joints_json(const rest *r)
{
  json_t *joints = json_array();
  for (const hn_joint *joint = r->model->joint; joint < r->model->joint + r->model->njoint; joint++) {
    double force[3], torque[3];
    const double *multipliers = r->lambda + joint->row;
    hn_joint_reaction(joint, r->state, multipliers, force, torque);
    json_array_append_new(joints,
                          json_pack("{s:o, s:o, s:o, s:o, s:b}", "name", cli_json_string(joint->name),
                                    "force", cli_json_reals(force, 3), "torque", cli_json_reals(torque, 3),
                                    "multipliers", cli_json_reals(multipliers, joint->type->rows), "unique",
                                    (int)cli_force_unique(r->rank, joint)));
  }
  return joints;
}

static void print_json(const rest *r)
{
  const hn_equilibrium *f = &r->found;
  cli_json_print(json_pack("{s:o, s:b, s:i, s:o, s:o, s:i, s:i, s:i, s:i, s:o, s:o}", "scene",
                           cli_json_string(r->scene->name), "found", 1, "steps", f->steps, "acceleration",
                           cli_json_real(f->acceleration), "start", cli_json_real(f->start), "freedoms",
                           f->freedoms, "stable", f->stable, "unstable", f->unstable, "neutral", f->neutral,
                           "bodies", cli_json_bodies(r->model, r->state), "joints", joints_json(r)));
}

static void print_failure_json(const hn_scene *scene, const hn_error *why)
{
  cli_json_print(json_pack("{s:o, s:b, s:o}", "scene", cli_json_string(scene->name), "found", 0,
                           "explanation", cli_json_string(why->text)));
}

/* ---- Tables -------------------------------------------------------------------------------------------- */

static void print_bodies(const rest *r)
{
  const double size = hn_model_size(r->model, r->state);
  int shown = 0, left = 0;
  cli_table *table = cli_table_create("<centre of mass, m|x|y|z");
  for (int i = 1; i < r->model->nbody; i++) {
    if (shown++ >= MAX_SHOWN && ++left) continue;
    cli_cell(table, "%s", r->model->body[i].name);
    for (int k = 0; k < 3; k++)
      cli_cell(table, "%s", cli_rounded_to_scale(r->state->pose[i].x[k], size).text);
  }
  cli_table_print(table, stdout);
  if (left > 0) printf("and %d more bodies (--json shows all)\n", left);
}

static void print_forces(const rest *r)
{
  double largest = 0.0, force[3], torque[3];
  int left = r->model->njoint - MAX_SHOWN;
  for (int pass = 0; pass < 2; pass++) {
    cli_table *table = pass ? cli_table_create("<joint force, N|x|y|z|<") : NULL;
    for (int j = 0; j < r->model->njoint; j++) {
      const hn_joint *joint = &r->model->joint[j];
      hn_joint_reaction(joint, r->state, r->lambda + joint->row, force, torque);
      if (!pass) largest = fmax(largest, fmax(fabs(force[0]), fmax(fabs(force[1]), fabs(force[2]))));
      if (!pass || j >= MAX_SHOWN) continue;
      cli_cell(table, "%s", joint->name);
      for (int k = 0; k < 3; k++) cli_cell(table, "%s", cli_rounded_to_scale(force[k], largest).text);
      cli_cell(table, "%s", cli_force_unique(r->rank, joint) ? "" : "not unique");
    }
    if (table) cli_table_print(table, stdout);
  }
  if (left > 0) printf("and %d more joints (--json shows all)\n", left);
}

static void print_table(const rest *r)
{
  const hn_equilibrium *f = &r->found;
  printf("%s: static equilibrium after %d steps\n\n", r->scene->name, f->steps);
  cli_table *table = cli_table_create("<||<");
  cli_cell(table, "acceleration"), cli_cell(table, "%.1e", f->acceleration);
  cli_cell(table, "m/s^2, rad/s^2; %.2g at the start", f->start);
  cli_cell(table, "degrees of freedom"), cli_cell(table, "%d", f->freedoms), cli_cell(table, "%s", "");
  cli_cell(table, "  stable"), cli_cell(table, "%d", f->stable);
  cli_cell(table, "forces drive the mechanism back");
  cli_cell(table, "  unstable"), cli_cell(table, "%d", f->unstable);
  cli_cell(table, "forces drive it away");
  cli_cell(table, "  neutral"), cli_cell(table, "%d", f->neutral), cli_cell(table, "no forces");
  cli_table_print(table, stdout);
  putchar('\n');
  print_bodies(r);
  if (r->model->njoint > 0) putchar('\n'), print_forces(r);
}

/* ---- The command --------------------------------------------------------------------------------------- */

static int draw(const rest *r, const cli_options *options, hn_error *error)
{
  picture_view view;
  picture p;
  if (picture_view_read(&view, options->view, r->model, r->state, error) < 0) return -1;
  picture_make(&p, r->model, r->state, &view);
  int status = picture_draw(&p, options->output, options->width, options->height, error);
  picture_free(&p);
  return status;
}

static int show(rest *r, const cli_options *options, hn_error *error)
{
  r->rank = cli_rank_at(r->model, r->state, error);
  int status = r->rank ? 0 : -1;
  if (status == 0 && options->output) status = draw(r, options, error);
  if (status == 0 && options->json) print_json(r);
  else if (status == 0) print_table(r);
  hn_rank_free(r->rank);
  return status == 0 ? CLI_DONE : -1;
}

static int find(const hn_scene *scene, const cli_options *options, hn_error *error)
{
  hn_error why;
  rest r = { .scene = scene, .model = scene->model, .state = hn_state_create(scene->model) };
  r.lambda = cli_alloc((size_t)r.model->nrow + 1, sizeof *r.lambda);
  int status = r.state ? 0 : hn_fail(error, "out of memory");
  if (status == 0 && hn_equilibrium_find(r.model, r.state, r.lambda, &r.found, &why)) {
    if (options->json) print_failure_json(scene, &why);
    cli_complain("%s: %s", scene->name, why.text);
    status = CLI_OUTCOME;
  }
  if (status == 0) status = show(&r, options, error);
  hn_state_free(r.state);
  free(r.lambda);
  return status;
}

static int run_command(const cli_options *options, hn_error *error)
{
  if (options->output && cli_gnuplot_check(options->output, error)) return -1;
  if (options->output && cli_gnuplot_ready(error) < 0) return -1;
  hn_scene *scene = cli_scene_load(options->word[0], options, error);
  if (!scene) return -1;
  int status = find(scene, options, error);
  hn_scene_free(scene);
  return status;
}

const cli_command cli_command_equilibrium = {
  .name = "equilibrium",
  .arguments = "SCENE",
  .summary = "static equilibrium near the start, with the joint forces there",
  .details = "Moves the mechanism from its start until no body accelerates from rest: joints\n"
             "hold, and springs, gravity and other forces balance. Steps lead towards lower\n"
             "potential, so that a stable equilibrium is found unless the start is exactly at\n"
             "another one. Time and inputs are those of the start; limits and contacts are left\n"
             "out. --output FILE.pdf, .svg or .png draws it.\n"
             "Exit status 1 when there is none nearby.\n",
  .examples = "equilibrium double_pendulum --json\n"
              "equilibrium chain8 --output chain8.svg\n",
  .options = { CLI_SET, CLI_CONSISTENT, CLI_PRINT_OPTIONS, CLI_OUTPUT, CLI_VIEW, CLI_WIDTH, CLI_HEIGHT,
               CLI_PLUGIN, CLI_LIMIT_OPTIONS, CLI_HELP },
  .run = run_command,
};
