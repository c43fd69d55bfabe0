/* siconos.c - holonom-siconos: times of contact problems in FCLIB's layout, by Holonom and by Siconos.
 *
 *   holonom-siconos [--contact SPEC] [--limit S] FILE|FOLDER ...
 *
 * SPEC is Holonom's contact solver (default auto), S the limit of a solution (s of elapsed time, default 10).
 *
 * A solution counts if the residual of Coulomb's law, computed here from the problem as given, is at most
 * 1e-9 m/s. The tolerance of a solver of Siconos is relative to the norm of q. So it is reduced from 1e-5 by
 * factors of 4 until the solution counts; the time is that of the loosest such tolerance. All other settings
 * are Siconos' defaults, except for the number of iterations.
 *
 * Every solution is computed in a child process, because a solver of Siconos may not end or may abort. The
 * clock counts processor time. It includes allocation on both sides, but not the construction of the problem
 * in the storage that suits the solver: sparse columns, blocks, or a dense matrix. */
#include "siconos.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <siconos/numerics/Friction_cst.h>

static const double residual_bound = 1e-9, loosest = 1e-5, tightest = 1e-15, reduction = 4.0;
static const double contender = 3.0; /* slower solvers than this times the fastest are timed once */
enum { REPETITIONS = 7, MOST_IN_CHILD = 10 };

static const bench_engine engines[] = {
  { "Holonom", 0, 0, NM_SPARSE, 100000 },
  { "NSGS", 3, SICONOS_FRICTION_3D_NSGS, NM_SPARSE_BLOCK, 100000 },
  { "NSN_AC", 3, SICONOS_FRICTION_3D_NSN_AC, NM_SPARSE, 1000 },
  { "NSN_FB", 3, SICONOS_FRICTION_3D_NSN_FB, NM_SPARSE, 1000 },
  { "NSN_NM", 3, SICONOS_FRICTION_3D_NSN_NM, NM_SPARSE, 1000 },
  { "PROX", 3, SICONOS_FRICTION_3D_PROX, NM_SPARSE, 1000 },
  { "ADMM", 3, SICONOS_FRICTION_3D_ADMM, NM_SPARSE, 100000 },
  { "ACLMFP", 3, SICONOS_FRICTION_3D_ACLMFP, NM_SPARSE_BLOCK, 1000 },
  { "2D_NSGS", 2, SICONOS_FRICTION_2D_NSGS, NM_SPARSE_BLOCK, 100000 },
  { "2D_CPG", 2, SICONOS_FRICTION_2D_CPG, NM_DENSE, 100000 },
  { "2D_LEMKE", 2, SICONOS_FRICTION_2D_LEMKE, NM_DENSE, 100000 },
  { "ROLLING_NSGS", 5, SICONOS_ROLLING_FRICTION_3D_NSGS, NM_SPARSE, 100000 },
  { "ROLLING_ADMM", 5, SICONOS_ROLLING_FRICTION_3D_ADMM, NM_SPARSE, 100000 },
};
enum { ENGINES = sizeof engines / sizeof *engines };

/* Result of an engine on a problem. */
typedef struct outcome {
  bool solved;
  double tolerance; /* in force */
  double first;     /* s, first solution that counts */
  double best;      /* s, of the repetitions */
} outcome;

static const char *contact = "auto"; /* Holonom's contact solver */
static unsigned limit = 10;          /* s */

/* Returns the rows of all contacts; 0 if the problem has other blocks, or contacts of different kinds. */
static int dimension_of(const hn_problem *problem)
{
  const int n = problem->nblock > 0 ? problem->block[0].n : 0;
  for (int k = 0; k < problem->nblock; k++) {
    const hn_problem_block *block = &problem->block[k];
    if (block->set.kind != HN_CONE || block->n != n || block->row != n * k) return 0;
  }
  return n;
}

/* ---- Holonom ------------------------------------------------------------------------------------------- */

/* Solves PROBLEM from p = 0 and returns the processor time, s: without that of creating the solver, which is
 * needed once for any number of problems, as the options of Siconos are. */
