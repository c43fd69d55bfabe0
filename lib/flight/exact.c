/* exact.c - torque-free rotation in closed form, for steps of any length.
 *
 * Write P, M, Q for the body axes of the smallest, middle and largest moment, dW_i/dt = a_i W_j W_k for Euler's
 * equations in body axes, and dashes for derivatives at the start. With
 *
 *   E_P = |a_P a_Q| W_M^2 + |a_M a_Q| W_P^2,  E_Q = |a_P a_Q| W_M^2 + |a_M a_P| W_Q^2          both constant
 *   p^2 = max(E_P, E_Q),  m = min(E_P, E_Q) / p^2,  u = p h,  S = sn(u|m) / p
 *   (D, C) = (dn, cn)(u|m) when l = J W circles around P (E_P > E_Q), else (cn, dn)
 *
 * the addition theorems of the Jacobi functions give the motion from the initial values alone, without a phase:
 *
 *   W_M(h) = (W_M D C + W_M' S) / N,  W_P(h) = (W_P D + W_P' S C) / N,  W_Q(h) = (W_Q C + W_Q' S D) / N
 *   N = 1 - |a_P a_Q| W_M^2 S^2
 *
 * Orientation: the world angular momentum L is constant. The plane of L and the body's axis P turns about L at the rate
 * L (l_M^2/J_M + l_Q^2/J_Q) / (l_M^2 + l_Q^2), which is between L/J_Q and L/J_M. In units with J_Q = 1 its integral is
 *
 *   psi = L h + E(h) + atan2(L e W_M l_M(h) S,  l_Q(h)^2 + l_M(h)^2 - sign(a_M) e l_P(h) W_Q(h) W_M S)
 *   E(h) = L e r_M |a_M| X S^3/3 R_J(C^2, D^2, 1, 1 + r_P e X S^2)
 *   r_i = J_i / J_Q,  e = 1 - r_M,  X = |a_M| W_P^2 + |a_P| W_M^2,  l = r W
 *
 * that is, the incomplete integral of the third kind from phase 0 in Carlson's form, and its addition theorem. [Landau
 * and Lifshitz, Mechanics, sections 36 and 37; Byrd and Friedman 1971, 116.03; R_J: DLMF 19.16 and 19.25. Compare van
 * Zon and Schofield, J. Comput. Phys. 225 (2007) 145, who use phases, the axis that is circled, and theta functions.]
 * E_P, E_Q, X and E are sums of terms of one sign, and nothing is divided by a difference of moments: with two or three
 * equal moments the same lines hold with m = 0 or p = 0, and a very small J_P costs no accuracy.
 *
 * Long steps: half periods 2K(m) are taken off u first, and what is left is covered by at most K + 1 applications of
 * the formulas with |u| <= 1, where m may be rounded to 1 and N stays above 0.4. K is computed from 1 - m, which has
 * its own expression without needless cancellation, so that flips near the separatrix come when they should.
 *
 * Accuracy: a few units of round-off times max(1, |w| h), except for what the motion itself magnifies: near the
 * separatrix that is e^(p h) until the first flip. Components of W below 1e-50 of the largest are taken as rotation
 * about a fixed axis, and 1 - m is held above 1e-100: either would be seen after 115 e-folds. World angular momentum is
 * kept to a few units of round-off per step, whatever h, and so is the energy away from the separatrix. Uses GSL's
 * special functions and libm, whose versions decide the last bits. */
#include "elementary.h"
#include "flight/flight.h"

#include "base/vec.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_sf_ellint.h>
#include <gsl/gsl_sf_elljac.h>

#define NEGLIGIBLE 1e-50

typedef struct top {
  int P, M, Q;     /* axes of the smallest, middle and largest moment */
  double r[3];     /* moments over the largest one */
  double a[3];     /* factors of Euler's equations */
  double e, X;     /* see above */
  double L;        /* |r W| */
  double p, m, m1; /* rate and parameter of the Jacobi functions, 1 - m */
  bool circles_P;
} top;

