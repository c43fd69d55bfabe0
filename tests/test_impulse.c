/* test_impulse.c - what the impulse methods promise with each of their parameters: bounded energy and momentum over
 * long runs, the step without velocity correction, with one Newton step, and with step control. */
#include "base/vec.h"
#include "scenes.h"
#include "trials.h"

#include <stdlib.h>

static const char *const methods[] = {"impulse-sle", "impulse-gs", "impulse-newton"};
enum { METHODS = sizeof methods / sizeof *methods };

/* ---- Long runs --------------------------------------------------------------------------------------------------- */

/* The largest energy error of the first tenth of a run, and of all of it. */
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
  trial r = {.scene = load_written(NULL, 0)};
  hn_error error = {""};
  r.solver = hn_solver_create(spec, r.scene->model, &error);
  if (!r.solver) fail_msg("%s", error.text);
  r.state = hn_state_create(r.scene->model);
  energies e = {.model = r.scene->model, .tenth = steps / 10};
  hn_run_options options = {.step = h, .duration = h * (double)steps, .observe = watch_energy, .user = &e};
  if (hn_run(r.solver, r.state, &options, &r.summary) != HN_CONVERGED) fail_msg("%s", r.summary.explanation);
  done(&r);
  return e;
}

/* The top of Simo and Wong (1991): moments 5, 5, 1 about its tip, m g l = 20, 50 rad/s about its axis, which leans by
 * 0.3 rad. The step is symmetric and, with a flight that is exact, symplectic: the energy error is an oscillation of
 * order h^2, which ten times as long a run does not enlarge. With rk4 the flights alone lose energy steadily. */
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
  for (int i = 0; i < METHODS; i++) {
    char what[96];
    const long steps = i == 0 ? 100000 : 20000;
    energies e = run_energy(methods[i], 0.01, steps);
    printf(" %s, its defaults, h = 0.01 s: %.3e J within %ld steps, %.3e J within %ld\n", methods[i], e.first,
           steps / 10, e.whole, steps);
    snprintf(what, sizeof what, "%s: growth of the energy error over ten times the run", methods[i]);
    check_below(what, e.whole / e.first - 1.0, 0.05);
    energies half = run_energy(methods[i], 0.005, 20000);
    check_near("its order", log2(e.first / half.first), 2.0, 0.2);
  }
  energies rk4 = run_energy("impulse-sle:flight=rk4", 0.01, 20000);
  printf("  with rk4, for comparison: %.3e J, then %.3e J\n", rk4.first, rk4.whole);
  assert_true(rk4.whole > 1.3 * rk4.first);
}

/* Three boxes on two ball joints in free space: they turn about the middle as one, and each about its own long axis. */
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

/* |L - L_0| / |L_0| at most, in 10 s. */
static double run_momentum(const char *spec, unsigned *capabilities)
{
  write_bytes(three_boxes, strlen(three_boxes));
  hn_error error = {""};
  hn_scene *scene = load_written(NULL, 0);
  hn_solver *solver = hn_solver_create(spec, scene->model, &error);
  if (!solver) fail_msg("%s", error.text);
  hn_state *at = hn_state_create(scene->model);
  momenta m = {.model = scene->model};
  hn_summary summary;
  hn_run_options options = {.step = 0.01, .duration = 10, .observe = watch_momentum, .user = &m};
  if (hn_run(solver, at, &options, &summary) != HN_CONVERGED) fail_msg("%s", summary.explanation);
  *capabilities = hn_solver_capabilities(solver);
  hn_state_free(at);
  hn_solver_free(solver);
  hn_scene_free(scene);
  return m.change / m.size;
}

/* An impulse p acts on both sides of a gap d, so it changes L by p x d, which the tolerance bounds. The forces here
 * stay below 100 N at each of two joints: 2000 N s in 10 s, of L_0 = 28 N m s. */
