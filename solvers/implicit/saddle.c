/* saddle.c - the matrix of Newton's equations of the stabilised index-2 form (saddle.h). */
#include "implicit/saddle.h"
#include "base/vec.h"
#include "registry/solver_arrays.h"

#include <stdlib.h>
#include <string.h>

/* The assembly visits all entries in a fixed order: at first it notes their places, later it adds values. */
typedef struct assembly {
  const hn_saddle_pattern *pattern;
  const hn_tangent *tangent;
  const hn_system *system;
  const hn_state *state;
  double re, im, proximal; /* c; e */
  int (*place)[3];         /* [entries] row, column, number of the entry; or NULL */
  double *value;           /* values of the matrix; or NULL */
  int stride, count;       /* numbers of a value; entries so far */
} assembly;

static void add(assembly *a, int row, int column, double re, double im)
{
  if (a->place) a->place[a->count][0] = row, a->place[a->count][1] = column, a->place[a->count][2] = a->count;
  if (a->value) {
    double *value = a->value + a->stride * a->pattern->slot[a->count];
    value[0] += re;
    if (a->stride == 2) value[1] += im;
  }
  a->count++;
}

/* ---- Rows of bodies ------------------------------------------------------------------------------------ */

/* Computes W of body I, 6 x 6 but for two blocks: the inverse mass, and the inverse inertia in world axes. */
static void inverse_inertia(const assembly *a, int i, double J[9])
{
  double R[9];
  quat_matrix(R, a->state->pose[i].q);
  mat_congruence(J, R, a->system->model->body[i].inv_J);
}

/* Returns row C of W D, a column of it at a time: W of body I, D 6 x 6, column B. */
static double weighted(const assembly *a, int i, const double J[9], const double *D, int c, int b)
{
  if (c < 3) return a->system->model->body[i].inv_mass * D[6 * c + b];
  double sum = 0.0;
  for (int k = 0; k < 3; k++) sum += J[3 * (c - 3) + k] * D[6 * (3 + k) + b];
  return sum;
}

/* Adds the derivatives of the accelerations of body I by the motion of body k of PAIR, in row C. */
static void add_pair(assembly *a, int i, const double J[9], int pair, int c)
{
  const hn_tangent *t = a->tangent;
  const int k = t->other[pair], row = a->pattern->unknown[6 * i + c] + 1;
  for (int b = 0; b < 6; b++) {
    const int column = a->pattern->unknown[6 * k + b];
    if (column < 0) continue;
    double q = 0.0, u = 0.0;
    if (a->value) {
      q = weighted(a, i, J, t->Dq + 36 * pair, c, b), u = weighted(a, i, J, t->Du + 36 * pair, c, b);
      if (i == k && c >= 3 && b >= 3)
        q += t->Aq[9 * i + 3 * (c - 3) + b - 3], u += t->Au[9 * i + 3 * (c - 3) + b - 3];
    }
    add(a, row, column, -q, 0.0);
    add(a, row, column + 1, -u, 0.0);
  }
}

/* Adds -w x dq_w / 2 in row C of body I. */
static void add_exponential(assembly *a, int i, int c)
{
  const double *w = a->state->twist[i].w, half[9] = { 0.0,         -0.5 * w[2], 0.5 * w[1], 0.5 * w[2], 0.0,
                                                      -0.5 * w[0], -0.5 * w[1], 0.5 * w[0], 0.0 };
  for (int b = 3; b < 6 && c >= 3; b++) {
    const int column = a->pattern->unknown[6 * i + b];
    if (b != c && column >= 0)
      add(a, a->pattern->unknown[6 * i + c], column, -half[3 * (c - 3) + b - 3], 0.0);
  }
}

static void add_body(assembly *a, int i)
{
  double J[9] = { 0 };
  if (a->value) inverse_inertia(a, i, J);
  for (int c = 0; c < 6; c++) {
    const int row = a->pattern->unknown[6 * i + c];
    if (row < 0) continue;
    add(a, row, row, a->re, a->im);
    add(a, row, row + 1, -1.0, 0.0);
    add_exponential(a, i, c);
    add(a, row + 1, row + 1, a->re, a->im);
    for (int pair = a->tangent->first[i]; pair < a->tangent->first[i + 1]; pair++) add_pair(a, i, J, pair, c);
  }
}

