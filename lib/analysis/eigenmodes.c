/* eigenmodes.c - eigenvalues and modes of the linearised motion (analysis.h).
 *
 *   A = [ O   I ]       O: rotation of the bodies,  K: stiffness with the geometric one of the joint forces,
 *       [-K  -D ]       D: damping and gyroscopic terms; the mass matrix is 1
 *
 * If O and D vanish and K is symmetric, the eigenvalues are s^2 = -k with the eigenvalues k of K: real modes,
 * without the loss of half the digits at k = 0. Otherwise they are those of A, by the QR algorithm of GSL. */
#include "analysis.h"
#include "analysis/linearise.h"
#include "base/quiet.h"
#include "base/vec.h"
#include "elementary.h"

#include <gsl/gsl_eigen.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;
static const double noise = 1e-9; /* of differences, relative to the largest entry: smaller entries are 0 */

void hn_eigenmodes_free(hn_eigenmodes *modes)
{
  if (!modes) return;
  for (int k = 0; k < modes->count; k++) free(modes->mode[k].shape), free(modes->mode[k].quadrature);
  free(modes->mode), free(modes->matrix);
  free(modes);
}

/* Divides the shapes by the complex number of their largest component, whose value becomes 1. Rotations count
 * as displacements at SIZE, m. */
static void normalise(hn_eigenmode *mode, int nbody, double size)
{
  double *re = mode->shape->v, *im = mode->quadrature->v, largest = 0.0, a = 1.0, b = 0.0;
  for (int i = 0; i < 6 * nbody; i++) {
    const double scale = i % 6 < 3 ? 1.0 : size, square = scale * scale * (re[i] * re[i] + im[i] * im[i]);
    if (square > largest * (1.0 + 1e-6)) largest = square, a = scale * re[i], b = scale * im[i];
  }
  for (int i = 0; i < 6 * nbody && largest > 0.0; i++) {
    const double x = re[i], y = im[i];
    re[i] = (x * a + y * b) / largest, im[i] = (y * a - x * b) / largest;
  }
}

/* Adds the mode of the eigenvalue RE + i IM with the coordinates X + i Y [positions] of its displacement. */
static int add_mode(hn_eigenmodes *m, const hn_linearisation *l, double re, double im, const double *x,
                    const double *y)
{
  const hn_tangent *t = &l->tangent;
  hn_eigenmode *mode = &m->mode[m->count];
  double *sum = l->sum;
  mode->shape = calloc((size_t)m->nbody, sizeof *mode->shape);
  mode->quadrature = calloc((size_t)m->nbody, sizeof *mode->quadrature);
  m->count++;
  if (!mode->shape || !mode->quadrature) return -1;
  for (int part = 0; part < 2; part++) {
    const double *xi = part ? y : x;
    memset(sum, 0, sizeof *sum * (size_t)t->n);
    for (int j = 0; j < t->positions && xi; j++)
      for (int c = 0; c < t->n; c++) sum[c] += xi[j] * t->Zq[j * t->n + c];
    hn_tangent_twist(t, l->model, l->state, sum, part ? mode->quadrature : mode->shape);
  }
  normalise(mode, m->nbody, l->size);
  const double size = sqrt(re * re + im * im);
  mode->real = re, mode->imaginary = im, mode->frequency = im / (2.0 * pi);
  mode->damping = re == 0.0 && size > 0.0 ? 0.0 : -re / size; /* NAN for 0 / 0 */
  return 0;
}

/* ---- Conservative motion about an equilibrium ---------------------------------------------------------- */

/* True if A is that of a symmetric stiffness matrix alone. */
static bool is_conservative(const hn_eigenmodes *m)
{
  const int f = m->positions, size = 2 * f;
  const double *A = m->matrix;
  double K = 0.0, other = 0.0, skew = 0.0, unit = 0.0;
  if (m->positions != m->velocities) return false;
  for (int i = 0; i < f; i++)
    for (int j = 0; j < f; j++) {
      K = fmax(K, fabs(A[(f + i) * size + j]));
      skew = fmax(skew, fabs(A[(f + i) * size + j] - A[(f + j) * size + i]));
      other = fmax(other, fmax(fabs(A[i * size + j]), fabs(A[(f + i) * size + f + j])));
    }
  for (int i = 0; i < f * f; i++) unit = fmax(unit, fabs(A[i / f * size + f + i % f] - (i / f == i % f)));
  return skew <= 1e-6 * K && other <= noise * fmax(sqrt(K), 1e-6) && unit <= 1e-6;
}

