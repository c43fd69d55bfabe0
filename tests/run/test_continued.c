/* test_continued.c - a run whose control edits the model continues like a new run: of a scene that never had
 * the removed elements, or has the added ones from the start, from the same state and time. Equal to the
 * bit. And the edited model itself: its start, its removed bodies, its elements. */
#include "heard.h"

enum { BEFORE = 32, STEPS = 96, KEPT = 5 }; /* steps before the edit, of the whole run; bodies that stay */
static const double h = 1.0 / 128;          /* exact, so that both runs have the same times */

/* ---- Removed elements ---------------------------------------------------------------------------------- */

/* A box slides on a floor under a force that changes with time, a rotor is driven by a function of time. A
 * ball lies on a shelf, which is bolted to the ground and tied to the box; the box is tied to the ground as
 * well. The removed elements stand between those that stay. The shelf is the last body, so that all numbers
 * agree. */
#define FIRST_BODIES                                                                                        \
  FLOOR(", friction = 0.5")                                                                                 \
  "local box = sys:body { name = 'box', mass = 2, shape = scene.box { 0.4, 0.2, 0.4 }, friction = 0.4,\n"   \
  "  position = { 0, 0.1, 0 }, velocity = { 1, 0, 0.3 } }\n"                                                \
  "local rotor = sys:body { name = 'rotor', mass = 1, inertia = { 0.1, 0.2, 0.3 }, position = { 0, 3, 0 }," \
  "\n  velocity = { 0, -0.42, 0 }, angular_velocity = { 0, 0, 2.1 } }\n"                                    \
  "sys:body { name = 'ball', mass = 1, shape = scene.sphere { radius = 0.1 }, friction = 0.3,\n"            \
  "  position = { 3, 0.6, 0 } }\n"
#define SHELF                                                                                               \
  "local shelf = sys:body { name = 'shelf', mass = 4, shape = scene.box { 0.6, 0.1, 0.6 }, friction = 0.3," \
  "\n  position = { 3, 0.45, 0 } }\n"
#define BOLT "sys:fixed { sys.ground, shelf, at = { 3, 0.45, 0 }, name = 'bolt' }\n"
#define TIES                                                                                 \
  "sys:spring { sys.ground, box, at_a = { -2, 1, 0 }, at_b = { 0, 0.1, 0 }, name = 'tie',\n" \
  "  stiffness = 30 }\n"                                                                     \
  "sys:spring { box, shelf, at_a = { 0, 0.1, 0 }, at_b = { 3, 0.45, 0 }, name = 'line',\n"   \
  "  stiffness = 20 }\n"
#define AXLE                                                                                 \
  "sys:hinge { sys.ground, rotor, at = { 0.2, 3, 0 }, axis = { 0, 0, 1 }, name = 'axle' }\n" \
  "sys:drive_angle { sys.ground, rotor, axis = { 0, 0, 1 }, name = 'drive',\n"               \
  "  motion = { amplitude = 0.7, frequency = 3 } }\n"
#define PUSH                                                                   \
  "sys:force { box, at = { 0, 0.1, 0 }, force = { 0, 0, 4 }, name = 'push',\n" \
  "  motion = { amplitude = 1, frequency = 9 } }\n"
#define COLLIDE "sys:contact { margin = 0.02 }\n"

static const char with_shelf[] = FIRST_BODIES SHELF BOLT AXLE TIES PUSH COLLIDE
  "sys:control(function(t, s) if t == 0.25 then sys:remove(shelf) sys:remove('tie') end end)\nreturn sys";
static const char without_shelf[] = FIRST_BODIES AXLE PUSH COLLIDE "return sys";

/* The state before the edit, and the events of all steps after that which follows it. */
typedef struct course {
  long first; /* step after which events are recorded */
  hn_state *before;
  heard heard;
} course;

static bool record_course(void *user, const hn_frame *frame)
{
  course *c = user;
  if (frame->index == BEFORE && c->before == NULL) c->before = hn_state_duplicate(frame->state);
  return frame->index <= c->first || record_events(&c->heard, frame);
}

/* Copies motion, time and contacts of FROM, a state with more bodies. */
static void start_from(hn_state *to, const hn_state *from)
{
  to->time = from->time, to->ncontact = 0;
  memcpy(to->pose, from->pose, sizeof *to->pose * (size_t)to->nbody);
  memcpy(to->twist, from->twist, sizeof *to->twist * (size_t)to->nbody);
  for (const hn_contact *c = from->contact; c < from->contact + from->ncontact; c++)
    if (c->a < to->nbody && c->b < to->nbody) to->contact[to->ncontact++] = *c;
}

