/* test_references.c - reproduces published values: each row has scene, solver, step and bounds. The values
 * are from two independent integrations at 40 to 70 digits, or from closed forms; other sources are given
 * beside the value. Bounds are about twice the measured error where truncation dominates, ten times where
 * rounding does. */
#include "scenes.h"
#include "base/vec.h"

#include <gsl/gsl_sf_laguerre.h>
#include <stdlib.h>
#include <string.h>

enum { POSITION, ORIENTATION, VELOCITY, BODY_RATE, FORCE, QUANTITIES };

static const struct {
  const char *name, *unit;
} quantity[QUANTITIES] = {
  { "position", "m" },    { "orientation", "" }, { "velocity", "m/s" }, { "body angular velocity", "rad/s" },
  { "joint force", "N" },
};

typedef struct value {
  const char *scene;
  double t;
  int kind;
  const char *of; /* body, or joint whose multiplier this is: the force on its second body */
  double expected[4];
} value;

/* The multiplier of a distance joint under tension is negative: minus the tension. */
/* clang-format off */
static const value values[] = {
  { "pendulum", 1, POSITION, "bob", { -0.98629175113187531936, -0.16501085312554116875, 0 } },
  { "pendulum", 1, FORCE, "rod", { -3 * 9.81 * 0.16501085312554116875 } }, /* tension 3 m g cos(theta) */
  { "pendulum", 2, POSITION, "bob", { 0.79356619534332174699, -0.60848393044379151463, 0 } },
  { "pendulum", 2, FORCE, "rod", { -3 * 9.81 * 0.60848393044379151463 } },
  { "pendulum", 10, POSITION, "bob", { 0.27508746257611686005, -0.96141920509912506426, 0 } },
  { "pendulum", 100, POSITION, "bob", { 0.18151335142703138454, -0.98338848033405750468, 0 } },
  { "pendulum", 2000, POSITION, "bob", /* IFToMM A01, which starts at -x: mirrored */
    { -0.81460306858903215212, -0.58001882783693546159, 0 } },
  { "double_pendulum", 1, POSITION, "upper", { -0.5851683919988750689, -0.8109118034690646209, 0 } },
  { "double_pendulum", 1, POSITION, "lower", { -1.4448188499434757965, -1.3217944613814645558, 0 } },
  { "double_pendulum", 1, VELOCITY, "upper", { -3.1806228021604616165, 2.2951940306368917789, 0 } },
  { "double_pendulum", 1, VELOCITY, "lower", { -3.8463536098580947779, 3.4154038965259580849, 0 } },
  { "double_pendulum", 1, FORCE, "rod1", { -41.636078872589814659 } },
  { "double_pendulum", 1, FORCE, "rod2", { -19.945859696509005937 } },
  { "double_pendulum", 2, POSITION, "upper", { -0.4644128686995139775, -0.8856188160751147853, 0 } },
  { "double_pendulum", 2, POSITION, "lower", { -1.4341248174642766370, -1.1298701956471579784, 0 } },
  { "spherical_pendulum", 1, POSITION, "bob",
    { -0.65979196915703706577, -0.11646716020712410887, -0.74236780508664809407 } },
  { "spherical_pendulum", 5, POSITION, "bob",
    { 0.53942727639055835929, -0.61293856005073248689, -0.57734264963607076755 } },
  { "box_pendulum", 1, POSITION, "box1",
    { -0.46679857653620394607, -0.17916210723932289063, -1.6814677847356599405e-4 } },
  { "box_pendulum", 1, POSITION, "box2",
    { -1.29916359700828098771, -0.69944174812535403196, -3.9379892206472479055e-4 } },
  { "box_pendulum", 1, FORCE, "top", { 190.8071332360053363, 91.79210143793154746, 0.07551216964786314015 } },
  { "box_pendulum", 1, FORCE, "middle",
    { 105.0748740126615708, 52.72178093898027978, 0.02418504667487130733 } },
  { "box_pendulum", 2, POSITION, "box1",
    { -0.04221282269483835952, -0.49821486037567571462, -1.7464529793918003017e-4 } },
  { "box_pendulum", 2, POSITION, "box2",
    { 0.10661249960642685522, -1.45849506058118471229, -1.2819245388996951859e-4 } },
  { "free_top", 1, BODY_RATE, "top",
    { -0.07326330819569985780, 2.00115778680048662925, 0.09195562757435077530 } },
  { "free_top", 1, ORIENTATION, "top",
    { 0.53872150074183678229, 0.00443472088290130285, 0.84105419598627758202, 0.04886018116043051234 } },
  { "free_top", 10, BODY_RATE, "top",
    { 1.10506663441741957677, -1.66997836318239678877, 0.64321387487694501938 } },
  { "free_top", 10, ORIENTATION, "top",
    { -0.29796696110860477774, 0.94535729018642284072, 0.11484622844040650329, -0.06576950503159263740 } },
  { "heavy_top", 1, POSITION, "top",
    { 0.17334396409838604259, 0.64008859207056878286, -0.74849079113358130948 } },
  { "heavy_top", 2, POSITION, "top",
    { -0.15041682274564175981, -0.72416559163689565075, -0.67302226956044409605 } },
};
/* clang-format on */

