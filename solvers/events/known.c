/* known.c - forces along rows whose multipliers are known (known.h). */
#include "events/known.h"
#include "base/quiet.h"
#include "base/rates.h"
#include "base/vec.h"
#include "part/multipliers.h"

#include <gsl/gsl_linalg.h>
#include <stdlib.h>
#include <string.h>

struct hn_known {
  const hn_model *model;
  const hn_given *given;     /* [ngiven] */
  int ngiven;
  hn_model equations;        /* the model without forces */
  hn_system *system;         /* of these */
  int count;                 /* of given that depend on a normal: */
  int *sliding;              /* [count] */
  hn_twist *acceleration;    /* [nbody] */
  double *wrench;            /* [6 nbody] of one friction */
  double *lambda, *response; /* [nrow], [count * nrow] */
  gsl_matrix *A;             /* [count x count] */
  gsl_vector *normal;        /* [count] */
  gsl_permutation *order;
};

static int allocate(hn_known *k, hn_error *error)
{
  const size_t n = (size_t)k->count, rows = (size_t)k->model->nrow + 1, bodies = (size_t)k->model->nbody;
  k->acceleration = calloc(bodies, sizeof *k->acceleration);
  k->wrench = calloc(6 * bodies, sizeof *k->wrench);
  k->lambda = calloc(rows, sizeof *k->lambda), k->response = calloc((n + 1) * rows, sizeof *k->response);
  k->A = gsl_matrix_calloc(n + 1, n + 1), k->normal = gsl_vector_calloc(n + 1);
  k->order = gsl_permutation_calloc(n + 1);
  const bool made = k->acceleration && k->wrench && k->lambda && k->response && k->A && k->normal && k->order;
  return made ? 0 : hn_fail(error, "out of memory");
}

static int set_up(hn_known *k, hn_error *error)
{
  const hn_linear_options linear = { .backend = "ldl", .petsc = "", .redundancy = HN_REMOVE };
  k->equations = *k->model;
  k->equations.nforce = 0, k->equations.more = NULL;
  k->sliding = calloc((size_t)k->ngiven + 1, sizeof *k->sliding);
  if (!k->sliding) return hn_fail(error, "out of memory");
  for (int i = 0; i < k->ngiven; i++)
    if (k->given[i].normal >= 0) k->sliding[k->count++] = i;
  if (allocate(k, error)) return -1;
  k->system = hn_system_create(&k->equations, error);
  return k->system ? hn_system_use_linear(k->system, &linear, error) : -1;
}

hn_known *hn_known_create(const hn_model *model, const hn_given *given, int count, hn_error *error)
{
  hn_known *k = calloc(1, sizeof *k);
  hn_quiet_gsl();
  if (!k) hn_fail(error, "out of memory");
  else k->model = model, k->given = given, k->ngiven = count;
  if (k && set_up(k, error) == 0) return k;
  hn_known_free(k);
  return NULL;
}

void hn_known_free(hn_known *k)
{
  if (!k) return;
  hn_system_free(k->system);
  free(k->sliding), free(k->acceleration), free(k->wrench), free(k->lambda), free(k->response);
  if (k->A) gsl_matrix_free(k->A);
  if (k->normal) gsl_vector_free(k->normal);
  if (k->order) gsl_permutation_free(k->order);
  free(k);
}

void hn_known_direction(const hn_given *given, int n, const double *v, double *d)
{
  const double least = 1e-12, least_across = 1e-8; /* m/s: what is slower, or as slow beside its way, goes straight */
  double size = norm_of(v, n), side = 0.0, across = 0.0;
  for (int r = 0; r < n; r++) side += v[r] * given->along[r];
  for (int r = 0; r < n; r++) across = fmax(across, fabs(v[r] - side * given->along[r]));
  const bool straight = size <= least || across <= least_across;
  for (int r = 0; r < n; r++) d[r] = straight ? given->along[r] : (side < 0.0 ? -v[r] : v[r]) / size;
}

