/* test_impact.c - simultaneous impacts, roots and the search for events, as parts of solvers: against closed
 * forms of one impact with friction, and known roots. */
#include "trials.h"
#include "parts.h"
#include "base/vec.h"
#include "event/event_search.h"
#include "linear/system_parts.h"

#include <float.h>

/* ---- Impacts ------------------------------------------------------------------------------------------- */

/* Writes a disc of 1 kg on a floor, x along it and y up, with its centre of mass at `arm` from the
 * contact. */
static void write_disc(const double arm[2], double J, double mu, double e, double vx, double vy)
{
  char text[1500];
  snprintf(
    text, sizeof text,
    "local scene = require 'holonom.scene'\n"
    "local sys = scene.system { gravity = { 0, 0, 0 }, planar = true }\n"
    "sys:body { name = 'floor', fixed = true, position = { 0, 0, 0 }, friction = %.17g, restitution = "
    "%.17g,\n"
    "           shape = scene.plane { normal = { 0, 1, 0 } } }\n"
    "sys:body { name = 'disc', mass = 1, inertia = %.17g, shape = scene.circle { radius = 0.1 },\n"
    "           centre = { %.17g, %.17g, 0 }, position = { 0, 0.1, 0 }, velocity = { %.17g, %.17g, 0 },\n"
    "           friction = %.17g, restitution = %.17g }\n"
    "sys:contact { margin = 0.05, threshold = 1e-3 }\nreturn sys",
    mu, e, J, -arm[0], -arm[1] - 0.1, vx, vy, mu, e);
  write_bytes(text, strlen(text));
}

/* Computes the normal and tangential impulses of the written scene, by `law` and `solver`; returns the ratio
 * of the energies after and before. */
static double strike(hn_restitution law, const char *solver, double p[2], bool *any)
{
  hn_error error = { "" };
  hn_scene *scene = load_written(NULL, 0);
  hn_solver *host = hn_solver_create("moreau", scene->model, &error);
  assert_non_null(host);
  hn_state *state = hn_state_create(scene->model);
  hn_impact impact = { .restitution = (int)law,
                       .touching = 1e-9,
                       .contact = { .solver = solver, .tolerance = 1e-12, .iterations = 10000 } };
  hn_measure before, after;
  assert_int_equal(hn_impact_setup(host, &impact, &error), 0);
  hn_measure_state(scene->model, state, &before);
  assert_int_equal(hn_system_begin(host->system, state), HN_CONVERGED);
  assert_int_equal(host->system->nblock - host->system->model->njoint, 1);
  hn_system_linearise(host->system, state);
  assert_int_equal(hn_impact_solve(host, &impact, state), HN_CONVERGED);
  hn_measure_state(scene->model, state, &after);
  const double *frame = state->contact[0].frame; /* of the floor, body a, whose normal is up */
  p[0] = impact.p[0], p[1] = impact.p[1] * frame[3];
  *any = impact.any;
  check_below("closing velocity after it, m/s", hn_impact_closing(host, &impact, state), 1e-11);
  hn_impact_free(&impact);
  hn_state_free(state);
  hn_solver_free(host);
  hn_scene_free(scene);
  return after.kinetic / before.kinetic;
}

/* Computes K = K_nn, K_nt, K_tt of that disc. */
static void disc_matrix(const double arm[2], double J, double K[3])
{
  K[0] = 1 + arm[0] * arm[0] / J, K[1] = -arm[0] * arm[1] / J, K[2] = 1 + arm[1] * arm[1] / J;
}

/* Computes the impulse that brings the normal velocity v to 0 by Coulomb's law: sticking, or sliding one
 * way. */
static void compress(const double K[3], double mu, const double v[2], double p[2])
{
  const double det = K[0] * K[2] - K[1] * K[1];
  p[0] = -(K[2] * v[0] - K[1] * v[1]) / det, p[1] = -(K[0] * v[1] - K[1] * v[0]) / det;
  if (fabs(p[1]) <= mu * p[0]) return;
  const double side = p[1] > 0 ? 1 : -1;
  p[0] = -v[0] / (K[0] + side * mu * K[1]), p[1] = side * mu * p[0];
}

