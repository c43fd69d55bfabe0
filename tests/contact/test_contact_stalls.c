/* test_contact_stalls.c - time stepping with default settings completes all runs of a list that was chosen in
 * advance: pushed, pulled and driven bodies with friction, from small steps to large ones. Also the parts
 * involved: acceleration of slow iterations, fallback solvers, detection of insolubility, work counts. */
#include "scenes.h"
#include "contact_problems.h"
#include "contact/anderson.h"

/* ---- Runs ---------------------------------------------------------------------------------------------- */

typedef struct tally {
  int runs, ended;
  double residual; /* m/s, largest */
} tally;

static void run_scene(tally *sum, const char *scene, const char *const *settings, double h, double duration)
{
  bench b = set_up_as(scene, settings, "moreau");
  hn_reason reason = run(&b, h, duration, NULL, NULL);
  printf("  %-12s", scene);
  for (int i = 0; settings && settings[i]; i++) printf(" %s", settings[i]);
  printf(" h = %g s: %s, %.1f iterations a step, law %.1e m/s\n", h, hn_reason_name(reason),
         b.summary.velocity_iterations_mean, b.summary.contact.residual);
  sum->runs++, sum->ended += reason == HN_CONVERGED;
  sum->residual = larger(sum->residual, b.summary.contact.residual);
  tear_down(&b);
}

static void check_all(const tally *sum)
{
  check_below("incomplete runs", sum->runs - sum->ended, 0.5);
  /* their tolerance; the measure sums in another order */
  check_below("law of contact, m/s", sum->residual, 1e-10 * (1 + 1e-6));
}

/* From rest a stack has no initial impulses, and effects at its top reach its bottom last. */
static void stacks_whose_top_is_pushed(void **unused)
{
  (void)unused;
  static const int high[] = { 5, 10, 20, 30, 40 };
  static const double pushes[] = { 0.1, 0.5, 1, 2, 5 };
  tally sum = { 0 };
  for (size_t i = 0; i < sizeof high / sizeof *high; i++)
    for (size_t k = 0; k < sizeof pushes / sizeof *pushes; k++)
      for (int plane = 1; plane >= 0; plane--) {
        char boxes[32], speed[32];
        if (!plane && (i % 2 || k % 2)) continue;
        snprintf(boxes, sizeof boxes, "boxes=%d", high[i]),
          snprintf(speed, sizeof speed, "push=%g", pushes[k]);
        run_scene(&sum, "stack", plane ? WITH(boxes, speed) : WITH(boxes, speed, "planar=false"), 0.01, 0.2);
      }
  run_scene(&sum, "stack", WITH("push=1"), 0.001, 0.05);
  run_scene(&sum, "stack", WITH("push=1"), 0.02, 0.5);
  check_all(&sum);
}

/* Two runners whose heights differ by rounding: one must slide by a tiny amount where both would stick. */
static void a_sledge_creeps(void **unused)
{
  (void)unused;
  tally sum = { 0 };
  run_scene(&sum, "sledge", NULL, 0.0005, 2), run_scene(&sum, "sledge", NULL, 0.001, 5);
  run_scene(&sum, "sledge", NULL, 0.002, 5), run_scene(&sum, "sledge", NULL, 0.005, 5);
  run_scene(&sum, "sledge", NULL, 0.01, 5);
  check_all(&sum);
}

static void other_scenes_of_the_list(void **unused)
{
  (void)unused;
  static const double steps[] = { 1e-4, 1e-3, 0.01, 0.02 };
  tally sum = { 0 };
  for (double h = 0.0005; h < 0.011; h *= 2) run_scene(&sum, "heavy_chain", NULL, h, 1.2);
  for (int i = 0; i < 4; i++) {
    run_scene(&sum, "painleve", NULL, steps[i], 0.1),
      run_scene(&sum, "wall", NULL, steps[i], 1000 * steps[i]);
    run_scene(&sum, "table", NULL, steps[i], 50 * steps[i] + 0.1);
    run_scene(&sum, "ladder", WITH("floor=0.2", "wall=0.2"), steps[i], 0.3);
    if (i == 0) continue; /* at rest */
    run_scene(&sum, "card_house", NULL, steps[i], 20 * steps[i]),
      run_scene(&sum, "kapla", NULL, steps[i], 10 * steps[i]);
    run_scene(&sum, "arch", NULL, steps[i], 50 * steps[i]);
    run_scene(&sum, "bridge", WITH("drop=0.5"), steps[i], 0.5);
    run_scene(&sum, "pyramid", NULL, steps[i], 10 * steps[i]);
  }
  run_scene(&sum, "arch", WITH("thickness=0.09"), 0.005, 1);
  check_all(&sum);
}

