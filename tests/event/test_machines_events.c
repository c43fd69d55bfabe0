/* test_machines_events.c - machines on the ground by `events`: what is redundant there,
 * and what starts from rest. */
#include "scenes.h"
#include "run.h"
#include "base/vec.h"

/* ---- The law of accelerations -------------------------------------------------------------------------- */

/* The law is solved to a part of its accelerations, and of 1e4 times as much where something slides: who goes
 * on where a solver does not get there is asked for no more than that. */
static void who_goes_on_is_asked_for_the_same(void **unused)
{
  (void)unused;
  bench b = set_up("sliding_cubes", "events:contact=pgs:then=newton,sweeps=30");
  must_converge(&b, 0.01, 0.2, NULL, NULL);
  check_near("its contradictions", (double)b.summary.contradictions, 0, 0);
  tear_down(&b);
}

/* A table on four legs has more friction than it takes. Asked for less than roundings it
 * says that it got no further. */
static void what_is_met_as_well_as_it_can_be_is_counted(void **unused)
{
  (void)unused;
  bench b = set_up("table", "events:contact=admm,contact_tolerance=1e-16");
  must_converge(&b, 0.002, 0.002, NULL, NULL);
  printf("  %d contradictions\n", (int)b.summary.contradictions);
  assert_true(b.summary.contradictions > 0);
  tear_down(&b);
}

/* ---- The walking machine ------------------------------------------------------------------------------- */

/* Three feet that stick say nine things of the six that a body can do; at the start, and whenever its cranks
 * are at rest, all six stand, and only the third derivative says which of them lift. Each step is 2 (c + l
 * sin(lean) + r lean); a step of rk4 errs by less than 1e-8 of the 0.3 m that a foot goes. */
static void it_walks_on_redundant_feet(void **unused)
{
  (void)unused;
  enum { TURNS = 4 };
  const double lean = atan2(0.06, 0.3), step = 2 * (0.06 + 0.45 * sin(lean) + 0.03 * lean);
  bench b = set_up("walking_ground", "events");
  const int body = body_named(&b, "body");
  must_converge(&b, 0.01, TURNS * M_PI / 2, NULL, NULL);
  check_near("four steps, m", b.state->pose[body].x[0], TURNS * step, 1e-6);
  check_below("beside its way, m", fabs(b.state->pose[body].x[2]), 1e-6);
  check_below("into the ground, m", b.summary.contact.penetration, 1e-8);
  tear_down(&b);
}

/* ---- The ragdoll -------------------------------------------------------------------------------------- */

/* On its feet, knees at their stops: one foot slides, and then the other one begins to, so slowly that its
 * acceleration is 1e-7 of those at hand. Time stepping is there but for some steps' ways, at 1.5 m/s. */
static void feet_of_a_ragdoll_begin_to_slide(void **unused)
{
  (void)unused;
  const double until = 0.5, h = 0.0005;
  double off[3];
  bench b = set_up("ragdoll_stairs", "events"), steps = set_up("ragdoll_stairs", "moreau");
  const int pelvis = body_named(&b, "pelvis");
  must_converge(&b, 0.002, until, NULL, NULL);
  must_converge(&steps, h, until, NULL, NULL);
  vec_sub(off, b.state->pose[pelvis].x, steps.state->pose[pelvis].x);
  check_below("its pelvis beside that of moreau, m", vec_norm(off), 4 * 1.5 * h);
  check_below("energy gained in a step, J", b.summary.energy_gain, 1e-9);
  check_below("into a step, m", b.summary.contact.penetration, 1e-9);
  tear_down(&b), tear_down(&steps);
}

/* BODY of SCENE by events, with steps of 1 and of 2 ms. */
static void both_steps_lead_there(const char *scene, const char *body, double until, double gain,
                                  double apart)
{
  double x[2][3], off[3];
  for (int k = 0; k < 2; k++) {
    bench b = set_up(scene, "events");
    must_converge(&b, 0.001 * (k + 1), until, NULL, NULL);
    memcpy(x[k], b.state->pose[body_named(&b, body)].x, sizeof x[k]);
    check_below("energy gained in a step, J", b.summary.energy_gain, gain);
    check_below("into a step or another one, m", b.summary.contact.penetration, 1e-9);
    tear_down(&b);
  }
  vec_sub(off, x[0], x[1]);
  printf("%s of %s\n", body, scene);
  check_below("with steps of 1 and 2 ms, m", vec_norm(off), apart);
}

/* At 0.583 s a shin comes down flat on the end of a stair, and turns about it: the end of the stair is a
 * corner below the side of the shin, which has the normal. Time stepping with 1 ms is 5 mm off there. */
