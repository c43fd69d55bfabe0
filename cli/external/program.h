/* program.h - a program of the user's that answers lines of text: cli/external/. */
#ifndef CLI_PROGRAM_H
#define CLI_PROGRAM_H

#include "holonom.h"

typedef struct cli_program cli_program;

/* Starts COMMAND by the shell, with its standard input and output connected to the answer. Returns NULL on
 * error. */
cli_program *cli_program_start(const char *command, hn_error *error);
/* Sends TEXT, which contains no newline, as a line, and returns the line that answers it, to be freed.
 * Returns NULL if there is no answer within LIMIT s, the program has ended, or *STOP is nonzero (STOP may be
 * NULL); ERROR then continues the sentence "the program ...". */
char *cli_program_ask(cli_program *program, const char *text, double limit, const volatile sig_atomic_t *stop,
                      hn_error *error);
/* Closes the connection and waits a moment for the program to end, which is then killed with all that it has
 * started. NULL is allowed. */
void cli_program_end(cli_program *program);

#endif
