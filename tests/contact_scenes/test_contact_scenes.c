/* test_contact_scenes.c - contact scenes against statics, closed forms, integrals of motion, and separately
 * written equations of motion: an arch, a ladder, and tops on a plane. */
#include "scenes.h"
#include "base/vec.h"

#include <stdlib.h>

/* Checks that errors at `count` steps h have a fitted order of 1. */
static void check_order_1(const char *what, const double *h, const double *error, size_t count)
{
  for (size_t i = 0; i < count; i++) printf("  h = %-10.4g %s: error %.4e\n", h[i], what, error[i]);
  check_near("order", hn_fit_order(h, error, count), 1.0, 0.2);
}

/* ---- Arch ---------------------------------------------------------------------------------------------- */

enum { MAX_WEDGES = 100 };

/* a[0] H + a[1] m <= a[2] for the thrust H and its moment m about the centre of the circle, at the left
 * springing */
typedef struct half_plane {
  double a[3];
} half_plane;

/* Writes the constraints of every joint: N inside the thickness, T inside the cone; returns their number. The
 * first k wedges are in equilibrium with the springing, (H, W / 2) with m, and the force F = (H, V) of the
 * joint. N = F . t; the moment is -N times the radius at which N acts. */
static int joint_constraints(const bench *b, int wedges, double thickness, double mu, half_plane *out)
{
  double weight = 0.0, moment = 0.0;
  int count = 0;
  for (int i = 2; i < 2 + wedges; i++) weight += b->model->body[i].mass;
  double V = 0.5 * weight;
  for (int k = 0; k <= wedges; k++) {
    const double angle = M_PI * (1.0 - (double)k / wedges), s = sin(angle), c = cos(angle);
    const double N[3] = { s, 0, V * c }, T[3] = { c, 0, -V * s }; /* T < 0 points inwards */
    const double inner = 1 - thickness / 2, outer = 1 + thickness / 2;
    out[count++] = (half_plane){ { inner * N[0], 1, inner * N[2] - moment } }; /* inner N <= -m_k */
    out[count++] = (half_plane){ { -outer * N[0], -1, -outer * N[2] + moment } };
    out[count++] = (half_plane){ { -mu * N[0] + T[0], 0, -mu * N[2] + T[2] } };
    out[count++] = (half_plane){ { -mu * N[0] - T[0], 0, -mu * N[2] - T[2] } };
    if (k == wedges) break;
    const hn_body *body = &b->model->body[k + 2];
    V -= body->mass, moment -= body->mass * b->state->pose[k + 2].x[0];
  }
  return count;
}

/* True if a point satisfies all constraints: then a vertex does. */
static bool is_feasible(const half_plane *all, int count)
{
  for (int i = 0; i < count; i++)
    for (int j = 0; j < i; j++) {
      const double *p = all[i].a, *q = all[j].a, det = p[0] * q[1] - p[1] * q[0];
      if (fabs(det) < 1e-12) continue;
      const double H = (p[2] * q[1] - p[1] * q[2]) / det, m = (p[0] * q[2] - p[2] * q[0]) / det;
      int k = 0;
      while (k < count && all[k].a[0] * H + all[k].a[1] * m <= all[k].a[2] + 1e-9 * (1 + fabs(all[k].a[2])))
        k++;
      if (k == count) return true;
    }
  return false;
}

static bench arch_of(int wedges, double thickness, double mu, const char *spec)
{
  char text[3][64];
  snprintf(text[0], sizeof text[0], "blocks=%d", wedges);
  snprintf(text[1], sizeof text[1], "thickness=%.17g", thickness);
  snprintf(text[2], sizeof text[2], "friction=%.17g", mu);
  return set_up_as("arch", WITH(text[0], text[1], text[2]), spec);
}

static bool can_stand(int wedges, double thickness, double mu)
{
  static half_plane all[4 * (MAX_WEDGES + 1)];
  bench b = arch_of(wedges, thickness, mu, "moreau");
  const int count = joint_constraints(&b, wedges, thickness, mu, all);
  tear_down(&b);
  return is_feasible(all, count);
}