#define RK8 "lagrange:stepper=rk8pd,stabilisation=projection"
#define SLE "impulse-sle:tolerance=1e-13"
#define GS "impulse-gs:tolerance=1e-13,velocity_tolerance=1e-13"

/* A run whose end is compared with every value of its scene at that time. Bound 0: the solver does not have
 * the value. */
typedef struct reference_run {
  const char *scene, *solver;
  double step, t;
  double bound[QUANTITIES];
} reference_run;

static const reference_run runs[] = {
  /* scene, solver, step, t, bounds of position, orientation, velocity, body rate, force */
  { "pendulum", RK8, 0.01, 1, { 7e-15, 0, 0, 0, 7e-14 } },
  { "pendulum", RK8, 0.01, 2, { 1e-14, 0, 0, 0, 5e-13 } },
  { "pendulum", RK8, 0.01, 10, { 2e-13, 0, 0, 0, 0 } },
  { "pendulum", RK8, 0.01, 100, { 6e-12, 0, 0, 0, 0 } },
  { "pendulum", RK8 ",linear=dense", 0.005, 2000, { 7e-10, 0, 0, 0, 0 } },
  { "pendulum", SLE, 0.001, 1, { 6e-6, 0, 0, 0, 0 } },
  { "pendulum", SLE, 0.001, 10, { 1.2e-4, 0, 0, 0, 0 } },
  { "pendulum", SLE, 0.001, 100, { 1.2e-3, 0, 0, 0, 0 } },
  { "pendulum", GS, 0.001, 1, { 6e-6, 0, 0, 0, 0 } },
  { "pendulum", GS, 0.001, 10, { 1.2e-4, 0, 0, 0, 0 } },
  { "pendulum", GS, 0.001, 100, { 1.2e-3, 0, 0, 0, 0 } },
  { "double_pendulum", RK8, 0.005, 1, { 1e-14, 0, 7e-14, 0, 7e-13 } },
  { "double_pendulum", RK8, 0.005, 2, { 4e-14, 0, 0, 0, 0 } },
  { "double_pendulum", SLE, 0.001, 1, { 1.6e-5, 0, 8e-5, 0, 0 } },
  { "double_pendulum", SLE, 0.001, 2, { 3e-5, 0, 0, 0, 0 } },
  { "double_pendulum", GS, 0.001, 1, { 1.6e-5, 0, 8e-5, 0, 0 } },
  { "double_pendulum", GS, 0.001, 2, { 3e-5, 0, 0, 0, 0 } },
  { "spherical_pendulum", RK8, 0.005, 1, { 5e-15, 0, 0, 0, 0 } },
  { "spherical_pendulum", RK8, 0.005, 5, { 5e-14, 0, 0, 0, 0 } },
  { "spherical_pendulum", SLE, 0.001, 1, { 8e-6, 0, 0, 0, 0 } },
  { "spherical_pendulum", SLE, 0.001, 5, { 6e-5, 0, 0, 0, 0 } },
  { "spherical_pendulum", GS, 0.001, 1, { 8e-6, 0, 0, 0, 0 } },
  { "spherical_pendulum", GS, 0.001, 5, { 6e-5, 0, 0, 0, 0 } },
  { "box_pendulum", RK8, 0.0025, 1, { 1e-14, 0, 0, 0, 2.5e-12 } },
  { "box_pendulum", RK8, 0.0025, 2, { 2e-14, 0, 0, 0, 0 } },
  { "box_pendulum", SLE, 0.001, 1, { 1e-5, 0, 0, 0, 0 } },
  { "box_pendulum", SLE, 0.001, 2, { 5e-5, 0, 0, 0, 0 } },
  { "box_pendulum", GS, 0.001, 1, { 1e-5, 0, 0, 0, 0 } },
  { "box_pendulum", GS, 0.001, 2, { 5e-5, 0, 0, 0, 0 } },
  { "free_top", RK8, 0.01, 1, { 0, 4e-15, 0, 2e-15, 0 } },
  { "free_top", RK8, 0.01, 10, { 0, 1e-13, 0, 4e-13, 0 } },
  { "free_top", SLE ",flight=exact", 1, 1, { 0, 2e-15, 0, 2e-15, 0 } },
  { "free_top", SLE ",flight=exact", 0.1, 10, { 0, 4e-13, 0, 2e-12, 0 } },
  { "free_top", GS ",flight=taylor,flight_order=15", 0.05, 10, { 0, 8e-13, 0, 4e-12, 0 } },
  { "free_top", GS ",flight=rk4", 0.01, 10, { 0, 3e-9, 0, 4e-9, 0 } },
  { "heavy_top", RK8, 0.0005, 1, { 1.3e-13, 0, 0, 0, 0 } },
  { "heavy_top", RK8, 0.0005, 2, { 2e-13, 0, 0, 0, 0 } },
  { "heavy_top", SLE, 0.0005, 1, { 3e-4, 0, 0, 0, 0 } },
  { "heavy_top", SLE, 0.0005, 2, { 6e-4, 0, 0, 0, 0 } },
  { "heavy_top", GS, 0.0005, 1, { 3e-4, 0, 0, 0, 0 } },
  { "heavy_top", GS, 0.0005, 2, { 6e-4, 0, 0, 0, 0 } },
};

