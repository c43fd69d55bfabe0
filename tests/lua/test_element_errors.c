/* test_element_errors.c - error messages for invalid joints and forces of scenes, with file, line and remedy;
 * and the gravity of single bodies. */
#include "written.h"

#define P "position = { 0, 0, 0 }"
#define M "mass = 1, inertia = { 1, 1, 1 }"
/* Two bodies 1 m apart along x, and a particle beyond them. */
#define THREE                                                            \
  "local a = sys:body { name = 'a', " P ", " M                           \
  " } local b = sys:body { name = 'b', position = { 1, 0, 0 }, " M " } " \
  "local p = sys:particle { name = 'p', position = { 2, 0, 0 }, mass = 1 }\n"
#define AT ", at = { 0, 0, 0 }"
#define POINTS ", at_a = { 0, 0, 0 }, at_b = { 1, 0, 0 }"
#define AXIS ", axis = { 0, 0, 1 }"

typedef struct bad_element {
  const char *body; /* line 3 of the scene */
  const char *fragment;
} bad_element;

static void refuse_all(const bad_element *bad, size_t count)
{
  char body[1024];
  for (size_t i = 0; i < count; i++) {
    int length = snprintf(body, sizeof body, "%s%s", THREE, bad[i].body);
    assert_true(length > 0 && (size_t)length < sizeof body);
    expect_failing_body(body, 3, bad[i].fragment);
  }
}

static const bad_element axes[] = {
  { "sys:universal { a, b, name = 'u'" AT ", axis_a = { 1, 0, 0 }, axis_b = { -2, 0, 0 } }",
    "joint \"u\": its axes are parallel; it needs them apart" },
  { "sys:constant_angle { a, b, axis_a = { 0, 1, 0 }, axis_b = { 0, 1, 1e-9 } }", "its axes are parallel" },
  { "sys:line_universal { a, b" AT ", axis_a = { 1, 1, 0 }, axis_b = { 1, 1, 0 } }",
    "its axes are parallel" },
  { "sys:plane_universal { a, b" AT ", axis_a = { 1, 1, 0 }, axis_b = { 1, 1, 0 } }",
    "its axes are parallel" },
  { "sys:hinge { a, b, name = 'h'" AT ", axis = { 0, 0, 0 } }",
    "joint \"h\": its axis must be a direction, three numbers not all zero" },
  { "sys:universal { a, b" AT ", axis_a = { 1, 0, 0 }, axis_b = { 0, 0, 0 } }",
    "its axis must be a direction" },
  { "sys:hinge { a, b" AT ", axis = { 0, 0, 1 / 0 } }", "axis[3] must be finite, not inf" },
  { "sys:hinge { a, b" AT ", axis = { 1e-200, 0, 0 } }", "its axis must be a direction" },
  { "sys:hinge { a, b" AT ", axis = { 0, 1 } }", "axis must be a table of 3 numbers, not of 2" },
  { "sys:hinge { a, b" AT ", axis = 'z' }", "axis must be a table of 3 numbers, not \"z\"" },
  { "sys:universal { a, b" AT AXIS " }", "universal: unknown key \"axis\"; did you mean \"axis_a\"?" },
  { "sys:universal { a, b" AT ", axis_a = { 1, 0, 0 } }", "key \"axis_b\" is missing" },
  { "sys:lock_rotation { a, b" AT " }", "unknown key \"at\"" },
  { "sys:parallel_axes { a, b }", "key \"axis\" is missing" },
  { "sys:slider { a, b" AXIS " }", "slider: key \"at\" is missing" },
};

static void invalid_axes_are_refused(void **state)
{
  (void)state;
  refuse_all(axes, sizeof axes / sizeof *axes);
}

static const bad_element particles[] = {
  { "sys:hinge { b, p, name = 'h', at = { 2, 0, 0 }" AXIS " }",
    "joint \"h\": it acts on the orientation of \"p\", which is a particle and has none" },
  { "sys:lock_rotation { a, p }", "orientation of \"p\"" },
  { "sys:point_on_line { p, b, at = { 2, 0, 0 }" AXIS " }", "orientation of \"p\"" },
  { "sys:parallel_axes { p, b" AXIS " }", "orientation of \"p\"" },
  { "sys:drive_angle { a, p" AXIS ", motion = 0 }", "orientation of \"p\"" },
  { "sys:angular_spring { a, p, name = 's', stiffness = 1" AXIS " }",
    "force \"s\": it acts on the orientation of \"p\", which is a particle and has none" },
  { "sys:motor { a, p, gain = 1, limit = 1, target = 1" AXIS " }",
    "force \"motor1\": it acts on the orientation of \"p\"" },
  { "sys:torque { p, torque = { 0, 0, 1 } }", "force \"torque1\": it acts on the orientation of \"p\"" },
  { "sys:ball { b, p, at = { 1, 0, 0 } }", "its point is 1 m away from particle \"p\"" },
  { "sys:force { p, name = 'f', at = { 1, 0, 0 }, force = { 0, 0, 1 } }",
    "force \"f\": its point is 1 m away from particle \"p\"" },
};

