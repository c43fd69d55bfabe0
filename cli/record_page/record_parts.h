/* record_parts.h - cli/record_page/: studies with conclusions, written as one page with the tables beside it.
 * Uses cli/sweep/, cli/base/. */
#ifndef CLI_RECORD_H
#define CLI_RECORD_H

#include "cli/sweep/sweep.h"

/* A study and its conclusions. */
typedef struct record_part {
  char *name;      /* of the study */
  hn_study *study; /* NULL: it was not run */
  hn_study_table table;
} record_part;

/* Runs STUDY, which is a list of studies or has a page, with the options of `sweep`. Prints the conclusions,
 * or writes the directory --output: index.html, and NAME.csv and NAME_runs.csv of each study. Returns the
 * exit status, or -1 on error. */
int record_command(const hn_study *study, const cli_options *options, hn_error *error);
/* True if OPTIONS want the page or the parts of STUDY. */
bool record_wanted(const hn_study *study, const cli_options *options);

/* Writes the page of COUNT parts; HEAD is the page of the list, or NULL, and COMMAND what was run. */
void record_page_write(const record_part *part, size_t count, const hn_study_page *head, const char *command,
                       FILE *out);
/* Writes the strip of a row: its three errors on a logarithmic axis, as SVG. A NaN is left out; UNCERTAINTY
 * is that of the model error. */
void record_strip_write(double solver, double time, double model, double uncertainty, FILE *out);
void record_axis_write(FILE *out); /* the axis of the strips */

#endif
