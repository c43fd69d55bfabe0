/* phases.c - where the time of a step of impulse-sle goes: each piece timed alone, times how often a step needs it. */
#include "bench.h"

#include <math.h>
#include <stdio.h>

enum { TIMES = 100, REPETITIONS = 11 };

/* What the pieces work on. */
typedef struct desk {
  bench_ride ride;
  hn_system *system;
  hn_state *a, *b; /* a state, and room for another */
  double *p;       /* [nrow] */
} desk;

static void copy(desk *d)
{
  hn_state_copy(d->b, d->a);
}

static void jacobian(desk *d)
{
  hn_system_jacobian(d->system, d->a);
}

static void fill(desk *d)
{
  hn_assembly_fill(&d->system->linear->assembly, d->system);
}

static void factor(desk *d)
{
  if (d->system->linear->type->factor(d->system->linear->self)) bench_fail("the factorisation fails");
}

static void factor_and_probe(desk *d)
{
  if (hn_linear_factor(d->system)) bench_fail("the factorisation fails");
}

static void flight(desk *d)
{
  hn_system_flight(d->system, d->a, d->ride.step, d->b);
}

static void residual(desk *d)
{
  hn_system_residual(d->system, d->b, NULL);
}

static void solve(desk *d)
{
  if (hn_system_solve(d->system, d->system->g, d->p)) bench_fail("the solution fails");
}

static void apply(desk *d)
{
  hn_system_apply(d->system, d->p, 0.0, d->b);
}

static void velocity(desk *d)
{
  hn_system_velocity_residual(d->system, d->a, d->p, NULL);
}

static void check(desk *d)
{
  if (!hn_state_finite(d->a)) bench_fail("the state is not finite");
}

/* One piece, and how often a step makes it: so often, and so often for each iteration of the joint correction. */
typedef struct piece {
  const char *name;
  void (*run)(desk *desk);
  double fixed, per_iteration;
} piece;

static const piece pieces[] = {
  { "copies of states (backup, factored, move)", copy, 3, 0 },
  { "Jacobian and W G'", jacobian, 1, 0 },
  { "fill of K", fill, 1, 0 },
  { "factorisation, and the probe for singularity", factor_and_probe, 1, 0 },
  { "  of these, the back end's factorisation", factor, 0, 0 },
  { "flight", flight, 1, 1 },
  { "residual", residual, 1, 1 },
  { "solution", solve, 1, 1 },
  { "impulses", apply, 1, 1 },
  { "velocity residual", velocity, 1, 0 },
  { "check that the state is finite", check, 1, 0 },
};
enum { PIECES = sizeof pieces / sizeof *pieces };

typedef struct task {
  desk *desk;
  void (*run)(desk *desk);
} task;

static void run(void *data)
{
  task *t = data;
  for (int k = 0; k < TIMES; k++) t->run(t->desk);
}

static desk open_desk(const char *scene, int n)
{
  desk d = { .ride = bench_ride_open(scene, n, "impulse-sle:tolerance=1e-6", 10, 10) };
  d.system = d.ride.solver->system;
  d.a = hn_state_create(d.system->model);
  d.b = hn_state_create(d.system->model);
  d.p = bench_alloc((size_t)d.system->model->nrow, sizeof *d.p);
  if (!d.a || !d.b) bench_fail("out of memory");
  return d;
}

static void phases_of(const char *scene, int n)
{
  desk d = open_desk(scene, n);
  hn_summary summary = bench_ride_summary(&d.ride);
  hn_state_copy(d.a, d.ride.state); /* as the run left it */
  bench_job jobs[PIECES + 1];
  task tasks[PIECES];
  for (int i = 0; i < PIECES; i++) {
    tasks[i] = (task){ &d, pieces[i].run };
    jobs[i] = (bench_job){ .run = run, .data = &tasks[i], .parts = 1, .units = TIMES };
  }
  bench_measure(jobs, PIECES, REPETITIONS);
  jobs[PIECES] = bench_ride_job(&d.ride);
  bench_measure(&jobs[PIECES], 1, 3);
  double step = jobs[PIECES].us.median, sum = 0.0;
  printf("\n### %s, n = %d\n\n", scene, n);
  bench_table("| piece | us | times a step | us a step | share |");
  for (int i = 0; i < PIECES; i++) {
    double times = pieces[i].fixed + pieces[i].per_iteration * summary.position_iterations_mean,
           us = jobs[i].us.median;
    sum += times * us;
    printf("| %s | %.3f | %.2f | %.2f | %.1f %% |\n", pieces[i].name, us, times, times * us,
           100.0 * times * us / step);
  }
  printf("| all pieces | | | %.2f | %.1f %% |\n", sum, 100.0 * sum / step);
  printf("| a step, measured | | | %.2f | 100 %% |\n", step);
  hn_state_free(d.a);
  hn_state_free(d.b);
  free(d.p);
  bench_ride_close(&d.ride);
}

void bench_phases(void)
{
  printf("\n## Phases of a step of impulse-sle\n\n"
         "Pieces timed alone find their data in the cache, so their sum is a little less than a step.\n");
  phases_of("tree", 127);
  phases_of("peer_tree", 127);
}
