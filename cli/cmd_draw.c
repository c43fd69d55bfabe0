/* cmd_draw.c - `holonom draw`: draws a mechanism, at its start or at a time of a run, with paths of
 * bodies. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "cli/base/complain.h"
#include "cli/base/gnuplot.h"
#include "cli/base/memory.h"
#include "cli/base/parse.h"
#include "cli/commands.h"
#include "cli/picture/picture.h"
#include "cli/picture/picture_write.h"
#include "cli/study/study_runs.h"
#include "scene.h"
#include "base/vec.h"

enum { MAX_PATHS = 16, MAX_POINTS = 4096 }; /* MAX_POINTS of a path: when full, every second one is dropped */

static const double time_rounding = 1e-12; /* relative error of the time after many steps */

/* State and paths recorded during a run. */
typedef struct recording {
  double at;       /* time of the drawing, s */
  hn_state *still; /* state after the first step that ends at or after that time */
  bool reached;    /* `still` is known */
  int body[MAX_PATHS], npath;
  double (*path[MAX_PATHS])[3]; /* [npath], each of [MAX_POINTS] points, `count` of them used */
  int count;
  long stride;
} recording;

/* Drops every second point of the paths and doubles the stride. */
static void thin(recording *r)
{
  for (int k = 0; k < r->npath; k++)
    for (int i = 0; 2 * i < r->count; i++) memcpy(r->path[k][i], r->path[k][2 * i], sizeof *r->path[k]);
  r->count = (r->count + 1) / 2;
  r->stride *= 2;
}

static bool record(void *watcher, const cli_outcome *outcome, const hn_frame *frame)
{
  recording *r = watcher;
  (void)outcome;
  if (!r->reached && frame->state->time >= r->at * (1.0 - time_rounding)) {
    hn_state_copy(r->still, frame->state);
    r->reached = true;
  }
  if (frame->index % r->stride != 0) return true;
  if (r->count == MAX_POINTS) thin(r);
  if (frame->index % r->stride != 0) return true;
  for (int k = 0; k < r->npath; k++) vec_copy(r->path[k][r->count], frame->state->pose[r->body[k]].x);
  r->count++;
  return true;
}

static int read_paths(recording *r, const char *names, const hn_model *model, hn_error *error)
{
  char **name = names ? cli_split(names) : NULL;
  int status = 0;
  for (size_t i = 0; name && name[i] && status == 0; i++) {
    const int body = hn_model_find_body(model, name[i], error);
    if (body < 0) status = -1;
    else if (body == 0) status = hn_fail(error, "--trajectory: the ground does not move");
    else if (r->npath == MAX_PATHS) status = hn_fail(error, "--trajectory: at most %d bodies", MAX_PATHS);
    else r->path[r->npath] = cli_alloc(MAX_POINTS, sizeof **r->path), r->body[r->npath++] = body;
  }
  cli_strings_free(name);
  return status;
}

/* Runs up to the time of the drawing, or for the duration with paths. Returns the exit status, or -1. */
static int run(recording *r, cli_plan *plan, hn_error *error)
{
  cli_outcome outcome;
  plan->watch = record, plan->watcher = r, plan->measures = CLI_FEW_MEASURES;
  if (r->npath == 0) plan->duration = r->at;
  if (r->npath == 0 && r->at == 0.0) return r->reached = true, CLI_DONE; /* the start needs no run */
  plan->duration = fmax(plan->duration, r->at);
  if (cli_spec_check(plan->solver, plan->scene, error) < 0) return -1;
  int status = cli_outcome_run(&outcome, plan, error) < 0 ? -1 : CLI_DONE;
  if (status == CLI_DONE && outcome.summary.reason != HN_CONVERGED) {
    cli_complain("%s (stopped at t = %s s)", outcome.summary.explanation,
                 cli_exact(outcome.summary.time).text);
    status = CLI_OUTCOME;
  }
  cli_outcome_free(&outcome);
  return status;
}

static int draw(const recording *r, const cli_plan *plan, const cli_options *options, hn_error *error)
{
  const hn_model *model = plan->scene->model;
  picture_view view;
  picture p;
  if (picture_view_read(&view, options->view, model, r->still, error) < 0) return -1;
  picture_make(&p, model, r->still, &view);
  for (int k = 0; k < r->npath; k++)
    picture_add_path(&p, r->body[k], (const double(*)[3])r->path[k], r->count);
  int status = picture_draw(&p, options->output, options->width, options->height, error);
  if (status == 0 && !options->quiet)
    printf("%s at t = %s s: %s\n", plan->scene->name, cli_exact(r->still->time).text, options->output);
  picture_free(&p);
  return status;
}

static int make(cli_plan *plan, const cli_options *options, hn_error *error)
{
  recording r = { .at = options->at, .stride = 1, .still = hn_state_create(plan->scene->model) };
  picture_view view; /* checked here, before the run */
  int status = r.still ? 0 : hn_fail(error, "out of memory");
  if (status == 0) status = picture_view_read(&view, options->view, plan->scene->model, r.still, error);
  if (status == 0) status = read_paths(&r, options->trajectory, plan->scene->model, error);
  if (status == 0) status = run(&r, plan, error);
  if (status >= 0 && r.reached && draw(&r, plan, options, error) < 0) status = -1;
  hn_state_free(r.still);
  for (int k = 0; k < r.npath; k++) free(r.path[k]);
  return status;
}

static int run_command(const cli_options *options, hn_error *error)
{
  cli_plan plan;
  if (!options->output) return hn_fail(error, "draw: --output FILE.pdf, .svg, .png or .gp is required");
  if (cli_gnuplot_ready(error) < 0) return -1;
  hn_scene *scene = cli_plan_read(&plan, options, error);
  if (!scene) return -1;
  int status = make(&plan, options, error);
  hn_scene_free(scene);
  return status;
}

const cli_command cli_command_draw = {
  .name = "draw",
  .arguments = "SCENE",
  .summary = "draw a mechanism: shapes, joints and axes, and paths of bodies",
  .details = "Draws the start, or with --at T the state after a run to T. --view xy, xz and\n"
             "yz look along an axis, iso from above and from the side. --trajectory BODY,BODY\n"
             "adds the paths of their centres of mass over the duration. Bodies without a\n"
             "shape are drawn as links to their joints, or as the box with their mass and\n"
             "moments of inertia. --output FILE.pdf, .svg or .png is --width mm wide (default\n"
             "120); FILE.gp is the gnuplot script. Exit status 1 when the run fails.\n",
  .examples = "draw walking_machine --output machine.pdf --width 85\n"
              "draw double_pendulum --view xy --trajectory lower --output path.svg\n",
  .options = { CLI_SET, CLI_CONSISTENT, CLI_SOLVER, CLI_STEP, CLI_DURATION, CLI_AT, CLI_OUTPUT, CLI_VIEW,
               CLI_TRAJECTORY, CLI_WIDTH, CLI_HEIGHT, CLI_QUIET, CLI_PLUGIN, CLI_LIMIT_OPTIONS, CLI_HELP },
  .run = run_command,
};
