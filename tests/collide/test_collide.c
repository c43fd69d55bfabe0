/* test_collide.c - pairs of shapes in random poses, checked against their definitions.
 *
 * A gap along n between points on both surfaces is an upper bound of the distance, and the separation of the
 * shapes along n a lower bound: if both agree, it is the distance. For overlapping shapes a search over
 * directions must find none with a smaller overlap. Sizes are about 1. Some of the many edges are parallel
 * within 1/1000; their common normal is known to 1e-13 of their length, which bounds the difference between
 * gap and separation. */
#include "shape_trials.h"

#include <stdlib.h>
#include <string.h>

enum { POSES = 10000, MAX_FIGURES = 5 };
static const double far = 10; /* a margin that includes all points */

typedef void trial(trial_shape *a, trial_shape *b, double worst[MAX_FIGURES]);

/* Replaces the shape by a random one. A shape with a hull is used in ten poses, because building it takes
 * longer than the checks. */
static void next_shape(trial_shape *t, hn_shape_kind kind, int pose)
{
  if (pose % 10 && (kind == HN_CONVEX || kind == HN_POLYGON)) {
    put_at_random(t);
    return;
  }
  free_shape(t);
  random_shape(t, kind);
}

/* Runs TRIAL on random poses of every pair; prints the worst of each of COUNT figures, which must be below
 * its bound. A figure with a negative bound is a count, and only printed. */
static void on_every_pair(trial *run, double closest, double farthest, int count, const char *const what[],
                          const double bound[])
{
  int failures = 0;
  for (int k = 0; k < TRIAL_PAIRS; k++) {
    double worst[MAX_FIGURES] = { 0 };
    trial_shape a = { .shape.hull = NULL }, b = { .shape.hull = NULL };
    for (int pose = 0; pose < POSES; pose++) {
      next_shape(&a, trial_pairs[k][0], pose);
      next_shape(&b, trial_pairs[k][1], pose);
      if (a.shape.kind == HN_PLANE && b.shape.kind >= HN_CIRCLE)
        a.shape.size[2] = 0, vec_scale(a.shape.size, 1 / vec_norm(a.shape.size), a.shape.size),
        a.placed.x[2] = 0, turn_at_random(&a.placed, true);
      place_beside(&a.placed, &b.placed, uniform(closest, farthest));
      run(&a, &b, worst);
    }
    free_shape(&a);
    free_shape(&b);
    printf(" %s and %s\n", shape_name(trial_pairs[k][0]), shape_name(trial_pairs[k][1]));
    for (int i = 0; i < count; i++) {
      bool good = worst[i] <= bound[i] || bound[i] < 0;
      if (bound[i] < 0) printf("  %-58s %12.0f\n", what[i], worst[i]);
      else printf("  %-58s %12.3e  bound %9.1e%s\n", what[i], worst[i], bound[i], good ? "" : "  FAILED");
      failures += !good;
    }
  }
  assert_int_equal(failures, 0);
}

/* ---- Distance ------------------------------------------------------------------------------------------ */

/* Returns the largest deviation of the points from both surfaces, and of the normal from unit length. */
static double off_surface(const hn_placed_shape *a, const hn_placed_shape *b, const hn_contact_point *p)
{
  double x[3], y[3];
  vec_copy(x, p->a);
  vec_copy(y, p->b);
  vec_add_scaled(x, p->skin_a, p->normal);
  vec_add_scaled(y, -p->skin_b, p->normal);
  return larger(fabs(height_above(a, x)), larger(fabs(height_above(b, y)), fabs(vec_norm(p->normal) - 1)));
}

static void distance_trial(trial_shape *a, trial_shape *b, double worst[MAX_FIGURES])
{
  hn_manifold m;
  hn_collide_pair(&a->placed, &b->placed, far, &m);
  int least = least_point(&m);
  if (least < 0) {
    worst[0] = NAN;
    return;
  }
  const hn_contact_point *p = &m.point[least];
  double gap = gap_of(p), span[3], levels = worst[4];
  vec_sub(span, p->b, p->a);
  worst[0] = larger(worst[0], extent_error(a, b, p, &worst[4]));
  if (gap > 0 && levels == worst[4])
    worst[1] = larger(worst[1], fabs(vec_norm(span) - p->skin_a - p->skin_b - gap));
  worst[1] = larger(worst[1], off_surface(&a->placed, &b->placed, p));
  for (int k = 0; k < m.count; k++) {
    worst[2] = larger(worst[2], fabs(vec_norm(m.point[k].normal) - 1));
    for (int j = 0; j < k; j++) worst[3] += m.point[j].feature == m.point[k].feature;
    worst[3] += m.point[k].feature >> 24 != 0;
  }
}

