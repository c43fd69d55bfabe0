/* view.h - a live run shown and controlled in browsers. */
#ifndef HN_CLI_VIEW_H
#define HN_CLI_VIEW_H

#include "cli/base/options.h"

enum { CLI_VIEW_PORT = 8017 };

/* Serves SCENE until interrupted. Returns -1 with a message on error. */
int cli_view_serve(const char *scene, const cli_options *options, hn_error *error);

#endif
