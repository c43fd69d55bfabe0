/* test_planar.c - systems that stay in the plane z = 0: to the bit, without redundant rows, and with the motion that
 * the same mechanism has in space. */
#include "models.h"
#include "settings.h"
#include "base/vec.h"
#include "written.h"

#include <gsl/gsl_sf_elljac.h>
#include <string.h>

static hn_model *new_plane(bool planar)
{
  hn_error error;
  hn_model *model = new_model();
  if (planar && hn_model_set_planar(model, &error)) fail_msg("%s", error.text);
  return model;
}

/* A plank of 1 m, its middle at (x, y), at ANGLE from the x axis. */
static int add_plank(hn_model *model, const char *name, double x, double y, double angle)
{
  hn_error error;
  hn_body_spec plank = { .name = name,
                         .kind = HN_RIGID,
                         .shape = { .kind = HN_BOX, .size = { 1.0, 0.1, 0.1 } },
                         .density = 600,
                         .position = { x, y, 0 },
                         .orientation = { cos(0.5 * angle), 0, 0, sin(0.5 * angle) } };
  int body = hn_model_add_body(model, &plank, &error);
  if (body < 0) fail_msg("%s", error.text);
  return body;
}

static void add_joint(hn_model *model, hn_joint_spec spec)
{
  hn_error error;
  if (hn_model_add_joint(model, &spec, &error) < 0) fail_msg("%s", error.text);
}

static void add_hinge(hn_model *model, int a, int b, double x, double y)
{
  add_joint(model, (hn_joint_spec){ .type = "hinge", .a = a, .b = b, .has_points = true, .at_a = { x, y, 0 },
                                    .at_b = { x, y, 0 }, .axis_a = { 0, 0, 1 } });
}

/* n planks in a row from the origin, the first one hung. */
static hn_model *chain(bool planar, int n)
{
  hn_model *model = new_plane(planar);
  for (int i = 0; i < n; i++) {
    char name[16];
    snprintf(name, sizeof name, "plank%d", i + 1);
    add_hinge(model, i, add_plank(model, name, i + 0.5, 0, 0), i, 0);
  }
  return model;
}

static hn_model *double_plank(bool planar)
{
  return chain(planar, 2);
}

/* Three planks of 1 m as crank, coupler and rocker between (0, 0) and (1.4, 0): they never come into one line. */
static hn_model *four_bar(bool planar)
{
  const double corner[4][2] = { { 0, 0 }, { cos(1.0), sin(1.0) }, { 0, 0 }, { 1.4, 0 } };
  hn_model *model = new_plane(planar);
  double x = corner[3][0] - corner[1][0], y = corner[3][1] - corner[1][1], across = sqrt(x * x + y * y);
  double bend = acos(0.5 * across), lean = atan2(y, x), at[4][2];
  memcpy(at, corner, sizeof at);
  at[2][0] = at[1][0] + cos(lean + bend), at[2][1] = at[1][1] + sin(lean + bend);
  for (int i = 0; i < 3; i++) {
    char name[16];
    snprintf(name, sizeof name, "bar%d", i + 1);
    double angle = atan2(at[i + 1][1] - at[i][1], at[i + 1][0] - at[i][0]);
    int bar = add_plank(model, name, 0.5 * (at[i][0] + at[i + 1][0]), 0.5 * (at[i][1] + at[i + 1][1]), angle);
    add_hinge(model, bar - 1, bar, at[i][0], at[i][1]);
  }
  add_hinge(model, 3, 0, 1.4, 0);
  return model;
}

/* The state after STEPS steps of h; NULL when the method gives up. */
static hn_state *run(const hn_model *model, const char *spec, double h, int steps)
{
  hn_solver *solver = new_solver(spec, model);
  hn_state *state = hn_state_create(model);
  hn_reason reason = HN_CONVERGED;
  for (int i = 0; i < steps && reason == HN_CONVERGED; i++) {
    reason = hn_solver_step(solver, state, h);
    if (reason == HN_CONVERGED) continue;
    char text[256];
    hn_solver_explain(solver, reason, h, text, sizeof text);
    printf("  %s, step %d: %s\n", spec, i + 1, text);
  }
  hn_solver_free(solver);
  if (reason == HN_CONVERGED) return state;
  hn_state_free(state);
  return NULL;
}

