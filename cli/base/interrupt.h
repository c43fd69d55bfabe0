/* interrupt.h - signals that stop a run. */
#ifndef HN_CLI_INTERRUPT_H
#define HN_CLI_INTERRUPT_H

#include <signal.h>
#include <stdbool.h>

void cli_catch_interrupt(void);              /* catches SIGINT, SIGTERM and SIGHUP from now on */
void cli_default_interrupt(void);            /* lets these signals end the process from now on */
const volatile sig_atomic_t *cli_stop(void); /* set by one of these signals; for the main thread */
bool cli_is_interrupted(void);               /* true after one of these signals; for any thread */

#endif
