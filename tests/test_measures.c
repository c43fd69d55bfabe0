/* test_measures.c - runs that are measured at some of their steps: the same motion, hash and record as when they are
 * measured at all, the extremes of the measures taken, and still an end when their figures mean nothing. */
#include "scenes.h"

#include <stdlib.h>
#include <unistd.h>

enum { STEPS = 100 };
static const double h = 0.01;

typedef struct watch {
  long frames, measured, last;  /* LAST: index of the last one measured */
  double position;              /* largest error in the frames, m */
  double at[STEPS + 1];         /* the error after every step; NAN where it was not measured */
} watch;

static bool look(void *user, const hn_frame *frame)
{
  watch *w = user;
  w->frames++;
  w->at[frame->index] = frame->measure ? frame->measure->position_error : (double)NAN;
  if (!frame->measure) return true;
  w->measured++, w->last = frame->index;
  w->position = larger(w->position, frame->measure->position_error);
  return true;
}

static watch run_measured(const char *scene, const char *spec, long measures, hn_summary *summary)
{
  watch w = { 0 };
  bench b = set_up(scene, spec);
  hn_run_options options = { .step = h, .duration = STEPS * h, .measures = measures, .observe = look, .user = &w };
  assert_int_equal(hn_run(b.solver, b.state, &options, summary), HN_CONVERGED);
  tear_down(&b);
  return w;
}

static void the_motion_does_not_depend_on_measures(void **state)
{
  (void)state;
  static const struct { long asked, taken; } of[] = { /* with the start, and the last step where it falls between */
    { 1, 2 }, { 3, 4 }, { 7, 8 }, { 60, 51 }, { 100, 101 }, { 1000, 101 },
  };
  hn_summary all, some;
  watch every = run_measured("box_pendulum", "lagrange", 0, &all);
  assert_int_equal(every.frames, STEPS + 1);
  assert_int_equal(every.measured, STEPS + 1);
  for (size_t k = 0; k < sizeof of / sizeof *of; k++) {
    watch w = run_measured("box_pendulum", "lagrange", of[k].asked, &some);
    printf(" %ld measures asked for: %ld of %ld frames, drift %.3g m of %.3g\n", of[k].asked, w.measured, w.frames,
           some.position_max, all.position_max);
    assert_true(some.hash == all.hash && some.steps == all.steps && some.time == all.time);
    assert_true(some.energy_initial == all.energy_initial && some.energy_final == all.energy_final);
    assert_int_equal(w.frames, STEPS + 1);
    assert_int_equal(w.measured, of[k].taken);
    assert_int_equal(w.last, STEPS);
    for (int i = 0; i <= STEPS; i++) assert_true(isnan(w.at[i]) || w.at[i] == every.at[i]);
    assert_true(some.position_max == w.position && some.position_max <= all.position_max);
  }
}

/* ---- Records measure for themselves ------------------------------------------------------------------------------ */

static char *recorded(long measures)
{
  char path[] = "/tmp/holonom_measuresXXXXXX", *text = calloc(1, 1 << 18);
  int made = mkstemp(path);
  assert_true(made >= 0 && text);
  close(made);
  bench b = set_up("box_pendulum", "impulse-sle");
  hn_error error;
  hn_summary summary;
  hn_record *record = hn_record_create(path, b.model, NULL, &error);
  hn_run_options options = { .step = h, .duration = 20 * h, .measures = measures, .observe = hn_record_frame,
                             .user = record };
  assert_non_null(record);
  assert_int_equal(hn_run(b.solver, b.state, &options, &summary), HN_CONVERGED);
  assert_int_equal(hn_record_close(record, &error), 0);
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  assert_true(fread(text, 1, (1 << 18) - 1, file) > 1000);
  fclose(file);
  unlink(path);
  tear_down(&b);
  return text;
}

static void records_are_the_same(void **state)
{
  (void)state;
  char *every = recorded(0), *few = recorded(2);
  assert_string_equal(every, few);
  free(every), free(few);
}

/* ---- Divergence -------------------------------------------------------------------------------------------------- */

/* Joints that nothing holds, in steps as long as a swing: far apart after some of them, and at the end. */
static hn_summary drifted(long measures)
{
  bench b = set_up("double_pendulum", "lagrange:stepper=euler");
  hn_summary summary;
  hn_run_options options = { .step = 0.2, .duration = 8, .measures = measures };
  hn_run(b.solver, b.state, &options, &summary);
  printf(" %ld measures: %s after %ld steps: %s\n", measures, hn_reason_name(summary.reason), summary.steps,
         summary.explanation);
  tear_down(&b);
  return summary;
}

static void a_run_that_diverges_is_found_at_the_next_measure(void **state)
{
  (void)state;
  hn_summary every = drifted(0), few = drifted(4), once = drifted(1);
  assert_int_equal(every.reason, HN_DIVERGED);
  assert_int_equal(few.reason, HN_DIVERGED);
  assert_int_equal(once.reason, HN_DIVERGED);
  assert_true(every.steps % 10 != 0);
  assert_int_equal(few.steps, every.steps / 10 * 10 + 10);
  assert_int_equal(once.steps, 40);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_motion_does_not_depend_on_measures),
    cmocka_unit_test(records_are_the_same),
    cmocka_unit_test(a_run_that_diverges_is_found_at_the_next_measure),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