/* Returns the friction impulse of the expansion for a given normal impulse: it stops the slip, or is the
 * largest possible. */
static double expansion_friction(const double K[3], double mu, double slip, double normal)
{
  const double holds = -(slip + K[1] * normal) / K[2];
  return fabs(holds) <= mu * normal ? holds : holds > 0 ? mu * normal : -mu * normal;
}

static void impact_friction_is_coulombs(void **unused)
{
  (void)unused;
  static const struct {
    double arm[2], J, mu, e, v[2];
    const char *what;
  } each[] = {
    { { 0.4, -0.3 }, 0.1, 0.0, 0.5, { -1, 2 }, "smooth" },
    { { 0.4, -0.3 }, 0.1, 0.2, 0.5, { -1, 6 }, "slides on" },
    { { 0.4, -0.3 }, 0.1, 0.9, 0.8, { -1, 0.1 }, "sticks, and goes on sticking" },
    { { 0.4, -0.3 }, 0.1, 0.45, 1.0, { -1, 0.3 }, "sticks, or slides back" },
    { { -0.3, -0.5 }, 0.05, 0.6, 0.7, { -2, 1 }, "leans the other way" },
    { { 0.0, -0.3 }, 0.1, 0.5, 0.5, { -1, 1 }, "central" },
    { { 0.4, -0.3 }, 0.1, 0.5, 0.0, { -1, 1 }, "plastic" },
  };
  static const char *const solvers[] = { "admm:then=newton", "newton", "pgs", "lemke" };
  for (size_t k = 0; k < sizeof each / sizeof *each; k++) {
    double K[3], first[2], more[2], exact[2];
    disc_matrix(each[k].arm, each[k].J, K);
    write_disc(each[k].arm, each[k].J, each[k].mu, each[k].e, each[k].v[1], each[k].v[0]);
    compress(K, each[k].mu, each[k].v, first);
    more[0] = each[k].e * first[0];
    more[1] = expansion_friction(K, each[k].mu, each[k].v[1] + K[1] * first[0] + K[2] * first[1], more[0]);
    for (int i = 0; i < 2; i++) exact[i] = first[i] + more[i];
    for (int s = 0; s < 4; s++) {
      double p[2];
      bool any;
      printf(" %s, %s\n", each[k].what, solvers[s]);
      const double left = strike(HN_POISSON, solvers[s], p, &any);
      check_near("normal impulse, N s", p[0], exact[0], 1e-8);
      check_near("tangential impulse, N s", p[1], exact[1], 1e-8);
      assert_true(any == (each[k].e > 0));
      assert_true(left <= 1 + 1e-9);
    }
  }
}

/* Newton's law: the speed of separation is e times that of approach, whatever friction does; with friction it
 * may increase energy (Kane and Levinson 1985), Poisson's does not. */
static void newtons_law_can_increase_energy(void **unused)
{
  (void)unused;
  const double arm[2] = { -0.5, -0.5 }, J = 0.05, mu = 1.0, e = 0.9, v[2] = { -1, 0.5 };
  double K[3], p[2];
  bool any;
  disc_matrix(arm, J, K);
  write_disc(arm, J, mu, e, v[1], v[0]);
  const double newton = strike(HN_NEWTON, "newton", p, &any);
  check_near("speed of separation, m/s", v[0] + K[0] * p[0] + K[1] * p[1], -e * v[0], 1e-10);
  const double poisson = strike(HN_POISSON, "newton", p, &any);
  printf("  energy after over before: Newton %.4f, Poisson %.4f\n", newton, poisson);
  assert_true(newton > 1.1 && poisson < 1);
}

static void slow_impacts_are_plastic(void **unused)
{
  (void)unused;
  const double arm[2] = { 0, -0.1 };
  for (int law = HN_POISSON; law <= HN_NEWTON; law++)
    for (int slow = 0; slow < 2; slow++) {
      const double v = slow ? 0.999e-3 : 1.001e-3;
      double p[2];
      bool any;
      write_disc(arm, 0.01, 0, 1, 0, -v);
      strike((hn_restitution)law, "newton", p, &any);
      check_near("impulse of a threshold of 1 mm/s, N s", p[0], slow ? v : 2 * v, 1e-12);
      assert_true(any == !slow);
    }
}

