/* test_cylinder_pairs.c - contact points of cylinders against poses that are built from their nearest points,
 * against bisection of the rims, and against the margin. */
#include "shape_trials.h"

/* ---- Rims ---------------------------------------------------------------------------------------------- */

/* A point of a rim, in the axes of its cylinder, and a unit vector outward from it, inside the cone of the
 * normals of end and side. */
typedef struct rim_point {
  double x[3], n[3], tangent[3];
} rim_point;

static rim_point random_rim_point(const trial_shape *t)
{
  rim_point p;
  const double angle = uniform(0, 2 * M_PI), tilt = uniform(0.15, M_PI / 2 - 0.15);
  const double end = uniform(-1, 1) < 0 ? -1 : 1;
  vec_set(p.x, t->shape.size[0] * cos(angle), 0.5 * end * t->shape.size[1], t->shape.size[0] * sin(angle));
  vec_set(p.n, cos(tilt) * cos(angle), end * sin(tilt), cos(tilt) * sin(angle));
  vec_set(p.tangent, -sin(angle), 0, cos(angle));
  return p;
}

/* Sets the columns of M to the unit vector N, a unit vector across it at ANGLE, and their cross product. */
static void frame_of(const double n[3], double angle, double M[9])
{
  double e[3] = { 0 }, f[3], across[3], last[3];
  e[fabs(n[0]) < 0.6 ? 0 : 1] = 1;
  vec_add_scaled(e, -vec_dot(e, n), n);
  vec_scale(e, 1 / vec_norm(e), e);
  vec_cross(f, n, e);
  for (int i = 0; i < 3; i++) across[i] = cos(angle) * e[i] + sin(angle) * f[i];
  vec_cross(last, n, across);
  for (int i = 0; i < 3; i++) M[3 * i] = n[i], M[3 * i + 1] = across[i], M[3 * i + 2] = last[i];
}

/* Places B such that its point Q is GAP beyond the point P of A, along the normal there, to which B is
 * opposite. Computes both points and the normal, in world axes. */
static void oppose(const trial_shape *a, const rim_point *p, trial_shape *b, const rim_point *q, double gap,
                   double at_a[3], double at_b[3], double n[3])
{
  double M[9], N[9], to[3];
  mat_vec(n, a->placed.R, p->n);
  mat_vec(at_a, a->placed.R, p->x);
  vec_add(at_a, at_a, a->placed.x);
  vec_along(at_b, at_a, gap, n);
  const double back[3] = { -n[0], -n[1], -n[2] };
  frame_of(back, uniform(0, 2 * M_PI), M);
  frame_of(q->n, 0, N);
  for (int r = 0; r < 3; r++)
    for (int c = 0; c < 3; c++)
      b->placed.R[3 * r + c] = M[3 * r] * N[3 * c] + M[3 * r + 1] * N[3 * c + 1] +
                               M[3 * r + 2] * N[3 * c + 2];
  mat_vec(to, b->placed.R, q->x);
  vec_sub(b->placed.x, at_b, to);
}

/* N is inside both normal cones, so no points of the cylinders are nearer than P and Q: the least gap is that
 * of the construction, however many minima there are. Points and normals are compared where the tangents of
 * the rims include an angle with a sine of 0.1 or more: then the second derivative of the squared distance by
 * the angles exceeds 0.01 r^2, and rounding is not amplified above 1e-11. */
