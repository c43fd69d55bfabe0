/* test_measures.c - energies, momenta and joint errors against values by hand. Runs measured at some of their
 * steps have the motion, hash and record of runs measured at every step, extremes over the measured steps
 * only, and still detect divergence. */
#include "scenes.h"

#include <stdlib.h>
#include <unistd.h>

/* ---- Measures of a state ------------------------------------------------------------------------------- */

/* By hand: a particle of 2 kg at (1, 2, 3) with v = (4, 5, 6). A body of 5 kg with J = (1, 2, 3) kg m^2 at
 * (0, 0, 1), turned by 90 degrees about z (its x axis along y), with v = (1, 0, 0) and w = (0, 1, 2) in world
 * axes, which is (1, 0, 2) in body axes. */
static void energies_and_momenta_are_right(void **state)
{
  (void)state;
  hn_error error;
  hn_measure m;
  hn_model *model = new_model();
  hn_body_spec particle = { .name = "p",
                            .kind = HN_PARTICLE,
                            .has_mass = true,
                            .mass = 2,
                            .position = { 1, 2, 3 },
                            .orientation = { 1, 0, 0, 0 },
                            .velocity = { 4, 5, 6 } };
  hn_body_spec body = rigid_body("b", 5, 1, 2, 3);
  body.position[2] = 1, body.orientation[0] = body.orientation[3] = M_SQRT1_2;
  vec_set(body.velocity, 1, 0, 0), vec_set(body.angular_velocity, 0, 1, 2);
  assert_int_equal(hn_model_add_body(model, &particle, &error), 1);
  assert_int_equal(hn_model_add_body(model, &body, &error), 2);
  hn_state *at = hn_state_create(model);
  hn_measure_state(model, at, &m);
  /* 1/2 2 (16 + 25 + 36) + 1/2 5 1 + 1/2 (1 1 + 3 4) */
  check_below("kinetic energy, error in J", m.kinetic - (77 + 2.5 + 6.5), 1e-14);
  check_below("potential energy, error in J", m.potential - 2 * 9.81 * 2, 1e-14);
  /* p = (8, 10, 12) + (5, 0, 0); L = (1, 2, 3) x (8, 10, 12) + (0, 0, 1) x (5, 0, 0) + (0, 1, 6) */
  const double p[3] = { 13, 10, 12 }, L[3] = { 24 - 30, 24 - 12 + 5 + 1, 10 - 16 + 6 };
  for (int i = 0; i < 3; i++) {
    check_below("momentum, error in kg m/s", m.momentum[i] - p[i], 1e-14);
    check_below("angular momentum, error in kg m^2/s", m.angular_momentum[i] - L[i], 1e-14);
  }
  assert_int_equal(m.worst_joint, -1);
  hn_state_free(at);
  hn_model_free(model);
}

/* Boxes displaced and moved by known amounts. */
static void joint_errors_are_right(void **state)
{
  (void)state;
  hn_measure m;
  hn_model *model = box_chain(3);
  hn_state *at = hn_state_create(model);
  hn_measure_state(model, at, &m);
  check_below("error of joints as built, m", m.position_error, 0);
  check_below("their velocity error, m/s", m.velocity_error, 0);
  at->pose[2].x[1] += 0.03, at->pose[2].x[2] += 0.04; /* joints 2 and 3, by 0.05 */
  at->pose[3].x[1] += 0.06;                           /* joint 3: (0.03, -0.04) */
  at->pose[3].x[2] -= 0.08;                           /* joint 3: (0.03, -0.12) */
  at->twist[1].w[2] = 2;                              /* joint 1: 1 m/s, joint 2: 1 m/s */
  at->twist[2].v[1] = -2;                             /* joint 2: 3 m/s, joint 3: 2 m/s */
  hn_measure_state(model, at, &m);
  check_below("position error against sqrt(153) cm, m", m.position_error - sqrt(0.0153), 1e-16);
  check_below("velocity error against 3 m/s, m/s", m.velocity_error - 3, 1e-15);
  assert_int_equal(m.worst_joint, 2);
  hn_state_free(at);
  hn_model_free(model);
}

/* A NaN in any joint shows in the error, whichever joints come before and after. */
static void nan_is_never_lost(void **state)
{
  (void)state;
  hn_model *model = box_chain(5);
  for (int body = 1; body <= 5; body++) {
    hn_measure m;
    hn_state *at = hn_state_create(model);
    for (int i = 1; i <= 5; i++) at->pose[i].x[1] = i % 2; /* large errors elsewhere */
    at->pose[body].x[0] = NAN;
    at->twist[body].v[0] = NAN;
    hn_measure_state(model, at, &m);
    assert_true(isnan(m.position_error) && isnan(m.velocity_error));
    assert_true(isnan(m.kinetic) && isnan(m.angular_momentum[2]));
    assert_true(m.worst_joint == body - 1 || m.worst_joint == body);
    hn_state_free(at);
  }
  hn_model_free(model);
}

/* ---- Runs measured at some steps ----------------------------------------------------------------------- */

enum { STEPS = 100 };
static const double h = 0.01;

typedef struct watched {
  long frames, measured, last; /* LAST: index of the last measured frame */
  double position;             /* largest error in the frames, m */
  double first, energy, gain;  /* J: initial; largest error; largest gain between frames */
  double before;               /* J: in the last measured frame */
  double at[STEPS + 1];        /* error after every step; NAN if not measured */
} watched;