/* Writes two parallel walls and between them discs DISC[count] of 1 kg, tangent to both. Disc 0 falls with
 * 1 m/s, disc 1 rises with 3 m/s above it. */
static void write_discs(const int *disc, int count)
{
  char text[1500];
  int length = snprintf(
    text, sizeof text,
    "local scene = require 'holonom.scene'\n"
    "local sys = scene.system { gravity = { 0, 0, 0 }, planar = true }\n"
    "for side = -1, 1, 2 do\n"
    "  sys:body { name = 'wall' .. side, fixed = true, position = { 0.1 * side, 0, 0 }, friction = 0.5,\n"
    "             shape = scene.plane { normal = { -side, 0, 0 } } }\n"
    "end\n");
  for (int i = 0; i < count; i++)
    length += snprintf(
      text + length, sizeof text - (size_t)length,
      "sys:body { name = 'disc%d', mass = 1, inertia = 0.01, shape = scene.circle { radius = 0.1 },\n"
      "           position = { 0, %d, 0 }, velocity = { 0, %d, 0 }, friction = 0.5 }\n",
      disc[i], disc[i], disc[i] ? 3 : -1);
  snprintf(text + length, sizeof text - (size_t)length,
           "sys:contact { margin = 0.05, threshold = 1e-3 }\nreturn sys");
  write_bytes(text, strlen(text));
}

/* Solves the impact of the discs of write_discs, whose velocities are perturbed by SIZE in the direction of
 * ANGLE. TWIST[count] receives the velocities after it. Both discs must have two solutions. */
static void strike_discs(const int *disc, int count, double size, double angle, hn_twist *twist)
{
  hn_error error = { "" };
  write_discs(disc, count);
  hn_scene *scene = load_written(NULL, 0);
  hn_solver *host = hn_solver_create("moreau", scene->model, &error);
  assert_non_null(host);
  hn_impact impact = { .touching = 1e-9,
                       .contact = { .solver = "newton:then=admm", .tolerance = 1e-12, .iterations = 10000 } };
  assert_int_equal(hn_impact_setup(host, &impact, &error), 0);
  hn_state *state = hn_state_create(scene->model);
  hn_twist *u = &state->twist[scene->model->nbody - count];
  for (int i = 0; i < count; i++) {
    const double turn = angle * (1 + disc[i]);
    u[i].v[0] += size * cos(turn), u[i].v[1] += size * sin(turn), u[i].w[2] += size * sin(3 * turn);
  }
  assert_int_equal(hn_system_begin(host->system, state), HN_CONVERGED);
  assert_int_equal(host->system->parts->ncontact, 2 * count);
  hn_system_linearise(host->system, state);
  assert_int_equal(hn_impact_solve(host, &impact, state), HN_CONVERGED);
  assert_int_equal(impact.ambiguous, count);
  memcpy(twist, u, sizeof *u * (size_t)count);
  hn_impact_free(&impact);
  hn_state_free(state);
  hn_solver_free(host);
  hn_scene_free(scene);
}

/* A disc between two walls goes on without impulses, or it jams: normal impulses of any size above
 * m |v| / (2 mu), with friction that stops it. Both are solutions; the rule takes the one of least energy.
 * Perturbed states have the same solution. Two discs are two islands: each has, to the bit, the solution that
 * it has alone. */
static void of_two_solutions_the_one_of_least_energy(void **unused)
{
  (void)unused;
  enum { STATES = 40 };
  static const int disc[2] = { 0, 1 };
  double fastest = 0;
  for (int i = 0; i < STATES; i++) {
    const double angle = 2 * M_PI * i / STATES, size = i > 0 ? 1e-13 : 0;
    hn_twist alone[2], both[2];
    for (int k = 0; k < 2; k++) strike_discs(disc + k, 1, size, angle, alone + k);
    strike_discs(disc, 2, size, angle, both);
    assert_memory_equal(both, alone, sizeof both);
    for (int k = 0; k < 2; k++) fastest = fmax(fastest, fmax(vec_norm(both[k].v), vec_norm(both[k].w)));
  }
  check_below("largest velocity after it, m/s, rad/s", fastest, 1e-12);
}

