/* four_contacts.c - visits of contacts side by side (see four_contacts.h); how they are made is in four_prepare.c. */
#include "contact/pgs/four_contacts.h"
#include "contact/pgs/four_side.h"
#include "base/vec.h"

/* Velocities of the rows at those of the bodies. */
unfolded void find_rates(hn_four_point *point, const hn_four_side *a, const hn_four_side *b, quad *v)
{
  quad at_a[3], at_b[3], across[3];
  four_cross(a->u + 3, point->arm_a, at_a), four_cross(b->u + 3, point->arm_b, at_b);
  for (int c = 0; c < 3; c++) across[c] = (b->u[c] + at_b[c]) - (a->u[c] + at_a[c]);
  for (int r = 0; r < 3; r++) {
    hn_each *e = point->e + 3 * r;
    v[r] = Q(point->bias[r]) + (Q(e[0]) * across[0] + Q(e[1]) * across[1] + Q(e[2]) * across[2]);
  }
}

/* P of those that slide: the root of contact/local_coulomb.h, sought for all at once. C: of the normal; at OLD the velocities are V. */
unfolded void slide(hn_four_point *point, hn_four_rest *rest, const mask *slides, const quad *c,
                    const quad *v, const quad *old, quad *p)
{
  const quad mu = Q(point->mu), d0 = Q(point->d[0]), d1 = Q(point->d[1]), l0 = Q(rest->l[0]),
             l1 = Q(rest->l[1]);
  const quad z0 = WHERE(mu > 0.0, l0 * old[1] - v[1] - d0 * v[0]),
             z1 = WHERE(mu > 0.0, l1 * old[2] - v[2] - d1 * v[0]);
  quad low = { 0 }, high = low + HUGE_VAL, s = Q(rest->s), size = low, most = low,
       found[3] = { low, low, low };
  mask left = *slides;
  for (int step = 0; step < 100 && ANY(left); step++) {
    const quad e0 = 1.0 / (l0 + s), e1 = 1.0 / (l1 + s);
    found[1] = z0 * e0, found[2] = z1 * e1;
    found[0] = *c + d0 * found[1] + d1 * found[2];
    const quad square = found[1] * found[1] + found[2] * found[2];
    size = ROOT(square), most = mu * found[0];
    left &= ~(SIZE_OF(size - most) <= 2e-15 * size);
    low = CHOOSE(size > most, s, low), high = CHOOSE(size > most, high, s);
    const quad size_rate = -(found[1] * found[1] * e0 + found[2] * found[2] * e1); /* times the size */
    const quad most_rate = -mu * (d0 * found[1] * e0 + d1 * found[2] * e1);
    quad next = s + (size - most) * square * most / (most_rate * square * size - size_rate * most * most);
    const quad between = CHOOSE(high < HUGE_VAL, 0.5 * (low + high), 2.0 * s + l0 + l1);
    next = CHOOSE((most > 0.0) & (next > low) & (next < high), next, between);
    left &= next != s;
    s = CHOOSE(left, next, s);
  }
  const quad scale = WHERE(size > 0.0, most / size);
  Q(rest->s) = CHOOSE(*slides, s, Q(rest->s));
  p[0] = CHOOSE(*slides, found[0], p[0]);
  for (int r = 1; r < 3; r++) p[r] = CHOOSE(*slides, found[r] * scale, p[r]);
}

/* P from the velocities V at OLD, as in contact/local_coulomb.h. */
unfolded void solve(hn_four_point *point, hn_four_rest *rest, const quad *v, const quad *old, quad *p)
{
  const quad d0 = Q(point->d[0]), d1 = Q(point->d[1]);
  const quad c = old[0] - Q(point->inv_normal) * v[0] - d0 * old[1] - d1 * old[2];
  const quad t1 = old[1] - (v[1] + d0 * v[0]) * Q(point->inv_l[0]);
  const quad t2 = old[2] - (v[2] + d1 * v[0]) * Q(point->inv_l[1]);
  const quad n = c + d0 * t1 + d1 * t2, most = Q(point->mu) * n;
  const mask moves = Q(point->inv_normal) > 0.0, open = c <= 0.0;
  const mask sticks = moves & ~open & (n > 0.0) & (t1 * t1 + t2 * t2 <= most * most),
             slides = moves & ~(open | sticks);
  p[0] = WHERE(sticks, n) + WHERE(~moves, old[0]);
  p[1] = WHERE(sticks, t1) + WHERE(~moves, old[1]);
  p[2] = WHERE(sticks, t2) + WHERE(~moves, old[2]);
  if (ANY(slides)) slide(point, rest, &slides, &c, v, old, p);
}

/* The change as a velocity, squared. */
unfolded void visit_point(hn_four_point *point, hn_four_rest *rest, double relaxation, hn_four_side *a,
                          hn_four_side *b, quad *change)
{
  quad v[3], old[3], step[3];
  find_rates(point, a, b, v);
  for (int r = 0; r < 3; r++) old[r] = Q(point->p[r]);
  solve(point, rest, v, old, step);
  for (int r = 0; r < 3; r++) {
    step[r] = relaxation * (step[r] - old[r]);
    Q(point->p[r]) = old[r] + step[r];
  }
  four_push(point, step, a, b);
  *change = (step[0] * step[0] + step[1] * step[1] + step[2] * step[2]) * (Q(point->scale) * Q(point->scale));
}

unfolded double visit(hn_four *four, double relaxation, double *W, double *u)
{
  hn_four_side a, b;
  quad change, largest = { 0 };
  four_open(four, W, u, &a, &b);
  for (int k = 0; k < four->most; k++) {
    visit_point(&four->point[k], &four->rest[k], relaxation, &a, &b, &change);
    largest = CHOOSE(~(change <= largest) & (largest == largest), change, largest); /* as exceeds() has it */
  }
  four_close(four, u, &a, &b);
  double most = largest[0];
  for (int i = 1; i < HN_FOUR; i++)
    if (exceeds(largest[i], most)) most = largest[i];
  return most;
}

double hn_four_visit_anywhere(hn_four *four, double relaxation, double *W, double *u)
{
  return visit(four, relaxation, W, u);
}

WIDE static double visit_wide(hn_four *four, double relaxation, double *W, double *u)
{
  return visit(four, relaxation, W, u);
}

hn_four_visit *hn_four_visitor(void)
{
  return IS_WIDE() ? visit_wide : hn_four_visit_anywhere;
}
