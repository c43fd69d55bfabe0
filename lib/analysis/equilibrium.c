/* equilibrium.c - static equilibrium on the manifold of the joints (analysis.h).
 *
 *   r = Z' M a(q, 0) = 0                Z: basis of the motions that the joints allow
 *   K = -dr/dxi,   |K| x = r,   q := q + S Z x, projected onto the joints
 *
 * |K| has the absolute eigenvalues of the symmetric part of K, so that steps lead down the potential where
 * K is indefinite, and the search leaves saddles. A step of more than a fifth of a radian, or of the size of
 * the mechanism, is shortened, and one that leads far past a minimum is halved. The limit on displacements
 * doubles with every step that is not. Near a stable equilibrium this is Newton's method. Directions without
 * force and stiffness are left alone. */
#include "analysis.h"
#include "analysis/linearise.h"
#include "base/quiet.h"
#include "base/vec.h"

#include <gsl/gsl_eigen.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_STEPS = 200, MAX_HALVINGS = 30 };
static const double longest = 0.2;     /* step: rad, and relative to the size of the mechanism */
static const double most_growth = 1e6; /* of the limit on displacements */
/* Distances from the start relative to the size: without balance after all steps; where the search ends. */
static const double far = 100.0, lost = 1e6;
static const double shortest = 1e-14;  /* of a step that is rounding, in the same units */
static const double tolerance = 1e-12; /* on r, relative to the forces without joints */
static const double neutral = 1e-9;    /* stiffness relative to the largest one that counts as none */

/* A search, with the linearisation about its present state. */
typedef struct search {
  const hn_model *model;
  hn_linearisation l;
  hn_state *state, *next;
  hn_twist *d;                     /* [nbody] step */
  double *A, *r, *x, *k, *vectors; /* matrix; residual, step, eigenvalues [f]; eigenvectors [f * f] */
  double *along;                   /* [positions * f] */
  int f;
  double growth; /* 1 or more: displacements up to `longest` times this are allowed */
  double scale;  /* largest norm of S^-1 a so far, for the accelerations a without joints: unit of r */
} search;

static void free_present(search *s)
{
  hn_linearisation_free(&s->l);
  free(s->A), free(s->r), free(s->x), free(s->k), free(s->vectors), free(s->along);
  s->A = s->r = s->x = s->k = s->vectors = s->along = NULL;
}

/* Returns the norm of S^-1 a for the accelerations without joints. */
static double free_size(search *s)
{
  const hn_tangent *t = &s->l.tangent;
  double *unit = s->l.sum, sum = 0.0;
  hn_system_free_acceleration(s->l.manifold.system, s->l.state, s->l.trial);
  memset(unit, 0, sizeof *unit * (size_t)t->n);
  for (int c = 0; c < t->n; c++) {
    unit[c] = 1.0;
    const double part = hn_tangent_dot(t, s->model, s->l.state, unit, s->l.trial);
    unit[c] = 0.0, sum += part * part;
  }
  return sqrt(sum);
}

/* Computes s->along: the displacements z_j of the directions of Z, by components of the basis of
 * positions. */
static void compare_bases(search *s)
{
  const hn_tangent *t = &s->l.tangent;
  for (int k = 0; k < t->positions; k++)
    for (int j = 0; j < s->f; j++) {
      double sum = 0.0;
      for (int c = 0; c < t->n; c++) sum += t->Zq[k * t->n + c] * t->Zv[j * t->n + c];
      s->along[k * s->f + j] = sum;
    }
}

/* Starts the linearisation about s->state and evaluates r. */
static int begin(search *s, hn_error *error)
{
  free_present(s);
  if (hn_linearisation_create(&s->l, s->model, s->state, error)) return -1;
  const hn_tangent *t = &s->l.tangent;
  s->f = t->velocities;
  const size_t f = (size_t)s->f, size = (size_t)(t->positions + s->f);
  s->A = calloc(size * size + 1, sizeof *s->A), s->r = calloc(f + 1, sizeof *s->r);
  s->x = calloc(f + 1, sizeof *s->x), s->k = calloc(f + 1, sizeof *s->k);
  s->vectors = calloc(f * f + 1, sizeof *s->vectors);
  s->along = calloc((size_t)t->positions * f + 1, sizeof *s->along);
  if (!s->A || !s->r || !s->x || !s->k || !s->vectors || !s->along) return hn_fail(error, "out of memory");
  compare_bases(s);
  s->scale = fmax(s->scale, free_size(s));
  for (int i = 0; i < s->f; i++)
    s->r[i] = hn_tangent_dot(t, s->model, s->l.state, t->Zv + i * t->n, s->l.acceleration);
  return 0;
}

