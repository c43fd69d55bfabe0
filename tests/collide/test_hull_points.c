/* test_hull_points.c - convex hulls of points that are off their plane: third coordinates of polygons, and
 * points beside the faces of a polyhedron by less than the flatness. */
#include "shape_trials.h"

/* A polygon is the same whatever third coordinate its points have, and lies in the plane z = 0. */
static void polygons_lie_in_their_plane(void **state)
{
  (void)state;
  double off = 0, apart = 0, mass_error = 0;
  for (int trial = 0; trial < 200; trial++) {
    double flat[3 * 8], lifted[3 * 8], mass[2], centre[2][3], J[2][6];
    const int n = 3 + trial % 6;
    for (int i = 0; i < n; i++) {
      const double angle = 2 * M_PI * (i + uniform(0, 0.8)) / n;
      vec_set(flat + 3 * i, cos(angle), 0.7 * sin(angle), 0);
      vec_set(lifted + 3 * i, flat[3 * i], flat[3 * i + 1], uniform(-5, 5));
    }
    hn_hull *a = must_hull(flat, n, true), *b = must_hull(lifted, n, true);
    assert_int_equal(a->nvertex, n);
    assert_int_equal(b->nvertex, n);
    for (int i = 0; i < n; i++) {
      off = larger(off, fabs(b->vertex[3 * i + 2]));
      for (int k = 0; k < 3; k++) apart = larger(apart, fabs(a->vertex[3 * i + k] - b->vertex[3 * i + k]));
    }
    hn_hull_mass(a, 1, &mass[0], centre[0], J[0]), hn_hull_mass(b, 1, &mass[1], centre[1], J[1]);
    mass_error = larger(mass_error,
                        fabs(mass[0] - mass[1]) + fabs(centre[1][2]) + fabs(a->radius - b->radius));
    hn_hull_free(a), hn_hull_free(b);
  }
  check_below("corners off the plane", off, 0);
  check_below("corners of the lifted polygon off those of the flat one", apart, 0);
  check_below("mass, centre and radius of the lifted polygon", mass_error, 0);
}

/* A box with points on its faces and edges, moved from there by less than 1e-10 of the size, in any
 * direction: six faces of four corners. Qhull finds a face for each side of such a point. */
static void points_almost_on_faces_are_left_out(void **state)
{
  (void)state;
  int wrong = 0, refused = 0;
  double beyond = 0;
  for (int trial = 0; trial < 200; trial++) {
    double point[3 * 27], q[4];
    random_turn(q);
    for (int i = 0; i < 27; i++) {
      double x[3] = { i % 3 - 1, 2.0 * (i / 3 % 3 - 1), 3.0 * (i / 9 - 1) };
      const bool corner = i % 3 != 1 && i / 3 % 3 != 1 && i / 9 != 1;
      for (int k = 0; k < 3 && !corner; k++) x[k] += uniform(-1, 1) * pow(10, uniform(-14, -11));
      quat_rotate(point + 3 * i, q, x);
    }
    hn_error error = { "" };
    hn_hull *hull = hn_hull_create(point, 27, false, &error);
    refused += !hull;
    if (!hull) continue;
    wrong += hull->nvertex != 8 || hull->nface != 6 || hull->nedge != 12;
    for (int f = 0; f < hull->nface; f++)
      for (int i = 0; i < 27; i++)
        beyond = larger(beyond, vec_dot(hull->normal + 3 * f, point + 3 * i) - hull->offset[f]);
    hn_hull_free(hull);
  }
  ASSERT_COUNT("refused", refused, 0);
  ASSERT_COUNT("hulls that are not a box", wrong, 0);
  check_below("points beyond a face", beyond, 2e-11);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(polygons_lie_in_their_plane),
    cmocka_unit_test(points_almost_on_faces_are_left_out),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
