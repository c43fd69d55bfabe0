/* contact_blocks.h - contacts as blocks of a system. Internal. */
#ifndef HN_CONTACT_BLOCKS_H
#define HN_CONTACT_BLOCKS_H

#include "system.h"

/* Room for the contacts of the system's model; freed with free. */
int hn_touching_create(hn_system *s, hn_error *error);
/* The contacts of STATE behind the joints. HN_FULL when there are more than room. */
hn_reason hn_touching_list(hn_system *s, const hn_state *state);
/* hn_system_begin with the contacts that STATE has. */
hn_reason hn_system_list(hn_system *s, const hn_state *state);
/* What a contact is as a joint, with friction or without. */
const hn_joint_type *hn_touching_type(bool rough, bool planar);
/* The joints that hold CONTACT, which is their data, as equations: its gap, and, of velocities, its slip along
 * TANGENTS, 1 and 2 of a sum. They have no row yet. */
hn_joint hn_touching_gap(const hn_contact *contact);
hn_joint hn_touching_stick(const hn_contact *contact, bool planar, unsigned tangents);
/* How far b slips on a where they touch, between two states, along the tangents of a contact with friction: as a sees
 * it, SLIP[n - 1], m. */
void hn_touching_slip(const hn_block *block, const hn_state *from, const hn_state *to, double *slip);
/* Contacts with two frictions take that of sliding, for solvers that do not tell sticking from it. */
void hn_touching_let_slide(hn_state *state);

#endif
