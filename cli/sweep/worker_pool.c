/* worker_pool.c - the worker processes of a sweep.
 *
 * Each worker is a process of its own, so that a run that crashes, or is killed for its memory, ends no
 * other. Its parent sends messages through pipes: the length, then the characters. Under MPI the first rank
 * runs the sweep; every other rank has one worker and relays messages. Workers are forked before MPI. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "cli/base/complain.h"
#include "cli/base/interrupt.h"
#include "cli/base/memory.h"
#include "cli/base/progress.h"
#include "cli/base/watchdog.h"
#include "cli/sweep/worker_pool.h"

enum { POLL_INTERVAL_MS = 1 };   /* ms between two polls for messages of other ranks */
enum { STOP_INTERVAL_MS = 100 }; /* ms between two checks for a signal that came before a poll */

typedef struct process {
  pid_t pid;    /* 0: it belongs to another rank */
  int to, from; /* descriptors of its pipes */
  int rank;     /* that it belongs to */
} process;

struct sweep_pool {
  const sweep_grid *grid;
  process *process; /* [count] the `local` ones first, then those of other ranks */
  int count, local;
  struct pollfd *wait; /* [local] */
  hn_ranks *ranks;     /* NULL: no MPI */
};

/* ---- Messages by pipe -------------------------------------------------------------------------------- */

static bool transfer(int fd, char *bytes, size_t size, bool out)
{
  while (size > 0) {
    ssize_t n = out ? write(fd, bytes, size) : read(fd, bytes, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    bytes += n, size -= (size_t)n;
  }
  return true;
}

static bool put_message(int fd, const char *text)
{
  size_t size = strlen(text);
  return transfer(fd, (char *)&size, sizeof size, true) && transfer(fd, (char *)(uintptr_t)text, size, true);
}

/* Returns the next message, to be freed; NULL if the other end is closed. */
static char *get_message(int fd)
{
  size_t size;
  if (!transfer(fd, (char *)&size, sizeof size, false)) return NULL;
  char *text = cli_alloc(size + 1, 1);
  if (transfer(fd, text, size, false)) return text;
  free(text);
  return NULL;
}

/* ---- Processes --------------------------------------------------------------------------------------- */

/* Removes MPI's variables from the environment: a library that finds them would wait for the other ranks. */
static void clear_mpi_environment(void)
{
  static const char *const prefixes[] = { "OMPI_", "PMIX_", "PMI_", "ORTE_" };
  extern char **environ;
  for (char **e = environ; *e;) {
    bool is_mpi = false;
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
      is_mpi = is_mpi || strncmp(*e, prefixes[i], strlen(prefixes[i])) == 0;
    char *name = is_mpi ? cli_text("%.*s", (int)strcspn(*e, "="), *e) : NULL;
    if (name) unsetenv(name);
    else e++;
    free(name);
  }
}

/* Serves requests until the pipe is closed. A signal ends the process at once: its run has no result. */
static _Noreturn void serve(const sweep_grid *grid, int from, int to)
{
  cli_default_interrupt();
  cli_progress_allow(false);
  clear_mpi_environment();
  void *worker = grid->runs->create(grid);
  for (char *request; (request = get_message(from));) {
    char *answer = grid->runs->answer(worker, request);
    if (!put_message(to, answer)) break;
    free(answer);
    free(request);
  }
  _exit(0);
}

/* Forks a worker that dies with its parent and holds no other pipes open. */
static int start_process(sweep_pool *pool, int index, hn_error *error)
{
  int there[2], back[2];
  const pid_t owner = getpid();
  if (pipe(there) != 0 || pipe(back) != 0) return hn_fail(error, "no pipe to a process: %s", strerror(errno));
  const pid_t pid = fork();
  if (pid < 0) return hn_fail(error, "no process: %s", strerror(errno));
  if (pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != owner) _exit(0);
    const int from = dup2(there[0], STDERR_FILENO + 1), to = dup2(back[1], STDERR_FILENO + 2);
    closefrom(STDERR_FILENO + 3);
    serve(pool->grid, from, to);
  }
  close(there[0]), close(back[1]);
  pool->process[index] = (process){ .pid = pid, .to = there[1], .from = back[0] };
  return 0;
}

/* Ends the process of a worker and returns the cause of its death. */
static sweep_death end_process(process *h)
{
  sweep_death death;
  int status = 0;
  close(h->to), close(h->from);
  kill(h->pid, SIGKILL);
  waitpid(h->pid, &status, 0);
  h->pid = -1;
  death.by_signal = WIFSIGNALED(status);
  if (death.by_signal)
    snprintf(death.why, sizeof death.why, "the process of the run was ended by signal %d", WTERMSIG(status));
  else
    snprintf(death.why, sizeof death.why, "the process of the run ended with status %d", WEXITSTATUS(status));
  return death;
}

/* ---- Other ranks ------------------------------------------------------------------------------------- */

static const char exit_mark = '!';     /* begins an answer that holds the cause of death */
static const char signal_mark = '?';   /* begins an answer that holds the cause of death by a signal */
static const char stop_request[] = ""; /* request to end */

/* Returns the next answer of a local worker. If it has died, returns the cause and starts another one. */
static char *receive_answer(sweep_pool *pool, int index)
{
  hn_error error;
  char *answer = get_message(pool->process[index].from);
  if (answer) return answer;
  const sweep_death death = end_process(&pool->process[index]);
  if (!*cli_stop() && start_process(pool, index, &error) < 0) fprintf(stderr, "holonom: %s\n", error.text);
  return cli_text("%c%s", death.by_signal ? signal_mark : exit_mark, death.why);
}

