/* test_long_energy.c - energy over 1e5 steps: no drift by symplectic solvers, and by others the loss that
 * theory predicts for an oscillator. */
#include "drift.h"
#include "scenes.h"
#include "force_models.h"

enum { LONG = 100000, SHORT = 1000 };

static hn_measure measure_of(const hn_model *model, const hn_state *state)
{
  hn_measure m;
  hn_measure_state(model, state, &m);
  return m;
}

static double energy_of(const hn_measure *m)
{
  return m->kinetic + m->potential;
}

/* ---- Energy without drift ------------------------------------------------------------------------------ */

typedef struct energies {
  const hn_model *model;
  drift whole, first; /* the run; its first SHORT steps */
} energies;

static bool observe_energy(void *user, const hn_frame *frame)
{
  energies *e = user;
  const hn_measure m = measure_of(e->model, frame->state);
  drift_add(&e->whole, energy_of(&m));
  if (e->first.count < SHORT) drift_add(&e->first, energy_of(&m));
  return true;
}

static energies energies_of(bench *b, double h)
{
  energies e = { .model = b->model, .whole = { .steps = LONG }, .first = { .steps = SHORT } };
  must_converge(b, h, LONG * h, observe_energy, &e);
  tear_down(b);
  return e;
}

/* The energy error of a symplectic step is a function of the state. On regular motions its range is soon that
 * of the run, and three times that of the first steps is ample. The energy of rk4 drifts by more than half of
 * its range: the test can fail. */
static void energy_of_symplectic_steps_does_not_drift(void **state)
{
  (void)state;
  static const struct {
    const char *scene, *spec;
    double h;
    bool drifts;
  } each[] = {
    { "free_top", "variational:derivative=exponential,tolerance=1e-13", 0.05, false },
    { "spherical_pendulum", "variational:tolerance=1e-13", 0.02, false },
    { "gyroscope", "variational:tolerance=1e-13,redundancy=remove", 5e-4, false },
    { "compound_pendulum", "variational:derivative=exponential,tolerance=1e-13", 0.02, false },
    { "compound_pendulum", "articulated:stepper=semi-implicit", 0.005, false },
    { "compound_pendulum", "articulated", 0.1, true },
    { "spherical_pendulum", "null-space", 0.05, true },
  };
  for (size_t i = 0; i < sizeof each / sizeof *each; i++) {
    bench b = set_up(each[i].scene, each[i].spec);
    const energies e = energies_of(&b, each[i].h);
    const double range = drift_range(&e.whole), part = fabs(drift_of(&e.whole)) / range;
    printf(" %s, h = %g s, %s: range %.2e J, in the first %d steps %.2e J\n", each[i].scene, each[i].h,
           each[i].spec, range, SHORT, drift_range(&e.first));
    if (each[i].drifts) check_below("range / 2 drift", 0.5 / part, 1.0);
    else check_below("range / that of the first steps", range / drift_range(&e.first), 3.0);
    if (!each[i].drifts) check_below("drift / range", part, 0.02);
  }
}

/* ---- Damping ------------------------------------------------------------------------------------------- */

/* A mass of 1 kg on a spring of 1 N/m: steps of h have the amplification of x' = i x with a step of h. */

/* Returns |R(i z)| of Radau IIA with 1 to 3 stages [hairer1996, table IV.3.1]. */
static double radau_factor(int stages, double z)
{
  if (stages == 1) return 1 / hypot(1, z);
  if (stages == 2) return hypot(1, z / 3) / hypot(1 - z * z / 6, 2 * z / 3);
  return hypot(1 - z * z / 20, 2 * z / 5) / hypot(1 - 3 * z * z / 20, 3 * z / 5 - z * z * z / 60);
}

/* Returns the same of the backward differentiation formula of order k for long runs, by its recurrence. */
static double bdf_factor(int k, double z)
{
  static const double gamma[3][3] = { { 1 }, { 1.5, -0.5 }, { 11.0 / 6, -7.0 / 6, 1.0 / 3 } };
  double y[4][2], before = 1;
  for (int i = 0; i <= k; i++) y[i][0] = cos(-i * z), y[i][1] = sin(-i * z);
  for (int n = 0; n < SHORT; n++) {
    double sum[2] = { 0, 0 }; /* gamma_0 y_1 - i z y_1 = sum */
    for (int c = 0; c < 2; c++) {
      sum[c] = gamma[k - 1][0] * y[0][c];
      for (int i = 1; i < k; i++) sum[c] -= gamma[k - 1][i] * (y[i - 1][c] - y[i][c]);
    }
    memmove(y[1], y[0], sizeof *y * (size_t)k);
    const double real = gamma[k - 1][0], size = real * real + z * z;
    y[0][0] = (real * sum[0] - z * sum[1]) / size, y[0][1] = (real * sum[1] + z * sum[0]) / size;
    if (n == SHORT / 2 - 1) before = hypot(y[0][0], y[0][1]);
  }
  return pow(hypot(y[0][0], y[0][1]) / before, 2.0 / SHORT);
}

/* Returns the same of the generalised-alpha family, by its recurrence, in which energy oscillates within a
 * period: the mean over the last half of the steps. */
