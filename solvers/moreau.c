/* moreau.c - time stepping: one contact problem a step, which includes the impacts of the step.
 *
 *   u* = u + h a                             a: acceleration without joints and contacts; for asymmetric
 *                                            bodies its mean over a free flight of h, which also moves them
 *   find p: the law of every block, with v = K p + G u* + bias - target + d
 *   u+ = u* + W G' p,   x+ = x moved by h (theta u+ + (1 - theta) u); orientations as well, or
 *                       with turn=flight those of the flight turned by h theta W G' p
 *
 *   d of an open gap g > 0, by open_gaps:
 *     may-close  (g / h + (1 - theta) v-) / theta: it may just close by the end of the step (Stewart and
 *                Trinkle). v- is its initial rate; d >= 0, so theta < 1 causes no rebound. A block with
 *                restitution that closes within the step bounces in it
 *     velocities 0 if it closes within the step; else there is no contact (Moreau)
 *     wait       there is no contact before the bodies overlap (Gribel)
 *   d of violated contacts and joints:                baumgarte: erp min(g + slop, 0) / h;  else 0
 *   projection: after the step W G' mu with  0 <= K mu + g, 0 <= mu,  until gaps >= -tolerance, joints = 0
 *
 * sequence=guendelman: first impacts p1 with restitution, at the velocities u, of bodies that would overlap
 * after u + h a; then u* = u + h a + W G' p1 and the law above without restitution; then positions.
 *
 * sequence=chain: u1 = u + h a / 2. Repeat u1 += W G' p1, until no block closes faster than the threshold. p1
 * are impacts with restitution of the blocks that close at u1 - h a / 2 and would overlap after u1 + h a / 2.
 * Then u* = u1 + h a / 2, and the law above without restitution. A touching block with restitution that does
 * not close has its impact once another impact makes it close. A block without restitution that does not
 * separate resists an impact from the start. Without friction no round gains energy: sum p (v- + v+) / 2 is
 * (1 - e) / 2 sum p v- <= 0 over the impacts, and sum p v- / 2 <= 0 over the blocks that resist them. With e
 * = 1 and a constant force f, a step conserves E + (theta - 1/2) h f . u exactly, through any number of
 * impacts.
 *
 * Order 1 at events. Momentum is conserved to round-off, except through the ground. Multipliers are p / h.
 * Other files: gaps and forces in moreau/moreau_velocities.c, the other sequences in moreau/moreau_impacts.c;
 * in timestepping/: static_friction.c, sleeping.c, gap_projection.c. [Moreau 1988; Jean, Comput. Methods
 * Appl. Mech. Eng. 177 (1999) 235; Stewart and Trinkle, Int. J. Numer. Methods Eng. 39 (1996) 2673;
 * Guendelman, Bridson and Fedkiw, ACM Trans. Graph. 22 (2003) 871; Gribel 2009, sections 2.7 to 2.9 and
 * 4.3] */
#include "moreau/moreau_parts.h"
#include "timestepping/static_friction.h"
#include "timestepping/substep.h"
#include "contact/contact_registry.h"
#include "base/vec.h"
#include "system/contact_blocks.h"
#include "registry/solver_arrays.h"
#include "registry/step_doubling.h"

#include <string.h>

/* m/s: contacts that slide no faster stick, also with an exact contact solver. */
static const double min_slip_tolerance = 1e-9;

