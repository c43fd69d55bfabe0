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
 * [METHODS, Taylor solver; schmitt2005, section 6, derives k = 0 for particles] */
#include "series/force_series.h"
#include "series/series.h"
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

struct hn_series {
  hn_system *system;
  size_t order, stride;
  double time;         /* about which the series are, s */
  hn_body_series *body;   /* [nbody] */
  double *storage;     /* of the bodies */
  double *work;        /* of the joints' jets */
  size_t *work_at;     /* [njoint] */
  size_t kept;         /* coefficients of Jacobians: order, and one more where rows of velocities take part */
  double *G;           /* for one joint after the other [kept][12 rows]: coefficients of its blocks as in hn_system */
  size_t *pushing;     /* [njoint] the last coefficient of the columns of v that is not zero */
  double *lambda;      /* [order][nrow] */
  double *force;       /* [6 nbody] one coefficient of force and torque */
  double *twist;       /* [kept][6 nbody] coefficients of the twists; like the next NULL without rows of velocities */
  double *bias;        /* [nrow] of rows of velocities: the coefficient that is asked for next */
  hn_force_series *forces; /* of the model; NULL when it has none */
};

void hn_series_free(hn_series *s)
{
  if (!s) return;
  free(s->body), free(s->storage), free(s->work), free(s->work_at), free(s->G), free(s->pushing);
  free(s->lambda), free(s->force), free(s->twist), free(s->bias);
  hn_force_series_free(s->forces);
  free(s);
}

static void lay_out_body(hn_body_series *body, double *at, size_t stride)
{
  body->jet = (hn_body_jet){ .stride = stride, .x = at, .q = at + 3 * stride, .R = at + 7 * stride };
  body->L = at + 16 * stride;
  body->W = at + 19 * stride;
}

/* 0 when every joint can be written as a power series. */
static int check_jets(const hn_model *model, hn_error *error)
{
  for (int j = 0; j < model->njoint; j++)
    if (!model->joint[j].type->jet)
      return hn_fail(error, "joint \"%s\": joints of type %s have no power series (jet), and this method needs one",
                     model->joint[j].name, model->joint[j].type->name);
  return 0;
}

hn_series *hn_series_create(hn_system *system, int order, hn_error *error)
{
  const hn_model *model = system->model;
  if (check_jets(model, error)) return NULL;
  size_t nb = (size_t)model->nbody, nj = (size_t)model->njoint, nr = (size_t)model->nrow, jets = 0;
  hn_series *s = calloc(1, sizeof *s);
  if (s) s->work_at = calloc(nj + 1, sizeof *s->work_at);
  if (!s || !s->work_at) {
    hn_series_free(s);
    hn_fail(error, "out of memory");
    return NULL;
  }
  s->system = system;
  s->order = (size_t)order;
  s->stride = s->order + 2;
  const bool rates = model->needs & HN_CAN_VELOCITY;
  s->kept = s->order + rates;
  for (size_t j = 0; j < nj; j++) {
    s->work_at[j] = jets * s->stride;
    jets += (size_t)model->joint[j].type->jet_series;
  }
  s->body = calloc(nb, sizeof *s->body);
  s->storage = calloc(nb * HN_BODY_SERIES * s->stride, sizeof *s->storage);
  s->work = calloc(jets * s->stride + 1, sizeof *s->work);
  s->G = calloc(12 * nr * s->kept + 1, sizeof *s->G);
  s->pushing = calloc(nj + 1, sizeof *s->pushing);
  s->lambda = calloc(nr * s->order + 1, sizeof *s->lambda);
  s->force = calloc(6 * nb, sizeof *s->force);
  s->twist = rates ? calloc(6 * nb * s->kept, sizeof *s->twist) : NULL;
  s->bias = rates ? calloc(nr, sizeof *s->bias) : NULL;
  if (!s->body || !s->storage || !s->work || !s->G || !s->pushing || !s->lambda || !s->force ||
      (rates && (!s->twist || !s->bias))) {
    hn_series_free(s);
    hn_fail(error, "out of memory");
    return NULL;
  }
  s->forces = model->nforce > 0 ? hn_force_series_create(model, s->stride, error) : NULL;
  if (model->nforce > 0 && !s->forces) {
    hn_series_free(s);
    return NULL;
  }
  for (size_t i = 0; i < nb; i++) lay_out_body(&s->body[i], s->storage + i * HN_BODY_SERIES * s->stride, s->stride);
  return s;
}

/* ---- All bodies and joints -------------------------------------------------------------------------------------- */

static inline void call_jet(hn_series *s, int j, size_t k, double *g, double *G_a, double *G_b)
{
  const hn_joint *joint = &s->system->model->joint[j];
  joint->type->jet(joint, s->time, &s->body[joint->a].jet, &s->body[joint->b].jet, k, s->work + s->work_at[j], g, G_a,
                   G_b);
}

