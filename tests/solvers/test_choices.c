/* test_choices.c - the choices of every solver, all pairs of their values, on six models with answers. A
 * choice that is right alone may be wrong beside another one. Combinations that make no sense are refused. */
#include "models.h"
#include "base/vec.h"

#include <stdlib.h>

#define STEP 0.005   /* s */
#define DURATION 0.5 /* s */
static const double gravity = 9.81;

/* ---- Models with answers ------------------------------------------------------------------------------- */

/* A model; place of its last body in the plane of motion at DURATION (m); its largest speed (m/s). */
typedef struct answer {
  hn_model *model;
  double x, y, speed;
} answer;

static void collide(hn_model *model)
{
  hn_error error;
  if (hn_model_collide(model, &(hn_contact_spec){ .margin = 0.02 }, &error)) fail_msg("%s", error.text);
}

static answer flight(void)
{
  hn_body_spec body = rigid_body("body", 2.0, 0.1, 0.2, 0.25);
  answer a = { .model = new_model(), .x = 1.5 * DURATION, .y = (1.0 - 0.5 * gravity * DURATION) * DURATION };
  vec_set(body.velocity, 1.5, 1.0, 0), vec_set(body.angular_velocity, 1.0, 2.0, 3.0);
  must_add(a.model, &body);
  a.speed = 5.0;
  return a;
}

/* Computes the angle of a pendulum of length 1 m, released at rest at ANGLE, by classical Runge-Kutta steps
 * so short that their error is rounding. */
static double pendulum_angle(double angle)
{
  enum { STEPS = 20000 };
  const double h = DURATION / STEPS;
  double y[2] = { angle, 0 };
  for (int i = 0; i < STEPS; i++) {
    static const double weight[4] = { 1 / 6.0, 1 / 3.0, 1 / 3.0, 1 / 6.0 }, part[4] = { 0, 0.5, 0.5, 1 };
    double k[2] = { 0, 0 }, next[2] = { y[0], y[1] };
    for (int s = 0; s < 4; s++) {
      const double at[2] = { y[0] + part[s] * h * k[0], y[1] + part[s] * h * k[1] };
      k[0] = at[1], k[1] = -gravity * sin(at[0]);
      next[0] += h * weight[s] * k[0], next[1] += h * weight[s] * k[1];
    }
    y[0] = next[0], y[1] = next[1];
  }
  return y[0];
}

static answer pendulum(void)
{
  const double start = 1.2, end = pendulum_angle(start);
  answer a = {
    .model = new_model(), .x = sin(end), .y = -cos(end), .speed = sqrt(2 * gravity * (1 - cos(start)))
  };
  const hn_body_spec pivot = { .name = "pivot", .kind = HN_FIXED, .orientation = { 1 } };
  must_add(a.model, &pivot);
  add_particle(a.model, "bob", sin(start), -cos(start), 0);
  add_rod(a.model, 1, 2);
  return a;
}

/* Adds a plane through the origin whose normal leans by SLOPE, towards +x, and a body upon it. */
static void add_on_plane(hn_model *model, double slope, double friction, double restitution,
                         hn_body_spec body)
{
  const hn_body_spec floor = { .name = "floor",
                               .kind = HN_FIXED,
                               .shape = { .kind = HN_PLANE, .size = { sin(slope), cos(slope), 0 } },
                               .orientation = { 1 },
                               .restitution = restitution,
                               .friction = friction };
  body.name = "body", body.kind = HN_RIGID, body.density = 500, body.friction = friction;
  body.restitution = restitution;
  body.orientation[0] = cos(0.5 * slope), body.orientation[3] = -sin(0.5 * slope);
  must_add(model, &floor), must_add(model, &body);
  collide(model);
}

