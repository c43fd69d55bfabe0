/* test_machines.c - car, walking machine, truck and ragdoll: motions of their motors, servos, rams and limits
 * in numbers. The geometry of the scenes is written here a second time: loops are checked from the
 * coordinates of joints, not from residuals of the library. */
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

/* Returns the scene after a run of the solver `spec` until t. */
static bench run_scene(const char *scene, const hn_setting *setting, const char *spec, double step, double t)
{
  bench b = set_up_with(scene, setting, spec);
  printf(" %s%s%s, %s, h = %g s, t = %g s\n", scene, setting ? ", " : "", setting ? setting->name : "", spec,
         step, t);
  must_converge(&b, step, t, NULL, NULL);
  return b;
}

/* Returns the largest distance between equal bodies of two runs. */
static double largest_distance(const bench *a, const bench *b)
{
  double worst = 0.0, d[3];
  assert_int_equal(a->model->nbody, b->model->nbody);
  for (int i = 1; i < a->model->nbody; i++) {
    vec_sub(d, a->state->pose[i].x, b->state->pose[i].x);
    worst = larger(worst, vec_norm(d));
  }
  return worst;
}

/* ---- Car ----------------------------------------------------------------------------------------------- */

static const char *const car_specs[] = { "impulse-sle:tolerance=1e-9", "lagrange:stabilisation=projection",
                                         "ida" };
static const double radius = 0.32, half_base = 1.3, kingpin = 0.6;

/* Returns the length of a tie rod between the column at angle c and a knuckle at angle k, lowered by `drop`
 * since the start. */
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
              tie_rod(-1, c, left, value(b, "strut_front_left")) - tie_rod(-1, 0, 0, 0), 1e-12);
  check_below("length of the right tie rod (m)",
              tie_rod(1, c, right, value(b, "strut_front_right")) - tie_rod(1, 0, 0, 0), 1e-12);
}

/* While the motors are at their limit the rate is limit t / J; the counter-rotating carriers are a hundred
 * times as heavy. */
static void car_motors_reach_their_speed(void **state)
{
  (void)state;
  static const char *const axles[] = { "axle_front_left", "axle_front_right", "axle_rear_left",
                                       "axle_rear_right" };
  const double mass = 300 * M_PI * radius * radius * 0.2, J = 0.5 * mass * radius * radius, speed = 15;
  for (size_t i = 0; i < COUNT(car_specs); i++) {
    bench b = run_scene("car", NULL, car_specs[i], 0.01, 0.2);
    for (size_t k = 0; k < COUNT(axles); k++) check_near(axles[k], rate(&b, axles[k]), -120 * 0.2 / J, 2e-3);
    tear_down(&b);
    b = run_scene("car", NULL, car_specs[i], 0.01, 2.4);
    for (size_t k = 0; k < COUNT(axles); k++) check_near(axles[k], rate(&b, axles[k]), -speed / radius, 2e-5);
    tear_down(&b);
  }
}

static void car_steers(void **state)
{
  (void)state;
  for (size_t i = 0; i < COUNT(car_specs); i++) {
    bench b = run_scene("car", NULL, car_specs[i], 0.01, 2.4);
    check_near("column, to the left (rad)", value(&b, "steering"), 0.4, 1e-3);
    check_tie_rods(&b);
    check_near("inner wheel relative to the column (rad)", value(&b, "kingpin_left") - value(&b, "steering"),
               0.025, 0.005);
    check_near("outer wheel relative to the column (rad)", value(&b, "kingpin_right") - value(&b, "steering"),
               -0.02, 0.005);
    tear_down(&b);
    b = run_scene("car", NULL, car_specs[i], 0.01, 3.9);
    check_near("column, to the right (rad)", value(&b, "steering"), -0.4, 1e-3);
    check_tie_rods(&b);
    tear_down(&b);
  }
}

/* At rest in its ropes, a spring is shorter or longer by weight over stiffness. */
static void car_hangs_in_its_springs(void **state)
{
  (void)state;
  bench b = run_scene("car", NULL, "impulse-sle", 0.01, 6);
  double whole = 0.0, rear = b.model->body[body_of(b.model, "carrier_rear_left")].mass +
                             b.model->body[body_of(b.model, "wheel_rear_left")].mass;
  for (int i = 1; i < b.model->nbody; i++) whole += b.model->body[i].mass;
  check_near("chassis lowered by (m)", 0.55 - b.state->pose[body_of(b.model, "chassis")].x[1],
             whole * g / (4 * 40e3), 1e-4);
  check_near("rear strut (m)", value(&b, "strut_rear_left"), -rear * g / 25e3, 1e-5);
  tear_down(&b);
}

/* ---- Walking machine ----------------------------------------------------------------------------------- */

static const double crank = 0.06, guide = 0.3, shank = 0.45, turning = 2 * M_PI; /* m; rad/s */

/* The front left foot relative to its hip, in body axes. */
typedef struct walk {
  const hn_model *model;
  double geometry, lag;          /* largest errors of the foot's position and the crank angle */
  double at[2];                  /* m */
  double low, high, back, ahead; /* extremes of the position */
  double low_x, high_x;          /* x steps at these heights; forwards: positive */
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

/* Computes the position of the foot from the angle of its crank: on the line from the guide through the
 * pin. */
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

/* The path is closed and known. The servo of stiffness 100 N m/rad turns the crank against the weight of the
 * leg, 2.2 kg at 0.06 m; apart from that lag the feet return after a revolution. */
static void feet_follow_their_path(void **state)
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
    check_below("distance of the foot from its path (m)", w.geometry, 5e-9);
    check_below("error of the crank angle (rad)", w.lag, 0.04);
    check_near("lift of the foot (m)", w.high - w.low, 2 * crank, 1e-3);
    check_near("foremost position (m)", w.ahead, stroke, 1e-3);
    check_near("rearmost position (m)", w.back, -stroke, 1e-3);
    check_near("step at the lowest point, backwards (m)", w.low_x, -turning * 0.01 * 0.133, 2e-3);
    check_near("step at the highest point, forwards (m)", w.high_x, turning * 0.01 * 0.172, 2e-3);
    tear_down(&b);
  }
}

