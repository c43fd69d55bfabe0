/* cores.h - the touching features of a contact as points, lines, circles, planes and ellipsoids. Internal. */
#ifndef HN_COLLIDE_CORES_H
#define HN_COLLIDE_CORES_H

#include "state.h"

typedef enum hn_core_kind {
  HN_CORE_POINT,
  HN_CORE_LINE,
  HN_CORE_CIRCLE,
  HN_CORE_PLANE,
  HN_CORE_ELLIPSOID
} hn_core_kind;

/* The core of a feature: the feature is the set of points at distance SKIN from it. Cores: a corner or the
 * centre of a sphere; an edge or the axis of a round side; a rim; a face. Lines and planes are unbounded;
 * beyond the end of a feature another contact takes over. An ellipsoid is a core of its own. */
typedef struct hn_core {
  hn_core_kind kind;
  double at[3]; /* m, body axes: the point, a point of the line or plane, or the centre */
  /* unit vector: direction of the line, or normal of the circle's plane or outward of the face */
  double axis[3];
  double radius;  /* m, of the circle */
  double half[9]; /* m: half axes of the ellipsoid, row by row, body axes */
  double skin;    /* m */
} hn_core;

/* True if, while the features persist, the contact point is fixed to one body and the normal to the other: a
 * corner or a round end on a face. Also true for contacts that no collider of MODEL made. */
bool hn_contact_is_fixed(const hn_model *model, const hn_contact *contact);
/* Computes the cores of CONTACT, made by colliders of MODEL at STATE: core[0] on its body a, core[1] on its
 * body b. */
void hn_contact_cores(const hn_model *model, const hn_contact *contact, const hn_state *state,
                      hn_core core[2]);

#endif
