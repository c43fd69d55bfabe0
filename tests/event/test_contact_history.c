/* test_contact_history.c - bounces of pairs of shapes, from the events of a ball whose flights shrink by a
 * constant factor: the end of all bounces has a closed form. Room for a limited number of pairs. */
#include "check.h"
#include "event/contact_history.h"
#include "event/step_events.h"

static void learn(hn_histories *all, hn_event_kind kind, double time, uint64_t key)
{
  const hn_event event = hn_event_of(kind, time, 0, 1);
  hn_histories_learn(all, &event, key);
}

/* Bounces from START on, the first flight of length FLIGHT; returns the time of bounce COUNT, and learns all
 * up to it, each TIMES times at the same instant. */
static double bounce(hn_histories *all, double start, double flight, double e, int count, int times)
{
  double time = start;
  for (int k = 0; k < count; k++) {
    if (k > 0) time += flight, flight *= e;
    for (int i = 0; i < times; i++) learn(all, HN_EVENT_IMPACT, time * (1 + 1e-15 * i), 7);
  }
  return time;
}

/* All flights T, T e, T e^2, ... together take T / (1 - e) from the first bounce on. Impulses of one instant,
 * such as those of several points of a face, are one bounce. */
static void end_of_bounces_is_that_of_the_series(void **state)
{
  (void)state;
  for (int times = 1; times <= 3; times++)
    for (int count = 1; count <= 8; count++)
      for (int i = 0; i < 3; i++) {
        const double start = 10.0 * i, e = 0.3 + 0.2 * i, flight = 0.5;
        hn_histories all;
        assert_int_equal(hn_histories_create(&all, 4), 0);
        const double time = bounce(&all, start, flight, e, count, times);
        const hn_history *t = hn_histories_find(&all, 7);
        assert_non_null(t);
        assert_int_equal(t->bounces, count);
        const double end = hn_history_end_of_bounces(t, time, e);
        if (count < 2) assert_true(isnan(end));
        else check_near("end of the bounces, s", end, start + flight / (1 - e), 1e-11);
        hn_histories_free(&all);
      }
}

/* A contact that has been closed begins anew: the flights before do not count for the bounces after. */
static void bounces_begin_anew_after_a_contact_was_closed(void **state)
{
  (void)state;
  hn_histories all;
  assert_int_equal(hn_histories_create(&all, 4), 0);
  bounce(&all, 0, 0.5, 0.4, 5, 1);
  learn(&all, HN_EVENT_CLOSED, 1, 7);
  learn(&all, HN_EVENT_IMPACT, 1.5, 7); /* an impact of a closed contact is no bounce */
  learn(&all, HN_EVENT_OPENED, 2, 7);
  hn_history *t = hn_histories_find(&all, 7);
  assert_int_equal(t->bounces, 0);
  assert_true(isnan(hn_history_end_of_bounces(t, 2, 0.4)));
  learn(&all, HN_EVENT_IMPACT, 3, 7);
  assert_int_equal(t->bounces, 1);
  assert_true(isnan(hn_history_end_of_bounces(t, 3, 0.4))); /* one bounce: no flight is known */
  learn(&all, HN_EVENT_IMPACT, 3.5, 7);
  check_near("end of the second series, s", hn_history_end_of_bounces(t, 3.5, 0.4), 3 + 0.5 / (1 - 0.4),
             1e-12);
  hn_histories_free(&all);
}

/* Without room the open pair whose last bounce is the longest ago is forgotten, in whatever order they were
 * learnt; closed pairs stay. */
static void the_oldest_bounce_is_forgotten(void **state)
{
  (void)state;
  enum { ROOM = 5 };
  for (int first = 0; first < ROOM; first++) {
    hn_histories all;
    assert_int_equal(hn_histories_create(&all, ROOM), 0);
    for (int i = 0; i < ROOM; i++) { /* key 10 + k has its bounce at 1 + k; key 10 is closed */
      const int k = (first + 2 * i) % ROOM;
      if (k == 0) learn(&all, HN_EVENT_CLOSED, 0.5, 10);
      else learn(&all, HN_EVENT_IMPACT, 1 + k, 10 + (uint64_t)k);
    }
    for (int added = 0; added < ROOM - 1; added++) {
      learn(&all, HN_EVENT_IMPACT, 20 + added, 100 - (uint64_t)added);
      assert_int_equal(all.count, ROOM);
      assert_non_null(hn_histories_find(&all, 10));
      for (int k = 1; k < ROOM; k++)
        assert_int_equal(hn_histories_find(&all, 10 + (uint64_t)k) != NULL, k > added + 1);
      for (int k = 0; k <= added; k++) assert_non_null(hn_histories_find(&all, 100 - (uint64_t)k));
    }
    for (int i = 1; i < all.count; i++) assert_true(all.of[i].key > all.of[i - 1].key);
    hn_histories_free(&all);
  }
}

/* An event has no impulse, friction, force, rotation or end until these are set: NAN, which records leave
 * empty, unlike 0. */
static void an_event_has_no_quantities_at_first(void **state)
{
  (void)state;
  const hn_event_kind kinds[] = { HN_EVENT_IMPACT, HN_EVENT_CLOSED, HN_EVENT_OPENED, HN_EVENT_LIMIT,
                                  HN_EVENT_SLIP,   HN_EVENT_STICK,  HN_EVENT_BROKEN };
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    const hn_event event = hn_event_of(kinds[i], 2.5, 3, 4);
    assert_true(event.kind == kinds[i] && event.time == 2.5 && event.a == 3 && event.b == 4);
    assert_true(isnan(event.impulse) && isnan(event.friction) && isnan(event.force));
    assert_true(isnan(event.angular) && isnan(event.until));
    assert_null(event.joint);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(end_of_bounces_is_that_of_the_series),
    cmocka_unit_test(bounces_begin_anew_after_a_contact_was_closed),
    cmocka_unit_test(the_oldest_bounce_is_forgotten),
    cmocka_unit_test(an_event_has_no_quantities_at_first),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
