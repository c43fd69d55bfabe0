/* progress.h - a line on the terminal while runs last. */
#ifndef HN_CLI_PROGRESS_H
#define HN_CLI_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

void cli_progress_allow(bool allowed);
/* A study has done DONE of its COUNT parts (0: there is none): shown, with the time left, beside the run it is at. */
void cli_progress_study(size_t done, size_t count);
void cli_progress_begin(const char *label);
void cli_progress_label(const char *label); /* another one from now on */
void cli_progress_at(double fraction);
void cli_progress_end(void);

#endif
