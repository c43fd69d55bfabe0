/* test_problem_files.c - contact problems written to files and read again; faulty files. */
#include "contact_problems.h"
#include "base/module.h"
#include "contact/fclib.h"

#include <hdf5.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char path[64];

/* Returns links joined by balls that fall on the ground: joints and contacts in turn, N rows each. */
static trial_problem *chain(int n)
{
  const double left[3] = { -0.5, 0.1, 0 }, right[3] = { 0.5, 0, n == 3 ? 0.1 : 0 };
  trial_problem *t = problem_of(5);
  for (int i = 1; i < 5; i++) {
    set_body(t, i, 1 + i, 0.1, 0.2, 0.3);
    for (int c = 0; c < 6; c++) t->u[6 * i + c] = random_in(-1, 1) - (c == 1);
    if (i > 1) add_contact(t, i - 1, i, right, left, upright, n, all);
    add_contact(t, 0, i, origin, left, upright, n, cone(0.1 * i));
  }
  return t;
}

/* A problem that is written and read again has the same velocities for any impulses, and a written solution
 * solves it. */
static void written_problems_can_be_read(void **state)
{
  (void)state;
  for (int n = 2; n <= 3; n++) {
    hn_error error;
    trial_problem *t = chain(n);
    double p[MAX_ROWS] = { 0 }, *solution = NULL, v[MAX_ROWS];
    assert_int_equal(solved("newton", 1e-12, 100, t, p), HN_CONVERGED);
    if (hn_problem_write(path, &t->p, p, &error)) fail_msg("%s", error.text);
    hn_problem *read = hn_problem_read(path, &solution, &error);
    if (!read) fail_msg("%s", error.text);
    ASSERT_COUNT("rows", read->nrow, 7 * n);
    ASSERT_COUNT("blocks", read->nblock, 4 + 3 * n);
    assert_non_null(solution);
    hn_problem_velocities(read, solution, NULL, v);
    check_below("law of the solution that was written", hn_problem_error(read, false, solution, v, NULL),
                1e-12);
    double work[6 * MAX_BODIES], w[MAX_ROWS], apart = 0;
    for (int i = 0; i < t->p.nrow; i++) p[i] = random_in(-1, 1);
    hn_problem_velocities(&t->p, p, work, w);
    for (int k = 0, contact = 0, equation = 4 * n; k < t->p.nblock; k++) {
      int *next = t->block[k].set.kind == HN_ANY ? &equation : &contact;
      for (int r = t->block[k].row; r < t->block[k].row + n; r++) solution[*next] = p[r], v[(*next)++] = w[r];
    }
    hn_problem_velocities(read, solution, NULL, w);
    for (int i = 0; i < read->nrow; i++) apart = larger(apart, fabs(w[i] - v[i]));
    check_below("K p + b of any p apart", apart, 1e-13);
    free(solution), hn_problem_free(read), free_problem(t);
  }
}

static void files_without_a_solution(void **state)
{
  (void)state;
  hn_error error;
  double *p = (double[1]){ 0 };
  trial_problem *t = problem_of(2);
  add_contact(t, 0, 1, upright, upright, upright, 3, cone(0.25));
  use_matrix(t); /* problems with a matrix can be written, too */
  assert_int_equal(hn_problem_write(path, &t->p, NULL, &error), 0);
  hn_problem *read = hn_problem_read(path, &p, &error);
  assert_non_null(read);
  assert_null(p);
  assert_int_equal(read->nblock, 1);
  check_near("friction", read->block[0].set.mu, 0.25, 0);
  hn_problem_free(read), free_problem(t);
}

/* Checks that the command refuses the file: one line that contains WORD, and exit status 2. */
static void command_refuses(const char *word)
{
  char command[256], line[1024] = "", more[16];
  snprintf(command, sizeof command, HN_BUILD_DIR "/holonom problem %s --contact pgs 2>&1", path);
  FILE *out = popen(command, "r");
  assert_non_null(out);
  const bool one = fgets(line, sizeof line, out) && !fgets(more, sizeof more, out);
  const int status = pclose(out);
  if (!one || !strstr(line, word) || !WIFEXITED(status) || WEXITSTATUS(status) != 2)
    fail_msg("holonom problem: %s(status %d)", line, WEXITSTATUS(status));
}

