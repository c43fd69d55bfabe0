/* motion_impulses.c - impulses of contacts in a smooth motion, for records (events.h).
 *
 *   P = h/6 (F(0) + 4 F(h/2) + F(h))     Simpson's rule, for forces and for moments about centres of mass
 *
 * F are the forces of the mode, whose equations the inner solver integrates: multipliers of gaps and slips,
 * and friction of sliding contacts. The state at h/2 is the cubic Hermite interpolation of poses and
 * velocities, so P has an error of order h^5, and none where forces are constant. Redundant contacts have
 * many possible forces. Those of the mode are on independent rows, and may leave the cones. They are then
 * distributed as by the law of accelerations at the end of the motion, whose sum is the same:
 *
 *   P = h F_law(h) + h/6 (F(0) + 4 F(h/2) - 5 F(h))
 *
 * Where friction turns much faster than the motion, as in slow slips, no such rule is exact, and the inner
 * solver has another one. The change of velocity that P does not explain is then due to the impulses of that
 * one: the least ones on the rows of the mode that have this effect are added. Angular momentum balances to
 * the accuracy of the inner solver. */
#include "events/events.h"
#include "events/mode.h"
#include "event/contact_impulses.h"
#include "base/vec.h"
#include "registry/solver_arrays.h"

#include <math.h>
#include <string.h>

/* Square of the relative residual at which the rest of the impulses is found. */
static const double smallest = 1e-30;

int hn_motion_impulses_setup(hn_solver *solver, hn_motion_impulses *d, hn_error *error)
{
  const size_t bodies = (size_t)solver->system->model->nbody, rows = (size_t)solver->system->max_rows;
  return hn_solver_allocate(solver, error, HN_STATE(d->middle), HN_ARRAY(d->at_start, bodies),
                            HN_ARRAY(d->at_end, bodies), HN_ARRAY(d->wrench, 12), HN_ARRAY(d->p, rows),
                            HN_ARRAY(d->change, bodies), HN_ARRAY(d->acts, rows), HN_ARRAY(d->residual, rows),
                            HN_ARRAY(d->way, rows), HN_ARRAY(d->v, rows));
}

/* ---- Wrenches of the contacts of a mode ---------------------------------------------------------------- */

/* Adds G' p of N rows to the wrenches of a and b. */
static void add_rows(int n, const double *G_a, const double *G_b, const double *p, double *wrench)
{
  for (int c = 0; c < 6; c++)
    for (int r = 0; r < n; r++) wrench[c] += G_a[c * n + r] * p[r], wrench[6 + c] += G_b[c * n + r] * p[r];
}

/* Adds the forces of joint J of the mode; -1: none. */
static void add_joint(const hn_mode *mode, int j, double *wrench)
{
  const hn_system *s = mode->system;
  if (j < 0) return;
  const hn_block *block = &s->block[j];
  const double *G = s->G + 12 * block->row;
  add_rows(block->n, G, G + 6 * block->n, mode->right + block->row, wrench);
}

/* Adds known force GIVEN: friction of a sliding contact, or the share of a sticking one. */
static void add_known(const hn_mode *mode, const hn_row_force *given, double *wrench)
{
  const int n = given->joint->type->rows;
  double G_a[6 * HN_MAX_ROWS], G_b[6 * HN_MAX_ROWS], rate[HN_MAX_ROWS], q[HN_MAX_ROWS];
  hn_known_rates(given, mode->motion, G_a, G_b, rate);
  memcpy(q, given->force, sizeof *q * (size_t)n);
  if (given->normal >= 0) {
    const double push = mode->right[mode->system->block[given->normal].row];
    if (given->terms > 0) hn_known_plan_direction(given, mode->motion->time, q);
    else hn_known_direction(given, n, rate, q);
    for (int r = 0; r < n; r++) q[r] *= -given->mu * push;
  }
  add_rows(n, G_a, G_b, q, wrench);
}

