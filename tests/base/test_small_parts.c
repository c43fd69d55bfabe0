/* test_small_parts.c - arrays that grow, lists of arrays, the error handler of GSL, and the streams of code
 * from static libraries. */
#include "check.h"
#include "base/array.h"
#include "base/quiet.h"

#include <gsl/gsl_errno.h>
#include <malloc.h>
#include <stdlib.h>

typedef struct wide {
  double number[8]; /* more than an allocation is rounded up by */
} wide;

/* After each call there is room for one more element, and the elements are those before. */
static void growing_arrays_have_room_for_one_more(void **unused)
{
  (void)unused;
  enum { MOST = 70 };
  wide *array = NULL;
  int moved = 0, most = 0;
  for (int count = 0; count < MOST; count++) {
    wide *grown = hn_array_grow(array, count, sizeof *grown);
    assert_non_null(grown);
    const size_t room = malloc_usable_size(grown) / sizeof *grown;
    if (room < (size_t)count + 1) fail_msg("%d elements, room for %zu: FAILED", count, room);
    moved += room > (size_t)most, most = (int)room;
    array = grown;
    array[count].number[0] = count, array[count].number[7] = -count;
    for (int i = 0; i <= count; i++) assert_true(array[i].number[0] == i && array[i].number[7] == -i);
  }
  free(array);
  ASSERT_COUNT("capacities up to 70: 1, 2, 4, ... 128", moved, 8);
}

static void lists_of_arrays_are_zero_and_apart(void **unused)
{
  (void)unused;
  hn_arrays arrays = { .first = NULL };
  double *a;
  int *b;
  char *c;
  assert_int_equal(hn_arrays_allocate(&arrays, NULL, HN_ARRAY(a, 5), HN_ARRAY(b, 3), HN_ARRAY(c, 0)), 0);
  assert_true(a && b && c && !arrays.failed);
  for (int i = 0; i < 5; i++) assert_true(a[i] == 0);
  for (int i = 0; i < 3; i++) assert_true(b[i] == 0);
  for (int i = 0; i < 5; i++) a[i] = 1;
  for (int i = 0; i < 3; i++) assert_true(b[i] == 0);
  hn_arrays_free(&arrays);
  assert_null(arrays.first);
}

extern FILE *hn_stdin, *hn_stdout, *hn_stderr; /* lib/base/streams.c: in place of the names in that code */

static void streams_are_those_of_the_program(void **unused)
{
  (void)unused;
  assert_ptr_equal(hn_stdin, stdin);
  assert_ptr_equal(hn_stdout, stdout);
  assert_ptr_equal(hn_stderr, stderr);
}

static void ignore(const char *reason, const char *file, int line, int code)
{
  (void)reason, (void)file, (void)line, (void)code;
}

/* NULL is the handler of GSL that aborts. Later calls do not touch a handler that the host has set since. */
static void the_handler_of_gsl_does_not_abort(void **unused)
{
  (void)unused;
  gsl_set_error_handler(NULL);
  hn_quiet_gsl();
  gsl_error_handler_t *quiet = gsl_set_error_handler(ignore);
  printf("  the handler after hn_quiet_gsl %s\n", quiet ? "is another one" : "aborts: FAILED");
  assert_true(quiet != NULL && quiet != ignore);
  hn_quiet_gsl();
  assert_true(gsl_set_error_handler(NULL) == ignore);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(growing_arrays_have_room_for_one_more),
    cmocka_unit_test(lists_of_arrays_are_zero_and_apart),
    cmocka_unit_test(the_handler_of_gsl_does_not_abort),
    cmocka_unit_test(streams_are_those_of_the_program),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
