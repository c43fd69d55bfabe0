/* test_basics.c - the basic parts: errors and nearest words; masses of shapes against numerical quadrature;
 * refusals of bodies and joints; copies and hashes of states. */
#include "models.h"
#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

/* ---- Errors -------------------------------------------------------------------------------------------- */

static void errors_are_one_line_and_fail(void **state)
{
  (void)state;
  hn_error error = { "" };
  assert_int_equal(hn_fail(&error, "body \"%s\" weighs %g", "b", 0.5), -1);
  assert_string_equal(error.text, "body \"b\" weighs 0.5");
  assert_int_equal(hn_fail(NULL, "nobody listens"), -1);
  char longer[2 * sizeof error.text];
  memset(longer, 'x', sizeof longer - 1);
  longer[sizeof longer - 1] = '\0';
  hn_fail(&error, "%s", longer);
  assert_int_equal(strlen(error.text), sizeof error.text - 1);
}

static void nearest_word_is_suggested(void **state)
{
  (void)state;
  static const char *const words[] = { "position", "orientation", "velocity", "mass", "density" };
  static const struct {
    const char *word, *nearest;
  } cases[] = {
    { "positon", "position" }, { "posiiton", "position" }, { "velocities", "velocity" }, { "mas", "mass" },
    { "densty", "density" },   { "mass", "mass" },         { "temperature", NULL },      { "", NULL },
  };
  char endless[400];
  memset(endless, 'm', sizeof endless - 1);
  endless[sizeof endless - 1] = '\0';
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const char *near = hn_nearest(cases[i].word, words, sizeof words / sizeof *words);
    printf("  \"%s\" -> %s\n", cases[i].word, near ? near : "none");
    if (cases[i].nearest) assert_string_equal(near, cases[i].nearest);
    else assert_null(near);
  }
  assert_null(hn_nearest("mass", words, 0));
  assert_null(hn_nearest(endless, words, sizeof words / sizeof *words));
}

static void every_reason_has_a_name(void **state)
{
  (void)state;
  for (int i = 0; i < HN_REASONS; i++)
    for (int j = 0; j < i; j++)
      assert_string_not_equal(hn_reason_name((hn_reason)i), hn_reason_name((hn_reason)j));
  assert_string_equal(hn_reason_name(HN_NO_MEMORY), "out-of-memory");
}

/* ---- Masses: closed forms against quadrature ----------------------------------------------------------- */

/* Five-point Gauss-Legendre quadrature on [-1, 1]: exact up to degree 9, more than occurs here. */
static const double node[5] = { -0.906179845938663993, -0.538469310105683091, 0, 0.538469310105683091,
                                0.906179845938663993 };
static const double weight[5] = { 0.236926885056189088, 0.478628670499366468, 0.568888888888888889,
                                  0.478628670499366468, 0.236926885056189088 };

/* Integrates mass and moments of a box by their definition, J_x = integral of (y^2 + z^2) dm. */
static void integrate_box(const hn_shape *box, double density, double *mass, double J[3])
{
  double volume = box->size[0] * box->size[1] * box->size[2];
  *mass = J[0] = J[1] = J[2] = 0.0;
  for (int i = 0; i < 5; i++)
    for (int j = 0; j < 5; j++)
      for (int k = 0; k < 5; k++) {
        double x[3] = { box->size[0] / 2 * node[i], box->size[1] / 2 * node[j], box->size[2] / 2 * node[k] };
        double dm = density * volume / 8 * weight[i] * weight[j] * weight[k];
        *mass += dm;
        for (int c = 0; c < 3; c++) J[c] += dm * (vec_dot(x, x) - x[c] * x[c]);
      }
}

/* Returns the radius of a shape of revolution about y, at height y. */
static double radius_at(const hn_shape *shape, double y)
{
  double r = shape->size[0], flat = shape->kind == HN_SPHERE ? 0.0 : shape->size[1] / 2;
  return fabs(y) <= flat ? r : sqrt(r * r - (fabs(y) - flat) * (fabs(y) - flat));
}

/* Integrates a shape of revolution over discs of radius a at height y: dm = pi a^2 dy, dJ_y = dm a^2 / 2,
 * dJ_x = dm (a^2 / 4 + y^2). Uses symmetry, and two parts that meet at the kink of the profile. */
