/* test_run.c - the harness around a method: measures, fits, the step loop, records, parameters there and back. */
#include "models.h"
#include "base/vec.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Measures ---------------------------------------------------------------------------------------------------- */

/* By hand: a particle of 2 kg at (1, 2, 3) with v = (4, 5, 6), and a body with J = (1, 2, 3) kg m^2, 5 kg, turned by 90
 * degrees about z (its x axis along y), at (0, 0, 1) with v = (1, 0, 0) and w = (0, 1, 2) in world axes, which is
 * (1, 0, 2) in body axes. */
static void energies_and_momenta_are_right(void **state)
{
  (void)state;
  hn_error error;
  hn_measure m;
  hn_model *model = new_model();
  hn_body_spec particle = { .name = "p", .kind = HN_PARTICLE, .has_mass = true, .mass = 2, .position = { 1, 2, 3 },
                            .orientation = { 1, 0, 0, 0 }, .velocity = { 4, 5, 6 } };
  hn_body_spec body = { .name = "b", .kind = HN_RIGID, .has_mass = true, .mass = 5, .inertia = { 1, 2, 3 },
                        .position = { 0, 0, 1 }, .orientation = { M_SQRT1_2, 0, 0, M_SQRT1_2 }, .velocity = { 1, 0, 0 },
                        .angular_velocity = { 0, 1, 2 } };
  assert_int_equal(hn_model_add_body(model, &particle, &error), 1);
  assert_int_equal(hn_model_add_body(model, &body, &error), 2);
  hn_state *at = hn_state_create(model);
  hn_measure_state(model, at, &m);
  /* 1/2 2 (16 + 25 + 36) + 1/2 5 1 + 1/2 (1 1 + 3 4) */
  check_below("kinetic energy, error in J", m.kinetic - (77 + 2.5 + 6.5), 1e-14);
  check_below("potential energy, error in J", m.potential - 2 * 9.81 * 2, 1e-14);
  /* p = (8, 10, 12) + (5, 0, 0); L = (1, 2, 3) x (8, 10, 12) + (0, 0, 1) x (5, 0, 0) + (0, 1, 6) */
  const double p[3] = { 13, 10, 12 }, L[3] = { 24 - 30, 24 - 12 + 5 + 1, 10 - 16 + 6 };
  for (int i = 0; i < 3; i++) {
    check_below("momentum, error in kg m/s", m.momentum[i] - p[i], 1e-14);
    check_below("angular momentum, error in kg m^2/s", m.angular_momentum[i] - L[i], 1e-14);
  }
  assert_int_equal(m.worst_joint, -1);
  hn_state_free(at);
  hn_model_free(model);
}

/* Boxes displaced and moved by known amounts. */
static void joint_errors_are_right(void **state)
{
  (void)state;
  hn_measure m;
  hn_model *model = box_chain(3);
  hn_state *at = hn_state_create(model);
  hn_measure_state(model, at, &m);
  check_below("error of joints as built, m", m.position_error, 0);
  check_below("their velocity error, m/s", m.velocity_error, 0);
  at->pose[2].x[1] += 0.03, at->pose[2].x[2] += 0.04; /* joints 2 and 3, by 0.05 */
  at->pose[3].x[1] += 0.06;                           /* joint 3: (0.03, -0.04) */
  at->pose[3].x[2] -= 0.08;                           /* joint 3: (0.03, -0.12) */
  at->twist[1].w[2] = 2;                              /* joint 1: 1 m/s, joint 2: 1 m/s */
  at->twist[2].v[1] = -2;                             /* joint 2: 3 m/s, joint 3: 2 m/s */
  hn_measure_state(model, at, &m);
  check_below("position error against sqrt(153) cm, m", m.position_error - sqrt(0.0153), 1e-16);
  check_below("velocity error against 3 m/s, m/s", m.velocity_error - 3, 1e-15);
  assert_int_equal(m.worst_joint, 2);
  hn_state_free(at);
  hn_model_free(model);
}