static void two_rims_touch_at_their_nearest_points(void **state)
{
  (void)state;
  double gap_error = 0, turn = 0, off = 0;
  int none = 0, several = 0, tangent = 0;
  for (int trial = 0; trial < 60000; trial++) {
    trial_shape a, b;
    double at_a[3], at_b[3], n[3], s[3], t[3], c[3];
    random_shape(&a, HN_CYLINDER), random_shape(&b, HN_CYLINDER);
    const rim_point p = random_rim_point(&a), q = random_rim_point(&b);
    const double gap = trial % 2 ? uniform(1e-3, 0.5) : pow(10, uniform(-6, -1));
    hn_manifold m;
    oppose(&a, &p, &b, &q, gap, at_a, at_b, n);
    mat_vec(s, a.placed.R, p.tangent), mat_vec(t, b.placed.R, q.tangent);
    vec_cross(c, s, t);
    const bool nearly_tangent = vec_norm(c) < 0.1;
    collide(&a, &b, 1, &m);
    tangent += nearly_tangent, none += m.count == 0;
    if (m.count == 0) continue;
    const hn_contact_point *found = &m.point[least_point(&m)];
    gap_error = larger(gap_error, fabs(gap_of(found) - gap));
    if (nearly_tangent) continue;
    several += m.count > 1;
    vec_sub(c, found->normal, n);
    turn = larger(turn, vec_norm(c));
    vec_along(s, found->a, found->skin_a, found->normal),
      vec_along(t, found->b, -found->skin_b, found->normal);
    vec_sub(s, s, at_a), vec_sub(t, t, at_b);
    off = larger(off, larger(vec_norm(s), vec_norm(t)));
  }
  ASSERT_COUNT("rims without a point", none, 0);
  ASSERT_COUNT("rims with several points", several, 0);
  printf("  pairs of nearly tangent rims %d\n", tangent);
  assert_true(tangent > 1000);
  check_below("gap less that of the construction", gap_error, 1e-12);
  check_below("normal less that of the construction", turn, 1e-10);
  check_below("points off those of the construction", off, 2e-11);
}

/* Cylinders with parallel axes, apart along the axes and across them: the gap is the hypotenuse of both. */
static void rims_of_parallel_cylinders_touch_in_the_plane_of_the_axes(void **state)
{
  (void)state;
  double gap_error = 0, turn = 0;
  int none = 0;
  for (int trial = 0; trial < 10000; trial++) {
    trial_shape a, b;
    double n[3], to[3], angle = uniform(0, 2 * M_PI), along = uniform(1e-3, 0.3), across = uniform(1e-3, 0.3);
    random_shape(&a, HN_CYLINDER), random_shape(&b, HN_CYLINDER);
    const double up = trial & 1 ? 1 : -1, flip = trial & 2 ? 1 : -1;
    const double rho = a.shape.size[0] + b.shape.size[0] + across;
    const double y = up * (0.5 * (a.shape.size[1] + b.shape.size[1]) + along);
    const double gap = hypot(along, across);
    /* b: the axes of a, turned about x by pi or not */
    for (int r = 0; r < 3; r++)
      for (int c = 0; c < 3; c++) b.placed.R[3 * r + c] = (c ? flip : 1) * a.placed.R[3 * r + c];
    mat_vec(to, a.placed.R, (double[3]){ rho * cos(angle), y, rho * sin(angle) });
    vec_add(b.placed.x, a.placed.x, to);
    mat_vec(n, a.placed.R,
            (double[3]){ across / gap * cos(angle), up * along / gap, across / gap * sin(angle) });
    hn_manifold m;
    collide(&a, &b, 1, &m);
    none += m.count == 0;
    if (m.count == 0) continue;
    const hn_contact_point *p = &m.point[least_point(&m)];
    gap_error = larger(gap_error, fabs(gap_of(p) - gap));
    vec_sub(to, p->normal, n);
    turn = larger(turn, vec_norm(to));
  }
  ASSERT_COUNT("parallel rims without a point", none, 0);
  check_below("gap less the hypotenuse", gap_error, 1e-12);
  check_below("normal less that of the hypotenuse", turn, 1e-11);
}

/* ---- Ends on ends -------------------------------------------------------------------------------------- */

/* Two ends with an overlap, one of them tilted. */
typedef struct ends {
  trial_shape a, b;
  double n[3], top[3]; /* axis of a toward b, and the centre of that end */
  double sign;         /* which end of b faces a: 1, -1 */
} ends;