static double solve_by_holonom(const hn_problem *problem, const bench_engine *e, double tolerance,
                               bench_solution *s)
{
  hn_error error;
  const hn_contact_options options = { contact, tolerance, e->iterations };
  const hn_problem_size most = { problem->nblock, problem->nrow, problem->nbody };
  memset(s->p, 0, sizeof *s->p * (size_t)problem->nrow);
  hn_contact_solver *solver = hn_contact_solver_create(&options, &most, &error);
  if (!solver) bench_fail("%s", error.text);
  const double start = bench_processor_time();
  s->info = hn_contact_solve(solver, problem, s->p) != HN_CONVERGED;
  const double seconds = bench_processor_time() - start;
  hn_contact_solver_free(solver);
  return seconds;
}

/* Ends the program if there is no such contact solver. */
static void check_contact(void)
{
  hn_error error;
  const hn_contact_options options = { contact, residual_bound, 1 };
  hn_contact_solver *solver = hn_contact_solver_create(&options, &(hn_problem_size){ 1, 3, 1 }, &error);
  if (!solver) bench_fail("%s", error.text);
  hn_contact_solver_free(solver);
}

/* ---- Measurement --------------------------------------------------------------------------------------- */

/* Solves PROBLEM in this process, several times if it takes less than 50 ms; writes the least time. */
static void solve_repeatedly(const hn_problem *problem, const bench_engine *e, double tolerance,
                             bench_solution *s)
{
  double all = 0.0, least = INFINITY;
  for (int i = 0; i < MOST_IN_CHILD && all < 0.05; i++) {
    const double seconds = e->id ? bench_siconos_solve(problem, e, tolerance, s)
                                 : solve_by_holonom(problem, e, tolerance, s);
    all += seconds, least = fmin(least, seconds);
  }
  s->seconds = least;
}

/* Solves PROBLEM in a child process. Returns false if it aborts or exceeds the time limit. */
static bool solve_in_child(const hn_problem *problem, const bench_engine *e, double tolerance,
                           bench_solution *s)
{
  fflush(stdout);
  s->seconds = -1.0;
  const pid_t child = fork();
  if (child < 0) bench_fail("cannot start a process");
  if (child == 0) {
    if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr)) _exit(1);
    alarm(limit);
    solve_repeatedly(problem, e, tolerance, s);
    _exit(0);
  }
  int status;
  if (waitpid(child, &status, 0) != child) bench_fail("a process is lost");
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 && s->seconds >= 0.0;
}

/* True if the residual of Coulomb's law is within the bound. */
static bool counts(const hn_problem *problem, const double *p)
{
  double *v = bench_alloc((size_t)problem->nrow, sizeof *v);
  hn_problem_velocities(problem, p, NULL, v);
  const double residual = hn_problem_error(problem, false, p, v, NULL);
  free(v);
  return residual <= residual_bound;
}

/* Finds the loosest tolerance of an engine with a solution that counts. */
static outcome find_tolerance(const hn_problem *problem, const bench_engine *e, bench_solution *s)
{
  outcome found = { .tolerance = e->id ? loosest : residual_bound, .best = INFINITY };
  while (solve_in_child(problem, e, found.tolerance, s)) {
    found.solved = counts(problem, s->p);
    found.first = s->seconds;
    if (found.solved || s->info != 0 || !e->id || found.tolerance < tightest) break;
    found.tolerance /= reduction;
  }
  return found;
}

static bool is_suitable(const bench_engine *e, int dimension)
{
  return e->id == 0 || e->dimension == dimension;
}

/* Times Holonom and the fastest solvers of Siconos in turn. */
static void measure(const hn_problem *problem, outcome *all, bench_solution *s)
{
  double fastest = INFINITY;
  for (int i = 1; i < ENGINES; i++)
    if (all[i].solved) fastest = fmin(fastest, all[i].first);
  for (int i = 0; i < ENGINES; i++) all[i].best = all[i].first;
  for (int r = 0; r < REPETITIONS; r++)
    for (int i = 0; i < ENGINES; i++) {
      if (!all[i].solved || (i > 0 && all[i].first > contender * fastest)) continue;
      if (!solve_in_child(problem, &engines[i], all[i].tolerance, s)) continue;
      all[i].best = fmin(all[i].best, s->seconds);
    }
}

/* ---- Output -------------------------------------------------------------------------------------------- */

