/* test_compliant_laws.c - laws of contact that a scene gives as functions, against closed forms; and the
 * list of the built-in laws. */
#include "compliant_impacts.h"

static const char accurate[] = "lagrange:stepper=rk8pd,adaptive=true,error_tolerance=1e-13";
static const double m = 0.8, v = 1.5;

/* k d^2 has the deepest compression (3 m v^2 / (2 k))^(1/3). */
static void a_function_is_a_law(void **unused)
{
  (void)unused;
  static const char *const laws[] = {
    "law = function(d, rate) return 1e7 * d^2 end",
    "energy = function(d) return 1e7 * d^3 / 3 end",
    "law = function(d, rate) return 1e7 * d^2 end, energy = function(d) return 1e7 * d^3 / 3 end",
  };
  for (int i = 0; i < 3; i++) {
    trial r = impact(laws[i], m, 0.0, v, accurate, 1e-4, 0.1);
    printf(" %s\n", laws[i]);
    check_near("velocity after the impact, m/s", velocity(&r), v, 1e-10);
    assert_true(r.summary.energy_conserved == (i > 0));
    assert_true(hn_model_is_passive(r.scene->model) == (i > 0));
    done(&r);
    r = impact(laws[i], m, 0.0, v, accurate, 1e-4, 4e-3); /* within the contact */
    if (i > 0) check_below("energy error, J", r.summary.energy_final - 0.5 * m * v * v, 1e-12);
    done(&r);
  }
}

/* The largest compression is that of the work. */
static bool watch(void *user, const hn_frame *frame)
{
  double *most = user;
  *most = larger(*most, 0.1 - frame->state->pose[2].x[1]);
  return true;
}

static void its_work_is_its_energy(void **unused)
{
  (void)unused;
  double most = 0.0;
  trial r = impact("law = function(d, rate) return 1e7 * d^2 end", m, 0.0, v, accurate, 1e-4, 1e-4);
  done(&r);
  r = run_spec(accurate, 1e-6, 0.02, watch, &most);
  check_below("deepest compression: relative error", most / pow(1.5 * m * v * v / 1e7, 1.0 / 3.0) - 1.0,
              1e-7);
  done(&r);
}

/* The damped oscillation of a spring and a damper from 1 mm at rest. It opens when k d + c d' = 0, which is
 * tan w t = w / b, with d' = -k d_0 / (m w) sin w t exp(-b t). */
static void a_function_of_the_rate_damps(void **unused)
{
  (void)unused;
  const double k = 1e5, c = 150.0, d0 = 1e-3, b = c / (2.0 * m), w = sqrt(k / m - b * b);
  const double open = atan2(w, b) / w;
  trial r = impact("law = function(d, rate) return 1e5 * d + 150 * rate end", m, -d0, 0.0, accurate, open,
                   4 * open);
  check_near("velocity after the contact, m/s", velocity(&r),
             k * d0 / (m * w) * sin(w * open) * exp(-b * open), 1e-10);
  done(&r);
}

static void a_law_of_a_pair_may_have_friction(void **unused)
{
  (void)unused;
  /* normal force m g, constant; friction at full slip */
  const char *body =
    "sys:body { fixed = true, position = { 0, 0, 0 }, friction = 0.3, material = 'a',\n"
    "  shape = scene.plane { normal = { 0, 1, 0 } } }\n"
    "local ball = sys:body { shape = scene.sphere { radius = 0.1 }, mass = 0.8, material = 'b',\n"
    "  friction = 0.3, position = { 0, 0.1 - 0.8 * 9.81e-6, 0 }, velocity = { 5, 0, 0 } }\n"
    "sys:lock_rotation { sys.ground, ball }\n"
    "sys:material_pair { 'a', 'b', law = function(d) return 1e6 * d end, transition = 0.01 }\n"
    "sys:contact {}";
  trial r = run_under(9.81, body, "lagrange", 1e-4, 0.5);
  check_near("speed, m/s", r.state->twist[2].v[0], 5.0 - 0.3 * 9.81 * 0.5, 1e-10);
  done(&r);
}

static void a_law_that_gives_no_number_ends_the_run(void **unused)
{
  (void)unused;
  const char *body =
    "sys:body { fixed = true, position = { 0, 0, 0 }, shape = scene.plane { normal = { 0, 1, 0 } } }\n"
    "sys:body { shape = scene.sphere { radius = 0.1 }, mass = 1, position = { 0, 0.1, 0 },\n"
    "  velocity = { 0, -5, 0 } }\n"
    "sys:contact { law = function(d, rate) return math.sqrt(0.02 - d) * d end }\nreturn sys";
  write_scene(body);
  trial r = run_spec("lagrange", 1e-3, 1.0, NULL, NULL);
  printf("  %s\n", r.summary.explanation);
  assert_int_equal(r.reason, HN_NOT_FINITE);
  done(&r);
}

static void mistakes_in_functions_have_messages(void **unused)
{
  (void)unused;
  static const char *const cases[][2] = {
    { "sys:contact { law = function(d) return 1e6 * d end, energy = function(d) return 1e6 * d^2 end }",
      "it does not fit its energy: at a compression of 1e-09 m the law gives 0.001, and the derivative of "
      "the energy is 0.002" },
    { "sys:contact { law = 'hertz', stiffness = 1, energy = function(d) return d end }",
      "law hertz has its own energy" },
    { "sys:contact { law = function(d) return math.log(d - 1) end }", "it gives nan" },
    { "sys:contact { law = function(d) return d, d end }", "contact: law" },
    { "sys:contact { law = function(d) return d end, stiffness = 3 }", "unknown key \"stiffness\"" },
    { "sys:contact { energy = 3 }", "contact: energy must be a function, not a number" },
    { "sys:material_pair { 'a', 'b', law = true }", "or a function" },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char body[800];
    snprintf(body, sizeof body, "%s\nreturn sys", cases[i][0]);
    expect_failing_body(body, 2, cases[i][1]);
  }
}

/* The force of every built-in law at rest is the derivative of its energy. */
static void energies_fit_their_laws(void **unused)
{
  (void)unused;
  size_t count;
  const hn_contact_law_type *const *types = hn_contact_law_types(&count);
  assert_int_equal(count, 3);
  for (size_t i = 0; i < count; i++) {
    /* the friction, stiffness or { stiffness, modulus, exponent }, and further numbers are 8-byte fields */
    double data[16] = { 0.0 };
    for (const hn_param *p = types[i]->params; p->key; p++) {
      const double value = strcmp(p->key, "stiffness") == 0  ? 3e5
                           : strcmp(p->key, "exponent") == 0 ? 1.7
                                                             : 0.0;
      if (p->kind == HN_REAL) memcpy((char *)data + p->offset, &value, sizeof value);
    }
    assert_int_equal(types[i]->setup(data, NULL), 0);
    const double d = 1e-3, h = 1e-7;
    const double slope = (types[i]->energy(data, NAN, d + h) - types[i]->energy(data, NAN, d - h)) /
                         (2.0 * h);
    printf(" %s\n", types[i]->name);
    check_below("force against the difference of energies", types[i]->force(data, NAN, d, 0.0) / slope - 1.0,
                1e-7);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_function_is_a_law),
    cmocka_unit_test(its_work_is_its_energy),
    cmocka_unit_test(a_function_of_the_rate_damps),
    cmocka_unit_test(a_law_of_a_pair_may_have_friction),
    cmocka_unit_test(a_law_that_gives_no_number_ends_the_run),
    cmocka_unit_test(mistakes_in_functions_have_messages),
    cmocka_unit_test(energies_fit_their_laws),
  };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
