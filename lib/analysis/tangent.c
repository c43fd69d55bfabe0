/* tangent.c - coordinates of the motions that the joints allow at a state (tangent.h).
 *
 * With rows b of G S scaled to unit length, the null space is that of B' B: its eigenvectors with eigenvalues
 * up to rank_tolerance^2, the tolerance of the rank analysis. */
#include "analysis/tangent.h"
#include "base/quiet.h"
#include "base/vec.h"

#include <gsl/gsl_eigen.h>
#include <stdlib.h>
#include <string.h>

static const double rank_tolerance = 1e-6;

void hn_tangent_free(hn_tangent *t)
{
  free(t->body), free(t->axis), free(t->Zq), free(t->Zv);
  *t = (hn_tangent){ .n = 0 };
}

/* Lists the coordinates of the bodies; those without inertia in a planar model are none. */
static void list_coordinates(hn_tangent *t, const hn_model *model)
{
  for (int i = 1; i < model->nbody; i++) {
    const hn_body *body = &model->body[i];
    for (int k = 0; k < 6; k++) {
      const bool moves = k < 3 ? body->kind != HN_FIXED && !(model->planar && k == 2)
                               : body->kind == HN_RIGID && body->inv_J[k - 3] > 0.0;
      if (moves) t->body[t->n] = i, t->axis[t->n++] = k;
    }
  }
}

/* OUT[6] := column C of S: the twist of its body for y = 1. */
static void column(const hn_tangent *t, const hn_model *model, const hn_state *state, int c, double out[6])
{
  const hn_body *body = &model->body[t->body[c]];
  const int k = t->axis[c];
  memset(out, 0, 6 * sizeof *out);
  if (k < 3) {
    out[k] = sqrt(body->inv_mass);
  } else {
    double along[3] = { 0 };
    along[k - 3] = sqrt(body->inv_J[k - 3]);
    quat_rotate(out + 3, state->pose[t->body[c]].q, along);
  }
}

void hn_tangent_twist(const hn_tangent *t, const hn_model *model, const hn_state *state, const double *y,
                      hn_twist *d)
{
  memset(d, 0, sizeof *d * (size_t)model->nbody);
  for (int c = 0; c < t->n; c++) {
    double s[6];
    column(t, model, state, c, s);
    vec_add_scaled(d[t->body[c]].v, y[c], s), vec_add_scaled(d[t->body[c]].w, y[c], s + 3);
  }
}

double hn_tangent_dot(const hn_tangent *t, const hn_model *model, const hn_state *state, const double *z,
                      const hn_twist *a)
{
  double sum = 0.0;
  for (int c = 0; c < t->n; c++) {
    const hn_body *body = &model->body[t->body[c]];
    const int k = t->axis[c];
    const double inertia = k < 3 ? body->mass : body->J[k - 3];
    double s[6];
    column(t, model, state, c, s); /* M S = S^-T: the column times the inertia along it */
    sum += z[c] * inertia * (vec_dot(s, a[t->body[c]].v) + vec_dot(s + 3, a[t->body[c]].w));
  }
  return sum;
}

/* Stores row ROW of B, scaled to unit length, in B[n]. */
static void scaled_row(const hn_tangent *t, const hn_system *s, const hn_state *state, const hn_block *block,
                       int r, double *b)
{
  const double *G = s->G + 12 * block->row;
  double sum = 0.0;
  for (int c = 0; c < t->n; c++) {
    double column_c[6];
    b[c] = 0.0;
    column(t, s->model, state, c, column_c);
    for (int i = 0; i < 6; i++) {
      if (t->body[c] == block->a) b[c] += G[i * block->n + r] * column_c[i];
      if (t->body[c] == block->b) b[c] += G[(6 + i) * block->n + r] * column_c[i];
    }
    sum += b[c] * b[c];
  }
  for (int c = 0; c < t->n && sum > 0.0; c++) b[c] /= sqrt(sum);
}

/* Returns B' B of the held rows; NULL if out of memory. */
static gsl_matrix *gram(const hn_tangent *t, const hn_manifold *m, const hn_state *state)
{
  const hn_system *s = m->system;
  const size_t n = (size_t)t->n;
  gsl_matrix *gram = gsl_matrix_calloc(n, n);
  double *b = calloc(n, sizeof *b);
  for (const hn_block *block = s->block; gram && b && block < s->block + s->nblock; block++)
    for (int r = 0; r < block->n; r++) {
      if (!hn_system_is_held(s, block->row + r)) continue;
      scaled_row(t, s, state, block, r, b);
      for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n && b[i] != 0.0; j++)
          gsl_matrix_set(gram, i, j, gsl_matrix_get(gram, i, j) + b[i] * b[j]);
    }
  if (!b) gsl_matrix_free(gram), gram = NULL;
  free(b);
  return gram;
}

/* Computes the basis of the null space of the held rows in Z[count * n]. Returns count, or -1. */
static int null_space(const hn_tangent *t, const hn_manifold *m, const hn_state *state, double **Z,
                      hn_error *error)
{
  const size_t n = (size_t)t->n;
  gsl_matrix *a = gram(t, m, state), *vectors = gsl_matrix_alloc(n, n);
  gsl_vector *value = gsl_vector_alloc(n);
  gsl_eigen_symmv_workspace *work = gsl_eigen_symmv_alloc(n);
  int count = *Z && a && vectors && value && work ? 0 : hn_fail(error, "out of memory");
  if (count == 0 && gsl_eigen_symmv(a, value, vectors, work))
    count = hn_fail(error, "the null space of the joints cannot be computed");
  if (count == 0) gsl_eigen_symmv_sort(value, vectors, GSL_EIGEN_SORT_VAL_ASC);
  while (count >= 0 && count < t->n &&
         gsl_vector_get(value, (size_t)count) <= rank_tolerance * rank_tolerance) {
    for (size_t c = 0; c < n; c++) (*Z)[(size_t)count * n + c] = gsl_matrix_get(vectors, c, (size_t)count);
    count++;
  }
  gsl_matrix_free(a), gsl_matrix_free(vectors), gsl_vector_free(value), gsl_eigen_symmv_free(work);
  return count;
}

int hn_tangent_create(hn_tangent *t, hn_manifold *m, const hn_state *state, hn_error *error)
{
  const hn_model *model = m->system->model;
  const size_t most = 6 * (size_t)model->nbody;
  hn_quiet_gsl();
  *t = (hn_tangent){ .body = calloc(most, sizeof *t->body), .axis = calloc(most, sizeof *t->axis) };
  if (!t->body || !t->axis) return hn_fail(error, "out of memory");
  list_coordinates(t, model);
  if (t->n == 0) return hn_fail(error, "no body can move");
  t->Zq = calloc((size_t)t->n * (size_t)t->n, sizeof *t->Zq);
  t->Zv = calloc((size_t)t->n * (size_t)t->n, sizeof *t->Zv);
  hn_system_jacobian(m->system, state);
  hn_manifold_hold(m, false);
  t->positions = null_space(t, m, state, &t->Zq, error);
  hn_manifold_hold(m, true);
  t->velocities = t->positions < 0 ? -1 : null_space(t, m, state, &t->Zv, error);
  return t->velocities < 0 ? -1 : 0;
}
