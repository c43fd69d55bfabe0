/* test_planar.c - planar systems: states stay in z = 0 to the bit, rows are not redundant, and the motion is
 * that of the same mechanism in space. */
#include "planar_scenes.h"
#include "solver_settings_table.h"
#include "base/vec.h"

#include <gsl/gsl_sf_elljac.h>
#include <string.h>

static void add_joint(hn_model *model, hn_joint_spec spec)
{
  hn_error error;
  if (hn_model_add_joint(model, &spec, &error) < 0) fail_msg("%s", error.text);
}

static void add_hinge(hn_model *model, int a, int b, double x, double y)
{
  add_joint(model, (hn_joint_spec){ .type = "hinge",
                                    .a = a,
                                    .b = b,
                                    .has_points = true,
                                    .at_a = { x, y, 0 },
                                    .at_b = { x, y, 0 },
                                    .axis_a = { 0, 0, 1 } });
}

/* Returns n planks in a row from the origin, hinged there. */
static hn_model *chain(bool planar, int n)
{
  hn_model *model = new_plane(planar);
  for (int i = 0; i < n; i++) {
    char name[16];
    snprintf(name, sizeof name, "plank%d", i + 1);
    add_hinge(model, i, add_plank(model, name, i + 0.5, 0, 0), i, 0);
  }
  return model;
}

static hn_model *double_plank(bool planar)
{
  return chain(planar, 2);
}

/* Returns crank, coupler and rocker of 1 m between (0, 0) and (1.4, 0); they never align. */
static hn_model *four_bar(bool planar)
{
  const double corner[4][2] = { { 0, 0 }, { cos(1.0), sin(1.0) }, { 0, 0 }, { 1.4, 0 } };
  hn_model *model = new_plane(planar);
  double x = corner[3][0] - corner[1][0], y = corner[3][1] - corner[1][1], across = sqrt(x * x + y * y);
  double bend = acos(0.5 * across), lean = atan2(y, x), at[4][2];
  memcpy(at, corner, sizeof at);
  at[2][0] = at[1][0] + cos(lean + bend), at[2][1] = at[1][1] + sin(lean + bend);
  for (int i = 0; i < 3; i++) {
    char name[16];
    snprintf(name, sizeof name, "bar%d", i + 1);
    double angle = atan2(at[i + 1][1] - at[i][1], at[i + 1][0] - at[i][0]);
    int bar = add_plank(model, name, 0.5 * (at[i][0] + at[i + 1][0]), 0.5 * (at[i][1] + at[i + 1][1]), angle);
    add_hinge(model, bar - 1, bar, at[i][0], at[i][1]);
  }
  add_hinge(model, 3, 0, 1.4, 0);
  return model;
}

/* Returns the state after STEPS steps of h; NULL if the solver fails. */
static hn_state *run(const hn_model *model, const char *spec, double h, int steps)
{
  hn_solver *solver = new_solver(spec, model);
  hn_state *state = hn_state_create(model);
  hn_reason reason = HN_CONVERGED;
  for (int i = 0; i < steps && reason == HN_CONVERGED; i++) {
    reason = hn_solver_step(solver, state, h);
    if (reason == HN_CONVERGED) continue;
    char text[256];
    hn_solver_explain(solver, reason, h, text, sizeof text);
    printf("  %s, step %d: %s\n", spec, i + 1, text);
  }
  hn_solver_free(solver);
  if (reason == HN_CONVERGED) return state;
  hn_state_free(state);
  return NULL;
}

/* ---- States stay in the plane -------------------------------------------------------------------------- */

static int numbers_off_plane(const hn_state *state)
{
  int count = 0;
  for (int i = 0; i < state->nbody; i++) {
    const hn_pose *p = &state->pose[i];
    const hn_twist *u = &state->twist[i];
    count += (p->x[2] != 0) + (p->q[1] != 0) + (p->q[2] != 0) + (u->v[2] != 0) + (u->w[0] != 0) +
             (u->w[1] != 0);
  }
  return count;
}

