/* test_machines_ground.c - machines on the ground, in numbers: walking, driving, rocking, falling and
 * breaking of billiard balls. Compared with limit cycles, momentum balances and laws written here a second
 * time; references of scenes are tested with the scenes. */
#include "instants.h"
#include "base/vec.h"

#define COUNT(array) (sizeof array / sizeof *array)
#define RK8 EVENTS "lagrange:stepper=rk8pd"

static double mass_of(const bench *b)
{
  double sum = 0.0;
  for (int i = 1; i < b->model->nbody; i++)
    sum += b->model->body[i].kind == HN_FIXED ? 0.0 : b->model->body[i].mass;
  return sum;
}

/* Computes the momentum of all moving bodies, kg m/s. */
static void momentum_of(const bench *b, double P[3])
{
  memset(P, 0, 3 * sizeof *P);
  for (int i = 1; i < b->model->nbody; i++)
    for (int k = 0; k < 3 && b->model->body[i].kind != HN_FIXED; k++)
      P[k] += b->model->body[i].mass * b->state->twist[i].v[k];
}

/* ---- The walking machine ------------------------------------------------------------------------------- */

/* Returns the distance of twenty steps, ten turns of the cranks at 2 rad/s. */
static double walking_distance(const char *friction, double *up)
{
  bench b = set_up_as("walking_ground", WITH(friction), "moreau:contact_tolerance=1e-8");
  const int body = body_named(&b, "body");
  double R[9];
  must_converge(&b, 0.01, 10 * M_PI, NULL, NULL);
  quat_matrix(R, b.state->pose[body].q);
  const double x = b.state->pose[body].x[0];
  *up = R[4];
  tear_down(&b);
  return x;
}

/* Each step is 2 (c + l sin(lean) + r lean). Cranks that lag a step behind make no difference: they stop at
 * every half turn. */
static void walking_distance_of_twenty_steps(void **unused)
{
  (void)unused;
  const double lean = atan2(0.06, 0.3), step = 2 * (0.06 + 0.45 * sin(lean) + 0.03 * lean);
  double up;
  check_near("twenty steps on the ground, m", walking_distance("friction=0.8", &up), 20 * step, 0.01 * step);
  check_near("upright", up, 1, 1e-6);
  const double ice = walking_distance("friction=0.02", &up);
  printf("  on ice: %.4f m of %.4f\n", ice, 20 * step);
  assert_true(ice > 0 && ice < 0.75 * 20 * step);
}

static void toppled_machine_lands_on_its_back(void **unused)
{
  (void)unused;
  bench b = set_up_as("walking_ground", WITH("topple=30"), "moreau:contact_tolerance=1e-8");
  const int body = body_named(&b, "body");
  double R[9];
  must_converge(&b, 0.01, 3.5, NULL, NULL);
  quat_matrix(R, b.state->pose[body].q);
  check_near("upside down", R[4], -1, 0.1);
  tear_down(&b);
}

/* ---- Car and truck ------------------------------------------------------------------------------------- */

/* With all motors at their limit the wheels roll: a (M + 4 J / r^2) = 4 torque / r, in the mean of two
 * seconds while the nose rises and falls. */
static void car_accelerates_by_its_motors(void **unused)
{
  (void)unused;
  const double r = 0.32, torque = 250;
  double before[3], after[3];
  bench b = set_up("car_road", "moreau:contact_tolerance=1e-6");
  const double M = mass_of(&b), y = b.state->pose[body_named(&b, "chassis")].x[1];
  const hn_body *wheel = &b.model->body[body_named(&b, "wheel_rear_left")];
  const double J = fmax(wheel->J[0], fmax(wheel->J[1], wheel->J[2]));
  const double a = 4 * torque / r / (M + 4 * J / r / r);
  must_converge(&b, 0.01, 0.5, NULL, NULL);
  check_below("change of height at rest, m", b.state->pose[body_named(&b, "chassis")].x[1] - y, 1e-6);
  tear_down(&b);
  for (int late = 0; late < 2; late++) {
    b = set_up("car_road", "moreau:contact_tolerance=1e-6");
    must_converge(&b, 0.01, late ? 3.5 : 1.5, NULL, NULL);
    momentum_of(&b, late ? after : before);
    tear_down(&b);
  }
  check_near("acceleration, m/s^2", (after[0] - before[0]) / M / 2, a, 0.01 * a);
  check_below("lateral velocity, m/s", after[2] / M, 1e-9);
}

