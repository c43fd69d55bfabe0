/* explain.c - describes in words why K is singular: redundant constraints, or constraints in conflict. */
#include "redundant/redundant.h"

#include <stdio.h>
#include <string.h>

typedef struct writer {
  char *text;
  size_t size;
  int names;
  int more; /* names that did not fit */
} writer;

enum { ROOM_FOR_MORE = 24 };

static void add_name(writer *w, const char *name)
{
  size_t length = strlen(w->text), needed = strlen(name) + 2;
  if (w->more > 0 || length + needed + ROOM_FOR_MORE > w->size) {
    w->more++;
    return;
  }
  snprintf(w->text + length, w->size - length, "%s%s", w->names++ > 0 ? ", " : "", name);
}

static void finish(const writer *w)
{
  size_t length = strlen(w->text);
  if (w->more > 0)
    snprintf(w->text + length, w->size - length, "%s%d more", w->names > 0 ? " and " : "", w->more);
}

/* Appends the names of the redundant constraints. Frees RANK, which may be NULL. */
static void list_redundant(hn_system *s, hn_rank *rank, writer *w)
{
  char name[96];
  if (!rank || w->size <= 2 * ROOM_FOR_MORE) {
    hn_rank_free(rank);
    return;
  }
  snprintf(w->text, w->size, "; redundant: ");
  for (int at = 0; hn_rank_name(rank, s->model, &at, name, sizeof name);) add_name(w, name);
  finish(w);
  hn_rank_free(rank);
}

static void list_conflict(hn_system *s, writer *w)
{
  const hn_redundant *d = s->parts->redundant;
  snprintf(w->text, w->size, ": constraints in conflict: ");
  for (int k = 0; k < s->nblock; k++) {
    const hn_block *block = &s->block[k];
    bool any = false;
    for (int r = 0; r < block->n; r++) any |= d->in_conflict[block->row + r];
    if (any) add_name(w, block->joint->name);
  }
  finish(w);
}

void hn_linear_explain(hn_system *s, char *text, size_t size)
{
  static const char *const policies[] = { "error", "remove", "min-norm", "loop-split" };
  static const char ill_conditioned[] =
    "masses, inertias or lengths differ so much that K is singular to rounding";
  const hn_redundant *d = s->parts->redundant;
  writer w = { .text = text, .size = size };
  if (size < 2 * ROOM_FOR_MORE) return;
  *text = '\0';
  if (d && d->conflict) {
    list_conflict(s, &w);
    return;
  }
  /* K is singular although no row is redundant */
  hn_rank *rank = hn_rank_create(s, HN_RANK_AUTO, NULL);
  const int policy = d ? d->policy : HN_REFUSE;
  if (rank && rank->rank == rank->rows) {
    hn_rank_free(rank);
    snprintf(text, size, ": no joint repeats others, but %s", ill_conditioned);
    return;
  }
  /* redundant rows, or rows that the policy has dropped already */
  if (policy == HN_REFUSE)
    snprintf(text, size, ": redundant joints or a singular position, unsupported with redundancy=error");
  else
    snprintf(text, size,
             ": redundancy=%s takes care of redundant joints, but %s, or the position is nearly singular",
             policies[policy], ill_conditioned);
  size_t length = strlen(text);
  w.text += length, w.size -= length;
  list_redundant(s, rank, &w);
}
