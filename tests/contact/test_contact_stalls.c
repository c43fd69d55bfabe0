/* test_contact_stalls.c - time stepping as it comes solves every problem of a list that was chosen before any of them
 * was solved: what is pushed, pulled and driven over its friction, from small steps to large ones. And its two parts:
 * acceleration of a slow iteration, and a solver that goes on where another one ends. */
#include "scenes.h"
#include "contact_problems.h"
#include "contact/anderson.h"

/* ---- Runs -------------------------------------------------------------------------------------------------------- */

typedef struct tally {
  int runs, ended;
  double residual; /* m/s, the largest */
} tally;

static void attempt(tally *sum, const char *scene, const char *const *settings, double h, double duration)
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
  check_below("runs that do not get to their end", sum->runs - sum->ended, 0.5);
  check_below("law of contact, m/s", sum->residual,
              1e-10 * (1 + 1e-6)); /* their tolerance; the measure sums anew */
}

/* From rest a stack has no impulses to begin with, and what its top does is known at its bottom last. */
static void stacks_whose_top_is_pushed(void **unused)
{
  (void)unused;
  static const int high[] = { 5, 10, 20, 30, 40 };
  static const double fast[] = { 0.1, 0.5, 1, 2, 5 };
  tally sum = { 0 };
  for (size_t i = 0; i < sizeof high / sizeof *high; i++)
    for (size_t k = 0; k < sizeof fast / sizeof *fast; k++)
      for (int plane = 1; plane >= 0; plane--) {
        char boxes[32], speed[32];
        if (!plane && (i % 2 || k % 2)) continue;
        snprintf(boxes, sizeof boxes, "boxes=%d", high[i]), snprintf(speed, sizeof speed, "push=%g", fast[k]);
        attempt(&sum, "stack", plane ? WITH(boxes, speed) : WITH(boxes, speed, "planar=false"), 0.01, 0.2);
      }
  attempt(&sum, "stack", WITH("push=1"), 0.001, 0.05);
  attempt(&sum, "stack", WITH("push=1"), 0.02, 0.5);
  check_all(&sum);
}

/* Two runners whose heights differ by a rounding: where both would stick, one has to slide by as little. */
static void a_sledge_creeps(void **unused)
{
  (void)unused;
  tally sum = { 0 };
  attempt(&sum, "sledge", NULL, 0.0005, 2), attempt(&sum, "sledge", NULL, 0.001, 5);
  attempt(&sum, "sledge", NULL, 0.002, 5), attempt(&sum, "sledge", NULL, 0.005, 5);
  attempt(&sum, "sledge", NULL, 0.01, 5);
  check_all(&sum);
}

static void the_rest_of_the_list(void **unused)
{
  (void)unused;
  static const double steps[] = { 1e-4, 1e-3, 0.01, 0.02 };
  tally sum = { 0 };
  for (double h = 0.0005; h < 0.011; h *= 2) attempt(&sum, "heavy_chain", NULL, h, 1.2);
  for (int i = 0; i < 4; i++) {
    attempt(&sum, "painleve", NULL, steps[i], 0.1), attempt(&sum, "wall", NULL, steps[i], 1000 * steps[i]);
    attempt(&sum, "table", NULL, steps[i], 50 * steps[i] + 0.1);
    attempt(&sum, "ladder", WITH("floor=0.2", "wall=0.2"), steps[i], 0.3);
    if (i == 0) continue; /* at rest */
    attempt(&sum, "card_house", NULL, steps[i], 20 * steps[i]),
      attempt(&sum, "kapla", NULL, steps[i], 10 * steps[i]);
    attempt(&sum, "arch", NULL, steps[i], 50 * steps[i]);
    attempt(&sum, "bridge", WITH("drop=0.5"), steps[i], 0.5);
    attempt(&sum, "pyramid", NULL, steps[i], 10 * steps[i]);
  }
  attempt(&sum, "arch", WITH("thickness=0.09"), 0.005, 1);
  check_all(&sum);
}

/* Cards that lean too far for their friction lie on each other with more edges and corners than hold them, apart by the
 * tolerance of the projection. Where these contradict each other the law is met as well as gaps are known: 1e-9 m in a
 * step of 2 ms. */
