/* test_domino_rows.c - solver events: rows of dominoes in space with friction between them (scene
 * domino_row). They have no closed form after the first strike. By symmetry no body leaves the plane of a
 * short row; energy never rises; the dominoes begin to fall when they do by time stepping with short steps.
 * In longer rows, whose law of accelerations has several solutions, some parts of steps are time-stepped. */
#include "scenes.h"

#include "base/vec.h"
#include "run.h"

#include <stdio.h>
#include <string.h>

enum { MAX_COUNT = 5 };
static const double falling = 0.01; /* rad: a domino has begun to fall */

/* Results of a run: the times at which dominoes begin to fall, s; the largest rise of energy in a step, J;
 * and the largest distance and velocity of a body from the plane, m and m/s. */
typedef struct watch {
  int count;
  double falls[MAX_COUNT], rise, away, leaving;
  int parts;      /* time-stepped, */
  double stepped; /* and their length, s */
} watch;

static bool look(void *user, const hn_frame *frame)
{
  watch *w = user;
  const hn_state *state = frame->state;
  for (int i = 1; i < state->nbody; i++) {
    w->away = fmax(w->away, fabs(state->pose[i].x[2]));
    w->leaving = fmax(w->leaving, fabs(state->twist[i].v[2]));
  }
  for (int i = 0; i < w->count; i++) /* ground, floor, dominoes, bob */
    if (w->falls[i] == 0.0 && 2.0 * fabs(state->pose[2 + i].q[3]) > falling) w->falls[i] = state->time;
  return true;
}

/* Runs the scene with SETTINGS by SPEC and checks that it reaches its end. */
static watch watch_row(const char *const *settings, int count, const char *spec, double step, double duration)
{
  watch w = { .count = count };
  bench b = set_up_as("domino_row", settings, spec);
  must_converge(&b, step, duration, look, &w);
  w.rise = b.summary.energy_gain;
  w.parts = (int)b.summary.time_stepped, w.stepped = b.summary.time_stepped_s;
  tear_down(&b);
  return w;
}

typedef struct row {
  int count;
  const char *settings[4];
  double duration; /* s */
} row;

/* Rows that come to lean on each other: dominoes of which the next one is struck high and low. */
static const row rows[] = {
  { 2, { "count=2", "gap=0.05", NULL }, 2.0 },
  { 3, { "count=3", "gap=0.04", NULL }, 2.0 },
  { 3, { "count=3", "gap=0.06", NULL }, 2.0 },
  { 5, { "count=5", "gap=0.06", "raised=1.0471975511965976", NULL }, 0.6 },
};

/* Runs ROW to its end. Checks energy, and the times of falling against those of moreau. Bounds: rounding of
 * 1 J, with projections onto joints to 1e-12 m; two steps, since falls are noted at the ends of steps. */
static watch check_row(const row *r)
{
  const watch w = watch_row(r->settings, r->count, "events", 0.002, r->duration);
  const watch other = watch_row(r->settings, r->count, "moreau", 1e-4, 0.6);
  double off = 0.0;
  for (int k = 0; k < r->count; k++) {
    assert_true(w.falls[k] > 0.0 && other.falls[k] > 0.0);
    printf("  domino %d falls at %.3f s, by moreau at %.4f s\n", k + 1, w.falls[k], other.falls[k]);
    off = fmax(off, fabs(w.falls[k] - other.falls[k]));
  }
  printf(" %s, %s\n", r->settings[0], r->settings[1]);
  check_below("rise of energy in a step, J", w.rise, 1e-9);
  check_below("times of falling less those by moreau, s", off, 0.004);
  return w;
}

static void rows_fall_in_their_plane(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const watch w = check_row(&rows[i]);
    check_below("distance of a body from the plane, m", w.away, 1e-12);
    check_below("velocity out of it, m/s", w.leaving, 1e-10);
    ASSERT_COUNT("parts that are time-stepped", w.parts, 0);
  }
}

/* Parts without a smooth motion are few: at most a fiftieth of the run. */
static void long_rows_reach_their_end(void **state)
{
  (void)state;
  static const row four = { 4, { "count=4", "gap=0.06", NULL }, 2.0 };
  const watch w = check_row(&four);
  printf("  %d parts are time-stepped\n", w.parts);
  assert_true(w.parts > 0);
  check_below("their length, s", w.stepped, 0.04);
}

/* Without time stepping the row ends where the motion of the selected mode does not satisfy the law. */
static void the_end_of_a_row_is_explained(void **state)
{
  (void)state;
  static const char *const settings[] = { "count=4", "gap=0.06", NULL };
  bench b = set_up_as("domino_row", settings, "events:time_stepping=false");
  hn_run_options options = { .step = 0.002, .duration = 0.7 };
  assert_int_equal(hn_run(b.solver, b.state, &options, &b.summary), HN_STALLED);
  printf("  %s\n", b.summary.explanation);
  assert_non_null(strstr(b.summary.explanation, "the motion of its mode differs at once"));
  tear_down(&b);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(rows_fall_in_their_plane),
    cmocka_unit_test(long_rows_reach_their_end),
    cmocka_unit_test(the_end_of_a_row_is_explained),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
