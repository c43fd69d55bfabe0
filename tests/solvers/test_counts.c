/* test_counts.c - no quantity is computed twice: factorisations per step, initial guesses of the joint
 * correction, libraries loaded by small runs, and subnormal numbers. Counts are exact; no time is
 * measured. */
#include "models.h"
#include "scenes.h"
#include "linear/linear.h"

#include <float.h>
#include <stdlib.h>

enum { STEPS = 100 };

static void must_step(hn_solver *solver, hn_state *state, double h)
{
  char text[256];
  hn_reason reason = hn_solver_step(solver, state, h);
  hn_solver_explain(solver, reason, h, text, sizeof text);
  if (reason != HN_CONVERGED) fail_msg("%s", text);
}

/* ---- K is factored once per step ----------------------------------------------------------------------- */

/* Returns a model of a driven beam with a box on a ball joint at its end. */
static hn_model *driven(void)
{
  hn_model *model = new_model();
  hn_error error;
  int beam = add_box(model, "beam", 0.5, 0, 0), box = add_box(model, "box", 1.5, 0, 0);
  hn_joint_spec hinge = { .type = "hinge", .b = beam, .has_points = true, .axis_a = { 0, 0, 1 } },
                drive = hinge;
  drive.type = "drive_angle", drive.motion = (hn_motion){ .amplitude = 0.5, .frequency = 3 };
  model->body[beam].twist0 = (hn_twist){ { 0, 0.75, 0 }, { 0, 0, 1.5 } };
  model->body[box].twist0.v[1] = 1.5;
  if (hn_model_add_joint(model, &hinge, &error) < 0 || hn_model_add_joint(model, &drive, &error) < 0)
    fail_msg("%s", error.text);
  add_ball(model, beam, box, 1, 0, 0);
  return model;
}

static void count_factorisations(const char *name, bench b)
{
  must_converge(&b, 0.01, 0.01 * STEPS, NULL, NULL); /* the sum of rounded steps k h varies */
  ASSERT_COUNT(name, b.summary.work.factorisations, STEPS + 1);
  tear_down(&b);
}

static void one_factorisation_per_step(void **state)
{
  (void)state;
  static const char *const scenes[] = { "box_pendulum", "peer_tree", "triple_pendulum", "star" };
  for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++)
    count_factorisations(scenes[i], set_up(scenes[i], "impulse-sle"));
  hn_model *model = driven();
  count_factorisations(
    "a driven beam",
    (bench){ .model = model, .solver = new_solver("impulse-sle", model), .state = hn_state_create(model) });
  hn_model_free(model);
}

static void one_jacobian_per_step(void **state)
{
  (void)state;
  static const char *const solvers[] = { "impulse-gs", "tgs-soft:substeps=1" };
  for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++) {
    bench b = set_up("box_pendulum", solvers[i]);
    must_converge(&b, 0.01, 0.01 * STEPS, NULL, NULL);
    ASSERT_COUNT(solvers[i], b.summary.work.jacobians, (STEPS + 1) * (uint64_t)b.model->njoint);
    tear_down(&b);
  }
}

/* ---- Changed states ------------------------------------------------------------------------------------ */

static void turn_all(const hn_model *model, hn_state *state)
{
  const double turn[4] = { cos(0.05), 0, 0, sin(0.05) }; /* about the vertical through the origin */
  for (int i = 1; i < model->nbody; i++) {
    double x = state->pose[i].x[0], y = state->pose[i].x[1], q[4];
    state->pose[i].x[0] = cos(0.1) * x - sin(0.1) * y, state->pose[i].x[1] = sin(0.1) * x + cos(0.1) * y;
    const double *p = state->pose[i].q;
    q[0] = turn[0] * p[0] - turn[3] * p[3], q[1] = turn[0] * p[1] - turn[3] * p[2];
    q[2] = turn[0] * p[2] + turn[3] * p[1], q[3] = turn[0] * p[3] + turn[3] * p[0];
    memcpy(state->pose[i].q, q, sizeof q);
  }
}

static void turn_one_bit(const hn_model *model, hn_state *state)
{
  double *x = &state->pose[model->nbody - 1].x[1];
  *x = nextafter(*x, 1.0);
}

static void spin(const hn_model *model, hn_state *state)
{
  for (int i = 1; i < model->nbody; i++)
    for (int k = 0; k < 3; k++) state->twist[i].v[k] *= 1.5, state->twist[i].w[k] *= 1.5;
}