static void a_house_of_cards_falls(void **unused)
{
  (void)unused;
  static const struct {
    const char *friction;
    double until;
  } fall[] = {
    { "friction=0.05", 0.4 },
    { "friction=0.1", 0.4 },  /* by then all cards lie on the floor */
    { "friction=0.2", 0.63 }, /* admm and newton had stalled at 0.624 s, far from the end */
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

/* Light links between the support and a heavy ball, all but in line: to straighten them costs less than to
 * move the ball, to first order. Whole displacements overshoot; the projection wandered for up to 101
 * iterations, of which it has 50. */
static void a_chain_all_but_in_line(void **unused)
{
  (void)unused;
  static const double steps[] = { 0.015, 0.02, 0.021, 0.022, 0.025, 0.03 };
  static const char *const specs[] = { "moreau", "moreau:contact=newton", "moreau:contact=lemke" };
  for (size_t k = 0; k < sizeof specs / sizeof *specs; k++)
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
      bench b = set_up("heavy_chain", specs[k]);
      must_converge(&b, steps[i], 50 * steps[i], NULL, NULL);
      printf("  %s, h = %g s: %.1f iterations a step, %d at most\n", specs[k], steps[i],
             b.summary.position_iterations_mean, b.summary.position_iterations_max);
      check_below("joint error, m", b.summary.position_max, 1e-9);
      tear_down(&b);
    }
}

/* ---- Acceleration ------------------------------------------------------------------------------------------------ */

/* x := A x + c along SLOW directions of 20 that shrink by less than 1 % a step, and others that are gone in a few: how
 * many steps until x is right to 1e-10. KINK: where x_0 < 1 it goes by another rule. */
static int steps_of(bool leaps, bool kink)
{
  enum { N = 20, SLOW = 4 };
  const double fixed = 2.0;
  double x[N], tx[N], weight[N], left = 1;
  hn_anderson fast = { 0 };
  int steps = 0;
  assert_true(hn_anderson_create(&fast, N));
  for (int i = 0; i < N; i++) x[i] = kink ? 0.0 : 1.0 / (1 + i), weight[i] = 1.0 + i;
  for (; steps < 100000 && left > 1e-10; steps++) {
    left = 0;
    for (int i = 0; i < N; i++) {
      const double rate = i < SLOW ? 0.999 - 0.002 * i : 0.1;
      tx[i] = kink && x[0] < 1.0 ? x[i] + 0.01 : fixed + rate * (x[i] - fixed);
      left = larger(left, fabs(x[i] - fixed));
    }
    if (leaps) hn_anderson_leap(&fast, N, weight, tx, x);
    else memcpy(x, tx, sizeof x);
  }
  hn_anderson_free(&fast);
  return steps;
}

/* As many changes as there are slow directions, and one for all others together, are enough in exact numbers. */
static void a_few_slow_directions(void **unused)
{
  (void)unused;
  const int plain = steps_of(false, false), fast = steps_of(true, false);
  printf("  %d steps without\n", plain);
  check_below("steps", fast, 15);
  check_below("steps of it, not smooth", steps_of(true, true), 0.1 * steps_of(false, true));
}

/* ---- One after the other ----------------------------------------------------------------------------------------- */

static hn_contact_solver *solver_by(const char *spec, double tolerance, int iterations,
                                    const trial_problem *t)
{
  hn_error error;
  const hn_contact_options options = { .solver = spec, .tolerance = tolerance, .iterations = iterations };
  const hn_problem_size most = { t->p.nblock, t->p.nrow, t->p.nbody };
  hn_contact_solver *solver = hn_contact_solver_create(&options, &most, &error);
  if (!solver) fail_msg("%s", error.text);
  return solver;
}

/* Five boxes, one on the other, each with one contact below. */
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

static void the_next_one_goes_on(void **unused)
{
  (void)unused;
  hn_error error;
  trial_problem *t = column();
  double p[MOST_ROWS] = { 0 };
  hn_contact_solver *solver = solver_by("pgs:iterations=3:then=newton:sweeps=0:tolerance=1e-12", 1e-10, 50,
                                        t);
  printf("  %s\n", solver->spec);
  assert_int_equal(hn_contact_solver_remember(solver, 100, &error), 0);
  assert_int_equal(hn_contact_solve(solver, &t->p, p), HN_CONVERGED);
  check_below("law, m/s", error_of(t, false, p), 1e-12);
  assert_int_equal(solver->fallbacks, 1);
  assert_int_equal(solver->kept, solver->iterations); /* a history of both */
  assert_int_equal(solver->iterations, 3 + solver->next->iterations);
  assert_true(solver->next->iterations > 0 && solver->factorisations == solver->next->factorisations);
  assert_true(solver->history[2] > 1e-4 && solver->history[solver->kept - 1] < 1e-12);
  hn_contact_solver *again = solver_by(solver->spec, 1, 1, t); /* what is written says all */
  assert_string_equal(again->spec, solver->spec);
  hn_contact_solver_free(again), hn_contact_solver_free(solver);
  free_problem(t);
}

static void the_next_one_is_not_asked(void **unused)
{
  (void)unused;
  trial_problem *t = column();
  double p[MOST_ROWS] = { 0 };
  hn_contact_solver *done = solver_by("pgs:then=newton", 1e-8, 1000, t);
  assert_int_equal(hn_contact_solve(done, &t->p, p), HN_CONVERGED);
  assert_true(done->fallbacks == 0 && done->next->iterations == 0);
  memset(p, 0, sizeof p);
  hn_contact_solver *bare = solver_by("pgs:then=newton", 0, 3, t); /* three sweeps are what was asked for */
  assert_int_equal(hn_contact_solve(bare, &t->p, p), HN_BUDGET);
  assert_true(bare->iterations == 3 && bare->next->iterations == 0);
  hn_contact_solver_free(done), hn_contact_solver_free(bare);
  free_problem(t);
}

/* Where the next one cannot, or gets no nearer, the first one's impulses and words stay. */
static void the_next_one_is_of_no_use(void **unused)
{
  (void)unused;
  trial_problem *t = column();
  double first[MOST_ROWS] = { 0 }, p[MOST_ROWS] = { 0 };
  hn_contact_solver *alone = solver_by("pgs", 1e-10, 3, t),
                    *two = solver_by("pgs:then=lemke:size=1", 1e-10, 3, t);
  assert_int_equal(hn_contact_solve(alone, &t->p, first), HN_BUDGET);
  assert_int_equal(hn_contact_solve(two, &t->p, p), HN_BUDGET);
  assert_memory_equal(p, first, sizeof p);
  assert_true(two->error == alone->error && two->iterations == 3);
  hn_contact_solver_free(alone), hn_contact_solver_free(two);
  free_problem(t);
}

static void a_next_one_that_does_not_exist(void **unused)
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

/* ---- Without a solution ------------------------------------------------------------------------------------------ */

/* Two pushes on one mass from both sides, which are to move it by A and by B. */
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

/* Impulses that grow for ever by the same amount are a certificate that there is none; where it takes 100 iterations to
 * look, five more are enough. */
static void no_solution_lies_ahead(void **unused)
{
  (void)unused;
  int iterations;
  for (double a = 1e-4; a < 1.5; a *= 100) {
    assert_int_equal(squeeze(a, a, &iterations), HN_STALLED);
    printf("  both by %g m/s:\n", a);
    check_below("  iterations", iterations, 200);
    assert_int_equal(squeeze(a, -a, &iterations), HN_CONVERGED);
    check_below("  iterations where it may give way", iterations, 200);
  }
}

/* ---- What it costs ----------------------------------------------------------------------------------------------- */

static hn_work work_of(const char *spec, uint64_t *blocks)
{
  bench b = set_up_as("stack", WITH("boxes=4"), spec);
  must_converge(&b, 0.01, 0.01, NULL, NULL);
  *blocks = (uint64_t)b.state->ncontact;
  hn_work work = b.summary.work;
  tear_down(&b);
  return work;
}

/* Each iteration and sweep finds an impulse for every block, and puts it on its set; what is factored is eliminated.
 * Beside that a step applies each impulse once. */
static void iterations_are_work(void **unused)
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
    cmocka_unit_test(stacks_whose_top_is_pushed),     cmocka_unit_test(a_sledge_creeps),
    cmocka_unit_test(the_rest_of_the_list),           cmocka_unit_test(a_chain_all_but_in_line),
    cmocka_unit_test(a_house_of_cards_falls),         cmocka_unit_test(no_solution_lies_ahead),
    cmocka_unit_test(a_few_slow_directions),          cmocka_unit_test(the_next_one_goes_on),
    cmocka_unit_test(the_next_one_is_not_asked),      cmocka_unit_test(the_next_one_is_of_no_use),
    cmocka_unit_test(a_next_one_that_does_not_exist), cmocka_unit_test(iterations_are_work),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
