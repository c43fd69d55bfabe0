/* order_reference.c - the reference of `converge --all`, and errors against it.
 *
 * The reference is a run of a solver of order 8 whose step is halved until two runs agree as well as
 * round-off allows; their distance is its uncertainty. Positions, orientations and velocities of the scene's
 * own reference replace those of the run; their distance from the run is reported.
 *
 * Errors are compared at the ends of steps, at every 2^j-th if there are many. Each number of times therefore
 * has a reference of its own, made when first needed. Ladders need dozens of these, and the reference is the
 * most expensive run. It is run once and its states are kept; a time between two of them is reached by a step
 * from the earlier one. A run under control is repeated for each number of times, since its states do not
 * contain the memory of the controller. */
#include <float.h>
#include <math.h>
#include <string.h>
#include "cli/base/interrupt.h"
#include "cli/base/memory.h"
#include "cli/base/parse.h"
#include "cli/orders/order_reference.h"
#include "cli/study/scene_answer.h"
#include "cli/study/study_runs.h"
#include "scene.h"

/* The solver of the reference, and the one for redundant constraints. The latter leaves out some of them: the
 * motion is the same, but joint forces are distributed otherwise. */
static const char regular[] = "lagrange:stepper=rk8pd,stabilisation=projection";
static const char redundant[] = "lagrange:stepper=rk8pd,stabilisation=projection,redundancy=remove";
enum { HALVINGS = 8, PROBES = 32, MAX_STATES = 2048 }; /* PROBES: times at which runs are compared */
/* Errors in the asymptotic range: their floor over the scale, in epsilon, and over the uncertainty of the
 * reference; their ceiling over the scale. */
static const double floor_epsilons = 300.0, floor_uncertainties = 10.0, ceiling_part = 0.1;
static const double time_rounding = 4.0 * DBL_EPSILON; /* relative error of times */
static const double count_rounding = 1e-12;            /* relative error of a number of steps */
static const double force_weight = 100.0;              /* weight of forces, N, against positions, m */

/* ---- Motions ------------------------------------------------------------------------------------------- */

/* Creates a motion at COUNT evenly spaced times. */
static cli_motion *create_motion(const orders_reference *r, long count)
{
  return cli_motion_create_even(r->plan.scene->model, count, r->plan.duration);
}

double orders_steps(double k)
{
  double stride = cli_motion_stride(k);
  return stride * nearbyint(k / stride);
}

/* Runs PLAN, whose number of steps is a multiple of the times of MOTION, and stores its motion. */
static int run_motion(cli_outcome *outcome, cli_motion *motion, const cli_plan *plan, hn_error *error)
{
  cli_plan kept = *plan;
  kept.motion = motion;
  kept.measures = CLI_FEW_MEASURES;
  motion->every = hn_step_count(plan->step, plan->duration) / motion->count;
  return cli_outcome_run(outcome, &kept, error);
}

/* Returns the distance of two motions in quantity Q; NAN if the reference lacks Q. */
static double distance(const orders_reference *r, int q, const cli_motion *a, const cli_motion *b)
{
  return cli_motion_distance(CLI_RMS, q, r->has[q], a, b);
}

double orders_floor(const orders_reference *reference, int q)
{
  return fmax(floor_epsilons * DBL_EPSILON * reference->scale[q],
              floor_uncertainties * reference->uncertainty[q]);
}

double orders_ceiling(const orders_reference *reference, int q)
{
  return ceiling_part * reference->scale[q];
}

/* ---- The reference ------------------------------------------------------------------------------------- */

/* Returns the largest distance of two runs, forces weighted down. */
static double combined_distance(const double apart[CLI_QUANTITIES])
{
  double largest = 0.0;
  for (int q = 0; q < CLI_QUANTITIES; q++) {
    double scale = q == CLI_FORCE ? force_weight : 1.0;
    if (isfinite(apart[q])) largest = fmax(largest, apart[q] / scale);
  }
  return largest;
}

/* Halves the step as long as this brings two runs closer. Leaves the best run in *BEST; *BEST and *SCRATCH
 * have PROBES times. The step of R stays 0 if no run converges. */
