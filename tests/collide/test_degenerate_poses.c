/* test_degenerate_poses.c - shapes in degenerate poses (parallel, level or coincident): validity and number
 * of their contact points. */
#include "shape_trials.h"

static bool is_valid(const hn_manifold *m)
{
  for (int k = 0; k < m->count; k++) {
    const hn_contact_point *p = &m->point[k];
    if (!all_finite(p->a, 3) || !all_finite(p->b, 3) || !all_finite(p->normal, 3)) return false;
    if (fabs(vec_norm(p->normal) - 1) > 1e-14) return false;
    for (int j = 0; j < k; j++)
      if (m->point[j].feature == p->feature) return false;
  }
  return true;
}

/* All pairs at the same place, and at distances of whole and half sizes along axes and diagonals, turned by
 * multiples of 45 degrees: points are finite, features differ, and no direction has a larger separation than
 * the gap. */
static void degenerate_poses_have_valid_points(void **state)
{
  (void)state;
  double l[3] = { 1, 1, 1 };
  hn_hull *cube = box_hull(l), *square;
  const double corner[12] = { -0.5, -0.5, 0, 0.5, -0.5, 0, 0.5, 0.5, 0, -0.5, 0.5, 0 };
  square = must_hull(corner, 4, true);
  int invalid = 0, without = 0, poses = 0;
  double lower = 0;
  for (int k = 0; k < TRIAL_PAIRS; k++)
    for (int place = 0; place < 27 * 16; place++) {
      trial_shape s[2];
      bool planar = trial_pairs[k][1] >= HN_CIRCLE;
      for (int i = 0; i < 2; i++) {
        s[i] = shape_at(trial_pairs[k][i], 1, 1, 1, 0, 0, 0);
        if (s[i].shape.kind == HN_PLANE) vec_set(s[i].shape.size, 0, 1, 0);
        else if (s[i].shape.kind != HN_BOX) s[i].shape.size[0] = 0.5;
        s[i].shape.hull = s[i].shape.kind == HN_POLYGON ? square : cube;
      }
      double step = (1 + place / 27 % 2) * 0.5;
      for (int i = 0; i < 3; i++)
        s[1].placed.x[i] = planar && i == 2 ? 0 : step * (place / (i == 0 ? 1 : i == 1 ? 3 : 9) % 3 - 1);
      int turn = place / 54;
      turn_about(&s[1], planar ? 0 : turn & 1, 0, planar || !(turn & 1),
                 M_PI / 4 * (turn / 2) + (turn == 7 ? 1e-9 : 0));
      hn_manifold m;
      collide(&s[0], &s[1], 1, &m);
      poses++;
      invalid += !is_valid(&m);
      int least = least_point(&m);
      for (int i = 0; i < 27; i++) {
        double n[3] = { i % 3 - 1, i / 3 % 3 - 1, planar ? 0 : i / 9 - 1 };
        if (vec_norm(n) == 0 || trial_pairs[k][0] == HN_PLANE) continue;
        vec_scale(n, 1 / vec_norm(n), n);
        double apart_by = separation(&s[0].placed, &s[1].placed, n);
        if (least >= 0) lower = larger(lower, apart_by - gap_of(&m.point[least]));
      }
      if (least < 0) { /* the distance must be 1 or more */
        double best = -HUGE_VAL, n[3];
        for (int i = 0; i < 200; i++) {
          random_direction(n);
          if (planar) n[2] = 0, vec_scale(n, 1 / vec_norm(n), n);
          if (trial_pairs[k][0] == HN_PLANE) vec_set(n, 0, 1, 0);
          best = fmax(best, separation(&s[0].placed, &s[1].placed, n));
        }
        without += best < 0.7;
      }
    }
  printf("  %d poses\n", poses);
  ASSERT_COUNT("poses with invalid points", invalid, 0);
  ASSERT_COUNT("near poses without a point", without, 0);
  check_below("largest reduction of the overlap in a direction", lower, 1e-14);
  hn_hull_free(cube);
  hn_hull_free(square);
}

