/* block_impulse.c - the impulse of one joint or contact (block_impulse.h). */
#include "impulse/block_impulse.h"
#include "contact/local_coulomb.h"
#include "registry/solver_arrays.h"

#include <string.h>

static size_t block_size(const hn_block *block)
{
  return (size_t)block->n * (size_t)block->n;
}

int hn_blocks_create(hn_solver *solver, double ***block, hn_error *error)
{
  const hn_system *s = solver->system;
  const int njoint = s->model->njoint;
  double *next;
  size_t size = 9 * (size_t)(s->max_blocks - njoint); /* contacts have at most three rows */
  for (int k = 0; k < njoint; k++) size += block_size(&s->block[k]);
  if (hn_solver_allocate(solver, error, HN_ARRAY(*block, s->max_blocks), HN_ARRAY(next, size))) return -1;
  for (int k = 0; k < s->max_blocks; k++) {
    (*block)[k] = next;
    next += k < njoint ? block_size(&s->block[k]) : 9;
  }
  return 0;
}

void hn_block_add_projected(hn_system *s, const hn_block *block, double h, double *p, double *total)
{
  if (block->joint->set->kind == HN_ANY) {
    for (int r = 0; r < block->n; r++) total[r] += p[r];
    return;
  }
  double before[HN_MAX_ROWS];
  for (int r = 0; r < block->n; r++) before[r] = total[r], total[r] += p[r];
  hn_set_project(block->joint->set, block->n, h, total);
  for (int r = 0; r < block->n; r++) p[r] = total[r] - before[r];
  s->work.projections++;
}

/* Rotates the two tangential components of v[n] by the angle with the given cosine and sine. */
static void turn_tangents(int n, double cosine, double sine, double *v)
{
  if (n < 3) return;
  const double first = v[1], second = v[2];
  v[1] = cosine * first + sine * second, v[2] = cosine * second - sine * first;
}

void hn_block_solve_friction(hn_system *s, const hn_block *block, const double *K, const double *v, double *p,
                             double *total)
{
  const int n = block->n;
  double turn[2], velocity[3] = { 0 }, impulse[3] = { 0 };
  hn_local local;
  hn_local_prepare(&local, block->joint->set, n, K, turn);
  for (int r = 0; r < n; r++) velocity[r] = v[r], impulse[r] = total[r];
  turn_tangents(n, turn[0], turn[1], velocity), turn_tangents(n, turn[0], turn[1], impulse);
  hn_local_solve(&local, n, velocity, impulse);
  turn_tangents(n, turn[0], -turn[1], impulse);
  for (int r = 0; r < n; r++) p[r] = impulse[r] - total[r], total[r] = impulse[r];
  s->work.projections++;
}
