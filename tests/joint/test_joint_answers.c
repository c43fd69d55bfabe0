/* test_joint_answers.c - joints with closed-form motion, under every solver: a screw, gears, prescribed
 * motion with its forces, a Cardan joint. Errors must shrink with the step at the solver's order. */
#include "every_solver.h"
#include "solver_settings_table.h"

static const double TORQUE = 0.7; /* N m, constant, on the first gear wheel */

static hn_model *without_gravity(void)
{
  hn_model *model = hn_model_create((const double[3]){ 0, 0, 0 });
  assert_non_null(model);
  return model;
}

/* Adds a body at AT with velocity V and angular velocity W, its axes parallel to the world's. */
static int add_body(hn_model *model, const char *name, double mass, const double inertia[3],
                    const double at[3], const double v[3], const double w[3])
{
  hn_error error;
  hn_body_spec spec = {
    .name = name, .kind = HN_RIGID, .has_mass = true, .mass = mass, .orientation = { 1, 0, 0, 0 }
  };
  vec_copy(spec.inertia, inertia), vec_copy(spec.position, at);
  vec_copy(spec.velocity, v), vec_copy(spec.angular_velocity, w);
  return must(hn_model_add_body(model, &spec, &error), &error);
}

static const char *teeth(int a, int b)
{
  static char text[40];
  snprintf(text, sizeof text, "teeth=%d:%d", a, b);
  return text;
}

/* Adds SPEC with its type and bodies; both points at AT, except for a gear. */
static int add_joint(hn_model *model, const char *type, int a, int b, const double at[3], hn_joint_spec spec)
{
  hn_error error;
  spec.type = type, spec.a = a, spec.b = b, spec.has_points = true;
  vec_copy(spec.at_a, at);
  if (strcmp(type, "gear") != 0) vec_copy(spec.at_b, at);
  return must(hn_model_add_joint(model, &spec, &error), &error);
}

static void add_torque(hn_model *model, int body, const double torque[3])
{
  hn_error error;
  hn_force_spec spec = { .geometry = { .type = "torque", .a = 0, .b = body } };
  vec_copy(spec.vector, torque);
  must(hn_model_add_force(model, &spec, &error), &error);
}

/* ---- A screw on a vertical axis ------------------------------------------------------------------------ */

