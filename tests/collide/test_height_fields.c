/* test_height_fields.c - contact points with height fields: a flat field has those of a plane; the least
 * gaps of spheres and boxes are their distances from the triangles, by definition; ridges and valleys in
 * closed form; what is below the surface is pushed up and out; only the cells below a shape are read. */
#include "field_trials.h"
#include "collide/polytope.h"

enum { POSES = 4000, BOXES = 1500 };
static const hn_shape_kind others[] = { HN_SPHERE, HN_CAPSULE, HN_BOX, HN_CYLINDER, HN_CONVEX, HN_ELLIPSOID };
enum { OTHERS = sizeof others / sizeof *others };

static double incline_x = 0, incline_z = 0;
static double incline(double x, double z)
{
  return incline_x * x + incline_z * z;
}

/* ---- Flat fields --------------------------------------------------------------------------------------- */

/* Returns the largest distance of a point of M from the nearest one of N with the same gap and normal. */
static double unmatched(const hn_manifold *m, const hn_manifold *n)
{
  double worst = 0;
  for (int i = 0; i < m->count; i++) {
    double best = HUGE_VAL, off[3];
    for (int k = 0; k < n->count; k++) {
      const hn_contact_point *p = &m->point[i], *q = &n->point[k];
      double value = larger(fabs(gap_of(p) - gap_of(q)), fabs(p->skin_b - q->skin_b));
      vec_sub(off, p->b, q->b);
      value = larger(value, vec_norm(off));
      vec_sub(off, p->a, q->a);
      value = larger(value, vec_norm(off));
      vec_sub(off, p->normal, q->normal);
      best = fmin(best, larger(value, vec_norm(off)));
    }
    worst = larger(worst, best);
  }
  return worst;
}

/* Fields of 17 x 17 points with a random inclination and orientation; shapes up to 0.5 above and below. */
static void flat_fields_are_planes(void **unused)
{
  (void)unused;
  for (int k = 0; k < OTHERS; k++) {
    double worst = 0, points = 0;
    int different = 0;
    for (int pose = 0; pose < POSES / 4; pose++) {
      incline_x = pose % 4 ? uniform(-0.5, 0.5) : 0, incline_z = pose % 4 ? uniform(-0.5, 0.5) : 0;
      trial_shape field = field_of(incline, 17, 10), plane = { .shape = { .kind = HN_PLANE } }, body;
      hn_manifold m, n;
      random_shape(&body, others[k]);
      put_at_random(&field);
      plane.placed = field.placed;
      vec_set(plane.shape.size, -incline_x, 1, -incline_z);
      vec_scale(plane.shape.size, 1 / vec_norm(plane.shape.size), plane.shape.size);
      const double x = uniform(-1, 1), z = uniform(-1, 1);
      for (int i = 0; pose % 3 == 0 && i < 9; i++) body.placed.R[i] = field.placed.R[i]; /* level */
      on_field(&field, (double[3]){ x, incline(x, z) + uniform(-0.5, 1.5), z }, body.placed.x);
      collide(&field, &body, 0.3, &m), collide(&plane, &body, 0.3, &n);
      worst = larger(worst, larger(unmatched(&m, &n), unmatched(&n, &m)));
      different += m.count != n.count, points += n.count;
      free_shape(&body), free_field(&field);
    }
    printf(" %s, %g points\n", shape_name(others[k]), points);
    assert_int_equal(different, 0);
    check_below("points, gaps and normals less those of a plane", worst, 2e-14);
  }
}

/* ---- Brute force --------------------------------------------------------------------------------------- */