/* Coefficient i of the Jacobian blocks of a joint. */
static inline double *jacobian_of(const hn_series *s, const hn_joint *joint, size_t i)
{
  return s->G + 12 * ((size_t)joint->row * s->kept + (size_t)joint->type->rows * i);
}

/* Coefficient k of all Jacobians that will be needed, and of the joints' own series; g may be NULL as in jet. */
static void evaluate_jacobians(hn_series *s, size_t k, double *g)
{
  const hn_model *model = s->system->model;
  for (int j = 0; j < model->njoint; j++) {
    const hn_joint *joint = &model->joint[j];
    const int n = joint->type->rows;
    const bool has_series = joint->type->jet_series > 0; /* else coefficient 0 is not needed: it is the system's */
    const bool rate = joint->type->velocity;
    bool wanted = rate ? k < s->kept : k == 0 ? has_series && s->order > 1 : k < s->order, zero = true;
    double *Ga = wanted ? jacobian_of(s, joint, k) : NULL, *Gb = wanted ? Ga + 6 * n : NULL;
    if (!wanted && !has_series) continue;
    call_jet(s, j, k, g ? g + joint->row : NULL, Ga, Gb);
    s->system->work.jets += g != NULL;
    for (int i = 0; i < 3 * n && wanted; i++) zero &= Ga[i] == 0.0 && Gb[i] == 0.0;
    if (!zero) s->pushing[j] = k;
  }
}

/* force += sum over i = 1 .. last of G_i' lambda_{k-i}, for three columns; G is coefficient 1, the next is STEP on;
 * lambda is coefficient k - 1, the next is NR back. N is a constant where this is inlined. */
static inline void add_products(int n, const double *G, size_t step, const double *lambda, size_t nr, size_t last,
                                double *force)
{
  double sum[3 * HN_MAX_ROWS] = { 0 };
  for (size_t i = 0; i < last; i++, G += step, lambda -= nr)
    for (int c = 0; c < 3; c++)
      for (int r = 0; r < n; r++) sum[c * n + r] += G[c * n + r] * lambda[r];
  for (int c = 0; c < 3; c++)
    for (int r = 0; r < n; r++) force[c] += sum[c * n + r];
}

static inline void add_wrench(hn_series *s, int n, int j, size_t k)
{
  const hn_model *model = s->system->model;
  const hn_joint *joint = &model->joint[j];
  const size_t nr = (size_t)model->nrow, step = 12 * (size_t)n, last = s->pushing[j] < k ? s->pushing[j] : k;
  const double *G = jacobian_of(s, joint, 1), *lambda = s->lambda + nr * (k - 1) + joint->row;
  for (int side = 0; side < 2; side++, G += 6 * n) {
    int body = side == 0 ? joint->a : joint->b;
    double *force = s->force + 6 * body;
    if (model->body[body].kind != HN_FIXED) add_products(n, G, step, lambda, nr, last, force);
    if (model->body[body].kind == HN_RIGID) add_products(n, G + 3 * n, step, lambda, nr, k, force + 3);
  }
}

/* s->force = coefficient k of all forces, with lambda_k = 0. */
static void sum_forces(hn_series *s, size_t k)
{
  const hn_model *model = s->system->model;
  memset(s->force, 0, sizeof *s->force * 6 * (size_t)model->nbody);
  for (int j = 0; j < model->njoint && k > 0; j++) {
    int n = model->joint[j].type->rows;
    if (n == 3) add_wrench(s, 3, j, k);
    else if (n == 1) add_wrench(s, 1, j, k);
    else add_wrench(s, n, j, k);
  }
  if (!s->forces) return;
  hn_force_series_add(s->forces, k, s->body, s->force);
  s->system->work.forces += (uint64_t)model->nforce;
}

/* force += G' p for one side of a joint; N is a constant where this is inlined. */
static inline void add_side(int n, const double *G, const double *p, double *force)
{
  for (int c = 0; c < 6; c++) {
    double sum = force[c];
    for (int r = 0; r < n; r++) sum += G[c * n + r] * p[r];
    force[c] = sum;
  }
}

static inline void add_effect(const hn_series *s, int n, const hn_joint *joint, const double *p)
{
  const double *G = s->system->G + 12 * joint->row;
  add_side(n, G, p, s->force + 6 * joint->a);
  add_side(n, G + 6 * n, p, s->force + 6 * joint->b);
}

/* s->force = G_0' lambda. */
static void apply(hn_series *s, const double *lambda)
{
  const hn_model *model = s->system->model;
  memset(s->force, 0, sizeof *s->force * 6 * (size_t)model->nbody);
  for (int j = 0; j < model->njoint; j++) {
    const hn_joint *joint = &model->joint[j];
    int n = joint->type->rows;
    if (n == 3) add_effect(s, 3, joint, lambda + joint->row);
    else if (n == 1) add_effect(s, 1, joint, lambda + joint->row);
    else add_effect(s, n, joint, lambda + joint->row);
  }
  s->system->work.impulses += (uint64_t)model->njoint;
}

