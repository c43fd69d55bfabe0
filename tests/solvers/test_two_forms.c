/* test_two_forms.c - symplecticity: a solver's map keeps the two-form of phase space or, to show that the
 * test can fail, does not. Of two changes of a state, a and b, the form is
 *
 *   sum over bodies of  x_a p_b - x_b p_a + t_a L_b - t_b L_a - L (t_a x t_b)         p = m v, L = R J R' w
 *
 * where t is the rotation vector, world axes. Its restriction to the positions and velocities that satisfy
 * the joints is the form of the canonical coordinates of the mechanism: M' J M = J. */
#include "models.h"

enum { MOST = 6, BODIES = 2 };

/* A mechanism with FREE coordinates and as many rates; place() sets a state from both. */
typedef struct mechanism {
  const char *name;
  int free;
  double start[2 * MOST];
  hn_model *(*build)(void);
  void (*place)(hn_state *state, const double *y);
} mechanism;

/* ---- Mechanisms ---------------------------------------------------------------------------------------- */

static const double reach = 0.5; /* m, from a joint to the centre of the body */

static hn_model *hinged_boxes(int n)
{
  hn_error error;
  hn_model *model = new_model();
  for (int i = 0; i < n; i++) {
    const char *const names[] = { "upper", "lower" };
    const double at = 2 * reach * i;
    const int box = add_box(model, names[i], at + reach, 0, 0);
    hn_joint_spec hinge = { .type = "hinge",
                            .a = box - 1,
                            .b = box,
                            .at_a = { at, 0, 0 },
                            .at_b = { at, 0, 0 },
                            .has_points = true,
                            .axis_a = { 0, 0, 1 } };
    if (hn_model_add_joint(model, &hinge, &error) < 0) fail_msg("%s", error.text);
  }
  return model;
}

static hn_model *one_box(void)
{
  return hinged_boxes(1);
}

static hn_model *two_boxes(void)
{
  return hinged_boxes(2);
}

/* Sets n boxes in a row from their angles, then rates. */
static void place_boxes(hn_state *s, const double *y)
{
  const int n = s->nbody - 1;
  double tip[2] = { 0 }, rate[2] = { 0 };
  for (int i = 0; i < n; i++) {
    const double c = cos(y[i]), d = sin(y[i]), w = y[n + i];
    s->pose[i + 1] = (hn_pose){ { tip[0] + reach * c, tip[1] + reach * d, 0 },
                                { cos(y[i] / 2), 0, 0, sin(y[i] / 2) } };
    s->twist[i + 1] = (hn_twist){ { rate[0] - reach * w * d, rate[1] + reach * w * c, 0 }, { 0, 0, w } };
    tip[0] += 2 * reach * c, tip[1] += 2 * reach * d;
    rate[0] -= 2 * reach * w * d, rate[1] += 2 * reach * w * c;
  }
}

/* An asymmetric body on a ball joint at the origin. */
static hn_model *top(void)
{
  hn_model *model = new_model();
  hn_body_spec spec = rigid_body("top", 1, 1, 2, 2.5);
  spec.position[0] = reach;
  must_add(model, &spec);
  add_ball(model, 0, 1, 0, 0, 0);
  return model;
}

/* Sets the top from a rotation vector, |y| < 1, and its angular velocity in world axes. */
static void place_top(hn_state *s, const double *y)
{
  const double arm[3] = { reach, 0, 0 };
  double q[4] = { 1, y[0] / 2, y[1] / 2, y[2] / 2 };
  quat_normalise(q);
  memcpy(s->pose[1].q, q, sizeof q);
  quat_rotate(s->pose[1].x, q, arm);
  vec_copy(s->twist[1].w, y + 3);
  vec_cross(s->twist[1].v, y + 3, s->pose[1].x);
}

static const mechanism box = { "a box on a hinge", 1, { 0.3, 1.0 }, one_box, place_boxes },
                       boxes = { "two boxes on hinges", 2, { 0.3, -0.4, 1.0, -2.0 }, two_boxes, place_boxes },
                       heavy = { "an asymmetric top", 3, { 0.2, -0.3, 0.1, 0.5, 1.5, -1.0 }, top, place_top };

