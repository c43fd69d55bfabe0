/* page_errors.h - how far the motion of a run is from that of its reference, over time, as the page has it. */
#ifndef CLI_PAGE_ERRORS_H
#define CLI_PAGE_ERRORS_H

#include <jansson.h>
#include "cli/study/reference_distance.h"

/* { "time", "position", "stride" }: the largest distance of a body, m, at the times after the start that both have a
 * frame of, s; NULL when these are few or one of the motions was not kept. Of many times one stands for STRIDE, with
 * the largest of their distances. */
json_t *cli_page_errors(const cli_reference *reference, const cli_track *run);

#endif
