/* test_hdf5_tables.c - tables as HDF5 files in memory: their bytes, by the format's specification, and
 * names that are refused. The HDF5 library is not used. Source: HDF5 File Format Specification, section
 * IV.A.2. */
#include "check.h"
#include "run.h"

#include <stdlib.h>
#include <time.h>

typedef struct table {
  unsigned char *bytes;
  size_t size;
} table;

/* Makes the file of a table, or returns -1 with an error. Without HDF5 the test is skipped. */
static int make(table *t, const hn_column *column, size_t columns, size_t rows, hn_error *error)
{
#ifndef HN_WITH_HDF5
  skip();
#endif
  void *bytes = NULL;
  *t = (table){ .bytes = NULL };
  const int status = hn_table_hdf5(column, columns, rows, &bytes, &t->size, error);
  t->bytes = bytes;
  return status;
}

/* Returns the number of places in the file with these bytes. */
static int places_of(const table *t, const unsigned char *bytes, size_t count)
{
  int places = 0;
  for (size_t i = 0; i + count <= t->size; i++) places += memcmp(t->bytes + i, bytes, count) == 0;
  return places;
}

/* A text of LENGTH bytes, padded with zeros, has the data type: class 3 and version 1; padding 1 and
 * character set, 0 for ASCII and 1 for UTF-8; two bytes of zeros; its length in four bytes. */
static int types_of(const table *t, unsigned set, unsigned length)
{
  const unsigned char type[] = {
    0x13, (unsigned char)(0x01 | set << 4), 0, 0, (unsigned char)length, 0, 0, 0
  };
  return places_of(t, type, sizeof type);
}

static char *const latin[] = { "plain", "letters", "all of it" }, *const mixed[] = { "Größe µ", "x", "" },
                   *const late[] = { "a", "b", "naïve" };
static const double numbers[] = { 1, -2, 0.5 };

/* Texts are UTF-8 if one of them has a byte above 127, and ASCII otherwise. */
static void texts_have_their_character_set(void **unused)
{
  (void)unused;
  const hn_column column[] = { { .name = "latin", .text = latin },
                               { .name = "mixed", .text = mixed },
                               { .name = "late", .text = late } };
  static const struct {
    unsigned utf8, length;
  } expected[] = { { 0, 9 }, { 1, 10 }, { 1, 6 } }; /* bytes of the longest text */
  for (int c = 0; c < 3; c++) {
    table t;
    hn_error error = { "" };
    if (make(&t, &column[c], 1, 3, &error)) fail_msg("%s", error.text);
    for (unsigned set = 0; set < 2; set++) {
      printf("  %s, %s: ", column[c].name, set ? "UTF-8" : "ASCII");
      ASSERT_COUNT("data types", types_of(&t, set, expected[c].length), set == expected[c].utf8);
    }
    free(t.bytes);
  }
}

/* No four bytes of the file are the present time in seconds, so that equal tables give equal bytes at any
 * time. */
static void files_have_no_times(void **unused)
{
  (void)unused;
  const hn_column column[] = { { .name = "numbers", .number = numbers },
                               { .name = "latin", .text = latin },
                               { .name = "mixed", .text = mixed } };
  table t;
  hn_error error = { "" };
  const uint32_t before = (uint32_t)time(NULL);
  if (make(&t, column, 3, 3, &error)) fail_msg("%s", error.text);
  const uint32_t after = (uint32_t)time(NULL);
  int times = 0;
  for (uint32_t now = before; now <= after; now++) {
    unsigned char bytes[4];
    for (int i = 0; i < 4; i++) bytes[i] = (unsigned char)(now >> 8 * i);
    times += places_of(&t, bytes, sizeof bytes);
  }
  printf("  %zu bytes: ", t.size);
  ASSERT_COUNT("times", times, 0);
  free(t.bytes);
}

/* A slash would make groups of a name, and a dot is the group itself. Dots within a name are part of it. */
static void names_of_columns_are_names_of_data_sets(void **unused)
{
  (void)unused;
  static const struct {
    const char *name;
    bool good;
  } each[] = { { "a.b", true }, { "..", true },  { "größe", true }, { "a b\"c", true }, { "a/b", false },
               { "/", false },  { "/a", false }, { "a/", false },   { ".", false },     { "./a", false } };
  for (size_t i = 0; i < sizeof each / sizeof *each; i++)
    for (int text = 0; text < 2; text++) {
      const hn_column column[] = {
        { .name = "first", .number = numbers },
        { .name = each[i].name, .number = text ? NULL : numbers, .text = text ? latin : NULL }
      };
      table t;
      hn_error error = { "" };
      const int status = make(&t, column, 2, 3, &error);
      printf("  %s: %s\n", each[i].name, status ? error.text : "a column");
      assert_int_equal(status, each[i].good ? 0 : -1);
      if (each[i].good)
        assert_true(places_of(&t, (const unsigned char *)each[i].name, strlen(each[i].name)) > 0);
      else assert_true(!t.bytes && strstr(error.text, each[i].name));
      free(t.bytes);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(texts_have_their_character_set),
    cmocka_unit_test(files_have_no_times),
    cmocka_unit_test(names_of_columns_are_names_of_data_sets),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
