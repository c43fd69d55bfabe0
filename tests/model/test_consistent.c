/* test_consistent.c - initial states against the joints: refusals; the optional projection against closed
 * forms and the conditions of the nearest state in the mass metric. */
#include "loops.h"
#include "solver_settings_table.h"
#include "base/vec.h"
#include "written.h"

#include <string.h>

/* ---- The check ----------------------------------------------------------------------------------------- */

/* Adds a particle at (2, 0, 0) with VELOCITY on a rod of LENGTH from the origin. */
static int add_bob(hn_model *model, const double velocity[3], double length, hn_error *error)
{
  hn_body_spec bob = { .name = "bob",
                       .kind = HN_PARTICLE,
                       .has_mass = true,
                       .mass = 3,
                       .position = { 2, 0, 0 },
                       .orientation = { 1, 0, 0, 0 } };
  vec_copy(bob.velocity, velocity);
  hn_joint_spec rod = {
    .type = "distance", .name = "rod", .a = 0, .b = 1, .settings = setting("length", length)
  };
  return hn_model_add_body(model, &bob, error) < 0 ? -1 : hn_model_add_joint(model, &rod, error);
}

static void expect(int status, const char *text, const char *says)
{
  bool good = status < 0 && strstr(text, says);
  printf("  %s%s\n", status < 0 ? text : "(accepted)", good ? "" : "  FAILED");
  if (!good) printf("    expected: %s\n", says);
  assert_true(good);
}

static void a_start_that_violates_a_joint_is_refused(void **unused)
{
  (void)unused;
  static const struct {
    double velocity[3], length;
    const char *says;
  } bad[] = {
    { { 0, 0, 0 }, 1.75, "joint \"rod\" is violated by 0.25 m at the start; --consistent" },
    { { 0.5, 1, 0 }, 2, "joint \"rod\" is violated by 0.5 m/s by the velocities at the start; --consistent" },
    { { 5e-9, 1, 0 }, 2, "by the velocities" },     /* above 1e-9 of the speed */
    { { 5e-18, 1e-9, 0 }, 2, "by the velocities" }, /* slow, but wrong in direction */
  };
  static const double good[][3] = { { 0, 1, 7 }, { 5e-10, 1, 0 }, { 0, 0, 0 }, { 1e-15, 3, 0 } };
  hn_error error;
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    hn_model *model = new_model();
    expect(add_bob(model, bad[i].velocity, bad[i].length, &error), error.text, bad[i].says);
    hn_model_free(model);
    model = new_model(), model->loose = true;
    assert_int_equal(add_bob(model, bad[i].velocity, bad[i].length, &error), 0);
    hn_model_free(model);
  }
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
    hn_model *model = new_model();
    assert_int_equal(add_bob(model, good[i], 2, &error), 0);
    hn_model_free(model);
  }
}

/* A prescribed motion requires its velocity at the start; the unit of the message is that of the joint. */
static void prescribed_motions_require_their_velocity(void **unused)
{
  (void)unused;
  hn_error error;
  for (int k = 0; k < 2; k++) {
    hn_model *model = new_model();
    add_box(model, "box", 0, 0, 0);
    hn_joint_spec drive = { .type = "drive_angle",
                            .name = "drive",
                            .a = 0,
                            .b = 1,
                            .axis_a = { 0, 0, 1 },
                            .motion = { .amplitude = 0.5, .frequency = 3 } };
    model->body[1].twist0.w[2] = k ? 1.5 : 1.0;
    int status = hn_model_add_joint(model, &drive, &error);
    if (k == 0) expect(status, error.text, "joint \"drive\" is violated by 0.5 rad/s by the velocities");
    else assert_int_equal(status, 0);
    hn_model_free(model);
  }
}

/* ---- The projection ------------------------------------------------------------------------------------ */

static void project(hn_model *model)
{
  hn_error error;
  if (hn_model_project(model, &error)) fail_msg("%s", error.text);
  assert_true(model->projection.done);
}

