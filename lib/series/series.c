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
#include "series/sweep.h"
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
  double *push, *turn; /* for one joint after the other likewise, [side][kept][3 rows]: coefficients of the columns of v and of w
                          of its blocks in hn_system; those of v as far as PUSHING */
  size_t *at;          /* [njoint] rows of the joints that are visited before */
  size_t *pushing;     /* [njoint] the last coefficient of the columns of v that is not zero */
  double *lambda;      /* for one joint after the other, as they are visited, [order][rows] */
  hn_sweep sweep;      /* the order of visits, and the links of each body */
  double *twist;       /* [kept][6 nbody] coefficients of the twists; like the next NULL without rows of velocities */
  double *bias;        /* [nrow] of rows of velocities: the coefficient that is asked for next */
  hn_force_series *forces; /* of the model; NULL when it has none */
};

void hn_series_free(hn_series *s)
{
  if (!s) return;
  free(s->body), free(s->storage), free(s->work), free(s->work_at), free(s->push), free(s->turn), free(s->at), free(s->pushing);
  free(s->lambda), free(s->twist), free(s->bias);
  hn_sweep_free(&s->sweep);
  hn_force_series_free(s->forces);
  free(s);
}

static void lay_out_body(hn_body_series *body, double *at, size_t stride)
{
  body->jet = (hn_body_jet){ .stride = stride, .x = at, .q = at + 3 * stride, .R = at + 7 * stride };
  body->L = at + 16 * stride;
  body->W = at + 19 * stride;
}

static void lay_out_joints(hn_series *s)
{
  const hn_model *model = s->system->model;
  size_t rows = 0;
  for (size_t v = 0; v < s->sweep.nvisit; v++) {
    const hn_visit visit = s->sweep.visit[v];
    if (visit.kind != HN_VISIT_LINK || visit.index >= model->njoint) continue;
    s->at[visit.index] = rows;
    rows += (size_t)model->joint[visit.index].type->rows;
  }
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
  s->push = calloc(6 * nr * s->kept + 1, sizeof *s->push);
  s->turn = calloc(6 * nr * s->kept + 1, sizeof *s->turn);
  s->at = calloc(nj + 1, sizeof *s->at);
  s->pushing = calloc(nj + 1, sizeof *s->pushing);
  s->lambda = calloc(nr * s->order + 1, sizeof *s->lambda);
  s->twist = rates ? calloc(6 * nb * s->kept, sizeof *s->twist) : NULL;
  s->bias = rates ? calloc(nr, sizeof *s->bias) : NULL;
  if (!s->body || !s->storage || !s->work || !s->push || !s->turn || !s->at || !s->pushing || !s->lambda ||
      (rates && (!s->twist || !s->bias))) {
    hn_series_free(s);
    hn_fail(error, "out of memory");
    return NULL;
  }
  s->forces = model->nforce > 0 ? hn_force_series_create(model, s->stride, error) : NULL;
  if ((model->nforce > 0 && !s->forces) || hn_sweep_init(&s->sweep, model, error)) {
    hn_series_free(s);
    return NULL;
  }
  lay_out_joints(s);
  for (size_t i = 0; i < nb; i++)
    lay_out_body(&s->body[s->sweep.body[i]], s->storage + i * HN_BODY_SERIES * s->stride, s->stride);
  return s;
}

/* ---- All bodies and joints -------------------------------------------------------------------------------------- */

static inline void call_jet(hn_series *s, int j, size_t k, double *g, double *G_a, double *G_b)
{
  const hn_joint *joint = &s->system->model->joint[j];
  joint->type->jet(joint, s->time, &s->body[joint->a].jet, &s->body[joint->b].jet, k, s->work + s->work_at[j], g, G_a,
                   G_b);
}

/* Where coefficient k of the columns of v or w stands, of one side of a joint, in push or turn. */
static inline size_t columns_at(const hn_series *s, int j, int side, size_t k)
{
  const size_t n = (size_t)s->system->model->joint[j].type->rows;
  return 3 * (2 * s->at[j] * s->kept + n * (s->kept * (size_t)side + k));
}

/* Coefficient k of the multipliers of a joint. */
static inline double *multipliers_of(const hn_series *s, int j, size_t k)
{
  return s->lambda + s->at[j] * s->order + (size_t)s->system->model->joint[j].type->rows * k;
}

/* Keeps coefficient k of the blocks of a joint, G_a and behind it G_b. Columns of v that are constant cost nothing. */
static void keep_jacobian(hn_series *s, int j, size_t k, const double *G)
{
  const hn_joint *joint = &s->system->model->joint[j];
  const size_t half = 3 * (size_t)joint->type->rows;
  bool zero = true;
  for (size_t i = 0; i < half; i++) zero &= G[i] == 0.0 && G[2 * half + i] == 0.0;
  for (int side = 0; side < 2; side++, G += 2 * half) {
    double *push = s->push + columns_at(s, j, side, 0);
    memcpy(s->turn + columns_at(s, j, side, k), G + half, half * sizeof *G);
    if (zero && k > 0) continue;
    for (size_t i = s->pushing[j] + 1; i < k; i++) memset(push + half * i, 0, half * sizeof *push);
    memcpy(push + half * k, G, half * sizeof *G);
  }
  if (!zero) s->pushing[j] = k;
}