static void integrate_round(const hn_shape *shape, double density, double *mass, double J[3])
{
  double flat = shape->kind == HN_SPHERE ? 0.0 : shape->size[1] / 2;
  double ends[3] = { 0.0, flat, flat + (shape->kind == HN_CYLINDER ? 0.0 : shape->size[0]) };
  *mass = J[0] = J[1] = 0.0;
  for (int part = 0; part < 2; part++)
    for (int k = 0; k < 5; k++) {
      double half = (ends[part + 1] - ends[part]) / 2, y = ends[part] + half * (1 + node[k]),
             a = radius_at(shape, y);
      double dm = 2 * density * M_PI * a * a * half * weight[k];
      *mass += dm, J[1] += dm * a * a / 2, J[0] += dm * (a * a / 4 + y * y);
    }
  J[2] = J[0];
}

/* Integrates an ellipsoid over elliptical discs with half axes a, c at height y: dJ_y = dm (a^2 + c^2) / 4,
 * dJ_x = dm (c^2 / 4 + y^2), dJ_z = dm (a^2 / 4 + y^2). */
static void integrate_ellipsoid(const hn_shape *shape, double density, double *mass, double J[3])
{
  const double *s = shape->size;
  *mass = J[0] = J[1] = J[2] = 0.0;
  for (int k = 0; k < 5; k++) {
    const double y = s[1] * node[k], part = 1 - node[k] * node[k], a = s[0] * s[0] * part,
                 c = s[2] * s[2] * part;
    const double dm = density * M_PI * s[0] * s[2] * part * s[1] * weight[k];
    *mass += dm, J[0] += dm * (c / 4 + y * y), J[1] += dm * (a + c) / 4, J[2] += dm * (a / 4 + y * y);
  }
}

static void shapes_have_their_mass(void **state)
{
  (void)state;
  static const struct {
    const char *name;
    hn_shape shape;
  } cases[] = {
    { "box", { .kind = HN_BOX, .size = { 1.0, 0.2, 0.5 } } },
    { "sphere", { .kind = HN_SPHERE, .size = { 0.7 } } },
    { "cylinder", { .kind = HN_CYLINDER, .size = { 0.3, 1.7 } } },
    { "flat cylinder", { .kind = HN_CYLINDER, .size = { 1.3, 0.2 } } },
    { "capsule", { .kind = HN_CAPSULE, .size = { 0.3, 1.1 } } },
    { "short capsule", { .kind = HN_CAPSULE, .size = { 0.8, 0.1 } } },
    { "ellipsoid", { .kind = HN_ELLIPSOID, .size = { 0.3, 1.1, 0.5 } } },
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    hn_error error;
    hn_mass m;
    double expected, expected_J[3], worst = 0.0;
    assert_int_equal(hn_shape_mass(&cases[i].shape, 780, &m, &error), 0);
    if (cases[i].shape.kind == HN_BOX) integrate_box(&cases[i].shape, 780, &expected, expected_J);
    else if (cases[i].shape.kind == HN_ELLIPSOID)
      integrate_ellipsoid(&cases[i].shape, 780, &expected, expected_J);
    else integrate_round(&cases[i].shape, 780, &expected, expected_J);
    for (int c = 0; c < 3; c++) worst = fmax(worst, fabs(m.J[c] / expected_J[c] - 1));
    printf(" %s\n", cases[i].name);
    check_below("mass, relative error", m.mass / expected - 1, 2e-15);
    check_below("moments of inertia, relative error", worst, 4e-15);
  }
}

/* ---- Refusals of a model ------------------------------------------------------------------------------- */

static hn_body_spec good_body(void)
{
  hn_body_spec spec = rigid_body("b", 2, 1, 2, 2.5);
  spec.position[0] = 1, spec.orientation[0] = 2;
  return spec;
}

static void refuse_body(hn_body_spec spec, const char *says)
{
  hn_error error = { "" };
  hn_model *model = new_model();
  int index = hn_model_add_body(model, &spec, &error);
  printf("  %s\n", error.text);
  assert_int_equal(index, -1);
  assert_int_equal(model->nbody, 1);
  assert_null(strchr(error.text, '\n'));
  if (!strstr(error.text, says)) fail_msg("should say \"%s\"", says);
  hn_model_free(model);
}

