/* calibration.c - K p = b of trees on this machine: the floor beside every linear back end.
 *
 * The rows "back end alone" omit what the interface adds to a library: the probe for singularity after each
 * factorisation (lib/linear/linear.c) and the permutations. A second table times code compiled by Debian, so
 * that its ratios to the published times describe the machine and not our code. */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MAX_BACKENDS = 12, KINDS = 3, REPETITIONS = 9, LARGEST_DENSE = 255 };

static const int sizes[] = { 7, 31, 127, 255, 1023 };

/* Published with the bounds for trees of 8, 31, 127, 255 and 1023 joints, us. */
static const double published_values[] = { 0.7, 2.6, 11, 22, 89 },
                    published_floor[] = { 0.49, 2.0, 8.6, 17, 72 },
                    published_petsc[] = { 0.86, 3.0, 12, 24, 97 };

/* A tree and the data to time on it. */
typedef struct fixture {
  const hn_scene *scene;
  hn_state *state;
  hn_system *system;
  bench_floor *floor;
  double *x;
  int times; /* calls in a part */
} fixture;

static void values(void *data)
{
  fixture *s = data;
  for (int k = 0; k < s->times; k++) {
    hn_system_jacobian(s->system, s->state);
    hn_assembly_fill(&s->system->parts->linear->assembly, s->system);
  }
}

static void load(fixture *s)
{
  for (int i = 0; i < s->scene->model->nrow; i++) s->x[i] = 1.0;
}

static void run_floor(void *data)
{
  fixture *s = data;
  for (int k = 0; k < s->times; k++) {
    load(s);
    bench_floor_run(s->floor, s->x);
  }
}

static void run_fill(void *data)
{
  fixture *s = data;
  for (int k = 0; k < s->times; k++) hn_assembly_fill(&s->system->parts->linear->assembly, s->system);
}

static void run_alone(void *data)
{
  fixture *s = data;
  const hn_linear *linear = s->system->parts->linear;
  for (int k = 0; k < s->times; k++) {
    load(s);
    if (linear->type->factor(linear->self) || linear->type->solve(linear->self, s->x))
      bench_fail("%s fails on a tree", linear->type->name);
  }
}

static void run_system(void *data)
{
  fixture *s = data;
  for (int k = 0; k < s->times; k++) {
    load(s);
    if (hn_system_factor(s->system) || hn_system_solve(s->system, s->x, s->x))
      bench_fail("a back end fails on a tree");
  }
}

static fixture open_fixture(const hn_scene *scene, const char *backend, const char *petsc)
{
  hn_error error;
  const hn_linear_options options = { .backend = backend, .petsc = petsc };
  fixture s = { .scene = scene };
  s.state = hn_state_create(scene->model);
  s.system = hn_system_create(scene->model, &error);
  if (!s.state || !s.system) bench_fail("out of memory");
  if (hn_system_use_linear(s.system, &options, &error)) bench_fail("%s", error.text);
  s.x = bench_alloc((size_t)scene->model->nrow, sizeof *s.x);
  hn_system_jacobian(s.system, s.state);
  hn_assembly_fill(&s.system->parts->linear->assembly, s.system);
  s.floor = bench_floor_create(&s.system->parts->linear->assembly.K);
  int cubes = strcmp(backend, "dense") == 0 ? scene->model->nrow * scene->model->nrow / 1000 : 0;
  s.times = 1 + 12700 / (scene->model->njoint * (1 + cubes));
  return s;
}

static void close_fixture(fixture *s)
{
  bench_floor_free(s->floor);
  hn_system_free(s->system);
  hn_state_free(s->state);
  free(s->x);
}

static bench_job fixture_job(void (*run)(void *), fixture *s)
{
  return (bench_job){ .run = run, .data = s, .parts = 1, .units = s->times };
}

static void print_row(const char *what, int n, bench_stat us, double floor, double published)
{
  printf("| %d | %s | %.3g | %.3g | %.2f |", n, what, us.min, us.median, us.median / floor);
  if (isfinite(published)) printf(" %.3g | %.2f |\n", published, us.median / published);
  else printf(" | |\n");
}

/* Returns the largest relative difference of the floor's solution from that of the first back end. */
static double disagreement(fixture *s)
{
  int n = s->scene->model->nrow;
  double *y = bench_alloc((size_t)n, sizeof *y), difference = 0.0, size = 0.0;
  const hn_linear *linear = s->system->parts->linear;
  load(s);
  for (int i = 0; i < n; i++) y[i] = 1.0;
  bench_floor_run(s->floor, s->x);
  if (linear->type->factor(linear->self) || linear->type->solve(linear->self, y))
    bench_fail("a back end fails on a tree");
  for (int i = 0; i < n; i++) {
    difference = fmax(difference, fabs(s->x[i] - y[i]));
    size = fmax(size, fabs(y[i]));
  }
  free(y);
  return difference / size;
}

