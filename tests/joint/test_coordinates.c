/* test_coordinates.c - coordinates of joints and their rates against poses and twists composed from them;
 * residuals of gears and values of prescribed motions far from the start; parameters by key. */
#include "models.h"
#include "base/vec.h"

#include <stdlib.h>

/* Two boxes, a joint between them at AT, and a state. */
typedef struct pair {
  hn_model *model;
  hn_state *state;
  const hn_joint *joint;
} pair;

static const double at[3] = { 0.4, -0.2, 0.7 };

static pair new_pair(const char *type, const double axis_a[3], const double axis_b[3])
{
  hn_error error;
  pair p = { .model = new_model() };
  hn_joint_spec spec = { .type = type,
                         .a = add_box(p.model, "a", 0, 0, 0),
                         .b = add_box(p.model, "b", 0.3, 0.5, 0.1),
                         .has_points = true };
  vec_copy(spec.at_a, at), vec_copy(spec.at_b, at);
  vec_copy(spec.axis_a, axis_a), vec_copy(spec.axis_b, axis_b);
  if (hn_model_add_joint(p.model, &spec, &error) < 0) fail_msg("%s", error.text);
  p.state = hn_state_create(p.model);
  p.joint = &p.model->joint[0];
  return p;
}

static void free_pair(pair *p)
{
  hn_state_free(p->state);
  hn_model_free(p->model);
}

static void turn_about(double q[4], const double axis[3], double angle)
{
  q[0] = cos(0.5 * angle);
  vec_scale(q + 1, sin(0.5 * angle) / vec_norm(axis), axis);
}

/* Places body a in general position and motion. Places b so that, in a's axes, the relative orientation is
 * TURN and the joint points are OFF apart, with relative angular velocity SPIN and velocity SLIDE. */
static void place(pair *p, const double turn[4], const double off[3], const double spin[3],
                  const double slide[3])
{
  hn_pose *a = &p->state->pose[1], *b = &p->state->pose[2];
  hn_twist *ua = &p->state->twist[1], *ub = &p->state->twist[2];
  double arm_a[3], arm_b[3], way[3], speed[3], carried[3];
  vec_set(a->x, 1, 2, -0.5), vec_set(ua->v, 0.3, -0.4, 0.2), vec_set(ua->w, 0.7, 0.1, -0.6);
  const double axis[3] = { 0.5, -1, 0.8 };
  turn_about(a->q, axis, 0.9);
  quat_mul(b->q, a->q, turn);
  quat_rotate(arm_a, a->q, p->joint->point_a), quat_rotate(arm_b, b->q, p->joint->point_b);
  quat_rotate(way, a->q, off), quat_rotate(speed, a->q, slide);
  vec_add(b->x, a->x, arm_a), vec_add(b->x, b->x, way), vec_sub(b->x, b->x, arm_b);
  quat_rotate(ub->w, a->q, spin), vec_add(ub->w, ub->w, ua->w);
  /* velocity of b's joint point: carried by a, and sliding; b's centre is arm_b behind it */
  vec_add(way, way, arm_a);
  vec_cross(carried, ua->w, way);
  vec_add(ub->v, ua->v, carried), vec_add(ub->v, ub->v, speed);
  vec_cross(carried, ub->w, arm_b);
  vec_sub(ub->v, ub->v, carried);
}

static const double zero[3] = { 0, 0, 0 }, identity[4] = { 1, 0, 0, 0 };

/* b is a turned by alpha about the axis of a, then by beta about the axis of b, which the first rotation
 * carries along. */
static void a_universal_joint_has_both_angles(void **unused)
{
  (void)unused;
  static const double axis_a[3] = { 0, 0, 1 }, others[2][3] = { { 1, 0, 0 }, { 0.8, 0.3, 0.5 } };
  static const double angles[4][2] = { { 0.3, -0.7 }, { -1.2, 0.4 }, { 2.5, 1.9 }, { -2.9, -2.2 } };
  for (int k = 0; k < 2; k++) {
    pair p = new_pair(k ? "line_universal" : "universal", axis_a, others[k]);
    const int first = k; /* index of the first angle; the position precedes it */
    for (int i = 0; i < 4; i++) {
      double qa[4], qb[4], turn[4], turned[3], unit[3], spin[3], value[2], rate[2];
      vec_scale(unit, 1.0 / vec_norm(others[k]), others[k]);
      turn_about(qa, axis_a, angles[i][0]), turn_about(qb, unit, angles[i][1]);
      quat_mul(turn, qa, qb);
      quat_rotate(turned, qa, unit);
      for (int c = 0; c < 3; c++) spin[c] = 1.1 * axis_a[c] - 0.6 * turned[c];
      place(&p, turn, zero, spin, zero);
      for (int c = 0; c < 2; c++) hn_joint_coordinate(p.joint, first + c, p.state, &value[c], &rate[c]);
      check_near("about the axis of a, rad", value[0], angles[i][0], 1e-14);
      check_near("rad/s", rate[0], 1.1, 1e-14);
      check_near("about the axis of b", value[1], angles[i][1], 1e-14);
      check_near("rad/s", rate[1], -0.6, 1e-14);
    }
    free_pair(&p);
  }
}

