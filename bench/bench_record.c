/* bench_record.c - writing records: HDF5 and CSV beside a plain write of the same numbers. */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { REPETITIONS = 15, NUMBERS = 12 << 20 }; /* numbers of a record: 96 MiB */

/* Writes frames of a scene in its initial state. */
typedef struct writing {
  const hn_model *model;
  const char *path; /* of the record; NULL: a plain file */
  hn_frame frame;
  long frames, numbers; /* `numbers` of each frame */
  char *scratch;        /* path of the plain file */
} writing;

/* Writes 12 numbers of the step and 13 of each body. */
static void write_plain(writing *w)
{
  FILE *file = fopen(w->scratch, "w");
  double *number = bench_alloc((size_t)w->numbers, sizeof *number);
  for (long n = 0; file && n < w->frames; n++) {
    double *to = number + 12;
    number[0] = (double)n;
    for (int i = 1; i < w->model->nbody; i++, to += 13) {
      memcpy(to, &w->frame.state->pose[i], 7 * sizeof *to);
      memcpy(to + 7, &w->frame.state->twist[i], 6 * sizeof *to);
    }
    fwrite(number, sizeof *number, (size_t)w->numbers, file);
  }
  if (!file || fclose(file)) bench_fail("cannot write %s", w->scratch);
  free(number);
}

static void write_record(writing *w)
{
  hn_error error;
  const hn_record_options options = { .frames = w->frames };
  hn_record *record = hn_record_create(w->path, w->model, &options, &error);
  for (w->frame.index = 0; record && w->frame.index < w->frames; w->frame.index++)
    if (!hn_record_frame(record, &w->frame)) break;
  if (!record || hn_record_close(record, &error)) bench_fail("%s", error.text);
}

static void write_once(void *data)
{
  writing *w = data;
  if (w->path) write_record(w);
  else write_plain(w);
}

/* Removes the record, and truncates the plain file as HDF5 does with its own. Some file systems write a file
 * to disk on closing if it replaces another or was truncated; both must be treated alike. */
static void restart(void *data)
{
  const writing *w = data;
  unlink(w->path ? w->path : w->scratch);
  if (!w->path) fclose(fopen(w->scratch, "w"));
}

static void print_row(const char *name, int n, const char *directory)
{
  char path[3][120];
  snprintf(path[0], sizeof path[0], "%s/x.raw", directory);
  snprintf(path[1], sizeof path[1], "%s/x.h5", directory);
  snprintf(path[2], sizeof path[2], "%s/x.csv", directory);
  hn_scene *scene = bench_scene(name, n);
  hn_state *state = hn_state_create(scene->model);
  hn_measure measure;
  hn_report report = { 0 };
  if (!state) bench_fail("out of memory");
  hn_measure_state(scene->model, state, &measure);
  writing w[3];
  bench_job job[3];
  for (int k = 0; k < 3; k++) {
    w[k] = (writing){ .model = scene->model,
                      .path = k ? path[k] : NULL,
                      .scratch = path[0],
                      .numbers = 12 + 13 * (scene->model->nbody - 1),
                      .frame = { .state = state, .measure = &measure, .report = &report } };
    w[k].frames = NUMBERS / w[k].numbers / (k == 2 ? 48 : 1);
    job[k] = (bench_job){
      .run = write_once, .restart = restart, .data = &w[k], .parts = 1, .units = (double)w[k].frames
    };
  }
  bench_measure(job, 3, REPETITIONS);
  printf("| %s | %d | %ld | %.3f | %.3f | %.2f | 1.50 | %.1f |\n", name, scene->model->nbody - 1, w[0].frames,
         job[0].us.min, job[1].us.min, job[1].us.min / job[0].us.min, job[2].us.min / job[0].us.min);
  for (int k = 0; k < 3; k++) unlink(path[k]);
  hn_state_free(state);
  hn_scene_free(scene);
}

void bench_record(void)
{
  char directory[] = "/tmp/holonom-record-XXXXXX";
  if (!mkdtemp(directory)) bench_fail("cannot make %s", directory);
  printf("\n## Records: us a frame, beside a plain write of the same numbers\n\n");
  bench_table("| scene | bodies | frames | plain | HDF5 | HDF5 / plain | bound | CSV / plain |");
  print_row("pendulum", 0, directory);
  print_row("chain8", 0, directory);
  print_row("tree", 127, directory);
  print_row("tree", 4095, directory);
  rmdir(directory);
}