/* A NaN in any joint shows in the error, whichever joints come before and after. */
static void nan_is_never_lost(void **state)
{
  (void)state;
  hn_model *model = box_chain(5);
  for (int body = 1; body <= 5; body++) {
    hn_measure m;
    hn_state *at = hn_state_create(model);
    for (int i = 1; i <= 5; i++) at->pose[i].x[1] = i % 2; /* large errors elsewhere */
    at->pose[body].x[0] = NAN;
    at->twist[body].v[0] = NAN;
    hn_measure_state(model, at, &m);
    assert_true(isnan(m.position_error) && isnan(m.velocity_error));
    assert_true(isnan(m.kinetic) && isnan(m.angular_momentum[2]));
    assert_true(m.worst_joint == body - 1 || m.worst_joint == body);
    hn_state_free(at);
  }
  hn_model_free(model);
}

/* ---- Fits -------------------------------------------------------------------------------------------------------- */

static void fits_give_the_slope(void **state)
{
  (void)state;
  double h[6], error[6];
  for (int i = 0; i < 6; i++) h[i] = 0.1 * pow(0.5, i), error[i] = 7 * pow(h[i], 3);
  check_below("slope of 7 h^3, less 3", hn_fit_order(h, error, 6) - 3, 1e-13);
  error[1] = NAN, error[3] = 0, error[4] = INFINITY; /* runs that failed are left out */
  check_below("the same with three entries missing", hn_fit_order(h, error, 6) - 3, 1e-13);
  double scattered[3] = { 1, exp(3), exp(2) }, steps[3] = { 1, exp(1), exp(2) }; /* least squares by hand: slope 1 */
  check_below("slope through (0, 0), (1, 3), (2, 2), less 1", hn_fit_order(steps, scattered, 3) - 1, 1e-15);
  assert_true(isnan(hn_fit_order(h, error, 1)));
  assert_true(isnan(hn_fit_order(h, error, 0)));
  double same[2] = { 0.1, 0.1 };
  assert_true(isnan(hn_fit_order(same, error, 2)));
}

/* ---- The step loop ----------------------------------------------------------------------------------------------- */

static void step_counts_cover_the_duration(void **state)
{
  (void)state;
  static const struct { double step, duration; long count; } cases[] = {
    { 0.01, 1, 100 },   { 0.1, 0.3, 3 }, { 1.0 / 30, 10, 300 }, { 1.0 / 240, 1.0 / 3, 80 }, { 0.1, 1e5, 1000000 },
    { 0.3, 1, 4 },      { 2, 1, 1 },     { 0.01, 0, 0 },        { 0.01, 1e-9, 1 },          { 0.7, 0.7000001, 2 },
    { 0.001, 100, 100000 },  { 0.01, 1e-12, 1 },
    { 0.01, 1e6, 100000000 }, { 0.1, 3e8, 3000000000 },            /* dividing, but for rounding */
    { 1, 1e7 + 0.001, 10000001 }, { 1, 2e9 + 0.3, 2000000001 },    /* not dividing */
    { 1, 3e10 + 0.5, 30000000001 }, { 1, 1e12 + 0.25, 1000000000001 },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    long count = hn_step_count(cases[i].step, cases[i].duration);
    printf("  %g s in steps of %g s: %ld\n", cases[i].duration, cases[i].step, count);
    assert_int_equal(count, cases[i].count);
  }
}

typedef struct seen {
  long frames, stop_after;
  double last_time;
  uint64_t hash; /* chained by hand */
  bool orderly;
} seen;

static bool watch(void *user, const hn_frame *frame)
{
  seen *s = user;
  s->orderly = s->orderly && frame->index == s->frames && (frame->index == 0 || frame->state->time > s->last_time);
  s->hash = frame->index == 0 ? HN_HASH_START : hn_state_hash(frame->state, s->hash);
  s->orderly = s->orderly && s->hash == frame->hash;
  s->last_time = frame->state->time;
  return s->frames++ != s->stop_after;
}

