/* test_bounding_boxes.c - bounding boxes contain their shapes and touch them, in all orientations: turned at
 * random, along the axes, and leaning by 0.5 to 89 degrees from an axis. References: points of the shape,
 * drawn at random, and the support along the axes. */
#include "shape_trials.h"
#include "elementary.h"

#include <math.h>

static const hn_shape_kind kinds[] = { HN_BOX,   HN_SPHERE, HN_CYLINDER, HN_CAPSULE,
                                       HN_PLANE, HN_CONVEX, HN_CIRCLE,   HN_POLYGON };
static const double leans[] = { 0, 0.5, 1, 2, 3, 5, 10, 20, 45, 70, 85, 87, 89 }; /* degrees */
enum { TRIALS = 60, POINTS = 1000, NLEAN = sizeof leans / sizeof *leans };

/* Draws a point of the shape: of a plane one below it, up to 30 m away. Returns false if it missed. */
static bool draw_point(const hn_placed_shape *p, double x[3])
{
  const double width = p->shape->kind == HN_PLANE ? 30 : 3;
  for (int i = 0; i < 3; i++) x[i] = p->x[i] + uniform(-width, width);
  if (p->shape->kind == HN_CIRCLE || p->shape->kind == HN_POLYGON) x[2] = p->x[2];
  return height_above(p, x) <= 0;
}

/* Returns the largest distance of a point of the shape outside of its box, m. */
static double largest_outside(const hn_placed_shape *p, long *drawn)
{
  double low[3], high[3], x[3], most = 0;
  hn_placed_bounds(p, 0, low, high);
  for (int k = 0; k < POINTS; k++) {
    if (!draw_point(p, x)) continue;
    ++*drawn;
    for (int i = 0; i < 3; i++) most = fmax(most, fmax(low[i] - x[i], x[i] - high[i]));
  }
  return most;
}

/* Returns the largest distance of a side of the box from the support of the shape along the axes, m. Half
 * spaces have a side where their normal is an axis; circles and polygons have none along z. */
static double largest_slack(const hn_placed_shape *p)
{
  double low[3], high[3], most = 0;
  const bool flat = p->shape->kind == HN_CIRCLE || p->shape->kind == HN_POLYGON;
  hn_placed_bounds(p, 0, low, high);
  for (int i = 0; i < (flat ? 2 : 3); i++)
    for (int side = -1; side <= 1; side += 2) {
      double n[3] = { 0 };
      n[i] = side;
      const double support = reach(p, n) + side * p->x[i], bound = side > 0 ? high[i] : -low[i];
      if (isfinite(bound) || isfinite(support)) most = fmax(most, fabs(bound - support));
    }
  return most;
}

/* Turns axis AXIS of the shape's axes away from that of the world by ANGLE degrees, about another axis. */
static void lean(hn_placed_shape *p, int axis, double angle)
{
  double q[4] = { 0 }, half = angle * M_PI / 360;
  hn_sincos(half, &q[1 + (axis + 1 + (int)uniform(0, 2)) % 3], &q[0]);
  quat_matrix(p->R, q);
}

static void check_shape(hn_shape_kind kind, double angle, bool turned, double worst[2], long *drawn)
{
  trial_shape t;
  const int axis = (int)uniform(0, 3);
  random_shape(&t, kind);
  if (kind == HN_PLANE && !turned)
    for (int i = 0; i < 3; i++) t.shape.size[i] = i == axis ? (uniform(-1, 1) < 0 ? -1 : 1) : 0;
  if (!turned && kind != HN_CIRCLE && kind != HN_POLYGON) lean(&t.placed, axis, angle);
  worst[0] = fmax(worst[0], largest_outside(&t.placed, drawn));
  worst[1] = fmax(worst[1], largest_slack(&t.placed));
  free_shape(&t);
}

static void test_boxes(void **fixture)
{
  (void)fixture;
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    double worst[2] = { 0 };
    long drawn = 0;
    for (int i = 0; i < TRIALS; i++) check_shape(kinds[k], 0, true, worst, &drawn);
    for (int i = 0; i < TRIALS * NLEAN; i++) check_shape(kinds[k], leans[i % NLEAN], false, worst, &drawn);
    print_message("%-8s %6ld points, outside by %.1e m of 1e-12, slack %.1e m of 1e-12\n",
                  hn_shape_name(kinds[k]), drawn, worst[0], worst[1]);
    assert_true(drawn > 1000);
    assert_true(worst[0] <= 1e-12);
    assert_true(worst[1] <= 1e-12);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = { cmocka_unit_test(test_boxes) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
