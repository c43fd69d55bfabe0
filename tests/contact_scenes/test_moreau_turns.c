/* test_moreau_turns.c - how bodies turn by themselves in time stepping: as in free flight, whose energy and angular
 * momentum stay; and what the two other ways make of it. */
#include "scenes.h"
#include "base/vec.h"

/* The asymmetric top of scenes/free_top.lua at 10 s, after a flip, against the closed form at 40 digits: in steps of
 * any size, with either weight of the last velocity. By gyroscopic torques of the beginning of a step it has energy
 * from nothing. */
static void a_free_top_turns_as_it_should(void **unused)
{
  (void)unused;
  static const double q[4] = { -0.29796696110860477774, 0.94535729018642284072, 0.11484622844040650329,
                               -0.06576950503159263740 };
  static const struct {
    const char *spec;
    double h;
  } ways[] = {
    { "moreau", 0.01 },
    { "moreau:theta=0.5", 0.01 },
    { "moreau", 0.1 },
    { "moreau:sequence=guendelman", 0.01 },
    { "moreau:sequence=chain", 0.01 },
  };
  for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
    double apart = 0;
    bench b = set_up("free_top", ways[k].spec);
    must_converge(&b, ways[k].h, 10, NULL, NULL);
    for (int c = 0; c < 4; c++) apart = larger(apart, fabs(b.state->pose[1].q[c] - q[c]));
    printf("%s, h = %g s\n", ways[k].spec, ways[k].h);
    /* Rounding, a few units of 2e-16 a step, magnified e^(1.15 * 7) times on the way to the flip and once more by it.
     */
    check_below("orientation at 10 s", apart, 1e-8);
    check_below("energy, of it", b.summary.energy_error_max / 4.02, 1e-12);
    tear_down(&b);
  }
  bench b = set_up("free_top", "moreau:turn=cayley");
  must_converge(&b, 0.01, 10, NULL, NULL);
  printf("turn=cayley: energy from nothing, %g J of 4.02 J\n", b.summary.energy_error_max);
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

/* J/s, once the egg rolls and nothing is done to it. */
static double gain_of(const char *turn, double h)
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

static void an_egg_gains_less(void **unused)
{
  (void)unused;
  const double torques = gain_of("cayley", 5e-5), flight = gain_of("flight", 5e-5),
               half = gain_of("flight", 2.5e-5);
  check_below("of the gain by torques of the beginning", flight / torques, 0.25);
  check_near("it is of order 1: a step of half the size", half / flight, 0.5, 0.1);
}

/* Where moments are all the same there is nothing to fly. */
static void balls_and_cubes_turn_as_ever(void **unused)
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

/* A box that tumbles onto the floor, with joints to another one: what impulses and the flight do is all that changes
 * its momentum. */
static void momentum_balances_with_the_flight(void **unused)
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
    check_below("balance, N s", b.summary.contact.balance, 1e-10);
    tear_down(&b);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_free_top_turns_as_it_should),
    cmocka_unit_test(an_egg_gains_less),
    cmocka_unit_test(balls_and_cubes_turn_as_ever),
    cmocka_unit_test(momentum_balances_with_the_flight),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
