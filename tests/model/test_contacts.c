/* test_contacts.c - contacts inserted into the state by hand: order, copies, hashes; blocks that appear and
 * disappear; motion against that of an equivalent limit. Collision detection is not involved. */
#include "models.h"
#include "base/vec.h"

#include <string.h>

static const char *const solver_specs[] = { "impulse-sle", "impulse-gs", "xpbd", "tgs-soft" };
enum { SOLVERS = sizeof solver_specs / sizeof *solver_specs };

/* Returns a contact between a point of body b (body axes) and the plane through the ground's origin with
 * normal y. */
static hn_contact above_ground(uint64_t key, int b, double x, double y, double z)
{
  return (hn_contact){ .key = key, .b = b, .point_b = { x, y, z }, .frame = { 0, 1, 0, 0, 0, 1, 1, 0, 0 } };
}

static hn_model *model_with_contacts(int capacity, bool friction)
{
  hn_error error;
  hn_model *model = new_model();
  assert_int_equal(hn_model_reserve_contacts(model, capacity, friction, &error), 0);
  return model;
}

/* ---- State --------------------------------------------------------------------------------------------- */

static void contacts_are_kept_by_key(void **unused)
{
  (void)unused;
  static const uint64_t order[] = { 50, 10, 40, 20, 30 };
  hn_model *model = model_with_contacts(5, false);
  int box = add_box(model, "box", 0, 1, 0);
  hn_state *state = hn_state_create(model), *copy = hn_state_create(model);
  for (int i = 0; i < 5; i++) {
    hn_contact contact = above_ground(order[i], box, i, 0, 0);
    assert_true(hn_state_add_contact(state, &contact) == HN_CONVERGED);
  }
  for (int i = 0; i < 5; i++) assert_true(state->contact[i].key == (uint64_t)(10 * (i + 1)));
  hn_contact one_more = above_ground(60, box, 0, 0, 0), again = above_ground(30, box, 9, 0, 0);
  assert_true(hn_state_add_contact(state, &one_more) == HN_FULL);
  assert_string_equal(hn_reason_name(HN_FULL), "full");
  state->contact[2].impulse[0] = 7.0;
  assert_true(hn_state_add_contact(state, &again) == HN_CONVERGED);
  check_near("impulse of a contact added again, N s", state->contact[2].impulse[0], 7.0, 0.0);
  check_near("and its new point, m", state->contact[2].point_b[0], 9.0, 0.0);
  hn_state_copy(copy, state);
  assert_true(hn_state_hash(copy, 1) == hn_state_hash(state, 1));
  copy->contact[4].impulse[0] = 1e-300;
  assert_true(hn_state_hash(copy, 1) != hn_state_hash(state, 1));
  hn_state_remove_contact(state, 20), hn_state_remove_contact(state, 999);
  ASSERT_COUNT("contacts left", (unsigned)state->ncontact, 4);
  assert_true(state->contact[1].key == 30);
  hn_state_free(state), hn_state_free(copy);
  hn_model_free(model);
}

/* A million bodies with 3.5 contacts each have room. Beyond the limit the message has it. */
static void a_model_has_room_for_millions_of_contacts(void **unused)
{
  (void)unused;
  hn_error error = { "" };
  hn_model *model = model_with_contacts(3500000, true);
  ASSERT_COUNT("contacts", (unsigned)model->max_contacts, 3500000);
  assert_int_equal(hn_model_reserve_contacts(model, HN_MAX_CONTACTS + 1, true, &error), -1);
  printf("  %s\n", error.text);
  assert_non_null(strstr(error.text, "between 1 and 33554432"));
  hn_model_free(model);
}

/* ---- Blocks -------------------------------------------------------------------------------------------- */

