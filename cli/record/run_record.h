/* run_record.h - the record of a run, as the options ask for it. */
#ifndef CLI_RUN_RECORD_H
#define CLI_RUN_RECORD_H

#include "cli/base/options.h"
#include "cli/record/checkpoint_file.h"
#include "cli/study/study_runs.h"

typedef struct cli_record {
  hn_record *record;       /* NULL: none */
  hn_event_record *events; /* likewise */
  hn_record_note about[10];
  char *text[4]; /* of which some are in ABOUT */
} cli_record;

/* 0 when OPTIONS can be fulfilled, as far as that is known without a scene. */
int cli_record_check(const cli_options *options, hn_error *error);
/* Opens the records of PLAN, if any, and writes the model, where these are asked for; they begin where
 * CHECKPOINTS go on. Free with cli_record_free either way; who closes the record before sets it to NULL. */
int cli_record_open(cli_record *r, const cli_plan *plan, const cli_options *options,
                    const cli_checkpoints *checkpoints, hn_error *error);
void cli_record_free(cli_record *r);

#endif
