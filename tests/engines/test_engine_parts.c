/* test_engine_parts.c - other engines: limits, motors and dry friction of joints, and contact, against closed
 * forms.
 *
 * Every limit and motor is tried on a joint from the ground to the body and from the body to the ground, and
 * with either sign. A body settles on its limit, a rotor obeys torque / inertia, a block slides by g (sin -
 * mu cos). */
#include "engine_trials.h"

/* A trial: the place or speed at the end that its scene must give. Where a scene has no such joint, it is
 * that of the body `it`. */
typedef struct part_trial {
  const char *name, *text;
  double duration, step; /* s */
  enum { COORDINATE, RATE, X, VELOCITY_X, Y, SPIN_Z } of;
  double expected, tolerance;
} part_trial;

#define BODY "local it = sys:body { name = 'it', mass = 2, inertia = { 0.3, 0.4, 0.5 },\n"
#define PENDULUM                      \
  BODY "  position = { 1, 0, 0 } }\n" \
       "sys:angular_spring { sys.ground, it, axis = { 0, 0, 1 }, damping = 2 }\n"
#define RIGID BODY "  position = { 0, 0, 0 } }\n"
#define FLOOR                                                          \
  "sys:body { name = 'floor', fixed = true, position = { 0, 0, 0 },\n" \
  "  shape = scene.plane { normal = { 0, 1, 0 } }, "
#define CONTACT "sys:contact { margin = 0.005 }"
#define FREE "gravity = { 0, 0, 0 }\n"
#define DOWN "gravity = { 0, -9.81, 0 }\n"