static void advance_time(const hn_model *model, hn_state *state)
{
  (void)model;
  state->time += 0.125;
}

/* The caller changes the state between two steps: the result is bitwise that of a new solver, and K is
 * factored again if poses changed. */
static void changed_state_is_detected(void **state)
{
  (void)state;
  static const struct {
    const char *what;
    void (*change)(const hn_model *, hn_state *);
    uint64_t extra_factorisations;
  } cases[] = {
    { "all bodies rotated", turn_all, 1 },
    { "one bit of a position", turn_one_bit, 1 },
    { "twists", spin, 0 },
    { "time alone", advance_time, 0 },
  };
  static const char *const solvers[] = { "impulse-sle:first_guess=zero,tolerance=1e-3",
                                         "impulse-gs:tolerance=1e-3" };
  for (size_t m = 0; m < 2; m++)
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
      hn_model *model = m == 0 && i == 3 ? driven() : box_chain(3); /* its motion depends on time */
      hn_solver *solver = new_solver(solvers[m], model), *fresh = new_solver(solvers[m], model);
      hn_state *at = hn_state_create(model), *other = hn_state_create(model);
      for (int k = 0; k < 5; k++) must_step(solver, at, 0.01);
      cases[i].change(model, at);
      hn_state_copy(other, at);
      uint64_t before = solver->system->work.factorisations;
      must_step(solver, at, 0.01);
      must_step(fresh, other, 0.01);
      printf(" %s, %s\n", solver->type->name, cases[i].what);
      if (m == 0)
        ASSERT_COUNT("factorisations", solver->system->work.factorisations - before,
                     1 + cases[i].extra_factorisations);
      assert_memory_equal(at->pose, other->pose, sizeof *at->pose * (size_t)at->nbody);
      assert_memory_equal(at->twist, other->twist, sizeof *at->twist * (size_t)at->nbody);
      hn_state_free(at), hn_state_free(other);
      hn_solver_free(solver), hn_solver_free(fresh);
      hn_model_free(model);
    }
}

/* Jacobians of all joint types are independent of time; biases of driven joints are not. */
static void jacobians_are_independent_of_time(void **state)
{
  (void)state;
  size_t count, driven_types = 0;
  const hn_joint_type *const *types = hn_joint_types(&count);
  for (size_t i = 0; i < count; i++) {
    hn_model *model = new_model();
    hn_error error;
    int a = add_box(model, "a", 0, 0, 0), b = add_box(model, "b", 1, 0.2, 0.1);
    hn_joint_spec spec = { .type = types[i]->name,
                           .a = a,
                           .b = b,
                           .has_points = true,
                           .at_a = { 0.1, 0.2, 0.3 },
                           .at_b = { 0.1, 0.2, 0.3 },
                           .axis_a = { 1, 0, 0 },
                           .axis_b = { 0, 1, 0 } };
    if (types[i]->keys & HN_KEY_MOTION)
      spec.motion = (hn_motion){ .polynomial = { 0, 0.3, 2 }, .frequency = 1 };
    if (strcmp(types[i]->name, "distance") == 0) spec.at_b[0] = 1.0;
    if (types[i]->beside == NULL && hn_model_add_joint(model, &spec, &error) >= 0) {
      hn_system *s = hn_system_create(model, &error);
      hn_state *at = hn_state_create(model);
      double G[12 * HN_MAX_ROWS], bias[HN_MAX_ROWS];
      hn_system_jacobian(s, at);
      memcpy(G, s->G, sizeof *G * 12 * (size_t)model->nrow);
      memcpy(bias, s->bias, sizeof *bias * (size_t)model->nrow);
      at->time = 0.7;
      hn_system_bias(s, at);
      double bias_later[HN_MAX_ROWS];
      memcpy(bias_later, s->bias, sizeof *bias_later * (size_t)model->nrow);
      hn_system_jacobian(s, at);
      assert_memory_equal(G, s->G, sizeof *G * 12 * (size_t)model->nrow);
      assert_memory_equal(bias_later, s->bias, sizeof *bias_later * (size_t)model->nrow);
      bool changes = memcmp(bias, s->bias, sizeof *bias * (size_t)model->nrow) != 0;
      if (types[i]->keys & HN_KEY_MOTION) assert_true(changes), driven_types++;
      else assert_false(changes);
      hn_state_free(at);
      hn_system_free(s);
    }
    hn_model_free(model);
  }
  printf("  %zu joint types, %zu of them driven\n", count, driven_types);
  assert_true(driven_types >= 2);
}

