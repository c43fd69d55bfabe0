/* redundant.h - factorisation and solution with a singular K: the policies of parameter `redundancy`.
 * Internal. */
#ifndef HN_REDUNDANT_H
#define HN_REDUNDANT_H

#include "redundant/policy.h"

/* Creates the data of a policy other than HN_REFUSE; NULL on error. */
hn_redundant *hn_redundant_create(const hn_system *s, int policy, hn_error *error);
void hn_redundant_free(hn_redundant *d);
/* Resets the policy after the list of blocks has changed: no row counts as redundant. */
int hn_redundant_analyse(hn_redundant *d, const hn_system *s, hn_error *error);

/* Size in bytes, copy and restoration of the policy's memory between factorisations, for checkpoints at the
 * start of a step. The size is 0 without a policy, or with one that has no memory. */
size_t hn_redundant_memory(const hn_system *s);
void hn_redundant_save(hn_system *s, void *memory);
void hn_redundant_restore(hn_system *s, const void *memory);
/* True if MEMORY can be restored: its count and indices are in range. The rows of S must be listed. */
bool hn_redundant_accepts(const hn_system *s, const void *memory);

/* Implement hn_system_factor and hn_system_solve. */
hn_reason hn_redundant_factor(hn_system *s);
hn_reason hn_redundant_solve(hn_system *s, const double *b, double *p);

/* Writes why K is singular, to follow the reason in a message: names of redundant constraints or of those in
 * conflict. */
void hn_linear_explain(hn_system *s, char *text, size_t size);

#endif