/* A corner exactly on an edge, on a corner and on the middle of a face: the gap is 0. */
static void corners_on_edges_touch(void **state)
{
  (void)state;
  hn_manifold m;
  double l[3] = { 1, 1, 1 };
  trial_shape a[2] = { shape_at(HN_BOX, 1, 1, 1, 0, 0, 0), convex_at(box_hull(l), 0, 0, 0) };
  const double at[3][3] = { { 0, 0.5, 0 }, { 0.5, 0.5, 0.1 }, { 0.5, 0.5, 0.5 } };
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < 3; k++) {
      trial_shape b = shape_at(HN_BOX, 1, 1, 1, 0, 0, 0);
      double turn[3] = { -1, 0, 1 }, tip[3] = { -0.5, -0.5, -0.5 }, down[3];
      turn_about(&b, turn[0], turn[1], turn[2], acos(1 / sqrt(3)));
      mat_vec(down, b.placed.R, tip); /* the corner points along -y */
      vec_sub(b.placed.x, at[k], down);
      collide(&a[i], &b, 1e-3, &m);
      assert_true(is_valid(&m) && m.count > 0);
      check_below("gap of a corner on a face, edge, corner", gap_of(&m.point[least_point(&m)]), 1e-15);
      collide(&b, &a[i], 1e-3, &m);
      assert_true(is_valid(&m) && m.count > 0);
      check_below("and the other way round", gap_of(&m.point[least_point(&m)]), 1e-15);
    }
  free_shape(&a[1]);
}

/* Parallel edges side by side: two points, at the ends of their common part. */
static void parallel_edges_have_two_points(void **state)
{
  (void)state;
  hn_manifold m;
  double gap = 1e-3, s = sqrt(0.5);
  trial_shape box = shape_at(HN_BOX, 1, 1, 1, 0, 0, 0),
              other = shape_at(HN_BOX, 1, 1, 1, 1 + gap * s, 1 + gap * s, 0.25);
  collide(&box, &other, 0.01, &m);
  ASSERT_COUNT("edge before edge", m.count, 2);
  check_below("gaps", largest_gap_error(&m, gap), 1e-15);
  trial_shape rod = shape_at(HN_CAPSULE, 0.2, 1, 0, 0.5 + s * (0.2 + gap), 0.5 + s * (0.2 + gap), 0.25);
  turn_about(&rod, 1, 0, 0, M_PI / 2);
  collide(&box, &rod, 0.01, &m);
  ASSERT_COUNT("capsule before an edge", m.count, 2);
  check_below("gaps", largest_gap_error(&m, gap), 1e-15);
  trial_shape pole = shape_at(HN_CYLINDER, 0.2, 1, 0, 0.5 + s * (0.2 + gap), 0.5 + s * (0.2 + gap), 0.25);
  turn_about(&pole, 1, 0, 0, M_PI / 2);
  collide(&box, &pole, 0.01, &m);
  ASSERT_COUNT("cylinder before an edge", m.count, 2);
  check_below("gaps", largest_gap_error(&m, gap), 1e-15);
  trial_shape rods[2] = { shape_at(HN_CAPSULE, 0.2, 1, 0, 0, 0, 0),
                          shape_at(HN_CAPSULE, 0.3, 2, 0, 0.5 + gap, 1.25, 0) };
  collide(&rods[0], &rods[1], 0.01, &m);
  ASSERT_COUNT("capsule beside capsule", m.count, 2);
  check_below("gaps", largest_gap_error(&m, gap), 1e-15);
  for (int i = 0; i < 2; i++) rods[i].shape.kind = HN_CYLINDER;
  collide(&rods[0], &rods[1], 0.01, &m);
  ASSERT_COUNT("cylinder beside cylinder", m.count, 2);
  check_below("gaps", largest_gap_error(&m, gap), 1e-15);
}

/* More corners near a plane than the capacity: the lowest ones are retained. */
static void many_corners_are_reduced_to_the_lowest(void **state)
{
  (void)state;
  hn_manifold m;
  trial_shape floor = shape_at(HN_PLANE, 0, 1, 0, 0, 0, 0),
              ball = convex_at(random_hull(200, 1, 1, 1), 0, 1, 0);
  collide(&floor, &ball, 10, &m);
  ASSERT_COUNT("points", m.count, HN_MAX_MANIFOLD);
  double most = -HUGE_VAL;
  int lower = 0;
  for (int k = 0; k < m.count; k++) most = fmax(most, gap_of(&m.point[k]));
  for (int i = 0; i < 200; i++) lower += 1 + ball.shape.hull->vertex[3 * i + 1] < most + 1e-12;
  ASSERT_COUNT("corners as low as these", lower, HN_MAX_MANIFOLD);
  free_shape(&ball);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(degenerate_poses_have_valid_points),
    cmocka_unit_test(corners_on_edges_touch),
    cmocka_unit_test(parallel_edges_have_two_points),
    cmocka_unit_test(many_corners_are_reduced_to_the_lowest),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
