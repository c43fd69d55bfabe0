/* series.c - the motion of all bodies as truncated power series in time, for Taylor methods.
 *
 *   m x'' = m gravity + sum of forces,   L' = sum of torques about the centre of mass (world axes)
 *   W = J^-1 R' L,  q' = q (0, W) / 2,   R the matrix of q
 *   force and torque of a joint on its bodies: G(t)' lambda(t), the product of two series
 *
 * Coefficient k of the forces gives k + 2 of x and k + 1 of L, hence k + 1 of W and k + 2 of q and R. The angular
 * momentum stands in for the angular velocity: without torque its series ends at once. Cost: O(k) a coefficient.
 * [METHODS, Taylor solver; schmitt2005, section 6, derives k = 0 for particles] */
#include "series.h"
#include "vec.h"

#include <stdlib.h>
#include <string.h>

typedef struct body_series {
  hn_body_jet jet;
  double *L;       /* [3] angular momentum, world axes */
  double *W;       /* [3] angular velocity, body axes */
} body_series;

struct hn_series {
  hn_system *system;
  size_t stride;
  body_series *body;   /* [nbody] */
  double *storage;     /* of the bodies */
  double *work;        /* of the joints' jets */
  size_t *work_at;     /* [njoint] */
  double *G;           /* [stride][12 nrow] Jacobian blocks as in hn_system, a coefficient after the other */
  double *lambda;      /* [stride][nrow] */
  double *force;       /* [6 nbody] one coefficient of force and torque */
};

enum { NUMBERS_OF_A_BODY = 3 + 4 + 9 + 3 + 3 };

void hn_series_free(hn_series *s)
{
  if (!s) return;
  free(s->body), free(s->storage), free(s->work), free(s->work_at), free(s->G), free(s->lambda), free(s->force);
  free(s);
}

static void lay_out_body(body_series *body, double *at, size_t stride)
{
  body->jet = (hn_body_jet){ .stride = stride, .x = at, .q = at + 3 * stride, .R = at + 7 * stride };
  body->L = at + 16 * stride;
  body->W = at + 19 * stride;
}

hn_series *hn_series_create(hn_system *system, int order, hn_error *error)
{
  const hn_model *model = system->model;
  size_t nb = (size_t)model->nbody, nj = (size_t)model->njoint, nr = (size_t)model->nrow, jets = 0;
  hn_series *s = calloc(1, sizeof *s);
  if (s) s->work_at = calloc(nj + 1, sizeof *s->work_at);
  if (!s || !s->work_at) {
    hn_series_free(s);
    hn_fail(error, "out of memory");
    return NULL;
  }
  s->system = system;
  s->stride = (size_t)order + 2;
  for (size_t j = 0; j < nj; j++) {
    s->work_at[j] = jets * s->stride;
    jets += (size_t)model->joint[j].type->jet_series;
  }
  s->body = calloc(nb, sizeof *s->body);
  s->storage = calloc(nb * NUMBERS_OF_A_BODY * s->stride, sizeof *s->storage);
  s->work = calloc(jets * s->stride + 1, sizeof *s->work);
  s->G = calloc(12 * nr * s->stride + 1, sizeof *s->G);
  s->lambda = calloc(nr * s->stride + 1, sizeof *s->lambda);
  s->force = calloc(6 * nb, sizeof *s->force);
  if (!s->body || !s->storage || !s->work || !s->G || !s->lambda || !s->force) {
    hn_series_free(s);
    hn_fail(error, "out of memory");
    return NULL;
  }
  for (size_t i = 0; i < nb; i++) lay_out_body(&s->body[i], s->storage + i * NUMBERS_OF_A_BODY * s->stride, s->stride);
  return s;
}

/* ---- One body ------------------------------------------------------------------------------------------------------ */

static double product_coefficient(const double *a, const double *b, size_t k)
{
  double sum = 0.0;
  for (size_t i = 0; i <= k; i++) sum += a[i] * b[k - i];
  return sum;
}