/* Returns a box on a slope with initial SPEED down the slope. */
static answer on_slope(double slope, double friction, double speed)
{
  const double half = 0.05, a0 = gravity * (sin(slope) - friction * cos(slope));
  const double stops = speed > 0 && a0 < 0 ? fmin(DURATION, -speed / a0) : DURATION;
  const double way = speed == 0 && a0 < 0 ? 0.0 : (speed + 0.5 * a0 * stops) * stops;
  hn_body_spec box = { .shape = { .kind = HN_BOX, .size = { 0.3, 2 * half, 0.3 } } };
  vec_set(box.position, half * sin(slope), half * cos(slope), 0);
  vec_set(box.velocity, speed * cos(slope), -speed * sin(slope), 0);
  answer a = { .model = new_model(), .speed = 2.5 };
  a.x = box.position[0] + way * cos(slope), a.y = box.position[1] - way * sin(slope);
  add_on_plane(a.model, slope, friction, 0.0, box);
  return a;
}

static answer slide(void)
{
  return on_slope(0.0, 0.3, 2.0);
}

static answer slip(void)
{
  return on_slope(0.5, 0.2, 0.0);
}

static answer stick(void)
{
  return on_slope(0.3, 0.8, 0.0);
}

/* A ball falls from 0.4 m and bounces with e = 0.5. */
static answer bounce(void)
{
  const double r = 0.1, fall = 0.4, e = 0.5, first = sqrt(2 * fall / gravity), left = DURATION - first;
  const hn_body_spec ball = { .shape = { .kind = HN_SPHERE, .size = { r } }, .position = { 0, r + fall, 0 } };
  answer a = { .model = new_model(), .speed = gravity * first };
  a.y = r + (e * a.speed - 0.5 * gravity * left) * left;
  add_on_plane(a.model, 0.0, 0.0, e, ball);
  return a;
}

static answer (*const builder[])(void) = { flight, pendulum, slide, slip, stick, bounce };
static const char *const model_names[] = { "flight", "pendulum", "slide", "slip", "stick", "bounce" };
enum { MODELS = sizeof builder / sizeof *builder };

/* ---- All pairs of values -------------------- */

enum { MAX_FACTORS = 24, MAX_VALUES = 16, MAX_WORD = 32 };
typedef struct factor {
  const char *key;
  int count;
  char value[MAX_VALUES][MAX_WORD];
} factor;

/* Factors of a solver, and which pairs of values no combination has had yet. */
typedef struct design {
  int count;
  factor factor[MAX_FACTORS];
  bool open[MAX_FACTORS][MAX_VALUES][MAX_FACTORS][MAX_VALUES];
} design;

static void add_factor(design *d, const hn_param *param)
{
  const char *words = param->kind == HN_FLAG ? "true,false" : param->choices;
  assert_true(d->count < MAX_FACTORS);
  factor *f = &d->factor[d->count++];
  f->key = param->key;
  while (*words) {
    const size_t length = strcspn(words, ",");
    assert_true(f->count < MAX_VALUES && length < MAX_WORD);
    memcpy(f->value[f->count++], words, length);
    words += length + (words[length] == ',');
  }
}

static void start_design(design *d, const hn_solver_type *type)
{
  memset(d, 0, sizeof *d);
  for (const hn_param *p = type->params; p && p->key; p++)
    if (p->kind == HN_CHOICE || p->kind == HN_FLAG) add_factor(d, p);
  for (int i = 0; i < d->count; i++)
    for (int j = i + 1; j < d->count; j++)
      for (int v = 0; v < d->factor[i].count; v++)
        for (int w = 0; w < d->factor[j].count; w++) d->open[i][v][j][w] = d->open[j][w][i][v] = true;
}

/* Returns the number of open pairs of value V of factor I with the values that are chosen. */
static int gain_of(const design *d, const int *chosen, int i, int v)
{
  int gain = 0;
  for (int j = 0; j < d->count; j++) gain += chosen[j] >= 0 && d->open[i][v][j][chosen[j]];
  return gain;
}

/* Chooses a combination: an open pair, then for each other factor the value that covers most open pairs.
 * Returns false if no pair is open. */
