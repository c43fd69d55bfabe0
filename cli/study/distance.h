/* distance.h - the positions that errors are measured against, and how far others are from them. */
#ifndef HN_CLI_DISTANCE_H
#define HN_CLI_DISTANCE_H

#include "cli/study/track.h"
#include "holonom.h"

/* Positions at the final time that errors are measured against. */
typedef struct cli_reference {
  char *name;                 /* for people; NULL when there is none */
  char *key;                  /* for JSON */
  double step;                /* s, of a reference that was run; else 0 */
  double uncertainty;         /* m; NAN when it was not estimated */
  const char *ground;         /* what the uncertainty is, in words; NULL when it was not estimated */
  bool few;                   /* of a reference that was run: too few other runs came to the end to judge it by */
  bool settled;               /* or steps decide what it is off by, or rounding */
  char *missing;              /* why there is none, for people; NULL: nothing more is known of that */
  double size;                /* of a reference that was run: of the mechanism, or from the origin, m */
  cli_track *track;           /* its motion, when asked for; NULL: not known */
  char *known;                /* [track->nbody] what of each body it tells: '-' nothing, 'x' where it is, 'q' and how it
                               * is turned; NULL: all of all */
  bool *has;                  /* [nbody] */
  double *position;           /* [3 * nbody], m */
} cli_reference;

/* The largest distance of a body in two references that know the same bodies, m. */
double cli_reference_apart(const cli_reference *reference, const cli_reference *other, int nbody);
/* The same of two states, of the bodies that REFERENCE knows. */
double cli_states_apart(const cli_reference *reference, const hn_state *a, const hn_state *b);
double cli_reference_error(const cli_reference *reference, const hn_state *state);

#endif
