/* page_model.h - what a mechanism is made of, as the page draws it. */
#ifndef CLI_PAGE_MODEL_H
#define CLI_PAGE_MODEL_H

#include <jansson.h>
#include "holonom.h"

/* Bodies with their shapes, joints and forces with their points: of the first ones of each kind as many as tracks keep
 * (cli/study/track.h), and how many there are. */
json_t *cli_page_model(const hn_model *model);

#endif
