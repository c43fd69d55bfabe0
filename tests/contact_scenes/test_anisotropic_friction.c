/* test_anisotropic_friction.c - a block on a floor whose friction differs along and across an axis, against
 * closed forms (grained_floor.h): thresholds, accelerations, trajectories, recorded forces, invariance. */
#include "grained_floor.h"
#include "run.h"

static const double along = 0.5, across = 0.2, angle = 0.4;

/* Contact solvers of Coulomb's law. */
static const char *const solvers[] = { "moreau:contact_tolerance=1e-12",
                                       "moreau:contact=pgs,contact_tolerance=1e-12",
                                       "moreau:contact=pgs:local=disk,contact_tolerance=1e-12",
                                       "moreau:contact=admm,contact_tolerance=1e-11,theta=0.5",
                                       "moreau:contact=jacobi,contact_tolerance=1e-11",
                                       "moreau:contact=nncg,contact_tolerance=1e-12",
                                       "moreau:contact=extragradient,contact_tolerance=1e-11,sweeps=100000",
                                       "moreau:contact=ipm,contact_tolerance=1e-12",
                                       "moreau:sequence=guendelman,contact_tolerance=1e-12",
#ifdef HN_WITH_KLU
                                       "moreau:contact=newton,contact_tolerance=1e-12,warm_start=false",
                                       "moreau:contact=prox,contact_tolerance=1e-12",
#endif
                                       NULL };

/* Checks the velocity of the block along and across the axis. */
static void check_velocity(const grained *s, const char *spec, double time, const double v[2], double bound)
{
  trial r = run_grained(s, spec, 0.01, time);
  double in_scene[3], own[2];
  seen(s, r.state->twist[block_of(&r)].v, in_scene);
  to_axis(s->axis, in_scene, own);
  check_near("velocity along, m/s", own[0], v[0], bound);
  check_near("velocity across, m/s", own[1], v[1], bound);
  check_near("yaw rate, rad/s", r.state->twist[block_of(&r)].w[2], 0, bound);
  check_below("balance of impulses, N s", r.summary.contact.balance, 1e-12);
  done(&r);
}

/* The block rests below the threshold of its direction, and starts above it in the direction and with the
 * acceleration of the associated law, which are not those of the load. */
static void thresholds_are_an_ellipse(void **state)
{
  (void)state;
  const double rest[2] = { 0 };
  for (const char *const *spec = solvers; *spec; spec++)
    for (int i = 0; i < 7; i++) {
      const double direction = 0.3 * i, limit = threshold(along, across, direction);
      grained s = { .along = along, .across = across, .axis = angle };
      for (int over = 0; over < 2; over++) {
        const double size = (over ? 1.01 : 0.99) * limit;
        const double pull[2] = { size * cos(direction), size * sin(direction) };
        double a[2];
        printf(" %s: %g rad, %g of the threshold\n", *spec, direction, size / limit);
        to_axis(-angle, pull, s.pull);
        if (over) start_acceleration(along, across, pull, a);
        check_velocity(&s, *spec, 1, over ? a : rest, 1e-9);
      }
    }
}

/* A load of 5 m/s^2 in any direction. */
static void a_block_starts_in_the_direction_of_the_law(void **state)
{
  (void)state;
  for (const char *const *spec = solvers; *spec; spec++)
    for (int i = 0; i < 4; i++) {
      const double direction = 0.3 + 1.7 * i, pull[2] = { 6 * cos(direction), 6 * sin(direction) };
      grained s = { .along = across, .across = along, .axis = angle };
      double a[2];
      to_axis(-angle, pull, s.pull);
      start_acceleration(across, along, pull, a);
      printf(" %s: load at %g rad, motion at %g rad\n", *spec, direction, atan2(a[1], a[0]));
      check_velocity(&s, *spec, 0.5, (double[]){ 0.5 * a[0], 0.5 * a[1] }, 1e-9);
    }
}