/* ---- Rows of joints ------------------------------------------------------------------------------------ */

/* Adds the entries of row R of BLOCK with component C of its body SIDE. */
static void add_component(assembly *a, const hn_block *block, int r, int side, int c)
{
  const hn_system *s = a->system;
  const int n = block->n, column = a->pattern->unknown[6 * (side ? block->b : block->a) + c],
            row = a->pattern->rows[block->row + r], at = 12 * block->row + (6 * side + c) * n + r;
  if (column < 0) return;
  const double G = a->value ? s->G[at] : 0.0, V = a->value ? a->tangent->V[at] : 0.0,
               T = a->value ? s->T[12 * block->row + 6 * (side * n + r) + c] : 0.0;
  const bool has_position = !block->joint->type->velocity;
  add(a, row, column + 1, G, 0.0);
  add(a, row, column, V, 0.0);
  add(a, column + 1, row, -T, 0.0);
  if (has_position) add(a, row + 1, column, G, 0.0);
  add(a, column, row + 1, -T, 0.0);
}

/* Returns the diagonal of K = G W G' for row R of BLOCK. */
static double diagonal(const hn_system *s, const hn_block *block, int r)
{
  double sum = 0.0;
  for (int i = 0; i < 12; i++)
    sum += s->G[12 * block->row + i * block->n + r] *
           s->T[12 * block->row + 6 * ((i / 6) * block->n + r) + i % 6];
  return sum;
}

static void add_row(assembly *a, const hn_block *block, int r)
{
  const int row = a->pattern->rows[block->row + r];
  double re = 0.0, im = 0.0;
  for (int side = 0; side < 2; side++)
    for (int c = 0; c < 6; c++) add_component(a, block, r, side, c);
  if (a->value && a->proximal > 0.0) {
    const double e = a->proximal * diagonal(a->system, block, r), square = a->re * a->re + a->im * a->im;
    re = e * a->re / square, im = -e * a->im / square;
  }
  add(a, row, row, re, im);
  if (block->joint->type->velocity) add(a, row + 1, row + 1, 1.0, 0.0);
  else add(a, row + 1, row + 1, re, im);
}

static void assemble(assembly *a)
{
  for (int i = 0; i < a->system->model->nbody; i++) add_body(a, i);
  for (int k = 0; k < a->system->nblock; k++)
    for (int r = 0; r < a->system->block[k].n; r++) add_row(a, &a->system->block[k], r);
}

/* ---- Pattern ------------------------------------------------------------------------------------------- */

static int compare_places(const void *x, const void *y)
{
  const int *a = x, *b = y;
  if (a[1] != b[1]) return (a[1] > b[1]) - (a[1] < b[1]);
  return a[0] != b[0] ? (a[0] > b[0]) - (a[0] < b[0]) : (a[2] > b[2]) - (a[2] < b[2]);
}

static void number_unknowns(const hn_system *s, hn_saddle_pattern *p, const hn_tangent *t)
{
  p->n = 0;
  for (int i = 0; i < 6 * s->model->nbody; i++) {
    p->unknown[i] = t->freedom[i] ? p->n : -1;
    p->n += t->freedom[i] ? 2 : 0;
  }
  for (int r = 0; r < s->model->nrow; r++, p->n += 2) p->rows[r] = p->n;
}

/* Stores the sorted places as compressed columns. */
static void compress(hn_saddle_pattern *p, int (*place)[3])
{
  int slot = -1;
  for (int e = 0; e < p->entries; e++) {
    const bool is_new = e == 0 || place[e][0] != place[e - 1][0] || place[e][1] != place[e - 1][1];
    if (is_new) p->row[++slot] = place[e][0], p->start[place[e][1] + 1]++;
    p->slot[place[e][2]] = slot;
  }
  for (int j = 0; j < p->n; j++) p->start[j + 1] += p->start[j];
}