/* ---- The form ------------------------------------------------------------------------------------------ */

/* Derivatives of positions, momenta, rotations and moments of momentum. */
typedef struct tangent {
  double x[BODIES][3], p[BODIES][3], turn[BODIES][3], moment[BODIES][3];
} tangent;

static void moment_of(const hn_model *model, const hn_state *s, int body, double pi[3])
{
  quat_unrotate(pi, s->pose[body].q, s->twist[body].w);
  for (int k = 0; k < 3; k++) pi[k] *= model->body[body].J[k];
  quat_rotate(pi, s->pose[body].q, pi);
}

/* Computes (TO - FROM) / span. */
static void difference(const hn_model *model, const hn_state *from, const hn_state *to, double span,
                       tangent *out)
{
  for (int b = 1; b < model->nbody; b++) {
    double back[4], turn[4], pi[2][3];
    memcpy(back, from->pose[b].q, sizeof back);
    for (int k = 1; k < 4; k++) back[k] = -back[k];
    quat_mul(turn, to->pose[b].q, back);
    moment_of(model, from, b, pi[0]), moment_of(model, to, b, pi[1]);
    for (int k = 0; k < 3; k++) {
      out->x[b - 1][k] = (to->pose[b].x[k] - from->pose[b].x[k]) / span;
      out->p[b - 1][k] = model->body[b].mass * (to->twist[b].v[k] - from->twist[b].v[k]) / span;
      out->turn[b - 1][k] = 2 * copysign(turn[k + 1], turn[0] * turn[k + 1]) / span;
      out->moment[b - 1][k] = (pi[1][k] - pi[0][k]) / span;
    }
  }
}

static double form(const hn_model *model, const hn_state *at, const tangent *a, const tangent *b)
{
  double sum = 0;
  for (int i = 0; i + 1 < model->nbody; i++) {
    double pi[3], cross[3];
    moment_of(model, at, i + 1, pi);
    vec_cross(cross, a->turn[i], b->turn[i]);
    sum += vec_dot(a->x[i], b->p[i]) - vec_dot(b->x[i], a->p[i]) + vec_dot(a->turn[i], b->moment[i]) -
           vec_dot(b->turn[i], a->moment[i]) - vec_dot(pi, cross);
  }
  return sum;
}

/* Sets START from y, and END to the end of the run from there. */
static void start_and_end(const mechanism *m, const hn_model *model, const char *spec, double h, int steps,
                          const double *y, hn_state *start, hn_state *end)
{
  hn_solver *solver = new_solver(spec, model);
  m->place(start, y);
  hn_state_copy(end, start);
  for (int n = 0; n < steps; n++) {
    char text[512];
    const hn_reason reason = hn_solver_step(solver, end, h);
    if (reason == HN_CONVERGED) continue;
    hn_solver_explain(solver, reason, h, text, sizeof text);
    fail_msg("%s, %s, step %d: %s", m->name, spec, n, text);
  }
  hn_solver_free(solver);
}

/* Extrapolates the differences over 2 d and over 4 d to the derivatives. */
static tangent derivative(const hn_model *model, hn_state *const at[5], double d)
{
  tangent near, far;
  difference(model, at[1], at[2], 2 * d, &near);
  difference(model, at[3], at[4], 4 * d, &far);
  double *to = &near.x[0][0];
  const double *from = &far.x[0][0];
  for (size_t i = 0; i < sizeof near / sizeof *to; i++) to[i] = (4 * to[i] - from[i]) / 3;
  return near;
}

/* Returns the largest change of the form by a run, relative to its largest value. Differences with d = 2e-5
 * have an error of about d^4, and 1e-13 / d of solvers to a tolerance of 1e-13. */
