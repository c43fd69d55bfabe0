/* tape_run.c - evaluation of tapes: on numbers, and on power series coefficient by coefficient
 *
 * Series z of the operations from the series x, y of their arguments [Jorba and Zou, Experimental Mathematics
 * 14 (2005) 99, proposition 2.1]. Sums over i start at 1; they end at k, or at k - 1 if the term i = k
 * contains the unknown z_k:
 *
 *   z = x y       z_k = sum from 0 of x_i y_{k-i}          z = x / y    z_k = (x_k - sum y_i z_{k-i}) / y_0
 *   z = sqrt x    z_k = (x_k - sum z_i z_{k-i}) / 2 z_0     z = exp x    z_k = sum i x_i z_{k-i} / k
 *   s = sin x     s_k = sum i x_i c_{k-i} / k               c = cos x    c_k = -sum i x_i s_{k-i} / k
 *   z = log x / log b   z_k = (x_k / log b - sum i z_i x_{k-i} / k) / x_0
 *   z = x^c       z_k = sum (c i - (k - i)) x_i z_{k-i} / (k x_0)
 *   z = tan x     z_k = sum i x_i q_{k-i} / k,  q = 1 + z^2
 *   z = asin x    z_k = (x_k - sum i z_i s_{k-i} / k) / s_0,  s = sqrt(1 - x^2);  acos with -x_k
 *   z = atan2(y, x)   z_k = (sum i (x_{k-i} y_i - y_{k-i} x_i) - sum i z_i q_{k-i}) / (k q_0),  q = x^2 + y^2
 *
 * For |x|, the first nonzero coefficient decides the sign; for the minimum and maximum, the first
 * coefficients that differ decide: they determine the values just after the expansion point. */
#include "tape/tape.h"
#include "base/product.h"
#include "elementary.h"

#include <math.h>

static const double per_ln2 = 1.4426950408889634, per_ln10 = 0.43429448190325182;

/* ---- Numbers ------------------------------------------------------------------------------------------- */

static double floored_mod(double a, double b)
{
  double m = fmod(a, b);
  return m != 0 && (m < 0) != (b < 0) ? m + b : m;
}

static double sign_of(double a)
{
  return a > 0 ? 1.0 : a < 0 ? -1.0 : 0.0;
}

/* Evaluates an operation of A and B other than + - * / and negation: Z and, if there is one, the second
 * result Y. */
static void run_function(const hn_tape_op *op, double a, double b, double *z, double *y)
{
  switch (op->kind) {
  case HN_TAPE_SQRT: *z = sqrt(a); break;
  case HN_TAPE_SINE: hn_sincos(a, z, y); break;
  case HN_TAPE_TAN: *z = hn_tan(a), *y = 1.0 + *z * *z; break;
  case HN_TAPE_ASIN: *z = hn_asin(a), *y = sqrt(1.0 - a * a); break;
  case HN_TAPE_ACOS: *z = hn_acos(a), *y = sqrt(1.0 - a * a); break;
  case HN_TAPE_ATAN2: *z = hn_atan2(a, b), *y = a * a + b * b; break;
  case HN_TAPE_EXP: *z = hn_exp(a); break;
  case HN_TAPE_LOG: *z = hn_log(a); break;
  case HN_TAPE_LOG2: *z = hn_log2(a); break;
  case HN_TAPE_LOG10: *z = hn_log10(a); break;
  case HN_TAPE_POWER: *z = hn_pow(a, op->c); break;
  case HN_TAPE_RAISE: *z = hn_pow(a, b); break;
  case HN_TAPE_ABS: *z = fabs(a); break;
  case HN_TAPE_MIN: *z = b < a ? b : a; break;
  case HN_TAPE_MAX: *z = a < b ? b : a; break;
  case HN_TAPE_FLOOR: *z = floor(a); break;
  case HN_TAPE_CEIL: *z = ceil(a); break;
  case HN_TAPE_MOD: *z = floored_mod(a, b); break;
  case HN_TAPE_FMOD: *z = fmod(a, b); break;
  case HN_TAPE_SIGN: *z = sign_of(a); break;
  default: *z = a < b ? 1.0 : 0.0; /* HN_TAPE_STEP */
  }
}

static bool holds(hn_tape_kind kind, double a, double b)
{
  return kind == HN_TAPE_LESS ? a < b : a <= b;
}

void hn_tape_run(const hn_tape *tape, double *slot, double *out)
{
  const hn_tape_op *op = tape->code;
  for (;; op++) {
    switch (op->kind) {
    case HN_TAPE_CONSTANT: slot[op->out] = op->c; break;
    case HN_TAPE_ADD: slot[op->out] = slot[op->a] + slot[op->b]; break;
    case HN_TAPE_SUB: slot[op->out] = slot[op->a] - slot[op->b]; break;
    case HN_TAPE_MUL: slot[op->out] = slot[op->a] * slot[op->b]; break;
    case HN_TAPE_DIV: slot[op->out] = slot[op->a] / slot[op->b]; break;
    case HN_TAPE_NEG: slot[op->out] = -slot[op->a]; break;
    case HN_TAPE_LESS:
    case HN_TAPE_LESS_EQUAL:
      if (!holds(op->kind, slot[op->a], slot[op->b])) op = tape->code + op->out - 1;
      break;
    case HN_TAPE_END:
      for (int i = 0; i < tape->outputs; i++) out[i] = slot[tape->leaf[op->out * tape->outputs + i]];
      return;
    default: run_function(op, slot[op->a], slot[op->b], &slot[op->out], &slot[op->out + 1]);
    }
  }
}

/* ---- Power series -------------------------------------------------------------------------------------- */

