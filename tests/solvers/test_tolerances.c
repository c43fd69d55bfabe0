/* test_tolerances.c - what an error tolerance costs and gives: the number of parts of adaptive steps grows
 * with the power of the tolerance that the order says, also where forces depend on time; turns count as
 * positions do. */
#include "trials.h"

enum { TOLERANCES = 5 };

/* A rod on a hinge, driven by a torque that depends on time. */
static const char driven[] =
  "local rod = sys:body { name = 'rod', mass = 2, inertia = { 0.1, 0.2, 0.3 }, position = { 0.5, 0, 0 } }\n"
  "sys:hinge { sys.ground, rod, at = { 0, 0, 0 }, axis = { 0, 0, 1 } }\n"
  "sys:motor { sys.ground, rod, axis = { 0, 0, 1 },\n"
  "  law = function(t, x, v) return 3 * math.cos(7 * t) + 2 * t * t end }\nreturn sys";

/* Fits the exponent of the number of parts (factorisations) against the tolerance: -1 / (p + 1) of a method
 * whose error in a part of length h is of order h^(p+1). */
static void cost_grows_by_the_order(const char *spec, double p)
{
  double tolerance[TOLERANCES], parts[TOLERANCES];
  for (int k = 0; k < TOLERANCES; k++) {
    char whole[120];
    tolerance[k] = pow(10.0, -7.0 - 1.5 * k);
    snprintf(whole, sizeof whole, "%s,adaptive=true,error_tolerance=%g", spec, tolerance[k]);
    trial r = must_run(driven, whole, 1.0, 3.0);
    parts[k] = (double)r.summary.work.factorisations;
    printf("  %s: %.0f factorisations\n", whole, parts[k]);
    done(&r);
  }
  check_near("exponent of the work against the tolerance", hn_fit_order(tolerance, parts, TOLERANCES),
             -1.0 / (p + 1.0), 0.1 / (p + 1.0));
}

static void work_follows_the_order(void **unused)
{
  (void)unused;
  cost_grows_by_the_order("taylor:order=4", 4);
  cost_grows_by_the_order("taylor:order=7", 7);
  cost_grows_by_the_order("lagrange:stepper=rk4", 4);
}

/* A free top turns about its centre of mass, which rests at the origin: only turns tell how long a part may
 * be. The solver impulse-sle flies it by elliptic functions. */
static void turns_bound_the_parts(void **unused)
{
  (void)unused;
  static const char top[] =
    "sys:body { name = 'top', mass = 1, inertia = { 0.2, 0.3, 0.41 }, position = { 0, 0, 0 },\n"
    "  gravity = { 0, 0, 0 }, angular_velocity = { 1.5, 0.2, -2.5 } }\nreturn sys";
  trial exact = must_run(top, "impulse-sle", 0.5, 3.0);
  static const double tolerance[] = { 1e-6, 1e-9 };
  for (int k = 0; k < 2; k++) {
    char spec[80];
    double off = 0.0;
    snprintf(spec, sizeof spec, "taylor:order=12,adaptive=true,error_tolerance=%g", tolerance[k]);
    trial r = must_run(top, spec, 3.0, 3.0);
    for (int c = 0; c < 4; c++) off = fmax(off, fabs(r.state->pose[1].q[c] - exact.state->pose[1].q[c]));
    printf("  tolerance %g\n", tolerance[k]);
    check_below("orientation after one step of 3 s in some 20 parts", off, 30 * tolerance[k]);
    done(&r);
  }
  done(&exact);
}

int main(void)
{
  const struct CMUnitTest tests[] = { cmocka_unit_test(work_follows_the_order),
                                      cmocka_unit_test(turns_bound_the_parts) };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