/* A rotation by an angle, as cosine and sine of its half. */
typedef struct turn { double c, s; } turn;

/* The turn from the direction (1, 0) to (x, y), by less than pi either way; none for (0, 0). */
static turn turn_to(double x, double y)
{
  double r = hn_hypot(x, y);
  turn half = { 1.0, 0.0 };
  if (r == 0) return half;
  if (x >= 0) {
    half.c = sqrt(0.5 * (1.0 + x / r));
    half.s = 0.5 * (y / r) / half.c;
  } else {
    half.s = copysign(sqrt(0.5 * (1.0 - x / r)), y);
    half.c = 0.5 * (y / r) / half.s;
  }
  return half;
}

static turn turn_join(turn a, turn b)
{
  return (turn){ a.c * b.c - a.s * b.s, a.c * b.s + a.s * b.c };
}

static void sort_axes(top *t, const double J[3])
{
  t->P = 0, t->Q = 0;
  for (int i = 1; i < 3; i++) {
    if (J[i] < J[t->P]) t->P = i;
    if (J[i] >= J[t->Q]) t->Q = i;
  }
  t->M = 3 - t->P - t->Q;
}

/* l = r W */
static void momentum(const top *t, const double W[3], double l[3])
{
  for (int i = 0; i < 3; i++) l[i] = t->r[i] * W[i];
}

/* J has two different moments at least. */
static void top_setup(top *t, const double J[3], const double W[3])
{
  double l[3];
  sort_axes(t, J);
  for (int i = 0; i < 3; i++) {
    t->a[i] = (J[(i + 1) % 3] - J[(i + 2) % 3]) / J[i];
    t->r[i] = J[i] / J[t->Q];
  }
  momentum(t, W, l);
  double aP = fabs(t->a[t->P]), aM = fabs(t->a[t->M]), aQ = fabs(t->a[t->Q]);
  double PP = W[t->P] * W[t->P], MM = W[t->M] * W[t->M], QQ = W[t->Q] * W[t->Q];
  double E_P = aP * aQ * MM + aM * aQ * PP, E_Q = aP * aQ * MM + aM * aP * QQ;
  double larger = fmax(E_P, E_Q), excess = aM * (aQ * PP - aP * QQ); /* E_P - E_Q, when both round to the same */
  t->circles_P = excess > 0;
  t->e = (J[t->Q] - J[t->M]) / J[t->Q];
  t->X = aM * PP + aP * MM;
  t->L = vec_norm(l);
  t->p = sqrt(larger);
  t->m = larger > 0 ? fmin(E_P, E_Q) / larger : 0.0;
  t->m1 = larger > 0 ? fmax(fabs(excess / larger), NEGLIGIBLE * NEGLIGIBLE) : 1.0;
}

/* E of the head comment; SN, CN, DN: the Jacobi functions of u = p h. */
static double precession(const top *t, double S, double cn, double dn)
{
  gsl_sf_result RJ;
  double x = t->X * S * S, rP = t->r[t->P], rM = t->r[t->M];
  gsl_sf_ellint_RJ_e(cn * cn, dn * dn, 1.0, 1.0 + rP * t->e * x, GSL_PREC_DOUBLE, &RJ);
  return t->L * t->e * rM * fabs(t->a[t->M]) * x * S / 3.0 * RJ.val;
}

/* The turn of l about axis P from W0 to W1, less than half a turn either way. */
static turn swing(const top *t, const double W0[3], const double W1[3])
{
  int x = (t->P + 1) % 3, y = (t->P + 2) % 3;
  double l0[3], l1[3];
  momentum(t, W0, l0);
  momentum(t, W1, l1);
  return turn_to(l0[x] * l1[x] + l0[y] * l1[y], l0[x] * l1[y] - l0[y] * l1[x]);
}

