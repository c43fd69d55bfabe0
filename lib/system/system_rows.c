/* system_rows.c - the rows of a system: residuals, Jacobians and W G', velocities, and impulses. */
#include "base/lane.h"
#include "base/rates.h"
#include "base/responses.h"
#include "base/vec.h"
#include "system/contact_blocks.h"
#include "system/contact_slip.h"

#include <string.h>

static inline void eval(const hn_block *block, const hn_state *state, const hn_rows *out)
{
  block->joint->type->eval(block->joint, state->time, &state->pose[block->a], &state->twist[block->a],
                           &state->pose[block->b], &state->twist[block->b], out);
}

/* Subtracts the motor speed set by the control inputs. */
static inline void subtract_input(const hn_block *block, const hn_state *state, double *bias)
{
  if (block->joint->input >= 0) bias[0] -= state->input[block->joint->input];
}

void hn_system_hold(hn_system *s, int row, bool held)
{
  if (s->parts->held[row] == held) return;
  s->parts->held[row] = held;
  s->parts->nreleased += held ? -1 : 1;
  s->parts->factored = false;
}

bool hn_system_is_held(const hn_system *s, int row)
{
  return s->parts->held[row];
}

void hn_system_hold_all(hn_system *s)
{
  for (int i = 0; i < s->nrow && s->parts->nreleased > 0; i++) hn_system_hold(s, i, true);
}

/* Returns the norm of the held rows of a block. */
static inline double norm_of_held(const hn_system *s, const hn_block *block, const double *x)
{
  double held[HN_MAX_ROWS];
  int n = 0;
  if (s->parts->nreleased == 0) return norm_of(x, block->n);
  for (int r = 0; r < block->n; r++)
    if (s->parts->held[block->row + r]) held[n++] = x[r];
  return norm_of(held, n);
}

/* ---- Residuals ---------------------------------------------------------------------------------------- */

static inline double residual_of(hn_system *s, const hn_block *block, const hn_state *state, double *g)
{
  eval(block, state, &(hn_rows){ .g = g });
  return norm_of_held(s, block, g);
}

double hn_system_block_residual(hn_system *s, int k, const hn_state *state, double *g)
{
  s->work.residuals++;
  return residual_of(s, &s->block[k], state, g);
}

static inline void update_largest(double norm, int k, double *largest, int *worst)
{
  if (!exceeds(norm, *largest)) return;
  *largest = norm;
  if (worst) *worst = k;
}

double hn_system_residual(hn_system *s, const hn_state *state, int *worst)
{
  double largest = 0.0;
  if (worst) *worst = -1;
  for (int k = 0; k < s->nblock; k++)
    update_largest(residual_of(s, &s->block[k], state, s->g + s->block[k].row), k, &largest, worst);
  s->work.residuals += (uint64_t)s->nblock;
  return largest;
}

double hn_system_violation(hn_system *s, const hn_state *state, int *worst)
{
  double largest = 0.0;
  if (worst) *worst = -1;
  for (int k = 0; k < s->nblock; k++) {
    const hn_block *block = &s->block[k];
    double *g = s->g + block->row;
    eval(block, state, &(hn_rows){ .g = g });
    const hn_set_kind kind = block->joint->set->kind;
    double norm = kind == HN_PUSH || kind == HN_CONE ? fmax(-g[0], 0.0) : norm_of(g, block->n);
    update_largest(norm, k, &largest, worst);
  }
  s->work.residuals += (uint64_t)s->nblock;
  return largest;
}

/* v += G u + bias of a block at STATE, with a Jacobian evaluated here. */
static void add_rates_at(const hn_block *block, const hn_state *state, double *v)
{
  double G_a[6 * HN_MAX_ROWS], G_b[6 * HN_MAX_ROWS], rate[HN_MAX_ROWS];
  eval(block, state, &(hn_rows){ .G_a = G_a, .G_b = G_b, .bias = rate });
  subtract_input(block, state, rate);
  hn_add_rates(block->n, G_a, &state->twist[block->a], G_b, &state->twist[block->b], rate);
  for (int r = 0; r < block->n; r++) v[r] += rate[r];
}

