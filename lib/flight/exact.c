/* exact.c - torque-free rotation in closed form, for steps of any length
 *
 * Two equal moments J, and a third one J_c about the axis c, with l = J W constant in world axes:
 *
 *   q(h) = q exp(h l / J) exp(h (1 - J_c/J) W_c c),   W turns about c by the opposite of the second angle
 *
 * Three different moments: P, M, Q are the body axes of the smallest, middle and largest one; dW_i/dt = a_i
 * W_j W_k are Euler's equations in body axes; dashes are derivatives at the start. With
 *
 *   E_P = |a_P a_Q| W_M^2 + |a_M a_Q| W_P^2,  E_Q = |a_P a_Q| W_M^2 + |a_M a_P| W_Q^2          both constant
 *   p^2 = max(E_P, E_Q),  m = min(E_P, E_Q) / p^2,  u = p h,  S = sn(u|m) / p
 *   (D, C) = (dn, cn)(u|m) when l = J W circles around P (E_P > E_Q), else (cn, dn)
 *
 * the addition theorems of the Jacobi functions give the motion from the initial values, without a phase:
 *
 *   W_M(h) = (W_M D C + W_M' S) / N,  W_P(h) = (W_P D + W_P' S C) / N,  W_Q(h) = (W_Q C + W_Q' S D) / N
 *   N = 1 - |a_P a_Q| W_M^2 S^2
 *
 * Orientation: the world angular momentum L is constant. The plane of L and the body's axis P rotates about L
 * at the rate L (l_M^2/J_M + l_Q^2/J_Q) / (l_M^2 + l_Q^2), which lies between L/J_Q and L/J_M. In units with
 * J_Q = 1 its integral is
 *
 *   psi = L h + E(h) + atan2(L e W_M l_M(h) S,  l_Q(h)^2 + l_M(h)^2 - sign(a_M) e l_P(h) W_Q(h) W_M S)
 *   E(h) = L e r_M |a_M| X S^3/3 R_J(C^2, D^2, 1, 1 + r_P e X S^2)
 *   r_i = J_i / J_Q,  e = 1 - r_M,  X = |a_M| W_P^2 + |a_P| W_M^2,  l = r W
 *
 * This is the incomplete elliptic integral of the third kind from phase 0 in Carlson's form, with its
 * addition theorem. With phi the rotation of l about P during h, and T(l) the shortest rotation of P onto l,
 *
 *   q(h) = q T(l) exp((psi - phi) P) T(l(h))^-1
 *
 * [Landau and Lifshitz, Mechanics, sections 36 and 37; Byrd and Friedman 1971, 116.03; R_J: Carlson, Numer.
 * Algorithms 10 (1995) 13, and DLMF 19.16, 19.25, 19.36. Van Zon and Schofield, J. Comput. Phys. 225 (2007)
 * 145, use phases, the circled axis, and theta functions.] E_P, E_Q, X and E are sums of terms of one sign,
 * and no division is by a difference of moments. Nearly equal moments need no special case (m = 0 or p = 0),
 * and a very small J_P costs no accuracy.
 *
 * Long steps: half periods 2K(m) are first subtracted from u. The remainder needs at most K + 1 applications
 * of the formulas with |u| <= 1, where m may be rounded to 1 and N stays above 0.4. K is computed from 1 - m,
 * which has its own expression with little cancellation, so that flips near the separatrix occur at the right
 * time.
 *
 * Accuracy: a few units of round-off times max(1, |w| h), except where the motion itself amplifies errors:
 * near the separatrix by e^(p h) until the first flip. If all but one component of W are below 1e-50 of the
 * largest, the rotation is about a fixed axis, and 1 - m is at least 1e-100: either would show after 115
 * e-folds. World angular momentum is conserved to a few units of round-off per step for any h, and so is the
 * energy away from the separatrix.
 *
 * Jacobi functions and R_J use power series and square roots; sines are needed only if a step rotates by more
 * than a radian. Short steps, the usual case, process two bodies at a time (exact_pair.c), at about the cost
 * of rk4. */
#include "flight/flight.h"

#include "flight/exact_pair.h"
#include "flight/exact_series.h"
#include "base/turn.h"

#define NEGLIGIBLE 1e-50 /* relative size of a component of W below which it is zero: see Accuracy */

