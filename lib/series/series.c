/* series.c - the motion of all bodies as truncated power series in time, for Taylor solvers.
 *
 *   bodies: body_series.c;   wrench of a joint on its bodies: G(t)' lambda(t), the product of two series
 *
 * Coefficient k of the forces gives k + 2 of positions and orientations, in O(k), with lambda_k = 0.
 * Coefficient k of the multipliers enters linearly and is multiplied by G_0 only: its effect is added in
 * O(1), and no product is computed twice.
 *
 * For rows of velocities coefficient k + 1 of the rate is used, which the same coefficients of the motion
 * determine:
 *
 *   c_{k+1} = sum over i of G_i u_{k+1-i} + bias_{k+1},   lambda_k changes it by K lambda_k / (k + 1)
 *
 * [METHODS, section 5; schmitt2005, section 6, derives k = 0 for particles] */
#include "series/series.h"
#include "series/series_layout.h"
#include "base/vec.h"

#include <string.h>

/* ---- Joints ------------------------------------------------------------------------------------------- */

static inline void call_jet(hn_series *s, const hn_series_link *link, size_t k, double *g, double *G_a,
                            double *G_b)
{
  const hn_joint *joint = &link->joint;
  joint->type->jet(joint, s->time, &s->body[link->slot[0]].jet, &s->body[link->slot[1]].jet, k, link->work, g,
                   G_a, G_b);
}

/* Stores coefficient k of the Jacobians of a joint, G_a then G_b. Zero columns of v are not stored, which
 * makes constant columns free of cost. */
static void store_jacobian(hn_series *s, hn_series_link *link, size_t k, const double *G)
{
  const size_t half = 3 * (size_t)link->joint.type->rows;
  bool zero = true;
  for (size_t i = 0; i < half; i++) zero &= G[i] == 0.0 && G[2 * half + i] == 0.0;
  for (int side = 0; side < 2; side++, G += 2 * half) {
    double *push = s->G_v + hn_columns_at(s, link, side, 0);
    memcpy(s->G_w + hn_columns_at(s, link, side, k), G + half, half * sizeof *G);
    if (zero && k > 0) continue;
    for (size_t i = link->last_nonzero + 1; i < k; i++) memset(push + 2 * half * i, 0, half * sizeof *push);
    memcpy(push + 2 * half * k, G, half * sizeof *G);
  }
  if (!zero) link->last_nonzero = k;
}

/* Evaluates coefficient k of a joint's Jacobian if it will be needed, and of the joint's own series. g may be
 * NULL as in jet. */
static void evaluate_jacobian(hn_series *s, hn_series_link *link, size_t k, double *g)
{
  const hn_joint_type *type = link->joint.type;
  const bool has_series = type->jet_series > 0; /* otherwise coefficient 0 is taken from the system */
  const bool needed = type->velocity ? k < s->jacobian_count
                      : k == 0       ? has_series && s->order > 1
                                     : k < s->order;
  double G[12 * HN_MAX_ROWS];
  if (!needed && !has_series) return;
  call_jet(s, link, k, g ? g + link->joint.row : NULL, needed ? G : NULL, needed ? G + 6 * type->rows : NULL);
  s->system->work.jets += g != NULL;
  if (needed) store_jacobian(s, link, k, G);
}

/* ---- Wrench of a joint on one of its bodies ----------------------------------------------------------- */

/* force += sum over i = 1 .. last of G_i' lambda_{k-i}, for three columns of one side. G points to
 * coefficient 1, lambda to k - 1. n is a constant after inlining. */
static inline void add_products(int n, const double *G, const double *lambda, size_t last, double *force)
{
  double sum[3 * HN_MAX_ROWS] = { 0 };
  for (size_t i = 0; i < last; i++, G += 6 * n, lambda -= n)
    for (int c = 0; c < 3; c++)
      for (int r = 0; r < n; r++) sum[c * n + r] += G[c * n + r] * lambda[r];
  for (int c = 0; c < 3; c++)
    for (int r = 0; r < n; r++) force[c] += sum[c * n + r];
}

/* wrench += coefficient k > 0 of G' lambda with lambda_k = 0. */
static inline void add_wrench(const hn_series *s, int n, const hn_series_link *link, int side, bool rigid,
                              size_t k, double wrench[6])
{
  const size_t last = link->last_nonzero < k ? link->last_nonzero : k, at = hn_columns_at(s, link, side, 1);
  const double *lambda = hn_multipliers_of(s, link, k - 1);
  add_products(n, s->G_v + at, lambda, last, wrench);
  if (rigid) add_products(n, s->G_w + at, lambda, k, wrench + 3);
}

