/* complain.h - error messages and exit statuses of the command. */
#ifndef HN_CLI_COMPLAIN_H
#define HN_CLI_COMPLAIN_H

enum { CLI_DONE = 0, CLI_OUTCOME = 1, CLI_USAGE = 2 }; /* exit statuses */

/* Prints "holonom: MESSAGE" to stderr, on one line. Returns CLI_USAGE. */
int cli_complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