static void print_backend(const fixture *s, int n, const bench_job *jobs, double floor, double petsc)
{
  static const char *const kind[KINDS] = { "fill", "back end alone: factor, solve",
                                           "system: fill, factor, probe, solve" };
  const char *name = s->system->parts->linear->type->name;
  for (int k = 0; k < KINDS; k++) {
    char what[64];
    snprintf(what, sizeof what, "%s, %s", name, kind[k]);
    print_row(what, n, jobs[k].us, floor, k == 1 && strcmp(name, "petsc") == 0 ? petsc : NAN);
  }
}

static double calibrate(int which)
{
  size_t count;
  const hn_linear_info *backend = hn_linear_backends(&count);
  fixture s[MAX_BACKENDS];
  bench_job jobs[2 + KINDS * MAX_BACKENDS];
  int n = sizes[which], used = 0, njobs = 2;
  hn_scene *scene = bench_scene("tree", n);
  for (size_t i = 0; i < count && used < MAX_BACKENDS; i++) {
    if (strcmp(backend[i].name, "dense") == 0 && n > LARGEST_DENSE) continue;
    s[used] = open_fixture(scene, backend[i].name, "");
    jobs[njobs++] = fixture_job(run_fill, &s[used]);
    jobs[njobs++] = fixture_job(run_alone, &s[used]);
    jobs[njobs++] = fixture_job(run_system, &s[used++]);
  }
  jobs[0] = fixture_job(run_floor, &s[0]);
  jobs[1] = fixture_job(values, &s[0]);
  double difference = disagreement(&s[0]);
  bench_measure(jobs, njobs, REPETITIONS);
  double floor = jobs[0].us.median;
  print_row("floor: copy, factor, solve", n, jobs[0].us, floor, published_floor[which]);
  print_row("values: Jacobian, W G', K", n, jobs[1].us, floor, published_values[which]);
  for (int i = 0; i < used; i++) print_backend(&s[i], n, jobs + 2 + KINDS * i, floor, published_petsc[which]);
  for (int i = 0; i < used; i++) close_fixture(&s[i]);
  hn_scene_free(scene);
  return difference;
}

/* ---- The same compiled library on both machines ------------------------------------------------------ */

static void compare_libraries(int n, const double *published)
{
  static const struct {
    const char *name, *backend, *petsc;
  } library[] = {
    { "SBAIJ(3) Cholesky, raw calls", "petsc", "" },
    { "the same through KSPPREONLY", "ksp",
      "-mat_type sbaij -ksp_type preonly -pc_type cholesky -pc_factor_mat_ordering_type natural" },
    { "CHOLMOD", "cholmod", "" },
    { "MUMPS", "mumps", "" },
  };
  enum { COUNT = sizeof library / sizeof *library };
  fixture s[COUNT];
  bench_job jobs[COUNT];
  hn_scene *scene = bench_scene("tree", n);
  for (int i = 0; i < COUNT; i++) {
    s[i] = open_fixture(scene, library[i].backend, library[i].petsc);
    jobs[i] = fixture_job(run_alone, &s[i]);
  }
  bench_measure(jobs, COUNT, REPETITIONS);
  for (int i = 0; i < COUNT; i++) {
    bench_stat us = jobs[i].us;
    printf("| %d | %s | %.3g | %.3g | %.3g | %.2f |\n", n, library[i].name, us.min, us.median, published[i],
           us.median / published[i]);
    close_fixture(&s[i]);
  }
  hn_scene_free(scene);
}

void bench_calibration(void)
{
  double worst = 0.0;
  printf("\n## Calibration: K p = b of the tree, us\n\n"
         "The published figures of the first size are for 8 joints.\n\n");
  bench_table("| joints | what | min | median | over the floor here | published | measured / published |");
  for (int i = 0; i < (int)(sizeof sizes / sizeof *sizes); i++) worst = fmax(worst, calibrate(i));
  printf("\n### Debian's PETSc, the same compiled code there and here\n\n");
  bench_table("| joints | what | min | median | published | measured / published |");
  compare_libraries(31, (const double[]){ 3.0, 3.4, 7.8, 116 });
  compare_libraries(127, (const double[]){ 12, 12, 30, 214 });
  printf("\nLargest relative difference of the floor's solutions from the first back end's: %.1e\n", worst);
}
