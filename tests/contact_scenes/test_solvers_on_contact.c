/* test_solvers_on_contact.c - contacts with friction in solvers that combine them with joints: sticking,
 * sliding, stopping, rolling, impacts, stacks, and joints in the same scene. Compared with closed forms or
 * statics.
 * Bounds. A solver of order 1 errs by a step of acceleration in velocities, by a step of displacement in
 * positions. With impulse-gs constant friction is exact; a step in which friction changes costs h^2 of the
 * acceleration in positions. */
#include "able.h"

static const able solver_specs[] = {
  { "tgs-soft", 1, true }, { "xpbd", 1, true }, { "impulse-gs", 2, false }, { "impulse-contact", 2, false }
};
enum { SOLVERS = sizeof solver_specs / sizeof *solver_specs };

static const double g = 9.81;

/* Writes a scene with `body` on a floor with friction mu; the direction of gravity is inclined by `angle`. */
static void write_in_gravity(double gravity, double angle, double mu, const char *body)
{
  char text[3000];
  int length = snprintf(text, sizeof text,
                        "local scene = require 'holonom.scene'\n"
                        "local sys = scene.system { gravity = { %.17g, %.17g, 0 } }\n"
                        "local mu = %.17g\n"
                        "sys:body { name = 'floor', fixed = true, position = { 0, 0, 0 }, friction = mu,\n"
                        "           shape = scene.plane { normal = { 0, 1, 0 } } }\n"
                        "local function cube(name, x, y, v, extra)\n"
                        "  local spec = { name = name, shape = scene.box { 0.2, 0.2, 0.2 }, density = 1000,\n"
                        "                 friction = mu, position = { x, y, 0 }, velocity = { v, 0, 0 } }\n"
                        "  for key, value in pairs(extra or {}) do spec[key] = value end\n"
                        "  return sys:body(spec)\n"
                        "end\n%s\nsys:contact {}\nreturn sys",
                        gravity * sin(angle), -gravity * cos(angle), mu, body);
  assert_true(length > 0 && (size_t)length < sizeof text);
  write_bytes(text, (size_t)length);
}

static void write_on_floor(double angle, double mu, const char *body)
{
  write_in_gravity(g, angle, mu, body);
}

static trial run_on_floor(const able *m, double h, double duration)
{
  return ran(m, h, duration, &(watched){ 0 });
}

/* ---- A block ------------------------------------------------------------------------------------------- */

static void block_slides(void **unused)
{
  (void)unused;
  const double mu = 0.5, h = 0.01, angle = atan(1.05 * mu), a = g * (sin(angle) - mu * cos(angle));
  write_on_floor(angle, mu, "cube('b', 0, 0.1, 0)");
  for (int k = 0; k < SOLVERS; k++) {
    const able *m = &solver_specs[k];
    printf(" %s\n", m->name);
    trial one = run_on_floor(m, h, 1), two = run_on_floor(m, h, 2);
    check_near("speed, m/s", one.state->twist[2].v[0], a, by_order(m, g * h, 1e-6));
    check_near("displacement, m", one.state->pose[2].x[0], a / 2, by_order(m, g * h, 1e-6));
    check_near("acceleration in the second second, m/s^2",
               two.state->twist[2].v[0] - one.state->twist[2].v[0], a, by_order(m, 1e-3 * g, 1e-6));
    done(&one), done(&two);
  }
}

/* Sliding begins between 95 and 105 % of the limit angle. xpbd has no warm start: the friction missing
 * after its sweeps remains as creep. Bound without any friction on positions: g sin(angle) times the
 * substep, m/s. */
static void block_sticks(void **unused)
{
  (void)unused;
  const double mu = 0.5, h = 0.01, angle = atan(0.95 * mu), free = g * sin(angle) * h / 20;
  const struct {
    able solver_spec;
    double creep;
  } each[] = {
    { { "tgs-soft", 1, true }, 1e-6 },
    { { "xpbd", 1, true }, free },
    { { "xpbd:iterations=20", 1, true }, free / 20 },
    { { "impulse-gs", 2, false }, 1e-6 },
  };
  write_on_floor(angle, mu, "cube('b', 0, 0.1, 0)");
  for (size_t k = 0; k < sizeof each / sizeof *each; k++) {
    const able *m = &each[k].solver_spec;
    printf(" %s\n", m->name);
    trial one = run_on_floor(m, h, 1), two = run_on_floor(m, h, 2);
    check_below("displacement in the first second, m", one.state->pose[2].x[0],
                by_order(m, g * h * h, 0) + each[k].creep);
    check_below("in the second second, m", two.state->pose[2].x[0] - one.state->pose[2].x[0], each[k].creep);
    check_below("error of the height, m", two.state->pose[2].x[1] - 0.1, by_order(m, g * h * h, 1e-8));
    done(&one), done(&two);
  }
}