/* Returns the smallest thickness with friction mu or, if mu < 0, the smallest friction with thickness 0.2. */
static double find_limit(int wedges, double mu)
{
  double falls = 0.02, stands = mu < 0 ? 1.0 : 0.2;
  for (int i = 0; i < 16; i++) {
    const double middle = 0.5 * (falls + stands);
    const bool good = mu < 0 ? can_stand(wedges, 0.2, middle) : can_stand(wedges, middle, mu);
    *(good ? &stands : &falls) = middle;
  }
  return stands;
}

typedef struct settling {
  int body;
  double start, settled, max_settlement;
} settling;

static bool watch_settling(void *user, const hn_frame *frame)
{
  settling *w = user;
  const double y = frame->state->pose[w->body].x[1];
  if (frame->index == 0) w->start = y;
  w->settled = w->start - y;
  return w->settled < w->max_settlement;
}

/* Returns the settlement of the keystone within 3 s; the run ends at 0.05 m. */
static double settlement(double thickness, double mu)
{
  bench b = arch_of(9, thickness, mu, "moreau");
  settling w = { .body = body_named(&b, "wedge5"), .max_settlement = 0.05 };
  const hn_reason reason = run(&b, 0.005, 3, watch_settling, &w);
  printf("  thickness %.4f, friction %.4f: settled by %.3g m at %.2f s\n", thickness, mu, w.settled,
         b.state->time);
  assert_true(reason == HN_CONVERGED || reason == HN_INTERRUPTED);
  tear_down(&b);
  return w.settled;
}

static void arch_stands_as_statics_predicts(void **unused)
{
  (void)unused;
  check_near("many wedges: limit thickness (Milankovitch)", find_limit(MAX_WEDGES, 2.0), 0.1075, 5e-4);
  const double thickness = find_limit(9, 0.6), mu = find_limit(9, -1);
  printf("  nine wedges: thickness %.5f with friction 0.6, friction %.5f with thickness 0.2\n", thickness,
         mu);
  check_below("2 % thicker stands, m", settlement(1.02 * thickness, 0.6), 1e-9);
  assert_true(settlement(0.98 * thickness, 0.6) >= 0.05);
  check_below("2 % more friction stands, m", settlement(0.2, 1.02 * mu), 1e-9);
  assert_true(settlement(0.2, 0.98 * mu) >= 0.05);
}

/* Planar wedges have mass, centre and moment by formulas of the scene; spatial ones by their hulls. */
static void planar_and_spatial_wedges_agree(void **unused)
{
  (void)unused;
  bench plane = set_up_as("arch", WITH("blocks=5"), "moreau");
  bench space = set_up_as("arch", WITH("blocks=5", "planar=false"), "moreau");
  for (int i = 2; i < 7; i++) {
    const hn_body *a = &plane.model->body[i], *b = &space.model->body[i];
    double apart[3], nearest = INFINITY;
    vec_sub(apart, plane.state->pose[i].x, space.state->pose[i].x);
    for (int k = 0; k < 3; k++) nearest = fmin(nearest, fabs(a->J[2] / a->mass - b->J[k] / b->mass));
    check_below("centre, m", vec_norm(apart), 1e-12);
    check_below("mass over that of the hull - 1", a->mass / b->mass - 1, 1e-12);
    check_below("moment over mass, m^2", nearest, 1e-12);
  }
  tear_down(&plane), tear_down(&space);
}

/* ---- Ladder -------------------------------------------------------------------------------------------- */

static bench ladder_at(double angle, double floor, double wall, const char *spec)
{
  char text[3][64];
  snprintf(text[0], sizeof text[0], "angle=%.17g", angle);
  snprintf(text[1], sizeof text[1], "floor=%.17g", floor);
  snprintf(text[2], sizeof text[2], "wall=%.17g", wall);
  return set_up_as("ladder", WITH(text[0], text[1], text[2]), spec);
}

/* tan = (1 - mu1 mu2) / (2 mu1); tested 0.1 % above and below. The ladder accelerates with less than g /
 * 1000, 5 mm in a second. */
