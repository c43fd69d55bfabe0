/* test_pairs.c - the broad phase against a test of all pairs; exclusion by groups and joints; the margin of
 * round shapes. */
#include "models.h"
#include "collide/contact_list.h"

#include <math.h>
#include <stdlib.h>

static uint64_t seed;
static double random_in(double low, double high)
{
  seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return low + (high - low) * (double)(seed >> 11) * 0x1p-53;
}

static int add_shape(hn_model *model, hn_body_kind kind, hn_shape shape, const double x[3])
{
  hn_error error;
  hn_body_spec spec = { .kind = kind, .shape = shape, .density = 1, .orientation = { 1, 0, 0, 0 } };
  for (int i = 0; i < 3; i++) spec.position[i] = x[i];
  if (kind != HN_FIXED)
    for (int i = 0; i < 4; i++) spec.orientation[i] = random_in(-1, 1);
  int body = hn_model_add_body(model, &spec, &error);
  if (body < 0) fail_msg("%s", error.text);
  return body;
}

static hn_shape random_shape(double size)
{
  const double s = random_in(0.5, 1.5) * size;
  const hn_shape kinds[] = { { .kind = HN_BOX, .size = { s, 2 * s, 0.5 * s } },
                             { .kind = HN_SPHERE, .size = { s } },
                             { .kind = HN_CYLINDER, .size = { s, s } },
                             { .kind = HN_CAPSULE, .size = { 0.5 * s, s } } };
  return kinds[(int)random_in(0, 4)];
}

/* Returns a model of N shapes in a cube of EDGE, a plane, and a few long or distant shapes. */
static hn_model *crowd(int n, double edge, hn_contact_spec spec)
{
  static const double origin[3];
  hn_error error;
  hn_model *model = new_model();
  add_shape(model, HN_FIXED, (hn_shape){ .kind = HN_PLANE, .size = { 0, 1, 0 } }, origin);
  add_shape(model, HN_RIGID, (hn_shape){ .kind = HN_BOX, .size = { 2 * edge, 0.1, 0.1 } }, origin);
  for (int i = 0; i < n; i++) {
    double x[3], at = i % 50 == 7 ? 1e6 : 1.0;
    for (int k = 0; k < 3; k++) x[k] = at * random_in(-edge, edge);
    add_shape(model, HN_RIGID, random_shape(i % 40 == 3 ? 3.0 : 0.3), x);
  }
  assert_int_equal(hn_model_collide(model, &spec, &error), 0);
  return model;
}

static bool boxes_meet(const hn_pairs *pairs, const hn_model *model, int a, int b)
{
  double low[2][3], high[2][3];
  const int of[2] = { a, b };
  for (int i = 0; i < 2; i++)
    hn_placed_bounds(hn_pairs_placed(pairs, of[i]), 0.5 * model->margin, low[i], high[i]);
  for (int k = 0; k < 3; k++)
    if (!(low[0][k] <= high[1][k] && low[1][k] <= high[0][k])) return false;
  return true;
}

/* Returns the number of pairs that are in only one of both lists. */
static int differences(hn_pairs *pairs, const hn_model *model, const hn_state *state, int *found)
{
  int count, wrong = 0, k = 0;
  const hn_pair *pair = hn_pairs_find(pairs, state, &count);
  for (int a = 0; a < model->ncollider; a++)
    for (int b = a + 1; b < model->ncollider; b++) {
      bool listed = k < count && pair[k].a == a && pair[k].b == b;
      k += listed;
      wrong += listed != (boxes_meet(pairs, model, a, b) && hn_pairs_allowed(pairs, a, b));
    }
  *found = count;
  return wrong + (count - k);
}

