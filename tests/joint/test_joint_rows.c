/* test_joint_rows.c - effects of the rows of joint types, over the registry: action and reaction of impulses,
 * velocity rows against material points and coordinates, exchange of the bodies. Agreement of eval and jet is
 * tested in test_joints.c. */
#include "joint_trials.h"

/* True if the type is undefined where its points coincide. */
static bool needs_separation(const hn_joint_type *type)
{
  return strcmp(type->name, "distance") == 0 || strcmp(type->name, "gear") == 0;
}

/* Moves b until the joint points coincide: only there do the lines of action of a ball coincide. */
static void make_points_coincide(const hn_joint *joint, const motion *a, motion *b)
{
  double pa[3], pb[3];
  quat_rotate(pa, a->pose.q, joint->point_a);
  quat_rotate(pb, b->pose.q, joint->point_b);
  for (int i = 0; i < 3; i++) b->pose.x[i] = a->pose.x[i] + pa[i] - pb[i];
}

/* Internal impulses change neither momentum nor angular momentum about any point. */
static void impulses_act_and_react(void **state)
{
  (void)state;
  size_t count;
  const hn_joint_type *const *types = tested_types(&count);
  for (size_t t = 0; t < count; t++) {
    double worst = 0.0;
    for (int trial = 0; trial < 20; trial++) {
      hn_joint joint = make_joint(types[t]);
      motion a = random_motion(), b = random_motion();
      if (!needs_separation(types[t])) make_points_coincide(&joint, &a, &b);
      rows r = eval(&joint, &a, &b);
      int n = types[t]->rows;
      for (int i = 0; i < n; i++) {
        double fa[3], fb[3], moment_a[3], moment_b[3];
        for (int c = 0; c < 3; c++) fa[c] = r.Ga[c * n + i], fb[c] = r.Gb[c * n + i];
        vec_cross(moment_a, a.pose.x, fa);
        vec_cross(moment_b, b.pose.x, fb);
        for (int c = 0; c < 3; c++) {
          worst = fmax(worst, fabs(fa[c] + fb[c]));
          worst = fmax(worst,
                       fabs(moment_a[c] + moment_b[c] + r.Ga[(3 + c) * n + i] + r.Gb[(3 + c) * n + i]));
        }
      }
    }
    printf(" %s\n", types[t]->name);
    check_below("sum of forces and of moments of a unit impulse", worst, 1e-13);
  }
}

/* Residuals evaluated alone have the same bits as with the Jacobian, and vice versa. */
static void parts_evaluated_alone_are_the_same(void **state)
{
  (void)state;
  size_t count;
  const hn_joint_type *const *types = tested_types(&count);
  for (size_t t = 0; t < count; t++)
    for (int trial = 0; trial < 10; trial++) {
      hn_joint joint = { .type = types[t] };
      motion a, b;
      draw_regular(&joint, &a, &b);
      const rows whole = eval(&joint, &a, &b);
      rows part = { { 0 }, { 0 }, { 0 }, { 0 }, { 0 } };
      const hn_rows wanted[] = { { .g = part.g },
                                 { .G_a = part.Ga, .G_b = part.Gb, .bias = part.bias },
                                 { .gamma = part.gamma } };
      for (int i = 0; i < 3; i++)
        types[t]->eval(&joint, TIME, &a.pose, &a.twist, &b.pose, &b.twist, &wanted[i]);
      if (memcmp(&whole, &part, sizeof whole) != 0)
        fail_msg("%s: other numbers when evaluated alone", types[t]->name);
    }
  printf("  %zu types\n", count);
}

/* ---- Velocity constraints: the meaning of G u ---------------------------------------------------------- */

/* Computes the position, after time e, of the material point of a body that is now at WORLD. */
static void moved_point(const motion *m, const double world[3], double e, double out[3])
{
  double own[3];
  hn_pose moved = displaced(&m->pose, &m->twist, e);
  vec_sub(own, world, m->pose.x);
  quat_unrotate(own, m->pose.q, own);
  quat_rotate(out, moved.q, own);
  vec_add(out, out, moved.x);
}

/* Returns the relative velocity of the material points of b and a at WORLD along DIRECTION, by a difference
 * quotient. */
