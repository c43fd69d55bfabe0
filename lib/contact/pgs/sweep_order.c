/* sweep_order.c - runs and layers (see sweep_order.h). */
#include "base/quad.h"
#include "contact/block_rows.h"
#include "contact/pgs/sweep_order.h"

#include <string.h>

/* Squared friction of a contact that slides, at least, relative to that of its cone. */
static const double on_cone = 0.99;

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
         !(set->anisotropy > 0.0) && block->a != block->b;
}

/* True if the impulse P of a contact is on its cone. */
static bool is_on_cone(const hn_problem_block *block, const double *p)
{
  const double limit = block->set.mu * p[0];
  return p[0] > 0.0 && p[1] * p[1] + p[2] * p[2] >= on_cone * limit * limit;
}

static void find_runs(hn_runs *r, const hn_problem *problem, const double *p)
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
    run->slides |= contact && is_on_cone(block, p + block->row);
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

/* Moves the runs that slide before the others, from FIRST to END - 1. */
static void move_sliding(hn_runs *r, int first, int end)
{
  int count = 0;
  for (int pass = 0; pass < 2; pass++)
    for (int i = first; i < end; i++)
      if (r->run[i].slides == (pass == 0)) r->found[count++] = r->run[i];
  memcpy(r->run + first, r->found, sizeof *r->run * (size_t)count);
}

/* Orders equally long runs of contacts in a layer, those that slide first: a group of four then searches for
 * the slips of all four, or of none. A run that is left over from groups of four is visited alone, with other
 * rounding, and remains the last. */
static void order_layer(hn_runs *r, int first, int end)
{
  for (int i = first, last; i<end; i = last> i ? last : i + 1) {
    for (last = i; last < end && r->run[last].contacts;) last++;
    const int grouped = (last - i) % HN_FOUR == 1 ? last - 1 : last;
    for (int k = i, next; k < grouped; k = next) {
      for (next = k; next < grouped && r->run[next].count == r->run[k].count;) next++;
      move_sliding(r, k, next);
    }
  }
}

void hn_runs_find(hn_runs *r, const hn_problem *problem, const double *p)
{
  find_runs(r, problem, p);
  find_layers(r, problem);
  sort_runs(r);
  for (int layer = 0; layer < r->nlayer; layer++) order_layer(r, r->start[layer], r->start[layer + 1]);
}