/* Advances W, and appends what psi has over E and L h to PSI, and the turn of l about axis P to PHI. */
static void add_step(const top *t, double S, double C, double D, double W[3], turn *psi, turn *phi)
{
  int P = t->P, M = t->M, Q = t->Q;
  const double *a = t->a;
  double new_W[3], l[3], S_M = W[M] * S;
  double N = 1.0 - fabs(a[P] * a[Q]) * S_M * S_M;
  new_W[P] = (W[P] * D + a[P] * W[M] * W[Q] * S * C) / N;
  new_W[M] = (W[M] * D * C + a[M] * W[P] * W[Q] * S) / N;
  new_W[Q] = (W[Q] * C + a[Q] * W[P] * W[M] * S * D) / N;
  momentum(t, new_W, l);
  double scale = t->L / vec_norm(l); /* 1 but for round-off, which N would magnify from step to step beside axis M */
  vec_scale(new_W, scale, new_W);
  vec_scale(l, scale, l);
  double across = t->L * t->e * S_M * l[M];
  double along = l[Q] * l[Q] + l[M] * l[M] - copysign(t->e, a[M]) * l[P] * new_W[Q] * S_M;
  *psi = turn_join(*psi, turn_to(along, across));
  *phi = turn_join(*phi, swing(t, W, new_W));
  vec_copy(W, new_W);
}

/* dq = Rz(phi0) Ry(theta0) Rz(psi) Ry(-theta1) Rz(-phi - phi0), z along axis P: from the right, l at the end turns onto
 * P, then comes psi about it, then P turns onto l at the start. */
static void assemble(const top *t, const double W0[3], const double W1[3], turn psi, turn phi, double dq[4])
{
  int P = t->P, x = (P + 1) % 3, y = (P + 2) % 3;
  double l0[3], l1[3];
  momentum(t, W0, l0);
  momentum(t, W1, l1);
  turn start = turn_to(l0[x], l0[y]), end = turn_join(phi, start);
  turn tilt0 = turn_to(l0[P], hn_hypot(l0[x], l0[y])), tilt1 = turn_to(l1[P], hn_hypot(l1[x], l1[y]));
  double q[4] = { start.c, 0, 0, start.s };
  double factor[4][4] = {
    { tilt0.c, 0, tilt0.s, 0 }, { psi.c, 0, 0, psi.s }, { tilt1.c, 0, -tilt1.s, 0 }, { end.c, 0, 0, -end.s }
  };
  for (int i = 0; i < 4; i++) quat_mul(q, q, factor[i]);
  dq[0] = q[0], dq[1 + x] = q[1], dq[1 + y] = q[2], dq[1 + P] = q[3];
}

/* Rotation about the fixed axis W. */
static void turn_about_axis(const double W[3], double h, double dq[4])
{
  double rate = vec_norm(W), sine;
  hn_sincos(0.5 * rate * h, &sine, &dq[0]);
  vec_scale(dq + 1, rate > 0 ? sine / rate : 0.0, W);
}

/* N half turns, N whole. */
static turn half_turns(double n)
{
  static const double sine[4] = { 0.0, 1.0, 0.0, -1.0 };
  int k = (int)fmod(fabs(n), 4.0);
  return (turn){ sine[(k + 1) % 4], copysign(1.0, n) * sine[k] };
}

/* Takes half periods 2K off u until it is at most K. In each, W goes to the opposite side of its path, and l goes half
 * round axis P or swings across axis Q; psi grows by what it has over L h. */
static void skip_half_periods(const top *t, double *u, double W[3], double *psi, turn *phi)
{
  gsl_sf_result K;
  if (fabs(*u) <= M_PI_2) return;
  gsl_sf_ellint_RF_e(0.0, t->m1, 1.0, GSL_PREC_DOUBLE, &K);
  double left = remainder(*u, 2.0 * K.val), n = rint((*u - left) / (2.0 * K.val)), W0[3];
  *u = left;
  *psi += n * 2.0 * precession(t, 1.0 / t->p, 0.0, sqrt(t->m1));
  vec_copy(W0, W);
  if (fmod(n, 2.0) != 0) W[t->M] *= -1.0, W[t->circles_P ? t->Q : t->P] *= -1.0;
  *phi = t->circles_P ? half_turns(W[t->P] > 0 ? -n : n) : swing(t, W0, W);
}

