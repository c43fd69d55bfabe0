/* discrete_motion.c - residuals of the discrete equations of energy-momentum (energy_momentum.c). */
#include "energy_momentum/discrete_motion.h"
#include "energy_momentum/discrete.h"
#include "base/rates.h"
#include "base/vec.h"
#include "impulse/correction.h"

#include <string.h>

double *hn_em_displacement(double *z, int i)
{
  return z + 6 * i;
}

double *hn_em_multipliers(const hn_energy_momentum *d, double *z)
{
  return z + 6 * (size_t)d->start->nbody;
}

/* Computes the orientations at the end and halfway. */
static void rotate(const double theta[3], const double q0[4], double q1[4], double middle[4])
{
  const double turn[4] = { 1.0, 0.5 * theta[0], 0.5 * theta[1], 0.5 * theta[2] };
  quat_mul(q1, turn, q0);
  quat_normalise(q1);
  for (int i = 0; i < 4; i++) middle[i] = q0[i] + q1[i];
  quat_normalise(middle);
}

/* Computes the poses at the end and in the middle, and the mean velocities, from Z. */
static void move(hn_solver *solver, double *z)
{
  hn_energy_momentum *d = solver->data;
  hn_system *s = solver->system;
  for (int i = 0; i < d->start->nbody; i++) {
    const double *D = hn_em_displacement(z, i), *x0 = d->start->pose[i].x;
    vec_add(d->end->pose[i].x, x0, D);
    vec_along(d->middle->pose[i].x, x0, 0.5, D);
    vec_scale(d->middle->twist[i].v, 1.0 / d->h, D);
    vec_scale(d->middle->twist[i].w, 1.0 / d->h, D + 3);
  }
  for (int k = 0; k < s->nrotating; k++) {
    const int i = s->rotating[k];
    rotate(hn_em_displacement(z, i) + 3, d->start->pose[i].q, d->end->pose[i].q, d->middle->pose[i].q);
  }
  s->work.flights += (uint64_t)d->start->nbody - 1;
}

/* Adds the joint forces of LAMBDA to the wrenches. */
static void add_joint_forces(const hn_system *s, const double *G, const double *lambda, double *wrench)
{
  for (const hn_block *block = s->block; block < s->block + s->nblock; block++) {
    const double *G_a = G + 12 * block->row, *G_b = G_a + 6 * block->n;
    for (int c = 0; c < 6; c++)
      for (int r = 0; r < block->n; r++) {
        wrench[6 * block->a + c] += G_a[c * block->n + r] * lambda[block->row + r];
        wrench[6 * block->b + c] += G_b[c * block->n + r] * lambda[block->row + r];
      }
  }
}

/* Computes the mean of all forces over the step into d->wrench. */
static void compute_forces(hn_solver *solver, double *z)
{
  hn_energy_momentum *d = solver->data;
  hn_system *s = solver->system;
  const hn_step_motion motion = { .h = d->h, .start = d->start, .end = d->end, .middle = d->middle };
  for (const hn_block *block = s->block; block < s->block + s->nblock; block++)
    hn_discrete_jacobian(block->joint, &motion, d->G + 12 * block->row,
                         d->G + 12 * block->row + 6 * block->n);
  s->work.jacobians += (uint64_t)s->nblock;
  hn_discrete_forces(s->model, &motion, d->wrench, &s->work);
  add_joint_forces(s, d->G, hn_em_multipliers(d, z), d->wrench);
}

void hn_angular_momentum(const hn_body *body, const double q[4], const double W[3], double L[3])
{
  double L_b[3];
  for (int k = 0; k < 3; k++) L_b[k] = body->J[k] * W[k];
  quat_rotate(L, q, L_b);
}

void hn_angular_velocity(const hn_body *body, const double q[4], const double L[3], double w[3])
{
  double L_b[3];
  quat_unrotate(L_b, q, L);
  for (int k = 0; k < 3; k++) L_b[k] *= body->inv_J[k];
  quat_rotate(w, q, L_b);
}

/* Computes the residual of the angular momentum of a rigid body, in the unit of theta. */
static void rotation_residual(const hn_energy_momentum *d, const hn_body *body, int i, const double theta[3],
                              double rho[3])
{
  const double *q0 = d->start->pose[i].q;
  double W0[3], W1[3], turn[3], L0[3], L1[3];
  quat_unrotate(W0, q0, d->start->twist[i].w);
  quat_unrotate(turn, q0, theta);
  for (int k = 0; k < 3; k++) W1[k] = 2.0 * turn[k] / d->h - W0[k];
  hn_angular_momentum(body, q0, W0, L0);
  hn_angular_momentum(body, d->end->pose[i].q, W1, L1);
  vec_sub(L1, L1, L0);
  vec_add_scaled(L1, -d->h, d->wrench + 6 * i + 3);
  hn_angular_velocity(body, q0, L1, rho);
  vec_scale(rho, 0.5 * d->h, rho);
}

/* Computes the residuals of the momenta into F. */
static void momentum_residuals(hn_solver *solver, double *z, double *F)
{
  hn_energy_momentum *d = solver->data;
  const double h = d->h;
  memset(F, 0, sizeof *F * 6 * (size_t)d->start->nbody);
  for (int i = 0; i < d->start->nbody; i++) {
    const hn_body *body = &solver->system->model->body[i];
    double *rho = hn_em_displacement(F, i);
    if (body->kind == HN_FIXED) continue;
    vec_along(rho, hn_em_displacement(z, i), -h, d->start->twist[i].v);
    for (int k = 0; k < 3; k++)
      rho[k] -= 0.5 * h * h * (body->gravity[k] + body->inv_mass * d->wrench[6 * i + k]);
    if (body->kind == HN_RIGID) rotation_residual(d, body, i, hn_em_displacement(z, i) + 3, rho + 3);
  }
}

/* Computes the residual G Delta + h bias of block K of velocities into e[n]; returns its norm. */
static double velocity_residual(hn_solver *solver, const hn_block *block, double *e)
{
  const hn_energy_momentum *d = solver->data;
  const hn_state *m = d->middle;
  const double *G_a = d->G + 12 * block->row;
  block->joint->type->eval(block->joint, m->time, &m->pose[block->a], &m->twist[block->a], &m->pose[block->b],
                           &m->twist[block->b], &(hn_rows){ .bias = e });
  if (block->joint->input >= 0) e[0] -= m->input[block->joint->input];
  hn_add_rates(block->n, G_a, &m->twist[block->a], G_a + 6 * block->n, &m->twist[block->b], e);
  for (int r = 0; r < block->n; r++) e[r] *= d->h;
  return norm_of(e, block->n);
}

double hn_em_residuals(hn_solver *solver, double *z, double *F, int *worst)
{
  hn_energy_momentum *d = solver->data;
  hn_system *s = solver->system;
  double *e = hn_em_multipliers(d, F);
  move(solver, z);
  compute_forces(solver, z);
  momentum_residuals(solver, z, F);
  double largest = hn_system_residual(s, d->end, worst);
  memcpy(e, s->g, sizeof *e * (size_t)s->nrow);
  for (int k = 0; k < s->nblock && s->model->needs & HN_CAN_VELOCITY; k++) {
    if (!s->block[k].joint->type->velocity) continue;
    double norm = velocity_residual(solver, &s->block[k], e + s->block[k].row);
    if (exceeds(norm, largest)) largest = norm, *worst = k;
  }
  return largest;
}
