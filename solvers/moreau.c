/* moreau.c - time stepping: one problem of contact a step, impacts inside it.
 *
 *   u* = u + h a                                      a: acceleration without joints and contacts; of what turns by
 *                                                     itself the mean over a free flight of h, which moves it as well
 *   find p: the law of every block, with v = K p + G u* + bias - target + d
 *   u+ = u* + W G' p,   x+ = x moved by h (theta u+ + (1 - theta) u); orientations likewise, or (turn=flight)
 *                                                     those of the flight turned by h theta W G' p
 *
 *   d of a gap g > 0, by open_gaps:
 *     may-close  (g / h + (1 - theta) v-) / theta, so that it may close by the end of the step and no more (Stewart and
 *                Trinkle), v- its rate before, d >= 0 so that theta < 1 makes nothing bounce; what has restitution, and
 *                closes within the step, bounces now
 *     velocities 0 of one that closes within the step; of others there is no contact (Moreau)
 *     wait       there is no contact before there is overlap (Gribel)
 *   d where something is violated, joints as well:    baumgarte: erp min(g + slop, 0) / h;  else 0
 *   projection: after the step W G' mu with  0 <= K mu + g, 0 <= mu  until no gap is below -tolerance, joints to 0
 *
 *   sequence=guendelman: impacts first, p1 at the velocities u of what would overlap by u + h a, with restitution; then
 *   u* = u + h a + W G' p1 and the law as above without restitution; then positions
 *   sequence=chain: u1 = u + h a / 2;  repeat  u1 += W G' p1, where p1 are impacts with restitution of what closes at
 *   u1 - h a / 2 and would overlap by u1 + h a / 2, until nothing closes there faster than the threshold;  then u* = u1
 *   + h a / 2 and the law as above without restitution. What touches and has restitution, but does not close, has its
 *   impact once another has made it close; what has none and does not part holds an impact up at once. Without friction
 *   no round gains energy: sum p (v- + v+) / 2 is (1 - e) / 2 sum p v- <= 0 of what bounces, and sum p v- / 2 <= 0 of
 *   what holds it up.
 *   With e = 1 and a constant force f a step keeps E + (theta - 1/2) h f . u exactly, through any number of impacts
 *
 * Order 1 at events. Momentum is kept to round-off, but for what joins it to the ground. Multipliers are p / h. Two
 * frictions: timestepping/static_friction.c; what sleeps: timestepping/sleeping.c; projection: timestepping/gap_projection.c; gaps and forces: moreau/moreau_velocities.c;
 * other sequences: moreau/moreau_impacts.c. [Moreau 1988; Jean, Comput. Solvers Appl. Mech. Eng. 177 (1999) 235; Stewart and
 * Trinkle, Int. J. Numer. Solvers Eng. 39 (1996) 2673; Guendelman, Bridson and Fedkiw, ACM Trans. Graph. 22 (2003) 871;
 * Gribel 2009, sections 2.7 to 2.9 and 4.3] */
#include "moreau/moreau_parts.h"
#include "impulse/correction.h"
#include "timestepping/static_friction.h"
#include "timestepping/substep.h"
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

