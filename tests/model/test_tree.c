/* test_tree.c - trees of reduced coordinates: choice of the edges, mass matrix, inverse and forward dynamics,
 * against closed forms, the energy of states, and each other on random trees. */
#include "models.h"
#include "base/random.h"
#include "tree.h"

#include <stdlib.h>

static uint32_t seed = 1618;

static double next_number(void)
{
  return random_signed(&seed);
}

static int next_index(int count)
{
  return (int)(0.5 * (1.0 + next_number()) * 0.999999 * count);
}

static void fill_random(double *a, int n)
{
  for (int i = 0; i < n; i++) a[i] = next_number();
}

static void must_join(hn_model *model, const hn_joint_spec *spec)
{
  hn_error error;
  if (hn_model_add_joint(model, spec, &error) < 0) fail_msg("%s", error.text);
}

typedef struct tree_bench {
  hn_model *model;
  hn_system *system;
  hn_tree *tree;
  hn_state *state;
  int n;
  double *q, *u, *du, *tau, *H, *again;
} tree_bench;

static tree_bench set_up_tree(hn_model *model)
{
  hn_error error;
  tree_bench b = { .model = model, .system = hn_system_create(model, &error) };
  assert_non_null(b.system);
  b.tree = hn_tree_create(b.system, &error);
  b.state = hn_state_create(model);
  assert_true(b.tree && b.state);
  b.n = hn_tree_freedoms(b.tree);
  const size_t n = (size_t)b.n + 1;
  b.q = calloc((size_t)hn_tree_coordinates(b.tree) + 1, sizeof *b.q);
  b.u = calloc(n, sizeof *b.u), b.du = calloc(n, sizeof *b.du), b.tau = calloc(n, sizeof *b.tau);
  b.again = calloc(n, sizeof *b.again), b.H = calloc(n * n, sizeof *b.H);
  assert_true(b.q && b.u && b.du && b.tau && b.again && b.H);
  hn_tree_coordinates_of(b.tree, b.state, b.q, b.u);
  return b;
}

static void tear_down_tree(tree_bench *b)
{
  free(b->q), free(b->u), free(b->du), free(b->tau), free(b->H), free(b->again);
  hn_state_free(b->state), hn_tree_free(b->tree), hn_system_free(b->system), hn_model_free(b->model);
}

/* ---- Double pendulum ----------------------------------------------------------------------------------- */

enum { LINKS = 2 };
static const double mass[LINKS] = { 1.3, 0.7 }, inertia[LINKS] = { 0.11, 0.05 }, length = 0.9;
static const double centre[LINKS] = { 0.4, 0.35 }; /* m: from the hinge to the centre of mass */

/* Two links on hinges about z, in line along x at the start. */
static hn_model *two_links(void)
{
  hn_model *model = new_model();
  for (int i = 0; i < LINKS; i++) {
    hn_body_spec link = rigid_body(i ? "second" : "first", mass[i], 0.08, 0.08, inertia[i]);
    link.position[0] = i * length + centre[i];
    must_add(model, &link);
    hn_joint_spec hinge = { .type = "hinge", .a = i, .b = i + 1, .has_points = true, .axis_a = { 0, 0, 1 } };
    hinge.at_a[0] = hinge.at_b[0] = i * length;
    must_join(model, &hinge);
  }
  return model;
}

static void mass_matrix_of_the_double_pendulum(void **state)
{
  (void)state;
  tree_bench b = set_up_tree(two_links());
  assert_int_equal(b.n, 2);
  double worst = 0.0, force = 0.0;
  for (int k = 0; k < 20; k++) {
    for (int i = 0; i < 2; i++) b.q[i] = 3 * next_number(), b.u[i] = next_number(), b.du[i] = next_number();
    const double c = cos(b.q[1]), s = sin(b.q[1]), lc = length * centre[1], g = 9.81;
    const double own = inertia[1] + mass[1] * centre[1] * centre[1], mixed_term = own + mass[1] * lc * c;
    const double whole = inertia[0] + mass[0] * centre[0] * centre[0] + own +
                         mass[1] * (length * length + 2 * lc * c);
    const double exact[4] = { whole, mixed_term, mixed_term, own };
    hn_joint_space_mass_matrix(b.tree, b.state, b.q, b.H);
    for (int i = 0; i < 4; i++) worst = larger(worst, fabs(b.H[i] - exact[i]));
    hn_inverse_dynamics(b.tree, b.state, b.q, b.u, b.du, b.tau);
    const double outer = mass[1] * g * centre[1] * cos(b.q[0] + b.q[1]);
    const double tau[2] = {
      whole * b.du[0] + mixed_term * b.du[1] - mass[1] * lc * s * (2 * b.u[0] * b.u[1] + b.u[1] * b.u[1]) +
        (mass[0] * centre[0] + mass[1] * length) * g * cos(b.q[0]) + outer,
      mixed_term * b.du[0] + own * b.du[1] + mass[1] * lc * s * b.u[0] * b.u[0] + outer
    };
    for (int i = 0; i < 2; i++) force = larger(force, fabs(b.tau[i] - tau[i]));
  }
  check_below("mass matrix against the closed form, kg m^2", worst, 1e-13);
  check_below("inverse dynamics against the closed form, N m", force, 1e-12);
  tear_down_tree(&b);
}

/* ---- Random trees -------------------------------------------------------------------------------------- */

static const char *const types[] = { "ball",          "hinge",         "universal",      "fixed",
                                     "slider",        "cylindrical",   "planar",         "line_universal",
                                     "screw",         "plane_slider",  "point_on_line",  "point_on_plane",
                                     "lock_rotation", "parallel_axes", "constant_angle", "plane_universal" };

