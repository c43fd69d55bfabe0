/* stage_saddle.c - the matrix of Newton's equations of all stages (stage_saddle.h). */
#include "implicit/stage_saddle.h"
#include "base/vec.h"
#include "registry/solver_arrays.h"

#include <stdlib.h>
#include <string.h>

/* Adds c dZ_j of stage J in the equations of stage I. */
static void add_coupling(hn_assembly *a, int i, int j)
{
  const hn_saddle_pattern *p = a->pattern;
  a->row = i * p->n, a->column = j * p->n;
  for (int k = 0; k < 6 * a->system->model->nbody; k++) {
    const int row = p->unknown[k], c = k % 6, body = k / 6;
    if (row < 0) continue;
    hn_assembly_add(a, row + 1, row + 1, a->re, 0.0);
    if (c < 3) hn_assembly_add(a, row, row, a->re, 0.0);
    for (int b = 3; b < 6 && c >= 3; b++)
      if (p->unknown[6 * body + b] >= 0)
        hn_assembly_add(a, row, p->unknown[6 * body + b], a->re * a->E[9 * body + 3 * (c - 3) + b - 3], 0.0);
  }
}

/* Adds the couplings of different stages. */
static void add_couplings(hn_assembly *a, const hn_stage_saddle *m, const double *inverse, double h)
{
  const size_t stride = 9 * (size_t)a->system->model->nbody;
  for (int i = 0; i < m->stages; i++)
    for (int j = 0; j < m->stages; j++) {
      if (i == j) continue;
      a->re = inverse ? inverse[m->stages * i + j] / h : 0.0;
      a->E = m->E + stride * (size_t)j;
      add_coupling(a, i, j);
    }
}

/* Sets the offsets and rotations of stage I, and visits its entries. */
static void visit_stage(hn_assembly *a, const hn_stage_saddle *m, int i)
{
  const size_t at = 9 * (size_t)a->system->model->nbody * (size_t)i;
  a->row = a->column = i * m->pattern->n;
  a->E = m->E + at, a->H = m->H + at;
  hn_assembly_visit(a);
}

static void visit(hn_assembly *a, const hn_stage_saddle *m)
{
  a->count = 0;
  add_couplings(a, m, NULL, 0.0);
  for (int i = 0; i < m->stages; i++) visit_stage(a, m, i);
}

int hn_stage_saddle_setup(hn_solver *solver, hn_stage_saddle *m, const hn_saddle_pattern *p,
                          const hn_tangent *t, int stages, bool dense, hn_error *error)
{
  const size_t rotations = 9 * (size_t)t->model->nbody * (size_t)stages;
  const int n = stages * p->n;
  hn_assembly a = { .pattern = p, .tangent = t, .system = solver->system, .state = t->moved };
  m->pattern = p;
  m->stages = stages;
  if (hn_solver_allocate(solver, error, HN_ARRAY(m->E, rotations), HN_ARRAY(m->H, rotations))) return -1;
  visit(&a, m);
  m->entries = a.count;
  if (hn_solver_allocate(solver, error, HN_ARRAY(m->start, n + 1), HN_ARRAY(m->row, a.count),
                         HN_ARRAY(m->slot, a.count), HN_ARRAY(m->value, a.count), HN_ARRAY(m->x, n)))
    return -1;
  a.place = malloc(sizeof *a.place * ((size_t)a.count + 1));
  if (!a.place) return hn_fail(error, "out of memory");
  visit(&a, m);
  hn_assembly_sort(&a, n, m->start, m->row, m->slot);
  free(a.place);
  m->lu = hn_sparse_lu_create(&(hn_lu_pattern){ n, m->start, m->row, false }, false, dense, error);
  return m->lu ? 0 : -1;
}

void hn_stage_saddle_free(hn_stage_saddle *m)
{
  hn_sparse_lu_free(m->lu);
}

/* Returns an assembly of values, with COUNT entries behind it. */
static hn_assembly continue_at(const hn_system *s, const hn_stage_saddle *m, int count)
{
  return (hn_assembly){
    .pattern = m->pattern, .system = s, .value = m->value, .slot = m->slot, .stride = 1, .count = count
  };
}

void hn_stage_saddle_begin(const hn_system *s, hn_stage_saddle *m, const double *inverse, double h)
{
  hn_assembly a = continue_at(s, m, 0);
  memset(m->value, 0, sizeof *m->value * (size_t)m->start[m->stages * m->pattern->n]);
  add_couplings(&a, m, inverse, h);
  m->count = a.count;
}

void hn_stage_saddle_add(const hn_system *s, hn_stage_saddle *m, const hn_tangent *t, const hn_state *state,
                         int stage, double c, double proximal)
{
  hn_assembly a = continue_at(s, m, m->count);
  a.tangent = t, a.state = state;
  a.re = c, a.proximal = proximal;
  visit_stage(&a, m, stage);
  m->count = a.count;
}

hn_reason hn_stage_saddle_solve(hn_system *s, hn_stage_saddle *m, const hn_saddle_vector *R)
{
  s->work.factorisations++, s->work.solves++;
  s->work.eliminated += (uint64_t)(m->stages * s->nblock);
  if (!all_finite(m->value, m->start[m->stages * m->pattern->n])) return HN_NOT_FINITE;
  const hn_reason reason = hn_sparse_lu_factor(m->lu, m->value);
  if (reason != HN_CONVERGED) return reason;
  for (int i = 0; i < m->stages; i++) hn_saddle_load(m->pattern, s, &R[i], 1, m->x + i * m->pattern->n);
  hn_sparse_lu_solve(m->lu, m->x);
  for (int i = 0; i < m->stages; i++) hn_saddle_unload(m->pattern, s, m->x + i * m->pattern->n, 1, &R[i]);
  return HN_CONVERGED;
}
