/* test_cylinders.c - contact points of tilted cylinders, of end faces on end faces, and of upright shapes
 * that lean on one another, against supports and surfaces. */
#include "shape_trials.h"

#include <string.h>

/* End faces tilted by TILT: the least gap is the height of the lowest point of the rim. */
static void tilted_cylinders_touch_where_they_are_lowest(void **state)
{
  (void)state;
  double worst = 0;
  for (int trial = 0; trial < 10000; trial++) {
    double tilt = pow(10, uniform(-7, 0)), l[3] = { 4, 1, 4 };
    trial_shape floor = shape_at(HN_PLANE, 0, 1, 0, 0, 0, 0), table = shape_at(HN_BOX, 4, 1, 4, 0, -0.5, 0);
    trial_shape slab = convex_at(box_hull(l), 0, -0.5, 0), b = shape_at(HN_CYLINDER, 0.4, 1, 0, 0, 0.5, 0);
    turn_about(&b, uniform(-1, 1), 0, uniform(-1, 1), tilt);
    trial_shape *const below[] = { &floor, &table, &slab };
    hn_manifold m;
    const double down[3] = { 0, -1, 0 };
    for (int i = 0; i < 3; i++) {
      collide(below[i], &b, 1, &m);
      worst = larger(worst, fabs(gap_of(&m.point[least_point(&m)]) - b.placed.x[1] + reach(&b.placed, down)));
    }
    free_shape(&slab);
  }
  check_below("least gap less the height of the lowest point", worst, 2e-15);
}

/* Returns the distance of the points of contact P, on the surfaces of round features, from both shapes. */
static double off_surfaces(const hn_contact_point *p, const trial_shape *a, const trial_shape *b)
{
  double x[3], y[3];
  vec_along(x, p->a, p->skin_a, p->normal);
  vec_along(y, p->b, -p->skin_b, p->normal);
  return larger(fabs(height_above(&a->placed, x)), fabs(height_above(&b->placed, y)));
}

/* Two end faces, one on the other. */
static void end_faces_on_end_faces(void **state)
{
  (void)state;
  double off = 0, outside = 0;
  int too_few = 0;
  for (int trial = 0; trial < 10000; trial++) {
    double r = uniform(0.2, 1.5), x = uniform(-1, 1), z = uniform(-1, 1), tilt = trial % 2 ? 0 : 1e-5;
    trial_shape a = shape_at(HN_CYLINDER, 1, 1, 0, 0, 0, 0),
                b = shape_at(HN_CYLINDER, r, 1, 0, x, 1 + 1e-3, z);
    turn_about(&b, 1, 0, 0.3, tilt);
    hn_manifold m;
    collide(&a, &b, 0.01, &m);
    if (tilt == 0 && m.count && fabs(m.point[0].normal[1]) == 1)
      off = larger(off, largest_gap_error(&m, 1e-3));
    for (int k = 0; k < m.count; k++) outside = larger(outside, off_surfaces(&m.point[k], &a, &b));
    too_few += hypot(x, z) < r && hypot(x, z) < 1 && m.count < 3;
  }
  check_below("gaps", off, 1e-14);
  check_below("points off the surfaces", outside, 1e-12);
  ASSERT_COUNT("ends over one another with less than 3 points", too_few, 0);
}

/* Upright shapes side by side, in contact by faces, edges or curved sides that are parallel within 1/300.
 * There is a point, all points lie on both surfaces, and no gap is below the separation along its normal. No
 * neighbouring direction has a larger separation than the least gap. */
