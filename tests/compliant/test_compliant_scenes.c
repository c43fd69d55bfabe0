/* test_compliant_scenes.c - compliant contacts in scenes: choice of laws by material pairs, rigid contacts
 * beside them, frames, energy, solvers, and messages. */
#include "compliant_impacts.h"

#define FLOOR                                                                                            \
  "local floor = sys:body { name = 'floor', fixed = true, position = { 0, 0, 0 }, material = 'floor',\n" \
  "  shape = scene.plane { normal = { 0, 1, 0 } } }\n"
#define BALL                                                                                    \
  "local ball = sys:body { name = 'ball', shape = scene.sphere { radius = 0.1 }, mass = 0.8,\n" \
  "  material = 'ball', position = { 0, 0.1, 0 }, velocity = { 0, -1.5, 0 } }\n"

static const char accurate[] = "lagrange:stepper=rk8pd,adaptive=true,error_tolerance=1e-12";

/* Returns the deepest compression of a ball of 0.8 kg at 1.5 m/s. */
static double deepest(double stiffness)
{
  return pow(5.0 * 0.8 * 1.5 * 1.5 / (4.0 * stiffness), 0.4);
}

/* Runs a floor and a ball with the statements MORE up to the time of the deepest compression of STIFFNESS. */
static trial compress(const char *more, double stiffness)
{
  char body[1500];
  const double d = deepest(stiffness), half = hertz_time_from(0.0) * d / 1.5;
  snprintf(body, sizeof body, FLOOR BALL "%s", more);
  return run_under(0.0, body, accurate, half / 20, half);
}

static void the_law_of_a_material_pair_comes_first(void **unused)
{
  (void)unused;
  static const struct {
    const char *statements;
    double stiffness;
  } cases[] = {
    { "sys:contact { law = 'hertz', stiffness = 1e6 }", 1e6 },
    { "sys:material_pair { 'ball', 'floor', law = 'hertz', stiffness = 2e6 }\n"
      "sys:contact { law = 'kelvin-voigt', stiffness = 1 }",
      2e6 },
    { "sys:material_pair { 'floor', 'ball', law = 'hertz', stiffness = 2e6 }\n"
      "sys:material_pair { 'ball', 'floor', law = 'hunt-crossley', stiffness = 3e6 }\nsys:contact {}",
      3e6 },
    { "sys:material_pair { 'ball', 'other', law = 'hertz', stiffness = 2e6 }\n"
      "sys:contact { law = 'hertz', modulus = 1e7 }",
      4.0 / 3.0 * 1e7 * 0.31622776601683794 },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    trial r = compress(cases[i].statements, cases[i].stiffness);
    check_below("deepest compression: relative error", compression(&r) / deepest(cases[i].stiffness) - 1.0,
                1e-9);
    assert_int_equal(r.scene->model->max_contacts, 0);
    done(&r);
  }
}

/* A ball on a compliant floor carries a box of rigid contacts: only the pairs without a law are contacts. */
static void rigid_contacts_stand_beside_compliant_ones(void **unused)
{
  (void)unused;
  const char *body = FLOOR
    "sys:body { name = 'a', shape = scene.sphere { radius = 0.1 }, mass = 1, material = 'ball',\n"
    "  position = { 0, 0.1, 0 } }\n"
    "sys:body { name = 'b', shape = scene.sphere { radius = 0.1 }, mass = 1, position = { 0, 0.3, 0 } }\n"
    "sys:material_pair { 'ball', 'floor', law = 'hunt-crossley', stiffness = 1e6, dissipation = 10 }\n"
    "sys:contact { margin = 0.01 }";
  static const char *const specs[] = { "moreau", "events", "events:inner=lagrange:redundancy=remove" };
  for (int i = 0; i < 3; i++) {
    trial r = run_under(9.81, body, specs[i], 5e-4, 1.0);
    printf(" %s\n", specs[i]);
    assert_int_equal(r.state->ncontact, 1);
    check_near("compression under both, m", 0.1 - r.state->pose[2].x[1], pow(2.0 * 9.81 / 1e6, 2.0 / 3.0),
               1e-9);
    check_below("gap between the balls, m", r.state->pose[3].x[1] - r.state->pose[2].x[1] - 0.2, 1e-10);
    done(&r);
  }
}

