/* bench_main.c - holonom-bench: reproducible measurements, printed as Markdown; see bench/README.md.
 *
 *   holonom-bench [NAME ...]     runs the benchmarks named, in the order of the list below, or all of them */
#include "bench.h"

#include <stdio.h>
#include <string.h>

static const struct {
  const char *name, *help;
  void (*run)(void);
} benchmarks[] = {
  { "calibration", "hand-written factorisation (the floor) beside the linear back ends", bench_calibration },
  { "speed", "impulse-sle on tree and peer_tree beside bounds and other engines", bench_speed },
  { "linearity", "time per step over the number of bodies", bench_linearity },
  { "corrections", "joint corrections a second of impulse-gs", bench_corrections },
  { "memory", "bytes a body", bench_memory },
  { "start", "start to exit of the command (HOLONOM=path chooses it)", bench_start },
  { "phases", "where the time of a step of impulse-sle goes", bench_phases },
  { "mixed", "K with joints of different sizes, a row, beside balls", bench_mixed },
  { "rank", "rank analyses of 400 and 20 000 rows, and their repetition during a run", bench_rank },
  { "hubs", "stars beside trees, and nets by back end", bench_hubs },
  { "taylor", "time per step of the Taylor method over its order", bench_taylor },
  { "floors", "time per step of every solver beside its floor, from its counts of work", bench_floors },
  { "precision", "time of every solver to an error of 1e-10 on double_pendulum", bench_precision },
  { "pairs", "gaps and manifolds of two shapes, pair by pair", bench_pairs },
  { "contact", "broad phase over the number of spheres, steps of boxes at rest", bench_contact },
  { "record", "writing records: HDF5 and CSV beside a plain write of the same numbers", bench_record },
  { "engines", "other engines in the same process, beside built-in solvers", bench_engines },
  { "paper", "tables 1 to 3 of Bender and Schmitt 2006, its star, the chain of 2005", bench_paper },
};
enum { COUNT = sizeof benchmarks / sizeof *benchmarks };

static int find(const char *name)
{
  const char *names[COUNT];
  for (int i = 0; i < COUNT; i++) {
    names[i] = benchmarks[i].name;
    if (strcmp(name, names[i]) == 0) return i;
  }
  const char *nearest = hn_nearest(name, names, COUNT);
  if (nearest) bench_fail("no benchmark \"%s\"; did you mean \"%s\"?", name, nearest);
  bench_fail("no benchmark \"%s\"; see holonom-bench --help", name);
}

static void usage(void)
{
  printf("holonom-bench [NAME ...]: the benchmarks named, or all of them; Markdown on standard output\n\n");
  for (int i = 0; i < COUNT; i++) printf("  %-12s %s\n", benchmarks[i].name, benchmarks[i].help);
}

static void head(void)
{
  enum { COUNTED = 15 };
  double floor[COUNTED], petsc[COUNTED];
  for (int i = 0; i < COUNTED; i++) {
    bench_units now = bench_units_now();
    floor[i] = now.floor, petsc[i] = now.petsc;
  }
  bench_stat f = bench_statistics(floor, COUNTED), p = bench_statistics(petsc, COUNTED);
  printf("# holonom %s: measurements\n\nCompiler of the benchmark: %s.\n\n", hn_version(), __VERSION__);
  bench_table("| unit of work, us | least | median | on the machine of the bounds | its ratio to here |");
  printf(
    "| the floor | %.2f | %.2f | %.1f | %.2f |\n| PETSc's SBAIJ Cholesky | %.2f | %.2f | %.1f | %.2f |\n",
    f.min, f.median, BENCH_FLOOR_US, BENCH_FLOOR_US / f.median, p.min, p.median, BENCH_PETSC_US,
    BENCH_PETSC_US / p.median);
}

int main(int count, char **names)
{
  bool wanted[COUNT] = { false };
  if (count == 2 && strcmp(names[1], "--help") == 0) {
    usage();
    return 0;
  }
  for (int i = 1; i < count; i++) wanted[find(names[i])] = true;
  head();
  for (int i = 0; i < COUNT; i++) {
    if (count == 1 || wanted[i]) benchmarks[i].run();
    fflush(stdout);
  }
  return 0;
}
