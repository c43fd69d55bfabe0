/* test_contact_same.c - equal motion with different contact solvers, with bodies in different order, and from
 * separately written equations of motion; scenes with joints and contacts. */
#include "scenes.h"
#include "trials.h"
#include "base/vec.h"

/* ---- Solvers ------------------------------------------------------------------------------------------- */

/* Returns the difference of positions allowed after n steps until T by the tolerance epsilon of the law. Each
 * step leaves an error of epsilon in the rows, ten times that in bodies with short arms. A sliding or flying
 * body keeps the error: n epsilon, displacement times T, for both solvers. A sticking or resting body loses
 * it; the tolerance of the projection remains. */
static double tolerated_difference(double epsilon, double n, double T)
{
  return 2 * 10 * n * epsilon * T + 1e-10;
}

static const struct same {
  const char *scene;
  double h, T;
  const char *settings[3];
} scenes[] = {
  { "sliding_cubes", 0.01, 1, { NULL } },
  { "rolling", 0.002, 0.5, { NULL } },
  { "sliding_to_rolling", 0.002, 0.5, { NULL } },
  { "rod_impact", 0.001, 0.1, { NULL } },
  { "ball_tray", 0.002, 0.1, { NULL } },
  { "stack", 0.01, 0.5, { "boxes=4" } },
  { "pyramid", 0.01, 0.3, { "rows=3" } },
  { "card_house", 0.002, 0.1, { "storeys=1" } },
  { "ladder", 0.001, 0.3, { "floor=0.2", "wall=0.3" } },
  { "bridge", 0.005, 0.25, { "drop=0.05", "planks=5" } },
};

static bench solved_by(const struct same *s, const char *contact, double epsilon)
{
  char spec[160];
  snprintf(spec, sizeof spec, "moreau:contact=%s,contact_tolerance=%g,tolerance=1e-11,sweeps=1000000",
           contact, epsilon);
  bench b = set_up_as(s->scene, s->settings, spec);
  must_converge(&b, s->h, s->T, NULL, NULL);
  return b;
}

static void solvers_agree_on_ten_scenes(void **unused)
{
  (void)unused;
  const double epsilon = 1e-11;
  for (size_t k = 0; k < sizeof scenes / sizeof *scenes; k++) {
    const struct same *s = &scenes[k];
    bench newton = solved_by(s, "newton", epsilon), admm = solved_by(s, "admm", epsilon);
    bench pgs = solved_by(s, "pgs", epsilon);
    const double bound = tolerated_difference(epsilon, s->T / s->h, s->T);
    printf(" %s, %g s: iterations per step newton %.1f, admm %.1f, pgs %.1f\n", s->scene, s->T,
           newton.summary.velocity_iterations_mean, admm.summary.velocity_iterations_mean,
           pgs.summary.velocity_iterations_mean);
    check_below("admm and newton, m", farthest(admm.state, newton.state), bound);
    check_below("pgs and newton, m", farthest(pgs.state, newton.state), bound);
    tear_down(&newton), tear_down(&admm), tear_down(&pgs);
  }
}

/* ---- The order of bodies ------------------------------------------------------------------------------- */

/* Nine bodies fall onto each other and a floor: position i has body (7 i + order) mod 9; the floor is last if
 * the order is odd. */
static const char heap[] =
  "local scene = require 'holonom.scene'\n"
  "local order = scene.param('order', 0, '')\n"
  "local sys = scene.system { gravity = { 0, 0, -9.81 } }\n"
  "local function floor()\n"
  "  sys:body { name = 'floor', fixed = true, position = { 0, 0, 0 }, friction = 0.4,\n"
  "             shape = scene.plane { normal = { 0, 0, 1 } } }\n"
  "end\n"
  "if order % 2 == 0 then floor() end\n"
  "for i = 0, 8 do\n"
  "  local k = order == 0 and i or (7 * i + order) % 9\n"
  "  local shape = k % 3 == 0 and scene.box { 0.4, 0.4, 0.2 } or k % 3 == 1 and scene.sphere { radius = "
  "0.15 }\n"
  "                or scene.capsule { radius = 0.1, height = 0.3 }\n"
  "  sys:body { name = 'b' .. k, shape = shape, density = 500 + 100 * k, friction = 0.4,\n"
  "             position = { 0.13 * (k % 2), 0.11 * (k // 4), 0.17 + 0.32 * k },\n"
  "             axis_angle = { 1, 0.3 * k, 0.2, 0.4 * k } }\n"
  "end\n"
  "if order % 2 == 1 then floor() end\n"
  "sys:contact { margin = 0.02 }\n"
  "return sys\n";

typedef struct contact_count {
  long contacts, max_contacts;
} contact_count;

static bool count_contacts(void *user, const hn_frame *frame)
{
  contact_count *c = user;
  c->contacts += frame->state->ncontact;
  c->max_contacts = frame->state->ncontact > c->max_contacts ? frame->state->ncontact : c->max_contacts;
  return true;
}

