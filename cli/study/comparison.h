/* comparison.h - several solvers on one scene, and what their runs tell side by side. */
#ifndef HN_CLI_COMPARISON_H
#define HN_CLI_COMPARISON_H

#include "cli/base/text_table.h"
#include "cli/study/reference_distance.h"
#include "cli/study/study_runs.h"

typedef struct cli_comparison {
  hn_scene *scene;
  double step, duration; /* s; step is the smallest one when there is a budget */
  int repeat;            /* measurements of the time of a run; 0: the one of the run itself */
  uint64_t budget;       /* joint operations that every solver may spend; 0: all take the same step */
  cli_reference reference;
  cli_outcome *outcome; /* [count], with their series when a report is wanted */
  size_t count;         /* solvers; after an interruption those that were run */
  double *steps;        /* [nsteps] of the study of error against work, s */
  size_t nsteps;
  cli_outcome *study; /* [count * nsteps], solver by solver */
  size_t studied;     /* of them, run: all but after an interruption */
} cli_comparison;

/* What all of them had to do, in words, to be freed. */
char *cli_comparison_setup(const cli_comparison *comparison);
cli_table *cli_comparison_table(const cli_comparison *comparison);
/* Errors of all quantities, a row for each solver. */
cli_table *cli_comparison_errors(const cli_comparison *comparison);
/* Measures of contact, a row for each solver; nothing where nothing collides. */
void cli_comparison_contacts(const cli_comparison *comparison, bool markdown, FILE *out);
/* Lists, or nothing: of solvers that failed and why, and of warnings. */
void cli_comparison_failures(const cli_comparison *comparison, bool markdown, FILE *out);
void cli_comparison_warnings(const cli_comparison *comparison, bool markdown, FILE *out);
/* Forces of joints and of contacts that are not unique at the end, what each solver makes of them; nothing
 * where all are. */
void cli_comparison_unique(const cli_comparison *comparison, bool markdown, FILE *out);
cli_table *cli_study_table(const cli_comparison *comparison);

#endif
