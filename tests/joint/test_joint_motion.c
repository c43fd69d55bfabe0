/* test_joint_motion.c - every joint type, and every pair of basic constraints, in motion under every solver.
 *
 * A body against the ground under gravity, and two bodies in free space; general positions, asymmetric
 * inertia. Measured at a step and at half of it: the error against power series of order 20 (which use the
 * jets of the joints), energy, drift, both momenta of free pairs. A pair of basic constraints that is
 * equivalent to a combined joint must move as that one does. */
#include "every_solver.h"
#include "solver_settings_table.h"

#include <stdlib.h>

/* Joints between the same two bodies, and the equivalent combined joint, if any. */
typedef struct arrangement {
  const char *first, *second; /* types; second may be NULL */
  bool apart;                 /* the second one has other points and axes */
  const char *combined;
} arrangement;

static const arrangement pairs[] = {
  { "point_on_point", "lock_rotation", false, "fixed" },
  { "point_on_point", "parallel_axes", false, "hinge" },
  { "point_on_point", "constant_angle", false, "universal" },
  { "point_on_line", "lock_rotation", false, "slider" },
  { "point_on_line", "parallel_axes", false, "cylindrical" },
  { "point_on_line", "constant_angle", false, "line_universal" },
  { "point_on_plane", "lock_rotation", false, "plane_slider" },
  { "point_on_plane", "parallel_axes", false, "planar" },
  { "point_on_plane", "constant_angle", false, "plane_universal" },
  { "distance", "lock_rotation", false, NULL },
  { "distance", "parallel_axes", false, NULL },
  { "distance", "constant_angle", false, NULL },
  /* two translational ones, at different points; two points on points would repeat a row */
  { "point_on_point", "point_on_line", true, NULL },
  { "point_on_point", "point_on_plane", true, NULL },
  { "point_on_point", "distance", true, NULL },
  { "point_on_line", "point_on_line", true, NULL },
  { "point_on_line", "point_on_plane", true, NULL },
  { "point_on_line", "distance", true, NULL },
  { "point_on_plane", "point_on_plane", true, NULL },
  { "point_on_plane", "distance", true, NULL },
  { "distance", "distance", true, NULL },
  /* two rotational ones; the others would repeat rows */
  { "parallel_axes", "constant_angle", true, NULL },
  { "constant_angle", "constant_angle", true, NULL },
};
enum { NPAIRS = sizeof pairs / sizeof *pairs };

static const double STEP = 0.01, DURATION = 0.2;

static void add_bodies(hn_model *model, bool free)
{
  hn_error error;
  hn_body_spec a = { .name = "a",
                     .kind = HN_RIGID,
                     .has_mass = true,
                     .mass = 2.0,
                     .inertia = { 0.3, 0.5, 0.6 },
                     .position = { 0.1, -0.2, 0.3 },
                     .orientation = { 0.8, 0.1, -0.5, 0.3 },
                     .velocity = { -0.3, 0.2, 0.4 },
                     .angular_velocity = { 0.9, -0.6, 0.7 } };
  hn_body_spec b = { .name = "b",
                     .kind = HN_RIGID,
                     .has_mass = true,
                     .mass = 1.3,
                     .inertia = { 0.11, 0.2, 0.25 },
                     .position = { 0.9, 0.6, -0.4 },
                     .orientation = { -0.3, 0.7, 0.2, 0.6 },
                     .velocity = { 0.5, -0.1, 0.3 },
                     .angular_velocity = { -0.8, 1.1, 0.5 } };
  if (free) must(hn_model_add_body(model, &a, &error), &error);
  must(hn_model_add_body(model, &b, &error), &error);
}

/* Adds a joint with points and axes in general position, but those of a gear in a plane normal to its axis.
 * Parameters by key. */
static void add_joint(hn_model *model, const char *type, bool free, bool apart)
{
  hn_error error;
  const hn_joint_type *found = hn_joint_type_find(type, &error);
  hn_joint_spec spec = { .type = type,
                         .a = free ? 1 : 0,
                         .b = free ? 2 : 1,
                         .has_points = true,
                         .at_a = { 0.5, 0.3, 0.1 },
                         .at_b = { 0.5, 0.3, 0.1 },
                         .axis_a = { 1, 2, -0.5 },
                         .axis_b = { -1, 0.5, 2 },
                         .motion = { { 0, 0.5, 0.4 }, 0.3, 1.7, 0 },
                         .settings = settings_for(found, "pitch=0.6,teeth=3:5,lower=-2,upper=3,radius=0.3") };
  assert_non_null(found);
  if (apart) {
    vec_set(spec.at_a, 0.9, -0.2, 0.4), vec_set(spec.at_b, 0.9, -0.2, 0.4);
    vec_set(spec.axis_a, -1.5, 0.3, 1), vec_set(spec.axis_b, 0.2, 1, 0.4);
  }
  if (strcmp(type, "distance") == 0) vec_add(spec.at_b, spec.at_b, (const double[3]){ 0.3, 0.4, -0.2 });
  if (strcmp(type, "gear") == 0) vec_add(spec.at_b, spec.at_b, (const double[3]){ 0.6, -0.3, 0.0 });
  must(hn_model_add_joint(model, &spec, &error), &error);
}

