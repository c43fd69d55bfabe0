/* test_manifolds.c - the points of two shapes that touch in many: faces on faces against exact clipping, cylinders that
 * stand and lie, boxes in stacks, and poses in which something is parallel, level or at the same place. */
#include "shapes.h"

#include <stdlib.h>
#include <string.h>

static trial_shape shape_at(hn_shape_kind kind, double x, double y, double z, double at_x, double at_y, double at_z)
{
  trial_shape t = { .shape = { .kind = kind, .size = { x, y, z } },
                    .placed = { .x = { at_x, at_y, at_z }, .R = { 1, 0, 0, 0, 1, 0, 0, 0, 1 } } };
  return t;
}

static trial_shape convex_at(hn_hull *hull, double x, double y, double z)
{
  trial_shape t = shape_at(HN_CONVEX, 0, 0, 0, x, y, z);
  t.shape.hull = hull;
  return t;
}

static void turn_about(trial_shape *t, double x, double y, double z, double angle)
{
  const double half = 0.5 * angle, length = sqrt(x * x + y * y + z * z);
  const double q[4] = { cos(half), sin(half) * x / length, sin(half) * y / length, sin(half) * z / length };
  quat_matrix(t->placed.R, q);
}

static void collide(trial_shape *a, trial_shape *b, double margin, hn_manifold *m)
{
  a->placed.shape = &a->shape, b->placed.shape = &b->shape;
  hn_collide_pair(&a->placed, &b->placed, margin, m);
}

/* Largest distance of a gap from the one expected. */
static double gaps_off(const hn_manifold *m, double gap)
{
  double off = 0;
  for (int k = 0; k < m->count; k++) off = larger(off, fabs(gap_of(&m->point[k]) - gap));
  return off;
}

/* ---- Areas ------------------------------------------------------------------------------------------------------- */

typedef struct flat { double x, z, angle; } flat;

static int by_angle(const void *a, const void *b)
{
  const flat *p = a, *q = b;
  return p->angle < q->angle ? -1 : p->angle > q->angle;
}

/* Of the polygon with these corners, in any order, seen along y. */
static double area_of(flat *p, int n)
{
  double x = 0, z = 0, area = 0;
  for (int i = 0; i < n; i++) x += p[i].x / n, z += p[i].z / n;
  for (int i = 0; i < n; i++) p[i].angle = atan2(p[i].z - z, p[i].x - x);
  qsort(p, (size_t)n, sizeof *p, by_angle);
  for (int i = 0; i < n; i++) {
    const flat *q = &p[(i + 1) % n];
    area += 0.5 * ((p[i].x - x) * (q->z - z) - (p[i].z - z) * (q->x - x));
  }
  return area;
}

static double area_of_points(const hn_manifold *m)
{
  flat p[HN_MAX_MANIFOLD];
  for (int k = 0; k < m->count; k++) p[k] = (flat){ .x = m->point[k].b[0], .z = m->point[k].b[2] };
  return m->count < 3 ? 0 : area_of(p, m->count);
}

/* Is a point inside the convex polygon, counterclockwise as x turns to z, by more than round-off outside? */
static bool inside(const flat *polygon, int n, double x, double z)
{
  for (int i = 0; i < n; i++) {
    const flat *p = &polygon[i], *q = &polygon[(i + 1) % n];
    if ((q->x - p->x) * (z - p->z) - (q->z - p->z) * (x - p->x) < 0) return false;
  }
  return true;
}

/* The area that two convex polygons have in common: corners of one inside the other, and crossings of sides. */
static double common_area(const flat *p, int n, const flat *q, int m)
{
  flat corner[64];
  int count = 0;
  for (int i = 0; i < n; i++)
    if (inside(q, m, p[i].x, p[i].z)) corner[count++] = p[i];
  for (int j = 0; j < m; j++)
    if (inside(p, n, q[j].x, q[j].z)) corner[count++] = q[j];
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) {
      const flat *a = &p[i], *b = &p[(i + 1) % n], *c = &q[j], *d = &q[(j + 1) % m];
      double ux = b->x - a->x, uz = b->z - a->z, vx = d->x - c->x, vz = d->z - c->z, det = ux * vz - uz * vx;
      double s = ((c->x - a->x) * vz - (c->z - a->z) * vx) / det, t = ((c->x - a->x) * uz - (c->z - a->z) * ux) / det;
      if (s > 0 && s < 1 && t > 0 && t < 1) corner[count++] = (flat){ .x = a->x + s * ux, .z = a->z + s * uz };
    }
  return count < 3 ? 0 : area_of(corner, count);
}

