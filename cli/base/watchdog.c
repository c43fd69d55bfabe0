/* watchdog.c - ends the program when one function called by a scene's Lua code runs for too long, or when
 * the program does not end by itself soon after a signal.
 *
 * A limit on processor time ends Lua code at its next instruction (lua/sandbox.c). A C function of Lua,
 * such as a match of a hard pattern, has no next instruction. A thread that mostly sleeps checks the
 * calls and ends the program with status 2 when one reaches twice its limit. The blocked thread neither
 * writes nor calls the library, so that this thread can safely close the records.
 *
 * After a signal, commands end between two steps or iterations. Where these are long, as in a
 * factorisation, this thread ends the program 0.3 s after the signal, with status 1, unless the
 * working thread writes records or results (cli_watchdog_hold). */
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include "cli/base/complain.h"
#include "cli/base/interrupt.h"
#include "cli/base/watchdog.h"
#include "scene.h"

static const double idle = 0.1;       /* s between two checks while no Lua code runs */
static const double min_sleep = 1e-3; /* s: bounds the cost of the thread */
static const double patience = 0.3;   /* s that the program may go on after a signal was seen */

static struct {
  pthread_t thread;
  pthread_mutex_t guard; /* of `over`, `held`, `save` and `data` */
  pthread_cond_t wake;
  bool running, over, held;
  void (*save)(void *data);
  void *data;
} watch = { .guard = PTHREAD_MUTEX_INITIALIZER, .wake = PTHREAD_COND_INITIALIZER };

void cli_watchdog_on_end(void (*save)(void *data), void *data)
{
  pthread_mutex_lock(&watch.guard);
  watch.save = save;
  watch.data = data;
  pthread_mutex_unlock(&watch.guard);
}

void cli_watchdog_hold(bool held)
{
  pthread_mutex_lock(&watch.guard);
  watch.held = held;
  pthread_mutex_unlock(&watch.guard);
}

/* Ends the program; if IF_FREE, only if the working thread does not write. It cannot begin to afterwards. */
static void end(bool if_free, const hn_error *error)
{
  pthread_mutex_lock(&watch.guard);
  if (if_free && (watch.held || watch.over)) {
    pthread_mutex_unlock(&watch.guard);
    return;
  }
  if (watch.save) watch.save(watch.data);
  cli_complain("%s", error->text);
  _exit(cli_is_interrupted() ? CLI_OUTCOME : CLI_USAGE);
}

/* Sleeps for SECONDS, or until the watchdog ends. Returns true when it ends. */
static bool sleep_or_stop(double seconds)
{
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_nsec += (long)(1e9 * seconds);
  if (until.tv_nsec >= 1000000000) until.tv_sec++, until.tv_nsec -= 1000000000;
  pthread_mutex_lock(&watch.guard);
  if (!watch.over) pthread_cond_timedwait(&watch.wake, &watch.guard, &until);
  bool over = watch.over;
  pthread_mutex_unlock(&watch.guard);
  return over;
}

static double seconds(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* True if the program goes on too long after a signal, first seen at SEEN, and nothing is being written. */
static bool is_late(double *seen)
{
  if (!cli_is_interrupted()) return false;
  if (isnan(*seen)) *seen = seconds();
  pthread_mutex_lock(&watch.guard);
  const bool late = !watch.held && !watch.over && seconds() - *seen > patience;
  pthread_mutex_unlock(&watch.guard);
  return late;
}

static void *check_calls(void *unused)
{
  double wait, seen = NAN;
  hn_error error;
  do {
    const bool late = is_late(&seen);
    if (hn_scene_overdue(late, &wait, &error)) end(false, &error);
    hn_fail(&error, "interrupted: the program ends within a long computation");
    if (late) end(true, &error);
  } while (!sleep_or_stop(fmax(min_sleep, fmin(wait, idle))));
  return unused;
}

void cli_watchdog_stop(void)
{
  if (!watch.running) return;
  pthread_mutex_lock(&watch.guard);
  watch.over = true;
  pthread_cond_signal(&watch.wake);
  pthread_mutex_unlock(&watch.guard);
  pthread_join(watch.thread, NULL);
  watch.running = watch.over = false;
}

/* Blocks signals in the new thread: the working thread receives them. The thread is joined at exit. */
void cli_watchdog_start(void)
{
  static bool registered;
  sigset_t all, before;
  if (watch.running) return;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  watch.running = pthread_create(&watch.thread, NULL, check_calls, NULL) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (watch.running && !registered) registered = atexit(cli_watchdog_stop) == 0;
}
