/* test_hull.c - convex hulls: faces against their definition, masses against closed forms and tetrahedra,
 * refused sets of points. */
#include "shape_trials.h"
#include "system.h"

#include <stdlib.h>
#include <string.h>

/* ---- Faces --------------------------------------------------------------------------------------------- */

/* Checks that no corner is beyond a face, and that corners of a face lie in it. */
static void check_planes(const hn_hull *hull)
{
  double beyond = 0, off = 0;
  for (int f = 0; f < hull->nface; f++) {
    const double *n = hull->normal + 3 * f;
    for (int i = 0; i < hull->nvertex; i++)
      beyond = larger(beyond, vec_dot(n, hull->vertex + 3 * i) - hull->offset[f]);
    for (int i = hull->face_start[f]; i < hull->face_start[f + 1]; i++)
      off = larger(off, fabs(vec_dot(n, hull->vertex + 3 * hull->face_vertex[i]) - hull->offset[f]));
    off = larger(off, fabs(vec_norm(n) - 1));
  }
  check_below("a corner beyond a face", beyond, 1e-15 * hull->radius);
  check_below("a corner off its face", off, 1e-15 * hull->radius);
}

/* Checks that each edge of a face joins its corners and refers to that face. */
static void check_edges(const hn_hull *hull)
{
  int wrong = 0;
  for (int f = 0; f < hull->nface; f++)
    for (int start = hull->face_start[f], end = hull->face_start[f + 1], i = start; i < end; i++) {
      int p = hull->face_vertex[i], q = hull->face_vertex[i + 1 < end ? i + 1 : start];
      const int *edge = hull->edge + 4 * hull->face_edge[i];
      wrong += edge[0] != (p < q ? p : q) || edge[1] != (p < q ? q : p) || edge[p < q ? 2 : 3] != f;
      wrong += hull->face_vertex[i] < hull->face_vertex[start];
    }
  ASSERT_COUNT("edges that are not the faces'", wrong, 0);
  ASSERT_COUNT("Euler", hull->nvertex - hull->nedge + hull->nface, 2);
}

/* A box with additional points on its faces, edges and inside: six faces of four corners. */
static void points_on_faces_and_edges_are_left_out(void **state)
{
  (void)state;
  double point[3 * 27], turned[3 * 27], q[4];
  random_turn(q);
  for (int i = 0; i < 27; i++) {
    vec_set(point + 3 * i, i % 3 - 1, 2.0 * (i / 3 % 3 - 1), 3.0 * (i / 9 - 1));
    quat_rotate(turned + 3 * i, q, point + 3 * i);
  }
  for (int pass = 0; pass < 2; pass++) {
    hn_hull *hull = must_hull(pass ? turned : point, 27, false);
    ASSERT_COUNT("corners", hull->nvertex, 8);
    ASSERT_COUNT("faces", hull->nface, 6);
    ASSERT_COUNT("edges", hull->nedge, 12);
    check_planes(hull);
    check_edges(hull);
    hn_hull_free(hull);
  }
}

static void random_hulls_have_their_points_inside(void **state)
{
  (void)state;
  for (int trial = 0; trial < 20; trial++) {
    hn_hull *hull = random_hull(4 + 12 * trial, 1, 2, 0.5);
    ASSERT_COUNT("corners", hull->nvertex, 4 + 12 * trial);
    check_planes(hull);
    check_edges(hull);
    hn_hull_free(hull);
  }
}

/* Returns a prism of SIDES sides. */
static hn_hull *prism(int sides, double radius, double height, hn_error *error)
{
  double point[6 * 64];
  for (int i = 0; i < sides; i++)
    for (int k = 0; k < 2; k++)
      vec_set(point + 3 * (2 * i + k), radius * cos(2 * M_PI * i / sides), k * height,
              radius * sin(2 * M_PI * i / sides));
  return hn_hull_create(point, 2 * sides, false, error);
}

