/* test_spins.c - bodies on a floor that turn by up to twenty radians in a step, against closed forms. */
#include "models.h"
#include "base/vec.h"

static const double mu = 0.2, gravity = 9.81, step = 0.04, duration = 0.4;
static const double turn[] = { 0.1, 1, 2.8, 3.1, 3.2, 4.8, 6.2, 6.3, 9.5, 20 }; /* rad in the first step */
enum { TURNS = sizeof turn / sizeof *turn };

/* Allowed errors, relative to the change of velocity by friction, and the largest turn that is tried.
 * Friction that drives has an error of 2. Order 2 in parts of 0.3 rad loses 1 %. */
typedef struct allowance {
  const char *spec;
  double ball, box, max_turn;
} allowance;
static const allowance solvers[] = {
  { "events", 1e-9, 1e-9, 20 },
  { "events:inner=taylor", 1e-9, 1e-9, 20 },
  { "events:inner=impulse-sle", 1e-9, 1e-9, 20 },
  { "impulse-contact", 1e-7, 0.03, 20 },
  { "impulse-gs", 0.05, 0.03, 20 },
  { "moreau", 0.05, 1e-6, 20 },
  { "moreau:theta=0.5", 0.05, 1e-6, 20 },
  /* rotations are of first order in the angle of a substep, a 20th and a quarter of the turn */
  { "xpbd", 0.05, 0.1, 6.3 },
  { "tgs-soft", 0.1, 0.2, 1 },
};
enum { SOLVERS = sizeof solvers / sizeof *solvers };

/* Returns BODY on a floor, both rough. */
static hn_model *on_floor(hn_body_spec body)
{
  hn_error error;
  hn_model *model = new_model();
  const hn_body_spec floor = { .name = "floor",
                               .kind = HN_FIXED,
                               .shape = { .kind = HN_PLANE, .size = { 0, 1, 0 } },
                               .orientation = { 1 },
                               .friction = mu };
  body.kind = HN_RIGID, body.has_mass = true, body.mass = 1.0, body.orientation[0] = 1.0, body.friction = mu;
  must_add(model, &floor), must_add(model, &body);
  if (hn_model_collide(model, &(hn_contact_spec){ .margin = 0.01 }, &error)) fail_msg("%s", error.text);
  return model;
}

/* Runs SPEC on MODEL, which is freed; returns the velocities of the body at the end. Energy must not rise. */
static hn_twist run_to_end(hn_model *model, const char *spec)
{
  hn_summary summary;
  hn_solver *solver = new_solver(spec, model);
  hn_state *state = hn_state_create(model);
  const hn_run_options options = { .step = step, .duration = duration };
  if (hn_run(solver, state, &options, &summary) != HN_CONVERGED)
    fail_msg("%s: %s", spec, summary.explanation);
  const hn_twist end = state->twist[state->nbody - 1];
  if (!(summary.energy_final <= summary.energy_initial * (1 + 1e-9)))
    fail_msg("%s: energy %.17g to %.17g", spec, summary.energy_initial, summary.energy_final);
  hn_state_free(state), hn_solver_free(solver), hn_model_free(model);
  return end;
}

/* A ball with backspin w slides with v' = -mu g, r w' = -5/2 mu g, until v = -r w. */
static void balls_with_backspin_are_braked(void **unused)
{
  (void)unused;
  const double r = 0.1, v0 = 2.0;
  for (int m = 0; m < SOLVERS; m++) {
    double worst = 0.0;
    for (int i = 0; i < TURNS && turn[i] <= solvers[m].max_turn; i++) {
      const double w = turn[i] / step, slides = fmin(duration, (v0 + w * r) / (3.5 * mu * gravity));
      const hn_body_spec ball = { .name = "ball",
                                  .shape = { .kind = HN_SPHERE, .size = { r } },
                                  .position = { 0, r, 0 },
                                  .velocity = { v0, 0, 0 },
                                  .angular_velocity = { 0, 0, w } };
      const hn_twist end = run_to_end(on_floor(ball), solvers[m].spec);
      const double change = mu * gravity * slides, error = fabs(end.v[0] - v0 + change);
      worst = larger(worst, larger(error, 0.4 * r * fabs(end.w[2] - w + 2.5 * change / r)) / change);
    }
    printf("%s\n", solvers[m].spec);
    check_below("error of the brake on a ball", worst, solvers[m].ball);
  }
}

/* A flat box that spins about the vertical has a quarter of its weight at each corner, at the distance rho:
 * I w' = -mu m g rho. */
static void flat_boxes_are_braked(void **unused)
{
  (void)unused;
  const double side = 0.2, height = 0.02, rho = side / sqrt(2), inertia = side * side / 6;
  for (int m = 0; m < SOLVERS; m++) {
    double worst = 0.0;
    for (int i = 0; i < TURNS && turn[i] <= solvers[m].max_turn; i++) {
      const double w = turn[i] / step, change = fmin(w, mu * gravity * rho / inertia * duration);
      const hn_body_spec box = { .name = "box",
                                 .shape = { .kind = HN_BOX, .size = { side, height, side } },
                                 .position = { 0, 0.5 * height, 0 },
                                 .angular_velocity = { 0, w, 0 } };
      const hn_twist end = run_to_end(on_floor(box), solvers[m].spec);
      worst = larger(worst, fabs(end.w[1] - w + change) / change);
    }
    printf("%s\n", solvers[m].spec);
    check_below("error of the brake on a box", worst, solvers[m].box);
  }
}

/* A lying capsule or cylinder that spins about the vertical has half of its weight at each end, at
 * the distance rho: I w' = -mu m g rho. */
static void lying_rollers_are_braked(void **unused)
{
  (void)unused;
  static const hn_shape_kind kinds[] = { HN_CAPSULE, HN_CYLINDER };
  const double r = 0.03, rho = 0.15, inertia = 0.01;
  for (int m = 0; m < SOLVERS; m++) {
    double worst = 0.0;
    for (int i = 0; i < 2 * TURNS; i++) {
      const double w = turn[i / 2] / step, change = fmin(w, mu * gravity * rho / inertia * duration);
      if (turn[i / 2] > solvers[m].max_turn) continue;
      const hn_body_spec roller = { .name = "roller",
                                    .shape = { .kind = kinds[i % 2], .size = { r, 2 * rho } },
                                    .inertia = { inertia, 0.001, inertia },
                                    .position = { 0, r, 0 },
                                    .orientation = { 0, 1 },
                                    .angular_velocity = { 0, w, 0 } };
      const hn_twist end = run_to_end(on_floor(roller), solvers[m].spec);
      worst = larger(worst, fabs(end.w[1] - w + change) / change);
    }
    printf("%s\n", solvers[m].spec);
    check_below("error of the brake on a lying roller", worst, solvers[m].box);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(balls_with_backspin_are_braked),
    cmocka_unit_test(flat_boxes_are_braked),
    cmocka_unit_test(lying_rollers_are_braked),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
