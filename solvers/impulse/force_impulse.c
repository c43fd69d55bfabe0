/* force_impulse.c - forces beside gravity in the impulse methods.
 *
 *   u += h/2 W f(q, u)      at t, explicitly
 *   impulse step
 *   u += h/2 W f(q, u)      at t + h, implicitly: f at the velocities that come out of it
 *
 * The closing kick is the adjoint of the opening one, so the whole step stays symmetric: of order 2, with an error
 * expansion in even powers of h, for forces that depend on velocities too. [SOLVERS, section 3; Hairer, Lubich and
 * Wanner 2006, section II.5]
 *
 * The closing kick is a fixed point u = F(u), solved by Anderson's acceleration: with the changes dr_j of the residual
 * r = F(u) - u from pass to pass, made orthonormal, and the changes dF_j combined alike,
 *
 *   next u = F(u) - sum of dF_j (dr_j . r)
 *
 * which is exact after as many slopes as there are stiff directions, while no force comes to a bend. For bends: where Q
 * only falls with its own rate, r is the downward gradient, in the mass metric and among the velocities that the joints
 * allow, of a convex function (1/2 |u - u_0|^2 less h times the integral of Q over the rates). So where a step does
 * not lead down what is held is forgotten, and one that goes too far, by the sign of r . step at its end, is shortened.
 * [Anderson 1965; Walker and Ni 2011] */
#include "impulse/force_impulse.h"
#include "impulse/correction.h"
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_PASSES = 200, TIRED = 40, MAX_SHORTENED = 20 }; /* passes; of one step */
static const double first_step =
  1e-3; /* of r, in a step that knows no slope: stiff forces run away with more */
static const double enough =
  0.35; /* slope left where a step may end that had been too long, of that at its start */

/* The change of velocities in a pass at which it is the last one, and when TIRED: stiff forces magnify round-off. */
static const double settled = 1e-13, settled_tired = 1e-10;

int hn_kick_setup(hn_solver *solver, hn_kick *kick, hn_error *error)
{
  size_t n = 6 * (size_t)solver->system->model->nbody;
  if (!hn_model_pushes(solver->system->model)) return 0;
  kick->memory = calloc((7 + 2 * HN_KICK_DEPTH) * n, sizeof(double));
  if (!kick->memory) return hn_fail(error, "out of memory");
  double **const part[] = { &kick->before, &kick->last, &kick->now,    &kick->r,
                            &kick->F,      &kick->step, &kick->weight, &kick->held };
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

/* Takes in the changes of r and F since the last pass. Where they add nothing to what is held but a newer slope, as
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

/* From where r is to where the slopes held put the solution; without slopes, or not down, a small step along r. */
static void aim(hn_kick *kick, const double *r, int n)
{
  memcpy(kick->step, r, sizeof *r * (size_t)n);
  for (int j = 0; j < kick->depth; j++) {
    const double *q = kick->held + 2 * j * n, *f = q + n;
    double part = dot(kick, q, r, n);
    for (int i = 0; i < n; i++) kick->step[i] -= part * f[i];
  }
  kick->slope = dot(kick, r, kick->step, n);
  if (kick->depth > 0 && kick->slope > 0.0) return;
  kick->depth = 0;
  for (int i = 0; i < n; i++) kick->step[i] = first_step * r[i];
  kick->slope = dot(kick, r, kick->step, n);
}

/* The step was too long, or has become too short, to where the slope is VALUE: the next part of it, by the Illinois
 * solver. */
static void shorten(hn_kick *kick, double value)
{
  int side = value < 0.0 ? 1 : -1;
  double *other = side > 0 ? &kick->at_low : &kick->at_high;
  if (side > 0) kick->high = kick->part, kick->at_high = value;
  else kick->low = kick->part, kick->at_low = value;
  if (kick->side == side) *other *= 0.5;
  kick->side = side;
  kick->part = kick->low + (kick->high - kick->low) * kick->at_low / (kick->at_low - kick->at_high);
}

/* The next u after r = F - u: another part of the step under way, or a new step from here. */
static void proceed(hn_kick *kick, const double *r, const double *F, int n, double *u)
{
  double slope = kick->started ? dot(kick, r, kick->step, n) : 0.0, left = enough * kick->slope;
  bool far = kick->started && kick->depth > 0 && (slope < -left || (kick->side != 0 && slope > left));
  if (far && kick->shortened++ < MAX_SHORTENED) {
    shorten(kick, slope);
  } else {
    if (kick->started) remember(kick, r, F, n);
    memcpy(kick->r, r, sizeof *r * (size_t)n);
    memcpy(kick->F, F, sizeof *F * (size_t)n);
    aim(kick, r, n);
    kick->started = true;
    kick->low = 0.0, kick->part = 1.0, kick->at_low = kick->slope, kick->side = kick->shortened = 0;
  }
  for (int i = 0; i < n; i++) u[i] = kick->F[i] - kick->r[i] + kick->part * kick->step[i];
}

hn_reason hn_kick_close(hn_solver *solver, hn_kick *kick, hn_state *state, double h, double tolerance,
                        hn_reason (*project)(hn_solver *solver, void *user, hn_state *state), void *user)
{
  const hn_model *model = solver->system->model;
  const int n = 6 * state->nbody;
  const size_t bytes = sizeof(double) * (size_t)n;
  double *F = (double *)state->twist;
  if (!hn_model_pushes(model)) return project(solver, user, state);
  bool use_rates = model->more != NULL;
  for (int i = 0; i < model->nforce; i++) use_rates |= model->force[i].type->uses_rates;
  memcpy(kick->before, F, bytes);
  kick->depth = 0, kick->started = false;
  for (int pass = 0;; pass++) {
    memcpy(kick->last, F, bytes);
    hn_system_forces(solver->system, state, solver->system->wrench);
    memcpy(F, kick->before, bytes);
    hn_system_push(solver->system, state, solver->system->wrench, h, state->twist);
    hn_reason reason = project(solver, user, state);
    if (reason != HN_CONVERGED || (!use_rates && pass == 0)) return reason;
    for (int i = 0; i < n; i++) kick->now[i] = F[i] - kick->last[i];
    double moved = relative(kick->now, F, n);
    if (moved <= fmax(pass < TIRED ? settled : settled_tired, tolerance)) return HN_CONVERGED;
    if (pass == MAX_PASSES || !(moved < HUGE_RESIDUAL))
      return hn_step_stalled(solver, "velocity-dependent forces at the end of the step", -1, moved, pass);
    proceed(kick, kick->now, F, n, F);
  }
}