/* Eight blocks in one problem: sweeps over four contacts at a time are for isotropic friction alone. */
static void many_blocks_are_solved_together(void **state)
{
  (void)state;
  const double pull[2] = { 4, 5 };
  grained s = { .along = along, .across = across, .axis = angle, .more = 7 };
  double a[2];
  to_axis(-angle, pull, s.pull);
  start_acceleration(along, across, pull, a);
  trial r = run_grained(&s, "moreau:contact=pgs,contact_tolerance=1e-12", 0.01, 0.5);
  assert_int_equal(r.state->nbody, 10);
  for (int i = block_of(&r); i < r.state->nbody; i++) {
    double v[2];
    to_axis(angle, r.state->twist[i].v, v);
    check_near("velocity along, m/s", v[0], 0.5 * a[0], 1e-9);
    check_near("velocity across, m/s", v[1], 0.5 * a[1], 1e-9);
  }
  done(&r);
}

/* Split laws bound each tangent by its own coefficient, a box in place of the ellipse. */
static void a_box_has_the_axes_of_the_ellipse(void **state)
{
  (void)state;
  const double pull[2] = { 6, -3 };
  grained s = { .along = along, .across = across, .axis = angle };
  to_axis(-angle, pull, s.pull);
  static const char *const split[] = { "moreau:contact=pgs:local=box,contact_tolerance=1e-12",
                                       "moreau:contact=pgs:local=pyramid,contact_tolerance=1e-12" };
  for (int i = 0; i < 2; i++) {
    printf(" %s\n", split[i]);
    check_velocity(&s, split[i], 0.5, (double[]){ 0.5 * (6 - along * weight), -0.5 * (3 - across * weight) },
                   1e-9);
  }
  trial r = run_grained(&s, "moreau:contact=lemke:directions=4,contact_tolerance=1e-12", 0.01, 0.1);
  check_below("lemke, residual of the law of its polygon, m/s", r.summary.contact.own_residual, 1e-12);
  check_below("1 / residual of Coulomb's law", 1 / r.summary.contact.residual, 1e3);
  done(&r);
}

/* ---- Trajectories -------------------------------------------------------------------------------------- */

/* A block slides at an angle to the axis and curves off; before the stop errors at six steps have order 1. */
static void trajectories_have_order_1(void **state)
{
  (void)state;
  enum { STEPS = 6 };
  static const char *const each[] = { "moreau:contact_tolerance=1e-12", "xpbd:substeps=1,iterations=20",
                                      "tgs-soft:substeps=1", "impulse-gs" };
  const double c[] = { along, across, 1.2, 1.0 }, time = 0.25;
  grained s = { .along = along, .across = across, .axis = angle };
  double x[2], v[2];
  to_axis(-angle, c + 2, s.speed);
  const double stop = slide(c, time, x, v);
  printf("  direction %g rad at the start, %g rad at %g s; stops at %g s\n", atan2(c[3], c[2]),
         atan2(v[1], v[0]), time, stop);
  for (int k = 0; k < 4; k++) {
    double h[STEPS], error[STEPS], rate_error[STEPS];
    printf(" %s\n", each[k]);
    for (int i = 0; i < STEPS; i++) {
      h[i] = 0.0125 / (1 << i);
      trial r = run_grained(&s, each[k], h[i], time);
      double at[2], rate[2];
      to_axis(angle, r.state->pose[block_of(&r)].x, at), to_axis(angle, r.state->twist[block_of(&r)].v, rate);
      error[i] = hypot(at[0] - x[0], at[1] - x[1]), rate_error[i] = hypot(rate[0] - v[0], rate[1] - v[1]);
      printf("    %-10g %.4e m %.4e m/s\n", h[i], error[i], rate_error[i]);
      check_below("energy gained, J", r.summary.energy_gain, 1e-9);
      done(&r);
    }
    check_near("order of positions", hn_fit_order(h, error, STEPS), 1, 0.1);
    check_near("order of velocities", hn_fit_order(h, rate_error, STEPS), 1, 0.1);
  }
}

