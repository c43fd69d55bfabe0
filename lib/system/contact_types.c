/* contact_types.c - the joint types of contacts.
 *
 *   gap = n . (x_b + R_b p_b - x_a - R_a p_a) - skin_a - skin_b        row 0, along the normal, fixed to a
 *   slip_i = t_i . (velocity of b relative to a at the contact point)  rows 1 and 2, along the tangents
 *   spin_i = e_i . (angular velocity of b relative to a)               later rows, of rolling and torsional
 *                                                                      friction (hn_set_discs)
 *
 * Row 2 of anisotropic friction is along (mu_2 / mu_1) t_2 (hn_contact_row_scale): it is scaled where rows
 * are computed. The impulses in hn_contact are along the unit vectors t_i.
 *
 * The contact point is p_b, moved by skin_b towards a. Without radii the slip is the rate of t_i . (p_b -
 * p_a): all rows are then those of a joint, with its Jacobian, acceleration term and power series. */
#include "system/contact_types.h"
#include "base/vec.h"
#include "joint/points.h"
#include "joint/joint_rows.h"
#include "joint/point_velocity.h"

static const hn_row_part normal = { HN_ROW_ALONG, 0, 0 };

/* A contact as a joint with axes. */
typedef struct framed_contact {
  hn_joint joint;
  hn_axes axes;
} framed_contact;

static const hn_joint *with_axes(framed_contact *whole, const hn_joint *joint)
{
  whole->joint = *joint;
  whole->joint.axes = &whole->axes;
  memcpy(whole->axes.a, joint->data, sizeof whole->axes.a);
  memcpy(whole->axes.b, whole->axes.a, sizeof whole->axes.b);
  return &whole->joint;
}

/* v -= skin_b n: moves a point, or its velocity with the rate of n, to the contact point. */
static void to_surface(const hn_joint *joint, const double n[3], double v[3])
{
  for (int i = 0; i < 3; i++) v[i] -= hn_contact_skin_b(joint) * n[i];
}

/* Computes the acceleration terms. */
static void acceleration_terms(const hn_joint *joint, const hn_pose *a, const hn_twist *ua, const hn_pose *b,
                               const hn_twist *ub, double *gamma)
{
  double n_rate[3], arm_rate[3];
  framed_contact whole;
  hn_place place;
  hn_touch touch;
  hn_row row;
  hn_place_at(&place, with_axes(&whole, joint), a, ua, b, ub, true);
  hn_place_row(&place, &normal, &row);
  gamma[0] = row.gamma;
  vec_cross(arm_rate, ub->w, place.arm_b);
  vec_cross(n_rate, ua->w, place.A);
  to_surface(joint, place.A, place.arm_b);
  to_surface(joint, n_rate, arm_rate);
  hn_point_velocity_at(&touch, a, ua, b, ub, place.arm_b, arm_rate);
  const int n = joint->type->rows;
  for (int r = 1; r < n; r++) {
    const double *e = place.A + 3 * (r < 3 ? r : hn_contact_moment_axis(n, r));
    double e_rate[3], spin[3];
    vec_cross(e_rate, ua->w, e);
    vec_sub(spin, ub->w, ua->w);
    hn_point_velocity_row(&touch, e, e_rate, &row);
    gamma[r] = r < 3 ? row.gamma : vec_dot(e_rate, spin);
  }
}

/* Computes the contact axes in world axes, one after the other; both tangents in one pass. */
static void rotate_frame(const double q[4], const double frame[9], int rows, double axis[9])
{
  lane n[3], t[3], c[3], d[3];
  quat_rotate(axis, q, frame);
  if (rows == 1) return;
  for (int i = 0; i < 3; i++)
    n[i] = (lane){ q[1 + i], q[1 + i] }, t[i] = (lane){ frame[3 + i], frame[6 + i] };
  lane_cross(c, n, t);
  lane_cross(d, n, c);
  for (int i = 0; i < 3; i++) {
    t[i] += 2.0 * (q[0] * c[i] + d[i]);
    axis[3 + i] = t[i][0], axis[6 + i] = t[i][1];
  }
}

/* Computes the Jacobian of all rows for one body: SIGN e and its moment. ARM leads from the centre of mass to
 * the contact point. */
static inline void side_jacobian(int n, double sign, const double *axis, const double arm[3], double *G)
{
  for (int r = 0; r < hn_contact_force_rows(n); r++) {
    const double *e = axis + 3 * r;
    double moment[3];
    vec_cross(moment, arm, e);
    for (int i = 0; i < 3; i++) G[i * n + r] = sign * e[i], G[(3 + i) * n + r] = sign * moment[i];
  }
  for (int r = 3; r < n; r++) {
    const double *e = axis + 3 * hn_contact_moment_axis(n, r);
    for (int i = 0; i < 3; i++) G[i * n + r] = 0.0, G[(3 + i) * n + r] = sign * e[i];
  }
}

static inline void jacobian(int n, const double *axis, const double reach[3], const double arm[3],
                            const hn_rows *out)
{
  if (out->G_a) side_jacobian(n, -1.0, axis, reach, out->G_a);
  if (out->G_b) side_jacobian(n, 1.0, axis, arm, out->G_b);
}