/* The same points in another order give the same faces, in the order of their corners. */
static void order_of_points_has_no_influence(void **state)
{
  (void)state;
  hn_error error;
  hn_hull *a = prism(12, 1, 1, &error);
  double point[3 * 24], off = 0;
  int number[24];
  for (int i = 0; i < 24; i++) {
    number[i] = i * 7 % 24;
    vec_copy(point + 3 * number[i], a->vertex + 3 * i);
  }
  hn_hull *b = must_hull(point, 24, false);
  int found = 0;
  for (int f = 0; f < a->nface; f++)
    for (int g = 0; g < b->nface; g++) {
      double gap[3];
      vec_sub(gap, a->normal + 3 * f, b->normal + 3 * g);
      if (vec_norm(gap) > 1e-9) continue;
      found++;
      off = larger(off, vec_norm(gap));
      assert_int_equal(a->face_start[f + 1] - a->face_start[f], b->face_start[g + 1] - b->face_start[g]);
    }
  ASSERT_COUNT("faces of both", found, 14);
  check_below("normals differ", off, 1e-15);
  for (int g = 1; g < b->nface; g++)
    assert_true(b->face_vertex[b->face_start[g]] >= b->face_vertex[b->face_start[g - 1]]);
  hn_hull_free(a);
  hn_hull_free(b);
}

static void polygons_are_their_rim(void **state)
{
  (void)state;
  /* two on edges; z is ignored */
  const double point[] = { 0, 0, 5, 2, 0, 5, 2, 1, 5, 1, 1, 5, 0, 1, 5, 1, 0, 5 };
  hn_hull *hull = must_hull(point, 6, true);
  ASSERT_COUNT("corners", hull->nvertex, 4);
  ASSERT_COUNT("edges", hull->nface, 4);
  check_planes(hull);
  check_near("corner 3, x", hull->vertex[9], 0, 0);
  check_near("corner 3, y", hull->vertex[10], 1, 0);
  check_near("normal of the first edge, y", hull->normal[1], -1, 0);
  hn_hull_free(hull);
}

/* ---- Masses -------------------------------------------------------------------------------------------- */

/* Computes mass and moments of tetrahedra from ORIGIN, which may lie outside. */
static void integrate_tetrahedra(const hn_hull *hull, const double origin[3], double *mass, double centre[3],
                                 double J[6])
{
  double xx[3][3] = { { 0 } }, x[3] = { 0 };
  *mass = 0;
  for (int f = 0; f < hull->nface; f++)
    for (int i = hull->face_start[f] + 1; i + 1 < hull->face_start[f + 1]; i++) {
      double p[3][3], c[3], sum[3];
      const int corner[3] = { hull->face_vertex[hull->face_start[f]], hull->face_vertex[i],
                              hull->face_vertex[i + 1] };
      for (int k = 0; k < 3; k++) vec_sub(p[k], hull->vertex + 3 * corner[k], origin);
      vec_cross(c, p[1], p[2]);
      double volume = vec_dot(p[0], c) / 6;
      *mass += volume;
      for (int k = 0; k < 3; k++) sum[k] = p[0][k] + p[1][k] + p[2][k], x[k] += volume * sum[k] / 4;
      for (int r = 0; r < 3; r++)
        for (int s = 0; s < 3; s++)
          xx[r][s] += volume / 20 *
                      (sum[r] * sum[s] + p[0][r] * p[0][s] + p[1][r] * p[1][s] + p[2][r] * p[2][s]);
    }
  for (int r = 0; r < 3; r++) {
    centre[r] = origin[r] + x[r] / *mass;
    for (int s = 0; s < 3; s++) xx[r][s] -= x[r] * x[s] / *mass;
  }
  for (int r = 0; r < 3; r++) J[r] = xx[(r + 1) % 3][(r + 1) % 3] + xx[(r + 2) % 3][(r + 2) % 3];
  J[3] = xx[0][1], J[4] = xx[0][2], J[5] = xx[1][2];
}

