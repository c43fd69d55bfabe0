/* moreau.c - time stepping: one problem of contact a step, impacts inside it.
 *
 *   u* = u + h a                                      a: acceleration without joints and contacts
 *   find p: the law of every block, with v = K p + G u* + bias - target + d
 *   u+ = u* + W G' p,   x+ = x moved by h (theta u+ + (1 - theta) u)
 *
 *   d of a gap g > 0 that may close: (g / h + (1 - theta) v-) / theta, so that it may close by the end of the step and
 *     no more (anticipate; Stewart and Trinkle), v- its rate before, d >= 0 so that theta < 1 makes nothing bounce;
 *     else, of one that closes within the step, 0, and of others there is no contact (Moreau). What has restitution,
 *     and closes within the step, bounces now.
 *   d where something is violated, joints as well:    baumgarte: erp min(g + slop, 0) / h;  else 0
 *   projection: after the step W G' mu with  0 <= K mu + g, 0 <= mu  until no gap is below -tolerance, joints to 0
 *
 * Order 1 at events, whatever comes between them. Momentum is kept to round-off, but for what joins it to the ground.
 * Multipliers are p / h. [Moreau 1988; Jean, Comput. Methods Appl. Mech. Eng. 177 (1999) 235; Stewart and Trinkle, Int. J.
 * Numer. Methods Eng. 39 (1996) 2673] */
#include "part/correction.h"
#include "part/substep.h"
#include "contact.h"
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

enum { NONE, BAUMGARTE, PROJECTION };

typedef struct moreau {
  hn_contact_options contact;
  double theta, erp, slop, tolerance;
  int anticipate, stabilisation, iterations, warm_start;
  hn_contact_solver *law, *gaps; /* of velocities; of the projection */
  hn_problem *problem;
  hn_twist *acceleration;        /* [nbody] */
  hn_twist *before;              /* [nbody] u */
  hn_state *work, *at;           /* velocities put aside; what is projected */
  double *p;                     /* [most_rows] */
  double *rate;                  /* [most_rows] v- */
} moreau;

static const hn_param params[] = {
  HN_CONTACT_PARAMS(moreau, contact, "admm", "1e-10", "10000"),
  { "theta", HN_REAL, offsetof(moreau, theta), "1", 0.5, 1, "", NULL,
    "weight of the velocities at the end of the step in its displacement" },
  { "anticipate", HN_FLAG, offsetof(moreau, anticipate), "true", 0, 0, "", NULL,
    "an open gap may close by the end of the step, and no more" },
  { "stabilisation", HN_CHOICE, offsetof(moreau, stabilisation), "projection", 0, 0, "", "none,baumgarte,projection",
    "what is done about joints and gaps that are violated" },
  { "erp", HN_REAL, offsetof(moreau, erp), "0.2", 0, 1, "", NULL, "baumgarte: part of a violation taken back in a step" },
  { "slop", HN_REAL, offsetof(moreau, slop), "0", 0, 1, "m", NULL, "baumgarte: penetration that is left alone" },
  { "tolerance", HN_REAL, offsetof(moreau, tolerance), "1e-9", 1e-15, 1, "m, rad", NULL,
    "projection: violation that is left" },
  { "iterations", HN_INTEGER, offsetof(moreau, iterations), "50", 1, 1e6, "", NULL, "projection: of it, at most" },
  { "warm_start", HN_FLAG, offsetof(moreau, warm_start), "true", 0, 0, "", NULL,
    "start from the impulses of the last step" },
  { .key = NULL },
};

static int setup(hn_solver *solver, hn_error *error)
{
  moreau *d = solver->data;
  const hn_system *s = solver->system;
  hn_contact_options gaps = d->contact;
  gaps.tolerance = 0.1 * d->tolerance;
  d->law = hn_contact_solver_for(s, &d->contact, error);
  if (!d->law) return -1;
  if (d->stabilisation == PROJECTION && !(d->gaps = hn_contact_solver_for(s, &gaps, error))) return -1;
  d->problem = hn_problem_create(s, error);
  if (!d->problem) return -1;
  d->acceleration = calloc((size_t)s->model->nbody, sizeof *d->acceleration);
  d->before = calloc((size_t)s->model->nbody, sizeof *d->before);
  d->work = hn_state_create(s->model), d->at = hn_state_create(s->model);
  d->p = calloc((size_t)s->most_rows + 1, sizeof *d->p);
  d->rate = calloc((size_t)s->most_rows + 1, sizeof *d->rate);
  return d->acceleration && d->before && d->work && d->at && d->p && d->rate ? 0 : hn_fail(error, "out of memory");
}