/* A prism over a regular polygon of SIDES sides, and its corners seen along y. */
static hn_hull *prism(int sides, double radius, double height)
{
  double point[6 * 32];
  for (int i = 0; i < 2 * sides; i++) {
    double angle = M_PI * (2 * (i / 2) + 1) / sides;
    vec_set(point + 3 * i, radius * cos(angle), i % 2 ? 0.5 * height : -0.5 * height, radius * sin(angle));
  }
  return must_hull(point, 2 * sides, false);
}

static void outline(const trial_shape *t, int sides, double radius, flat *p)
{
  for (int i = 0; i < sides; i++) {
    double angle = M_PI * (2 * i + 1) / sides, x = radius * cos(angle), z = radius * sin(angle);
    p[i].x = t->placed.x[0] + t->placed.R[0] * x + t->placed.R[2] * z;
    p[i].z = t->placed.x[2] + t->placed.R[6] * x + t->placed.R[8] * z;
  }
}

/* Prisms on prisms, squares as boxes on boxes too. */
static void faces_on_faces_have_their_polygon(void **state)
{
  (void)state;
  double worst = 0, off = 0, empty = 0;
  for (int trial = 0; trial < 10000; trial++) {
    int n = 3 + trial % 6, m = 3 + trial / 6 % 6;
    trial_shape a = convex_at(prism(n, 1, 1), 0, 0, 0);
    trial_shape b = convex_at(prism(m, 0.8, 1), uniform(-1.5, 1.5), 1 + 1e-3, uniform(-1.5, 1.5));
    if (n == 4 && trial % 2) a.shape.kind = HN_BOX, vec_set(a.shape.size, sqrt(2), 1, sqrt(2));
    if (m == 4 && trial % 2) b.shape.kind = HN_BOX, vec_set(b.shape.size, 0.8 * sqrt(2), 1, 0.8 * sqrt(2));
    turn_about(&a, 0, 1, 0, uniform(-3, 3));
    turn_about(&b, 0, 1, 0, uniform(-3, 3));
    flat p[8], q[8];
    hn_manifold points;
    outline(&a, n, 1, p);
    outline(&b, m, 0.8, q);
    collide(&a, &b, 0.01, &points);
    double area = common_area(p, n, q, m);
    worst = larger(worst, fabs(area_of_points(&points) - area));
    if (area > 0) off = larger(off, gaps_off(&points, 1e-3));
    empty += area > 0 && points.count < 3;
    free_shape(&a);
    free_shape(&b);
  }
  check_below("area of the points less that of exact clipping", worst, 1e-6); /* sides within 1e-7 count as on them */
  check_below("gaps", off, 1e-14);
  check_below("faces without their points", empty, 0);
}

/* ---- Stacks ------------------------------------------------------------------------------------------------------ */

/* Unit boxes in a stack that is aligned, moved and turned by round-off: four points, always the same ones. */
static void aligned_boxes_keep_their_features(void **state)
{
  (void)state;
  hn_manifold first, m;
  trial_shape a = shape_at(HN_BOX, 1, 1, 1, 0, 0, 0), b = shape_at(HN_BOX, 1, 1, 1, 0, 1, 0);
  collide(&a, &b, 0.01, &first);
  ASSERT_COUNT("points", first.count, 4);
  check_below("gaps", gaps_off(&first, 0), 0);
  double off = 0, normal = 0;
  int other = 0;
  for (int trial = 0; trial < 10000; trial++) {
    double size = trial % 2 ? 1e-9 : 1e-15;
    for (int i = 0; i < 3; i++) b.placed.x[i] = (i == 1) + uniform(-size, size);
    turn_about(&b, uniform(-1, 1), uniform(-1, 1), uniform(-1, 1), size);
    collide(&a, &b, 0.01, &m);
    other += m.count != 4;
    for (int k = 0; k < m.count && k < 4; k++) other += m.point[k].feature != first.point[k].feature;
    off = larger(off, gaps_off(&m, 0));
    for (int k = 0; k < m.count; k++) normal = larger(normal, fabs(m.point[k].normal[1] - 1));
  }
  ASSERT_COUNT("features that came or went", other, 0);
  check_below("gaps", off, 3e-9);
  check_below("normals", normal, 1e-15);
}

