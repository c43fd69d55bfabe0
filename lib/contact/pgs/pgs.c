/* pgs.c - block Gauss-Seidel: one block after the other gets the impulse that is right for it alone.
 *
 *   for blocks k in order:   v_k = (K p + b)_k;   p_k := solution of block k, all other impulses held
 *
 * By bodies, u = W G' p is kept: a block costs two products with 12 numbers a row, and K is never formed.
 * Blocks that share no body which moves may change places, and no bit changes: they are taken in layers, so
 * that one need not wait for the other (sweep_order.h), and contacts of a layer four pairs of bodies at a time
 * (four_contacts.h). So may two sweeps of which it is known that both will be made: in a stack, where each block
 * waits for the one before it, the second follows the first a few blocks behind, and the processor works on
 * both at once. A block is
 *
 *   any      solved whole, L D L' of its part of K; rows that depend on others get nothing
 *   push, within   row by row, clamped
 *   cone     local=cone     Coulomb's law exactly (contact/local_coulomb.h)
 *            local=disk     the normal first, then both tangents, cut to mu p_n of the new p_n
 *            local=box      the normal first, then each tangent by itself, cut to +-mu p_n of the new p_n
 *            local=pyramid  each tangent first, cut to +-mu p_n of the sweep before, then the normal
 *
 * box and pyramid end in friction that depends on direction: up to sqrt(2) times too much, along the diagonals of their
 * tangents. They and disk stop when impulses do, whatever Coulomb's law says; for cone the law decides.
 * Linear convergence: of the normals of a stack of n equal masses exactly cos^2(pi / 2n) a sweep. Order of blocks is
 * part of the solver. [Jourdan, Alart and Jean, Comput. Solvers Appl. Mech. Eng. 155 (1998) 31; box: Erleben 2007] */
#include "base/vec.h"
#include "contact/pgs/four_contacts.h"
#include "contact/block_rows.h"
#include "contact/pgs/sweep_order.h"
#include "contact/pgs/single_block.h"

#include <stdlib.h>
#include <string.h>

enum { JUDGE_EVERY = 8 };                  /* sweeps, where impulses have stopped and the law still fails */
static const double least_change = 1e-100; /* m/s: what is smaller may be no change at all */

typedef struct pgs {
  hn_singles one; /* all blocks but those of fours; u is of both */
  hn_runs runs;
  hn_four *four; /* [nfour], room for half of most.blocks */
  hn_four_point
    *point; /* [npoint] of all fours, room for most.blocks: two runs side by side need that of the longer */
  hn_four_rest *rest;
  int nfour, npoint;
  hn_four_visit *visit_four;
  hn_single_sweep *sweep_singles;
  int *item; /* [nitem], room for most.blocks: blocks, and ~ fours, in the order of a sweep */
  int nitem;
  int lag;          /* items that the next sweep may be behind a sweep, no less */
  int *first;       /* [most.bodies] the first item of each, scratch */
  double *W;        /* [6 most.bodies] of the problem, for four_contacts.h */
  double *work, *v; /* [6 most.bodies], [most.rows] of the judge */
} pgs;

static int setup(hn_contact_solver *solver, hn_error *error)
{
  pgs *s = solver->data;
  const size_t rows = (size_t)solver->most.rows + 1, bodies = (size_t)solver->most.bodies + 1;
  const size_t blocks = (size_t)solver->most.blocks + 1;
  const bool found = hn_singles_setup(&s->one, &solver->most) == 0 &&
                     hn_runs_setup(&s->runs, &solver->most) == 0;
  s->four = malloc((blocks / 2 + 1) * sizeof *s->four), s->item = malloc(blocks * sizeof *s->item);
  s->point = malloc(blocks * sizeof *s->point), s->rest = malloc(blocks * sizeof *s->rest);
  s->visit_four = hn_four_visitor(), s->sweep_singles = hn_single_sweeper();
  s->work = malloc(sizeof(double) * 6 * bodies), s->W = malloc(sizeof(double) * 6 * bodies);
  s->v = malloc(sizeof(double) * rows), s->first = malloc(sizeof(int) * bodies);
  if (found && s->four && s->point && s->rest && s->W && s->item && s->first && s->work && s->v) return 0;
  return hn_fail(error, "no memory for contact problems of %zu rows", rows);
}