static void runs_end_at_their_duration(void **state)
{
  (void)state;
  static const struct { double step, duration, last; long steps; } cases[] = {
    { 0.01, 1, 0.01, 100 }, { 1.0 / 30, 1, 1.0 / 30, 30 }, { 0.03, 0.1, 0.01, 4 }, { 0.07, 1, 0.02, 15 },
    { 0.5, 0.2, 0.2, 1 }, { 0.01, 0.03000001, 1e-8, 4 },
  };
  hn_model *model = double_pendulum();
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    for (double start = 0; start < 2; start += 1.7) {
      hn_solver *solver = new_solver("impulse-sle:linear=dense,iterations=1000", model);
      hn_state *at = hn_state_create(model);
      seen s = { .stop_after = -1, .orderly = true };
      hn_summary summary;
      hn_run_options options = { .step = cases[i].step, .duration = cases[i].duration, .observe = watch, .user = &s };
      at->time = start;
      assert_int_equal(hn_run(solver, at, &options, &summary), HN_CONVERGED);
      printf(" %g s in steps of %g s from %g s: %ld steps\n", cases[i].duration, cases[i].step, start, summary.steps);
      check_below("end less duration, s", at->time - (start + cases[i].duration), 0);
      check_below("size of the last step, error in s", summary.last_step - cases[i].last, 1e-15);
      assert_int_equal(summary.steps, cases[i].steps);
      assert_int_equal(s.frames, cases[i].steps + 1);
      assert_true(s.orderly && s.hash == summary.hash && summary.time == at->time);
      hn_state_free(at);
      hn_solver_free(solver);
    }
  hn_model_free(model);
}

/* A step that fails is no last step, however short it was to be. */
static bool spoil_the_third(void *user, const hn_frame *frame)
{
  hn_twist *twist = user;
  if (frame->index == 2) twist[1].v[0] = NAN;
  return true;
}

static void steps_that_fail_are_not_the_last(void **state)
{
  (void)state;
  hn_model *model = double_pendulum();
  hn_solver *solver = new_solver("impulse-sle:linear=dense", model);
  hn_state *at = hn_state_create(model);
  hn_summary summary;
  hn_run_options options = { .step = 0.01, .duration = 0.025, .observe = spoil_the_third, .user = at->twist };
  assert_int_equal(hn_run(solver, at, &options, &summary), HN_NOT_FINITE);
  assert_int_equal(summary.steps, 2);
  check_below("last step less 0.01 s", summary.last_step - 0.01, 0);
  hn_state_free(at);
  hn_solver_free(solver);
  hn_model_free(model);
}

static void runs_can_be_stopped(void **state)
{
  (void)state;
  hn_model *model = double_pendulum();
  hn_solver *solver = new_solver("impulse-gs", model);
  hn_state *at = hn_state_create(model);
  hn_summary summary;
  seen s = { .stop_after = 3, .orderly = true };
  hn_run_options options = { .step = 0.01, .duration = 1, .observe = watch, .user = &s };
  assert_int_equal(hn_run(solver, at, &options, &summary), HN_INTERRUPTED);
  assert_int_equal(summary.steps, 3);
  assert_true(summary.hash == s.hash);
  const volatile sig_atomic_t stop = 1;
  hn_run_options stopped = { .step = 0.01, .duration = 1, .stop = &stop };
  assert_int_equal(hn_run(solver, at, &stopped, &summary), HN_INTERRUPTED);
  assert_int_equal(summary.steps, 0);
  assert_string_equal(summary.explanation, "interrupted");
  hn_state_free(at);
  hn_solver_free(solver);
  hn_model_free(model);
}

/* The summary is what the observer saw: largest errors, energies, iterations. */
typedef struct extremes { double position, velocity, first, last, energy_error; } extremes;

static bool watch_extremes(void *user, const hn_frame *frame)
{
  extremes *e = user;
  const hn_measure *m = frame->measure;
  double energy = m->kinetic + m->potential;
  if (frame->index == 0) e->first = energy;
  e->last = energy;
  e->position = fmax(e->position, m->position_error), e->velocity = fmax(e->velocity, m->velocity_error);
  e->energy_error = fmax(e->energy_error, fabs(energy - e->first));
  return true;
}

