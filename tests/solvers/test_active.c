/* test_active.c - active sets: a position driver with a force limit, the ragdoll, many stops pressed
 * simultaneously, and random complementarity problems whose solutions are checked from the momenta. */
#include "base/small.h"
#include "scenes.h"
#include "base/vec.h"
#include "trials.h"

static const char *const solver_specs[] = { "impulse-sle", "impulse-gs", "xpbd", "tgs-soft" };
enum { SOLVERS = 4, EXACT = 2 }; /* the first two have order 2 */

/* ---- The driver of Gribel (2009), section 5.2, as a constraint ----------------------------------------- */

typedef struct ride {
  double limit, held_force, slowest, fastest, peak, back_slowest, back_fastest;
} ride;

static bool watch(void *user, const hn_frame *frame)
{
  ride *r = user;
  double t = frame->state->time, v = frame->state->twist[1].v[0],
         force = 200 * (frame->state->pose[1].x[0] - 2);
  if (t < 0.505) r->held_force = fmax(r->held_force, fabs(force));
  if (t > 0.535 && t < 0.495 + r->limit / 200)
    r->slowest = fmin(r->slowest, v), r->fastest = fmax(r->fastest, v);
  if (t < 4.5) r->peak = fmax(r->peak, force);
  if (t > 4.8 && t < 5.2)
    r->back_slowest = fmin(r->back_slowest, -v), r->back_fastest = fmax(r->back_fastest, -v);
  return true;
}

/* L = 2 m, k = 200 N/m, v_max = 1 m/s, h = 10 ms. From 0.5 s on the load moves at exactly 1 m/s until the
 * spring force reaches f_max, at f_max / k. There the drive force is constant, and the 5 kg oscillate about
 * that position by v sqrt(m / k), without a valve. The return at 1 m/s is exact while the spring helps with
 * less than f_max. */
static void driver_as_a_constraint(void **state)
{
  (void)state;
  for (int k = 0; k < 2 * SOLVERS; k++) {
    const double limit = k < SOLVERS ? 200 : 400, h = 0.01, swing = sqrt(5 * 200.0);
    const bool exact = k % SOLVERS < EXACT;
    char body[900];
    ride seen = { .limit = limit, .slowest = 9, .back_slowest = 9 };
    snprintf(
      body, sizeof body,
      "local load = sys:body { mass = 5, inertia = { 1, 1, 1 }, position = { 2, 0, 0 } }\n"
      "local x = { 1, 0, 0 }\n"
      "sys:slider { sys.ground, load, at = { 2, 0, 0 }, axis = x }\n"
      "sys:spring { sys.ground, load, at_b = { 2, 0, 0 }, at_a = { 0, 0, 0 }, stiffness = 200, length = 2 }\n"
      "sys:motor_position { sys.ground, load, at = { 2, 0, 0 }, axis = x, motion = 0, limit = %g, name = "
      "'m' }\n"
      "sys:control(function(t, s) s:set('m', t < 0.495 and 0 or t < 4.495 and 1 or -1) end)\nreturn sys",
      limit);
    write_scene(body);
    trial r = run_spec(solver_specs[k % SOLVERS], h, 5.5, watch, &seen);
    if (r.reason != HN_CONVERGED) fail_msg("%s", r.summary.explanation);
    printf(" %s, f_max = %g N\n", solver_specs[k % SOLVERS], limit);
    check_below("hold: spring force, N", seen.held_force, 1e-9);
    check_near("up to the limit: slowest, m/s", seen.slowest, 1, 1e-8);
    check_near("fastest", seen.fastest, 1, 1e-8);
    check_near("largest spring force, N", seen.peak, limit + swing, exact ? 0.02 * swing : 0.05 * swing);
    check_near("return: slowest, m/s", seen.back_slowest, 1, 1e-8);
    check_near("fastest", seen.back_fastest, 1, 1e-8);
    done(&r);
  }
}

/* ---- The ragdoll --------------------------------------------------------------------------------------- */

/* Remaining joint errors: the tolerance; for solvers without one, at equal substeps, the displacement of a
 * step at 5 m/s. */
