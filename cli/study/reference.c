/* reference.c - the motion that errors are measured against: the scene's reference, runs of a solver with
 * small steps (reference_runs.c), or the JSON of an earlier `run`. */
#include <jansson.h>
#include <math.h>
#include <string.h>
#include <unistd.h>
#include "cli/base/memory.h"
#include "cli/base/output.h"
#include "cli/base/parse.h"
#include "cli/study/scene_answer.h"
#include "cli/study/reference.h"
#include "cli/study/reference_runs.h"
#include "scene.h"

static const double time_rounding = 1e-12; /* relative error of times */
enum { CHECKED_TIMES = 128 };              /* times at which a scene must know its motion */

static void clear(cli_reference *reference)
{
  memset(reference, 0, sizeof *reference);
  reference->uncertainty = NAN;
}

/* ---- The scene's answer -------------------------------------------------------------------------------- */

/* True if a position is known at all times of MOTION. */
static bool knows_positions(const cli_motion *motion)
{
  for (int i = 0; i < motion->nbody; i++)
    if (motion->has[CLI_POSITION][i]) return true;
  return false;
}

int cli_reference_scene(cli_reference *reference, hn_scene *scene, cli_norm norm, double duration,
                        hn_error *error)
{
  clear(reference);
  if (!scene->has_reference) return 0;
  reference->end = cli_motion_create_even(scene->model, 1, duration);
  int status = cli_scene_motion(scene, reference->end, NULL, error);
  if (status == 1 && norm != CLI_END) {
    cli_motion *motion = cli_motion_create_even(scene->model, CHECKED_TIMES, duration);
    status = cli_scene_motion(scene, motion, NULL, error);
    if (status == 1 && !knows_positions(motion)) status = 0;
    cli_motion_free(motion);
  }
  if (status != 1) return status;
  reference->norm = norm;
  reference->name = cli_text("the scene's reference");
  reference->key = cli_text("scene");
  return 1;
}

/* ---- The choice ---------------------------------------------------------------------------------------- */

cli_reference_kind cli_reference_kind_of(const char *wanted)
{
  if (!wanted) return CLI_REFERENCE_BEST;
  if (strcmp(wanted, "none") == 0) return CLI_REFERENCE_NONE;
  if (strcmp(wanted, "scene") == 0) return CLI_REFERENCE_SCENE;
  const bool file = cli_ends_in(wanted, ".json") || strchr(wanted, '/') || access(wanted, R_OK) == 0;
  return file ? CLI_REFERENCE_FILE : CLI_REFERENCE_SPEC;
}

int cli_reference_check(const char *wanted, hn_scene *scene, cli_norm norm, hn_error *error)
{
  const cli_reference_kind kind = cli_reference_kind_of(wanted);
  if (kind == CLI_REFERENCE_FILE && norm != CLI_END)
    return hn_fail(error, "--norm %s needs a reference over the whole motion; a file has the end alone",
                   cli_norms[norm].name);
  hn_error why;
  if (kind != CLI_REFERENCE_SPEC || cli_spec_check(wanted, scene, &why) == 0) return 0;
  return hn_fail(error, "--reference %s: none, scene, a solver or a file with the JSON of a run: %.200s",
                 wanted, why.text);
}

int cli_reference_known(cli_reference *reference, const char *wanted, const cli_plan *plan, cli_norm norm,
                        hn_error *error)
{
  const cli_reference_kind kind = cli_reference_kind_of(wanted);
  clear(reference);
  reference->norm = norm;
  if (kind == CLI_REFERENCE_SPEC) return 0;
  if (kind == CLI_REFERENCE_FILE) return cli_reference_file(reference, plan, wanted, error);
  if (kind == CLI_REFERENCE_NONE) reference->why_missing = cli_text("nothing (--reference none)");
  if (kind == CLI_REFERENCE_NONE) return 0;
  const int status = cli_reference_scene(reference, plan->scene, norm, plan->duration, error);
  if (status == 0) cli_reference_free(reference), reference->norm = norm;
  if (kind == CLI_REFERENCE_BEST || status != 0) return status;
  return hn_fail(error, "--reference scene: %s has no reference %s t = %s s", plan->scene->name,
                 norm == CLI_END ? "at" : "at all times to", cli_exact(plan->duration).text);
}

int cli_reference_wanted(cli_reference *reference, const char *wanted, const cli_plan *plan, cli_norm norm,
                         double finest, hn_error *error)
{
  const cli_reference_kind kind = cli_reference_kind_of(wanted);
  int status = 0;
  if (kind == CLI_REFERENCE_BEST)
    status = cli_reference_trusted(reference, plan->scene, plan->step, finest, plan->duration,
                                   plan->track_numbers, error);
  else if (kind == CLI_REFERENCE_SPEC)
    status = cli_reference_by(reference, plan->scene, wanted, plan->step, finest, plan->duration,
                              plan->track_numbers, error);
  reference->norm = norm;
  return status;
}