#define REFUSE_BODY(change, says) \
  do {                            \
    hn_body_spec s = good_body(); \
    change;                       \
    refuse_body(s, says);         \
  } while (0)

static void bad_masses_are_refused(void **state)
{
  (void)state;
  REFUSE_BODY(s.mass = 0, "mass must be positive, not 0");
  REFUSE_BODY(s.mass = -1, "mass must be positive, not -1");
  REFUSE_BODY(s.mass = NAN, "finite");
  REFUSE_BODY(s.mass = INFINITY, "finite");
  REFUSE_BODY(s.mass = 1e-310, "mass 1e-310 is too small, at least 1e-100");
  REFUSE_BODY(s.mass = 9e-101, "too small");
  REFUSE_BODY(s.mass = 1.1e100, "mass 1.1e+100 is too large, at most 1e+100");
  REFUSE_BODY(s.mass = 1e160, "would overflow");
  REFUSE_BODY(s.inertia[1] = 0, "Jy must be positive");
  REFUSE_BODY(s.inertia[2] = -1, "Jz must be positive");
  REFUSE_BODY(s.inertia[0] = NAN, "finite");
  REFUSE_BODY(s.inertia[0] = INFINITY, "finite");
  REFUSE_BODY(s.inertia[2] = 3.01, "triangle inequality");
  REFUSE_BODY(s.inertia[0] = s.inertia[1] = s.inertia[2] = 1e-310, "inertia 1e-310 is too small");
  REFUSE_BODY(s.inertia[0] = s.inertia[1] = s.inertia[2] = 1e101, "too large");
}

static void refuse_shape(hn_shape shape, double density, const char *says)
{
  hn_body_spec s = good_body();
  s.has_mass = false, s.shape = shape, s.density = density;
  refuse_body(s, says);
}

static void bad_shapes_are_refused(void **state)
{
  (void)state;
  refuse_shape((hn_shape){ 0 }, 10, "needs a shape");
  refuse_shape((hn_shape){ .kind = HN_BOX, .size = { 1, 1, 1 } }, 0, "density must be positive");
  refuse_shape((hn_shape){ .kind = HN_BOX, .size = { 1, 1, 1 } }, -5, "density must be positive");
  refuse_shape((hn_shape){ .kind = HN_BOX, .size = { 1, 1, 1 } }, NAN, "density must be positive");
  refuse_shape((hn_shape){ .kind = HN_BOX, .size = { 1, 0, 1 } }, 1, "sizes of a box");
  refuse_shape((hn_shape){ .kind = HN_SPHERE, .size = { -1 } }, 1, "sizes of a sphere");
  refuse_shape((hn_shape){ .kind = HN_CYLINDER, .size = { 1, INFINITY } }, 1, "sizes of a cylinder");
  refuse_shape((hn_shape){ .kind = HN_CAPSULE, .size = { 1, NAN } }, 1, "sizes of a capsule");
  refuse_shape((hn_shape){ .kind = HN_ELLIPSOID, .size = { 1, 2, 0 } }, 1, "sizes of an ellipsoid");
  refuse_shape((hn_shape){ .kind = HN_SPHERE, .size = { 1e200 } }, 1, "finite");
  refuse_shape((hn_shape){ .kind = HN_SPHERE, .size = { 1e-200 } }, 1, "must be positive");
}

static void bad_motions_are_refused(void **state)
{
  (void)state;
  REFUSE_BODY(s.orientation[3] = NAN, "finite");
  REFUSE_BODY(s.position[1] = INFINITY, "finite");
  REFUSE_BODY(s.velocity[2] = NAN, "finite");
  REFUSE_BODY(s.angular_velocity[0] = -INFINITY, "finite");
  REFUSE_BODY((s.kind = HN_FIXED, s.velocity[0] = 1), "is fixed");
  REFUSE_BODY((s.kind = HN_FIXED, s.angular_velocity[0] = 1), "is fixed");
}

static void bodies_without_a_name_get_one(void **state)
{
  (void)state;
  hn_error error;
  hn_model *model = new_model();
  hn_body_spec spec = { .kind = HN_PARTICLE, .has_mass = true, .orientation = { 1, 0, 0, 0 } };
  assert_int_equal(hn_model_add_body(model, &spec, &error), -1);
  printf("  %s\n", error.text);
  assert_non_null(strstr(error.text, "body \"body1\""));
  spec.mass = 1;
  assert_int_equal(hn_model_add_body(model, &spec, &error), 1);
  assert_string_equal(model->body[1].name, "body1");
  hn_model_free(model);
}

