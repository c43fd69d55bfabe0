/* slow_slip.c - slow slips: the direction of friction as a polynomial in time, found by collocation.
 *
 * Friction turns the direction of a slip u at the rate mu lambda k / |u|, k being the inverse mass at the
 * contact. Where a slip begins, the rate is unbounded, although the motion is smooth: with u = t w(t), w is a
 * power series. An explicit inner solver amplifies rounding across the slip there, and loses its order. So
 * a slow slip has a planned direction, along + q(t) across, and friction is a smooth force for any inner
 * solver. The values of q at the nodes of a Radau IIA method make the slip parallel to friction there:
 *
 *   r_ij = across . u_i(t_j) - q_ij along . u_i(t_j) = 0      contact i, node j
 *
 * u(t_j) are ends of motions from the last event, by the inner solver. Newton's method with
 *
 *   -dr_ij / dq_lm = along . u_i(t_j) delta_il delta_jm + s A_jm kappa_il,
 *   kappa_il = response of the acceleration across at i to friction mu lambda_l across at l
 *
 * converges in two to four rounds. A direction that does not turn is found in the first one. What is across
 * the slip is damped as by the Radau method: it is stable for any rate of turning. Order in the directions:
 * the number of nodes, and 2 nodes - 1 where they turn slowly. Cost: a motion for every node and round, once
 * for each slip a response of the mode. [Hairer and Wanner, Solving Ordinary Differential Equations II,
 * IV.5] */
#include "events/events.h"
#include "events/mode.h"
#include "base/vec.h"

#include <gsl/gsl_linalg.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ROUNDS = 12, MAX_LENGTHS = 12, MAX_SLIPS = 100 };
/* A slip is slow if friction could turn it by more than this angle, in radians and in a motion along its
 * faster end. Explicit solvers are stable up to about 2.8; a slip that stops on a level floor has 1 to 3. */
static const double most_turn = 1.0;
static const double most_followed = 10.0; /* the same for inner solvers that follow slips by their own steps */
/* m/s, relative to the speeds of the bodies, at least 1 m/s: slips across that are found to be zero; those
 * that are accepted if the inner solver has larger errors of its own */
static const double found = 2e-15, accepted = 1e-9;
static const double reduced = 0.25;  /* least reduction of the slips across in a round */
static const double resolved = 1e-9; /* last coefficient of a plan that inner solvers of high order require */
static const double beyond = 1.05;   /* a plan goes this far beyond the expected end of a slip */
static const double still = 1e-12;   /* m/s: slips that make the equations for q singular */

/* Nodes of the Radau IIA methods of 2 to HN_MAX_PLAN stages. */
static const double nodes[HN_MAX_PLAN + 1][HN_MAX_PLAN] = {
  [2] = { 0.33333333333333333, 1.0 },
  [3] = { 0.15505102572168219, 0.64494897427831781, 1.0 },
  [4] = { 0.088587959512703947, 0.40946686444073471, 0.78765946176084706, 1.0 },
  [5] = { 0.057104196114517682, 0.27684301363812383, 0.58359043236891682, 0.86024013565621945, 1.0 },
};

/* Returns the number of nodes for an inner solver of ORDER. */
static int count_nodes(int order)
{
  const int n = order / 2 + 1;
  return n < 2 ? 2 : n > HN_MAX_PLAN ? HN_MAX_PLAN : n;
}

/* Computes the coefficients of the polynomial that is 1 at node J and 0 at the others. */
static void node_polynomial(int count, int j, double *coefficient)
{
  const double *c = nodes[count];
  int degree = 0;
  memset(coefficient, 0, sizeof *coefficient * (size_t)count);
  coefficient[0] = 1.0;
  for (int i = 0; i < count; i++) {
    const double width = c[j] - c[i];
    if (i == j) continue;
    degree++;
    for (int k = degree; k >= 0; k--)
      coefficient[k] = ((k > 0 ? coefficient[k - 1] : 0.0) - c[i] * coefficient[k]) / width;
  }
}

