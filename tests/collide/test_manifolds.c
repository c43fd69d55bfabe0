/* test_manifolds.c - shapes with several contact points: faces and end faces on faces against exact clipping
 * of polygons, stacked boxes, resting shapes. */
#include "shape_trials.h"

#include <stdlib.h>

/* ---- Areas --------------------------------------------------------------------------------------------- */

typedef struct point_2d {
  double x, z, angle;
} point_2d;

static int by_angle(const void *a, const void *b)
{
  const point_2d *p = a, *q = b;
  return p->angle < q->angle ? -1 : p->angle > q->angle;
}

/* Returns the area of the polygon with the given corners, in any order, seen along y. */
static double area_of(point_2d *p, int n)
{
  double x = 0, z = 0, area = 0;
  for (int i = 0; i < n; i++) x += p[i].x / n, z += p[i].z / n;
  for (int i = 0; i < n; i++) p[i].angle = atan2(p[i].z - z, p[i].x - x);
  qsort(p, (size_t)n, sizeof *p, by_angle);
  for (int i = 0; i < n; i++) {
    const point_2d *q = &p[(i + 1) % n];
    area += 0.5 * ((p[i].x - x) * (q->z - z) - (p[i].z - z) * (q->x - x));
  }
  return area;
}

static double area_of_points(const hn_manifold *m)
{
  point_2d p[HN_MAX_MANIFOLD];
  for (int k = 0; k < m->count; k++) p[k] = (point_2d){ .x = m->point[k].b[0], .z = m->point[k].b[2] };
  return m->count < 3 ? 0 : area_of(p, m->count);
}

/* True if a point is inside the convex polygon or on it (counterclockwise from x to z). */
static bool inside(const point_2d *polygon, int n, double x, double z)
{
  for (int i = 0; i < n; i++) {
    const point_2d *p = &polygon[i], *q = &polygon[(i + 1) % n];
    if ((q->x - p->x) * (z - p->z) - (q->z - p->z) * (x - p->x) < 0) return false;
  }
  return true;
}

/* Returns the area of the intersection of two convex polygons, from corners of one inside the other and
 * crossings of sides. */
static double common_area(const point_2d *p, int n, const point_2d *q, int m)
{
  point_2d corner[64];
  int count = 0;
  for (int i = 0; i < n; i++)
    if (inside(q, m, p[i].x, p[i].z)) corner[count++] = p[i];
  for (int j = 0; j < m; j++)
    if (inside(p, n, q[j].x, q[j].z)) corner[count++] = q[j];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      const point_2d *a = &p[i], *b = &p[(i + 1) % n], *c = &q[j], *d = &q[(j + 1) % m];
      double ux = b->x - a->x, uz = b->z - a->z, vx = d->x - c->x, vz = d->z - c->z, det = ux * vz - uz * vx;
      double s = ((c->x - a->x) * vz - (c->z - a->z) * vx) / det,
             t = ((c->x - a->x) * uz - (c->z - a->z) * ux) / det;
      if (s > 0 && s < 1 && t > 0 && t < 1)
        corner[count++] = (point_2d){ .x = a->x + s * ux, .z = a->z + s * uz };
    }
  return count < 3 ? 0 : area_of(corner, count);
}

/* Computes the corners of a prism of SIDES sides, seen along y. */
static void outline(const trial_shape *t, int sides, double radius, point_2d *p)
{
  for (int i = 0; i < sides; i++) {
    double angle = M_PI * (2 * i + 1) / sides, x = radius * cos(angle), z = radius * sin(angle);
    p[i].x = t->placed.x[0] + t->placed.R[0] * x + t->placed.R[2] * z;
    p[i].z = t->placed.x[2] + t->placed.R[6] * x + t->placed.R[8] * z;
  }
}

/* Prisms on prisms; square ones also as boxes. */
static void faces_on_faces_have_their_intersection(void **state)
{
  (void)state;
  double worst = 0, off = 0, empty = 0;
  for (int trial = 0; trial < 10000; trial++) {
    int n = 3 + trial % 6, m = 3 + trial / 6 % 6;
    trial_shape a = convex_at(must_prism(n, 1, 1), 0, 0, 0);
    trial_shape b = convex_at(must_prism(m, 0.8, 1), uniform(-1.5, 1.5), 1 + 1e-3, uniform(-1.5, 1.5));
    if (n == 4 && trial % 2) a.shape.kind = HN_BOX, vec_set(a.shape.size, sqrt(2), 1, sqrt(2));
    if (m == 4 && trial % 2) b.shape.kind = HN_BOX, vec_set(b.shape.size, 0.8 * sqrt(2), 1, 0.8 * sqrt(2));
    turn_about(&a, 0, 1, 0, uniform(-3, 3));
    turn_about(&b, 0, 1, 0, uniform(-3, 3));
    point_2d p[8], q[8];
    hn_manifold points;
    outline(&a, n, 1, p);
    outline(&b, m, 0.8, q);
    collide(&a, &b, 0.01, &points);
    double area = common_area(p, n, q, m);
    worst = larger(worst, fabs(area_of_points(&points) - area));
    if (area > 0) off = larger(off, largest_gap_error(&points, 1e-3));
    empty += area > 0 && points.count < 3;
    free_shape(&a);
    free_shape(&b);
  }
  /* sides within 1e-7 count as coincident */
  check_below("area of the points less that of exact clipping", worst, 1e-12);
  check_below("gaps", off, 1e-14);
  check_below("faces without their points", empty, 0);
}

