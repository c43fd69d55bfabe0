/* contact_registry.h - the registry of contact solvers. Internal. */
#ifndef HN_CONTACT_REGISTRY_H
#define HN_CONTACT_REGISTRY_H

#include "base/type_registry.h"
#include "contact.h"

extern hn_type_registry hn_contact_registry;

/* The default of time stepping, the name of a chain, and that of solvers that locate events, whose
 * problems are small. prox and newton are left out without KLU. doc/contact.md, section 3, has the chain
 * as a table. */
#define HN_DEFAULT_CONTACT "auto"
#ifdef HN_WITH_KLU
#define HN_DEFAULT_CHAIN                                                             \
  "nncg:matrix=true:rows=300:iterations=30:forecast=1:then="                         \
  "admm:from=1001:iterations=300:forecast=0.1:then="                                 \
  "newton:islands=true:rows=60:condense=60:sweeps=0:help=0:iterations=5:then="       \
  "prox:rows=60:sweeps=0:then=newton:rows=300:sweeps=0:help=0:iterations=10:then="   \
  "nncg:rows=1000:iterations=2500:forecast=3:then=prox:rows=300:then="               \
  "ipm:rows=1000:iterations=150:then=nncg:from=1001:iterations=300:forecast=3:then=" \
  "prox:from=1001:sweeps=0:then=prox:from=1001:cold=true:then=prox:then=admm"
#define HN_ACCURATE_CONTACT "newton:then=auto"
#else
#define HN_DEFAULT_CHAIN "admm"
#define HN_ACCURATE_CONTACT "admm:then=lemke"
#endif

/* Returns the solver type NAME: built-in, then one of OWN (ended by NULL, or NULL), then one of a plugin.
 * Returns NULL on error. */
const hn_contact_type *hn_contact_type_find(const char *name, const hn_contact_type *const *own,
                                            hn_error *error);

/* True if SOLVER or a fallback has the CAPABILITIES. */
bool hn_contact_solver_can(const hn_contact_solver *solver, unsigned capabilities);
/* True if SOLVER and all of its fallbacks solve problems without T. */
bool hn_contact_computes_responses(const hn_contact_solver *solver);
/* True if P meets the law that SOLVER solves within the tolerance in force. */
bool hn_contact_is_met(hn_contact_solver *solver, const hn_problem *problem, const double *p);
/* Judges the end of a solution with REASON at P. Measures residual, rounding level and worst block where the
 * tolerance of the solver is not reached. Returns HN_CONVERGED at the level of rounding, else REASON. */
hn_reason hn_contact_end(hn_contact_solver *solver, const hn_problem *problem, hn_reason reason,
                         const double *p);

#endif
