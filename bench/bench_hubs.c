/* bench_hubs.c - time per step on stars and trees with as many bodies, and time to factor and solve nets.
 *
 * A star has one body in all joints, a hub (lib/linear/hubs.h). A net of particles on rods has a factor with
 * much fill-in, of supernodes (lib/linear/supernodes.h). */
#include "bench.h"

#include <math.h>
#include <stdio.h>

enum { SPECS = 9, PARTS = 5, REPETITIONS = 5, BACKENDS = 3 };

static const char *const specs[SPECS] = { "impulse-sle",
                                          "impulse-composed",
                                          "impulse-extrapolated",
                                          "lagrange",
                                          "lagrange:stepper=rk8pd,stabilisation=projection",
                                          "half-explicit",
                                          "generalised-alpha",
                                          "taylor",
                                          "ida" };

static void compare_star(const char *spec, int n)
{
  static const char *const scenes[] = { "tree", "star" };
  bench_trial trials[2];
  bench_job jobs[2];
  for (int i = 0; i < 2; i++) {
    trials[i] = bench_trial_open(scenes[i], n, spec, PARTS * 3.0 / 30.0, PARTS);
    const hn_summary summary = bench_trial_summary(&trials[i]);
    if (summary.reason != HN_CONVERGED) bench_fail("%s on %s: %s", spec, scenes[i], summary.explanation);
    jobs[i] = bench_trial_job(&trials[i]);
  }
  bench_measure(jobs, 2, REPETITIONS);
  printf("| %s | %d | %.4g | %.4g | %.2f | 2 |\n", spec, n, jobs[0].us.min, jobs[1].us.min,
         jobs[1].us.min / jobs[0].us.min);
  for (int i = 0; i < 2; i++) bench_trial_close(&trials[i]);
}

/* Creates n x n particles on rods to their neighbours. */
static hn_model *net(int n)
{
  hn_error error;
  hn_model *model = hn_model_create((const double[]){ 0, -9.81, 0 });
  if (!model) bench_fail("out of memory");
  for (int k = 0; k < n * n; k++) {
    char name[32];
    snprintf(name, sizeof name, "p%d", k);
    const hn_body_spec particle = { .name = name,
                                    .kind = HN_PARTICLE,
                                    .has_mass = true,
                                    .mass = 1,
                                    .position = { k / n, 0.3 * ((7 * (k / n) + 3 * (k % n)) % 5), k % n },
                                    .orientation = { 1 } };
    const int body = hn_model_add_body(model, &particle, &error);
    for (int side = 0; side < 2 && body >= 0; side++) {
      if ((side ? k / n : k % n) == 0) continue;
      const hn_joint_spec rod = { .type = "distance", .a = body - (side ? n : 1), .b = body };
      if (hn_model_add_joint(model, &rod, &error) < 0) bench_fail("%s", error.text);
    }
  }
  return model;
}

/* Times fill, factor and probe, and one solution, ms. */
static void factor_net(const hn_model *model, const char *backend)
{
  hn_error error;
  const hn_linear_options options = { .backend = backend, .petsc = "" };
  hn_system *s = hn_system_create(model, &error);
  hn_state *state = hn_state_create(model);
  double factor[REPETITIONS], solve[REPETITIONS];
  if (!s || !state || hn_system_use_linear(s, &options, &error)) bench_fail("%s", error.text);
  hn_system_jacobian(s, state);
  double *x = bench_alloc((size_t)s->nrow, sizeof *x);
  for (int k = 0; k < REPETITIONS; k++) {
    for (int i = 0; i < s->nrow; i++) x[i] = sin(i);
    const double start = bench_seconds();
    if (hn_system_factor(s) != HN_CONVERGED) bench_fail("the net is singular for %s", backend);
    const double factored = bench_seconds();
    hn_system_solve(s, x, x);
    factor[k] = 1e3 * (factored - start), solve[k] = 1e3 * (bench_seconds() - factored);
  }
  const bench_stat factors = bench_statistics(factor, REPETITIONS),
                   solves = bench_statistics(solve, REPETITIONS);
  printf("| %d | %s | %.3g | %.3g | %.3g | %.3g |\n", model->nbody - 1, backend, factors.min, factors.median,
         solves.min, solves.median);
  free(x);
  hn_state_free(state);
  hn_system_free(s);
}

void bench_hubs(void)
{
  static const char *const backends[BACKENDS] = { "ldl", "petsc", "cholmod" };
  printf("\n## Hubs: a star beside a tree\n\n");
  bench_table("| solver | bodies | tree, us a step | star | star / tree | bound |");
  for (int i = 0; i < SPECS; i++)
    for (int n = 127; n <= 1023; n += 896) compare_star(specs[i], n);
  printf("\n### Nets of particles on rods\n\n");
  bench_table("| particles | back end | fill, factor, probe, ms | median | solution, ms | median |");
  for (int n = 32; n <= 128; n *= 2) {
    hn_model *model = net(n);
    for (int i = 0; i < BACKENDS; i++)
      if (i == 0 || !hn_linear_missing_library(backends[i])) factor_net(model, backends[i]);
    hn_model_free(model);
  }
}