static void all_pairs_are_found(void **state)
{
  (void)state;
  static const struct {
    int n;
    double edge;
  } sizes[] = { { 5, 0.5 }, { 100, 1 }, { 300, 4 }, { 300, 100 } };
  hn_error error;
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    hn_model *model = crowd(sizes[i].n, sizes[i].edge, (hn_contact_spec){ .margin = 0.01 });
    hn_pairs *pairs = hn_pairs_create(model, &error), *fresh;
    hn_state *at = hn_state_create(model);
    int wrong = 0, found = 0, all = 0;
    for (int move = 0; move < 30; move++) {
      const double step = move % 10 == 9 ? 5 : 0.05; /* occasionally far from the previous poses */
      for (int k = 1; k < at->nbody; k++)
        for (int c = 0; c < 3 && model->body[k].kind == HN_RIGID; c++)
          at->pose[k].x[c] += random_in(-step, step);
      wrong += differences(pairs, model, at, &found);
      all += found;
      fresh = hn_pairs_create(model, &error);
      wrong += differences(fresh, model, at, &found);
      hn_pairs_free(fresh);
    }
    printf("  %d shapes in %g m: %d pairs in 30 poses\n", sizes[i].n, sizes[i].edge, all);
    ASSERT_COUNT("pairs missed, or found for nothing", (unsigned)wrong, 0);
    assert_true(all > 0);
    hn_pairs_free(pairs);
    hn_state_free(at);
    hn_model_free(model);
  }
}

/* Shapes across the seam of the torus of cells, far out, with an odd number of columns. */
static void columns_have_no_seam(void **state)
{
  (void)state;
  hn_error error;
  hn_model *model = new_model();
  for (int i = 0; i < 200; i++) {
    double x[3] = { random_in(-0.5, 0.5), 0.37 * i, -0.37 * i };
    add_shape(model, HN_RIGID, (hn_shape){ .kind = HN_SPHERE, .size = { 0.3 } }, x);
  }
  assert_int_equal(hn_model_collide(model, &(hn_contact_spec){ .margin = 0.01 }, &error), 0);
  hn_pairs *pairs = hn_pairs_create(model, &error);
  hn_state *at = hn_state_create(model);
  int found, wrong = differences(pairs, model, at, &found);
  printf("  %d pairs\n", found);
  ASSERT_COUNT("pairs missed, or found for nothing", (unsigned)wrong, 0);
  hn_pairs_free(pairs);
  hn_state_free(at);
  hn_model_free(model);
}

/* A capsule of radius 0.3 lies above a box, in either order: two contact points for a margin above the gap,
 * however small both are compared with the radius, and none for a margin below it. */
static void the_margin_excludes_the_radius(void **state)
{
  (void)state;
  const hn_shape box = { .kind = HN_BOX, .size = { 1, 2, 1 } },
                 capsule = { .kind = HN_CAPSULE, .size = { 0.3, 0.5 } };
  const hn_placed_shape below = { .shape = &box, .R = { 1, 0, 0, 0, 1, 0, 0, 0, 1 } };
  const hn_placed_shape above = { .shape = &capsule,
                                  .x = { 0, 1.301, 0 },
                                  .R = { 0, 1, 0, -1, 0, 0, 0, 0, 1 } };
  hn_manifold m;
  hn_collide_pair(&below, &above, 0.002, &m);
  ASSERT_COUNT("points within the margin", (unsigned)m.count, 2);
  hn_collide_pair(&above, &below, 0.002, &m);
  ASSERT_COUNT("the other way round", (unsigned)m.count, 2);
  hn_collide_pair(&below, &above, 0.0005, &m);
  ASSERT_COUNT("beyond it", (unsigned)m.count, 0);
}

typedef enum joining {
  APART,
  FORTH,
  BACK
} joining; /* no joint; one from the first body, or from the second */

static bool is_one_pair(const hn_model *model)
{
  hn_error error;
  hn_pairs *pairs = hn_pairs_create(model, &error);
  hn_state *at = hn_state_create(model);
  int count;
  hn_pairs_find(pairs, at, &count);
  hn_pairs_free(pairs);
  hn_state_free(at);
  return count == 1;
}

/* True if two overlapping bodies with these groups and joint are reported as a pair. The list of groups is
 * that of the second body if SECOND. */