/* Computes the wrenches of contact I on a and b, from the multipliers of the mode; KNOWN: with its known
 * forces. */
static void contact_wrench(const hn_mode *mode, int i, bool known, double *wrench)
{
  memset(wrench, 0, 12 * sizeof *wrench);
  add_joint(mode, mode->gap_at[i], wrench);
  add_joint(mode, mode->stick_at[i], wrench);
  for (int k = 0; known && k < mode->nrow_force; k++)
    if (mode->given[k].joint == &mode->stick[i]) add_known(mode, &mode->given[k], wrench);
}

/* Notes the wrenches of all contacts of the mode at STATE, times FACTOR. */
static void note_mode(hn_solver *solver, const hn_mode *mode, const hn_state *state, double factor,
                      bool known)
{
  double *w = ((hn_events *)solver->data)->impulses.wrench;
  for (int i = 0; i < mode->nblock - mode->first; i++) {
    if (mode->role[mode->first + i].kind == HN_ROW_OPEN) continue;
    const hn_contact *contact = &mode->contact[i];
    contact_wrench(mode, i, known, w);
    for (int c = 0; c < 12; c++) w[c] *= factor;
    double force[3];
    if (solver->system->model->body[contact->b].kind != HN_FIXED) vec_copy(force, w + 6);
    else vec_scale(force, -1.0, w);
    hn_impulses_note_wrench(solver, contact, state, force, w + 3, w + 9);
  }
}

/* True if a contact has redundant rows, so that its forces are not those of the mode alone. */
static bool is_redundant(const hn_model *model, const hn_mode *mode)
{
  for (int i = 0; i < mode->nblock - mode->first; i++) {
    const hn_role *role = &mode->role[mode->first + i];
    const unsigned rows = mode->contact[i].friction > 0.0 ? (model->planar ? 1 : 3) : 0;
    if (role->kind == HN_ROW_SLIDING && !role->gap) return true;
    if (role->kind == HN_ROW_HELD && (!role->gap || (role->stick & rows) != rows)) return true;
  }
  return false;
}

/* ---- The state in the middle --------------------------------------------------------------------------- */

/* Interpolates X[n] at the middle of S seconds between A and B, whose rates are A_RATE and B_RATE. */
static void interpolate(int n, const double *a, const double *a_rate, const double *b, const double *b_rate,
                        double s, double *x)
{
  for (int c = 0; c < n; c++) x[c] = 0.5 * (a[c] + b[c]) + 0.125 * s * (a_rate[c] - b_rate[c]);
}

/* Computes the rate of orientation Q of a body with angular velocity W. */
static void orientation_rate(double rate[4], const double q[4], const double w[3])
{
  const double half[4] = { 0.0, 0.5 * w[0], 0.5 * w[1], 0.5 * w[2] };
  quat_mul(rate, half, q);
}

/* Sets the state in the middle of the motion from A to B. */
static void set_middle(const hn_motion_impulses *d, const hn_state *a, const hn_state *b, double s)
{
  hn_state *to = d->middle;
  hn_state_copy_motion(to, b);
  memcpy(to->input, b->input, sizeof *b->input * (size_t)b->ninput);
  to->time = a->time + 0.5 * s;
  for (int i = 1; i < a->nbody; i++) {
    double a_rate[4], b_rate[4], q[4];
    interpolate(3, a->pose[i].x, a->twist[i].v, b->pose[i].x, b->twist[i].v, s, to->pose[i].x);
    interpolate(3, a->twist[i].v, d->at_start[i].v, b->twist[i].v, d->at_end[i].v, s, to->twist[i].v);
    interpolate(3, a->twist[i].w, d->at_start[i].w, b->twist[i].w, d->at_end[i].w, s, to->twist[i].w);
    orientation_rate(a_rate, a->pose[i].q, a->twist[i].w);
    orientation_rate(b_rate, b->pose[i].q, b->twist[i].w);
    interpolate(4, a->pose[i].q, a_rate, b->pose[i].q, b_rate, s, q);
    quat_normalise(q);
    memcpy(to->pose[i].q, q, sizeof q);
  }
}

