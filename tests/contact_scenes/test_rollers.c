/* test_rollers.c - cylinders, capsules and circles that slide and roll on planes and boxes, over other rounds
 * and below a plank, against closed forms: the contact points move over the bodies. */
#include "models.h"

static const double g = 9.81, r = 0.1, yaw = 0.7; /* rad: direction of the motion, against the x axis */

/* A roller of 1 kg and radius r on a plane or a box. */
typedef struct roller {
  const char *name;
  hn_shape_kind kind;
  bool on_box;
} roller;
static const roller rollers[] = {
  { "cylinder on a plane", HN_CYLINDER, false }, { "cylinder on a box", HN_CYLINDER, true },
  { "capsule on a plane", HN_CAPSULE, false },   { "capsule on a box", HN_CAPSULE, true },
  { "ball on a box", HN_SPHERE, true },          { "circle on a plane", HN_CIRCLE, false },
  { "circle on a polygon", HN_CIRCLE, true },
};
enum { ROLLERS = sizeof rollers / sizeof *rollers, STEPS = 6 };

/* A motion from the start at T = 0: speed and backspin, slope (rad) and friction. */
typedef struct motion {
  double speed, backspin, slope, mu, duration;
} motion;

static bool is_planar(const roller *k)
{
  return k->kind == HN_CIRCLE;
}

/* Returns the direction of the motion, or of its axis. */
static void direction_of(const roller *k, double d[3], double axis[3])
{
  const double angle = is_planar(k) ? 0.0 : yaw;
  vec_set(d, cos(angle), 0, -sin(angle));
  vec_set(axis, sin(angle), 0, cos(angle));
}

/* Returns the moment of inertia about the axis over m r^2. */
static double inertia_ratio(const roller *k)
{
  hn_mass mass;
  hn_error error;
  const hn_shape shape = { .kind = k->kind, .size = { r, 0.3 } };
  if (hn_shape_mass(&shape, 1.0, &mass, &error)) fail_msg("%s", error.text);
  return mass.J[is_planar(k) ? 2 : 1] / (mass.mass * r * r);
}

/* Returns the distance covered after T: friction against the slip v + w r, with w the backspin, until it
 * vanishes; then rolling, with friction below its limit. */
static double distance(const roller *k, const motion *m, double t)
{
  const double c = inertia_ratio(k), down = g * sin(m->slope), brake = m->mu * g * cos(m->slope);
  const double slip = m->speed + m->backspin * r, slow = brake * (1 + 1 / c) - down;
  const double slides = fmin(t, slip > 0 ? slip / slow : 0), left = t - slides;
  const double v = m->speed + (down - brake) * slides;
  return (m->speed + v) / 2 * slides + v * left + down / (1 + c) * left * left / 2;
}

static hn_body_spec floor_of(const roller *k)
{
  hn_body_spec floor = { .name = "floor", .kind = HN_FIXED, .orientation = { 1 } };
  static const double corner[] = { -50, 0, 0, 50, 0, 0, 50, -1, 0, -50, -1, 0 };
  hn_error error;
  if (!k->on_box) floor.shape = (hn_shape){ .kind = HN_PLANE, .size = { 0, 1, 0 } };
  else if (is_planar(k)) assert_int_equal(hn_shape_hull(&floor.shape, HN_POLYGON, corner, 4, &error), 0);
  else floor.shape = (hn_shape){ .kind = HN_BOX, .size = { 90, 1, 80 } }, floor.position[1] = -0.5;
  return floor;
}

static hn_body_spec body_of(const roller *k, const motion *m, const double d[3], const double axis[3])
{
  hn_body_spec body = { .name = "roller",
                        .kind = HN_RIGID,
                        .has_mass = true,
                        .mass = 1,
                        .shape = { .kind = k->kind, .size = { r, 0.3 } },
                        .position = { 0, r, 0 },
                        .orientation = { 1 } };
  const double turned[4] = { 1, 1, 0, 0 }, towards[4] = { cos(yaw / 2), 0, sin(yaw / 2), 0 };
  if (!is_planar(k)) quat_mul(body.orientation, towards, turned);
  vec_scale(body.velocity, m->speed, d);
  vec_scale(body.angular_velocity, m->backspin, axis);
  return body;
}

