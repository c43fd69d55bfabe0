/* command.h - the order study as a command. */
#ifndef HN_CLI_ORDERS_COMMAND_H
#define HN_CLI_ORDERS_COMMAND_H

#include "cli/base/options.h"

/* `converge --all`; returns the exit status. */
int cli_converge_all(const cli_options *options);

#endif