/* Coefficient k of a Jacobian that will be needed, and of the joint's own series; g may be NULL as in jet. */
static void evaluate_jacobian(hn_series *s, int j, size_t k, double *g)
{
  const hn_joint *joint = &s->system->model->joint[j];
  const bool has_series = joint->type->jet_series > 0; /* else coefficient 0 is not needed: it is the system's */
  const bool rate = joint->type->velocity;
  const bool wanted = rate ? k < s->kept : k == 0 ? has_series && s->order > 1 : k < s->order;
  double G[12 * HN_MAX_ROWS];
  if (!wanted && !has_series) return;
  call_jet(s, j, k, g ? g + joint->row : NULL, wanted ? G : NULL, wanted ? G + 6 * joint->type->rows : NULL);
  s->system->work.jets += g != NULL;
  if (wanted) keep_jacobian(s, j, k, G);
}

/* ---- What a joint does to one of its bodies ---------------------------------------------------------------------- */

/* force += sum over i = 1 .. last of G_i' lambda_{k-i}, for three columns; G is coefficient 1, lambda is k - 1. N is a
 * constant where this is inlined. */
static inline void add_products(int n, const double *G, const double *lambda, size_t last, double *force)
{
  double sum[3 * HN_MAX_ROWS] = { 0 };
  for (size_t i = 0; i < last; i++, G += 3 * n, lambda -= n)
    for (int c = 0; c < 3; c++)
      for (int r = 0; r < n; r++) sum[c * n + r] += G[c * n + r] * lambda[r];
  for (int c = 0; c < 3; c++)
    for (int r = 0; r < n; r++) force[c] += sum[c * n + r];
}

/* wrench += coefficient k > 0 of G' lambda with lambda_k = 0. */
static inline void add_wrench(const hn_series *s, int n, hn_link_end end, bool rigid, size_t k, double wrench[6])
{
  const size_t last = s->pushing[end.link] < k ? s->pushing[end.link] : k, at = columns_at(s, end.link, end.side, 1);
  const double *lambda = multipliers_of(s, end.link, k - 1);
  add_products(n, s->push + at, lambda, last, wrench);
  if (rigid) add_products(n, s->turn + at, lambda, k, wrench + 3);
}

/* wrench += G_0' p */
static inline void add_effect(const hn_series *s, int n, hn_link_end end, const double *p, double wrench[6])
{
  const hn_joint *joint = &s->system->model->joint[end.link];
  const double *G = s->system->G + 12 * joint->row + 6 * n * end.side;
  p += joint->row;
  for (int c = 0; c < 6; c++) {
    double sum = wrench[c];
    for (int r = 0; r < n; r++) sum += G[c * n + r] * p[r];
    wrench[c] = sum;
  }
}

/* ---- Rows of velocities ------------------------------------------------------------------------------------------ */

/* c += coefficient k of G u for one side of a joint. */
static void add_rate(const hn_series *s, int j, int side, size_t k, double *c)
{
  const hn_joint *joint = &s->system->model->joint[j];
  const size_t n = (size_t)joint->type->rows, bodies = (size_t)s->system->model->nbody;
  const int body = side == 0 ? joint->a : joint->b;
  for (size_t i = 0; i <= k; i++) {
    const double *u = s->twist + 6 * (bodies * (k - i) + (size_t)body);
    for (size_t column = i <= s->pushing[j] ? 0 : 3; column < 6; column++) {
      const double *G = (column < 3 ? s->push : s->turn) + columns_at(s, j, side, i) + n * (column % 3);
      for (size_t r = 0; r < n; r++) c[r] += G[r] * u[column];
    }
  }
}

/* What rows of velocities have in the place of g_{k+2}. Coefficient k of the twists is final now, k + 1 has no lambda_k
 * yet. */
static void predict_rate(hn_series *s, int j, size_t k, double *g)
{
  const hn_joint *joint = &s->system->model->joint[j];
  double *c = s->bias + joint->row;
  for (int side = 0; side < 2; side++) add_rate(s, j, side, k + 1, c);
  for (int r = 0; r < joint->type->rows; r++) g[joint->row + r] = c[r] / (double)(k + 2);
}

/* ---- The visits of one power -------------------------------------------------------------------------------------- */

