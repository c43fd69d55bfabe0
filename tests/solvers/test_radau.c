/* test_radau.c - solver radau: coefficients, derivatives of forces, stability, stiff forces, joints at
 * the end of a step, singular positions, large rotations in a step, and step control. */
#include "implicit/unknown_order.h"
#include "radau/tableau.h"
#include "force_models.h"
#include "scenes.h"

#include <complex.h>
#include <gsl/gsl_linalg.h>

static const int all_stages[] = { 1, 2, 3, 5, 7 };
enum { METHODS = sizeof all_stages / sizeof *all_stages };

/* ---- Coefficients -------------------------------------------------------------------------------------- */

/* Inverts the matrix of a method: A, row by row. */
static void invert(const hn_radau_tableau *m, double *A)
{
  const size_t s = (size_t)m->stages;
  double copy[HN_RADAU_MAX * HN_RADAU_MAX];
  int sign;
  memcpy(copy, m->inverse, sizeof copy);
  gsl_matrix_view from = gsl_matrix_view_array(copy, s, s), to = gsl_matrix_view_array(A, s, s);
  gsl_permutation *order = gsl_permutation_alloc(s);
  gsl_linalg_LU_decomp(&from.matrix, order, &sign);
  gsl_linalg_LU_invert(&from.matrix, order, &to.matrix);
  gsl_permutation_free(order);
}

/* Hairer and Wanner, section IV.5: B(2s-1), C(s), D(s-1), with b the last row of A. */
static void methods_satisfy_the_simplifying_assumptions(void **state)
{
  (void)state;
  for (int k = 0; k < METHODS; k++) {
    const hn_radau_tableau *m = hn_radau_find(all_stages[k]);
    const int s = m->stages;
    double A[HN_RADAU_MAX * HN_RADAU_MAX], B = 0, C = 0, D = 0;
    invert(m, A);
    const double *b = A + s * (s - 1), *c = m->c;
    for (int q = 1; q <= 2 * s - 1; q++) {
      double sum = 0;
      for (int i = 0; i < s; i++) sum += b[i] * pow(c[i], q - 1);
      B = larger(B, fabs(sum - 1.0 / q));
    }
    for (int q = 1; q <= s; q++)
      for (int i = 0; i < s; i++) {
        double sum = 0, other = 0;
        for (int j = 0; j < s; j++) sum += A[s * i + j] * pow(c[j], q - 1);
        for (int j = 0; j < s; j++) other += b[j] * pow(c[j], q - 1) * A[s * j + i];
        C = larger(C, fabs(sum - pow(c[i], q) / q));
        if (q < s) D = larger(D, fabs(other - b[i] / q * (1 - pow(c[i], q))));
      }
    printf(" %d stages\n", s);
    check_below("B(2s-1)", B, 1e-14);
    check_below("C(s)", C, 1e-14);
    check_below("D(s-1)", D, 1e-14);
  }
}

/* Returns entry (i, j) of the product of two matrices. */
static double product(const double *left, const double *right, int s, int i, int j)
{
  double sum = 0;
  for (int k = 0; k < s; k++) sum += left[s * i + k] * right[s * k + j];
  return sum;
}

static void transformations_diagonalise_the_inverse(void **state)
{
  (void)state;
  for (int k = 0; k < METHODS; k++) {
    const hn_radau_tableau *m = hn_radau_find(all_stages[k]);
    const int s = m->stages;
    double AT[HN_RADAU_MAX * HN_RADAU_MAX], unit = 0, block = 0;
    for (int i = 0; i < s; i++)
      for (int j = 0; j < s; j++) AT[s * i + j] = product(m->inverse, m->T, s, i, j);
    for (int i = 0; i < s; i++)
      for (int j = 0; j < s; j++) {
        double expected = 0;
        const int p = (i - s % 2) / 2, odd = s % 2;
        if (odd && i == 0) expected = j == 0 ? m->real : 0;
        else if (i == j) expected = m->alpha[p];
        else if (j >= odd && (j - odd) / 2 == p) expected = i < j ? -m->beta[p] : m->beta[p];
        block = larger(block, fabs(product(m->TI, AT, s, i, j) - expected));
        unit = larger(unit, fabs(product(m->TI, m->T, s, i, j) - (i == j)));
      }
    printf(" %d stages\n", s);
    check_below("TI T - 1", unit, 1e-12);
    check_below("TI A^-1 T - eigenvalues", block, 1e-11);
  }
}

