/* test_forces.c - contract of the registered force types, each of which must have a row here: law against
 * power series, power against stored energy, action against reaction. */
#include "every_solver.h"

#include <stdlib.h>

/* A force in one regime: its settings and inputs. */
typedef struct regime {
  const char *type, *settings;
  double input[3];
} regime;

static const regime regimes[] = {
  { "spring", "stiffness=30,damping=2", { 0 } },
  { "angular_spring", "stiffness=3,damping=0.4,rest=0.2", { 0 } },
  { "axial_spring", "stiffness=20,damping=1.5,rest=-0.1", { 0 } },
  { "force", NULL, { 0 } },
  { "torque", NULL, { 0 } },
  { "body_force", NULL, { 0.7 } },
  { "body_torque", NULL, { -0.4 } },
  { "motor", "gain=2,limit=100", { 0.3 } },
  { "motor", "gain=200,limit=0.05", { 3 } }, /* at its limit, as in the similar rows below */
  { "axial_motor", "gain=2,limit=100", { 0.3 } },
  { "axial_motor", "gain=200,limit=0.05", { -5 } },
  { "servo", "stiffness=5,damping=0.5,integral=2,limit=100", { 0.2, 0.3 } },
  { "servo", "stiffness=500,damping=0.5,limit=0.05", { 1 } },
  { "axial_servo", "stiffness=5,damping=0.5,integral=2,limit=100", { 0.2, 0.3 } },
  { "axial_servo", "stiffness=500,damping=0.5,limit=0.05", { -4 } },
  { "driver", "speed=2,limit=1000,gain=10,shortest=0.1,longest=9", { 1, 0.1 } },
  { "driver", "speed=2,limit=1000,gain=10,shortest=0.1,longest=9", { -1, 9 } },
  { "driver", "speed=2,limit=0.01,gain=10,shortest=0.1,longest=9", { 1, 0.1 } },
  { "mouse_spring", "stiffness=4,damping=0.5", { 0.3, -0.2, 0.7 } },
  /* held at 5 m; the others are not */
  { "driver", "speed=2,limit=1,damping=3,shortest=0.1,longest=9", { 0, 5 } },
};
enum { REGIMES = sizeof regimes / sizeof *regimes };

/* Returns the next number in [-1, 1] of a reproducible sequence. */
static double next_number(void)
{
  static uint32_t seed = 2024;
  seed = seed * 1664525u + 1013904223u;
  return (double)(int32_t)seed / 2147483648.0;
}

static void fill(double *a, int n)
{
  for (int i = 0; i < n; i++) a[i] = next_number();
}

static void draw_body(hn_model *model, const char *name)
{
  hn_error error;
  hn_body_spec spec = {
    .name = name, .kind = HN_RIGID, .has_mass = true, .mass = 1.0, .inertia = { 0.3, 0.4, 0.5 }
  };
  fill(spec.position, 3), fill(spec.orientation, 4), fill(spec.velocity, 3), fill(spec.angular_velocity, 3);
  must(hn_model_add_body(model, &spec, &error), &error);
}

/* Returns two bodies in general position and motion with the force between them, without gravity. */
static hn_model *build(const regime *r)
{
  hn_error error;
  hn_model *model = hn_model_create((const double[3]){ 0, 0, 0 });
  assert_non_null(model);
  draw_body(model, "a"), draw_body(model, "b");
  hn_force_spec spec = { .geometry = { .type = r->type,
                                       .a = 1,
                                       .b = 2,
                                       .has_points = true,
                                       .axis_a = { 1, -0.5, 0.3 },
                                       .motion = { { 0.4, -0.3, 0.2 }, 0.3, 1.7, 0.5 } },
                         .vector = { 1.5, -0.7, 0.4 },
                         .has_motion = true,
                         .settings = r->settings };
  fill(spec.geometry.at_a, 3), fill(spec.geometry.at_b, 3);
  must(hn_model_add_force(model, &spec, &error), &error);
  return model;
}

static void every_type_has_a_row(void **state)
{
  (void)state;
  size_t count;
  const hn_force_type *const *types = hn_force_types(&count);
  for (size_t i = 0; i < count; i++) {
    int rows = 0;
    for (int r = 0; r < REGIMES; r++) rows += strcmp(regimes[r].type, types[i]->name) == 0;
    printf("  %-16s in %d regimes\n", types[i]->name, rows);
    assert_true(rows > 0);
  }
}

