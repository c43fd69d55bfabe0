/* force_impulse.c - forces beside gravity in the impulse solvers.
 *
 *   u += h/2 W f(q, u)      at t, explicit
 *   impulse step
 *   u += h/2 W f(q, u)      at t + h, implicit: f at the resulting velocities
 *
 * The closing kick is the adjoint of the opening one, so the whole step is symmetric: of order 2, with an
 * error expansion in even powers of h, also for forces that depend on velocities. [METHODS, section 3;
 * Hairer, Lubich and Wanner 2006, section II.5]
 *
 * The closing kick is a fixed point u = F(u), solved with Anderson's acceleration. With the changes dr_j of
 * the residual r = F(u) - u from pass to pass, made orthonormal, and the changes dF_j of F combined in the
 * same way,
 *
 *   next u = F(u) - sum of dF_j (dr_j . r)
 *
 * This is exact after as many columns as there are stiff directions, as long as f is linear. Products are in
 * the metric of masses. (contact/anderson.h accelerates by normal equations, without a line search: other
 * bits.)
 *
 * Forces may have kinks, such as limits. Where the power of the generalised forces Q only falls with their
 * rates, r is the negative gradient of a convex function, in the metric of masses and among the velocities
 * that the joints allow: 1/2 |u - u_0|^2 less h times the integral of Q over the rates. So a step that is not
 * a descent direction discards the columns, and a step that is too long, by the sign of r . step at its end,
 * is shortened (Illinois method). [Anderson 1965; Walker and Ni 2011] */
#include "impulse/force_impulse.h"
#include "impulse/correction.h"
#include "base/vec.h"
#include "registry/solver_arrays.h"

#include <string.h>

/* Passes at most; passes after which the tolerance is the late one; fractions of one step at most. */
enum { MAX_PASSES = 200, LATE_PASS = 40, MAX_SHORTENED = 20 };
/* Part of r that a step without columns covers: stiff forces amplify a longer one. */
static const double plain_step = 1e-3;
/* Slope at which a line search ends, relative to that at the start of the step. */
static const double slope_tolerance = 0.35;
/* Relative change of the velocities in the last pass: close to round-off, which stiff forces amplify in late
 * passes. */
static const double change_tolerance = 1e-13, late_tolerance = 1e-10;
/* Part of dr_j that must remain after orthogonalisation, for a column that is independent of the others. */
static const double min_independent = 1e-6;

int hn_kick_setup(hn_solver *solver, hn_kick *kick, hn_error *error)
{
  size_t n = 6 * (size_t)solver->system->model->nbody;
  if (!hn_model_has_forces(solver->system->model)) return 0;
  if (hn_solver_allocate(solver, error, HN_ARRAY(kick->initial, n), HN_ARRAY(kick->last, n),
                         HN_ARRAY(kick->residual, n), HN_ARRAY(kick->r, n), HN_ARRAY(kick->F, n),
                         HN_ARRAY(kick->step, n), HN_ARRAY(kick->weight, n),
                         HN_ARRAY(kick->columns, 2 * HN_KICK_DEPTH * n)))
    return -1;
  for (size_t i = 0; i < n; i++) {
    const hn_body *body = &solver->system->model->body[i / 6];
    kick->weight[i] = i % 6 < 3 ? body->mass : fmax(fmax(body->J[0], body->J[1]), body->J[2]);
  }
  return 0;
}

void hn_kick_open(hn_solver *solver, hn_state *state, double h)
{
  hn_system_kick(solver->system, state, h, state->twist);
}

/* ---- The fixed point u = F(u) -------------------------------------------------------------------------- */

/* Product in the metric of masses, with the largest moment of inertia of each body: F contracts almost evenly
 * in it. */
static double dot(const hn_kick *kick, const double *a, const double *b, int n)
{
  double sum = 0.0;
  for (int i = 0; i < n; i++) sum += kick->weight[i] * a[i] * b[i];
  return sum;
}

/* Returns the largest component of R relative to the largest of U, at least 1. */
static double relative_size(const double *r, const double *u, int n)
{
  double largest = 0.0, scale = 1.0;
  for (int i = 0; i < n; i++) {
    if (exceeds(fabs(r[i]), largest)) largest = fabs(r[i]);
    if (exceeds(fabs(u[i]), scale)) scale = fabs(u[i]);
  }
  return largest / scale;
}

/* Makes DR orthonormal to the columns and combines DF in the same way; false if DR depends on the columns. */
static bool orthonormalise(const hn_kick *kick, double *dr, double *df, int n)
{
  double norm = sqrt(dot(kick, dr, dr, n));
  for (int j = 0; j < kick->depth; j++) {
    const double *q = kick->columns + 2 * j * n, *f = q + n;
    double part = dot(kick, q, dr, n);
    for (int i = 0; i < n; i++) dr[i] -= part * q[i], df[i] -= part * f[i];
  }
  double length = sqrt(dot(kick, dr, dr, n));
  for (int i = 0; i < n && length > 0.0; i++) dr[i] /= length, df[i] /= length;
  return length > min_independent * norm;
}