/* ---- Values -------------------------------------------------------------------------------------------- */

static int find_joint(const hn_model *model, const char *name)
{
  for (int j = 0; j < model->njoint; j++)
    if (strcmp(model->joint[j].name, name) == 0) return j;
  fail_msg("no joint \"%s\"", name);
  return -1;
}

/* Reads the measured numbers for v; returns their count. */
static int measured(const bench *b, const value *v, double out[4])
{
  if (v->kind == FORCE) {
    const hn_joint *joint = &b->model->joint[find_joint(b->model, v->of)];
    memcpy(out, b->solver->multipliers + joint->row, sizeof *out * (size_t)joint->type->rows);
    return joint->type->rows;
  }
  hn_error error;
  int i = hn_model_find_body(b->model, v->of, &error);
  if (i < 0) fail_msg("%s", error.text);
  switch (v->kind) {
  case POSITION: vec_copy(out, b->state->pose[i].x); return 3;
  case VELOCITY: vec_copy(out, b->state->twist[i].v); return 3;
  case BODY_RATE: quat_unrotate(out, b->state->pose[i].q, b->state->twist[i].w); return 3;
  default: memcpy(out, b->state->pose[i].q, 4 * sizeof *out); return 4;
  }
}

static void compare(const bench *b, const reference_run *w, int kind)
{
  double worst = 0.0;
  int found = 0;
  for (size_t k = 0; k < sizeof values / sizeof *values; k++) {
    const value *v = &values[k];
    if (strcmp(v->scene, w->scene) != 0 || v->t != w->t || v->kind != kind) continue;
    double numbers[4];
    int n = measured(b, v, numbers);
    for (int i = 0; i < n; i++) numbers[i] -= v->expected[i];
    worst = larger(worst, norm_of(numbers, n));
    found++;
  }
  bool wanted = w->bound[kind] > 0;
  if (wanted !=
      (found > 0)) { /* a value without a check, or a check without a value, is an error of the table */
    bool cannot = kind == FORCE && !(b->solver->type->capabilities & HN_HAS_MULTIPLIERS);
    if (found == 0 || !cannot)
      fail_msg("%s at %g s: %s has %d values", w->scene, w->t, quantity[kind].name, found);
  }
  char what[64];
  snprintf(what, sizeof what, "error of %s, %s", quantity[kind].name, quantity[kind].unit);
  if (wanted) check_below(what, worst, w->bound[kind]);
}

static void published_values_are_reproduced(void **state)
{
  (void)state;
  for (size_t k = 0; k < sizeof runs / sizeof *runs; k++) {
    const reference_run *w = &runs[k];
    bench b = set_up(w->scene, w->solver);
    must_converge(&b, w->step, w->t, NULL, NULL);
    printf(" %s, %s, h = %g s, t = %g s\n", w->scene, w->solver, w->step, w->t);
    assert_true(b.state->time == w->t);
    for (int kind = 0; kind < QUANTITIES; kind++) compare(&b, w, kind);
    tear_down(&b);
  }
}