static hn_model *model_of(const roller *k, const motion *m)
{
  double d[3], axis[3], gravity[3];
  hn_error error;
  direction_of(k, d, axis);
  vec_scale(gravity, g * sin(m->slope), d);
  gravity[1] = -g * cos(m->slope);
  hn_model *model = hn_model_create(gravity);
  if (is_planar(k)) assert_int_equal(hn_model_set_planar(model, &error), 0);
  hn_body_spec floor = floor_of(k), body = body_of(k, m, d, axis);
  floor.friction = body.friction = m->mu;
  must_add(model, &floor), must_add(model, &body);
  if (floor.shape.hull) hn_shape_free(&floor.shape);
  if (hn_model_collide(model, &(hn_contact_spec){ .margin = 0.02 }, &error)) fail_msg("%s", error.text);
  return model;
}

/* Returns the state at the end, to be freed; frees MODEL. */
static hn_state *run(hn_model *model, const char *spec, double step, double duration)
{
  hn_summary summary;
  hn_solver *solver = new_solver(spec, model);
  hn_state *state = hn_state_create(model);
  const hn_run_options options = { .step = step, .duration = duration };
  if (hn_run(solver, state, &options, &summary) != HN_CONVERGED)
    fail_msg("%s: %s", spec, summary.explanation);
  hn_solver_free(solver), hn_model_free(model);
  return state;
}

/* Returns the error of the position at the end, m. */
static double error_of(const roller *k, const motion *m, const char *spec, double step)
{
  double d[3], axis[3], x[3];
  hn_state *end = run(model_of(k, m), spec, step, m->duration);
  direction_of(k, d, axis);
  vec_along(x, end->pose[2].x, -distance(k, m, m->duration), d);
  x[1] -= r;
  hn_state_free(end);
  return vec_norm(x);
}

/* Runs the six steps from FIRST on, each half of the one before; prints and returns the order, and stores the
 * largest error. */
static double order_of(const roller *k, const motion *m, const char *spec, double first, double *largest)
{
  double h[STEPS], error[STEPS];
  *largest = 0.0;
  for (int i = 0; i < STEPS; i++) {
    h[i] = first / (1 << i), error[i] = error_of(k, m, spec, h[i]);
    *largest = larger(*largest, error[i]);
  }
  printf(" %s, %s: %.2e to %.2e m\n", spec, k->name, error[0], error[STEPS - 1]);
  return hn_fit_order(h, error, STEPS);
}

static const motion motions[] = {
  { .speed = 2, .backspin = 50, .mu = 0.2, .duration = 1 }, /* stops sliding after 1.19 s */
  { .speed = 2, .mu = 0.2, .duration = 1 },                 /* rolls after 0.34 s */
  { .slope = 0.5, .mu = 0.6, .duration = 1 },               /* rolls from rest */
  { .slope = 0.5, .backspin = 20, .mu = 0.6, .duration = 0.5 },
};
enum { MOTIONS = sizeof motions / sizeof *motions };

/* Slides and rolls are exact but for the tolerance, 1e-9 m/s, and the step in which rolling begins: there
 * friction may err by mu g, and the position by mu g h^2 / 2. */
static void impulses_are_exact(void **unused)
{
  (void)unused;
  static const char *const specs[] = { "impulse-gs", "impulse-contact", "events" };
  for (int s = 0; s < 3; s++)
    for (int k = 0; k < ROLLERS; k++)
      for (int i = 0; i < MOTIONS; i++) {
        double largest;
        order_of(&rollers[k], &motions[i], specs[s], 0.02, &largest);
        check_below("largest error, m", largest, motions[i].mu * g * 2e-4);
      }
}

static const char tight[] = "impulse-gs:tolerance=1e-14,velocity_tolerance=1e-14";

/* With small tolerances uniform motion is exact for long steps of up to two radians. */
static void small_tolerances_are_met(void **unused)
{
  (void)unused;
  static const motion slides = { .speed = 2, .backspin = 50, .mu = 0.2, .duration = 1 },
                      rolls = { .slope = 0.5, .mu = 0.6, .duration = 1 };
  for (int k = 0; k < ROLLERS; k++)
    for (int i = 0; i < 4; i++) {
      double largest;
      order_of(&rollers[k], i & 1 ? &rolls : &slides, i & 2 ? "impulse-contact" : tight, 0.04, &largest);
      check_below("largest error, m", largest, i & 2 ? 1e-7 : 1e-8);
    }
}