/* W becomes the angular velocity after h; dq takes the body axes then to the body axes now. */
static void fly(const double J[3], double h, double W[3], double dq[4])
{
  top t;
  turn phi = { 1.0, 0.0 };
  double W0[3];
  top_setup(&t, J, W);
  vec_copy(W0, W);
  double u = t.p * h, angle = t.L * h, cn = 1.0, dn = 1.0, S = h;
  skip_half_periods(&t, &u, W, &angle, &phi);
  int steps = u == 0 ? 1 : (int)ceil(fabs(u));
  if (t.p > 0) {
    gsl_sf_elljac_e(u / steps, t.m, &S, &cn, &dn);
    S /= t.p;
  }
  angle += steps * precession(&t, S, cn, dn);
  turn psi;
  hn_sincos(0.5 * angle, &psi.s, &psi.c);
  for (int i = 0; i < steps; i++) add_step(&t, S, t.circles_P ? cn : dn, t.circles_P ? dn : cn, W, &psi, &phi);
  assemble(&t, W0, W, psi, phi, dq);
}

/* Whether W is along a principal axis, or all axes are principal. */
static bool axis_is_fixed(const double J[3], const double W[3])
{
  double x = fabs(W[0]), y = fabs(W[1]), z = fabs(W[2]), limit = NEGLIGIBLE * fmax(x, fmax(y, z));
  return (x <= limit) + (y <= limit) + (z <= limit) >= 2 || (J[0] == J[1] && J[1] == J[2]);
}

/* out = v turned by q, or by its conjugate with SIGN -1. The round-off in |q|^2 is taken out, to first order: it has
 * the same sign for many steps, and would show as a drift of the angular momentum. */
static void rotate(double out[3], const double q[4], double sign, const double v[3])
{
  double c[3], d[3], twice = 4.0 - 2.0 * (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  vec_cross(c, q + 1, v);
  vec_cross(d, q + 1, c);
  for (int i = 0; i < 3; i++) out[i] = v[i] + twice * (sign * q[0] * c[i] + d[i]);
}

static void rotate_one(const hn_body *body, double h, const hn_pose *pose, const hn_twist *twist, hn_pose *pose_out,
                       hn_twist *twist_out)
{
  double W[3], dq[4];
  int exponent = 0;
  rotate(W, pose->q, -1.0, twist->w);
  (void)frexp(fmax(fabs(W[0]), fmax(fabs(W[1]), fabs(W[2]))), &exponent);
  for (int i = 0; i < 3; i++) W[i] = ldexp(W[i], -exponent);
  h = ldexp(h, exponent); /* now the largest component is near 1 and h in units of its inverse */
  bool fixed_axis = axis_is_fixed(body->J, W);
  if (!isfinite(h * vec_norm(W))) dq[0] = dq[1] = dq[2] = dq[3] = NAN;
  else if (fixed_axis) turn_about_axis(W, h, dq);
  else fly(body->J, h, W, dq);
  quat_mul(pose_out->q, pose->q, dq);
  quat_normalise(pose_out->q);
  if (fixed_axis) {
    vec_copy(twist_out->w, twist->w);
  } else {
    for (int i = 0; i < 3; i++) W[i] = ldexp(W[i], exponent);
    rotate(twist_out->w, pose_out->q, 1.0, W);
  }
}

void hn_rotate_exact(const hn_flight *flight, const hn_body *body, const int *index, int count, double h,
                     const hn_pose *pose, const hn_twist *twist, hn_pose *pose_out, hn_twist *twist_out)
{
  (void)flight;
  for (int i = 0; i < count; i++) {
    int b = index[i];
    rotate_one(&body[b], h, &pose[b], &twist[b], &pose_out[b], &twist_out[b]);
  }
}