static void least_gap_of_a_sphere_is_its_distance(void **unused)
{
  (void)unused;
  double worst = 0, turned = 0;
  int found = 0;
  for (int pose = 0; pose < POSES; pose++) {
    trial_shape field = random_field(7, 6, uniform(0, 3)), ball = shape_at(HN_SPHERE, 0.8, 0, 0, 0, 0, 0);
    double n[3] = { 0, 0, 0 }, off[3];
    hn_manifold m;
    put_at_random(&field);
    on_field(&field, (double[3]){ uniform(-3.3, 3.3), uniform(0, 4), uniform(-3.3, 3.3) }, ball.placed.x);
    collide(&field, &ball, 0.2, &m);
    const double distance = distance_to_field(&field, ball.placed.x, n);
    const int least = least_point(&m);
    double local[3];
    vec_sub(off, ball.placed.x, field.placed.x);
    mat_tvec(local, field.placed.R, off);
    double up[3] = { field.placed.R[1], field.placed.R[4], field.placed.R[7] };
    /* from below, or beside the field under the level of its rim, there is no distance to compare */
    const bool below = vec_dot(n, up) < 1e-6;
    if (!below && distance < 0.8 + 0.2 - 1e-9) {
      assert_true(least >= 0);
      vec_sub(off, m.point[least].normal, n);
      worst = larger(worst, fabs(gap_of(&m.point[least]) - (distance - 0.8)));
      turned = larger(turned, vec_norm(off) * distance);
      found++;
    } else if (!below) assert_int_equal(m.count, 0);
    free_field(&field);
  }
  printf(" %d spheres in contact\n", found);
  assert_true(found > POSES / 4);
  check_below("least gap less the distance from the triangles, m", worst, 1e-13);
  check_below("direction times distance, m", turned, 1e-12);
}

/* Lowers BOX onto the field until its distance from it is between 0 and MARGIN; returns the distance. */
static double lower(const trial_shape *field, hn_placed_shape *box, double margin)
{
  const double target = uniform(0.05, 0.9) * margin, start[3] = { box->x[0], box->x[1], box->x[2] };
  const double up[3] = { field->placed.R[1], field->placed.R[4], field->placed.R[7] };
  double low = 5, high = 5;
  for (; vec_along(box->x, start, low, up), box_field_distance(field, box) > target; low -= 0.1) high = low;
  for (int i = 0; i < 40; i++) {
    const double middle = 0.5 * (low + high);
    vec_along(box->x, start, middle, up);
    if (box_field_distance(field, box) > target) high = middle;
    else low = middle;
  }
  vec_along(box->x, start, high, up);
  return box_field_distance(field, box);
}

static void least_gap_of_a_box_is_its_distance(void **unused)
{
  (void)unused;
  double worst = 0;
  int kinds[HN_RIM_POINT + 1] = { 0 }, found = 0;
  for (int pose = 0; pose < BOXES; pose++) {
    trial_shape field = random_field(6, 5, uniform(0, 2)), box;
    hn_manifold m;
    random_shape(&box, HN_BOX);
    put_at_random(&field);
    if (pose % 3 == 0)
      for (int k = 0; k < 9; k++) box.placed.R[k] = field.placed.R[k]; /* level with the grid */
    on_field(&field, (double[3]){ uniform(-1.5, 1.5), 0, uniform(-1.5, 1.5) }, box.placed.x);
    const double distance = lower(&field, &box.placed, 0.1);
    collide(&field, &box, 0.1, &m);
    const int least = least_point(&m);
    assert_true(least >= 0);
    worst = larger(worst, fabs(gap_of(&m.point[least]) - distance));
    kinds[hn_feature_kind(m.point[least].feature)]++, found++;
    free_field(&field);
  }
  for (int k = 0; k < HN_RIM_POINT; k++) printf(" kind %d: %d\n", k, kinds[k]);
  assert_true(kinds[HN_FACE_VERTEX] > 50 && kinds[HN_VERTEX_FACE] > 50 && kinds[HN_EDGE_EDGE] > 50);
  check_below("least gap less the distance from the triangles, m", worst, 1e-12);
}

/* ---- All shapes ---------------------------------------------------------------------------------------- */

/* Makes a tetrahedron below each triangle of a field of N x N points. They fill part of the solid, with its
 * surface. */
