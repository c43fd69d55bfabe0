/* test_bodies.c - bodies composed of parts: mass, centre of mass, principal axes and placement, against
 * closed forms. */
#include "models.h"
#include "base/vec.h"

#include <math.h>
#include <string.h>

static const double density = 700;

/* Computes the initial inertia tensor of BODY in world axes. */
static void world_inertia(const hn_body *body, double I[9])
{
  double R[9];
  quat_matrix(R, body->pose0.q);
  mat_congruence(I, R, body->J);
}

/* A box of 3 x 1 x 2, whole and cut into 24 parts turned by right angles. */
static void a_box_is_the_sum_of_its_parts(void **state)
{
  (void)state;
  hn_error error;
  hn_part part[24];
  const double right = sqrt(0.5), turns[4][4] = {
    { 1, 0, 0, 0 }, { right, right, 0, 0 }, { right, 0, right, 0 }, { 0, 0, 0, 2 }
  };
  for (int i = 0; i < 24; i++) {
    part[i] = (hn_part){ .shape = { .kind = HN_BOX, .size = { 0.5, 0.5, 1.0 } }, .density = density };
    const int x = i % 6, y = i / 6 % 2, z = i / 12;
    memcpy(part[i].position, (double[3]){ 0.5 * x - 1.25, 0.5 * y - 0.25, z - 0.5 }, sizeof part[i].position);
    memcpy(part[i].orientation, turns[i % 4], sizeof turns[0]);
    const int turned = i % 4;
    if (turned == 1) part[i].shape.size[1] = 1.0, part[i].shape.size[2] = 0.5;
    if (turned == 2) part[i].shape.size[0] = 1.0, part[i].shape.size[2] = 0.5;
  }
  hn_model *model = new_model();
  const hn_body_spec whole = { .kind = HN_RIGID,
                               .shape = { .kind = HN_BOX, .size = { 3, 1, 2 } },
                               .density = density,
                               .orientation = { 1 } };
  const hn_body_spec cut = { .kind = HN_RIGID, .part = part, .nparts = 24, .orientation = { 1 } };
  const int a = hn_model_add_body(model, &whole, &error), b = hn_model_add_body(model, &cut, &error);
  if (a < 0 || b < 0) fail_msg("%s", error.text);
  const hn_body *p = &model->body[a], *q = &model->body[b];
  check_below("mass, relative", q->mass / p->mass - 1, 1e-15);
  for (int i = 0; i < 3; i++) check_below("moment, relative", q->J[i] / p->J[i] - 1, 4e-15);
  check_below("centre of mass, m", vec_norm(q->pose0.x), 1e-15);
  hn_model_free(model);
}

/* Two balls of masses m and M on a massless stick, off the origin and inclined. */
static void a_dumbbell_has_its_own_axes(void **state)
{
  (void)state;
  hn_error error;
  const double m = 4.0 / 3 * M_PI * 0.001 * density, M = 8 * m, lever = 2, c = cos(0.3), s = sin(0.3);
  const hn_part part[3] = {
    { .shape = { .kind = HN_SPHERE, .size = { 0.1 } }, .position = { 1, 2, 3 }, .density = density },
    { .shape = { .kind = HN_SPHERE, .size = { 0.2 } },
      .position = { 1 + lever * c, 2 + lever * s, 3 },
      .density = density },
    { .shape = { .kind = HN_CAPSULE, .size = { 0.01, 2 } },
      .position = { 1 + c, 2 + s, 3 },
      .weightless = true },
  };
  hn_model *model = new_model();
  hn_body_spec spec = { .name = "d",
                        .kind = HN_RIGID,
                        .part = part,
                        .nparts = 3,
                        .orientation = { 0.8, 0, 0.6, 0 },
                        .position = { 5, 0, -5 },
                        .velocity = { 1, 2, 3 },
                        .angular_velocity = { 0.1, 0.2, 0.3 } };
  const int d = hn_model_add_body(model, &spec, &error);
  if (d < 0) fail_msg("%s", error.text);
  const hn_body *body = &model->body[d];
  const double along = lever * M / (m + M), centre[3] = { 1 + along * c, 2 + along * s, 3 };
  double at[3], arm[3], v[3], I[9], e[3], axis[3];
  check_below("mass, relative", body->mass / (m + M) - 1, 1e-15);
  quat_rotate(arm, spec.orientation, centre);
  vec_add(at, spec.position, arm);
  vec_cross(v, spec.angular_velocity, arm), vec_add(v, v, spec.velocity);
  vec_sub(at, at, body->pose0.x), vec_sub(v, v, body->twist0.v);
  check_below("centre of mass, m off", vec_norm(at), 1e-14);
  check_below("its velocity, m/s off", vec_norm(v), 1e-14);
  /* About the stick: the two balls. About transverse axes: the reduced mass in addition. */
  const double balls = 0.4 * (m * 0.01 + M * 0.04), across = balls + m * M / (m + M) * lever * lever;
  quat_rotate(e, spec.orientation, (double[3]){ c, s, 0 });
  world_inertia(body, I);
  mat_vec(axis, I, e);
  for (int i = 0; i < 3; i++)
    check_below("J e - J_along e, relative", (axis[i] - balls * e[i]) / across, 1e-14);
  check_below("trace, relative", (I[0] + I[4] + I[8]) / (balls + 2 * across) - 1, 1e-14);
  hn_pose pose;
  hn_twist twist;
  hn_body_to_scene(body, &body->pose0, &body->twist0, &pose, &twist);
  vec_sub(at, pose.x, spec.position), vec_sub(v, twist.v, spec.velocity);
  check_below("back in the axes of the scene, m off", vec_norm(at), 1e-14);
  check_below("and m/s", vec_norm(v), 1e-14);
  double same = 0;
  for (int i = 0; i < 4; i++) same += pose.q[i] * spec.orientation[i];
  check_below("orientation", fabs(same) - 1, 1e-15);
  hn_pose corner;
  hn_body_to_scene(&(hn_body){ .frame = &model->collider[1].place }, &body->pose0, &body->twist0, &corner,
                   &twist);
  quat_rotate(arm, spec.orientation, part[1].position);
  vec_add(at, spec.position, arm), vec_sub(at, at, corner.x);
  check_below("the larger ball is where it was put, m off", vec_norm(at), 1e-14);
  hn_model_free(model);
}