static double alpha_factor(double alpha_m, double alpha_f, double gamma, double z)
{
  const double beta = 0.25 * (gamma + 0.5) * (gamma + 0.5), k = z * z;
  double x = 0, v = z, a = 0, log_mean[2] = { 0, 0 };
  for (int n = 0; n < LONG; n++) {
    const double ahead = x + v + (0.5 - beta) * a;
    const double next = (-alpha_m * a - alpha_f * k * x - (1 - alpha_f) * k * ahead) /
                        (1 - alpha_m + (1 - alpha_f) * k * beta);
    x = ahead + beta * next, v += (1 - gamma) * a + gamma * next, a = next;
    log_mean[n >= LONG / 2] += log(x * x + v * v / k) / LONG; /* half the mean of log(energy) */
  }
  return exp(2 * (log_mean[1] - log_mean[0]) / LONG);
}

/* The logarithm of energy, and the means of energy over blocks. */
typedef struct losses {
  const hn_model *model;
  int count;
  double log_mean[2], block[DRIFT_BLOCKS];
} losses;

static bool observe_loss(void *user, const hn_frame *frame)
{
  losses *l = user;
  const hn_measure m = measure_of(l->model, frame->state);
  if (l->count >= LONG) return true;
  l->log_mean[l->count >= LONG / 2] += log(energy_of(&m)) / LONG;
  l->block[l->count * DRIFT_BLOCKS / LONG] += energy_of(&m) * DRIFT_BLOCKS / LONG;
  l->count++;
  return true;
}

/* Returns ln of the factor of amplitudes in a step. GROWS: energy increases from block to block. */
static double measured_rate(const char *spec, double h, bool grows)
{
  hn_error error;
  hn_model *model = without_gravity();
  hn_body_spec spec_of = { .name = "bob",
                           .kind = HN_PARTICLE,
                           .has_mass = true,
                           .mass = 1,
                           .position = { 1, 0, 0 },
                           .orientation = { 1 },
                           .velocity = { 0.1, 0, 0 } };
  const int bob = must_add(model, &spec_of);
  hn_joint_spec line = { .type = "point_on_line",
                         .a = 0,
                         .b = bob,
                         .has_points = true,
                         .at_a = { 1, 0, 0 },
                         .at_b = { 1, 0, 0 },
                         .axis_a = { 1, 0, 0 } };
  if (hn_model_add_joint(model, &line, &error) < 0) fail_msg("%s", error.text);
  add_force(model, "spring", 0, bob, "stiffness=1", (hn_force_spec){ .geometry = { .at_b = { 1, 0, 0 } } });
  bench b = { .model = model, .solver = new_solver(spec, model), .state = hn_state_create(model) };
  losses l = { .model = model };
  must_converge(&b, h, LONG * h, observe_loss, &l);
  for (int i = 1; i < DRIFT_BLOCKS; i++)
    if (grows ? l.block[i] <= l.block[i - 1] : l.block[i] >= l.block[i - 1])
      fail_msg("%s: block %d: energy %.17g J after %.17g J", spec, i, l.block[i], l.block[i - 1]);
  hn_state_free(b.state), hn_solver_free(b.solver), hn_model_free(model);
  return 2 * (l.log_mean[1] - l.log_mean[0]) / LONG;
}

/* Compares with the factor of theory: 1 % leaves room for the start and for oscillations within a period. */
static void check_rate(const char *spec, double h, double factor)
{
  char text[100];
  const double rate = measured_rate(spec, h, factor > 1), expected = log(factor);
  snprintf(text, sizeof text, "%s, h w = %g: ln(amplitude) in 1e5 steps", spec, h);
  check_near(text, LONG * rate, LONG * expected, 0.01 * LONG * fabs(expected));
}

static void oscillators_lose_the_energy_of_theory(void **state)
{
  (void)state;
  const double r = 0.9, f = r / (r + 1), m = (2 * r - 1) / (r + 1), q = (1 - r) / (1 + r);
  check_rate("radau:stages=1", 0.01, radau_factor(1, 0.01));
  check_rate("radau:stages=2", 0.2, radau_factor(2, 0.2));
  check_rate("radau", 0.8, radau_factor(3, 0.8));
  check_rate("generalised-alpha:tolerance=1e-14", 0.5, alpha_factor(m, f, 0.5 + f - m, 0.5));
  check_rate("generalised-alpha:formulation=ggl,tolerance=1e-14", 0.5, alpha_factor(m, f, 0.5 + f - m, 0.5));
  check_rate("generalised-alpha:scheme=hht,tolerance=1e-14", 0.2, alpha_factor(0, q, 0.5 + q, 0.2));
  check_rate("generalised-alpha:scheme=wbz,tolerance=1e-14", 0.2, alpha_factor(-q, 0, 0.5 + q, 0.2));
  check_rate("generalised-alpha:scheme=newmark,tolerance=1e-14", 0.02,
             alpha_factor(0, 0, (3 - r) / (2 + 2 * r), 0.02));
  check_rate("penalty:newton_tolerance=1e-14,rho_inf=0.5", 0.2, alpha_factor(0, 1.0 / 3, 5.0 / 6, 0.2));
  check_rate("blie:order=1,tolerance=1e-14", 0.01, bdf_factor(1, 0.01));
  check_rate("blie:tolerance=1e-14", 0.1, bdf_factor(2, 0.1));
  check_rate("blie:order=3,tolerance=1e-14", 0.05, bdf_factor(3, 0.05));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(energy_of_symplectic_steps_does_not_drift),
    cmocka_unit_test(oscillators_lose_the_energy_of_theory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