/* Cards that lean too far for their friction lie on each other with redundant contacts, inconsistent within
 * the tolerance of the projection. For such contradictions the law is met up to the accuracy of the gaps:
 * 1e-9 m in a step of 2 ms. */
static void a_house_of_cards_falls(void **unused)
{
  (void)unused;
  static const struct {
    const char *friction;
    double until;
  } fall[] = {
    { "friction=0.05", 0.4 },
    { "friction=0.1", 0.4 },  /* by then all cards lie on the floor */
    { "friction=0.2", 0.63 }, /* admm and newton once stalled at 0.624 s */
  };
  for (size_t k = 0; k < sizeof fall / sizeof *fall; k++) {
    bench b = set_up_as("card_house", WITH(fall[k].friction), "moreau");
    const double before = b.state->pose[body_named(&b, "card2_1l")].x[2];
    must_converge(&b, 0.002, fall[k].until, NULL, NULL);
    const double sunk = before - b.state->pose[body_named(&b, "card2_1l")].x[2];
    printf("  %s: %d contradictions, the top has sunk by %g m\n", fall[k].friction,
           (int)b.summary.contradictions, sunk);
    assert_true(sunk > 0.1);
    check_below("law of contact, m/s", b.summary.contact.residual, 1e-9 / 0.002 * (1 + 1e-6));
    tear_down(&b);
  }
}

/* Light links between the support and a heavy ball, nearly aligned: to first order straightening them costs
 * less than moving the ball. Full displacements overshoot; the limit is 50 iterations of the projection. */
/* The projection takes a part of a displacement that overshoots. The momentum of each body still
 * changes by its impulses and forces alone. Before, velocities became displacements, and the chain stood. */
static void projection_leaves_velocities_alone(void **unused)
{
  (void)unused;
  static const char *const ratios[] = { "ratio=980", "ratio=1000", "ratio=1015" };
  for (size_t i = 0; i < sizeof ratios / sizeof *ratios; i++) {
    bench b = set_up_as("heavy_chain", WITH(ratios[i]), "moreau");
    must_converge(&b, 0.004, 1.2, NULL, NULL);
    printf("  %s\n", ratios[i]);
    check_below("momentum balance of a body, N s", b.summary.contact.balance, 1e-11);
    check_below("law of contact, m/s", b.summary.contact.residual, 1e-10 * (1 + 1e-6));
    tear_down(&b);
  }
}

static void a_nearly_straight_chain(void **unused)
{
  (void)unused;
  static const double steps[] = { 0.015, 0.02, 0.021, 0.022, 0.025, 0.03 };
  static const char *const specs[] = { "moreau", "moreau:contact=newton", "moreau:contact=lemke" };
  for (size_t k = 0; k < sizeof specs / sizeof *specs; k++)
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
      bench b = set_up("heavy_chain", specs[k]);
      /* Lemke's method is followed up to the impact alone, which may end it on a ray */
      must_converge(&b, steps[i], k == 2 ? fmin(50 * steps[i], 0.9) : 50 * steps[i], NULL, NULL);
      printf("  %s, h = %g s: %.1f iterations a step, %d at most\n", specs[k], steps[i],
             b.summary.position_iterations_mean, b.summary.position_iterations_max);
      check_below("joint error, m", b.summary.position_max, 1e-9);
      tear_down(&b);
    }
}

