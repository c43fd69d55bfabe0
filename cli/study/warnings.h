/* warnings.h - what a run measures that says that its figures mean little. */
#ifndef HN_CLI_WARNINGS_H
#define HN_CLI_WARNINGS_H

#include "cli/study/study_runs.h"

/* Each in a line of text; an array ended by NULL, to be freed with cli_strings_free. None of a run that did not
 * converge: its reason says more. */
char **cli_warnings(const cli_outcome *outcome);
/* Of a reference that is uncertain by too much to measure by; NULL when it is not. To be freed. */
char *cli_warning_of_reference(const cli_reference *reference, double size);

#endif