static void refuse(const char *word)
{
  hn_error error = { "" };
  double *p = NULL;
  hn_problem *read = hn_problem_read(path, &p, &error);
  printf("  %s\n", error.text);
  assert_true(!read && !p);
  assert_non_null(strstr(error.text, word));
  assert_null(strchr(error.text, '\n'));
  command_refuses(word);
}

/* A file truncated anywhere is refused. */
static void truncated_files_are_refused(void **state)
{
  (void)state;
  hn_error error;
  struct stat file;
  trial_problem *t = chain(3);
  assert_int_equal(hn_problem_write(path, &t->p, NULL, &error), 0);
  assert_int_equal(stat(path, &file), 0);
  for (int k = 15; k >= 0; k--) {
    assert_int_equal(truncate(path, file.st_size * k / 16), 0);
    assert_null(hn_problem_read(path, NULL, &error));
  }
  refuse("truncated");
  unlink(path);
  refuse("missing");
  free_problem(t);
}

/* Writes a problem of one contact and one equation; with SPOIL it must be refused with WORD. */
static void check_inconsistent(void (*spoil)(hn_fclib *f), const char *word)
{
  hn_error error;
  int three[] = { 0, 1, 2 }, one[] = { 0 }, zero[] = { 0 };
  double ones[] = { 1, 1, 1 }, half[] = { 0.5 }, q[] = { -1, 0, 0 }, mu[] = { 0.5 }, s[] = { 0.1 };
  double r[] = { 1, 0, 0 }, l[] = { 0 };
  hn_fclib f = { .dimension = 3,
                 .rows = 3,
                 .equations = 1,
                 .q = q,
                 .mu = mu,
                 .s = s,
                 .r = r,
                 .l = l,
                 .W = { 3, 3, 3, three, (int[]){ 0, 1, 2 }, ones },
                 .V = { 3, 1, 1, one, zero, half },
                 .R = { 1, 1, 1, (int[]){ 0 }, (int[]){ 0 }, (double[]){ 1 } } };
  const hn_fclib_functions *door = hn_module_symbol(HN_FCLIB_MODULE, HN_FCLIB_FUNCTIONS, &error);
  assert_non_null(door);
  if (spoil) spoil(&f);
  assert_int_equal(door->write(path, &f, &error), 0);
  if (spoil) {
    refuse(word);
    return;
  }
  hn_problem *read = hn_problem_read(path, NULL, &error);
  if (!read) fail_msg("%s", error.text);
  hn_problem_free(read);
}

static void plane_of_three(hn_fclib *f)
{
  f->dimension = 2;
}
static void four_dimensions(hn_fclib *f)
{
  f->dimension = 4;
}
static void row_outside(hn_fclib *f)
{
  f->W.row[1] = 3;
}
static void not_square(hn_fclib *f)
{
  f->W.m = 6;
}
static void tall_coupling(hn_fclib *f)
{
  f->V.m = 4;
}
static void not_a_number(hn_fclib *f)
{
  f->q[1] = NAN;
}
static void negative_friction(hn_fclib *f)
{
  f->mu[0] = -1;
}
static void not_symmetric(hn_fclib *f)
{
  f->W.row[1] = 0;
}
static void no_velocities(hn_fclib *f)
{
  f->rows = 0;
}
static void infinite(hn_fclib *f)
{
  f->W.value[2] = INFINITY;
}