/* WRENCH += SCALE G' q of JOINT at STATE; with V, the rates of its rows go there first, and Q is made of them. */
static void add_rows(const hn_given *given, const hn_state *state, double scale, double *wrench)
{
  const hn_joint *joint = given->joint;
  const int n = joint->type->rows;
  const hn_twist *ua = &state->twist[joint->a], *ub = &state->twist[joint->b];
  double G_a[6 * HN_MAX_ROWS], G_b[6 * HN_MAX_ROWS], rate[HN_MAX_ROWS], q[HN_MAX_ROWS];
  joint->type->eval(joint, state->time, &state->pose[joint->a], ua, &state->pose[joint->b], ub,
                    &(hn_rows){ .G_a = G_a, .G_b = G_b, .bias = rate });
  memcpy(q, given->force, sizeof *q * (size_t)n);
  if (given->normal >= 0) {
    hn_add_rates(n, G_a, ua, G_b, ub, rate);
    hn_known_direction(given, n, rate, q);
    for (int r = 0; r < n; r++) q[r] *= -given->mu;
  }
  for (int c = 0; c < 6; c++)
    for (int r = 0; r < n; r++) {
      wrench[6 * joint->a + c] += scale * G_a[c * n + r] * q[r];
      wrench[6 * joint->b + c] += scale * G_b[c * n + r] * q[r];
    }
}

/* lambda without friction, and what a unit of the normal multiplier of every friction makes of it. */
static hn_reason find_responses(hn_known *k, const hn_state *state, const double *wrench)
{
  hn_system *s = k->system;
  const size_t bodies = (size_t)s->model->nbody, rows = (size_t)s->model->nrow;
  hn_system_jacobian(s, state);
  hn_reason reason = hn_system_factor(s);
  if (reason != HN_CONVERGED) return reason;
  hn_system_gamma(s, state);
  hn_system_free_acceleration(s, state, k->acceleration);
  hn_system_push(s, state, wrench, 1.0, k->acceleration);
  reason = hn_forces_against(s, k->acceleration, s->gamma, k->lambda);
  for (int j = 0; j < k->count && reason == HN_CONVERGED; j++) {
    memset(k->wrench, 0, 6 * bodies * sizeof *k->wrench);
    memset(k->acceleration, 0, bodies * sizeof *k->acceleration);
    add_rows(&k->given[k->sliding[j]], state, 1.0, k->wrench);
    hn_system_push(s, state, k->wrench, 1.0, k->acceleration);
    reason = hn_forces_against(s, k->acceleration, NULL, k->response + rows * (size_t)j);
  }
  return reason;
}

/* The multipliers of the normals into k->normal; false where there is no one solution. */
static bool find_normals(hn_known *k)
{
  const size_t rows = (size_t)k->model->nrow, n = (size_t)k->count;
  int sign;
  for (size_t i = 0; i < n; i++) {
    const int row = k->model->joint[k->given[k->sliding[i]].normal].row;
    gsl_vector_set(k->normal, i, k->lambda[row]);
    for (size_t j = 0; j < n; j++) gsl_matrix_set(k->A, i, j, (i == j) - k->response[rows * j + (size_t)row]);
  }
  gsl_matrix_view A = gsl_matrix_submatrix(k->A, 0, 0, n, n);
  gsl_vector_view b = gsl_vector_subvector(k->normal, 0, n);
  gsl_permutation order = { .size = n, .data = k->order->data };
  return gsl_linalg_LU_decomp(&A.matrix, &order, &sign) == 0 && gsl_linalg_LU_svx(&A.matrix, &order, &b.vector) == 0;
}

void hn_known_add(void *known, const hn_state *state, double *wrench)
{
  hn_known *k = known;
  for (int i = 0; i < k->ngiven; i++)
    if (k->given[i].normal < 0) add_rows(&k->given[i], state, 1.0, wrench);
  k->system->work.forces += (uint64_t)k->ngiven;
  if (k->count == 0) return;
  const bool found = find_responses(k, state, wrench) == HN_CONVERGED && find_normals(k);
  for (int j = 0; j < k->count; j++)
    add_rows(&k->given[k->sliding[j]], state, found ? gsl_vector_get(k->normal, (size_t)j) : (double)NAN, wrench);
}

hn_work hn_known_work(hn_known *k)
{
  const hn_work work = k->system->work;
  k->system->work = (hn_work){ 0 };
  return work;
}
