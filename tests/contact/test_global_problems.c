/* test_global_problems.c - global problems in files, M v = H r + G l + f, u = H' v + w, G' v + b = 0,
 * against the local ones, and faulty files. */
#ifndef HN_WITH_HDF5
int main(void)
{
  return 77; /* skipped */
}
#else
#include "contact_problems.h"

#include <hdf5.h>
#include <stdio.h>
#include <unistd.h>

enum { MOST = 64 };
enum { COLUMNS_FIRST, ROWS_FIRST, BY_COLUMNS, BY_ROWS, FORMS }; /* of matrices: triplets, or compressed */

static char path[64];

/* A global problem with dense matrices; G has `joints` columns. */
typedef struct global_problem {
  int n, rows, joints, dimension, form;
  double M[MOST][MOST], H[MOST][MOST], G[MOST][MOST];
  double f[MOST], w[MOST], b[MOST], mu[MOST];
} global_problem;

/* ---- Files
 * --------------------------------------------------------------------------------------------- */

static void write_numbers(hid_t file, const char *name, hid_t type, int count, const void *numbers)
{
  const hsize_t size = (hsize_t)count;
  const hid_t links = H5Pcreate(H5P_LINK_CREATE), space = H5Screate_simple(1, &size, NULL);
  H5Pset_create_intermediate_group(links, 1);
  const hid_t set = H5Dcreate2(file, name, type, space, links, H5P_DEFAULT, H5P_DEFAULT);
  assert_true(set >= 0);
  if (numbers) assert_true(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers) >= 0);
  H5Dclose(set), H5Sclose(space), H5Pclose(links);
}

/* Writes the nonzeros of A, HIGH x WIDE, in one of the forms. */
static void write_matrix(hid_t file, const char *name, int high, int wide, double A[MOST][MOST], int form)
{
  static int row[MOST * MOST], column[MOST * MOST], start[MOST + 1];
  static double value[MOST * MOST];
  const bool by_columns = form == BY_COLUMNS || form == COLUMNS_FIRST;
  const int lines = by_columns ? wide : high, others = by_columns ? high : wide;
  int count = 0;
  for (int line = 0; line < lines; line++) {
    for (int k = 0; k < others; k++) {
      const int r = by_columns ? k : line, c = by_columns ? line : k;
      if (A[r][c] == 0) continue;
      row[count] = r, column[count] = c, value[count++] = A[r][c];
    }
    start[line + 1] = count;
  }
  const int nz = form == BY_COLUMNS ? -1 : form == BY_ROWS ? -2 : count;
  const int integers[] = { high, wide, nz, count };
  static const char *const part[] = { "m", "n", "nz", "nzmax" };
  char full[80];
  for (int k = 0; k < 4; k++) {
    snprintf(full, sizeof full, "fclib_global/%s/%s", name, part[k]);
    write_numbers(file, full, H5T_NATIVE_INT, 1, &integers[k]);
  }
  snprintf(full, sizeof full, "fclib_global/%s/p", name);
  write_numbers(file, full, H5T_NATIVE_INT, nz < 0 ? lines + 1 : count,
                nz < 0                  ? start
                : form == COLUMNS_FIRST ? column
                                        : row);
  snprintf(full, sizeof full, "fclib_global/%s/i", name);
  write_numbers(file, full, H5T_NATIVE_INT, count, by_columns ? row : column);
  snprintf(full, sizeof full, "fclib_global/%s/x", name);
  write_numbers(file, full, H5T_NATIVE_DOUBLE, count, value);
}

static hid_t write_global(global_problem *g)
{
  const hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  assert_true(file >= 0);
  write_numbers(file, "fclib_global/spacedim", H5T_NATIVE_INT, 1, &g->dimension);
  write_matrix(file, "M", g->n, g->n, g->M, g->form), write_matrix(file, "H", g->n, g->rows, g->H, g->form);
  write_numbers(file, "fclib_global/vectors/f", H5T_NATIVE_DOUBLE, g->n, g->f);
  write_numbers(file, "fclib_global/vectors/w", H5T_NATIVE_DOUBLE, g->rows, g->w);
  write_numbers(file, "fclib_global/vectors/mu", H5T_NATIVE_DOUBLE, g->rows / g->dimension, g->mu);
  if (g->joints == 0) return file;
  write_matrix(file, "G", g->n, g->joints, g->G, g->form);
  write_numbers(file, "fclib_global/vectors/b", H5T_NATIVE_DOUBLE, g->joints, g->b);
  return file;
}