static void random_ends(ends *e, double depth)
{
  double way[3], Q[9], R[9];
  const double up = uniform(-1, 1) < 0 ? -1 : 1, tilt = uniform(0, 1) < 0.3 ? 0 : uniform(0, 0.04);
  random_shape(&e->a, HN_CYLINDER), random_shape(&e->b, HN_CYLINDER);
  e->a.shape.size[1] = e->b.shape.size[1] = 3; /* no side is nearer than an end */
  for (int i = 0; i < 3; i++) e->n[i] = up * e->a.placed.R[3 * i + 1];
  vec_along(e->top, e->a.placed.x, 1.5, e->n);
  e->sign = uniform(-1, 1) < 0 ? -1 : 1;
  /* b: the axes of a, turned by pi or not, tilted, then spun about its own axis */
  const double spin = uniform(-3, 3), lean = uniform(-3, 3), flip = -e->sign * up;
  const double q[4] = { cos(tilt / 2), sin(tilt / 2) * cos(lean), 0, sin(tilt / 2) * sin(lean) };
  quat_matrix(Q, q);
  const double S[9] = { cos(spin), 0, sin(spin), 0, flip, 0, -flip * sin(spin), 0, flip * cos(spin) };
  for (int r = 0; r < 3; r++)
    for (int c = 0; c < 3; c++)
      R[3 * r + c] = Q[3 * r] * S[c] + Q[3 * r + 1] * S[3 + c] + Q[3 * r + 2] * S[6 + c];
  for (int r = 0; r < 3; r++)
    for (int c = 0; c < 3; c++)
      e->b.placed.R[3 * r + c] = e->a.placed.R[3 * r] * R[c] + e->a.placed.R[3 * r + 1] * R[3 + c] +
                                 e->a.placed.R[3 * r + 2] * R[6 + c];
  const double local[3] = { uniform(-1.5, 1.5), up * (1.5 + 1.5 - depth), uniform(-1.5, 1.5) };
  mat_vec(way, e->a.placed.R, local);
  vec_add(e->b.placed.x, e->a.placed.x, way);
  e->a.placed.shape = &e->a.shape, e->b.placed.shape = &e->b.shape;
}

/* Computes the point X of the facing rim of b at ANGLE; returns its distance from the axis of a less the
 * radius of a. */
static double rim_of_b(const ends *e, double angle, double x[3])
{
  const double r = e->b.shape.size[0], local[3] = { r * cos(angle), 1.5 * e->sign, r * sin(angle) };
  double to[3];
  mat_vec(x, e->b.placed.R, local);
  vec_add(x, x, e->b.placed.x);
  vec_sub(to, x, e->top);
  vec_add_scaled(to, -vec_dot(to, e->n), e->n);
  return vec_norm(to) - e->a.shape.size[0];
}

/* Returns the distance from X of the nearest point of M on the first or second shape, as B says. */
static double nearest_listed(const hn_manifold *m, const double x[3], bool on_b)
{
  double least = HUGE_VAL;
  for (int k = 0; k < m->count; k++) {
    const hn_contact_point *p = &m->point[k];
    double at[3];
    vec_along(at, on_b ? p->b : p->a, on_b ? -p->skin_b : p->skin_a, p->normal);
    vec_sub(at, at, x);
    least = fmin(least, vec_norm(at));
  }
  return least;
}

/* The normal is that of a, which comes first, and of b if the shapes are swapped (ORDER). The crossings of
 * the rims, projected along it, are found by bisection for the end of a. All with a gap below the margin are
 * points of contact. Depths reach far beyond the margin. */