int hn_saddle_pattern_setup(hn_solver *solver, hn_saddle_pattern *p, const hn_tangent *t, hn_error *error)
{
  const hn_system *s = solver->system;
  if (hn_solver_allocate(solver, error, HN_ARRAY(p->unknown, 6 * s->model->nbody),
                         HN_ARRAY(p->rows, s->model->nrow)))
    return -1;
  number_unknowns(s, p, t);
  assembly a = { .pattern = p, .tangent = t, .system = s, .state = t->moved };
  assemble(&a);
  p->entries = a.count;
  if (hn_solver_allocate(solver, error, HN_ARRAY(p->start, p->n + 1), HN_ARRAY(p->row, p->entries),
                         HN_ARRAY(p->slot, p->entries)))
    return -1;
  a.place = malloc(sizeof *a.place * ((size_t)p->entries + 1)), a.count = 0;
  if (!a.place) return hn_fail(error, "out of memory");
  assemble(&a);
  qsort(a.place, (size_t)p->entries, sizeof *a.place, compare_places);
  compress(p, a.place);
  free(a.place);
  return 0;
}

/* ---- Matrix -------------------------------------------------------------------------------------------- */

int hn_saddle_setup(hn_solver *solver, hn_saddle *m, const hn_saddle_pattern *p, bool is_complex, bool dense,
                    hn_error *error)
{
  const size_t stride = is_complex ? 2 : 1;
  m->pattern = p;
  m->is_complex = is_complex;
  if (hn_solver_allocate(solver, error, HN_ARRAY(m->value, stride * (size_t)p->start[p->n]),
                         HN_ARRAY(m->x, stride * (size_t)p->n)))
    return -1;
  m->lu = hn_sparse_lu_create(&(hn_lu_pattern){ p->n, p->start, p->row }, is_complex, dense, error);
  return m->lu ? 0 : -1;
}

void hn_saddle_free(hn_saddle *m)
{
  hn_sparse_lu_free(m->lu);
}

hn_reason hn_saddle_factor(hn_system *s, hn_saddle *m, const hn_tangent *t, const hn_state *state, double re,
                           double im, double proximal)
{
  const size_t stride = m->is_complex ? 2 : 1, numbers = stride * (size_t)m->pattern->start[m->pattern->n];
  assembly a = { .pattern = m->pattern,
                 .tangent = t,
                 .system = s,
                 .state = state,
                 .re = re,
                 .im = im,
                 .proximal = proximal,
                 .value = m->value,
                 .stride = (int)stride };
  memset(m->value, 0, sizeof *m->value * numbers);
  assemble(&a);
  s->work.factorisations++;
  s->work.eliminated += (uint64_t)s->nblock;
  for (size_t i = 0; i < numbers; i++)
    if (!isfinite(m->value[i])) return HN_NOT_FINITE;
  return hn_sparse_lu_factor(m->lu, m->value);
}

/* Copies the numbers of V to x, with STRIDE, or back. */
static void load(const hn_saddle *m, const hn_system *s, const hn_saddle_vector *v, int stride, double *x)
{
  const hn_saddle_pattern *p = m->pattern;
  for (int i = 0; i < 6 * s->model->nbody; i++)
    if (p->unknown[i] >= 0) x[stride * p->unknown[i]] = v->q[i], x[stride * (p->unknown[i] + 1)] = v->u[i];
  for (int r = 0; r < s->model->nrow; r++)
    x[stride * p->rows[r]] = v->lambda[r], x[stride * (p->rows[r] + 1)] = v->mu[r];
}

static void unload(const hn_saddle *m, const hn_system *s, const double *x, int stride,
                   const hn_saddle_vector *v)
{
  const hn_saddle_pattern *p = m->pattern;
  for (int i = 0; i < 6 * s->model->nbody; i++) {
    const bool exists = p->unknown[i] >= 0;
    v->q[i] = exists ? x[stride * p->unknown[i]] : 0.0;
    v->u[i] = exists ? x[stride * (p->unknown[i] + 1)] : 0.0;
  }
  for (int r = 0; r < s->model->nrow; r++)
    v->lambda[r] = x[stride * p->rows[r]], v->mu[r] = x[stride * (p->rows[r] + 1)];
}

void hn_saddle_solve(hn_system *s, hn_saddle *m, const hn_saddle_vector *re, const hn_saddle_vector *im)
{
  const int stride = m->is_complex ? 2 : 1;
  load(m, s, re, stride, m->x);
  if (m->is_complex) load(m, s, im, stride, m->x + 1);
  hn_sparse_lu_solve(m->lu, m->x);
  unload(m, s, m->x, stride, re);
  if (m->is_complex) unload(m, s, m->x + 1, stride, im);
  s->work.solves++;
}