/* Runs the written scene from FROM for the rest of the time. */
static trial go_on(const char *spec, const hn_state *from, course *c)
{
  hn_error error;
  trial r = { .scene = load_written(NULL, 0) };
  r.solver = hn_solver_create(spec, r.scene->model, &error);
  if (!r.solver) fail_msg("%s", error.text);
  r.state = hn_state_create(r.scene->model);
  assert_non_null(r.state);
  start_from(r.state, from);
  hn_run_options options = {
    .step = h, .duration = (STEPS - BEFORE) * h, .observe = record_course, .user = c
  };
  r.reason = hn_run(r.solver, r.state, &options, &r.summary);
  if (r.reason != HN_CONVERGED) fail_msg("%s", r.summary.explanation);
  return r;
}

/* Returns the largest difference of the motion of COUNT bodies. */
static double difference(const hn_state *a, const hn_state *b, int count)
{
  double most = fabs(a->time - b->time);
  const double *x = (const double *)a->pose, *y = (const double *)b->pose;
  for (size_t i = 0; i < (size_t)count * sizeof *a->pose / sizeof *x; i++)
    most = larger(most, fabs(x[i] - y[i]));
  x = (const double *)a->twist, y = (const double *)b->twist;
  for (size_t i = 0; i < (size_t)count * sizeof *a->twist / sizeof *x; i++)
    most = larger(most, fabs(x[i] - y[i]));
  return most;
}

/* Checks that A and B report the same events of bodies and joints at the same times. */
static void check_events(const heard *a, const heard *b)
{
  ASSERT_COUNT("events", (unsigned)a->count, (unsigned)b->count);
  for (int i = 0; i < a->count; i++) {
    const hn_event *one = &a->event[i], *other = &b->event[i];
    assert_true(one->kind == other->kind && one->a == other->a && one->b == other->b);
    if (one->time != other->time) fail_msg("times %.17g and %.17g", one->time, other->time);
  }
}

static void check_contacts(const hn_state *a, const hn_state *b)
{
  ASSERT_COUNT("contacts", (unsigned)a->ncontact, (unsigned)b->ncontact);
  double most = 0;
  for (int i = 0; i < a->ncontact; i++) {
    assert_true(a->contact[i].key == b->contact[i].key);
    for (int c = 0; c < 3; c++)
      most = larger(most, fabs(a->contact[i].impulse[c] - b->contact[i].impulse[c]));
  }
  check_below("difference of their impulses, N s", most, 0);
}

/* Checks that the models have the same elements, and bodies of the same kind and mass up to number COUNT. */
static void check_elements(const hn_model *a, const hn_model *b, int count)
{
  ASSERT_COUNT("joints", (unsigned)a->njoint, (unsigned)b->njoint);
  ASSERT_COUNT("rows", (unsigned)a->nrow, (unsigned)b->nrow);
  ASSERT_COUNT("forces", (unsigned)a->nforce, (unsigned)b->nforce);
  for (int j = 0; j < a->njoint; j++) {
    assert_string_equal(a->joint[j].name, b->joint[j].name);
    assert_true(a->joint[j].row == b->joint[j].row && a->joint[j].type == b->joint[j].type &&
                a->joint[j].a == b->joint[j].a && a->joint[j].b == b->joint[j].b);
  }
  for (int f = 0; f < a->nforce; f++) {
    assert_string_equal(a->force[f].name, b->force[f].name);
    assert_true(a->force[f].rows.a == b->force[f].rows.a && a->force[f].rows.b == b->force[f].rows.b);
  }
  for (int i = 0; i < count; i++) {
    assert_true(a->body[i].kind == b->body[i].kind && a->body[i].mass == b->body[i].mass);
    assert_memory_equal(a->body[i].J, b->body[i].J, sizeof a->body[i].J);
    assert_memory_equal(a->body[i].gravity, b->body[i].gravity, sizeof a->body[i].gravity);
  }
}