static hn_problem *read_global(global_problem *g)
{
  hn_error error;
  H5Fclose(write_global(g));
  hn_problem *read = hn_problem_read(path, NULL, &error);
  if (!read) fail_msg("%s", error.text);
  return read;
}

/* ---- Problems
 * ------------------------------------------------------------------------------------------ */

/* Returns boxes in a pile, joined by a ball joint at the top: contacts, then 3 rows of a joint. */
static trial_problem *pile(void)
{
  const double up[3] = { 0.1, 0.5, 0.2 }, down[3] = { 0.1, -0.5, 0.2 };
  trial_problem *t = problem_of(4);
  for (int i = 1; i < 4; i++) {
    set_body(t, i, 2.0 * i, 0.3, 0.2 + 0.1 * i, 0.4);
    for (int c = 0; c < 6; c++) t->u[6 * i + c] = random_in(-1, 1) - 2 * (c == 1);
  }
  for (int i = 1; i < 4; i++) add_contact(t, i - 1, i, up, down, upright, 3, cone(0.1 * i));
  add_contact(t, 1, 3, up, down, upright, 3, all);
  return t;
}

/* Copies bodies and rows of T: M the masses, f = M u, so that the velocities without impulses are u. */
static global_problem *global_of(const trial_problem *t, int form)
{
  global_problem *g = calloc(1, sizeof *g);
  assert_non_null(g);
  g->n = 6 * (t->p.nbody - 1), g->rows = 9, g->joints = 3, g->dimension = 3, g->form = form;
  for (int i = 0; i < g->n; i++) {
    g->M[i][i] = 1 / t->W[36 * (1 + i / 6) + 7 * (i % 6)];
    g->f[i] = g->M[i][i] * t->u[6 + i];
  }
  for (int k = 0; k < t->p.nblock; k++)
    for (int side = 0; side < 2; side++) {
      const int body = side ? t->block[k].b : t->block[k].a, row = t->block[k].row;
      for (int r = 0; r < 3 && body > 0; r++)
        for (int c = 0; c < 6; c++)
          (k < 3 ? g->H
                 : g->G)[6 * (body - 1) + c][(k < 3 ? row : 0) + r] += t->G[12 * row + 18 * side + 3 * c + r];
      if (k < 3) g->mu[k] = t->block[k].set.mu;
    }
  return g;
}

/* Bodies as a global problem: the same matrix, and impulses by bodies solve the problem of the file and
 * vice versa; there are several solutions. */
static void bodies_as_a_global_problem(void **state)
{
  (void)state;
  for (int form = 0; form < FORMS; form++) {
    trial_problem *t = pile();
    global_problem *g = global_of(t, form);
    hn_problem *read = read_global(g);
    double p[MAX_ROWS] = { 0 }, q[MAX_ROWS] = { 0 }, v[MAX_ROWS], apart = 0, work[6 * MAX_BODIES],
           w[MAX_ROWS];
    ASSERT_COUNT("blocks: 3 contacts, 3 equations", read->nblock, 6);
    check_below("asymmetry", hn_problem_asymmetry(read), 0);
    for (int i = 0; i < 12; i++) p[i] = random_in(-1, 1);
    hn_problem_velocities(&t->p, p, work, v), hn_problem_velocities(read, p, NULL, w);
    for (int i = 0; i < 12; i++) apart = larger(apart, fabs(v[i] - w[i]));
    check_below("velocities by bodies and by the file apart", apart, 1e-13);
    memset(p, 0, sizeof p);
    trial_problem copy = { .p = *read };
    assert_int_equal(solved("newton", 1e-13, 100, t, p), HN_CONVERGED);
    assert_int_equal(solved("newton", 1e-13, 100, &copy, q), HN_CONVERGED);
    check_below("law of the file, impulses by bodies", error_of(&copy, false, p), 1e-12);
    check_below("law of the bodies, impulses by the file", error_of(t, false, q), 1e-12);
    hn_problem_free(read), free_problem(t), free(g);
  }
}