/* The two directions of a plane are orthonormal and right-handed about its normal. */
static void a_plane_has_two_directions(void **unused)
{
  (void)unused;
  static const double normal[3] = { 0.6, 0, 0.8 }, d[3] = { 0.8, 0.5, -0.6 };
  double across[3];
  vec_cross(across, normal, d);
  static const char *const types[] = { "planar", "plane_slider", "point_on_plane", "plane_universal" };
  for (int k = 0; k < 4; k++) {
    static const double other[3] = { 0, 1, 0 };
    pair p = new_pair(types[k], normal, k == 3 ? other : normal);
    double x[2], y[2], dx[2], dy[2];
    printf(" %s\n", types[k]);
    for (int i = 0; i < 2; i++) {
      place(&p, identity, i ? across : d, zero, i ? across : d);
      hn_joint_coordinate(p.joint, 0, p.state, &x[i], &dx[i]);
      hn_joint_coordinate(p.joint, 1, p.state, &y[i], &dy[i]);
    }
    check_near("length of the path, m", hypot(x[0], y[0]), vec_norm(d), 1e-15);
    check_near("a quarter turn: x", x[1], -y[0], 1e-15);
    check_near("y", y[1], x[0], 1e-15);
    assert_true(fabs(x[0]) > 0.05 && fabs(y[0]) > 0.05);
    check_near("velocity proportional to the path, x", dx[0], x[0], 1e-14);
    check_near("y", dy[0], y[0], 1e-14);
    free_pair(&p);
  }
}

/* Simultaneous sliding along the axis and rotation about it. */
static void a_cylindrical_joint_slides_and_turns(void **unused)
{
  (void)unused;
  static const double axis[3] = { 0, 0.6, 0.8 };
  double turn[4], off[3], spin[3], slide[3], value, rate;
  pair p = new_pair("cylindrical", axis, axis);
  turn_about(turn, axis, -1.3);
  vec_scale(off, 0.35, axis), vec_scale(spin, 0.9, axis), vec_scale(slide, -0.25, axis);
  place(&p, turn, off, spin, slide);
  hn_joint_coordinate(p.joint, 0, p.state, &value, &rate);
  check_near("position, m", value, 0.35, 1e-14);
  check_near("m/s", rate, -0.25, 1e-14);
  hn_joint_coordinate(p.joint, 1, p.state, &value, &rate);
  check_near("angle, rad", value, -1.3, 1e-14);
  check_near("rad/s", rate, 0.9, 1e-14);
  free_pair(&p);
}

/* The residual of slipping wheels, relative to a tooth: it grows up to half a tooth, then starts again. */
static void gears_slip_by_whole_teeth(void **unused)
{
  (void)unused;
  hn_error error;
  hn_model *model = new_model();
  const double tooth = 2 * M_PI / 12, z[3] = { 0, 0, 1 };
  hn_joint_spec spec = { .type = "gear",
                         .a = add_box(model, "a", 0, 0, 0),
                         .b = add_box(model, "b", 1, 0, 0),
                         .has_points = true,
                         .at_b = { 1, 0, 0 },
                         .axis_a = { 0, 0, 1 },
                         .settings = "teeth=12:20" };
  if (hn_model_add_joint(model, &spec, &error) < 0) fail_msg("%s", error.text);
  hn_state *state = hn_state_create(model);
  for (double slip = -1.45; slip < 1.5; slip += 0.1) {
    double g;
    const hn_joint *joint = &model->joint[0];
    turn_about(state->pose[1].q, z, slip * tooth);
    joint->type->eval(joint, 0.0, &state->pose[1], &state->twist[1], &state->pose[2], &state->twist[2],
                      &(hn_rows){ .g = &g });
    check_near("residual of a slip, teeth", fabs(g) / tooth, fabs(slip - nearbyint(slip)), 1e-13);
  }
  hn_state_free(state);
  hn_model_free(model);
}