static void summaries_hold_the_extremes(void **state)
{
  (void)state;
  hn_model *model = mixed();
  hn_solver *solver = new_solver("impulse-gs:tolerance=1e-7", model);
  hn_state *at = hn_state_create(model);
  extremes e = { 0 };
  hn_summary s;
  hn_run_options options = { .step = 0.01, .duration = 0.5, .observe = watch_extremes, .user = &e };
  assert_int_equal(hn_run(solver, at, &options, &s), HN_CONVERGED);
  assert_true(s.position_max == e.position && s.velocity_max == e.velocity);
  assert_true(s.energy_initial == e.first && s.energy_final == e.last && s.energy_error_max == e.energy_error);
  assert_true(s.position_max > 0 && s.energy_error_max > 0);
  assert_true(s.impulses.min > 0 && s.impulses.min <= s.impulses.max && s.impulses.total == s.work.impulses);
  assert_true(s.position_iterations_mean > 1 && s.position_iterations_mean <= s.position_iterations_max);
  hn_state_free(at);
  hn_solver_free(solver);
  hn_model_free(model);
}

/* ---- Records ----------------------------------------------------------------------------------------------------- */

static char directory[] = "test_run.XXXXXX";

static int make_directory(void **state)
{
  (void)state;
  return mkdtemp(directory) ? 0 : -1;
}

static int remove_directory(void **state)
{
  (void)state;
  return rmdir(directory);
}

static const char *in_directory(const char *name)
{
  static char path[300];
  snprintf(path, sizeof path, "%s/%s", directory, name);
  return path;
}

typedef struct kept {
  hn_record *record;
  hn_state *states[16];
  hn_measure measures[16];
  hn_report reports[16];
  uint64_t hash[16], impulses[16], operations[16];
} kept;

static bool keep(void *user, const hn_frame *frame)
{
  kept *k = user;
  hn_state_copy(k->states[frame->index], frame->state);
  k->measures[frame->index] = *frame->measure, k->hash[frame->index] = frame->hash;
  k->impulses[frame->index] = frame->impulses, k->operations[frame->index] = frame->operations;
  if (frame->index > 0) k->reports[frame->index] = *frame->report;
  return hn_record_frame(k->record, frame);
}

/* The next number of a CSV line equals VALUE to the bit. */
static void same_number(char **rest, double value)
{
  double read = strtod(strsep(rest, ","), NULL);
  if (memcmp(&read, &value, sizeof value) != 0) fail_msg("%.17g was written as %.17g", value, read);
}

/* The next one equals COUNT, and at the start there is none. */
static void same_count(char **rest, long index, uint64_t count)
{
  char *text = strsep(rest, ",");
  if (index == 0) assert_string_equal(text, "");
  else assert_true(*text && strtoull(text, NULL, 10) == count);
}

static void check_line(char *line, const kept *k, long index)
{
  const hn_state *state = k->states[index];
  const hn_measure *m = &k->measures[index];
  assert_int_equal(strtol(strsep(&line, ","), NULL, 10), index);
  same_number(&line, state->time), same_number(&line, m->kinetic + m->potential);
  same_number(&line, m->position_error), same_number(&line, m->velocity_error);
  const hn_report *r = &k->reports[index];
  same_count(&line, index, (uint64_t)r->position_iterations),
      same_count(&line, index, (uint64_t)r->velocity_iterations);
  assert_true(strtoull(strsep(&line, ","), NULL, 16) == k->hash[index]);
  same_count(&line, index, k->impulses[index]), same_count(&line, index, k->operations[index]);
  same_count(&line, index, (uint64_t)r->halvings);
  if (index > 0) same_number(&line, r->residual);
  else assert_string_equal(strsep(&line, ","), "");
  for (int i = 1; i < state->nbody; i++) {
    for (int c = 0; c < 3; c++) same_number(&line, state->pose[i].x[c]);
    for (int c = 0; c < 4; c++) same_number(&line, state->pose[i].q[c]);
    for (int c = 0; c < 3; c++) same_number(&line, state->twist[i].v[c]);
    for (int c = 0; c < 3; c++) same_number(&line, state->twist[i].w[c]);
  }
  assert_null(line);
}

