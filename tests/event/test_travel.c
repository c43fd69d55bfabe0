/* test_travel.c - the longest motion of solver events between two searches for contacts: no shape passes
 * another one unseen. Depths are computed from the supports of the shapes, velocities of their centres from
 * the twists of the bodies. */
#include "base/vec.h"
#include "collide/collide.h"
#include "events/events_parts.h"
#include "trials.h"

static uint64_t random_state = 1234567;

static double uniform(double low, double high)
{
  random_state ^= random_state << 13, random_state ^= random_state >> 7, random_state ^= random_state << 17;
  return low + (high - low) * (double)(random_state >> 11) / 9007199254740992.0;
}

/* Writes a shape of random sizes into TEXT, flat or long ones too. */
static int write_shape(char *text, size_t size)
{
  const double x = pow(10, uniform(-2, 0)), y = pow(10, uniform(-2, 0)), z = pow(10, uniform(-2, 0));
  switch ((int)uniform(0, 4)) {
  case 0: return snprintf(text, size, "scene.box { %.17g, %.17g, %.17g }", x, y, z);
  case 1: return snprintf(text, size, "scene.cylinder { radius = %.17g, height = %.17g }", x, y);
  case 2: return snprintf(text, size, "scene.capsule { radius = %.17g, height = %.17g }", x, y);
  default: return snprintf(text, size, "scene.sphere { radius = %.17g }", x);
  }
}

/* Writes a scene of three bodies with two shapes each, away from their centres of mass. */
static void write_bodies(void)
{
  char text[3000];
  int n = 0;
  for (int body = 0; body < 3; body++) {
    n += snprintf(text + n, sizeof text - (size_t)n,
                  "sys:body { position = { 0, 0, 0 }, mass = 1, inertia = { 1, 1, 1 }, shapes = {");
    for (int k = 0; k < 2; k++) {
      n += snprintf(text + n, sizeof text - (size_t)n,
                    "{ position = { %.17g, %.17g, %.17g }, shape = ", uniform(-2, 2), uniform(-2, 2),
                    uniform(-2, 2));
      n += write_shape(text + n, sizeof text - (size_t)n);
      n += snprintf(text + n, sizeof text - (size_t)n, "}, ");
    }
    n += snprintf(text + n, sizeof text - (size_t)n, "} }\n");
  }
  snprintf(text + n, sizeof text - (size_t)n, "sys:contact { margin = 0.01 }\nreturn sys");
  write_scene(text);
}

/* A shape in motion: centre and velocity, radius about the centre, least distance of the surface. */
typedef struct moving_shape {
  double x[3], v[3], radius, depth;
} moving_shape;

/* Computes the moving shape of collider C. All its kinds are symmetric about the centre, where the least
 * distance of the surface is the least support; that is along an axis, or across it. */
static moving_shape moving_shape_of(const hn_collider *c, const hn_state *state)
{
  moving_shape m = { .radius = 0, .depth = HUGE_VAL };
  hn_placed_shape placed;
  double arm[3];
  hn_placed_shape_at(&placed, &c->shape, &c->place, &state->pose[c->body]);
  vec_copy(m.x, placed.x);
  vec_sub(arm, m.x, state->pose[c->body].x);
  vec_cross(m.v, state->twist[c->body].w, arm);
  vec_add(m.v, m.v, state->twist[c->body].v);
  for (int k = 0; k < 3; k++) {
    const double n[3] = { placed.R[k], placed.R[3 + k], placed.R[6 + k] };
    vec_add(arm, placed.x, n);
    m.depth = fmin(m.depth, hn_placed_support(&placed, n) - vec_dot(n, placed.x));
  }
  for (int i = 0; i < 100; i++) {
    double n[3] = { uniform(-1, 1), uniform(-1, 1), uniform(-1, 1) };
    vec_scale(n, 1 / vec_norm(n), n);
    const double support = hn_placed_support(&placed, n) - vec_dot(n, placed.x);
    m.radius = fmax(m.radius, support); /* a lower bound */
    assert_true(support >= m.depth * (1 - 1e-12));
  }
  return m;
}

/* Returns the least distance of two centres that move straight on for H. */
static double closest(const moving_shape *a, const moving_shape *b, double h)
{
  double x[3], v[3];
  vec_sub(x, b->x, a->x), vec_sub(v, b->v, a->v);
  const double square = vec_dot(v, v), t = square > 0 ? fmax(0, fmin(h, -vec_dot(x, v) / square)) : 0;
  vec_add_scaled(x, t, v);
  return vec_norm(x);
}

/* No pair of shapes of two bodies that meets on its straight ways within h is displaced by more than half the
 * sum of its depths before contacts are searched for again. Where the motion is cut, some pair of shapes is
 * displaced by just that. */
