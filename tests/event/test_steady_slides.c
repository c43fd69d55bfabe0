/* test_steady_slides.c - solver events: a slide across a slope on which friction balances gravity. Nothing
 * brakes the slip along the slope, yet friction damps the slip across it; both have a closed form. */
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

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_slip_across_decays),
  };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
