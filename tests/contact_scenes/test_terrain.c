/* test_terrain.c - motions on height fields: a flat field is a plane, whatever its cells, for all shapes and
 * solvers; an inclined one has the closed form of a slope; a step stops what a flat edge does not. */
#include "movers.h"

#include <stdlib.h>

/* Allowed differences from the motion on a plane, m: rounding, which some amplify. If a plane is shifted in
 * itself, tgs-soft moves a disc by 3e-7 m and avbd by 6e-5 m; impulse-gs does not converge for a lying
 * cylinder. */
typedef struct trial_solver {
  const char *spec;
  double difference;
  mover_kind without; /* MOVERS: runs all */
} trial_solver;
static const trial_solver solvers[] = {
  { "events", 1e-12, MOVERS },     { "impulse-contact", 1e-12, MOVERS },
  { "moreau", 1e-12, MOVERS },     { "moreau:stabilisation=projection", 1e-12, MOVERS },
  { "impulse-gs", 1e-12, ROLLER }, { "xpbd", 1e-9, MOVERS },
  { "tgs-soft", 1e-6, MOVERS },    { "avbd", 1e-9, DISC },
};
enum { SOLVERS = sizeof solvers / sizeof *solvers };

typedef double height_function(double x, double z);

static void add_plane(setting *s)
{
  add(s,
      (hn_body_spec){ .name = "floor", .friction = mu, .shape = { .kind = HN_PLANE, .size = { 0, 1, 0 } } });
}

/* Adds a field of NX x NZ points over 12 m x 4 m that begins at x = -2 m. */
static void add_field(setting *s, int nx, int nz, height_function *function)
{
  hn_error error;
  hn_body_spec spec = { .name = "floor", .friction = mu, .position = { 4, 0, 0 } };
  double *height = malloc(sizeof *height * (size_t)(nx * nz));
  for (int k = 0; k < nx * nz; k++)
    height[k] = function ? function(4 + 12.0 * (k % nx - 0.5 * (nx - 1)) / (nx - 1),
                                    4.0 * (k / nx - 0.5 * (nz - 1)) / (nz - 1))
                         : 0.0;
  if (hn_shape_height_field(&spec.shape, (double[]){ 12, 4 }, nx, nz, height, &error))
    fail_msg("%s", error.text);
  free(height);
  add(s, spec);
  hn_shape_free(&spec.shape);
}

/* Runs SPEC on the model of S, which is freed; stores the last pose of BODY, in the axes of the floor. */
static void run_setting(setting *s, const char *spec, double seconds, int body, hn_pose *pose)
{
  hn_error error;
  hn_summary summary;
  if (hn_model_collide(s->model, &(hn_contact_spec){ 0 }, &error)) fail_msg("%s", error.text);
  hn_solver *solver = new_solver(spec, s->model);
  hn_state *state = hn_state_create(s->model);
  const hn_run_options options = { .step = STEP, .duration = seconds };
  if (hn_run(solver, state, &options, &summary) != HN_CONVERGED)
    fail_msg("%s: %s", spec, summary.explanation);
  double back[4];
  quat_unrotate(pose->x, s->q, state->pose[body].x);
  quat_conj(back, s->q);
  quat_mul(pose->q, back, state->pose[body].q);
  hn_state_free(state), hn_solver_free(solver), hn_model_free(s->model);
}

/* Returns the larger of the distance of two poses, m, and of their quaternions times the size of a body. */
static double apart(const hn_pose *p, const hn_pose *q)
{
  double off[3], turn[4];
  vec_sub(off, p->x, q->x);
  for (int i = 0; i < 4; i++) turn[i] = side * (p->q[i] - q->q[i]);
  return larger(vec_norm(off), norm_of(turn, 4));
}

