/* test_studies.c - foundations of studies of solvers: windows of order fits, work counts, budgets, reference
 * states with velocities, and variants. Compared with synthetic errors and closed forms. */
#include "scenes.h"
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

/* ---- Windows ------------------------------------------------------------------------------------------- */

enum { SIZES = 24 };

/* Computes step sizes that fall by sqrt(2) from 0.1. */
static void make_steps(double h[SIZES])
{
  for (int i = 0; i < SIZES; i++) h[i] = 0.1 * pow(2.0, -0.5 * i);
}

static void windows_are_at_the_smallest_steps(void **state)
{
  (void)state;
  double h[SIZES], error[SIZES];
  make_steps(h);
  for (int i = 0; i < SIZES; i++)
    error[i] = 3.0 * pow(h[i], 2) * (1.0 + 50.0 * h[i]); /* slope 3 first, then 2 */
  hn_window w = hn_fit_window(h, error, SIZES, 1e-12, 1.0, 0.1);
  check_near("order of 3 h^2 (1 + 50 h)", w.order, 2.0, 0.02);
  assert_int_equal(w.first + w.count, SIZES);
  assert_int_equal(w.count, HN_WINDOW_MAX);
  check_near("fit of all steps, not asymptotic", hn_fit_order(h, error, SIZES), 2.2, 0.15);
}

static void windows_are_above_rounding(void **state)
{
  (void)state;
  double h[SIZES], error[SIZES];
  make_steps(h);
  /* rounding errors with noise */
  for (int i = 0; i < SIZES; i++) error[i] = fmax(pow(h[i], 4), 1e-10 * (1.0 + i % 3));
  hn_window w = hn_fit_window(h, error, SIZES, 1e-12, 1.0, 0.1);
  check_near("order above rounding, with too low a floor", w.order, 4.0, 1e-9);
  check_below("rounding less the last error of the window", 1e-10 - error[w.first + w.count - 1], 1e-9);
  assert_true(error[w.first + w.count - 1] > 1e-10);
  w = hn_fit_window(h, error, SIZES, 1e-8, 1.0, 0.1);
  assert_true(error[w.first + w.count - 1] > 1e-8);
}

static void windows_are_below_the_ceiling(void **state)
{
  (void)state;
  double h[SIZES], error[SIZES];
  make_steps(h);
  for (int i = 0; i < SIZES; i++)
    error[i] = i < 16 ? 0.7 : 0.7 * pow(h[i] / h[16], 2) * 0.1; /* constant, then of order 2 */
  hn_window w = hn_fit_window(h, error, 16, 1e-12, 0.1, 0.1);
  assert_int_equal(w.count, 0); /* errors as large as the motion have slope 0 */
  assert_true(isnan(w.order));
  w = hn_fit_window(h, error, SIZES, 1e-12, 0.1, 0.1);
  check_near("order below the ceiling", w.order, 2.0, 1e-9);
  assert_true(w.first >= 16);
}

static void windows_need_six_consistent_steps(void **state)
{
  (void)state;
  double h[SIZES], error[SIZES];
  make_steps(h);
  /* never six consistent steps */
  for (int i = 0; i < SIZES; i++) error[i] = pow(h[i], 2) * (i % 5 == 0 ? 1.5 : 1.0);
  assert_int_equal(hn_fit_window(h, error, SIZES, 1e-14, 1.0, 0.1).count, 0);
  for (int i = 0; i < SIZES; i++) error[i] = pow(h[i], 2);
  error[SIZES - 7] = NAN; /* a failed run: six are left below it */
  hn_window w = hn_fit_window(h, error, SIZES, 1e-14, 1.0, 0.1);
  assert_int_equal(w.count, 6);
  assert_int_equal(w.first, SIZES - 6);
  assert_int_equal(hn_fit_window(h, error, 5, 1e-14, 1.0, 0.1).count, 0);
  assert_int_equal(hn_fit_window(h, error, 0, 1e-14, 1.0, 0.1).count, 0);
}