static void no_pair_moves_by_more_than_its_depth(void **state)
{
  (void)state;
  const double h = 0.1;
  double most = 0, least_cut = HUGE_VAL;
  int cut = 0, met = 0, whole = 0;
  for (int round = 0; round < 300; round++) {
    write_bodies();
    hn_scene *scene = load_written(NULL, 0);
    const hn_model *model = scene->model;
    hn_travel travel = { .least = 0 };
    hn_error error = { "" };
    assert_int_equal(hn_travel_setup(&travel, model, &error), 0);
    hn_state *at = hn_state_create(model);
    assert_int_equal(model->ncollider, 6);
    for (int again = 0; again < 10; again++) {
      /* some slide, some only turn, some are slow */
      const double slides = again % 3 ? 10 : 0, turns = again % 4 ? 10 : 0, slow = again == 9 ? 1e-3 : 1;
      for (int i = 1; i < model->nbody; i++)
        for (int k = 0; k < 4; k++) {
          at->pose[i].q[k] = uniform(-1, 1);
          if (k == 3) quat_normalise(at->pose[i].q);
          else
            at->pose[i].x[k] = uniform(-1, 1), at->twist[i].v[k] = slow * slides * uniform(-1, 1),
            at->twist[i].w[k] = slow * turns * uniform(-1, 1);
        }
      moving_shape m[6];
      for (int i = 0; i < 6; i++) m[i] = moving_shape_of(&model->collider[i], at);
      const double limit = hn_travel_limit(&travel, model, at, h, 1e-6);
      double nearest = HUGE_VAL;
      assert_true(limit > 0 && limit <= h);
      for (int i = 0; i < 6; i++)
        for (int j = 0; j < i; j++) {
          double v[3];
          if (model->collider[i].body == model->collider[j].body) continue;
          vec_sub(v, m[i].v, m[j].v);
          const double part = limit * vec_norm(v) / (0.5 * (m[i].depth + m[j].depth));
          nearest = fmin(nearest, fabs(part - 1));
          if (closest(&m[i], &m[j], h) > m[i].radius + m[j].radius) continue;
          met++, most = larger(most, part);
        }
      if (limit < h) cut++, least_cut = fmin(least_cut, 1 - nearest);
      else whole++;
    }
    hn_state_free(at);
    hn_travel_free(&travel);
    hn_scene_free(scene);
  }
  printf("  motions cut %d, whole %d, pairs that meet %d\n", cut, whole, met);
  assert_true(cut > 500 && whole > 100 && met > 500);
  check_below("displacement in units of half the depths", most, 1 + 1e-12);
  check_near("displacement of the pair that cuts a motion", least_cut, 1, 1e-12);
}

static trial run_weightless(const char *body, double h)
{
  char text[2000];
  const int n = snprintf(text, sizeof text,
                         "local scene = require 'holonom.scene'\n"
                         "local sys = scene.system { gravity = { 0, 0, 0 } }\n%s",
                         body);
  write_bytes(text, (size_t)n);
  trial r = run_spec("events", h, h, NULL, NULL);
  if (r.reason != HN_CONVERGED) fail_msg("%s", r.summary.explanation);
  return r;
}

/* A ball of 5 cm hits a plate of 2 cm, or a rod that turns hits a ball, ten times as fast as a step can see.
 * Bodies of equal mass exchange their velocities. */
static void fast_bodies_do_not_pass_through(void **state)
{
  (void)state;
  static const char plate[] =
    "sys:body { name = 'plate', mass = 1, inertia = { 1, 1, 1 }, restitution = 1, position = { 0.3, 0, 0 },\n"
    "           shape = scene.box { 0.02, 1, 1 } }\n"
    "sys:body { name = 'ball', mass = 1, inertia = { 1, 1, 1 }, restitution = 1, position = { -0.3, 0, 0 },\n"
    "           velocity = { 100, 0, 0 }, shape = scene.sphere { radius = 0.05 } }\n"
    "sys:contact { margin = 0.01 }\nreturn sys";
  static const char rod[] = /* two small balls at the ends of a rod of 2 m that turns about its middle */
    "sys:body { name = 'rod', mass = 1, inertia = { 1, 1, 1 }, restitution = 1, \n"
    "           position = { 0, 0, 0 }, angular_velocity = { 0, 0, 30 },\n"
    "           shapes = { { shape = scene.sphere { radius = 0.02 }, position = { 1, 0, 0 } },\n"
    "                      { shape = scene.sphere { radius = 0.02 }, position = { -1, 0, 0 } } } }\n"
    "sys:body { name = 'ball', mass = 1, inertia = { 1, 1, 1 }, restitution = 1,\n"
    "           position = { math.cos(1.5), math.sin(1.5), 0 }, shape = scene.sphere { radius = 0.02 } }\n"
    "sys:contact { margin = 0.01 }\nreturn sys";
  trial r = run_weightless(plate, 0.05);
  check_near("velocity of the ball, m/s", r.state->twist[2].v[0], 0, 1e-9);
  check_near("velocity of the plate, m/s", r.state->twist[1].v[0], 100, 1e-9);
  done(&r);
  r = run_weightless(rod, 0.1);
  const double *v = r.state->twist[2].v, *u = r.state->twist[1].v, *w = r.state->twist[1].w;
  double sum[3];
  vec_add(sum, u, v);
  check_below("momentum, N s", vec_norm(sum), 1e-9);
  check_near("energy, J", 0.5 * (vec_dot(u, u) + vec_dot(v, v) + vec_dot(w, w)), 450, 1e-8);
  assert_true(vec_norm(v) > 10); /* there was a collision */
  done(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(no_pair_moves_by_more_than_its_depth),
    cmocka_unit_test(fast_bodies_do_not_pass_through),
  };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