static void destroy(hn_solver *solver)
{
  moreau *d = solver->data;
  hn_contact_solver_free(d->law), hn_contact_solver_free(d->gaps);
  hn_problem_free(d->problem);
  hn_state_free(d->work), hn_state_free(d->at);
  free(d->acceleration), free(d->before), free(d->p), free(d->rate);
}

/* ---- Velocities -------------------------------------------------------------------------------------------------- */

static bool is_one_sided(const hn_block *block)
{
  return block->joint->set->kind == HN_PUSH || block->joint->set->kind == HN_CONE;
}

/* d of row 0 of a block that can be open, with its gap G. Of an impact the target is in b already. */
static double shift_of_gap(const moreau *d, double g, double rate, double target, double h)
{
  const bool closes = g + h * rate <= 0.0;
  if (g <= 0.0) return d->stabilisation == BAUMGARTE && target == 0.0 ? d->erp * fmin(g + d->slop, 0.0) / h : 0.0;
  if (closes && (target > 0.0 || !d->anticipate)) return 0.0;
  return target + fmax(g / h + (1.0 - d->theta) * rate, 0.0) / d->theta;
}

/* d of all blocks into b of the problem. */
static void shift_by_gaps(hn_solver *solver, double h)
{
  const moreau *d = solver->data;
  const hn_system *s = solver->system;
  for (int k = 0; k < s->nblock; k++) {
    const hn_block *block = &s->block[k];
    const double *g = s->g + block->row, target = s->aimed ? s->target[block->row] : 0.0;
    double *b = d->problem->b + block->row;
    if (is_one_sided(block)) b[0] += shift_of_gap(d, g[0], d->rate[block->row], target, h);
    else if (d->stabilisation == BAUMGARTE && !block->joint->type->velocity && block->joint->set->kind == HN_ANY)
      for (int r = 0; r < block->n; r++) b[r] += d->erp * g[r] / h;
  }
}

/* Rates before the step, without targets. */
static void note_rates(hn_solver *solver, const hn_state *state)
{
  moreau *d = solver->data;
  hn_system *s = solver->system;
  const bool aimed = s->aimed;
  s->aimed = false;
  hn_system_velocity_residual(s, state, d->rate, NULL);
  s->aimed = aimed;
}

/* u+ = u + (h a + W G' p): the parts are small and are added up alone. Velocities of many contacts would else be rounded
 * once for each, by the same amount in every step. */
static void accelerate(const moreau *d, hn_system *s, double h, hn_state *state)
{
  hn_twist *change = d->work->twist;
  memset(change, 0, sizeof *change * (size_t)state->nbody);
  hn_system_apply(s, d->p, 1.0, d->work);
  for (int i = 0; i < state->nbody; i++) {
    vec_add_scaled(change[i].v, h, d->acceleration[i].v), vec_add(state->twist[i].v, d->before[i].v, change[i].v);
    vec_add_scaled(change[i].w, h, d->acceleration[i].w), vec_add(state->twist[i].w, d->before[i].w, change[i].w);
  }
}

static hn_reason meet_law(hn_solver *solver, hn_state *state, double h)
{
  moreau *d = solver->data;
  hn_system *s = solver->system;
  hn_problem_pose(d->problem, s, state, h);
  shift_by_gaps(solver, h);
  memset(d->p, 0, sizeof *d->p * (size_t)s->nrow);
  if (d->warm_start) hn_system_warm(s, state, 1.0, d->p);
  hn_reason reason = hn_contact_solve(d->law, d->problem, d->p);
  solver->report.velocity_iterations += d->law->iterations;
  if (reason == HN_BUDGET && d->law->options.tolerance > 0.0)
    return hn_step_stalled(solver, "problem of contact", -1, d->law->error, d->law->iterations);
  if (reason != HN_CONVERGED && reason != HN_BUDGET)
    return hn_step_failed(solver, reason, d->law->message ? d->law->message : "problem of contact", -1, d->law->error);
  accelerate(d, s, h, state);
  hn_system_keep(s, d->p, 1.0, state);
  for (int i = 0; i < s->model->nrow; i++) solver->multipliers[i] = d->p[i] / h;
  return HN_CONVERGED;
}

/* ---- Positions --------------------------------------------------------------------------------------------------- */

