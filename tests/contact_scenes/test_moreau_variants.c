/* test_moreau_variants.c - variants of solver moreau: static and kinetic friction, the preset of Gribel's
 * thesis, Guendelman's sequence, a limit of speeds, contact reduction. Against closed forms of one step or
 * one block. */
#include "scenes.h"
#include "base/vec.h"
#include "collide/hull.h"

#include <inttypes.h>

#include <stdlib.h>
#include <string.h>

/* ---- Two frictions ------------------------------------------------------------------------------------- */

enum { SLOPE = 1, BLOCK };
static const double g = 9.81, mu_s = 0.5, mu_k = 0.3;

/* Returns a model of a box of 1 m and 2 kg on a floor; gravity as on a slope of the given tangent along x,
 * initial speed v. */
static hn_model *slope(bool planar, double tangent, double v, double static_friction, double kinetic_friction)
{
  static const double square[] = { -0.5, -0.5, 0, 0.5, -0.5, 0, 0.5, 0.5, 0, -0.5, 0.5, 0 };
  hn_error error;
  const double cosine = 1.0 / sqrt(1.0 + tangent * tangent),
               gravity[3] = { g * tangent * cosine, -g * cosine, 0 };
  hn_model *model = hn_model_create(gravity);
  if (planar) assert_int_equal(hn_model_set_planar(model, &error), 0);
  hn_body_spec floor = { .name = "slope",
                         .kind = HN_FIXED,
                         .shape = { .kind = HN_PLANE, .size = { 0, 1, 0 } },
                         .orientation = { 1, 0, 0, 0 },
                         .friction = kinetic_friction,
                         .static_friction = static_friction };
  hn_body_spec block = { .name = "block",
                         .kind = HN_RIGID,
                         .has_mass = true,
                         .mass = 2,
                         .position = { 0, 0.499, 0 },
                         .inertia = { 1. / 3, 1. / 3, 1. / 3 },
                         .orientation = { 1, 0, 0, 0 },
                         .velocity = { v, 0, 0 },
                         .shape = { .kind = HN_BOX, .size = { 1, 1, 1 } },
                         .friction = kinetic_friction,
                         .static_friction = static_friction };
  if (planar) {
    block.inertia[0] = block.inertia[1] = 0;
    block.shape = (hn_shape){ .kind = HN_POLYGON, .hull = hn_hull_create(square, 4, true, &error) };
  }
  assert_int_equal(hn_model_add_body(model, &floor, &error), SLOPE);
  if (hn_model_add_body(model, &block, &error) != BLOCK) fail_msg("%s", error.text);
  hn_hull_free((hn_hull *)block.shape.hull);
  assert_int_equal(hn_model_collide(model, &(hn_contact_spec){ .margin = 0.02 }, &error), 0);
  return model;
}

/* Returns the speed along the slope after a second of steps of 0.01 s. */
static double speed_after(hn_model *model, const char *spec, uint64_t *hash)
{
  hn_solver *solver = new_solver(spec, model);
  hn_state *state = hn_state_create(model);
  hn_summary summary;
  hn_run_options options = { .step = 0.01, .duration = 1.0 };
  if (hn_run(solver, state, &options, &summary) != HN_CONVERGED)
    fail_msg("%s: %s", spec, summary.explanation);
  const double speed = state->twist[BLOCK].v[0];
  if (hash) *hash = summary.hash;
  hn_state_free(state);
  hn_solver_free(solver);
  return speed;
}

/* The block sticks up to mu_s and slides with mu_k: each step adds h g (sin - mu_k cos), from the first on. A
 * block stopped by mu_k sticks up to mu_s. Initially the block overlaps the floor by 1 mm, which the slop of
 * Baumgarte's correction permits. */