/* With an iterative contact solver that stops early, the impulses of the state decide the last bits. */
static void runs_go_on_without_removed_elements(void **unused)
{
  (void)unused;
  static const char *const specs[] = { "impulse-contact", "moreau",
                                       "moreau:contact=pgs,contact_tolerance=1e-4", "events" };
  for (size_t m = 0; m < sizeof specs / sizeof *specs; m++) {
    static course edited, fresh;
    edited = (course){ .first = BEFORE + 1 }, fresh = (course){ .first = 1 };
    puts(specs[m]);
    write_scene(with_shelf);
    trial a = run_spec(specs[m], h, STEPS * h, record_course, &edited);
    if (a.reason != HN_CONVERGED) fail_msg("%s", a.summary.explanation);
    write_scene(without_shelf);
    trial b = go_on(specs[m], edited.before, &fresh);
    ASSERT_COUNT("contacts with the shelf at the edit, and others", (unsigned)edited.before->ncontact, 5);
    ASSERT_COUNT("removed: shelf, bolt, tie, line", a.summary.events[HN_EVENT_REMOVED], 4);
    check_elements(a.solver->system->model, b.scene->model, KEPT);
    check_below("height of the ball, on the floor again, less its radius, m", a.state->pose[4].x[1] - 0.1,
                1e-3);
    check_below("difference of times, positions and velocities", difference(a.state, b.state, KEPT), 0);
    check_contacts(a.state, b.state);
    check_events(&edited.heard, &fresh.heard);
    hn_state_free(edited.before), hn_state_free(fresh.before);
    done(&a), done(&b);
  }
}

/* ---- Added elements ------------------------------------------------------------------------------------ */

/* Particles, whose joint points are their centres. The law of the brake is defined for falling only, and `p`
 * falls from rest. */
#define MORE                                                                                                 \
  "sys:particle { name = 'r', mass = 1, position = { 4, 1, 2 }, velocity = { -1, 2, 0.5 } }\n"               \
  "sys:distance { sys.ground, 'q', at_a = { -1, 2, 0 }, at_b = { 1, 2, 0 }, name = 'rod' }\n"                \
  "sys:spring { 'q', 'r', stiffness = 40, length = 1, name = 'tie' }\n"                                      \
  "sys:axial_spring { sys.ground, 'p', at_a = { 0, 0, 0 }, at_b = at, axis = { 0, 1, 0 }, name = 'brake',\n" \
  "  law = function(t, x, v) return 0.5 * math.cos(t) - math.log(-v) end }\n"

/* Writes the scene of the particles at STATE, with the added elements. */
static void write_particles_at(const hn_state *state)
{
  char text[2000];
  int length = 0;
  static const char *const form[] = {
    "sys:particle { name = 'p', mass = 2, position = { %.17g, %.17g, %.17g },\n"
    "  velocity = { %.17g, %.17g, %.17g } }\n",
    "sys:particle { name = 'q', mass = 3, gravity = { 0, 0, 0 }, position = { %.17g, %.17g, %.17g },\n"
    "  velocity = { %.17g, %.17g, %.17g } }\n",
  };
  for (int i = 0; i < 2; i++) {
    const double *x = state->pose[1 + i].x, *v = state->twist[1 + i].v;
    length += snprintf(text + length, sizeof text - (size_t)length, form[i], x[0], x[1], x[2], v[0], v[1],
                       v[2]);
  }
  snprintf(text + length, sizeof text - (size_t)length,
           "local at = { %.17g, %.17g, %.17g }\n" MORE "return sys", state->pose[1].x[0], state->pose[1].x[1],
           state->pose[1].x[2]);
  write_scene(text);
}

/* The particle q rests until the rod and the spring are attached to it. */
static void runs_go_on_with_added_elements(void **unused)
{
  (void)unused;
  static const char *const specs[] = { "impulse-sle", "lagrange", "taylor", "events" };
  for (size_t m = 0; m < sizeof specs / sizeof *specs; m++) {
    static course edited, fresh;
    edited = (course){ .first = BEFORE + 1 }, fresh = (course){ .first = 1 };
    puts(specs[m]);
    write_scene("sys:particle { name = 'p', mass = 2, position = { 3, 1, 2 } }\n"
                "sys:particle { name = 'q', mass = 3, position = { 1, 2, 0 }, gravity = { 0, 0, 0 } }\n"
                "sys:control(function(t, s) if t == 0.25 then local at = s:position('p')\n" MORE
                "end end)\nreturn sys");
    trial a = run_spec(specs[m], h, STEPS * h, record_course, &edited);
    if (a.reason != HN_CONVERGED) fail_msg("%s", a.summary.explanation);
    write_particles_at(edited.before);
    hn_scene *scene = load_written(NULL, 0);
    hn_state *start = hn_state_create(scene->model);
    assert_non_null(start);
    start->time = edited.before->time;
    trial b = go_on(specs[m], start, &fresh);
    check_elements(a.solver->system->model, b.scene->model, 2);
    check_below("difference of times, positions and velocities", difference(a.state, b.state, 4), 0);
    check_events(&edited.heard, &fresh.heard);
    hn_state_free(start), hn_scene_free(scene), hn_state_free(edited.before), hn_state_free(fresh.before);
    done(&a), done(&b);
  }
}

