/* checkpoint_file.h - checkpoints of a run in files, and runs resumed from them. */
#ifndef CLI_CHECKPOINT_FILE_H
#define CLI_CHECKPOINT_FILE_H

#include <jansson.h>
#include "cli/base/options.h"
#include "cli/study/study_runs.h"

typedef struct cli_checkpoints {
  char *path, *frames; /* OUTPUT.checkpoint, OUTPUT.frames; NULL: no checkpoints are written */
  char *events;        /* OUTPUT.events, frames of the record of events; NULL: it is not written */
  long every;          /* steps between checkpoints */
  json_t *run;         /* description of the run, which must be equal to resume it */
  const cli_plan *plan;
  char *bytes; /* [size] of the runner to resume; NULL: the run begins at the start */
  size_t size;
  FILE *from;                 /* stream on `bytes` */
  hn_record_mark mark;        /* position in the record */
  hn_record_mark events_mark; /* position in the record of events */
} cli_checkpoints;

/* Returns -1 with a message if OPTIONS are inconsistent, as far as this can be decided without a scene. */
int cli_checkpoints_check(const cli_options *options, hn_error *error);
/* Prepares what --checkpoint and --resume require, if given. Returns -1 if PLAN cannot be resumed from the
 * file. Free with cli_checkpoints_free in either case. */
int cli_checkpoints_open(cli_checkpoints *c, const cli_plan *plan, const cli_options *options,
                         hn_error *error);
/* Lets PLAN write checkpoints; its record must be open. */
void cli_checkpoints_use(cli_checkpoints *c, cli_plan *plan);
/* Removes the files after a complete run. */
void cli_checkpoints_remove(const cli_checkpoints *c);
void cli_checkpoints_free(cli_checkpoints *c);
/* Returns the solver spec of PLAN with all settings, or as given if the solver cannot be created. Free it. */
char *cli_full_spec(const cli_plan *plan);

#endif
