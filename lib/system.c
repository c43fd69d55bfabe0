/* system.c - the one door between methods and physics: flights, rows, W G', K, and the counters of work. */
#include "flight.h"
#include "linear_redundant.h"
#include "quiet.h"
#include "vec.h"

#include <stdlib.h>
#include <string.h>

static double *numbers(int count)
{
  return calloc((size_t)count + 1, sizeof(double));
}

static void list_rotating(hn_system *system)
{
  for (int i = 0; i < system->model->nbody; i++)
    if (system->model->body[i].kind == HN_RIGID) system->rotating[system->nrotating++] = i;
}

hn_system *hn_system_create(const hn_model *model, hn_error *error)
{
  hn_system *s = calloc(1, sizeof *s);
  if (!s) {
    hn_fail(error, "out of memory");
    return NULL;
  }
  s->model = model;
  s->g = numbers(model->nrow);
  s->G = numbers(12 * model->nrow);
  s->T = numbers(12 * model->nrow);
  s->bias = numbers(model->nrow);
  s->gamma = numbers(model->nrow);
  s->inv_inertia = numbers(9 * model->nbody);
  if (model->nlimit > 0) {
    s->off = calloc((size_t)model->njoint, sizeof *s->off);
    for (int j = 0; j < model->njoint && s->off; j++) s->off[j] = model->joint[j].type->one_sided;
  }
  s->wrench = numbers(model->nforce > 0 ? 6 * model->nbody : 0);
  s->rotating = calloc((size_t)model->nbody, sizeof *s->rotating);
  if (s->g && s->G && s->T && s->bias && s->gamma && s->inv_inertia && s->wrench && s->rotating &&
      (s->off || model->nlimit == 0)) {
    list_rotating(s);
    return s;
  }
  hn_system_free(s);
  hn_fail(error, "out of memory");
  return NULL;
}

void hn_system_free(hn_system *s)
{
  if (!s) return;
  hn_linear_free(s->linear);
  free(s->flight);
  free(s->g), free(s->G), free(s->T), free(s->bias), free(s->gamma);
  free(s->inv_inertia), free(s->wrench), free(s->rotating), free(s->off);
  free(s);
}

/* ---- Free flight ------------------------------------------------------------------------------------------------- */

int hn_system_use_flight(hn_system *s, const hn_flight_options *options, hn_error *error)
{
  static hn_rotate *const rotate[] = { hn_rotate_rk4, hn_rotate_taylor, hn_rotate_exact };
  hn_quiet_gsl();
  free(s->flight);
  s->flight = malloc(sizeof *s->flight);
  if (!s->flight) return hn_fail(error, "out of memory");
  *s->flight = (hn_flight){ .options = *options, .rotate = rotate[options->kind] };
  return 0;
}

/* x and v under gravity; q and w are copied, for the bodies that do not turn. */
static inline void translate(const hn_model *model, int i, double h, const hn_state *from, hn_state *to)
{
  to->pose[i] = from->pose[i];
  to->twist[i] = from->twist[i];
  if (model->body[i].kind == HN_FIXED) return;
  for (int k = 0; k < 3; k++) {
    double dv = h * model->body[i].gravity[k];
    to->pose[i].x[k] += h * (from->twist[i].v[k] + 0.5 * dv);
    to->twist[i].v[k] += dv;
  }
}

void hn_system_flight(hn_system *s, const hn_state *from, double h, hn_state *to)
{
  to->time = from->time + h;
  memcpy(to->input, from->input, sizeof *to->input * (size_t)from->ninput);
  for (int i = 0; i < s->model->nbody; i++) translate(s->model, i, h, from, to);
  s->flight->rotate(s->flight, s->model->body, s->rotating, s->nrotating, h, from->pose, from->twist, to->pose,
                    to->twist);
  s->work.flights += (uint64_t)s->model->nbody - 1;
}

void hn_system_flight_of(hn_system *s, const int *bodies, int count, const hn_state *from, double h, hn_state *to)
{
  enum { BATCH = 16 };
  int turning[BATCH], n = 0;
  for (int k = 0; k < count; k++) {
    translate(s->model, bodies[k], h, from, to);
    if (s->model->body[bodies[k]].kind == HN_RIGID) turning[n++] = bodies[k];
    if (n == BATCH || (n > 0 && k == count - 1)) {
      s->flight->rotate(s->flight, s->model->body, turning, n, h, from->pose, from->twist, to->pose, to->twist);
      n = 0;
    }
  }
  s->work.flights += (uint64_t)count;
}

/* ---- Rows -------------------------------------------------------------------------------------------------------- */

static inline void eval(const hn_joint *joint, const hn_state *state, const hn_rows *out)
{
  joint->type->eval(joint, state->time, &state->pose[joint->a], &state->twist[joint->a], &state->pose[joint->b],
                    &state->twist[joint->b], out);
}

