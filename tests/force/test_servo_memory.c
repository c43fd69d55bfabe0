/* test_servo_memory.c - the integral part of a servo in runs: the sum of its errors over the steps, and the
 * load that it balances. */
#include "trials.h"

enum { INTEGRAL = 1 }; /* index of its input: after the offset of the target */

typedef struct sums {
  double target, sum, last, apart, size;
} sums;

/* Adds h e of the step that has ended; compares the sum with the servo's. */
static bool add_error(void *user, const hn_frame *frame)
{
  sums *s = user;
  const hn_state *at = frame->state;
  if (at->time > 0) s->sum += (at->time - s->last) * (s->target - at->pose[1].x[1]);
  s->last = at->time;
  s->apart = larger(s->apart, fabs(s->sum - at->input[INTEGRAL]));
  s->size = larger(s->size, fabs(s->sum));
  return true;
}

/* A weight of 1 kg, lifted by 0.3 m: y'' = 50 e - 20 y' + 40 z - 9.81, z' = e. The slowest mode decays as
 * exp(-1.4 t), so that 6e-8 remain after 12 s. Without z the weight hangs by 9.81 / 50 m too low. */
static void the_integral_balances_a_load(void **unused)
{
  (void)unused;
  static const char *const specs[] = { "impulse-sle", "lagrange", "moreau" };
  static const double steps[] = { 0.01, 0.004 };
  for (size_t i = 0; i < 6; i++) {
    const double h = steps[i / 3];
    sums s = { .target = 0.3 };
    printf(" %s, h = %g s\n", specs[i % 3], h);
    const char body[] = "local scene = require 'holonom.scene'\n"
                        "local sys = scene.system { gravity = { 0, -9.81, 0 } }\n"
                        "local y = { 0, 1, 0 }\n"
                        "local b = sys:body { mass = 1, inertia = { 1, 1, 1 }, position = { 0, 0, 0 } }\n"
                        "sys:slider { sys.ground, b, at = { 0, 0, 0 }, axis = y }\n"
                        "sys:axial_servo { sys.ground, b, at = { 0, 0, 0 }, axis = y, target = 0.3,\n"
                        "  stiffness = 50, damping = 20, integral = 40, limit = 1000 }\nreturn sys\n";
    write_bytes(body, strlen(body));
    trial r = run_spec(specs[i % 3], h, 12, add_error, &s);
    if (r.reason != HN_CONVERGED) fail_msg("%s", r.summary.explanation);
    assert_int_equal(r.state->ninput, 2);
    /* sums of up to 3000 terms of 3e-3 m s, and rounding of the times */
    check_below("integral less the sum of h e (m s)", s.apart, 3000 * 3e-3 * 2.3e-16 * 10);
    check_below("error under the load (m)", r.state->pose[1].x[1] - 0.3, 1e-6);
    check_near("integral that balances it (m s)", r.state->input[INTEGRAL], 9.81 / 40, 1e-6);
    done(&r);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = { cmocka_unit_test(the_integral_balances_a_load) };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