static void check_stays_in_plane(hn_model *(*make)(bool), const char *name, const char *spec)
{
  hn_model *model = make(true);
  char what[200];
  hn_state *state = run(model, spec, 0.002, 100);
  assert_non_null(state);
  snprintf(what, sizeof what, "%s, %s", name, spec);
  ASSERT_COUNT(what, numbers_off_plane(state), 0);
  hn_state_free(state);
  hn_model_free(model);
}

/* All solvers with their listed variants: no component leaves the plane by a bit. */
static void every_solver_stays_in_the_plane(void **unused)
{
  (void)unused;
  static const char *const flights[] = { "impulse-sle:flight=rk4", "impulse-sle:flight=taylor",
                                         "impulse-sle:flight=exact", "impulse-sle:linear=dense" };
  size_t count;
  const hn_solver_type *const *type = hn_solver_types(&count);
  for (size_t i = 0; i < count; i++)
    for (const char *const *variant = hn_solver_variants(type[i]); *variant; variant++) {
      char spec[160];
      snprintf(spec, sizeof spec, "%s%s%s", type[i]->name, **variant ? ":" : "", *variant);
      check_stays_in_plane(double_plank, "double pendulum", spec);
      check_stays_in_plane(four_bar, "four-bar", spec);
    }
  for (size_t i = 0; i < sizeof flights / sizeof *flights; i++)
    check_stays_in_plane(four_bar, "four-bar", flights[i]);
}

/* ---- The motion equals that in space ------------------------------------------------------------------- */

/* Returns the largest difference of any component; q and -q are the same orientation. */
static double difference(const hn_state *a, const hn_state *b)
{
  double largest = 0.0;
  for (int i = 0; i < a->nbody; i++) {
    double q[2] = { 0, 0 };
    for (int c = 0; c < 3; c++) {
      largest = larger(largest, fabs(a->pose[i].x[c] - b->pose[i].x[c]));
      largest = larger(largest, fabs(a->twist[i].v[c] - b->twist[i].v[c]));
      largest = larger(largest, fabs(a->twist[i].w[c] - b->twist[i].w[c]));
    }
    for (int c = 0; c < 4; c++) {
      q[0] = larger(q[0], fabs(a->pose[i].q[c] - b->pose[i].q[c]));
      q[1] = larger(q[1], fabs(a->pose[i].q[c] + b->pose[i].q[c]));
    }
    largest = larger(largest, isnan(q[0]) ? q[0] : fmin(q[0], q[1]));
  }
  return largest;
}

static double planar_against_spatial(hn_model *(*make)(bool), const char *in_plane, const char *in_space,
                                     double h, int steps)
{
  hn_model *flat = make(true), *space = make(false);
  hn_state *a = run(flat, in_plane, h, steps), *b = run(space, in_space, h, steps);
  assert_true(a && b);
  double largest = difference(a, b);
  hn_state_free(a), hn_state_free(b);
  hn_model_free(flat), hn_model_free(space);
  return largest;
}

/* Returns the allowed difference from the motion in space. The rows that exist only in space are zero there,
 * so hardly any rounding is magnified. But K has other blocks, and generalised-alpha divides rounding errors
 * of positions by h: its linear solvers differ by up to 2.6e-12. ida selects steps by norms over all
 * unknowns, of which space has more: it agrees within its tolerance. */
static double bound_of(const char *solver_spec)
{
  if (strcmp(solver_spec, "ida") == 0) return 4e-6;
  return strcmp(solver_spec, "generalised-alpha") == 0 ? 1e-11 : 1e-13;
}

static void the_motion_equals_that_in_space(void **unused)
{
  (void)unused;
  size_t count;
  const hn_solver_type *const *type = hn_solver_types(&count);
  for (size_t i = 0; i < count; i++) {
    char spec[160], what[160];
    snprintf(spec, sizeof spec, "%s", type[i]->name);
    for (int k = 0; k < 3; k++) {
      static const char *const key[] = { "tolerance", "velocity_tolerance", "contact_tolerance" };
      const size_t used = strlen(spec);
      if (has_param(type[i], key[k]))
        snprintf(spec + used, sizeof spec - used, "%c%s=1e-13", strchr(spec, ':') ? ',' : ':', key[k]);
    }
    snprintf(what, sizeof what, "double pendulum, %s", type[i]->name);
    check_below(what, planar_against_spatial(double_plank, spec, spec, 0.005, 100), bound_of(type[i]->name));
  }
}