static void ladder_stands_at_its_limit_angle(void **unused)
{
  (void)unused;
  const double limit = (1 - 0.4 * 0.3) / (2 * 0.4);
  for (int k = 0; k < 2; k++) {
    bench b = ladder_at(atan(limit * (k ? 1.001 : 0.999)), 0.4, 0.3, "moreau");
    const int ladder = body_named(&b, "ladder");
    const double x = b.state->pose[ladder].x[0];
    must_converge(&b, 0.001, 1, NULL, NULL);
    const double way = b.state->pose[ladder].x[0] - x;
    printf("  tan(angle) %g of the limit: the middle moved by %g m\n", k ? 1.001 : 0.999, way);
    if (k) check_below("  displacement, m", way, 1e-11);
    else assert_true(way > 1e-4);
    tear_down(&b);
  }
}

typedef struct detachment {
  int ladder;
  double time, angle;
} detachment;

static bool watch_detachment(void *user, const hn_frame *frame)
{
  detachment *w = user;
  const double *q = frame->state->pose[w->ladder].q;
  double along[3];
  quat_rotate(along, q, (const double[3]){ 1, 0, 0 }); /* from the foot to the wall */
  w->angle = atan2(along[1], -along[0]);
  bool pushed = frame->index == 0;
  for (int i = 0; i < frame->state->ncontact; i++)
    pushed |= frame->state->contact[i].a == 2 && frame->state->contact[i].impulse[0] > 2e-7;
  w->time = frame->state->time;
  return pushed;
}

/* The event may be a step early or late, with a rate of 2.4 rad/s. The force of the wall falls by 50 N/s:
 * 2e-7 N s corresponds to 0.4 h. Impulses below that are attributed to the tolerance of the solver. */
static void smooth_ladder_detaches_from_the_wall(void **unused)
{
  (void)unused;
  const double h = 1e-4;
  bench b = ladder_at(M_PI / 3, 0, 0, "moreau:theta=0.5");
  detachment w = { .ladder = body_named(&b, "ladder") };
  run(&b, h, 0.5, watch_detachment, &w);
  check_near("detaches from the wall, s", w.time, .32503070159082072631, 3 * h);
  check_near("  at angle, degrees", w.angle * 180 / M_PI, 35.26438968275465432, 3 * h * 2.4 * 180 / M_PI);
  tear_down(&b);
}

/* Computes the angular velocity and acceleration of a ladder that slides at both ends, m = length = 1:
 *    x'' = N2 - mu1 N1,  y'' = N1 + mu2 N2 - g,  J angle'' = N2 (s + mu2 c) / 2 - N1 (c - mu1 s) / 2 */
static void ladder_rates(const double y[2], double mu1, double mu2, double out[2])
{
  const double s = sin(y[0]), c = cos(y[0]), w2 = y[1] * y[1], under = 1 + mu1 * mu2;
  /* factor of angle'', and the rest */
  const double ax[2] = { -s / 2, -c / 2 * w2 }, ay[2] = { c / 2, -s / 2 * w2 + 9.81 };
  double torque[2];
  for (int k = 0; k < 2; k++) {
    const double N1 = (ay[k] - mu2 * ax[k]) / under, N2 = (ax[k] + mu1 * ay[k]) / under;
    torque[k] = (N2 * (s + mu2 * c) - N1 * (c - mu1 * s)) / 2;
  }
  out[0] = y[1], out[1] = torque[1] / (1.0 / 12 - torque[0]);
}

static void ladder_agrees_with_its_equation(void **unused)
{
  (void)unused;
  enum { STEPS = 6, FINE = 20000 };
  const double mu1 = 0.2, mu2 = 0.3, end = 0.3;
  double y[2] = { M_PI / 3, 0 }, h[STEPS], error[STEPS];
  for (int i = 0; i < FINE; i++) { /* midpoint rule, accurate to 1e-9 */
    double k[2], middle[2];
    ladder_rates(y, mu1, mu2, k);
    for (int c = 0; c < 2; c++) middle[c] = y[c] + end / FINE / 2 * k[c];
    ladder_rates(middle, mu1, mu2, k);
    for (int c = 0; c < 2; c++) y[c] += end / FINE * k[c];
  }
  for (int i = 0; i < STEPS; i++) {
    bench b = ladder_at(M_PI / 3, mu1, mu2, "moreau");
    h[i] = 0.004 / (1 << i);
    must_converge(&b, h[i], end, NULL, NULL);
    error[i] = fabs(b.state->pose[body_named(&b, "ladder")].x[0] - 1e-6 - cos(y[0]) / 2);
    tear_down(&b);
  }
  printf("  after %g s: %.3f degrees\n", end, y[0] * 180 / M_PI);
  check_order_1("position, m", h, error, STEPS);
}

