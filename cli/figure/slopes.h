/* slopes.h - triangles that show slopes. */
#ifndef HN_CLI_FIGURE_SLOPES_H
#define HN_CLI_FIGURE_SLOPES_H

#include "cli/figure/figure.h"

/* Adds triangles for SLOPES: "2,4"; NULL for the slopes of the curves, over the step; or "none". Returns -1
 * on error. */
int figure_add_slopes(figure *f, const char *slopes, hn_error *error);

#endif