static double change_of_form(const mechanism *m, const char *spec, double h, int steps)
{
  enum { RUNS = 5 };
  static const double sides[RUNS] = { 0, -1, 1, -2, 2 };
  const double d = 2e-5;
  const int n = 2 * m->free;
  tangent tangents[2][2 * MOST];
  double largest = 0, change = 0;
  hn_model *model = m->build();
  hn_state *state[2][RUNS];
  for (int i = 0; i < 2 * RUNS; i++) state[i % 2][i / 2] = hn_state_create(model);
  for (int j = 0; j < n; j++) {
    for (int side = 0; side < RUNS; side++) {
      double y[2 * MOST];
      memcpy(y, m->start, sizeof y);
      y[j] += sides[side] * d;
      start_and_end(m, model, spec, h, steps, y, state[0][side], state[1][side]);
    }
    for (int end = 0; end < 2; end++) tangents[end][j] = derivative(model, state[end], d);
  }
  for (int j = 0; j < n; j++)
    for (int k = 0; k < j; k++) {
      const double before = form(model, state[0][0], &tangents[0][j], &tangents[0][k]);
      const double after = form(model, state[1][0], &tangents[1][j], &tangents[1][k]);
      largest = larger(largest, fabs(before)), change = larger(change, fabs(after - before));
    }
  for (int i = 0; i < 2 * RUNS; i++) hn_state_free(state[i % 2][i / 2]);
  hn_model_free(model);
  return change / largest;
}

/* ---- Checks -------------------------------------------------------------------------------------------- */

/* Error of the differences, 1e-8 with 1e-13 / d, and a hundredfold margin for the growth of disturbances. */
static const double of_differences = 1e-6;
/* Changes that the test is sure to see. */
static const double visible = 1e-4;

static void check_form(bool kept, const mechanism *m, const char *spec, double h, int steps)
{
  const double change = change_of_form(m, spec, h, steps);
  printf(" %s, %d steps of %g s: %s\n", m->name, steps, h, spec);
  if (kept) check_below("change of the two-form", change, of_differences);
  else check_below("visible / change of the two-form", visible / change, 1.0);
}

/* The exact motion keeps the form, whatever the formula computes at its ends. */
static void exact_motions_keep_the_form(void **state)
{
  (void)state;
  static const char *const exact = "lagrange:stepper=rk8pd,stabilisation=projection,redundancy=remove";
  check_form(true, &box, exact, 0.01, 200);
  check_form(true, &boxes, exact, 0.005, 400);
  check_form(true, &heavy, exact, 0.02, 200);
}

static void variational_steps_keep_the_form(void **state)
{
  (void)state;
  static const char *const specs[] = {
    "variational:redundancy=remove,tolerance=1e-13",
    "variational:derivative=exponential,redundancy=remove,tolerance=1e-13"
  };
  for (int i = 0; i < 2; i++) {
    check_form(true, &box, specs[i], 0.1, 20);
    check_form(true, &boxes, specs[i], 0.05, 40);
    check_form(true, &heavy, specs[i], 0.2, 20);
  }
}

/* The rates are momenta but for a factor if the inertia of the joints is constant. */
static void semi_implicit_steps_keep_it_with_constant_inertia(void **state)
{
  (void)state;
  static const char *const spec = "articulated:stepper=semi-implicit";
  check_form(true, &box, spec, 0.1, 20);
  check_form(false, &boxes, spec, 0.05, 40);
  check_form(false, &heavy, spec, 0.2, 20);
}

static void other_steps_change_the_form(void **state)
{
  (void)state;
  static const char *const specs[] = { "lagrange:stepper=rk4,stabilisation=projection,redundancy=remove",
                                       "articulated",
                                       "null-space",
                                       "generalised-alpha:formulation=ggl,redundancy=remove",
                                       "energy-momentum:redundancy=remove",
                                       "augmented" };
  for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
    check_form(false, &boxes, specs[i], 0.025, 80);
    check_form(false, &heavy, specs[i], 0.2, 20);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(exact_motions_keep_the_form),
    cmocka_unit_test(variational_steps_keep_the_form),
    cmocka_unit_test(semi_implicit_steps_keep_it_with_constant_inertia),
    cmocka_unit_test(other_steps_change_the_form),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