/* Scales row R of N of the requested members of OUT. */
static void scale_row(int n, int r, double scale, const hn_rows *out)
{
  if (out->g) out->g[r] *= scale;
  if (out->gamma) out->gamma[r] *= scale;
  for (int c = 0; c < 6 && out->G_a; c++) out->G_a[c * n + r] *= scale;
  for (int c = 0; c < 6 && out->G_b; c++) out->G_b[c * n + r] *= scale;
}

static void eval(const hn_joint *joint, double t, const hn_pose *a, const hn_twist *ua, const hn_pose *b,
                 const hn_twist *ub, const hn_rows *out)
{
  const double *frame = joint->data, skin_a = frame[HN_SKIN_A], skin_b = frame[HN_SKIN_B];
  const int n = joint->type->rows;
  double axis[9], span[3], reach[3], arm_b[3];
  lane arm[3];
  (void)t;
  joint_arms(joint, a, b, arm);
  joint_span(a, b, arm, span);
  rotate_frame(a->q, frame, n, axis);
  /* gap, and positions along the tangents */
  for (int r = 0; r < n && out->g; r++) out->g[r] = r < 3 ? vec_dot(axis + 3 * r, span) : 0.0;
  if (out->g) out->g[0] -= skin_a + skin_b;
  for (int r = 0; r < n && out->bias; r++) out->bias[r] = 0.0;
  /* Jacobians at the contact point */
  for (int i = 0; i < 3; i++) {
    arm_b[i] = arm[i][1] - skin_b * axis[i];
    reach[i] = arm[i][0] + span[i] - skin_b * axis[i];
  }
  switch (n) { /* constants for the compiler */
  case 1: jacobian(1, axis, reach, arm_b, out); break;
  case 2: jacobian(2, axis, reach, arm_b, out); break;
  case 3: jacobian(3, axis, reach, arm_b, out); break;
  default: jacobian(n, axis, reach, arm_b, out);
  }
  if (out->gamma) acceleration_terms(joint, a, ua, b, ub, out->gamma);
  const double anisotropy = joint->set->anisotropy;
  if (anisotropy > 0.0 && n > 2) scale_row(n, 2, hn_contact_row_scale(anisotropy, 2), out);
}

static void jet(const hn_joint *joint, double t, const hn_body_jet *a, const hn_body_jet *b, size_t k,
                double *work, double *g, double *G_a, double *G_b)
{
  const size_t stride = a->count;
  const double *frame = joint->data, skin_a = frame[HN_SKIN_A], skin_b = frame[HN_SKIN_B];
  const double *axes = work + HN_AXES_A * stride;
  framed_contact whole;
  hn_row row;
  (void)t;
  hn_place_jet(with_axes(&whole, joint), a, b, k, work);
  for (size_t i = k; i < 3 * stride; i += stride) { /* the shift along the normal does not change row 0 */
    work[HN_ARM_B * stride + i] -= skin_b * axes[i];
    work[HN_REACH * stride + i] -= skin_b * axes[i];
  }
  for (int r = 0; r < joint->type->rows; r++) {
    hn_place_row_jet(joint, &(hn_row_part){ HN_ROW_ALONG, r, 0 }, k, stride, work, &row);
    if (r == 0 && k == 0) row.g -= skin_a + skin_b;
    hn_row_store(&row, r, joint->type->rows, &(hn_rows){ .g = g, .G_a = G_a, .G_b = G_b });
  }
}

#define CONTACT(number, of_set)                                                                   \
  {                                                                                               \
    .name = "contact", .summary = "two bodies touch", .unit = "m", .rows = number, .set = of_set, \
    .jet_series = HN_PLACE_SERIES, .eval = eval, .jet = jet                                       \
  }
static const hn_joint_type smooth = CONTACT(1, HN_PUSH), rough_plane = CONTACT(2, HN_CONE),
                           rough_space = CONTACT(3, HN_CONE);
/* With torsional, rolling, and both frictions; and with anisotropic friction. They have no power series. */
#define WITHOUT_SERIES(number)                                                                     \
  {                                                                                                \
    .name = "contact", .summary = "two bodies touch", .unit = "m", .rows = number, .set = HN_CONE, \
    .eval = eval                                                                                   \
  }
static const hn_joint_type with_moments[] = { WITHOUT_SERIES(4), WITHOUT_SERIES(5), WITHOUT_SERIES(6) },
                           anisotropic = WITHOUT_SERIES(3);

const hn_joint_type *hn_contact_joint_type(bool rough, bool planar)
{
  return !rough ? &smooth : planar ? &rough_plane : &rough_space;
}

static bool is_rough(const hn_contact *contact)
{
  return contact->friction > 0 || contact->sticking > 0;
}

const hn_joint_type *hn_contact_type_of(const hn_model *model, const hn_contact *contact)
{
  const bool rolls = contact->rolling > 0.0, spins = contact->torsion > 0.0;
  if (!model->planar && !(rolls || spins) && contact->anisotropy > 0.0) return &anisotropic;
  if (model->planar || !(rolls || spins)) return hn_contact_joint_type(is_rough(contact), model->planar);
  return &with_moments[!rolls ? 0 : spins ? 2 : 1];
}
