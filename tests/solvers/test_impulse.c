/* test_impulse.c - properties of the impulse solvers for each of their parameters: bounded energy and
 * momentum over long runs, capabilities, failures and limits of size. Compared with closed forms and declared
 * properties. */
#include "base/vec.h"
#include "scenes.h"
#include "trials.h"

#include <stdlib.h>

static const char *const solver_specs[] = { "impulse-sle", "impulse-gs", "impulse-newton" };
enum { SOLVERS = sizeof solver_specs / sizeof *solver_specs };

/* ---- Long runs ----------------------------------------------------------------------------------------- */

/* The largest energy error in the first tenth of a run, and in all of it. */
typedef struct energies {
  const hn_model *model;
  double start, first, whole;
  long index, tenth;
} energies;

static bool watch_energy(void *user, const hn_frame *frame)
{
  energies *e = user;
  hn_measure now;
  hn_measure_state(e->model, frame->state, &now);
  const double energy = now.kinetic + now.potential;
  if (frame->index == 0) e->start = energy;
  e->whole = larger(e->whole, fabs(energy - e->start));
  if (frame->index <= e->tenth) e->first = e->whole;
  return true;
}

static energies run_energy(const char *spec, double h, long steps)
{
  trial r = { .scene = load_written(NULL, 0) };
  hn_error error = { "" };
  r.solver = hn_solver_create(spec, r.scene->model, &error);
  if (!r.solver) fail_msg("%s", error.text);
  r.state = hn_state_create(r.scene->model);
  energies e = { .model = r.scene->model, .tenth = steps / 10 };
  hn_run_options options = { .step = h, .duration = h * (double)steps, .observe = watch_energy, .user = &e };
  if (hn_run(r.solver, r.state, &options, &r.summary) != HN_CONVERGED) fail_msg("%s", r.summary.explanation);
  done(&r);
  return e;
}

/* The spinning top of Simo and Wong (1991): moments 5, 5, 1 about its tip, m g l = 20, 50 rad/s about its
 * axis, which is inclined by 0.3 rad. The step is symmetric and, with exact flight, symplectic: the energy
 * error oscillates with order h^2 and does not grow in a run ten times as long. With rk4 the flights alone
 * dissipate energy. */
static const char simo_wong[] =
  "local scene = require 'holonom.scene'\nlocal sys = scene.system { gravity = { 0, 0, -9.81 } }\n"
  "local l = 20 / 9.81\nlocal J = 5 - l * l\n"
  "local top = sys:body { mass = 1, inertia = { J, J, 1 }, axis_angle = { 1, 0, 0, 0.3 },\n"
  "  position = { 0, -l * math.sin(0.3), l * math.cos(0.3) },\n"
  "  angular_velocity = { 0, -50 * math.sin(0.3), 50 * math.cos(0.3) } }\n"
  "sys:ball { sys.ground, top, at = { 0, 0, 0 } }\nreturn sys";

static void energy_of_a_spinning_top_is_bounded(void **state)
{
  (void)state;
  write_bytes(simo_wong, strlen(simo_wong));
  for (int i = 0; i < SOLVERS; i++) {
    char what[96];
    const long steps = i == 0 ? 100000 : 20000;
    energies e = run_energy(solver_specs[i], 0.01, steps);
    printf(" %s, its defaults, h = 0.01 s: %.3e J within %ld steps, %.3e J within %ld\n", solver_specs[i],
           e.first, steps / 10, e.whole, steps);
    snprintf(what, sizeof what, "%s: growth of the energy error over ten times the run", solver_specs[i]);
    check_below(what, e.whole / e.first - 1.0, 0.05);
    energies half = run_energy(solver_specs[i], 0.005, 20000);
    check_near("order of the energy error", log2(e.first / half.first), 2.0, 0.2);
  }
  energies rk4 = run_energy("impulse-sle:flight=rk4", 0.01, 20000);
  printf("  with rk4, for comparison: %.3e J, then %.3e J\n", rk4.first, rk4.whole);
  assert_true(rk4.whole > 1.3 * rk4.first);
}

