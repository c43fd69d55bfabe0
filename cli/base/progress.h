/* progress.h - a progress line on the terminal during long runs. */
#ifndef HN_CLI_PROGRESS_H
#define HN_CLI_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

double cli_clock(void); /* monotonic, s */
/* Enables the line, if ALLOWED and stderr is a terminal. */
void cli_progress_allow(bool allowed);
/* Shows that a study has completed DONE of its COUNT parts, with the time left; COUNT 0 ends the study. */
void cli_progress_study(size_t done, size_t count);
/* Begin a run, change its label, show the fraction that is completed, and erase the line. */
void cli_progress_begin(const char *label);
void cli_progress_label(const char *label);
void cli_progress_at(double fraction);
void cli_progress_end(void);

#endif