/* ---- Impulses that explain the velocities -------------------------------------------------------------- */

/* Marks the rows of the scene that act in the mode, at the trial: 1, else 0. */
static void mark_rows(const hn_events *d, const hn_system *s, double *acts)
{
  memset(acts, 0, sizeof *acts * (size_t)s->nrow);
  for (int k = 0; k < s->nblock; k++) {
    const hn_block *block = &s->block[k];
    const bool joint = block->joint->set->kind == HN_ANY && d->now[k].kind != HN_ROW_BROKEN;
    const bool acting = joint || d->now[k].kind == HN_ROW_HELD || d->now[k].kind == HN_ROW_SLIDING;
    for (int r = 0; r < block->n && acting; r++) acts[block->row + r] = 1.0;
  }
}

/* Computes the velocities V[nrow] of the marked rows for the twists of STATE; LINEAR: which lose their
 * angular velocities. */
static void row_velocities(hn_system *s, hn_state *state, const double *acts, bool linear, double *v)
{
  for (int i = 0; i < state->nbody && linear; i++) vec_set(state->twist[i].w, 0, 0, 0);
  hn_system_velocity_residual(s, state, v, NULL);
  for (int i = 0; i < s->nrow; i++) v[i] = acts[i] * (v[i] - s->bias[i]);
}

