/* contact_blocks.h - contacts as blocks of a system. Internal. */
#ifndef HN_CONTACT_BLOCKS_H
#define HN_CONTACT_BLOCKS_H

#include "linear/system_parts.h"
#include "system/contact_types.h"

/* Returns the contact of a block: its key, bodies, geometry and coefficients, without an impulse. */
hn_contact hn_contact_of(const hn_block *block);

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
/* Return joints that hold a contact as equations: its gap; or its slip, in terms of velocities, along the
 * tangents in the bit mask TANGENTS (1, 2 or both). CONTACT is their data and must outlive them. Their rows
 * are not set. */
hn_joint hn_contact_gap_joint(const hn_contact *contact);
hn_joint hn_contact_stick_joint(const hn_contact *contact, bool planar, unsigned tangents);
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
