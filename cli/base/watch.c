/* watch.c - ends the program where Lua code of a scene works too long in one function.
 *
 * A limit of the processor's time ends Lua code at its next instruction (lua/sandbox.c). A function of Lua's in C, which
 * may match a hard pattern for years, has no next instruction: a thread that sleeps most of the time looks after the
 * calls and ends the program with status 2 when one is at twice its limit. The thread that is stuck there is neither
 * writing nor asking the library for anything, so that what it has recorded can be closed behind its back. */
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include "cli/base/base.h"
#include "cli/base/complain.h"
#include "cli/base/watch.h"
#include "scene.h"

static const double idle = 0.1; /* s between two looks while no Lua code runs */

static struct {
  pthread_mutex_t guard;
  void (*keep)(void *what);
  void *what;
} kept = { .guard = PTHREAD_MUTEX_INITIALIZER };

void cli_watch_keep(void (*keep)(void *what), void *what)
{
  pthread_mutex_lock(&kept.guard);
  kept.keep = keep;
  kept.what = what;
  pthread_mutex_unlock(&kept.guard);
}

static void end(const hn_error *error)
{
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
  pthread_mutex_lock(&kept.guard);
  if (kept.keep) kept.keep(kept.what);
  cli_complain("%s", error->text);
  _exit(CLI_USAGE);
}

static void *look(void *nothing)
{
  double wait;
  hn_error error;
  while (!hn_scene_overdue(&wait, &error)) {
    double rest = fmax(1e-3, fmin(wait, idle));
    nanosleep(&(struct timespec){ .tv_nsec = (long)(1e9 * rest) }, NULL);
  }
  end(&error);
  return nothing;
}

static pthread_t thread;

/* Whoever looks for leaks at the end finds one thread only. */
static void stop_watching(void)
{
  if (pthread_cancel(thread) == 0) pthread_join(thread, NULL);
}

/* Signals are for the thread that works. */
void cli_watch(void)
{
  static bool watching;
  sigset_t all, before;
  if (watching) return;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  watching = pthread_create(&thread, NULL, look, NULL) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (watching) atexit(stop_watching);
}
