/* test_run_events.c - events of a run: kinds, times, bodies and impulses, of solvers that find event times
 * and of time-stepping solvers. */
#include "heard.h"
#include "scenes.h"

#include <gsl/gsl_sf_ellint.h>

static const char *const event_solvers[] = { "events", "events:inner=half-explicit", "impulse-contact",
                                             "impulse-contact:restitution=newton" };
enum { EVENT_SOLVERS = sizeof event_solvers / sizeof *event_solvers };

/* ---- Event times --------------------------------------------------------------------------------------- */

#define BALL(restitution)                                                         \
  FLOOR("")                                                                       \
  "sys:body { name = 'ball', mass = 10, shape = scene.sphere { radius = 0.1 },\n" \
  "  position = { 0, 1.1, 0 }, restitution = " restitution " }\n"
static const char bouncing[] = BALL("0.8") "sys:contact { margin = 0.1, threshold = 1e-4 }\nreturn sys";

/* A ball falls from 1 m: bounce n has the speed e^n sqrt(2 g), flights between last 2 e^n sqrt(2 / g), and
 * all end after sqrt(2 / g) (1 + e) / (1 - e). The last bounce is the first slower than the threshold. */
static void bounces_and_their_end(void **unused)
{
  (void)unused;
  static heard h;
  const double e = 0.8, fall = sqrt(2 / g), end = fall * (1 + e) / (1 - e);
  const int bounces = 1 + (int)ceil(log(1e-4 / sqrt(2 * g)) / log(e));
  for (int m = 0; m < EVENT_SOLVERS; m++) {
    trial r = run_with_events(bouncing, event_solvers[m], 0.05, 6, &h);
    double time_error = 0, impulse_error = 0, t = fall;
    ASSERT_COUNT("impacts", (unsigned)count_of(&h, HN_EVENT_IMPACT), (unsigned)bounces);
    for (int n = 0; n < bounces; t += 2 * pow(e, ++n) * fall) {
      const hn_event *impact = nth(&h, HN_EVENT_IMPACT, n);
      const double p = 10 * pow(e, n) * sqrt(2 * g) * (n + 1 < bounces ? 1 + e : 1);
      assert_true(impact->a == 1 && impact->b == 2 && !impact->joint);
      time_error = fmax(time_error, fabs(impact->time - t)),
      impulse_error = fmax(impulse_error, fabs(impact->impulse - p));
    }
    check_below("times of impacts (s)", time_error, 1e-12);
    check_below("their impulses (N s)", impulse_error, 1e-11);
    ASSERT_COUNT("closed", (unsigned)count_of(&h, HN_EVENT_CLOSED), 1);
    ASSERT_COUNT("zeno", (unsigned)count_of(&h, HN_EVENT_ZENO), 1);
    ASSERT_COUNT("all", (unsigned)h.count, (unsigned)bounces + 2);
    check_near("limit time of the bounces (s)", nth(&h, HN_EVENT_ZENO, 0)->until, end, 1e-7);
    check_near("time of the last bounce (s)", nth(&h, HN_EVENT_ZENO, 0)->time,
               nth(&h, HN_EVENT_IMPACT, bounces - 1)->time, 0);
    ASSERT_COUNT("in the summary", r.summary.events[HN_EVENT_IMPACT], (unsigned)bounces);
    done(&r);
  }
}

static const char sliding[] = FLOOR(
  ", friction = 0.5") "sys:body { name = 'block', mass = 2, shape = scene.box { 0.4, 0.2, 0.4 },\n"
                      "  friction = 0.5, position = { 0, 0.1, 0 }, velocity = { 1, 0, 0 } }\n"
                      "sys:contact { margin = 0.02 }\nreturn sys";

/* A block slides from the start and stops after v / (mu g); its four corners are one contact. impulse-contact
 * counts less than 1e-7 m/s as stopped, which is 2e-8 s earlier. */
