/* hubs.c - lists the bodies that have many neighbours (hubs.h). */
#include "linear/hubs.h"
#include "base/array.h"

#include <stdlib.h>

static bool moves(const hn_system *s, int body)
{
  return s->model->body[body].kind != HN_FIXED;
}

static int compare_pairs(const void *left, const void *right)
{
  const int *a = left, *b = right;
  return a[0] != b[0] ? (a[0] > b[0]) - (a[0] < b[0]) : (a[1] > b[1]) - (a[1] < b[1]);
}

int hn_count_neighbours(const hn_system *s, int *neighbours)
{
  int(*pair)[2] = malloc(sizeof *pair * ((size_t)s->nblock + 1)), count = 0;
  if (!pair) return -1;
  for (const hn_block *block = s->block; block < s->block + s->nblock; block++) {
    if (!moves(s, block->a) || !moves(s, block->b)) continue;
    pair[count][0] = block->a < block->b ? block->a : block->b;
    pair[count++][1] = block->a < block->b ? block->b : block->a;
  }
  qsort(pair, (size_t)count, sizeof *pair, compare_pairs);
  for (int i = 0; i < s->model->nbody; i++) neighbours[i] = 0;
  for (int k = 0; k < count; k++)
    if (k == 0 || compare_pairs(pair[k], pair[k - 1]) != 0)
      neighbours[pair[k][0]]++, neighbours[pair[k][1]]++;
  free(pair);
  return 0;
}

int hn_hubs_create(hn_hubs *hubs, const hn_system *s, const int *neighbours, int least)
{
  const size_t bodies = (size_t)s->model->nbody;
  *hubs = (hn_hubs){ .body = malloc(sizeof *hubs->body * (bodies + 1)),
                     .number = malloc(sizeof *hubs->number * (bodies + 1)) };
  if (!hubs->body || !hubs->number) return -1;
  for (int i = 0; i < s->model->nbody; i++) {
    bool is_hub = moves(s, i) && neighbours[i] >= least;
    hubs->number[i] = is_hub ? hubs->count : -1;
    if (is_hub) hubs->body[hubs->count++] = i;
  }
  if (hubs->count == 0) hn_hubs_free(hubs);
  return 0;
}

void hn_hubs_free(hn_hubs *hubs)
{
  free(hubs->body), free(hubs->number);
  *hubs = (hn_hubs){ 0 };
}
