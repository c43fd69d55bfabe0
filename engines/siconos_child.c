/* siconos_child.c - a call of Siconos in a child process: a method may fail an assertion, call exit, write to
 * the terminal, or not end.
 *
 *   child    solves, and stores results and history in shared memory
 *   parent   waits for the end of a pipe that only the child holds open, and looks for a request to stop
 *
 * Fork copies the calling thread alone. */
#include "siconos_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATIENCE = 20 }; /* ms between two looks for a request to stop */

/* Results of the child, in shared memory. */
typedef struct shared {
  siconos_call call;
  bool complete;
  double values[]; /* impulses [rows], history [room] */
} shared;

static void be_quiet(void)
{
  static const int ends[] = { SIGINT, SIGTERM, SIGHUP, SIGSEGV, SIGBUS, SIGFPE, SIGABRT };
  const struct rlimit none = { 0, 0 };
  const int nowhere = open("/dev/null", O_WRONLY);
  setrlimit(RLIMIT_CORE, &none);
  for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) signal(ends[i], SIG_DFL);
  signal(SIGINT, SIG_IGN); /* of the terminal: the parent decides */
  if (nowhere < 0 || dup2(nowhere, STDOUT_FILENO) < 0 || dup2(nowhere, STDERR_FILENO) < 0) _exit(1);
}

static _Noreturn void serve(pid_t owner, siconos_problem *s, const siconos_method *method,
                            const siconos_caller *caller, shared *results)
{
#ifdef __linux__
  prctl(PR_SET_PDEATHSIG, SIGKILL); /* ends with its parent */
#endif
  if (getppid() != owner) _exit(1);
  be_quiet();
  siconos_caller own = *caller;
  own.stop = NULL, own.history = results->values + s->rows;
  siconos_solve(s, method, &own, &results->call);
  memcpy(results->values, s->p, sizeof *s->p * (size_t)s->rows);
  results->complete = true;
  _exit(0);
}

/* Waits for CHILD, whose end closes the pipe FD. True if it was ended by a request to stop. */
static bool wait_for(pid_t child, int fd, hn_stop *stop)
{
  struct pollfd end = { .fd = fd, .events = POLLIN };
  bool stopped = false;
  while (!stopped && poll(&end, 1, PATIENCE) <= 0) stopped = hn_stopped(stop);
  if (stopped) kill(child, SIGKILL);
  while (waitpid(child, NULL, 0) < 0 && errno == EINTR) continue;
  return stopped;
}

static void fail(siconos_call *call, const char *why)
{
  call->iterations = 0, call->done = false;
  snprintf(call->text, sizeof call->text, "%s", why);
}

/* Runs the child; false if there is none. */
static bool run(siconos_problem *s, const siconos_method *method, const siconos_caller *caller,
                shared *results, bool *stopped)
{
  int ends[2];
  if (pipe2(ends, O_CLOEXEC)) return false;
  fflush(NULL);
  const pid_t owner = getpid(), child = fork();
  if (child == 0) serve(owner, s, method, caller, results);
  close(ends[1]);
  if (child > 0) *stopped = wait_for(child, ends[0], caller->stop);
  close(ends[0]);
  return child > 0;
}

void siconos_solve_in_child(siconos_problem *s, const siconos_method *method, const siconos_caller *caller,
                            siconos_call *call)
{
  const size_t numbers = (size_t)s->rows + (size_t)call->room;
  const size_t size = sizeof(shared) + sizeof(double) * numbers;
  shared *results = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  bool stopped = false;
  if (results == MAP_FAILED) {
    fail(call, "no memory for a child process");
    return;
  }
  results->call = *call;
  if (!run(s, method, caller, results, &stopped)) fail(call, "a child process cannot be started");
  else if (stopped) call->stopped = true, call->iterations = results->call.kept;
  else if (!results->complete) fail(call, "Siconos ended its process");
  else {
    *call = results->call;
    memcpy(s->p, results->values, sizeof *s->p * (size_t)s->rows);
    if (call->kept > 0)
      memcpy(caller->history, results->values + s->rows, sizeof(double) * (size_t)call->kept);
  }
  munmap(results, size);
}