static void column_before_the_first(hn_fclib *f)
{
  f->W.row[0] = -1;
}
static void friction_without_number(hn_fclib *f)
{
  f->mu[0] = NAN;
}
static void infinite_friction(hn_fclib *f)
{
  f->mu[0] = INFINITY;
}
static void equation_without_number(hn_fclib *f)
{
  f->s[0] = NAN;
}
static void solution_without_number(hn_fclib *f)
{
  f->r[2] = NAN;
}
static void multiplier_without_number(hn_fclib *f)
{
  f->l[0] = INFINITY;
}
static void matrix_without_number(hn_fclib *f)
{
  f->R.value[0] = NAN;
}
static void negative_diagonal(hn_fclib *f)
{
  f->W.value[1] = -1;
}
static void excessive_coupling(hn_fclib *f)
{
  f->V.value[0] = 1.5;
}
static void other_equations(hn_fclib *f)
{
  f->R.n = 2;
}

static void inconsistent_files_are_refused(void **state)
{
  (void)state;
  check_inconsistent(NULL, "");
  check_inconsistent(plane_of_three, "3 x 3");
  check_inconsistent(four_dimensions, "spacedim is 4");
  check_inconsistent(row_outside, "inconsistent");
  check_inconsistent(not_square, "6 x 3");
  check_inconsistent(tall_coupling, "4 x 1");
  check_inconsistent(not_a_number, "not a number");
  check_inconsistent(negative_friction, "friction");
  check_inconsistent(not_symmetric, "symmetric");
  check_inconsistent(no_velocities, "not 3");
  check_inconsistent(infinite, "inf");
  check_inconsistent(column_before_the_first, "inconsistent");
  check_inconsistent(friction_without_number, "friction");
  check_inconsistent(infinite_friction, "friction");
  check_inconsistent(equation_without_number, "not a number");
  check_inconsistent(solution_without_number, "solution");
  check_inconsistent(multiplier_without_number, "solution");
  check_inconsistent(matrix_without_number, "nan");
  check_inconsistent(negative_diagonal, "diagonal");
  check_inconsistent(excessive_coupling, "no masses");
  check_inconsistent(other_equations, "R 1 x 2");
}

/* ---- Missing or altered parts -------------------------------------------------------------------------- */

/* Removes the group or array NAME of a valid file, or replaces it by COUNT NUMBERS, and checks the
 * refusal. */
static void check_altered(const char *name, int count, const double *numbers, const char *word)
{
  check_inconsistent(NULL, "");
  const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
  assert_true(file >= 0 && H5Ldelete(file, name, H5P_DEFAULT) >= 0);
  if (numbers) {
    const hsize_t size = (hsize_t)count;
    const hid_t space = H5Screate_simple(1, &size, NULL);
    const hid_t set = H5Dcreate2(file, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(set >= 0 && H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers) >= 0);
    H5Dclose(set), H5Sclose(space);
  }
  H5Fclose(file);
  refuse(word);
}

