/* test_study_fields.c - studies are written from known data, loaded, and compared with these data field by
 * field. */
#include "written.h"

#include "study.h"

/* The data of a study, in the notation of the file and as numbers. */
typedef struct data {
  double step[6];
  size_t steps;
  double duration;
  const char *reference, *norm, *beside;
  bool consistent;
  int times;
  const char *solver[3], *length[4], *tolerance[4], *shown[3]; /* lists ended by NULL */
} data;

static const data each[] = {
  { .steps = 0 },
  { .step = { 0.25 }, .steps = 1, .times = 1, .length = { "2" } },
  { .step = { 0.03125, 0.5, 0.0078125, 1e-5, 0.1, 0.02 }, .steps = 6, .consistent = true, .norm = "rms" },
  { .duration = 0.375,
    .times = 1024,
    .reference = "none",
    .beside = "theirs.csv",
    .solver = { "impulse-gs:relaxation=1.5", "lagrange" } },
  { .step = { 0.01, 0.02 },
    .steps = 2,
    .duration = 3,
    .norm = "max",
    .consistent = true,
    .times = 7,
    .solver = { "impulse-sle" },
    .length = { "0.5", "1", "1.5" },
    .tolerance = { "1e-09", "1e-06" },
    .shown = { "length", "drift" } },
};

static void write_list(FILE *file, const char *before, const char *quote, const char *const *text,
                       const char *after)
{
  fprintf(file, "%s{", before);
  for (; *text; text++) fprintf(file, " %s%s%s,", quote, *text, quote);
  fprintf(file, " }%s,\n", after);
}

static void write_study(const data *d)
{
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(
    "-- s.lua: a trial\nlocal study = require \"holonom.study\"\nreturn study {\n  scene = \"pendulum\",\n",
    file);
  if (d->steps > 0) {
    fputs("  steps = {", file);
    for (size_t i = 0; i < d->steps; i++) fprintf(file, " %.17g,", d->step[i]);
    fputs(" },\n", file);
  }
  if (d->duration > 0) fprintf(file, "  duration = %.17g,\n", d->duration);
  if (d->reference) fprintf(file, "  reference = \"%s\",\n", d->reference);
  if (d->norm) fprintf(file, "  norm = \"%s\",\n", d->norm);
  if (d->beside) fprintf(file, "  beside = \"%s\",\n", d->beside);
  if (d->consistent) fputs("  consistent = true,\n", file);
  if (d->times > 0) fprintf(file, "  times = %d,\n", d->times);
  if (*d->solver) write_list(file, "  solvers = ", "\"", d->solver, "");
  if (*d->length) write_list(file, "  set = { length = ", "", d->length, " }");
  if (*d->tolerance) write_list(file, "  vary = { tolerance = ", "", d->tolerance, " }");
  if (*d->shown) write_list(file, "  show = ", "\"", d->shown, "");
  fputs("}\n", file);
  assert_int_equal(fclose(file), 0);
}

static void check_text(const char *text, const char *expected)
{
  if (expected) assert_non_null(text), assert_string_equal(text, expected);
  else assert_null(text);
}

/* A relative file stands in the directory of the study. */
static void check_beside(const char *file, const char *name)
{
  const char *slash = strrchr(path, '/');
  const size_t length = slash ? (size_t)(slash + 1 - path) : 0;
  if (!name) {
    assert_null(file);
    return;
  }
  assert_non_null(file);
  assert_int_equal(strncmp(file, path, length), 0);
  assert_string_equal(file + length, name);
}

static void check_list(const char *what, char *const *text, size_t count, const char *const *expected)
{
  size_t length = 0;
  while (expected[length]) length++;
  ASSERT_COUNT(what, count, length);
  for (size_t i = 0; i < length; i++) assert_string_equal(text[i], expected[i]);
}

/* Checks that a list of axes is one of NAME with these values, or empty. */
static void check_axes(const char *name, const hn_study_axis *axis, size_t count, const char *const *expected)
{
  ASSERT_COUNT(name, count, *expected != NULL);
  if (count == 0) return;
  check_list("names", axis->name, axis->nname, (const char *const[]){ name, NULL });
  check_list("values", axis->value, axis->nvalue, expected);
}

static void studies_have_the_data_of_their_files(void **unused)
{
  (void)unused;
  for (size_t k = 0; k < sizeof each / sizeof *each; k++) {
    const data *d = &each[k];
    hn_error error = { "" };
    hn_study *s = NULL;
    write_study(d);
    if (hn_study_load(&s, path, &(hn_scene_options){ .setting = NULL }, &error) != 1)
      fail_msg("%s", error.text);
    ASSERT_COUNT("steps", s->nstep, d->steps);
    for (size_t i = 0; i < d->steps; i++) check_near("a step, s", s->step[i], d->step[i], 0);
    check_near("duration, s", s->duration, d->duration, 0);
    ASSERT_COUNT("times", (unsigned)s->times, (unsigned)d->times);
    ASSERT_COUNT("consistent", (unsigned)s->consistent, (unsigned)d->consistent);
    check_text(s->reference, d->reference), check_text(s->norm, d->norm);
    check_beside(s->beside, d->beside);
    check_text(s->scene, "pendulum"), check_text(s->written, "pendulum"), check_text(s->summary, "a trial");
    check_list("solvers", s->solver, s->nsolver, d->solver), check_list("shown", s->show, s->nshow, d->shown);
    check_axes("length", s->axis, s->naxis, d->length);
    check_axes("tolerance", s->varied, s->nvaried, d->tolerance);
    ASSERT_COUNT("line", (unsigned)s->line, 3);
    hn_study_free(s);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = { cmocka_unit_test(studies_have_the_data_of_their_files) };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