static void block_sticks_by_static_and_slides_by_kinetic_friction(void **unused)
{
  (void)unused;
  static const struct {
    const char *spec;
    bool planar;
  } settings[] = {
    { "moreau:contact_tolerance=1e-12", false },
    { "moreau:contact=newton,contact_tolerance=1e-12", false },
    { "moreau:contact=pgs", false },
    { "moreau:contact=lemke", true },
    { "moreau:sequence=guendelman,contact_tolerance=1e-12", false },
  };
  static const struct {
    double tangent, v;
    bool sticks;
  } cases[] = {
    { 0.49, 0.0, true },
    { 0.51, 0.0, false },
    { 0.4, 1.0, false },
    { 0.2, 0.5, true },
  };
  for (size_t k = 0; k < sizeof settings / sizeof *settings; k++)
    for (int i = 0; i < 4; i++) {
      char what[128];
      const double tangent = cases[i].tangent, c = 1.0 / sqrt(1.0 + tangent * tangent);
      hn_model *model = slope(settings[k].planar, tangent, cases[i].v, mu_s, mu_k);
      const double expected = cases[i].sticks ? 0.0 : cases[i].v + g * c * (tangent - mu_k);
      snprintf(what, sizeof what, "%.45s, slope %g, %g m/s", settings[k].spec + 7, tangent, cases[i].v);
      check_near(what, speed_after(model, settings[k].spec, NULL), expected, 1e-8);
      hn_model_free(model);
    }
}

/* With static_friction=sweeps each contact chooses by itself, with its present impulses. Before these have
 * converged it may slide too early, then stick again from mu_k, as in the thesis. A single contact is exact:
 * a ball without a moment of inertia. */
static void friction_chosen_in_sweeps(void **unused)
{
  (void)unused;
  static const char *const specs[] = { "moreau:preset=gribel2009",
                                       "moreau:contact=pgs,static_friction=sweeps",
                                       "moreau:contact=pgs:local=disk,static_friction=sweeps",
                                       "moreau:contact=pgs:local=pyramid,static_friction=sweeps" };
  static const double tangent[] = { 0.49, 0.51 };
  for (int k = 0; k < 4; k++)
    for (int i = 0; i < 2; i++) {
      const double c = 1.0 / sqrt(1.0 + tangent[i] * tangent[i]);
      hn_model *model = slope(false, tangent[i], 0, mu_s, mu_k);
      model->collider[1].shape = (hn_shape){ .kind = HN_SPHERE, .size = { 0.5 } };
      memset(model->body[BLOCK].inv_J, 0, sizeof model->body[BLOCK].inv_J);
      printf("%s, slope %g\n", specs[k], tangent[i]);
      check_near("speed, m/s", speed_after(model, specs[k], NULL), i == 0 ? 0.0 : g * c * (tangent[i] - mu_k),
                 1e-8);
      hn_model_free(model);
    }
}

/* On a slope between the two coefficients a block that has slid continues, however slowly; a block at rest
 * stays. */
static void sliding_continues(void **unused)
{
  (void)unused;
  const double c = 1.0 / sqrt(1.16);
  for (double v = 1e-3; v > 1e-7; v /= 100) {
    char what[64];
    hn_model *model = slope(false, 0.4, v, mu_s, mu_k);
    hn_solver *solver = new_solver("moreau:contact_tolerance=1e-12", model);
    hn_state *state = hn_state_create(model);
    hn_run_options options = { .step = 1e-5, .duration = 1e-5 };
    hn_summary summary;
    for (int i = 0; i < 100; i++) assert_true(hn_run(solver, state, &options, &summary) == HN_CONVERGED);
    const bool slid = v > (mu_s - 0.4) * g * c * 1e-5; /* otherwise the first step stops it */
    snprintf(what, sizeof what, "from %g m/s: speed after 1 ms", v);
    check_near(what, state->twist[BLOCK].v[0], slid ? v + 1e-3 * g * c * (0.4 - mu_k) : 0.0, 1e-9);
    hn_state_free(state);
    hn_solver_free(solver);
    hn_model_free(model);
  }
}