static void destroy(hn_contact_solver *solver)
{
  pgs *s = solver->data;
  hn_singles_free(&s->one), hn_runs_free(&s->runs);
  free(s->four), free(s->point), free(s->rest), free(s->item), free(s->first), free(s->W);
  free(s->work), free(s->v);
}

/* ---- The order of a sweep ---------------------------------------------------------------------------- */

/* A block by itself. */
static bool add_single(pgs *s, const hn_problem *problem, int k)
{
  s->item[s->nitem++] = k;
  return hn_single_add(&s->one, problem, k);
}

/* COUNT runs of a layer: side by side where there are several. */
static bool add_runs(pgs *s, const hn_problem *problem, const hn_run *run, int count, const double *p)
{
  bool finite = true;
  for (int k = 0; k < run->count && count == 1; k++)
    finite = add_single(s, problem, run->first + k) && finite;
  if (count == 1) return finite;
  hn_four *four = &s->four[s->nfour];
  s->item[s->nitem++] = ~s->nfour++;
  four->point = s->point + s->npoint, four->rest = s->rest + s->npoint;
  finite = hn_four_prepare(four, problem, run, count, p, s->W, s->one.u);
  s->npoint += four->most;
  return finite;
}

/* What a sweep visits, in its order, with the impulses P to begin with. */
static bool list_items(pgs *s, const hn_problem *problem, const double *p)
{
  hn_runs *runs = &s->runs;
  bool finite = true;
  s->nfour = s->npoint = s->nitem = 0;
  for (int k = 0; k < problem->nblock && problem->K; k++) finite = add_single(s, problem, k) && finite;
  if (problem->K) return finite;
  hn_runs_find(runs, problem, s->one.local == HN_LOCAL_CONE);
  for (int layer = 0; layer < runs->nlayer; layer++)
    for (int i = runs->start[layer], count; i < runs->start[layer + 1]; i += count) {
      for (count = 1; i + count < runs->start[layer + 1] && count < HN_FOUR; count++)
        if (!runs->run[i].contacts || !runs->run[i + count].contacts) break;
      finite = add_runs(s, problem, &runs->run[i], count, p) && finite;
    }
  return finite;
}

/* The next sweep may come to an item once this one has been at all behind it that share a body which moves:
 * they are that far apart at most; one more, and it need not wait for the visit just made. What is side by
 * side already gains nothing, and waits for all. */
static int find_lag(pgs *s, const hn_problem *problem)
{
  int lag = 0;
  if (problem->K || s->nfour > 0) return s->nitem;
  for (int i = 0; i < problem->nbody; i++) s->first[i] = -1;
  for (int i = 0; i < s->nitem; i++) {
    const hn_problem_block *block = &problem->block[s->item[i]];
    for (int side = 0; side < 2; side++) {
      int *first = &s->first[side ? block->b : block->a];
      if (!hn_rows_moves(problem, block, side)) continue;
      if (*first < 0) *first = i;
      if (i - *first > lag) lag = i - *first;
    }
  }
  return lag + 1 < s->nitem ? lag + 1 : s->nitem;
}

/* ---- All blocks -------------------------------------------------------------------------------------- */

static hn_reason prepare(pgs *s, const hn_problem *problem, const double *p)
{
  hn_singles_begin(&s->one, problem, p);
  for (int i = 0; i <= problem->nbody && problem->W; i++) { /* and a body that is not there */
    static const int triangle[6] = { 0, 1, 2, 4, 5, 8 };
    for (int k = 0; k < 6; k++) s->W[6 * i + k] = i < problem->nbody ? problem->W[9 * i + triangle[k]] : 0.0;
  }
  if (!list_items(s, problem, p)) return HN_NOT_FINITE;
  s->lag = find_lag(s, problem);
  return HN_CONVERGED;
}

/* As a velocity. */
static double change_of(const hn_changes *c)
{
  return c->sum == c->sum ? sqrt(c->largest) : c->sum;
}