/* Cells of 1 m, of 16 cm in a turned scene, and of 5 cm. */
static void flat_fields_are_planes(void **unused)
{
  (void)unused;
  static const int grid[][2] = { { 13, 5 }, { 77, 28 }, { 241, 81 } };
  for (int m = 0; m < SOLVERS; m++) {
    double worst = 0;
    for (mover_kind mover = 0; mover < MOVERS; mover++) {
      hn_pose plane[2], pose;
      setting s;
      if (mover == SLED || mover == solvers[m].without) continue; /* a sled has two shapes: test_seams */
      for (int turn = 0; turn < 2; turn++) {
        start_setting(&s, turn);
        add_plane(&s);
        run_setting(&s, solvers[m].spec, duration, add_mover(&s, mover), &plane[turn]);
      }
      const double v = mover >= BALL ? speed : hypot(speed, oblique),
                   way = v * duration - (mover >= BALL ? 0 : 0.5 * mu * gravity * duration * duration);
      if (fabs(plane[0].x[0] / (speed / v) / way - 1) > 0.01)
        fail_msg("%s: the way on a plane", mover_names[mover]);
      for (int k = 0; k < 3; k++) {
        start_setting(&s, k == 1);
        add_field(&s, grid[k][0], grid[k][1], NULL);
        run_setting(&s, solvers[m].spec, duration, add_mover(&s, mover), &pose);
        worst = larger(worst, apart(&plane[k == 1], &pose));
      }
    }
    printf("%s\n", solvers[m].spec);
    check_below("difference between a flat field and a plane, m", worst, solvers[m].difference);
  }
}

/* ---- Slopes -------------------------------------------------------------------------------------------- */

static const double steep = 0.4; /* tangent of the slope */
static double falling(double x, double z)
{
  (void)z;
  return -steep * x;
}

/* From rest, a box slides by g (sin a - mu cos a) t^2 / 2, a ball rolls by (5/7) g sin a t^2 / 2. */
static void slopes_have_the_closed_form(void **unused)
{
  (void)unused;
  static const struct {
    const char *spec;
    double error;
  } by[] = { { "events", 1e-12 },
             { "impulse-contact", 1e-12 },
             { "moreau", 0.02 },
             { "xpbd", 0.02 },
             { "tgs-soft", 0.02 } };
  const double angle = atan(steep), half = 0.5 * side, rough = 0.3;
  for (int m = 0; m < 5; m++)
    for (int ball = 0; ball < 2; ball++) {
      setting s;
      hn_pose pose;
      start_setting(&s, true);
      add_field(&s, 61, 21, falling);
      hn_body_spec spec = { .name = "mover", .kind = HN_RIGID, .density = 500 };
      spec.friction = rough * rough / mu; /* the pair has the geometric mean, `rough` */
      vec_set(spec.position, half * sin(angle), half * cos(angle), 0.03);
      spec.orientation[0] = cos(0.5 * angle), spec.orientation[3] = -sin(0.5 * angle);
      spec.shape = ball ? (hn_shape){ .kind = HN_SPHERE, .size = { half } }
                        : (hn_shape){ .kind = HN_BOX, .size = { side, side, side } };
      run_setting(&s, by[m].spec, 1.0, add(&s, spec), &pose);
      const double pull = ball ? 5.0 / 7.0 * sin(angle) : sin(angle) - rough * cos(angle),
                   way = 0.5 * gravity * pull, gone = (pose.x[0] - spec.position[0]) / cos(angle);
      printf("%s, %s\n", by[m].spec, ball ? "ball" : "box");
      check_below("relative error of the way", fabs(gone / way - 1), by[m].error);
      if (m < 3)
        check_below("way across, m", fabs(pose.x[2] - 0.03), 1e-12); /* xpbd drifts on a plane, too */
    }
}

/* ---- Ridges and steps ---------------------------------------------------------------------------------- */

static const double gentle = 0.1; /* tangent of the sides of a roof with its ridge at x = 1 m */
static double roof(double x, double z)
{
  (void)z;
  return -gentle * fabs(x - 1);
}

/* Without friction a ball that stays on a roof keeps its energy over the ridge, where its centre goes round
 * a circle: on the other side, as high as at the start, it has the same speed down the slope. */