/* The block stops where it should, to the order of the step. */
static void a_block_stops_where_it_should(void **state)
{
  (void)state;
  const double c[] = { along, across, -1.2, 1.0 };
  grained s = { .along = along, .across = across, .axis = angle };
  double x[2], v[2], error[2];
  to_axis(-angle, c + 2, s.speed);
  const double stop = slide(c, 2, x, v);
  printf("  stops after %g s at %g m, %g m\n", stop, x[0], x[1]);
  for (int i = 0; i < 2; i++) {
    trial r = run_grained(&s, "moreau:contact_tolerance=1e-12", i ? 0.001 : 0.002, 2);
    double at[2];
    to_axis(angle, r.state->pose[block_of(&r)].x, at);
    error[i] = hypot(at[0] - x[0], at[1] - x[1]);
    check_below("speed at the end, m/s", vec_norm(r.state->twist[block_of(&r)].v), 1e-12);
    done(&r);
  }
  check_below("error at h = 0.001, m", error[1], 1e-3);
  check_near("ratio of errors at h = 0.002 and 0.001", error[0] / error[1], 2, 0.2);
}

/* ---- Reported forces ----------------------------------------------------------------------------------- */

typedef struct force_sum {
  double friction[3], push, worst;
} force_sum;

/* Adds the recorded friction, and compares its direction with that of the law for the slip after the step. */
static bool add_forces(void *user, const hn_frame *frame)
{
  force_sum *sum = user;
  for (int i = 0; i < frame->nimpulse; i++) {
    const hn_contact_impulse *one = &frame->impulse[i];
    const double sign = one->b == 2 ? 1.0 : -1.0;
    vec_add_scaled(sum->friction, sign, one->friction);
    sum->push += one->push;
    double f[2], v[2];
    to_axis(angle, one->friction, f), to_axis(angle, frame->state->twist[2].v, v);
    const double D = hypot(along * v[0], across * v[1]);
    for (int r = 0; r < 2; r++) {
      const double mu = r ? across : along;
      sum->worst = larger(sum->worst, fabs(sign * f[r] + one->push * mu * mu * v[r] / D));
    }
  }
  return true;
}

/* Recorded friction is a force in N s along axes of unit length: it changes the momentum, and is that of the
 * law. */
static void recorded_friction_is_that_of_the_law(void **state)
{
  (void)state;
  static const char *const each[] = { "moreau:contact_tolerance=1e-12", "impulse-gs", "xpbd:iterations=20",
                                      "tgs-soft" };
  const double c[] = { 1.2, 1.0 };
  grained s = { .along = along, .across = across, .axis = angle };
  to_axis(-angle, c, s.speed);
  for (int k = 0; k < 4; k++) {
    hn_error error = { "" };
    force_sum sum = { .push = 0 };
    hn_summary summary;
    write_grained(&s);
    hn_scene *scene = load_written(NULL, 0);
    hn_solver *solver = hn_solver_create(each[k], scene->model, &error);
    if (!solver || hn_solver_keep_impulses(solver, &error)) fail_msg("%s", error.text);
    hn_state *end = hn_state_create(scene->model);
    const hn_run_options options = { .step = 0.005, .duration = 0.2, .observe = add_forces, .user = &sum };
    assert_int_equal(hn_run(solver, end, &options, &summary), HN_CONVERGED);
    printf(" %s\n", each[k]);
    for (int r = 0; r < 2; r++)
      check_near("friction is the change of momentum, N s", sum.friction[r],
                 mass * (end->twist[2].v[r] - s.speed[r]), 1e-11);
    if (k == 0) check_below("friction against the law of a step, N s", sum.worst, 1e-12);
    double weighted = 0.0;
    for (int i = 0; k != 2 && i < end->ncontact; i++) weighted += end->contact[i].impulse[0];
    if (k == 0)
      check_near("impulse of the state along the normal, N s", weighted, 0.005 * mass * weight, 1e-11);
    hn_state_free(end), hn_solver_free(solver), hn_scene_free(scene);
  }
}

/* Events get impulses of rows, as solvers have them, and report friction in N s. */
static void events_report_unscaled_friction(void **state)
{
  (void)state;
  const double pull[2] = { 1, 1.5 };
  grained s = { .along = along, .across = across, .axis = angle };
  to_axis(-angle, pull, s.pull);
  trial r = run_grained(&s, "moreau:contact_tolerance=1e-12", 0.01, 0.1);
  double *p = calloc((size_t)r.solver->system->max_rows, sizeof *p);
  int count, before;
  hn_events_of(r.solver, &before, NULL);
  hn_system_load_impulses(r.solver->system, r.state, 1.0, p);
  hn_events_impact(r.solver, 0.1, p);
  const hn_event *event = hn_events_of(r.solver, &count, NULL);
  assert_int_equal(count, before + 1);
  check_near("normal impulse, N s", event[before].impulse, 0.01 * mass * weight, 1e-10);
  check_near("friction, N s", event[before].friction, 0.01 * mass * norm_of(pull, 2), 1e-10);
  free(p), done(&r);
}

