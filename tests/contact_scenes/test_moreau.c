/* test_moreau.c - solver moreau on scenes with known results: sliding, rolling, impacts, stacks that stand or
 * fall. Bounds follow from closed forms: with theta = 1 a step uses its final velocity. That is exact under
 * constant force, with position errors of h / 2 times the change of velocity since the start. */
#include "scenes.h"
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

/* ---- Sliding and rolling ------------------------------------------------------------------------------- */

typedef struct stop {
  double at[3];   /* position at 1.1 s, 0.08 s after the stop */
  double fastest; /* m/s since then */
} stop;

static bool watch_stop(void *user, const hn_frame *frame)
{
  stop *s = user;
  const hn_state *state = frame->state;
  if (state->time < 1.1) memcpy(s->at, state->pose[2].x, sizeof s->at);
  else s->fastest = larger(s->fastest, sqrt(vec_dot(state->twist[2].v, state->twist[2].v)));
  return true;
}

/* v0 = 5 m/s, mu = 0.5: the block stops after 2.548419979612640 m. theta = 1 errs by v0 h / 2, the last step
 * by at most mu g h^2 / 8 = 0.6 h^2. */
static void block_stops_with_order_1(void **unused)
{
  (void)unused;
  double x[6], y[6], sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (int i = 0; i < 6; i++) {
    const double h = 0.01 / (1 << i);
    char what[64];
    stop s = { { 0 }, 0 };
    bench b = set_up_as("sliding_cubes", WITH("level=true"), "moreau");
    must_converge(&b, h, 2, watch_stop, &s);
    const double error = b.state->pose[2].x[0] - 2.54841997961264016310;
    snprintf(what, sizeof what, "h = %g s: position of the stop + v0 h / 2, m", h);
    check_below(what, error + 2.5 * h, 0.62 * h * h + 1e-9);
    check_below("  displacement since 1.1 s, m", b.state->pose[2].x[0] - s.at[0], 1e-11);
    check_below("  largest speed since 1.1 s, m/s", s.fastest, 1e-11); /* tolerance of the law */
    x[i] = log(h), y[i] = log(fabs(error));
    sx += x[i], sy += y[i], sxx += x[i] * x[i], sxy += x[i] * y[i];
    tear_down(&b);
  }
  check_near("order of the position of the stop", (6 * sxy - sx * sy) / (6 * sxx - sx * sx), 1.0, 0.01);
}

static void rolling_bodies_accelerate_as_expected(void **unused)
{
  (void)unused;
  static const struct {
    const char *name;
    double a;
  } rolls[] = {
    { "sphere", 3.503571428571428571 },
    { "cylinder", 3.27 },
    { "hoop", 2.4525 },
  };
  static const char *const specs[] = { "moreau:contact_tolerance=1e-12",
                                       "moreau:contact=newton,contact_tolerance=1e-12",
                                       "moreau:contact=admm,contact_tolerance=1e-11" };
  for (int k = 0; k < 3; k++) {
    bench b = set_up_as("rolling", NULL, specs[k]);
    must_converge(&b, 0.002, 1, NULL, NULL);
    printf("%s\n", specs[k]);
    for (int i = 0; i < 3; i++) {
      const hn_twist *u = &b.state->twist[body_named(&b, rolls[i].name)];
      check_near(rolls[i].name, u->v[0], rolls[i].a, 1e-8);
      check_below("  v - omega r, m/s", u->v[0] - 0.25 * u->w[1], 1e-12);
    }
    tear_down(&b);
  }
}

/* The transition to rolling at 0.2912 s falls inside a step; from then on the speed is that of the closed
 * form. */
static void ball_slides_until_it_rolls(void **unused)
{
  (void)unused;
  bench b = set_up_as("sliding_to_rolling", NULL, "moreau:theta=0.5,contact_tolerance=1e-12");
  hn_error error;
  const double h = 0.001, start_of_rolling = 0.2912479976700160186, mu_g = 0.2 * 9.81;
  double rolls = NAN, x = NAN;
  hn_run_options options = { .step = h, .duration = 0.5 };
  hn_runner *runner = hn_runner_create(b.solver, b.state, &options, &error);
  assert_non_null(runner);
  while (!hn_runner_ended(runner) && hn_runner_step(runner) == HN_CONVERGED) {
    const hn_twist *u = &b.state->twist[2];
    if (isnan(rolls) && fabs(u->v[0] - 0.1 * u->w[1]) < 1e-9)
      rolls = b.state->time, x = b.state->pose[2].x[0];
  }
  hn_runner_finish(runner, &b.summary);
  check_near("starts to roll, s", rolls, start_of_rolling + 0.5 * h, 0.5 * h + 1e-12);
  check_near("  at x, m", x - (10.0 / 7.0) * (rolls - start_of_rolling), 0.4992822817200274605,
             mu_g * h * h / 8 + 1e-12);
  check_near("  speed from then on, m/s", b.state->twist[2].v[0], 10.0 / 7.0, 1e-11);
  tear_down(&b);
}

