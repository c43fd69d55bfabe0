/* reference.c - what the errors of `converge --all` are measured against, and how.
 *
 * The reference is a run of a method of order 8 whose step is halved until two runs agree as well as round-off lets
 * them: their distance is what it is uncertain by. Positions, orientations and velocities that the scene's own
 * reference knows at one of the times take its place; their distance from the run is told.
 *
 * Errors are compared at the ends of steps, at every 2^j-th where there are many; so there is a reference for every
 * number of times that occurs, made when it is first needed. */
#include <float.h>
#include <math.h>
#include <string.h>
#include "cli/base/interrupt.h"
#include "cli/base/memory.h"
#include "cli/base/parse.h"
#include "cli/orders/reference.h"
#include "cli/study/runs.h"
#include "elementary.h"
#include "scene.h"
#include "base/vec.h"

/* Where constraints repeat others, some are left out: the motion is the same, but forces are shared out otherwise. */
static const char regular[] = "lagrange:stepper=rk8pd,stabilisation=projection";
static const char redundant[] = "lagrange:stepper=rk8pd,stabilisation=projection,redundancy=remove";
enum { HALVINGS = 8, PROBES = 32 /* times at which the reference is tried */ };
static const double epsilons = 300.0;                     /* floor over the scale */
static const double doubts = 10.0;                        /* floor over the uncertainty of the reference */
static const double small = 0.1;                          /* ceiling over the scale */

const orders_quantity orders_quantities[ORDERS_QUANTITIES] = {
  [ORDERS_POSITION] = { "position", "m", "order", "error" },
  [ORDERS_ORIENTATION] = { "orientation", "rad", "orientation_order", "orientation_error" },
  [ORDERS_VELOCITY] = { "velocity", "m/s, rad/s", "velocity_order", "velocity_error" },
  [ORDERS_FORCE] = { "joint force", "N, N m", "force_order", "force_error" },
};

/* ---- Motions ---------------------------------------------------------------------------------------------------- */

static int create_motion(orders_motion *motion, const hn_model *model, long count, hn_error *error)
{
  int status = 0;
  motion->count = count;
  for (long k = 0; k < count; k++) {
    motion->state[k] = hn_state_create(model);
    motion->force[k] = cli_alloc((size_t)model->nrow + 1, sizeof *motion->force[k]);
    if (!motion->state[k]) status = hn_fail(error, "out of memory");
  }
  return status;
}

static void free_motion(orders_motion *motion)
{
  for (long k = 0; k < ORDERS_TIMES; k++) {
    hn_state_free(motion->state[k]);
    free(motion->force[k]);
  }
}

/* Steps from one time that is kept to the next, of about K steps. */
static double stride_of(double k)
{
  double stride = 1.0;
  while (nearbyint(k / stride) >= ORDERS_TIMES) stride *= 2.0;
  return stride;
}

double orders_steps(double k)
{
  double stride = stride_of(k);
  return stride * nearbyint(k / stride);
}

static bool keep(void *watcher, const cli_outcome *outcome, const hn_frame *frame)
{
  orders_motion *motion = watcher;
  long every = hn_step_count(outcome->plan.step, outcome->plan.duration) / motion->count;
  if (frame->index == 0 || frame->index % every != 0) return true;
  long k = frame->index / every - 1;
  hn_state_copy(motion->state[k], frame->state);
  memcpy(motion->force[k], outcome->solver->multipliers,
         sizeof *motion->force[k] * (size_t)outcome->plan.scene->model->nrow);
  return true;
}

/* Runs PLAN, whose steps are a multiple of the times of MOTION. */
static int run_motion(cli_outcome *outcome, orders_motion *motion, const cli_plan *plan, hn_error *error)
{
  cli_plan watched = *plan;
  watched.watch = keep;
  watched.watcher = motion;
  watched.measures = CLI_FEW_MEASURES;
  return cli_outcome_run(outcome, &watched, error);
}

/* ---- Errors ----------------------------------------------------------------------------------------------------- */

static double square_of_difference(const double *a, const double *b, int n)
{
  double square = 0.0;
  for (int i = 0; i < n; i++) square += (a[i] - b[i]) * (a[i] - b[i]);
  return square;
}

/* The square of the angle between two orientations: q and -q are the same one. */
static double square_of_angle(const double a[4], const double b[4])
{
  double plus = 0.0;
  for (int i = 0; i < 4; i++) plus += a[i] * b[i];
  double sign = plus < 0.0 ? -1.0 : 1.0, square = 0.0;
  for (int i = 0; i < 4; i++) square += (a[i] - sign * b[i]) * (a[i] - sign * b[i]);
  double quarter = hn_asin(fmin(1.0, 0.5 * sqrt(square)));
  return 16.0 * quarter * quarter;
}