/* Three boxes on two ball joints in free space: they rotate about the middle together, and each about its own
 * long axis. */
static const char three_boxes[] =
  "local scene = require 'holonom.scene'\nlocal sys = scene.system { gravity = { 0, 0, 0 } }\n"
  "local b = {}\nfor i = 1, 3 do\n"
  "  b[i] = sys:body { shape = scene.box { 1, 0.2, 0.1 }, density = 300, position = { i, 0, 0 },\n"
  "    angular_velocity = { i, 1, 2 }, velocity = { 0, 2 * (i - 2), 2 - i } }\n"
  "end\nfor i = 1, 2 do sys:ball { b[i], b[i + 1], at = { i + 0.5, 0, 0 } } end\n"
  "return sys";

typedef struct momenta {
  const hn_model *model;
  double start[3], change, size;
} momenta;

static bool watch_momentum(void *user, const hn_frame *frame)
{
  momenta *m = user;
  hn_measure now;
  double change[3];
  hn_measure_state(m->model, frame->state, &now);
  if (frame->index == 0) vec_copy(m->start, now.angular_momentum), m->size = vec_norm(m->start);
  vec_sub(change, now.angular_momentum, m->start);
  m->change = larger(m->change, vec_norm(change));
  return true;
}

/* Returns the largest |L - L_0| / |L_0| within 10 s. */
static double run_momentum(const char *spec, unsigned *capabilities)
{
  write_bytes(three_boxes, strlen(three_boxes));
  hn_error error = { "" };
  hn_scene *scene = load_written(NULL, 0);
  hn_solver *solver = hn_solver_create(spec, scene->model, &error);
  if (!solver) fail_msg("%s", error.text);
  hn_state *at = hn_state_create(scene->model);
  momenta m = { .model = scene->model };
  hn_summary summary;
  hn_run_options options = { .step = 0.01, .duration = 10, .observe = watch_momentum, .user = &m };
  if (hn_run(solver, at, &options, &summary) != HN_CONVERGED) fail_msg("%s", summary.explanation);
  *capabilities = hn_solver_capabilities(solver);
  hn_state_free(at);
  hn_solver_free(solver);
  hn_scene_free(scene);
  return m.change / m.size;
}

/* An impulse p acts on both sides of a gap d and changes L by p x d, which the tolerance bounds. The forces
 * stay below 100 N at each of two joints: 2000 N s in 10 s, with L_0 = 28 N m s. */
static void momentum_is_conserved_if_declared(void **state)
{
  (void)state;
  static const struct {
    const char *spec;
    double tolerance;
    bool declared;
  } cases[] = {
    { "impulse-sle", 1e-9, true },
    { "impulse-sle:tolerance=1e-14", 1e-14, true },
    { "impulse-gs", 1e-9, true },
    { "impulse-newton", 1e-9, true },
    { "impulse-composed", 1e-13, true },
    { "impulse-sle:velocity_correction=false", 1e-9, true },
    { "impulse-sle:flight=rk4,tolerance=1e-13", 0, false },
    { "impulse-gs:sweeps=2", 0, false },
    { "impulse-sle:newton_steps=1", 0, false },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    unsigned capabilities_found;
    double change = run_momentum(cases[i].spec, &capabilities_found);
    bool declared = capabilities_found & HN_KEEPS_MOMENTUM;
    printf(" %s: %s\n", cases[i].spec, declared ? "conserves momentum" : "not declared");
    assert_true(declared == cases[i].declared);
    if (declared)
      check_below("relative change of the angular momentum in 10 s", change, 70 * cases[i].tolerance + 3e-13);
    else printf("  relative change of the angular momentum in 10 s: %.3e\n", change);
    if (!declared && i == 6) assert_true(change > 1e-9); /* row 6 does not conserve momentum */
  }
}

/* ---- Capabilities -------------------------------------------------------------------------------------- */

