/* outcome_json.h - JSON of a run. */
#ifndef HN_CLI_OUTCOME_JSON_H
#define HN_CLI_OUTCOME_JSON_H

#include <jansson.h>
#include "cli/study/study_runs.h"

json_t *cli_json_outcome(const cli_outcome *outcome);
/* Equivalent of cli_json_outcome, as the last use of the solver: it is freed before the bodies are listed,
 * unless it owns the model. In large scenes both together would take a third more memory than the run. */
json_t *cli_json_last(cli_outcome *outcome);
json_t *cli_json_solver(const cli_outcome *outcome);
json_t *cli_json_cost(const cli_outcome *outcome);
json_t *cli_json_quantities(const double value[CLI_QUANTITIES]); /* errors or orders of all quantities */
json_t *cli_json_options(const cli_outcome *outcome); /* parameters of the scene, settings of the solver */
json_t *cli_json_parameters(const hn_scene *scene);
/* Returns the current value of PARAM, read from the settings DATA. */
json_t *cli_json_setting(const hn_param *param, const void *data);

#endif
