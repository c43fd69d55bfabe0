/* filter.c - which colliders may collide (see filter.h). */
#include "collide/filter.h"

#include <stdlib.h>

typedef struct hn_filter_owner {
  int body;
  bool fixed;
  uint32_t group, mask;
} owner;

static int compare_pairs(const void *a, const void *b)
{
  const hn_pair *p = a, *q = b;
  if (p->a != q->a) return p->a < q->a ? -1 : 1;
  return (p->b > q->b) - (p->b < q->b);
}

static void list_owners(hn_filter *f, const hn_model *model)
{
  for (int i = 0; i < model->ncollider; i++) {
    const hn_collider *c = &model->collider[i];
    const bool fixed = model->body[c->body].kind == HN_FIXED;
    f->owner[i] = (owner){ .body = c->body, .fixed = fixed, .group = c->group, .mask = c->mask };
  }
}

static void list_joined(hn_filter *f, const hn_model *model)
{
  if (model->jointed_collide) return;
  for (int j = 0; j < model->njoint; j++) {
    const int a = model->joint[j].a, b = model->joint[j].b;
    f->joined[f->njoined++] = (hn_pair){ a < b ? a : b, a < b ? b : a };
  }
  qsort(f->joined, (size_t)f->njoined, sizeof *f->joined, compare_pairs);
}

int hn_filter_setup(hn_filter *f, const hn_model *model, hn_arrays *arrays)
{
  HN_ARRAYS(arrays, sizeof *f->owner * (size_t)model->ncollider, &f->owner);
  HN_ARRAYS(arrays, sizeof *f->joined * (size_t)model->njoint, &f->joined);
  if (arrays->failed) return -1;
  f->model = model->compliant ? model : NULL;
  list_owners(f, model), list_joined(f, model);
  return 0;
}

static bool are_joined(const hn_filter *f, int a, int b)
{
  const hn_pair key = { a < b ? a : b, a < b ? b : a };
  return bsearch(&key, f->joined, (size_t)f->njoined, sizeof key, compare_pairs) != NULL;
}

bool hn_filter_allows(const hn_filter *f, int a, int b)
{
  const owner *c = &f->owner[a], *d = &f->owner[b];
  if (c->body == d->body || (c->fixed && d->fixed)) return false;
  if (!(c->group & d->mask) || !(d->group & c->mask)) return false;
  if (f->model && hn_model_contact_law(f->model, a, b)) return false;
  return f->njoined == 0 || !are_joined(f, c->body, d->body);
}
