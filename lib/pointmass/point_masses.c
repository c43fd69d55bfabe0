/* point_masses.c - point masses that stand for one rigid body [schmitt2005, section 3].
 *
 * A rigid body of mass m with second moments S = diag(S_x, S_y, S_z) about its centre, S_x = (J_y + J_z - J_x) / 2,
 * becomes
 *
 *   its centre                 with m / 4: it has the body's name and its place
 *   joint points Q_1 ... Q_q   with mu = min(m / (4 q), 1 / (3 s)) each, s = sum Q_i' S^-1 Q_i
 *   four more                  with a quarter of the rest M = m - m / 4 - q mu each, at c + L v_k, where
 *                              c = -mu / M sum Q_i,   L L' = (S - mu sum Q_i Q_i' - M c c') / M,
 *                              v_k = (1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1)
 *
 * Since sum v_k = 0 and sum v_k v_k' = 4 I, mass, centre and S, and with S the inertia tensor, are those of the body.
 * The bound on mu leaves at least half of S and half of m for the four, so L is always there when S is positive: M >=
 * m / 2 makes M c c' <= (mu / 2) sum Q Q' in the measure of S. A flat body (S_x = 0) has no such points: masses in one
 * plane are not held together by rods to first order. The four are tied by six rods, every other point by three to the
 * face of their tetrahedron that it sees under the widest angle.
 *
 * The source reflects Q_i and its last points in all planes of symmetry: 8 q + 8 points a body, where q + 5 do. */
#include "pointmass/point_masses.h"
#include "base/vec.h"

#include <string.h>

static const double thinnest = 1e-8; /* smallest over largest second moment: a thickness of 1e-4 lengths */

static const double corner[4][3] = { { 1, 1, 1 }, { 1, -1, -1 }, { -1, 1, -1 }, { -1, -1, 1 } };

/* Second moments about the centre, body axes. */
static int second_moments(const hn_body *body, double S[3], hn_error *error)
{
  const double *J = body->J;
  for (int i = 0; i < 3; i++) S[i] = 0.5 * (J[(i + 1) % 3] + J[(i + 2) % 3] - J[i]);
  double least = fmin(S[0], fmin(S[1], S[2])), most = fmax(S[0], fmax(S[1], S[2]));
  if (least > thinnest * most) return 0;
  return hn_fail(
    error,
    "body \"%s\" is flat: inertia {%g, %g, %g} puts all its mass in a plane or on a line, where "
    "rods between points do not make it rigid; every moment must be below the sum of the others by more "
    "than %g of it",
    body->name, J[0], J[1], J[2], 2 * thinnest);
}

/* Lower triangular L with L L' = A, for positive definite A. */
static void root_of(const double A[9], double L[9])
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
  double S[3], share = 0.0, first[3] = { 0, 0, 0 }, A[9], L[9];
  if (second_moments(body, S, error)) return -1;
  for (int i = 0; i < count; i++)
    for (int c = 0; c < 3; c++) share += Q[3 * i + c] * Q[3 * i + c] / S[c], first[c] += Q[3 * i + c];
  out->joint = count ? body->mass / (4.0 * count) : 0.0;
  if (3.0 * share * out->joint > 1.0) out->joint = 1.0 / (3.0 * share);
  out->centre = 0.25 * body->mass;
  double M = body->mass - out->centre - count * out->joint, mu = out->joint;
  out->corner = 0.25 * M;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      double sum = (i == j ? S[i] : 0.0) - mu * mu / M * first[i] * first[j];
      for (int k = 0; k < count; k++) sum -= mu * Q[3 * k + i] * Q[3 * k + j];
      A[3 * i + j] = sum / M;
    }
  root_of(A, L);
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
