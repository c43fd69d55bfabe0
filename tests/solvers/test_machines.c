/* test_machines.c - car, walking machine, truck and ragdoll: what their motors, servos, rams and limits do, by numbers.
 *
 * The geometry of the scenes is written down here a second time: loops are checked against it from the coordinates of
 * joints, not from the residuals of the library. */
#include "scenes.h"
#include "base/vec.h"

#include <string.h>

#define COUNT(array) (sizeof array / sizeof *array)
static const double g = 9.81;

static double coordinate(const hn_model *model, const hn_state *state, const char *joint, bool rate)
{
  hn_error error;
  double value, slope;
  int index = hn_model_find_joint(model, joint, &error);
  if (index < 0) fail_msg("%s", error.text);
  hn_joint_coordinate(&model->joint[index], 0, state, &value, &slope);
  return rate ? slope : value;
}

static double value(const bench *b, const char *joint)
{
  return coordinate(b->model, b->state, joint, false);
}

static double rate(const bench *b, const char *joint)
{
  return coordinate(b->model, b->state, joint, true);
}

static int body_of(const hn_model *model, const char *name)
{
  hn_error error;
  int index = hn_model_find_body(model, name, &error);
  if (index < 0) fail_msg("%s", error.text);
  return index;
}

/* SCENE run by SPEC to the time T. */
static bench ran(const char *scene, const hn_setting *setting, const char *spec, double step, double t)
{
  bench b = set_up_with(scene, setting, spec);
  printf(" %s%s%s, %s, h = %g s, t = %g s\n", scene, setting ? ", " : "", setting ? setting->name : "", spec,
         step, t);
  must_converge(&b, step, t, NULL, NULL);
  return b;
}

/* Largest distance of any body in two runs. */
static double apart(const bench *a, const bench *b)
{
  double worst = 0.0, d[3];
  assert_int_equal(a->model->nbody, b->model->nbody);
  for (int i = 1; i < a->model->nbody; i++) {
    vec_sub(d, a->state->pose[i].x, b->state->pose[i].x);
    worst = larger(worst, vec_norm(d));
  }
  return worst;
}

/* ---- Car --------------------------------------------------------------------------------------------------------- */

static const char *const car_specs[] = { "impulse-sle:tolerance=1e-9", "lagrange:stabilisation=projection",
                                         "ida" };
static const double radius = 0.32, half_base = 1.3, kingpin = 0.6;

/* Length of a tie rod between the column at C and a knuckle turned by K, DROP lower than at the start. */
static double tie_rod(double sign, double c, double k, double drop)
{
  double to_axle = hypot(2.0 * half_base, kingpin);
  double along = 0.15 * 2.0 * half_base / to_axle, across = 0.15 * kingpin / to_axle;
  double x = -along * cos(c) + along * cos(k) + sign * across * sin(k);
  double z = along * sin(c) - (sign * kingpin + along * sin(k) - sign * across * cos(k));
  return sqrt(x * x + drop * drop + z * z);
}

static void check_tie_rods(const bench *b)
{
  double c = value(b, "steering");
  double left = value(b, "kingpin_left"), right = value(b, "kingpin_right");
  check_below("length of the left tie rod (m)",
              tie_rod(-1, c, left, value(b, "strut_front_left")) - tie_rod(-1, 0, 0, 0), 1e-8);
  check_below("length of the right tie rod (m)",
              tie_rod(1, c, right, value(b, "strut_front_right")) - tie_rod(1, 0, 0, 0), 1e-8);
}

/* While the motors are at their limit: limit t / J. The carriers, which turn back, are a hundred times as heavy. */
static void the_cars_motors_reach_their_speed(void **state)
{
  (void)state;
  static const char *const axles[] = { "axle_front_left", "axle_front_right", "axle_rear_left",
                                       "axle_rear_right" };
  const double mass = 300 * M_PI * radius * radius * 0.2, J = 0.5 * mass * radius * radius, speed = 15;
  for (size_t i = 0; i < COUNT(car_specs); i++) {
    bench b = ran("car", NULL, car_specs[i], 0.01, 0.2);
    for (size_t k = 0; k < COUNT(axles); k++) check_near(axles[k], rate(&b, axles[k]), -120 * 0.2 / J, 2e-3);
    tear_down(&b);
    b = ran("car", NULL, car_specs[i], 0.01, 2.4);
    for (size_t k = 0; k < COUNT(axles); k++) check_near(axles[k], rate(&b, axles[k]), -speed / radius, 2e-5);
    tear_down(&b);
  }
}

