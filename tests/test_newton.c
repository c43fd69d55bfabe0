/* test_newton.c - impulse-newton: its matrix against the paper's, quadratic convergence, and steps that impulse-sle
 * cannot do. */
#include "linear/linear.h"
#include "linear/newton.h"
#include "scenes.h"
#include "base/vec.h"

#include <string.h>

/* ---- The matrix -------------------------------------------------------------------------------------------------- */

/* Four particles and the ground with loops: one hangs on the ground, two on that, the fourth on all three. */
static hn_model *loops(void)
{
  static const double mass[4] = { 1.0, 0.5, 3.0, 2.0 };
  static const double x[4][3] = { { 1, 0, 0.2 }, { 1.5, -0.8, 0 }, { 2, 0.3, 0.5 }, { 2.2, -1.1, 0.7 } };
  static const int rods[7][2] = { { 0, 1 }, { 1, 2 }, { 3, 1 }, { 2, 3 }, { 4, 2 }, { 3, 4 }, { 1, 4 } };
  hn_error error;
  hn_model *model = new_model();
  for (int i = 0; i < 4; i++) {
    char name[8];
    snprintf(name, sizeof name, "p%d", i);
    hn_body_spec particle = { .name = name, .kind = HN_PARTICLE, .has_mass = true, .mass = mass[i],
                              .position = { x[i][0], x[i][1], x[i][2] }, .orientation = { 1, 0, 0, 0 } };
    if (hn_model_add_body(model, &particle, &error) < 0) fail_msg("%s", error.text);
  }
  for (int r = 0; r < 7; r++) add_rod(model, rods[r][0], rods[r][1]);
  return model;
}

enum { MAX = 64 };

/* A of the paper: from body i to body j of joint r. */
static void rod(const hn_model *model, const hn_state *state, int r, double A[3])
{
  vec_sub(A, state->pose[model->joint[r].b].x, state->pose[model->joint[r].a].x);
}

/* Equation 5.8, case by case; the diagonal as in the paper. */
static double of_the_paper(const hn_model *model, const hn_state *start, const hn_state *end, int r, int s)
{
  const hn_joint *jr = &model->joint[r], *js = &model->joint[s];
  double A[3], B[3];
  rod(model, end, r, A);
  rod(model, start, s, B);
  double product = vec_dot(A, B), m_i = model->body[jr->a].inv_mass, m_j = model->body[jr->b].inv_mass, sum = 0.0;
  if (r == s) return -(m_i + m_j) * product;
  if (jr->b == js->b) sum -= m_j * product;
  if (jr->b == js->a) sum += m_j * product;
  if (jr->a == js->b) sum += m_i * product;
  if (jr->a == js->a) sum -= m_i * product;
  return sum;
}

/* The same for rows that are lengths and impulses in N s: M_h over -|A_r(h)| |A_s|. */
static double scaled_matrix(const hn_model *model, const hn_state *start, const hn_state *end, int r, int s)
{
  double A[3], B[3];
  rod(model, end, r, A);
  rod(model, start, s, B);
  return -of_the_paper(model, start, end, r, s) / (vec_norm(A) * vec_norm(B));
}

/* Entry (i, j) of M, from its blocks; 0 outside the pattern. */
static double entry(const hn_block_matrix *M, int i, int j)
{
  int bs = M->bs;
  for (int k = M->start[i / bs]; k < M->start[i / bs + 1]; k++)
    if (M->column[k] == j / bs) return M->value[(size_t)(k * bs * bs + (j % bs) * bs + i % bs)];
  return 0.0;
}

/* G_end W G_start' by its definition, from packed blocks; bodies in common. */
static double by_definition(const hn_model *model, const double *G, const double *T, int i, int r, int j, int s)
{
  const hn_joint *a = &model->joint[i], *b = &model->joint[j];
  int na = a->type->rows, nb = b->type->rows;
  double sum = 0.0;
  for (int side = 0; side < 2; side++)
    for (int other = 0; other < 2; other++) {
      if ((side ? a->b : a->a) != (other ? b->b : b->a)) continue;
      for (int k = 0; k < 6; k++)
        sum += G[12 * a->row + (6 * side + k) * na + r] * T[12 * b->row + 6 * (other * nb + s) + k];
    }
  return sum;
}

