/* slow_slip.c - slow slips: those whose directions friction turns faster than an explicit inner solver can
 * follow, and those that begin or end (slow_slip.h).
 *
 * Friction turns a slip u at the rate mu lambda k / |u|, k being the inverse mass at the contact. Slips of
 * one body, or of bodies in contact, turn together: with
 *
 *   kappa_il = response of the acceleration across slip i to friction mu lambda_l across slip l
 *
 * slip i turns by at most sum_l |kappa_il| s / |u_i| in s seconds. A cheap bound, the largest friction at the
 * contacts of its bodies times their inverse masses, excludes fast slips. For the others kappa is computed: a
 * response of the mode for each. */
#include "events/events.h"
#include "events/mode.h"
#include "base/vec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* More slow slips than this are followed: the cost of a plan grows with the cube of their number. */
enum { MAX_SLIPS = 100 };
/* A slip is slow if friction could turn it by more than this angle, rad, in a motion with its faster end.
 * Explicit solvers are stable up to 2 or 3, and accurate up to 1. */
static const double most_turn = 1.0;
/* the same for inner solvers that follow slips by their own steps: from here on a plan is cheaper */
static const double most_followed = 10.0;
static const double beyond = 1.05; /* a plan goes this far beyond the expected end of a slip */

/* Lists all slips in space, with the accelerations of their friction. */
static void list_slips(hn_events *d)
{
  hn_slow_slips *slow = &d->slow;
  hn_mode *mode = d->mode;
  int block = mode->first - 1;
  slow->count = 0;
  for (int i = 0; i < mode->nslip; i++) {
    hn_row_force *slip = &mode->given[i];
    if (slip->normal < 0) continue;
    do block++;
    while (slip->joint != &mode->stick[block - mode->first]);
    const double normal = d->law.p[d->law.problem->block[block].row];
    if (slip->joint->type->rows != 2 || mode->role[block].creeps) continue;
    slow->slip[slow->count] = slip, slow->block[slow->count] = block;
    slow->push[slow->count++] = slip->mu * normal * hn_problem_scale(d->law.problem, block);
  }
}

/* Keeps the listed slips. */
static void keep_listed(hn_slow_slips *slow)
{
  int kept = 0;
  for (int i = 0; i < slow->count; i++)
    if (slow->listed[i]) slow->slip[kept] = slow->slip[i], slow->block[kept++] = slow->block[i];
  slow->count = kept;
}

/* Keeps the slips whose turns in a motion of LENGTH may be fast, by the sum of all friction on their
 * bodies. */
static void keep_candidates(hn_events *d, double length)
{
  hn_slow_slips *slow = &d->slow;
  const hn_model *model = &d->mode->model;
  memset(slow->on_body, 0, sizeof *slow->on_body * (size_t)model->nbody);
  for (int i = 0; i < slow->count; i++) {
    const hn_joint *joint = slow->slip[i]->joint;
    if (model->body[joint->a].kind != HN_FIXED) slow->on_body[joint->a] += slow->push[i];
    if (model->body[joint->b].kind != HN_FIXED) slow->on_body[joint->b] += slow->push[i];
  }
  for (int i = 0; i < slow->count; i++) {
    const hn_joint *joint = slow->slip[i]->joint;
    double rate[2];
    hn_slip_rates(slow->slip[i], d->from, rate);
    const double size = norm_of(rate, 2), push = slow->on_body[joint->a] + slow->on_body[joint->b];
    slow->listed[i] = size <= d->limits.rate || push * length > most_turn * size;
  }
  keep_listed(slow);
}

/* Adds the wrench of forces Q along the tangents of SLIP. */
static void add_wrench(const hn_row_force *slip, const hn_state *state, const double q[2], double *wrench)
{
  double G_a[6 * HN_MAX_ROWS], G_b[6 * HN_MAX_ROWS], rate[2];
  hn_known_rates(slip, state, G_a, G_b, rate);
  for (int c = 0; c < 6; c++)
    for (int r = 0; r < 2; r++) {
      wrench[6 * slip->joint->a + c] += G_a[2 * c + r] * q[r];
      wrench[6 * slip->joint->b + c] += G_b[2 * c + r] * q[r];
    }
}

/* Computes the acceleration of the rows of SLIP by ACCELERATION less BASE, which may be NULL. */
static void accelerate_rows(const hn_row_force *slip, const hn_state *state, const hn_twist *acceleration,
                            const hn_twist *base, double v[2])
{
  const int body[2] = { slip->joint->a, slip->joint->b };
  double G[2][6 * HN_MAX_ROWS], rate[2];
  hn_known_rates(slip, state, G[0], G[1], rate);
  v[0] = v[1] = 0.0;
  for (int side = 0; side < 2; side++) {
    const double *a = (const double *)&acceleration[body[side]];
    const double *o = base ? (const double *)&base[body[side]] : NULL;
    for (int c = 0; c < 6; c++)
      for (int r = 0; r < 2; r++) v[r] += G[side][2 * c + r] * (o ? a[c] - o[c] : a[c]);
  }
}