/* Other solvers use the kinetic friction only: equal to the bit. */
static void other_solvers_use_kinetic_friction(void **unused)
{
  (void)unused;
  static const char *const specs[] = { "impulse-gs", "xpbd", "tgs-soft" };
  for (int k = 0; k < 3; k++) {
    uint64_t hash[2];
    hn_model *two = slope(false, 0.4, 0, mu_s, mu_k), *one = slope(false, 0.4, 0, 0, mu_k);
    const double speed = speed_after(two, specs[k], &hash[0]);
    speed_after(one, specs[k], &hash[1]);
    printf("  %s: %g m/s, hashes %016" PRIx64 " and %016" PRIx64 "\n", specs[k], speed, hash[0], hash[1]);
    assert_true(hash[0] == hash[1] && speed > 0.5);
    hn_model_free(two), hn_model_free(one);
  }
}

static void invalid_friction_is_refused(void **unused)
{
  (void)unused;
  static const struct {
    double sliding, sticking;
    const char *says;
  } bad[] = {
    { 0.3, 0.2, "static friction must be at least the kinetic one, 0.3, not 0.2" },
    { 0.3, HUGE_VAL, "not inf" },
    { 0.3, NAN, "friction must be at least 0, not nan" },
    { -0.1, 0.2, "friction must be at least 0, not -0.1" },
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    hn_error error = { "" };
    hn_model *model = new_model();
    hn_body_spec floor = { .name = "floor",
                           .kind = HN_FIXED,
                           .shape = { .kind = HN_PLANE, .size = { 0, 1, 0 } },
                           .orientation = { 1, 0, 0, 0 },
                           .friction = bad[i].sliding };
    floor.static_friction = bad[i].sticking;
    assert_true(hn_model_add_body(model, &floor, &error) < 0);
    printf("  %s\n", error.text);
    assert_non_null(strstr(error.text, bad[i].says));
    hn_model_free(model);
  }
}

/* ---- The thesis ---------------------------------------------------------------------------------------- */

typedef struct stack_sway {
  double fall_time; /* s; NAN: it stands */
  double top, last; /* m: position of the top box, and its last displacement */
  int reversals;    /* reversals of the top before the fall, of displacements over a centimetre */
  double reversal;  /* m: position of the last reversal */
} stack_sway;

static bool watch_sway(void *user, const hn_frame *frame)
{
  stack_sway *w = user;
  const hn_state *state = frame->state;
  const double x = state->pose[state->nbody - 1].x[0], step = x - w->top;
  for (int i = 2; i < state->nbody && isnan(w->fall_time); i++)
    if (fabs(state->pose[i].q[3]) > 0.25 || fabs(state->pose[i].x[0]) > 0.25) w->fall_time = state->time;
  if (step * w->last < 0.0 && fabs(w->top - w->reversal) > 0.01) w->reversal = w->top, w->reversals++;
  if (step != 0.0) w->top = x, w->last = step;
  return isnan(w->fall_time);
}

/* Figures 5.1.1 to 5.1.3 and their text: with 10 iterations the stack sways to a side and falls quickly; with
 * 50 and 100 it stands longer and longer; with 100 the sway stops, reverses and oscillates. */
static void stack_of_the_thesis_sways_as_published(void **unused)
{
  (void)unused;
  static const int sweeps[] = { 10, 50, 100 };
  double before = 0.0;
  for (int k = 0; k < 3; k++) {
    char spec[64];
    stack_sway w = { .fall_time = NAN };
    snprintf(spec, sizeof spec, "moreau:preset=gribel2009,sweeps=%d", sweeps[k]);
    bench b = set_up("stack", spec);
    run(&b, 0.01, 15, watch_sway, &w);
    printf("  %3d iterations: fell at %g s, after %d reversals\n", sweeps[k], w.fall_time, w.reversals);
    assert_true(isnan(w.fall_time) || w.fall_time > before);
    if (k == 0) assert_true(w.fall_time < 3.0 && w.reversals <= 1);
    if (k == 2) assert_true(w.reversals >= 2);
    before = isnan(w.fall_time) ? 15.0 : w.fall_time;
    tear_down(&b);
  }
}

/* A box at 0.1 m/s above the floor by less than its fall in a step. The thesis waits for overlap, so that the
 * box falls freely through that step; other settings stop it at the floor or in place. With the mean
 * velocity, half of the step at the initial velocity is already too far: the box stops there without
 * bouncing. */