/* ---- Rows of velocities ------------------------------------------------------------------------------------------ */

/* c += coefficient k of G u for one side of a joint. */
static void add_rate(const hn_series *s, const hn_joint *joint, int side, size_t k, double *c)
{
  const size_t n = (size_t)joint->type->rows, bodies = (size_t)s->system->model->nbody;
  const int body = side == 0 ? joint->a : joint->b;
  for (size_t i = 0; i <= k; i++) {
    const double *G = jacobian_of(s, joint, i) + 6 * n * (size_t)side;
    const double *u = s->twist + 6 * (bodies * (k - i) + (size_t)body);
    for (size_t column = 0; column < 6; column++)
      for (size_t r = 0; r < n; r++) c[r] += G[column * n + r] * u[column];
  }
}

/* What rows of velocities have in the place of g_{k+2}. Coefficient k of the twists is final now, k + 1 has no lambda_k
 * yet. */
static void predict_rates(hn_series *s, size_t k, double *g)
{
  const hn_model *model = s->system->model;
  const size_t bodies = (size_t)model->nbody;
  for (size_t m = k; m <= k + 1; m++)
    for (size_t i = 0; i < bodies; i++) hn_body_series_twist(&s->body[i], m, s->twist + 6 * (bodies * m + i));
  for (int j = 0; j < model->njoint; j++) {
    const hn_joint *joint = &model->joint[j];
    double *c = s->bias + joint->row;
    if (!joint->type->velocity) continue;
    for (int side = 0; side < 2; side++) add_rate(s, joint, side, k + 1, c);
    for (int r = 0; r < joint->type->rows; r++) g[joint->row + r] = c[r] / (double)(k + 2);
  }
}

/* ---- The powers, one after the other ---------------------------------------------------------------------------- */

void hn_series_start(hn_series *s, const hn_state *state)
{
  s->time = state->time;
  const hn_model *model = s->system->model;
  for (int i = 0; i < model->nbody; i++)
    hn_body_series_start(&s->body[i], &model->body[i], &state->pose[i], &state->twist[i]);
  memset(s->pushing, 0, sizeof *s->pushing * (size_t)model->njoint);
  if (s->forces) hn_force_series_start(s->forces, state);
  for (size_t k = 0; k < 2; k++) evaluate_jacobians(s, k, s->bias ? s->bias : s->system->g);
}

void hn_series_predict(hn_series *s, size_t k, double *g)
{
  const hn_model *model = s->system->model;
  sum_forces(s, k);
  for (int i = 1; i < model->nbody; i++)
    hn_body_series_advance(&s->body[i], &model->body[i], k, s->force + 6 * i);
  if (s->bias) predict_rates(s, k, g);
  for (int j = 0; j < model->njoint; j++) {
    const hn_joint *joint = &model->joint[j];
    call_jet(s, j, k + 2, (joint->type->velocity ? s->bias : g) + joint->row, NULL, NULL);
  }
  s->system->work.jets += (uint64_t)model->njoint;
}

void hn_series_push(hn_series *s, size_t k, const double *lambda)
{
  const hn_model *model = s->system->model;
  memcpy(s->lambda + (size_t)model->nrow * k, lambda, sizeof *lambda * (size_t)model->nrow);
  apply(s, lambda);
  for (int i = 1; i < model->nbody; i++)
    if (model->body[i].kind != HN_FIXED) hn_body_series_push(&s->body[i], &model->body[i], k, s->force + 6 * i);
  if (k + 1 < s->order) evaluate_jacobians(s, k + 2, NULL);
}

void hn_series_state(const hn_series *s, double h, size_t order, hn_state *state)
{
  const hn_model *model = s->system->model;
  for (int i = 1; i < model->nbody; i++)
    if (model->body[i].kind != HN_FIXED)
      hn_body_series_state(&s->body[i], &model->body[i], h, order, &state->pose[i], &state->twist[i]);
}

void hn_series_multipliers(const hn_series *s, double h, size_t order, double *lambda)
{
  const size_t nr = (size_t)s->system->model->nrow;
  for (size_t r = 0; r < nr; r++) {
    double sum = 0.0;
    for (size_t k = order; k-- > 0;) sum = sum * h + s->lambda[nr * k + r];
    lambda[r] = sum;
  }
}

static double size_of(const double *series, size_t components, size_t stride, size_t k)
{
  double sum = 0.0;
  for (size_t c = 0; c < components; c++) sum += series[c * stride + k] * series[c * stride + k];
  return sqrt(sum);
}

double hn_series_size(const hn_series *s, size_t k)
{
  double largest = 0.0;
  for (int i = 1; i < s->system->model->nbody; i++) {
    const hn_body_jet *jet = &s->body[i].jet;
    double x = size_of(jet->x, 3, s->stride, k), q = size_of(jet->q, 4, s->stride, k);
    if (exceeds(x, largest)) largest = x;
    if (exceeds(q, largest)) largest = q;
  }
  return largest;
}
