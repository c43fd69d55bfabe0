/* interrupt.c - signals that stop a run.
 *
 * The first signal stops the run between two steps; everything recorded so far is kept. A second signal of
 * the same kind ends the program. An ignored SIGHUP stays ignored (nohup). */
#include <stdatomic.h>
#include <string.h>
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

void cli_catch_interrupt(void)
{
  struct sigaction action, before;
  memset(&action, 0, sizeof action);
  action.sa_handler = on_interrupt;
  action.sa_flags = (int)SA_RESETHAND | SA_RESTART;
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
    if (sigaction(signals[i], NULL, &before) == 0 && (signals[i] != SIGHUP || before.sa_handler != SIG_IGN))
      sigaction(signals[i], &action, NULL);
}

void cli_default_interrupt(void)
{
  struct sigaction before;
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
    if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
      signal(signals[i], SIG_DFL);
}