static void joints_impossible_for_particles_are_refused(void **state)
{
  (void)state;
  refuse_all(particles, sizeof particles / sizeof *particles);
}

static const bad_element lengths[] = {
  { "sys:distance { a, b, name = 'd'" AT " }",
    "joint \"d\": its points coincide, so its direction is undefined" },
  { "sys:distance { a, b" POINTS ", length = 0 }", "length must be positive, not 0" },
  { "sys:distance { a, b" POINTS ", length = -1 }", "distance: length = -1 is outside 0 to inf (m)" },
  { "sys:spring { a, b, name = 's'" AT ", stiffness = 1 }",
    "force \"s\": its points coincide, so its direction is undefined" },
  { "sys:spring { a, b, name = 's'" POINTS ", stiffness = 1, length = -0.5 }",
    "spring: length = -0.5 is outside 0 to inf (m)" },
  { "sys:driver { a, b, name = 'd'" AT ", speed = 1, limit = 1, longest = 1 }",
    "force \"d\": its points coincide" },
  { "sys:screw { a, b, name = 's'" AT AXIS ", pitch = 0 }",
    "joint \"s\": pitch must be a length other than zero (a cylindrical joint has none)" },
  { "sys:screw { a, b" AT AXIS " }", "pitch must be a length other than zero" },
  { "sys:screw { a, b" AT AXIS ", pich = 1 }", "unknown key \"pich\"; did you mean \"pitch\"?" },
  { "sys:screw { a, b" AT AXIS ", pitch = '1' }", "pitch must be a number, not \"1\"" },
  { "sys:gear { a, b, name = 'g'" POINTS AXIS ", teeth = { 20.5, 10 } }",
    "gear: teeth must be two whole numbers, not \"20.5:10\"" },
  { "sys:gear { a, b" POINTS AXIS ", teeth = { 20, 0 } }", "teeth must be two whole numbers" },
  { "sys:gear { a, b" POINTS AXIS ", teeth = { -20, 10 } }", "the first positive" },
  { "sys:gear { a, b" POINTS AXIS ", teeth = { 2e6, 10 } }", "is outside -1e+06 to 1e+06" },
  { "sys:gear { a, b" POINTS AXIS ", teeth = { 1e300, 10 } }", "is outside -1e+06 to 1e+06" },
  { "sys:gear { a, b" POINTS AXIS " }", "teeth must be two whole numbers" },
  { "sys:gear { a, b" POINTS AXIS ", teeth = 20 }", "teeth must be a table of 2 numbers, not 20" },
  { "sys:gear { a, b" AT AXIS ", teeth = { 20, 10 } }", "must be the centres of the wheels, apart" },
  { "sys:gear { a, b" POINTS ", axis = { 1, 0, 0 }, teeth = { 20, 10 } }", "in a plane normal to the axis" },
};

static void invalid_lengths_and_teeth_are_refused(void **state)
{
  (void)state;
  refuse_all(lengths, sizeof lengths / sizeof *lengths);
}