static int prisms_of(const trial_shape *field, trial_shape *prism)
{
  const int count = triangles_of(field);
  for (int k = 0; k < count; k++) {
    double point[4][3], middle[3] = { 0, -0.3, 0 };
    trial_shape local = *field;
    vec_set(local.placed.x, 0, 0, 0);
    for (int i = 0; i < 9; i++) local.placed.R[i] = i % 4 == 0;
    triangle_of(&local, k, point);
    for (int c = 0; c < 3; c++) vec_add_scaled(middle, 1.0 / 3, point[c]);
    vec_copy(point[3], middle);
    prism[k] = convex_at(must_hull(point[0], 4, false), 0, 0, 0);
    prism[k].placed = field->placed;
  }
  return count;
}

/* True if X is below the surface. */
static bool is_below(const trial_shape *field, const double x[3])
{
  double corner[3][3], top[3];
  const double up[3] = { field->placed.R[1], field->placed.R[4], field->placed.R[7] };
  vec_along(top, x, 10, up);
  for (int k = 0; k < triangles_of(field); k++) {
    triangle_of(field, k, corner);
    if (crosses_triangle(corner, x, top)) return true;
  }
  return false;
}

/* The distance of a shape from the surface is the least of those from the tetrahedra, by separating axes. */
static void least_gap_of_every_shape_is_that_of_prisms(void **unused)
{
  (void)unused;
  enum { N = 5, FIELDS = 30, TRIALS = 25, MOST = 2 * (N - 1) * (N - 1) };
  for (int kind = 0; kind < OTHERS; kind++) {
    double worst = 0, turned = 0;
    int found = 0;
    for (int i = 0; i < FIELDS; i++) {
      trial_shape field = random_field(N, 4, uniform(0, 1.5)), prism[MOST];
      put_at_random(&field);
      const int count = prisms_of(&field, prism);
      for (int trial = 0; trial < TRIALS; trial++) {
        trial_shape body;
        hn_manifold m, n;
        double best = HUGE_VAL, normal[3] = { 0 }, off[3];
        random_shape(&body, others[kind]);
        for (int k = 0; k < 3; k++) body.shape.size[k] *= 0.5;
        on_field(&field, (double[3]){ uniform(-1, 1), uniform(0.2, 2.5), uniform(-1, 1) }, body.placed.x);
        for (int k = 0; k < count; k++) {
          collide(&prism[k], &body, 0.1, &n);
          const int least = least_point(&n);
          if (least >= 0 && gap_of(&n.point[least]) < best)
            best = gap_of(&n.point[least]), vec_copy(normal, n.point[least].normal);
        }
        collide(&field, &body, 0.1, &m);
        const int least = least_point(&m);
        free_shape(&body);
        if (!(best > 1e-3 && best < HUGE_VAL) || is_below(&field, body.placed.x)) continue;
        assert_true(least >= 0);
        vec_sub(off, m.point[least].normal, normal);
        worst = larger(worst, fabs(gap_of(&m.point[least]) - best)),
        turned = larger(turned, vec_norm(off) * best);
        found++;
      }
      for (int k = 0; k < count; k++) free_shape(&prism[k]);
      free_field(&field);
    }
    printf(" %s, %d in contact\n", shape_name(others[kind]), found);
    assert_true(found > 20);
    check_below("least gap less that of tetrahedra, m", worst, 1e-12);
    check_below("direction times distance, m", turned, 1e-12);
  }
}

/* ---- Closed forms -------------------------------------------------------------------------------------- */

static double slope = 0.7;
static double roof(double x, double z)
{
  (void)z;
  return -slope * fabs(x);
}
static double trough(double x, double z)
{
  (void)z;
  return slope * fabs(x);
}

/* A ball above the ridge touches it alone, in the direction of its centre; in the trough it touches both
 * sides. */
