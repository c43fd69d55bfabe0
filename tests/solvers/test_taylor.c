/* test_taylor.c - solver taylor: reference values, joint forces within a step, adaptive steps, drift; and the
 * energy of solvers over long runs. */
#include "models.h"
#include "scenes.h"

#include <string.h>

#define TAYLOR20 "taylor:order=20,stabilisation=projection"

typedef struct value {
  const char *scene;
  double h, t;
  int body;
  double x[3];
  double bound;
} value;

/* Own integrations in two formulations at 40 to 70 digits (doc/references.md). The steps were chosen from the
 * errors: rounding accumulates over the steps of the heavy top, so that 0.001 s up to t = 2 s errs by 1.2e-12
 * m, above the bound. Without projection the errors are 1.6e-11 and 4.9e-11 m. */
/* clang-format off */
static const value values[] = {
  { "pendulum", 0.02, 1, 1, { -0.98629175113187531936, -0.16501085312554116875, 0 }, 1e-12 },
  { "pendulum", 0.02, 10, 1, { 0.27508746257611686005, -0.96141920509912506426, 0 }, 1e-12 },
  { "double_pendulum", 0.01, 1, 1, { -0.5851683919988750689, -0.8109118034690646209, 0 }, 1e-12 },
  { "double_pendulum", 0.01, 1, 2, { -1.4448188499434757965, -1.3217944613814645558, 0 }, 1e-12 },
  { "double_pendulum", 0.01, 2, 2, { -1.4341248174642766370, -1.1298701956471579784, 0 }, 1e-12 },
  { "spherical_pendulum", 0.02, 1, 1,
    { -0.65979196915703706577, -0.11646716020712410887, -0.74236780508664809407 }, 1e-12 },
  { "spherical_pendulum", 0.02, 5, 1,
    { 0.53942727639055835929, -0.61293856005073248689, -0.57734264963607076755 }, 1e-12 },
  { "box_pendulum", 0.005, 1, 1,
    { -0.46679857653620394607, -0.17916210723932289063, -1.6814677847356599405e-4 }, 1e-12 },
  { "box_pendulum", 0.005, 1, 2,
    { -1.29916359700828098771, -0.69944174812535403196, -3.9379892206472479055e-4 }, 1e-12 },
  { "box_pendulum", 0.005, 2, 2,
    { 0.10661249960642685522, -1.45849506058118471229, -1.2819245388996951859e-4 }, 1e-12 },
  { "heavy_top", 0.001, 1, 1,
    { 0.17334396409838604259, 0.64008859207056878286, -0.74849079113358130948 }, 1e-12 },
  { "heavy_top", 0.002, 2, 1,
    { -0.15041682274564175981, -0.72416559163689565075, -0.67302226956044409605 }, 1e-12 },
};
/* clang-format on */

static double distance_of(const double a[3], const double b[3])
{
  return sqrt(pow(a[0] - b[0], 2) + pow(a[1] - b[1], 2) + pow(a[2] - b[2], 2));
}

static void order_20_reproduces_published_values(void **state)
{
  (void)state;
  for (size_t k = 0; k < sizeof values / sizeof *values; k++) {
    const value *v = &values[k];
    char what[96];
    bench b = set_up(v->scene, TAYLOR20);
    must_converge(&b, v->h, v->t, NULL, NULL);
    snprintf(what, sizeof what, "%s, body %d, h = %g s, t = %g s: m", v->scene, v->body, v->h, v->t);
    check_below(what, distance_of(b.state->pose[v->body].x, v->x), v->bound);
    tear_down(&b);
  }
}

static void joint_forces_agree_with_published_values(void **state)
{
  (void)state;
  bench b = set_up("double_pendulum", TAYLOR20);
  must_converge(&b, 0.01, 1, NULL, NULL);
  check_near("tension of the first rod, N", -b.solver->multipliers[0], 41.636078872589814659, 1e-10);
  check_near("tension of the second rod, N", -b.solver->multipliers[1], 19.945859696509005937, 1e-10);
  tear_down(&b);
  static const double ground[3] = { 190.8071332360053363, 91.79210143793154746, 0.07551216964786314015 };
  static const double middle[3] = { 105.0748740126615708, 52.72178093898027978, 0.02418504667487130733 };
  b = set_up("box_pendulum", TAYLOR20);
  must_converge(&b, 0.005, 1, NULL, NULL);
  check_below("force at the ground, relative", distance_of(b.solver->multipliers, ground) / 190.8, 1e-12);
  check_below("force at the middle joint, relative", distance_of(b.solver->multipliers + 3, middle) / 105.1,
              1e-12);
  tear_down(&b);
}