void hn_system_switch(hn_system *s, int joint, bool on)
{
  s->off[joint] = !on;
}

static inline bool is_off(const hn_system *s, int joint)
{
  return s->off && s->off[joint];
}

double hn_system_joint_residual(hn_system *s, int j, const hn_state *state, double *g)
{
  const hn_joint *joint = &s->model->joint[j];
  eval(joint, state, &(hn_rows){ .g = g });
  s->work.residuals++;
  if (is_off(s, j)) {
    g[0] = fmin(g[0], 0.0);
    return 0.0;
  }
  return norm_of(g, joint->type->rows);
}

double hn_system_residual(hn_system *s, const hn_state *state, int *worst)
{
  double largest = 0.0;
  if (worst) *worst = -1;
  for (int j = 0; j < s->model->njoint; j++) {
    double norm = hn_system_joint_residual(s, j, state, s->g + s->model->joint[j].row);
    if (!exceeds(norm, largest)) continue;
    largest = norm;
    if (worst) *worst = j;
  }
  return largest;
}

/* Inverse inertia of a rotating body in world axes. */
static inline void turn_inertia(hn_system *s, int body, const hn_state *state)
{
  double R[9];
  quat_matrix(R, state->pose[body].q);
  mat_congruence(s->inv_inertia + 9 * body, R, s->model->body[body].inv_J);
}

/* Row r of T: W times row r of G. N is a constant where this is inlined. */
static inline void weigh(int n, double inv_mass, const double W[9], const double *G, double *T)
{
  const double *A = G + 3 * n;
  for (int r = 0; r < n; r++)
    for (int i = 0; i < 3; i++) {
      T[6 * r + i] = inv_mass * G[i * n + r];
      T[6 * r + 3 + i] = W[3 * i] * A[r] + W[3 * i + 1] * A[n + r] + W[3 * i + 2] * A[2 * n + r];
    }
}

static void weigh_side(hn_system *s, int body, int n, const double *G, double *T)
{
  const double *W = s->inv_inertia + 9 * body, inv_mass = s->model->body[body].inv_mass;
  if (s->model->body[body].kind == HN_FIXED) return; /* T stays zero */
  switch (n) { /* constants for the compiler */
  case 1: weigh(1, inv_mass, W, G, T); break;
  case 2: weigh(2, inv_mass, W, G, T); break;
  case 3: weigh(3, inv_mass, W, G, T); break;
  case 4: weigh(4, inv_mass, W, G, T); break;
  case 5: weigh(5, inv_mass, W, G, T); break;
  default: weigh(6, inv_mass, W, G, T);
  }
}

/* The inverse inertias of its bodies are in place. */
static inline void fill_jacobian(hn_system *s, const hn_joint *joint, const hn_state *state)
{
  int n = joint->type->rows;
  double *Ga = s->G + 12 * joint->row, *Ta = s->T + 12 * joint->row;
  eval(joint, state, &(hn_rows){ .G_a = Ga, .G_b = Ga + 6 * n, .bias = s->bias + joint->row });
  if (is_off(s, (int)(joint - s->model->joint))) {
    memset(Ga, 0, 12 * sizeof *Ga);
    s->bias[joint->row] = 0.0;
  }
  weigh_side(s, joint->a, n, Ga, Ta);
  weigh_side(s, joint->b, n, Ga + 6 * n, Ta + 6 * n);
}

void hn_system_jacobian(hn_system *s, const hn_state *state)
{
  for (int k = 0; k < s->nrotating; k++) turn_inertia(s, s->rotating[k], state);
  for (int j = 0; j < s->model->njoint; j++) fill_jacobian(s, &s->model->joint[j], state);
  s->work.jacobians += (uint64_t)s->model->njoint;
}

void hn_system_joint_jacobian(hn_system *s, int j, const hn_state *state)
{
  const hn_joint *joint = &s->model->joint[j];
  if (s->model->body[joint->a].kind == HN_RIGID) turn_inertia(s, joint->a, state);
  if (s->model->body[joint->b].kind == HN_RIGID) turn_inertia(s, joint->b, state);
  fill_jacobian(s, joint, state);
  s->work.jacobians++;
}

void hn_system_jacobian_into(hn_system *s, const hn_state *state, double *G)
{
  for (int j = 0; j < s->model->njoint; j++) {
    const hn_joint *joint = &s->model->joint[j];
    double *Ga = G + 12 * joint->row;
    eval(joint, state, &(hn_rows){ .G_a = Ga, .G_b = Ga + 6 * joint->type->rows });
  }
  s->work.jacobians += (uint64_t)s->model->njoint;
}

void hn_system_gamma(hn_system *s, const hn_state *state)
{
  for (int j = 0; j < s->model->njoint; j++)
    eval(&s->model->joint[j], state, &(hn_rows){ .gamma = s->gamma + s->model->joint[j].row });
  s->work.residuals += (uint64_t)s->model->njoint;
}

