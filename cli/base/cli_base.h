/* cli_base.h - cli/base/: options, messages and output, shared by all commands. */
#ifndef CLI_CLI_BASE_H
#define CLI_CLI_BASE_H

enum { CLI_DONE = 0, CLI_OUTCOME = 1, CLI_USAGE = 2 }; /* exit statuses */

#endif
