/* test_machines_events.c - machines on the ground in solver events: redundant contacts, slow transitions and
 * rest. Compared with closed forms, time stepping, and other step sizes. */
#include "scenes.h"
#include "run.h"
#include "base/vec.h"

/* ---- The law of accelerations -------------------------------------------------------------------------- */

/* The tolerance of the law is relative to accelerations, and 1e4 times as large with sliding contacts.
 * Fallbacks use the same tolerance. */
static void fallbacks_have_the_same_tolerance(void **unused)
{
  (void)unused;
  bench b = set_up("sliding_cubes", "events:contact=pgs:then=newton,sweeps=30");
  must_converge(&b, 0.01, 0.2, NULL, NULL);
  check_near("contradictions", (double)b.summary.contradictions, 0, 0);
  tear_down(&b);
}

/* The boxes of a pyramid have redundant contacts, whose rows contradict each other by rounding. Steps with
 * such problems are counted, and are no contradictions of the law. */
static void inconsistent_contacts_are_counted(void **unused)
{
  (void)unused;
  bench b = set_up("pyramid", "events:contact=admm");
  must_converge(&b, 0.004, 0.02, NULL, NULL);
  printf("  %d steps at the level of rounding\n", (int)b.summary.rounding_steps);
  assert_true(b.summary.rounding_steps > 0);
  check_near("contradictions", (double)b.summary.contradictions, 0, 0);
  tear_down(&b);
}

/* ---- The walking machine ------------------------------------------------------------------------------- */

/* Three sticking feet give nine equations for six degrees of freedom. At the start, and whenever the cranks
 * are at rest, all six feet are in contact, and only the third derivative determines which of them lift. Each
 * step is 2 (c + l sin(lean) + r lean); a step of rk4 errs by less than 1e-8 of the 0.3 m of a foot. */
static void machine_walks_on_redundant_feet(void **unused)
{
  (void)unused;
  enum { TURNS = 4 };
  const double lean = atan2(0.06, 0.3), step = 2 * (0.06 + 0.45 * sin(lean) + 0.03 * lean);
  bench b = set_up("walking_ground", "events");
  const int body = body_named(&b, "body");
  must_converge(&b, 0.01, TURNS * M_PI / 2, NULL, NULL);
  check_near("four steps, m", b.state->pose[body].x[0], TURNS * step, 1e-6);
  check_below("lateral displacement, m", fabs(b.state->pose[body].x[2]), 1e-12);
  check_below("penetration of the ground, m", b.summary.contact.penetration, 1e-11);
  tear_down(&b);
}

/* ---- The ragdoll --------------------------------------------------------------------------------------- */

/* On its feet, with knees at their stops: one foot slides, then the other one starts, so slowly that its
 * acceleration is 1e-7 of the others. Time stepping agrees up to a few steps of displacement at 1.5 m/s. */
static void feet_of_a_ragdoll_start_to_slide(void **unused)
{
  (void)unused;
  const double until = 0.5, h = 0.0005;
  double difference[3];
  bench b = set_up("ragdoll_stairs", "events"), steps = set_up("ragdoll_stairs", "moreau");
  const int pelvis = body_named(&b, "pelvis");
  must_converge(&b, 0.002, until, NULL, NULL);
  must_converge(&steps, h, until, NULL, NULL);
  vec_sub(difference, b.state->pose[pelvis].x, steps.state->pose[pelvis].x);
  check_below("difference of the pelvis from moreau, m", vec_norm(difference), 4 * 1.5 * h);
  check_below("energy gained in a step, J", b.summary.energy_gain, 1e-10);
  check_below("penetration, m", b.summary.contact.penetration, 1e-10);
  tear_down(&b), tear_down(&steps);
}

