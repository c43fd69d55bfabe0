/* test_egg.c - the spinning egg of scene egg: it stands up if it spins fast, and not if it spins slowly.
 * Until it first leaves the table it moves as its equations of motion, written here for a spheroid. The
 * integral of Jellett is almost constant, and its error by moreau of order 1. */
#include "scenes.h"
#include "base/vec.h"
#include "elementary.h"

static const double g = 9.81, a = 0.03, b = 0.02, mu = 0.1, lean = 0.1, spin = 180;
static const char accurate[] = "events:inner=taylor:order=20";

/* ---- The equations of a spheroid ----------------------------------------------------------------------- */

/* Place and velocity across the vertical, the axis, and the angular momentum. */
enum { PLACE = 0, SPEED = 2, AXIS = 4, MOMENTUM = 7, SIZE = 10 };

/* Moments of inertia about the axis and across it, for unit mass. */
static const double C = 0.4 * b * b, A = 0.2 * (a * a + b * b);

/* Returns the height of the centre if the axis has the vertical component S; its first two derivatives. */
static double height(double s, double *first, double *second)
{
  const double h = sqrt(b * b + (a * a - b * b) * s * s);
  *first = (a * a - b * b) * s / h;
  *second = (a * a - b * b) / h - *first * *first / h;
  return h;
}

/* Computes the lowest point relative to the centre. */
static void lowest_point(const double e[3], double r[3])
{
  double first, second;
  const double h = height(e[2], &first, &second);
  for (int i = 0; i < 3; i++) r[i] = -(a * a * e[2] * e[i] + b * b * ((i == 2) - e[2] * e[i])) / h;
}

/* Computes the rates. The force of contact is N f with f = z - mu slip / |slip|; N is such that the centre
 * stays at the height of the axis, m z'' = N - m g = m (h' s'' + h'' s'^2), where s'' is linear in N. */
static void rates(const double y[SIZE], double dy[SIZE])
{
  const double *e = y + AXIS, *L = y + MOMENTUM, along = vec_dot(L, e), other = 1 / C - 1 / A;
  double w[3], r[3], turn[3], f[3] = { 0, 0, 1 }, moment[3], across[3], first, second;
  vec_scale(w, 1 / A, L);
  vec_add_scaled(w, other * along, e);
  vec_cross(dy + AXIS, w, e);
  lowest_point(e, r);
  vec_cross(turn, w, r);
  const double slip[2] = { y[SPEED] + turn[0], y[SPEED + 1] + turn[1] }, speed = hypot(slip[0], slip[1]);
  for (int i = 0; i < 2; i++) f[i] = -mu * slip[i] / speed;
  vec_cross(moment, r, f);
  vec_cross(across, moment, e);
  const double alpha = across[2] / A;
  vec_cross(across, dy + AXIS, e);
  vec_cross(turn, w, dy + AXIS);
  const double beta = other * along * across[2] + turn[2], rate = dy[AXIS + 2];
  height(e[2], &first, &second);
  const double N = (g + first * beta + second * rate * rate) / (1 - first * alpha);
  for (int i = 0; i < 2; i++) dy[PLACE + i] = y[SPEED + i], dy[SPEED + i] = N * f[i];
  vec_scale(dy + MOMENTUM, N, moment);
}