static const hn_param params[] = {
  HN_CONTACT_PARAMS(hn_moreau, contact, "admm:then=newton", "1e-10", "10000"),
  { "theta", HN_REAL, offsetof(hn_moreau, theta), "1", 0.5, 1, "", NULL,
    "weight of the velocities at the end of the step in its displacement" },
  { "sequence", HN_CHOICE, offsetof(hn_moreau, sequence), "at-once", 0, 0, "", "at-once,guendelman,chain",
    "impacts and contacts in one problem; impacts, then velocities, then contacts; or impacts that others bring about "
    "as well, one after the other, then contacts" },
  { "open_gaps", HN_CHOICE, offsetof(hn_moreau, open_gaps), "may-close", 0, 0, "",
    "may-close,velocities,wait",
    "an open gap may close by the end of the step and no more; or what closes within it is closed; or waits" },
  { "static_friction", HN_CHOICE, offsetof(hn_moreau, sticking), "steps", 0, 0, "", "steps,sweeps",
    "what sticks is told from step to step; or by the solver, at each contact (pgs)" },
  { "turn", HN_CHOICE, offsetof(hn_moreau, turn), "flight", 0, 0, "", "flight,cayley,exact",
    "bodies turn as in free flight, and by what impulses change; or by 2 atan(h w / 2), or h w, with gyroscopic "
    "torques "
    "of the beginning" },
  { "max_speed", HN_REAL, offsetof(hn_moreau, max_speed), "0", 0, 1e9, "m/s", NULL,
    "largest speed of a centre of mass, to which greater ones are cut; 0: any" },
  { "stabilisation", HN_CHOICE, offsetof(hn_moreau, stabilisation), "projection", 0, 0, "",
    "none,baumgarte,projection", "what is done about joints and gaps that are violated" },
  { "erp", HN_REAL, offsetof(hn_moreau, erp), "0.2", 0, 1, "", NULL,
    "baumgarte: part of a violation taken back in a step" },
  { "slop", HN_REAL, offsetof(hn_moreau, slop), "0", 0, 1, "m", NULL,
    "baumgarte: penetration that is left alone" },
  HN_GAPS_PARAMS(hn_moreau, gaps),
  { "warm_start", HN_FLAG, offsetof(hn_moreau, warm_start), "true", 0, 0, "", NULL,
    "start from the impulses of the last step" },
  HN_REST_PARAMS(hn_moreau, rest),
  { .key = NULL },
};

static int setup(hn_solver *solver, hn_error *error)
{
  hn_moreau *d = solver->data;
  hn_system *s = solver->system;
  d->law = hn_contact_solver_for(s, &d->contact, error);
  if (!d->law || hn_rest_setup(solver, &d->rest, error) || hn_system_list_tops(s, error)) return -1;
  solver->system->sticks = true;
  if (d->sticking == BY_SWEEPS && !(d->law->type->capabilities & HN_SOLVES_STICKING))
    return hn_fail(error, "moreau: static_friction=sweeps needs contact=pgs, not %s", d->law->type->name);
  if (d->stabilisation == PROJECTION && hn_gaps_setup(solver, &d->gaps, &d->contact, error)) return -1;
  d->problem = hn_problem_create(s, error);
  if (!d->problem) return -1;
  d->acceleration = calloc((size_t)s->model->nbody, sizeof *d->acceleration);
  d->from = calloc((size_t)s->model->nbody, sizeof *d->from);
  d->work = hn_state_create(s->model), d->start = hn_state_create(s->model),
  d->flown = hn_state_create(s->model);
  d->p = calloc((size_t)s->most_rows + 1, sizeof *d->p);
  d->impact = calloc((size_t)s->most_rows + 1, sizeof *d->impact);
  d->rate = calloc((size_t)s->most_rows + 1, sizeof *d->rate),
  d->v = calloc((size_t)s->most_rows + 1, sizeof *d->v);
  d->push = calloc((size_t)s->most_rows + 1, sizeof *d->push);
  d->scratch = calloc(6 * (size_t)s->model->nbody, sizeof *d->scratch);
  const bool made = d->acceleration && d->from && d->work && d->start && d->flown && d->scratch;
  return made && d->p && d->impact && d->rate && d->v && d->push ? 0 : hn_fail(error, "out of memory");
}

static void destroy(hn_solver *solver)
{
  hn_moreau *d = solver->data;
  hn_contact_solver_free(d->law), hn_gaps_free(&d->gaps);
  hn_problem_free(d->problem);
  hn_state_free(d->work), hn_state_free(d->start), hn_state_free(d->flown);
  free(d->acceleration), free(d->from), free(d->scratch);
  free(d->p), free(d->impact), free(d->rate), free(d->v), free(d->push);
  hn_rest_free(&d->rest);
}

static void reset(hn_solver *solver)
{
  hn_rest_forget(&((hn_moreau *)solver->data)->rest);
}

static void *memory(hn_solver *solver, size_t *size)
{
  return hn_rest_memory(&((hn_moreau *)solver->data)->rest, size);
}

