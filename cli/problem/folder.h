/* folder.h - the contact problems of a folder, solved by several contact solvers in worker processes, in one
 * table. Uses cli/sweep/. */
#ifndef HN_CLI_PROBLEM_FOLDER_H
#define HN_CLI_PROBLEM_FOLDER_H

#include "cli/base/options.h"

/* True if PATH is a folder. */
bool cli_is_folder(const char *path);
/* Solves each problem of folder PATH with each contact solver of SPEC, ended by NULL, to each of the
 * tolerances of OPTIONS, and writes the table. Returns the exit status, or -1 on error. */
int cli_folder_solve(const char *path, char *const *spec, const cli_options *options, hn_error *error);

#endif
