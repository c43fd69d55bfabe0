/* test_nonholonomic.c - knife edges and rolling joints, with every solver that supports velocity constraints:
 * errors and orders against closed forms and two independent solvers, return after full turns, energy;
 * refusals. */
#include "every_solver.h"
#include "scene.h"
#include "written.h"

#define SLE "impulse-sle:tolerance=1e-13,flight=exact"
#define GS "impulse-gs:tolerance=1e-14,velocity_tolerance=1e-14,flight=exact"
#define COMPOSED "impulse-composed:order=4"
#define RK8 "lagrange:stepper=rk8pd,stabilisation=projection"

/* Fills LIST with the solvers that support velocity constraints; returns their number. */
static size_t list_capable(solver_spec list[MAX_SOLVERS])
{
  size_t count = list_solvers(list), capable = 0;
  for (size_t i = 0; i < count; i++)
    if (list[i].type->capabilities & HN_CAN_VELOCITY) list[capable++] = list[i];
  assert_true(capable >= 11);
  return capable;
}

static hn_scene *load(const char *name, const hn_setting *setting)
{
  hn_error error;
  hn_scene *scene = hn_scene_load(name, setting, setting != NULL, &error);
  if (!scene) fail_msg("%s", error.text);
  return scene;
}

/* ---- Orders -------------------------------------------------------------------------------------------- */

typedef struct errors {
  double place, speed, force; /* m and rad; m/s and rad/s; N */
} errors;

/* Reference of a run, compared at the end of every EVERY-th step. */
typedef struct reference {
  void (*exact)(double t, hn_state *at); /* closed form, or */
  hn_solver *accurate;                   /* an accurate solver that advances along */
  hn_state *at;
  errors sum; /* sums of squares */
  int steps, every, passed;
} reference;

static double speed_distance(const hn_state *p, const hn_state *q)
{
  double largest = 0.0, apart[3];
  for (int i = 1; i < p->nbody; i++) {
    vec_sub(apart, p->twist[i].v, q->twist[i].v);
    largest = larger(largest, vec_norm(apart));
    vec_sub(apart, p->twist[i].w, q->twist[i].w);
    largest = larger(largest, vec_norm(apart));
  }
  return largest;
}

static bool compare(void *user, const hn_frame *frame)
{
  reference *to = user;
  const double t = frame->state->time;
  if (!(t > 0) || ++to->passed % to->every != 0) return true;
  if (to->exact) to->exact(t, to->at);
  else assert_int_equal(hn_solver_step(to->accurate, to->at, t - to->at->time), HN_CONVERGED);
  to->at->time = t;
  for (int i = 0; to->accurate && frame->multipliers && i < to->accurate->system->model->nrow; i++)
    to->sum.force += pow(frame->multipliers[i] - to->accurate->multipliers[i], 2);
  to->sum.place += pow(state_distance(frame->state, to->at), 2);
  to->sum.speed += pow(speed_distance(frame->state, to->at), 2);
  to->steps++;
  return true;
}

enum { COMPARISONS = 50 }; /* compared instants: the reference solver is slower than most tested ones */

/* Returns root mean squares over the run: at a single instant the leading coefficient of an error may be near
 * zero. */
static errors measure(const solver_spec *m, const hn_model *model, double h, double duration, reference to)
{
  hn_summary summary;
  hn_solver *solver = new_solver(m->spec, model);
  hn_state *state = hn_state_create(model);
  hn_run_options options = { .step = h, .duration = duration, .observe = compare, .user = &to };
  to.at = hn_state_create(model);
  to.every = (int)fmax(1, duration / h / COMPARISONS);
  if (!to.exact) to.accurate = new_solver("taylor:order=20,adaptive=true,error_tolerance=1e-16", model);
  if (hn_run(solver, state, &options, &summary) != HN_CONVERGED)
    fail_msg("%s: %s", m->spec, summary.explanation);
  hn_state_free(state), hn_state_free(to.at);
  hn_solver_free(solver), hn_solver_free(to.accurate);
  return (errors){ sqrt(to.sum.place / to.steps), sqrt(to.sum.speed / to.steps),
                   sqrt(to.sum.force / to.steps) };
}

