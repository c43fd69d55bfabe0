/* test_sleep.c - bodies that rest are put to sleep: what stays, what wakes them, and that nothing of it is
 * forgotten. */
#include "scenes.h"
#include "base/vec.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char sleepy[] = "moreau:sleep=0.3";

static void go_on(bench *b, double h, long steps)
{
  for (long i = 0; i < steps; i++) {
    char why[256];
    hn_reason reason = hn_solver_step(b->solver, b->state, h);
    if (reason == HN_CONVERGED) continue;
    hn_solver_explain(b->solver, reason, h, why, sizeof why);
    fail_msg("t = %g s: %s", b->state->time, why);
  }
}

static void what_rests_falls_asleep_and_stays(void **unused)
{
  (void)unused;
  bench b = set_up("stack", sleepy);
  must_converge(&b, 0.01, 1, NULL, NULL);
  ASSERT_COUNT("bodies asleep", (unsigned)b.summary.asleep, 20);
  check_below("law of contact all the time, m/s", b.summary.contact.residual, 1e-9);
  check_below("balance: speeds taken away times masses, N s", b.summary.contact.balance, 1e-6);
  hn_state *then = hn_state_create(b.model);
  hn_state_copy(then, b.state);
  go_on(&b, 0.01, 100);
  ASSERT_COUNT("bodies asleep a second later", (unsigned)b.solver->report.asleep, 20);
  assert_memory_equal(then->pose, b.state->pose, sizeof *then->pose * (size_t)then->nbody);
  assert_memory_equal(then->twist, b.state->twist, sizeof *then->twist * (size_t)then->nbody);
  ASSERT_COUNT("iterations of the solver in a step", (unsigned)b.solver->report.velocity_iterations, 0);
  hn_state_free(then);
  tear_down(&b);
  b = set_up("stack", "moreau");
  must_converge(&b, 0.01, 1, NULL, NULL);
  ASSERT_COUNT("bodies asleep by default", (unsigned)b.summary.asleep, 0);
  tear_down(&b);
}

/* Somebody gives the top of the stack a velocity: all of it is awake in that step, and moves as one that never
 * slept. */
static void a_velocity_wakes(void **unused)
{
  (void)unused;
  bench one = set_up("stack", "moreau:sleep=0.3,contact=newton"),
        two = set_up("stack", "moreau:contact=newton");
  const int top = one.model->nbody - 1;
  bench *both[] = { &one, &two };
  for (int k = 0; k < 2; k++) {
    must_converge(both[k], 0.01, 1, NULL, NULL);
    both[k]->state->twist[top].v[0] = 1.0;
    go_on(both[k], 0.01, 5);
  }
  ASSERT_COUNT("bodies asleep", (unsigned)one.solver->report.asleep, 0);
  check_near("way of the top, m", one.state->pose[top].x[0], two.state->pose[top].x[0], 1e-7);
  assert_true(one.state->pose[top].x[0] > 0.01);
  tear_down(&one), tear_down(&two);
}

/* ---- A scene of its own: boxes on a floor ------------------------------------------------------------------------ */

enum { FLOOR = 1, FIRST, SECOND };

static int add(hn_model *model, const hn_body_spec *spec)
{
  hn_error error;
  int body = hn_model_add_body(model, spec, &error);
  if (body < 0) fail_msg("%s", error.text);
  return body;
}

/* Two boxes of 1 m and 2 kg, one on the floor, the other beside it AT a height. */
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

static void put_away(bench *b, hn_model *model)
{
  hn_state_free(b->state);
  hn_solver_free(b->solver);
  hn_model_free(model);
}

/* The second falls for a second, onto one that sleeps: that one wakes, and both sleep in the end. Beside it, it wakes
 * nobody. */
static void what_touches_wakes(void **unused)
{
  (void)unused;
  for (int beside = 0; beside < 2; beside++) {
    hn_model *model = boxes(beside ? 3.0 : 0.2, 1.5 + 4.9);
    bench b = bench_of(model, sleepy);
    unsigned least = 2, before = 0;
    for (int i = 0; i < 200; i++) {
      go_on(&b, 0.01, 1);
      if (i == 60) before = (unsigned)b.solver->report.asleep;
      if (i > 60 && (unsigned)b.solver->report.asleep < least) least = (unsigned)b.solver->report.asleep;
    }
    printf("  the second falls %s\n", beside ? "beside the first" : "onto it");
    ASSERT_COUNT("asleep while it falls", before, 1);
    ASSERT_COUNT("at least", least, (unsigned)beside);
    ASSERT_COUNT("in the end", (unsigned)b.solver->report.asleep, 2);
    check_near("height of the second, m", b.state->pose[SECOND].x[1], beside ? 0.5 : 1.5, 1e-8);
    put_away(&b, model);
  }
}

/* A force that grows by 3 N a second slides a box from mu m g / 3 s on. It may be late by as much as the acceleration
 * by which a box is woken, 0.01 / 0.3 m/s^2. */
static void a_force_wakes(void **unused)
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
    go_on(&b, 0.01, 400);
    speed[k] = b.state->twist[FIRST].v[0];
    if (k == 0) ASSERT_COUNT("asleep: the other one", (unsigned)b.solver->report.asleep, 1);
    put_away(&b, model);
  }
  const double late = 0.01 / 0.3 * 2 / 3; /* s */
  check_near("speed after 4 s, m/s", speed[0], speed[1], late * 1.5 * (4 - 9.81 / 3));
  assert_true(speed[1] > 0.1);
}

/* At its turning points a pendulum is slow, but not for long; a hinge that a motor turns slowly is driven. */
static void what_is_slow_for_a_moment_stays_awake(void **unused)
{
  (void)unused;
  bench b = set_up("pendulum", "moreau:sleep=0.05,sleep_speed=0.05");
  long asleep = 0;
  for (int i = 0; i < 500; i++) {
    go_on(&b, 0.01, 1);
    asleep += b.solver->report.asleep;
  }
  ASSERT_COUNT("steps asleep", (unsigned)asleep, 0);
  tear_down(&b);
}

/* What sleeps is remembered with a checkpoint, and not with a step that fails; two runs are the same. */
static void sleep_is_remembered(void **unused)
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
      go_on(&b, 0.01, 1);
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
    cmocka_unit_test(what_rests_falls_asleep_and_stays),
    cmocka_unit_test(a_velocity_wakes),
    cmocka_unit_test(what_touches_wakes),
    cmocka_unit_test(a_force_wakes),
    cmocka_unit_test(what_is_slow_for_a_moment_stays_awake),
    cmocka_unit_test(sleep_is_remembered),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
