/* contact_joints.c - a contact as equations: its gap as a joint of one row; its slip, or one component of it,
 * as a joint of velocities. */
#include "system/contact_blocks.h"
#include "base/vec.h"
#include "joint/joint_rows.h"

enum { CONTACT_ROWS = 3 };

static const hn_set equation = { .kind = HN_ANY };

/* Part of a contact that a joint type represents: its first row. */
typedef struct part {
  bool planar;
  int first;
} part;

/* Copies the rows of JOINT from a contact's Jacobian FROM, stored by columns of n rows. */
static void copy_rows(const hn_joint *joint, int n, const double *from, double *to)
{
  const int first = ((const part *)joint->type->detail)->first, rows = joint->type->rows;
  for (int c = 0; c < 6 && to; c++)
    for (int r = 0; r < rows; r++) to[c * rows + r] = from[c * n + first + r];
}

/* Returns the whole contact that JOINT is a part of. */
static hn_joint whole_of(const hn_joint *joint)
{
  hn_joint whole = *joint;
  whole.type = hn_contact_joint_type(true, ((const part *)joint->type->detail)->planar);
  return whole;
}

static void eval(const hn_joint *joint, double t, const hn_pose *a, const hn_twist *ua, const hn_pose *b,
                 const hn_twist *ub, const hn_rows *out)
{
  double G_a[6 * CONTACT_ROWS], G_b[6 * CONTACT_ROWS], bias[CONTACT_ROWS], gamma[CONTACT_ROWS];
  const int first = ((const part *)joint->type->detail)->first;
  const hn_joint whole = whole_of(joint);
  whole.type->eval(&whole, t, a, ua, b, ub,
                   &(hn_rows){ .G_a = G_a, .G_b = G_b, .bias = bias, .gamma = out->gamma ? gamma : NULL });
  copy_rows(joint, whole.type->rows, G_a, out->G_a);
  copy_rows(joint, whole.type->rows, G_b, out->G_b);
  for (int r = 0; r < joint->type->rows; r++) {
    if (out->g) out->g[r] = 0.0;
    if (out->bias) out->bias[r] = bias[first + r];
    if (out->gamma) out->gamma[r] = gamma[first + r];
  }
}

static void jet(const hn_joint *joint, double t, const hn_body_jet *a, const hn_body_jet *b, size_t k,
                double *work, double *g, double *G_a, double *G_b)
{
  double whole_g[CONTACT_ROWS], whole_a[6 * CONTACT_ROWS], whole_b[6 * CONTACT_ROWS];
  const hn_joint whole = whole_of(joint);
  whole.type->jet(&whole, t, a, b, k, work, g ? whole_g : NULL, whole_a, whole_b);
  copy_rows(joint, whole.type->rows, whole_a, G_a);
  copy_rows(joint, whole.type->rows, whole_b, G_b);
  for (int r = 0; r < joint->type->rows && g; r++) g[r] = 0.0;
}

#define STICK(number, of_part)                                                                            \
  {                                                                                                       \
    .name = "stick", .summary = "a contact does not slip", .unit = "m", .rows = number, .velocity = true, \
    .jet_series = HN_PLACE_SERIES, .eval = eval, .jet = jet, .detail = &(const part)of_part               \
  }
#define PART(...) \
  {               \
    __VA_ARGS__   \
  }

static const hn_joint_type stick_plane = STICK(1, PART(true, 1)), stick_space = STICK(2, PART(false, 1)),
                           stick_one[2] = { STICK(1, PART(false, 1)), STICK(1, PART(false, 2)) };

hn_joint hn_contact_gap_joint(const hn_contact *contact)
{
  hn_joint joint = { .name = (char *)"contact",
                     .type = hn_contact_joint_type(false, false),
                     .a = contact->a,
                     .b = contact->b,
                     .set = &equation,
                     .data = (void *)hn_contact_axes_of(contact),
                     .input = -1 };
  vec_copy(joint.point_a, contact->point_a), vec_copy(joint.point_b, contact->point_b);
  return joint;
}

hn_joint hn_contact_stick_joint(const hn_contact *contact, bool planar, unsigned tangents)
{
  hn_joint joint = hn_contact_gap_joint(contact);
  joint.type = planar ? &stick_plane : tangents == 3 ? &stick_space : &stick_one[tangents - 1];
  return joint;
}