static void measure_start(const hn_model *model, double position, double velocity)
{
  hn_measure measure;
  hn_state *start = hn_state_create(model);
  hn_measure_state(model, start, &measure);
  check_below("joint error of the start, m", measure.position_error, position);
  check_below("joint velocity error of the start, m/s", measure.velocity_error, velocity);
  hn_state_free(start);
}

/* The particle moves along the rod; its velocity becomes perpendicular to it. */
static void a_particle_goes_straight_to_its_sphere(void **unused)
{
  (void)unused;
  const double velocity[3] = { 0.5, 1, -2 };
  hn_error error;
  hn_model *model = new_model();
  model->consistent = true;
  assert_int_equal(add_bob(model, velocity, 1.75, &error), 0);
  project(model);
  check_near("x", model->body[1].pose0.x[0], 1.75, 0);
  check_near("vx", model->body[1].twist0.v[0], 0, 0);
  check_near("vy", model->body[1].twist0.v[1], 1, 0);
  check_near("violation, m", model->projection.position, 0.25, 0);
  check_near("violation, m/s", model->projection.velocity, 0.5, 0);
  check_near("displacement of the particle, m", model->projection.moved, 0.25, 0);
  hn_model_free(model);
}

/* Two particles on a rod share the correction in inverse proportion to their masses and keep their
 * momentum. */
static void heavy_bodies_move_less(void **unused)
{
  (void)unused;
  hn_error error;
  hn_model *model = new_model();
  model->consistent = true;
  int a = add_particle(model, "light", 0, 0, 0), b = add_particle(model, "heavy", 2, 0, 0);
  model->body[b].mass = 3, model->body[b].inv_mass = 1.0 / 3.0;
  model->body[a].twist0.v[0] = 4;
  hn_joint_spec rod = { .type = "distance", .a = a, .b = b, .settings = "length=2.8" };
  assert_int_equal(hn_model_add_joint(model, &rod, &error), 0);
  project(model);
  check_near("light, m", model->body[a].pose0.x[0], -0.6, 1e-15);
  check_near("heavy, m", model->body[b].pose0.x[0], 2.2, 1e-15);
  check_near("light, m/s", model->body[a].twist0.v[0], 1, 1e-15);
  check_near("heavy, m/s", model->body[b].twist0.v[0], 1, 1e-15);
  hn_model_free(model);
}

/* Returns the sum over bodies of d' M n, where d and n are changes of velocities. */
static double inner_product(const hn_model *model, const hn_twist *d, const hn_twist *n)
{
  double sum = 0.0;
  for (int i = 1; i < model->nbody; i++) {
    const hn_body *body = &model->body[i];
    double w[3], dw[3];
    quat_unrotate(dw, body->pose0.q, d[i].w);
    quat_unrotate(w, body->pose0.q, n[i].w);
    sum += body->mass * vec_dot(d[i].v, n[i].v);
    for (int c = 0; c < 3; c++) sum += body->J[c] * dw[c] * w[c];
  }
  return sum;
}

/* Sets reproducible pseudo-random velocities. */
static void set_random_velocities(hn_model *model, uint32_t seed)
{
  for (int i = 1; i < model->nbody; i++)
    for (int c = 0; c < 6; c++) {
      seed = seed * 1664525u + 1013904223u;
      double x = (double)(int32_t)seed / 2147483648.0;
      *(c < 3 ? &model->body[i].twist0.v[c] : &model->body[i].twist0.w[c - 3]) = x;
    }
}

enum { MAX_BODIES = 16 };

static void read_twists(const hn_model *model, hn_twist *u)
{
  assert_true(model->nbody <= MAX_BODIES);
  for (int i = 0; i < model->nbody; i++) u[i] = model->body[i].twist0;
}

/* Checks that the removed part is orthogonal, in the mass metric, to every motion the joints allow, and that
 * a second projection changes nothing. Frees MODEL. */
