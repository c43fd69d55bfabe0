/* ladder.h - runs of one solver with ever smaller steps: the order of its error against the expected one. */
#ifndef HN_CLI_LADDER_H
#define HN_CLI_LADDER_H

#include "cli/study/reference.h"

typedef struct cli_ladder {
  cli_plan plan;
  cli_reference reference;
  double *step, *error; /* [count] steps, s, and position errors in the norm of the reference, m */
  cli_outcome *outcome; /* [count] */
  size_t count;
  double budget;    /* joint operations that all runs together may take; 0: no limit */
  double estimated; /* joint operations of all runs that were wanted */
  double *left_out; /* [nleft_out] steps that were wanted and are beyond the budget, s */
  size_t nleft_out;
  /* fitted to the position errors above rounding; NAN when it cannot be fitted */
  double order;
  double orders[CLI_QUANTITIES]; /* orders of all quantities, over the same steps */
  double scatter;                /* of the fit; NAN with two errors */
  bool exact;                    /* all known errors but at most one are at the level of rounding */
  double astray;                 /* error of the finest run, m, if it exceeds all uncertainties; else 0 */
  double trusted;                /* then: distance of the reference from a trusted run, m; NAN: no such run */
  double trusted_uncertainty;    /* of the trusted run, m; NAN: no such run */
} cli_ladder;

/* Sets COUNT steps, from STEPS or by halving. Returns -1 if one is longer than the duration. */
int cli_ladder_steps(cli_ladder *ladder, const double *steps, size_t count, hn_error *error);
/* Finds the reference WANTED: `self`, `scene`, a file, or NULL for the scene's if it is known, else self.
 * `self` is a run of the same solver with an eighth of the smallest step. Before that, leaves out the
 * smallest steps, but no more than all but three, whose runs and reference would exceed the budget by the
 * work of a run with the largest step. Returns 1, 0 or -1 as in reference.h. */
int cli_ladder_reference(cli_ladder *ladder, const char *wanted, cli_norm norm, hn_error *error);
int cli_ladder_run(cli_ladder *ladder, hn_error *error);
void cli_ladder_free(cli_ladder *ladder);
int cli_ladder_declared(const cli_ladder *ladder); /* declared order of the solver; 0: none */

typedef enum { CLI_UNKNOWN, CLI_SHORT, CLI_AS_EXPECTED, CLI_BETTER, CLI_EXACT, CLI_ASTRAY } cli_verdict;
/* Compares the fitted order with EXPECTED, if that is finite, within the uncertainty of the fit. */
cli_verdict cli_ladder_judge(const cli_ladder *ladder, double expected);
/* Returns the verdict in words, to be freed. */
char *cli_ladder_verdict(const cli_ladder *ladder, double expected);
/* Returns the tolerance of a fitted order against the order ORDER. */
double cli_order_tolerance(double order);

#endif