/* Dense output: within a step of 0.05 s the tension of a pendulum is 3 m g cos(theta), cos(theta) = -y at
 * length 1. */
static void joint_forces_within_a_step(void **state)
{
  (void)state;
  bench b = set_up("pendulum", TAYLOR20);
  const double length = hn_joint_real(&b.model->joint[0], "length");
  double worst = 0.0, h = 0.05;
  hn_solver *fine = new_solver(TAYLOR20, b.model);
  hn_state *at = hn_state_create(b.model);
  for (int k = 1; k <= 20; k++) {
    assert_int_equal(hn_solver_step(b.solver, b.state, h), HN_CONVERGED);
    for (int i = 1; i <= 4; i++) {
      double lambda;
      assert_int_equal(hn_solver_step(fine, at, h / 4), HN_CONVERGED);
      b.solver->type->multipliers_at(b.solver, b.state->time - h + i * h / 4, &lambda);
      worst = larger(worst, fabs(-lambda - 3 * 9.81 * -at->pose[1].x[1] / length));
    }
  }
  check_below("tension at four times within each of 20 steps, N", worst, 1e-11);
  hn_state_free(at);
  hn_solver_free(fine);
  tear_down(&b);
}

/* In an adaptive step of 1 s, of several parts, the tension at the end is 3 m g cos(theta) again, and just
 * before the end nearly the same: its rate is at most 3 m g times 4.5 rad/s. */
static void joint_forces_within_an_adaptive_step(void **state)
{
  (void)state;
  bench b = set_up("pendulum", "taylor:order=12,adaptive=true");
  const double length = hn_joint_real(&b.model->joint[0], "length");
  for (int k = 1; k <= 3; k++) {
    double lambda, before;
    assert_int_equal(hn_solver_step(b.solver, b.state, 1.0), HN_CONVERGED);
    const double t = b.state->time, exact = 3 * 9.81 * -b.state->pose[1].x[1] / length;
    b.solver->type->multipliers_at(b.solver, t, &lambda);
    b.solver->type->multipliers_at(b.solver, t - 1e-6, &before);
    check_below("tension at the end of a step of 1 s, N", -lambda - exact, 1e-9);
    check_below("and 1e-6 s before, N", -before - exact, 3 * 9.81 * 4.5 * 1e-6 + 1e-9);
  }
  assert_true(b.solver->system->work.factorisations > 6);
  tear_down(&b);
}

static void adaptive_steps_meet_their_tolerance(void **state)
{
  (void)state;
  static const double tolerance[] = { 1e-6, 1e-8, 1e-10, 1e-12 };
  double error[4];
  for (int k = 0; k < 4; k++) {
    char spec[80];
    snprintf(spec, sizeof spec, "taylor:order=12,adaptive=true,error_tolerance=%g", tolerance[k]);
    bench b = set_up("double_pendulum", spec);
    must_converge(&b, 0.5, 1, NULL, NULL);
    error[k] = distance_of(b.state->pose[2].x, values[3].x);
    printf("  error_tolerance %g: error %.2e m, %llu factorisations\n", tolerance[k], error[k],
           (unsigned long long)b.summary.work.factorisations);
    tear_down(&b);
  }
  check_near("exponent of the error against the tolerance", hn_fit_order(tolerance, error, 4), 1.0, 0.25);
  check_below("error at the smallest tolerance, m", error[3], 5e-11);
}

/* Returns a link of 1 kg on a ball joint that carries a body of 1e6 kg on another; both have spherical
 * inertia. */
static hn_model *heavy_on_light(void)
{
  hn_error error;
  hn_model *model = new_model();
  for (int i = 0; i < 2; i++) {
    const double mass = i == 0 ? 1 : 1e6;
    hn_body_spec body = { .name = i == 0 ? "light" : "heavy",
                          .kind = HN_RIGID,
                          .has_mass = true,
                          .mass = mass,
                          .inertia = { 0.1 * mass, 0.1 * mass, 0.1 * mass },
                          .position = { i + 0.5, 0, 0 },
                          .orientation = { 1, 0, 0, 0 },
                          .angular_velocity = { i, 0, 0 } };
    if (hn_model_add_body(model, &body, &error) < 0) fail_msg("%s", error.text);
    add_ball(model, i, i + 1, i, 0, 0);
  }
  return model;
}

static hn_state *run_to_2(const hn_model *model, const char *spec, double h, double *drift)
{
  hn_solver *solver = new_solver(spec, model);
  hn_state *at = hn_state_create(model);
  hn_summary summary;
  hn_run_options options = { .step = h, .duration = 2.0 };
  if (hn_run(solver, at, &options, &summary) != HN_CONVERGED) fail_msg("%s", summary.explanation);
  *drift = summary.position_max;
  hn_solver_free(solver);
  return at;
}