/* ---- Acceleration -------------------------------------------------------------------------------------- */

/* Returns the number of steps until x := A x + c is accurate to 1e-10; along SLOW of 20 directions errors
 * decrease by less than 1 % a step, along the others fast. KINK: for x_0 < 1 another rule applies. */
static int count_steps(bool accelerated, bool kink)
{
  enum { N = 20, SLOW = 4 };
  const double fixed = 2.0;
  double x[N], tx[N], weight[N], remaining = 1;
  hn_anderson anderson = { 0 };
  int steps = 0;
  assert_true(hn_anderson_create(&anderson, N));
  for (int i = 0; i < N; i++) x[i] = kink ? 0.0 : 1.0 / (1 + i), weight[i] = 1.0 + i;
  for (; steps < 100000 && remaining > 1e-10; steps++) {
    remaining = 0;
    for (int i = 0; i < N; i++) {
      const double rate = i < SLOW ? 0.999 - 0.002 * i : 0.1;
      tx[i] = kink && x[0] < 1.0 ? x[i] + 0.01 : fixed + rate * (x[i] - fixed);
      remaining = larger(remaining, fabs(x[i] - fixed));
    }
    if (accelerated) hn_anderson_step(&anderson, N, weight, tx, x);
    else memcpy(x, tx, sizeof x);
  }
  hn_anderson_free(&anderson);
  return steps;
}

/* In exact arithmetic one step for each slow direction, and one for the others together, suffices. */
static void a_few_slow_directions(void **unused)
{
  (void)unused;
  const int plain = count_steps(false, false), accelerated = count_steps(true, false);
  printf("  %d steps without\n", plain);
  check_below("steps", accelerated, 15);
  check_below("steps, not smooth", count_steps(true, true), 0.1 * count_steps(false, true));
}

/* ---- Fallbacks ----------------------------------------------------------------------------------------- */

static hn_contact_solver *solver_for(const char *spec, double tolerance, int iterations,
                                     const trial_problem *t)
{
  hn_error error;
  const hn_contact_options options = { .solver = spec, .tolerance = tolerance, .iterations = iterations };
  const hn_problem_size most = { t->p.nblock, t->p.nrow, t->p.nbody };
  hn_contact_solver *solver = hn_contact_solver_create(&options, &most, &error);
  if (!solver) fail_msg("%s", error.text);
  return solver;
}

/* Returns five boxes, one on the other, each with one contact below. */
static trial_problem *column(void)
{
  static const double frame[9] = { 0, 1, 0, 1, 0, 0, 0, 0, 1 }, below[3] = { 0, -0.5, 0 },
                      above[3] = { 0, 0.5, 0 };
  trial_problem *t = problem_of(6);
  for (int i = 1; i < 6; i++) {
    t->u[6 * i + 1] = -0.1;
    add_contact(t, i - 1, i, i == 1 ? (const double[3]){ 0, 0, 0 } : above, below, frame, 3, cone(0.5));
  }
  return t;
}

static void a_fallback_continues(void **unused)
{
  (void)unused;
  hn_error error;
  trial_problem *t = column();
  double p[MAX_ROWS] = { 0 };
  hn_contact_solver *solver = solver_for("pgs:iterations=3:then=newton:sweeps=0:tolerance=1e-12", 1e-10, 50,
                                         t);
  printf("  %s\n", solver->spec);
  assert_int_equal(hn_contact_solver_keep_history(solver, 100, &error), 0);
  assert_int_equal(hn_contact_solve(solver, &t->p, p), HN_CONVERGED);
  check_below("law, m/s", error_of(t, false, p), 1e-12);
  assert_int_equal(solver->fallbacks, 1);
  assert_int_equal(solver->kept, solver->iterations); /* the history of both solvers */
  assert_int_equal(solver->iterations, 3 + solver->next->iterations);
  assert_true(solver->next->iterations > 0 && solver->factorisations == solver->next->factorisations);
  assert_true(solver->history[2] > 1e-4 && solver->history[solver->kept - 1] < 1e-12);
  hn_contact_solver *again = solver_for(solver->spec, 1, 1, t); /* the printed settings are complete */
  assert_string_equal(again->spec, solver->spec);
  hn_contact_solver_free(again), hn_contact_solver_free(solver);
  free_problem(t);
}