/* ---- Balls on a tray ----------------------------------------------------------------------------------- */

typedef struct tray {
  double along[3], square, lift;
  long count;
} tray;

/* Accumulates squared velocity errors of the tray and, averaged, of the balls. */
static bool watch_tray(void *user, const hn_frame *frame)
{
  tray *w = user;
  const hn_state *state = frame->state;
  const double a = (150.0 - 0.4 * 35.0 * 9.81) / (10.0 + 25.0 / 3.5), t = state->time;
  for (int i = 2; i < state->nbody; i++) {
    double e[3];
    for (int c = 0; c < 3; c++) e[c] = state->twist[i].v[c] - w->along[c] * a * t / (i == 2 ? 1.0 : 3.5);
    w->square += vec_dot(e, e) / (i == 2 ? 1.0 : state->nbody - 3);
  }
  w->lift = larger(w->lift, state->twist[2].v[2]);
  w->count++;
  return true;
}

static tray pull_tray(const char *spec, const char *angle, double duration)
{
  tray w = { { cos(atof(angle)), sin(atof(angle)), 0 }, 0, 0, 0 };
  char setting[64];
  snprintf(setting, sizeof setting, "angle=%s", angle);
  bench b = set_up_as("ball_tray", WITH(setting), spec);
  must_converge(&b, 0.001, duration, watch_tray, &w);
  w.square /= (double)w.count;
  tear_down(&b);
  return w;
}

static void balls_roll_on_a_sliding_tray(void **unused)
{
  (void)unused;
  static const char exact[] = "moreau:contact=newton,contact_tolerance=1e-13";
  check_below("newton, force at 60 degrees: mean square, m^2/s^2",
              pull_tray(exact, "1.0471975511965976", 4).square, 1e-24);
  check_below("newton, force along x", pull_tray(exact, "0", 1).square, 1e-24);
}

/* Friction pyramids: at 60 degrees neither tangent reaches mu N and nothing moves. The error is the whole
 * motion, a^2 (1 + 1 / 3.5^2) T^2 / 3 (published for ODE and DART: 3.14). Along a tangent pyramids are
 * exact. */
static void friction_pyramid_holds_the_tray(void **unused)
{
  (void)unused;
  static const char pyramid[] = "moreau:contact=pgs:local=pyramid";
  const double a = (150.0 - 0.4 * 35.0 * 9.81) / (10.0 + 25.0 / 3.5);
  check_near("pyramid, force at 60 degrees: mean square, m^2/s^2",
             pull_tray(pyramid, "1.0471975511965976", 1).square, a * a * (1 + 1 / 12.25) / 3, 1e-3);
  check_below("pyramid, force along x", pull_tray(pyramid, "0", 0.2).square, 1e-12);
}

/* The relaxed law v_n + g / h = mu |v_t| holds a sliding contact at the height h mu |v_t|. */
static void relaxed_law_lifts_the_tray(void **unused)
{
  (void)unused;
  const double h = 0.001;
  bench b = set_up_as("ball_tray", NULL, "moreau:contact=apgd,contact_tolerance=1e-8,stabilisation=none");
  must_converge(&b, h, 0.2, NULL, NULL);
  const double *v = b.state->twist[2].v;
  check_near("height of the tray above the floor, m", b.state->pose[2].x[2] - 0.5,
             h * 0.4 * hypot(v[0], v[1]), h * 1e-7);
  printf("  its speed %g m/s, %g in the closed form\n", hypot(v[0], v[1]),
         (150.0 - 0.4 * 35.0 * 9.81) / (10.0 + 25.0 / 3.5) * 0.2);
  tear_down(&b);
}

/* ---- Impacts ------------------------------------------------------------------------------------------- */