/* Hinges everywhere, with 18 redundant rows of 120, under each policy, against the machine without redundant
 * rows. */
static void redundancy_policies_agree(void **state)
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
    bench plain = run_scene("walking_machine", NULL, pairs[i].plain, pairs[i].step, pairs[i].t);
    bench policy = run_scene("walking_machine", &hinges, pairs[i].policy, pairs[i].step, pairs[i].t);
    check_below("difference (m)", largest_distance(&plain, &policy), pairs[i].bound);
    tear_down(&plain), tear_down(&policy);
  }
}

/* ---- Truck --------------------------------------------------------------------------------------------- */

/* Returns the length of the ram at bed angle `angle`: from (1.6, -0.45) to (3.6, 0.1), relative to the
 * hinge. */
static double ram(double angle)
{
  double x = 3.6 * cos(angle) - 0.1 * sin(angle), y = 3.6 * sin(angle) + 0.1 * cos(angle);
  return hypot(x - 1.6, y + 0.45);
}

/* Returns its rate; below, the force that carries the bed, 8 t at (2.9, 0.7) from the hinge, by virtual work
 * on level ground. */
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

/* Hold, 5 s of extension, hold, 4 s of contraction, hold. The speed of the ram differs from its target by F /
 * gain, gain = 100 limit / speed: slower when lifting, faster when lowering. In hold the truck oscillates
 * slightly on its springs: 1 kN compresses the oil by 10 um. */
static void truck_tips_its_bed(void **state)
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
    check_near("extension in 5 s (m)", seen.length[6] - seen.length[1], 5 * speed, 0.02);
    check_below("creep in hold, 7 to 8 s (m)", seen.length[8] - seen.length[7], 3e-5);
    for (int t = 10; t <= 11; t++)
      check_near("speed of contraction (m/s)", -seen.speed[t], speed + ram_force(seen.tilt[t]) / gain, 3e-5);
    check_below("creep in hold, 13 to 14 s (m)", seen.length[14] - seen.length[13], 1e-4);
    tear_down(&b);
  }
}

/* ---- Ragdoll ------------------------------------------------------------------------------------------- */

typedef struct fall {
  const hn_model *model;
  double violation, last, rise;
  int limits_hit, limits;
  bool hit[32];
} fall;

/* The residual of a limit is the distance from the nearer bound. */
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
    f->violation = larger(f->violation, -gap);
    assert_true(f->limits < 32);
    if (gap < 1e-6 && frame->state->time > 0.1) f->hit[f->limits] = true;
    f->limits++;
  }
  return true;
}

/* No joint exceeds its limits, most limits are reached, and the energy does not grow, up to the error of a
 * step. */
static void ragdoll_respects_its_limits(void **state)
{
  (void)state;
  static const struct {
    hn_setting setting;
    int limits, never_hit;
  } cases[] = { { { "planar", "true" }, 10, 4 }, { { "planar", "false" }, 4, 2 } };
  for (size_t i = 0; i < COUNT(cases); i++) {
    bench b = set_up_with("ragdoll", &cases[i].setting, "impulse-sle");
    fall f = { .model = b.model };
    printf(" planar = %s\n", cases[i].setting.value);
    must_converge(&b, 0.0025, 4, watch_limits, &f);
    for (int k = 0; k < f.limits; k++) f.limits_hit += f.hit[k];
    ASSERT_COUNT("limits", f.limits, cases[i].limits);
    check_below("violation of a limit (rad)", f.violation, 1e-9);
    check_below("limits never reached", cases[i].limits - f.limits_hit, cases[i].never_hit);
    check_below("largest rise of the energy in a step (J)", f.rise, 5e-3);
    assert_true(b.summary.energy_final < b.summary.energy_initial - 500);
    tear_down(&b);
  }
}

/* Without limits it is a tree of hinges, on which all solvers agree. */
static void solvers_agree_on_ragdoll_without_limits(void **state)
{
  (void)state;
  static const hn_setting off = { "limits", "false" };
  static const char *const specs[] = { "impulse-sle:tolerance=1e-12", "generalised-alpha", "taylor:order=8",
                                       "half-explicit" };
  bench best = run_scene("ragdoll", &off, "lagrange:stepper=rk8pd,stabilisation=projection", 0.001, 0.5);
  for (size_t i = 0; i < COUNT(specs); i++) {
    bench b = run_scene("ragdoll", &off, specs[i], 0.001, 0.5);
    check_below("difference (m)", largest_distance(&best, &b), 2e-4);
    tear_down(&b);
  }
  tear_down(&best);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(car_motors_reach_their_speed), cmocka_unit_test(car_steers),
    cmocka_unit_test(car_hangs_in_its_springs),     cmocka_unit_test(feet_follow_their_path),
    cmocka_unit_test(redundancy_policies_agree),    cmocka_unit_test(truck_tips_its_bed),
    cmocka_unit_test(ragdoll_respects_its_limits),  cmocka_unit_test(solvers_agree_on_ragdoll_without_limits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