typedef struct summary {
  double sum; /* of logarithms of ratios */
  int both, holonom, siconos;
} summary;

static void print_time(const outcome *one)
{
  if (one->solved) printf(" %.3g", 1e3 * one->best);
  else printf(" —");
}

static void print_row(const char *name, const hn_problem *problem, const outcome *all, summary *total)
{
  const int dimension = dimension_of(problem);
  int best = 0;
  for (int i = 1; i < ENGINES; i++)
    if (all[i].solved && (best == 0 || all[i].best < all[best].best)) best = i;
  printf("| %s | %d |", name, problem->nblock);
  print_time(&all[0]);
  printf(" | %s", best ? engines[best].name : "none");
  if (best) print_time(&all[best]);
  const bool both = best && all[0].solved;
  if (both) printf(" | %.2f |", all[0].best / all[best].best);
  else printf(" | |");
  for (int i = 1; i < ENGINES; i++)
    if (i != best && is_suitable(&engines[i], dimension)) {
      printf(" %s", engines[i].name);
      print_time(&all[i]);
    }
  puts(" |");
  total->holonom += all[0].solved, total->siconos += best > 0, total->both += both;
  if (both) total->sum += log(all[0].best / all[best].best);
}

/* Compares all suitable solvers on the problem in the file PATH. */
static void compare(const char *path, const char *name, summary *total)
{
  hn_error error;
  outcome all[ENGINES] = { { .solved = false } };
  hn_problem *problem = hn_problem_read(path, NULL, &error);
  if (!problem) bench_fail("%s", error.text);
  const int dimension = dimension_of(problem);
  const size_t size = sizeof(bench_solution) + sizeof(double) * (size_t)problem->nrow;
  if (dimension == 2 || dimension == 3 || dimension == 5) {
    bench_solution *s = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (s == MAP_FAILED) bench_fail("out of memory");
    for (int i = 0; i < ENGINES; i++)
      if (is_suitable(&engines[i], dimension)) all[i] = find_tolerance(problem, &engines[i], s);
    measure(problem, all, s);
    print_row(name, problem, all, total);
    munmap(s, size);
  } else printf("| %s | %d | joints: not compared | | | |\n", name, problem->nblock);
  fflush(stdout);
  hn_problem_free(problem);
}

static int is_problem(const struct dirent *entry)
{
  const char *end = strrchr(entry->d_name, '.');
  return end && (strcmp(end, ".hdf5") == 0 || strcmp(end, ".h5") == 0);
}

static void compare_folder(const char *path, summary *total)
{
  struct dirent **entry;
  const int count = scandir(path, &entry, is_problem, alphasort);
  if (count < 0) { /* a file */
    const char *name = strrchr(path, '/');
    compare(path, name ? name + 1 : path, total);
    return;
  }
  for (int i = 0; i < count; i++) {
    char file[4096];
    snprintf(file, sizeof file, "%s/%s", path, entry[i]->d_name);
    compare(file, entry[i]->d_name, total);
    free(entry[i]);
  }
  free(entry);
}

int main(int count, char **word)
{
  int first = 1;
  for (; first + 1 < count && word[first][0] == '-'; first += 2)
    if (strcmp(word[first], "--contact") == 0) contact = word[first + 1];
    else if (strcmp(word[first], "--limit") == 0) limit = (unsigned)atoi(word[first + 1]);
    else bench_fail("no option %s", word[first]);
  if (first >= count || limit == 0)
    bench_fail("usage: holonom-siconos [--contact SPEC] [--limit S] FILE|FOLDER ...");
  check_contact();
  summary total = { .sum = 0.0 };
  printf("| problem | contacts | `%s`, ms | best of Siconos, ms | ratio | others of Siconos, ms |\n"
         "|---|---|---|---|---|---|\n",
         contact);
  for (int i = first; i < count; i++) compare_folder(word[i], &total);
  printf("\nSolved to %.0e m/s: %d by `%s`, %d by a solver of Siconos, %d by both", residual_bound,
         total.holonom, contact, total.siconos, total.both);
  if (total.both > 0) printf("; geometric mean of their ratios %.2f", exp(total.sum / total.both));
  puts(".");
  return 0;
}
