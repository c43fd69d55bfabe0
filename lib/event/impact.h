/* impact.h - simultaneous impacts: joints, and closed limits and contacts, as one contact problem. */
#ifndef HN_IMPACT_H
#define HN_IMPACT_H

#include "contact.h"
#include "contact/anderson.h"
#include "solver.h"

typedef enum hn_restitution { HN_POISSON, HN_NEWTON } hn_restitution;

typedef struct hn_impact {
  int restitution;            /* hn_restitution */
  hn_contact_options contact; /* of the solver */
  double touching;  /* m, rad: limits and contacts with gaps up to this are closed; set before use */
  const bool *gone; /* [njoint] joints that have broken; NULL: none */
  hn_contact_solver *law;
  hn_problem *problem;
  struct hn_problem_islands *islands; /* solves the problem */
  bool any;  /* in the last impact a row with restitution closed faster than the threshold */
  double *p; /* [max_rows] its impulses, N s */
  double *v; /* [max_rows] velocities of the rows before it */
  double *first, *more, *base, *trial, *rate; /* [max_rows] p1, parts of p2, and scratch */
  double *work;                               /* [6 nbody] */
  double *weight;                             /* [max_rows] ones */
  hn_anderson friction;                       /* of the iteration for friction in the expansion */
} hn_impact;

/* Parameters of a solver whose data has FIELD of that type, with the defaults of its contact solver. */
#define HN_IMPACT_PARAMS(data, field, default_solver, default_tolerance)                                     \
  HN_CONTACT_PARAMS(data, field.contact, default_solver, default_tolerance, "10000"),                        \
  {                                                                                                          \
    "restitution", HN_CHOICE, offsetof(data, field) + offsetof(hn_impact, restitution), "poisson", 0, 0, "", \
      "poisson,newton", "an impact gives back this part of its impulse; or of the speed of closing"          \
  }

int hn_impact_setup(hn_solver *solver, hn_impact *impact, hn_error *error);
void hn_impact_free(hn_impact *impact);
/* Applies the impulses of the impact at STATE, where the system is linearised, to its velocities, and
 * leaves them in p. Joints and closed limits and contacts take part; bounded forces, which are finite, do
 * not. After it no row closes but by restitution of others. Failures are noted in the report of SOLVER. */
hn_reason hn_impact_solve(hn_solver *solver, hn_impact *impact, hn_state *state);
/* Returns the largest speed of closing of the closed limits and contacts at STATE, m/s or rad/s, at least
 * 0. */
double hn_impact_closing(hn_solver *solver, hn_impact *impact, const hn_state *state);

#endif