static hn_model *single_plank(bool planar)
{
  return chain(planar, 1);
}

/* Released at rest at a right angle: sin(theta / 2) = k cd(omega t | k^2), theta from the vertical. */
static void a_compound_pendulum_follows_its_closed_form(void **unused)
{
  (void)unused;
  const double g = 9.81, d = 0.5, inertia = 1.01 / 12 + d * d, k = sin(0.25 * M_PI), t = 1.7;
  double sn, cn, dn;
  gsl_sf_elljac_e(sqrt(g * d / inertia) * t, k * k, &sn, &cn, &dn);
  double theta = 2.0 * asin(k * cn / dn);
  hn_model *model = single_plank(true);
  hn_state *state = run(model, "taylor:order=16", 0.01, 170);
  assert_non_null(state);
  check_near("x of the plank, m", state->pose[1].x[0], d * sin(theta), 1e-13);
  check_near("y of the plank, m", state->pose[1].x[1], -d * cos(theta), 1e-13);
  hn_measure measure;
  hn_measure_state(model, state, &measure);
  check_below("energy, J", measure.kinetic + measure.potential, 1e-12);
  hn_state_free(state);
  hn_model_free(model);
  check_below("against space", planar_against_spatial(single_plank, "taylor", "taylor", 0.01, 170), 1e-13);
}

static hn_rank *rank_of(const hn_model *model)
{
  hn_error error;
  hn_system *system = hn_system_create(model, &error);
  hn_state *state = hn_state_create(model);
  hn_system_jacobian(system, state);
  hn_rank *rank = hn_rank_create(system, HN_RANK_AUTO, &error);
  if (!rank) fail_msg("%s", error.text);
  hn_system_free(system);
  hn_state_free(state);
  return rank;
}

static void a_four_bar_has_no_redundant_row(void **unused)
{
  (void)unused;
  static const int expected[2][4] = { { 20, 17, 18, 1 }, { 8, 8, 9, 1 } };
  for (int planar = 0; planar < 2; planar++) {
    hn_model *model = four_bar(planar);
    hn_rank *rank = rank_of(model);
    printf(" %s\n", planar ? "in the plane" : "in space");
    ASSERT_COUNT("rows", rank->rows, expected[planar][0]);
    ASSERT_COUNT("rank", rank->rank, expected[planar][1]);
    ASSERT_COUNT("freedoms of the bodies", hn_model_freedoms(model), expected[planar][2]);
    ASSERT_COUNT("of the rank analysis", rank->freedoms, expected[planar][2]);
    ASSERT_COUNT("degrees of freedom", rank->dof, expected[planar][3]);
    hn_rank_free(rank);
    hn_model_free(model);
  }
  check_below("four-bar against space, where rows are removed",
              planar_against_spatial(four_bar, "impulse-sle:tolerance=1e-13,first_guess=zero",
                                     "impulse-sle:tolerance=1e-13,redundancy=remove", 0.002, 250),
              1e-13);
}

/* ---- Joint types --------------------------------------------------------------------------------------- */

static const char *tested_type;

/* Returns a hinged plank and a second one on it by a joint of tested_type. */
static hn_model *tested_joint(bool planar)
{
  const double c = cos(0.4), s = sin(0.4);
  hn_model *model = new_plane(planar);
  add_hinge(model, 0, add_plank(model, "first", 0.5, 0, 0), 0, 0);
  add_plank(model, "second", 1 + 0.5 * c, 0.5 * s, 0.4);
  const hn_joint_type *type = hn_joint_type_find(tested_type, NULL);
  hn_joint_spec spec = { .type = tested_type,
                         .a = 1,
                         .b = 2,
                         .has_points = true,
                         .at_a = { 1, 0, 0 },
                         .at_b = { 1, 0, 0 },
                         .axis_a = { c, s, 0 },
                         .axis_b = { -s, c, 0 },
                         .motion = { .amplitude = 0.2, .frequency = 3 },
                         .settings = settings_for(type, "teeth=3:2,lower=-0.01") };
  if (type->planar->keys & HN_AXIS_NORMAL) vec_set(spec.axis_a, 0, 0, 1);
  if (strcmp(tested_type, "distance") == 0 || strcmp(tested_type, "gear") == 0)
    vec_set(spec.at_a, 0.5, 0, 0), vec_set(spec.at_b, 1.5, 0.3, 0);
  model->loose = true; /* a driven start is not at rest */
  add_joint(model, spec);
  return model;
}

