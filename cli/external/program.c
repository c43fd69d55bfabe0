/* program.c - a program of the user's that answers lines of text (program.h). */
#include "cli/external/program.h"
#include "cli/base/memory.h"

#include <errno.h>
#include <poll.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SLICE = 50, GRACE = 40 }; /* ms between looks at the stop flag; looks at the end of the program */

struct cli_program {
  pid_t pid;
  int socket;
  char *line; /* received and not answered yet */
  size_t length, room;
};

extern char **environ;

/* Starts COMMAND in a session of its own, so that it can be ended with its children. */
static int spawn(const char *command, int socket, pid_t *pid)
{
  posix_spawn_file_actions_t files;
  posix_spawnattr_t session;
  char *const words[] = { "sh", "-c", (char *)(uintptr_t)command, NULL };
  posix_spawn_file_actions_init(&files);
  posix_spawnattr_init(&session);
  posix_spawn_file_actions_adddup2(&files, socket, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&files, socket, STDOUT_FILENO);
  posix_spawnattr_setflags(&session, POSIX_SPAWN_SETSID);
  const int status = posix_spawn(pid, "/bin/sh", &files, &session, words, environ);
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&session);
  return status;
}

cli_program *cli_program_start(const char *command, hn_error *error)
{
  int end[2];
  pid_t pid;
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, end) < 0) {
    hn_fail(error, "cannot be connected: %s", strerror(errno));
    return NULL;
  }
  const int status = spawn(command, end[1], &pid);
  close(end[1]);
  if (status != 0) {
    close(end[0]);
    hn_fail(error, "cannot be started: %s", strerror(status));
    return NULL;
  }
  cli_program *program = cli_alloc(1, sizeof *program);
  *program = (cli_program){ .pid = pid, .socket = end[0] };
  return program;
}

/* ---- Lines --------------------------------------------------------------------------------------------- */

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Waits until the socket is ready for EVENTS. -1 on error. */
static int wait_for(const cli_program *program, short events, double until, double limit,
                    const volatile sig_atomic_t *stop, hn_error *error)
{
  struct pollfd ready = { .fd = program->socket, .events = events };
  for (;;) {
    if (stop && *stop) return hn_fail(error, "was interrupted");
    if (now() > until) return hn_fail(error, "did not answer within %g s (time_limit)", limit);
    if (poll(&ready, 1, SLICE) > 0) return 0;
  }
}

/* Says how the program has ended, or that it has closed the connection. */
static int tell_end(cli_program *program, hn_error *error)
{
  int status;
  for (int look = 0; look < GRACE; look++) {
    if (waitpid(program->pid, &status, WNOHANG) == program->pid) {
      program->pid = 0;
      if (WIFSIGNALED(status)) return hn_fail(error, "was ended by signal %d", WTERMSIG(status));
      return hn_fail(error, "ended with status %d", WEXITSTATUS(status));
    }
    poll(NULL, 0, SLICE);
  }
  return hn_fail(error, "closed its output");
}

static int send_all(cli_program *program, const char *text, size_t length, double until, double limit,
                    const volatile sig_atomic_t *stop, hn_error *error)
{
  while (length > 0) {
    if (wait_for(program, POLLOUT, until, limit, stop, error)) return -1;
    const ssize_t sent = send(program->socket, text, length, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent > 0) text += sent, length -= (size_t)sent;
    else if (errno != EAGAIN && errno != EINTR) return tell_end(program, error);
  }
  return 0;
}

/* Receives more text. */
static int receive(cli_program *program, hn_error *error)
{
  if (program->room < program->length + 65536)
    program->line = cli_grow(program->line, program->room = 2 * program->length + 65536, 1);
  const ssize_t got = recv(program->socket, program->line + program->length, program->room - program->length,
                           MSG_DONTWAIT);
  if (got > 0) program->length += (size_t)got;
  else if (got == 0 || (errno != EAGAIN && errno != EINTR)) return tell_end(program, error);
  return 0;
}

char *cli_program_ask(cli_program *program, const char *text, double limit, const volatile sig_atomic_t *stop,
                      hn_error *error)
{
  const double until = now() + limit;
  size_t searched = 0;
  if (program->pid == 0) return hn_fail(error, "has ended"), NULL;
  if (send_all(program, text, strlen(text), until, limit, stop, error) ||
      send_all(program, "\n", 1, until, limit, stop, error))
    return NULL;
  for (;;) {
    char *end = program->length > searched
                  ? memchr(program->line + searched, '\n', program->length - searched)
                  : NULL;
    if (end) {
      const size_t length = (size_t)(end - program->line);
      char *answer = cli_text("%.*s", (int)length, program->line);
      program->length -= length + 1;
      memmove(program->line, end + 1, program->length);
      return answer;
    }
    searched = program->length;
    if (wait_for(program, POLLIN, until, limit, stop, error) || receive(program, error)) return NULL;
  }
}

void cli_program_end(cli_program *program)
{
  if (!program) return;
  close(program->socket);
  for (int look = 0; program->pid > 0 && look < GRACE; look++) {
    if (waitpid(program->pid, NULL, WNOHANG) == program->pid) program->pid = 0;
    else poll(NULL, 0, SLICE / 10);
  }
  if (program->pid > 0) {
    kill(-program->pid, SIGKILL);
    waitpid(program->pid, NULL, 0);
  }
  free(program->line);
  free(program);
}