static void gaps_are_distances(void **state)
{
  (void)state;
  static const char *const what[] = { "gap less extent along its normal",
                                      "points off the surfaces or the normal", "length of normals",
                                      "points with the same feature", "poses with level faces" };
  on_every_pair(distance_trial, -0.2, 0.4, 5, what, (double[]){ 2e-13, 2e-13, 4e-15, 0, 20 });
}

/* ---- Depth --------------------------------------------------------------------------------------------- */

/* A search over directions takes as long as a hundred gaps: one pose of SEARCHED is searched. */
enum { SEARCHED = 4 };

static void depth_trial(trial_shape *a, trial_shape *b, double worst[MAX_FIGURES])
{
  hn_manifold m;
  bool planar = b->shape.kind >= HN_CIRCLE;
  hn_collide_pair(&a->placed, &b->placed, far, &m);
  int least = least_point(&m);
  if (least < 0 || a->shape.kind == HN_PLANE) return;
  const hn_contact_point *p = &m.point[least];
  double level = 0, best[3] = { 0 }, most = -HUGE_VAL;
  worst[0] = larger(worst[0], extent_error(a, b, p, &level));
  static int poses = 0;
  if (level > 0 || poses++ % SEARCHED != 0) return;
  for (int k = 0; k < 30; k++) {
    double n[3];
    random_direction(n);
    if (planar) n[2] = 0, vec_scale(n, 1 / vec_norm(n), n);
    double value = separation(&a->placed, &b->placed, n);
    if (value > most) most = value, vec_copy(best, n);
  }
  worst[1] = larger(worst[1], improve_direction(&a->placed, &b->placed, best, planar, 0.2) - gap_of(p));
  worst[2] += 1;
}

static void deep_gaps_are_least_depths(void **state)
{
  (void)state;
  static const char *const what[] = { "gap less extent along its normal",
                                      "largest reduction of the overlap in a direction", "poses searched" };
  on_every_pair(depth_trial, -0.5, 0, 3, what, (double[]){ 2e-13, 2e-13, POSES });
}

/* ---- Order and placement ------------------------------------------------------------------------------- */

static void swap_trial(trial_shape *a, trial_shape *b, double worst[MAX_FIGURES])
{
  hn_manifold m, n;
  hn_collide_pair(&a->placed, &b->placed, 0.2, &m);
  hn_collide_pair(&b->placed, &a->placed, 0.2, &n);
  worst[0] += m.count != n.count;
  int i = least_point(&m), j = least_point(&n);
  if (i < 0 || j < 0) return;
  double sum[3], levels = worst[3];
  worst[1] = larger(worst[1], extent_error(a, b, &m.point[i], &worst[3]));
  worst[1] = larger(worst[1], extent_error(b, a, &n.point[j], &worst[3]));
  if (worst[3] > levels) return; /* the normal is that of one of two faces, dependent on the order */
  vec_add(sum, m.point[i].normal, n.point[j].normal);
  worst[1] = larger(worst[1], fabs(gap_of(&m.point[i]) - gap_of(&n.point[j])));
  worst[2] = larger(worst[2], vec_norm(sum));
}

static void order_has_no_influence(void **state)
{
  (void)state;
  static const char *const what[] = { "numbers of points that differ", "gaps differ", "normals differ",
                                      "poses with level faces" };
  on_every_pair(swap_trial, -0.1, 0.2, 4, what, (double[]){ 0, 2e-13, 1e-10, 20 });
}

static void move_frame(hn_placed_shape *p, const double Q[9], const double shift[3])
{
  double x[3], R[9];
  mat_vec(x, Q, p->x);
  vec_add(p->x, x, shift);
  for (int r = 0; r < 3; r++)
    for (int c = 0; c < 3; c++)
      R[3 * r + c] = Q[3 * r] * p->R[c] + Q[3 * r + 1] * p->R[3 + c] + Q[3 * r + 2] * p->R[6 + c];
  memcpy(p->R, R, sizeof R);
}

