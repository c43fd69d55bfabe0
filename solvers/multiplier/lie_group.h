/* lie_group.h - poses moved along the group R^3 x SO(3) of each body, for solvers that work there. */
#ifndef HN_LIE_GROUP_H
#define HN_LIE_GROUP_H

#include "holonom.h"

/* TO := FROM moved by D, with the velocities U: x += D_x, R := R exp(D_W). Linear parts are in world axes, the angular
 * ones of D and U in body axes, those of TO in world axes, as in every state. Counted as a flight of every body. */
void hn_group_move(hn_system *system, const hn_state *from, const hn_twist *D, const hn_twist *u,
                   hn_state *to);

#endif