/* Returns the sum over i from 1 to LAST of i p_i q_{k-i}. */
static double weighted(const double *p, const double *q, size_t k, size_t last)
{
  double sum = 0.0;
  for (size_t i = 1; i <= last; i++) sum += (double)i * p[i] * q[k - i];
  return sum;
}

/* Returns coefficient k > 0 of the square root z of a series with coefficient x at k. */
static double root_coefficient(const double *z, size_t k, double x)
{
  if (k > 1) x -= square_coefficient(z + 1, k - 2);
  return x / (2.0 * z[0]);
}

static double log_coefficient(const double *x, const double *z, size_t k, double scale)
{
  return (scale * x[k] - weighted(z, x, k, k - 1) / (double)k) / x[0];
}

static double power_coefficient(const double *x, const double *z, size_t k, double c)
{
  double sum = 0.0;
  for (size_t i = 1; i <= k; i++) sum += (c * (double)i - (double)(k - i)) * x[i] * z[k - i];
  return sum / ((double)k * x[0]);
}

static double arc_coefficient(const double *x, const double *z, const double *s, size_t k, double sign)
{
  return (sign * x[k] - weighted(z, s, k, k - 1) / (double)k) / s[0];
}

static double angle_coefficient(const double *y, const double *x, const double *z, const double *q, size_t k)
{
  return (weighted(y, x, k, k) - weighted(x, y, k, k) - weighted(z, q, k, k - 1)) / ((double)k * q[0]);
}

/* True if the series a, to power k, is below b: by the first coefficients that differ. */
static bool series_less(const double *a, const double *b, size_t k)
{
  size_t i = 0;
  while (i < k && a[i] == b[i]) i++;
  return a[i] < b[i];
}

static double series_sign(const double *a, size_t k)
{
  size_t i = 0;
  while (i < k && a[i] == 0) i++;
  return a[i] < 0 ? -1.0 : 1.0;
}

/* Computes coefficient k > 0. A and B are the series of the arguments, Z and Y those of the first and second
 * result. */
static void function_series(const hn_tape_op *op, size_t k, const double *a, const double *b, double *z,
                            double *y)
{
  switch (op->kind) {
  case HN_TAPE_SQRT: z[k] = root_coefficient(z, k, a[k]); break;
  case HN_TAPE_SINE: z[k] = weighted(a, y, k, k) / (double)k, y[k] = -weighted(a, z, k, k) / (double)k; break;
  case HN_TAPE_TAN: z[k] = weighted(a, y, k, k) / (double)k, y[k] = square_coefficient(z, k); break;
  case HN_TAPE_ASIN:
  case HN_TAPE_ACOS:
    z[k] = arc_coefficient(a, z, y, k, op->kind == HN_TAPE_ASIN ? 1.0 : -1.0);
    y[k] = root_coefficient(y, k, -square_coefficient(a, k));
    break;
  case HN_TAPE_ATAN2:
    z[k] = angle_coefficient(a, b, z, y, k);
    y[k] = square_coefficient(a, k) + square_coefficient(b, k);
    break;
  case HN_TAPE_EXP: z[k] = weighted(a, z, k, k) / (double)k; break;
  case HN_TAPE_LOG: z[k] = log_coefficient(a, z, k, 1.0); break;
  case HN_TAPE_LOG2: z[k] = log_coefficient(a, z, k, per_ln2); break;
  case HN_TAPE_LOG10: z[k] = log_coefficient(a, z, k, per_ln10); break;
  case HN_TAPE_POWER: z[k] = power_coefficient(a, z, k, op->c); break;
  case HN_TAPE_RAISE: z[k] = NAN; break;
  case HN_TAPE_ABS: z[k] = series_sign(a, k) * a[k]; break;
  case HN_TAPE_MIN: z[k] = series_less(b, a, k) ? b[k] : a[k]; break;
  case HN_TAPE_MAX: z[k] = series_less(a, b, k) ? b[k] : a[k]; break;
  case HN_TAPE_MOD: z[k] = a[k] - floor(a[0] / b[0]) * b[k]; break;
  case HN_TAPE_FMOD: z[k] = a[k] - trunc(a[0] / b[0]) * b[k]; break;
  default: z[k] = 0.0; /* constant between two jumps */
  }
}

void hn_tape_series(const hn_tape *tape, size_t k, size_t stride, double *slot, double *out)
{
  const hn_tape_op *op = tape->code;
  for (;; op++) {
    const double *a = slot + (size_t)op->a * stride, *b = slot + (size_t)op->b * stride;
    double *z = slot + (size_t)op->out * stride;
    switch (op->kind) {
    case HN_TAPE_CONSTANT: z[k] = k == 0 ? op->c : 0.0; break;
    case HN_TAPE_ADD: z[k] = a[k] + b[k]; break;
    case HN_TAPE_SUB: z[k] = a[k] - b[k]; break;
    case HN_TAPE_MUL: z[k] = convolution(a, b, k + 1); break;
    case HN_TAPE_DIV: z[k] = (a[k] - convolution(b + 1, z, k)) / b[0]; break;
    case HN_TAPE_NEG: z[k] = -a[k]; break;
    case HN_TAPE_LESS:
    case HN_TAPE_LESS_EQUAL:
      if (!holds(op->kind, a[0], b[0])) op = tape->code + op->out - 1;
      break;
    case HN_TAPE_END:
      for (int i = 0; i < tape->outputs; i++)
        out[i] = slot[(size_t)tape->leaf[op->out * tape->outputs + i] * stride + k];
      return;
    default:
      if (k == 0) run_function(op, a[0], b[0], z, z + stride);
      else function_series(op, k, a, b, z, z + stride);
    }
  }
}
