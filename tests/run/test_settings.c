/* test_settings.c - settings as text: accepted, refused and written values of a table of parameters; edit
 * distance of words; and the settings reported by solvers. */
#include "models.h"
#include "base/params.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef struct settings {
  double size, none;
  int count, flag, choice, pair[2];
  const char *text;
} settings;

static const hn_param table[] = {
  { "size", HN_REAL, offsetof(settings, size), "0.5", 0.25, 4, "m", NULL, "" },
  { "none", HN_REAL, offsetof(settings, none), "", -1, 1, "", NULL, "" },
  { "count", HN_INTEGER, offsetof(settings, count), "3", 1, 10, "", NULL, "" },
  { "flag", HN_FLAG, offsetof(settings, flag), "false", 0, 0, "", NULL, "" },
  { "choice", HN_CHOICE, offsetof(settings, choice), "second", 0, 0, "", "first,second,secondary,last", "" },
  { "pair", HN_PAIR, offsetof(settings, pair), "", -9, 9, "", NULL, "" },
  { "text", HN_TEXT, offsetof(settings, text), "", 0, 0, "", NULL, "" },
  { .key = NULL },
};

static settings read_settings(const char *text)
{
  settings s;
  hn_error error;
  hn_text *texts = NULL;
  if (hn_params_read(table, "owner", text, &s, &texts, &error)) fail_msg("%s: %s", text, error.text);
  hn_texts_free(texts);
  return s;
}

static void missing_settings_have_defaults(void **state)
{
  (void)state;
  settings s = read_settings(NULL);
  check_near("size", s.size, 0.5, 0.0);
  assert_true(isnan(s.none) && s.count == 3 && !s.flag && s.choice == 1 && s.pair[0] == 0 && s.pair[1] == 0);
  s = read_settings("");
  assert_true(s.size == 0.5 && s.choice == 1);
}

static void given_settings_are_read(void **state)
{
  (void)state;
  settings s = read_settings("size=4,none=-1,count=10,flag=true,choice=secondary,pair=-9:7");
  check_near("size, its upper bound", s.size, 4.0, 0.0);
  check_near("none, its lower bound", s.none, -1.0, 0.0);
  ASSERT_COUNT("count", s.count, 10);
  ASSERT_COUNT("choice", s.choice, 2);
  ASSERT_COUNT("second of the pair", s.pair[1], 7);
  assert_true(s.flag == 1 && s.pair[0] == -9);
  s = read_settings("choice=last,flag=0,size=0.25");
  assert_true(s.choice == 3 && s.flag == 0 && s.size == 0.25);
}

static void invalid_settings_are_refused(void **state)
{
  (void)state;
  static const struct {
    const char *text, *message;
  } cases[] = {
    { "size=4.0000001", "size = 4.0000001 is outside 0.25 to 4 (m)" },
    { "size=0.2", "outside 0.25 to 4" },
    { "size=nan", "must be a number" },
    { "size=inf", "must be a number" },
    { "size=1x", "must be a number" },
    { "size=", "must be a number" },
    { "count=2.5", "must be a whole number" },
    { "count=11", "outside 1 to 10" },
    { "flag=yes", "true or false" },
    { "choice=sec", "one of first,second,secondary,last" },
    { "choice=firsts", "one of" },
    { "choice=", "one of" },
    { "pair=1", "two whole numbers" },
    { "pair=1:", "two whole numbers" },
    { "pair=1:10", "outside -9 to 9" },
    { "pair=1:2:3", "two whole numbers" },
    { "pair=1:2.5", "two whole numbers" },
    { "size=1,size=1", "size is given twice" },
    { "size", "not of the form" },
    { "sise=1", "did you mean \"size\"?" },
    { "size=1,,count=2", "not of the form" },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    settings s;
    hn_error error = { "" };
    hn_text *texts = NULL;
    int status = hn_params_read(table, "owner", cases[i].text, &s, &texts, &error);
    printf("  %-18s %s\n", cases[i].text, error.text);
    assert_int_equal(status, -1);
    assert_non_null(strstr(error.text, cases[i].message));
    hn_texts_free(texts);
  }
}

/* Written values are read back to the bit and have no more digits than needed: 17 only where 15 are too
 * few. */
static void written_settings_are_read_back(void **state)
{
  (void)state;
  static const struct {
    double size;
    const char *text;
  } cases[] = {
    { 0.5, "size=0.5," },
    { 1.0 / 3.0, "size=0.3333333333333333," },
    { 3.0000000000000004, "size=3.0000000000000004," },
    { 0.3, "size=0.3," },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    settings s = read_settings("none=0,choice=secondary,pair=2:3,flag=true");
    s.size = cases[i].size, s.text = "as it is";
    char *text = hn_params_write(table, "owner", &s);
    printf("  %s\n", text);
    assert_non_null(strstr(text, cases[i].text));
    assert_non_null(strstr(text, ",flag=true,choice=secondary,pair=2:3,text=as it is"));
    settings again = read_settings(strchr(text, ':') + 1);
    check_near("read back", again.size, s.size, 0.0);
    free(text);
  }
}

