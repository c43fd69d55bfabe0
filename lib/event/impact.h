/* impact.h - the impacts of one instant: joints and all that touches, as one problem of contact. */
#ifndef HN_IMPACT_H
#define HN_IMPACT_H

#include "contact.h"
#include "contact/anderson.h"
#include "solver.h"

typedef enum hn_restitution { HN_POISSON, HN_NEWTON } hn_restitution;

typedef struct hn_impact {
  int restitution;            /* hn_restitution */
  hn_contact_options contact; /* of the solver */
  double touching;            /* m, rad: what is no further apart takes part; set before use */
  const bool *gone;           /* [njoint] joints that take no part; NULL: all do */
  hn_contact_solver *law;
  hn_problem *problem;
  bool any;  /* in the last one: was anything with restitution fast enough to bounce? */
  double *p; /* [most_rows] its impulses, N s */
  double *v; /* [most_rows] velocities of the rows before it */
  double *first, *more, *base, *trial, *rate; /* [most_rows] p1, what comes after it, and scratch */
  double *work;                               /* [6 nbody] */
  double *weight;                             /* [most_rows] of one */
  hn_anderson friction;                       /* of the expansion, round by round */
} hn_impact;

/* Parameters of a solver whose data has FIELD of that type; its contact solver and how exact it is by default. */
#define HN_IMPACT_PARAMS(data, field, default_solver, default_tolerance)                                     \
  HN_CONTACT_PARAMS(data, field.contact, default_solver, default_tolerance, "10000"),                        \
  {                                                                                                          \
    "restitution", HN_CHOICE, offsetof(data, field) + offsetof(hn_impact, restitution), "poisson", 0, 0, "", \
      "poisson,newton", "an impact gives back this part of its impulse; or of the speed of closing"          \
  }

int hn_impact_setup(hn_solver *solver, hn_impact *impact, hn_error *error);
void hn_impact_free(hn_impact *impact);
/* At STATE, whose contacts are listed and linearised (hn_system_begin, hn_system_linearise): gives its velocities the
 * impulses of all joints and of all limits and contacts whose gap is at most `touching`, which it leaves in p; bounded
 * forces take no part, they are finite. Nothing closes after it but what restitution throws at each other. The targets
 * of the system are taken back: they were those of the velocities before. Reasons are noted in the solver's report. */
hn_reason hn_impact_solve(hn_solver *solver, hn_impact *impact, hn_state *state);
/* There as well: the fastest closing of all that touches, m/s or rad/s, at least 0. */
double hn_impact_closing(hn_solver *solver, hn_impact *impact, const hn_state *state);

#endif