static void ragdoll_respects_its_limits(void **state)
{
  (void)state;
  static const char *const specs[SOLVERS] = { "impulse-sle", "impulse-gs", "xpbd", "tgs-soft:substeps=20" };
  static const double bound[SOLVERS] = { 2e-9, 2e-9, 5e-2, 5e-2 };
  for (int k = 0; k < SOLVERS; k++) {
    bench b = set_up("ragdoll", specs[k]);
    must_converge(&b, 0.01, 1, NULL, NULL);
    check_below(specs[k], b.summary.position_max, bound[k]);
    tear_down(&b);
  }
}

/* Returns the largest distance of a body at 0.5 s from its reference position. */
static double ragdoll_error(const char *spec, double h, const hn_state *reference)
{
  bench b = set_up("ragdoll", spec);
  double largest = 0.0, apart[3];
  must_converge(&b, h, 0.5, NULL, NULL);
  for (int i = 1; i < b.state->nbody; i++) {
    vec_sub(apart, b.state->pose[i].x, reference->pose[i].x);
    largest = larger(largest, vec_norm(apart));
  }
  tear_down(&b);
  return largest;
}

/* Impacts reduce the order to 1: from h = 0.01 to h / 16 the error falls at least by a factor of 4. An impact
 * that passes through several bodies falls into one substep, however short. xpbd and tgs-soft resolve it by
 * their sweeps: with one sweep per substep they converge to another motion, with the 20 used here to the
 * same. */
static void ragdoll_converges(void **state)
{
  (void)state;
  static const char *const specs[SOLVERS] = { "impulse-sle", "impulse-gs", "xpbd:iterations=20",
                                              "tgs-soft:relax=20" };
  bench fine = set_up("ragdoll", "impulse-sle");
  must_converge(&fine, 0.01 / 128, 0.5, NULL, NULL);
  for (int k = 0; k < SOLVERS; k++) {
    double h = 0.01, first = 0.0, last = 0.0;
    printf(" %s:", specs[k]);
    for (int i = 0; i < 5; i++, h *= 0.5) {
      last = ragdoll_error(specs[k], h, fine.state);
      if (i == 0) first = last;
      printf(" %.2e", last);
    }
    printf(" m\n");
    check_below("last over first", last / first, 0.25);
  }
  tear_down(&fine);
}

/* Sums |v| after every step, and counts nonzero ones. */
static bool sum_speeds(void *user, const hn_frame *frame)
{
  double v = fabs(frame->state->twist[1].v[0]), *sum = user;
  sum[0] += v, sum[1] += v > 1e-9;
  return true;
}

/* A force presses a block on its stop and lifts it off, seven times, with a stiff damper. Each closing
 * impulse takes several passes; the impulse of one pass must not be released in the next. Two solvers
 * agree. */
static void passes_of_the_closing_impulse_do_not_add_up(void **state)
{
  (void)state;
  write_scene("local x, at = { 1, 0, 0 }, { 0, 0, 0 }\n"
              "local a = sys:body { mass = 1, inertia = { 1, 1, 1 }, position = at }\n"
              "sys:slider { sys.ground, a, at = at, axis = x, lower = 0 }\n"
              "sys:axial_spring { sys.ground, a, at = at, axis = x, damping = 500, stiffness = 8000 }\n"
              "sys:force { a, at = at, force = x, motion = { amplitude = 20, frequency = 30 } }\nreturn sys");
  double speed[EXACT][2] = { { 0 } };
  for (int k = 0; k < EXACT; k++) {
    trial r = run_spec(k == 0 ? "impulse-sle:tolerance=1e-12"
                              : "impulse-gs:tolerance=1e-12,velocity_tolerance=1e-12",
                       0.01, 1.5, sum_speeds, speed[k]);
    if (r.reason != HN_CONVERGED) fail_msg("%s", r.summary.explanation);
    printf("  %s: moves in %g of 150 steps, sum of speeds %.12g m/s\n", solver_specs[k], speed[k][1],
           speed[k][0]);
    done(&r);
  }
  check_below("difference of the sums of speeds, m/s", speed[0][0] - speed[1][0], 1e-11);
}

/* ---- Factorisations ------------------------------------------------------------------------------------ */