/* ---- Event times --------------------------------------------------------------------------------------- */

static int evaluations; /* evaluations */

static double falling(void *user, double s)
{
  const double *c = user; /* of s^0, s^1, s^2 */
  evaluations++;
  return c[0] + s * (c[1] + s * c[2]);
}

static void roots_are_found_to_rounding(void **unused)
{
  (void)unused;
  static const double each[][3] = {
    { 1e-3, 0, -4.905 }, { 1e-3, -1, -4.905 }, { 1e-16, 1e-5, -4.905 },
    { 0.5, -50.1, 0 },   { 1e-12, -1e-3, -1 },
  };
  for (size_t k = 0; k < sizeof each / sizeof *each; k++) {
    double c[3], s = -1;
    memcpy(c, each[k], sizeof c);
    const double h = 0.02, a = c[2], b = c[1],
                 root = a == 0 ? -c[0] / b : (-b - sqrt(b * b - 4 * a * c[0])) / (2 * a);
    evaluations = 0;
    assert_true(hn_root_find(falling, c, 1e-16, c[0], h, falling(c, h), 0.0, &s));
    printf("  %d evaluations\n", evaluations);
    check_near("root, s", s, root, 1e-16 / fabs(b + 2 * a * root) + 1e-17);
    assert_true(falling(c, s) >= 0 && s > 0 && s <= h);
    assert_true(evaluations < 80);
  }
}

/* A jump has no root: the last time before it. */
static double jumping(void *user, double s)
{
  return s < *(const double *)user ? 1.0 : -1.0;
}

/* The law does not hold from the start. */
static double never(void *user, double s)
{
  (void)user;
  evaluations++;
  return -1.0 - s;
}

static double nothing(void *user, double s)
{
  (void)user;
  return s < 0.01 ? NAN : -1.0;
}

static void jumps_and_failures_of_functions(void **unused)
{
  (void)unused;
  double s, at = 0.0123;
  assert_true(hn_root_find(jumping, &at, 1e-16, 1.0, 0.02, -1.0, 0.0, &s));
  check_below("before a jump, s", at - s, 1e-16);
  assert_true(s < at);
  assert_false(hn_root_find(nothing, NULL, 1e-16, 1.0, 0.02, -1.0, 0.0, &s));
}

/* A root at 0.0123 s of a function with rounding errors of 1e-11. */
static double rounded(void *user, double s)
{
  (void)user;
  evaluations++;
  return 0.5 * (0.0123 - s) - (s - 0.0123) * (s - 0.0123) + 1e-11 * sin(1e14 * s);
}

/* Negative at once: no value at 0 is known. */
static double negative_at_once(void *user, double s)
{
  (void)user;
  evaluations++;
  return -1e-4 - s;
}

static void rounding_errors_end_the_search(void **unused)
{
  (void)unused;
  const double h = 0.02;
  double s;
  evaluations = 0;
  assert_true(hn_root_find(rounded, NULL, 1e-16, 0.1, h, rounded(NULL, h), 0.0, &s));
  check_near("root, s", s, 0.0123, 1e-10);
  assert_true(rounded(NULL, s) >= 0);
  printf("  %d evaluations\n", evaluations);
  assert_true(evaluations < 15);
  evaluations = 0;
  assert_true(hn_root_find(negative_at_once, NULL, 1e-16, NAN, h, negative_at_once(NULL, h), 0.0, &s));
  printf("  %d evaluations\n", evaluations);
  assert_true(s == 0.0 && evaluations < 10);
}

/* The violation of a law that holds until 0.0123 s, and grows by a power of the time after it. */
static double violated(void *user, double s)
{
  const double after = s - 0.0123;
  evaluations++;
  return after <= 0 ? HUGE_VAL : -pow(after, *(const double *)user) - 0.1 * after * after;
}

