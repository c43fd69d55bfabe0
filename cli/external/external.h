/* external.h - cli/external/: solver `external`, a program of the user's (doc/external.md). Uses cli/record/,
 * cli/base/. */
#ifndef CLI_EXTERNAL_H
#define CLI_EXTERNAL_H

#include "holonom.h"

/* Registers the solver if a word of the command line names it: no scene or study can start a program. The
 * words must stay valid. Returns -1 on error. */
int cli_external_offer(int argc, char *const *argv, hn_error *error);

#endif
