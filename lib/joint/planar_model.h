/* planar_model.h - what a model whose bodies stay in the plane z = 0 asks of its parts. Internal. */
#ifndef HN_PLANAR_MODEL_H
#define HN_PLANAR_MODEL_H

#include "model.h"

/* Keeps of the inertia in place, that of SPEC or of its shape, the moment about z alone; SPEC must not say others. */
int hn_planar_inertia(hn_body *body, const hn_body_spec *spec, hn_error *error);
/* 0 when pose, velocities and gravity of the body NAME lie in the plane. */
int hn_planar_check_body(const hn_body *body, const char *name, hn_error *error);
/* What TYPE is in the plane, for the joint NAME; NULL and an error when it is nothing there. */
const hn_joint_type *hn_planar_type(const hn_joint_type *type, const char *name, hn_error *error);
/* 0 when the points and axes that SPEC gives for JOINT, whose type and name are in place, lie as they must. KEYS are
 * what it must give. */
int hn_planar_check_geometry(const hn_joint_spec *spec, unsigned keys, const hn_joint *joint,
                             hn_error *error);
/* Turns axes 1 and 2 of FRAME about axis 0, which lies in the plane or along its normal: in the plane, axis 2 is z. */
void hn_planar_frame(double frame[9]);
/* 0 when a force lies in the plane, a torque (TURNS) along its normal. */
int hn_planar_check_vector(const char *name, const char *key, bool turns, const double vector[3],
                           hn_error *error);

#endif