static trial fall(const char *spec, int order, contact_count *c)
{
  char text[sizeof heap + 16];
  const char *rest = strstr(heap, "('order', 0") + strlen("('order', 0");
  int length = snprintf(text, sizeof text, "%.*s%d%s", (int)(rest - 1 - heap), heap, order, rest);
  write_bytes(text, (size_t)length);
  *c = (contact_count){ 0 };
  trial r = run_spec(spec, 0.002, 0.3, count_contacts, c);
  if (r.reason != HN_CONVERGED) fail_msg("%s", r.summary.explanation);
  return r;
}

/* Bodies collide at 2 m/s. An impact amplifies a difference of the tolerance by its lever arms: at most a
 * hundredfold in the few impacts of 0.3 s. */
static void order_of_bodies_does_not_matter(void **unused)
{
  (void)unused;
  static const char *const specs[] = { "moreau:tolerance=1e-11", "moreau:contact=newton,tolerance=1e-11" };
  for (int s = 0; s < 2; s++) {
    contact_count of_first, of_other;
    trial first = fall(specs[s], 0, &of_first);
    printf(" %s: at most %ld contacts, %ld in all steps\n", specs[s], of_first.max_contacts,
           of_first.contacts);
    for (int order = 1; order < 4; order++) {
      trial other = fall(specs[s], order, &of_other);
      double largest = 0.0;
      for (int k = 0; k < 9; k++) {
        char name[8];
        hn_error error;
        double d[3];
        snprintf(name, sizeof name, "b%d", k);
        vec_sub(d, first.state->pose[hn_model_find_body(first.scene->model, name, &error)].x,
                other.state->pose[hn_model_find_body(other.scene->model, name, &error)].x);
        largest = larger(largest, vec_norm(d));
      }
      ASSERT_COUNT("contacts in all steps", of_other.contacts, of_first.contacts);
      check_below("another order, m", largest, 100 * tolerated_difference(1e-10, 150, 0.3));
      assert_true(other.summary.hash != first.summary.hash); /* the order of summation differs */
      done(&other);
    }
    trial repeated = fall(specs[s], 0, &of_other);
    assert_true(repeated.summary.hash == first.summary.hash);
    done(&repeated), done(&first);
  }
}

/* ---- A bridge ------------------------------------------------------------------------------------------ */

/* Statics: the first plank is inclined by tan(a) = (W / 2 - m g / 2) / H. */
static void support_forces_of_a_bridge(void **unused)
{
  (void)unused;
  static const char *const specs[] = { "moreau", "moreau:contact=newton" };
  for (int s = 0; s < 2; s++) {
    bench b = set_up("bridge", specs[s]);
    double weight = 0.0, along[3], force[3], torque[3];
    for (int i = 1; i < b.model->nbody; i++) weight += 9.81 * b.model->body[i].mass;
    quat_rotate(along, b.state->pose[1].q, (const double[3]){ 1, 0, 0 });
    const double half = 0.5 * (weight - 9.81 * b.model->body[1].mass), H = -half * along[0] / along[2];
    must_converge(&b, 0.005, 1, NULL, NULL);
    const hn_joint *hinge = &b.model->joint[0];
    hn_joint_reaction(hinge, b.state, b.solver->multipliers + hinge->row, force, torque);
    printf(" %s\n", specs[s]);
    check_near("support: horizontal force, N", force[0], -H, 1e-5);
    check_near("  vertical force, N", force[2], 0.5 * weight, 1e-5);
    tear_down(&b);
  }
  bench b = set_up_as("bridge", WITH("drop=0.5"), "moreau");
  must_converge(&b, 0.005, 1, NULL, NULL);
  check_below("a box falls on it: balance, N s", b.summary.contact.balance, 1e-12);
  check_below("  penetration, m", b.summary.contact.penetration, 1e-9);
  check_below("  joints, m", b.summary.position_max, 1e-9);
  tear_down(&b);
}

/* ---- A sledge ------------------------------------------------------------------------------------------ */

/* Coordinates: x of the sledge and the angle of the pendulum. Mass 2.2 and 2 kg, length 0.5 m, hinge 0.6 m
 * above the middle. */
static const double M = 2.2, m = 2.0, l = 0.5, I = 0.01, g = 9.81, half = 0.4, mu_rear = 0.2, mu_front = 0.4;

typedef struct sledge {
  double x, v, angle, w;
} sledge;

/* Computes the accelerations for friction in direction `sign`, or for rest (0): then also the required
 * friction force and the largest possible one. */