static const hn_param params[] = {
  HN_CONTACT_PARAMS(hn_moreau, contact, HN_DEFAULT_CONTACT, "1e-10", "10000"),
  { "contact_limit", HN_REAL, offsetof(hn_moreau, contact_limit), "1e-5", 0, 1, "m/s", NULL,
    "largest residual, above the tolerance, of a contact problem with which the run goes on" },
  { "theta", HN_REAL, offsetof(hn_moreau, theta), "1", 0.5, 1, "", NULL,
    "weight of the velocities at the end of the step in its displacement" },
  { "sequence", HN_CHOICE, offsetof(hn_moreau, sequence), "at-once", 0, 0, "", "at-once,guendelman,chain",
    "one problem for impacts and contacts; impacts, then velocities, then contacts; or chains of impacts, "
    "then contacts" },
  { "open_gaps", HN_CHOICE, offsetof(hn_moreau, open_gaps), "may-close", 0, 0, "",
    "may-close,velocities,wait",
    "an open gap may just close in a step; or is closed if it closes within the step; or waits for overlap" },
  { "static_friction", HN_CHOICE, offsetof(hn_moreau, static_friction), "steps", 0, 0, "", "steps,sweeps",
    "sticking contacts are found from step to step, or by the contact solver at each contact (pgs)" },
  { "turn", HN_CHOICE, offsetof(hn_moreau, turn), "flight", 0, 0, "", "flight,cayley,exact",
    "bodies turn as in free flight plus the effect of impulses; or by 2 atan(h w / 2), or h w, with initial "
    "gyroscopic torques" },
  { "max_speed", HN_REAL, offsetof(hn_moreau, max_speed), "0", 0, 1e9, "m/s", NULL,
    "limit on the speed of centres of mass; 0: none" },
  { "stabilisation", HN_CHOICE, offsetof(hn_moreau, stabilisation), "projection", 0, 0, "",
    "none,baumgarte,projection", "correction of violated joints and gaps" },
  { "erp", HN_REAL, offsetof(hn_moreau, erp), "0.2", 0, 1, "", NULL,
    "baumgarte: part of a violation corrected in a step" },
  { "slop", HN_REAL, offsetof(hn_moreau, slop), "0", 0, 1, "m", NULL,
    "baumgarte: penetration that is not corrected" },
  HN_GAP_PROJECTION_PARAMS(hn_moreau, gaps),
  { "warm_start", HN_FLAG, offsetof(hn_moreau, warm_start), "true", 0, 0, "", NULL,
    "start from the impulses of the last step" },
  HN_SLEEPING_PARAMS(hn_moreau, rest),
  HN_ERROR_TOLERANCE_PARAM(hn_moreau, error_tolerance),
  { .key = NULL },
};

/* Checks that the settings have rolling and torsional friction. */
static int check_moments(const hn_moreau *d, hn_error *error)
{
  if (d->static_friction == BY_SWEEPS)
    return hn_fail(error, "moreau: static_friction=sweeps has no rolling or torsional friction: use steps");
  if (hn_contact_solver_can(d->velocity_solver, HN_SOLVES_ROLLING)) return 0;
  return hn_fail(error,
                 "moreau: the contact solver %s has no rolling or torsional friction: use contact=auto, pgs, "
                 "jacobi, nncg, admm, newton or prox",
                 d->velocity_solver->type->name);
}

/* Leaves W G' out of the system, if nothing but its own functions and the contact solvers reads it. */
static void save_memory(hn_system *s, const hn_moreau *d)
{
  if (d->rest.sleep == 0.0 && hn_contact_computes_responses(d->velocity_solver) &&
      (!d->gaps.solver || hn_contact_computes_responses(d->gaps.solver)))
    hn_system_omit_responses(s);
}

static int setup(hn_solver *solver, hn_error *error)
{
  hn_moreau *d = solver->data;
  hn_system *s = solver->system;
  const size_t bodies = (size_t)s->model->nbody, rows = (size_t)s->max_rows;
  d->velocity_solver = hn_contact_solver_for(s, &d->contact, error);
  if (!d->velocity_solver || hn_sleeping_setup(solver, &d->rest, error) ||
      hn_system_list_asymmetric(s, error))
    return -1;
  hn_system_choose_modes(s);
  if (d->static_friction == BY_SWEEPS && !(d->velocity_solver->type->capabilities & HN_SOLVES_STICKING))
    return hn_fail(error, "moreau: static_friction=sweeps needs contact=pgs, not %s",
                   d->velocity_solver->type->name);
  if (s->model->needs & HN_CAN_ROLL && check_moments(d, error)) return -1;
  if (d->stabilisation == PROJECTION && d->open_gaps == WAIT)
    return hn_fail(error,
                   "moreau: open_gaps=wait waits for overlaps, which stabilisation=projection removes before "
                   "they can be felt: use stabilisation=baumgarte or none");
  d->problem = hn_problem_create(s, error);
  if (!d->problem || hn_doubling_setup(solver, d->error_tolerance, false, error)) return -1;
  if (hn_solver_allocate(solver, error, HN_EMPTY_STATE(d->work), HN_EMPTY_STATE(d->flight_end))) return -1;
  d->gaps.at = d->flight_end, d->gaps.from = d->work; /* the projection follows their last use in a step */
  if (d->stabilisation == PROJECTION && hn_gap_projection_setup(solver, &d->gaps, &d->contact, error))
    return -1;
  save_memory(s, d);
  return hn_solver_allocate(solver, error, HN_EMPTY_STATE(d->own_start), HN_ARRAY(d->acceleration, bodies),
                            HN_ARRAY(d->flight_start, bodies), HN_ARRAY(d->scratch, 6 * bodies),
                            HN_ARRAY(d->p, rows), HN_ARRAY(d->impact, rows),
                            HN_ARRAY(d->initial_rate, s->max_blocks), HN_ARRAY(d->v, rows),
                            HN_ARRAY(d->force_rate, rows));
}