/* A tensor with products of inertia, given as numbers. */
static void products_of_inertia_are_diagonalised(void **state)
{
  (void)state;
  hn_error error;
  hn_model *model = new_model();
  hn_body_spec spec = rigid_body("d", 3, 5, 4, 6);
  vec_set(spec.products, 0.5, -0.7, 0.2);
  spec.centre[0] = 0.1;
  const int d = hn_model_add_body(model, &spec, &error);
  if (d < 0) fail_msg("%s", error.text);
  double I[9];
  const double expected[9] = { 5, 0.5, -0.7, 0.5, 4, 0.2, -0.7, 0.2, 6 };
  world_inertia(&model->body[d], I);
  for (int i = 0; i < 9; i++) check_near("entry of the tensor", I[i], expected[i], 1e-14);
  check_near("centre of mass, m", model->body[d].pose0.x[0], 0.1, 1e-16);
  hn_model_free(model);
}

static void bad_shapes_are_refused(void **state)
{
  (void)state;
  static const struct {
    hn_body_spec spec;
    const char *says;
  } cases[] = {
    { { .kind = HN_RIGID, .shape = { .kind = HN_PLANE, .size = { 0, 1, 0 } }, .density = 1 },
      "a plane has no mass" },
    { { .kind = HN_RIGID,
        .has_mass = true,
        .mass = 1,
        .inertia = { 1, 1, 1 },
        .shape = { .kind = HN_PLANE, .size = { 0, 1, 0 } } },
      "a plane belongs on the ground or on a fixed body" },
    { { .kind = HN_FIXED, .shape = { .kind = HN_PLANE, .size = { 0, 2, 0 } } }, "must have the length 1" },
    { { .kind = HN_FIXED, .shape = { .kind = HN_BOX, .size = { 0, 2, 1 } } },
      "sizes of a box must be positive" },
    { { .kind = HN_FIXED, .shape = { .kind = HN_CIRCLE, .size = { 1 } } },
      "a circle belongs in a planar system" },
    { { .kind = HN_FIXED, .shape = { .kind = HN_BOX, .size = { 1, 1, 1 } }, .friction = -1 },
      "friction must be at least 0" },
    { { .kind = HN_FIXED, .shape = { .kind = HN_BOX, .size = { 1, 1, 1 } }, .friction = NAN },
      "friction must be at least 0" },
    { { .kind = HN_FIXED, .shape = { .kind = HN_BOX, .size = { 1, 1, 1 } }, .restitution = 1.5 },
      "between 0 and 1" },
    { { .kind = HN_FIXED, .shape = { .kind = HN_CONVEX, .size = { 0 } } }, "needs its corners" },
  };
  hn_model *model = new_model();
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    hn_error error = { "" };
    hn_body_spec spec = cases[i].spec;
    spec.orientation[0] = 1;
    assert_int_equal(hn_model_add_body(model, &spec, &error), -1);
    printf("  %s\n", error.text);
    if (!strstr(error.text, cases[i].says)) fail_msg("should say \"%s\"", cases[i].says);
    assert_int_equal(model->ncollider, 0);
  }
  hn_model_free(model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_box_is_the_sum_of_its_parts),
    cmocka_unit_test(a_dumbbell_has_its_own_axes),
    cmocka_unit_test(products_of_inertia_are_diagonalised),
    cmocka_unit_test(bad_shapes_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
