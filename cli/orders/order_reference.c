/* order_reference.c - what the errors of `converge --all` are measured against, and how.
 *
 * The reference is a run of a solver of order 8 whose step is halved until two runs agree as well as round-off lets
 * them: their distance is what it is uncertain by. Positions, orientations and velocities that the scene's own
 * reference knows at one of the times take its place; their distance from the run is told.
 *
 * Errors are compared at the ends of steps, at every 2^j-th where there are many; so there is a reference for every
 * number of times that occurs, made when it is first needed. Ladders have dozens of such numbers, and the reference is
 * the dearest run of all: so it is run once and its states are kept, and a time between two of them is reached by a
 * step from the one before. A run under control is made anew for each number of times: what its controller remembers is
 * not in its states. */
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

/* Where constraints repeat others, some are left out: the motion is the same, but forces are shared out otherwise. */
static const char regular[] = "lagrange:stepper=rk8pd,stabilisation=projection";
static const char redundant[] = "lagrange:stepper=rk8pd,stabilisation=projection,redundancy=remove";
enum {
  HALVINGS = 8,
  PROBES = 32 /* times at which the reference is tried */,
  MOST_KEPT = 2048 /* of its states */
};
static const double epsilons = 300.0; /* floor over the scale */
static const double doubts = 10.0;    /* floor over the uncertainty of the reference */
static const double small = 0.1;      /* ceiling over the scale */

/* ---- Motions ---------------------------------------------------------------------------------------------------- */

/* At COUNT times, the same time apart. */
static cli_motion *create_motion(const orders_reference *r, long count)
{
  cli_motion *motion = cli_motion_create(r->plan.scene->model, count, 1);
  const double end = r->plan.duration;
  for (long k = 0; k < count; k++)
    motion->time[k] = k + 1 == count ? end : end * (double)(k + 1) / (double)count;
  return motion;
}

double orders_steps(double k)
{
  double stride = cli_motion_stride(k);
  return stride * nearbyint(k / stride);
}

/* Runs PLAN, whose steps are a multiple of the times of MOTION. */
static int run_motion(cli_outcome *outcome, cli_motion *motion, const cli_plan *plan, hn_error *error)
{
  cli_plan kept = *plan;
  kept.motion = motion;
  kept.measures = CLI_FEW_MEASURES;
  motion->every = hn_step_count(plan->step, plan->duration) / motion->count;
  return cli_outcome_run(outcome, &kept, error);
}

/* The distance of two motions in quantity Q. NAN when the reference does not have Q. */
static double distance(const orders_reference *r, int q, const cli_motion *a, const cli_motion *b)
{
  return cli_motion_apart(CLI_RMS, q, r->has[q], a, b);
}

double orders_floor(const orders_reference *reference, int q)
{
  return fmax(epsilons * DBL_EPSILON * reference->scale[q], doubts * reference->uncertainty[q]);
}

double orders_ceiling(const orders_reference *reference, int q)
{
  return small * reference->scale[q];
}

/* ---- The reference ---------------------------------------------------------------------------------------------- */

/* What a run gives. */
static void claim_all(orders_reference *r, const hn_model *model)
{
  for (int i = 0; i < model->nbody; i++) {
    r->has[CLI_POSITION][i] = r->has[CLI_VELOCITY][i] = model->body[i].kind != HN_FIXED;
    r->has[CLI_ORIENTATION][i] = model->body[i].kind == HN_RIGID;
  }
  r->has[CLI_FORCE][0] = model->njoint > 0;
}

/* The distance of two runs that stands for all quantities. */
static double doubt_of(const double apart[CLI_QUANTITIES])
{
  double largest = 0.0;
  for (int q = 0; q < CLI_QUANTITIES; q++) {
    double scale = q == CLI_FORCE ? 100.0 : 1.0;
    if (isfinite(apart[q])) largest = fmax(largest, apart[q] / scale);
  }
  return largest;
}

/* Halves the step as long as that brings two runs nearer to each other; the last one is left in *BEST, which has PROBES
 * times, as has *ROOM. The step of R stays 0 when none converges. */
