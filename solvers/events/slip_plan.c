/* slip_plan.c - directions of slow slips as polynomials in time, found by collocation (slow_slip.h).
 *
 * Where a slip begins, friction turns it without bound, although the motion is smooth: with u = t w(t), w is
 * a power series. An explicit inner solver amplifies rounding across the slip there, and loses its order. So
 * a slow slip has a planned direction, along + q(t) across, normalised. Friction is then a smooth force for
 * any inner solver. The values of q at the nodes of a Radau IIA method make the slip parallel to friction
 * there:
 *
 *   r_ij = across . u_i(t_j) - q_ij along . u_i(t_j) = 0      contact i, node j
 *
 * u(t_j) are ends of motions from the last event, by the inner solver. Newton's method with
 *
 *   -dr_ij / dq_lm = along . u_i(t_j) delta_il delta_jm + s A_jm kappa_il
 *
 * converges in two to four rounds; A is the matrix of the Radau method. A direction that does not turn is
 * found in the first one. Transverse slips are damped as by that method, which is stable for any rate of
 * turning. Order in the directions: at least the number of nodes + 1, and up to 2 nodes - 1 where friction
 * turns them slowly. Cost: a motion for every node and round. [Hairer and Wanner, Solving Ordinary
 * Differential Equations II, IV.5] */
#include "events/events.h"
#include "base/vec.h"

#include <math.h>
#include <string.h>

enum { MAX_ROUNDS = 12, MAX_LENGTHS = 12 };
/* m/s, relative to the speeds of the bodies, at least 1 m/s: transverse slips that are found to be zero; and
 * those that are accepted if the inner solver has larger errors of its own */
static const double found = 2e-15, accepted = 1e-9;
static const double reduced = 0.25; /* least reduction of transverse slips in a round */
/* largest last coefficient of a plan for inner solvers that control their error */
static const double resolved = 1e-9;
/* Plans are made shorter for such inner solvers only if all slips end faster than this, relative to `rest`:
 * below it, roles begin with the direction of accelerations. */
static const double far_from_rest = 1000.0;
static const double still = 1e-12; /* m/s: slips that make the equations for q singular */

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
    hn_reason reason = slow->carry(solver, nodes[m][j] * length);
    if (reason != HN_CONVERGED) return reason;
    for (int i = 0; i < slow->count; i++) {
      double rate[2];
      hn_slip_rates(slow->slip[i], d->trial, rate);
      const double along = hn_slip_along(slow->slip[i], rate), across = hn_slip_across(slow->slip[i], rate);
      slow->forward[i * m + j] = along;
      slow->r[i * m + j] = across - slow->q[i * m + j] * along;
      if (exceeds(fabs(slow->r[i * m + j]), *most)) *most = fabs(slow->r[i * m + j]);
    }
  }
  return HN_CONVERGED;
}

/* Solves A x = B for B[n] by elimination with row exchanges, which overwrites A[n][n]. False if it is
 * singular. */
static bool eliminate(double *A, int n, double *b)
{
  for (int k = 0; k < n; k++) {
    int best = k;
    for (int i = k + 1; i < n; i++)
      if (fabs(A[i * n + k]) > fabs(A[best * n + k])) best = i;
    if (!(fabs(A[best * n + k]) > 0.0)) return false;
    for (int j = k; j < n && best != k; j++) {
      const double held = A[k * n + j];
      A[k * n + j] = A[best * n + j], A[best * n + j] = held;
    }
    const double held = b[k];
    b[k] = b[best], b[best] = held;
    for (int i = k + 1; i < n; i++) {
      const double part = A[i * n + k] / A[k * n + k];
      for (int j = k + 1; j < n && part != 0.0; j++) A[i * n + j] -= part * A[k * n + j];
      b[i] -= part * b[k];
    }
  }
  for (int k = n - 1; k >= 0; k--) {
    for (int j = k + 1; j < n; j++) b[k] -= A[k * n + j] * b[j];
    b[k] /= A[k * n + k];
  }
  return true;
}

/* Improves q by a step of Newton's method. False if its equations are singular. */
static bool improve(hn_slow_slips *slow, double length)
{
  const int m = slow->nodes, n = slow->count, N = n * m;
  double A[HN_MAX_PLAN][HN_MAX_PLAN] = { { 0 } };
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
  if (!eliminate(slow->matrix, N, slow->r)) return false;
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

/* Returns the smallest slip at the end of the plans, m/s. */
static double slowest_end(const hn_slow_slips *slow)
{
  const int m = slow->nodes;
  double least = HUGE_VAL;
  for (int i = 0; i < slow->count; i++) least = fmin(least, fabs(slow->forward[i * m + m - 1]));
  return least;
}

/* Returns the largest of the last coefficients of all plans. */
static double last_coefficient(const hn_slow_slips *slow)
{
  double most = 0.0;
  for (int i = 0; i < slow->count; i++) most = fmax(most, fabs(slow->slip[i]->plan[slow->nodes - 1]));
  return most;
}

hn_reason hn_slow_slips_plan(hn_solver *solver, double *length)
{
  hn_events *d = solver->data;
  hn_slow_slips *slow = &d->slow;
  double shorter = *length, before = HUGE_VAL;
  if (slow->count == 0) return HN_CONVERGED;
  slow->nodes = count_nodes(hn_solver_order(hn_mode_solver(d->mode)));
  for (int i = 0; i < MAX_LENGTHS; i++, shorter *= 0.5) {
    bool done;
    hn_reason reason = plan(solver, shorter, &done);
    if (reason != HN_CONVERGED) return reason;
    if (done && d->follows && i < MAX_LENGTHS - 1) {
      const double last = last_coefficient(slow);
      const bool moves = slowest_end(slow) > far_from_rest * d->limits.rate;
      if (moves && last > resolved && last < reduced * before) done = false;
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
