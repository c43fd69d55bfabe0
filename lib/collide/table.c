/* table.c - temporary */
#include "collide/collide.h"
void hn_collide_pair(const hn_placed *a, const hn_placed *b, double margin, hn_manifold *out)
{
  out->count = 0;
  const hn_placed *p = a, *s = b; bool swap = a->shape->kind != HN_PLANE;
  if (swap) p = b, s = a;
  if (p->shape->kind != HN_PLANE || s->shape->kind != HN_SPHERE) return;
  double n[3], d = 0;
  for (int i = 0; i < 3; i++) { n[i] = 0; for (int k = 0; k < 3; k++) n[i] += p->R[3*i+k]*p->shape->size[k]; d += n[i]*(s->x[i]-p->x[i]); }
  if (d - s->shape->size[0] > margin) return;
  hn_near_point *q = hn_manifold_next(out);
  *q = (hn_near_point){ .skin_a = swap ? s->shape->size[0] : 0, .skin_b = swap ? 0 : s->shape->size[0], .on_b = swap };
  for (int i = 0; i < 3; i++) { double foot = s->x[i] - d*n[i]; q->a[i] = swap ? s->x[i] : foot; q->b[i] = swap ? foot : s->x[i]; q->normal[i] = swap ? -n[i] : n[i]; }
}