/* ---- Velocities -------------------------------------------------------------------------------------------------- */

/* The problem of the step into d->problem, from STATE at its beginning; STATE gets the velocities u*. */
static void pose_step(hn_solver *solver, hn_state *state, double h)
{
  hn_moreau *d = solver->data;
  hn_moreau_kick(solver, h, state);
  solver->report.asleep = hn_rest_begin(&d->rest, solver->system, d->start, d->acceleration);
  hn_problem_pose(d->problem, solver->system, state, h);
  hn_moreau_shift(solver, h);
}

/* The same where contacts stick by another friction than they slide with. */
static hn_reason solve_sticking(hn_solver *solver, hn_state *state)
{
  hn_moreau *d = solver->data;
  const hn_sticking contacts = { .problem = d->problem,
                                 .state = state,
                                 .first = solver->system->model->njoint,
                                 .left_out = d->rest.any ? d->rest.left_out : NULL,
                                 .tolerance = fmax(10.0 * d->contact.tolerance, 1e-9) };
  hn_reason reason;
  int changed;
  if (d->sticking == BY_SWEEPS) hn_sticking_offer(&contacts);
  do {
    reason = hn_moreau_solve(solver, d->p);
    if (reason != HN_CONVERGED) return reason;
    hn_problem_velocities(d->problem, d->p, d->scratch, d->v);
    changed = d->sticking == BY_STEPS ? hn_sticking_release(&contacts, d->p, d->v) : 0;
  } while (changed > 0);
  hn_sticking_keep(&contacts, d->p, d->v);
  return HN_CONVERGED;
}

/* Impulses of the last step, of contacts; of all that sleeps as it was. */
static void start_impulses(hn_solver *solver, const hn_state *state, double h)
{
  hn_moreau *d = solver->data;
  const hn_system *s = solver->system;
  memset(d->p, 0, sizeof *d->p * (size_t)s->nrow);
  for (int i = 0; i < s->model->nrow && d->rest.any; i++) d->p[i] = h * solver->multipliers[i];
  if (d->warm_start || d->rest.any) hn_system_warm(s, state, 1.0, d->p);
  for (int k = 0; k < s->nblock && d->rest.any; k++)
    if (!d->rest.left_out[k] && (k < s->model->njoint || !d->warm_start))
      memset(d->p + s->block[k].row, 0, sizeof *d->p * (size_t)s->block[k].n);
}

static hn_reason meet_law(hn_solver *solver, hn_state *state, double h)
{
  hn_moreau *d = solver->data;
  hn_system *s = solver->system;
  pose_step(solver, state, h);
  start_impulses(solver, state, h);
  hn_reason reason = hn_sticking_needed(state) ? solve_sticking(solver, state)
                                               : hn_moreau_solve(solver, d->p);
  if (reason != HN_CONVERGED) return reason;
  for (int i = 0; i < s->nrow && d->sequence != AT_ONCE; i++) d->p[i] += d->impact[i];
  hn_moreau_accelerate(d, s, h, state);
  hn_rest_hold(&d->rest, state);
  solver->report.capped = d->max_speed > 0.0 ? hn_substep_cut(d->max_speed, state) : 0;
  hn_system_keep(s, d->p, 1.0, state);
  for (int i = 0; i < s->model->nrow; i++) solver->multipliers[i] = d->p[i] / h;
  return HN_CONVERGED;
}

/* ---- Positions --------------------------------------------------------------------------------------------------- */

/* What turns by itself: its flight, and by what changes of its velocity beside that. */
static void turn_tops(const hn_moreau *d, const hn_system *s, double h, hn_state *state)
{
  for (int k = 0; k < s->ntop; k++) {
    const int i = s->top[k];
    double turn[4] = { 1.0 };
    for (int c = 0; c < 3; c++)
      turn[1 + c] = 0.5 * h *
                    (d->theta * (state->twist[i].w[c] - d->flown->twist[i].w[c]) +
                     (1.0 - d->theta) * (d->start->twist[i].w[c] - d->from[i].w[c]));
    quat_mul(state->pose[i].q, turn, d->flown->pose[i].q);
    quat_normalise(state->pose[i].q);
  }
}

