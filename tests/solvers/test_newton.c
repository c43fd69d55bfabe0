/* test_newton.c - impulse-newton: quadratic convergence, steps at which impulse-sle stalls, failures and work
 * counts. Its matrix is tested in test_newton_matrix.c. */
#include "newton_trials.h"
#include "scenes.h"
#include "base/vec.h"

#include <string.h>

/* ---- Convergence --------------------------------------------------------------------------------------- */

/* Computes the residuals e[0..count) after 1, 2, ... iterations. */
static void list_residuals(const char *solver_spec, const hn_model *model, const hn_state *from, double h,
                           int count, double *e)
{
  printf("  %-44s", solver_spec);
  for (int k = 0; k < count; k++) {
    e[k] = residual_after(solver_spec, k + 1, model, from, h);
    printf(" %9.2e", e[k]);
  }
  printf("\n");
}

/* Quadratic: e[k+1] <= C e[k]^2 with one C down to rounding; the frozen matrix has e[k+1] ~ rate e[k]. */
static void convergence_is_quadratic(void **state)
{
  (void)state;
  static const struct {
    const char *scene, *flight;
    double from, h;
  } cases[] = {
    { "double_pendulum", "rk4", 0.5, 0.15 }, { "box_pendulum", "rk4", 0.5, 0.1 },
    { "box_pendulum", "exact", 0.5, 0.1 },   { "chain8", "taylor", 0.5, 0.1 },
    { "heavy_top", "exact", 0.1, 0.01 },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char newton[80], sle[80];
    double e[5], frozen[5], C = 0.0;
    snprintf(newton, sizeof newton, "impulse-newton:line_search=basic,flight=%s", cases[i].flight);
    snprintf(sle, sizeof sle, "impulse-sle:flight=%s", cases[i].flight);
    bench b = set_up(cases[i].scene, sle);
    must_converge(&b, 0.001, cases[i].from, NULL, NULL);
    printf(" %s at %g s, h = %g: residuals after iterations 1, 2, ...\n", cases[i].scene, cases[i].from,
           cases[i].h);
    list_residuals(newton, b.model, b.state, cases[i].h, 5, e);
    list_residuals(sle, b.model, b.state, cases[i].h, 5, frozen);
    for (int k = 0; k < 4; k++)
      if (e[k + 1] > 1e-13) C = larger(C, e[k + 1] / (e[k] * e[k]));
    check_below("largest e[k+1] / e[k]^2 above round-off, 1/m", C, 10);
    check_below("after 5 iterations", e[4], 1e-13);
    assert_true(frozen[4] > 1e3 * e[4]);
    tear_down(&b);
  }
}

typedef struct worst {
  const hn_model *model;
  double position, velocity;
} worst;

static bool measure(void *user, const hn_frame *frame)
{
  worst *w = user;
  hn_measure m;
  hn_measure_state(w->model, frame->state, &m);
  w->position = larger(w->position, m.position_error);
  w->velocity = larger(w->velocity, m.velocity_error);
  return true;
}

static void print_run(const char *spec, double h, hn_reason reason, const hn_summary *s)
{
  printf("  %-44s h %-6g %-10s after %ld steps, %.1f iterations\n", spec, h, hn_reason_name(reason), s->steps,
         s->position_iterations_mean);
}

/* The fast top rotates by 0.5 rad per step: D is far from I, and iterations with the frozen matrix do not
 * converge. */
static void converges_where_sle_stalls(void **state)
{
  (void)state;
  static const struct {
    const char *scene, *sle, *newton;
    double h, duration;
  } cases[] = {
    { "heavy_top", "impulse-sle:flight=exact,iterations=1000", "impulse-newton:flight=exact", 0.01, 1.0 },
    { "heavy_top", "impulse-sle:iterations=1000", "impulse-newton", 0.008, 1.0 },
    { "pendulum", "impulse-sle", "impulse-newton", 0.25, 1.25 },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    printf(" %s\n", cases[i].scene);
    bench sle = set_up(cases[i].scene, cases[i].sle), newton = set_up(cases[i].scene, cases[i].newton);
    worst w = { .model = newton.model };
    hn_reason reason = run(&sle, cases[i].h, cases[i].duration, NULL, NULL);
    print_run(cases[i].sle, cases[i].h, reason, &sle.summary);
    assert_int_equal(reason, HN_STALLED);
    reason = run(&newton, cases[i].h, cases[i].duration, measure, &w);
    print_run(cases[i].newton, cases[i].h, reason, &newton.summary);
    assert_int_equal(reason, HN_CONVERGED);
    check_below("worst joint after any step, m", w.position, 1.001e-9);
    check_below("velocity residual, m/s", w.velocity, 1e-11);
    tear_down(&sle);
    tear_down(&newton);
  }
}

