/* test_record_files.c - files of records: a record that goes on from a checkpoint equals one without
 * interruption, and its second file holds its frames alone; an error while writing is not forgotten until
 * the file is closed. */
#include "heard.h"
#include "run.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

enum {
  EVERY = 4,
  STEPS = 90,
  MARK = 41,
  END = 70
}; /* of the interrupted record: the checkpoint, and its end */

/* Returns the path of a file beside the scene, in one of four buffers used in turn. */
static const char *beside(const char *name)
{
  static char file[4][80];
  static int next;
  char *text = file[next++ % 4];
  snprintf(text, sizeof file[0], "%s/%s", directory, name);
  return text;
}

static long size_of(const char *file)
{
  struct stat status;
  return stat(file, &status) == 0 ? (long)status.st_size : -1;
}

/* ---- A format that writes all cells of a frame --------------------------------------------------------- */

static void *open_cells(const hn_record_layout *layout, hn_error *error)
{
  (void)error;
  return (void *)(uintptr_t)layout;
}

static int write_cells(void *writer, hn_error *error)
{
  const hn_record_layout *layout = writer;
  fprintf(layout->file, "%s\n", layout->skipped ? "lists" : "frame");
  for (const hn_record_group *of = layout->group; of < layout->group + layout->ngroup; of++) {
    if (!of->listed && layout->skipped) continue;
    fprintf(layout->file, "%s %d:", of->name, of->count);
    for (int i = 0; i < of->count * of->width; i++)
      fprintf(layout->file, " %llx", (unsigned long long)of->cell[i].bits);
    fputc('\n', layout->file);
  }
  return ferror(layout->file) ? hn_fail(error, "cannot write") : 0;
}

static int close_cells(void *writer, hn_record_end end, hn_error *error)
{
  (void)writer, (void)end, (void)error;
  return 0;
}

static const hn_record_type cells = {
  .ending = ".cells", .whole = true, .open = open_cells, .write = write_cells, .close = close_cells
};

/* ---- Records that go on -------------------------------------------------------------------------------- */

/* An observer of the frames FIRST to LAST, which marks frame MARK. */
typedef struct part {
  hn_record *record;
  long first, last, mark;
  hn_record_mark at;
} part;

static bool record_part(void *user, const hn_frame *frame)
{
  part *p = user;
  hn_error error;
  if (frame->index < p->first || frame->index > p->last) return true;
  if (!hn_record_frame(p->record, frame)) return false;
  if (frame->index == p->mark) assert_int_equal(hn_record_mark_now(p->record, &p->at, &error), 0);
  return true;
}

/* Runs the written scene and records the frames of P in the file NAME, with frames in FRAMES (may be NULL),
 * from the mark FROM. */
static void record_run(part *p, const char *name, const char *frames, const hn_record_mark *from)
{
  hn_error error = { "" };
  hn_scene *scene = load_written(NULL, 0);
  hn_solver *solver = hn_solver_create("events", scene->model, &error);
  hn_state *state = hn_state_create(scene->model);
  if (!solver || hn_solver_keep_impulses(solver, &error)) fail_msg("%s", error.text);
  const hn_record_options how = { .type = &cells, .every = EVERY, .frames_path = frames, .from = from };
  p->record = hn_record_create(beside(name), scene->model, &how, &error);
  if (!p->record) fail_msg("%s", error.text);
  if (from)
    ASSERT_COUNT("bytes of the frames up to the checkpoint", size_of(frames), (long)(8 * from->cells));
  hn_run_options options = { .step = 0.01, .duration = 0.01 * STEPS, .observe = record_part, .user = p };
  hn_summary summary;
  if (hn_run(solver, state, &options, &summary) != HN_CONVERGED) fail_msg("%s", summary.explanation);
  if (hn_record_close(p->record, &error)) fail_msg("%s", error.text);
  hn_state_free(state), hn_solver_free(solver), hn_scene_free(scene);
}