double hn_system_block_step_residual(hn_system *s, int k, const hn_state *from, const hn_state *to, double h,
                                     double *g)
{
  const hn_block *block = &s->block[k];
  if (!block->joint->type->velocity) {
    s->work.residuals++;
    if (block->joint->set->kind != HN_CONE) return residual_of(s, block, to, g);
    eval(block, to, &(hn_rows){ .g = g });
    hn_contact_slip(block, from, to, h, g + 1);
    return norm_of_held(s, block, g);
  }
  hn_system_block_velocity(s, k, from, g);
  add_rates_at(block, to, g);
  s->work.jacobians++;
  for (int r = 0; r < block->n; r++) g[r] *= 0.5 * h;
  return norm_of_held(s, block, g);
}

double hn_system_step_residual(hn_system *s, const hn_state *from, const hn_state *to, double h, int *worst)
{
  double largest = 0.0;
  if (!(s->model->needs & (HN_CAN_VELOCITY | HN_CAN_CONE))) return hn_system_residual(s, to, worst);
  if (worst) *worst = -1;
  for (int k = 0; k < s->nblock; k++)
    update_largest(hn_system_block_step_residual(s, k, from, to, h, s->g + s->block[k].row), k, &largest,
                   worst);
  return largest;
}

/* ---- Jacobians ---------------------------------------------------------------------------------------- */

/* Computes the inverse inertia of a rigid body in world axes. */
static inline void rotate_inertia(hn_system *s, int body, const hn_state *state)
{
  double R[9];
  quat_matrix(R, state->pose[body].q);
  mat_congruence(s->parts->inv_inertia + 9 * body, R, s->model->body[body].inv_J);
}

/* Computes the responses T of a block, both sides, from its Jacobian. The inverse inertias must be up to
 * date. */
static inline void compute_responses(const hn_system *s, const hn_block *block, double *T)
{
  const int n = block->n;
  const double *G = s->G + 12 * block->row;
  for (int side = 0; side < 2; side++) {
    const int body = side ? block->b : block->a;
    const hn_body *of = &s->model->body[body];
    hn_responses(n, of->kind != HN_FIXED, of->inv_mass, s->parts->inv_inertia + 9 * body, G + 6 * n * side,
                 T + 6 * n * side);
  }
}

/* Returns the responses T of a block: the stored ones, or computed into ROOM. */
static inline const double *responses_of(const hn_system *s, const hn_block *block, double *room)
{
  if (!s->parts->omits_responses) return s->T + 12 * block->row;
  compute_responses(s, block, room);
  return room;
}

void hn_system_omit_responses(hn_system *s)
{
  s->parts->omits_responses = true;
}

void hn_system_store_responses(hn_system *s)
{
  for (const hn_block *block = s->block; block < s->block + s->nblock; block++)
    compute_responses(s, block, s->T + 12 * block->row);
}

/* Evaluates G, T and bias of a block, and its residual into g unless that is NULL. The inverse inertias must
 * be up to date. */
static inline void fill_jacobian(hn_system *s, const hn_block *block, const hn_state *state, double *g)
{
  int n = block->n;
  double *Ga = s->G + 12 * block->row, *bias = s->bias + block->row;
  const bool is_contact = block - s->block >= s->model->njoint; /* their bias stays 0 */
  eval(block, state, &(hn_rows){ .g = g, .G_a = Ga, .G_b = Ga + 6 * n, .bias = is_contact ? NULL : bias });
  if (!is_contact) subtract_input(block, state, bias);
  if (!s->parts->omits_responses) compute_responses(s, block, s->T + 12 * block->row);
}

void hn_system_jacobian(hn_system *s, const hn_state *state)
{
  for (int k = 0; k < s->nrotating; k++) rotate_inertia(s, s->rotating[k], state);
  for (int k = 0; k < s->nblock; k++) fill_jacobian(s, &s->block[k], state, NULL);
  s->work.jacobians += (uint64_t)s->nblock;
  s->parts->factored = false;
}

void hn_system_linearise(hn_system *s, const hn_state *state)
{
  for (int k = 0; k < s->nrotating; k++) rotate_inertia(s, s->rotating[k], state);
  for (int k = 0; k < s->nblock; k++) fill_jacobian(s, &s->block[k], state, s->g + s->block[k].row);
  s->work.jacobians += (uint64_t)s->nblock, s->work.residuals += (uint64_t)s->nblock;
  s->parts->factored = false;
}

