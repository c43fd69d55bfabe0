/* reference.c - the positions that errors are measured against: the scene's reference, a run of a method with small
 * steps, or the JSON of an earlier `run`. Errors are against one of these, never against a tolerance setting.
 *
 * A run is good enough when one with twice its step agrees to rounding. Where halving has shown an order and brings runs
 * no nearer, rounding is what parts them, and the one with more steps has more of it. What a run is uncertain by must
 * hold for the finer of two runs that differ by d. While each halving brings them q > 2 times as near it is off by
 * d / (q - 1); from q = 4 on, three times less than d, d is said. Where q is smaller, and need not stay as it is, or both
 * runs err to the same side, the d before is added. And two runs can agree by accident to less than their rounding:
 * 300 epsilon of the size, about what long runs lose, is the least that is said, and they must agree to a third of it.
 */
#include <float.h>
#include <jansson.h>
#include <math.h>
#include <string.h>
#include "cli/base/interrupt.h"
#include "cli/base/memory.h"
#include "cli/base/parse.h"
#include "cli/study/distance.h"
#include "cli/study/motion.h"
#include "cli/study/reference.h"
#include "cli/study/runs.h"
#include "base/vec.h"
#include "scene.h"

static const double rounding = 300.0 * DBL_EPSILON; /* of a long run, over the size of the scene */
static const double surely = 3.0;                   /* rounding over the distance of two runs that agree to it */
static const char trusted[] = "lagrange:stepper=rk8pd,stabilisation=projection";
/* Where shapes collide, and m/s that every step may be off by: the next ones where runs of the one before fail, as those
 * with light bodies on stiff chains of joints do, where rounding is more than 1e-12 m/s. */
static const struct { const char *solver; double off; } trusted_with_contacts[] = {
  { "moreau:contact=newton,contact_tolerance=1e-12,theta=0.5,tolerance=1e-10", 1e-12 },
  { "moreau:contact=newton,contact_tolerance=1e-10,theta=0.5,tolerance=1e-10", 1e-10 },
  { "moreau:contact=admm,contact_tolerance=1e-9,theta=0.5", 1e-9 },
};
enum { TRUSTED = sizeof trusted_with_contacts / sizeof *trusted_with_contacts };
static const int least_known = 3; /* distances of runs, to tell whether they fall */
static const double trusted_divisor = 16.0;
static const double order_seen = 16.0;              /* runs that have come nearer by as much in a halving show an order */

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
    if (reference->has[i]) reference->size = fmax(reference->size, vec_norm(outcome->state->pose[i].x));
  }
  reference->size = fmax(reference->size, outcome->summary.size);
}

int cli_reference_run(cli_reference *reference, const cli_plan *plan, hn_error *error)
{
  cli_outcome outcome;
  cli_plan seldom = *plan;
  seldom.measures = CLI_FEW_MEASURES;
  prepare(reference, plan->scene->model);
  int status = cli_outcome_run(&outcome, &seldom, error);
  reference->step = plan->step;
  if (status == 0 && outcome.summary.reason == HN_CONVERGED) {
    take_positions(reference, &outcome);
    reference->name = cli_text("%s with steps of %s s", plan->solver, cli_exact(plan->step).text);
    reference->key = cli_text("%s", plan->solver);
    reference->few = true;
    reference->track = outcome.track;
    outcome.track = NULL;
    status = 1;
  }
  cli_outcome_free(&outcome);
  return status;
}

/* Distances of runs from those with twice their step: of the last one, and of the one before. */
typedef struct halving {
  double apart, before;       /* m; infinite when there is none */
  double first;               /* of the first two */
  int known;                  /* how many */
  bool order;                 /* runs have come nearer as they do where steps decide */
} halving;

static bool agree(const cli_reference *finer, const halving *h)
{
  return surely * h->apart <= rounding * finer->size;
}

static bool parted_by_rounding(const halving *h)
{
  return h->order && 2.0 * h->apart > h->before;
}

static void say(cli_reference *reference, double bound, const char *ground)
{
  double least = rounding * reference->size;
  reference->uncertainty = fmax(least, bound);
  reference->ground = bound < least ? "rounding; its distance from a run with twice the step is less" : ground;
}