/* Returns entry (i, j) of K along the directions of Z: the stiffness along the displacement z_j. */
static double stiffness(const search *s, int i, int j)
{
  const hn_tangent *t = &s->l.tangent;
  const int size = t->positions + t->velocities;
  double sum = 0.0;
  for (int k = 0; k < t->positions; k++) sum -= s->A[(t->positions + i) * size + k] * s->along[k * s->f + j];
  return sum;
}

/* Computes the eigenvalues k and eigenvectors of the symmetric part of K. */
static int solve_stiffness(search *s, hn_error *error)
{
  const size_t f = (size_t)s->f;
  if (f == 0) return 0;
  gsl_matrix *K = gsl_matrix_calloc(f, f), *vectors = gsl_matrix_alloc(f, f);
  gsl_vector *value = gsl_vector_alloc(f);
  gsl_eigen_symmv_workspace *work = gsl_eigen_symmv_alloc(f);
  int status = K && vectors && value && work ? 0 : hn_fail(error, "out of memory");
  for (size_t i = 0; status == 0 && i < f; i++)
    for (size_t j = 0; j < f; j++) {
      const double half = 0.5 * stiffness(s, (int)i, (int)j);
      gsl_matrix_set(K, i, j, gsl_matrix_get(K, i, j) + half);
      gsl_matrix_set(K, j, i, gsl_matrix_get(K, j, i) + half);
    }
  if (status == 0 && gsl_eigen_symmv(K, value, vectors, work))
    status = hn_fail(error, "the stiffness has no eigenvalues");
  for (size_t j = 0; status == 0 && j < f; j++) {
    s->k[j] = gsl_vector_get(value, j);
    for (size_t i = 0; i < f; i++) s->vectors[j * f + i] = gsl_matrix_get(vectors, i, j);
  }
  gsl_matrix_free(K), gsl_matrix_free(vectors), gsl_vector_free(value), gsl_eigen_symmv_free(work);
  return status;
}

static double largest_stiffness(const search *s)
{
  double largest = 0.0;
  for (int j = 0; j < s->f; j++) largest = fmax(largest, fabs(s->k[j]));
  return largest;
}

/* Sets s->d to the displacement S Z x. Returns its length: in radians, or relative to the size of the
 * mechanism and to the present limit. */
static double displace(search *s, const double *x)
{
  const hn_tangent *t = &s->l.tangent;
  double *y = s->l.sum, length = 0.0;
  memset(y, 0, sizeof *y * (size_t)t->n);
  for (int i = 0; i < s->f; i++)
    for (int c = 0; c < t->n; c++) y[c] += x[i] * t->Zv[i * t->n + c];
  hn_tangent_twist(t, s->model, s->l.state, y, s->d);
  for (int i = 0; i < s->model->nbody; i++)
    length = fmax(length, fmax(vec_norm(s->d[i].v) / (s->growth * s->l.size), vec_norm(s->d[i].w)));
  return length;
}

/* Computes the step x and s->d, whose length it returns. No component is longer than the limit: where there
 * is a force but little stiffness, it has that length. */
static double choose_step(search *s)
{
  const double least = neutral * largest_stiffness(s);
  memset(s->x, 0, sizeof *s->x * (size_t)s->f);
  for (int j = 0; j < s->f; j++) {
    const double *v = s->vectors + j * s->f;
    double along = 0.0;
    for (int i = 0; i < s->f; i++) along += v[i] * s->r[i];
    if (fabs(s->k[j]) <= least && fabs(along) <= neutral * s->scale) continue;
    const double most = longest / displace(s, v),
                 size = fabs(along) < fabs(s->k[j]) * most ? fabs(along / s->k[j]) : most;
    for (int i = 0; i < s->f; i++) s->x[i] += copysign(size, along) * v[i];
  }
  return displace(s, s->x);
}

/* Sets s->next to SHARE of the step. Returns the power of the forces there along the step. */
static double try_step(search *s, double share)
{
  const hn_tangent *t = &s->l.tangent;
  double power = 0.0;
  hn_state_copy(s->next, s->state);
  hn_system_move(s->l.manifold.system, s->d, share, s->next);
  if (hn_manifold_project_positions(&s->l.manifold, NULL, s->next) != HN_CONVERGED ||
      hn_manifold_accelerate(&s->l.manifold, s->next, s->l.trial, s->l.lambda) != HN_CONVERGED)
    return -INFINITY;
  for (int i = 0; i < s->f; i++)
    power += s->x[i] * hn_tangent_dot(t, s->model, s->l.state, t->Zv + i * t->n, s->l.trial);
  return power;
}

/* Takes a step of LENGTH, shortened or halved where needed. */
static int take_step(search *s, double length, hn_error *error)
{
  double share = fmin(1.0, longest / length), power = 0.0;
  for (int i = 0; i < s->f; i++) power += s->x[i] * s->r[i];
  for (int i = 0; i < MAX_HALVINGS; i++, share *= 0.5) {
    if (try_step(s, share) < -0.5 * power && share * length > shortest) continue;
    hn_state_copy_motion(s->state, s->next);
    if (i == 0 && s->growth < most_growth) s->growth *= 2.0;
    return 0;
  }
  return hn_fail(error, "no static equilibrium: the search ends where forces change abruptly");
}