static void velocities_are_projected_orthogonally(hn_model *model)
{
  hn_twist before[MAX_BODIES], after[MAX_BODIES], again[MAX_BODIES], removed[MAX_BODIES];
  double worst = 0.0, size, moved = 0.0;
  set_random_velocities(model, 7);
  read_twists(model, before);
  project(model);
  measure_start(model, 1e-14, 1e-14);
  read_twists(model, after);
  for (int i = 0; i < model->nbody; i++) {
    vec_sub(removed[i].v, before[i].v, after[i].v);
    vec_sub(removed[i].w, before[i].w, after[i].w);
  }
  size = inner_product(model, before, before);
  check_near("energies after and of the removed part, over the initial one",
             (inner_product(model, after, after) + inner_product(model, removed, removed)) / size, 1, 1e-12);
  for (uint32_t seed = 1; seed < 6; seed++) {
    set_random_velocities(model, seed);
    project(model);
    read_twists(model, again);
    worst = fmax(worst, fabs(inner_product(model, removed, again)) / size);
  }
  check_below("removed part against allowed motions", worst, 1e-13);
  for (int i = 0; i < model->nbody; i++) model->body[i].twist0 = after[i];
  project(model);
  read_twists(model, again);
  for (int i = 0; i < model->nbody; i++)
    for (int c = 0; c < 3; c++)
      moved = fmax(moved, fmax(fabs(after[i].v[c] - again[i].v[c]), fabs(after[i].w[c] - again[i].w[c])));
  check_below("a second projection, m/s", moved, 1e-15);
  hn_model_free(model);
}

static void velocities_of_a_chain(void **unused)
{
  (void)unused;
  velocities_are_projected_orthogonally(box_chain(5));
}

static void velocities_of_a_redundant_mechanism(void **unused)
{
  (void)unused;
  velocities_are_projected_orthogonally(bricard());
}

/* 28 distances of 8 particles, of rank 18, all 1 % too long. */
static void a_redundant_cube_grows(void **unused)
{
  (void)unused;
  hn_error error;
  hn_model *model = new_model();
  model->consistent = true;
  for (int i = 0; i < 8; i++) {
    char name[16];
    snprintf(name, sizeof name, "p%d", i);
    add_particle(model, name, i & 1, i >> 1 & 1, i >> 2);
  }
  for (int i = 1; i <= 8; i++)
    for (int j = i + 1; j <= 8; j++) {
      double d[3];
      vec_sub(d, model->body[j].pose0.x, model->body[i].pose0.x);
      hn_joint_spec rod = {
        .type = "distance", .a = i, .b = j, .settings = setting("length", 1.01 * vec_norm(d))
      };
      if (hn_model_add_joint(model, &rod, &error) < 0) fail_msg("%s", error.text);
    }
  project(model);
  measure_start(model, 1e-15, 0);
  double worst = 0.0;
  for (int i = 0; i < 8; i++)
    for (int c = 0; c < 3; c++)
      worst = fmax(worst, fabs(model->body[1 + i].pose0.x[c] - (0.5 + 1.01 * ((i >> c & 1) - 0.5))));
  check_below("corners against those of the larger cube, m", worst, 1e-15);
  hn_model_free(model);
}

/* Returns a loop of boxes that does not close: a rod is 10 cm too short. Bodies turn, and the other joints
 * stay closed. */
static hn_model *open_loop(bool planar)
{
  hn_error error;
  hn_model *model = new_model();
  if (planar && hn_model_set_planar(model, &error)) fail_msg("%s", error.text);
  model->consistent = true;
  for (int i = 0; i < 3; i++) {
    int box = add_box(model, i == 0 ? "b1" : i == 1 ? "b2" : "b3", i + 0.5, 0, 0);
    add_ball(model, box - 1, box, i, 0, 0);
  }
  hn_joint_spec rod = { .type = "distance",
                        .a = 3,
                        .b = 0,
                        .has_points = true,
                        .at_a = { 3, 0, 0 },
                        .at_b = { 3, 1, 0 },
                        .settings = "length=0.9" };
  if (hn_model_add_joint(model, &rod, &error) < 0) fail_msg("%s", error.text);
  return model;
}

