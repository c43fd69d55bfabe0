/* block_sweep.c - order and execution of Gauss-Seidel sweeps (see block_sweep.h). */
#include "contact/pgs/block_sweep.h"
#include "contact/block_rows.h"

void hn_block_sweep_setup(hn_block_sweep *s, const hn_problem_size *max_size, hn_arrays *arrays)
{
  const size_t bodies = (size_t)max_size->bodies + 1, blocks = (size_t)max_size->blocks;
  hn_singles_setup(&s->singles, max_size, arrays), hn_runs_setup(&s->runs, max_size, arrays);
  HN_ARRAYS(arrays, sizeof *s->four * (blocks / 2 + 1), &s->four);
  HN_ARRAYS(arrays, sizeof *s->item * blocks, &s->item);
  HN_ARRAYS(arrays, sizeof *s->point * blocks, &s->point);
  HN_ARRAYS(arrays, sizeof *s->rest * blocks, &s->rest);
  HN_ARRAYS(arrays, sizeof(double[6]) * bodies, &s->W);
  HN_ARRAYS(arrays, sizeof *s->first * bodies, &s->first);
  s->visit_four = hn_four_fastest_visit(), s->sweep_singles = hn_single_fastest_sweep();
}

/* ---- Order of a sweep ---- */

/* Appends block K as an item. */
static bool add_single(hn_block_sweep *s, const hn_problem *problem, int k)
{
  s->item[s->nitem++] = k;
  return hn_single_add(&s->singles, problem, k);
}

/* Appends COUNT runs of a layer: a single run block by block, several as a group of four. */
static bool add_runs(hn_block_sweep *s, const hn_problem *problem, const hn_run *run, int count,
                     const double *p)
{
  bool finite = true;
  for (int k = 0; k < run->count && count == 1; k++)
    finite = add_single(s, problem, run->first + k) && finite;
  if (count == 1) return finite;
  hn_four *four = &s->four[s->nfour];
  s->item[s->nitem++] = ~s->nfour++;
  four->point = s->point + s->npoint, four->rest = s->rest + s->npoint;
  finite = hn_four_prepare(four, problem, s->singles.local, run, count, p, s->W, s->singles.u);
  s->npoint += four->longest;
  return finite;
}

/* Lists the items of a sweep, layer by layer; for a given K in the order of the problem. */
static bool list_items(hn_block_sweep *s, const hn_problem *problem, const double *p)
{
  hn_runs *runs = &s->runs;
  bool finite = true;
  s->nfour = s->npoint = s->nitem = 0;
  for (int k = 0; k < problem->nblock && problem->K; k++) finite = add_single(s, problem, k) && finite;
  if (problem->K) return finite;
  hn_runs_find(runs, problem, p);
  for (int layer = 0; layer < runs->nlayer; layer++)
    for (int i = runs->start[layer], count; i < runs->start[layer + 1]; i += count) {
      for (count = 1; i + count < runs->start[layer + 1] && count < HN_FOUR; count++)
        if (!runs->run[i].contacts || !runs->run[i + count].contacts) break;
      finite = add_runs(s, problem, &runs->run[i], count, p) && finite;
    }
  return finite;
}

/* Returns the lag of the next sweep. It may visit an item after this sweep has visited all later items with a
 * common moving body: the lag is the largest distance of such items, plus one so that it need not wait for
 * the visit just made. Groups of four gain nothing from an overlap: the lag is nitem. */
static int find_lag(hn_block_sweep *s, const hn_problem *problem)
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

bool hn_block_sweep_load(hn_block_sweep *s, const hn_problem *problem, int local, double relaxation,
                         const double *p)
{
  static const int triangle[6] = { 0, 1, 2, 4, 5, 8 };
  s->singles.local = local, s->singles.relaxation = relaxation, s->is_ahead = false;
  hn_singles_begin(&s->singles, problem, p);
  for (int i = 0; i <= problem->nbody && problem->W; i++) /* body nbody is missing: it does not move */
    for (int k = 0; k < 6; k++) s->W[6 * i + k] = i < problem->nbody ? problem->W[9 * i + triangle[k]] : 0.0;
  if (!list_items(s, problem, p)) return false;
  s->lag = find_lag(s, problem);
  return true;
}

/* ---- Sweeps ---- */

/* Returns the largest change as a velocity; not a number if a change is none. */
static double largest_change(const hn_changes *c)
{
  return c->sum == c->sum ? sqrt(c->largest) : c->sum;
}

static double sweep_once(hn_block_sweep *s)
{
  hn_changes c[2] = { { 0 } };
  if (s->nfour == 0) s->sweep_singles(&s->singles, s->item, s->nitem, s->nitem, c);
  else
    for (int i = 0; i < s->nitem; i++)
      if (s->item[i] >= 0) s->sweep_singles(&s->singles, &s->item[i], 1, 1, c);
      else
        hn_changes_note(&c[0], s->visit_four(&s->four[~s->item[i]], s->singles.local, s->singles.relaxation,
                                             s->W, s->singles.u));
  return largest_change(&c[0]);
}

/* Makes two sweeps, the second one `lag` items behind the first if that is faster. */
static void sweep_twice(hn_block_sweep *s, double change[2])
{
  hn_changes c[2] = { { 0 } };
  if (s->lag == s->nitem) {
    for (int k = 0; k < 2; k++) change[k] = sweep_once(s);
    return;
  }
  s->sweep_singles(&s->singles, s->item, s->nitem, s->lag, c);
  for (int k = 0; k < 2; k++) change[k] = largest_change(&c[k]);
}

double hn_block_sweep_next(hn_block_sweep *s, bool may_look_ahead)
{
  double change[2];
  if (s->is_ahead) {
    s->is_ahead = false;
    return s->change_ahead;
  }
  if (!may_look_ahead) return sweep_once(s);
  sweep_twice(s, change);
  s->is_ahead = true, s->change_ahead = change[1];
  return change[0];
}

void hn_block_sweep_set(hn_block_sweep *s, const hn_problem *problem, const double *p)
{
  s->is_ahead = false;
  if (!problem->K) memset(s->singles.u, 0, sizeof *s->singles.u * 6 * ((size_t)problem->nbody + 1));
  for (int i = 0; i < s->nitem; i++)
    if (s->item[i] < 0) hn_four_set(&s->four[~s->item[i]], problem, p, s->W, s->singles.u);
    else hn_single_set(&s->singles, s->item[i], p);
}

void hn_block_sweep_impulses(const hn_block_sweep *s, const hn_problem *problem, double *p)
{
  for (int i = 0; i < s->nitem; i++)
    if (s->item[i] < 0) hn_four_impulses(&s->four[~s->item[i]], problem, p);
    else hn_single_impulse(&s->singles, s->item[i], p);
}
