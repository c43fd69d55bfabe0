/* orders_command.h - the command `converge --all`. */
#ifndef CLI_ORDERS_COMMAND_H
#define CLI_ORDERS_COMMAND_H

#include "cli/base/options.h"

/* Runs `converge --all` and returns the exit status. */
int cli_converge_all(const cli_options *options);

#endif
