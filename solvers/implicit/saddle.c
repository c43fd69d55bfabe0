/* saddle.c - the matrix of Newton's equations of the stabilised index-2 form (saddle.h). */
#include "implicit/saddle.h"
#include "base/vec.h"
#include "implicit/unknown_order.h"
#include "registry/solver_arrays.h"

#include <stdlib.h>
#include <string.h>

/* ---- Pattern ------------------------------------------------------------------------------------------- */

static void number_body(hn_saddle_pattern *p, const hn_tangent *t, int body)
{
  for (int i = 6 * body; i < 6 * body + 6; i++) {
    p->unknown[i] = t->freedom[i] ? p->n : -1;
    p->n += t->freedom[i] ? 2 : 0;
  }
}

/* Numbers the unknowns in the order of elimination. */
static int number_unknowns(const hn_system *s, hn_saddle_pattern *p, const hn_tangent *t, hn_error *error)
{
  const int nbody = s->model->nbody, nodes = nbody + s->nblock;
  int *order = malloc(sizeof *order * ((size_t)nodes + 1));
  const int status = order ? hn_unknown_order(s, t, order, error) : hn_fail(error, "out of memory");
  p->n = 0;
  for (int k = 0; status == 0 && k < nodes; k++) {
    const hn_block *block = order[k] < nbody ? NULL : &s->block[order[k] - nbody];
    if (!block) number_body(p, t, order[k]);
    for (int r = 0; block && r < block->n; r++, p->n += 2) p->rows[block->row + r] = p->n;
  }
  free(order);
  return status;
}

int hn_saddle_pattern_setup(hn_solver *solver, hn_saddle_pattern *p, const hn_tangent *t, hn_error *error)
{
  const hn_system *s = solver->system;
  if (hn_solver_allocate(solver, error, HN_ARRAY(p->unknown, 6 * s->model->nbody),
                         HN_ARRAY(p->rows, s->model->nrow)))
    return -1;
  if (number_unknowns(s, p, t, error)) return -1;
  hn_assembly a = { .pattern = p, .tangent = t, .system = s, .state = t->moved };
  hn_assembly_visit(&a);
  p->entries = a.count;
  if (hn_solver_allocate(solver, error, HN_ARRAY(p->start, p->n + 1), HN_ARRAY(p->row, p->entries),
                         HN_ARRAY(p->slot, p->entries)))
    return -1;
  a.place = malloc(sizeof *a.place * ((size_t)p->entries + 1)), a.count = 0;
  if (!a.place) return hn_fail(error, "out of memory");
  hn_assembly_visit(&a);
  hn_assembly_sort(&a, p->n, p->start, p->row, p->slot);
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
  m->lu = hn_sparse_lu_create(&(hn_lu_pattern){ p->n, p->start, p->row, true }, is_complex, dense, error);
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
  hn_assembly a = { .pattern = m->pattern,
                    .tangent = t,
                    .system = s,
                    .state = state,
                    .re = re,
                    .im = im,
                    .proximal = proximal,
                    .value = m->value,
                    .slot = m->pattern->slot,
                    .stride = (int)stride };
  memset(m->value, 0, sizeof *m->value * numbers);
  hn_assembly_visit(&a);
  s->work.factorisations++;
  s->work.eliminated += (uint64_t)s->nblock;
  for (size_t i = 0; i < numbers; i++)
    if (!isfinite(m->value[i])) return HN_NOT_FINITE;
  return hn_sparse_lu_factor(m->lu, m->value);
}

/* Copies the numbers of V to x, with STRIDE. */
void hn_saddle_load(const hn_saddle_pattern *p, const hn_system *s, const hn_saddle_vector *v, int stride,
                    double *x)
{
  for (int i = 0; i < 6 * s->model->nbody; i++)
    if (p->unknown[i] >= 0) x[stride * p->unknown[i]] = v->q[i], x[stride * (p->unknown[i] + 1)] = v->u[i];
  for (int r = 0; r < s->model->nrow; r++)
    x[stride * p->rows[r]] = v->lambda[r], x[stride * (p->rows[r] + 1)] = v->mu[r];
}

/* Copies them back. */
void hn_saddle_unload(const hn_saddle_pattern *p, const hn_system *s, const double *x, int stride,
                      const hn_saddle_vector *v)
{
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
  hn_saddle_load(m->pattern, s, re, stride, m->x);
  if (m->is_complex) hn_saddle_load(m->pattern, s, im, stride, m->x + 1);
  hn_sparse_lu_solve(m->lu, m->x);
  hn_saddle_unload(m->pattern, s, m->x, stride, re);
  if (m->is_complex) hn_saddle_unload(m->pattern, s, m->x + 1, stride, im);
  s->work.solves++;
}
