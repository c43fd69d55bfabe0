/* standing.h - the impulse step of what stands, slides or rolls on something, and is joined. */
#ifndef HN_STANDING_H
#define HN_STANDING_H

#include "contact.h"
#include "impulse/force_impulse.h"
#include "contact_events/nearby.h"

typedef struct hn_standing {
  double tolerance; /* m, rad */
  int iterations;
  hn_contact_solver *law;
  double tight; /* m/s: its tolerance */
  hn_problem *problem;
  hn_nearby *nearby; /* of the beginning of the step */
  hn_kick kick;
  hn_state *start, *trial;
  double h, whole; /* s: the step under way, and the one that it is a part of */
  bool fresh; /* is it the first part? Contacts have the impulses of the step before: a start; else those of
                      * this one so far, to which what follows is added */
  double *p, *before; /* [most_rows] impulses of the phase, and of the one before it, along the rows of now */
  double *g, *v, *v0; /* [most_rows] residuals at the start; velocities of rows */
  double *slip;       /* [3 most_blocks] mean slip of each of near while it slides, m/s, axes of a; and */
  double *first;      /* [3 most_blocks] its impulse at the start of the step, in these axes */
  bool *slides;       /* [most_blocks] does it slide on the way? */
  bool *takes;        /* [most_blocks] blocks that take part at the end */
  double *work;       /* [6 nbody] */
} hn_standing;

/* With a solver as CONTACT says. */
int hn_standing_setup(hn_solver *solver, hn_standing *standing, const hn_contact_options *contact,
                      hn_error *error);
void hn_standing_free(hn_standing *standing);
/* A step of H, as a part of one of WHOLE, from STATE, where hn_nearby_begin was called. */
hn_reason hn_standing_step(hn_solver *solver, hn_standing *standing, hn_state *state, double h, double whole);

#endif