static void preset_of_the_thesis_waits_for_overlap(void **unused)
{
  (void)unused;
  static const struct {
    const char *spec;
    double v, gap;
  } settings[] = {
    { "moreau:preset=gribel2009", -0.1981, 0.0004 - 0.01 * 0.1981 },
    { "moreau:open_gaps=velocities", 0, 0.0004 },
    { "moreau", -0.04, 0 },
    { "moreau:theta=0.5,stabilisation=none", 0, 0.0004 - 0.01 * 0.05 },
  };
  hn_error error;
  for (int k = 0; k < 4; k++) {
    hn_model *model = slope(true, 0, 0, 0, 0);
    hn_solver *solver = new_solver(settings[k].spec, model);
    hn_state *state = hn_state_create(model);
    state->pose[BLOCK].x[1] = 0.5004, state->twist[BLOCK].v[1] = -0.1;
    if (hn_solver_step(solver, state, 0.01) != HN_CONVERGED) fail_msg("a step fails");
    printf("%s\n", solver->spec);
    check_near("velocity, m/s", state->twist[BLOCK].v[1], settings[k].v, 1e-9);
    check_near("gap, m", state->pose[BLOCK].x[1] - 0.5, settings[k].gap, 1e-9);
    hn_state_free(state);
    hn_solver_free(solver);
    hn_model_free(model);
  }
  hn_model *model = slope(true, 0, 0, 0, 0);
  assert_null(hn_solver_create("moreau:sweeps=3,preset=gribel", model, &error));
  assert_non_null(strstr(error.text, "moreau has no preset \"gribel\""));
  hn_solver *one = new_solver("moreau:sweeps=3,preset=gribel2009", model),
            *two = new_solver(one->spec, model);
  assert_string_equal(one->spec, two->spec);
  assert_non_null(strstr(one->spec, ",sweeps=3,"));
  hn_solver_free(one), hn_solver_free(two);
  hn_model_free(model);
}

/* It rotates by h w. The correction of an overlap is erp times the excess over the slop, besides the
 * rebound. */
static void step_of_the_thesis(void **unused)
{
  (void)unused;
  const double h = 0.01, w = 20.0;
  hn_model *model = slope(true, 0, 0, 0, 0);
  hn_solver *solver = new_solver("moreau:preset=gribel2009", model);
  hn_state *state = hn_state_create(model);
  state->pose[BLOCK].x[1] = 5.0, state->twist[BLOCK].w[2] = w;
  assert_true(hn_solver_step(solver, state, h) == HN_CONVERGED);
  check_near("sine of half the angle", state->pose[BLOCK].q[3], sin(0.5 * h * w), 1e-15);
  *state->pose[BLOCK].q = 1, state->pose[BLOCK].q[3] = 0, state->twist[BLOCK].w[2] = 0;
  state->pose[BLOCK].x[1] = 0.49, vec_set(state->twist[BLOCK].v, 0, 0, 0);
  assert_true(hn_solver_step(solver, state, h) == HN_CONVERGED);
  check_near("velocity out of 10 mm of overlap, m/s", state->twist[BLOCK].v[1], 0.4 * 0.008 / h, 1e-12);
  hn_state_free(state);
  hn_solver_free(solver);
  hn_model_free(model);
}

/* ---- Orders, speeds and problems ----------------------------------------------------------------------- */

/* A ball of restitution 1/2 reaches the floor within the step at 2 m/s and leaves with the speed after
 * impact. In Guendelman's sequence gravity acts afterwards. */
static void impacts_precede_gravity(void **unused)
{
  (void)unused;
  static const struct {
    const char *spec;
    double v;
  } settings[] = {
    { "moreau", 1.0 },
    { "moreau:sequence=guendelman", 1.0 - 0.0981 },
  };
  for (int k = 0; k < 2; k++) {
    bench b = set_up_with("bouncing_balls", &(hn_setting){ "restitution", "0.5" }, settings[k].spec);
    const int ball = b.model->nbody - 1;
    for (int i = 2; i < b.model->nbody; i++) b.state->pose[i].x[2] = 0.11, b.state->twist[i].v[2] = -2.0;
    if (hn_solver_step(b.solver, b.state, 0.01) != HN_CONVERGED) fail_msg("a step fails");
    printf("%s\n", settings[k].spec);
    check_near("velocity, m/s", b.state->twist[ball].v[2], settings[k].v, 1e-9);
    tear_down(&b);
  }
}