static double sliding_velocity(const motion *a, const motion *b, const double world[3],
                               const double direction[3])
{
  double along[4], pa[3], pb[3];
  const double at[4] = { E, -E, 2 * E, -2 * E };
  for (int i = 0; i < 4; i++) {
    moved_point(a, world, at[i], pa), moved_point(b, world, at[i], pb);
    vec_sub(pb, pb, pa);
    along[i] = vec_dot(direction, pb);
  }
  return derivative(along[0], along[1], along[2], along[3]);
}

/* Finds the lowest point along N of the rim of a disc: the best of many, then bisection on the slope. */
static void lowest_of_rim(const double centre[3], const double disc[9], double radius, const double n[3],
                          double out[3])
{
  double c = vec_dot(n, disc + 3), s = vec_dot(n, disc + 6), best = 0.0;
  for (double angle = 0.0; angle < 6.28; angle += 0.02)
    if (c * cos(angle) + s * sin(angle) < c * cos(best) + s * sin(best)) best = angle;
  double low = best - 0.02, high = best + 0.02;
  for (int i = 0; i < 60; i++) {
    double middle = 0.5 * (low + high);
    if (s * cos(middle) - c * sin(middle) < 0) low = middle;
    else high = middle;
  }
  vec_copy(out, centre);
  vec_add_scaled(out, radius * cos(low), disc + 3);
  vec_add_scaled(out, radius * sin(low), disc + 6);
}

/* Computes the joint's axes on a body in world axes. */
static void world_axes(const double axes[9], const motion *of, double out[9])
{
  for (int i = 0; i < 3; i++) quat_rotate(out + 3 * i, of->pose.q, axes + 3 * i);
}

/* Finds point and directions of contact of a rolling or cutting joint, independently of its closed form. */
static void find_contact(const hn_joint *joint, const motion *a, const motion *b, double A[9],
                         double point[3], const double **direction)
{
  static double B[9];
  const char *name = joint->type->name;
  double centre[3], radius = hn_joint_real(joint, "radius");
  world_axes(joint->axes->a, a, A), world_axes(joint->axes->b, b, B);
  quat_rotate(centre, b->pose.q, joint->point_b);
  vec_add(centre, centre, b->pose.x);
  vec_copy(point, centre);
  *direction = strcmp(name, "knife_edge") == 0 ? B : strcmp(name, "disc_on_plane") == 0 ? A : A + 3;
  if (strcmp(name, "rolling") == 0) vec_add_scaled(point, -radius, A);
  else if (strcmp(name, "knife_edge") != 0) lowest_of_rim(centre, B, radius, A, point);
}

static void rows_of_contacts_are_their_sliding(void **state)
{
  (void)state;
  static const char *const names[] = { "knife_edge", "rolling", "rolling_disc", "disc_on_plane" };
  for (int t = 0; t < 4; t++) {
    double worst = 0.0;
    const hn_joint_type *type = hn_joint_type_find(names[t], NULL);
    for (int trial = 0; trial < 50; trial++) {
      hn_joint joint = { .type = type };
      motion a, b;
      double A[9], point[3];
      const double *direction;
      draw_regular(&joint, &a, &b);
      rows r = eval(&joint, &a, &b);
      find_contact(&joint, &a, &b, A, point, &direction);
      for (int i = 0; i < type->rows; i++)
        worst = fmax(worst, fabs(sliding_velocity(&a, &b, point, direction + 3 * i) -
                                 row_velocity(&joint, &r, i, &a.twist, &b.twist)));
    }
    printf(" %s\n", type->name);
    check_below("sliding of material points against G u", worst, 1e-10);
  }
}

/* Motors and friction act on the rates of the coordinates. */
static void rates_are_those_of_coordinates(void **state)
{
  (void)state;
  static const char *const names[] = { "motor_angle", "motor_position", "friction_angle",
                                       "friction_position" };
  for (int t = 0; t < 4; t++) {
    double worst[2] = { 0, 0 };
    const hn_joint_type *type = hn_joint_type_find(names[t], NULL);
    const hn_joint_type *hinge = hn_joint_type_find(t % 2 ? "slider" : "hinge", NULL);
    for (int trial = 0; trial < 50; trial++) {
      hn_joint joint = { .type = type };
      motion a, b;
      draw_regular(&joint, &a, &b);
      rows r = eval(&joint, &a, &b);
      double f = t < 2 ? hn_motion_coefficient(&joint.axes->motion, TIME, 0) : 0.0;
      joint.type = hinge->coordinates[0];
      rows of = eval(&joint, &a, &b);
      for (int c = 0; c < 6; c++)
        worst[0] = fmax(worst[0], fmax(fabs(r.Ga[c] - of.Ga[c]), fabs(r.Gb[c] - of.Gb[c])));
      worst[1] = fmax(worst[1], fabs(r.bias[0] + f));
    }
    printf(" %s\n", type->name);
    check_below("Jacobian against that of the coordinate", worst[0], 0.0);
    check_below("bias against minus the prescribed speed", worst[1], 0.0);
  }
}