/* Every value above is compared by some run. */
static void every_value_is_compared(void **state)
{
  (void)state;
  for (size_t k = 0; k < sizeof values / sizeof *values; k++) {
    int times = 0;
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++)
      times += strcmp(runs[i].scene, values[k].scene) == 0 && runs[i].t == values[k].t &&
               runs[i].bound[values[k].kind] > 0;
    if (times == 0)
      fail_msg("%s of %s in %s at %g s is never compared", quantity[values[k].kind].name, values[k].of,
               values[k].scene, values[k].t);
  }
}

/* ---- Laws at any time ---------------------------------------------------------------------------------- */

typedef struct watch {
  const bench *b;
  double worst;
} watch;

/* The tension of the pendulum is 3 m g cos(theta), y = -l cos(theta). */
static bool watch_tension(void *user, const hn_frame *frame)
{
  watch *w = user;
  if (frame->index == 0) return true;
  w->worst = larger(w->worst, fabs(w->b->solver->multipliers[0] - 3 * 9.81 * frame->state->pose[1].x[1]));
  return true;
}

/* The spin of the heavy top about its axis is constant. */
static bool watch_spin(void *user, const hn_frame *frame)
{
  watch *w = user;
  double rate[3];
  quat_unrotate(rate, frame->state->pose[1].q, frame->state->twist[1].w);
  w->worst = larger(w->worst, fabs(rate[1] - 150.0));
  return true;
}

static void laws_hold_at_any_time(void **state)
{
  (void)state;
  static const struct {
    const char *scene, *solver;
    double step, t;
    observer *observe;
    const char *what;
    double bound;
  } law[] = {
    { "pendulum", RK8, 0.01, 10, watch_tension, "rod against 3 m g cos(theta), N", 1e-12 },
    { "heavy_top", RK8, 0.0005, 2, watch_spin, "spin about the axis against 150, rad/s", 5e-12 },
    { "heavy_top", SLE, 0.0005, 2, watch_spin, "spin about the axis against 150, rad/s", 6e-11 },
    { "heavy_top", GS, 0.0005, 2, watch_spin, "spin about the axis against 150, rad/s", 6e-11 },
  };
  for (size_t k = 0; k < sizeof law / sizeof *law; k++) {
    bench b = set_up(law[k].scene, law[k].solver);
    watch w = { &b, 0.0 };
    must_converge(&b, law[k].step, law[k].t, law[k].observe, &w);
    printf(" %s, %s, h = %g s, up to t = %g s\n", law[k].scene, law[k].solver, law[k].step, law[k].t);
    check_below(law[k].what, w.worst, law[k].bound);
    tear_down(&b);
  }
}

/* ---- Periods ------------------------------------------------------------------------------------------- */

enum { MAX_CROSSINGS = 64 };

/* Times at which x of a body crosses 0 from below. */
typedef struct crossings {
  int body, count;
  double t[MAX_CROSSINGS];
  double t0, x0, v0; /* the frame before */
} crossings;

/* Returns the zero of the cubic Hermite interpolant in a step of h, by bisection. */
static double cubic_zero(double h, double x0, double v0, double x1, double v1)
{
  double low = 0.0, high = 1.0;
  for (int i = 0; i < 60; i++) {
    double s = 0.5 * (low + high), r = 1.0 - s;
    double x = r * r * ((1 + 2 * s) * x0 + s * h * v0) + s * s * ((1 + 2 * r) * x1 - r * h * v1);
    if (x < 0) low = s;
    else high = s;
  }
  return h * low;
}

static bool watch_crossings(void *user, const hn_frame *frame)
{
  crossings *c = user;
  double t = frame->state->time, x = frame->state->pose[c->body].x[0], v = frame->state->twist[c->body].v[0];
  if (frame->index > 0 && c->x0 < 0 && x >= 0 && c->count < MAX_CROSSINGS)
    c->t[c->count++] = c->t0 + cubic_zero(t - c->t0, c->x0, c->v0, x, v);
  c->t0 = t, c->x0 = x, c->v0 = v;
  return true;
}

static double mean_period(const crossings *c)
{
  return c->count > 1 ? (c->t[c->count - 1] - c->t[0]) / (c->count - 1) : (double)NAN;
}

