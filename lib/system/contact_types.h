/* contact_types.h - the joint types of contacts, and the data of their joints. Internal. */
#ifndef HN_CONTACT_TYPES_H
#define HN_CONTACT_TYPES_H

#include "linear/system_parts.h"

#include <stddef.h>

/* The data of a contact's joint: its frame (hn_contact.frame), then both skins, m. */
typedef double hn_contact_axes[11];
enum { HN_SKIN_A = 9, HN_SKIN_B = 10 };
/* Returns these numbers of CONTACT, in whose memory they follow each other. */
static inline const double *hn_contact_axes_of(const hn_contact *contact)
{
  return (const double *)((const char *)contact + offsetof(hn_contact, frame));
}

static inline double hn_contact_skin_b(const hn_joint *joint)
{
  return ((const double *)joint->data)[HN_SKIN_B];
}

/* Returns the frame of a contact's block. */
static inline const double *hn_contact_frame(const hn_block *block)
{
  return block->joint->data;
}

/* Rows of a contact with N rows that are no moments. */
static inline int hn_contact_force_rows(int n)
{
  return n < 3 ? n : 3;
}

/* Returns the axis of the frame for moment row R >= 3 of N: rolling about the tangents, torsion about the
 * normal, in the last row. */
static inline int hn_contact_moment_axis(int n, int r)
{
  return n % 2 == 0 && r == n - 1 ? 0 : r - 2;
}

/* Returns the length of the direction of row R of a contact, which is along axis R of its frame: mu_2 /
 * mu_1 = 1 - ANISOTROPY for the second tangent, else 1. With impulses q_1 = p_1, q_2 = (mu_1 / mu_2) p_2
 * of these rows, the ellipse (p_1 / mu_1)^2 + (p_2 / mu_2)^2 <= p_n^2 is the disc |q| <= mu_1 p_n. Friction
 * that dissipates most, normal to the ellipse, is opposite to the slip of these rows. */
static inline double hn_contact_row_scale(double anisotropy, int r)
{
  return r == 2 ? 1.0 - anisotropy : 1.0;
}

/* Converts the impulse P[n] of the rows of CONTACT to components along the axes of its frame. */
static inline void hn_contact_components(const hn_contact *contact, int n, const double *p, double along[3])
{
  for (int r = 0; r < 3; r++) along[r] = r < n ? p[r] : 0.0;
  if (contact->anisotropy > 0.0) along[2] *= hn_contact_row_scale(contact->anisotropy, 2);
}

/* Returns the joint type of a contact, with friction (ROUGH) or without. */
const hn_joint_type *hn_contact_joint_type(bool rough, bool planar);
/* Returns the joint type of CONTACT of MODEL, with moments and anisotropic friction if it has them. */
const hn_joint_type *hn_contact_type_of(const hn_model *model, const hn_contact *contact);

#endif
