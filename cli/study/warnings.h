/* warnings.h - warnings about runs whose results are unreliable. */
#ifndef HN_CLI_WARNINGS_H
#define HN_CLI_WARNINGS_H

#include "cli/study/study_runs.h"

/* Returns the warnings of a run, an array ended by NULL, to be freed with cli_strings_free. A run that did
 * not converge has none: its reason suffices. */
char **cli_warnings(const cli_outcome *outcome);
/* Returns a warning if the uncertainty of the reference is too large, else NULL; to be freed. */
char *cli_warning_of_reference(const cli_reference *reference, double size);

#endif