static void momentum_is_kept_where_it_is_declared(void **state)
{
  (void)state;
  static const struct {
    const char *spec;
    double tolerance;
    bool declared;
  } of[] = {
      {"impulse-sle", 1e-9, true},
      {"impulse-sle:tolerance=1e-14", 1e-14, true},
      {"impulse-gs", 1e-9, true},
      {"impulse-newton", 1e-9, true},
      {"impulse-composed", 1e-13, true},
      {"impulse-sle:velocity_correction=false", 1e-9, true},
      {"impulse-sle:flight=rk4,tolerance=1e-13", 0, false},
      {"impulse-gs:sweeps=2", 0, false},
      {"impulse-sle:newton_steps=1", 0, false},
  };
  for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
    unsigned can;
    double change = run_momentum(of[i].spec, &can);
    bool declared = can & HN_KEEPS_MOMENTUM;
    printf(" %s: %s\n", of[i].spec, declared ? "keeps momentum" : "does not say so");
    assert_true(declared == of[i].declared);
    if (declared)
      check_below("relative change of the angular momentum in 10 s", change, 70 * of[i].tolerance + 3e-13);
    else
      printf("  relative change of the angular momentum in 10 s: %.3e\n", change);
    if (!declared && i == 6) assert_true(change > 1e-9); /* what was declared before */
  }
}

/* ---- Capabilities ------------------------------------------------------------------------------------------------ */