/* Keeps one of the last two runs in FINER and says what it is uncertain by. False when there is no more to gain. */
static bool judge(cli_reference *finer, cli_reference *coarser, halving *h)
{
  bool fast = !(4.0 * h->apart > h->before), done = agree(finer, h) || parted_by_rounding(h);
  if (!agree(finer, h) && parted_by_rounding(h)) {
    cli_reference kept = *coarser;
    *coarser = *finer;
    *finer = kept;
    say(finer, h->apart + h->before, "its distances from runs with twice the step and with half of it");
  } else if (fast) {
    say(finer, h->apart, "its distance from a run with twice the step");
  } else {
    say(finer, h->apart + h->before,
        "its distance from a run with twice the step and of that from one with four times it");
  }
  h->order = h->order || (isfinite(h->before) && order_seen * h->apart <= h->before);
  if (h->known++ == 0) h->first = h->apart;
  finer->few = h->known < least_known && !agree(finer, h);
  finer->settled = agree(finer, h) || (!finer->few && 2.0 * h->apart <= h->first);
  return !done;
}

int cli_reference_halve(cli_reference *reference, const cli_plan *plan, double finest, hn_error *error)
{
  cli_plan next = *plan;
  halving h = { INFINITY, INFINITY, INFINITY, 0, false };
  int nbody = plan->scene->model->nbody, status = cli_reference_run(reference, &next, error);
  for (bool more = status >= 0; more && next.step > finest && !*cli_stop();) {
    cli_reference coarser = *reference;
    next.step *= 0.5;
    status = cli_reference_run(reference, &next, error);
    h.before = h.apart;
    h.apart = status == 1 && coarser.key ? cli_reference_apart(reference, &coarser, nbody) : INFINITY;
    more = status >= 0 && (isinf(h.apart) || judge(reference, &coarser, &h));
    cli_reference_free(&coarser);
  }
  return status;
}

/* Runs that come no nearer to each other as their steps are halved say nothing of where bodies are. */
static int refuse(cli_reference *reference)
{
  const hn_digits step = hn_exact(reference->step);
  const char *solver = reference->key;
  char *why = !solver || reference->few
                ? cli_text("nothing (too few of the runs that should have been the reference came to the end)")
                : cli_text("nothing: runs of %s do not come nearer to each other with smaller steps, down to %s s, where "
                           "they are %.1e m apart: the motion is chaotic, or what decides it happens faster", solver,
                           step.text, reference->uncertainty);
  cli_reference_free(reference);
  reference->missing = why;
  return 0;
}

/* Time stepping. Impacts cost it its order, and then the errors of runs fall with the step, but not evenly. What its
 * solver leaves in each step may add up. */
static int make_with_contacts(cli_reference *reference, cli_plan *plan, double finest, hn_error *error)
{
  int status = 0;
  for (int i = 0; i < TRUSTED && !*cli_stop(); i++) {
    const double adds_up = trusted_with_contacts[i].off * plan->duration;
    if (i > 0) cli_reference_free(reference);
    plan->solver = trusted_with_contacts[i].solver;
    status = cli_reference_halve(reference, plan, finest, error);
    if (status < 0) return -1;
    if (status == 0 || reference->few) continue;
    if (reference->settled && adds_up > reference->uncertainty)
      reference->uncertainty = adds_up, reference->ground = "what its solver may leave in every step";
    return reference->settled ? 1 : refuse(reference);
  }
  return *cli_stop() ? status : refuse(reference);
}

static int make_trusted(cli_reference *reference, hn_scene *scene, double step, double finest, double duration,
                        size_t track, hn_error *error)
{
  cli_plan plan = { .scene = scene, .solver = trusted, .step = step, .duration = duration, .track_numbers = track,
                    .track_step = step };
  finest = fmin(step / trusted_divisor, finest / 2.0);
  return scene->model->most_contacts > 0 ? make_with_contacts(reference, &plan, finest, error)
                                         : cli_reference_halve(reference, &plan, finest, error);
}

int cli_reference_trusted(cli_reference *reference, hn_scene *scene, double step, double finest, double duration,
                          hn_error *error)
{
  return make_trusted(reference, scene, step, finest, duration, 0, error);
}

int cli_reference_make(cli_reference *reference, hn_scene *scene, double step, double finest, double duration,
                       size_t track, hn_error *error)
{
  int status = cli_reference_scene(reference, scene, duration, error);
  if (status == 1 && track > 0) return cli_reference_motion(reference, scene, step, duration, track, error);
  if (status != 0) return status;
  cli_reference_free(reference);
  return make_trusted(reference, scene, step, finest, duration, track, error);
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
  if (reference->missing) return reference->missing;
  return reference->name ? reference->name : "nothing (the run that should have been the reference failed)";
}

void cli_reference_free(cli_reference *reference)
{
  free(reference->name);
  free(reference->key);
  free(reference->missing);
  free(reference->has);
  free(reference->known);
  cli_track_free(reference->track);
  free(reference->position);
  memset(reference, 0, sizeof *reference);
}
