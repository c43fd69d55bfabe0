/* floors.c - the time per step of every solver beside its floor.
 *
 *   floor = sum over the counters of work: (count a step) * (cost of one unit, timed alone)
 *
 * A unit is the function that raises the counter, called alone on the same model, with the solver's own
 * flight and back end, in the final state of the run. Solvers that treat one joint after the other have other
 * units: a Jacobian with the joint's own block and its factor, an impulse with the solution of that block,
 * and so on; see families[]. A factorisation of M_h (impulse-newton) counts and costs as one of K, although
 * it is of the whole matrix. A jet includes the coefficients of bodies and forces it needs and the effect of
 * the multipliers on them, which are not counted separately. A sweep consists of units that are counted
 * separately.
 *
 * Work that is not counted (copies of states, sums of stages, overhead of libraries) is not in the floor. The
 * ratio shows that work, and the data that a unit alone finds in the cache. */
#include "bench.h"
#include "multiplier/lie_group.h"
#include "series/series.h"
#include "timestepping/substep.h"
#include "base/small.h"
#include "base/vec.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PARTS = 2, REPETITIONS = 7 };
static const double max_ratio = 1.5;  /* limit of the time of a step over its floor (README.md) */
static const double unit_time = 2e-4; /* s, approximately, of one timing of a unit */

enum {
  RESIDUALS,
  JACOBIANS,
  JETS,
  VELOCITIES,
  ACCELERATIONS,
  FLIGHTS,
  IMPULSES,
  FACTORISATIONS,
  SOLVES,
  COUNTERS
};
static const char *const counter_names[COUNTERS] = { "residuals",          "Jacobians",      "jets",
                                                     "velocity residuals", "accelerations",  "flights",
                                                     "impulses",           "factorisations", "solves" };

/* Data for the units. */
typedef struct fixture {
  bench_trial trial;
  hn_system *system;
  hn_state *a, *b;                            /* final state of the run; scratch */
  double *p;                                  /* [nrow] */
  double (*block)[HN_MAX_ROWS * HN_MAX_ROWS]; /* [njoint] factor of a joint's own block */
  hn_twist *acceleration;                     /* [nbody] */
  hn_twist *displacement, *velocity;          /* [nbody] in a step; body axes */
  hn_series *series;                          /* NULL if no jets are counted */
  int order;
} fixture;

/* A unit of work, done once or several times. Returns how often. */
typedef double unit(fixture *d);

/* ---- Units of solvers that treat all joints at once -------------------------------------------------- */

static double residuals(fixture *d)
{
  hn_system_residual(d->system, d->a, NULL);
  return d->system->model->njoint;
}

static double jacobians(fixture *d)
{
  hn_system_jacobian(d->system, d->a);
  return d->system->model->njoint;
}

/* Computes the jets of all orders, including the effect of the multipliers. */
static double jets(fixture *d)
{
  uint64_t before = d->system->work.jets;
  hn_series_start(d->series, d->a, d->p);
  for (int k = 0; k < d->order; k++) hn_series_set_multipliers(d->series, (size_t)k, d->p, d->p);
  return (double)(d->system->work.jets - before);
}

static double flights(fixture *d)
{
  hn_system_flight(d->system, d->a, d->trial.step, d->b);
  return d->system->model->nbody - 1;
}

static double velocities(fixture *d)
{
  hn_system_velocity_residual(d->system, d->a, d->p, NULL);
  return d->system->model->njoint;
}

static double accelerations(fixture *d)
{
  hn_system_free_acceleration(d->system, d->a, d->acceleration);
  return d->system->model->nbody - 1;
}

/* Moves bodies along the group, as in generalised-alpha. */
static double group_moves(fixture *d)
{
  hn_group_move(d->system, d->a, d->displacement, d->velocity, d->b);
  return d->system->model->nbody - 1;
}

static double impulses(fixture *d)
{
  hn_system_apply(d->system, d->p, 0.0, d->b);
  return d->system->model->njoint;
}

