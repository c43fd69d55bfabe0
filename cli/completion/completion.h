/* completion.h - completion of command lines. */
#ifndef HN_CLI_COMPLETION_H
#define HN_CLI_COMPLETION_H

#include "cli/base/options.h"

/* Runs `holonom complete WORD...` for the shells (holonom.bash, _holonom): prints the completions of the last
 * of COUNT words, one per line. COMMANDS and SUBJECTS, those of `list`, are ended by NULL. */
int cli_complete(const cli_command *const *commands, const char *const *subjects, char *const *word,
                 int count);

#endif