static void the_pattern_follows_keys_alone(void **unused)
{
  (void)unused;
  hn_error error;
  hn_model *model = model_with_contacts(8, false);
  int box = add_box(model, "box", 0, 1, 0);
  hn_system *s = hn_system_create(model, &error);
  hn_state *state = hn_state_create(model);
  hn_contact one = above_ground(1, box, 0.5, -1, 0), two = above_ground(2, box, -0.5, -1, 0);
  hn_state_add_contact(state, &one), hn_state_add_contact(state, &two);
  assert_true(hn_system_begin(s, state) == HN_CONVERGED);
  uint64_t pattern = s->pattern;
  ASSERT_COUNT("blocks", (unsigned)s->nblock, 2);
  hn_system_hold(s, 1, true);
  state->contact[0].point_b[0] = 0.6;
  hn_system_begin(s, state);
  assert_true(s->pattern == pattern && hn_system_is_held(s, 1));
  hn_state_remove_contact(state, 1);
  hn_system_begin(s, state);
  assert_true(s->pattern != pattern && s->nblock == 1 && s->block[0].key == 2 && !hn_system_is_held(s, 0));
  double g, height = hn_system_block_residual(s, 0, state, &g);
  check_near("gap of an open contact, m", g, 0.0, 1e-15);
  check_near("its contribution to norms, m", height, 0.0, 0.0);
  state->ncontact = 9; /* more than the capacity */
  assert_true(hn_system_begin(s, state) == HN_FULL);
  hn_state_free(state);
  hn_system_free(s);
  hn_model_free(model);
}

/* Each contact has its own coefficients, more different ones than are shared; also after a change. */
static void each_contact_has_its_coefficients(void **unused)
{
  (void)unused;
  enum { CONTACTS = 40 };
  hn_error error;
  hn_model *model = model_with_contacts(CONTACTS, true);
  int box = add_box(model, "box", 0, 1, 0);
  hn_system *s = hn_system_create(model, &error);
  hn_state *state = hn_state_create(model);
  for (int i = 0; i < CONTACTS; i++) {
    hn_contact contact = above_ground((uint64_t)i, box, i, 0, 0);
    contact.friction = 0.01 * (i + 1);
    hn_state_add_contact(state, &contact);
  }
  for (int round = 0; round < 3; round++) {
    double largest = 0.0;
    assert_true(hn_system_begin(s, state) == HN_CONVERGED);
    for (int i = 0; i < CONTACTS; i++)
      largest = fmax(largest, fabs(s->block[i].joint->set->mu - state->contact[i].friction));
    check_near("largest difference of a friction, 1", largest, 0.0, 0.0);
    for (int i = 0; i < CONTACTS; i++) state->contact[i].friction = 0.5 + 0.01 * ((i + round) % CONTACTS);
  }
  hn_state_free(state);
  hn_system_free(s);
  hn_model_free(model);
}

/* eval and jet of a contact agree at rest. */
static void rows_agree_with_their_jets(void **unused)
{
  (void)unused;
  hn_error error;
  hn_model *model = model_with_contacts(1, true);
  int box = add_box(model, "box", 0.3, 0.4, 0.5);
  hn_system *s = hn_system_create(model, &error);
  hn_state *state = hn_state_create(model);
  hn_contact contact = above_ground(1, box, 0.1, -0.2, 0.3);
  contact.skin_a = 0.02, contact.skin_b = 0.03, contact.friction = 0.5;
  hn_state_add_contact(state, &contact);
  assert_true(hn_system_begin(s, state) == HN_CONVERGED);
  const hn_joint *joint = s->block[0].joint;
  double g[3], G_a[18], G_b[18], jet_g[3], jet_a[18], jet_b[18], work[64] = { 0 };
  hn_body_power ground = { .q = { 1, 0, 0, 0 }, .R = { 1, 0, 0, 0, 1, 0, 0, 0, 1 } }, of_box = { .x = { 0 } };
  hn_body_jet a = { 1, &ground }, b = { 1, &of_box };
  memcpy(of_box.x, state->pose[box].x, sizeof of_box.x),
    memcpy(of_box.q, state->pose[box].q, sizeof of_box.q);
  quat_matrix(of_box.R, state->pose[box].q);
  joint->type->eval(joint, 0.0, &state->pose[0], &state->twist[0], &state->pose[box], &state->twist[box],
                    &(hn_rows){ .g = g, .G_a = G_a, .G_b = G_b });
  joint->type->jet(joint, 0.0, &a, &b, 0, work, jet_g, jet_a, jet_b);
  double apart = 0.0;
  for (int i = 0; i < 3; i++) apart = fmax(apart, fabs(g[i] - jet_g[i]));
  for (int i = 0; i < 18; i++) apart = fmax(apart, fmax(fabs(G_a[i] - jet_a[i]), fabs(G_b[i] - jet_b[i])));
  check_near("gap, m", g[0], 0.4 - 0.2 - 0.05, 1e-15);
  check_below("eval less jet", apart, 1e-15);
  hn_state_free(state);
  hn_system_free(s);
  hn_model_free(model);
}