/* A box that falls on its corners, with friction: contacts exchange their bodies, and energy is only lost. */
static void motion_does_not_depend_on_the_order_of_bodies(void **unused)
{
  (void)unused;
  static const char *const bodies[] = {
    "sys:body { name = 'floor', fixed = true, position = { 0, 0, 0 }, friction = 0.4,\n"
    "  shape = scene.box { 4, 1, 4 } }\n",
    "sys:body { name = 'box', position = { 0.1, 0.8, 0.2 }, orientation = { 0.9, 0.1, 0.2, 0.3 }, mass = 1,\n"
    "  angular_velocity = { 1, 2, 3 }, velocity = { 0.3, -1, 0.1 }, friction = 0.4,\n"
    "  shape = scene.box { 0.2, 0.3, 0.25 } }\n"
  };
  double x[2][3];
  for (int order = 0; order < 2; order++) {
    char body[1200];
    snprintf(
      body, sizeof body,
      "%s%ssys:contact { law = 'hunt-crossley', stiffness = 1e6, dissipation = 0.2, transition = 0.1 }",
      bodies[order], bodies[1 - order]);
    trial r = run_under(9.81, body, accurate, 1e-3, 0.4);
    memcpy(x[order], r.state->pose[order == 0 ? 2 : 1].x, sizeof x[order]);
    assert_true(r.summary.energy_final < r.summary.energy_initial);
    check_below("largest rise of the energy in a step, J", r.summary.energy_gain, 1e-12);
    done(&r);
  }
  for (int c = 0; c < 3; c++) check_near("position, m", x[1][c], x[0][c], 1e-7);
}

static void bodies_joined_by_a_joint_do_not_touch(void **unused)
{
  (void)unused;
  static const char *const more[] = { "", ", jointed = true" };
  for (int i = 0; i < 2; i++) {
    char body[1000];
    snprintf(body, sizeof body,
             FLOOR BALL "sys:slider { floor, ball, axis = { 0, 1, 0 }, at = { 0, 0, 0 } }\n"
                        "sys:contact { law = 'hertz', stiffness = 1e6%s }",
             more[i]);
    trial r = run_under(0.0, body, "lagrange", 1e-4, 0.1);
    check_near("velocity, m/s", velocity(&r), i == 0 ? -1.5 : 1.5, 1e-6);
    done(&r);
  }
}

/* A limit joins bodies also while it is open, when it is not among the equations of events. */
static void an_open_limit_joins_bodies(void **unused)
{
  (void)unused;
  const char *body = FLOOR BALL
    "sys:limit_position { floor, ball, axis = { 0, 1, 0 }, at = { 0, 0, 0 }, lower = -5 }\n"
    "sys:contact { law = 'hertz', stiffness = 1e6 }";
  trial r = run_under(0.0, body, "events", 1e-3, 0.2);
  check_near("compression without a force, m", compression(&r), 0.3, 1e-12);
  done(&r);
}

static void solvers_without_it_are_refused(void **unused)
{
  (void)unused;
  hn_error error = { "" };
  write_scene(FLOOR BALL "sys:contact { law = 'hertz', stiffness = 1e6 }\nreturn sys");
  hn_scene *scene = load_written(NULL, 0);
  static const char *const specs[] = { "taylor", "events:inner=taylor" };
  for (int i = 0; i < 2; i++) {
    assert_null(hn_solver_create(specs[i], scene->model, &error));
    printf("  %s\n", error.text);
    assert_non_null(strstr(error.text, "cannot do compliant contacts (forces without a power series)"));
  }
  assert_null(hn_model_point_masses(scene->model, &error));
  printf("  %s\n", error.text);
  hn_scene_free(scene);
}