/* ---- The plane is kept ------------------------------------------------------------------------------------------- */

static int numbers_off_plane(const hn_state *state)
{
  int count = 0;
  for (int i = 0; i < state->nbody; i++) {
    const hn_pose *p = &state->pose[i];
    const hn_twist *u = &state->twist[i];
    count += (p->x[2] != 0) + (p->q[1] != 0) + (p->q[2] != 0) + (u->v[2] != 0) + (u->w[0] != 0) + (u->w[1] != 0);
  }
  return count;
}

static void stays(hn_model *(*make)(bool), const char *name, const char *spec)
{
  hn_model *model = make(true);
  char what[200];
  hn_state *state = run(model, spec, 0.002, 100);
  assert_non_null(state);
  snprintf(what, sizeof what, "%s, %s", name, spec);
  ASSERT_COUNT(what, numbers_off_plane(state), 0);
  hn_state_free(state);
  hn_model_free(model);
}

/* All methods and all that studies show of them: no number leaves the plane by a bit. */
static void every_method_keeps_the_plane(void **unused)
{
  (void)unused;
  static const char *const flights[] = { "impulse-sle:flight=rk4", "impulse-sle:flight=taylor",
                                         "impulse-sle:flight=exact", "impulse-sle:linear=dense" };
  size_t count;
  const hn_solver_type *const *type = hn_solver_types(&count);
  for (size_t i = 0; i < count; i++)
    for (const char *const *variant = hn_solver_variants(type[i]); *variant; variant++) {
      char spec[160];
      snprintf(spec, sizeof spec, "%s%s%s", type[i]->name, **variant ? ":" : "", *variant);
      stays(double_plank, "double pendulum", spec);
      stays(four_bar, "four-bar", spec);
    }
  for (size_t i = 0; i < sizeof flights / sizeof *flights; i++) stays(four_bar, "four-bar", flights[i]);
}

/* ---- The motion is that in space --------------------------------------------------------------------------------- */

/* The largest difference of any number; q and -q are the same orientation. */
static double difference(const hn_state *a, const hn_state *b)
{
  double largest = 0.0;
  for (int i = 0; i < a->nbody; i++) {
    double q[2] = { 0, 0 };
    for (int c = 0; c < 3; c++) {
      largest = larger(largest, fabs(a->pose[i].x[c] - b->pose[i].x[c]));
      largest = larger(largest, fabs(a->twist[i].v[c] - b->twist[i].v[c]));
      largest = larger(largest, fabs(a->twist[i].w[c] - b->twist[i].w[c]));
    }
    for (int c = 0; c < 4; c++) {
      q[0] = larger(q[0], fabs(a->pose[i].q[c] - b->pose[i].q[c]));
      q[1] = larger(q[1], fabs(a->pose[i].q[c] + b->pose[i].q[c]));
    }
    largest = larger(largest, isnan(q[0]) ? q[0] : fmin(q[0], q[1]));
  }
  return largest;
}

static double planar_against_spatial(hn_model *(*make)(bool), const char *in_plane, const char *in_space, double h,
                                     int steps)
{
  hn_model *flat = make(true), *space = make(false);
  hn_state *a = run(flat, in_plane, h, steps), *b = run(space, in_space, h, steps);
  assert_true(a && b);
  double largest = difference(a, b);
  hn_state_free(a), hn_state_free(b);
  hn_model_free(flat), hn_model_free(space);
  return largest;
}

static bool has_param(const hn_solver_type *type, const char *key)
{
  for (const hn_param *p = type->params; p->key; p++)
    if (strcmp(p->key, key) == 0) return true;
  return false;
}

/* The rows of space that the plane has not are zeros there, so there is next to no round-off to magnify. But K is cut
 * into other blocks there, and generalised-alpha divides by h what rounding leaves of its positions: its back ends
 * differ by up to 2.6e-12 among themselves. ida chooses its steps by norms over all unknowns, of which there are others
 * in space: it agrees as far as its tolerance. */
static double bound_of(const char *method)
{
  if (strcmp(method, "ida") == 0) return 4e-6;
  return strcmp(method, "generalised-alpha") == 0 ? 1e-11 : 1e-13;
}

