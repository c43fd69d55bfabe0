/* test_conflicts.c - redundant constraints that are refused, agree or contradict each other: names in
 * messages, and capabilities of solvers. */
#include "policies.h"

#include <string.h>

static void refusals_name_the_joints(void **state)
{
  (void)state;
  hn_model *model = box_chain(3);
  add_ball(model, 1, 2, 1, 0, 0);
  for (size_t i = 0; i < sizeof solver_specs / sizeof *solver_specs; i++) {
    outcome o = run_policy(model, solver_specs[i].spec, "error", 0.01, 0.1);
    assert_int_equal(o.reason, HN_SINGULAR);
    assert_non_null(strstr(o.summary.explanation, "redundant: ball4"));
    outcome_free(&o);
  }
  hn_model_free(model);
}

/* Returns a particle with two drives along x, x = t and x = t + GAIN t^2, which agree at the start. */
static hn_model *driven_twice(double gain)
{
  hn_error error;
  hn_model *model = new_model();
  int cart = add_particle(model, "cart", 0, 0, 0);
  model->body[cart].twist0.v[0] = 1.0;
  for (int i = 0; i < 2; i++) {
    hn_joint_spec drive = { .type = "drive_position",
                            .name = i ? "other drive" : "drive",
                            .a = 0,
                            .b = cart,
                            .has_points = true,
                            .axis_a = { 1, 0, 0 },
                            .motion.polynomial = { 0, 1, i ? gain : 0.0 } };
    if (hn_model_add_joint(model, &drive, &error) < 0) fail_msg("%s", error.text);
  }
  int bob = add_particle(model, "bob", 0, -1, 0);
  model->body[bob].twist0.v[0] = 1.0;
  add_rod(model, cart, bob);
  return model;
}

static void drives_that_agree_run(void **state)
{
  (void)state;
  hn_model *model = driven_twice(0.0);
  for (size_t i = 0; i < sizeof solver_specs / sizeof *solver_specs; i++)
    for (int k = 0; k < POLICIES; k++) {
      outcome o = run_policy(model, solver_specs[i].spec, policies[k], 0.01, 0.2);
      char what[96];
      snprintf(what, sizeof what, "%s, %s: x - t, m", solver_specs[i].spec, policies[k]);
      assert_int_equal(o.reason, HN_CONVERGED);
      check_below(what, o.state->pose[1].x[0] - 0.2, 1e-12);
      outcome_free(&o);
    }
  hn_model_free(model);
}

static void drives_in_conflict_are_named(void **state)
{
  (void)state;
  static const double gains[] = { 0.1, 1e-3, -1.0 };
  for (size_t r = 0; r < sizeof gains / sizeof *gains; r++) {
    hn_model *model = driven_twice(gains[r]);
    printf(" x = t and x = t + %g t^2\n", gains[r]);
    for (size_t i = 0; i < sizeof solver_specs / sizeof *solver_specs; i++)
      for (int k = 0; k < POLICIES; k++) {
        outcome o = run_policy(model, solver_specs[i].spec, policies[k], 0.01, 0.2);
        bool names_both = strstr(o.summary.explanation, "constraints in conflict: drive, other drive") !=
                          NULL;
        /* reduces its steps instead, until it stalls */
        bool ida = strcmp(solver_specs[i].spec, "ida") == 0;
        assert_true(o.reason == HN_SINGULAR || (ida && o.reason == HN_STALLED));
        assert_true(names_both || (ida && o.reason == HN_STALLED));
        assert_true(o.summary.steps <= 1);
        outcome_free(&o);
      }
    hn_model_free(model);
  }
}

/* Rods of 1 m and 1.1 m between the same points: a step cannot satisfy both, and names them. */
static void lengths_in_conflict_are_named(void **state)
{
  (void)state;
  hn_model *model = double_pendulum();
  add_rod(model, 0, 1);
  *(double *)model->joint[2].data = 1.1; /* its only parameter, the length */
  model->loose = true;
  for (int k = 0; k < POLICIES; k++) {
    outcome o = run_policy(model, "impulse-sle", policies[k], 0.01, 0.1);
    assert_int_equal(o.reason, HN_SINGULAR);
    assert_non_null(strstr(o.summary.explanation, "constraints in conflict: distance1, distance3"));
    outcome_free(&o);
  }
  hn_model_free(model);
}

static void other_matrices_are_unsupported(void **state)
{
  (void)state;
  hn_model *model = thrown_cube(), *regular = mixed();
  for (int k = 0; k < POLICIES; k++) {
    outcome o = run_policy(model, "impulse-newton", policies[k], 0.01, 0.1);
    assert_int_equal(o.reason, HN_UNSUPPORTED);
    outcome_free(&o);
    o = run_policy(regular, "impulse-newton", policies[k], 0.01, 0.1);
    assert_int_equal(o.reason, HN_CONVERGED);
    outcome_free(&o);
  }
  hn_model_free(model), hn_model_free(regular);
}

static const hn_solver_type *type_named(const char *name)
{
  hn_error error;
  const hn_solver_type *type = hn_solver_type_find(name, NULL, &error);
  if (!type) fail_msg("%s", error.text);
  return type;
}

static void capabilities_are_declared(void **state)
{
  (void)state;
  assert_int_equal(hn_solver_redundant(type_named("impulse-gs")), HN_ALWAYS);
  assert_int_equal(hn_solver_redundant(type_named("impulse-newton")), HN_NEVER);
  for (size_t i = 0; i < sizeof solver_specs / sizeof *solver_specs; i++) {
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(solver_specs[i].spec, ":"), solver_specs[i].spec);
    assert_int_equal(hn_solver_redundant(type_named(name)), HN_BY_POLICY);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(refusals_name_the_joints),       cmocka_unit_test(drives_that_agree_run),
    cmocka_unit_test(drives_in_conflict_are_named),   cmocka_unit_test(lengths_in_conflict_are_named),
    cmocka_unit_test(other_matrices_are_unsupported), cmocka_unit_test(capabilities_are_declared),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
