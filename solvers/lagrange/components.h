/* components.h - the components of a state that can change, as one vector of unknowns. */
#ifndef HN_COMPONENTS_H
#define HN_COMPONENTS_H

#include "state.h"

/* Components that stand side by side in an array of poses or of twists. */
typedef struct hn_stretch {
  int place, count;
} hn_stretch;

/* Only the components that can change are integrated: the work of GSL's steppers grows with their number,
 * that of the implicit ones with its cube. */
typedef struct hn_components {
  const hn_model *model;
  size_t positions, size; /* number of those of poses; number of those of poses, then of twists */
  hn_stretch *part;       /* [parts] where they stand in the arrays: those of poses, then those of twists */
  int pose_parts, parts;
} hn_components;

/* Counts the components that can change, and the stretches of neighbouring ones. Lists the stretches if
 * c->part has been allocated. */
void hn_components_list(hn_components *c);
/* Copies the components of POSES and TWISTS into Y. */
void hn_components_gather(const hn_components *c, const hn_pose *poses, const hn_twist *twists, double *y);
/* Copies Y into the components of STATE. */
void hn_components_scatter(const hn_components *c, const double *y, hn_state *state);
/* Copies the components of one body from *POSES and *TWISTS, its parts of y, into POSE and TWIST, and
 * advances both to the next body. */
void hn_components_scatter_body(const hn_model *model, int body, const double **poses, const double **twists,
                                hn_pose *pose, hn_twist *twist);

#endif
