/* view.h - a run that is shown, and changed, in browsers while it goes on. */
#ifndef HN_CLI_VIEW_H
#define HN_CLI_VIEW_H

#include "cli/base/options.h"

enum { CLI_VIEW_PORT = 8017 };

/* Serves SCENE until it is interrupted: 0; -1 with a text. */
int cli_view_run(const char *scene, const cli_options *options, hn_error *error);

#endif