/* The system's G and T at the start, G_END at the end, and the matrix of both. */
static void make_matrix(hn_system *system, const hn_state *start, const hn_state *end, double *G_end,
                        hn_newton_matrix *matrix)
{
  hn_error error;
  const hn_linear_options dense = { .backend = "dense", .petsc = "" };
  assert_int_equal(hn_system_use_linear(system, &dense, &error), 0);
  hn_system_jacobian(system, start);
  hn_system_jacobian_into(system, end, G_end);
  assert_int_equal(hn_newton_matrix_create(matrix, system, &system->linear->assembly, &error), 0);
  hn_newton_matrix_fill(matrix, G_end, system->T);
  hn_newton_matrix_fill(matrix, G_end, system->T); /* values are replaced, not added */
}

/* An end that is not the start, out of any symmetry. */
static hn_state *moved(const hn_model *model)
{
  hn_state *end = hn_state_create(model);
  for (int i = 1; i < end->nbody; i++) {
    const double q[4] = { 1.0, 0.3 * i, -0.2, 0.1 * i };
    for (int k = 0; k < 3; k++) end->pose[i].x[k] += 0.1 * ((i * 7 + k * 3) % 5 - 2);
    if (model->body[i].kind == HN_RIGID) memcpy(end->pose[i].q, q, sizeof q), quat_normalise(end->pose[i].q);
  }
  return end;
}

static void matrix_is_that_of_the_paper(void **state)
{
  (void)state;
  hn_error error;
  hn_model *model = loops();
  hn_system *system = hn_system_create(model, &error);
  hn_state *start = hn_state_create(model), *end = moved(model);
  hn_newton_matrix matrix;
  double G[12 * MAX], difference = 0.0, asymmetry = 0.0;
  make_matrix(system, start, end, G, &matrix);
  for (int r = 0; r < model->njoint; r++)
    for (int s = 0; s < model->njoint; s++) {
      int i = matrix.row_at[r], j = matrix.row_at[s];
      difference = larger(difference, fabs(entry(&matrix.M, i, j) - scaled_matrix(model, start, end, r, s)));
      asymmetry = larger(asymmetry, fabs(entry(&matrix.M, i, j) - entry(&matrix.M, j, i)));
    }
  check_below("particles: distance from equation 5.8", difference, 1e-15);
  printf("  asymmetry of M_h: %.3g\n", asymmetry);
  assert_true(asymmetry > 0.1);
  hn_newton_matrix_free(&matrix);
  hn_state_free(start), hn_state_free(end);
  hn_system_free(system);
  hn_model_free(model);
}

static void blocks_are_in_their_places(void **state)
{
  (void)state;
  hn_error error;
  hn_model *models[] = { box_chain(5), mixed(), double_pendulum() };
  for (size_t m = 0; m < 3; m++) {
    hn_model *model = models[m];
    hn_system *system = hn_system_create(model, &error);
    hn_state *start = hn_state_create(model), *end = moved(model);
    hn_newton_matrix matrix;
    double G[12 * MAX], difference = 0.0;
    make_matrix(system, start, end, G, &matrix);
    for (int i = 0; i < model->njoint; i++)
      for (int j = 0; j < model->njoint; j++)
        for (int r = 0; r < model->joint[i].type->rows; r++)
          for (int s = 0; s < model->joint[j].type->rows; s++) {
            int row = matrix.row_at[model->joint[i].row + r], column = matrix.row_at[model->joint[j].row + s];
            double expected = by_definition(model, G, system->T, i, r, j, s);
            difference = larger(difference, fabs(entry(&matrix.M, row, column) - expected));
          }
    printf(" model %zu, blocks of %d\n", m, matrix.M.bs);
    check_below("distance from G(q(h)) W G(q)'", difference, 1e-14);
    hn_newton_matrix_free(&matrix);
    hn_state_free(start), hn_state_free(end);
    hn_system_free(system);
    hn_model_free(model);
  }
}