/* Counts the directions of the eigenvalues. */
static void count_directions(const search *s, hn_equilibrium *found)
{
  const double least = neutral * largest_stiffness(s);
  found->freedoms = s->f, found->stable = found->unstable = found->neutral = 0;
  for (int j = 0; j < s->f; j++) {
    if (fabs(s->k[j]) <= least) found->neutral++;
    else if (s->k[j] > 0.0) found->stable++;
    else found->unstable++;
  }
}

/* Returns the largest distance of a body from its position in START, m. */
static double distance_from(const search *s, const hn_state *start)
{
  double largest = 0.0;
  for (int i = 0; i < s->model->nbody; i++) {
    double away[3];
    vec_sub(away, s->state->pose[i].x, start->pose[i].x);
    largest = fmax(largest, vec_norm(away));
  }
  return largest;
}

static int moves_away(hn_error *error)
{
  return hn_fail(error, "no static equilibrium: the mechanism moves away, and nothing balances the forces");
}

/* Searches from START, which s->state is. Numbers overflow only far away: a mechanism on the ground grows
 * with its distance. */
static int look(search *s, const hn_state *start, hn_equilibrium *found, hn_error *error)
{
  for (int i = 0; i <= MAX_STEPS; i++) {
    if (begin(s, error)) return -1;
    found->steps = i, found->acceleration = hn_largest_twist(s->l.acceleration, s->model->nbody);
    if (i == 0) found->start = found->acceleration;
    if (hn_linearisation_matrix(&s->l, s->A, error) || solve_stiffness(s, error)) return -1;
    count_directions(s, found);
    const double size = norm_of(s->r, s->f), length = choose_step(s);
    if (!isfinite(length))
      return i > 0 ? moves_away(error) : hn_fail(error, "no static equilibrium: forces are not finite");
    if (size <= tolerance * s->scale) return 0;
    if (length <= shortest) {
      if (size <= 1e3 * tolerance * s->scale) return 0;
      return hn_fail(error, "no static equilibrium: accelerations of %.2g are left", found->acceleration);
    }
    if (take_step(s, length, error)) return -1;
    if (distance_from(s, start) > lost * s->l.size) break;
  }
  if (distance_from(s, start) > far * s->l.size) return moves_away(error);
  return hn_fail(error, "no static equilibrium found in %d steps: accelerations of %.2g are left", MAX_STEPS,
                 found->acceleration);
}

/* Returns -1 if joints prescribe velocities, or if the rest cannot meet the joints. */
static int come_to_rest(search *s, hn_error *error)
{
  hn_manifold m = { .system = NULL };
  int status = hn_manifold_create(&m, s->model, error);
  memset(s->state->twist, 0, sizeof *s->state->twist * (size_t)s->state->nbody);
  if (status == 0 && hn_manifold_project_positions(&m, NULL, s->state) != HN_CONVERGED)
    status = hn_fail(error, "positions cannot meet the joints");
  if (status == 0) hn_manifold_hold(&m, true), hn_system_jacobian(m.system, s->state);
  for (int i = 0; status == 0 && i < m.system->nrow; i++)
    if (hn_system_is_held(m.system, i) && m.system->bias[i] != 0.0)
      status = hn_fail(error, "no static equilibrium: joints have prescribed velocities");
  hn_manifold_free(&m);
  return status;
}

int hn_equilibrium_find(const hn_model *model, hn_state *state, double *lambda, hn_equilibrium *found,
                        hn_error *error)
{
  search s = { .model = model,
               .growth = 1.0,
               .state = hn_state_duplicate(state),
               .next = hn_state_duplicate(state),
               .d = calloc((size_t)model->nbody, sizeof *s.d) };
  *found = (hn_equilibrium){ .steps = 0 };
  hn_quiet_gsl();
  int status = s.state && s.next && s.d ? come_to_rest(&s, error) : hn_fail(error, "out of memory");
  if (status == 0) status = look(&s, state, found, error);
  if (status == 0) {
    const hn_reason reason = hn_manifold_accelerate(&s.l.manifold, s.state, s.l.acceleration, s.l.lambda);
    if (reason != HN_CONVERGED) status = hn_fail(error, "joint forces: %s", hn_reason_name(reason));
    found->acceleration = hn_largest_twist(s.l.acceleration, model->nbody);
  }
  if (status == 0) hn_state_copy_motion(state, s.state);
  if (status == 0 && lambda) memcpy(lambda, s.l.lambda, sizeof *lambda * (size_t)model->nrow);
  free_present(&s);
  hn_state_free(s.state), hn_state_free(s.next);
  free(s.d);
  return status;
}