/* ---- Slow slips ---------------------------------------------------------------------------------------- */

/* Returns across . v of SLIP for v with components along its tangents. */
static double across_of(const hn_row_force *slip, const double v[2])
{
  return slip->along[0] * v[1] - slip->along[1] * v[0];
}

static double along_of(const hn_row_force *slip, const double v[2])
{
  return slip->along[0] * v[0] + slip->along[1] * v[1];
}

static void rates_of(const hn_row_force *slip, const hn_state *state, double rate[2])
{
  double G_a[6 * HN_MAX_ROWS], G_b[6 * HN_MAX_ROWS];
  hn_known_rates(slip, state, G_a, G_b, rate);
}

/* True if contacts with joints A and B act on a common moving body. */
static bool meet(const hn_model *model, const hn_joint *a, const hn_joint *b)
{
  const int body[] = { a->a, a->b };
  for (int i = 0; i < 2; i++)
    if (model->body[body[i]].kind != HN_FIXED && (body[i] == b->a || body[i] == b->b)) return true;
  return false;
}

/* Lists the slips whose turns in a motion of LENGTH may be fast, by an upper bound of their rates. */
static void list_candidates(hn_solver *solver, double length)
{
  hn_events *d = solver->data;
  hn_slow_slips *slow = &d->slow;
  hn_mode *mode = d->mode;
  const hn_events_law *law = &d->law;
  int count = 0, block = mode->first - 1;
  /* all slips in space, with the accelerations of their friction */
  for (int i = 0; i < mode->nslip; i++) {
    hn_row_force *slip = &mode->given[i];
    if (slip->normal < 0) continue;
    do block++;
    while (slip->joint != &mode->stick[block - mode->first]);
    const hn_problem_block *b = &law->problem->block[block];
    if (slip->joint->type->rows != 2 || mode->role[block].creeps) continue;
    slow->slip[count] = slip, slow->block[count] = block;
    slow->push[count++] = slip->mu * law->p[b->row] * hn_problem_scale(law->problem, block);
  }
  for (int i = 0; i < count; i++) {
    double rate[2], push = 0.0;
    for (int k = 0; k < count; k++)
      if (meet(&mode->model, slow->slip[i]->joint, slow->slip[k]->joint)) push += slow->push[k];
    rates_of(slow->slip[i], d->from, rate);
    const double size = norm_of(rate, 2);
    slow->listed[i] = size <= d->limits.rate || push * length > most_turn * size;
  }
  for (int i = 0; i < count; i++)
    if (slow->listed[i]) slow->slip[slow->count] = slow->slip[i], slow->block[slow->count++] = slow->block[i];
}

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
    slow->gain[i] = along_of(slip, v);
    slow->push[i] = slip->mu * mode->right[mode->model.joint[slip->normal].row];
  }
  for (int l = 0; l < n && reason == HN_CONVERGED; l++) {
    const double *along = slow->slip[l]->along, across[2] = { -along[1], along[0] };
    memset(d->external, 0, 6 * sizeof *d->external * (size_t)mode->model.nbody);
    add_wrench(slow->slip[l], d->from, across, d->external);
    reason = hn_mode_respond(mode, d->external, d->acceleration);
    for (int i = 0; i < n; i++) {
      accelerate_rows(slow->slip[i], d->from, d->acceleration, slow->base, v);
      slow->kappa[i * n + l] = slow->push[l] * across_of(slow->slip[i], v);
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
    rates_of(slow->slip[i], d->from, rate);
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

/* ---- Their directions ---------------------------------------------------------------------------------- */

/* Makes the values of q at the nodes the plans for a motion of LENGTH. False if a slip turns too far. */
static bool set_plans(hn_events *d, double length)
{
  hn_slow_slips *slow = &d->slow;
  const int m = slow->nodes;
  for (int i = 0; i < slow->count; i++) {
    hn_row_force *slip = slow->slip[i];
    slip->terms = m, slip->begin = d->from->time, slip->span = length;
    memset(slip->plan, 0, sizeof slip->plan);
    for (int j = 0; j < m; j++) {
      double part[HN_MAX_PLAN];
      if (!(fabs(slow->q[i * m + j]) <= HN_MAX_TURN)) return false;
      node_polynomial(m, j, part);
      for (int k = 0; k < m; k++) slip->plan[k] += slow->q[i * m + j] * part[k];
    }
  }
  return true;
}

/* Moves to the nodes of a motion of LENGTH. Sets r and the slips along; MOST becomes the largest r. */
static hn_reason find_slips(hn_solver *solver, double length, double *most)
{
  hn_events *d = solver->data;
  hn_slow_slips *slow = &d->slow;
  const int m = slow->nodes;
  *most = 0.0;
  for (int j = 0; j < m; j++) {
    hn_reason reason = hn_events_carry(solver, nodes[m][j] * length);
    if (reason != HN_CONVERGED) return reason;
    for (int i = 0; i < slow->count; i++) {
      double rate[2];
      rates_of(slow->slip[i], d->trial, rate);
      const double along = along_of(slow->slip[i], rate), across = across_of(slow->slip[i], rate);
      slow->forward[i * m + j] = along;
      slow->r[i * m + j] = across - slow->q[i * m + j] * along;
      if (exceeds(fabs(slow->r[i * m + j]), *most)) *most = fabs(slow->r[i * m + j]);
    }
  }
  return HN_CONVERGED;
}

/* Improves q by a step of Newton's method. False if its equations are singular. */
static bool improve(hn_slow_slips *slow, double length)
{
  const int m = slow->nodes, n = slow->count, N = n * m;
  double A[HN_MAX_PLAN][HN_MAX_PLAN] = { { 0 } };
  int sign;
  for (int k = 0; k < m; k++) {
    double part[HN_MAX_PLAN];
    node_polynomial(m, k, part);
    for (int j = 0; j < m; j++) {
      const double c = nodes[m][j];
      for (int p = m; p-- > 0;) A[j][k] = (A[j][k] + part[p] / (p + 1)) * c;
    }
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      for (int l = 0; l < n; l++)
        for (int k = 0; k < m; k++) {
          const double own = i == l && j == k ? fmax(slow->forward[i * m + j], 0.0) + still : 0.0;
          slow->matrix[(i * m + j) * N + l * m + k] = own + length * A[j][k] * slow->kappa[i * n + l];
        }
  gsl_matrix_view matrix = gsl_matrix_view_array(slow->matrix, (size_t)N, (size_t)N);
  gsl_vector_view r = gsl_vector_view_array(slow->r, (size_t)N);
  gsl_permutation order = { .size = (size_t)N, .data = slow->order };
  if (gsl_linalg_LU_decomp(&matrix.matrix, &order, &sign) || gsl_linalg_LU_svx(&matrix.matrix, &order, &r.vector))
    return false;
  for (int i = 0; i < N; i++) slow->q[i] += slow->r[i];
  return true;
}

/* Returns the largest speed of a body at the last event, at least 1 m/s. */
static double speed_of(const hn_state *state)
{
  double most = 1.0;
  for (int i = 0; i < state->nbody; i++)
    most = fmax(most, vec_norm(state->twist[i].v) + vec_norm(state->twist[i].w));
  return most;
}

/* Plans the directions for a motion of LENGTH. DONE: they have been found. */
static hn_reason plan(hn_solver *solver, double length, bool *done)
{
  hn_events *d = solver->data;
  hn_slow_slips *slow = &d->slow;
  const double speed = speed_of(d->from);
  double before = HUGE_VAL, most;
  *done = false;
  memset(slow->q, 0, sizeof *slow->q * (size_t)(slow->count * slow->nodes));
  for (int round = 0; round < MAX_ROUNDS; round++) {
    if (!set_plans(d, length)) return HN_CONVERGED;
    hn_reason reason = find_slips(solver, length, &most);
    if (reason != HN_CONVERGED) return reason;
    *done = most <= found * speed || (!(most < reduced * before) && most <= accepted * speed);
    if (*done || isnan(most) || !improve(slow, length)) return HN_CONVERGED;
    before = most;
  }
  return HN_CONVERGED;
}

/* Returns the largest of the last coefficients of all plans. */
static double last_coefficient(const hn_slow_slips *slow)
{
  double most = 0.0;
  for (int i = 0; i < slow->count; i++) most = fmax(most, fabs(slow->slip[i]->plan[slow->nodes - 1]));
  return most;
}

/* ---- Interface ----------------------------------------------------------------------------------------- */

int hn_slow_slips_setup(hn_events *d, const hn_system *s, hn_error *error)
{
  const size_t blocks = (size_t)s->max_blocks;
  hn_slow_slips *slow = &d->slow;
  return hn_arrays_allocate(&slow->arrays, error, HN_ARRAY(slow->slip, blocks), HN_ARRAY(slow->block, blocks),
                            HN_ARRAY(slow->listed, blocks), HN_ARRAY(slow->push, blocks),
                            HN_ARRAY(slow->gain, blocks), HN_ARRAY(slow->base, s->model->nbody));
}

void hn_slow_slips_free(hn_slow_slips *slow)
{
  hn_arrays_free(&slow->arrays);
  free(slow->memory), free(slow->order);
}

/* Makes room for the equations of slow->count slips. False if out of memory. */
static bool make_room(hn_slow_slips *slow)
{
  const size_t n = (size_t)slow->count, N = n * HN_MAX_PLAN;
  if (slow->count > slow->room) {
    free(slow->memory), free(slow->order);
    slow->memory = malloc(sizeof *slow->memory * (n * n + 3 * N + N * N));
    slow->order = malloc(sizeof *slow->order * N);
    slow->room = slow->memory && slow->order ? slow->count : 0;
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
  int kept = 0, next = 0;
  for (int i = 0; i < n; i++)
    for (int l = 0; slow->listed[i] && l < n; l++)
      if (slow->listed[l]) slow->kappa[next++] = slow->kappa[i * n + l];
  for (int i = 0; i < n; i++)
    if (slow->listed[i]) slow->slip[kept] = slow->slip[i], slow->block[kept++] = slow->block[i];
  slow->count = kept;
}

void hn_slow_slips_find(hn_solver *solver, double *length)
{
  hn_events *d = solver->data;
  hn_slow_slips *slow = &d->slow;
  slow->nodes = count_nodes(hn_solver_order(hn_mode_solver(d->mode)));
  slow->life = HUGE_VAL;
  slow->count = 0;
  if (d->law.leads) return;
  list_candidates(solver, *length);
  if (slow->count == 0) return;
  const bool solvable = slow->count <= MAX_SLIPS && make_room(slow);
  if (!solvable || find_responses(solver) != HN_CONVERGED || !keep_slow(solver, length)) slow->count = 0;
  drop_fast(slow);
}

hn_reason hn_slow_slips_plan(hn_solver *solver, double *length)
{
  hn_events *d = solver->data;
  hn_slow_slips *slow = &d->slow;
  double shorter = *length, before = HUGE_VAL;
  if (slow->count == 0) return HN_CONVERGED;
  for (int i = 0; i < MAX_LENGTHS; i++, shorter *= 0.5) {
    bool done;
    hn_reason reason = plan(solver, shorter, &done);
    if (reason != HN_CONVERGED) return reason;
    if (done && d->follows && i < MAX_LENGTHS - 1) {
      const double last = last_coefficient(slow);
      if (last > resolved && last < reduced * before) done = false;
      before = last;
    }
    for (int k = 0; done && k < slow->count; k++) d->role[slow->block[k]].planned = true;
    if (done) return *length = shorter, HN_CONVERGED;
  }
  for (int i = 0; i < slow->count; i++) {
    slow->slip[i]->terms = 0;
    d->role[slow->block[i]].planned = false;
  }
  slow->count = 0;
  return HN_CONVERGED;
}