/* ---- The edited model ---------------------------------------------------------------------------------- */

/* The start of an edited model is the state at which it was made. A removed body has no mass, inertia and
 * weight, and stands still, like the ground. Its joints and forces are gone, whichever of their bodies it
 * is. */
static void edited_models_start_at_the_state(void **unused)
{
  (void)unused;
  hn_error error;
  write_scene(without_shelf);
  hn_scene *built = load_written(NULL, 0);
  write_scene(with_shelf);
  hn_scene *scene = load_written(NULL, 0);
  hn_state *state = hn_state_create(scene->model);
  for (int i = 1; i < state->nbody; i++)
    for (int c = 0; c < 3; c++)
      state->pose[i].x[c] += 0.1 * i, state->twist[i].w[c] += 0.3 - i, state->twist[i].v[c] -= i;
  const bool body[KEPT + 1] = { [KEPT] = true }, force[] = { true, false, false };
  const hn_model_edit edit = { .body = body, .force = force };
  hn_model *model = hn_model_change(scene->model, state, &edit, &error);
  if (!model) fail_msg("%s", error.text);
  check_elements(model, built->model, KEPT);
  hn_state *start = hn_state_create(model);
  check_below("difference of the start from the state", difference(start, state, KEPT), 0);
  const hn_body *gone = &model->body[KEPT], *ground = &model->body[0];
  assert_true(gone->gone && gone->kind == HN_FIXED);
  check_near("mass of the removed body, kg", gone->mass, ground->mass, 0);
  check_near("its inverse, 1/kg", gone->inv_mass, ground->inv_mass, 0);
  assert_memory_equal(gone->J, ground->J, sizeof gone->J);
  assert_memory_equal(gone->inv_J, ground->inv_J, sizeof gone->inv_J);
  assert_memory_equal(gone->gravity, ground->gravity, sizeof gone->gravity);
  assert_memory_equal(&start->twist[KEPT], &start->twist[0], sizeof start->twist[0]);
  assert_memory_equal(&start->pose[KEPT], &state->pose[KEPT], sizeof start->pose[0]);
  hn_state_free(start), hn_model_free(model), hn_state_free(state);
  hn_scene_free(scene), hn_scene_free(built);
}

/* ---- A failed call ------------------------------------------------------------------------------------- */

/* If control fails after its edits, the caller is given the error and no model. */
static void failed_control_makes_no_model(void **unused)
{
  (void)unused;
  for (int fails = 0; fails < 2; fails++) {
    char text[400];
    hn_error error = { "" };
    snprintf(text, sizeof text,
             "local p = sys:particle { name = 'p', mass = 2, position = { 3, 1, 2 } }\n"
             "sys:control(function(t, s) sys:remove(p) %s end)\nreturn sys",
             fails ? "error('of mine')" : "");
    write_scene(text);
    hn_scene *scene = load_written(NULL, 0);
    hn_control *control = hn_control_create(scene, &error);
    if (!control) fail_msg("%s", error.text);
    hn_state *state = hn_state_create(scene->model);
    hn_control_context moment = { .state = state, .model = scene->model };
    assert_int_equal(hn_control_step(control, &moment, &error), fails ? -1 : 0);
    printf("  %s%s\n", moment.changed ? "a model" : "no model, ", error.text);
    assert_true(!moment.changed == (fails == 1) && !strstr(error.text, "of mine") == (fails == 0));
    if (moment.changed) hn_model_free(moment.changed);
    hn_state_free(state), hn_control_free(control), hn_scene_free(scene);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(runs_go_on_without_removed_elements),
    cmocka_unit_test(runs_go_on_with_added_elements),
    cmocka_unit_test(edited_models_start_at_the_state),
    cmocka_unit_test(failed_control_makes_no_model),
  };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
