/* checkpoint_file.h - checkpoints of a run, and a run that goes on from one. */
#ifndef CLI_CHECKPOINT_FILE_H
#define CLI_CHECKPOINT_FILE_H

#include <jansson.h>
#include "cli/base/options.h"
#include "cli/study/study_runs.h"

typedef struct cli_checkpoints {
  char *path, *frames; /* OUTPUT.checkpoint, OUTPUT.frames; NULL: none are made */
  char *events;        /* OUTPUT.events, the frames of events; NULL: they are not recorded */
  long every;          /* steps from one to the next */
  json_t *run;         /* what the run is: a checkpoint of another one is none of it */
  const cli_plan *plan;
  char *bytes; /* of the runner that is gone on with; NULL: the run begins at the start */
  size_t size;
  FILE *from;                 /* these bytes, */
  hn_record_mark mark;        /* and the record there, */
  hn_record_mark events_mark; /* and that of events */
} cli_checkpoints;

/* 0 when OPTIONS can be fulfilled, as far as that is known without a scene. */
int cli_checkpoints_check(const cli_options *options, hn_error *error);
/* What --checkpoint and --resume ask for, if anything; -1 when the file is none that PLAN can go on from.
 * Free with cli_checkpoints_free either way. */
int cli_checkpoints_open(cli_checkpoints *c, const cli_plan *plan, const cli_options *options,
                         hn_error *error);
/* From now on PLAN makes its checkpoints; its record is open. */
void cli_checkpoints_use(cli_checkpoints *c, cli_plan *plan);
/* The run has come to its end: takes the files away. */
void cli_checkpoints_remove(const cli_checkpoints *c);
void cli_checkpoints_free(cli_checkpoints *c);

#endif