static void slide_ends(void **unused)
{
  (void)unused;
  static heard h;
  for (int m = 0; m < EVENT_SOLVERS; m++) {
    trial r = run_with_events(sliding, event_solvers[m], 0.01, 0.5, &h);
    ASSERT_COUNT("events: closed, slip, stick", (unsigned)h.count, 3);
    check_near("closed at (s)", nth(&h, HN_EVENT_CLOSED, 0)->time, 0, 0);
    check_near("slip at (s)", nth(&h, HN_EVENT_SLIP, 0)->time, 0, 0);
    check_near("stick at (s)", nth(&h, HN_EVENT_STICK, 0)->time, 1 / (0.5 * g),
               strstr(event_solvers[m], "impulse") ? 1e-7 / (0.5 * g) : 1e-8);
    done(&r);
  }
}

/* A pendulum rod released at 90 degrees hits its stop at the lowest point with sqrt(3 g / l), and again after
 * a swing to the height e^2 l / 2: the impulse in the joint is J_0 w (1 + e). */
static void stops_are_reported(void **unused)
{
  (void)unused;
  static heard h;
  const double omega = sqrt(1.5 * g), J = 1.0 / 3.0, e = 0.5; /* of small swings; about the pivot */
  const double first = gsl_sf_ellint_Kcomp(sqrt(0.5), GSL_PREC_DOUBLE) / omega;
  const double second = first + 2 * gsl_sf_ellint_Kcomp(e * sqrt(0.5), GSL_PREC_DOUBLE) / omega;
  const double speed = sqrt(3 * g);
  for (int m = 0; m < EVENT_SOLVERS; m++) {
    trial r = run_with_events(
      "local rod = sys:body { name = 'rod', mass = 1, position = { 0.5, 0, 0 },\n"
      "  inertia = { 1 / 12, 1 / 12, 1 / 12 } }\n"
      "sys:hinge { sys.ground, rod, at = { 0, 0, 0 }, axis = { 0, 0, 1 }, name = 'pivot',\n"
      "  lower = -math.pi / 2, restitution = 0.5 }\nreturn sys",
      event_solvers[m], 0.005, 1.4, &h);
    const bool second_order = strstr(event_solvers[m], "impulse");
    check_near("the first stop (s)", nth(&h, HN_EVENT_LIMIT, 0)->time, first, second_order ? 1e-4 : 1e-8);
    check_near("the second (s)", nth(&h, HN_EVENT_LIMIT, 1)->time, second, second_order ? 1e-4 : 1e-8);
    check_near("its impulse (N m s)", nth(&h, HN_EVENT_LIMIT, 0)->impulse, J * speed * (1 + e),
               second_order ? 1e-3 : 1e-7);
    assert_non_null(nth(&h, HN_EVENT_LIMIT, 0)->joint);
    printf("  joint \"%s\"\n", nth(&h, HN_EVENT_LIMIT, 0)->joint);
    assert_non_null(strstr(nth(&h, HN_EVENT_LIMIT, 0)->joint, "pivot"));
    done(&r);
  }
}

/* A growing force lifts a ball off the floor when it equals the weight. Solver events detects this when the
 * accelerations, (40 t - 2 g) / 2, differ by 1e-6 m/s^2, impulse-contact after the step. */
static void lifted_contacts_open(void **unused)
{
  (void)unused;
  static heard h;
  for (int m = 0; m < EVENT_SOLVERS; m++) {
    trial r = run_with_events(
      FLOOR("") "local ball = sys:body { name = 'ball', mass = 2,\n"
                "  position = { 0, 0.1, 0 }, shape = scene.sphere { radius = 0.1 } }\n"
                "sys:force { ball, at = { 0, 0.1, 0 }, force = { 0, 1, 0 },\n"
                "  motion = { polynomial = { 0, 40 } } }\n"
                "sys:contact { margin = 0.02 }\nreturn sys",
      event_solvers[m], 0.01, 1, &h);
    ASSERT_COUNT("events: closed, opened", (unsigned)h.count, 2);
    check_near("closed at (s)", nth(&h, HN_EVENT_CLOSED, 0)->time, 0, 0);
    check_near("opened at, where 40 t is the weight (s)", nth(&h, HN_EVENT_OPENED, 0)->time, 2 * g / 40,
               strstr(event_solvers[m], "impulse") ? 0.02 : 1e-7);
    done(&r);
  }
}