static void settings_take_capabilities_away(void **state)
{
  (void)state;
  hn_error error = {""};
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

/* ---- Without velocity correction --------------------------------------------------------------------------------- */

/* The state of box_pendulum after 0.5 s. */
static hn_state *reach(const char *spec, const char *scene, double h, double duration, hn_summary *summary)
{
  bench b = set_up(scene, spec);
  must_converge(&b, h, duration, NULL, NULL);
  hn_state *end = b.state;
  *summary = b.summary;
  b.state = NULL;
  tear_down(&b);
  return end;
}

typedef struct errors {
  double position, velocity, energy, drift;
} errors;

static errors compare(const hn_state *a, const hn_state *b, const hn_summary *summary)
{
  errors e = {.energy = summary->energy_error_max, .drift = summary->position_max};
  for (int i = 0; i < a->nbody; i++)
    for (int k = 0; k < 3; k++) {
      e.position = larger(e.position, fabs(a->pose[i].x[k] - b->pose[i].x[k]));
      e.velocity = larger(e.velocity, fabs(a->twist[i].v[k] - b->twist[i].v[k]));
      e.velocity = larger(e.velocity, fabs(a->twist[i].w[k] - b->twist[i].w[k]));
    }
  return e;
}

static errors errors_of(const char *spec, const char *scene, double h, double duration)
{
  hn_summary summary, right;
  hn_state *end = reach(spec, scene, h, duration, &summary);
  hn_state *exact = reach("taylor:order=16,stabilisation=projection", scene, 0.005, duration, &right);
  errors e = compare(end, exact, &summary);
  hn_state_free(end);
  hn_state_free(exact);
  return e;
}

enum { RUNGS = 6 };
typedef struct ladder {
  double h[RUNGS], position[RUNGS], velocity[RUNGS], energy[RUNGS], drift[RUNGS];
} ladder;

static ladder climb(const char *spec, const char *scene, double h, double duration)
{
  ladder l;
  for (int i = 0; i < RUNGS; i++, h *= 0.5) {
    errors e = errors_of(spec, scene, h, duration);
    l.h[i] = h, l.position[i] = e.position, l.velocity[i] = e.velocity, l.energy[i] = e.energy, l.drift[i] = e.drift;
  }
  printf(" %s, %s: positions %.2e to %.2e m, velocities %.2e to %.2e, energy %.2e to %.2e J, drift %.2e to %.2e m\n",
         spec, scene, l.position[0], l.position[RUNGS - 1], l.velocity[0], l.velocity[RUNGS - 1], l.energy[0],
         l.energy[RUNGS - 1], l.drift[0], l.drift[RUNGS - 1]);
  return l;
}

/* The velocity correction changes u by W G' p at the poses where the next joint correction will, and that one is
 * unique: so it finds the impulse that both would have given, and the positions are those with the correction. The
 * velocities at the end of a step lack it: half a step of the joint force, an error of order h. That part, W G' p, is
 * orthogonal to the corrected velocities in the mass metric, so the energy is too large by p' K p / 2, of order h^2.
 * [schmitt2003; bender2006, section 4.2: "not absolutely necessary ... because the joint impulse of the next simulation step
 * will solve the problem as well"] */
static void without_velocity_correction_positions_are_the_same(void **state)
{
  (void)state;
  static const char *const tight[METHODS] = {"tolerance=1e-13", "tolerance=1e-13,velocity_tolerance=1e-13",
                                             "tolerance=1e-13"};
  for (int i = 0; i <= METHODS; i++) {
    const char *name = i < METHODS ? methods[i] : "impulse-composed", *set = i < METHODS ? tight[i] : tight[0];
    char with[96], without[128];
    hn_summary summary;
    snprintf(with, sizeof with, "%s:%s", name, set);
    snprintf(without, sizeof without, "%s:%s,velocity_correction=false", name, set);
    hn_state *a = reach(with, "box_pendulum", 0.01, 0.5, &summary);
    hn_state *b = reach(without, "box_pendulum", 0.01, 0.5, &summary);
    errors e = compare(b, a, &summary);
    printf(" %s\n", name);
    check_below("positions with and without, m apart", e.position,
                1e-11); /* 50 steps of 1e-13, magnified by the motion */
    assert_true(e.velocity > 1e-3);
    hn_state_free(a);
    hn_state_free(b);
  }
}

static void without_velocity_correction_velocities_are_of_order_one(void **state)
{
  (void)state;
  for (int i = 0; i < 2; i++) {
    ladder l = climb("impulse-sle:tolerance=1e-13,velocity_correction=false",
                     i == 0 ? "box_pendulum" : "double_pendulum", 0.01, 0.3);
    check_near("order of the positions", hn_fit_order(l.h, l.position, RUNGS), 2.0, 0.2);
    check_near("order of the velocities", hn_fit_order(l.h, l.velocity, RUNGS), 1.0, 0.2);
    check_near("order of the energy error", hn_fit_order(l.h, l.energy, RUNGS), 2.0, 0.2);
  }
}

/* The motion is that with the correction, so the energy error does not grow. */
static void without_velocity_correction_the_energy_is_bounded(void **state)
{
  (void)state;
  write_bytes(simo_wong, strlen(simo_wong));
  energies with = run_energy("impulse-sle", 0.002, 40000);
  energies without = run_energy("impulse-sle:velocity_correction=false", 0.002, 40000);
  printf("  with it %.3e, then %.3e J; without %.3e, then %.3e J\n", with.first, with.whole, without.first,
         without.whole);
  check_below("growth of the energy error over ten times the run", without.whole / without.first - 1.0, 0.1);
}

/* ---- One Newton step --------------------------------------------------------------------------------------------- */

/* Errors of one step of 2^-k h from a state on the way; the difference of both methods is the last. */
typedef struct local {
  double h[RUNGS], impulse[RUNGS], taylor[RUNGS], apart[RUNGS];
} local;

static hn_state *step_once(const char *spec, const hn_model *model, const hn_state *from, double h)
{
  hn_solver *solver = new_solver(spec, model);
  hn_state *at = hn_state_create(model);
  hn_state_copy(at, from);
  if (hn_solver_step(solver, at, h) != HN_CONVERGED) fail_msg("%s does not step", spec);
  hn_solver_free(solver);
  return at;
}

static double apart(const hn_state *a, const hn_state *b)
{
  double most = 0.0;
  for (int i = 0; i < a->nbody; i++)
    for (int k = 0; k < 3; k++) most = larger(most, fabs(a->pose[i].x[k] - b->pose[i].x[k]));
  return most;
}

static local errors_of_a_step(const char *spec, const char *scene, double h)
{
  local l;
  bench b = set_up(scene, "taylor:order=16,stabilisation=projection");
  must_converge(&b, 0.005, 0.3, NULL, NULL);
  for (int i = 0; i < RUNGS; i++, h *= 0.5) {
    hn_state *exact = step_once("taylor:order=20", b.model, b.state, h);
    hn_state *impulse = step_once(spec, b.model, b.state, h),
             *taylor = step_once("taylor:order=2", b.model, b.state, h);
    l.h[i] = h, l.impulse[i] = apart(impulse, exact), l.taylor[i] = apart(taylor, exact);
    l.apart[i] = apart(impulse, taylor);
    hn_state_free(exact), hn_state_free(impulse), hn_state_free(taylor);
  }
  tear_down(&b);
  return l;
}

/* schmitt2005, section 8: with one step of Newton's method a time step the impulse method and the Taylor method of
 * second order have a truncation error of O(h^3) each, and so differ by that. */
static void truncation_of_one_newton_step(void **state)
{
  (void)state;
  static const char *const scenes[] = {"double_pendulum", "box_pendulum"};
  static const char *const specs[] = {"impulse-sle:newton_steps=1", "impulse-newton:newton_steps=1,line_search=basic"};
  for (int s = 0; s < 2; s++)
    for (int m = 0; m < 2; m++) {
      local l = errors_of_a_step(specs[m], scenes[s], 0.02);
      printf(" %s, %s: %.2e to %.2e m, taylor %.2e to %.2e, apart %.2e to %.2e\n", scenes[s], specs[m], l.impulse[0],
             l.impulse[RUNGS - 1], l.taylor[0], l.taylor[RUNGS - 1], l.apart[0], l.apart[RUNGS - 1]);
      check_near("order of the error of one step, impulses", hn_fit_order(l.h, l.impulse, RUNGS), 3.0, 0.2);
      check_near("order of the error of one step, taylor 2", hn_fit_order(l.h, l.taylor, RUNGS), 3.0, 0.2);
      check_near("order of their difference", hn_fit_order(l.h, l.apart, RUNGS), 3.0, 0.2);
    }
}

/* The theorem: both converge to the same motion. The order is 2, and the joints, which no later step forgets, are off
 * by the error of one step. */
static void one_newton_step_converges(void **state)
{
  (void)state;
  static const char *const scenes[] = {"double_pendulum", "box_pendulum"};
  for (int s = 0; s < 2; s++) {
    ladder l = climb("impulse-sle:newton_steps=1,tolerance=1e-16", scenes[s], 0.01, 0.3);
    check_near("order of the positions", hn_fit_order(l.h, l.position, RUNGS), 2.0, 0.2);
    check_near("order of the velocities", hn_fit_order(l.h, l.velocity, RUNGS), 2.0, 0.2);
    check_near("order of the drift", hn_fit_order(l.h, l.drift, RUNGS), 3.0, 0.2);
    double h[RUNGS], difference[RUNGS];
    for (int i = 0; i < RUNGS; i++) {
      hn_summary summary;
      h[i] = 0.01 / (1 << i);
      hn_state *impulse = reach("impulse-sle:newton_steps=1", scenes[s], h[i], 0.3, &summary);
      hn_state *taylor = reach("taylor:order=2", scenes[s], h[i], 0.3, &summary);
      difference[i] = apart(impulse, taylor);
      hn_state_free(impulse), hn_state_free(taylor);
    }
    printf("  apart from taylor 2: %.2e to %.2e m\n", difference[0], difference[RUNGS - 1]);
    check_near("order at which both meet", hn_fit_order(h, difference, RUNGS), 2.0, 0.2);
  }
}

/* Each step was counted, and takes one solution for the joints and one for the velocities. */
static void newton_steps_are_counted(void **state)
{
  (void)state;
  for (int steps = 1; steps <= 2; steps++) {
    char spec[64];
    snprintf(spec, sizeof spec, "impulse-sle:newton_steps=%d,tolerance=1e-16", steps);
    bench b = set_up("box_pendulum", spec);
    must_converge(&b, 0.01, 0.1, NULL, NULL);
    ASSERT_COUNT("solutions in ten steps", b.summary.work.solves, 10 * (unsigned)(steps + 1));
    tear_down(&b);
  }
}

/* ---- Step control ------------------------------------------------------------------------------------------------ */

/* The allowed error of a flight decides how often a step is divided. Equation 10 with n = 5: for 1e-2 of the error the
 * steps are 1e2^(1/6) = 2.15 times as many. */
static void step_control_divides_steps(void **state)
{
  (void)state;
  double error[3], flights[3];
  for (int m = 0; m < METHODS; m++) {
    printf(" %s\n", methods[m]);
    for (int i = 0; i < 3; i++) {
      char spec[128];
      double desired = pow(10, -7 - 2 * i);
      snprintf(spec, sizeof spec, "%s:flight=taylor,flight_order=5,tolerance=1e-12,step_control=%.0e", methods[m],
               desired);
      bench b = set_up("heavy_top", spec);
      must_converge(&b, 0.05, 0.25, NULL, NULL);
      bench exact = set_up("heavy_top", "taylor:order=16,stabilisation=projection");
      must_converge(&exact, 0.0005, 0.25, NULL, NULL);
      error[i] = apart(b.state, exact.state);
      flights[i] = (double)b.summary.work.factorisations;
      printf("  allowed %.0e: %g steps of impulses in 5 steps, %llu given back, error %.2e m\n", desired, flights[i],
             (unsigned long long)b.summary.halvings, error[i]);
      tear_down(&b);
      tear_down(&exact);
    }
    assert_true(error[0] > error[1] && error[1] > error[2]);
    if (m == 1) continue; /* no factorisations */
    check_near("steps for 1e-2 of the error, times as many", flights[2] / flights[1], pow(1e2, 1.0 / 6), 0.3);
  }
}

/* The estimate is that of equation 9: the first term that the flight leaves out, at the step that was taken. */
static void the_estimate_is_the_term_left_out(void **state)
{
  (void)state;
  hn_error error = {""};
  bench b = set_up("free_top", "impulse-sle:flight=taylor,flight_order=4");
  const double h = 0.05;
  double estimate = hn_system_flight_error(b.solver->system, b.state, h), left[4];
  hn_state *end[2];
  for (int order = 4; order <= 5; order++) {
    hn_flight_options options = {.kind = HN_TAYLOR, .order = order};
    assert_int_equal(hn_system_use_flight(b.solver->system, &options, &error), 0);
    end[order - 4] = hn_state_create(b.model);
    hn_system_flight(b.solver->system, b.state, h, end[order - 4]);
  }
  for (int i = 0; i < 4; i++) left[i] = end[1]->pose[1].q[i] - end[0]->pose[1].q[i];
  check_near("estimate over the difference of orders 4 and 5", estimate / norm_of(left, 4), 1.0, 0.05);
  hn_state_free(end[0]), hn_state_free(end[1]);
  tear_down(&b);
}

/* ---- Failures ---------------------------------------------------------------------------------------------------- */

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

/* The iterations are those of the stage that stalled. */
static void stalls_name_their_own_iterations(void **state)
{
  (void)state;
  check_explanation("impulse-gs:iterations=7", 0.01, "joint correction, step 0.01 s, worst joint");
  check_explanation("impulse-gs:iterations=7", 0.01, "after 7 iterations");
  check_explanation("impulse-gs:tolerance=1e-2,velocity_tolerance=1e-15,iterations=33", 0.01,
                    "velocity correction, step 0.01 s, worst joint");
  check_explanation("impulse-gs:tolerance=1e-2,velocity_tolerance=1e-15,iterations=33", 0.01, "after 33 iterations");
  check_explanation("impulse-sle:iterations=2,tolerance=1e-15", 0.1, "after 2 iterations");
  check_explanation("generalised-alpha:iterations=2,tolerance=1e-15", 0.1, "after 2 iterations");
}

/* A run whose step fails ends with the state before it, and with the joint forces of that state. */
static void failed_runs_end_with_the_joint_forces_of_their_state(void **state)
{
  (void)state;
  static const char *const specs[] = {"xpbd", "tgs-soft", "lagrange", "taylor", "half-explicit", "generalised-alpha"};
  for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
    bench b = set_up("chain8", specs[i]);
    hn_error error;
    const size_t size = sizeof(double) * (size_t)b.model->nrow;
    double *before = malloc(size);
    hn_run_options options = {.step = 0.001, .duration = 1};
    hn_runner *runner = hn_runner_create(b.solver, b.state, &options, &error);
    assert_int_equal(hn_runner_step(runner), HN_CONVERGED);
    memcpy(before, b.solver->multipliers, size);
    b.state->twist[3].v[0] = 1e300; /* more than any method can take */
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

/* ---- The tree of 2006, started by a torque on its top body --------------------------------------------------------
 */

/* Only the joint at the origin is on the ground, so about the origin the whole tree has what the torque gave; a tree of
 * one body is a pendulum. */
static void a_torque_starts_the_tree(void **state)
{
  (void)state;
  const double push = 1e4;
  const hn_setting settings[2][2] = {{{"push", "1e4"}, {"n", "1"}}, {{"push", "1e4"}, {"n", "127"}}};
  for (int k = 0; k < 2; k++) {
    hn_error error;
    hn_scene *scene = hn_scene_load("tree", settings[k], 2, &error);
    if (!scene) fail_msg("%s", error.text);
    bench b = {.scene = scene, .model = scene->model, .solver = new_solver("impulse-sle:tolerance=1e-6", scene->model)};
    b.state = hn_state_create(scene->model);
    hn_measure at;
    hn_measure_state(b.model, b.state, &at);
    const hn_body *root = &b.model->body[1];
    const double arm = vec_norm(root->pose0.x), J = root->J[2] + root->mass * arm * arm;
    printf(" %d bodies: %g rad/s of the root\n", b.model->nbody - 1, root->twist0.w[2]);
    check_near("angular momentum about the joint, N m s", at.angular_momentum[2], push, 1e-8);
    check_below("about the other axes", hypot(at.angular_momentum[0], at.angular_momentum[1]), 1e-8);
    check_below("violated by the velocities, m/s", at.velocity_error, 1e-11);
    if (k == 0) check_near("root, rad/s", root->twist0.w[2], push / J, 1e-12);
    must_converge(&b, 1.0 / 30, 1, NULL, NULL);
    printf("  iterations of the joint correction: %.2f on average\n", b.summary.position_iterations_mean);
    tear_down(&b);
  }
}

/* ---- Sizes ------------------------------------------------------------------------------------------------------- */

/* 46 341 squared is above 2^31 - 1. */
static void what_is_too_large_is_refused(void **state)
{
  (void)state;
  enum { RODS = 46341 };
  hn_error error = {""};
  hn_model *model = new_model();
  const int box = add_box(model, "hub", 1, 0, 0);
  for (int i = 0; i < RODS; i++) {
    hn_joint_spec rod = {.type = "distance", .a = 0, .b = box, .has_points = true, .at_b = {1, 0, 0}};
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
      cmocka_unit_test(momentum_is_kept_where_it_is_declared),
      cmocka_unit_test(settings_take_capabilities_away),
      cmocka_unit_test(without_velocity_correction_positions_are_the_same),
      cmocka_unit_test(without_velocity_correction_velocities_are_of_order_one),
      cmocka_unit_test(without_velocity_correction_the_energy_is_bounded),
      cmocka_unit_test(truncation_of_one_newton_step),
      cmocka_unit_test(one_newton_step_converges),
      cmocka_unit_test(newton_steps_are_counted),
      cmocka_unit_test(step_control_divides_steps),
      cmocka_unit_test(the_estimate_is_the_term_left_out),
      cmocka_unit_test(stalls_name_their_own_iterations),
      cmocka_unit_test(a_torque_starts_the_tree),
      cmocka_unit_test(what_is_too_large_is_refused),
      cmocka_unit_test(failed_runs_end_with_the_joint_forces_of_their_state),
  };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
