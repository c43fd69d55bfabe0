/* watchdog.h - ends the program when one function called by a scene's Lua code runs for too long, or when
 * the program does not end by itself soon after a signal. */
#ifndef CLI_WATCHDOG_H
#define CLI_WATCHDOG_H

#include <stdbool.h>

/* Starts the watchdog, unless it runs already. */
void cli_watchdog_start(void);
/* Stops the watchdog and joins its thread, as is needed before a fork; the child starts its own. */
void cli_watchdog_stop(void);
/* Registers SAVE, called with DATA by the watchdog thread before it ends the program, while the registering
 * thread is blocked in Lua or computes. NULL: nothing is saved. */
void cli_watchdog_on_end(void (*save)(void *data), void *data);
/* Declares that the working thread writes, or no longer does: a signal then does not end the program. */
void cli_watchdog_hold(bool held);

#endif