/* x := A^-1 x for n <= MAX, Gauss with row interchanges. */
static void solve_dense(int n, double A[MAX][MAX], double x[MAX])
{
  for (int k = 0; k < n; k++) {
    int pivot = k;
    for (int i = k + 1; i < n; i++)
      if (fabs(A[i][k]) > fabs(A[pivot][k])) pivot = i;
    for (int j = 0; j < n; j++) {
      double swap = A[k][j];
      A[k][j] = A[pivot][j], A[pivot][j] = swap;
    }
    double swap = x[k];
    x[k] = x[pivot], x[pivot] = swap;
    for (int i = k + 1; i < n; i++) {
      double factor = A[i][k] / A[k][k];
      for (int j = k; j < n; j++) A[i][j] -= factor * A[k][j];
      x[i] -= factor * x[k];
    }
  }
  for (int i = n - 1; i >= 0; i--) {
    for (int j = i + 1; j < n; j++) x[i] -= A[i][j] * x[j];
    x[i] /= A[i][i];
  }
}

/* Ballistic motion, equation 5.1. */
static void ballistic(const hn_model *model, const hn_state *start, double h, hn_state *end)
{
  hn_state_copy(end, start);
  for (int i = 1; i < start->nbody; i++)
    for (int k = 0; k < 3; k++)
      end->pose[i].x[k] += h * start->twist[i].v[k] + 0.5 * h * h * model->gravity[k];
}

static double largest_length_error(const hn_model *model, const hn_state *state)
{
  double largest_error = 0.0, A[3];
  for (int r = 0; r < model->njoint; r++) {
    rod(model, state, r, A);
    largest_error = larger(largest_error, fabs(vec_norm(A) - hn_joint_real(&model->joint[r], "length")));
  }
  return largest_error;
}

/* One iteration as section 5 has it: M_h by 5.8, the impulses along A_k(0) as in 5.10. Rows are lengths. */
static void iterate_of_the_paper(const hn_model *model, double h, hn_state *start, hn_state *end)
{
  static double A[MAX][MAX], x[MAX];
  ballistic(model, start, h, end);
  for (int r = 0; r < model->njoint; r++) {
    double rod_r[3];
    rod(model, end, r, rod_r);
    x[r] = -(vec_norm(rod_r) - hn_joint_real(&model->joint[r], "length")) / h;
    for (int s = 0; s < model->njoint; s++) A[r][s] = scaled_matrix(model, start, end, r, s);
  }
  solve_dense(model->njoint, A, x);
  for (int s = 0; s < model->njoint; s++) {
    const hn_joint *joint = &model->joint[s];
    double direction[3];
    rod(model, start, s, direction);
    double scale = x[s] / vec_norm(direction);
    vec_add_scaled(start->twist[joint->a].v, -scale * model->body[joint->a].inv_mass, direction);
    vec_add_scaled(start->twist[joint->b].v, scale * model->body[joint->b].inv_mass, direction);
  }
  ballistic(model, start, h, end);
}

/* What is left after k iterations: a step that is allowed no more reports it. */
static double residual_after(const char *method, int k, const hn_model *model, const hn_state *from, double h)
{
  char spec[160];
  hn_state *at = hn_state_create(model);
  hn_state_copy(at, from);
  snprintf(spec, sizeof spec, "%s,tolerance=1e-16,iterations=%d", method, k);
  hn_solver *solver = new_solver(spec, model);
  hn_reason reason = hn_solver_step(solver, at, h);
  double residual = solver->report.residual;
  assert_true(reason == HN_STALLED || reason == HN_CONVERGED);
  hn_solver_free(solver);
  hn_state_free(at);
  return residual;
}

static void iterates_are_those_of_the_paper(void **state)
{
  (void)state;
  const double h = 0.3;
  hn_model *model = loops();
  hn_state *start = hn_state_create(model), *at = hn_state_create(model), *end = hn_state_create(model);
  for (int k = 1; k <= 3; k++) {
    char what[64];
    iterate_of_the_paper(model, h, at, end);
    double expected = largest_length_error(model, end);
    double residual = residual_after("impulse-newton:line_search=basic", k, model, start, h);
    snprintf(what, sizeof what, "worst rod after %d iterations, m", k);
    check_near(what, residual, expected, 2e-15 + 1e-11 * expected);
  }
  hn_state_free(start), hn_state_free(at), hn_state_free(end);
  hn_model_free(model);
}

/* ---- Convergence ------------------------------------------------------------------------------------------------- */

/* The residuals e[0..count) after 1, 2, ... iterations. */
static void list_residuals(const char *method, const hn_model *model, const hn_state *from, double h, int count,
                           double *e)
{
  printf("  %-44s", method);
  for (int k = 0; k < count; k++) {
    e[k] = residual_after(method, k + 1, model, from, h);
    printf(" %9.2e", e[k]);
  }
  printf("\n");
}