static void turn_trial(trial_shape *a, trial_shape *b, double worst[MAX_FIGURES])
{
  hn_manifold m, n;
  hn_placed_shape frame;
  bool planar = b->shape.kind >= HN_CIRCLE;
  double shift[3] = { 0.5, -0.7, planar ? 0 : 0.3 };
  turn_at_random(&frame, planar);
  hn_collide_pair(&a->placed, &b->placed, 0.2, &m);
  move_frame(&a->placed, frame.R, shift);
  move_frame(&b->placed, frame.R, shift);
  hn_collide_pair(&a->placed, &b->placed, 0.2, &n);
  worst[0] += m.count != n.count;
  for (int k = 0; k < m.count && k < n.count; k++) {
    double normal[3], x[3];
    worst[1] += m.point[k].feature != n.point[k].feature;
    mat_vec(normal, frame.R, m.point[k].normal);
    mat_vec(x, frame.R, m.point[k].b);
    vec_add(x, x, shift);
    vec_sub(normal, normal, n.point[k].normal);
    vec_sub(x, x, n.point[k].b);
    worst[2] = larger(worst[2], fabs(gap_of(&m.point[k]) - gap_of(&n.point[k])));
    /* less accurate for a short distance */
    worst[3] = larger(worst[3], vec_norm(normal) * fabs(gap_of(&m.point[k])));
  }
}

static void placement_has_no_influence(void **state)
{
  (void)state;
  static const char *const what[] = { "numbers of points that differ", "features that differ", "gaps differ",
                                      "normals differ, times the gap" };
  on_every_pair(turn_trial, -0.1, 0.2, 4, what, (double[]){ 0, 0, 2e-13, 1e-10 });
}

/* ---- Rates --------------------------------------------------------------------------------------------- */

typedef struct motion {
  double v[3], w[3];
} motion;

/* Moves the shape by TIME at constant velocities. */
static void move(const hn_placed_shape *from, const motion *u, double time, hn_placed_shape *to)
{
  double half[3], q[4], Q[9], angle = vec_norm(u->w) * time;
  vec_scale(half, angle == 0 ? 0 : sin(angle / 2) / vec_norm(u->w), u->w);
  q[0] = cos(angle / 2), vec_copy(q + 1, half);
  quat_matrix(Q, q);
  *to = *from;
  for (int r = 0; r < 3; r++)
    for (int c = 0; c < 3; c++)
      to->R[3 * r + c] = Q[3 * r] * from->R[c] + Q[3 * r + 1] * from->R[3 + c] +
                         Q[3 * r + 2] * from->R[6 + c];
  vec_add_scaled(to->x, time, u->v);
}

static double rate_along(const hn_contact_point *p, const hn_placed_shape *a, const motion *ua,
                         const hn_placed_shape *b, const motion *ub)
{
  double r[3], turn[3], va[3], vb[3];
  vec_sub(r, p->a, a->x);
  vec_cross(turn, ua->w, r);
  vec_add(va, ua->v, turn);
  vec_sub(r, p->b, b->x);
  vec_cross(turn, ub->w, r);
  vec_add(vb, ub->v, turn);
  return vec_dot(p->normal, vb) - vec_dot(p->normal, va);
}

static const hn_contact_point *find_feature(const hn_manifold *m, uint64_t feature)
{
  for (int k = 0; k < m->count; k++)
    if (m->point[k].feature == feature) return &m->point[k];
  return NULL;
}

static void random_motion(motion *u, bool planar)
{
  for (int i = 0; i < 3; i++)
    u->v[i] = planar && i == 2 ? 0 : uniform(-1, 1), u->w[i] = planar && i < 2 ? 0 : uniform(-1, 1);
}

/* Compares the rate of a gap with the velocities of its points, where the gap is a distance or that of a
 * corner above the face with the normal. */
static void rate_trial(trial_shape *a, trial_shape *b, double worst[MAX_FIGURES])
{
  const double time = 5e-7; /* errors time^2 rate^3 / distance^2, and round-off over time: both 1e-7 */
  bool planar = b->shape.kind >= HN_CIRCLE;
  hn_manifold m, before, after;
  hn_placed_shape p[2], q[2];
  motion ua, ub;
  random_motion(&ua, planar);
  random_motion(&ub, planar);
  for (int k = 0; k < 2; k++) {
    move(&a->placed, &ua, k ? time : -time, &p[k]);
    move(&b->placed, &ub, k ? time : -time, &q[k]);
  }
  hn_collide_pair(&a->placed, &b->placed, 0.5, &m);
  hn_collide_pair(&p[0], &q[0], 0.5, &before);
  hn_collide_pair(&p[1], &q[1], 0.5, &after);
  int least = least_point(&m);
  for (int k = 0; k < m.count; k++) {
    const hn_contact_point *point = &m.point[k];
    const hn_contact_point *x = find_feature(&before, point->feature),
                           *y = find_feature(&after, point->feature);
    worst[1] += 1;
    bool same = x && y && x->on_b == point->on_b && y->on_b == point->on_b;
    worst[2] += !same;
    bool corner = point->feature >> 20 == (point->on_b ? 1u : 0u) && a->shape.kind != HN_CYLINDER;
    bool exact = fabs(gap_of(point) - separation(&a->placed, &b->placed, point->normal)) <= 2e-13;
    if (!same || !((k == least && exact) || corner)) continue;
    double rate = (gap_of(y) - gap_of(x)) / (2 * time);
    worst[0] = larger(worst[0], fabs(rate - rate_along(point, &a->placed, &ua, &b->placed, &ub)));
  }
  worst[3] = worst[2] / worst[1];
}

