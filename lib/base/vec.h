/* vec.h - small vectors, quaternions (w, x, y, z) and 3x3 matrices (row-major), inline. Internal. The result
 * comes first and may be one of the operands unless said otherwise. */
#ifndef HN_VEC_H
#define HN_VEC_H

#include <math.h>
#include <stdbool.h>

static inline void vec_copy(double out[3], const double a[3])
{
  out[0] = a[0], out[1] = a[1], out[2] = a[2];
}

static inline void vec_set(double out[3], double x, double y, double z)
{
  out[0] = x, out[1] = y, out[2] = z;
}

static inline void vec_add(double out[3], const double a[3], const double b[3])
{
  for (int i = 0; i < 3; i++) out[i] = a[i] + b[i];
}

static inline void vec_sub(double out[3], const double a[3], const double b[3])
{
  for (int i = 0; i < 3; i++) out[i] = a[i] - b[i];
}

static inline void vec_scale(double out[3], double s, const double a[3])
{
  for (int i = 0; i < 3; i++) out[i] = s * a[i];
}

/* out += s a */
static inline void vec_add_scaled(double out[3], double s, const double a[3])
{
  for (int i = 0; i < 3; i++) out[i] += s * a[i];
}

/* out = x + s a */
static inline void vec_along(double out[3], const double x[3], double s, const double a[3])
{
  for (int i = 0; i < 3; i++) out[i] = x[i] + s * a[i];
}

static inline double vec_dot(const double a[3], const double b[3])
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline double vec_norm(const double a[3])
{
  return sqrt(vec_dot(a, a));
}

static inline bool vec_is_zero(const double a[3])
{
  return a[0] == 0.0 && a[1] == 0.0 && a[2] == 0.0;
}

static inline void vec_cross(double out[3], const double a[3], const double b[3])
{
  double x = a[1] * b[2] - a[2] * b[1];
  double y = a[2] * b[0] - a[0] * b[2];
  double z = a[0] * b[1] - a[1] * b[0];
  vec_set(out, x, y, z);
}

/* Euclidean norm of n numbers. */
static inline double norm_of(const double *a, int n)
{
  double sum = 0.0;
  for (int i = 0; i < n; i++) sum += a[i] * a[i];
  return sqrt(sum);
}

/* True if VALUE exceeds the maximum MAX so far. A NaN exceeds every number and is never exceeded. */
static inline int exceeds(double value, double max)
{
  return !(value <= max) && max == max;
}

/* out = A v; out must not be v */
static inline void mat_vec(double out[3], const double A[9], const double v[3])
{
  for (int i = 0; i < 3; i++) out[i] = A[3 * i] * v[0] + A[3 * i + 1] * v[1] + A[3 * i + 2] * v[2];
}

/* out = A' v; out must not be v */
static inline void mat_tvec(double out[3], const double A[9], const double v[3])
{
  for (int i = 0; i < 3; i++) out[i] = A[i] * v[0] + A[3 + i] * v[1] + A[6 + i] * v[2];
}

/* out = R diag(d) R', symmetric; out must not be R */
static inline void mat_congruence(double out[9], const double R[9], const double d[3])
{
  double D[9];
  for (int i = 0; i < 9; i++) D[i] = R[i] * d[i % 3];
  for (int i = 0; i < 3; i++)
    for (int j = i; j < 3; j++)
      out[3 * i + j] = out[3 * j + i] = D[3 * i] * R[3 * j] + D[3 * i + 1] * R[3 * j + 1] +
                                        D[3 * i + 2] * R[3 * j + 2];
}

/* Computes the lower triangular L with L L' = A for a positive semidefinite A. Columns whose pivot is a
 * rounding error of the diagonal entry are zero. */
static inline void mat_square_root(const double A[9], double L[9])
{
  const double zero_pivot = 1e-14;
  for (int i = 0; i < 9; i++) L[i] = 0.0;
  for (int j = 0; j < 3; j++) {
    double pivot = A[4 * j];
    for (int k = 0; k < j; k++) pivot -= L[3 * j + k] * L[3 * j + k];
    if (!(pivot > zero_pivot * A[4 * j])) continue;
    L[4 * j] = sqrt(pivot);
    for (int i = j + 1; i < 3; i++) {
      double sum = A[3 * i + j];
      for (int k = 0; k < j; k++) sum -= L[3 * i + k] * L[3 * j + k];
      L[3 * i + j] = sum / L[4 * j];
    }
  }
}

/* out = a b (Hamilton product) */
static inline void quat_mul(double out[4], const double a[4], const double b[4])
{
  double w = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
  double x = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
  double y = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
  double z = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
  out[0] = w, out[1] = x, out[2] = y, out[3] = z;
}

static inline void quat_conj(double out[4], const double a[4])
{
  out[0] = a[0], out[1] = -a[1], out[2] = -a[2], out[3] = -a[3];
}

static inline void quat_normalise(double q[4])
{
  double scale = 1.0 / sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  for (int i = 0; i < 4; i++) q[i] *= scale;
}

/* Rotation matrix of a unit quaternion. */
static inline void quat_matrix(double R[9], const double q[4])
{
  double w = q[0], x = q[1], y = q[2], z = q[3];
  R[0] = 1.0 - 2.0 * (y * y + z * z), R[1] = 2.0 * (x * y - w * z), R[2] = 2.0 * (x * z + w * y);
  R[3] = 2.0 * (x * y + w * z), R[4] = 1.0 - 2.0 * (x * x + z * z), R[5] = 2.0 * (y * z - w * x);
  R[6] = 2.0 * (x * z - w * y), R[7] = 2.0 * (y * z + w * x), R[8] = 1.0 - 2.0 * (x * x + y * y);
}

/* out = v rotated by the unit quaternion q: v + 2 w (n x v) + 2 n x (n x v), n the vector part. */
static inline void quat_rotate(double out[3], const double q[4], const double v[3])
{
  double c[3], d[3];
  vec_cross(c, q + 1, v);
  vec_cross(d, q + 1, c);
  for (int i = 0; i < 3; i++) out[i] = v[i] + 2.0 * (q[0] * c[i] + d[i]);
}

/* out = v rotated by the inverse of q. */
static inline void quat_unrotate(double out[3], const double q[4], const double v[3])
{
  double conjugate[4];
  quat_conj(conjugate, q);
  quat_rotate(out, conjugate, v);
}

/* True if none of N numbers is NaN or infinite. */
static inline bool all_finite(const double *a, int n)
{
  for (int i = 0; i < n; i++)
    if (!isfinite(a[i])) return false;
  return true;
}

#endif
