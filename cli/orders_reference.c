/* orders_reference.c - what the errors of `converge --all` are measured against.
 *
 * Positions, orientations and velocities that the scene's own reference knows are taken from there. The rest comes from
 * a run of a method of order 8 whose step is halved until two runs agree as well as round-off lets them: their distance
 * is what that part is uncertain by. Where both know a quantity, their distance is told. */
#include <float.h>
#include <math.h>
#include <string.h>
#include "orders.h"

const char orders_reference_solver[] = "lagrange:stepper=rk8pd,stabilisation=projection";
enum { HALVINGS = 8 };
static const double epsilons = 300.0;                     /* floor over the scale */
static const double doubts = 10.0;                        /* floor over the uncertainty of the reference */
static const double small = 0.1;                          /* ceiling over the scale */

const orders_quantity orders_quantities[ORDERS_QUANTITIES] = {
  [ORDERS_POSITION] = { "position", "m", "order", "error" },
  [ORDERS_ORIENTATION] = { "orientation", "rad", "orientation_order", "orientation_error" },
  [ORDERS_VELOCITY] = { "velocity", "m/s, rad/s", "velocity_order", "velocity_error" },
  [ORDERS_FORCE] = { "joint force", "N, N m", "force_order", "force_error" },
};

static double norm_of_difference(const double *a, const double *b, int n)
{
  double square = 0.0;
  for (int i = 0; i < n; i++) square += (a[i] - b[i]) * (a[i] - b[i]);
  return sqrt(square);
}

/* The angle between two orientations: q and -q are the same one. */
static double angle_between(const double a[4], const double b[4])
{
  double plus = 0.0;
  for (int i = 0; i < 4; i++) plus += a[i] * b[i];
  double sign = plus < 0.0 ? -1.0 : 1.0, square = 0.0;
  for (int i = 0; i < 4; i++) square += (a[i] - sign * b[i]) * (a[i] - sign * b[i]);
  return 4.0 * asin(fmin(1.0, 0.5 * sqrt(square)));
}

/* How far two ends are apart in quantity Q at body (or, for forces, over all joints) I. */
static double apart(const hn_model *model, int q, int i, const hn_state *a, const double *force_a, const hn_state *b,
                    const double *force_b)
{
  double largest = 0.0;
  switch (q) {
  case ORDERS_POSITION: return norm_of_difference(a->pose[i].x, b->pose[i].x, 3);
  case ORDERS_ORIENTATION: return angle_between(a->pose[i].q, b->pose[i].q);
  case ORDERS_VELOCITY:
    return fmax(norm_of_difference(a->twist[i].v, b->twist[i].v, 3),
                norm_of_difference(a->twist[i].w, b->twist[i].w, 3));
  default:
    for (int j = 0; j < model->njoint; j++) {
      int row = model->joint[j].row;
      largest = fmax(largest, norm_of_difference(force_a + row, force_b + row, model->joint[j].type->rows));
    }
    return largest;
  }
}

static double largest_apart(const orders_reference *r, const hn_model *model, int q, const hn_state *state,
                            const double *force)
{
  double largest = NAN;
  for (int i = 0; i < model->nbody; i++)
    if (r->has[q][i]) largest = fmax(largest, apart(model, q, i, r->state, r->force, state, force));
  return largest;
}

double orders_error(const orders_reference *reference, const cli_outcome *outcome, int q)
{
  if (!reference->applies[q] || outcome->summary.reason != HN_CONVERGED || !outcome->solver) return NAN;
  if (q == ORDERS_FORCE && !(outcome->solver->type->capabilities & HN_HAS_MULTIPLIERS)) return NAN;
  return largest_apart(reference, outcome->plan.scene->model, q, outcome->state, outcome->solver->multipliers);
}

double orders_floor(const orders_reference *reference, int q)
{
  return fmax(epsilons * DBL_EPSILON * reference->scale[q], doubts * reference->uncertainty[q]);
}

double orders_ceiling(const orders_reference *reference, int q)
{
  return small * reference->scale[q];
}

