/* test_ellipsoids.c - ellipsoids in contact against constructions with a known answer: with equal half axes
 * they are spheres; two ellipsoids placed with common normal and gap; needles and discs with half axes of a
 * ratio up to 1000; cylinders' rims; deep overlaps against a search over directions. */
#include "shape_trials.h"

enum { POSES = 4000 };
static const double far = 100;

/* Returns a random half axis: 10 to a power between -SPREAD and 0. */
static double random_axis(double spread)
{
  return pow(10, uniform(-spread, 0));
}

static void random_ellipsoid(trial_shape *t, double spread)
{
  *t = (trial_shape){ .shape = { .kind = HN_ELLIPSOID } };
  for (int i = 0; i < 3; i++) t->shape.size[i] = random_axis(spread);
  put_at_random(t);
}

/* Computes the point of an ellipsoid with the outward normal N, in world axes, from its definition. */
static void extreme_point(const hn_placed_shape *p, const double n[3], double x[3])
{
  double m[3], y[3], square = 0;
  mat_tvec(m, p->R, n);
  for (int i = 0; i < 3; i++) square += p->shape->size[i] * m[i] * p->shape->size[i] * m[i];
  for (int i = 0; i < 3; i++) y[i] = p->shape->size[i] * p->shape->size[i] * m[i] / sqrt(square);
  mat_vec(x, p->R, y);
  vec_add(x, x, p->x);
}

static double largest_axis(const trial_shape *t)
{
  return fmax(t->shape.size[0], fmax(t->shape.size[1], t->shape.size[2]));
}

static double least_axis(const trial_shape *t)
{
  return fmin(t->shape.size[0], fmin(t->shape.size[1], t->shape.size[2]));
}

/* Returns a lower bound of the radii of curvature. */
static double least_radius(const trial_shape *t)
{
  return least_axis(t) * least_axis(t) / largest_axis(t);
}

/* Returns an upper bound of the radii of curvature. */
static double largest_radius(const trial_shape *t)
{
  return largest_axis(t) * largest_axis(t) / least_axis(t);
}

/* ---- Spheres ------------------------------------------------------------------------------------------- */

/* Returns the larger of the differences of gap, surface points and normal of the deepest points. */
static double difference(const hn_manifold *m, const hn_manifold *n)
{
  if (m->count != n->count) return HUGE_VAL;
  if (m->count == 0) return 0;
  const hn_contact_point *p = &m->point[least_point(m)], *q = &n->point[least_point(n)];
  double off[3], x[3], y[3];
  double worst = fabs(gap_of(p) - gap_of(q));
  for (int side = 0; side < 2; side++) {
    vec_copy(x, side ? p->b : p->a), vec_copy(y, side ? q->b : q->a);
    vec_add_scaled(x, side ? -p->skin_b : p->skin_a, p->normal);
    vec_add_scaled(y, side ? -q->skin_b : q->skin_a, q->normal);
    vec_sub(off, x, y);
    worst = larger(worst, vec_norm(off));
    worst = larger(worst, fabs((side ? p->skin_b : p->skin_a) - (side ? q->skin_b : q->skin_a)));
  }
  vec_sub(off, p->normal, q->normal);
  return larger(worst, vec_norm(off));
}

static void equal_half_axes_are_a_sphere(void **unused)
{
  (void)unused;
  static const hn_shape_kind others[] = { HN_PLANE, HN_SPHERE, HN_CAPSULE, HN_BOX, HN_CYLINDER, HN_CONVEX };
  for (int k = 0; k < 6; k++) {
    double worst = 0;
    for (int pose = 0; pose < POSES / 4; pose++) {
      trial_shape ball = { .shape = { .kind = HN_SPHERE } }, round, other;
      hn_manifold m, n;
      ball.shape.size[0] = uniform(0.3, 1.5);
      put_at_random(&ball);
      random_shape(&other, others[k]);
      place_beside(&other.placed, &ball.placed, uniform(-0.2, 0.3));
      round = ball;
      round.shape.kind = HN_ELLIPSOID, round.shape.size[1] = round.shape.size[2] = round.shape.size[0];
      collide(&ball, &other, 0.2, &m), collide(&round, &other, 0.2, &n);
      worst = larger(worst, difference(&m, &n));
      free_shape(&other);
    }
    printf(" %s\n", shape_name(others[k]));
    check_below("gap, points, radii and normal less those of a sphere", worst, 1e-13);
  }
}

/* ---- Known answers ------------------------------------------------------------------------------------- */

/* The lowest point of an ellipsoid with half axes e is at sqrt(sum (e_i n_i)^2) below its centre. */
static void planes_have_the_closed_form(void **unused)
{
  (void)unused;
  double worst = 0;
  for (int pose = 0; pose < POSES; pose++) {
    trial_shape plane, t;
    double n[3], down[3], x[3], off[3];
    hn_manifold m;
    random_shape(&plane, HN_PLANE);
    random_ellipsoid(&t, 3);
    mat_vec(n, plane.placed.R, plane.shape.size);
    vec_scale(down, -1, n);
    collide(&plane, &t, far, &m);
    assert_int_equal(m.count, 1);
    extreme_point(&t.placed, down, x);
    vec_sub(off, x, plane.placed.x);
    worst = larger(worst, fabs(gap_of(&m.point[0]) - vec_dot(off, n)));
    vec_copy(off, m.point[0].b);
    vec_add_scaled(off, -m.point[0].skin_b, n);
    vec_sub(off, off, x);
    worst = larger(worst, vec_norm(off));
  }
  check_below("gap and lowest point, m", worst, 1e-14);
}