/* A ball at 1 m/s hits one of equal mass that rests on the floor. In Guendelman's sequence the impact
 * involves these two only: the whole speed is passed on, the floor stops the lower ball, then gravity acts.
 * In moreau's sequence, with the floor behind the lower ball, the upper ball rebounds. */
static void contacts_that_do_not_close_have_no_impact(void **unused)
{
  (void)unused;
  static const struct {
    const char *spec;
    double v;
  } settings[] = {
    { "moreau", 1.0 },
    { "moreau:sequence=guendelman", -0.0981 },
  };
  const double gravity[3] = { 0, -g, 0 };
  hn_error error;
  hn_model *model = hn_model_create(gravity);
  hn_body_spec floor = { .name = "floor",
                         .kind = HN_FIXED,
                         .shape = { .kind = HN_PLANE, .size = { 0, 1, 0 } },
                         .orientation = { 1 } };
  hn_body_spec ball = { .name = "lower",
                        .kind = HN_RIGID,
                        .has_mass = true,
                        .mass = 2,
                        .inertia = { 1, 1, 1 },
                        .position = { 0, 0.5, 0 },
                        .orientation = { 1 },
                        .shape = { .kind = HN_SPHERE, .size = { 0.5 } } };
  assert_true(hn_model_add_body(model, &floor, &error) > 0 && hn_model_add_body(model, &ball, &error) > 0);
  ball.name = "upper", ball.position[1] = 1.505, ball.velocity[1] = -1.0, ball.restitution = 1.0;
  const int upper = hn_model_add_body(model, &ball, &error), lower = upper - 1;
  assert_true(upper > 0);
  assert_int_equal(hn_model_collide(model, &(hn_contact_spec){ .margin = 0.02 }, &error), 0);
  for (int k = 0; k < 2; k++) {
    hn_solver *solver = new_solver(settings[k].spec, model);
    hn_state *state = hn_state_create(model);
    if (hn_solver_step(solver, state, 0.01) != HN_CONVERGED) fail_msg("a step fails");
    printf("%s\n", settings[k].spec);
    check_near("upper ball, m/s", state->twist[upper].v[1], settings[k].v, 1e-9);
    check_near("lower ball, m/s", state->twist[lower].v[1], 0.0, 1e-9);
    hn_state_free(state);
    hn_solver_free(solver);
  }
  hn_model_free(model);
}

/* A body at rest has no impact: it stays, for any restitution and however low the threshold; stacks stand. */
static void resting_bodies_do_not_bounce(void **unused)
{
  (void)unused;
  static const char *const scenes[] = { "stack", "pyramid" };
  for (int k = 0; k < 2; k++) {
    bench b = set_up(scenes[k], "moreau:sequence=guendelman");
    ((hn_model *)b.model)->threshold = 1e-6;
    const int top = b.model->nbody - 1;
    double x[3];
    vec_copy(x, b.state->pose[top].x);
    must_converge(&b, 0.01, 2, NULL, NULL);
    vec_sub(x, x, b.state->pose[top].x);
    printf("%s: the top moved by %g m\n", scenes[k], vec_norm(x));
    check_below("  m", vec_norm(x), 1e-8);
    tear_down(&b);
  }
}

