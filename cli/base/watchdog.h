/* watchdog.h - ends the program when one function called by a scene's Lua code runs for too long. */
#ifndef CLI_WATCHDOG_H
#define CLI_WATCHDOG_H

/* Starts the watchdog, unless it runs already. */
void cli_watchdog_start(void);
/* Stops the watchdog and joins its thread, as is needed before a fork; the child starts its own. */
void cli_watchdog_stop(void);
/* Registers SAVE, called with DATA by the watchdog thread before it ends the program, while the registering
 * thread is blocked in Lua. NULL: nothing is saved. */
void cli_watchdog_on_end(void (*save)(void *data), void *data);

#endif
