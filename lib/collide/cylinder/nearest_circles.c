/* nearest_circles.c - points of locally least distance of two circles (see cylinder.h).
 *
 * The distance of a point of the first circle from the second has a closed form. At a minimum its derivative
 * by the angle rises through 0. Such roots are bracketed on 32 samples, and on 8 finer ones per interval
 * where the derivative is small relative to its maximum, because two roots may be close together there.
 * Where it stays next to nothing over a finer interval the circles are nearly tangent, and a third root may
 * be as close: such intervals are divided further. */
#include "base/vec.h"
#include "collide/cylinder/cylinder.h"
#include "elementary.h"

/* 40 golden-section steps shrink an interval to 4e-9 of its length. */
enum { MAX_ILLINOIS_STEPS = 100, MAX_GOLDEN_STEPS = 40 };
/* rad: a change of the angle by rounding. */
static const double angle_rounding = 2e-16;
/* Fraction of the largest rate below which two roots may lie between two samples. */
static const double dip_fraction = 0.15;
/* 1/rad: slope, relative to the largest rate, below which an interval may have more than one root. */
static const double flat_slope = 0.02;

/* Computes the point A at (COSINE, SINE) of the first circle and the nearest point B of the second. Returns
 * half the derivative of their squared distance by the angle. */
static double rate_at(const hn_rims *m, double cosine, double sine, double a[3], double b[3])
{
  double to[3], span[3];
  vec_set(a, m->r * cosine, m->y, m->r * sine);
  vec_sub(to, a, m->centre);
  double x = vec_dot(m->e[0], to), z = vec_dot(m->e[1], to), rho = sqrt(x * x + z * z);
  if (!(rho > 0)) x = rho = 1;
  vec_along(b, m->centre, m->s * x / rho, m->e[0]);
  vec_add_scaled(b, m->s * z / rho, m->e[1]);
  vec_sub(span, a, b);
  return m->r * (span[2] * cosine - span[0] * sine);
}

static double rate(const hn_rims *m, double angle, double a[3], double b[3])
{
  double sine, cosine;
  hn_sincos(angle, &sine, &cosine);
  return rate_at(m, cosine, sine, a, b);
}

/* Finds the root of the rate between LOW, where it is negative, and HIGH by the Illinois variant of regula
 * falsi. */
static void rim_root(const hn_rims *m, double low, double high, double a[3], double b[3])
{
  double f = rate(m, low, a, b), g = rate(m, high, a, b), previous = high;
  int side = 0;
  for (int i = 0; i < MAX_ILLINOIS_STEPS; i++) {
    double angle = low + (high - low) * (f / (f - g));
    if (!(angle > low && angle < high)) angle = 0.5 * (low + high);
    double at = rate(m, angle, a, b);
    if (at == 0 || fabs(angle - previous) <= angle_rounding) return;
    if (at < 0) low = angle, f = at, g *= side < 0 ? 0.5 : 1, side = -1;
    else high = angle, g = at, f *= side > 0 ? 0.5 : 1, side = 1;
    previous = angle;
  }
}

/* Finds an angle between LOW and HIGH where SIGN times the rate is negative, by golden-section search; false
 * if none. */
static bool find_dip(const hn_rims *m, double sign, double low, double high, double *angle)
{
  const double golden = 0.6180339887498949;
  double a[3], b[3], x = high - golden * (high - low), y = low + golden * (high - low);
  double f = sign * rate(m, x, a, b), g = sign * rate(m, y, a, b);
  for (int i = 0; i < MAX_GOLDEN_STEPS && f > 0 && g > 0; i++) {
    if (f < g) high = y, y = x, g = f, x = high - golden * (high - low), f = sign * rate(m, x, a, b);
    else low = x, x = y, f = g, y = low + golden * (high - low), g = sign * rate(m, y, a, b);
  }
  *angle = f < g ? x : y;
  return fmin(f, g) < 0;
}

/* Brackets a rising root in [LOW, HIGH], or in that interval extended downwards by its length. VALUE: rates
 * at the preceding sample, LOW and HIGH. Covers two roots between neighbouring samples. */
