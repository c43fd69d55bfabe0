/* test_margins.c - contact points of all pairs of shapes and the margin: no point is farther than the margin,
 * and a larger margin adds points and changes none; the least gap against extents along random directions;
 * points of cylinders that stand on a plane. */
#include "shape_trials.h"

enum { POSES = 150 };

static const hn_contact_point *same_feature(const hn_manifold *m, const hn_contact_point *point)
{
  for (int k = 0; k < m->count; k++)
    if (m->point[k].feature == point->feature && m->point[k].on_b == point->on_b) return &m->point[k];
  return NULL;
}

static void put_pair(trial_shape *a, trial_shape *b, const hn_shape_kind kinds[2], double distance)
{
  random_shape(a, kinds[0]);
  random_shape(b, kinds[1]);
  if (kinds[0] == HN_PLANE && kinds[1] >= HN_CIRCLE)
    a->shape.size[2] = 0, vec_scale(a->shape.size, 1 / vec_norm(a->shape.size), a->shape.size),
    a->placed.x[2] = 0, turn_at_random(&a->placed, true);
  place_beside(&a->placed, &b->placed, distance);
}

static void points_are_within_the_margin(void **state)
{
  (void)state;
  const double margin = 0.05;
  for (int pair = 0; pair < TRIAL_PAIRS; pair++) {
    double farthest = -HUGE_VAL, moved = 0;
    int near = 0, lost = 0;
    for (int pose = 0; pose < POSES; pose++) {
      trial_shape a, b;
      hn_manifold small, large;
      put_pair(&a, &b, trial_pairs[pair], uniform(-0.3, 1.5 * margin));
      hn_collide_pair(&a.placed, &b.placed, margin, &small);
      hn_collide_pair(&a.placed, &b.placed, 10 * margin, &large);
      for (int k = 0; k < small.count; k++) {
        const hn_contact_point *same = same_feature(&large, &small.point[k]);
        farthest = fmax(farthest, gap_of(&small.point[k]));
        lost += !same;
        if (same) moved = larger(moved, fabs(gap_of(same) - gap_of(&small.point[k])));
      }
      for (int k = 0; k < large.count; k++)
        if (gap_of(&large.point[k]) < margin - 1e-9) near++, lost += !same_feature(&small, &large.point[k]);
      free_shape(&a), free_shape(&b);
    }
    printf(" %s and %s: %d points\n", shape_name(trial_pairs[pair][0]), shape_name(trial_pairs[pair][1]),
           near);
    assert_true(farthest < margin);
    ASSERT_COUNT("points that the other margin lacks", lost, 0);
    check_below("difference of their gaps, m", moved, 1e-14);
    assert_true(near > POSES / 10);
  }
}

/* Returns the largest excess of the extents' separation over the least gap, along TRIALS random directions:
 * none may separate more than the normal does, which separates by the gap. */
static double excess_of(const trial_shape *a, const trial_shape *b, const hn_manifold *m, int trials)
{
  const hn_contact_point *least = &m->point[least_point(m)];
  double most = fabs(separation(&a->placed, &b->placed, least->normal) - gap_of(least));
  for (int k = 0; k < trials && a->shape.kind != HN_PLANE; k++) {
    double n[3];
    random_direction(n);
    vec_scale(n, uniform(0, 0.5), n);
    vec_add(n, n, least->normal);
    if (b->shape.kind >= HN_CIRCLE) n[2] = 0;
    vec_scale(n, 1 / vec_norm(n), n);
    most = larger(most, separation(&a->placed, &b->placed, n) - gap_of(least));
  }
  return most;
}

static void gaps_are_largest_separations(void **state)
{
  (void)state;
  for (int pair = 0; pair < TRIAL_PAIRS; pair++) {
    double most = 0;
    int found = 0;
    for (int pose = 0; pose < 3 * POSES; pose++) {
      trial_shape a, b;
      hn_manifold m;
      put_pair(&a, &b, trial_pairs[pair], uniform(-0.1, 0.2));
      hn_collide_pair(&a.placed, &b.placed, 1, &m);
      if (m.count > 0) most = larger(most, excess_of(&a, &b, &m, 40)), found++;
      free_shape(&a), free_shape(&b);
    }
    printf(" %s and %s\n", shape_name(trial_pairs[pair][0]), shape_name(trial_pairs[pair][1]));
    check_below("separation less the least gap, m", most, 1e-12);
    assert_true(found > POSES);
  }
}

/* ---- Cylinders at known poses ------------------------------------------------------------------------  */

/* Returns the least gap of two shapes, the first upright at the origin, the second at X with its axis along
 * coordinate AXIS; with the manifold. */
