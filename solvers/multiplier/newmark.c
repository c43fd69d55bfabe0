/* newmark.c - a step of the Newmark family on the group R^3 x SO(3) of each body (newmark.h).
 *
 * [newmark1959; chung1993; bruls2010] */
#include "multiplier/newmark.h"
#include "multiplier/lie_group.h"
#include "base/vec.h"
#include "registry/solver_arrays.h"

#include <string.h>

int hn_newmark_setup(hn_solver *solver, hn_newmark *n, size_t extra, hn_error *error)
{
  const size_t bodies = (size_t)solver->system->model->nbody, rows = (size_t)solver->system->model->nrow;
  n->memory_size = (13 + 2 * 6) * bodies + rows + extra;
  if (hn_solver_allocate(solver, error, HN_STATE(n->start), HN_STATE(n->trial), HN_ARRAY(n->u0, bodies),
                         HN_ARRAY(n->u1, bodies), HN_ARRAY(n->rate0, bodies), HN_ARRAY(n->a0, bodies),
                         HN_ARRAY(n->D, bodies), HN_ARRAY(n->D_known, bodies), HN_ARRAY(n->u_known, bodies),
                         HN_ARRAY(n->a_known, bodies), HN_ARRAY(n->right, bodies), HN_ARRAY(n->p, rows),
                         HN_ARRAY(n->memory, n->memory_size)))
    return -1;
  n->last = n->memory;
  n->rate = (hn_twist *)(n->last + 13 * bodies);
  n->a = n->rate + bodies;
  n->lambda = (double *)(n->a + bodies);
  n->extra = n->lambda + rows;
  return 0;
}

void hn_newmark_reset(hn_newmark *n)
{
  memset(n->memory, 0, sizeof *n->memory * n->memory_size); /* no pose is all zeros */
}

void *hn_newmark_memory(const hn_newmark *n, size_t *size)
{
  *size = sizeof *n->memory * n->memory_size;
  return n->memory;
}

/* Computes out += s a. */
static void add_scaled(hn_twist *out, double s, const hn_twist *a)
{
  vec_add_scaled(out->v, s, a->v);
  vec_add_scaled(out->w, s, a->w);
}

/* Converts twists to body axes: angular parts are rotated, linear parts stay in world axes. */
static void to_body(const hn_state *at, const hn_twist *world, hn_twist *body)
{
  for (int i = 0; i < at->nbody; i++) {
    vec_copy(body[i].v, world[i].v);
    quat_unrotate(body[i].w, at->pose[i].q, world[i].w);
  }
}

bool hn_newmark_begin(hn_newmark *n, const hn_state *state)
{
  const size_t bodies = (size_t)state->nbody;
  hn_state_copy(n->start, state);
  hn_state_copy(n->trial, state);
  to_body(state, state->twist, n->u0);
  return memcmp(state->pose, n->last, sizeof *n->last * 13 * bodies) == 0;
}

void hn_newmark_set_accelerations(hn_newmark *n)
{
  to_body(n->trial, n->right, n->rate);
  memcpy(n->a, n->rate, sizeof *n->a * (size_t)n->trial->nbody);
}

void hn_newmark_predict(hn_newmark *n, double h)
{
  const hn_newmark_scheme *c = &n->scheme;
  const size_t bodies = (size_t)n->trial->nbody;
  const double rest = 1.0 / (1.0 - c->alpha_m);
  memcpy(n->rate0, n->rate, sizeof *n->rate * bodies);
  memcpy(n->a0, n->a, sizeof *n->a * bodies);
  for (size_t i = 0; i < bodies; i++) {
    hn_twist *a = &n->a_known[i], *D = &n->D_known[i], *u = &n->u_known[i];
    *a = *D = (hn_twist){ { 0 }, { 0 } }, *u = n->u0[i];
    add_scaled(a, c->alpha_f * rest, &n->rate0[i]);
    add_scaled(a, -c->alpha_m * rest, &n->a0[i]);
    add_scaled(D, h, u);
    add_scaled(D, h * h * c->position[0], &n->a0[i]);
    add_scaled(D, h * h * c->position[1], a);
    add_scaled(u, h * c->velocity[0], &n->a0[i]);
    add_scaled(u, h * c->velocity[1], a);
  }
}