static void destroy(hn_solver *solver)
{
  hn_moreau *d = solver->data;
  hn_contact_solver_free(d->velocity_solver), hn_gap_projection_free(&d->gaps);
  hn_problem_free(d->problem);
  hn_sleeping_free(&d->rest);
}

static void reset(hn_solver *solver)
{
  hn_sleeping_reset(&((hn_moreau *)solver->data)->rest);
}

static void *memory(hn_solver *solver, size_t *size)
{
  return hn_sleeping_memory(&((hn_moreau *)solver->data)->rest, size);
}

/* ---- Velocities ---------------------------------------------------------------------------------------- */

/* Poses the problem of the step in d->problem, from STATE at its start; STATE gets the velocities u*. */
static void pose_step(hn_solver *solver, hn_state *state, double h)
{
  hn_moreau *d = solver->data;
  hn_moreau_free_velocities(solver, h, state);
  solver->report.asleep = hn_sleeping_begin(&d->rest, solver->system, d->start, d->acceleration);
  hn_problem_assemble(d->problem, solver->system, state, h);
  hn_moreau_add_gap_terms(solver, h);
}

/* Solves the problem where contacts have a static friction: again after contacts have started to slide. */
static hn_reason solve_sticking(hn_solver *solver, hn_state *state)
{
  hn_moreau *d = solver->data;
  const hn_static_friction contacts = { .problem = d->problem,
                                        .state = state,
                                        .first = solver->system->model->njoint,
                                        .left_out = d->rest.any ? d->rest.left_out : NULL,
                                        .tolerance = fmax(hn_moreau_margin * d->contact.tolerance,
                                                          min_slip_tolerance) };
  hn_reason reason;
  int changed;
  if (d->static_friction == BY_SWEEPS) hn_static_friction_set_cones(&contacts);
  do {
    reason = hn_moreau_solve(solver, d->p);
    if (reason != HN_CONVERGED) return reason;
    hn_problem_velocities(d->problem, d->p, d->scratch, d->v);
    changed = d->static_friction == BY_STEPS ? hn_static_friction_start_sliding(&contacts, d->p, d->v) : 0;
  } while (changed > 0);
  hn_static_friction_update(&contacts, d->p, d->v);
  return HN_CONVERGED;
}

/* Sets the initial impulses: those of the last step for contacts if warm started; unchanged for sleeping
 * bodies. */
static void set_initial_impulses(hn_solver *solver, const hn_state *state, double h)
{
  hn_moreau *d = solver->data;
  const hn_system *s = solver->system;
  memset(d->p, 0, sizeof *d->p * (size_t)s->nrow);
  for (int i = 0; i < s->model->nrow && d->rest.any; i++) d->p[i] = h * solver->multipliers[i];
  if (d->warm_start || d->rest.any) hn_system_load_impulses(s, state, 1.0, d->p);
  for (int k = 0; k < s->nblock && d->rest.any; k++)
    if (!d->rest.left_out[k] && (k < s->model->njoint || !d->warm_start))
      memset(d->p + s->block[k].row, 0, sizeof *d->p * (size_t)s->block[k].n);
}

/* Solves for the velocities u+ at the end of the step, the impulses and the multipliers. */
static hn_reason solve_velocities(hn_solver *solver, hn_state *state, double h)
{
  hn_moreau *d = solver->data;
  hn_system *s = solver->system;
  pose_step(solver, state, h);
  set_initial_impulses(solver, state, h);
  hn_reason reason = hn_static_friction_is_needed(state) ? solve_sticking(solver, state)
                                                         : hn_moreau_solve(solver, d->p);
  if (reason != HN_CONVERGED) return reason;
  for (int i = 0; i < s->nrow && d->sequence != AT_ONCE; i++) d->p[i] += d->impact[i];
  hn_moreau_end_velocities(d, s, h, state);
  hn_sleeping_stop_bodies(&d->rest, state);
  solver->report.capped = d->max_speed > 0.0 ? hn_substep_limit_speed(d->max_speed, state) : 0;
  hn_system_store_impulses(s, d->p, 1.0, state);
  for (int i = 0; i < s->model->nrow; i++) solver->multipliers[i] = d->p[i] / h;
  return HN_CONVERGED;
}

/* ---- Positions ----------------------------------------------------------------------------------------- */

/* Sets the orientations of asymmetric bodies: that of the free flight, turned by the other changes of
 * velocity. */