/* Exchanging the bodies changes the sign of directed quantities only. */
static void exchanging_bodies_mirrors_the_rows(void **state)
{
  (void)state;
  /* the others have their axes on a */
  static const char *const mutual[] = { "ball", "point_on_point", "distance" };
  for (int t = 0; t < 3; t++) {
    double worst = 0.0;
    const hn_joint_type *type = hn_joint_type_find(mutual[t], NULL);
    hn_joint joint = make_joint(type), swapped = joint;
    vec_copy(swapped.point_a, joint.point_b), vec_copy(swapped.point_b, joint.point_a);
    motion a = random_motion(), b = random_motion();
    rows r = eval(&joint, &a, &b), s = eval(&swapped, &b, &a);
    double sign = type->rows == 1 ? 1.0 : -1.0; /* a length has no direction */
    for (int i = 0; i < 6 * type->rows; i++) worst = fmax(worst, fabs(r.Ga[i] - sign * s.Gb[i]));
    for (int i = 0; i < type->rows; i++) worst = fmax(worst, fabs(r.g[i] - sign * s.g[i]));
    printf(" %s\n", type->name);
    check_below("rows of (a, b) against mirrored rows of (b, a)", worst, 1e-15);
  }
}

/* A fixed body receives no impulse: its columns of W G' are zero. */
static void fixed_bodies_have_no_response(void **state)
{
  (void)state;
  const double gravity[3] = { 0, -9.81, 0 };
  hn_error error = { .text = "" };
  hn_model *model = hn_model_create(gravity);
  hn_body_spec ball = { .name = "ball",
                        .kind = HN_RIGID,
                        .shape = { .kind = HN_SPHERE, .size = { 0.3 } },
                        .density = 100,
                        .position = { 1, 0, 0 },
                        .orientation = { 1, 0, 0, 0 } };
  assert_int_equal(hn_model_add_body(model, &ball, &error), 1);
  hn_joint_spec joint = { .type = "ball", .a = 0, .b = 1, .has_points = true };
  assert_int_equal(hn_model_add_joint(model, &joint, &error), 0);
  hn_system *system = hn_system_create(model, &error);
  hn_state *at = hn_state_create(model);
  double worst = 0.0, response = 0.0;
  hn_system_jacobian(system, at);
  for (int i = 0; i < 18; i++) {
    worst = fmax(worst, fabs(system->T[i]));
    response = fmax(response, fabs(system->T[18 + i]));
  }
  check_below("W G' on the ground", worst, 0.0);
  double mass = 100 * 4.0 / 3.0 * M_PI * 0.027;
  check_near("largest W G' on the ball: arm / moment of inertia", response, 1.0 / (0.4 * mass * 0.09), 1e-12);
  hn_state_free(at);
  hn_system_free(system);
  hn_model_free(model);
}

/* Joint parameters are numbers; texts are not supported. */
static void no_joint_type_has_texts(void **state)
{
  (void)state;
  size_t count;
  const hn_joint_type *const *types = tested_types(&count);
  for (size_t t = 0; t < count; t++)
    for (const hn_param *p = hn_joint_params(types[t]); p->key; p++) assert_int_not_equal(p->kind, HN_TEXT);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(impulses_act_and_react),
    cmocka_unit_test(parts_evaluated_alone_are_the_same),
    cmocka_unit_test(rows_of_contacts_are_their_sliding),
    cmocka_unit_test(rates_are_those_of_coordinates),
    cmocka_unit_test(no_joint_type_has_texts),
    cmocka_unit_test(exchanging_bodies_mirrors_the_rows),
    cmocka_unit_test(fixed_bodies_have_no_response),
    cmocka_unit_test_setup(impulses_act_and_react, in_the_plane),
    cmocka_unit_test_setup(parts_evaluated_alone_are_the_same, in_the_plane),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
