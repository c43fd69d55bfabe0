/* test_bounding_boxes.c - boxes and supports of placed shapes at random poses against their definitions;
 * planes that lean by a little; points inside; faces. */
#include "shape_trials.h"

enum { POSES = 400 };

static const hn_shape_kind kinds[] = { HN_BOX,    HN_SPHERE,    HN_CYLINDER, HN_CAPSULE,
                                       HN_CONVEX, HN_ELLIPSOID, HN_CIRCLE,   HN_POLYGON };
enum { KINDS = sizeof kinds / sizeof *kinds };

/* The box ends at the supports along the axes, and the margin beyond them. */
static void boxes_end_at_the_supports(void **state)
{
  (void)state;
  for (int k = 0; k < KINDS; k++) {
    double worst = 0;
    for (int pose = 0; pose < POSES; pose++) {
      trial_shape t;
      double low[3], high[3], margin = uniform(0, 0.1);
      random_shape(&t, kinds[k]);
      hn_placed_bounds(&t.placed, margin, low, high);
      for (int i = 0; i < 3 && !(kinds[k] >= HN_CIRCLE && i == 2); i++) {
        double up[3] = { 0 }, down[3] = { 0 };
        up[i] = 1, down[i] = -1;
        worst = larger(worst, fabs(high[i] - t.placed.x[i] - reach(&t.placed, up) - margin));
        worst = larger(worst, fabs(t.placed.x[i] - low[i] - reach(&t.placed, down) - margin));
      }
      free_shape(&t);
    }
    printf(" shape %d\n", (int)kinds[k]);
    check_below("ends less supports and margin, m", worst, 1e-14);
  }
}

static void supports_are_largest_extents(void **state)
{
  (void)state;
  for (int k = 0; k < KINDS; k++) {
    double worst = 0;
    for (int pose = 0; pose < POSES; pose++) {
      trial_shape t;
      double n[3];
      random_shape(&t, kinds[k]);
      random_direction(n);
      if (kinds[k] >= HN_CIRCLE) n[2] = 0, vec_scale(n, 1 / vec_norm(n), n);
      worst = larger(worst,
                     fabs(hn_placed_support(&t.placed, n) - vec_dot(n, t.placed.x) - reach(&t.placed, n)));
      free_shape(&t);
    }
    printf(" shape %d\n", (int)kinds[k]);
    check_below("support less largest extent, m", worst, 1e-14);
  }
}

/* A half space has a support along its normal only. */
static void supports_of_planes(void **state)
{
  (void)state;
  int wrong = 0;
  for (int pose = 0; pose < POSES; pose++) {
    trial_shape t;
    double n[3], lean[3], across[3];
    random_shape(&t, HN_PLANE);
    mat_vec(n, t.placed.R, t.shape.size);
    vec_scale(n, 1 / vec_norm(n), n);
    random_direction(lean);
    vec_cross(across, n, lean);
    vec_along(lean, n, pow(10, uniform(-5, 0)) / vec_norm(across), across);
    vec_scale(lean, 1 / vec_norm(lean), lean);
    wrong += isfinite(hn_placed_support(&t.placed, lean));
  }
  ASSERT_COUNT("supports of planes across their normals", wrong, 0);
  hn_shape plane = { .kind = HN_PLANE, .size = { 0, 1, 0 } };
  hn_placed_shape placed = { .shape = &plane, .x = { 3, 4, 5 }, .R = { 0, 0, 1, 1, 0, 0, 0, 1, 0 } };
  assert_true(hn_placed_support(&placed, (double[]){ 0, 0, 1 }) == 5);
}

