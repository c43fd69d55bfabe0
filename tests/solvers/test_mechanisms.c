/* test_mechanisms.c - whole mechanisms against published and own reference values: redundant constraints,
 * singular positions, repair of broken joints. Each table row has scene, solver, step, time and bound. Bounds
 * are about twice the measured error where truncation dominates, at least ten times where rounding does.
 * Results are discussed in doc/mechanisms.md. */
#include "mechanisms.h"

#include <stdlib.h>
#include <string.h>

/* A run compared at its end with the reference of the scene: the largest distance of any known body. */
typedef struct trial_run {
  const char *scene;
  hn_setting setting; /* none if its name is NULL */
  const char *solver;
  double step, t, bound; /* s, s, m */
} trial_run;

static bench set_up_run(const trial_run *w)
{
  return set_up_with(w->scene, w->setting.name ? &w->setting : NULL, w->solver);
}

/* Allocates and computes the known positions at time t, position[3 nbody], and flags has[nbody]. */
static void known_positions(const bench *b, double t, bool **has, double **position)
{
  hn_error error;
  *has = calloc((size_t)b->model->nbody, sizeof **has);
  *position = calloc(3 * (size_t)b->model->nbody, sizeof **position);
  assert_true(*has && *position);
  int known = hn_scene_reference(b->scene, t, *has, *position, &error);
  if (known < 0) fail_msg("%s", error.text);
  if (known == 0) fail_msg("%s has no reference at t = %g s", b->scene->name, t);
}

static double error_of(const bench *b)
{
  bool *has;
  double *position, worst = 0.0;
  int compared = 0;
  known_positions(b, b->state->time, &has, &position);
  for (int i = 1; i < b->model->nbody; i++)
    if (has[i]) worst = larger(worst, distance(b->state->pose[i].x, position + 3 * i)), compared++;
  assert_true(compared > 0);
  free(has);
  free(position);
  return worst;
}

static void compare_runs(const trial_run *runs, size_t count)
{
  for (size_t k = 0; k < count; k++) {
    const trial_run *w = &runs[k];
    bench b = set_up_run(w);
    printf(" %s%s%s%s%s, %s, h = %g s, t = %g s\n", w->scene, w->setting.name ? ", " : "",
           w->setting.name ? w->setting.name : "", w->setting.name ? " = " : "",
           w->setting.name ? w->setting.value : "", w->solver, w->step, w->t);
    must_converge(&b, w->step, w->t, NULL, NULL);
    printf(" in %.2f s\n", b.summary.wall_s);
    check_below("error of positions, m", error_of(&b), w->bound);
    tear_down(&b);
  }
}

#define COMPARE(table) compare_runs(table, sizeof table / sizeof *table)

/* ---- References against printed values ----------------------------------------------------------------- */

/* Positions of references compared with published values. */
static void references_agree_with_published_values(void **state)
{
  (void)state;
  /* own values, integrated in two formulations with at least 40 digits; NAN is not published */
  static const struct {
    const char *scene;
    hn_setting setting;
    const char *body;
    double t, scale; /* published point over body position: the end of a crank is at twice its centre */
    double x, y, tolerance;
  } published[] = {
    { "four_bars", { "n", "2" }, "crank0", 1, 2, -0.19502030194943509364, -0.98079920566217383260, 4e-15 },
    { "four_bars", { "n", "2" }, "crank0", 10, 2, 0.32845811154081537866, 0.94451853817860096216, 1e-14 },
    { "four_bars", { "n", "40" }, "crank0", 10, 2, 0.18051222668672839010, 0.98357274058231157488, 5e-14 },
    { "four_bars", { "n", "40" }, "crank0", 20, 2, 0.41090115376294522215, 0.91167990097198065163, 1.4e-13 },
    { "cart_pole", { "M", "1" }, "cart", 1, 1, 0.99982035275690369998, 0, 4e-15 },
    { "cart_pole", { "M", "1" }, "cart", 10, 1, 0.92347314428445715811, 0, 4e-14 },
    { "cart_pole", { "M", "0.1" }, "cart", 1, 1, 1.8181107585804600806, 0, 4e-15 },
    { "cart_pole", { "M", "0.1" }, "cart", 10, 1, 1.2357201892556564252, 0, 1e-13 },
    /* theta = -1.5439890142225565064 and -1.0102152134167074724 */
    { "cart_pole", { "M", "1" }, "bob", 1, 1, NAN, -0.02680410192223182238, 4e-15 },
    { "cart_pole", { "M", "1" }, "bob", 10, 1, NAN, -0.5316784594840582020, 1e-13 },
  };
  for (size_t k = 0; k < sizeof published / sizeof *published; k++) {
    bool *has;
    double *position;
    char what[80];
    hn_error error;
    bench b = set_up_with(published[k].scene, &published[k].setting, "impulse-gs");
    int i = hn_model_find_body(b.model, published[k].body, &error);
    known_positions(&b, published[k].t, &has, &position);
    assert_true(i > 0 && has[i]);
    snprintf(what, sizeof what, "%s, %s = %s, %s at %g s", published[k].scene, published[k].setting.name,
             published[k].setting.value, published[k].body, published[k].t);
    double x = published[k].scale * position[3 * i] - published[k].x;
    double y = published[k].scale * position[3 * i + 1] - published[k].y;
    if (!isnan(published[k].x)) check_below(what, x, published[k].tolerance);
    check_below(what, y, published[k].tolerance);
    free(has);
    free(position);
    tear_down(&b);
  }
}