/* wrench += G_0' p */
static inline void add_start_wrench(const hn_series *s, int n, const hn_series_link *link, int side,
                                    const double *p, double wrench[6])
{
  const double *G = s->G_start + 12 * link->row_offset + 6 * n * side;
  p += link->joint.row;
  for (int c = 0; c < 6; c++) {
    double sum = wrench[c];
    for (int r = 0; r < n; r++) sum += G[c * n + r] * p[r];
    wrench[c] = sum;
  }
}

/* ---- Rows of velocities ------------------------------------------------------------------------------- */

/* c += coefficient k of G u for one side of a joint. */
static void add_rate(const hn_series *s, const hn_series_link *link, int side, size_t k, double *c)
{
  const size_t n = (size_t)link->joint.type->rows, bodies = (size_t)s->system->model->nbody;
  for (size_t i = 0; i <= k; i++) {
    const double *u = s->twist + 6 * (bodies * (k - i) + (size_t)link->slot[side]);
    for (size_t column = i <= link->last_nonzero ? 0 : 3; column < 6; column++) {
      const double *G = (column < 3 ? s->G_v : s->G_w) + hn_columns_at(s, link, side, i) + n * (column % 3);
      for (size_t r = 0; r < n; r++) c[r] += G[r] * u[column];
    }
  }
}

/* Computes for rows of velocities the substitute of g_{k+2}. Coefficient k of the twists is final,
 * coefficient k + 1 lacks the effect of lambda_k. */
static void predict_rate(hn_series *s, const hn_series_link *link, size_t k, double *g)
{
  const int row = link->joint.row;
  for (int side = 0; side < 2; side++) add_rate(s, link, side, k + 1, s->bias + row);
  for (int r = 0; r < link->joint.type->rows; r++) g[row + r] = s->bias[row + r] / (double)(k + 2);
}

/* ---- Visits of one power ------------------------------------------------------------------------------ */

static inline bool is_joint(const hn_series *s, int slot)
{
  return s->visits.link[slot] < s->system->model->njoint;
}

/* Returns the index of the row force in a slot; negative for a joint or a force. */
static inline int row_force_in(const hn_series *s, int slot)
{
  return s->visits.link[slot] - s->system->model->njoint - s->system->model->nforce;
}

/* Returns the multiplier of the row force's normal; 0 without a normal. */
static inline double normal_of(const hn_series *s, int given, const double *lambda)
{
  const int normal = s->system->model->more->given[given].normal;
  return normal < 0 ? 0.0 : lambda[s->system->model->joint[normal].row];
}

/* Returns coefficient k of the twist in a slot. */
static inline double *twist_of(const hn_series *s, int slot, size_t k)
{
  return s->twist + 6 * ((size_t)s->system->model->nbody * k + (size_t)slot);
}

static void push_body(hn_series *s, int slot, size_t k, const double *lambda)
{
  double wrench[6] = { 0 };
  for (size_t e = s->visits.first[slot]; e < s->visits.first[slot + 1]; e++) {
    const hn_link_end end = s->visits.end[e];
    const hn_series_link *link = &s->link[end.link];
    if (!is_joint(s, end.link) && !s->row_forces) break; /* forces are listed after all joints */
    const int n = is_joint(s, end.link) ? link->joint.type->rows : 0, given = row_force_in(s, end.link);
    if (given >= 0)
      hn_row_force_series_push(s->row_forces, given, end.side, normal_of(s, given, lambda), wrench);
    else if (n == 3) add_start_wrench(s, 3, link, end.side, lambda, wrench);
    else if (n == 1) add_start_wrench(s, 1, link, end.side, lambda, wrench);
    else add_start_wrench(s, n, link, end.side, lambda, wrench);
  }
  hn_body_series_push(&s->body[slot], k, wrench);
  if (s->twist) hn_body_series_twist(&s->body[slot], k + 1, twist_of(s, slot, k + 1));
}

static void advance_body(hn_series *s, int slot, size_t k)
{
  const bool rigid = s->body[slot].kind == HN_RIGID;
  const int njoint = s->system->model->njoint;
  double wrench[6] = { 0 };
  for (size_t e = s->visits.first[slot]; e < s->visits.first[slot + 1]; e++) {
    const hn_link_end end = s->visits.end[e];
    const hn_series_link *link = &s->link[end.link];
    const int n = is_joint(s, end.link) ? link->joint.type->rows : 0, given = row_force_in(s, end.link);
    if (given >= 0) hn_row_force_series_add(s->row_forces, given, end.side, k, wrench);
    else if (n == 0) hn_force_series_add(s->forces, s->visits.link[end.link] - njoint, end.side, k, wrench);
    else if (k == 0) continue; /* lambda_0 is not known yet */
    else if (n == 3) add_wrench(s, 3, link, end.side, rigid, k, wrench);
    else if (n == 1) add_wrench(s, 1, link, end.side, rigid, k, wrench);
    else add_wrench(s, n, link, end.side, rigid, k, wrench);
  }
  hn_body_series_advance(&s->body[slot], k, wrench);
  if (s->twist) hn_body_series_twist(&s->body[slot], k + 1, twist_of(s, slot, k + 1));
}