/* The square of the distance of two motions at time K: of quantity Q of body I, or of all joint forces. */
static double square_at(const hn_model *model, int q, int i, const orders_motion *a, const orders_motion *b, long k)
{
  const hn_pose *pose[2] = { &a->state[k]->pose[i], &b->state[k]->pose[i] };
  const hn_twist *twist[2] = { &a->state[k]->twist[i], &b->state[k]->twist[i] };
  switch (q) {
  case ORDERS_POSITION: return square_of_difference(pose[0]->x, pose[1]->x, 3);
  case ORDERS_ORIENTATION: return square_of_angle(pose[0]->q, pose[1]->q);
  case ORDERS_VELOCITY:
    return square_of_difference(twist[0]->v, twist[1]->v, 3) + square_of_difference(twist[0]->w, twist[1]->w, 3);
  default: return square_of_difference(a->force[k], b->force[k], model->nrow);
  }
}

/* Of time K in the trapezoidal rule of COUNT parts for 3 / T^3 times the integral of t^2. An error at the start, such
 * as a disturbance of the joint forces that dies out in a few steps, hardly counts. */
static double weight(long k, long count)
{
  double t = (double)k / (double)count;
  return 3.0 * t * t * (k < count ? 1.0 : 0.5) / (double)count;
}

/* The distance of two motions in quantity Q, the root mean square over time. NAN when the reference does not have Q. */
static double distance(const orders_reference *r, int q, const orders_motion *a, const orders_motion *b)
{
  const hn_model *model = r->plan.scene->model;
  double square = 0.0;
  bool any = false;
  for (int i = 0; i < model->nbody; i++) {
    if (!r->has[q][i]) continue;
    any = true;
    for (long k = 0; k < a->count; k++) square += weight(k + 1, a->count) * square_at(model, q, i, a, b, k);
  }
  return any ? sqrt(square) : NAN;
}

double orders_floor(const orders_reference *reference, int q)
{
  return fmax(epsilons * DBL_EPSILON * reference->scale[q], doubts * reference->uncertainty[q]);
}

double orders_ceiling(const orders_reference *reference, int q)
{
  return small * reference->scale[q];
}

/* ---- The scene's answer ----------------------------------------------------------------------------------------- */

typedef struct answer {
  hn_scene_answer told;
  bool *has;
  double *value;
} answer;

static answer create_answer(const hn_model *model)
{
  size_t n = (size_t)model->nbody;
  answer a = { .has = cli_alloc(4 * n, sizeof(bool)), .value = cli_alloc(13 * n, sizeof(double)) };
  a.told = (hn_scene_answer){ .has_position = a.has, .has_orientation = a.has + n, .has_velocity = a.has + 2 * n,
                              .has_angular_velocity = a.has + 3 * n, .position = a.value,
                              .orientation = a.value + 3 * n, .velocity = a.value + 7 * n,
                              .angular_velocity = a.value + 10 * n };
  return a;
}

static void free_answer(answer *a)
{
  free(a->has);
  free(a->value);
}

/* Puts what it says of BODY into STATE; KNOWS: of which quantities. */
static void take_answer(const hn_scene_answer *told, int i, const hn_body *body, hn_state *state,
                        bool knows[ORDERS_FORCE])
{
  bool rigid = body->kind == HN_RIGID, moves = body->kind != HN_FIXED;
  knows[ORDERS_POSITION] = moves && told->has_position[i];
  knows[ORDERS_ORIENTATION] = rigid && told->has_orientation[i];
  knows[ORDERS_VELOCITY] = moves && told->has_velocity[i] && (!rigid || told->has_angular_velocity[i]);
  if (knows[ORDERS_POSITION]) vec_copy(state->pose[i].x, told->position + 3 * i);
  if (knows[ORDERS_ORIENTATION]) memcpy(state->pose[i].q, told->orientation + 4 * i, sizeof state->pose[i].q);
  if (knows[ORDERS_VELOCITY]) vec_copy(state->twist[i].v, told->velocity + 3 * i);
  if (knows[ORDERS_VELOCITY] && rigid) vec_copy(state->twist[i].w, told->angular_velocity + 3 * i);
}

/* What the scene has told: of quantity Q anything at all, and of which bodies not at some time. */
typedef struct knowledge {
  bool any[ORDERS_FORCE];
  bool *lacks[ORDERS_FORCE]; /* [nbody] */
} knowledge;