static int find_step(orders_reference *r, double step, cli_motion **best, cli_motion **scratch,
                     hn_error *error)
{
  double steps = PROBES * ceil((double)hn_step_count(step, r->plan.duration) / PROBES), last = INFINITY;
  bool better = true;
  for (int halving = 0; halving < HALVINGS && better; halving++) {
    cli_outcome outcome;
    cli_plan plan = r->plan;
    double apart[CLI_QUANTITIES], combined = INFINITY;
    /* A run with half the step of the last one; one that fails is skipped */
    plan.step = plan.duration / ldexp(steps, halving);
    if (run_motion(&outcome, *scratch, &plan, error) < 0) return -1;
    bool good = outcome.summary.reason == HN_CONVERGED, first = r->plan.step == 0.0;
    r->operations += cli_outcome_operations(&outcome);
    if (!good) r->reason = outcome.summary.reason;
    if (!good) memcpy(r->explanation.text, outcome.summary.explanation, sizeof r->explanation.text);
    cli_outcome_free(&outcome);
    if (!good) continue;
    /* Keep it if it is closer to the last one than that was to the one before */
    for (int q = 0; q < CLI_QUANTITIES; q++) apart[q] = first ? NAN : distance(r, q, *best, *scratch);
    if (!first) combined = combined_distance(apart);
    better = first || combined < last;
    last = combined;
    if (!better) continue;
    cli_motion *last_best = *best;
    *best = *scratch, *scratch = last_best;
    r->plan.step = plan.step;
    for (int q = 0; q < CLI_QUANTITIES; q++) r->uncertainty[q] = isfinite(apart[q]) ? apart[q] : 0.0;
  }
  return 0;
}

/* Returns the largest distance of two motions in quantity Q, over all bodies and times. */
static double largest_distance(const cli_motion *a, const cli_motion *b, int q)
{
  double largest = NAN;
  for (int i = 0; i < a->nbody; i++)
    for (long k = 0; k < a->count; k++) largest = fmax(largest, sqrt(cli_motion_square(q, i, a, b, k)));
  return largest;
}

/* Compares the run in MOTION with the scene's reference, then overwrites it there. Quantities that the scene
 * knows of every body have no uncertainty; without a run, nothing else is known. SCRATCH is overwritten. */
static int merge_scene(orders_reference *r, cli_motion *motion, cli_motion *scratch, hn_error *error)
{
  const size_t all = (size_t)motion->nbody * (size_t)motion->count;
  bool known[CLI_FORCE], ran = r->plan.step > 0.0;
  memcpy(scratch->pose, motion->pose, all * sizeof *scratch->pose);
  memcpy(scratch->twist, motion->twist, all * sizeof *scratch->twist);
  int status = cli_scene_motion(r->plan.scene, motion, known, error);
  for (int q = 0; q < CLI_FORCE; q++) {
    bool certain = true;
    if (ran && known[q]) r->scene_distance[q] = largest_distance(motion, scratch, q);
    for (int i = 0; i < motion->nbody; i++)
      if (r->has[q][i] && !motion->has[q][i]) certain = false, r->has[q][i] = ran;
    if (certain) r->uncertainty[q] = 0.0;
  }
  r->has[CLI_FORCE][0] = r->has[CLI_FORCE][0] && ran;
  return status < 0 ? -1 : 0;
}

/* Determines the size of each quantity, and whether it can be measured. SCRATCH is at the start of the
 * motion. */
static void find_scales(orders_reference *r, const cli_motion *motion, cli_motion *scratch)
{
  for (int q = 0; q < CLI_QUANTITIES; q++) {
    if (q == CLI_VELOCITY)
      memset(scratch->twist, 0, sizeof *scratch->twist * (size_t)(scratch->count * scratch->nbody));
    double scale = distance(r, q, motion, scratch);
    r->scale[q] = q == CLI_ORIENTATION && isfinite(scale) ? 1.0 : scale;
    r->applies[q] = scale > 0.0;
  }
}

/* Creates a motion that stays at the start. */
static cli_motion *create_start(const orders_reference *r, hn_error *error)
{
  cli_motion *start = create_motion(r, PROBES);
  hn_state *state = hn_state_create(r->plan.scene->model);
  for (long k = 0; k < PROBES && state; k++) cli_motion_put(start, k, state, NULL);
  hn_state_free(state);
  if (state) return start;
  cli_motion_free(start);
  hn_fail(error, "out of memory");
  return NULL;
}

