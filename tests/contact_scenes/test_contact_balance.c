/* test_contact_balance.c - momentum of every free body, recomputed from the two files of a record alone: in
 * every step it changes by the impulses of its contacts and by gravity or a constant force, for every
 * solver. */
#include "scenes.h"
#include "tables.h"
#include "written.h"
#include "base/vec.h"

#include <math.h>

enum { MOST_BODIES = 8, MOST_STEPS = 500 };

/* ---- Momenta ------------------------------------------------------------------------------------------- */

typedef struct momentum {
  double x[3], p[3], L[3]; /* centre of mass, momentum, angular momentum about it */
} momentum;

/* Largest discrepancies of a record: linear, N s; angular by the moments, and by the points of action, N m
 * s. */
typedef struct discrepancy {
  double linear, angular, by_point;
} discrepancy;

typedef struct books {
  const hn_model *model;
  momentum at[MOST_STEPS + 1][MOST_BODIES];
  double given[MOST_STEPS + 1][MOST_BODIES][6]; /* impulses of contacts of a step and their moments */
  double by_point[MOST_STEPS + 1][MOST_BODIES][3];
  double h, largest, pushed[MOST_STEPS + 1]; /* s; largest impulse of a line; sum of normal impulses */
  int steps;
  discrepancy most;
} books;

/* Computes the momentum of BODY from its columns. */
static void read_body(const table *t, const hn_body *body, momentum *m)
{
  char start[200];
  double q[4], w[3], v[3], w_b[3];
  snprintf(start, sizeof start, "%s.", body->name);
  read_columns(t, start, "xyz", m->x);
  snprintf(start, sizeof start, "%s.q", body->name);
  read_columns(t, start, "wxyz", q);
  snprintf(start, sizeof start, "%s.v", body->name);
  read_columns(t, start, "xyz", v);
  snprintf(start, sizeof start, "%s.w", body->name);
  read_columns(t, start, "xyz", w);
  vec_scale(m->p, body->mass, v);
  quat_unrotate(w_b, q, w);
  for (int c = 0; c < 3; c++) w_b[c] *= body->J[c];
  quat_rotate(m->L, q, w_b);
}

static void read_trajectory(books *b, const char *file)
{
  table t = open_table(file);
  for (b->steps = -1; next_line(&t);) {
    assert_true(++b->steps <= MOST_STEPS);
    for (int i = 1; i < b->model->nbody; i++)
      if (b->model->body[i].kind != HN_FIXED) read_body(&t, &b->model->body[i], &b->at[b->steps][i]);
  }
  close_table(&t);
}

/* Adds the impulse of the present line to the body of SIDE, 'a' or 'b'. */
static void add_line(books *b, const table *t, char side)
{
  char name[16];
  double n[3], p[3], x[3], moment[3], arm[3];
  snprintf(name, sizeof name, "body_%c", side);
  const int body = hn_model_find_body(b->model, field(t, name), NULL), step = atoi(field(t, "step"));
  read_columns(t, "", "xyz", x);
  read_columns(t, "normal_", "xyz", n);
  read_columns(t, "friction_", "xyz", p);
  vec_add_scaled(p, strtod(field(t, "normal_impulse"), NULL), n);
  vec_scale(p, side == 'b' ? 1.0 : -1.0, p);
  snprintf(name, sizeof name, "moment_%c_", side);
  read_columns(t, name, "xyz", moment);
  b->largest = fmax(b->largest, vec_norm(p));
  if (side == 'b') b->pushed[step] += strtod(field(t, "normal_impulse"), NULL);
  for (int c = 0; c < 3; c++) b->given[step][body][c] += p[c], b->given[step][body][3 + c] += moment[c];
  vec_sub(arm, x, b->at[step - 1][body].x);
  vec_cross(moment, arm, p);
  vec_add(b->by_point[step][body], b->by_point[step][body], moment);
}

static void read_contacts(books *b, const char *file)
{
  table t = open_table(file);
  while (next_line(&t)) add_line(b, &t, 'a'), add_line(b, &t, 'b');
  close_table(&t);
}

/* FORCE: a constant one on body FORCED. */
static discrepancy weigh(const books *b, int forced, const double force[3])
{
  discrepancy most = { 0 };
  for (int k = 1; k <= b->steps; k++)
    for (int i = 1; i < b->model->nbody; i++) {
      const hn_body *body = &b->model->body[i];
      const momentum *now = &b->at[k][i], *before = &b->at[k - 1][i];
      for (int c = 0; c < 3 && body->kind != HN_FIXED; c++) {
        const double pull = body->mass * b->model->gravity[c] + (i == forced ? force[c] : 0.0);
        const double turn = now->L[c] - before->L[c];
        most.linear = larger(most.linear, fabs(now->p[c] - before->p[c] - b->h * pull - b->given[k][i][c]));
        most.angular = larger(most.angular, fabs(turn - b->given[k][i][3 + c]));
        most.by_point = larger(most.by_point, fabs(turn - b->by_point[k][i][c]));
      }
    }
  return most;
}