typedef struct overlap {
  double square;
  long count;
} overlap;

/* Accumulates squared penetrations of all pairs of balls and of balls with the floor, from the positions
 * alone. */
static bool watch_overlap(void *user, const hn_frame *frame)
{
  overlap *w = user;
  const hn_state *state = frame->state;
  for (int i = 2; i < state->nbody; i++) {
    double square = pow(fmax(0.1 - state->pose[i].x[2], 0.0), 2);
    for (int j = 2; j < i; j++) {
      double d[3];
      vec_sub(d, state->pose[i].x, state->pose[j].x);
      square += pow(fmax(0.2 - sqrt(vec_dot(d, d)), 0.0), 2);
    }
    w->square += square, w->count++;
  }
  return true;
}

/* The projection must not stall at the first impact: contacts of the fixed floor share no mass with
 * others. */
static void balls_do_not_penetrate(void **unused)
{
  (void)unused;
  overlap w = { 0, 0 };
  bench b = set_up("balls216", "moreau");
  must_converge(&b, 0.001, 0.5, watch_overlap, &w);
  check_below("216 balls: mean square of penetration, m^2", w.square / (double)w.count, 1e-12);
  tear_down(&b);
}

/* One step, against the closed form in the header of scenes/rod_impact.lua. */
static void rod_impact_has_one_impulse(void **unused)
{
  (void)unused;
  static const char *const specs[] = { "moreau:contact_tolerance=1e-14",
                                       "moreau:contact=newton,contact_tolerance=1e-13",
                                       "moreau:contact=admm,contact_tolerance=1e-13" };
  for (int k = 0; k < 3; k++) {
    bench b = set_up("rod_impact", specs[k]);
    must_converge(&b, 0.001, 0.001, NULL, NULL);
    const int rod = body_named(&b, "rod");
    double largest = 0.0;
    for (int i = 0; i < b.state->ncontact; i++) largest = larger(largest, b.state->contact[i].impulse[0]);
    printf("%s\n", specs[k]);
    check_near("impulse, N s", largest, .4615384615384615385, 1e-12);
    check_near("velocity, m/s", b.state->twist[rod].v[2], -.5384615384615384615, 1e-12);
    check_near("rate, rad/s", fabs(b.state->twist[rod].w[1]), 2.398224195095368560, 1e-12);
    tear_down(&b);
  }
}

typedef struct bounces {
  double heights[4], v;
  int count;
} bounces;

static bool watch_bounces(void *user, const hn_frame *frame)
{
  bounces *w = user;
  const double v = frame->state->twist[2].v[2];
  if (w->v < 0.0 && v > 0.0 && w->count < 4) w->heights[w->count++] = frame->state->time;
  w->v = v;
  return true;
}

/* An impact is placed at the step in which the gap would close. Each of the k flights before it is at most a
 * step too long or too short, and its speed wrong by g h, so that later flights err as well. */
static void ball_bounces_at_the_expected_times(void **unused)
{
  (void)unused;
  static const double expected[] = { .451523640985731, .903047281971462, 1.12880910246433 };
  const double h = 1e-4;
  bounces w = { { 0 }, 0, 0 };
  bench b = set_up("bouncing_balls", "moreau");
  must_converge(&b, h, 2, watch_bounces, &w);
  assert_true(w.count == 4);
  for (int k = 0; k < 3; k++) check_near("impact, s", w.heights[k], expected[k], (k + 1) * 3 * h);
  check_below("speed at 2 s, m/s", b.state->twist[2].v[2], 1e-12);
  check_below("  height above the floor, m", b.state->pose[2].x[2] - 0.1, 1e-12);
  tear_down(&b);
}

/* e = 1: an impact returns the speed at the start of the step, at a height that is wrong by up to v h: m g v
 * h per impact, of order h. */
static void energy_of_bounces_is_of_order_1(void **unused)
{
  (void)unused;
  for (double h = 1e-3; h > 1e-4; h /= 3) {
    char what[64];
    bench b = set_up_as("bouncing_balls", WITH("restitution=1"), "moreau");
    must_converge(&b, h, 5, NULL, NULL);
    const double impacts = 6, v = sqrt(2 * 9.81); /* at 0.45 s, then every 0.9 s */
    snprintf(what, sizeof what, "h = %.2g s: change of energy after five seconds, J", h);
    check_below(what, b.summary.energy_final - b.summary.energy_initial,
                (1 + 2 * impacts) * 10 * 9.81 * v * h);
    tear_down(&b);
  }
}

