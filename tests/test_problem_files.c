/* test_problem_files.c - problems of an instant written to files and read again, and files that are bad. */
#include "problems.h"
#include "base/module.h"
#include "contact/fclib.h"

#include <sys/stat.h>
#include <unistd.h>

static char path[64];

/* Links joined by balls that fall on the ground: joints and contacts in turn, N rows each. */
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

/* The problem that was written is the one that is read: solved from either side, the bodies move alike, and a solution
 * that was written is one of what is read. */
static void what_is_written_is_read(void **state)
{
  (void)state;
  for (int n = 2; n <= 3; n++) {
    hn_error error;
    trial_problem *t = chain(n);
    double p[MOST_ROWS] = { 0 }, *kept = NULL, v[MOST_ROWS];
    assert_int_equal(solved("newton", 1e-12, 100, t, p), HN_CONVERGED);
    if (hn_problem_write(path, &t->p, p, &error)) fail_msg("%s", error.text);
    hn_problem *read = hn_problem_read(path, &kept, &error);
    if (!read) fail_msg("%s", error.text);
    ASSERT_COUNT("rows", read->nrow, 7 * n);
    ASSERT_COUNT("blocks", read->nblock, 4 + 3 * n);
    assert_non_null(kept);
    hn_problem_velocities(read, kept, NULL, v);
    check_below("law of the solution that was written", hn_problem_error(read, false, kept, v, NULL), 1e-11);
    double work[6 * MOST_BODIES], w[MOST_ROWS], apart = 0;
    for (int i = 0; i < t->p.nrow; i++) p[i] = random_in(-1, 1);
    hn_problem_velocities(&t->p, p, work, w);
    for (int k = 0, contact = 0, equation = 4 * n; k < t->p.nblock; k++) {
      int *next = t->block[k].set.kind == HN_ANY ? &equation : &contact;
      for (int r = t->block[k].row; r < t->block[k].row + n; r++) kept[*next] = p[r], v[(*next)++] = w[r];
    }
    hn_problem_velocities(read, kept, NULL, w);
    for (int i = 0; i < read->nrow; i++) apart = larger(apart, fabs(w[i] - v[i]));
    check_below("K p + b of any p apart", apart, 1e-13);
    free(kept), hn_problem_free(read), free_problem(t);
  }
}

static void without_a_solution_or_equations(void **state)
{
  (void)state;
  hn_error error;
  double *p = (double[1]){ 0 };
  trial_problem *t = problem_of(2);
  add_contact(t, 0, 1, upright, upright, upright, 3, cone(0.25));
  use_matrix(t); /* written from a matrix as well */
  assert_int_equal(hn_problem_write(path, &t->p, NULL, &error), 0);
  hn_problem *read = hn_problem_read(path, &p, &error);
  assert_non_null(read);
  assert_null(p);
  assert_int_equal(read->nblock, 1);
  check_near("friction", read->block[0].set.mu, 0.25, 0);
  hn_problem_free(read), free_problem(t);
}

static void refuse(const char *word)
{
  hn_error error = { "" };
  hn_problem *read = hn_problem_read(path, NULL, &error);
  printf("  %s\n", error.text);
  assert_null(read);
  assert_non_null(strstr(error.text, word));
}

/* Cut off anywhere, a file is refused. */
static void truncated_files(void **state)
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

/* A good problem of one contact and one equation, which SPOIL makes a bad one. */
static void inconsistent(void (*spoil)(hn_fclib *f), const char *word)
{
  hn_error error;
  int three[] = { 0, 1, 2 }, one[] = { 0 }, zero[] = { 0 };
  double ones[] = { 1, 1, 1 }, half[] = { 0.5 }, q[] = { -1, 0, 0 }, mu[] = { 0.5 }, s[] = { 0.1 };
  hn_fclib f = { .dimension = 3, .rows = 3, .equations = 1, .q = q, .mu = mu, .s = s,
                 .W = { 3, 3, 3, three, (int[]){ 0, 1, 2 }, ones }, .V = { 3, 1, 1, one, zero, half },
                 .R = { 1, 1, 1, (int[]){ 0 }, (int[]){ 0 }, (double[]){ 1 } } };
  const hn_fclib_door *door = hn_module_symbol(HN_FCLIB_MODULE, HN_FCLIB_DOOR, &error);
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

static void plane_of_three(hn_fclib *f) { f->dimension = 2; }
static void four_dimensions(hn_fclib *f) { f->dimension = 4; }
static void row_outside(hn_fclib *f) { f->W.row[1] = 3; }
static void not_square(hn_fclib *f) { f->W.m = 6; }
static void tall_coupling(hn_fclib *f) { f->V.m = 4; }
static void not_a_number(hn_fclib *f) { f->q[1] = NAN; }
static void negative_friction(hn_fclib *f) { f->mu[0] = -1; }
static void not_symmetric(hn_fclib *f) { f->W.row[1] = 0; }
static void no_velocities(hn_fclib *f) { f->rows = 0; }
static void infinite(hn_fclib *f) { f->W.value[2] = INFINITY; }

static void inconsistent_files(void **state)
{
  (void)state;
  inconsistent(NULL, "");
  inconsistent(plane_of_three, "3 x 3");
  inconsistent(four_dimensions, "spacedim is 4");
  inconsistent(row_outside, "inconsistent");
  inconsistent(not_square, "6 x 3");
  inconsistent(tall_coupling, "4 x 1");
  inconsistent(not_a_number, "not a number");
  inconsistent(negative_friction, "friction");
  inconsistent(not_symmetric, "symmetric");
  inconsistent(no_velocities, "not 3");
  inconsistent(infinite, "inf");
}

static void what_such_files_do_not_have(void **state)
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

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(what_is_written_is_read),
    cmocka_unit_test(without_a_solution_or_equations),
    cmocka_unit_test(truncated_files),
    cmocka_unit_test(inconsistent_files),
    cmocka_unit_test(what_such_files_do_not_have),
  };
  snprintf(path, sizeof path, "test_problem_files.%d.hdf5", (int)getpid());
  int failed = cmocka_run_group_tests_name("problem files", tests, NULL, NULL);
  unlink(path);
  return failed;
}