/* Returns the number of steps for error i of a fit, by order. In a run of about eight radians errors stay
 * above round-off, with a small next term. */
static int steps_of(int order, int i)
{
  static const int lowest[] = { 1600, 2240, 3200, 4480, 6400, 8960 },
                   low[] = { 100, 140, 200, 280, 400, 560 }, middle[] = { 110, 130, 155, 185, 220, 260 },
                   high[] = { 50, 56, 62, 70, 78, 88 };
  return (order == 1 ? lowest : order == 2 ? low : order <= 5 ? middle : high)[i];
}

/* True if the fit uses the last six steps before an error is below ABOVE_NOISE, as round-off is up to 1e-11:
 * at high orders, and for radau, whose errors are small. */
#define ABOVE_NOISE 3e-10
static bool ends_in_noise(const solver_spec *m)
{
  return m->order >= 8 || (m->order >= 5 && strcmp(m->type->name, "radau") == 0);
}

/* Checks a fitted order; it may be up to MORE higher where leading coefficients vanish. */
static void check_order(const char *what, const double h[6], const double error[6], int order, double more)
{
  char text[80];
  snprintf(text, sizeof text, "order of %s, errors %.1e to %.1e", what, error[0], error[5]);
  double fitted = hn_fit_order(h, error, 6), within = order < 8 ? 0.2 : 0.5;
  check_near(text, fitted, fmax(order, fmin(fitted, order + more)), within);
}

static void check_orders(const solver_spec *m, const hn_model *model, double duration, reference to,
                         double more)
{
  double h[6], place[6], speed[6], force[6];
  printf(" %s\n", m->label);
  if (m->order == 0) {
    errors e = measure(m, model, duration / 100, duration, to);
    check_below("error, m and rad", e.place, BY_TOLERANCE);
    check_below("m/s and rad/s", e.speed, BY_TOLERANCE);
    return;
  }
  /* the next term of the error of a formula over several steps is larger: (6.3 rad/s h)^3 here */
  const int finer = m->type->capabilities & HN_IS_MULTISTEP && m->order > 1 ? 4 : 1;
  for (int i = 0, steps = 10; i < 6; i++) {
    if (!ends_in_noise(m)) steps = finer * steps_of(m->order, i);
    h[i] = duration / steps;
    errors e = measure(m, model, h[i], duration, to);
    place[i] = e.place, speed[i] = e.speed, force[i] = e.force;
    if (!ends_in_noise(m)) continue;
    steps += 1 + steps / 12;
    if (i < 5 || fmin(e.place, e.speed) < ABOVE_NOISE) continue;
    for (i = 0; i < 5; i++)
      h[i] = h[i + 1], place[i] = place[i + 1], speed[i] = speed[i + 1], force[i] = force[i + 1];
    i = 4; /* one more step size */
  }
  check_order("positions", h, place, m->order, more);
  check_order("velocities", h, speed, m->order, more);
  if (!to.exact && m->type->capabilities & HN_HAS_MULTIPLIERS)
    check_order("forces", h, force, m->order, more);
}

/* ---- A skate on a slope -------------------------------------------------------------------------------- */

static const double slope = 9.81 * 0.5, turning = 2.0; /* m/s^2, rad/s: values of the scene */

/* Closed form: s' = k cos(w t), x' = s cos(w t), y' = s sin(w t). */
static void skate(double t, hn_state *at)
{
  const double a = turning * t, k = slope, speed = k / turning * sin(a);
  const double x[3] = { k * pow(sin(a) / turning, 2) / 2, k * (2 * a - sin(2 * a)) / (4 * turning * turning),
                        0 };
  hn_pose *pose = &at->pose[1];
  vec_copy(pose->x, x);
  pose->q[0] = cos(a / 2), pose->q[1] = pose->q[2] = 0, pose->q[3] = sin(a / 2);
  vec_set(at->twist[1].v, speed * cos(a), speed * sin(a), 0);
  vec_set(at->twist[1].w, 0, 0, turning);
}