static void gaps_change_as_their_points_move(void **state)
{
  (void)state;
  static const char *const what[] = { "rate of the gap less that of the points", "points",
                                      "of these, features changed", "the part that changed" };
  /* 1e-6 m, tens of borders per metre */
  on_every_pair(rate_trial, 0.02, 0.2, 4, what, (double[]){ 1e-6, -1, -1, 1e-3 });
}

/* Compares the rates for faces that are parallel within 1/1000 rad, whose contact points are corners of
 * either face. The face below a corner determines the normal, not the order of the faces. */
static void level_trial(hn_shape_kind kind, double *worst, int corners[2])
{
  const double time = 5e-7, tilt = 3e-4;
  trial_shape a = shape_at(kind, 1, 1, 1, 0, 0, 0), b = shape_at(kind, 1, 1, 1, 0, 1 + 1e-3, 0);
  motion ua, ub;
  hn_manifold m, before, after;
  hn_placed_shape p[2], q[2];
  const bool planar = kind == HN_POLYGON;
  for (trial_shape *t = &a; t; t = t == &a ? &b : NULL) {
    const double w = uniform(0.3, 1), d = uniform(0.3, 1);
    t->placed.shape = &t->shape;
    t->shape.size[0] = 2 * w, t->shape.size[2] = 2 * d;
    const double corners_of[] = { -w, -0.5, 0, w, -0.5, 0, w, 0.5, 0, -w, 0.5, 0 };
    if (planar) t->shape.hull = must_hull(corners_of, 4, true);
  }
  b.placed.x[0] = uniform(-0.6, 0.6), b.placed.x[2] = planar ? 0 : uniform(-0.6, 0.6);
  if (planar) turn_about(&b, 0, 0, 1, uniform(-2, 2) * tilt);
  else turn_about(&b, uniform(-1, 1) * tilt, 1, uniform(-1, 1) * tilt, uniform(-3, 3));
  random_motion(&ua, planar), random_motion(&ub, planar);
  for (int k = 0; k < 2; k++)
    move(&a.placed, &ua, k ? time : -time, &p[k]), move(&b.placed, &ub, k ? time : -time, &q[k]);
  hn_collide_pair(&a.placed, &b.placed, 0.02, &m);
  hn_collide_pair(&p[0], &q[0], 0.02, &before);
  hn_collide_pair(&p[1], &q[1], 0.02, &after);
  for (int k = 0; k < m.count; k++) {
    const hn_contact_point *point = &m.point[k];
    const hn_contact_point *x = find_feature(&before, point->feature),
                           *y = find_feature(&after, point->feature);
    if (point->feature >> 20 > 1 || !x || !y) continue;
    const double rate = (gap_of(y) - gap_of(x)) / (2 * time);
    *worst = larger(*worst, fabs(rate - rate_along(point, &a.placed, &ua, &b.placed, &ub)));
    corners[point->feature >> 20]++;
  }
  free_shape(&a), free_shape(&b);
}

static void gaps_of_level_faces_change_as_their_corners_move(void **state)
{
  (void)state;
  static const hn_shape_kind kinds[] = { HN_BOX, HN_POLYGON };
  for (int k = 0; k < 2; k++) {
    double worst = 0;
    int corners[2] = { 0 };
    for (int pose = 0; pose < 2000; pose++) level_trial(kinds[k], &worst, corners);
    printf(" %s and %s, %d corners above faces of the first and %d of the second\n", shape_name(kinds[k]),
           shape_name(kinds[k]), corners[0], corners[1]);
    check_below("rate of the gap less that of the points, m/s", worst, 1e-7);
    assert_true(corners[0] > 500 && corners[1] > 500);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(gaps_are_distances),
    cmocka_unit_test(deep_gaps_are_least_depths),
    cmocka_unit_test(order_has_no_influence),
    cmocka_unit_test(placement_has_no_influence),
    cmocka_unit_test(gaps_change_as_their_points_move),
    cmocka_unit_test(gaps_of_level_faces_change_as_their_corners_move),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