static double dot(int n, const double *a, const double *b)
{
  double sum = 0.0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

/* Computes impulses P[nrow] of the marked rows whose effect is the change of velocity m->change, or of its
 * LINEAR part: G W G' p = G u, by conjugate gradients, which find the least solution if rows are
 * redundant. */
static void explain(hn_system *s, hn_motion_impulses *m, bool linear, double *p)
{
  double *r = m->residual, *way = m->way, *v = m->v;
  hn_state *u = m->middle;
  memcpy(u->twist, m->change, sizeof *m->change * (size_t)u->nbody);
  row_velocities(s, u, m->acts, linear, r);
  memset(p, 0, sizeof *p * (size_t)s->nrow);
  memcpy(way, r, sizeof *way * (size_t)s->nrow);
  const double start = dot(s->nrow, r, r);
  double size = start;
  for (int i = 0; i < 2 * s->nrow && size > smallest * start; i++) {
    memset(u->twist, 0, sizeof *u->twist * (size_t)u->nbody);
    hn_system_apply(s, way, 1.0, u);
    row_velocities(s, u, m->acts, linear, v);
    const double step = size / dot(s->nrow, way, v);
    if (!(step > 0.0 && step < HUGE_VAL)) return;
    for (int k = 0; k < s->nrow; k++) p[k] += step * way[k], r[k] -= step * v[k];
    const double next = dot(s->nrow, r, r);
    for (int k = 0; k < s->nrow; k++) way[k] = r[k] + next / size * way[k];
    size = next;
  }
}

/* Notes the impulses that the quadrature lacks, from the change of velocity that it does not explain: of all
 * of it, then of what is left of its linear part, as contacts cannot explain every rotation. */
static void note_rest(hn_solver *solver)
{
  hn_events *d = solver->data;
  hn_motion_impulses *m = &d->impulses;
  hn_system *s = solver->system;
  const hn_work work = s->work;
  hn_state_copy_motion(m->middle, d->trial);
  mark_rows(d, s, m->acts);
  for (int linear = 0; linear < 2; linear++) {
    explain(s, m, linear, m->p);
    hn_impulses_note(solver, d->trial, m->p);
    memcpy(m->middle->twist, m->change, sizeof *m->change * (size_t)d->trial->nbody);
    hn_system_apply(s, m->p, -1.0, m->middle);
    memcpy(m->change, m->middle->twist, sizeof *m->change * (size_t)d->trial->nbody);
  }
  s->work = work;
}

/* ---- Notes --------------------------------------------------------------------------------------------- */

/* Notes the forces of the mode at STATE for SECONDS, and subtracts their effect from the change of
 * velocity. */
static hn_reason note_forces(hn_solver *solver, const hn_state *state, double seconds)
{
  hn_events *d = solver->data;
  hn_motion_impulses *m = &d->impulses;
  const hn_reason reason = hn_mode_accelerate(d->mode, state, NULL, m->at_end);
  if (reason != HN_CONVERGED) return reason;
  note_mode(solver, d->mode, state, seconds, true);
  for (int i = 1; i < state->nbody; i++) {
    vec_add_scaled(m->change[i].v, -seconds, m->at_end[i].v);
    vec_add_scaled(m->change[i].w, -seconds, m->at_end[i].w);
  }
  return HN_CONVERGED;
}

/* Replaces the forces of the mode at the trial, for S seconds, by those of the law, whose accelerations are
 * the same but for a tolerance. */
static void distribute_by_law(hn_solver *solver, double s)
{
  hn_events *d = solver->data;
  hn_motion_impulses *m = &d->impulses;
  for (int i = 0; i < solver->system->nrow; i++) m->p[i] = s * d->law.p[i];
  hn_impulses_note(solver, d->trial, m->p);
  note_mode(solver, d->mode, d->trial, -s, true);
  for (int i = 1; i < d->trial->nbody; i++) {
    vec_add_scaled(m->change[i].v, -s, d->law.acceleration[i].v);
    vec_add_scaled(m->change[i].v, s, m->at_end[i].v);
    vec_add_scaled(m->change[i].w, -s, d->law.acceleration[i].w);
    vec_add_scaled(m->change[i].w, s, m->at_end[i].w);
  }
}

/* Notes the impulses of the motion of S seconds. BY_LAW: as distributed by the law. Without accelerations in
 * the middle, the trapezoidal rule. The last accelerations are those at the trial. */
static hn_reason note_motion(hn_solver *solver, double s, bool by_law)
{
  hn_events *d = solver->data;
  hn_motion_impulses *m = &d->impulses;
  hn_reason reason = hn_mode_accelerate(d->mode, d->from, NULL, m->at_start);
  if (reason == HN_CONVERGED) reason = hn_mode_accelerate(d->mode, d->trial, NULL, m->at_end);
  if (reason != HN_CONVERGED) return reason;
  for (int i = 1; i < d->trial->nbody; i++) {
    vec_sub(m->change[i].v, d->trial->twist[i].v, d->from->twist[i].v);
    vec_sub(m->change[i].w, d->trial->twist[i].w, d->from->twist[i].w);
  }
  set_middle(m, d->from, d->trial, s);
  const double end = note_forces(solver, m->middle, 4.0 * s / 6.0) == HN_CONVERGED ? s / 6.0 : 0.5 * s;
  reason = note_forces(solver, d->from, end);
  if (reason == HN_CONVERGED) reason = note_forces(solver, d->trial, end);
  if (reason != HN_CONVERGED) return reason;
  if (by_law) distribute_by_law(solver, s);
  note_rest(solver);
  return HN_CONVERGED;
}

hn_reason hn_motion_impulses_note(hn_solver *solver, double s, bool holds)
{
  const hn_events *d = solver->data;
  hn_known *known = d->mode->known;
  if (!solver->impulses) return HN_CONVERGED;
  const hn_work before = known ? hn_known_work(known) : (hn_work){ 0 };
  const hn_reason reason = note_motion(solver, s, holds && is_redundant(solver->system->model, d->mode));
  if (known) hn_known_set_work(known, before); /* the work for records is not that of the step */
  if (reason == HN_CONVERGED) return reason;
  return hn_step_failed(solver, reason, "forces of a motion, for its record", -1, 0.0);
}

void hn_motion_impulses_note_projection(hn_solver *solver, const hn_state *state)
{
  if (solver->impulses) note_mode(solver, ((hn_events *)solver->data)->mode, state, -1.0, false);
}