/* The series of coefficients about one time gives the value at another. */
static void motions_equal_their_series(void **unused)
{
  (void)unused;
  const hn_motion motion = { { 0.2, -0.3, 0.4, 0.1 }, 0.3, 1.7, 0.4 };
  const double t = 0.8, h = 0.6, end = t + h;
  double sum = 0.0, power = 1.0;
  for (size_t k = 0; k < 30; k++, power *= h) sum += hn_motion_coefficient(&motion, t, k) * power;
  double polynomial = 0.2 - 0.3 * end + 0.4 * end * end + 0.1 * end * end * end;
  check_near("by its series", sum, polynomial + 0.3 * sin(1.7 * end + 0.4), 1e-14);
  check_near("second derivative", 2 * hn_motion_coefficient(&motion, t, 2),
             0.8 + 0.6 * t - 0.3 * 1.7 * 1.7 * sin(1.7 * t + 0.4), 1e-14);
}

static void parameters_of_joints_have_keys(void **unused)
{
  (void)unused;
  hn_error error;
  hn_model *model = new_model();
  hn_joint_spec spec = { .type = "limit_position",
                         .a = 0,
                         .b = add_box(model, "b", 0, 0, 0),
                         .has_points = true,
                         .axis_a = { 1, 0, 0 },
                         .settings = "lower=-0.25,upper=0.75,restitution=0.5" };
  if (hn_model_add_joint(model, &spec, &error) < 0) fail_msg("%s", error.text);
  check_near("lower", hn_joint_real(&model->joint[0], "lower"), -0.25, 0.0);
  check_near("upper", hn_joint_real(&model->joint[0], "upper"), 0.75, 0.0);
  check_near("restitution", hn_joint_real(&model->joint[0], "restitution"), 0.5, 0.0);
  assert_true(isnan(hn_joint_real(&model->joint[0], "length")));
  assert_true(model->needs == (HN_CAN_PUSH | HN_CAN_BOUNCE));
  hn_model_free(model);
}

/* The violation is the distance beyond a limit; its rate counts only there and only outwards. */
static void limits_are_measured_where_they_act(void **unused)
{
  (void)unused;
  static const struct {
    double x, v, position, velocity;
  } cases[] = {
    { 0.2, -5, 0, 0 },   { 0.2, 5, 0, 0 },     { -0.3, -5, 0.05, 5 }, { -0.3, 5, 0.05, 0 },
    { 0.8, 3, 0.05, 3 }, { 0.8, -3, 0.05, 0 }, { -0.25, -1, 0, 1 },
  };
  hn_error error;
  hn_model *model = new_model();
  hn_joint_spec spec = { .type = "limit_position",
                         .a = 0,
                         .b = add_box(model, "b", 0, 0, 0),
                         .has_points = true,
                         .axis_a = { 1, 0, 0 },
                         .settings = "lower=-0.25,upper=0.75" };
  if (hn_model_add_joint(model, &spec, &error) < 0) fail_msg("%s", error.text);
  hn_state *state = hn_state_create(model);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    hn_measure m;
    state->pose[1].x[0] = cases[i].x, state->twist[1].v[0] = cases[i].v;
    hn_measure_state(model, state, &m);
    check_near("violated by, m", m.position_error, cases[i].position, 1e-15);
    check_near("m/s", m.velocity_error, cases[i].velocity, 1e-15);
  }
  hn_state_free(state);
  hn_model_free(model);
}

/* The reaction of a ball joint is a force at its point: no torque there, although there is one about the
 * body's centre. */
static void a_ball_transmits_no_torque(void **unused)
{
  (void)unused;
  static const double axis[3] = { 0, 0, 1 }, multipliers[3] = { 1.5, -2, 0.7 }, spin[3] = { 0, 0, 0 };
  double turn[4], force[3], torque[3];
  pair p = new_pair("ball", axis, axis);
  turn_about(turn, axis, 0.8);
  place(&p, turn, zero, spin, zero);
  hn_joint_reaction(p.joint, p.state, multipliers, force, torque);
  for (int c = 0; c < 3; c++) {
    check_near("force, N", force[c], multipliers[c], 1e-15);
    check_below("torque, N m", torque[c], 1e-15);
  }
  free_pair(&p);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_universal_joint_has_both_angles),    cmocka_unit_test(a_plane_has_two_directions),
    cmocka_unit_test(a_cylindrical_joint_slides_and_turns), cmocka_unit_test(gears_slip_by_whole_teeth),
    cmocka_unit_test(motions_equal_their_series),           cmocka_unit_test(parameters_of_joints_have_keys),
    cmocka_unit_test(limits_are_measured_where_they_act),   cmocka_unit_test(a_ball_transmits_no_torque),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
