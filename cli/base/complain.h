/* complain.h - how every command says what is wrong. */
#ifndef HN_CLI_COMPLAIN_H
#define HN_CLI_COMPLAIN_H

#include "cli/base/cli_base.h"

int cli_complain(const char *format, ...)
  __attribute__((format(printf, 1, 2))); /* one line; returns CLI_USAGE */

#endif