/* Fits errors with random deviations from h^8 of up to 2 %, for steps that fall by 2^(1/12). */
static hn_window random_window(uint64_t *seed, size_t count)
{
  double h[HN_WINDOW_MAX], error[HN_WINDOW_MAX];
  for (size_t i = 0; i < count; i++) {
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    double chance = (double)(*seed >> 11) / 4503599627370496.0 - 1.0; /* -1 to 1 */
    h[i] = 0.1 * pow(2.0, -(double)i / 12.0);
    error[i] = pow(h[i], 8) * (1.0 + 0.02 * chance);
  }
  return hn_fit_window(h, error, count, 0.0, 1.0, 0.05);
}

static void confidence_intervals_of_windows(void **state)
{
  (void)state;
  enum { TRIALS = 1000 };
  for (size_t count = HN_WINDOW_MIN; count <= HN_WINDOW_MAX; count += 5) {
    uint64_t seed = count;
    int off_order = 0, outside = 0, not_distinguished = 0;
    for (int trial = 0; trial < TRIALS; trial++) {
      hn_window w = random_window(&seed, count);
      assert_int_equal(w.count, count);
      off_order += fabs(w.order - 8.0) > 0.1;
      outside += w.low > 8.0 || w.high < 8.0;
      not_distinguished += w.high >= 8.5; /* 8 is not distinguished from 9 */
    }
    print_message("%zu steps: off by more than 0.1 in %d of %d, outside of the interval in %d\n", count,
                  off_order, TRIALS, outside);
    check_below("share outside of the interval", (double)outside / TRIALS, 0.1);
    check_below("share where 8 is not distinguished from 9", (double)not_distinguished / TRIALS,
                count == HN_WINDOW_MIN ? 0.1 : 0.02);
  }
}

/* A straight line takes a second term for a higher order: 25 h / (1 + 25 h) in the slope, 0.09 to 0.6
 * here. */
static void fits_include_the_second_term(void **state)
{
  (void)state;
  double h[SIZES], error[SIZES];
  make_steps(h);
  enum { END = 12 };
  for (int i = 0; i < SIZES; i++) error[i] = pow(h[i], 5) * (1.0 + 25.0 * h[i]);
  hn_window w = hn_fit_window(h, error, END, 1e-14, 1.0, 0.02);
  check_near("order of h^5 (1 + 25 h)", w.order, 5.0, 0.02);
  check_near("order by a straight line", hn_fit_order(h + w.first, error + w.first, w.count), 5.3, 0.15);
  assert_true(25.0 * h[w.first] < 1.0); /* the second term is smaller than the first */
  for (int i = 0; i < SIZES; i++) error[i] = pow(h[i], 5) * (1.0 + 2500.0 * h[i]);
  w = hn_fit_window(h, error, END, 1e-14, 1.0, 0.02);
  check_near("order if the second term dominates throughout", w.order, 6.0, 0.1);
}

/* Over a narrow range a second term resembles a change of order: noise within the slack, with any signs, must
 * not result in another order. */
static void fits_limit_the_second_term(void **state)
{
  (void)state;
  enum { ENTRIES = 10 };
  double h[ENTRIES], error[ENTRIES], largest = 0.0;
  for (unsigned signs = 0; signs < 1u << ENTRIES; signs++) {
    for (int i = 0; i < ENTRIES; i++) {
      h[i] = 0.1 * pow(2.0, -i / 12.0);
      error[i] = pow(h[i], 8) * (signs >> i & 1u ? 1.01 : 0.99);
    }
    hn_window w = hn_fit_window(h, error, ENTRIES, 1e-14, 1.0, 0.02);
    assert_int_equal(w.count, ENTRIES);
    largest = fmax(largest, fabs(w.order - 8.0));
  }
  check_below("order 8, noise of 1 % over a factor of 1.68: error of the order", largest, 0.5);
}

/* ---- Work and budgets ---------------------------------------------------------------------------------- */