static bool are_paired(const char *group, const char *const *collides, const char *other, joining joined,
                       bool jointed, bool second)
{
  hn_error error;
  hn_model *model = new_model();
  const hn_shape ball = { .kind = HN_SPHERE, .size = { 0.6 } };
  hn_body_spec a = { .name = "a",
                     .kind = HN_RIGID,
                     .shape = ball,
                     .density = 1,
                     .orientation = { 1 },
                     .group = second ? other : group,
                     .collides = second ? NULL : collides };
  hn_body_spec b = a;
  b.name = "b", b.group = second ? group : other, b.collides = second ? collides : NULL, b.position[0] = 1;
  hn_model_add_body(model, &a, &error), hn_model_add_body(model, &b, &error);
  const hn_joint_spec hinge = { .type = "ball",
                                .a = joined == BACK ? 2 : 1,
                                .b = joined == BACK ? 1 : 2,
                                .has_points = true,
                                .at_a = { 0.5 },
                                .at_b = { 0.5 } };
  if (joined != APART) assert_true(hn_model_add_joint(model, &hinge, &error) >= 0);
  assert_int_equal(hn_model_collide(model, &(hn_contact_spec){ .jointed = jointed }, &error), 0);
  const bool paired = is_one_pair(model);
  hn_model_free(model);
  return paired;
}

/* Balls that overlap: parts of one body, or of two fixed bodies. */
static void parts_and_fixed_bodies_are_no_pairs(void **state)
{
  (void)state;
  hn_error error;
  const hn_shape ball = { .kind = HN_SPHERE, .size = { 0.6 } };
  const hn_part part[] = { { .shape = ball, .orientation = { 1 } },
                           { .shape = ball, .orientation = { 1 }, .position = { 1 } } };
  hn_body_spec a = {
    .name = "a", .kind = HN_RIGID, .part = part, .nparts = 2, .density = 1, .orientation = { 1 }
  };
  hn_model *model = new_model();
  assert_true(hn_model_add_body(model, &a, &error) > 0);
  assert_int_equal(hn_model_collide(model, &(hn_contact_spec){ .jointed = false }, &error), 0);
  assert_false(is_one_pair(model));
  hn_model_free(model);
  for (int fixed = 0; fixed < 4; fixed++) {
    hn_body_spec b = { .name = "b", .shape = ball, .density = 1, .orientation = { 1 } };
    model = new_model();
    for (int k = 0; k < 2; k++) {
      b.name = k ? "c" : "b", b.position[0] = k, b.kind = fixed >> k & 1 ? HN_FIXED : HN_RIGID;
      assert_true(hn_model_add_body(model, &b, &error) > 0);
    }
    assert_int_equal(hn_model_collide(model, &(hn_contact_spec){ .jointed = false }, &error), 0);
    assert_true(is_one_pair(model) == (fixed != 3));
    hn_model_free(model);
  }
}

static void groups_and_joints_exclude_pairs(void **state)
{
  (void)state;
  static const char *const cars[] = { "cars", NULL }, *const ships[] = { "ships", NULL },
                           *const none[] = { NULL };
  for (int second = 0; second < 2; second++) {
    assert_true(are_paired(NULL, NULL, NULL, APART, false, second));
    for (joining joined = FORTH; joined <= BACK; joined++) {
      assert_false(are_paired(NULL, NULL, NULL, joined, false, second));
      assert_true(are_paired(NULL, NULL, NULL, joined, true, second));
    }
    assert_true(are_paired("ships", cars, "cars", APART, false, second));
    assert_false(are_paired("ships", ships, "cars", APART, false, second));
    assert_false(are_paired(NULL, cars, NULL, APART, false, second));
    assert_false(are_paired(NULL, none, NULL, APART, false, second));
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(all_pairs_are_found),
    cmocka_unit_test(columns_have_no_seam),
    cmocka_unit_test(the_margin_excludes_the_radius),
    cmocka_unit_test(groups_and_joints_exclude_pairs),
    cmocka_unit_test(parts_and_fixed_bodies_are_no_pairs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