/* ---- Runs ---------------------------------------------------------------------------------------------- */

typedef struct written_scene {
  const char *name, *text;
  double step, duration;
  bool round;     /* moments of inertia are equal, or all motion is in a plane */
  bool one_moves; /* of the bodies of each contact: its point of action gives the moment */
  const char *forced;
  double force[3];
} written_scene;

static const char floor_line[] =
  "sys:body { name = 'floor', fixed = true, position = { 0, 0, 0 }, friction = 0.3,\n"
  "  shape = scene.plane { normal = { 0, 1, 0 } } }\n";

static const written_scene scenes[] = {
  { "a spinning ball that bounces",
    "sys:body { name = 'ball', shape = scene.sphere { radius = 0.1 }, density = 1000, restitution = 0.6,\n"
    "  position = { 0, 0.5, 0 }, velocity = { 1, 0, 0.5 }, angular_velocity = { 0, 0, 20 }, "
    "friction = 0.3 }\n",
    0.01,
    2.0,
    true,
    true,
    NULL,
    { 0 } },
  { "a box that slides to a stop",
    "sys:body { name = 'box', shape = scene.box { 0.4, 0.2, 0.3 }, density = 1000, "
    "position = { 0, 0.1, 0 },\n"
    "  velocity = { 1, 0, 0.5 }, friction = 0.3 }\n",
    0.01,
    0.6,
    true,
    true,
    NULL,
    { 0 } },
  { "a capsule that strikes and rolls",
    "sys:body { name = 'rod', shape = scene.capsule { radius = 0.05, height = 0.4 }, density = 1000,\n"
    "  position = { 0, 0.5, 0 }, axis_angle = { 1, 0, 0.3, 0.7 }, velocity = { 1, 0, 0.5 }, friction = 0.3,\n"
    "  angular_velocity = { 1, 2, 3 } }\n",
    0.01,
    0.6,
    false,
    true,
    NULL,
    { 0 } },
  { "a row of free balls, struck",
    "for i = 1, 5 do sys:body { name = 'ball' .. i, shape = scene.sphere { radius = 0.1 }, "
    "density = 1000 * i,\n"
    "  position = { i == 1 and -0.05 or 0.2 * i, 0.01 * i, 0 }, velocity = { i == 1 and 2 or 0, 0, 0 },\n"
    "  angular_velocity = { 0, 3, 20 }, friction = 0.3, restitution = 0.6 } end\n",
    0.01,
    0.5,
    true,
    false,
    NULL,
    { 0 } },
  { "a box on a box that is pulled",
    "sys:body { name = 'lower', shape = scene.box { 0.4, 0.2, 0.3 }, mass = 2, "
    "inertia = { 0.03, 0.04, 0.05 },\n"
    "  position = { 0, 0.1, 0 }, friction = 0.2 }\n"
    "sys:body { name = 'upper', shape = scene.box { 0.2, 0.2, 0.2 }, mass = 1, "
    "inertia = { 0.01, 0.01, 0.01 },\n"
    "  position = { 0.02, 0.3, 0.01 }, friction = 0.4 }\n"
    "sys:force { sys.ground, 'lower', at = { 0, 0.1, 0 }, force = { 12, 0, 0 } }\n",
    0.01,
    0.3,
    true,
    false,
    "lower",
    { 12, 0, 0 } },
};
enum { SCENES = sizeof scenes / sizeof *scenes };

/* A solver, and the balances that it satisfies to rounding. Semi-implicit Euler turns asymmetric bodies with
 * gyroscopic torques of the start of a step (moreau, tgs-soft), and xpbd takes angular velocities from
 * orientations. */
typedef struct balanced {
  const char *spec;
  bool angular, if_round;
} balanced;
static const balanced solvers[] = {
  { "events", true, true },
  { "events:inner=impulse-sle", true, true },
  { "impulse-contact", true, true },
  { "impulse-contact:restitution=newton", true, true },
  { "impulse-gs", true, true },
  { "moreau", false, true },
  { "moreau:stabilisation=baumgarte", false, true },
  { "moreau:sequence=chain,theta=0.5", false, true },
  { "tgs-soft", false, false },
  { "xpbd", false, false },
};
enum { SOLVERS = sizeof solvers / sizeof *solvers };

/* Bounds: rounding of momenta of up to 30 N s; order 2 of the inner solver for torques of 1 N m, h^2; and for
 * the angular momentum of the solvers above w h of the largest, 0.4 N m s, w = 25 rad/s. */
static const double rounding = 1e-11, integration = 1e-4, angular_order_one = 0.1;

/* Writes SCENE, whose body may be free in space without a floor. */
static void write_whole_scene(const written_scene *scene)
{
  char text[3000];
  const bool floats = !scene->forced && !scene->one_moves;
  const int length = snprintf(
    text, sizeof text,
    "local scene = require 'holonom.scene' local sys = scene.system { gravity = { 0, %s, 0 } }\n%s%s%s",
    floats ? "0" : "-9.81", floats ? "" : floor_line, scene->text,
    "sys:contact { margin = 0.02, threshold = 0.05 }\n"
    "sys:defaults { solver = 'moreau', step = 0.01, duration = 1 } return sys");
  assert_true(length > 0 && (size_t)length < sizeof text);
  write_bytes(text, (size_t)length);
}

