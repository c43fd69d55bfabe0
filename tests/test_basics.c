/* test_basics.c - what everything else stands on: errors and nearest words, masses of shapes, what a model refuses,
 * states, measures, fits, the step loop, records, parameters there and back. */
#include "models.h"
#include "vec.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Errors ------------------------------------------------------------------------------------------------------ */

static void errors_are_one_line_and_fail(void **state)
{
  (void)state;
  hn_error error = { "" };
  assert_int_equal(hn_fail(&error, "body \"%s\" weighs %g", "b", 0.5), -1);
  assert_string_equal(error.text, "body \"b\" weighs 0.5");
  assert_int_equal(hn_fail(NULL, "nobody listens"), -1);
  char longer[2 * sizeof error.text];
  memset(longer, 'x', sizeof longer - 1);
  longer[sizeof longer - 1] = '\0';
  hn_fail(&error, "%s", longer);
  assert_int_equal(strlen(error.text), sizeof error.text - 1);
}

static void nearest_word_is_the_one_meant(void **state)
{
  (void)state;
  static const char *const words[] = { "position", "orientation", "velocity", "mass", "density" };
  static const struct { const char *word, *nearest; } cases[] = {
    { "positon", "position" }, { "posiiton", "position" }, { "velocities", "velocity" }, { "mas", "mass" },
    { "densty", "density" },   { "mass", "mass" },         { "temperature", NULL },     { "", NULL },
  };
  char endless[400];
  memset(endless, 'm', sizeof endless - 1);
  endless[sizeof endless - 1] = '\0';
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const char *near = hn_nearest(cases[i].word, words, sizeof words / sizeof *words);
    printf("  \"%s\" -> %s\n", cases[i].word, near ? near : "none");
    if (cases[i].nearest) assert_string_equal(near, cases[i].nearest);
    else assert_null(near);
  }
  assert_null(hn_nearest("mass", words, 0));
  assert_null(hn_nearest(endless, words, sizeof words / sizeof *words));
}

static void every_reason_has_a_word(void **state)
{
  (void)state;
  for (int i = 0; i <= HN_INTERRUPTED; i++)
    for (int j = 0; j < i; j++)
      assert_string_not_equal(hn_reason_name((hn_reason)i), hn_reason_name((hn_reason)j));
}

/* ---- Masses: closed forms against the shapes cut into slices ------------------------------------------------------- */

/* Half the width of a shape of revolution about y at height y; negative outside. */
static double radius_at(const hn_shape *shape, double y)
{
  double r = shape->size[0], beyond = fabs(y) - (shape->kind == HN_SPHERE ? 0.0 : shape->size[1] / 2);
  if (shape->kind == HN_CYLINDER) return r;
  return beyond <= 0 ? r : sqrt(fmax(0.0, r * r - beyond * beyond));
}

/* Integrates mass and moments over discs at heights y (Gauss-Legendre with 5 points on each of many intervals that end
 * where the profile has its kinks): a disc of radius a has dm = pi a^2 dy, dJy = dm a^2 / 2, dJx = dm (a^2 / 4 + y^2). */
static void integrate_round(const hn_shape *shape, double density, double *mass, double J[3])
{
  static const double node[] = { 0, 0.538469310105683091, 0.906179845938663993 },
                      weight[] = { 0.568888888888888889, 0.478628670499366468, 0.236926885056189088 };
  double r = shape->size[0], half = shape->kind == HN_SPHERE ? 0.0 : shape->size[1] / 2;
  double ends[] = { 0.0, half, half + (shape->kind == HN_CYLINDER ? 0.0 : r) };
  double m = 0.0, Jx = 0.0, Jy = 0.0;
  for (int part = 0; part < 2; part++)
    for (int cell = 0; cell < 50; cell++)
      for (int k = -2; k <= 2; k++) {
        double width = (ends[part + 1] - ends[part]) / 50, y = ends[part] + width * (cell + 0.5 + 0.5 * copysign(node[abs(k)], k));
        double a = radius_at(shape, y), dm = 2 * density * M_PI * a * a * 0.5 * width * weight[abs(k)]; /* both halves */
        m += dm, Jy += dm * a * a / 2, Jx += dm * (a * a / 4 + y * y);
      }
  *mass = m, J[0] = J[2] = Jx, J[1] = Jy;
}
