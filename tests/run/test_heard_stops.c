/* test_heard_stops.c - a step in which a loop of the solver has heard a request to stop is undone, also if
 * the solver returns it as converged. */
#include "models.h"

static volatile sig_atomic_t requested;

/* Moves all bodies by 1 m. The request comes during the step. */
static hn_reason step(hn_solver *solver, hn_state *state, double h)
{
  if (requested == 0) requested = h > 0.1;
  if (hn_stopped(&solver->system->stop)) state->twist[1].v[0] = 7.0;
  for (int i = 1; i < state->nbody; i++) state->pose[i].x[0] += 1.0;
  state->time += h;
  return HN_CONVERGED;
}

static int setup(hn_solver *solver, hn_error *error)
{
  (void)solver, (void)error;
  return 0;
}

static const hn_param no_params[] = { { .key = NULL } };
static const hn_solver_type type = { .abi = HN_ABI,
                                     .name = "mover",
                                     .summary = "moves all bodies",
                                     .citation = "none",
                                     .capabilities = HN_CAN_BILATERAL,
                                     .order = 1,
                                     .params = no_params,
                                     .setup = setup,
                                     .step = step };

static const hn_solver_type *const own[] = { &type, NULL };

static void steps_that_heard_a_stop_are_undone(void **state)
{
  (void)state;
  hn_error error;
  hn_model *model = new_model();
  add_particle(model, "bead", 0, 0, 0);
  model->own_solvers = own;
  hn_solver *solver = hn_solver_create("mover", model, &error);
  if (!solver) fail_msg("%s", error.text);
  hn_state *at = hn_state_create(model);
  solver->stop = &requested;
  assert_int_equal(hn_solver_step(solver, at, 0.01), HN_CONVERGED);
  check_near("place after a step, m", at->pose[1].x[0], 1.0, 0.0);
  assert_int_equal(hn_solver_step(solver, at, 1.0), HN_INTERRUPTED);
  check_near("place after one that was stopped, m", at->pose[1].x[0], 1.0, 0.0);
  check_near("velocity, m/s", at->twist[1].v[0], 0.0, 0.0);
  check_near("time, s", at->time, 0.01, 0.0);
  hn_state_free(at);
  hn_solver_free(solver);
  hn_model_free(model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(steps_that_heard_a_stop_are_undone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
