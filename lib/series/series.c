/* series.c - the motion of all bodies as truncated power series in time, for Taylor methods.
 *
 *   bodies: body_series.c;   force and torque of a joint on its bodies: G(t)' lambda(t), the product of two series
 *
 * Coefficient k of the forces gives k + 2 of positions and orientations, in O(k), with lambda_k = 0. Coefficient k of
 * the multipliers enters linearly and beside G_0 alone: its effect is added in O(1), and no product is formed twice.
 *
 * Rows of velocities are asked for coefficient k + 1 of their rate, which the same coefficients of the motion give:
 *
 *   c_{k+1} = sum over i of G_i u_{k+1-i} + bias_{k+1},   lambda_k changes it by K lambda_k / (k + 1)
 *
 * [SOLVERS, Taylor solver; schmitt2005, section 6, derives k = 0 for particles] */
#include "series/series.h"
#include "series/series_layout.h"
#include "base/vec.h"

#include <string.h>

/* ---- Joints ------------------------------------------------------------------------------------------------------ */

static inline void call_jet(hn_series *s, const hn_series_link *link, size_t k, double *g, double *G_a,
                            double *G_b)
{
  const hn_joint *joint = &link->joint;
  joint->type->jet(joint, s->time, &s->body[link->slot[0]].jet, &s->body[link->slot[1]].jet, k, link->work, g,
                   G_a, G_b);
}

/* Keeps coefficient k of the blocks of a joint, G_a and behind it G_b. Columns of v that are constant cost nothing. */
static void keep_jacobian(hn_series *s, hn_series_link *link, size_t k, const double *G)
{
  const size_t half = 3 * (size_t)link->joint.type->rows;
  bool zero = true;
  for (size_t i = 0; i < half; i++) zero &= G[i] == 0.0 && G[2 * half + i] == 0.0;
  for (int side = 0; side < 2; side++, G += 2 * half) {
    double *push = s->push + hn_columns_at(s, link, side, 0);
    memcpy(s->turn + hn_columns_at(s, link, side, k), G + half, half * sizeof *G);
    if (zero && k > 0) continue;
    for (size_t i = link->pushing + 1; i < k; i++) memset(push + 2 * half * i, 0, half * sizeof *push);
    memcpy(push + 2 * half * k, G, half * sizeof *G);
  }
  if (!zero) link->pushing = k;
}

/* Coefficient k of a Jacobian that will be needed, and of the joint's own series; g may be NULL as in jet. */
static void evaluate_jacobian(hn_series *s, hn_series_link *link, size_t k, double *g)
{
  const hn_joint_type *type = link->joint.type;
  const bool has_series = type->jet_series > 0; /* else coefficient 0 is not needed: it is the system's */
  const bool wanted = type->velocity ? k < s->kept : k == 0 ? has_series && s->order > 1 : k < s->order;
  double G[12 * HN_MAX_ROWS];
  if (!wanted && !has_series) return;
  call_jet(s, link, k, g ? g + link->joint.row : NULL, wanted ? G : NULL, wanted ? G + 6 * type->rows : NULL);
  s->system->work.jets += g != NULL;
  if (wanted) keep_jacobian(s, link, k, G);
}

/* ---- What a joint does to one of its bodies ---------------------------------------------------------------------- */

/* force += sum over i = 1 .. last of G_i' lambda_{k-i}, for three columns of one side; G is coefficient 1, lambda
 * is k - 1. N is a constant where this is inlined. */
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
  const size_t last = link->pushing < k ? link->pushing : k, at = hn_columns_at(s, link, side, 1);
  const double *lambda = hn_multipliers_of(s, link, k - 1);
  add_products(n, s->push + at, lambda, last, wrench);
  if (rigid) add_products(n, s->turn + at, lambda, k, wrench + 3);
}

/* wrench += G_0' p */
static inline void add_effect(const hn_series *s, int n, const hn_series_link *link, int side,
                              const double *p, double wrench[6])
{
  const double *G = s->effect + 12 * link->at + 6 * n * side;
  p += link->joint.row;
  for (int c = 0; c < 6; c++) {
    double sum = wrench[c];
    for (int r = 0; r < n; r++) sum += G[c * n + r] * p[r];
    wrench[c] = sum;
  }
}

