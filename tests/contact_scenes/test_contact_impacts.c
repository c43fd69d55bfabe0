/* test_contact_impacts.c - impacts for which impact laws differ: simultaneous impacts, impacts with friction,
 * jamming, and a stop modelled as a contact or as a joint limit. Compared with closed forms of a single
 * impact. */
#include "scenes.h"
#include "base/vec.h"

/* ---- A cradle ------------------------------------------------------------------------------------------ */

enum { BALLS = 5 };

/* Runs the cradle until time t; writes the velocities of the balls along x, relative to that of the first
 * ball before the impact. */
static void cradle(const char *spec, const char *gap, double h, double t, double out[BALLS])
{
  bench b = set_up_as("newton_cradle", WITH(gap), spec);
  const hn_body *ball = &b.model->body[1];
  const double omega = sqrt(ball->mass * 9.81 / (ball->mass + ball->J[2])), before = 2 * omega * sin(0.25);
  must_converge(&b, h, t, NULL, NULL);
  double energy = 0.0, sum = 0.0;
  printf("  %-24s %-9s", spec, gap);
  for (int i = 0; i < BALLS; i++) {
    out[i] = b.state->twist[i + 1].v[0] / before;
    sum += out[i], energy += out[i] * out[i];
    printf(" %8.4f", out[i]);
  }
  printf("  sum %.4f, of squares %.4f\n", sum, energy);
  tear_down(&b);
}

/* The impact is at 0.5133 s, 5 to 10 ms before the end at 0.52 s. Meanwhile gravity changes velocities by at
 * most g (1.55 m/s * 10 ms) * 10 ms = 1.5e-3 m/s, a thousandth. The angle error of one step adds v h. */
static void cradle_impacts_are_simultaneous_or_sequential(void **unused)
{
  (void)unused;
  double v[BALLS];
  cradle("moreau", "gap=0", 1e-4, 0.52, v);
  for (int i = 0; i < BALLS; i++)
    check_near("simultaneous", v[i], i == 0 ? (2.0 - BALLS) / BALLS : 2.0 / BALLS, 2e-3);
  cradle("moreau", "gap=0.001", 1e-4, 0.52, v);
  for (int i = 0; i < BALLS; i++) check_near("sequential", v[i], i == BALLS - 1 ? 1.0 : 0.0, 2e-3);
  static const char *const laws[] = { "impulse-contact", "impulse-contact:restitution=newton" };
  /* Poisson's law transfers the compression impulse, Newton's law prescribes the velocity: equal results
   * here. */
  for (int k = 0; k < 2; k++) {
    cradle(laws[k], "gap=0", 1e-3, 0.52, v);
    for (int i = 0; i < BALLS; i++)
      check_near("simultaneous", v[i], i == 0 ? (2.0 - BALLS) / BALLS : 2.0 / BALLS, 2e-3);
    cradle(laws[k], "gap=0.001", 1e-3, 0.52, v);
    for (int i = 0; i < BALLS; i++) check_near("sequential", v[i], i == BALLS - 1 ? 1.0 : 0.0, 2e-3);
  }
  puts("  other solvers, no gap (not checked):");
  cradle("impulse-gs", "gap=0", 1e-3, 0.52, v);
  cradle("xpbd", "gap=0", 1e-3, 0.52, v);
  cradle("tgs-soft", "gap=0", 1e-3, 0.52, v);
}

/* ---- Painleve's rod ------------------------------------------------------------------------------------ */

/* Computes the Delassus matrix K of a contact at `arm` of a planar body of mass m and moment J; normal y,
 * tangent x. */
static void contact_matrix(double m, double J, const double arm[2], double K[3]) /* nn, nt, tt */
{
  K[0] = 1 / m + arm[0] * arm[0] / J;
  K[1] = -arm[0] * arm[1] / J;
  K[2] = 1 / m + arm[1] * arm[1] / J;
}

/* One step from zero normal velocity. The foot sticks with p = -K^-1 (-g h, v) if that lies in the cone and
 * sliding has no solution; otherwise it slides with p_n = g h / (K_nn - mu K_nt). */
