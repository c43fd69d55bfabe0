/* taylor_flight.c - free rotation by its power series in time, any order n from 1 to 30
 *
 *   W[k+1] = J^-1 sum_{i<=k} (J W[i]) x W[k-i] / (k+1)   coefficients of the angular velocity, body axes
 *   q[k+1] = sum_{i<=k} q[k-i] (0, W[i]) / (2 (k+1))     and of the orientation
 *
 * One step of h uses the powers 0 to n: the local error has order n+1, the global error order n. Energy and
 * world angular momentum are conserved to that order. The cost grows as n^2.
 *
 * Adaptive: h is divided into substeps s. The first omitted power estimates the error, |q[n+1]| |s|^(n+1). A
 * substep with an error above the tolerance is repeated with a smaller s from the same coefficients. The next
 * size is s (tolerance / estimate)^(1/(n+1)) times a safety factor, within growth bounds. [After bender2005,
 * section 4.1, whose exponent 1/n does not fit an error of order n+1.] After MAX_ATTEMPTS the result is NaN,
 * which every solver reports as not finite.
 *
 * Two bodies advance side by side (lane.h); the result of a body does not depend on its neighbour. The code
 * uses only + - * / and sqrt: the bits are the same from any compiler. */
#include "flight/flight.h"

#include "base/lane.h"
#include "base/vec.h"

enum { MAX_ORDER = 30, MAX_ATTEMPTS = 100000 };

typedef struct spin_series {
  lane q[4][MAX_ORDER + 2];
  lane W[3][MAX_ORDER + 2];
} spin_series;

/* Returns coefficient k of a b. */
static inline lane product(const lane *a, const lane *b, int k)
{
  lane sum = a[0] * b[k];
  for (int i = 1; i <= k; i++) sum += a[i] * b[k - i];
  return sum;
}

/* Computes coefficients 1 to ORDER from coefficient 0; c as in lane_gather. */
static void expand(spin_series *s, const lane c[3], int order)
{
  lane(*q)[MAX_ORDER + 2] = s->q, (*W)[MAX_ORDER + 2] = s->W;
  for (int k = 0; k < order; k++) {
    double per_k = 1.0 / (k + 1), half = 0.5 * per_k;
    lane p0 = { 0, 0 }, p1 = p0, p2 = p0, p3 = p0;
    for (int i = 0; i <= k; i++) {
      lane w = q[0][k - i], x = q[1][k - i], y = q[2][k - i], z = q[3][k - i];
      p0 -= x * W[0][i] + y * W[1][i] + z * W[2][i];
      p1 += w * W[0][i] + y * W[2][i] - z * W[1][i];
      p2 += w * W[1][i] - x * W[2][i] + z * W[0][i];
      p3 += w * W[2][i] + x * W[1][i] - y * W[0][i];
    }
    q[0][k + 1] = half * p0, q[1][k + 1] = half * p1, q[2][k + 1] = half * p2, q[3][k + 1] = half * p3;
    W[0][k + 1] = per_k * (c[0] * product(W[1], W[2], k));
    W[1][k + 1] = per_k * (c[1] * product(W[2], W[0], k));
    W[2][k + 1] = per_k * (c[2] * product(W[0], W[1], k));
  }
}

static inline lane sum_at(const lane *a, int order, double h)
{
  lane sum = a[order];
  for (int k = order - 1; k >= 0; k--) sum = sum * h + a[k];
  return sum;
}

/* Sets coefficient 0 to the sums at time h. */
static void advance(spin_series *s, int order, double h)
{
  for (int i = 0; i < 4; i++) s->q[i][0] = sum_at(s->q[i], order, h);
  for (int i = 0; i < 3; i++) s->W[i][0] = sum_at(s->W[i], order, h);
}

/* ---- Adaptive substeps --------------------------------------------------------------------------------- */

static double power(double x, int n)
{
  double result = 1.0;
  for (; n > 0; n /= 2, x *= x)
    if (n % 2) result *= x;
  return result;
}

/* Computed by bisection: accurate enough for a step size, without pow. */
double hn_flight_step_factor(double ratio, int n)
{
  double low = 0.2, high = 5.0;
  for (int i = 0; i < 12; i++) {
    double middle = 0.5 * (low + high);
    if (power(middle / 0.9, n) <= ratio) low = middle;
    else high = middle;
  }
  return low;
}

/* Returns |q[n+1]| of the body in this half of the lanes. */
static double first_left_out(const spin_series *s, int order, int half)
{
  double next[4];
  for (int i = 0; i < 4; i++) next[i] = s->q[i][order + 1][half];
  return norm_of(next, 4);
}

/* Advances one body, stored in both halves of the lanes, by h in substeps; false if there are too many. */
static bool advance_adaptive(spin_series *s, const lane c[3], int order, double h, double tolerance)
{
  double left = h, step = h;
  bool fresh = true;
  for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    if (fresh) expand(s, c, order + 1);
    double error = first_left_out(s, order, 0) * power(fabs(step), order + 1);
    fresh = error <= tolerance;
    if (fresh) {
      advance(s, order, step);
      left -= step;
      if (left == 0) return true;
    }
    step *= hn_flight_step_factor(tolerance / error, order + 1);
    if (fabs(step) > fabs(left)) step = left;
  }
  return false;
}

/* Loads bodies A and B into S and C. */
static void gather(spin_series *s, lane c[3], const hn_body *body, const hn_pose *pose, const hn_twist *twist,
                   int a, int b)
{
  lane_spin spin;
  lane_gather(&spin, c, body, pose, twist, a, b);
  for (int j = 0; j < 4; j++) s->q[j][0] = spin.q[j];
  for (int j = 0; j < 3; j++) s->W[j][0] = spin.W[j];
}

double hn_taylor_error(const hn_flight *flight, const hn_body *body, const int *index, int count, double h,
                       const hn_pose *pose, const hn_twist *twist)
{
  const int order = flight->options.order;
  double largest = 0.0;
  for (int i = 0; i < count; i += 2) {
    spin_series s;
    lane c[3];
    gather(&s, c, body, pose, twist, index[i], index[i + 1 < count ? i + 1 : i]);
    expand(&s, c, order + 1);
    for (int half = 0; half < 2; half++) {
      double next = first_left_out(&s, order, half);
      if (exceeds(next, largest)) largest = next;
    }
  }
  return largest * power(fabs(h), order + 1);
}

void hn_rotate_taylor(const hn_flight *flight, const hn_body *body, const int *index, int count, double h,
                      const hn_pose *pose, const hn_twist *twist, hn_pose *pose_out, hn_twist *twist_out)
{
  const hn_flight_options *options = &flight->options;
  bool pairs = !options->adaptive; /* false: each body has its own substeps */
  for (int i = 0; i < count; i += pairs ? 2 : 1) {
    int a = index[i], b = index[pairs && i + 1 < count ? i + 1 : i];
    lane_spin spin;
    spin_series s;
    lane c[3];
    gather(&s, c, body, pose, twist, a, b);
    if (pairs) {
      expand(&s, c, options->order);
      advance(&s, options->order, h);
    } else if (!advance_adaptive(&s, c, options->order, h, options->tolerance)) {
      s.q[0][0] = (lane){ NAN, NAN };
    }
    for (int j = 0; j < 4; j++) spin.q[j] = s.q[j][0];
    for (int j = 0; j < 3; j++) spin.W[j] = s.W[j][0];
    lane_scatter(&spin, pose_out, twist_out, a, b);
  }
}
