/* test_random_mechanisms.c - random mechanisms without contact: events has the bits of its inner solver, and
 * impulse-gs ends only at its limit of sweeps, in every order of the joints and in other units. */
#include "models.h"
#include "scene.h"

#include <stdlib.h>

/* One mechanism of tests/support/random_mechanism.lua, and the steps of its run. */
typedef struct mechanism {
  const char *setting[3][2]; /* names and values; ended by NULL */
  double h;
  int steps;
} mechanism;

static hn_scene *load(const mechanism *m, int seed)
{
  char file[4096], number[16];
  hn_error error;
  const char *sources = getenv("srcdir");
  hn_setting setting[4] = { { "seed", number } };
  size_t count = 1;
  snprintf(file, sizeof file, "%s/tests/support/random_mechanism.lua", sources ? sources : ".");
  snprintf(number, sizeof number, "%d", seed);
  for (; count < 4 && m->setting[count - 1][0]; count++)
    setting[count] = (hn_setting){ m->setting[count - 1][0], m->setting[count - 1][1] };
  hn_scene *scene = hn_scene_load(file, setting, count, &error);
  if (!scene) fail_msg("%s", error.text);
  return scene;
}

/* The end of a run: at most six bodies that move. */
typedef struct ending {
  hn_summary summary;
  hn_pose pose[6];
  hn_twist twist[6];
} ending;

static ending run(const mechanism *m, int seed, const char *spec)
{
  ending end = { .pose[0].x[0] = 0.0 };
  hn_scene *scene = load(m, seed);
  hn_solver *solver = new_solver(spec, scene->model);
  hn_state *at = hn_state_create(scene->model);
  hn_run_options options = { .step = m->h, .duration = m->steps * m->h };
  hn_run(solver, at, &options, &end.summary);
  for (int i = 1; i < at->nbody && scene->model->body[i].kind != HN_FIXED; i++)
    end.pose[i - 1] = at->pose[i], end.twist[i - 1] = at->twist[i];
  hn_state_free(at);
  hn_solver_free(solver);
  hn_scene_free(scene);
  return end;
}

/* ---- events -------------------------------------------------------------------------------------------- */

/* Two scenes with the same motion: the second one without contacts, for the inner solver alone. */
static const mechanism without_contact[][2] = {
  { { { { NULL } }, 0.01, 5 }, { { { NULL } }, 0.01, 5 } },
  { { { { "ratio", "1e4" }, { "aligned", "true" }, { "loops", "1" } }, 0.01, 2 },
    { { { "ratio", "1e4" }, { "aligned", "true" }, { "loops", "1" } }, 0.01, 2 } },
  { { { { "ratio", "1e4" }, { "aligned", "true" }, { "floor", "true" } }, 0.01, 2 },
    { { { "ratio", "1e4" }, { "aligned", "true" } }, 0.01, 2 } },
};

static bool are_same(const ending *one, const ending *other)
{
  return memcmp(one->pose, other->pose, sizeof one->pose) == 0 &&
         memcmp(one->twist, other->twist, sizeof one->twist) == 0;
}

/* If the inner solver cannot do a step, events tries halves. The last two inner solvers keep a history of the
 * motion. A scene that could have contacts starts it anew in every step: there the first two are compared. */
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
    for (int i = 0; i < (without_contact[m][0].setting[2][1] ? 2 : 4); i++) {
      unsigned converged = 0, same = 0;
      for (int seed = 1; seed <= SEEDS; seed++) {
        const ending one = run(&without_contact[m][0], seed, inner[i][0]),
                     other = run(&without_contact[m][1], seed, inner[i][1]);
        const hn_reason reason = other.summary.reason;
        if (one.summary.reason != reason) printf("  %d: %s\n", seed, one.summary.explanation);
        converged += reason == HN_CONVERGED;
        same += reason == HN_CONVERGED && one.summary.reason == HN_CONVERGED && are_same(&one, &other);
      }
      printf(" %s, mechanisms %zu\n", inner[i][0], m);
      ASSERT_COUNT("mechanisms with the bits of the inner solver", same, converged);
      assert_true(converged >= 36);
    }
}

/* ---- impulse-gs ---------------------------------------------------------------------------------------- */

/* All need fewer sweeps than the limit, and no rule may end them before: residuals rest for a while, or
 * rise. */
static void sweeps_converge_in_every_order_and_unit(void **unused)
{
  (void)unused;
  static const mechanism as[] = {
    { { { NULL } }, 0.01, 1 },
    { { { "order", "3" } }, 0.01, 1 },
    { { { "turn", "1" } }, 0.01, 1 },
    { { { "mass", "1000" } }, 0.01, 1 },
    { { { "length", "0.01" } }, 0.001, 1 },
  };
  enum { SEEDS = 32, WAYS = sizeof as / sizeof *as };
  unsigned converged = 0;
  for (int seed = 1; seed <= SEEDS; seed++)
    for (size_t i = 0; i < WAYS; i++) {
      const ending end = run(&as[i], seed, "impulse-gs");
      converged += end.summary.reason == HN_CONVERGED;
      if (end.summary.reason != HN_CONVERGED) printf("  %d, %zu: %s\n", seed, i, end.summary.explanation);
    }
  ASSERT_COUNT("runs that converge", converged, SEEDS * WAYS);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(events_is_its_inner_solver),
    cmocka_unit_test(sweeps_converge_in_every_order_and_unit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