static void push_body(hn_series *s, int i, size_t k, const double *lambda)
{
  const hn_model *model = s->system->model;
  double wrench[6] = { 0 };
  for (size_t e = s->sweep.first[i]; e < s->sweep.first[i + 1]; e++) {
    const hn_link_end end = s->sweep.end[e];
    if (end.link >= model->njoint) break; /* forces stand behind all joints */
    const int n = model->joint[end.link].type->rows;
    if (n == 3) add_effect(s, 3, end, lambda, wrench);
    else if (n == 1) add_effect(s, 1, end, lambda, wrench);
    else add_effect(s, n, end, lambda, wrench);
  }
  hn_body_series_push(&s->body[i], &model->body[i], k, wrench);
}

static void advance_body(hn_series *s, int i, size_t k)
{
  const hn_model *model = s->system->model;
  const bool rigid = model->body[i].kind == HN_RIGID;
  double wrench[6] = { 0 };
  for (size_t e = s->sweep.first[i]; e < s->sweep.first[i + 1]; e++) {
    const hn_link_end end = s->sweep.end[e];
    const int n = end.link < model->njoint ? model->joint[end.link].type->rows : 0;
    if (n == 0) hn_force_series_add(s->forces, end.link - model->njoint, end.side, k, wrench);
    else if (k == 0) continue; /* lambda_0 is not there yet */
    else if (n == 3) add_wrench(s, 3, end, rigid, k, wrench);
    else if (n == 1) add_wrench(s, 1, end, rigid, k, wrench);
    else add_wrench(s, n, end, rigid, k, wrench);
  }
  hn_body_series_advance(&s->body[i], &model->body[i], k, wrench);
  for (size_t m = k; m <= k + 1 && s->twist; m++)
    hn_body_series_twist(&s->body[i], m, s->twist + 6 * ((size_t)model->nbody * m + (size_t)i));
}

static void visit_residual(hn_series *s, int j, size_t k, double *g)
{
  const hn_joint *joint = &s->system->model->joint[j];
  if (joint->type->velocity) predict_rate(s, j, k, g), g = s->bias;
  call_jet(s, j, k + 2, g + joint->row, NULL, NULL);
}

/* All visits with lambda_{k-1} given: its effect, then what follows for k when MORE powers are wanted. */
static void go_through(hn_series *s, size_t k, const double *lambda, bool more, double *g)
{
  const int njoint = s->system->model->njoint;
  for (const hn_visit *v = s->sweep.visit, *end = v + s->sweep.nvisit; v < end; v++)
    if (v->kind == HN_VISIT_PUSH && k > 0) push_body(s, v->index, k - 1, lambda);
    else if (!more) continue;
    else if (v->kind == HN_VISIT_ADVANCE) advance_body(s, v->index, k);
    else if (v->kind == HN_VISIT_RESIDUAL) visit_residual(s, v->index, k, g);
    else if (v->kind == HN_VISIT_LINK && v->index >= njoint)
      hn_force_series_measure(s->forces, v->index - njoint, k, s->body);
    else if (v->kind == HN_VISIT_LINK && k > 0) evaluate_jacobian(s, v->index, k + 1, NULL);
  if (!more) return;
  s->system->work.jets += (uint64_t)njoint;
  s->system->work.forces += (uint64_t)s->system->model->nforce;
}

/* ---- The powers, one after the other ---------------------------------------------------------------------------- */

void hn_series_start(hn_series *s, const hn_state *state, double *g)
{
  s->time = state->time;
  const hn_model *model = s->system->model;
  for (int i = 0; i < model->nbody; i++)
    hn_body_series_start(&s->body[i], &model->body[i], &state->pose[i], &state->twist[i]);
  memset(s->pushing, 0, sizeof *s->pushing * (size_t)model->njoint);
  if (s->forces) hn_force_series_start(s->forces, state);
  for (size_t k = 0; k < 2; k++)
    for (int j = 0; j < model->njoint; j++) evaluate_jacobian(s, j, k, s->bias ? s->bias : s->system->g);
  go_through(s, 0, NULL, true, g);
}

void hn_series_push(hn_series *s, size_t k, const double *lambda, double *g)
{
  const hn_model *model = s->system->model;
  for (int j = 0; j < model->njoint; j++) {
    const hn_joint *joint = &model->joint[j];
    memcpy(multipliers_of(s, j, k), lambda + joint->row, sizeof *lambda * (size_t)joint->type->rows);
  }
  s->system->work.impulses += (uint64_t)model->njoint;
  go_through(s, k + 1, lambda, k + 1 < s->order, g);
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
  const hn_model *model = s->system->model;
  for (int j = 0; j < model->njoint; j++)
    for (int r = 0; r < model->joint[j].type->rows; r++) {
      double sum = 0.0;
      for (size_t k = order; k-- > 0;) sum = sum * h + multipliers_of(s, j, k)[r];
      lambda[model->joint[j].row + r] = sum;
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
