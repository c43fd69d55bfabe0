/* quiet.c - disables the error handler of GSL */
#include "base/quiet.h"

#include <gsl/gsl_errno.h>
#include <pthread.h>

static void take_handler_away(void)
{
  gsl_set_error_handler_off();
}

void hn_quiet_gsl(void)
{
  static pthread_once_t done = PTHREAD_ONCE_INIT;
  pthread_once(&done, take_handler_away);
}