/* The coefficients of RADAU5 (section IV.8, equation 8.19); for all, sums for polynomials up to degree s. */
static void error_coefficients_are_those_of_the_embedded_formula(void **state)
{
  (void)state;
  const hn_radau_tableau *m = hn_radau_find(3);
  check_near("e_1", m->e[0], -(13 + 7 * sqrt(6)) / 3, 1e-14);
  check_near("e_2", m->e[1], (-13 + 7 * sqrt(6)) / 3, 1e-14);
  check_near("e_3", m->e[2], -1.0 / 3, 1e-14);
  for (int k = 0; k < METHODS; k++) {
    m = hn_radau_find(all_stages[k]);
    double most = 0;
    for (int q = 1; q <= m->stages; q++) { /* Z = (c h)^q: the error is 0; y' at the start is 1 for q = 1 */
      double sum = q == 1;
      for (int i = 0; i < m->stages; i++) sum += m->e[i] * pow(m->c[i], q);
      most = larger(most, fabs(sum));
    }
    printf(" %d stages\n", m->stages);
    check_below("estimate for polynomials", most, 1e-13);
  }
}

static void other_stages_are_refused(void **state)
{
  (void)state;
  hn_error error;
  hn_model *model = box_chain(1);
  assert_null(hn_solver_create("radau:stages=4", model, &error));
  assert_non_null(strstr(error.text, "stages must be 1, 2, 3, 5 or 7"));
  hn_model_free(model);
}

/* ---- Stability ----------------------------------------------------------------------------------------- */

/* Returns R(z), the Pade approximation of exp(z) with degrees s - 1 and s. */
static double complex stability_function(int s, double complex z)
{
  double complex P = 0, Q = 0, power = 1;
  double p = 1, q = 1; /* coefficients of z^k and (-z)^k */
  for (int k = 0; k <= s; k++) {
    if (k < s) P += p * power;
    Q += q * (k % 2 ? -power : power);
    p *= (double)(s - 1 - k) / ((2 * s - 1 - k) * (k + 1.0));
    q *= (double)(s - k) / ((2 * s - 1 - k) * (k + 1.0));
    power *= z;
  }
  return P / Q;
}

/* A particle on a linear spring of frequency W, 1 m from its rest. y = x - i x' / w has y' = i w y. */
static double complex amplification(int stages, double w, double h)
{
  hn_model *model = without_gravity();
  const int body = add_particle(model, "mass", 0, 0, 0);
  char spec[64];
  add_force(model, "mouse_spring", 0, body, settings_of("stiffness=%.17g", w * w, 0, 0),
            (hn_force_spec){ .vector = { 0 } });
  snprintf(spec, sizeof spec, "radau:stages=%d,tolerance=1e-14", stages);
  hn_solver *solver = new_solver(spec, model);
  hn_state *state = hn_state_create(model);
  state->pose[body].x[0] = 1;
  assert_int_equal(hn_solver_step(solver, state, h), HN_CONVERGED);
  const double complex y = state->pose[body].x[0] - I * state->twist[body].v[0] / w;
  hn_state_free(state);
  hn_solver_free(solver);
  hn_model_free(model);
  return y;
}

static void an_oscillator_shows_the_stability_function(void **state)
{
  (void)state;
  static const double wh[] = { 0.1, 1, 3, 10, 100, 1e4, 1e6 };
  for (int k = 0; k < METHODS; k++) {
    double most = 0, last = 0;
    printf(" %d stages\n", all_stages[k]);
    for (size_t i = 0; i < sizeof wh / sizeof *wh; i++) {
      const double complex y = amplification(all_stages[k], wh[i] / 0.1, 0.1),
                           R = stability_function(all_stages[k], I * wh[i]);
      most = larger(most, cabs(y - R));
      last = cabs(y);
      assert_true(cabs(R) <= 1); /* A-stable */
    }
    check_below("difference from the Pade approximation", most, 1e-12);
    check_below("amplification at w h = 1e6: L-stable", last, 1e-4);
  }
}

/* ---- Derivatives of forces ----------------------------------------------------------------------------- */