static int find_motion(orders_reference *r, double step, hn_error *error)
{
  cli_motion **probe = &r->motion[PROBES], *scratch = create_motion(r, PROBES),
             *start = create_start(r, error);
  *probe = create_motion(r, PROBES);
  int status = start ? find_step(r, step, probe, &scratch, error) : -1;
  if (status == 0 && r->plan.step == 0.0 && r->reason == HN_SINGULAR) {
    r->plan.solver = redundant;
    r->has[CLI_FORCE][0] = false;
    status = find_step(r, step, probe, &scratch, error);
  }
  if (status == 0) status = merge_scene(r, *probe, scratch, error);
  if (status == 0) find_scales(r, *probe, start);
  cli_motion_free(scratch);
  cli_motion_free(start);
  return status;
}

int orders_reference_make(orders_reference *r, const cli_plan *plan, hn_error *error)
{
  const hn_model *model = plan->scene->model;
  memset(r, 0, sizeof *r);
  r->plan = (cli_plan){ .scene = plan->scene, .solver = regular, .duration = plan->duration };
  for (int q = 0; q < CLI_QUANTITIES; q++) {
    r->has[q] = cli_alloc((size_t)model->nbody, sizeof *r->has[q]);
    r->scene_distance[q] = NAN;
  }
  cli_mark_known(r->has, model, true);
  if (find_motion(r, plan->step, error) < 0) return -1;
  if (*cli_stop()) return 0;
  for (int q = 0; q < CLI_QUANTITIES; q++)
    if (r->applies[q]) return 0;
  return hn_fail(
    error,
    "converge --all: no reference: the scene has none up to t = %s s, and the run in its place failed: "
    "%.300s",
    cli_exact(plan->duration).text, r->explanation.text);
}

/* ---- Its motion at other times ------------------------------------------------------------------------- */

/* Runs the reference and keeps all its states, or at most MAX_STATES of them. */
static int keep_states(orders_reference *r, hn_error *error)
{
  cli_outcome outcome;
  cli_plan plan = r->plan;
  const long steps = hn_step_count(plan.step, plan.duration), every = 1 + (steps - 1) / MAX_STATES;
  plan.motion = r->kept = cli_motion_create(plan.scene->model, (steps + every - 1) / every, every);
  plan.measures = CLI_FEW_MEASURES;
  if (cli_outcome_run(&outcome, &plan, error) < 0) return -1;
  const hn_reason reason = outcome.summary.reason;
  r->operations += cli_outcome_operations(&outcome);
  cli_outcome_free(&outcome);
  if (reason == HN_CONVERGED || reason == HN_INTERRUPTED) return 0;
  return hn_fail(error, "converge --all: the reference run with steps of %s s did not converge",
                 cli_exact(plan.step).text);
}

/* A reference that advances from time to time. */
typedef struct stepper {
  hn_solver *solver;
  hn_state *state;
  hn_control *control; /* NULL: the scene has no control */
  long next;           /* the next kept state; earlier ones are not ahead of `state` */
} stepper;

/* Jumps to the last kept state not after TIME, if that is ahead. */
static void jump(const cli_motion *kept, stepper *w, double time)
{
  long last = -1;
  const double latest = time * (1.0 + time_rounding);
  for (; w->next < kept->count && kept->time[w->next] <= latest; w->next++) last = w->next;
  if (last < 0 || kept->time[last] < w->state->time) return;
  const size_t bodies = (size_t)kept->nbody, rows = (size_t)kept->nrow;
  memcpy(w->state->pose, kept->pose + (size_t)last * bodies, bodies * sizeof *kept->pose);
  memcpy(w->state->twist, kept->twist + (size_t)last * bodies, bodies * sizeof *kept->twist);
  memcpy(w->solver->multipliers, kept->force + (size_t)last * rows, rows * sizeof *kept->force);
  w->state->time = fmin(kept->time[last], time);
}