static void painleve_rod_jams(void **unused)
{
  (void)unused;
  static const char *const solvers[] = { "pgs", "admm", "newton", "lemke" };
  const double arm[2] = { 0.25, -0.5 * sin(M_PI / 3) - 1e-6 }, v = 3.0;
  double K[3];
  contact_matrix(1, 0.25 / 3, arm, K);
  assert_true(K[0] - 2 * K[1] < 0 && K[0] - 1 * K[1] > 0);
  for (int s = 0; s < 4; s++)
    for (double h = 1e-3; h > 1e-8; h *= 1e-2) {
      char spec[96];
      snprintf(spec, sizeof spec, "moreau:contact=%s,contact_tolerance=1e-11", solvers[s]);
      bench jams = set_up("painleve", spec), slides = set_up_as("painleve", WITH("friction=1"), spec);
      const double det = K[0] * K[2] - K[1] * K[1];
      const double stuck[2] = { (K[2] * 9.81 * h + K[1] * v) / det, -(K[0] * v + K[1] * 9.81 * h) / det };
      assert_true(fabs(stuck[1]) < 2 * stuck[0]);
      must_converge(&jams, h, h, NULL, NULL);
      must_converge(&slides, h, h, NULL, NULL);
      const hn_twist *u = &jams.state->twist[2];
      printf(" %s, h = %g s\n", solvers[s], h);
      check_near("jammed: normal impulse, N s", jams.state->contact[0].impulse[0], stuck[0], 1e-9);
      check_below("  speed of the foot, m/s", u->v[0] - arm[1] * u->w[2], 1e-9);
      check_near("  rate, rad/s", u->w[2], (arm[0] * stuck[0] - arm[1] * stuck[1]) / (0.25 / 3), 1e-8);
      check_near("sliding with mu = 1: normal impulse over h, N", slides.state->contact[0].impulse[0] / h,
                 9.81 / (K[0] - 1 * K[1]), 1e-9 / h);
      tear_down(&jams), tear_down(&slides);
    }
}

/* ---- Newton's law and friction ------------------------------------------------------------------------- */

typedef struct impact {
  double M[3], G[2][2], K[3]; /* mass matrix; Jacobian of the tip; its Delassus matrix nn, nt, tt */
} impact;

/* Returns the double pendulum of two rods of 1 m and 1 kg at 20 and 30 degrees, with a tip of radius 1 um. */
static impact pendulum(void)
{
  const double a = 20 * M_PI / 180, b = 30 * M_PI / 180, r = 1e-6;
  impact i = { { 4.0 / 3, 0.5 * cos(a - b), 1.0 / 3 },
               { { sin(a), sin(b) }, { cos(a), cos(b) + r } },
               { 0 } };
  const double det = i.M[0] * i.M[2] - i.M[1] * i.M[1];
  for (int k = 0; k < 3; k++) {
    const double *p = i.G[k / 2], *q = i.G[(k + 1) / 2];
    i.K[k] = (p[0] * (i.M[2] * q[0] - i.M[1] * q[1]) + p[1] * (i.M[0] * q[1] - i.M[1] * q[0])) / det;
  }
  return i;
}

/* Solves Coulomb's law for velocities v and a target of the normal velocity: sticking, or sliding either
 * way. */
static void coulomb(const impact *i, double target, double mu, const double v[2], double p[2])
{
  const double *K = i->K, det = K[0] * K[2] - K[1] * K[1], n = v[0] - target;
  p[0] = -(K[2] * n - K[1] * v[1]) / det, p[1] = -(K[0] * v[1] - K[1] * n) / det;
  if (fabs(p[1]) <= mu * p[0]) return;
  for (int sign = -1; sign <= 1; sign += 2) {
    p[0] = -n / (K[0] - sign * mu * K[1]), p[1] = -sign * mu * p[0];
    if (p[0] > 0 && sign * (v[1] + K[1] * p[0] + K[2] * p[1]) >= 0) return;
  }
  fail_msg("no impulse");
}

/* Returns the energy change due to impulse p: p times the mean of the velocities before and after. */
static double energy_gain(const impact *i, const double v[2], const double p[2])
{
  const double *K = i->K, n = v[0] + 0.5 * (K[0] * p[0] + K[1] * p[1]),
               t = v[1] + 0.5 * (K[1] * p[0] + K[2] * p[1]);
  return p[0] * n + p[1] * t;
}

/* Returns the energy change by Poisson's law: compression to rest, then e times its normal impulse, with the
 * friction of sticking, limited to the cone. */