static const char header[] =
  "step,time,energy,position_error,velocity_error,position_iterations,velocity_iterations,hash,"
  "impulses,operations,halvings,residual,"
  "\"a \"\"1\"\", left.x\",\"a \"\"1\"\", left.y\",\"a \"\"1\"\", left.z\",\"a \"\"1\"\", left.qw\","
  "\"a \"\"1\"\", left.qx\",\"a \"\"1\"\", left.qy\",\"a \"\"1\"\", left.qz\",\"a \"\"1\"\", left.vx\","
  "\"a \"\"1\"\", left.vy\",\"a \"\"1\"\", left.vz\",\"a \"\"1\"\", left.wx\",\"a \"\"1\"\", left.wy\","
  "\"a \"\"1\"\", left.wz\"\n";

/* Every number is read back to the bit; names with commas and quotes survive; the file is named when it is whole. */
static void records_are_read_back_exactly(void **state)
{
  (void)state;
  hn_error error;
  hn_model *model = new_model();
  add_ball(model, 0, add_box(model, "a \"1\", left", 0.5, 0, 0), 0, 0, 0);
  hn_solver *solver = new_solver("impulse-gs", model);
  hn_state *at = hn_state_create(model);
  char *path = strdup(in_directory("run.csv")), *part = strdup(in_directory("run.csv.part")), *line = NULL;
  size_t room = 0;
  kept k = { .record = hn_record_create(path, model, NULL, &error) };
  assert_non_null(k.record);
  for (int i = 0; i < 16; i++) k.states[i] = hn_state_create(model);
  at->twist[1].w[0] = 0.1, at->twist[1].w[2] = -1.0 / 3;
  hn_summary summary;
  hn_run_options options = { .step = 0.1 / 3, .duration = 0.5, .observe = keep, .user = &k };
  assert_int_equal(hn_run(solver, at, &options, &summary), HN_CONVERGED);
  assert_true(access(path, F_OK) != 0 && access(part, F_OK) == 0);
  assert_int_equal(hn_record_close(k.record, &error), 0);
  assert_true(access(path, F_OK) == 0 && access(part, F_OK) != 0);
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  assert_true(getline(&line, &room, file) > 0);
  assert_string_equal(line, header);
  long lines = 0;
  for (; getline(&line, &room, file) > 0; lines++) {
    line[strcspn(line, "\n")] = '\0';
    check_line(line, &k, lines);
  }
  printf("  %ld lines of 25 fields each, equal to the bit\n", lines);
  assert_int_equal(lines, summary.steps + 1);
  fclose(file);
  unlink(path);
  for (int i = 0; i < 16; i++) hn_state_free(k.states[i]);
  free(line), free(path), free(part);
  hn_state_free(at);
  hn_solver_free(solver);
  hn_model_free(model);
}

static void unwritable_records_are_errors(void **state)
{
  (void)state;
  hn_error error = { "" };
  hn_model *model = double_pendulum();
  assert_null(hn_record_create(in_directory("missing/run.csv"), model, NULL, &error));
  printf("  %s\n", error.text);
  assert_non_null(strstr(error.text, "missing/run.csv: No such file or directory"));
  hn_record *record = hn_record_create(in_directory("taken"), model, NULL, &error);
  assert_non_null(record);
  hn_solver *solver = new_solver("impulse-gs", model);
  hn_state *at = hn_state_create(model);
  hn_summary summary;
  hn_run_options options = { .step = 0.01, .duration = 0.01, .observe = hn_record_frame, .user = record };
  assert_int_equal(hn_run(solver, at, &options, &summary), HN_CONVERGED);
  hn_state_free(at);
  hn_solver_free(solver);
  assert_int_equal(mkdir(in_directory("taken"), 0700), 0); /* a directory cannot be replaced by a file */
  error.text[0] = '\0';
  assert_int_equal(hn_record_close(record, &error), -1);
  printf("  %s\n", error.text);
  assert_non_null(strstr(error.text, "taken"));
  rmdir(in_directory("taken"));
  unlink(in_directory("taken.part"));
  hn_model_free(model);
}

