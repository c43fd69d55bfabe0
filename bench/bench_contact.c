/* bench_contact.c - contact: the broad phase over the number of spheres, detection over the number of
 * contacts, and steps of boxes at rest and a planar stack. */
#include "bench.h"
#include "collide/contact_list.h"

#include <math.h>
#include <stdio.h>

enum { ROUNDS = 15 };

/* ---- The broad phase --------------------------------------------------------------------------------- */

/* Displaces all bodies by at most 2 SIZE along each axis, differently in each round. */
static void perturb(hn_state *state, double size, int round)
{
  for (int i = 1; i < state->nbody; i++)
    for (int c = 0; c < 3; c++) state->pose[i].x[c] += size * ((i * 7 + c * 3 + round) % 5 - 2);
}

static double time_of_pairs(int side, int *spheres, int *count)
{
  char name[64];
  hn_error error;
  double us[ROUNDS];
  snprintf(name, sizeof name, "balls216:side=%d", side);
  hn_scene *scene = bench_scene(name, 0);
  hn_pairs *pairs = hn_pairs_create(scene->model, &error);
  hn_state *state = hn_state_create(scene->model);
  if (!pairs || !state) bench_fail("out of memory");
  for (int round = 0; round < ROUNDS; round++) {
    perturb(state, 1e-4, round);
    double clock = bench_seconds();
    hn_pairs_find(pairs, state, count);
    us[round] = 1e6 * (bench_seconds() - clock);
  }
  *spheres = side * side * side;
  hn_state_free(state), hn_pairs_free(pairs), hn_scene_free(scene);
  return bench_statistics(us, ROUNDS).min;
}

static void broad_phase(void)
{
  static const int sides[] = { 10, 22, 46 };
  double first = 0.0;
  puts("\n## Broad phase: spheres in a cube, near each other\n");
  bench_table("| spheres | pairs | us, least | ns a sphere | over that of the first |");
  for (size_t k = 0; k < sizeof sides / sizeof *sides; k++) {
    int spheres, count;
    const double us = time_of_pairs(sides[k], &spheres, &count), each = 1e3 * us / spheres;
    if (k == 0) first = each;
    printf("| %d | %d | %.0f | %.0f | %.2f |\n", spheres, count, us, each, each / first);
    fflush(stdout);
  }
}

/* ---- Detection --------------------------------------------------------------------------------------- */

/* Times detection on SIDE x SIDE columns of ten cubes at rest. */
static double time_of_detection(int side, int *contacts)
{
  char columns[16];
  hn_error error;
  double us[ROUNDS];
  snprintf(columns, sizeof columns, "%d", side);
  const hn_setting settings[] = { { "side", columns }, { "gap", "0" } };
  hn_scene *scene = hn_scene_load("cubes1000", settings, 2, &error);
  if (!scene) bench_fail("%s", error.text);
  hn_collision *collision = hn_collision_create(scene->model, &error);
  hn_state *state = hn_state_create(scene->model);
  hn_work work = { 0 };
  if (!collision || !state) bench_fail("out of memory");
  for (int round = 0; round < ROUNDS; round++) {
    perturb(state, 1e-14, round);
    double clock = bench_seconds();
    if (hn_collide(collision, state, &work) != HN_CONVERGED)
      bench_fail("cubes1000: no room for its contacts");
    us[round] = 1e6 * (bench_seconds() - clock);
  }
  *contacts = state->ncontact;
  hn_state_free(state), hn_collision_free(collision), hn_scene_free(scene);
  return bench_statistics(us, ROUNDS).min;
}

static void detection(void)
{
  static const int sides[] = { 4, 7, 10, 14, 18 };
  double first = 0.0;
  puts("\n## Detection: columns of ten cubes at rest\n");
  bench_table("| contacts | us, least | ns a contact | over that of the first |");
  for (size_t k = 0; k < sizeof sides / sizeof *sides; k++) {
    int contacts;
    const double us = time_of_detection(sides[k], &contacts), each = 1e3 * us / contacts;
    if (k == 0) first = each;
    printf("| %d | %.0f | %.0f | %.2f |\n", contacts, us, each, each / first);
    fflush(stdout);
  }
}

/* ---- Steps ------------------------------------------------------------------------------------------- */

static void steps(const char *scene, const char *spec, double duration, int parts)
{
  bench_trial trial = bench_trial_open(scene, 0, spec, duration, parts);
  bench_job job = bench_trial_job(&trial);
  bench_measure(&job, 1, 3);
  printf("| %s | %s | %d | %.0f | %.0f | %.0f |\n", scene, spec, trial.state->ncontact, job.us.min,
         job.us.median, 1e6 * trial.step / job.us.min);
  fflush(stdout);
  bench_trial_close(&trial);
}

void bench_contact(void)
{
  broad_phase();
  detection();
  puts("\n## Steps\n");
  bench_table(
    "| scene | solver | contacts at the end | us a step: least | median | times real time, least |");
  steps("stack", "moreau:contact=pgs,contact_tolerance=0,sweeps=50,stabilisation=baumgarte", 15.0, 30);
  steps("cubes1000:gap=0", "moreau:contact=pgs,contact_tolerance=0,sweeps=20,stabilisation=baumgarte", 1.0,
        20);
  steps("cubes1000:gap=0", "moreau:contact_tolerance=1e-8,stabilisation=none", 0.5, 10);
}