static void turn_asymmetric_bodies(const hn_moreau *d, const hn_system *s, double h, hn_state *state)
{
  int count;
  const int *body = hn_system_asymmetric(s, &count);
  for (int k = 0; k < count; k++) {
    const int i = body[k];
    double turn[4] = { 1.0 };
    for (int c = 0; c < 3; c++)
      turn[1 + c] = 0.5 * h *
                    (d->theta * (state->twist[i].w[c] - d->flight_end->twist[i].w[c]) +
                     (1.0 - d->theta) * (d->start->twist[i].w[c] - d->flight_start[i].w[c]));
    quat_mul(state->pose[i].q, turn, d->flight_end->pose[i].q);
    quat_normalise(state->pose[i].q);
  }
}

/* Moves the bodies with the mean of the velocities before and after, which remain unchanged. */
static void move_bodies(hn_solver *solver, hn_state *state, double h)
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
  if (d->turn == EXACT) hn_substep_use_exact_turn(s, h, state);
  hn_substep_drift(s, h, state);
  memcpy(state->twist, d->work->twist, size);
  if (d->turn == FLIGHT) turn_asymmetric_bodies(d, s, h, state);
}

/* ---- The step ------------------------------------------------------------------------------------------ */

/* Sets d->start to the motion of STATE: that of the copy which the framework restores after a failure, or
 * else, in a part of a step, one of our own. */
static void store_start(hn_solver *solver, const hn_state *state)
{
  hn_moreau *d = solver->data;
  const size_t bodies = (size_t)state->nbody;
  const hn_state *backup = solver->backup;
  const bool same = backup->time == state->time &&
                    memcmp(backup->pose, state->pose, sizeof *state->pose * bodies) == 0 &&
                    memcmp(backup->twist, state->twist, sizeof *state->twist * bodies) == 0;
  if (!same) hn_state_copy_motion(d->own_start, state);
  d->start = same ? backup : d->own_start;
}

/* Prepares the step: Jacobian, initial rates, and the impacts of a sequence. */
static hn_reason begin(hn_solver *solver, hn_state *state, double h)
{
  hn_moreau *d = solver->data;
  hn_system *s = solver->system;
  hn_system_hold_all(s);
  hn_system_linearise(s, state);
  hn_system_bias(s, state);
  hn_moreau_store_rates(solver, state);
  store_start(solver, state);
  return d->sequence == AT_ONCE ? HN_CONVERGED : hn_moreau_impacts(solver, state, h);
}

static hn_reason pose(hn_solver *solver, hn_state *state, double h, const hn_problem **problem)
{
  hn_moreau *d = solver->data;
  hn_reason reason = begin(solver, state, h);
  if (reason != HN_CONVERGED) return reason;
  pose_step(solver, state, h);
  hn_system_store_responses(solver->system); /* for any contact solver */
  d->problem->T = solver->system->T;
  *problem = d->problem;
  return HN_CONVERGED;
}

static hn_reason step(hn_solver *solver, hn_state *state, double h)
{
  hn_moreau *d = solver->data;
  hn_reason reason = begin(solver, state, h);
  if (reason == HN_CONVERGED) reason = solve_velocities(solver, state, h);
  if (reason != HN_CONVERGED) return reason;
  move_bodies(solver, state, h);
  if (d->stabilisation == PROJECTION)
    reason = hn_gap_projection_apply(solver, &d->gaps, &d->rest, d->problem, d->p, state);
  if (reason != HN_CONVERGED) return reason;
  hn_sleeping_end(&d->rest, solver->system, h, d->acceleration, state);
  return HN_CONVERGED;
}

/* The solver of the thesis, with the settings of its stack. */
static const hn_preset presets[] = {
  { "gribel2009",
    "contact=pgs:local=box,contact_tolerance=0,sweeps=50,open_gaps=wait,static_friction=sweeps,"
    "turn=exact,stabilisation=baumgarte,erp=0.4,slop=0.002,warm_start=false",
    "sequential impulses of Gribel's thesis" },
  { NULL, NULL, NULL },
};

static hn_contact_solver *contact_solver(const hn_solver *solver)
{
  return ((const hn_moreau *)solver->data)->velocity_solver;
}

const hn_solver_type hn_solver_moreau = {
  .abi = HN_ABI,
  .name = "moreau",
  .summary = "time stepping: joints, contacts and impacts of a step in one problem",
  .citation = "Moreau 1988; Jean 1999; Stewart and Trinkle 1996",
  .capabilities = HN_CAN_BILATERAL | HN_CAN_COMPLIANT | HN_CAN_REDUNDANT | HN_HAS_MULTIPLIERS | HN_CAN_PUSH |
                  HN_CAN_WITHIN | HN_CAN_CONE | HN_CAN_CHANGE | HN_CAN_BOUNCE | HN_CAN_VELOCITY |
                  HN_CAN_ROLL | HN_CAN_ANISOTROPIC,
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