static int find_step(orders_reference *r, double step, cli_motion **best, cli_motion **room, hn_error *error)
{
  double least = PROBES * ceil((double)hn_step_count(step, r->plan.duration) / PROBES), last = INFINITY;
  bool better = true;
  for (int halving = 0; halving < HALVINGS && better; halving++) {
    cli_outcome outcome;
    cli_plan plan = r->plan;
    double apart[CLI_QUANTITIES], doubt = INFINITY;
    plan.step = plan.duration / ldexp(least, halving);
    if (run_motion(&outcome, *room, &plan, error) < 0) return -1;
    bool good = outcome.summary.reason == HN_CONVERGED, first = r->plan.step == 0.0;
    r->operations += cli_outcome_operations(&outcome);
    if (!good) r->reason = outcome.summary.reason;
    if (!good) memcpy(r->why.text, outcome.summary.explanation, sizeof r->why.text);
    cli_outcome_free(&outcome);
    if (!good) continue;
    for (int q = 0; q < CLI_QUANTITIES; q++) apart[q] = first ? NAN : distance(r, q, *best, *room);
    if (!first) doubt = doubt_of(apart);
    better = first || doubt < last;
    last = doubt;
    if (!better) continue;
    cli_motion *last_best = *best;
    *best = *room, *room = last_best;
    r->plan.step = plan.step;
    for (int q = 0; q < CLI_QUANTITIES; q++) r->uncertainty[q] = isfinite(apart[q]) ? apart[q] : 0.0;
  }
  return 0;
}

/* How far the run, now in ROOM, is from what the scene has told of Q. */
static double between(const cli_motion *motion, const cli_motion *room, int q)
{
  double largest = NAN;
  for (int i = 0; i < motion->nbody; i++)
    for (long k = 0; k < motion->count; k++)
      largest = fmax(largest, sqrt(cli_motion_square(q, i, motion, room, k)));
  return largest;
}

/* Compares the run in MOTION with the scene's answers and puts them in. What the scene knows of every body is certain;
 * without a run there is nothing else. */
static int judge_scene(orders_reference *r, cli_motion *motion, cli_motion *room, hn_error *error)
{
  const size_t bodies = (size_t)motion->nbody, all = bodies * (size_t)motion->count;
  cli_knowledge known = { .any = { false } };
  bool ran = r->plan.step > 0.0;
  for (int q = 0; q < CLI_FORCE; q++) known.lacks[q] = cli_alloc(bodies, sizeof(bool));
  memcpy(room->pose, motion->pose, all * sizeof *room->pose);
  memcpy(room->twist, motion->twist, all * sizeof *room->twist);
  int status = cli_answer(r->plan.scene, motion, &known, error);
  for (int q = 0; q < CLI_FORCE; q++) {
    bool certain = true;
    if (ran && known.any[q]) r->between[q] = between(motion, room, q);
    for (int i = 0; i < motion->nbody; i++)
      if (r->has[q][i] && known.lacks[q][i]) certain = false, r->has[q][i] = ran;
    if (certain) r->uncertainty[q] = 0.0;
    free(known.lacks[q]);
  }
  r->has[CLI_FORCE][0] = r->has[CLI_FORCE][0] && ran;
  return status;
}

/* How large each quantity is, and whether there is anything to measure. ROOM is at the start of the motion. */
static void find_scales(orders_reference *r, const cli_motion *motion, cli_motion *room)
{
  for (int q = 0; q < CLI_QUANTITIES; q++) {
    if (q == CLI_VELOCITY) memset(room->twist, 0, sizeof *room->twist * (size_t)(room->count * room->nbody));
    double scale = distance(r, q, motion, room);
    r->scale[q] = q == CLI_ORIENTATION && isfinite(scale) ? 1.0 : scale;
    r->applies[q] = scale > 0.0;
  }
}

/* A motion that stays at the start. */
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
  cli_motion **probe = &r->motion[PROBES], *room = create_motion(r, PROBES), *start = create_start(r, error);
  *probe = create_motion(r, PROBES);
  int status = start ? find_step(r, step, probe, &room, error) : -1;
  if (status == 0 && r->plan.step == 0.0 && r->reason == HN_SINGULAR) {
    r->plan.solver = redundant;
    r->has[CLI_FORCE][0] = false;
    status = find_step(r, step, probe, &room, error);
  }
  if (status == 0) status = judge_scene(r, *probe, room, error);
  if (status == 0) find_scales(r, *probe, start);
  cli_motion_free(room);
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
    r->between[q] = NAN;
  }
  claim_all(r, model);
  if (find_motion(r, plan->step, error) < 0) return -1;
  if (*cli_stop()) return 0;
  for (int q = 0; q < CLI_QUANTITIES; q++)
    if (r->applies[q]) return 0;
  return hn_fail(
    error,
    "converge --all: nothing to measure errors against: the scene has no reference up to t = %s s, "
    "and the run that takes its place ended so: %.300s",
    cli_exact(plan->duration).text, r->why.text);
}

