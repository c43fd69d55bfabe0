/* linearise.c - the linearised motion on the manifold of the joints (linearise.h).
 *
 * The motion of the bodies near a state (q, u), with displacements d = (dx, turn) and changes of velocity e:
 *
 *   dx' = e_v,   turn' = e_w + w x turn,   e' = A_q d + A_u e
 *
 * A_q and A_u are derivatives of the constrained accelerations a(q, u), which contain the joint forces: with
 * them come the geometric stiffness of G' lambda, the gyroscopic terms and the derivatives of all forces. The
 * tangent space of the states that meet the joints is
 *
 *   d = S Z_q xi,   e = S Z_v nu + c(xi),    G c = -(d(G u + bias) / dq) d,   c = W G' p
 *
 * and xi = Z_q' S^-1 d, nu = Z_v' S^-1 e are its coordinates. Derivatives are central differences of steps
 * E and 2 E, combined to the order E^4. [schiehlen2014] */
#include "analysis/linearise.h"
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

static const double relative_noise = 1e-11, speed_noise = 2e-12; /* of entries of the matrix */
static const double step = 5e-4; /* of a difference: rad, and m relative to the size of the mechanism */

int hn_linearisation_create(hn_linearisation *l, const hn_model *model, const hn_state *state,
                            hn_error *error)
{
  const size_t bodies = (size_t)model->nbody;
  *l = (hn_linearisation){ .model = model };
  if (hn_model_freedoms(model) > HN_MAX_ANALYSED)
    return hn_fail(error, "the bodies have %d degrees of freedom; the maximum of this analysis is %d",
                   hn_model_freedoms(model), HN_MAX_ANALYSED);
  if (hn_manifold_create(&l->manifold, model, error)) return -1;
  l->state = hn_state_duplicate(state), l->moved = hn_state_duplicate(state);
  l->acceleration = calloc(bodies, sizeof *l->acceleration), l->trial = calloc(bodies, sizeof *l->trial);
  l->direction = calloc(bodies, sizeof *l->direction), l->change = calloc(bodies, sizeof *l->change);
  l->lambda = calloc((size_t)model->nrow + 1, sizeof *l->lambda);
  l->sum = calloc(12 * bodies, sizeof *l->sum);
  if (!l->state || !l->moved || !l->acceleration || !l->trial || !l->direction || !l->change || !l->lambda ||
      !l->sum)
    return hn_fail(error, "out of memory");
  l->size = fmax(hn_model_size(model, state), 1e-12);
  if (hn_tangent_create(&l->tangent, &l->manifold, state, error)) return -1;
  const hn_reason reason = hn_manifold_accelerate(&l->manifold, l->state, l->acceleration, l->lambda);
  return reason == HN_CONVERGED ? 0
                                : hn_fail(error, "accelerations at the state: %s", hn_reason_name(reason));
}

void hn_linearisation_free(hn_linearisation *l)
{
  hn_tangent_free(&l->tangent);
  hn_manifold_free(&l->manifold);
  hn_state_free(l->state), hn_state_free(l->moved);
  free(l->acceleration), free(l->trial), free(l->direction), free(l->change), free(l->lambda), free(l->sum);
  *l = (hn_linearisation){ .model = NULL };
}

double hn_largest_twist(const hn_twist *u, int count)
{
  double largest = 0.0;
  for (int i = 0; i < count; i++) largest = fmax(largest, fmax(vec_norm(u[i].v), vec_norm(u[i].w)));
  return largest;
}

/* Sets l->moved to the state, displaced by E l->direction and with velocities changed by E l->change. */
static void move(hn_linearisation *l, double e)
{
  hn_state_copy(l->moved, l->state);
  hn_system_move(l->manifold.system, l->direction, e, l->moved);
  for (int i = 0; i < l->model->nbody; i++) {
    vec_add_scaled(l->moved->twist[i].v, e, l->change[i].v);
    vec_add_scaled(l->moved->twist[i].w, e, l->change[i].w);
  }
}

/* Returns the length of a step along l->direction and l->change. */
static double step_along(const hn_linearisation *l)
{
  double d = 0.0, e = 0.0;
  for (int i = 0; i < l->model->nbody; i++) {
    d = fmax(d, fmax(vec_norm(l->direction[i].v) / l->size, vec_norm(l->direction[i].w)));
    e = fmax(e, fmax(vec_norm(l->change[i].v) / l->size, vec_norm(l->change[i].w)));
  }
  return d > 0.0 ? step / d : step / fmax(e, 1e-300);
}

