/* test_contact_carry.c - impulses and friction that a contact list takes over from the one before: the
 * impulse on a body remains where another body carries the normal; the friction of a contact that is gone is
 * forgotten. */
#include "models.h"
#include "collide/contact_list.h"

enum { LOWER = 1, UPPER };
static const double tilt = 0.1;

/* Returns a model of a cube of 1 m and, above it, a box of 4 m, tilted. */
static hn_model *two_boxes(double friction, double static_friction)
{
  hn_error error;
  hn_model *model = new_model();
  hn_body_spec box = { .name = "lower",
                       .kind = HN_RIGID,
                       .density = 1,
                       .shape = { .kind = HN_BOX, .size = { 1, 1, 1 } },
                       .orientation = { 1, 0, 0, 0 },
                       .friction = friction,
                       .static_friction = static_friction };
  assert_int_equal(must_add(model, &box), LOWER);
  box.name = "upper", box.shape.size[0] = 4;
  assert_int_equal(must_add(model, &box), UPPER);
  assert_int_equal(hn_model_collide(model, &(hn_contact_spec){ .margin = 0.05 }, &error), 0);
  return model;
}

/* Places the lower edge at the left end of the upper box at (x, 0.5), level with the top of the cube. */
static void place(hn_state *state, double x)
{
  const double c = cos(tilt), s = sin(tilt), q[4] = { cos(0.5 * tilt), 0, 0, sin(0.5 * tilt) };
  hn_pose *pose = &state->pose[UPPER];
  vec_set(pose->x, x + 2 * c - 0.5 * s, 0.5 + 2 * s + 0.5 * c, 0);
  memcpy(pose->q, q, sizeof q);
}

/* Computes the sum of the impulses on the upper box, in world axes. */
static void impulse_on_upper(const hn_state *state, double sum[3])
{
  vec_set(sum, 0, 0, 0);
  for (const hn_contact *c = state->contact; c < state->contact + state->ncontact; c++)
    for (int k = 0; k < 3; k++) {
      double axis[3];
      quat_rotate(axis, state->pose[c->a].q, c->frame + 3 * k);
      vec_add_scaled(sum, c->b == UPPER ? c->impulse[k] : -c->impulse[k], axis);
    }
}

/* The left edge of the upper box lies on the top of the cube, which carries the normal. Moved to the left by
 * 5 mm it hangs over, and the edge of the cube touches the bottom of the upper box. The change turns no
 * body. */
static void impulses_remain_where_bodies_change_places(void **unused)
{
  (void)unused;
  hn_error error;
  hn_work work = { 0 };
  hn_model *model = two_boxes(0.5, 0);
  hn_state *state = hn_state_create(model);
  hn_collision *collision = hn_collision_create(model, &error);
  double before[3], after[3];
  place(state, -0.5 + 0.002);
  assert_true(hn_collide(collision, state, &work) == HN_CONVERGED);
  ASSERT_COUNT("contacts of the edge", (unsigned)state->ncontact, 2);
  assert_true(state->contact[0].a == LOWER && state->contact[1].a == LOWER);
  for (int i = 0; i < 2; i++) vec_set(state->contact[i].impulse, 2 + i, 0.5, -0.25 * i);
  impulse_on_upper(state, before);
  place(state, -0.5 - 0.003);
  assert_true(hn_collide(collision, state, &work) == HN_CONVERGED);
  ASSERT_COUNT("contacts of the other edge", (unsigned)state->ncontact, 2);
  assert_true(state->contact[0].a == UPPER && state->contact[1].a == UPPER);
  impulse_on_upper(state, after);
  for (int i = 0; i < 3; i++) check_near("impulse on the upper box, N s", after[i], before[i], 1e-14);
  check_near("its vertical part", before[1], 5, 1e-14);
  hn_collision_free(collision);
  hn_state_free(state);
  hn_model_free(model);
}

/* A contact with two frictions slides; then the contacts are removed and found again at equal poses. */
static void new_contacts_stick(void **unused)
{
  (void)unused;
  hn_error error;
  hn_work work = { 0 };
  hn_model *model = two_boxes(0.3, 0.5);
  hn_state *state = hn_state_create(model);
  hn_collision *collision = hn_collision_create(model, &error);
  place(state, 0);
  assert_true(hn_collide(collision, state, &work) == HN_CONVERGED);
  ASSERT_COUNT("contacts", (unsigned)state->ncontact, 2);
  check_near("friction of a new contact", state->contact[0].friction, 0.5, 1e-15);
  for (int i = 0; i < 2; i++) state->contact[i].friction = 0.3;
  assert_true(hn_collide(collision, state, &work) == HN_CONVERGED);
  check_near("of one that slides", state->contact[0].friction, 0.3, 1e-15);
  state->ncontact = 0;
  assert_true(hn_collide(collision, state, &work) == HN_CONVERGED);
  check_near("of one that is new again", state->contact[0].friction, 0.5, 1e-15);
  hn_collision_free(collision);
  hn_state_free(state);
  hn_model_free(model);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(impulses_remain_where_bodies_change_places),
    cmocka_unit_test(new_contacts_stick),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
