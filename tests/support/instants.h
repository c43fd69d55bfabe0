/* instants.h - problems whose motion is smooth except at impacts and stops, with reference solutions. */
#ifndef HN_TEST_INSTANTS_H
#define HN_TEST_INSTANTS_H

#include "scenes.h"
#include "gravity.h"
#include "trials.h"
#include "run.h"
#include "base/vec.h"

#include <gsl/gsl_sf_elljac.h>
#include <gsl/gsl_sf_ellint.h>
#include <stdio.h>

enum { STEPS = 6 };

/* Checks that errors at six step sizes H have the given order by a fit, within a tenth of it. */
static inline void check_order(const char *what, double order, const double h[STEPS],
                               const double error[STEPS])
{
  for (int i = 0; i < STEPS; i++) printf("    %-10g %.4e\n", h[i], error[i]);
  check_near(what, hn_fit_order(h, error, STEPS), order, 0.1 * order);
}

/* A solver of the smooth motion between events, its order, and the asymptotic range of its steps for a
 * problem of average smoothness: the first step H and the ratio of successive steps. */
#define EVENTS "events:inner="
typedef struct mover {
  const char *spec;
  double order, h, ratio;
} mover;

/* Solvers of each order. */
static const mover all_movers[] = {
  { EVENTS "impulse-sle:tolerance=1e-14", 2, 0.014, 2 },
  { EVENTS "generalised-alpha", 2, 0.014, 2 },
  { EVENTS "lagrange:stepper=rk4", 4, 0.014, 2 },
  { EVENTS "half-explicit", 4, 0.014, 2 },
  { EVENTS "impulse-composed:order=4", 4, 0.014, 2 },
  { EVENTS "impulse-extrapolated:order=6", 6, 0.02, 1.5 },
  { EVENTS "taylor:order=6", 6, 0.02, 1.5 },
  { EVENTS "lagrange:stepper=rk8pd", 8, 0.04, 1.3 },
};
enum { ALL_MOVERS = sizeof all_movers / sizeof *all_movers };

/* Fills H with step sizes from FIRST down by RATIO; if WHOLE > 0, each divides that time. */
static inline void shorter_steps(double h[STEPS], double first, double ratio, double whole)
{
  for (int i = 0; i < STEPS; i++) {
    h[i] = i ? h[i - 1] / ratio : first;
    if (whole > 0) h[i] = whole / round(whole / h[i]);
  }
}

/* Returns the distance of a body from EXACT (x, y) at TIME, in a run of the written scene. */
static inline double error_of(const char *spec, double h, double time, int body, const double exact[2])
{
  trial r = run_spec(spec, h, time, NULL, NULL);
  if (r.reason != HN_CONVERGED) fail_msg("%s", r.summary.explanation);
  const double *x = r.state->pose[body].x, error = hypot(x[0] - exact[0], x[1] - exact[1]);
  done(&r);
  return error;
}

/* Checks the order of solver M at BODY, with steps longer by STRETCH. */
static inline void check_mover(const mover *m, double stretch, double time, int body, const double exact[2])
{
  double h[STEPS], error[STEPS];
  shorter_steps(h, m->h * stretch, m->ratio, 0);
  for (int i = 0; i < STEPS; i++) error[i] = error_of(m->spec, h[i], time, body, exact);
  puts(m->spec);
  check_order("order", m->order, h, error);
}

/* Returns the angle at time T of a pendulum released from rest at 2 asin(k) that hits a wall at angle 0 with
 * restitution E. */
static inline double swing(double omega, double k, double e, double t)
{
  double left = gsl_sf_ellint_Kcomp(k, GSL_PREC_DOUBLE) / omega, sn, cn, dn;
  if (t < left) {
    gsl_sf_elljac_e(omega * (left - t), k * k, &sn, &cn, &dn);
    return 2 * asin(k * sn);
  }
  do {
    t -= left, k *= e;
    left = 2 * gsl_sf_ellint_Kcomp(k, GSL_PREC_DOUBLE) / omega;
  } while (t > left);
  gsl_sf_elljac_e(omega * t, k * k, &sn, &cn, &dn);
  return 2 * asin(k * sn);
}

