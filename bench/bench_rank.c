/* bench_rank.c - the cost of the rank of the constraints, and of detecting it during a run.
 *
 * Grids of boxes with ball joints between neighbours are irregular and out of the plane (regular), or flat
 * (up to a third of the rows is dependent). Detection during a run: `cuboid28` has constant rank; `four_bars`
 * passes a singular position. The number of rank analyses is printed. */
#include "bench.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { REPETITIONS = 7, MEDIUM = 9, LARGE = 60 };

/* Creates n x n boxes, out of the plane by up to HEIGHT. */
static hn_model *grid(int n, double height)
{
  hn_error error;
  hn_model *model = hn_model_create((const double[]){ 0, -9.81, 0 });
  if (!model) bench_fail("out of memory");
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      char name[32];
      snprintf(name, sizeof name, "box%d-%d", i, j);
      const hn_body_spec box = { .name = name,
                                 .kind = HN_RIGID,
                                 .shape = { .kind = HN_BOX, .size = { 1, 0.1, 0.1 } },
                                 .density = 600,
                                 .position = { i, j, height * sin(1.7 * i + 0.3 * j) * cos(2.3 * j) },
                                 .orientation = { 1, 0, 0, 0 } };
      int index = hn_model_add_body(model, &box, &error);
      const double left[3] = { i + height * sin(3.1 * i + j), j - 0.5, height * cos(i + 2.2 * j) };
      const double below[3] = { i - 0.5, j + height * cos(1.3 * i + j), height * sin(0.7 * i + 1.9 * j) };
      for (int side = 0; side < 2 && index >= 0; side++) {
        if ((side ? i : j) == 0) continue;
        hn_joint_spec ball = { .type = "ball", .a = index - (side ? n : 1), .b = index, .has_points = true };
        for (int c = 0; c < 3; c++) ball.at_a[c] = ball.at_b[c] = side ? below[c] : left[c];
        if (hn_model_add_joint(model, &ball, &error) < 0) bench_fail("%s", error.text);
      }
    }
  return model;
}

/* Times rank analyses, from the Jacobian to the rank, ms. */
static void analyse(const char *what, hn_model *model, int method, int repetitions, double bound)
{
  hn_error error;
  double ms[REPETITIONS];
  hn_system *system = hn_system_create(model, &error);
  hn_state *state = hn_state_create(model);
  if (!system || !state) bench_fail("out of memory");
  hn_system_jacobian(system, state);
  hn_rank *rank = NULL;
  for (int k = -1; k < repetitions; k++) { /* the first one, not timed, loads the module */
    hn_rank_free(rank);
    double clock = bench_seconds();
    rank = hn_rank_create(system, method, &error);
    if (!rank) bench_fail("%s", error.text);
    if (k >= 0) ms[k] = 1e3 * (bench_seconds() - clock);
  }
  bench_stat time = bench_statistics(ms, repetitions);
  printf("| %s | %d | %d | %.3g | %.3g | ", what, rank->rows, rank->rank, time.min, time.median);
  if (isfinite(bound)) printf("%g |\n", bound);
  else printf("|\n");
  hn_rank_free(rank);
  hn_state_free(state);
  hn_system_free(system);
}

static void analyse_grids(void)
{
  bench_table("| analysis | rows | rank | min, ms | median, ms | bound, ms |");
  for (int flat = 0; flat < 2; flat++) {
    hn_model *medium = grid(MEDIUM, flat ? 0.0 : 0.1), *large = grid(LARGE, flat ? 0.0 : 0.1);
    analyse(flat ? "flat grid, 9 x 9" : "grid in space, 9 x 9", medium, HN_RANK_AUTO, REPETITIONS, 20);
    analyse("the same, dense", medium, HN_RANK_DENSE, 1, (double)NAN);
    analyse(flat ? "flat grid, 60 x 60" : "grid in space, 60 x 60", large, HN_RANK_AUTO, 1, 5000);
    hn_model_free(medium);
    hn_model_free(large);
  }
}

static void trial(const char *scene, int n, const char *spec, double duration)
{
  bench_trial trial = bench_trial_open(scene, n, spec, duration, 1);
  hn_summary summary = bench_trial_summary(&trial);
  bench_job job = bench_trial_job(&trial);
  bench_measure(&job, 1, 3);
  if (n > 0) printf("| %s, n = %d", scene, n);
  else printf("| %s", scene);
  printf(" | %s | %d | %ld | %" PRIu64 " | %.3g | %.3g |\n", spec, trial.solver->system->model->nrow,
         summary.steps, summary.work.detections, job.us.min, job.us.median);
  bench_trial_close(&trial);
}

void bench_rank(void)
{
  printf("\n## Rank of the constraints\n\n");
  analyse_grids();
  printf("\n### Detection during a run\n\n");
  bench_table("| scene | solver | rows | steps | analyses | min, us a step | median |");
  trial("cuboid28", 0, "impulse-sle:redundancy=remove", 1);
  trial("cuboid28", 0, "impulse-sle:redundancy=min-norm", 1);
  trial("four_bars", 2, "impulse-sle:redundancy=remove", 1);
  trial("four_bars", 2, "impulse-sle:redundancy=min-norm", 1);
  trial("four_bars", 40, "impulse-sle:redundancy=remove", 1);
}