/* Computes the wrenches f + G' lambda of all bodies, by the system. */
static void wrenches(hn_system *s, const hn_state *state, const double *lambda, double *P)
{
  memset(P, 0, sizeof *P * 6 * (size_t)state->nbody);
  if (hn_model_has_forces(s->model)) hn_system_forces(s, state, P);
  hn_system_jacobian(s, state);
  for (int k = 0; k < s->nblock; k++) {
    const hn_block *block = &s->block[k];
    for (int i = 0; i < 12; i++)
      for (int r = 0; r < block->n; r++)
        P[6 * (i < 6 ? block->a : block->b) + i % 6] += s->G[12 * block->row + i * block->n + r] *
                                                        lambda[block->row + r];
  }
}

/* Moves component C of a body's displacement, or from 6 on of its twist, by D. */
static void move(hn_state *state, int body, int c, double d)
{
  hn_pose *pose = &state->pose[body];
  double turn[4] = { cos(0.5 * d), 0, 0, 0 };
  if (c < 3) pose->x[c] += d;
  else if (c < 6) {
    turn[c - 2] = sin(0.5 * d);
    quat_mul(pose->q, turn, pose->q);
  } else if (c < 9) state->twist[body].v[c - 6] += d;
  else state->twist[body].w[c - 9] += d;
}

/* Returns the largest difference of the tangent from central differences, relative to its largest entry. */
static double tangent_error(bench *b, const double *lambda)
{
  enum { MOST = 6 * 40 };
  hn_system *s = b->solver->system;
  hn_tangent t = { 0 };
  hn_error error;
  double P[2][MOST], most = 0, largest = 0;
  assert_true(6 * b->model->nbody <= MOST);
  must(hn_tangent_setup(b->solver, &t, &error), &error);
  hn_system_jacobian(s, b->state);
  hn_tangent_compute(s, &t, b->state, lambda);
  hn_state *moved = hn_state_duplicate(b->state);
  for (int k = 1; k < b->model->nbody; k++)
    for (int c = 0; c < 12; c++) {
      const double d = 1e-6;
      if (!t.freedom[6 * k + c % 6]) continue;
      for (int side = 0; side < 2; side++) {
        hn_state_copy(moved, b->state);
        move(moved, k, c, side ? -d : d);
        wrenches(s, moved, lambda, P[side]);
      }
      for (int i = 1; i < b->model->nbody; i++)
        for (int r = 0; r < 6; r++) {
          const double slope = (P[0][6 * i + r] - P[1][6 * i + r]) / (2 * d);
          double value = 0;
          for (int p = t.first[i]; p < t.first[i + 1]; p++)
            if (t.other[p] == k) value = (c < 6 ? t.Dq : t.Du)[36 * p + 6 * r + c % 6];
          if (!t.freedom[6 * i + r]) continue;
          most = larger(most, fabs(value - slope)), largest = larger(largest, fabs(slope));
        }
    }
  hn_state_free(moved);
  return most / largest;
}

static void derivatives_agree_with_differences_of_the_system(void **state)
{
  (void)state;
  static const char *const scenes[] = { "flyball", "car_axis", "andrews",     "box_pendulum",
                                        "car",     "truck",    "hertz_impact" };
  for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
    bench b = set_up(scenes[i], "radau");
    double lambda[400];
    if (strcmp(scenes[i], "hertz_impact") == 0)
      must_converge(&b, 1e-5, 2e-3, NULL, NULL); /* until they touch */
    assert_true(b.model->nrow <= 400);
    for (int r = 0; r < b.model->nrow; r++) lambda[r] = 10 * sin(1.7 * r + 1);
    check_below(scenes[i], tangent_error(&b, lambda), 1e-6);
    tear_down(&b);
  }
}

/* ---- Stiff forces and joints --------------------------------------------------------------------------- */

/* Couplers of 8e5 N/m and 4e4 N s/m that decay within 0.1 ms, beside a motion over seconds. */
static void stiff_forces_do_not_limit_the_step(void **state)
{
  (void)state;
  bench b = set_up("flyball", "lagrange:stepper=rk4,stabilisation=projection");
  const hn_reason reason = run(&b, 0.01, 1, NULL, NULL);
  printf(" explicit, steps of 10 ms: %s\n", hn_reason_name(reason));
  assert_true(reason != HN_CONVERGED);
  tear_down(&b);
  static const struct {
    const char *spec;
    double bound;
  } trial[] = { { "radau:stages=2", 1e-4 }, { "radau", 1e-6 }, { "radau:stages=5", 1e-8 } };
  for (size_t i = 0; i < 3; i++) {
    double slider[3] = { 0, 0.50142092237956765, 0 }, off[3];
    b = set_up("flyball", trial[i].spec);
    must_converge(&b, 0.01, 1, NULL, NULL);
    vec_sub(off, b.state->pose[body_named(&b, "slider")].x, slider);
    check_below(trial[i].spec, vec_norm(off), trial[i].bound);
    tear_down(&b);
  }
}

