/* test_sleep.c - sleeping bodies of solver moreau: they stay at rest, are woken by velocities, contacts and
 * forces, and are saved in checkpoints. Compared with runs without sleep, and with closed forms. */
#include "scenes.h"
#include "base/vec.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char sleepy[] = "moreau:sleep=0.3";

static void take_steps(bench *b, double h, long steps)
{
  for (long i = 0; i < steps; i++) {
    char why[256];
    hn_reason reason = hn_solver_step(b->solver, b->state, h);
    if (reason == HN_CONVERGED) continue;
    hn_solver_explain(b->solver, reason, h, why, sizeof why);
    fail_msg("t = %g s: %s", b->state->time, why);
  }
}

static void resting_bodies_fall_asleep_and_stay(void **unused)
{
  (void)unused;
  bench b = set_up("stack", sleepy);
  must_converge(&b, 0.01, 1, NULL, NULL);
  ASSERT_COUNT("bodies asleep", (unsigned)b.summary.asleep, 20);
  check_below("residual of the contact law, m/s", b.summary.contact.residual, 1e-9);
  check_below("momentum balance, N s", b.summary.contact.balance, 1e-6);
  hn_state *then = hn_state_create(b.model);
  hn_state_copy(then, b.state);
  take_steps(&b, 0.01, 100);
  ASSERT_COUNT("bodies asleep a second later", (unsigned)b.solver->report.asleep, 20);
  assert_memory_equal(then->pose, b.state->pose, sizeof *then->pose * (size_t)then->nbody);
  assert_memory_equal(then->twist, b.state->twist, sizeof *then->twist * (size_t)then->nbody);
  ASSERT_COUNT("iterations of the contact solver in a step", (unsigned)b.solver->report.velocity_iterations,
               0);
  hn_state_free(then);
  tear_down(&b);
  b = set_up("stack", "moreau");
  must_converge(&b, 0.01, 1, NULL, NULL);
  ASSERT_COUNT("bodies asleep by default", (unsigned)b.summary.asleep, 0);
  tear_down(&b);
}

/* A velocity given to the top of the stack wakes all of it in that step; it moves as a stack that never
 * slept. */
static void velocity_wakes(void **unused)
{
  (void)unused;
  bench one = set_up("stack", "moreau:sleep=0.3,contact=newton"),
        two = set_up("stack", "moreau:contact=newton");
  const int top = one.model->nbody - 1;
  bench *both[] = { &one, &two };
  for (int k = 0; k < 2; k++) {
    must_converge(both[k], 0.01, 1, NULL, NULL);
    both[k]->state->twist[top].v[0] = 1.0;
    take_steps(both[k], 0.01, 5);
  }
  ASSERT_COUNT("bodies asleep", (unsigned)one.solver->report.asleep, 0);
  check_near("displacement of the top, m", one.state->pose[top].x[0], two.state->pose[top].x[0], 1e-7);
  assert_true(one.state->pose[top].x[0] > 0.01);
  tear_down(&one), tear_down(&two);
}

/* ---- Two boxes on a floor ------------------------------------------------------------------------------ */

enum { FLOOR = 1, FIRST, SECOND };

static int add(hn_model *model, const hn_body_spec *spec)
{
  hn_error error;
  int body = hn_model_add_body(model, spec, &error);
  if (body < 0) fail_msg("%s", error.text);
  return body;
}

/* Returns a model of two boxes of 1 m and 2 kg: one on the floor, the other at (x, height). */
static hn_model *boxes(double x, double height)
{
  hn_model *model = new_model();
  hn_body_spec floor = { .name = "floor",
                         .kind = HN_FIXED,
                         .shape = { .kind = HN_PLANE, .size = { 0, 1, 0 } },
                         .orientation = { 1, 0, 0, 0 },
                         .friction = 0.5 };
  hn_body_spec box = { .name = "first",
                       .kind = HN_RIGID,
                       .density = 2,
                       .shape = { .kind = HN_BOX, .size = { 1, 1, 1 } },
                       .orientation = { 1, 0, 0, 0 },
                       .position = { 0, 0.5, 0 },
                       .friction = 0.5 };
  assert_int_equal(add(model, &floor), FLOOR);
  assert_int_equal(add(model, &box), FIRST);
  box.name = "second", box.position[0] = x, box.position[1] = height;
  assert_int_equal(add(model, &box), SECOND);
  return model;
}

static bench bench_of(hn_model *model, const char *spec)
{
  hn_error error;
  assert_int_equal(hn_model_collide(model, &(hn_contact_spec){ .margin = 0.01 }, &error), 0);
  return (bench){ .model = model, .solver = new_solver(spec, model), .state = hn_state_create(model) };
}

static void free_bench(bench *b, hn_model *model)
{
  hn_state_free(b->state);
  hn_solver_free(b->solver);
  hn_model_free(model);
}

/* The second box falls for a second onto a sleeping one, which wakes; both sleep in the end. A fall beside it
 * wakes nothing. */
static void contact_wakes(void **unused)
{
  (void)unused;
  for (int beside = 0; beside < 2; beside++) {
    hn_model *model = boxes(beside ? 3.0 : 0.2, 1.5 + 4.9);
    bench b = bench_of(model, sleepy);
    unsigned min_asleep = 2, before = 0;
    for (int i = 0; i < 200; i++) {
      take_steps(&b, 0.01, 1);
      if (i == 60) before = (unsigned)b.solver->report.asleep;
      if (i > 60 && (unsigned)b.solver->report.asleep < min_asleep)
        min_asleep = (unsigned)b.solver->report.asleep;
    }
    printf("  the second box falls %s\n", beside ? "beside the first" : "onto the first");
    ASSERT_COUNT("asleep while it falls", before, 1);
    ASSERT_COUNT("fewest asleep after that", min_asleep, (unsigned)beside);
    ASSERT_COUNT("asleep at the end", (unsigned)b.solver->report.asleep, 2);
    check_near("height of the second, m", b.state->pose[SECOND].x[1], beside ? 0.5 : 1.5, 1e-8);
    free_bench(&b, model);
  }
}