static void leaning_shapes_touch_on_their_surfaces(void **state)
{
  (void)state;
  hn_hull *hexagon = must_prism(6, 0.5, 1);
  const hn_shape_kind kinds[] = { HN_CYLINDER, HN_CAPSULE, HN_BOX, HN_CONVEX };
  double off = 0, lower = 0, apart_from = 0;
  int none = 0, twice = 0;
  for (int trial = 0; trial < 20000; trial++) {
    trial_shape s[2];
    const double tilt = pow(10, uniform(-12, -2.5)), size[3] = { 1, trial % 3 ? 1 : 0.6, 1 };
    for (int i = 0; i < 2; i++) {
      s[i] = shape_at(kinds[trial >> (i ? 2 : 0) & 3], 1, i ? size[1] : 1, 1, 0, 0, 0);
      if (s[i].shape.kind != HN_BOX) s[i].shape.size[0] = 0.5;
      s[i].shape.hull = hexagon;
      turn_about(&s[i], 0, 1, 0, M_PI / 12 * (int)uniform(0, 6));
    }
    const double toward[3] = { 1, 0, 0 }, back[3] = { -1, 0, 0 }, half = 0.5 * tilt;
    double q[4] = { 1, half * uniform(-1, 1), 0, half * uniform(-1, 1) }, Q[9], R[9];
    quat_normalise(q);
    quat_matrix(Q, q);
    memcpy(R, s[1].placed.R, sizeof R);
    for (int r = 0; r < 3; r++)
      for (int c = 0; c < 3; c++)
        s[1].placed.R[3 * r + c] = Q[3 * r] * R[c] + Q[3 * r + 1] * R[3 + c] + Q[3 * r + 2] * R[6 + c];
    s[0].placed.shape = &s[0].shape, s[1].placed.shape = &s[1].shape;
    s[1].placed.x[0] = reach(&s[0].placed, toward) + reach(&s[1].placed, back) + uniform(-0.05, 0.01);
    s[1].placed.x[1] = trial % 5 ? uniform(-0.5, 0.5) : 0;
    hn_manifold m;
    collide(&s[0], &s[1], 10, &m);
    none += m.count == 0;
    if (m.count == 0) continue;
    double n[3], least = gap_of(&m.point[least_point(&m)]);
    for (int k = 0; k < m.count; k++) {
      const hn_contact_point *p = &m.point[k];
      const double extent = separation(&s[0].placed, &s[1].placed, p->normal);
      off = larger(off, off_surfaces(p, &s[0], &s[1]));
      lower = larger(lower, extent - gap_of(p));
      for (int j = 0; j < k; j++) twice += m.point[j].feature == p->feature;
    }
    vec_copy(n, m.point[least_point(&m)].normal);
    apart_from = larger(apart_from, improve_direction(&s[0].placed, &s[1].placed, n, false, 1e-3) - least -
                                      5e-7 * fabs(least));
  }
  ASSERT_COUNT("without a point", none, 0);
  ASSERT_COUNT("points with the same feature", twice, 0);
  /* a capsule's axis is perpendicular to the normal up to second order */
  check_below("points off the surfaces", off, 1e-5);
  check_below("gaps below the extent along their normal", lower, 1e-14);
  check_below("a direction farther apart than the least gap, by", fmax(apart_from, 0), 1e-11);
  hn_hull_free(hexagon);
}

/* A cylinder beside another one, or beside the edge of a box: parallel but for a tiny angle, with ends that
 * are flush to rounding. The gap is the distance of the axes less the radii. */
static void flush_sides_touch_on_their_sides(void **state)
{
  (void)state;
  double off = 0;
  for (int trial = 0; trial < 40000; trial++) {
    const double tilt = pow(10, uniform(-16, -7)), lean = tilt * uniform(-1, 1),
                 q[4] = { 1, tilt, 0, lean / 2 };
    const double r = trial & 8 ? 0.1 : 1, s = trial & 16 ? 0 : trial & 32 ? 0.1 : 1;
    const double far = s > 0
                         ? s
                         : sqrt(0.5); /* m: the centre of b from its nearest points, whose ends are flush */
    const double at[3] = { r + s + uniform(-1e-8, 1e-8), trial % 4 ? uniform(-1e-7, 1e-7) : far * lean, 0 };
    trial_shape a = shape_at(HN_CYLINDER, r, 0.3, 0, 0, 0, 0),
                b = s > 0 ? shape_at(HN_CYLINDER, s, 0.3, 0, at[0], at[1], 0)
                          : shape_at(HN_BOX, 1, 0.3, 1, at[0] + far, at[1], 0);
    const double roll = s > 0 ? uniform(-1.5, 1.5) : M_PI / 8, p[4] = { cos(roll), 0, sin(roll), 0 };
    double turn[4];
    quat_mul(turn, q, p);
    quat_matrix(b.placed.R, turn);
    turn_about(&a, 0, 1, 0, uniform(-3, 3));
    hn_manifold m;
    collide(trial & 64 ? &b : &a, trial & 64 ? &a : &b, 0.02, &m);
    if (m.count == 0) fail_msg("no point, trial %d", trial);
    off = larger(off, fabs(gap_of(&m.point[least_point(&m)]) - (at[0] - r - s)) - tilt);
  }
  check_below("least gap less that of the axes, beyond the tilt", larger(off, 0), 1e-12);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(tilted_cylinders_touch_where_they_are_lowest),
    cmocka_unit_test(flush_sides_touch_on_their_sides),
    cmocka_unit_test(end_faces_on_end_faces),
    cmocka_unit_test(leaning_shapes_touch_on_their_surfaces),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
