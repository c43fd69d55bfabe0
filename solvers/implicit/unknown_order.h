/* unknown_order.h - the order in which the unknowns of bodies and joints are eliminated. */
#ifndef HN_IMPLICIT_UNKNOWN_ORDER_H
#define HN_IMPLICIT_UNKNOWN_ORDER_H

#include "implicit/force_tangent.h"

/* Sets ORDER[nbody + nblock]: body i is i, joint k is nbody + k. Returns -1 on error. */
int hn_unknown_order(const hn_system *system, const hn_tangent *tangent, int *order, hn_error *error);

#endif