/* A car with rolling wheels turns about a point on the line of its rear axle, base / tan(angle) from the
 * middle. The tie rod turns the outer wheel less, so that the mean angle is up to 3 % smaller than that of
 * the inner wheel. At 3 m/s this takes little friction. The rest is slip of wheels whose angles the tie rod
 * does not match exactly. */
static void car_turns_by_its_steering(void **unused)
{
  (void)unused;
  bench b = set_up_as("car_road", WITH("speed=3"), "moreau:contact_tolerance=1e-6");
  double forwards[3];
  must_converge(&b, 0.01, 5.9, NULL, NULL);
  const int chassis = body_named(&b, "chassis");
  quat_rotate(forwards, b.state->pose[chassis].q, (const double[3]){ 1, 0, 0 });
  const double v = vec_dot(b.state->twist[chassis].v, forwards), w = b.state->twist[chassis].w[1];
  printf("  at %.3f m/s the yaw rate is %.4f rad/s\n", v, w);
  check_near("turning radius, m", v / w, 2.6 / tan(0.1), 0.03 * 2.6 / tan(0.1));
  tear_down(&b);
}

/* The wheels carry the weight, also with the bed raised; a body on a ram at rest is at rest. */
static void truck_drives_and_tips_its_bed(void **unused)
{
  (void)unused;
  bench b = set_up("truck_road", "moreau:contact_tolerance=1e-6");
  double P[3], push = 0.0, tilt, rate;
  hn_error error;
  must_converge(&b, 0.01, 14, NULL, NULL);
  const int joint = hn_model_find_joint(b.model, "tilt", &error), chassis = body_named(&b, "chassis");
  hn_joint_coordinate(&b.model->joint[joint], 0, b.state, &tilt, &rate);
  momentum_of(&b, P);
  for (int i = 0; i < b.state->ncontact; i++) push += b.state->contact[i].impulse[0] / 0.01;
  check_near("normal force of all wheels, N", push, mass_of(&b) * g, 0.01 * mass_of(&b) * g);
  check_below("speed of the centre of mass after tipping, m/s", vec_norm(P) / mass_of(&b), 0.02);
  const double *at = b.state->pose[chassis].x;
  printf("  bed at %.3f rad, at (%.2f, %.2f)\n", tilt, at[0], at[2]);
  assert_true(tilt > 0.2 && at[0] > 20 && at[2] < -3);
  tear_down(&b);
}

/* ---- Limits of joints ---------------------------------------------------------------------------------- */

/* Checks that a scene whose limits are hit has the order of the solver: errors at six steps against a fine
 * run. */
static void check_limits(const char *scene, const char *setting, const mover *m, double time,
                         const char *body)
{
  bench fine = set_up_as(scene, setting ? WITH(setting) : NULL, RK8);
  double h[STEPS], error[STEPS], d[3];
  shorter_steps(h, m->h, m->ratio, 0);
  must_converge(&fine, time / 200, time, NULL, NULL);
  const int at = body_named(&fine, body);
  for (int i = 0; i < STEPS; i++) {
    bench b = set_up_as(scene, setting ? WITH(setting) : NULL, m->spec);
    must_converge(&b, h[i], time, NULL, NULL);
    vec_sub(d, b.state->pose[at].x, fine.state->pose[at].x);
    error[i] = vec_norm(d);
    printf("    %-10g %.4e\n", h[i], error[i]);
    tear_down(&b);
  }
  printf("%s, %s\n", scene, m->spec);
  check_near("order with limits", hn_fit_order(h, error, STEPS), m->order, 0.1 * m->order + 0.05);
  tear_down(&fine);
}

static const mover movers[] = {
  { EVENTS "impulse-sle:tolerance=1e-14", 2, 0.01, 2 },
  { EVENTS "lagrange:stepper=rk4", 4, 0.01, 2 },
  { EVENTS "taylor:order=6", 6, 0.02, 1.4 },
};

