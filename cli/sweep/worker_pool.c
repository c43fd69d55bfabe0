/* worker_pool.c - the processes that a sweep runs on.
 *
 * A run that crashes, or is killed for the memory it takes, ends its process and no other; so every hand is a process
 * of its own, which its owner talks to by pipes: a message is its length and its characters. Under MPI the first rank
 * owns the sweep; every other rank has one process too and passes messages on. The processes themselves are forked
 * before MPI begins and know nothing of it. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "cli/base/interrupt.h"
#include "cli/base/memory.h"
#include "cli/base/progress.h"
#include "cli/sweep/worker_pool.h"
#include "cli/sweep/worker.h"

enum { LOOK = 1 }; /* ms between two looks for messages of other ranks */

typedef struct hand {
  pid_t pid;    /* of its process; 0: it is that of another rank */
  int to, from; /* descriptors of its pipes */
  int rank;
} hand;

struct sweep_hands {
  const sweep_grid *grid;
  hand *hand; /* [count] those of other ranks last */
  int count, local;
  struct pollfd *wait; /* [local] */
  hn_ranks *ranks;     /* NULL: there is no MPI */
};

/* ---- Messages by pipe -------------------------------------------------------------------------------------------- */

static bool move_all(int fd, char *bytes, size_t size, bool out)
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
  return move_all(fd, (char *)&size, sizeof size, true) && move_all(fd, (char *)(uintptr_t)text, size, true);
}

/* To be freed; NULL when there is nobody at the other end. */
static char *get_message(int fd)
{
  size_t size;
  if (!move_all(fd, (char *)&size, sizeof size, false)) return NULL;
  char *text = cli_alloc(size + 1, 1);
  if (move_all(fd, text, size, false)) return text;
  free(text);
  return NULL;
}

/* ---- A process --------------------------------------------------------------------------------------------------- */

/* What MPI gives its ranks by the environment is not for it: a library that looks there would wait for the others. */
static void forget_mpi(void)
{
  static const char *const prefixes[] = { "OMPI_", "PMIX_", "PMI_", "ORTE_" };
  extern char **environ;
  for (char **e = environ; *e;) {
    bool theirs = false;
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
      theirs = theirs || strncmp(*e, prefixes[i], strlen(prefixes[i])) == 0;
    char *name = theirs ? cli_text("%.*s", (int)strcspn(*e, "="), *e) : NULL;
    if (name) unsetenv(name);
    else e++;
    free(name);
  }
}

static _Noreturn void serve(const sweep_grid *grid, int from, int to)
{
  cli_progress_allow(false);
  forget_mpi();
  sweep_worker *worker = sweep_worker_create(grid);
  for (char *request; (request = get_message(from));) {
    char *answer = sweep_worker_answer(worker, request);
    if (*cli_stop() || !put_message(to, answer)) break; /* what was cut short is no answer */
    free(answer);
    free(request);
  }
  _exit(0);
}

/* It dies with its owner, and keeps no end of the other pipes, so that they end when they should. */
static int start_process(sweep_hands *hands, int place, hn_error *error)
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
    serve(hands->grid, from, to);
  }
  close(there[0]), close(back[1]);
  hands->hand[place] = (hand){ .pid = pid, .to = there[1], .from = back[0] };
  return 0;
}

/* What the process of HAND died of. */
static void bury(hand *h, char *why)
{
  int status = 0;
  close(h->to), close(h->from);
  kill(h->pid, SIGKILL);
  waitpid(h->pid, &status, 0);
  h->pid = -1;
  if (WIFSIGNALED(status))
    snprintf(why, 80, "the process of the run was ended by signal %d", WTERMSIG(status));
  else snprintf(why, 80, "the process of the run ended with status %d", WEXITSTATUS(status));
}

/* ---- Other ranks ------------------------------------------------------------------------------------------------- */

static const char dead[] = "!"; /* in place of an answer, with the reason behind it */
static const char over[] = "";  /* a request to end */

/* The next answer of the own process, or what it died of; another is in its place then. */
static char *hear(sweep_hands *hands, int place)
{
  char why[80];
  hn_error error;
  char *answer = get_message(hands->hand[place].from);
  if (answer) return answer;
  bury(&hands->hand[place], why);
  if (!*cli_stop() && start_process(hands, place, &error) < 0) fprintf(stderr, "holonom: %s\n", error.text);
  return cli_text("%s%s", dead, why);
}

