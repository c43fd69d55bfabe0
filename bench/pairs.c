/* pairs.c - time of the narrow phase for pairs of shapes: in contact, or near each other. */
#include "bench.h"
#include "base/vec.h"
#include "collide/collide.h"
#include "collide/hull.h"

#include <math.h>
#include <stdio.h>

enum { CALLS = 2000, REPETITIONS = 30 };

typedef struct pair {
  hn_shape shape[2];
  hn_placed_shape placed[2];
  hn_manifold out;
} pair;

static void run(void *data)
{
  pair *r = data;
  for (int i = 0; i < CALLS; i++) hn_collide_pair(&r->placed[0], &r->placed[1], 0.01, &r->out);
}

/* Returns the hull of a unit cube, or of a ball with 100 points on a spiral. */
static hn_hull *create_hull(bool ball)
{
  hn_error error;
  double point[300];
  for (int i = 0; i < 8; i++)
    vec_set(point + 3 * i, i & 1 ? 0.5 : -0.5, i & 2 ? 0.5 : -0.5, i & 4 ? 0.5 : -0.5);
  for (int i = 0; ball && i < 100; i++) {
    double y = (i - 49.5) / 50, across = sqrt(1 - y * y);
    vec_set(point + 3 * i, 0.5 * across * hn_cos(2.4 * i), 0.5 * y, 0.5 * across * hn_sin(2.4 * i));
  }
  hn_hull *hull = hn_hull_create(point, ball ? 100 : 8, false, &error);
  if (!hull) bench_fail("%s", error.text);
  return hull;
}

/* Places shape A, and shape B at the height 1 + GAP above it, slightly off centre, rotated by TURN about the
 * vertical and tilted by TILT (rad). */
static void prepare(pair *r, hn_shape_kind a, hn_shape_kind b, const hn_hull *hull, double gap, double turn,
                    double tilt)
{
  const hn_shape_kind kind[2] = { a, b };
  const hn_pose place = { .q = { 1, 0, 0, 0 } };
  hn_pose pose[2] = { { .q = { 1, 0, 0, 0 } },
                      { .x = { 0.1, 1 + gap, 0.05 }, .q = { 1, tilt, 0.5 * turn, tilt } } };
  quat_normalise(pose[1].q);
  for (int i = 0; i < 2; i++) {
    r->shape[i] = (hn_shape){ .kind = kind[i], .size = { 1, 1, 1 }, .hull = hull };
    if (kind[i] == HN_PLANE) vec_set(r->shape[i].size, 0, 1, 0), pose[i].x[1] = 0.5;
    else if (kind[i] == HN_ELLIPSOID) vec_set(r->shape[i].size, 0.6, 0.5, 0.4);
    else if (kind[i] != HN_BOX) r->shape[i].size[0] = 0.5;
    if (kind[i] == HN_CAPSULE) r->shape[i].size[1] = 1, pose[i].x[1] += 0.5;
    hn_placed_shape_at(&r->placed[i], &r->shape[i], &place, &pose[i]);
  }
}

void bench_pairs(void)
{
  hn_hull *cube = create_hull(false), *ball = create_hull(true);
  const struct {
    const char *what;
    hn_shape_kind a, b;
    const hn_hull *hull;
    double gap, turn, tilt;
  } cases[] = {
    { "box, box, aligned", HN_BOX, HN_BOX, NULL, 1e-4, 0, 0 },
    { "box, box, turned", HN_BOX, HN_BOX, NULL, 1e-4, 0.3, 0 },
    { "box, box, farther than the margin", HN_BOX, HN_BOX, NULL, 0.1, 0.3, 0.1 },
    { "plane, sphere", HN_PLANE, HN_SPHERE, NULL, 1e-4, 0, 0 },
    { "plane, box", HN_PLANE, HN_BOX, NULL, 1e-4, 0.3, 0 },
    { "plane, cylinder, standing", HN_PLANE, HN_CYLINDER, NULL, 1e-4, 0.3, 0 },
    { "sphere, sphere", HN_SPHERE, HN_SPHERE, NULL, -0.01, 0, 0 },
    { "sphere, box", HN_SPHERE, HN_BOX, NULL, 1e-4, 0.3, 0 },
    { "box, capsule", HN_BOX, HN_CAPSULE, NULL, 1e-4, 0.3, 0 },
    { "plane, ellipsoid", HN_PLANE, HN_ELLIPSOID, NULL, 1e-4, 0.3, 0 },
    { "ellipsoid, box", HN_ELLIPSOID, HN_BOX, NULL, 1e-4, 0.3, 0 },
    { "ellipsoid, ellipsoid", HN_ELLIPSOID, HN_ELLIPSOID, NULL, -0.01, 0.3, 0 },
    { "ellipsoid, cylinder", HN_ELLIPSOID, HN_CYLINDER, NULL, 1e-4, 0.3, 0 },
    { "box, cylinder, standing", HN_BOX, HN_CYLINDER, NULL, 1e-4, 0.3, 0 },
    { "cylinder, cylinder, standing", HN_CYLINDER, HN_CYLINDER, NULL, 1e-4, 0.3, 0 },
    { "cylinder, cylinder, tilted by 1e-7", HN_CYLINDER, HN_CYLINDER, NULL, 1e-4, 0.3, 1e-7 },
    { "convex, convex, cubes", HN_CONVEX, HN_CONVEX, cube, 1e-4, 0.3, 0 },
    { "convex, convex, balls of 100 corners", HN_CONVEX, HN_CONVEX, ball, -0.02, 0.3, 0.1 },
  };
  printf("\n## Pairs of shapes\n\n");
  bench_table("| pair | points | ns, least | ns, median |");
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    pair r;
    prepare(&r, cases[k].a, cases[k].b, cases[k].hull, cases[k].gap, cases[k].turn, cases[k].tilt);
    bench_job job = { .run = run, .data = &r, .parts = 1, .units = CALLS };
    bench_measure(&job, 1, REPETITIONS);
    printf("| %s | %d | %.0f | %.0f |\n", cases[k].what, r.out.count, 1e3 * job.us.min, 1e3 * job.us.median);
  }
  hn_hull_free(cube);
  hn_hull_free(ball);
}
