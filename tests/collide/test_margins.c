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
    cmocka_unit_test(upright_cylinders_have_four_points),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