enum { MAX_FACTORISATIONS = 64 };
typedef struct tally {
  const hn_solver *solver;
  uint64_t before;
  int steps[MAX_FACTORISATIONS + 1]; /* steps by number of factorisations */
  int largest;
} tally;

static bool count(void *user, const hn_frame *frame)
{
  tally *t = user;
  uint64_t now = t->solver->system->work.factorisations;
  int n = (int)(now - t->before < MAX_FACTORISATIONS ? now - t->before : MAX_FACTORISATIONS);
  t->before = now;
  if (frame->index > 0) t->steps[n]++, t->largest = n > t->largest ? n : t->largest;
  return true;
}

static void check_tally(const char *what, const tally *t, int max_in_a_step)
{
  printf(" %s, steps by factorisations:", what);
  for (int i = 0; i <= MAX_FACTORISATIONS; i++)
    if (t->steps[i]) printf(" %d:%d", i, t->steps[i]);
  printf("\n");
  check_below("largest number in a step", t->largest, max_in_a_step);
}

static void scenes_need_few_factorisations(void **state)
{
  (void)state;
  static const char *const scenes[] = { "ragdoll", "car", "truck" };
  for (int k = 0; k < 3; k++) {
    bench b = set_up(scenes[k], "impulse-sle");
    tally t = { .solver = b.solver };
    must_converge(&b, 0.01, 2, count, &t);
    check_tally(scenes[k], &t, 10);
    tear_down(&b);
  }
}

/* Writes a row of n bodies on a line, each with a set-valued joint to the one before: all stops, or any set.
 * Masses are random, velocities up to v, loads up to 20 N (all to the left if `pressed`). */
static void write_row(int seed, int n, bool stops, bool pressed, double v)
{
  char text[2000];
  int length = snprintf(
    text, sizeof text,
    "local scene = require 'holonom.scene'\nlocal sys = scene.system { planar = true, gravity = { 0, 0, 0 } "
    "}\n"
    "local r = %d\nlocal function random() r = (r * 1103515245 + 12345) %% 2147483648 return (r // 65536) / "
    "32768 end\n"
    "local a, x = sys.ground, { 1, 0, 0 }\nfor i = 1, %d do\n"
    "  local at = { i, 0, 0 }\n"
    "  local b = sys:body { mass = 0.1 + random() * 3, inertia = 1, position = at, "
    "velocity = { %.17g * (random() - 0.5), 0, 0 } }\n"
    "  local kind = %s or random() * 4\n  local joint = { a, b, at = at, axis = x }\n"
    "  if kind < 2 then joint.lower = 0 joint.restitution = kind < 1 and 0 or 0.5 sys:limit_position(joint)\n"
    "  elseif kind < 3 then joint.force = 10 * random() sys:friction_position(joint)\n"
    "  else joint.motion = random() - 0.5 joint.limit = 20 * random() sys:motor_position(joint) end\n"
    "  sys:force { b, at = at, force = { 40 * (random() - %s), 0, 0 } }\n  a = b\nend\nreturn sys",
    seed, n, 2 * v, stops ? "0" : "nil", pressed ? "1" : "0.5");
  assert_true(length > 0 && (size_t)length < sizeof text);
  write_bytes(text, (size_t)length);
}

static void many_pressed_stops_need_few_factorisations(void **state)
{
  (void)state;
  for (int pressed = 0; pressed < 2; pressed++) {
    tally t = { 0 };
    for (int seed = 1; seed <= 20; seed++) {
      hn_error error;
      write_row(seed, 60, true, pressed, 1);
      hn_scene *scene = load_written(NULL, 0);
      hn_solver *solver = hn_solver_create("impulse-sle", scene->model, &error);
      hn_state *at = hn_state_create(scene->model);
      hn_summary summary;
      t.solver = solver, t.before = 0;
      hn_run_options options = { .step = 0.01, .duration = 0.3, .observe = count, .user = &t };
      if (hn_run(solver, at, &options, &summary) != HN_CONVERGED) fail_msg("%s", summary.explanation);
      hn_state_free(at), hn_solver_free(solver), hn_scene_free(scene);
    }
    check_tally(pressed ? "60 stops, pressed" : "60 stops, loads both ways", &t, 20);
  }
}

/* ---- Random complementarity problems ------------------------------------------------------------------- */