static bool bracket(const hn_rims *m, const double value[3], double *low, double *high)
{
  double angle, from = *low - (*high - *low);
  if (value[1] < 0 && value[2] >= 0) return true;
  if (value[1] > 0 && value[0] > value[1] && value[2] >= value[1])
    return find_dip(m, 1, from, *high, &angle) && (*low = angle, true);
  if (value[1] < 0 && value[0] < value[1] && value[2] <= value[1])
    return find_dip(m, -1, from, *high, &angle) && (*low = from, *high = angle, true);
  return false;
}

/* Computes the unit normal to both circles at A and B, outward from the first; false if both points
 * coincide. */
static bool across_rims(const hn_rims *m, const double a[3], const double b[3], double n[3])
{
  double tangent[3] = { -a[2], 0, a[0] }, other[3], axis[3], arm[3], span[3];
  vec_cross(axis, m->e[0], m->e[1]);
  vec_sub(arm, b, m->centre);
  vec_cross(other, axis, arm);
  vec_cross(n, tangent, other);
  double length = vec_norm(n), outward;
  if (!(length > hn_min_cross_length * m->r * m->s)) {
    vec_sub(span, b, a);
    vec_copy(n, span);
    length = vec_norm(span);
    if (!(length > hn_min_distance * (m->r + m->s))) return false;
  }
  outward = n[0] * a[0] + n[2] * a[2] + (m->y < 0 ? -m->r : m->r) * n[1];
  vec_scale(n, (outward < 0 ? -1 : 1) / length, n);
  return true;
}

/* Samples the rate at N + 1 angles from FROM, STEP apart. */
static void sample(const hn_rims *m, double from, double step, int n, double *value)
{
  double sine, cosine, turn[2], a[3], b[3];
  hn_sincos(from, &sine, &cosine);
  hn_sincos(step, &turn[1], &turn[0]);
  for (int k = 0; k <= n; k++) {
    value[k] = rate_at(m, cosine, sine, a, b);
    double next = cosine * turn[0] - sine * turn[1];
    sine = sine * turn[0] + cosine * turn[1], cosine = next;
  }
}

/* Searches WIDTH from FROM on for minima and adds them to the COUNT pairs; returns their number. LARGEST is
 * the largest rate of the circle. Flat intervals are divided again, up to DEPTH times. */
static int search(const hn_rims *m, double from, double width, double largest, int depth,
                  hn_rim_pair pair[HN_RIM_PAIRS], int count)
{
  enum { PARTS = 8 };
  const double step = width / PARTS;
  double value[PARTS + 2];
  sample(m, from - step, step, PARTS + 1, value);
  for (int i = 0; i < PARTS && count < HN_RIM_PAIRS; i++) {
    double low = from + i * step, high = low + step;
    const bool flat = fmax(fabs(value[i + 1]), fabs(value[i + 2])) < flat_slope * step * largest;
    if (flat && depth > 0) {
      count = search(m, low, step, largest, depth - 1, pair, count);
      continue;
    }
    if (!bracket(m, value + i, &low, &high)) continue;
    rim_root(m, low, high, pair[count].a, pair[count].b);
    if (across_rims(m, pair[count].a, pair[count].b, pair[count].n)) count++;
  }
  return count;
}

int hn_rims_nearest(const hn_rims *m, hn_rim_pair pair[HN_RIM_PAIRS])
{
  enum { PARTS = 32, DEPTH = 2 };
  const double step = 2 * M_PI / PARTS;
  double value[PARTS + 1], largest = 0;
  int count = 0;
  sample(m, 0, step, PARTS, value);
  for (int k = 0; k < PARTS; k++) largest = fmax(largest, fabs(value[k]));
  for (int k = 0; k < PARTS; k++) {
    bool may_dip = fmin(fabs(value[k]), fabs(value[k + 1])) < dip_fraction * largest;
    if (!may_dip && !(value[k] < 0 && value[k + 1] >= 0)) continue;
    count = search(m, k * step, step, largest, DEPTH, pair, count);
  }
  return count;
}
