/* run_record.h - the records of a run that the options request. */
#ifndef CLI_RUN_RECORD_H
#define CLI_RUN_RECORD_H

#include "cli/base/options.h"
#include "cli/record/checkpoint_file.h"
#include "cli/study/study_runs.h"

typedef struct cli_record {
  hn_record *record; /* or NULL */
  hn_record *events; /* or NULL */
  hn_record_note about[10];
  char *text[4]; /* texts of `about` */
} cli_record;

/* Returns -1 with a message if OPTIONS are inconsistent, as far as this can be decided without a scene. */
int cli_record_check(const cli_options *options, hn_error *error);
/* Opens the records of PLAN, which keeps the impulses that they need, and writes the model if requested; the
 * records continue at CHECKPOINTS. Free with cli_record_free in either case; a caller that closes the record
 * first sets it to NULL. */
int cli_record_open(cli_record *r, cli_plan *plan, const cli_options *options,
                    const cli_checkpoints *checkpoints, hn_error *error);
void cli_record_free(cli_record *r);

#endif
