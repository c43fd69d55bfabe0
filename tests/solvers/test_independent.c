/* test_independent.c - partition and null-space: positions and velocities on the constraints in every step,
 * redundant joints, new partitions, and agreement with multipliers in acceleration form. */
#include "loops.h"
#include "mechanisms.h"

#include <stdlib.h>

static const char *const each[] = { "partition", "null-space" };
enum { EACH = 2 };

/* Largest joint errors after any step. */
typedef struct violation {
  const hn_model *model;
  double position, velocity;
} violation;

static bool note_violation(void *user, const hn_frame *frame)
{
  violation *v = user;
  hn_measure m;
  hn_measure_state(v->model, frame->state, &m);
  v->position = larger(v->position, m.position_error);
  v->velocity = larger(v->velocity, m.velocity_error);
  return true;
}

/* Pendulums turn over, so that every coordinate becomes dependent in its time; mechanisms with redundant
 * joints, with a prescribed motion, with rolling, and in the plane. */
static void joints_hold_in_every_step(void **state)
{
  (void)state;
  static const struct {
    const char *scene, *setting;
    double h, duration;
  } runs[] = {
    { "double_pendulum", NULL, 0.01, 20 }, { "slider_crank", NULL, 0.005, 10 },
    { "bricard", NULL, 0.01, 10 },         { "andrews", "planar=true", 1e-4, 0.03 },
    { "rolling_disc", NULL, 0.005, 2 },    { "heavy_top", NULL, 0.001, 1 },
    { "cuboid28", NULL, 0.01, 2 },
  };
  for (int k = 0; k < EACH; k++)
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
      char what[96];
      bench b = set_up_as(runs[i].scene, runs[i].setting ? WITH(runs[i].setting) : NULL, each[k]);
      violation v = { .model = b.model };
      must_converge(&b, runs[i].h, runs[i].duration, note_violation, &v);
      snprintf(what, sizeof what, "%s, %s: positions, m", each[k], runs[i].scene);
      check_below(what, v.position, 1e-12);
      check_below("  velocities, m/s", v.velocity, 1e-10);
      tear_down(&b);
    }
}

/* Runs a scene; returns the joint forces of the end in FORCE[nrow]. */
static hn_state *end_of(const char *scene, const char *const *settings, const char *spec, double h,
                        double duration, double *force)
{
  bench b = set_up_as(scene, settings, spec);
  must_converge(&b, h, duration, NULL, NULL);
  memcpy(force, b.solver->multipliers, sizeof *force * (size_t)b.model->nrow);
  hn_state *end = hn_state_duplicate(b.state);
  tear_down(&b);
  return end;
}

/* At small steps both agree with RK8 in acceleration form, forces included. */
static void motion_agrees_with_multipliers(void **state)
{
  (void)state;
  static const struct {
    const char *scene;
    double h, duration;
  } runs[] = { { "double_pendulum", 0.002, 1 },
               { "heavy_top", 0.0002, 0.5 },
               { "spherical_pendulum", 0.002, 1 } };
  for (int k = 0; k < EACH; k++)
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
      double force[64], expected[64], off = 0.0, size = 0.0;
      char spec[64], what[96];
      bench b = set_up(runs[i].scene, RK8);
      const int rows = b.model->nrow;
      tear_down(&b);
      snprintf(spec, sizeof spec, "%s:stepper=rk8pd", each[k]);
      hn_state *end = end_of(runs[i].scene, NULL, spec, runs[i].h, runs[i].duration, force);
      hn_state *other = end_of(runs[i].scene, NULL, RK8, runs[i].h, runs[i].duration, expected);
      for (int r = 0; r < rows; r++)
        off = larger(off, fabs(force[r] - expected[r])), size = larger(size, fabs(expected[r]));
      snprintf(what, sizeof what, "%s, %s: positions, m", each[k], runs[i].scene);
      check_below(what, farthest(end, other), 1e-9);
      check_below("  joint forces, relative", off / size, 1e-8);
      hn_state_free(end), hn_state_free(other);
    }
}

