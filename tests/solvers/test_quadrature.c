/* test_quadrature.c - forces that are powers of time on a free particle: a solver of order n integrates
 * powers up to n - 1 exactly in one step, whatever its stages. Detects coefficients that are wrong in the
 * tenth digit. */
#include "trials.h"

static const struct {
  const char *spec;
  int speed, position;
} solver_specs[] = {
  /* highest powers integrated exactly */
  { "impulse-sle", 1, 0 },
  { "lagrange:stepper=rk4", 3, 2 },
  { "lagrange:stepper=rkf45", 4, 3 },
  { "lagrange:stepper=rkck", 4, 3 },
  { "lagrange:stepper=rk8pd", 7, 6 },
  { "half-explicit", 3, 2 },
  { "hem5", 4, 3 },
  { "taylor:order=6", 4, 4 },
  { "taylor:order=12", 7, 7 },
};

static void powers_of_time_are_exact(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof solver_specs / sizeof *solver_specs; i++) {
    double speed = 0.0, position = 0.0;
    for (int k = 0; k <= solver_specs[i].speed; k++) {
      char body[300], power[8 * 3 + 1] = "";
      for (int n = 0; n < k; n++) strcat(power, "0, ");
      snprintf(body, sizeof body,
               "local p = sys:particle { mass = 1, position = { 0, 0, 0 } }\n"
               "sys:force { p, at = { 0, 0, 0 }, force = { 1, 0, 0 }, motion = { polynomial = { %s1 } } }\n"
               "return sys",
               power);
      trial r = must_run(body, solver_specs[i].spec, 1.0, 1.0);
      speed = larger(speed, fabs(r.state->twist[1].v[0] - 1.0 / (k + 1)));
      if (k <= solver_specs[i].position)
        position = larger(position, fabs(r.state->pose[1].x[0] - 1.0 / ((k + 1) * (k + 2))));
      done(&r);
    }
    printf(" %s, powers 0 to %d\n", solver_specs[i].spec, solver_specs[i].speed);
    check_below("speed after a second, m/s", speed, 1e-14);
    check_below("position, m", position, 1e-14);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = { cmocka_unit_test(powers_of_time_are_exact) };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