/* Checks the closed form itself: velocities are its derivatives, along the blade, with the initial energy. */
static void the_closed_form_solves_the_equations(void **state)
{
  (void)state;
  const double d = 1e-5;
  hn_scene *scene = load("knife_edge", NULL);
  hn_state *at = hn_state_create(scene->model), *before = hn_state_create(scene->model),
           *after = hn_state_create(scene->model);
  double v = 0.0, a = 0.0, across = 0.0, energy = 0.0;
  for (double t = 0.1; t < 5; t += 0.1) {
    skate(t, at), skate(t - d, before), skate(t + d, after);
    const double *u = at->twist[1].v, blade[2] = { cos(turning * t), sin(turning * t) };
    double rate[2] = { 0 }, pull[2] = { slope, 0 };
    for (int i = 0; i < 2; i++) {
      v = larger(v, fabs((after->pose[1].x[i] - before->pose[1].x[i]) / (2 * d) - u[i]));
      rate[i] = (after->twist[1].v[i] - before->twist[1].v[i]) / (2 * d) - pull[i];
    }
    a = larger(a, fabs(rate[0] * blade[0] + rate[1] * blade[1])); /* constraint forces act across the blade */
    across = larger(across, fabs(u[1] * blade[0] - u[0] * blade[1]));
    energy = larger(energy, fabs(0.5 * vec_dot(u, u) - slope * at->pose[1].x[0]));
  }
  check_below("velocity against differences, m/s", v, 1e-8);
  check_below("acceleration along the blade, m/s^2", a, 1e-8);
  check_below("velocity across the blade, m/s", across, 1e-14);
  check_below("energy per mass, J/kg", energy, 1e-13);
  hn_state_free(at), hn_state_free(before), hn_state_free(after);
  hn_scene_free(scene);
}

static void every_solver_has_its_order_on_a_skate(void **state)
{
  (void)state;
  solver_spec list[MAX_SOLVERS];
  const size_t count = list_capable(list);
  hn_scene *scene = load("knife_edge", NULL);
  for (size_t i = 0; i < count; i++)
    check_orders(&list[i], scene->model, 5, (reference){ .exact = skate }, 1);
  hn_scene_free(scene);
}

typedef struct track {
  double lowest, highest; /* m, down the slope */
} track;

static bool follow(void *user, const hn_frame *frame)
{
  track *t = user;
  t->lowest = fmin(t->lowest, frame->state->pose[1].x[0]);
  t->highest = larger(t->highest, frame->state->pose[1].x[0]);
  return true;
}

static hn_summary run_observed(const char *spec, const hn_model *model, double h, double duration,
                               bool (*observe)(void *, const hn_frame *), void *user)
{
  hn_summary summary;
  hn_run_options options = { .step = h, .duration = duration, .observe = observe, .user = user };
  hn_solver *solver = new_solver(spec, model);
  hn_state *at = hn_state_create(model);
  if (hn_run(solver, at, &options, &summary) != HN_CONVERGED) fail_msg("%s: %s", spec, summary.explanation);
  hn_state_free(at);
  hn_solver_free(solver);
  return summary;
}

static bool symmetric(const solver_spec *m)
{
  return strcmp(m->type->name, "impulse-sle") == 0 || strcmp(m->type->name, "impulse-gs") == 0 ||
         strcmp(m->type->name, "impulse-composed") == 0;
}

/* Twenty turns: it returns to x = 0 in each half turn. Symmetric solvers err by (w h)^2 at any time; others
 * by an accumulation 2 w t (w h)^p. Solvers of order 1 slide. Frames may miss the highest point by w h /
 * 2. */
static void a_skate_does_not_slide_down(void **state)
{
  (void)state;
  solver_spec list[MAX_SOLVERS];
  const size_t count = list_capable(list);
  const double h = 0.01, duration = 20 * M_PI, reach = slope / (2 * turning * turning), wh = turning * h;
  hn_scene *scene = load("knife_edge", NULL);
  for (size_t i = 0; i < count; i++) {
    track seen = { 0, 0 };
    if (list[i].order == 1) continue;
    double bound = fmax(2 * turning * duration * pow(wh, list[i].order), 1e-9);
    if (symmetric(&list[i])) bound = wh * wh;
    if (list[i].order == 0) bound = 1e-4;
    printf(" %s\n", list[i].label);
    run_observed(list[i].spec, scene->model, h, duration, follow, &seen);
    check_near("lowest and", seen.lowest / reach, 0.0, bound);
    check_near("highest x, over the reach", seen.highest / reach, 1.0, bound + wh * wh / 4);
  }
  hn_scene_free(scene);
}

