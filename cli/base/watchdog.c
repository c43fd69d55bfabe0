/* watchdog.c - ends the program where Lua code of a scene works too long in one function.
 *
 * A limit of the processor's time ends Lua code at its next instruction (lua/sandbox.c). A function of Lua's in C,
 * which may match a hard pattern for years, has no next instruction: a thread that sleeps most of the time looks after
 * the calls and ends the program with status 2 when one is at twice its limit. The thread that is stuck there is
 * neither writing nor asking the library for anything, so that what it has recorded can be closed behind its back. */
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include "cli/base/cli_base.h"
#include "cli/base/complain.h"
#include "cli/base/watchdog.h"
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
  pthread_mutex_lock(&kept.guard);
  if (kept.keep) kept.keep(kept.what);
  cli_complain("%s", error->text);
  _exit(CLI_USAGE);
}

static struct {
  pthread_t thread;
  pthread_mutex_t guard;
  pthread_cond_t rest;
  bool running, over;
} watch = { .guard = PTHREAD_MUTEX_INITIALIZER, .rest = PTHREAD_COND_INITIALIZER };

/* Sleeps for so many seconds; true when there is nothing to watch any more. */
static bool sleep_or_stop(double seconds)
{
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_nsec += (long)(1e9 * seconds);
  if (until.tv_nsec >= 1000000000) until.tv_sec++, until.tv_nsec -= 1000000000;
  pthread_mutex_lock(&watch.guard);
  if (!watch.over) pthread_cond_timedwait(&watch.rest, &watch.guard, &until);
  bool over = watch.over;
  pthread_mutex_unlock(&watch.guard);
  return over;
}

static void *look(void *nothing)
{
  double wait;
  hn_error error;
  while (!hn_scene_overdue(&wait, &error))
    if (sleep_or_stop(fmax(1e-3, fmin(wait, idle)))) return nothing;
  end(&error);
  return nothing;
}

void cli_watch_end(void)
{
  if (!watch.running) return;
  pthread_mutex_lock(&watch.guard);
  watch.over = true;
  pthread_cond_signal(&watch.rest);
  pthread_mutex_unlock(&watch.guard);
  pthread_join(watch.thread, NULL);
  watch.running = watch.over = false;
}

/* Signals are for the thread that works. Whoever looks for leaks at the end finds one thread only. */
void cli_watch(void)
{
  static bool registered;
  sigset_t all, before;
  if (watch.running) return;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  watch.running = pthread_create(&watch.thread, NULL, look, NULL) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (watch.running && !registered) registered = atexit(cli_watch_end) == 0;
}
