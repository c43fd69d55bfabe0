/* comparison_json.h - JSON of a comparison. */
#ifndef HN_CLI_COMPARISON_JSON_H
#define HN_CLI_COMPARISON_JSON_H

#include <jansson.h>
#include "cli/study/comparison.h"

json_t *cli_comparison_json(const cli_comparison *comparison);

#endif