/* By the mean of the velocities before and after, which stay as they are. */
static void move(hn_solver *solver, hn_state *state, double h)
{
  moreau *d = solver->data;
  hn_system *s = solver->system;
  const size_t size = sizeof *state->twist * (size_t)state->nbody;
  memcpy(d->work->twist, state->twist, size);
  for (int i = 0; i < state->nbody && d->theta < 1.0; i++)
    for (int c = 0; c < 3; c++) {
      double *v = state->twist[i].v + c, *w = state->twist[i].w + c;
      *v = d->theta * *v + (1.0 - d->theta) * d->before[i].v[c];
      *w = d->theta * *w + (1.0 - d->theta) * d->before[i].w[c];
    }
  hn_substep_drift(s, h, state);
  memcpy(state->twist, d->work->twist, size);
}

/* The problem of the shortest displacement: joints and gaps alone, without friction. */
static void pose_gaps(moreau *d, hn_system *s)
{
  static const hn_set nothing = { .kind = HN_WITHIN };
  for (int k = 0; k < s->nblock; k++) {
    const hn_block *block = &s->block[k];
    hn_set *set = &d->problem->block[k].set;
    set->mu = 0.0;
    if (block->joint->type->velocity || set->kind == HN_WITHIN) *set = nothing;
  }
  memcpy(d->problem->b, s->g, sizeof *s->g * (size_t)s->nrow);
}

/* The contacts of the step stay in STATE, with their impulses: the projection looks for its own. */
static hn_reason project(hn_solver *solver, hn_state *state)
{
  moreau *d = solver->data;
  hn_system *s = solver->system;
  hn_state *at = d->at;
  hn_state_copy(at, state);
  for (int iteration = 0;; iteration++) {
    int worst = -1;
    hn_reason reason = hn_system_begin(s, at);
    if (reason != HN_CONVERGED) return reason;
    hn_system_hold_all(s);
    hn_system_residual(s, at, NULL);
    const double violation = hn_system_violation(s, at, &worst);
    solver->report.residual = violation;
    if (violation <= d->tolerance) break;
    if (iteration == d->iterations) return hn_step_stalled(solver, "projection", worst, violation, iteration);
    hn_system_jacobian(s, at);
    hn_problem_pose(d->problem, s, at, 1.0);
    pose_gaps(d, s);
    memset(d->p, 0, sizeof *d->p * (size_t)s->nrow);
    reason = hn_contact_solve(d->gaps, d->problem, d->p);
    if (reason != HN_CONVERGED && reason != HN_BUDGET)
      return hn_step_failed(solver, reason, d->gaps->message ? d->gaps->message : "projection", worst, violation);
    hn_system_displace(s, d->p, 1.0, d->work, at);
    solver->report.position_iterations++;
  }
  hn_state_copy_motion(state, at);
  return HN_CONVERGED;
}

/* ---- The step ---------------------------------------------------------------------------------------------------- */

static hn_reason step(hn_solver *solver, hn_state *state, double h)
{
  moreau *d = solver->data;
  hn_system *s = solver->system;
  hn_system_hold_all(s);
  hn_system_jacobian(s, state);
  hn_system_bias(s, state);
  hn_system_residual(s, state, NULL);
  note_rates(solver, state);
  memcpy(d->before, state->twist, sizeof *d->before * (size_t)state->nbody);
  hn_substep_kick(s, h, d->acceleration, state);
  hn_reason reason = meet_law(solver, state, h);
  if (reason != HN_CONVERGED) return reason;
  move(solver, state, h);
  return d->stabilisation == PROJECTION ? project(solver, state) : HN_CONVERGED;
}

static hn_contact_solver *contact_solver(const hn_solver *solver)
{
  return ((const moreau *)solver->data)->law;
}

const hn_solver_type hn_solver_moreau = {
  .abi = HN_ABI, .name = "moreau", .summary = "time stepping: joints, contacts and impacts of a step in one problem",
  .citation = "Moreau 1988; Jean 1999; Stewart and Trinkle 1996",
  .capabilities = HN_CAN_BILATERAL | HN_CAN_REDUNDANT | HN_HAS_MULTIPLIERS | HN_CAN_PUSH | HN_CAN_WITHIN | HN_CAN_CONE |
                  HN_CAN_CHANGE | HN_CAN_BOUNCE | HN_CAN_VELOCITY, .order = 1,
  .data_size = sizeof(moreau), .params = params, .setup = setup, .step = step, .free = destroy, .contact_solver = contact_solver,
};