/* ---- Its motion at other times ---------------------------------------------------------------------------------- */

/* The run, with all of its states or as many as there is room for. */
static int keep_states(orders_reference *r, hn_error *error)
{
  cli_outcome outcome;
  cli_plan plan = r->plan;
  const long steps = hn_step_count(plan.step, plan.duration), every = 1 + (steps - 1) / MOST_KEPT;
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

/* On the way from time to time. */
typedef struct walk {
  hn_solver *solver;
  hn_state *state;
  hn_control *control; /* NULL where the scene has none */
  long next;           /* of the states kept: those before are not ahead of STATE */
} walk;

/* Goes on from the last state kept that is not after TIME, where that is ahead. */
static void jump(const cli_motion *kept, walk *w, double time)
{
  long last = -1;
  const double late = time * (1.0 + 4.0 * DBL_EPSILON);
  for (; w->next < kept->count && kept->time[w->next] <= late; w->next++) last = w->next;
  if (last < 0 || kept->time[last] < w->state->time) return;
  const size_t bodies = (size_t)kept->nbody, rows = (size_t)kept->nrow;
  memcpy(w->state->pose, kept->pose + (size_t)last * bodies, bodies * sizeof *kept->pose);
  memcpy(w->state->twist, kept->twist + (size_t)last * bodies, bodies * sizeof *kept->twist);
  memcpy(w->solver->multipliers, kept->force + (size_t)last * rows, rows * sizeof *kept->force);
  w->state->time = fmin(kept->time[last], time);
}

/* Control at the state; what it does to velocities, or to the model, are no inputs. */
static int ask_control(const walk *w, hn_error *error)
{
  hn_moment moment = { .state = w->state, .model = w->solver->system->model };
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

/* Equal steps up to TIME, as near as can be to those that have been found good, and not longer. */
static int advance(const orders_reference *r, walk *w, double time, hn_error *error)
{
  const double from = w->state->time, way = time - from;
  const long steps = way > 4.0 * DBL_EPSILON * time ? (long)ceil(way / r->plan.step * (1.0 - 1e-12)) : 0;
  for (long i = 1; i <= steps && !*cli_stop(); i++) {
    if (w->control && ask_control(w, error) < 0) return *cli_stop() ? 0 : -1;
    if (hn_solver_step(w->solver, w->state, way / (double)steps) != HN_CONVERGED)
      return hn_fail(error, "converge --all: the reference run with steps of %s s did not converge",
                     cli_exact(way / (double)steps).text);
    w->state->time = from + way * (double)i / (double)steps;
  }
  w->state->time = time;
  return 0;
}

static int start(const orders_reference *r, walk *w, hn_error *error)
{
  hn_scene *scene = r->plan.scene;
  *w = (walk){ .solver = hn_solver_create(r->plan.solver, scene->model, error) };
  if (!w->solver) return -1;
  if (!(w->state = hn_state_create(scene->model))) return hn_fail(error, "out of memory");
  hn_solver_reset(w->solver);
  return !scene->has_control || (w->control = hn_control_create(scene, error)) ? 0 : -1;
}

static int follow(orders_reference *r, cli_motion *motion, hn_error *error)
{
  walk w;
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

/* The motion at COUNT times. */
static int prepare(orders_reference *r, long count, hn_error *error)
{
  const bool ran = r->plan.step > 0.0;
  if (r->motion[count]) return 0;
  if (ran && !r->kept && !r->plan.scene->has_control && keep_states(r, error) < 0) return -1;
  if (*cli_stop()) return 0;
  r->motion[count] = create_motion(r, count);
  if (ran && follow(r, r->motion[count], error) < 0) return -1;
  return cli_answer(r->plan.scene, r->motion[count], NULL, error);
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
    bool told = good && (q != CLI_FORCE || cli_outcome_tells_forces(outcome));
    error[q] = told && r->applies[q] ? distance(r, q, r->motion[count], run) : NAN;
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