void hn_system_block_jacobian(hn_system *s, int k, const hn_state *state)
{
  const hn_block *block = &s->block[k];
  if (s->model->body[block->a].kind == HN_RIGID) rotate_inertia(s, block->a, state);
  if (s->model->body[block->b].kind == HN_RIGID) rotate_inertia(s, block->b, state);
  fill_jacobian(s, block, state, NULL);
  s->work.jacobians++;
  s->parts->factored = false;
}

void hn_system_jacobian_into(hn_system *s, const hn_state *state, double *G)
{
  for (int k = 0; k < s->nblock; k++) {
    double *Ga = G + 12 * s->block[k].row;
    eval(&s->block[k], state, &(hn_rows){ .G_a = Ga, .G_b = Ga + 6 * s->block[k].n });
  }
  s->work.jacobians += (uint64_t)s->nblock;
}

void hn_system_bias(hn_system *s, const hn_state *state)
{
  for (const hn_block *block = s->block; block < s->block + s->nblock; block++) {
    if (!(block->joint->type->keys & HN_KEY_MOTION) && block->joint->input < 0) continue;
    eval(block, state, &(hn_rows){ .bias = s->bias + block->row });
    subtract_input(block, state, s->bias + block->row);
    s->work.residuals++;
  }
}

void hn_system_gamma(hn_system *s, const hn_state *state)
{
  for (int k = 0; k < s->nblock; k++)
    eval(&s->block[k], state, &(hn_rows){ .gamma = s->gamma + s->block[k].row });
  s->work.residuals += (uint64_t)s->nblock;
}

/* ---- Velocities --------------------------------------------------------------------------------------- */

/* out += G u for one side. */
void hn_system_block_gamma(hn_system *s, int k, const hn_state *state)
{
  eval(&s->block[k], state, &(hn_rows){ .gamma = s->gamma + s->block[k].row });
  s->work.residuals++;
}

static inline void add_rate(int n, const double *G, const hn_twist *u, double *out)
{
  for (int c = 0; c < 3; c++)
    for (int r = 0; r < n; r++) out[r] += G[c * n + r] * u->v[c] + G[(3 + c) * n + r] * u->w[c];
}

static inline double velocity_of(const hn_system *s, const hn_block *block, const hn_state *state, int n,
                                 bool less_target, double *v)
{
  const double *G = s->G + 12 * block->row;
  double rate[HN_MAX_ROWS]; /* local, so that the compiler need not assume aliasing */
  for (int r = 0; r < n; r++) rate[r] = s->bias[block->row + r];
  add_rate(n, G, &state->twist[block->a], rate);
  add_rate(n, G + 6 * n, &state->twist[block->b], rate);
  if (less_target)
    for (int r = 0; r < n; r++) rate[r] -= s->parts->target[block->row + r];
  for (int r = 0; r < n; r++) v[r] = rate[r];
  return norm_of_held(s, block, rate);
}

static inline double block_velocity(const hn_system *s, const hn_block *block, const hn_state *state,
                                    bool less_target, double *v)
{
  switch (block->n) { /* constants for the compiler */
  case 1: return velocity_of(s, block, state, 1, less_target, v);
  case 2: return velocity_of(s, block, state, 2, less_target, v);
  case 3: return velocity_of(s, block, state, 3, less_target, v);
  case 4: return velocity_of(s, block, state, 4, less_target, v);
  case 5: return velocity_of(s, block, state, 5, less_target, v);
  default: return velocity_of(s, block, state, 6, less_target, v);
  }
}

double hn_system_block_velocity(hn_system *s, int k, const hn_state *state, double *v)
{
  s->work.velocity_residuals++;
  return block_velocity(s, &s->block[k], state, s->parts->ntarget > 0, v);
}

void hn_system_block_rates(hn_system *s, int k, const hn_state *state, double *v)
{
  s->work.velocity_residuals++;
  block_velocity(s, &s->block[k], state, false, v);
}