/* Returns a problem whose M couples all velocities: banded and diagonally dominant. The nonzeros of H fit
 * its transpose, too. */
static global_problem *coupled(void)
{
  global_problem *g = calloc(1, sizeof *g);
  assert_non_null(g);
  g->n = 20, g->rows = 8, g->joints = 2, g->dimension = 2;
  for (int i = 0; i < g->n; i++) {
    g->M[i][i] = 3 + random_in(0, 1), g->f[i] = random_in(-1, 1);
    for (int j = i + 1; j < g->n && j < i + 4; j++) g->M[i][j] = g->M[j][i] = random_in(-0.5, 0.5);
    for (int k = 0; k < 3 && i < g->rows; k++) g->H[i][(int)random_in(0, 7.999)] = random_in(-1, 1);
    g->G[i][i % 2] = random_in(-1, 1);
  }
  for (int i = 0; i < 8; i++) g->w[i] = random_in(-1, 1), g->mu[i / 2] = 0.3;
  for (int i = 0; i < 2; i++) g->b[i] = random_in(-1, 1);
  return g;
}

/* Computes x = M^-1 y by elimination without pivots, in a copy. */
static void solve_dense(const global_problem *g, const double *y, double *x)
{
  static double A[MOST][MOST];
  const int n = g->n;
  memcpy(A, g->M, sizeof A), memcpy(x, y, sizeof *x * (size_t)n);
  for (int k = 0; k < n; k++)
    for (int i = k + 1; i < n; i++) {
      const double factor = A[i][k] / A[k][k];
      for (int j = k; j < n; j++) A[i][j] -= factor * A[k][j];
      x[i] -= factor * x[k];
    }
  for (int i = n - 1; i >= 0; i--) {
    for (int j = i + 1; j < n; j++) x[i] -= A[i][j] * x[j];
    x[i] /= A[i][i];
  }
}

/* Velocities of random impulses from the definition, with M whole or as one triangle. */
static void mass_couples_all_velocities(void **state)
{
  (void)state;
  for (int triangle = 0; triangle < 3; triangle++) { /* whole, upper, lower */
    double p[MOST], y[MOST], x[MOST], v[MOST], apart = 0;
    global_problem *g = coupled(), *stored = malloc(sizeof *stored);
    assert_non_null(stored);
    *stored = *g;
    for (int i = 0; i < g->n; i++)
      for (int j = 0; j < i && triangle > 0; j++) stored->M[triangle == 1 ? i : j][triangle == 1 ? j : i] = 0;
    hn_problem *read = read_global(stored);
    for (int i = 0; i < 10; i++) p[i] = random_in(-1, 1);
    for (int i = 0; i < g->n; i++) {
      y[i] = g->f[i];
      for (int j = 0; j < 10; j++) y[i] += (j < 8 ? g->H[i][j] : g->G[i][j - 8]) * p[j];
    }
    solve_dense(g, y, x), hn_problem_velocities(read, p, NULL, v);
    for (int j = 0; j < 10; j++) {
      double u = j < 8 ? g->w[j] : g->b[j - 8];
      for (int i = 0; i < g->n; i++) u += (j < 8 ? g->H[i][j] : g->G[i][j - 8]) * x[i];
      apart = larger(apart, fabs(u - v[j]));
    }
    check_below("velocities of random impulses apart", apart, 1e-13);
    hn_problem_free(read), free(stored), free(g);
  }
}

/* A solution is read with the problem; one without stored numbers is none. */
static void solutions(void **state)
{
  (void)state;
  hn_error error;
  const double r[8] = { 1, 2, 3, 4, 5, 6, 7, 8 }, l[2] = { 9, 10 };
  for (int written = 0; written < 2; written++) {
    double *p = NULL;
    global_problem *g = coupled();
    const hid_t file = write_global(g);
    write_numbers(file, "solution/r", H5T_NATIVE_DOUBLE, 8, written ? r : NULL);
    write_numbers(file, "solution/l", H5T_NATIVE_DOUBLE, 2, l);
    H5Fclose(file);
    hn_problem *read = hn_problem_read(path, &p, &error);
    if (!read) fail_msg("%s", error.text);
    ASSERT_COUNT("has a solution", p != NULL, written);
    for (int i = 0; i < 10 && p; i++) check_near("impulse", p[i], i + 1, 0);
    hn_problem_free(read), free(p), free(g);
  }
}

