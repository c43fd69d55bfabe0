/* page_model.h - the model for the page. */
#ifndef CLI_PAGE_MODEL_H
#define CLI_PAGE_MODEL_H

#include <jansson.h>
#include "holonom.h"

/* Returns bodies with shapes, joints and forces with points, limited like tracks (track.h), and totals. */
json_t *cli_page_model(const hn_model *model);

#endif