/* ---- Motion -------------------------------------------------------------------------------------------- */

/* Runs a bead on a vertical rail, 1 m above its stop: a limit of the rail, or a contact. */
static hn_state *drop(const char *solver_spec, bool by_contact, double restitution)
{
  hn_error error;
  char settings[64];
  hn_model *model = by_contact ? model_with_contacts(1, false) : new_model();
  int bead = add_box(model, "bead", 0, 1, 0);
  snprintf(settings, sizeof settings, "lower=-1,restitution=%.17g", restitution);
  const hn_joint_spec rail = { .type = "slider",
                               .name = "rail",
                               .b = bead,
                               .has_points = true,
                               .at_a = { 0, 1, 0 },
                               .at_b = { 0, 1, 0 },
                               .axis_a = { 0, 1, 0 } };
  hn_joint_spec stop = rail;
  stop.type = "limit_position", stop.name = "stop", stop.settings = settings;
  assert_true(hn_model_add_joint(model, &rail, &error) >= 0);
  if (!by_contact) assert_true(hn_model_add_joint(model, &stop, &error) >= 0);
  if (by_contact && restitution > 0) model->needs |= HN_CAN_BOUNCE;
  hn_solver *solver = new_solver(solver_spec, model);
  hn_state *state = hn_state_create(model);
  hn_contact contact = above_ground(1, bead, 0, 0, 0);
  contact.restitution = restitution;
  if (by_contact) hn_state_add_contact(state, &contact);
  for (int i = 0; i < 200; i++) assert_true(hn_solver_step(solver, state, 0.005) == HN_CONVERGED);
  hn_solver_free(solver);
  hn_model_free(model);
  return state;
}

static void a_contact_moves_like_a_limit(void **unused)
{
  (void)unused;
  for (int m = 0; m < SOLVERS; m++)
    for (int e = 0; e < 2; e++) {
      char what[80];
      hn_state *limit = drop(solver_specs[m], false, 0.5 * e),
               *contact = drop(solver_specs[m], true, 0.5 * e);
      snprintf(what, sizeof what, "%s, restitution %g: contact less limit, m", solver_specs[m], 0.5 * e);
      check_below(what, contact->pose[1].x[1] - limit->pose[1].x[1], 1e-12);
      check_below("  m/s", contact->twist[1].v[1] - limit->twist[1].v[1], 1e-12);
      if (e == 0) check_below("  height at rest, m", limit->pose[1].x[1], 1e-4);
      hn_state_free(limit), hn_state_free(contact);
    }
}

/* Gives the box, before step I, three feet out of a ring of six; after every 50 steps the other three. Three
 * at a time, because a fourth is redundant. */
static void set_feet(hn_state *state, int box, int i)
{
  const int first = i / 50 % 2;
  if (i % 50 > 0) return;
  for (int foot = 0; foot < 6; foot++) {
    const double angle = foot * M_PI / 3.0;
    hn_contact contact = above_ground((uint64_t)foot + 1, box, 0.5 * cos(angle), -0.5, 0.5 * sin(angle));
    if (foot % 2 != first) hn_state_remove_contact(state, contact.key);
    else assert_true(hn_state_add_contact(state, &contact) == HN_CONVERGED);
  }
}

