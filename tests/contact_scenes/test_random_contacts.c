/* test_random_contacts.c - contacts in random scenes, in other units of length, and after an overlap at the
 * start. */
#include "random_scenes.h"
#include "scenes.h"
#include "trials.h"

/* ---- Units of length ----------------------------------------------------------------------------------- */

/* Tolerances are absolute. In millimetres velocities have rounding errors of 1e-12, above the tolerances of
 * the first solvers by default, and above those given to the others. */
static void octagon_rolls_in_millimetres(void **unused)
{
  (void)unused;
  static const char *const specs[] = { "events",
                                       "events:inner=lagrange:stepper=rk8pd",
                                       "events:inner=impulse-sle",
                                       "events:inner=taylor",
                                       "impulse-contact:contact_tolerance=1e-13",
                                       "moreau:contact_tolerance=1e-14" };
  for (size_t i = 0; i < sizeof specs / sizeof *specs; i++)
    for (int k = 0; k < 2; k++) {
      const double h = k ? 0.005 : 0.01;
      const family metres = { "octagon", { NULL }, h, (int)(2.0 / h) },
                   millimetres = { "octagon", { "length=1000" }, h, (int)(2.0 / h) };
      const ending one = run_random(&metres, 0, specs[i], true),
                   other = run_random(&millimetres, 0, specs[i], true);
      printf(" %s, h = %g s\n", specs[i], h);
      assert_int_equal(one.summary.reason, HN_CONVERGED);
      assert_int_equal(other.summary.reason, HN_CONVERGED);
      double d[3];
      for (int c = 0; c < 3; c++) d[c] = 1e-3 * other.pose[0].x[c] - one.pose[0].x[c];
      check_below("difference from metres, m", vec_norm(d), 1e-6);
      assert_true(one.pose[0].x[0] > 1.0);
    }
}

/* ---- Overlaps at the start ----------------------------------------------------------------------------- */

static const char ball[] =
  "sys:body { name = 'floor', fixed = true, position = { 0, 0, 0 }, friction = 0.5,\n"
  "           shape = scene.plane { normal = { 0, 1, 0 } } }\n"
  "sys:body { shape = scene.sphere { radius = 0.1 }, density = 1000, friction = 0.5,\n"
  "           position = { 0, %.17g, 0 }, velocity = { 1, 3, 0 } }\n"
  "sys:contact { margin = 0.02 }\n"
  "return sys\n";

/* A ball that leaves the plane flies on a parabola, also if it starts 1 mm deep, from where it is moved to
 * the surface. */
static void ball_leaves_an_overlap(void **unused)
{
  (void)unused;
  static const double start[] = { 0.1, 0.099, 0.0999 };
  for (int i = 0; i < 3; i++) {
    char text[sizeof ball + 32];
    snprintf(text, sizeof text, ball, start[i]);
    trial r = must_run(text, "impulse-contact", 0.01, 0.1);
    const double known[3] = { 0.1, 0.1 + 0.3 - 0.5 * 9.81 * 0.01, 0 };
    double d[3];
    vec_sub(d, r.state->pose[2].x, known);
    printf(" start at %g m\n", start[i]);
    check_below("error of the flight, m", vec_norm(d), 1e-12);
    done(&r);
  }
}

/* ---- Boxes, balls and capsules ------------------------------------------------------------------------- */

static const family scenes = { "random_contacts", { NULL }, 0.01, 50 };

/* In scene 95 the friction of a box on redundant contacts has no fixed point in an expansion: each solution
 * for the normals moves the slips by 2e-10 m/s. Normals and friction are solved together. */
static void expansions_of_redundant_contacts_are_solved(void **unused)
{
  (void)unused;
  const ending end = run_random(&scenes, 95, "events", true);
  assert_int_equal(end.summary.reason, HN_CONVERGED);
  ASSERT_COUNT("contradictions", (int)end.summary.contradictions, 0);
}

static void random_scenes_converge(void **unused)
{
  (void)unused;
  ASSERT_COUNT("scenes that converge", count_converged(&scenes, 140, 299, "impulse-contact"), 160);
}

/* ---- Explanations -------------------------------------------------------------------------------------- */

/* Sweeps do not solve the law of accelerations of six redundant feet, which newton does. */
static void explanations_name_solver_and_tolerance(void **unused)
{
  (void)unused;
  bench b = set_up("walking_ground", "events:contact=pgs,time_stepping=false");
  assert_int_equal(run(&b, 0.004, 0.02, NULL, NULL), HN_STALLED);
  printf("  %s\n", b.summary.explanation);
  assert_non_null(strstr(b.summary.explanation, "contact= chooses another one"));
  assert_non_null(strstr(b.summary.explanation, " above the tolerance 9.81e-13 (contact_tolerance) after"));
  tear_down(&b);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(octagon_rolls_in_millimetres),
    cmocka_unit_test(ball_leaves_an_overlap),
    cmocka_unit_test(expansions_of_redundant_contacts_are_solved),
    cmocka_unit_test(random_scenes_converge),
    cmocka_unit_test(explanations_name_solver_and_tolerance),
  };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
