/* interrupt.c - signals that stop a run.
 *
 * The first signal stops the run between two steps; everything recorded so far is kept. A second signal of
 * the same kind ends the program. An ignored SIGHUP stays ignored (nohup). */
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>
#include "cli/base/complain.h"
#include "cli/base/interrupt.h"

static volatile sig_atomic_t stop_requested; /* for the thread that runs commands */
static atomic_bool stop_seen;                /* the same for other threads */

const volatile sig_atomic_t *cli_stop(void)
{
  return &stop_requested;
}

bool cli_is_interrupted(void)
{
  return atomic_load(&stop_seen);
}

static void on_interrupt(int number)
{
  (void)number;
  stop_requested = 1;
  atomic_store(&stop_seen, true);
}

static const int signals[] = { SIGINT, SIGTERM, SIGHUP };

/* Ends the process. Calls only what is allowed in a handler. */
static void on_end(int number)
{
  static const char text[] = "holonom: interrupted\n";
  (void)number;
  const ssize_t written = write(STDERR_FILENO, text, sizeof text - 1);
  (void)written;
  _exit(CLI_OUTCOME);
}

static void set_handler(void (*handler)(int))
{
  struct sigaction action, before;
  memset(&action, 0, sizeof action);
  action.sa_handler = handler;
  action.sa_flags = (int)SA_RESETHAND | SA_RESTART;
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
    if (sigaction(signals[i], NULL, &before) == 0 && (signals[i] != SIGHUP || before.sa_handler != SIG_IGN))
      sigaction(signals[i], &action, NULL);
}

void cli_catch_interrupt(void)
{
  set_handler(on_interrupt);
}

void cli_end_on_interrupt(void)
{
  set_handler(on_end);
}

void cli_default_interrupt(void)
{
  struct sigaction before;
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
    if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
      signal(signals[i], SIG_DFL);
}
