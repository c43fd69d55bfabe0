/* timing.c - repetitions beside the units of work, and tables. */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static int ascending(const void *left, const void *right)
{
  double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

bench_stat bench_statistics(double *values, int count)
{
  qsort(values, (size_t)count, sizeof *values, ascending);
  int half = count / 2;
  return (bench_stat){ values[0], count % 2 ? values[half] : 0.5 * (values[half - 1] + values[half]) };
}

/* Repetitions of one job: us a unit, and ratios to both units of work, [part * repetitions + repetition]. */
typedef struct series {
  double *us, *floor, *petsc;
} series;

static void repeat(const bench_job *job, series s, int repetition, int repetitions)
{
  if (job->restart) job->restart(job->data);
  for (int part = 0; part < job->parts; part++) {
    bench_units now = bench_units_now();
    double clock = bench_seconds();
    job->run(job->data);
    double us = 1e6 * (bench_seconds() - clock) / job->units;
    s.us[part * repetitions + repetition] = us;
    s.floor[part * repetitions + repetition] = us / now.floor;
    s.petsc[part * repetitions + repetition] = us / now.petsc;
  }
}

static void reduce(bench_job *job, series s, int repetitions)
{
  job->us = (bench_stat){ 0.0, 0.0 };
  job->scaled = (bench_units){ 0.0, 0.0 };
  for (int part = 0; part < job->parts; part++) {
    bench_stat us = bench_statistics(s.us + part * repetitions, repetitions);
    job->us.min += us.min / job->parts;
    job->us.median += us.median / job->parts;
    bench_stat floor = bench_statistics(s.floor + part * repetitions, repetitions);
    bench_stat petsc = bench_statistics(s.petsc + part * repetitions, repetitions);
    job->scaled.floor += BENCH_FLOOR_US * floor.median / job->parts;
    job->scaled.petsc += BENCH_PETSC_US * petsc.median / job->parts;
  }
}

void bench_measure(bench_job *jobs, int count, int repetitions)
{
  series *all = bench_alloc((size_t)count, sizeof *all);
  for (int i = 0; i < count; i++) {
    size_t size = (size_t)(jobs[i].parts * repetitions);
    all[i].us = bench_alloc(size, sizeof(double));
    all[i].floor = bench_alloc(size, sizeof(double));
    all[i].petsc = bench_alloc(size, sizeof(double));
  }
  for (int r = 0; r < repetitions; r++)
    for (int i = 0; i < count; i++) repeat(&jobs[i], all[i], r, repetitions);
  for (int i = 0; i < count; i++) {
    reduce(&jobs[i], all[i], repetitions);
    free(all[i].us), free(all[i].floor), free(all[i].petsc);
  }
  free(all);
}

void bench_table(const char *head)
{
  puts(head);
  for (const char *c = strchr(head, '|'); c[1]; c = strchr(c + 1, '|')) printf("|---");
  puts("|");
}

void bench_figure_head(const char *title)
{
  char head[256];
  snprintf(head, sizeof head,
           "| %s | min | median | scaled by PETSc | by the floor | bound | median / bound "
           "| by PETSc | by the floor |",
           title);
  bench_table(head);
}

static void cell(const char *format, double value)
{
  if (isfinite(value)) printf(format, value);
  else printf(" |");
}

void bench_figure(const char *what, const char *unit, bench_stat measured, bench_units scaled, double bound)
{
  printf("| %s, %s |", what, unit);
  cell(" %.4g |", measured.min);
  cell(" %.4g |", measured.median);
  cell(" %.4g |", scaled.petsc);
  cell(" %.4g |", scaled.floor);
  cell(" %.4g |", bound);
  cell(" %.2f |", measured.median / bound);
  cell(" %.2f |", scaled.petsc / bound);
  cell(" %.2f |", scaled.floor / bound);
  putchar('\n');
}