/* ---- Tops ---------------------------------------------------------------------------------------------- */

/* Returns L . r of body 2: r from its centre of mass to the lowest point of a ball of radius R at `at` (body
 * axes). */
static double jellett(const bench *b, const double at[3], double R)
{
  const double *q = b->state->pose[2].q, *J = b->model->body[2].J;
  double w[3], L[3], r[3];
  quat_unrotate(w, q, b->state->twist[2].w);
  for (int c = 0; c < 3; c++) w[c] *= J[c];
  quat_rotate(L, q, w);
  quat_rotate(r, q, at);
  r[2] -= R;
  return vec_dot(L, r);
}

static double cosine(const bench *b, const double axis[3])
{
  double up[3];
  quat_rotate(up, b->state->pose[2].q, axis);
  return up[2];
}

typedef struct top {
  const char *scene;
  double axis[3], at[3], R;
} top;

/* Jellett's integral of a top in contact is constant until `end`, to order 1. */
static void check_jellett_integral(const top *t, double end)
{
  enum { STEPS = 6 };
  double h[STEPS], error[STEPS];
  for (int i = 0; i < STEPS; i++) {
    bench b = set_up(t->scene, "moreau:contact_tolerance=1e-12,tolerance=1e-12");
    const double before = jellett(&b, t->at, t->R);
    h[i] = 4e-4 / (1 << i);
    must_converge(&b, h[i], end, NULL, NULL);
    error[i] = fabs(jellett(&b, t->at, t->R) / before - 1);
    tear_down(&b);
  }
  check_order_1("Jellett's integral over that of the start - 1", h, error, STEPS);
}

static void tippe_top_inverts(void **unused)
{
  (void)unused;
  const top t = { "tippe_top", { 0, 0, 1 }, { 0, 0, 0.003 }, 0.015 };
  check_jellett_integral(&t, 0.1);
  for (double h = 2e-4; h > 9e-5; h /= 2) { /* the result must not depend on the step */
    bench b = set_up(t.scene, "moreau:contact_tolerance=1e-12,tolerance=1e-12");
    must_converge(&b, h, 4, NULL, NULL);
    printf(
      "  h = %g s: cosine of its axis %.4f, height %.5f m, energy %.4g J of %.4g J, gained in a step %.2g "
      "J\n",
      h, cosine(&b, t.axis), b.state->pose[2].x[2], b.summary.energy_final, b.summary.energy_initial,
      b.summary.energy_gain);
    assert_true(cosine(&b, t.axis) < -0.98); /* on its stem: height 0.005 + 0.016 m */
    check_near("  height, m", b.state->pose[2].x[2], 0.021, 2e-4);
    assert_true(b.summary.energy_final < 0.5 * b.summary.energy_initial);
    tear_down(&b);
  }
}

static void rotating_egg_rises(void **unused)
{
  (void)unused;
  const top t = { "rotating_egg", { 0, 1, 0 }, { 0, -0.008, 0 }, 0.02 };
  check_jellett_integral(&t, 0.05);
  bench b = set_up(t.scene, "moreau:contact=newton");
  const double before = cosine(&b, t.axis);
  must_converge(&b, 5e-5, 0.7, NULL, NULL);
  printf("  its axis above the level: sine %.3f, and %.3f at the start; height %.5f m\n",
         fabs(cosine(&b, t.axis)), before, b.state->pose[2].x[2]);
  assert_true(fabs(cosine(&b, t.axis)) > 0.6);
  tear_down(&b);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(arch_stands_as_statics_predicts),
    cmocka_unit_test(planar_and_spatial_wedges_agree),
    cmocka_unit_test(ladder_stands_at_its_limit_angle),
    cmocka_unit_test(smooth_ladder_detaches_from_the_wall),
    cmocka_unit_test(ladder_agrees_with_its_equation),
    cmocka_unit_test(tippe_top_inverts),
    cmocka_unit_test(rotating_egg_rises),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
