/* contact_step.h - the impulse step of bodies with closed contacts: they rest, slide or roll, and may be
 * jointed. */
#ifndef HN_CONTACT_STEP_H
#define HN_CONTACT_STEP_H

#include "contact.h"
#include "event/contact_monitor.h"
#include "impulse/force_impulse.h"

typedef struct hn_contact_step {
  double tolerance; /* m, rad; set before use, as are the next four */
  int iterations;
  const hn_contact_monitor *monitor; /* blocks at the start of the step */
  const bool *held;                  /* [max_blocks] rows of these blocks that are equations or may push */
  hn_system *look;                   /* a second system: contacts at trial poses */
  hn_contact_solver *solver;
  double solver_tolerance; /* m/s */
  hn_problem *problem;
  hn_kick kick;
  hn_state *start, *trial;
  double h, whole; /* s: this step, and the step of the run that it is a part of */
  /* Contacts of the state have the impulses of the previous step, a warm start; else those of earlier
   * parts of this step, to which this one adds. */
  bool first_part;
  double *p, *before; /* [max_rows] impulses of this half, and of the first half in the rows of now */
  double *g, *v, *v0; /* [max_rows] residuals at the start; velocities of rows */
  double *slip;       /* [3 max_blocks] mean velocity of sliding in the first half, m/s, axes of body a; */
  double *first;      /* [3 max_blocks] and impulse, by the numbers of blocks at the start */
  bool *slides;       /* [max_blocks] the contact slides in the first half */
  double *
    onset; /* [max_blocks] s after the start, by the numbers of blocks at the end: a slip begins; NAN: none */
  bool *active; /* [max_blocks] blocks that may push in the second half */
  double *work; /* [6 nbody] */
} hn_contact_step;

/* With a contact solver by OPTIONS. */
int hn_contact_step_setup(hn_solver *solver, hn_contact_step *step, const hn_contact_options *options,
                          hn_error *error);
void hn_contact_step_free(hn_contact_step *step);
/* Advances STATE, where the monitor was started, by H: a part of a step of WHOLE. */
hn_reason hn_contact_step_advance(hn_solver *solver, hn_contact_step *step, hn_state *state, double h,
                                  double whole);

#endif