/* R_k from q_0 .. q_k: ww + xx - yy - zz and so on. */
static void matrix_coefficient(const hn_body_jet *body, size_t k)
{
  const size_t n = body->stride;
  const double *w = body->q, *x = w + n, *y = x + n, *z = y + n;
  double ww = product_coefficient(w, w, k), xx = product_coefficient(x, x, k), yy = product_coefficient(y, y, k);
  double zz = product_coefficient(z, z, k), wx = product_coefficient(w, x, k), wy = product_coefficient(w, y, k);
  double wz = product_coefficient(w, z, k), xy = product_coefficient(x, y, k), xz = product_coefficient(x, z, k);
  double yz = product_coefficient(y, z, k), *R = body->R + k;
  R[0] = ww + xx - yy - zz, R[n] = 2.0 * (xy - wz), R[2 * n] = 2.0 * (xz + wy);
  R[3 * n] = 2.0 * (xy + wz), R[4 * n] = ww - xx + yy - zz, R[5 * n] = 2.0 * (yz - wx);
  R[6 * n] = 2.0 * (xz - wy), R[7 * n] = 2.0 * (yz + wx), R[8 * n] = ww - xx - yy + zz;
}

/* q_k = sum over i of q_{k-1-i} (0, W_i) / (2 k). */
static void quaternion_coefficient(const body_series *body, size_t k)
{
  const size_t n = body->jet.stride;
  double *q = body->jet.q;
  double sum[4] = { 0, 0, 0, 0 };
  for (size_t i = 0; i < k; i++) {
    const double turn[4] = { 0.0, body->W[i], body->W[n + i], body->W[2 * n + i] };
    const double from[4] = { q[k - 1 - i], q[n + k - 1 - i], q[2 * n + k - 1 - i], q[3 * n + k - 1 - i] };
    double part[4];
    quat_mul(part, from, turn);
    for (int c = 0; c < 4; c++) sum[c] += part[c];
  }
  for (size_t c = 0; c < 4; c++) q[c * n + k] = 0.5 * sum[c] / (double)k;
}

/* W_k = J^-1 sum over i of R_i' L_{k-i}. */
static void velocity_coefficient(const body_series *body, const double inv_J[3], size_t k)
{
  const size_t n = body->jet.stride;
  for (size_t c = 0; c < 3; c++) {
    double sum = 0.0;
    for (size_t r = 0; r < 3; r++) sum += product_coefficient(body->jet.R + (3 * r + c) * n, body->L + r * n, k);
    body->W[c * n + k] = inv_J[c] * sum;
  }
}

static void start_body(body_series *body, const hn_body *of, const hn_pose *pose, const hn_twist *twist)
{
  const size_t n = body->jet.stride;
  double R[9], w_b[3], L_b[3], L[3];
  quat_matrix(R, pose->q);
  mat_tvec(w_b, R, twist->w);
  for (int c = 0; c < 3; c++) L_b[c] = of->J[c] * w_b[c];
  mat_vec(L, R, L_b);
  for (size_t c = 0; c < 3; c++) {
    body->jet.x[c * n] = pose->x[c], body->jet.x[c * n + 1] = twist->v[c];
    body->L[c * n] = L[c], body->W[c * n] = of->kind == HN_RIGID ? w_b[c] : 0.0;
  }
  for (size_t c = 0; c < 4; c++) body->jet.q[c * n] = pose->q[c];
  matrix_coefficient(&body->jet, 0);
  quaternion_coefficient(body, 1);
  matrix_coefficient(&body->jet, 1);
}

/* x_{k+2}, L_{k+1} and what follows, from coefficient k of force and torque. */
static void advance_body(body_series *body, const hn_body *of, size_t k, const double force[6], const double gravity[3])
{
  const size_t n = body->jet.stride;
  if (of->kind == HN_FIXED) return;
  for (size_t c = 0; c < 3; c++) {
    double a = of->inv_mass * force[c] + (k == 0 ? gravity[c] : 0.0);
    body->jet.x[c * n + k + 2] = a / (double)((k + 1) * (k + 2));
  }
  if (of->kind != HN_RIGID) return;
  for (size_t c = 0; c < 3; c++) body->L[c * n + k + 1] = force[3 + c] / (double)(k + 1);
  velocity_coefficient(body, of->inv_J, k + 1);
  quaternion_coefficient(body, k + 2);
  matrix_coefficient(&body->jet, k + 2);
}

/* ---- All bodies and joints ------------------------------------------------------------------------------------------ */

