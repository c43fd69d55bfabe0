/* cores.h - what touches at a contact, as points, lines, circles and planes. Internal. */
#ifndef HN_COLLIDE_CORES_H
#define HN_COLLIDE_CORES_H

#include "state.h"

typedef enum hn_core_kind { HN_CORE_POINT, HN_CORE_LINE, HN_CORE_CIRCLE, HN_CORE_PLANE } hn_core_kind;

/* A feature of a shape is all that is SKIN away from its core: a corner or the centre of a ball; an
 * edge or the axis of a round side; a rim; a face. Lines and planes have no ends here: where a feature
 * ends another contact begins. */
typedef struct hn_core {
  hn_core_kind kind;
  double at[3];   /* it, a point of the line or plane, or the centre of the circle; axes of the body, m */
  double axis[3]; /* of unit length: along the line; normal to the circle's plane; out of the body */
  double radius;  /* of the circle, m */
  double skin;    /* m */
} hn_core;

/* Is where CONTACT touches fixed to one of its bodies, and its normal to the other, as long as the
 * same features touch: a corner, or what is round about a point, on a face? So is a contact that no
 * collider of MODEL has made. */
bool hn_contact_is_fixed(const hn_model *model, const hn_contact *contact);
/* The cores of CONTACT, which colliders of MODEL have made at STATE, on its body a and on its b. */
void hn_contact_cores(const hn_model *model, const hn_contact *contact, const hn_state *state,
                      hn_core core[2]);

#endif