static void a_shin_turns_about_the_end_of_a_stair(void **unused)
{
  (void)unused;
  both_steps_lead_there("ragdoll_stairs", "pelvis", 1.0, 1e-9, 1e-6);
}

/* ---- Dominoes ------------------------------------------------------------------------------------------ */

/* At 0.317 s the seventh domino, of 48 mm, leans so that its foot begins to slide, at first by 1e-5 m/s^2,
 * where it has 400 rad/s^2. */
static void the_foot_of_a_domino_begins_to_slide(void **unused)
{
  (void)unused;
  both_steps_lead_there("dominoes", "domino7", 0.4, 1e-12, 1e-7);
}

/* When they lie on each other they come to rest by impacts of ever less. Sides that lie on sides, but for the
 * 1e-9 m that count as touching, contradict each other by that, times their speeds over their lengths. */
static void dominoes_come_to_rest(void **unused)
{
  (void)unused;
  unsigned long contradictions = 0;
  for (int k = 1; k <= 2; k++) {
    bench b = set_up("dominoes", "events");
    must_converge(&b, 0.001 * k, 1, NULL, NULL);
    double fastest = 0;
    for (int i = 2; i < b.model->nbody; i++) fastest = fmax(fastest, vec_norm(b.state->twist[i].v));
    printf("  steps of %d ms: %d contradictions\n", k, (int)b.summary.contradictions);
    contradictions += (unsigned long)b.summary.contradictions;
    check_below("the fastest after 1 s, m/s", fastest, 1e-6);
    check_below("into another one, m", b.summary.contact.penetration, 2e-9);
    tear_down(&b);
  }
  assert_true(contradictions > 0);
}

/* ---- The car ------------------------------------------------------------------------------------------ */

static void drive(const char *spec, double h, double until, double x[3])
{
  bench b = set_up("car_road", spec);
  must_converge(&b, h, until, NULL, NULL);
  memcpy(x, b.state->pose[body_named(&b, "chassis")].x, 3 * sizeof *x);
  tear_down(&b);
}

/* From 4 s on it steers, and four wheels do not agree on a centre: they creep by 1e-8 to 1e-2 m/s, and friction
 * turns that slip at 1e4 to 1e9 1/s. Time stepping comes there with its order; at 9 m/s steps of 2 ms are 18 mm,
 * of which control, which steers by the step, is late by one. */
static void wheels_of_a_car_creep_as_it_steers(void **unused)
{
  (void)unused;
  static const char led[] = "events:creep=led,inner=lagrange:redundancy=remove:stepper=rk8pd";
  const double until = 4.2, h[3] = { 0.001, 0.0005, 0.00025 };
  double x[2][3], steps[3], off[3], apart[3];
  drive(led, 0.002, until, x[0]), drive(led, 0.001, until, x[1]);
  vec_sub(off, x[0], x[1]);
  check_below("steps of 1 and 2 ms, m", vec_norm(off), 2e-3);
  for (int i = 0; i < 3; i++) {
    drive("moreau:contact_tolerance=1e-8", h[i], until, steps);
    vec_sub(off, x[1], steps);
    apart[i] = vec_norm(off);
    printf("  moreau with %g ms is %.4g m off\n", 1e3 * h[i], apart[i]);
  }
  check_near("order of that", hn_fit_order(h, apart, 3), 1.0, 0.1);
}

/* ---- The rotating egg --------------------------------------------------------------------------------- */

/* Through 13 impacts and the slides between them. Steps of half the size end where whole ones do but for
 * roundings, so that neither impacts nor instants that are found make errors grow. Where slips are slow
 * they turn by 2500 rad/s, and rk8pd is off by some 1e-8 m there. */
static void impacts_of_an_egg_keep_what_taylor_knows(void **unused)
{
  (void)unused;
  double x[3][3], off[3];
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
  vec_sub(off, x[0], x[1]);
  check_below("taylor, with steps of 1 and 2 ms, m", vec_norm(off), 1e-12);
  vec_sub(off, x[2], x[1]);
  check_below("rk8pd beside it, m", vec_norm(off), 1e-6);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(who_goes_on_is_asked_for_the_same),
    cmocka_unit_test(what_is_met_as_well_as_it_can_be_is_counted),
    cmocka_unit_test(it_walks_on_redundant_feet),
    cmocka_unit_test(feet_of_a_ragdoll_begin_to_slide),
    cmocka_unit_test(a_shin_turns_about_the_end_of_a_stair),
    cmocka_unit_test(the_foot_of_a_domino_begins_to_slide),
    cmocka_unit_test(dominoes_come_to_rest),
    cmocka_unit_test(wheels_of_a_car_creep_as_it_steers),
    cmocka_unit_test(impacts_of_an_egg_keep_what_taylor_knows),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
