/* paper.c - reproduces the tables of Bender and Schmitt (2006), section 5, and the chain of Bender,
 * Finkenzeller and Schmitt (2005).
 *
 * Their machine was a 3.4 GHz Pentium 4 and the trees are described only in words, so compare ratios and
 * growth rather than times. The sections of the bodies are not given, but they determine the ratio of masses
 * and so the number of Gauss-Seidel's sweeps; the tables are made for two readings. "without SLE" is
 * impulse-gs, "with SLE" impulse-sle; both tolerances are equal. */
#include "bench.h"

#include <inttypes.h>
#include <stdio.h>

enum { SIZES = 4, TOLERANCES = 3, PARTS = 5, REPETITIONS = 3, DURATION = 5 /* s */ };

static const int sizes[SIZES] = { 31, 63, 127, 255 };
static const char *const tolerances[TOLERANCES] = { "1e-2", "1e-4", "1e-6" };

/* Published ms a step: [with SLE][size][tolerance]. */
static const double published[2][SIZES][TOLERANCES] = {
  { { 0.97, 6.78, 14.31 }, { 2.48, 28.46, 67.50 }, { 6.25, 87.05, 228.57 }, { 15.86, 246.71, 703.48 } },
  { { 3.23, 3.54, 3.79 }, { 7.12, 7.14, 7.69 }, { 18.78, 18.95, 20.09 }, { 62.06, 63.21, 63.61 } },
};

/* Result of one solver on one scene. */
typedef struct cell {
  hn_summary summary;
  double ms; /* a step: median over repetitions, mean over the run; 0 if the run failed */
} cell;

static cell measure(const char *scene, int n, bool sle, const char *tolerance, double duration)
{
  char spec[128];
  if (sle) snprintf(spec, sizeof spec, "impulse-sle:first_guess=zero,tolerance=%s", tolerance);
  else
    snprintf(spec, sizeof spec, "impulse-gs:tolerance=%s,velocity_tolerance=%s,iterations=1000000", tolerance,
             tolerance);
  bench_trial trial = bench_trial_open(scene, n, spec, duration, PARTS);
  cell c = { .summary = bench_trial_summary(&trial) };
  if (c.summary.reason == HN_CONVERGED) {
    bench_job job = bench_trial_job(&trial);
    bench_measure(&job, 1, REPETITIONS);
    c.ms = 1e-3 * job.us.median;
  }
  bench_trial_close(&trial);
  return c;
}

static void measure_trees(const char *tree, cell cells[2][SIZES][TOLERANCES])
{
  for (int sle = 0; sle < 2; sle++)
    for (int i = 0; i < SIZES; i++)
      for (int k = 0; k < TOLERANCES; k++)
        cells[sle][i][k] = measure(tree, sizes[i], sle, tolerances[k], DURATION);
}

static void print_table1(const cell *gs, const cell *sle)
{
  printf("\n### Table 1: tree of 127 bodies, tolerances 1e-6, average values\n\n");
  bench_table("| | without SLE | with SLE | ratio | paper: without | with | ratio |");
  printf("| time a step, ms | %.3f | %.4f | %.1f | 228.57 | 20.09 | 11.4 |\n", gs->ms, sle->ms,
         gs->ms / sle->ms);
  printf("| iterations, joint correction | %.2f | %.2f | %.1f | 518.15 | 2 | 259 |\n",
         gs->summary.position_iterations_mean, sle->summary.position_iterations_mean,
         gs->summary.position_iterations_mean / sle->summary.position_iterations_mean);
  printf("| iterations, velocity correction | %.2f | %.2f | %.1f | 745.54 | 1 | 746 |\n",
         gs->summary.velocity_iterations_mean, sle->summary.velocity_iterations_mean,
         gs->summary.velocity_iterations_mean / sle->summary.velocity_iterations_mean);
}

static void print_time(const cell *c)
{
  if (c->summary.reason == HN_CONVERGED) printf(" %.4f |", c->ms);
  else printf(" %s |", hn_reason_name(c->summary.reason));
}

static void print_times(const char *title, cell cells[SIZES][TOLERANCES],
                        const double paper[SIZES][TOLERANCES])
{
  printf("\n### %s, ms a step\n\n", title);
  bench_table("| | 1e-2 | 1e-4 | 1e-6 | paper: 1e-2 | 1e-4 | 1e-6 |");
  for (int i = 0; i < SIZES; i++) {
    printf("| tree %d |", sizes[i]);
    for (int k = 0; k < TOLERANCES; k++) print_time(&cells[i][k]);
    for (int k = 0; k < TOLERANCES; k++) printf(" %.2f |", paper[i][k]);
    putchar('\n');
  }
}