/* By the mean of the velocities before and after, which stay as they are. */
static void move(hn_solver *solver, hn_state *state, double h)
{
  hn_moreau *d = solver->data;
  hn_system *s = solver->system;
  const size_t size = sizeof *state->twist * (size_t)state->nbody;
  memcpy(d->work->twist, state->twist, size);
  for (int i = 0; i < state->nbody && d->theta < 1.0; i++)
    for (int c = 0; c < 3; c++) {
      double *v = state->twist[i].v + c, *w = state->twist[i].w + c;
      *v = d->theta * *v + (1.0 - d->theta) * d->start->twist[i].v[c];
      *w = d->theta * *w + (1.0 - d->theta) * d->start->twist[i].w[c];
    }
  if (d->turn == EXACT) hn_substep_lengthen(s, h, state);
  hn_substep_drift(s, h, state);
  memcpy(state->twist, d->work->twist, size);
  if (d->turn == FLIGHT) turn_tops(d, s, h, state);
}

/* ---- The step ---------------------------------------------------------------------------------------------------- */

/* What the step knows of its beginning. */
static hn_reason begin(hn_solver *solver, hn_state *state, double h)
{
  hn_moreau *d = solver->data;
  hn_system *s = solver->system;
  hn_system_hold_all(s);
  hn_system_linearise(s, state);
  hn_system_bias(s, state);
  hn_moreau_note_rates(solver, state);
  hn_state_copy_motion(d->start, state);
  return d->sequence == AT_ONCE ? HN_CONVERGED : hn_moreau_impacts(solver, state, h);
}

static hn_reason pose(hn_solver *solver, hn_state *state, double h, const hn_problem **problem)
{
  hn_moreau *d = solver->data;
  hn_reason reason = begin(solver, state, h);
  if (reason == HN_CONVERGED) pose_step(solver, state, h), *problem = d->problem;
  return reason;
}

static hn_reason step(hn_solver *solver, hn_state *state, double h)
{
  hn_moreau *d = solver->data;
  hn_reason reason = begin(solver, state, h);
  if (reason == HN_CONVERGED) reason = meet_law(solver, state, h);
  if (reason != HN_CONVERGED) return reason;
  move(solver, state, h);
  if (d->stabilisation == PROJECTION)
    reason = hn_gaps_project(solver, &d->gaps, &d->rest, d->problem, d->p, state);
  if (reason != HN_CONVERGED) return reason;
  hn_rest_end(&d->rest, solver->system, h, d->acceleration, state);
  return HN_CONVERGED;
}

/* The solver of the thesis; its stack has these numbers. */
static const hn_preset presets[] = {
  { "gribel2009",
    "contact=pgs:local=box,contact_tolerance=0,sweeps=50,open_gaps=wait,static_friction=sweeps,"
    "turn=exact,stabilisation=baumgarte,erp=0.4,slop=0.002,warm_start=false",
    "sequential impulses of Gribel's thesis" },
  { NULL, NULL, NULL },
};

static hn_contact_solver *contact_solver(const hn_solver *solver)
{
  return ((const hn_moreau *)solver->data)->law;
}

const hn_solver_type hn_solver_moreau = {
  .abi = HN_ABI,
  .name = "moreau",
  .summary = "time stepping: joints, contacts and impacts of a step in one problem",
  .citation = "Moreau 1988; Jean 1999; Stewart and Trinkle 1996",
  .capabilities = HN_CAN_BILATERAL | HN_CAN_REDUNDANT | HN_HAS_MULTIPLIERS | HN_CAN_PUSH | HN_CAN_WITHIN |
                  HN_CAN_CONE | HN_CAN_CHANGE | HN_CAN_BOUNCE | HN_CAN_VELOCITY,
  .order = 1,
  .data_size = sizeof(hn_moreau),
  .params = params,
  .setup = setup,
  .step = step,
  .reset = reset,
  .memory = memory,
  .free = destroy,
  .contact_solver = contact_solver,
  .pose = pose,
  .presets = presets,
};
