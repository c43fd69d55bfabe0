/* redundant.h - what K p = b means when K is singular: the policies of parameter `redundancy`. Internal. */
#ifndef HN_REDUNDANT_H
#define HN_REDUNDANT_H

#include "redundant/policy.h"

/* NULL on error. POLICY is not HN_REFUSE. */
hn_redundant *hn_redundant_create(const hn_system *s, int policy, hn_error *error);
void hn_redundant_free(hn_redundant *d);
/* As after create: nothing was found to be redundant yet; for the blocks there are now. */
int hn_redundant_analyse(hn_redundant *d, const hn_system *s, hn_error *error);

/* What is known of redundant rows from one factorisation to the next, for checkpoints: its size in bytes, 0 when
 * there is no policy or none that remembers; a copy of it, and back. A step begins with it. */
size_t hn_redundant_memory(const hn_system *s);
void hn_redundant_save(hn_system *s, void *memory);
void hn_redundant_restore(hn_system *s, const void *memory);

/* The doors of matrix.c. */
hn_reason hn_redundant_factor(hn_system *s);
hn_reason hn_redundant_solve(hn_system *s, const double *b, double *p);

/* Why K was refused, to be put behind the reason: the redundant constraints by name, or those in conflict. */
void hn_linear_explain(hn_system *s, char *text, size_t size);

#endif
