/* test_random_mechanisms.c - random mechanisms without contact: events has the bits of its inner solver, and
 * impulse-gs converges in every order of the joints and in every unit. */
#include "random_scenes.h"

#define MECHANISM "random_mechanism"

/* ---- events -------------------------------------------------------------------------------------------- */

/* Two scenes with the same motion: the second one without contacts, for the inner solver alone. */
static const family without_contact[][2] = {
  { { MECHANISM, { NULL }, 0.01, 8 }, { MECHANISM, { NULL }, 0.01, 8 } },
  { { MECHANISM, { "ratio=1e4", "aligned=true", "loops=1" }, 0.01, 2 },
    { MECHANISM, { "ratio=1e4", "aligned=true", "loops=1" }, 0.01, 2 } },
  { { MECHANISM, { "ratio=1e4", "aligned=true", "floor=true" }, 0.01, 2 },
    { MECHANISM, { "ratio=1e4", "aligned=true" }, 0.01, 2 } },
};

static bool are_same(const ending *one, const ending *other)
{
  return memcmp(one->pose, other->pose, sizeof one->pose) == 0 &&
         memcmp(one->twist, other->twist, sizeof one->twist) == 0;
}

/* If the inner solver cannot do a step, events tries halves. The last two inner solvers keep a history of the
 * motion, also where steps end at times with rounding errors, as from 0.05 s on. A scene that could have
 * contacts starts it anew in every step: there the first two are compared. */
static void events_is_its_inner_solver(void **unused)
{
  (void)unused;
  static const char *const inner[][2] = {
    { "events", "lagrange:redundancy=remove,stabilisation=projection" },
    { "events:inner=impulse-sle:redundancy=remove", "impulse-sle:redundancy=remove" },
    { "events:inner=generalised-alpha:redundancy=remove", "generalised-alpha:redundancy=remove" },
    { "events:inner=taylor:redundancy=remove", "taylor:redundancy=remove" },
  };
  enum { SEEDS = 40 };
  for (size_t m = 0; m < sizeof without_contact / sizeof *without_contact; m++)
    for (int i = 0; i < (m == 0 ? 4 : 2); i++) {
      unsigned converged = 0, same = 0;
      for (int seed = 1; seed <= SEEDS; seed++) {
        const ending alone = run_random(&without_contact[m][1], seed, inner[i][1], false);
        if (alone.summary.reason != HN_CONVERGED) continue;
        const ending inside = run_random(&without_contact[m][0], seed, inner[i][0], true);
        converged++, same += inside.summary.reason == HN_CONVERGED && are_same(&inside, &alone);
      }
      printf(" %s, mechanisms %zu\n", inner[i][0], m);
      ASSERT_COUNT("mechanisms with the bits of the inner solver", same, converged);
      assert_true(converged >= 36);
    }
}

/* ---- impulse-gs ---------------------------------------------------------------------------------------- */

/* All need fewer sweeps than the limit, and no rule may end them before: residuals rest for a while, or
 * rise. In the last family velocities of 1000 m/s have rounding errors above the tolerance. */
static void sweeps_converge_in_every_order_and_unit(void **unused)
{
  (void)unused;
  static const family as[] = {
    { MECHANISM, { NULL }, 0.01, 1 },           { MECHANISM, { "order=3" }, 0.01, 1 },
    { MECHANISM, { "turn=1" }, 0.01, 1 },       { MECHANISM, { "mass=1000" }, 0.01, 1 },
    { MECHANISM, { "length=0.01" }, 0.001, 1 },
  };
  static const family large = { MECHANISM, { "length=1e6" }, 10, 1 };
  for (size_t i = 0; i < sizeof as / sizeof *as; i++) {
    printf(" %s\n", as[i].setting[0] ? as[i].setting[0] : "as created");
    ASSERT_COUNT("runs that converge", count_converged(&as[i], 1, 32, "impulse-gs"), 32);
  }
  puts(" length=1e6");
  ASSERT_COUNT("runs that converge",
               count_converged(&large, 5, 12, "impulse-gs:tolerance=1e-3,velocity_tolerance=1e-13"), 8);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(events_is_its_inner_solver),
    cmocka_unit_test(sweeps_converge_in_every_order_and_unit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
