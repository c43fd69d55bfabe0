/* point_masses.c - point masses equivalent to a rigid body [schmitt2005, section 3].
 *
 * A rigid body of mass m with second moments S = diag(S_x, S_y, S_z) about its centre, S_x = (J_y + J_z -
 * J_x) / 2, is replaced by
 *
 *   its centre                 with m / 4, under the body's name
 *   joint points Q_1 ... Q_q   with mu = min(m / (4 q), 1 / (3 s)) each, s = sum Q_i' S^-1 Q_i
 *   four corners               with a quarter of the rest M = m - m / 4 - q mu each, at c + L v_k, where
 *                              c = -mu / M sum Q_i,   L L' = (S - mu sum Q_i Q_i' - M c c') / M,
 *                              v_k = (1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1)
 *
 * Since sum v_k = 0 and sum v_k v_k' = 4 I, mass, centre and S, and therefore the inertia tensor, are those
 * of the body. The bound on mu leaves at least half of S and half of m for the corners, so that L exists for
 * every positive S: M >= m / 2 makes M c c' <= (mu / 2) sum Q Q' in the measure of S. A flat body (S_x = 0)
 * has no such points: rods do not hold masses in one plane together to first order. The corners are tied by
 * six rods. Every other point is tied by three rods to the face of their tetrahedron that it sees under the
 * widest angle.
 *
 * The source reflects Q_i and the corners in all planes of symmetry: 8 q + 8 points a body instead of q +
 * 5. */
#include "pointmass/point_masses.h"
#include "base/vec.h"

#include <string.h>

static const double min_flatness =
  1e-8; /* smallest over largest second moment: a thickness of 1e-4 lengths */

static const double corner[4][3] = { { 1, 1, 1 }, { 1, -1, -1 }, { -1, 1, -1 }, { -1, -1, 1 } };

/* Computes the second moments about the centre, body axes; error for a flat body. */
static int second_moments(const hn_body *body, double S[3], hn_error *error)
{
  const double *J = body->J;
  for (int i = 0; i < 3; i++) S[i] = 0.5 * (J[(i + 1) % 3] + J[(i + 2) % 3] - J[i]);
  double smallest = fmin(S[0], fmin(S[1], S[2])), most = fmax(S[0], fmax(S[1], S[2]));
  if (smallest > min_flatness * most) return 0;
  return hn_fail(
    error,
    "body \"%s\" is flat: inertia {%g, %g, %g} puts all its mass in a plane or on a line, where "
    "rods between points do not make it rigid; every moment must be below the sum of the others by more "
    "than %g of it",
    body->name, J[0], J[1], J[2], 2 * min_flatness);
}

/* Computes the lower triangular L with L L' = A, for positive definite A. */
static void square_root(const double A[9], double L[9])
{
  memset(L, 0, sizeof(double[9]));
  for (int j = 0; j < 3; j++)
    for (int i = j; i < 3; i++) {
      double sum = A[3 * i + j];
      for (int k = 0; k < j; k++) sum -= L[3 * i + k] * L[3 * j + k];
      L[3 * i + j] = i == j ? sqrt(sum) : sum / L[4 * j];
    }
}

int hn_point_masses_of(const hn_body *body, int count, const double *Q, hn_point_masses *out, hn_error *error)
{
  double S[3], weighted_sum = 0.0, first[3] = { 0, 0, 0 }, A[9], L[9];
  if (second_moments(body, S, error)) return -1;
  /* masses */
  for (int i = 0; i < count; i++)
    for (int c = 0; c < 3; c++) weighted_sum += Q[3 * i + c] * Q[3 * i + c] / S[c], first[c] += Q[3 * i + c];
  out->joint = count ? body->mass / (4.0 * count) : 0.0;
  if (3.0 * weighted_sum * out->joint > 1.0) out->joint = 1.0 / (3.0 * weighted_sum);
  out->centre = 0.25 * body->mass;
  double M = body->mass - out->centre - count * out->joint, mu = out->joint;
  out->corner = 0.25 * M;
  /* A = L L', and the corners c + L v_k */
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      double sum = (i == j ? S[i] : 0.0) - mu * mu / M * first[i] * first[j];
      for (int k = 0; k < count; k++) sum -= mu * Q[3 * k + i] * Q[3 * k + j];
      A[3 * i + j] = sum / M;
    }
  square_root(A, L);
  for (int k = 0; k < 4; k++) {
    mat_vec(out->at[k], L, corner[k]);
    vec_add_scaled(out->at[k], -mu / M, first);
  }
  return 0;
}

int hn_point_masses_left_out(const double at[4][3], const double x[3])
{
  int best = 0;
  double most = -1.0;
  for (int left = 0; left < 4; left++) {
    double d[3][3], normal[3], length = 1.0;
    for (int k = 0; k < 3; k++) {
      vec_sub(d[k], at[(left + 1 + k) % 4], x);
      length *= vec_norm(d[k]);
    }
    vec_cross(normal, d[0], d[1]);
    double span = length > 0 ? fabs(vec_dot(normal, d[2])) / length : 0.0;
    if (span > most) most = span, best = left;
  }
  return best;
}
