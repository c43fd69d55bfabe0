/* nearby.h - limits and contacts in a step: which hold, which slip, and which come to close on the way. */
#ifndef HN_NEARBY_H
#define HN_NEARBY_H

#include "solver.h"

/* What a limit or a contact does when a step begins. */
typedef enum hn_near_kind {
  HN_NEAR_HELD,  /* it touches, and does not part: the step holds it */
  HN_NEAR_PARTS, /* it touches, and parts */
  HN_NEAR_OPEN
} hn_near_kind;

typedef struct hn_near {
  uint64_t key;
  hn_near_kind kind;
  bool watched;     /* does its end make the event that is looked for? */
  double gap, rate; /* m, m/s */
  int a;            /* body that the frame is fixed to */
  bool slips;       /* it is held, and slides */
  double along[3];  /* which way, in the axes of a */
} hn_near;

typedef struct hn_nearby {
  double touching; /* m, rad: what is no further apart touches */
  double moving;   /* m/s, rad/s: what is no faster does not part, or slip; twice what a stop leaves */
  hn_system *look; /* sees contacts wherever the step leads, while the solver's own stays where it began */
  int count;
  hn_near *near; /* [count] at the beginning, by ascending key; room for most_blocks */
  int npair;
  uint64_t *pair; /* [npair] of contacts that were not near at the beginning and are watched */
  bool *held; /* [most_blocks] blocks of the solver's system that the step holds: joints, and what is held */
  bool any;   /* is any limit or contact held? */
  double *rate; /* [most_rows] of the blocks seen last */
} hn_nearby;

int hn_nearby_setup(hn_solver *solver, hn_nearby *nearby, hn_error *error);
void hn_nearby_free(hn_nearby *nearby);
/* STATE, where SOLVER's system is linearised, is where a step begins. */
void hn_nearby_begin(hn_solver *solver, hn_nearby *nearby, const hn_state *state);
/* What was so near, by its KEY; NULL. */
const hn_near *hn_nearby_find(const hn_nearby *nearby, uint64_t key);
/* Did a contact of the pair of KEY hold? */
bool hn_nearby_pair_held(const hn_nearby *nearby, uint64_t key);
/* Block of SYSTEM with KEY; -1. */
int hn_nearby_block(const hn_system *system, uint64_t key);
/* Looks at STATE, in which the step or a part of it ends. */
hn_reason hn_nearby_see(hn_nearby *nearby, hn_state *state);
/* There: does anything end beyond where it may? Then that, and no more, is watched. */
bool hn_nearby_watch(hn_nearby *nearby);
/* And how far what is watched is from it: the least of gaps, m, and of slips, m/s. */
double hn_nearby_left(const hn_nearby *nearby);
/* What is watched for its slip is taken as if it did not slip, and what parts and is watched is held; was there any? */
bool hn_nearby_hold(hn_nearby *nearby, const hn_system *system);
/* Something that was open, is, and may have been closed in between, in H: its place in near; -1. */
int hn_nearby_dip(const hn_nearby *nearby, double h);
/* The rate of number I of near, and its gap, where was looked last; NAN: it is far. */
double hn_nearby_rate(const hn_nearby *nearby, int i, double *gap);
/* Watches number I alone. */
void hn_nearby_watch_one(hn_nearby *nearby, int i);

#endif