static const part_trial trials[] = {
  /* The pendulum falls clockwise, to negative angles of `it` against the ground */
  { "limit of a hinge from the ground, lower",
    DOWN PENDULUM "sys:hinge { sys.ground, it, at = { 0, 0, 0 }, axis = { 0, 0, 1 },\n"
                  "  lower = -0.6, upper = 2, name = 'j' }",
    3, 0.002, COORDINATE, -0.6, 0.02 },
  { "limit of a hinge to the ground, upper",
    DOWN PENDULUM "sys:hinge { it, sys.ground, at = { 0, 0, 0 }, axis = { 0, 0, 1 },\n"
                  "  lower = -2, upper = 0.6, name = 'j' }",
    3, 0.002, COORDINATE, 0.6, 0.02 },
  { "limit of a hinge with the opposite axis",
    DOWN PENDULUM "sys:hinge { sys.ground, it, at = { 0, 0, 0 }, axis = { 0, 0, -1 },\n"
                  "  lower = -2, upper = 0.7, name = 'j' }",
    3, 0.002, COORDINATE, 0.7, 0.02 },
  { "limit of a slider from the ground, lower",
    DOWN RIGID "sys:slider { sys.ground, it, at = { 0, 0, 0 }, axis = { 0, 1, 0 },\n"
               "  lower = -0.3, upper = 9, name = 'j' }",
    2, 0.002, COORDINATE, -0.3, 0.01 },
  { "limit of a slider to the ground, upper",
    DOWN RIGID "sys:slider { it, sys.ground, at = { 0, 0, 0 }, axis = { 0, 1, 0 },\n"
               "  lower = -9, upper = 0.4, name = 'j' }",
    2, 0.002, COORDINATE, 0.4, 0.01 },
  { "motor of a hinge, at its largest torque",
    FREE RIGID
    "sys:hinge { sys.ground, it, at = { 0, 0, 0 }, axis = { 0, 0, 1 }, name = 'j' }\n"
    "sys:motor_angle { sys.ground, it, axis = { 0, 0, 1 }, motion = { polynomial = { 3 } }, limit = 1 }",
    1, 0.002, SPIN_Z, 2, 0.01 },
  { "motor of a hinge, at its speed",
    FREE RIGID
    "sys:hinge { sys.ground, it, at = { 0, 0, 0 }, axis = { 0, 0, 1 }, name = 'j' }\n"
    "sys:motor_angle { sys.ground, it, axis = { 0, 0, 1 }, motion = { polynomial = { 3 } }, limit = 1 }",
    2, 0.002, SPIN_Z, 3, 0.01 },
  { "motor of a hinge to the ground",
    FREE RIGID
    "sys:hinge { it, sys.ground, at = { 0, 0, 0 }, axis = { 0, 0, 1 }, name = 'j' }\n"
    "sys:motor_angle { it, sys.ground, axis = { 0, 0, 1 }, motion = { polynomial = { 3 } }, limit = 1 }",
    2, 0.002, SPIN_Z, -3, 0.01 },
  { "motor against its hinge",
    FREE RIGID
    "sys:hinge { it, sys.ground, at = { 0, 0, 0 }, axis = { 0, 0, 1 }, name = 'j' }\n"
    "sys:motor_angle { sys.ground, it, axis = { 0, 0, 1 }, motion = { polynomial = { 3 } }, limit = 1 }",
    1, 0.002, SPIN_Z, 2, 0.01 },
  { "motor of a slider whose speed grows",
    FREE RIGID "sys:slider { sys.ground, it, at = { 0, 0, 0 }, axis = { 1, 0, 0 }, name = 'j' }\n"
               "sys:motor_position { sys.ground, it, at = { 0, 0, 0 }, axis = { 1, 0, 0 },\n"
               "  motion = { polynomial = { 0, 0.5 } }, limit = 100 }",
    2, 0.002, VELOCITY_X, 1, 0.01 },
  { "motor of a slider to the ground, at its largest force",
    FREE RIGID "sys:slider { it, sys.ground, at = { 0, 0, 0 }, axis = { 1, 0, 0 }, name = 'j' }\n"
               "sys:motor_position { it, sys.ground, at = { 0, 0, 0 }, axis = { 1, 0, 0 },\n"
               "  motion = { polynomial = { 5 } }, limit = 4 }",
    1, 0.002, VELOCITY_X, -2, 0.01 },
  { "friction of a hinge",
    "gravity = { 0, 0, 0 }\n"
    "local it = sys:body { name = 'it', mass = 2, inertia = { 0.3, 0.4, 0.5 },\n"
    " position = { 0, 0, 0 },\n"
    "  angular_velocity = { 0, 0, 2 } }\n"
    "sys:hinge { it, sys.ground, at = { 0, 0, 0 }, axis = { 0, 0, 1 }, friction = 0.5, name = 'j' }",
    1, 0.002, SPIN_Z, 1, 0.02 },
  { "friction of a hinge stops it",
    "gravity = { 0, 0, 0 }\n"
    "local it = sys:body { name = 'it', mass = 2, inertia = { 0.3, 0.4, 0.5 },\n"
    " position = { 0, 0, 0 },\n"
    "  angular_velocity = { 0, 0, 2 } }\n"
    "sys:hinge { sys.ground, it, at = { 0, 0, 0 }, axis = { 0, 0, 1 }, friction = 0.5, name = 'j' }",
    3, 0.002, SPIN_Z, 0, 0.01 },
  { "friction of a slider",
    "gravity = { 0, 0, 0 }\n"
    "local it = sys:body { name = 'it', mass = 2, inertia = { 0.3, 0.4, 0.5 },\n"
    " position = { 0, 0, 0 },\n"
    "  velocity = { 2, 0, 0 } }\n"
    "sys:slider { sys.ground, it, at = { 0, 0, 0 }, axis = { 1, 0, 0 }, friction = 2, name = 'j' }",
    1, 0.002, VELOCITY_X, 1, 0.02 },
  /* Contact. The slope of 30 degrees descends towards x */
  { "a flat block slides",
    "gravity = { 9.81 * math.sin(math.pi / 6), -9.81 * math.cos(math.pi / 6), 0 }\n" FLOOR
    "friction = 0.3 }\n"
    "sys:body { name = 'it', mass = 2, shape = scene.box { 0.4, 0.02, 0.4 },\n"
    " position = { 0, 0.01, 0 }, friction = 0.3 }\n" CONTACT,
    1, 0.001, VELOCITY_X, 9.81 * (0.5 - 0.3 * 0.86602540378443865), 0.06 },
  { "a flat block sticks",
    "gravity = { 9.81 * math.sin(0.2), -9.81 * math.cos(0.2), 0 }\n" FLOOR "friction = 0.5 }\n"
    "sys:body { name = 'it', mass = 2, shape = scene.box { 0.4, 0.02, 0.4 },\n"
    " position = { 0, 0.01, 0 }, friction = 0.5 }\n" CONTACT,
    1, 0.001, X, 0, 0.003 },
  { "pairs of materials have their own friction",
    "gravity = { 9.81 * math.sin(math.pi / 6), -9.81 * math.cos(math.pi / 6), 0 }\n" FLOOR
    "material = 'g' }\n"
    "sys:body { name = 'it', mass = 2, shape = scene.box { 0.4, 0.02, 0.4 },\n"
    " position = { 0, 0.01, 0 }, material = 'a' }\n"
    "sys:body { name = 'other', mass = 2,\n"
    " shape = scene.box { 0.4, 0.02, 0.4 }, position = { 0, 0.01, 1 }, material = 'b' }\n"
    "sys:material_pair { 'g', 'a', friction = 0.2 } sys:material_pair { 'g', 'b', friction = 0.4 }\n"
    "sys:material_pair { 'a', 'b', friction = 0 }\n" CONTACT,
    1, 0.001, VELOCITY_X, 9.81 * (0.5 - 0.2 * 0.86602540378443865), 0.06 },
  { "a ball rolls",
    "gravity = { 9.81 * math.sin(0.3), -9.81 * math.cos(0.3), 0 }\n" FLOOR "friction = 0.8 }\n"
    "sys:body { name = 'it', mass = 2, shape = scene.sphere { radius = 0.1 },\n"
    " position = { 0, 0.1, 0 }, friction = 0.8 }\n" CONTACT,
    1, 0.001, VELOCITY_X, 9.81 * 0.29552020666133957 * 5 / 7, 0.04 },
  { "a ball rests in a turned box",
    "gravity = { 0, -9.81, 0 }\n"
    "sys:body { name = 'table', fixed = true, position = { 0, -0.5, 0 },\n"
    " axis_angle = { 0, 1, 0, 0.7 }, shape = scene.box { 2, 1, 2 }, friction = 0.5 }\n"
    "sys:body { name = 'it', mass = 2, shape = scene.sphere { radius = 0.1 },\n"
    " position = { 0, 0.2, 0 }, friction = 0.5 }\n" CONTACT,
    2, 0.001, Y, 0.1, 0.002 },
  { "a capsule lies",
    DOWN FLOOR
    "friction = 0.5 }\n"
    "sys:body { name = 'it', mass = 2, shape = scene.capsule { radius = 0.1, height = 0.4 },\n"
    "  axis_angle = { 0, 0, 1, math.pi / 2 }, position = { 0, 0.15, 0 }, friction = 0.5 }\n" CONTACT,
    2, 0.001, Y, 0.1, 0.002 },
  { "a cylinder stands",
    DOWN FLOOR "friction = 0.5 }\n"
               "sys:body { name = 'it', mass = 2, shape = scene.cylinder { radius = 0.2, height = 0.3 },\n"
               "  position = { 0, 0.151, 0 }, friction = 0.5 }\n" CONTACT,
    2, 0.001, Y, 0.15, 0.002 },
  { "groups that do not collide",
    DOWN FLOOR
    "group = 'floor' }\n"
    "sys:body { name = 'it', mass = 2, shape = scene.sphere { radius = 0.1 }, position = { 0, 1, 0 },\n"
    "  group = 'air', collides = { 'air' } }\n" CONTACT,
    1, 0.001, Y, 1 - 9.81 / 2, 0.006 },
  { "a body does not collide with that of its joint", /* 3 g / (2 L) for a thin one, here 14.57 rad/s^2 */
    DOWN "local wall = sys:body { name = 'wall', fixed = true, position = { 0, 0, 0 },\n"
         "  shape = scene.box { 0.4, 0.4, 0.4 } }\n"
         "local it = sys:body { name = 'it', mass = 2, shape = scene.box { 1, 0.2, 0.2 },\n"
         "  position = { 0.5, 0, 0 } }\n"
         "sys:hinge { wall, it, at = { 0, 0, 0 }, axis = { 0, 0, 1 }, name = 'j' }\n" CONTACT,
    0.1, 0.001, COORDINATE, -0.0728, 0.004 },
  { "static friction is refused",
    DOWN FLOOR
    "friction = { static = 0.5, kinetic = 0.3 } }\n"
    "sys:body { name = 'it', mass = 2, shape = scene.sphere { radius = 0.1 }, position = { 0, 1, 0 },\n"
    "  friction = { static = 0.5, kinetic = 0.3 } }\n" CONTACT,
    0.1, 0.001, Y, NAN, 0 },
  { "a ball on a compliant floor", /* it sinks by m g / k */
    DOWN FLOOR
    "}\n"
    "sys:body { name = 'it', mass = 2, shape = scene.sphere { radius = 0.1 }, position = { 0, 0.1, 0 } }\n"
    "sys:contact { law = 'kelvin-voigt', stiffness = 2e4, damping = 100 }",
    2, 0.001, Y, 0.1 - 2 * 9.81 / 2e4, 1e-5 },
  { "a ball on a compliant floor beside a rigid contact",
    DOWN FLOOR
    "material = 'f' }\n"
    "sys:body { name = 'it', mass = 2, shape = scene.sphere { radius = 0.1 }, position = { 0, 0.1, 0 },\n"
    "  material = 'a' }\n"
    "sys:body { name = 'other', mass = 2, shape = scene.sphere { radius = 0.1 }, position = { 1, 0.1, 0 },\n"
    "  material = 'b' }\n"
    "sys:material_pair { 'f', 'a', law = 'kelvin-voigt', stiffness = 2e4, damping = 100 }\n" CONTACT,
    2, 0.001, Y, 0.1 - 2 * 9.81 / 2e4, 1e-5 },
  { "a ball bounces", /* to the top of its first bounce, at 1.5 sqrt(2 / g) */
    DOWN FLOOR
    "restitution = 0.5 }\n"
    "sys:body { name = 'it', mass = 2, shape = scene.sphere { radius = 0.1 }, position = { 0, 1.1, 0 },\n"
    "  restitution = 0.5 }\n" CONTACT,
    0.67730980, 0.67730980 / 700, Y, 0.35, 0.02 },
};
enum { TRIALS = sizeof trials / sizeof *trials };