/* ---- The first guess ----------------------------------------------------------------------------------- */

static double iterations(const char *scene, const char *solver)
{
  bench b = set_up(scene, solver);
  const double h = 0.25 * b.scene->step;
  must_converge(&b, h, STEPS * h, NULL, NULL);
  double mean = b.summary.position_iterations_mean;
  tear_down(&b);
  return mean;
}

/* The first residual is of size h^2 from zero, h^4 from the guess: at least one iteration less. */
static void initial_guess_saves_an_iteration(void **state)
{
  (void)state;
  static const char *const scenes[] = { "box_pendulum", "heavy_top", "tree" };
  for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
    double zero = iterations(scenes[i], "impulse-sle:first_guess=zero");
    double guess = iterations(scenes[i], "impulse-sle");
    printf(" %s: %.2f iterations per step from zero\n", scenes[i], zero);
    check_below("from the impulses of the last two steps", guess, zero - 0.75);
  }
}

/* Returns the largest distance from the start after STEPS steps forwards and STEPS steps with reversed
 * velocities. */
static double reversal_error(const char *spec)
{
  hn_model *model = box_chain(4);
  hn_solver *solver = new_solver(spec, model);
  hn_state *at = hn_state_create(model), *start = hn_state_create(model);
  for (int pass = 0; pass < 2; pass++) {
    for (int k = 0; k < STEPS; k++) must_step(solver, at, 0.005);
    for (int i = 1; i < model->nbody && pass == 0; i++)
      for (int c = 0; c < 3; c++) at->twist[i].v[c] *= -1.0, at->twist[i].w[c] *= -1.0;
  }
  double worst = 0.0;
  for (int i = 1; i < model->nbody; i++)
    for (int c = 0; c < 3; c++) worst = larger(worst, fabs(at->pose[i].x[c] - start->pose[i].x[c]));
  hn_state_free(at), hn_state_free(start);
  hn_solver_free(solver);
  hn_model_free(model);
  return worst;
}

/* Each of 2 STEPS steps leaves a residual of at most the tolerance; errors of a chain grow at most tenfold in
 * half a second (measured without a guess: below 10). */
static void initial_guess_is_reversible_within_tolerance(void **state)
{
  (void)state;
  double from_zero = reversal_error("impulse-sle:tolerance=1e-8,flight=exact,first_guess=zero");
  check_below("reversal error from zero, tolerance 1e-8, m", from_zero, 10 * 2 * STEPS * 1e-8);
  check_below("from a guess, tolerance 1e-8, m", reversal_error("impulse-sle:tolerance=1e-8,flight=exact"),
              10 * 2 * STEPS * 1e-8);
  check_below("from a guess, tolerance 1e-12, m", reversal_error("impulse-sle:tolerance=1e-12,flight=exact"),
              10 * 2 * STEPS * 1e-12);
}

/* Checks that the next step of h is bitwise that of a new solver. */
static void check_as_new_solver(const char *what, hn_solver *solver, hn_state *at, double h)
{
  hn_solver *fresh = new_solver(solver->spec, solver->system->model);
  hn_state *other = hn_state_create(solver->system->model);
  hn_state_copy(other, at);
  must_step(solver, at, h);
  must_step(fresh, other, h);
  printf("  %s: %d and %d iterations\n", what, solver->report.position_iterations,
         fresh->report.position_iterations);
  assert_memory_equal(at->twist, other->twist, sizeof *at->twist * (size_t)at->nbody);
  assert_memory_equal(at->pose, other->pose, sizeof *at->pose * (size_t)at->nbody);
  hn_state_free(other);
  hn_solver_free(fresh);
}

static void useless_guess_is_discarded(void **state)
{
  (void)state;
  hn_model *model = box_chain(3);
  hn_solver *solver = new_solver("impulse-sle", model);
  hn_state *at = hn_state_create(model);
  for (int k = 0; k < 5; k++) must_step(solver, at, 0.01);
  check_as_new_solver("another step size", solver, at, 0.005);
  double *memory = malloc(hn_solver_memory(solver));
  for (int k = 0; k < 5; k++) must_step(solver, at, 0.01);
  hn_solver_save(solver, memory);
  for (int i = 0; i < 2 * model->nrow; i++) memory[3 + i] = i % 2 ? 1e9 : -1e9; /* layout in guess.h */
  assert_int_equal(hn_solver_restore(solver, memory, hn_solver_memory(solver), NULL), 0);
  check_as_new_solver("a useless guess", solver, at, 0.01);
  hn_solver_save(solver, memory);
  hn_solver_reset(solver);
  check_as_new_solver("after a reset", solver, at, 0.01);
  free(memory);
  hn_state_free(at);
  hn_solver_free(solver);
  hn_model_free(model);
}