/* The velocities of references are the rates of their positions. */
static void reference_velocities_are_consistent(void **state)
{
  (void)state;
  static const struct {
    const char *scene;
    double t;
  } known[] = {
    { "four_bars", 0.9 },     { "cart_pole", 0.6 }, { "cart_pole", 1.7 },
    { "slider_crank", 0.37 }, { "gyroscope", 0.4 },
  };
  const double h = 1e-5;
  for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
    bench b = set_up(known[k].scene, "impulse-gs");
    int n = b.model->nbody;
    hn_error error;
    bool *flag = calloc(4 * (size_t)n, sizeof *flag);
    double *value = calloc(13 * (size_t)n, sizeof *value), worst = 0.0, *before, *after;
    bool *has;
    hn_scene_answer answer = { flag,  flag + n,      flag + 2 * n,  flag + 3 * n,
                               value, value + 3 * n, value + 7 * n, value + 10 * n };
    assert_true(flag && value);
    assert_int_equal(hn_scene_reference_states(b.scene, known[k].t, &answer, &error), 1);
    known_positions(&b, known[k].t - h, &has, &before);
    free(has);
    known_positions(&b, known[k].t + h, &has, &after);
    for (int i = 3; i < 3 * n; i++)
      worst = larger(worst, fabs((after[i] - before[i]) / (2 * h) - answer.velocity[i]));
    char what[80];
    snprintf(what, sizeof what, "%s at %g s: velocity against difference, m/s", known[k].scene, known[k].t);
    check_below(what, worst, 1e-7);
    free(has), free(before), free(after), free(flag), free(value);
    tear_down(&b);
  }
}

/* ---- Mechanisms against their references --------------------------------------------------------------- */

static void slider_crank(void **state)
{
  (void)state;
  static const trial_run runs[] = {
    { "slider_crank", { "hinges", "true" }, RK8 ",redundancy=remove", 0.002, 1, 2e-12 },
    { "slider_crank", { "hinges", "true" }, RK8 ",redundancy=min-norm", 0.002, 1, 2e-12 },
    { "slider_crank", { "hinges", "true" }, RK8 ",redundancy=loop-split", 0.002, 0.2, 4e-13 },
    { "slider_crank", { "hinges", "true" }, TAYLOR ",redundancy=min-norm", 0.002, 1, 9e-12 },
    { "slider_crank", { "hinges", "true" }, COMPOSED ",redundancy=min-norm", 0.002, 1, 7e-11 },
    { "slider_crank", { "hinges", "true" }, EXTRAPOLATED ",redundancy=remove", 0.002, 1, 6e-10 },
    { "slider_crank", { "hinges", "true" }, "ida:error_tolerance=1e-10,redundancy=min-norm", 0.002, 1, 1e-7 },
    { "slider_crank", { "hinges", "true" }, "half-explicit:redundancy=min-norm", 0.002, 1, 1.2e-6 },
    { "slider_crank", { "hinges", "true" }, SLE ",redundancy=remove", 0.002, 1, 3e-3 },
    { "slider_crank", { "hinges", "true" }, ALPHA ",redundancy=min-norm", 0.002, 1, 9e-3 },
    { "slider_crank", { "hinges", "true" }, GS, 0.002, 1, 3e-3 },
    { "slider_crank", { "hinges", "false" }, RK8, 0.002, 1, 2e-12 },
    { "slider_crank", { "hinges", "false" }, TAYLOR, 0.002, 1, 9e-12 },
    { "slider_crank", { "hinges", "false" }, COMPOSED, 0.002, 1, 7e-11 },
    { "slider_crank", { "hinges", "false" }, SLE, 0.002, 1, 3e-3 },
  };
  COMPARE(runs);
}