static void the_motion_is_that_in_space(void **unused)
{
  (void)unused;
  size_t count;
  const hn_solver_type *const *type = hn_solver_types(&count);
  for (size_t i = 0; i < count; i++) {
    char spec[160], what[160];
    snprintf(spec, sizeof spec, "%s%s%s%s", type[i]->name, has_param(type[i], "tolerance") ? ":tolerance=1e-13" : "",
             has_param(type[i], "velocity_tolerance") ? ",velocity_tolerance=1e-13" : "",
             has_param(type[i], "contact_tolerance") ? ",contact_tolerance=1e-13" : "");
    snprintf(what, sizeof what, "double pendulum, %s", type[i]->name);
    check_below(what, planar_against_spatial(double_plank, spec, spec, 0.005, 100), bound_of(type[i]->name));
  }
}

static hn_model *single_plank(bool planar)
{
  return chain(planar, 1);
}

/* sin(theta / 2) = k cd(omega t | k^2), theta from the plumb line, let go at a right angle. */
static void a_compound_pendulum_swings_by_the_book(void **unused)
{
  (void)unused;
  const double g = 9.81, d = 0.5, inertia = 1.01 / 12 + d * d, k = sin(0.25 * M_PI), t = 1.7;
  double sn, cn, dn;
  gsl_sf_elljac_e(sqrt(g * d / inertia) * t, k * k, &sn, &cn, &dn);
  double theta = 2.0 * asin(k * cn / dn);
  hn_model *model = single_plank(true);
  hn_state *state = run(model, "taylor:order=16", 0.01, 170);
  assert_non_null(state);
  check_near("x of the plank, m", state->pose[1].x[0], d * sin(theta), 1e-13);
  check_near("y of the plank, m", state->pose[1].x[1], -d * cos(theta), 1e-13);
  hn_measure measure;
  hn_measure_state(model, state, &measure);
  check_below("energy, J", measure.kinetic + measure.potential, 1e-12);
  hn_state_free(state);
  hn_model_free(model);
  check_below("against space", planar_against_spatial(single_plank, "taylor", "taylor", 0.01, 170), 1e-13);
}

static hn_rank *rank_of(const hn_model *model)
{
  hn_error error;
  hn_system *system = hn_system_create(model, &error);
  hn_state *state = hn_state_create(model);
  hn_system_jacobian(system, state);
  hn_rank *rank = hn_rank_create(system, HN_RANK_AUTO, &error);
  if (!rank) fail_msg("%s", error.text);
  hn_system_free(system);
  hn_state_free(state);
  return rank;
}

static void a_four_bar_has_no_redundant_row(void **unused)
{
  (void)unused;
  static const int expected[2][4] = { { 20, 17, 18, 1 }, { 8, 8, 9, 1 } };
  for (int planar = 0; planar < 2; planar++) {
    hn_model *model = four_bar(planar);
    hn_rank *rank = rank_of(model);
    printf(" %s\n", planar ? "in the plane" : "in space");
    ASSERT_COUNT("rows", rank->rows, expected[planar][0]);
    ASSERT_COUNT("rank", rank->rank, expected[planar][1]);
    ASSERT_COUNT("freedoms of the bodies", hn_model_freedoms(model), expected[planar][2]);
    ASSERT_COUNT("of the rank analysis", rank->freedoms, expected[planar][2]);
    ASSERT_COUNT("degrees of freedom", rank->dof, expected[planar][3]);
    hn_rank_free(rank);
    hn_model_free(model);
  }
  check_below("four-bar against space, where rows are removed",
              planar_against_spatial(four_bar, "impulse-sle:tolerance=1e-13,first_guess=zero",
                                     "impulse-sle:tolerance=1e-13,redundancy=remove", 0.002, 250), 1e-13);
}

/* ---- Joint types ------------------------------------------------------------------------------------------------- */

static const char *tested_type;

