/* figure_title.h - titles of axes. */
#ifndef HN_CLI_FIGURE_FIGURE_TITLE_H
#define HN_CLI_FIGURE_FIGURE_TITLE_H

#include "cli/figure/figure_data.h"

/* Returns the title of an axis that shows COUNT columns of DATA, to be freed: quantities and their unit; ""
 * if the units differ. A column named after a parameter of the scene in the column "scene" has its unit. */
char *figure_title(const figure_data *data, const int *column, size_t count);

#endif
