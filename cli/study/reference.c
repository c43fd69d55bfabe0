/* reference.c - the positions that errors are measured against: the scene's reference, a run of a method with small
 * steps, or the JSON of an earlier `run`. Errors are against one of these, never against a tolerance setting. */
#include <jansson.h>
#include <math.h>
#include <string.h>
#include "cli/base/memory.h"
#include "cli/base/parse.h"
#include "cli/study/distance.h"
#include "cli/study/reference.h"
#include "cli/study/runs.h"
#include "scene.h"

static void prepare(cli_reference *reference, const hn_model *model)
{
  memset(reference, 0, sizeof *reference);
  reference->uncertainty = NAN;
  reference->has = cli_alloc((size_t)model->nbody, sizeof *reference->has);
  reference->position = cli_alloc((size_t)model->nbody * 3, sizeof *reference->position);
}

int cli_reference_scene(cli_reference *reference, hn_scene *scene, double time, hn_error *error)
{
  prepare(reference, scene->model);
  if (!scene->has_reference) return 0;
  int status = hn_scene_reference(scene, time, reference->has, reference->position, error);
  if (status != 1) return status;
  reference->name = cli_text("the scene's reference");
  reference->key = cli_text("scene");
  return 1;
}

static void take_positions(cli_reference *reference, const cli_outcome *outcome)
{
  const hn_model *model = outcome->plan.scene->model;
  for (int i = 0; i < model->nbody; i++) {
    reference->has[i] = model->body[i].kind != HN_FIXED;
    memcpy(&reference->position[3 * i], outcome->state->pose[i].x, 3 * sizeof(double));
  }
}

int cli_reference_run(cli_reference *reference, const cli_plan *plan, hn_error *error)
{
  cli_outcome outcome;
  prepare(reference, plan->scene->model);
  int status = cli_outcome_run(&outcome, plan, error);
  reference->step = plan->step;
  if (status == 0 && outcome.summary.reason == HN_CONVERGED) {
    take_positions(reference, &outcome);
    reference->name = cli_text("%s with steps of %s s", plan->solver, cli_exact(plan->step).text);
    reference->key = cli_text("%s", plan->solver);
    status = 1;
  }
  cli_outcome_free(&outcome);
  return status;
}

static int take_body(cli_reference *reference, const hn_model *model, const int *sorted, json_t *body, hn_error *error)
{
  const char *name;
  double x[3];
  json_error_t why;
  if (json_unpack_ex(body, &why, 0, "{s:s, s:[F,F,F]}", "name", &name, "position", &x[0], &x[1], &x[2]) < 0)
    return hn_fail(error, "a body in it has no name and position of three numbers");
  int index = hn_model_look_up(model, sorted, name);
  if (index < 0) return hn_model_find_body(model, name, error); /* and what was meant */
  reference->has[index] = true;
  memcpy(&reference->position[3 * index], x, sizeof x);
  return 0;
}

static int take_bodies(cli_reference *reference, const cli_plan *plan, json_t *root, hn_error *error)
{
  json_t *bodies = json_object_get(root, "bodies"), *time = json_object_get(root, "time"), *body;
  size_t index;
  if (!json_is_array(bodies) || json_array_size(bodies) == 0 || !json_is_number(time))
    return hn_fail(error, "not the output of holonom run --json: it has no time or no bodies");
  double end = json_number_value(time);
  if (fabs(end - plan->duration) > 1e-12 * plan->duration)
    return hn_fail(error, "it ends at t = %s s, the runs at %s s; give --duration %s", cli_exact(end).text,
                   cli_exact(plan->duration).text, cli_exact(end).text);
  const hn_model *model = plan->scene->model;
  int *sorted = hn_model_sort_bodies(model), status = sorted ? 0 : hn_fail(error, "out of memory");
  json_array_foreach(bodies, index, body)
    if (status == 0) status = take_body(reference, model, sorted, body, error);
  free(sorted);
  return status;
}

int cli_reference_file(cli_reference *reference, const cli_plan *plan, const char *path, hn_error *error)
{
  json_error_t why;
  hn_error inner;
  prepare(reference, plan->scene->model);
  json_t *root = json_load_file(path, 0, &why);
  if (!root && why.line < 0) return hn_fail(error, "--reference %s: %s", path, why.text);
  if (!root) return hn_fail(error, "--reference %s:%d: %s", path, why.line, why.text);
  int status = take_bodies(reference, plan, root, &inner);
  json_decref(root);
  if (status < 0) return hn_fail(error, "--reference %s: %s", path, inner.text);
  reference->name = cli_text("positions from %s", path);
  reference->key = cli_text("%s", path);
  return 1;
}

const char *cli_reference_text(const cli_reference *reference)
{
  return reference->name ? reference->name : "nothing (the run that should have been the reference failed)";
}

void cli_reference_free(cli_reference *reference)
{
  free(reference->name);
  free(reference->key);
  free(reference->has);
  free(reference->position);
  memset(reference, 0, sizeof *reference);
}