/* A rank that is not the first: requests go to its process, answers back, until all is over. */
static void pass_on(sweep_hands *hands)
{
  for (;;) {
    int from;
    char *request = hn_ranks_receive(hands->ranks, &from);
    const bool ends = request && strcmp(request, over) == 0;
    if (request && !ends) put_message(hands->hand[0].to, request); /* if it is dead, that is heard below */
    free(request);
    if (ends) return;
    struct pollfd wait = { .fd = hands->hand[0].pid > 0 ? hands->hand[0].from : -1, .events = POLLIN };
    if (poll(&wait, 1, LOOK) <= 0) continue;
    char *answer = hear(hands, 0);
    hn_ranks_send(hands->ranks, 0, answer);
    free(answer);
  }
}

/* ---- All of them ------------------------------------------------------------------------------------------------- */

static int start_local(sweep_hands *hands, int count, hn_error *error)
{
  hands->hand = cli_alloc((size_t)count, sizeof *hands->hand);
  hands->wait = cli_alloc((size_t)count, sizeof *hands->wait);
  for (; hands->count < count; hands->count++)
    if (start_process(hands, hands->count, error) < 0) return -1;
  hands->local = count;
  return 0;
}

static int join_ranks(sweep_hands *hands, hn_error *error)
{
  if (!hn_ranks_wanted()) return 0;
  hands->ranks = hn_ranks_open(error);
  if (!hands->ranks) return -1;
  const int size = hn_ranks_size(hands->ranks);
  hands->hand = cli_grow(hands->hand, (size_t)(hands->count + size), sizeof *hands->hand);
  if (hn_ranks_rank(hands->ranks) > 0) pass_on(hands);
  else
    for (int rank = 1; rank < size; rank++)
      hands->hand[hands->count++] = (hand){ .to = -1, .from = -1, .rank = rank };
  return 0;
}

int sweep_hands_create(sweep_hands **made, const sweep_grid *grid, int count, hn_error *error)
{
  sweep_hands *hands = cli_alloc(1, sizeof *hands);
  const long processors = sysconf(_SC_NPROCESSORS_ONLN);
  const int usual = hn_ranks_wanted() || processors < 1 ? 1 : (int)processors;
  hands->grid = grid;
  signal(SIGPIPE, SIG_IGN); /* a process that has died is heard of by its pipe */
  *made = NULL;
  const int status = start_local(hands, count > 0 ? count : usual, error) || join_ranks(hands, error) ? -1
                                                                                                      : 0;
  if (status == 0 && (!hands->ranks || hn_ranks_rank(hands->ranks) == 0)) *made = hands;
  else sweep_hands_free(hands);
  return status;
}

int sweep_hands_count(const sweep_hands *hands)
{
  return hands->count;
}

int sweep_hands_ask(sweep_hands *hands, int place, const char *request)
{
  const hand *h = &hands->hand[place];
  if (h->pid == 0) return hn_ranks_send(hands->ranks, h->rank, request);
  return h->pid > 0 && put_message(h->to, request) ? 0 : -1;
}

/* A rank's answer that has come, and its hand; -1: none. */
static int from_ranks(sweep_hands *hands, char **answer)
{
  int rank;
  *answer = hands->ranks ? hn_ranks_receive(hands->ranks, &rank) : NULL;
  return *answer ? hands->local + rank - 1 : -1;
}

static int from_processes(sweep_hands *hands, char **answer)
{
  for (int i = 0; i < hands->local; i++)
    hands->wait[i] = (struct pollfd){ .fd = hands->hand[i].pid > 0 ? hands->hand[i].from : -1,
                                      .events = POLLIN };
  if (poll(hands->wait, (nfds_t)hands->local, hands->ranks ? LOOK : -1) <= 0) return -1;
  for (int i = 0; i < hands->local; i++)
    if (hands->wait[i].revents) return *answer = hear(hands, i), i;
  return -1;
}

int sweep_hands_wait(sweep_hands *hands, char **answer, char *why)
{
  int found = -1;
  while (!*cli_stop() && found < 0) {
    found = from_ranks(hands, answer);
    if (found < 0) found = from_processes(hands, answer);
  }
  if (found < 0) return -1;
  if (strncmp(*answer, dead, sizeof dead - 1) == 0) {
    snprintf(why, 80, "%s", *answer + sizeof dead - 1);
    free(*answer);
    *answer = NULL;
  }
  return found;
}

void sweep_hands_free(sweep_hands *hands)
{
  char why[80];
  const bool first = hands->ranks && hn_ranks_rank(hands->ranks) == 0;
  for (int i = 0; i < hands->count; i++) {
    if (hands->hand[i].pid > 0) bury(&hands->hand[i], why);
    else if (first && hands->hand[i].rank > 0) hn_ranks_send(hands->ranks, hands->hand[i].rank, over);
  }
  hn_ranks_close(hands->ranks);
  free(hands->hand), free(hands->wait);
  free(hands);
}