/* A full disk: what cannot be written is noticed and said, and ends the run. */
static void full_disks_are_noticed(void **state)
{
  (void)state;
  hn_error error = { "" };
  assert_int_equal(access("/dev/full", W_OK), 0); /* a device of every Linux */
  hn_model *model = double_pendulum();
  char *part = strdup(in_directory("full.part"));
  assert_int_equal(symlink("/dev/full", part), 0);
  hn_record *record = hn_record_create(in_directory("full"), model, NULL, &error);
  assert_non_null(record);
  hn_solver *solver = new_solver("impulse-gs", model);
  hn_state *at = hn_state_create(model);
  hn_summary summary;
  hn_run_options options = { .step = 0.001, .duration = 1, .observe = hn_record_frame, .user = record };
  assert_int_equal(hn_run(solver, at, &options, &summary), HN_INTERRUPTED);
  assert_int_equal(hn_record_close(record, &error), -1);
  printf("  after %ld steps: %s\n", summary.steps, error.text);
  assert_non_null(strstr(error.text, "No space left"));
  assert_int_not_equal(access(in_directory("full"), F_OK), 0);
  unlink(part);
  free(part);
  hn_state_free(at);
  hn_solver_free(solver);
  hn_model_free(model);
}

/* ---- Parameters there and back ----------------------------------------------------------------------------------- */

static uint64_t hash_of(hn_solver *solver, const hn_model *model)
{
  hn_state *at = hn_state_create(model);
  hn_summary summary;
  hn_run_options options = { .step = 0.01, .duration = 0.2 };
  hn_run(solver, at, &options, &summary);
  hn_state_free(at);
  return summary.hash;
}

/* Of a frame that is not to be written nothing is looked at, and so it costs nothing; the last one is always
 * written. */
static void frames_between_are_not_looked_at(void **state)
{
  (void)state;
  hn_error error = { "" };
  hn_model *model = double_pendulum();
  const hn_record_options options = { .every = 3 };
  hn_record *record = hn_record_create(in_directory("every.csv"), model, &options, &error);
  assert_non_null(record);
  hn_state *at = hn_state_create(model);
  hn_report report = { 0 };
  for (long i = 0; i <= 8; i++) {
    const bool written = i % 3 == 0 || i == 8;
    hn_frame frame = { .index = i, .state = written ? at : NULL, .report = written ? &report : NULL, .last = i == 8 };
    assert_true(hn_record_frame(record, &frame));
  }
  assert_int_equal(hn_record_close(record, &error), 0);
  long steps[8], lines = 0;
  char *line = NULL;
  size_t room = 0;
  FILE *file = fopen(in_directory("every.csv"), "r");
  assert_non_null(file);
  for (getline(&line, &room, file); lines < 8 && getline(&line, &room, file) > 0; lines++)
    steps[lines] = strtol(line, NULL, 10);
  printf("  steps %ld %ld %ld %ld of 0 to 8\n", steps[0], steps[1], steps[2], steps[3]);
  assert_int_equal(lines, 4);
  assert_true(steps[0] == 0 && steps[1] == 3 && steps[2] == 6 && steps[3] == 8);
  fclose(file), free(line);
  unlink(in_directory("every.csv"));
  hn_state_free(at);
  hn_model_free(model);
}