static void missing_parts_are_refused(void **state)
{
  (void)state;
  static const char *const required[] = {
    "fclib_local",
    "fclib_local/spacedim",
    "fclib_local/W",
    "fclib_local/W/m",
    "fclib_local/W/nz",
    "fclib_local/W/p",
    "fclib_local/W/i",
    "fclib_local/W/x",
    "fclib_local/vectors",
    "fclib_local/vectors/q",
    "fclib_local/vectors/mu",
    "fclib_local/vectors/s",
    "fclib_local/V/x",
    "fclib_local/R/p",
    "solution/r",
    "solution/l",
  };
  for (size_t k = 0; k < sizeof required / sizeof *required; k++)
    check_altered(required[k], 0, NULL, "there is no");
  check_altered("fclib_local/V", 0, NULL, "one is missing"),
    check_altered("fclib_local/R", 0, NULL, "one is missing");
  static const struct {
    const char *name;
    int count;
    double numbers[5];
    const char *word;
  } other[] = {
    { "fclib_local/spacedim", 1, { 2 }, "3 x 3" },
    { "fclib_local/spacedim", 2, { 3, 3 }, "not one number" },
    { "fclib_local/W/m", 1, { -3 }, "-3 rows" },
    { "fclib_local/W/n", 1, { 1e9 }, "1000000000 columns" },
    { "fclib_local/W/nz", 1, { -3 }, "inconsistent" },
    { "fclib_local/W/nz", 1, { 7 }, "inconsistent" },
    { "fclib_local/W/nzmax", 1, { 7 }, "nzmax" },
    { "fclib_local/W/nzmax", 1, { -1 }, "nzmax" },
    { "fclib_local/W/p", 4, { 0, 2, 1, 3 }, "inconsistent" },
    { "fclib_local/W/p", 4, { 0, 1, 2, 9 }, "inconsistent" },
    { "fclib_local/W/p", 3, { 0, 1, 3 }, "inconsistent" },
    { "fclib_local/W/i", 2, { 0, 1 }, "inconsistent" },
    { "fclib_local/W/i", 3, { 0, 1, 77 }, "inconsistent" },
    { "fclib_local/W/x", 2, { 1, 1 }, "inconsistent" },
    { "fclib_local/vectors/q", 4, { 0, 0, 0, 0 }, "q has 4 numbers, not 3" },
    { "fclib_local/vectors/mu", 3, { 1, 1, 1 }, "mu has 3 numbers, not 1" },
    { "fclib_local/vectors/s", 2, { 0, 0 }, "s has 2 numbers, not 1" },
    { "solution/r", 1, { 0 }, "r has 1 numbers, not 3" },
    { "solution/l", 3, { 0, 0, 0 }, "l has 3 numbers, not 1" },
  };
  for (size_t k = 0; k < sizeof other / sizeof *other; k++)
    check_altered(other[k].name, other[k].count, other[k].numbers, other[k].word);
}

static void unsupported_problems_are_refused(void **state)
{
  (void)state;
  hn_error error;
  trial_problem *t = chain(3);
  add_contact(t, 0, 1, upright, upright, upright, 1, push);
  assert_int_equal(hn_problem_write(path, &t->p, NULL, &error), -1);
  printf("  %s\n", error.text);
  assert_non_null(strstr(error.text, "block 7"));
  t->p.nblock = 0, t->p.nrow = 0;
  assert_int_equal(hn_problem_write(path, &t->p, NULL, &error), -1);
  printf("  %s\n", error.text);
  free_problem(t);
  t = chain(3);
  assert_int_equal(hn_problem_write("/no/such/place", &t->p, NULL, &error), -1);
  printf("  %s\n", error.text);
  free_problem(t);
}

/* Overwrites bytes of the file, whose SIZE is that of the copy GOOD: with numbers from 0 to 255, or those
 * that sizes and addresses of HDF5 may have. */
static void corrupt_file(const char *good, size_t size)
{
  static const uint64_t special[] = { 0, 1, UINT64_MAX, 0x7fffffff, 1u << 31, 1u << 30, 0xffff };
  const int changes = 1 + (int)random_in(0, 4);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  assert_int_equal(fwrite(good, 1, size, file), size);
  for (int k = 0; k < changes; k++) {
    const int kind = (int)random_in(0, 10);
    const uint64_t word = kind < 7 ? special[kind] : (uint64_t)random_in(0, 256);
    fseek(file, (long)random_in(0, (double)size - 8), SEEK_SET);
    fwrite(&word, kind < 7 ? 8 : 1, 1, file);
  }
  assert_int_equal(fclose(file), 0);
}

/* Files with changed bytes are read or refused; neither crashes the reader, nor takes more than 100 MB of
 * memory. */