/* Stores the eigenvalues k[f], ascending, and eigenvectors x[f * f], one after another, of K. */
static int solve_symmetric(const hn_eigenmodes *m, double *k, double *x)
{
  const size_t f = (size_t)m->positions;
  gsl_matrix *K = gsl_matrix_alloc(f, f), *vectors = gsl_matrix_alloc(f, f);
  gsl_vector *value = gsl_vector_alloc(f);
  gsl_eigen_symmv_workspace *work = gsl_eigen_symmv_alloc(f);
  int status = K && vectors && value && work ? 0 : -1;
  for (size_t i = 0; status == 0 && i < f; i++)
    for (size_t j = 0; j < f; j++)
      gsl_matrix_set(K, i, j, -0.5 * (m->matrix[(f + i) * 2 * f + j] + m->matrix[(f + j) * 2 * f + i]));
  if (status == 0) status = gsl_eigen_symmv(K, value, vectors, work) ? -1 : 0;
  if (status == 0) gsl_eigen_symmv_sort(value, vectors, GSL_EIGEN_SORT_VAL_ASC);
  for (size_t j = 0; status == 0 && j < f; j++) {
    k[j] = gsl_vector_get(value, j);
    for (size_t i = 0; i < f; i++) x[j * f + i] = gsl_matrix_get(vectors, i, j);
  }
  gsl_matrix_free(K), gsl_matrix_free(vectors), gsl_vector_free(value), gsl_eigen_symmv_free(work);
  return status;
}

static int add_conservative(hn_eigenmodes *m, const hn_linearisation *l)
{
  const size_t f = (size_t)m->positions;
  double *k = calloc(f, sizeof *k), *x = calloc(f * f, sizeof *x), largest = 0.0;
  int status = k && x ? solve_symmetric(m, k, x) : -1;
  for (size_t j = 0; status == 0 && j < f; j++) largest = fmax(largest, fabs(k[j]));
  for (size_t j = 0; status == 0 && j < f; j++) {
    const double s = fabs(k[j]) <= noise * largest ? 0.0 : sqrt(fabs(k[j]));
    if (k[j] < 0.0 && s > 0.0) { /* unstable: s and -s */
      status = add_mode(m, l, s, 0.0, x + j * f, NULL);
      if (status == 0) status = add_mode(m, l, -s, 0.0, x + j * f, NULL);
    } else {
      status = add_mode(m, l, 0.0, s, x + j * f, NULL);
    }
  }
  free(k), free(x);
  return status;
}

/* ---- General linear motion ----------------------------------------------------------------------------- */

/* Adds the modes of the eigenvalues with an imaginary part of 0 or more. */
static int add_of_vectors(hn_eigenmodes *m, const hn_linearisation *l, const gsl_vector_complex *value,
                          const gsl_matrix_complex *vectors)
{
  const size_t f = (size_t)m->positions;
  double largest = 0.0, *x = calloc(2 * f + 1, sizeof *x);
  int status = x ? 0 : -1;
  for (size_t j = 0; j < value->size; j++) {
    const gsl_complex s = gsl_vector_complex_get(value, j);
    largest = fmax(largest, hn_hypot(GSL_REAL(s), GSL_IMAG(s)));
  }
  for (size_t j = 0; status == 0 && j < value->size; j++) {
    const gsl_complex s = gsl_vector_complex_get(value, j);
    const double re = fabs(GSL_REAL(s)) <= noise * largest ? 0.0 : GSL_REAL(s);
    if (GSL_IMAG(s) < 0.0) continue;
    for (size_t i = 0; i < f; i++) {
      const gsl_complex v = gsl_matrix_complex_get(vectors, i, j);
      x[i] = GSL_REAL(v), x[f + i] = GSL_IMAG(v);
    }
    status = add_mode(m, l, re, GSL_IMAG(s) <= noise * largest ? 0.0 : GSL_IMAG(s), x, x + f);
  }
  free(x);
  return status;
}