static void settings_remove_capabilities(void **state)
{
  (void)state;
  hn_error error = { "" };
  bench b = set_up("ragdoll", "impulse-sle"); /* has limits */
  hn_solver *without = hn_solver_create("impulse-sle:velocity_correction=false", b.model, &error);
  printf("  %s\n", error.text);
  assert_null(without);
  assert_non_null(strstr(error.text, "impulse-sle with these settings cannot do one-sided joints (limits)"));
  hn_solver *uncontrolled = hn_solver_create("impulse-sle:step_control=1e-6", b.model, &error);
  printf("  %s\n", error.text);
  assert_null(uncontrolled);
  assert_non_null(strstr(error.text, "step_control needs flight=taylor"));
  tear_down(&b);
}

/* The motion is that with the correction; the energy error does not grow. */
static void without_velocity_correction_the_energy_is_bounded(void **state)
{
  (void)state;
  write_bytes(simo_wong, strlen(simo_wong));
  energies with = run_energy("impulse-sle", 0.002, 40000);
  energies without = run_energy("impulse-sle:velocity_correction=false", 0.002, 40000);
  printf("  with it %.3e, then %.3e J; without %.3e, then %.3e J\n", with.first, with.whole, without.first,
         without.whole);
  check_below("growth of the energy error over ten times the run", without.whole / without.first - 1.0, 1e-2);
}

/* ---- Failures ------------------------------------------------------------------------------------------ */

static void check_explanation(const char *spec, double h, const char *expected)
{
  char text[400];
  bench b = set_up("chain8", spec);
  hn_reason reason = hn_solver_step(b.solver, b.state, h);
  hn_solver_explain(b.solver, reason, h, text, sizeof text);
  printf("  %s\n", text);
  assert_int_equal(reason, HN_STALLED);
  assert_non_null(strstr(text, expected));
  tear_down(&b);
}

/* Messages contain the iterations of the stage that stalled. */
static void stalls_report_the_iterations_of_their_stage(void **state)
{
  (void)state;
  check_explanation("impulse-gs:iterations=7", 0.01, "joint correction, step 0.01 s, worst joint");
  check_explanation("impulse-gs:iterations=7", 0.01, "after 7 iterations");
  check_explanation("impulse-gs:tolerance=1e-2,velocity_tolerance=1e-15,iterations=33", 0.01,
                    "velocity correction, step 0.01 s, worst joint");
  check_explanation("impulse-gs:tolerance=1e-2,velocity_tolerance=1e-15,iterations=33", 0.01,
                    "after 33 iterations");
  check_explanation("impulse-sle:iterations=2,tolerance=1e-15", 0.1, "after 2 iterations");
  check_explanation("generalised-alpha:iterations=2,tolerance=1e-15", 0.1, "after 2 iterations");
}

/* A run whose step fails ends with the previous state and the joint forces of that state. */
static void failed_runs_end_with_the_joint_forces_of_their_state(void **state)
{
  (void)state;
  static const char *const specs[] = { "xpbd",   "tgs-soft",      "lagrange",
                                       "taylor", "half-explicit", "generalised-alpha" };
  for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
    bench b = set_up("chain8", specs[i]);
    hn_error error;
    const size_t size = sizeof(double) * (size_t)b.model->nrow;
    double *before = malloc(size);
    hn_run_options options = { .step = 0.001, .duration = 1 };
    hn_runner *runner = hn_runner_create(b.solver, b.state, &options, &error);
    assert_int_equal(hn_runner_step(runner), HN_CONVERGED);
    memcpy(before, b.solver->multipliers, size);
    b.state->twist[3].v[0] = 1e300; /* no solver converges */
    hn_reason reason = hn_runner_step(runner);
    bool same = memcmp(before, b.solver->multipliers, size) == 0;
    printf("  %-18s %s; joint forces %s\n", specs[i], hn_reason_name(reason),
           same ? "as before" : "are others  FAILED");
    assert_int_not_equal(reason, HN_CONVERGED);
    assert_true(same);
    hn_runner_finish(runner, NULL);
    free(before);
    tear_down(&b);
  }
}

