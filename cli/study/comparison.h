/* comparison.h - runs of several solvers on one scene, their tables and JSON. */
#ifndef HN_CLI_COMPARISON_H
#define HN_CLI_COMPARISON_H

#include <jansson.h>
#include "cli/base/text_table.h"
#include "cli/study/study_runs.h"

typedef struct cli_comparison {
  hn_scene *scene;
  double step, duration; /* s; with a budget, step is the smallest one of all solvers */
  int repeat;            /* time measurements per run; 0: only that of the run itself */
  uint64_t budget;       /* maximum joint operations of a solver; 0: all use the same step */
  cli_reference reference;
  cli_outcome *outcome; /* [count], with series of errors when a report is written */
  size_t count;         /* number of solvers; after an interruption, of those that ran */
  double *steps;        /* [nsteps] steps of the study of error against work, s */
  size_t nsteps;
  cli_outcome *study; /* [count * nsteps] runs of the study, solver by solver */
  size_t studied;     /* runs made: all of them unless interrupted */
} cli_comparison;

/* Returns a description of steps or budget and duration, to be freed. */
char *cli_comparison_setup(const cli_comparison *comparison);
cli_table *cli_comparison_table(const cli_comparison *comparison);
/* Returns a line that names the solver of the least error among those that reached the end, to be freed; NULL
 * if fewer than two have an error. */
char *cli_comparison_best(const cli_comparison *comparison);
/* Returns a table of the errors of all quantities, one row per solver. */
cli_table *cli_comparison_errors(const cli_comparison *comparison);
/* Prints measures of contact, one row per solver that ran; nothing if the scene has no collisions. */
void cli_comparison_contacts(const cli_comparison *comparison, bool markdown, FILE *out);
/* Print lists of the solvers that failed with their reasons, and of warnings; nothing without any. */
void cli_comparison_failures(const cli_comparison *comparison, bool markdown, FILE *out);
void cli_comparison_warnings(const cli_comparison *comparison, bool markdown, FILE *out);
/* Prints forces of joints and contacts that are not unique at the end, as computed by each solver. */
void cli_comparison_unique(const cli_comparison *comparison, bool markdown, FILE *out);
cli_table *cli_study_table(const cli_comparison *comparison);

json_t *cli_comparison_json(const cli_comparison *comparison);

#endif