/* Prints the numbers of iterations, which explain the times but are not in the paper. */
static void print_iterations(cell cells[2][SIZES][TOLERANCES])
{
  printf("\n### Iterations a step, joint correction / velocity correction\n\n");
  bench_table("| | without SLE: 1e-2 | 1e-4 | 1e-6 | with SLE: 1e-2 | 1e-4 | 1e-6 |");
  for (int i = 0; i < SIZES; i++) {
    printf("| tree %d |", sizes[i]);
    for (int sle = 0; sle < 2; sle++)
      for (int k = 0; k < TOLERANCES; k++)
        printf(" %.2f / %.2f |", cells[sle][i][k].summary.position_iterations_mean,
               cells[sle][i][k].summary.velocity_iterations_mean);
    putchar('\n');
  }
}

static void print_star(const char *star)
{
  cell gs = measure(star, 127, false, "1e-4", 0.2), sle = measure(star, 127, true, "1e-4", 0.2);
  printf("\n### Star: the 127 bodies all joined to the root, tolerances 1e-4, 0.2 s\n\n");
  bench_table("| | without SLE | with SLE | without / with | paper's ratio |");
  printf("| time a step, ms |");
  print_time(&gs);
  print_time(&sle);
  printf(" %.3g | almost 80 |\n| iterations, joint / velocity | %.2f / %.2f | %.2f / %.2f | | |\n",
         gs.ms / sle.ms, gs.summary.position_iterations_mean, gs.summary.velocity_iterations_mean,
         sle.summary.position_iterations_mean, sle.summary.velocity_iterations_mean);
}

/* Passes over all joints in a step, of both corrections. */
typedef struct passes {
  int least, most;
  long total;
} passes;

static bool count_passes(void *user, const hn_frame *frame)
{
  passes *p = user;
  const int now = frame->report->position_iterations + frame->report->velocity_iterations;
  if (frame->index == 0) return true;
  if (frame->index == 1 || now < p->least) p->least = now;
  if (now > p->most) p->most = now;
  p->total += now;
  return true;
}

/* Prints a row for the chain with SETTINGS. */
static void print_chain_row(const char *what, const hn_setting *settings, size_t count, const char *name,
                            const char *more)
{
  char spec[160];
  hn_error error;
  hn_summary s;
  passes p = { 0 };
  hn_scene *scene = hn_scene_load("chain8", settings, count, &error);
  snprintf(spec, sizeof spec, "%s:tolerance=1e-12,%sflight=taylor,flight_order=5", name, more);
  hn_solver *solver = scene ? hn_solver_create(spec, scene->model, &error) : NULL;
  hn_state *state = solver ? hn_state_create(scene->model) : NULL;
  if (!state) bench_fail("%s", scene && solver ? "out of memory" : error.text);
  const hn_run_options options = { .step = 0.01, .duration = 10, .observe = count_passes, .user = &p };
  hn_run(solver, state, &options, &s);
  printf("| %s | %s | %s | %d / %.0f / %d | %" PRIu64 " / %.0f / %" PRIu64 " | %.1e | %.2f |\n", what, name,
         hn_reason_name(s.reason), p.least, bench_per_step(&s, (uint64_t)p.total), p.most, s.impulses.min,
         bench_per_step(&s, s.impulses.total), s.impulses.max, s.position_max,
         1e6 * s.wall_s / ((double)s.impulses.total + 1.0));
  hn_state_free(state);
  hn_solver_free(solver);
  hn_scene_free(scene);
}

/* The "impulses" counted in the paper are passes over both constraints of all nine joints. */
static void print_chains(void)
{
  static const hn_setting uneven[] = {
    { "down", "2" }, { "length", "0.5" }, { "section", "0.05" }, { "span", "2.92" }
  };
  static const char tight[] = "velocity_tolerance=1e-12,";
  printf("\n## The chain of eight, h = 0.01 s, tolerances 1e-12, Taylor flight of order 5, 10 s\n\n");
  bench_table(
    "| start | solver | reason | passes a step, least / mean / most | impulses | drift, m | us an impulse |");
  print_chain_row("2 links down, 6 up", uneven, 4, "impulse-gs", tight);
  print_chain_row("2 links down, 6 up", uneven, 4, "impulse-sle", "");
  print_chain_row("4 down, 4 up", NULL, 0, "impulse-gs", tight);
  print_chain_row("4 down, 4 up", NULL, 0, "impulse-sle", "");
  printf("| paper (2005), 3.4 GHz Pentium 4 | | | 50 / 162 / 581 | 9 times that | | 0.7 to 1.5 |\n");
}

static void print_reading(const char *title, const char *tree, const char *star)
{
  cell cells[2][SIZES][TOLERANCES];
  printf("\n## %s\n", title);
  measure_trees(tree, cells);
  print_table1(&cells[0][2][2], &cells[1][2][2]);
  print_times("Table 2: without SLE", cells[0], published[0]);
  print_times("Table 3: with SLE", cells[1], published[1]);
  print_iterations(cells);
  print_star(star);
}

void bench_paper(void)
{
  printf(
    "\n# The papers' tables\n\nRuns take %d s of simulated time at h = 1/30 s unless they say otherwise.\n",
    DURATION);
  print_reading("Trees with sections of a tenth of the length", "tree", "star");
  print_reading("Trees with one section for all bodies, 0.1 m", "tree:section=0.1", "star:section=0.1");
  print_chains();
}