/* Impulses in the state are along unit axes, and start the next step: at rest nothing is left to solve. */
static void impulses_start_the_next_step(void **state)
{
  (void)state;
  const double pull[2] = { 2, 1 };
  grained s = { .along = along, .across = across, .axis = angle };
  to_axis(-angle, pull, s.pull);
  uint64_t sweeps[2];
  for (int cold = 0; cold < 2; cold++) {
    trial r = run_grained(&s,
                          cold ? "moreau:contact=pgs,contact_tolerance=1e-10,warm_start=false"
                               : "moreau:contact=pgs,contact_tolerance=1e-10",
                          0.01, 1);
    const hn_contact *contact = r.state->contact;
    double friction[3] = { 0 };
    for (int i = 0; i < r.state->ncontact; i++)
      for (int k = 1; k < 3; k++) vec_add_scaled(friction, contact[i].impulse[k], contact[i].frame + 3 * k);
    check_near("friction along x holds the load, N", fabs(friction[0]) / 0.01, fabs(mass * s.pull[0]), 1e-6);
    check_near("friction along y holds the load, N", fabs(friction[1]) / 0.01, fabs(mass * s.pull[1]), 1e-6);
    sweeps[cold] = r.solver->system->work.contact_iterations;
    done(&r);
  }
  printf("  sweeps: %llu warm, %llu cold\n", (unsigned long long)sweeps[0], (unsigned long long)sweeps[1]);
  assert_true(2 * sweeps[0] < sweeps[1]);
}

/* ---- Invariance ---------------------------------------------------------------------------------------- */

/* Runs a block that slides, with a load and a spin, and stores its position and velocity before the scene is
 * turned. */
static void run_general(grained s, int options, const double *turn, double x[3], double v[3])
{
  s.options = options | THREE_FEET;
  if (turn) memcpy(s.turn, turn, sizeof s.turn);
  trial r = run_grained(&s, "moreau:contact_tolerance=1e-13", 0.005, 0.3);
  seen(&s, r.state->pose[block_of(&r)].x, x), seen(&s, r.state->twist[block_of(&r)].v, v);
  check_below("residual of the law, m/s", r.summary.contact.residual, 1e-11);
  done(&r);
}

static void motion_does_not_depend_on_the_description(void **state)
{
  (void)state;
  const double q[4] = { 0.5, -0.1, 0.7, 0.5 };
  static const struct {
    const char *name;
    int options;
    bool turns, spins;
  } cases[] = { { "turned", AXIS_ON_FLOOR, true, true },
                { "the block first", AXIS_ON_FLOOR | BLOCK_FIRST, false, true },
                { "two tiles", AXIS_ON_FLOOR | TILES, false, true },
                { "two tiles, turned", AXIS_ON_FLOOR | TILES, true, true },
                { "axis of the block", AXIS_ON_BLOCK, false, false },
                { "axis of the block, turned", AXIS_ON_BLOCK, true, false },
                { "axes of both", AXIS_ON_FLOOR | AXIS_ON_BLOCK, true, false },
                { "axis of a spinning block, turned", AXIS_ON_BLOCK, true, true },
                { "axes of both, spinning, the block first", AXIS_ON_FLOOR | AXIS_ON_BLOCK | BLOCK_FIRST,
                  true, true } };
  double turn[4];
  memcpy(turn, q, sizeof turn);
  quat_normalise(turn);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    grained s = {
      .along = along, .across = across, .axis = angle, .pull = { 0.5, -0.3 }, .speed = { 0.9, 1.1 }
    };
    double x[3], v[3], x0[3], v0[3];
    const bool floor_alone = !(cases[i].options & AXIS_ON_BLOCK), spins = cases[i].spins;
    if (spins) s.spin = 2;
    printf(" %s\n", cases[i].name);
    /* with an axis on a spinning block: against the same, not turned */
    run_general(s, floor_alone || !spins ? AXIS_ON_FLOOR : cases[i].options & ~BLOCK_FIRST, NULL, x0, v0);
    run_general(s, cases[i].options, cases[i].turns ? turn : NULL, x, v);
    check_below("distance, m", hypot(hypot(x[0] - x0[0], x[1] - x0[1]), x[2] - x0[2]), 1e-12);
    check_below("difference of velocities, m/s", hypot(hypot(v[0] - v0[0], v[1] - v0[1]), v[2] - v0[2]),
                1e-12);
  }
}

