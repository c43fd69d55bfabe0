/* mode.h - the data of a mode of motion (events_parts.h). Internal. */
#ifndef HN_EVENTS_MODE_H
#define HN_EVENTS_MODE_H

#include "base/array.h"
#include "events/events_parts.h"
#include "events/known.h"
#include "system/moving_contact.h"

struct hn_mode {
  hn_arrays arrays;
  hn_model model;
  hn_role *role;       /* [nblock] roles of the blocks */
  uint64_t *key;       /* [nblock] keys of the blocks */
  int nblock, first;   /* number of blocks; index of the first contact */
  hn_row_force *given; /* [nrow_force] known forces; room for max_blocks */
  int nrow_force,
    nslip; /* the first `nslip` have events; the others are of redundant slip rows of sticking contacts */
  hn_known *known; /* evaluates the known forces */
  hn_extra_forces more;
  hn_contact *contact;       /* [max_contacts] contacts, with the tangents used by the mode */
  hn_moving_contact *moving; /* [max_contacts] contact points that move over both bodies */
  hn_joint *stick;           /* [max_contacts] slip rows of sliding contacts */
  hn_solver *solver;
  hn_system *system;        /* of the mode's model, used to compute accelerations */
  hn_state *state, *motion; /* of the last integration; of the last accelerations */
  hn_state *start;          /* where the last integration of the equations of now started */
  bool moved;               /* `state` is the end of an integration */
  double *right;            /* [nrow] multipliers */
  int *row;                 /* [njoint of the scene] first row of a joint in the mode; -1: not in the mode */
  int *gap_at, *stick_at;   /* [max_contacts] joints that hold gap and slip of a contact; -1: none */
  const double *external;   /* [6 nbody] while hn_mode_accelerate computes with it; else NULL */
  uint64_t number, used;    /* counts the modes assembled so far; the last use in the cache */
};

#endif
