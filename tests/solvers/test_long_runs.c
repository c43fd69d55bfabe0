/* test_long_runs.c - 1e5 steps of the standard formulations: energy, angular momentum and joints are kept to
 * the order of the solver, or to its tolerance; and symplecticity. Exact invariants of single solvers are
 * tested with those. */
#include "drift.h"
#include "scenes.h"
#include "base/vec.h"

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

/* ---- Symplecticity ------------------------------------------------------------------------------------- */

enum { HALF = 2, PHASE = 4 }; /* angles of two boxes; angles and rates */

static const double reach = 0.5; /* m, from the hinge of a box to its centre */

/* Sets the state of two boxes in a row, on hinges along z at 0 and 1 m, from their angles and rates. */
static void set_angles(hn_state *s, const double y[PHASE])
{
  double tip[2] = { 0 }, rate[2] = { 0 };
  for (int i = 0; i < HALF; i++) {
    const double c = cos(y[i]), n = sin(y[i]), w = y[HALF + i];
    hn_pose *p = &s->pose[i + 1];
    hn_twist *t = &s->twist[i + 1];
    *p = (hn_pose){ { tip[0] + reach * c, tip[1] + reach * n, 0 }, { cos(y[i] / 2), 0, 0, sin(y[i] / 2) } };
    *t = (hn_twist){ { rate[0] - reach * w * n, rate[1] + reach * w * c, 0 }, { 0, 0, w } };
    tip[0] += 2 * reach * c, tip[1] += 2 * reach * n;
    rate[0] -= 2 * reach * w * n, rate[1] += 2 * reach * w * c;
  }
}

/* Computes the angles, near those of GUESS, and their conjugate momenta: sums of m v dx/da + J w over the
 * boxes that an angle moves. */
static void read_phase(const hn_model *model, const hn_state *s, double z[PHASE])
{
  for (int i = 0; i < HALF; i++) {
    const double *q = s->pose[i + 1].q;
    z[i] = 2 * atan2(q[3], q[0]);
    z[HALF + i] = model->body[i + 1].J[2] * s->twist[i + 1].w[2];
    for (int k = i; k < HALF; k++) {
      const double arm = k == i ? reach : 2 * reach, *v = s->twist[k + 1].v;
      z[HALF + i] += model->body[k + 1].mass * arm * (cos(z[i]) * v[1] - sin(z[i]) * v[0]);
    }
  }
}

/* Computes the two-form dz_1 ^ dz_3 + dz_2 ^ dz_4 of the columns of A. */
static double form(double A[PHASE][PHASE], int j, int k)
{
  double sum = 0;
  for (int i = 0; i < HALF; i++) sum += A[i][j] * A[HALF + i][k] - A[HALF + i][j] * A[i][k];
  return sum;
}

/* Returns the largest change of the two-form by 40 steps of 0.05 s, of its largest value; by central
 * differences in the angles and rates at the start. */
static double change_of_form(const char *spec)
{
  static const double start[PHASE] = { 0.3, -0.4, 1.0, -2.0 }, d = 1e-6;
  const double gravity[3] = { 0, -9.81, 0 };
  hn_error error;
  hn_model *model = hn_model_create(gravity);
  add_box(model, "upper", reach, 0, 0), add_box(model, "lower", 3 * reach, 0, 0);
  for (int i = 0; i < HALF; i++) {
    hn_joint_spec hinge = { .type = "hinge",
                            .a = i,
                            .b = i + 1,
                            .at_a = { 2 * reach * i, 0, 0 },
                            .at_b = { 2 * reach * i, 0, 0 },
                            .has_points = true,
                            .axis_a = { 0, 0, 1 } };
    if (hn_model_add_joint(model, &hinge, &error) < 0) fail_msg("%s", error.text);
  }
  double before[PHASE][PHASE], after[PHASE][PHASE], largest = 0, change = 0;
  for (int j = 0; j < PHASE; j++)
    for (int side = -1; side <= 1; side += 2) {
      double y[PHASE], z[PHASE];
      memcpy(y, start, sizeof y);
      y[j] += side * d;
      hn_solver *solver = new_solver(spec, model);
      hn_state *s = hn_state_create(model);
      set_angles(s, y);
      read_phase(model, s, z);
      for (int i = 0; i < PHASE; i++) before[i][j] = side < 0 ? z[i] : (z[i] - before[i][j]) / (2 * d);
      for (int n = 0; n < 40; n++) assert_int_equal(hn_solver_step(solver, s, 0.05), HN_CONVERGED);
      read_phase(model, s, z);
      for (int i = 0; i < PHASE; i++) after[i][j] = side < 0 ? z[i] : (z[i] - after[i][j]) / (2 * d);
      hn_state_free(s), hn_solver_free(solver);
    }
  for (int j = 0; j < PHASE; j++)
    for (int k = 0; k < j; k++) {
      largest = larger(largest, fabs(form(before, j, k)));
      change = larger(change, fabs(form(after, j, k) - form(before, j, k)));
    }
  hn_model_free(model);
  return change / largest;
}

static void variational_steps_are_symplectic(void **state)
{
  (void)state;
  check_below("variational, change of the two-form", change_of_form("variational:tolerance=1e-14"), 1e-6);
  check_below("derivative=exponential, the same",
              change_of_form("variational:derivative=exponential,tolerance=1e-14"), 1e-6);
  /* Others are not, with the same steps: the test would see it. */
  static const char *const others[] = { "lagrange:stepper=rk4,stabilisation=projection", "generalised-alpha",
                                        "energy-momentum" };
  for (int i = 0; i < 3; i++) check_below(others[i], 1e-4 / change_of_form(others[i]), 1.0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(invariants_are_kept_to_the_order),
    cmocka_unit_test(variational_steps_are_symplectic),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