static void a_loop_is_closed(void **unused)
{
  (void)unused;
  for (int planar = 0; planar < 2; planar++) {
    hn_model *model = open_loop(planar);
    set_random_velocities(model, 3);
    for (int i = 1; i < model->nbody && planar; i++)
      model->body[i].twist0.v[2] = model->body[i].twist0.w[0] = model->body[i].twist0.w[1] = 0;
    project(model);
    measure_start(model, 1e-15, 1e-14);
    check_near("violated by, m", model->projection.position, 0.1, 1e-15);
    printf("  %d steps, bodies moved by up to %g m\n", model->projection.steps, model->projection.moved);
    assert_true(model->projection.moved < 0.1 && model->projection.steps < 10);
    double off = 0.0;
    for (int i = 1; i < model->nbody; i++)
      off = fmax(off, fabs(model->body[i].pose0.x[2]) + fabs(model->body[i].pose0.q[1]) +
                        fabs(model->body[i].pose0.q[2]));
    check_below("out of the plane, m", off, planar ? 0 : 1e-15);
    hn_model_free(model);
  }
}

/* Projects a box on a hinge at angle 0, limited to LOWER .. 1.5; returns the angle. */
static double angle_within(double lower)
{
  hn_error error;
  hn_model *model = new_model();
  model->consistent = true;
  add_box(model, "box", 0.5, 0, 0);
  hn_joint_spec hinge = { .type = "hinge", .a = 0, .b = 1, .has_points = true, .axis_a = { 0, 0, 1 } };
  char between[64];
  snprintf(between, sizeof between, "lower=%.17g,upper=1.5", lower);
  hn_joint_spec limit = { .type = "limit_angle", .a = 0, .b = 1, .axis_a = { 0, 0, 1 }, .settings = between };
  assert_int_equal(hn_model_add_joint(model, &hinge, &error), 0);
  if (hn_model_add_joint(model, &limit, &error) < 0) fail_msg("%s", error.text);
  model->body[1].twist0.v[1] = -1, model->body[1].twist0.w[2] = -2;
  project(model);
  double angle = 2.0 * atan2(model->body[1].pose0.q[3], model->body[1].pose0.q[0]), J = 1.01 / 12, d = 0.5;
  check_near("the hinge holds: x", model->body[1].pose0.x[0], 0.5 * cos(angle), 1e-15);
  check_near("the velocity may be that of an impact, rad/s", model->body[1].twist0.w[2],
             (-d * cos(angle) - 2.0 * J) / (J + d * d), 1e-14);
  hn_model_free(model);
  return angle;
}

static void limits_are_bounds(void **unused)
{
  (void)unused;
  check_near("angle, from 0 with at least 0.2", angle_within(0.2), 0.2, 1e-15);
  check_near("angle, from 0 with at least -0.2", angle_within(-0.2), 0.0, 0);
}

/* A start that satisfies its joints is unchanged to the bit. */
static void a_consistent_start_is_unchanged(void **unused)
{
  (void)unused;
  hn_model *model = bricard();
  hn_state *before = hn_state_create(model);
  project(model);
  hn_state *after = hn_state_create(model);
  assert_true(hn_state_hash(before, HN_HASH_START) == hn_state_hash(after, HN_HASH_START));
  check_near("steps", model->projection.steps, 0, 0);
  hn_state_free(before), hn_state_free(after);
  hn_model_free(model);
}

/* ---- Inconsistent models ------------------------------------------------------------------------------- */

static void expect_no_projection(hn_model *model, const char *says)
{
  hn_error error = { "" };
  hn_state *before = hn_state_create(model);
  expect(hn_model_project(model, &error), error.text, "the start cannot be made consistent");
  if (!strstr(error.text, says)) fail_msg("should say \"%s\"", says);
  hn_state *after = hn_state_create(model);
  assert_true(!model->projection.done);
  assert_true(hn_state_hash(before, HN_HASH_START) == hn_state_hash(after, HN_HASH_START));
  hn_state_free(before), hn_state_free(after);
  hn_model_free(model);
}