static void joints_hold_at_the_end_of_a_step(void **state)
{
  (void)state;
  static const char *const scenes[] = { "box_pendulum", "car_axis", "knife_edge", "truck", "four_bars" };
  static const char *const specs[] = { "radau:redundancy=min-norm", "radau:stages=5,redundancy=remove",
                                       "radau:stages=2,redundancy=loop-split",
                                       "radau:stages=1,redundancy=min-norm" };
  for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++)
    for (size_t k = 0; k < sizeof specs / sizeof *specs; k++) {
      bench b = set_up(scenes[i], specs[k]);
      must_converge(&b, 0.01, 0.2, NULL, NULL);
      printf(" %s, %s\n", scenes[i], specs[k]);
      check_below("positions", b.summary.position_max, 1e-11);
      check_below("velocities", b.summary.velocity_max, 1e-11);
      tear_down(&b);
    }
}

/* IFToMM A02 passes its singular position once a second, where the rank of the joints drops. */
static void singular_positions_are_passed(void **state)
{
  (void)state;
  bench b = set_up("four_bars", "radau:redundancy=min-norm");
  must_converge(&b, 0.01, 10, NULL, NULL);
  check_below("energy error over 10 s, J", b.summary.energy_error_max, 1e-3);
  tear_down(&b);
}

/* A top of 150 rad/s turns by 1.9 rad in a step; its reference is integrated at 40 digits. */
static void large_rotations_in_a_step_converge(void **state)
{
  (void)state;
  const double known[3] = { 0.17334396409838604259, 0.64008859207056878286, -0.74849079113358130948 };
  double off[3];
  bench b = set_up("heavy_top", "radau:stages=7,tolerance=1e-14");
  must_converge(&b, 0.0125, 1, NULL, NULL);
  vec_sub(off, b.state->pose[1].x, known);
  check_below("7 stages, steps of 12.5 ms, m", vec_norm(off), 1e-12);
  tear_down(&b);
}

/* ---- Matrices and step control ------------------------------------------------------------------------- */

static void sparse_and_dense_matrices_agree(void **state)
{
  (void)state;
  static const char *const specs[][2] = { { "radau", "radau:matrix=dense" },
                                          { "radau:stages=2", "radau:stages=2,matrix=dense" } };
  for (size_t i = 0; i < 2; i++) {
    bench a = set_up("andrews", specs[i][0]), b = set_up("andrews", specs[i][1]);
    must_converge(&a, 1e-4, 0.01, NULL, NULL);
    must_converge(&b, 1e-4, 0.01, NULL, NULL);
    double most = 0;
    for (int k = 0; k < a.model->nbody; k++)
      for (int c = 0; c < 7; c++)
        most = larger(most, fabs(((double *)&a.state->pose[k])[c] - ((double *)&b.state->pose[k])[c]));
    check_below("difference of poses", most, 1e-11);
    tear_down(&a);
    tear_down(&b);
  }
}

/* Returns the distance of all bodies of car_axis from the reference at 3 s, in one step; *PARTS is the number
 * of rejected parts. */
static double controlled_error(int stages, double tolerance, uint64_t *work)
{
  char spec[96];
  snprintf(spec, sizeof spec, "radau:stages=%d,adaptive=true,error_tolerance=%g", stages, tolerance);
  const double left[2] = { 0.4934557842755629e-1, 0.4969894602303324 },
               right[2] = { 0.1041742524885400e1, 0.3739110272652214 };
  bench b = set_up("car_axis", spec);
  must_converge(&b, 3, 3, NULL, NULL);
  const double *l = b.state->pose[body_named(&b, "left")].x, *r = b.state->pose[body_named(&b, "right")].x;
  const double error = hypot(hypot(l[0] - left[0], l[1] - left[1]), hypot(r[0] - right[0], r[1] - right[1]));
  *work = hn_work_operations(&b.solver->system->work);
  tear_down(&b);
  return error;
}