/* An inserted, deleted or replaced letter counts one each; of equally near words the first is returned. */
static void edit_distance_of_words(void **state)
{
  (void)state;
  static const struct {
    const char *word, *candidate[2];
    int nearest;
  } cases[] = {
    { "abcdef", { "abcdefg", "xbcdef" }, 0 }, { "abcdef", { "abcde", "xbcdef" }, 0 },
    { "abcdef", { "xbcdef", "abcde" }, 0 },   { "abcdef", { "xbcdef", "abcdefg" }, 0 },
    { "abcdef", { "xxcdef", "abcdexf" }, 1 }, { "abcdef", { "abcdefgh", "bcdef" }, 1 },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const char *near = hn_nearest(cases[i].word, cases[i].candidate, 2);
    printf("  %s -> %s\n", cases[i].word, near ? near : "none");
    assert_ptr_equal(near, cases[i].candidate[cases[i].nearest]);
  }
  static const char *const far[] = { "wxyz" };
  assert_null(hn_nearest("abcd", far, 1));
}

/* ---- Settings reported by solvers ---------------------------------------------------------------------- */

static uint64_t hash_of(hn_solver *solver, const hn_model *model)
{
  hn_state *at = hn_state_create(model);
  hn_summary summary;
  hn_run_options options = { .step = 0.01, .duration = 0.2 };
  hn_run(solver, at, &options, &summary);
  hn_state_free(at);
  return summary.hash;
}

/* A solver created from the spec reported by another one is equal to it. */
static void reported_specs_create_equal_solvers(void **state)
{
  (void)state;
  static const char *const specs[] = {
    "impulse-gs",
    "impulse-gs:tolerance=3.3e-7,relaxation=1.2345678901234567,flight=taylor,flight_order=4",
    "impulse-gs:sweeps=3,flight=exact",
    "impulse-sle",
    "impulse-sle:linear=dense,tolerance=1e-5,iterations=7",
    "impulse-sle:linear=ksp,petsc=-ksp_type minres -pc_type jacobi",
    "lagrange",
    "lagrange:stepper=rkf45,adaptive=true,error_tolerance=0.0000123",
    "lagrange:stabilisation=baumgarte,alpha=7.1,beta=9.3",
  };
  hn_model *model = mixed();
  for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
    hn_solver *solver = new_solver(specs[i], model), *again = new_solver(solver->spec, model);
    uint64_t hash = hash_of(solver, model), same = hash_of(again, model);
    printf("  %016" PRIx64 " %016" PRIx64 "  %.80s\n", hash, same, solver->spec);
    assert_string_equal(solver->spec, again->spec);
    assert_true(hash == same && hash != HN_HASH_START);
    hn_solver_free(solver), hn_solver_free(again);
  }
  hn_model_free(model);
}

/* The spec contains every key of the table, with its default value. */
static void specs_contain_every_parameter(void **state)
{
  (void)state;
  size_t count, keys = 0;
  const hn_solver_type *const *types = hn_solver_types(&count);
  hn_model *model = double_pendulum();
  for (size_t i = 0; i < count; i++) {
    hn_solver *solver = new_solver(types[i]->name, model);
    for (const hn_param *p = types[i]->params; p->key; p++, keys++) {
      char word[64];
      snprintf(word, sizeof word, "%c%s=", p == types[i]->params ? ':' : ',', p->key);
      const char *at = strstr(solver->spec, word);
      if (!at) fail_msg("%s lacks %s", solver->spec, p->key);
      at += strlen(word);
      if (p->kind == HN_REAL || p->kind == HN_INTEGER)
        assert_true(strtod(at, NULL) == strtod(p->initial, NULL));
      else assert_int_equal(strncmp(at, p->initial, strlen(p->initial)), 0);
    }
    hn_solver_free(solver);
  }
  printf("  %zu keys of %zu solvers\n", keys, count);
  hn_model_free(model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(missing_settings_have_defaults), cmocka_unit_test(given_settings_are_read),
    cmocka_unit_test(invalid_settings_are_refused),   cmocka_unit_test(written_settings_are_read_back),
    cmocka_unit_test(edit_distance_of_words),         cmocka_unit_test(reported_specs_create_equal_solvers),
    cmocka_unit_test(specs_contain_every_parameter),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
