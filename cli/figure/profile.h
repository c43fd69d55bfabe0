/* profile.h - performance profiles. */
#ifndef HN_CLI_FIGURE_PROFILE_H
#define HN_CLI_FIGURE_PROFILE_H

#include "cli/figure/figure.h"

/* Makes a figure of performance profiles from DATA, with the cost in the column --y and the
 * rows of --where of OPTIONS. Returns -1 on error. Always free with figure_free. */
int figure_profile(figure *f, const figure_data *data, const cli_options *options, hn_error *error);

#endif