static void the_car_steers(void **state)
{
  (void)state;
  for (size_t i = 0; i < COUNT(car_specs); i++) {
    bench b = ran("car", NULL, car_specs[i], 0.01, 2.4);
    check_near("column, to the left (rad)", value(&b, "steering"), 0.4, 1e-3);
    check_tie_rods(&b);
    check_near("inner wheel further than the column (rad)", value(&b, "kingpin_left") - value(&b, "steering"),
               0.025, 0.005);
    check_near("outer wheel less (rad)", value(&b, "kingpin_right") - value(&b, "steering"), -0.02, 0.005);
    tear_down(&b);
    b = ran("car", NULL, car_specs[i], 0.01, 3.9);
    check_near("column, to the right (rad)", value(&b, "steering"), -0.4, 1e-3);
    check_tie_rods(&b);
    tear_down(&b);
  }
}

/* At rest in its ropes: a spring is shorter or longer by weight over stiffness. */
static void the_car_hangs_in_its_springs(void **state)
{
  (void)state;
  bench b = ran("car", NULL, "impulse-sle", 0.01, 6);
  double whole = 0.0, rear = b.model->body[body_of(b.model, "carrier_rear_left")].mass +
                             b.model->body[body_of(b.model, "wheel_rear_left")].mass;
  for (int i = 1; i < b.model->nbody; i++) whole += b.model->body[i].mass;
  check_near("chassis lower (m)", 0.55 - b.state->pose[body_of(b.model, "chassis")].x[1],
             whole * g / (4 * 40e3), 1e-4);
  check_near("rear strut (m)", value(&b, "strut_rear_left"), -rear * g / 25e3, 1e-5);
  tear_down(&b);
}

/* ---- Walking machine --------------------------------------------------------------------------------------------- */

static const double crank = 0.06, guide = 0.3, shank = 0.45, turning = 2 * M_PI; /* m; rad/s */

/* The front left foot, from its hip, in the body's axes. */
typedef struct walk {
  const hn_model *model;
  double geometry, lag;          /* largest error of the foot's place, and of the crank's angle */
  double at[2];                  /* m */
  double low, high, back, ahead; /* extremes of it */
  double low_x, high_x;          /* steps of x there; ahead: positive */
} walk;

static void foot_of(const hn_model *model, const hn_state *state, double at[3])
{
  const hn_pose *leg = &state->pose[body_of(model, "leg_front_left")],
                *body = &state->pose[body_of(model, "body")];
  const double foot[3] = { 0, -shank, 0 }, hip[3] = { 0.5, -0.1, -0.4 };
  double R[9], from[3];
  quat_matrix(R, leg->q);
  mat_vec(from, R, foot);
  vec_add(from, from, leg->x);
  vec_sub(from, from, body->x);
  quat_matrix(R, body->q);
  mat_tvec(at, R, from);
  vec_sub(at, at, hip);
}

/* Where the foot is by the angle of its crank: on the line from the guide through the pin. */
static void foot_by_crank(double angle, double at[2])
{
  double pin[2] = { -crank * cos(angle), -crank * sin(angle) }, length = hypot(pin[0], pin[1] - guide);
  at[0] = pin[0] + shank * pin[0] / length;
  at[1] = pin[1] + shank * (pin[1] - guide) / length;
}

static bool watch_foot(void *user, const hn_frame *frame)
{
  walk *w = user;
  double at[3], expected[2], angle = coordinate(w->model, frame->state, "hip_front_left", false);
  foot_of(w->model, frame->state, at);
  foot_by_crank(angle, expected);
  w->geometry = larger(w->geometry, hypot(at[0] - expected[0], at[1] - expected[1]));
  w->lag = larger(w->lag, fabs(remainder(angle + turning * frame->state->time, 2 * M_PI)));
  if (frame->state->time > 1) {
    double step = at[0] - w->at[0];
    if (at[1] < w->low) w->low = at[1], w->low_x = step;
    if (at[1] > w->high) w->high = at[1], w->high_x = step;
    w->back = fmin(w->back, at[0]), w->ahead = fmax(w->ahead, at[0]);
  }
  w->at[0] = at[0], w->at[1] = at[1];
  return true;
}

/* The path is closed and known; the servo turns its crank against the weight of the leg, 2.2 kg on 0.06 m, and its
 * stiffness is 100 N m/rad. The feet are back where they were after a turn, but for that lag. */
