/* test_terrain.c - motions on height fields: a flat field is a plane, whatever its cells, for all shapes and
 * solvers; an inclined one has the closed form of a slope; a step stops what a flat edge does not. */
#include "models.h"
#include "base/vec.h"

#include <stdlib.h>

#define STEP 0.004 /* s */
static const double mu = 0.1, gravity = 9.81, duration = 0.6;
static const double speed = 3.0, oblique = 0.4; /* m/s along x, and along z of what slides */
static const double side = 0.2;                 /* m, of the bodies */

typedef enum mover_kind { BOX, DISC, HEXAGON, BALL, CAPSULE, ROLLER, SPHEROID, MOVERS } mover_kind;
static const char *const mover_names[] = {
  "box", "disc", "hexagon", "ball", "capsule", "roller", "spheroid"
};

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

/* Axes in which a floor is horizontal: none is special. */
static const double turned[4] = { 0.78, 0.31, -0.42, 0.35 };

typedef double height_function(double x, double z);

typedef struct setting {
  double q[4]; /* unit quaternion of the scene */
  hn_model *model;
} setting;

static void start_setting(setting *s, bool turn, const double down[3])
{
  const double none[4] = { 1, 0, 0, 0 }, *q = turn ? turned : none;
  double g[3];
  for (int i = 0; i < 4; i++) s->q[i] = q[i] / norm_of(q, 4);
  quat_rotate(g, s->q, down);
  s->model = hn_model_create(g);
  assert_non_null(s->model);
}

/* Adds a body whose place and motion are given in the axes of the floor. */
static int add(setting *s, hn_body_spec spec)
{
  double q[4], at[3], v[3], w[3];
  if (norm_of(spec.orientation, 4) == 0) spec.orientation[0] = 1;
  quat_mul(q, s->q, spec.orientation);
  quat_rotate(at, s->q, spec.position), quat_rotate(v, s->q, spec.velocity);
  quat_rotate(w, s->q, spec.angular_velocity);
  memcpy(spec.orientation, q, sizeof q);
  vec_copy(spec.position, at), vec_copy(spec.velocity, v), vec_copy(spec.angular_velocity, w);
  return must_add(s->model, &spec);
}

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

static int add_mover(setting *s, mover_kind kind)
{
  const double half = 0.5 * side;
  hn_body_spec spec = {
    .name = "mover", .kind = HN_RIGID, .density = 500, .friction = mu, .position = { 0, half, 0.05 }
  };
  double point[36];
  const bool rolls = kind >= BALL;
  vec_set(spec.velocity, speed, 0, rolls ? 0 : oblique);
  if (rolls) spec.angular_velocity[2] = -speed / half;
  spec.orientation[0] = cos(0.2), spec.orientation[2] = rolls ? 0 : sin(0.2);
  switch (kind) {
  case BOX: spec.shape = (hn_shape){ .kind = HN_BOX, .size = { side, side, side } }; break;
  case DISC: spec.shape = (hn_shape){ .kind = HN_CYLINDER, .size = { half, side } }; break;
  case BALL: spec.shape = (hn_shape){ .kind = HN_SPHERE, .size = { half } }; break;
  case CAPSULE: spec.shape = (hn_shape){ .kind = HN_CAPSULE, .size = { half, side } }; break;
  case SPHEROID: spec.shape = (hn_shape){ .kind = HN_ELLIPSOID, .size = { half, half, side } }; break;
  case ROLLER: spec.shape = (hn_shape){ .kind = HN_CYLINDER, .size = { half, side } }; break;
  default: {
    hn_error error;
    for (int k = 0; k < 12; k++)
      vec_set(point + 3 * k, half * cos(M_PI * (k / 2) / 3), k % 2 ? -half : half,
              half * sin(M_PI * (k / 2) / 3));
    if (hn_shape_hull(&spec.shape, HN_CONVEX, point, 12, &error)) fail_msg("%s", error.text);
  }
  }
  if (kind == CAPSULE || kind == ROLLER)
    vec_set(spec.orientation + 1, sqrt(0.5), 0, 0), spec.orientation[0] = sqrt(0.5);
  const int body = add(s, spec);
  hn_shape_free(&spec.shape);
  return body;
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

static const double down[3] = { 0, -9.81, 0 };

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
      if (mover == solvers[m].without) continue;
      for (int turn = 0; turn < 2; turn++) {
        start_setting(&s, turn, down);
        add_plane(&s);
        run_setting(&s, solvers[m].spec, duration, add_mover(&s, mover), &plane[turn]);
      }
      const double v = mover >= BALL ? speed : hypot(speed, oblique),
                   way = v * duration - (mover >= BALL ? 0 : 0.5 * mu * gravity * duration * duration);
      if (fabs(plane[0].x[0] / (speed / v) / way - 1) > 0.01)
        fail_msg("%s: the way on a plane", mover_names[mover]);
      for (int k = 0; k < 3; k++) {
        start_setting(&s, k == 1, down);
        add_field(&s, grid[k][0], grid[k][1], NULL);
        run_setting(&s, solvers[m].spec, duration, add_mover(&s, mover), &pose);
        worst = larger(worst, apart(&plane[k == 1], &pose));
      }
    }
    printf("%s\n", solvers[m].spec);
    check_below("difference between a flat field and a plane, m", worst, solvers[m].difference);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(flat_fields_are_planes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