static void inconsistent_joints_are_an_error(void **unused)
{
  (void)unused;
  hn_error error;
  const double rest[3] = { 0, 0, 0 };
  hn_model *model = new_model(); /* two lengths for one distance */
  model->consistent = true;
  add_bob(model, rest, 1.9, &error);
  hn_joint_spec rod = { .type = "distance", .name = "other", .a = 0, .b = 1, .settings = "length=2.1" };
  assert_int_equal(hn_model_add_joint(model, &rod, &error), 1);
  expect_no_projection(model, "rod");
  model = new_model(); /* out of reach: 1 and 1 for a distance of 3 */
  model->consistent = true;
  add_particle(model, "middle", 1.5, 0.1, 0);
  for (int i = 0; i < 2; i++) {
    hn_joint_spec reach = { .type = "distance",
                            .name = i ? "right" : "left",
                            .a = 0,
                            .b = 1,
                            .has_points = true,
                            .at_a = { 3.0 * i, 0, 0 },
                            .at_b = { 1.5, 0.1, 0 },
                            .settings = "length=1" };
    assert_int_equal(hn_model_add_joint(model, &reach, &error), i);
  }
  expect_no_projection(model, "is left violated by 0.5");
  model = new_model(); /* two rates for one angle */
  model->consistent = true;
  add_box(model, "box", 0, 0, 0);
  for (int i = 0; i < 2; i++) {
    hn_joint_spec drive = { .type = "drive_angle",
                            .name = i ? "fast" : "slow",
                            .a = 0,
                            .b = 1,
                            .axis_a = { 0, 0, 1 },
                            .motion = { .amplitude = 0.5, .frequency = 3 + i } };
    assert_int_equal(hn_model_add_joint(model, &drive, &error), i);
  }
  expect_no_projection(model, "slow, fast");
}

/* ---- Scenes -------------------------------------------------------------------------------------------- */

static void scenes_request_the_projection(void **unused)
{
  (void)unused;
  static const char *const body = "sys:particle { name = 'p', mass = 1, position = { 2, 0, 0 },"
                                  " velocity = { 1, 1, 0 } }\n"
                                  "sys:distance { sys.ground, 'p', name = 'rod', length = 1.5 }\nreturn sys";
  char text[500];
  hn_error error;
  write_scene(body);
  expect_refusal(3, "joint \"rod\" is violated by 0.5 m at the start; --consistent");
  for (int asked = 0; asked < 2; asked++) {
    snprintf(text, sizeof text, "local sys = require('holonom.scene').system { consistent = %s }\n%s",
             asked ? "true" : "false", body);
    write_bytes(text, strlen(text));
    /* Requested by the scene, or by the options of the caller. */
    hn_scene *scene = hn_scene_load_with(path, &(hn_scene_options){ .consistent = !asked }, &error);
    if (!scene) fail_msg("%s", error.text);
    check_near("x", scene->model->body[1].pose0.x[0], 1.5, 0);
    check_near("vx", scene->model->body[1].twist0.v[0], 0, 0);
    hn_scene_free(scene);
  }
  write_scene(
    "sys:particle { name = 'p', mass = 1, position = { 2, 0, 0 } }\n"
    "for i = 1, 2 do sys:distance { sys.ground, 'p', name = 'rod' .. i, length = i } end\nreturn sys");
  assert_null(hn_scene_load_with(path, &(hn_scene_options){ .consistent = true }, &error));
  expect(-1, error.text, "s.lua: the start cannot be made consistent");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_start_that_violates_a_joint_is_refused),
    cmocka_unit_test(prescribed_motions_require_their_velocity),
    cmocka_unit_test(a_particle_goes_straight_to_its_sphere),
    cmocka_unit_test(heavy_bodies_move_less),
    cmocka_unit_test(velocities_of_a_chain),
    cmocka_unit_test(velocities_of_a_redundant_mechanism),
    cmocka_unit_test(a_redundant_cube_grows),
    cmocka_unit_test(a_loop_is_closed),
    cmocka_unit_test(limits_are_bounds),
    cmocka_unit_test(a_consistent_start_is_unchanged),
    cmocka_unit_test(inconsistent_joints_are_an_error),
    cmocka_unit_test(scenes_request_the_projection),
  };
  return cmocka_run_group_tests_name("consistent", tests, make_directory, remove_directory);
}