/* out += G u for one side. */
static inline void add_rate(int n, const double *G, const hn_twist *u, double *out)
{
  for (int c = 0; c < 3; c++)
    for (int r = 0; r < n; r++) out[r] += G[c * n + r] * u->v[c] + G[(3 + c) * n + r] * u->w[c];
}

static inline double velocity_of(const hn_system *s, const hn_joint *joint, const hn_state *state, int n, double *v)
{
  const double *G = s->G + 12 * joint->row;
  for (int r = 0; r < n; r++) v[r] = s->bias[joint->row + r];
  add_rate(n, G, &state->twist[joint->a], v);
  add_rate(n, G + 6 * n, &state->twist[joint->b], v);
  return norm_of(v, n);
}

static inline double joint_velocity(const hn_system *s, int j, const hn_state *state, double *v)
{
  const hn_joint *joint = &s->model->joint[j];
  switch (joint->type->rows) { /* constants for the compiler */
  case 1: return velocity_of(s, joint, state, 1, v);
  case 2: return velocity_of(s, joint, state, 2, v);
  case 3: return velocity_of(s, joint, state, 3, v);
  case 4: return velocity_of(s, joint, state, 4, v);
  case 5: return velocity_of(s, joint, state, 5, v);
  default: return velocity_of(s, joint, state, 6, v);
  }
}

double hn_system_joint_velocity(hn_system *s, int j, const hn_state *state, double *v)
{
  s->work.velocity_residuals++;
  return joint_velocity(s, j, state, v);
}

double hn_system_velocity_residual(hn_system *s, const hn_state *state, double *v, int *worst)
{
  double largest = 0.0;
  if (worst) *worst = -1;
  for (int j = 0; j < s->model->njoint; j++) {
    double norm = joint_velocity(s, j, state, v + s->model->joint[j].row);
    if (!exceeds(norm, largest)) continue;
    largest = norm;
    if (worst) *worst = j;
  }
  s->work.velocity_residuals += (uint64_t)s->model->njoint;
  return largest;
}

/* u += T' p for one side: its rows are the responses to unit impulses. */
static inline void add_impulse(int n, const double *T, const double *p, hn_twist *u)
{
  for (int r = 0; r < n; r++)
    for (int c = 0; c < 3; c++) {
      u->v[c] += T[6 * r + c] * p[r];
      u->w[c] += T[6 * r + 3 + c] * p[r];
    }
}

static inline void push_both(const hn_system *s, const hn_joint *joint, int n, const double *p, double scale,
                             hn_state *state)
{
  const double *T = s->T + 12 * joint->row;
  double scaled[HN_MAX_ROWS];
  for (int r = 0; r < n; r++) scaled[r] = scale * p[r];
  add_impulse(n, T, scaled, &state->twist[joint->a]);
  add_impulse(n, T + 6 * n, scaled, &state->twist[joint->b]);
}

static inline void apply_joint(const hn_system *s, int j, const double *p, double scale, hn_state *state)
{
  const hn_joint *joint = &s->model->joint[j];
  switch (joint->type->rows) { /* constants for the compiler */
  case 1: push_both(s, joint, 1, p, scale, state); break;
  case 2: push_both(s, joint, 2, p, scale, state); break;
  case 3: push_both(s, joint, 3, p, scale, state); break;
  case 4: push_both(s, joint, 4, p, scale, state); break;
  case 5: push_both(s, joint, 5, p, scale, state); break;
  default: push_both(s, joint, 6, p, scale, state);
  }
}

void hn_system_apply_joint(hn_system *s, int j, const double *p, hn_state *state)
{
  s->work.impulses++;
  apply_joint(s, j, p, 1.0, state);
}

void hn_system_apply(hn_system *s, const double *p, double scale, hn_state *state)
{
  s->work.impulses += (uint64_t)s->model->njoint;
  for (int j = 0; j < s->model->njoint; j++) apply_joint(s, j, p + s->model->joint[j].row, scale, state);
}

void hn_system_displace(hn_system *s, const double *p, double scale, hn_state *work, hn_state *state)
{
  memset(work->twist, 0, sizeof *work->twist * (size_t)state->nbody);
  hn_system_apply(s, p, scale, work);
  for (int i = 0; i < state->nbody; i++) {
    const hn_twist *d = &work->twist[i];
    const double half[4] = { 1.0, 0.5 * d->w[0], 0.5 * d->w[1], 0.5 * d->w[2] };
    if (s->model->body[i].kind == HN_FIXED) continue;
    vec_add(state->pose[i].x, state->pose[i].x, d->v);
    if (s->model->body[i].kind != HN_RIGID) continue;
    quat_mul(state->pose[i].q, half, state->pose[i].q);
    quat_normalise(state->pose[i].q);
  }
}

