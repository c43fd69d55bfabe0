/* four_contacts.c - visits of four contacts at a time (see four_contacts.h). Preparation: four_prepare.c. */
#include "contact/pgs/four_contacts.h"
#include "contact/pgs/four_side.h"
#include "base/vec.h"

/* Computes the velocities V of the rows. */
inlined void find_velocities(hn_four_point *point, const hn_four_side *a, const hn_four_side *b, quad *v)
{
  quad at_a[3], at_b[3], across[3];
  four_cross(a->u + 3, point->arm_a, at_a), four_cross(b->u + 3, point->arm_b, at_b);
  for (int c = 0; c < 3; c++) across[c] = (b->u[c] + at_b[c]) - (a->u[c] + at_a[c]);
  for (int r = 0; r < 3; r++) {
    hn_double4 *e = point->e + 3 * r;
    v[r] = Q(point->bias[r]) + (Q(e[0]) * across[0] + Q(e[1]) * across[1] + Q(e[2]) * across[2]);
  }
}

/* Computes the impulses P of sliding contacts: the root search of hn_local_slide, on all four until each has
 * converged. C: as in local_coulomb.h; V are the velocities at the impulses OLD. */
inlined void solve_sliding(hn_four_point *point, hn_four_sliding *rest, const mask *slides, const quad *c,
                           const quad *v, const quad *old, quad *p)
{
  const quad mu = Q(point->mu), d0 = Q(point->d[0]), d1 = Q(point->d[1]), l0 = Q(rest->l[0]),
             l1 = Q(rest->l[1]);
  const quad z0 = MASKED(mu > 0.0, l0 * old[1] - v[1] - d0 * v[0]),
             z1 = MASKED(mu > 0.0, l1 * old[2] - v[2] - d1 * v[0]);
  quad low = { 0 }, high = low + HUGE_VAL, s = Q(rest->s), size = low, limit = low,
       trial[3] = { low, low, low };
  mask active = *slides;
  for (int step = 0; step < HN_MAX_SLIDE_STEPS && ANY(active); step++) {
    const quad e0 = 1.0 / (l0 + s), e1 = 1.0 / (l1 + s);
    trial[1] = z0 * e0, trial[2] = z1 * e1;
    trial[0] = *c + d0 * trial[1] + d1 * trial[2];
    const quad square = trial[1] * trial[1] + trial[2] * trial[2];
    size = SQUARE_ROOT(square), limit = mu * trial[0];
    active &= ~(ABSOLUTE(size - limit) <= hn_slide_rounding * size);
    low = SELECT(size > limit, s, low), high = SELECT(size > limit, high, s);
    const quad size_rate = -(trial[1] * trial[1] * e0 + trial[2] * trial[2] * e1); /* times |p_t| */
    const quad limit_rate = -mu * (d0 * trial[1] * e0 + d1 * trial[2] * e1);
    quad next = s +
                (size - limit) * square * limit / (limit_rate * square * size - size_rate * limit * limit);
    const quad fallback = SELECT(high < HUGE_VAL, 0.5 * (low + high), 2.0 * s + l0 + l1);
    next = SELECT((limit > 0.0) & (next > low) & (next < high), next, fallback);
    active &= next != s;
    s = SELECT(active, next, s);
  }
  const quad scale = MASKED(size > 0.0, limit / size);
  Q(rest->s) = SELECT(*slides, s, Q(rest->s));
  p[0] = SELECT(*slides, trial[0], p[0]);
  for (int r = 1; r < 3; r++) p[r] = SELECT(*slides, trial[r] * scale, p[r]);
}

/* Computes the impulses P from the velocities V at OLD, as hn_local_solve does. */
inlined void solve_contacts(hn_four_point *point, hn_four_sliding *rest, const quad *v, const quad *old,
                            quad *p)
{
  const quad d0 = Q(point->d[0]), d1 = Q(point->d[1]);
  const quad c = old[0] - Q(point->inv_normal) * v[0] - d0 * old[1] - d1 * old[2];
  const quad t1 = old[1] - (v[1] + d0 * v[0]) * Q(point->inv_l[0]);
  const quad t2 = old[2] - (v[2] + d1 * v[0]) * Q(point->inv_l[1]);
  const quad n = c + d0 * t1 + d1 * t2, limit = Q(point->mu) * n;
  const mask movable = Q(point->inv_normal) > 0.0, open = c <= 0.0;
  const mask sticks = movable & ~open & (n > 0.0) & (t1 * t1 + t2 * t2 <= limit * limit),
             slides = movable & ~(open | sticks);
  p[0] = MASKED(sticks, n) + MASKED(~movable, old[0]);
  p[1] = MASKED(sticks, t1) + MASKED(~movable, old[1]);
  p[2] = MASKED(sticks, t2) + MASKED(~movable, old[2]);
  if (ANY(slides)) solve_sliding(point, rest, &slides, &c, v, old, p);
}

/* Solves one row between LOW and HIGH, as hn_solve_row does; INVERSE of its diagonal entry. STEP becomes the
 * change of P. */