/* ---- Steps --------------------------------------------------------------------------------------------- */

/* Time-stepping solvers report closed and opened contacts in turn, at the ends of steps; closed ones with the
 * impulse of the step. */
static void time_stepping_reports_each_contact(void **unused)
{
  (void)unused;
  static heard h;
  static const char *const specs[] = { "moreau", "impulse-gs" };
  for (size_t m = 0; m < sizeof specs / sizeof *specs; m++) {
    trial r = run_with_events(bouncing, specs[m], 0.01, 1.2, &h);
    assert_true(h.count >= 3);
    for (int i = 0; i < h.count; i++) {
      assert_true(h.event[i].kind == (i % 2 ? HN_EVENT_OPENED : HN_EVENT_CLOSED));
      const double steps = h.event[i].time / 0.01;
      check_below("difference from the end of a step", fabs(steps - nearbyint(steps)), 1e-11);
    }
    check_near("the first contact (s)", h.event[0].time, sqrt(2 / g), 0.011);
    check_near("its impulse (N s)", h.event[0].impulse, 10 * sqrt(2 * g) * 1.8, 25);
    done(&r);
  }
}

/* A body that falls and stays closes once, near the exact time; also with solvers of substeps, which report
 * the impulse of their last one. */
static void lasting_contacts_are_reported_once(void **unused)
{
  (void)unused;
  static heard h;
  static const char *const specs[] = {
    "moreau", "impulse-gs", "xpbd", "tgs-soft", "events", "impulse-contact"
  };
  for (size_t m = 0; m < sizeof specs / sizeof *specs; m++) {
    trial r = run_with_events(BALL("0") "sys:contact { margin = 0.1 }\nreturn sys", specs[m], 0.01, 1.2, &h);
    ASSERT_COUNT("closed", (unsigned)count_of(&h, HN_EVENT_CLOSED), 1);
    ASSERT_COUNT("opened", (unsigned)count_of(&h, HN_EVENT_OPENED), 0);
    check_near("time (s)", nth(&h, HN_EVENT_CLOSED, 0)->time, sqrt(2 / g), 0.021);
    done(&r);
  }
}

/* ---- The log ------------------------------------------------------------------------------------------- */

/* A part of a step that is given up has no events and leaves the history as it was. */
static void undone_events_are_forgotten(void **unused)
{
  (void)unused;
  hn_error error;
  int count;
  write_scene(sliding);
  hn_scene *scene = load_written(NULL, 0);
  hn_solver *solver = hn_solver_create("impulse-contact", scene->model, &error);
  hn_state *state = hn_state_create(scene->model);
  assert_int_equal(hn_solver_step(solver, state, 0.01), HN_CONVERGED);
  hn_events_of(solver, &count, NULL);
  const int before = count;
  assert_int_equal(before, 2);
  hn_contact_mode *mode = hn_events_modes(solver);
  hn_events_report_modes(solver, 0.02, mode);
  for (int k = 0; k < solver->system->nblock; k++) mode[k] = HN_MODE_STICKING;
  hn_events_report_modes(solver, 0.03, mode);
  const hn_event *event = hn_events_of(solver, &count, NULL);
  ASSERT_COUNT("opened and closed again", (unsigned)count, 4);
  assert_true(event[2].kind == HN_EVENT_OPENED && event[3].kind == HN_EVENT_CLOSED);
  hn_events_take_back(solver, before);
  hn_events_report_modes(solver, 0.04, mode);
  event = hn_events_of(solver, &count, NULL);
  ASSERT_COUNT("after undoing them: sticking", (unsigned)count, 3);
  assert_true(event[2].kind == HN_EVENT_STICK);
  hn_state_free(state), hn_solver_free(solver), hn_scene_free(scene);
}