static void speeds_are_limited(void **unused)
{
  (void)unused;
  bench b = set_up("bouncing_balls", "moreau:max_speed=1.5");
  double fastest = 0.0;
  for (int i = 0; i < 100; i++) {
    if (hn_solver_step(b.solver, b.state, 0.005) != HN_CONVERGED) fail_msg("a step fails");
    for (int k = 2; k < b.model->nbody; k++) fastest = larger(fastest, vec_norm(b.state->twist[k].v));
  }
  check_near("fastest, m/s", fastest, 1.5, 1e-15);
  run(&b, 0.005, 0.5, NULL, NULL);
  printf("  speeds cut in the summary: %" PRIu64 "\n", b.summary.capped);
  assert_true(b.summary.capped > 0);
  tear_down(&b);
  b = set_up("bouncing_balls", "moreau");
  run(&b, 0.005, 0.5, NULL, NULL);
  ASSERT_COUNT("without a cap", (unsigned)b.summary.capped, 0);
  tear_down(&b);
}

/* The impulses of a step solve the problem posed by the solver, to its tolerance; posing leaves the state
 * unchanged. */
static void posed_problem_is_the_solved_one(void **unused)
{
  (void)unused;
  static const struct {
    const char *scene, *spec;
  } settings[] = {
    { "stack", "moreau" },
    { "card_house", "moreau:theta=0.5,contact=newton" },
    { "table", "moreau:stabilisation=baumgarte,contact=newton" },
    { "stack", "moreau:sequence=guendelman" },
    { "heavy_chain", "moreau" },
  };
  for (size_t k = 0; k < sizeof settings / sizeof *settings; k++) {
    hn_reason reason;
    bench b = set_up(settings[k].scene, settings[k].spec);
    run(&b, 0.005, 0.05, NULL, NULL);
    hn_solver *other = new_solver(settings[k].spec, b.model);
    const uint64_t hash = hn_state_hash(b.state, 1);
    const hn_problem *problem = hn_solver_pose(other, b.state, 0.005, &reason);
    assert_true(problem && hash == hn_state_hash(b.state, 1));
    if (hn_solver_step(b.solver, b.state, 0.005) != HN_CONVERGED) fail_msg("a step fails");
    const size_t rows = (size_t)problem->nrow;
    double *p = calloc(rows + 1, sizeof *p), *v = calloc(rows + 1, sizeof *v);
    for (int i = 0; i < b.model->nrow; i++) p[i] = 0.005 * b.solver->multipliers[i];
    hn_system_load_impulses(other->system, b.state, 1.0, p);
    double *work = calloc(6 * (size_t)problem->nbody, sizeof *work);
    hn_problem_velocities(problem, p, work, v);
    hn_problem without = *problem;
    without.T = NULL; /* computed from G */
    double *same = calloc(rows + 1, sizeof *same);
    hn_problem_velocities(&without, p, work, same);
    assert_memory_equal(same, v, sizeof *v * rows);
    for (int i = 0; i < problem->nblock; i++)
      assert_true(hn_problem_scale(&without, i) == hn_problem_scale(problem, i));
    free(work), free(same);
    printf("%s, %s: %d rows\n", settings[k].scene, settings[k].spec, problem->nrow);
    check_below("contact law at the impulses of the step, m/s", hn_problem_error(problem, false, p, v, NULL),
                2e-10);
    free(p), free(v);
    hn_solver_free(other);
    tear_down(&b);
  }
}

/* theta = 1 leaves a closing contact exactly closed and gains no energy; theta = 1/2 leaves it overlapping by
 * up to v h / 2. theta = 1/2 is exact between events under constant forces. */
static void mean_velocity_is_exact_between_events(void **unused)
{
  (void)unused;
  static const char *const specs[] = { "moreau:theta=1,stabilisation=none",
                                       "moreau:theta=0.5,stabilisation=none" };
  /* m, the displacement of the sphere after a second */
  const double h = 0.0025, exact = 0.5 * 3.503571428571428571;
  for (int k = 0; k < 2; k++) {
    bench falling = set_up("bouncing_balls", specs[k]), rolling = set_up("rolling", specs[k]);
    const int sphere = body_named(&rolling, "sphere");
    const double start = rolling.state->pose[sphere].x[0], v = sqrt(2 * 9.81);
    printf("%s\n", specs[k]);
    must_converge(&falling, h, 1.2, NULL, NULL);
    check_below("overlap, m", falling.summary.contact.penetration, k == 0 ? 1e-12 : 0.5 * v * h);
    check_below("energy gained in a step, J", falling.summary.energy_gain, 1e-11);
    must_converge(&rolling, 0.002, 1, NULL, NULL);
    const double error = rolling.state->pose[sphere].x[0] - start - exact;
    check_near("error of the position of the sphere, m", error, k == 0 ? 0.002 * exact : 0.0, 1e-9);
    tear_down(&falling), tear_down(&rolling);
  }
}

