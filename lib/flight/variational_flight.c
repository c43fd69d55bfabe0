/* variational_flight.c - free rotation by discrete Euler-Lagrange equations: symplectic, symmetric, order 2
 *
 *   R_1 = R_0 F,  R_1 J W_1 = R_0 J W_0,  and F solves
 *
 *   Moser-Veselov   h J W_0 = vee(F J_d - J_d F'),  J_d = tr(J)/2 - J
 *   exponential     h J W_0 = T(-x)^-T J x = J x + x x J x / 2 + c x x (x x J x),   F = exp(x)
 *                   c = (1 - a cot a) / |x|^2,  a = |x| / 2;  T is the tangent operator of exp
 *
 * They are the Euler-Lagrange equations of the discrete Lagrangians tr((I - F) J_d) / h and x' J x / (2 h).
 * World angular momentum is conserved to round-off, energy up to an error of order 2 that does not grow. With
 * F of the unit quaternion (a, b), a > 0, and k_i = (J_k - J_j) / J_i for (i, j, k) cyclic, the equations
 * read
 *
 *   h W_i = 2 a b_i + 2 k_i b_j b_k
 *   h W_i = x_i + k_i x_j x_k / 2 + c e_i x_i,   e_i = sum_m (J_m - J_i) / J_i x_m^2
 *
 * and the momentum equation becomes W_1 = W_0 + change / h, change_i = -4 k_i b_j b_k or -k_i x_j x_k. This
 * form has no division of a momentum by a small J_i.
 *
 * Newton's method solves them from b = h W / 2 and x = h W. The correction of the last iteration is so small
 * that its error, a square, is round-off. The solution is that on the branch of small rotations, on which the
 * determinant of the derivative is positive. It ends at a rotation by 90 degrees of a sphere with
 * Moser-Veselov (h |W| = 1), and at a full turn with the exponential. Beyond it the result is NaN, and the
 * solver reports the failure.
 *
 * [moser1991; lee2007; hante2021] The equations in quaternions, divided by J, are ours. The code uses
 * + - * / and sqrt, and hn_sincos for rotations above a radian. */
#include "flight/flight.h"

#include "base/turn.h"

enum { MAX_ITERATIONS = 50 };

/* Relative size of the last correction of Newton's method. */
static const double last_correction = 1e-8;
/* Square of a full turn, rad^2, where the exponential ends. */
static const double full_turn = 39.478417604357434;

/* Ratios of moments of one body: k_i, and d[i][m] = (J_m - J_i) / J_i; 0 where J_i is 0 (planar). */
typedef struct ratios {
  double k[3], d[3][3];
} ratios;

static void set_ratios(ratios *r, const hn_body *body)
{
  for (int i = 0; i < 3; i++) {
    r->k[i] = (body->J[(i + 2) % 3] - body->J[(i + 1) % 3]) * body->inv_J[i];
    for (int m = 0; m < 3; m++) r->d[i][m] = (body->J[m] - body->J[i]) * body->inv_J[i];
  }
}

/* Computes the right side VALUE of the equations at the unknown Y, and its derivative A. False beyond the end
 * of the branch. */
typedef bool equations(const ratios *r, const double y[3], double value[3], double A[3][3]);

static bool moser_veselov(const ratios *r, const double b[3], double value[3], double A[3][3])
{
  const double rest = 1.0 - vec_dot(b, b);
  if (!(rest > 0.0)) return false;
  const double a = sqrt(rest);
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    value[i] = 2.0 * a * b[i] + 2.0 * r->k[i] * b[j] * b[k];
    for (int m = 0; m < 3; m++) A[i][m] = -2.0 * b[i] * b[m] / a;
    A[i][i] += 2.0 * a;
    A[i][j] += 2.0 * r->k[i] * b[k];
    A[i][k] += 2.0 * r->k[i] * b[j];
  }
  return true;
}

/* Returns c(X) of the exponential for X = |x|^2, and its derivative in X. */
static double tangent_factor(double X, double *slope)
{
  enum { TERMS = 12 };
  /* coefficients |B_2n| / (2n)!, n = 1 to 12 */
  static const double term[TERMS] = { 1.0 / 12,
                                      1.0 / 720,
                                      1.0 / 30240,
                                      1.0 / 1209600,
                                      1.0 / 47900160,
                                      691.0 / 1307674368000,
                                      1.0 / 74724249600,
                                      3617.0 / 10670622842880000,
                                      43867.0 / 5109094217170944000,
                                      174611.0 / 802857662698291200000.0,
                                      77683.0 / 14101100039391805440000.0,
                                      236364091.0 / 1693824136731743669452800000.0 };
  double c = term[TERMS - 1];
  *slope = 0.0;
  if (X <= 1.0) {
    for (int n = TERMS - 2; n >= 0; n--) *slope = *slope * X + c, c = c * X + term[n];
    return c;
  }
  const double a = 0.5 * sqrt(X);
  double sine, cosine;
  hn_sincos(a, &sine, &cosine);
  const double cot = cosine / sine;
  c = (1.0 - a * cot) / X;
  *slope = ((1.0 / (sine * sine) - cot / a) / 8.0 - c) / X;
  return c;
}

static bool exponential(const ratios *r, const double x[3], double value[3], double A[3][3])
{
  const double X = vec_dot(x, x);
  if (!(X < full_turn)) return false;
  double slope;
  const double c = tangent_factor(X, &slope);
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    double e = 0.0;
    for (int m = 0; m < 3; m++) e += r->d[i][m] * x[m] * x[m];
    value[i] = x[i] + 0.5 * r->k[i] * x[j] * x[k] + c * e * x[i];
    for (int m = 0; m < 3; m++) A[i][m] = 2.0 * x[i] * x[m] * (slope * e + c * r->d[i][m]);
    A[i][i] += 1.0 + c * e;
    A[i][j] += 0.5 * r->k[i] * x[k];
    A[i][k] += 0.5 * r->k[i] * x[j];
  }
  return true;
}

