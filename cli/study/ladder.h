/* ladder.h - one solver with ever smaller steps: the order of its error, and whether that is what was expected. */
#ifndef HN_CLI_LADDER_H
#define HN_CLI_LADDER_H

#include "cli/study/reference.h"

typedef struct cli_ladder {
  cli_plan plan;
  cli_reference reference;
  double *step, *error; /* [count]: s, m: of positions, in the norm of the reference */
  cli_outcome *outcome; /* [count] */
  size_t count;
  double order;                  /* fitted to the errors above rounding; NAN when it cannot be */
  double orders[CLI_QUANTITIES]; /* that, and those of the other quantities over the same steps */
  double scatter;                /* of the fit; NAN with two errors */
  bool exact;                    /* no two errors are above rounding, and those that are known are not */
  double astray;  /* m: how far from the reference what the runs approach is, where that is more than */
                  /* both can be uncertain by; 0: it is not */
  double trusted; /* m: then, the distance of the reference from a trusted run, and */
  double trusted_uncertainty; /* what that is uncertain by; NAN where there is none */
} cli_ladder;

/* COUNT steps, STEPS or each half of the one before; -1 when one is longer than the duration. */
int cli_ladder_steps(cli_ladder *ladder, const double *steps, size_t count, hn_error *error);
/* `self` or `scene` (cli_reference_scene), a file, or NULL: the scene's where it has an answer, else the solver itself
 * with an eighth of the smallest step. As those of reference.h. */
int cli_ladder_reference(cli_ladder *ladder, const char *wanted, cli_norm norm, hn_error *error);
int cli_ladder_run(cli_ladder *ladder, hn_error *error);
void cli_ladder_free(cli_ladder *ladder);
int cli_ladder_declared(const cli_ladder *ladder); /* order; 0: none */

typedef enum cli_verdict {
  CLI_UNKNOWN,
  CLI_SHORT,
  CLI_AS_EXPECTED,
  CLI_BETTER,
  CLI_EXACT,
  CLI_ASTRAY
} cli_verdict;
/* Is the order EXPECTED, where that is a number? Errors of a fit are allowed for. */
cli_verdict cli_ladder_judge(const cli_ladder *ladder, double expected);
/* In words, to be freed. */
char *cli_ladder_verdict(const cli_ladder *ladder, double expected);
/* How far a fitted order may be from ORDER and still be it. */
double cli_order_allowed(double order);

#endif
