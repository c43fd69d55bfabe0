/* test_contact_record.c - contacts in records: the impulses of the file sum to the momentum change of every
 * body, given in closed form, and every contact satisfies the law. */
#include "scenes.h"
#include "base/vec.h"

#include <stdlib.h>
#include <unistd.h>

/* A line of the file of contacts. */
typedef struct line {
  long step;
  double time;
  int a, b;
  char key[20];
  double x[3], normal[3], gap, push, friction[3], rate, slip[3];
} line;

typedef struct sums {
  double p[3], L[3]; /* impulses, and their moments about the centre of mass before the step */
} sums;

typedef struct recording {
  const hn_model *model;
  hn_record *record;
  char directory[40], path[64], contacts[64];
  hn_pose *centre; /* [steps + 1][nbody] */
  long count;
} recording;

static bool record_frame(void *user, const hn_frame *frame)
{
  recording *r = user;
  for (int i = 0; i < r->model->nbody; i++)
    vec_copy(r->centre[r->count * r->model->nbody + i].x, frame->state->pose[i].x);
  r->count++;
  return hn_record_frame(r->record, frame);
}

/* Runs bench b for `steps` steps of h and records its contacts. */
static void record(recording *r, bench *b, double h, int steps)
{
  hn_error error;
  *r = (recording){ .model = b->model, .directory = "/tmp/holonom-contacts-XXXXXX" };
  assert_non_null(mkdtemp(r->directory));
  snprintf(r->path, sizeof r->path, "%s/x.csv", r->directory);
  snprintf(r->contacts, sizeof r->contacts, "%s/x.contacts.csv", r->directory);
  r->centre = calloc((size_t)(steps + 1) * (size_t)b->model->nbody, sizeof *r->centre);
  r->record = hn_record_create(r->path, b->model, &(hn_record_options){ .contacts = true }, &error);
  if (!r->record) fail_msg("%s", error.text);
  assert_int_equal(hn_solver_keep_impulses(b->solver, &error), 0);
  must_converge(b, h, h * steps, record_frame, r);
  if (hn_record_close(r->record, &error)) fail_msg("%s", error.text);
}

static void done(recording *r)
{
  assert_int_equal(unlink(r->path) | unlink(r->contacts) | rmdir(r->directory), 0);
  free(r->centre);
}

/* Returns the body whose quoted name (quotation marks doubled) starts at *text; moves *text behind it. */
static int read_body(const hn_model *model, char **text)
{
  char name[80], *to = name, *from = *text + 1;
  assert_int_equal(**text, '"');
  for (; *from != '"' || *++from == '"'; from++) *to++ = *from;
  *to = '\0';
  *text = from + 1;
  assert_int_equal(*from, ',');
  return hn_model_find_body(model, name, NULL);
}

static void read_line(const hn_model *model, char *text, line *l)
{
  double *const number[] = { &l->x[0],        &l->x[1], &l->x[2],    &l->normal[0],   &l->normal[1],
                             &l->normal[2],   &l->gap,  &l->push,    &l->friction[0], &l->friction[1],
                             &l->friction[2], &l->rate, &l->slip[0], &l->slip[1],     &l->slip[2] };
  l->step = strtol(text, &text, 10);
  l->time = strtod(text + 1, &text);
  text++;
  l->a = read_body(model, &text), l->b = read_body(model, &text);
  assert_int_equal(strcspn(text, ","), 16);
  memcpy(l->key, text, 16), l->key[16] = '\0';
  text += 16;
  for (size_t i = 0; i < sizeof number / sizeof *number; i++) {
    assert_int_equal(*text, ',');
    *number[i] = strtod(text + 1, &text);
  }
  assert_int_equal(*text, ','); /* moments follow */
}

/* Sums the impulses of every body, calls `visit` (may be NULL) with each line, and returns the number of
 * lines. */