/* A block over the seam of two tiles has four contacts if their grains are parallel, whichever way they
 * point, and eight if not. */
static void grains_part_tiles(void **state)
{
  (void)state;
  static const double other[] = { 0, 3.14159265358979323846, 0.01 };
  static const int contacts[] = { 4, 4, 8 };
  for (int i = 0; i < 3; i++) {
    const grained s = { .along = along,
                        .across = across,
                        .axis = angle,
                        .other = other[i],
                        .options = TILES,
                        .speed = { 0.2, 0.1 } };
    trial r = run_grained(&s, "moreau:contact_tolerance=1e-12", 0.01, 0.05);
    ASSERT_COUNT("contacts", r.state->ncontact, contacts[i]);
    done(&r);
  }
}

/* An axis across which friction is equal changes no bit; a small difference changes little. */
static void equal_frictions_are_isotropic(void **state)
{
  (void)state;
  grained s = {
    .along = along, .across = along, .axis = angle, .speed = { 0.9, 1.1 }, .spin = 2, .options = THREE_FEET
  };
  uint64_t hash[2];
  double x[3][3];
  for (int i = 0; i < 3; i++) {
    s.axis = i == 1 ? 1.3 : angle, s.across = i == 2 ? along * (1 - 1e-7) : along;
    trial r = run_grained(&s, "moreau:contact_tolerance=1e-12", 0.005, 0.3);
    if (i < 2) hash[i] = hn_state_hash(r.state, HN_HASH_START);
    vec_copy(x[i], r.state->pose[block_of(&r)].x);
    assert_true(i == 2 || !(r.scene->model->needs & HN_CAN_ANISOTROPIC));
    done(&r);
  }
  assert_true(hash[0] == hash[1]);
  const double moved = hypot(x[2][0] - x[0][0], x[2][1] - x[0][1]);
  check_below("distance with a ratio of 1 - 1e-7, m", moved, 1e-7);
  check_below("1 / that distance", 1 / moved, 1e10);
}

/* ---- With other frictions ------------------------------------------------------------------------------ */

/* The static ellipse is similar to the kinetic one: thresholds by the static coefficients, accelerations by
 * the kinetic ones. */
static void static_friction_has_a_similar_ellipse(void **state)
{
  (void)state;
  static const char *const each[] = { "moreau:contact_tolerance=1e-12",
                                      "moreau:contact=pgs,static_friction=sweeps,contact_tolerance=1e-12" };
  const double factor = 1.2, rest[2] = { 0 };
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < 4; i++) {
      const double direction = 0.5 * i, limit = factor * threshold(along, across, direction);
      grained s = {
        .along = along, .across = across, .axis = angle, .friction = "{ kinetic = 0.5, static = 0.6 }"
      };
      for (int over = k; over < 2; over++) { /* sweeps find one of several solutions below the threshold */
        const double size = (over ? 1.01 : 0.99) * limit;
        const double pull[2] = { size * cos(direction), size * sin(direction) };
        double a[2];
        to_axis(-angle, pull, s.pull);
        start_acceleration(along, across, pull, a);
        printf(" %s: %g of the static threshold\n", each[k], size / limit);
        check_velocity(&s, each[k], 1, over ? a : rest, 1e-9);
      }
    }
}

/* The ellipse of two axes changes while a block spins, and a contact that slides has the kinetic coefficient
 * of the present one. */
