/* kick.c - forces beside gravity in the impulse methods.
 *
 *   u += h/2 W f(q, u)      at t, explicitly
 *   impulse step
 *   u += h/2 W f(q, u)      at t + h, implicitly: f at the velocities that come out of it
 *
 * The closing kick is the adjoint of the opening one, so the whole step stays symmetric: of order 2, with an error
 * expansion in even powers of h, for forces that depend on velocities too. [METHODS, section 3; Hairer, Lubich and
 * Wanner 2006, section II.5]
 *
 * The closing kick is a fixed point u = F(u). Plain iteration contracts by h/2 times the rate of the damping, and runs
 * away above 1; where it leaves more than a tenth of its residual r = F(u) - u in a pass, Anderson's acceleration goes
 * on. A small step along r shows a slope; with the differences dr_j, dF_j from the base u, the dr_j made orthonormal
 * and the dF_j combined alike,
 *
 *   next u = F(u) - sum of dF_j (dr_j . r)
 *
 * which is exact after as many slopes as there are stiff directions, while no force comes to a bend. For bends: where Q
 * only falls with its own rate, r is the downward gradient, in the mass metric and among the velocities that the joints
 * allow, of a convex function (1/2 |u - u_0|^2 less h times the integral of Q over the rates). So a step that leads
 * down is taken; where r . step has changed its sign at its end, up to where that vanishes. One that does not is
 * replaced by r.
 * [Anderson 1965; Walker and Ni 2011] */
#include "part/kick.h"
#include "part/correction.h"
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_PASSES = 200, TIRED = 40 }; /* passes */
static const double slow = 0.1;        /* part of the residual that plain iteration may leave in a pass */

/* The change of velocities in a pass at which it is the last one: plain, accelerated (stiff forces magnify round-off),
 * and when TIRED. */
static const double settled[] = { 1e-15, 1e-13, 1e-10 };

int hn_kick_setup(hn_solver *solver, hn_kick *kick, hn_error *error)
{
  size_t n = 6 * (size_t)solver->system->model->nbody;
  if (solver->system->model->nforce == 0) return 0;
  kick->memory = calloc((7 + 2 * HN_KICK_DEPTH) * n, sizeof(double));
  if (!kick->memory) return hn_fail(error, "out of memory");
  double **const part[] = { &kick->before, &kick->last, &kick->now, &kick->r, &kick->F, &kick->step, &kick->weight,
                            &kick->held };
  for (size_t i = 0; i < sizeof part / sizeof *part; i++) *part[i] = kick->memory + i * n;
  for (size_t i = 0; i < n; i++) {
    const hn_body *body = &solver->system->model->body[i / 6];
    kick->weight[i] = i % 6 < 3 ? body->mass : fmax(fmax(body->J[0], body->J[1]), body->J[2]);
  }
  return 0;
}

void hn_kick_free(hn_kick *kick)
{
  free(kick->memory);
}

void hn_kick_open(hn_solver *solver, hn_state *state, double h)
{
  hn_system_kick(solver->system, state, h, state->twist);
}

/* ---- The fixed point u = F(u) ------------------------------------------------------------------------------------ */

/* In the metric of masses, in which F contracts evenly, or nearly: a body counts with its largest moment of inertia. */
static double dot(const hn_kick *kick, const double *a, const double *b, int n)
{
  double sum = 0.0;
  for (int i = 0; i < n; i++) sum += kick->weight[i] * a[i] * b[i];
  return sum;
}

/* Largest component of R, relative to 1 and the largest of U. */
static double relative(const double *r, const double *u, int n)
{
  double largest = 0.0, scale = 1.0;
  for (int i = 0; i < n; i++) {
    if (exceeds(fabs(r[i]), largest)) largest = fabs(r[i]);
    if (exceeds(fabs(u[i]), scale)) scale = fabs(u[i]);
  }
  return largest / scale;
}

/* Makes DR orthonormal to those held and combines DF alike; false when nothing of DR is left. */
static bool orthonormalise(const hn_kick *kick, double *dr, double *df, int n)
{
  double whole = sqrt(dot(kick, dr, dr, n));
  for (int j = 0; j < kick->depth; j++) {
    const double *q = kick->held + 2 * j * n, *f = q + n;
    double part = dot(kick, q, dr, n);
    for (int i = 0; i < n; i++) dr[i] -= part * q[i], df[i] -= part * f[i];
  }
  double length = sqrt(dot(kick, dr, dr, n));
  for (int i = 0; i < n && length > 0.0; i++) dr[i] /= length, df[i] /= length;
  return length > 1e-6 * whole;
}

/* Takes in the differences of r and F from the base. Where they add nothing to what is held but a newer slope, as
 * beyond the bend of a force at its limit, they alone are kept. */
static void remember(hn_kick *kick, const double *r, const double *F, int n)
{
  if (kick->depth == HN_KICK_DEPTH) kick->depth = 0;
  for (bool again = false;; again = true) {
    double *dr = kick->held + 2 * kick->depth * n, *df = dr + n;
    for (int i = 0; i < n; i++) dr[i] = r[i] - kick->r[i], df[i] = F[i] - kick->F[i];
    bool fresh = orthonormalise(kick, dr, df, n);
    kick->depth = fresh ? kick->depth + 1 : again ? kick->depth : 0;
    if (fresh || again) return;
  }
}