static void masses_of_random_hulls_are_those_of_their_tetrahedra(void **state)
{
  (void)state;
  double worst[3] = { 0 };
  for (int trial = 0; trial < 1000; trial++) {
    hn_hull *hull = random_hull(4 + trial % 60, 1, 2, 0.5);
    double mass, centre[3], J[6], m, c[3], K[6], origin[3] = { 1, -0.5, 2 };
    hn_hull_mass(hull, 2.0, &mass, centre, J);
    integrate_tetrahedra(hull, origin, &m, c, K);
    worst[0] = larger(worst[0], fabs(mass - 2 * m) / mass);
    for (int i = 0; i < 3; i++) worst[1] = larger(worst[1], fabs(centre[i] - c[i]));
    for (int i = 0; i < 6; i++) worst[2] = larger(worst[2], fabs(J[i] - 2 * K[i]) / (J[0] + J[1] + J[2]));
    hn_hull_free(hull);
  }
  check_below("mass, relative", worst[0], 1e-12);
  check_below("centre, m", worst[1], 1e-12);
  check_below("moments, relative", worst[2], 1e-12);
}

static void check_mass(hn_hull *hull, double mass, const double centre[3], const double J[6])
{
  double m, c[3], K[6];
  assert_non_null(hull);
  hn_hull_mass(hull, 3.0, &m, c, K);
  check_near("mass", m, mass, 4e-15 * mass);
  for (int i = 0; i < 3; i++) check_near("centre", c[i], centre[i], 1e-14);
  for (int i = 0; i < 6; i++) check_near("moment", K[i], J[i], 1e-14 * (J[0] + J[1] + J[2]));
  hn_hull_free(hull);
}

static void masses_have_their_closed_forms(void **state)
{
  (void)state;
  hn_error error;
  double l[3] = { 1, 2, 3 };
  hn_mass whole;
  const hn_shape box = { .kind = HN_BOX, .size = { 1, 2, 3 } };
  assert_int_equal(hn_shape_mass(&box, 3.0, &whole, &error), 0);
  printf(" box\n");
  check_mass(box_hull(l), whole.mass, (double[3]){ 0, 0, 0 }, whole.J);
  printf(" tetrahedron with edges 1 along the axes\n");
  const double corner[] = { 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1 };
  double j = 3.0 / 6 * 2 * (1.0 / 10 - 1.0 / 16), k = 3.0 / 6 * (1.0 / 20 - 1.0 / 16);
  check_mass(must_hull(corner, 4, false), 0.5, (double[3]){ 0.25, 0.25, 0.25 },
             (double[6]){ j, j, j, k, k, k });
  printf(" prism of 6 sides\n");
  double area = 1.5 * sqrt(3) * 0.49, h = 1.7, m = 3 * area * h, polar = m * 0.49 * (2 + cos(M_PI / 3)) / 6;
  double across = polar / 2 + m * h * h / 12;
  check_mass(prism(6, 0.7, h, &error), m, (double[3]){ 0, h / 2, 0 },
             (double[6]){ across, polar, across, 0, 0, 0 });
}

static void polygons_have_their_moments(void **state)
{
  (void)state;
  const double rectangle[] = { 1, 1, 0, 4, 1, 0, 4, 3, 0, 1, 3, 0 },
               triangle[] = { 0, 0, 0, 3, 0, 0, 0, 6, 0 };
  check_mass(must_hull(rectangle, 4, true), 18, (double[3]){ 2.5, 2, 0 },
             (double[6]){ 0, 0, 18 * 13.0 / 12, 0, 0, 0 });
  check_mass(must_hull(triangle, 3, true), 27, (double[3]){ 1, 2, 0 },
             (double[6]){ 0, 0, 27 * 45.0 / 18, 0, 0, 0 });
}