/* ---- Faulty files
 * -------------------------------------------------------------------------------------- */

/* Checks that the file is refused with WORD, after SPOIL has changed its problem or REMOVED is taken
 * out. */
static void check_refused(void (*spoil)(global_problem *g), const char *removed, const char *word)
{
  hn_error error = { "" };
  global_problem *g = coupled();
  if (spoil) spoil(g);
  const hid_t file = write_global(g);
  if (removed) assert_true(H5Ldelete(file, removed, H5P_DEFAULT) >= 0);
  H5Fclose(file);
  assert_null(hn_problem_read(path, NULL, &error));
  printf("  %s\n", error.text);
  assert_non_null(strstr(error.text, word));
  assert_null(strchr(error.text, '\n'));
  free(g);
}

static void not_symmetric(global_problem *g)
{
  g->M[0][1] = 0.1, g->M[1][0] = 0.1 + 1e-6;
}
/* Its 2 x 2 minors are positive, but x = (1, 1, 1) has x' M x < 0. */
static void indefinite(global_problem *g)
{
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) g->M[i][j] = i == j ? 1 : -0.9;
}
static void negative_mass(global_problem *g)
{
  for (int i = 0; i < g->n; i++) g->M[4][i] = g->M[i][4] = i == 4 ? -1 : 0;
}
static void massless(global_problem *g)
{
  for (int i = 0; i < g->n; i++) g->M[4][i] = g->M[i][4] = 0;
}
static void force_without_number(global_problem *g)
{
  g->f[3] = NAN;
}
static void velocity_without_number(global_problem *g)
{
  g->w[3] = NAN;
}
static void rows_left_over(global_problem *g)
{
  g->rows = 7;
}
static void five_rows_a_contact(global_problem *g)
{
  g->dimension = 5, g->rows = 5;
}

static void faulty_files_are_refused(void **state)
{
  (void)state;
  check_refused(not_symmetric, NULL, "M is not symmetric");
  check_refused(indefinite, NULL, "not positive definite");
  check_refused(negative_mass, NULL, "negative");
  check_refused(massless, NULL, "no diagonal entry in row 4");
  check_refused(force_without_number, NULL, "force");
  check_refused(velocity_without_number, NULL, "not a number");
  check_refused(rows_left_over, NULL, "H is 20 x 7");
  check_refused(five_rows_a_contact, NULL, "spacedim is 5");
  static const char *const removed[] = { "M",         "H",          "H/x",       "G/p",     "vectors/f",
                                         "vectors/w", "vectors/mu", "vectors/b", "spacedim" };
  for (size_t k = 0; k < sizeof removed / sizeof *removed; k++) {
    char name[64];
    snprintf(name, sizeof name, "fclib_global/%s", removed[k]);
    check_refused(NULL, name, "there is no");
  }
}

/* Copies the group of PATH that holds the problem to fclib_global_rolling, with MU_R unless NULL. */
static void make_rolling(const double *mu_r, int contacts)
{
  const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
  assert_true(H5Lmove(file, "fclib_global", file, "fclib_global_rolling", H5P_DEFAULT, H5P_DEFAULT) >= 0);
  if (mu_r) write_numbers(file, "fclib_global_rolling/vectors/mu_r", H5T_NATIVE_DOUBLE, contacts, mu_r);
  H5Fclose(file);
}

