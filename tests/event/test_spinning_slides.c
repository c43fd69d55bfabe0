/* test_spinning_slides.c - solver events: prisms on a plane that turn while they slide. Their contacts are
 * redundant and slide in different directions, so which of them bear the prism decides about friction. */
#include "models.h"

static const double gravity = 9.81, speed = 2.1, height = 0.2, radius = 0.25;

typedef struct slide {
  int corners;
  double mu, spin, h, duration;
} slide;

/* Adds an upright prism over a regular polygon on y = 0, turned so that no edge is along an axis. */
static void add_prism(hn_model *model, const slide *c)
{
  hn_error error;
  double point[6 * 16];
  hn_body_spec spec = { .name = "prism", .kind = HN_RIGID, .density = 500, .position = { 0, height / 2, 0 } };
  for (int k = 0; k < 2 * c->corners; k++)
    vec_set(point + 3 * k, radius * cos(2 * M_PI * (k / 2) / c->corners + 0.37),
            k % 2 ? -height / 2 : height / 2, radius * sin(2 * M_PI * (k / 2) / c->corners + 0.37));
  if (hn_shape_hull(&spec.shape, HN_CONVEX, point, 2 * c->corners, &error)) fail_msg("%s", error.text);
  vec_set(spec.velocity, speed * cos(0.44), 0, speed * sin(0.44));
  vec_set(spec.angular_velocity, 0, c->spin, 0);
  spec.friction = c->mu;
  must_add(model, &spec);
  hn_shape_free(&spec.shape);
}

/* Slides to the end, with energy that falls and a deceleration of at most mu g: friction of points that move
 * in different directions is weaker together than mu m g. */
static void check_slide(const slide *c, double *gain, double *brake, double *rises)
{
  hn_error error;
  hn_summary summary;
  const double down[3] = { 0, -gravity, 0 };
  hn_model *model = hn_model_create(down);
  hn_body_spec floor = { .name = "floor",
                         .shape = { .kind = HN_PLANE, .size = { 0, 1, 0 } },
                         .friction = c->mu };
  must_add(model, &floor);
  add_prism(model, c);
  if (hn_model_collide(model, &(hn_contact_spec){ 0 }, &error)) fail_msg("%s", error.text);
  hn_solver *solver = new_solver("events", model);
  hn_state *state = hn_state_create(model);
  const hn_run_options options = { .step = c->h, .duration = c->duration };
  if (hn_run(solver, state, &options, &summary) != HN_CONVERGED)
    fail_msg("%d corners, %g rad/s, h = %g s: %s", c->corners, c->spin, c->h, summary.explanation);
  const hn_twist *end = &state->twist[2];
  *gain = larger(*gain, summary.energy_gain / summary.energy_initial);
  *brake = larger(*brake, (speed - vec_norm(end->v)) / (c->mu * gravity * c->duration));
  *rises = larger(*rises, fabs(state->pose[2].x[1] - height / 2));
  hn_state_free(state), hn_solver_free(solver), hn_model_free(model);
}

static void prisms_turn_and_slide(void **unused)
{
  (void)unused;
  static const int corners[] = { 3, 4, 5, 6, 8, 12 };
  static const double spins[] = { 0.3, 2.3, -7, 20 };
  for (int n = 0; n < 6; n++) {
    double gain = 0, brake = 0, rises = 0;
    for (int i = 0; i < 4; i++)
      for (int k = 0; k < 2; k++) {
        const double mu = k ? 0.4 : 0.1;
        check_slide(&(slide){ corners[n], mu, spins[i], k ? 0.01 : 0.002, 0.9 * speed / (mu * gravity) },
                    &gain, &brake, &rises);
      }
    printf("%d corners\n", corners[n]);
    check_below("  largest gain of energy in a step, relative", gain, 1e-12);
    check_below("  largest deceleration / mu g", brake, 1 + 1e-9);
    check_below("  largest change of height, m", rises, 1e-9);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = { cmocka_unit_test(prisms_turn_and_slide) };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
