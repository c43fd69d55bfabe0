/* prox_step.h - one proximal step of the contact solver prox (prox.c). Internal. */
#ifndef HN_PROX_STEP_H
#define HN_PROX_STEP_H

#include "contact/newton/newton_search.h"

typedef struct hn_prox {
  hn_newton newton;
  double first_alpha;    /* parameter "alpha" */
  double alpha;          /* in force */
  double *center;        /* [most.rows] p at the start of the step */
  double *P;             /* [most.rows] P(q) */
  double *R, *v_R;       /* [most.rows] p - P(q), and K R */
  double *best;          /* [most.rows] p of the smallest error */
  double *kept;          /* [most.rows] p before contradictions are magnified */
  double *b, *part;      /* [most.rows] velocities with larger contradictions; the contradiction itself */
  double *last, *before; /* [most.rows] solutions for the last two factors */
  hn_arrays arrays;
} hn_prox;

/* Makes the proximal step from P, whose velocities are s->newton.v, to within a part of its error LAW, m/s.
 * Notes every iteration of Newton's method. HN_CONVERGED: P is the result, and solver->error its error;
 * HN_STALLED, HN_SINGULAR: there is none, and P is of no use; HN_BUDGET, HN_INTERRUPTED. */
hn_reason hn_prox_step(hn_contact_solver *solver, const hn_problem *problem, double law, double *p);
/* Moves P, the result of a step with ERROR, m/s, by iterations of Newton's method as long as each halves the
 * error. HN_CONVERGED, whether or not it has moved; HN_BUDGET, HN_NO_MEMORY. */
hn_reason hn_prox_polish(hn_contact_solver *solver, const hn_problem *problem, double error, double *p);

#endif
