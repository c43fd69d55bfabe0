/* discrete.h - discrete gradients of joint rows and of forces over a step. Internal.
 *
 * The step leads from the poses of `start` to those of `end` by the displacement Delta: x1 = x0 + Delta_x,
 * R1 = cay(theta) R0. A discrete Jacobian has G Delta = g1 - g0 exactly, at constant time; its impulses on
 * the two bodies are opposite and have no moment together at the mean positions. */
#ifndef HN_DISCRETE_H
#define HN_DISCRETE_H

#include "holonom.h"

typedef struct hn_step_motion {
  double h;
  const hn_state *start, *end;
  /* mean positions, orientations halfway; as twists Delta / h; time and inputs are those of the middle */
  const hn_state *middle;
} hn_step_motion;

/* Computes the discrete Jacobian of the rows of JOINT, laid out as in hn_rows. Rows of velocities have the
 * Jacobian of the middle. */
void hn_discrete_jacobian(const hn_joint *joint, const hn_step_motion *step, double *G_a, double *G_b);

/* Computes the mean of all forces but gravity over the step into wrench[6 nbody]. The work of conservative
 * forces is their loss of energy to round-off. */
void hn_discrete_forces(const hn_model *model, const hn_step_motion *step, double *wrench, hn_work *work);

#endif