/* The largest energy error in 100 turns and in 10. On the skate it is zero except for accumulated
 * round-off. */
static void symmetric_solvers_bound_the_energy(void **state)
{
  (void)state;
  static const char *const specs[] = { SLE, GS, COMPOSED };
  static const char *const scenes[] = { "knife_edge", "rolling_disc" };
  for (int k = 0; k < 6; k++) {
    hn_scene *scene = load(scenes[k / 3], NULL);
    double brief = run_observed(specs[k % 3], scene->model, 0.05, 10 * M_PI, NULL, NULL).energy_error_max;
    double lasting = run_observed(specs[k % 3], scene->model, 0.05, 100 * M_PI, NULL, NULL).energy_error_max;
    printf(" %s, %s: %.3e J in 10 turns\n", scenes[k / 3], specs[k % 3], brief);
    check_below("in 100", lasting, 1.1 * brief + 1e-8);
    hn_scene_free(scene);
  }
}

/* ---- Rolling down a slope ------------------------------------------------------------------------------ */

/* a = k / (1 + J / (m R^2)): for a ball of any size 5/7 of the acceleration of sliding, for an upright disc
 * 2/3. */
static void a_ball_and_a_wheel_roll_down(void **state)
{
  (void)state;
#define ON_SLOPE(inertia) \
  "local b = sys:body { mass = 2, inertia = " inertia ", position = { 0, 0.5, 0 }, gravity = { 3, -9, 0 } }\n"
  static const struct {
    const char *what, *scene;
    double part;
  } of[] = {
    /* clang-format off */
    { "ball",
      ON_SLOPE("{ 0.2, 0.2, 0.2 }")
      "sys:point_on_plane { sys.ground, b, at = { 0, 0.5, 0 }, axis = { 0, 1, 0 } }\n"
      "sys:rolling { sys.ground, b, at = { 0, 0.5, 0 }, axis = { 0, 1, 0 }, radius = 0.5 }\nreturn sys",
      5.0 / 7 },
    { "disc",
      ON_SLOPE("{ 0.125, 0.125, 0.25 }")
      "local disc = { sys.ground, b, at = { 0, 0.5, 0 }, axis_a = { 0, 1, 0 }, axis_b = { 0, 0, 1 }, "
      "radius = 0.5 }\nsys:disc_on_plane(disc)\nsys:rolling_disc(disc)\nreturn sys",
      2.0 / 3 },
    /* clang-format on */
  };
  solver_spec list[MAX_SOLVERS];
  const size_t count = list_capable(list);
  for (int k = 0; k < 2; k++) {
    worst place = { 0 }, rate = { 0 }, roll = { 0 };
    write_scene(of[k].scene);
    hn_scene *scene = load_written(NULL, 0);
    for (size_t i = 0; i < count; i++) {
      const solver_spec *m = &list[i];
      const double bound = m->order == 0 ? BY_TOLERANCE : m->order == 1 ? 0.02 : 1e-10, a = 3 * of[k].part;
      hn_state *end = run_solver(m, scene->model, 0.01, 1.0, NULL, NULL);
      note(&place, end->pose[1].x[0] - 0.5 * a, bound, m->label);
      note(&rate, end->twist[1].v[0] - a, bound, m->label);
      note(&roll, end->twist[1].w[2] * 0.5 + end->twist[1].v[0], bound, m->label);
      hn_state_free(end);
    }
    printf(" %s, %d solvers\n", of[k].what, (int)count);
    check_worst("path, m", &place);
    check_worst("speed, m/s", &rate);
    check_worst("slip, m/s", &roll);
    hn_scene_free(scene);
  }
}

