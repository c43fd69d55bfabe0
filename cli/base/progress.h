/* progress.h - a line on the terminal while runs last. */
#ifndef HN_CLI_PROGRESS_H
#define HN_CLI_PROGRESS_H

#include <stdbool.h>

void cli_progress_allow(bool allowed);
void cli_progress_begin(const char *label);
void cli_progress_label(const char *label); /* another one from now on */
void cli_progress_at(double fraction);
void cli_progress_end(void);

#endif
