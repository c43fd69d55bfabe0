/* planar_model.h - checks of the parts of a planar model. Internal. */
#ifndef HN_PLANAR_MODEL_H
#define HN_PLANAR_MODEL_H

#include "model.h"

/* Reduces the inertia of BODY, from SPEC or from its shapes, to the moment about z; an error if SPEC gives
 * other moments. */
int hn_planar_inertia(hn_body *body, const hn_body_spec *spec, hn_error *error);
/* Returns 0 if pose, velocities and gravity of the body NAME lie in the plane. */
int hn_planar_check_body(const hn_body *body, const char *name, hn_error *error);
/* Returns the planar type of TYPE for the joint NAME; NULL and an error if there is none. */
const hn_joint_type *hn_planar_type(const hn_joint_type *type, const char *name, hn_error *error);
/* Returns 0 if points and axes of SPEC for JOINT, whose type and name are set, lie as planar systems require.
 * KEYS is the geometry that SPEC must give. */
int hn_planar_check_geometry(const hn_joint_spec *spec, unsigned keys, const hn_joint *joint,
                             hn_error *error);
/* Rotates axes 1 and 2 of FRAME about axis 0, which lies in the plane or is its normal. For an axis in the
 * plane, axis 2 becomes z. */
void hn_planar_frame(double frame[9]);
/* Returns 0 if a force lies in the plane, or a torque (TURNS) is normal to it. */
int hn_planar_check_vector(const char *name, const char *key, bool turns, const double vector[3],
                           hn_error *error);

#endif
