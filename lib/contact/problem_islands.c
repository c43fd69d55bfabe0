/* problem_islands.c - solution of a contact problem island by island (problem_islands.h). Islands are found
 * by union and find over the bodies that impulses move. Blocks are sorted by island, and the blocks, rows and
 * bodies of one island are copied to a problem of its own. Cost: linear in the blocks, besides the sorting,
 * plus the solutions; those of separate islands grow linearly with their number, whatever the contact solver
 * costs.
 *
 * With friction at several contacts an island can have two solutions, for example a body between two walls
 * that goes on sliding or jams. The rule: of the solutions found, the one of least kinetic energy. The second
 * start has impulses deep inside all cones, where Newton's method begins with all contacts sticking. If all
 * contacts can stick, that solution has less energy than any other. Of equal energies, as of mirror images,
 * the first solution is kept. */
#include "contact/problem_islands.h"
#include "base/array.h"
#include "base/vec.h"
#include "contact/block_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Normal impulses of the second start, relative to those that stop a single contact. */
static const double deep_start = 10.0;
/* Energies of solutions that differ by less than this part of p v are equal. */
static const double same_energy = 1e-8;

/* A block that may have an impulse, with the smallest body of its island. */
typedef struct member {
  int island, block;
} member;

struct hn_problem_islands {
  hn_island_solve *solve;
  int *root;  /* [bodies] a body of the same island with a smaller index; its own index if there is none */
  int *place; /* [bodies] index of a body in the island; -1: not in it */
  member *member; /* [count] blocks, ordered by island, then by index */
  int count;
  hn_problem part;          /* the problem of one island, in arrays of its own */
  double *W, *inv_mass;     /* [9 bodies], [bodies] of the part, if the problem has them */
  double *p;                /* [rows] its impulses */
  double *other, *v, *work; /* [rows] its second solution, velocities; [6 bodies] scratch */
  hn_arrays arrays;
};

hn_problem_islands *hn_problem_islands_create(const hn_problem_size *most, hn_island_solve *solve,
                                              hn_error *error)
{
  const size_t rows = (size_t)most->rows, blocks = (size_t)most->blocks + 1, bodies = (size_t)most->bodies;
  hn_problem_islands *d = calloc(1, sizeof *d);
  if (!d) return hn_fail(error, "out of memory"), NULL;
  d->solve = solve;
  if (hn_arrays_allocate(&d->arrays, error, HN_ARRAY(d->part.b, rows), HN_ARRAY(d->part.G, 12 * rows),
                         HN_ARRAY(d->part.T, 12 * rows), HN_ARRAY(d->W, 9 * bodies),
                         HN_ARRAY(d->inv_mass, bodies), HN_ARRAY(d->part.block, blocks), HN_ARRAY(d->p, rows),
                         HN_ARRAY(d->root, bodies), HN_ARRAY(d->place, bodies), HN_ARRAY(d->member, blocks),
                         HN_ARRAY(d->other, rows), HN_ARRAY(d->v, rows), HN_ARRAY(d->work, 6 * bodies)) == 0)
    return d;
  hn_problem_islands_free(d);
  return NULL;
}

void hn_problem_islands_free(hn_problem_islands *d)
{
  if (!d) return;
  hn_arrays_free(&d->arrays);
  free(d);
}

/* ---- Islands ------------------------------------------------------------------------------------------- */

/* Returns the smallest body of the island of BODY. Halves the path to it. */
static int root_of(hn_problem_islands *d, int body)
{
  while (d->root[body] != body) {
    d->root[body] = d->root[d->root[body]];
    body = d->root[body];
  }
  return body;
}

static bool may_act(const hn_problem *problem, const hn_problem_block *block)
{
  double lower, upper;
  if (block->set.kind != HN_WITHIN) return true;
  hn_set_bounds(&block->set, problem->h, &lower, &upper);
  return lower != 0.0 || upper != 0.0;
}

static int compare_members(const void *one, const void *other)
{
  const member *a = one, *b = other;
  if (a->island != b->island) return a->island < b->island ? -1 : 1;
  return (a->block > b->block) - (a->block < b->block);
}

/* Lists the blocks of PROBLEM that may act by island, and sets the impulses of all others to 0. A body that
 * no impulse moves, such as the ground, connects nothing. */