static double energy_gain_by_poisson(const impact *i, double e, double mu, const double v[2])
{
  const double *K = i->K;
  double p[2], q[2], u[2];
  coulomb(i, 0.0, mu, v, p);
  u[1] = v[1] + K[1] * p[0] + K[2] * p[1];
  q[0] = e * p[0], q[1] = -(u[1] + K[1] * q[0]) / K[2];
  q[1] = fmin(fmax(q[1], -mu * q[0]), mu * q[0]);
  const double sum[2] = { p[0] + q[0], p[1] + q[1] };
  return energy_gain(i, v, sum);
}

static void newtons_law_can_increase_energy(void **unused)
{
  (void)unused;
  static const double each[][2] = {
    { 0, 0.5 }, { 0.5, 0 }, { 0.5, 0.3 }, { 0.5, 0.5 }, { 0.7, 0.7 }
  }; /* e, mu */
  const impact i = pendulum();
  const double v[2] = { -0.1 * i.G[0][0] - 0.2 * i.G[0][1], -0.1 * i.G[1][0] - 0.2 * i.G[1][1] };
  for (size_t k = 0; k < sizeof each / sizeof *each; k++) {
    const double e = each[k][0], mu = each[k][1];
    char text[2][64];
    double p[2];
    snprintf(text[0], sizeof text[0], "restitution=%g", e);
    snprintf(text[1], sizeof text[1], "friction=%g", mu);
    bench b = set_up_as("kane_pendulum", WITH(text[0], text[1]), "moreau:contact_tolerance=1e-13");
    must_converge(&b, 1e-6, 1e-6, NULL, NULL);
    coulomb(&i, -e * v[0], mu, v, p);
    const double before = b.summary.energy_initial, gain = energy_gain(&i, v, p);
    printf(" e = %g, mu = %g: of %.5g J, by Newton's law %+.5g J, by Poisson's %+.5g J\n", e, mu, before,
           gain, energy_gain_by_poisson(&i, e, mu, v));
    /* Bounds: velocities change by 1e-6 of a step; gaps stay open by h^2, h times squared rates. */
    check_near("energy change by the impact, J", b.summary.energy_final - before, gain, 1e-7);
    check_near("reported energy gain, J", b.summary.energy_gain, fmax(gain, 0), 1e-7);
    check_below("residual of the contact law, m/s", b.summary.contact.residual, 1e-11);
    tear_down(&b);
  }
}

/* ---- A rocking block ----------------------------------------------------------------------------------- */

static const double half_width = 0.1, half_height = 0.5, mass = 10; /* m, kg: values of the scene */

/* Energy at the start (J), gain by the first impact and its time: the first step in which the energy
 * changes. */
typedef struct strike {
  double start, gain, time;
} strike;

static bool watch_strike(void *user, const hn_frame *frame)
{
  strike *w = user;
  const double energy = frame->measure->kinetic + frame->measure->potential;
  if (frame->index == 0) w->start = energy;
  w->gain = energy - w->start, w->time = frame->state->time;
  return fabs(w->gain) < 1e-6;
}

static strike rock(const char *restitution, const char *law)
{
  char spec[96];
  strike w = { 0 };
  snprintf(spec, sizeof spec, "events:inner=lagrange:stepper=rk8pd,restitution=%s", law);
  bench b = set_up_as("rocking_block", WITH(restitution), spec);
  assert_int_equal(run(&b, 0.001, 1, watch_strike, &w), HN_INTERRUPTED);
  tear_down(&b);
  return w;
}

/* Computes the normal and tangential velocity of the impacting corner while the block turns about the other
 * corner. */
static impact block(double v[2], double *energy)
{
  const double R2 = half_width * half_width + half_height * half_height,
               alpha = atan2(half_width, half_height), J = mass * R2 / 3;
  impact i = { .K = { 1 / mass + half_width * half_width / J, 0, 1 / mass + half_height * half_height / J } };
  /* It starts at half of alpha. An upward impulse at the left corner turns the block clockwise and moves
   * that corner left, the direction of the tangent. The block turns about the right corner; the impact is
   * normal. */
  const double w = sqrt(2 * 3 * 9.81 / (4 * sqrt(R2)) * (cos(0.5 * alpha) - cos(alpha)));
  i.K[1] = half_width * half_height / J;
  v[0] = -2 * half_width * w, v[1] = 0;
  *energy = 0.5 * (4 * J) * w * w;
  return i;
}

