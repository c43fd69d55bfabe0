/* reference.c - the motion that errors are measured against: the scene's reference, a run of a solver with
 * small steps, or the JSON of an earlier `run`. Errors are never measured against a tolerance setting.
 *
 * Uncertainty of a run. Let d be the distance of a run from one with twice its step.
 * - If d is at the level of rounding, the run is good enough. Rounding is 300 epsilon times the size, about
 *   the error of a long run; no smaller uncertainty is given. d must be below a third of it, since two runs
 *   can agree by accident.
 * - If runs have shown an order and halving brings them no closer, rounding separates them, and the coarser
 *   one has less of it. The uncertainty is the sum of its distances from both neighbours.
 * - If each halving divides the distance by q > 2, the error is d / (q - 1). From q = 4 on the uncertainty is
 *   d, three times that. For smaller q, which may change, or if both runs err to the same side, the distance
 *   before is added to d. */
#include <float.h>
#include <jansson.h>
#include <math.h>
#include <string.h>
#include "cli/base/interrupt.h"
#include "cli/base/memory.h"
#include "cli/base/parse.h"
#include "cli/study/scene_answer.h"
#include "cli/study/reference_distance.h"
#include "cli/study/reference.h"
#include "cli/study/study_runs.h"
#include "base/vec.h"
#include "scene.h"

static const double rounding = 300.0 * DBL_EPSILON; /* of a long run, relative to the size of the scene */
static const double time_rounding = 1e-12;          /* relative error of times */
static const double agreement_factor = 3.0; /* rounding over the distance of two runs that agree to it */
static const char trusted[] = "lagrange:stepper=rk8pd,stabilisation=projection";
/* Trusted solvers where shapes collide, and the velocity error that a step may leave, m/s. If runs of one
 * fail, the next is used: light bodies on stiff chains of joints have rounding above 1e-12 m/s. */
static const struct {
  const char *solver;
  double step_error;
} trusted_with_contacts[] = {
  { "moreau:contact=newton,contact_tolerance=1e-12,theta=0.5,tolerance=1e-10", 1e-12 },
  { "moreau:contact=newton,contact_tolerance=1e-10,theta=0.5,tolerance=1e-10", 1e-10 },
  { "moreau:contact=admm,contact_tolerance=1e-9,theta=0.5", 1e-9 },
};
enum { TRUSTED = sizeof trusted_with_contacts / sizeof *trusted_with_contacts };
enum { CHECKED_TIMES = 128 };               /* times at which a scene must know its motion */
static const int min_distances = 3;         /* number of distances that shows whether they fall */
static const double trusted_divisor = 16.0; /* step of a study over that of its trusted run */
static const double order_seen = 16.0; /* a halving that divides the distance by as much shows an order */

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

/* ---- Runs ---------------------------------------------------------------------------------------------- */

/* Runs PLAN and stores its motion. Returns 1 if it reached the end, 0 if not, -1 on error. */
static int run_into(cli_motion *motion, cli_outcome *outcome, const cli_plan *plan, hn_error *error)
{
  cli_plan plain = *plan;
  plain.measures = CLI_FEW_MEASURES;
  plain.motion = motion;
  if (cli_outcome_run(outcome, &plain, error) < 0) return -1;
  if (outcome->summary.reason != HN_CONVERGED || outcome->summary.contradictions > 0) return 0;
  cli_mark_known(motion->has, plan->scene->model, cli_outcome_has_forces(outcome));
  return 1;
}

static double size_of(const cli_outcome *outcome)
{
  const hn_model *model = outcome->plan.scene->model;
  double size = outcome->summary.size;
  for (int i = 0; i < model->nbody; i++)
    if (model->body[i].kind != HN_FIXED) size = fmax(size, vec_norm(outcome->state->pose[i].x));
  return size;
}