static void cart_pole(void **state)
{
  (void)state;
  static const trial_run runs[] = {
    { "cart_pole", { "M", "1" }, RK8, 0.001, 10, 3e-13 },
    { "cart_pole", { "M", "1" }, TAYLOR, 0.001, 10, 3e-13 },
    { "cart_pole", { "M", "1" }, COMPOSED, 0.001, 1, 3e-13 },
    { "cart_pole", { "M", "1" }, "half-explicit", 0.001, 1, 1.5e-11 },
    { "cart_pole", { "M", "1" }, SLE, 0.001, 1, 4e-6 },
    { "cart_pole", { "M", "0.1" }, RK8, 0.001, 10, 2e-12 },
    { "cart_pole", { "M", "0.1" }, TAYLOR, 0.001, 10, 2e-12 },
    { "cart_pole", { "M", "0.1" }, COMPOSED, 0.001, 1, 5e-12 },
    { "cart_pole", { "M", "0.1" }, "ida:error_tolerance=1e-10", 0.01, 1, 7e-8 },
    { "cart_pole", { "M", "0.1" }, SLE, 0.001, 1, 9e-6 },
    /* mass ratio of a million: only adaptive solvers resolve the stop of the bob */
    { "cart_pole", { "M", "1e-6" }, RK8 ",adaptive=true,error_tolerance=1e-12", 0.01, 1, 3e-9 },
    { "cart_pole", { "M", "1e-6" }, "taylor:order=20,stabilisation=projection,adaptive=true", 0.01, 1, 3e-8 },
    { "cart_pole", { "M", "1e-6" }, "ida:error_tolerance=1e-10", 0.01, 1, 1e-7 },
    { "cart_pole", { "M", "1e-6" }, "lagrange:stepper=msbdf,adaptive=true", 0.01, 1, 2e-6 },
  };
  COMPARE(runs);
}

/* The pole rotates at sqrt(2 g (M + m) / M) right below the light cart, after a quarter period. */
static void light_cart_is_fast(void **state)
{
  (void)state;
  const hn_setting light = { "M", "1e-6" };
  const double quarter = 0.45152453568165887510; /* the integral of the scene, at 30 digits */
  bench b = set_up_with("cart_pole", &light, RK8 ",adaptive=true,error_tolerance=1e-12");
  must_converge(&b, quarter / 64, quarter, NULL, NULL);
  double rate = distance(b.state->twist[1].v, b.state->twist[2].v);
  check_near("largest rate of the pole, rad/s", rate, sqrt(2 * 9.81 * (1e-6 + 1) / 1e-6), 1e-3);
  tear_down(&b);
}

static void flyball(void **state)
{
  (void)state;
  static const trial_run runs[] = {
    { "flyball", { NULL, NULL }, "ida:error_tolerance=1e-10", 0.01, 1, 2e-8 },
    { "flyball", { NULL, NULL }, "ida:error_tolerance=1e-10", 0.01, 10, 7e-7 },
    /* rounding, amplified by the stiff rods: 1.1e-9 on average over steps and back ends, up to 5.3e-9 */
    { "flyball", { NULL, NULL }, "taylor:order=10,adaptive=true,stabilisation=projection", 0.01, 10, 1.1e-8 },
    { "flyball", { NULL, NULL }, "lagrange:stepper=rk4imp", 0.002, 1, 6e-11 },
    { "flyball", { NULL, NULL }, RK8, 2e-5, 0.1, 3e-14 },
    { "flyball", { NULL, NULL }, "half-explicit", 2e-5, 0.1, 4e-14 },
    { "flyball", { NULL, NULL }, "impulse-composed:order=4", 2e-5, 0.1, 2e-13 },
    { "flyball", { NULL, NULL }, ALPHA, 2e-5, 0.1, 1.6e-9 },
    { "flyball", { NULL, NULL }, SLE, 2e-5, 0.1, 2.5e-9 },
  };
  COMPARE(runs);
}