/* A half space has an end along an axis only if its normal is that axis to the last bit. */
static void leaning_planes_have_no_end(void **state)
{
  (void)state;
  int ends = 0;
  for (int pose = 0; pose < POSES; pose++) {
    hn_shape plane = { .kind = HN_PLANE };
    hn_placed_shape placed = { .shape = &plane, .R = { 1, 0, 0, 0, 1, 0, 0, 0, 1 } };
    const int axis = pose % 3;
    const double angle = pow(10, uniform(-9, -0.5));
    double low[3], high[3];
    for (int i = 0; i < 3; i++) placed.x[i] = uniform(-1, 1);
    plane.size[axis] = cos(angle), plane.size[(axis + 1) % 3] = sin(angle);
    hn_placed_bounds(&placed, 0.01, low, high);
    for (int i = 0; i < 3; i++) ends += isfinite(low[i]) + isfinite(high[i]);
  }
  ASSERT_COUNT("ends of leaning planes", ends, 0);
  for (int axis = 0; axis < 3; axis++)
    for (int sign = -1; sign <= 1; sign += 2) {
      hn_shape plane = { .kind = HN_PLANE };
      hn_placed_shape placed = { .shape = &plane, .x = { 3, 4, 5 }, .R = { 1, 0, 0, 0, 1, 0, 0, 0, 1 } };
      double low[3], high[3];
      plane.size[axis] = sign;
      hn_placed_bounds(&placed, 0.25, low, high);
      for (int i = 0; i < 3; i++) {
        assert_true(low[i] == (i == axis && sign < 0 ? 3 + i - 0.25 : -HUGE_VAL));
        assert_true(high[i] == (i == axis && sign > 0 ? 3 + i + 0.25 : HUGE_VAL));
      }
    }
}

/* A point is inside if a small ball about it is deeper than its radius. */
static void points_inside_are_contained(void **state)
{
  (void)state;
  static const hn_shape_kind solid[] = { HN_PLANE, HN_BOX, HN_CYLINDER, HN_CONVEX };
  for (int k = 0; k < 4; k++) {
    int differ = 0, inside = 0;
    for (int pose = 0; pose < POSES; pose++) {
      trial_shape t, ball;
      hn_manifold m;
      random_shape(&t, solid[k]);
      random_shape(&ball, HN_SPHERE);
      ball.shape.size[0] = 1e-3;
      for (int i = 0; i < 3; i++) ball.placed.x[i] = t.placed.x[i] + uniform(-0.6, 0.6);
      hn_collide_pair(&t.placed, &ball.placed, 10, &m);
      double gap = HUGE_VAL;
      for (int i = 0; i < m.count; i++) gap = fmin(gap, gap_of(&m.point[i]));
      const double height = gap + 1e-3;
      if (fabs(height) > 1e-6) inside += height < 0;
      if (fabs(height) > 1e-6) differ += hn_placed_contains(&t.placed, ball.placed.x, 0) != (height < 0);
      free_shape(&t);
    }
    printf(" shape %d: %d of %d points are inside\n", (int)solid[k], inside, POSES);
    ASSERT_COUNT("points that differ", differ, 0);
    assert_in_range(inside, POSES / 10, POSES - POSES / 10);
  }
}

/* The normal of a face is found, one that is 0.01 rad off it is not; a plane has one face, a ball none. */
static void faces_have_their_normals(void **state)
{
  (void)state;
  static const hn_shape_kind faced[] = { HN_PLANE, HN_BOX, HN_CYLINDER, HN_CONVEX };
  int wrong = 0;
  for (int pose = 0; pose < POSES; pose++) {
    trial_shape t;
    double n[3], across[3], m[3], off[3];
    random_shape(&t, faced[pose % 4]);
    if (faced[pose % 4] == HN_PLANE) vec_copy(m, t.shape.size);
    else if (faced[pose % 4] == HN_CONVEX) vec_copy(m, t.shape.hull->normal + 3);
    else vec_set(m, 0, pose % 8 < 4 ? 1 : -1, 0);
    mat_vec(n, t.placed.R, m);
    random_direction(m);
    vec_cross(across, n, m);
    vec_along(off, n, 0.01 / vec_norm(across), across);
    vec_scale(off, 1 / vec_norm(off), off);
    vec_scale(across, 1 / vec_norm(across), across);
    wrong += !hn_placed_has_face(&t.placed, n) + hn_placed_has_face(&t.placed, off);
    vec_scale(n, -1, n);
    if (faced[pose % 4] == HN_PLANE) wrong += hn_placed_has_face(&t.placed, n);
    if (faced[pose % 4] == HN_CYLINDER) wrong += hn_placed_has_face(&t.placed, across);
    free_shape(&t);
    random_shape(&t, HN_SPHERE);
    wrong += hn_placed_has_face(&t.placed, n);
  }
  ASSERT_COUNT("faces that are wrong", wrong, 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(boxes_end_at_the_supports),   cmocka_unit_test(supports_are_largest_extents),
    cmocka_unit_test(supports_of_planes),          cmocka_unit_test(leaning_planes_have_no_end),
    cmocka_unit_test(points_inside_are_contained), cmocka_unit_test(faces_have_their_normals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