/* A rank that cannot be found ends the record, which says why. */
static void records_tell_why_a_rank_is_not_known(void **state)
{
  (void)state;
  hn_error error = { "" };
  hn_model *model = double_pendulum();
  hn_record *record = hn_record_create(in_directory("rank"), model, &(hn_record_options){ .rank = true }, &error);
  assert_non_null(record);
  hn_state *at = hn_state_create(model);
  hn_measure measure = { 0 };
  hn_report report = { 0 };
  hn_frame frame = { .state = at, .measure = &measure, .report = &report };
  assert_true(hn_record_frame(record, &frame));
  at->pose[1].x[0] = INFINITY;
  assert_false(hn_record_frame(record, &frame));
  assert_int_equal(hn_record_close(record, &error), -1);
  printf("  %s\n", error.text);
  assert_non_null(strstr(error.text, "the Jacobian is not finite"));
  unlink(in_directory("rank.part"));
  hn_state_free(at);
  hn_model_free(model);
}

/* The spec a method reports makes the same method again. */
static void specs_make_the_same_method(void **state)
{
  (void)state;
  static const char *const specs[] = {
    "impulse-gs", "impulse-gs:tolerance=3.3e-7,relaxation=1.2345678901234567,flight=taylor,flight_order=4",
    "impulse-gs:sweeps=3,flight=exact", "impulse-sle", "impulse-sle:linear=dense,tolerance=1e-5,iterations=7",
    "impulse-sle:linear=ksp,petsc=-ksp_type minres -pc_type jacobi", "lagrange",
    "lagrange:stepper=rkf45,adaptive=true,error_tolerance=0.0000123",
    "lagrange:stabilisation=baumgarte,alpha=7.1,beta=9.3",
  };
  hn_model *model = mixed();
  for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
    hn_solver *solver = new_solver(specs[i], model), *again = new_solver(solver->spec, model);
    uint64_t hash = hash_of(solver, model), same = hash_of(again, model);
    printf("  %016" PRIx64 " %016" PRIx64 "  %.80s\n", hash, same, solver->spec);
    assert_string_equal(solver->spec, again->spec);
    assert_true(hash == same && hash != HN_HASH_START);
    hn_solver_free(solver), hn_solver_free(again);
  }
  hn_model_free(model);
}

/* Every key of every table appears in the spec, with its default in force. */
static void specs_hold_every_parameter(void **state)
{
  (void)state;
  size_t count, keys = 0;
  const hn_solver_type *const *types = hn_solver_types(&count);
  hn_model *model = double_pendulum();
  for (size_t i = 0; i < count; i++) {
    hn_solver *solver = new_solver(types[i]->name, model);
    for (const hn_param *p = types[i]->params; p->key; p++, keys++) {
      char word[64];
      snprintf(word, sizeof word, "%c%s=", p == types[i]->params ? ':' : ',', p->key);
      const char *at = strstr(solver->spec, word);
      if (!at) fail_msg("%s does not say %s", solver->spec, p->key);
      at += strlen(word);
      if (p->kind == HN_REAL || p->kind == HN_INTEGER) assert_true(strtod(at, NULL) == strtod(p->initial, NULL));
      else assert_int_equal(strncmp(at, p->initial, strlen(p->initial)), 0);
    }
    hn_solver_free(solver);
  }
  printf("  %zu keys of %zu methods\n", keys, count);
  hn_model_free(model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(energies_and_momenta_are_right),
    cmocka_unit_test(joint_errors_are_right),
    cmocka_unit_test(nan_is_never_lost),
    cmocka_unit_test(fits_give_the_slope),
    cmocka_unit_test(step_counts_cover_the_duration),
    cmocka_unit_test(runs_end_at_their_duration),
    cmocka_unit_test(steps_that_fail_are_not_the_last),
    cmocka_unit_test(runs_can_be_stopped),
    cmocka_unit_test(summaries_hold_the_extremes),
    cmocka_unit_test(records_are_read_back_exactly),
    cmocka_unit_test(unwritable_records_are_errors),
    cmocka_unit_test(full_disks_are_noticed),
    cmocka_unit_test(frames_between_are_not_looked_at),
    cmocka_unit_test(records_tell_why_a_rank_is_not_known),
    cmocka_unit_test(specs_make_the_same_method),
    cmocka_unit_test(specs_hold_every_parameter),
  };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