/* ---- Rows of velocities ------------------------------------------------------------------------------------------ */

/* c += coefficient k of G u for one side of a joint. */
static void add_rate(const hn_series *s, const hn_series_link *link, int side, size_t k, double *c)
{
  const size_t n = (size_t)link->joint.type->rows, bodies = (size_t)s->system->model->nbody;
  for (size_t i = 0; i <= k; i++) {
    const double *u = s->twist + 6 * (bodies * (k - i) + (size_t)link->slot[side]);
    for (size_t column = i <= link->pushing ? 0 : 3; column < 6; column++) {
      const double *G = (column < 3 ? s->push : s->turn) + hn_columns_at(s, link, side, i) + n * (column % 3);
      for (size_t r = 0; r < n; r++) c[r] += G[r] * u[column];
    }
  }
}

/* What rows of velocities have in the place of g_{k+2}. Coefficient k of the twists is final now, k + 1 has no lambda_k
 * yet. */
static void predict_rate(hn_series *s, const hn_series_link *link, size_t k, double *g)
{
  const int row = link->joint.row;
  for (int side = 0; side < 2; side++) add_rate(s, link, side, k + 1, s->bias + row);
  for (int r = 0; r < link->joint.type->rows; r++) g[row + r] = s->bias[row + r] / (double)(k + 2);
}

/* ---- The visits of one power ------------------------------------------------------------------------------------- */

static inline bool is_joint(const hn_series *s, int slot)
{
  return s->sweep.link[slot] < s->system->model->njoint;
}

/* Which of what model->more is made of stands in a slot; negative: a joint or a force. */
static inline int given_in(const hn_series *s, int slot)
{
  return s->sweep.link[slot] - s->system->model->njoint - s->system->model->nforce;
}

/* What LAMBDA has for its normal, if it has one. */
static inline double normal_of(const hn_series *s, int given, const double *lambda)
{
  const int normal = s->system->model->more->given[given].normal;
  return normal < 0 ? 0.0 : lambda[s->system->model->joint[normal].row];
}

/* Where coefficient k of the twist in a slot stands. */
static inline double *twist_of(const hn_series *s, int slot, size_t k)
{
  return s->twist + 6 * ((size_t)s->system->model->nbody * k + (size_t)slot);
}

static void push_body(hn_series *s, int slot, size_t k, const double *lambda)
{
  double wrench[6] = { 0 };
  for (size_t e = s->sweep.first[slot]; e < s->sweep.first[slot + 1]; e++) {
    const hn_link_end end = s->sweep.end[e];
    const hn_series_link *link = &s->link[end.link];
    if (!is_joint(s, end.link) && !s->given) break; /* forces stand behind all joints */
    const int n = is_joint(s, end.link) ? link->joint.type->rows : 0, given = given_in(s, end.link);
    if (given >= 0) hn_given_series_push(s->given, given, end.side, normal_of(s, given, lambda), wrench);
    else if (n == 3) add_effect(s, 3, link, end.side, lambda, wrench);
    else if (n == 1) add_effect(s, 1, link, end.side, lambda, wrench);
    else add_effect(s, n, link, end.side, lambda, wrench);
  }
  hn_body_series_push(&s->body[slot], k, wrench);
  if (s->twist) hn_body_series_twist(&s->body[slot], k + 1, twist_of(s, slot, k + 1));
}

static void advance_body(hn_series *s, int slot, size_t k)
{
  const bool rigid = s->body[slot].kind == HN_RIGID;
  const int njoint = s->system->model->njoint;
  double wrench[6] = { 0 };
  for (size_t e = s->sweep.first[slot]; e < s->sweep.first[slot + 1]; e++) {
    const hn_link_end end = s->sweep.end[e];
    const hn_series_link *link = &s->link[end.link];
    const int n = is_joint(s, end.link) ? link->joint.type->rows : 0, given = given_in(s, end.link);
    if (given >= 0) hn_given_series_add(s->given, given, end.side, k, wrench);
    else if (n == 0) hn_force_series_add(s->forces, s->sweep.link[end.link] - njoint, end.side, k, wrench);
    else if (k == 0) continue; /* lambda_0 is not there yet */
    else if (n == 3) add_wrench(s, 3, link, end.side, rigid, k, wrench);
    else if (n == 1) add_wrench(s, 1, link, end.side, rigid, k, wrench);
    else add_wrench(s, n, link, end.side, rigid, k, wrench);
  }
  hn_body_series_advance(&s->body[slot], k, wrench);
  if (s->twist) hn_body_series_twist(&s->body[slot], k + 1, twist_of(s, slot, k + 1));
}