static bool record_measures(void *user, const hn_frame *frame)
{
  watched *w = user;
  w->frames++;
  w->at[frame->index] = frame->measure ? frame->measure->position_error : (double)NAN;
  if (!frame->measure) return true;
  const double energy = frame->measure->kinetic + frame->measure->potential;
  if (w->measured == 0) w->first = w->before = energy;
  w->energy = larger(w->energy, fabs(energy - w->first)), w->gain = larger(w->gain, energy - w->before);
  w->before = energy;
  w->measured++, w->last = frame->index;
  w->position = larger(w->position, frame->measure->position_error);
  return true;
}

static watched run_measured(const char *scene, const char *spec, long measures, hn_summary *summary)
{
  watched w = { 0 };
  bench b = set_up(scene, spec);
  hn_run_options options = {
    .step = h, .duration = STEPS * h, .measures = measures, .observe = record_measures, .user = &w
  };
  assert_int_equal(hn_run(b.solver, b.state, &options, summary), HN_CONVERGED);
  tear_down(&b);
  return w;
}

static void the_motion_does_not_depend_on_measures(void **state)
{
  (void)state;
  static const char spec[] = "impulse-sle"; /* its energy error oscillates */
  static const struct {
    long asked, taken;
  } of[] = {
    /* plus the start, and the last step if it is not among them */
    { 1, 2 }, { 3, 4 }, { 7, 8 }, { 60, 51 }, { 100, 101 }, { 1000, 101 },
  };
  hn_summary all, some;
  watched every = run_measured("box_pendulum", spec, 0, &all);
  printf(" error of the energy up to %.3g J, at the end %.3g J\n", all.energy_error_max,
         fabs(all.energy_final - all.energy_initial));
  assert_true(all.energy_error_max > 1.1 * fabs(all.energy_final - all.energy_initial));
  assert_int_equal(every.frames, STEPS + 1);
  assert_int_equal(every.measured, STEPS + 1);
  for (size_t k = 0; k < sizeof of / sizeof *of; k++) {
    watched w = run_measured("box_pendulum", spec, of[k].asked, &some);
    printf(" %ld measures requested: %ld of %ld frames, drift %.3g m of %.3g\n", of[k].asked, w.measured,
           w.frames, some.position_max, all.position_max);
    assert_true(some.hash == all.hash && some.steps == all.steps && some.time == all.time);
    assert_true(some.energy_initial == all.energy_initial && some.energy_final == all.energy_final);
    assert_int_equal(w.frames, STEPS + 1);
    assert_int_equal(w.measured, of[k].taken);
    assert_int_equal(w.last, STEPS);
    for (int i = 0; i <= STEPS; i++) assert_true(isnan(w.at[i]) || w.at[i] == every.at[i]);
    assert_true(some.position_max == w.position && some.position_max <= all.position_max);
    assert_true(some.energy_error_max == w.energy && some.energy_gain == w.gain);
  }
}

/* ---- Records measure independently --------------------------------------------------------------------- */

static char *recorded(long measures)
{
  char path[] = "/tmp/holonom_measuresXXXXXX", *text = calloc(1, 1 << 18);
  int made = mkstemp(path);
  assert_true(made >= 0 && text);
  close(made);
  bench b = set_up("box_pendulum", "impulse-sle");
  hn_error error;
  hn_summary summary;
  hn_record *record = hn_record_create(path, b.model, NULL, &error);
  hn_run_options options = {
    .step = h, .duration = 20 * h, .measures = measures, .observe = hn_record_frame, .user = record
  };
  assert_non_null(record);
  assert_int_equal(hn_run(b.solver, b.state, &options, &summary), HN_CONVERGED);
  assert_int_equal(hn_record_close(record, &error), 0);
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  assert_true(fread(text, 1, (1 << 18) - 1, file) > 1000);
  fclose(file);
  unlink(path);
  tear_down(&b);
  return text;
}

static void records_are_the_same(void **state)
{
  (void)state;
  char *every = recorded(0), *few = recorded(2);
  assert_string_equal(every, few);
  free(every), free(few);
}

/* ---- Divergence ---------------------------------------------------------------------------------------- */

/* Runs joints without stabilisation at steps as long as a swing; they drift far apart. */
static hn_summary run_drifting(long measures)
{
  bench b = set_up("double_pendulum", "lagrange:stepper=euler");
  hn_summary summary;
  hn_run_options options = { .step = 0.2, .duration = 8, .measures = measures };
  hn_run(b.solver, b.state, &options, &summary);
  printf(" %ld measures: %s after %ld steps: %s\n", measures, hn_reason_name(summary.reason), summary.steps,
         summary.explanation);
  tear_down(&b);
  return summary;
}

static void a_run_that_diverges_is_found_at_the_next_measure(void **state)
{
  (void)state;
  hn_summary every = run_drifting(0), few = run_drifting(4), once = run_drifting(1);
  assert_int_equal(every.reason, HN_DIVERGED);
  assert_int_equal(few.reason, HN_DIVERGED);
  assert_int_equal(once.reason, HN_DIVERGED);
  assert_true(every.steps % 10 != 0);
  assert_int_equal(few.steps, every.steps / 10 * 10 + 10);
  assert_int_equal(once.steps, 40);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(energies_and_momenta_are_right),
    cmocka_unit_test(joint_errors_are_right),
    cmocka_unit_test(nan_is_never_lost),
    cmocka_unit_test(the_motion_does_not_depend_on_measures),
    cmocka_unit_test(records_are_the_same),
    cmocka_unit_test(a_run_that_diverges_is_found_at_the_next_measure),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