/* Returns the next pseudo-random number in [-1, 1), equal in every run. */
static double irregular(uint32_t *seed)
{
  *seed = *seed * 1664525u + 1013904223u;
  return (double)(*seed >> 8) / 8388608.0 - 1.0;
}

enum { STARTS = 200, VARIANTS = 4 };

/* Counts, for each solver, how many of STARTS steps of h converge from the start of the scene with random
 * angular velocities up to `spin` added. A short step before makes the velocities consistent with the
 * joints. */
static void count_converged(const char *scene, double spin, double h,
                            const char *const solver_specs[VARIANTS], int count[VARIANTS])
{
  uint32_t seed = 1;
  bench b = set_up(scene, "impulse-sle:halvings=10");
  hn_state *start = hn_state_create(b.model), *at = hn_state_create(b.model);
  hn_solver *solver[VARIANTS];
  for (int k = 0; k < VARIANTS; k++) solver[k] = new_solver(solver_specs[k], b.model), count[k] = 0;
  for (int i = 0; i < STARTS; i++) {
    hn_state_copy(start, b.state);
    for (int body = 1; body < start->nbody; body++)
      for (int c = 0; c < 3; c++) start->twist[body].w[c] += spin * irregular(&seed);
    assert_int_equal(hn_solver_step(b.solver, start, 0.001), HN_CONVERGED);
    for (int k = 0; k < VARIANTS; k++) {
      hn_state_copy(at, start);
      count[k] += hn_solver_step(solver[k], at, h) == HN_CONVERGED;
    }
  }
  printf(" %s, up to %g rad/s, h = %g: steps of %d that converge\n", scene, spin, h, STARTS);
  for (int k = 0; k < VARIANTS; k++) {
    printf("  %-50s %d\n", solver_specs[k], count[k]);
    hn_solver_free(solver[k]);
  }
  hn_state_free(start), hn_state_free(at);
  tear_down(&b);
}

/* With large steps from irregular starts Newton's method converges more often than the frozen matrix, and
 * more often with line search than without. It may fail where M_h is singular (theory, section 5). */
static void line_search_converges_more_often(void **state)
{
  (void)state;
  static const char *const solver_specs[VARIANTS] = { "impulse-sle:flight=exact",
                                                      "impulse-sle:flight=exact,iterations=1000",
                                                      "impulse-newton:flight=exact,line_search=basic",
                                                      "impulse-newton:flight=exact" };
  int boxes[VARIANTS], loop[VARIANTS];
  count_converged("box_pendulum", 30, 0.1, solver_specs, boxes);
  count_converged("chain8", 10, 0.1, solver_specs, loop);
  assert_true(boxes[0] < boxes[2] && boxes[2] < boxes[3]);
  assert_true(loop[0] < loop[3]);
}

/* Both solvers find the same motion. */
static void agrees_with_sle(void **state)
{
  (void)state;
  static const char *const scenes[] = { "double_pendulum", "box_pendulum", "chain8", "tree",
                                        "peer_tree",       "star" };
  static const char *const variants[] = { "", ",line_search=basic", ",line_search=l2", ",line_search=cp",
                                          ",linear=dense" };
  for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
    bench sle = set_up(scenes[i], "impulse-sle:tolerance=1e-13");
    must_converge(&sle, 0.01, 0.2, NULL, NULL);
    printf(" %s\n", scenes[i]);
    for (size_t k = 0; k < sizeof variants / sizeof *variants; k++) {
      char spec[96];
      double distance = 0.0, d[3];
      snprintf(spec, sizeof spec, "impulse-newton:tolerance=1e-13%s", variants[k]);
      bench newton = set_up(scenes[i], spec);
      must_converge(&newton, 0.01, 0.2, NULL, NULL);
      for (int b = 1; b < newton.state->nbody; b++) {
        vec_sub(d, newton.state->pose[b].x, sle.state->pose[b].x);
        distance = larger(distance, vec_norm(d));
      }
      check_below(spec, distance, 1e-11);
      tear_down(&newton);
    }
    tear_down(&sle);
  }
}

/* An adaptive flight is discontinuous by its tolerance; the finite differences must be wide enough. Coarse
 * flights of a fast top have large jumps: differences across one would make the derivative useless. */
