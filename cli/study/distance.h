/* distance.h - the positions that errors are measured against, and how far others are from them. */
#ifndef HN_CLI_DISTANCE_H
#define HN_CLI_DISTANCE_H

#include "holonom.h"

/* Positions at the final time that errors are measured against. */
typedef struct cli_reference {
  char *name;                 /* for people; NULL when there is none */
  char *key;                  /* for JSON */
  double step;                /* s, of a reference that was run; else 0 */
  double uncertainty;         /* m; NAN when it was not estimated */
  bool *has;                  /* [nbody] */
  double *position;           /* [3 * nbody], m */
} cli_reference;

/* Takes the distance from a coarser run of the same reference as what the reference is uncertain by. */
void cli_reference_judge(cli_reference *reference, const cli_reference *coarser, int nbody);
double cli_reference_error(const cli_reference *reference, const hn_state *state);

#endif
