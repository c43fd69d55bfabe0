/* answer.h - cli/problem/: contact problems, solved by contact solvers and judged.
 *
 *   problem, spec -> cli_answer (a solution, and residuals computed here) -> table, JSON, row of a folder */
#ifndef HN_CLI_PROBLEM_ANSWER_H
#define HN_CLI_PROBLEM_ANSWER_H

#include "holonom.h"

typedef struct cli_answer {
  const char *spec;
  hn_reason reason;
  int iterations, factorisations;
  double error, relaxed, own; /* residuals of Coulomb's law, the relaxed law, and that of the solver, m/s */
  bool symmetrised;           /* the solver solved the problem with the symmetric part of K */
  double symmetric;           /* residual of Coulomb's law with the symmetric part of K, m/s; else NAN */
  double seconds;             /* processor time of the solution, s */
  double *p;                  /* [nrow] */
  char *message;              /* explanation of a failure; NULL: the reason suffices */
  char law[80];               /* that is solved: Coulomb, or another one */
  hn_contact_law other;       /* than Coulomb's; zeros */
} cli_answer;

/* Limits of a solver whose spec does not set them. */
extern const double cli_problem_tolerance; /* m/s */
enum { CLI_PROBLEM_ITERATIONS = 100000 };

/* Solves PROBLEM with SPEC to TOLERANCE (m/s), a solver of SYSTEM unless that is NULL. Returns -1 on
 * error; free with cli_answer_free. */
int cli_answer_solve(cli_answer *answer, const hn_problem *problem, hn_system *system, const char *spec,
                     double tolerance, hn_error *error);
void cli_answer_free(cli_answer *answer);
/* Returns the number of contacts of PROBLEM: blocks with a cone. */
int cli_problem_contacts(const hn_problem *problem);

#endif
