/* contact.h - contacts as blocks of a system. Internal. */
#ifndef HN_SYSTEM_CONTACT_H
#define HN_SYSTEM_CONTACT_H

#include "system.h"

/* Room for the contacts of the system's model; freed with free. */
int hn_touching_create(hn_system *s, hn_error *error);
/* The contacts of STATE behind the joints. HN_FULL when there are more than room. */
hn_reason hn_touching_list(hn_system *s, const hn_state *state);
/* hn_system_begin with the contacts that STATE has. */
hn_reason hn_system_list(hn_system *s, const hn_state *state);
/* How far b slips on a where they touch, between two states, along the tangents of a contact with friction: as a sees
 * it, SLIP[n - 1], m. */
void hn_touching_slip(const hn_block *block, const hn_state *from, const hn_state *to, double *slip);
/* Contacts with two frictions take that of sliding, for methods that do not tell sticking from it. */
void hn_touching_let_slide(hn_state *state);

#endif