static void take_base(hn_kick *kick, const double *r, const double *F, int n)
{
  memcpy(kick->r, r, sizeof *r * (size_t)n);
  memcpy(kick->F, F, sizeof *F * (size_t)n);
  kick->size = sqrt(dot(kick, r, r, n));
}

/* From the base to where the slopes held put the solution. */
static void aim(hn_kick *kick, int n)
{
  memcpy(kick->step, kick->r, sizeof *kick->r * (size_t)n);
  for (int j = 0; j < kick->depth; j++) {
    const double *q = kick->held + 2 * j * n, *f = q + n;
    double part = dot(kick, q, kick->r, n);
    for (int i = 0; i < n; i++) kick->step[i] -= part * f[i];
  }
  kick->low = 0.0, kick->high = HUGE_VAL, kick->side = 0;
  kick->at_base = dot(kick, kick->r, kick->step, n);
  if (!(kick->at_base > 0.0)) { /* not down: what is held is of another place */
    kick->depth = 0;
    memcpy(kick->step, kick->r, sizeof *kick->r * (size_t)n);
    kick->at_base = kick->size * kick->size;
  }
  kick->at_low = kick->at_base;
  kick->part = 1.0;
}

/* The step was too long, to where the residual along it is VALUE: the next part of it, by the Illinois method. */
static void shorten(hn_kick *kick, double value)
{
  int side = value * kick->at_base < 0.0 ? 1 : -1;
  double *other = side > 0 ? &kick->at_low : &kick->at_high;
  if (side > 0) kick->high = kick->part, kick->at_high = value;
  else kick->low = kick->part, kick->at_low = value;
  if (kick->side == side) *other *= 0.5;
  kick->side = side;
  kick->part = kick->low + (kick->high - kick->low) * kick->at_low / (kick->at_low - kick->at_high);
}

/* The next u after r = F - u: where to, by the phase of the iteration. */
static void proceed(hn_kick *kick, const double *r, const double *F, int n, double *u)
{
  double size = sqrt(dot(kick, r, r, n));
  bool good = size <= 0.5 * kick->size, better = size < kick->size;
  double along = kick->phase == HN_KICK_TRIAL ? dot(kick, r, kick->step, n) : 0.0;
  bool beyond = along * kick->at_base < 0.0; /* the solution along the step has been passed */
  bool close = kick->phase == HN_KICK_TRIAL &&
               (kick->side == 0 ? !beyond : fabs(along) <= 0.1 * fabs(kick->at_base));
  if (kick->phase == HN_KICK_PLAIN && !(size <= slow * kick->size)) {
    kick->phase = HN_KICK_PROBE, kick->depth = 0;
    if (better) take_base(kick, r, F, n);
  } else if (kick->phase == HN_KICK_PROBE) {
    remember(kick, r, F, n);
    aim(kick, n);
    kick->phase = HN_KICK_TRIAL, kick->probed = true;
  } else if (kick->phase == HN_KICK_TRIAL && kick->probed && !good && !close && (kick->side != 0 || !better)) {
    shorten(kick, along);
  } else {
    bool trial = kick->phase == HN_KICK_TRIAL;
    if (trial && good) remember(kick, r, F, n);
    if (better || close) take_base(kick, r, F, n), kick->probed = false;
    if (trial && good) aim(kick, n);
    else if (trial) kick->phase = HN_KICK_PROBE;
  }
  const double probe = 1e-3;
  double part = kick->phase == HN_KICK_PROBE ? probe : kick->part;
  const double *step = kick->phase == HN_KICK_TRIAL ? kick->step : kick->r;
  for (int i = 0; i < n; i++) u[i] = kick->phase == HN_KICK_PLAIN ? F[i] : kick->F[i] - kick->r[i] + part * step[i];
}

static void begin(hn_kick *kick)
{
  kick->phase = HN_KICK_PLAIN;
  kick->size = HUGE_VAL;
  kick->depth = 0;
}

hn_reason hn_kick_close(hn_solver *solver, hn_kick *kick, hn_state *state, double h, double tolerance,
                        hn_reason (*project)(hn_solver *solver, void *user, hn_state *state), void *user)
{
  const hn_model *model = solver->system->model;
  const int n = 6 * state->nbody;
  const size_t bytes = sizeof(double) * (size_t)n;
  double *F = (double *)state->twist;
  if (model->nforce == 0) return project(solver, user, state);
  bool use_rates = false;
  for (int i = 0; i < model->nforce; i++) use_rates |= model->force[i].type->uses_rates;
  memcpy(kick->before, F, bytes);
  begin(kick);
  for (int pass = 0;; pass++) {
    memcpy(kick->last, F, bytes);
    hn_system_forces(solver->system, state, solver->system->wrench);
    memcpy(F, kick->before, bytes);
    hn_system_push(solver->system, state, h, state->twist);
    hn_reason reason = project(solver, user, state);
    if (reason != HN_CONVERGED || (!use_rates && pass == 0)) return reason;
    for (int i = 0; i < n; i++) kick->now[i] = F[i] - kick->last[i];
    double moved = relative(kick->now, F, n);
    double least = settled[pass >= TIRED ? 2 : kick->phase != HN_KICK_PLAIN];
    if (moved <= fmax(least, tolerance)) return HN_CONVERGED;
    if (pass == MAX_PASSES || !(moved < HUGE_RESIDUAL))
      return hn_step_failed(solver, HN_STALLED, "velocity-dependent forces at the end of the step", -1, moved);
    proceed(kick, kick->now, F, n, F);
  }
}
