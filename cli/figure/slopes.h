/* slopes.h - triangles that show slopes. */
#ifndef HN_CLI_FIGURE_SLOPES_H
#define HN_CLI_FIGURE_SLOPES_H

#include "cli/figure/figure.h"

/* Adds triangles for SLOPES: "2,4", "none", or NULL for the slopes of curves over the step. -1 on error. */
int figure_add_slopes(figure *f, const char *slopes, hn_error *error);

#endif