enum { X, Y, Z };
static const double axes[3][3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, origin[3] = { 0, 0, 0 };
static const double SCREW_MASS = 1.3, SCREW_J = 0.02, PITCH = 0.5, SCREW_SPEED = 2.0;

/* (m + J (2 pi / pitch)^2) s'' = -m g, the angle proportional to s: about four turns. */
static double screw_error(const hn_model *model, const hn_state *end)
{
  const double lead = 2.0 * M_PI / PITCH, t = end->time;
  double fall = SCREW_MASS * 9.81 / (SCREW_MASS + SCREW_J * lead * lead);
  double s = SCREW_SPEED * t - 0.5 * fall * t * t, v = SCREW_SPEED - fall * t;
  double place = fmax(fabs(end->pose[1].x[1] - s), off(angle_about(end, 1, axes[Y]), lead * s));
  (void)model;
  return fmax(place, fmax(fabs(end->twist[1].v[1] - v), fabs(end->twist[1].w[1] - lead * v) / lead));
}

static void a_screw_falls_with_its_effective_mass(void **state)
{
  (void)state;
  hn_model *model = new_model();
  const double v[3] = { 0, SCREW_SPEED, 0 }, w[3] = { 0, SCREW_SPEED * 2.0 * M_PI / PITCH, 0 };
  int body = add_body(model, "nut", SCREW_MASS, (const double[3]){ 0.03, SCREW_J, 0.04 }, origin, v, w);
  add_joint(model, "screw", 0, body, origin,
            (hn_joint_spec){ .axis_a = { 0, 1, 0 }, .settings = setting("pitch", PITCH) });
  check_every_solver(model, &(question){ 1.0, screw_error, NULL });
}

/* ---- Gears --------------------------------------------------------------------------------------------- */

static const double SPEED = 6.0; /* rad/s, initial, of the first wheel */
static const double J_A = 0.4, J_B = 0.05, J_CARRIER = 0.3, M_PLANET = 1.5;
enum { TEETH_A = 20, TEETH_B = 10, TEETH_RING = 40 };

/* Returns the error of a wheel at RATIO times the speed of the first one, J_eff theta'' = torque. */
static double wheel_error(const hn_state *end, int body, double ratio, double J_effective)
{
  const double t = end->time, faster = TORQUE / J_effective;
  double angle = ratio * (SPEED * t + 0.5 * faster * t * t), speed = ratio * (SPEED + faster * t);
  return fmax(off(angle_about(end, body, axes[Z]), angle), fabs(end->twist[body].w[2] - speed));
}

static const double PAIR = -(double)TEETH_A / TEETH_B;

static double pair_error(const hn_model *model, const hn_state *end)
{
  double J = J_A + PAIR * PAIR * J_B;
  (void)model;
  return fmax(wheel_error(end, 1, 1.0, J), wheel_error(end, 2, PAIR, J));
}

static void a_gear_pair_turns_by_its_ratio(void **state)
{
  (void)state;
  hn_model *model = without_gravity();
  const double centre[3] = { 0.3, 0, 0 }, wa[3] = { 0, 0, SPEED }, wb[3] = { 0, 0, PAIR * SPEED };
  int a = add_body(model, "a", 2.0, (const double[3]){ 0.2, 0.25, J_A }, origin, origin, wa);
  int b = add_body(model, "b", 0.7, (const double[3]){ 0.03, 0.04, J_B }, centre, origin, wb);
  add_joint(model, "hinge", 0, a, origin, (hn_joint_spec){ .axis_a = { 0, 0, 1 } });
  add_joint(model, "hinge", 0, b, centre, (hn_joint_spec){ .axis_a = { 0, 0, 1 } });
  add_joint(
    model, "gear", a, b, origin,
    (hn_joint_spec){ .axis_a = { 0, 0, 1 }, .at_b = { 0.3, 0, 0 }, .settings = teeth(TEETH_A, TEETH_B) });
  add_torque(model, a, (const double[3]){ 0, 0, TORQUE });
  check_every_solver(model, &(question){ 1.0, pair_error, NULL });
}

/* Willis: (w_sun - w_carrier) / (w_ring - w_carrier) = -z_ring / z_sun with the ring at rest, and the same
 * for the planet. */
static const double CARRIER = (double)TEETH_A / (TEETH_A + TEETH_RING);
static const double PLANET = CARRIER * (1.0 - (double)TEETH_RING / TEETH_B), ARM = 0.3;

static double planetary_error(const hn_model *model, const hn_state *end)
{
  double J = J_A + CARRIER * CARRIER * (J_CARRIER + M_PLANET * ARM * ARM) + PLANET * PLANET * J_B;
  double error = fmax(wheel_error(end, 1, 1.0, J), wheel_error(end, 2, CARRIER, J));
  (void)model;
  return fmax(error, wheel_error(end, 3, PLANET, J));
}

static void a_planetary_gear_obeys_willis(void **state)
{
  (void)state;
  hn_model *model = without_gravity();
  const double centre[3] = { ARM, 0, 0 }, speed[3] = { 0, CARRIER * SPEED * ARM, 0 };
  const hn_joint_spec about_z = { .axis_a = { 0, 0, 1 } };
  int sun = add_body(model, "sun", 2.0, (const double[3]){ 0.2, 0.25, J_A }, origin, origin,
                     (const double[3]){ 0, 0, SPEED });
  int carrier = add_body(model, "carrier", 1.0, (const double[3]){ 0.15, 0.16, J_CARRIER }, origin, origin,
                         (const double[3]){ 0, 0, CARRIER * SPEED });
  int planet = add_body(model, "planet", M_PLANET, (const double[3]){ 0.03, 0.04, J_B }, centre, speed,
                        (const double[3]){ 0, 0, PLANET * SPEED });
  add_joint(model, "hinge", 0, sun, origin, about_z);
  add_joint(model, "hinge", 0, carrier, origin, about_z);
  add_joint(model, "hinge", carrier, planet, centre, about_z);
  add_joint(
    model, "gear", sun, planet, origin,
    (hn_joint_spec){ .axis_a = { 0, 0, 1 }, .at_b = { ARM, 0, 0 }, .settings = teeth(TEETH_A, TEETH_B) });
  add_joint(
    model, "gear", planet, 0, centre,
    (hn_joint_spec){ .axis_a = { 0, 0, 1 }, .at_b = { 0, 0, 0 }, .settings = teeth(TEETH_B, -TEETH_RING) });
  add_torque(model, sun, (const double[3]){ 0, 0, TORQUE });
  check_every_solver(model, &(question){ 1.0, planetary_error, NULL });
}

/* ---- Prescribed motion --------------------------------------------------------------------------------- */

static const hn_motion drive = { { 0, 2.0, 1.5, -0.4 }, 0.3, 4.0, 0 };

/* f and its derivatives. */
static double drive_value(double t)
{
  return 2.0 * t + 1.5 * t * t - 0.4 * t * t * t + 0.3 * sin(4.0 * t);
}

static double drive_rate(double t)
{
  return 2.0 + 3.0 * t - 1.2 * t * t + 1.2 * cos(4.0 * t);
}

static double drive_second(double t)
{
  return 3.0 - 2.4 * t - 4.8 * sin(4.0 * t);
}

static double driven_angle_error(const hn_model *model, const hn_state *end)
{
  (void)model;
  return fmax(off(angle_about(end, 1, axes[Z]), drive_value(end->time)),
              fabs(end->twist[1].w[2] - drive_rate(end->time)));
}

/* Returns the error of the drive's torque J theta'', the row after the five of the hinge. */
static double driven_torque_error(const hn_model *model, const hn_state *end, const double *force)
{
  return fabs(force[model->joint[1].row] - J_A * drive_second(end->time));
}

static void a_driven_hinge_has_its_motion(void **state)
{
  (void)state;
  hn_model *model = without_gravity();
  int body = add_body(model, "rotor", 2.0, (const double[3]){ 0.2, 0.25, J_A }, origin, origin,
                      (const double[3]){ 0, 0, drive_rate(0.0) });
  add_joint(model, "hinge", 0, body, origin, (hn_joint_spec){ .axis_a = { 0, 0, 1 } });
  add_joint(model, "drive_angle", 0, body, origin, (hn_joint_spec){ .axis_a = { 0, 0, 1 }, .motion = drive });
  check_every_solver(model, &(question){ 2.0, driven_angle_error, driven_torque_error });
}

static double driven_position_error(const hn_model *model, const hn_state *end)
{
  (void)model;
  return fmax(fabs(end->pose[1].x[1] - drive_value(end->time)),
              fabs(end->twist[1].v[1] - drive_rate(end->time)));
}

/* Returns the error of the drive's force m (y'' + g), g = 9.81. */
static double driven_force_error(const hn_model *model, const hn_state *end, const double *force)
{
  return fabs(force[model->joint[1].row] - 2.0 * (drive_second(end->time) + 9.81));
}

static void a_driven_slider_has_its_motion(void **state)
{
  (void)state;
  hn_model *model = new_model();
  int body = add_body(model, "load", 2.0, (const double[3]){ 0.2, 0.25, J_A }, origin,
                      (const double[3]){ 0, drive_rate(0.0), 0 }, origin);
  add_joint(model, "slider", 0, body, origin, (hn_joint_spec){ .axis_a = { 0, 1, 0 } });
  add_joint(model, "drive_position", 0, body, origin,
            (hn_joint_spec){ .axis_a = { 0, 1, 0 }, .motion = drive });
  check_every_solver(model, &(question){ 1.0, driven_position_error, driven_force_error });
}

/* ---- Cardan joint: shaft a along z, shaft b in the x-z plane, tilted by beta --------------------------- */

static const double BETA = 0.6, SHAFT_SPEED = 5.0;

/* tan theta_a = cos beta tan theta_b;  w_b / w_a = cos beta / (1 - sin^2 beta cos^2 theta_a). */
static double cardan_error(const hn_model *model, const hn_state *end)
{
  const double shaft[3] = { sin(BETA), 0, cos(BETA) }, theta = SHAFT_SPEED * end->time;
  double ratio = cos(BETA) / (1.0 - pow(sin(BETA) * cos(theta), 2)), along = vec_dot(end->twist[2].w, shaft);
  double driven = atan2(sin(theta), cos(BETA) * cos(theta));
  (void)model;
  return fmax(fmax(off(angle_about(end, 1, axes[Z]), theta), off(angle_about(end, 2, shaft), driven)),
              fabs(along - ratio * SHAFT_SPEED));
}

static void a_cardan_joint_has_its_ratio(void **state)
{
  (void)state;
  hn_model *model = without_gravity();
  const double start = SHAFT_SPEED / cos(BETA);
  int a = add_body(model, "a", 2.0, (const double[3]){ 0.2, 0.25, J_A }, origin, origin,
                   (const double[3]){ 0, 0, SHAFT_SPEED });
  int b = add_body(model, "b", 1.0, (const double[3]){ 0.1, 0.1, 0.1 }, origin, origin,
                   (const double[3]){ start * sin(BETA), 0, start * cos(BETA) });
  add_joint(model, "hinge", 0, a, origin, (hn_joint_spec){ .axis_a = { 0, 0, 1 } });
  add_joint(model, "parallel_axes", 0, b, origin, (hn_joint_spec){ .axis_a = { sin(BETA), 0, cos(BETA) } });
  add_joint(model, "universal", a, b, origin,
            (hn_joint_spec){ .axis_a = { 1, 0, 0 }, .axis_b = { 0, 1, 0 } });
  add_joint(model, "drive_angle", 0, a, origin,
            (hn_joint_spec){ .axis_a = { 0, 0, 1 }, .motion = { { 0, SHAFT_SPEED }, 0, 0, 0 } });
  check_every_solver(model, &(question){ 1.0, cardan_error, NULL });
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_screw_falls_with_its_effective_mass), cmocka_unit_test(a_gear_pair_turns_by_its_ratio),
    cmocka_unit_test(a_planetary_gear_obeys_willis),         cmocka_unit_test(a_driven_hinge_has_its_motion),
    cmocka_unit_test(a_driven_slider_has_its_motion),        cmocka_unit_test(a_cardan_joint_has_its_ratio),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