/* A tree of bodies in general position on joints of all types; some hang on none. */
static hn_model *random_tree(void)
{
  hn_model *model = new_model();
  const int bodies = 1 + next_index(12);
  for (int i = 1; i <= bodies; i++) {
    char name[16];
    snprintf(name, sizeof name, "b%d", i);
    hn_body_spec body = rigid_body(name, 1.5 + next_number(), 0.5 + 0.1 * next_number(), 0.6, 0.7);
    fill_random(body.position, 3), fill_random(body.orientation, 4);
    must_add(model, &body);
    const int parent = next_index(i + 1);
    if (parent == i) continue; /* a free body */
    const char *type = types[next_index(sizeof types / sizeof *types)];
    const bool reversed = next_number() > 0;
    hn_joint_spec spec = { .type = type,
                           .a = reversed ? i : parent,
                           .b = reversed ? parent : i,
                           .has_points = true,
                           .settings = strcmp(type, "screw") == 0 ? "pitch=0.6" : "" };
    fill_random(spec.at_a, 3), fill_random(spec.axis_a, 3), fill_random(spec.axis_b, 3);
    vec_copy(spec.at_b, spec.at_a);
    must_join(model, &spec);
  }
  return model;
}

static double largest_number(const double *a, int n)
{
  double most = 0.0;
  for (int i = 0; i < n; i++) most = larger(most, fabs(a[i]));
  return most;
}

typedef struct tree_errors {
  double round_trip, sum, energy, symmetry;
} tree_errors;

static void check_tree(tree_bench *b, tree_errors *e)
{
  const double scale = 1.0 + largest_number(b->tau, b->n);
  hn_inverse_dynamics(b->tree, b->state, b->q, b->u, b->du, b->tau);
  assert_int_equal(hn_forward_dynamics(b->tree, b->state, b->q, b->u, b->tau, b->again), HN_CONVERGED);
  for (int i = 0; i < b->n; i++)
    e->round_trip = larger(e->round_trip, fabs(b->again[i] - b->du[i]) / (1.0 + largest_number(b->du, b->n)));
  /* C: the forces at accelerations of zero */
  double zero[6 * 13] = { 0 }, C[6 * 13], kinetic = 0.0;
  hn_inverse_dynamics(b->tree, b->state, b->q, b->u, zero, C);
  hn_joint_space_mass_matrix(b->tree, b->state, b->q, b->H);
  for (int i = 0; i < b->n; i++) {
    double sum = C[i];
    for (int j = 0; j < b->n; j++) {
      sum += b->H[i * b->n + j] * b->du[j];
      kinetic += 0.5 * b->u[i] * b->H[i * b->n + j] * b->u[j];
    }
    e->sum = larger(e->sum, fabs(sum - b->tau[i]) / scale);
  }
  hn_measure measure;
  hn_tree_state(b->tree, b->q, b->u, b->state);
  hn_measure_state(b->model, b->state, &measure);
  e->energy = larger(e->energy, fabs(measure.kinetic - kinetic) / (1.0 + kinetic));
  e->symmetry = larger(e->symmetry, measure.position_error);
  e->symmetry = larger(e->symmetry, measure.velocity_error);
}

static void dynamics_agree_on_random_trees(void **state)
{
  (void)state;
  tree_errors e = { 0 };
  for (int trial = 0; trial < 100; trial++) {
    tree_bench b = set_up_tree(random_tree());
    fill_random(b.u, b.n), fill_random(b.du, b.n);
    hn_tree_advance(b.tree, 1.0, b.du, b.q);
    check_tree(&b, &e);
    tear_down_tree(&b);
  }
  check_below("forward of inverse dynamics, relative", e.round_trip, 1e-9);
  check_below("H du + C against tau, relative", e.sum, 1e-12);
  check_below("u' H u / 2 against the energy of the state", e.energy, 1e-12);
  check_below("joint errors of the states, m, rad and their rates", e.symmetry, 1e-11);
}

/* ---- Edges --------------------------------------------------------------------------------------------- */

/* A square of three links, hinges but for one ball joint at a corner. */
static void the_joint_with_fewest_rows_is_cut(void **state)
{
  (void)state;
  static const double corner[4][3] = { { 0, 0, 0 }, { 0, 1, 0 }, { 1, 1, 0 }, { 1, 0, 0 } };
  for (int ball = 0; ball < 4; ball++) {
    hn_model *model = new_model();
    for (int i = 0; i < 3; i++) {
      char name[16];
      snprintf(name, sizeof name, "link%d", i);
      hn_body_spec link = rigid_body(name, 1, 0.1, 0.1, 0.1);
      for (int c = 0; c < 3; c++) link.position[c] = 0.5 * (corner[i][c] + corner[i + 1][c]);
      must_add(model, &link);
    }
    for (int i = 0; i < 4; i++) {
      hn_joint_spec joint = { .type = i == ball ? "ball" : "hinge",
                              .a = i,
                              .b = (i + 1) % 4,
                              .has_points = true,
                              .axis_a = { 0, 0, 1 } };
      vec_copy(joint.at_a, corner[i]), vec_copy(joint.at_b, corner[i]);
      must_join(model, &joint);
    }
    tree_bench b = set_up_tree(model);
    const int *cut;
    ASSERT_COUNT("cut joints", hn_tree_cut_joints(b.tree, &cut), 1);
    ASSERT_COUNT("the cut joint", cut[0], ball);
    ASSERT_COUNT("freedoms of the tree", b.n, 3);
    tear_down_tree(&b);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(mass_matrix_of_the_double_pendulum),
    cmocka_unit_test(dynamics_agree_on_random_trees),
    cmocka_unit_test(the_joint_with_fewest_rows_is_cut),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
