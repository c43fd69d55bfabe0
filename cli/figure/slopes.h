/* slopes.h - triangles that show what a slope is. */
#ifndef HN_CLI_FIGURE_SLOPES_H
#define HN_CLI_FIGURE_SLOPES_H

#include "cli/figure/figure.h"

/* Adds triangles for SLOPES, "2,4"; for those that the curves have, over the step, where it is NULL; or none, "none".
 * -1 on error. */
int figure_add_slopes(figure *f, const char *slopes, hn_error *error);

#endif
