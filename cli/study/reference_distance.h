/* reference_distance.h - the motion that errors are measured against, and how far others are from it. */
#ifndef CLI_REFERENCE_DISTANCE_H
#define CLI_REFERENCE_DISTANCE_H

#include "cli/study/sampled_motion.h"
#include "cli/study/track.h"

/* What errors are measured against: at the final time and, where the norm asks for it, at the times of runs. */
typedef struct cli_reference {
  char *name;         /* for people; NULL when there is none */
  char *key;          /* for JSON */
  char *solver;       /* of a reference that was run; else NULL */
  double step;        /* s, of such a one; else 0 */
  double uncertainty; /* m, of positions at the end; NAN when it was not estimated */
  const char *ground; /* what the uncertainty is, in words; NULL when it was not estimated */
  bool few;           /* of a reference that was run: too few other runs came to the end to judge it by */
  bool settled;       /* or steps decide what it is off by, or rounding */
  char *missing;      /* why there is none, for people; NULL: nothing more is known of that */
  double size;        /* of a reference that was run: of the mechanism, or from the origin, m */
  cli_norm norm;
  cli_motion *end;     /* its only time is the final one */
  cli_motion **motion; /* [nmotion] at the times of runs, made by cli_reference_prepare */
  size_t nmotion;
  cli_track *track; /* its motion, when asked for; NULL: not known */
  char *known;      /* [track->nbody] what of each body it tells: '-' nothing, 'x' where it is, 'q' and how it
                               * is turned; NULL: all of all */
} cli_reference;

/* The times that errors of a run are taken at. */
typedef struct cli_times {
  long count, every; /* how many, and steps of the run from one to the next */
  double apart;      /* s from one to the next, but for the last one, which is the end */
} cli_times;
cli_times cli_times_of(cli_norm norm, double step, double duration);

/* The motion of REFERENCE that a run with that step is measured against; NULL when there is none. */
const cli_motion *cli_reference_motion(const cli_reference *reference, double step, double duration);
/* Errors of a RUN at the same times; forces only where they were TOLD. NAN: not known. */
void cli_reference_errors(const cli_reference *reference, const cli_motion *against, const cli_motion *run,
                          bool told, double error[CLI_QUANTITIES]);
/* The largest distance of a body, at the end, in two references that know the same bodies, m. */
double cli_reference_apart(const cli_reference *reference, const cli_reference *other);
/* The same of two states, of the bodies that REFERENCE knows; and of it and a state. */
double cli_states_apart(const cli_reference *reference, const hn_state *a, const hn_state *b);
double cli_reference_error(const cli_reference *reference, const hn_state *state);

#endif