/* Runs SCENE with SPEC, recorded, and reads its record into B. Returns the hash of the run, of a second one
 * without a record if PLAIN. */
static uint64_t run_and_read(const written_scene *scene, const char *spec, double step, books *b, bool plain)
{
  char file[80], contacts[80];
  hn_error error;
  snprintf(file, sizeof file, "%s/x.csv", directory);
  snprintf(contacts, sizeof contacts, "%s/x.contacts.csv", directory);
  bench one = set_up(path, spec);
  if (plain) {
    must_converge(&one, step, scene->duration, NULL, NULL);
  } else {
    hn_record *record = hn_record_create(file, one.model, &(hn_record_options){ .contacts = true }, &error);
    assert_non_null(record);
    assert_int_equal(hn_solver_keep_impulses(one.solver, &error), 0);
    must_converge(&one, step, scene->duration, hn_record_frame, record);
    assert_int_equal(hn_record_close(record, &error), 0);
    memset(b, 0, sizeof *b);
    b->model = one.model, b->h = step;
    read_trajectory(b, file), read_contacts(b, contacts);
    b->most = weigh(b, scene->forced ? body_named(&one, scene->forced) : 0, scene->force);
    b->model = NULL;
    assert_int_equal(unlink(file) | unlink(contacts), 0);
  }
  const uint64_t hash = one.summary.hash;
  tear_down(&one);
  return hash;
}

/* ---- Tests --------------------------------------------------------------------------------------------- */

static books account; /* the record under test */

/* The capsule rolls and turns between events: its angular momentum balances to the accuracy of the inner
 * solver. */
static bool varies(const written_scene *scene, const char *spec)
{
  return !scene->round && strncmp(spec, "events", 6) == 0;
}

static void every_step_balances(void **unused)
{
  (void)unused;
  for (int s = 0; s < SCENES; s++) {
    const written_scene *scene = &scenes[s];
    write_whole_scene(scene);
    for (int k = 0; k < SOLVERS; k++) {
      const balanced *solver = &solvers[k];
      run_and_read(scene, solver->spec, scene->step, &account, false);
      const double bound = varies(scene, solver->spec) ? integration : rounding;
      const bool exact = solver->angular || (solver->if_round && scene->round);
      printf("  %s, %s: impulses up to %.3g N s\n", scene->name, solver->spec, account.largest);
      assert_true(account.largest > 0.05);
      check_below("linear momentum, N s", account.most.linear, rounding);
      check_below("angular momentum, N m s", account.most.angular, exact ? bound : angular_order_one);
      if (exact && scene->one_moves && scene->round)
        check_below("the same by points of action", account.most.by_point, rounding);
    }
  }
}

/* p = m (1 + e) v with v^2 = 2 g (0.5 m - 0.1 m) in the step of the first impact, at 0.2856 s, where nothing
 * else pushes. */
static void a_bounce_has_a_line(void **unused)
{
  (void)unused;
  const double m = 1000 * 4.0 / 3.0 * acos(-1.0) * 1e-3, v = sqrt(2.0 * 9.81 * 0.4);
  static const char *const specs[] = { "events", "impulse-contact" };
  write_whole_scene(&scenes[0]);
  for (int k = 0; k < 2; k++) {
    run_and_read(&scenes[0], specs[k], 0.01, &account, false);
    printf("  %s\n", specs[k]);
    check_near("normal impulse of the first impact, N s", account.pushed[29], m * 1.6 * v, 1e-9);
    check_below("of the steps beside it", fmax(account.pushed[28], account.pushed[30]), 0.0);
  }
}

/* The angular momentum of `events` balances the better the shorter the steps: order 1 or more, to an
 * eighth. */
static void smooth_forces_converge(void **unused)
{
  (void)unused;
  write_whole_scene(&scenes[2]);
  run_and_read(&scenes[2], "events", 0.01, &account, false);
  const double coarse = account.most.angular;
  run_and_read(&scenes[2], "events", 0.01 / 8, &account, false);
  check_below("angular, ratio of discrepancies", account.most.angular / coarse, 1.0 / 8);
}

static void recording_changes_no_bit(void **unused)
{
  (void)unused;
  for (int s = 0; s < SCENES; s++) {
    write_whole_scene(&scenes[s]);
    for (int k = 0; k < SOLVERS; k++)
      assert_true(run_and_read(&scenes[s], solvers[k].spec, 0.01, &account, false) ==
                  run_and_read(&scenes[s], solvers[k].spec, 0.01, &account, true));
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_step_balances),
    cmocka_unit_test(a_bounce_has_a_line),
    cmocka_unit_test(smooth_forces_converge),
    cmocka_unit_test(recording_changes_no_bit),
  };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