/* Takes over the end of a run, and how far it was from the one before. */
static void take(orders_reference *r, const cli_outcome *outcome)
{
  const hn_model *model = outcome->plan.scene->model;
  for (int q = 0; q < ORDERS_QUANTITIES; q++) {
    double between = largest_apart(r, model, q, outcome->state, outcome->solver->multipliers);
    r->uncertainty[q] = isfinite(between) ? between : 0.0;
  }
  hn_state_copy(r->state, outcome->state);
  memcpy(r->force, outcome->solver->multipliers, sizeof *r->force * (size_t)model->nrow);
  r->step = outcome->plan.step;
}

static void claim_all(orders_reference *r, const hn_model *model)
{
  for (int i = 0; i < model->nbody; i++) {
    r->has[ORDERS_POSITION][i] = r->has[ORDERS_VELOCITY][i] = model->body[i].kind != HN_FIXED;
    r->has[ORDERS_ORIENTATION][i] = model->body[i].kind == HN_RIGID;
  }
  r->has[ORDERS_FORCE][0] = model->njoint > 0;
}

/* The distance of two runs that stands for all quantities. */
static double doubt_of(const orders_reference *r, const hn_state *state, const double *force, const hn_model *model)
{
  double largest = 0.0;
  for (int q = 0; q < ORDERS_QUANTITIES; q++) {
    double between = largest_apart(r, model, q, state, force);
    double scale = q == ORDERS_FORCE ? 100.0 : 1.0;
    if (isfinite(between)) largest = fmax(largest, between / scale);
  }
  return largest;
}

/* Halves the step as long as that brings two runs nearer to each other. 1 when there is a run, 0 when none converges. */
static int run_reference(orders_reference *r, const cli_plan *given, hn_error *error)
{
  cli_plan plan = { .scene = given->scene, .solver = orders_reference_solver, .duration = given->duration };
  double steps = (double)hn_step_count(given->step, given->duration), last = INFINITY;
  int found = 0;
  for (int halving = 0; halving < HALVINGS; halving++) {
    cli_outcome outcome;
    plan.step = plan.duration / ldexp(steps, halving);
    if (cli_outcome_run(&outcome, &plan, error) < 0) return -1;
    bool good = outcome.summary.reason == HN_CONVERGED, better = good;
    if (good && !found) claim_all(r, plan.scene->model);
    if (good && found) {
      double doubt = doubt_of(r, outcome.state, outcome.solver->multipliers, plan.scene->model);
      better = doubt < last;
      last = doubt;
    }
    if (better) take(r, &outcome), found++;
    cli_outcome_free(&outcome);
    if (good && !better) break;
  }
  return found > 0;
}

/* Puts into R what the scene's ANSWER says of body I: which quantities it knows. */
static void take_answer(orders_reference *r, const hn_scene_answer *answer, int i, bool rigid, bool knows[ORDERS_FORCE])
{
  hn_pose *pose = &r->state->pose[i];
  hn_twist *twist = &r->state->twist[i];
  knows[ORDERS_POSITION] = answer->has_position[i];
  knows[ORDERS_ORIENTATION] = answer->has_orientation[i];
  knows[ORDERS_VELOCITY] = answer->has_velocity[i] && (!rigid || answer->has_angular_velocity[i]);
  if (knows[ORDERS_POSITION]) memcpy(pose->x, answer->position + 3 * i, sizeof pose->x);
  if (knows[ORDERS_ORIENTATION]) memcpy(pose->q, answer->orientation + 4 * i, sizeof pose->q);
  if (knows[ORDERS_VELOCITY]) memcpy(twist->v, answer->velocity + 3 * i, sizeof twist->v);
  if (knows[ORDERS_VELOCITY] && rigid) memcpy(twist->w, answer->angular_velocity + 3 * i, sizeof twist->w);
}

/* The scene's answer replaces what was run (RAN, the state at its end); a quantity that the scene knows of every body
 * is certain. */
