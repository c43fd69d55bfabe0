/* complain.h - error messages of the command. */
#ifndef HN_CLI_COMPLAIN_H
#define HN_CLI_COMPLAIN_H

#include "cli/base/cli_base.h"

/* Prints "holonom: MESSAGE" to stderr, on one line. Returns CLI_USAGE. */
int cli_complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
