/* watchdog.h - ends the program where Lua code of a scene works too long in one function. */
#ifndef CLI_WATCHDOG_H
#define CLI_WATCHDOG_H

/* Begins to watch; once is enough. */
void cli_watch(void);
/* Ends it, and its thread: before a process is forked, say, which is to watch for itself. */
void cli_watch_end(void);
/* KEEP is called with WHAT before the program ends that way, by another thread, while the one that has said this is
 * stuck in Lua; NULL: nothing is to be kept any more. */
void cli_watch_keep(void (*keep)(void *what), void *what);

#endif
