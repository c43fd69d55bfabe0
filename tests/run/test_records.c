/* test_records.c - records of runs as files: read back to the bit, selected frames, and error messages. */
#include "models.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char directory[] = "test_records.XXXXXX";

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

/* ---- Contents of records ------------------------------------------------------------------------------- */

typedef struct recorded_frames {
  hn_record *record;
  hn_state *states[16];
  hn_measure measures[16];
  hn_report reports[16];
  uint64_t hash[16], impulses[16], operations[16];
} recorded_frames;

static bool keep_frame(void *user, const hn_frame *frame)
{
  recorded_frames *k = user;
  hn_state_copy(k->states[frame->index], frame->state);
  k->measures[frame->index] = *frame->measure, k->hash[frame->index] = frame->hash;
  k->impulses[frame->index] = frame->impulses, k->operations[frame->index] = frame->operations;
  if (frame->index > 0) k->reports[frame->index] = *frame->report;
  return hn_record_frame(k->record, frame);
}

/* Checks that the next number of a CSV line equals `value` to the bit. */
static void same_number(char **rest, double value)
{
  double read = strtod(strsep(rest, ","), NULL);
  if (memcmp(&read, &value, sizeof value) != 0) fail_msg("%.17g was written as %.17g", value, read);
}

/* Checks that the next field equals `count`, or is empty at the start. */
static void same_count(char **rest, long index, uint64_t count)
{
  char *text = strsep(rest, ",");
  if (index == 0) assert_string_equal(text, "");
  else assert_true(*text && strtoull(text, NULL, 10) == count);
}

static void check_line(char *line, const recorded_frames *k, long index)
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

/* Every number is read back to the bit; names with commas and quotes are preserved; the file has its name
 * only when complete. */
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
  recorded_frames k = { .record = hn_record_create(path, model, NULL, &error) };
  assert_non_null(k.record);
  for (int i = 0; i < 16; i++) k.states[i] = hn_state_create(model);
  at->twist[1].w[0] = 0.1, at->twist[1].w[2] = -1.0 / 3;
  hn_summary summary;
  hn_run_options options = { .step = 0.1 / 3, .duration = 0.5, .observe = keep_frame, .user = &k };
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

/* Skipped frames are not read, so that they cost nothing; the last frame is always written. */
static void skipped_frames_are_not_read(void **state)
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
    hn_frame frame = { .index = i,
                       .state = written ? at : NULL,
                       .model = written ? model : NULL,
                       .report = written ? &report : NULL,
                       .last = i == 8 };
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

/* ---- Failing records ----------------------------------------------------------------------------------- */

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

/* A full disk is detected, reported, and ends the run. */
static void full_disks_are_reported(void **state)
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

/* A rank that cannot be computed ends the record with an error message. */
static void missing_ranks_are_reported(void **state)
{
  (void)state;
  hn_error error = { "" };
  hn_model *model = double_pendulum();
  hn_record *record = hn_record_create(in_directory("rank"), model, &(hn_record_options){ .rank = true },
                                       &error);
  assert_non_null(record);
  hn_state *at = hn_state_create(model);
  hn_measure measure = { 0 };
  hn_report report = { 0 };
  hn_frame frame = { .state = at, .model = model, .measure = &measure, .report = &report };
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

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(records_are_read_back_exactly), cmocka_unit_test(skipped_frames_are_not_read),
    cmocka_unit_test(unwritable_records_are_errors), cmocka_unit_test(full_disks_are_reported),
    cmocka_unit_test(missing_ranks_are_reported),
  };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