/* Housner: an impact leaves r = 1 - 1.5 sin(alpha)^2 of the rate; the period is about 4 / p acosh(1 / (1 -
 * lean)), lean relative to alpha. The approximation of sin(alpha - angle) is accurate to alpha^2 / 6 = 0.7
 * %. */
static void rocking_block_agrees_with_housner(void **unused)
{
  (void)unused;
  double v[2], energy;
  block(v, &energy);
  const double alpha = atan2(half_width, half_height), r = 1 - 1.5 * sin(alpha) * sin(alpha);
  const double p = sqrt(3 * 9.81 / (4 * hypot(half_width, half_height)));
  const strike w = rock("restitution=0", "poisson");
  check_near("energy after the first impact, relative", 1 + w.gain / energy, r * r, 1e-10);
  check_near("a quarter of a period, s", w.time - 0.0005, acosh(2) / p, 0.007 * acosh(2) / p + 0.0005);
}

/* Both laws with restitution e: the impacting corner sticks; the other one detaches. */
static void rocking_block_by_newton_and_poisson(void **unused)
{
  (void)unused;
  static const double each[] = { 0, 0.2, 0.4 };
  double v[2], energy, p[2];
  const impact i = block(v, &energy);
  for (int k = 0; k < 3; k++) {
    char text[32];
    snprintf(text, sizeof text, "restitution=%g", each[k]);
    const strike newton = rock(text, "newton"), poisson = rock(text, "poisson");
    coulomb(&i, -each[k] * v[0], 0.6, v, p);
    const double by_newton = energy_gain(&i, v, p), by_poisson = energy_gain_by_poisson(&i, each[k], 0.6, v);
    printf(" e = %g: of %.6f J, by Newton's law %+.6f J, by Poisson's %+.6f J\n", each[k], energy, by_newton,
           by_poisson);
    check_near("by Newton's law, J", newton.gain, by_newton, 1e-9);
    check_near("by Poisson's, J", poisson.gain, by_poisson, 1e-9);
  }
}

/* ---- A wall, or a stop --------------------------------------------------------------------------------- */

typedef struct pair {
  double difference;
  long impacts;
  double v;
} pair;

static bool watch_pair(void *user, const hn_frame *frame)
{
  pair *w = user;
  const hn_pose *x = frame->state->pose;
  const double v = frame->state->twist[2].v[0];
  w->difference = larger(w->difference, hypot(x[3].x[0] - x[2].x[0] - 3, x[3].x[1] - x[2].x[1]));
  w->impacts += w->v < 0 && v >= 0 && x[2].x[0] < 0.1;
  w->v = v;
  return true;
}

/* One row each: the gap l sin(angle) over the lever l cos(angle), or the angle. They differ by (w h)^3 / (3
 * h) when a step ends at the stop with rate tan(angle) / h or angle / h; w is at most 3.1 rad/s. The
 * difference then accumulates as displacement. The projection leaves 1e-9 m. */
static void wall_contact_equals_joint_limit(void **unused)
{
  (void)unused;
  static const char *const restitution[] = { "restitution=0", "restitution=0.5", "restitution=1" };
  static const char *const specs[] = { "moreau", "moreau:contact=newton", "moreau:contact=pgs" };
  for (int e = 0; e < 3; e++)
    for (int s = 0; s < 3; s++)
      for (double h = 1e-3; h > 2e-4; h /= 4) {
        pair w = { 0 };
        bench b = set_up_as("wall", WITH(restitution[e]), specs[s]);
        must_converge(&b, h, 4, watch_pair, &w);
        printf(" %s, %s, h = %g s: %ld impacts\n", specs[s], restitution[e], h, w.impacts);
        assert_true(w.impacts > 0);
        check_below("largest difference of wall and limit, m", w.difference,
                    (double)w.impacts * (4 * pow(3.1, 3) * h * h / 3 + 1e-9));
        tear_down(&b);
      }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(cradle_impacts_are_simultaneous_or_sequential),
    cmocka_unit_test(painleve_rod_jams),
    cmocka_unit_test(newtons_law_can_increase_energy),
    cmocka_unit_test(rocking_block_agrees_with_housner),
    cmocka_unit_test(rocking_block_by_newton_and_poisson),
    cmocka_unit_test(wall_contact_equals_joint_limit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