/* Writes two links of 0.5 m; the circle at the end of the second one hits the wall x = -0.05. */
static inline void write_two_links(void)
{
  static const char text[] =
    "local scene = require 'holonom.scene'\n"
    "local sys = scene.system { gravity = { 0, -9.81, 0 }, planar = true }\n"
    "sys:body { name = 'wall', fixed = true, position = { -0.1, 0, 0 }, restitution = 0.7,\n"
    "           shape = scene.plane { normal = { 1, 0, 0 } } }\n"
    "local one = sys:body { name = 'one', mass = 1, inertia = 0.02, position = { 0.4, -0.3, 0 } }\n"
    "local two = sys:body { name = 'two', mass = 1, inertia = 0.02, position = { 0.8, -0.6, 0 },\n"
    "                       shape = scene.circle { radius = 0.05 }, restitution = 0.7 }\n"
    "sys:hinge { sys.ground, one, at = { 0, 0, 0 }, axis = { 0, 0, 1 } }\n"
    "sys:hinge { one, two, at = { 0.6, -0.45, 0 }, axis = { 0, 0, 1 } }\n"
    "sys:contact { margin = 0.05 }\nreturn sys";
  write_bytes(text, strlen(text));
}

/* Checks final places and speeds of the ten cubes of bender2005, whose largest published error is 5.7e-3 m at
 * steps of 10 ms. */
static inline void check_ten_cubes(const char *spec, double h, double place, double speed)
{
  static const double distance[] = { 25.70234, 19.37792, 15.71905, 13.11542, 11.11587,
                                     10.37604, 9.54379,  8.78449,  7.55506,  6.48689 };
  bench b = set_up("sliding_cubes", spec);
  puts(spec);
  must_converge(&b, h, 8, NULL, NULL);
  for (int i = 0; i < 10; i++) {
    char name[16];
    snprintf(name, sizeof name, "cube%d", i + 1);
    const int cube = body_named(&b, name);
    check_below(name, b.state->pose[cube].x[0] - distance[i], place);
    check_below("  its speed, m/s", vec_norm(b.state->twist[cube].v), speed);
  }
  tear_down(&b);
}

/* Advances x = (x, y, v_x, v_y) of a point that slides across a slope: classical Runge-Kutta with 20 000
 * steps. */
static inline void slide(double slope, double mu, double time, double x[4])
{
  enum { FINE = 20000 };
  const double h = time / FINE;
  for (int n = 0; n < FINE; n++) {
    double k[4][4], at[4];
    for (int s = 0; s < 4; s++) {
      for (int c = 0; c < 4; c++) at[c] = x[c] + (s == 0 ? 0 : s == 3 ? h : 0.5 * h) * (s ? k[s - 1][c] : 0);
      const double speed = hypot(at[2], at[3]);
      k[s][0] = at[2], k[s][1] = at[3];
      k[s][2] = g * sin(slope) - mu * g * cos(slope) * at[2] / speed,
      k[s][3] = -mu * g * cos(slope) * at[3] / speed;
    }
    for (int c = 0; c < 4; c++) x[c] += h / 6 * (k[0][c] + 2 * k[1][c] + 2 * k[2][c] + k[3][c]);
  }
}

/* Writes a cube pushed across a slope: friction turns it downhill, and stops it if MU exceeds the slope's
 * tangent. MORE is appended to the scene. */
static inline void write_slope(double slope, double mu, double vx, double vy, const char *more)
{
  char text[1200];
  snprintf(text, sizeof text,
           "local scene = require 'holonom.scene'\n"
           "local sys = scene.system { gravity = { %.17g, 0, %.17g } }\n"
           "sys:body { name = 'slope', fixed = true, position = { 0, 0, 0 }, friction = %.17g,\n"
           "           shape = scene.plane { normal = { 0, 0, 1 } } }\n"
           "local cube = sys:body { name = 'cube', mass = 1, shape = scene.box { 0.5, 0.5, 0.2 },\n"
           "  friction = %.17g, position = { 0, 0, 0.1 }, velocity = { %.17g, %.17g, 0 } }\n"
           "sys:contact { margin = 0.05 }\n%sreturn sys",
           g * sin(slope), -g * cos(slope), mu, mu, vx, vy, more);
  write_bytes(text, strlen(text));
}

#endif