static double factorisation(fixture *d)
{
  if (hn_system_factor(d->system) != HN_CONVERGED) bench_fail("the factorisation fails");
  return 1.0;
}

static double solution(fixture *d)
{
  if (hn_system_solve(d->system, d->system->g, d->p) != HN_CONVERGED) bench_fail("the solution fails");
  return 1.0;
}

/* ---- Units of solvers that treat one joint after the other ------------------------------------------- */

static double blocks(fixture *d)
{
  const hn_model *model = d->system->model;
  hn_system_jacobian(d->system, d->a);
  for (int j = 0; j < model->njoint; j++) {
    hn_system_block_diagonal(d->system, j, d->block[j]);
    if (!ldl_factor(model->joint[j].type->rows, d->block[j])) bench_fail("the block of a joint is singular");
  }
  return model->njoint;
}

static double soft_blocks(fixture *d)
{
  const hn_model *model = d->system->model;
  hn_system_jacobian(d->system, d->a);
  for (int j = 0; j < model->njoint; j++) {
    hn_system_block_diagonal(d->system, j, d->block[j]);
    ldl_factor_semidefinite(model->joint[j].type->rows, d->block[j]);
  }
  return model->njoint;
}

static double single_blocks(fixture *d)
{
  const hn_model *model = d->system->model;
  for (int j = 0; j < model->njoint; j++) {
    hn_system_block_jacobian(d->system, j, d->a);
    hn_system_block_diagonal(d->system, j, d->block[j]);
    ldl_factor_semidefinite(model->joint[j].type->rows, d->block[j]);
  }
  return model->njoint;
}

static double flights_of_joints(fixture *d)
{
  const hn_model *model = d->system->model;
  double count = 0.0;
  for (int j = 0; j < model->njoint; j++) {
    int bodies[2], n = 0;
    if (model->body[model->joint[j].a].kind != HN_FIXED) bodies[n++] = model->joint[j].a;
    if (model->body[model->joint[j].b].kind != HN_FIXED) bodies[n++] = model->joint[j].b;
    hn_system_flight_of(d->system, bodies, n, d->a, d->trial.step, d->b);
    count += n;
  }
  return count;
}

/* Takes a step of semi-implicit Euler, including its accelerations. */
static double euler_steps(fixture *d)
{
  hn_state_copy(d->b, d->a); /* otherwise the state diverges; the cost is small */
  hn_substep_kick(d->system, 1e-3, d->acceleration, d->b);
  hn_substep_drift(d->system, 1e-3, d->b);
  return d->system->model->nbody - 1;
}

static double block_impulses(fixture *d)
{
  const hn_model *model = d->system->model;
  for (int j = 0; j < model->njoint; j++) {
    double p[HN_MAX_ROWS] = { 0 };
    ldl_solve(model->joint[j].type->rows, d->block[j], p);
    hn_system_block_apply(d->system, j, p, d->b);
  }
  return model->njoint;
}

static double soft_block_impulses(fixture *d)
{
  const hn_model *model = d->system->model;
  for (int j = 0; j < model->njoint; j++) {
    double p[HN_MAX_ROWS] = { 0 };
    ldl_solve_semidefinite(model->joint[j].type->rows, d->block[j], p);
    hn_system_block_apply(d->system, j, p, d->b);
  }
  return model->njoint;
}

static double single_velocities(fixture *d)
{
  for (int j = 0; j < d->system->model->njoint; j++) {
    double v[HN_MAX_ROWS];
    hn_system_block_velocity(d->system, j, d->a, v);
  }
  return d->system->model->njoint;
}

/* ---- Solvers and their units ------------------------------------------------------------------------- */

typedef struct family {
  const char *solver;   /* NULL: all others */
  unit *unit[COUNTERS]; /* NULL: included in another unit */
} family;

