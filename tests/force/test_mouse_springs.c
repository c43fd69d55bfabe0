/* test_mouse_springs.c - a mouse spring against the damped oscillation about its target, whose x control
 * sets. */
#include "trials.h"

static const double mass = 2, stiffness = 8, damping = 1.2, time = 1.7;

/* Returns the coordinate at `time` of a damped oscillation about TARGET from X at speed V; sets its rate. */
static double oscillation(double target, double x, double v, double *rate)
{
  const double a = 0.5 * damping / mass, w = sqrt(stiffness / mass - a * a), A = x - target,
               B = (v + a * A) / w;
  const double c = cos(w * time), s = sin(w * time), decay = exp(-a * time);
  *rate = decay * (w * (B * c - A * s) - a * (A * c + B * s));
  return target + decay * (A * c + B * s);
}

static void pulls_towards_its_target(void **unused)
{
  (void)unused;
  static const char *const specs[] = { "taylor:order=14", "lagrange:stepper=rk8pd" };
  const double x0[3] = { 1, 0.5, -0.3 }, v0[3] = { 0.2, 1, -0.7 }, target[3] = { 0.4, 0.5, -0.3 };
  for (int k = 0; k < 2; k++) {
    trial r = must_run("local b = sys:particle { name = 'b', mass = 2, position = { 1, 0.5, -0.3 },\n"
                       "  velocity = { 0.2, 1, -0.7 }, gravity = { 0, 0, 0 } }\n"
                       "sys:mouse_spring { sys.ground, b, name = 'grip', stiffness = 8, damping = 1.2 }\n"
                       "sys:control(function(t, s) s:set('grip', 0.4) end)\nreturn sys",
                       specs[k], 0.02, time);
    for (int i = 0; i < 3; i++) {
      double rate, x = oscillation(target[i], x0[i], v0[i], &rate);
      check_near("coordinate, m", r.state->pose[1].x[i], x, 1e-11);
      check_near("its rate, m/s", r.state->twist[1].v[i], rate, 1e-11);
    }
    done(&r);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = { cmocka_unit_test(pulls_towards_its_target) };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