/* The instant of rolling lies anywhere in a step: the mean error over many speeds falls with h^2. */
static void rolling_begins_to_second_order(void **unused)
{
  (void)unused;
  enum { SPEEDS = 20 };
  for (int k = 0; k < ROLLERS; k++) {
    double h[STEPS], error[STEPS];
    for (int i = 0; i < STEPS; i++) {
      h[i] = 0.04 / (1 << i), error[i] = 0.0;
      for (int j = 0; j < SPEEDS; j++) {
        const motion m = { .speed = 1 + 0.04 * j, .mu = 0.2, .duration = 0.4 };
        error[i] += error_of(&rollers[k], &m, tight, h[i]) / SPEEDS;
      }
    }
    printf(" %s: %.2e to %.2e m\n", rollers[k].name, error[0], error[STEPS - 1]);
    check_near("order of the mean error", hn_fit_order(h, error, STEPS), 2, 0.2);
  }
}

/* The real-time solvers are of order 1, with the same errors for all round shapes. */
static void real_time_solvers_keep_their_order(void **unused)
{
  (void)unused;
  static const char *const specs[] = { "xpbd", "tgs-soft" };
  for (int s = 0; s < 2; s++)
    for (int k = 0; k < ROLLERS; k++)
      for (int i = 0; i < MOTIONS; i++) {
        double largest;
        const double order = order_of(&rollers[k], &motions[i], specs[s], 0.005, &largest);
        check_below("largest error, m", largest, 4e-3);
        check_near("order", order, 1, 0.2);
      }
}

/* ---- On rounds, and below a plank ---------------------------------------------------------------------- */

static const double R = 1.0, start_speed = 0.4, rolling_time = 0.5; /* m, m/s, s */

/* Returns a body of KIND with RADIUS, its axis along z. */
static hn_body_spec round_body(const char *name, hn_shape_kind kind, double radius)
{
  hn_body_spec body = { .name = name,
                        .kind = HN_RIGID,
                        .has_mass = true,
                        .mass = 1,
                        .shape = { .kind = kind, .size = { radius, 0.3 } },
                        .orientation = { 1 },
                        .friction = 1 };
  if (kind == HN_CYLINDER || kind == HN_CAPSULE) body.orientation[1] = 1;
  return body;
}

/* Returns the error of a body that rolls from the top of a fixed one, first or second in the scene, against
 * phi'' = g sin phi / ((R + r) (1 + c)), integrated by the classical Runge-Kutta method in tiny steps. */
static double error_on_round(hn_shape_kind base, const roller *k, bool first, const char *spec, double step)
{
  hn_error error;
  hn_model *model = new_model();
  hn_body_spec fixed = round_body("fixed", base, R), roll = round_body("roll", k->kind, r);
  fixed.kind = HN_FIXED, fixed.has_mass = false, fixed.mass = 0;
  vec_set(roll.position, 0, R + r, 0), vec_set(roll.velocity, start_speed, 0, 0);
  vec_set(roll.angular_velocity, 0, 0, -start_speed / r);
  must_add(model, first ? &fixed : &roll), must_add(model, first ? &roll : &fixed);
  if (hn_model_collide(model, &(hn_contact_spec){ .margin = 0.02 }, &error)) fail_msg("%s", error.text);
  const double rate = g / ((R + r) * (1 + inertia_ratio(k))), h = rolling_time / 10000;
  double phi = 0, w = start_speed / (R + r);
  for (int i = 0; i < 10000; i++) {
    const double a1 = rate * sin(phi), w2 = w + h / 2 * a1, a2 = rate * sin(phi + h / 2 * w),
                 w3 = w + h / 2 * a2, a3 = rate * sin(phi + h / 2 * w2), w4 = w + h * a3,
                 a4 = rate * sin(phi + h * w3);
    phi += h / 6 * (w + 2 * w2 + 2 * w3 + w4), w += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
  }
  const double wanted[3] = { (R + r) * sin(phi), (R + r) * cos(phi), 0 };
  double off[3];
  hn_state *end = run(model, spec, step, rolling_time);
  vec_sub(off, end->pose[first ? 2 : 1].x, wanted);
  hn_state_free(end);
  return vec_norm(off);
}