/* Puts the scene's answers in place of what was run. */
static int ask_scene(const orders_reference *r, orders_motion *motion, knowledge *known, hn_error *error)
{
  const hn_model *model = r->plan.scene->model;
  answer a = create_answer(model);
  int status = 0;
  for (long k = 0; k < motion->count && status >= 0; k++) {
    double end = r->plan.duration, time = k + 1 == motion->count ? end : end * (double)(k + 1) / (double)motion->count;
    status = hn_scene_reference_states(r->plan.scene, time, &a.told, error);
    for (int i = 1; i < model->nbody && status >= 0; i++) {
      bool knows[ORDERS_FORCE];
      take_answer(&a.told, i, &model->body[i], motion->state[k], knows);
      for (int q = 0; q < ORDERS_FORCE && known; q++) {
        known->any[q] = known->any[q] || knows[q];
        known->lacks[q][i] = known->lacks[q][i] || !knows[q];
      }
    }
  }
  free_answer(&a);
  return status < 0 ? -1 : 0;
}

/* ---- The reference ---------------------------------------------------------------------------------------------- */

/* What a run gives. */
static void claim_all(orders_reference *r, const hn_model *model)
{
  for (int i = 0; i < model->nbody; i++) {
    r->has[ORDERS_POSITION][i] = r->has[ORDERS_VELOCITY][i] = model->body[i].kind != HN_FIXED;
    r->has[ORDERS_ORIENTATION][i] = model->body[i].kind == HN_RIGID;
  }
  r->has[ORDERS_FORCE][0] = model->njoint > 0;
}

/* The distance of two runs that stands for all quantities. */
static double doubt_of(const double apart[ORDERS_QUANTITIES])
{
  double largest = 0.0;
  for (int q = 0; q < ORDERS_QUANTITIES; q++) {
    double scale = q == ORDERS_FORCE ? 100.0 : 1.0;
    if (isfinite(apart[q])) largest = fmax(largest, apart[q] / scale);
  }
  return largest;
}

static void swap(orders_motion *a, orders_motion *b)
{
  orders_motion c = *a;
  *a = *b;
  *b = c;
}

/* Halves the step as long as that brings two runs nearer to each other; the last one is left in BEST, which has PROBES
 * times, as has ROOM. The step of R stays 0 when none converges. */
static int find_step(orders_reference *r, double step, orders_motion *best, orders_motion *room, hn_error *error)
{
  double least = PROBES * ceil((double)hn_step_count(step, r->plan.duration) / PROBES), last = INFINITY;
  bool better = true;
  for (int halving = 0; halving < HALVINGS && better; halving++) {
    cli_outcome outcome;
    cli_plan plan = r->plan;
    double apart[ORDERS_QUANTITIES], doubt = INFINITY;
    plan.step = plan.duration / ldexp(least, halving);
    if (run_motion(&outcome, room, &plan, error) < 0) return -1;
    bool good = outcome.summary.reason == HN_CONVERGED, first = r->plan.step == 0.0;
    if (!good) r->reason = outcome.summary.reason;
    if (!good) memcpy(r->why.text, outcome.summary.explanation, sizeof r->why.text);
    cli_outcome_free(&outcome);
    if (!good) continue;
    for (int q = 0; q < ORDERS_QUANTITIES; q++) apart[q] = first ? NAN : distance(r, q, best, room);
    if (!first) doubt = doubt_of(apart);
    better = first || doubt < last;
    last = doubt;
    if (!better) continue;
    swap(best, room);
    r->plan.step = plan.step;
    for (int q = 0; q < ORDERS_QUANTITIES; q++) r->uncertainty[q] = isfinite(apart[q]) ? apart[q] : 0.0;
  }
  return 0;
}

/* Compares the run in MOTION with the scene's answers and puts them in. What the scene knows of every body is certain;
 * without a run there is nothing else. */
static int judge_scene(orders_reference *r, orders_motion *motion, orders_motion *room, hn_error *error)
{
  const hn_model *model = r->plan.scene->model;
  knowledge known = { .any = { false } };
  bool ran = r->plan.step > 0.0;
  for (int q = 0; q < ORDERS_FORCE; q++) known.lacks[q] = cli_alloc((size_t)model->nbody, sizeof(bool));
  for (long k = 0; k < motion->count; k++) hn_state_copy(room->state[k], motion->state[k]);
  int status = ask_scene(r, motion, &known, error);
  for (int q = 0; q < ORDERS_FORCE; q++) {
    bool certain = true;
    for (int i = 0; i < model->nbody; i++) {
      for (long k = 0; k < motion->count && ran && known.any[q]; k++)
        r->between[q] = fmax(r->between[q], sqrt(square_at(model, q, i, motion, room, k)));
      if (r->has[q][i] && known.lacks[q][i]) certain = false, r->has[q][i] = ran;
    }
    if (certain) r->uncertainty[q] = 0.0;
    free(known.lacks[q]);
  }
  r->has[ORDERS_FORCE][0] = r->has[ORDERS_FORCE][0] && ran;
  return status;
}