static void an_orientation_of_zeros_is_the_identity(void **state)
{
  (void)state;
  hn_error error;
  hn_model *model = new_model();
  hn_body_spec spec = good_body();
  memset(spec.orientation, 0, sizeof spec.orientation);
  const int index = hn_model_add_body(model, &spec, &error);
  assert_true(index > 0);
  const double *q = model->body[index].pose0.q;
  printf("  %g %g %g %g\n", q[0], q[1], q[2], q[3]);
  assert_true(q[0] == 1.0 && q[1] == 0.0 && q[2] == 0.0 && q[3] == 0.0);
  hn_model_free(model);
}

static void good_bodies_are_accepted(void **state)
{
  (void)state;
  static const double lengths[] = { 1, 2, 1e-3, 1e-200, 1e200 };
  hn_error error = { "" };
  hn_model *model = new_model();
  for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
    hn_body_spec s = good_body();
    s.orientation[0] = 0.6 * lengths[i], s.orientation[2] = -0.8 * lengths[i];
    int index = hn_model_add_body(model, &s, &error);
    if (index < 0) fail_msg("length %g: %s", lengths[i], error.text);
    const double *q = model->body[index].pose0.q;
    printf("  quaternion of length %g\n", lengths[i]);
    check_below("error of q", fmax(fabs(q[0] - 0.6), fabs(q[2] + 0.8)), 2e-16);
  }
  hn_body_spec flat = good_body();
  flat.inertia[2] = 3;
  assert_int_equal(hn_model_add_body(model, &flat, &error), 6);
  assert_int_equal(hn_model_find_body(model, "b", &error), 1);
  assert_int_equal(hn_model_find_body(model, "ground", &error), 0);
  assert_int_equal(hn_model_find_body(model, "groud", &error), -1);
  assert_non_null(strstr(error.text, "did you mean \"ground\""));
  hn_model_free(model);
}

/* Checks the refusal of a joint in a model of particles 1 and 2 at x = 1 and 2, box 3 at x = 3.5 and fixed
 * body 4. */
static void refuse_joint(hn_joint_spec spec, const char *says)
{
  hn_error error = { "" };
  hn_model *model = new_model();
  hn_body_spec wall = {
    .name = "wall", .kind = HN_FIXED, .position = { 0, 1, 0 }, .orientation = { 1, 0, 0, 0 }
  };
  add_particle(model, "p1", 1, 0, 0), add_particle(model, "p2", 2, 0, 0), add_box(model, "box", 3.5, 0, 0);
  assert_int_equal(hn_model_add_body(model, &wall, &error), 4);
  int index = hn_model_add_joint(model, &spec, &error);
  printf("  %s\n", error.text);
  assert_int_equal(index, -1);
  assert_int_equal(model->njoint, 0);
  assert_int_equal(model->nrow, 0);
  if (!strstr(error.text, says)) fail_msg("should say \"%s\"", says);
  hn_model_free(model);
}

#define REFUSE_JOINT(says, ...) refuse_joint((hn_joint_spec){ __VA_ARGS__ }, says)