static char *read_file(const char *file)
{
  const long size = size_of(file);
  char *text = calloc(1, (size_t)size + 2);
  FILE *from = fopen(file, "r");
  assert_true(size >= 0 && text && from);
  assert_int_equal(fread(text, 1, (size_t)size + 1, from), size);
  fclose(from);
  return text;
}

static int lines_of(const char *text, const char *word)
{
  int count = 0;
  for (; (text = strstr(text, word)); text += strlen(word)) count++;
  return count;
}

static const char bouncing[] =
  "sys:body { name = 'floor', fixed = true, position = { 0, 0, 0 }, restitution = 0.9, friction = 0.3,\n"
  "  shape = scene.plane { normal = { 0, 1, 0 } } }\n"
  "for i = 1, 3 do\n"
  "  sys:body { mass = i, shape = scene.sphere { radius = 0.1 }, restitution = 0.8, friction = 0.3,\n"
  "    position = { i, 0.11 + 0.02 * i, 0 }, velocity = { 0.3, 0, 0 } }\n"
  "end\n"
  "sys:contact { margin = 0.05 }\nreturn sys";

/* Balls bounce on a floor, so that many frames between the recorded ones have events; of those the record
 * has the lists alone. The interrupted record goes beyond its checkpoint; the first one that goes on ends
 * before that, the second one at the end of the run. */
static void records_go_on_from_checkpoints(void **unused)
{
  (void)unused;
  write_scene(bouncing);
  char frames[80];
  snprintf(frames, sizeof frames, "%s", beside("frames"));
  part whole = { .last = STEPS, .mark = -1 }, cut = { .last = END, .mark = MARK };
  record_run(&whole, "whole", NULL, NULL);
  record_run(&cut, "cut", frames, NULL);
  part shorter = { .first = MARK + 1, .last = MARK + 5, .mark = MARK + 5 };
  record_run(&shorter, "cut", frames, &cut.at);
  ASSERT_COUNT("bytes of the frames of the shorter record", size_of(frames), (long)(8 * shorter.at.cells));
  part rest = { .first = MARK + 6, .last = STEPS, .mark = STEPS };
  record_run(&rest, "cut", frames, &shorter.at);
  ASSERT_COUNT("bytes of the frames of all parts", size_of(frames), (long)(8 * rest.at.cells));
  char *one = read_file(beside("whole")), *other = read_file(beside("cut"));
  printf("  %d frames, %d with lists alone\n", lines_of(one, "frame\n"), lines_of(one, "lists\n"));
  assert_true(lines_of(one, "lists\n") >= 5);
  assert_string_equal(one, other);
  free(one), free(other);
  unlink(beside("whole")), unlink(beside("cut")), unlink(frames);
}

/* ---- Errors while writing ------------------------------------------------------------------------------ */

/* A file may not grow for a while, as on a full disk, and then may again: its end can be written, its
 * middle is missing. It is not given its name. */
static void errors_are_remembered_until_the_end(void **unused)
{
  (void)unused;
  struct rlimit limit, small;
  hn_pending pending;
  hn_error error = { "" };
  static const char line[] = "0123456789 0123456789 0123456789 0123456789\n";
  for (int full = 0; full < 2; full++) {
    assert_int_equal(hn_pending_open(&pending, beside("table"), &error), 0);
    void (*before)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    small = limit, small.rlim_cur = 8192;
    if (full) assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    for (int i = 0; i < 1000; i++) fputs(line, pending.stream);
    fflush(pending.stream);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    signal(SIGXFSZ, before);
    fputs("the end\n", pending.stream);
    assert_int_equal(hn_pending_close(&pending, HN_RECORD_KEEP, &error), full ? -1 : 0);
    printf("  %s: %ld bytes\n", full ? error.text : "complete", size_of(beside("table")));
    assert_int_equal(size_of(beside("table")), full ? -1 : (long)(1000 * strlen(line) + 8));
    unlink(beside("table")), unlink(beside("table.part"));
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(records_go_on_from_checkpoints),
    cmocka_unit_test(errors_are_remembered_until_the_end),
  };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