static void sledge_rates(const sledge *y, int sign, double out[2], double *force, double *friction_limit)
{
  const double s = sin(y->angle), c = cos(y->angle), centre_height = 2 * 0.2 / M,
               lever = 0.2 + l + 0.1 - centre_height;
  const double J = m * l * l + I;
  /* All terms are linear in a = x'': angle'' = (-m g l s - m l c a) / J, and so are the forces of the
   * hinge. */
  double N[2][2], F[2]; /* rear and front; constant part and factor of a */
  for (int k = 0; k < 2; k++) {
    const double turn = k ? -m * l * c / J : -m * g * l * s / J;
    const double Rx = -m * (k + l * (c * turn - (k ? 0 : s * y->w * y->w)));
    const double Ry = -m * ((k ? 0 : g) + l * (s * turn + (k ? 0 : c * y->w * y->w)));
    F[k] = k * M - Rx; /* M a = F + Rx */
    const double sum = (k ? 0 : M * g) - Ry;
    const double moment = (lever * Rx - centre_height * F[k]) / half; /* N_front - N_rear */
    N[0][k] = 0.5 * (sum - moment), N[1][k] = 0.5 * (sum + moment);
  }
  double a = 0.0;
  if (sign) {
    const double free = F[0] + sign * (mu_rear * N[0][0] + mu_front * N[1][0]);
    a = -free / (F[1] + sign * (mu_rear * N[0][1] + mu_front * N[1][1]));
  }
  *force = F[0] + F[1] * a;
  *friction_limit = mu_rear * (N[0][0] + N[0][1] * a) + mu_front * (N[1][0] + N[1][1] * a);
  assert_true(N[0][0] + N[0][1] * a > 0 && N[1][0] + N[1][1] * a > 0);
  out[0] = a, out[1] = (-m * g * l * s - m * l * c * a) / J;
}

/* Returns the state after a midpoint step of h with friction in direction `sign`, or at rest. */
static sledge sledge_step(const sledge *y, int sign, double h)
{
  double k[2], force, friction_limit;
  sledge_rates(y, sign, k, &force, &friction_limit);
  const sledge z = { y->x + h / 2 * y->v, y->v + h / 2 * k[0], y->angle + h / 2 * y->w, y->w + h / 2 * k[1] };
  sledge_rates(&z, sign, k, &force, &friction_limit);
  return (sledge){ y->x + h * (sign ? z.v : 0), sign ? y->v + h * k[0] : 0, y->angle + h * z.w,
                   y->w + h * k[1] };
}

/* Integrates until T; `stuck` accumulates the time at rest. A step in which the sledge stops ends there; the
 * start of sliding is not located, which costs h^2. */
static sledge integrate_sledge(double T, double h, double *stuck)
{
  sledge y = { 0, 0, 1.2, 0 };
  for (double t = 0, dt; t < T - 1e-12; t += dt) {
    double k[2], force, friction_limit;
    int sign = y.v > 0 ? 1 : y.v < 0 ? -1 : 0;
    if (sign == 0) {
      sledge_rates(&y, 0, k, &force, &friction_limit);
      sign = force > friction_limit    ? -1
             : force < -friction_limit ? 1
                                       : 0; /* required friction exceeds the limit */
    }
    dt = fmin(h, T - t);
    sledge next = sledge_step(&y, sign, dt);
    if (y.v * next.v < 0) {
      dt *= y.v / (y.v - next.v);
      next = sledge_step(&y, sign, dt), next.v = 0;
    }
    *stuck += sign ? 0 : dt;
    y = next;
  }
  return y;
}

static void sledge_agrees_with_its_equations(void **unused)
{
  (void)unused;
  enum { STEPS = 6 };
  const double T = 1.5;
  double h[STEPS], error[STEPS], stuck = 0, stuck_coarse = 0;
  const sledge y = integrate_sledge(T, 5e-6, &stuck), coarse = integrate_sledge(T, 1e-5, &stuck_coarse);
  printf("  after %g s at %.6f m, angle %.6f; sticking for %.3f s\n", T, y.x, y.angle, stuck);
  check_below("equations, twice the step: position, m", coarse.x - y.x, 1e-8);
  assert_true(stuck > 0.1 && stuck < T - 0.1 && fabs(y.x) > 0.01);
  for (int i = 0; i < STEPS; i++) {
    bench b = set_up("sledge", "moreau:contact=lemke");
    h[i] = 0.008 / (1 << i);
    must_converge(&b, h[i], T, NULL, NULL);
    error[i] = fabs(b.state->pose[2].x[0] - y.x);
    printf("  h = %-8g position %.6f m, error %.3e\n", h[i], b.state->pose[2].x[0], error[i]);
    tear_down(&b);
  }
  check_near("order", hn_fit_order(h, error, STEPS), 1.0, 0.2);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(solvers_agree_on_ten_scenes),
    cmocka_unit_test(order_of_bodies_does_not_matter),
    cmocka_unit_test(support_forces_of_a_bridge),
    cmocka_unit_test(sledge_agrees_with_its_equations),
  };
  return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
