/* force_law.h - forces with a custom law. Internal. */
#ifndef HN_FORCE_LAW_H
#define HN_FORCE_LAW_H

#include "forces.h"

enum { HN_FORCE_ROWS = 3 }; /* maximum number of rows of a force */

typedef struct hn_law hn_law;

/* Gives FORCE, whose type and name are set, its own type with the law LAW, or -dE/dx of ENERGY, or both.
 * FORCE takes ownership of the type and the tapes, even on failure. */
int hn_law_make(hn_force *force, struct hn_tape *law, struct hn_tape *energy, hn_error *error);
/* Returns 0 if the law is finite at the start, with coordinates G and their rates. */
int hn_law_check_start(const hn_force *force, const double *g, const double *rate, hn_error *error);
/* Returns 0 if a vector law keeps a planar system in its plane: forces in the plane, torques normal to it. */
int hn_law_check_planar(const hn_force *force, hn_error *error);
void hn_law_free(hn_law *law); /* NULL is allowed */

#endif