/* Stores lambda_{k-1} of the normal, then computes coefficient k of the row force if it is wanted (MORE). */
static void visit_row_force(hn_series *s, int slot, size_t k, const double *lambda, bool more)
{
  const int given = row_force_in(s, slot), *body = s->link[slot].slot;
  const hn_row_force_side side[2] = { { &s->body[body[0]].jet, twist_of(s, body[0], 0) },
                                      { &s->body[body[1]].jet, twist_of(s, body[1], 0) } };
  if (k > 0) hn_row_force_series_follow(s->row_forces, given, k - 1, normal_of(s, given, lambda));
  if (more) hn_row_force_series_measure(s->row_forces, given, k, side, 6 * (size_t)s->system->model->nbody);
}

/* Stores lambda_{k-1} of a joint and evaluates its Jacobian; or evaluates the law of a force. */
static void visit_link(hn_series *s, int slot, size_t k, const double *lambda, bool more)
{
  hn_series_link *link = &s->link[slot];
  if (is_joint(s, slot)) {
    if (k == 0) return; /* done in hn_series_start */
    memcpy(hn_multipliers_of(s, link, k - 1), lambda + link->joint.row,
           sizeof *lambda * (size_t)link->joint.type->rows);
    if (more) evaluate_jacobian(s, link, k + 1, NULL);
  } else if (row_force_in(s, slot) >= 0) {
    visit_row_force(s, slot, k, lambda, more);
  } else if (more) {
    hn_force_series_measure(s->forces, s->visits.link[slot] - s->system->model->njoint, k,
                            &s->body[link->slot[0]].jet, &s->body[link->slot[1]].jet);
  }
}

static void visit_residual(hn_series *s, int slot, size_t k, double *g)
{
  const hn_series_link *link = &s->link[slot];
  if (link->joint.type->velocity) predict_rate(s, link, k, g), g = s->bias;
  call_jet(s, link, k + 2, g + link->joint.row, NULL, NULL);
}

/* ---- Prefetching -------------------------------------------------------------------------------------- */

/* DISTANCE: slots between prefetch and visit. LINE: bytes of a cache line. With many bodies, data do not stay
 * in caches from one power to the next: 3 kB per visit on average at order 10. */
enum { DISTANCE = 6, LINE = 64 };

/* Functions that only prefetch have no effect for gcc, which removes calls to them unless they are inlined
 * first. */
#define PREFETCHES __attribute__((always_inline)) static inline

PREFETCHES void prefetch(const void *from, size_t bytes)
{
  for (size_t i = 0; i < bytes + LINE - 1; i += LINE) __builtin_prefetch((const char *)from + i, 0, 2);
}

PREFETCHES void prefetch_body(const hn_series *s, int slot, size_t k, bool more)
{
  const hn_body_power *power = s->power + (size_t)slot * s->count;
  prefetch(&s->body[slot], sizeof *s->body);
  if (more) prefetch(power, (k + 3) * sizeof *power);
  else prefetch(power, sizeof *power), prefetch(power + k + 1, sizeof *power);
}

PREFETCHES void prefetch_link(const hn_series *s, int slot, size_t k, bool more)
{
  const hn_series_link *link = &s->link[slot];
  if (!is_joint(s, slot)) return;
  const size_t n = (size_t)link->joint.type->rows;
  prefetch(s->G_start + 12 * link->row_offset, 12 * n * sizeof *s->G_start);
  if (!more) return;
  prefetch(s->G_w + hn_columns_at(s, link, 0, 1), 6 * n * (k + 1) * sizeof *s->G_w);
  prefetch(hn_multipliers_of(s, link, 0), n * k * sizeof *s->lambda);
}

/* Prefetches the data of the slot DISTANCE visits ahead; bodies and links are visited in the order of their
 * slots. */
PREFETCHES void prefetch_next(const hn_series *s, const hn_visit *v, size_t k, bool more)
{
  const int slot = v->slot + DISTANCE, bodies = s->system->model->nbody;
  const int links = s->nlink;
  if (v->kind == HN_VISIT_PUSH && slot < bodies) prefetch_body(s, slot, k, more);
  if (v->kind == HN_VISIT_LINK && slot < links) prefetch_link(s, slot, k, more);
}