/* Oblique to the tangents of the contact, friction opposes the motion. */
static void friction_is_isotropic(void **unused)
{
  (void)unused;
  const double mu = 0.5, h = 0.01, v = 2, duration = 0.3;
  for (int k = 0; k < SOLVERS; k++)
    for (int i = 0; i < 4; i++) {
      char body[200];
      const double angle = i * M_PI / 12;
      snprintf(body, sizeof body, "cube('b', 0, 0.1, 0, { velocity = { %.17g, 0, %.17g } })", v * cos(angle),
               v * sin(angle));
      write_on_floor(0, mu, body);
      trial r = run_on_floor(&solver_specs[k], h, duration);
      const double *u = r.state->twist[2].v;
      printf(" %s, %d degrees\n", solver_specs[k].name, 15 * i);
      check_near("speed, m/s", hypot(u[0], u[2]), v - mu * g * duration,
                 by_order(&solver_specs[k], g * h, 1e-6));
      check_below("lateral velocity, m/s", u[2] * cos(angle) - u[0] * sin(angle),
                  by_order(&solver_specs[k], 1e-3 * v, 1e-7));
      done(&r);
    }
}

/* The stopping distance is v^2 / (2 mu g); the motion ends at the same fraction of a step for each h. */
static void stopping_distance_converges(void **unused)
{
  (void)unused;
  enum { STEPS = 6 };
  const double mu = 0.5, v = 2, time = v / (mu * g), way = 0.5 * v * time;
  write_on_floor(0, mu, "cube('b', 0, 0.1, 2)");
  for (int k = 0; k < SOLVERS; k++) {
    double x[STEPS], y[STEPS], mean_x = 0, mean_y = 0, above = 0, below = 0;
    printf(" %s\n", solver_specs[k].name);
    for (int i = 0; i < STEPS; i++) {
      const double h = time / (20 * (1 << i) + 0.37);
      trial r = run_on_floor(&solver_specs[k], h, 2 * time);
      const double error = r.state->pose[2].x[0] - way;
      printf("  h = %.6f s: error of the stopping distance %.3e m\n", h, error);
      check_below("speed at the end, m/s", r.state->twist[2].v[0],
                  by_order(&solver_specs[k], mu * g * h, 1e-7));
      if (solver_specs[k].order == 2) check_below("error, m", error, mu * g * h * h / 2 + 1e-6);
      x[i] = log(h), y[i] = log(fabs(error)), mean_x += x[i] / STEPS, mean_y += y[i] / STEPS;
      done(&r);
    }
    for (int i = 0; i < STEPS; i++)
      above += (x[i] - mean_x) * (y[i] - mean_y), below += (x[i] - mean_x) * (x[i] - mean_x);
    if (solver_specs[k].order == 1) check_near("order", above / below, 1, 0.2);
  }
}

/* ---- Balls --------------------------------------------------------------------------------------------- */

/* A ball slides until t = 2 v / (7 mu g), then rolls with 5/7 v: r w = v at the contact. */
static void ball_slides_then_rolls(void **unused)
{
  (void)unused;
  const double mu = 0.3, v = 2, h = 0.01, until = 2 * v / (7 * mu * g), duration = 1;
  write_on_floor(0, mu, "cube('b', 0, 0.1, 2, { shape = scene.sphere { radius = 0.1 } })");
  for (int k = 0; k < SOLVERS; k++) {
    const able *m = &solver_specs[k];
    printf(" %s\n", m->name);
    trial r = run_on_floor(m, h, duration);
    const double *u = r.state->twist[2].v, *w = r.state->twist[2].w;
    const double way = v * until - mu * g * until * until / 2 + v * 5 / 7 * (duration - until);
    check_near("speed, m/s", u[0], v * 5 / 7, by_order(m, mu * g * h, 1e-6));
    check_below("slip, m/s", u[0] + 0.1 * w[2], 1e-6);
    check_near("displacement, m", r.state->pose[2].x[0], way, by_order(m, v * h, mu * g * h * h));
    done(&r);
  }
}

/* v_n = 2 m/s down, e = 1/2, sliding throughout: 1 m/s up, tangential velocity less by mu (1 + e) v_n; the
 * angular velocity is 5/2 of that over the radius. */
