/* view_messages.h - what pages are told in words: JSON. */
#ifndef CLI_VIEW_MESSAGES_H
#define CLI_VIEW_MESSAGES_H

#include "cli/view/pace.h"

json_t *cli_say_hello(const cli_lane *lane);
/* The model of LANE; *CHANGED: it is another one than was told last. */
json_t *cli_say_model(cli_lane *lane, bool *changed);
/* Of all lanes, how they go, and what of them can be changed. */
json_t *cli_say_status(const cli_lane lane[CLI_MOST_LANES], const cli_pace *pace, int pages);

#endif