/* Keys of a scene. */
enum { SCENE_KEYS = HN_KEY_AT | HN_KEY_DEFAULT_POINTS | HN_KEY_AXIS | HN_KEY_AXES | HN_KEY_MOTION };

/* In space the joint leaves more freedoms, but nothing excites them. */
static void every_joint_moves_as_in_space(void **unused)
{
  (void)unused;
  size_t count;
  const hn_joint_type *const *type = hn_joint_types(&count);
  int twins = 0;
  for (size_t i = 0; i < count; i++) {
    char what[96];
    if (!type[i]->planar) continue;
    if (type[i]->velocity) { /* no solver supports them here */
      twins++;
      continue;
    }
    tested_type = type[i]->name, twins++;
    assert_string_equal(type[i]->planar->name, type[i]->name);
    assert_true((type[i]->planar->keys & SCENE_KEYS) == (type[i]->keys & SCENE_KEYS));
    snprintf(what, sizeof what, "%s, %d rows of %d", tested_type, type[i]->planar->rows, type[i]->rows);
    static const char spec[] = "impulse-sle:tolerance=1e-13", taylor[] = "taylor";
    check_below(what, planar_against_spatial(tested_joint, spec, spec, 0.005, 60), 1e-13);
    if (type[i]->jet && type[i]->set == HN_ANY) /* taylor enforces no limits */
      check_below("  taylor", planar_against_spatial(tested_joint, taylor, taylor, 0.005, 60), 1e-13);
    hn_model *model = tested_joint(true);
    hn_rank *rank = rank_of(model);
    ASSERT_COUNT("  rank, of as many rows", rank->rank, rank->rows);
    hn_rank_free(rank);
    check_stays_in_plane(tested_joint, tested_type, "impulse-gs");
    hn_model_free(model);
  }
  ASSERT_COUNT("joint types without meaning in the plane", (int)count - twins, 8);
}

/* ---- Forces -------------------------------------------------------------------------------------------- */

/* Returns a double plank with a spring, a damper, a force and a torque. */
static hn_model *forced(bool planar)
{
  hn_error error;
  hn_model *model = double_plank(planar);
  /* clang-format off */
  hn_force_spec spec[] = {
    { .geometry = { .type = "force", .b = 2, .has_points = true, .at_a = { 2, 0, 0 }, .at_b = { 2, 0, 0 } },
      .vector = { 3, 8, 0 } },
    { .geometry = { .type = "torque", .b = 1 }, .vector = { 0, 0, 4 } },
    { .geometry = { .type = "angular_spring", .a = 1, .b = 2, .axis_a = { 0, 0, 1 } },
      .settings = "stiffness=5,damping=0.4" },
    { .geometry = { .type = "spring", .b = 2, .has_points = true, .at_a = { 1, 1, 0 }, .at_b = { 2, 0, 0 } },
      .settings = "stiffness=50,damping=0.4" },
  };
  /* clang-format on */
  for (int i = 0; i < 4; i++)
    if (hn_model_add_force(model, &spec[i], &error) < 0) fail_msg("%s", error.text);
  return model;
}

static void forces_stay_in_the_plane(void **unused)
{
  (void)unused;
  static const char *const specs[] = { "impulse-sle:tolerance=1e-13", "lagrange", "taylor", "half-explicit" };
  for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
    check_stays_in_plane(forced, "forces", specs[i]);
    check_below(specs[i], planar_against_spatial(forced, specs[i], specs[i], 0.005, 100), 1e-13);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_solver_stays_in_the_plane),
    cmocka_unit_test(the_motion_equals_that_in_space),
    cmocka_unit_test(a_compound_pendulum_follows_its_closed_form),
    cmocka_unit_test(a_four_bar_has_no_redundant_row),
    cmocka_unit_test(every_joint_moves_as_in_space),
    cmocka_unit_test(forces_stay_in_the_plane),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
