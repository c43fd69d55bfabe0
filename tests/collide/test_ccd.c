/* test_ccd.c - overlapping convex shapes against libccd: detection of overlap, and depth. libccd computes
 * depths by expanding polytopes (EPA) and by portal refinement (MPR), to its own tolerances: along none of
 * its directions may the overlap be smaller than ours. Its errors, printed here, are those in
 * doc/collision.md. */
#include "shape_trials.h"

#include <ccd/ccd.h>
#include <stdlib.h>

enum { POSES = 2000 };

/* Computes the support point of a shape along a direction, for libccd. */
static void support(const void *object, const ccd_vec3_t *direction, ccd_vec3_t *point)
{
  const hn_placed_shape *p = &((const trial_shape *)object)->placed;
  const double *s = p->shape->size;
  double n[3], x[3] = { 0, 0, 0 }, out[3];
  mat_tvec(n, p->R, direction->v);
  vec_scale(n, 1 / vec_norm(n), n);
  double across = sqrt(n[0] * n[0] + n[2] * n[2]);
  switch (p->shape->kind) {
  case HN_BOX:
    for (int i = 0; i < 3; i++) x[i] = n[i] < 0 ? -0.5 * s[i] : 0.5 * s[i];
    break;
  case HN_CYLINDER:
    vec_set(x, across > 0 ? s[0] * n[0] / across : s[0], n[1] < 0 ? -0.5 * s[1] : 0.5 * s[1],
            across > 0 ? s[0] * n[2] / across : 0);
    break;
  case HN_CAPSULE:
    vec_scale(x, s[0], n);
    x[1] += n[1] < 0 ? -0.5 * s[1] : 0.5 * s[1];
    break;
  case HN_ELLIPSOID: {
    const double along = norm_of((double[]){ s[0] * n[0], s[1] * n[1], s[2] * n[2] }, 3);
    for (int i = 0; i < 3; i++) x[i] = s[i] * s[i] * n[i] / along;
    break;
  }
  case HN_CONVEX:
    vec_copy(x, p->shape->hull->vertex);
    for (int i = 1; i < p->shape->hull->nvertex; i++)
      if (vec_dot(n, p->shape->hull->vertex + 3 * i) > vec_dot(n, x))
        vec_copy(x, p->shape->hull->vertex + 3 * i);
    break;
  default: vec_scale(x, s[0], n); break;
  }
  mat_vec(out, p->R, x);
  vec_add(point->v, out, p->x);
}

static void centre(const void *object, ccd_vec3_t *point)
{
  vec_copy(point->v, ((const trial_shape *)object)->placed.x);
}

static int compare_numbers(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

typedef struct statistics {
  double *epa, *mpr; /* depths of libccd minus ours, and their numbers */
  int nepa, nmpr;
  int disagreements; /* poses in which only one of both detects overlap */
  double reduction;  /* largest reduction of the overlap along a direction of libccd */
} statistics;

static void compare_pose(trial_shape *a, trial_shape *b, statistics *f)
{
  ccd_t ccd;
  ccd_real_t depth;
  ccd_vec3_t direction, position;
  hn_manifold m;
  CCD_INIT(&ccd);
  ccd.support1 = ccd.support2 = support;
  ccd.center1 = ccd.center2 = centre;
  ccd.max_iterations = 200;
  hn_collide_pair(&a->placed, &b->placed, 10, &m);
  double gap = gap_of(&m.point[least_point(&m)]);
  double n[3];
  f->disagreements += fabs(gap) > 1e-3 && ccdGJKIntersect(a, b, &ccd) != (gap < 0);
  if (gap > -1e-3) return;
  for (int k = 0; k < 2; k++) {
    int none = k ? ccdMPRPenetration(a, b, &ccd, &depth, &direction, &position)
                 : ccdGJKPenetration(a, b, &ccd, &depth, &direction, &position);
    if (none || !(vec_norm(direction.v) > 0)) continue;
    vec_scale(n, 1 / vec_norm(direction.v), direction.v);
    f->reduction = larger(f->reduction, separation(&a->placed, &b->placed, n) - gap);
    if (k) f->mpr[f->nmpr++] = depth + gap;
    else f->epa[f->nepa++] = depth + gap;
  }
}

/* Prints the errors; returns the median of their sizes. */
static double report(const char *what, double *error, int n)
{
  int wrong = 0;
  for (int i = 0; i < n; i++) wrong += (error[i] = fabs(error[i])) > 1e-2;
  qsort(error, (size_t)n, sizeof *error, compare_numbers);
  printf(
    "  %s: %d depths, median error %.1e, nine in ten below %.1e, worst %.1e, more than 0.01 in %.1f %%\n",
    what, n, error[n / 2], error[n * 9 / 10], error[n - 1], 100.0 * wrong / n);
  return error[n / 2];
}

static void libccd_finds_no_lesser_depth(void **state)
{
  (void)state;
  double *errors = malloc(2 * POSES * sizeof *errors);
  for (int k = 0; k < TRIAL_PAIRS; k++) {
    if (trial_pairs[k][0] == HN_PLANE || trial_pairs[k][1] >= HN_CIRCLE) continue;
    statistics f = { .epa = errors, .mpr = errors + POSES };
    for (int pose = 0; pose < POSES; pose++) {
      trial_shape a, b;
      random_shape(&a, trial_pairs[k][0]);
      random_shape(&b, trial_pairs[k][1]);
      place_beside(&a.placed, &b.placed, uniform(-0.4, 0.1));
      compare_pose(&a, &b, &f);
      free_shape(&a);
      free_shape(&b);
    }
    printf(" %s and %s\n", shape_name(trial_pairs[k][0]), shape_name(trial_pairs[k][1]));
    ASSERT_COUNT("poses in which only one detects overlap", f.disagreements, 0);
    assert_true(f.nepa > POSES / 10 && f.nmpr > POSES / 10);
    double median = report("EPA", f.epa, f.nepa);
    report("MPR", f.mpr, f.nmpr);
    bool flat = trial_pairs[k][0] == HN_BOX || trial_pairs[k][0] == HN_CONVEX;
    if (flat) check_below("median difference in the depth of polyhedra", median, 1e-14);
    check_below("reduction of the overlap along a direction of libccd", f.reduction, 2e-13);
  }
  free(errors);
}

int main(void)
{
  const struct CMUnitTest tests[] = { cmocka_unit_test(libccd_finds_no_lesser_depth) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