static void andrews(void **state)
{
  (void)state;
  static const trial_run runs[] = {
    { "andrews", { "planar", "true" }, RK8, 3e-5, 0.03, 7e-15 },
    { "andrews", { "planar", "true" }, TAYLOR, 3e-5, 0.03, 7e-15 },
    { "andrews", { "planar", "true" }, COMPOSED, 1e-4, 0.03, 7e-13 },
    { "andrews", { "planar", "true" }, EXTRAPOLATED, 1e-4, 0.03, 1e-12 },
    { "andrews", { "planar", "true" }, "ida:error_tolerance=1e-12", 1e-4, 0.03, 1e-10 },
    { "andrews", { "planar", "true" }, "half-explicit", 1e-5, 0.03, 3e-12 },
    { "andrews", { "planar", "true" }, SLE, 3e-5, 0.03, 3.2e-6 },
    { "andrews", { "planar", "true" }, ALPHA, 3e-5, 0.03, 6.5e-6 },
    { "andrews", { "planar", "true" }, "impulse-gs", 1e-4, 0.03, 3.6e-5 },
    { "andrews", { "planar", "false" }, RK8 ",redundancy=remove", 3e-5, 0.03, 7e-15 },
    { "andrews", { "planar", "false" }, RK8 ",redundancy=min-norm", 3e-5, 0.03, 7e-15 },
    { "andrews", { "planar", "false" }, RK8 ",redundancy=loop-split", 1e-4, 0.03, 5e-14 },
    { "andrews", { "planar", "false" }, TAYLOR ",redundancy=min-norm", 3e-5, 0.03, 7e-15 },
    { "andrews", { "planar", "false" }, COMPOSED ",redundancy=remove", 1e-4, 0.03, 7e-13 },
    { "andrews", { "planar", "false" }, "half-explicit:redundancy=min-norm", 1e-5, 0.03, 3e-12 },
    { "andrews", { "planar", "false" }, "ida:error_tolerance=1e-12,redundancy=remove", 1e-4, 0.03, 1e-10 },
    { "andrews", { "planar", "false" }, SLE ",redundancy=min-norm", 3e-5, 0.03, 3.2e-6 },
    { "andrews", { "planar", "false" }, ALPHA ",redundancy=remove", 3e-5, 0.03, 6.5e-6 },
  };
  COMPARE(runs);
}

/* The energy gain of Andrews' mechanism is the work of the torque: E - 0.033 (beta - beta(0)) is constant. */
static void andrews_energy_gain_is_the_work_of_its_torque(void **state)
{
  (void)state;
  bench b = set_up("andrews", RK8);
  must_converge(&b, 3e-5, 0.03, NULL, NULL);
  double work = 0.033 * (15.81077119515370709712 + 0.0617138900142764496359);
  double energy_gain = b.summary.energy_final - b.summary.energy_initial;
  check_below("energy gain less work of the torque, J", energy_gain - work, 5e-14);
  tear_down(&b);
}

/* ---- Four-bar linkages through their singular positions ------------------------------------------------ */