/* A box suspended at the centre of its end face: omega0^2 = m g d / I about the joint. */
static void compound_pendulum(void **state)
{
  (void)state;
  static const struct {
    const char *solver;
    double step, angle, period;
  } cases[] = {
    { RK8, 0.002, 7e-15, 1e-13 },
    { SLE, 0.001, 1.5e-6, 6.5e-6 },
    { GS, 0.001, 1.5e-6, 6.5e-6 },
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    bench b = set_up("compound_pendulum", cases[k].solver);
    const hn_body *box = &b.model->body[1];
    double d = vec_norm(b.model->joint[0].point_b), inertia = box->J[2] + box->mass * d * d;
    crossings c = { .body = 1 };
    printf(" compound_pendulum, %s, h = %g s\n", cases[k].solver, cases[k].step);
    double omega0 = sqrt(box->mass * 9.81 * d / inertia);
    if (k == 0) check_below("omega0 of the model, error in 1/s", omega0 - 3.831227510785739837, 1e-14);
    must_converge(&b, cases[k].step, 1, NULL, NULL);
    const double *x = b.state->pose[1].x;
    check_below("angle from the vertical at 1 s, error in rad", atan2(x[0], -x[1]) + 1.563222225013689573,
                cases[k].angle);
    tear_down(&b);
    b = set_up("compound_pendulum", cases[k].solver);
    must_converge(&b, cases[k].step, 10, watch_crossings, &c);
    check_below("period, error in s", mean_period(&c) - 1.935750014408434798, cases[k].period);
    tear_down(&b);
  }
}

/* Returns the k-th zero (from 0) of the Laguerre polynomial L_n; all lie in (0, 4 n). */
static double laguerre_zero(int n, int k)
{
  const int cells = 4000;
  double width = 4.0 * n / cells;
  for (int i = 0; i < cells; i++) {
    double low = i * width, high = low + width;
    if (gsl_sf_laguerre_n(n, 0, low) * gsl_sf_laguerre_n(n, 0, high) > 0 || k-- > 0) continue;
    for (int m = 0; m < 60; m++) {
      double middle = 0.5 * (low + high);
      if (gsl_sf_laguerre_n(n, 0, low) * gsl_sf_laguerre_n(n, 0, middle) > 0) low = middle;
      else high = middle;
    }
    return 0.5 * (low + high);
  }
  return (double)NAN;
}

/* Returns n equal masses on rods of 1 m, hanging, displaced sideways in mode x: the j-th mass from below by
 * L_j(x), scaled so that the steepest rod is inclined by `lean`. */
static hn_model *hanging_chain(int n, double x, double lean)
{
  hn_model *model = new_model();
  double y = 0.0, steepest = 0.0;
  for (int j = 0; j < n; j++)
    steepest = fmax(steepest, fabs(gsl_sf_laguerre_n(j, 0, x) - gsl_sf_laguerre_n(j + 1, 0, x)));
  for (int i = 1; i <= n; i++) {
    char name[16];
    double scale = lean / steepest, above = i == 1 ? 0.0 : scale * gsl_sf_laguerre_n(n - i + 1, 0, x);
    double side = scale * gsl_sf_laguerre_n(n - i, 0, x);
    y -= sqrt(1.0 - (side - above) * (side - above));
    snprintf(name, sizeof name, "mass%d", i);
    add_rod(model, i - 1, add_particle(model, name, side, y, 0));
  }
  return model;
}

/* Small oscillations of a hanging chain of n equal masses: omega_k = sqrt(g x_k / l), with the zeros x_k of
 * L_n. The impulse step is then the leapfrog step, of known frequency: sin(omega' h / 2) = omega h / 2. */
static void small_oscillations_of_a_chain(void **state)
{
  (void)state;
  static const char *const solvers[] = { RK8, SLE, GS };
  for (int n = 2; n <= 5; n++)
    for (int k = 0; k < n; k++) {
      double x = laguerre_zero(n, k), omega = sqrt(9.81 * x), h = 0.02 / omega;
      hn_model *model = hanging_chain(n, x, 1e-5);
      for (size_t s = 0; s < sizeof solvers / sizeof *solvers; s++) {
        bench b = { .model = model,
                    .solver = new_solver(solvers[s], model),
                    .state = hn_state_create(model) };
        crossings c = { .body = n };
        must_converge(&b, h, 8 * M_PI / omega, watch_crossings, &c);
        double expected = s == 0 ? omega : 2 / h * asin(omega * h / 2);
        char what[80];
        snprintf(what, sizeof what, "%s, n = %d, zero %.9f: omega, relative", b.solver->type->name, n, x);
        check_below(what, 2 * M_PI / mean_period(&c) / expected - 1, s == 0 ? 1e-9 : 1.7e-8);
        hn_state_free(b.state);
        hn_solver_free(b.solver);
      }
      hn_model_free(model);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(published_values_are_reproduced), cmocka_unit_test(every_value_is_compared),
    cmocka_unit_test(laws_hold_at_any_time),           cmocka_unit_test(compound_pendulum),
    cmocka_unit_test(small_oscillations_of_a_chain),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