/* ---- The law against its power series ------------------------------------------------------------------ */

enum { POWERS = 14, ROWS = 3 };

/* Coefficients of cubic coordinates in s = t - t0. */
typedef struct cubics {
  double g[ROWS][4];
} cubics;

static void cubics_at(const cubics *c, double s, double g[ROWS], double rate[ROWS])
{
  for (int r = 0; r < ROWS; r++) {
    const double *p = c->g[r];
    g[r] = p[0] + s * (p[1] + s * (p[2] + s * p[3]));
    rate[r] = p[1] + s * (2 * p[2] + 3 * s * p[3]);
  }
}

/* Computes the power series of the force along the cubics, up to power POWERS - 1. */
static void force_series(const hn_force *force, double t, const double *input, const cubics *c,
                         double Q[ROWS * POWERS])
{
  double g[ROWS * POWERS] = { 0 }, rate[ROWS * POWERS] = { 0 };
  for (int r = 0; r < ROWS; r++)
    for (int k = 0; k < 4; k++) {
      g[r * POWERS + k] = c->g[r][k];
      if (k > 0) rate[r * POWERS + k - 1] = k * c->g[r][k];
    }
  assert_int_equal(force->type->jet_series, 0); /* no registered type needs work space */
  for (size_t k = 0; k < POWERS; k++) force->type->jet(force, t, input, g, rate, POWERS, k, NULL, Q);
}

/* The sum of the series, 0.1 s away, equals the law: that bounds errors of coefficient k by 1e-12 / 0.1^k. */
static void law_agrees_with_jet(void **state)
{
  (void)state;
  const double t = 0.4;
  for (int i = 0; i < REGIMES; i++) {
    double largest = 0.0, scale = 0.0;
    hn_model *model = build(&regimes[i]);
    const hn_force *force = &model->force[0];
    for (int trial = 0; trial < 20; trial++) {
      cubics c;
      double Q[ROWS * POWERS] = { 0 }, g[ROWS], rate[ROWS], exact[ROWS];
      fill(c.g[0], 4 * ROWS);
      if (strcmp(regimes[i].type, "driver") == 0) c.g[0][0] += 2.0; /* a length between its bounds */
      force_series(force, t, regimes[i].input, &c, Q);
      for (double s = -0.1; s < 0.11; s += 0.05) {
        cubics_at(&c, s, g, rate);
        hn_force_law(force, t + s, regimes[i].input, g, rate, exact);
        for (int r = 0; r < force->rows.type->rows; r++) {
          double sum = 0.0;
          for (int k = POWERS; k-- > 0;) sum = sum * s + Q[r * POWERS + k];
          largest = larger(largest, fabs(sum - exact[r])), scale = larger(scale, fabs(exact[r]));
        }
      }
    }
    printf(" %s %s\n", regimes[i].type, regimes[i].settings ? regimes[i].settings : "");
    check_below("law against the sum of its series, relative", largest / scale, 1e-12);
    hn_model_free(model);
  }
}

/* ---- Power, energy, reaction --------------------------------------------------------------------------- */

/* Advances the state by time e at constant twists. */
static void displace(const hn_state *from, double e, hn_state *to)
{
  hn_state_copy(to, from);
  for (int i = 1; i < from->nbody; i++) {
    const double *w = from->twist[i].w, half = 0.5 * e * vec_norm(w);
    double turn[4] = { cos(half) };
    vec_add_scaled(to->pose[i].x, e, from->twist[i].v);
    vec_scale(turn + 1, 0.5 * e * sin(half) / half, w);
    quat_mul(to->pose[i].q, turn, from->pose[i].q);
  }
}

/* Returns the derivative of MEASURED along the motion; the error is of order 4 in the spacing. */
static double derivative(const hn_model *model, const hn_state *at,
                         double (*measured)(const hn_model *, const hn_state *))
{
  const double e = 1e-3;
  double sum = 0.0;
  hn_state *near = hn_state_create(model);
  for (int i = -2; i <= 2; i++) {
    static const double weight[] = { 1, -8, 0, 8, -1 };
    if (i == 0) continue;
    displace(at, i * e, near);
    sum += weight[i + 2] * measured(model, near) / (12 * e);
  }
  hn_state_free(near);
  return sum;
}