static double gap_at(const hn_shape *a, const hn_shape *b, const double x[3], int axis, hn_manifold *m)
{
  static const double along[3][9] = { { 0, 1, 0, 1, 0, 0, 0, 0, -1 }, /* columns: images of x, y, z */
                                      { 1, 0, 0, 0, 1, 0, 0, 0, 1 },
                                      { 1, 0, 0, 0, 0, -1, 0, 1, 0 } };
  hn_placed_shape first = { .shape = a, .R = { 1, 0, 0, 0, 1, 0, 0, 0, 1 } }, second = { .shape = b };
  memcpy(second.R, along[axis], sizeof second.R);
  vec_copy(second.x, x);
  hn_collide_pair(&first, &second, 1, m);
  assert_true(m->count > 0);
  return gap_of(&m->point[least_point(m)]);
}

static void cylinders_at_known_poses(void **state)
{
  (void)state;
  const hn_shape c = { .kind = HN_CYLINDER, .size = { 0.3, 0.8 } },
                 d = { .kind = HN_CYLINDER, .size = { 0.2, 1 } };
  const hn_shape ball = { .kind = HN_SPHERE, .size = { 0.05 } };
  hn_manifold m;
  double worst[4] = { 0 };
  for (int k = 0; k < 200; k++) {
    const double y = uniform(-0.39, 0.39), rho = uniform(0.01, 0.29), angle = uniform(-3, 3);
    const double in[3] = { rho * cos(angle), y, rho * sin(angle) };
    worst[0] = larger(worst[0], fabs(gap_at(&ball, &c, (double[3]){ -in[0], -in[1], -in[2] }, 1, &m) -
                                     fmax(rho - 0.3, fabs(y) - 0.4) + 0.05));
    const double apart = uniform(0.4, 0.7), high = uniform(-0.2, 0.2);
    worst[1] = larger(
      worst[1], fabs(gap_at(&c, &d, (double[3]){ apart, high, uniform(-0.2, 0.2) }, 2, &m) - apart + 0.5));
    const double up = (k % 2 ? 1 : -1) * uniform(0.95, 1.2), out = uniform(0.55, 0.8);
    const double beside[3] = { out * cos(angle), up, out * sin(angle) };
    worst[2] = larger(worst[2], fabs(gap_at(&c, &d, beside, 1, &m) - hypot(out - 0.5, fabs(up) - 0.9)));
    const double on[3] = { 0.3, 0.899, 0 };
    gap_at(&c, &d, on, 1, &m);
    double across = 0;
    for (int i = 0; i < m.count; i++) across += m.point[i].b[2];
    worst[3] = larger(worst[3], fabs(across));
  }
  check_below("ball inside a cylinder, m", worst[0], 1e-14);
  check_below("crossed cylinders, m", worst[1], 1e-14);
  check_below("rims of parallel cylinders, m", worst[2], 1e-14);
  check_below("sum of the points of one end on another, across, m", worst[3], 1e-14);
}

/* A cylinder upright on a plane, sunk by 1 mm: four points of its rim around its axis, all as deep. */
static void upright_cylinders_have_four_points(void **state)
{
  (void)state;
  hn_shape plane = { .kind = HN_PLANE, .size = { 0, 1, 0 } },
           cylinder = { .kind = HN_CYLINDER, .size = { 0.3, 0.8 } };
  hn_placed_shape below = { .shape = &plane, .R = { 1, 0, 0, 0, 1, 0, 0, 0, 1 } }, above = {
    .shape = &cylinder, .x = { 0.2, 0.399, -0.1 }, .R = { 1, 0, 0, 0, 1, 0, 0, 0, 1 }
  };
  hn_manifold m;
  hn_collide_pair(&below, &above, 0.01, &m);
  ASSERT_COUNT("points", (unsigned)m.count, 4);
  double centre[3] = { 0 }, worst = 0;
  for (int k = 0; k < m.count; k++) {
    const double *b = m.point[k].b;
    vec_add_scaled(centre, 0.25, b);
    worst = larger(worst, fabs(gap_of(&m.point[k]) + 0.001));
    worst = larger(worst, fabs(hypot(b[0] - 0.2, b[2] + 0.1) - 0.3));
  }
  check_below("gaps and radii, m", worst, 1e-14);
  check_below("mean of the points beside the axis, m", hypot(centre[0] - 0.2, centre[2] + 0.1), 1e-14);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(points_are_within_the_margin),
    cmocka_unit_test(gaps_are_largest_separations),
    cmocka_unit_test(cylinders_at_known_poses),
    cmocka_unit_test(upright_cylinders_have_four_points),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
