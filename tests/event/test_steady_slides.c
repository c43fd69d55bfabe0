/* test_steady_slides.c - solver events: slides between events. On a slope on which friction balances gravity
 * nothing brakes the slip along the slope, yet friction damps the slip across it; both have a closed form. On
 * a face that turns, the tangents of the contacts are chosen by rounding. */
#include "instants.h"
#include "trials.h"

static const char scene_text[] =
  "local scene = require 'holonom.scene'\n"
  "local sys = scene.system { gravity = { 5, -10, 0 } }\n"
  "sys:body { name = 'floor', fixed = true, position = { 0, 0, 0 }, friction = 0.5,\n"
  "  shape = scene.plane { normal = { 0, 1, 0 } } }\n"
  "sys:body { name = 'ball', mass = 1, inertia = { 1e12, 1e12, 1e12 }, friction = 0.5,\n"
  "  shape = scene.sphere { radius = 0.01 }, position = { 0, 0.01, 0 }, velocity = { 1, 0, 1e-4 } }\n"
  "sys:contact { margin = 0.01 }\nreturn sys";

/* A ball whose inertia keeps it from rolling slides on a floor under gravity that is tilted by atan(mu):
 * with a = mu g_n = 5 m/s^2, the slip (v, w) of size s has v' = a (1 - v / s) and w' = -a w / s. So s + v is
 * constant, and w decays with the time constant v / a = 0.2 s: after 40 of them w = 0 and v = (s_0 + v_0) /
 * 2. Steps are 20 of them long. */
static void a_slip_across_decays(void **state)
{
  (void)state;
  static const char *const specs[] = { EVENTS "taylor:order=10", EVENTS "taylor:order=20" };
  const double across = 1e-4;
  write_bytes(scene_text, strlen(scene_text));
  for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
    trial r = run_spec(specs[i], 4, 8, NULL, NULL);
    if (r.reason != HN_CONVERGED) fail_msg("%s", r.summary.explanation);
    const double *u = r.state->twist[2].v;
    printf(" %s\n", specs[i]);
    check_near("slip along the slope, m/s", u[0], 0.5 * (hypot(1, across) + 1), 1e-9);
    check_below("slip across, m/s", u[2], 1e-10);
    done(&r);
  }
}

/* A box that slides on a rocking slab until it sticks: the normal of the face is an axis of the slab but for
 * rounding, which chooses anew at every instant the first tangent, one of the other two axes. A motion is the
 * whole step, and its forces satisfy the law without a contact problem, whichever tangents they have. */
static void slides_do_not_depend_on_the_choice_of_tangents(void **state)
{
  (void)state;
  enum { COUNT = 100 };
  trial r = must_run("local slab = sys:body { name = 'slab', position = { 0, 0, 0 }, density = 1000,\n"
                     "  shape = scene.box { 10, 1, 4 }, friction = 0.2 }\n"
                     "sys:body { name = 'box', position = { 2, 0.6, 0 }, velocity = { -1.5, 0, 0 },\n"
                     "  shape = scene.box { 0.2, 0.2, 0.2 }, density = 1000, friction = 0.2 }\n"
                     "sys:hinge { sys.ground, slab, at = { 0, 0, 0 }, axis = { 0, 0, 1 } }\n"
                     "sys:contact {}\nreturn sys",
                     "events", 0.01, 0.01 * COUNT);
  const hn_work *work = &r.solver->system->work;
  check_below("contact iterations per step", (double)work->contact_iterations / COUNT, 10);
  check_below("factorisations per step", (double)work->factorisations / COUNT, 30);
  done(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_slip_across_decays),
    cmocka_unit_test(slides_do_not_depend_on_the_choice_of_tangents),
  };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