static double stored_energy(const hn_model *model, const hn_state *at)
{
  hn_measure m;
  hn_measure_state(model, at, &m);
  return m.potential;
}

static double coordinate(const hn_model *model, const hn_state *at)
{
  const hn_joint *rows = &model->force[0].rows;
  double g[6];
  rows->type->eval(rows, 0.0, &at->pose[rows->a], &at->twist[rows->a], &at->pose[rows->b],
                   &at->twist[rows->b], &(hn_rows){ .g = g });
  return g[0];
}

static void forces_at(const hn_model *model, const hn_state *at, double wrench[18])
{
  hn_error error;
  hn_system *system = hn_system_create(model, &error);
  assert_non_null(system);
  hn_system_forces(system, at, wrench);
  hn_system_free(system);
}

static double power_of(const hn_state *at, const double *wrench)
{
  double sum = 0.0;
  for (int i = 1; i < 3; i++)
    sum += vec_dot(wrench + 6 * i, at->twist[i].v) + vec_dot(wrench + 6 * i + 3, at->twist[i].w);
  return sum;
}

/* Returns the number after KEY in SETTINGS, or 0. */
static double setting(const char *settings, const char *key)
{
  const char *found = settings ? strstr(settings, key) : NULL;
  return found ? strtod(found + strlen(key), NULL) : 0.0;
}

/* Power = -dE/dt - damping (dx/dt)^2. */
static void power_is_the_loss_of_stored_energy(void **state)
{
  (void)state;
  int stores = 0;
  for (int i = 0; i < REGIMES; i++) {
    double largest = 0.0, damping = setting(regimes[i].settings, "damping=");
    for (int trial = 0; trial < 20; trial++) {
      hn_model *model = build(&regimes[i]);
      if (!model->force[0].type->energy) {
        hn_model_free(model);
        continue;
      }
      double wrench[18];
      hn_state *at = hn_state_create(model);
      forces_at(model, at, wrench);
      double rate = derivative(model, at, coordinate),
             lost = derivative(model, at, stored_energy) + damping * rate * rate;
      largest = larger(largest, fabs(power_of(at, wrench) + lost) / (1.0 + fabs(lost)));
      hn_state_free(at);
      hn_model_free(model);
      stores++;
    }
    if (hn_force_type_find(regimes[i].type, NULL)->energy) {
      printf(" %s\n", regimes[i].type);
      check_below("power against released and damped energy", largest, 1e-8);
    }
  }
  assert_true(stores > 0);
}

/* Forces of a pair sum to zero, and so do their moments about the origin. Points are made to coincide first,
 * because a force at a point of b has an arm at the point of a. */
static void action_equals_reaction(void **state)
{
  (void)state;
  for (int i = 0; i < REGIMES; i++) {
    double largest = 0.0;
    for (int trial = 0; trial < 20; trial++) {
      hn_model *model = build(&regimes[i]);
      hn_state *at = hn_state_create(model);
      const hn_joint *rows = &model->force[0].rows;
      double wrench[18], total[3], moment[3], pa[3], pb[3];
      memcpy(at->input, regimes[i].input, sizeof *at->input * (size_t)at->ninput);
      quat_rotate(pa, at->pose[1].q, rows->point_a), quat_rotate(pb, at->pose[2].q, rows->point_b);
      if (strcmp(rows->type->name, "point_on_point") == 0) /* make the points coincide */
        for (int c = 0; c < 3; c++) at->pose[2].x[c] = at->pose[1].x[c] + pa[c] - pb[c];
      forces_at(model, at, wrench);
      vec_add(total, wrench + 6, wrench + 12);
      largest = larger(largest, vec_norm(total));
      vec_add(total, wrench + 9, wrench + 15);
      for (int b = 1; b < 3; b++) {
        vec_cross(moment, at->pose[b].x, wrench + 6 * b);
        vec_add(total, total, moment);
      }
      largest = larger(largest, vec_norm(total));
      hn_state_free(at);
      hn_model_free(model);
    }
    printf(" %s %s\n", regimes[i].type, regimes[i].settings ? regimes[i].settings : "");
    check_below("sums of forces and moments, N and N m", largest, 1e-12);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_type_has_a_row),
    cmocka_unit_test(law_agrees_with_jet),
    cmocka_unit_test(power_is_the_loss_of_stored_energy),
    cmocka_unit_test(action_equals_reaction),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
