/* basis.c - rows that are independent of each other: Gram and Schmidt, in the metric of inverse masses.
 *
 * A gap that others imply is left out so that the forces of the rest stay positive: of the forces that change nothing,
 * sum c_i n_i = 0, as much is added as takes the first force to zero (Caratheodory). A slip that others imply is simply
 * left out. */
#include "events/events_parts.h"
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

static const double dependent = 1e-6; /* part of a row that is left, below which others say the same */

int hn_events_basis_setup(hn_solver *solver, hn_events_basis *b, hn_error *error)
{
  const hn_system *s = solver->system;
  const size_t rows = (size_t)s->most_rows + 1, size = 6 * (size_t)s->model->nbody;
  b->q = calloc(rows * size, sizeof *b->q);
  b->c = calloc(rows, sizeof *b->c);
  b->row = calloc(rows * rows, sizeof *b->row);
  b->gap = calloc(rows, sizeof *b->gap);
  return b->q && b->c && b->row && b->gap ? 0 : hn_fail(error, "out of memory");
}

void hn_events_basis_free(hn_events_basis *b)
{
  free(b->q), free(b->c), free(b->row), free(b->gap);
}

/* The row of block K that is part[r] of each of its rows, W^1/2 G', into OUT[6 nbody]. */
static void weigh(const hn_system *s, int k, const double *part, const hn_state *state, double *out)
{
  const hn_block *block = &s->block[k];
  const double *G = s->G + 12 * block->row;
  memset(out, 0, 6 * sizeof *out * (size_t)s->model->nbody);
  for (int side = 0; side < 2; side++) {
    const int i = side ? block->b : block->a;
    const hn_body *body = &s->model->body[i];
    double turn[3], *at = out + 6 * i;
    for (int c = 0; c < 3; c++) {
      at[c] = turn[c] = 0.0;
      for (int r = 0; r < block->n; r++) {
        at[c] += part[r] * G[(6 * side + c) * block->n + r];
        turn[c] += part[r] * G[(6 * side + 3 + c) * block->n + r];
      }
      at[c] *= sqrt(body->inv_mass);
    }
    quat_unrotate(at + 3, state->pose[i].q, turn);
    for (int c = 0; c < 3; c++) at[3 + c] *= sqrt(body->inv_J[c]);
  }
}

static double dot(const double *a, const double *b, size_t n)
{
  double sum = 0.0;
  for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

/* The row of block K that is PART of each of its rows as the next vector, and in C what of the others it
 * is made of; false where that is all. */
static bool add_parts(const hn_solver *solver, hn_events_basis *b, int k, const double *part,
                      const hn_state *state)
{
  const hn_system *s = solver->system;
  const size_t n = 6 * (size_t)s->model->nbody;
  double *next = b->q + (size_t)b->count * n;
  weigh(s, k, part, state, next);
  const double whole = sqrt(dot(next, next, n));
  memset(b->c, 0, sizeof *b->c * ((size_t)b->count + 1));
  for (int pass = 0; pass < 2; pass++)
    for (int i = 0; i < b->count; i++) {
      const double *q = b->q + (size_t)i * n, along = dot(q, next, n);
      b->c[i] += along;
      for (size_t j = 0; j < n; j++) next[j] -= along * q[j];
    }
  const double left = sqrt(dot(next, next, n));
  if (!(left > dependent * whole)) return false;
  for (size_t j = 0; j < n; j++) next[j] /= left;
  b->c[b->count++] = left;
  return true;
}

static bool add_row(const hn_solver *solver, hn_events_basis *b, int k, int r, const hn_state *state)
{
  double part[HN_MAX_ROWS] = { 0 };
  part[r] = 1.0;
  return add_parts(solver, b, k, part, state);
}

static bool is_held(const hn_block *block, const hn_block_role *role)
{
  const hn_set_kind kind = block->joint->set->kind;
  return (kind == HN_ANY && role->role != HN_ROLE_GONE) || (kind == HN_WITHIN && role->role == HN_ROLE_HELD);
}

static bool pushes(const hn_block *block, const hn_block_role *role)
{
  const hn_set_kind kind = block->joint->set->kind;
  return (kind == HN_PUSH || kind == HN_CONE) && (role->role == HN_ROLE_HELD || role->role == HN_ROLE_SLIDES);
}

/* Joints, then the gaps that are left; the first that is dependent, or -1: then C has what it is made of. */
static int list_gaps(hn_solver *solver, hn_events_basis *b, const hn_block_role *role, const hn_state *state)
{
  const hn_system *s = solver->system;
  int gaps = 0;
  b->count = 0;
  for (int k = 0; k < s->nblock; k++)
    for (int r = 0; is_held(&s->block[k], &role[k]) && r < s->block[k].n; r++)
      add_row(solver, b, k, r, state);
  b->joints = b->count;
  for (int k = 0; k < s->nblock; k++) {
    if (!pushes(&s->block[k], &role[k]) || !role[k].gap) continue;
    if (!add_row(solver, b, k, 0, state)) return k;
    memcpy(b->row + (size_t)gaps * (size_t)(s->most_rows + 1), b->c, sizeof *b->c * (size_t)b->count);
    b->gap[gaps++] = k;
  }
  return -1;
}

/* Gap K is sum w_i times the gaps listed: forces go that way until one of them is zero, which is left out. */
static void leave_one(hn_solver *solver, hn_events_basis *b, int k, hn_block_role *role, double *p)
{
  const hn_system *s = solver->system;
  const size_t stride = (size_t)s->most_rows + 1;
  const int gaps = b->count - b->joints;
  double most = p[s->block[k].row];
  int out = -1;
  for (int i = gaps - 1; i >= 0; i--) { /* back substitution: c = sum w_i row_i, of what are no joints */
    const double *row = b->row + (size_t)i * stride;
    const double w = b->c[b->joints + i] / row[b->joints + i];
    for (int j = 0; j < i; j++) b->c[b->joints + j] -= w * row[b->joints + j];
    b->c[b->joints + i] = w;
  }
  for (int i = 0; i < gaps; i++) { /* p_k falls by t, p_i rises by t w_i: or the other way */
    const double w = b->c[b->joints + i], force = p[s->block[b->gap[i]].row];
    if (w < 0.0 && force < -w * most) most = -force / w, out = i;
  }
  p[s->block[k].row] -= most;
  for (int i = 0; i < gaps; i++) p[s->block[b->gap[i]].row] += most * b->c[b->joints + i];
  const int left = out < 0 ? k : b->gap[out];
  p[s->block[left].row] = 0.0;
  role[left].gap = false;
}

void hn_events_basis_choose(hn_solver *solver, hn_events_basis *b, hn_block_role *role, double *p,
                            const hn_state *state)
{
  const hn_system *s = solver->system;
  for (int k = 0; k < s->nblock; k++) role[k].gap = true, role[k].stick = 0;
  for (int k = list_gaps(solver, b, role, state); k >= 0; k = list_gaps(solver, b, role, state))
    leave_one(solver, b, k, role, p);
  for (int k = 0; k < s->nblock; k++) {
    const hn_block *block = &s->block[k];
    if (block->joint->set->kind != HN_CONE) continue;
    for (int r = 1; r < block->n && role[k].role == HN_ROLE_HELD; r++)
      if (add_row(solver, b, k, r, state)) role[k].stick |= 1u << (r - 1);
    const double across[3] = { 0.0, -role[k].along[1], role[k].along[0] };
    if (role[k].creeps && role[k].gap && add_parts(solver, b, k, across, state)) role[k].stick = 2;
  }
}
