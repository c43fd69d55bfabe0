/* test_slip_times.c - a slip begins when the pull on a box exceeds its friction: F sin t = mu m g. */
#include "scenes.h"
#include "written.h"

#include <math.h>

static const double mu = 0.4, pull = 8.0, gravity = 9.81; /* N for 1 kg */

/* Writes the scene of a box of HEIGHT, m, in space, with four contacts. */
static void write_box(double height)
{
  char text[1200];
  const int length = snprintf(
    text, sizeof text,
    "local scene = require 'holonom.scene' local sys = scene.system { gravity = { 0, -9.81, 0 } }\n"
    "sys:body { name = 'floor', fixed = true, position = { 0, 0, 0 }, friction = 0.4,\n"
    "  shape = scene.plane { normal = { 0, 1, 0 } } }\n"
    "local b = sys:body { name = 'box', shape = scene.box { 0.3, %g, 0.2 }, mass = 1, friction = 0.4,\n"
    "  inertia = { 0.01, 0.01, 0.01 }, position = { 0, %g, 0 } }\n"
    "sys:force { sys.ground, b, at = { 0, %g, 0 }, force = { 8, 0, 0 },\n"
    "  motion = { amplitude = 1, frequency = 1 } }\n"
    "sys:contact { margin = 0.02, threshold = 0.05 }\n"
    "sys:defaults { solver = 'moreau', step = 0.01, duration = 0.8 } return sys",
    height, 0.5 * height, 0.5 * height);
  assert_true(length > 0 && (size_t)length < sizeof text);
  write_bytes(text, (size_t)length);
}

typedef struct slips {
  int count;
  double time;    /* of the first, s */
  double too_far; /* the most that one lies outside of its step, s */
  double before;  /* end of the last step, s */
} slips;

static bool find_slips(void *user, const hn_frame *frame)
{
  slips *s = user;
  for (int i = 0; i < frame->nevent; i++) {
    const hn_event *event = &frame->event[i];
    if (event->kind != HN_EVENT_SLIP) continue;
    if (s->count++ == 0) s->time = event->time;
    s->too_far = fmax(s->too_far, fmax(s->before - event->time, event->time - frame->state->time));
  }
  s->before = frame->state->time;
  return true;
}

/* Known to a tenth of a step by `impulse-contact`, which interpolates, and by `events` to its threshold. */
static void slips_begin_within_their_step(void **unused)
{
  (void)unused;
  const double exact = asin(mu * gravity / pull);
  static const double steps[] = { 0.1, 0.07, 0.05, 0.025, 0.0125 };
  for (int k = 0; k < 20; k++) {
    const double h = steps[k % 5];
    const bool interpolates = k < 10;
    slips found = { 0 };
    if (k % 5 == 0) write_box(k % 10 < 5 ? 0.1 : 0.05);
    bench b = set_up(path, interpolates ? "impulse-contact" : "events");
    must_converge(&b, h, 0.8, find_slips, &found);
    printf("  %s, steps of %g s\n", b.solver->type->name, h);
    ASSERT_COUNT("slips", (unsigned)found.count, 1);
    check_near("time of the slip, s", found.time, exact, interpolates ? 0.1 * h : 1e-6);
    check_below("outside of its step, s", found.too_far, 1e-12);
    tear_down(&b);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = { cmocka_unit_test(slips_begin_within_their_step) };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