static void a_fallback_is_not_needed(void **unused)
{
  (void)unused;
  trial_problem *t = column();
  double p[MAX_ROWS] = { 0 };
  hn_contact_solver *done = solver_for("pgs:then=newton", 1e-8, 1000, t);
  assert_int_equal(hn_contact_solve(done, &t->p, p), HN_CONVERGED);
  assert_true(done->fallbacks == 0 && done->next->iterations == 0);
  memset(p, 0, sizeof p);
  hn_contact_solver *without_tolerance = solver_for("pgs:then=newton", 0, 3,
                                                    t); /* three sweeps were requested */
  assert_int_equal(hn_contact_solve(without_tolerance, &t->p, p), HN_BUDGET);
  assert_true(without_tolerance->iterations == 3 && without_tolerance->next->iterations == 0);
  hn_contact_solver_free(done), hn_contact_solver_free(without_tolerance);
  free_problem(t);
}

/* If the fallback fails, or does not reduce the error, impulses and error of the first solver are
 * returned. */
static void a_fallback_without_success(void **unused)
{
  (void)unused;
  trial_problem *t = column();
  double first[MAX_ROWS] = { 0 }, p[MAX_ROWS] = { 0 };
  hn_contact_solver *alone = solver_for("pgs", 1e-10, 3, t),
                    *two = solver_for("pgs:then=lemke:size=1", 1e-10, 3, t);
  assert_int_equal(hn_contact_solve(alone, &t->p, first), HN_BUDGET);
  assert_int_equal(hn_contact_solve(two, &t->p, p), HN_BUDGET);
  assert_memory_equal(p, first, sizeof p);
  assert_true(two->error == alone->error && two->iterations == 3);
  hn_contact_solver_free(alone), hn_contact_solver_free(two);
  free_problem(t);
}

static void unknown_fallbacks_are_refused(void **unused)
{
  (void)unused;
  static const struct {
    const char *spec, *says;
  } wrong[] = {
    { "admm:then=newtn", "no contact solver \"newtn\"; did you mean \"newton\"?" },
    { "admm:then=", "no contact solver \"\"" },
    { "admm:then=newton:swep=3", "newton" },
    { "admm:rho=0.1:thn=newton", "admm" },
  };
  trial_problem *t = column();
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
    hn_error error = { "" };
    const hn_contact_options options = { .solver = wrong[k].spec, .tolerance = 1e-8, .iterations = 10 };
    const hn_problem_size most = { t->p.nblock, t->p.nrow, t->p.nbody };
    assert_null(hn_contact_solver_create(&options, &most, &error));
    printf("  %s: %s\n", wrong[k].spec, error.text);
    assert_non_null(strstr(error.text, wrong[k].says));
  }
  free_problem(t);
}

/* ---- Without a solution -------------------------------------------------------------------------------- */

/* Solves two pushes on one mass from opposite sides with targets A and B. */
static hn_reason squeeze(double a, double b, int *iterations)
{
  double value[4] = { 1, -1, -1, 1 }, v[2] = { -a, -b }, p[2] = { 0 };
  int start[3] = { 0, 2, 4 }, column[4] = { 0, 1, 0, 1 };
  hn_problem_matrix K = { start, column, value };
  hn_problem_block block[2] = { { .row = 0, .n = 1, .set = { .kind = HN_PUSH } },
                                { .row = 1, .n = 1, .set = { .kind = HN_PUSH } } };
  const hn_problem problem = { .h = 1, .nblock = 2, .nrow = 2, .block = block, .b = v, .K = &K };
  const hn_contact_options options = { .solver = "admm", .tolerance = 1e-10, .iterations = 10000 };
  const hn_problem_size most = { 2, 2, 1 };
  hn_error error;
  hn_contact_solver *solver = hn_contact_solver_create(&options, &most, &error);
  if (!solver) fail_msg("%s", error.text);
  hn_reason reason = hn_contact_solve(solver, &problem, p);
  *iterations = solver->iterations;
  hn_contact_solver_free(solver);
  return reason;
}