void hn_system_diagonal_block(const hn_system *s, int j, double *K)
{
  const hn_joint *joint = &s->model->joint[j];
  const double *G = s->G + 12 * joint->row, *T = s->T + 12 * joint->row;
  int n = joint->type->rows;
  for (int r = 0; r < n; r++)
    for (int c = 0; c < n; c++) {
      double sum = 0.0;
      for (int side = 0; side < 2; side++)
        for (int k = 0; k < 6; k++) sum += G[(6 * side + k) * n + r] * T[6 * (side * n + c) + k];
      K[r * n + c] = sum;
    }
}

/* u += h W f for one body, f its force and torque. */
static void kick_body(const hn_body *body, const hn_pose *pose, const double wrench[6], double h, hn_twist *u)
{
  double torque_b[3], change[3];
  vec_add_scaled(u->v, h * body->inv_mass, wrench);
  if (body->kind != HN_RIGID) return;
  quat_unrotate(torque_b, pose->q, wrench + 3);
  for (int k = 0; k < 3; k++) torque_b[k] *= h * body->inv_J[k];
  quat_rotate(change, pose->q, torque_b);
  vec_add(u->w, u->w, change);
}

void hn_system_push(const hn_system *s, const hn_state *state, double h, hn_twist *twist)
{
  for (int i = 1; i < state->nbody; i++)
    kick_body(&s->model->body[i], &state->pose[i], s->wrench + 6 * i, h, &twist[i]);
}

void hn_system_kick(hn_system *s, const hn_state *state, double h, hn_twist *twist)
{
  if (s->model->nforce == 0) return;
  hn_system_forces(s, state, s->wrench);
  hn_system_push(s, state, h, twist);
}

void hn_system_free_acceleration(hn_system *s, const hn_state *state, hn_twist *acceleration)
{
  s->work.accelerations += (uint64_t)s->model->nbody - 1;
  for (int i = 0; i < s->model->nbody; i++) {
    const hn_body *body = &s->model->body[i];
    double w_b[3], L_b[3], rate_b[3];
    acceleration[i] = (hn_twist){ { 0 }, { 0 } };
    if (body->kind == HN_FIXED) continue;
    vec_copy(acceleration[i].v, body->gravity);
    if (body->kind != HN_RIGID) continue;
    quat_unrotate(w_b, state->pose[i].q, state->twist[i].w);
    for (int k = 0; k < 3; k++) L_b[k] = body->J[k] * w_b[k];
    vec_cross(rate_b, L_b, w_b);
    for (int k = 0; k < 3; k++) rate_b[k] *= body->inv_J[k];
    quat_rotate(acceleration[i].w, state->pose[i].q, rate_b);
  }
  hn_system_kick(s, state, 1.0, acceleration);
}

/* ---- The constraint matrix --------------------------------------------------------------------------------------- */

int hn_system_use_linear(hn_system *s, const hn_linear_options *options, hn_error *error)
{
  hn_linear_free(s->linear);
  s->linear = hn_linear_create(s->model, options, error);
  return s->linear ? 0 : -1;
}

static hn_reason factor_all(hn_system *s)
{
  hn_assembly_fill(&s->linear->assembly, s->model, s->G, s->T, s->off);
  s->work.factorisations++;
  return hn_linear_factor(s->linear);
}

hn_reason hn_system_factor(hn_system *s)
{
  hn_reason reason = s->linear->redundant ? hn_redundant_factor(s) : factor_all(s);
  s->is_singular = reason == HN_SINGULAR;
  return reason;
}

hn_reason hn_system_solve(hn_system *s, const double *b, double *p)
{
  s->work.solves++;
  if (!s->linear->redundant) return hn_linear_solve(s->linear, b, p);
  hn_reason reason = hn_redundant_solve(s, b, p);
  s->is_singular = reason == HN_SINGULAR;
  return reason;
}

size_t hn_system_memory(const hn_system *s)
{
  size_t rows = (size_t)s->model->nrow, bytes = sizeof *s + sizeof(double) * (3 + 2 * 12) * rows;
  bytes += (sizeof(int) + 9 * sizeof(double)) * (size_t)s->model->nbody;
  if (!s->linear) return bytes;
  const hn_assembly *as = &s->linear->assembly;
  size_t blocks = as->K.n ? (size_t)as->K.start[as->K.n] : 0;
  bytes += blocks * (sizeof(int) + sizeof(double) * (size_t)(as->K.bs * as->K.bs));
  for (int k = 0; k < as->nparts && !as->uniform; k++)
    bytes += sizeof(int) * (size_t)s->model->joint[as->part[k].row_joint].type->rows;
  return bytes + sizeof(hn_contribution) * (size_t)as->nparts + (sizeof(double) + 2 * sizeof(int)) * rows;
}