static void list_islands(hn_problem_islands *d, const hn_problem *problem, double *p)
{
  for (int i = 0; i < problem->nbody; i++) d->root[i] = i;
  d->count = 0;
  for (int k = 0; k < problem->nblock; k++) {
    const hn_problem_block *block = &problem->block[k];
    if (!may_act(problem, block)) {
      memset(p + block->row, 0, sizeof *p * (size_t)block->n);
      continue;
    }
    const bool a_moves = hn_rows_moves(problem, block, 0), b_moves = hn_rows_moves(problem, block, 1);
    d->member[d->count++] = (member){ .island = a_moves ? block->a : block->b, .block = k };
    if (!a_moves || !b_moves) continue;
    const int one = root_of(d, block->a), other = root_of(d, block->b);
    d->root[one > other ? one : other] = one > other ? other : one;
  }
  for (int i = 0; i < d->count; i++) d->member[i].island = root_of(d, d->member[i].island);
  qsort(d->member, (size_t)d->count, sizeof *d->member, compare_members);
}

/* ---- The problem of one island ------------------------------------------------------------------------- */

/* Returns the index of BODY of PROBLEM in the part, to which it is added if it is new. */
static int enter_body(hn_problem_islands *d, const hn_problem *problem, int body)
{
  hn_problem *part = &d->part;
  if (d->place[body] >= 0) return d->place[body];
  if (problem->W) memcpy(d->W + 9 * part->nbody, problem->W + 9 * body, 9 * sizeof *d->W);
  if (problem->inv_mass) d->inv_mass[part->nbody] = problem->inv_mass[body];
  return d->place[body] = part->nbody++;
}

/* Copies members FIRST to END - 1 of PROBLEM, with their impulses P, to d->part and d->p. */
static void gather(hn_problem_islands *d, const hn_problem *problem, int first, int end, const double *p)
{
  hn_problem *part = &d->part;
  part->h = problem->h, part->nblock = part->nrow = part->nbody = 0;
  part->W = problem->W ? d->W : NULL, part->inv_mass = problem->inv_mass ? d->inv_mass : NULL;
  for (int i = first; i < end; i++) {
    const hn_problem_block *block = &problem->block[d->member[i].block];
    d->place[block->a] = d->place[block->b] = -1;
  }
  for (int i = first; i < end; i++) {
    const hn_problem_block *block = &problem->block[d->member[i].block];
    const size_t n = (size_t)block->n, from = (size_t)block->row, to = (size_t)part->nrow;
    hn_problem_block *copy = &part->block[part->nblock++];
    *copy = *block;
    copy->a = enter_body(d, problem, block->a), copy->b = enter_body(d, problem, block->b);
    copy->row = part->nrow, part->nrow += block->n;
    memcpy(part->b + to, problem->b + from, n * sizeof *part->b);
    memcpy(part->G + 12 * to, problem->G + 12 * from, 12 * n * sizeof *part->G);
    memcpy(part->T + 12 * to, problem->T + 12 * from, 12 * n * sizeof *part->T);
    memcpy(d->p + to, p + from, n * sizeof *p);
  }
}

static void scatter(const hn_problem_islands *d, const hn_problem *problem, int first, double *p)
{
  for (int i = 0; i < d->part.nblock; i++) {
    const hn_problem_block *block = &problem->block[d->member[first + i].block];
    memcpy(p + block->row, d->p + d->part.block[i].row, sizeof *p * (size_t)block->n);
  }
}

/* True if the impulses of the part are 0 and solve it within the tolerance of SOLVER. */
static bool is_solved_by_zero(const hn_problem_islands *d, const hn_contact_solver *solver)
{
  const bool relaxed = solver->type->capabilities & HN_SOLVES_RELAXED;
  for (int i = 0; i < d->part.nrow; i++)
    if (d->p[i] != 0.0) return false;
  const double most = hn_contact_tolerance(solver->options.tolerance, d->part.b, d->part.nrow);
  return hn_problem_error(&d->part, relaxed, d->p, d->part.b, NULL) <= most;
}

/* ---- Two solutions of one island ----------------------------------------------------------------------- */

/* Returns the change of the kinetic energy of the part by the impulses P, J. */
static double energy_change(hn_problem_islands *d, const double *p)
{
  double sum = 0.0;
  hn_problem_velocities(&d->part, p, d->work, d->v);
  for (int i = 0; i < d->part.nrow; i++) sum += 0.5 * p[i] * (d->v[i] + d->part.b[i]);
  return sum;
}

/* Sets d->other to impulses deep inside all cones. False if the part has one solution: it moves no faster
 * than TOLERANCE, or has a single contact with friction. */
static bool start_sticking(hn_problem_islands *d, double tolerance)
{
  const hn_problem *part = &d->part;
  double fastest = 0.0;
  int count = 0;
  memset(d->other, 0, sizeof *d->other * (size_t)part->nrow);
  for (int i = 0; i < part->nrow; i++) fastest = fmax(fastest, fabs(part->b[i]));
  for (int k = 0; k < part->nblock; k++) {
    const hn_set *set = &part->block[k].set;
    if (set->kind != HN_CONE || !(set->mu > 0.0)) continue;
    d->other[part->block[k].row] = deep_start * fastest * (1.0 + 1.0 / set->mu) / hn_problem_scale(part, k);
    count++;
  }
  return count > 1 && fastest > tolerance;
}

