/* test_timed_laws.c - laws in Lua that depend on time or on an input, against their integrals. */
#include "trials.h"

/* A force (6 t, -2, 12 t^2) N on 2 kg at rest: x = t^3 / 2, y = -t^2 / 2, z = t^4 / 2. */
static void a_law_depends_on_time(void **unused)
{
  (void)unused;
  static const char *const specs[] = { "taylor:order=10", "lagrange:stepper=rk8pd" };
  for (int k = 0; k < 2; k++) {
    trial r = must_run("local b = sys:particle { name = 'b', mass = 2, position = { 0, 0, 0 },\n"
                       "  gravity = { 0, 0, 0 } }\n"
                       "sys:force { b, at = { 0, 0, 0 },\n"
                       "  law = function(t, x, v) return { 6 * t, -2, 12 * t * t } end }\nreturn sys",
                       specs[k], 0.1, 1.5);
    const double *x = r.state->pose[1].x;
    check_near("x, m", x[0], 1.6875, 1e-12);
    check_near("y, m", x[1], -1.125, 1e-12);
    check_near("z, m", x[2], 2.53125, 1e-12);
    done(&r);
  }
}

/* A torque of u = 3 N m, set by control, on 2 kg m^2. */
static void a_law_depends_on_its_input(void **unused)
{
  (void)unused;
  trial r = must_run(
    "local w = sys:body { name = 'w', mass = 1, inertia = { 1, 1, 2 }, position = { 0, 0, 0 } }\n"
    "sys:motor { sys.ground, w, axis = { 0, 0, 1 }, name = 'm',\n"
    "  law = function(t, x, v, u) return u end }\n"
    "sys:control(function(t, s) s:set('m', 3) end)\nreturn sys",
    "lagrange:stepper=rk8pd", 0.1, 1.5);
  check_near("angular velocity, rad/s", r.state->twist[1].w[2], 2.25, 1e-12);
  done(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = { cmocka_unit_test(a_law_depends_on_time),
                                      cmocka_unit_test(a_law_depends_on_its_input) };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