static void feet_go_round(void **state)
{
  (void)state;
  static const char *const specs[] = { "impulse-sle:tolerance=1e-9", "lagrange:stabilisation=projection",
                                       "generalised-alpha" };
  double stroke = 0.0;
  for (int k = 0; k < 1000; k++) {
    double at[2];
    foot_by_crank(turning * k / 1000, at);
    stroke = fmax(stroke, at[0]);
  }
  for (size_t i = 0; i < COUNT(specs); i++) {
    bench b = set_up("walking_machine", specs[i]);
    walk w = { .model = b.model, .low = 9, .high = -9, .back = 9, .ahead = -9 };
    printf(" %s\n", specs[i]);
    must_converge(&b, 0.01, 3, watch_foot, &w);
    check_below("foot off its path (m)", w.geometry, 5e-9);
    check_below("crank off its target (rad)", w.lag, 0.04);
    check_near("lift of the foot (m)", w.high - w.low, 2 * crank, 1e-3);
    check_near("furthest ahead (m)", w.ahead, stroke, 1e-3);
    check_near("furthest back (m)", w.back, -stroke, 1e-3);
    check_near("at the lowest point it goes back (m a step)", w.low_x, -turning * 0.01 * 0.133, 2e-3);
    check_near("at the highest point it goes ahead (m a step)", w.high_x, turning * 0.01 * 0.172, 2e-3);
    tear_down(&b);
  }
}

/* Hinges everywhere, 18 rows of 120 redundant, under each policy, against the machine without redundant rows. */
static void policies_walk_alike(void **state)
{
  (void)state;
  static const hn_setting hinges = { "hinges", "true" };
  static const struct {
    const char *plain, *policy;
    double step, t, bound;
  } pairs[] = {
    { "lagrange:stabilisation=projection", "lagrange:stabilisation=projection,redundancy=remove", 0.005, 2,
      1e-10 },
    { "lagrange:stabilisation=projection", "lagrange:stabilisation=projection,redundancy=min-norm", 0.005, 2,
      1e-10 },
    { "impulse-sle:tolerance=1e-10", "impulse-sle:tolerance=1e-10,redundancy=remove", 0.01, 2, 1e-8 },
    { "impulse-sle:tolerance=1e-10", "impulse-sle:tolerance=1e-10,redundancy=min-norm", 0.01, 2, 1e-8 },
    { "impulse-sle:tolerance=1e-10", "impulse-sle:tolerance=1e-10,redundancy=loop-split", 0.01, 0.1, 1e-8 },
    { "generalised-alpha", "generalised-alpha:redundancy=min-norm", 0.01, 0.5, 1e-9 },
  };
  for (size_t i = 0; i < COUNT(pairs); i++) {
    bench plain = ran("walking_machine", NULL, pairs[i].plain, pairs[i].step, pairs[i].t);
    bench policy = ran("walking_machine", &hinges, pairs[i].policy, pairs[i].step, pairs[i].t);
    check_below("apart (m)", apart(&plain, &policy), pairs[i].bound);
    tear_down(&plain), tear_down(&policy);
  }
}

/* ---- Truck ------------------------------------------------------------------------------------------------------- */

/* Length of the ram with the bed tilted by ANGLE: from (1.6, -0.45) to (3.6, 0.1), seen from the hinge. */
static double ram(double angle)
{
  double x = 3.6 * cos(angle) - 0.1 * sin(angle), y = 3.6 * sin(angle) + 0.1 * cos(angle);
  return hypot(x - 1.6, y + 0.45);
}

/* Its rate, and the force that carries the bed, 8 t at (2.9, 0.7) from the hinge: virtual work on level ground. */
static double ram_rate(double angle, double turn)
{
  double x = 3.6 * cos(angle) - 0.1 * sin(angle), y = 3.6 * sin(angle) + 0.1 * cos(angle);
  return turn * (x * (y + 0.45) - y * (x - 1.6)) / ram(angle);
}

static double ram_force(double angle)
{
  return 8000 * g * (2.9 * cos(angle) - 0.7 * sin(angle)) / ram_rate(angle, 1);
}

enum { SECONDS = 15 };
typedef struct tip {
  const hn_model *model;
  double length[SECONDS], tilt[SECONDS], speed[SECONDS];
} tip;

static bool watch_ram(void *user, const hn_frame *frame)
{
  tip *seen = user;
  double t = frame->state->time, whole = nearbyint(t),
         angle = coordinate(seen->model, frame->state, "tilt", false);
  if (fabs(t - whole) > 1e-6) return true;
  seen->tilt[(int)whole] = angle, seen->length[(int)whole] = ram(angle);
  seen->speed[(int)whole] = ram_rate(angle, coordinate(seen->model, frame->state, "tilt", true));
  return true;
}

/* Hold, 5 s of extension, hold, 4 s of contraction, hold. The ram lacks the speed that its force needs, and lowering it
 * exceeds it: F / gain, gain = 100 limit / speed. In hold the truck still sways a little on its springs: by 1 kN, the
 * oil gives 10 um. */