int cli_reference_run(cli_reference *reference, const cli_plan *plan, hn_error *error)
{
  cli_outcome outcome;
  clear(reference);
  reference->end = cli_motion_create(plan->scene->model, 1, hn_step_count(plan->step, plan->duration));
  int status = run_into(reference->end, &outcome, plan, error);
  reference->step = plan->step;
  if (status == 1) {
    reference->size = size_of(&outcome);
    reference->name = cli_text("%s with steps of %s s", plan->solver, cli_exact(plan->step).text);
    reference->key = cli_text("%s", plan->solver);
    reference->solver = cli_text("%s", plan->solver);
    reference->too_few_runs = true;
    reference->track = outcome.track;
    outcome.track = NULL;
  }
  cli_outcome_free(&outcome);
  return status;
}

/* Distances of runs from those with twice their step. */
typedef struct halving {
  double apart, before; /* the last distance and the one before, m; infinite: none */
  double first;         /* the first distance, m */
  int count;            /* number of distances */
  bool order;           /* distances have fallen as they do where steps determine the error */
} halving;

static bool agree(const cli_reference *finer, const halving *h)
{
  return agreement_factor * h->apart <= rounding * finer->size;
}

static bool parted_by_rounding(const halving *h)
{
  return h->order && 2.0 * h->apart > h->before;
}

/* Sets the uncertainty of the reference to BOUND, at least rounding, and its explanation. */
static void set_uncertainty(cli_reference *reference, double bound, const char *ground)
{
  double least = rounding * reference->size;
  reference->uncertainty = fmax(least, bound);
  reference->ground = bound < least ? "rounding; its distance from a run with twice the step is less"
                                    : ground;
}

/* Keeps the better of the last two runs in FINER, with its uncertainty. Returns false to end the halving. */
static bool judge(cli_reference *finer, cli_reference *coarser, halving *h)
{
  bool fast = !(4.0 * h->apart > h->before), done = agree(finer, h) || parted_by_rounding(h);
  if (!agree(finer, h) && parted_by_rounding(h)) {
    cli_reference kept = *coarser;
    *coarser = *finer;
    *finer = kept;
    set_uncertainty(finer, h->apart + h->before,
                    "its distances from runs with twice the step and with half of it");
  } else if (fast) {
    set_uncertainty(finer, h->apart, "its distance from a run with twice the step");
  } else {
    set_uncertainty(finer, h->apart + h->before,
                    "its distance from a run with twice the step and of that from one with four times it");
  }
  h->order = h->order || (isfinite(h->before) && order_seen * h->apart <= h->before);
  if (h->count++ == 0) h->first = h->apart;
  finer->too_few_runs = h->count < min_distances && !agree(finer, h);
  finer->is_settled = agree(finer, h) || (!finer->too_few_runs && 2.0 * h->apart <= h->first);
  return !done;
}

/* Halves the step of PLAN, down to FINEST at least, as long as it helps, and estimates the uncertainty. */
static int halve(cli_reference *reference, const cli_plan *plan, double finest, hn_error *error)
{
  cli_plan next = *plan;
  halving h = { INFINITY, INFINITY, INFINITY, 0, false };
  int status = cli_reference_run(reference, &next, error);
  for (bool more = status >= 0; more && next.step > finest && !*cli_stop();) {
    cli_reference coarser = *reference;
    next.step *= 0.5;
    status = cli_reference_run(reference, &next, error);
    h.before = h.apart;
    h.apart = status == 1 && coarser.key
                ? cli_pose_distance(reference, reference->end->pose, coarser.end->pose)
                : INFINITY;
    more = status >= 0 && (isinf(h.apart) || judge(reference, &coarser, &h));
    cli_reference_free(&coarser);
  }
  return status;
}

/* Replaces the reference by an explanation why runs that do not converge determine no motion. Returns 0. */
static int refuse(cli_reference *reference)
{
  const hn_digits step = hn_exact(reference->step);
  const char *solver = reference->key;
  char *text =
    !solver || reference->too_few_runs
      ? cli_text("nothing (too few of the runs that should have been the reference came to the end)")
      : cli_text(
          "nothing: runs of %s do not come nearer to each other with smaller steps, down to %s s, where "
          "they are %.1e m apart: the motion is chaotic, or what decides it happens faster",
          solver, step.text, reference->uncertainty);
  cli_reference_free(reference);
  reference->why_missing = text;
  return 0;
}