/* Integrates from the start of the scene to END by the Runge-Kutta method. */
static void integrate(double end, double y[SIZE])
{
  const double h = 2e-5;
  const int steps = (int)lround(end / h);
  memset(y, 0, SIZE * sizeof *y);
  y[AXIS + 1] = cos(lean), y[AXIS + 2] = sin(lean);
  for (int i = 0; i < 3; i++)
    y[MOMENTUM + i] = A * (i == 2) * spin + (C - A) * spin * y[AXIS + 2] * y[AXIS + i];
  for (int n = 0; n < steps; n++) {
    double k[4][SIZE], at[SIZE];
    memcpy(at, y, sizeof at);
    for (int s = 0; s < 4; s++) {
      rates(at, k[s]);
      for (int i = 0; i < SIZE; i++) at[i] = y[i] + (s < 2 ? 0.5 * h : h) * k[s][i];
    }
    for (int i = 0; i < SIZE; i++) y[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
  }
}

/* Returns the integral of Jellett over the mass, - L . r. */
static double jellett_of(const double e[3], const double L[3])
{
  double r[3];
  lowest_point(e, r);
  return -vec_dot(L, r);
}

/* ---- The scene ----------------------------------------------------------------------------------------- */

static void axis_of(const bench *t, double e[3])
{
  quat_rotate(e, t->state->pose[body_named(t, "egg")].q, (const double[3]){ 0, 1, 0 });
}

static double jellett(const bench *t)
{
  const int egg = body_named(t, "egg");
  double e[3], L[3];
  axis_of(t, e);
  const double *w = t->state->twist[egg].w, along = vec_dot(w, e);
  for (int i = 0; i < 3; i++) L[i] = A * w[i] + (C - A) * along * e[i];
  return jellett_of(e, L);
}

/* The egg first leaves the table after 0.784 s. */
static void egg_agrees_with_its_equations(void **unused)
{
  (void)unused;
  static const char *const spec[] = { accurate, "events:inner=lagrange:stepper=rk8pd" };
  double y[SIZE], first, second;
  integrate(0.5, y);
  printf("  after 0.5 s the axis is %.3f degrees above the level\n", asin(y[AXIS + 2]) * 180 / M_PI);
  for (int i = 0; i < 2; i++) {
    bench t = set_up("egg", spec[i]);
    double e[3];
    must_converge(&t, 5e-4, 0.5, NULL, NULL);
    const double *x = t.state->pose[body_named(&t, "egg")].x;
    axis_of(&t, e);
    vec_sub(e, e, y + AXIS);
    puts(spec[i]);
    check_below("place, m", hypot(x[0] - y[PLACE], x[1] - y[PLACE + 1]), 1e-9);
    check_below("height, m", x[2] - height(y[AXIS + 2], &first, &second), 1e-9);
    check_below("axis", vec_norm(e), 1e-8);
    tear_down(&t);
  }
}

static void error_of_the_integral_is_of_order_1(void **unused)
{
  (void)unused;
  enum { STEPS = 6 };
  double y[SIZE], h[STEPS], error[STEPS];
  integrate(0.5, y);
  const double exact = jellett_of(y + AXIS, y + MOMENTUM);
  for (int i = 0; i < STEPS; i++) {
    bench t = set_up("egg", "moreau:contact_tolerance=1e-12,tolerance=1e-12");
    h[i] = 2e-4 / (1 << i);
    must_converge(&t, h[i], 0.5, NULL, NULL);
    error[i] = fabs(jellett(&t) / exact - 1);
    printf("  h = %-10.4g Jellett's integral: error %.4e\n", h[i], error[i]);
    tear_down(&t);
  }
  check_near("order", hn_fit_order(h, error, STEPS), 1.0, 0.2);
}

/* Returns the angle of the axis from the vertical after END, degrees; *CHANGE: of Jellett's integral. */
static double lean_after(const char *spec, const char *setting, double h, double end, double *change)
{
  bench t = set_up_as("egg", setting ? WITH(setting) : NULL, spec);
  double e[3];
  const double before = jellett(&t);
  must_converge(&t, h, end, NULL, NULL);
  axis_of(&t, e);
  const double angle = hn_acos(fmin(1, fabs(e[2]))) * 180 / M_PI;
  *change = jellett(&t) / before - 1;
  printf(
    "  %s, h = %g s: %.2f degrees from the vertical, height %.5f m, Jellett's integral changed by %.4f\n",
    spec, h, angle, t.state->pose[body_named(&t, "egg")].x[2], *change);
  tear_down(&t);
  return angle;
}

/* The height of the centre grows by a half, Jellett's integral by less than a tenth of that. */
static void fast_egg_stands_up(void **unused)
{
  (void)unused;
  double change, coarse, exact;
  check_below("degrees from the vertical", lean_after(accurate, NULL, 1e-3, 4, &exact), 5);
  check_below("change of Jellett's integral", exact, 0.05);
  check_below("moreau: degrees", lean_after("moreau", NULL, 1e-4, 4, &coarse), 5);
  check_below("moreau, half the step: degrees", lean_after("moreau", NULL, 5e-5, 4, &change), 5);
  check_near("error of the integral, over that of half the step", (coarse - exact) / (change - exact), 2,
             0.5);
  check_below("impulse-contact: degrees", lean_after("impulse-contact", NULL, 1e-4, 4, &change), 5);
  check_below("change of Jellett's integral, less that of events", change - exact, 1e-3);
}

/* At a third of the spin it lies and slides until it rolls. */
static void slow_egg_lies(void **unused)
{
  (void)unused;
  double change;
  assert_true(lean_after(accurate, "spin=60", 1e-3, 4, &change) > 80);
  assert_true(lean_after("moreau", "spin=60", 1e-4, 4, &change) > 80);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(egg_agrees_with_its_equations),
    cmocka_unit_test(error_of_the_integral_is_of_order_1),
    cmocka_unit_test(fast_egg_stands_up),
    cmocka_unit_test(slow_egg_lies),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