/* Solves the part, whose solution is d->p, from sticking contacts as well. If that solution has less energy,
 * d->p becomes it. DIFFER: the energies are not equal. Fallbacks and solutions at the level of rounding are
 * not used: no second solution is needed. Returns HN_INTERRUPTED, or else HN_CONVERGED. */
static hn_reason compare_sticking(hn_problem_islands *d, hn_contact_solver *solver, bool *differ)
{
  double scale = 0.0;
  *differ = false;
  if (!start_sticking(d, solver->options.tolerance)) return HN_CONVERGED;
  hn_contact_solver *next = solver->next;
  int *roundings = solver->roundings;
  const int room = solver->room;
  solver->next = NULL, solver->roundings = NULL, solver->room = 0;
  const hn_reason reason = d->solve(solver, &d->part, d->other);
  solver->next = next, solver->roundings = roundings, solver->room = room;
  if (reason != HN_CONVERGED || solver->at_rounding) return reason == HN_INTERRUPTED ? reason : HN_CONVERGED;
  const double change = energy_change(d, d->other) - energy_change(d, d->p);
  for (int i = 0; i < d->part.nrow; i++) scale += (fabs(d->p[i]) + fabs(d->other[i])) * fabs(d->part.b[i]);
  *differ = fabs(change) > same_energy * scale;
  if (*differ && change < 0.0) memcpy(d->p, d->other, sizeof *d->p * (size_t)d->part.nrow);
  return HN_CONVERGED;
}

/* ---- Solution ------------------------------------------------------------------------------------------ */

/* Results of a contact solver over all islands; the histories follow each other in the solver's. */
typedef struct totals {
  int iterations, factorisations, solves, sweeps, fallbacks, kept;
  double error;
} totals;

/* Solves the part from d->p and adds the results to SUM. An island that p = 0 solves is left. */
static hn_reason solve_part(hn_problem_islands *d, hn_contact_solver *solver, totals *sum)
{
  double *history = solver->history;
  const int room = solver->room;
  if (is_solved_by_zero(d, solver)) return HN_CONVERGED;
  solver->room = room - sum->kept;
  if (history) solver->history = history + sum->kept;
  const hn_reason reason = d->solve(solver, &d->part, d->p);
  solver->history = history, solver->room = room;
  sum->iterations += solver->iterations, sum->kept += solver->kept;
  sum->factorisations += solver->factorisations, sum->solves += solver->solves;
  sum->sweeps += solver->sweeps, sum->fallbacks += solver->fallbacks;
  sum->error = fmax(sum->error, solver->error);
  return reason;
}

hn_reason hn_problem_islands_solve(hn_problem_islands *d, hn_contact_solver *solver,
                                   const hn_problem *problem, double *p, int *ambiguous)
{
  hn_reason result = HN_CONVERGED;
  totals sum = { 0 };
  int worst = -1;
  double residual = 0.0;
  const char *message = NULL;
  list_islands(d, problem, p);
  if (ambiguous) *ambiguous = 0;
  for (int first = 0, end = 0; first < d->count; first = end) {
    while (end < d->count && d->member[end].island == d->member[first].island) end++;
    gather(d, problem, first, end, p);
    hn_reason reason = solve_part(d, solver, &sum);
    if (ambiguous && reason == HN_CONVERGED) {
      bool differ;
      reason = compare_sticking(d, solver, &differ);
      *ambiguous += differ;
    }
    scatter(d, problem, first, p);
    if (reason == HN_CONVERGED) continue;
    result = reason, message = solver->message, residual = solver->residual;
    worst = solver->worst < 0 ? -1 : d->member[first + solver->worst].block;
  }
  solver->iterations = sum.iterations, solver->kept = sum.kept, solver->error = sum.error;
  solver->factorisations = sum.factorisations, solver->solves = sum.solves;
  solver->sweeps = sum.sweeps, solver->fallbacks = sum.fallbacks;
  solver->message = message, solver->worst = worst, solver->residual = residual;
  return result;
}

int hn_problem_islands_mark(const hn_problem_islands *d, int at, int nblock, bool *marked)
{
  const int first = at;
  memset(marked, 0, sizeof *marked * (size_t)nblock);
  for (; at < d->count && d->member[at].island == d->member[first].island; at++)
    marked[d->member[at].block] = true;
  return first < d->count ? at : -1;
}