/* Quadratic: e[k+1] <= C e[k]^2 with one C down to round-off, where the frozen matrix has e[k+1] ~ rate e[k]. */
static void convergence_is_quadratic(void **state)
{
  (void)state;
  static const struct { const char *scene, *flight; double from, h; } cases[] = {
    { "double_pendulum", "rk4", 0.5, 0.15 }, { "box_pendulum", "rk4", 0.5, 0.1 }, { "box_pendulum", "exact", 0.5, 0.1 },
    { "chain8", "taylor", 0.5, 0.1 },        { "heavy_top", "exact", 0.1, 0.01 },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char newton[80], sle[80];
    double e[5], frozen[5], C = 0.0;
    snprintf(newton, sizeof newton, "impulse-newton:line_search=basic,flight=%s", cases[i].flight);
    snprintf(sle, sizeof sle, "impulse-sle:flight=%s", cases[i].flight);
    bench b = set_up(cases[i].scene, sle);
    must_converge(&b, 0.001, cases[i].from, NULL, NULL);
    printf(" %s at %g s, h = %g: residuals after iterations 1, 2, ...\n", cases[i].scene, cases[i].from, cases[i].h);
    list_residuals(newton, b.model, b.state, cases[i].h, 5, e);
    list_residuals(sle, b.model, b.state, cases[i].h, 5, frozen);
    for (int k = 0; k < 4; k++)
      if (e[k + 1] > 1e-13) C = larger(C, e[k + 1] / (e[k] * e[k]));
    check_below("largest e[k+1] / e[k]^2 above round-off, 1/m", C, 10);
    check_below("after 5 iterations", e[4], 1e-13);
    assert_true(frozen[4] > 1e3 * e[4]);
    tear_down(&b);
  }
}

typedef struct worst { const hn_model *model; double position, velocity; } worst;

static bool measure(void *user, const hn_frame *frame)
{
  worst *w = user;
  hn_measure m;
  hn_measure_state(w->model, frame->state, &m);
  w->position = larger(w->position, m.position_error);
  w->velocity = larger(w->velocity, m.velocity_error);
  return true;
}

static void show(const char *spec, double h, hn_reason reason, const hn_summary *s)
{
  printf("  %-44s h %-6g %-10s after %ld steps, %.1f iterations\n", spec, h, hn_reason_name(reason), s->steps,
         s->position_iterations_mean);
}

/* The fast top turns 0.5 rad in a step: D is far from I, and the frozen matrix of no use. */
static void converges_where_sle_stalls(void **state)
{
  (void)state;
  static const struct { const char *scene, *sle, *newton; double h, duration; } cases[] = {
    { "heavy_top", "impulse-sle:flight=exact,iterations=1000", "impulse-newton:flight=exact", 0.01, 1.0 },
    { "heavy_top", "impulse-sle:iterations=1000", "impulse-newton", 0.008, 1.0 },
    { "pendulum", "impulse-sle", "impulse-newton", 0.25, 1.25 },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    printf(" %s\n", cases[i].scene);
    bench sle = set_up(cases[i].scene, cases[i].sle), newton = set_up(cases[i].scene, cases[i].newton);
    worst w = { .model = newton.model };
    hn_reason reason = run(&sle, cases[i].h, cases[i].duration, NULL, NULL);
    show(cases[i].sle, cases[i].h, reason, &sle.summary);
    assert_int_equal(reason, HN_STALLED);
    reason = run(&newton, cases[i].h, cases[i].duration, measure, &w);
    show(cases[i].newton, cases[i].h, reason, &newton.summary);
    assert_int_equal(reason, HN_CONVERGED);
    check_below("worst joint after any step, m", w.position, 1.001e-9);
    check_below("its velocity, m/s", w.velocity, 1e-11);
    tear_down(&sle);
    tear_down(&newton);
  }
}

/* From -1 to 1, the same numbers in every run. */
static double irregular(uint32_t *seed)
{
  *seed = *seed * 1664525u + 1013904223u;
  return (double)(*seed >> 8) / 8388608.0 - 1.0;
}

enum { STARTS = 200, TRIED = 4 };

