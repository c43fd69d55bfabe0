/* reference_runs.c - a reference by runs with ever smaller steps, and its uncertainty. Errors are never
 * measured against a tolerance setting.
 *
 * Uncertainty of a run. Let d be the distance of a run from one with twice its step.
 * - If d is at the level of rounding, the run is good enough. Rounding is 300 epsilon times the size, about
 *   the error of a long run; no smaller uncertainty is given. d must be below a third of it, since two runs
 *   can agree by accident.
 * - If runs have shown an order and halving brings them no closer, rounding separates them, and the coarser
 *   one has less of it. The uncertainty is the sum of its distances from both neighbours.
 * - If each halving divides the distance by q > 2, the error is d / (q - 1). From q = 4 on the uncertainty is
 *   d, three times that. For smaller q, which may change, or if both runs err to the same side, the distance
 *   before is added to d.
 *
 * Solver of the runs. lagrange with rk8pd where it supports the scene and nothing collides. Else events,
 * which locates impacts, stops and changes of contact modes and is of order 8 between them; then time
 * stepping, for motions whose events do not end, or whose contact problems have no solution between events.
 * The runs of events have a budget. They are accepted if their distance falls with the step, or is below 1e-9
 * of the size: the events of a chaotic motion differ by far more. */
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>
#include "cli/base/interrupt.h"
#include "cli/base/memory.h"
#include "cli/base/parse.h"
#include "cli/base/progress.h"
#include "cli/study/reference_runs.h"
#include "base/vec.h"
#include "scene.h"

static const double rounding = 300.0 * DBL_EPSILON; /* of a long run, relative to the size of the scene */
static const double time_rounding = 1e-12;          /* relative error of times */
static const double agreement_factor = 3.0; /* rounding over the distance of two runs that agree to it */
static const char smooth[] = "lagrange:stepper=rk8pd,stabilisation=projection";
/* Trusted solvers where there are contacts, limits or friction, and the velocity error that a step may leave,
 * m/s. If runs of one fail, the next is used: light bodies on stiff chains of joints have rounding above
 * 1e-12 m/s. */
static const struct {
  const char *solver;
  double step_error;
  uint64_t budget; /* joint operations of a run; 0: no limit */
} trusted_with_events[] = {
  { "events:inner=lagrange:stepper=rk8pd:redundancy=remove:stabilisation=projection", 0.0, 20000000 },
  { "moreau:contact=newton,contact_tolerance=1e-12,theta=0.5,tolerance=1e-10", 1e-12, 0 },
  { "moreau:contact=newton,contact_tolerance=1e-10,theta=0.5,tolerance=1e-10", 1e-10, 0 },
  { "moreau:contact=admm,contact_tolerance=1e-9,theta=0.5", 1e-9, 0 },
};
enum { TRUSTED = sizeof trusted_with_events / sizeof *trusted_with_events };
static const double same_motion = 1e-9;     /* distance of runs of one motion, relative to the size */
static const int min_distances = 3;         /* number of distances that shows whether they fall */
static const double trusted_divisor = 16.0; /* step of a study over that of its trusted run */
static const double order_seen = 16.0; /* a halving that divides the distance by as much shows an order */

/* The cost of all runs of a reference. */
typedef struct cost {
  int runs;
  double operations, wall_s;
} cost;

/* Runs PLAN and stores its motion. Returns 1 if it reached the end, 0 if not, -1 on error. */
static int run_into(cli_motion *motion, cli_outcome *outcome, const cli_plan *plan, hn_error *error)
{
  cli_plan plain = *plan;
  plain.measures = CLI_FEW_MEASURES;
  plain.motion = motion;
  if (cli_outcome_run(outcome, &plain, error) < 0) return -1;
  const hn_summary *s = &outcome->summary;
  if (s->reason != HN_CONVERGED || s->contradictions > 0 || s->time_stepped > 0) return 0;
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
  memset(reference, 0, sizeof *reference);
  reference->uncertainty = NAN;
  reference->end = cli_motion_create(plan->scene->model, 1, hn_step_count(plan->step, plan->duration));
  int status = run_into(reference->end, &outcome, plan, error);
  reference->step = plan->step;
  reference->runs = 1, reference->operations = cli_outcome_operations(&outcome);
  reference->wall_s = outcome.summary.wall_s;
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
  bool has_events;      /* located events leave a distance of their own, above rounding */
  bool order;           /* distances have fallen as they do where steps determine the error */
} halving;

static bool agree(const cli_reference *finer, const halving *h)
{
  return agreement_factor * h->apart <= rounding * finer->size;
}

