/* exact_pair.c - exact rotations of two bodies side by side (lane.h) for short steps: the closed forms of
 * exact.c, if each function needs one series only
 *
 * Axes are renumbered, both in the body and in the world. With two equal moments, axis 0 is the axis of
 * symmetry. With three different moments, axes 0, 1, 2 are P, M, Q of exact.c; the last axis is reversed if
 * they would be left-handed, so a_0 <= 0 <= a_1 and a_2 <= 0. The result of a body does not depend on its
 * neighbour. */
#include "flight/exact_pair.h"
#include "flight/exact_series.h"

#include "base/lane.h"
#include "base/turn.h"

HN_EXACT_SERIES(lane, lane_)

/* Renumbering: axis i is axis[i] of the body times sign[i]. */
typedef struct frame {
  int axis[3];
  double sign[3];
} frame;

typedef struct bodies {
  const hn_body *body[2];
  frame frame[2];
  lane q[4], W[3];
} bodies;

static inline void gather(bodies *two, const hn_pose *pose, const hn_twist *twist, int a, int b)
{
  const frame *f = &two->frame[0], *g = &two->frame[1];
  lane w[3];
  two->q[0] = (lane){ pose[a].q[0], pose[b].q[0] };
  for (int i = 0; i < 3; i++) {
    two->q[1 + i] = (lane){ f->sign[i] * pose[a].q[1 + f->axis[i]], g->sign[i] * pose[b].q[1 + g->axis[i]] };
    w[i] = (lane){ f->sign[i] * twist[a].w[f->axis[i]], g->sign[i] * twist[b].w[g->axis[i]] };
  }
  lane_rotate(two->W, two->q, -1.0, w);
}

static inline void scatter_one(const frame *f, int half, const lane q[4], const lane w[3], hn_pose *pose,
                               hn_twist *twist)
{
  pose->q[0] = q[0][half];
  for (int i = 0; i < 3; i++) {
    pose->q[1 + f->axis[i]] = f->sign[i] * q[1 + i][half];
    twist->w[f->axis[i]] = f->sign[i] * w[i][half];
  }
}

static inline lane lane_series(const double c[TURN_TERMS], lane x)
{
  lane low = (c[0] + x * c[1]) + x * x * (c[2] + x * c[3]),
       high = (c[4] + x * c[5]) + x * x * (c[6] + x * c[7]);
  return low + (x * x) * (x * x) * high;
}

