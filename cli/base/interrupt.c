/* interrupt.c - signals that end a run.
 *
 * The first stops it between two steps, with what was recorded; a second one of its kind ends the program at once. An
 * ignored SIGHUP stays so (nohup). */
#include <string.h>
#include "cli/base/interrupt.h"

static volatile sig_atomic_t stop_asked;

const volatile sig_atomic_t *cli_stop(void)
{
  return &stop_asked;
}

static void on_interrupt(int number)
{
  (void)number;
  stop_asked = 1;
}

void cli_catch_interrupt(void)
{
  static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
  struct sigaction action, before;
  memset(&action, 0, sizeof action);
  action.sa_handler = on_interrupt;
  action.sa_flags = (int)SA_RESETHAND | SA_RESTART;
  for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
    if (sigaction(signals[i], NULL, &before) == 0 && (signals[i] != SIGHUP || before.sa_handler != SIG_IGN))
      sigaction(signals[i], &action, NULL);
}