/* The 28 rods of a cube have rank 18: ten have no force, and the motion is that of 18. */
static void repeated_rods_have_no_force(void **state)
{
  (void)state;
  for (int k = 0; k < EACH; k++) {
    double force[28], expected[28];
    int without = 0;
    hn_state *end = end_of("cuboid28", NULL, each[k], 0.005, 1, force);
    hn_state *other = end_of("cuboid28", NULL, "lagrange:stabilisation=projection,redundancy=remove", 0.005,
                             1, expected);
    for (int r = 0; r < 28; r++) without += force[r] == 0.0;
    ASSERT_COUNT("rods without a force, at least", without >= 10 ? 10 : without, 10);
    check_below("motion, m", farthest(end, other), 1e-8);
    hn_state_free(end), hn_state_free(other);
  }
}

/* A drive moves a particle out of the plane that another joint keeps it in: equal rows, which contradict. */
static void contradictions_fail(void **state)
{
  (void)state;
  for (int k = 0; k < EACH; k++) {
    hn_error error;
    hn_model *model = new_model();
    const int bob = add_particle(model, "bob", 1, 0, 0);
    hn_joint_spec drive = { .type = "drive_position",
                            .a = 0,
                            .b = bob,
                            .has_points = true,
                            .at_a = { 0, 0, 0 },
                            .at_b = { 1, 0, 0 },
                            .axis_a = { 1, 0, 0 } };
    drive.motion.polynomial[0] = 1.0, drive.motion.polynomial[2] = 0.5;
    if (hn_model_add_joint(model, &drive, &error) < 0) fail_msg("%s", error.text);
    drive.type = "point_on_plane";
    vec_set(drive.at_a, 1, 0, 0);
    if (hn_model_add_joint(model, &drive, &error) < 0) fail_msg("%s", error.text);
    hn_solver *solver = new_solver(each[k], model);
    hn_state *now = hn_state_create(model), *before = hn_state_duplicate(now);
    char text[512];
    const hn_reason reason = hn_solver_step(solver, now, 0.1);
    hn_solver_explain(solver, reason, 0.1, text, sizeof text);
    printf("  %s\n", text);
    assert_int_equal(reason, HN_STALLED);
    assert_non_null(strstr(text, "redundant"));
    assert_true(hn_state_hash(now, HN_HASH_START) == hn_state_hash(before, HN_HASH_START));
    hn_state_free(now), hn_state_free(before), hn_solver_free(solver), hn_model_free(model);
  }
}

/* Runs a step more after saving, and again after restoring: the partition is part of the memory. */
static void partitions_are_restored(void **state)
{
  (void)state;
  for (int k = 0; k < EACH; k++) {
    bench b = set_up("double_pendulum", each[k]);
    uint64_t hash[2];
    hn_error error;
    must_converge(&b, 0.01, 2, NULL, NULL);
    const size_t size = hn_solver_memory(b.solver);
    void *memory = malloc(size);
    hn_state *kept = hn_state_duplicate(b.state);
    hn_solver_save(b.solver, memory);
    for (int pass = 0; pass < 2; pass++) {
      for (int i = 0; i < 100; i++) assert_int_equal(hn_solver_step(b.solver, b.state, 0.01), HN_CONVERGED);
      hash[pass] = hn_state_hash(b.state, HN_HASH_START);
      hn_state_copy(b.state, kept);
      hn_solver_reset(b.solver);
      assert_int_equal(hn_solver_restore(b.solver, memory, size, &error), 0);
    }
    assert_true(hash[0] == hash[1]);
    free(memory), hn_state_free(kept);
    tear_down(&b);
  }
}

static void large_models_are_refused(void **state)
{
  (void)state;
  hn_model *model = box_chain(400);
  for (int k = 0; k < EACH; k++) {
    hn_error error;
    assert_null(hn_solver_create(each[k], model, &error));
    printf("  %s\n", error.text);
    assert_non_null(strstr(error.text, "at most 2000 coordinates; this model has 2400"));
  }
  hn_model_free(model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(joints_hold_in_every_step),   cmocka_unit_test(motion_agrees_with_multipliers),
    cmocka_unit_test(repeated_rods_have_no_force), cmocka_unit_test(contradictions_fail),
    cmocka_unit_test(partitions_are_restored),     cmocka_unit_test(large_models_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
