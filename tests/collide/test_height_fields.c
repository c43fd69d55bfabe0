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

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(flat_fields_are_planes),
    cmocka_unit_test(least_gap_of_a_sphere_is_its_distance),
    cmocka_unit_test(least_gap_of_a_box_is_its_distance),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