static bool next_combination(design *d, int *chosen)
{
  bool found = false;
  for (int i = 0; i < d->count; i++) chosen[i] = -1;
  for (int i = 0; i < d->count && !found; i++)
    for (int v = 0; v < d->factor[i].count && !found; v++)
      for (int j = i + 1; j < d->count && !found; j++)
        for (int w = 0; w < d->factor[j].count && !found; w++)
          if (d->open[i][v][j][w]) chosen[i] = v, chosen[j] = w, found = true;
  for (int i = 0; i < d->count; i++) {
    int best = 0;
    if (chosen[i] >= 0) continue;
    for (int v = 1; v < d->factor[i].count; v++)
      if (gain_of(d, chosen, i, v) > gain_of(d, chosen, i, best)) best = v;
    chosen[i] = best;
  }
  for (int i = 0; i < d->count; i++)
    for (int j = 0; j < d->count; j++) d->open[i][chosen[i]][j][chosen[j]] = false;
  return found;
}

static void write_spec(const hn_solver_type *type, const design *d, const int *chosen, char *spec,
                       size_t size)
{
  int at = snprintf(spec, size, "%s:", type->name);
  for (int i = 0; i < d->count; i++)
    at += snprintf(spec + at, size - (size_t)at, "%s%s=%s", i ? "," : "", d->factor[i].key,
                   d->factor[i].value[chosen[i]]);
  assert_true((size_t)at < size);
}

/* ---- The test -------------------- */

typedef struct tally {
  int right, refused, ended, wrong;
} tally;

/* Runs SPEC on model M: right if the last body ends within two steps at the largest speed of its place. */
static void try_model(int m, const char *spec, tally *t)
{
  answer a = builder[m]();
  hn_error error;
  hn_summary summary;
  hn_solver *solver = hn_solver_create(spec, a.model, &error);
  if (!solver) {
    assert_true(error.text[0] != '\0');
    t->refused++, hn_model_free(a.model);
    return;
  }
  hn_state *state = hn_state_create(a.model);
  const hn_run_options options = { .step = STEP, .duration = DURATION };
  const hn_reason reason = hn_run(solver, state, &options, &summary);
  const double *x = state->pose[state->nbody - 1].x, error_of = hypot(x[0] - a.x, x[1] - a.y);
  const bool right = error_of <= 2 * STEP * a.speed;
  if (reason != HN_CONVERGED)
    printf("  %s on %s: %s\n", spec, model_names[m], summary.explanation), t->ended++;
  else if (!right) printf("  %s on %s: error %.3g m WRONG\n", spec, model_names[m], error_of), t->wrong++;
  else t->right++;
  hn_state_free(state), hn_solver_free(solver), hn_model_free(a.model);
}

static void all_pairs_of_choices_are_right_or_refused(void **unused)
{
  (void)unused;
  size_t count;
  int wrong = 0;
  const hn_solver_type *const *types = hn_solver_types(&count);
  design *d = malloc(sizeof *d);
  assert_non_null(d);
  for (size_t i = 0; i < count; i++) {
    int chosen[MAX_FACTORS], rows = 0;
    tally t = { 0 };
    char spec[1024];
    if (needs_missing_library(types[i]->name)) continue;
    start_design(d, types[i]);
    while (next_combination(d, chosen) || rows == 0) {
      write_spec(types[i], d, chosen, spec, sizeof spec);
      if (d->count == 0) snprintf(spec, sizeof spec, "%s", types[i]->name);
      for (int m = 0; m < MODELS; m++) try_model(m, spec, &t);
      rows++;
    }
    printf("%-20s %2d choices, %2d combinations: %d runs right, %d refused, %d ended, %d wrong\n",
           types[i]->name, d->count, rows, t.right, t.refused, t.ended, t.wrong);
    assert_true(t.right > 0);
    wrong += t.wrong;
  }
  free(d);
  ASSERT_COUNT("wrong answers that say converged", wrong, 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = { cmocka_unit_test(all_pairs_of_choices_are_right_or_refused) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