/* ---- Jacobi functions and Carlson's integrals ---------------------------------------------------------- */

/* Computes sn, cn and dn of u, |u| at most about 1: power series of sn to u^11 for u below 1/16, then
 * doubling. */
static void jacobi(double u, double m, double *sn, double *cn, double *dn)
{
  int doublings = 0;
  for (; fabs(u) > hn_sn_small; u *= 0.5) doublings++;
  double s = hn_sn_series(u, m), c = sqrt(1.0 - s * s), d = sqrt(1.0 - m * s * s);
  for (; doublings > 0; doublings--) {
    double ss = s * s, scale = 1.0 / (1.0 - m * ss * ss), s2 = 2.0 * s * c * d * scale;
    double c2 = (c * c - ss * d * d) * scale, d2 = (d * d - m * ss * c * c) * scale;
    s = s2, c = c2, d = d2;
  }
  *sn = s, *cn = c, *dn = d;
}

/* Returns K(m) for 1 - m = M1, from the arithmetic-geometric mean. */
static double quarter_period(double m1)
{
  double a = 1.0, b = sqrt(m1);
  while (fabs(a - b) > 1e-8 * a) {
    double mean = 0.5 * (a + b);
    b = sqrt(a * b);
    a = mean;
  }
  return M_PI / (a + b); /* one more mean; its error is the square of the last difference */
}

/* Returns R_C(1, 1 + e). */
static double carlson_C(double e)
{
  double x = 1.0, y = 1.0 + e, A = (x + 2.0 * y) / 3.0, away = e / 3.0;
  for (; fabs(away) > hn_near_mean * A; away *= 0.25) {
    double lambda = 2.0 * sqrt(x) * sqrt(y) + y;
    x = 0.25 * (x + lambda), y = 0.25 * (y + lambda), A = 0.25 * (A + lambda);
  }
  double s = away / A;
  double high = s * (9.0 / 22 + s * (159.0 / 208 + s * (9.0 / 8)));
  return (1.0 + s * s * (3.0 / 10 + s * (1.0 / 7 + s * (3.0 / 8 + high)))) / sqrt(A);
}

/* Returns R_J(x, y, 1, p), p > 0. */
static double carlson_J(double x, double y, double p)
{
  double z = 1.0, A = (x + y + z + 2.0 * p) / 5.0, delta = (p - x) * (p - y) * (p - z), sum = 0.0,
         power = 1.0;
  double X = A - x, Y = A - y, Z = A - z, far = fmax(fabs(A - p), fmax(fabs(X), fmax(fabs(Y), fabs(Z))));
  for (; power * far > hn_near_mean * A; power *= 0.25) {
    double rx = sqrt(x), ry = sqrt(y), rz = sqrt(z), rp = sqrt(p), lambda = rx * (ry + rz) + ry * rz;
    double d = (rp + rx) * (rp + ry) * (rp + rz);
    sum += power / d * carlson_C(power * power * power * delta / (d * d));
    x = 0.25 * (x + lambda), y = 0.25 * (y + lambda), z = 0.25 * (z + lambda), p = 0.25 * (p + lambda);
    A = 0.25 * (A + lambda);
  }
  double scale = power / A;
  return scale / sqrt(A) * hn_carlson_series(X * scale, Y * scale, Z * scale) + 6.0 * sum;
}

/* ---- Three different moments --------------------------------------------------------------------------- */

typedef struct asymmetric {
  int P, M, Q;     /* axes of the smallest, middle and largest moment */
  double r[3];     /* moments over the largest one */
  double a[3];     /* factors of Euler's equations */
  double e, X;     /* see the head comment */
  double L;        /* |r W| */
  double p, m, m1; /* rate and parameter of the Jacobi functions, 1 - m */
  bool circles_P;
} asymmetric;

/* A rotation about an axis: cosine and sine of half the angle, times any factor. */
typedef struct turn {
  double c, s;
} turn;

/* Returns the rotation from direction (1, 0) to (x, y), by less than pi either way; the identity for (0,
 * 0). */
static turn turn_to(double x, double y)
{
  double r = sqrt(x * x + y * y);
  if (r == 0) return (turn){ 1.0, 0.0 };
  double scale = 1.0 / r;
  x *= scale, y *= scale;
  return x >= 0 ? (turn){ 1.0 + x, y } : (turn){ fabs(y), copysign(1.0 - x, y) };
}