static void impact_with_friction(void **unused)
{
  (void)unused;
  const double mu = 0.2;
  write_in_gravity(0, 0, mu,
                   "cube('b', 0, 0.15, 0, { shape = scene.sphere { radius = 0.1 }, velocity = { 3, -2, 0 }, "
                   "restitution = 0.5 })");
  for (int k = 0; k < SOLVERS; k++) {
    printf(" %s\n", solver_specs[k].name);
    trial r = run_on_floor(&solver_specs[k], 0.01, 0.1);
    const double *u = r.state->twist[2].v, *w = r.state->twist[2].w, lost = mu * 1.5 * 2;
    check_near("normal velocity, m/s", u[1], 1, 1e-6);
    check_near("tangential velocity, m/s", u[0], 3 - lost, 1e-6);
    check_near("angular velocity, rad/s", w[2], -2.5 * lost / 0.1, 1e-4);
    done(&r);
  }
}

/* ---- Stacks and joints --------------------------------------------------------------------------------- */

/* xpbd and impulse-gs have no warm start: with one sweep of xpbd per substep the stack falls, and impulse-gs
 * with a tolerance of 1e-9 needs too many sweeps for ten boxes. */
static void stacks_stand(void **unused)
{
  (void)unused;
  const struct {
    able solver_spec;
    int n;
    double duration, moved;
  } each[] = {
    { { "tgs-soft", 1, true }, 10, 10, 0.01 },
    { { "xpbd:iterations=20", 1, true }, 10, 2, 0.01 },
    { { "impulse-gs", 2, false }, 3, 0.5, 1e-6 },
  };
  const double h = 0.01;
  for (size_t k = 0; k < sizeof each / sizeof *each; k++) {
    char body[100];
    double aside = 0, sunk = 0, speed = 0;
    snprintf(body, sizeof body, "for i = 1, %d do cube('b' .. i, 0, 0.2 * i - 0.1, 0) end", each[k].n);
    write_on_floor(0, 0.5, body);
    printf(" %s, %d\n", each[k].solver_spec.name, each[k].n);
    trial r = run_on_floor(&each[k].solver_spec, h, each[k].duration);
    for (int i = 1; i <= each[k].n; i++) {
      const double *x = r.state->pose[i + 1].x;
      aside = larger(aside, hypot(x[0], x[2]));
      sunk = larger(sunk, fabs(x[1] - (0.2 * i - 0.1)));
      speed = larger(speed, vec_norm(r.state->twist[i + 1].v));
    }
    check_below("lateral displacement, m", aside, each[k].moved / 10);
    check_below("settlement, m", sunk, each[k].moved);
    check_below("speed, m/s", speed, by_order(&each[k].solver_spec, g * h, 1e-6));
    done(&r);
  }
}

/* Two blocks on a rod with friction 0.6 and 0.2, masses 8 and 16 kg: a = (mu_1 m_1 + mu_2 m_2) g / (m_1 +
 * m_2). */
static void joints_and_contacts_together(void **unused)
{
  (void)unused;
  const double h = 0.01, duration = 0.3, a = (0.6 * 8 + 0.2 * 16) * g / 24;
  write_on_floor(0, 1,
                 "local one = cube('one', 0, 0.1, 2, { friction = 0.36 })\n"
                 "local two = cube('two', 0.5, 0.1, 2, { friction = 0.04, density = 2000 })\n"
                 "sys:distance { one, two, at_a = { 0, 0.1, 0 }, at_b = { 0.5, 0.1, 0 } }");
  for (int k = 0; k < SOLVERS; k++) {
    const able *m = &solver_specs[k];
    printf(" %s\n", m->name);
    trial r = run_on_floor(m, h, duration);
    const hn_state *s = r.state;
    check_near("speed, m/s", s->twist[2].v[0], 2 - a * duration, by_order(m, g * h, 1e-6));
    check_below("relative speed, m/s", s->twist[3].v[0] - s->twist[2].v[0], by_order(m, g * h, 1e-7));
    check_near("rod, m", s->pose[3].x[0] - s->pose[2].x[0], 0.5, by_order(m, g * h * h, 1e-8));
    check_near("displacement, m", s->pose[2].x[0], 2 * duration - a * duration * duration / 2,
               by_order(m, 2 * h, 1e-6));
    done(&r);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(block_slides),           cmocka_unit_test(block_sticks),
    cmocka_unit_test(friction_is_isotropic),  cmocka_unit_test(stopping_distance_converges),
    cmocka_unit_test(ball_slides_then_rolls), cmocka_unit_test(impact_with_friction),
    cmocka_unit_test(stacks_stand),           cmocka_unit_test(joints_and_contacts_together),
  };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