static void coarse_adaptive_flights_converge(void **state)
{
  (void)state;
  bench b = set_up("box_pendulum",
                   "impulse-newton:flight=taylor,flight_order=4,flight_adaptive=true,flight_tolerance=1e-6");
  must_converge(&b, 0.01, 1.0, NULL, NULL);
  check_below("largest number of iterations", b.summary.position_iterations_max, 3);
  tear_down(&b);
  b = set_up("heavy_top",
             "impulse-newton:flight=taylor,flight_order=2,flight_adaptive=true,flight_tolerance=1e-2");
  must_converge(&b, 0.01, 2.0, NULL, NULL);
  check_below("of the heavy top", b.summary.position_iterations_max, 10);
  tear_down(&b);
}

/* ---- Failures, work ------------------------------------------------------------------------------------ */

static void check_failure(const hn_model *model, const hn_state *from, double h, const char *spec,
                          hn_reason expected, const char *message)
{
  char text[256];
  hn_solver *solver = new_solver(spec, model);
  hn_state *at = hn_state_create(model);
  hn_state_copy(at, from);
  for (int twice = 0; twice < 2; twice++) {
    hn_reason reason = hn_solver_step(solver, at, h);
    hn_solver_explain(solver, reason, h, text, sizeof text);
    printf("  %s\n", text);
    assert_int_equal(reason, expected);
    assert_non_null(strstr(text, message));
    assert_memory_equal(at->pose, from->pose, sizeof *at->pose * (size_t)at->nbody);
    assert_memory_equal(at->twist, from->twist, sizeof *at->twist * (size_t)at->nbody);
  }
  hn_state_free(at);
  hn_solver_free(solver);
}

static void failures_are_reasons(void **state)
{
  (void)state;
  bench b = set_up("box_pendulum", "impulse-newton");
  check_failure(b.model, b.state, 0.5, "impulse-newton", HN_STALLED, "worst joint \"");
  check_failure(b.model, b.state, 0.2, "impulse-newton:iterations=2", HN_STALLED, "after 2 iterations");
  tear_down(&b);
  /* The rod ends perpendicular to its start: impulses along it cannot change its length, M_h = (0). */
  hn_model *model = new_model();
  add_rod(model, 0, add_particle(model, "p", 1, 0, 0));
  hn_state *at = hn_state_create(model);
  at->twist[1].v[0] = -4.0;
  check_failure(model, at, 0.25, "impulse-newton", HN_SINGULAR, "M_h");
  at->twist[1].v[0] = 1e308;
  check_failure(model, at, 0.25, "impulse-newton", HN_NOT_FINITE, "joint correction");
  hn_state_free(at);
  static const bad_spec bad[] = { { "impulse-newton:line_search=wolfe", "one of bt,basic,l2,cp" } };
  check_refused(model, bad, 1);
  hn_model_free(model);
}

static void halving_recovers_from_a_stall(void **state)
{
  (void)state;
  bench whole = set_up("box_pendulum", "impulse-newton"),
        halved = set_up("box_pendulum", "impulse-newton:halvings=8");
  assert_int_equal(run(&whole, 0.5, 1.0, NULL, NULL), HN_STALLED);
  must_converge(&halved, 0.5, 1.0, NULL, NULL);
  printf("  halvings: %llu\n", (unsigned long long)halved.summary.halvings);
  assert_true(halved.summary.halvings > 0);
  tear_down(&whole);
  tear_down(&halved);
}

static void work_is_counted_exactly(void **state)
{
  (void)state;
  hn_model *model = box_chain(5);
  hn_solver *solver = new_solver("impulse-newton:line_search=basic", model);
  hn_state *at = hn_state_create(model);
  const uint64_t steps = 7, iterations = count_iterations(solver, at, 0.01, steps);
  const hn_work *w = &solver->system->work;
  ASSERT_COUNT("factorisations: of M_h, and of K", w->factorisations, iterations + steps + 1);
  ASSERT_COUNT("Jacobians: at q(h), and for K", w->jacobians, 5 * (iterations + steps + 1));
  ASSERT_COUNT("solves", w->solves, iterations + steps);
  ASSERT_COUNT("flights, six per derivative", w->flights, 5 * (iterations + steps) + 6 * 5 * iterations);
  ASSERT_COUNT("residuals", w->residuals, 5 * (iterations + steps));
  hn_state_free(at);
  hn_solver_free(solver);
  hn_model_free(model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(convergence_is_quadratic),         cmocka_unit_test(converges_where_sle_stalls),
    cmocka_unit_test(line_search_converges_more_often), cmocka_unit_test(agrees_with_sle),
    cmocka_unit_test(coarse_adaptive_flights_converge), cmocka_unit_test(failures_are_reasons),
    cmocka_unit_test(halving_recovers_from_a_stall),    cmocka_unit_test(work_is_counted_exactly),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