/* Coefficient k of all residuals into g, and of the Jacobians when KEEP is set. */
static void evaluate_jets(hn_series *s, size_t k, bool keep, double *g)
{
  const hn_model *model = s->system->model;
  double *G = s->G + 12 * (size_t)model->nrow * k;
  for (int j = 0; j < model->njoint; j++) {
    const hn_joint *joint = &model->joint[j];
    double *Ga = keep ? G + 12 * joint->row : NULL, *Gb = keep ? Ga + 6 * joint->type->rows : NULL;
    joint->type->jet(joint, &s->body[joint->a].jet, &s->body[joint->b].jet, k, s->work + s->work_at[j], g + joint->row,
                     Ga, Gb);
  }
  s->system->work.jets += (uint64_t)model->njoint;
}

/* force += G' lambda for all joints, from one coefficient of each. */
static void add_forces(hn_series *s, const double *G, const double *lambda)
{
  const hn_model *model = s->system->model;
  for (int j = 0; j < model->njoint; j++) {
    const hn_joint *joint = &model->joint[j];
    int n = joint->type->rows, end[2] = { joint->a, joint->b };
    for (int side = 0; side < 2; side++) {
      const double *block = G + 12 * joint->row + 6 * n * side;
      double *force = s->force + 6 * end[side];
      for (int c = 0; c < 6; c++)
        for (int r = 0; r < n; r++) force[c] += block[c * n + r] * lambda[joint->row + r];
    }
  }
}

static void advance(hn_series *s, size_t k)
{
  const hn_model *model = s->system->model;
  for (int i = 1; i < model->nbody; i++)
    advance_body(&s->body[i], &model->body[i], k, s->force + 6 * i, model->gravity);
}

void hn_series_start(hn_series *s, const hn_state *state)
{
  const hn_model *model = s->system->model;
  for (int i = 0; i < model->nbody; i++) start_body(&s->body[i], &model->body[i], &state->pose[i], &state->twist[i]);
  evaluate_jets(s, 0, true, s->system->g);
  evaluate_jets(s, 1, true, s->system->g);
}

void hn_series_predict(hn_series *s, size_t k, double *g)
{
  const size_t nr = (size_t)s->system->model->nrow;
  memset(s->force, 0, sizeof *s->force * 6 * (size_t)s->system->model->nbody);
  for (size_t i = 1; i <= k; i++) add_forces(s, s->G + 12 * nr * i, s->lambda + nr * (k - i));
  advance(s, k);
  evaluate_jets(s, k + 2, false, g);
}

void hn_series_push(hn_series *s, size_t k, const double *lambda)
{
  const size_t nr = (size_t)s->system->model->nrow;
  memcpy(s->lambda + nr * k, lambda, sizeof *lambda * nr);
  add_forces(s, s->G, lambda); /* s->force still holds the rest of coefficient k */
  advance(s, k);
  evaluate_jets(s, k + 2, true, s->system->g);
  s->system->work.impulses += (uint64_t)s->system->model->njoint;
}

/* Horner's rule. */
static double value(const double *coefficient, size_t order, double h)
{
  double sum = coefficient[order];
  for (size_t k = order; k-- > 0;) sum = sum * h + coefficient[k];
  return sum;
}

static double derivative(const double *coefficient, size_t order, double h)
{
  double sum = 0.0;
  for (size_t k = order + 1; k-- > 0;) sum = sum * h + (double)(k + 1) * coefficient[k + 1];
  return sum;
}

static void state_of_body(const body_series *body, const hn_body *of, double h, size_t order, hn_pose *pose,
                          hn_twist *twist)
{
  const size_t n = body->jet.stride;
  double R[9], L[3], w_b[3];
  for (size_t c = 0; c < 3; c++) {
    pose->x[c] = value(body->jet.x + c * n, order, h);
    twist->v[c] = derivative(body->jet.x + c * n, order, h);
    L[c] = value(body->L + c * n, order, h);
  }
  if (of->kind != HN_RIGID) return;
  for (size_t c = 0; c < 4; c++) pose->q[c] = value(body->jet.q + c * n, order, h);
  quat_normalise(pose->q);
  quat_matrix(R, pose->q);
  mat_tvec(w_b, R, L);
  for (int c = 0; c < 3; c++) w_b[c] *= of->inv_J[c];
  mat_vec(twist->w, R, w_b);
}

void hn_series_state(const hn_series *s, double h, size_t order, hn_state *state)
{
  const hn_model *model = s->system->model;
  for (int i = 1; i < model->nbody; i++)
    if (model->body[i].kind != HN_FIXED)
      state_of_body(&s->body[i], &model->body[i], h, order, &state->pose[i], &state->twist[i]);
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