static turn turn_join(turn a, turn b)
{
  return (turn){ a.c * b.c - a.s * b.s, a.c * b.s + a.s * b.c };
}

static turn turn_back(turn a)
{
  return (turn){ a.c, -a.s };
}

static void sort_axes(asymmetric *t, const double J[3])
{
  t->P = 0, t->Q = 0;
  for (int i = 1; i < 3; i++) {
    if (J[i] < J[t->P]) t->P = i;
    if (J[i] >= J[t->Q]) t->Q = i;
  }
  t->M = 3 - t->P - t->Q;
}

/* l = r W */
static inline void momentum(const asymmetric *t, const double W[3], double l[3])
{
  for (int i = 0; i < 3; i++) l[i] = t->r[i] * W[i];
}

static void asymmetric_setup(asymmetric *t, const hn_body *body, const double W[3])
{
  const double *J = body->J;
  double l[3];
  sort_axes(t, J);
  const int P = t->P, M = t->M, Q = t->Q;
  for (int i = 0; i < 3; i++) t->r[i] = J[i] * body->inv_J[Q];
  t->a[0] = (J[1] - J[2]) * body->inv_J[0];
  t->a[1] = (J[2] - J[0]) * body->inv_J[1];
  t->a[2] = (J[0] - J[1]) * body->inv_J[2];
  momentum(t, W, l);
  double aP = fabs(t->a[P]), aM = fabs(t->a[M]), aQ = fabs(t->a[Q]);
  double PP = W[P] * W[P], MM = W[M] * W[M], QQ = W[Q] * W[Q];
  double E_P = aP * aQ * MM + aM * aQ * PP, E_Q = aP * aQ * MM + aM * aP * QQ;
  double larger = fmax(E_P, E_Q),
         excess = aM * (aQ * PP - aP * QQ); /* E_P - E_Q, accurate even if both round to the same number */
  double scale = larger > 0 ? 1.0 / larger : 0.0;
  t->circles_P = excess > 0;
  t->e = (J[Q] - J[M]) * body->inv_J[Q];
  t->X = aM * PP + aP * MM;
  t->L = vec_norm(l);
  t->p = sqrt(larger);
  t->m = fmin(E_P, E_Q) * scale;
  t->m1 = larger > 0 ? fmax(fabs(excess * scale), NEGLIGIBLE * NEGLIGIBLE) : 1.0;
}

/* Returns E of the head comment; cn, dn: the Jacobi functions of u = p h. */
static double precession(const asymmetric *t, double S, double cn, double dn)
{
  double x = t->X * S * S, rP = t->r[t->P], rM = t->r[t->M];
  return t->L * t->e * rM * fabs(t->a[t->M]) * x * S / 3.0 * carlson_J(cn * cn, dn * dn, 1.0 + rP * t->e * x);
}

/* Returns the rotation of l about axis P from L0 to L1, less than half a turn either way. */
static turn swing(const asymmetric *t, const double l0[3], const double l1[3])
{
  int x = (t->P + 1) % 3, y = (t->P + 2) % 3;
  return turn_to(l0[x] * l1[x] + l0[y] * l1[y], l0[x] * l1[y] - l0[y] * l1[x]);
}

/* Advances W. Appends to TWIST the part of psi besides E and L h, minus the rotation of l about axis P. */
static void add_step(const asymmetric *t, double S, double C, double D, double W[3], turn *twist)
{
  int P = t->P, M = t->M, Q = t->Q;
  const double *a = t->a;
  double new_W[3], l0[3], l[3], S_M = W[M] * S, N = 1.0 / (1.0 - fabs(a[P] * a[Q]) * S_M * S_M);
  new_W[P] = (W[P] * D + a[P] * W[M] * W[Q] * S * C) * N;
  new_W[M] = (W[M] * D * C + a[M] * W[P] * W[Q] * S) * N;
  new_W[Q] = (W[Q] * C + a[Q] * W[P] * W[M] * S * D) * N;
  momentum(t, W, l0);
  momentum(t, new_W, l);
  double scale = t->L /
                 vec_norm(l); /* 1 up to round-off, which N would amplify from step to step near axis M */
  vec_scale(W, scale, new_W);
  vec_scale(l, scale, l);
  double across = t->L * t->e * S_M * l[M];
  double along = l[Q] * l[Q] + l[M] * l[M] - copysign(t->e, a[M]) * l[P] * W[Q] * S_M;
  *twist = turn_join(*twist, turn_join(turn_to(along, across), turn_back(swing(t, l0, l))));
}

