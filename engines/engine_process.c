/* engine_process.c - a process of an engine's own (engine_process.h).
 *
 * A byte over a pair of sockets asks for a call, a byte answers it. The process ends with its caller, also in
 * the middle of a step. What the engine prints goes to a file in memory, whose last line explains a crash:
 * assertions and exceptions end there. */
#include "engines/engine_process.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SLICE = 50, PRINTED = 1 << 16, LINE = 240 }; /* ms between looks at the stop flag; bytes kept */

struct engine_worker {
  pid_t pid;
  int socket, printed; /* file of what the engine prints */
};

void *engine_shared_memory(size_t size)
{
  void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? NULL : memory;
}

void engine_shared_free(void *memory, size_t size)
{
  if (memory) munmap(memory, size);
}

/* ---- The process --------------------------------------------------------------------------------------- */

/* Answers requests until the caller is gone. */
static void answer_all(int socket, int printed, void (*serve)(void *user), void *user)
{
  char byte;
  for (;;) {
    const ssize_t got = recv(socket, &byte, 1, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got != 1) return;
    if (lseek(printed, 0, SEEK_CUR) > PRINTED && ftruncate(printed, 0) == 0) lseek(printed, 0, SEEK_SET);
    serve(user);
    fflush(NULL);
    if (send(socket, &byte, 1, MSG_NOSIGNAL) != 1) return;
  }
}

static void run_process(int socket, int printed, pid_t caller, void (*serve)(void *user), void *user)
{
  static const int given_up[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTERM, SIGHUP };
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != caller) _exit(1);
  signal(SIGINT, SIG_IGN); /* the caller ends this process */
  for (size_t i = 0; i < sizeof given_up / sizeof *given_up; i++) signal(given_up[i], SIG_DFL);
  dup2(printed, STDOUT_FILENO), dup2(printed, STDERR_FILENO);
  answer_all(socket, printed, serve, user);
  _exit(0);
}

engine_worker *engine_worker_start(void (*serve)(void *user), void *user, char *why)
{
  engine_worker *worker = calloc(1, sizeof *worker);
  int end[2] = { -1, -1 };
  if (!worker) return engine_fail(why, "out of memory"), NULL;
  worker->printed = memfd_create("engine", MFD_CLOEXEC);
  if (worker->printed >= 0 && socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, end) == 0) {
    const pid_t caller = getpid();
    fflush(NULL);
    worker->pid = fork();
    if (worker->pid == 0) close(end[0]), run_process(end[1], worker->printed, caller, serve, user);
    close(end[1]);
    worker->socket = end[0];
    if (worker->pid > 0) return worker;
    close(end[0]);
  }
  engine_fail(why, "no process can be started for it: %s", strerror(errno));
  if (worker->printed >= 0) close(worker->printed);
  free(worker);
  return NULL;
}

/* ---- Its caller ---------------------------------------------------------------------------------------- */

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Stores the last line that the engine has printed, "" for none. */
static void read_last_line(const engine_worker *worker, char line[LINE])
{
  char text[2048];
  const off_t end = lseek(worker->printed, 0, SEEK_END);
  const off_t from = end > (off_t)sizeof text - 1 ? end - (off_t)sizeof text + 1 : 0;
  ssize_t got = pread(worker->printed, text, sizeof text - 1, from);
  while (got > 0 && (unsigned char)text[got - 1] <= ' ') got--;
  text[got > 0 ? got : 0] = '\0';
  const char *start = strrchr(text, '\n');
  snprintf(line, LINE, "%.*s", LINE - 1, start ? start + 1 : text);
}

/* Says how the process has ended. */
static int tell_end(engine_worker *worker, char *why)
{
  char line[LINE];
  int status = 0;
  kill(worker->pid, SIGKILL); /* it may have closed its socket only */
  waitpid(worker->pid, &status, 0);
  worker->pid = 0;
  read_last_line(worker, line);
  const char *link = *line ? "; it printed: " : "";
  if (WIFSIGNALED(status))
    return engine_fail(why, "crashed (%s)%s%s", strsignal(WTERMSIG(status)), link, line);
  return engine_fail(why, "ended its process with status %d%s%s", WEXITSTATUS(status), link, line);
}

static int give_up(engine_worker *worker, char *why, const char *text, double limit)
{
  kill(worker->pid, SIGKILL);
  waitpid(worker->pid, NULL, 0);
  worker->pid = 0;
  return engine_fail(why, text, limit);
}

int engine_worker_call(engine_worker *worker, double limit, const volatile sig_atomic_t *stop, char *why)
{
  const double until = now() + limit;
  struct pollfd answer = { .fd = worker->socket, .events = POLLIN };
  char byte = 0;
  if (worker->pid == 0) return engine_fail(why, "its process has ended");
  if (send(worker->socket, &byte, 1, MSG_NOSIGNAL) != 1) return tell_end(worker, why);
  while (poll(&answer, 1, SLICE) <= 0) {
    if (stop && *stop) return give_up(worker, why, "was interrupted", 0.0);
    if (now() > until) return give_up(worker, why, "took longer than %g s for a step (time_limit)", limit);
  }
  return recv(worker->socket, &byte, 1, 0) == 1 ? 0 : tell_end(worker, why);
}

void engine_worker_end(engine_worker *worker)
{
  if (!worker) return;
  if (worker->pid > 0) {
    kill(worker->pid, SIGKILL);
    waitpid(worker->pid, NULL, 0);
  }
  close(worker->socket), close(worker->printed);
  free(worker);
}
