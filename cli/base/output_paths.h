/* output_paths.h - outputs of a command that would overwrite an input or each other. */
#ifndef CLI_OUTPUT_PATHS_H
#define CLI_OUTPUT_PATHS_H

#include "cli/base/options.h"

/* Returns -1 with a message if an output of OPTIONS is an argument or an input, by whatever name or link,
 * or another output; or if its ending is that of another kind of file. */
int cli_check_output_paths(const cli_options *options, hn_error *error);

#endif