/* The reference of the IVP test set has 16 digits. */
static void step_control_keeps_to_the_tolerance(void **state)
{
  (void)state;
  for (int k = 1; k < METHODS; k++) {
    uint64_t work[3];
    printf(" %d stages\n", all_stages[k]);
    for (int i = 0; i < 3; i++) {
      const double tolerance = pow(10, -5 - 2 * i),
                   error = controlled_error(all_stages[k], tolerance, &work[i]);
      check_below("error in units of the tolerance", error / tolerance, 30);
    }
    printf("  joint operations %llu %llu %llu\n", (unsigned long long)work[0], (unsigned long long)work[1],
           (unsigned long long)work[2]);
    assert_true(work[0] < work[1] && work[1] < work[2]);
  }
}

/* ---- Order of elimination ------------------------------------------------------------------------------ */

enum { MOST_NODES = 160 };

static void connect(bool edge[MOST_NODES][MOST_NODES], int a, int b)
{
  edge[a][b] = edge[b][a] = true;
}

/* Returns the edges between nodes that elimination in this order adds to the graph of bodies and joints. */
static int fill_in(const hn_system *s, const int *order, int nodes)
{
  static bool edge[MOST_NODES][MOST_NODES];
  int fill = 0;
  memset(edge, 0, sizeof edge);
  for (int j = 0; j < s->nblock; j++) {
    const hn_block *joint = &s->block[j];
    connect(edge, joint->a, joint->b);
    connect(edge, joint->a, s->model->nbody + j), connect(edge, joint->b, s->model->nbody + j);
  }
  for (int k = 0; k < nodes; k++)
    for (int a = k + 1; a < nodes; a++)
      for (int b = k + 1; b < a; b++) {
        const int m = order[k], i = order[a], j = order[b];
        if (m == 0 || i == 0 || j == 0 || !edge[m][i] || !edge[m][j] || edge[i][j]) continue;
        connect(edge, i, j);
        fill++;
      }
  return fill;
}

/* Returns the number of joints with fewer freedoms of bodies before them, in all, than rows of joints. */
static int joints_too_early(const hn_system *s, const int *order, int nodes)
{
  int freedoms = 0, rows = 0, early = 0;
  for (int k = 0; k < nodes; k++) {
    if (order[k] == 0) continue; /* ground */
    if (order[k] < s->model->nbody) freedoms += 6;
    else rows += s->block[order[k] - s->model->nbody].n, early += rows > freedoms;
  }
  return early;
}

/* Ground is body 0; the other bodies of these scenes have six freedoms. */
static void trees_have_no_fill_in(void **state)
{
  (void)state;
  static const char *const scenes[] = { "tree", "star", "chain", "double_pendulum" };
  for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
    bench b = set_up_as(scenes[i], i < 3 ? (const char *const[]){ "n=31", NULL } : NULL, "radau");
    hn_system *s = b.solver->system;
    const int nodes = b.model->nbody + s->nblock;
    int order[MOST_NODES], places[MOST_NODES] = { 0 };
    hn_tangent t = { 0 };
    hn_error error;
    assert_true(nodes <= MOST_NODES);
    must(hn_tangent_setup(b.solver, &t, &error), &error);
    must(hn_unknown_order(s, &t, order, &error), &error);
    for (int k = 0; k < nodes; k++) places[order[k]]++;
    for (int k = 0; k < nodes; k++) assert_int_equal(places[k], 1);
    check_below(scenes[i], fill_in(s, order, nodes), 0.5);
    check_below("  joints before their bodies", joints_too_early(s, order, nodes), 0.5);
    tear_down(&b);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(methods_satisfy_the_simplifying_assumptions),
    cmocka_unit_test(transformations_diagonalise_the_inverse),
    cmocka_unit_test(error_coefficients_are_those_of_the_embedded_formula),
    cmocka_unit_test(other_stages_are_refused),
    cmocka_unit_test(an_oscillator_shows_the_stability_function),
    cmocka_unit_test(derivatives_agree_with_differences_of_the_system),
    cmocka_unit_test(stiff_forces_do_not_limit_the_step),
    cmocka_unit_test(joints_hold_at_the_end_of_a_step),
    cmocka_unit_test(singular_positions_are_passed),
    cmocka_unit_test(large_rotations_in_a_step_converge),
    cmocka_unit_test(sparse_and_dense_matrices_agree),
    cmocka_unit_test(step_control_keeps_to_the_tolerance),
    cmocka_unit_test(trees_have_no_fill_in),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