/* Makes a reference by time stepping. Impacts reduce its order, so that errors fall with the step, but
 * unevenly. Residuals that the solver leaves in each step may add up, and bound the uncertainty from
 * below. */
static int make_with_contacts(cli_reference *reference, cli_plan *plan, double finest, hn_error *error)
{
  int status = 0;
  for (int i = 0; i < TRUSTED && !*cli_stop(); i++) {
    const double accumulated = trusted_with_contacts[i].step_error * plan->duration;
    if (i > 0) cli_reference_free(reference);
    plan->solver = trusted_with_contacts[i].solver;
    status = halve(reference, plan, finest, error);
    if (status < 0) return -1;
    if (status == 0 || reference->too_few_runs) continue;
    if (reference->is_settled && accumulated > reference->uncertainty)
      reference->uncertainty = accumulated, reference->ground = "what its solver may leave in every step";
    return reference->is_settled ? 1 : refuse(reference);
  }
  return *cli_stop() ? status : refuse(reference);
}

int cli_reference_trusted(cli_reference *reference, hn_scene *scene, double step, double finest,
                          double duration, size_t track, hn_error *error)
{
  cli_plan plan = { .scene = scene,
                    .solver = trusted,
                    .step = step,
                    .duration = duration,
                    .track_numbers = track,
                    .track_step = step };
  finest = fmin(step / trusted_divisor, finest / 2.0);
  return scene->model->max_contacts > 0 ? make_with_contacts(reference, &plan, finest, error)
                                        : halve(reference, &plan, finest, error);
}

int cli_reference_make(cli_reference *reference, hn_scene *scene, cli_norm norm, double step, double finest,
                       double duration, size_t track, hn_error *error)
{
  int status = cli_reference_scene(reference, scene, norm, duration, error);
  if (status == 1 && track > 0)
    return cli_track_answer(reference, scene, step, duration, track, error) < 0 ? -1 : 1;
  if (status != 0) return status;
  cli_reference_free(reference);
  status = cli_reference_trusted(reference, scene, step, finest, duration, track, error);
  reference->norm = norm;
  return status;
}

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

void cli_reference_free(cli_reference *reference)
{
  free(reference->name);
  free(reference->key);
  free(reference->solver);
  free(reference->why_missing);
  cli_motion_free(reference->end);
  for (size_t i = 0; i < reference->nmotion; i++) cli_motion_free(reference->motion[i]);
  free(reference->motion);
  free(reference->known);
  cli_track_free(reference->track);
  memset(reference, 0, sizeof *reference);
}

/* ---- Over the motion ----------------------------------------------------------------------------------- */

/* Repeats the run of the reference with steps that reach the times of MOTION, APART seconds apart. */
static int run_again(const cli_reference *r, cli_motion *motion, const cli_plan *plan, double apart,
                     hn_error *error)
{
  cli_outcome outcome;
  const long parts = (long)ceil(apart / r->step * (1.0 - time_rounding));
  cli_plan again = {
    .scene = plan->scene, .solver = r->solver, .step = apart / (double)parts, .duration = plan->duration
  };
  motion->every = parts;
  int status = run_into(motion, &outcome, &again, error);
  if (status == 0 && outcome.summary.reason != HN_INTERRUPTED)
    status = hn_fail(
      error, "the reference with steps of %s s, which come to the times of the runs, did not converge",
      cli_exact(again.step).text);
  cli_outcome_free(&outcome);
  return status;
}

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
  int status = r->solver ? run_again(r, motion, plan, times.apart, error)
                         : cli_scene_motion(plan->scene, motion, NULL, error);
  r->motion = cli_grow(r->motion, r->nmotion + 1, sizeof *r->motion);
  r->motion[r->nmotion++] = motion;
  return status < 0 ? -1 : 0;
}