static void solvers_of_scenes_need_forces(void **unused)
{
  (void)unused;
  for (int takes = 0; takes < 2; takes++) {
    char body[1200];
    hn_error error = { "" };
    snprintf(body, sizeof body,
             "scene.solver { name = 'mine', order = 1, summary = 'kicks'%s, step = function(sys, state, h)\n"
             "  sys:kick(state, h) state:assign(sys:flight(state, h)) return 'converged' end }\n" FLOOR BALL
             "sys:contact { law = 'hertz', stiffness = 1e6 }\nreturn sys",
             takes ? ", forces = true" : "");
    write_scene(body);
    hn_scene *scene = load_written(NULL, 0);
    hn_solver *solver = hn_solver_create("mine", scene->model, &error);
    printf("  %s\n", error.text);
    assert_true((solver != NULL) == (takes == 1));
    hn_solver_free(solver);
    hn_scene_free(scene);
  }
}

static void mistakes_have_messages(void **unused)
{
  (void)unused;
  static const struct {
    const char *statement, *fragment;
    int line;
  } cases[] = {
    { "sys:contact { law = 'herz', stiffness = 1 }", "no contact law \"herz\"; did you mean \"hertz\"?", 6 },
    { "sys:contact { law = 3 }", "law must be the name of a law of contact", 6 },
    { "sys:contact { law = 'rigid' }", "contacts without a law are rigid", 6 },
    { "sys:contact { law = 'hertz', damping = 1 }", "damping", 6 },
    { "sys:contact { stiffness = 1 }", "stiffness", 6 },
    { "sys:contact { law = 'hertz' }", "law hertz: give a stiffness above 0, or the modulus of spheres, Pa",
      6 },
    { "sys:contact { law = 'hertz', stiffness = 1, modulus = 2 }", "not both", 6 },
    { "sys:contact { law = 'hunt-crossley', modulus = 2, exponent = 2 }", "needs the exponent 1.5, not 2",
      6 },
    { "sys:contact { law = 'kelvin-voigt', damping = 1 }", "needs a stiffness above 0", 6 },
    { "sys:contact { law = 'hertz', stiffness = 1, margin = 0.1 }", "margin is a setting of rigid contacts",
      0 },
    { "sys:contact { law = 'hertz', stiffness = 1, points = 4 }", "points is a setting of rigid contacts",
      0 },
    { "sys:contact { law = 'hertz', stiffness = 1, overlap = 'refuse' }", "overlap is a setting", 0 },
    { "sys:material_pair { 'ball', 'floor' }", "give friction, restitution or a law of contact", 6 },
    { "sys:material_pair { 'ball', 'floor', law = 'kelvin-voigt' }", "needs a stiffness above 0", 6 },
    { "sys:body { shape = scene.box { 1, 1, 1 }, mass = 1, position = { 0, 5, 0 } }\n"
      "sys:contact { law = 'hertz', modulus = 1e9 }",
      "a modulus is for spheres and planes, not for a plane and a box", 0 },
    { "sys:body { shape = scene.box { 1, 1, 1 }, mass = 1, position = { 0, 5, 0 }, restitution = 0.5 }\n"
      "sys:contact { law = 'hertz', stiffness = 1e9 }",
      "has a restitution, and all its contacts are compliant", 0 },
    { "sys:material_pair { 'ball', 'floor', friction = { static = 0.5, kinetic = 0.3 } }\n"
      "sys:contact { law = 'hertz', stiffness = 1e9, smoothing = 'threlfall' }",
      "smoothing threlfall has one coefficient of friction, not 0.3 and 0.5", 0 },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char body[1500];
    snprintf(body, sizeof body, FLOOR BALL "%s\nreturn sys", cases[i].statement);
    expect_failing_body(body, cases[i].line, cases[i].fragment);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_law_of_a_material_pair_comes_first),
    cmocka_unit_test(rigid_contacts_stand_beside_compliant_ones),
    cmocka_unit_test(motion_does_not_depend_on_the_order_of_bodies),
    cmocka_unit_test(bodies_joined_by_a_joint_do_not_touch),
    cmocka_unit_test(an_open_limit_joins_bodies),
    cmocka_unit_test(solvers_without_it_are_refused),
    cmocka_unit_test(solvers_of_scenes_need_forces),
    cmocka_unit_test(mistakes_have_messages),
  };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