/* The joint forces on the link are 1e7 N. Their rounding error, 1e-16, moves 1 kg by 2e-9 m in 2 s; linear
 * solvers must not add to it, whatever the condition of K, here 1e6. */
static void mass_ratio_of_1e6_is_within_tolerance(void **state)
{
  (void)state;
  static const char *const back_ends[] = { "petsc", "dense" };
  hn_model *model = heavy_on_light();
  double drift;
  hn_state *fine = run_to_2(model, "taylor:order=20,stabilisation=projection,linear=dense", 0.0005, &drift);
  for (int k = 0; k < 4; k++) {
    char spec[160], what[80];
    const char *stabilisation = k / 2 == 0 ? "none" : "projection";
    snprintf(spec, sizeof spec,
             "taylor:order=20,adaptive=true,error_tolerance=3e-13,stabilisation=%s,linear=%s", stabilisation,
             back_ends[k % 2]);
    hn_state *at = run_to_2(model, spec, 0.01, &drift);
    snprintf(what, sizeof what, "%s, %s: drift, m", stabilisation, back_ends[k % 2]);
    check_below(what, drift, 5e-9);
    snprintf(what, sizeof what, "%s, %s: error, m", stabilisation, back_ends[k % 2]);
    check_below(what, distance_of(at->pose[2].x, fine->pose[2].x), k / 2 == 0 ? 5e-9 : 5e-11);
    hn_state_free(at);
  }
  hn_state_free(fine);
  hn_model_free(model);
}

static void drift_has_the_order_of_the_solver(void **state)
{
  (void)state;
  double h[6], drift[6];
  for (int k = 0; k < 6; k++) {
    bench b = set_up("double_pendulum", "taylor:order=4");
    h[k] = 0.02 / pow(2, k);
    must_converge(&b, h[k], 1, NULL, NULL);
    drift[k] = b.summary.position_max;
    tear_down(&b);
  }
  check_near("order of the drift, N = 4", hn_fit_order(h, drift, 6), 4.0, 0.2);
  bench b = set_up("double_pendulum", "taylor:order=4,stabilisation=projection");
  must_converge(&b, 0.02, 1, NULL, NULL);
  check_below("with projection, m", b.summary.position_max, 1e-13);
  tear_down(&b);
}

/* ---- Long runs ----------------------------------------------------------------------------------------- */

enum { PARTS = 4 };

/* Largest |E - E(0)| in each quarter of a run of 1000 s. */
typedef struct quarters {
  double first, error[PARTS];
} quarters;

static bool watch_energy(void *user, const hn_frame *frame)
{
  quarters *q = user;
  double energy = frame->measure->kinetic + frame->measure->potential;
  int part = (int)(frame->state->time / 250.0);
  if (frame->index == 0) q->first = energy;
  part = part < PARTS ? part : PARTS - 1;
  q->error[part] = larger(q->error[part], fabs(energy - q->first));
  return true;
}

static quarters long_run(const char *solver)
{
  quarters q = { 0, { 0 } };
  bench b = set_up("double_pendulum", solver);
  must_converge(&b, 0.01, 1000, watch_energy, &q);
  tear_down(&b);
  printf("  %-46s %.2e %.2e %.2e %.2e J by quarters of 1000 s\n", solver, q.error[0], q.error[1], q.error[2],
         q.error[3]);
  return q;
}

static void energy_over_1000_s(void **state)
{
  (void)state;
  static const char *const bounded[] = { "impulse-sle:tolerance=1e-12", "impulse-composed:order=4" };
  static const char *const growing[] = { "lagrange:stepper=rkf45", "taylor:order=4" };
  for (int k = 0; k < 2; k++) {
    quarters q = long_run(bounded[k]);
    check_below("bounded: last quarter over first", q.error[3] / q.error[0], 3.0);
  }
  for (int k = 0; k < 2; k++) {
    quarters q = long_run(growing[k]);
    check_below("growing: first quarter over last", q.error[0] / q.error[3], 0.5);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(order_20_reproduces_published_values),
    cmocka_unit_test(joint_forces_agree_with_published_values),
    cmocka_unit_test(joint_forces_within_a_step),
    cmocka_unit_test(joint_forces_within_an_adaptive_step),
    cmocka_unit_test(adaptive_steps_meet_their_tolerance),
    cmocka_unit_test(mass_ratio_of_1e6_is_within_tolerance),
    cmocka_unit_test(drift_has_the_order_of_the_solver),
    cmocka_unit_test(energy_over_1000_s),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
