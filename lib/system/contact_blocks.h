/* contact_blocks.h - contacts as blocks of a system. Internal. */
#ifndef HN_CONTACT_BLOCKS_H
#define HN_CONTACT_BLOCKS_H

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

/* Returns the contact of a block: its key, bodies, geometry and coefficients, without an impulse. */
hn_contact hn_contact_of(const hn_block *block);

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

/* Allocates the geometry of the contacts of the system's model; free with free. */
int hn_contact_blocks_create(hn_system *s, hn_error *error);
/* Lists the contacts of STATE as blocks after the joints. Returns HN_FULL if there are more than the
 * capacity. */
hn_reason hn_contact_blocks_list(hn_system *s, const hn_state *state);
/* Lists the contacts of the last collision detection, at the poses of STATE, as blocks after the joints. */
void hn_contact_blocks_detected(hn_system *s, const hn_state *state);
/* Equivalent of hn_system_begin for a state whose contacts are those of BEFORE, another state: without a copy
 * of them. */
hn_reason hn_system_begin_from(hn_system *s, const hn_state *before, hn_state *state);
/* Lists as blocks the contacts at the poses of STATE, for a search for gaps: without collision detection
 * those of GIVEN. Impulses are not carried, and the contacts of STATE are not touched. */
hn_reason hn_system_begin_gaps(hn_system *s, const hn_state *given, const hn_state *state);
/* Like hn_system_begin, with the contacts present in STATE: no collision detection. */
hn_reason hn_system_list(hn_system *s, const hn_state *state);
/* Returns the joint type of a contact, with friction (ROUGH) or without. */
const hn_joint_type *hn_contact_joint_type(bool rough, bool planar);
/* Returns the joint type of CONTACT of MODEL, with moments and anisotropic friction if it has them. */
const hn_joint_type *hn_contact_type_of(const hn_model *model, const hn_contact *contact);
/* Return joints that hold a contact as equations: its gap; or its slip, in terms of velocities, along the
 * tangents in the bit mask TANGENTS (1, 2 or both). CONTACT is their data and must outlive them. Their rows
 * are not set. */
hn_joint hn_contact_gap_joint(const hn_contact *contact);
hn_joint hn_contact_stick_joint(const hn_contact *contact, bool planar, unsigned tangents);
/* True if the slip direction of contact BLOCK turns with its bodies. False for round bodies on fixed ones,
 * whose centre is the centre of mass: their slip is the way of the contact point along the surface, for any
 * rotation. */
bool hn_contact_turns(const hn_system *s, const hn_block *block);
/* Returns the rate at which the slip direction of contact BLOCK, for which hn_contact_turns is true, turns
 * with its bodies at STATE, rad/s. A round feature does not turn it by spinning about the line from the
 * centre of mass. */
double hn_contact_slip_turn(const hn_block *block, const hn_state *state);
/* Computes the slip of b on a in a flight of H seconds between two states along the tangents of a contact
 * with friction, fixed in body a: SLIP[2], or SLIP[1] in the plane, m. The rotation of b relative to a is
 * counted in whole turns by their angular velocities. */
void hn_contact_slip(const hn_block *block, const hn_state *from, const hn_state *to, double h, double *slip);
/* Leaves system->T out from now on: for solvers that read T by hn_system_apply, or from problems of their
 * own, alone. A large system then takes a quarter less memory for each contact. hn_problem_assemble leaves
 * it out as well. */
void hn_system_omit_responses(hn_system *s);
/* Computes system->T from the last Jacobian, where it is left out. */
void hn_system_store_responses(hn_system *s);
/* Sets the friction of contacts with two coefficients to the sliding one, for solvers that do not distinguish
 * contact modes. */
void hn_contacts_use_sliding_friction(hn_state *state);

#endif
