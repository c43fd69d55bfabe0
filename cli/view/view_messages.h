/* view_messages.h - the JSON messages to clients. */
#ifndef CLI_VIEW_MESSAGES_H
#define CLI_VIEW_MESSAGES_H

#include "cli/view/pace.h"

json_t *cli_hello_message(const cli_live_run *run);
/* Returns the model of RUN; *CHANGED: it differs from the one last sent. */
json_t *cli_model_message(cli_live_run *run, bool *changed);
/* Returns the status of all runs: progress, and everything that commands can change. */
json_t *cli_status_message(const cli_live_run run[CLI_MAX_RUNS], const cli_pace *pace, int clients);

#endif