static long sum_impulses(const recording *r, sums *of, void (*visit)(void *, const line *), void *user)
{
  static const char head[] =
    "step,time,body_a,body_b,key,x,y,z,normal_x,normal_y,normal_z,gap,normal_impulse,friction_x,"
    "friction_y,friction_z,normal_velocity,slip_x,slip_y,slip_z,moment_a_x,moment_a_y,moment_a_z,"
    "moment_b_x,moment_b_y,moment_b_z\n";
  char *text = NULL;
  size_t room = 0;
  long count = 0;
  FILE *file = fopen(r->contacts, "r");
  assert_non_null(file);
  assert_true(getline(&text, &room, file) > 0);
  assert_string_equal(text, head);
  for (; getline(&text, &room, file) > 0; count++) {
    line l;
    read_line(r->model, text, &l);
    for (int side = 0; side < 2; side++) {
      const int body = side ? l.b : l.a;
      double p[3], arm[3], moment[3];
      vec_scale(p, l.push, l.normal);
      vec_add(p, p, l.friction);
      vec_scale(p, side ? 1.0 : -1.0, p);
      vec_sub(arm, l.x, r->centre[(l.step - 1) * r->model->nbody + body].x);
      vec_cross(moment, arm, p);
      vec_add(of[body].p, of[body].p, p), vec_add(of[body].L, of[body].L, moment);
    }
    if (visit) visit(user, &l);
  }
  free(text);
  fclose(file);
  return count;
}

/* ---- Ten cubes slide down a slope ---------------------------------------------------------------------- */

typedef struct law {
  double normal_rate, misalignment, aside; /* friction against slip; friction along the normal, or gap */
} law;

static void check_law(void *user, const line *l)
{
  law *of = user;
  const double friction = vec_norm(l->friction), slip = vec_norm(l->slip);
  of->normal_rate = fmax(of->normal_rate, fabs(l->rate));
  of->misalignment = fmax(of->misalignment, fabs(vec_dot(l->friction, l->slip) + friction * slip));
  of->aside = fmax(of->aside, fmax(fabs(vec_dot(l->friction, l->normal)), fabs(l->gap)));
}

/* For t seconds friction is mu m g cos t and the normal force m g cos t. */
static void sliding_impulses_sum_to_the_closed_form(void **unused)
{
  (void)unused;
  enum { STEPS = 50 };
  const double h = 0.01, g = 9.81, slope = acos(-1.0) / 8, T = h * STEPS;
  recording r;
  law of = { 0 };
  bench b = set_up("sliding_cubes", "moreau:contact=newton,contact_tolerance=1e-13");
  record(&r, &b, h, STEPS);
  sums *sum = calloc((size_t)b.model->nbody, sizeof *sum);
  const long lines = sum_impulses(&r, sum, check_law, &of);
  ASSERT_COUNT("lines: four per cube and step", (unsigned)lines, 10 * 4 * STEPS);
  double worst = 0.0;
  for (int i = 2; i < b.model->nbody; i++) {
    const double mu = 0.535 + 0.035 * (i - 2);
    worst = larger(worst, fabs(sum[i].p[0] + mu * g * cos(slope) * T));
    worst = larger(worst, fabs(sum[i].p[1]));
    worst = larger(worst, fabs(sum[i].p[2] - g * cos(slope) * T));
    for (int c = 0; c < 3; c++) sum[0].p[c] += sum[i].p[c];
  }
  for (int c = 0; c < 3; c++)
    worst = larger(worst, fabs(sum[1].p[c] + sum[0].p[c]));          /* impulse on the slope */
  check_below("impulses from their closed form, N s", worst, 1e-10); /* 50 steps of 1e-13 m/s, times ten */
  check_below("normal velocities, m/s", of.normal_rate, 1e-12);
  check_below("misalignment of friction and slip, W s", of.misalignment, 1e-11); /* 5 N times 1e-12 m/s */
  check_below("gaps, m, and friction along normals, N s", of.aside, 1e-9); /* tolerance of the projection */
  free(sum);
  done(&r);
  tear_down(&b);
}