static void balls_keep_their_energy_over_a_ridge(void **unused)
{
  (void)unused;
  static const struct {
    const char *spec;
    double error;
  } by[] = { { "events", 1e-12 }, { "moreau", 0.02 }, { "impulse-contact", 1e-4 } };
  const double r = 0.5, v = 1.2, cosine = 1 / sqrt(1 + gentle * gentle);
  for (int m = 0; m < 3; m++) {
    setting s;
    hn_pose pose;
    hn_error error;
    hn_summary summary;
    start_setting(&s, false);
    add_field(&s, 13, 5, roof);
    hn_body_spec spec = {
      .name = "ball", .kind = HN_RIGID, .density = 500, .shape = { .kind = HN_SPHERE, .size = { r } }
    };
    vec_set(spec.position, 0.6 - r * gentle * cosine, roof(0.6, 0) + r * cosine, 0.03);
    vec_set(spec.velocity, v * cosine, v * gentle * cosine, 0);
    const int body = add(&s, spec);
    if (hn_model_collide(s.model, &(hn_contact_spec){ 0 }, &error)) fail_msg("%s", error.text);
    hn_solver *solver = new_solver(by[m].spec, s.model);
    hn_state *state = hn_state_create(s.model);
    const double start = 0.5 * v * v + gravity * state->pose[body].x[1];
    if (hn_run(solver, state, &(hn_run_options){ .step = 0.001, .duration = 1.0 }, &summary) != HN_CONVERGED)
      fail_msg("%s: %s", by[m].spec, summary.explanation);
    pose = state->pose[body];
    const double u = vec_norm(state->twist[body].v), end = 0.5 * u * u + gravity * pose.x[1];
    printf("%s: from x = %.3g to %.3g m\n", by[m].spec, spec.position[0], pose.x[0]);
    assert_true(pose.x[0] > 1.3);
    check_below("change of energy over that at the start", fabs(end - start) / (0.5 * v * v), by[m].error);
    check_below("distance from the far side, m",
                fabs(cosine * (pose.x[1] - roof(1, 0) + gentle * (pose.x[0] - 1)) - r), 1e-12);
    hn_state_free(state), hn_solver_free(solver), hn_model_free(s.model);
  }
}

static double rise = 0;
static double step_at_one(double x, double z)
{
  (void)z;
  return x < 0.99 ? 0 : rise;
}

/* A step within the tolerance of flat parts, 1e-9 of a cell, is not felt; one of 5 cm across a cell of 5 cm
 * is. */
static void steps_are_felt_above_the_tolerance(void **unused)
{
  (void)unused;
  static const double height[] = { 0, 1e-12, 0.05 };
  for (int m = 1; m < SOLVERS; m++) {
    double x[3];
    /* impulse-gs stalls in the impact; avbd amplifies any change of 1e-12 m */
    if (strcmp(solvers[m].spec, "impulse-gs") == 0 || strcmp(solvers[m].spec, "avbd") == 0) continue;
    for (int k = 0; k < 3; k++) {
      setting s;
      hn_pose pose;
      start_setting(&s, false);
      rise = height[k];
      add_field(&s, 241, 81, step_at_one);
      run_setting(&s, solvers[m].spec, duration, add_mover(&s, BOX), &pose);
      x[k] = pose.x[0];
    }
    printf("%s: way %.3g, over 1e-12 m %.3g, against 5 cm %.3g m\n", solvers[m].spec, x[0], x[1], x[2]);
    check_below("difference by a step below the tolerance, m", fabs(x[1] - x[0]), 1e-10);
    check_below("share of the way against a step", x[2] / x[0], 0.8);
  }
}

static double mesa(double x, double z)
{
  (void)z;
  return fabs(x) < 0.51 ? 0 : -1;
}

/* A board of 2 m on a plateau that is 1 m wide stays if its centre is above the plateau, and falls beyond
 * its edge. */