inlined void solve_row(const quad *inverse, const quad *low, const quad *high, const quad *v, quad *p,
                       quad *step)
{
  const quad wanted = *p - *v * *inverse, old = *p;
  const quad inside = SELECT(wanted < *low, *low, SELECT(wanted > *high, *high, wanted));
  *p = SELECT(*inverse > 0.0, inside, old);
  *step = *p - old;
}

/* Solves the normal; updates the velocities of the tangents. */
inlined void solve_normal(hn_four_point *point, quad *v, quad *p)
{
  const quad low = { 0 }, high = low + HUGE_VAL;
  quad step;
  solve_row(&Q(point->inv_normal), &low, &high, &v[0], &p[0], &step);
  v[1] += Q(point->d[0]) * step, v[2] += Q(point->d[1]) * step;
}

/* Solves both tangents together and shortens them to LIMIT, as hn_solve_disk does. */
inlined void solve_disk(hn_four_point *point, const quad *limit, const quad *v, quad *p)
{
  for (int r = 1; r < 3; r++) p[r] -= v[r] * Q(point->inv_l[r - 1]);
  const quad square = p[1] * p[1] + p[2] * p[2], size = SQUARE_ROOT(square);
  const mask beyond = size > *limit;
  const quad scale = *limit / size;
  for (int r = 1; r < 3; r++) p[r] = SELECT(beyond, p[r] * scale, p[r]);
}

/* Computes the impulses P from the velocities V at P, as hn_solve_split does; V is overwritten. */
inlined void solve_split(hn_four_point *point, int local, quad *v, quad *p)
{
  if (local != HN_LOCAL_PYRAMID) solve_normal(point, v, p);
  const quad high = Q(point->mu) * MASKED(p[0] > 0.0, p[0]), low = -high;
  if (local == HN_LOCAL_DISK) {
    solve_disk(point, &high, v, p);
    return;
  }
  quad one, two;
  solve_row(&Q(point->inv_l[0]), &low, &high, &v[1], &p[1], &one);
  v[2] += Q(point->d[2]) * one;
  solve_row(&Q(point->inv_l[1]), &low, &high, &v[2], &p[2], &two);
  if (local != HN_LOCAL_PYRAMID) return;
  v[0] += Q(point->d[0]) * one + Q(point->d[1]) * two;
  solve_normal(point, v, p);
}

/* Visits one contact of each run; CHANGE: squared change as a velocity. */
inlined void visit_contacts(hn_four_point *point, hn_four_sliding *rest, int local, double relaxation,
                            hn_four_side *a, hn_four_side *b, quad *change)
{
  quad v[3], old[3], step[3];
  find_velocities(point, a, b, v);
  for (int r = 0; r < 3; r++) old[r] = step[r] = Q(point->p[r]);
  if (local == HN_LOCAL_CONE) solve_contacts(point, rest, v, old, step);
  else solve_split(point, local, v, step);
  for (int r = 0; r < 3; r++) {
    step[r] = relaxation * (step[r] - old[r]);
    Q(point->p[r]) = old[r] + step[r];
  }
  apply_impulse(point, step, a, b);
  *change = (step[0] * step[0] + step[1] * step[1] + step[2] * step[2]) * (Q(point->scale) * Q(point->scale));
}

inlined double visit(hn_four *four, int local, double relaxation, double *W, double *u)
{
  hn_four_side a, b;
  quad change, largest = { 0 };
  load_sides(four, W, u, &a, &b);
  for (int k = 0; k < four->longest; k++) {
    visit_contacts(&four->point[k], &four->rest[k], local, relaxation, &a, &b, &change);
    largest = SELECT(~(change <= largest) & (largest == largest), change, largest); /* as exceeds() */
  }
  store_sides(four, u, &a, &b);
  double total = largest[0];
  for (int i = 1; i < HN_FOUR; i++)
    if (exceeds(largest[i], total)) total = largest[i];
  return total;
}

/* The rule is a constant for the compiler. */
inlined double visit_by_rule(hn_four *four, int local, double relaxation, double *W, double *u)
{
  switch (local) {
  case HN_LOCAL_CONE: return visit(four, HN_LOCAL_CONE, relaxation, W, u);
  case HN_LOCAL_DISK: return visit(four, HN_LOCAL_DISK, relaxation, W, u);
  case HN_LOCAL_BOX: return visit(four, HN_LOCAL_BOX, relaxation, W, u);
  default: return visit(four, HN_LOCAL_PYRAMID, relaxation, W, u);
  }
}

double hn_four_visit_portable(hn_four *four, int local, double relaxation, double *W, double *u)
{
  return visit_by_rule(four, local, relaxation, W, u);
}

AVX2_FUNCTION static double visit_avx2(hn_four *four, int local, double relaxation, double *W, double *u)
{
  return visit_by_rule(four, local, relaxation, W, u);
}

hn_four_visit *hn_four_fastest_visit(void)
{
  return HAS_AVX2() ? visit_avx2 : hn_four_visit_portable;
}