/* The sphere of a contact point has the smaller radius of curvature. With half axes b, a, b, a > b, and the
 * extent h along the normal, that is b^2 / h, the distance to the axis of symmetry; with a < b it is
 * a^2 b^2 / h^3, of the meridian, but at most the largest half axis. */
static void points_are_those_of_the_smaller_radius(void **unused)
{
  (void)unused;
  double off_axis = 0, off_radius = 0, off_meridian = 0;
  for (int pose = 0; pose < POSES; pose++) {
    trial_shape plane, t = { .shape = { .kind = HN_ELLIPSOID } };
    double n[3], to[3], m[3];
    hn_manifold found;
    random_shape(&plane, HN_PLANE);
    const double a = uniform(0.4, 1), b = uniform(0.3, 0.99) * a;
    vec_set(t.shape.size, b, a, b);
    put_at_random(&t);
    mat_vec(n, plane.placed.R, plane.shape.size);
    collide(&plane, &t, far, &found);
    vec_sub(to, found.point[0].b, t.placed.x);
    mat_tvec(m, t.placed.R, to);
    off_axis = larger(off_axis, hypot(m[0], m[2]));
    off_radius = larger(off_radius, fabs(found.point[0].skin_b - b * b / reach(&t.placed, n)));
    vec_set(t.shape.size, a, b, a);
    collide(&plane, &t, far, &found);
    const double h = reach(&t.placed, n), radius = a * a * b * b / (h * h * h);
    off_meridian = larger(off_meridian, fabs(found.point[0].skin_b - fmin(radius, a)));
  }
  check_below("centre off the long axis, m", off_axis, 1e-14);
  check_below("radius, less that across the long axis, m", off_radius, 1e-14);
  check_below("radius, less that of the meridian of a flat one, m", off_meridian, 1e-13);
}

/* Errors of the gap, m; of the point over the largest radius of curvature, by which it moves if the normal
 * turns; of the normal times the least radius of curvature, m. Coordinates are about 1 m. */
typedef struct answer_errors {
  double gap, point, normal;
} answer_errors;

/* Places B so that the ellipsoids have the normal N and the gap GAP, and compares. */
static void check_construction(trial_shape *a, trial_shape *b, const double n[3], double gap,
                               answer_errors *worst)
{
  double x[3], y[3], back[3], off[3];
  hn_manifold m;
  vec_scale(back, -1, n);
  extreme_point(&a->placed, n, x);
  vec_set(b->placed.x, 0, 0, 0);
  extreme_point(&b->placed, back, y);
  for (int i = 0; i < 3; i++) b->placed.x[i] = x[i] + gap * n[i] - y[i];
  collide(a, b, far, &m);
  assert_int_equal(m.count, 1);
  const hn_contact_point *p = &m.point[0];
  worst->gap = larger(worst->gap, fabs(gap_of(p) - gap));
  vec_along(off, p->a, p->skin_a, p->normal);
  vec_sub(off, off, x);
  worst->point = larger(worst->point, vec_norm(off) / fmax(largest_radius(a), largest_radius(b)));
  vec_sub(off, p->normal, n);
  worst->normal = larger(worst->normal, vec_norm(off) * (least_radius(a) + least_radius(b) + gap));
}

/* A gap above minus the radii of curvature has one normal; a construction from it is exact. */
static void constructed_contacts_are_found(void **unused)
{
  (void)unused;
  static const double spreads[] = { 0.5, 1, 2, 3 };
  for (int k = 0; k < 4; k++) {
    answer_errors worst = { 0 };
    for (int pose = 0; pose < POSES; pose++) {
      trial_shape a, b;
      double n[3];
      random_ellipsoid(&a, spreads[k]), random_ellipsoid(&b, spreads[k]);
      random_direction(n);
      const double radii = least_radius(&a) + least_radius(&b);
      a.placed.shape = &a.shape, b.placed.shape = &b.shape;
      check_construction(&a, &b, n, pose % 3 ? uniform(-0.9 * radii, 0.5) : uniform(-1e-12, 1e-12), &worst);
    }
    printf(" ratios of half axes up to %g\n", pow(10, spreads[k]));
    check_below("gap, m", worst.gap, 1e-14);
    check_below("point, over the largest radius of curvature", worst.point, 1e-12);
    check_below("normal, times the radius of curvature, m", worst.normal, 1e-13);
  }
}

/* A point of a rim has the normals between those of side and end: from one of them the ellipsoid is
 * constructed. */