static void limits_keep_the_order_of_a_ragdoll(void **unused)
{
  (void)unused;
  for (size_t m = 0; m < COUNT(movers); m++) check_limits("ragdoll", NULL, &movers[m], 0.4, "shin_right");
}

/* The wheels fall by 3 mm until the struts reach their stops. */
static void stops_keep_the_order_of_a_car(void **unused)
{
  (void)unused;
  for (size_t m = 0; m < 2; m++) check_limits("car", "stop=0.003", &movers[m], 0.3, "wheel_front_left");
}

/* ---- Tippe top ----------------------------------------------------------------------------------------- */

typedef struct jellett {
  double first, worst;
} jellett;

/* Jellett's integral L . r: angular momentum L, and r from the centre of mass to the contact of the large
 * ball of 15 mm, whose centre is 3 mm along the axis. */
static bool watch_jellett(void *user, const hn_frame *frame)
{
  static const double J[3] = { 8e-7, 8e-7, 7e-7 }, middle[3] = { 0, 0, 0.003 };
  jellett *w = user;
  const hn_pose *x = &frame->state->pose[2];
  double R[9], turning[3], L[3], r[3];
  quat_matrix(R, x->q);
  mat_tvec(turning, R, frame->state->twist[2].w);
  for (int k = 0; k < 3; k++) turning[k] *= J[k];
  mat_vec(L, R, turning);
  mat_vec(r, R, middle);
  r[2] -= 0.015;
  if (frame->index == 0) w->first = vec_dot(L, r);
  w->worst = larger(w->worst, fabs(vec_dot(L, r) / w->first - 1));
  return true;
}

/* With little friction the inversion takes more than 10 s: one ball is in contact all the time. */
static void jellett_integral_is_constant(void **unused)
{
  (void)unused;
  bench b = set_up_as("tippe_top", WITH("friction=0.02"), RK8);
  jellett w = { 0, 0 };
  must_converge(&b, 0.002, 10, watch_jellett, &w);
  double R[9];
  quat_matrix(R, b.state->pose[2].q);
  printf("  inclined by %.1f degrees\n", acos(R[8]) * 180 / M_PI);
  check_below("Jellett's integral over 10 s, relative error", w.worst, 1e-9);
  tear_down(&b);
}

/* ---- Ragdoll ------------------------------------------------------------------------------------------- */

typedef struct fall {
  const hn_model *model;
  double violation, last, rise;
} fall;

static bool watch_fall(void *user, const hn_frame *frame)
{
  fall *f = user;
  const double energy = frame->measure->kinetic + frame->measure->potential;
  if (frame->index > 0) f->rise = larger(f->rise, energy - f->last);
  f->last = energy;
  for (int j = 0; j < f->model->njoint; j++) {
    const hn_joint *joint = &f->model->joint[j];
    double gap;
    if (joint->set->kind != HN_PUSH) continue;
    joint->type->eval(joint, frame->state->time, &frame->state->pose[joint->a], NULL,
                      &frame->state->pose[joint->b], NULL, &(hn_rows){ .g = &gap });
    f->violation = larger(f->violation, -gap);
  }
  return true;
}

/* Without restitution and with friction the energy falls, except for gains of rotating bodies in a step of
 * order 1. */
static void ragdoll_falls_down_the_stairs(void **unused)
{
  (void)unused;
  bench b = set_up("ragdoll_stairs", "moreau");
  fall f = { .model = b.model };
  must_converge(&b, 0.001, 4, watch_fall, &f);
  check_below("violation of a limit, rad", f.violation, 1e-9);
  check_below("penetration, m", b.summary.contact.penetration, 1e-9);
  check_below("largest energy gain in a step, J", f.rise, 1e-9);
  check_near("height of the pelvis on the floor, m", b.state->pose[body_named(&b, "pelvis")].x[1],
             -8 * 0.17 + 0.125, 0.05);
  tear_down(&b);
}

/* ---- Billiards ----------------------------------------------------------------------------------------- */

/* Returns the largest distance of a ball from the mirror image: ball i of a row corresponds to ball row + 1 -
 * i. */