/* Relays requests and answers between the first rank and the worker of this one, until the end. An
 * interrupted rank exits without MPI's end, which would wait for the others: mpirun then ends these. */
static void relay_messages(sweep_pool *pool)
{
  for (;;) {
    if (*cli_stop()) _exit(CLI_OUTCOME);
    int from;
    char *request = hn_ranks_receive(pool->ranks, &from);
    const bool ends = request && strcmp(request, stop_request) == 0;
    if (request && !ends) put_message(pool->process[0].to, request); /* a dead worker is noticed below */
    free(request);
    if (ends) return;
    struct pollfd wait = { .fd = pool->process[0].pid > 0 ? pool->process[0].from : -1, .events = POLLIN };
    if (poll(&wait, 1, POLL_INTERVAL_MS) <= 0) continue;
    char *answer = receive_answer(pool, 0);
    hn_ranks_send(pool->ranks, 0, answer);
    free(answer);
  }
}

/* ---- The pool ---------------------------------------------------------------------------------------- */

static int start_local(sweep_pool *pool, int count, hn_error *error)
{
  pool->process = cli_alloc((size_t)count, sizeof *pool->process);
  pool->wait = cli_alloc((size_t)count, sizeof *pool->wait);
  for (; pool->count < count; pool->count++)
    if (start_process(pool, pool->count, error) < 0) return -1;
  pool->local = count;
  return 0;
}

static int join_ranks(sweep_pool *pool, hn_error *error)
{
  if (!hn_ranks_wanted()) return 0;
  prctl(PR_SET_PDEATHSIG, SIGTERM); /* ranks end with mpirun */
  pool->ranks = hn_ranks_open(error);
  if (!pool->ranks) return -1;
  const int size = hn_ranks_size(pool->ranks);
  pool->process = cli_grow(pool->process, (size_t)(pool->count + size), sizeof *pool->process);
  if (hn_ranks_rank(pool->ranks) > 0) relay_messages(pool);
  else
    for (int rank = 1; rank < size; rank++)
      pool->process[pool->count++] = (process){ .to = -1, .from = -1, .rank = rank };
  return 0;
}

int sweep_pool_create(sweep_pool **result, const sweep_grid *grid, int count, hn_error *error)
{
  sweep_pool *pool = cli_alloc(1, sizeof *pool);
  const long processors = sysconf(_SC_NPROCESSORS_ONLN);
  const int default_count = hn_ranks_wanted() || processors < 1 ? 1 : (int)processors;
  pool->grid = grid;
  cli_watchdog_stop();      /* no thread may remain when workers are forked */
  signal(SIGPIPE, SIG_IGN); /* the death of a worker is noticed by reading its pipe */
  *result = NULL;
  const int status = start_local(pool, count > 0 ? count : default_count, error) || join_ranks(pool, error)
                       ? -1
                       : 0;
  if (status == 0 && (!pool->ranks || hn_ranks_rank(pool->ranks) == 0)) *result = pool;
  else sweep_pool_free(pool);
  return status;
}

int sweep_pool_count(const sweep_pool *pool)
{
  return pool->count;
}

int sweep_pool_send(sweep_pool *pool, int index, const char *request)
{
  const process *h = &pool->process[index];
  if (h->pid == 0) return hn_ranks_send(pool->ranks, h->rank, request);
  return h->pid > 0 && put_message(h->to, request) ? 0 : -1;
}

/* Returns the worker of another rank whose answer has arrived; -1 if there is none. */
static int from_ranks(sweep_pool *pool, char **answer)
{
  int rank;
  *answer = pool->ranks ? hn_ranks_receive(pool->ranks, &rank) : NULL;
  return *answer ? pool->local + rank - 1 : -1;
}

static int from_processes(sweep_pool *pool, char **answer)
{
  for (int i = 0; i < pool->local; i++)
    pool->wait[i] = (struct pollfd){ .fd = pool->process[i].pid > 0 ? pool->process[i].from : -1,
                                     .events = POLLIN };
  if (poll(pool->wait, (nfds_t)pool->local, pool->ranks ? POLL_INTERVAL_MS : STOP_INTERVAL_MS) <= 0)
    return -1;
  for (int i = 0; i < pool->local; i++)
    if (pool->wait[i].revents) return *answer = receive_answer(pool, i), i;
  return -1;
}

int sweep_pool_wait(sweep_pool *pool, char **answer, sweep_death *death)
{
  int found = -1;
  while (!*cli_stop() && found < 0) {
    found = from_ranks(pool, answer);
    if (found < 0) found = from_processes(pool, answer);
  }
  if (found < 0) return -1;
  if (**answer == exit_mark || **answer == signal_mark) {
    death->by_signal = **answer == signal_mark;
    snprintf(death->why, sizeof death->why, "%s", *answer + 1);
    free(*answer);
    *answer = NULL;
  }
  return found;
}

void sweep_pool_free(sweep_pool *pool)
{
  const bool first = pool->ranks && hn_ranks_rank(pool->ranks) == 0;
  for (int i = 0; i < pool->count; i++) {
    if (pool->process[i].pid > 0) end_process(&pool->process[i]);
    else if (first && pool->process[i].rank > 0)
      hn_ranks_send(pool->ranks, pool->process[i].rank, stop_request);
  }
  hn_ranks_close(pool->ranks);
  free(pool->process), free(pool->wait);
  free(pool);
}
