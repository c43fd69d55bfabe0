/* completion.h - what the last word of a command line may become. */
#ifndef HN_CLI_COMPLETION_H
#define HN_CLI_COMPLETION_H

#include "cli/base/options.h"

/* `holonom complete WORD...`, for the shells (holonom.bash, _holonom): prints the words that the last of the COUNT may
 * become, one a line. COMMANDS and WHAT, what `list` lists, are ended by NULL. */
int cli_complete(const cli_command *const *commands, const char *const *what, char *const *word, int count);

#endif