/* Calls control. Impulses and changes of the model are errors: a reference cannot repeat them. */
static int call_control(const stepper *w, hn_error *error)
{
  hn_control_context moment = { .state = w->state, .model = w->solver->system->model };
  const size_t size = sizeof *w->state->twist * (size_t)w->state->nbody;
  hn_twist *before = cli_alloc((size_t)w->state->nbody, sizeof *before);
  memcpy(before, w->state->twist, size);
  int status = hn_control_step(w->control, &moment, error);
  if (status == 0 && (moment.changed || memcmp(before, w->state->twist, size) != 0))
    status = hn_fail(error, "converge --all: control gives impulses, or changes the model: "
                            "there is no reference");
  hn_model_free(moment.changed);
  free(before);
  return status;
}

/* Advances to TIME by equal steps, not longer than the one found good. */
static int advance(const orders_reference *r, stepper *w, double time, hn_error *error)
{
  const double from = w->state->time, interval = time - from;
  const long steps = interval > time_rounding * time
                       ? (long)ceil(interval / r->plan.step * (1.0 - count_rounding))
                       : 0;
  w->solver->stop = cli_stop();
  for (long i = 1; i <= steps && !*cli_stop(); i++) {
    if (w->control && call_control(w, error) < 0) return *cli_stop() ? 0 : -1;
    if (hn_solver_step(w->solver, w->state, interval / (double)steps) != HN_CONVERGED)
      return hn_fail(error, "converge --all: the reference run with steps of %s s did not converge",
                     cli_exact(interval / (double)steps).text);
    w->state->time = from + interval * (double)i / (double)steps;
  }
  w->state->time = time;
  return 0;
}

static int start(const orders_reference *r, stepper *w, hn_error *error)
{
  hn_scene *scene = r->plan.scene;
  *w = (stepper){ .solver = hn_solver_create(r->plan.solver, scene->model, error) };
  if (!w->solver) return -1;
  if (!(w->state = hn_state_create(scene->model))) return hn_fail(error, "out of memory");
  hn_solver_reset(w->solver);
  return !scene->has_control || (w->control = hn_control_create(scene, error)) ? 0 : -1;
}

static int follow(orders_reference *r, cli_motion *motion, hn_error *error)
{
  stepper w;
  int status = start(r, &w, error);
  for (long k = 0; k < motion->count && status == 0; k++) {
    if (r->kept) jump(r->kept, &w, motion->time[k]);
    status = advance(r, &w, motion->time[k], error);
    if (status == 0) cli_motion_put(motion, k, w.state, w.solver->multipliers);
  }
  if (w.solver) r->operations += (double)hn_work_operations(&w.solver->system->work);
  hn_control_free(w.control);
  hn_state_free(w.state);
  hn_solver_free(w.solver);
  return status;
}

/* Makes the reference at COUNT times, unless it exists. */
static int prepare(orders_reference *r, long count, hn_error *error)
{
  const bool ran = r->plan.step > 0.0;
  if (r->motion[count]) return 0;
  if (ran && !r->kept && !r->plan.scene->has_control && keep_states(r, error) < 0) return -1;
  if (*cli_stop()) return 0;
  r->motion[count] = create_motion(r, count);
  if (ran && follow(r, r->motion[count], error) < 0) return -1;
  return cli_scene_motion(r->plan.scene, r->motion[count], NULL, error) < 0 ? -1 : 0;
}

int orders_run(orders_reference *r, cli_outcome *outcome, const cli_plan *plan, double error[CLI_QUANTITIES],
               hn_error *message)
{
  double steps = (double)hn_step_count(plan->step, plan->duration);
  long count = (long)(steps / cli_motion_stride(steps));
  if (prepare(r, count, message) < 0) return -1;
  cli_motion *run = create_motion(r, count);
  int status = run_motion(outcome, run, plan, message);
  bool good = status == 0 && outcome->solver && outcome->summary.reason == HN_CONVERGED;
  for (int q = 0; q < CLI_QUANTITIES; q++) {
    bool is_known = good && (q != CLI_FORCE || cli_outcome_has_forces(outcome));
    error[q] = is_known && r->applies[q] ? distance(r, q, r->motion[count], run) : NAN;
  }
  cli_motion_free(run);
  return status;
}

void orders_reference_free(orders_reference *r)
{
  for (int n = 0; n < CLI_MOTION_TIMES; n++) cli_motion_free(r->motion[n]);
  cli_motion_free(r->kept);
  for (int q = 0; q < CLI_QUANTITIES; q++) free(r->has[q]);
  memset(r, 0, sizeof *r);
}