/* ---- A disc rolling in a circle ------------------------------------------------------------------------ */

static const double lean = 1.1, precession = 2.0, radius = 0.3; /* values of the scene */

/* Closed form about the centre of the circle, with e the disc's axis, A = m R^2 / 4, C = 2 A. The circle's
 * radius is -R w / Omega; the angular velocity along e is
 *    w = cos(lean) (Omega^2 sin(lean) / 4 - g / R) / (3/2 Omega sin(lean)) */
static void circling(double t, hn_state *at)
{
  const double s = sin(lean), c = cos(lean), a = precession * t;
  const double along = c * (precession * precession * s / 4 - 9.81 / radius) / (1.5 * precession * s);
  const double rho = -radius * along / precession, spin = along - precession * c;
  const double out[3] = { cos(a), 0, -sin(a) }, on[3] = { -sin(a), 0, -cos(a) };
  const double about[4] = { cos(a / 2), 0, sin(a / 2), 0 }, tilt[4] = { cos(lean / 2), 0, 0, -sin(lean / 2) },
               spinning[4] = { cos(spin * t / 2), 0, sin(spin * t / 2), 0 };
  double turned[4];
  vec_set(at->pose[1].x, rho * out[0], radius * s, rho * out[2]);
  vec_scale(at->twist[1].v, rho * precession, on);
  vec_set(at->twist[1].w, spin * s * out[0], precession + spin * c, spin * s * out[2]);
  quat_mul(turned, about, tilt);
  quat_mul(at->pose[1].q, turned, spinning);
}

static void every_solver_has_its_order_on_a_circle(void **state)
{
  (void)state;
  solver_spec list[MAX_SOLVERS];
  const size_t count = list_capable(list);
  hn_scene *scene = load("rolling_disc", NULL);
  hn_state *end = hn_state_create(scene->model);
  circling(0, end);
  check_below(
    "start of the scene",
    state_distance(
      end, &(hn_state){ .nbody = 2, .pose = (hn_pose[]){ { .q = { 1 } }, scene->model->body[1].pose0 } }),
    1e-15);
  hn_state_free(end);
  for (size_t i = 0; i < count; i++)
    check_orders(&list[i], scene->model, 1.3, (reference){ .exact = circling }, 0);
  hn_scene_free(scene);
}

typedef struct ring {
  double radius, off;
} ring;

static bool record_radius(void *user, const hn_frame *frame)
{
  ring *r = user;
  const double *x = frame->state->pose[1].x;
  r->off = larger(r->off, fabs(hypot(x[0], x[2]) - r->radius));
  return true;
}

/* Nineteen rounds of the circle. The error is at most that of the order at the disc's own rate. Symmetric
 * solvers do not drift at all, so ten times as many rounds give no larger error. */
static void a_circle_stays_a_circle(void **state)
{
  (void)state;
  static const struct {
    const char *spec;
    int order;
    bool symmetric;
  } of[] = {
    { SLE, 2, true },           { GS, 2, true },
    { COMPOSED, 4, true },      { "generalised-alpha", 2, false },
    { "variational", 2, true }, { "taylor:order=10", 10, false },
    { RK8, 8, false },          { "half-explicit", 4, false },
  };
  const double h = 0.02, rate = 6.3;
  hn_scene *scene = load("rolling_disc", NULL);
  for (size_t k = 0; k < sizeof of / sizeof *of; k++) {
    const double *x = scene->model->body[1].pose0.x;
    ring seen = { hypot(x[0], x[2]), 0.0 };
    printf(" %s\n", of[k].spec);
    hn_summary summary = run_observed(of[k].spec, scene->model, h, 60, record_radius, &seen);
    const double bound = fmax((of[k].symmetric ? 1 : 10) * pow(rate * h, of[k].order), 1e-9), off = seen.off;
    check_below("relative change of the radius", off / seen.radius, bound);
    check_below("energy error, of 13.9 J", summary.energy_error_max / 13.9, bound);
    if (!of[k].symmetric) continue;
    run_observed(of[k].spec, scene->model, h, 600, record_radius, &seen);
    check_near("change in ten times the time, over that", seen.off / off, 1.0, 0.1);
  }
  hn_scene_free(scene);
}