/* OUT = T(l), times any factor: (L + l_P, P x l), the first part without cancellation. */
static void tilt(const asymmetric *t, const double W[3], double out[4])
{
  int P = t->P, x = (P + 1) % 3, y = (P + 2) % 3;
  double l[3];
  momentum(t, W, l);
  out[0] = l[P] >= 0 ? t->L + l[P] : (l[x] * l[x] + l[y] * l[y]) / (t->L - l[P]);
  out[1 + x] = -l[y], out[1 + y] = l[x], out[1 + P] = 0.0;
}

/* dq = T(l) TWIST T(l(h))^-1, times any factor. */
static void assemble(const asymmetric *t, const double W0[3], const double W1[3], turn twist, double dq[4])
{
  double about[4] = { twist.c, 0.0, 0.0, 0.0 }, end[4];
  about[1 + t->P] = twist.s;
  tilt(t, W0, dq);
  tilt(t, W1, end);
  quat_conj(end, end);
  quat_mul(dq, dq, about);
  quat_mul(dq, dq, end);
}

/* Returns the rotation by N half turns; N is an integer. */
static turn half_turns(double n)
{
  static const double sine[4] = { 0.0, 1.0, 0.0, -1.0 };
  int k = (int)fmod(fabs(n), 4.0);
  return (turn){ sine[(k + 1) % 4], copysign(1.0, n) * sine[k] };
}

/* Subtracts half periods 2K from u until |u| is at most K. In each, W moves to the opposite side of its path,
 * and l moves half around axis P or swings across axis Q. PSI grows by the excess over L h. */
static void skip_half_periods(const asymmetric *t, double *u, double W[3], double *psi, turn *twist)
{
  if (fabs(*u) <= M_PI_2) return;
  double K = quarter_period(t->m1), left = remainder(*u, 2.0 * K), n = rint((*u - left) / (2.0 * K)), l0[3],
         l[3];
  *u = left;
  *psi += n * 2.0 * precession(t, 1.0 / t->p, 0.0, sqrt(t->m1));
  momentum(t, W, l0);
  if (fmod(n, 2.0) != 0) W[t->M] *= -1.0, W[t->circles_P ? t->Q : t->P] *= -1.0;
  momentum(t, W, l);
  *twist = turn_back(t->circles_P ? half_turns(W[t->P] > 0 ? -n : n) : swing(t, l0, l));
}

/* Advances W by h. DQ, times any factor, is the rotation from the body axes after h to those before. */
static void fly(const hn_body *body, double h, double W[3], double dq[4])
{
  asymmetric t;
  turn twist = { 1.0, 0.0 }, whole;
  double W0[3];
  asymmetric_setup(&t, body, W);
  vec_copy(W0, W);
  double u = t.p * h, angle = t.L * h, cn = 1.0, dn = 1.0, S = h;
  skip_half_periods(&t, &u, W, &angle, &twist);
  int steps = u == 0 ? 1 : (int)ceil(fabs(u));
  if (t.p > 0) {
    jacobi(u / steps, t.m, &S, &cn, &dn);
    S /= t.p;
  }
  angle += steps * precession(&t, S, cn, dn);
  whole.s = 0.5 * angle * turn_half(0.25 * angle * angle, &whole.c);
  for (int i = 0; i < steps; i++) add_step(&t, S, t.circles_P ? cn : dn, t.circles_P ? dn : cn, W, &twist);
  assemble(&t, W0, W, turn_join(whole, twist), dq);
}

/* ---- Two equal moments, and rotation about an axis ----------------------------------------------------- */

