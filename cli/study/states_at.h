/* states_at.h - the states of a run at the times of --at, also between its steps. */
#ifndef CLI_STATES_AT_H
#define CLI_STATES_AT_H

#include <jansson.h>
#include "cli/base/text_table.h"
#include "holonom.h"

enum { CLI_MAX_TIMES = 10000 };

typedef struct cli_states_at cli_states_at;
/* Creates an observer of the states of SOLVER's run at TIME[count], s, ascending. They are written to RECORD,
 * unless it is NULL. SCALE, m: the size that gives the digits of the table. */
cli_states_at *cli_states_at_create(const hn_solver *solver, const double *time, size_t count,
                                    hn_record *record, double scale);
void cli_states_at_free(cli_states_at *states); /* may be NULL */
/* Follows the run at FRAME. Returns false if the record cannot be written. Sets WANTED if FRAME itself is at
 * one of the times. */
bool cli_states_at_follow(cli_states_at *states, const hn_frame *frame, bool *wanted);
/* Returns the JSON of the states so far: a new reference. */
json_t *cli_states_at_json(const cli_states_at *states);
/* Prints the table of the states. */
void cli_states_at_print(cli_states_at *states, FILE *out);

/* Reads the times of --at: "T1,T2,..." or ranges, ascending. Returns -1 on error. */
int cli_states_at_read(const char *text, double **time, size_t *count, hn_error *error);

#endif