/* Solves A dy = right by Cramer's rule; false unless the determinant is positive. */
static bool solve(double A[3][3], const double right[3], double dy[3])
{
  double minor[3][3]; /* rows: products of two rows of A */
  for (int i = 0; i < 3; i++) vec_cross(minor[i], A[(i + 1) % 3], A[(i + 2) % 3]);
  const double determinant = vec_dot(A[0], minor[0]);
  if (!(determinant > 0.0)) return false;
  for (int m = 0; m < 3; m++)
    dy[m] = (minor[0][m] * right[0] + minor[1][m] * right[1] + minor[2][m] * right[2]) / determinant;
  return true;
}

/* Solves EQUATIONS = TURN for y, from its present value; false if there is no solution on the branch. */
static bool newton(equations *of, const ratios *r, const double turn[3], double y[3])
{
  for (int iteration = 0; iteration < MAX_ITERATIONS; iteration++) {
    double value[3], A[3][3], dy[3];
    if (!of(r, y, value, A)) return false;
    vec_sub(value, turn, value);
    if (!solve(A, value, dy)) return false;
    vec_add(y, y, dy);
    if (vec_dot(dy, dy) <= last_correction * last_correction * vec_dot(y, y)) return true;
  }
  return false;
}

/* Computes the unit quaternion of F for TURN = h W, and the change of h W in body axes. Without a solution
 * F[1] is NaN. */
typedef void increment(const ratios *r, const double turn[3], double F[4], double change[3]);

static void set_change(const ratios *r, double scale, const double y[3], double change[3])
{
  for (int i = 0; i < 3; i++) change[i] = -scale * r->k[i] * y[(i + 1) % 3] * y[(i + 2) % 3];
}

static void by_moser_veselov(const ratios *r, const double turn[3], double F[4], double change[3])
{
  vec_scale(F + 1, 0.5, turn);
  if (!newton(moser_veselov, r, turn, F + 1)) F[1] = NAN;
  F[0] = sqrt(1.0 - vec_dot(F + 1, F + 1));
  set_change(r, 4.0, F + 1, change);
}

static void by_exponential(const ratios *r, const double turn[3], double F[4], double change[3])
{
  double x[3];
  vec_copy(x, turn);
  if (!newton(exponential, r, turn, x)) x[0] = NAN;
  turn_by(F, 1.0, x);
  set_change(r, 1.0, x, change);
}

/* Adds SCALE (R v - v) to OUT for the rotation R of the unit quaternion q, or of its conjugate with SIGN -1.
 * Round-off in |q|^2 has the same sign for many steps and is removed to first order, as in lane_rotate. */
static void add_rotation(double out[3], const double q[4], double sign, double scale, const double v[3])
{
  const double twice = scale * (4.0 - 2.0 * (q[0] * q[0] + vec_dot(q + 1, q + 1)));
  double once[3], again[3];
  vec_cross(once, q + 1, v);
  vec_cross(again, q + 1, once);
  for (int i = 0; i < 3; i++) out[i] += twice * (sign * q[0] * once[i] + again[i]);
}

/* Moves one body. In body axes at the end, its angular velocity changes by W_1 - F' W_0 = change / h + W_0 -
 * F' W_0. This is small, and so is its rounding error. */
static void rotate_body(increment *find, const hn_body *body, double h, const hn_pose *pose,
                        const hn_twist *twist, hn_pose *pose_out, hn_twist *twist_out)
{
  ratios r;
  double W[3], turn[3], F[4], change[3], world[3];
  set_ratios(&r, body);
  vec_copy(W, twist->w);
  add_rotation(W, pose->q, -1.0, 1.0, twist->w);
  vec_scale(turn, h, W);
  find(&r, turn, F, change);
  quat_normalise(F);
  for (int i = 0; i < 3; i++) change[i] = h != 0.0 ? change[i] / h : 0.0;
  add_rotation(change, F, -1.0, -1.0, W);
  quat_mul(pose_out->q, pose->q, F);
  quat_normalise(pose_out->q);
  vec_copy(world, change);
  add_rotation(world, pose_out->q, 1.0, 1.0, change);
  vec_add(twist_out->w, twist->w, world);
}

static void rotate(increment *find, const hn_body *body, const int *index, int count, double h,
                   const hn_pose *pose, const hn_twist *twist, hn_pose *pose_out, hn_twist *twist_out)
{
  for (int i = 0; i < count; i++) {
    const int k = index[i];
    rotate_body(find, &body[k], h, &pose[k], &twist[k], &pose_out[k], &twist_out[k]);
  }
}

void hn_rotate_moser_veselov(const hn_flight *flight, const hn_body *body, const int *index, int count,
                             double h, const hn_pose *pose, const hn_twist *twist, hn_pose *pose_out,
                             hn_twist *twist_out)
{
  (void)flight;
  rotate(by_moser_veselov, body, index, count, h, pose, twist, pose_out, twist_out);
}

void hn_rotate_exponential(const hn_flight *flight, const hn_body *body, const int *index, int count,
                           double h, const hn_pose *pose, const hn_twist *twist, hn_pose *pose_out,
                           hn_twist *twist_out)
{
  (void)flight;
  rotate(by_exponential, body, index, count, h, pose, twist, pose_out, twist_out);
}