static void ridges_and_valleys_have_closed_forms(void **unused)
{
  (void)unused;
  const double r = 0.3, cosine = 1 / sqrt(1 + slope * slope);
  trial_shape ridge = field_of(roof, 9, 8), valley = field_of(trough, 9, 8),
              ball = shape_at(HN_SPHERE, r, 0, 0, 0, 0, 0);
  double on_ridge = 0, in_valley = 0;
  hn_manifold m;
  for (int i = 0; i < 200; i++) {
    const double angle = uniform(-0.99, 0.99) * atan(slope), away = r + uniform(-0.2, 0.1);
    vec_set(ball.placed.x, away * sin(angle), away * cos(angle), uniform(-3, 3));
    collide(&ridge, &ball, 0.2, &m);
    assert_int_equal(m.count, 1);
    const double *n = m.point[0].normal;
    on_ridge = larger(on_ridge, fabs(gap_of(&m.point[0]) - (away - r)));
    on_ridge = larger(on_ridge, larger(fabs(n[0] - sin(angle)), larger(fabs(n[1] - cos(angle)), fabs(n[2]))));
    vec_set(ball.placed.x, uniform(-0.05, 0.05), r / cosine + uniform(-0.1, 0.1), uniform(-3, 3));
    collide(&valley, &ball, 0.3, &m);
    assert_int_equal(m.count, 2);
    for (int k = 0; k < 2; k++) {
      const double *p = m.point[k].normal, side = p[0] < 0 ? 1 : -1;
      const double gap = cosine * (ball.placed.x[1] - side * slope * ball.placed.x[0]) - r;
      in_valley = larger(in_valley, fabs(gap_of(&m.point[k]) - gap));
      in_valley = larger(in_valley, hypot(p[0] + side * slope * cosine, p[1] - cosine));
    }
  }
  check_below("gap and normal on a ridge", on_ridge, 1e-14);
  check_below("gaps and normals in a valley", in_valley, 1e-14);
  free_field(&ridge), free_field(&valley);
}

/* ---- Below the surface --------------------------------------------------------------------------------- */

/* Bodies that have fallen through gentle hills: each round moves them by the deepest contact, along its
 * normal. */
static void what_is_below_is_pushed_up(void **unused)
{
  (void)unused;
  for (int kind = 0; kind < OTHERS; kind++) {
    double least_up = 1, deepest = 0;
    for (int pose = 0; pose < 300; pose++) {
      trial_shape field = random_field(13, 6, 0.2), body;
      hn_manifold m;
      random_shape(&body, others[kind]);
      for (int k = 0; k < 3; k++) body.shape.size[k] *= 0.5;
      vec_set(body.placed.x, uniform(-1.5, 1.5), uniform(-0.6, 0.1), uniform(-1.5, 1.5));
      for (int round = 0; round < 30; round++) {
        collide(&field, &body, 0.01, &m);
        const int least = least_point(&m);
        if (least < 0) break;
        const hn_contact_point *p = &m.point[least];
        for (int k = 0; k < m.count; k++)
          if (gap_of(&m.point[k]) < 0) least_up = fmin(least_up, m.point[k].normal[1]);
        if (round == 29) deepest = larger(deepest, -gap_of(p));
        vec_add_scaled(body.placed.x, fmax(0, -gap_of(p)), p->normal);
      }
      free_shape(&body), free_field(&field);
    }
    printf(" %s: least cosine with the vertical %.3g\n", shape_name(others[kind]), least_up);
    assert_true(least_up > 0.5);
    check_below("depth after 30 rounds, m", deepest, 1e-12);
  }
}

/* ---- Cost ---------------------------------------------------------------------------------------------- */

/* Heights more than a cell beyond the bounding box of a shape are never read: with NaN in their place nothing
 * changes. So the cost does not depend on the size of the field. */
