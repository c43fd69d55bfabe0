/* test_moreau_turns.c - rotation of asymmetric bodies in solver moreau: torque-free flight conserves energy
 * and angular momentum; compared with the other choices of `turn`. */
#include "scenes.h"
#include "base/vec.h"

/* The asymmetric body of scenes/free_top.lua at 10 s, after a flip, against the closed form at 40 digits: for
 * any step size and either theta. With gyroscopic torques of the start of the step (turn=cayley) it gains
 * energy. */
static void free_top_agrees_with_the_closed_form(void **unused)
{
  (void)unused;
  static const double q[4] = { -0.29796696110860477774, 0.94535729018642284072, 0.11484622844040650329,
                               -0.06576950503159263740 };
  static const struct {
    const char *spec;
    double h;
  } cases[] = {
    { "moreau", 0.01 },
    { "moreau:theta=0.5", 0.01 },
    { "moreau", 0.1 },
    { "moreau:sequence=guendelman", 0.01 },
    { "moreau:sequence=chain", 0.01 },
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    double error = 0;
    bench b = set_up("free_top", cases[k].spec);
    must_converge(&b, cases[k].h, 10, NULL, NULL);
    for (int c = 0; c < 4; c++) error = larger(error, fabs(b.state->pose[1].q[c] - q[c]));
    printf("%s, h = %g s\n", cases[k].spec, cases[k].h);
    /* Rounding, a few units of 2e-16 per step, amplified e^(1.15 * 7) times on the way to the flip and again
     * by the flip. */
    check_below("orientation at 10 s", error, 1e-9);
    check_below("energy error, relative", b.summary.energy_error_max / 4.02, 1e-12);
    tear_down(&b);
  }
  bench b = set_up("free_top", "moreau:turn=cayley");
  must_converge(&b, 0.01, 10, NULL, NULL);
  printf("turn=cayley: energy gain, %g J of 4.02 J\n", b.summary.energy_error_max);
  assert_true(b.summary.energy_error_max > 0.01);
  tear_down(&b);
}

typedef struct climb {
  double early, late; /* energies, J */
} climb;

static bool watch_climb(void *user, const hn_frame *frame)
{
  climb *w = user;
  const double energy = frame->measure->kinetic + frame->measure->potential;
  if (frame->state->time < 0.9) w->early = energy;
  w->late = energy;
  return true;
}

/* Returns the energy gain (J/s) of the rolling egg, which no force drives. */
static double energy_gain_rate(const char *turn, double h)
{
  char spec[128];
  climb w = { 0, 0 };
  snprintf(spec, sizeof spec, "moreau:contact_tolerance=1e-12,tolerance=1e-12,turn=%s", turn);
  bench b = set_up("rotating_egg", spec);
  must_converge(&b, h, 1.3, watch_climb, &w);
  printf("  turn=%s, h = %g s: %.4g J/s of %.4g J\n", turn, h, (w.late - w.early) / 0.4, w.early);
  tear_down(&b);
  return (w.late - w.early) / 0.4;
}

static void rolling_egg_gains_less_energy(void **unused)
{
  (void)unused;
  const double torques = energy_gain_rate("cayley", 5e-5), flight = energy_gain_rate("flight", 5e-5),
               half = energy_gain_rate("flight", 2.5e-5);
  check_below("gain relative to that with turn=cayley", flight / torques, 0.25);
  check_near("order 1: gain with half the step, relative", half / flight, 0.5, 0.1);
}

/* With equal moments of inertia the choice of `turn` has no effect. */
static void turn_does_not_matter_for_symmetric_bodies(void **unused)
{
  (void)unused;
  static const char *const scenes[] = { "sliding_to_rolling", "balls216" };
  for (int k = 0; k < 2; k++) {
    uint64_t hash[2];
    for (int i = 0; i < 2; i++) {
      bench b = set_up(scenes[k], i ? "moreau:turn=cayley" : "moreau");
      must_converge(&b, 1e-3, 0.05, NULL, NULL);
      hash[i] = b.summary.hash;
      tear_down(&b);
    }
    printf("  %s %016llx\n", scenes[k], (unsigned long long)hash[0]);
    assert_true(hash[0] == hash[1]);
  }
}

/* A tumbling box falls onto the floor, with joints to another one: impulses and flight explain all of the
 * momentum change. */
static void momentum_balances_with_free_rotation(void **unused)
{
  (void)unused;
  static const char *const specs[] = { "moreau", "moreau:turn=cayley", "moreau:sequence=chain",
                                       "moreau:theta=0.5" };
  for (int k = 0; k < 4; k++) {
    bench b = set_up_as("bridge", WITH("drop=0.5"), specs[k]);
    for (int i = 1; i < b.model->nbody; i++)
      if (b.model->body[i].kind == HN_RIGID && i == b.model->nbody - 1) vec_set(b.state->twist[i].w, 3, 5, 7);
    must_converge(&b, 0.002, 0.5, NULL, NULL);
    printf("%s\n", specs[k]);
    check_below("balance, N s", b.summary.contact.balance, 1e-12);
    tear_down(&b);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(free_top_agrees_with_the_closed_form),
    cmocka_unit_test(rolling_egg_gains_less_energy),
    cmocka_unit_test(turn_does_not_matter_for_symmetric_bodies),
    cmocka_unit_test(momentum_balances_with_free_rotation),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
