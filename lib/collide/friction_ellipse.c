/* friction_ellipse.c - the ellipse of friction of a contact, from friction axes fixed to its bodies.
 *
 * A surface with the axis e, the coefficient mu along it and r mu across it has, with the unit normal n,
 *
 *   S = P (r 1 + (1 - r) e e') P,  P = 1 - n n'
 *
 * relative to mu: 1 along an axis in the tangent plane, r across it, and r in all directions if the axis is
 * normal to the plane, with all values between as the axis leans. S = 1 without an axis. For two surfaces S
 * is the geometric mean of positive definite matrices [pusz1975],
 *
 *   A # B = A^(1/2) (A^(-1/2) B A^(-1/2))^(1/2) A^(1/2)
 *         = sqrt(a b) (A / a + B / b) / sqrt(det(A / a + B / b)),  a = sqrt(det A), b = sqrt(det B)
 *
 * in two dimensions. It is symmetric in A and B, turns with them, and is the geometric mean of the
 * coefficients where the axes agree. The principal values mu_1 >= mu_2 of mu S are the half axes
 * of the ellipse
 *
 *   (p_1 / mu_1)^2 + (p_2 / mu_2)^2 <= p_n^2
 *
 * of impulses along the principal directions, which become the tangents. */
#include "collide/friction_ellipse.h"
#include "base/vec.h"

/* The matrix (11 12; 12 22) along the tangents of a contact. */
typedef struct tensor {
  double s11, s12, s22;
} tensor;

static double determinant(const tensor *A)
{
  return A->s11 * A->s22 - A->s12 * A->s12;
}

/* Returns S of a surface on BODY along the tangents of CONTACT. AXIS is in the axes of BODY. */
static tensor tensor_of(const hn_state *state, const hn_contact *contact, int body, const double axis[3],
                        double ratio)
{
  double world[3], e[3];
  quat_rotate(world, state->pose[body].q, axis);
  quat_unrotate(e, state->pose[contact->a].q, world);
  const double *seen = body == contact->a ? axis : e;
  const double x = vec_dot(seen, contact->frame + 3), y = vec_dot(seen, contact->frame + 6),
               rest = 1.0 - ratio;
  return (tensor){ ratio + rest * x * x, rest * x * y, ratio + rest * y * y };
}

/* Returns A # B. */
static tensor mean_of(const tensor *A, const tensor *B)
{
  const double a = sqrt(determinant(A)), b = sqrt(determinant(B));
  const tensor sum = { A->s11 / a + B->s11 / b, A->s12 / a + B->s12 / b, A->s22 / a + B->s22 / b };
  const double scale = sqrt(a * b / determinant(&sum));
  return (tensor){ scale * sum.s11, scale * sum.s12, scale * sum.s22 };
}

/* Computes the principal values of S, the larger first, and the direction (cosine, sine) of that one. */
static void find_principal(const tensor *S, double value[2], double direction[2])
{
  const double mean = 0.5 * (S->s11 + S->s22), half = 0.5 * (S->s11 - S->s22);
  const double radius = sqrt(half * half + S->s12 * S->s12);
  double x = half >= 0.0 ? half + radius : S->s12, y = half >= 0.0 ? S->s12 : radius - half;
  const double size = sqrt(x * x + y * y);
  value[0] = mean + radius, value[1] = determinant(S) / value[0];
  direction[0] = size > 0.0 ? x / size : 1.0, direction[1] = size > 0.0 ? y / size : 0.0;
}

/* Rotates the tangents of FRAME by the angle with this cosine and sine. */
static void rotate_tangents(double frame[9], double cosine, double sine)
{
  for (int i = 0; i < 3; i++) {
    const double first = frame[3 + i], second = frame[6 + i];
    frame[3 + i] = cosine * first + sine * second, frame[6 + i] = cosine * second - sine * first;
  }
}

void hn_friction_ellipse_set(const hn_model *model, const hn_state *state, int a, int b, hn_contact *contact)
{
  const int collider[] = { a, b };
  double ratio[2], value[2], direction[2];
  tensor S[2] = { { 1.0, 0.0, 1.0 }, { 1.0, 0.0, 1.0 } };
  const bool by_pair = hn_model_friction_ratios(model, a, b, ratio);
  if (!(contact->friction > 0.0) || (ratio[0] == 1.0 && ratio[1] == 1.0)) return;
  for (int k = 0; k < 2; k++) {
    const hn_collider *c = &model->collider[collider[k]];
    if (!vec_is_zero(hn_collider_axis(model, c)))
      S[k] = tensor_of(state, contact, c->body, hn_collider_axis(model, c), ratio[k]);
  }
  /* coefficients of two materials belong to the axis of one body, or to both axes */
  for (int k = 0; k < 2 && by_pair; k++)
    if (vec_is_zero(hn_collider_axis(model, &model->collider[collider[k]]))) S[k] = S[1 - k];
  const tensor both = mean_of(&S[0], &S[1]);
  find_principal(&both, value, direction);
  rotate_tangents(contact->frame, direction[0], direction[1]);
  contact->friction *= value[0], contact->sticking *= value[0], contact->sliding *= value[0];
  contact->anisotropy = fmax(1.0 - value[1] / value[0], 0.0);
}