/* Every shape on each that has a face: the number of points, and their gaps. */
static void resting_shapes_have_their_points(void **state)
{
  (void)state;
  hn_manifold m;
  trial_shape floor = shape_at(HN_PLANE, 0, 1, 0, 0, 0, 0), table = shape_at(HN_BOX, 4, 1, 4, 0, -0.5, 0);
  double l[3] = { 4, 1, 4 };
  trial_shape slab = convex_at(box_hull(l), 0, -0.5, 0), disc = shape_at(HN_CYLINDER, 3, 1, 0, 0, -0.5, 0);
  hn_hull *hexagon = prism(6, 0.5, 1), *square = prism(4, 0.5, 1);
  trial_shape *const below[] = { &floor, &table, &slab, &disc };
  const struct { const char *name; trial_shape shape; double x, y, z, angle; int points; } on[] = {
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
      check_below("gaps", gaps_off(&m, 0), 1e-15);
      collide(&b, below[i], 1e-3, &m);
      assert_int_equal(m.count, on[k].points);
    }
  hn_hull_free(hexagon);
  hn_hull_free(square);
  free_shape(&slab);
}

/* ---- Cylinders on faces ------------------------------------------------------------------------------------------ */

/* An end that is level but for TILT: a point is as low as the rim is, to its square or less. */
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

/* A round end on a polygon, and a polygon on a round end: area of what is in common, by corners, crossings and at least
 * the fixed points of the rim, which leave out four segments at most. */
static void round_ends_on_faces(void **state)
{
  (void)state;
  double off = 0, outside = 0;
  int few = 0;
  for (int trial = 0; trial < 10000; trial++) {
    trial_shape a = convex_at(prism(3 + trial % 5, 1, 1), 0, 0, 0);
    double r = uniform(0.2, 1.5), x = uniform(-1, 1), z = uniform(-1, 1);
    trial_shape b = shape_at(HN_CYLINDER, r, 1, 0, x, 1 + 1e-3, z);
    turn_about(&a, 0, 1, 0, uniform(-3, 3));
    hn_manifold m;
    collide(&a, &b, 0.01, &m);
    flat p[8];
    outline(&a, 3 + trial % 5, 1, p);
    if (m.count && fabs(m.point[0].normal[1]) == 1) off = larger(off, gaps_off(&m, 1e-3));
    for (int k = 0; k < m.count && fabs(m.point[0].normal[1]) == 1; k++) {
      const double *q = m.point[k].a;
      outside = larger(outside, hypot(q[0] - x, q[2] - z) - r);
      outside = larger(outside, height_above(&a.placed, q));
    }
    few += inside(p, 3 + trial % 5, x, z) && m.count < 3;
    free_shape(&a);
  }
  check_below("gaps", off, 1e-14);
  check_below("points beyond the end or the face", outside, 1e-6);
  ASSERT_COUNT("ends over the face with less than 3 points", few, 0);
}

/* Two round ends, one on the other. */
static void round_ends_on_round_ends(void **state)
{
  (void)state;
  double off = 0, outside = 0;
  int few = 0;
  for (int trial = 0; trial < 10000; trial++) {
    double r = uniform(0.2, 1.5), x = uniform(-1, 1), z = uniform(-1, 1), tilt = trial % 2 ? 0 : 1e-5;
    trial_shape a = shape_at(HN_CYLINDER, 1, 1, 0, 0, 0, 0), b = shape_at(HN_CYLINDER, r, 1, 0, x, 1 + 1e-3, z);
    turn_about(&b, 1, 0, 0.3, tilt);
    hn_manifold m;
    collide(&a, &b, 0.01, &m);
    if (tilt == 0 && m.count && fabs(m.point[0].normal[1]) == 1) off = larger(off, gaps_off(&m, 1e-3));
    for (int k = 0; k < m.count; k++) {
      outside = larger(outside, fabs(height_above(&a.placed, m.point[k].a)));
      outside = larger(outside, fabs(height_above(&b.placed, m.point[k].b)));
    }
    few += hypot(x, z) < r && hypot(x, z) < 1 && m.count < 3;
  }
  check_below("gaps", off, 1e-14);
  check_below("points off the surfaces", outside, 2e-7);
  ASSERT_COUNT("ends over one another with less than 3 points", few, 0);
}