double hn_system_velocity_residual(hn_system *s, const hn_state *state, double *v, int *worst)
{
  double largest = 0.0;
  if (worst) *worst = -1;
  for (int k = 0; k < s->nblock; k++)
    update_largest(block_velocity(s, &s->block[k], state, s->parts->ntarget > 0, v + s->block[k].row), k,
                   &largest, worst);
  s->work.velocity_residuals += (uint64_t)s->nblock;
  return largest;
}

/* ---- Impulses ----------------------------------------------------------------------------------------- */

/* u += scale T' p for one side. The rows of T are responses to unit impulses; they and the twist are
 * processed in pairs of numbers. */
static inline void add_impulse(int n, const double *T, const double *p, double scale, hn_twist *u)
{
  double *number = (double *)u;
  lane sum[3];
  for (int i = 0; i < 3; i++) sum[i] = lane_load(number + 2 * i);
  for (int r = 0; r < n; r++) {
    const double size = scale * p[r];
    for (int i = 0; i < 3; i++) sum[i] += lane_load(T + 6 * r + 2 * i) * size;
  }
  for (int i = 0; i < 3; i++) lane_store(number + 2 * i, sum[i]);
}

static inline void apply_both(const hn_system *s, const hn_block *block, int n, const double *p, double scale,
                              hn_state *state)
{
  double room[12 * HN_MAX_ROWS];
  const double *T = responses_of(s, block, room);
  add_impulse(n, T, p, scale, &state->twist[block->a]);
  add_impulse(n, T + 6 * n, p, scale, &state->twist[block->b]);
}

static inline void apply_block(const hn_system *s, const hn_block *block, const double *p, double scale,
                               hn_state *state)
{
  switch (block->n) { /* constants for the compiler */
  case 1: apply_both(s, block, 1, p, scale, state); break;
  case 2: apply_both(s, block, 2, p, scale, state); break;
  case 3: apply_both(s, block, 3, p, scale, state); break;
  case 4: apply_both(s, block, 4, p, scale, state); break;
  case 5: apply_both(s, block, 5, p, scale, state); break;
  default: apply_both(s, block, 6, p, scale, state);
  }
}

void hn_system_block_apply(hn_system *s, int k, const double *p, hn_state *state)
{
  s->work.impulses++;
  apply_block(s, &s->block[k], p, 1.0, state);
}

void hn_system_apply(hn_system *s, const double *p, double scale, hn_state *state)
{
  s->work.impulses += (uint64_t)s->nblock;
  for (int k = 0; k < s->nblock; k++) apply_block(s, &s->block[k], p + s->block[k].row, scale, state);
}

void hn_system_move(const hn_system *s, const hn_twist *displacement, double scale, hn_state *state)
{
  for (int i = 0; i < state->nbody; i++) {
    const hn_twist *d = &displacement[i];
    const double half = 0.5 * scale, turn[4] = { 1.0, half * d->w[0], half * d->w[1], half * d->w[2] };
    if (s->model->body[i].kind == HN_FIXED) continue;
    vec_add_scaled(state->pose[i].x, scale, d->v);
    if (s->model->body[i].kind != HN_RIGID) continue;
    quat_mul(state->pose[i].q, turn, state->pose[i].q);
    quat_normalise(state->pose[i].q);
  }
}

void hn_system_displace(hn_system *s, const double *p, double scale, hn_state *work, hn_state *state)
{
  memset(work->twist, 0, sizeof *work->twist * (size_t)state->nbody);
  hn_system_apply(s, p, scale, work);
  hn_system_move(s, work->twist, 1.0, state);
}

void hn_system_block_diagonal(const hn_system *s, int k, double *K)
{
  const hn_block *block = &s->block[k];
  double room[12 * HN_MAX_ROWS];
  const double *G = s->G + 12 * block->row, *T = responses_of(s, block, room);
  int n = block->n;
  for (int r = 0; r < n; r++)
    for (int c = 0; c < n; c++) {
      double sum = 0.0;
      for (int side = 0; side < 2; side++)
        for (int i = 0; i < 6; i++) sum += G[(6 * side + i) * n + r] * T[6 * (side * n + c) + i];
      K[r * n + c] = sum;
    }
}
