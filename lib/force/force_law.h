/* force_law.h - forces whose law is a function of one's own. Internal. */
#ifndef HN_FORCE_LAW_H
#define HN_FORCE_LAW_H

#include "forces.h"

enum { HN_FORCE_ROWS = 3 }; /* of one force at most */

typedef struct hn_law hn_law;

/* The type of FORCE, whose type and name are in place, becomes one with the law of LAW, or that of ENERGY, or both; it
 * belongs to FORCE, and so do the tapes, also when this fails. */
int hn_law_make(hn_force *force, struct hn_tape *law, struct hn_tape *energy, hn_error *error);
/* The law is finite at the start, where the rows are g with their rates. */
int hn_law_check_start(const hn_force *force, const double *g, const double *rate, hn_error *error);
/* In a planar system what is in a vector law, of a force or of a torque, must stay there. */
int hn_law_check_planar(const hn_force *force, hn_error *error);
void hn_law_free(hn_law *law); /* which may be NULL */

#endif