static void only_cells_below_a_shape_are_read(void **unused)
{
  (void)unused;
  enum { N = 201 };
  int points = 0;
  for (int pose = 0; pose < 60; pose++) {
    trial_shape field = random_field(N, 50, 0.3), body;
    hn_height_field *f = (hn_height_field *)field.shape.field;
    hn_manifold m, n;
    double low[3], high[3];
    int kept = 0;
    random_shape(&body, others[pose % OTHERS]);
    vec_set(body.placed.x, uniform(-20, 20), uniform(0, 1), uniform(-20, 20));
    collide(&field, &body, 0.1, &m);
    hn_placed_bounds(&body.placed, 0.1, low, high);
    for (int k = 0; k < N * N; k++) {
      const double x = (k % N - 0.5 * (N - 1)) * f->dx, z = (k / N - 0.5 * (N - 1)) * f->dz;
      const bool near = x > low[0] - 2 * f->dx && x < high[0] + 2 * f->dx && z > low[2] - 2 * f->dz &&
                        z < high[2] + 2 * f->dz;
      if (near) kept++;
      else f->height[k] = NAN;
    }
    assert_true(kept < N * N / 20);
    collide(&field, &body, 0.1, &n);
    assert_int_equal(m.count, n.count);
    for (int k = 0; k < m.count; k++)
      assert_true(gap_of(&m.point[k]) == gap_of(&n.point[k]) && m.point[k].feature == n.point[k].feature);
    points += m.count;
    free_shape(&body), free_field(&field);
  }
  printf(" %d points\n", points);
  assert_true(points > 60);
}

/* The bounding box holds all points, and all that is below them. */
static void bounds_hold_the_surface_and_what_is_below(void **unused)
{
  (void)unused;
  double worst = 0, low[3], high[3], x[3];
  for (int pose = 0; pose < 200; pose++) {
    trial_shape field = random_field(5, 4, 1);
    double tight[3] = { -HUGE_VAL, -HUGE_VAL, -HUGE_VAL }, corner[3][3];
    if (pose % 2) put_at_random(&field);
    field.placed.shape = &field.shape;
    hn_placed_bounds(&field.placed, 0, low, high);
    for (int k = 0; k < triangles_of(&field); k++) {
      triangle_of(&field, k, corner);
      for (int c = 0; c < 3; c++)
        for (int i = 0; i < 3; i++) tight[i] = fmax(tight[i], corner[c][i]);
    }
    on_field(&field, (double[3]){ 0, -1e6, 0 }, x);
    for (int i = 0; i < 3; i++) {
      assert_true(low[i] <= x[i] && x[i] <= high[i]);
      worst = larger(worst, tight[i] - high[i]);
    }
    if (pose % 2 == 0)
      assert_true(high[1] == tight[1] && high[0] == 2 && low[2] == -2 && low[1] == -HUGE_VAL);
    free_field(&field);
  }
  check_below("points beyond the bounds, m", worst, 1e-12);
}

/* Triangles of a flat part have one name, those of a rough field one each. */
static void features_are_unique(void **unused)
{
  (void)unused;
  int points = 0;
  for (int pose = 0; pose < 500; pose++) {
    trial_shape field = random_field(60, 6, 0.05), body;
    hn_manifold m;
    random_shape(&body, others[pose % OTHERS]);
    vec_set(body.placed.x, uniform(-2, 2), uniform(0, 1), uniform(-2, 2));
    collide(&field, &body, 0.1, &m);
    for (int i = 0; i < m.count; i++)
      for (int k = 0; k < i; k++) assert_true(m.point[i].feature != m.point[k].feature);
    points += m.count;
    free_shape(&body), free_field(&field);
  }
  printf(" %d points\n", points);
  trial_shape flat = field_of(incline, 40, 10);
  for (int k = 0; k < triangles_of(&flat); k++)
    assert_int_equal(hn_field_part(flat.shape.field, k / 2 % 39, k / 2 / 39, k % 2), 0);
  free_field(&flat);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(flat_fields_are_planes),
    cmocka_unit_test(least_gap_of_a_sphere_is_its_distance),
    cmocka_unit_test(least_gap_of_a_box_is_its_distance),
    cmocka_unit_test(least_gap_of_every_shape_is_that_of_prisms),
    cmocka_unit_test(ridges_and_valleys_have_closed_forms),
    cmocka_unit_test(what_is_below_is_pushed_up),
    cmocka_unit_test(only_cells_below_a_shape_are_read),
    cmocka_unit_test(features_are_unique),
    cmocka_unit_test(bounds_hold_the_surface_and_what_is_below),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
