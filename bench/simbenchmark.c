/* simbenchmark.c - holonom-simbenchmark: the contact problems of SimBenchmark (Kang and Hwangbo 2018) with
 * their measures, beside the published ones. Only results are measured, not time.
 *
 *   holonom-simbenchmark [--solver SPEC] [NAME[=SECONDS] ...]    all, or those named, for another duration
 *
 * Published values are from the repository leggedrobotics/SimBenchmark, data/NAME, at the same step, without
 * error reduction (kapla: with and without it); rolling with default settings. */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Data collected during a run. */
typedef struct statistics {
  double sum;       /* of squares */
  long count;       /* number of steps */
  double start;     /* initial energy, J */
  double fall_time; /* time at which the tower fell, s; NAN: it stands */
} statistics;

typedef struct problem {
  const char *name, *scene, *what, *unit, *published[3];
  hn_setting settings[3];
  double step, duration;
  bool (*observe)(void *user, const hn_frame *frame);
  const char *solvers[6];
} problem;

static double squared(double x)
{
  return x * x;
}

/* Adds the squared velocity errors of the tray, body 2, and of the first ball. */
static bool observe_velocities(void *user, const hn_frame *frame)
{
  statistics *all = user;
  const double a = (150.0 - 0.4 * 35.0 * 9.81) / (10.0 + 25.0 / 3.5), t = frame->state->time;
  const double along[3] = { 0.5, 0.5 * sqrt(3.0), 0.0 };
  for (int i = 2; i < 4; i++)
    for (int c = 0; c < 3; c++)
      all->sum += squared(frame->state->twist[i].v[c] - along[c] * a * t / (i == 2 ? 1.0 : 3.5));
  all->count++;
  return true;
}

/* Adds the squared penetrations of all pairs of balls, and of balls with the floor; their radius is 0.1 m. */
static bool observe_penetration(void *user, const hn_frame *frame)
{
  statistics *all = user;
  const hn_state *state = frame->state;
  for (int i = 2; i < state->nbody; i++) {
    const double *x = state->pose[i].x;
    all->sum += squared(fmax(0.1 - x[2], 0.0));
    for (int j = 2; j < i; j++) {
      const double *y = state->pose[j].x;
      const double apart = squared(x[0] - y[0]) + squared(x[1] - y[1]) + squared(x[2] - y[2]);
      if (apart < 0.04) all->sum += squared(0.2 - sqrt(apart));
    }
  }
  all->count++;
  return true;
}

static bool observe_energy(void *user, const hn_frame *frame)
{
  statistics *all = user;
  if (frame->index == 0) all->start = frame->measure->kinetic + frame->measure->potential;
  all->sum += squared(frame->measure->kinetic + frame->measure->potential - all->start);
  all->count++;
  return true;
}

/* Detects that the tower has fallen: the last plank is below the bottom of the highest storey. */
static bool observe_tower(void *user, const hn_frame *frame)
{
  statistics *all = user;
  if (frame->state->pose[frame->state->nbody - 1].x[2] < 1.0) all->fall_time = frame->state->time;
  return isnan(all->fall_time);
}

#define NEWTON "moreau:contact=newton"
#define CHAIN "moreau:sequence=chain"
#define SWEEPS "moreau:contact=pgs:local=box,contact_tolerance=0,sweeps=50" /* as engines do */

static const problem problems[] = {
  { "rolling",
    "ball_tray",
    "mean squared error of velocity, tray and ball",
    "m2/s2",
    { "Bullet 5.7e-9, RaiSim 4.1e-7, MuJoCo 7e-3, ODE and DART 3.14" },
    { { NULL, NULL } },
    0.001,
    4,
    observe_velocities,
    { "moreau", NEWTON ",contact_tolerance=1e-13", "moreau:contact=pgs:local=pyramid", "impulse-gs",
      "tgs-soft", "xpbd" } },
  { "666",
    "balls216",
    "mean squared penetration, all pairs",
    "m2",
    { "RaiSim 1.4e-4, ODE 1.5e-4, DART 2.8e-4, MuJoCo 0.095, Bullet 0.38" },
    { { "height", "0.101" } },
    0.001,
    10,
    observe_penetration,
    { "moreau", NEWTON, SWEEPS, "tgs-soft", "xpbd" } },
  { "elastic",
    "balls216",
    "mean squared error of energy",
    "J2",
    { "RaiSim 8.4, ODE 112, Bullet 4.1e4, DART 3.5e5" },
    { { "height", "1.101" }, { "restitution", "1" } },
    0.001,
    10,
    observe_energy,
    { "moreau", "moreau:theta=0.5", CHAIN, CHAIN ",theta=0.5", "tgs-soft", "xpbd" } },
  { "bouncing",
    "bouncing_balls",
    "mean squared error of energy",
    "J2",
    { "RaiSim 0.0186, ODE 185, DART 7.2e4, Bullet 7.5e4" },
    { { "side", "7" }, { "height", "5" }, { "restitution", "1" } },
    0.001,
    20,
    observe_energy,
    { "moreau", "moreau:theta=0.5", "impulse-gs", "tgs-soft", "xpbd" } },
  { "kapla",
    "kapla",
    "falls after",
    "s",
    { "no error reduction: RaiSim stands, ODE 1.2, Bullet 1.5, DART 0.2;",
      "with error reduction: Bullet 551, RaiSim 548, ODE 65, MuJoCo 33" },
    { { "floors", "6" } },
    0.01,
    600,
    observe_tower,
    { "moreau", SWEEPS, "tgs-soft", "xpbd" } },
};
enum { COUNT = sizeof problems / sizeof *problems };