/* Takes one step of the written row; returns the largest error of the natural map (N s, with rates as they
 * are). Impulses follow from the momenta of all outer bodies, rates from the velocities. */
static double error_of_a_step(const char *spec, double h)
{
  hn_error error = { "" };
  hn_scene *scene = load_written(NULL, 0);
  const hn_model *model = scene->model;
  hn_solver *solver = hn_solver_create(spec, model, &error);
  hn_state *at = hn_state_create(model);
  double p = 0.0, worst = 0.0;
  if (!solver) fail_msg("%s", error.text);
  if (hn_solver_step(solver, at, h) != HN_CONVERGED) fail_msg("%s", solver->report.stage);
  for (int j = model->njoint - 1; j >= 0; j--) {
    const hn_joint *joint = &model->joint[j];
    const int i = j + 1;
    const hn_body *b = &model->body[i];
    double rate[2], g = at->pose[i].x[0] - at->pose[i - 1].x[0] - 1;
    for (int end = 0; end < 2; end++)
      rate[end] = end ? at->twist[i].v[0] - at->twist[i - 1].v[0]
                      : b->twist0.v[0] - model->body[i - 1].twist0.v[0];
    p += b->mass * (at->twist[i].v[0] - b->twist0.v[0]) - h * model->force[j].vector[0];
    double v = rate[1];
    if (joint->set->kind == HN_WITHIN && joint->type->inputs)
      v -= hn_motion_coefficient(&joint->axes->motion, h, 0);
    if (joint->set->kind == HN_PUSH && g > 1e-9) v = 1; /* open: no impulse */
    else if (joint->set->kind == HN_PUSH && rate[0] < -model->threshold)
      v += joint->set->restitution * rate[0];
    if (joint->set->kind == HN_PUSH) worst = fmax(worst, -g - 1e-9);
    worst = larger(worst, hn_set_error(joint->set, 1, h, &p, &v));
  }
  hn_state_free(at), hn_solver_free(solver), hn_scene_free(scene);
  return worst;
}

static void random_problems_are_solved(void **state)
{
  (void)state;
  for (int n = 1; n <= 60; n = 2 * n + 2) {
    double worst[EXACT] = { 0 };
    for (int seed = 1; seed <= 60; seed++) {
      write_row(1000 * n + seed, n, false, seed % 3 == 0, seed % 2 ? 1 : 0.02);
      worst[0] = larger(worst[0], error_of_a_step("impulse-sle:tolerance=1e-12", 0.01));
      if (n <= 10)
        worst[1] = larger(worst[1],
                          error_of_a_step("impulse-gs:tolerance=1e-14,velocity_tolerance=1e-13", 0.01));
    }
    printf(" %d rows, 60 problems\n", n);
    check_below("impulse-sle, N s", worst[0], 1e-12);
    if (n <= 10) check_below("impulse-gs", worst[1], 1e-11);
  }
}

/* ---- A cycle ------------------------------------------------------------------------------------------- */

/* The problem of Curtis, Han and Robinson (2015): K = L L' with rows 4 5 -5, 5 9 -5, -5 -5 7 and rates q = 2,
 * 1, -3, for which exchanging all wrong rows at the same time cycles. Here a particle hits three planes with
 * normals L_i / |L_i| at velocity L^-1 q. */
static const double cycling_K[3][3] = { { 4, 5, -5 }, { 5, 9, -5 }, { -5, -5, 7 } },
                    cycling_q[3] = { 2, 1, -3 };
static const char cycling[] =
  "local scene = require 'holonom.scene' local sys = scene.system { gravity = { 0, 0, 0 } }\n"
  "local l21, l31 = 2.5, -2.5\nlocal l22 = math.sqrt(9 - l21 ^ 2)\nlocal l32 = (-5 - l21 * l31) / l22\n"
  "local l33 = math.sqrt(7 - l31 ^ 2 - l32 ^ 2)\nlocal v1 = 2 / 2\nlocal v2 = (1 - l21 * v1) / l22\n"
  "local v3 = (-3 - l31 * v1 - l32 * v2) / l33\nlocal o = { 0, 0, 0 }\n"
  "local m = sys:particle { mass = 1, position = o, velocity = { v1, v2, v3 } }\n"
  "for _, n in ipairs { { 2, 0, 0 }, { l21, l22, 0 }, { l31, l32, l33 } } do\n"
  "  local l = math.sqrt(n[1] ^ 2 + n[2] ^ 2 + n[3] ^ 2)\n"
  "  sys:limit_position { sys.ground, m, at = o, axis = { n[1] / l, n[2] / l, n[3] / l }, lower = 0 }\n"
  "end\nreturn sys";