static void operations_are_their_sum(void **state)
{
  (void)state;
  const hn_work work = { .residuals = 1,
                         .jacobians = 20,
                         .jets = 300,
                         .flights = 7777,
                         .sweeps = 8888,
                         .impulses = 4000,
                         .factorisations = 9999,
                         .eliminated = 30000,
                         .solves = 9999 };
  printf("  %llu joint operations\n", (unsigned long long)hn_work_operations(&work));
  assert_true(hn_work_operations(&work) == 1 + 20 + 300 + 4000 + 30000);
}

static bool count_frames(void *user, const hn_frame *frame)
{
  *(long *)user = frame->index;
  return true;
}

/* The run ends after the first step that reaches the budget; earlier steps are as without a budget. */
static void budgets_stop_every_solver(void **state)
{
  (void)state;
  size_t count;
  const hn_solver_type *const *types = hn_solver_types(&count);
  const uint64_t budget = 3000;
  for (size_t i = 0; i < count; i++) {
    bench b = set_up("double_pendulum", types[i]->name), shorter = set_up("double_pendulum", types[i]->name);
    long last = -1;
    hn_run_options options = {
      .step = 0.001, .duration = 10, .budget = budget, .observe = count_frames, .user = &last
    };
    assert_int_equal(hn_run(b.solver, b.state, &options, &b.summary), HN_BUDGET);
    long steps = b.summary.steps;
    uint64_t spent = hn_work_operations(&b.summary.work);
    printf("  %-22s %5ld steps, %6llu operations; %s\n", types[i]->name, steps, (unsigned long long)spent,
           b.summary.explanation);
    assert_true(steps > 0 && steps < 10000 && last == steps && spent >= budget);
    check_near("  time reached, s", b.summary.time, 0.001 * (double)steps, 1e-12);
    assert_non_null(strstr(b.summary.explanation, "3000 joint operations"));
    if (steps > 1) { /* one step less is within the budget */
      must_converge(&shorter, 0.001, 0.001 * (double)(steps - 1), NULL, NULL);
      assert_true(hn_work_operations(&shorter.summary.work) < budget);
    }
    tear_down(&b), tear_down(&shorter);
  }
}

static void budgets_that_suffice_change_nothing(void **state)
{
  (void)state;
  bench with = set_up("box_pendulum", "impulse-sle"), without = set_up("box_pendulum", "impulse-sle");
  must_converge(&without, 0.01, 1, NULL, NULL);
  uint64_t needed = hn_work_operations(&without.summary.work);
  hn_run_options options = { .step = 0.01, .duration = 1, .budget = needed };
  /* The last step reaches the budget. */
  assert_int_equal(hn_run(with.solver, with.state, &options, &with.summary), HN_CONVERGED);
  assert_true(with.summary.hash == without.summary.hash && with.summary.time == 1.0);
  tear_down(&with), tear_down(&without);
  bench cut = set_up("box_pendulum", "impulse-sle");
  options.budget = needed / 2;
  assert_int_equal(hn_run(cut.solver, cut.state, &options, &cut.summary), HN_BUDGET);
  printf("  %llu operations in 100 steps, half of them spent after %ld\n", (unsigned long long)needed,
         cut.summary.steps);
  assert_true(cut.summary.steps > 25 && cut.summary.steps < 75);
  tear_down(&cut);
}

/* ---- Reference states with velocities ------------------------------------------------------------------ */

typedef struct answer {
  bool has[4][8];
  double position[24], orientation[32], velocity[24], angular_velocity[24];
  hn_scene_answer out;
} answer;

static answer *reference_at(hn_scene *scene, double t, int expected)
{
  hn_error error = { "" };
  answer *a = calloc(1, sizeof *a);
  assert_non_null(a);
  a->out = (hn_scene_answer){ .has_position = a->has[0],
                              .has_orientation = a->has[1],
                              .has_velocity = a->has[2],
                              .has_angular_velocity = a->has[3],
                              .position = a->position,
                              .orientation = a->orientation,
                              .velocity = a->velocity,
                              .angular_velocity = a->angular_velocity };
  int status = hn_scene_reference_states(scene, t, &a->out, &error);
  if (status != expected) fail_msg("answer %d: %s", status, error.text);
  return a;
}