/* Adds the changes of r and F since the last step to the columns. A change that depends on the columns
 * replaces them all: the slope is a new one, as beyond the kink of a force at its limit. */
static void add_column(hn_kick *kick, const double *r, const double *F, int n)
{
  if (kick->depth == HN_KICK_DEPTH) kick->depth = 0;
  for (bool again = false;; again = true) {
    double *dr = kick->columns + 2 * kick->depth * n, *df = dr + n;
    for (int i = 0; i < n; i++) dr[i] = r[i] - kick->r[i], df[i] = F[i] - kick->F[i];
    bool independent = orthonormalise(kick, dr, df, n);
    kick->depth = independent ? kick->depth + 1 : again ? kick->depth : 0;
    if (independent || again) return;
  }
}

/* Sets the step from u to the solution according to the columns; without them, or if that is no descent
 * direction, a small step along r. */
static void set_step(hn_kick *kick, const double *r, int n)
{
  memcpy(kick->step, r, sizeof *r * (size_t)n);
  for (int j = 0; j < kick->depth; j++) {
    const double *q = kick->columns + 2 * j * n, *f = q + n;
    double part = dot(kick, q, r, n);
    for (int i = 0; i < n; i++) kick->step[i] -= part * f[i];
  }
  kick->slope = dot(kick, r, kick->step, n);
  if (kick->depth > 0 && kick->slope > 0.0) return;
  kick->depth = 0;
  for (int i = 0; i < n; i++) kick->step[i] = plain_step * r[i];
  kick->slope = dot(kick, r, kick->step, n);
}

/* Sets the next fraction of a step that was too long or too short, by the Illinois method. VALUE: slope at
 * its end. */
static void shorten(hn_kick *kick, double value)
{
  int side = value < 0.0 ? 1 : -1;
  double *other = side > 0 ? &kick->slope_low : &kick->slope_high;
  if (side > 0) kick->high = kick->fraction, kick->slope_high = value;
  else kick->low = kick->fraction, kick->slope_low = value;
  if (kick->side == side) *other *= 0.5;
  kick->side = side;
  kick->fraction = kick->low +
                   (kick->high - kick->low) * kick->slope_low / (kick->slope_low - kick->slope_high);
}

/* Computes the next u[n] from F and r = F - u: another fraction of the current step, or a new step from
 * here. */
static void proceed(hn_kick *kick, const double *r, const double *F, int n, double *u)
{
  double slope = kick->has_step ? dot(kick, r, kick->step, n) : 0.0,
         tolerance = slope_tolerance * kick->slope;
  bool search = kick->has_step && kick->depth > 0 &&
                (slope < -tolerance || (kick->side != 0 && slope > tolerance));
  if (search && kick->shortened++ < MAX_SHORTENED) {
    shorten(kick, slope);
  } else {
    if (kick->has_step) add_column(kick, r, F, n);
    memcpy(kick->r, r, sizeof *r * (size_t)n);
    memcpy(kick->F, F, sizeof *F * (size_t)n);
    set_step(kick, r, n);
    kick->has_step = true;
    kick->low = 0.0, kick->fraction = 1.0, kick->slope_low = kick->slope, kick->side = kick->shortened = 0;
  }
  for (int i = 0; i < n; i++) u[i] = kick->F[i] - kick->r[i] + kick->fraction * kick->step[i];
}

hn_reason hn_kick_close(hn_solver *solver, hn_kick *kick, hn_state *state, double h, double tolerance,
                        hn_reason (*project)(hn_solver *solver, void *user, hn_state *state), void *user)
{
  const hn_model *model = solver->system->model;
  const int n = 6 * state->nbody;
  const size_t bytes = sizeof(double) * (size_t)n;
  double *F = (double *)state->twist;
  if (!hn_model_has_forces(model)) return project(solver, user, state);
  bool use_rates = model->compliant || model->more;
  for (int i = 0; i < model->nforce; i++) use_rates |= model->force[i].type->uses_rates;
  memcpy(kick->initial, F, bytes);
  kick->depth = 0, kick->has_step = false;
  for (int pass = 0;; pass++) {
    /* F(u): the forces at u, and the joints */
    memcpy(kick->last, F, bytes);
    memcpy(kick->residual, kick->initial, bytes);
    hn_system_kick(solver->system, state, h, (hn_twist *)kick->residual);
    memcpy(F, kick->residual, bytes);
    hn_reason reason = project(solver, user, state);
    if (reason != HN_CONVERGED || (!use_rates && pass == 0)) return reason;
    /* the residual, and the next u */
    for (int i = 0; i < n; i++) kick->residual[i] = F[i] - kick->last[i];
    double change = relative_size(kick->residual, F, n);
    if (change <= fmax(pass < LATE_PASS ? change_tolerance : late_tolerance, tolerance)) return HN_CONVERGED;
    if (pass == MAX_PASSES || !(change < HUGE_RESIDUAL))
      return hn_step_stalled(solver, "velocity-dependent forces at the end of the step", -1, change, pass);
    proceed(kick, kick->residual, F, n, F);
  }
}