/* Compares a body of a scene in solver events with steps of 1 and 2 ms. */
static void compare_step_sizes(const char *scene, const char *body, double until, double gain, double bound)
{
  double x[2][3], difference[3];
  for (int k = 0; k < 2; k++) {
    bench b = set_up(scene, "events");
    must_converge(&b, 0.001 * (k + 1), until, NULL, NULL);
    memcpy(x[k], b.state->pose[body_named(&b, body)].x, sizeof x[k]);
    check_below("energy gained in a step, J", b.summary.energy_gain, gain);
    check_below("penetration, m", b.summary.contact.penetration, 1e-10);
    tear_down(&b);
  }
  vec_sub(difference, x[0], x[1]);
  printf("%s of %s\n", body, scene);
  check_below("difference of steps of 1 and 2 ms, m", vec_norm(difference), bound);
}

/* At 0.583 s a shin lands flat on the end of a stair and rotates about it: the end of the stair is a corner
 * below the side of the shin, which has the normal. Time stepping with 1 ms errs by 5 mm there. */
static void shin_rotates_about_the_end_of_a_stair(void **unused)
{
  (void)unused;
  compare_step_sizes("ragdoll_stairs", "pelvis", 1.0, 1e-10, 1e-6);
}

/* ---- Dominoes ------------------------------------------------------------------------------------------ */

/* At 0.317 s the foot of the seventh domino, of 48 mm, starts to slide, at first with 1e-5 m/s^2, while the
 * domino has 400 rad/s^2. */
static void foot_of_a_domino_starts_to_slide(void **unused)
{
  (void)unused;
  compare_step_sizes("dominoes", "domino7", 0.4, 1e-12, 1e-7);
}

/* Dominoes that lie on each other come to rest by ever smaller impacts. Sides in contact with sides, up to
 * the 1e-9 m that count as contact, are inconsistent by that times their speeds over their lengths. No run
 * fails for this reason; the number of such problems depends on rounding. */
static void dominoes_come_to_rest(void **unused)
{
  (void)unused;
  for (int k = 1; k <= 2; k++) {
    bench b = set_up("dominoes", "events");
    must_converge(&b, 0.001 * k, 1, NULL, NULL);
    double fastest = 0;
    for (int i = 2; i < b.model->nbody; i++) fastest = fmax(fastest, vec_norm(b.state->twist[i].v));
    printf("  steps of %d ms: %d contradictions\n", k, (int)b.summary.contradictions);
    check_below("largest speed after 1 s, m/s", fastest, 1e-12);
    check_below("penetration, m", b.summary.contact.penetration, 1e-10);
    tear_down(&b);
  }
}

/* Returns the acceleration of the gap at the foot of domino BODY due to a unit normal force, 1/kg, while the
 * foot slides along DIRECTION: n'W (n - mu d). Negative: Painleve's paradox. */
static double painleve_number(const bench *b, int body, double mu, double direction)
{
  const double half[3] = { 0.0075 / 2, -0.048 / 2, 0 };
  double r[3];
  quat_rotate(r, b->state->pose[body].q, half);
  const double inertia = b->model->body[body].J[2];
  return 1 / b->model->body[body].mass + r[0] * (r[0] + mu * direction * r[1]) / inertia;
}

/* With friction, the dominoes lie on each other and stick, and the last three slide. The forces between the
 * resting ones are not unique, and the friction of the sliding ones depends on them. The motion keeps to
 * one of the solutions. A foot that slides backwards would be driven into the floor by its friction. */
static void resting_dominoes_share_friction(void **unused)
{
  (void)unused;
  bench b = set_up_as("dominoes", WITH("friction=0.2"), "events");
  must_converge(&b, 0.0002, 0.539, NULL, NULL);
  check_below("penetration, m", b.summary.contact.penetration, 1e-10);
  const int body = body_named(&b, "domino5");
  check_near("foot sliding backwards, 1/kg", painleve_number(&b, body, 10, -1), -791.6, 1);
  check_near("foot sliding forwards, 1/kg", painleve_number(&b, body, 10, 1), 1487, 1);
  tear_down(&b);
}