/* ---- Loaded libraries ---------------------------------------------------------------------------------- */

static bool is_loaded(const char *library)
{
  char line[1024];
  bool found = false;
  FILE *maps = fopen("/proc/self/maps", "r");
  while (maps && fgets(line, sizeof line, maps)) found |= strstr(line, library) != NULL;
  if (maps) fclose(maps);
  return found;
}

static void small_runs_load_no_library(void **state)
{
  (void)state;
  static const char *const solvers[] = { "impulse-sle",      "impulse-gs",          "lagrange",
                                         "taylor",           "generalised-alpha",   "half-explicit",
                                         "impulse-composed", "impulse-extrapolated" };
  for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++) {
    bench b = set_up("pendulum", solvers[i]);
    must_converge(&b, 0.01, 0.1, NULL, NULL);
    tear_down(&b);
    assert_true(!is_loaded("petsc"));
  }
  bench b = set_up("pendulum", "impulse-sle:linear=petsc");
  printf("  PETSc is loaded %s\n", is_loaded("petsc") ? "when requested" : "NOT");
  assert_true(is_loaded("petsc"));
  tear_down(&b);
}

/* ---- Subnormal numbers --------------------------------------------------------------------------------- */

enum { LINKS = 1500 };

static int count_subnormal(const double *x, int n)
{
  int count = 0;
  for (int i = 0; i < n; i++) count += fpclassify(x[i]) == FP_SUBNORMAL;
  return count;
}

/* The impulses of a chain pulled at one end decay by a factor per link, beyond the range of doubles. Well
 * above the bound they agree with another back end; below they are zero. */
static void decaying_impulses_end_in_zero(void **state)
{
  (void)state;
  hn_model *model = box_chain(LINKS);
  double *x[2];
  static const char *const backends[] = { "ldl", "petsc" };
  for (int k = 0; k < 2; k++) {
    hn_error error;
    hn_linear_options options = { .backend = backends[k], .petsc = "" };
    hn_system *s = hn_system_create(model, &error);
    hn_state *at = hn_state_create(model);
    if (hn_system_use_linear(s, &options, &error)) fail_msg("%s", error.text);
    x[k] = calloc((size_t)model->nrow, sizeof *x[k]);
    x[k][model->nrow - 2] = 1.0;
    hn_system_jacobian(s, at);
    assert_int_equal(hn_system_factor(s), HN_CONVERGED);
    assert_int_equal(hn_system_solve(s, x[k], x[k]), HN_CONVERGED);
    hn_state_free(at);
    hn_system_free(s);
  }
  double worst = 0.0;
  int zeros = 0;
  for (int i = 0; i < model->nrow; i++) {
    zeros += x[0][i] == 0.0;
    if (fabs(x[1][i]) > 1e-120)
      worst = larger(worst, fabs(x[0][i] / x[1][i] - 1.0)); /* far above the bound */
    if (fabs(x[1][i]) < 1e-151) assert_true(x[0][i] == 0.0);
  }
  printf("  subnormal: %d, with petsc %d; zeros: %d of %d\n", count_subnormal(x[0], model->nrow),
         count_subnormal(x[1], model->nrow), zeros, model->nrow);
  assert_int_equal(count_subnormal(x[0], model->nrow), 0);
  assert_true(count_subnormal(x[1], model->nrow) > 0); /* otherwise the chain is too short for the test */
  check_below("relative difference above the bound", worst, 1e-11); /* rounding errors of 1500 links */
  free(x[0]), free(x[1]);
  hn_model_free(model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(small_runs_load_no_library), /* first: libraries stay loaded */
    cmocka_unit_test(one_factorisation_per_step),
    cmocka_unit_test(one_jacobian_per_step),
    cmocka_unit_test(changed_state_is_detected),
    cmocka_unit_test(jacobians_are_independent_of_time),
    cmocka_unit_test(initial_guess_saves_an_iteration),
    cmocka_unit_test(initial_guess_is_reversible_within_tolerance),
    cmocka_unit_test(useless_guess_is_discarded),
    cmocka_unit_test(decaying_impulses_end_in_zero),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