/* ---- Contact reduction --------------------------------------------------------------------------------- */

/* Boxes of 1 m in a column, each turned by 45 degrees against the one below: 8 corners per face; 4 of them
 * suffice. The 4 points of a pair span a square of at least half the area of a face. */
static void four_points_carry_a_column(void **unused)
{
  (void)unused;
  enum { BOXES = 5 };
  static const int expected[] = { 4 + 8 * (BOXES - 1), 4 * BOXES };
  for (int few = 0; few < 2; few++) {
    hn_error error;
    hn_model *model = new_model();
    hn_body_spec box = { .name = "floor",
                         .kind = HN_FIXED,
                         .shape = { .kind = HN_PLANE, .size = { 0, 1, 0 } },
                         .orientation = { 1, 0, 0, 0 },
                         .friction = 0.5 };
    assert_int_equal(hn_model_add_body(model, &box, &error), 1);
    box.kind = HN_RIGID, box.shape = (hn_shape){ .kind = HN_BOX, .size = { 1, 1, 1 } }, box.density = 3;
    for (int i = 0; i < BOXES; i++) {
      char name[16];
      snprintf(name, sizeof name, "box%d", i);
      box.name = name, box.position[1] = i + 0.5;
      box.orientation[0] = i % 2 ? cos(atan(1) / 2) : 1, box.orientation[2] = i % 2 ? sin(atan(1) / 2) : 0;
      assert_true(hn_model_add_body(model, &box, &error) > 0);
    }
    assert_int_equal(
      hn_model_collide(model, &(hn_contact_spec){ .margin = 0.02, .points = few ? 4 : 0 }, &error), 0);
    bench b = { .model = model, .solver = new_solver("moreau", model), .state = hn_state_create(model) };
    must_converge(&b, 0.01, 5, NULL, NULL);
    ASSERT_COUNT("largest number of contacts", (unsigned)b.summary.contact.contacts, (unsigned)expected[few]);
    const double *top = b.state->pose[BOXES + 1].x;
    check_below("sideways displacement of the top, m", hypot(top[0], top[2]), 1e-12);
    check_near("height of the top, m", top[1], BOXES - 0.5, 1e-8);
    for (int i = 0; few && i < b.state->ncontact; i += 4) {
      double d[3], most = 0.0;
      for (int j = i + 1; j < i + 4; j++) {
        vec_sub(d, b.state->contact[j].point_b, b.state->contact[i].point_b);
        most = larger(most, vec_norm(d));
      }
      /* of the octagon 1.08, of the face 1.41 */
      check_near("  diagonal of four points, m", most, 1.2, 0.215);
    }
    hn_state_free(b.state);
    hn_solver_free(b.solver);
    hn_model_free(model);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(block_sticks_by_static_and_slides_by_kinetic_friction),
    cmocka_unit_test(friction_chosen_in_sweeps),
    cmocka_unit_test(sliding_continues),
    cmocka_unit_test(other_solvers_use_kinetic_friction),
    cmocka_unit_test(invalid_friction_is_refused),
    cmocka_unit_test(stack_of_the_thesis_sways_as_published),
    cmocka_unit_test(preset_of_the_thesis_waits_for_overlap),
    cmocka_unit_test(step_of_the_thesis),
    cmocka_unit_test(impacts_precede_gravity),
    cmocka_unit_test(contacts_that_do_not_close_have_no_impact),
    cmocka_unit_test(resting_bodies_do_not_bounce),
    cmocka_unit_test(speeds_are_limited),
    cmocka_unit_test(posed_problem_is_the_solved_one),
    cmocka_unit_test(mean_velocity_is_exact_between_events),
    cmocka_unit_test(four_points_carry_a_column),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