/* Events in a step without room are counted, and the next step has room. */
static void events_without_room_are_counted(void **unused)
{
  (void)unused;
  static heard h;
  trial r = run_with_events(
    BALL("0.99") "sys:contact { margin = 0.1, threshold = 1e-3, capacity = 4 }\nreturn sys",
    "events:events=100000", 100, 100, &h);
  const int bounces = 1 + (int)ceil(log(1e-3 / sqrt(2 * g)) / log(0.99));
  printf("  %d reported, %llu lost\n", h.count, (unsigned long long)r.summary.events_lost);
  assert_true(r.summary.events_lost > 0);
  ASSERT_COUNT("all of them", (unsigned)h.count + r.summary.events_lost, (unsigned)bounces + 2);
  done(&r);
}

/* Separated balls of a break have impulses of the size of the contact tolerance, 1e-10 m/s times the
 * reduced mass, by which no contact closes. */
static void tolerance_closes_no_contact(void **unused)
{
  (void)unused;
  static heard h;
  static const char *const specs[] = { "moreau:contact=admm", "moreau:contact=newton" };
  int closed[2];
  for (int m = 0; m < 2; m++) {
    double least = HUGE_VAL;
    h.count = 0;
    bench b = set_up("billiard_break", specs[m]);
    must_converge(&b, 0.002, 0.3, record_events, &h);
    for (int i = 0; i < h.count; i++)
      if (h.event[i].kind == HN_EVENT_CLOSED) least = fmin(least, h.event[i].impulse);
    closed[m] = count_of(&h, HN_EVENT_CLOSED);
    printf("  %d closed, %d opened\n", closed[m], count_of(&h, HN_EVENT_OPENED));
    printf("  least impulse that closes a contact: %g N s\n", least);
    assert_true(least > 1e-10 * 0.17 / 2);
    tear_down(&b);
  }
  assert_int_equal(closed[0], closed[1]);
}

/* A run continued from a checkpoint reports the same events. */
static void checkpoints_restore_contacts(void **unused)
{
  (void)unused;
  hn_error error;
  write_scene(sliding);
  hn_scene *scene = load_written(NULL, 0);
  for (int m = 0; m < EVENT_SOLVERS; m++) {
    hn_solver *solver = hn_solver_create(event_solvers[m], scene->model, &error);
    hn_state *state = hn_state_create(scene->model), *kept = hn_state_create(scene->model);
    void *memory = malloc(hn_solver_memory(solver));
    int reported[2] = { 0, 0 }, count;
    for (int n = 0; n < 10; n++) assert_int_equal(hn_solver_step(solver, state, 0.01), HN_CONVERGED);
    hn_state_copy(kept, state), hn_solver_save(solver, memory);
    for (int turn = 0; turn < 2; turn++) {
      for (int n = 0; n < 20; n++) {
        assert_int_equal(hn_solver_step(solver, state, 0.01), HN_CONVERGED);
        hn_events_of(solver, &count, NULL);
        reported[turn] += count;
      }
      hn_solver_reset(solver);
      hn_state_copy(state, kept);
      assert_int_equal(hn_solver_restore(solver, memory, hn_solver_memory(solver), &error), 0);
    }
    ASSERT_COUNT("events on the way: stick", (unsigned)reported[0], 1);
    ASSERT_COUNT("and again after restoring", (unsigned)reported[1], 1);
    free(memory);
    hn_state_free(state), hn_state_free(kept), hn_solver_free(solver);
  }
  hn_scene_free(scene);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(bounces_and_their_end),
    cmocka_unit_test(slide_ends),
    cmocka_unit_test(stops_are_reported),
    cmocka_unit_test(lifted_contacts_open),
    cmocka_unit_test(time_stepping_reports_each_contact),
    cmocka_unit_test(lasting_contacts_are_reported_once),
    cmocka_unit_test(undone_events_are_forgotten),
    cmocka_unit_test(events_without_room_are_counted),
    cmocka_unit_test(checkpoints_restore_contacts),
    cmocka_unit_test(tolerance_closes_no_contact),
  };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