static void merge(orders_reference *r, const hn_model *model, const hn_scene_answer *answer, const hn_state *ran)
{
  bool certain[ORDERS_FORCE] = { true, true, true };
  for (int i = 1; i < model->nbody; i++) {
    bool rigid = model->body[i].kind == HN_RIGID, knows[ORDERS_FORCE];
    take_answer(r, answer, i, rigid, knows);
    for (int q = 0; q < ORDERS_FORCE; q++) {
      bool needed = q == ORDERS_ORIENTATION ? rigid : model->body[i].kind != HN_FIXED;
      certain[q] = certain[q] && (knows[q] || !needed);
      if (r->step == 0.0) r->has[q][i] = knows[q] && needed;
      else if (knows[q] && needed) r->between[q] = fmax(r->between[q], apart(model, q, i, r->state, NULL, ran, NULL));
    }
  }
  for (int q = 0; q < ORDERS_FORCE; q++)
    if (certain[q]) r->uncertainty[q] = 0.0;
}

/* 1 when the scene has an answer, 0 when it has none, -1 on error. */
static int ask_scene(orders_reference *r, const cli_plan *plan, hn_error *error)
{
  size_t n = (size_t)plan->scene->model->nbody;
  bool *has = cli_alloc(4 * n, sizeof *has);
  double *value = cli_alloc(13 * n, sizeof *value);
  hn_scene_answer answer = { .has_position = has, .has_orientation = has + n, .has_velocity = has + 2 * n,
                             .has_angular_velocity = has + 3 * n, .position = value, .orientation = value + 3 * n,
                             .velocity = value + 7 * n, .angular_velocity = value + 10 * n };
  hn_state *ran = hn_state_create(plan->scene->model);
  int status = ran ? hn_scene_reference_states(plan->scene, plan->duration, &answer, error)
                   : hn_fail(error, "out of memory");
  if (status == 1) {
    hn_state_copy(ran, r->state);
    merge(r, plan->scene->model, &answer, ran);
  }
  hn_state_free(ran);
  free(has);
  free(value);
  return status;
}

/* How large each quantity is, and whether there is anything to measure. */
static void find_scales(orders_reference *r, const hn_model *model)
{
  hn_state *start = hn_state_create(model), *rest = hn_state_create(model);
  double *none = cli_alloc((size_t)model->nrow + 1, sizeof *none);
  if (!start || !rest) exit(cli_complain("out of memory"));
  for (int i = 0; i < model->nbody; i++) rest->twist[i] = (hn_twist){ { 0 }, { 0 } };
  for (int q = 0; q < ORDERS_QUANTITIES; q++) {
    double scale = largest_apart(r, model, q, q == ORDERS_VELOCITY ? rest : start, none);
    r->scale[q] = q == ORDERS_ORIENTATION && isfinite(scale) ? 1.0 : scale;
    r->applies[q] = scale > 0.0;
  }
  hn_state_free(start);
  hn_state_free(rest);
  free(none);
}

int orders_reference_make(orders_reference *r, const cli_plan *plan, hn_error *error)
{
  const hn_model *model = plan->scene->model;
  memset(r, 0, sizeof *r);
  r->state = hn_state_create(model);
  r->force = cli_alloc((size_t)model->nrow + 1, sizeof *r->force);
  if (!r->state) return hn_fail(error, "out of memory");
  for (int q = 0; q < ORDERS_QUANTITIES; q++) {
    r->has[q] = cli_alloc((size_t)model->nbody, sizeof *r->has[q]);
    r->between[q] = NAN;
  }
  int ran = run_reference(r, plan, error);
  int asked = ran < 0 ? -1 : ask_scene(r, plan, error);
  if (asked < 0) return -1;
  find_scales(r, model);
  if (ran || asked) return 0;
  return hn_fail(error, "converge --all: %s has no reference at t = %s s, and %s does not converge on it",
                 plan->scene->name, cli_exact(plan->duration).text, orders_reference_solver);
}

void orders_reference_free(orders_reference *r)
{
  hn_state_free(r->state);
  free(r->force);
  for (int q = 0; q < ORDERS_QUANTITIES; q++) free(r->has[q]);
  memset(r, 0, sizeof *r);
}