/* lambda_{k-1} is kept, and coefficient k of what follows from it. */
static void visit_given(hn_series *s, int slot, size_t k, const double *lambda, bool more)
{
  const int given = given_in(s, slot), *body = s->link[slot].slot;
  const hn_given_side side[2] = { { &s->body[body[0]].jet, twist_of(s, body[0], 0) },
                                  { &s->body[body[1]].jet, twist_of(s, body[1], 0) } };
  if (k > 0) hn_given_series_follow(s->given, given, k - 1, normal_of(s, given, lambda));
  if (more) hn_given_series_measure(s->given, given, k, side, 6 * (size_t)s->system->model->nbody);
}

/* lambda_{k-1} of a joint is kept, and its Jacobian follows; or the law of a force. */
static void visit_link(hn_series *s, int slot, size_t k, const double *lambda, bool more)
{
  hn_series_link *link = &s->link[slot];
  if (is_joint(s, slot)) {
    if (k == 0) return; /* hn_series_start has done it */
    memcpy(hn_multipliers_of(s, link, k - 1), lambda + link->joint.row,
           sizeof *lambda * (size_t)link->joint.type->rows);
    if (more) evaluate_jacobian(s, link, k + 1, NULL);
  } else if (given_in(s, slot) >= 0) {
    visit_given(s, slot, k, lambda, more);
  } else if (more) {
    hn_force_series_measure(s->forces, s->sweep.link[slot] - s->system->model->njoint, k,
                            &s->body[link->slot[0]].jet, &s->body[link->slot[1]].jet);
  }
}

static void visit_residual(hn_series *s, int slot, size_t k, double *g)
{
  const hn_series_link *link = &s->link[slot];
  if (link->joint.type->velocity) predict_rate(s, link, k, g), g = s->bias;
  call_jet(s, link, k + 2, g + link->joint.row, NULL, NULL);
}

/* ---- What is needed soon ----------------------------------------------------------------------------------------- */

/* Slots that a visit is known before it comes; bytes that come at once. What a visit needs does not stay in caches from
 * one power to the next when bodies are many: 3 kB on the average at order 10. */
enum { AHEAD = 6, LINE = 64 };

/* To a compiler a function that only asks for memory has no effect, and gcc leaves its calls out: unless it is inlined
 * before that is noticed. */
#define ASKS __attribute__((always_inline)) static inline

ASKS void ask(const void *from, size_t bytes)
{
  for (size_t i = 0; i < bytes + LINE - 1; i += LINE) __builtin_prefetch((const char *)from + i, 0, 2);
}

ASKS void ask_body(const hn_series *s, int slot, size_t k, bool more)
{
  const hn_body_power *power = s->power + (size_t)slot * s->count;
  ask(&s->body[slot], sizeof *s->body);
  if (more) ask(power, (k + 3) * sizeof *power);
  else ask(power, sizeof *power), ask(power + k + 1, sizeof *power);
}

ASKS void ask_link(const hn_series *s, int slot, size_t k, bool more)
{
  const hn_series_link *link = &s->link[slot];
  if (!is_joint(s, slot)) return;
  const size_t n = (size_t)link->joint.type->rows;
  ask(s->effect + 12 * link->at, 12 * n * sizeof *s->effect);
  if (!more) return;
  ask(s->turn + hn_columns_at(s, link, 0, 1), 6 * n * (k + 1) * sizeof *s->turn);
  ask(hn_multipliers_of(s, link, 0), n * k * sizeof *s->lambda);
}

/* Bodies and links follow each other by their slots. */
ASKS void look_ahead(const hn_series *s, const hn_visit *v, size_t k, bool more)
{
  const int slot = v->slot + AHEAD, bodies = s->system->model->nbody;
  const int links = s->nlink;
  if (v->kind == HN_VISIT_PUSH && slot < bodies) ask_body(s, slot, k, more);
  if (v->kind == HN_VISIT_LINK && slot < links) ask_link(s, slot, k, more);
}