/* ---- A wobbling disc ----------------------------------------------------------------------------------- */

/* A disc of 0.5 m far from steady motion: all quantities vary, and no order appears by symmetry. */
static const char wobbling[] =
  "local s, c = math.sin(0.4), math.cos(0.4)\n"
  "local w, contact = { 0.3, -0.8, 4 }, { 0, -0.5 * c, 0.5 * s }\n"
  "local b = sys:body { mass = 1, inertia = { 0.07, 0.06, 0.12 }, position = { 0, 0.5 * c, 0 }, "
  "velocity = scene.cross(contact, w), angular_velocity = w, axis_angle = { 1, 0, 0, -0.4 }, "
  "gravity = { 1, -9, 0.5 } }\n"
  "local wheel = { sys.ground, b, at = { 0, 0.5 * c, 0 }, axis_a = { 0, 1, 0 }, axis_b = { 0, s, c }, "
  "radius = 0.5 }\nsys:disc_on_plane(wheel)\nsys:rolling_disc(wheel)\nreturn sys";

static void every_solver_has_its_order_on_a_wobble(void **state)
{
  (void)state;
  solver_spec list[MAX_SOLVERS];
  const size_t count = list_capable(list);
  const double duration = 2;
  double force[12], other[12];
  write_scene(wobbling);
  hn_scene *scene = load_written(NULL, 0);
  hn_error error;
  solver_spec rk8 = make_solver(hn_solver_type_find("lagrange", NULL, &error),
                                "stepper=rk8pd,stabilisation=projection");
  solver_spec series = make_solver(hn_solver_type_find("taylor", NULL, &error), "order=20");
  hn_state *end = run_solver(&rk8, scene->model, 0.0025, duration, NULL, force);
  hn_state *by_series = run_solver(&series, scene->model, 0.01, duration, NULL, other);
  check_below("RK8 against power series, m and rad", state_distance(end, by_series), 1e-12);
  check_below("m/s and rad/s", speed_distance(end, by_series), 1e-11);
  for (int i = 0; i < scene->model->nrow; i++) check_below("N", force[i] - other[i], 1e-10);
  hn_state_free(end), hn_state_free(by_series);
  for (size_t i = 0; i < count; i++) /* order 10 reaches round-off before the asymptotic range */
    if (list[i].order < 10) check_orders(&list[i], scene->model, duration, (reference){ 0 }, 0);
  hn_scene_free(scene);
}

/* ---- Solvers without the capability -------------------------------------------------------------------- */

static void refusals_name_capable_solvers(void **state)
{
  (void)state;
  hn_error error = { "" };
  size_t count, capable = 0;
  const hn_solver_type *const *types = hn_solver_types(&count);
  hn_scene *scene = load("knife_edge", NULL);
  assert_null(hn_solver_create("impulse-newton", scene->model, &error));
  printf("  %s\n", error.text);
  assert_non_null(strstr(error.text, "impulse-newton cannot do constraints of velocities"));
  const char *others = strstr(error.text, "solvers that can: ");
  assert_non_null(others);
  for (size_t i = 0; i < count; i++) {
    if (!(types[i]->capabilities & HN_CAN_VELOCITY)) continue;
    assert_non_null(strstr(others, types[i]->name));
    capable++;
  }
  ASSERT_COUNT("solvers that can", capable, 25);
  hn_scene_free(scene);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_closed_form_solves_the_equations),
    cmocka_unit_test(every_solver_has_its_order_on_a_skate),
    cmocka_unit_test(a_skate_does_not_slide_down),
    cmocka_unit_test(symmetric_solvers_bound_the_energy),
    cmocka_unit_test(a_ball_and_a_wheel_roll_down),
    cmocka_unit_test(every_solver_has_its_order_on_a_circle),
    cmocka_unit_test(a_circle_stays_a_circle),
    cmocka_unit_test(every_solver_has_its_order_on_a_wobble),
    cmocka_unit_test(refusals_name_capable_solvers),
  };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