/* Builds a model with velocities projected onto the joints. */
static hn_model *build(const arrangement *of, bool free)
{
  hn_error error;
  const double gravity[3] = { free ? 0 : 1.5, free ? 0 : -9.81, free ? 0 : 2.0 };
  hn_model *model = hn_model_create(gravity);
  assert_non_null(model);
  model->consistent = true;
  add_bodies(model, free);
  if (of->first) add_joint(model, of->first, free, false);
  if (of->second) add_joint(model, of->second, free, of->apart);
  must(hn_model_project(model, &error), &error);
  return model;
}

static bool is_driven(const hn_model *model)
{
  for (int j = 0; j < model->njoint; j++)
    if (model->joint[j].type->keys & HN_KEY_MOTION) return true;
  return false;
}

static double momentum_change(const hn_model *model, const hn_state *end, bool angular)
{
  hn_state *start = hn_state_create(model);
  hn_measure before, after;
  double change[3];
  hn_measure_state(model, start, &before);
  hn_measure_state(model, end, &after);
  hn_state_free(start);
  if (angular) vec_sub(change, after.angular_momentum, before.angular_momentum);
  else vec_sub(change, after.momentum, before.momentum);
  return vec_norm(change);
}

/* Results of one run. */
typedef struct outcome {
  double error, energy, drift, momentum, angular;
} outcome;

static outcome run_one(const solver_spec *m, const hn_model *model, const hn_state *exact, double h)
{
  hn_summary summary;
  hn_state *end = run_solver(m, model, h, DURATION, &summary, NULL);
  outcome o = { state_distance(end, exact), summary.energy_error_max, summary.position_max,
                momentum_change(model, end, false), momentum_change(model, end, true) };
  hn_state_free(end);
  return o;
}

typedef struct record {
  worst error, coarse, energy, drift, satisfied, momentum, angular;
} record;

/* True for the solver whose tree has explicit joints. */
static bool is_reduced(const solver_spec *m)
{
  return strcmp(m->type->name, "articulated") == 0;
}

/* True if momentum is a nonlinear function of the coordinates that are integrated: it is kept to the
 * order. */
static bool curves_momentum(const solver_spec *m)
{
  return is_reduced(m) || has_setting(m->type, "growth");
}

static void record_errors(record *r, const solver_spec *m, const hn_model *model, const hn_state *exact,
                          const char *where, bool free)
{
  /* in the asymptotic range, and beyond the start of a multistep formula: up to 5 steps of another method */
  const bool finer = m->order == 1 || m->type->capabilities & HN_IS_MULTISTEP;
  const double h = finer ? 0.25 * STEP : STEP;
  outcome whole = run_one(m, model, exact, h), half = run_one(m, model, exact, 0.5 * h);
  bool keeps_momentum = m->type->capabilities & HN_KEEPS_MOMENTUM;
  note(&r->coarse, whole.error, m->order == 0 ? BY_TOLERANCE : m->order == 1 ? 0.1 : 0.01, where);
  note(&r->error, half.error, halved(whole.error, m->order, 1e-11), where);
  /* at order 1 the first two terms of the energy error may cancel at the coarse step: bound it also by the
   * error of the motion (m and rad) times the largest forces, 10 N and N m */
  double energy = fmax(halved(whole.energy, m->order, 1e-11), m->order == 1 ? 10.0 * half.error : 0.0);
  if (!is_driven(model)) note(&r->energy, half.energy, energy, where);
  note(&r->drift, half.drift, halved(whole.drift, m->order, 1e-12), where);
  if (m->holds) note(&r->satisfied, fmax(whole.drift, half.drift), 1.1 * TIGHT, where);
  if (!free) return;
  const bool iterates = strcmp(m->type->name, "avbd") == 0; /* momentum to the error of its sweeps */
  if (curves_momentum(m)) note(&r->momentum, half.momentum, halved(whole.momentum, m->order, 1e-11), where);
  else note(&r->momentum, fmax(whole.momentum, half.momentum), iterates ? 1e-8 : 1e-12, where);
  note(&r->angular, half.angular, keeps_momentum ? 1e-12 : halved(whole.angular, m->order, 1e-11), where);
}