/* Advances W and computes DQ as `fly` does; c is the axis of symmetry. */
static void fly_symmetric(const hn_body *body, int c, double h, double W[3], double dq[4])
{
  const int a = (c + 1) % 3, b = (c + 2) % 3;
  const double ratio = body->J[c] * body->inv_J[a], half = 0.5 * h * (1.0 - ratio) * W[c];
  const double l[3] = { W[0] * (c == 0 ? ratio : 1.0), W[1] * (c == 1 ? ratio : 1.0),
                        W[2] * (c == 2 ? ratio : 1.0) };
  double own[4] = { 0 };
  own[1 + c] = half * turn_half(half * half, own);
  turn_by(dq, h, l);
  quat_mul(dq, dq, own);
  const double cosine = own[0] * own[0] - own[1 + c] * own[1 + c], sine = 2.0 * own[0] * own[1 + c];
  const double W_a = W[a], W_b = W[b];
  W[a] = cosine * W_a + sine * W_b;
  W[b] = cosine * W_b - sine * W_a;
}

/* True if W is along a principal axis, or all axes are principal. */
static bool axis_is_fixed(const double J[3], const double W[3])
{
  double x = fabs(W[0]), y = fabs(W[1]), z = fabs(W[2]), limit = NEGLIGIBLE * fmax(x, fmax(y, z));
  return (x <= limit) + (y <= limit) + (z <= limit) >= 2 || (J[0] == J[1] && J[1] == J[2]);
}

/* ---- Any body ------------------------------------------------------------------------------------------ */

/* out = v rotated by q, or by its conjugate with SIGN -1. A first-order correction removes the round-off in
 * |q|^2, which has the same sign for many steps and would be a drift of the angular momentum. */
static inline void rotate(double out[3], const double q[4], double sign, const double v[3])
{
  double c[3], d[3], twice = 4.0 - 2.0 * (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  vec_cross(c, q + 1, v);
  vec_cross(d, q + 1, c);
  for (int i = 0; i < 3; i++) out[i] = v[i] + twice * (sign * q[0] * c[i] + d[i]);
}

/* Returns a power of two that keeps the squares of W within the range of numbers when W is multiplied with
 * it: usually 1. */
static double scale_of(const double W[3])
{
  double largest = fmax(fabs(W[0]), fmax(fabs(W[1]), fabs(W[2])));
  int exponent;
  if ((largest > 0x1p-60 && largest < 0x1p60) || !(largest > 0.0) || isinf(largest)) return 1.0;
  (void)frexp(largest, &exponent);
  return ldexp(1.0, exponent < -1000 ? 1000 : -exponent);
}

static void rotate_one(const hn_body *body, double h, const hn_pose *pose, const hn_twist *twist,
                       hn_pose *pose_out, hn_twist *twist_out)
{
  double W[3], dq[4];
  rotate(W, pose->q, -1.0, twist->w);
  double scale = scale_of(W);
  vec_scale(W, scale, W);
  h /= scale;
  const bool fixed_axis = axis_is_fixed(body->J, W);
  const int symmetry = hn_axis_of_symmetry(body->J);
  if (!isfinite(h * (fabs(W[0]) + fabs(W[1]) + fabs(W[2])))) dq[0] = dq[1] = dq[2] = dq[3] = NAN;
  else if (fixed_axis) turn_by(dq, h, W);
  else if (symmetry >= 0) fly_symmetric(body, symmetry, h, W, dq);
  else fly(body, h, W, dq);
  quat_mul(pose_out->q, pose->q, dq);
  quat_normalise(pose_out->q);
  if (fixed_axis) {
    vec_copy(twist_out->w, twist->w);
  } else {
    vec_scale(W, 1.0 / scale, W);
    rotate(twist_out->w, pose_out->q, 1.0, W);
  }
}

void hn_rotate_exact(const hn_flight *flight, const hn_body *body, const int *index, int count, double h,
                     const hn_pose *pose, const hn_twist *twist, hn_pose *pose_out, hn_twist *twist_out)
{
  (void)flight;
  for (int i = 0; i < count; i += 2) {
    int a = index[i], b = index[i + 1 < count ? i + 1 : i];
    bool done[2];
    hn_rotate_pair(body, a, b, h, pose, twist, pose_out, twist_out, done);
    if (!done[0]) rotate_one(&body[a], h, &pose[a], &twist[a], &pose_out[a], &twist_out[a]);
    if (!done[1] && b != a) rotate_one(&body[b], h, &pose[b], &twist[b], &pose_out[b], &twist_out[b]);
  }
}