/* A hung plank, and a second one on it by a joint of tested_type. */
static hn_model *tested_joint(bool planar)
{
  const double c = cos(0.4), s = sin(0.4);
  hn_model *model = new_plane(planar);
  add_hinge(model, 0, add_plank(model, "first", 0.5, 0, 0), 0, 0);
  add_plank(model, "second", 1 + 0.5 * c, 0.5 * s, 0.4);
  const hn_joint_type *type = hn_joint_type_find(tested_type, NULL);
  hn_joint_spec spec = { .type = tested_type, .a = 1, .b = 2, .has_points = true, .at_a = { 1, 0, 0 },
                         .at_b = { 1, 0, 0 }, .axis_a = { c, s, 0 }, .axis_b = { -s, c, 0 },
                         .motion = { .amplitude = 0.2, .frequency = 3 },
                         .settings = settings_for(type, "teeth=3:2,lower=-0.01") };
  if (type->planar->keys & HN_AXIS_NORMAL) vec_set(spec.axis_a, 0, 0, 1);
  if (strcmp(tested_type, "distance") == 0 || strcmp(tested_type, "gear") == 0)
    vec_set(spec.at_a, 0.5, 0, 0), vec_set(spec.at_b, 1.5, 0.3, 0);
  model->loose = true; /* a driven start is not at rest */
  add_joint(model, spec);
  return model;
}

enum { GIVEN = HN_KEY_AT | HN_KEY_OWN_POINTS | HN_KEY_AXIS | HN_KEY_AXES | HN_KEY_MOTION }; /* what a scene says */

/* In space the same joint leaves more free, but nothing pushes there. */
static void every_joint_is_what_it_is_in_space(void **unused)
{
  (void)unused;
  size_t count;
  const hn_joint_type *const *type = hn_joint_types(&count);
  int twins = 0;
  for (size_t i = 0; i < count; i++) {
    char what[96];
    if (!type[i]->planar) continue;
    if (type[i]->velocity) { /* no method runs them */
      twins++;
      continue;
    }
    tested_type = type[i]->name, twins++;
    assert_string_equal(type[i]->planar->name, type[i]->name);
    assert_true((type[i]->planar->keys & GIVEN) == (type[i]->keys & GIVEN));
    snprintf(what, sizeof what, "%s, %d rows of %d", tested_type, type[i]->planar->rows, type[i]->rows);
    static const char spec[] = "impulse-sle:tolerance=1e-13", taylor[] = "taylor";
    check_below(what, planar_against_spatial(tested_joint, spec, spec, 0.005, 60), 1e-13);
    if (type[i]->jet) check_below("  taylor", planar_against_spatial(tested_joint, taylor, taylor, 0.005, 60), 1e-13);
    hn_model *model = tested_joint(true);
    hn_rank *rank = rank_of(model);
    ASSERT_COUNT("  rank, of as many rows", rank->rank, rank->rows);
    hn_rank_free(rank);
    stays(tested_joint, tested_type, "impulse-gs");
    hn_model_free(model);
  }
  ASSERT_COUNT("joint types without meaning in the plane", (int)count - twins, 8);
}

/* ---- What is refused --------------------------------------------------------------------------------------------- */

static void expect(int status, const char *text, const char *says)
{
  bool good = status < 0 && strstr(text, says);
  printf("  %s%s\n", status < 0 ? text : "(accepted)", good ? "" : "  FAILED");
  if (!good) printf("    expected: %s\n", says);
  assert_true(good);
}

static void bodies_off_the_plane_are_refused(void **unused)
{
  (void)unused;
  const hn_body_spec good = { .name = "b", .kind = HN_RIGID, .has_mass = true, .mass = 1, .inertia = { 0, 0, 2 },
                              .orientation = { 1, 0, 0, 0 } };
  static const char *const says[] = { "z of its position must be 0, not 0.25", "x of its orientation must be 0",
                                      "y of its orientation must be 0", "z of its velocity must be 0",
                                      "x of its angular velocity must be 0",
                                      "y of its angular velocity must be 0, not 3",
                                      "z of its gravity must be 0", "one number, that about z", "Jz must be positive" };
  hn_model *model = new_plane(true);
  hn_error error;
  for (int i = 0; i < 9; i++) {
    hn_body_spec bad = good;
    double *number[] = { &bad.position[2], &bad.orientation[1], &bad.orientation[2], &bad.velocity[2],
                         &bad.angular_velocity[0], &bad.angular_velocity[1], &bad.gravity[2], &bad.inertia[0],
                         &bad.inertia[2] };
    *number[i] = i == 0 ? 0.25 : i == 8 ? -1 : 3;
    bad.has_gravity = true;
    expect(hn_model_add_body(model, &bad, &error), error.text, says[i]);
    assert_int_equal(model->nbody, 1);
  }
  assert_int_equal(hn_model_add_body(model, &good, &error), 1);
  check_near("1 / Jz", model->body[1].inv_J[2], 0.5, 0);
  assert_true(model->body[1].inv_J[0] == 0 && model->body[1].inv_J[1] == 0);
  hn_model *late = new_model();
  add_box(late, "box", 0, 0, 0);
  expect(hn_model_set_planar(late, &error), error.text, "before it has bodies");
  hn_model_free(late);
  const double gravity[3] = { 0, 0, -9.81 };
  late = hn_model_create(gravity);
  expect(hn_model_set_planar(late, &error), error.text, "its z must be 0, not -9.81");
  hn_model_free(late);
  hn_model_free(model);
}