/* Impulses that grow by constant increments are a certificate of insolubility. Detection starts after 100
 * iterations and takes few more. */
static void insolubility_is_detected(void **unused)
{
  (void)unused;
  int iterations;
  for (double a = 1e-4; a < 1.5; a *= 100) {
    assert_int_equal(squeeze(a, a, &iterations), HN_STALLED);
    printf("  both by %g m/s:\n", a);
    check_below("  iterations", iterations, 200);
    assert_int_equal(squeeze(a, -a, &iterations), HN_CONVERGED);
    check_below("  iterations for compatible targets", iterations, 200);
  }
}

/* ---- Work counts --------------------------------------------------------------------------------------- */

static hn_work work_of(const char *spec, uint64_t *blocks)
{
  bench b = set_up_as("stack", WITH("boxes=4"), spec);
  must_converge(&b, 0.01, 0.01, NULL, NULL);
  *blocks = (uint64_t)b.state->ncontact;
  hn_work work = b.summary.work;
  tear_down(&b);
  return work;
}

/* Each iteration or sweep computes and projects one impulse for every block; factored blocks count as
 * eliminated. A step also applies each impulse once. */
static void iterations_are_counted_as_work(void **unused)
{
  (void)unused;
  uint64_t blocks;
  static const char plain[] = "moreau:stabilisation=none,contact_tolerance=0,warm_start=false,";
  char spec[256];
  for (int sweeps = 5; sweeps <= 50; sweeps *= 10) {
    snprintf(spec, sizeof spec, "%scontact=pgs,sweeps=%d", plain, sweeps);
    hn_work work = work_of(spec, &blocks);
    printf("%s: %d joint operations\n", spec, (int)hn_work_operations(&work));
    ASSERT_COUNT("iterations", work.contact_iterations, (uint64_t)sweeps);
    ASSERT_COUNT("impulses", work.impulses, blocks * (uint64_t)(sweeps + 1));
    ASSERT_COUNT("projections", work.projections, blocks * (uint64_t)sweeps);
    ASSERT_COUNT("eliminated", work.eliminated, 0);
  }
  snprintf(spec, sizeof spec, "%scontact=admm,sweeps=5", plain);
  hn_work work = work_of(spec, &blocks);
  ASSERT_COUNT("admm: solutions", work.solves, 5);
  ASSERT_COUNT("admm: factorisations", work.factorisations, 1);
  ASSERT_COUNT("admm: eliminated", work.eliminated, blocks);
  ASSERT_COUNT("admm: impulses", work.impulses, 6 * blocks);
  work = work_of("moreau:stabilisation=none,warm_start=false,contact=pgs:iterations=7:then=newton:sweeps=0",
                 &blocks);
  ASSERT_COUNT("two: sweeps and iterations", work.contact_iterations, 7 + work.factorisations + 1);
  ASSERT_COUNT("two: solutions", work.solves, work.factorisations);
  assert_true(work.eliminated > 0 && work.eliminated <= blocks * work.factorisations);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(stacks_whose_top_is_pushed),
    cmocka_unit_test(a_sledge_creeps),
    cmocka_unit_test(other_scenes_of_the_list),
    cmocka_unit_test(a_nearly_straight_chain),
    cmocka_unit_test(projection_leaves_velocities_alone),
    cmocka_unit_test(a_house_of_cards_falls),
    cmocka_unit_test(insolubility_is_detected),
    cmocka_unit_test(a_few_slow_directions),
    cmocka_unit_test(a_fallback_continues),
    cmocka_unit_test(a_fallback_is_not_needed),
    cmocka_unit_test(a_fallback_without_success),
    cmocka_unit_test(unknown_fallbacks_are_refused),
    cmocka_unit_test(iterations_are_counted_as_work),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
