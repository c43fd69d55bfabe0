/* test_redundant_memory.c - redundant rows that a solver has detected: forgotten by a reset, by a
 * checkpoint from before the detection and by a failed step; and sizes of residuals measured by their
 * rows. */
#include "policies.h"
#include "redundant/policy.h"
#include "redundant/redundant.h"

#include <stdlib.h>

/* Policies that detect rows; loop-split cuts loops at the start. */
static const char *const specs[] = { "impulse-sle:redundancy=remove", "impulse-sle:redundancy=min-norm",
                                     "lagrange:stepper=rk4,redundancy=remove" };
enum { SPECS = sizeof specs / sizeof *specs, STEPS = 3 };

typedef struct result {
  uint64_t hash, detections;
} result;

/* Takes STEPS steps from the start of the model; counts the detections in them. */
static result take_steps(hn_solver *solver, const hn_model *model)
{
  hn_state *state = hn_state_create(model);
  const uint64_t before = solver->system->work.detections;
  for (int k = 0; k < STEPS; k++) assert_int_equal(hn_solver_step(solver, state, 0.01), HN_CONVERGED);
  const result r = { hn_state_hash(state, HN_HASH_START), solver->system->work.detections - before };
  hn_state_free(state);
  return r;
}

static int dropped_by(const hn_solver *solver)
{
  return solver->system->parts->redundant->ndropped;
}

/* The cube has 28 rods, 10 of them redundant. A solver that has forgotten them detects them again, and takes
 * the steps of a new solver to the bit. */
static void resets_and_checkpoints_forget_the_rows(void **unused)
{
  (void)unused;
  hn_model *model = thrown_cube();
  for (int i = 0; i < SPECS; i++) {
    hn_error error = { "" };
    hn_solver *solver = new_solver(specs[i], model);
    const size_t size = hn_solver_memory(solver);
    void *memory = malloc(size);
    hn_solver_save(solver, memory);
    printf(" %s\n", specs[i]);
    const result first = take_steps(solver, model);
    ASSERT_COUNT("detections of a new solver", first.detections, 1);
    ASSERT_COUNT("rows dropped", dropped_by(solver), 10);
    hn_solver_reset(solver);
    ASSERT_COUNT("rows dropped after a reset", dropped_by(solver), 0);
    const result reset = take_steps(solver, model);
    ASSERT_COUNT("detections after a reset", reset.detections, 1);
    assert_true(reset.hash == first.hash);
    if (hn_solver_restore(solver, memory, size, &error)) fail_msg("%s", error.text);
    ASSERT_COUNT("rows dropped after a restore", dropped_by(solver), 0);
    const result restored = take_steps(solver, model);
    ASSERT_COUNT("detections after a restore", restored.detections, 1);
    assert_true(restored.hash == first.hash);
    free(memory);
    hn_solver_free(solver);
  }
  hn_model_free(model);
}

/* Rods of 1 m and 1.1 m between the same points: the step detects that they are dependent, and fails. */
static void failed_steps_forget_the_rows(void **unused)
{
  (void)unused;
  hn_model *model = double_pendulum();
  add_rod(model, 0, 1);
  *(double *)model->joint[2].data = 1.1; /* its only parameter, the length */
  model->loose = true;
  for (int i = 0; i < 2; i++) {
    hn_solver *solver = new_solver(specs[i], model);
    hn_state *state = hn_state_create(model);
    assert_int_equal(hn_solver_step(solver, state, 0.01), HN_SINGULAR);
    printf(" %s\n", specs[i]);
    assert_true(solver->system->work.detections > 0);
    ASSERT_COUNT("rows dropped after the failed step", dropped_by(solver), 0);
    for (int r = 0; r < model->nrow; r++) assert_int_equal(solver->system->parts->redundant->group[r], 0);
    hn_state_free(state);
    hn_solver_free(solver);
  }
  hn_model_free(model);
}

/* Returns the diagonal entry of row ROW of K: the velocity of the row by its own unit impulse, from masses
 * and inertia. All bodies are boxes along the axes, at rest. */
static double diagonal_entry(const hn_system *s, const hn_block *block, int r)
{
  const double *G = s->G + 12 * block->row;
  const int n = block->n, ends[2] = { block->a, block->b };
  double sum = 0.0;
  for (int side = 0; side < 2; side++)
    for (int c = 0; c < 6; c++) {
      const hn_body *body = &s->model->body[ends[side]];
      const double g = G[6 * n * side + c * n + r];
      sum += g * g * (c < 3 ? body->inv_mass : body->inv_J[c - 3]);
    }
  return sum;
}

/* |x_i| / sqrt(K_ii): rows of the light bodies are 100 times longer than those of the joint on the ground, so
 * that the largest is not that of the largest |x_i|. */
static void residuals_are_measured_by_their_rows(void **unused)
{
  (void)unused;
  hn_model *model = uneven_chain(6, 1e-4, true);
  hn_solver *solver = new_solver(specs[0], model);
  hn_state *state = hn_state_create(model);
  assert_int_equal(hn_solver_step(solver, state, 1e-9), HN_CONVERGED);
  hn_system *s = solver->system;
  double *x = calloc((size_t)s->nrow, sizeof *x), largest = 0.0;
  int which = -1, expected = -1;
  for (const hn_block *block = s->block; block < s->block + s->nblock; block++)
    for (int r = 0; r < block->n; r++) {
      const int i = block->row + r;
      x[i] = (i % 2 ? -1.0 : 1.0) * (1 + 0.01 * i);
      const double size = fabs(x[i]) / sqrt(diagonal_entry(s, block, r));
      if (size > largest) largest = size, expected = i;
    }
  const double size = hn_redundant_size(s, x, &which);
  check_near("largest |x_i| / sqrt(K_ii), relative", size / largest, 1, 1e-7); /* moved by 1e-9 s */
  assert_int_equal(which, expected);
  assert_true(expected < 3 && s->nrow == 21);
  free(x);
  hn_state_free(state);
  hn_solver_free(solver);
  hn_model_free(model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(resets_and_checkpoints_forget_the_rows),
    cmocka_unit_test(failed_steps_forget_the_rows),
    cmocka_unit_test(residuals_are_measured_by_their_rows),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