/* Returns da_1 / du'_1. */
static double share(const hn_newmark *n)
{
  return (1.0 - n->scheme.alpha_f) / (1.0 - n->scheme.alpha_m);
}

double hn_newmark_moves(const hn_newmark *n, double h)
{
  return h * h * n->scheme.position[1] * share(n);
}

double hn_newmark_speeds(const hn_newmark *n, double h)
{
  return h * n->scheme.velocity[1] * share(n);
}

void hn_newmark_advance(hn_solver *solver, hn_newmark *n, double h)
{
  const double moves = hn_newmark_moves(n, h), speeds = hn_newmark_speeds(n, h);
  for (int i = 0; i < n->trial->nbody; i++) {
    n->D[i] = n->D_known[i], n->u1[i] = n->u_known[i];
    add_scaled(&n->D[i], moves, &n->rate[i]);
    add_scaled(&n->u1[i], speeds, &n->rate[i]);
  }
  hn_group_move(solver->system, n->start, n->D, n->u1, n->trial);
  n->trial->time = n->start->time + h;
}

/* Returns the larger of LARGEST and the norms of the two parts of a twist, all squared. */
static double largest_square(const hn_twist *u, double largest)
{
  const double v = vec_dot(u->v, u->v), w = vec_dot(u->w, u->w);
  if (exceeds(v, largest)) largest = v;
  return exceeds(w, largest) ? w : largest;
}

double hn_newmark_defect(hn_solver *solver, hn_newmark *n)
{
  hn_system *s = solver->system;
  hn_state motion = { .nbody = n->trial->nbody, .twist = n->right };
  double largest = 0.0;
  hn_system_free_acceleration(s, n->trial, n->right);
  hn_system_apply(s, n->lambda, 1.0, &motion);
  for (int i = 0; i < n->trial->nbody; i++) {
    double world[3];
    quat_rotate(world, n->trial->pose[i].q, n->rate[i].w);
    vec_sub(n->right[i].v, n->right[i].v, n->rate[i].v);
    vec_sub(n->right[i].w, n->right[i].w, world);
    largest = largest_square(&n->right[i], largest);
  }
  hn_system_velocity_residual(s, &motion, n->p, NULL);
  for (int i = 0; i < s->model->nrow; i++) n->p[i] -= s->bias[i];
  return sqrt(largest);
}

double hn_newmark_correct(hn_solver *solver, hn_newmark *n)
{
  hn_state motion = { .nbody = n->trial->nbody, .twist = n->right };
  double largest = 0.0;
  hn_system_apply(solver->system, n->p, 1.0, &motion);
  for (int i = 0; i < solver->system->model->nrow; i++) n->lambda[i] += n->p[i];
  for (int i = 0; i < n->trial->nbody; i++) {
    double body_axes[3];
    quat_unrotate(body_axes, n->trial->pose[i].q, n->right[i].w);
    vec_add(n->rate[i].v, n->rate[i].v, n->right[i].v);
    vec_add(n->rate[i].w, n->rate[i].w, body_axes);
    largest = largest_square(&n->right[i], largest);
  }
  return sqrt(largest);
}

void hn_newmark_end(hn_newmark *n, hn_state *state)
{
  const double time = n->start->time;
  for (int i = 0; i < state->nbody; i++) {
    n->a[i] = n->a_known[i];
    add_scaled(&n->a[i], share(n), &n->rate[i]);
  }
  hn_state_copy(state, n->trial);
  memcpy(n->last, state->pose, sizeof *n->last * 13 * (size_t)state->nbody);
  state->time = time;
}