/* Upright shapes side by side, faces or edges or round sides, that are parallel but for up to 1/300: there is a point,
 * all lie on both surfaces, no gap is below the extent along its normal, and no direction beside it is one in which the
 * two are farther apart than the least one says. */
static void leaning_shapes_touch_on_their_surfaces(void **state)
{
  (void)state;
  hn_hull *hexagon = prism(6, 0.5, 1);
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
      const hn_near_point *p = &m.point[k];
      double x[3], y[3], extent = apart(&s[0].placed, &s[1].placed, p->normal);
      vec_copy(x, p->a);
      vec_copy(y, p->b);
      vec_add_scaled(x, p->skin_a, p->normal);
      vec_add_scaled(y, -p->skin_b, p->normal);
      off = larger(off, larger(fabs(height_above(&s[0].placed, x)), fabs(height_above(&s[1].placed, y))));
      lower = larger(lower, extent - gap_of(p));
      for (int j = 0; j < k; j++) twice += m.point[j].feature == p->feature;
    }
    vec_copy(n, m.point[least_point(&m)].normal);
    apart_from = larger(apart_from, climb(&s[0].placed, &s[1].placed, n, false, 1e-3) - least - 5e-7 * fabs(least));
  }
  ASSERT_COUNT("without a point", none, 0);
  ASSERT_COUNT("points with the same feature", twice, 0);
  check_below("points off the surfaces", off, 1e-5); /* a capsule's axis is across the normal but for its square */
  check_below("gaps below the extent along their normal", lower, 1e-14);
  check_below("a direction farther apart than the least gap, by", fmax(apart_from, 0),
              1e-11); /* what manifolds agree to */
  hn_hull_free(hexagon);
}

/* ---- Degenerate poses -------------------------------------------------------------------------------------------- */

static bool sound(const hn_manifold *m)
{
  for (int k = 0; k < m->count; k++) {
    const hn_near_point *p = &m->point[k];
    if (!all_finite(p->a, 3) || !all_finite(p->b, 3) || !all_finite(p->normal, 3)) return false;
    if (fabs(vec_norm(p->normal) - 1) > 1e-14) return false;
    for (int j = 0; j < k; j++)
      if (m->point[j].feature == p->feature) return false;
  }
  return true;
}

/* All pairs at the same place, at distances of whole and half sizes along axes and diagonals, turned by quarters and
 * eighths: points are finite, their features differ, and the gap is that of the best direction among those. */
static void degenerate_poses_have_sound_points(void **state)
{
  (void)state;
  double l[3] = { 1, 1, 1 };
  hn_hull *cube = box_hull(l), *square;
  const double corner[12] = { -0.5, -0.5, 0, 0.5, -0.5, 0, 0.5, 0.5, 0, -0.5, 0.5, 0 };
  square = must_hull(corner, 4, true);
  int unsound = 0, without = 0, poses = 0;
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
      unsound += !sound(&m);
      int least = least_point(&m);
      for (int i = 0; i < 27; i++) {
        double n[3] = { i % 3 - 1, i / 3 % 3 - 1, planar ? 0 : i / 9 - 1 };
        if (vec_norm(n) == 0 || trial_pairs[k][0] == HN_PLANE) continue;
        vec_scale(n, 1 / vec_norm(n), n);
        double apart_by = apart(&s[0].placed, &s[1].placed, n);
        if (least >= 0) lower = larger(lower, apart_by - gap_of(&m.point[least]));
      }
      if (least < 0) { /* nothing is nearer than 1 then */
        double best = -HUGE_VAL, n[3];
        for (int i = 0; i < 200; i++) {
          random_direction(n);
          if (planar) n[2] = 0, vec_scale(n, 1 / vec_norm(n), n);
          if (trial_pairs[k][0] == HN_PLANE) vec_set(n, 0, 1, 0);
          best = fmax(best, apart(&s[0].placed, &s[1].placed, n));
        }
        without += best < 0.7;
      }
    }
  printf("  %d poses\n", poses);
  ASSERT_COUNT("poses with points that are not finite, or twice the same", unsound, 0);
  ASSERT_COUNT("near poses without a point", without, 0);
  check_below("a direction in which they overlap less, by", lower, 1e-14);
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
      mat_vec(down, b.placed.R, tip); /* the corner looks down along -y */
      vec_sub(b.placed.x, at[k], down);
      collide(&a[i], &b, 1e-3, &m);
      assert_true(sound(&m) && m.count > 0);
      check_below("gap of a corner on a face, edge, corner", gap_of(&m.point[least_point(&m)]), 1e-15);
      collide(&b, &a[i], 1e-3, &m);
      assert_true(sound(&m) && m.count > 0);
      check_below("and the other way round", gap_of(&m.point[least_point(&m)]), 1e-15);
    }
  free_shape(&a[1]);
}

