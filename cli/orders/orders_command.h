/* orders_command.h - the order study as a command. */
#ifndef CLI_ORDERS_COMMAND_H
#define CLI_ORDERS_COMMAND_H

#include "cli/base/options.h"

/* `converge --all`; returns the exit status. */
int cli_converge_all(const cli_options *options);

#endif