/* ---- The car ------------------------------------------------------------------------------------------- */

static void drive(const char *spec, double h, double until, double x[3])
{
  bench b = set_up("car_road", spec);
  must_converge(&b, h, until, NULL, NULL);
  memcpy(x, b.state->pose[body_named(&b, "chassis")].x, 3 * sizeof *x);
  tear_down(&b);
}

/* From 4 s on the car steers, and its four wheels have no common centre: they creep by 1e-8 to 1e-2 m/s, and
 * friction rotates that slip at 1e4 to 1e9 1/s. Time stepping converges to this motion with its order. At 9
 * m/s a step of 2 ms is 18 mm, by which control, which steers once per step, may be late. */
static void wheels_of_a_car_creep_as_it_steers(void **unused)
{
  (void)unused;
  static const char creeping[] = "events:creep=led,inner=lagrange:redundancy=remove:stepper=rk8pd";
  const double until = 4.2, h[3] = { 0.001, 0.0005, 0.00025 };
  double x[2][3], steps[3], difference[3], distance[3];
  drive(creeping, 0.002, until, x[0]), drive(creeping, 0.001, until, x[1]);
  vec_sub(difference, x[0], x[1]);
  check_below("difference of steps of 1 and 2 ms, m", vec_norm(difference), 2e-3);
  for (int i = 0; i < 3; i++) {
    drive("moreau:contact_tolerance=1e-8", h[i], until, steps);
    vec_sub(difference, x[1], steps);
    distance[i] = vec_norm(difference);
    printf("  moreau with %g ms: difference %.4g m\n", 1e3 * h[i], distance[i]);
  }
  check_near("order of the difference", hn_fit_order(h, distance, 3), 1.0, 0.1);
}

/* ---- The rotating egg ---------------------------------------------------------------------------------- */

/* 13 impacts with slides between them. Half the step size gives equal results up to rounding, so that neither
 * impacts nor located event times amplify errors. Slow slips rotate by 2500 rad/s, where rk8pd errs by some
 * 1e-8 m. */
static void impacts_of_an_egg_keep_the_accuracy(void **unused)
{
  (void)unused;
  double x[3][3], difference[3];
  static const struct {
    const char *spec;
    double h;
  } runs[] = { { "events:inner=taylor:order=20", 0.002 },
               { "events:inner=taylor:order=20", 0.001 },
               { "events:inner=lagrange:stepper=rk8pd", 0.001 } };
  for (int i = 0; i < 3; i++) {
    bench b = set_up("rotating_egg", runs[i].spec);
    must_converge(&b, runs[i].h, 0.6, NULL, NULL);
    memcpy(x[i], b.state->pose[body_named(&b, "egg")].x, sizeof x[i]);
    assert_int_equal(b.summary.events[HN_EVENT_IMPACT], 13);
    tear_down(&b);
  }
  vec_sub(difference, x[0], x[1]);
  check_below("taylor, difference of steps of 1 and 2 ms, m", vec_norm(difference), 1e-12);
  vec_sub(difference, x[2], x[1]);
  check_below("difference of rk8pd, m", vec_norm(difference), 1e-6);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(fallbacks_have_the_same_tolerance),
    cmocka_unit_test(inconsistent_contacts_are_counted),
    cmocka_unit_test(machine_walks_on_redundant_feet),
    cmocka_unit_test(feet_of_a_ragdoll_start_to_slide),
    cmocka_unit_test(shin_rotates_about_the_end_of_a_stair),
    cmocka_unit_test(foot_of_a_domino_starts_to_slide),
    cmocka_unit_test(dominoes_come_to_rest),
    cmocka_unit_test(resting_dominoes_share_friction),
    cmocka_unit_test(wheels_of_a_car_creep_as_it_steers),
    cmocka_unit_test(impacts_of_an_egg_keep_the_accuracy),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