/* l->change := c, the change of velocities that keeps G u + bias on the displacement l->direction. */
static hn_reason follow_joints(hn_linearisation *l)
{
  hn_system *s = l->manifold.system;
  const size_t rows = (size_t)s->nrow;
  hn_state motion = { .nbody = l->model->nbody, .twist = l->change };
  double *p = l->lambda, *v = l->manifold.p;
  memset(l->change, 0, sizeof *l->change * (size_t)l->model->nbody);
  memset(p, 0, sizeof *p * rows);
  hn_manifold_hold(&l->manifold, true);
  const double e = step_along(l), weight[] = { 8.0 / 12.0, -1.0 / 12.0 };
  for (int k = 0; k < 2; k++)
    for (int sign = -1; sign <= 1; sign += 2) {
      move(l, sign * (k + 1) * e);
      hn_system_jacobian(s, l->moved);
      hn_system_velocity_residual(s, l->moved, v, NULL);
      for (size_t i = 0; i < rows; i++) p[i] -= sign * weight[k] / e * v[i];
    }
  hn_reason reason = hn_manifold_factor(&l->manifold, l->state);
  if (reason == HN_CONVERGED) reason = hn_system_solve(s, p, p);
  if (reason == HN_CONVERGED) hn_system_apply(s, p, 1.0, &motion);
  return reason;
}

/* Adds WEIGHT a(moved) to the accelerations in OUT. */
static hn_reason add_acceleration(hn_linearisation *l, double weight, hn_twist *out)
{
  const hn_reason reason = hn_manifold_accelerate(&l->manifold, l->moved, l->trial, l->lambda);
  for (int i = 0; i < l->model->nbody; i++) {
    vec_add_scaled(out[i].v, weight, l->trial[i].v);
    vec_add_scaled(out[i].w, weight, l->trial[i].w);
  }
  return reason;
}

/* Computes the derivative of the accelerations along l->direction and l->change in OUT[nbody]. */
static hn_reason differentiate(hn_linearisation *l, hn_twist *out)
{
  const double e = step_along(l), weight[] = { 8.0 / 12.0, -1.0 / 12.0 };
  hn_reason reason = HN_CONVERGED;
  memset(out, 0, sizeof *out * (size_t)l->model->nbody);
  for (int k = 0; k < 2; k++)
    for (int sign = -1; sign <= 1 && reason == HN_CONVERGED; sign += 2) {
      move(l, sign * (k + 1) * e);
      reason = add_acceleration(l, sign * weight[k] / e, out);
    }
  return reason;
}

/* Stores column J of A: the rates of xi and nu along l->direction and l->change. */
static hn_reason store_column(hn_linearisation *l, int j, double *A)
{
  const hn_tangent *t = &l->tangent;
  const int size = t->positions + t->velocities;
  hn_twist *rate = l->trial;
  for (int i = 0; i < l->model->nbody; i++) {
    double turn[3];
    vec_cross(turn, l->state->twist[i].w, l->direction[i].w);
    vec_copy(rate[i].v, l->change[i].v), vec_add(rate[i].w, l->change[i].w, turn);
  }
  for (int i = 0; i < t->positions; i++)
    A[i * size + j] = hn_tangent_dot(t, l->model, l->state, t->Zq + i * t->n, rate);
  hn_twist *derivative = l->acceleration;
  const hn_reason reason = differentiate(l, derivative);
  for (int i = 0; i < t->velocities; i++)
    A[(t->positions + i) * size + j] = hn_tangent_dot(t, l->model, l->state, t->Zv + i * t->n, derivative);
  return reason;
}

/* Sets the entries of the block of A from (ROW, COLUMN) to before (ROW_END, COLUMN_END) that differences
 * cannot resolve to 0. Rounding grows with LEAST. */
static void remove_noise(double *A, int size, int row, int row_end, int column, int column_end, double least)
{
  double largest = 0.0;
  for (int i = row; i < row_end; i++)
    for (int j = column; j < column_end; j++) largest = fmax(largest, fabs(A[i * size + j]));
  for (int i = row; i < row_end; i++)
    for (int j = column; j < column_end; j++)
      if (fabs(A[i * size + j]) <= relative_noise * largest + speed_noise * least) A[i * size + j] = 0.0;
}

/* Removes it from the four blocks of A. */
static void clean(const hn_tangent *t, double speed, double *A)
{
  const int f = t->positions, size = f + t->velocities;
  remove_noise(A, size, 0, f, 0, f, speed), remove_noise(A, size, 0, f, f, size, 1.0);
  remove_noise(A, size, f, size, 0, f, speed * speed), remove_noise(A, size, f, size, f, size, speed);
}

int hn_linearisation_matrix(hn_linearisation *l, double *A, hn_error *error)
{
  const hn_tangent *t = &l->tangent;
  const size_t bytes = sizeof(hn_twist) * (size_t)l->model->nbody;
  hn_reason reason = HN_CONVERGED;
  for (int j = 0; j < t->positions && reason == HN_CONVERGED; j++) {
    hn_tangent_twist(t, l->model, l->state, t->Zq + j * t->n, l->direction);
    reason = follow_joints(l);
    if (reason == HN_CONVERGED) reason = store_column(l, j, A);
  }
  memset(l->direction, 0, bytes);
  for (int j = 0; j < t->velocities && reason == HN_CONVERGED; j++) {
    hn_tangent_twist(t, l->model, l->state, t->Zv + j * t->n, l->change);
    reason = store_column(l, t->positions + j, A);
  }
  clean(t, hn_largest_twist(l->state->twist, l->model->nbody), A);
  return reason == HN_CONVERGED ? 0
                                : hn_fail(error, "accelerations near the state: %s", hn_reason_name(reason));
}