/* ---- Resting bodies ------------------------------------------------------------------------------------ */

typedef struct fall {
  double when;
} fall;

/* A stack counts as fallen when a box has turned by half a radian, or its top has moved by half a box. */
static bool watch_fall(void *user, const hn_frame *frame)
{
  fall *w = user;
  const hn_state *state = frame->state;
  for (int i = 2; i < state->nbody && isnan(w->when); i++)
    if (fabs(state->pose[i].q[3]) > 0.25 || fabs(state->pose[i].x[0]) > 0.25) w->when = state->time;
  return isnan(w->when);
}

/* The stack of Gribel's thesis, its boxes shifted by 1 mm left and right in turn: a perfect stack has no
 * disturbance. */
static void inaccurately_solved_stack_falls(void **unused)
{
  (void)unused;
  static const struct {
    const char *spec;
    bool stands;
  } cases[] = {
    { "moreau:contact=pgs,stabilisation=baumgarte,erp=0.4,slop=0.002,contact_tolerance=0,sweeps=10,"
      "warm_start=false",
      false },
    { "moreau:contact=pgs,stabilisation=baumgarte,erp=0.4,slop=0.002,contact_tolerance=0,sweeps=50,"
      "warm_start=false",
      false },
    { "moreau:contact=pgs,stabilisation=baumgarte,erp=0.4,slop=0.002,contact_tolerance=0,sweeps=100,"
      "warm_start=false",
      false },
    { "moreau:contact=pgs,stabilisation=baumgarte,erp=0.4,slop=0.002,contact_tolerance=0,sweeps=10", false },
    { "moreau:contact=pgs,stabilisation=baumgarte,erp=0.4,slop=0.002,contact_tolerance=0,sweeps=50", false },
    { "moreau:contact=pgs,stabilisation=baumgarte,erp=0.4,slop=0.002,contact_tolerance=0,sweeps=100", false },
    { "moreau:contact=newton", true },
    { "moreau:contact=admm", true },
  };
  double before = 0.0; /* time of the fall with fewer sweeps, without warm start */
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    fall w = { NAN };
    bench b = set_up_as("stack", WITH("offset=0.001"), cases[k].spec);
    run(&b, 0.01, 15, watch_fall, &w);
    const bool stood = isnan(w.when);
    printf("  %-100s %s %g s\n", cases[k].spec, stood ? "stands" : "falls at",
           stood ? b.state->time : w.when);
    if (k < 3) assert_true(w.when > before);
    before = w.when;
    if (cases[k].stands) assert_true(isnan(w.when) && b.state->time > 14.99);
    tear_down(&b);
  }
}

/* Cards inclined by 15 degrees: tan(15 degrees) = 0.26795. */
static void cards_stand_by_friction(void **unused)
{
  (void)unused;
  static const char *const friction[] = { "friction=0.264", "friction=0.272" };
  for (int k = 0; k < 2; k++) {
    bench b = set_up_as("card_house", WITH("storeys=1", friction[k]), "moreau:contact=newton");
    const double before = b.state->pose[body_named(&b, "card1_1l")].x[2];
    must_converge(&b, 0.002, 1, NULL, NULL);
    const double sunk = before - b.state->pose[body_named(&b, "card1_1l")].x[2];
    printf("  %s: the middle settled by %g m\n", friction[k], sunk);
    if (k == 0) assert_true(sunk > 0.04);
    else check_below("  settlement, m", sunk, 1e-12);
    tear_down(&b);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(block_stops_with_order_1),
    cmocka_unit_test(rolling_bodies_accelerate_as_expected),
    cmocka_unit_test(ball_slides_until_it_rolls),
    cmocka_unit_test(balls_roll_on_a_sliding_tray),
    cmocka_unit_test(friction_pyramid_holds_the_tray),
    cmocka_unit_test(relaxed_law_lifts_the_tray),
    cmocka_unit_test(balls_do_not_penetrate),
    cmocka_unit_test(rod_impact_has_one_impulse),
    cmocka_unit_test(ball_bounces_at_the_expected_times),
    cmocka_unit_test(energy_of_bounces_is_of_order_1),
    cmocka_unit_test(inaccurately_solved_stack_falls),
    cmocka_unit_test(cards_stand_by_friction),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