static void joints_off_the_plane_are_refused(void **unused)
{
  (void)unused;
  static const struct { const char *type; double axis[3], z; const char *says; } bad[] = {
    { "hinge", { 0, 1e-9, 1 }, 0, "its axis must be along z" },
    { "hinge", { 0, 0, 1 }, 1e-3, "z must be 0, not 0.001" },
    { "hinge", { 0, 0, 0 }, 0, "its axis must be a direction" },
    { "slider", { 1, 0, 1e-9 }, 0, "its axis lies in the plane: z must be 0" },
    { "gear", { 1, 0, 0 }, 0, "must be along z" },
    { "drive_angle", { 1, 0, 0 }, 0, "must be along z" },
    { "drive_position", { 0, 0, 1 }, 0, "lies in the plane" },
    { "universal", { 1, 0, 0 }, 0, "a universal joint has no meaning in a planar system" },
    { "cylindrical", { 1, 0, 0 }, 0, "no meaning in a planar system" },
    { "screw", { 1, 0, 0 }, 0, "no meaning in a planar system" },
    { "planar", { 0, 0, 1 }, 0, "no meaning in a planar system" },
  };
  hn_error error;
  hn_model *model = new_plane(true);
  add_plank(model, "plank", 0.5, 0, 0);
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    hn_joint_spec spec = { .type = bad[i].type, .a = 0, .b = 1, .has_points = true, .at_a = { 0, 0, bad[i].z },
                           .at_b = { 0, 0, bad[i].z }, .axis_b = { 0, 1, 0 } };
    vec_copy(spec.axis_a, bad[i].axis);
    expect(hn_model_add_joint(model, &spec, &error), error.text, bad[i].says);
  }
  assert_int_equal(model->njoint, 0);
  hn_model_free(model);
}

static void forces_off_the_plane_are_refused(void **unused)
{
  (void)unused;
  hn_error error;
  hn_model *model = new_plane(true);
  add_plank(model, "plank", 0.5, 0, 0);
  hn_force_spec spec = { .geometry = { .type = "force", .a = 0, .b = 1, .has_points = true }, .vector = { 1, 2, 3 } };
  expect(hn_model_add_force(model, &spec, &error), error.text, "force must have z = 0");
  spec.vector[2] = 0;
  assert_int_equal(hn_model_add_force(model, &spec, &error), 0);
  spec.geometry.type = "torque";
  expect(hn_model_add_force(model, &spec, &error), error.text, "torque must be along z");
  vec_set(spec.vector, 0, 0, 1);
  assert_int_equal(hn_model_add_force(model, &spec, &error), 1);
  spec.geometry.type = "angular_spring", spec.settings = "stiffness=1", spec.geometry.axis_a[0] = 1;
  expect(hn_model_add_force(model, &spec, &error), error.text, "must be along z");
  hn_model_free(model);
}