static const family families[] = {
  { "impulse-gs",
    { residuals, blocks, NULL, single_velocities, NULL, flights_of_joints, block_impulses, NULL, NULL } },
  { "xpbd",
    { residuals, single_blocks, NULL, single_velocities, NULL, euler_steps, soft_block_impulses, NULL,
      NULL } },
  { "tgs-soft",
    { residuals, soft_blocks, NULL, single_velocities, NULL, euler_steps, soft_block_impulses, NULL, NULL } },
  { "generalised-alpha",
    { residuals, jacobians, NULL, velocities, accelerations, group_moves, impulses, factorisation,
      solution } },
  { "taylor",
    { residuals, jacobians, jets, velocities, accelerations, flights, NULL, factorisation, solution } },
  { NULL,
    { residuals, jacobians, jets, velocities, accelerations, flights, impulses, factorisation, solution } },
};

static const family *family_of(const hn_solver *solver)
{
  const family *f = families;
  while (f->solver && strcmp(f->solver, solver->type->name) != 0) f++;
  return f;
}

/* A unit to time. */
typedef struct task {
  fixture *fixture;
  unit *unit;
  int times;
} task;

static void run(void *data)
{
  task *t = data;
  for (int k = 0; k < t->times; k++) t->unit(t->fixture);
}

static bench_job prepare(task *t)
{
  double clock = bench_seconds(), units = t->unit(t->fixture), once = bench_seconds() - clock;
  t->times = 1 + (int)(unit_time / (once + 1e-7));
  return (bench_job){ .run = run, .data = t, .parts = 1, .units = units * t->times };
}

static void per_step(const hn_summary *s, double count[COUNTERS])
{
  const hn_work *w = &s->work;
  const uint64_t total[COUNTERS] = { w->residuals,          w->jacobians,      w->jets,
                                     w->velocity_residuals, w->accelerations,  w->flights,
                                     w->impulses,           w->factorisations, w->solves };
  for (int c = 0; c < COUNTERS; c++) count[c] = bench_per_step(s, total[c]);
}

/* Sets the velocities of body I in body axes and the displacement in a step. */
static void set_motion(fixture *d, int i)
{
  double *linear = d->displacement[i].v, *angular = d->displacement[i].w;
  vec_copy(d->velocity[i].v, d->a->twist[i].v);
  quat_unrotate(d->velocity[i].w, d->a->pose[i].q, d->a->twist[i].w);
  vec_scale(linear, d->trial.step, d->velocity[i].v);
  vec_scale(angular, d->trial.step, d->velocity[i].w);
}

static void open_fixture(fixture *d, bool with_jets)
{
  const hn_model *model = d->trial.scene->model;
  hn_error error;
  d->system = d->trial.solver->system;
  d->a = hn_state_create(model), d->b = hn_state_create(model);
  if (!d->a || !d->b) bench_fail("out of memory");
  hn_state_copy(d->a, d->trial.state);
  hn_state_copy(d->b, d->trial.state);
  d->p = bench_alloc((size_t)model->nrow, sizeof *d->p);
  d->block = bench_alloc((size_t)model->njoint, sizeof *d->block);
  d->acceleration = bench_alloc((size_t)model->nbody, sizeof *d->acceleration);
  d->displacement = bench_alloc((size_t)model->nbody, sizeof *d->displacement);
  d->velocity = bench_alloc((size_t)model->nbody, sizeof *d->velocity);
  for (int i = 0; i < model->nbody; i++) set_motion(d, i);
  hn_system_jacobian(d->system, d->a);
  hn_system_residual(d->system, d->a, NULL);
  d->order = hn_solver_order(d->trial.solver);
  if (!with_jets) return;
  d->series = hn_series_create(d->system, d->order, &error);
  if (!d->series) bench_fail("%s", error.text);
  hn_series_start(d->series, d->a, d->p);
}

static void close_fixture(fixture *d)
{
  hn_series_free(d->series);
  hn_state_free(d->a), hn_state_free(d->b);
  free(d->p), free(d->block), free(d->acceleration), free(d->displacement), free(d->velocity);
  bench_trial_close(&d->trial);
}

/* ---- The table --------------------------------------------------------------------------------------- */