static void show(const solver_spec *m, const record *r)
{
  printf(" %s, order %d\n", m->label, m->order);
  check_worst("error, coarse step", &r->coarse);
  check_worst("error, half step", &r->error);
  check_worst("energy, half step", &r->energy);
  check_worst("drift, half step", &r->drift);
  check_worst("drift of one that holds", &r->satisfied);
  check_worst("momentum", &r->momentum);
  check_worst("angular momentum", &r->angular);
}

static void describe(const arrangement *of, bool free, char text[96])
{
  snprintf(text, 96, "%s%s%s%s", of->first, of->second ? " + " : "", of->second ? of->second : "",
           free ? ", free" : ", on ground");
}

/* Runs every solver on every one of COUNT arrangements. */
static void run_all(const arrangement *of, size_t count)
{
  static record records[MAX_SOLVERS];
  solver_spec solver_specs[MAX_SOLVERS];
  size_t n = list_solvers(solver_specs);
  const solver_spec reference = make_solver(hn_solver_type_find("taylor", NULL, NULL),
                                            "order=20,stabilisation=projection");
  memset(records, 0, sizeof records);
  for (size_t i = 0; i < 2 * count; i++) {
    char where[96];
    bool free = i & 1;
    const arrangement *pair = &of[i / 2], twin = { .first = pair->combined };
    hn_model *model = build(pair, free);
    bool loose = model->needs & HN_CAN_PUSH; /* limits that are not reached have no effect */
    hn_model *same = build(pair->combined || loose ? &twin : pair, free);
    hn_state *exact = run_solver(&reference, same, STEP, DURATION, NULL, NULL);
    describe(pair, free, where);
    for (size_t k = 0; k < n; k++)
      if (!loose || solver_specs[k].type->capabilities & HN_CAN_PUSH)
        record_errors(&records[k], &solver_specs[k], model, exact, where, free);
    hn_state_free(exact);
    hn_model_free(model), hn_model_free(same);
  }
  for (size_t k = 0; k < n; k++) show(&solver_specs[k], &records[k]);
}

static void every_joint_type_moves_correctly(void **state)
{
  (void)state;
  size_t count;
  const hn_joint_type *const *types = hn_joint_types(&count);
  arrangement *alone = calloc(count, sizeof *alone);
  assert_non_null(alone);
  size_t n = 0;
  for (size_t i = 0; i < count; i++)
    if (!types[i]->velocity) alone[n++] = (arrangement){ .first = types[i]->name };
  run_all(alone, n);
  free(alone);
}

static void every_pair_of_basic_constraints_moves_correctly(void **state)
{
  (void)state;
  run_all(pairs, NPAIRS);
}

/* One combined joint against its two parts: they differ by round-off, except for solvers that process joint
 * by joint, once a substep. lock_rotation has a frame unlike that of joints with an axis: the rows agree
 * where they are satisfied and differ by the square of the drift elsewhere. */
static void combined_joints_equal_their_parts(void **state)
{
  (void)state;
  solver_spec solver_specs[MAX_SOLVERS];
  size_t n = list_solvers(solver_specs);
  for (size_t k = 0; k < n; k++) {
    worst apart = { .bound = 0 };
    if (solver_specs[k].type->capabilities & HN_CAN_REDUNDANT && solver_specs[k].order == 1)
      continue; /* one sweep a substep */
    /* the tree has a combined joint, but only one of two parts; springs are those of rows, which differ: they
     * agree to the order, as measured above */
    if (is_reduced(&solver_specs[k]) || strcmp(solver_specs[k].type->name, "penalty") == 0) continue;
    for (int i = 0; i < 2 * NPAIRS; i++) {
      char where[96];
      const arrangement *pair = &pairs[i / 2], twin = { .first = pair->combined };
      if (!pair->combined) continue;
      hn_model *in_two = build(pair, i & 1), *in_one = build(&twin, i & 1);
      hn_summary summary;
      hn_state *two = run_solver(&solver_specs[k], in_two, STEP, DURATION, NULL, NULL);
      hn_state *one = run_solver(&solver_specs[k], in_one, STEP, DURATION, &summary, NULL);
      double drift = summary.position_max;
      describe(pair, i & 1, where);
      note(&apart, state_distance(one, two),
           solver_specs[k].order == 0 ? BY_TOLERANCE : 1e-11 + drift * drift, where);
      hn_state_free(one), hn_state_free(two);
      hn_model_free(in_one), hn_model_free(in_two);
    }
    printf(" %s\n", solver_specs[k].label);
    check_worst("in one and in two, apart", &apart);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_joint_type_moves_correctly),
    cmocka_unit_test(every_pair_of_basic_constraints_moves_correctly),
    cmocka_unit_test(combined_joints_equal_their_parts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