static void four_bars(void **state)
{
  (void)state;
  static const trial_run runs[] = {
    { "four_bars", { "n", "2" }, ALPHA ",redundancy=remove", 0.001, 10, 1e-4 }, /* Exudyn: 4.7e-5 */
    { "four_bars", { "n", "2" }, ALPHA ",redundancy=min-norm", 0.001, 10, 1e-4 },
    { "four_bars", { "n", "2" }, SLE ",redundancy=remove", 0.001, 10, 3.5e-5 },
    { "four_bars", { "n", "2" }, SLE ",redundancy=min-norm", 0.001, 10, 3.5e-5 },
    { "four_bars", { "n", "2" }, "ida:error_tolerance=1e-8,redundancy=remove", 0.01, 10, 5e-5 },
    { "four_bars", { "n", "2" }, "half-explicit:redundancy=remove", 0.01, 10, 2e-5 },
    { "four_bars", { "n", "2" }, "half-explicit:redundancy=min-norm", 0.002, 10, 2e-8 },
    { "four_bars", { "n", "2" }, "tgs-soft", 0.001, 10, 1e-2 },
    { "four_bars", { "n", "40" }, ALPHA ",redundancy=remove", 0.005, 10, 2e-3 },
    { "four_bars", { "n", "40" }, "ida:error_tolerance=1e-8,redundancy=remove", 0.01, 10, 3e-5 },
    { "four_bars", { "n", "40" }, "ida:error_tolerance=1e-8,redundancy=remove", 0.01, 20, 2e-4 },
    { "four_bars", { "n", "40" }, SLE ",redundancy=remove", 0.001, 1, 2e-5 },
  };
  COMPARE(runs);
}

/* Away from the singular position every solver and policy follows the exact motion. */
static void four_bars_before_their_singular_position(void **state)
{
  (void)state;
  static const trial_run runs[] = {
    { "four_bars", { "n", "2" }, RK8 ",redundancy=remove", 0.002, 0.7, 2e-14 },
    { "four_bars", { "n", "2" }, RK8 ",redundancy=min-norm", 0.002, 0.7, 2e-14 },
    { "four_bars", { "n", "2" }, RK8 ",redundancy=loop-split", 0.005, 0.7, 3e-13 },
    { "four_bars", { "n", "2" }, TAYLOR ",redundancy=min-norm", 0.002, 0.7, 2e-14 },
    { "four_bars", { "n", "2" }, COMPOSED ",redundancy=remove", 0.002, 0.7, 4e-13 },
    { "four_bars", { "n", "2" }, "half-explicit:redundancy=min-norm", 0.002, 0.7, 5e-11 },
    { "four_bars", { "n", "2" }, GS, 0.002, 0.7, 3e-5 },
    { "four_bars", { "n", "2" }, "impulse-newton:tolerance=1e-12,redundancy=remove", 0.002, 0.7, 7e-6 },
  };
  COMPARE(runs);
}

/* ---- Gyroscope ----------------------------------------------------------------------------------------- */

static void gyroscope(void **state)
{
  (void)state;
  static const trial_run runs[] = {
    { "gyroscope", { NULL, NULL }, RK8, 0.001, 1, 4e-14 },
    { "gyroscope", { NULL, NULL }, TAYLOR, 0.001, 1, 4e-14 },
    { "gyroscope", { NULL, NULL }, COMPOSED, 0.001, 1, 2e-13 },
    { "gyroscope", { NULL, NULL }, EXTRAPOLATED, 0.001, 1, 2e-13 },
    { "gyroscope", { NULL, NULL }, "ida:error_tolerance=1e-10", 0.001, 1, 6e-10 },
    { "gyroscope", { NULL, NULL }, "half-explicit", 0.001, 1, 2e-7 },
    { "gyroscope", { NULL, NULL }, SLE, 0.001, 1, 9e-7 },
    { "gyroscope", { NULL, NULL }, ALPHA, 0.0005, 1, 3e-4 },
    { "gyroscope", { NULL, NULL }, GS, 0.001, 1, 9e-7 },
  };
  COMPARE(runs);
}

typedef struct momenta {
  const hn_model *model;
  double vertical, spin, nod; /* at the start; nod: the smallest height of the rotor */
  double worst_vertical, worst_spin;
} momenta;

static bool watch_momenta(void *user, const hn_frame *frame)
{
  momenta *w = user;
  double rate[3];
  quat_unrotate(rate, frame->state->pose[3].q, frame->state->twist[3].w);
  double spin = w->model->body[3].J[0] * rate[0];
  if (frame->index == 0) w->vertical = frame->measure->angular_momentum[1], w->spin = spin;
  w->worst_vertical = larger(w->worst_vertical, fabs(frame->measure->angular_momentum[1] - w->vertical));
  w->worst_spin = larger(w->worst_spin, fabs(spin - w->spin));
  w->nod = fmin(w->nod, frame->state->pose[3].x[1]);
  return true;
}