static void coefficients_follow_the_axes(void **state)
{
  (void)state;
  const grained s = { .along = along,
                      .across = across,
                      .axis = angle,
                      .speed = { 0.9, 1.1 },
                      .spin = 4,
                      .friction = "{ kinetic = 0.5, static = 0.6 }",
                      .options = AXIS_ON_FLOOR | AXIS_ON_BLOCK | THREE_FEET };
  for (int i = 0; i < 2; i++) {
    trial r = run_grained(&s, "moreau:contact_tolerance=1e-12", 0.005, i ? 0.15 : 0.05);
    const hn_contact *c = r.state->contact;
    assert_int_equal(r.state->ncontact, 3);
    for (int k = 0; k < 3; k++) {
      check_near("static over kinetic friction", c[k].sticking / c[k].sliding, 1.2, 1e-14);
      check_near("friction in force", c[k].friction, c[k].sliding, 0);
      check_near("friction of the step over the normal impulse",
                 hypot(c[k].impulse[1], c[k].impulse[2] / (1 - c[k].anisotropy)) / c[k].impulse[0],
                 c[k].friction, 1e-9);
      check_near("product of the half axes", c[k].friction * c[k].friction * (1 - c[k].anisotropy),
                 along * across, 1e-14);
    }
    printf("  half axes %.6f and %.6f\n", c->friction, c->friction * (1 - c->anisotropy));
    done(&r);
  }
}

/* A ball rolls at an angle to the axis: its rolling friction has no direction. */
static void moments_are_isotropic(void **state)
{
  (void)state;
  const double R = 0.25, mu_r = 0.01, mu_t = 0.004, v = 1, w = 3, direction = 0.9;
  const double end = v - weight * mu_r / (R * 1.4);
  char text[2000];
  const int length = snprintf(
    text, sizeof text,
    "local scene = require 'holonom.scene' local sys = scene.system { gravity = { 0, 0, -9.81 } }\n"
    "sys:body { name = 'floor', fixed = true, position = { 0, 0, 0 }, friction = 0.3,\n"
    "  friction_across = 0.1, friction_axis = { 1, 0.3, 0 },\n"
    "  rolling_friction = %g, torsional_friction = %g,\n"
    "  shape = scene.plane { normal = { 0, 0, 1 } } }\n"
    "sys:body { mass = 2, shape = scene.sphere { radius = 0.25 }, friction = 0.3,\n"
    "  rolling_friction = %g, torsional_friction = %g,\n"
    "  position = { 0, 0, 0.25 }, velocity = { %.17g, %.17g, 0 },\n"
    "  angular_velocity = { %.17g, %.17g, %.17g } }\n"
    "sys:contact { margin = 0.02 } return sys",
    mu_r, mu_t, mu_r, mu_t, v * cos(direction), v * sin(direction), -v / R * sin(direction),
    v / R * cos(direction), w);
  assert_true(length > 0 && (size_t)length < sizeof text);
  write_bytes(text, (size_t)length);
  trial r = run_spec("moreau:contact_tolerance=1e-12", 0.01, 1, NULL, NULL);
  assert_int_equal(r.reason, HN_CONVERGED);
  const hn_twist *ball = &r.state->twist[2];
  check_near("speed, m/s", hypot(ball->v[0], ball->v[1]), end, 1e-9);
  check_near("direction, rad", atan2(ball->v[1], ball->v[0]), direction, 1e-9);
  check_near("spin, rad/s", ball->w[2], w - mu_t * weight / (0.4 * R * R), 1e-8);
  done(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(thresholds_are_an_ellipse),
    cmocka_unit_test(a_block_starts_in_the_direction_of_the_law),
    cmocka_unit_test(many_blocks_are_solved_together),
    cmocka_unit_test(a_box_has_the_axes_of_the_ellipse),
    cmocka_unit_test(trajectories_have_order_1),
    cmocka_unit_test(a_block_stops_where_it_should),
    cmocka_unit_test(recorded_friction_is_that_of_the_law),
    cmocka_unit_test(events_report_unscaled_friction),
    cmocka_unit_test(impulses_start_the_next_step),
    cmocka_unit_test(motion_does_not_depend_on_the_description),
    cmocka_unit_test(grains_part_tiles),
    cmocka_unit_test(equal_frictions_are_isotropic),
    cmocka_unit_test(static_friction_has_a_similar_ellipse),
    cmocka_unit_test(coefficients_follow_the_axes),
    cmocka_unit_test(moments_are_isotropic),
  };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