static void the_truck_tips(void **state)
{
  (void)state;
  static const char *const specs[] = { "impulse-sle", "ida" };
  const double speed = 0.2, gain = 100 * 5e5 / speed;
  for (size_t i = 0; i < COUNT(specs); i++) {
    bench b = set_up("truck", specs[i]);
    tip seen = { .model = b.model };
    printf(" %s\n", specs[i]);
    must_converge(&b, 0.01, 14, watch_ram, &seen);
    check_near("length held at the start (m)", seen.length[1], ram(0), 5e-3);
    for (int t = 3; t <= 5; t++)
      check_near("speed of extension (m/s)", seen.speed[t], speed - ram_force(seen.tilt[t]) / gain, 3e-5);
    check_near("length after 5 s of it (m)", seen.length[6] - seen.length[1], 5 * speed, 0.02);
    check_below("creep in hold, 7 to 8 s (m)", seen.length[8] - seen.length[7], 3e-5);
    for (int t = 10; t <= 11; t++)
      check_near("speed of contraction (m/s)", -seen.speed[t], speed + ram_force(seen.tilt[t]) / gain, 3e-5);
    check_below("creep in hold, 13 to 14 s (m)", seen.length[14] - seen.length[13], 1e-4);
    tear_down(&b);
  }
}

/* ---- Ragdoll ----------------------------------------------------------------------------------------------------- */

typedef struct fall {
  const hn_model *model;
  double beyond, last, rise;
  int struck, limits;
  bool met[32];
} fall;

/* A limit's residual is its distance from the nearer bound. */
static bool watch_limits(void *user, const hn_frame *frame)
{
  fall *f = user;
  double energy = frame->measure->kinetic + frame->measure->potential;
  if (frame->index > 0) f->rise = larger(f->rise, energy - f->last);
  f->last = energy, f->limits = 0;
  for (int j = 0; j < f->model->njoint; j++) {
    const hn_joint *joint = &f->model->joint[j];
    double gap;
    if (joint->set->kind != HN_PUSH) continue;
    const hn_pose *a = &frame->state->pose[joint->a], *b = &frame->state->pose[joint->b];
    joint->type->eval(joint, frame->state->time, a, NULL, b, NULL, &(hn_rows){ .g = &gap });
    f->beyond = larger(f->beyond, -gap);
    assert_true(f->limits < 32);
    if (gap < 1e-6 && frame->state->time > 0.1) f->met[f->limits] = true;
    f->limits++;
  }
  return true;
}

/* No joint goes beyond its limits, most are met, and nothing feeds energy, but for the error of a step. */
static void the_ragdoll_keeps_its_limits(void **state)
{
  (void)state;
  static const struct {
    hn_setting setting;
    int limits, never;
  } ways[] = { { { "planar", "true" }, 10, 4 }, { { "planar", "false" }, 4, 2 } };
  for (size_t i = 0; i < COUNT(ways); i++) {
    bench b = set_up_with("ragdoll", &ways[i].setting, "impulse-sle");
    fall f = { .model = b.model };
    printf(" planar = %s\n", ways[i].setting.value);
    must_converge(&b, 0.0025, 4, watch_limits, &f);
    for (int k = 0; k < f.limits; k++) f.struck += f.met[k];
    ASSERT_COUNT("limits", f.limits, ways[i].limits);
    check_below("beyond a limit (rad)", f.beyond, 1e-9);
    check_below("limits never met", ways[i].limits - f.struck, ways[i].never);
    check_below("largest rise of the energy in a step (J)", f.rise, 5e-3);
    assert_true(b.summary.energy_final < b.summary.energy_initial - 500);
    tear_down(&b);
  }
}

/* Without limits it is a tree of hinges, which all solvers move alike. */
static void ragdolls_without_limits_fall_alike(void **state)
{
  (void)state;
  static const hn_setting off = { "limits", "false" };
  static const char *const specs[] = { "impulse-sle:tolerance=1e-12", "generalised-alpha", "taylor:order=8",
                                       "half-explicit" };
  bench best = ran("ragdoll", &off, "lagrange:stepper=rk8pd,stabilisation=projection", 0.001, 0.5);
  for (size_t i = 0; i < COUNT(specs); i++) {
    bench b = ran("ragdoll", &off, specs[i], 0.001, 0.5);
    check_below("apart (m)", apart(&best, &b), 2e-4);
    tear_down(&b);
  }
  tear_down(&best);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_cars_motors_reach_their_speed),
    cmocka_unit_test(the_car_steers),
    cmocka_unit_test(the_car_hangs_in_its_springs),
    cmocka_unit_test(feet_go_round),
    cmocka_unit_test(policies_walk_alike),
    cmocka_unit_test(the_truck_tips),
    cmocka_unit_test(the_ragdoll_keeps_its_limits),
    cmocka_unit_test(ragdolls_without_limits_fall_alike),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