/* out = a b; out is neither */
static inline void lane_quat_mul(lane out[4], const lane a[4], const lane b[4])
{
  out[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
  out[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
  out[2] = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
  out[3] = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
}

/* True if W is along an axis, a separate case in exact.c. */
static inline bool along_axis(const lane W[3], int half)
{
  return (W[0][half] == 0) + (W[1][half] == 0) + (W[2][half] == 0) >= 2;
}

/* ---- Two equal moments --------------------------------------------------------------------------------- */

/* Advances W and computes dq; DONE is true for bodies whose series are exact. */
static inline void fly_symmetric(bodies *two, double h, lane dq[4], bool done[2])
{
  lane *W = two->W, ratio;
  for (int k = 0; k < 2; k++)
    ratio[k] = two->body[k]->J[two->frame[k].axis[0]] * two->body[k]->inv_J[two->frame[k].axis[1]];
  lane half = 0.5 * h * ((1.0 - ratio) * W[0]), l = ratio * W[0];
  lane x = 0.25 * h * h * (l * l + W[1] * W[1] + W[2] * W[2]), y = half * half;
  for (int k = 0; k < 2; k++) done[k] = x[k] <= turn_small && y[k] <= turn_small && !along_axis(W, k);
  lane c = lane_series(turn_even, x), s = 0.5 * h * lane_series(turn_odd, x),
       own_c = lane_series(turn_even, y);
  lane own_s = half * lane_series(turn_odd, y), a = s * W[1], b = s * W[2];
  lane cosine = own_c * own_c - own_s * own_s, sine = 2.0 * own_c * own_s;
  dq[0] = c * own_c - s * l * own_s;
  dq[1] = c * own_s + s * l * own_c;
  dq[2] = a * own_c + b * own_s;
  dq[3] = b * own_c - a * own_s;
  a = cosine * W[1] + sine * W[2];
  W[2] = cosine * W[2] - sine * W[1];
  W[1] = a;
}

/* ---- Three different moments --------------------------------------------------------------------------- */

typedef struct asymmetric_pair {
  lane A[3]; /* |a_i| of Euler's equations */
  lane r[2]; /* moments over the largest one */
  lane e, X, L, p, m;
  bool circles[2]; /* l circles around axis 0 */
} asymmetric_pair;

/* Returns the axes sorted by moment. */
static frame sorted(const double J[3])
{
  int low = 0, high = 0;
  for (int i = 1; i < 3; i++) {
    if (J[i] < J[low]) low = i;
    if (J[i] >= J[high]) high = i;
  }
  return (frame){ { low, 3 - low - high, high },
                  { 1.0, 1.0, (3 - low - high) == (low + 1) % 3 ? 1.0 : -1.0 } };
}

static inline void asymmetric_setup(asymmetric_pair *t, const bodies *two)
{
  const lane *W = two->W;
  lane J[3], inv_J[3];
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 2; k++)
      J[i][k] = two->body[k]->J[two->frame[k].axis[i]],
      inv_J[i][k] = two->body[k]->inv_J[two->frame[k].axis[i]];
  t->A[0] = (J[2] - J[1]) * inv_J[0], t->A[1] = (J[2] - J[0]) * inv_J[1], t->A[2] = (J[1] - J[0]) * inv_J[2];
  t->r[0] = J[0] * inv_J[2], t->r[1] = J[1] * inv_J[2], t->e = (J[2] - J[1]) * inv_J[2];
  lane PP = W[0] * W[0], MM = W[1] * W[1], QQ = W[2] * W[2], both = t->A[0] * t->A[2] * MM;
  lane E_P = both + t->A[1] * t->A[2] * PP, E_Q = both + t->A[1] * t->A[0] * QQ, larger, smaller;
  for (int k = 0; k < 2; k++) {
    t->circles[k] = t->A[2][k] * PP[k] - t->A[0][k] * QQ[k] > 0;
    larger[k] = fmax(E_P[k], E_Q[k]), smaller[k] = fmin(E_P[k], E_Q[k]);
  }
  t->X = t->A[1] * PP + t->A[0] * MM;
  t->p = lane_sqrt(larger);
  t->m = smaller / larger;
}

static inline lane lane_norm(const lane l[3])
{
  return lane_sqrt(l[0] * l[0] + l[1] * l[1] + l[2] * l[2]);
}

/* Computes sn, cn and dn of u from those of u/2. */
static inline void jacobi(lane u, lane m, lane *sn, lane *cn, lane *dn)
{
  lane s = lane_sn_series(0.5 * u, m), ss = s * s, cc = 1.0 - ss, dd = 1.0 - m * ss;
  lane c = lane_sqrt(cc), d = lane_sqrt(dd), scale = 1.0 / (1.0 - m * ss * ss);
  *sn = 2.0 * s * c * d * scale, *cn = (cc - ss * dd) * scale, *dn = (dd - m * ss * cc) * scale;
}

/* Returns E of exact.c; MISSED is the truncation error of the series of R_J. */
static inline lane precession(const asymmetric_pair *t, lane S, lane cn, lane dn, lane *missed)
{
  lane x = cn * cn, y = dn * dn, square = t->X * S * S, p = 1.0 + t->r[0] * t->e * square;
  lane A = (x + y + 1.0 + 2.0 * p) / 5.0, scale = 1.0 / A, X = (A - x) * scale, Y = (A - y) * scale;
  lane Z = (A - 1.0) * scale, P = (A - p) * scale;
  lane far = X * X + Y * Y + Z * Z + P * P;
  lane E = t->L * t->e * t->r[1] * t->A[1] * square * S / 3.0 * (scale / lane_sqrt(A)) *
           lane_carlson_series(X, Y, Z);
  *missed = E * (far * far) * (far * far);
  return E;
}

/* Returns the scalar part of the rotation of axis 0 onto l, times any factor, without cancellation. */
static inline lane tilt(const asymmetric_pair *t, const lane l[3])
{
  lane first = t->L + l[0];
  for (int k = 0; k < 2; k++)
    if (l[0][k] < 0) first[k] = (l[1][k] * l[1][k] + l[2][k] * l[2][k]) / (t->L[k] - l[0][k]);
  return first;
}

/* dq = T(l) exp((psi - phi) axis 0) T(l(h))^-1, times any factor; C and S are cosine and sine of half the
 * middle angle. */
static inline void assemble(const asymmetric_pair *t, const lane l0[3], const lane l[3], lane c, lane s,
                            lane dq[4])
{
  lane from = tilt(t, l0), to = tilt(t, l);
  lane w = from * c, x = from * s, y = l0[1] * s - l0[2] * c, z = l0[1] * c + l0[2] * s;
  dq[0] = w * to - y * l[2] + z * l[1];
  dq[1] = x * to - y * l[1] - z * l[2];
  dq[2] = w * l[2] + x * l[1] + y * to;
  dq[3] = x * l[2] - w * l[1] + z * to;
}

/* Advances W and computes dq, times any factor; DONE is true for bodies whose series are exact. */
static inline void fly_asymmetric(bodies *two, double h, lane dq[4], bool done[2])
{
  const double small = 4.0 * hn_sn_small * hn_sn_small, round_off = 1e-17;
  lane *W = two->W, D, C, sn, cn, dn, missed;
  asymmetric_pair t;
  asymmetric_setup(&t, two);
  lane l0[3] = { t.r[0] * W[0], t.r[1] * W[1], W[2] };
  t.L = lane_norm(l0);
  lane u = t.p * h;
  jacobi(u, t.m, &sn, &cn, &dn);
  lane S = sn / t.p, angle = 0.5 * (t.L * h + precession(&t, S, cn, dn, &missed)), square = angle * angle;
  for (int k = 0; k < 2; k++) D[k] = t.circles[k] ? dn[k] : cn[k], C[k] = t.circles[k] ? cn[k] : dn[k];
  lane SM = S * W[1], N = 1.0 / (1.0 - t.A[0] * t.A[2] * SM * SM);
  lane next[3] = { (W[0] * D - t.A[0] * W[1] * W[2] * S * C) * N,
                   (W[1] * D * C + t.A[1] * W[0] * W[2] * S) * N, (W[2] * C - t.A[2] * W[0] * SM * D) * N };
  lane l[3] = { t.r[0] * next[0], t.r[1] * next[1], next[2] };
  lane scale = t.L / lane_norm(l); /* 1 up to round-off, without bias, as both lengths are rounded alike */
  for (int i = 0; i < 3; i++) l[i] *= scale, next[i] *= scale;
  lane across = t.L * t.e * SM * l[1], along = l[2] * l[2] + l[1] * l[1] - t.e * l[0] * next[2] * SM;
  lane dot = l0[1] * l[1] + l0[2] * l[2], cross = l0[1] * l[2] - l0[2] * l[1];
  lane re = along * dot + across * cross, im = across * dot - along * cross,
       r = lane_sqrt(re * re + im * im) + re;
  for (int k = 0; k < 2; k++) /* false for NaN and infinity */
    done[k] = u[k] * u[k] <= small && fabs(missed[k]) <= round_off && square[k] <= turn_small &&
              re[k] >= 1e-100 && re[k] <= 1e100 && t.L[k] >= 1e-50 && t.L[k] <= 1e50 && !along_axis(W, k);
  lane c = lane_series(turn_even, square), s = angle * lane_series(turn_odd, square);
  assemble(&t, l0, l, c * r - s * im, c * im + s * r, dq);
  for (int i = 0; i < 3; i++) W[i] = next[i];
}

/* ---- Both ---------------------------------------------------------------------------------------------- */

static frame turned(int axis)
{
  static const int next[5] = { 0, 1, 2, 0, 1 };
  return (frame){ { next[axis], next[axis + 1], next[axis + 2] }, { 1.0, 1.0, 1.0 } };
}

/* Rotates those of the two bodies that are SYMMETRIC, or asymmetric, as OF selects. If only one is, it fills
 * both halves. */
static inline void rotate_kind(bool symmetric, const bool of[2], const hn_body *body, int a, int b, double h,
                               const hn_pose *pose, const hn_twist *twist, hn_pose *pose_out,
                               hn_twist *twist_out, bool done[2])
{
  const int first = of[0] ? a : b, second = of[1] ? b : a;
  bodies two = { .body = { &body[first], &body[second] } };
  lane dq[4], q[4], w[3];
  bool fit[2];
  for (int k = 0; k < 2; k++)
    two.frame[k] = symmetric ? turned(hn_axis_of_symmetry(two.body[k]->J)) : sorted(two.body[k]->J);
  gather(&two, pose, twist, first, second);
  if (symmetric) fly_symmetric(&two, h, dq, fit);
  else fly_asymmetric(&two, h, dq, fit);
  done[0] |= of[0] && fit[0], done[1] |= of[1] && fit[1];
  if (!(of[0] && fit[0]) && !(of[1] && fit[1])) return;
  lane_quat_mul(q, two.q, dq);
  lane_normalise(q);
  lane_rotate(w, q, 1.0, two.W);
  if (of[0] && fit[0]) scatter_one(&two.frame[0], 0, q, w, &pose_out[a], &twist_out[a]);
  if (of[1] && fit[1]) scatter_one(&two.frame[1], 1, q, w, &pose_out[b], &twist_out[b]);
}

static bool is_sphere(const double J[3])
{
  return J[0] == J[1] && J[1] == J[2];
}

void hn_rotate_pair(const hn_body *body, int a, int b, double h, const hn_pose *pose, const hn_twist *twist,
                    hn_pose *pose_out, hn_twist *twist_out, bool done[2])
{
  const bool symmetric[2] = { hn_axis_of_symmetry(body[a].J) >= 0, hn_axis_of_symmetry(body[b].J) >= 0 };
  const bool asymmetric[2] = { !symmetric[0] && !is_sphere(body[a].J),
                               !symmetric[1] && !is_sphere(body[b].J) };
  done[0] = done[1] = false;
  if (symmetric[0] || symmetric[1])
    rotate_kind(true, symmetric, body, a, b, h, pose, twist, pose_out, twist_out, done);
  if (asymmetric[0] || asymmetric[1])
    rotate_kind(false, asymmetric, body, a, b, h, pose, twist, pose_out, twist_out, done);
}