/* A force growing by 3 N/s slides a box from t = mu m g / 3 on. Sleep delays this by at most the waking
 * acceleration, 0.01 / 0.3 m/s^2. */
static void force_wakes(void **unused)
{
  (void)unused;
  double speed[2];
  for (int k = 0; k < 2; k++) {
    hn_error error;
    hn_model *model = boxes(3.0, 0.5);
    hn_force_spec push = { .geometry = { .type = "force",
                                         .a = 0,
                                         .b = FIRST,
                                         .has_points = true,
                                         .at_b = { 0, 0.1, 0 },
                                         .motion.polynomial = { 0, 1 } },
                           .has_motion = true,
                           .vector = { 3, 0, 0 } };
    if (hn_model_add_force(model, &push, &error) < 0) fail_msg("%s", error.text);
    bench b = bench_of(model, k == 0 ? sleepy : "moreau");
    take_steps(&b, 0.01, 400);
    speed[k] = b.state->twist[FIRST].v[0];
    if (k == 0) ASSERT_COUNT("asleep: the other box", (unsigned)b.solver->report.asleep, 1);
    free_bench(&b, model);
  }
  const double late = 0.01 / 0.3 * 2 / 3; /* s */
  check_near("speed after 4 s, m/s", speed[0], speed[1], late * 1.5 * (4 - 9.81 / 3));
  assert_true(speed[1] > 0.1);
}

/* A force that grows to 3/4 of the waking acceleration, 0.01 / 0.3 m/s^2, wakes nothing. */
static void small_forces_do_not_wake(void **unused)
{
  (void)unused;
  hn_error error;
  hn_model *model = boxes(3.0, 0.5);
  const double most = 0.75 * 2 * 0.01 / 0.3; /* N */
  hn_force_spec push = { .geometry = { .type = "force",
                                       .a = 0,
                                       .b = FIRST,
                                       .has_points = true,
                                       .at_b = { 0, 0.5, 0 },
                                       .motion.polynomial = { 0, 1 } },
                         .has_motion = true,
                         .vector = { most / 4, 0, 0 } };
  if (hn_model_add_force(model, &push, &error) < 0) fail_msg("%s", error.text);
  bench b = bench_of(model, sleepy);
  take_steps(&b, 0.01, 100);
  ASSERT_COUNT("asleep after 1 s", (unsigned)b.solver->report.asleep, 2);
  int min_asleep = 2;
  for (int i = 100; i < 400; i++) {
    take_steps(&b, 0.01, 1);
    if (b.solver->report.asleep < min_asleep) min_asleep = b.solver->report.asleep;
  }
  ASSERT_COUNT("fewest asleep until 4 s", (unsigned)min_asleep, 2);
  free_bench(&b, model);
}

/* A pendulum is slow at its turning points, but not for long enough to fall asleep. The times when it is slow
 * do not add up. */
static void briefly_slow_bodies_stay_awake(void **unused)
{
  (void)unused;
  bench b = set_up("pendulum", "moreau:sleep=0.05,sleep_speed=0.05");
  long asleep = 0;
  int slow = 0;
  for (int i = 0; i < 4000; i++) {
    take_steps(&b, 0.01, 1);
    asleep += b.solver->report.asleep;
    slow += vec_norm(b.state->twist[1].v) <= 0.04; /* its rotation counts too */
  }
  printf("  %d steps below the speed of sleep, expected at least 10\n", slow);
  assert_true(slow >= 10);
  ASSERT_COUNT("steps asleep", (unsigned)asleep, 0);
  tear_down(&b);
}

/* A checkpoint restores sleeping bodies; the continued runs are equal to the bit. */
static void checkpoints_restore_sleep(void **unused)
{
  (void)unused;
  uint64_t hash[2];
  for (int k = 0; k < 2; k++) {
    bench b = set_up("pyramid", sleepy);
    must_converge(&b, 0.01, 0.6, NULL, NULL);
    assert_true(b.summary.asleep > 0);
    if (k == 1) {
      bench other = set_up("pyramid", sleepy);
      void *memory = malloc(hn_solver_memory(b.solver) + 1);
      hn_solver_save(b.solver, memory);
      hn_state_copy(other.state, b.state);
      assert_int_equal(hn_solver_restore(other.solver, memory, hn_solver_memory(other.solver), NULL), 0);
      free(memory);
      tear_down(&b);
      b = other;
    }
    b.state->twist[b.model->nbody - 1].v[0] = 0.5;
    uint64_t sum = HN_HASH_START;
    for (int i = 0; i < 100; i++) {
      take_steps(&b, 0.01, 1);
      sum = hn_state_hash(b.state, sum);
    }
    hash[k] = sum;
    printf("  hash %016" PRIx64 ", asleep %d\n", hash[k], b.solver->report.asleep);
    tear_down(&b);
  }
  assert_true(hash[0] == hash[1]);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(resting_bodies_fall_asleep_and_stay),
    cmocka_unit_test(velocity_wakes),
    cmocka_unit_test(contact_wakes),
    cmocka_unit_test(force_wakes),
    cmocka_unit_test(small_forces_do_not_wake),
    cmocka_unit_test(briefly_slow_bodies_stay_awake),
    cmocka_unit_test(checkpoints_restore_sleep),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