static void write_part(const part_trial *t)
{
  char text[4096];
  const char *rest = strchr(t->text, '\n'); /* the first line is the gravity */
  const int length = snprintf(text, sizeof text,
                              "local scene = require 'holonom.scene'\n"
                              "local sys = scene.system { %.*s }%s\nreturn sys",
                              (int)(rest - t->text), t->text, rest);
  assert_true(length < (int)sizeof text);
  write_bytes(text, (size_t)length);
}

static double measured(const part_trial *t, const engine_trial *r)
{
  hn_error error;
  double value = NAN, rate = NAN;
  const hn_model *model = r->scene->model;
  const int body = hn_model_find_body(model, "it", &error);
  const hn_pose *pose = &r->state->pose[body];
  const hn_twist *twist = &r->state->twist[body];
  switch (t->of) {
  case X: return pose->x[0];
  case Y: return pose->x[1];
  case VELOCITY_X: return twist->v[0];
  case SPIN_Z: return twist->w[2];
  default: break;
  }
  hn_joint_coordinate(&model->joint[hn_model_find_joint(model, "j", &error)], 0, r->state, &value, &rate);
  return t->of == RATE ? rate : value;
}

/* Returns whether SPEC gives what T expects, or says that it does not have it. A variant, a setting that is
 * not an engine's own choice, may also say that it has found no solution. */