/* A double plank with a spring, a damper, a force and a torque. */
static hn_model *forced(bool planar)
{
  hn_error error;
  hn_model *model = double_plank(planar);
  hn_force_spec spec[] = {
    { .geometry = { .type = "force", .a = 0, .b = 2, .has_points = true, .at_a = { 2, 0, 0 }, .at_b = { 2, 0, 0 } },
      .vector = { 3, 8, 0 } },
    { .geometry = { .type = "torque", .a = 0, .b = 1 }, .vector = { 0, 0, 4 } },
    { .geometry = { .type = "angular_spring", .a = 1, .b = 2, .axis_a = { 0, 0, 1 } },
      .settings = "stiffness=5,damping=0.4" },
    { .geometry = { .type = "spring", .a = 0, .b = 2, .has_points = true, .at_a = { 1, 1, 0 }, .at_b = { 2, 0, 0 } },
      .settings = "stiffness=50,damping=0.4" },
  };
  for (int i = 0; i < 4; i++)
    if (hn_model_add_force(model, &spec[i], &error) < 0) fail_msg("%s", error.text);
  return model;
}

static void forces_keep_the_plane(void **unused)
{
  (void)unused;
  static const char *const specs[] = { "impulse-sle:tolerance=1e-13", "lagrange", "taylor", "half-explicit" };
  for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
    stays(forced, "forces", specs[i]);
    check_below(specs[i], planar_against_spatial(forced, specs[i], specs[i], 0.005, 100), 1e-13);
  }
}

/* ---- Scenes ------------------------------------------------------------------------------------------------------ */

static void write_text(const char *text)
{
  write_bytes(text, strlen(text));
}

static void scenes_can_be_planar(void **unused)
{
  (void)unused;
  write_text("local scene = require 'holonom.scene'\nlocal sys = scene.system { planar = true }\n"
             "sys:body { name = 'a', mass = 2, inertia = 0.25, position = { 1, 0, 0 } }\n"
             "sys:body { name = 'b', shape = scene.box { 1, 2, 3 }, density = 12, position = { 1, 0, 0 } }\n"
             "sys:hinge { sys.ground, 'a', at = { 0, 0, 0 }, axis = { 0, 0, 1 } }\nreturn sys");
  hn_scene *scene = load_written(NULL, 0);
  assert_true(scene->model->planar);
  ASSERT_COUNT("rows", scene->model->nrow, 2);
  check_near("Jz given", scene->model->body[1].J[2], 0.25, 0);
  check_near("Jz of the box", scene->model->body[2].J[2], 72 * 5 / 12.0, 1e-13);
  hn_scene_free(scene);
  static const char *const head = "local scene = require 'holonom.scene'\nlocal sys = scene.system { planar = true }\n";
  static const struct { const char *line, *says; } bad[] = {
    { "sys:body { mass = 2, inertia = { 1, 1, 1 }, position = { 1, 0, 0 } }", "inertia must be a number" },
    { "sys:body { mass = 2, inertia = 1, position = { 1, 0, 1 } }", "z of its position must be 0, not 1" },
    { "sys:particle { mass = 2, position = { 1, 0, 0 }, velocity = { 0, 0, 1 } }", "z of its velocity must be 0" },
    { "sys:universal { sys.ground, sys:body { mass = 1, inertia = 1, position = { 0, 0, 0 } }, at = { 0, 0, 0 }, "
      "axis_a = { 1, 0, 0 }, axis_b = { 0, 1, 0 } }", "has no meaning in a planar system" },
  };
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    char text[600];
    snprintf(text, sizeof text, "%s%s\nreturn sys", head, bad[i].line);
    write_text(text);
    expect_refusal(3, bad[i].says);
  }
  write_text("local scene = require 'holonom.scene'\n"
             "return scene.system { planar = true, gravity = { 0, 0, -9.81 } }");
  expect_refusal(2, "gravity of a planar system must lie in the plane");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_method_keeps_the_plane),
    cmocka_unit_test(the_motion_is_that_in_space),
    cmocka_unit_test(a_compound_pendulum_swings_by_the_book),
    cmocka_unit_test(a_four_bar_has_no_redundant_row),
    cmocka_unit_test(every_joint_is_what_it_is_in_space),
    cmocka_unit_test(bodies_off_the_plane_are_refused),
    cmocka_unit_test(joints_off_the_plane_are_refused),
    cmocka_unit_test(forces_off_the_plane_are_refused),
    cmocka_unit_test(forces_keep_the_plane),
    cmocka_unit_test(scenes_can_be_planar),
  };
  return cmocka_run_group_tests_name("planar", tests, make_directory, remove_directory);
}