static const bad_element springs[] = {
  { "sys:spring { a, b, name = 's'" POINTS " }", "force \"s\": it needs stiffness or damping" },
  { "sys:spring { a, b" POINTS ", stiffness = 0, damping = 0 }",
    "force \"spring1\": it needs stiffness or damping" },
  { "sys:spring { a, b, name = 's'" POINTS ", stiffness = -1 }",
    "force \"s\": negative stiffness feeds energy; set active = true if this is intended" },
  { "sys:spring { a, b" POINTS ", stiffness = 1, damping = -1 }",
    "negative damping feeds energy; set active = true" },
  { "sys:angular_spring { a, b" AXIS ", damping = -1 }", "negative damping feeds energy" },
  { "sys:axial_spring { a, b" AT AXIS ", stiffness = -1 }", "negative stiffness feeds energy" },
  { "sys:spring { a, b" POINTS ", stiffness = -1, active = 1 }", "active must be true or false" },
  { "sys:spring { a, b" POINTS ", stiffness = true }", "stiffness must be a number" },
  { "sys:spring { a, b" POINTS ", stiffness = 'stiff' }", "stiffness must be a number, not \"stiff\"" },
  { "sys:spring { a, b" POINTS ", stiffness = 0 / 0 }", "stiffness must be finite" },
  { "sys:spring { a, b" POINTS ", stiffness = 1 / 0 }", "stiffness must be finite, not inf" },
  { "sys:spring { a, b" POINTS ", stifness = 1 }",
    "spring: unknown key \"stifness\"; did you mean \"stiffness\"?" },
  { "sys:spring { a, b" POINTS ", stiffness = 1, rest = 1 }", "unknown key \"rest\"" },
  { "sys:angular_spring { a, b, stiffness = 1 }", "key \"axis\" is missing" },
  { "sys:angular_spring { a, b, stiffness = 1, axis = { 0, 0, 0 }, name = 's' }",
    "force \"s\": its axis must be a direction" },
  { "sys:spring { a, stiffness = 1" POINTS " }", "spring: body 2 is missing" },
  { "sys:spring { a, a, stiffness = 1" POINTS " }", "force \"spring1\" connects body \"a\" with itself" },
  { "sys:spring { a, b, stiffness = 1, name = 's'" POINTS
    " } sys:spring { a, b, stiffness = 1, name = 's'" POINTS " }",
    "there is a force \"s\" already" },
};

static void invalid_springs_are_refused(void **state)
{
  (void)state;
  refuse_all(springs, sizeof springs / sizeof *springs);
}

static const bad_element drives[] = {
  { "sys:motor { a, b, name = 'm'" AXIS ", target = 1, gain = 1 }",
    "force \"m\": its limit is missing, the largest force that it can give" },
  { "sys:motor { a, b, name = 'm'" AXIS ", target = 1, limit = 1 }",
    "force \"m\": a motor needs a gain above zero" },
  { "sys:motor { a, b" AXIS ", gain = 1, limit = 1 }", "motor: key \"target\" is missing" },
  { "sys:motor { a, b" AXIS ", target = 1, gain = 1, limit = -1 }", "limit" },
  { "sys:motor { a, b" AXIS ", target = 'fast', gain = 1, limit = 1 }",
    "target must be a number or a table" },
  { "sys:motor { a, b" AXIS ", target = { 1, 2 }, gain = 1, limit = 1 }", "entry 1 has no meaning" },
  { "sys:motor { a, b" AXIS ", target = { polynomial = {} }, gain = 1, limit = 1 }",
    "a table of 1 to 8 numbers" },
  { "sys:motor { a, b" AXIS ", target = { amplitud = 1 }, gain = 1, limit = 1 }",
    "did you mean \"amplitude\"?" },
  { "sys:axial_motor { a, b" AT AXIS ", target = 1, gain = 1 }",
    "force \"axial_motor1\": its limit is missing" },
  { "sys:servo { a, b, name = 's'" AXIS ", target = 1, stiffness = 1 }",
    "force \"s\": its limit is missing" },
  { "sys:servo { a, b, name = 's'" AXIS ", target = 1, limit = 1 }",
    "force \"s\": a servo needs a stiffness above zero" },
  { "sys:servo { a, b" AXIS ", target = 1, stiffness = 1, damping = -1, limit = 1 }", "damping" },
  { "sys:drive_angle { a, b" AXIS " }", "drive_angle: key \"motion\" is missing" },
  { "sys:drive_angle { a, b, name = 'd'" AXIS ", motion = 1 }",
    "joint \"d\" is violated by 1 rad at the start" },
  { "sys:drive_angle { a, b, name = 'd'" AXIS ", motion = { polynomial = { 0, 1 } } }",
    "joint \"d\" is violated by 1 rad/s by the velocities at the start" },
  { "sys:drive_position { a, b" AT AXIS ", motion = { polynomial = { 0, 0, 0 / 0 } } }", "must be finite" },
  { "sys:driver { a, b, name = 'd'" POINTS ", speed = 1, limit = 1 }",
    "force \"d\": a driver needs its limits" },
  { "sys:driver { a, b" POINTS ", limit = 1, longest = 2 }", "a driver needs its limits" },
  { "sys:driver { a, b" POINTS ", speed = 1, longest = 2 }", "a driver needs its limits" },
  { "sys:driver { a, b, name = 'd'" POINTS ", speed = 1, limit = 1, shortest = 3, longest = 2 }",
    "force \"d\": its limits cross: shortest 3 m is above longest 2 m" },
  { "sys:driver { a, b" POINTS ", speed = 1, limit = 1, shortest = 1.5, longest = 2 }",
    "it is 1 m long at the start, outside its limits 1.5 to 2 m" },
  { "sys:driver { a, b" POINTS ", speed = 1, limit = 1, longest = 0.5 }", "it is 1 m long at the start" },
};