/* ---- Balls that roll on a tray that slides ------------------------------------------------------------- */

/* Compared: linear momentum of every body, less gravity and the pulling force; angular momentum of the balls
 * (spheres), with moments about the centre before the step. */
static void balls_and_tray_balance(void **unused)
{
  (void)unused;
  enum { STEPS = 40 };
  const double h = 0.001, g = 9.81, T = h * STEPS, pull_angle = acos(-1.0) / 3;
  recording r;
  bench b = set_up("ball_tray", "moreau:contact=newton,contact_tolerance=1e-13");
  record(&r, &b, h, STEPS);
  sums *sum = calloc((size_t)b.model->nbody, sizeof *sum);
  const long lines = sum_impulses(&r, sum, NULL, NULL);
  ASSERT_COUNT("lines", (unsigned)lines, 29 * STEPS);
  double linear = 0.0, angular = 0.0, rolling = 0.0;
  for (int i = 2; i < b.model->nbody; i++) {
    const hn_body *body = &b.model->body[i];
    const double pull[3] = { i == 2 ? 150 * cos(pull_angle) : 0.0, i == 2 ? 150 * sin(pull_angle) : 0.0,
                             -body->mass * g };
    for (int c = 0; c < 3; c++) {
      linear = larger(linear, fabs(sum[i].p[c] + T * pull[c] - body->mass * b.state->twist[i].v[c]));
      if (i > 2) angular = larger(angular, fabs(sum[i].L[c] - body->J[0] * b.state->twist[i].w[c]));
    }
  }
  const double a = (150 - 0.4 * (10 + 25) * g) / (10 + 25 / 3.5) / 3.5;
  for (int i = 3; i < b.model->nbody; i++)
    rolling = larger(rolling, fabs(hn_hypot(sum[i].p[0], sum[i].p[1]) - a * T));
  check_below("momentum that no impulse explains, N s", linear, 1e-11);
  check_below("angular momentum that no impulse explains, N m s", angular, 1e-11);
  check_below("friction on a ball from its closed form, N s", rolling, 1e-11);
  free(sum);
  done(&r);
  tear_down(&b);
}

/* ---- Two balls, off centre, in space ------------------------------------------------------------------- */

static void find_impact(void *user, const line *l)
{
  line *hit = user;
  if (l->push > 0.0) *hit = *l;
}

/* A spinning ball hits another free ball: p = (1 + e) m_r v_n along the line of centres, and limiting
 * friction against the slip. Both bodies move, so that the axes are those before the step. */
