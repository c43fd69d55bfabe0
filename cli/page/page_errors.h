/* page_errors.h - the position error of a run over time, for the page. */
#ifndef CLI_PAGE_ERRORS_H
#define CLI_PAGE_ERRORS_H

#include <jansson.h>
#include "cli/study/reference_distance.h"

/* Returns { "time", "position", "stride" }: the largest distance of a body from the reference, m, at the
 * times after the start at which both have a frame, s. If there are many times, each entry is the maximum
 * over STRIDE of them. Returns NULL if there are too few, or a motion was not kept. */
json_t *cli_page_errors(const cli_reference *reference, const cli_track *run);

#endif
