/* dense_hermite.h - states between the ends of a step by interpolation. Internal. */
#ifndef HN_DENSE_HERMITE_H
#define HN_DENSE_HERMITE_H

#include "run.h"

typedef struct hn_hermite hn_hermite;
/* Creates an interpolation for MODEL, which must outlive it. JUMPS: velocities can jump within a step, and
 * positions and velocities are interpolated linearly. Returns NULL on error. */
hn_hermite *hn_hermite_create(const hn_model *model, bool jumps, hn_error *error);
void hn_hermite_free(hn_hermite *hermite); /* may be NULL */
/* Computes the state OUT at TIME between the states of FRAME. MULTIPLIERS[nrow]: the joint forces; NULL: not
 * wanted, else FRAME has those at its end. */
hn_reason hn_hermite_at(hn_hermite *hermite, const hn_frame *frame, double time, hn_state *out,
                        double *multipliers);

#endif
