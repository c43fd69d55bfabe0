/* mode.h - what a mode of motion is made of (events_parts.h). Internal. */
#ifndef HN_EVENTS_MODE_H
#define HN_EVENTS_MODE_H

#include "events/events_parts.h"
#include "events/known.h"
#include "system/moving_contact.h"

struct hn_mode {
  hn_model model;
  hn_block_role *role; /* [nblock] what it was made for, */
  uint64_t *key;       /* [nblock] of which blocks */
  int nblock, first;   /* how many, and the first that is a contact */
  hn_given *given;     /* [ngiven] forces that are known, of most_blocks */
  int ngiven;
  hn_known *known; /* they, as the model has them */
  hn_more_forces more;
  hn_contact *contact; /* [most_contacts] those that are in it */
  hn_moving *moving;   /* [most_contacts] where those touch that move over both bodies */
  hn_joint *stick;     /* [most_contacts] slips of what slides */
  hn_solver *solver;
  hn_system *system; /* for its accelerations */
  hn_state *state, *motion;
  double *right;          /* [nrow] */
  int *row;               /* [njoint of the scene] where its joints are among these; -1: nowhere */
  int *gap_at, *stick_at; /* [most_contacts] joints of the model that hold a contact; -1: there is none */
  const double *external; /* [6 nbody] while hn_mode_accelerate computes with it; else NULL */
  uint64_t used;
};

#endif