static void corrupted_files_do_no_harm(void **state)
{
  (void)state;
  enum { FILES = 500, MAX_BYTES = 1 << 16 };
  static char good[MAX_BYTES];
  hn_error error;
  struct rusage before, after;
  int refused = 0, ended = 0;
  trial_problem *t = chain(3);
  assert_int_equal(hn_problem_write(path, &t->p, NULL, &error), 0);
  FILE *file = fopen(path, "r");
  const size_t size = fread(good, 1, sizeof good, file);
  fclose(file);
  assert_true(size > 1000 && size < sizeof good);
  getrusage(RUSAGE_SELF, &before);
  for (int k = 0; k < FILES; k++) {
    corrupt_file(good, size);
    hn_problem *read = hn_problem_read(path, NULL, &error);
    refused += !read;
    ended += !read && strstr(error.text, "ended by signal");
    hn_problem_free(read);
  }
  getrusage(RUSAGE_SELF, &after);
  printf("  %d of %d files of %zu bytes are refused; the HDF5 library was ended by a signal in %d\n", refused,
         FILES, size, ended);
  assert_true(refused > FILES / 10);
  check_below("growth of memory, MB", (double)(after.ru_maxrss - before.ru_maxrss) / 1024, 100);
  free_problem(t);
}

/* A problem of 10 kB that declares a dataset of 2 GB, of which nothing is stored. */
static void empty_datasets_are_refused(void **state)
{
  (void)state;
  hn_error error;
  trial_problem *t = chain(3);
  assert_int_equal(hn_problem_write(path, &t->p, NULL, &error), 0);
  const hid_t whole = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
  const hsize_t many = 1 << 28;
  assert_true(H5Ldelete(whole, "fclib_local/vectors/q", H5P_DEFAULT) >= 0);
  const hid_t space = H5Screate_simple(1, &many, NULL);
  const hid_t set = H5Dcreate2(whole, "fclib_local/vectors/q", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT,
                               H5P_DEFAULT, H5P_DEFAULT);
  assert_true(set >= 0);
  H5Dclose(set), H5Sclose(space), H5Fclose(whole);
  refuse("more numbers than the file can hold");
  free_problem(t);
}

static int read_crashes(const char *name, hn_fclib *f, hn_error *error)
{
  (void)name, (void)f, (void)error;
  return raise(SIGSEGV);
}
static int read_allocates(const char *name, hn_fclib *f, hn_error *error)
{
  f->q = malloc((size_t)4 << 30);
  return hn_fail(error, f->q ? "%s: 4 GB were allocated" : "%s: no memory", name);
}
static int read_disagrees(const char *name, hn_fclib *f, hn_error *error)
{
  (void)name, (void)error;
  static double value[1] = { 1 };
  static int outside[1] = { 7 };
  *f = (hn_fclib){ .dimension = 2, .rows = 2, .q = (double[2]){ 0 }, .mu = value };
  f->W = (hn_fclib_matrix){ 2, 2, 1, outside, outside, value };
  return 0;
}

/* A reader that crashes, allocates without bound or returns indices out of range ends with an error alone. */
static void readers_may_fail(void **state)
{
  (void)state;
  const struct {
    int (*read)(const char *, hn_fclib *, hn_error *);
    const char *word;
  } cases[] = { { read_crashes, "ended by signal 11" },
                { read_allocates, "" },
                { read_disagrees, "damaged" } };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    hn_error error;
    hn_fclib f = { 0 };
    assert_int_equal(hn_fclib_read_apart(&(hn_fclib_functions){ cases[i].read, NULL }, "x", &f, &error), -1);
    if (strstr(error.text, "were allocated") || !strstr(error.text, cases[i].word))
      fail_msg("%s: no %s", error.text, cases[i].word);
    hn_fclib_free(&f);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(written_problems_can_be_read),
    cmocka_unit_test(files_without_a_solution),
    cmocka_unit_test(truncated_files_are_refused),
    cmocka_unit_test(inconsistent_files_are_refused),
    cmocka_unit_test(missing_parts_are_refused),
    cmocka_unit_test(unsupported_problems_are_refused),
    cmocka_unit_test(corrupted_files_do_no_harm),
    cmocka_unit_test(empty_datasets_are_refused),
    cmocka_unit_test(readers_may_fail),
  };
  snprintf(path, sizeof path, "test_problem_files.%d.hdf5", (int)getpid());
  int failed = cmocka_run_group_tests_name("problem files", tests, NULL, NULL);
  unlink(path);
  return failed;
}