/* ---- An earlier run ------------------------------------------------------------------------------------ */

/* Reads COUNT numbers of BODY at KEY into X. Returns false if they are absent. */
static bool read_numbers(const json_t *body, const char *key, size_t count, double *x)
{
  const json_t *array = json_object_get(body, key);
  bool good = json_array_size(array) == count;
  for (size_t i = 0; i < count && good; i++) {
    good = json_is_number(json_array_get(array, i));
    x[i] = json_number_value(json_array_get(array, i));
  }
  return good;
}

static int read_body(cli_motion *end, const hn_model *model, const int *sorted, json_t *body, hn_error *error)
{
  const char *name = json_string_value(json_object_get(body, "name"));
  double x[3];
  if (!name || !read_numbers(body, "position", 3, x))
    return hn_fail(error, "a body in it has no name and position of three numbers");
  int i = hn_model_look_up(model, sorted, name);
  if (i < 0) return hn_model_find_body(model, name, error); /* reports the nearest name */
  memcpy(end->pose[i].x, x, sizeof x);
  end->has[CLI_POSITION][i] = model->body[i].kind != HN_FIXED;
  end->has[CLI_ORIENTATION][i] = model->body[i].kind == HN_RIGID &&
                                 read_numbers(body, "orientation", 4, end->pose[i].q);
  end->has[CLI_VELOCITY][i] = model->body[i].kind != HN_FIXED &&
                              read_numbers(body, "velocity", 3, end->twist[i].v) &&
                              read_numbers(body, "angular_velocity", 3, end->twist[i].w);
  return 0;
}

static int read_bodies(cli_reference *reference, const cli_plan *plan, json_t *root, hn_error *error)
{
  json_t *bodies = json_object_get(root, "bodies"), *time = json_object_get(root, "time"), *body;
  size_t index;
  if (!json_is_array(bodies) || json_array_size(bodies) == 0 || !json_is_number(time))
    return hn_fail(error, "not the output of holonom run --json: it has no time or no bodies");
  double end = json_number_value(time);
  if (fabs(end - plan->duration) > time_rounding * plan->duration)
    return hn_fail(error, "it ends at t = %s s, the runs at %s s; give --duration %s", cli_exact(end).text,
                   cli_exact(plan->duration).text, cli_exact(end).text);
  const hn_model *model = plan->scene->model;
  int *sorted = hn_model_sort_bodies(model), status = sorted ? 0 : hn_fail(error, "out of memory");
  json_array_foreach(bodies, index, body) if (status == 0)
    status = read_body(reference->end, model, sorted, body, error);
  free(sorted);
  return status;
}

int cli_reference_file(cli_reference *reference, const cli_plan *plan, const char *path, hn_error *error)
{
  json_error_t cause;
  hn_error inner;
  clear(reference);
  reference->end = cli_motion_create(plan->scene->model, 1, 1);
  json_t *root = json_load_file(path, 0, &cause);
  if (!root && cause.line < 0) return hn_fail(error, "--reference %s: %s", path, cause.text);
  if (!root) return hn_fail(error, "--reference %s:%d: %s", path, cause.line, cause.text);
  int status = read_bodies(reference, plan, root, &inner);
  json_decref(root);
  if (status < 0) return hn_fail(error, "--reference %s: %s", path, inner.text);
  reference->name = cli_text("positions from %s", path);
  reference->key = cli_text("%s", path);
  return 1;
}

const char *cli_reference_text(const cli_reference *reference)
{
  if (reference->why_missing) return reference->why_missing;
  return reference->name ? reference->name : "nothing (the run that should have been the reference failed)";
}

/* ---- Over the motion ----------------------------------------------------------------------------------- */

int cli_reference_prepare(cli_reference *r, const cli_plan *plan, hn_error *error)
{
  const cli_times times = cli_times_of(r->norm, plan->step, plan->duration);
  if (!r->name || cli_reference_motion(r, plan->step, plan->duration)) return 0;
  if (!r->solver && strcmp(r->key, "scene") != 0)
    return hn_fail(error, "--norm %s needs a reference over the whole motion; a file has the end alone",
                   cli_norms[r->norm].name);
  cli_motion *motion = cli_motion_create(plan->scene->model, times.count, 1);
  for (long k = 0; k < times.count; k++)
    motion->time[k] = k + 1 < times.count ? times.apart * (double)(k + 1) : plan->duration;
  int status = r->solver ? cli_reference_run_again(r, motion, plan, times.apart, error)
                         : cli_scene_motion(plan->scene, motion, NULL, error);
  r->motion = cli_grow(r->motion, r->nmotion + 1, sizeof *r->motion);
  r->motion[r->nmotion++] = motion;
  return status < 0 ? -1 : 0;
}