static void boards_on_a_plateau_fall_beyond_its_edge(void **unused)
{
  (void)unused;
  static const struct {
    const char *spec;
    double still; /* m or rad */
  } by[] = { { "moreau", 1e-12 }, { "impulse-contact", 1e-12 }, { "xpbd", 1e-5 }, { "tgs-soft", 1e-4 } };
  for (int m = 0; m < 4; m++)
    for (int beyond = 0; beyond < 2; beyond++) {
      setting s;
      hn_pose pose;
      const double x = beyond ? 0.55 : 0.45;
      start_setting(&s, beyond);
      add_field(&s, 121, 41, mesa);
      run_setting(&s, by[m].spec, 0.5,
                  add(&s, (hn_body_spec){ .name = "board",
                                          .kind = HN_RIGID,
                                          .density = 500,
                                          .friction = 0.8,
                                          .position = { x, 0.05, 0 },
                                          .shape = { .kind = HN_BOX, .size = { 2, 0.1, 0.3 } } }),
                  &pose);
      const double tilt = 2 * fabs(pose.q[3]), sunk = 0.05 - pose.x[1];
      printf("%s, centre %s the edge: tilt %.3g rad, sunk %.3g m\n", by[m].spec, beyond ? "beyond" : "before",
             tilt, sunk);
      if (beyond) assert_true(tilt > 0.1);
      else
        check_below("way of a board at rest, m or rad", larger(larger(tilt, fabs(sunk)), fabs(pose.x[0] - x)),
                    by[m].still);
    }
}

static double waves(double x, double z)
{
  return 0.1 * sin(2.1 * x + 0.3) * cos(2.9 * z) - 0.05 * x;
}

/* A rough field with its scene turned: the motions are the same, turned. The disc is left out: where it falls
 * flat, rounding chooses the lowest point of its rim. A disc that is tilted by 0.02 and falls flat on a plane
 * differs by 3e-10 m if the scene is turned, and this one, over many edges, by 2e-7 m. */
static void turned_scenes_have_turned_motions(void **unused)
{
  (void)unused;
  for (mover_kind mover = BOX; mover < MOVERS; mover++) {
    hn_pose pose[2];
    if (mover == DISC) continue;
    for (int turn = 0; turn < 2; turn++) {
      setting s;
      start_setting(&s, turn);
      add_field(&s, 61, 21, waves);
      run_setting(&s, "moreau:contact_tolerance=1e-12,tolerance=1e-12", 0.3, add_mover(&s, mover),
                  &pose[turn]);
    }
    printf("%s, to x = %.3g m, y = %.3g m\n", mover_names[mover], pose[0].x[0], pose[0].x[1]);
    check_below("difference of a turned scene, m", apart(&pose[0], &pose[1]), 1e-9);
  }
}

/* ---- Compliant contact --------------------------------------------------------------------------------- */

/* Bodies that slide over a flat field by a compliant law move as on a plane. */
static void compliant_contacts_are_those_of_a_plane(void **unused)
{
  (void)unused;
  static const mover_kind movers[] = { BOX, BALL, ROLLER, SPHEROID };
  for (int i = 0; i < 4; i++) {
    hn_pose pose[2];
    for (int k = 0; k < 2; k++) {
      setting s;
      hn_error error;
      hn_summary summary;
      start_setting(&s, false);
      if (k) add_field(&s, 77, 28, NULL);
      else add_plane(&s);
      const int body = add_mover(&s, movers[i]);
      const hn_contact_spec law = { .law = "hunt-crossley:stiffness=1e6,dissipation=0.3" };
      if (hn_model_collide(s.model, &law, &error)) fail_msg("%s", error.text);
      hn_solver *solver = new_solver("lagrange", s.model);
      hn_state *state = hn_state_create(s.model);
      if (hn_run(solver, state, &(hn_run_options){ .step = 1e-4, .duration = 0.2 }, &summary) != HN_CONVERGED)
        fail_msg("%s", summary.explanation);
      pose[k] = state->pose[body];
      hn_state_free(state), hn_solver_free(solver), hn_model_free(s.model);
    }
    printf("%s at x = %.3g m\n", mover_names[movers[i]], pose[0].x[0]);
    check_below("difference from the motion on a plane, m", apart(&pose[0], &pose[1]), 1e-12);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(flat_fields_are_planes),
    cmocka_unit_test(slopes_have_the_closed_form),
    cmocka_unit_test(balls_keep_their_energy_over_a_ridge),
    cmocka_unit_test(steps_are_felt_above_the_tolerance),
    cmocka_unit_test(boards_on_a_plateau_fall_beyond_its_edge),
    cmocka_unit_test(turned_scenes_have_turned_motions),
    cmocka_unit_test(compliant_contacts_are_those_of_a_plane),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