static void invalid_drives_are_refused(void **state)
{
  (void)state;
  refuse_all(drives, sizeof drives / sizeof *drives);
}

static const bad_element prescribed[] = {
  { "sys:force { a" AT " }", "force: key \"force\" is missing" },
  { "sys:force { a, force = { 1, 0, 0 } }", "force: key \"at\" is missing" },
  { "sys:force { a" AT ", force = { 1, 0 } }", "force must be a table of 3 numbers, not of 2" },
  { "sys:force { a" AT ", force = { 1, 0, 0 / 0 } }", "force[3] must be finite" },
  { "sys:force { a" AT ", force = { 1, 0, 0 }, motion = 'sine' }", "motion must be a number or a table" },
  { "sys:torque { a" AT ", torque = { 1, 0, 0 } }", "torque: unknown key \"at\"" },
  { "sys:force { a" AT ", forc = { 1, 0, 0 } }", "unknown key \"forc\"; did you mean \"force\"?" },
  { "sys:force { sys.ground" AT ", force = { 1, 0, 0 } }",
    "force: it acts on the ground, which cannot move" },
  { "sys:force(a)", "force takes one table" },
  { "sys:sprin { a, b }", "did you mean \"spring\"?" },
  { "sys:body { name = 'c', " P ", " M ", gravity = 9.81 }",
    "gravity must be a table of 3 numbers, not 9.81" },
  { "sys:body { name = 'c', " P ", " M ", gravity = { 0, 0, 0 / 0 } }", "gravity[3] must be finite" },
};

static void invalid_prescribed_forces_are_refused(void **state)
{
  (void)state;
  refuse_all(prescribed, sizeof prescribed / sizeof *prescribed);
}

static void unusual_elements_are_accepted(void **state)
{
  (void)state;
  expect_good_body(THREE "sys:spring { a, b" POINTS ", stiffness = -1, damping = -2, active = true }\n"
                         "sys:spring { a, b" POINTS ", stiffness = 1, length = 0 }\n"
                         "sys:spring { 'b', 'p', at_a = { 1, 0, 0 }, damping = 2 }\n"
                         "sys:angular_spring { sys.ground, a, damping = 1" AXIS " }\n"
                         "sys:screw { a, b" AT AXIS ", pitch = -0.1 }\n"
                         "sys:gear { a, b" POINTS AXIS ", teeth = { 20, -40 } }\n");
}

/* Set for body `own` and a particle, not for the other body. */
static void bodies_may_have_their_own_gravity(void **state)
{
  (void)state;
  write_scene("sys:body { name = 'own', " P ", " M ", gravity = { 1, 2, 3 } } sys:body { " P ", " M " }\n"
              "sys:particle { name = 'p', " P ", mass = 1, gravity = { 0, 0, 0 } } return sys");
  hn_scene *scene = load_written(NULL, 0);
  static const double expected[3][3] = { { 1, 2, 3 }, { 0, -9.81, 0 }, { 0, 0, 0 } };
  for (int b = 0; b < 3; b++)
    for (int i = 0; i < 3; i++)
      check_near("gravity", scene->model->body[b + 1].gravity[i], expected[b][i], 0);
  hn_scene_free(scene);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(invalid_axes_are_refused),
    cmocka_unit_test(joints_impossible_for_particles_are_refused),
    cmocka_unit_test(invalid_lengths_and_teeth_are_refused),
    cmocka_unit_test(invalid_springs_are_refused),
    cmocka_unit_test(invalid_drives_are_refused),
    cmocka_unit_test(invalid_prescribed_forces_are_refused),
    cmocka_unit_test(unusual_elements_are_accepted),
    cmocka_unit_test(bodies_may_have_their_own_gravity),
  };
  return cmocka_run_group_tests_name("element errors", tests, make_directory, remove_directory);
}