/* How many of STARTS steps of H converge, from the start of SCENE with angular velocities of up to SPIN about every
 * axis added, by each method. A short step before makes the velocities meet the joints. */
static void count_converged(const char *scene, double spin, double h, const char *const methods[TRIED],
                            int count[TRIED])
{
  uint32_t seed = 1;
  bench b = set_up(scene, "impulse-sle:halvings=10");
  hn_state *start = hn_state_create(b.model), *at = hn_state_create(b.model);
  hn_solver *solver[TRIED];
  for (int k = 0; k < TRIED; k++) solver[k] = new_solver(methods[k], b.model), count[k] = 0;
  for (int i = 0; i < STARTS; i++) {
    hn_state_copy(start, b.state);
    for (int body = 1; body < start->nbody; body++)
      for (int c = 0; c < 3; c++) start->twist[body].w[c] += spin * irregular(&seed);
    assert_int_equal(hn_solver_step(b.solver, start, 0.001), HN_CONVERGED);
    for (int k = 0; k < TRIED; k++) {
      hn_state_copy(at, start);
      count[k] += hn_solver_step(solver[k], at, h) == HN_CONVERGED;
    }
  }
  printf(" %s, up to %g rad/s, h = %g: steps of %d that converge\n", scene, spin, h, STARTS);
  for (int k = 0; k < TRIED; k++) {
    printf("  %-50s %d\n", methods[k], count[k]);
    hn_solver_free(solver[k]);
  }
  hn_state_free(start), hn_state_free(at);
  tear_down(&b);
}

/* With large steps from irregular starts Newton's method gets further than as many iterations of the frozen matrix, and
 * further with its line search than without. Not always: it can end where M_h is singular (theory, section 5). */
static void line_search_gets_further(void **state)
{
  (void)state;
  static const char *const methods[TRIED] = { "impulse-sle:flight=exact", "impulse-sle:flight=exact,iterations=1000",
                                              "impulse-newton:flight=exact,line_search=basic",
                                              "impulse-newton:flight=exact" };
  int boxes[TRIED], loop[TRIED];
  count_converged("box_pendulum", 30, 0.1, methods, boxes);
  count_converged("chain8", 10, 0.1, methods, loop);
  assert_true(boxes[0] < boxes[2] && boxes[2] < boxes[3]);
  assert_true(loop[0] < loop[3]);
}

/* Where both converge they find the same motion. */
static void agrees_with_sle(void **state)
{
  (void)state;
  static const char *const scenes[] = { "double_pendulum", "box_pendulum", "chain8", "tree", "peer_tree", "star" };
  static const char *const variants[] = { "", ",line_search=basic", ",line_search=l2", ",line_search=cp",
                                          ",linear=dense" };
  for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
    bench sle = set_up(scenes[i], "impulse-sle:tolerance=1e-13");
    must_converge(&sle, 0.01, 0.2, NULL, NULL);
    printf(" %s\n", scenes[i]);
    for (size_t k = 0; k < sizeof variants / sizeof *variants; k++) {
      char spec[96];
      double distance = 0.0, d[3];
      snprintf(spec, sizeof spec, "impulse-newton:tolerance=1e-13%s", variants[k]);
      bench newton = set_up(scenes[i], spec);
      must_converge(&newton, 0.01, 0.2, NULL, NULL);
      for (int b = 1; b < newton.state->nbody; b++) {
        vec_sub(d, newton.state->pose[b].x, sle.state->pose[b].x);
        distance = larger(distance, vec_norm(d));
      }
      check_below(spec, distance, 1e-11);
      tear_down(&newton);
    }
    tear_down(&sle);
  }
}

/* An adaptive flight jumps by its tolerance; the differences must be wide enough not to see it. */
static void coarse_adaptive_flights_do_no_harm(void **state)
{
  (void)state;
  bench b = set_up("box_pendulum",
                   "impulse-newton:flight=taylor,flight_order=4,flight_adaptive=true,flight_tolerance=1e-6");
  must_converge(&b, 0.01, 1.0, NULL, NULL);
  check_below("iterations at most", b.summary.position_iterations_max, 3);
  tear_down(&b);
}

/* ---- Failures, work ---------------------------------------------------------------------------------------------- */