static void onsets_are_found_from_behind(void **unused)
{
  (void)unused;
  static const double power[] = { 1.0, 0.5, 2.0 }, h = 0.02;
  for (size_t k = 0; k < sizeof power / sizeof *power; k++) {
    double exponent = power[k], s = h;
    evaluations = 0;
    assert_true(hn_root_find_onset(violated, &exponent, 1e-9, 1e-17, violated(&exponent, h), &s));
    printf("  power %g: %d evaluations\n", exponent, evaluations);
    assert_true(violated(&exponent, s) < 0);
    check_below("violation at the onset", -violated(&exponent, s), 1e-9 + pow(1e-17, exponent));
    assert_true(evaluations < 60);
  }
  double at = 0.0123, s = h;
  assert_true(hn_root_find_onset(jumping, &at, 1e-9, 1e-17, -1.0, &s));
  check_near("jump, s", s, at, 1e-16);
  evaluations = 0, s = h;
  assert_true(hn_root_find_onset(never, NULL, 1e-9, 1e-17, never(NULL, h), &s));
  check_below("at once, s", s, 1.01e-17);
  check_below("evaluations of an onset at once", evaluations, 8);
  s = h;
  assert_false(hn_root_find_onset(nothing, NULL, 1e-9, 1e-17, -1.0, &s));
}

/* Two balls fall to a floor, a third one dips below it and rises again, and a slip ends. */
static hn_reason balls(void *user, double s, bool rates, hn_event_list *list)
{
  const double *slip = user;
  for (int i = 0; i < 3; i++) {
    const double height = i < 2 ? 1e-3 * (2 - i) : 1e-3, speed = i < 2 ? 0.0 : -0.3, a = i < 2 ? -9.81 : 40.0;
    hn_event_function *f = hn_event_list_add(list, HN_FUNCTION_GAP, (uint64_t)i,
                                             height + s * (speed + 0.5 * a * s));
    f->first = height, f->first_rate = speed;
    if (rates) f->rate = speed + a * s;
  }
  hn_event_list_add(list, HN_FUNCTION_SLIP, 7, *slip - s)->first = *slip;
  evaluations++;
  return HN_CONVERGED;
}

static void search_finds_the_first_event(void **unused)
{
  (void)unused;
  static const struct {
    double h, slip, time;
    hn_event_function_kind kind;
    uint64_t key;
    bool event;
  } each[] = { { 0.0030, 1.0, 0.0, HN_FUNCTION_GAP, 0, false },
               { 0.0150, 1.0, 0.005, HN_FUNCTION_GAP, 2, true },
               { 0.0150, 4e-3, 4e-3, HN_FUNCTION_SLIP, 7, true } };
  for (size_t k = 0; k < sizeof each / sizeof *each; k++) {
    double slip = each[k].slip, s = each[k].h;
    hn_event_search search = { .evaluate = balls, .user = &slip };
    hn_error error;
    bool event;
    assert_int_equal(hn_event_search_setup(&search, 4, 1e-16, &error), 0);
    evaluations = 0;
    assert_int_equal(hn_event_search_first(&search, &s, &event), HN_CONVERGED);
    printf("  %d evaluations\n", evaluations);
    assert_true(event == each[k].event && evaluations < 20);
    if (event) check_near("time of the event, s", s, each[k].time, 1e-12);
    if (event) assert_true(search.fired.kind == each[k].kind && search.fired.key == each[k].key);
    hn_event_search_free(&search);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(impact_friction_is_coulombs),
    cmocka_unit_test(newtons_law_can_increase_energy),
    cmocka_unit_test(slow_impacts_are_plastic),
    cmocka_unit_test(roots_are_found_to_rounding),
    cmocka_unit_test(rounding_errors_end_the_search),
    cmocka_unit_test(jumps_and_failures_of_functions),
    cmocka_unit_test(search_finds_the_first_event),
    cmocka_unit_test(onsets_are_found_from_behind),
    cmocka_unit_test(of_two_solutions_the_one_of_least_energy),
  };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