/* Edges that are parallel, side by side: two points, at the ends of what they have in common. */
static void parallel_edges_have_two_points(void **state)
{
  (void)state;
  hn_manifold m;
  double gap = 1e-3, s = sqrt(0.5);
  trial_shape box = shape_at(HN_BOX, 1, 1, 1, 0, 0, 0),
              other = shape_at(HN_BOX, 1, 1, 1, 1 + gap * s, 1 + gap * s, 0.25);
  collide(&box, &other, 0.01, &m);
  ASSERT_COUNT("edge before edge", m.count, 2);
  check_below("gaps", gaps_off(&m, gap), 1e-15);
  trial_shape rod = shape_at(HN_CAPSULE, 0.2, 1, 0, 0.5 + s * (0.2 + gap), 0.5 + s * (0.2 + gap), 0.25);
  turn_about(&rod, 1, 0, 0, M_PI / 2);
  collide(&box, &rod, 0.01, &m);
  ASSERT_COUNT("capsule before an edge", m.count, 2);
  check_below("gaps", gaps_off(&m, gap), 1e-15);
  trial_shape pole = shape_at(HN_CYLINDER, 0.2, 1, 0, 0.5 + s * (0.2 + gap), 0.5 + s * (0.2 + gap), 0.25);
  turn_about(&pole, 1, 0, 0, M_PI / 2);
  collide(&box, &pole, 0.01, &m);
  ASSERT_COUNT("cylinder before an edge", m.count, 2);
  check_below("gaps", gaps_off(&m, gap), 1e-15);
  trial_shape rods[2] = { shape_at(HN_CAPSULE, 0.2, 1, 0, 0, 0, 0),
                          shape_at(HN_CAPSULE, 0.3, 2, 0, 0.5 + gap, 1.25, 0) };
  collide(&rods[0], &rods[1], 0.01, &m);
  ASSERT_COUNT("capsule beside capsule", m.count, 2);
  check_below("gaps", gaps_off(&m, gap), 1e-15);
  for (int i = 0; i < 2; i++) rods[i].shape.kind = HN_CYLINDER;
  collide(&rods[0], &rods[1], 0.01, &m);
  ASSERT_COUNT("cylinder beside cylinder", m.count, 2);
  check_below("gaps", gaps_off(&m, gap), 1e-15);
}

/* More corners near a plane than there is room for: the lowest ones are kept. */
static void crowded_planes_keep_the_lowest(void **state)
{
  (void)state;
  hn_manifold m;
  trial_shape floor = shape_at(HN_PLANE, 0, 1, 0, 0, 0, 0), ball = convex_at(random_hull(200, 1, 1, 1), 0, 1, 0);
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
    cmocka_unit_test(faces_on_faces_have_their_polygon),
    cmocka_unit_test(aligned_boxes_keep_their_features),
    cmocka_unit_test(resting_shapes_have_their_points),
    cmocka_unit_test(tilted_cylinders_touch_where_they_are_lowest),
    cmocka_unit_test(round_ends_on_faces),
    cmocka_unit_test(round_ends_on_round_ends),
    cmocka_unit_test(leaning_shapes_touch_on_their_surfaces),
    cmocka_unit_test(degenerate_poses_have_sound_points),
    cmocka_unit_test(corners_on_edges_touch),
    cmocka_unit_test(parallel_edges_have_two_points),
    cmocka_unit_test(crowded_planes_keep_the_lowest),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
