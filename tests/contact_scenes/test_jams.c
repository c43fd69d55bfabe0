/* test_jams.c - Painleve's rod slides foot first and jams: the impulse of the jam, against its closed form,
 * in the whole interval of angles in which no force satisfies the law. */
#include "models.h"

static const double half = 0.5, speed = 3.0, mu = 1.5, foot = 1e-6; /* m, m/s, 1, m */
static const double degree = 3.14159265358979323846 / 180;

/* Returns the rod of 1 kg on a floor, with the foot ahead and at ANGLE to the floor. */
static hn_model *rod_at(double angle)
{
  const hn_part end = { .shape = { .kind = HN_CIRCLE, .size = { foot } },
                        .position = { half, 0, 0 },
                        .weightless = true };
  const hn_body_spec floor = { .name = "floor",
                               .kind = HN_FIXED,
                               .shape = { .kind = HN_PLANE, .size = { 0, 1, 0 } },
                               .orientation = { 1 },
                               .friction = mu };
  hn_body_spec rod = rigid_body("rod", 1, 0, 0, half * half / 3);
  hn_error error;
  hn_model *model = new_model();
  assert_int_equal(hn_model_set_planar(model, &error), 0);
  rod.part = &end, rod.nparts = 1, rod.friction = mu;
  vec_set(rod.position, -half * cos(angle), foot + half * sin(angle), 0);
  vec_set(rod.velocity, speed, 0, 0);
  rod.orientation[0] = cos(angle / 2), rod.orientation[3] = -sin(angle / 2);
  must_add(model, &floor), must_add(model, &rod);
  if (hn_model_collide(model, &(hn_contact_spec){ .margin = 0.02 }, &error)) fail_msg("%s", error.text);
  return model;
}

/* Returns the normal impulse that stops the foot, N s: K p = (0, -speed), with K the inverse mass at the
 * foot, at normal and tangent. */
static double jam_impulse(double angle)
{
  const double c = cos(angle), s = sin(angle), normal = 1 + 3 * c * c, tangent = 1 + 3 * s * s,
               both = 3 * c * s;
  return both * speed / (normal * tangent - both * both);
}

/* Angles in degrees: a normal force at the sliding foot accelerates it downwards from 50.64 to 73.05. */
static const double angles[] = { 50.65, 50.7, 51.1, 51.5, 52, 55, 60, 70, 72, 73 };
static const double steps[] = { 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3 };
enum { ANGLES = sizeof angles / sizeof *angles, STEPS = sizeof steps / sizeof *steps };

/* Beside the jam the normal impulse has a share of gravity, below 1.5 g h. */
static void jams_have_one_impulse(void **unused)
{
  (void)unused;
  static const char *const specs[] = { "impulse-contact", "impulse-contact:restitution=newton", "moreau" };
  for (int m = 0; m < 3; m++) {
    double worst = 0.0;
    for (int i = 0; i < ANGLES; i++)
      for (int k = 0; k < STEPS; k++) {
        hn_model *model = rod_at(angles[i] * degree);
        hn_solver *solver = new_solver(specs[m], model);
        hn_state *state = hn_state_create(model);
        assert_int_equal(hn_solver_step(solver, state, steps[k]), HN_CONVERGED);
        const double wanted = jam_impulse(angles[i] * degree), got = state->twist[2].v[1] + 9.81 * steps[k];
        worst = larger(worst, fabs(got / wanted - 1) - 1.5 * 9.81 * steps[k] / wanted);
        hn_state_free(state), hn_solver_free(solver), hn_model_free(model);
      }
    printf("%s\n", specs[m]);
    check_below("relative error of the impulse", larger(worst, 0), 1e-5);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(jams_have_one_impulse),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