/* ---- The tree of [bender2006], started by a torque on its root ----------------------------------------- */

/* Only the joint at the origin is on the ground: about the origin the tree has the angular momentum of the
 * torque. A tree of one body is a pendulum. */
static void torque_starts_the_tree(void **state)
{
  (void)state;
  const double push = 1e4;
  const hn_setting settings[2][2] = { { { "push", "1e4" }, { "n", "1" } },
                                      { { "push", "1e4" }, { "n", "127" } } };
  for (int k = 0; k < 2; k++) {
    hn_error error;
    hn_scene *scene = hn_scene_load("tree", settings[k], 2, &error);
    if (!scene) fail_msg("%s", error.text);
    bench b = { .scene = scene,
                .model = scene->model,
                .solver = new_solver("impulse-sle:tolerance=1e-6", scene->model) };
    b.state = hn_state_create(scene->model);
    hn_measure at;
    hn_measure_state(b.model, b.state, &at);
    const hn_body *root = &b.model->body[1];
    const double arm = vec_norm(root->pose0.x), J = root->J[2] + root->mass * arm * arm;
    printf(" %d bodies: %g rad/s of the root\n", b.model->nbody - 1, root->twist0.w[2]);
    check_near("angular momentum about the joint, N m s", at.angular_momentum[2], push, 1e-8);
    check_below("about the other axes", hypot(at.angular_momentum[0], at.angular_momentum[1]), 1e-11);
    check_below("velocity residual, m/s", at.velocity_error, 1e-12);
    if (k == 0) check_near("root, rad/s", root->twist0.w[2], push / J, 1e-12);
    must_converge(&b, 1.0 / 30, 1, NULL, NULL);
    printf("  iterations of the joint correction: %.2f on average\n", b.summary.position_iterations_mean);
    tear_down(&b);
  }
}

/* ---- Sizes --------------------------------------------------------------------------------------------- */

/* 46 341 squared exceeds 2^31 - 1. */
static void too_many_rows_are_refused(void **state)
{
  (void)state;
  enum { RODS = 46341 };
  hn_error error = { "" };
  hn_model *model = new_model();
  const int box = add_box(model, "hub", 1, 0, 0);
  for (int i = 0; i < RODS; i++) {
    hn_joint_spec rod = { .type = "distance", .a = 0, .b = box, .has_points = true, .at_b = { 1, 0, 0 } };
    if (hn_model_add_joint(model, &rod, &error) < 0) fail_msg("%s", error.text);
  }
  assert_null(hn_solver_create("impulse-sle", model, &error));
  printf("  %s\n", error.text);
  assert_non_null(strstr(error.text, "the 46341 rows of the joints on body \"hub\""));
  hn_solver *gs = hn_solver_create("impulse-gs", model, &error);
  assert_non_null(gs);
  hn_solver_free(gs);
  assert_null(hn_solver_create("xpbd:substeps=46341,iterations=46341", model, &error));
  printf("  %s\n", error.text);
  assert_non_null(strstr(error.text, "substeps times iterations is 2147488281"));
  assert_null(hn_solver_create("tgs-soft:substeps=46341,relax=46341", model, &error));
  printf("  %s\n", error.text);
  hn_model_free(model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(energy_of_a_spinning_top_is_bounded),
    cmocka_unit_test(momentum_is_conserved_if_declared),
    cmocka_unit_test(settings_remove_capabilities),
    cmocka_unit_test(without_velocity_correction_the_energy_is_bounded),
    cmocka_unit_test(stalls_report_the_iterations_of_their_stage),
    cmocka_unit_test(torque_starts_the_tree),
    cmocka_unit_test(too_many_rows_are_refused),
    cmocka_unit_test(failed_runs_end_with_the_joint_forces_of_their_state),
  };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