/* The order of the bodies has no influence. Impulse-gs keeps the normal of the start of a step, which is of
 * order 1 here: in a step the round falls off by (v h)^2 / (2 R). */
static void rounds_roll_on_rounds(void **unused)
{
  (void)unused;
  static const struct {
    const char *spec;
    double order, bound;
  } solvers[] = { { "impulse-contact", 2, 5e-4 }, { "impulse-gs", 1, 1e-2 }, { "xpbd", 1, 1e-3 } };
  static const hn_shape_kind bases[] = { HN_SPHERE, HN_CYLINDER };
  static const roller movers[] = { { "ball", HN_SPHERE, false }, { "cylinder", HN_CYLINDER, false } };
  for (int s = 0; s < 3; s++)
    for (int i = 0; i < 8; i++) {
      double h[STEPS], error[STEPS];
      for (int k = 0; k < STEPS; k++) {
        h[k] = 0.02 / (1 << k);
        error[k] = error_on_round(bases[i & 1], &movers[i >> 1 & 1], i & 4, solvers[s].spec, h[k]);
      }
      printf(" %s, %s on a %s, %s first: %.2e to %.2e m\n", solvers[s].spec, movers[i >> 1 & 1].name,
             hn_shape_name(bases[i & 1]), i & 4 ? "base" : "roller", error[0], error[STEPS - 1]);
      check_below("largest error, m", error[0], solvers[s].bound);
      check_near("order", hn_fit_order(h, error, STEPS), solvers[s].order, 0.2);
    }
}

/* A plank of mass M on two rollers of mass m moves twice as far as they. Gravity with the component a along
 * the floor accelerates it by a (M + m) / (M + 3 m / 4). */
static void planks_roll(void **unused)
{
  (void)unused;
  static const struct {
    const char *spec;
    double bound;
  } solvers[] = { { "impulse-gs:velocity_tolerance=1e-8", 1e-6 },
                  { "impulse-contact", 1e-6 },
                  { "xpbd", 0.02 },
                  { "tgs-soft", 0.02 } };
  const double a = 3.0, M = 2.0, time = 0.5, along = a * (M + 1) / (M + 0.75) * time * time / 2;
  for (int s = 0; s < 4; s++) {
    hn_error error;
    const double gravity[3] = { a, -g, 0 };
    hn_model *model = hn_model_create(gravity);
    const roller on_plane = { "floor", HN_CYLINDER, false };
    hn_body_spec floor = floor_of(&on_plane), plank = rigid_body("plank", M, 0.1, 0.1, 0.1);
    floor.friction = plank.friction = 1;
    plank.shape = (hn_shape){ .kind = HN_BOX, .size = { 3, 0.05, 0.4 } }, plank.position[1] = 2 * r + 0.025;
    must_add(model, &floor), must_add(model, &plank);
    for (int i = 0; i < 2; i++) {
      hn_body_spec roll = round_body(i ? "right" : "left", HN_CYLINDER, r);
      vec_set(roll.position, i - 0.5, r, 0);
      must_add(model, &roll);
    }
    if (hn_model_collide(model, &(hn_contact_spec){ .margin = 0.02 }, &error)) fail_msg("%s", error.text);
    hn_state *end = run(model, solvers[s].spec, 0.005, time);
    printf(" %s: %.6f m\n", solvers[s].spec, along);
    check_below("error of the plank, relative", end->pose[2].x[0] / along - 1, solvers[s].bound);
    check_below("of a roller", (end->pose[3].x[0] + 0.5) / (along / 2) - 1, solvers[s].bound);
    hn_state_free(end);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(impulses_are_exact),
    cmocka_unit_test(small_tolerances_are_met),
    cmocka_unit_test(rolling_begins_to_second_order),
    cmocka_unit_test(real_time_solvers_keep_their_order),
    cmocka_unit_test(rounds_roll_on_rounds),
    cmocka_unit_test(planks_roll),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