static void bad_joints_are_refused(void **state)
{
  (void)state;
  REFUSE_JOINT("did you mean \"ball\"", .type = "bal", .a = 0, .b = 3, .has_points = true);
  REFUSE_JOINT("no body number 5", .type = "distance", .a = 0, .b = 5);
  REFUSE_JOINT("no body number -1", .type = "distance", .a = -1, .b = 1);
  REFUSE_JOINT("with itself", .type = "distance", .a = 1, .b = 1);
  REFUSE_JOINT("two fixed bodies", .type = "distance", .a = 0, .b = 4);
  REFUSE_JOINT("needs its point", .type = "ball", .a = 0, .b = 3);
  REFUSE_JOINT("violated by", .type = "ball", .a = 0, .b = 3, .has_points = true, .at_a = { 3, 0, 0 },
               .at_b = { 3, 0, 1e-6 });
  REFUSE_JOINT("finite", .type = "ball", .a = 0, .b = 3, .has_points = true, .at_a = { NAN });
  REFUSE_JOINT("finite", .type = "ball", .a = 0, .b = 3, .has_points = true, .at_b = { INFINITY });
  REFUSE_JOINT("length = -1 is outside 0 to inf (m)", .type = "distance", .a = 1, .b = 2,
               .settings = "length=-1");
  REFUSE_JOINT("length must be a number, not \"nan\"", .type = "distance", .a = 1, .b = 2,
               .settings = "length=nan");
  REFUSE_JOINT("length must be positive, not 0", .type = "distance", .a = 1, .b = 2, .settings = "length=0");
  REFUSE_JOINT("distance has no parameter \"lenght\"; did you mean \"length\"?", .type = "distance", .a = 1,
               .b = 2, .settings = "lenght=1");
  REFUSE_JOINT("ball has no parameter \"length\"", .type = "ball", .a = 0, .b = 3, .has_points = true,
               .settings = "length=1");
  REFUSE_JOINT("violated by", .type = "distance", .a = 1, .b = 2, .settings = "length=1.5");
  REFUSE_JOINT("away from particle \"p2\"", .type = "distance", .a = 1, .b = 2, .has_points = true,
               .at_a = { 1, 0, 0 }, .at_b = { 2, 0.5, 0 });
  REFUSE_JOINT("away from particle \"p2\"", .type = "distance", .a = 1, .b = 2, .has_points = true,
               .at_a = { 1, 0, 0 }, .at_b = { 2, 1e-7, 0 });
  REFUSE_JOINT("coincide", .type = "distance", .a = 1, .b = 3, .has_points = true, .at_a = { 1, 0, 0 },
               .at_b = { 1, 0, 0 });
}

/* ---- States -------------------------------------------------------------------------------------------- */

static void states_are_copied_and_hashed_to_the_bit(void **state)
{
  (void)state;
  hn_model *model = mixed();
  hn_state *a = hn_state_create(model), *b = hn_state_create(model);
  uint64_t start = hn_state_hash(a, HN_HASH_START);
  assert_true(start == hn_state_hash(b, HN_HASH_START));
  size_t count = (size_t)a->nbody * 13, different = 0;
  double *number = (double *)a->pose;
  for (size_t i = 0; i < count; i++) { /* the last bit of any number changes the hash */
    double kept = number[i];
    number[i] = nextafter(kept, 10);
    different += hn_state_hash(a, HN_HASH_START) != start;
    number[i] = kept;
  }
  assert_int_equal(different, count);
  assert_true(hn_state_hash(a, start) != hn_state_hash(a, HN_HASH_START)); /* chained */
  a->time = 3.25, a->pose[1].x[0] = 7, a->twist[3].w[2] = 8;
  hn_state_copy(b, a);
  assert_true(b->time == 3.25 && b->pose[1].x[0] == 7 && b->twist[3].w[2] == 8);
  assert_true(hn_state_hash(a, HN_HASH_START) == hn_state_hash(b, HN_HASH_START));
  b->pose[1].x[0] = 9;
  assert_true(a->pose[1].x[0] == 7);
  for (size_t i = 0; i < count; i++) { /* NaN and infinity are detected in every number */
    double kept = number[i];
    assert_true(hn_state_finite(a));
    number[i] = i % 2 ? NAN : -INFINITY;
    assert_false(hn_state_finite(a));
    number[i] = kept;
  }
  hn_state_free(a), hn_state_free(b);
  hn_model_free(model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(errors_are_one_line_and_fail),
    cmocka_unit_test(nearest_word_is_suggested),
    cmocka_unit_test(every_reason_has_a_name),
    cmocka_unit_test(shapes_have_their_mass),
    cmocka_unit_test(bad_masses_are_refused),
    cmocka_unit_test(bad_shapes_are_refused),
    cmocka_unit_test(bodies_without_a_name_get_one),
    cmocka_unit_test(bad_motions_are_refused),
    cmocka_unit_test(good_bodies_are_accepted),
    cmocka_unit_test(an_orientation_of_zeros_is_the_identity),
    cmocka_unit_test(bad_joints_are_refused),
    cmocka_unit_test(states_are_copied_and_hashed_to_the_bit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