/* How large each quantity is, and whether there is anything to measure. ROOM is at the start of the motion. */
static void find_scales(orders_reference *r, const orders_motion *motion, orders_motion *room)
{
  for (int q = 0; q < ORDERS_QUANTITIES; q++) {
    for (long k = 0; k < room->count && q == ORDERS_VELOCITY; k++)
      memset(room->state[k]->twist, 0, sizeof *room->state[k]->twist * (size_t)room->state[k]->nbody);
    double scale = distance(r, q, motion, room);
    r->scale[q] = q == ORDERS_ORIENTATION && isfinite(scale) ? 1.0 : scale;
    r->applies[q] = scale > 0.0;
  }
}

int orders_reference_make(orders_reference *r, const cli_plan *plan, hn_error *error)
{
  const hn_model *model = plan->scene->model;
  orders_motion *probe = &r->motion[PROBES], room = { .count = 0 }, start = { .count = 0 };
  memset(r, 0, sizeof *r);
  r->plan = (cli_plan){ .scene = plan->scene, .solver = regular, .duration = plan->duration };
  for (int q = 0; q < ORDERS_QUANTITIES; q++) {
    r->has[q] = cli_alloc((size_t)model->nbody, sizeof *r->has[q]);
    r->between[q] = NAN;
  }
  claim_all(r, model);
  int status = create_motion(probe, model, PROBES, error);
  if (create_motion(&room, model, PROBES, error) < 0 || create_motion(&start, model, PROBES, error) < 0 ||
      create_motion(&r->run, model, ORDERS_TIMES, error) < 0) status = -1;
  if (status == 0) status = find_step(r, plan->step, probe, &room, error);
  if (status == 0 && r->plan.step == 0.0 && r->reason == HN_SINGULAR) {
    r->plan.solver = redundant;
    r->has[ORDERS_FORCE][0] = false;
    status = find_step(r, plan->step, probe, &room, error);
  }
  if (status == 0) status = judge_scene(r, probe, &room, error);
  if (status == 0) find_scales(r, probe, &start);
  free_motion(&room);
  free_motion(&start);
  if (status < 0) return -1;
  if (*cli_stop()) return 0;
  for (int q = 0; q < ORDERS_QUANTITIES; q++)
    if (r->applies[q]) return 0;
  return hn_fail(error, "converge --all: nothing to measure errors against: the scene has no reference up to t = %s s, "
                 "and the run that takes its place ended so: %.300s", cli_exact(plan->duration).text, r->why.text);
}

/* The motion at COUNT times, by steps as near as can be to those that have been found good, and not longer. */
static int prepare(orders_reference *r, long count, hn_error *error)
{
  orders_motion *motion = &r->motion[count];
  cli_outcome outcome;
  cli_plan plan = r->plan;
  if (motion->count > 0) return 0;
  if (create_motion(motion, plan.scene->model, count, error) < 0) return -1;
  if (plan.step > 0.0) {
    plan.step = plan.duration / ((double)count * ceil(plan.duration / plan.step / (double)count));
    if (run_motion(&outcome, motion, &plan, error) < 0) return -1;
    hn_reason reason = outcome.summary.reason;
    cli_outcome_free(&outcome);
    if (reason != HN_CONVERGED && reason != HN_INTERRUPTED)
      return hn_fail(error, "converge --all: the reference run with steps of %s s did not converge",
                     cli_exact(plan.step).text);
  }
  return ask_scene(r, motion, NULL, error);
}

int orders_run(orders_reference *r, cli_outcome *outcome, const cli_plan *plan, double error[ORDERS_QUANTITIES],
               hn_error *message)
{
  double steps = (double)hn_step_count(plan->step, plan->duration);
  long count = (long)(steps / stride_of(steps));
  if (prepare(r, count, message) < 0) return -1;
  r->run.count = count;
  if (run_motion(outcome, &r->run, plan, message) < 0) return -1;
  bool good = outcome->solver && outcome->summary.reason == HN_CONVERGED;
  for (int q = 0; q < ORDERS_QUANTITIES; q++) {
    bool told = good && (q != ORDERS_FORCE || outcome->solver->type->capabilities & HN_HAS_MULTIPLIERS);
    error[q] = told && r->applies[q] ? distance(r, q, &r->motion[count], &r->run) : NAN;
  }
  return 0;
}

void orders_reference_free(orders_reference *r)
{
  for (int n = 0; n < ORDERS_TIMES; n++) free_motion(&r->motion[n]);
  free_motion(&r->run);
  for (int q = 0; q < ORDERS_QUANTITIES; q++) free(r->has[q]);
  memset(r, 0, sizeof *r);
}