/* Far from the origin of the shape only the rounding of the points themselves counts. */
static void moments_do_not_depend_on_the_origin(void **state)
{
  (void)state;
  double point[24], l[3] = { 1, 2, 3 }, m, c[3], J[6];
  for (int i = 0; i < 8; i++) {
    box_corner(l, i, point + 3 * i);
    for (int k = 0; k < 3; k++) point[3 * i + k] += 4096;
  }
  hn_hull *hull = must_hull(point, 8, false);
  hn_hull_mass(hull, 1.0, &m, c, J);
  check_near("mass", m, 6, 1e-13);
  check_near("moment", J[0], 6.5, 1e-13);
  check_near("product", J[3], 0, 1e-13);
  hn_hull_free(hull);
}

/* ---- Errors -------------------------------------------------------------------------------------------- */

static void check_refused(const double *point, int count, bool polygon, const char *says)
{
  hn_error error = { "" };
  hn_hull *hull = hn_hull_create(point, count, polygon, &error);
  printf("  %s\n", error.text);
  assert_null(hull);
  assert_non_null(strstr(error.text, says));
}

static void points_that_make_no_hull_are_refused(void **state)
{
  (void)state;
  double l[3] = { 1, 2, 3 }, box[33];
  for (int i = 0; i < 8; i++) box_corner(l, i, box + 3 * i);
  check_refused(box, 3, false, "needs 4 points at least, not 3");
  check_refused(box, 0, false, "needs 4 points at least, not 0");
  check_refused(box, 4, false, "lie all in a plane");
  box[26] = NAN, box[24] = box[25] = 0;
  check_refused(box, 9, false, "point 9 of the hull is not finite");
  vec_copy(box + 24, box + 9);
  check_refused(box, 9, false, "points 4 and 9 of the hull are the same");
  const double line[] = { 0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, -1, -1, -1 };
  check_refused(line, 5, false, "lie all on a line");
  check_refused(line, 5, true, "lie all on a line");
  const double place[12] = { 0 };
  check_refused(place, 4, false, "lie all at one place");
  double thin[12] = { 0, 0, 0, 1, 0, 0, 0, 1, 0, 0.2, 0.2, 1e-9 };
  check_refused(thin, 4, false, "lie all in a plane");
  const double notch[] = { 0, 0, 0, 2, 0, 0, 2, 2, 0, 1, 0.5, 0, 0, 2, 0 };
  check_refused(notch, 5, true, "point 4 is inside: a polygon must be convex");
  check_refused(notch, 2, true, "needs 3 points at least");
  const double huge[] = { 0, 0, 0, 1e308, 0, 0, 0, 1e308, 0, 0, 0, 1e308 };
  check_refused(huge, 4, false, "too far apart");
}

static void hulls_that_are_too_large_are_refused(void **state)
{
  (void)state;
  hn_error error = { "" };
  hn_hull *hull = prism(32, 1, 1, &error);
  assert_non_null(hull);
  hn_hull_free(hull);
  assert_null(prism(33, 1, 1, &error));
  printf("  %s\n", error.text);
  assert_non_null(strstr(error.text, "33 corners, 32 at most"));
  for (int count = 400; count <= 4000; count *= 10) {
    double *point = malloc((size_t)count * 3 * sizeof *point);
    for (int i = 0; i < count; i++) random_direction(point + 3 * i);
    check_refused(point, count, false, "edges");
    free(point);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(points_on_faces_and_edges_are_left_out),
    cmocka_unit_test(random_hulls_have_their_points_inside),
    cmocka_unit_test(order_of_points_has_no_influence),
    cmocka_unit_test(polygons_are_their_rim),
    cmocka_unit_test(masses_of_random_hulls_are_those_of_their_tetrahedra),
    cmocka_unit_test(masses_have_their_closed_forms),
    cmocka_unit_test(polygons_have_their_moments),
    cmocka_unit_test(moments_do_not_depend_on_the_origin),
    cmocka_unit_test(points_that_make_no_hull_are_refused),
    cmocka_unit_test(hulls_that_are_too_large_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