/* Computes kappa, and the slips' accelerations along their directions. */
static hn_reason find_responses(hn_solver *solver)
{
  hn_events *d = solver->data;
  hn_slow_slips *slow = &d->slow;
  hn_mode *mode = d->mode;
  const int n = slow->count;
  double v[2];
  hn_reason reason = hn_mode_accelerate(mode, d->from, NULL, slow->base);
  for (int i = 0; i < n && reason == HN_CONVERGED; i++) {
    const hn_row_force *slip = slow->slip[i];
    accelerate_rows(slip, d->from, slow->base, NULL, v);
    slow->gain[i] = hn_slip_along(slip, v);
    slow->push[i] = slip->mu * mode->right[mode->model.joint[slip->normal].row];
  }
  for (int l = 0; l < n && reason == HN_CONVERGED; l++) {
    const double *along = slow->slip[l]->along, across[2] = { -along[1], along[0] };
    memset(d->external, 0, 6 * sizeof *d->external * (size_t)mode->model.nbody);
    add_wrench(slow->slip[l], d->from, across, d->external);
    reason = hn_mode_respond(mode, d->external, d->acceleration);
    for (int i = 0; i < n; i++) {
      accelerate_rows(slow->slip[i], d->from, d->acceleration, slow->base, v);
      slow->kappa[i * n + l] = slow->push[l] * hn_slip_across(slow->slip[i], v);
    }
  }
  return reason;
}

/* Keeps the candidates that friction turns fast in a motion of *LENGTH, which becomes shorter if a slip ends
 * before. True if there are any. */
static bool keep_slow(hn_solver *solver, double *length)
{
  hn_events *d = solver->data;
  hn_slow_slips *slow = &d->slow;
  const int n = slow->count;
  bool any = false;
  for (int i = 0; i < n; i++) {
    double rate[2], turns = 0.0;
    hn_slip_rates(slow->slip[i], d->from, rate);
    const double size = norm_of(rate, 2), gain = slow->gain[i];
    const double life = gain < 0.0 ? fmin(*length, -size / gain) : *length;
    for (int l = 0; l < n; l++) turns += fabs(slow->kappa[i * n + l]) * life;
    const bool starts = size <= d->limits.rate;
    const bool stops = gain < 0.0 && life < *length && !d->follows;
    const double most = d->follows ? most_followed : most_turn;
    slow->listed[i] = starts || stops || turns > most * fmax(size, size + gain * life);
    any |= slow->listed[i];
    if (slow->listed[i] && !starts) slow->life = fmin(slow->life, beyond * life);
  }
  *length = fmin(*length, slow->life);
  return any;
}

/* Makes room for the equations of slow->count slips. False if out of memory. */
static bool make_room(hn_slow_slips *slow)
{
  const size_t n = (size_t)slow->count, N = n * HN_MAX_PLAN;
  if (slow->count > slow->room) {
    free(slow->memory);
    slow->memory = malloc(sizeof *slow->memory * (n * n + 3 * N + N * N));
    slow->room = slow->memory ? slow->count : 0;
  }
  if (slow->room == 0) return false;
  slow->kappa = slow->memory, slow->q = slow->kappa + n * n, slow->r = slow->q + N;
  slow->forward = slow->r + N, slow->matrix = slow->forward + N;
  return true;
}

/* Removes the slips that are not listed. */
static void drop_fast(hn_slow_slips *slow)
{
  const int n = slow->count;
  int next = 0;
  for (int i = 0; i < n; i++)
    for (int l = 0; slow->listed[i] && l < n; l++)
      if (slow->listed[l]) slow->kappa[next++] = slow->kappa[i * n + l];
  keep_listed(slow);
}

void hn_slow_slips_find(hn_solver *solver, double *length)
{
  hn_events *d = solver->data;
  hn_slow_slips *slow = &d->slow;
  slow->life = HUGE_VAL;
  slow->count = 0;
  if (d->law.leads) return;
  list_slips(d);
  keep_candidates(d, *length);
  if (slow->count == 0) return;
  const bool solvable = slow->count <= MAX_SLIPS && make_room(slow);
  if (!solvable || find_responses(solver) != HN_CONVERGED || !keep_slow(solver, length)) slow->count = 0;
  drop_fast(slow);
}

int hn_slow_slips_setup(hn_slow_slips *slow, const hn_system *s, hn_error *error)
{
  const size_t blocks = (size_t)s->max_blocks;
  return hn_arrays_allocate(&slow->arrays, error, HN_ARRAY(slow->slip, blocks), HN_ARRAY(slow->block, blocks),
                            HN_ARRAY(slow->listed, blocks), HN_ARRAY(slow->push, blocks),
                            HN_ARRAY(slow->gain, blocks), HN_ARRAY(slow->base, s->model->nbody),
                            HN_ARRAY(slow->on_body, s->model->nbody));
}

void hn_slow_slips_free(hn_slow_slips *slow)
{
  hn_arrays_free(&slow->arrays);
  free(slow->memory);
}