static void contacts_appear_and_disappear(void **unused)
{
  (void)unused;
  const double h = 0.005;
  for (int m = 0; m < SOLVERS; m++) {
    hn_model *model = model_with_contacts(6, false);
    hn_body_spec spec = rigid_body("box", 2, 1, 1, 1);
    spec.position[1] = 0.5;
    int box = must_add(model, &spec);
    hn_solver *solver = new_solver(solver_specs[m], model);
    hn_state *state = hn_state_create(model);
    double pushed = 0.0;
    for (int i = 0; i < 200; i++) {
      set_feet(state, box, i);
      assert_true(hn_solver_step(solver, state, h) == HN_CONVERGED);
    }
    for (int c = 0; c < state->ncontact; c++) pushed += state->contact[c].impulse[0];
    printf("  %s\n", solver_specs[m]);
    check_below("  box moved, m", state->pose[box].x[1] - 0.5, 1e-4);
    check_near("  impulse of a step over m g h", pushed / (2 * 9.81 * h), 1.0, 1e-2);
    if (strcmp(solver_specs[m], "impulse-sle") == 0)
      ASSERT_COUNT("  patterns analysed anew", solver->system->work.analyses, 4);
    hn_state_free(state);
    hn_solver_free(solver);
    hn_model_free(model);
  }
}

/* One of four feet is redundant: their impulses are not unique, but the sum is. */
static void four_feet_are_redundant(void **unused)
{
  (void)unused;
  hn_error error;
  const double h = 0.005;
  for (int m = 0; m < SOLVERS; m++) {
    hn_model *model = model_with_contacts(4, false);
    hn_body_spec spec = rigid_body("table", 2, 1, 1, 1);
    spec.position[1] = 0.5;
    int table = must_add(model, &spec);
    hn_solver *solver = new_solver(solver_specs[m], model);
    hn_state *state = hn_state_create(model);
    double pushed = 0.0;
    for (int c = 0; c < 4; c++) {
      hn_contact contact = above_ground((uint64_t)c, table, c % 2 ? 0.5 : -0.5, -0.5, c / 2 ? 0.5 : -0.5);
      hn_state_add_contact(state, &contact);
    }
    for (int i = 0; i < 100; i++) assert_true(hn_solver_step(solver, state, h) == HN_CONVERGED);
    for (int c = 0; c < 4; c++) pushed += state->contact[c].impulse[0];
    printf("  %s\n", solver_specs[m]);
    check_below("  table moved, m", state->pose[table].x[1] - 0.5, 1e-4);
    check_near("  impulse of a step over m g h", pushed / (2 * 9.81 * h), 1.0, 1e-2);
    if (m == 0) { /* its rank, with all feet held */
      char name[32];
      hn_system_hold_all(solver->system);
      hn_system_jacobian(solver->system, state);
      hn_rank *rank = hn_rank_create(solver->system, HN_RANK_AUTO, &error);
      ASSERT_COUNT("  rank", (unsigned)rank->rank, 3);
      int next = 0;
      assert_true(hn_rank_name(rank, model, &next, name, sizeof name) && strcmp(name, "contact[4]") == 0);
      assert_false(hn_rank_name(rank, model, &next, name, sizeof name));
      hn_rank_free(rank);
    }
    hn_state_free(state);
    hn_solver_free(solver);
    hn_model_free(model);
  }
}

/* ---- Solvers without the capability -------------------------------------------------------------------- */

static void refusals_name_capable_solvers(void **unused)
{
  (void)unused;
  hn_error error = { "" };
  hn_model *smooth = model_with_contacts(4, false), *rough = model_with_contacts(4, true);
  assert_null(hn_solver_create("taylor", smooth, &error));
  printf("  %s\n", error.text);
  assert_non_null(strstr(error.text, "contacts that come and go"));
  for (int m = 0; m < SOLVERS; m++) assert_non_null(strstr(error.text, solver_specs[m]));
  assert_null(hn_solver_create("impulse-sle", rough, &error));
  printf("  %s\n", error.text);
  assert_non_null(strstr(error.text, "contacts with friction"));
  assert_int_equal(hn_model_reserve_contacts(smooth, 0, false, &error), -1);
  printf("  %s\n", error.text);
  hn_model_free(smooth), hn_model_free(rough);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(contacts_are_kept_by_key),
    cmocka_unit_test(a_model_has_room_for_millions_of_contacts),
    cmocka_unit_test(the_pattern_follows_keys_alone),
    cmocka_unit_test(each_contact_has_its_coefficients),
    cmocka_unit_test(rows_agree_with_their_jets),
    cmocka_unit_test(a_contact_moves_like_a_limit),
    cmocka_unit_test(contacts_appear_and_disappear),
    cmocka_unit_test(four_feet_are_redundant),
    cmocka_unit_test(refusals_name_capable_solvers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