static void references_have_velocities(void **state)
{
  (void)state;
  hn_error error;
  hn_scene *scene = hn_scene_load("double_pendulum", NULL, 0, &error);
  if (!scene) fail_msg("%s", error.text);
  answer *a = reference_at(scene, 1, 1), *later = reference_at(scene, 2, 1);
  assert_true(a->has[2][1] && a->has[2][2] && !a->has[2][0] && !a->has[1][1] && !a->has[3][1]);
  assert_true(later->has[0][1] && !later->has[2][1]);
  const double rod[3] = { a->position[3], a->position[4], a->position[5] };
  check_below("length of the first rod less 1, m", vec_norm(rod) - 1.0, 1e-15);
  check_below("velocity along it, m/s", vec_dot(rod, a->velocity + 3), 1e-15);
  /* The energy is 0 at the start, at rest at height 0: m g y. */
  double energy = 0;
  for (int i = 1; i <= 2; i++)
    energy += 0.5 * vec_dot(a->velocity + 3 * i, a->velocity + 3 * i) + 9.81 * a->position[3 * i + 1];
  check_below("energy of the reference at 1 s, J", energy, 1e-13);
  free(a), free(later);
  hn_scene_free(scene);
}

/* The angular momentum of the free top is (0.1, 4, 0.3) in world axes at any time. */
static void references_have_angular_velocities(void **state)
{
  (void)state;
  hn_error error;
  hn_scene *scene = hn_scene_load("free_top", NULL, 0, &error);
  if (!scene) fail_msg("%s", error.text);
  for (double t = 1; t < 11; t += 9) {
    answer *a = reference_at(scene, t, 1);
    double w_b[3], L[3];
    assert_true(a->has[1][1] && a->has[3][1]);
    quat_unrotate(w_b, a->orientation + 4, a->angular_velocity + 3);
    for (int i = 0; i < 3; i++) w_b[i] *= scene->model->body[1].J[i];
    quat_rotate(L, a->orientation + 4, w_b);
    const double error_of_L[3] = { L[0] - 0.1, L[1] - 4.0, L[2] - 0.3 };
    printf(" t = %g s\n", t);
    check_below("angular momentum less (0.1, 4, 0.3), kg m^2/s", vec_norm(error_of_L), 5e-15);
    free(a);
  }
  hn_scene_free(scene);
}

/* ---- Variants ------------------------------------------------------------------------------------------ */

static void variants_are_accepted(void **state)
{
  (void)state;
  size_t count;
  const hn_solver_type *const *types = hn_solver_types(&count);
  hn_model *model = double_pendulum();
  for (size_t i = 0; i < count; i++) {
    const char *const *variant = hn_solver_variants(types[i]);
    assert_non_null(variant[0]);
    for (; *variant; variant++) {
      char spec[256];
      snprintf(spec, sizeof spec, "%s%s%s", types[i]->name, **variant ? ":" : "", *variant);
      hn_solver_free(new_solver(spec, model));
      printf("  %s\n", spec);
    }
  }
  hn_model_free(model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(windows_are_at_the_smallest_steps),
    cmocka_unit_test(windows_are_above_rounding),
    cmocka_unit_test(windows_are_below_the_ceiling),
    cmocka_unit_test(windows_need_six_consistent_steps),
    cmocka_unit_test(confidence_intervals_of_windows),
    cmocka_unit_test(fits_include_the_second_term),
    cmocka_unit_test(fits_limit_the_second_term),
    cmocka_unit_test(operations_are_their_sum),
    cmocka_unit_test(budgets_stop_every_solver),
    cmocka_unit_test(budgets_that_suffice_change_nothing),
    cmocka_unit_test(references_have_velocities),
    cmocka_unit_test(references_have_angular_velocities),
    cmocka_unit_test(variants_are_accepted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