/* End faces of cylinders on polygons: points are inside both, and at least three if the axis is above the
 * face. */
static void end_faces_on_faces(void **state)
{
  (void)state;
  double off = 0, outside = 0;
  int too_few = 0;
  for (int trial = 0; trial < 10000; trial++) {
    trial_shape a = convex_at(must_prism(3 + trial % 5, 1, 1), 0, 0, 0);
    double r = uniform(0.2, 1.5), x = uniform(-1, 1), z = uniform(-1, 1);
    trial_shape b = shape_at(HN_CYLINDER, r, 1, 0, x, 1 + 1e-3, z);
    turn_about(&a, 0, 1, 0, uniform(-3, 3));
    hn_manifold m;
    collide(&a, &b, 0.01, &m);
    point_2d p[8];
    outline(&a, 3 + trial % 5, 1, p);
    if (m.count && fabs(m.point[0].normal[1]) == 1) off = larger(off, largest_gap_error(&m, 1e-3));
    for (int k = 0; k < m.count && fabs(m.point[0].normal[1]) == 1; k++) {
      const double *q = m.point[k].a;
      outside = larger(outside, hypot(q[0] - x, q[2] - z) - r);
      outside = larger(outside, height_above(&a.placed, q));
    }
    too_few += inside(p, 3 + trial % 5, x, z) && m.count < 3;
    free_shape(&a);
  }
  check_below("gaps", off, 1e-14);
  check_below("points beyond the end or the face", outside, 1e-12);
  ASSERT_COUNT("ends over the face with less than 3 points", too_few, 0);
}

/* ---- Stacks -------------------------------------------------------------------------------------------- */

/* Unit boxes in an aligned stack, displaced and turned by round-off: always four points with the same
 * features. */
static void aligned_boxes_keep_their_features(void **state)
{
  (void)state;
  hn_manifold first, m;
  trial_shape a = shape_at(HN_BOX, 1, 1, 1, 0, 0, 0), b = shape_at(HN_BOX, 1, 1, 1, 0, 1, 0);
  collide(&a, &b, 0.01, &first);
  ASSERT_COUNT("points", first.count, 4);
  check_below("gaps", largest_gap_error(&first, 0), 0);
  double off = 0, normal = 0;
  int other = 0;
  for (int trial = 0; trial < 10000; trial++) {
    double size = trial % 2 ? 1e-9 : 1e-15;
    for (int i = 0; i < 3; i++) b.placed.x[i] = (i == 1) + uniform(-size, size);
    turn_about(&b, uniform(-1, 1), uniform(-1, 1), uniform(-1, 1), size);
    collide(&a, &b, 0.01, &m);
    other += m.count != 4;
    for (int k = 0; k < m.count && k < 4; k++) other += m.point[k].feature != first.point[k].feature;
    off = larger(off, largest_gap_error(&m, 0));
    for (int k = 0; k < m.count; k++) normal = larger(normal, fabs(m.point[k].normal[1] - 1));
  }
  ASSERT_COUNT("features that came or went", other, 0);
  check_below("gaps", off, 3e-9);
  check_below("normals", normal, 1e-15);
}

/* Places A upright and B, which touches it and leans by TILT, both turned by ANGLE about z. Y: B is higher by
 * this. */
static void lean(trial_shape *a, trial_shape *b, double y, double tilt, double angle)
{
  const double n[3] = { cos(angle), sin(angle), 0 }, m[3] = { cos(angle + tilt), sin(angle + tilt), 0 };
  turn_about(a, 0, 0, 1, angle), turn_about(b, 0, 0, 1, angle + tilt);
  a->placed.shape = &a->shape, b->placed.shape = &b->shape;
  vec_set(b->placed.x, -y * n[1], y * n[0], 0);
  for (int round = 0; round < 2; round++) {
    const double gap = fmax(separation(&a->placed, &b->placed, n), separation(&a->placed, &b->placed, m));
    vec_add_scaled(b->placed.x, -gap, n);
  }
}

/* Stores in NEAR the two points of M with the smallest gaps, in the order of their features. */
static void nearest_points(const hn_manifold *m, hn_contact_point near[2])
{
  int best[2] = { -1, -1 };
  for (int k = 0; k < m->count; k++) {
    const double gap = gap_of(&m->point[k]);
    if (best[0] < 0 || gap < gap_of(&m->point[best[0]])) best[1] = best[0], best[0] = k;
    else if (best[1] < 0 || gap < gap_of(&m->point[best[1]])) best[1] = k;
  }
  assert_true(best[1] >= 0);
  const bool ascends = m->point[best[0]].feature < m->point[best[1]].feature;
  near[0] = m->point[best[!ascends]], near[1] = m->point[best[ascends]];
}