static void print_row(const char *spec, const bench_job *step, const bench_job *job, const double *count)
{
  bench_stat floor = { 0.0, 0.0 };
  char cells[256] = "";
  for (int c = 0, used = 0; c < COUNTERS; c++) {
    floor.min += count[c] * job[c].us.min, floor.median += count[c] * job[c].us.median;
    if (job[c].run)
      used += snprintf(cells + used, sizeof cells - (size_t)used, " %.3g |", count[c] * job[c].us.median);
    else used += snprintf(cells + used, sizeof cells - (size_t)used, " |");
  }
  double ratio = step->us.median / floor.median;
  printf("| %s | %.4g | %.4g | %.2f | %.2f | %s |%s\n", spec, step->us.median, floor.median, ratio,
         step->us.min / floor.min, ratio <= max_ratio ? "yes" : "no", cells);
  fflush(stdout);
}

static void floor_of(const char *scene, int n, const char *spec, double duration)
{
  fixture d = { .trial = bench_trial_open(scene, n, spec, duration, PARTS) };
  const family *f = family_of(d.trial.solver);
  hn_summary summary = bench_trial_summary(&d.trial);
  if (summary.reason != HN_CONVERGED) {
    printf("| %s | %s | | | | |", spec, summary.explanation);
    puts(" | | | | | | | | |");
    bench_trial_close(&d.trial);
    return;
  }
  double count[COUNTERS];
  bench_job all[COUNTERS + 1], job[COUNTERS] = { { .run = NULL } };
  task tasks[COUNTERS];
  int at[COUNTERS], timed = 0;
  per_step(&summary, count);
  open_fixture(&d, count[JETS] > 0);
  for (int c = 0; c < COUNTERS; c++) {
    if (!(count[c] > 0) || !f->unit[c]) continue;
    tasks[c] = (task){ &d, f->unit[c], 1 };
    at[timed] = c;
    all[timed++] = prepare(&tasks[c]);
  }
  all[timed] = bench_trial_job(&d.trial);
  bench_measure(all, timed + 1, REPETITIONS);
  for (int i = 0; i < timed; i++) job[at[i]] = all[i];
  print_row(spec, &all[timed], job, count);
  close_fixture(&d);
}

int bench_specs(char (*specs)[BENCH_SPEC], int limit)
{
  int count = 0;
  for (const hn_solver_type *const *type = hn_solver_types(NULL); *type; type++)
    for (const char *const *variant = hn_solver_variants(*type); *variant && count < limit; variant++)
      snprintf(specs[count++], BENCH_SPEC, "%s%s%s", (*type)->name, **variant ? ":" : "", *variant);
  return count;
}

/* GSL's implicit steppers use dense matrices, an evaluation a column: seconds a step for 127 bodies. */
static bool is_dense(const char *spec)
{
  return strncmp(spec, "lagrange:", 9) == 0 && strstr(spec, "imp");
}

static void floors_of(const char *scene, int n, double duration, bool dense)
{
  char specs[BENCH_SPECS][BENCH_SPEC];
  int count = bench_specs(specs, BENCH_SPECS);
  if (n > 0) printf("\n### %s, n = %d\n\n", scene, n);
  else printf("\n### %s\n\n", scene);
  printf("| solver | a step | floor | ratio | of the least | within %.1f", max_ratio);
  for (int c = 0; c < COUNTERS; c++) printf(" | %s", counter_names[c]);
  printf(" |\n");
  for (int c = 0; c < COUNTERS + 6; c++) printf("|---");
  printf("|\n");
  for (int i = 0; i < count; i++)
    if (dense || !is_dense(specs[i])) floor_of(scene, n, specs[i], duration);
}

void bench_floors(void)
{
  printf("\n## Every solver beside its floor\n\nus a step (median), the floor and its parts: the counts a "
         "step times "
         "the costs of the units, measured alone.\n");
  floors_of("tree", 127, 1.0, false);
  floors_of("double_pendulum", 0, 1.0, true);
}