static int add_general(hn_eigenmodes *m, const hn_linearisation *l)
{
  const size_t size = (size_t)(m->positions + m->velocities);
  gsl_matrix *A = gsl_matrix_alloc(size, size);
  gsl_matrix_complex *vectors = gsl_matrix_complex_alloc(size, size);
  gsl_vector_complex *value = gsl_vector_complex_alloc(size);
  gsl_eigen_nonsymmv_workspace *work = gsl_eigen_nonsymmv_alloc(size);
  int status = A && vectors && value && work ? 0 : -1;
  for (size_t i = 0; status == 0 && i < size * size; i++) gsl_matrix_set(A, i / size, i % size, m->matrix[i]);
  if (status == 0) status = gsl_eigen_nonsymmv(A, value, vectors, work) ? -1 : 0;
  if (status == 0) status = add_of_vectors(m, l, value, vectors);
  gsl_matrix_free(A), gsl_matrix_complex_free(vectors), gsl_vector_complex_free(value);
  gsl_eigen_nonsymmv_free(work);
  return status;
}

/* Orders modes by ascending frequency, then by descending real part. */
static int compare_modes(const void *left, const void *right)
{
  const hn_eigenmode *a = left, *b = right;
  if (a->imaginary != b->imaginary) return a->imaginary < b->imaginary ? -1 : 1;
  return a->real == b->real ? 0 : a->real > b->real ? -1 : 1;
}

static int fill(hn_eigenmodes *m, hn_linearisation *l, hn_error *error)
{
  const size_t size = (size_t)(l->tangent.positions + l->tangent.velocities);
  m->nbody = l->model->nbody, m->positions = l->tangent.positions, m->velocities = l->tangent.velocities;
  m->acceleration = hn_largest_twist(l->acceleration, m->nbody);
  m->speed = hn_largest_twist(l->state->twist, m->nbody);
  m->matrix = calloc(size * size + 1, sizeof *m->matrix), m->mode = calloc(size + 1, sizeof *m->mode);
  if (!m->matrix || !m->mode) return hn_fail(error, "out of memory");
  if (size == 0) return hn_fail(error, "the joints allow no motion");
  if (hn_linearisation_matrix(l, m->matrix, error)) return -1;
  m->conservative = is_conservative(m);
  if (m->conservative ? add_conservative(m, l) : add_general(m, l))
    return hn_fail(error, "the eigenvalues cannot be computed");
  qsort(m->mode, (size_t)m->count, sizeof *m->mode, compare_modes);
  return 0;
}

hn_eigenmodes *hn_eigenmodes_create(const hn_model *model, const hn_state *state, hn_error *error)
{
  hn_linearisation l = { .model = NULL };
  hn_eigenmodes *m = calloc(1, sizeof *m);
  hn_quiet_gsl();
  int status = m ? hn_linearisation_create(&l, model, state, error) : hn_fail(error, "out of memory");
  if (status == 0) status = fill(m, &l, error);
  hn_linearisation_free(&l);
  if (status == 0) return m;
  hn_eigenmodes_free(m);
  return NULL;
}

int hn_eigenmode_displace(const hn_model *model, const hn_eigenmode *mode, double amplitude, double phase,
                          hn_state *out, hn_error *error)
{
  hn_manifold m = { .system = NULL };
  double sine, cosine;
  int status = hn_manifold_create(&m, model, error);
  hn_sincos(phase, &sine, &cosine);
  if (status == 0) {
    hn_system_move(m.system, mode->shape, amplitude * cosine, out);
    hn_system_move(m.system, mode->quadrature, -amplitude * sine, out);
    const hn_reason reason = hn_manifold_project_positions(&m, NULL, out);
    if (reason != HN_CONVERGED)
      status = hn_fail(error, "the displaced state cannot meet the joints: %s", hn_reason_name(reason));
  }
  hn_manifold_free(&m);
  return status;
}
