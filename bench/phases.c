/* phases.c - the phases of a step of impulse-sle, each timed alone, times their number in a step. */
#include "bench.h"

#include <math.h>
#include <stdio.h>

enum { TIMES = 100, REPETITIONS = 11 };

/* Data for the phases. */
typedef struct fixture {
  bench_trial trial;
  hn_system *system;
  hn_state *a, *b; /* the final state of a run; scratch */
  double *p;       /* [nrow] */
} fixture;

static void copy(fixture *d)
{
  hn_state_copy(d->b, d->a);
}

static void jacobian(fixture *d)
{
  hn_system_jacobian(d->system, d->a);
}

static void fill(fixture *d)
{
  hn_assembly_fill(&d->system->parts->linear->assembly, d->system);
}

static void factor(fixture *d)
{
  if (d->system->parts->linear->type->factor(d->system->parts->linear->self))
    bench_fail("the factorisation fails");
}

static void factor_and_probe(fixture *d)
{
  if (hn_linear_factor(d->system)) bench_fail("the factorisation fails");
}

static void flight(fixture *d)
{
  hn_system_flight(d->system, d->a, d->trial.step, d->b);
}

static void residual(fixture *d)
{
  hn_system_residual(d->system, d->b, NULL);
}

static void solve(fixture *d)
{
  if (hn_system_solve(d->system, d->system->g, d->p)) bench_fail("the solution fails");
}

static void apply(fixture *d)
{
  hn_system_apply(d->system, d->p, 0.0, d->b);
}

static void velocity(fixture *d)
{
  hn_system_velocity_residual(d->system, d->a, d->p, NULL);
}

static void check(fixture *d)
{
  if (!hn_state_finite(d->a)) bench_fail("the state is not finite");
}

/* A phase and its number in a step: `fixed`, plus `per_iteration` for each joint correction. */
typedef struct phase {
  const char *name;
  void (*run)(fixture *fixture);
  double fixed, per_iteration;
} phase;

static const phase phases[] = {
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
enum { PHASES = sizeof phases / sizeof *phases };

typedef struct task {
  fixture *fixture;
  void (*run)(fixture *fixture);
} task;

static void run(void *data)
{
  task *t = data;
  for (int k = 0; k < TIMES; k++) t->run(t->fixture);
}

static fixture open_fixture(const char *scene, int n)
{
  fixture d = { .trial = bench_trial_open(scene, n, "impulse-sle:tolerance=1e-6", 10, 10) };
  d.system = d.trial.solver->system;
  d.a = hn_state_create(d.system->model);
  d.b = hn_state_create(d.system->model);
  d.p = bench_alloc((size_t)d.system->model->nrow, sizeof *d.p);
  if (!d.a || !d.b) bench_fail("out of memory");
  return d;
}

static void phases_of(const char *scene, int n)
{
  fixture d = open_fixture(scene, n);
  hn_summary summary = bench_trial_summary(&d.trial);
  hn_state_copy(d.a, d.trial.state); /* the final state */
  bench_job jobs[PHASES + 1];
  task tasks[PHASES];
  for (int i = 0; i < PHASES; i++) {
    tasks[i] = (task){ &d, phases[i].run };
    jobs[i] = (bench_job){ .run = run, .data = &tasks[i], .parts = 1, .units = TIMES };
  }
  bench_measure(jobs, PHASES, REPETITIONS);
  jobs[PHASES] = bench_trial_job(&d.trial);
  bench_measure(&jobs[PHASES], 1, 3);
  double step = jobs[PHASES].us.median, sum = 0.0;
  printf("\n### %s, n = %d\n\n", scene, n);
  bench_table("| piece | us | times a step | us a step | share |");
  for (int i = 0; i < PHASES; i++) {
    double times = phases[i].fixed + phases[i].per_iteration * summary.position_iterations_mean,
           us = jobs[i].us.median;
    sum += times * us;
    printf("| %s | %.3f | %.2f | %.2f | %.1f %% |\n", phases[i].name, us, times, times * us,
           100.0 * times * us / step);
  }
  printf("| all pieces | | | %.2f | %.1f %% |\n", sum, 100.0 * sum / step);
  printf("| a step, measured | | | %.2f | 100 %% |\n", step);
  hn_state_free(d.a);
  hn_state_free(d.b);
  free(d.p);
  bench_trial_close(&d.trial);
}

void bench_phases(void)
{
  printf("\n## Phases of a step of impulse-sle\n\n"
         "Pieces timed alone find their data in the cache, so their sum is a little less than a step.\n");
  phases_of("tree", 127);
  phases_of("peer_tree", 127);
}
