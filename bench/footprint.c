/* footprint.c - memory of a solver, and time from start to exit of the command. */
#include "bench.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* ---- Memory ------------------------------------------------------------------------------------------ */

/* Returns the bytes in use according to the allocator, including libraries. */
static size_t allocated(void)
{
  struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

static void memory_row(const char *scene, int n, const char *spec)
{
  hn_error error;
  hn_scene *s = bench_scene(scene, n);
  size_t before = allocated();
  hn_solver *solver = hn_solver_create(spec, s->model, &error);
  hn_state *state = hn_state_create(s->model);
  if (!solver || !state) bench_fail("%s", solver ? "out of memory" : error.text);
  /* Take a step, for memory allocated at first use */
  if (hn_solver_step(solver, state, s->step)) bench_fail("%s fails on %s", spec, scene);
  size_t used = allocated() - before;
  printf("| %s | %d | %s | %zu | %.0f | 4096 | %.2f |\n", scene, n, spec,
         hn_system_memory(solver->system) / (size_t)n, (double)used / n, (double)used / n / 4096.0);
  hn_state_free(state);
  hn_solver_free(solver);
  hn_scene_free(s);
}

void bench_memory(void)
{
  static const char *const specs[] = { "impulse-sle:tolerance=1e-6", "impulse-gs:tolerance=1e-6" };
  static const int sizes[] = { 127, 1023 };
  hn_error error;
  hn_scene *warm = bench_scene("tree", 7); /* for memory that libraries allocate once */
  hn_solver_free(hn_solver_create(specs[0], warm->model, &error));
  hn_scene_free(warm);
  printf("\n## Memory: bytes a body\n\n\"allocated\" is what the allocator says of the solver, its linear "
         "back end and "
         "one state, after one step.\n\n");
  bench_table("| scene | n | solver | system's own count | allocated | bound | allocated / bound |");
  for (size_t i = 0; i < sizeof specs / sizeof *specs; i++)
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) memory_row("tree", sizes[k], specs[i]);
}

/* ---- Start to exit ----------------------------------------------------------------------------------- */

enum { STARTS = 15 };

/* Returns the seconds from fork to exit of ARGUMENTS, with its output discarded. */
static double time_of(char *const arguments[])
{
  pid_t child;
  int status;
  posix_spawn_file_actions_t actions;
  if (posix_spawn_file_actions_init(&actions)) bench_fail("out of memory");
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  double clock = bench_seconds();
  int failure = posix_spawnp(&child, arguments[0], &actions, NULL, arguments, environ);
  if (failure)
    bench_fail("cannot start %s: %s; name the command by HOLONOM=path", arguments[0], strerror(failure));
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) bench_fail("waitpid: %s", strerror(errno));
  clock = bench_seconds() - clock;
  posix_spawn_file_actions_destroy(&actions);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) bench_fail("%s %s fails", arguments[0], arguments[1]);
  return clock;
}

void bench_start(void)
{
  static char run[] = "run", pendulum[] = "pendulum", list[] = "list", solvers[] = "solvers",
              nothing[] = "true";
  static char uninstalled[] = BENCH_HOLONOM;
  char *holonom = getenv("HOLONOM") ? getenv("HOLONOM") : uninstalled;
  const struct {
    char *arguments[4];
    double bound;
  } start[] = {
    { { nothing, NULL }, NAN },
    { { holonom, list, solvers, NULL }, 20 },
    { { holonom, run, pendulum, NULL }, 100 },
  };
  enum { COUNT = sizeof start / sizeof *start };
  const bench_units unscaled = { NAN, NAN }; /* loading and linking do no arithmetic */
  double ms[COUNT][STARTS];
  for (int k = 0; k < STARTS; k++)
    for (int i = 0; i < COUNT; i++) ms[i][k] = 1e3 * time_of(start[i].arguments);
  printf("\n## Start to exit, ms, %d times each\n\n", (int)STARTS);
  bench_figure_head("command");
  bench_figure("true (what a process costs)", "ms", bench_statistics(ms[0], STARTS), unscaled,
               start[0].bound);
  bench_figure("holonom list solvers", "ms", bench_statistics(ms[1], STARTS), unscaled, start[1].bound);
  bench_figure("holonom run pendulum", "ms", bench_statistics(ms[2], STARTS), unscaled, start[2].bound);
}