static void check_failure(const hn_model *model, const hn_state *from, double h, const char *spec, hn_reason expected,
                          const char *says)
{
  char text[256];
  hn_solver *solver = new_solver(spec, model);
  hn_state *at = hn_state_create(model);
  hn_state_copy(at, from);
  for (int twice = 0; twice < 2; twice++) {
    hn_reason reason = hn_solver_step(solver, at, h);
    hn_solver_explain(solver, reason, h, text, sizeof text);
    printf("  %s\n", text);
    assert_int_equal(reason, expected);
    assert_non_null(strstr(text, says));
    assert_memory_equal(at->pose, from->pose, sizeof *at->pose * (size_t)at->nbody);
    assert_memory_equal(at->twist, from->twist, sizeof *at->twist * (size_t)at->nbody);
  }
  hn_state_free(at);
  hn_solver_free(solver);
}

static void failures_are_reasons(void **state)
{
  (void)state;
  bench b = set_up("box_pendulum", "impulse-newton");
  check_failure(b.model, b.state, 0.5, "impulse-newton", HN_STALLED, "worst joint \"");
  check_failure(b.model, b.state, 0.2, "impulse-newton:iterations=2", HN_STALLED, "after 2 iterations");
  tear_down(&b);
  /* The rod ends at a right angle to where it was: impulses along it cannot change its length, M_h = (0). */
  hn_model *model = new_model();
  add_rod(model, 0, add_particle(model, "p", 1, 0, 0));
  hn_state *at = hn_state_create(model);
  at->twist[1].v[0] = -4.0;
  check_failure(model, at, 0.25, "impulse-newton", HN_SINGULAR, "M_h");
  at->twist[1].v[0] = 1e308;
  check_failure(model, at, 0.25, "impulse-newton", HN_NOT_FINITE, "joint correction");
  hn_state_free(at);
  static const bad_spec bad[] = { { "impulse-newton:line_search=wolfe", "one of bt,basic,l2,cp" } };
  check_refused(model, bad, 1);
  hn_model_free(model);
}

static void halving_gets_over_a_stall(void **state)
{
  (void)state;
  bench whole = set_up("box_pendulum", "impulse-newton"), halved = set_up("box_pendulum", "impulse-newton:halvings=8");
  assert_int_equal(run(&whole, 0.5, 1.0, NULL, NULL), HN_STALLED);
  must_converge(&halved, 0.5, 1.0, NULL, NULL);
  printf("  halvings: %llu\n", (unsigned long long)halved.summary.halvings);
  assert_true(halved.summary.halvings > 0);
  tear_down(&whole);
  tear_down(&halved);
}

static void work_is_counted_exactly(void **state)
{
  (void)state;
  hn_model *model = box_chain(5);
  hn_solver *solver = new_solver("impulse-newton:line_search=basic", model);
  hn_state *at = hn_state_create(model);
  uint64_t iterations = 0, steps = 7;
  for (uint64_t k = 0; k < steps; k++) {
    assert_int_equal(hn_solver_step(solver, at, 0.01), HN_CONVERGED);
    iterations += (uint64_t)solver->report.position_iterations;
  }
  const hn_work *w = &solver->system->work;
  ASSERT_COUNT("factorisations: of M_h, and of K", w->factorisations, iterations + steps + 1);
  ASSERT_COUNT("Jacobians: at q(h), and for K", w->jacobians, 5 * (iterations + steps + 1));
  ASSERT_COUNT("solves", w->solves, iterations + steps);
  ASSERT_COUNT("flights, six for each derivative", w->flights, 5 * (iterations + steps) + 6 * 5 * iterations);
  ASSERT_COUNT("residuals", w->residuals, 5 * (iterations + steps));
  hn_state_free(at);
  hn_solver_free(solver);
  hn_model_free(model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(matrix_is_that_of_the_paper),
    cmocka_unit_test(blocks_are_in_their_places),
    cmocka_unit_test(iterates_are_those_of_the_paper),
    cmocka_unit_test(convergence_is_quadratic),
    cmocka_unit_test(converges_where_sle_stalls),
    cmocka_unit_test(line_search_gets_further),
    cmocka_unit_test(agrees_with_sle),
    cmocka_unit_test(coarse_adaptive_flights_do_no_harm),
    cmocka_unit_test(failures_are_reasons),
    cmocka_unit_test(halving_gets_over_a_stall),
    cmocka_unit_test(work_is_counted_exactly),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