/* True if the runs come to the same place, and finer ones no nearer to each other: location of events. */
static bool parted_by_events(const cli_reference *finer, const halving *h)
{
  return h->has_events && h->count + 1 >= min_distances && 2.0 * h->apart > h->before &&
         h->apart + h->before <= same_motion * finer->size;
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
  bool fast = !(4.0 * h->apart > h->before),
       done = agree(finer, h) || parted_by_rounding(h) || parted_by_events(finer, h);
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

/* Runs PLAN, and adds to the cost. Shows it as part of all the runs down to FINEST, which cost twice as much
 * each. */
static int run_next(cli_reference *reference, const cli_plan *plan, double coarsest, double finest,
                    cost *total, hn_error *error)
{
  size_t parts = 1;
  for (double step = coarsest; step > finest && parts < SIZE_MAX / 4; step *= 0.5) parts = 2 * parts + 1;
  cli_progress_study((size_t)(coarsest / plan->step + 0.5) - 1, parts);
  const int status = cli_reference_run(reference, plan, error);
  total->runs++, total->operations += reference->operations, total->wall_s += reference->wall_s;
  return status;
}

/* Halves the step of PLAN, down to FINEST at least, as long as it helps, and estimates the uncertainty. A run
 * with events that fails, or exceeds its budget, ends this: finer ones would, too. */
static int halve(cli_reference *reference, const cli_plan *plan, double finest, cost *total, hn_error *error)
{
  cli_plan next = *plan;
  halving h = { INFINITY, INFINITY, INFINITY, 0, plan->budget > 0, false };
  int status = run_next(reference, &next, plan->step, finest, total, error);
  for (bool more = status > 0 || (status == 0 && !h.has_events);
       more && next.step > finest && !*cli_stop();) {
    cli_reference coarser = *reference;
    next.step *= 0.5;
    status = run_next(reference, &next, plan->step, finest, total, error);
    if (h.has_events && status == 0 && coarser.key) { /* coarser runs must do */
      cli_reference_free(reference);
      *reference = coarser, status = 1;
      break;
    }
    h.before = h.apart;
    h.apart = status == 1 && coarser.key
                ? cli_pose_distance(reference, reference->end->pose, coarser.end->pose)
                : INFINITY;
    more = status >= 0 && (isinf(h.apart) || judge(reference, &coarser, &h));
    cli_reference_free(&coarser);
  }
  cli_progress_study(0, 0);
  reference->is_same = h.count > 0 && h.apart <= same_motion * reference->size;
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

/* Stores the cost of all runs in REFERENCE. Returns STATUS. */
static int store_cost(cli_reference *reference, const cost *total, int status)
{
  reference->runs = total->runs, reference->operations = total->operations, reference->wall_s = total->wall_s;
  return status;
}

/* Makes a reference through events, by the first solver whose runs determine the motion. Impacts reduce the
 * order of time stepping, so that its errors fall with the step, but unevenly. Residuals that it leaves in
 * each step may add up, and bound the uncertainty from below. */
static int make_with_events(cli_reference *reference, cli_plan *plan, double finest, hn_error *error)
{
  cost total = { 0, 0.0, 0.0 };
  bool settled = false;
  for (int i = 0; i < TRUSTED && !settled && !*cli_stop(); i++) {
    const double accumulated = trusted_with_events[i].step_error * plan->duration;
    if (i > 0) cli_reference_free(reference);
    plan->solver = trusted_with_events[i].solver, plan->budget = trusted_with_events[i].budget;
    const int status = halve(reference, plan, finest, &total, error);
    if (status < 0) return -1;
    if (status == 0 || reference->too_few_runs) continue;
    settled = reference->is_settled || reference->is_same;
    if (!settled && trusted_with_events[i].step_error > 0.0) break;
    if (settled && accumulated > reference->uncertainty)
      reference->uncertainty = accumulated, reference->ground = "what its solver may leave in every step";
  }
  if (!settled && !*cli_stop()) refuse(reference);
  return store_cost(reference, &total, settled ? 1 : 0);
}

/* True if the smooth trusted solver supports the scene. */
static bool is_smooth(const hn_scene *scene)
{
  const hn_solver_type *type = hn_solver_type_find("lagrange", NULL, NULL);
  return scene->model->max_contacts == 0 && type &&
         !(scene->model->needs & ~hn_solver_type_capabilities(type));
}

/* Returns the plan of the first run. */
static cli_plan first_plan(hn_scene *scene, const char *solver, double step, double duration, size_t track)
{
  return (cli_plan){ .scene = scene,
                     .solver = solver,
                     .step = step,
                     .duration = duration,
                     .part = "reference: ",
                     .track_numbers = track,
                     .track_step = step };
}

int cli_reference_trusted(cli_reference *reference, hn_scene *scene, double step, double finest,
                          double duration, size_t track, hn_error *error)
{
  cost total = { 0, 0.0, 0.0 };
  cli_plan plan = first_plan(scene, smooth, step, duration, track);
  finest = fmin(step / trusted_divisor, finest / 2.0);
  if (!is_smooth(scene)) return make_with_events(reference, &plan, finest, error);
  return store_cost(reference, &total, halve(reference, &plan, finest, &total, error));
}

int cli_reference_by(cli_reference *reference, hn_scene *scene, const char *spec, double step, double finest,
                     double duration, size_t track, hn_error *error)
{
  cost total = { 0, 0.0, 0.0 };
  const cli_plan plan = first_plan(scene, spec, step, duration, track);
  int status = halve(reference, &plan, fmin(step / trusted_divisor, finest / 2.0), &total, error);
  if (status == 1 && !reference->is_settled && !reference->is_same) status = refuse(reference);
  return status < 0 ? -1 : store_cost(reference, &total, status);
}

int cli_reference_run_again(const cli_reference *r, cli_motion *motion, const cli_plan *plan, double apart,
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
