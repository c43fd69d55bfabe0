/* test_long_runs.c - 1e5 steps of the standard formulations on mechanisms in gravity: energy, angular
 * momentum and joints are kept to the order of the solver, or to its tolerance. */
#include "scenes.h"

enum { LONG = 100000 };

/* Largest errors during a run. */
typedef struct kept {
  const hn_model *model;
  int axis; /* of the angular momentum about the origin that is constant */
  bool begun;
  double energy0, momentum0, energy, momentum, position, velocity;
} kept;

static bool observe(void *user, const hn_frame *frame)
{
  kept *k = user;
  hn_measure m;
  hn_measure_state(k->model, frame->state, &m);
  const double energy = m.kinetic + m.potential, momentum = m.angular_momentum[k->axis];
  if (!k->begun) k->energy0 = energy, k->momentum0 = momentum, k->begun = true;
  k->energy = larger(k->energy, fabs(energy - k->energy0));
  k->momentum = larger(k->momentum, fabs(momentum - k->momentum0));
  k->position = larger(k->position, m.position_error);
  k->velocity = larger(k->velocity, m.velocity_error);
  return true;
}

static kept run_long(const char *scene, const char *spec, double h, int steps)
{
  bench b = set_up(scene, spec);
  kept k = { .model = b.model, .axis = 2 };
  must_converge(&b, h, steps * h, observe, &k);
  tear_down(&b);
  return k;
}

/* An order of the largest error, from steps of h and h / 2 over the same time, is at least that declared,
 * less 0.3: errors of invariants may cancel to a higher one. Errors below ROUNDING show none. */
static void check_kept(const char *what, double error, double of_half, double scale, int order)
{
  const double rounding = 1e-13 * sqrt(LONG) * scale;
  char text[100];
  snprintf(text, sizeof text, "%s, %.1e and %.1e: least order / order", what, error, of_half);
  if (of_half < rounding) check_below(text, of_half, rounding);
  else check_below(text, (order - 0.3) / log2(error / of_half), 1.0);
}

/* ---- Invariants ---------------------------------------------------------------------------------------- */

static void invariants_are_kept_to_the_order(void **state)
{
  (void)state;
  static const struct {
    const char *spec;
    const char *scene;
    double h;
    int order;
    double position, velocity; /* bounds where the joints are to hold: m, m/s; 0: to the order */
  } each[] = {
    { "articulated", "heavy_top", 5e-4, 4, 1e-12, 1e-11 },
    { "articulated:stepper=rk2", "heavy_top", 2.5e-4, 2, 1e-12, 1e-11 },
    { "penalty", "heavy_top", 5e-4, 2, 0, 0 },
    { "augmented", "heavy_top", 5e-4, 2, 1e-9, 1e-8 },
    { "radau:stages=2", "double_pendulum", 2e-3, 3, 1e-12, 1e-11 },
    { "radau", "double_pendulum", 1e-2, 5, 1e-12, 1e-11 },
    { "hem5", "heavy_top", 5e-4, 5, 0, 1e-10 },
    { "blie", "heavy_top", 5e-4, 2, 1e-10, 0 },
    { "blie:order=3", "heavy_top", 5e-4, 3, 1e-10, 0 },
    { "partition", "heavy_top", 5e-4, 4, 1e-10, 1e-9 },
    { "null-space", "heavy_top", 5e-4, 4, 1e-10, 1e-9 },
    { "lagrange:formulation=ggl", "heavy_top", 2.5e-4, 4, 0, 0 },
    { "lagrange:group=rkmk,stabilisation=projection", "heavy_top", 5e-4, 4, 1e-10, 1e-9 },
    { "generalised-alpha:formulation=ggl", "heavy_top", 5e-4, 2, 1e-10, 1e-7 },
    { "generalised-alpha:scheme=hht", "heavy_top", 5e-4, 2, 1e-10, 0 },
    { "generalised-alpha:scheme=wbz", "heavy_top", 5e-4, 2, 1e-10, 0 },
    { "generalised-alpha:scheme=newmark", "heavy_top", 5e-4, 1, 1e-10, 0 },
  };
  for (size_t i = 0; i < sizeof each / sizeof *each; i++) {
    const kept k = run_long(each[i].scene, each[i].spec, each[i].h, LONG / 2),
               half = run_long(each[i].scene, each[i].spec, each[i].h / 2, LONG);
    const bool top = strcmp(each[i].scene, "heavy_top") == 0; /* a pendulum has no such momentum */
    printf(" %s, %s, h = %g s\n", each[i].spec, each[i].scene, each[i].h / 2);
    check_kept("energy, J", k.energy, half.energy, fabs(k.energy0), each[i].order);
    if (top) check_kept("momentum, N m s", k.momentum, half.momentum, fabs(k.momentum0), each[i].order);
    if (each[i].position > 0) check_below("joint error, m", half.position, each[i].position);
    else check_kept("joint error, m", k.position, half.position, 1.0, each[i].order);
    if (each[i].velocity > 0) check_below("its rate, m/s", half.velocity, each[i].velocity);
    else check_kept("its rate, m/s", k.velocity, half.velocity, 1.0, each[i].order);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(invariants_are_kept_to_the_order),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