static bool check_part(const part_trial *t, const char *spec)
{
  engine_trial r = run_engine(spec, t->step, t->duration);
  bool good = r.refused ? strstr(r.why, "not translated") || strstr(r.why, "cannot do")
                        : r.reason == HN_CONVERGED;
  if (r.reason == HN_STALLED && strchr(spec, ':') && strstr(r.why, "has failed")) good = true;
  if (isnan(t->expected)) good = r.refused && strstr(r.why, "not translated");
  if (r.refused || r.reason != HN_CONVERGED)
    printf("  %-28s %-42s %s%s\n", spec, t->name, r.why, good ? "" : "  FAILED");
  else {
    const double value = measured(t, &r);
    good = fabs(value - t->expected) <= t->tolerance;
    printf("  %-28s %-42s %.5g, expected %.5g +- %g%s\n", spec, t->name, value, t->expected, t->tolerance,
           good ? "" : "  FAILED");
  }
  end_trial(&r);
  return good;
}

static void parts_obey_their_closed_forms(void **unused)
{
  (void)unused;
  size_t count;
  int wrong = 0;
  load_engines();
  const hn_solver_type *const *type = hn_solver_types(&count);
  for (int k = 0; k < TRIALS; k++) {
    write_part(&trials[k]);
    for (size_t i = 0; i < count; i++)
      for (const char *const *v = hn_solver_variants(type[i]); type[i]->engine && *v; v++) {
        char spec[128];
        snprintf(spec, sizeof spec, "%s%s%s", type[i]->name, **v ? ":" : "", *v);
        wrong += !check_part(&trials[k], spec);
      }
  }
  assert_int_equal(wrong, 0);
}