static double sweep(pgs *s)
{
  hn_changes c[2] = { { 0 } };
  if (s->nfour == 0) s->sweep_singles(&s->one, s->item, s->nitem, s->nitem, c);
  else
    for (int i = 0; i < s->nitem; i++)
      if (s->item[i] >= 0) s->sweep_singles(&s->one, &s->item[i], 1, 1, c);
      else hn_changes_note(&c[0], s->visit_four(&s->four[~s->item[i]], s->one.relaxation, s->W, s->one.u));
  return change_of(&c[0]);
}

/* Two sweeps, the second one close behind the first where that gains anything: no bit changes. */
static void sweep_twice(pgs *s, double change[2])
{
  hn_changes c[2] = { { 0 } };
  if (s->lag < s->nitem) {
    s->sweep_singles(&s->one, s->item, s->nitem, s->lag, c);
    for (int k = 0; k < 2; k++) change[k] = change_of(&c[k]);
  } else
    for (int k = 0; k < 2; k++) change[k] = sweep(s);
}

/* ---- The solver -------------------------------------------------------------------------------------- */

/* Impulses in the tangents of the problem. */
static void take_impulses(const pgs *s, const hn_problem *problem, double *p)
{
  for (int i = 0; i < s->nitem; i++)
    if (s->item[i] < 0) hn_four_impulses(&s->four[~s->item[i]], problem, p);
    else hn_single_impulse(&s->one, s->item[i], p);
}

static double judge(pgs *s, const hn_problem *problem, double *p)
{
  take_impulses(s, problem, p);
  hn_problem_velocities(problem, p, s->work, s->v);
  return hn_problem_error(problem, false, p, s->v, NULL);
}

static hn_reason solve(hn_contact_solver *solver, const hn_problem *problem, double *p)
{
  pgs *s = solver->data;
  const double tolerance = solver->options.tolerance;
  const bool all = tolerance == 0.0 && solver->room == 0; /* a sweep that changes something is not the last */
  double change = 0.0, pair[2] = { 0 };
  hn_reason reason = prepare(s, problem, p);
  if (reason != HN_CONVERGED) return reason;
  for (int k = 0, next = 0, ahead = 0; k < solver->options.iterations; k++) {
    const bool twice = all && change > least_change && k + 1 < solver->options.iterations;
    if (ahead == 0 && twice) sweep_twice(s, pair);
    change = ahead > 0 ? pair[1] : twice ? pair[0] : sweep(s);
    ahead = ahead == 0 && twice;
    double error = change;
    if (!isfinite(change)) return HN_NOT_FINITE;
    bool stopped = change <= tolerance, due = stopped && k >= next;
    if (s->one.local == HN_LOCAL_CONE && (due || solver->room > 0)) error = judge(s, problem, p);
    if (due) next = k + JUDGE_EVERY;
    hn_contact_note(solver, error);
    if (!(due && (s->one.local != HN_LOCAL_CONE || error <= tolerance))) continue;
    take_impulses(s, problem, p);
    return HN_CONVERGED;
  }
  take_impulses(s, problem, p);
  return HN_BUDGET;
}

static const hn_param params[] = {
  { "local", HN_CHOICE, offsetof(pgs, one) + offsetof(hn_singles, local), "cone", 0, 0, "",
    "cone,disk,box,pyramid", "how a contact is solved: exactly, or split as engines do" },
  { "relaxation", HN_REAL, offsetof(pgs, one) + offsetof(hn_singles, relaxation), "1", 0.01, 1, "", NULL,
    "part of the change of an impulse that is made" },
  { .key = NULL },
};

static const char *const variants[] = { "", "local=box", "local=pyramid", NULL };

const hn_contact_type hn_contact_pgs = {
  .abi = HN_ABI,
  .name = "pgs",
  .summary = "block Gauss-Seidel; contacts solved exactly, or split as engines do",
  .citation = "Jourdan, Alart and Jean 1998",
  .capabilities = HN_CAN_PUSH | HN_CAN_WITHIN | HN_CAN_CONE | HN_SOLVES_MATRIX | HN_SOLVES_STICKING,
  .data_size = sizeof(pgs),
  .params = params,
  .setup = setup,
  .solve = solve,
  .free = destroy,
  .variants = variants,
};