static void crossings_of_rims_are_points_of_contact(void **state)
{
  (void)state;
  enum { SAMPLES = 200 };
  const double margin = 0.01;
  double off = 0, beyond = -HUGE_VAL;
  int crossings = 0, two = 0, none = 0;
  for (int trial = 0; trial < 6000; trial++) {
    ends e;
    hn_manifold m;
    double x[3], to[3];
    int listed = 0, deepest = 0;
    random_ends(&e, uniform(-0.02, 0.12));
    collide(&e.a, &e.b, margin, &m);
    for (int k = 0; k < m.count; k++) beyond = larger(beyond, gap_of(&m.point[k]) - margin);
    if (m.count > 0 && fabs(vec_dot(m.point[0].normal, e.n)) < 1 - 1e-12)
      continue; /* a normal of b or free */
    for (int k = 0; k < SAMPLES; k++) {
      double low = 2 * M_PI * k / SAMPLES, high = 2 * M_PI * (k + 1) / SAMPLES;
      const double f = rim_of_b(&e, low, x), g = rim_of_b(&e, high, x);
      if (f < -0.05 && (vec_sub(to, x, e.top), vec_dot(to, e.n) < 0)) deepest++;
      if ((f < 0) == (g < 0)) continue;
      for (int i = 0; i < 60; i++) {
        const double middle = 0.5 * (low + high);
        if ((rim_of_b(&e, middle, x) < 0) == (f < 0)) low = middle;
        else high = middle;
      }
      vec_sub(to, x, e.top);
      if (vec_dot(to, e.n) > margin - 1e-9 || fabs(f - g) < 1e-4) continue; /* open, or rims almost tangent */
      off = larger(off, nearest_listed(&m, x, true));
      crossings++, listed++;
    }
    two += listed == 2;
    none += deepest > 0 && m.count == 0;
  }
  printf("  crossings %d, pairs of two %d\n", crossings, two);
  assert_true(two > 1000);
  ASSERT_COUNT("overlaps without a point", none, 0);
  check_below("crossings off the nearest point of contact", off, 1e-11);
  check_below("gaps beyond the margin", fmax(beyond, 0), 0);
}

/* ---- Margins ------------------------------------------------------------------------------------------- */

/* A shape with a round skin on an end or beside the side of a cylinder, almost level, one of whose ends is
 * below the margin and the other above. */
static void points_beyond_the_margin_are_not_listed(void **state)
{
  (void)state;
  double beyond = -HUGE_VAL;
  int one = 0;
  for (int trial = 0; trial < 4000; trial++) {
    const double r = uniform(0.05, 0.5), length = uniform(0.4, 1), tilt = uniform(-8e-4, 8e-4), margin = 1e-3;
    trial_shape c = shape_at(HN_CYLINDER, 1, 2, 0, 0, 0, 0), s = shape_at(HN_CAPSULE, r, length, 0, 0, 0, 0);
    const double gap = margin - 0.5 * length * sin(fabs(tilt)) * uniform(-1, 1); /* of the centre */
    hn_manifold m;
    if (trial % 2) { /* on an end, along x */
      turn_about(&s, 0, 0, 1, M_PI / 2 + tilt);
      s.placed.x[1] = (trial % 4 < 2 ? 1 : -1) * (1 + r + gap);
    } else { /* beside the side, upright */
      turn_about(&s, 0, 0, 1, tilt);
      s.placed.x[0] = 1 + r + gap;
    }
    collide(&c, &s, margin, &m);
    one += m.count == 1;
    for (int k = 0; k < m.count; k++) beyond = larger(beyond, gap_of(&m.point[k]) - margin);
  }
  assert_true(one > 1000);
  check_below("gaps beyond the margin", fmax(beyond, 0), 1e-15);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(two_rims_touch_at_their_nearest_points),
    cmocka_unit_test(rims_of_parallel_cylinders_touch_in_the_plane_of_the_axes),
    cmocka_unit_test(crossings_of_rims_are_points_of_contact),
    cmocka_unit_test(points_beyond_the_margin_are_not_listed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