/* Two links with units of length L and of mass M: their orientations do not depend on them. */
static void write_units(double L, double M)
{
  char text[2048];
  const int length = snprintf(
    text, sizeof text,
    "local scene = require 'holonom.scene'\n"
    "local L, M = %g, %g\n"
    "local sys = scene.system { gravity = { 0, -9.81 * L, 0 } }\n"
    "local last = sys.ground\n"
    "for i = 1, 2 do\n"
    "  local link = sys:body { name = 'link' .. i, mass = M, position = { (i - 0.5) * L, 0, 0 },\n"
    "    inertia = { 0.02 * M * L ^ 2, 0.09 * M * L ^ 2, 0.1 * M * L ^ 2 } }\n"
    "  sys:hinge { last, link, at = { (i - 1) * L, 0, 0 }, axis = { 0, 0.2, 1 } }\n"
    "  last = link\n"
    "end\n"
    "return sys",
    L, M);
  assert_true(length < (int)sizeof text);
  write_bytes(text, (size_t)length);
}

/* Stores the orientations of both links after a second. Returns false if the engine refuses them. */
static bool run_units(const char *spec, double L, double M, double q[8])
{
  write_units(L, M);
  engine_trial r = run_engine(spec, 0.005, 1.0);
  const bool refused = r.refused;
  if (!refused && r.reason != HN_CONVERGED) printf("  %s: %s\n", spec, r.why);
  assert_true(refused || r.reason == HN_CONVERGED);
  for (int i = 0; i < 2 && !refused; i++) memcpy(q + 4 * i, r.state->pose[i + 1].q, 4 * sizeof *q);
  end_trial(&r);
  return !refused;
}

static void motion_does_not_depend_on_units(void **unused)
{
  (void)unused;
  static const double units[][2] = { { 10, 1 }, { 1, 100 }, { 10, 0.1 } };
  static const double bound = 1e-6; /* rad: thresholds of solutions are numbers in some units */
  size_t count;
  load_engines();
  const hn_solver_type *const *type = hn_solver_types(&count);
  for (size_t i = 0; i < count; i++)
    for (size_t u = 0; type[i]->engine && u < sizeof units / sizeof *units; u++) {
      double one[8], other[8], apart = 0.0;
      if (!run_units(type[i]->name, 1, 1, one) || !run_units(type[i]->name, units[u][0], units[u][1], other))
        continue;
      for (int k = 0; k < 8; k++) apart = fmax(apart, fabs(one[k] - other[k]));
      printf("  %-10s unit of length %g, of mass %g: %.2e, bound %.0e\n", type[i]->name, units[u][0],
             units[u][1], apart, bound);
      assert_true(apart <= bound);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = { cmocka_unit_test(parts_obey_their_closed_forms),
                                      cmocka_unit_test(motion_does_not_depend_on_units) };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