/* Computes the impulses of the active rows (bit i for row i), and the resulting rates. */
static void solve_active_set(unsigned active, double p[3], double rate[3])
{
  double K[9], q[3];
  int row[3], n = 0;
  for (int i = 0; i < 3; i++)
    if (active >> i & 1) row[n++] = i;
  for (int i = 0; i < n; i++) {
    q[i] = -cycling_q[row[i]];
    for (int j = 0; j < n; j++) K[i * n + j] = cycling_K[row[i]][row[j]];
  }
  assert_true(n == 0 || ldl_factor(n, K));
  if (n > 0) ldl_solve(n, K, q);
  for (int i = 0; i < 3; i++) p[i] = 0.0;
  for (int i = 0; i < n; i++) p[row[i]] = q[i];
  for (int i = 0; i < 3; i++)
    rate[i] = cycling_q[i] + cycling_K[i][0] * p[0] + cycling_K[i][1] * p[1] + cycling_K[i][2] * p[2];
}

/* Returns the next active set if all wrong rows are exchanged. */
static unsigned exchange_all(unsigned active)
{
  double p[3], rate[3];
  unsigned next = 0;
  solve_active_set(active, p, rate);
  for (int i = 0; i < 3; i++) next |= (unsigned)(active >> i & 1 ? p[i] >= 0.0 : rate[i] < 0.0) << i;
  return next;
}

static void safeguard_ends_a_cycle(void **state)
{
  (void)state;
  double p[3], rate[3], size = 0.0;
  unsigned visited = 0, active = 0, solution = 8;
  for (; !(visited >> active & 1); active = exchange_all(active)) visited |= 1U << active;
  printf("  exchanging all: from the empty set back to set %u\n", active);
  assert_true(exchange_all(active) != active); /* not a solution: it cycles */
  for (unsigned set = 0; set < 8; set++)
    if (exchange_all(set) == set) solution = set;
  assert_true(solution < 8);
  solve_active_set(solution, p, rate);
  /* the gain of |v|^2 is p' (q + rate) */
  for (int i = 0; i < 3; i++) size += p[i] * (cycling_q[i] + rate[i]);
  write_bytes(cycling, strlen(cycling));
  for (int k = 0; k < EXACT; k++) {
    trial r = run_spec(k == 0 ? "impulse-sle:tolerance=1e-13"
                              : "impulse-gs:tolerance=1e-13,velocity_tolerance=1e-13",
                       0.01, 0.01, NULL, NULL);
    const hn_model *model = r.scene->model;
    const double *v0 = model->body[1].twist0.v, *v = r.state->twist[1].v;
    double gained = 0.0;
    printf(" %s: %s\n", solver_specs[k], hn_reason_name(r.reason));
    assert_int_equal(r.reason, HN_CONVERGED);
    for (int i = 0; i < 3; i++) gained += v[i] * v[i] - v0[i] * v0[i];
    check_near("gain of |v|^2, as by the solution", gained, size, 1e-9);
    for (int i = 0; i < 3; i++) { /* the axes are the normals */
      const double *n = model->joint[i].axes->a;
      check_near("rate of a plane, m/s", vec_dot(n, v), rate[i] / sqrt(cycling_K[i][i]), 1e-9);
    }
    done(&r);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(driver_as_a_constraint),
    cmocka_unit_test(ragdoll_respects_its_limits),
    cmocka_unit_test(ragdoll_converges),
    cmocka_unit_test(passes_of_the_closing_impulse_do_not_add_up),
    cmocka_unit_test(scenes_need_few_factorisations),
    cmocka_unit_test(many_pressed_stops_need_few_factorisations),
    cmocka_unit_test(random_problems_are_solved),
    cmocka_unit_test(safeguard_ends_a_cycle),
  };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