/* Released without precession the rotor nods; angular momentum is conserved about its own axis and, for the
 * whole, about the vertical. */
static void nodding_gyroscope_conserves_momenta(void **state)
{
  (void)state;
  const hn_setting rest = { "push", "0" };
  static const struct {
    const char *solver;
    double bound;
  } cases[] = {
    { RK8, 2e-14 },
    { TAYLOR, 5e-13 },
    { COMPOSED, 4e-13 },
    { SLE ",flight=exact", 2e-13 },
    { GS ",flight=exact", 3e-9 },
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    bench b = set_up_with("gyroscope", &rest, cases[k].solver);
    momenta w = { .model = b.model };
    must_converge(&b, 0.001, 1, watch_momenta, &w);
    printf(" gyroscope at rest, %s\n", cases[k].solver);
    check_below("change of the angular momentum about the vertical, kg m^2/s", w.worst_vertical,
                cases[k].bound);
    check_below("change of the angular momentum of the rotor about its axis, kg m^2/s", w.worst_spin,
                cases[k].bound);
    assert_true(w.nod < -1e-4); /* the rotor does nod */
    tear_down(&b);
  }
}

/* ---- Broken chain -------------------------------------------------------------------------------------- */

static void broken_joints_are_repaired(void **state)
{
  (void)state;
  static const struct {
    const char *solver;
    double bound;
  } cases[] = {
    { "impulse-sle:tolerance=1e-12", 1e-12 },
    { "impulse-newton:tolerance=1e-12", 1e-12 },
    { "impulse-gs:tolerance=1e-9", 1e-9 },
    { RK8, 1e-12 },
    { TAYLOR, 1e-12 },
    { "half-explicit:stabilisation=projection", 1e-11 },
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    hn_measure measure;
    bench b = set_up("broken", cases[k].solver);
    char what[100];
    hn_measure_state(b.model, b.state, &measure);
    check_near("gap of the worst joint at the start, m", measure.position_error, 0.1, 1e-12);
    must_converge(&b, 0.01, 0.01, NULL, NULL);
    hn_measure_state(b.model, b.state, &measure);
    snprintf(what, sizeof what, "%s: after one step, m", cases[k].solver);
    check_below(what, measure.position_error, cases[k].bound);
    must_converge(&b, 0.01, 1, NULL, NULL);
    hn_measure_state(b.model, b.state, &measure);
    check_below("after 1 s more, m", measure.position_error, cases[k].bound);
    tear_down(&b);
  }
}

/* A solver on accelerations keeps every gap, here 10 cm, up to its drift. */
static void gaps_stay_without_stabilisation(void **state)
{
  (void)state;
  static const char *const solver[] = { "lagrange:stepper=rk8pd", "taylor:order=12" };
  for (size_t k = 0; k < sizeof solver / sizeof *solver; k++) {
    hn_measure measure;
    bench b = set_up("broken", solver[k]);
    must_converge(&b, 0.01, 1, NULL, NULL);
    hn_measure_state(b.model, b.state, &measure);
    check_near("gap of the worst joint after 1 s, m", measure.position_error, 0.1, 1e-6);
    tear_down(&b);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(references_agree_with_published_values),
    cmocka_unit_test(reference_velocities_are_consistent),
    cmocka_unit_test(slider_crank),
    cmocka_unit_test(cart_pole),
    cmocka_unit_test(light_cart_is_fast),
    cmocka_unit_test(flyball),
    cmocka_unit_test(andrews),
    cmocka_unit_test(andrews_energy_gain_is_the_work_of_its_torque),
    cmocka_unit_test(four_bars_before_their_singular_position),
    cmocka_unit_test(four_bars),
    cmocka_unit_test(gyroscope),
    cmocka_unit_test(nodding_gyroscope_conserves_momenta),
    cmocka_unit_test(broken_joints_are_repaired),
    cmocka_unit_test(gaps_stay_without_stabilisation),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