static void impact_between_moving_bodies(void **unused)
{
  (void)unused;
  const double none[3] = { 0 }, e = 0.5, mu = 0.1, h = 0.01;
  hn_model *model = hn_model_create(none);
  hn_body_spec ball = { .name = "one, \"two\"",
                        .kind = HN_RIGID,
                        .shape = { .kind = HN_SPHERE, .size = { 0.5 } },
                        .has_mass = true,
                        .mass = 2,
                        .orientation = { 1 },
                        .friction = mu,
                        .restitution = e,
                        .position = { 0 },
                        .velocity = { 1, 0.2, 0 },
                        .angular_velocity = { 0, 0, 20 } };
  hn_error error;
  const int one = hn_model_add_body(model, &ball, &error);
  ball.name = "other", ball.position[0] = 1.005, ball.velocity[0] = -1, ball.velocity[1] = 0.0, ball.mass = 3;
  ball.angular_velocity[1] = 7, ball.angular_velocity[2] = 0.0;
  const int other = hn_model_add_body(model, &ball, &error);
  assert_true(one == 1 && other == 2);
  assert_int_equal(hn_model_collide(model, &(hn_contact_spec){ .margin = 0.05, .threshold = 0.01 }, &error),
                   0);
  bench b = { .model = model,
              .solver = new_solver("moreau:contact=newton,contact_tolerance=1e-13", model),
              .state = hn_state_create(model) };
  recording r;
  line hit = { .step = 0 };
  record(&r, &b, h, 1);
  sums sum[3] = { { { 0 }, { 0 } } };
  const long lines = sum_impulses(&r, sum, find_impact, &hit);
  ASSERT_COUNT("lines", (unsigned)lines, 1);
  ASSERT_COUNT("step", (unsigned)hit.step, 1);
  const double p = (1 + e) * 2 * (2.0 * 3.0 / 5.0), sign = hit.b == other ? 1.0 : -1.0;
  check_near("normal impulse, N s", hit.push, p, 1e-12);
  check_near("normal, from body a to b", sign * hit.normal[0], 1.0, 1e-14);
  check_near("friction, N s", vec_norm(hit.friction), mu * p, 1e-12);
  check_near("normal velocity after it, m/s", hit.rate, e * 2, 1e-12);
  double linear = 0.0, angular = 0.0;
  for (int i = 1; i < 3; i++) {
    const hn_body *body = &model->body[i];
    for (int c = 0; c < 3; c++) {
      linear = larger(linear, fabs(sum[i].p[c] - body->mass * (b.state->twist[i].v[c] - body->twist0.v[c])));
      angular = larger(angular,
                       fabs(sum[i].L[c] - body->J[0] * (b.state->twist[i].w[c] - body->twist0.w[c])));
    }
  }
  check_below("momentum, N s", linear, 1e-13);
  check_below("angular momentum, N m s", angular, 1e-13);
  assert_int_equal(strncmp(hit.key, "0000000001", 10), 0); /* shapes 0 and 1 */
  done(&r);
  hn_state_free(b.state), hn_solver_free(b.solver), hn_model_free(model);
}

/* ---- The file itself ----------------------------------------------------------------------------------- */

/* Hash and record are equal with and without recorded contacts; the file of contacts is reproducible. */
static void recording_contacts_changes_nothing(void **unused)
{
  (void)unused;
  uint64_t hash[3];
  char *text[2] = { NULL, NULL };
  size_t room[2] = { 0, 0 };
  for (int k = 0; k < 3; k++) {
    recording r;
    bench b = set_up("rod_impact", "xpbd");
    if (k < 2) {
      record(&r, &b, 0.001, 30);
      FILE *file = fopen(r.contacts, "r");
      assert_true(getdelim(&text[k], &room[k], 0, file) > 0);
      fclose(file);
      done(&r);
    } else {
      must_converge(&b, 0.001, 0.03, NULL, NULL);
    }
    hash[k] = b.summary.hash;
    tear_down(&b);
  }
  assert_true(hash[0] == hash[1] && hash[1] == hash[2]);
  assert_string_equal(text[0], text[1]);
  free(text[0]), free(text[1]);
}

static void recording_without_contact_is_refused(void **unused)
{
  (void)unused;
  hn_error error;
  hn_scene *scene = hn_scene_load("pendulum", NULL, 0, &error);
  const hn_record_options wanted = { .contacts = true };
  assert_null(hn_record_create("/tmp/holonom-no-contacts.csv", scene->model, &wanted, &error));
  assert_string_equal(error.text, "contacts cannot be recorded: nothing collides");
  assert_int_equal(access("/tmp/holonom-no-contacts.csv", F_OK), -1);
  assert_int_equal(access("/tmp/holonom-no-contacts.csv.part", F_OK), -1);
  hn_scene_free(scene);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(sliding_impulses_sum_to_the_closed_form),
    cmocka_unit_test(balls_and_tray_balance),
    cmocka_unit_test(impact_between_moving_bodies),
    cmocka_unit_test(recording_contacts_changes_nothing),
    cmocka_unit_test(recording_without_contact_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