/* Dominoes: a box leans on another of the same width. As it passes 1/1000 rad, the reference face becomes
 * another one. The touching corners, which are above an edge of the other face, keep features and normals. */
static void leaning_boxes_keep_their_corners(void **state)
{
  (void)state;
  double turned = 0;
  int other = 0, edges = 0;
  for (int trial = 0; trial < 10000; trial++) {
    trial_shape a = shape_at(HN_BOX, 1, uniform(0.8, 1.2), 1, 0, 0, 0), b = a;
    const double y = uniform(-0.5, 0.5), angle = uniform(-3, 3), side = uniform(-1, 1) < 0 ? -1 : 1;
    hn_manifold m;
    hn_contact_point level[2], leaning[2];
    lean(&a, &b, y, side * 0.999e-3, angle);
    collide(&a, &b, 0.01, &m);
    nearest_points(&m, level);
    lean(&a, &b, y, side * 1.001e-3, angle);
    collide(&a, &b, 0.01, &m);
    nearest_points(&m, leaning);
    for (int k = 0; k < 2; k++) {
      double off[3];
      vec_sub(off, level[k].normal, leaning[k].normal);
      turned = larger(turned, vec_norm(off));
      other += level[k].feature != leaning[k].feature;
      edges += level[k].feature >> 20 > 1;
    }
  }
  ASSERT_COUNT("touching corners that became other features", other, 0);
  ASSERT_COUNT("touching corners that were crossings of edges", edges, 0);
  check_below("rotation of their normals, rad", turned, 3e-6);
}

/* Every shape on each one with a face: number of points and gaps. */
static void resting_shapes_have_their_points(void **state)
{
  (void)state;
  hn_manifold m;
  trial_shape floor = shape_at(HN_PLANE, 0, 1, 0, 0, 0, 0), table = shape_at(HN_BOX, 4, 1, 4, 0, -0.5, 0);
  double l[3] = { 4, 1, 4 };
  trial_shape slab = convex_at(box_hull(l), 0, -0.5, 0), disc = shape_at(HN_CYLINDER, 3, 1, 0, 0, -0.5, 0);
  hn_hull *hexagon = must_prism(6, 0.5, 1), *square = must_prism(4, 0.5, 1);
  trial_shape *const below[] = { &floor, &table, &slab, &disc };
  const struct {
    const char *name;
    trial_shape shape;
    double x, y, z, angle;
    int points;
  } on[] = {
    { "box on its face", shape_at(HN_BOX, 1, 1, 1, 0.1, 0.5, 0.2), 0, 1, 0, 0.3, 4 },
    { "box on an edge", shape_at(HN_BOX, 1, 1, 1, 0, sqrt(0.5), 0), 1, 0, 0, M_PI / 4, 2 },
    { "prism on its base", convex_at(hexagon, 0.2, 0.5, 0), 0, 1, 0, 0.3, 6 },
    { "prism on an edge", convex_at(hexagon, 0.2, 0.5, 0), 1, 0, 0, M_PI / 2, 2 },
    { "square prism on its side", convex_at(square, 0.2, 0.25 * sqrt(2), 0), 1, 0, 0, M_PI / 2, 4 },
    { "cylinder on its end", shape_at(HN_CYLINDER, 0.4, 1, 0, 0.3, 0.5, 0), 0, 1, 0, 0.2, 4 },
    { "cylinder on its side", shape_at(HN_CYLINDER, 0.4, 1, 0, 0.3, 0.4, 0), 1, 0, 0.3, M_PI / 2, 2 },
    { "capsule on its side", shape_at(HN_CAPSULE, 0.4, 1, 0, 0.3, 0.4, 0), 1, 0, 0.3, M_PI / 2, 2 },
    { "capsule on its end", shape_at(HN_CAPSULE, 0.4, 1, 0, 0.3, 0.9, 0), 0, 1, 0, 0.3, 1 },
    { "sphere", shape_at(HN_SPHERE, 0.4, 0, 0, 0.3, 0.4, 0), 1, 0, 0, 1, 1 },
  };
  for (size_t i = 0; i < sizeof below / sizeof *below; i++)
    for (size_t k = 0; k < sizeof on / sizeof *on; k++) {
      trial_shape b = on[k].shape;
      turn_about(&b, on[k].x, on[k].y, on[k].z, on[k].angle);
      collide(below[i], &b, 1e-3, &m);
      printf(" %s on a %s\n", on[k].name, shape_name(below[i]->shape.kind));
      ASSERT_COUNT("points", m.count, on[k].points);
      check_below("gaps", largest_gap_error(&m, 0), 1e-15);
      collide(&b, below[i], 1e-3, &m);
      assert_int_equal(m.count, on[k].points);
    }
  hn_hull_free(hexagon);
  hn_hull_free(square);
  free_shape(&slab);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(faces_on_faces_have_their_intersection),
    cmocka_unit_test(end_faces_on_faces),
    cmocka_unit_test(aligned_boxes_keep_their_features),
    cmocka_unit_test(leaning_boxes_keep_their_corners),
    cmocka_unit_test(resting_shapes_have_their_points),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
