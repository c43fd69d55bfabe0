/* cli_base.h - cli/base/: what all commands use to read their options, to complain and to write; it knows no study and no
 * command. */
#ifndef CLI_CLI_BASE_H
#define CLI_CLI_BASE_H

enum { CLI_DONE = 0, CLI_OUTCOME = 1, CLI_USAGE = 2 }; /* exit statuses */

#endif