/* A file with rolling friction is the problem by bodies, with contacts of 5 rows. */
static void rolling_friction_is_read(void **state)
{
  (void)state;
  hn_error error;
  const double mu_r[3] = { 0.01, 0.02, 0.03 }, up[3] = { 0.1, 0.5, 0.2 }, down[3] = { 0.1, -0.5, 0.2 };
  double p[MAX_ROWS], v[MAX_ROWS], w[MAX_ROWS], work[6 * MAX_BODIES], apart = 0;
  trial_problem *t = pile();
  t->p.nblock = t->p.nrow = 0;
  memset(t->G, 0, sizeof t->G), memset(t->T, 0, sizeof t->T), memset(t->b, 0, sizeof t->b);
  for (int i = 1; i < 4; i++)
    add_moment_contact(t, i - 1, i, up, down, upright, 5,
                       (hn_set){ .kind = HN_CONE, .mu = 0.1 * i, .mu_rolling = mu_r[i - 1] });
  global_problem *g = global_of(t, BY_COLUMNS);
  memset(g->H, 0, sizeof g->H);
  g->rows = 15, g->joints = 0, g->dimension = 5;
  for (int k = 0; k < 3; k++)
    for (int side = 0; side < 2; side++)
      for (int r = 0; r < 5 && k + side > 0; r++)
        for (int c = 0; c < 6; c++)
          g->H[6 * (k + side - 1) + c][5 * k + r] += t->G[60 * k + 30 * side + 5 * c + r];
  H5Fclose(write_global(g));
  make_rolling(mu_r, 3);
  hn_problem *read = hn_problem_read(path, NULL, &error);
  if (!read) fail_msg("%s", error.text);
  ASSERT_COUNT("contacts", read->nblock, 3);
  for (int k = 0; k < 3; k++) check_near("rolling friction, m", read->block[k].set.mu_rolling, mu_r[k], 0);
  for (int i = 0; i < 15; i++) p[i] = random_in(-1, 1);
  hn_problem_velocities(&t->p, p, work, v), hn_problem_velocities(read, p, NULL, w);
  for (int i = 0; i < 15; i++) apart = larger(apart, fabs(v[i] - w[i]));
  check_below("velocities by bodies and by the file apart", apart, 1e-13);
  H5Fclose(write_global(g));
  make_rolling(NULL, 0);
  assert_null(hn_problem_read(path, NULL, &error));
  printf("  %s\n", error.text);
  assert_non_null(strstr(error.text, "mu_r"));
  hn_problem_free(read), free_problem(t), free(g);
}

/* Velocities of random impulses, with the M of G as it is; stored in FORM. */
static void check_unsymmetric_mass(global_problem *g, int form)
{
  double p[MOST], y[MOST], x[MOST], v[MOST], apart = 0;
  g->form = form;
  hn_problem *read = read_global(g);
  check_near("asymmetry of K", hn_problem_asymmetry(read), 2e-3, 1.9e-3);
  for (int i = 0; i < 8; i++) p[i] = random_in(-1, 1);
  for (int i = 0; i < g->n; i++) {
    y[i] = g->f[i];
    for (int j = 0; j < 8; j++) y[i] += g->H[i][j] * p[j];
  }
  solve_dense(g, y, x), hn_problem_velocities(read, p, NULL, v);
  for (int j = 0; j < 8; j++) {
    double u = g->w[j];
    for (int i = 0; i < g->n; i++) u += g->H[i][j] * x[i];
    apart = larger(apart, fabs(u - v[j]));
  }
  check_below("velocities of random impulses apart", apart, 1e-13);
  hn_problem_free(read);
}

/* An M that is not symmetric, as of bodies turned within a step, is solved with as it is. */
static void mass_need_not_be_symmetric(void **state)
{
  (void)state;
  hn_error error;
  global_problem *g = coupled();
  g->joints = 0;
  for (int i = 0; i + 1 < g->n; i++) g->M[i][i + 1] += 0.01 * random_in(-1, 1);
  for (int k = 0; k < 3; k++) check_unsymmetric_mass(g, (int[]){ COLUMNS_FIRST, BY_COLUMNS, BY_ROWS }[k]);
  g->M[0][1] += 0.5;
  H5Fclose(write_global(g));
  assert_null(hn_problem_read(path, NULL, &error));
  printf("  %s\n", error.text);
  assert_non_null(strstr(error.text, "not symmetric"));
  free(g);
}
int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(bodies_as_a_global_problem),
    cmocka_unit_test(mass_couples_all_velocities),
    cmocka_unit_test(solutions),
    cmocka_unit_test(faulty_files_are_refused),
    cmocka_unit_test(rolling_friction_is_read),
    cmocka_unit_test(mass_need_not_be_symmetric),
  };
  snprintf(path, sizeof path, "test_global_problems.%d.hdf5", (int)getpid());
  int failed = cmocka_run_group_tests_name("global problems", tests, NULL, NULL);
  unlink(path);
  return failed;
}
#endif