static double asymmetry(const bench *b)
{
  double worst = fabs(b->state->pose[body_named(b, "white")].x[1]);
  for (int row = 1; row <= 5; row++)
    for (int i = 1; i <= row; i++) {
      char one[16], other[16];
      snprintf(one, sizeof one, "ball%d_%d", row, i);
      snprintf(other, sizeof other, "ball%d_%d", row, row + 1 - i);
      const double *x = b->state->pose[body_named(b, one)].x, *y = b->state->pose[body_named(b, other)].x;
      worst = larger(worst, hypot(x[0] - y[0], x[1] + y[1]));
    }
  return worst;
}

/* On a table without friction, before a ball reaches a cushion, the momentum is that of the white ball.
 * Impacts located in time separate the balls for good; a rounding error grows tenfold at each impact. */
static void billiard_break_conserves_momentum_and_symmetry(void **unused)
{
  (void)unused;
  static const char *const specs[] = { "impulse-contact", "impulse-contact:restitution=newton", "moreau",
                                       "moreau:sequence=chain", "events" };
  for (size_t s = 0; s < COUNT(specs); s++) {
    bench b = set_up_as("billiard_break", WITH("friction=0"), specs[s]);
    double P[3];
    must_converge(&b, 0.001, 0.18, NULL, NULL);
    momentum_of(&b, P);
    double remaining = b.summary.energy_final / b.summary.energy_initial;
    printf(" %s: %.4f of the energy remains\n", specs[s], remaining);
    check_near("momentum along the stroke, N s", P[0], 0.17 * 8, 1e-8);
    check_below("momentum across, N s", P[1], 1e-8);
    check_below("energy gained in a step, J", b.summary.energy_gain, 1e-9);
    check_below("asymmetry, m", asymmetry(&b), 1e-8);
    assert_true(remaining < 1);
    tear_down(&b);
  }
}

/* ---- Rimless wheel ------------------------------------------------------------------------------------- */

/* Returns the integral between impacts, over the moment about the foot: rate^2 / 2 plus the height of the
 * hub. */
static double orbit(const bench *b, double slope, double alpha, double I)
{
  const hn_pose *x = &b->state->pose[2];
  const double angle = 2 * atan2(-x->q[3], x->q[0]); /* clockwise */
  const double phi = remainder(angle - alpha, 2 * alpha);
  return 0.5 * pow(b->state->twist[2].w[2], 2) + g / I * cos(phi + slope);
}

/* From any start that passes its first foot, a step reduces the distance to the limit cycle by eta^2, 0.54;
 * 50 steps of 0.7 s by 4e-14. */
static void rimless_wheel_reaches_its_limit_cycle(void **unused)
{
  (void)unused;
  static const char *const starts[] = { "start=0.95", "start=1", "start=1.5" };
  const double alpha = M_PI / 8, slope = 0.1, I = 1.1, eta = (cos(2 * alpha) + 0.1) / I;
  /* rate^2 at the end of a step: */
  const double before = 4 * g * sin(slope) * sin(alpha) / (I * (1 - eta * eta));
  const double exact = 0.5 * before + g / I * cos(alpha + slope);
  for (size_t s = 0; s < COUNT(starts); s++) {
    bench b = set_up_as("rimless_wheel", WITH(starts[s]), RK8);
    must_converge(&b, 0.05, 40, NULL, NULL);
    printf("  %s: %.1f m in 40 s\n", starts[s], b.state->pose[2].x[0]);
    check_below("energy error of the limit cycle, rad^2/s^2", orbit(&b, slope, alpha, I) - exact, 1e-10);
    tear_down(&b);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(walking_distance_of_twenty_steps),
    cmocka_unit_test(toppled_machine_lands_on_its_back),
    cmocka_unit_test(car_accelerates_by_its_motors),
    cmocka_unit_test(car_turns_by_its_steering),
    cmocka_unit_test(truck_drives_and_tips_its_bed),
    cmocka_unit_test(limits_keep_the_order_of_a_ragdoll),
    cmocka_unit_test(stops_keep_the_order_of_a_car),
    cmocka_unit_test(ragdoll_falls_down_the_stairs),
    cmocka_unit_test(billiard_break_conserves_momentum_and_symmetry),
    cmocka_unit_test(jellett_integral_is_constant),
    cmocka_unit_test(rimless_wheel_reaches_its_limit_cycle),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
