/* sap_block.h - the impulse of one regularised block as a function of its velocities (sap.c). Internal. */
#ifndef HN_SAP_BLOCK_H
#define HN_SAP_BLOCK_H

#include "contact.h"

/* R of a block, 1/kg: of normals and rows with bounds, and of tangents. */
typedef struct hn_sap_rates {
  double normal, tangent;
} hn_sap_rates;

/* Returns R of a block with set SET and scale K by LAW. */
hn_sap_rates hn_sap_rates_of(const hn_contact_law *law, const hn_set *set, double k);
/* Computes the impulse G[n] at the velocities V[n], and Q[n * n] by rows with Q Q' = -dg / dv, for a step of
 * H seconds. */
void hn_sap_block(const hn_set *set, int n, double h, hn_sap_rates R, const double *v, double *g, double *Q);

#endif
