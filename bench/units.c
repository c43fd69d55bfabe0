/* units.c - two units of work, so that times on different machines can be compared as ratios.
 *
 * Both solve K p = b of the tree of 127 bodies from given values of K: by the floor (floor.c), and by PETSc's
 * SBAIJ Cholesky with raw calls. On the machine of the bounds they took 8.6 us and 12 us. The floor was
 * implemented independently there, so part of its ratio may be due to the code. PETSc is the same compiled
 * code on every Debian 12; its 12 us include a copy of the values that is not made here. */
#include "bench.h"

enum { BODIES = 127, ROWS = 3 * BODIES, WARM = 3, TIMES = 30 };

static bench_floor *floor_unit;
static hn_system *system_unit;

static void load(double *x)
{
  for (int i = 0; i < ROWS; i++) x[i] = 1.0;
}

static void run_floor(double *x)
{
  bench_floor_run(floor_unit, x);
}

static void run_petsc(double *x)
{
  const hn_linear *linear = system_unit->parts->linear;
  if (linear->type->factor(linear->self) || linear->type->solve(linear->self, x))
    bench_fail("petsc fails on the tree");
}

/* Assembles K of the tree in its initial state; called once. */
static void prepare(void)
{
  hn_error error;
  const hn_linear_options options = { .backend = "petsc", .petsc = "" };
  hn_scene *scene = bench_scene("tree", BODIES);
  hn_state *state = hn_state_create(scene->model);
  system_unit = hn_system_create(scene->model, &error);
  if (!state || !system_unit) bench_fail("out of memory");
  if (hn_system_use_linear(system_unit, &options, &error)) bench_fail("%s", error.text);
  hn_system_jacobian(system_unit, state);
  hn_assembly_fill(&system_unit->parts->linear->assembly, system_unit);
  floor_unit = bench_floor_create(&system_unit->parts->linear->assembly.K);
  hn_state_free(state); /* the scene remains: the system refers to its model */
}

static double time_of(void (*run)(double *x))
{
  double x[ROWS], clock = 0.0;
  for (int k = 0; k < WARM + TIMES; k++) {
    if (k == WARM) clock = bench_seconds();
    load(x);
    run(x);
  }
  return 1e6 * (bench_seconds() - clock) / TIMES;
}

bench_units bench_units_now(void)
{
  if (!system_unit) prepare();
  return (bench_units){ time_of(run_floor), time_of(run_petsc) };
}