/* ---- One run ----------------------------------------------------------------------------------------- */

static void print_result(const problem *p, const char *spec, const statistics *all, const hn_summary *summary)
{
  char result[64];
  if (p->observe == observe_tower && isnan(all->fall_time)) snprintf(result, sizeof result, "stands");
  else if (p->observe == observe_tower) snprintf(result, sizeof result, "%.2f", all->fall_time);
  else snprintf(result, sizeof result, "%.2e", all->sum / (double)all->count);
  printf("  %-58s  %8s", spec, result);
  if (summary->reason != HN_CONVERGED && summary->reason != HN_INTERRUPTED)
    printf("  %s at %.3g s", hn_reason_name(summary->reason), summary->time);
  putchar('\n');
  fflush(stdout);
}

static void run(const problem *p, double duration, const char *spec)
{
  hn_error error;
  size_t count = 0;
  while (count < 3 && p->settings[count].name) count++;
  hn_scene *scene = hn_scene_load(p->scene, p->settings, count, &error);
  hn_solver *solver = scene ? hn_solver_create(spec, scene->model, &error) : NULL;
  if (!solver) bench_fail("%s", error.text);
  hn_state *state = hn_state_create(scene->model);
  if (!state) bench_fail("out of memory");
  statistics all = { 0, 0, 0, NAN };
  hn_summary summary;
  hn_run_options options = { .step = p->step,
                             .duration = duration,
                             .observe = p->observe,
                             .user = &all,
                             .measures = p->observe == observe_energy ? 0 : 1 };
  hn_run(solver, state, &options, &summary);
  print_result(p, spec, &all, &summary);
  hn_state_free(state);
  hn_solver_free(solver);
  hn_scene_free(scene);
}

/* ---- The table --------------------------------------------------------------------------------------- */

static void run_all(const problem *p, double duration, const char *only)
{
  if (!(duration > 0)) duration = p->duration;
  printf("%s: %s, %s\n  h = %g s, %g s of %g s\n", p->name, p->what, p->unit, p->step, duration, p->duration);
  if (only) run(p, duration, only);
  for (size_t k = 0; !only && k < sizeof p->solvers / sizeof *p->solvers && p->solvers[k]; k++)
    run(p, duration, p->solvers[k]);
  for (size_t k = 0; k < sizeof p->published / sizeof *p->published && p->published[k]; k++)
    printf("  %s %s\n", k ? "          " : "published:", p->published[k]);
}

static const problem *find(const char *name, size_t length)
{
  for (int i = 0; i < COUNT; i++)
    if (strlen(problems[i].name) == length && strncmp(problems[i].name, name, length) == 0)
      return &problems[i];
  bench_fail("no problem \"%.*s\": there are rolling, 666, elastic, bouncing and kapla", (int)length, name);
}

int main(int count, char **word)
{
  const char *only = NULL;
  int first = 1;
  if (count > 2 && strcmp(word[1], "--solver") == 0) only = word[2], first = 3;
  for (int i = 0; first == count && i < COUNT; i++) run_all(&problems[i], 0, only);
  for (int i = first; i < count; i++) {
    const size_t length = strcspn(word[i], "=");
    const problem *p = find(word[i], length);
    char *end = NULL;
    const double seconds = word[i][length] ? strtod(word[i] + length + 1, &end) : 0;
    if (end && (*end || !(seconds > 0))) bench_fail("%s: not a number of seconds", word[i]);
    run_all(p, seconds, only);
  }
  return 0;
}