static void constructed_contacts_of_rims_are_found(void **unused)
{
  (void)unused;
  double worst = 0, off_point = 0;
  for (int pose = 0; pose < POSES; pose++) {
    trial_shape a, c;
    double y[3], x[3], m[3], n[3], back[3], off[3];
    hn_manifold found;
    random_ellipsoid(&a, 1);
    random_shape(&c, HN_CYLINDER);
    const double around = uniform(0, 2 * M_PI), tilt = uniform(0.1, 1.4), gap = uniform(0, 0.3);
    vec_set(m, cos(tilt) * cos(around), sin(tilt), cos(tilt) * sin(around));
    vec_set(y, c.shape.size[0] * cos(around), 0.5 * c.shape.size[1], c.shape.size[0] * sin(around));
    mat_vec(n, c.placed.R, m), mat_vec(x, c.placed.R, y);
    vec_add(x, x, c.placed.x);
    vec_scale(back, -1, n);
    a.placed.shape = &a.shape, vec_set(a.placed.x, 0, 0, 0);
    extreme_point(&a.placed, back, off);
    for (int i = 0; i < 3; i++) a.placed.x[i] = x[i] + gap * n[i] - off[i];
    collide(&c, &a, far, &found);
    assert_int_equal(found.count, 1);
    const hn_contact_point *p = &found.point[0];
    worst = larger(worst, fabs(gap_of(p) - gap));
    vec_along(off, p->a, p->skin_a, p->normal);
    vec_sub(off, off, x);
    off_point = larger(off_point, vec_norm(off));
  }
  check_below("gap, m", worst, 2e-14);
  check_below("point of the rim, m", off_point, 1e-12);
}

/* ---- Deep overlaps ------------------------------------------------------------------------------------- */

/* Computes the normal of A at the point of its surface in the direction of D: directions for a search, dense
 * where the surface is curved. */
static void spread_direction(const trial_shape *a, const double d[3], double n[3])
{
  double m[3];
  for (int i = 0; i < 3; i++) m[i] = d[i] / a->shape.size[i];
  mat_vec(n, a->placed.R, m);
  vec_scale(n, 1 / vec_norm(n), n);
}

/* No direction of a search has a smaller overlap, and the gap is the separation along the normal. */
static void deep_overlaps_of_needles_are_least(void **unused)
{
  (void)unused;
  static const hn_shape_kind others[] = { HN_ELLIPSOID, HN_CYLINDER, HN_BOX, HN_CAPSULE };
  for (int k = 0; k < 4; k++) {
    double reduction = -HUGE_VAL, off = 0, deepest = 0;
    for (int pose = 0; pose < POSES / 8; pose++) {
      trial_shape a, b;
      hn_manifold m;
      random_ellipsoid(&a, 2);
      if (others[k] == HN_ELLIPSOID) random_ellipsoid(&b, 2);
      else random_shape(&b, others[k]);
      a.placed.shape = &a.shape, b.placed.shape = &b.shape;
      for (int i = 0; i < 3; i++) b.placed.x[i] = a.placed.x[i] + uniform(-0.3, 0.3);
      collide(&a, &b, far, &m);
      const double gap = gap_of(&m.point[least_point(&m)]);
      off = larger(off, fabs(gap - separation(&a.placed, &b.placed, m.point[least_point(&m)].normal)));
      double best[3] = { 0 }, most = -HUGE_VAL;
      for (int i = 0; i < 200; i++) {
        double d[3], n[3];
        random_direction(d);
        if (i % 2) spread_direction(&a, d, n);
        else if (others[k] == HN_ELLIPSOID) spread_direction(&b, d, n);
        else vec_copy(n, d);
        const double value = separation(&a.placed, &b.placed, n);
        if (value > most) most = value, vec_copy(best, n);
      }
      reduction = larger(reduction, improve_direction(&a.placed, &b.placed, best, false, 0.2) - gap);
      deepest = fmin(deepest, gap);
    }
    printf(" %s, to a depth of %g m\n", shape_name(others[k]), -deepest);
    check_below("gap less extent along its normal, m", off, 2e-13);
    check_below("largest reduction of the overlap in a direction, m", fmax(0, reduction), 2e-13);
  }
}

/* Two ellipsoids around one centre: apart along the axis along which the sum of their half axes is least. */
static void concentric_ellipsoids_have_a_normal(void **unused)
{
  (void)unused;
  trial_shape a = shape_at(HN_ELLIPSOID, 0.5, 0.2, 0.4, 0, 0, 0),
              b = shape_at(HN_ELLIPSOID, 0.3, 0.3, 0.6, 0, 0, 0);
  hn_manifold m;
  collide(&a, &b, far, &m);
  assert_int_equal(m.count, 1);
  check_near("gap, m", gap_of(&m.point[0]), -0.5, 1e-15);
  check_near("normal along y", fabs(m.point[0].normal[1]), 1, 1e-15);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(equal_half_axes_are_a_sphere),
    cmocka_unit_test(planes_have_the_closed_form),
    cmocka_unit_test(points_are_those_of_the_smaller_radius),
    cmocka_unit_test(constructed_contacts_are_found),
    cmocka_unit_test(constructed_contacts_of_rims_are_found),
    cmocka_unit_test(deep_overlaps_of_needles_are_least),
    cmocka_unit_test(concentric_ellipsoids_have_a_normal),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