/* Makes all visits of power k: adds the effect of lambda_{k-1}, then computes power k if MORE powers are
 * wanted. */
static void make_visits(hn_series *s, size_t k, const double *lambda, bool more, double *g)
{
  for (const hn_visit *v = s->visits.visit, *end = v + s->visits.nvisit; v < end; v++) {
    prefetch_next(s, v, k, more);
    if (v->kind == HN_VISIT_PUSH && k > 0) push_body(s, v->slot, k - 1, lambda);
    else if (v->kind == HN_VISIT_LINK) visit_link(s, v->slot, k, lambda, more);
    else if (v->kind == HN_VISIT_ADVANCE && more) advance_body(s, v->slot, k);
    else if (v->kind == HN_VISIT_RESIDUAL && more) visit_residual(s, v->slot, k, g);
  }
  if (!more) return;
  s->system->work.jets += (uint64_t)s->system->model->njoint;
  s->system->work.forces += (uint64_t)(s->nlink - s->system->model->njoint);
}

/* ---- Powers, in turn ---------------------------------------------------------------------------------- */

void hn_series_start(hn_series *s, const hn_state *state, double *g)
{
  const hn_model *model = s->system->model;
  s->time = state->time;
  for (int slot = 0; slot < model->nbody; slot++) {
    const int i = s->visits.body[slot];
    hn_body_series_start(&s->body[slot], &model->body[i], &state->pose[i], &state->twist[i]);
    if (s->twist) hn_body_series_twist(&s->body[slot], 0, twist_of(s, slot, 0));
  }
  hn_series_copy_joints(s);
  if (s->forces) hn_force_series_start(s->forces, state);
  if (s->row_forces) hn_row_force_series_start(s->row_forces, s->time);
  for (int slot = 0; slot < s->nlink; slot++)
    for (size_t k = 0; k < 2 && is_joint(s, slot); k++)
      evaluate_jacobian(s, &s->link[slot], k, s->bias ? s->bias : s->system->g);
  make_visits(s, 0, NULL, true, g);
}

void hn_series_set_multipliers(hn_series *s, size_t k, const double *lambda, double *g)
{
  s->system->work.impulses += (uint64_t)s->system->model->njoint;
  make_visits(s, k + 1, lambda, k + 1 < s->order, g);
}

void hn_series_row_force_wrench(const hn_series *s, int given, double *wrench)
{
  const hn_joint *rows = s->system->model->more->given[given].joint;
  memset(wrench, 0, 6 * sizeof *wrench * (size_t)s->system->model->nbody);
  hn_row_force_series_push(s->row_forces, given, 0, 1.0, wrench + 6 * rows->a);
  hn_row_force_series_push(s->row_forces, given, 1, 1.0, wrench + 6 * rows->b);
}

void hn_series_row_force_acceleration(hn_series *s, int given, const hn_twist *twist)
{
  const hn_joint *rows = s->system->model->more->given[given].joint;
  hn_row_force_series_accelerate(s->row_forces, given, &twist[rows->a], &twist[rows->b]);
}

double hn_series_valid_time(const hn_series *s, double left)
{
  return s->row_forces ? hn_row_force_series_valid_time(s->row_forces, s->order, left) : left;
}

void hn_series_state(const hn_series *s, double h, size_t order, hn_state *state)
{
  for (int slot = 0; slot < s->system->model->nbody; slot++) {
    const int i = s->visits.body[slot];
    if (s->body[slot].kind != HN_FIXED)
      hn_body_series_state(&s->body[slot], h, order, &state->pose[i], &state->twist[i]);
  }
}

void hn_series_multipliers(const hn_series *s, double h, size_t order, double *lambda)
{
  for (int slot = 0; slot < s->nlink; slot++) {
    const hn_series_link *link = &s->link[slot];
    for (int r = 0; is_joint(s, slot) && r < link->joint.type->rows; r++) {
      double sum = 0.0;
      for (size_t k = order; k-- > 0;) sum = sum * h + hn_multipliers_of(s, link, k)[r];
      lambda[link->joint.row + r] = sum;
    }
  }
}

double hn_series_size(const hn_series *s, size_t k)
{
  double largest = 0.0;
  for (int slot = 0; slot < s->system->model->nbody; slot++) {
    const hn_body_power *power = &s->body[slot].jet.power[k];
    if (s->visits.body[slot] == 0) continue; /* ground */
    double x = norm_of(power->x, 3), q = norm_of(power->q, 4);
    if (exceeds(x, largest)) largest = x;
    if (exceeds(q, largest)) largest = q;
  }
  return largest;
}
