/* sensitivity.h - derivatives of the end of a run by a parameter of its scene. */
#ifndef HN_CLI_SENSITIVITY_H
#define HN_CLI_SENSITIVITY_H

#include "cli/study/study_runs.h"

enum {
  CLI_OF_BODY = 12,
  CLI_OF_JOINT = 6
}; /* derivatives of a body: position, rotation, velocity, angular
                                              * velocity; of a joint: force, torque */

/* Derivatives of the end of a run: of the energy, then of the bodies 1, 2, ..., then of the joints. */
typedef struct cli_sensitivity {
  const char *name;
  double value, width;        /* of the parameter; and its largest change */
  int nbody, njoint;          /* njoint: 0 if the solver reports no joint forces */
  size_t count;               /* 1 + 12 (nbody - 1) + 6 njoint */
  double *derivative, *error; /* [count], and its estimated error */
} cli_sensitivity;

/* Derives the end of BASE, a run of the scene of OPTIONS that reached its end, by the parameter NAME. Returns
 * -1 on error. Free with cli_sensitivity_free in either case. */
int cli_sensitivity_make(cli_sensitivity *s, const cli_outcome *base, const char *name,
                         const cli_options *options, hn_error *error);
void cli_sensitivity_free(cli_sensitivity *s);

#endif
