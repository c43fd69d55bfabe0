/* test_events_edges.c - solver events: bars that lie flat on a table and tip over its edge. Compared with
 * quadrature of Lagrange's equations. */
#include "fitted_slopes.h"

/* A smooth bar of 1 kg, its centre beyond the edge of a table that ends at x = 0, rotates about the edge
 * and slides on it. s is measured along the bar from the edge to its centre, which is half the thickness
 * above. */
static const double length = 1.0, half_thickness = 0.05;

typedef struct bar {
  double s, angle, rate, spin; /* m, rad; m/s, rad/s: rates of s and of the angle */
} bar;

/* Computes the rates by Lagrange's equations of s and the angle. */
static bar rates_of(const bar *at)
{
  const double J = (length * length + 4 * half_thickness * half_thickness) / 12, s = at->s, w = at->spin;
  const double turn = (-g * s * cos(at->angle) + half_thickness * s * w * w - 2 * s * at->rate * w) /
                      (s * s + J);
  return (bar){ at->rate, w, half_thickness * turn + s * w * w - g * sin(at->angle), turn };
}

static bar moved(const bar *at, const bar *rates, double h)
{
  return (bar){ at->s + h * rates->s, at->angle + h * rates->angle, at->rate + h * rates->rate,
                at->spin + h * rates->spin };
}

/* Integrates by the classical Runge-Kutta method. */
static bar integrate(bar at, double time)
{
  enum { FINE = 20000 };
  const double h = time / FINE;
  for (int n = 0; n < FINE; n++) {
    const bar k1 = rates_of(&at), at2 = moved(&at, &k1, h / 2), k2 = rates_of(&at2);
    const bar at3 = moved(&at, &k2, h / 2), k3 = rates_of(&at3);
    const bar at4 = moved(&at, &k3, h), k4 = rates_of(&at4);
    at = moved(&at, &k1, h / 6), at = moved(&at, &k2, h / 3);
    at = moved(&at, &k3, h / 3), at = moved(&at, &k4, h / 6);
  }
  return at;
}

/* The bar lies flat at the start: planar, or on a table that is narrower than the bar, with corners below its
 * face. The order of the shapes determines on whose side contacts are found. */
static void check_bar(bool planar, bool bar_first)
{
  const bar start = { 0.05, 0, 0.4, -2 };
  const double time = 0.15;
  const bar end = integrate(start, time);
  const double x = end.s * cos(end.angle) - half_thickness * sin(end.angle);
  const double y = end.s * sin(end.angle) + half_thickness * cos(end.angle);
  char table[512], beam[512], text[2048];
  snprintf(table, sizeof table,
           "sys:body { name = 'table', fixed = true, position = { -1, -0.5, 0 }, shape = %s }\n",
           planar ? "scene.polygon { { -1, -0.5 }, { 1, -0.5 }, { 1, 0.5 }, { -1, 0.5 } }"
                  : "scene.box { 2, 1, 0.2 }");
  snprintf(beam, sizeof beam,
           "sys:body { name = 'bar', mass = 1, inertia = %s, position = { %.17g, %.17g, 0 },\n"
           "           velocity = { %.17g, %.17g, 0 }, angular_velocity = { 0, 0, %.17g },\n"
           "           shape = %s }\n",
           planar ? "1.01 / 12" : "{ 0.17 / 12, 1.16 / 12, 1.01 / 12 }", start.s, half_thickness,
           start.rate - half_thickness * start.spin, start.s * start.spin, start.spin,
           planar ? "scene.polygon { { -0.5, -0.05 }, { 0.5, -0.05 }, { 0.5, 0.05 }, { -0.5, 0.05 } }"
                  : "scene.box { 1, 0.1, 0.4 }");
  snprintf(text, sizeof text,
           "local scene = require 'holonom.scene'\n"
           "local sys = scene.system { gravity = { 0, -%g, 0 }, planar = %s }\n%s%s"
           "sys:contact { margin = 0.05 }\nreturn sys",
           g, planar ? "true" : "false", bar_first ? beam : table, bar_first ? table : beam);
  write_bytes(text, strlen(text));
  for (int m = 0; m < SOLVERS; m++) {
    trial r = run_spec(each[m], 0.005, time, NULL, NULL);
    if (r.reason != HN_CONVERGED) fail_msg("%s: %s", each[m], r.summary.explanation);
    const double *at = r.state->pose[bar_first ? 1 : 2].x;
    puts(each[m]);
    check_below("error of its centre, m", hypot(at[0] - x, at[1] - y), m == 0 ? 1e-8 : 1e-12);
    check_below("change of energy, J", r.summary.energy_error_max, m == 0 ? 1e-7 : 1e-12);
    done(&r);
  }
}

static void planar_bar_tips_over_an_edge(void **unused)
{
  (void)unused;
  check_bar(true, false), check_bar(true, true);
}

static void bar_tips_over_corners(void **unused)
{
  (void)unused;
  check_bar(false, false), check_bar(false, true);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(planar_bar_tips_over_an_edge),
    cmocka_unit_test(bar_tips_over_corners),
  };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
