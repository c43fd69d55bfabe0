/* sweep_order.c - runs and layers (see sweep_order.h). */
#include "contact/block_rows.h"
#include "contact/pgs/sweep_order.h"

#include <string.h>

void hn_runs_setup(hn_runs *r, const hn_problem_size *max_size, hn_arrays *arrays)
{
  const size_t blocks = (size_t)max_size->blocks + 1;
  HN_ARRAYS(arrays, sizeof(hn_run) * blocks, &r->run, &r->found);
  HN_ARRAYS(arrays, sizeof(int) * blocks, &r->layer, &r->start);
  HN_ARRAYS(arrays, sizeof(int) * (HN_MAX_RUN * blocks + 1), &r->place);
  HN_ARRAYS(arrays, sizeof(int) * (size_t)max_size->bodies, &r->next);
}

static bool is_simple_contact(const hn_problem *problem, const hn_problem_block *block)
{
  const hn_set *set = &block->set;
  return problem->W && set->kind == HN_CONE && !(set->mu_static > set->mu) && block->n == 3 &&
         block->a != block->b;
}

static void find_runs(hn_runs *r, const hn_problem *problem)
{
  hn_run *run = NULL;
  r->count = 0;
  for (int k = 0; k < problem->nblock; k++) {
    const hn_problem_block *block = &problem->block[k], *before = block - 1;
    const bool contact = is_simple_contact(problem, block);
    if (run && contact && run->contacts && run->count < HN_MAX_RUN && before->a == block->a &&
        before->b == block->b)
      run->count++;
    else *(run = &r->found[r->count++]) = (hn_run){ .first = k, .count = 1, .contacts = contact };
  }
}

static bool body_moves(const hn_problem *problem, const hn_run *run, int side)
{
  const int body = side ? problem->block[run->first].b : problem->block[run->first].a;
  if (problem->inv_mass) return problem->inv_mass[body] > 0.0;
  for (int k = run->first; k < run->first + run->count; k++)
    if (hn_rows_moves(problem, &problem->block[k], side)) return true;
  return false;
}

/* Puts each run after all earlier ones with which it shares a moving body. */
static void find_layers(hn_runs *r, const hn_problem *problem)
{
  r->nlayer = 0;
  memset(r->next, 0, sizeof *r->next * (size_t)problem->nbody);
  for (int i = 0; i < r->count; i++) {
    const hn_run *run = &r->found[i];
    const bool a_moves = body_moves(problem, run, 0), b_moves = body_moves(problem, run, 1);
    int *a = &r->next[problem->block[run->first].a], *b = &r->next[problem->block[run->first].b], layer = 0;
    if (a_moves && *a > layer) layer = *a;
    if (b_moves && *b > layer) layer = *b;
    if (a_moves) *a = layer + 1;
    if (b_moves) *b = layer + 1;
    r->layer[i] = layer;
    if (layer >= r->nlayer) r->nlayer = layer + 1;
  }
}

static int sort_key(const hn_runs *r, int i)
{
  return HN_MAX_RUN * r->layer[i] + HN_MAX_RUN - r->found[i].count;
}

static void sort_runs(hn_runs *r)
{
  int *place = r->place; /* counts shifted by one, then next free places */
  memset(place, 0, sizeof *place * (HN_MAX_RUN * (size_t)r->nlayer + 1));
  for (int i = 0; i < r->count; i++) place[sort_key(r, i) + 1]++;
  for (int i = 1; i <= HN_MAX_RUN * r->nlayer; i++) place[i] += place[i - 1];
  for (int i = 0; i <= r->nlayer; i++) r->start[i] = place[HN_MAX_RUN * i];
  for (int i = 0; i < r->count; i++) r->run[place[sort_key(r, i)]++] = r->found[i];
}

void hn_runs_find(hn_runs *r, const hn_problem *problem)
{
  find_runs(r, problem);
  find_layers(r, problem);
  sort_runs(r);
}