/* All visits with lambda_{k-1} given: its effect, then what follows for k when MORE powers are wanted. */
static void go_through(hn_series *s, size_t k, const double *lambda, bool more, double *g)
{
  for (const hn_visit *v = s->sweep.visit, *end = v + s->sweep.nvisit; v < end; v++) {
    look_ahead(s, v, k, more);
    if (v->kind == HN_VISIT_PUSH && k > 0) push_body(s, v->slot, k - 1, lambda);
    else if (v->kind == HN_VISIT_LINK) visit_link(s, v->slot, k, lambda, more);
    else if (v->kind == HN_VISIT_ADVANCE && more) advance_body(s, v->slot, k);
    else if (v->kind == HN_VISIT_RESIDUAL && more) visit_residual(s, v->slot, k, g);
  }
  if (!more) return;
  s->system->work.jets += (uint64_t)s->system->model->njoint;
  s->system->work.forces += (uint64_t)(s->nlink - s->system->model->njoint);
}

/* ---- Series ------------------------------------------------------------------------------------------------------ */

hn_series *hn_series_create(hn_system *system, int order, hn_error *error)
{
  return hn_series_lay_out(system, order, error);
}

void hn_series_free(hn_series *s)
{
  hn_series_clear_away(s);
}

/* ---- The powers, one after the other ---------------------------------------------------------------------------- */

void hn_series_start(hn_series *s, const hn_state *state, double *g)
{
  const hn_model *model = s->system->model;
  s->time = state->time;
  for (int slot = 0; slot < model->nbody; slot++) {
    const int i = s->sweep.body[slot];
    hn_body_series_start(&s->body[slot], &model->body[i], &state->pose[i], &state->twist[i]);
    if (s->twist) hn_body_series_twist(&s->body[slot], 0, twist_of(s, slot, 0));
  }
  hn_series_take_joints(s);
  if (s->forces) hn_force_series_start(s->forces, state);
  if (s->given) hn_given_series_start(s->given, s->time);
  for (int slot = 0; slot < s->nlink; slot++)
    for (size_t k = 0; k < 2 && is_joint(s, slot); k++)
      evaluate_jacobian(s, &s->link[slot], k, s->bias ? s->bias : s->system->g);
  go_through(s, 0, NULL, true, g);
}

void hn_series_push(hn_series *s, size_t k, const double *lambda, double *g)
{
  s->system->work.impulses += (uint64_t)s->system->model->njoint;
  go_through(s, k + 1, lambda, k + 1 < s->order, g);
}

void hn_series_given(const hn_series *s, int given, double *wrench)
{
  const hn_joint *rows = s->system->model->more->given[given].joint;
  memset(wrench, 0, 6 * sizeof *wrench * (size_t)s->system->model->nbody);
  hn_given_series_push(s->given, given, 0, 1.0, wrench + 6 * rows->a);
  hn_given_series_push(s->given, given, 1, 1.0, wrench + 6 * rows->b);
}

void hn_series_given_acceleration(hn_series *s, int given, const hn_twist *twist)
{
  const hn_joint *rows = s->system->model->more->given[given].joint;
  hn_given_series_accelerate(s->given, given, &twist[rows->a], &twist[rows->b]);
}

double hn_series_reach(const hn_series *s, double left)
{
  return s->given ? hn_given_series_reach(s->given, s->order, left) : left;
}

void hn_series_state(const hn_series *s, double h, size_t order, hn_state *state)
{
  for (int slot = 0; slot < s->system->model->nbody; slot++) {
    const int i = s->sweep.body[slot];
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

static double size_of(const double *v, size_t n)
{
  double sum = 0.0;
  for (size_t c = 0; c < n; c++) sum += v[c] * v[c];
  return sqrt(sum);
}

double hn_series_size(const hn_series *s, size_t k)
{
  double largest = 0.0;
  for (int slot = 0; slot < s->system->model->nbody; slot++) {
    const hn_body_power *power = &s->body[slot].jet.power[k];
    if (s->sweep.body[slot] == 0) continue; /* the ground */
    double x = size_of(power->x, 3), q = size_of(power->q, 4);
    if (exceeds(x, largest)) largest = x;
    if (exceeds(q, largest)) largest = q;
  }
  return largest;
}
